/* Orders of small fill. */
#include "support.h"

static void check_permutation(int n, const int *order)
{
    bool *seen = calloc((size_t)n, sizeof(bool));
    assert_non_null(seen);
    for (int k = 0; k < n; k++) {
        assert_in_range(order[k], 0, n - 1);
        assert_false(seen[order[k]]);
        seen[order[k]] = true;
    }
    free(seen);
}

/* Entries of L+U of a dominant matrix with this pattern, in this order. */
static long fill_of(phx_context *context, const phx_csr *a, const int *order)
{
    phx_lu *lu = NULL;
    long entries = 0;
    CHECK_OK(context, phx_lu_create(context, a->rows, a->ptr, a->idx, order, false, &lu));
    CHECK_OK(context, phx_lu_factor(lu, a->val, NULL));
    phx_lu_stats(lu, NULL, NULL, NULL, &entries);
    phx_lu_destroy(lu);
    return entries;
}

/* An arrow: row and column 0 are full. Eliminated first it fills everything, eliminated last nothing. */
static void test_an_arrow_does_not_fill(void **state)
{
    phx_context *context = *state;
    enum { N = 60 };
    double *dense = new_doubles(N * N);
    int natural[N], order[N];
    for (int i = 0; i < N; i++) {
        natural[i] = i;
        dense[i] = dense[i * N] = 1.0;
        dense[i * N + i] = 2.0 * N;
    }
    phx_csr a;
    CHECK_OK(context, phx_csr_from_dense(context, N, N, dense, 0.0, &a));
    CHECK_OK(context, phx_order_amd(context, N, a.ptr, a.idx, order));
    check_permutation(N, order);
    assert_int_equal(fill_of(context, &a, order), a.ptr[N]);
    assert_int_equal(fill_of(context, &a, natural), N * N);
    phx_csr_free(&a);
    free(dense);
}

static void test_random_patterns(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 3;
    const int sizes[] = {1, 2, 17, 300};
    for (int s = 0; s < 4; s++) {
        int n = sizes[s], *order = malloc((size_t)n * sizeof(int)), *row = malloc(3 * (size_t)n * sizeof(int)),
            *col = malloc(3 * (size_t)n * sizeof(int));
        assert_true(order && row && col);
        for (int k = 0; k < 3 * n; k++) {
            row[k] = k / 3; /* not symmetric, some diagonal entries missing */
            col[k] = random_index(&seed, n);
        }
        phx_csr a;
        CHECK_OK(context, phx_csr_from_triplets(context, n, n, 3 * (size_t)n, row, col, NULL, &a));
        CHECK_OK(context, phx_order_amd(context, n, a.ptr, a.idx, order));
        check_permutation(n, order);
        phx_csr_free(&a);
        free(order);
        free(row);
        free(col);
    }
    CHECK_OK(context, phx_order_amd(context, 0, NULL, NULL, NULL));
    const int ptr[] = {0, 1, 2}, outside[] = {0, 2};
    int order[2];
    CHECK_STATUS(context, phx_order_amd(context, 2, ptr, outside, order), PHX_ERR_LIBRARY);
}

static phx_status order_something(phx_context *context)
{
    const int ptr[] = {0, 2, 4, 5}, idx[] = {0, 1, 0, 1, 2};
    int order[3];
    return phx_order_amd(context, 3, ptr, idx, order);
}

static void test_every_allocation_may_fail(void **state)
{
    assert_in_range(fail_each_allocation(*state, order_something), 2, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_an_arrow_does_not_fill, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_random_patterns, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
