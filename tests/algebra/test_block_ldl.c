/* L D L^T of small dense blocks: solutions against dense LU over patterns and sizes of blocks, new values in old
 * patterns, what has no factors, what costs too much. */
#include "support.h"
#include "algebra/internal.h"

enum { MOST_BLOCKS = 40, MOST = MOST_BLOCKS * 9 };

typedef struct blocks {
    int n, unknowns, size[MOST_BLOCKS], start[MOST_BLOCKS + 1], ptr[MOST_BLOCKS + 1], idx[MOST_BLOCKS * MOST_BLOCKS];
    double *dense;
} blocks;

typedef enum pattern { CHAIN, RING, TREE, STAR, SCATTERED, LOOSE } pattern;
static const char *const names[] = {"chain", "ring", "tree", "star", "scattered", "loose"};

static bool joined(pattern kind, int n, int a, int b)
{
    const int low = a < b ? a : b, high = a < b ? b : a;
    switch (kind) {
    case CHAIN:
        return high == low + 1;
    case RING:
        return high == low + 1 || (low == 0 && high == n - 1);
    case TREE:
        return low == (high - 1) / 2;
    case STAR:
        return low == 0;
    case SCATTERED:
        return (7 * low + 13 * high) % 11 == 0;
    default:
        return false;
    }
}

/* size 0: blocks of every size. */
static blocks make(pattern kind, int n, int size)
{
    blocks it = {.n = n};
    int count = 0;

    for (int b = 0; b < n; b++) {
        it.size[b] = size ? size : 1 + (5 * b + 3) % 9;
        it.start[b + 1] = it.start[b] + it.size[b];
        for (int c = 0; c < n; c++)
            if (b == c || joined(kind, n, b, c))
                it.idx[count++] = c;
        it.ptr[b + 1] = count;
    }
    it.unknowns = it.start[n];
    it.dense = new_doubles((size_t)(it.unknowns * it.unknowns) + 1);
    return it;
}

/* Positive definite, nothing but positive eigenvalues of very different size. */
static void fill(blocks *it, uint64_t *seed)
{
    const int n = it->unknowns;

    memset(it->dense, 0, (size_t)(n * n) * sizeof *it->dense);
    for (int b = 0; b < it->n; b++)
        for (int e = it->ptr[b]; e < it->ptr[b + 1]; e++)
            for (int i = it->start[b]; i < it->start[b + 1]; i++)
                for (int j = it->start[it->idx[e]]; j < it->start[it->idx[e] + 1]; j++)
                    if (j < i)
                        it->dense[i * n + j] = it->dense[j * n + i] = random_number(seed);
    for (int i = 0; i < n; i++) {
        double sum = 0.1;
        for (int j = 0; j < n; j++)
            sum += fabs(it->dense[i * n + j]);
        it->dense[i * n + i] = sum;
    }
}

static void put(const blocks *it, phx_block_ldl *ldl)
{
    double *val = phx_block_ldl_begin(ldl);

    for (int b = 0; b < it->n; b++)
        for (int e = it->ptr[b]; e < it->ptr[b + 1]; e++)
            for (int i = it->start[b]; i < it->start[b + 1]; i++)
                for (int j = it->start[it->idx[e]]; j < it->start[it->idx[e] + 1]; j++) {
                    const int at = phx_block_ldl_place(ldl, i, j);
                    assert_in_range(at, 0, phx_block_ldl_entries(ldl) - 1);
                    val[at] = it->dense[i * it->unknowns + j];
                }
}

static void check(phx_context *context, const blocks *it, const phx_block_ldl *ldl, uint64_t *seed, const char *what)
{
    const int n = it->unknowns;
    double *x = new_doubles((size_t)n + 1), *y = new_doubles((size_t)n + 1), *lu = new_doubles((size_t)(n * n) + 1);

    random_fill(seed, (size_t)n, x);
    memcpy(y, x, (size_t)n * sizeof *y);
    memcpy(lu, it->dense, (size_t)(n * n) * sizeof *lu);
    phx_block_ldl_solve(ldl, x);
    CHECK_OK(context, phx_dense_solve(context, n, lu, 1, y));
    for (int i = 0; i < n; i++)
        CHECK_CLOSE(x[i], y[i], 1e-12 * (1.0 + max_abs(n, y)), "%s of %d: unknown %d", what, it->n, i);
    free(x);
    free(y);
    free(lu);
}

