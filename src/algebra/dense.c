/* Dense kernels: products, Cholesky, triangular systems, LU.
 *
 * OpenBLAS runs some kernels on threads although they are small (triangular systems from about 32 x 32 on), its idle
 * threads spin, and its thread count is global state that a library must not touch. Small problems, which are what a
 * time step has, therefore run in plain loops here, without threads and without allocations, up to sizes where BLAS and
 * LAPACK are not much faster. Between these and the sizes where OpenBLAS forks (products of about 64 x 64 x 64,
 * Cholesky of 64, LU of 100) it is called but stays on the caller's thread. Beyond, OPENBLAS_NUM_THREADS is the user's.
 *
 * LAPACK counts by columns, so it sees the transpose of a row-major array. */
#include <math.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

#include "internal.h"

enum {
    PLAIN_PRODUCT = 1000, /* m n k up to which a product runs in plain loops */
    PLAIN_CHOLESKY = 12,  /* sizes up to which the others do */
    PLAIN_TRIANGLE = 48,
    PLAIN_LU = 48
};

/* ---- product ---- */
static void scale_rows(int m, int n, double beta, double *c, size_t ldc)
{
    for (size_t i = 0; i < (size_t)m; i++)
        for (size_t j = 0; j < (size_t)n; j++)
            c[i * ldc + j] = beta == 0.0 ? 0.0 : beta * c[i * ldc + j];
}

/* C += alpha op(A) op(B) with op(A)_ip = a[i a_row + p a_col] */
static void multiply_plain(bool transpose_b, size_t m, size_t n, size_t k, double alpha, const double *a, size_t a_row,
                           size_t a_col, const double *b, size_t ldb, double *c, size_t ldc)
{
    for (size_t i = 0; i < m; i++) {
        double *c_i = c + i * ldc;
        if (transpose_b) {
            for (size_t j = 0; j < n; j++) {
                double sum = 0.0;
                for (size_t p = 0; p < k; p++)
                    sum += a[i * a_row + p * a_col] * b[j * ldb + p];
                c_i[j] += alpha * sum;
            }
        } else {
            for (size_t p = 0; p < k; p++) {
                double a_ip = alpha * a[i * a_row + p * a_col];
                for (size_t j = 0; j < n; j++)
                    c_i[j] += a_ip * b[p * ldb + j];
            }
        }
    }
}

/* C = alpha op(A) op(B) + beta C, C m x n, row-major with leading dimensions; small products run in plain loops without
 * threads. */
void phx_dense_multiply(bool transpose_a, bool transpose_b, int m, int n, int k, double alpha, const double *a, int lda,
                        const double *b, int ldb, double beta, double *c, int ldc)
{
    if (m <= 0 || n <= 0)
        return;
    if (k > 0 && (double)m * n * k > PLAIN_PRODUCT) {
        cblas_dgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans, transpose_b ? CblasTrans : CblasNoTrans, m,
                    n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        return;
    }
    if (beta != 1.0)
        scale_rows(m, n, beta, c, (size_t)ldc);
    if (k > 0)
        multiply_plain(transpose_b, (size_t)m, (size_t)n, (size_t)k, alpha, a, transpose_a ? 1 : (size_t)lda,
                       transpose_a ? (size_t)lda : 1, b, (size_t)ldb, c, (size_t)ldc);
}

void phx_dense_symmetrise(int n, double sign, double *a)
{
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t j = 0; j <= i; j++) {
            double *below = a + i * (size_t)n + j, *above = a + j * (size_t)n + i;
            *below = 0.5 * (*below + sign * *above);
            *above = sign * *below;
        }
}

/* ---- Cholesky ---- */
/* Returns the index of the first pivot that is not positive, n when all are. */
static int cholesky_plain(size_t n, double *a)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            /* L_ij L_jj = A_ij - sum_k<j L_ik L_jk */
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            if (j < i)
                a[i * n + j] = sum / a[j * n + j];
            else if (sum > 0.0 && isfinite(sum))
                a[i * n + i] = sqrt(sum);
            else {
                a[i * n + i] = sum;
                return (int)i;
            }
        }
    }
    return (int)n;
}

/* The same by LAPACK: the lower triangle by rows is the upper one by columns, A = U^T U with U = L^T. */
static int cholesky_lapack(int n, double *a)
{
    int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, a, n);
    if (info > 0)
        return info - 1;
    int k = 0;
    while (k < n && isfinite(a[(size_t)k * (size_t)n + (size_t)k]))
        k++;
    return k;
}

