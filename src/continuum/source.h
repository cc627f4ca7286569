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
phx_status continuum_node_point(phx_context *context, const continuum_source *source, int label, phx_flex_point *point);

/* Of a source of phx_continuum_source_create: its interfaces. */
int continuum_interfaces(const phx_flex_source *source, const phx_interface **interfaces);

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
phx_status continuum_mean_stress(phx_context *context, const continuum_source *source, const stress_columns *columns,
                                 const unsigned char *wanted, double *rows);
/* At a node, or at a place, between the nodes of its cell by their shape functions. */
phx_status continuum_stress_at(phx_context *context, const continuum_source *source, const stress_columns *columns,
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
/* Forces and moments on the edges of the boundary of a plate, by `cols` columns, as polynomials along each, from its
 * first end to its second, the plate to the left: values at 0, 1/degree ... 1 (degree 0: one value). */
enum { PHX_PLATE_EDGE_DEGREE = 3, PHX_SPOT_TEXT = 120 };
typedef struct phx_plate_edges {
    int n, nodes;      /* nodes of the mesh */
    int *end;          /* n x 2: nodes */
    int *begin;        /* n: what the first end is: 0, 1 a corner, 2 where the plate touches itself */
    int *in, *out;     /* nodes: the edge that ends there, that begins there; -1: none */
    int shear, moment; /* degrees */
    int cols;
    double *V; /* n x (shear + 1) x cols */
    double *M; /* n x (moment + 1) x 2 (nn, nt) x cols */
    double *R; /* n x cols: the force on the corner where the edge begins */
} phx_plate_edges;
/* By the columns of the bending; `ports` as in phx_plate_spot. */
phx_status phx_plate_edges_create(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                                  const unsigned char *ports, phx_plate_edges *edges);
void phx_plate_edges_free(phx_plate_edges *edges); /* NULL is allowed */
/* Fills in and out. */
phx_status phx_plate_edges_join(phx_context *context, phx_plate_edges *edges);
/* A spot as a weighted sum over points of edges; x: of the nodes. PHX_ERR_ARGUMENT: no such place on the boundary. */
typedef struct phx_edge_term {
    int edge;
    double s, factor;
} phx_edge_term;
typedef struct phx_edge_terms {
    int n;
    phx_edge_term *term;
} phx_edge_terms;
phx_status phx_plate_edges_find(phx_context *context, const phx_plate_edges *edges, const double *x, phx_stress_set set,
                                const phx_plate_spot *spot, phx_edge_terms *terms);
void phx_edge_terms_free(phx_edge_terms *terms);
/* PHX_STRESSES_EDGE, PHX_STRESSES_CORNER there: components x cols. */
void phx_plate_edges_rows(const phx_plate_edges *edges, phx_stress_set set, const phx_edge_terms *terms, double *rows);
/* Values at s of the functions that are 1 at one of the points first/degree ... last/degree, 0 at the others. */
void phx_plate_edge_lagrange(int degree, int first, int last, double s, double value[PHX_PLATE_EDGE_DEGREE + 1]);
/* The same of a plate at once: components x columns, zero of products (plate/edge_resultants.c).
 * PHX_ERR_ARGUMENT: no such place on the boundary. */
phx_status phx_plate_edge_rows(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                               phx_stress_set set, const phx_plate_spot *spot, double *rows);
/* The spot at a location of a body; `port`: the nodes of the port of that name, NULL: there is none. `text` is kept for
 * messages. */
phx_status continuum_edge_spot(phx_context *context, const phx_elastic_model *model, const phx_location *location,
                               const unsigned char *port, char text[PHX_SPOT_TEXT], phx_plate_spot *spot);
/* Of a source of phx_continuum_source_create that is a plate: the edges by its coordinates, and the nodes of its model
 * that a port has, added to them. */
phx_status continuum_edges(phx_context *context, const phx_flex_source *source, phx_plate_edges *edges);
void continuum_port_nodes(const phx_flex_source *source, const char *port, unsigned char *nodes);
/* ---- places (solid/locate.c) ---- */
/* The cell of this dimension that has the place (m; first of those that it lies deepest in), -1: none, and the values
 * of the shape functions of its nodes there. Cells of dimension 2 lie in the plane z = 0. */
int continuum_cell_at(phx_context *context, const phx_mesh *mesh, int dimension, const double place[3],
                      double weight[PHX_CELL_MOST_NODES]);

/* Of each node of the mesh; added to zeros. Other bodies than plates: nothing. */
phx_status continuum_thickness(phx_context *context, const continuum_source *source, double *thickness);
int continuum_stress_nodes(const phx_flex_source *source);
int continuum_node_labelled(const phx_elastic_model *model, int label); /* -1: there is none */

extern const phx_source_operations reduced_operations;

#endif
