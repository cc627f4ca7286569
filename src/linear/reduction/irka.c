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

static void irka_free(irka *iteration)
{
    phx_shifted_destroy(iteration->shifted);
    phx_free(iteration->input);
    phx_free(iteration->Z);
    phx_free(iteration->best);
    phx_free(iteration->re);
    phx_free(iteration->X);
    phx_free(iteration->b);
    phx_free(iteration->column);
}

/* Allocates the iteration and prepares solutions with shifted A = J - R; the start Z is the best so far. */
static phx_status irka_begin(irka *iteration, const double *Z)
{
    const size_t n = (size_t)iteration->n, m = (size_t)iteration->m, k = (size_t)iteration->k;
    double *A = phx_calloc(iteration->context, n * n + 1, sizeof *A);
    phx_status status = PHX_ERR_MEMORY;

    iteration->input = phx_calloc(iteration->context, n * m + 1, sizeof *iteration->input);
    iteration->Z = phx_calloc(iteration->context, n * k + 1, sizeof *iteration->Z);
    iteration->best = phx_calloc(iteration->context, n * k + 1, sizeof *iteration->best);
    iteration->re = phx_calloc(iteration->context, 4 * k + 1, sizeof *iteration->re);
    iteration->X = phx_calloc(iteration->context, k * k + 1, sizeof *iteration->X);
    iteration->b = phx_calloc(iteration->context, k * m + 1, sizeof *iteration->b);
    iteration->column = phx_calloc(iteration->context, n + 1, sizeof *iteration->column);
    iteration->im = phx_behind(iteration->re, (size_t)k);
    iteration->before_re = phx_behind(iteration->im, (size_t)k);
    iteration->before_im = phx_behind(iteration->before_re, (size_t)k);
    if (A && iteration->input && iteration->Z && iteration->best && iteration->re && iteration->X && iteration->b &&
        iteration->column) {
        for (size_t i = 0; i < n * n; i++)
            A[i] = iteration->ph->J[i] - iteration->ph->R[i];
        for (size_t i = 0; i < n * m; i++)
            iteration->input[i] = iteration->ph->B[i] - iteration->ph->P[i];
        memcpy(iteration->best, Z, n * k * sizeof *Z);
        status = phx_shifted_create(iteration->context, iteration->n, A, 1, &iteration->shifted);
    }
    phx_free(A);
    iteration->error = HUGE_VAL;
    return status;
}

/* b <- X^-1 B_r, by a real system of twice the size. */
static phx_status directions(irka *iteration, const phx_ph *reduced)
{
    const int k = iteration->k, m = iteration->m, N = 2 * k;
    double *a = phx_calloc(iteration->context, (size_t)N * (size_t)N + 1, sizeof *a);
    double *x = phx_calloc(iteration->context, (size_t)N * (size_t)m + 1, sizeof *x);
    phx_status status = a && x ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < k && !status; i++) {
        for (int j = 0; j < k; j++) {
            a[i * N + j] = a[(k + i) * N + k + j] = creal(iteration->X[i * k + j]);
            a[(k + i) * N + j] = cimag(iteration->X[i * k + j]);
            a[i * N + k + j] = -cimag(iteration->X[i * k + j]);
        }
        for (int j = 0; j < m; j++)
            x[i * m + j] = reduced->B[i * m + j] - reduced->P[i * m + j];
    }
    if (!status)
        status = phx_dense_solve(iteration->context, N, a, m, x);
    for (int i = 0; i < k * m && !status; i++)
        iteration->b[i] = x[i] + I * x[k * m + i];
    phx_free(a);
    phx_free(x);
    return status;
}

/* Poles and directions of a reduced system. */
static phx_status residues(irka *iteration, const phx_ph *reduced)
{
    const size_t cells = (size_t)iteration->k * (size_t)iteration->k;
    double *A = phx_calloc(iteration->context, cells + 1, sizeof *A);
    phx_status status = A ? PHX_OK : PHX_ERR_MEMORY;

    for (size_t i = 0; i < cells && !status; i++)
        A[i] = reduced->J[i] - reduced->R[i];
    if (!status)
        status = phx_dense_eigen_general(iteration->context, iteration->k, A, NULL, iteration->re, iteration->im,
                                         (double *)iteration->X);
    if (!status)
        status = directions(iteration, reduced);
    phx_free(A);
    return status;
}

