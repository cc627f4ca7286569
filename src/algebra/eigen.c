/* Dense eigenproblems by LAPACK. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <lapacke.h>

#include "internal.h"

/* A x = lambda B x, or A x = lambda x when `b` is NULL: the size and the entries. */
static phx_status check_problem(phx_context *context, const char *function, int n, const double *a, const double *b)
{
    char what[64];
    if (n < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s: size %d; it must be >= 0", function, n);
    snprintf(what, sizeof what, "%s (A)", function);
    phx_status status = phx_check_finite(context, what, n, n, a);
    if (status || !b)
        return status;
    snprintf(what, sizeof what, "%s (B)", function);
    return phx_check_finite(context, what, n, n, b);
}

/* ---- symmetric ---- */
/* Copies of A and B (or NULL) and the work space of dsygvd, or of dsyevd when B is the identity. */
typedef struct symmetric {
    double *a, *b, *work;
    int *int_work;
    int work_size, int_work_size;
} symmetric;

/* A is kept in `a` on return as its eigenvectors, in rows of the row-major array. */
static int symmetric_call(char job, int n, const symmetric *w, bool has_b, double *values, double *work, int work_size,
                          int *int_work, int int_work_size)
{
    /* The lower triangle by rows is the upper one by columns. */
    if (has_b)
        return LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, job, 'U', n, w->a, n, w->b, n, values, work, work_size,
                                   int_work, int_work_size);
    return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, job, 'U', n, w->a, n, values, work, work_size, int_work,
                               int_work_size);
}

/* Queries LAPACK for its workspace and copies the matrices of a symmetric problem. */
static phx_status symmetric_allocate(phx_context *context, char job, int n, const double *a, const double *b,
                                     symmetric *w)
{
    double size = 0.0;
    int int_size = 0, info = symmetric_call(job, n, w, b != NULL, NULL, &size, -1, &int_size, -1);
    if (info)
        return phx_fail_lapack(context, b ? "dsygvd" : "dsyevd", info);
    size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    w->work_size = (int)size;
    w->int_work_size = int_size;
    w->a = phx_calloc(context, bytes, 1);
    w->b = phx_calloc(context, b ? bytes : 0, 1);
    w->work = phx_calloc(context, (size_t)w->work_size, sizeof(double));
    w->int_work = phx_calloc(context, (size_t)w->int_work_size, sizeof(int));
    if (!w->a || !w->b || !w->work || !w->int_work)
        return PHX_ERR_MEMORY;
    memcpy(w->a, a, bytes);
    if (b)
        memcpy(w->b, b, bytes);
    return PHX_OK;
}

static phx_status fail_symmetric(phx_context *context, int n, int info)
{
    if (info > n)
        return phx_fail(context, PHX_SINGULAR,
                        "eigenproblem A x = lambda B x of size %d: B is not positive definite, its pivot %d is not > 0",
                        n, info - n - 1);
    if (info > 0)
        return phx_fail(context, PHX_NOT_CONVERGED, "symmetric eigenproblem of size %d: LAPACK stopped with info = %d",
                        n, info);
    return phx_fail_lapack(context, "dsygvd", info);
}

/* Eigenvalues, ascending, of A x = lambda B x with symmetric A and positive definite B (NULL: the identity); vectors,
 * optional, are columns with B-norm 1. */
phx_status phx_dense_eigen_symmetric(phx_context *context, int n, const double *a, const double *b, double *values,
                                     double *vectors)
{
    if (n > 0 && (!a || !values))
        return phx_fail_null(context, __func__, "a or values");
    phx_status status = check_problem(context, "phx_dense_eigen_symmetric", n, a, b);
    if (status || n == 0)
        return status;
    char job = vectors ? 'V' : 'N';
    symmetric w = {0};
    status = symmetric_allocate(context, job, n, a, b, &w);
    if (!status) {
        int info = symmetric_call(job, n, &w, b != NULL, values, w.work, w.work_size, w.int_work, w.int_work_size);
        if (info)
            status = fail_symmetric(context, n, info);
        else if (vectors)
            phx_transpose(n, n, w.a, vectors);
    }
    phx_free(w.a);
    phx_free(w.b);
    phx_free(w.work);
    phx_free(w.int_work);
    return status;
}

