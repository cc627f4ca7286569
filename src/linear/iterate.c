/* Inverse iteration of damped modes on the full quadratic problem. */
#include <math.h>
#include <string.h>

#include "internal.h"

typedef struct iteration {
    phx_context *context;
    const phx_large *large;
    phx_kkt *kkt;
    int n, size;
    double complex *rhs;  /* size */
    double complex *mass; /* n: M x */
} iteration;

/* y (n) += alpha A x for complex vectors */
static void apply(const phx_csr *a, double complex alpha, const double complex *x, double complex *y)
{
    for (int i = 0; i < a->rows; i++) {
        double complex sum = 0.0;
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            sum += a->val[k] * x[a->idx[k]];
        y[i] += alpha * sum;
    }
}

/* y^T A x */
static double complex bilinear(const phx_csr *a, const double complex *y, const double complex *x)
{
    double complex sum = 0.0;
    for (int i = 0; i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            sum += y[i] * a->val[k] * x[a->idx[k]];
    return sum;
}

/* x <- x / sqrt(x^H M x), mass = M x */
static void normalise(const phx_csr *M, int n, double complex *x, double complex *mass)
{
    memset(mass, 0, (size_t)n * sizeof *mass);
    apply(M, 1.0, x, mass);
    double square = 0.0;
    for (int i = 0; i < n; i++)
        square += creal(conj(x[i]) * mass[i]);
    const double scale = square > 0.0 ? 1.0 / sqrt(square) : 1.0;
    for (int i = 0; i < n; i++) {
        x[i] *= scale;
        mass[i] *= scale;
    }
}

/* [Q(lambda) G^T; G 0] (z, mu) = ((2 lambda M + D) x, 0),   lambda <- lambda - 1/(x^H M z),   x <- z */
static phx_status step(const iteration *it, double complex *lambda, double complex *x, double *change)
{
    const phx_linear *linear = it->large->linear;
    phx_status status =
        phx_kkt_factor_quadratic(it->kkt, &linear->M, &linear->D, &it->large->K, &it->large->G, *lambda);
    *change = 0.0;
    if (status == PHX_SINGULAR) /* lambda is an eigenvalue to the last digit */
        return PHX_OK;
    if (status)
        return status;
    memset(it->rhs, 0, (size_t)it->size * sizeof *it->rhs);
    apply(&linear->M, 2.0 * *lambda, x, it->rhs);
    apply(&linear->D, 1.0, x, it->rhs);
    status = phx_lu_solve(it->kkt->lu, 1, (double *)it->rhs); /* C17 6.2.5: re and im one after the other */
    if (status)
        return status;
    double complex along = 0.0;
    for (int i = 0; i < it->n; i++)
        along += conj(it->mass[i]) * it->rhs[i];
    if (along != 0.0 && isfinite(cabs(along))) {
        *lambda -= 1.0 / along;
        *change = cabs(1.0 / along);
        memcpy(x, it->rhs, (size_t)it->n * sizeof *x);
        normalise(&linear->M, it->n, x, it->mass);
    }
    return PHX_OK;
}

/* lambda from the Rayleigh functional y^T (lambda^2 M + lambda D + K) x = 0, the elastic energy through the root where
 * there is one; y is x for a symmetric problem, its conjugate for a gyroscopic one, whose lambda is imaginary. */
static phx_status improve(const iteration *it, double complex *lambda, const double complex *x)
{
    const phx_linear *linear = it->large->linear;
    const phx_stiffness stiffness = phx_linear_stiffness(linear);
    const int rows = stiffness.root ? stiffness.root->rows : 0;
    double complex *y = phx_calloc(it->context, (size_t)it->n, sizeof *y);
    double complex *strain = phx_calloc(it->context, (size_t)rows, sizeof *strain);
    phx_status status = y && strain ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < it->n && !status; i++)
        y[i] = linear->gyroscopic ? conj(x[i]) : x[i];
    if (!status) {
        double complex a = bilinear(&linear->M, y, x), b = bilinear(&linear->D, y, x);
        double complex k = stiffness.rest ? bilinear(stiffness.rest, y, x) : 0.0;
        if (rows > 0)
            apply(stiffness.root, 1.0, x, strain);
        for (int i = 0; i < rows; i++)
            k += (linear->gyroscopic ? conj(strain[i]) : strain[i]) * strain[i];
        if (!linear->gyroscopic)
            *lambda = phx_quadratic_root(a, b, k, *lambda);
        else if (fabs(creal(*lambda)) <= 1e-7 * cabs(*lambda)) /* lambda = i omega: a omega^2 + Im b omega - k = 0 */
            *lambda = creal(phx_quadratic_root(creal(a), cimag(b), -creal(k), cimag(*lambda))) * I;
    }
    phx_free(y);
    phx_free(strain);
    return status;
}

