/* Elements of places and directors: tables in, force and tangent out (docs/theory-shells.md, eq. 1 to 4).
 *
 * Rows a_i = sum_k c_ik z_k are combinations of the vectors z_k of an element, by numbers of the element kind. Products
 * of two rows sum to measures, m = sum f a_i . a_j, and these to strains by numbers T of the element,
 *
 *     E_g = T_g (m(z) - m(Z)) ,   E(z1) - E(z0) = D((z0 + z1)/2) (z1 - z0) exactly ,   D = dE/dz .
 *
 * Measures of shells (parts of the strain: membrane, curvature, shear): the covariant compatible strains at the
 * integration points, then their components along the edges at the two Gauss points of each; of solids the six products
 * of covariant vectors at each integration point. */
#ifndef PHX_VECTORS_ELEMENT_H
#define PHX_VECTORS_ELEMENT_H

#include "body/body.h"

enum {
    PHX_VECTOR_CELL_VECTORS = 27, /* of an element at most: Hex27; Q9 has 18 */
    PHX_VECTOR_CELL_ROWS = 81,    /* Hex27: 3 at 27 points */
    PHX_VECTOR_CELL_PRODUCTS = 162,
    PHX_VECTOR_CELL_STRAINS = 162, /* of all points */
    PHX_VECTOR_CELL_PARTS = 3,
    PHX_VECTOR_CELL_EDGE_POINTS = 8,
    PHX_VECTOR_CELL_SECTION = 8 /* strains at a point at most */
};

typedef struct phx_vector_cell_row {
    int first; /* of the vectors: 0 places, n_nodes directors */
    double factor[PHX_VECTOR_NODES];
} phx_vector_cell_row;

typedef struct phx_vector_cell_product {
    int a, b, measure;
    double factor;
} phx_vector_cell_product;

/* A part of the strains: `strains` at each point, from the measures of the whole element, or (own) of the point. */
typedef struct phx_vector_cell_part {
    int strains, n_measures, first_measure, first_product, n_products, n_vectors;
    bool own;
} phx_vector_cell_part;

/* An element kind. */
typedef struct phx_vector_cell_table {
    phx_vector_element element;
    bool shell;
    int n_nodes, n_vectors, n_points, n_strains, n_rows, n_products, n_measures, n_parts, n_edge_points;
    double point[PHX_VECTOR_POINTS][3], weight[PHX_VECTOR_POINTS];
    double edge_point[PHX_VECTOR_CELL_EDGE_POINTS][2], edge_tangent[PHX_VECTOR_CELL_EDGE_POINTS][2];
    phx_vector_cell_row row[PHX_VECTOR_CELL_ROWS];
    phx_vector_cell_product product[PHX_VECTOR_CELL_PRODUCTS];
    phx_vector_cell_part part[PHX_VECTOR_CELL_PARTS];
} phx_vector_cell_table;

void phx_vector_cell_table_fill(phx_vector_element element, phx_vector_cell_table *table);
/* N (nodes) and dN (nodes, along r, s, t one after the other) at a place p of the element. */
void phx_vector_cell_shape(phx_vector_element element, const double *p, double *N, double *dN);

typedef struct phx_vector_cell {
    const phx_vector_cell_table *table;
    const double *section;            /* n_strains square */
    double *T[PHX_VECTOR_CELL_PARTS]; /* n_points x strains x measures (of the point, if own) */
    double *weight;                   /* n_points, with the Jacobian */
    double *rest;                     /* strains of Z */
} phx_vector_cell;

/* Numbers that cell_fill needs in `room`. */
size_t phx_vector_cell_room(const phx_vector_cell_table *table);
/* T, weight and rest of a cell at Z (n_vectors x 3). PHX_ERR_ARGUMENT: a Jacobian is not positive, or axis 1 is normal
 * to the surface; *point: where. */
phx_status phx_vector_cell_fill(phx_context *context, const phx_vector_cell_table *table, const double *axis,
                                const double *section, const double *Z, double *room, phx_vector_cell *made,
                                int *point);
/* Mass of shape functions int N_i N_j (nodes square): Lobatto's rule for Q9 and Hex27, else consistent. */
void phx_vector_cell_mass(const phx_vector_cell_table *table, const double *Z, double *mass);

/* E (n_points x n_strains) at z. */
void phx_vector_cell_strain(const phx_vector_cell *of, const double *z, double *E);
/* S = C E at each point, without weights. */
void phx_vector_cell_stress(const phx_vector_cell *of, const double *E, double *S);
/* f (n_vectors x 3) += D(z)^T W S, W the weights. */
void phx_vector_cell_force(const phx_vector_cell *of, const double *z, const double *S, double *f);
/* dE = D(z) dz */
void phx_vector_cell_strain_rate(const phx_vector_cell *of, const double *z, const double *dz, double *dE);
/* sum of weights S . E */
double phx_vector_cell_work(const phx_vector_cell *of, const double *S, const double *E);
/* K (3 n_vectors square) = c D(left)^T W C D(right) + g G(S), G the derivative of D(z)^T W S by z; S may be NULL. */
void phx_vector_cell_tangent(const phx_vector_cell *of, const double *left, const double *right, double c,
                             const double *S, double g, double *K);

#endif
