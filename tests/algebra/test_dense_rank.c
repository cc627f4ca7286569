/* Least norm, pivoted QR and null spaces on matrices of known rank. */
#include "support.h"
#include "algebra/internal.h"

/* A = X Y with X m x rank, Y rank x n. */
static double *of_rank(uint64_t *seed, int m, int n, int rank)
{
    double *x = new_doubles((size_t)m * (size_t)rank), *y = new_doubles((size_t)rank * (size_t)n),
           *a = new_doubles((size_t)m * (size_t)n);
    random_fill(seed, (size_t)m * (size_t)rank, x);
    random_fill(seed, (size_t)rank * (size_t)n, y);
    reference_product(false, false, m, n, rank, x, y, a);
    free(x);
    free(y);
    return a;
}

static double largest(size_t count, const double *a)
{
    double value = 0.0;
    for (size_t k = 0; k < count; k++)
        value = fmax(value, fabs(a[k]));
    return value;
}

static const int SHAPES[][3] = {{1, 1, 1}, {4, 4, 4},    {4, 4, 2},    {3, 9, 3}, {9, 3, 3}, {9, 5, 2},
                                {5, 9, 2}, {40, 70, 31}, {70, 40, 31}, {6, 6, 0}, {1, 5, 0}};
enum { N_SHAPES = sizeof SHAPES / sizeof SHAPES[0], NRHS = 3 };

/* x is the least-norm least-squares solution if and only if A^T (A x - b) = 0 and x is orthogonal to null(A). */
static void check_least_norm(phx_context *context, uint64_t *seed, int m, int n, int rank)
{
    double *a = of_rank(seed, m, n, rank), *b = new_doubles((size_t)m * NRHS), *x = new_doubles((size_t)n * NRHS),
           *r = new_doubles((size_t)m * NRHS), *normal = new_doubles((size_t)n * NRHS), *null = NULL;
    double *kept = new_doubles((size_t)m * (size_t)n);
    memcpy(kept, a, (size_t)m * (size_t)n * sizeof(double));
    random_fill(seed, (size_t)m * NRHS, b);
    int found = -1, found_null = -1;
    CHECK_OK(context, phx_dense_least_norm(context, m, n, a, NRHS, b, 1e-10, x, &found));
    assert_int_equal(found, rank);
    assert_memory_equal(a, kept, (size_t)m * (size_t)n * sizeof(double));
    reference_product(false, false, m, NRHS, n, a, x, r);
    for (int k = 0; k < m * NRHS; k++)
        r[k] -= b[k];
    reference_product(true, false, n, NRHS, m, a, r, normal);
    CHECK_BELOW(largest((size_t)n * NRHS, normal), 1e-12 * (m + n), "A^T (A x - b), %d x %d of rank %d", m, n, rank);
    CHECK_OK(context, phx_dense_nullspace(context, m, n, a, 1e-10, &found_null, &null));
    assert_int_equal(found_null, rank);
    if (n > rank) {
        double *along = new_doubles((size_t)(n - rank) * NRHS);
        reference_product(true, false, n - rank, NRHS, n, null, x, along);
        CHECK_BELOW(largest((size_t)(n - rank) * NRHS, along), 1e-11, "x orthogonal to null(A), %d x %d of rank %d", m,
                    n, rank);
        free(along);
    }
    double *all[] = {a, b, x, r, normal, kept};
    for (int k = 0; k < 6; k++)
        free(all[k]);
    phx_free(null);
}

static void test_least_norm(void **state)
{
    uint64_t seed = 1;
    for (int s = 0; s < N_SHAPES; s++)
        check_least_norm(*state, &seed, SHAPES[s][0], SHAPES[s][1], SHAPES[s][2]);
    double x[6] = {7.0, 7.0, 7.0, 7.0, 7.0, 7.0};
    int rank = -1;
    CHECK_OK(*state, phx_dense_least_norm(*state, 0, 3, NULL, 2, NULL, 1e-10, x, &rank));
    assert_int_equal(rank, 0);
    assert_true(largest(6, x) == 0.0);
    const double one = 2.0, b = 6.0;
    CHECK_OK(*state, phx_dense_least_norm(*state, 1, 1, &one, 1, &b, 1e-10, x, NULL));
    CHECK_BELOW(fabs(x[0] - 3.0), 1e-15, "2 x = 6");
}

static void test_nullspace(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 2;
    for (int s = 0; s < N_SHAPES; s++) {
        int m = SHAPES[s][0], n = SHAPES[s][1], rank = SHAPES[s][2], found = -1;
        double *a = of_rank(&seed, m, n, rank), *basis = NULL;
        CHECK_OK(context, phx_dense_nullspace(context, m, n, a, 1e-10, &found, &basis));
        assert_int_equal(found, rank);
        assert_non_null(basis);
        double *image = new_doubles((size_t)m * (size_t)(n - rank));
        reference_product(false, false, m, n - rank, n, a, basis, image);
        CHECK_BELOW(largest((size_t)m * (size_t)(n - rank), image), 1e-13 * (m + n), "A Z, %d x %d of rank %d", m, n,
                    rank);
        CHECK_BELOW(not_orthonormal(n, n - rank, basis, basis), 1e-14 * (n + 1), "Z^T Z, %d x %d of rank %d", m, n,
                    rank);
        free(a);
        free(image);
        phx_free(basis);
    }
    double *basis = NULL;
    int rank = -1;
    CHECK_OK(context, phx_dense_nullspace(context, 0, 3, NULL, 1e-10, &rank, &basis));
    assert_int_equal(rank, 0);
    CHECK_BELOW(not_orthonormal(3, 3, basis, basis), 0.0, "everything is the null space of no equations");
    phx_free(basis);
}

