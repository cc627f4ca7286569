/* The stacks of matrices that every step multiplies, against the matrices themselves. */
#include "support.h"
#include "fe/fe.h"

#include <string.h>

enum { MOST = 200 };

/* y = A x of a stack, row by row as it stands; every row exactly once. */
static void multiply(const phx_flex_stack *A, int rows, const double *x, double *y)
{
    bool seen[MOST * PHX_MAX_PAIR] = {false};
    int row = 0, at = 0;

    for (int g = 0; g < A->n_groups; g++) {
        assert_true(g == 0 || A->length[g] > A->length[g - 1]);
        assert_true(A->count[g] > 0);
        for (int r = 0; r < A->count[g]; r++, row++) {
            assert_in_range(A->row[row], 0, rows - 1);
            assert_false(seen[A->row[row]]);
            seen[A->row[row]] = true;
            y[A->row[row]] = 0.0;
            for (int e = 0; e < A->length[g]; e++, at++)
                y[A->row[row]] += A->val[at] * x[A->idx[at]];
        }
    }
    assert_int_equal(row, rows);
}

static void check_stack(const phx_flex *flex, const phx_flex_stack *A, int matrices, double *const *val,
                        const char *what)
{
    double x[MOST], y[MOST * PHX_MAX_PAIR];

    assert_in_range(flex->n, 1, MOST);
    for (int i = 0; i < flex->n; i++)
        x[i] = sin(1.0 + 3.0 * i);
    for (int g = 0; g < A->n_groups; g++)
        assert_int_equal(A->length[g] % 3, 0);
    multiply(A, matrices * flex->n, x, y);
    for (int m = 0; m < matrices; m++)
        for (int i = 0; i < flex->n; i++) {
            double sum = 0.0, size = 0.0;
            for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++) {
                sum += val[m][e] * x[flex->idx[e]];
                size += fabs(val[m][e] * x[flex->idx[e]]);
            }
            CHECK_CLOSE(y[m * flex->n + i], sum, 1e-15 * size, "%s %d, row %d", what, m, i);
        }
}

static void check_moments(const phx_flex *flex)
{
    double x[MOST], y[6];

    for (int i = 0; i < flex->n; i++)
        x[i] = sin(2.0 + i);
    multiply(&flex->compact->moments, flex->dim + flex->n_rot, x, y);
    for (int r = 0; r < flex->dim + flex->n_rot; r++) {
        const double *row = r < flex->dim ? flex->S + r * flex->n : flex->C + (r - flex->dim) * flex->n;
        double sum = 0.0, size = 0.0;
        for (int i = 0; i < flex->n; i++) {
            sum += row[i] * x[i];
            size += fabs(row[i] * x[i]);
        }
        CHECK_CLOSE(y[r], sum, 1e-15 * size, "moment %d", r);
    }
}

static void test_stacks(void **state)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int reference = PHX_REFERENCE_CANTILEVER; reference <= PHX_REFERENCE_FREE; reference++) {
            const phx_beam_def def = test_def(dim, 3, (phx_reference)reference, 5);
            phx_beam *beam = test_beam(*state, &def);
            const phx_flex *flex = phx_flex_source_flex(beam);
            check_stack(flex, &flex->compact->mass, 1, &flex->M, "M");
            check_stack(flex, &flex->compact->stiffness, 1, &flex->K, "K");
            check_stack(flex, &flex->compact->gyro, flex->n_rot, flex->A, "A");
            check_stack(flex, &flex->compact->pairs, flex->n_pair, flex->Q, "Q");
            check_moments(flex);
            phx_flex_source_destroy(beam);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_stacks, context_setup, context_teardown)};
    return cmocka_run_group_tests_name("fe compact", tests, NULL, NULL);
}
