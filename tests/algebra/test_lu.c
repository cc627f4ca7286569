/* Sparse LU: residuals, saddle-point matrices, reuse of pivots, what survives a failure. */
#include "support.h"
#include "algebra/internal.h"

/* ---- matrices ---- */
/* A random pattern with a full diagonal and about `per_row` entries in a row, values 1. */
static phx_csr random_pattern(phx_context *context, uint64_t *seed, int n, int per_row)
{
    int count = n * per_row, *row = malloc((size_t)count * sizeof(int)), *col = malloc((size_t)count * sizeof(int));
    assert_true(row && col);
    for (int k = 0; k < count; k++) {
        row[k] = k / per_row;
        col[k] = k % per_row == 0 ? row[k] : random_index(seed, n);
    }
    phx_csr a;
    CHECK_OK(context, phx_csr_from_triplets(context, n, n, (size_t)count, row, col, NULL, &a));
    free(row);
    free(col);
    return a;
}

/* The saddle-point matrix of a plane chain of `bodies` bodies,
 *
 *     [ M  G^T ]   M: 3 x 3 blocks, symmetric positive definite,
 *     [ G  0   ]   G: two rows for each joint, between a body and the one before (or the ground),
 *
 * unknowns in the order body, joint, body, joint, ...; `extra` rows are combinations of the rows of two joints. */
typedef struct chain {
    int bodies, extra, n, count;
    int *row, *col;
    double *val;
} chain;

static void chain_add(chain *c, int i, int j, double value)
{
    c->row[c->count] = i;
    c->col[c->count] = j;
    c->val[c->count++] = value;
}

static void chain_constraint(chain *c, int row, int body, const double *g)
{
    for (int i = 0; i < 3; i++) {
        chain_add(c, row, 5 * body + i, g[i]);
        chain_add(c, 5 * body + i, row, g[i]);
    }
}

static phx_csr chain_matrix(phx_context *context, uint64_t seed, double mass, int bodies, int extra)
{
    size_t room = (size_t)bodies * 40 + (size_t)extra * 40;
    chain c = {.bodies = bodies, .extra = extra, .n = 5 * bodies + extra};
    c.row = malloc(room * sizeof(int));
    c.col = malloc(room * sizeof(int));
    c.val = malloc(room * sizeof(double));
    double *g = new_doubles((size_t)bodies * 12);
    assert_true(c.row && c.col && c.val);
    for (int b = 0; b < bodies; b++) {
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++) {
                double value = mass * (i == j ? 3.0 + random_number(&seed) : 0.5 * random_number(&seed));
                chain_add(&c, 5 * b + i, 5 * b + j, value);
                if (j > i)
                    chain_add(&c, 5 * b + j, 5 * b + i, value);
            }
        for (int r = 0; r < 2; r++) {
            double *g_r = g + 12 * b + 6 * r;
            random_fill(&seed, 6, g_r);
            chain_add(&c, 5 * b + 3 + r, 5 * b + 3 + r, 0.0);
            chain_constraint(&c, 5 * b + 3 + r, b, g_r);
            if (b > 0)
                chain_constraint(&c, 5 * b + 3 + r, b - 1, g_r + 3);
        }
    }
    for (int e = 0; e < extra; e++) {
        int joint = 1 + random_index(&seed, bodies - 1), row = 5 * bodies + e;
        chain_add(&c, row, row, 0.0);
        for (int r = 0; r < 2; r++) {
            double weighted[6], weight = 0.5 + fabs(random_number(&seed));
            for (int i = 0; i < 6; i++)
                weighted[i] = weight * g[12 * joint + 6 * r + i];
            chain_constraint(&c, row, joint, weighted);
            chain_constraint(&c, row, joint - 1, weighted + 3);
        }
    }
    phx_csr a;
    CHECK_OK(context, phx_csr_from_triplets(context, c.n, c.n, (size_t)c.count, c.row, c.col, c.val, &a));
    free(c.row);
    free(c.col);
    free(c.val);
    free(g);
    return a;
}

/* ---- checks ---- */
/* Solve with two right-hand sides and return the larger backward error. */
static double solve_error(phx_context *context, phx_lu *lu, const phx_csr *a, const double *val, bool is_complex,
                          uint64_t *seed)
{
    size_t count = (size_t)a->rows * (is_complex ? 2 : 1);
    double *b = new_doubles(2 * count), *x = new_doubles(2 * count);
    random_fill(seed, 2 * count, b);
    memcpy(x, b, 2 * count * sizeof(double));
    CHECK_OK(context, phx_lu_solve(lu, 2, x));
    double first = backward_error(a, val, is_complex, x, b),
           second = backward_error(a, val, is_complex, x + count, b + count);
    free(b);
    free(x);
    return isnan(first) || isnan(second) ? NAN : fmax(first, second);
}