/* Z <- a basis of the solutions at the mirror images of the poles; *found: how many of them are independent. */
static phx_status interpolate(irka *iteration, double *Z, int *found)
{
    const int n = iteration->n, k = iteration->k, m = iteration->m;
    double *part = phx_calloc(iteration->context, (size_t)n + 1, sizeof *part);
    int count = 0;

    if (!part)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < k && count < k; i++) {
        if (iteration->im[i] < 0.0)
            continue;
        for (int j = 0; j < n; j++) {
            iteration->column[j] = 0.0;
            for (int l = 0; l < m; l++)
                iteration->column[j] += iteration->input[j * m + l] * iteration->b[i * m + l];
        }
        if (phx_shifted_factor(iteration->shifted, -iteration->re[i],
                               -iteration->im[i])) /* a pole of the full system itself */
            continue;
        phx_shifted_solve(iteration->shifted, 1, (double *)iteration->column);
        for (int side = 0; side < (iteration->im[i] > 0.0 ? 2 : 1) && count < k; side++) {
            for (int j = 0; j < n; j++)
                part[j] = side ? cimag(iteration->column[j]) : creal(iteration->column[j]);
            count += phx_append(n, count, iteration->Z, part, DEPENDENT);
        }
    }
    *found = count;
    for (int i = 0; i < n && count == k; i++)
        for (int j = 0; j < k; j++)
            Z[i * k + j] = iteration->Z[(size_t)j * (size_t)n + (size_t)i];
    phx_free(part);
    return PHX_OK;
}

/* H2 norm of the error; HUGE_VAL where a pole is not stable. */
static phx_status irka_measure(irka *iteration, const phx_ph *reduced, double *error)
{
    phx_ss *difference = NULL;
    phx_status status = phx_ph_difference(iteration->context, iteration->ph, reduced, &difference);

    *error = HUGE_VAL;
    if (!status)
        status = phx_ss_h2_norm(iteration->context, difference, error);
    if (status == PHX_ERR_ANALYSIS || status == PHX_SINGULAR) {
        phx_context_clear(iteration->context);
        *error = HUGE_VAL;
        status = PHX_OK;
    }
    phx_ss_destroy(difference);
    return status;
}

/* Largest relative motion of a pole to the nearest of those before. */
static double motion(const irka *iteration)
{
    static const double NOT_ZERO = 1e-300; /* least divisor */
    double most = 0.0;

    for (int i = 0; i < iteration->k; i++) {
        double least = HUGE_VAL;
        for (int j = 0; j < iteration->k; j++)
            least = fmin(least,
                         hypot(iteration->re[i] - iteration->before_re[j], iteration->im[i] - iteration->before_im[j]));
        most = fmax(most, least / fmax(hypot(iteration->re[i], iteration->im[i]), NOT_ZERO));
    }
    return most;
}

/* Iterates IRKA from the orthonormal basis Z (n x k), which receives the basis with the smallest error seen, until the
 * poles settle or MOST rounds are done, theory 14 (9). */
phx_status phx_irka(phx_context *context, const phx_ph *ph, int k, double *Z, int *iterations)
{
    irka iteration = {.context = context, .ph = ph, .n = ph->n, .m = ph->m, .k = k};
    phx_status status = irka_begin(&iteration, Z);
    bool done = false;

    *iterations = 0;
    for (int round = 0; round <= MOST && !status && !done; round++) {
        phx_ph reduced = {0};
        double error = 0.0;
        status = phx_ph_project(context, ph, k, Z, &reduced);
        if (!status)
            status = irka_measure(&iteration, &reduced, &error);
        if (!status && error < iteration.error) {
            iteration.error = error;
            memcpy(iteration.best, Z, (size_t)iteration.n * (size_t)k * sizeof *Z);
        }
        memcpy(iteration.before_re, iteration.re, 2 * (size_t)k * sizeof *iteration.re);
        if (!status)
            status = residues(&iteration, &reduced);
        done = round == MOST || (round > 0 && motion(&iteration) < settled);
        if (!status && !done) { /* fewer: the inputs do not reach as many states */
            int found = 0;
            status = interpolate(&iteration, Z, &found);
            done = found < k;
            *iterations += !done;
        }
        phx_ph_free(&reduced);
    }
    if (!status)
        memcpy(Z, iteration.best, (size_t)iteration.n * (size_t)k * sizeof *Z);
    irka_free(&iteration);
    return status;
}
