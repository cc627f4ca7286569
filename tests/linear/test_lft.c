/* Polynomials of matrices on a grid, and their realisation by repeated parameters. */
#include "support/testing.h"

#include "linear/lft/lft.h"

#include <math.h>
#include <string.h>

/* Numbers between -1 and 1, the same in every run. */
static double number(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (double)(1u << 23) - 1.0;
}

/* ---- fit ---- */
enum { N = 2, CELLS = 3 };
static const int counts[N] = {5, 4};
static double first_nodes[5] = {-1.0, -0.4, 0.1, 0.5, 1.0}, second_nodes[4] = {1.0, -1.0, 0.2, -0.3};
static double *const nodes[N] = {first_nodes, second_nodes};
static const phx_fit_grid grid = {N, counts, nodes};

/* Of degrees 3 and 2. */
static void cubic(double a, double b, double *value)
{
    value[0] = 2.0 - a + 3.0 * a * b * b;
    value[1] = a * a * a * b - 0.5 * b * b;
    value[2] = 7.0;
}

static void rational(double a, double b, double *value)
{
    value[0] = 1.0 / (3.0 + a);
    value[1] = 1.0 / (3.0 + a) + b;
    value[2] = b * b;
}

static void fill(void (*f)(double a, double b, double *value), double *values)
{
    for (int i = 0; i < counts[0]; i++)
        for (int j = 0; j < counts[1]; j++)
            f(nodes[0][i], nodes[1][j], values + (i * counts[1] + j) * CELLS);
}

static void test_polynomials_are_found(void **state)
{
    phx_context *context = *state;
    double values[20 * CELLS], *coefficients = NULL, at_points, held_out, got[CELLS], want[CELLS];
    const double weight[CELLS] = {1.0, 1.0, 1.0}, delta[N] = {0.37, -0.81};
    const phx_fit_data data = {CELLS, values, weight};
    int degrees[N];

    fill(cubic, values);
    for (int k = 0; k < N; k++)
        CHECK_OK(context, phx_polynomial_degree(context, &grid, &data, k, 10, 1e-9, &degrees[k]));
    assert_int_equal(degrees[0], 3);
    assert_int_equal(degrees[1], 2);
    CHECK_OK(context, phx_polynomial_errors(context, &grid, &data, degrees, &at_points, &held_out));
    assert_true(at_points < 1e-13 && held_out < 1e-12);
    CHECK_OK(context, phx_polynomial_fit(context, &grid, &data, degrees, &coefficients));
    phx_polynomial_at(N, degrees, CELLS, coefficients, delta, got);
    cubic(delta[0], delta[1], want);
    for (int c = 0; c < CELLS; c++)
        CHECK_CLOSE(got[c], want[c], 1e-13, "entry %d", c);
    CHECK_CLOSE(coefficients[(1 * 3 + 2) * CELLS], 3.0, 1e-13, "of a b^2");
    phx_free(coefficients);
}

/* The error at values left out is about that between the values, which the one at the values is not. */
static void test_errors(void **state)
{
    phx_context *context = *state;
    double values[20 * CELLS], before = HUGE_VAL;
    const double weight[CELLS] = {1.0, 1.0, 1.0};
    const phx_fit_data data = {CELLS, values, weight};

    fill(rational, values);
    for (int degree = 1; degree <= 4; degree++) {
        const int degrees[N] = {degree, 2};
        double at_points, held_out, *coefficients = NULL, between = 0.0;
        CHECK_OK(context, phx_polynomial_errors(context, &grid, &data, degrees, &at_points, &held_out));
        CHECK_OK(context, phx_polynomial_fit(context, &grid, &data, degrees, &coefficients));
        for (double a = -1.0; a <= 1.0; a += 0.05) {
            const double delta[N] = {a, 0.6};
            double got[CELLS], want[CELLS];
            phx_polynomial_at(N, degrees, CELLS, coefficients, delta, got);
            rational(a, delta[1], want);
            between = fmax(between, fabs(got[0] - want[0]));
        }
        if (degree < 4) {
            assert_true(held_out > between && held_out < 30.0 * between);
            assert_true(held_out < 0.3 * before);
            before = held_out;
        } else {
            assert_true(isnan(held_out) && at_points < 1e-14 && between > 1e-5); /* through all points */
        }
        phx_free(coefficients);
    }
}

