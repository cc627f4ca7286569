/* The page of a model before any analysis: assembled, or with the poses of the file when the assembly fails. */
#include "certificate_items.h"
#include "page_parts.h"

#include <string.h>

/* Each body in a system of its own, in the pose of the file. */
typedef struct apart {
    int n_bodies;
    phx_system **systems;
    phx_made_body *made;
    phx_drawing drawing;
    int n_x;
    double *x;
} apart;

static void free_apart(apart *bodies)
{
    for (int b = 0; b < bodies->n_bodies && bodies->systems; b++)
        phx_system_destroy(bodies->systems[b]);
    phx_free(bodies->systems);
    phx_free(bodies->made);
    phx_free(bodies->x);
    phx_drawing_free(&bodies->drawing);
}

/* x of a body: position and attitude of its pose; no deformation. */
static void pose_as_written(const phx_body *body, const phx_model_pose *pose, double *x)
{
    phx_body_rest(body, x);
    phx_body_place(body, pose->position, pose->rotation.matrix, pose->rotation.angle, x);
}

/* Builds every body on its own and places it at its pose as written, without joints, for a picture of a model that
 * cannot be assembled. */
static phx_status take_apart(phx_context *context, const phx_model *model, apart *bodies)
{
    const size_t n = (size_t)model->n_bodies;
    phx_status status = PHX_OK;

    *bodies = (apart){.n_bodies = model->n_bodies};
    bodies->systems = phx_calloc(context, n, sizeof *bodies->systems);
    bodies->made = phx_calloc(context, n, sizeof *bodies->made);
    if (!bodies->systems || !bodies->made)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < model->n_bodies && !status; b++) {
        status = phx_model_build_body(context, model, b, &bodies->systems[b]);
        if (!status)
            bodies->made[b] =
                (phx_made_body){phx_system_body(bodies->systems[b], 0), phx_system_source(bodies->systems[b], 0)};
    }
    if (!status)
        status = phx_drawing_of_bodies(context, model, bodies->made, &bodies->drawing);
    for (int b = 0; b < model->n_bodies && !status; b++)
        bodies->n_x += phx_body_n_x(bodies->made[b].body);
    bodies->x = status ? NULL : phx_calloc(context, (size_t)bodies->n_x, sizeof *bodies->x);
    if (!status && !bodies->x)
        status = PHX_ERR_MEMORY;
    for (int b = 0, x = 0; b < model->n_bodies && !status; x += phx_body_n_x(bodies->made[b++].body))
        pose_as_written(bodies->made[b].body, &model->bodies[b].pose, bodies->x + x);
    return status;
}

/* factors: of the scene; NULL: 0. */
static phx_status write_pose(phx_context *context, const phx_model *model, const phx_drawing *drawing, int n_x,
                             const double *x, const double *factors, const char *reason,
                             const phx_report_options *options, const char *html_path, phx_report_size *size)
{
    const phx_report_pose pose = {.title = model->title,
                                  .model_text = model->text,
                                  .reason = reason,
                                  .dimension = model->dimension,
                                  .n_bodies = drawing->n_bodies,
                                  .bodies = drawing->bodies,
                                  .scene = &drawing->scene,
                                  .n_x = n_x,
                                  .x = x,
                                  .factors = factors};
    return phx_report_model(context, &pose, options, html_path, size);
}

static phx_status view_written(phx_context *context, const phx_model *model, const char *reason,
                               const phx_report_options *options, const char *html_path, phx_report_size *size)
{
    apart bodies;
    phx_status status = take_apart(context, model, &bodies);

    if (!status)
        status =
            write_pose(context, model, &bodies.drawing, bodies.n_x, bodies.x, NULL, reason, options, html_path, size);
    free_apart(&bodies);
    return status;
}

/* Writes the page of the assembled model with its certificate; a state from a result is continued onto the joints of
 * the model. */
