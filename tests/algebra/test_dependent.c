/* Dependent columns of sparse matrices against dense ranks. */
#include "support.h"
#include "algebra/internal.h"

static const double RTOL = 1e-10;

/* The columns that do not raise the dense rank of those before them. */
static int reference_dependent(phx_context *context, int rows, int cols, const double *dense, int *dependent)
{
    int count = 0, before = 0;
    double *leading = new_doubles((size_t)rows * (size_t)cols);
    for (int j = 0; j < cols; j++) {
        int rank = 0;
        for (int i = 0; i < rows; i++)
            for (int k = 0; k <= j; k++)
                leading[i * (j + 1) + k] = dense[i * cols + k];
        CHECK_OK(context, phx_dense_rrqr(context, rows, j + 1, leading, RTOL, &rank, NULL, NULL));
        if (rank == before)
            dependent[count++] = j;
        before = rank;
    }
    free(leading);
    return count;
}

static void check_matrix(phx_context *context, int rows, int cols, const double *dense, const char *what)
{
    phx_csr a;
    int rank = -1, n_dependent = -1, *found = malloc(((size_t)cols + 1) * sizeof(int)),
        *want = malloc(((size_t)cols + 1) * sizeof(int));
    assert_true(found && want);
    CHECK_OK(context, phx_csr_from_dense(context, rows, cols, dense, 0.0, &a));
    CHECK_OK(context, phx_csr_dependent_columns(context, &a, RTOL, &rank, found, &n_dependent));
    int n_want = reference_dependent(context, rows, cols, dense, want);
    bool equal = n_dependent == n_want && rank == cols - n_want;
    for (int k = 0; k < n_want && equal; k++)
        equal = found[k] == want[k];
    if (!equal) {
        print_error("%s, %d x %d: rank %d, dependent", what, rows, cols, rank);
        for (int k = 0; k < n_dependent; k++)
            print_error(" %d", found[k]);
        print_error("; by dense rank");
        for (int k = 0; k < n_want; k++)
            print_error(" %d", want[k]);
        print_error("\n");
        fail();
    }
    phx_csr_free(&a);
    free(found);
    free(want);
}

/* Random sparse columns; some are empty, some copies, some combinations of two earlier ones. */
static void fill_deficient(uint64_t *seed, int rows, int cols, double fill, double *dense)
{
    for (int j = 0; j < cols; j++) {
        int kind = random_index(seed, 8), p = j > 0 ? random_index(seed, j) : 0, q = j > 0 ? random_index(seed, j) : 0;
        double u = random_number(seed), v = random_number(seed);
        for (int i = 0; i < rows; i++) {
            double value = fabs(random_number(seed)) < fill ? random_number(seed) : 0.0;
            if (kind == 0)
                value = 0.0;
            else if (kind == 1 && j > 0)
                value = dense[i * cols + p];
            else if (kind == 2 && j > 0)
                value = u * dense[i * cols + p] + v * dense[i * cols + q];
            dense[i * cols + j] = value;
        }
    }
}

static void test_random_deficient_matrices(void **state)
{
    uint64_t seed = 1;
    const int shapes[][2] = {{1, 1}, {1, 6}, {6, 1}, {5, 5}, {8, 20}, {20, 8}, {30, 30}, {40, 25}, {25, 40}};
    const double fills[] = {0.05, 0.15, 0.4, 1.0};
    for (int s = 0; s < 9; s++) {
        for (int trial = 0; trial < 60; trial++) {
            int rows = shapes[s][0], cols = shapes[s][1];
            double *dense = new_doubles((size_t)rows * (size_t)cols);
            fill_deficient(&seed, rows, cols, fills[trial % 4], dense);
            check_matrix(*state, rows, cols, dense, "random");
            free(dense);
        }
    }
}

/* The transposed constraint Jacobian of a plane chain with closed loops and joints given twice: columns are the
 * constraints, rows the velocities of the bodies. */
static void test_constraints_of_loops(void **state)
{
    uint64_t seed = 2;
    for (int trial = 0; trial < 60; trial++) {
        enum { BODIES = 8, JOINTS = 12, ROWS = 3 * BODIES, COLS = 2 * JOINTS };
        double *dense = new_doubles(ROWS * COLS);
        for (int joint = 0; joint < JOINTS; joint++) {
            int source = joint > 8 ? random_index(&seed, 8) : joint; /* the last ones repeat others */
            for (int r = 0; r < 2; r++) {
                int column = 2 * joint + r;
                for (int i = 0; i < 6; i++) {
                    int body = (source + i / 3) % BODIES;
                    dense[(3 * body + i % 3) * COLS + column] =
                        joint > 8 ? dense[(3 * body + i % 3) * COLS + 2 * source + r] : random_number(&seed);
                }
            }
        }
        check_matrix(*state, ROWS, COLS, dense, "loops");
        free(dense);
    }
}

