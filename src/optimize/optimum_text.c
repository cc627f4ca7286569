/* Optima as text. */
#include "base/base.h"

#include <phlexor/optimize.h>

#include <stdio.h>

static const char *const reasons[] = {"the objective changes by less than the tolerance",
                                      "the variables change by less than the tolerance", "all evaluations are used",
                                      "the method finds no better point"};

static void optimum_text(const phx_optimum *optimum, FILE *stream)
{
    static const char *const at[] = {", at the smallest", "", ", at the largest"};

    fprintf(stream, "%-32s %18s %18s\n", "variable", "start", "optimum");
    for (int k = 0; k < optimum->n_variables; k++) {
        const phx_optimum_variable *v = &optimum->variables[k];
        fprintf(stream, "%-32s %18.10g %18.10g  from %.10g to %.10g%s\n", v->name, v->start, v->best, v->min, v->max,
                at[v->at + 1]);
    }
    for (int k = 0; k < optimum->n_functions; k++) {
        const phx_optimum_function *f = &optimum->functions[k];
        fprintf(stream, "%s%-32s %18.10g %18.10g  %s", k < 2 ? "\n" : "", f->text, f->start, f->best, f->word);
        if (k > 0)
            fprintf(stream, " %.10g%s", f->limit, f->active ? ", active" : "");
        fputc('\n', stream);
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

static void optimum_csv(const phx_optimum *optimum, FILE *stream)
{
    fputs("kind,name,min,max,limit,start,optimum,active\n", stream);
    for (int k = 0; k < optimum->n_variables; k++) {
        const phx_optimum_variable *v = &optimum->variables[k];
        fprintf(stream, "variable,%s,%.17g,%.17g,,%.17g,%.17g,%d\n", v->name, v->min, v->max, v->start, v->best,
                v->at != 0);
    }
    for (int k = 0; k < optimum->n_functions; k++) {
        const phx_optimum_function *f = &optimum->functions[k];
        fprintf(stream, k > 0 ? "%s,\"%s\",,,%.17g" : "%s,\"%s\",,,", f->word, f->text, f->limit);
        fprintf(stream, ",%.17g,%.17g,%d\n", f->start, f->best, f->active);
    }
}

static void optimum_json(const phx_optimum *optimum, FILE *stream)
{
    fprintf(stream,
            "{\"evaluations\": %d, \"failed\": %d, \"best\": %d, \"feasible\": %s, \"violation\": %.17g,\n"
            " \"end\": \"%s\",\n \"variables\": {",
            optimum->evaluations, optimum->failed, optimum->best, optimum->feasible ? "true" : "false",
            optimum->violation, reasons[optimum->end]);
    for (int k = 0; k < optimum->n_variables; k++) {
        const phx_optimum_variable *v = &optimum->variables[k];
        fprintf(stream, "%s\n  \"%s\": {\"min\": %.17g, \"max\": %.17g, \"start\": %.17g, \"optimum\": %.17g}",
                k ? "," : "", v->name, v->min, v->max, v->start, v->best);
    }
    fputs("\n },\n \"functions\": [", stream);
    for (int k = 0; k < optimum->n_functions; k++) {
        const phx_optimum_function *f = &optimum->functions[k];
        fprintf(stream, "%s\n  {\"of\": \"%s\", \"kind\": \"%s\", ", k ? "," : "", f->text, f->word);
        if (k > 0)
            fprintf(stream, "\"limit\": %.17g, \"active\": %s, ", f->limit, f->active ? "true" : "false");
        fprintf(stream, "\"start\": %.17g, \"optimum\": %.17g}", f->start, f->best);
    }
    fputs("\n ]}\n", stream);
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
