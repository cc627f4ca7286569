/* CalculiX, *FREQUENCY, SOLVER=MATRIXSTORAGE: JOB.sti and JOB.mas with one triangle, 'row col value' a line, and
 * JOB.dof with what each row is, 'node.direction' a line. Constrained unknowns have no row. */
#include "imported.h"

#include <string.h>

static const char *const matrix_suffixes[] = {"sti", "mas", NULL}, *const dof_suffixes[] = {"dof", NULL};

/* ccx writes all values with the same digits and ends every line; both matrices have the same entries. */
static phx_status check_end(const phx_import *import, const import_text *text, const import_matrix *matrix,
                            import_word last)
{
    const import_matrix *other = matrix == import->matrix ? import->matrix + 1 : import->matrix;
    import_text end = *text;
    double value;
    end.digits = 0;
    if (import_value_of(&end, last, "the entry", &value))
        return PHX_OK;
    if (text->size > 0 && text->bytes[text->size - 1] != '\n' && end.digits < text->digits)
        return import_fail(text, "the file ends inside a line: it is truncated");
    if (other->count > 0 && other->count != matrix->count)
        return import_fail(text,
                           "the file has %zu entries, %s has %zu: one of them is truncated, or they are of two "
                           "runs",
                           matrix->count, other->path, other->count);
    return PHX_OK;
}

/* Reads a stiffness (.sti) or mass (.mas) matrix of CalculiX and checks that the file is complete. */
static phx_status calculix_read_matrix(phx_import *import, import_text *text)
{
    const char *suffix = strrchr(text->path, '.');
    const bool mass = import_word_is((import_word){suffix, (int)strlen(suffix)}, ".mas");
    import_matrix *matrix;
    import_word word = {0};
    import->calculix = true;
    phx_status status = import_begin_matrix(import, text, mass ? IMPORT_MASS : IMPORT_STIFFNESS, false, &matrix);
    while (!status && import_next_data_line(text, "")) {
        int row, col;
        double value;
        status = import_integer(text, "the row", &row);
        if (!status)
            status = import_integer(text, "the column", &col);
        if (!status)
            status = import_value_of(text, word = import_next_word(text), "the entry", &value);
        if (!status)
            status = import_line_ends(text);
        if (!status && (row < 1 || col < 1))
            status = import_fail(text, "the entry (%d, %d); rows and columns are counted from 1", row, col);
        if (!status)
            status = import_add_entry(import, text, matrix, row - 1, col - 1, value);
    }
    if (status)
        return status;
    if (matrix->count == 0)
        return import_fail(text, "the file has no entries");
    return check_end(import, text, matrix, word);
}

/* 167.3: a text, not a number (1.10 is not 1.1). */
static phx_status read_dof(phx_import *import, import_text *text)
{
    phx_status status = PHX_OK;
    for (int row = 0; !status && import_next_data_line(text, ""); row++) {
        const import_word word = import_next_word(text);
        const char *point = memchr(word.text, '.', (size_t)word.length);
        int label, direction;
        if (!point || !import_integer_of((import_word){word.text, (int)(point - word.text)}, &label) || label < 1 ||
            !import_integer_of((import_word){point + 1, word.length - (int)(point - word.text) - 1}, &direction))
            return import_fail(text, "a line must be 'node.direction', as 12.3, here it is %s",
                               import_shown(word).text);
        if (direction < 1 || direction > 3)
            return import_fail(text, "direction %d of node %d; 1 to 3 are displacements, others cannot be read",
                               direction, label);
        status = import_line_ends(text);
        if (!status)
            status = import_list_unknown(import, text, row, label, direction - 1);
    }
    if (!status && import->unknowns.n == 0)
        return import_fail(text, "the file has no lines");
    return status;
}

const import_format import_calculix_matrix = {"CalculiX matrix", matrix_suffixes, NULL, calculix_read_matrix};
const import_format import_calculix_dof = {"CalculiX .dof", dof_suffixes, NULL, read_dof};