static void test_large_sparse_matrix(void **state)
{
    phx_context *context = *state;
    /* Columns e_k - e_(k+1) of a path, then edges that close a loop: each of these depends on those before. */
    enum { NODES = 20000, EXTRA = 50 };
    int count = 0, *row = malloc(4 * NODES * sizeof(int)), *col = malloc(4 * NODES * sizeof(int));
    double *val = new_doubles(4 * NODES);
    uint64_t seed = 3;
    assert_true(row && col);
    int *dependent = malloc((NODES + EXTRA) * sizeof(int)), *want = malloc(EXTRA * sizeof(int)), n_want = 0, edge = 0;
    assert_true(dependent && want);
    for (int node = 0; node + 1 < NODES; node++) {
        bool loop = node > 10 && n_want < EXTRA && random_index(&seed, 100) == 0;
        for (int e = 0; e < (loop ? 2 : 1); e++) {
            int from = e == 0 ? node : node - 5;
            if (e == 1)
                want[n_want++] = edge;
            row[count] = from;
            col[count] = edge;
            val[count++] = 1.0;
            row[count] = node + 1;
            col[count] = edge++;
            val[count++] = -1.0;
        }
    }
    phx_csr a;
    int rank, n_dependent;
    CHECK_OK(context, phx_csr_from_triplets(context, NODES, edge, (size_t)count, row, col, val, &a));
    CHECK_OK(context, phx_csr_dependent_columns(context, &a, RTOL, &rank, dependent, &n_dependent));
    assert_int_equal(rank, NODES - 1);
    assert_int_equal(n_dependent, EXTRA);
    assert_memory_equal(dependent, want, EXTRA * sizeof(int));
    phx_csr_free(&a);
    free(row);
    free(col);
    free(val);
    free(dependent);
    free(want);
}

static void test_the_tolerance_is_relative_to_the_longest_column(void **state)
{
    phx_context *context = *state;
    /* columns (3, 4), (0, 2e-8): orthogonal part of the second is 2.4e-9 of the longest; large entries must not
     * overflow in the norm */
    const double scales[] = {1.0, 1e200, 1e-200}, tolerances[] = {2e-9, 5e-9};
    for (int s = 0; s < 3; s++) {
        const double dense[] = {3.0 * scales[s], 0.0, 4.0 * scales[s], 2e-8 * scales[s]};
        phx_csr a;
        CHECK_OK(context, phx_csr_from_dense(context, 2, 2, dense, 0.0, &a));
        for (int t = 0; t < 2; t++) {
            int rank, dependent[2], n_dependent;
            CHECK_OK(context, phx_csr_dependent_columns(context, &a, tolerances[t], &rank, dependent, &n_dependent));
            assert_int_equal(rank, 2 - t);
            assert_int_equal(n_dependent, t);
            if (t == 1)
                assert_int_equal(dependent[0], 1);
        }
        phx_csr_free(&a);
    }
}

static void test_empty_and_bad_matrices(void **state)
{
    phx_context *context = *state;
    phx_csr a;
    int rank = -1, dependent[3], n_dependent = -1;
    const int shapes[][2] = {{0, 3}, {4, 3}, {4, 0}, {0, 0}};
    for (int s = 0; s < 4; s++) {
        CHECK_OK(context, phx_csr_from_triplets(context, shapes[s][0], shapes[s][1], 0, NULL, NULL, NULL, &a));
        CHECK_OK(context, phx_csr_dependent_columns(context, &a, RTOL, &rank, dependent, &n_dependent));
        assert_int_equal(rank, 0);
        assert_int_equal(n_dependent, shapes[s][1]);
        for (int j = 0; j < n_dependent; j++)
            assert_int_equal(dependent[j], j);
        phx_csr_free(&a);
    }
    const double bad[] = {1.0, INFINITY};
    CHECK_OK(context, phx_csr_from_dense(context, 1, 2, bad, 0.0, &a));
    CHECK_STATUS(context, phx_csr_dependent_columns(context, &a, RTOL, &rank, dependent, &n_dependent),
                 PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_csr_dependent_columns(context, &a, NAN, &rank, dependent, &n_dependent),
                 PHX_ERR_ARGUMENT);
    phx_csr_free(&a);
}

static phx_status find_dependent(phx_context *context)
{
    static int ptr[] = {0, 3, 6, 7}, idx[] = {0, 1, 2, 0, 1, 2, 2};
    static double val[] = {1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 6.0};
    const phx_csr a = {3, 3, ptr, idx, val};
    int rank, dependent[3], n_dependent;
    phx_status status = phx_csr_dependent_columns(context, &a, RTOL, &rank, dependent, &n_dependent);
    if (!status) {
        assert_int_equal(n_dependent, 1);
        assert_int_equal(dependent[0], 1);
    }
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    assert_in_range(fail_each_allocation(*state, find_dependent), 10, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_deficient_matrices, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_constraints_of_loops, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_large_sparse_matrix, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_the_tolerance_is_relative_to_the_longest_column, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(test_empty_and_bad_matrices, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
