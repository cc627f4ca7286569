/* Block elimination on fronts: matrices of mechanisms against KLU, and that bad pivots are noticed. */
#include "support.h"

#include "algebra/multifrontal/front.h"
#include "algebra/lu_klu.h"

/* ---- matrices ---- */
/* The KKT matrix of a mechanism in the order of its elimination,
 *
 *     [ M  -D ]   M: of each body `flexible` deformations in a band, coupled to its `rigid` velocities; nearly
 * symmetric, [ G   0 ]   G: `rows` rows for each joint, D near G^T.
 *
 * Body b hangs at body parent(b) > b, the last one at the ground; `loops` further joints are closed at the end. */
typedef struct mechanism {
    const char *name;
    int bodies, rigid, flexible, rows, branches, loops;
} mechanism;

static const mechanism mechanisms[] = {
    {"one body", 1, 3, 0, 2, 1, 0},       {"planar chain", 40, 3, 0, 2, 1, 0},  {"planar tree", 40, 3, 0, 2, 3, 0},
    {"planar star", 30, 3, 0, 2, 29, 0},  {"loops", 12, 3, 0, 1, 2, 3},         {"beams", 10, 3, 24, 2, 1, 0},
    {"spatial chain", 20, 6, 0, 5, 1, 0}, {"spatial beams", 5, 6, 48, 3, 2, 0}, {"welds", 10, 6, 0, 6, 1, 0},
};
enum { MECHANISMS = sizeof mechanisms / sizeof *mechanisms };

typedef struct triplets {
    int count, room, *row, *col;
    double *val;
} triplets;

static void put(triplets *t, int row, int col, double value)
{
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 1024;
        t->row = realloc(t->row, (size_t)t->room * sizeof *t->row);
        t->col = realloc(t->col, (size_t)t->room * sizeof *t->col);
        t->val = realloc(t->val, (size_t)t->room * sizeof *t->val);
        assert_true(t->row && t->col && t->val);
    }
    t->row[t->count] = row;
    t->col[t->count] = col;
    t->val[t->count++] = value;
}

static void put_pair(triplets *t, uint64_t *seed, int i, int j, double value)
{
    put(t, i, j, value * (1.0 + 0.01 * random_number(seed)));
    put(t, j, i, value * (1.0 + 0.01 * random_number(seed)));
}

/* Deformations, then velocities, from unknown `at` on. */
static void put_body(triplets *t, uint64_t *seed, const mechanism *m, int at)
{
    const int all = m->flexible + m->rigid;
    for (int i = 0; i < all; i++) {
        put(t, at + i, at + i, 4.0 + random_number(seed));
        for (int j = i + 1; j < all; j++)
            if (j < i + 4 || j >= m->flexible)
                put_pair(t, seed, at + i, at + j,
                         (i < m->flexible && j >= m->flexible ? 0.1 : 0.4) * random_number(seed));
    }
}

static void put_joint(triplets *t, uint64_t *seed, const mechanism *m, int row, const int *at)
{
    for (int r = 0; r < m->rows; r++)
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < m->rigid && at[side] >= 0; i++) {
                const double g = (i == r ? 1.0 : 0.4 * random_number(seed));
                put(t, row + r, at[side] + m->flexible + i, g);
                put(t, at[side] + m->flexible + i, row + r, -g * (1.0 + 0.01 * random_number(seed)));
            }
}

static phx_csr mechanism_matrix(phx_context *context, uint64_t seed, const mechanism *m)
{
    const int size = m->flexible + m->rigid + m->rows;
    const int n = m->bodies * size + m->loops * m->rows;
    triplets t = {0};
    phx_csr a;

    for (int b = 0; b < m->bodies; b++) {
        const int parent = phx_int_min(b + 1 + b % m->branches, m->bodies - 1);
        const int ends[2] = {b * size,
                             b == m->bodies - 1 ? -1 : (m->branches == m->bodies - 1 ? m->bodies - 1 : parent) * size};
        put_body(&t, &seed, m, b * size);
        put_joint(&t, &seed, m, b * size + m->flexible + m->rigid, ends);
    }
    for (int l = 0; l < m->loops; l++) {
        const int ends[2] = {l * size, (m->bodies - 2 - l) * size};
        put_joint(&t, &seed, m, m->bodies * size + l * m->rows, ends);
    }
    CHECK_OK(context, phx_csr_from_triplets(context, n, n, (size_t)t.count, t.row, t.col, t.val, &a));
    free(t.row);
    free(t.col);
    free(t.val);
    return a;
}

