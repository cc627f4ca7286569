/* Identified parameters as text, and residuals as a table. */
#include "file/file.h"
#include "identify.h"
#include "sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const ends[] = {[PHX_IDENTIFY_GRADIENT] = "residuals orthogonal to their derivatives",
                                   [PHX_IDENTIFY_STEP] = "parameters do not change any more",
                                   [PHX_IDENTIFY_CHANGE] = "sum of squares does not decrease any more",
                                   [PHX_IDENTIFY_REFUSED] = "not converged, the model refuses larger steps",
                                   [PHX_IDENTIFY_ITERATIONS] = "not converged"};
static const char *const states[] = {[PHX_IDENTIFIED] = "",
                                     [PHX_IDENTIFIED_AT_MIN] = "at min",
                                     [PHX_IDENTIFIED_AT_MAX] = "at max",
                                     [PHX_UNIDENTIFIED] = "not determined"};

static void put_parameters(const phx_identification *found, FILE *stream)
{
    fprintf(stream, "%-16s %14s %16s %12s %16s %16s\n", "parameter", "start", "value", "deviation", "95 % from", "to");
    for (int p = 0; p < found->n_parameters; p++) {
        const phx_identified_parameter *parameter = &found->parameters[p];
        fprintf(stream, "%-16s %14.8g %16.10g", parameter->name, parameter->start, parameter->value);
        if (isnan(parameter->deviation))
            fprintf(stream, "  %s\n", parameter->state == PHX_IDENTIFIED ? "no interval" : states[parameter->state]);
        else
            fprintf(stream, " %12.4g %16.8g %16.8g\n", parameter->deviation, parameter->low, parameter->high);
    }
    for (int k = 0; k < found->n_undetermined; k++)
        fprintf(stream, "%s%s: not determined by these data\n", k ? "" : "\n", found->undetermined[k]);
}

/* The correlations of the parameters that have a deviation. */
static void put_correlation(const phx_identification *found, FILE *stream)
{
    const int m = found->n_parameters;

    fprintf(stream, "\n%-16s", "correlation");
    for (int p = 0; p < m; p++)
        fprintf(stream, " %10.10s", found->parameters[p].name);
    for (int p = 0; p < m * m; p++) {
        if (p % m == 0)
            fprintf(stream, "\n%-16s", found->parameters[p / m].name);
        if (isnan(found->correlation[p]))
            fprintf(stream, " %10s", "-");
        else
            fprintf(stream, " %10.4f", found->correlation[p]);
    }
    fputc('\n', stream);
}

static void put_series(const phx_identification *found, FILE *stream)
{
    fprintf(stream, "\n%-32s %7s %12s %12s %12s %12s\n", "measurements", "number", "deviation", "mean", "rms",
            "neighbours");
    for (int k = 0; k < found->n_series; k++) {
        const phx_identified_series *series = &found->series[k];
        fprintf(stream, "%-32s %7d %11.4g%c %12.4g %12.4g %12.2f\n", series->name, series->count, series->deviation,
                series->estimated ? '*' : ' ', series->mean, series->rms, series->correlation);
        if (series->validated)
            fprintf(stream, "%-32s %7d %12s %12.4g %12.4g\n", "  validated", series->validated, "",
                    series->validated_mean, series->validated_rms);
    }
    fprintf(stream, "* estimated from the residuals\n");
}

/* The parameters, the series and the end of the iteration. */
phx_status phx_identification_print(phx_context *context, const phx_identification *found, FILE *stream)
{
    if (!found || !stream)
        return phx_fail_null(context, __func__, "found or stream");
    put_parameters(found, stream);
    put_correlation(found, stream);
    put_series(found, stream);
    fprintf(stream, "\nsum of squares %.10g, %d degrees of freedom, variance %.6g\n%d iterations: %s\n", found->cost,
            found->freedom, found->variance, found->iterations, ends[found->end]);
    for (int p = 0; p < found->n_parameters; p++) {
        const phx_identified_parameter *of = &found->parameters[p];
        const char *quote = strchr(of->name, '[') ? "'" : ""; /* from the shell */
        fprintf(stream, "%s--set %s%s=%.10g%s", p ? " " : "", quote, of->name, of->value, quote);
    }
    fputc('\n', stream);
    return phx_conclude(context,
                        ferror(stream) ? phx_fail(context, PHX_ERR_FILE, "the parameters cannot be written") : PHX_OK);
}