static phx_status view_assembled(phx_context *context, const phx_model *model, phx_start_point *at,
                                 phx_report_options *options, const char *html_path, phx_report_size *size)
{
    phx_check_report report = {0};
    phx_certificate_items list = {0};
    phx_drawing drawing = {0};
    double t = 0.0, *factors = NULL;
    phx_status status = phx_check_point(context, model, at, &report);

    if (!status)
        status = phx_warn_of_sizes(context, model, at->system);
    if (!status)
        status = phx_drawing_create(context, model, at->system, &drawing);
    if (!status && model->initial.from)
        status = phx_start_point_continue(context, model, &drawing, at, &t);
    if (!status && model->initial.from)
        status = phx_continue_on_joints(context, model, at->dae, at->system, t, at->x, at->v);
    if (!status && !(factors = phx_calloc(context, (size_t)phx_scene_factors(&drawing.scene), sizeof *factors)))
        status = PHX_ERR_MEMORY;
    if (!status) {
        phx_drawing_factors(&drawing, at->dae, t, factors);
        phx_certificate_list(&report, NULL, &list);
        options->n_certificate = list.count;
        options->certificate = list.items;
        status = write_pose(context, model, &drawing, phx_system_n_x(at->system), at->x, factors, NULL, options,
                            html_path, size);
    }
    phx_free(factors);
    phx_drawing_free(&drawing);
    phx_check_report_free(&report);
    return status;
}

/* Make the page with the poses of the file; returns the failure of the assembly. */
static phx_status view_failure(phx_context *context, const phx_model *model, phx_status failure,
                               const phx_report_options *options, const char *html_path, phx_report_size *size)
{
    const char *message = phx_context_message(context);
    char *reason = phx_strdup(context, message[0] ? message : phx_status_text(failure));

    if (!reason)
        return PHX_ERR_MEMORY;
    const phx_status shown = view_written(context, model, reason, options, html_path, size);
    if (shown == PHX_ERR_FILE || shown == PHX_ERR_MEMORY || shown == PHX_INTERRUPTED)
        failure = shown;
    else
        phx_fail(context, failure, "%s", reason);
    phx_free(reason);
    return failure;
}

/* Writes the page of a model: assembled if possible, else its bodies as written together with the error, which is
 * still returned. */
static phx_status view(phx_context *context, const phx_model *model, const phx_report_options *given,
                       const char *html_path, phx_report_size *size)
{
    const phx_build_options build = {.without_outputs = false};
    phx_report_options options = given ? *given : (phx_report_options){0};
    phx_report_size unread, *written = size ? size : &unread;
    phx_start_point at = {0};

    const phx_start_options start = phx_start_of(model);
    *written = (phx_report_size){0};
    options.n_certificate = 0;
    phx_report_load *loads = NULL;
    phx_report_opening opening = {0};
    phx_status status = phx_report_check(context, given);
    if (!status)
        status = phx_model_protect(context, model);
    if (!status)
        status = phx_files_check(context, 1, &html_path);
    if (!status)
        status = phx_page_loads(context, model, &loads);
    if (!status)
        status = phx_page_opening(context, model, &opening);
    if (status) {
        phx_free(loads);
        return status;
    }
    options.opening = opening.trails ? &opening : NULL;
    options.n_loads = model->n_loads;
    options.loads = loads;
    options.n_points = 0;
    status = phx_start_point_create(context, model, &build, &start, true, &at);
    if (!status)
        status = phx_start_judge(context, model, at.system, true);
    if (!status)
        status = view_assembled(context, model, &at, &options, html_path, written);
    if (status && status != PHX_ERR_MEMORY && status != PHX_ERR_FILE && status != PHX_INTERRUPTED)
        status = view_failure(context, model, status, &options, html_path, written);
    phx_start_point_free(&at);
    phx_free(loads);
    phx_free((void *)opening.trails);
    return phx_conclude(context, status);
}

phx_status phx_study_view(phx_context *context, const phx_model *model, const phx_report_options *given,
                          const char *html_path, phx_report_size *size)
{
    if (!model || !html_path)
        return phx_fail_null(context, __func__, "model or html_path");
    phx_files_begin(context);
    const phx_status status = view(context, model, given, html_path, size);
    phx_files_end(context);
    return status;
}
