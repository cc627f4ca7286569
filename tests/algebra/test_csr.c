/* Sparse matrices against their dense pictures. */
#include "support.h"
#include "algebra/algebra.h"

/* A random matrix with about `fill` of its entries. */
static phx_csr random_csr(phx_context *context, uint64_t *seed, int rows, int cols, double fill)
{
    double *dense = new_doubles((size_t)rows * (size_t)cols);
    for (int k = 0; k < rows * cols; k++)
        dense[k] = fabs(random_number(seed)) < fill ? random_number(seed) : 0.0;
    phx_csr a;
    CHECK_OK(context, phx_csr_from_dense(context, rows, cols, dense, 0.0, &a));
    free(dense);
    return a;
}

static double *dense_of(const phx_csr *a)
{
    double *dense = new_doubles((size_t)a->rows * (size_t)a->cols);
    phx_csr_to_dense(a, dense);
    return dense;
}

static void check_form(const phx_csr *a)
{
    assert_int_equal(a->ptr[0], 0);
    for (int i = 0; i < a->rows; i++) {
        assert_true(a->ptr[i] <= a->ptr[i + 1]);
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            assert_in_range(a->idx[k], 0, a->cols - 1);
            assert_true(k == a->ptr[i] || a->idx[k - 1] < a->idx[k]);
        }
    }
}

static void test_triplets_are_summed_in_their_order(void **state)
{
    phx_context *context = *state;
    /* (1e16 + 1) - 1e16 is 0 in this order and 1 in another; (2, 0) cancels but stays in the pattern. */
    const int row[] = {1, 0, 1, 2, 1, 2, 0}, col[] = {2, 1, 2, 0, 2, 0, 0};
    const double val[] = {1e16, 3.0, 1.0, 5.0, -1e16, -5.0, 7.0};
    phx_csr a;
    CHECK_OK(context, phx_csr_from_triplets(context, 4, 3, 7, row, col, val, &a));
    check_form(&a);
    const int ptr[] = {0, 2, 3, 4, 4}, idx[] = {0, 1, 2, 0};
    const double values[] = {7.0, 3.0, 0.0, 0.0};
    assert_memory_equal(a.ptr, ptr, sizeof ptr);
    assert_memory_equal(a.idx, idx, sizeof idx);
    assert_memory_equal(a.val, values, sizeof values);
    assert_int_equal(phx_csr_find(&a, 0, 1), 1);
    assert_int_equal(phx_csr_find(&a, 2, 0), 3);
    assert_int_equal(phx_csr_find(&a, 2, 1), -1);
    assert_int_equal(phx_csr_find(&a, 3, 2), -1);
    assert_int_equal(phx_csr_find(&a, 4, 0), -1);
    assert_int_equal(phx_csr_find(&a, -1, 0), -1);
    phx_csr_free(&a);
    assert_null(a.ptr);
    assert_int_equal(a.rows, 0);
    CHECK_OK(context, phx_csr_from_triplets(context, 4, 3, 7, row, col, NULL, &a));
    assert_memory_equal(a.idx, idx, sizeof idx);
    assert_true(a.val[0] == 0.0 && a.val[3] == 0.0);
    phx_csr_free(&a);
}

static void test_random_triplets_equal_a_dense_sum(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 11;
    enum { ROWS = 13, COLS = 17, COUNT = 400 };
    int row[COUNT], col[COUNT];
    double val[COUNT], dense[ROWS * COLS] = {0.0};
    for (int k = 0; k < COUNT; k++) {
        row[k] = random_index(&seed, ROWS);
        col[k] = random_index(&seed, COLS);
        val[k] = random_number(&seed);
        dense[row[k] * COLS + col[k]] += val[k];
    }
    phx_csr a;
    CHECK_OK(context, phx_csr_from_triplets(context, ROWS, COLS, COUNT, row, col, val, &a));
    check_form(&a);
    double *found = dense_of(&a);
    assert_memory_equal(found, dense, sizeof dense); /* the same sums in the same order */
    free(found);
    phx_csr_free(&a);
}

