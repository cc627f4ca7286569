/* Sparse Cholesky: residuals, work space reused, what is not positive definite. */
#include "support.h"
#include "algebra/algebra.h"

#include "algebra/cholesky.h"

/* A = C C^T + I for a random sparse C. */
static phx_csr positive_definite(phx_context *context, uint64_t *seed, int n, int per_row)
{
    int count = n * per_row, *row = malloc((size_t)count * sizeof(int)), *col = malloc((size_t)count * sizeof(int));
    double *val = new_doubles((size_t)count), *one = new_doubles((size_t)n);
    assert_true(row && col);
    for (int k = 0; k < count; k++) {
        row[k] = k / per_row;
        col[k] = random_index(seed, n);
        val[k] = random_number(seed);
    }
    phx_csr c, c_T, gram, identity, a;
    CHECK_OK(context, phx_csr_from_triplets(context, n, n, (size_t)count, row, col, val, &c));
    CHECK_OK(context, phx_csr_transpose(context, &c, &c_T));
    CHECK_OK(context, phx_csr_multiply(context, &c, &c_T, &gram));
    for (int i = 0; i < n; i++) {
        row[i] = col[i] = i;
        one[i] = 1.0;
    }
    CHECK_OK(context, phx_csr_from_triplets(context, n, n, (size_t)n, row, col, one, &identity));
    CHECK_OK(context, phx_csr_add(context, 1.0, &gram, 1.0, &identity, &a));
    phx_csr_free(&c);
    phx_csr_free(&c_T);
    phx_csr_free(&gram);
    phx_csr_free(&identity);
    free(row);
    free(col);
    free(val);
    free(one);
    return a;
}

static void test_solutions(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 1;
    const int sizes[] = {1, 2, 10, 200, 1500}, columns[] = {1, 7, 1, 3};
    for (int s = 0; s < 5; s++) {
        phx_csr a = positive_definite(context, &seed, sizes[s], 2);
        size_t n = (size_t)sizes[s];
        double *b = new_doubles(7 * n), *x = new_doubles(7 * n);
        phx_cholesky *cholesky = NULL;
        CHECK_OK(context, phx_cholesky_create(context, &a, &cholesky));
        for (int c = 0; c < 4; c++) {
            size_t nrhs = (size_t)columns[c];
            random_fill(&seed, nrhs * n, b);
            memcpy(x, b, nrhs * n * sizeof(double));
            CHECK_OK(context, phx_cholesky_solve(cholesky, columns[c], x));
            for (size_t k = 0; k < nrhs; k++) {
                phx_csr_apply(&a, -1.0, x + k * n, b + k * n);
                for (size_t i = 0; i < n; i++)
                    CHECK_BELOW(fabs(b[k * n + i]), 1e-12, "A x - b, size %zu, column %zu, row %zu", n, k, i);
            }
        }
        CHECK_OK(context, phx_cholesky_solve(cholesky, 0, NULL));
        CHECK_STATUS(context, phx_cholesky_solve(cholesky, -2, x), PHX_ERR_ARGUMENT);
        phx_cholesky_destroy(cholesky);
        phx_csr_free(&a);
        free(b);
        free(x);
    }
    phx_cholesky_destroy(NULL);
}