/* Values of a, or complex ones of about the same size. */
static double *values_of(const phx_csr *a, bool is_complex, uint64_t *seed)
{
    const int count = a->ptr[a->rows];
    double *val = new_doubles((size_t)count * 2);
    for (int k = 0; k < count; k++) {
        if (is_complex) {
            val[2 * k] = a->val[k];
            val[2 * k + 1] = 0.3 * a->val[k] * random_number(seed);
        } else {
            val[k] = a->val[k];
        }
    }
    return val;
}

static int *natural_order(int n)
{
    int *order = malloc((size_t)n * sizeof *order);
    assert_non_null(order);
    for (int i = 0; i < n; i++)
        order[i] = i;
    return order;
}

/* ---- tests ---- */
static void compare_with_klu(phx_context *context, const mechanism *m, bool is_complex)
{
    uint64_t seed = 11;
    phx_csr a = mechanism_matrix(context, 5, m);
    const size_t count = (size_t)a.rows * (is_complex ? 2 : 1), scalars = (size_t)a.ptr[a.rows] * (is_complex ? 2 : 1);
    double *val = values_of(&a, is_complex, &seed), *b = new_doubles(count), *x = new_doubles(count),
           *y = new_doubles(count);
    int *order = natural_order(a.rows);
    phx_fronts *fronts = NULL;
    phx_klu *klu = NULL;

    CHECK_OK(context, phx_fronts_create(context, a.rows, a.ptr, a.idx, order, is_complex, &fronts));
    CHECK_OK(context, phx_klu_create(context, a.rows, a.ptr, a.idx, order, is_complex, &klu));
    assert_non_null(fronts);
    for (int round = 0; round < 4; round++) {
        bool audited, pivoted;
        int column;
        random_fill(&seed, count, b);
        memcpy(x, b, count * sizeof *x);
        memcpy(y, b, count * sizeof *y);
        if (!phx_fronts_factor(fronts, val, &audited))
            fail_msg("%s, complex %d: fronts do not hold in round %d", m->name, is_complex, round);
        assert_int_equal(audited, round == 0);
        phx_fronts_solve(fronts, 1, x);
        CHECK_OK(context, phx_klu_factor(klu, val, &pivoted, &column));
        CHECK_OK(context, phx_klu_solve(klu, 1, y));
        const double error = backward_error(&a, val, is_complex, x, b),
                     klu_error = backward_error(&a, val, is_complex, y, b);
        CHECK_BELOW(error, 1e-14, "%s, complex %d, round %d", m->name, is_complex, round);
        CHECK_BELOW(error, klu_error + 20.0 * DBL_EPSILON, "%s, complex %d, round %d, against KLU", m->name, is_complex,
                    round);
        for (size_t k = 0; k < scalars; k++)
            val[k] *= 1.0 + 0.02 * random_number(&seed);
    }
    phx_fronts_destroy(fronts);
    phx_klu_destroy(klu);
    phx_csr_free(&a);
    double *all[] = {val, b, x, y};
    for (int k = 0; k < 4; k++)
        free(all[k]);
    free(order);
}

static void test_mechanisms_are_solved_as_well_as_by_klu(void **state)
{
    for (int k = 0; k < MECHANISMS; k++)
        for (int is_complex = 0; is_complex < 2; is_complex++)
            compare_with_klu(*state, &mechanisms[k], is_complex);
}