/* Cholesky factor L of a symmetric positive definite matrix in place, upper triangle zeroed; only the lower triangle is
 * read. PHX_SINGULAR otherwise. */
phx_status phx_dense_cholesky(phx_context *context, int n, double *a)
{
    if (n > 0 && !a)
        return phx_fail_null(context, __func__, "a");
    if (n < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_dense_cholesky: size %d; it must be >= 0", n);
    int failed = n <= PLAIN_CHOLESKY ? cholesky_plain((size_t)n, a) : cholesky_lapack(n, a);
    if (failed < n)
        return phx_fail(context, PHX_SINGULAR, "the %d x %d matrix is not positive definite: pivot %d is %g, not > 0",
                        n, n, failed, a[(size_t)failed * (size_t)n + (size_t)failed]);
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t j = i + 1; j < (size_t)n; j++)
            a[i * (size_t)n + j] = 0.0;
    return PHX_OK;
}

/* ---- triangular systems ---- */
/* row_i -= factor row_k; mass matrices of several bodies are zero between them */
static void subtract_row(size_t nrhs, double factor, const double *row_k, double *row_i)
{
    if (factor == 0.0)
        return;
    for (size_t j = 0; j < nrhs; j++)
        row_i[j] -= factor * row_k[j];
}

static void divide_row(size_t nrhs, double divisor, double *row)
{
    for (size_t j = 0; j < nrhs; j++)
        row[j] /= divisor;
}

/* B = L^-1 B or L^-T B for a lower triangle L, nrhs columns, row-major. */
void phx_dense_triangle_solve(bool transpose, int n, const double *l, int nrhs, double *b)
{
    if (n <= 0 || nrhs <= 0)
        return;
    size_t N = (size_t)n, R = (size_t)nrhs;
    if (n > PLAIN_TRIANGLE) {
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, transpose ? CblasTrans : CblasNoTrans, CblasNonUnit, n, nrhs,
                    1.0, l, n, b, nrhs);
    } else if (transpose) {
        for (size_t i = N; i-- > 0;) {
            divide_row(R, l[i * N + i], b + i * R);
            for (size_t k = 0; k < i; k++)
                subtract_row(R, l[i * N + k], b + i * R, b + k * R);
        }
    } else {
        for (size_t i = 0; i < N; i++) {
            for (size_t k = 0; k < i; k++)
                subtract_row(R, l[i * N + k], b + k * R, b + i * R);
            divide_row(R, l[i * N + i], b + i * R);
        }
    }
}

/* ---- LU ---- */
static void swap_rows(size_t length, double *a, double *b)
{
    for (size_t j = 0; j < length; j++) {
        double swap = a[j];
        a[j] = b[j];
        b[j] = swap;
    }
}

/* P A = L U in place, row by row, with the largest pivot of each column; returns the first column that has none, n when
 * all have one. */
static int lu_plain(size_t n, double *a, int *pivot)
{
    for (size_t k = 0; k < n; k++) {
        size_t largest = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[largest * n + k]))
                largest = i;
        pivot[k] = (int)largest;
        if (!(fabs(a[largest * n + k]) > 0.0))
            return (int)k;
        if (largest != k)
            swap_rows(n, a + k * n, a + largest * n);
        for (size_t i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            subtract_row(n - k - 1, a[i * n + k], a + k * n + k + 1, a + i * n + k + 1);
        }
    }
    return (int)n;
}

/* First pivot of a packed LU factorisation (by rows or by columns) that is only what rounding left of a zero,
 * |U_kk| <= PHX_CANCELLED sum_j<k |L_kj| |U_jk|, or not finite; n when there is none. */
static int cancelled_pivot(size_t n, const double *a)
{
    for (size_t k = 0; k < n; k++) {
        double sum = 0.0, pivot = fabs(a[k * n + k]);
        for (size_t j = 0; j < k; j++)
            sum += fabs(a[k * n + j] * a[j * n + k]);
        if (!(pivot > PHX_CANCELLED * sum) || !isfinite(pivot))
            return (int)k;
    }
    return (int)n;
}

