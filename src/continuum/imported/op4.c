/* Nastran OP4 as text. Each matrix begins with a line of fixed columns,
 *
 *   columns rows form type name format        4I8, A8, A16; the format of values, as 1P,3E23.16
 *
 * then come the columns that are not zero, each with a line 'column row words' (3I8) and the values from that row down;
 * a row of 0 announces strings of values: 'length + 1, row' (rows < 0 above), or both in one number
 * 65536 (length + 1) + row. Words of double precision count twice there. A last column, one behind the matrix, ends it.
 * Nothing in the file says what rows are. */
#include "imported.h"

#include <stdlib.h>
#include <string.h>

static const char *const suffixes[] = {"op4", NULL};
enum { FIELD = 8 };

typedef struct op4_reader {
    phx_import *import;
    import_text *text;
    import_matrix *matrix; /* NULL: this one is left out */
    int cols, rows;
    bool big;      /* strings have their row in a field of its own */
    int per_value; /* words of a value in strings */
    int per_line, width;
    int in_line; /* values that were read from the current line */
} op4_reader;

/* 4 fields of a head, or 3 or fewer of a column: those that are there. */
static phx_status read_fields(op4_reader *reader, int wanted, int *value, const char *what)
{
    if (!import_next_line(reader->text))
        return import_fail(reader->text, "the file ends before %s: it is truncated", what);
    for (int k = 0; k < wanted; k++) {
        const import_word word = import_column(reader->text, FIELD * k, FIELD);
        if (!import_integer_of(word, &value[k]))
            return import_fail(reader->text, "%s: a whole number was expected in columns %d to %d, here it is %s", what,
                               FIELD * k + 1, FIELD * k + FIELD, import_shown(word).text);
    }
    return PHX_OK;
}

/* 1P,3E23.16: three values a line, 23 columns each. Without a format: 5E16.9. */
static phx_status read_format(op4_reader *reader)
{
    import_word word = import_column(reader->text, 5 * FIELD, 2 * FIELD);
    reader->per_line = 5;
    reader->width = 16;
    if (word.length == 0)
        return PHX_OK;
    const char *comma = memchr(word.text, ',', (size_t)word.length);
    if (comma) {
        word.length -= (int)(comma + 1 - word.text);
        word.text = comma + 1;
    }
    int letter = 0, point = 0;
    while (letter < word.length && !strchr("EeDd", word.text[letter]))
        letter++;
    for (point = letter; point < word.length && word.text[point] != '.';)
        point++;
    if (letter < word.length && import_integer_of((import_word){word.text, letter}, &reader->per_line) &&
        import_integer_of((import_word){word.text + letter + 1, point - letter - 1}, &reader->width) &&
        reader->per_line > 0 && reader->per_line < 1000 && reader->width > 0 && reader->width < 1000)
        return PHX_OK;
    return import_fail(reader->text, "the format of the values must be as 1P,3E23.16, here it is %s",
                       import_shown(word).text);
}

/* One value of a run that starts with a new line. */
static phx_status read_value(op4_reader *reader, double *value)
{
    if (reader->in_line == reader->per_line) {
        if (!import_next_line(reader->text))
            return import_fail(reader->text, "the file ends inside a column: it is truncated");
        reader->in_line = 0;
    }
    const import_word word = import_column(reader->text, reader->width * reader->in_line++, reader->width);
    return import_value_of(reader->text, word, "the entry", value);
}

/* Reads `count` values of a column from `row` on; zeros are not stored. */
static phx_status op4_read_values(op4_reader *reader, int col, int row, int count)
{
    reader->in_line = reader->per_line;
    if (row < 1 || count < 0 || count > reader->rows - row + 1)
        return import_fail(reader->text, "%d values from row %d on, in a matrix of %d rows", count, row, reader->rows);
    for (int k = 0; k < count; k++) {
        double value;
        phx_status status = read_value(reader, &value);
        if (!status && reader->matrix && value != 0.0)
            status = import_add_entry(reader->import, reader->text, reader->matrix, row - 1 + k, col - 1, value);
        if (status)
            return status;
    }
    return PHX_OK;
}

