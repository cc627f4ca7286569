/* Solutions with z I - A for many complex z: one reduction of A to Hessenberg form serves all of them,
 *
 *     A = Q H Q^T,   (z - A)^-1 b = Q (z - H)^-1 Q^T b,
 *
 * each then costs n^2 for a right-hand side. */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "internal.h"

struct phx_shifted {
    phx_context *context;
    int n, room; /* columns that `work` has room for */
    double *H, *Q;
    double size;            /* largest entry of A */
    double complex *W;      /* n x n: z - H */
    int *swapped;           /* n: rows exchanged in step k */
    double complex *factor; /* n: multipliers of the elimination */
    double complex *work;   /* n x room */
};

void phx_shifted_destroy(phx_shifted *it)
{
    if (!it)
        return;
    phx_free(it->H);
    phx_free(it->Q);
    phx_free(it->W);
    phx_free(it->swapped);
    phx_free(it->factor);
    phx_free(it->work);
    phx_free(it);
}

/* Reduces A to Hessenberg form for solutions with many shifts, at most `columns` right-hand sides at once. */
phx_status phx_shifted_create(phx_context *context, int n, const double *a, int columns, phx_shifted **shifted)
{
    if (!shifted || (n > 0 && !a))
        return phx_fail_null(context, __func__, "a or shifted");
    const size_t size = (size_t)n, cells = size * size;
    phx_shifted *it = phx_calloc(context, 1, sizeof *it);

    *shifted = NULL;
    if (!it)
        return PHX_ERR_MEMORY;
    it->context = context;
    it->n = n;
    it->room = columns;
    it->H = phx_calloc(context, cells, sizeof *it->H);
    it->Q = phx_calloc(context, cells, sizeof *it->Q);
    it->W = phx_calloc(context, cells, sizeof *it->W);
    it->swapped = phx_calloc(context, size, sizeof *it->swapped);
    it->factor = phx_calloc(context, size, sizeof *it->factor);
    it->work = phx_calloc(context, size * (size_t)columns, sizeof *it->work);
    phx_status status = PHX_ERR_MEMORY;
    if (it->H && it->Q && it->W && it->swapped && it->factor && it->work)
        status = phx_dense_hessenberg(context, n, a, it->H, it->Q);
    for (size_t k = 0; k < cells && !status; k++)
        it->size = fmax(it->size, fabs(a[k]));
    if (status)
        phx_shifted_destroy(it);
    else
        *shifted = it;
    return status;
}

/* W = z - H as L U, rows exchanged with their neighbours. */
phx_status phx_shifted_factor(phx_shifted *it, double re, double im)
{
    const int n = it->n;
    const double complex z = re + I * im;
    const double least = DBL_EPSILON * fmax(it->size, cabs(z));

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            it->W[i * n + j] = -it->H[i * n + j] + (i == j ? z : 0.0);
    for (int k = 0; k < n; k++) {
        double complex *row = it->W + k * n, *next = row + n;
        if (k + 1 == n)
            return cabs(row[k]) > least ? PHX_OK : PHX_SINGULAR;
        it->swapped[k] = cabs(next[k]) > cabs(row[k]);
        for (int j = k; j < n && it->swapped[k]; j++) {
            const double complex kept = row[j];
            row[j] = next[j];
            next[j] = kept;
        }
        if (!(cabs(row[k]) > least))
            return PHX_SINGULAR;
        it->factor[k] = next[k] / row[k];
        for (int j = k + 1; j < n; j++)
            next[j] -= it->factor[k] * row[j];
    }
    return PHX_OK;
}

/* y = Q x or Q^T x: real and imaginary parts of the m columns as 2 m real ones */
static void turn(const phx_shifted *it, bool transposed, int m, const double complex *x, double complex *y)
{
    phx_dense_multiply(transposed, false, it->n, 2 * m, it->n, 1.0, it->Q, it->n, (const double *)x, 2 * m, 0.0,
                       (double *)y, 2 * m);
}

/* Solves (z I - A) X = B in place for m complex right-hand sides (n x m, interleaved) with the shift factored last. */
void phx_shifted_solve(phx_shifted *it, int m, double *values)
{
    const int n = it->n;
    double complex *x = (double complex *)values, *z = it->work;

    turn(it, true, m, x, z);
    for (int k = 0; k + 1 < n; k++) {
        double complex *row = z + k * m, *next = row + m;
        for (int j = 0; j < m; j++) {
            const double complex kept = it->swapped[k] ? next[j] : row[j];
            next[j] = (it->swapped[k] ? row[j] : next[j]) - it->factor[k] * kept;
            row[j] = kept;
        }
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < m; j++) {
            double complex sum = z[i * m + j];
            for (int k = i + 1; k < n; k++)
                sum -= it->W[i * n + k] * z[k * m + j];
            z[i * m + j] = sum / it->W[i * n + i];
        }
    turn(it, false, m, z, x);
}