static void test_bad_arguments_are_named(void **state)
{
    phx_context *context = *state;
    const int row[] = {0, 3}, col[] = {1, 1};
    const double val[] = {1.0, 2.0};
    phx_csr a = {.rows = 99}, b;
    CHECK_STATUS(context, phx_csr_from_triplets(context, 3, 2, 2, row, col, val, &a), PHX_ERR_ARGUMENT);
    assert_non_null(strstr(phx_context_message(context), "triplet 1 at (3, 1)"));
    assert_int_equal(a.rows, 0);
    CHECK_STATUS(context, phx_csr_from_triplets(context, 4, 1, 2, row, col, val, &a), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_csr_from_triplets(context, -1, 1, 0, row, col, val, &a), PHX_ERR_ARGUMENT);
    CHECK_OK(context, phx_csr_from_triplets(context, 4, 2, 2, row, col, val, &a));
    CHECK_STATUS(context, phx_csr_multiply(context, &a, &a, &b), PHX_ERR_ARGUMENT);
    phx_csr t;
    CHECK_OK(context, phx_csr_transpose(context, &a, &t));
    CHECK_STATUS(context, phx_csr_add(context, 1.0, &a, 1.0, &t, &b), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_csr_congruence(context, &t, &a, &t, &b), PHX_ERR_ARGUMENT);
    phx_csr_free(&a);
    phx_csr_free(&t);
}

static void test_transpose_and_copy(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 3;
    phx_csr a = random_csr(context, &seed, 19, 7, 0.3), t, back, copy;
    CHECK_OK(context, phx_csr_transpose(context, &a, &t));
    CHECK_OK(context, phx_csr_transpose(context, &t, &back));
    CHECK_OK(context, phx_csr_copy(context, &a, &copy));
    check_form(&t);
    const phx_csr *same[] = {&back, &copy};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(same[k]->rows, 19);
        assert_int_equal(same[k]->cols, 7);
        assert_memory_equal(same[k]->ptr, a.ptr, 20 * sizeof(int));
        assert_memory_equal(same[k]->idx, a.idx, (size_t)a.ptr[19] * sizeof(int));
        assert_memory_equal(same[k]->val, a.val, (size_t)a.ptr[19] * sizeof(double));
    }
    for (int i = 0; i < 19; i++)
        for (int j = 0; j < 7; j++) {
            int here = phx_csr_find(&a, i, j), there = phx_csr_find(&t, j, i);
            assert_int_equal(here < 0, there < 0);
            assert_true(here < 0 || a.val[here] == t.val[there]);
        }
    phx_csr_free(&a);
    phx_csr_free(&t);
    phx_csr_free(&back);
    phx_csr_free(&copy);
}

static void test_products_and_sums_equal_dense_ones(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 5;
    enum { M = 23, K = 31, N = 12 };
    phx_csr a = random_csr(context, &seed, M, K, 0.2), b = random_csr(context, &seed, K, N, 0.2),
            left = random_csr(context, &seed, M, 9, 0.3), c = random_csr(context, &seed, M, K, 0.2), ab, congruence,
            sum;
    CHECK_OK(context, phx_csr_multiply(context, &a, &b, &ab));
    CHECK_OK(context, phx_csr_congruence(context, &left, &a, &b, &congruence));
    CHECK_OK(context, phx_csr_add(context, 2.0, &a, -0.5, &c, &sum));
    check_form(&ab);
    check_form(&congruence);
    check_form(&sum);
    double *A = dense_of(&a), *B = dense_of(&b), *L = dense_of(&left), *C = dense_of(&c), *AB = dense_of(&ab),
           *LAB = dense_of(&congruence), *S = dense_of(&sum), *want = new_doubles(M * K), *want2 = new_doubles(M * K);
    reference_product(false, false, M, N, K, A, B, want);
    CHECK_BELOW(difference(M * N, AB, want), 1e-14, "A B");
    reference_product(true, false, 9, N, M, L, want, want2);
    CHECK_BELOW(difference(9 * N, LAB, want2), 1e-14, "L^T A B");
    for (int k = 0; k < M * K; k++)
        want[k] = 2.0 * A[k] - 0.5 * C[k];
    CHECK_BELOW(difference(M * K, S, want), 0.0, "2 A - C/2");
    for (int i = 0; i < M; i++)
        for (int j = 0; j < K; j++)
            assert_int_equal(phx_csr_find(&sum, i, j) >= 0, phx_csr_find(&a, i, j) >= 0 || phx_csr_find(&c, i, j) >= 0);
    double *dense[] = {A, B, L, C, AB, LAB, S, want, want2};
    for (int k = 0; k < 9; k++)
        free(dense[k]);
    phx_csr *sparse[] = {&a, &b, &left, &c, &ab, &congruence, &sum};
    for (int k = 0; k < 7; k++)
        phx_csr_free(sparse[k]);
}