/* length + 1 and row of a string. */
static phx_status read_string_head(op4_reader *reader, int head[2])
{
    if (reader->big)
        return read_fields(reader, 2, head, "a string of values");
    int number = 0;
    if (!import_next_line(reader->text) || !import_integer_of(import_next_word(reader->text), &number))
        return import_fail(reader->text, "a string of values begins with length and row in one number");
    head[0] = number / 65536;
    head[1] = number % 65536;
    return PHX_OK;
}

/* Reads the strings of values of a sparse column with the given number of words. */
static phx_status read_strings(op4_reader *reader, int col, int words)
{
    phx_status status = PHX_OK;
    while (words > 0 && !status) {
        int head[2];
        status = read_string_head(reader, head);
        if (status)
            return status;
        const int length = head[0] - 1, heads = reader->big ? 2 : 1; /* in words */
        if (length < 1 || length > words - heads)
            return import_fail(reader->text, "the strings do not fill their column");
        words -= length + heads;
        status = op4_read_values(reader, col, head[1], length / reader->per_value);
    }
    return status;
}

/* Reads all columns of a matrix up to its end mark. */
static phx_status read_columns(op4_reader *reader)
{
    int before = 0;
    for (;;) {
        int head[3]; /* column, row, words */
        phx_status status = read_fields(reader, 3, head, "a column");
        if (status)
            return status;
        if (head[0] <= before)
            return import_fail(reader->text, "column %d comes after column %d", head[0], before);
        before = head[0];
        if (head[0] > reader->cols) { /* the end: one value without meaning */
            import_next_line(reader->text);
            return PHX_OK;
        }
        status =
            head[1] == 0 ? read_strings(reader, head[0], head[2]) : op4_read_values(reader, head[0], head[1], head[2]);
        if (status)
            return status;
    }
}

/* By the name in the file; where that says nothing by the file's own. */
static phx_status begin_matrix(op4_reader *reader, import_word name)
{
    char copy[FIELD + 1] = {0};
    memcpy(copy, name.text, (size_t)name.length);
    import_role role = import_word_begins(name, "M")                                      ? IMPORT_MASS
                       : import_word_begins(name, "K") && !import_word_begins(name, "K4") ? IMPORT_STIFFNESS
                                                                                          : import_role_of_name(copy);
    if (reader->text->path == reader->import->def->mass_file)
        role = IMPORT_MASS;
    if (reader->text->path == reader->import->def->stiffness_file)
        role = IMPORT_STIFFNESS;
    if (role == IMPORT_NEITHER)
        return PHX_OK;
    const phx_status status = import_begin_matrix(reader->import, reader->text, role, false, &reader->matrix);
    if (!status)
        memcpy(reader->matrix->name, copy, sizeof copy);
    return status;
}

/* Reads the head and the columns of one OP4 matrix; those that are neither mass nor stiffness are read over. */
static phx_status op4_read_matrix(op4_reader *reader)
{
    int head[4];
    phx_status status = read_fields(reader, 4, head, "the first line of a matrix");
    if (!status)
        status = read_format(reader);
    if (!status)
        status = begin_matrix(reader, import_column(reader->text, 4 * FIELD, FIELD));
    if (status)
        return status;
    reader->cols = head[0];
    reader->rows = abs(head[1]);
    reader->big = head[1] < 0 || head[1] >= 65536;
    reader->per_value = head[3] == 2 ? 2 : 1;
    if (head[3] != 1 && head[3] != 2)
        return import_fail(reader->text, "the entries have type %d; 1 or 2 (real) can be read", head[3]);
    if (reader->matrix && reader->rows != reader->cols)
        return import_fail(reader->text, "a matrix of %d rows and %d columns; a mass or stiffness matrix is square",
                           reader->rows, reader->cols);
    if (reader->matrix) {
        reader->matrix->declared = true;
        reader->matrix->rows = reader->rows;
        reader->matrix->last_line = reader->text->line;
    }
    return read_columns(reader);
}

static phx_status op4_read(phx_import *import, import_text *text)
{
    phx_status status = PHX_OK;
    while (!status && text->next < text->bytes + text->size) {
        import_text ahead = *text;
        if (!import_next_data_line(&ahead, ""))
            break; /* blank lines */
        op4_reader reader = {.import = import, .text = text};
        status = op4_read_matrix(&reader);
    }
    return status;
}

const import_format import_op4 = {"Nastran OP4", suffixes, NULL, op4_read};
