/* Dense kernels, below and above the sizes where BLAS and LAPACK take over. */
#include "support.h"
#include "algebra/algebra.h"

#include <float.h>

static const int SIZES[] = {1, 2, 3, 7, 12, 13, 47, 48, 49, 90, 130};
enum { N_SIZES = sizeof SIZES / sizeof SIZES[0] };

static double *random_matrix(uint64_t *seed, int rows, int cols)
{
    double *a = new_doubles((size_t)rows * (size_t)cols);
    random_fill(seed, (size_t)rows * (size_t)cols, a);
    return a;
}

static double *copy_of(size_t count, const double *a)
{
    double *copy = new_doubles(count);
    memcpy(copy, a, count * sizeof(double));
    return copy;
}

static double largest(size_t count, const double *a)
{
    double value = 0.0;
    for (size_t k = 0; k < count; k++)
        value = fmax(value, fabs(a[k]));
    return value;
}

/* The symmetric and the antisymmetric part are those bit for bit, and add up to the matrix. */
static void test_parts(void **state)
{
    enum { N = 7 };
    uint64_t seed = 5;
    double *a = random_matrix(&seed, N, N), *even = copy_of(N * N, a), *odd = copy_of(N * N, a);

    (void)state;
    phx_dense_symmetrise(N, 1.0, even);
    phx_dense_symmetrise(N, -1.0, odd);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            assert_true(even[i * N + j] == even[j * N + i] && odd[i * N + j] == -odd[j * N + i]);
            CHECK_CLOSE(even[i * N + j] + odd[i * N + j], a[i * N + j], 1e-15, "entry %d, %d", i, j);
        }
    free(a);
    free(even);
    free(odd);
}

/* ---- product ---- */
/* One product with leading dimensions larger than the rows; what lies between rows must not be touched. */
static void check_product(uint64_t *seed, bool transpose_a, bool transpose_b, int m, int n, int k, double beta)
{
    const int lda = (transpose_a ? m : k) + 2, ldb = (transpose_b ? k : n) + 1, ldc = n + 3;
    const double alpha = -1.7;
    double *a = random_matrix(seed, transpose_a ? k : m, lda), *b = random_matrix(seed, transpose_b ? n : k, ldb),
           *c = random_matrix(seed, m, ldc);
    if (beta == 0.0)
        c[0] = NAN; /* c must not be read */
    double *before = copy_of((size_t)(m * ldc), c);
    phx_dense_multiply(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < ldc; j++) {
            long double want = beta == 0.0 ? 0.0L : (long double)beta * before[i * ldc + j];
            for (int p = 0; p < k && j < n; p++)
                want += (long double)alpha * (transpose_a ? a[p * lda + i] : a[i * lda + p]) *
                        (transpose_b ? b[j * ldb + p] : b[p * ldb + j]);
            if (j >= n)
                want = before[i * ldc + j];
            CHECK_BELOW(fabs(c[i * ldc + j] - (double)want), j < n ? 1e-15 * (k + 3) : 0.0,
                        "entry (%d, %d) of %d x %d x %d, transposed %d %d, beta %g", i, j, m, n, k, transpose_a,
                        transpose_b, beta);
        }
    }
    free(a);
    free(b);
    free(c);
    free(before);
}

static void test_products(void **state)
{
    (void)state;
    uint64_t seed = 1;
    const int shapes[][3] = {{1, 1, 1}, {3, 4, 5}, {5, 3, 0}, {9, 11, 10}, {10, 11, 12}, {1, 40, 60}, {70, 33, 41}};
    const double betas[] = {0.0, 1.0, 0.3};
    for (int s = 0; s < 7; s++)
        for (int t = 0; t < 4; t++)
            for (int b = 0; b < 3; b++)
                check_product(&seed, t & 1, t & 2, shapes[s][0], shapes[s][1], shapes[s][2], betas[b]);
    double untouched = 5.0;
    phx_dense_multiply(false, false, 0, 1, 1, 1.0, NULL, 1, NULL, 1, 0.0, &untouched, 1);
    assert_true(untouched == 5.0);
}

/* ---- Cholesky ---- */
/* A = C C^T + I */
static double *positive_definite(uint64_t *seed, int n)
{
    double *c = random_matrix(seed, n, n), *a = new_doubles((size_t)n * (size_t)n);
    reference_product(false, true, n, n, n, c, c, a);
    for (int i = 0; i < n; i++)
        a[i * n + i] += 1.0;
    free(c);
    return a;
}

