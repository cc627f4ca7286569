/* The kinds of solid elements: rules, shape functions at their points, extrapolation to nodes.
 *
 *              stiffness            mass (exact for straight edges)
 *     Tet4     1 point              4
 *     Tet10    4                    14
 *     Hex8     2 x 2 x 2, B-bar     3 x 3 x 3      plain: without B-bar
 *     Hex20    3 x 3 x 3            4 x 4 x 4
 *     Hex20R   2 x 2 x 2            4 x 4 x 4
 *     Wedge6   1 x 2                6 x 3
 *     Wedge15  3 x 3                7 x 4
 *
 * The stiffness is that of C3D4, C3D10, C3D8, C3D20, C3D20R, C3D6 and C3D15 of Abaqus. The two points of Wedge6 are
 * just enough (12 strains for 18 - 6 motions) and exact in the patch test; a mean dilatation would leave a motion
 * without stiffness. */
#include "solid.h"

#include <string.h>

static const struct {
    phx_cell_type cell;
    bool mean_dilatation;
    int stiffness[2], mass[2]; /* degrees in triangle or tetrahedron, and along lines */
} kinds[PHX_SOLID_KINDS] = {
    [PHX_SOLID_TET4] = {PHX_CELL_TET4, false, {1, 0}, {2, 0}},
    [PHX_SOLID_TET10] = {PHX_CELL_TET10, false, {2, 0}, {4, 0}},
    [PHX_SOLID_HEX8] = {PHX_CELL_HEX8, true, {0, 3}, {0, 4}},
    [PHX_SOLID_HEX8_PLAIN] = {PHX_CELL_HEX8, false, {0, 3}, {0, 4}},
    [PHX_SOLID_HEX20] = {PHX_CELL_HEX20, false, {0, 5}, {0, 6}},
    [PHX_SOLID_HEX20R] = {PHX_CELL_HEX20, false, {0, 3}, {0, 6}},
    [PHX_SOLID_WEDGE6] = {PHX_CELL_WEDGE6, false, {1, 3}, {3, 4}},
    [PHX_SOLID_WEDGE15] = {PHX_CELL_WEDGE15, false, {2, 5}, {5, 6}},
};

static void fill_points(phx_cell_type cell, const int degree[2], phx_solid_points_table *points)
{
    phx_rule rule;

    phx_cell_rule(cell, degree[0], degree[1], &rule);
    points->n = rule.n;
    for (int g = 0; g < rule.n; g++) {
        points->w[g] = rule.w[g];
        phx_cell_shape(cell, rule.xi[g], points->N[g], points->dN[g]);
    }
}

/* The values at the corners, of the least sum of squares where they are not determined, whose interpolation L by the
 * linear cell fits those at the points best: c = L_points^+ s. Nodes then get L_nodes c. */
static phx_status fill_extrapolation(phx_context *context, const int degree[2], phx_solid_table *table)
{
    static const double RANK = 1e-10; /* relative to the largest singular value */
    const phx_cell_type linear = phx_cell_linear(table->cell);
    const int points = table->stiffness.n, corners = phx_cell_info_of(linear)->nodes;
    double at_points[PHX_SOLID_MOST_POINTS * 8], at_node[8],
        identity[PHX_SOLID_MOST_POINTS * PHX_SOLID_MOST_POINTS] = {0};
    double corner[8 * PHX_SOLID_MOST_POINTS], xi[3];
    phx_rule rule;

    phx_cell_rule(table->cell, degree[0], degree[1], &rule);
    for (int g = 0; g < points; g++) {
        phx_cell_shape(linear, rule.xi[g], at_points + g * corners, NULL);
        identity[g * points + g] = 1.0;
    }
    phx_status status = phx_dense_least_norm(context, points, corners, at_points, points, identity, RANK, corner, NULL);
    if (status)
        return status;
    for (int a = 0; a < table->nodes; a++) {
        phx_cell_node_place(table->cell, a, xi);
        phx_cell_shape(linear, xi, at_node, NULL);
        phx_dense_multiply(false, false, 1, points, corners, 1.0, at_node, corners, corner, points, 0.0,
                           table->extrapolation + a * points, points);
    }
    return PHX_OK;
}

phx_status phx_solid_table_create(phx_context *context, phx_solid_kind kind, phx_solid_table **table)
{
    phx_solid_table *created = phx_calloc(context, 1, sizeof *created);

    *table = created;
    if (!created)
        return PHX_ERR_MEMORY;
    created->cell = kinds[kind].cell;
    created->nodes = phx_cell_info_of(created->cell)->nodes;
    created->mean_dilatation = kinds[kind].mean_dilatation;
    fill_points(created->cell, kinds[kind].stiffness, &created->stiffness);
    fill_points(created->cell, kinds[kind].mass, &created->mass);
    return fill_extrapolation(context, kinds[kind].stiffness, created);
}
