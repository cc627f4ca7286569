/* Orders of small fill. */
#include "support.h"
#include "algebra/internal.h"

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
    double work = 0.0, most = 0.0;
    CHECK_OK(context, phx_order_work(context, N, a.ptr, a.idx, order, &work));
    CHECK_OK(context, phx_order_work(context, N, a.ptr, a.idx, natural, &most));
    CHECK_BETWEEN(work, N, 200.0 * N, "work of an arrow eliminated from its ends");
    CHECK_BETWEEN(most, N * N * N / 3, N * N * N, "work of an arrow that fills everything");
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

/* ---- balanced orders ---- */
/* Unknowns of the largest piece that is left when the last one of the order is taken out. */
static int largest_piece(const phx_csr *a, const int *order)
{
    const int n = a->rows;
    int *piece = malloc((size_t)n * sizeof(int)), *count = calloc((size_t)n, sizeof(int)), largest = 0;
    assert_true(piece && count);
    for (int i = 0; i < n; i++)
        piece[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < n; i++)
            for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
                const int j = a->idx[e];
                if (i == order[n - 1] || j == order[n - 1] || piece[i] <= piece[j])
                    continue;
                piece[i] = piece[j];
                changed = true;
            }
    }
    for (int i = 0; i < n; i++)
        if (i != order[n - 1] && ++count[piece[i]] > largest)
            largest = count[piece[i]];
    free(piece);
    free(count);
    return largest;
}

/* Symmetric with all diagonal entries: i is joined to parent[i] and, every `loops` unknowns, to one more. */
static phx_csr graph_of(phx_context *context, uint64_t *seed, int n, int reach, int loops)
{
    int *row = malloc(5 * (size_t)n * sizeof(int)), *col = malloc(5 * (size_t)n * sizeof(int)), count = 0;
    double *val = malloc(5 * (size_t)n * sizeof(double));
    phx_csr a;
    assert_true(row && col && val);
    for (int i = 0; i < n; i++) {
        const int others[2] = {i == 0 ? 0 : i - 1 - random_index(seed, reach < i ? reach : i), random_index(seed, n)};
        row[count] = col[count] = i;
        val[count++] = 20.0;
        for (int k = 0; k < (loops > 0 && i % loops == 0 ? 2 : 1) && i > 0; k++) {
            row[count] = col[count + 1] = i;
            col[count] = row[count + 1] = others[k];
            val[count] = val[count + 1] = 1.0;
            count += 2;
        }
    }
    CHECK_OK(context, phx_csr_from_triplets(context, n, n, (size_t)count, row, col, val, &a));
    free(row);
    free(col);
    free(val);
    return a;
}

/* Chains, trees, and graphs with loops: balanced orders keep the fill, and fall apart where chains and trees can. */
static void test_balanced_orders(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 5;
    const struct {
        int n, reach, loops;
    } kinds[] = {{1, 1, 0},    {2, 1, 0},     {101, 1, 0},  {200, 2, 0},
                 {300, 10, 0}, {300, 300, 0}, {200, 3, 40}, {150, 50, 7}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const int n = kinds[k].n;
        phx_csr a = graph_of(context, &seed, n, kinds[k].reach, kinds[k].loops);
        int *order = malloc((size_t)n * sizeof(int)), *again = malloc((size_t)n * sizeof(int));
        assert_true(order && again);
        CHECK_OK(context, phx_order_amd(context, n, a.ptr, a.idx, order));
        const long fill = fill_of(context, &a, order);
        CHECK_OK(context, phx_order_balance(context, n, a.ptr, a.idx, NULL, order));
        check_permutation(n, order);
        assert_int_equal(fill_of(context, &a, order), fill);
        if (kinds[k].loops == 0 && n > 2)
            CHECK_BELOW(largest_piece(&a, order), 0.625 * n, "largest piece of graph %zu", k);
        memcpy(again, order, (size_t)n * sizeof(int));
        CHECK_OK(context, phx_order_balance(context, n, a.ptr, a.idx, NULL, again));
        if (kinds[k].loops == 0)
            assert_memory_equal(again, order, (size_t)n * sizeof(int));
        phx_csr_free(&a);
        free(order);
        free(again);
    }
    CHECK_OK(context, phx_order_balance(context, 0, (const int[]){0}, NULL, NULL, NULL));
}

/* Where most of the work is at one end of a chain, it is cut there. */
static void test_weights_move_the_middle(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 1;
    enum { N = 100 };
    double weight[N];
    int order[N];
    for (int i = 0; i < N; i++) {
        order[i] = i;
        weight[i] = i < 10 ? 20.0 : 1.0;
    }
    phx_csr a = graph_of(context, &seed, N, 1, 0);
    CHECK_OK(context, phx_order_balance(context, N, a.ptr, a.idx, weight, order));
    assert_in_range(order[N - 1], 6, 8);
    phx_csr_free(&a);
}

static phx_status order_something(phx_context *context)
{
    const int ptr[] = {0, 2, 4, 5}, idx[] = {0, 1, 0, 1, 2};
    int order[3];
    const phx_status status = phx_order_amd(context, 3, ptr, idx, order);
    return status ? status : phx_order_balance(context, 3, ptr, idx, NULL, order);
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
        cmocka_unit_test_setup_teardown(test_balanced_orders, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_weights_move_the_middle, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
