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

static void sweep_free(sweep *points)
{
    phx_free(points->scale);
    phx_free(points->A);
    phx_free(points->B);
    phx_shifted_destroy(points->shifted);
    phx_free(points->x);
    phx_free(points->r);
}

/* Prepares frequency responses: balanced A and B, and A in a form in which shifted systems are solved quickly. */
static phx_status sweep_create(phx_context *context, const phx_ss *system, sweep *points)
{
    const size_t n = (size_t)system->n, m = (size_t)system->n_inputs;
    phx_status status = phx_ss_balanced(context, system, &points->scale, &points->A);

    points->system = system;
    points->n = system->n;
    points->m = system->n_inputs;
    points->B = phx_calloc(context, n * m, sizeof *points->B);
    points->x = phx_calloc(context, n * m, sizeof *points->x);
    points->r = phx_calloc(context, n * m, sizeof *points->r);
    if (!points->B || !points->x || !points->r)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_shifted_create(context, points->n, points->A, points->m, &points->shifted);
    for (size_t i = 0; i < n && !status; i++)
        for (size_t j = 0; j < m; j++)
            points->B[i * m + j] = system->B[i * m + j] / points->scale[i];
    return status;
}

/* r = B - (s - A) x */
static void ss_response_residual(sweep *points, double omega)
{
    const int n = points->n, m = points->m;
    const double complex s = points->beside * omega + I * omega;

    for (int k = 0; k < n * m; k++)
        points->r[k] = points->B[k] - s * points->x[k];
    phx_dense_multiply(false, false, n, 2 * m, n, 1.0, points->A, n, (const double *)points->x, 2 * m, 1.0,
                       (double *)points->r, 2 * m);
}

/* response = D + C (i omega - A)^-1 B as pairs of real and imaginary part, with three rounds of iterative refinement.
 * PHX_SINGULAR at a pole on the imaginary axis. */
static phx_status response_at(phx_context *context, sweep *points, double omega, double *response)
{
    const phx_ss *s = points->system;
    const int n = points->n, m = points->m;

    if (!isfinite(omega))
        return phx_fail(context, PHX_ERR_ARGUMENT, "response of '%s' at omega = %g rad/s; it must be finite", s->name,
                        omega);
    if (m > 0 && phx_shifted_factor(points->shifted, points->beside * omega, omega))
        return phx_fail(context, PHX_SINGULAR,
                        "system '%s' has a pole at %g rad/s on the imaginary axis; its response is infinite there",
                        s->name, omega);
    memset(points->x, 0, (size_t)n * (size_t)m * sizeof *points->x);
    for (int round = 0; round < 3; round++) {
        ss_response_residual(points, omega);
        phx_shifted_solve(points->shifted, m, (double *)points->r);
        for (int k = 0; k < n * m; k++)
            points->x[k] += points->r[k];
    }
    for (int i = 0; i < s->n_outputs; i++)
        for (int j = 0; j < m; j++) {
            double complex sum = s->D[i * m + j];
            for (int k = 0; k < n; k++)
                sum += s->C[i * n + k] * points->scale[k] * points->x[k * m + j];
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
    sweep points = {.beside = beside};
    phx_status status = sweep_create(context, system, &points);

    for (int k = 0; k < count && !status; k++)
        status = response_at(context, &points, omega[k], responses + (size_t)k * entries);
    sweep_free(&points);
    return phx_conclude(context, status);
}

phx_status phx_ss_response(phx_context *context, const phx_ss *system, double omega, double *response)
{
    if (!system || !response)
        return phx_fail_null(context, __func__, "system or response");
    return phx_conclude(context, phx_ss_responses(context, system, 1, &omega, response));
}
