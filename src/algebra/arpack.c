/* Smallest eigenpairs by ARPACK's dsaupd in shift-invert mode: the largest eigenvalues mu of
 *
 *     (A - sigma B)^-1 B x = mu x ,    lambda = sigma + 1/mu ,
 *
 * in the inner product of B. The start vector is fixed, so that a run can be repeated. ARPACK keeps state between its
 * calls in static variables: threads wait for each other. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <string.h>

#include <arpack.h>

#include "internal.h"

enum { MAX_RESTARTS = 200 };

/* Held by the one eigenproblem that ARPACK works on. */
static pthread_mutex_t arpack_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct arnoldi {
    phx_context *context;
    int n, count, ncv;
    double sigma, tol;
    phx_operator_fn *solve, *multiply;
    void *user;
    double *resid, *v, *workd, *workl, *product, *values;
    int *select;
    int iparam[11], ipntr[11], lworkl, info;
} arnoldi;

/* Allocates the work arrays of dsaupd for ncv basis vectors. */
static phx_status arnoldi_allocate(arnoldi *w)
{
    size_t n = (size_t)w->n, ncv = (size_t)w->ncv;
    phx_context *context = w->context;
    w->lworkl = w->ncv * (w->ncv + 8);
    w->resid = phx_calloc(context, n, sizeof(double));
    w->v = phx_calloc(context, n * ncv, sizeof(double));
    w->workd = phx_calloc(context, 3 * n, sizeof(double));
    w->workl = phx_calloc(context, (size_t)w->lworkl, sizeof(double));
    w->product = phx_calloc(context, n, sizeof(double));
    w->values = phx_calloc(context, (size_t)w->count, sizeof(double));
    w->select = phx_calloc(context, ncv, sizeof(int));
    bool all = w->resid && w->v && w->workd && w->workl && w->product && w->values && w->select;
    return all ? PHX_OK : PHX_ERR_MEMORY;
}

static void arnoldi_free(arnoldi *w)
{
    phx_free(w->resid);
    phx_free(w->v);
    phx_free(w->workd);
    phx_free(w->workl);
    phx_free(w->product);
    phx_free(w->values);
    phx_free(w->select);
}

/* Numbers in (-1/2, 1/2] with no symmetry an eigenvector could be orthogonal to: fractional parts of k (golden ratio).
 */
static void fill_start(int n, double *x)
{
    double phase = 0.0;
    for (int k = 0; k < n; k++) {
        phase += 0.61803398874989485;
        phase -= floor(phase);
        x[k] = phase - 0.5;
    }
}

/* Apply what ARPACK asks for with `ido` to one of its three work vectors. */
static phx_status arpack_apply(arnoldi *w, int ido)
{
    double *x = w->workd + w->ipntr[0] - 1, *y = w->workd + w->ipntr[1] - 1;
    if (ido == 2)
        return w->multiply(w->user, x, y); /* y = B x */
    if (ido == 1)
        return w->solve(w->user, w->workd + w->ipntr[2] - 1, y); /* y = (A - sigma B)^-1 (B x), B x is given */
    phx_status status = w->multiply(w->user, x, w->product);
    return status ? status : w->solve(w->user, w->product, y);
}

/* Translates ARPACK's info into an error: PHX_NOT_CONVERGED if there are too few eigenvalues or restarts, a library
 * error otherwise. */
static phx_status fail_arpack(const arnoldi *w, const char *routine)
{
    if (w->info == 1 || (w->info >= 0 && w->iparam[4] < w->count))
        return phx_fail(
            w->context, PHX_NOT_CONVERGED,
            "ARPACK found %d of %d eigenvalues near %g in %d restarts; ask for fewer or loosen the tolerance",
            w->iparam[4], w->count, w->sigma, w->iparam[2]);
    if (w->info == -9999)
        return phx_fail(w->context, PHX_NOT_CONVERGED,
                        "%d eigenvalues near %g are wanted of matrices that have %d finite ones; ask for fewer",
                        w->count, w->sigma, w->iparam[4]);
    if (w->info == 3 || w->info == -14)
        return phx_fail(w->context, PHX_NOT_CONVERGED,
                        "ARPACK's %s stopped with info = %d: the matrices may have fewer than %d finite eigenvalues",
                        routine, w->info, w->count);
    return phx_fail(w->context, PHX_ERR_LIBRARY, "ARPACK's %s failed with info = %d", routine, w->info);
}

/* The Krylov space ended with all that (A - sigma B)^-1 B reaches: its rank is less than ncv, and the basis V, whose
 * columns are orthonormal in B, is invariant. Its Ritz values are eigenvalues then; the `count` nearest to sigma are
 * kept, and their vectors x = (A - sigma B)^-1 B V y / mu take the place of V. */