/* ---- skew ---- */
/* Symmetric tridiagonal with a diagonal of zeros; vectors z in columns of n x n, stored one after the other. */
static phx_status tridiagonal(phx_context *context, char job, int n, double *values, double *beside, double *z)
{
    double size = 0.0, *work = NULL;
    int int_size = 0, *int_work = NULL;
    phx_status status = PHX_OK;
    int info = LAPACKE_dstevd_work(LAPACK_COL_MAJOR, job, n, NULL, NULL, NULL, n, &size, -1, &int_size, -1);

    if (info)
        return phx_fail_lapack(context, "dstevd", info);
    work = phx_calloc(context, (size_t)size, sizeof *work);
    int_work = phx_calloc(context, (size_t)int_size, sizeof *int_work);
    if (!work || !int_work)
        status = PHX_ERR_MEMORY;
    else
        info = LAPACKE_dstevd_work(LAPACK_COL_MAJOR, job, n, values, beside, z, n, work, (int)size, int_work, int_size);
    if (info)
        status = info > 0 ? phx_fail(context, PHX_NOT_CONVERGED,
                                     "eigenproblem of size %d: LAPACK stopped with info = %d", n, info)
                          : phx_fail_lapack(context, "dstevd", info);
    phx_free(work);
    phx_free(int_work);
    return status;
}

/* x = Q D z, d_j = (-i)^j: the even columns of Q make the real part, the odd ones the imaginary part. z: one vector
 * after the other; part, product: room for n x n each. */
static void turn_back(int n, const double *q, const double *z, double *part, double *product, double *vectors)
{
    for (int odd = 0; odd < 2; odd++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                const double sign = j % 4 == 0 || j % 4 == 3 ? 1.0 : -1.0;
                part[i * n + j] = j % 2 == odd ? sign * q[i * n + j] : 0.0;
            }
        phx_dense_multiply(false, true, n, n, n, 1.0, part, n, z, n, 0.0, product, n);
        for (int i = 0; i < n * n; i++)
            vectors[2 * i + odd] = product[i];
    }
}

/* A = Q T Q^T with a skew tridiagonal T, T_{k+1,k} = b_k. With D = diag((-i)^k), D^H (-i T) D is the real symmetric
 * tridiagonal of zeros and b_k; its eigenvectors z give those of -i A, Q D z. All of it is real arithmetic. */
phx_status phx_dense_eigen_skew(phx_context *context, int n, const double *a, double *omega, double *vectors)
{
    if (n > 0 && (!a || !omega))
        return phx_fail_null(context, __func__, "a or omega");
    const size_t N = (size_t)(n > 0 ? n : 0);
    phx_status status = check_problem(context, "phx_dense_eigen_skew", n, a, NULL);
    if (status || n == 0)
        return status;
    double *h = phx_calloc(context, N * N, sizeof *h), *q = phx_calloc(context, N * N, sizeof *q);
    double *z = phx_calloc(context, 2 * N * N, sizeof *z), *beside = phx_calloc(context, N, sizeof *beside);
    if (!h || !q || !z || !beside)
        status = PHX_ERR_MEMORY;
    for (size_t i = 0; i < N && !status; i++)
        for (size_t j = 0; j < i; j++) {
            h[i * N + j] = a[i * N + j];
            h[j * N + i] = -a[i * N + j];
        }
    if (!status)
        status = phx_dense_hessenberg(context, n, h, h, q);
    for (size_t k = 0; k < N && !status; k++) {
        omega[k] = 0.0;
        if (k + 1 < N)
            beside[k] = 0.5 * (h[(k + 1) * N + k] - h[k * N + k + 1]);
    }
    if (!status)
        status = tridiagonal(context, vectors ? 'V' : 'N', n, omega, beside, z);
    if (!status && vectors)
        turn_back(n, q, z, h, z + N * N, vectors);
    phx_free(h);
    phx_free(q);
    phx_free(z);
    phx_free(beside);
    return status;
}

/* ---- general ---- */
/* Arrays of dgeev and dggev, by columns; packed holds the eigenvectors, a complex pair as (re, im) in two columns.
 */
typedef struct general {
    double *a, *b, *beta, *packed, *work;
    int work_size;
} general;

static int general_call(char job, int n, const general *w, bool has_b, double *re, double *im, double *work,
                        int work_size)
{
    if (has_b)
        return LAPACKE_dggev_work(LAPACK_COL_MAJOR, 'N', job, n, w->a, n, w->b, n, re, im, w->beta, NULL, n, w->packed,
                                  n, work, work_size);
    return LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', job, n, w->a, n, re, im, NULL, n, w->packed, n, work, work_size);
}

