/* Batches of leaves: against the elimination one by one, against KLU, on any number of threads, on any processor, and
 * that what is wrong with one leaf of a batch is noticed. */
#include "support.h"

#include "algebra/multifrontal/front.h"
#include "algebra/lu_klu.h"

/* ---- matrices ---- */
/* Bodies in a chain, eliminated before all joints,
 *
 *     [ M  -D ]   M: dense blocks, of body b as many unknowns as size[b % KINDS],
 *     [ G   0 ]   G: `rows` rows for each joint, between body b and the one before (the first: the ground).
 *
 * `holes`: of a hundred entries beside the diagonal so many are not there, the same ones in every body when `alike`;
 * `apart`: no joint touches the first unknowns of a body. */
enum { KINDS = 3 };
typedef struct chain_def {
    int bodies, size[KINDS], rows, holes;
    bool alike;
    int apart;
} chain_def;

typedef struct matrix {
    phx_csr a;
    int *order; /* bodies, then joints from the last on */
} matrix;

typedef struct triplets {
    int count, row[100000], col[100000];
    double val[100000];
} triplets;

static void put(triplets *t, int row, int col, double value)
{
    assert_true(t->count < (int)(sizeof t->row / sizeof *t->row));
    t->row[t->count] = row;
    t->col[t->count] = col;
    t->val[t->count++] = value;
}

/* An entry that is a hole? The numbers are those of the body, the same for all that are alike. */
static bool is_hole(const chain_def *def, int body, int i, int j)
{
    uint64_t seed = 77 + (uint64_t)(1000 * i + j) + (def->alike ? 0 : 1000000 * (uint64_t)body);
    random_index(&seed, 100);
    return random_index(&seed, 100) < def->holes;
}

static void put_joint(const chain_def *def, uint64_t *seed, triplets *t, int row, int body, int end, int at)
{
    for (int r = 0; r < def->rows; r++)
        for (int i = def->apart; i < def->size[body % KINDS]; i++) {
            const double g = (i == def->apart + r ? 1.0 : 0.0) + 0.2 * random_number(seed);
            if (i != def->apart + r && is_hole(def, body, 100 * (end + 1) + r, i))
                continue;
            put(t, row + r, at + i, g);
            put(t, at + i, row + r, -g * (1.0 + 0.01 * random_number(seed)));
        }
}

static matrix chain_matrix(phx_context *context, const chain_def *def)
{
    uint64_t seed = 5;
    triplets *t = calloc(1, sizeof *t);
    int velocities = 0, at = 0, before = 0, placed = 0;
    matrix m;

    assert_non_null(t);
    for (int b = 0; b < def->bodies; b++)
        velocities += def->size[b % KINDS];
    const int n = velocities + def->bodies * def->rows;
    for (int b = 0; b < def->bodies; b++) {
        const int size = def->size[b % KINDS], row = velocities + b * def->rows;
        for (int i = 0; i < size; i++) {
            put(t, at + i, at + i, 4.0 + random_number(&seed));
            for (int j = 0; j < size; j++)
                if (i != j && !is_hole(def, b, i, j))
                    put(t, at + i, at + j, 0.4 * random_number(&seed));
        }
        put_joint(def, &seed, t, row, b, 0, at);
        if (b > 0)
            put_joint(def, &seed, t, row, b - 1, 1, before);
        before = at;
        at += size;
    }
    CHECK_OK(context, phx_csr_from_triplets(context, n, n, (size_t)t->count, t->row, t->col, t->val, &m.a));
    free(t);
    m.order = malloc((size_t)n * sizeof *m.order);
    assert_non_null(m.order);
    for (; placed < velocities; placed++)
        m.order[placed] = placed;
    for (int k = n - 1; k >= velocities; k--)
        m.order[placed++] = k;
    return m;
}

static void free_matrix(matrix *m)
{
    phx_csr_free(&m->a);
    free(m->order);
}

static phx_fronts *new_fronts(phx_context *context, const matrix *m, bool is_complex)
{
    phx_fronts *fronts = NULL;
    CHECK_OK(context, phx_fronts_create(context, m->a.rows, m->a.ptr, m->a.idx, m->order, is_complex, &fronts));
    assert_non_null(fronts);
    return fronts;
}

