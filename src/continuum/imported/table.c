/* A table of nodes, one a line, parted by commas, semicolons or blanks:
 *
 *   node, x, y, z                        rows of the matrices: three (or six) for each node, in the order of the table
 *   node, x, y, z, ux, uy, uz, ...       with their names in every line: rows in the order of the table
 *   node, x, y, z, 1, 2, 3, ...          with their rows from 1; 0 or '-': there is none
 *
 * A first line of words names the columns: node x y z ux uy uz rx ry rz set, in any order; `set`: the sets that the
 * node is in, as bore or bore+top or -. Without x y z the table says what rows are, or what sets there are, of nodes
 * that another file gives. Comments begin with # or %. */
#include "imported.h"

enum { NODE = 0, X, Y, Z, UX, SET = 10, MOST_COLUMNS };
static const char *const suffixes[] = {"csv", "txt", "dat", "tab", "nodes", NULL};
static const char *const column_names[MOST_COLUMNS] = {"node", "x",  "y",  "z",  "ux", "uy",
                                                       "uz",   "rx", "ry", "rz", "set"};

typedef struct node_table {
    int n_columns;
    int column[MOST_COLUMNS]; /* what stands in each */
    bool has[MOST_COLUMNS];
    int rows; /* of unknowns in words, so far */
} node_table;

static int column_of(import_word word)
{
    for (int k = 0; k < MOST_COLUMNS; k++)
        if (import_word_is(word, column_names[k]))
            return k;
    return import_word_is(word, "id") || import_word_is(word, "label") ? NODE : -1;
}

static phx_status check_columns(const import_text *text, const node_table *table)
{
    const int places = table->has[X] + table->has[Y] + table->has[Z];
    bool unknowns = false;
    for (int k = UX; k < MOST_COLUMNS; k++)
        unknowns = unknowns || table->has[k];
    if (!table->has[NODE])
        return import_fail(text, "there is no column 'node'");
    if (places != 3 && (places != 0 || !unknowns))
        return import_fail(text, "the columns x, y and z belong together");
    return PHX_OK;
}

/* Reads the line of column names; fails for unknown and repeated ones. */
static phx_status table_read_names(import_text *text, node_table *table)
{
    for (;;) {
        const import_word word = import_next_word(text);
        if (word.length == 0)
            return check_columns(text, table);
        const int column = column_of(word);
        if (column < 0)
            return import_fail(text, "there is no column %s; there are node, x, y, z, ux, uy, uz, rx, ry, rz, set",
                               import_shown(word).text);
        if (table->has[column])
            return import_fail(text, "the column '%s' stands here twice", column_names[column]);
        table->has[column] = true;
        table->column[table->n_columns++] = column;
    }
}

static void set_default_columns(node_table *table)
{
    for (table->n_columns = 0; table->n_columns < SET; table->n_columns++) {
        table->column[table->n_columns] = table->n_columns;
        table->has[table->n_columns] = true;
    }
}

/* A component in words, or its row. */
static phx_status read_unknown(phx_import *import, import_text *text, node_table *table, import_word word, int column,
                               int label)
{
    const int named = column_of(word);
    int row;
    if (named >= UX && named < SET)
        return import_list_unknown(import, text, table->rows++, label, named - UX);
    if (import_word_is(word, "-"))
        return PHX_OK;
    if (!import_integer_of(word, &row) || row < 0)
        return import_fail(text, "%s of node %d must be its row (from 1; 0: it has none), here it is %s",
                           column_names[column], label, import_shown(word).text);
    return row > 0 ? import_list_unknown(import, text, row - 1, label, column - UX) : PHX_OK;
}

/* bore+top */
static phx_status read_sets(phx_import *import, import_text *text, import_word word, int label)
{
    phx_status status = PHX_OK;
    const char *name = word.text, *last = word.text + word.length;
    if (import_word_is(word, "-"))
        return PHX_OK;
    for (const char *c = name; c <= last && !status; c++) {
        if (c < last && *c != '+')
            continue;
        if (c > name)
            status = import_add_to_set(import, text, (import_word){name, (int)(c - name)}, label);
        name = c + 1;
    }
    return status;
}

/* Reads one line of the table: a node with its place, rows and sets. */
static phx_status table_read_row(phx_import *import, import_text *text, node_table *table)
{
    double x[3];
    int label = 0;
    import_word unknown[MOST_COLUMNS] = {{0}};
    for (int k = 0; k < table->n_columns; k++) {
        const int column = table->column[k];
        phx_status status = PHX_OK;
        if (column == NODE)
            status = import_integer(text, "the node", &label);
        else if (column <= Z)
            status = import_number(text, column_names[column], &x[column - X]);
        else
            unknown[column] = import_next_word(text);
        if (status)
            return status;
    }
    if (label < 1)
        return import_fail(text, "node %d; nodes are counted from 1", label);
    phx_status status = import_line_ends(text);
    if (!status && table->has[X])
        status = import_add_node(import, text, label, x);
    for (int k = UX; k < SET && !status; k++)
        if (unknown[k].length > 0)
            status = read_unknown(import, text, table, unknown[k], k, label);
    return status || !table->has[SET] ? status : read_sets(import, text, unknown[SET], label);
}

static bool begins_with_a_name(import_text *text)
{
    double value;
    const bool number = import_number_of(import_next_word(text), &value);
    text->at = text->begin;
    return !number;
}

/* Reads a table of nodes with or without a line of column names. */
static phx_status table_read(phx_import *import, import_text *text)
{
    node_table table = {0};
    phx_status status = PHX_OK;
    bool more = import_next_data_line(text, "#%");
    if (more && begins_with_a_name(text)) {
        status = table_read_names(text, &table);
        more = import_next_data_line(text, "#%");
    } else {
        set_default_columns(&table);
    }
    if (!status && !more)
        return import_fail(text, "the table has no nodes");
    for (; more && !status; more = import_next_data_line(text, "#%"))
        status = table_read_row(import, text, &table);
    if (table.has[X])
        import->nodes.in_order = true;
    return status;
}

const import_format import_table = {"table of nodes", suffixes, NULL, table_read};
