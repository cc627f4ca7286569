/* Columns over time, from an HDF5 result or a csv file. */
#include "file/file.h"
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The entries of the ledger as columns. */
static phx_status name_ledger(phx_plot_source *source)
{
    const int count = phx_result_ledger(source->result);
    source->ledger = phx_calloc(source->context, (size_t)count, sizeof *source->ledger);
    if (!source->ledger)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < count; k++) {
        const phx_record_entry *entry = phx_result_ledger_entry(source->result, k);
        const char *side = entry->dissipates ? "dissipated." : "supplied.";
        const size_t size = strlen(side) + strlen(entry->name) + 1;
        char *name = phx_calloc(source->context, size, 1);
        if (!name)
            return PHX_ERR_MEMORY;
        snprintf(name, size, "%s%s", side, entry->name);
        source->ledger[k] = name;
        source->n_names++;
    }
    return PHX_OK;
}

/* The list of a study over its parameter, or, if it has several, over the number of the point. */
static void take_list(phx_csv *csv)
{
    static const char *const others[] = {"complete", "t"};

    if (phx_csv_find(csv, "complete") == 2)
        phx_csv_drop(csv, 0);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (phx_csv_find(csv, others[k]) > 0)
            phx_csv_drop(csv, phx_csv_find(csv, others[k]));
}

/* Opens an HDF5 result, or a csv file of a simulation or a study; other tables fail. */
static phx_status open_file(phx_context *context, const char *path, phx_plot_source *source)
{
    if (phx_h5_is_hdf5(path)) {
        const phx_status status = phx_result_read(context, path, &source->result);
        if (status)
            return status;
        source->n_columns = source->n_names = phx_result_columns(source->result);
        source->rows = phx_result_rows(source->result);
        return name_ledger(source);
    }
    const phx_status status = phx_csv_read(context, path, NULL, &source->csv);
    if (status)
        return status;
    const bool list = !strcmp(source->csv.names[0], "point") && phx_csv_find(&source->csv, "complete") > 0;
    if (list)
        take_list(&source->csv);
    source->n_columns = source->n_names = source->csv.n_columns;
    source->rows = source->csv.n_rows;
    if (list || strcmp(source->csv.names[0], "t") == 0)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_FILE,
                    "%s: its first column is '%s', not 't'; give a result of a simulation or the list of a study", path,
                    source->csv.names[0]);
}

/* Narrows a source to the rows from `from` to `to`; time is its first column. */
phx_status phx_plot_source_limit(phx_plot_source *source, const char *path, const phx_plot_options *options)
{
    const double from = options->from, to = options->to;
    const size_t rows = source->rows;
    if (!(from > -HUGE_VAL || to < HUGE_VAL))
        return PHX_OK;
    size_t first = rows, end = 0;
    double *t = phx_calloc(source->context, rows, sizeof *t);
    phx_status status = t ? phx_plot_source_read(source, 0, 0, rows, t) : PHX_ERR_MEMORY;
    for (size_t i = 0; i < rows && !status; i++)
        if (t[i] >= from && t[i] <= to) {
            first = i < first ? i : first;
            end = i + 1;
        }
    if (!status && first >= end)
        status = phx_fail(source->context, PHX_ERR_INPUT,
                          "%s: it has no rows from t = %g s to %g s; its rows go from %g s to %g s", path, from, to,
                          rows ? t[0] : NAN, rows ? t[rows - 1] : NAN);
    source->first = first;
    source->rows = first < end ? end - first : 0;
    phx_free(t);
    return status;
}

/* A result, which is warned of when it is unfinished, or a table of csv. */
phx_status phx_plot_source_open(phx_context *context, const char *path, const phx_plot_options *options,
                                phx_plot_source *source)
{
    *source = (phx_plot_source){.context = context};
    phx_status status = open_file(context, path, source);
    if (!status)
        status = phx_plot_source_limit(source, path, options);
    if (status)
        phx_plot_source_close(source);
    else if (source->result && !phx_result_is_complete(source->result)) { /* a print has no title to say so */
        const char *reason = phx_result_text(source->result, "reason");
        phx_log(context, PHX_LOG_WARNING, "%s is unfinished%s%s", path, reason ? ": " : "", reason ? reason : "");
    }
    return status;
}

void phx_plot_source_close(phx_plot_source *source)
{
    for (int k = 0; k < source->n_names - source->n_columns; k++)
        phx_free(source->ledger[k]);
    phx_free(source->ledger);
    phx_result_destroy(source->result);
    phx_csv_free(&source->csv);
    *source = (phx_plot_source){0};
}

const char *phx_plot_source_name(const phx_plot_source *source, int column)
{
    if (column >= source->n_columns)
        return source->ledger[column - source->n_columns];
    return source->result ? phx_result_column_name(source->result, column) : source->csv.names[column];
}

/* The columns that every simulation has keep their units in csv, too. */
static const char *known_unit(const char *name)
{
    static const char *const units[][2] = {
        {"t", "s"},        {"kinetic", "J"},    {"elastic", "J"},  {"potential", "J"}, {"energy", "J"},
        {"supplied", "J"}, {"dissipated", "J"}, {"residual", "J"}, {"drift", "m"},     {"drift_rate", "m/s"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i][0], name) == 0)
            return units[i][1];
    return "";
}

const char *phx_plot_source_unit(const phx_plot_source *source, int column)
{
    if (column >= source->n_columns)
        return "J";
    if (source->result)
        return phx_result_column_unit(source->result, column);
    const char *const *units = (const char *const *)source->csv.units; /* NULL: those of a measurement */
    return units && units[column][0] ? units[column] : known_unit(source->csv.names[column]);
}

int phx_plot_source_find(const phx_plot_source *source, const char *name)
{
    const int column = source->result ? phx_result_column_find(source->result, name) : phx_csv_find(&source->csv, name);
    for (int k = source->n_columns; k < source->n_names && column < 0; k++)
        if (strcmp(source->ledger[k - source->n_columns], name) == 0)
            return k;
    return column;
}

phx_status phx_plot_source_read(const phx_plot_source *source, int column, size_t first, size_t count, double *values)
{
    const size_t start = source->first + first;
    if (column >= source->n_columns)
        return phx_result_ledger_values(source->result, column - source->n_columns, start, count, values);
    if (source->result)
        return phx_result_column(source->result, column, start, count, values);
    for (size_t i = 0; i < count; i++)
        values[i] = source->csv.values[(start + i) * (size_t)source->n_columns + (size_t)column];
    return PHX_OK;
}

/* Title and subtitle of a picture: model or file name, integrator, number of rows, and the reason of an early end. */
void phx_plot_source_titles(const phx_plot_source *source, const char *path, char *title, char *subtitle, size_t size)
{
    const phx_result *result = source->result;
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    const char *name = result ? phx_result_text(result, "model_name") : NULL;
    snprintf(title, size, "%s", name && name[0] ? name : file);
    if (!result) {
        snprintf(subtitle, size, "%s, %zu rows", file, source->rows);
        return;
    }
    const char *integrator = phx_result_text(result, "integrator"), *reason = phx_result_text(result, "reason");
    const bool complete = phx_result_is_complete(result);
    snprintf(subtitle, size, "%s%s%zu rows%s%s", integrator ? integrator : "", integrator && integrator[0] ? ", " : "",
             source->rows, complete ? "" : ", unfinished: ", complete || !reason ? "" : reason);
}
