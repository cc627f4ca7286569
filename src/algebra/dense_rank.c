/* Rank-revealing dense factorisations: least-norm solutions, pivoted QR, null spaces. */
#include <math.h>
#include <string.h>

#include <lapacke.h>

#include "internal.h"

static phx_status check_arguments(phx_context *context, const char *function, int m, int n, const double *a,
                                  double tolerance)
{
    if (m < 0 || n < 0 || !(tolerance >= 0.0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s: %d x %d matrix, tolerance %g; all must be >= 0", function, m, n,
                        tolerance);
    return phx_check_finite(context, function, m, n, a);
}

/* ---- least norm ---- */
/* Arrays of dgelsy, by columns. */
typedef struct least_norm {
    int m, n, nrhs, ldb;
    double *a, *b, *work;
    int *order;
    int work_size;
} least_norm;

static phx_status least_norm_allocate(phx_context *context, double rcond, least_norm *w)
{
    double size = 0.0;
    int rank, info = LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, w->m, w->n, w->nrhs, NULL, w->m, NULL, w->ldb, NULL, rcond,
                                         &rank, &size, -1);
    if (info)
        return phx_fail_lapack(context, "dgelsy", info);
    w->work_size = (int)size;
    w->a = phx_calloc(context, (size_t)w->m * (size_t)w->n, sizeof(double));
    w->b = phx_calloc(context, (size_t)w->ldb * (size_t)w->nrhs, sizeof(double));
    w->work = phx_calloc(context, (size_t)w->work_size, sizeof(double));
    w->order = phx_calloc(context, (size_t)w->n, sizeof(int));
    return w->a && w->b && w->work && w->order ? PHX_OK : PHX_ERR_MEMORY;
}

/* Least-squares solution of least norm of A x = b for nrhs right-hand sides, A m x n, with the numerical rank by
 * rcond. */
phx_status phx_dense_least_norm(phx_context *context, int m, int n, const double *a, int nrhs, const double *b,
                                double rcond, double *x, int *rank)
{
    if (!x || (m > 0 && (!a || !b)))
        return phx_fail_null(context, __func__, "a, b or x");
    phx_status status = check_arguments(context, "phx_dense_least_norm", m, n, a, rcond);
    if (!status && nrhs < 0)
        status = phx_fail(context, PHX_ERR_ARGUMENT, "phx_dense_least_norm: %d right-hand sides; must be >= 0", nrhs);
    if (!status)
        status = phx_check_finite(context, "phx_dense_least_norm (right-hand side)", m, nrhs, b);
    if (status)
        return status;
    if (rank)
        *rank = 0;
    if (m == 0 || n == 0) {
        memset(x, 0, (size_t)n * (size_t)nrhs * sizeof(double));
        return PHX_OK;
    }
    least_norm w = {.m = m, .n = n, .nrhs = nrhs, .ldb = phx_int_max(m, n)};
    status = least_norm_allocate(context, rcond, &w);
    if (!status) {
        phx_transpose(m, n, a, w.a);
        for (int j = 0; j < nrhs; j++)
            for (int i = 0; i < m; i++)
                w.b[(size_t)j * (size_t)w.ldb + (size_t)i] = b[(size_t)i * (size_t)nrhs + (size_t)j];
        int found = 0, info = LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, nrhs, w.a, m, w.b, w.ldb, w.order, rcond,
                                                  &found, w.work, w.work_size);
        if (info)
            status = phx_fail_lapack(context, "dgelsy", info);
        for (int i = 0; i < n && !status; i++)
            for (int j = 0; j < nrhs; j++)
                x[(size_t)i * (size_t)nrhs + (size_t)j] = w.b[(size_t)j * (size_t)w.ldb + (size_t)i];
        if (rank)
            *rank = found;
    }
    phx_free(w.a);
    phx_free(w.b);
    phx_free(w.work);
    phx_free(w.order);
    return status;
}

/* ---- pivoted QR ---- */
/* A P = Q R of an m x n matrix by columns: reflectors below the diagonal of `a`, their factors in tau. */
typedef struct pivoted_qr {
    int m, n, rank;
    double *a, *tau, *work;
    int *order; /* counted from 1 */
    int work_size;
} pivoted_qr;

static void qr_free(pivoted_qr *qr)
{
    phx_free(qr->a);
    phx_free(qr->tau);
    phx_free(qr->work);
    phx_free(qr->order);
}

/* The work space serves dgeqp3 and, for up to m columns, dormqr. */
static phx_status qr_allocate(phx_context *context, int m, int n, pivoted_qr *qr)
{
    *qr = (pivoted_qr){.m = m, .n = n};
    double factor = 0.0, apply = 0.0;
    int k = phx_int_min(m, n), info = LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, NULL, m, NULL, NULL, &factor, -1);
    if (!info)
        info = LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'N', m, m, k, NULL, m, NULL, NULL, m, &apply, -1);
    if (info)
        return phx_fail_lapack(context, "dgeqp3 or dormqr", info);
    qr->work_size = (int)fmax(factor, apply);
    qr->a = phx_calloc(context, (size_t)m * (size_t)n, sizeof(double));
    qr->tau = phx_calloc(context, (size_t)k, sizeof(double));
    qr->work = phx_calloc(context, (size_t)qr->work_size, sizeof(double));
    qr->order = phx_calloc(context, (size_t)n, sizeof(int));
    return qr->a && qr->tau && qr->work && qr->order ? PHX_OK : PHX_ERR_MEMORY;
}

