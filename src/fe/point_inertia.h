/* Phlexor, layer fe (private): shape integrals, mass by mass.
 *
 * A mass with a rotary inertia at a point of the body is the one kernel from which every integral is made: sections
 * come to it through Gauss points, point masses directly, whatever the shapes at the point are. */
#ifndef PHLEXOR_FE_POINT_INERTIA_H
#define PHLEXOR_FE_POINT_INERTIA_H

#include "fe/fe.h"

/* A mass m at x with inertia I about the point (n_rot x n_rot, on body rotation + theta), and how the point moves:
 * u = phi r, theta = theta r on n coordinates, entry (a, i) at a*stride + i. */
typedef struct phx_point_inertia {
    double x[3];
    double mass, inertia[3][3];
    double across[2]; /* of a section in space: inertia about y and z, which turns with the frame and the twist theta_x,
                         R_x diag(Iy, Iz) R_x^T; slopes do not turn it */
    int n, stride;
    const int *dof;
    const double *phi, *theta; /* dim and n_rot rows */
} phx_point_inertia;

/* Sums of M, A and Q over point inertias that move on the same n coordinates; upper triangles, n x n. */
typedef struct phx_point_inertia_block {
    int n;
    double *sum; /* all of them, one after the other */
    double *M, *A[3], *Q[PHX_MAX_PAIR];
} phx_point_inertia_block;
phx_status phx_point_inertia_block_create(phx_context *context, int dim, int n, phx_point_inertia_block *block);
void phx_point_inertia_block_clear(int dim, phx_point_inertia_block *block);
void phx_point_inertia_block_free(phx_point_inertia_block *block);

/* mass, s0, J0, S, C and j of the body: `flex` has its vectors. */
void phx_point_inertia_add_vectors(const phx_point_inertia *point, phx_flex *flex);
/* M, A and Q of the body, into the block. */
void phx_point_inertia_add_matrices(int dim, const phx_point_inertia *point, phx_point_inertia_block *block);
/* Adds the block, given on the coordinates dof, and its mirror to the matrices of `flex`. */
void phx_point_inertia_scatter(const phx_point_inertia_block *block, const int *dof, phx_flex *flex);

/* Inertia of a definition (plane: [0]; space: 3 x 3 row-major), its symmetric part. */
void phx_point_inertia_set_tensor(int n_rot, const double *inertia, phx_point_inertia *point);
/* A symmetric positive semidefinite 3x3 matrix, to rounding: its principal minors are not negative. */
bool phx_is_inertia(const double a[9]);

#endif
