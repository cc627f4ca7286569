/* Tables from CSV files: a line of names, then lines of numbers; the first column is time.
 *
 * Cells are separated by ',', ';' or tabs, whichever stands between the names. Numbers have a decimal point; between
 * ';' or tabs they may all have a decimal comma instead, which is told to the log. Every line has as many cells as
 * there are names. Cells may be quoted (RFC 4180, without line ends in them). Anything that could be read in two ways
 * is refused. */
#define _POSIX_C_SOURCE 200809L /* stat */
#include "reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_BYTES = 1 << 26, MAX_NUMBER = 100 };

/* A cell with a comma or a point in it: which sign separates the decimals is a matter of the whole file. */
typedef struct csv_sign {
    int line, column; /* 0: there is none */
    char text[MAX_NUMBER];
} csv_sign;

typedef struct csv {
    phx_reader *reader;
    const phx_node *node; /* where the model names the file */
    const char *path;
    char *at; /* rest of the text */
    int line;
    char separator;
    int n_columns;
    const char **names;     /* of the columns, "" for one without a name */
    csv_sign comma, point;  /* the first number with that sign */
    bool certainly_decimal; /* a comma that cannot separate thousands was found */
} csv;

static phx_status fail_file(const csv *c, const char *what)
{
    return phx_reader_fail(c->reader, c->node, "cannot read '%s': %s", c->path, what);
}

/* ---- the text ---- */
static phx_status check_bytes(csv *c, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)c->at;
    if (size >= 2 && ((bytes[0] == 0xFF && bytes[1] == 0xFE) || (bytes[0] == 0xFE && bytes[1] == 0xFF)))
        return fail_file(c, "it is UTF-16; save it as UTF-8");
    if (size >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3))
        c->at += 3;
    const char *end = (const char *)bytes + size, *zero = memchr(c->at, '\0', (size_t)(end - c->at));
    if (!zero)
        return PHX_OK;
    int line = 1, place = 1;
    for (const char *t = c->at; t < zero; t++, place++)
        if (*t == '\n') {
            line++;
            place = 0;
        }
    return phx_reader_fail(c->reader, c->node, "%s:%d:%d: a byte that is zero; a text file is expected", c->path, line,
                           place);
}

/* Only a regular file of moderate size: a device or pipe may never end. */
static phx_status csv_load(csv *c)
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
    return check_bytes(c, size);
}

/* The next line that is not blank, ended by 0; NULL at the end. Lines end with LF, CR LF or CR. */
static char *next_line(csv *c)
{
    while (*c->at) {
        char *line = c->at;
        size_t n = strcspn(line, "\r\n");
        c->at += n + (line[n] == '\r' && line[n + 1] == '\n') + (line[n] != 0);
        c->line++;
        line[n] = 0;
        if (strspn(line, " \t") < n)
            return line;
    }
    return NULL;
}

/* ---- cells ---- */
static phx_status fail_cell(const csv *c, int column, const char *what)
{
    return phx_reader_fail(c->reader, c->node, "%s:%d: column %d: %s", c->path, c->line, column, what);
}

/* A quoted cell from the letter behind its quote on; *rest moves behind the quote that ends it. */
static bool unquote(char **rest)
{
    char *out = *rest, *in = *rest;
    for (; *in && !(in[0] == '"' && in[1] != '"'); in++) {
        in += *in == '"';
        *out++ = *in;
    }
    const bool ended = *in == '"';
    *rest = in + ended;
    *out = 0;
    return ended;
}

/* The next cell of a line without blanks and quotes around it, NULL after the last; `column` counts from 1. */
static phx_status next_cell(const csv *c, int column, char **rest, char **cell)
{
    char *from = *rest;
    *cell = NULL;
    if (!from)
        return PHX_OK;
    from += strspn(from, c->separator == '\t' ? " " : " \t");
    if (*from == '"') {
        char *end = from + 1;
        if (!unquote(&end))
            return fail_cell(c, column, "the quote that ends the cell is missing");
        *cell = from + 1;
        end += strspn(end, c->separator == '\t' ? " " : " \t");
        if (*end && *end != c->separator)
            return fail_cell(c, column, "letters behind the quote that ends the cell");
        *rest = *end ? end + 1 : NULL;
        return PHX_OK;
    }
    *cell = from;
    size_t n = 0;
    while (from[n] && from[n] != c->separator)
        n++;
    *rest = from[n] ? from + n + 1 : NULL;
    while (n && (from[n - 1] == ' ' || from[n - 1] == '\t'))
        n--;
    from[n] = 0;
    return PHX_OK;
}

