/* Nastran bulk data and punch files: GRID, and DMIG of real square matrices.
 *
 *   DMIG  NAME  0   form  type            form 1: both triangles, 6: one of them; type 1, 2: real
 *   DMIG  NAME  GJ  CJ    -    G1 C1 A1   column (GJ, CJ), row (G1, C1), entry; four fields a row from there on
 *
 * Fields of 8 columns, of 16 (a * behind the name), or parted by commas; a line whose first field is empty or begins
 * with + or * continues the one before. Matrices whose names begin with M are masses, with K stiffnesses; others are
 * left out. Cards other than these two are left out. */
#include "imported.h"

#include <ctype.h>
#include <string.h>

static const char *const suffixes[] = {"pch", "dmig", "bdf", "nas", "blk", "bulk", "dat", "fem", NULL};
enum { SMALL_FIELDS = 8, LARGE_FIELDS = 4, SMALL_WIDTH = 8, LARGE_WIDTH = 16 };

typedef struct bulk_field {
    import_word word;
    long line;
} bulk_field;

/* One entry of the bulk data with its continuations; field 0 is the name. */
typedef struct bulk_card {
    int n, room;
    bulk_field *field;
} bulk_card;

typedef struct bulk_reader {
    phx_import *import;
    import_text *text;
    bulk_card card;
    bool waiting; /* the current line is the first one of the next card */
} bulk_reader;

/* ---- lines and fields ---- */
static bool next_bulk_line(import_text *text)
{
    return import_next_data_line(text, "$") && !import_word_begins(import_column(text, 0, SMALL_WIDTH), "ENDDATA");
}

static phx_status add_field(bulk_reader *reader, import_word word)
{
    bulk_card *card = &reader->card;
    if (card->n == card->room) {
        const int room = card->room ? 2 * card->room : 32;
        bulk_field *grown = phx_realloc(reader->import->context, card->field, (size_t)room, sizeof *grown);
        if (!grown)
            return PHX_ERR_MEMORY;
        card->field = grown;
        card->room = room;
    }
    card->field[card->n++] = (bulk_field){word, reader->text->line};
    return PHX_OK;
}

static bool has_commas(const import_text *text)
{
    const ptrdiff_t length = text->end - text->begin;
    return length > 0 && memchr(text->begin, ',', (size_t)length) != NULL;
}

/* The field before the next comma; *next: behind it, NULL: this was the last one. */
static import_word comma_field(const char *from, const char *end, const char **next)
{
    const char *comma = memchr(from, ',', (size_t)(end - from)), *last = comma ? comma : end;
    *next = comma ? comma + 1 : NULL;
    while (from < last && isspace((unsigned char)*from))
        from++;
    while (from < last && isspace((unsigned char)last[-1]))
        last--;
    return (import_word){from, (int)(last - from)};
}

static import_word first_field(const import_text *text)
{
    const char *next;
    return has_commas(text) ? comma_field(text->begin, text->end, &next) : import_column(text, 0, SMALL_WIDTH);
}

static bool is_large(import_word first)
{
    return first.length > 0 && (first.text[0] == '*' || first.text[first.length - 1] == '*');
}

/* Adds the fields of a line with commas to the present card; at most one field, the mark of a continuation, may follow
 * the last one. */
static phx_status add_line_with_commas(bulk_reader *reader)
{
    const char *next;
    const bool large = is_large(comma_field(reader->text->begin, reader->text->end, &next));
    phx_status status = PHX_OK;
    for (int k = 0; k < (large ? LARGE_FIELDS : SMALL_FIELDS) && !status; k++) {
        import_word word = {reader->text->end, 0};
        if (next)
            word = comma_field(next, reader->text->end, &next);
        status = add_field(reader, word);
    }
    if (status || !next)
        return status;
    const import_word mark = comma_field(next, reader->text->end, &next); /* of a continuation */
    if (next || (mark.length > 0 && mark.text[0] != '+' && mark.text[0] != '*'))
        return import_fail(reader->text, "more than %d fields in a line", large ? LARGE_FIELDS : SMALL_FIELDS);
    return PHX_OK;
}

static phx_status add_line(bulk_reader *reader)
{
    if (has_commas(reader->text))
        return add_line_with_commas(reader);
    const bool large = is_large(import_column(reader->text, 0, SMALL_WIDTH));
    const int width = large ? LARGE_WIDTH : SMALL_WIDTH;
    phx_status status = PHX_OK;
    for (int k = 0; k < (large ? LARGE_FIELDS : SMALL_FIELDS) && !status; k++)
        status = add_field(reader, import_column(reader->text, SMALL_WIDTH + k * width, width));
    return status;
}

