/* Shift-invert eigenpairs: known spectra, constraints, reruns, failures. */
#include "support.h"
#include "algebra/algebra.h"

/* A, B and the factorisation of A - sigma B behind the operators. */
typedef struct problem {
    phx_csr a, b;
    phx_lu *lu;
    int calls, fail_after;
} problem;

static phx_status solve(void *user, const double *x, double *y)
{
    problem *p = user;
    if (p->fail_after >= 0 && p->calls++ >= p->fail_after)
        return PHX_INTERRUPTED;
    memcpy(y, x, (size_t)p->a.rows * sizeof(double));
    return phx_lu_solve(p->lu, 1, y);
}

static phx_status multiply(void *user, const double *x, double *y)
{
    const problem *p = user;
    memset(y, 0, (size_t)p->b.rows * sizeof(double));
    phx_csr_apply(&p->b, 1.0, x, y);
    return PHX_OK;
}

static void problem_shift(phx_context *context, problem *p, double sigma)
{
    phx_csr shifted;
    CHECK_OK(context, phx_csr_add(context, 1.0, &p->a, -sigma, &p->b, &shifted));
    CHECK_OK(context, phx_lu_create(context, shifted.rows, shifted.ptr, shifted.idx, NULL, false, &p->lu));
    CHECK_OK(context, phx_lu_factor(p->lu, shifted.val, NULL));
    phx_csr_free(&shifted);
}

static void problem_free(problem *p)
{
    phx_csr_free(&p->a);
    phx_csr_free(&p->b);
    phx_lu_destroy(p->lu);
}

/* A = tridiag(-1, 2, -1), B = mass of a string by linear elements, tridiag(1, 4, 1)/6: with theta = k pi/(n+1),
 * lambda_k = 6 (1 - cos theta) / (2 + cos theta). */
static problem string_problem(phx_context *context, int n)
{
    problem p = {.fail_after = -1};
    int count = 0, *row = malloc(3 * (size_t)n * sizeof(int)), *col = malloc(3 * (size_t)n * sizeof(int));
    double *a = new_doubles(3 * (size_t)n), *b = new_doubles(3 * (size_t)n);
    assert_true(row && col);
    for (int i = 0; i < n; i++) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) {
            row[count] = i;
            col[count] = j;
            a[count] = i == j ? 2.0 : -1.0;
            b[count++] = i == j ? 4.0 / 6.0 : 1.0 / 6.0;
        }
    }
    CHECK_OK(context, phx_csr_from_triplets(context, n, n, (size_t)count, row, col, a, &p.a));
    CHECK_OK(context, phx_csr_from_triplets(context, n, n, (size_t)count, row, col, b, &p.b));
    free(row);
    free(col);
    free(a);
    free(b);
    return p;
}

static double string_value(int n, int k)
{
    double c = cos((k + 1) * acos(-1.0) / (n + 1));
    return 6.0 * (1.0 - c) / (2.0 + c);
}

/* Residual, B-orthonormality. */
static void check_pairs(const problem *p, int count, const double *values, const double *vectors)
{
    int n = p->a.rows;
    double *x = new_doubles((size_t)n), *r = new_doubles((size_t)n), *bx = new_doubles((size_t)n * (size_t)count);
    for (int k = 0; k < count; k++) {
        double size = 0.0;
        for (int i = 0; i < n; i++) {
            x[i] = vectors[i * count + k];
            size = fmax(size, fabs(x[i]));
        }
        memset(r, 0, (size_t)n * sizeof(double));
        phx_csr_apply(&p->a, 1.0, x, r);
        phx_csr_apply(&p->b, -values[k], x, r);
        for (int i = 0; i < n; i++)
            CHECK_BELOW(fabs(r[i]), 1e-11 * size * (1.0 + fabs(values[k])), "A x - lambda B x, pair %d, row %d", k, i);
        memset(r, 0, (size_t)n * sizeof(double));
        phx_csr_apply(&p->b, 1.0, x, r);
        for (int i = 0; i < n; i++)
            bx[i * count + k] = r[i];
    }
    CHECK_BELOW(not_orthonormal(n, count, vectors, bx), 1e-11, "X^T B X");
    free(x);
    free(r);
    free(bx);
}

static void test_lowest_pairs_of_a_string(void **state)
{
    phx_context *context = *state;
    const int sizes[] = {5, 100, 3000}, counts[] = {4, 12, 30};
    for (int s = 0; s < 3; s++) {
        int n = sizes[s], count = counts[s];
        problem p = string_problem(context, n);
        problem_shift(context, &p, 0.0);
        double *values = new_doubles((size_t)count), *vectors = new_doubles((size_t)n * (size_t)count),
               *only = new_doubles((size_t)count);
        CHECK_OK(context, phx_eigen_shift_invert(context, n, count, 0.0, solve, multiply, &p, 0.0, values, vectors));
        CHECK_OK(context, phx_eigen_shift_invert(context, n, count, 0.0, solve, multiply, &p, 0.0, only, NULL));
        for (int k = 0; k < count; k++) {
            CHECK_BELOW(fabs(values[k] / string_value(n, k) - 1.0), 1e-9, "eigenvalue %d of %d", k, n);
            CHECK_BELOW(fabs(only[k] / values[k] - 1.0), 1e-10, "without vectors, %d of %d", k, n);
        }
        check_pairs(&p, count, values, vectors);
        free(values);
        free(vectors);
        free(only);
        problem_free(&p);
    }
}

