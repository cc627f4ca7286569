/* Matrix Market: a header, the sizes, one entry a line. Real matrices, sparse or dense, general or symmetric. */
#include "imported.h"

#include <limits.h>

static const char *const suffixes[] = {"mtx", "mm", "mmf", NULL};

static bool has_header(import_text *text)
{
    return import_next_line(text) && import_word_is(import_next_word(text), "%%MatrixMarket");
}

typedef struct mm_header {
    bool dense, symmetric;
    int rows, cols, entries;
} mm_header;

/* The next word of the header: 0, 1, ... as in `words` (NULL behind the last). */
static phx_status read_choice(import_text *text, const char *what, const char *const *words, int *choice)
{
    const import_word word = import_next_word(text);
    for (*choice = 0; words[*choice]; ++*choice)
        if (import_word_is(word, words[*choice]))
            return PHX_OK;
    return import_fail(text, "the %s of the matrix must be %s or %s, here it is %s", what, words[0],
                       words[words[1] ? 1 : 0], import_shown(word).text);
}

/* Reads the header and the sizes of a Matrix Market file; fails for complex, pattern and skew matrices. */
static phx_status read_header(import_text *text, mm_header *header)
{
    static const char *const objects[] = {"matrix", NULL}, *const forms[] = {"coordinate", "array", NULL};
    static const char *const fields[] = {"real", "integer", "double", NULL};
    static const char *const symmetries[] = {"general", "symmetric", NULL};
    int object, form, field, symmetry;
    import_next_line(text);
    import_next_word(text); /* %%MatrixMarket */
    phx_status status = read_choice(text, "object", objects, &object);
    if (!status)
        status = read_choice(text, "format", forms, &form);
    if (!status)
        status = read_choice(text, "field", fields, &field);
    if (!status)
        status = read_choice(text, "symmetry", symmetries, &symmetry);
    if (status)
        return status;
    header->dense = form == 1;
    header->symmetric = symmetry == 1;
    if (!import_next_data_line(text, "%"))
        return import_fail(text, "the file ends before the sizes of the matrix");
    status = import_integer(text, "the number of rows", &header->rows);
    if (!status)
        status = import_integer(text, "the number of columns", &header->cols);
    if (!status && !header->dense)
        status = import_integer(text, "the number of entries", &header->entries);
    if (!status)
        status = import_line_ends(text);
    if (!status && (header->rows < 1 || header->cols < 1 || header->entries < 0))
        return import_fail(text, "a matrix of %d rows and %d columns", header->rows, header->cols);
    return status;
}

/* Reads the entries of a sparse matrix, whose number the header gives. */
static phx_status read_coordinates(phx_import *import, import_text *text, const mm_header *header,
                                   import_matrix *matrix)
{
    for (int k = 0; k < header->entries; k++) {
        int row, col;
        double value;
        if (!import_next_data_line(text, "%"))
            return import_fail(text, "the file ends after %d of %d entries: it is truncated", k, header->entries);
        phx_status status = import_integer(text, "the row", &row);
        if (!status)
            status = import_integer(text, "the column", &col);
        if (!status)
            status = import_value_of(text, import_next_word(text), "the entry", &value);
        if (!status)
            status = import_line_ends(text);
        if (status)
            return status;
        if (row < 1 || row > header->rows || col < 1 || col > header->cols)
            return import_fail(text, "the entry (%d, %d) lies outside the matrix of %d rows and %d columns", row, col,
                               header->rows, header->cols);
        status = import_add_entry(import, text, matrix, row - 1, col - 1, value);
        if (status)
            return status;
    }
    return PHX_OK;
}

/* Column after column; of a symmetric matrix from the diagonal down. */
static phx_status read_array(phx_import *import, import_text *text, const mm_header *header, import_matrix *matrix)
{
    for (int col = 0; col < header->cols; col++)
        for (int row = header->symmetric ? col : 0; row < header->rows; row++) {
            double value;
            if (!import_next_data_line(text, "%"))
                return import_fail(text,
                                   "the file ends before the entry (%d, %d) of %d rows and %d columns: it is "
                                   "truncated",
                                   row + 1, col + 1, header->rows, header->cols);
            phx_status status = import_value_of(text, import_next_word(text), "the entry", &value);
            if (!status)
                status = import_line_ends(text);
            if (!status && (value != 0.0 || row == col))
                status = import_add_entry(import, text, matrix, row, col, value);
            if (status)
                return status;
        }
    return PHX_OK;
}

static phx_status read_entries(phx_import *import, import_text *text, const mm_header *header, import_matrix *matrix)
{
    matrix->declared = true;
    matrix->rows = header->rows;
    matrix->last_line = text->line;
    matrix->whole = !header->symmetric;
    matrix->sums = true;
    const phx_status status = (header->dense ? read_array : read_coordinates)(import, text, header, matrix);
    if (!status && import_next_data_line(text, "%"))
        return import_fail(text, "the file goes on behind the last entry");
    return status;
}

/* Reads a square mass or stiffness matrix, which the file name tells apart. */
static phx_status matrix_market_read(phx_import *import, import_text *text)
{
    mm_header header = {0};
    import_role role;
    import_matrix *matrix;
    phx_status status = import_role_of_file(import, text, &role);
    if (!status)
        status = import_begin_matrix(import, text, role, false, &matrix);
    if (!status)
        status = read_header(text, &header);
    if (!status && header.rows != header.cols)
        status = import_fail(text, "a matrix of %d rows and %d columns; a mass or stiffness matrix is square",
                             header.rows, header.cols);
    return status ? status : read_entries(import, text, &header, matrix);
}

/* Reads mode shapes as a general Matrix Market matrix, one column for each mode. */
phx_status import_read_modes(phx_import *import, import_text *text)
{
    import_modes *modes = &import->modes;
    import_matrix entries = {.path = text->path};
    mm_header header = {0};
    phx_status status = PHX_OK;

    if (!has_header(text))
        status = import_fail(text, "shapes are read as a Matrix Market file, which begins with %%%%MatrixMarket");
    import_text_rewind(text);
    if (!status)
        status = read_header(text, &header);
    if (!status && header.symmetric)
        status = import_fail(text, "shapes are a 'general' matrix, a column each; this one is 'symmetric'");
    if (!status)
        status = read_entries(import, text, &header, &entries);
    if (!status) {
        modes->path = text->path;
        modes->rows = header.rows;
        modes->count = header.cols;
        modes->shape = phx_calloc(import->context, (size_t)header.rows * (size_t)header.cols, sizeof *modes->shape);
        status = modes->shape ? PHX_OK : PHX_ERR_MEMORY;
    }
    for (size_t k = 0; k < entries.count && !status; k++)
        modes->shape[(size_t)entries.row[k] * (size_t)header.cols + (size_t)entries.col[k]] += entries.value[k];
    phx_free(entries.row);
    phx_free(entries.col);
    phx_free(entries.value);
    return status;
}

const import_format import_matrix_market = {"Matrix Market", suffixes, has_header, matrix_market_read};
