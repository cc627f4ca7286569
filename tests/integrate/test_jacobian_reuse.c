/* When a new Jacobian is made and how many corrections are proved to be enough, on intervals with given corrections. */
#include "support/testing.h"

#include "integrate/jacobian_reuse.h"

enum { INTERVALS = 5000 };
static const double ENOUGH = 1e-15;

/* An interval whose corrections shrink by `rate` from `first` on, until they are below ENOUGH or it is told to stop. A
 * Jacobian is made when it is due; then *made is set. Returns the number of corrections. */
static int solve(phx_jacobian_reuse *reuse, double first, double rate, bool *made)
{
    double size = first;
    int count = 0;
    phx_jacobian_reuse_begin(reuse);
    for (bool last = false; !last; size *= rate) {
        if (phx_jacobian_reuse_is_due(reuse)) {
            phx_jacobian_reuse_made(reuse, false);
            *made = true;
        }
        last = phx_jacobian_reuse_count(reuse, size) || size <= ENOUGH;
        count++;
        assert_true(count < 50);
    }
    phx_jacobian_reuse_learn(reuse, ENOUGH, false, 1.0);
    return count;
}

/* Intervals that need 1 correction with a new Jacobian and 1 + age * growth corrections with one of that age. */
static double average_cost(double matrix, double growth, int *matrices)
{
    phx_jacobian_reuse reuse = phx_jacobian_reuse_create(matrix);
    double cost = 0.0;
    int age = 0;
    *matrices = 0;
    for (int i = 0; i < INTERVALS; i++, age++) {
        phx_jacobian_reuse_begin(&reuse);
        if (phx_jacobian_reuse_is_due(&reuse)) {
            phx_jacobian_reuse_made(&reuse, false);
            age = 0;
            cost += matrix;
            ++*matrices;
        }
        for (int k = 0, n = 1 + (int)(age * growth); k < n; k++, cost += 1.0)
            phx_jacobian_reuse_count(&reuse, 1.0);
        phx_jacobian_reuse_learn(&reuse, 0.0, false, 1.0);
    }
    return cost / INTERVALS;
}

/* The least mean cost when every Jacobian is used for the same number of intervals; *noticed: the cost with one
 * interval more, the one that shows it. */