/* n numbers after a comma: "names": value, .. or, without names, [value, ..]. */
static void identify_values(FILE *stream, int n, const char *const *names, const double *values)
{
    for (int k = 0; k < n; k++) {
        fputs(names || k > 0 ? ", " : "[", stream);
        if (names)
            fprintf(stream, "\"%s\": ", names[k]);
        phx_put_number(stream, values[k]);
    }
    fputs(names ? "" : "]", stream);
}

/* Begins entry k of a list of objects. */
static void begin_named(FILE *stream, int k, const char *name)
{
    fputs(k ? ",\n {\"name\": " : "\n {\"name\": ", stream);
    phx_put_json(stream, name);
}

/* {"parameters": [{..}], "series": [{..}], "rows": [[series, at, measured, model, band]], "correlation": [..], ..} */
phx_status phx_identification_json(phx_context *context, const void *data, FILE *stream)
{
    static const char *const of_parameter[] = {"start", "value", "deviation", "low", "high"};
    static const char *const of_series[] = {"count", "deviation", "mean", "rms", "correlation"};
    static const char *const of_all[] = {"cost", "freedom", "variance", "iterations"};
    const phx_identification *found = data;

    (void)context;
    fprintf(stream, "{\"end\": \"%s\", \"parameters\": [", ends[found->end]);
    for (int k = 0; k < found->n_parameters; k++) {
        const phx_identified_parameter *of = &found->parameters[k];
        begin_named(stream, k, of->name);
        identify_values(stream, 5, of_parameter, (double[]){of->start, of->value, of->deviation, of->low, of->high});
        fprintf(stream, ", \"state\": \"%s\"}", states[of->state]);
    }
    fputs("], \"series\": [", stream);
    for (int k = 0; k < found->n_series; k++) {
        const phx_identified_series *of = &found->series[k];
        begin_named(stream, k, of->name);
        identify_values(stream, 5, of_series, (double[]){of->count, of->deviation, of->mean, of->rms, of->correlation});
        fprintf(stream, ", \"estimated\": %s}", of->estimated ? "true" : "false");
    }
    fputs("], \"rows\": [", stream);
    for (int k = 0; k < found->n_rows; k++) {
        const phx_identified_row *of = &found->rows[k];
        fputs(k ? ",\n " : "\n ", stream);
        identify_values(stream, 5, NULL, (double[]){of->series, of->at, of->measured, of->model, of->band});
    }
    fputs("], \"undetermined\": [", stream);
    for (int k = 0; k < found->n_undetermined; k++) {
        fputs(k ? ", " : "", stream);
        phx_put_json(stream, found->undetermined[k]);
    }
    fputs("], \"correlation\": ", stream);
    identify_values(stream, found->n_parameters * found->n_parameters, NULL, found->correlation);
    identify_values(stream, 4, of_all, (double[]){found->cost, found->freedom, found->variance, found->iterations});
    fputs("}\n", stream);
    return PHX_OK;
}

static phx_status write_rows(phx_context *context, const void *data, FILE *stream)
{
    const phx_identification *found = data;

    (void)context;
    fputs("t,series,measured,model,residual,band\n", stream);
    for (int k = 0; k < found->n_rows; k++) {
        const phx_identified_row *row = &found->rows[k];
        fprintf(stream, "%.17g,%d,%.17g,%.17g,%.17g,%.17g\n", row->at, row->series + 1, row->measured, row->model,
                row->model - row->measured, isnan(row->band) ? 0.0 : row->band);
    }
    return PHX_OK;
}

phx_status phx_identification_save(phx_context *context, const phx_identification *found, const char *path)
{
    if (!found || !path)
        return phx_fail_null(context, __func__, "found or path");
    phx_files_begin(context);
    const phx_status status = phx_file_replace_stream(context, path, write_rows, found);
    phx_files_end(context);
    return phx_conclude(context, status);
}
