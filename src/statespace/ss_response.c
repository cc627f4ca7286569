/* Transfer functions at points of the complex plane: one reduction of A to Hessenberg form serves all points, each then
 * costs n^2 for an input (phx_shifted). Two corrections with the residual of A itself keep the accuracy of a
 * factorisation of A where its entries are of very different size. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "ss.h"

struct phx_ss_probe {
    const phx_ss *system;
    int n, m;
    double *scale, *A;     /* balanced states */
    double *B;             /* balanced */
    phx_shifted *shifted;  /* s - A */
    double complex *x, *r; /* n x m */
};

void phx_ss_probe_destroy(phx_ss_probe *probe)
{
    if (!probe)
        return;
    phx_free(probe->scale);
    phx_free(probe->A);
    phx_free(probe->B);
    phx_shifted_destroy(probe->shifted);
    phx_free(probe->x);
    phx_free(probe->r);
    phx_free(probe);
}

/* Prepares transfer functions of `system`, which is borrowed: balanced A and B, and A in a form in which shifted
 * systems are solved quickly. */
phx_status phx_ss_probe_create(phx_context *context, const phx_ss *system, phx_ss_probe **made)
{
    const size_t n = (size_t)system->n, m = (size_t)system->n_inputs;
    phx_ss_probe *probe = phx_calloc(context, 1, sizeof *probe);
    phx_status status = probe ? phx_ss_balanced(context, system, &probe->scale, &probe->A) : PHX_ERR_MEMORY;

    *made = NULL;
    if (!probe)
        return status;
    probe->system = system;
    probe->n = system->n;
    probe->m = system->n_inputs;
    probe->B = phx_calloc(context, n * m, sizeof *probe->B);
    probe->x = phx_calloc(context, n * m, sizeof *probe->x);
    probe->r = phx_calloc(context, n * m, sizeof *probe->r);
    if (!probe->B || !probe->x || !probe->r)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_shifted_create(context, probe->n, probe->A, probe->m, &probe->shifted);
    for (size_t i = 0; i < n && !status; i++)
        for (size_t j = 0; j < m; j++)
            probe->B[i * m + j] = system->B[i * m + j] / probe->scale[i];
    if (status)
        phx_ss_probe_destroy(probe);
    else
        *made = probe;
    return status;
}

/* r = B - (s - A) x */
static void ss_response_residual(phx_ss_probe *points, double complex s)
{
    const int n = points->n, m = points->m;

    for (int k = 0; k < n * m; k++)
        points->r[k] = points->B[k] - s * points->x[k];
    phx_dense_multiply(false, false, n, 2 * m, n, 1.0, points->A, n, (const double *)points->x, 2 * m, 1.0,
                       (double *)points->r, 2 * m);
}

phx_status phx_ss_probe_at(phx_context *context, phx_ss_probe *points, double re, double im, double *response)
{
    const phx_ss *s = points->system;
    const int n = points->n, m = points->m;

    if (!isfinite(re) || !isfinite(im))
        return phx_fail(context, PHX_ERR_ARGUMENT, "response of '%s' at omega = %g rad/s; it must be finite", s->name,
                        im);
    if (m > 0 && phx_shifted_factor(points->shifted, re, im))
        return phx_fail(context, PHX_SINGULAR, "system '%s' has a pole at %g %+g i; its response is infinite there",
                        s->name, re, im);
    memset(points->x, 0, (size_t)n * (size_t)m * sizeof *points->x);
    for (int round = 0; round < 3; round++) {
        ss_response_residual(points, re + I * im);
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

/* The points of the frequencies: (beside + i) omega, or with a period exp(i omega period). */
static phx_status responses_along(phx_context *context, const phx_ss *system, double beside, double period, int count,
                                  const double *omega, double *responses)
{
    const size_t entries = 2 * (size_t)system->n_outputs * (size_t)system->n_inputs;
    phx_ss_probe *probe = NULL;
    phx_status status = phx_ss_probe_create(context, system, &probe);

    for (int k = 0; k < count && !status; k++) {
        const double re = period > 0.0 ? cos(omega[k] * period) : beside * omega[k];
        const double im = period > 0.0 ? sin(omega[k] * period) : omega[k];
        status = phx_ss_probe_at(context, probe, re, im, responses + (size_t)k * entries);
    }
    phx_ss_probe_destroy(probe);
    return phx_conclude(context, status);
}

phx_status phx_ss_responses(phx_context *context, const phx_ss *system, int count, const double *omega,
                            double *responses)
{
    return phx_ss_responses_sampled(context, system, 0.0, count, omega, responses);
}

phx_status phx_ss_responses_sampled(phx_context *context, const phx_ss *system, double period, int count,
                                    const double *omega, double *responses)
{
    if (!system || (count > 0 && (!omega || !responses)))
        return phx_fail_null(context, __func__, "system, omega or responses");
    return responses_along(context, system, 0.0, period, count, omega, responses);
}

phx_status phx_ss_responses_beside(phx_context *context, const phx_ss *system, double beside, int count,
                                   const double *omega, double *responses)
{
    return responses_along(context, system, beside, 0.0, count, omega, responses);
}

phx_status phx_ss_response(phx_context *context, const phx_ss *system, double omega, double *response)
{
    if (!system || !response)
        return phx_fail_null(context, __func__, "system or response");
    return phx_conclude(context, phx_ss_responses(context, system, 1, &omega, response));
}
