/* Optima as text. */
#include "sensitivity/sensitivity.h"

#include <phlexor/optimize.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const reasons[] = {"the objective changes by less than the tolerance",
                                      "the variables change by less than the tolerance", "all evaluations are used",
                                      "the method finds no better point"};

/* For reading: variables, objective, constraints, why it ended. */
static void optimum_text(const phx_optimum *optimum, FILE *stream)
{
    static const char *const at[] = {", at min", "", ", at max"};

    fprintf(stream, "%-32s %16s %16s\n", "variable", "start", "optimum");
    for (int k = 0; k < optimum->n_rows; k++) {
        const phx_optimum_row *row = &optimum->rows[k];
        const int gap = k == optimum->n_variables || k == optimum->n_variables + 1;
        fprintf(stream, "%s%-32s %16.7g %16.7g  ", gap ? "\n" : "", row->name, row->start, row->best);
        if (isinf(row->min) && isinf(row->max))
            fputs(row->kind, stream);
        if (isfinite(row->min))
            fprintf(stream, "min %.7g%s", row->min, isfinite(row->max) ? ", " : "");
        if (isfinite(row->max))
            fprintf(stream, "max %.7g", row->max);
        fprintf(stream, "%s\n", at[row->at + 1]);
    }
    fprintf(stream, "\n%d evaluations", optimum->evaluations);
    if (optimum->taken > 0)
        fprintf(stream, ", %d from the history", optimum->taken);
    if (optimum->failed > 0)
        fprintf(stream, ", %d failed", optimum->failed);
    fprintf(stream, "; evaluation %d is the best. The end: %s (%g).\n", optimum->best, reasons[optimum->end],
            optimum->tolerance);
    if (!optimum->feasible)
        fprintf(stream, "No point satisfies all constraints; the largest violation is %.3g of a limit.\n",
                optimum->violation);
}

/* A number, or what stands for an infinite one. */
static void put_bound(FILE *stream, double value, const char *none)
{
    if (isfinite(value))
        fprintf(stream, "%.17g", value);
    else
        fputs(none, stream);
}

static void optimum_csv(const phx_optimum *optimum, FILE *stream)
{
    fputs("kind,name,min,max,start,optimum,at\n", stream);
    for (int k = 0; k < optimum->n_rows; k++) {
        const phx_optimum_row *row = &optimum->rows[k];
        fprintf(stream, "%s,\"%s\",", row->kind, row->name);
        put_bound(stream, row->min, "");
        fputc(',', stream);
        put_bound(stream, row->max, "");
        fprintf(stream, ",%.17g,%.17g,%d\n", row->start, row->best, row->at);
    }
}

/* The same as one object, with the values of the rows at each evaluation. */
static void optimum_json(const phx_optimum *optimum, FILE *stream)
{
    const int width = optimum->n_rows;

    fprintf(stream,
            "{\"evaluations\": %d, \"failed\": %d, \"best\": %d, \"feasible\": %s, \"violation\": %.17g,\n"
            " \"end\": \"%s\",\n \"rows\": [",
            optimum->evaluations, optimum->failed, optimum->best, optimum->feasible ? "true" : "false",
            optimum->violation, reasons[optimum->end]);
    for (int k = 0; k < optimum->n_rows; k++) {
        const phx_optimum_row *row = &optimum->rows[k];
        fprintf(stream, "%s\n  {\"kind\": \"%s\", \"name\": ", k ? "," : "", row->kind);
        phx_put_json(stream, row->name);
        fputs(", \"min\": ", stream);
        put_bound(stream, row->min, "null");
        fputs(", \"max\": ", stream);
        put_bound(stream, row->max, "null");
        fprintf(stream, ", \"start\": %.17g, \"optimum\": %.17g, \"at\": %d}", row->start, row->best, row->at);
    }
    fputs("\n ],\n \"history\": [", stream);
    for (int k = 0; k < optimum->evaluations * width; k++) {
        fputs(k % width ? ", " : k ? "],\n  [" : "\n  [", stream);
        phx_put_number(stream, optimum->history[k]);
    }
    fputs("]\n ]}\n", stream);
}

phx_status phx_optimum_print(phx_context *context, const phx_optimum *optimum, phx_optimum_format format, FILE *stream)
{
    if (!optimum || !stream)
        return phx_fail_null(context, __func__, "optimum or stream");
    (format == PHX_OPTIMUM_CSV    ? optimum_csv
     : format == PHX_OPTIMUM_JSON ? optimum_json
                                  : optimum_text)(optimum, stream);
    return phx_conclude(context,
                        ferror(stream) ? phx_fail(context, PHX_ERR_FILE, "the optimum cannot be written") : PHX_OK);
}

/* ---- the page ---- */
static phx_status put_optimum(phx_context *context, const void *data, FILE *stream)
{
    return phx_optimum_print(context, data, PHX_OPTIMUM_JSON, stream);
}

/* The model at the optimum, with the start over it; both move if an objective or a limit is of a simulation. */
phx_status phx_optimum_page(phx_context *context, const phx_model *model, const phx_optimum *optimum,
                            const char *html_path)
{
    if (!model || !optimum || !html_path)
        return phx_fail_null(context, __func__, "model, optimum or html_path");
    phx_model_override *values = phx_calloc(context, (size_t)optimum->n_variables, sizeof *values);
    phx_analysis_page page = {.model = model,
                              .n = optimum->n_variables,
                              .value = values,
                              .other_name = "start",
                              .member = "optimization",
                              .put = put_optimum,
                              .data = optimum};

    for (int k = 0; values && k < optimum->n_rows; k++) {
        const phx_optimum_row *row = &optimum->rows[k];
        page.moves = page.moves || !strncmp(row->name, "simulate.", strlen("simulate."));
        if (k < page.n)
            values[k] = (phx_model_override){.name = row->name, .value = row->best};
    }
    const phx_status status = values ? phx_analysis_page_write(context, &page, html_path) : PHX_ERR_MEMORY;
    phx_free(values);
    return phx_conclude(context, status);
}
