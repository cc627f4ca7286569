/* The element types of Gmsh. */
#include "gmsh_cells.h"

enum { POINT = 15 };

/* order[k]: which of Gmsh's nodes is node k of the table of cells; NULL: the same. */
static const int tet10_order[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
static const int hex20_order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15};
static const int hex27_order[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  16, 18,
                                  19, 17, 10, 12, 14, 15, 20, 25, 21, 23, 24, 22, 26};
static const int wedge15_order[] = {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11};

static const phx_gmsh_cell cells[] = {
    {1, PHX_CELL_LINE2, NULL, 0},  {2, PHX_CELL_TRI3, NULL, 0},          {3, PHX_CELL_QUAD4, NULL, 0},
    {4, PHX_CELL_TET4, NULL, 0},   {5, PHX_CELL_HEX8, NULL, 0},          {6, PHX_CELL_WEDGE6, NULL, 0},
    {8, PHX_CELL_LINE3, NULL, 0},  {9, PHX_CELL_TRI6, NULL, 0},          {11, PHX_CELL_TET10, tet10_order, 0},
    {16, PHX_CELL_QUAD8, NULL, 0}, {17, PHX_CELL_HEX20, hex20_order, 0}, {18, PHX_CELL_WEDGE15, wedge15_order, 0},
    {10, PHX_CELL_QUAD9, NULL, 0}, {12, PHX_CELL_HEX27, hex27_order, 0}, {13, PHX_CELL_WEDGE15, wedge15_order, 3},
};

static const struct {
    int number;
    const char *name, *remedy;
} others[] = {
    {7, "5-node pyramid", "; mesh without pyramids"},
    {14, "14-node pyramid", "; mesh without pyramids"},
    {19, "13-node pyramid", "; mesh without pyramids"},
};

bool phx_gmsh_is_point(long long number)
{
    return number == POINT;
}

const phx_gmsh_cell *phx_gmsh_cell_of(long long number)
{
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
        if (cells[k].number == number)
            return &cells[k];
    return NULL;
}

phx_status phx_gmsh_refuse_cell(const phx_input *input, size_t place, long long number)
{
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k].number == number)
            return phx_input_fail(input, place, "elements of Gmsh's type %lld, %s, are not supported%s", number,
                                  others[k].name, others[k].remedy);
    return phx_input_fail(input, place,
                          "elements of Gmsh's type %lld are not supported; lines, triangles, quadrangles, tetrahedra, "
                          "hexahedra and prisms of order 1 or 2 are",
                          number);
}
