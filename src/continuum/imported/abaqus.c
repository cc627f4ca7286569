/* Abaqus, *MATRIX GENERATE: JOB_MASS1.mtx and JOB_STIF1.mtx as text, one entry a line:
 *
 *   row col value                    FORMAT=COORDINATE
 *   node,component,node,component,value   FORMAT=MATRIX INPUT
 *
 * Both triangles are stored, in any order; a file with one of them is taken as well. Components 1 to 6. */
#include "imported.h"

static const char *const suffixes[] = {"mtx", NULL};

static int count_words(import_text *text)
{
    int words = 0;
    while (import_next_word(text).length > 0)
        words++;
    text->at = text->begin;
    return words;
}

/* `row` gets the number in the file, or the row of node and component. */
static phx_status abaqus_read_row(phx_import *import, import_text *text, bool labelled, int *row)
{
    int number, component;
    phx_status status = import_integer(text, labelled ? "the node" : "the row or column", &number);
    if (!status && labelled)
        status = import_integer(text, "the component", &component);
    if (status)
        return status;
    if (number < 1)
        return labelled ? import_fail(text,
                                      "node %d: nodes that Abaqus adds by itself (Lagrange multipliers, internal "
                                      "nodes of connectors and contact) have no place; leave them out of the "
                                      "model",
                                      number)
                        : import_fail(text, "row or column %d; they are counted from 1", number);
    *row = number - 1;
    if (!labelled)
        return PHX_OK;
    if (component < 1 || component > 6)
        return import_fail(text,
                           "component %d of node %d; 1 to 3 are translations, 4 to 6 rotations, others cannot "
                           "be read",
                           component, number);
    return import_row_of(import, text, number, component - 1, row);
}

static phx_status abaqus_read_entry(phx_import *import, import_text *text, import_matrix *matrix)
{
    int row, col;
    double value;
    phx_status status = abaqus_read_row(import, text, matrix->labelled, &row);
    if (!status)
        status = abaqus_read_row(import, text, matrix->labelled, &col);
    if (!status)
        status = import_value_of(text, import_next_word(text), "the entry", &value);
    if (!status)
        status = import_line_ends(text);
    return status ? status : import_add_entry(import, text, matrix, row, col, value);
}

/* Comments begin with **; a keyword is one of *SUBSTRUCTURE MATRIX OUTPUT. */
static bool next_entry_line(import_text *text, bool *keyword)
{
    *keyword = false;
    while (import_next_data_line(text, "")) {
        const import_word first = import_next_word(text);
        text->at = text->begin;
        if (import_word_begins(first, "**"))
            continue;
        *keyword = first.text[0] == '*';
        return true;
    }
    return false;
}

/* Reads a matrix file of Abaqus in either format; the first line decides whether rows are numbers or nodes with
 * components. */
static phx_status abaqus_read(phx_import *import, import_text *text)
{
    import_matrix *matrix = NULL;
    import_role role;
    bool keyword;
    phx_status status = import_role_of_file(import, text, &role);
    while (!status && next_entry_line(text, &keyword)) {
        if (keyword)
            return import_fail(text,
                               "keyword %s: this is no file of *MATRIX GENERATE; write the matrices with *MATRIX "
                               "OUTPUT, MASS, STIFFNESS",
                               import_shown(import_next_word(text)).text);
        const int words = count_words(text);
        if (!matrix && words != 3 && words != 5)
            return import_fail(text,
                               "%d values; a line has 'row col value' or 'node, component, node, component, "
                               "value'",
                               words);
        if (!matrix)
            status = import_begin_matrix(import, text, role, words == 5, &matrix);
        if (!status)
            status = abaqus_read_entry(import, text, matrix);
    }
    if (!status && !matrix)
        return import_fail(text, "the file has no entries");
    return status;
}

const import_format import_abaqus = {"Abaqus matrix", suffixes, NULL, abaqus_read};