static void test_application_equals_the_dense_one(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 8;
    enum { M = 14, N = 21 };
    phx_csr a = random_csr(context, &seed, M, N, 0.4);
    double *A = dense_of(&a), x[N], y[M], u[M], v[N], want[N], y0[M], v0[N];
    random_fill(&seed, N, x);
    random_fill(&seed, M, u);
    random_fill(&seed, M, y0);
    random_fill(&seed, N, v0);
    memcpy(y, y0, sizeof y);
    memcpy(v, v0, sizeof v);
    phx_csr_apply(&a, 3.0, x, y);
    phx_csr_apply_transposed(&a, -2.0, u, v);
    reference_product(false, false, M, 1, N, A, x, want);
    for (int i = 0; i < M; i++)
        CHECK_BELOW(fabs(y[i] - y0[i] - 3.0 * want[i]), 1e-14, "y += 3 A x, row %d", i);
    reference_product(true, false, N, 1, M, A, u, want);
    for (int i = 0; i < N; i++)
        CHECK_BELOW(fabs(v[i] - v0[i] + 2.0 * want[i]), 1e-14, "y -= 2 A^T x, row %d", i);
    double wide[3 * N], out[3 * M], product[3 * M];
    random_fill(&seed, 3 * N, wide);
    for (int i = 0; i < 3 * M; i++)
        out[i] = 1.0;
    phx_csr_apply_dense(&a, 3, wide, out);
    reference_product(false, false, M, 3, N, A, wide, product);
    for (int i = 0; i < 3 * M; i++)
        CHECK_BELOW(fabs(out[i] - 1.0 - product[i]), 1e-14, "Y += A X, entry %d", i);
    free(A);
    phx_csr_free(&a);
}

static void test_empty_matrices(void **state)
{
    phx_context *context = *state;
    phx_csr none, wide, tall, product, sum;
    CHECK_OK(context, phx_csr_from_triplets(context, 0, 0, 0, NULL, NULL, NULL, &none));
    CHECK_OK(context, phx_csr_from_triplets(context, 0, 3, 0, NULL, NULL, NULL, &wide));
    CHECK_OK(context, phx_csr_transpose(context, &wide, &tall));
    assert_int_equal(tall.rows, 3);
    assert_int_equal(tall.ptr[3], 0);
    CHECK_OK(context, phx_csr_multiply(context, &tall, &wide, &product));
    assert_int_equal(product.rows, 3);
    assert_int_equal(product.ptr[3], 0);
    CHECK_OK(context, phx_csr_add(context, 1.0, &none, 1.0, &none, &sum));
    phx_csr *all[] = {&none, &wide, &tall, &product, &sum};
    for (int k = 0; k < 5; k++)
        phx_csr_free(all[k]);
    phx_csr_free(&none); /* twice does no harm */
    phx_csr_free(NULL);
}

static phx_status make_everything(phx_context *context)
{
    const int row[] = {0, 1, 2, 2}, col[] = {1, 0, 2, 0};
    const double val[] = {1.0, 2.0, 3.0, 4.0}, dense[] = {1.0, 2.0, 0.0, 4.0, 0.0, 6.0, 7.0, 8.0, 9.0};
    phx_csr a = {0}, b = {0}, made[5] = {{0}};
    phx_status status = phx_csr_from_triplets(context, 3, 3, 4, row, col, val, &a);
    if (!status)
        status = phx_csr_from_dense(context, 3, 3, dense, 0.0, &b);
    if (!status)
        status = phx_csr_copy(context, &a, &made[0]);
    if (!status)
        status = phx_csr_transpose(context, &a, &made[1]);
    if (!status)
        status = phx_csr_multiply(context, &a, &b, &made[2]);
    if (!status)
        status = phx_csr_congruence(context, &a, &b, &a, &made[3]);
    if (!status)
        status = phx_csr_add(context, 1.0, &a, 1.0, &b, &made[4]);
    phx_csr_free(&a);
    phx_csr_free(&b);
    for (int k = 0; k < 5; k++)
        phx_csr_free(&made[k]);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    assert_in_range(fail_each_allocation(*state, make_everything), 40, 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_triplets_are_summed_in_their_order, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_random_triplets_equal_a_dense_sum, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bad_arguments_are_named, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_transpose_and_copy, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_products_and_sums_equal_dense_ones, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_application_equals_the_dense_one, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_empty_matrices, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
