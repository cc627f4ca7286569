/* The smallest singular values against all of them. */
#include "support.h"
#include "algebra/algebra.h"

#include <float.h>

/* Entries in [-1, 1), rows over `row_decades`, columns over `column_decades`, in no order. */
static double *graded_matrix(uint64_t *seed, int m, int n, double row_decades, double column_decades)
{
    double *a = new_doubles((size_t)m * (size_t)n);
    random_fill(seed, (size_t)m * (size_t)n, a);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] *= pow(10.0, -row_decades * ((i * 7) % m) / m - column_decades * ((j * 5) % n) / n);
    return a;
}

typedef struct comparison {
    double values, vectors; /* largest relative difference; largest entry of |V V_all^T| - 1 */
    double error;           /* the estimate */
    double orthonormal;
} comparison;

static comparison compare(phx_context *context, int m, int n, const double *a, int count)
{
    double *all = new_doubles((size_t)n), *right = new_doubles((size_t)n * (size_t)n), *low = new_doubles((size_t)n),
           *v = new_doubles((size_t)n * (size_t)count);
    comparison c = {0};
    CHECK_OK(context, phx_dense_singular_values(context, m, n, a, all, right));
    CHECK_OK(context, phx_dense_lowest_singular_values(context, m, n, a, count, low, v, &c.error));
    for (int k = 0; k < count; k++) {
        double product = 0.0;
        for (int i = 0; i < n; i++)
            product += v[i * count + k] * right[i * n + n - 1 - k];
        c.values = fmax(c.values, fabs(low[k] / all[n - 1 - k] - 1.0));
        c.vectors = fmax(c.vectors, fabs(fabs(product) - 1.0));
    }
    c.orthonormal = not_orthonormal(n, count, v, v);
    free(all);
    free(right);
    free(low);
    free(v);
    return c;
}

/* Stiff rows, as the axial stiffness of beams makes them, cost no digits. */
static void test_graded_rows(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 11;
    const int shapes[][3] = {{1, 1, 1}, {2, 2, 1}, {5, 5, 1}, {9, 4, 1}, {36, 36, 10}, {60, 45, 12}, {150, 130, 20}};
    for (int s = 0; s < 7; s++)
        for (int decades = 0; decades <= 9; decades += 3) {
            const int m = shapes[s][0], n = shapes[s][1], count = shapes[s][2];
            double *a = graded_matrix(&seed, m, n, decades, 0.0);
            const comparison c = compare(context, m, n, a, count);
            CHECK_BELOW(c.error, 1e-9, "estimate, %d of %d x %d over %d decades", count, m, n, decades);
            CHECK_BELOW(c.values, 1e-13 + 20.0 * c.error, "values, %d of %d x %d over %d decades", count, m, n,
                        decades);
            CHECK_BELOW(c.orthonormal, 1e-13, "V^T V, %d of %d x %d over %d decades", count, m, n, decades);
            CHECK_BELOW(c.vectors, 1e-10, "vectors, %d of %d x %d over %d decades", count, m, n, decades);
            free(a);
        }
}

/* Small columns make the wanted values spread: where the space is no longer known, the estimate says so. */
static void test_estimate_holds(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 12;
    enum { M = 30, N = 24, COUNT = 8 };
    double least = HUGE_VAL, most = 0.0;
    for (int decades = 0; decades <= 30; decades += 2) {
        double *a = graded_matrix(&seed, M, N, 0.0, decades);
        const comparison c = compare(context, M, N, a, COUNT);
        CHECK_BELOW(c.values, 1e-13 + 20.0 * c.error, "values over %d decades, estimate %.1e", decades, c.error);
        least = fmin(least, c.error);
        most = fmax(most, c.error);
        free(a);
    }
    CHECK_BELOW(least, 1e-13, "least estimate");
    assert_true(most > 1e-6);
}