/* Dense fronts of every width, and patterns that are not symmetric: upper triangles beside a few rows. */
static void test_every_size_of_front(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 21;
    for (int n = 1; n <= 40; n++) {
        for (int variant = 0; variant < 4; variant++) {
            const bool is_complex = variant & 1, triangle = variant & 2;
            triplets t = {0};
            phx_csr a;
            for (int i = 0; i < n; i++)
                for (int j = triangle && i % 5 ? i : 0; j < n; j++)
                    put(&t, i, j, i == j ? 2.0 * n : random_number(&seed));
            CHECK_OK(context, phx_csr_from_triplets(context, n, n, (size_t)t.count, t.row, t.col, t.val, &a));
            const size_t count = (size_t)n * (is_complex ? 2 : 1);
            double *val = values_of(&a, is_complex, &seed), *b = new_doubles(2 * count), *x = new_doubles(2 * count);
            int *order = natural_order(n);
            phx_fronts *fronts = NULL;
            bool audited = false;
            CHECK_OK(context, phx_fronts_create(context, n, a.ptr, a.idx, order, is_complex, &fronts));
            assert_true(phx_fronts_factor(fronts, val, &audited));
            random_fill(&seed, 2 * count, b);
            memcpy(x, b, 2 * count * sizeof *x);
            phx_fronts_solve(fronts, 2, x);
            for (size_t k = 0; k < 2; k++)
                CHECK_BELOW(backward_error(&a, val, is_complex, x + k * count, b + k * count), 1e-15,
                            "size %d, complex %d, triangle %d, column %zu", n, is_complex, triangle, k);
            phx_fronts_destroy(fronts);
            phx_csr_free(&a);
            double *all[] = {val, b, x, t.val};
            for (int k = 0; k < 4; k++)
                free(all[k]);
            free(order);
            free(t.row);
            free(t.col);
        }
    }
}

static void test_reruns_agree_bit_by_bit(void **state)
{
    phx_context *context = *state;
    phx_csr a = mechanism_matrix(context, 5, &mechanisms[5]);
    const size_t bytes = (size_t)a.rows * sizeof(double);
    double *first = new_doubles((size_t)a.rows), *x = new_doubles((size_t)a.rows);
    for (int run = 0; run < 3; run++) {
        phx_lu *lu = NULL;
        int *order = natural_order(a.rows);
        CHECK_OK(context, phx_lu_create(context, a.rows, a.ptr, a.idx, order, false, &lu));
        for (int round = 0; round < 3; round++) {
            CHECK_OK(context, phx_lu_factor(lu, a.val, NULL));
            for (int i = 0; i < a.rows; i++)
                x[i] = 1.0 + i % 7;
            CHECK_OK(context, phx_lu_solve(lu, 1, x));
            if (run == 0 && round == 0)
                memcpy(first, x, bytes);
            assert_memory_equal(x, first, bytes);
        }
        phx_lu_destroy(lu);
        free(order);
    }
    phx_csr_free(&a);
    free(first);
    free(x);
}

/* ---- branches ---- */
/* A dominant matrix on a lattice of columns x rows unknowns, joined to their neighbours, not symmetric. */
static phx_csr lattice(phx_context *context, uint64_t *seed, int columns, int rows)
{
    triplets t = {0};
    phx_csr a;
    for (int i = 0; i < columns * rows; i++) {
        put(&t, i, i, 8.0 + random_number(seed));
        if (i % columns + 1 < columns)
            put_pair(&t, seed, i, i + 1, random_number(seed));
        if (i + columns < columns * rows)
            put_pair(&t, seed, i, i + columns, random_number(seed));
    }
    CHECK_OK(context,
             phx_csr_from_triplets(context, columns * rows, columns * rows, (size_t)t.count, t.row, t.col, t.val, &a));
    free(t.row);
    free(t.col);
    free(t.val);
    return a;
}

/* Two masses, a row on them and a coordinate without mass, in this order; what its diagonal has, nothing or next to it,
 * is no size of its own. */
