/* Tables that are files: their lines, and several tables of one study as one. */
#include "file/file.h"
#include "output.h"

#include "results/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */
phx_status phx_table_read_lines(phx_context *context, const char *path, phx_table_lines *lines)
{
    if (!path || !lines)
        return phx_fail_null(context, __func__, "path or lines");
    *lines = (phx_table_lines){0};
    phx_status status = phx_csv_load(context, path, &lines->text);
    for (char *end = lines->text; !status && (end = strchr(end, '\n')) != NULL; end++)
        lines->count++;
    lines->line = status ? NULL : phx_calloc(context, (size_t)lines->count + 1, sizeof *lines->line);
    if (!status && !lines->line)
        status = PHX_ERR_MEMORY;
    char *at = lines->text;
    for (int k = 0; k < lines->count && !status; k++) {
        char *end = strchr(at, '\n');
        lines->line[k] = at;
        *end = '\0';
        at = end + 1;
    }
    if (status)
        phx_table_lines_free(lines);
    return status;
}

phx_status phx_table_read_partial(phx_context *context, const char *path, phx_table_lines *lines)
{
    char *partial = phx_file_suffixed(context, path, ".partial");
    FILE *file = partial ? fopen(partial, "rb") : NULL;
    phx_status status = partial ? PHX_OK : PHX_ERR_MEMORY;

    if (file) {
        fclose(file);
        status = phx_table_read_lines(context, partial, lines);
    }
    phx_free(partial);
    return status;
}

void phx_table_lines_free(phx_table_lines *lines)
{
    if (!lines)
        return;
    phx_free(lines->line);
    phx_free(lines->text);
    *lines = (phx_table_lines){0};
}

/* Number in a column of a line of CSV; NaN if the field is missing, empty or no number. */
double phx_table_field(const char *line, int column)
{
    char text[PHX_NUMBER_SIZE];
    double value;

    for (; column > 0 && line; column--) {
        line = strchr(line, ',');
        line = line ? line + 1 : NULL;
    }
    const size_t length = line ? strcspn(line, ",") : 0;
    if (length >= sizeof text)
        return NAN;
    memcpy(text, line ? line : "", length);
    text[length] = '\0';
    return phx_number_from_text(text, &value) ? value : NAN;
}

/* ---- several tables ---- */
typedef struct table_row {
    long point;
    const char *line;
    int table;
} table_row;

static int by_point(const void *a, const void *b)
{
    const long p = ((const table_row *)a)->point, q = ((const table_row *)b)->point;
    return p < q ? -1 : p > q;
}

/* Collects the rows of several tables of one study with the number of their points; all must have the same columns. */
static phx_status table_lines_collect(phx_context *context, int count, const char *const *paths,
                                      const phx_table_lines *lines, table_row *rows)
{
    for (int t = 0, n = 0; t < count; t++) {
        if (lines[t].count < 1 || strncmp(lines[t].line[0], "point,", 6) != 0)
            return phx_fail(context, PHX_ERR_INPUT,
                            "%s: this is no table of a study: its first column is called 'point'", paths[t]);
        if (strcmp(lines[t].line[0], lines[0].line[0]) != 0)
            return phx_fail(context, PHX_ERR_INPUT, "%s: its columns are not those of %s", paths[t], paths[0]);
        for (int k = 1; k < lines[t].count; k++, n++) {
            char *end = NULL;
            rows[n] = (table_row){strtol(lines[t].line[k], &end, 10), lines[t].line[k], t};
            if (end == lines[t].line[k] || *end != ',' || rows[n].point < 1)
                return phx_fail(context, PHX_ERR_INPUT, "%s:%d: a row begins with the number of its point", paths[t],
                                k + 1);
        }
    }
    return PHX_OK;
}

/* Every point from 1 on, once. */
static phx_status table_lines_check_points(phx_context *context, const char *const *paths, int n, const table_row *rows)
{
    for (int k = 0; k < n; k++) {
        if (k > 0 && rows[k].point == rows[k - 1].point)
            return phx_fail(context, PHX_ERR_INPUT, "point %ld is in %s and in %s", rows[k].point,
                            paths[rows[k - 1].table], paths[rows[k].table]);
        if (rows[k].point != k + 1)
            return phx_fail(context, PHX_ERR_INPUT,
                            "point %d is in none of the tables; give those of all shards, each of which is complete",
                            k + 1);
    }
    return PHX_OK;
}

/* Writes header and rows as a table. */
static phx_status write_rows(phx_context *context, const char *header, int n, const table_row *rows, const char *output)
{
    phx_output out;
    phx_status status = phx_output_open(context, output, &out);

    if (status)
        return status;
    phx_output_text(&out, header);
    phx_output_line(&out);
    for (int k = 0; k < n; k++) {
        phx_output_text(&out, rows[k].line);
        phx_output_line(&out);
    }
    return phx_output_commit(&out);
}

/* Merges the tables of the parts of a study into one in the order of points, which must not be missing or repeated.
 * *points gets the number of rows. */
static phx_status merge(phx_context *context, int count, const char *const *paths, const char *output, int *points)
{
    phx_table_lines *lines = phx_calloc(context, (size_t)count, sizeof *lines);
    table_row *rows = NULL;
    int n = 0;
    phx_status status = lines ? PHX_OK : PHX_ERR_MEMORY;

    for (int t = 0; t < count && !status; t++) {
        status = phx_files_read(context, paths[t]);
        if (!status)
            status = phx_table_read_lines(context, paths[t], &lines[t]);
        n += lines[t].count > 0 ? lines[t].count - 1 : 0;
    }
    rows = status ? NULL : phx_calloc(context, (size_t)n + 1, sizeof *rows);
    if (!status && !rows)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = table_lines_collect(context, count, paths, lines, rows);
    if (!status) {
        qsort(rows, (size_t)n, sizeof *rows, by_point);
        status = table_lines_check_points(context, paths, n, rows);
    }
    if (!status)
        status = write_rows(context, lines[0].line[0], n, rows, output);
    *points = n;
    for (int t = 0; t < count && lines; t++)
        phx_table_lines_free(&lines[t]);
    phx_free(lines);
    phx_free(rows);
    return status;
}

phx_status phx_tables_merge(phx_context *context, int count, const char *const *paths, const char *output, int *points)
{
    if (count < 1 || !paths || !output || !points)
        return phx_fail_null(context, __func__, "paths, output or points");
    phx_files_begin(context);
    const phx_status status = merge(context, count, paths, output, points);
    phx_files_end(context);
    return phx_conclude(context, status);
}