static phx_status iterate(const iteration *it, bool functional, double complex *lambda, double complex *x)
{
    enum { STEPS = 30 };
    const double complex start = *lambda;
    const bool real = cimag(start) == 0.0;
    double change = 0.0;
    normalise(&it->large->linear->M, it->n, x, it->mass);
    for (int k = 0; k < STEPS; k++) {
        const phx_status status = step(it, lambda, x, &change);
        if (status)
            return status;
        if (real)
            *lambda = creal(*lambda);
        if (cabs(*lambda - start) > 0.5 * cabs(start))
            break;
        if (change <= 1e-10 * cabs(*lambda))
            return functional ? improve(it, lambda, x) : PHX_OK;
    }
    return phx_fail(
        it->context, PHX_NOT_CONVERGED,
        "modes: the damped mode near lambda = %.6g + %.6g i rad/s did not converge; solve with dense matrices "
        "(dense_limit %d)",
        creal(start), cimag(start), it->n);
}

/* Two modes that became one. */
static phx_status check_distinct(const iteration *it, const phx_mode_list *list)
{
    for (int i = 0; i < list->count; i++)
        for (int j = 0; j < i; j++) {
            if (cabs(list->lambda[i] - list->lambda[j]) > 1e-8 * cabs(list->lambda[i]))
                continue;
            const double complex *a = list->shapes + (size_t)i * it->n, *b = list->shapes + (size_t)j * it->n;
            double complex along = 0.0;
            memset(it->mass, 0, (size_t)it->n * sizeof *it->mass);
            apply(&it->large->linear->M, 1.0, a, it->mass);
            for (int k = 0; k < it->n; k++)
                along += conj(b[k]) * it->mass[k];
            if (cabs(along) > 0.99)
                return phx_fail(
                    it->context, PHX_NOT_CONVERGED,
                    "modes: two damped modes near lambda = %.6g + %.6g i rad/s converged to one; solve with "
                    "dense matrices (dense_limit %d)",
                    creal(list->lambda[i]), cimag(list->lambda[i]), it->n);
        }
    return PHX_OK;
}

phx_status phx_large_iterate(phx_context *context, const phx_large *large, phx_kkt *kkt, phx_mode_list *list,
                             bool functional)
{
    const phx_linear *linear = large->linear;
    iteration it = {.context = context, .large = large, .kkt = kkt, .n = linear->n, .size = linear->n + large->G.rows};
    phx_status status = phx_kkt_prepare(context, &linear->M, &linear->D, &large->K, &large->G, large->order, true, kkt);
    if (status)
        return status;
    it.rhs = phx_calloc(context, (size_t)it.size, sizeof *it.rhs);
    it.mass = phx_calloc(context, (size_t)it.n, sizeof *it.mass);
    if (!it.rhs || !it.mass)
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < list->count && !status; k++)
        status = iterate(&it, functional, &list->lambda[k], list->shapes + (size_t)k * it.n);
    if (!status)
        status = check_distinct(&it, list);
    phx_free(it.rhs);
    phx_free(it.mass);
    return status;
}