/* ---- realisation ---- */
static int size_of(const phx_realisation *it, int n)
{
    int r = 0;
    for (int k = 0; k < n; k++)
        r += it->sizes[k];
    assert_int_equal(r, it->r);
    return r;
}

static void check_realisation(phx_context *context, int n, const int *degrees, int rows, int cols,
                              const double *coefficients, const phx_realisation *it, double tolerance)
{
    enum { MOST = 64, POINTS = 6 };
    double got[MOST], want[MOST], delta[4];
    unsigned seed = 7;
    assert_true(rows * cols <= MOST);
    for (int point = 0; point < POINTS; point++) {
        for (int k = 0; k < n; k++)
            delta[k] = point == 0 ? 1.0 : number(&seed);
        phx_polynomial_at(n, degrees, (size_t)(rows * cols), coefficients, delta, want);
        CHECK_OK(context, phx_realisation_at(context, n, it, delta, got));
        for (int c = 0; c < rows * cols; c++)
            CHECK_CLOSE(got[c], want[c], tolerance, "point %d, entry %d", point, c);
    }
}

static void test_random_polynomials(void **state)
{
    enum { ROWS = 3, COLS = 5, MOST = 36 };
    static const int cases[][3] = {{3, 0, 0}, {1, 1, 0}, {2, 3, 0}, {1, 2, 2}, {0, 2, 0}};
    phx_context *context = *state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double coefficients[MOST * ROWS * COLS];
        phx_realisation it;
        unsigned seed = 1 + (unsigned)c;
        const size_t terms = phx_polynomial_terms(3, cases[c]);
        assert_true(terms <= MOST);
        for (size_t k = 0; k < terms * ROWS * COLS; k++)
            coefficients[k] = number(&seed);
        CHECK_OK(context, phx_horner(context, 3, cases[c], ROWS, COLS, coefficients, 1e-12, &it));
        check_realisation(context, 3, cases[c], ROWS, COLS, coefficients, &it, 1e-11);
        for (int k = 0; k < 3; k++)
            assert_int_equal(it.sizes[k] > 0, cases[c][k] > 0);
        assert_true(size_of(&it, 3) > 0);
        phx_realisation_free(&it);
    }
}

/* P_0 + delta_1 a b^T + delta_2 c d^T takes each parameter once (Morton), delta_1 delta_2 a b^T too, delta^3 a b^T
 * three times, and what is below the tolerance none. */
static void test_sizes(void **state)
{
    enum { SIZE = 3, CELLS_OF = SIZE * SIZE };
    static const double a[SIZE] = {1.0, -2.0, 0.5}, b[SIZE] = {0.3, 1.0, 2.0};
    static const struct {
        int degrees[2], filled[3], sizes[2]; /* terms that are a b^T, ended by -1 */
        double factor;
    } cases[] = {{{1, 1}, {1, 2, -1}, {1, 1}, 1.0}, {{1, 1}, {3, -1}, {1, 1}, 1.0},
                 {{3, 0}, {3, -1}, {3, 0}, 1.0},    {{2, 2}, {8, -1}, {2, 2}, 1.0},
                 {{1, 1}, {1, -1}, {0, 1}, 1.0},    {{1, 1}, {1, 2, -1}, {0, 0}, 1e-13}};
    phx_context *context = *state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double coefficients[9 * CELLS_OF] = {0.0};
        phx_realisation it;
        for (int i = 0; i < SIZE; i++)
            coefficients[i * SIZE + i] = 1.0;
        for (const int *term = cases[c].filled; *term >= 0; term++)
            for (int k = 0; k < CELLS_OF; k++)
                coefficients[*term * CELLS_OF + k] = cases[c].factor * a[k / SIZE] * b[k % SIZE];
        CHECK_OK(context, phx_horner(context, 2, cases[c].degrees, SIZE, SIZE, coefficients, 1e-11, &it));
        check_realisation(context, 2, cases[c].degrees, SIZE, SIZE, coefficients, &it, 1e-11);
        for (int k = 0; k < 2; k++)
            CHECK_CLOSE(it.sizes[k], cases[c].sizes[k], 0.0, "case %zu, parameter %d", c, k);
        phx_realisation_free(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_polynomials_are_found, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_errors, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_random_polynomials, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_sizes, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