/* Only a few nodes have mass: the matrices have as many finite eigenvalues, fewer than Lanczos vectors are usual. They
 * are those of B^(1/2) A^-1 B^(1/2) on these nodes. */
static void test_all_finite_pairs_of_few_masses(void **state)
{
    phx_context *context = *state;
    enum { N = 60, MASSES = 9 };
    problem p = string_problem(context, N);
    double compliance[MASSES * MASSES], x[N], y[N], mu[MASSES], values[N], vectors[N * MASSES];
    problem_shift(context, &p, 0.0);
    for (int c = 0; c < MASSES; c++) {
        memset(x, 0, sizeof x);
        x[6 * c + 3] = 1.0 + 0.1 * c;
        CHECK_OK(context, solve(&p, x, y));
        for (int r = 0; r < MASSES; r++)
            compliance[r * MASSES + c] = (1.0 + 0.1 * r) * y[6 * r + 3];
    }
    CHECK_OK(context, phx_dense_eigen_symmetric(context, MASSES, compliance, NULL, mu, NULL));
    for (int i = 0; i < N; i++)
        for (int e = p.b.ptr[i]; e < p.b.ptr[i + 1]; e++) {
            const double root = 1.0 + 0.1 * (i / 6);
            p.b.val[e] = p.b.idx[e] == i && i % 6 == 3 && i / 6 < MASSES ? root * root : 0.0;
        }
    for (int count = 1; count <= MASSES; count++) {
        CHECK_OK(context, phx_eigen_shift_invert(context, N, count, 0.0, solve, multiply, &p, 0.0, values, vectors));
        for (int k = 0; k < count; k++)
            CHECK_BELOW(fabs(values[k] * mu[MASSES - 1 - k] - 1.0), 1e-11, "eigenvalue %d of %d", k, count);
        check_pairs(&p, count, values, vectors);
    }
    CHECK_STATUS(context, phx_eigen_shift_invert(context, N, MASSES + 1, 0.0, solve, multiply, &p, 0.0, values, NULL),
                 PHX_NOT_CONVERGED);
    CHECK_MESSAGE(context, "9 finite");
    problem_free(&p);
}

static void test_pairs_around_a_shift(void **state)
{
    phx_context *context = *state;
    enum { N = 200, COUNT = 6 };
    problem p = string_problem(context, N);
    double sigma = 0.5 * (string_value(N, 50) + string_value(N, 51)), values[COUNT], vectors[N * COUNT];
    problem_shift(context, &p, sigma);
    CHECK_OK(context, phx_eigen_shift_invert(context, N, COUNT, sigma, solve, multiply, &p, 0.0, values, vectors));
    for (int k = 0; k < COUNT; k++)
        CHECK_BELOW(fabs(values[k] / string_value(N, 48 + k) - 1.0), 1e-12, "eigenvalue %d, ascending", 48 + k);
    check_pairs(&p, COUNT, values, vectors);
    problem_free(&p);
}

/* The string held at its nodes 10 and 60 by multipliers, A = [K G^T; G 0], B = [M 0; 0 0]: three strings. */
static void test_semidefinite_b(void **state)
{
    phx_context *context = *state;
    enum { N = 99, HELD = 2, COUNT = 6 };
    problem free_string = string_problem(context, N), p = {.fail_after = -1};
    const int held[HELD] = {10, 60}, lengths[HELD + 1] = {10, 49, 38};
    const phx_csr *blocks[2] = {&free_string.a, &free_string.b};
    phx_csr *targets[2] = {&p.a, &p.b};
    for (int m = 0; m < 2; m++) {
        int count = 0, row[3 * N + 4], col[3 * N + 4];
        double val[3 * N + 4];
        for (int i = 0; i < N; i++)
            for (int k = blocks[m]->ptr[i]; k < blocks[m]->ptr[i + 1]; k++) {
                row[count] = i;
                col[count] = blocks[m]->idx[k];
                val[count++] = blocks[m]->val[k];
            }
        for (int c = 0; c < 2 * HELD && m == 0; c++) {
            row[count] = c % 2 ? N + c / 2 : held[c / 2];
            col[count] = c % 2 ? held[c / 2] : N + c / 2;
            val[count++] = 1.0;
        }
        CHECK_OK(context, phx_csr_from_triplets(context, N + HELD, N + HELD, (size_t)count, row, col, val, targets[m]));
    }
    /* the spectra of the three strings, merged */
    double want[3 * COUNT], values[COUNT], *vectors = new_doubles((N + HELD) * COUNT);
    for (int s = 0; s < 3; s++)
        for (int k = 0; k < COUNT; k++)
            want[s * COUNT + k] = string_value(lengths[s], k);
    for (int i = 1; i < 3 * COUNT; i++)
        for (int k = i; k > 0 && want[k - 1] > want[k]; k--) {
            double swap = want[k];
            want[k] = want[k - 1];
            want[k - 1] = swap;
        }
    problem_shift(context, &p, -0.001);
    CHECK_OK(context,
             phx_eigen_shift_invert(context, N + HELD, COUNT, -0.001, solve, multiply, &p, 0.0, values, vectors));
    for (int k = 0; k < COUNT; k++)
        CHECK_BELOW(fabs(values[k] / want[k] - 1.0), 1e-10, "eigenvalue %d of three strings", k);
    for (int c = 0; c < HELD; c++)
        for (int k = 0; k < COUNT; k++)
            CHECK_BELOW(fabs(vectors[held[c] * COUNT + k]), 1e-12, "the held node %d stays, mode %d", held[c], k);
    check_pairs(&p, COUNT, values, vectors);
    free(vectors);
    problem_free(&free_string);
    problem_free(&p);
}

