/* An equilibrium as text and as json. */
#include "internal.h"

#include "file/file.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char *const methods[] = {"newton", "descent", "load steps"};

/* The last row of the result: its columns from `first` on, and their number. */
static phx_status last_row(phx_context *context, const phx_result *result, double **row, int *n)
{
    const size_t rows = phx_result_rows(result);
    phx_status status = PHX_OK;

    *n = phx_result_columns(result);
    *row = phx_calloc(context, (size_t)*n, sizeof **row);
    if (!*row)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < *n && !status; k++)
        status = phx_result_column(result, k, rows - 1, 1, *row + k);
    return status;
}

/* Columns of outputs begin behind this one. */
static int first_output(const phx_result *result)
{
    return phx_result_column_find(result, "static.unstable") + 1;
}

static phx_status flushed(phx_context *context, FILE *stream)
{
    errno = 0;
    return fflush(stream) == 0 && !ferror(stream) ? PHX_OK : phx_file_fail(context, "the output", "write", errno);
}

/* ---- text ---- */
static void put_rotation(const phx_study_static_report *report, FILE *out)
{
    fprintf(out, "  rotation     steady, %.9g rad/s\n", report->spin);
    fprintf(out, "  energy       elastic %.9g J, potential %.9g J\n", report->elastic, report->potential);
    fprintf(out, "  joints       drift at most %.2g m\n", report->found.gap);
}

/* "flutters (2 motions)" */
static void put_growing(const char *verb, int count, FILE *out)
{
    fprintf(out, "%s (%d motion%s)", verb, count, count == 1 ? "" : "s");
}

/* Stability where the stiffness does not tell it. */
static void put_motions(const phx_static_report *found, FILE *out)
{
    const phx_stability *motions = &found->motions;

    if (found->unstable == 0) {
        fprintf(out, "stable by its %d motions%s", motions->judged,
                found->free_motions > 0 ? " but for what is free" : "");
        return;
    }
    fputs("unstable: ", out);
    if (motions->divergent > 0)
        put_growing("diverges", motions->divergent, out);
    if (motions->divergent > 0 && motions->fluttering > 0)
        fputs(" and ", out);
    if (motions->fluttering > 0)
        put_growing("flutters", motions->fluttering, out);
    fprintf(out, ", the fastest as exp(%.4g t)", motions->growth);
    if (motions->frequency > 0.0)
        fprintf(out, " at %.4g rad/s", motions->frequency);
}

static void put_stiffness(const phx_static_report *found, FILE *out)
{
    fputs(found->unstable == 0 ? "stable" : "unstable", out);
    if (found->unstable > 0)
        fprintf(out, " in %d direction%s", found->unstable, found->unstable == 1 ? "" : "s");
    else if (found->free_motions > 0)
        fputs(" but for what is free", out);
    if (found->circulatory)
        fputs(" by its stiffness, which is not conclusive (a load has no potential, or a sampled controller has no "
              "linear model)",
              out);
}

/* Writes equilibrium, stability, residual forces, free motions, energies and critical load factors as text. */
static void put_found(const phx_study_static_report *report, bool path, FILE *out)
{
    const phx_static_report *found = &report->found;

    if (path)
        fprintf(out, "  path         %zu points, load factor up to %.6g, at the end %.6g\n", report->rows,
                report->largest_load, report->load);
    fputs("  equilibrium  ", out);
    if (found->judged)
        put_motions(found, out);
    else
        put_stiffness(found, out);
    fprintf(out, "; %s, %d corrections", path ? "arc length" : methods[found->method], found->iterations);
    if (!path)
        fprintf(out, ", %.3g from the start (rad, parts of the size)", found->moved);
    if (found->weight > 0.0)
        fprintf(out, "\n  forces       %.6g N pull; out of balance by %.2g N, %.2g of it\n", found->weight,
                found->unbalanced, found->unbalanced / found->weight);
    else
        fputs("\n  forces       nothing pulls\n", out);
    if (found->free_motions > 0)
        fprintf(out, "  free         %s, %d motion%s\n", found->free_names, found->free_motions,
                found->free_motions == 1 ? "" : "s");
    fprintf(out, "  energy       elastic %.9g J, potential %.9g J\n", report->elastic, report->potential);
    fprintf(out, "  joints       drift at most %.2g m\n", found->gap);
    if (report->n_critical > 0) {
        fprintf(out, "  critical     loads times");
        for (int k = 0; k < report->n_critical; k++)
            fprintf(out, "%s %.9g%s", k ? "," : "", report->critical[k].factor,
                    report->critical[k].limit ? " (limit point)" : "");
        fputs("\n", out);
    }
}