static phx_status fail_singular(phx_context *context, int n, int pivot)
{
    return phx_fail(context, PHX_SINGULAR, "the %d x %d matrix is singular: pivot %d vanishes", n, n, pivot);
}

/* Solves A X = B in place by LU with partial pivoting in plain loops, n <= PLAIN_LU; A is overwritten. */
static phx_status solve_plain(phx_context *context, size_t n, double *a, size_t nrhs, double *b)
{
    int pivot[PLAIN_LU];
    int singular = lu_plain(n, a, pivot);
    if (singular == (int)n)
        singular = cancelled_pivot(n, a);
    if (singular < (int)n)
        return fail_singular(context, (int)n, singular);
    for (size_t k = 0; k < n; k++)
        if (pivot[k] != (int)k)
            swap_rows(nrhs, b + k * nrhs, b + (size_t)pivot[k] * nrhs);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            subtract_row(nrhs, a[i * n + k], b + k * nrhs, b + i * nrhs);
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            subtract_row(nrhs, a[i * n + k], b + k * nrhs, b + i * nrhs);
        divide_row(nrhs, a[i * n + i], b + i * nrhs);
    }
    return PHX_OK;
}

/* LU of the array as LAPACK sees it: A^T = P L U. */
static phx_status factor_lapack(phx_context *context, int n, double *a, int *pivot)
{
    int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivot);
    if (info < 0)
        return phx_fail_lapack(context, "dgetrf", info);
    int singular = info > 0 ? info - 1 : cancelled_pivot((size_t)n, a);
    return singular < n ? fail_singular(context, n, singular) : PHX_OK;
}

/* Solves A X = B in place, B n x nrhs row-major; A is overwritten. PHX_SINGULAR if a pivot vanishes or has
 * cancelled. */
phx_status phx_dense_solve(phx_context *context, int n, double *a, int nrhs, double *b)
{
    if (n > 0 && (!a || !b))
        return phx_fail_null(context, __func__, "a or b");
    if (n <= PLAIN_LU)
        return solve_plain(context, (size_t)phx_int_max(n, 0), a, (size_t)nrhs, b);
    int *pivot = phx_calloc(context, (size_t)n, sizeof(int));
    if (!pivot)
        return PHX_ERR_MEMORY;
    phx_status status = factor_lapack(context, n, a, pivot);
    if (!status && nrhs > 0) {
        /* A = U^T L^T P^T, and by rows the array holds U^T below and L^T (unit) above the diagonal:
         * b <- P L^-T U^-T b, the last by undoing the exchanges. */
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, nrhs, 1.0, a, n, b, nrhs);
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasUnit, n, nrhs, 1.0, a, n, b, nrhs);
        for (int k = n - 1; k >= 0; k--)
            if (pivot[k] - 1 != k)
                swap_rows((size_t)nrhs, b + (size_t)k * (size_t)nrhs, b + (size_t)(pivot[k] - 1) * (size_t)nrhs);
    }
    phx_free(pivot);
    return status;
}

static phx_status inverse_plain(phx_context *context, size_t n, double *a)
{
    double x[PLAIN_LU * PLAIN_LU] = {0.0};
    for (size_t i = 0; i < n; i++)
        x[i * n + i] = 1.0;
    phx_status status = solve_plain(context, n, a, n, x);
    if (!status)
        memcpy(a, x, n * n * sizeof(double));
    return status;
}

/* Inverse in place; PHX_SINGULAR as for phx_dense_solve. */
phx_status phx_dense_inverse(phx_context *context, int n, double *a)
{
    if (n > 0 && !a)
        return phx_fail_null(context, __func__, "a");
    if (n <= PLAIN_LU)
        return inverse_plain(context, (size_t)phx_int_max(n, 0), a);
    size_t entries = (size_t)n * (size_t)n;
    int *pivot = phx_calloc(context, (size_t)n, sizeof(int));
    double *work = phx_calloc(context, entries, sizeof(double));
    phx_status status = pivot && work ? factor_lapack(context, n, a, pivot) : PHX_ERR_MEMORY;
    if (!status) {
        /* The inverse of the transpose is the transpose of the inverse. */
        int info = LAPACKE_dgetri_work(LAPACK_COL_MAJOR, n, a, n, pivot, work, (int)entries);
        if (info)
            status = phx_fail_lapack(context, "dgetri", info);
    }
    phx_free(pivot);
    phx_free(work);
    return status;
}
