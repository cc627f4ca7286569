/* Tables from CSV files: a line of names, then lines of numbers.
 *
 * Cells are separated by ',', ';' or tabs, whichever stands between the names. Numbers have a decimal point; between
 * ';' or tabs they may all have a decimal comma instead, which is told to the log. Every line has as many cells as
 * there are names. Cells may be quoted (RFC 4180, without line ends in them). Anything that could be read in two ways
 * is refused. */
#include "file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NUMBER = 100 };

/* A cell with a comma or a point in it: which sign separates the decimals is a matter of the whole file. */
typedef struct csv_sign {
    int line, column; /* 0: there is none */
    char text[MAX_NUMBER];
} csv_sign;

typedef struct csv_reader {
    phx_context *context;
    const char *path;
    char *at; /* rest of the text */
    int line;
    char separator;
    int wanted;             /* the column over time; -1: all are read */
    bool message;           /* the last column has texts, of a study's list */
    csv_sign comma, point;  /* the first number with that sign */
    bool certainly_decimal; /* a comma that cannot separate thousands was found */
} csv_reader;

/* ---- the text ---- */
/* UTF-16 and what is no text. */
static phx_status csv_check_bytes(phx_context *context, const char *path, const char *bytes, size_t size)
{
    if (size >= 2 && (!memcmp(bytes, "\xFF\xFE", 2) || !memcmp(bytes, "\xFE\xFF", 2)))
        return phx_fail(context, PHX_ERR_FILE, "%s: cannot read: it is UTF-16; save it as UTF-8", path);
    const char *zero = memchr(bytes, '\0', size), *start = bytes;
    int line = 1;
    if (!zero)
        return PHX_OK;
    for (const char *t = bytes; t < zero; t++)
        if (*t == '\n') {
            line++;
            start = t + 1;
        }
    return phx_fail(context, PHX_ERR_FILE, "%s:%d:%d: a byte that is zero; a text file is expected", path, line,
                    (int)(zero - start) + 1);
}

/* Reads a whole text file and rejects bytes that cannot be in one. */
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
    if (!status)
        status = csv_check_bytes(context, path, *bytes, size);
    fclose(file);
    if (status) {
        phx_free(*bytes);
        *bytes = NULL;
    }
    return status;
}

