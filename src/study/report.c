/* The page of a result file, with the certificate of the model that made it. */
#include "certificate_items.h"
#include "page_parts.h"

#include <string.h>

/* The certificate is made in a context of its own; its failure does not fail the report. */
static bool pass_progress(void *user, const char *what, double done, double total)
{
    return phx_progress(user, what, done, total) == PHX_OK;
}

/* FOLDER/TITLE: files named by the model are searched in the folder of the result. */
static char *model_place(phx_context *context, const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    static const char name[] = "model";
    char *place = phx_calloc(context, folder + sizeof name, 1);

    if (place) {
        memcpy(place, path, folder);
        memcpy(place + folder, name, sizeof name);
    }
    return place;
}

/* The model text in a result file, read for the parts of the page that are not recorded. Pointers into it are borrowed.
 */
typedef struct origin {
    phx_context *context; /* separate: its failures do not fail the report */
    phx_model *model;
    phx_check_report report;
    char *message; /* the reason why there is no certificate; NULL: there is one */
    phx_certificate_items list;
    phx_report_load *loads;
    phx_report_opening opening;
    phx_page_points points;
} origin;

static void free_origin(origin *of)
{
    phx_page_points_free(&of->points);
    phx_free(of->loads);
    phx_free((void *)of->opening.trails);
    phx_check_report_free(&of->report);
    phx_model_destroy(of->model);
    phx_context_destroy(of->context);
    phx_free(of->message);
}

static bool ends_the_report(phx_status status)
{
    return status == PHX_INTERRUPTED || status == PHX_ERR_MEMORY;
}

/* Read the model with the parameter values of the result. */
static phx_status read_model(origin *of, const char *place, const char *text, const phx_scene *scene)
{
    const int n = scene ? scene->n_parameters : 0;
    phx_model_override *overrides = phx_calloc(of->context, (size_t)n, sizeof *overrides);
    phx_status status = overrides ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < n && !status; k++)
        overrides[k] = (phx_model_override){.name = scene->parameter_name[k], .value = scene->parameter_value[k]};
    if (!status)
        status = phx_model_read_text(of->context, place, text, strlen(text), n, overrides, &of->model);
    phx_free(overrides);
    return status;
}

/* The certificate, or the reason why there is none. */
static phx_status list_certificate(phx_context *context, origin *of, phx_status status)
{
    if (!status)
        status = phx_study_check(of->context, of->model, &of->report);
    if (ends_the_report(status))
        return status;
    if (status) {
        of->message = phx_strdup(context, phx_context_message(of->context));
        if (!of->message)
            return PHX_ERR_MEMORY;
    }
    phx_certificate_list(of->message ? NULL : &of->report, of->message, &of->list);
    return PHX_OK;
}

/* `table` NULL: of a simulation. */
static phx_status trace(phx_context *context, const char *path, const char *text, const phx_scene *scene,
                        const phx_modes_table *table, origin *of)
{
    char *place = model_place(context, path);
    phx_status status = place ? phx_context_create(&of->context) : PHX_ERR_MEMORY;

    if (!status) {
        phx_context_set_progress(of->context, pass_progress, context);
        status = list_certificate(context, of, read_model(of, place, text ? text : "", scene));
    }
    if (!status && of->model)
        status = phx_model_protect(context, of->model);
    else if (!status && text && *text)
        phx_log(context, PHX_LOG_WARNING,
                "%s: its model cannot be read again, so certificate, loads and trails are left out: %s", path,
                of->message);
    phx_free(place);
    if (!status && of->model)
        status = phx_page_opening(context, of->model, &of->opening);
    if (!status && of->model && scene && scene->n_loads == of->model->n_loads)
        status = phx_page_loads(context, of->model, &of->loads);
    if (!status && of->model && table) {
        const phx_status drawn = phx_page_points_create(of->context, of->model, table, &of->points);
        status = ends_the_report(drawn) ? drawn : PHX_OK;
        if (drawn)
            phx_page_points_free(&of->points);
    }
    return status;
}

static void report_tell(const origin *of, phx_report_options *options)
{
    options->n_certificate = of->list.count;
    options->certificate = of->list.items;
    options->n_loads = of->loads ? of->model->n_loads : 0;
    options->loads = of->loads;
    options->n_points = of->points.n;
    options->points = of->points.points;
    options->opening = of->opening.trails ? &of->opening : NULL;
}

/* Writes the page of a result file, with loads and certificate of the model it was made from as far as it can be built
 * again. */
static phx_status report_result(phx_context *context, const char *path, phx_report_options *options,
                                const char *html_path, phx_report_size *size)
{
    origin of = {0};
    phx_result *result = NULL;
    phx_status status = phx_result_read(context, path, &result);

    if (!status)
        status = trace(context, path, phx_result_model_text(result), phx_result_scene(result), NULL, &of);
    report_tell(&of, options);
    if (!status)
        status = phx_report_result(context, result, options, html_path, size);
    free_origin(&of);
    phx_result_destroy(result);
    return status;
}

/* Writes the page of a file of modes, with drawings and certificate of its model as far as it can be built again. */
static phx_status report_modes(phx_context *context, const char *path, phx_report_options *options,
                               const char *html_path, phx_report_size *size)
{
    origin of = {0};
    phx_modes_table table = {0};
    phx_status status = phx_modes_read(context, path, &table);

    if (!status)
        status = trace(context, path, table.model_text, table.scene, &table, &of);
    report_tell(&of, options);
    if (!status)
        status = phx_report_modes(context, &table, options, html_path, size);
    free_origin(&of);
    phx_modes_free(&table);
    return status;
}

/* Writes the page of a file of modes or a result; linear models have nothing to animate and are refused. */
static phx_status report_report(phx_context *context, const char *path, const phx_report_options *given,
                                const char *html_path, phx_report_size *size)
{
    phx_report_options options = given ? *given : (phx_report_options){0};
    char *format = NULL;
    phx_status status = phx_report_check(context, given);

    if (!status)
        status = phx_file_format(context, path, &format);
    if (status)
        return status;
    if (!strcmp(format, "phlexor modes"))
        status = report_modes(context, path, &options, html_path, size);
    else if (!strcmp(format, "phlexor exchange"))
        status = phx_fail(context, PHX_ERR_INPUT, "%s: a linear model has no motion to show; use phlexor plot", path);
    else
        status = report_result(context, path, &options, html_path, size);
    phx_free(format);
    return phx_conclude(context, status);
}

phx_status phx_study_report(phx_context *context, const char *path, const phx_report_options *given,
                            const char *html_path, phx_report_size *size)
{
    if (!path || !html_path)
        return phx_fail_null(context, __func__, "path or html_path");
    phx_files_begin(context);
    const phx_status status = report_report(context, path, given, html_path, size);
    phx_files_end(context);
    return status;
}
