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

void phx_shifted_destroy(phx_shifted *pencil)
{
    if (!pencil)
        return;
    phx_free(pencil->H);
    phx_free(pencil->Q);
    phx_free(pencil->W);
    phx_free(pencil->swapped);
    phx_free(pencil->factor);
    phx_free(pencil->work);
    phx_free(pencil);
}

/* Reduces A to Hessenberg form for solutions with many shifts, at most `columns` right-hand sides at once. */
phx_status phx_shifted_create(phx_context *context, int n, const double *a, int columns, phx_shifted **shifted)
{
    if (!shifted || (n > 0 && !a))
        return phx_fail_null(context, __func__, "a or shifted");
    const size_t size = (size_t)n, cells = size * size;
    phx_shifted *pencil = phx_calloc(context, 1, sizeof *pencil);

    *shifted = NULL;
    if (!pencil)
        return PHX_ERR_MEMORY;
    pencil->context = context;
    pencil->n = n;
    pencil->room = columns;
    pencil->H = phx_calloc(context, cells, sizeof *pencil->H);
    pencil->Q = phx_calloc(context, cells, sizeof *pencil->Q);
    pencil->W = phx_calloc(context, cells, sizeof *pencil->W);
    pencil->swapped = phx_calloc(context, size, sizeof *pencil->swapped);
    pencil->factor = phx_calloc(context, size, sizeof *pencil->factor);
    pencil->work = phx_calloc(context, size * (size_t)columns, sizeof *pencil->work);
    phx_status status = PHX_ERR_MEMORY;
    if (pencil->H && pencil->Q && pencil->W && pencil->swapped && pencil->factor && pencil->work)
        status = phx_dense_hessenberg(context, n, a, pencil->H, pencil->Q);
    for (size_t k = 0; k < cells && !status; k++)
        pencil->size = fmax(pencil->size, fabs(a[k]));
    if (status)
        phx_shifted_destroy(pencil);
    else
        *shifted = pencil;
    return status;
}

/* W = z - H as L U, rows exchanged with their neighbours. */
phx_status phx_shifted_factor(phx_shifted *pencil, double re, double im)
{
    const int n = pencil->n;
    const double complex z = re + I * im;
    const double least = DBL_EPSILON * fmax(pencil->size, cabs(z));

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            pencil->W[i * n + j] = -pencil->H[i * n + j] + (i == j ? z : 0.0);
    for (int k = 0; k < n; k++) {
        double complex *row = pencil->W + k * n, *next = row + n;
        if (k + 1 == n)
            return cabs(row[k]) > least ? PHX_OK : PHX_SINGULAR;
        pencil->swapped[k] = cabs(next[k]) > cabs(row[k]);
        for (int j = k; j < n && pencil->swapped[k]; j++) {
            const double complex kept = row[j];
            row[j] = next[j];
            next[j] = kept;
        }
        if (!(cabs(row[k]) > least))
            return PHX_SINGULAR;
        pencil->factor[k] = next[k] / row[k];
        for (int j = k + 1; j < n; j++)
            next[j] -= pencil->factor[k] * row[j];
    }
    return PHX_OK;
}

/* y = Q x or Q^T x: real and imaginary parts of the m columns as 2 m real ones */
static void turn(const phx_shifted *pencil, bool transposed, int m, const double complex *x, double complex *y)
{
    phx_dense_multiply(transposed, false, pencil->n, 2 * m, pencil->n, 1.0, pencil->Q, pencil->n, (const double *)x,
                       2 * m, 0.0, (double *)y, 2 * m);
}

/* Solves (z I - A) X = B in place for m complex right-hand sides (n x m, interleaved) with the shift factored last. */
void phx_shifted_solve(phx_shifted *pencil, int m, double *values)
{
    const int n = pencil->n;
    double complex *x = (double complex *)values, *z = pencil->work;

    turn(pencil, true, m, x, z);
    for (int k = 0; k + 1 < n; k++) {
        double complex *row = z + k * m, *next = row + m;
        for (int j = 0; j < m; j++) {
            const double complex kept = pencil->swapped[k] ? next[j] : row[j];
            next[j] = (pencil->swapped[k] ? row[j] : next[j]) - pencil->factor[k] * kept;
            row[j] = kept;
        }
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < m; j++) {
            double complex sum = z[i * m + j];
            for (int k = i + 1; k < n; k++)
                sum -= pencil->W[i * n + k] * z[k * m + j];
            z[i * m + j] = sum / pencil->W[i * n + i];
        }
    turn(pencil, false, m, z, x);
}
