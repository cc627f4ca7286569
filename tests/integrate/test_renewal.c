/* When a matrix is made anew and how many increments prove themselves, on intervals whose increments are given. */
#include "support/testing.h"

#include "integrate/renewal.h"

enum { INTERVALS = 5000 };
static const double ENOUGH = 1e-15;

/* An interval whose increments shrink by `rate` from `first` on, until they are below ENOUGH or it is told to stop;
 * the matrix is made where it is due. Returns the increments; *made: matrices. */
static int solve(phx_renewal *renewal, double first, double rate, bool *made)
{
    double size = first;
    int count = 0;
    phx_renewal_begin(renewal);
    for (bool last = false; !last; size *= rate) {
        if (phx_renewal_is_due(renewal)) {
            phx_renewal_made(renewal);
            *made = true;
        }
        last = phx_renewal_count(renewal, size) || size <= ENOUGH;
        count++;
        assert_true(count < 50);
    }
    phx_renewal_learn(renewal, ENOUGH);
    return count;
}

/* Intervals that need 1 increment with their own matrix and 1 + age * slope with one of that age. */
static double average_cost(double matrix, double slope, int *matrices)
{
    phx_renewal renewal = phx_renewal_create(matrix);
    double cost = 0.0;
    int age = 0;
    *matrices = 0;
    for (int i = 0; i < INTERVALS; i++, age++) {
        phx_renewal_begin(&renewal);
        if (phx_renewal_is_due(&renewal)) {
            phx_renewal_made(&renewal);
            age = 0;
            cost += matrix;
            ++*matrices;
        }
        for (int k = 0, n = 1 + (int)(age * slope); k < n; k++, cost += 1.0)
            phx_renewal_count(&renewal, 1.0);
        phx_renewal_learn(&renewal, 0.0);
    }
    return cost / INTERVALS;
}

/* The cheapest of all ways to keep a matrix for the same number of intervals; *noticed: with one interval more, the
 * one that tells. */
static double cheapest(double matrix, double slope, double *noticed)
{
    double best = HUGE_VAL, spent = matrix;
    for (int age = 0; age < INTERVALS; age++) {
        const double next = 1 + (int)((age + 1) * slope);
        spent += 1 + (int)(age * slope);
        if (spent / (age + 1) <= best) {
            best = spent / (age + 1);
            *noticed = (spent + next) / (age + 2);
        }
    }
    return best;
}

static void test_cheapest(void **state)
{
    (void)state;
    const double slopes[] = {0.0, 0.05, 0.3, 1.0, 2.0, 4.0, 30.0};
    for (int m = 0; m < 4; m++)
        for (size_t s = 0; s < sizeof slopes / sizeof *slopes; s++) {
            const double matrix = (const double[]){0.5, 1.0, 3.0, 10.0}[m];
            int matrices;
            double most = 0.0;
            const double cost = average_cost(matrix, slopes[s], &matrices), best = cheapest(matrix, slopes[s], &most);
            /* where each has its own, trials of keeping it, once in 64 intervals, cost something */
            const double trials = (1.0 + slopes[s]) / 64.0 + matrix / INTERVALS;
            if (!(cost >= best - 1e-12 && cost <= most + trials))
                fail_msg("matrix %g, slope %g: %g an interval, the cheapest is %g", matrix, slopes[s], cost, best);
            assert_true(slopes[s] > 0.0 || matrices == 1);
            assert_true(slopes[s] < 30.0 || matrices > INTERVALS - 100);
        }
}

/* With its own matrix an interval takes increments 1e-3, 1e-9, 1e-15: the last proves that two do, for 16 intervals. */
static void test_proof(void **state)
{
    (void)state;
    phx_renewal renewal = phx_renewal_create(0.1);
    int proofs = 0;
    for (int i = 0; i < 100; i++) {
        bool made = false;
        const int before = renewal.eager, count = solve(&renewal, 1e-3, before > 0 || i == 0 ? 1e-6 : 1e-2, &made);
        if (before == 0 && i > 0) /* the trial with a kept one */
            continue;
        assert_true(made);
        proofs += count == 3;
        assert_true(count == 2 || count == 3);
    }
    assert_in_range(proofs, 6, 9);
}

/* Larger increments than those that were proved are not believed. */
static void test_unlike(void **state)
{
    (void)state;
    phx_renewal renewal = phx_renewal_create(0.1);
    bool made = false;
    assert_int_equal(solve(&renewal, 1e-3, 1e-6, &made), 3);
    assert_true(solve(&renewal, 1e-3, 1e-2, &made) > 3); /* kept: dear, so the next get their own */
    assert_int_equal(solve(&renewal, 1e-3, 1e-6, &made), 3);
    assert_int_equal(solve(&renewal, 1e-3, 1e-6, &made), 2);
    assert_int_equal(solve(&renewal, 1.2e-3, 1e-6, &made), 2);
    assert_int_equal(solve(&renewal, 1.3e-3, 1e-6, &made), 4); /* 1.3e-15 is not enough */
    assert_int_equal(solve(&renewal, 1e-3, 1e-5, &made), 4);
    assert_int_equal(solve(&renewal, 1e-3, 1e-5, &made), 3);
}

/* A matrix made in the middle of an interval, because the iteration was slow, proves nothing. */
static void test_made_late(void **state)
{
    (void)state;
    phx_renewal renewal = phx_renewal_create(1.0);
    bool made = false;
    assert_int_equal(solve(&renewal, 1e-3, 1e-6, &made), 3);
    phx_renewal_begin(&renewal);
    assert_false(phx_renewal_is_due(&renewal));
    assert_false(phx_renewal_count(&renewal, 1e-3));
    phx_renewal_made(&renewal);
    assert_false(phx_renewal_count(&renewal, 1e-9));
    assert_false(phx_renewal_count(&renewal, 1e-16));
    phx_renewal_learn(&renewal, ENOUGH);
    assert_int_equal(renewal.uses, 0);
    phx_renewal_begin(&renewal);
    assert_true(phx_renewal_is_due(&renewal));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cheapest), cmocka_unit_test(test_proof),
                                       cmocka_unit_test(test_unlike), cmocka_unit_test(test_made_late)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
