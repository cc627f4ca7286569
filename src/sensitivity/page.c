/* Pages that show numbers of an analysis with the mechanism that they are about. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "gradient.h"
#include "identify.h"
#include "sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void phx_put_number(FILE *stream, double value)
{
    if (isfinite(value))
        fprintf(stream, "%.17g", value);
    else
        fputs("null", stream);
}

/* The member of the page's data as text, which the caller frees with free. */
static phx_status member_text(phx_context *context, const phx_analysis_page *page, char **text)
{
    size_t size = 0;
    FILE *stream = open_memstream(text, &size);

    if (!stream)
        return phx_fail(context, PHX_ERR_MEMORY, "the data of the page do not fit into memory");
    fprintf(stream, "\"%s\": ", page->member);
    const phx_status status = page->put(context, page->data, stream);
    const bool lost = ferror(stream) != 0;
    return (fclose(stream) != 0 || lost) && !status
               ? phx_fail(context, PHX_ERR_MEMORY, "the data of the page do not fit into memory")
               : status;
}

/* Writes the page of the model at the values of the page, with the model itself shown through it if that has a name. */
phx_status phx_analysis_page_write(phx_context *context, const phx_analysis_page *page, const char *html_path)
{
    const char *path = page->model->path, *slash = strrchr(path, '/');
    const phx_model *other = page->other_name ? page->model : NULL;
    char *text = NULL;
    phx_model *shown = NULL;
    phx_status status = member_text(context, page, &text);
    const phx_report_options options = {
        .source = slash ? slash + 1 : path, .other_name = page->other_name, .members = text};

    if (!status)
        status = phx_model_copy_present(context, page->model, &shown);
    if (!status)
        status = phx_model_set_parameters(context, shown, page->n, page->value);
    if (!status && page->moves)
        status = phx_study_motions_page(context, shown, other, &options, html_path);
    else if (!status)
        status = phx_study_view_both(context, shown, other, &options, html_path, NULL);
    phx_model_destroy(shown);
    free(text);
    return phx_conclude(context, status);
}

/* ---- derivatives ---- */
typedef struct gradient_page {
    const phx_model *model;
    const phx_gradient *gradient;
} gradient_page;

/* The gradient, and the places of each parameter: {"gradient": .., "uses": [{"parameter", "body", "from", "to"}]} */
static phx_status put_gradient(phx_context *context, const void *data, FILE *stream)
{
    const gradient_page *page = data;
    phx_parameter_place *places = NULL;
    int count = 0;
    phx_status status = phx_model_uses(context, page->model, &count, &places);

    fputs("{\"gradient\": ", stream);
    if (!status)
        status = phx_gradient_print(context, page->gradient, PHX_GRADIENT_JSON, stream);
    fputs(", \"uses\": [", stream);
    for (int k = 0; k < count && !status; k++) {
        fprintf(stream, "%s\n  {\"parameter\": ", k ? "," : "");
        phx_put_json(stream, page->model->parameters[places[k].parameter].name);
        fputs(", \"body\": ", stream);
        phx_put_json(stream, page->model->bodies[places[k].body].name);
        fprintf(stream, ", \"from\": %.17g, \"to\": %.17g}", places[k].from, places[k].to);
    }
    fputs("]}", stream);
    phx_free(places);
    return status;
}

phx_status phx_gradient_page(phx_context *context, const phx_model *model, const phx_gradient *gradient,
                             const char *html_path)
{
    if (!model || !gradient || !html_path)
        return phx_fail_null(context, __func__, "model, gradient or html_path");
    const gradient_page data = {model, gradient};
    const phx_analysis_page page = {.model = model, .member = "sensitivity", .put = put_gradient, .data = &data};
    return phx_analysis_page_write(context, &page, html_path);
}

/* ---- identification ---- */
/* The mechanism with the values that were found. */
phx_status phx_identification_page(phx_context *context, const phx_model *model, const phx_identification *found,
                                   const char *html_path)
{
    if (!model || !found || !html_path)
        return phx_fail_null(context, __func__, "model, found or html_path");
    phx_model_override *values = phx_calloc(context, (size_t)found->n_parameters, sizeof *values);
    const phx_analysis_page page = {.model = model,
                                    .n = found->n_parameters,
                                    .value = values,
                                    .member = "identification",
                                    .put = phx_identification_json,
                                    .data = found};

    for (int k = 0; values && k < page.n; k++)
        values[k] = (phx_model_override){.name = found->parameters[k].name, .value = found->parameters[k].value};
    const phx_status status = values ? phx_analysis_page_write(context, &page, html_path) : PHX_ERR_MEMORY;
    phx_free(values);
    return phx_conclude(context, status);
}