#ifdef PHX_GPL
/* The 7-point Laplacian of a cube, whose factors are those of METIS in supernodes; by either size of indices. */
static void test_bodies_in_space(void **state)
{
    phx_context *context = *state;
    enum { SIDE = 24, N = SIDE * SIDE * SIDE };
    const int step[3] = {1, SIDE, SIDE * SIDE};
    int *row = malloc(7 * N * sizeof *row), *col = malloc(7 * N * sizeof *col), count = 0;
    double *val = new_doubles(7 * N), *b = new_doubles(N), *x[2] = {new_doubles(N), new_doubles(N)};
    uint64_t seed = 5;
    phx_csr a;

    assert_true(row && col);
    for (int i = 0; i < N; i++) {
        row[count] = col[count] = i;
        val[count++] = 6.0 + 1e-3 * random_number(&seed);
        for (int k = 0; k < 3; k++)
            for (int sign = -1; sign <= 1; sign += 2) {
                const int at = i / step[k] % SIDE + sign;
                if (at < 0 || at >= SIDE)
                    continue;
                row[count] = i;
                col[count] = i + sign * step[k];
                val[count++] = -1.0;
            }
    }
    CHECK_OK(context, phx_csr_from_triplets(context, N, N, (size_t)count, row, col, val, &a));
    random_fill(&seed, N, b);
    for (int wide = 0; wide < 2; wide++) {
        phx_cholesky cholesky = {.context = context, .n = N};
        CHECK_OK(context, phx_cholesky_factor_as(&cholesky, &a, wide));
        memcpy(x[wide], b, N * sizeof *b);
        CHECK_OK(context, phx_cholesky_substitute(&cholesky, 1, x[wide]));
        phx_cholesky_factors_free(cholesky.factors);
        double *residual = new_doubles(N);
        memcpy(residual, b, N * sizeof *b);
        phx_csr_apply(&a, -1.0, x[wide], residual);
        for (int i = 0; i < N; i++)
            CHECK_BELOW(fabs(residual[i]), 1e-12, "A x - b, wide %d, row %d", wide, i);
        free(residual);
    }
    CHECK_BELOW(difference(N, x[0], x[1]), 1e-10, "int and int64_t indices");
    a.val[phx_csr_find(&a, 4321, 4321)] = -1.0;
    phx_cholesky wrong = {.context = context, .n = N};
    CHECK_STATUS(context, phx_cholesky_factor_as(&wrong, &a, true), PHX_SINGULAR);
    assert_non_null(strstr(phx_context_message(context), "pivot of row "));
    phx_cholesky_factors_free(wrong.factors);
    phx_csr_free(&a);
    free(row);
    free(col);
    free(val);
    free(b);
    free(x[0]);
    free(x[1]);
}
#endif

static void test_what_is_not_positive_definite_is_named(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 2;
    const double values[] = {-1.0, 0.0};
    const int sizes[] = {80, 1500}; /* CHOLMOD factors the second one by supernodes */
    for (int v = 0; v < 4; v++) {
        phx_csr a = positive_definite(context, &seed, sizes[v / 2], 2);
        const int bad = 33;
        for (int i = 0; i < a.rows; i++)
            for (int k = a.ptr[i]; k < a.ptr[i + 1]; k++)
                if (i == bad || a.idx[k] == bad)
                    a.val[k] = i == a.idx[k] ? values[v % 2] : 0.0;
        phx_cholesky *cholesky = NULL;
        CHECK_STATUS(context, phx_cholesky_create(context, &a, &cholesky), PHX_SINGULAR);
        assert_null(cholesky);
        assert_non_null(strstr(phx_context_message(context), "row 33"));
        phx_csr_free(&a);
    }
}

static void test_bad_arguments_are_named(void **state)
{
    phx_context *context = *state;
    const double wide[] = {1.0, 2.0}, bad[] = {NAN};
    phx_csr a;
    phx_cholesky *cholesky = NULL;
    CHECK_OK(context, phx_csr_from_dense(context, 1, 2, wide, 0.0, &a));
    CHECK_STATUS(context, phx_cholesky_create(context, &a, &cholesky), PHX_ERR_ARGUMENT);
    phx_csr_free(&a);
    CHECK_OK(context, phx_csr_from_dense(context, 1, 1, bad, 0.0, &a));
    CHECK_STATUS(context, phx_cholesky_create(context, &a, &cholesky), PHX_ERR_ARGUMENT);
    phx_csr_free(&a);
    CHECK_OK(context, phx_csr_from_dense(context, 0, 0, NULL, 0.0, &a));
    CHECK_OK(context, phx_cholesky_create(context, &a, &cholesky));
    CHECK_OK(context, phx_cholesky_solve(cholesky, 1, NULL));
    phx_cholesky_destroy(cholesky);
    phx_csr_free(&a);
}

static phx_status factor_and_solve(phx_context *context)
{
    static int ptr[] = {0, 2, 5, 7}, idx[] = {0, 1, 0, 1, 2, 1, 2};
    static double val[] = {2.0, -1.0, -1.0, 2.0, -1.0, -1.0, 2.0};
    const phx_csr a = {3, 3, ptr, idx, val};
    double x[] = {1.0, 2.0, 3.0};
    phx_cholesky *cholesky = NULL;
    phx_status status = phx_cholesky_create(context, &a, &cholesky);
    if (!status)
        status = phx_cholesky_solve(cholesky, 1, x);
    phx_cholesky_destroy(cholesky);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    assert_in_range(fail_each_allocation(*state, factor_and_solve), 20, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_solutions, context_setup, context_teardown),
#ifdef PHX_GPL
        cmocka_unit_test_setup_teardown(test_bodies_in_space, context_setup, context_teardown),
#endif
        cmocka_unit_test_setup_teardown(test_what_is_not_positive_definite_is_named, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bad_arguments_are_named, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
