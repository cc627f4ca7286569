/* Real Schur form by LAPACK, and the matrix equations of Lyapunov and Riccati that are solved by it. */
#include <math.h>
#include <string.h>

#include "internal.h"

#include <lapacke.h>

static lapack_logical stable(const double *re, const double *im)
{
    (void)im;
    return *re < 0.0;
}

/* t, q by columns; t holds A. */
static phx_status schur_by_columns(phx_context *context, int n, bool stable_first, double *t, double *q, int *count)
{
    lapack_logical *chosen = phx_calloc(context, (size_t)n, sizeof *chosen);
    double *re = phx_calloc(context, 2 * (size_t)n, sizeof *re), *work = NULL, size = 0.0;
    phx_status status = chosen && re ? PHX_OK : PHX_ERR_MEMORY;
    const char sort = stable_first ? 'S' : 'N';
    lapack_int dimension = 0;
    int info = 0;

    if (!status) {
        info = LAPACKE_dgees_work(LAPACK_COL_MAJOR, 'V', sort, stable, n, t, n, &dimension, re, re + n, q, n, &size, -1,
                                  chosen);
        work = info ? NULL : phx_calloc(context, (size_t)size, sizeof *work);
        if (!info && !work)
            status = PHX_ERR_MEMORY;
    }
    if (!status && !info)
        info = LAPACKE_dgees_work(LAPACK_COL_MAJOR, 'V', sort, stable, n, t, n, &dimension, re, re + n, q, n, work,
                                  (int)size, chosen);
    if (!status && info > 0 && info <= n)
        status = phx_fail(context, PHX_NOT_CONVERGED, "the Schur form of a matrix of size %d did not converge", n);
    else if (!status && info != 0 && info != n + 2) /* n + 2: a selected eigenvalue has crossed the axis by rounding */
        status = phx_fail_lapack(context, "dgees", info);
    if (count)
        *count = dimension;
    phx_free(chosen);
    phx_free(re);
    phx_free(work);
    return status;
}

/* Real Schur form A = Q T Q^T; stable_first puts the eigenvalues with negative real part first and counts them in
 * *count. */
phx_status phx_dense_schur(phx_context *context, int n, const double *a, bool stable_first, double *t, double *q,
                           int *count)
{
    if (n > 0 && (!a || !t || !q))
        return phx_fail_null(context, __func__, "a, t or q");
    const size_t cells = (size_t)n * (size_t)n;
    double *by_columns = phx_calloc(context, 2 * cells, sizeof *by_columns);
    phx_status status = by_columns ? phx_check_finite(context, __func__, n, n, a) : PHX_ERR_MEMORY;

    if (count)
        *count = 0;
    if (!status && n > 0) {
        phx_transpose(n, n, a, by_columns);
        status = schur_by_columns(context, n, stable_first, by_columns, by_columns + cells, count);
    }
    if (!status && n > 0) {
        phx_transpose(n, n, by_columns, t);
        phx_transpose(n, n, by_columns + cells, q);
    }
    phx_free(by_columns);
    return status;
}

/* x <- q^T x q, or q x q^T; work: n x n. */
static void turn(bool back, int n, const double *q, double *x, double *work)
{
    phx_dense_multiply(!back, false, n, n, n, 1.0, q, n, x, n, 0.0, work, n);
    phx_dense_multiply(false, back, n, n, n, 1.0, work, n, q, n, 0.0, x, n);
}

/* Solves A X + X A^T + W = 0 (transposed: A^T X + X A + W = 0) with A = Q T Q^T; x holds the symmetric W, then X.
 * PHX_SINGULAR if two eigenvalues add up to zero. */
