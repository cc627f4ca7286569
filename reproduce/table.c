/* Comma-separated text: fields, tables of numbers, the table of published values. */
#include "item.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 64 };

/* ---- lines and fields (RFC 4180, no line ends within fields) ---- */

/* The next line that is neither empty nor a comment, copied; NULL at the end or when memory is out (then `status`). */
static char *next_line(phx_context *context, const char **text, int *number, phx_status *status)
{
    while (**text) {
        const char *end = strchr(*text, '\n'), *line = *text;
        size_t length = end ? (size_t)(end - line) : strlen(line);
        *text = end ? end + 1 : line + length;
        (*number)++;
        length -= length > 0 && line[length - 1] == '\r';
        if (length == 0 || line[0] == '#')
            continue;
        char *copy = phx_calloc(context, length + 1, 1);
        if (!copy)
            *status = PHX_ERR_MEMORY;
        else
            memcpy(copy, line, length);
        return copy;
    }
    return NULL;
}

/* Cuts the line in place; quotes are taken off. Returns the number of fields. */
static int cut(char *line, char *fields[MOST_FIELDS])
{
    int count = 0;
    char *from = line;
    while (count < MOST_FIELDS) {
        char *to = from;
        bool quoted = *from == '"';
        fields[count++] = to;
        from += quoted;
        for (; *from && (quoted || *from != ','); from++) {
            if (quoted && *from == '"') {
                if (from[1] != '"') {
                    quoted = false;
                    continue;
                }
                from++;
            }
            *to++ = *from;
        }
        const bool more = *from == ',';
        *to = '\0';
        if (!more)
            return count;
        from++;
    }
    return count;
}

/* The number that is all of a field. */
static bool read_number(const char *field, double *value)
{
    char *end = NULL;
    *value = strtod(field, &end);
    return end != field && *end == '\0' && isfinite(*value);
}

/* ---- tables of numbers ---- */

static phx_status keep_numbers(phx_context *context, phx_numbers *table, char **fields, int count)
{
    const size_t width = (size_t)table->columns;
    double *grown = phx_realloc(context, table->values, (size_t)(table->rows + 1) * width, sizeof *grown);
    if (!grown)
        return PHX_ERR_MEMORY;
    table->values = grown;
    for (int c = 0; c < table->columns; c++) {
        double *value = &grown[(size_t)table->rows * width + (size_t)c];
        if (c >= count || !read_number(fields[c], value))
            *value = NAN;
    }
    table->rows++;
    return PHX_OK;
}

