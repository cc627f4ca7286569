/* Iterative rational Krylov algorithm for port-Hamiltonian systems: Gugercin, Polyuga, Beattie, van der Schaft (2012).
 *
 * The reduced system interpolates the full one at the mirror images of its own poles, along its own residue directions:
 * V spans (-lambda_i - A)^-1 B b_i, where A_r = Z^T A Z has the eigenvalues lambda_i and b_i^T = y_i^H B_r. In energy
 * coordinates the projection on an orthonormal basis of V keeps the structure. */
#include <math.h>
#include <string.h>

#include "reduction.h"

enum { MOST = 60 };
/* Relative motion of the poles at which the iteration has converged. */
static const double settled = 1e-7;

typedef struct irka {
    phx_context *context;
    const phx_ph *ph;
    int n, m, k;
    phx_shifted *shifted;
    double *input;    /* n x m: B - P */
    double *Z, *best; /* n x k, by columns in Z while it is filled; row-major in best */
    double *re, *im, *before_re, *before_im;
    double complex *X, *b;  /* k x k eigenvectors; k x m: rows b_i^T */
    double complex *column; /* n */
    double error;           /* of best */
} irka;

static void irka_free(irka *it)
{
    phx_shifted_destroy(it->shifted);
    phx_free(it->input);
    phx_free(it->Z);
    phx_free(it->best);
    phx_free(it->re);
    phx_free(it->X);
    phx_free(it->b);
    phx_free(it->column);
}

/* Allocates the iteration and prepares solutions with shifted A = J - R; the start Z is the best so far. */
static phx_status irka_begin(irka *it, const double *Z)
{
    const size_t n = (size_t)it->n, m = (size_t)it->m, k = (size_t)it->k;
    double *A = phx_calloc(it->context, n * n + 1, sizeof *A);
    phx_status status = PHX_ERR_MEMORY;

    it->input = phx_calloc(it->context, n * m + 1, sizeof *it->input);
    it->Z = phx_calloc(it->context, n * k + 1, sizeof *it->Z);
    it->best = phx_calloc(it->context, n * k + 1, sizeof *it->best);
    it->re = phx_calloc(it->context, 4 * k + 1, sizeof *it->re);
    it->X = phx_calloc(it->context, k * k + 1, sizeof *it->X);
    it->b = phx_calloc(it->context, k * m + 1, sizeof *it->b);
    it->column = phx_calloc(it->context, n + 1, sizeof *it->column);
    it->im = phx_behind(it->re, (size_t)k);
    it->before_re = phx_behind(it->im, (size_t)k);
    it->before_im = phx_behind(it->before_re, (size_t)k);
    if (A && it->input && it->Z && it->best && it->re && it->X && it->b && it->column) {
        for (size_t i = 0; i < n * n; i++)
            A[i] = it->ph->J[i] - it->ph->R[i];
        for (size_t i = 0; i < n * m; i++)
            it->input[i] = it->ph->B[i] - it->ph->P[i];
        memcpy(it->best, Z, n * k * sizeof *Z);
        status = phx_shifted_create(it->context, it->n, A, 1, &it->shifted);
    }
    phx_free(A);
    it->error = HUGE_VAL;
    return status;
}

/* b <- X^-1 B_r, by a real system of twice the size. */
static phx_status directions(irka *it, const phx_ph *reduced)
{
    const int k = it->k, m = it->m, N = 2 * k;
    double *a = phx_calloc(it->context, (size_t)N * (size_t)N + 1, sizeof *a);
    double *x = phx_calloc(it->context, (size_t)N * (size_t)m + 1, sizeof *x);
    phx_status status = a && x ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < k && !status; i++) {
        for (int j = 0; j < k; j++) {
            a[i * N + j] = a[(k + i) * N + k + j] = creal(it->X[i * k + j]);
            a[(k + i) * N + j] = cimag(it->X[i * k + j]);
            a[i * N + k + j] = -cimag(it->X[i * k + j]);
        }
        for (int j = 0; j < m; j++)
            x[i * m + j] = reduced->B[i * m + j] - reduced->P[i * m + j];
    }
    if (!status)
        status = phx_dense_solve(it->context, N, a, m, x);
    for (int i = 0; i < k * m && !status; i++)
        it->b[i] = x[i] + I * x[k * m + i];
    phx_free(a);
    phx_free(x);
    return status;
}

