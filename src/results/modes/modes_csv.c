/* Tables of modes read back from csv. */
#include "file/file.h"
#include "modes.h"

#include <limits.h>
#include <string.h>

enum { MODE, BRANCH, OMEGA, FREQUENCY, DAMPING, FIXED };

/* The last columns of a table of modes have these names. */
static bool has_fixed_columns(const phx_csv *csv)
{
    static const char *const names[FIXED] = {"mode", "branch", "omega", "frequency", "damping"};
    if (csv->n_columns < FIXED)
        return false;
    for (int k = 0; k < FIXED; k++)
        if (strcmp(csv->names[csv->n_columns - FIXED + k], names[k]) != 0)
            return false;
    return true;
}

/* Rows one after the other with equal parameters are of one point. */
static int count_points(const phx_csv *csv, int n_parameters, int *points)
{
    int last = 0;
    for (size_t i = 0; i < csv->n_rows; i++) {
        const double *row = csv->values + i * (size_t)csv->n_columns, *before = row - csv->n_columns;
        bool same = true;
        for (int k = 0; k < n_parameters && i > 0; k++)
            same = same && row[k] == before[k];
        last += !same;
        points[i] = last;
    }
    return csv->n_rows > 0 ? last + 1 : 0;
}

/* Fills a table of modes from the numbers of a CSV file, given the point of each row; parameter names change hands. */
static phx_status csv_fill(phx_context *context, phx_csv *csv, const int *points, phx_modes_table *table)
{
    const int n_parameters = csv->n_columns - FIXED;
    double *values = phx_calloc(context, (size_t)table->n_points * (size_t)n_parameters, sizeof *values);
    phx_mode_row *rows = phx_calloc(context, csv->n_rows, sizeof *rows);
    char **names = phx_calloc(context, (size_t)n_parameters, sizeof *names);
    table->values = values;
    table->rows = rows;
    table->parameters = (const char *const *)names;
    if (!values || !rows || !names)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n_parameters; k++) { /* the names change hands */
        names[k] = csv->names[k];
        csv->names[k] = NULL;
    }
    table->n_parameters = n_parameters;
    for (size_t i = 0; i < csv->n_rows; i++) {
        const double *from = csv->values + i * (size_t)csv->n_columns, *fixed = from + n_parameters;
        rows[i] = (phx_mode_row){points[i],    (int)fixed[MODE], (int)fixed[BRANCH],
                                 fixed[OMEGA], fixed[FREQUENCY], fixed[DAMPING]};
        for (int k = 0; k < n_parameters; k++)
            values[(size_t)points[i] * (size_t)n_parameters + (size_t)k] = from[k];
    }
    table->n_rows = (int)csv->n_rows;
    return PHX_OK;
}

static bool has_good_numbers(const phx_csv *csv)
{
    for (size_t i = 0; i < csv->n_rows; i++) {
        const double *fixed = csv->values + (i + 1) * (size_t)csv->n_columns - FIXED;
        for (int k = MODE; k <= BRANCH; k++)
            if (!(fixed[k] >= 0.0 && fixed[k] <= INT_MAX / 2))
                return false;
    }
    return true;
}

/* Reads a table of modes from a CSV file; successive rows with equal parameter values belong to one point. Shapes are
 * not in such files. */
phx_status phx_modes_read_csv(phx_context *context, const char *path, phx_modes_table *table)
{
    phx_csv csv;
    int *points = NULL;
    phx_status status = phx_csv_read(context, path, NULL, &csv);
    if (status)
        return status;
    if (!has_fixed_columns(&csv) || !has_good_numbers(&csv) || csv.n_rows > INT_MAX / 8) {
        status =
            phx_fail(context, PHX_ERR_FILE,
                     "%s: not a table of modes, whose last columns are mode, branch, omega, frequency, damping", path);
        goto cleanup;
    }
    points = phx_calloc(context, csv.n_rows, sizeof *points);
    if (!points) {
        status = PHX_ERR_MEMORY;
        goto cleanup;
    }
    table->n_points = count_points(&csv, csv.n_columns - FIXED, points);
    status = csv_fill(context, &csv, points, table);
cleanup:
    phx_free(points);
    phx_csv_free(&csv);
    return status;
}
