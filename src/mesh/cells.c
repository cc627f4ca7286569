/* The table of cells: nodes, edges and sides, counted from 0. Side k of a solid is face k + 1 of Abaqus. */
#include "mesh.h"

/* A linear cell has the first nodes of the quadratic one, on its sides too, so that one table serves all orders. */
static const int line_edges[1][2] = {{0, 1}};
static const int tri_edges[3][2] = {{0, 1}, {1, 2}, {2, 0}};
static const int quad_edges[4][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
static const int tet_edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const int hex_edges[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                     {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
static const int wedge_edges[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};

static const int tri_sides[3][PHX_CELL_MOST_SIDE] = {{0, 1, 3}, {1, 2, 4}, {2, 0, 5}};
static const int quad_sides[4][PHX_CELL_MOST_SIDE] = {{0, 1, 4}, {1, 2, 5}, {2, 3, 6}, {3, 0, 7}};
static const int tet_sides[4][PHX_CELL_MOST_SIDE] = {
    {0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {2, 0, 3, 6, 7, 9}};
static const int hex_sides[6][PHX_CELL_MOST_SIDE] = {
    {0, 3, 2, 1, 11, 10, 9, 8, 20},  {4, 5, 6, 7, 12, 13, 14, 15, 21}, {0, 1, 5, 4, 8, 17, 12, 16, 22},
    {1, 2, 6, 5, 9, 18, 13, 17, 23}, {2, 3, 7, 6, 10, 19, 14, 18, 24}, {3, 0, 4, 7, 11, 16, 15, 19, 25}};
static const int wedge_sides[5][PHX_CELL_MOST_SIDE] = {{0, 2, 1, 8, 7, 6},
                                                       {3, 4, 5, 9, 10, 11},
                                                       {0, 1, 4, 3, 6, 13, 9, 12},
                                                       {1, 2, 5, 4, 7, 14, 10, 13},
                                                       {2, 0, 3, 5, 8, 12, 11, 14}};

#define FOUR(type)                                                                                                     \
    {                                                                                                                  \
        type, type, type, type                                                                                         \
    }
static const phx_cell_type line2[] = FOUR(PHX_CELL_LINE2), line3[] = FOUR(PHX_CELL_LINE3);
static const phx_cell_type tri3[] = FOUR(PHX_CELL_TRI3), tri6[] = FOUR(PHX_CELL_TRI6);
#undef FOUR
static const phx_cell_type quad4[6] = {PHX_CELL_QUAD4, PHX_CELL_QUAD4, PHX_CELL_QUAD4,
                                       PHX_CELL_QUAD4, PHX_CELL_QUAD4, PHX_CELL_QUAD4};
static const phx_cell_type quad8[6] = {PHX_CELL_QUAD8, PHX_CELL_QUAD8, PHX_CELL_QUAD8,
                                       PHX_CELL_QUAD8, PHX_CELL_QUAD8, PHX_CELL_QUAD8};
static const phx_cell_type quad9[6] = {PHX_CELL_QUAD9, PHX_CELL_QUAD9, PHX_CELL_QUAD9,
                                       PHX_CELL_QUAD9, PHX_CELL_QUAD9, PHX_CELL_QUAD9};
static const phx_cell_type wedge6[5] = {PHX_CELL_TRI3, PHX_CELL_TRI3, PHX_CELL_QUAD4, PHX_CELL_QUAD4, PHX_CELL_QUAD4};
static const phx_cell_type wedge15[5] = {PHX_CELL_TRI6, PHX_CELL_TRI6, PHX_CELL_QUAD8, PHX_CELL_QUAD8, PHX_CELL_QUAD8};

/* name, dimension, order, nodes, corners, edges, their ends, sides, their nodes, their types */
static const phx_cell_info cells[PHX_CELL_TYPES] = {
    [PHX_CELL_LINE2] = {"line2", 1, 1, 2, 2, 1, line_edges, 0, NULL, NULL},
    [PHX_CELL_LINE3] = {"line3", 1, 2, 3, 2, 1, line_edges, 0, NULL, NULL},
    [PHX_CELL_TRI3] = {"tri3", 2, 1, 3, 3, 3, tri_edges, 3, tri_sides, line2},
    [PHX_CELL_TRI6] = {"tri6", 2, 2, 6, 3, 3, tri_edges, 3, tri_sides, line3},
    [PHX_CELL_QUAD4] = {"quad4", 2, 1, 4, 4, 4, quad_edges, 4, quad_sides, line2},
    [PHX_CELL_QUAD8] = {"quad8", 2, 2, 8, 4, 4, quad_edges, 4, quad_sides, line3},
    [PHX_CELL_TET4] = {"tet4", 3, 1, 4, 4, 6, tet_edges, 4, tet_sides, tri3},
    [PHX_CELL_TET10] = {"tet10", 3, 2, 10, 4, 6, tet_edges, 4, tet_sides, tri6},
    [PHX_CELL_HEX8] = {"hex8", 3, 1, 8, 8, 12, hex_edges, 6, hex_sides, quad4},
    [PHX_CELL_HEX20] = {"hex20", 3, 2, 20, 8, 12, hex_edges, 6, hex_sides, quad8},
    [PHX_CELL_WEDGE6] = {"wedge6", 3, 1, 6, 6, 9, wedge_edges, 5, wedge_sides, wedge6},
    [PHX_CELL_WEDGE15] = {"wedge15", 3, 2, 15, 6, 9, wedge_edges, 5, wedge_sides, wedge15},
    [PHX_CELL_QUAD9] = {"quad9", 2, 2, 9, 4, 4, quad_edges, 4, quad_sides, line3},
    [PHX_CELL_HEX27] = {"hex27", 3, 2, 27, 8, 12, hex_edges, 6, hex_sides, quad9},
};

const phx_cell_info *phx_cell_info_of(phx_cell_type type)
{
    return (unsigned)type < PHX_CELL_TYPES ? &cells[type] : NULL;
}