static void test_a_coordinate_without_mass(void **state)
{
    static const double G[] = {1.0, -1.0, 0.0, -1.0}, diagonal[] = {2.0, 3.0, 0.0, 0.0};
    enum { N = 4, ROW = 2, PLACE = 3 };
    const int weak = PLACE;

    for (int tiny = 0; tiny < 2; tiny++) {
        double b[N] = {0.3, -0.7, 0.2, 1.1}, x[N];
        bool audited;
        triplets t = {0};
        phx_fronts *fronts = NULL;
        phx_csr a;
        for (int i = 0; i < N; i++)
            put(&t, i, i, i == PLACE && tiny ? 1e-9 : diagonal[i]);
        for (int j = 0; j < N; j++) {
            if (j == ROW)
                continue;
            put(&t, ROW, j, G[j]);
            put(&t, j, ROW, -G[j]);
        }
        CHECK_OK(*state, phx_csr_from_triplets(*state, N, N, (size_t)t.count, t.row, t.col, t.val, &a));
        int *order = natural_order(N);
        CHECK_OK(*state, phx_fronts_create(*state, N, a.ptr, a.idx, order, false, &fronts));
        assert_non_null(fronts);
        assert_false(phx_fronts_factor(fronts, a.val, &audited) && phx_fronts_stand(fronts));
        CHECK_OK(*state, phx_fronts_set_weak(fronts, 1, &weak));
        phx_fronts_forget(fronts);
        assert_true(phx_fronts_factor(fronts, a.val, &audited) && phx_fronts_stand(fronts));
        memcpy(x, b, sizeof x);
        phx_fronts_solve(fronts, 1, x);
        CHECK_BELOW(backward_error(&a, a.val, false, x, b), 1e-15, "diagonal %d", tiny);
        phx_fronts_destroy(fronts);
        phx_csr_free(&a);
        free(order);
        free(t.row);
        free(t.col);
        free(t.val);
    }
}

/* Factor twice, values changed between, and solve two right-hand sides, as many threads as said; 0: no pool. */
static void solve_by_threads(phx_context *context, const phx_csr *a, const int *order, bool is_complex, int threads,
                             double *x)
{
    uint64_t seed = 17;
    const size_t count = (size_t)a->rows * (is_complex ? 2 : 1), scalars = (size_t)a->ptr[a->rows];
    double *val = values_of(a, is_complex, &seed), *b = new_doubles(2 * count);
    phx_fronts *fronts = NULL;
    phx_thread_pool *pool = NULL;
    bool audited = false;

    CHECK_OK(context, phx_fronts_create(context, a->rows, a->ptr, a->idx, order, is_complex, &fronts));
    if (threads > 0) {
        CHECK_OK(context, phx_thread_pool_create(context, threads, &pool));
        CHECK_OK(context, phx_fronts_use(fronts, pool));
    }
    for (int round = 0; round < 3; round++) {
        assert_true(phx_fronts_factor(fronts, val, &audited));
        assert_int_equal(audited, round == 0);
        random_fill(&seed, 2 * count, b);
        memcpy(x, b, 2 * count * sizeof *x);
        phx_fronts_solve(fronts, 2, x);
        for (size_t k = 0; k < 2; k++)
            CHECK_BELOW(backward_error(a, val, is_complex, x + k * count, b + k * count), 1e-14,
                        "%d unknowns, complex %d, %d threads, round %d", a->rows, is_complex, threads, round);
        for (size_t k = 0; k < scalars * (is_complex ? 2 : 1); k++)
            val[k] *= 1.0 + 0.02 * random_number(&seed);
    }
    const double good = val[scalars / 2];
    val[scalars / 2] = NAN; /* noticed on any thread, and nothing of it stays */
    assert_false(phx_fronts_factor(fronts, val, &audited));
    val[scalars / 2] = good;
    assert_true(phx_fronts_factor(fronts, val, &audited));
    memcpy(b, x, 2 * count * sizeof *x);
    phx_fronts_solve(fronts, 2, b);
    assert_int_equal(phx_first_not_finite(2 * count, b), 2 * count);
    phx_fronts_destroy(fronts);
    phx_thread_pool_destroy(pool);
    free(val);
    free(b);
}

