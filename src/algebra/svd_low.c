/* The smallest singular values, through the inverse of a triangle.
 *
 *     A P = Q R       rows sorted by size, columns pivoted: what rounding changes is small against each row of A
 *     F = R^-1 R^-T   its largest eigenvalues are the smallest 1/sigma^2; their vectors span V
 *     W = R^-T V      1/sigma_k are its singular values; its columns are nearly orthogonal: Jacobi rotations
 *
 * The eigenvalues of F have relative errors of eps (sigma_k / sigma_1)^2. Those of W have not: solving with R changes
 * every column of W by eps | |R^-1| |R| | of itself, a condition that no scaling of the rows of R enters, Jacobi
 * rotations keep that, and the errors of the space V enter squared. (Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd ed., 8.1 for the solution, 14.2 for the inverse, 19.4 for the QR.) */
#include <math.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

#include "internal.h"

enum {
    GUARDS = 2, /* vectors beyond those wanted, so that the last one wanted is told from its neighbours */
    BLOCK = 32, /* columns that LAPACK takes at a time */
    SMALL = 64  /* up to here dsytrd is faster column by column, to which it falls back without work space */
};

/* Matrices by columns. */
typedef struct lowest {
    int m, n, kept;   /* kept: columns of V */
    double *numbers;  /* the arrays up to `work` */
    double *a;        /* m x n: A with its rows sorted, then Q R */
    double *inverse;  /* n x n: R^-1, then F */
    double *v, *w;    /* n x kept */
    double *size;     /* m: of rows, then of those of R */
    double *tau;      /* n */
    double *diagonal; /* 4 n: of T, then beside it, eigenvalues, work */
    double *sigma;    /* kept: descending singular values of W */
    double *work;
    int work_size;
    int *order; /* n: P, counted from 1; the arrays up to `ints` */
    int *row;   /* m: rows of A by size */
    int *ints;  /* 3 n + kept: of dstein */
} lowest;

static void lowest_free(lowest *w)
{
    phx_free(w->numbers);
    phx_free(w->order);
}

static double *svd_low_take(double **from, size_t count)
{
    double *taken = *from;
    *from += count;
    return taken;
}

/* Divides one block among the matrices of the algorithm, with `count` + GUARDS vectors. */
static phx_status lowest_create(phx_context *context, int m, int n, int count, lowest *w)
{
    const size_t M = (size_t)m, N = (size_t)n;
    *w = (lowest){.m = m, .n = n, .kept = phx_int_min(count + GUARDS, n)};
    const size_t K = (size_t)w->kept;
    /* dgeqp3: 2 n + (n + 1) BLOCK; dsytrd: BLOCK n; dstein: 5 n; dormtr: BLOCK kept + (BLOCK + 1) BLOCK; dgesvj: 2 n, 6
     */
    w->work_size = (BLOCK + 6) * n + (BLOCK + 1) * BLOCK;
    double *at = phx_calloc(context, M * N + N * N + 2 * N * K + M + 5 * N + K + (size_t)w->work_size, sizeof *at);
    w->numbers = at;
    w->order = phx_calloc(context, 4 * N + M + K, sizeof *w->order);
    if (!at || !w->order)
        return PHX_ERR_MEMORY;
    w->a = svd_low_take(&at, M * N);
    w->inverse = svd_low_take(&at, N * N);
    w->v = svd_low_take(&at, N * K);
    w->w = svd_low_take(&at, N * K);
    w->size = svd_low_take(&at, M);
    w->tau = svd_low_take(&at, N);
    w->diagonal = svd_low_take(&at, 4 * N);
    w->sigma = svd_low_take(&at, K);
    w->work = at;
    w->row = w->order + n;
    w->ints = w->row + m;
    return PHX_OK;
}

/* a <- A, the row with the largest entry first */
static void sort_rows(const double *a, lowest *w)
{
    const size_t M = (size_t)w->m, N = (size_t)w->n;
    for (int i = 0; i < w->m; i++) {
        int at = i;
        double largest = 0.0;
        for (size_t j = 0; j < N; j++) {
            const double size = fabs(a[(size_t)i * N + j]);
            largest = size > largest ? size : largest;
        }
        w->size[i] = largest;
        for (; at > 0 && w->size[w->row[at - 1]] < w->size[i]; at--)
            w->row[at] = w->row[at - 1];
        w->row[at] = i;
    }
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++)
            w->a[j * M + i] = a[(size_t)w->row[i] * N + j];
}

/* Largest row sum of |R^-1| |R|. */
static double triangle_condition(const lowest *w)
{
    const size_t M = (size_t)w->m, N = (size_t)w->n;
    double largest = 0.0;
    for (size_t i = N; i-- > 0;) {
        double sum = 0.0, all = 0.0;
        for (size_t j = i; j < N; j++)
            sum += fabs(w->a[j * M + i]);
        w->size[i] = sum;
        for (size_t j = i; j < N; j++)
            all += fabs(w->inverse[j * N + i]) * w->size[j];
        largest = fmax(largest, all);
    }
    return largest;
}