static int *shuffled(uint64_t *seed, int n)
{
    int *order = malloc((size_t)n * sizeof(int));
    assert_non_null(order);
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = random_index(seed, i + 1), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    return order;
}

/* ---- tests ---- */
static void test_random_matrices(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 1;
    const int sizes[] = {1, 2, 5, 30, 200};
    for (int s = 0; s < 5; s++) {
        for (int variant = 0; variant < 4; variant++) {
            int n = sizes[s];
            bool is_complex = variant & 1, ordered = variant & 2;
            phx_csr a = random_pattern(context, &seed, n, 4);
            size_t scalars = (size_t)a.ptr[n] * (is_complex ? 2 : 1);
            int *order = shuffled(&seed, n);
            double *val = new_doubles(scalars);
            phx_lu *lu = NULL;
            CHECK_OK(context, phx_lu_create(context, n, a.ptr, a.idx, ordered ? order : NULL, is_complex, &lu));
            for (int round = 0; round < 3; round++) {
                random_fill(&seed, scalars, val);
                CHECK_OK(context, phx_lu_factor(lu, val, NULL));
                CHECK_BELOW(solve_error(context, lu, &a, val, is_complex, &seed), 1e-11,
                            "A x = b, size %d, complex %d, ordered %d, round %d", n, is_complex, ordered, round);
            }
            phx_lu_destroy(lu);
            phx_csr_free(&a);
            free(order);
            free(val);
        }
    }
}

static void test_nothing_is_conjugated_or_transposed(void **state)
{
    phx_context *context = *state;
    /* [2, 1+i; 0, i] x = (3 + i, -1) has x = (1, i): 2 + (1+i) i = 1 + i ... checked below by hand */
    const int ptr[] = {0, 2, 3}, idx[] = {0, 1, 1};
    const double val[] = {2.0, 0.0, 1.0, 1.0, 0.0, 1.0};
    double x[] = {1.0, 1.0, -1.0, 0.0}; /* 2*1 + (1+i) i = 2 + i - 1 = 1 + i;  i*i = -1 */
    phx_lu *lu = NULL;
    CHECK_OK(context, phx_lu_create(context, 2, ptr, idx, NULL, true, &lu));
    CHECK_OK(context, phx_lu_factor(lu, val, NULL));
    CHECK_OK(context, phx_lu_solve(lu, 1, x));
    const double want[] = {1.0, 0.0, 0.0, 1.0};
    CHECK_BELOW(difference(4, x, want), 1e-15, "x = (1, i)");
    phx_lu_destroy(lu);
}

static void test_saddle_points_of_chains(void **state)
{
    phx_context *context = *state;
    const int lengths[] = {1, 2, 10, 300};
    const double masses[] = {1e-6, 1.0, 1e6};
    for (int l = 0; l < 4; l++) {
        for (int m = 0; m < 3; m++) {
            uint64_t seed = 7;
            phx_csr a = chain_matrix(context, 5, masses[m], lengths[l], 0);
            int n = a.rows, column = 5, *natural = malloc((size_t)n * sizeof(int));
            assert_non_null(natural);
            for (int i = 0; i < n; i++)
                natural[i] = i;
            for (int ordered = 0; ordered < 2; ordered++) {
                phx_lu *lu = NULL;
                CHECK_OK(context, phx_lu_create(context, n, a.ptr, a.idx, ordered ? natural : NULL, false, &lu));
                CHECK_OK(context, phx_lu_factor(lu, a.val, &column));
                assert_int_equal(column, -1);
                CHECK_BELOW(solve_error(context, lu, &a, a.val, false, &seed), 1e-11,
                            "chain of %d, mass %g, ordered %d", lengths[l], masses[m], ordered);
                long entries = 0;
                phx_lu_stats(lu, NULL, NULL, NULL, &entries);
                /* the order of the chain gives a banded factor */
                if (ordered)
                    assert_in_range(entries, n, 14 * n);
                phx_lu_destroy(lu);
            }
            free(natural);
            phx_csr_free(&a);
        }
    }
}

