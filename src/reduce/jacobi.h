/* Symmetric eigenproblems of graded matrices. */
#ifndef PHX_REDUCE_JACOBI_H
#define PHX_REDUCE_JACOBI_H

#include "base/base.h"

/* Eigenvalues and eigenvectors of a symmetric matrix (n x n, row-major, destroyed) whose diagonal spans many orders of
 * magnitude and dominates, by cyclic Jacobi rotations: unlike a reduction to tridiagonal form they do not mix the large
 * entries into the small ones, so small eigenvalues are as accurate as the entries around them. values (n) as they come
 * on the diagonal, not sorted; eigenvector k is ROW k of `vectors`, which must hold an orthogonal matrix on entry (the
 * rows are combined: start with the identity). PHX_NOT_CONVERGED after 40 sweeps. */
phx_status phx_reduce_jacobi(phx_context *context, int n, double *a, double *values, double *vectors);

#endif
