/* Gradients as text. */
#include "file/file.h"
#include "gradient.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A paragraph for each objective, a line for each parameter. */
static void put_text(const phx_gradient *g, FILE *stream)
{
    enum { BAR = 24 };

    for (int k = 0; k < g->n_objectives; k++) {
        const double *slope = g->gradient + (size_t)k * (size_t)g->n_parameters;
        double largest = 0.0;
        for (int p = 0; p < g->n_parameters; p++)
            largest = fmax(largest, fabs(slope[p] * g->parameter[p]));
        fprintf(stream, "%s%s = %.12g\n  %-20s %18s %22s %14s\n", k ? "\n" : "", g->objectives[k], g->value[k],
                "parameter", "value", "derivative", "per 100 %");
        for (int p = 0; p < g->n_parameters; p++) {
            const double share = slope[p] * g->parameter[p];
            const int length = largest > 0.0 ? (int)lround(BAR * fabs(share) / largest) : 0;
            char bar[BAR + 1];
            memset(bar, share < 0.0 ? '-' : '+', (size_t)length);
            bar[length] = '\0';
            fprintf(stream, "  %-20s %18.10g %22.14g %14.6g%s%s\n", g->parameters[p], g->parameter[p], slope[p], share,
                    length > 0 ? "  " : "", bar);
        }
    }
}

static void put_csv(const phx_gradient *g, FILE *stream)
{
    fputs("objective,value,parameter,parameter_value,derivative,error\n", stream);
    for (int k = 0; k < g->n_objectives; k++)
        for (int p = 0; p < g->n_parameters; p++) {
            const size_t at = (size_t)k * (size_t)g->n_parameters + (size_t)p;
            fprintf(stream, "\"%s\",%.17g,%s,%.17g,%.17g,%.3g\n", g->objectives[k], g->value[k], g->parameters[p],
                    g->parameter[p], g->gradient[at], g->error[at]);
        }
}

/* {"objectives": [{"objective", "value", "gradient": {NAME: number}}], "parameters": {NAME: value}} */
static void put_json(const phx_gradient *g, FILE *stream)
{
    fputs("{\"objectives\": [", stream);
    for (int k = 0; k < g->n_objectives; k++) {
        fprintf(stream, "%s\n  {\"objective\": ", k ? "," : "");
        phx_put_json(stream, g->objectives[k]);
        fprintf(stream, ", \"value\": %.17g, \"gradient\": {", g->value[k]);
        for (int p = 0; p < g->n_parameters; p++)
            fprintf(stream, "%s\"%s\": %.17g", p ? ", " : "", g->parameters[p],
                    g->gradient[(size_t)k * (size_t)g->n_parameters + (size_t)p]);
        fputs("}}", stream);
    }
    fputs("\n], \"parameters\": {", stream);
    for (int p = 0; p < g->n_parameters; p++)
        fprintf(stream, "%s\"%s\": %.17g", p ? ", " : "", g->parameters[p], g->parameter[p]);
    fputs("}}\n", stream);
}

phx_status phx_gradient_print(phx_context *context, const phx_gradient *gradient, phx_gradient_format format,
                              FILE *stream)
{
    if (!gradient || !stream)
        return phx_fail_null(context, __func__, "gradient or stream");
    if (format == PHX_GRADIENT_CSV)
        put_csv(gradient, stream);
    else if (format == PHX_GRADIENT_JSON)
        put_json(gradient, stream);
    else
        put_text(gradient, stream);
    return phx_conclude(context,
                        ferror(stream) ? phx_fail(context, PHX_ERR_FILE, "the gradient cannot be written") : PHX_OK);
}

typedef struct gradient_file {
    const phx_gradient *gradient;
    phx_gradient_format format;
} gradient_file;

static phx_status write_gradient(phx_context *context, const void *data, FILE *stream)
{
    const gradient_file *file = data;
    return phx_gradient_print(context, file->gradient, file->format, stream);
}

phx_status phx_gradient_save(phx_context *context, const phx_gradient *gradient, phx_gradient_format format,
                             const char *path)
{
    if (!gradient || !path)
        return phx_fail_null(context, __func__, "gradient or path");
    const gradient_file file = {gradient, format};
    phx_files_begin(context);
    const phx_status status = phx_file_replace_stream(context, path, write_gradient, &file);
    phx_files_end(context);
    return phx_conclude(context, status);
}
