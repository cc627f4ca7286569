/* Phlexor, layer algebra: sparse matrices as they are given and returned, rotations.
 *
 * Dense matrices are row-major arrays of double. Sparse matrices are compressed rows (phx_csr), column indices
 * ascending in each row, no duplicates. */
#ifndef PHLEXOR_ALGEBRA_H
#define PHLEXOR_ALGEBRA_H

#include <phlexor/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Threads that the BLAS uses, in the whole process. 1 suits the sizes here best, and results are then the same bit by
 * bit on any number of processors. */
void phx_algebra_set_threads(int threads);

/* ---- sparse matrices ---- */
/* Compressed rows: row i holds entries ptr[i] .. ptr[i+1]-1. Owns its arrays. */
typedef struct phx_csr {
    int rows, cols;
    int *ptr;    /* rows+1 */
    int *idx;    /* ptr[rows], ascending in each row */
    double *val; /* ptr[rows] */
} phx_csr;

/* The matrix is made in the struct given; on failure the struct is empty. PHX_ERR_ARGUMENT when sizes do not fit or an
 * index lies outside. */
/* Triplets (row[k], col[k], val[k]), summed in the order given where they repeat; entries that cancel to zero are kept
 * (pattern). `val` may be NULL: zeros. */
phx_status phx_csr_from_triplets(phx_context *context, int rows, int cols, size_t count, const int *row, const int *col,
                                 const double *val, phx_csr *matrix);
void phx_csr_free(phx_csr *matrix); /* frees and zeroes the fields */

/* ---- rotations ----
 * dim 2: one angle, R = [c -s; s c]; dim 3: R 3x3 row-major, takes body to inertial components. n_rot = 1 or 3. */
/* Rotation about an axis, whose length does not matter (dim 3; axis ignored for dim 2, may be NULL). A zero axis gives
 * the identity. */
void phx_rot_axis_angle(int dim, const double *axis, double angle, double *r);

#ifdef __cplusplus
}
#endif
#endif
