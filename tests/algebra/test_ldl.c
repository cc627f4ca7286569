/* L D L^T: solutions against dense LU, any width, new values in old patterns, what has no factors. */
#include "support.h"
#include "algebra/algebra.h"

#include <float.h>

/* ---- matrices ---- */
typedef struct matrix {
    int n;
    double *dense;
    phx_csr pattern; /* with the values */
} matrix;

/* The entries of `dense` that are not zero, and the diagonal. */
static matrix from_dense(phx_context *context, int n, double *dense)
{
    matrix it = {.n = n, .dense = dense};
    const size_t size = (size_t)n;
    int *row = malloc((size * size + 1) * sizeof *row), *col = malloc((size * size + 1) * sizeof *col);
    double *val = new_doubles(size * size + 1);
    size_t count = 0;

    assert_true(row && col);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i == j || dense[i * n + j] != 0.0) {
                row[count] = i;
                col[count] = j;
                val[count++] = dense[i * n + j];
            }
    CHECK_OK(context, phx_csr_from_triplets(context, n, n, count, row, col, val, &it.pattern));
    free(row);
    free(col);
    free(val);
    return it;
}

static void release(matrix *it)
{
    free(it->dense);
    phx_csr_free(&it->pattern);
}

/* Entries of density `share` in [-1, 1) with a diagonal that outweighs its row, times `sign`. */
static matrix dominant(phx_context *context, uint64_t *seed, int n, double share, double sign)
{
    double *a = new_doubles((size_t)(n * n) + 1);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (random_number(seed) < 2.0 * share - 1.0)
                a[i * n + j] = a[j * n + i] = random_number(seed);
    for (int i = 0; i < n; i++) {
        double sum = 0.1;
        for (int j = 0; j < n; j++)
            sum += fabs(a[i * n + j]);
        a[i * n + i] = sign * sum;
    }
    return from_dense(context, n, a);
}

/* L D L^T with a sparse L and pivots of size 1 to 2 and any sign: every leading block is regular. */
static matrix indefinite(phx_context *context, uint64_t *seed, int n, double share)
{
    double *a = new_doubles((size_t)(n * n) + 1), *l = new_doubles((size_t)(n * n) + 1);

    for (int i = 0; i < n; i++) {
        l[i * n + i] = 1.0;
        for (int j = 0; j < i; j++)
            if (random_number(seed) < 2.0 * share - 1.0)
                l[i * n + j] = random_number(seed) / (1.0 + share * n);
    }
    for (int k = 0; k < n; k++) {
        const double pivot = (random_number(seed) < 0.0 ? -1.0 : 1.0) * (1.5 + 0.5 * random_number(seed));
        for (int i = k; i < n; i++)
            for (int j = k; j < n && l[i * n + k] != 0.0; j++)
                a[i * n + j] += l[i * n + k] * pivot * l[j * n + k];
    }
    free(l);
    return from_dense(context, n, a);
}

/* ---- checks ---- */
/* Backward error and distance from dense LU of `width` solutions side by side. */
static void check_solutions(phx_context *context, const phx_ldl *ldl, const matrix *it, int width, uint64_t *seed,
                            const char *what)
{
    const int n = it->n;
    const size_t count = (size_t)(n * width);
    double *b = new_doubles(count + 1), *x = new_doubles(count + 1), *y = new_doubles(count + 1);
    double *lu = new_doubles((size_t)(n * n) + 1);

    random_fill(seed, count, b);
    memcpy(x, b, count * sizeof *x);
    memcpy(y, b, count * sizeof *y);
    memcpy(lu, it->dense, (size_t)(n * n) * sizeof *lu);
    phx_ldl_solve(ldl, width, x);
    CHECK_OK(context, phx_dense_solve(context, n, lu, width, y));
    for (int i = 0; i < n; i++)
        for (int c = 0; c < width; c++) {
            long double sum = -b[i * width + c];
            double scale = fabs(b[i * width + c]);
            for (int j = 0; j < n; j++) {
                sum += (long double)it->dense[i * n + j] * x[j * width + c];
                scale += fabs(it->dense[i * n + j] * x[j * width + c]);
            }
            CHECK_BELOW(fabs((double)sum) / scale, 1e-13, "%s, size %d, width %d: equation %d, column %d", what, n,
                        width, i, c);
            CHECK_CLOSE(x[i * width + c], y[i * width + c], 1e-11 * (1.0 + max_abs((int)count, y)),
                        "%s, size %d, width %d: unknown %d, column %d against dense LU", what, n, width, i, c);
        }
    free(b);
    free(x);
    free(y);
    free(lu);
}

static phx_ldl *factored(phx_context *context, const matrix *it)
{
    phx_ldl *ldl = NULL;
    CHECK_OK(context, phx_ldl_create(context, it->n, it->pattern.ptr, it->pattern.idx, &ldl));
    CHECK_OK(context, phx_ldl_factor(ldl, it->pattern.val));
    return ldl;
}

