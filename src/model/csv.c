/* Tables from CSV files: a line of names, then lines of numbers; the first column is time. */
#define _POSIX_C_SOURCE 200809L /* stat */
#include "reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_BYTES = 1 << 26 };

typedef struct csv {
    phx_reader *reader;
    const phx_node *node; /* where the model names the file */
    const char *path;
    char *at; /* rest of the text */
    int line;
} csv;

static phx_status fail_file(const csv *c, const char *what)
{
    return phx_reader_fail(c->reader, c->node, "cannot read '%s': %s", c->path, what);
}

/* Only a regular file of moderate size: a device or pipe may never end. */
static phx_status load(csv *c)
{
    struct stat info;
    if (stat(c->path, &info))
        return fail_file(c, strerror(errno));
    if (!S_ISREG(info.st_mode) || info.st_size > MAX_BYTES)
        return fail_file(c, "a regular file of at most 64 MiB is expected");
    FILE *file = fopen(c->path, "rb");
    if (!file)
        return fail_file(c, strerror(errno));
    size_t size = (size_t)info.st_size;
    c->at = phx_reader_calloc(c->reader, size + 1, 1);
    bool complete = c->at && fread(c->at, 1, size, file) == size;
    fclose(file);
    if (!c->at)
        return PHX_ERR_MEMORY;
    if (!complete)
        return fail_file(c, "the file changed while it was read");
    if (size >= 3 && !memcmp(c->at, "\xEF\xBB\xBF", 3))
        c->at += 3;
    return PHX_OK;
}

/* The next line that is not empty, ended by 0; NULL at the end. */
static char *next_line(csv *c)
{
    while (*c->at) {
        char *line = c->at;
        size_t n = strcspn(line, "\n");
        c->at += n + (line[n] == '\n');
        c->line++;
        while (n && (line[n - 1] == '\r' || line[n - 1] == ' ' || line[n - 1] == '\t'))
            n--;
        line[n] = 0;
        if (n)
            return line;
    }
    return NULL;
}

/* The next field of a line, without blanks and quotes around it; NULL after the last. */
static char *next_field(char **rest)
{
    char *field = *rest;
    if (!field)
        return NULL;
    size_t n = strcspn(field, ",;");
    *rest = field[n] ? field + n + 1 : NULL;
    field[n] = 0;
    while (*field == ' ' || *field == '\t')
        field++, n--;
    n = strlen(field);
    while (n && (field[n - 1] == ' ' || field[n - 1] == '\t'))
        field[--n] = 0;
    if (n >= 2 && *field == '"' && field[n - 1] == '"') {
        field[n - 1] = 0;
        field++;
    }
    return field;
}

static phx_status find_column(csv *c, const char *column, int *index)
{
    char *line = next_line(c), *name;
    phx_nearest nearest = phx_nearest_to(column);
    *index = 0;
    while ((name = next_field(&line)) != NULL) {
        if (!strcmp(name, column))
            return PHX_OK;
        phx_nearest_offer(&nearest, name);
        ++*index;
    }
    return phx_reader_fail(c->reader, c->node, "%s:%d: no column %s%s", c->path, c->line ? c->line : 1,
                           phx_shown_text(column).text, phx_nearest_hint(&nearest).text);
}

/* Numbers of the first and the wanted column. */
static phx_status read_row(csv *c, char *line, int column, double *time, double *value)
{
    char *field;
    int k = 0;
    for (; (field = next_field(&line)) != NULL && k <= column; k++) {
        double number;
        if (k > 0 && k < column)
            continue;
        if (!phx_number_from_text(field, &number) || !isfinite(number))
            return phx_reader_fail(c->reader, c->node, "%s:%d: expected a finite number in column %d, found %s",
                                   c->path, c->line, k + 1, phx_shown_text(field).text);
        if (k == 0)
            *time = number;
        if (k == column)
            *value = number;
    }
    if (k <= column)
        return phx_reader_fail(c->reader, c->node, "%s:%d: expected at least %d columns, found %d", c->path, c->line,
                               column + 1, k);
    return PHX_OK;
}

static phx_status read_rows(csv *c, int column, phx_file_table *table)
{
    char *line;
    while ((line = next_line(c)) != NULL) {
        double *time = table->times + table->count, *value = table->values + table->count;
        phx_status status = read_row(c, line, column, time, value);
        if (status)
            return status;
        if (table->count && !(time[0] > time[-1]))
            return phx_reader_fail(c->reader, c->node, "%s:%d: time %.10g is not after the one before it, %.10g",
                                   c->path, c->line, time[0], time[-1]);
        table->count++;
    }
    return table->count ? PHX_OK : fail_file(c, "no line of numbers");
}

phx_status phx_read_csv(phx_reader *reader, const phx_node *node, const char *path, const char *column,
                        phx_arena *arena, phx_file_table *table)
{
    csv c = {.reader = reader, .node = node, .path = path};
    int index = 0;
    phx_status status = load(&c);
    if (!status)
        status = find_column(&c, column, &index);
    if (status)
        return status;
    size_t most = 1;
    for (const char *t = c.at; *t; t++)
        most += *t == '\n';
    table->count = 0;
    table->times = phx_arena_calloc(reader->context, arena, most, sizeof *table->times);
    table->values = phx_arena_calloc(reader->context, arena, most, sizeof *table->values);
    if (!table->times || !table->values)
        return PHX_ERR_MEMORY;
    return read_rows(&c, index, table);
}
