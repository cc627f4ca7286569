/* Phlexor, layer fe (private): shape integrals, mass by mass.
 *
 * A mass with a rotary inertia at a point of the body is the one kernel from which every integral is made: sections
 * come to it through Gauss points, point masses directly, whatever the shapes at the point are. */
#ifndef PHLEXOR_FE_LUMP_H
#define PHLEXOR_FE_LUMP_H

#include "fe/fe.h"

/* A mass m at x with inertia I about the point (n_rot x n_rot, on body rotation + theta), and how the point moves:
 * u = phi r, theta = theta r on n coordinates, entry (a, i) at a*stride + i. */
typedef struct phx_lump {
    double x[3];
    double mass, inertia[3][3];
    int n, stride;
    const int *dof;
    const double *phi, *theta; /* dim and n_rot rows */
} phx_lump;

/* Sums of M, A and Q over lumps that move on the same n coordinates; upper triangles, n x n. */
typedef struct phx_lump_block {
    int n;
    double *sum; /* all of them, one after the other */
    double *M, *A[3], *Q[PHX_MAX_PAIR];
} phx_lump_block;
phx_status phx_lump_block_create(phx_context *context, int dim, int n, phx_lump_block *block);
void phx_lump_block_clear(int dim, phx_lump_block *block);
void phx_lump_block_free(phx_lump_block *block);

/* mass, s0, J0, S, C and j of the body: `flex` has its vectors. */
void phx_lump_add_vectors(const phx_lump *lump, phx_flex *flex);
/* M, A and Q of the body, into the block. */
void phx_lump_add_matrices(int dim, const phx_lump *lump, phx_lump_block *block);
/* Adds the block, given on the coordinates dof, and its mirror to the matrices of `flex`. */
void phx_lump_scatter(const phx_lump_block *block, const int *dof, phx_flex *flex);

/* Inertia of a definition (plane: [0]; space: 3 x 3 row-major), its symmetric part. */
void phx_lump_set_inertia(int n_rot, const double *inertia, phx_lump *lump);
/* A symmetric positive semidefinite 3x3 matrix, to rounding: its principal minors are not negative. */
bool phx_is_inertia(const double a[9]);

#endif