/* Chains, lattices, stars: branches of all kinds. */
static void test_threads_change_nothing(void **state)
{
    phx_context *context = *state;
    const mechanism star = {"large star", 400, 6, 0, 5, 399, 0}, heap = {"separate bodies", 1500, 6, 0, 0, 1, 0};
    for (int variant = 0; variant < 12; variant++) {
        const bool is_complex = variant & 1;
        uint64_t seed = 9;
        phx_csr a = variant / 2 == 0   ? mechanism_matrix(context, 5, &star)
                    : variant / 2 == 1 ? mechanism_matrix(context, 5, &heap)
                    : variant / 2 == 2 ? lattice(context, &seed, 3, 700)
                    : variant / 2 == 3 ? lattice(context, &seed, 30, 35)
                    : variant / 2 == 4 ? lattice(context, &seed, 1, 3001)
                                       : lattice(context, &seed, 2, 5);
        const size_t count = 2 * (size_t)a.rows * (is_complex ? 2 : 1);
        double *alone = new_doubles(count), *x = new_doubles(count);
        int *order = natural_order(a.rows);
        phx_front_tree *tree = NULL;
        if (variant / 2 > 1) {
            CHECK_OK(context, phx_order_amd(context, a.rows, a.ptr, a.idx, order));
            CHECK_OK(context, phx_order_balance(context, a.rows, a.ptr, a.idx, NULL, order));
        }
        CHECK_OK(context, phx_front_tree_create(context, a.rows, a.ptr, a.idx, order, &tree));
        assert_non_null(tree);
        if (variant / 2 == 5)
            assert_int_equal(tree->n_branches, 0);
        else
            CHECK_BETWEEN(tree->n_branches, 2, 40, "branches of variant %d", variant);
        phx_front_tree_destroy(tree);
        solve_by_threads(context, &a, order, is_complex, 0, alone);
        for (int threads = 1; threads <= 5; threads++) {
            solve_by_threads(context, &a, order, is_complex, threads, x);
            assert_memory_equal(x, alone, count * sizeof *x);
        }
        phx_csr_free(&a);
        free(order);
        free(alone);
        free(x);
    }
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
    for (int width = 2; width <= 20; width += 3) {
        uint64_t seed = 9;
        phx_csr a = lattice(*state, &seed, width, 30);
        double *val = values_of(&a, false, &seed), *factors[2], *y[2];
        int *order = natural_order(a.rows);
        phx_front_tree *tree = NULL;
        CHECK_OK(*state, phx_order_amd(*state, a.rows, a.ptr, a.idx, order));
        CHECK_OK(*state, phx_front_tree_create(*state, a.rows, a.ptr, a.idx, order, &tree));
        for (int k = 0; k < 2; k++) {
            factors[k] = new_doubles(tree->factor_size);
            y[k] = new_doubles((size_t)(tree->n + tree->n_slots));
            factor_and_solve(tree, k ? &phx_front_real_avx2 : &phx_front_real, val, factors[k], y[k]);
        }
        assert_memory_equal(factors[0], factors[1], tree->factor_size * sizeof(double));
        assert_memory_equal(y[0], y[1], (size_t)tree->n * sizeof(double));
        for (int k = 0; k < 2; k++) {
            free(factors[k]);
            free(y[k]);
        }
        phx_front_tree_destroy(tree);
        phx_csr_free(&a);
        free(order);
        free(val);
    }
}
#endif

/* Whichever entry is NaN or infinite, before the first success or after: it is noticed, and nothing of it stays. */
static void test_values_that_are_not_finite_are_noticed(void **state)
{
    phx_context *context = *state;
    const mechanism *kinds[] = {&mechanisms[1], &mechanisms[6]};
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int variant = 0; variant < 4; variant++) {
        const bool is_complex = variant & 1;
        mechanism m = *kinds[variant / 2];
        uint64_t seed = 3;
        m.bodies = 4;
        phx_csr a = mechanism_matrix(context, 5, &m);
        const size_t count = (size_t)a.rows * (is_complex ? 2 : 1),
                     scalars = (size_t)a.ptr[a.rows] * (is_complex ? 2 : 1);
        double *val = values_of(&a, is_complex, &seed), *x = new_doubles(count), *before = new_doubles(count);
        int *order = natural_order(a.rows);
        for (size_t k = 0; k < scalars; k++) {
            phx_fronts *fronts = NULL;
            bool audited;
            const double good = val[k];
            CHECK_OK(context, phx_fronts_create(context, a.rows, a.ptr, a.idx, order, is_complex, &fronts));
            for (int factored = 0; factored < 2; factored++) {
                for (int i = 0; i < 3; i++) {
                    val[k] = bad[i];
                    if (phx_fronts_factor(fronts, val, &audited))
                        fail_msg("entry %zu of %zu is %g, factored before %d: not noticed", k, scalars, bad[i],
                                 factored);
                }
                val[k] = good;
                for (size_t i = 0; i < count; i++)
                    x[i] = 1.0;
                assert_true(phx_fronts_factor(fronts, val, &audited));
                assert_int_equal(audited, factored == 0);
                phx_fronts_solve(fronts, 1, x);
                if (factored == 0)
                    memcpy(before, x, count * sizeof *x);
                assert_memory_equal(x, before, count * sizeof *x);
            }
            phx_fronts_destroy(fronts);
        }
        phx_csr_free(&a);
        free(val);
        free(x);
        free(before);
        free(order);
    }
}

