/* Critical load factors: K(s) = K + (s - 1) K' about the equilibrium of the loads, s = 1, is singular on the motions
 * that G allows,
 *
 *   K' z = mu K z ,   s = 1 - 1/mu ,
 *
 * for the mu largest in size, by subspace iteration with K^-1 K' (K positive definite). K' = 2 (K(1) - K(1/2)), each at
 * its equilibrium. */
#include "statics.h"

#include <math.h>
#include <string.h>

typedef struct buckling {
    statics *s;
    int count, width; /* wanted, vectors */
    double *slope;    /* K' on the kkt pattern */
    double *Z, *Y;    /* width x n */
    double *A, *B, *values, *vectors;
    double *change; /* n */
    double *x_half, *lambda_half;
} buckling;

static void apply_slope(const buckling *b, const double *z, double *out)
{
    const kkt_matrix *kkt = &b->s->ws->kkt;

    memset(out, 0, (size_t)kkt->n * sizeof *out);
    for (int i = 0; i < kkt->n_v; i++)
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1]; k++)
            if (kkt->idx[k] < kkt->n_v)
                out[i] += b->slope[k] * z[kkt->idx[k]];
}

static phx_status create(statics *s, int count, buckling *b)
{
    const size_t n = (size_t)s->ws->kkt.n;
    const int freedom = s->ws->kkt.n_v - s->ws->n_l;

    *b = (buckling){.s = s, .count = count < freedom ? count : freedom};
    b->width = b->count + 8 < freedom ? b->count + 8 : freedom;
    const size_t w = (size_t)b->width;
    const phx_sys_array arrays[] = {{&b->slope, (size_t)s->ws->kkt.ptr[n]},
                                    {&b->Z, w * n},
                                    {&b->Y, w * n},
                                    {&b->A, w * w},
                                    {&b->B, w * w},
                                    {&b->values, w},
                                    {&b->vectors, w * w},
                                    {&b->change, n},
                                    {&b->x_half, (size_t)s->system->n_x},
                                    {&b->lambda_half, (size_t)s->ws->n_l}};
    return phx_sys_arrays_create(s->context, sizeof arrays / sizeof *arrays, arrays);
}

static void destroy(buckling *b)
{
    double *arrays[] = {b->slope, b->Z, b->Y, b->A, b->B, b->values, b->vectors, b->change, b->x_half, b->lambda_half};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        phx_free(arrays[i]);
}

/* K' , and K of (x, lambda) factored. */
static phx_status linearise_in_load(buckling *b, const double *x, const double *lambda)
{
    statics *s = b->s;
    const int nnz = s->ws->kkt.ptr[s->ws->kkt.n];
    int negative = 0;
    double *x_half = b->x_half, *lambda_half = b->lambda_half;

    memcpy(x_half, x, (size_t)s->system->n_x * sizeof *x);
    memcpy(lambda_half, lambda, (size_t)s->ws->n_l * sizeof *lambda);
    phx_statics_set_load(s, 0.5);
    phx_status status = phx_statics_newton(s, 1.0, x_half, lambda_half);
    if (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR)
        status = phx_fail(s->context, PHX_ERR_ANALYSIS,
                          "there is no equilibrium of half the loads near that of the whole, which critical load "
                          "factors are found from; follow the path of equilibria instead");
    if (!status)
        status = phx_statics_linearise(s, x_half, lambda_half);
    for (int k = 0; k < nnz && !status; k++)
        b->slope[k] = -2.0 * s->ws->values.K[k];
    phx_statics_set_load(s, 1.0);
    if (!status)
        status = phx_statics_linearise(s, x, lambda);
    for (int k = 0; k < nnz && !status; k++)
        b->slope[k] += 2.0 * s->ws->values.K[k];
    if (!status)
        status = phx_statics_negative(s, 10.0 * s->rounding, &negative);
    if (!status && negative > 0)
        status = phx_fail(s->context, PHX_ERR_ANALYSIS,
                          "the equilibrium of the loads is unstable in %d direction%s: the loads are beyond a critical "
                          "one; make them smaller, and take the factors of those",
                          negative, negative == 1 ? "" : "s");
    return status ? status : phx_statics_factor(s, s->rounding);
}