/* ---- the line of names ---- */
/* The separator of the names: one of ',', ';', tab that is not quoted. */
static phx_status find_separator(csv *c, const char *line)
{
    int commas = 0, semicolons = 0, tabs = 0;
    bool quoted = false;
    for (; *line; line++) {
        quoted = quoted != (*line == '"');
        commas += !quoted && *line == ',';
        semicolons += !quoted && *line == ';';
        tabs += !quoted && *line == '\t';
    }
    c->separator = semicolons ? ';' : commas || !tabs ? ',' : '\t';
    if (commas && semicolons)
        return phx_reader_fail(c->reader, c->node,
                               "%s:%d: both ',' and ';' stand between the names of columns; quote a name that has one",
                               c->path, c->line);
    return PHX_OK;
}

/* Reads the first line of a CSV file: determines the separator and stores the column names, which must be distinct. */
static phx_status csv_read_names(csv *c)
{
    char *line = next_line(c), *name;
    size_t most = 2;
    phx_status status = line ? find_separator(c, line) : PHX_OK;
    for (const char *t = line; t && *t; t++)
        most += *t == c->separator;
    c->names = phx_reader_calloc(c->reader, most, sizeof *c->names);
    if (!c->names)
        return PHX_ERR_MEMORY;
    while (!status) {
        status = next_cell(c, c->n_columns + 1, &line, &name);
        if (status || !name)
            break;
        for (int k = 0; k < c->n_columns && *name; k++)
            if (!strcmp(c->names[k], name))
                return phx_reader_fail(c->reader, c->node,
                                       "%s:%d: the columns %d and %d have the same name %s; give them two", c->path,
                                       c->line, k + 1, c->n_columns + 1, phx_shown_text(name).text);
        c->names[c->n_columns++] = name;
    }
    return status;
}

static phx_status find_column(csv *c, const char *column, int *index)
{
    phx_nearest nearest = phx_nearest_to(column);
    phx_status status = csv_read_names(c);
    if (status)
        return status;
    for (*index = 0; *index < c->n_columns; ++*index) {
        if (!strcmp(c->names[*index], column))
            return PHX_OK;
        phx_nearest_offer(&nearest, c->names[*index]);
    }
    return phx_reader_fail(c->reader, c->node, "%s:%d: no column %s%s", c->path, c->line ? c->line : 1,
                           phx_shown_text(column).text, phx_nearest_hint(&nearest).text);
}

/* ---- numbers ---- */
/* 12,345: its comma may separate thousands. */
static bool may_be_thousands(const char *text)
{
    text += *text == '+' || *text == '-';
    const size_t before = strspn(text, "0123456789");
    return before >= 1 && before <= 3 && text[0] != '0' && text[before] == ',' &&
           strspn(text + before + 1, "0123456789") == 3 && !text[before + 4];
}

static void note_sign(const csv *c, int column, const char *text, csv_sign *sign)
{
    if (sign->line)
        return;
    *sign = (csv_sign){.line = c->line, .column = column};
    snprintf(sign->text, sizeof sign->text, "%s", text);
}

/* `column` counts from 1. */
static phx_status csv_read_number(csv *c, int column, const char *text, double *number)
{
    char point[MAX_NUMBER];
    char *comma = NULL;
    const bool fits = strlen(text) < sizeof point;
    if (fits && c->separator != ',' && strchr(text, ',')) {
        strcpy(point, text);
        comma = strchr(point, ',');
        *comma = '.';
        note_sign(c, column, text, &c->comma);
        c->certainly_decimal = c->certainly_decimal || !may_be_thousands(text);
        text = strchr(text, '.') || strchr(point, ',') ? text : point;
    } else if (strchr(text, '.')) {
        note_sign(c, column, text, &c->point);
    }
    if (!phx_number_from_text(text, number) || !isfinite(*number))
        return phx_reader_fail(c->reader, c->node, "%s:%d: expected a finite number in column %d, found %s%s", c->path,
                               c->line, column, phx_shown_text(text).text,
                               c->separator == ',' && strchr(text, ',') ? "; the decimal sign is a point here" : "");
    return PHX_OK;
}