static void test_refactoring_allocates_nothing_and_stays_accurate(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 3;
    enum { BODIES = 40, ROUNDS = 50 };
    phx_csr a = chain_matrix(context, 5, 1.0, BODIES, 0);
    double *x = new_doubles((size_t)a.rows), *b = new_doubles((size_t)a.rows);
    phx_lu *lu = NULL;
    CHECK_OK(context, phx_lu_create(context, a.rows, a.ptr, a.idx, NULL, false, &lu));
    CHECK_OK(context, phx_lu_factor(lu, a.val, NULL));
    long before = allocations_made();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < a.rows; i++)
            for (int k = a.ptr[i]; k < a.ptr[i + 1]; k++)
                a.val[k] *= 1.0 + 0.02 * random_number(&seed);
        random_fill(&seed, (size_t)a.rows, b);
        memcpy(x, b, (size_t)a.rows * sizeof(double));
        CHECK_OK(context, phx_lu_factor(lu, a.val, NULL));
        CHECK_OK(context, phx_lu_solve(lu, 1, x));
        CHECK_BELOW(backward_error(&a, a.val, false, x, b), 1e-11, "round %d", round);
    }
    assert_int_equal(allocations_made(), before);
    long factors, refactors, solves;
    phx_lu_stats(lu, &factors, &refactors, &solves, NULL);
    assert_int_equal(factors, 1);
    assert_int_equal(refactors, ROUNDS);
    assert_int_equal(solves, ROUNDS);
    phx_lu_destroy(lu);
    phx_csr_free(&a);
    free(x);
    free(b);
}

static void test_a_lost_pivot_makes_it_pivot_anew(void **state)
{
    phx_context *context = *state;
    const int ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1}, order[] = {0, 1};
    const double sound[] = {1.0, 0.5, 0.5, 1.0}, lost[] = {1e-14, 1.0, 1.0, 1.0}, gone[] = {0.0, 1.0, 1.0, 1.0};
    const double *rounds[] = {sound, lost, sound, gone, sound, sound};
    const long factors_after[] = {1, 2, 2, 2, 2, 2};
    phx_csr a = {2, 2, (int[]){0, 2, 4}, (int[]){0, 1, 0, 1}, NULL};
    uint64_t seed = 4;
    phx_lu *lu = NULL;
    CHECK_OK(context, phx_lu_create(context, 2, ptr, idx, order, false, &lu));
    for (int round = 0; round < 6; round++) {
        CHECK_OK(context, phx_lu_factor(lu, rounds[round], NULL));
        CHECK_BELOW(solve_error(context, lu, &a, rounds[round], false, &seed), 1e-15, "round %d", round);
        long factors;
        phx_lu_stats(lu, &factors, NULL, NULL, NULL);
        assert_int_equal(factors, factors_after[round]);
    }
    phx_lu_destroy(lu);
}

/* Values that jump over decades from call to call: whatever is reused, results must be about as good as with pivots
 * chosen for these values. */
static void test_wild_changes_stay_accurate(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 6;
    long anew = 0, reused = 0;
    double worst = 0.0, worst_fresh = 0.0;
    for (int trial = 0; trial < 60; trial++) {
        bool is_complex = trial % 2, saddle = trial % 3 == 0;
        phx_csr a = saddle ? chain_matrix(context, 5, 1.0, 12, 0) : random_pattern(context, &seed, 60, 4);
        size_t scalars = (size_t)a.ptr[a.rows] * (is_complex ? 2 : 1);
        double *val = new_doubles(scalars), decades = 0.2 * (trial % 8);
        phx_lu *lu = NULL, *fresh = NULL;
        CHECK_OK(context, phx_lu_create(context, a.rows, a.ptr, a.idx, NULL, is_complex, &lu));
        for (size_t k = 0; k < scalars; k++)
            val[k] = saddle ? a.val[is_complex ? k / 2 : k] : random_number(&seed);
        for (int round = 0; round < 20; round++) {
            for (size_t k = 0; k < scalars; k++)
                val[k] *= pow(10.0, decades * random_number(&seed));
            CHECK_OK(context, phx_lu_create(context, a.rows, a.ptr, a.idx, NULL, is_complex, &fresh));
            CHECK_OK(context, phx_lu_factor(fresh, val, NULL));
            CHECK_OK(context, phx_lu_factor(lu, val, NULL));
            uint64_t same = seed;
            worst_fresh = fmax(worst_fresh, solve_error(context, fresh, &a, val, is_complex, &same));
            double error = solve_error(context, lu, &a, val, is_complex, &seed);
            CHECK_BELOW(error, 1e-8, "trial %d, round %d, steps of %g decades", trial, round, decades);
            worst = fmax(worst, error);
            phx_lu_destroy(fresh);
        }
        long factors, refactors;
        phx_lu_stats(lu, &factors, &refactors, NULL, NULL);
        anew += factors;
        reused += refactors;
        phx_lu_destroy(lu);
        phx_csr_free(&a);
        free(val);
    }
    CHECK_BELOW(worst, 10.0 * worst_fresh, "worst error with pivots reused against pivots chosen anew");
    assert_in_range(anew, 200, 1000); /* both ways were taken */
    assert_in_range(reused, 200, 1000);
}