static bool continues(const import_text *text)
{
    const import_word first = first_field(text);
    return first.length == 0 || first.text[0] == '+' || first.text[0] == '*';
}

static bool is_wanted(import_word name)
{
    return import_word_is(name, "DMIG") || import_word_is(name, "DMIG*") || import_word_is(name, "GRID") ||
           import_word_is(name, "GRID*") || import_word_is(name, "GRDSET");
}

/* The next card of those that are wanted; n = 0 at the end. */
static phx_status next_card(bulk_reader *reader)
{
    phx_status status = PHX_OK;
    reader->card.n = 0;
    while (reader->waiting && !is_wanted(first_field(reader->text)))
        reader->waiting = next_bulk_line(reader->text);
    if (!reader->waiting)
        return PHX_OK;
    status = add_field(reader, first_field(reader->text));
    do {
        if (!status)
            status = add_line(reader);
        reader->waiting = !status && next_bulk_line(reader->text);
    } while (reader->waiting && continues(reader->text));
    return status;
}

/* ---- values of a card ---- */
static import_word field(const bulk_reader *reader, int k)
{
    return k < reader->card.n ? reader->card.field[k].word : (import_word){"", 0};
}

/* For messages: the text at the line of a field. */
static import_text bulk_place_of(const bulk_reader *reader, int k)
{
    import_text place = *reader->text;
    place.line = reader->card.field[k < reader->card.n ? k : 0].line;
    return place;
}

static phx_status integer_field(const bulk_reader *reader, int k, const char *what, int empty, int *value)
{
    const import_word word = field(reader, k);
    const import_text place = bulk_place_of(reader, k);
    *value = empty;
    if (word.length == 0 || import_integer_of(word, value))
        return PHX_OK;
    return import_fail(&place, "%s must be a whole number, here it is %s", what, import_shown(word).text);
}

static phx_status number_field(bulk_reader *reader, int k, const char *what, double *value)
{
    const import_word word = field(reader, k);
    import_text place = bulk_place_of(reader, k);
    *value = 0.0;
    const phx_status status = word.length == 0 ? PHX_OK : import_value_of(&place, word, what, value);
    reader->text->digits = place.digits;
    return status;
}

/* ---- GRID, id, coordinate system, x, y, z, system of displacements ---- */
static phx_status check_systems(const bulk_reader *reader, int place_system, int displacement_system)
{
    const import_text place = bulk_place_of(reader, 0);
    if (place_system == 0 && displacement_system == 0)
        return PHX_OK;
    return import_fail(&place,
                       "coordinate system %d; only the basic system can be read: write GRID with CP and CD "
                       "empty or 0",
                       place_system ? place_system : displacement_system);
}

/* Reads a GRID card; nodes must be in the basic coordinate system. */
static phx_status read_grid(bulk_reader *reader)
{
    static const char *const what[] = {"x", "y", "z"};
    int label, systems[2];
    double x[3];
    phx_status status = integer_field(reader, 1, "the node", 0, &label);
    if (!status)
        status = integer_field(reader, 2, "the coordinate system", 0, &systems[0]);
    if (!status)
        status = integer_field(reader, 6, "the system of displacements", 0, &systems[1]);
    for (int k = 0; k < 3 && !status; k++)
        status = number_field(reader, 3 + k, what[k], &x[k]);
    const import_text place = bulk_place_of(reader, 1);
    if (!status && label < 1)
        status = import_fail(&place, "node %d; nodes are counted from 1", label);
    if (!status)
        status = check_systems(reader, systems[0], systems[1]);
    return status ? status : import_add_node(reader->import, &place, label, x);
}

static phx_status read_defaults(const bulk_reader *reader)
{
    int systems[2];
    phx_status status = integer_field(reader, 2, "the coordinate system", 0, &systems[0]);
    if (!status)
        status = integer_field(reader, 6, "the system of displacements", 0, &systems[1]);
    return status ? status : check_systems(reader, systems[0], systems[1]);
}

/* ---- DMIG ---- */
/* K4AAX and the like are structural damping. */
static import_role role_of_matrix(import_word name)
{
    if (import_word_begins(name, "M"))
        return IMPORT_MASS;
    if ((import_word_begins(name, "K") && !import_word_begins(name, "K4")) || import_word_begins(name, "STIF"))
        return IMPORT_STIFFNESS;
    return IMPORT_NEITHER;
}

