/* The transfer function of a descriptor system at a point of the complex plane, by one sparse factorisation. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "internal.h"

/* A = (J - R) Q */
static phx_status dynamics(phx_context *context, const phx_descriptor *system, phx_csr *A)
{
    const int n = phx_descriptor_n(system);
    const phx_csr *J = phx_descriptor_J(system), *R = phx_descriptor_R(system), *Q = phx_descriptor_Q(system);
    phx_csr none = {0}, difference = {0};
    phx_status status = phx_csr_from_triplets(context, n, n, 0, NULL, NULL, NULL, &none);

    if (!status)
        status = phx_csr_add(context, 1.0, J ? J : &none, -1.0, R ? R : &none, &difference);
    if (!status)
        status = phx_csr_multiply(context, &difference, Q, A);
    phx_csr_free(&none);
    phx_csr_free(&difference);
    return status;
}

/* The union of the patterns of E and A, and s E - A on it, interleaved. */
static phx_status pencil(phx_context *context, const phx_csr *E, const phx_csr *A, double complex s, phx_csr *pattern,
                         double complex **values)
{
    phx_status status = phx_csr_add(context, 1.0, E, 1.0, A, pattern);

    *values = status ? NULL : phx_calloc(context, (size_t)pattern->ptr[pattern->rows] + 1, sizeof **values);
    if (!status && !*values)
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < E->rows && !status; i++) {
        for (int k = E->ptr[i]; k < E->ptr[i + 1]; k++)
            (*values)[phx_csr_find(pattern, i, E->idx[k])] += s * E->val[k];
        for (int k = A->ptr[i]; k < A->ptr[i + 1]; k++)
            (*values)[phx_csr_find(pattern, i, A->idx[k])] -= A->val[k];
    }
    return status;
}

static void add_columns(const phx_csr *a, double factor, int n, double complex *x)
{
    for (int i = 0; a && i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            x[(size_t)a->idx[k] * (size_t)n + (size_t)i] += factor * a->val[k];
}

/* z (n) = Q x */
static void efforts(const phx_csr *Q, const double complex *x, double complex *z)
{
    for (int i = 0; i < Q->rows; i++) {
        z[i] = 0.0;
        for (int k = Q->ptr[i]; k < Q->ptr[i + 1]; k++)
            z[i] += Q->val[k] * x[Q->idx[k]];
    }
}

/* y (column j of the m x m response) += a^T z, or a z */
static void add_output(const phx_csr *a, double factor, const double complex *z, int j, int m, double complex *response)
{
    for (int i = 0; a && i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            response[a->idx[k] * m + j] += factor * a->val[k] * z[i];
}

static void add_feedthrough(const phx_csr *a, int m, double complex *response)
{
    for (int i = 0; a && i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            response[i * m + a->idx[k]] += a->val[k];
}

/* response = (B + P)^T Q (s E - (J - R) Q)^-1 (B - P) + S + N at s = re + i im. PHX_SINGULAR at a pole. */
phx_status phx_descriptor_transfer(phx_context *context, const phx_descriptor *system, double re, double im,
                                   double *response)
{
    if (!system || !response)
        return phx_fail_null(context, __func__, "system or response");
    if (!phx_descriptor_Q(system))
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "system '%s' is nonlinear, without Q: it has no transfer function",
                        phx_descriptor_name(system));
    const int n = phx_descriptor_n(system), m = phx_descriptor_inputs(system);
    const phx_csr *E = phx_descriptor_E(system), *Q = phx_descriptor_Q(system);
    phx_csr A = {0}, pattern = {0};
    double complex *values = NULL, *H = (double complex *)response;
    double complex *x = phx_calloc(context, (size_t)n * (size_t)(m + 1) + 1, sizeof *x);
    phx_lu *lu = NULL;
    phx_status status = x ? dynamics(context, system, &A) : PHX_ERR_MEMORY;

    if (!status)
        status = pencil(context, E, &A, re + im * I, &pattern, &values);
    if (!status)
        status = phx_lu_create(context, n, pattern.ptr, pattern.idx, NULL, true, &lu);
    if (!status) {
        phx_lu_pivot_always(lu);
        status = phx_lu_factor(lu, (const double *)values, NULL);
    }
    if (status == PHX_SINGULAR)
        status =
            phx_fail(context, PHX_SINGULAR, "system '%s' has a pole at %g + %g i", phx_descriptor_name(system), re, im);
    if (!status) {
        add_columns(phx_descriptor_B(system), 1.0, n, x);
        add_columns(phx_descriptor_P(system), -1.0, n, x);
        status = phx_lu_solve(lu, m, (double *)x);
    }
    if (!status)
        memset(H, 0, (size_t)m * (size_t)m * sizeof *H);
    for (int j = 0; j < m && !status; j++) {
        double complex *z = x + (size_t)m * (size_t)n;
        efforts(Q, x + (size_t)j * (size_t)n, z);
        add_output(phx_descriptor_B(system), 1.0, z, j, m, H);
        add_output(phx_descriptor_P(system), 1.0, z, j, m, H);
    }
    if (!status) {
        add_feedthrough(phx_descriptor_S(system), m, H);
        add_feedthrough(phx_descriptor_N(system), m, H);
    }
    phx_lu_destroy(lu);
    phx_csr_free(&A);
    phx_csr_free(&pattern);
    phx_free(values);
    phx_free(x);
    return phx_conclude(context, status);
}