/* A matrix twice on the diagonal has every value twice. */
static void test_equal_values(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 13;
    enum { H = 9, N = 2 * H, COUNT = 5 };
    double *half = graded_matrix(&seed, H, H, 3.0, 0.0), all[N], low[N], v[N * COUNT], a[N * N] = {0.0}, error;
    for (int i = 0; i < H; i++)
        for (int j = 0; j < H; j++)
            a[i * N + j] = a[(H + i) * N + H + j] = half[i * H + j];
    CHECK_OK(context, phx_dense_singular_values(context, N, N, a, all, NULL));
    CHECK_OK(context, phx_dense_lowest_singular_values(context, N, N, a, COUNT, low, v, &error));
    CHECK_BELOW(error, 1e-12, "estimate");
    CHECK_BELOW(not_orthonormal(N, COUNT, v, v), 1e-13, "V^T V");
    for (int k = 0; k < COUNT; k++) {
        double squared = 0.0;
        for (int i = 0; i < N; i++) {
            double sum = 0.0;
            for (int j = 0; j < N; j++)
                sum += a[i * N + j] * v[j * COUNT + k];
            squared += sum * sum;
        }
        CHECK_BELOW(fabs(low[k] / all[N - 1 - k] - 1.0), 1e-12, "value %d", k);
        CHECK_BELOW(fabs(sqrt(squared) / low[k] - 1.0), 1e-11, "length of A v, %d", k);
    }
    free(half);
    for (int i = 0; i < N * N; i++)
        a[i] = i % (N + 1) == 0 ? 3.0 : 0.0;
    CHECK_OK(context, phx_dense_lowest_singular_values(context, N, N, a, COUNT, low, v, &error));
    for (int k = 0; k < COUNT; k++)
        CHECK_BELOW(fabs(low[k] / 3.0 - 1.0), 1e-15, "value %d of 3 I", k);
    CHECK_BELOW(not_orthonormal(N, COUNT, v, v), 1e-14, "V^T V of 3 I");
}

static void test_singular_matrices(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 14;
    enum { M = 12, N = 10 };
    double *a = graded_matrix(&seed, M, N, 2.0, 0.0), values[N], v[N * N], error = 0.0;
    for (int i = 0; i < M; i++) /* dependent to rounding */
        a[i * N + 3] = 0.3 * a[i * N + 1] - 0.7 * a[i * N + 8];
    CHECK_OK(context, phx_dense_lowest_singular_values(context, M, N, a, 2, values, v, &error));
    assert_true(error > 1e-3);
    for (int i = 0; i < M; i++) /* exactly */
        a[i * N + 3] = 0.0;
    CHECK_OK(context, phx_dense_lowest_singular_values(context, M, N, a, 2, values, v, &error));
    assert_true(error == HUGE_VAL);
    free(a);
}

static void test_arguments(void **state)
{
    phx_context *context = *state;
    const double a[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 7.0}, bad[4] = {1.0, INFINITY, 0.0, 1.0};
    double values[3], v[9], error;
    const int wrong[][3] = {{2, 3, 1}, {2, 0, 0}, {3, 2, 0}, {3, 2, 3}};
    for (int k = 0; k < 4; k++)
        CHECK_STATUS(
            context,
            phx_dense_lowest_singular_values(context, wrong[k][0], wrong[k][1], a, wrong[k][2], values, v, &error),
            PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_dense_lowest_singular_values(context, 2, 2, bad, 1, values, v, &error), PHX_ERR_ARGUMENT);
}

static phx_status solve(phx_context *context)
{
    const double a[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 7.0};
    double values[2], v[4], error;
    return phx_dense_lowest_singular_values(context, 3, 2, a, 2, values, v, &error);
}

static void test_every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    assert_int_equal(fail_each_allocation(context, solve), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graded_rows),  cmocka_unit_test(test_estimate_holds),
        cmocka_unit_test(test_equal_values), cmocka_unit_test(test_singular_matrices),
        cmocka_unit_test(test_arguments),    cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