static phx_status keep_names(phx_context *context, phx_numbers *table, char **fields, int count)
{
    table->names = phx_calloc(context, (size_t)count, sizeof *table->names);
    if (!table->names)
        return PHX_ERR_MEMORY;
    for (; table->columns < count; table->columns++) {
        table->names[table->columns] = phx_strdup(context, fields[table->columns]);
        if (!table->names[table->columns])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

phx_status phx_numbers_read(phx_context *context, const char *file, phx_numbers *table)
{
    const char *text = phx_reproduce_file(file);
    char *fields[MOST_FIELDS], *line;
    phx_status status = PHX_OK;
    int number = 0;

    *table = (phx_numbers){0};
    if (!text)
        return phx_fail(context, PHX_ERR_ARGUMENT, "there is no embedded file %s", file);
    while (!status && (line = next_line(context, &text, &number, &status))) {
        const int count = cut(line, fields);
        status = table->names ? keep_numbers(context, table, fields, count) : keep_names(context, table, fields, count);
        phx_free(line);
    }
    if (status)
        phx_numbers_free(table);
    return status;
}

void phx_numbers_free(phx_numbers *table)
{
    for (int c = 0; c < table->columns; c++)
        phx_free(table->names[c]);
    phx_free(table->names);
    phx_free(table->values);
    *table = (phx_numbers){0};
}

int phx_numbers_find(const phx_numbers *table, const char *name)
{
    for (int c = 0; c < table->columns; c++)
        if (!strcmp(table->names[c], name))
            return c;
    return -1;
}

double phx_numbers_at(const phx_numbers *table, int row, int column)
{
    const bool there = row >= 0 && row < table->rows && column >= 0 && column < table->columns;
    return there ? table->values[(size_t)row * (size_t)table->columns + (size_t)column] : NAN;
}

/* ---- published values ---- */

/* Half a unit of the last digit printed; a little more for numbers that stand half between. */
static double half_digit(const char *printed)
{
    const char *point = strchr(printed, '.');
    return 0.5 * pow(10.0, point ? -(double)strlen(point + 1) : 0.0) * (1.0 + 1e-9);
}

enum { ITEM, QUANTITY, PRINTED, VALUE, TOLERANCE, REASON, FIELDS };
static const char *const headings[FIELDS] = {"item", "quantity", "printed", "value", "tolerance", "reason"};

static phx_status check_headings(phx_context *context, int line, char **fields, int count)
{
    for (int k = 0; k < FIELDS; k++)
        if (count != FIELDS || strcmp(fields[k], headings[k]) != 0)
            return phx_fail(context, PHX_ERR_INPUT,
                            "published values, line %d: the first line has to be the names of the columns, "
                            "item,quantity,printed,value,tolerance,reason",
                            line);
    return PHX_OK;
}

static phx_status keep_value(phx_context *context, phx_published *published, int line, char **fields, int count)
{
    phx_published_value made = {0};

    if (count != FIELDS)
        return phx_fail(context, PHX_ERR_INPUT, "published values, line %d: %d fields, there have to be %d", line,
                        count, FIELDS);
    if (!read_number(fields[VALUE][0] ? fields[VALUE] : fields[PRINTED], &made.value))
        return phx_fail(context, PHX_ERR_INPUT,
                        "published values, line %d: %s is no number; a statement needs its number in the field `value`",
                        line, phx_shown_text(fields[VALUE][0] ? fields[VALUE] : fields[PRINTED]).text);
    made.tolerance = half_digit(fields[PRINTED]);
    if (fields[TOLERANCE][0] ? !read_number(fields[TOLERANCE], &made.tolerance) || made.tolerance < 0.0
                             : fields[VALUE][0] != '\0')
        return phx_fail(context, PHX_ERR_INPUT,
                        "published values, line %d: the tolerance %s is no number that is at least 0", line,
                        phx_shown_text(fields[TOLERANCE]).text);
    phx_published_value *grown = phx_realloc(context, published->values, (size_t)published->count + 1, sizeof *grown);
    if (!grown)
        return PHX_ERR_MEMORY;
    published->values = grown;
    made.item = phx_strdup(context, fields[ITEM]);
    made.quantity = phx_strdup(context, fields[QUANTITY]);
    made.printed = phx_strdup(context, fields[PRINTED]);
    const bool explained = fields[REASON][strspn(fields[REASON], " \t")] != '\0';
    made.reason = explained ? phx_strdup(context, fields[REASON]) : NULL;
    grown[published->count++] = made;
    const bool all = made.item && made.quantity && made.printed && (made.reason || !explained);
    return all ? PHX_OK : PHX_ERR_MEMORY;
}

phx_status phx_published_read(phx_context *context, const char *text, phx_published *published)
{
    char *fields[MOST_FIELDS], *line;
    phx_status status = PHX_OK;
    int number = 0;
    bool head = false;

    *published = (phx_published){0};
    while (!status && (line = next_line(context, &text, &number, &status))) {
        const int count = cut(line, fields);
        status = head ? keep_value(context, published, number, fields, count)
                      : check_headings(context, number, fields, count);
        head = true;
        phx_free(line);
    }
    if (status)
        phx_published_free(published);
    return status;
}

void phx_published_free(phx_published *published)
{
    for (int k = 0; k < published->count; k++) {
        phx_free(published->values[k].item);
        phx_free(published->values[k].quantity);
        phx_free(published->values[k].printed);
        phx_free(published->values[k].reason);
    }
    phx_free(published->values);
    *published = (phx_published){0};
}
