/* Frequency responses: one reduction of A to Hessenberg form serves all frequencies, each then costs n^2 for an input
 * (phx_shifted). Two corrections with the residual of A itself keep the accuracy of a factorisation of A where its
 * entries are of very different size. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "ss.h"

typedef struct sweep {
    const phx_ss *system;
    int n, m;
    double beside;         /* s = (beside + i) omega */
    double *scale, *A;     /* balanced states */
    double *B;             /* balanced */
    phx_shifted *shifted;  /* s - A */
    double complex *x, *r; /* n x m */
} sweep;

static void sweep_free(sweep *it)
{
    phx_free(it->scale);
    phx_free(it->A);
    phx_free(it->B);
    phx_shifted_destroy(it->shifted);
    phx_free(it->x);
    phx_free(it->r);
}

/* Prepares frequency responses: balanced A and B, and A in a form in which shifted systems are solved quickly. */
static phx_status sweep_create(phx_context *context, const phx_ss *system, sweep *it)
{
    const size_t n = (size_t)system->n, m = (size_t)system->n_inputs;
    phx_status status = phx_ss_balanced(context, system, &it->scale, &it->A);

    it->system = system;
    it->n = system->n;
    it->m = system->n_inputs;
    it->B = phx_calloc(context, n * m, sizeof *it->B);
    it->x = phx_calloc(context, n * m, sizeof *it->x);
    it->r = phx_calloc(context, n * m, sizeof *it->r);
    if (!it->B || !it->x || !it->r)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_shifted_create(context, it->n, it->A, it->m, &it->shifted);
    for (size_t i = 0; i < n && !status; i++)
        for (size_t j = 0; j < m; j++)
            it->B[i * m + j] = system->B[i * m + j] / it->scale[i];
    return status;
}

/* r = B - (s - A) x */
static void ss_response_residual(sweep *it, double omega)
{
    const int n = it->n, m = it->m;
    const double complex s = it->beside * omega + I * omega;

    for (int k = 0; k < n * m; k++)
        it->r[k] = it->B[k] - s * it->x[k];
    phx_dense_multiply(false, false, n, 2 * m, n, 1.0, it->A, n, (const double *)it->x, 2 * m, 1.0, (double *)it->r,
                       2 * m);
}

/* response = D + C (i omega - A)^-1 B as pairs of real and imaginary part, with three rounds of iterative refinement.
 * PHX_SINGULAR at a pole on the imaginary axis. */
static phx_status response_at(phx_context *context, sweep *it, double omega, double *response)
{
    const phx_ss *s = it->system;
    const int n = it->n, m = it->m;

    if (!isfinite(omega))
        return phx_fail(context, PHX_ERR_ARGUMENT, "response of '%s' at omega = %g rad/s; it must be finite", s->name,
                        omega);
    if (m > 0 && phx_shifted_factor(it->shifted, it->beside * omega, omega))
        return phx_fail(context, PHX_SINGULAR,
                        "system '%s' has a pole at %g rad/s on the imaginary axis; its response is infinite there",
                        s->name, omega);
    memset(it->x, 0, (size_t)n * (size_t)m * sizeof *it->x);
    for (int round = 0; round < 3; round++) {
        ss_response_residual(it, omega);
        phx_shifted_solve(it->shifted, m, (double *)it->r);
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
    return phx_ss_responses_beside(context, system, 0.0, count, omega, responses);
}

phx_status phx_ss_responses_beside(phx_context *context, const phx_ss *system, double beside, int count,
                                   const double *omega, double *responses)
{
    const size_t entries = 2 * (size_t)system->n_outputs * (size_t)system->n_inputs;
    sweep it = {.beside = beside};
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