/* Z <- K^-1 K' Z; then mu and its vectors in the space of Z, the largest in size first. */
static phx_status iterate(buckling *b)
{
    statics *s = b->s;
    const size_t n = (size_t)s->ws->kkt.n, w = (size_t)b->width;
    phx_status status = PHX_OK;

    for (size_t c = 0; c < w && !status; c++) {
        apply_slope(b, b->Z + c * n, b->Y + c * n);
        status = phx_statics_solve(s, b->Y + c * n);
        double length = sqrt(fmax(phx_statics_K_product(s, b->Y + c * n, b->Y + c * n), 0.0));
        for (size_t i = 0; i < n && length > 0.0; i++)
            b->Y[c * n + i] /= length;
    }
    for (size_t c = 0; c < w && !status; c++) {
        apply_slope(b, b->Y + c * n, b->change);
        for (size_t r = 0; r < w; r++) {
            b->A[r * w + c] = phx_sys_dot(s->ws->kkt.n_v, b->Y + r * n, b->change);
            b->B[r * w + c] = phx_statics_K_product(s, b->Y + r * n, b->Y + c * n) + (r == c ? 1e-14 : 0.0);
        }
    }
    if (!status)
        status = phx_dense_eigen_symmetric(s->context, b->width, b->A, b->B, b->values, b->vectors);
    if (!status)
        phx_dense_multiply(true, false, b->width, (int)n, b->width, 1.0, b->vectors, b->width, b->Y, (int)n, 0.0, b->Z,
                           (int)n);
    return status;
}

/* The k-th of the values by size. */
static int ranked(const buckling *b, int k)
{
    int left = 0, right = b->width - 1, at = 0;

    for (; k >= 0; k--)
        at = fabs(b->values[left]) > fabs(b->values[right]) ? left++ : right--;
    return at;
}

/* Loads that turn with the bodies have no symmetric K'. */
static phx_status check_potential(const buckling *b)
{
    double skew = 0.0, size = 0.0;

    for (int r = 0; r < b->width; r++)
        for (int c = 0; c < b->width; c++) {
            skew = fmax(skew, fabs(b->A[r * b->width + c] - b->A[c * b->width + r]));
            size = fmax(size, fabs(b->A[r * b->width + c]));
        }
    return skew <= 1e-5 * size ? PHX_OK
                               : phx_fail(b->s->context, PHX_ERR_UNSUPPORTED,
                                          "the loads have no potential (they follow the bodies, or controllers make "
                                          "them): such systems may flutter before they buckle; take the modes about "
                                          "equilibria of growing loads");
}

static phx_status find(buckling *b, double *factors, double *shapes, int *found)
{
    enum { LIMIT = 400 };
    const size_t n = (size_t)b->s->ws->kkt.n, n_v = (size_t)b->s->ws->kkt.n_v;
    double last = 0.0, change = HUGE_VAL;
    phx_status status = PHX_OK;

    for (size_t c = 0; c < (size_t)b->width; c++)
        for (size_t i = 0; i < n_v; i++)
            b->Z[c * n + i] = sin(1.0 + 0.7 * (double)i + 1.3 * (double)(c * i)) / b->s->force[i];
    for (int k = 0; k < LIMIT && !status && change > 1e-13; k++) {
        double sum = 0.0;
        status = iterate(b);
        for (int c = 0; c < b->count && !status; c++)
            sum += fabs(b->values[ranked(b, c)]);
        change = fabs(sum - last) / fmax(sum, 1e-300);
        last = sum;
    }
    if (!status)
        status = check_potential(b);
    for (int c = 0; c < b->count && !status; c++) {
        const int at = ranked(b, c);
        if (!(fabs(b->values[at]) > 1e-12))
            break;
        factors[c] = 1.0 - 1.0 / b->values[at];
        if (shapes)
            memcpy(shapes + (size_t)c * n_v, b->Z + (size_t)at * n, n_v * sizeof *shapes);
        *found = c + 1;
    }
    return status;
}

phx_status phx_system_buckling(phx_dae *dae, double t, const double *x, const double *lambda, int count,
                               double *factors, double *shapes, int *found)
{
    if (!dae || !x || !lambda || !factors || !found)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x, lambda, factors or found");
    statics s = {0};
    buckling b = {0};
    phx_status status = phx_statics_create(dae, t, x, &s);

    *found = 0;
    if (!status)
        status = create(&s, count, &b);
    if (!status)
        status = linearise_in_load(&b, x, lambda);
    if (!status)
        status = find(&b, factors, shapes, found);
    destroy(&b);
    phx_statics_free(&s);
    return phx_conclude(dae->context, status);
}
