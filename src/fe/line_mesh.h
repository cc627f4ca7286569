/* Phlexor, layer fe (private): a uniform mesh of the beam axis, its fields and raw coordinates, and the reference
 * condition as a basis.
 *
 * Raw coordinates, before the reference condition: field by field, node by node (0..elements), value by value:
 *   plane  ux | (w, w'[, w''])                             w along y
 *   space  ux | (v, v'[, v'']) along y | (w, w'[, w'']) along z | twist
 * Stresses: field by field, element by element (DG) or node by node (paper's spaces). */
#ifndef PHLEXOR_FE_LINE_MESH_H
#define PHLEXOR_FE_LINE_MESH_H

#include "element.h"
#include "fe.h"

enum {
    PHX_FIELD_MAX = 4,
    PHX_LOCAL_MAX = 16, /* raw coordinates of one element: 2 + 6 + 6 + 2 */
    PHX_RIGID_MAX = 6
};

typedef struct phx_field {
    phx_element_role role;
    const phx_element *element;
    double stiffness;        /* EA, EI, G Jt */
    int translation;         /* component of u that the field is, -1: none (twist) */
    int rotation;            /* component of theta that it makes, -1: none (axial) */
    int rotation_derivative; /* theta is the field's derivative of this order: 1 bending, 0 twist */
    double rotation_sign;    /* theta = (twist, -w', v') */
    double gyration;         /* square of the polar radius of gyration of twist, m^2; 0: tension leaves it alone */
    int first, count;        /* raw coordinates */
    int stress_first, stress_count;
} phx_field;

typedef struct phx_line_mesh {
    int dim, n_rot;
    int elements;
    double length, h; /* h = length/elements */
    int n_fields;
    phx_field field[PHX_FIELD_MAX]; /* axial, bending (1 or 2), torsion */
    int n;                          /* raw coordinates */
    int n_stress;
} phx_line_mesh;

/* The fields of a beam without element and place: what they are, their stiffness, how they move a point; returns their
 * number. */
int phx_beam_fields(const phx_beam_def *def, phx_field field[PHX_FIELD_MAX]);

/* PHX_ERR_UNSUPPORTED when there is no element of this kind and order. The def has been checked. */
phx_status phx_line_mesh_build(phx_context *context, const phx_beam_def *def, phx_line_mesh *mesh);

/* Displacement and section rotation at a point of an element as rows on its raw coordinates. */
typedef struct phx_local {
    int n;
    int dof[PHX_LOCAL_MAX];         /* ascending */
    double phi[3][PHX_LOCAL_MAX];   /* u = phi r      */
    double theta[3][PHX_LOCAL_MAX]; /* theta = theta r */
} phx_local;
void phx_line_mesh_local(const phx_line_mesh *mesh, int element, double xi, phx_local *local);

/* Element and place xi in [0,1] of the fraction s; a point within rounding of a node is put on it (xi = 0, or 1 at the
 * end of the beam). *interface is true at an inner node; the element before it ends there. Any pointer may be NULL. */
void phx_line_mesh_locate(const phx_line_mesh *mesh, double s, int *element, double *xi, bool *interface);

/* Pattern of the matrices in raw coordinates: each couples with all coordinates of its node and the neighbours. */
phx_status phx_line_mesh_pattern(phx_context *context, const phx_line_mesh *mesh, int **ptr, int **idx);

/* ---- the section along an element ----
 * Gauss points of an element: of all of it, or of each piece between two stations of its section:
 *   for (phx_section_enter(&walk, e); phx_section_next(&walk);) ... */
typedef struct phx_section_walk {
    const phx_line_mesh *mesh;
    const phx_beam_def *def;
    int points;
    double point[PHX_GAUSS_MAX], gauss[PHX_GAUSS_MAX];
    int element, g;
    double from, to;   /* the piece, in the element */
    double xi, weight; /* of the point: in [0, 1] of the element, and of its length */
} phx_section_walk;
phx_section_walk phx_section_begin(const phx_line_mesh *mesh, const phx_beam_def *def, int points);
void phx_section_enter(phx_section_walk *walk, int element);
bool phx_section_next(phx_section_walk *walk);
/* The beam by its section at the point. */
phx_beam_def phx_section_here(const phx_section_walk *walk);

/* ---- reference condition: r = Z q ----
 * Selection: Z = E, columns of the identity. Mean axes: Z = E - R W, with R the raw values of the rigid motions and W
 * such that int rho u = 0 and int rho x cross u + section and point inertia on theta = 0 hold for every q. The
 * coordinates q are then those of the simply supported beam, deformations measured from the line through both ends, and
 * u is that deformation less its mean rigid motion: K, and stresses, do not see R and stay those of E. */
typedef struct phx_reference_basis {
    int n_raw, n;
    int *to_q;                     /* n_raw: coordinate of q, -1 when eliminated */
    int *to_raw;                   /* n */
    int n_rigid;                   /* 0: selection */
    int rigid_axis[PHX_RIGID_MAX]; /* 0..dim-1 translations, dim.. rotations */
    double *rigid;                 /* R, n_raw x n_rigid */
    double *mean;                  /* W, n_rigid x n */
} phx_reference_basis;
/* `raw` holds S and C (masses included) in raw coordinates. */
phx_status phx_reference_basis_build(phx_context *context, const phx_line_mesh *mesh, phx_reference reference,
                                     const phx_flex *raw, phx_reference_basis *basis);
void phx_reference_basis_free(phx_reference_basis *basis);
/* Entries that phx_reference_basis_row makes at most out of a row of n_local raw entries. */
int phx_reference_basis_row_capacity(const phx_reference_basis *basis, bool strain, int n_local);
/* Row on raw coordinates (dof ascending) to row on q (idx ascending); returns the number of entries. `strain`: the row
 * vanishes on rigid motions. */
int phx_reference_basis_row(const phx_reference_basis *basis, bool strain, int n_local, const int *dof,
                            const double *value, int *idx, double *out);

/* ---- assembly ---- */
/* Masses in raw coordinates: fills dim.., mass, s0, J0, S, C, j, ptr, idx, M, A, Q of `raw` (K stays NULL). */
phx_status phx_mass_assemble(phx_context *context, const phx_line_mesh *mesh, const phx_beam_def *def, phx_flex *raw);
/* Masses to q: everything of `flex` but K, stress, root and stiffening. `dense`: full pattern. */
phx_status phx_reference_basis_apply(phx_context *context, const phx_reference_basis *basis, const phx_flex *raw,
                                     bool dense, phx_flex *flex);
/* stress, root and K. */
phx_status phx_line_elastic_assemble(phx_context *context, const phx_line_mesh *mesh, const phx_beam_def *def,
                                     const phx_reference_basis *basis, phx_flex *flex);
phx_status phx_stiffening_assemble(phx_context *context, const phx_line_mesh *mesh, const phx_beam_def *def,
                                   const phx_reference_basis *basis, phx_flex *flex);

#endif
