/* Phlexor, layer mesh, private: input decks of Abaqus and CalculiX.
 *
 * A keyword line "*NAME, KEY=VALUE, KEY" is followed by data lines; "**" begins a comment. Blanks and case do not
 * count. An instance of a part is the text of the part read once more, with its own scope of labels and its own place.
 */
#ifndef PHLEXOR_MESH_DECK_H
#define PHLEXOR_MESH_DECK_H

#include "builder.h"

enum { PHX_DECK_DEPTH = 16, PHX_DECK_KEYS = 24, PHX_DECK_NAME = 32 };

typedef struct phx_slice {
    const char *text;
    size_t length;
} phx_slice;

/* Text being read: a file, a file that it includes, a part. */
typedef struct phx_deck_text {
    int file;
    const char *at, *end;
} phx_deck_text;

typedef struct phx_deck_line {
    phx_slice text; /* without blanks around it */
    size_t place;
    const char *begin; /* of the line in its file */
} phx_deck_line;

typedef struct phx_keyword {
    char name[PHX_DECK_NAME]; /* "SOLIDSECTION": upper case, without blanks */
    size_t place;
    int n_keys;
    phx_slice key[PHX_DECK_KEYS], value[PHX_DECK_KEYS];
} phx_keyword;

/* Labels from, from + step, ..., to of a scope; or the nodes of an element set. */
typedef struct phx_range {
    int scope;
    bool generated; /* labels that do not exist are passed over */
    int elements;   /* the element set, -1: labels */
    long long from, to, step;
    size_t place;
} phx_range;

typedef struct phx_set {
    char *name;
    bool cells;  /* else nodes */
    bool listed; /* by *NSET or *ELSET, not by *NODE or *ELEMENT alone */
    size_t count, room;
    phx_range *ranges;
} phx_set;

typedef struct phx_part {
    phx_slice name;
    phx_deck_text text;
} phx_part;

typedef struct phx_instance {
    phx_slice name;
    int scope;
    double shift[3], rot[9], origin[3]; /* x -> origin + rot (x + shift - origin) */
} phx_instance;

/* A line of a *SURFACE. */
typedef struct phx_surface_line {
    char *surface;
    bool nodes;
    phx_slice item, side;
    int instance; /* -1: none */
    size_t place;
} phx_surface_line;

/* A section, whose material may come later. */
typedef struct phx_section_line {
    phx_slice material;
    size_t place;
} phx_section_line;

/* The texts being read, one inside the other (deck_lines.c). */
typedef struct phx_deck_lines {
    phx_deck_text text[PHX_DECK_DEPTH];
    int depth, base; /* texts below `base` wait */
    phx_deck_line line;
    bool has_line; /* it was looked at and not taken */
} phx_deck_lines;

/* Sets of nodes and elements, found by name (deck_sets.c). */
typedef struct phx_deck_sets {
    size_t n, room, n_ranges;
    phx_set *set;
    phx_table table;
} phx_deck_sets;

/* Parts and their instances. */
typedef struct phx_deck_assembly {
    size_t n_parts, parts_room, n_instances, instances_room;
    phx_part *parts;
    phx_instance *instances;
    int instance; /* being read, -1: none */
} phx_deck_assembly;

/* Lines of surfaces (deck_sets.c). */
typedef struct phx_deck_surfaces {
    size_t n, room;
    phx_surface_line *line;
    bool *is_shared; /* side 8 cell + side of solids: another has it too; NULL: not looked for */
} phx_deck_surfaces;

/* Sections and materials (deck_materials.c); the last two rooms are of arrays of the deck. */
typedef struct phx_deck_properties {
    size_t n_lines, room, sections_room, materials_room;
    phx_section_line *line;
    int material; /* being read, -1: none */
} phx_deck_properties;

typedef struct phx_deck_reader {
    phx_builder *b;
    phx_context *context;
    phx_deck *deck;
    phx_deck_lines lines;
    phx_deck_sets names;
    phx_deck_assembly assembly;
    phx_deck_surfaces surfaces;
    phx_deck_properties properties;
    double n_items; /* that sets and surfaces have put into groups */
    bool is_noted;  /* there is a remark on a keyword without meaning here */
} phx_deck_reader;

/* ---- lines (deck_lines.c) ---- */
phx_status phx_deck_open(phx_deck_reader *r, phx_slice name, size_t place); /* a file to be read next */
phx_status phx_deck_push_file(phx_deck_reader *r, int file, size_t place);
phx_status phx_deck_push(phx_deck_reader *r, phx_deck_text text, size_t place);
const phx_deck_line *phx_deck_peek(phx_deck_reader *r);          /* NULL: the end */
const phx_deck_line *phx_deck_data(phx_deck_reader *r);          /* takes the next line; NULL: no data line is next */
phx_status phx_deck_keyword(phx_deck_reader *r, phx_keyword *k); /* takes the keyword that is next */
/* The value of a key (text NULL: it has none); NULL: there is no such key. */
const phx_slice *phx_keyword_value(const phx_keyword *k, const char *key);
bool phx_slice_is(phx_slice a, const char *word); /* without regard to case and blanks */
bool phx_slice_same(phx_slice a, phx_slice b);
char *phx_slice_copy(phx_context *context, phx_slice a);
/* The next field of a data line, "" for an empty one; false: there is none. A comma at the end ends the line. */
bool phx_next_field(phx_slice *rest, phx_slice *field);
phx_status phx_deck_number(phx_deck_reader *r, phx_slice field, size_t place, const char *what, double *value);
#define DECK_FAIL(r, place, ...) phx_input_fail((r)->b->input, (place), __VA_ARGS__)

/* ---- element types (deck_cells.c) ---- */
/* Type and `beyond` of "C3D20R"; `order` as in phx_gmsh_cell. PHX_ERR_INPUT for one that is not in the table; the first
 * time a name is there, remarks on it. */
phx_status phx_deck_cell_type(phx_deck_reader *r, const char *name, bool is_new, size_t place, phx_built_cell *cell,
                              const int **order);

/* Masses, springs and their like, which are no cells. */
bool phx_deck_skips(const char *name);

/* ---- sets and surfaces (deck_sets.c) ---- */
phx_status phx_deck_set(phx_deck_reader *r, bool cells, phx_slice name, int *set); /* made when new */
int phx_deck_find_set(const phx_deck_reader *r, bool cells, phx_slice name, int instance);
int phx_deck_find_instance(const phx_deck_reader *r, phx_slice name);
phx_status phx_set_add(phx_deck_reader *r, int set, const phx_range *range);
phx_status phx_deck_read_set(phx_deck_reader *r, const phx_keyword *k, bool cells);
phx_status phx_deck_read_surface(phx_deck_reader *r, const phx_keyword *k);
phx_status phx_deck_make_groups(phx_deck_reader *r);
int phx_deck_scope(const phx_deck_reader *r); /* of what is being read */

/* ---- materials (deck_materials.c) ---- */
phx_status phx_deck_read_material(phx_deck_reader *r, const phx_keyword *k);
phx_status phx_deck_read_elastic(phx_deck_reader *r, const phx_keyword *k);
phx_status phx_deck_read_density(phx_deck_reader *r, const phx_keyword *k);
phx_status phx_deck_read_expansion(phx_deck_reader *r, const phx_keyword *k);
phx_status phx_deck_read_section(phx_deck_reader *r, const phx_keyword *k);
phx_status phx_deck_join_sections(phx_deck_reader *r); /* sections and materials */

#endif