/* Factor and solve by phx_lu; the backward error. */
static double lu_error(phx_context *context, phx_lu *lu, const phx_csr *a, uint64_t *seed)
{
    double *b = new_doubles((size_t)a->rows), *x = new_doubles((size_t)a->rows);
    random_fill(seed, (size_t)a->rows, b);
    memcpy(x, b, (size_t)a->rows * sizeof *x);
    CHECK_OK(context, phx_lu_factor(lu, a->val, NULL));
    CHECK_OK(context, phx_lu_solve(lu, 1, x));
    const double error = backward_error(a, a->val, false, x, b);
    free(b);
    free(x);
    return error;
}

/* Multipliers eliminated before their velocities: a zero is the first pivot. */
static void test_a_wrong_order_falls_back(void **state)
{
    phx_context *context = *state;
    for (int k = 0; k < MECHANISMS; k++) {
        phx_csr a = mechanism_matrix(context, 5, &mechanisms[k]);
        int *order = malloc((size_t)a.rows * sizeof *order);
        phx_fronts *fronts = NULL;
        phx_lu *lu = NULL;
        bool audited;
        uint64_t seed = 8;
        assert_non_null(order);
        for (int i = 0; i < a.rows; i++)
            order[i] = a.rows - 1 - i;
        CHECK_OK(context, phx_fronts_create(context, a.rows, a.ptr, a.idx, order, false, &fronts));
        if (fronts)
            assert_false(phx_fronts_factor(fronts, a.val, &audited));
        CHECK_OK(context, phx_lu_create(context, a.rows, a.ptr, a.idx, order, false, &lu));
        for (int round = 0; round < 12; round++)
            CHECK_BELOW(lu_error(context, lu, &a, &seed), 1e-13, "%s, round %d", mechanisms[k].name, round);
        phx_fronts_destroy(fronts);
        phx_lu_destroy(lu);
        phx_csr_free(&a);
        free(order);
    }
}

/* A body that loses its inertia for a while, so that only its joints hold it: KLU takes over, and hands back. */
static void test_a_bad_pivot_falls_back_and_returns(void **state)
{
    phx_context *context = *state;
    const mechanism *m = &mechanisms[1];
    phx_csr good = mechanism_matrix(context, 5, m), bad = mechanism_matrix(context, 5, m);
    int *order = natural_order(good.rows);
    uint64_t seed = 8;
    phx_fronts *fronts = NULL;
    phx_lu *lu = NULL;
    bool audited;
    long factors, refactors;

    bad.val[phx_csr_find(&bad, 0, 0)] = 1e-16; /* the first velocity of the first body */
    CHECK_OK(context, phx_fronts_create(context, good.rows, good.ptr, good.idx, order, false, &fronts));
    assert_true(phx_fronts_factor(fronts, good.val, &audited));
    assert_false(phx_fronts_factor(fronts, bad.val, &audited));
    assert_true(phx_fronts_factor(fronts, good.val, &audited));
    assert_false(audited);
    CHECK_OK(context, phx_lu_create(context, good.rows, good.ptr, good.idx, order, false, &lu));
    CHECK_BELOW(lu_error(context, lu, &good, &seed), 1e-14, "before");
    for (int round = 0; round < 3; round++)
        CHECK_BELOW(lu_error(context, lu, &bad, &seed), 1e-14, "a pivot of 1e-16, round %d", round);
    for (int round = 0; round < 20; round++)
        CHECK_BELOW(lu_error(context, lu, &good, &seed), 1e-14, "after, round %d", round);
    phx_lu_stats(lu, &factors, &refactors, NULL, NULL);
    assert_int_equal(factors + refactors, 24);
    assert_in_range(factors, 2, 4); /* fronts audited, KLU's pivots, and no more than one new choice each */
    phx_fronts_destroy(fronts);
    phx_lu_destroy(lu);
    phx_csr_free(&good);
    phx_csr_free(&bad);
    free(order);
}