/* Leaves in batches, and lanes that they fill. */
static int batched_leaves(phx_context *context, const matrix *m, int *width)
{
    phx_front_tree *tree = NULL;
    int count = 0;
    CHECK_OK(context, phx_front_tree_create(context, m->a.rows, m->a.ptr, m->a.idx, m->order, true, &tree));
    assert_non_null(tree);
    for (int k = 0; k < tree->n_batches; k++)
        count += tree->batch[k].count;
    *width = PHX_FRONT_SIMD_WIDTH * tree->n_batches;
    phx_front_tree_destroy(tree);
    return count;
}

/* ---- tests ---- */
/* Three factorisations with changing values: against fronts of complex values, which go one by one, and against KLU. */
static void compare(phx_context *context, const chain_def *def)
{
    matrix m = chain_matrix(context, def);
    const size_t n = (size_t)m.a.rows, entries = (size_t)m.a.ptr[n];
    double *val = m.a.val, *pair = new_doubles(2 * entries), *x = new_doubles(n), *y = new_doubles(n),
           *z = new_doubles(2 * n), *b = new_doubles(n);
    phx_fronts *batched = new_fronts(context, &m, false), *single = new_fronts(context, &m, true);
    phx_klu *klu = NULL;
    uint64_t seed = 13;

    CHECK_OK(context, phx_klu_create(context, m.a.rows, m.a.ptr, m.a.idx, m.order, false, &klu));
    for (int round = 0; round < 3; round++) {
        bool audited, other, pivoted;
        int column;
        random_fill(&seed, n, b);
        memcpy(x, b, n * sizeof *x);
        memcpy(y, b, n * sizeof *y);
        for (size_t k = 0; k < entries; k++)
            pair[2 * k] = val[k];
        for (size_t k = 0; k < n; k++) {
            z[2 * k] = b[k];
            z[2 * k + 1] = 0.0;
        }
        assert_true(phx_fronts_factor(batched, val, &audited));
        assert_true(phx_fronts_factor(single, pair, &other));
        assert_int_equal(audited, round == 0);
        CHECK_OK(context, phx_klu_factor(klu, val, &pivoted, &column));
        phx_fronts_solve(batched, 1, x);
        phx_fronts_solve(single, 1, z);
        CHECK_OK(context, phx_klu_solve(klu, 1, y));
        double size = 0.0;
        for (size_t k = 0; k < n; k++)
            size = fmax(size, fabs(y[k]));
        for (size_t k = 0; k < n; k++) {
            CHECK_BELOW(fabs(x[k] - y[k]), 1e-13 * size, "%d bodies, unknown %zu against KLU", def->bodies, k);
            CHECK_BELOW(fabs(x[k] - z[2 * k]), 1e-13 * size, "%d bodies, unknown %zu one by one", def->bodies, k);
        }
        CHECK_BELOW(backward_error(&m.a, val, false, x, b), 1e-14, "%d bodies, round %d", def->bodies, round);
        for (size_t k = 0; k < entries; k++)
            val[k] *= 1.0 + 0.02 * random_number(&seed);
    }
    phx_klu_destroy(klu);
    phx_fronts_destroy(batched);
    phx_fronts_destroy(single);
    double *all[] = {pair, x, y, z, b};
    for (int k = 0; k < 5; k++)
        free(all[k]);
    free_matrix(&m);
}

/* Batches of every size, of leaves of every size, whole or with holes. */
static void test_batches_of_every_size(void **state)
{
    const int rows[] = {1, 2, 3, 5, 6};
    for (int bodies = 1; bodies <= 9; bodies++)
        for (int size = 1; size <= 14; size++)
            for (int k = 0; k < 10; k++) {
                const chain_def def = {bodies, {size, size, size}, rows[k / 2], k % 2 ? 30 : 0, true, 0};
                if (rows[k / 2] < size)
                    compare(*state, &def);
            }
}

/* Leaves of three sizes by turns, and holes that are everywhere others. */
static void test_leaves_of_different_shapes(void **state)
{
    for (int bodies = 4; bodies <= 25; bodies += 7)
        for (int holes = 0; holes <= 40; holes += 20)
            for (int alike = 0; alike < 2; alike++) {
                const chain_def def = {bodies, {3, 6, 9}, 2, holes, alike, 0};
                compare(*state, &def);
            }
}

