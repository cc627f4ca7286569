/* Reading csv files that Phlexor wrote. */
#include "csv.h"
#include "file/file.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the reader is in a text. */
typedef struct csv_reader {
    phx_context *context;
    const char *path;
    char *place;
    long line;
} csv_reader;

/* Reads a whole text file, zero-terminated; files with zero bytes are refused. The caller frees *bytes, NULL after a
 * failure. */
phx_status phx_csv_load(phx_context *context, const char *path, char **bytes)
{
    size_t size = 0, room = 1 << 16;
    FILE *file = fopen(path, "rb");
    *bytes = NULL;
    if (!file)
        return phx_file_fail(context, path, "read", errno);
    phx_status status = PHX_OK;
    while (!status) {
        char *grown = phx_realloc(context, *bytes, room, 1);
        if (!grown) {
            status = PHX_ERR_MEMORY;
            break;
        }
        *bytes = grown;
        size += fread(grown + size, 1, room - 1 - size, file);
        grown[size] = '\0';
        if (size < room - 1)
            break;
        room *= 2;
    }
    if (!status && ferror(file))
        status = phx_file_fail(context, path, "read", errno);
    if (!status && memchr(*bytes, '\0', size))
        status = phx_fail(context, PHX_ERR_FILE, "%s: cannot read: not a text file; give a csv file or an HDF5 result",
                          path);
    fclose(file);
    if (status) {
        phx_free(*bytes);
        *bytes = NULL;
    }
    return status;
}

/* The next field, ended by a zero in place; *end is the character that stood behind it: ',', '\n' or 0. */
static char *next_field(csv_reader *reader, char *end)
{
    char *field = reader->place, *out = field, *in = field;
    if (*in == '"') {
        for (in++; *in && !(in[0] == '"' && in[1] != '"'); in++) {
            in += *in == '"';
            *out++ = *in;
        }
        in += *in == '"';
    } else {
        while (*in && *in != ',' && *in != '\n' && *in != '\r')
            *out++ = *in++;
    }
    in += *in == '\r';
    *end = *in;
    reader->place = in + (*in != '\0');
    *out = '\0';
    return field;
}

/* Numbers have a point in every locale; strtod wants the locale's. */
bool phx_csv_number(const char *text, double *value)
{
    char copy[128], *out = copy, *end;
    const char *point = localeconv()->decimal_point;
    const size_t point_length = strlen(point);
    for (; *text && out + point_length + 1 < copy + sizeof copy; text++) {
        if (*text == '.') {
            memcpy(out, point, point_length);
            out += point_length;
        } else {
            *out++ = *text;
        }
    }
    *out = '\0';
    *value = strtod(copy, &end);
    return out > copy && !*text && end == out && isfinite(*value);
}

/* Reads the column names of a CSV file, which must be distinct and end with their line. */
static phx_status read_header(csv_reader *reader, phx_csv *csv)
{
    char end = ',';
    while (end == ',') {
        char **grown = phx_realloc(reader->context, csv->names, (size_t)csv->n_columns + 1, sizeof *grown);
        if (!grown)
            return PHX_ERR_MEMORY;
        csv->names = grown;
        grown[csv->n_columns] = phx_strdup(reader->context, next_field(reader, &end));
        if (!grown[csv->n_columns])
            return PHX_ERR_MEMORY;
        csv->n_columns++;
        const int first = phx_csv_find(csv, grown[csv->n_columns - 1]);
        if (first < csv->n_columns - 1)
            return phx_fail(reader->context, PHX_ERR_FILE, "%s:1: the columns %d and %d have the same name '%.40s'",
                            reader->path, first + 1, csv->n_columns, grown[first]);
    }
    if (end != '\n')
        return phx_fail(reader->context, PHX_ERR_FILE,
                        "%s:1: the names of the columns do not end; give a csv file of Phlexor", reader->path);
    reader->line = 2;
    return PHX_OK;
}

/* *failed: the row of a study's list whose point has no numbers. */
static phx_status csv_read_row(csv_reader *reader, int n_columns, bool message, double *values, bool *failed)
{
    char end = ',';
    *failed = false;
    for (int i = 0; i < n_columns; i++) {
        if (end != ',')
            return phx_fail(reader->context, PHX_ERR_FILE, "%s:%ld: %d values; there are %d columns", reader->path,
                            reader->line, i, n_columns);
        const char *field = next_field(reader, &end);
        if (phx_csv_number(field, &values[i]))
            continue;
        if (message && (!*field || !strcmp(field, "nan")))
            *failed = true;
        else
            return phx_fail(reader->context, PHX_ERR_FILE,
                            "%s:%ld: '%.40s' is no finite number; give a csv file of Phlexor", reader->path,
                            reader->line, field);
    }
    if (message && end == ',')
        next_field(reader, &end);
    if (end == ',')
        return phx_fail(reader->context, PHX_ERR_FILE, "%s:%ld: more values than the %d columns", reader->path,
                        reader->line, n_columns);
    reader->line++;
    return PHX_OK;
}

/* Reads a CSV file of Phlexor into names and numbers. A last column of messages and the rows of failed points are left
 * out; empty after a failure. */
phx_status phx_csv_read(phx_context *context, const char *path, phx_csv *csv)
{
    char *bytes = NULL;
    size_t room = 0;
    *csv = (phx_csv){0};
    phx_status status = phx_csv_load(context, path, &bytes);
    if (!status)
        status = phx_files_read(context, path);
    const bool marked = !status && !strncmp(bytes, "\xEF\xBB\xBF", 3); /* as spreadsheets write it */
    csv_reader reader = {context, path, marked ? bytes + 3 : bytes, 1};
    if (!status)
        status = read_header(&reader, csv);
    /* the texts of a study's list, behind its numbers */
    const bool message = !status && csv->n_columns > 1 && !strcmp(csv->names[csv->n_columns - 1], "message");
    if (message)
        phx_free(csv->names[--csv->n_columns]);
    while (!status && strchr(reader.place, '\n')) {
        bool failed;
        if (csv->n_rows == room) {
            room = room ? 2 * room : 64;
            double *grown = phx_realloc(context, csv->values, room * (size_t)csv->n_columns, sizeof *grown);
            if (!grown) {
                status = PHX_ERR_MEMORY;
                break;
            }
            csv->values = grown;
        }
        status =
            csv_read_row(&reader, csv->n_columns, message, csv->values + csv->n_rows * (size_t)csv->n_columns, &failed);
        csv->n_rows += !status && !failed;
    }
    phx_free(bytes);
    if (status)
        phx_csv_free(csv);
    return status;
}

void phx_csv_free(phx_csv *csv)
{
    phx_h5_free_names(csv->n_columns, csv->names);
    phx_free(csv->values);
    *csv = (phx_csv){0};
}

int phx_csv_find(const phx_csv *csv, const char *name)
{
    for (int i = 0; i < csv->n_columns; i++)
        if (strcmp(csv->names[i], name) == 0)
            return i;
    return -1;
}

void phx_csv_drop(phx_csv *csv, int column)
{
    const int n = csv->n_columns--;

    phx_free(csv->names[column]);
    memmove(csv->names + column, csv->names + column + 1, (size_t)(n - 1 - column) * sizeof *csv->names);
    for (size_t from = 0, to = 0; from < csv->n_rows * (size_t)n; from++)
        if (from % (size_t)n != (size_t)column)
            csv->values[to++] = csv->values[from];
}
