/* The other baseline: what the KKT matrix of the rigid chain costs to a program that knows nothing else. */
#ifndef PHX_BENCH_TRIDIAGONAL_H
#define PHX_BENCH_TRIDIAGONAL_H

#include <stdbool.h>

/* Least time of one factorisation and solution, s, of the KKT matrix of a chain of `links` rigid planar links in the
 * numbering of Phlexor: three velocities of each link, then the two multipliers of each hinge. residual: largest
 * |A x - b| over the largest |A_ij| |x_j|. False when the matrix has entries elsewhere, or there is no memory. */
bool tridiagonal_measure(int links, const int *ptr, const int *idx, const double *val, double *seconds,
                         double *residual);

#endif