static double cheapest(double matrix, double growth, double *noticed)
{
    double best = HUGE_VAL, spent = matrix;
    for (int age = 0; age < INTERVALS; age++) {
        const double next = 1 + (int)((age + 1) * growth);
        spent += 1 + (int)(age * growth);
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
    const double growths[] = {0.0, 0.05, 0.3, 1.0, 2.0, 4.0, 30.0};
    for (int m = 0; m < 4; m++)
        for (size_t s = 0; s < sizeof growths / sizeof *growths; s++) {
            const double matrix = (const double[]){0.5, 1.0, 3.0, 10.0}[m];
            int matrices;
            double most = 0.0;
            const double cost = average_cost(matrix, growths[s], &matrices), best = cheapest(matrix, growths[s], &most);
            /* where each interval has a new Jacobian, reuse is tried once in 64 intervals, which costs something */
            const double trials = (1.0 + growths[s]) / 64.0 + matrix / INTERVALS;
            if (!(cost >= best - 1e-12 && cost <= most + trials))
                fail_msg("matrix %g, growth %g: %g an interval, the cheapest is %g", matrix, growths[s], cost, best);
            assert_true(growths[s] > 0.0 || matrices == 1);
            assert_true(growths[s] < 30.0 || matrices > INTERVALS - 100);
        }
}

/* With a new Jacobian an interval takes corrections 1e-3, 1e-9, 1e-15: the last proves that two do, for 16 intervals.
 */
static void test_proof(void **state)
{
    (void)state;
    phx_jacobian_reuse reuse = phx_jacobian_reuse_create(0.1);
    int proofs = 0;
    for (int i = 0; i < 100; i++) {
        bool made = false;
        const int before = reuse.eager, count = solve(&reuse, 1e-3, before > 0 || i == 0 ? 1e-6 : 1e-2, &made);
        if (before == 0 && i > 0) /* the trial with a reused one */
            continue;
        assert_true(made);
        proofs += count == 3;
        assert_true(count == 2 || count == 3);
    }
    assert_in_range(proofs, 6, 9);
}

/* Corrections larger than the proved ones prove nothing. */
static void test_unlike(void **state)
{
    (void)state;
    phx_jacobian_reuse reuse = phx_jacobian_reuse_create(0.1);
    bool made = false;
    assert_int_equal(solve(&reuse, 1e-3, 1e-6, &made), 3);
    assert_true(solve(&reuse, 1e-3, 1e-2, &made) > 3); /* reused: expensive, so the next intervals get a new one each */
    assert_int_equal(solve(&reuse, 1e-3, 1e-6, &made), 3);
    assert_int_equal(solve(&reuse, 1e-3, 1e-6, &made), 2);
    assert_int_equal(solve(&reuse, 1.2e-3, 1e-6, &made), 2);
    assert_int_equal(solve(&reuse, 1.3e-3, 1e-6, &made), 4); /* 1.3e-15 is not enough */
    assert_int_equal(solve(&reuse, 1e-3, 1e-5, &made), 4);   /* the second is ten times as large */
    assert_int_equal(solve(&reuse, 1e-3, 1e-5, &made), 3);
    assert_true(solve(&reuse, 1e-3, 1e-3, &made) > 4);
}

/* Corrections as large as the velocities prove nothing. */
static void test_large(void **state)
{
    (void)state;
    phx_jacobian_reuse reuse = phx_jacobian_reuse_create(0.1);
    bool made = false;
    for (int i = 0; i < 20; i++)
        assert_true(solve(&reuse, 0.5, 1e-8, &made) >= 3);
}

/* An interval of three corrections with a new Jacobian, the last of them rounding; whether the next one, whose first
 * two are `wider` and wider^2 times as large, ends after two. */
static bool ends_early(double second, double third, bool rounding, double wider)
{
    const double sizes[] = {1e-3, second, third};
    phx_jacobian_reuse reuse = phx_jacobian_reuse_create(0.1);
    bool ends = false;

    for (int interval = 0; interval < 2; interval++) {
        phx_jacobian_reuse_begin(&reuse);
        phx_jacobian_reuse_made(&reuse, false);
        for (int k = 0; k < 3 - interval; k++)
            ends = phx_jacobian_reuse_count(&reuse, interval ? sizes[k] * pow(wider, k + 1) : sizes[k]);
        if (interval == 0)
            phx_jacobian_reuse_learn(&reuse, ENOUGH, rounding, 1.0);
    }
    return ends;
}

/* The error that two corrections leave over, 1e-8 * 1e-5, is lost in rounding of 8e-12; eight times as much, the cube
 * of 2, just so. Where it is not lost, or the last correction is no rounding, nothing is proved. */
static void test_rounding(void **state)
{
    (void)state;
    assert_true(ends_early(1e-8, 8.1e-12, true, 1.0));
    assert_true(ends_early(1e-8, 8.1e-12, true, 2.0));
    assert_false(ends_early(1e-8, 8.1e-12, true, 2.1));
    assert_false(ends_early(1e-8, 8.1e-12, false, 1.0));
    assert_false(ends_early(1e-7, 8.1e-12, true, 1.0));
}

/* Intervals with one Jacobian, corrections 1e-4, 1e-7, 1e-10, 1e-13 and rounding of 5e-14: once that was seen, the one
 * of 1e-13 leaves over 1e-15 at most and is the last. A proof for new Jacobians outlives them. */
static void test_lost(void **state)
{
    (void)state;
    const double sizes[] = {1e-4, 1e-7, 1e-10, 1e-13, 5e-14};
    phx_jacobian_reuse reuse = phx_jacobian_reuse_create(100.0);
    bool made = false;
    assert_int_equal(solve(&reuse, 1e-3, 1e-6, &made), 3);
    const int uses = reuse.uses;
    for (int interval = 0; interval < 40; interval++) {
        bool last = false;
        int count = 0;
        phx_jacobian_reuse_begin(&reuse);
        assert_false(phx_jacobian_reuse_is_due(&reuse));
        for (; count < 5 && !last; count++)
            last = phx_jacobian_reuse_count(&reuse, sizes[count]);
        assert_int_equal(last, interval % 17 != 0);
        assert_int_equal(count, last ? 4 : 5);
        phx_jacobian_reuse_learn(&reuse, ENOUGH, !last, 1.0);
    }
    assert_int_equal(reuse.uses, uses);
    /* the same corrections at a tenth of the rate leave over more than rounding */
    phx_jacobian_reuse_begin(&reuse);
    for (int k = 0; k < 3; k++)
        assert_false(phx_jacobian_reuse_count(&reuse, pow(10.0, -10 - k)));
}

/* A Jacobian made in the middle of an interval, because the iteration was slow, proves nothing. */
static void test_made_late(void **state)
{
    (void)state;
    phx_jacobian_reuse reuse = phx_jacobian_reuse_create(1.0);
    bool made = false;
    assert_int_equal(solve(&reuse, 1e-3, 1e-6, &made), 3);
    phx_jacobian_reuse_begin(&reuse);
    assert_false(phx_jacobian_reuse_is_due(&reuse));
    assert_false(phx_jacobian_reuse_count(&reuse, 1e-3));
    phx_jacobian_reuse_made(&reuse, false);
    assert_false(phx_jacobian_reuse_count(&reuse, 1e-9));
    assert_false(phx_jacobian_reuse_count(&reuse, 1e-16));
    phx_jacobian_reuse_learn(&reuse, ENOUGH, false, 1.0);
    assert_int_equal(reuse.uses, 0);
    phx_jacobian_reuse_begin(&reuse);
    assert_true(phx_jacobian_reuse_is_due(&reuse));
}

/* A matrix that is only partly new: what whole ones have proved does not end an interval; its own rate does, once it is
 * known how large rounding is, 1e-13. */
static void test_partly(void **state)
{
    static const double whole[] = {1e-3, 1e-8, 8.1e-12}, partly[] = {1e-3, 1e-8, 1e-13};
    phx_jacobian_reuse reuse = phx_jacobian_reuse_create(0.1);

    (void)state;
    phx_jacobian_reuse_begin(&reuse);
    phx_jacobian_reuse_made(&reuse, false);
    for (int k = 0; k < 3; k++)
        assert_false(phx_jacobian_reuse_count(&reuse, whole[k]));
    phx_jacobian_reuse_learn(&reuse, ENOUGH, true, 1.0);
    for (int interval = 0; interval < 2; interval++) {
        phx_jacobian_reuse_begin(&reuse);
        phx_jacobian_reuse_made(&reuse, true);
        assert_false(phx_jacobian_reuse_count(&reuse, partly[0]));
        assert_false(phx_jacobian_reuse_count(&reuse, partly[1]));
        assert_int_equal(phx_jacobian_reuse_count(&reuse, partly[2]), interval);
        phx_jacobian_reuse_learn(&reuse, ENOUGH, interval == 0, 1.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cheapest),  cmocka_unit_test(test_proof),
                                       cmocka_unit_test(test_unlike),    cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_rounding),  cmocka_unit_test(test_lost),
                                       cmocka_unit_test(test_made_late), cmocka_unit_test(test_partly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