/* Reads the first line of a DMIG matrix and begins it; fails for complex and rectangular matrices. */
static phx_status read_head(bulk_reader *reader, import_role role)
{
    const import_text place = bulk_place_of(reader, 1);
    const import_word name = field(reader, 1);
    import_matrix *matrix;
    int form, type, polar;
    phx_status status = integer_field(reader, 3, "the form", 0, &form);
    if (!status)
        status = integer_field(reader, 4, "the type of the entries", 0, &type);
    if (!status)
        status = integer_field(reader, 6, "the form of complex entries", 0, &polar);
    if (status)
        return status;
    if (form != 1 && form != 6)
        return import_fail(&place, "the matrix has form %d; 1 (square) or 6 (symmetric) can be read", form);
    if (type != 1 && type != 2)
        return import_fail(&place, "the entries have type %d; 1 or 2 (real) can be read", type);
    status = import_begin_matrix(reader->import, &place, role, true, &matrix);
    if (status)
        return status;
    matrix->whole = form == 1;
    memcpy(matrix->name, name.text, (size_t)name.length);
    return PHX_OK;
}

/* Fields k and k + 1: node and component; a scalar point has component 0. */
static phx_status read_place(bulk_reader *reader, int k, int *row)
{
    const import_text place = bulk_place_of(reader, k);
    int label, component;
    phx_status status = integer_field(reader, k, "the node", 0, &label);
    if (!status)
        status = integer_field(reader, k + 1, "the component", 0, &component);
    if (status)
        return status;
    if (label < 1 || component < 0 || component > 6)
        return import_fail(&place,
                           "node %d, component %d; nodes are counted from 1, components are 1 to 6, 0 of a "
                           "scalar point",
                           label, component);
    return import_row_of(reader->import, &place, label, component ? component - 1 : PHX_UNKNOWN_OTHER, row);
}

static bool is_empty(const bulk_reader *reader, int k)
{
    return field(reader, k).length == 0 && field(reader, k + 1).length == 0 && field(reader, k + 2).length == 0 &&
           field(reader, k + 3).length == 0;
}

/* Reads one column of a DMIG matrix with its rows and entries. */
static phx_status read_matrix_column(bulk_reader *reader, import_matrix *matrix)
{
    int col;
    phx_status status = read_place(reader, 2, &col);
    for (int k = 5; k < reader->card.n && !status; k += 4) {
        import_text place = bulk_place_of(reader, k);
        int row;
        double value;
        if (is_empty(reader, k))
            continue;
        status = read_place(reader, k, &row);
        if (!status && field(reader, k + 2).length == 0)
            return import_fail(&place, "the entry of row %.*s, %.*s is missing", field(reader, k).length,
                               field(reader, k).text, field(reader, k + 1).length, field(reader, k + 1).text);
        if (!status)
            status = number_field(reader, k + 2, "the entry", &value);
        place.digits = reader->text->digits;
        if (!status)
            status = import_add_entry(reader->import, &place, matrix, row, col, value);
    }
    return status;
}

/* Reads a DMIG card, a head or a column; matrices whose names mark neither mass nor stiffness are skipped. */
static phx_status read_dmig(bulk_reader *reader)
{
    const import_text place = bulk_place_of(reader, 1);
    const import_word name = field(reader, 1);
    const import_role role = role_of_matrix(name);
    int column;
    if (name.length < 1 || name.length > 8)
        return import_fail(&place, "the name of the matrix is missing, or longer than 8 letters");
    phx_status status = integer_field(reader, 2, "the column", 0, &column);
    if (status || role == IMPORT_NEITHER)
        return status;
    if (column == 0)
        return read_head(reader, role);
    import_matrix *matrix = &reader->import->matrix[role];
    if (matrix->path != reader->text->path || !import_word_is(name, matrix->name))
        return import_fail(&place, "a column of the matrix %.*s before its first line (with 0 for the column)",
                           name.length, name.text);
    return read_matrix_column(reader, matrix);
}

static bool has_cards(import_text *text)
{
    while (import_next_data_line(text, "$")) {
        const import_word first = first_field(text);
        if (is_wanted(first))
            return true;
    }
    return false;
}

/* Reads all DMIG, GRID and GRDSET cards of a file; others are skipped. */
static phx_status bulk_read(phx_import *import, import_text *text)
{
    bulk_reader reader = {.import = import, .text = text};
    phx_status status = PHX_OK;
    for (reader.waiting = next_bulk_line(text); !status && reader.waiting;) {
        status = next_card(&reader);
        const import_word name = field(&reader, 0);
        if (!status && reader.card.n > 0)
            status = import_word_begins(name, "DMIG")     ? read_dmig(&reader)
                     : import_word_begins(name, "GRDSET") ? read_defaults(&reader)
                                                          : read_grid(&reader);
    }
    phx_free(reader.card.field);
    return status;
}

const import_format import_bulk = {"Nastran bulk data", suffixes, has_cards, bulk_read};