static void solutions_are_those_of_dense_lu(void **state)
{
    const int counts[] = {0, 1, 2, 3, 9, 40}, sizes[] = {1, 2, 3, 5, 0};
    uint64_t seed = 11;

    for (int kind = CHAIN; kind <= LOOSE; kind++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                blocks it = make((pattern)kind, counts[c], sizes[s]);
                phx_block_ldl *ldl = NULL;
                CHECK_OK(*state, phx_block_ldl_create(*state, it.n, it.size, it.ptr, it.idx, HUGE_VAL, &ldl));
                for (int again = 0; again < 3; again++) {
                    fill(&it, &seed);
                    put(&it, ldl);
                    CHECK_OK(*state, phx_block_ldl_factor(ldl));
                    check(*state, &it, ldl, &seed, names[kind]);
                }
                phx_block_ldl_destroy(ldl);
                free(it.dense);
            }
}

/* Chains and trees do not fill; a star, eliminated from its tips, neither. */
static void nothing_fills_that_needs_not(void **state)
{
    const pattern kinds[] = {CHAIN, TREE, STAR};

    for (int k = 0; k < 3; k++) {
        blocks it = make(kinds[k], 40, 2);
        phx_block_ldl *ldl = NULL;
        CHECK_OK(*state, phx_block_ldl_create(*state, it.n, it.size, it.ptr, it.idx, HUGE_VAL, &ldl));
        assert_int_equal(phx_block_ldl_entries(ldl), 4 * (40 + 39));
        phx_block_ldl_destroy(ldl);
        free(it.dense);
    }
}

static void what_costs_too_much_is_not_made(void **state)
{
    blocks it = make(SCATTERED, 40, 3);
    phx_block_ldl *ldl = NULL;

    CHECK_OK(*state, phx_block_ldl_create(*state, it.n, it.size, it.ptr, it.idx, HUGE_VAL, &ldl));
    const double work = phx_block_ldl_work(ldl);
    phx_block_ldl_destroy(ldl);
    assert_true(work > 40 * 27.0);
    CHECK_OK(*state, phx_block_ldl_create(*state, it.n, it.size, it.ptr, it.idx, work, &ldl));
    assert_non_null(ldl);
    phx_block_ldl_destroy(ldl);
    CHECK_OK(*state, phx_block_ldl_create(*state, it.n, it.size, it.ptr, it.idx, 0.99 * work, &ldl));
    assert_null(ldl);
    free(it.dense);
}

/* A row that repeats another one, a row nearly so, an indefinite matrix, what is not a number. Afterwards good values
 * are factored as ever. */
static void bad_pivots_of(void **state, int size)
{
    blocks it = make(CHAIN, 9, size);
    const int n = it.unknowns;
    uint64_t seed = 12;
    phx_block_ldl *ldl = NULL;

    CHECK_OK(*state, phx_block_ldl_create(*state, it.n, it.size, it.ptr, it.idx, HUGE_VAL, &ldl));
    for (int k = 0; k < 4; k++) {
        fill(&it, &seed);
        for (int j = 0; j < n && k < 2; j++)
            it.dense[7 * n + j] = it.dense[j * n + 7] = 0.0;
        it.dense[7 * n + 7] = k == 2 ? -1.0 : k == 3 ? NAN : 1.0;
        if (k < 2) { /* unknowns 6 and 7 alike, or but for 1e-12 */
            for (int j = 0; j < n; j++)
                it.dense[6 * n + j] = it.dense[j * n + 6] = 0.0;
            it.dense[6 * n + 6] = 1.0 + 1e-12 * k;
            it.dense[6 * n + 7] = it.dense[7 * n + 6] = 1.0;
        }
        put(&it, ldl);
        CHECK_STATUS(*state, phx_block_ldl_factor(ldl), PHX_SINGULAR);
        fill(&it, &seed);
        put(&it, ldl);
        CHECK_OK(*state, phx_block_ldl_factor(ldl));
        check(*state, &it, ldl, &seed, "good again");
    }
    phx_block_ldl_destroy(ldl);
    free(it.dense);
}

static void bad_pivots_are_noticed(void **state)
{
    bad_pivots_of(state, 2);
    bad_pivots_of(state, 5);
}

static phx_status create_one(phx_context *context)
{
    blocks it = make(SCATTERED, 20, 0);
    phx_block_ldl *ldl = NULL;
    const phx_status status = phx_block_ldl_create(context, it.n, it.size, it.ptr, it.idx, HUGE_VAL, &ldl);

    phx_block_ldl_destroy(ldl);
    free(it.dense);
    return status;
}

static void memory_that_is_missing(void **state)
{
    assert_true(fail_each_allocation(*state, create_one) > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(solutions_are_those_of_dense_lu, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(nothing_fills_that_needs_not, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(what_costs_too_much_is_not_made, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(bad_pivots_are_noticed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(memory_that_is_missing, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