static void check_matrix(phx_context *context, matrix it, uint64_t *seed, const char *what)
{
    const int widths[] = {1, 3, 6, 5, 2, 0};
    phx_ldl *ldl = factored(context, &it);

    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        check_solutions(context, ldl, &it, widths[k], seed, what);
    phx_ldl_destroy(ldl);
    release(&it);
}

/* ---- tests ---- */
static void test_matrices_of_every_kind(void **state)
{
    const int sizes[] = {0, 1, 2, 3, 7, 30, 90};
    const double shares[] = {0.0, 0.03, 0.2, 1.0}; /* diagonal to dense */
    uint64_t seed = 3;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
            check_matrix(*state, dominant(*state, &seed, sizes[s], shares[k], 1.0), &seed, "positive definite");
            check_matrix(*state, dominant(*state, &seed, sizes[s], shares[k], -1.0), &seed, "negative definite");
            check_matrix(*state, indefinite(*state, &seed, sizes[s], shares[k]), &seed, "indefinite");
        }
}

/* Zeros on the diagonal are allowed where elimination fills them: [2 1; 1 0], also without a place for it. */
static void test_zero_on_the_diagonal(void **state)
{
    const int ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1}, short_ptr[] = {0, 2, 3}, short_idx[] = {0, 1, 0};
    const double val[] = {2.0, 1.0, 1.0, 0.0}, short_val[] = {2.0, 1.0, 1.0};
    for (int k = 0; k < 2; k++) {
        double x[] = {5.0, 2.0}; /* 2 x + y = 5, x = 2 */
        phx_ldl *ldl = NULL;
        CHECK_OK(*state, phx_ldl_create(*state, 2, k ? short_ptr : ptr, k ? short_idx : idx, &ldl));
        CHECK_OK(*state, phx_ldl_factor(ldl, k ? short_val : val));
        phx_ldl_solve(ldl, 1, x);
        CHECK_CLOSE(x[0], 2.0, 1e-15, "x");
        CHECK_CLOSE(x[1], 1.0, 1e-15, "y");
        phx_ldl_destroy(ldl);
    }
}

/* Values above the diagonal are not read; columns may stand in any order. */
static void test_only_the_lower_triangle_is_read(void **state)
{
    uint64_t seed = 5;
    matrix it = dominant(*state, &seed, 25, 0.2, 1.0);
    const int nnz = it.pattern.ptr[it.n];
    int *idx = malloc((size_t)nnz * sizeof *idx);
    double *val = new_doubles((size_t)nnz);
    phx_ldl *ldl = NULL;

    assert_non_null(idx);
    for (int i = 0; i < it.n; i++)
        for (int e = it.pattern.ptr[i]; e < it.pattern.ptr[i + 1]; e++) {
            const int from = it.pattern.ptr[i] + it.pattern.ptr[i + 1] - 1 - e; /* the row backwards */
            idx[e] = it.pattern.idx[from];
            val[e] = idx[e] > i ? NAN : it.pattern.val[from];
        }
    CHECK_OK(*state, phx_ldl_create(*state, it.n, it.pattern.ptr, idx, &ldl));
    memset(idx, 0, (size_t)nnz * sizeof *idx); /* the pattern was copied */
    CHECK_OK(*state, phx_ldl_factor(ldl, val));
    check_solutions(*state, ldl, &it, 3, &seed, "lower triangle");
    phx_ldl_destroy(ldl);
    release(&it);
    free(idx);
    free(val);
}

/* Side by side or one by one, the arithmetic of a column is the same. */
static void test_columns_do_not_meet(void **state)
{
    enum { WIDTH = 6 };
    uint64_t seed = 6;
    matrix it = indefinite(*state, &seed, 40, 0.1);
    double *all = new_doubles((size_t)(it.n * WIDTH)), *one = new_doubles((size_t)it.n);
    phx_ldl *ldl = factored(*state, &it);

    random_fill(&seed, (size_t)(it.n * WIDTH), all);
    for (int i = 0; i < it.n; i++)
        one[i] = all[i * WIDTH + 4];
    phx_ldl_solve(ldl, WIDTH, all);
    phx_ldl_solve(ldl, 1, one);
    for (int i = 0; i < it.n; i++)
        CHECK_RELATIVE(all[i * WIDTH + 4], one[i], 8.0 * DBL_EPSILON, "row %d", i);
    phx_ldl_destroy(ldl);
    release(&it);
    free(all);
    free(one);
}

/* One symbolic analysis serves all values; the same values give the same factors whatever came between, a failure
 * included. Nothing is allocated. */