phx_status phx_dense_lyapunov_schur(phx_context *context, int n, const double *t, const double *q, bool transposed,
                                    double *x)
{
    if (n > 0 && (!t || !q || !x))
        return phx_fail_null(context, __func__, "t, q or x");
    const size_t cells = (size_t)n * (size_t)n;
    double *work = phx_calloc(context, 2 * cells, sizeof *work), scale = 1.0;
    phx_status status = work ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && n > 0) {
        double *by_columns = work + cells;
        turn(false, n, q, x, work); /* T Y + Y T^T = -Q^T W Q; Y is symmetric: by rows or columns, it is the same */
        phx_transpose(n, n, t, by_columns);
        const int info = LAPACKE_dtrsyl_work(LAPACK_COL_MAJOR, transposed ? 'T' : 'N', transposed ? 'N' : 'T', 1, n, n,
                                             by_columns, n, by_columns, n, x, n, &scale);
        if (info == 1)
            status = phx_fail(context, PHX_SINGULAR,
                              "the Lyapunov equation has no unique solution: two eigenvalues add up to zero");
        else if (info)
            status = phx_fail_lapack(context, "dtrsyl", info);
        for (size_t k = 0; k < cells && !status; k++)
            x[k] /= -scale;
        if (!status)
            turn(true, n, q, x, work);
        if (!status)
            phx_dense_symmetrise(n, 1.0, x);
    }
    phx_free(work);
    return status;
}

/* Solves A X - X B = C for quasi-triangular A (m x m) and B (n x n); x holds C, then X. */
phx_status phx_dense_sylvester_schur(phx_context *context, int m, int n, const double *a, const double *b, double *x)
{
    if ((m > 0 && !a) || (n > 0 && !b) || (m > 0 && n > 0 && !x))
        return phx_fail_null(context, __func__, "a, b or x");
    const size_t M = (size_t)m, N = (size_t)n;
    double *work = phx_calloc(context, M * M + N * N + M * N, sizeof *work), scale = 1.0;
    double *a_columns = work, *b_columns = work + M * M, *x_columns = b_columns + N * N;
    phx_status status = work ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && m > 0 && n > 0) {
        phx_transpose(m, m, a, a_columns);
        phx_transpose(n, n, b, b_columns);
        phx_transpose(m, n, x, x_columns);
        const int info =
            LAPACKE_dtrsyl_work(LAPACK_COL_MAJOR, 'N', 'N', -1, m, n, a_columns, m, b_columns, n, x_columns, m, &scale);
        if (info == 1)
            status = phx_fail(context, PHX_SINGULAR,
                              "the Sylvester equation has no unique solution: both matrices have an eigenvalue in "
                              "common");
        else if (info)
            status = phx_fail_lapack(context, "dtrsyl", info);
    }
    for (int i = 0; i < m && !status; i++)
        for (int j = 0; j < n; j++)
            x[i * n + j] = x_columns[j * m + i] / scale;
    phx_free(work);
    return status;
}

phx_status phx_dense_lyapunov(phx_context *context, int n, const double *a, double *x)
{
    const size_t cells = (size_t)n * (size_t)n;
    double *t = phx_calloc(context, 2 * cells, sizeof *t);
    phx_status status = t ? phx_dense_schur(context, n, a, false, t, t + cells, NULL) : PHX_ERR_MEMORY;

    if (!status)
        status = phx_dense_lyapunov_schur(context, n, t, t + cells, false, x);
    phx_free(t);
    return status;
}

/* ---- Riccati ---- */
/* hamiltonian (2n x 2n) = | A  -G; -Q  -A^T | */
static void fill_hamiltonian(int n, const double *a, const double *g, const double *q, double *hamiltonian)
{
    const int N = 2 * n;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            hamiltonian[i * N + j] = a[i * n + j];
            hamiltonian[i * N + n + j] = -g[i * n + j];
            hamiltonian[(n + i) * N + j] = -q[i * n + j];
            hamiltonian[(n + i) * N + n + j] = -a[j * n + i];
        }
}

/* X = U2 U1^-1 from the stable invariant subspace (U1; U2), the first n columns of u. */
static phx_status from_subspace(phx_context *context, int n, const double *u, double *x, double *work)
{
    double *u1 = work, *u2 = work + (size_t)n * (size_t)n;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) { /* X U1 = U2, X symmetric: U1^T X = U2^T */
            u1[j * n + i] = u[i * 2 * n + j];
            u2[j * n + i] = u[(n + i) * 2 * n + j];
        }
    const phx_status status = phx_dense_solve(context, n, u1, n, u2);
    for (int i = 0; i < n && !status; i++)
        for (int j = 0; j < n; j++)
            x[i * n + j] = 0.5 * (u2[i * n + j] + u2[j * n + i]);
    return status;
}