static void test_leaves_alike_are_batched(void **state)
{
    const chain_def plane = {43, {3, 3, 3}, 2, 0, true, 0}, space = {43, {6, 6, 6}, 3, 0, true, 0},
                    mixed = {43, {3, 6, 3}, 2, 0, true, 0}, unlike = {12, {9, 9, 9}, 2, 50, false, 0},
                    deep = {43, {6, 6, 6}, 2, 0, true, 3};
    matrix m = chain_matrix(*state, &plane);
    int width;
    assert_int_equal(batched_leaves(*state, &m, &width), 42); /* the one at the end has one joint only */
    assert_int_equal(width, 44);
    free_matrix(&m);
    m = chain_matrix(*state, &space);
    assert_int_equal(batched_leaves(*state, &m, &width), 42);
    assert_int_equal(width, 44);
    free_matrix(&m);
    m = chain_matrix(*state, &mixed);
    assert_int_equal(batched_leaves(*state, &m, &width), 42);
    assert_int_equal(width, 28 + 16);
    free_matrix(&m);
    m = chain_matrix(*state, &deep); /* what comes first touches less than what comes last */
    assert_int_equal(batched_leaves(*state, &m, &width), 42);
    assert_int_equal(width, 44);
    free_matrix(&m);
    compare(*state, &deep);
    m = chain_matrix(*state, &unlike);
    assert_int_equal(batched_leaves(*state, &m, &width), 0);
    free_matrix(&m);
}

/* Whichever entry is no good, of whichever lane: it is noticed, and nothing of it stays. */
static void test_one_bad_lane_is_noticed(void **state)
{
    const chain_def def = {6, {3, 3, 3}, 2, 0, true, 0};
    matrix m = chain_matrix(*state, &def);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    const size_t n = (size_t)m.a.rows;
    double *x = new_doubles(n), *before = new_doubles(n);
    bool audited;

    for (int k = 0; k < m.a.ptr[n]; k++) {
        phx_fronts *fronts = new_fronts(*state, &m, false);
        const double good = m.a.val[k];
        for (int factored = 0; factored < 2; factored++) {
            for (int i = 0; i < 3; i++) {
                m.a.val[k] = bad[i];
                if (phx_fronts_factor(fronts, m.a.val, &audited))
                    fail_msg("entry %d is %g, factored before %d: not noticed", k, bad[i], factored);
            }
            m.a.val[k] = good;
            for (size_t i = 0; i < n; i++)
                x[i] = 1.0;
            assert_true(phx_fronts_factor(fronts, m.a.val, &audited));
            assert_int_equal(audited, factored == 0);
            phx_fronts_solve(fronts, 1, x);
            if (factored == 0)
                memcpy(before, x, n * sizeof *x);
            assert_memory_equal(x, before, n * sizeof *x);
        }
        phx_fronts_destroy(fronts);
    }
    free(x);
    free(before);
    free_matrix(&m);
}

/* A pivot that is what cancellation left, or next to nothing, in one leaf. */
static void test_one_bad_pivot_is_noticed(void **state)
{
    const chain_def def = {7, {3, 3, 3}, 2, 0, true, 0};
    matrix m = chain_matrix(*state, &def);
    for (int body = 0; body < 6; body++) {
        for (int factored = 0; factored < 2; factored++) {
            phx_fronts *fronts = new_fronts(*state, &m, false);
            double *corner = &m.a.val[phx_csr_find(&m.a, 3 * body + 1, 3 * body + 1)], good = *corner;
            const double product = m.a.val[phx_csr_find(&m.a, 3 * body, 3 * body + 1)] *
                                   m.a.val[phx_csr_find(&m.a, 3 * body + 1, 3 * body)] /
                                   m.a.val[phx_csr_find(&m.a, 3 * body, 3 * body)];
            bool audited;
            if (factored)
                assert_true(phx_fronts_factor(fronts, m.a.val, &audited));
            *corner = product * (1.0 + 1e-13);
            assert_false(phx_fronts_factor(fronts, m.a.val, &audited));
            assert_true(audited);
            *corner = good;
            assert_true(phx_fronts_factor(fronts, m.a.val, &audited));
            phx_fronts_destroy(fronts);
        }
    }
    free_matrix(&m);
}

