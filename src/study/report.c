/* The page of a result file, with the certificate of the model that made it. */
#include "certificate_items.h"

#include <string.h>

/* The certificate is made in a context of its own, whose failure is no failure of the report. */
static bool pass_progress(void *user, const char *what, double done, double total)
{
    return phx_progress(user, what, done, total) == PHX_OK;
}

/* FOLDER/TITLE: the folder of the result is where files that the model names are looked for. */
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

/* `model` is there for the names in the report. */
static phx_status certify(phx_context *context, const char *place, const char *text, const phx_scene *scene,
                          phx_model **model, phx_check_report *report)
{
    const int n = scene ? scene->n_parameters : 0;
    phx_model_override *overrides = phx_calloc(context, (size_t)n, sizeof *overrides);
    phx_status status = overrides ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < n && !status; k++)
        overrides[k] = (phx_model_override){.name = scene->parameter_name[k], .value = scene->parameter_value[k]};
    if (!status)
        status = phx_model_read_text(context, place, text, strlen(text), n, overrides, model);
    if (!status)
        status = phx_study_check(context, *model, report);
    phx_free(overrides);
    return status;
}

/* The list of the certificate, or of why there is none. `message` is what it may point into. */
static phx_status list_certificate(phx_context *context, const char *path, const char *text, const phx_scene *scene,
                                   char **message, phx_certificate_items *list)
{
    phx_context *own = NULL;
    phx_model *model = NULL;
    phx_check_report report = {0};
    char *place = model_place(context, path);
    phx_status status = place ? phx_context_create(&own) : PHX_ERR_MEMORY;

    *message = NULL;
    if (!status) {
        phx_context_set_progress(own, pass_progress, context);
        status = certify(own, place, text ? text : "", scene, &model, &report);
        if (status && status != PHX_INTERRUPTED && status != PHX_ERR_MEMORY) {
            *message = phx_strdup(context, phx_context_message(own));
            status = *message ? PHX_OK : PHX_ERR_MEMORY;
        }
        if (!status)
            phx_certificate_list(*message ? NULL : &report, *message, list);
    }
    phx_check_report_free(&report);
    phx_model_destroy(model);
    phx_context_destroy(own);
    phx_free(place);
    return status;
}

static phx_status report_result(phx_context *context, const char *path, phx_report_options *options,
                                const char *html_path, phx_report_size *size)
{
    phx_certificate_items list = {0};
    phx_result *result = NULL;
    char *message = NULL;
    phx_status status = phx_result_read(context, path, &result);

    if (!status)
        status =
            list_certificate(context, path, phx_result_model_text(result), phx_result_scene(result), &message, &list);
    options->n_certificate = list.count;
    options->certificate = list.items;
    if (!status)
        status = phx_report_result(context, result, options, html_path, size);
    phx_free(message);
    phx_result_destroy(result);
    return status;
}

static phx_status report_modes(phx_context *context, const char *path, phx_report_options *options,
                               const char *html_path, phx_report_size *size)
{
    phx_certificate_items list = {0};
    phx_modes_table table = {0};
    char *message = NULL;
    phx_status status = phx_modes_read(context, path, &table);

    if (!status)
        status = list_certificate(context, path, table.model_text, table.scene, &message, &list);
    options->n_certificate = list.count;
    options->certificate = list.items;
    if (!status)
        status = phx_report_modes(context, &table, options, html_path, size);
    phx_free(message);
    phx_modes_free(&table);
    return status;
}

phx_status phx_study_report(phx_context *context, const char *path, const phx_report_options *given,
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
        status = phx_fail(context, PHX_ERR_INPUT,
                          "%s: a linear model has nothing to show in motion; phlexor plot draws it", path);
    else
        status = report_result(context, path, &options, html_path, size);
    phx_free(format);
    return status;
}