/* The next line that is not blank, ended by 0; NULL at the end. Lines end with LF, CR LF or CR. */
static char *csv_next_line(csv_reader *c)
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
static phx_status csv_fail_cell(const csv_reader *c, int column, const char *what)
{
    return phx_fail(c->context, PHX_ERR_FILE, "%s:%d: column %d: %s", c->path, c->line, column, what);
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
static phx_status csv_next_cell(const csv_reader *c, int column, char **rest, char **cell)
{
    char *from = *rest;
    *cell = NULL;
    if (!from)
        return PHX_OK;
    from += strspn(from, c->separator == '\t' ? " " : " \t");
    if (*from == '"') {
        char *end = from + 1;
        if (!unquote(&end))
            return csv_fail_cell(c, column, "the quote that ends the cell is missing");
        *cell = from + 1;
        end += strspn(end, c->separator == '\t' ? " " : " \t");
        if (*end && *end != c->separator)
            return csv_fail_cell(c, column, "letters behind the quote that ends the cell");
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
static phx_status find_separator(csv_reader *c, const char *line)
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
        return phx_fail(c->context, PHX_ERR_FILE,
                        "%s:%d: both ',' and ';' stand between the names of columns; quote a name that has one",
                        c->path, c->line);
    return PHX_OK;
}

/* Reads the line of names and with it the separator; two columns with the same name are an error. */
static phx_status csv_read_names(csv_reader *c, phx_csv *csv)
{
    char *line = csv_next_line(c), *name = NULL;
    phx_status status = line ? find_separator(c, line) : PHX_OK;
    while (!status) {
        status = csv_next_cell(c, csv->n_columns + 1, &line, &name);
        if (status || !name)
            break;
        const int first = *name ? phx_csv_find(csv, name) : -1;
        if (first >= 0)
            return phx_fail(c->context, PHX_ERR_FILE,
                            "%s:%d: the columns %d and %d have the same name %s; give them two", c->path, c->line,
                            first + 1, csv->n_columns + 1, phx_shown_text(name).text);
        char **grown = phx_realloc(c->context, csv->names, (size_t)csv->n_columns + 1, sizeof *grown);
        if (!grown)
            return PHX_ERR_MEMORY;
        csv->names = grown;
        grown[csv->n_columns] = phx_strdup(c->context, name);
        if (!grown[csv->n_columns])
            return PHX_ERR_MEMORY;
        csv->n_columns++;
    }
    return status;
}

/* Splits "name [unit]" unless another column is called "name" too. */
static phx_status csv_split_units(phx_context *context, phx_csv *csv)
{
    csv->units = phx_calloc(context, (size_t)csv->n_columns, sizeof *csv->units);
    if (!csv->units)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < csv->n_columns; k++) {
        char *name = csv->names[k], *open = strstr(name, " [");
        const size_t length = strlen(name);
        bool unique = open && open > name && name[length - 1] == ']';
        for (int j = 0; j < csv->n_columns && unique; j++)
            unique = j == k || strncmp(csv->names[j], name, (size_t)(open - name)) != 0 ||
                     (csv->names[j][open - name] && csv->names[j][open - name] != ' ');
        if (unique)
            name[length - 1] = *open = '\0';
        csv->units[k] = phx_strdup(context, unique ? open + 2 : "");
        if (!csv->units[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

static phx_status find_wanted(csv_reader *c, const phx_csv *csv, const char *column)
{
    phx_nearest nearest = phx_nearest_to(column);
    c->wanted = phx_csv_find(csv, column);
    for (int k = 0; k < csv->n_columns; k++)
        phx_nearest_offer(&nearest, csv->names[k]);
    return c->wanted >= 0 ? PHX_OK
                          : phx_fail(c->context, PHX_ERR_FILE, "%s:%d: no column %s%s", c->path, c->line ? c->line : 1,
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

static void note_sign(const csv_reader *c, int column, const char *text, csv_sign *sign)
{
    if (sign->line)
        return;
    *sign = (csv_sign){.line = c->line, .column = column};
    snprintf(sign->text, sizeof sign->text, "%s", text);
}

/* `column` counts from 1. */
static phx_status csv_read_number(csv_reader *c, int column, const char *text, double *number)
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
        return phx_fail(c->context, PHX_ERR_FILE, "%s:%d: expected a finite number in column %d, found %s%s", c->path,
                        c->line, column, phx_shown_text(text).text,
                        c->separator == ',' && strchr(text, ',') ? "; the decimal sign is a point here" : "");
    return PHX_OK;
}

/* After the last line: one decimal sign in all numbers, and no other way to read them. */
static phx_status csv_check_signs(const csv_reader *c)
{
    const csv_sign *comma = &c->comma, *point = &c->point;
    if (!comma->line)
        return PHX_OK;
    if (point->line)
        return phx_fail(c->context, PHX_ERR_FILE,
                        "%s:%d: column %d: found %s, but %s in line %d has another decimal sign; write all "
                        "numbers with a point",
                        c->path, comma->line, comma->column, phx_shown_text(comma->text).text,
                        phx_shown_text(point->text).text, point->line);
    if (!c->certainly_decimal)
        return phx_fail(c->context, PHX_ERR_FILE,
                        "%s:%d: column %d: the comma of %s may be a decimal sign or separate thousands; write "
                        "all numbers with a point",
                        c->path, comma->line, comma->column, phx_shown_text(comma->text).text);
    phx_log(c->context, PHX_LOG_INFO, "%s: read with %s between the cells and decimal commas", c->path,
            c->separator == ';' ? "';'" : "tabs");
    return PHX_OK;
}

/* ---- the lines of numbers ---- */
/* The next number of a row: of every column, or of the first and the one that is wanted. */
static phx_status csv_read_cell(csv_reader *c, const phx_csv *csv, int k, const char *cell, double **value,
                                bool *failed)
{
    const bool empty = !*cell || !strcmp(cell, "nan");
    if (c->wanted >= 0 && k != 0 && k != c->wanted) {
        if (!csv->names[k][0] && cell[0])
            return phx_fail(c->context, PHX_ERR_FILE, "%s:%d: found %s in column %d, which has no name", c->path,
                            c->line, phx_shown_text(cell).text, k + 1);
        return PHX_OK;
    }
    if (c->message && (k == csv->n_columns - 1 || empty)) {
        *failed = *failed || k < csv->n_columns - 1;
        return PHX_OK;
    }
    return csv_read_number(c, k + 1, cell, (*value)++);
}

/* *failed: the row of a study's list whose point has no numbers. */
static phx_status csv_read_row(csv_reader *c, const phx_csv *csv, char *line, double *value, bool *failed)
{
    char *cell;
    int k = 0;
    phx_status status = csv_next_cell(c, 1, &line, &cell);
    *failed = false;
    for (; !status && cell; k++) {
        if (k < csv->n_columns)
            status = csv_read_cell(c, csv, k, cell, &value, failed);
        if (!status)
            status = csv_next_cell(c, k + 2, &line, &cell);
    }
    if (!status && k != csv->n_columns)
        status = phx_fail(c->context, PHX_ERR_FILE,
                          "%s:%d: expected %d columns, as there are names, found %d; the decimal sign is a point, or a "
                          "comma between ';'",
                          c->path, c->line, csv->n_columns, k);
    return status;
}

/* Of rows over time the first number ascends. */
static phx_status csv_read_rows(csv_reader *c, int width, phx_csv *csv)
{
    size_t room = 0;
    char *line;
    while ((c->wanted >= 0 || strchr(c->at, '\n')) && (line = csv_next_line(c)) != NULL) {
        if (csv->n_rows == room) {
            room = room ? 2 * room : 64;
            double *grown = phx_realloc(c->context, csv->values, room * (size_t)width, sizeof *grown);
            if (!grown)
                return PHX_ERR_MEMORY;
            csv->values = grown;
        }
        bool failed;
        double *values = csv->values + csv->n_rows * (size_t)width;
        const phx_status status = csv_read_row(c, csv, line, values, &failed);
        if (status)
            return status;
        if (c->wanted >= 0 && csv->n_rows && !(values[0] > values[-width]))
            return phx_fail(c->context, PHX_ERR_FILE, "%s:%d: time %.10g is not after the one before it, %.10g",
                            c->path, c->line, values[0], values[-width]);
        csv->n_rows += !failed;
    }
    return PHX_OK;
}

static void csv_drop_name(phx_csv *csv, int column)
{
    const size_t behind = (size_t)(--csv->n_columns - column);

    phx_free(csv->names[column]);
    phx_free(csv->units[column]);
    memmove(csv->names + column, csv->names + column + 1, behind * sizeof *csv->names);
    memmove(csv->units + column, csv->units + column + 1, behind * sizeof *csv->units);
}

/* Reads names, rows and decimal signs of a file; the table is empty after a failure. */
phx_status phx_csv_read(phx_context *context, const char *path, const char *column, phx_csv *csv)
{
    char *bytes = NULL;
    *csv = (phx_csv){0};
    phx_status status = phx_csv_load(context, path, &bytes);
    if (!status)
        status = phx_files_read(context, path);
    const bool marked = !status && !strncmp(bytes, "\xEF\xBB\xBF", 3); /* as spreadsheets write it */
    csv_reader c = {.context = context, .path = path, .at = marked ? bytes + 3 : bytes, .wanted = -1};
    if (!status)
        status = csv_read_names(&c, csv);
    if (!status)
        status = csv_split_units(context, csv);
    if (!status && column)
        status = find_wanted(&c, csv, column);
    if (!status && csv->n_columns == 0)
        status = phx_fail(context, PHX_ERR_FILE, "%s:1: there are no names of columns", path);
    c.message = !status && !column && csv->n_columns > 1 && !strcmp(csv->names[csv->n_columns - 1], "message");
    if (!status)
        status = csv_read_rows(&c, column ? 1 + (c.wanted > 0) : csv->n_columns - c.message, csv);
    if (!status)
        status = csv_check_signs(&c);
    if (!status && column && csv->n_rows == 0)
        status = phx_fail(context, PHX_ERR_FILE, "cannot read '%s': no line of numbers", path);
    if (c.message)
        csv_drop_name(csv, csv->n_columns - 1);
    phx_free(bytes);
    if (status)
        phx_csv_free(csv);
    return status;
}

void phx_csv_free(phx_csv *csv)
{
    phx_h5_free_names(csv->n_columns, csv->names);
    phx_h5_free_names(csv->units ? csv->n_columns : 0, csv->units);
    phx_free(csv->values);
    *csv = (phx_csv){0};
}

/* "force" and "force [N]" are the same column. */
static bool csv_is_called(const phx_csv *csv, int column, const char *name)
{
    const char *own = csv->names[column], *unit = csv->units ? csv->units[column] : "";
    const size_t length = strlen(own), unit_length = strlen(unit);

    if (strncmp(own, name, length) != 0)
        return false;
    name += length;
    return !*name || (unit_length > 0 && !strncmp(name, " [", 2) && !strncmp(name + 2, unit, unit_length) &&
                      !strcmp(name + 2 + unit_length, "]"));
}

int phx_csv_find(const phx_csv *csv, const char *name)
{
    for (int i = 0; i < csv->n_columns; i++)
        if (csv_is_called(csv, i, name))
            return i;
    return -1;
}

void phx_csv_drop(phx_csv *csv, int column)
{
    const int n = csv->n_columns;

    csv_drop_name(csv, column);
    for (size_t from = 0, to = 0; from < csv->n_rows * (size_t)n; from++)
        if (from % (size_t)n != (size_t)column)
            csv->values[to++] = csv->values[from];
}
