/* The exponential of a matrix by scaling and squaring: Higham, SIAM J. Matrix Anal. Appl. 26 (2005) 1179. */
#include <math.h>
#include <string.h>

#include "internal.h"

/* Coefficients of the diagonal Pade approximant of degree 13; it is good to rounding up to this 1-norm. */
enum { DEGREE = 13 };
static const double pade[DEGREE + 1] = {64764752532480000.0,
                                        32382376266240000.0,
                                        7771770303897600.0,
                                        1187353796428800.0,
                                        129060195264000.0,
                                        10559470521600.0,
                                        670442572800.0,
                                        33522128640.0,
                                        1323241920.0,
                                        40840800.0,
                                        960960.0,
                                        16380.0,
                                        182.0,
                                        1.0};
static const double pade_norm = 5.371920351148152;

/* The largest sum of magnitudes in a column. */
static double norm_1(int n, const double *a)
{
    double most = 0.0;
    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += fabs(a[i * n + j]);
        most = fmax(most, sum);
    }
    return most;
}

/* to = c6 A6 + c4 A4 + c2 A2 + c0 I */
static void exponential_combine(int n, const double *const powers[3], double c6, double c4, double c2, double c0,
                                double *to)
{
    for (int k = 0; k < n * n; k++)
        to[k] = c6 * powers[2][k] + c4 * powers[1][k] + c2 * powers[0][k];
    for (int i = 0; i < n; i++)
        to[i * n + i] += c0;
}

/* exp(A) = (V - U)^-1 (V + U): U odd, V even powers of A. work: 6 n^2. */
static phx_status pade_approximant(phx_context *context, int n, const double *a, double *e, double *work)
{
    const size_t cells = (size_t)n * (size_t)n;
    double *a2 = work, *a4 = work + cells, *a6 = work + 2 * cells, *part = work + 3 * cells;
    double *u = work + 4 * cells, *v = work + 5 * cells;
    const double *const powers[3] = {a2, a4, a6};
    const double *b = pade;

    phx_dense_multiply(false, false, n, n, n, 1.0, a, n, a, n, 0.0, a2, n);
    phx_dense_multiply(false, false, n, n, n, 1.0, a2, n, a2, n, 0.0, a4, n);
    phx_dense_multiply(false, false, n, n, n, 1.0, a2, n, a4, n, 0.0, a6, n);
    exponential_combine(n, powers, b[13], b[11], b[9], 0.0, part);
    exponential_combine(n, powers, b[7], b[5], b[3], b[1], v);
    phx_dense_multiply(false, false, n, n, n, 1.0, a6, n, part, n, 1.0, v, n);
    phx_dense_multiply(false, false, n, n, n, 1.0, a, n, v, n, 0.0, u, n);
    exponential_combine(n, powers, b[12], b[10], b[8], 0.0, part);
    exponential_combine(n, powers, b[6], b[4], b[2], b[0], v);
    phx_dense_multiply(false, false, n, n, n, 1.0, a6, n, part, n, 1.0, v, n);
    for (size_t k = 0; k < cells; k++) {
        e[k] = v[k] + u[k];
        v[k] -= u[k];
    }
    return phx_dense_solve(context, n, v, n, e);
}

/* e = exp(a) by scaling, a Pade approximant and squaring. */
phx_status phx_dense_exponential(phx_context *context, int n, const double *a, double *e)
{
    if (n > 0 && (!a || !e))
        return phx_fail_null(context, __func__, "a or e");
    const size_t cells = (size_t)n * (size_t)n;
    double *work = phx_calloc(context, 7 * cells, sizeof *work), *scaled = work;
    phx_status status = work ? phx_check_finite(context, __func__, n, n, a) : PHX_ERR_MEMORY;

    if (!status && n > 0) {
        const double norm = norm_1(n, a);
        const int squarings = norm > pade_norm ? (int)ceil(log2(norm / pade_norm)) : 0;
        for (size_t k = 0; k < cells; k++)
            scaled[k] = ldexp(a[k], -squarings);
        status = pade_approximant(context, n, scaled, e, work + cells);
        for (int k = 0; k < squarings && !status; k++) {
            memcpy(scaled, e, cells * sizeof *e);
            phx_dense_multiply(false, false, n, n, n, 1.0, scaled, n, scaled, n, 0.0, e, n);
        }
    }
    phx_free(work);
    return status;
}
