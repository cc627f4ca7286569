/* The least storage function: X_min, the minimal solution of the Kalman-Yakubovich-Popov inequality, in place of the
 * energy. With (eps/2) I added to the feedthrough S + N, which makes the inequality a Riccati equation,
 *
 *     A^T X + X A + (X B - C^T) Delta^-1 (B^T X - C) = 0,   Delta = 2 S + eps I,
 *
 * and X = T^T T the system in x~ = T x has R = -sym(T A T^-1), P = (T^-T C^T - T B)/2, S + eps/2 I, of which W >= 0.
 * The inequality is linear in X and the energy solves it as well: a little of it, which X_min gets, makes X regular
 * where states are hardly seen. */
#include <math.h>
#include <string.h>

#include "reduction.h"

/* The least part of the energy in X; more where rounding has left X negative. */
static const double of_energy = 1e-12;

/* T = diag(sqrt(lambda)) V^T and its inverse from X = V diag(lambda) V^T, with a little of the energy, I. */
static phx_status root(phx_context *context, int n, const double *X, double *T, double *inverse)
{
    static const double INDEFINITE = 1e-6; /* part of the energy that is more than rounding */
    double *vectors = phx_calloc(context, (size_t)n * (size_t)(n + 1) + 1, sizeof *vectors);
    double *values = phx_behind(vectors, (size_t)(n * n));
    phx_status status = vectors ? phx_dense_eigen_symmetric(context, n, X, NULL, values, vectors) : PHX_ERR_MEMORY;

    const double part = status || n == 0 ? 0.0 : fmax(of_energy, -8.0 * values[0]);
    if (!status && part > INDEFINITE)
        status = phx_fail(context, PHX_ERR_ANALYSIS,
                          "the least storage function could not be computed: it has the eigenvalue %.3g beside %.3g",
                          values[0], values[n - 1]);
    for (int i = 0; i < n && !status; i++)
        values[i] = (1.0 - part) * values[i] + part;
    for (int i = 0; i < n && !status; i++)
        for (int j = 0; j < n; j++) {
            T[i * n + j] = sqrt(values[i]) * vectors[j * n + i];
            inverse[j * n + i] = vectors[j * n + i] / sqrt(values[i]);
        }
    phx_free(vectors);
    return status;
}

/* The system in the coordinates T x. */
static void transform(const phx_ph *ph, const double *T, const double *inverse, double shift, double *work, phx_ph *out)
{
    const int n = ph->n, m = ph->m;
    double *A = work, *TA = A + n * n, *input = TA + n * n, *output = input + n * m, *plain = output + n * m;

    for (int i = 0; i < n * n; i++)
        A[i] = ph->J[i] - ph->R[i];
    phx_dense_multiply(false, false, n, n, n, 1.0, T, n, A, n, 0.0, TA, n);
    phx_dense_multiply(false, false, n, n, n, 1.0, TA, n, inverse, n, 0.0, A, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            out->J[i * n + j] = 0.5 * (A[i * n + j] - A[j * n + i]);
            out->J[j * n + i] = -out->J[i * n + j];
            out->R[i * n + j] = out->R[j * n + i] = -0.5 * (A[i * n + j] + A[j * n + i]);
        }
    for (int i = 0; i < n * m; i++)
        plain[i] = ph->B[i] - ph->P[i];
    phx_dense_multiply(false, false, n, m, n, 1.0, T, n, plain, m, 0.0, input, m);
    for (int i = 0; i < n * m; i++)
        plain[i] = ph->B[i] + ph->P[i];
    phx_dense_multiply(true, false, n, m, n, 1.0, inverse, n, plain, m, 0.0, output, m);
    for (int i = 0; i < n * m; i++) {
        out->B[i] = 0.5 * (output[i] + input[i]);
        out->P[i] = 0.5 * (output[i] - input[i]);
    }
    memcpy(out->S, ph->S, (size_t)m * (size_t)m * sizeof *out->S);
    memcpy(out->N, ph->N, (size_t)m * (size_t)m * sizeof *out->N);
    for (int i = 0; i < m; i++)
        out->S[i * m + i] += 0.5 * shift;
}