/* After phx_lu_forget a solution is that of a new object, bit by bit, whatever was factored before and by whom. */
static void test_what_was_factored_is_forgotten(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 9;
    for (int trial = 0; trial < 24; trial++) {
        const bool is_complex = trial % 2, saddle = trial % 3 == 0;
        phx_csr a = saddle ? chain_matrix(context, 5, 1.0, 12, 0) : random_pattern(context, &seed, 60, 4);
        const size_t n = (size_t)a.rows * (is_complex ? 2 : 1), scalars = (size_t)a.ptr[a.rows] * (is_complex ? 2 : 1);
        double *val = new_doubles(scalars), *wild = new_doubles(scalars), *x = new_doubles(2 * n), *y = x + n;
        phx_lu *used = NULL, *fresh = NULL;
        CHECK_OK(context, phx_lu_create(context, a.rows, a.ptr, a.idx, NULL, is_complex, &used));
        CHECK_OK(context, phx_lu_create(context, a.rows, a.ptr, a.idx, NULL, is_complex, &fresh));
        for (size_t k = 0; k < scalars; k++) {
            val[k] = saddle ? a.val[is_complex ? k / 2 : k] : random_number(&seed);
            wild[k] = val[k];
        }
        for (int round = 0; round < 8; round++) {
            for (size_t k = 0; k < scalars; k++)
                wild[k] *= pow(10.0, 0.3 * (trial % 8) * random_number(&seed));
            CHECK_OK(context, phx_lu_factor(used, wild, NULL));
        }
        phx_lu_forget(used);
        for (size_t k = 0; k < n; k++)
            x[k] = y[k] = random_number(&seed);
        CHECK_STATUS(context, phx_lu_solve(used, 1, x), PHX_ERR_ARGUMENT);
        CHECK_OK(context, phx_lu_factor(used, val, NULL));
        CHECK_OK(context, phx_lu_factor(fresh, val, NULL));
        CHECK_OK(context, phx_lu_solve(used, 1, x));
        CHECK_OK(context, phx_lu_solve(fresh, 1, y));
        for (size_t k = 0; k < n; k++)
            if (x[k] != y[k])
                fail_msg("trial %d, entry %zu: %.17g, of a new object %.17g", trial, k, x[k], y[k]);
        phx_lu_destroy(used);
        phx_lu_destroy(fresh);
        phx_csr_free(&a);
        free(val);
        free(wild);
        free(x);
    }
}

static void test_redundant_constraints_are_singular(void **state)
{
    phx_context *context = *state;
    const int lengths[] = {3, 30, 300};
    for (int l = 0; l < 3; l++) {
        for (int trial = 0; trial < 60; trial++) {
            uint64_t seed = (uint64_t)trial + 1;
            phx_csr a = chain_matrix(context, seed, pow(10.0, 3.0 * random_number(&seed)), lengths[l], 1);
            int n = a.rows, column = -7, *natural = malloc((size_t)n * sizeof(int));
            assert_non_null(natural);
            for (int i = 0; i < n; i++)
                natural[i] = i;
            phx_lu *lu = NULL;
            CHECK_OK(context, phx_lu_create(context, n, a.ptr, a.idx, trial % 2 ? natural : NULL, false, &lu));
            CHECK_STATUS(context, phx_lu_factor(lu, a.val, &column), PHX_SINGULAR);
            assert_in_range(column, 0, n - 1);
            if (trial % 2)
                assert_int_equal(column, n - 1); /* the redundant row, eliminated last */
            char want[40];
            snprintf(want, sizeof want, "equation %d depends", column);
            assert_non_null(strstr(phx_context_message(context), want));
            phx_lu_destroy(lu);
            free(natural);
            phx_csr_free(&a);
        }
    }
}