/* Links that joints lock to each other, from the free end to the ground: what the first joint carries turns with n^3
 * times the inertia of a link. Their factors have grown, and are as good as those of KLU once their solutions have been
 * looked at. */
static void test_a_locked_chain(void **state)
{
    static const int lengths[] = {20, 100, 1000, 4000};
    phx_context *context = *state;

    for (int k = 0; k < 4; k++) {
        const int links = lengths[k], n = 4 * links; /* y, angle, and the rows of the joint towards the ground */
        int *order = natural_order(n);
        uint64_t seed = 4;
        bool audited;
        triplets t = {0};
        phx_csr a;
        phx_fronts *fronts = NULL;
        phx_lu *lu = NULL;
        for (int b = 0; b < links; b++) {
            const int at = 4 * b;
            const double rows[2][4] = {{1.0, -0.5, -1.0, -0.5}, {0.0, 1.0, 0.0, -1.0}};
            put(&t, at, at, 1.0);
            put(&t, at + 1, at + 1, 1.0 / 12.0);
            for (int r = 0; r < 2; r++)
                for (int i = 0; i < (b + 1 < links ? 4 : 2); i++) {
                    const int unknown = i < 2 ? at + i : at + 2 + i;
                    put(&t, at + 2 + r, unknown, rows[r][i]);
                    put(&t, unknown, at + 2 + r, -rows[r][i]);
                }
        }
        CHECK_OK(context, phx_csr_from_triplets(context, n, n, (size_t)t.count, t.row, t.col, t.val, &a));
        CHECK_OK(context, phx_fronts_create(context, n, a.ptr, a.idx, order, false, &fronts));
        assert_true(phx_fronts_factor(fronts, a.val, &audited));
        assert_int_equal(phx_fronts_stand(fronts), links < 100);
        CHECK_OK(context, phx_lu_create(context, n, a.ptr, a.idx, order, false, &lu));
        for (int round = 0; round < 3; round++)
            CHECK_BELOW(lu_error(context, lu, &a, &seed), 1e-11, "%d links", links);
        phx_fronts_destroy(fronts);
        phx_lu_destroy(lu);
        phx_csr_free(&a);
        free(order);
        free(t.row);
        free(t.col);
        free(t.val);
    }
}

/* Pivots of all sizes before what is more and more nearly singular: whoever solves, the residual is small. */
static void test_small_pivots_before_dependent_rows(void **state)
{
    enum { N = 4 };
    phx_context *context = *state;
    int ptr[N + 1] = {0}, idx[N * N], order[N];
    uint64_t seed = 3;

    for (int i = 0; i < N; i++) {
        order[i] = i;
        ptr[i + 1] = (i + 1) * N;
        for (int j = 0; j < N; j++)
            idx[i * N + j] = j;
    }
    for (int tiny = 0; tiny <= 16; tiny++)
        for (int apart = 0; apart <= 10; apart++) {
            double val[N * N];
            phx_lu *lu = NULL;
            const phx_csr a = {N, N, ptr, idx, val};
            random_fill(&seed, N * N, val);
            val[0] = pow(10.0, -tiny);
            for (int j = 1; j < N; j++)
                val[3 * N + j] = val[2 * N + j] + pow(10.0, -apart) * val[3 * N + j];
            val[3 * N] = val[2 * N];
            CHECK_OK(context, phx_lu_create(context, N, ptr, idx, order, false, &lu));
            CHECK_BELOW(lu_error(context, lu, &a, &seed), 1e-10, "pivot 1e-%d, rows 1e-%d apart", tiny, apart);
            phx_lu_destroy(lu);
        }
}