static void test_cholesky(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 2;
    for (int s = 0; s < N_SIZES; s++) {
        int n = SIZES[s];
        size_t entries = (size_t)n * (size_t)n;
        double *a = positive_definite(&seed, n), *l = copy_of(entries, a), *back = new_doubles(entries);
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                l[i * n + j] = NAN; /* the upper triangle is not read */
        CHECK_OK(context, phx_dense_cholesky(context, n, l));
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                assert_true(l[i * n + j] == 0.0);
        reference_product(false, true, n, n, n, l, l, back);
        CHECK_BELOW(difference(entries, back, a), 1e-15 * (n + 2) * largest(entries, a), "L L^T = A, size %d", n);
        /* A^-1 by two triangular solutions, in bulk and column by column */
        double *x = new_doubles(entries), *column = new_doubles((size_t)n), *identity = new_doubles(entries);
        for (int i = 0; i < n; i++)
            x[i * n + i] = 1.0;
        phx_dense_triangle_solve(false, n, l, n, x);
        phx_dense_triangle_solve(true, n, l, n, x);
        reference_product(false, false, n, n, n, a, x, identity);
        for (int i = 0; i < n; i++)
            identity[i * n + i] -= 1.0;
        CHECK_BELOW(largest(entries, identity), 1e-13 * n, "A (L^-T L^-1) = I, size %d", n);
        column[n - 1] = 1.0;
        phx_dense_triangle_solve(false, n, l, 1, column);
        phx_dense_triangle_solve(true, n, l, 1, column);
        for (int i = 0; i < n; i++)
            CHECK_BELOW(fabs(column[i] - x[i * n + n - 1]), 1e-14, "one right-hand side, size %d, row %d", n, i);
        double *all[] = {a, l, back, x, column, identity};
        for (int k = 0; k < 6; k++)
            free(all[k]);
    }
}

static void test_cholesky_names_the_pivot(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 3;
    const int sizes[] = {5, 60};
    for (int s = 0; s < 2; s++) {
        int n = sizes[s], bad = n - 2;
        const double values[] = {-1.0, 0.0, NAN, INFINITY};
        for (int v = 0; v < 4; v++) {
            double *a = positive_definite(&seed, n);
            for (int j = 0; j < n; j++)
                a[bad * n + j] = a[j * n + bad] = 0.0;
            a[bad * n + bad] = values[v];
            CHECK_STATUS(context, phx_dense_cholesky(context, n, a), PHX_SINGULAR);
            char want[40];
            snprintf(want, sizeof want, "pivot %d is", bad);
            assert_non_null(strstr(phx_context_message(context), want));
            free(a);
        }
    }
}

/* ---- LU ---- */
static void test_solve_and_inverse(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 4;
    const int columns[] = {1, 3, 40};
    for (int s = 0; s < N_SIZES; s++) {
        int n = SIZES[s];
        size_t entries = (size_t)n * (size_t)n;
        double *a = random_matrix(&seed, n, n), *inverse = copy_of(entries, a), *product = new_doubles(entries);
        CHECK_OK(context, phx_dense_inverse(context, n, inverse));
        double scale = largest(entries, inverse) * n * DBL_EPSILON;
        reference_product(false, false, n, n, n, a, inverse, product);
        for (int i = 0; i < n; i++)
            product[i * n + i] -= 1.0;
        CHECK_BELOW(largest(entries, product), 50.0 * scale, "A A^-1 = I, size %d", n);
        for (int r = 0; r < 3; r++) {
            size_t count = (size_t)n * (size_t)columns[r];
            double *b = random_matrix(&seed, n, columns[r]), *x = copy_of(count, b), *lu = copy_of(entries, a),
                   *ax = new_doubles(count);
            CHECK_OK(context, phx_dense_solve(context, n, lu, columns[r], x));
            reference_product(false, false, n, columns[r], n, a, x, ax);
            CHECK_BELOW(difference(count, ax, b), 20.0 * n * DBL_EPSILON * (1.0 + largest(count, x)),
                        "A X = B, size %d, %d columns", n, columns[r]);
            free(b);
            free(x);
            free(lu);
            free(ax);
        }
        free(a);
        free(inverse);
        free(product);
    }
}

/* Row `bad` becomes a combination of the others; rows and columns are scaled over 12 decades. */
static void make_singular(uint64_t *seed, int n, double *a)
{
    int bad = random_index(seed, n);
    for (int j = 0; j < n; j++)
        a[bad * n + j] = 0.0;
    for (int i = 0; i < n; i++) {
        double weight = random_number(seed);
        for (int j = 0; j < n && i != bad; j++)
            a[bad * n + j] += weight * a[i * n + j];
    }
    for (int i = 0; i < n; i++) {
        double row = pow(10.0, 3.0 * random_number(seed)), col = pow(10.0, 3.0 * random_number(seed));
        for (int j = 0; j < n; j++) {
            a[i * n + j] *= row;
            a[j * n + i] *= col;
        }
    }
}