static void test_bad_scaling_is_not_singular(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 12;
    phx_csr a = chain_matrix(context, 5, 1.0, 20, 0);
    for (int trial = 0; trial < 20; trial++) {
        phx_csr scaled;
        CHECK_OK(context, phx_csr_copy(context, &a, &scaled));
        double *d = new_doubles((size_t)a.rows);
        for (int i = 0; i < a.rows; i++)
            d[i] = pow(10.0, 8.0 * random_number(&seed));
        for (int i = 0; i < a.rows; i++)
            for (int k = a.ptr[i]; k < a.ptr[i + 1]; k++)
                scaled.val[k] *= d[i] * d[a.idx[k]];
        phx_lu *lu = NULL;
        CHECK_OK(context, phx_lu_create(context, a.rows, a.ptr, a.idx, NULL, false, &lu));
        CHECK_OK(context, phx_lu_factor(lu, scaled.val, NULL));
        phx_lu_destroy(lu);
        phx_csr_free(&scaled);
        free(d);
    }
    phx_csr_free(&a);
}

/* Factor what fails in each way: nothing solves then; factored again, `a` solves as before, bit for bit. */
static void test_a_failure_leaves_nothing_behind(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 9;
    for (int is_complex = 0; is_complex < 2; is_complex++) {
        phx_csr a = random_pattern(context, &seed, 50, 4);
        size_t n = (size_t)a.rows * (is_complex ? 2 : 1), scalars = (size_t)a.ptr[a.rows] * (is_complex ? 2 : 1);
        double *val = new_doubles(scalars), *bad = new_doubles(scalars), *b = new_doubles(n), *before = new_doubles(n),
               *after = new_doubles(n);
        phx_lu *lu = NULL;
        CHECK_OK(context, phx_lu_create(context, a.rows, a.ptr, a.idx, NULL, is_complex, &lu));
        random_fill(&seed, scalars, val);
        random_fill(&seed, n, b);
        int column = 0;
        for (int reused = 0; reused < 2; reused++) {
            /* the second time round the factors come from a refactorisation */
            CHECK_OK(context, phx_lu_factor(lu, val, NULL));
            memcpy(before, b, n * sizeof(double));
            CHECK_OK(context, phx_lu_solve(lu, 1, before));
            const double values[] = {0.0, NAN, INFINITY, 1e-6};
            for (int v = 0; v < 4; v++) {
                const int row = 31;
                memcpy(bad, val, scalars * sizeof(double));
                size_t width = is_complex ? 2 : 1;
                if (v < 3)
                    for (size_t k = (size_t)a.ptr[row] * width; k < (size_t)a.ptr[row + 1] * width; k++)
                        bad[k] = values[v];
                else
                    for (size_t k = 0; k < scalars; k++)
                        bad[k] *= pow(values[v], random_number(&seed)); /* new pivots, but no memory for them */
                fail_suitesparse_allocation(v == 3 ? 1 : -1);
                CHECK_STATUS(context, phx_lu_factor(lu, bad, &column), v == 3 ? PHX_ERR_MEMORY : PHX_SINGULAR);
                fail_suitesparse_allocation(-1);
                if (v == 1 || v == 2)
                    assert_int_equal(column, row);
                memcpy(after, b, n * sizeof(double));
                CHECK_STATUS(context, phx_lu_solve(lu, 1, after), PHX_ERR_ARGUMENT);
                assert_memory_equal(after, b, n * sizeof(double));
                CHECK_OK(context, phx_lu_factor(lu, val, NULL));
                CHECK_OK(context, phx_lu_solve(lu, 1, after));
                assert_memory_equal(after, before, n * sizeof(double));
            }
        }
        phx_lu_destroy(lu);
        phx_csr_free(&a);
        double *all[] = {val, bad, b, before, after};
        for (int k = 0; k < 5; k++)
            free(all[k]);
    }
}

