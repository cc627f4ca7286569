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
static phx_report_pose pose_of(const phx_model *model, const phx_drawing *drawing, int n_x, const double *x,
                               const double *factors)
{
    return (phx_report_pose){.title = model->title,
                             .model_text = model->text,
                             .dimension = model->dimension,
                             .n_bodies = drawing->n_bodies,
                             .bodies = drawing->bodies,
                             .scene = &drawing->scene,
                             .n_x = n_x,
                             .x = x,
                             .factors = factors};
}

static phx_status view_written(phx_context *context, const phx_model *model, const char *reason,
                               const phx_report_options *options, const char *html_path, phx_report_size *size)
{
    apart bodies;
    phx_status status = take_apart(context, model, &bodies);

    if (!status) {
        phx_report_pose pose = pose_of(model, &bodies.drawing, bodies.n_x, bodies.x, NULL);
        pose.reason = reason;
        status = phx_report_model(context, &pose, options, html_path, size);
    }
    free_apart(&bodies);
    return status;
}

/* A model at its start state. */
typedef struct assembled {
    phx_start_point at;
    phx_drawing drawing;
    double *factors;
    phx_report_pose pose;
} assembled;

static void free_assembled(assembled *made)
{
    phx_free(made->factors);
    phx_drawing_free(&made->drawing);
    phx_start_point_free(&made->at);
}

/* The drawing and the pose at a start state; a state from a result is continued onto the joints of the model. */
static phx_status draw_assembled(phx_context *context, const phx_model *model, assembled *made)
{
    phx_start_point *at = &made->at;
    double t = 0.0;
    phx_status status = phx_drawing_create(context, model, at->system, &made->drawing);

    if (!status && model->initial.from)
        status = phx_start_point_continue(context, model, &made->drawing, at, &t);
    if (!status && model->initial.from)
        status = phx_continue_on_joints(context, model, at->dae, at->system, t, at->x, at->v);
    const size_t n = status ? 0 : (size_t)phx_scene_factors(&made->drawing.scene);
    if (!status && !(made->factors = phx_calloc(context, n, sizeof *made->factors)))
        status = PHX_ERR_MEMORY;
    if (status)
        return status;
    phx_drawing_factors(&made->drawing, at->dae, t, made->factors);
    made->pose = pose_of(model, &made->drawing, phx_system_n_x(at->system), at->x, made->factors);
    return PHX_OK;
}

/* Writes the page of the assembled model with its certificate; `other`: another model shown with it, or NULL. */
static phx_status view_assembled(phx_context *context, const phx_model *model, const phx_model *other, assembled *made,
                                 phx_report_options *options, const char *html_path, phx_report_size *size)
{
    const phx_build_options build = {.without_outputs = true};
    phx_check_report report = {0};
    phx_certificate_items list = {0};
    assembled with = {0};
    phx_status status = phx_check_point(context, model, &made->at, &report);

    if (!status)
        status = phx_warn_of_sizes(context, model, made->at.system);
    if (!status)
        status = draw_assembled(context, model, made);
    if (!status && other) {
        const phx_start_options start = phx_start_of(other);
        status = phx_start_point_create(context, other, &build, &start, true, &with.at);
        if (!status)
            status = draw_assembled(context, other, &with);
    }
    if (!status) {
        phx_certificate_list(&report, NULL, &list);
        options->n_certificate = list.count;
        options->certificate = list.items;
        made->pose.other = other ? &with.pose : NULL;
        status = phx_report_model(context, &made->pose, options, html_path, size);
    }
    free_assembled(&with);
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
static phx_status view(phx_context *context, const phx_model *model, const phx_model *other,
                       const phx_report_options *given, const char *html_path, phx_report_size *size)
{
    const phx_build_options build = {.without_outputs = false};
    phx_report_options options = given ? *given : (phx_report_options){0};
    phx_report_size unread, *written = size ? size : &unread;
    assembled made = {0};

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
    status = phx_start_point_create(context, model, &build, &start, true, &made.at);
    if (!status)
        status = phx_start_judge(context, model, made.at.system, true);
    if (!status)
        status = view_assembled(context, model, other, &made, &options, html_path, written);
    if (status && status != PHX_ERR_MEMORY && status != PHX_ERR_FILE && status != PHX_INTERRUPTED)
        status = view_failure(context, model, status, &options, html_path, written);
    free_assembled(&made);
    phx_free(loads);
    phx_free((void *)opening.trails);
    return phx_conclude(context, status);
}

phx_status phx_study_view(phx_context *context, const phx_model *model, const phx_report_options *given,
                          const char *html_path, phx_report_size *size)
{
    return phx_study_view_both(context, model, NULL, given, html_path, size);
}

phx_status phx_study_view_both(phx_context *context, const phx_model *model, const phx_model *other,
                               const phx_report_options *given, const char *html_path, phx_report_size *size)
{
    if (!model || !html_path)
        return phx_fail_null(context, __func__, "model or html_path");
    phx_files_begin(context);
    const phx_status status = view(context, model, other, given, html_path, size);
    phx_files_end(context);
    return status;
}

/* Simulates both, then writes the result of the first with the other laid over it. */
phx_status phx_study_motions_page(phx_context *context, const phx_model *model, const phx_model *other,
                                  const phx_report_options *given, const char *html_path)
{
    const phx_simulate_options run = phx_simulate_options_default();
    phx_report_options options = *given;
    phx_report_opening opening = {0};
    phx_report_load *loads = NULL;
    phx_simulate_report reports[2];
    phx_result *results[2] = {NULL, NULL};

    phx_files_begin(context);
    phx_status status = phx_report_check(context, given);
    if (!status)
        status = phx_model_protect(context, model);
    for (int k = 0; k < 2 && !status; k++)
        status = phx_study_simulate_result(context, k ? other : model, &run, &reports[k], &results[k]);
    if (!status)
        status = phx_page_loads(context, model, &loads);
    if (!status)
        status = phx_page_opening(context, model, &opening);
    options.n_loads = model->n_loads;
    options.loads = loads;
    options.opening = opening.trails ? &opening : NULL;
    options.other = results[1];
    if (!status)
        status = phx_report_result(context, results[0], &options, html_path, NULL);
    phx_free(loads);
    phx_free((void *)opening.trails);
    for (int k = 0; k < 2; k++)
        phx_result_destroy(results[k]);
    phx_files_end(context);
    return status;
}