static void test_other_values(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 7;
    matrix it = dominant(context, &seed, 60, 0.1, 1.0);
    const int n = it.n, nnz = it.pattern.ptr[n];
    double *first = new_doubles((size_t)n), *again = new_doubles((size_t)n), *b = new_doubles((size_t)n);
    phx_ldl *ldl = factored(context, &it);

    random_fill(&seed, (size_t)n, b);
    memcpy(first, b, (size_t)n * sizeof *b);
    phx_ldl_solve(ldl, 1, first);
    for (int k = 0; k < 5; k++) {
        matrix other = dominant(context, &seed, n, 1.0, k % 2 ? -1.0 : 1.0);
        double *val = new_doubles((size_t)nnz);
        for (int i = 0; i < n; i++)
            for (int e = it.pattern.ptr[i]; e < it.pattern.ptr[i + 1]; e++)
                val[e] = other.dense[i * n + it.pattern.idx[e]];
        memset(other.dense, 0, (size_t)(n * n) * sizeof *other.dense);
        for (int i = 0; i < n; i++)
            for (int e = it.pattern.ptr[i]; e < it.pattern.ptr[i + 1]; e++)
                other.dense[i * n + it.pattern.idx[e]] = val[e];
        const long before = allocations_made();
        CHECK_OK(context, phx_ldl_factor(ldl, val));
        assert_int_equal(allocations_made() - before, 0);
        check_solutions(context, ldl, &other, 3, &seed, "other values");
        memset(val, 0, (size_t)nnz * sizeof *val);
        CHECK_STATUS(context, phx_ldl_factor(ldl, val), PHX_SINGULAR);
        CHECK_OK(context, phx_ldl_factor(ldl, it.pattern.val));
        memcpy(again, b, (size_t)n * sizeof *b);
        phx_ldl_solve(ldl, 1, again);
        assert_memory_equal(again, first, (size_t)n * sizeof *b);
        release(&other);
        free(val);
    }
    phx_ldl_destroy(ldl);
    release(&it);
    free(first);
    free(again);
    free(b);
}

static void test_what_has_no_factors_is_named(void **state)
{
    phx_context *context = *state;
    const int ptr[] = {0, 3, 6, 9}, idx[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    const struct {
        double val[9];
        const char *part;
    } bad[] = {
        {{0, 1, 0, 1, 0, 0, 0, 0, 1}, "pivot 1"},          /* regular, but not its first block */
        {{1, 1, 0, 1, 1, 0, 0, 0, 1}, "pivot 2"},          /* singular */
        {{1, 2, 3, 2, 5, 8, 3, 8, 13}, "pivot 3"},         /* the last row is 2 of the second less the first */
        {{1, 0, 0, 0, 1, 0, 0, 0, NAN}, "pivot 3"},        /* a NaN on the diagonal */
        {{1, 0, 0, NAN, 1, 0, 0, 0, 1}, "pivot 2"},        /* and below it */
        {{1, 0, 0, 0, HUGE_VAL, 0, 0, 0, 1}, "pivot 2"},   /* not finite */
        {{1, 0, 0, 0, 3, 0, 0, 1e-16, 3e-32}, NULL},       /* tiny, but not by cancellation */
        {{1, 1, 0, 1, 1 + 1e-15, 0, 0, 0, 1}, "pivot 2"},  /* cancelled to rounding */
        {{1, 1, 0, 1, 1 + 1e-12, 0, 0, 0, 1}, NULL},       /* not quite */
        {{1e-200, 0, 0, 0, 1e200, 0, 0, 0, 1e-100}, NULL}, /* whatever the units */
    };
    phx_ldl *ldl = NULL;

    CHECK_OK(context, phx_ldl_create(context, 3, ptr, idx, &ldl));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        CHECK_STATUS(context, phx_ldl_factor(ldl, bad[k].val), bad[k].part ? PHX_SINGULAR : PHX_OK);
        if (!bad[k].part)
            continue;
        CHECK_MESSAGE(context, bad[k].part);
        CHECK_MESSAGE(context, "size 3");
    }
    phx_ldl_destroy(ldl);
    phx_ldl_destroy(NULL);
}

static phx_status factor_and_solve(phx_context *context)
{
    const int ptr[] = {0, 2, 5, 7}, idx[] = {0, 1, 0, 1, 2, 1, 2};
    const double val[] = {2.0, -1.0, -1.0, 2.0, -1.0, -1.0, 2.0};
    double x[] = {1.0, 2.0, 3.0};
    phx_ldl *ldl = NULL;
    phx_status status = phx_ldl_create(context, 3, ptr, idx, &ldl);

    if (status) {
        assert_null(ldl);
        return status;
    }
    status = phx_ldl_factor(ldl, val);
    phx_ldl_solve(ldl, 1, x);
    CHECK_CLOSE(x[0], 2.5, 1e-15, "first of the solution");
    phx_ldl_destroy(ldl);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    assert_in_range(fail_each_allocation(*state, factor_and_solve), 5, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_matrices_of_every_kind, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_zero_on_the_diagonal, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_only_the_lower_triangle_is_read, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_columns_do_not_meet, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_other_values, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_what_has_no_factors_is_named, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