/* R and R^-1; *condition stays HUGE_VAL where R is singular. */
static phx_status triangles(phx_context *context, lowest *w, double *condition)
{
    const size_t M = (size_t)w->m, N = (size_t)w->n;
    int info = LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, w->m, w->n, w->a, w->m, w->order, w->tau, w->work, w->work_size);
    if (info)
        return phx_fail_lapack(context, "dgeqp3", info);
    for (size_t j = 0; j < N; j++)
        memcpy(w->inverse + j * N, w->a + j * M, (j + 1) * sizeof(double));
    info = LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'U', 'N', w->n, w->inverse, w->n);
    if (info < 0)
        return phx_fail_lapack(context, "dtrtri", info);
    if (info == 0)
        *condition = triangle_condition(w);
    return PHX_OK;
}

/* V, in the order of ascending sigma; false when an eigenvector was not found. F = Q T Q^T, tridiagonal T: all
 * eigenvalues and the few vectors by inverse iteration, with the whole of T as one block. */
static phx_status dominant_space(phx_context *context, lowest *w, bool *found)
{
    const size_t N = (size_t)w->n, K = (size_t)w->kept;
    double *diagonal = w->diagonal, *beside = diagonal + N, *lambda = beside + N, *overwritten = lambda + N;
    int *block = w->ints, *split = block + N, *failed = split + N, *ints = failed + K;
    int info = LAPACKE_dlauum_work(LAPACK_COL_MAJOR, 'U', w->n, w->inverse, w->n);
    if (!info)
        info = LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, 'U', w->n, w->inverse, w->n, diagonal, beside, w->tau, w->work,
                                   w->n > SMALL ? w->work_size : 1);
    if (info)
        return phx_fail_lapack(context, "dlauum or dsytrd", info);
    memcpy(lambda, diagonal, N * sizeof *lambda);
    memcpy(overwritten, beside, N * sizeof *overwritten);
    info = LAPACKE_dsterf_work(w->n, lambda, overwritten);
    for (size_t i = 0; i < N; i++)
        block[i] = 1;
    split[0] = w->n;
    if (!info)
        info = LAPACKE_dstein_work(LAPACK_COL_MAJOR, w->n, diagonal, beside, w->kept, lambda + N - K, block, split,
                                   w->w, w->n, w->work, ints, failed);
    if (info < 0)
        return phx_fail_lapack(context, "dsterf or dstein", info);
    *found = info == 0;
    if (!*found)
        return PHX_OK;
    for (size_t k = 0; k < K; k++)
        memcpy(w->v + k * N, w->w + (K - 1 - k) * N, N * sizeof(double));
    info = LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', 'U', 'N', w->n, w->kept, w->inverse, w->n, w->tau, w->v, w->n,
                               w->work, w->work_size);
    return info ? phx_fail_lapack(context, "dormtr", info) : PHX_OK;
}

/* W, its singular values, and V turned to the singular vectors. */
static phx_status svd_low_rotate(phx_context *context, lowest *w)
{
    memcpy(w->w, w->v, (size_t)w->n * (size_t)w->kept * sizeof(double));
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, w->n, w->kept, 1.0, w->a, w->m, w->w,
                w->n);
    const int info = LAPACKE_dgesvj_work(LAPACK_COL_MAJOR, 'G', 'N', 'A', w->n, w->kept, w->w, w->n, w->sigma, w->n,
                                         w->v, w->n, w->work, w->work_size);
    if (info < 0)
        return phx_fail_lapack(context, "dgesvj", info);
    if (info > 0)
        return phx_fail(context, PHX_NOT_CONVERGED,
                        "singular values of a flexibility of %d x %d: the Jacobi rotations did not converge", w->n,
                        w->kept);
    for (int k = 0; k < w->kept; k++) /* scaled against overflow */
        w->sigma[k] *= w->work[0];
    return PHX_OK;
}

/* The `count` smallest singular values, ascending, with right vectors (n x count), and *error, a bound of their
 * relative errors; HUGE_VAL if the method fails, with PHX_OK. */
phx_status phx_dense_lowest_singular_values(phx_context *context, int m, int n, const double *a, int count,
                                            double *values, double *right, double *error)
{
    if (m > 0 && (!a || !values))
        return phx_fail_null(context, __func__, "a or values");
    if (n < 1 || m < n || count < 1 || count > n)
        return phx_fail(
            context, PHX_ERR_ARGUMENT,
            "phx_dense_lowest_singular_values: %d of a %d x %d matrix; there must be a column, no fewer rows "
            "than columns, and no more values than columns",
            count, m, n);
    phx_status status = phx_check_finite(context, "phx_dense_lowest_singular_values", m, n, a);
    if (status)
        return status;
    lowest w;
    bool found = false;
    double condition = HUGE_VAL;
    *error = HUGE_VAL;
    status = lowest_create(context, m, n, count, &w);
    if (!status) {
        sort_rows(a, &w);
        status = triangles(context, &w, &condition);
    }
    if (!status && isfinite(condition))
        status = dominant_space(context, &w, &found);
    if (!status && found)
        status = svd_low_rotate(context, &w);
    if (status || !found)
        goto cleanup;
    for (int k = 0; k < count; k++) {
        values[k] = 1.0 / w.sigma[k];
        for (int i = 0; i < n; i++)
            right[(size_t)(w.order[i] - 1) * (size_t)count + (size_t)k] = w.v[(size_t)k * (size_t)n + (size_t)i];
    }
    /* of the space: its angle to other vectors is eps lambda_1 / (difference of the lambda) at the most */
    const double space = DBL_EPSILON * condition * pow(values[count - 1] / values[0], 2.0);
    *error = DBL_EPSILON * condition + space * space;
cleanup:
    lowest_free(&w);
    return status;
}