/* Branches with batches of their own: the same bits on any number of threads. */
static void test_threads_change_nothing(void **state)
{
    const chain_def def = {600, {6, 6, 6}, 3, 0, true, 0};
    matrix m = chain_matrix(*state, &def);
    const size_t n = (size_t)m.a.rows;
    double *x = new_doubles(n), *alone = new_doubles(n);
    phx_front_tree *tree = NULL;

    CHECK_OK(*state, phx_order_balance(*state, m.a.rows, m.a.ptr, m.a.idx, NULL, m.order));
    CHECK_OK(*state, phx_front_tree_create(*state, m.a.rows, m.a.ptr, m.a.idx, m.order, true, &tree));
    assert_in_range(tree->n_branches, 2, 40);
    assert_in_range(tree->n_batches, 100, 300);
    phx_front_tree_destroy(tree);
    for (int threads = 0; threads <= 3; threads++) {
        phx_fronts *fronts = new_fronts(*state, &m, false);
        phx_thread_pool *pool = NULL;
        bool audited;
        if (threads > 0) {
            CHECK_OK(*state, phx_thread_pool_create(*state, threads, &pool));
            CHECK_OK(*state, phx_fronts_use(fronts, pool));
        }
        for (int round = 0; round < 2; round++) {
            assert_true(phx_fronts_factor(fronts, m.a.val, &audited));
            for (size_t k = 0; k < n; k++)
                x[k] = 1.0 + (double)(k % 7);
            phx_fronts_solve(fronts, 1, x);
            if (threads == 0 && round == 0)
                memcpy(alone, x, n * sizeof *x);
            assert_memory_equal(x, alone, n * sizeof *x);
        }
        phx_fronts_destroy(fronts);
        phx_thread_pool_destroy(pool);
    }
    free(x);
    free(alone);
    free_matrix(&m);
}

#ifdef PHX_AVX2
static void factor_and_solve(const phx_front_tree *tree, const phx_front_numeric *numeric, const double *val,
                             double *factors, double *y)
{
    double *stack = new_doubles(tree->stack_size), *work = new_doubles(2 * tree->largest);
    numeric->factor(tree, 0, tree->n_fronts, val, factors, stack, work);
    for (int k = 0; k < tree->n; k++)
        y[k] = 1.0 + k % 5;
    numeric->down(tree, 0, tree->n_fronts, factors, y);
    numeric->up(tree, 0, tree->n_fronts, factors, y);
    free(stack);
    free(work);
}

static void test_every_processor_gives_the_same(void **state)
{
    if (!phx_cpu_has_avx2())
        skip();
    for (int size = 2; size <= 14; size++) {
        const chain_def def = {9, {size, size, size}, 2, size % 3 ? 0 : 20, true, 0};
        matrix m = chain_matrix(*state, &def);
        phx_front_tree *tree = NULL;
        CHECK_OK(*state, phx_front_tree_create(*state, m.a.rows, m.a.ptr, m.a.idx, m.order, true, &tree));
        assert_true(tree->n_batches > 0 || def.holes > 0);
        double *factors[2], *y[2];
        for (int k = 0; k < 2; k++) {
            factors[k] = new_doubles(tree->factor_size);
            y[k] = new_doubles((size_t)tree->n);
            factor_and_solve(tree, k ? &phx_front_real_avx2 : &phx_front_real, m.a.val, factors[k], y[k]);
        }
        assert_memory_equal(factors[0], factors[1], tree->factor_size * sizeof(double));
        assert_memory_equal(y[0], y[1], (size_t)tree->n * sizeof(double));
        for (int k = 0; k < 2; k++) {
            free(factors[k]);
            free(y[k]);
        }
        phx_front_tree_destroy(tree);
        free_matrix(&m);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_batches_of_every_size, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_leaves_of_different_shapes, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_leaves_alike_are_batched, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_one_bad_lane_is_noticed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_one_bad_pivot_is_noticed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_threads_change_nothing, context_setup, context_teardown),
#ifdef PHX_AVX2
        cmocka_unit_test_setup_teardown(test_every_processor_gives_the_same, context_setup, context_teardown),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
