/* Frequency responses: one reduction of A to Hessenberg form serves all frequencies,
 *
 *     A = Q H Q^T,   (i omega - A)^-1 B = Q (i omega - H)^-1 Q^T B,
 *
 * each then costs n^2 for an input. Two corrections with the residual of A itself keep the accuracy of a factorisation
 * of A where its entries are of very different size. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "ss.h"

typedef struct sweep {
    const phx_ss *system;
    int n, m;
    double *scale, *A;         /* balanced states */
    double *H, *Q, *B;         /* B: balanced */
    double size;               /* largest entry of A */
    double complex *W;         /* n x n: i omega - H */
    int *swapped;              /* n: rows exchanged in step k */
    double complex *factor;    /* n: multipliers of the elimination */
    double complex *x, *r, *z; /* n x m */
} sweep;

static void sweep_free(sweep *it)
{
    phx_free(it->scale);
    phx_free(it->A);
    phx_free(it->H);
    phx_free(it->Q);
    phx_free(it->B);
    phx_free(it->W);
    phx_free(it->swapped);
    phx_free(it->factor);
    phx_free(it->x);
    phx_free(it->r);
    phx_free(it->z);
}

static phx_status sweep_create(phx_context *context, const phx_ss *system, sweep *it)
{
    const size_t n = (size_t)system->n, m = (size_t)system->n_inputs;
    phx_status status = phx_ss_balanced(context, system, &it->scale, &it->A);

    it->system = system;
    it->n = system->n;
    it->m = system->n_inputs;
    it->H = phx_calloc(context, n * n, sizeof *it->H);
    it->Q = phx_calloc(context, n * n, sizeof *it->Q);
    it->B = phx_calloc(context, n * m, sizeof *it->B);
    it->W = phx_calloc(context, n * n, sizeof *it->W);
    it->swapped = phx_calloc(context, n, sizeof *it->swapped);
    it->factor = phx_calloc(context, n, sizeof *it->factor);
    it->x = phx_calloc(context, n * m, sizeof *it->x);
    it->r = phx_calloc(context, n * m, sizeof *it->r);
    it->z = phx_calloc(context, n * m, sizeof *it->z);
    if (!it->H || !it->Q || !it->B || !it->W || !it->swapped || !it->factor || !it->x || !it->r || !it->z)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_dense_hessenberg(context, it->n, it->A, it->H, it->Q);
    for (size_t k = 0; k < n * n && !status; k++)
        it->size = fmax(it->size, fabs(it->A[k]));
    for (size_t i = 0; i < n && !status; i++)
        for (size_t j = 0; j < m; j++)
            it->B[i * m + j] = system->B[i * m + j] / it->scale[i];
    return status;
}

/* W = i omega - H as L U, rows exchanged with their neighbours; whether it is regular. */
static bool factor_at(sweep *it, double omega)
{
    const int n = it->n;
    const double least = DBL_EPSILON * fmax(it->size, fabs(omega));

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            it->W[i * n + j] = -it->H[i * n + j] + (i == j ? I * omega : 0.0);
    for (int k = 0; k < n; k++) {
        double complex *row = it->W + k * n, *next = row + n;
        if (k + 1 == n)
            return n == 0 || cabs(row[k]) > least;
        it->swapped[k] = cabs(next[k]) > cabs(row[k]);
        for (int j = k; j < n && it->swapped[k]; j++) {
            const double complex kept = row[j];
            row[j] = next[j];
            next[j] = kept;
        }
        if (!(cabs(row[k]) > least))
            return false;
        it->factor[k] = next[k] / row[k];
        for (int j = k + 1; j < n; j++)
            next[j] -= it->factor[k] * row[j];
    }
    return true;
}

/* y = Q x or Q^T x, n x m */
static void turn(const sweep *it, bool transposed, const double complex *x, double complex *y)
{
    const int n = it->n, m = it->m;

    memset(y, 0, (size_t)n * (size_t)m * sizeof *y);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const double q = it->Q[transposed ? k * n + i : i * n + k];
            for (int j = 0; j < m; j++)
                y[i * m + j] += q * x[k * m + j];
        }
}

/* r <- (i omega - A)^-1 r */
static void solve(sweep *it)
{
    const int n = it->n, m = it->m;

    turn(it, true, it->r, it->z);
    for (int k = 0; k + 1 < n; k++) {
        double complex *row = it->z + k * m, *next = row + m;
        for (int j = 0; j < m; j++) {
            const double complex kept = it->swapped[k] ? next[j] : row[j];
            next[j] = (it->swapped[k] ? row[j] : next[j]) - it->factor[k] * kept;
            row[j] = kept;
        }
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < m; j++) {
            double complex sum = it->z[i * m + j];
            for (int k = i + 1; k < n; k++)
                sum -= it->W[i * n + k] * it->z[k * m + j];
            it->z[i * m + j] = sum / it->W[i * n + i];
        }
    turn(it, false, it->z, it->r);
}

/* r = B - (i omega - A) x */
static void residual(sweep *it, double omega)
{
    const int n = it->n, m = it->m;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double complex sum = it->B[i * m + j] - I * omega * it->x[i * m + j];
            for (int k = 0; k < n; k++)
                sum += it->A[i * n + k] * it->x[k * m + j];
            it->r[i * m + j] = sum;
        }
}

static phx_status response_at(phx_context *context, sweep *it, double omega, double *response)
{
    const phx_ss *s = it->system;
    const int n = it->n, m = it->m;

    if (!isfinite(omega))
        return phx_fail(context, PHX_ERR_ARGUMENT, "response of '%s' at omega = %g rad/s; it must be finite", s->name,
                        omega);
    if (m > 0 && !factor_at(it, omega))
        return phx_fail(context, PHX_SINGULAR,
                        "system '%s' has a pole at %g rad/s on the imaginary axis; its response is infinite there",
                        s->name, omega);
    memset(it->x, 0, (size_t)n * (size_t)m * sizeof *it->x);
    for (int round = 0; round < 3; round++) {
        residual(it, omega);
        solve(it);
        for (int k = 0; k < n * m; k++)
            it->x[k] += it->r[k];
    }
    for (int i = 0; i < s->n_outputs; i++)
        for (int j = 0; j < m; j++) {
            double complex sum = s->D[i * m + j];
            for (int k = 0; k < n; k++)
                sum += s->C[i * n + k] * it->scale[k] * it->x[k * m + j];
            response[2 * (i * m + j)] = creal(sum);
            response[2 * (i * m + j) + 1] = cimag(sum);
        }
    return PHX_OK;
}

phx_status phx_ss_responses(phx_context *context, const phx_ss *system, int count, const double *omega,
                            double *responses)
{
    if (!system || (count > 0 && (!omega || !responses)))
        return phx_fail_null(context, __func__, "system, omega or responses");
    const size_t entries = 2 * (size_t)system->n_outputs * (size_t)system->n_inputs;
    sweep it = {0};
    phx_status status = sweep_create(context, system, &it);

    for (int k = 0; k < count && !status; k++)
        status = response_at(context, &it, omega[k], responses + (size_t)k * entries);
    sweep_free(&it);
    return phx_conclude(context, status);
}

phx_status phx_ss_response(phx_context *context, const phx_ss *system, double omega, double *response)
{
    if (!system || !response)
        return phx_fail_null(context, __func__, "system or response");
    return phx_conclude(context, phx_ss_responses(context, system, 1, &omega, response));
}
