/* The matrix of an equilibrium's corrections: solutions, and in how many directions it is negative.
 *
 * The eigenvalues of (K, W) over the motions that G allows, below -sigma, are as many as
 *
 *   | K + sigma W   -G^T |
 *   | -G             0   |       has negative ones beyond one for each row of G,
 *
 * and these, by Sylvester, as many as D of its L D L^T has negative entries. Without pivoting: with a sigma that is not
 * zero leading blocks of the elimination order, in which velocities come before the rows on them, are regular in
 * general; where one is not, another sigma is taken. */
#include "statics.h"

#include <math.h>
#include <string.h>

phx_status phx_statics_linearise(statics *s, const double *x, const double *lambda)
{
    return s->dae->ops->linearise(s->dae, s->problem.t, x, s->vectors.zero, lambda);
}

static void tangent_put_matrix(statics *s, double sigma)
{
    for (int i = 0; i < s->e.n; i++)
        for (int k = s->e.ptr[i]; k < s->e.ptr[i + 1]; k++)
            if (i >= s->e.n_v || s->e.idx[k] >= s->e.n_v)
                s->tangent.val[k] = s->e.D[k];
            else
                s->tangent.val[k] = s->e.K[k] + sigma * (s->e.M[k] + (s->e.idx[k] == i ? s->scale.turning[i] : 0.0));
}

/* Where free motions leave pivots that a small sigma does not lift out of rounding, with a larger one. */
phx_status phx_statics_factor(statics *s, double sigma)
{
    enum { TRIES = 4 };
    phx_status status = PHX_SINGULAR;

    for (int k = 0; k < TRIES && status == PHX_SINGULAR; k++, sigma = fmax(8.0 * sigma, s->scale.rounding)) {
        phx_context_clear(s->context);
        tangent_put_matrix(s, sigma);
        status = phx_system_factor(s->dae, s->tangent.val, &s->tangent.lu);
    }
    return status;
}

phx_status phx_statics_solve(const statics *s, double *b)
{
    return phx_lu_solve(s->tangent.lu, 1, b);
}

/* ---- negative directions ---- */
static phx_status make_symmetric(statics *s)
{
    const size_t n = (size_t)s->e.n, nnz = (size_t)s->e.ptr[s->e.n];
    int *place = phx_calloc(s->context, n, sizeof *place);

    s->tangent.ptr = phx_calloc(s->context, n + 1, sizeof *s->tangent.ptr);
    s->tangent.idx = phx_calloc(s->context, nnz, sizeof *s->tangent.idx);
    s->tangent.one = phx_calloc(s->context, nnz, sizeof *s->tangent.one);
    s->tangent.two = phx_calloc(s->context, nnz, sizeof *s->tangent.two);
    if (!place || !s->tangent.ptr || !s->tangent.idx || !s->tangent.one || !s->tangent.two) {
        phx_free(place);
        return PHX_ERR_MEMORY;
    }
    for (int k = 0; k < s->e.n; k++)
        place[s->e.order[k]] = k;
    for (int p = 0, at = 0; p < s->e.n; p++) {
        const int i = s->e.order[p];
        for (int k = s->e.ptr[i]; k < s->e.ptr[i + 1]; k++, at++) {
            const int j = s->e.idx[k], mirror = phx_csr_find(&s->e.pattern, j, i);
            s->tangent.idx[at] = place[j];
            s->tangent.one[at] = i < s->e.n_v ? k : mirror; /* of a row -G^T, not G */
            s->tangent.two[at] = i < s->e.n_v && j < s->e.n_v ? mirror : s->tangent.one[at];
        }
        s->tangent.ptr[p + 1] = at;
    }
    phx_free(place);
    return phx_ldl_create(s->context, s->e.n, s->tangent.ptr, s->tangent.idx, &s->tangent.ldl);
}

/* Number of eigenvalues of (K, W) below -sigma on closed joints, by the inertia of an L D L^T factorisation. If sigma
 * makes a leading block singular, larger ones are tried. */
phx_status phx_statics_negative(statics *s, double sigma, int *count)
{
    enum { TRIES = 8 };
    phx_status status = s->tangent.ldl ? PHX_OK : make_symmetric(s);

    if (status)
        return status;
    status = PHX_SINGULAR;
    for (int k = 0; k < TRIES && status == PHX_SINGULAR; k++) {
        phx_context_clear(s->context);
        tangent_put_matrix(s, ldexp(sigma, 2 * k));
        for (int e = 0; e < s->e.ptr[s->e.n]; e++)
            s->tangent.symmetric[e] = 0.5 * (s->tangent.val[s->tangent.one[e]] + s->tangent.val[s->tangent.two[e]]);
        status = phx_ldl_factor(s->tangent.ldl, s->tangent.symmetric);
    }
    if (!status)
        *count = phx_ldl_negative(s->tangent.ldl) - s->e.n_l;
    return status;
}

static double tangent_product(const statics *s, const double *val, const double *xi, const double *eta)
{
    double sum = 0.0;

    for (int i = 0; i < s->e.n_v; i++)
        for (int k = s->e.ptr[i]; k < s->e.ptr[i + 1]; k++)
            if (s->e.idx[k] < s->e.n_v)
                sum += xi[i] * val[k] * eta[s->e.idx[k]];
    return sum;
}

double phx_statics_K_product(const statics *s, const double *xi, const double *eta)
{
    return tangent_product(s, s->e.K, xi, eta);
}

void phx_statics_W_apply(const statics *s, const double *xi, double *out)
{
    memset(out, 0, (size_t)s->e.n * sizeof *out);
    s->dae->ops->mass_apply(s->dae, xi, out);
    for (int i = 0; i < s->e.n_v; i++)
        out[i] += s->scale.turning[i] * xi[i];
}

double phx_statics_W_product(const statics *s, const double *xi, const double *eta)
{
    double sum = tangent_product(s, s->e.M, xi, eta);

    for (int i = 0; i < s->e.n_v; i++)
        sum += xi[i] * s->scale.turning[i] * eta[i];
    return sum;
}
