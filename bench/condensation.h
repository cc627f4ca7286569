/* The baseline of flexible links: what the KKT matrix of their chain costs to a program that knows nothing else and has
 * the factors of the deformations already. */
#ifndef PHX_BENCH_CONDENSATION_H
#define PHX_BENCH_CONDENSATION_H

#include <stdbool.h>

enum { CONDENSATION_ELEMENTS = 8 }; /* of a link */

/* Least time of one condensation and solution, s, of the KKT matrix of a chain of `links` planar beams, simply
 * supported on revolute joints, in the numbering of Phlexor: three velocities of each link and its 24 deformations
 * (first the axial ones), then the two multipliers of each joint. The blocks of the deformations are factored before.
 * residual: largest |A x - b| over the largest |A_ij| |x_j|, of the whole matrix. False when the matrix has entries
 * elsewhere, or there is no memory. */
bool condensation_measure(int links, const int *ptr, const int *idx, const double *val, double *seconds,
                          double *residual);

#endif
