/* The elimination of a step of real values with any number r > WIDE_REST of remaining unknowns, four of them at once.
 * Where four do not go into r the last four overlap those before: results do not go over what they are made from. */
#ifndef PHLEXOR_ALGEBRA_FRONT_ANY_H
#define PHLEXOR_ALGEBRA_FRONT_ANY_H

#include "front_step.h"

#include "algebra/simd_kernel.h"

static inline simd_double four(const double *from)
{
    return *(const simd_double *)from;
}

static inline void put_four(simd_double value, double *to)
{
    *(simd_double *)to = value;
}

/* Columns of W from four right-hand sides b, rows of m: solve_block of front_step.h. */
static inline void solve_four(const int p, size_t m, const double *restrict C, const double *restrict b, size_t r,
                              double *restrict W)
{
    const simd_double b0 = four(b);

    if (p == 1) {
        put_four(b0 * C[0], W);
    } else if (p == 2) {
        const simd_double x1 = (four(b + m) - C[2] * b0) * C[3];
        put_four(b0 * C[0] - C[1] * x1, W);
        put_four(x1, W + r);
    } else {
        const simd_double b1 = four(b + m) - C[3] * b0, x2 = (four(b + 2 * m) - C[6] * b0 - C[7] * b1) * C[8],
                          x1 = b1 * C[4] - C[5] * x2;
        put_four(b0 * C[0] - C[2] * x2 - C[1] * x1, W);
        put_four(x1, W + r);
        put_four(x2, W + 2 * r);
    }
}

/* Four numbers of a row: to = from - l W */
static inline void subtract_four(const int p, const simd_double *l, const double *restrict from,
                                 const double *restrict W, size_t r, double *restrict to)
{
    simd_double rest = four(from) - l[0] * four(W);

    if (p > 1)
        rest -= l[1] * four(W + r);
    if (p > 2)
        rest -= l[2] * four(W + 2 * r);
    put_four(rest, to);
}

/* As `eliminate` in front_step.h. */
static inline void eliminate_any(const int p, int rest, const double *restrict F, double *restrict over,
                                 double *restrict C, double *restrict update)
{
    const size_t r = (size_t)rest, P = (size_t)p, m = P + r;
    double *restrict W = C + P * P, *restrict L = W + P * r;
    double factors[9];
    size_t j = 0;

    factor_block(p, p + rest, F, factors, C);
    for (int k = 0; k < p; k++)
        over[k] = factors[k * p + k];
    for (; j + 4 <= r; j += 4)
        solve_four(p, m, factors, F + P + j, r, W + j);
    if (j < r)
        solve_four(p, m, factors, F + P + r - 4, r, W + r - 4);
    for (size_t i = 0; i < r; i++, update += r) {
        const double *row = F + (P + i) * m;
        simd_double l[3];
        for (size_t k = 0; k < P; k++) {
            l[k] = (simd_double){row[k], row[k], row[k], row[k]};
            L[i * P + k] = row[k];
        }
        for (j = 0; j + 4 <= r; j += 4)
            subtract_four(p, l, row + P + j, W + j, r, update + j);
        if (j < r)
            subtract_four(p, l, row + P + r - 4, W + r - 4, r, update + r - 4);
    }
}

#define ELIMINATE_ANY eliminate_any

#endif