/* After the last line: one decimal sign in all numbers, and no other way to read them. */
static phx_status check_signs(const csv *c)
{
    const csv_sign *comma = &c->comma, *point = &c->point;
    if (!comma->line)
        return PHX_OK;
    if (point->line)
        return phx_reader_fail(c->reader, c->node,
                               "%s:%d: column %d: found %s, but %s in line %d has another decimal sign; write all "
                               "numbers with a point",
                               c->path, comma->line, comma->column, phx_shown_text(comma->text).text,
                               phx_shown_text(point->text).text, point->line);
    if (!c->certainly_decimal)
        return phx_reader_fail(c->reader, c->node,
                               "%s:%d: column %d: the comma of %s may be a decimal sign or separate thousands; write "
                               "all numbers with a point",
                               c->path, comma->line, comma->column, phx_shown_text(comma->text).text);
    phx_log(c->reader->context, PHX_LOG_INFO, "%s: read with %s between the cells and decimal commas", c->path,
            c->separator == ';' ? "';'" : "tabs");
    return PHX_OK;
}

/* ---- the lines of numbers ---- */
/* Numbers of the first and the wanted column; `wanted` counts from 0. */
static phx_status csv_read_row(csv *c, char *line, int wanted, double *time, double *value)
{
    char *cell;
    int k = 0;
    for (;; k++) {
        phx_status status = next_cell(c, k + 1, &line, &cell);
        if (status)
            return status;
        if (!cell || k >= c->n_columns) {
            k += cell != NULL;
            while (line && cell && !next_cell(c, k + 1, &line, &cell) && cell)
                k++;
            break;
        }
        if (k == 0 || k == wanted) {
            double number = 0.0;
            status = csv_read_number(c, k + 1, cell, &number);
            if (status)
                return status;
            if (k == 0)
                *time = number;
            if (k == wanted)
                *value = number;
        } else if (!c->names[k][0] && cell[0]) {
            return phx_reader_fail(c->reader, c->node, "%s:%d: found %s in column %d, which has no name", c->path,
                                   c->line, phx_shown_text(cell).text, k + 1);
        }
    }
    if (k != c->n_columns)
        return phx_reader_fail(c->reader, c->node,
                               "%s:%d: expected %d columns, as there are names, found %d; the decimal sign is a point, "
                               "or a comma between ';'",
                               c->path, c->line, c->n_columns, k);
    return PHX_OK;
}

/* Reads time and one column of all following lines into the table; time must increase, and one line is the minimum. */
static phx_status csv_read_rows(csv *c, int column, phx_file_table *table)
{
    char *line;
    while ((line = next_line(c)) != NULL) {
        double *time = table->times + table->count, *value = table->values + table->count;
        phx_status status = csv_read_row(c, line, column, time, value);
        if (status)
            return status;
        if (table->count && !(time[0] > time[-1]))
            return phx_reader_fail(c->reader, c->node, "%s:%d: time %.10g is not after the one before it, %.10g",
                                   c->path, c->line, time[0], time[-1]);
        table->count++;
    }
    return table->count ? check_signs(c) : fail_file(c, "no line of numbers");
}

/* Reads one column over time from a CSV file into a table whose arrays belong to the arena. */
phx_status phx_read_csv(phx_reader *reader, const phx_node *node, const char *path, const char *column,
                        phx_arena *arena, phx_file_table *table)
{
    csv c = {.reader = reader, .node = node, .path = path};
    int index = 0;
    phx_status status = csv_load(&c);
    if (!status)
        status = find_column(&c, column, &index);
    if (status)
        return status;
    size_t most = 1;
    for (const char *t = c.at; *t; t++)
        most += *t == '\n' || *t == '\r';
    table->count = 0;
    table->times = phx_arena_calloc(reader->context, arena, most, sizeof *table->times);
    table->values = phx_arena_calloc(reader->context, arena, most, sizeof *table->values);
    if (!table->times || !table->values)
        return PHX_ERR_MEMORY;
    return csv_read_rows(&c, index, table);
}
