/* The element types of Abaqus and CalculiX. */
#include "deck.h"

#include <stdio.h>
#include <string.h>

/* The middle of a quadratic line stands between its ends. */
static const int line3_order[] = {0, 2, 1};
/* Of a C3D27 the centre stands before those of the faces. */
static const int hex27_order[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                  14, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 26, 20};

/* Letters behind these names tell variants: C3D20R, S4R. */
static const struct {
    const char *name;
    phx_cell_type type;
} types[] = {
    {"C3D4", PHX_CELL_TET4},   {"C3D10", PHX_CELL_TET10},   {"C3D8", PHX_CELL_HEX8},   {"C3D20", PHX_CELL_HEX20},
    {"C3D6", PHX_CELL_WEDGE6}, {"C3D15", PHX_CELL_WEDGE15}, {"S3", PHX_CELL_TRI3},     {"STRI3", PHX_CELL_TRI3},
    {"S6", PHX_CELL_TRI6},     {"STRI65", PHX_CELL_TRI6},   {"S4", PHX_CELL_QUAD4},    {"S8", PHX_CELL_QUAD8},
    {"CPS3", PHX_CELL_TRI3},   {"CPS4", PHX_CELL_QUAD4},    {"CPS6", PHX_CELL_TRI6},   {"CPS8", PHX_CELL_QUAD8},
    {"CPE3", PHX_CELL_TRI3},   {"CPE4", PHX_CELL_QUAD4},    {"CPE6", PHX_CELL_TRI6},   {"CPE8", PHX_CELL_QUAD8},
    {"CAX3", PHX_CELL_TRI3},   {"CAX4", PHX_CELL_QUAD4},    {"CAX6", PHX_CELL_TRI6},   {"CAX8", PHX_CELL_QUAD8},
    {"M3D3", PHX_CELL_TRI3},   {"M3D4", PHX_CELL_QUAD4},    {"M3D6", PHX_CELL_TRI6},   {"M3D8", PHX_CELL_QUAD8},
    {"SFM3D3", PHX_CELL_TRI3}, {"SFM3D4", PHX_CELL_QUAD4},  {"SFM3D6", PHX_CELL_TRI6}, {"SFM3D8", PHX_CELL_QUAD8},
    {"R3D3", PHX_CELL_TRI3},   {"R3D4", PHX_CELL_QUAD4},    {"T2D2", PHX_CELL_LINE2},  {"T2D3", PHX_CELL_LINE3},
    {"T3D2", PHX_CELL_LINE2},  {"T3D3", PHX_CELL_LINE3},    {"B21", PHX_CELL_LINE2},   {"B22", PHX_CELL_LINE3},
    {"B23", PHX_CELL_LINE2},   {"B31", PHX_CELL_LINE2},     {"B32", PHX_CELL_LINE3},   {"B33", PHX_CELL_LINE2},
    {"C3D27", PHX_CELL_HEX27}, {"M3D9", PHX_CELL_QUAD9},
};

/* Letters of variants that are read as the type itself: of surfaces those of other integration rules, since a plate has
 * elements of its own and a solid takes them for sets; of lines hybrid ones. A C3D20R is integrated as such. */
static bool is_known(const char *name, const char *letters)
{
    static const char *const surfaces[] = {"R", "RS", "RSW", "R5", "T"};
    const bool solid = !strncmp(name, "C3D", 3);

    if (*letters == '\0' || (!solid && !strcmp(letters, "H")))
        return true;
    for (size_t k = 0; k < sizeof surfaces / sizeof *surfaces && !solid; k++)
        if (!strcmp(letters, surfaces[k]))
            return true;
    return !strcmp(name, "C3D20R");
}

/* Elements that Phlexor does not give what a deck gives them, by the letters that their names begin with. */
static phx_status remark_type(phx_deck_reader *r, const char *name, int dimension, size_t place)
{
    char text[300];
    const bool membrane = !strncmp(name, "M3D", 3),
               counts = membrane || strchr("STB", *name) || !strncmp(name, "R3D", 3);

    if (!counts || dimension == 3 || !strncmp(name, "SFM3D", 5))
        return PHX_OK;
    snprintf(text, sizeof text,
             "elements of type %s have neither stiffness nor mass beside the others; they serve for "
             "sets alone",
             name);
    phx_status status = phx_builder_remark(r->b, PHX_MESH_NOTE_BESIDE, dimension, place, text);
    snprintf(text, sizeof text, "membranes (%s) do not bend, and a plate does; take shells", name);
    return status || !membrane ? status : phx_builder_remark(r->b, PHX_MESH_FAULT_ALONE, dimension, place, text);
}

/* Finds cell type and node order of an element name of a deck. New elements of uncommon variants are remarked; unknown
 * types fail. */
phx_status phx_deck_cell_type(phx_deck_reader *r, const char *name, bool is_new, size_t place, phx_built_cell *cell,
                              const int **order)
{
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        const size_t n = strlen(types[k].name);
        char text[200];
        if (strncmp(name, types[k].name, n) || (name[n] >= '0' && name[n] <= '9'))
            continue;
        cell->type = types[k].type;
        cell->beyond = 0;
        phx_builder_type(r->b, cell);
        *order = cell->type == PHX_CELL_LINE3 ? line3_order : cell->type == PHX_CELL_HEX27 ? hex27_order : NULL;
        if (!is_new)
            return PHX_OK;
        if (is_known(name, name + n))
            return remark_type(r, name, phx_cell_info_of(cell->type)->dimension, place);
        snprintf(text, sizeof text, "elements of type %s are not written; %s without letters is, and C3D20R", name,
                 types[k].name);
        return phx_builder_remark(r->b, PHX_MESH_FAULT, 0, place, text);
    }
    return DECK_FAIL(r, place,
                     "elements of type %s are not supported; solids C3D4, C3D6, C3D8, C3D10, C3D15, C3D20 and C3D20R, "
                     "shells, membranes and plane elements of 3, 4, 6 or 8 nodes, trusses and beams are",
                     phx_shown_text(name).text);
}

bool phx_deck_skips(const char *name)
{
    static const char *const names[] = {"MASS",     "ROTARYI",  "SPRING1", "SPRING2", "SPRINGA", "DASHPOT1",
                                        "DASHPOT2", "DASHPOTA", "CONN3D2", "GAPUNI",  "DCOUP3D"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(name, names[k]))
            return true;
    return false;
}
