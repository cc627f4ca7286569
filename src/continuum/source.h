/* Phlexor, layer continuum, private: what every source of this layer has. */
#ifndef PHLEXOR_CONTINUUM_SOURCE_H
#define PHLEXOR_CONTINUUM_SOURCE_H

#include "continuum.h"
#include "fe/fe.h"

typedef struct continuum_source {
    phx_flex_source source; /* first */
    phx_elastic_model *model;
    double *Phi; /* n x model->n: columns of the basis, one after the other */
    double *omega;
    phx_basis_quality quality;
    double *nodal;     /* mesh nodes x components x n: stresses at the nodes, where they are kept; else NULL */
    double *thickness; /* mesh nodes: likewise */
} continuum_source;

/* The point at the node of this label. */
phx_status continuum_node_point(phx_context *context, const continuum_source *it, int label, phx_flex_point *point);

/* ---- stresses (stress.c) ---- */
/* The columns that stresses are wanted for: n vectors of unknowns (n x model->n), the products of pairs a <= b of the
 * first n_slopes of them (strains of second order), and initial strains (as continuum_def has them). */
typedef struct stress_columns {
    int n, n_slopes, n_strains;
    const double *Phi, *strains;
} stress_columns;
int continuum_columns(const stress_columns *columns); /* their number */
/* At nodes of the mesh: n_rows x components x columns, of each node the mean over its cells, 0 where it has none. Node
 * i has the row row[i], -1: none; row NULL: i. */
phx_status continuum_nodal_stress(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                                  int n_rows, const int *row, double *rows);
/* Mean over the wanted nodes: components x columns. */
phx_status continuum_mean_stress(phx_context *context, const continuum_source *it, const stress_columns *columns,
                                 const unsigned char *wanted, double *rows);
/* At a node, or at a place, between the nodes of its cell by their shape functions. */
phx_status continuum_stress_at(phx_context *context, const continuum_source *it, const stress_columns *columns,
                               const phx_location *location, double *rows);
/* Where on the boundary of a plate: a node, the place (x, y), or the mean over edges both ends of which are among
 * `nodes`. */
typedef struct phx_plate_spot {
    const char *text; /* for messages */
    int node;         /* -1: none */
    double place[2];
    const unsigned char *nodes; /* NULL: none; nodes of the mesh */
    const unsigned char *ports; /* nodes of the model where forces may act that are none of the load of the plate */
} phx_plate_spot;
/* PHX_STRESSES_EDGE, PHX_STRESSES_CORNER there: components x columns, zero of products (plate/edge_resultants.c).
 * PHX_ERR_ARGUMENT: no such place on the boundary. */
phx_status phx_plate_edge_rows(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                               phx_stress_set set, const phx_plate_spot *spot, double *rows);
/* ---- places (solid/locate.c) ---- */
/* The cell of this dimension that has the place (m; first of those that it lies deepest in), -1: none, and the values
 * of the shape functions of its nodes there. Cells of dimension 2 lie in the plane z = 0. */
int continuum_cell_at(phx_context *context, const phx_mesh *mesh, int dimension, const double place[3],
                      double weight[PHX_CELL_MOST_NODES]);

/* Of each node of the mesh; added to zeros. Other bodies than plates: nothing. */
phx_status continuum_thickness(phx_context *context, const continuum_source *it, double *thickness);
int continuum_stress_nodes(const phx_flex_source *source);
int continuum_node_labelled(const phx_elastic_model *model, int label); /* -1: there is none */

extern const phx_source_operations reduced_operations;

#endif
