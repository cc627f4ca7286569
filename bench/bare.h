/* Shared by the bare solvers of chains: the inverse of a small block, and how they are timed and judged. */
#ifndef PHX_BENCH_BARE_H
#define PHX_BENCH_BARE_H

#include <stdbool.h>
#include <stddef.h>

/* The KKT matrix of a chain, by rows, in the numbering of Phlexor. */
typedef struct bare_matrix {
    int links, n;
    const int *ptr, *idx;
    const double *val;
} bare_matrix;

/* Where a solver keeps the value of an unknown in its x. */
typedef size_t bare_place(int links, int unknown);

/* The least time of solve(user), s, which puts the solution of A x = 1 into x; and its residual, the largest |A x - 1|
 * over the largest |A_ij| |x_j|. */
void bare_measure(const bare_matrix *matrix, bool solve(void *user), void *user, const double *x, bare_place *place,
                  double *seconds, double *residual);

/* c = a^-1, 3 x 3 */
static inline void bare_invert3(const double *a, double *c)
{
    const double x = a[4] * a[8] - a[5] * a[7], y = a[5] * a[6] - a[3] * a[8], z = a[3] * a[7] - a[4] * a[6];
    const double over = 1.0 / (a[0] * x + a[1] * y + a[2] * z);
    c[0] = x * over;
    c[1] = (a[2] * a[7] - a[1] * a[8]) * over;
    c[2] = (a[1] * a[5] - a[2] * a[4]) * over;
    c[3] = y * over;
    c[4] = (a[0] * a[8] - a[2] * a[6]) * over;
    c[5] = (a[2] * a[3] - a[0] * a[5]) * over;
    c[6] = z * over;
    c[7] = (a[1] * a[6] - a[0] * a[7]) * over;
    c[8] = (a[0] * a[4] - a[1] * a[3]) * over;
}

#endif