static phx_status take_invariant_space(arnoldi *w)
{
    const int n = w->n, rank = w->iparam[4], m = w->count;
    const size_t length = (size_t)n, j = (size_t)rank;
    double *image = phx_calloc(w->context, 2 * length * j, sizeof *image); /* rows (A - sigma B)^-1 B v_k, B times it */
    double *T = phx_calloc(w->context, j * (3 * j + 1), sizeof *T);
    if (!image || !T) {
        phx_free(image);
        phx_free(T);
        return PHX_ERR_MEMORY;
    }
    double *product = image + length * j, *Y = T + j * j, *kept = Y + j * j, *mu = kept + j * j;
    phx_status status = PHX_OK;
    for (size_t k = 0; k < j && !status; k++) {
        double *row = image + k * length;
        status = w->multiply(w->user, w->v + k * length, w->product);
        if (!status)
            status = w->solve(w->user, w->product, row);
        if (!status)
            status = w->multiply(w->user, row, product + k * length);
    }
    if (!status) {
        phx_dense_multiply(false, true, rank, rank, n, 1.0, w->v, n, product, n, 0.0, T, rank);
        status = phx_dense_eigen_symmetric(w->context, rank, T, NULL, mu, Y);
    }
    for (int c = 0, low = 0, high = rank; c < m && !status; c++) {
        const int k = fabs(mu[low]) > fabs(mu[high - 1]) ? low++ : --high;
        for (int i = 0; i < rank; i++)
            kept[c * rank + i] = Y[i * rank + k] / mu[k];
        w->values[c] = w->sigma + 1.0 / mu[k];
    }
    if (!status) {
        phx_dense_multiply(false, false, m, n, rank, 1.0, kept, rank, image, n, 0.0, product, n);
        memcpy(w->v, product, length * (size_t)m * sizeof *w->v);
    }
    phx_free(image);
    phx_free(T);
    return status;
}

static bool ended_early(const arnoldi *w)
{
    return w->info == -9999 && w->iparam[4] >= w->count;
}

/* Runs dsaupd by reverse communication until it ends; `apply` multiplies and solves for it. */
static phx_status arpack_iterate(arnoldi *w)
{
    w->iparam[0] = 1;            /* exact shifts */
    w->iparam[2] = MAX_RESTARTS; /* and on return the number of restarts */
    w->iparam[6] = 3;            /* shift-invert */
    w->info = 1;                 /* start from resid */
    int ido = 0;
    do {
        dsaupd_c(&ido, "G", w->n, "LM", w->count, w->tol, w->resid, w->ncv, w->v, w->n, w->iparam, w->ipntr, w->workd,
                 w->workl, w->lworkl, &w->info);
        if (ido == -1 || ido == 1 || ido == 2) {
            phx_status status = arpack_apply(w, ido);
            if (status)
                return status;
        }
    } while (ido == -1 || ido == 1 || ido == 2);
    return w->info == 0 || ended_early(w) ? PHX_OK : fail_arpack(w, "dsaupd");
}

static phx_status extract(arnoldi *w, bool want_vectors)
{
    dseupd_c(want_vectors, "A", w->select, w->values, w->v, w->n, w->sigma, "G", w->n, "LM", w->count, w->tol, w->resid,
             w->ncv, w->v, w->n, w->iparam, w->ipntr, w->workd, w->workl, w->lworkl, &w->info);
    return w->info == 0 && w->iparam[4] >= w->count ? PHX_OK : fail_arpack(w, "dseupd");
}

/* Results in ascending order; select becomes the order. */
static void sort_results(const arnoldi *w, double *values, double *vectors)
{
    int *order = w->select;
    for (int i = 0; i < w->count; i++) {
        int k = i;
        for (; k > 0 && w->values[order[k - 1]] > w->values[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int k = 0; k < w->count; k++) {
        values[k] = w->values[order[k]];
        for (int i = 0; i < w->n && vectors; i++)
            vectors[(size_t)i * (size_t)w->count + (size_t)k] = w->v[(size_t)order[k] * (size_t)w->n + (size_t)i];
    }
}

/* The `count` eigenvalues of A x = lambda B x nearest to sigma, ascending, with vectors (n x count) if these are not
 * NULL. solve applies (A - sigma B)^-1, multiply applies B. */
phx_status phx_eigen_shift_invert(phx_context *context, int n, int count, double sigma, phx_operator_fn *solve,
                                  phx_operator_fn *multiply, void *user, double tol, double *values, double *vectors)
{
    if (!solve || !multiply || (n > 0 && !values))
        return phx_fail_null(context, __func__, "solve, multiply or values");
    if (count < 1 || count >= n)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "phx_eigen_shift_invert: %d eigenvalues of a problem of size %d; the number must be in 1..%d",
                        count, n, n - 1);
    if (!isfinite(sigma) || !(tol >= 0.0))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "phx_eigen_shift_invert: sigma %g, tolerance %g; sigma must be finite, the tolerance >= 0",
                        sigma, tol);
    arnoldi w = {.context = context,
                 .n = n,
                 .count = count,
                 .ncv = phx_int_min(n, phx_int_max(2 * count + 1, 20)),
                 .sigma = sigma,
                 .tol = tol,
                 .solve = solve,
                 .multiply = multiply,
                 .user = user};
    phx_status status = arnoldi_allocate(&w);
    if (!status) {
        fill_start(n, w.resid);
        pthread_mutex_lock(&arpack_lock);
        status = arpack_iterate(&w);
        if (!status)
            status = ended_early(&w) ? take_invariant_space(&w) : extract(&w, vectors != NULL);
        pthread_mutex_unlock(&arpack_lock);
    }
    if (!status)
        sort_results(&w, values, vectors);
    arnoldi_free(&w);
    return status;
}