/* Writes the summary of a static analysis as text, with all outputs at its last point. */
phx_status phx_static_report_text(phx_context *context, const phx_model *model, const phx_study_static_report *report,
                                  const phx_result *result, bool path, FILE *stream)
{
    if (!model || !report || !result || !stream)
        return phx_fail_null(context, __func__, "model, report, result or stream");
    double *row = NULL;
    int n = 0;
    const phx_status status = last_row(context, result, &row, &n);

    fprintf(stream, "%s\n  model        %d bodies, %d velocities, %d constraints", model->title, report->bodies,
            report->velocities, report->constraints);
    if (report->redundant > 0)
        fprintf(stream, ", %d redundant constraints left out", report->redundant);
    fputs("\n", stream);
    if (report->spin > 0.0)
        put_rotation(report, stream);
    else
        put_found(report, path, stream);
    for (int k = first_output(result); k < n && !status; k++)
        fprintf(stream, "  %-24s %18.10g %s\n", phx_result_column_name(result, k), row[k],
                phx_result_column_unit(result, k));
    phx_free(row);
    return phx_conclude(context, status ? status : flushed(context, stream));
}

/* ---- json ---- */
static void static_text_put_number(FILE *out, const char *name, double value, bool last)
{
    if (isfinite(value))
        fprintf(out, "  \"%s\": %.17g%s\n", name, value, last ? "" : ",");
    else
        fprintf(out, "  \"%s\": null%s\n", name, last ? "" : ",");
}

/* Writes the report of a static analysis and the outputs at its last point as one JSON object. */
static void put_json(const phx_model *model, const phx_study_static_report *report, const phx_result *result,
                     const double *row, int n, FILE *out)
{
    const phx_static_report *found = &report->found;

    fputs("{\n  \"title\": ", out);
    phx_put_json(out, model->title);
    fprintf(out, ",\n  \"method\": \"%s\",\n", methods[found->method]);
    static_text_put_number(out, "load", report->load, false);
    static_text_put_number(out, "largest_load", report->largest_load, false);
    fprintf(out,
            "  \"points\": %zu,\n  \"iterations\": %d,\n  \"unstable\": %d,\n  \"circulatory\": %s,\n  "
            "\"free_motions\": %d,\n",
            report->rows, found->iterations, found->unstable, found->circulatory ? "true" : "false",
            found->free_motions);
    fprintf(out, "  \"judged\": %d,\n  \"divergent\": %d,\n  \"fluttering\": %d,\n", found->motions.judged,
            found->motions.divergent, found->motions.fluttering);
    static_text_put_number(out, "growth", found->motions.growth, false);
    static_text_put_number(out, "growth_frequency", found->motions.frequency, false);
    fputs("  \"free\": ", out);
    phx_put_json(out, found->free_names);
    fputs(",\n", out);
    static_text_put_number(out, "weight", found->weight, false);
    static_text_put_number(out, "unbalanced", found->unbalanced, false);
    static_text_put_number(out, "gap", found->gap, false);
    static_text_put_number(out, "moved", found->moved, false);
    static_text_put_number(out, "elastic", report->elastic, false);
    static_text_put_number(out, "potential", report->potential, false);
    static_text_put_number(out, "spin", report->spin, false);
    fputs("  \"critical\": [", out);
    for (int k = 0; k < report->n_critical; k++)
        fprintf(out, "%s%.17g", k ? ", " : "", report->critical[k].factor);
    fputs("],\n  \"limit_points\": [", out);
    for (int k = 0; k < report->n_critical; k++)
        fprintf(out, "%s%s", k ? ", " : "", report->critical[k].limit ? "true" : "false");
    fputs("],\n  \"linearised\": [", out);
    for (int k = 0; k < report->n_linear; k++)
        fprintf(out, "%s%.17g", k ? ", " : "", report->linear[k]);
    fputs("],\n  \"outputs\": {", out);
    for (int k = first_output(result), first = k; k < n; k++) {
        fputs(k > first ? ",\n    " : "\n    ", out);
        phx_put_json(out, phx_result_column_name(result, k));
        fprintf(out, ": %.17g", row[k]);
    }
    fputs("\n  }\n}\n", out);
}

phx_status phx_static_report_json(phx_context *context, const phx_model *model, const phx_study_static_report *report,
                                  const phx_result *result, FILE *stream)
{
    if (!model || !report || !result || !stream)
        return phx_fail_null(context, __func__, "model, report, result or stream");
    double *row = NULL;
    int n = 0;
    const phx_status status = last_row(context, result, &row, &n);

    if (!status)
        put_json(model, report, result, row, n, stream);
    phx_free(row);
    return phx_conclude(context, status ? status : flushed(context, stream));
}

typedef struct saved {
    const phx_model *model;
    const phx_study_static_report *report;
    const phx_result *result;
} saved;

static phx_status write_json(phx_context *context, const void *data, FILE *stream)
{
    const saved *state = data;

    return phx_static_report_json(context, state->model, state->report, state->result, stream);
}

phx_status phx_static_report_save(phx_context *context, const phx_model *model, const phx_study_static_report *report,
                                  const phx_result *result, const char *path)
{
    if (!model || !report || !result || !path)
        return phx_fail_null(context, __func__, "model, report, result or path");
    const saved state = {model, report, result};

    phx_files_begin(context);
    phx_status status = phx_model_protect(context, model);
    if (!status)
        status = phx_file_replace_stream(context, path, write_json, &state);
    phx_files_end(context);
    return phx_conclude(context, status);
}