/* The same for a general problem; the matrices are transposed to column order. */
static phx_status general_allocate(phx_context *context, char job, int n, const double *a, const double *b, general *w)
{
    double size = 0.0;
    int info = general_call(job, n, w, b != NULL, NULL, NULL, &size, -1);
    if (info)
        return phx_fail_lapack(context, b ? "dggev" : "dgeev", info);
    size_t entries = (size_t)n * (size_t)n;
    w->work_size = (int)size;
    w->a = phx_calloc(context, entries, sizeof(double));
    w->b = phx_calloc(context, b ? entries : 0, sizeof(double));
    w->beta = phx_calloc(context, (size_t)n, sizeof(double));
    w->packed = phx_calloc(context, job == 'V' ? entries : 0, sizeof(double));
    w->work = phx_calloc(context, (size_t)w->work_size, sizeof(double));
    if (!w->a || !w->b || !w->beta || !w->packed || !w->work)
        return PHX_ERR_MEMORY;
    phx_transpose(n, n, a, w->a);
    if (b)
        phx_transpose(n, n, b, w->b);
    return PHX_OK;
}

/* lambda = alpha / beta; dggev sets a beta that is zero to rounding to zero. The second of a pair is made the exact
 * conjugate of the first, from which it may differ by a rounding. */
static phx_status divide_by_beta(phx_context *context, int n, const double *beta, double size_a, double *re, double *im)
{
    static const double ROUNDING = 1e-14; /* of the largest entry of A */

    for (int k = 0; k < n; k++) {
        if (k > 0 && im[k - 1] > 0.0) {
            re[k] = re[k - 1];
            im[k] = -im[k - 1];
        } else if (beta[k] != 0.0) {
            re[k] /= beta[k];
            im[k] /= beta[k];
        } else if (hypot(re[k], im[k]) > ROUNDING * size_a) {
            re[k] = HUGE_VAL;
            im[k] = 0.0;
        } else {
            return phx_fail(context, PHX_SINGULAR,
                            "the pencil A - lambda B of size %d is singular for every lambda (eigenvalue %d is 0/0)", n,
                            k);
        }
    }
    return PHX_OK;
}

/* Eigenvector k, of unit length: column k of the packed array, and column k+1 as imaginary part when im[k] > 0;
 * the second of a pair is the conjugate of the first. */
static void unpack_vector(int n, const double *packed, const double *im, int k, double *vectors)
{
    size_t N = (size_t)n, first = (size_t)k;
    double sign = 0.0;
    if (im[k] > 0.0) {
        sign = 1.0;
    } else if (im[k] < 0.0) {
        sign = -1.0;
        first--;
    }
    const double *x = packed + first * N, *y = sign != 0.0 ? x + N : x;
    double squared = 0.0;
    for (size_t i = 0; i < N; i++)
        squared += x[i] * x[i] + (sign != 0.0 ? y[i] * y[i] : 0.0);
    double scale = squared > 0.0 ? 1.0 / sqrt(squared) : 0.0;
    for (size_t i = 0; i < N; i++) {
        vectors[2 * (i * N + (size_t)k)] = scale * x[i];
        vectors[2 * (i * N + (size_t)k) + 1] = sign == 0.0 ? 0.0 : sign * scale * y[i];
    }
}

static double largest_entry(size_t count, const double *a)
{
    double largest = 0.0;
    for (size_t k = 0; k < count; k++)
        largest = fmax(largest, fabs(a[k]));
    return largest;
}

/* Eigenvalues re + i im of A x = lambda B x (B NULL: the identity), infinite ones as HUGE_VAL; vectors, optional, are
 * complex and interleaved, a column for each. */
phx_status phx_dense_eigen_general(phx_context *context, int n, const double *a, const double *b, double *re,
                                   double *im, double *vectors)
{
    if (n > 0 && (!a || !re || !im))
        return phx_fail_null(context, __func__, "a, re or im");
    phx_status status = check_problem(context, "phx_dense_eigen_general", n, a, b);
    if (status || n == 0)
        return status;
    char job = vectors ? 'V' : 'N';
    general w = {0};
    status = general_allocate(context, job, n, a, b, &w);
    if (!status) {
        int info = general_call(job, n, &w, b != NULL, re, im, w.work, w.work_size);
        if (info > 0)
            status =
                phx_fail(context, PHX_NOT_CONVERGED, "eigenproblem of size %d: LAPACK stopped with info = %d", n, info);
        else if (info < 0)
            status = phx_fail_lapack(context, b ? "dggev" : "dgeev", info);
    }
    /* The vectors first: dggev pairs them by the imaginary part of alpha. */
    for (int k = 0; k < n && vectors && !status; k++)
        unpack_vector(n, w.packed, im, k, vectors);
    if (!status && b)
        status = divide_by_beta(context, n, w.beta, largest_entry((size_t)n * (size_t)n, a), re, im);
    phx_free(w.a);
    phx_free(w.b);
    phx_free(w.beta);
    phx_free(w.packed);
    phx_free(w.work);
    return status;
}