/* Two rows of a joint turn parallel: first badly conditioned, at last singular. */
static void test_a_nearly_singular_mechanism(void **state)
{
    phx_context *context = *state;
    phx_csr a = mechanism_matrix(context, 5, &mechanisms[1]);
    int *order = natural_order(a.rows), column = -7;
    double *x = new_doubles((size_t)a.rows);
    uint64_t seed = 8;
    phx_lu *lu = NULL;

    CHECK_OK(context, phx_lu_create(context, a.rows, a.ptr, a.idx, order, false, &lu));
    for (double off = 1.0; off > 1e-9; off *= 0.1) { /* row 54 towards row 53 */
        for (int e = a.ptr[54]; e < a.ptr[55]; e++) {
            const int same = phx_csr_find(&a, 53, a.idx[e]);
            if (same >= 0)
                a.val[e] = a.val[same] + off * (a.idx[e] % 2 ? 0.5 : -0.3);
        }
        CHECK_BELOW(lu_error(context, lu, &a, &seed), 1e-11, "rows %g apart", off);
    }
    for (int e = a.ptr[54]; e < a.ptr[55]; e++)
        a.val[e] = phx_csr_find(&a, 53, a.idx[e]) >= 0 ? a.val[phx_csr_find(&a, 53, a.idx[e])] : 0.0;
    CHECK_STATUS(context, phx_lu_factor(lu, a.val, &column), PHX_SINGULAR);
    assert_in_range(column, 0, a.rows - 1);
    CHECK_STATUS(context, phx_lu_solve(lu, 1, x), PHX_ERR_ARGUMENT);
    phx_lu_destroy(lu);
    phx_csr_free(&a);
    free(order);
    free(x);
}

static void test_nothing_is_allocated_while_factoring(void **state)
{
    phx_context *context = *state;
    for (int k = 0; k < MECHANISMS; k++) {
        phx_csr a = mechanism_matrix(context, 5, &mechanisms[k]);
        double *x = new_doubles((size_t)a.rows);
        int *order = natural_order(a.rows);
        phx_lu *lu = NULL;
        CHECK_OK(context, phx_lu_create(context, a.rows, a.ptr, a.idx, order, false, &lu));
        const long before = allocations_made();
        for (int round = 0; round < 3; round++) {
            CHECK_OK(context, phx_lu_factor(lu, a.val, NULL));
            CHECK_OK(context, phx_lu_solve(lu, 1, x));
        }
        assert_int_equal(allocations_made(), before);
        phx_lu_destroy(lu);
        phx_csr_free(&a);
        free(order);
        free(x);
    }
}

static phx_status factor_both_ways(phx_context *context)
{
    const int ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1}, order[] = {0, 1};
    const double good[] = {1.0, 0.5, 0.5, 1.0}, bad[] = {0.0, 1.0, 1.0, 1.0};
    double x[2] = {1.0, 2.0};
    phx_lu *lu = NULL;
    phx_status status = phx_lu_create(context, 2, ptr, idx, order, false, &lu);
    if (!status)
        status = phx_lu_factor(lu, good, NULL);
    if (!status)
        status = phx_lu_factor(lu, bad, NULL);
    if (!status)
        status = phx_lu_solve(lu, 1, x);
    phx_lu_destroy(lu);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    assert_in_range(fail_each_allocation(*state, factor_both_ways), 40, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_mechanisms_are_solved_as_well_as_by_klu, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_size_of_front, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_reruns_agree_bit_by_bit, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_a_coordinate_without_mass, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_threads_change_nothing, context_setup, context_teardown),
#ifdef PHX_AVX2
        cmocka_unit_test_setup_teardown(test_every_processor_gives_the_same, context_setup, context_teardown),
#endif
        cmocka_unit_test_setup_teardown(test_values_that_are_not_finite_are_noticed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_a_wrong_order_falls_back, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_a_bad_pivot_falls_back_and_returns, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_a_locked_chain, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_small_pivots_before_dependent_rows, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_a_nearly_singular_mechanism, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_nothing_is_allocated_while_factoring, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