/* Factor the matrix in qr->a; the rank is the number of |R_kk| > rtol |R_00|, which is the largest column norm. */
static phx_status qr_factor(phx_context *context, double rtol, pivoted_qr *qr)
{
    int info =
        LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, qr->m, qr->n, qr->a, qr->m, qr->order, qr->tau, qr->work, qr->work_size);
    if (info)
        return phx_fail_lapack(context, "dgeqp3", info);
    size_t step = (size_t)qr->m + 1;
    int k = phx_int_min(qr->m, qr->n);
    double limit = rtol * fabs(qr->a[0]);
    qr->rank = 0;
    while (qr->rank < k && fabs(qr->a[(size_t)qr->rank * step]) > limit)
        qr->rank++;
    return PHX_OK;
}

/* basis (m x (m-rank), row-major) <- the last columns of Q, which span null(A^T). */
static phx_status qr_left_null(phx_context *context, pivoted_qr *qr, double *basis)
{
    int m = qr->m, columns = m - qr->rank, k = phx_int_min(m, qr->n);
    double *q = phx_calloc(context, (size_t)m * (size_t)columns, sizeof(double));
    if (!q)
        return PHX_ERR_MEMORY;
    for (int j = 0; j < columns; j++)
        q[(size_t)j * (size_t)m + (size_t)(qr->rank + j)] = 1.0;
    int info = columns > 0 ? LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'N', m, columns, k, qr->a, m, qr->tau, q, m,
                                                 qr->work, qr->work_size)
                           : 0;
    if (!info)
        phx_transpose(columns, m, q, basis);
    phx_free(q);
    return info ? phx_fail_lapack(context, "dormqr", info) : PHX_OK;
}

static void set_identity(int n, double *a)
{
    memset(a, 0, (size_t)n * (size_t)n * sizeof(double));
    for (size_t i = 0; i < (size_t)n; i++)
        a[i * (size_t)n + i] = 1.0;
}

/* Rank of A by QR with column pivoting, relative tolerance rtol, with the column order and, optionally, an orthonormal
 * basis of the left null space. */
phx_status phx_dense_rrqr(phx_context *context, int m, int n, const double *a, double rtol, int *rank, int *order,
                          double *left_null)
{
    if (!rank || (m > 0 && !a))
        return phx_fail_null(context, __func__, "a or rank");
    phx_status status = check_arguments(context, "phx_dense_rrqr", m, n, a, rtol);
    if (status)
        return status;
    *rank = 0;
    if (m == 0 || n == 0) {
        for (int j = 0; j < n && order; j++)
            order[j] = j;
        if (left_null)
            set_identity(m, left_null);
        return PHX_OK;
    }
    pivoted_qr qr;
    status = qr_allocate(context, m, n, &qr);
    if (!status) {
        phx_transpose(m, n, a, qr.a);
        status = qr_factor(context, rtol, &qr);
    }
    if (!status && left_null)
        status = qr_left_null(context, &qr, left_null);
    if (!status) {
        *rank = qr.rank;
        for (int j = 0; j < n && order; j++)
            order[j] = qr.order[j] - 1;
    }
    qr_free(&qr);
    return status;
}

/* ---- QR without pivoting ---- */
phx_status phx_dense_qr_triangle(phx_context *context, int m, int n, double *a, double *r)
{
    if (m > 0 && n > 0 && (!a || !r))
        return phx_fail_null(context, __func__, "a or r");
    phx_status status = check_arguments(context, "phx_dense_qr_triangle", m, n, a, 0.0);
    if (status || n == 0)
        return status;
    memset(r, 0, (size_t)n * (size_t)n * sizeof *r);
    if (m == 0)
        return PHX_OK;
    /* A by rows is A^T by columns, A^T = L Q': R = L^T, and L by columns is R by rows */
    double size = 0.0, *tau = NULL, *work = NULL;
    const int k = phx_int_min(m, n);
    int info = LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, n, m, NULL, n, NULL, &size, -1);
    if (!info) {
        tau = phx_calloc(context, (size_t)k, sizeof *tau);
        work = phx_calloc(context, (size_t)size, sizeof *work);
        if (!tau || !work)
            status = PHX_ERR_MEMORY;
        else
            info = LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, n, m, a, n, tau, work, (int)size);
    }
    if (info)
        status = phx_fail_lapack(context, "dgelqf", info);
    for (int i = 0; i < k && !status; i++)
        memcpy(r + (size_t)i * (size_t)n + (size_t)i, a + (size_t)i * (size_t)n + (size_t)i,
               (size_t)(n - i) * sizeof *r);
    phx_free(tau);
    phx_free(work);
    return status;
}

/* Rank and orthonormal basis of the null space of A, n x (n - rank), allocated for the caller. */
phx_status phx_dense_nullspace(phx_context *context, int m, int n, const double *a, double rtol, int *rank,
                               double **basis)
{
    if (!basis || !rank || (m > 0 && !a))
        return phx_fail_null(context, __func__, "a, rank or basis");
    *basis = NULL;
    phx_status status = check_arguments(context, "phx_dense_nullspace", m, n, a, rtol);
    if (status)
        return status;
    pivoted_qr qr = {.m = n};
    if (m > 0 && n > 0) {
        status = qr_allocate(context, n, m, &qr);
        if (!status) {
            memcpy(qr.a, a, (size_t)m * (size_t)n * sizeof(double)); /* A by rows is A^T by columns */
            status = qr_factor(context, rtol, &qr);
        }
    }
    double *null = NULL;
    if (!status) {
        null = phx_calloc(context, (size_t)n * (size_t)(n - qr.rank), sizeof(double));
        if (!null)
            status = PHX_ERR_MEMORY;
        else if (m > 0 && n > 0)
            status = qr_left_null(context, &qr, null);
        else
            set_identity(n, null);
    }
    if (status) {
        phx_free(null);
    } else {
        *rank = qr.rank;
        *basis = null;
    }
    qr_free(&qr);
    return status;
}