/* Poles and directions of a reduced system. */
static phx_status residues(irka *it, const phx_ph *reduced)
{
    const size_t cells = (size_t)it->k * (size_t)it->k;
    double *A = phx_calloc(it->context, cells + 1, sizeof *A);
    phx_status status = A ? PHX_OK : PHX_ERR_MEMORY;

    for (size_t i = 0; i < cells && !status; i++)
        A[i] = reduced->J[i] - reduced->R[i];
    if (!status)
        status = phx_dense_eigen_general(it->context, it->k, A, NULL, it->re, it->im, (double *)it->X);
    if (!status)
        status = directions(it, reduced);
    phx_free(A);
    return status;
}

/* Z <- a basis of the solutions at the mirror images of the poles; *found: how many of them are independent. */
static phx_status interpolate(irka *it, double *Z, int *found)
{
    const int n = it->n, k = it->k, m = it->m;
    double *part = phx_calloc(it->context, (size_t)n + 1, sizeof *part);
    int count = 0;

    if (!part)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < k && count < k; i++) {
        if (it->im[i] < 0.0)
            continue;
        for (int j = 0; j < n; j++) {
            it->column[j] = 0.0;
            for (int l = 0; l < m; l++)
                it->column[j] += it->input[j * m + l] * it->b[i * m + l];
        }
        if (phx_shifted_factor(it->shifted, -it->re[i], -it->im[i])) /* a pole of the full system itself */
            continue;
        phx_shifted_solve(it->shifted, 1, (double *)it->column);
        for (int side = 0; side < (it->im[i] > 0.0 ? 2 : 1) && count < k; side++) {
            for (int j = 0; j < n; j++)
                part[j] = side ? cimag(it->column[j]) : creal(it->column[j]);
            count += phx_append(n, count, it->Z, part, 1e-10);
        }
    }
    *found = count;
    for (int i = 0; i < n && count == k; i++)
        for (int j = 0; j < k; j++)
            Z[i * k + j] = it->Z[(size_t)j * (size_t)n + (size_t)i];
    phx_free(part);
    return PHX_OK;
}

/* H2 norm of the error; HUGE_VAL where a pole is not stable. */
static phx_status irka_measure(irka *it, const phx_ph *reduced, double *error)
{
    phx_ss *difference = NULL;
    phx_status status = phx_ph_difference(it->context, it->ph, reduced, &difference);

    *error = HUGE_VAL;
    if (!status)
        status = phx_ss_h2_norm(it->context, difference, error);
    if (status == PHX_ERR_ANALYSIS || status == PHX_SINGULAR) {
        phx_context_clear(it->context);
        *error = HUGE_VAL;
        status = PHX_OK;
    }
    phx_ss_destroy(difference);
    return status;
}

/* Largest relative motion of a pole to the nearest of those before. */
static double motion(const irka *it)
{
    double most = 0.0;

    for (int i = 0; i < it->k; i++) {
        double least = HUGE_VAL;
        for (int j = 0; j < it->k; j++)
            least = fmin(least, hypot(it->re[i] - it->before_re[j], it->im[i] - it->before_im[j]));
        most = fmax(most, least / fmax(hypot(it->re[i], it->im[i]), 1e-300));
    }
    return most;
}

/* Iterates IRKA from the orthonormal basis Z (n x k), which receives the basis with the smallest error seen, until the
 * poles settle or MOST rounds are done (theory 14). */
phx_status phx_irka(phx_context *context, const phx_ph *ph, int k, double *Z, int *iterations)
{
    irka it = {.context = context, .ph = ph, .n = ph->n, .m = ph->m, .k = k};
    phx_status status = irka_begin(&it, Z);
    bool done = false;

    *iterations = 0;
    for (int round = 0; round <= MOST && !status && !done; round++) {
        phx_ph reduced = {0};
        double error = 0.0;
        status = phx_ph_project(context, ph, k, Z, &reduced);
        if (!status)
            status = irka_measure(&it, &reduced, &error);
        if (!status && error < it.error) {
            it.error = error;
            memcpy(it.best, Z, (size_t)it.n * (size_t)k * sizeof *Z);
        }
        memcpy(it.before_re, it.re, 2 * (size_t)k * sizeof *it.re);
        if (!status)
            status = residues(&it, &reduced);
        done = round == MOST || (round > 0 && motion(&it) < settled);
        if (!status && !done) { /* fewer: the inputs do not reach as many states */
            int found = 0;
            status = interpolate(&it, Z, &found);
            done = found < k;
            *iterations += !done;
        }
        phx_ph_free(&reduced);
    }
    if (!status)
        memcpy(Z, it.best, (size_t)it.n * (size_t)k * sizeof *Z);
    irka_free(&it);
    return status;
}
