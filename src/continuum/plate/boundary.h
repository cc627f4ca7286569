/* Phlexor, layer continuum (private): the boundary of a plate, and the forces and moments that act on it there. */
#ifndef PHLEXOR_CONTINUUM_PLATE_BOUNDARY_H
#define PHLEXOR_CONTINUUM_PLATE_BOUNDARY_H

#include "continuum/source.h"
#include "plate.h"

/* Edges of the boundary by their ends, the plate to their left, and the corners of it: nodes where it turns by more
 * than 30 degrees, or where the plate touches itself. */
typedef struct plate_boundary {
    int *out, *in;         /* corners of triangles: the edge that begins there, that ends there; -1: none */
    unsigned char *corner; /* likewise: 1, and 2 where the plate touches itself */
} plate_boundary;
static inline bool plate_is_boundary(const phx_plate *plate, int edge)
{
    return plate->neighbour[2 * edge] < 0 || plate->neighbour[2 * edge + 1] < 0;
}
phx_status plate_boundary_create(phx_context *context, const phx_elastic_model *model, plate_boundary *boundary);
void plate_boundary_free(plate_boundary *boundary);

/* Edges one after the other, from corner to corner, or all around a part of the boundary without corners. */
typedef struct plate_line {
    int n, *edge;
    bool closed;
} plate_line;
/* The line that has an edge of the boundary; freed by the caller. */
phx_status plate_line_through(phx_context *context, const phx_elastic_model *model, const plate_boundary *boundary,
                              int edge, plate_line *line);
/* Along an edge of the boundary, the plate to the left: its nodes, their number, its length, the triangle, and which
 * edge of that it is. */
typedef struct plate_side {
    int n, node[PHX_PLATE_EDGE_NODES], triangle, e;
    double length;
} plate_side;
plate_side plate_side_of(const phx_elastic_model *model, int edge);

/* Forces across the plate (along z) on the nodes of a line, by each column: what acts on them from outside,
 *
 *   F_i = (D^T sigma)_i - int b phi_i,   b = p - m w'': what loads the plate,
 *
 * with b near the line as the forces D^T sigma of the nodes inside say it: linear over the triangles around. `ports`:
 * nodes of the model where others may act. forces: nodes along the line x columns. */
phx_status plate_line_forces(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                             const unsigned char *ports, const plate_line *line, double *forces);
/* Columns that the bending of a plate depends on: the vectors and initial strains, not the products. */
static inline int plate_bending_columns(const stress_columns *columns)
{
    return columns->n + columns->n_strains;
}
/* Displacement and stresses of column c of these (NULL: none); its place among all. */
int plate_bending_column(const phx_elastic_model *model, const stress_columns *columns, int c, const double **u,
                         const double **sigma);

#endif
