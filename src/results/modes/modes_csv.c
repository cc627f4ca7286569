/* Tables of modes read back from csv, and written in a style. */
#include "file/file.h"
#include "modes.h"

#include <limits.h>
#include <string.h>

enum { MODE, BRANCH, OMEGA, FREQUENCY, DAMPING, FIXED };

static const char *const fixed_names[FIXED] = {"mode", "branch", "omega", "frequency", "damping"};

/* The last columns of a table of modes have these names. */
static bool has_fixed_columns(const phx_csv *csv)
{
    if (csv->n_columns < FIXED)
        return false;
    for (int k = 0; k < FIXED; k++)
        if (strcmp(csv->names[csv->n_columns - FIXED + k], fixed_names[k]) != 0)
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

/* Writes the parameters and the fixed columns of all rows. */
phx_status phx_modes_write_styled(phx_context *context, const phx_modes_table *modes, const phx_table_style *style,
                                  const char *path)
{
    static const char *const fixed_units[FIXED] = {"", "", "rad/s", "Hz", ""};
    const size_t n = (size_t)modes->n_parameters, width = n + FIXED;
    const char **names = phx_calloc(context, 2 * width, sizeof *names);
    double *row = phx_calloc(context, width, sizeof *row);
    phx_table *table = NULL;
    phx_status status = names && row ? PHX_OK : PHX_ERR_MEMORY;
    if (!status) {
        if (n > 0)
            memcpy(names, modes->parameters, n * sizeof *names);
        memcpy(names + n, fixed_names, sizeof fixed_names);
        memcpy(names + width + n, fixed_units, sizeof fixed_units);
        status = phx_table_create_styled(context, path, (int)width, names, names + width, style, &table);
    }
    for (int i = 0; i < modes->n_rows && !status; i++) {
        const phx_mode_row *mode = &modes->rows[i];
        const double fixed[FIXED] = {mode->mode, mode->branch, mode->omega, mode->frequency, mode->damping};
        for (size_t k = 0; k < n; k++)
            row[k] = modes->values[(size_t)mode->point * n + k];
        memcpy(row + n, fixed, sizeof fixed);
        status = phx_table_append(table, row, NULL);
    }
    if (!status)
        status = phx_table_finish(table);
    phx_table_destroy(table);
    phx_free((void *)names);
    phx_free(row);
    return status;
}