static void test_singular_matrices_are_found(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 5;
    int found = 0, tried = 0;
    const int sizes[] = {2, 3, 6, 20, 48, 49, 70};
    for (int s = 0; s < 7; s++) {
        int n = sizes[s];
        for (int trial = 0; trial < 40; trial++) {
            double *a = random_matrix(&seed, n, n), *b = random_matrix(&seed, n, 1), *kept = copy_of((size_t)n, b);
            make_singular(&seed, n, a);
            tried++;
            if (phx_dense_solve(context, n, a, 1, b) == PHX_SINGULAR) {
                found++;
                assert_memory_equal(b, kept, (size_t)n * sizeof(double));
            }
            free(a);
            free(b);
            free(kept);
        }
    }
    /* A row whose weight in the dependence is tiny comes out as a small pivot that is not pure rounding. */
    CHECK_BELOW(tried - found, 0.05 * tried, "singular matrices not found out of %d", tried);
}

static void test_exactly_singular_and_not_finite(void **state)
{
    phx_context *context = *state;
    const int sizes[] = {4, 64};
    for (int s = 0; s < 2; s++) {
        int n = sizes[s];
        uint64_t seed = 6;
        const double values[] = {0.0, NAN, INFINITY, -INFINITY};
        for (int v = 0; v < 4; v++) {
            double *a = random_matrix(&seed, n, n), *b = random_matrix(&seed, n, 1);
            for (int j = 0; j < n; j++)
                a[2 * n + j] = values[v];
            double *again = copy_of((size_t)n * (size_t)n, a);
            CHECK_STATUS(context, phx_dense_solve(context, n, a, 1, b), PHX_SINGULAR);
            CHECK_STATUS(context, phx_dense_inverse(context, n, again), PHX_SINGULAR);
            free(a);
            free(b);
            free(again);
        }
    }
}

static void test_bad_scaling_is_not_singular(void **state)
{
    phx_context *context = *state;
    /* [1e20 1; 1 0] x = (1, 2) has the solution (2, 1 - 2e20) */
    double a[] = {1e20, 1.0, 1.0, 0.0}, b[] = {1.0, 2.0};
    CHECK_OK(context, phx_dense_solve(context, 2, a, 1, b));
    CHECK_BELOW(fabs(b[0] - 2.0), 1e-15, "x0");
    CHECK_BELOW(fabs(b[1] / -2e20 - 1.0), 1e-15, "x1");
    double diagonal[] = {1e-200, 0.0, 0.0, 1e200};
    CHECK_OK(context, phx_dense_inverse(context, 2, diagonal));
    assert_true(diagonal[0] == 1e200 && diagonal[3] == 1e-200);
}

static void test_small_sizes_allocate_nothing(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 7;
    for (int n = 1; n <= 48; n++) {
        double *a = positive_definite(&seed, n), *b = random_matrix(&seed, n, 2),
               *l = copy_of((size_t)n * (size_t)n, a), *inverse = copy_of((size_t)n * (size_t)n, a);
        size_t before = phx_context_allocations(context);
        CHECK_OK(context, phx_dense_cholesky(context, n, l));
        phx_dense_triangle_solve(false, n, l, 2, b);
        CHECK_OK(context, phx_dense_solve(context, n, a, 2, b));
        CHECK_OK(context, phx_dense_inverse(context, n, inverse));
        assert_int_equal(phx_context_allocations(context), before);
        free(a);
        free(b);
        free(l);
        free(inverse);
    }
}

static phx_status solve_large(phx_context *context)
{
    enum { N = 60 };
    uint64_t seed = 8;
    double *a = random_matrix(&seed, N, N), *b = random_matrix(&seed, N, 1), *c = copy_of((size_t)N * N, a);
    phx_status status = phx_dense_solve(context, N, a, 1, b);
    if (!status)
        status = phx_dense_inverse(context, N, c);
    free(a);
    free(b);
    free(c);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    assert_int_equal(fail_each_allocation(*state, solve_large), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_parts, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_products, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_cholesky, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_cholesky_names_the_pivot, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_solve_and_inverse, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_singular_matrices_are_found, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_exactly_singular_and_not_finite, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bad_scaling_is_not_singular, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_small_sizes_allocate_nothing, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
