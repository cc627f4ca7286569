/* Shape functions and integration rules of all cells, in the order of the nodes of mesh/mesh.h.
 *
 * A cell is a product of simplices: a wedge is a triangle times a line, a hexahedron line x line x line. The reference
 * coordinates of a line run from -1 to 1, those of triangles and tetrahedra are the barycentric coordinates of their
 * second and following corners. With mu the barycentric coordinates of the simplices, the corner a and the middle of
 * the edge ab, which differ in one simplex f only, have
 *
 *     lambda_a = prod_g mu_{a_g},   N_ab = 4 mu_{a_f} mu_{b_f} prod_{g != f} mu_{a_g},
 *     N_a = lambda_a - 1/2 (sum of the N_ab of its edges). */
#ifndef PHLEXOR_CONTINUUM_SOLID_SHAPE_H
#define PHLEXOR_CONTINUUM_SOLID_SHAPE_H

#include "mesh/mesh.h"

/* Values N (nodes) and derivatives dN (nodes x dimension; NULL: not wanted) at the reference point xi. */
void phx_cell_shape(phx_cell_type type, const double *xi, double *N, double *dN);
/* Reference coordinates of node a. */
void phx_cell_node_place(phx_cell_type type, int a, double *xi);
/* The cell with the same corners and no nodes on its edges. */
phx_cell_type phx_cell_linear(phx_cell_type type);

/* The dimensions of the simplices that a cell is the product of; their number. */
int phx_cell_factors(phx_cell_type type, int size[3]);

enum { PHX_RULE_MOST = 64 };
typedef struct phx_rule {
    int n;
    double xi[PHX_RULE_MOST][3], w[PHX_RULE_MOST];
} phx_rule;
/* A rule that is exact for polynomials of these degrees in the coordinates of the triangle or tetrahedron (0 to 5) and
 * in each of the lines (0 to 7). */
void phx_cell_rule(phx_cell_type type, int simplex_degree, int line_degree, phx_rule *rule);

#endif