static void test_rrqr(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 3;
    for (int s = 0; s < N_SHAPES; s++) {
        int m = SHAPES[s][0], n = SHAPES[s][1], rank = SHAPES[s][2], found = -1, again = -1;
        double *a = of_rank(&seed, m, n, rank), *left = new_doubles((size_t)m * (size_t)(m - rank)),
               *image = new_doubles((size_t)(m - rank) * (size_t)n);
        int *order = malloc((size_t)n * sizeof(int));
        assert_non_null(order);
        CHECK_OK(context, phx_dense_rrqr(context, m, n, a, 1e-10, &found, order, left));
        assert_int_equal(found, rank);
        reference_product(true, false, m - rank, n, m, left, a, image);
        CHECK_BELOW(largest((size_t)(m - rank) * (size_t)n, image), 1e-13 * (m + n), "N^T A, %d x %d of rank %d", m, n,
                    rank);
        CHECK_BELOW(not_orthonormal(m, m - rank, left, left), 1e-14 * (m + 1), "N^T N, %d x %d of rank %d", m, n, rank);
        /* The order is a permutation whose first `rank` columns have full rank, the longest first. */
        bool seen[100] = {false};
        for (int k = 0; k < n; k++) {
            assert_in_range(order[k], 0, n - 1);
            assert_false(seen[order[k]]);
            seen[order[k]] = true;
        }
        double *leading = new_doubles((size_t)m * (size_t)rank);
        for (int i = 0; i < m; i++)
            for (int k = 0; k < rank; k++)
                leading[i * rank + k] = a[i * n + order[k]];
        CHECK_OK(context, phx_dense_rrqr(context, m, rank, leading, 1e-10, &again, NULL, NULL));
        assert_int_equal(again, rank);
        double first = 0.0, longest = 0.0;
        for (int j = 0; j < n; j++) {
            double norm = 0.0;
            for (int i = 0; i < m; i++)
                norm = hypot(norm, a[i * n + j]);
            longest = fmax(longest, norm);
            first = j == order[0] ? norm : first;
        }
        CHECK_BELOW(longest - first, 1e-14 * longest, "the first pivot is the longest column");
        free(a);
        free(left);
        free(image);
        free(order);
        free(leading);
    }
}

static void test_the_tolerance_decides_the_rank(void **state)
{
    phx_context *context = *state;
    const double a[] = {1.0, 0.0, 0.0, 0.0, 1e-6, 0.0, 0.0, 0.0, 1e-12};
    const double tolerances[] = {1e-14, 1e-9, 1e-3, 2.0};
    for (int k = 0; k < 4; k++) {
        int rank = -1, nullity = -1;
        double *basis = NULL;
        CHECK_OK(context, phx_dense_rrqr(context, 3, 3, a, tolerances[k], &rank, NULL, NULL));
        assert_int_equal(rank, 3 - k);
        CHECK_OK(context, phx_dense_nullspace(context, 3, 3, a, tolerances[k], &nullity, &basis));
        assert_int_equal(nullity, 3 - k);
        phx_free(basis);
    }
}

static void test_bad_arguments_are_named(void **state)
{
    phx_context *context = *state;
    const double bad[] = {1.0, 2.0, NAN, 4.0}, good[] = {1.0, 2.0, 3.0, 4.0};
    double x[4], *basis = x;
    int rank;
    CHECK_STATUS(context, phx_dense_least_norm(context, 2, 2, bad, 1, good, 1e-10, x, &rank), PHX_ERR_ARGUMENT);
    assert_non_null(strstr(phx_context_message(context), "(1, 0)"));
    CHECK_STATUS(context, phx_dense_least_norm(context, 2, 2, good, 2, bad, 1e-10, x, &rank), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_dense_least_norm(context, 2, 2, good, 1, good, -1.0, x, &rank), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_dense_rrqr(context, 2, 2, bad, 1e-10, &rank, NULL, NULL), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_dense_rrqr(context, 2, 2, good, NAN, &rank, NULL, NULL), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_dense_nullspace(context, 2, 2, bad, 1e-10, &rank, &basis), PHX_ERR_ARGUMENT);
    assert_null(basis);
}

static phx_status use_everything(phx_context *context)
{
    const double a[] = {1.0, 2.0, 3.0, 2.0, 4.0, 6.0}, b[] = {1.0, 2.0};
    double x[3], left[4], *basis = NULL;
    int rank, order[3];
    phx_status status = phx_dense_least_norm(context, 2, 3, a, 1, b, 1e-10, x, &rank);
    if (!status)
        status = phx_dense_rrqr(context, 2, 3, a, 1e-10, &rank, order, left);
    if (!status)
        status = phx_dense_nullspace(context, 2, 3, a, 1e-10, &rank, &basis);
    assert_true(status == PHX_OK || basis == NULL);
    phx_free(basis);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    assert_int_equal(fail_each_allocation(*state, use_everything), 4 + 5 + 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_least_norm, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_nullspace, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_rrqr, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_the_tolerance_decides_the_rank, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bad_arguments_are_named, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
