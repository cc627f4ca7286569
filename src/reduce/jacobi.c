#include <float.h>
#include <math.h>
#include <stddef.h>

#include "reduce/reduce.h"

/* rows p and q of x (length n): (x_p, x_q) <- (c x_p - s x_q, s x_p + c x_q) */
static void rotate_rows(int n, double *x, int p, int q, double c, double s)
{
    double *xp = x + (size_t)p * n, *xq = x + (size_t)q * n;
    for (int k = 0; k < n; k++) {
        const double a = xp[k], b = xq[k];
        xp[k] = c * a - s * b;
        xq[k] = s * a + c * b;
    }
}

/* One rotation that makes a_pq zero: with theta = (a_qq - a_pp)/(2 a_pq), t = tan = sign(theta)/(|theta| + sqrt(1 +
 * theta^2)), a_pp <- a_pp - t a_pq,   a_qq <- a_qq + t a_pq. Rows are rotated and the symmetric columns copied from
 * them. */
static void jacobi_rotate(int n, double *a, double *vectors, int p, int q)
{
    const double apq = a[(size_t)p * n + q], app = a[(size_t)p * n + p], aqq = a[(size_t)q * n + q];
    const double theta = 0.5 * (aqq - app) / apq;
    const double t = isfinite(theta) ? copysign(1.0 / (fabs(theta) + hypot(1.0, theta)), theta) : 0.0;
    const double c = 1.0 / hypot(1.0, t), s = t * c;
    rotate_rows(n, a, p, q, c, s);
    a[(size_t)p * n + p] = app - t * apq;
    a[(size_t)q * n + q] = aqq + t * apq;
    a[(size_t)p * n + q] = a[(size_t)q * n + p] = 0.0;
    for (int k = 0; k < n; k++) {
        a[(size_t)k * n + p] = a[(size_t)p * n + k];
        a[(size_t)k * n + q] = a[(size_t)q * n + k];
    }
    rotate_rows(n, vectors, p, q, c, s);
}

/* Eigenvalues of a symmetric matrix by cyclic Jacobi rotations, which keep the relative accuracy of small ones of
 * definite matrices; a is overwritten and vectors are rotated along. */
phx_status phx_reduce_jacobi(phx_context *context, int n, double *a, double *values, double *vectors)
{
    enum { MAX_SWEEPS = 40 };
    double largest = 0.0;
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++)
        largest = fmax(largest, fabs(a[k]));
    const double floor = DBL_EPSILON * DBL_EPSILON * largest;
    int rotations = 1, sweep = 0;
    for (; rotations && sweep < MAX_SWEEPS; sweep++) {
        rotations = 0;
        for (int p = 0; p < n - 1; p++)
            for (int q = p + 1; q < n; q++) {
                const double apq = fabs(a[(size_t)p * n + q]);
                /* relative to the two diagonal entries, so that small ones keep their digits */
                const double small = DBL_EPSILON * sqrt(fabs(a[(size_t)p * n + p])) * sqrt(fabs(a[(size_t)q * n + q]));
                if (apq <= fmax(small, floor))
                    continue;
                jacobi_rotate(n, a, vectors, p, q);
                rotations++;
            }
    }
    if (rotations)
        return phx_fail(context, PHX_NOT_CONVERGED,
                        "the eigenvalues of a matrix of size %d did not settle in %d sweeps", n, MAX_SWEEPS);
    for (int k = 0; k < n; k++)
        values[k] = a[(size_t)k * n + k];
    return PHX_OK;
}