static void test_reruns_agree_bit_for_bit(void **state)
{
    phx_context *context = *state;
    enum { N = 300, COUNT = 8 };
    problem p = string_problem(context, N);
    problem_shift(context, &p, 0.0);
    double *first = new_doubles(COUNT + N * COUNT), *again = new_doubles(COUNT + N * COUNT);
    CHECK_OK(context, phx_eigen_shift_invert(context, N, COUNT, 0.0, solve, multiply, &p, 1e-12, first, first + COUNT));
    CHECK_OK(context, phx_eigen_shift_invert(context, N, COUNT, 0.0, solve, multiply, &p, 1e-12, again, again + COUNT));
    assert_memory_equal(first, again, (COUNT + N * COUNT) * sizeof(double));
    free(first);
    free(again);
    problem_free(&p);
}

static void test_failures(void **state)
{
    phx_context *context = *state;
    enum { N = 50 };
    problem p = string_problem(context, N);
    problem_shift(context, &p, 0.0);
    double values[N];
    CHECK_STATUS(context, phx_eigen_shift_invert(context, N, N, 0.0, solve, multiply, &p, 0.0, values, NULL),
                 PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_eigen_shift_invert(context, N, 0, 0.0, solve, multiply, &p, 0.0, values, NULL),
                 PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_eigen_shift_invert(context, N, 2, NAN, solve, multiply, &p, 0.0, values, NULL),
                 PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_eigen_shift_invert(context, N, 2, 0.0, solve, multiply, &p, -1.0, values, NULL),
                 PHX_ERR_ARGUMENT);
    for (int calls = 0; calls < 3; calls++) {
        p.calls = 0;
        p.fail_after = 7 * calls;
        CHECK_STATUS(context, phx_eigen_shift_invert(context, N, 2, 0.0, solve, multiply, &p, 0.0, values, NULL),
                     PHX_INTERRUPTED);
    }
    p.fail_after = -1;
    CHECK_OK(context, phx_eigen_shift_invert(context, N, 2, 0.0, solve, multiply, &p, 0.0, values, NULL));
    /* B of rank 3 has only 3 finite eigenvalues */
    for (int k = p.b.ptr[0]; k < p.b.ptr[N]; k++)
        p.b.val[k] = 0.0;
    for (int i = 0; i < 3; i++)
        p.b.val[phx_csr_find(&p.b, 10 * i, 10 * i)] = 1.0;
    CHECK_STATUS(context, phx_eigen_shift_invert(context, N, 5, 0.0, solve, multiply, &p, 0.0, values, NULL),
                 PHX_NOT_CONVERGED);
    problem_free(&p);
}

static phx_status find_pairs(phx_context *context)
{
    static int ptr[] = {0, 1, 2, 3}, idx[] = {0, 1, 2};
    static double val[] = {1.0, 2.0, 3.0};
    problem p = {.a = {3, 3, ptr, idx, val}, .b = {3, 3, ptr, idx, (double[]){1.0, 1.0, 1.0}}, .fail_after = -1};
    double values[1], vectors[3];
    phx_status status = phx_lu_create(context, 3, ptr, idx, NULL, false, &p.lu);
    if (!status)
        status = phx_lu_factor(p.lu, val, NULL);
    if (!status)
        status = phx_eigen_shift_invert(context, 3, 1, 0.0, solve, multiply, &p, 0.0, values, vectors);
    if (!status)
        CHECK_BELOW(fabs(values[0] - 1.0), 1e-14, "lowest of 1, 2, 3");
    phx_lu_destroy(p.lu);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    assert_in_range(fail_each_allocation(*state, find_pairs), 12, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lowest_pairs_of_a_string, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_all_finite_pairs_of_few_masses, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_pairs_around_a_shift, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_semidefinite_b, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_reruns_agree_bit_for_bit, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_failures, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