/* residual = A^T X + X A - X G X + Q, closed = A - G X */
static void riccati_residual(int n, const double *a, const double *g, const double *q, const double *x, double *closed,
                             double *residual, double *work)
{
    const size_t cells = (size_t)n * (size_t)n;

    memcpy(closed, a, cells * sizeof *closed);
    phx_dense_multiply(false, false, n, n, n, -1.0, g, n, x, n, 1.0, closed, n);
    phx_dense_multiply(false, false, n, n, n, 1.0, x, n, a, n, 0.0, work, n);
    phx_dense_multiply(false, false, n, n, n, 1.0, x, n, closed, n, 0.0, residual, n);
    for (int i = 0; i < n; i++) /* X A + (X A)^T - X G X = X (A - G X) + (X A)^T */
        for (int j = 0; j < n; j++)
            residual[i * n + j] += work[j * n + i] + q[i * n + j];
    phx_dense_symmetrise(n, 1.0, residual);
}

static double schur_largest(size_t count, const double *x)
{
    double most = 0.0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, fabs(x[k]));
    return most;
}

/* Newton's correction, (A - G X)^T dX + dX (A - G X) = -residual, while it makes the residual smaller. */
static phx_status refine(phx_context *context, int n, const double *a, const double *g, const double *q, double *x,
                         double *work)
{
    enum { ROUNDS = 3 };
    const size_t cells = (size_t)n * (size_t)n;
    double *closed = work, *residual = work + cells, *t = work + 2 * cells, *z = work + 3 * cells;
    double *kept = work + 4 * cells;
    double before = HUGE_VAL;

    for (int round = 0; round <= ROUNDS; round++) {
        riccati_residual(n, a, g, q, x, closed, residual, t);
        const double now = schur_largest(cells, residual);
        if (!(now < before)) {
            memcpy(x, kept, cells * sizeof *x);
            return PHX_OK;
        }
        if (round == ROUNDS)
            return PHX_OK;
        before = now;
        memcpy(kept, x, cells * sizeof *x);
        phx_status status = phx_dense_schur(context, n, closed, false, t, z, NULL);
        if (!status)
            status = phx_dense_lyapunov_schur(context, n, t, z, true, residual);
        if (status == PHX_SINGULAR) { /* on the edge of stability: X is as good as it gets */
            phx_context_clear(context);
            return PHX_OK;
        }
        if (status)
            return status;
        for (size_t k = 0; k < cells; k++)
            x[k] += residual[k];
    }
    return PHX_OK;
}

/* Stabilising solution of A^T X + X A - X G X + Q = 0 by the invariant subspace of the Hamiltonian matrix and
 * refinement; PHX_SINGULAR if there is none. */
phx_status phx_dense_riccati(phx_context *context, int n, const double *a, const double *g, const double *q, double *x)
{
    if (n > 0 && (!a || !g || !q || !x))
        return phx_fail_null(context, __func__, "a, g, q or x");
    const size_t cells = (size_t)n * (size_t)n;
    double *work = phx_calloc(context, 12 * cells, sizeof *work);
    phx_status status = work ? PHX_OK : PHX_ERR_MEMORY;
    int count = 0;

    if (!status && n > 0) {
        fill_hamiltonian(n, a, g, q, work);
        status = phx_dense_schur(context, 2 * n, work, true, work + 4 * cells, work + 8 * cells, &count);
    }
    if (!status && count != n)
        status = phx_fail(context, PHX_SINGULAR,
                          "the Riccati equation has no stabilising solution: %d of %d eigenvalues of its Hamiltonian "
                          "matrix are stable, not half of them",
                          count, 2 * n);
    if (!status && n > 0)
        status = from_subspace(context, n, work + 8 * cells, x, work);
    if (!status && n > 0)
        status = refine(context, n, a, g, q, x, work);
    phx_free(work);
    return status;
}