/* W = [R P; P^T S] without its negative eigenvalues, which are rounding of the Riccati equation. */
static phx_status clip(phx_context *context, phx_ph *ph)
{
    const int n = ph->n, m = ph->m, N = n + m;
    double *W = phx_calloc(context, 2 * (size_t)N * (size_t)N + (size_t)N + 1, sizeof *W);
    double *vectors = phx_behind(W, (size_t)(N * N)), *values = phx_behind(vectors, (size_t)(N * N));
    phx_status status = W ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < N && !status; i++)
        for (int j = 0; j < N; j++)
            W[i * N + j] = i < n && j < n ? ph->R[i * n + j]
                           : i < n        ? ph->P[i * m + j - n]
                           : j < n        ? ph->P[j * m + i - n]
                                          : ph->S[(i - n) * m + j - n];
    if (!status)
        status = phx_dense_eigen_symmetric(context, N, W, NULL, values, vectors);
    for (int k = 0; k < N && !status && values[k] < 0.0; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                const double part = values[k] * (vectors[i * N + k] * vectors[j * N + k]);
                if (i < n && j < n)
                    ph->R[i * n + j] -= part;
                else if (i < n)
                    ph->P[i * m + j - n] -= part;
                else if (j >= n)
                    ph->S[(i - n) * m + j - n] -= part;
            }
    phx_free(W);
    return status;
}

/* Delta = L L^T; B^T <- L^-1 B^T, C <- L^-1 C of the inputs and outputs (n x m each, as B and C^T). */
static phx_status by_feedthrough(phx_context *context, const phx_ph *ph, double eps, double *input, double *output)
{
    const int n = ph->n, m = ph->m;
    double *const sides[] = {input, output};
    double *L = phx_calloc(context, (size_t)m * (size_t)(m + n) + 1, sizeof *L), *x = phx_behind(L, (size_t)(m * m));
    phx_status status = L ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < m * m && !status; i++)
        L[i] = 2.0 * ph->S[i] + (i % (m + 1) == 0 ? eps : 0.0);
    if (!status)
        status = phx_dense_cholesky(context, m, L);
    for (int side = 0; side < 2 && !status; side++) {
        for (int i = 0; i < n; i++)
            for (int k = 0; k < m; k++)
                x[k * n + i] = sides[side][i * m + k];
        phx_dense_triangle_solve(false, m, L, n, x);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < m; k++)
                sides[side][i * m + k] = x[k * n + i];
    }
    phx_free(L);
    return status;
}

/* System in the coordinates T x of the least storage function, theory 14 (11): out is port-Hamiltonian, *shift is the
 * feedthrough eps/2 that was added. */
phx_status phx_least_storage(phx_context *context, const phx_ph *ph, double norm, phx_ph *out, double *T, double *shift)
{
    static const double ADDED = 1e-5; /* feedthrough, relative to the norm */
    const int n = ph->n, m = ph->m;
    const size_t cells = (size_t)n * (size_t)n;
    double *work = phx_calloc(context, 6 * cells + 3 * (size_t)n * (size_t)m + 1, sizeof *work);
    double *A = work, *G = phx_behind(A, cells), *Q = phx_behind(G, cells), *X = phx_behind(Q, cells),
           *inverse = phx_behind(X, cells), *input = phx_behind(work, 6 * cells);
    double *output = phx_behind(input, (size_t)(n * m));
    const double eps = ADDED * norm;
    phx_status status = work ? phx_ph_create(context, n, m, out) : PHX_ERR_MEMORY;

    *shift = 0.5 * eps;
    for (int i = 0; i < n * m && !status; i++) {
        input[i] = ph->B[i] - ph->P[i];
        output[i] = ph->B[i] + ph->P[i];
    }
    if (!status)
        status = by_feedthrough(context, ph, eps, input, output);
    if (!status) { /* A - B Delta^-1 C, G = -B Delta^-1 B^T, Q = C^T Delta^-1 C */
        for (size_t i = 0; i < cells; i++)
            A[i] = ph->J[i] - ph->R[i];
        phx_dense_multiply(false, true, n, n, m, -1.0, input, m, output, m, 1.0, A, n);
        phx_dense_multiply(false, true, n, n, m, -1.0, input, m, input, m, 0.0, G, n);
        phx_dense_multiply(false, true, n, n, m, 1.0, output, m, output, m, 0.0, Q, n);
        status = phx_dense_riccati(context, n, A, G, Q, X);
    }
    if (!status)
        status = root(context, n, X, T, inverse);
    if (!status) {
        memmove(work, inverse, cells * sizeof *work);
        transform(ph, T, work, eps, work + cells, out);
        status = clip(context, out);
    }
    phx_free(work);
    return status;
}