static void test_trivial_sizes(void **state)
{
    phx_context *context = *state;
    const int ptr[] = {0, 1}, idx[] = {0};
    double x = 6.0, value = 2.0;
    int column = 3;
    phx_lu *lu = NULL;
    CHECK_OK(context, phx_lu_create(context, 0, ptr, idx, NULL, false, &lu));
    CHECK_OK(context, phx_lu_factor(lu, NULL, &column));
    CHECK_OK(context, phx_lu_solve(lu, 1, NULL));
    phx_lu_destroy(lu);
    CHECK_OK(context, phx_lu_create(context, 1, ptr, idx, NULL, false, &lu));
    CHECK_STATUS(context, phx_lu_solve(lu, 1, &x), PHX_ERR_ARGUMENT);
    value = 0.0;
    CHECK_STATUS(context, phx_lu_factor(lu, &value, &column), PHX_SINGULAR);
    assert_int_equal(column, 0);
    value = 2.0;
    CHECK_OK(context, phx_lu_factor(lu, &value, NULL));
    value = 0.0;
    CHECK_STATUS(context, phx_lu_factor(lu, &value, &column), PHX_SINGULAR);
    CHECK_STATUS(context, phx_lu_solve(lu, 1, &x), PHX_ERR_ARGUMENT);
    value = 2.0;
    CHECK_OK(context, phx_lu_factor(lu, &value, NULL));
    CHECK_OK(context, phx_lu_solve(lu, 1, &x));
    assert_true(x == 3.0);
    CHECK_OK(context, phx_lu_solve(lu, 0, NULL));
    CHECK_STATUS(context, phx_lu_solve(lu, -1, &x), PHX_ERR_ARGUMENT);
    phx_lu_destroy(lu);
    phx_lu_destroy(NULL);
    /* a row without entries */
    const int hole_ptr[] = {0, 1, 1}, hole_idx[] = {0};
    const double one = 1.0;
    CHECK_OK(context, phx_lu_create(context, 2, hole_ptr, hole_idx, NULL, false, &lu));
    CHECK_STATUS(context, phx_lu_factor(lu, &one, &column), PHX_SINGULAR);
    assert_int_equal(column, 1);
    phx_lu_destroy(lu);
}

static void test_bad_arguments_are_named(void **state)
{
    phx_context *context = *state;
    const int ptr[] = {0, 2, 3}, idx[] = {0, 1, 1}, falling[] = {0, 2, 1}, start[] = {1, 2, 3}, twice[] = {1, 1, 1},
              outside[] = {0, 2, 1}, not_sorted[] = {1, 0, 1}, order[] = {1, 1}, far[] = {0, 2}, good[] = {1, 0};
    phx_lu *lu = NULL;
    CHECK_STATUS(context, phx_lu_create(context, -1, ptr, idx, NULL, false, &lu), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_lu_create(context, 2, falling, idx, NULL, false, &lu), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_lu_create(context, 2, start, idx, NULL, false, &lu), PHX_ERR_ARGUMENT);
    const int *bad[] = {twice, outside, not_sorted};
    for (int k = 0; k < 3; k++) {
        CHECK_STATUS(context, phx_lu_create(context, 2, ptr, bad[k], NULL, false, &lu), PHX_ERR_ARGUMENT);
        assert_non_null(strstr(phx_context_message(context), "in row 0"));
    }
    CHECK_STATUS(context, phx_lu_create(context, 2, ptr, idx, order, false, &lu), PHX_ERR_ARGUMENT);
    assert_non_null(strstr(phx_context_message(context), "order[1] = 1"));
    CHECK_STATUS(context, phx_lu_create(context, 2, ptr, idx, far, false, &lu), PHX_ERR_ARGUMENT);
    assert_null(lu);
    CHECK_OK(context, phx_lu_create(context, 2, ptr, idx, good, false, &lu));
    phx_lu_destroy(lu);
}

static phx_status factor_and_solve(phx_context *context)
{
    const int ptr[] = {0, 2, 4, 6}, idx[] = {0, 1, 0, 1, 0, 2}, order[] = {2, 0, 1};
    const double val[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0};
    double x[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    phx_lu *real = NULL, *complex = NULL;
    phx_status status = phx_lu_create(context, 3, ptr, idx, order, false, &real);
    if (!status)
        status = phx_lu_create(context, 3, ptr, idx, NULL, true, &complex);
    if (!status)
        status = phx_lu_factor(real, val, NULL);
    if (!status)
        status = phx_lu_factor(complex, val, NULL);
    if (!status)
        status = phx_lu_solve(complex, 1, x);
    phx_lu_destroy(real);
    phx_lu_destroy(complex);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    assert_in_range(fail_each_allocation(*state, factor_and_solve), 40, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_matrices, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_nothing_is_conjugated_or_transposed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_saddle_points_of_chains, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_refactoring_allocates_nothing_and_stays_accurate, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(test_a_lost_pivot_makes_it_pivot_anew, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_wild_changes_stay_accurate, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_what_was_factored_is_forgotten, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_redundant_constraints_are_singular, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bad_scaling_is_not_singular, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_a_failure_leaves_nothing_behind, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_trivial_sizes, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bad_arguments_are_named, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
