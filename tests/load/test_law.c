/* Laws and what acts along a scalar: potentials against quadrature, means over the stroke however short, kinks inside;
 * penetrations and friction against closed forms and a fine integration in time. Nothing is allocated in a step. */
#include "../port/views.h"

#include "load/load.h"

static double duffing(const void *data, double x, double s)
{
    (void)data, (void)s;
    return 100.0 * x + 5e4 * x * x * x;
}

static double hard(const void *data, double x, double s)
{
    (void)data, (void)s;
    return sinh(8.0 * x);
}

static double one_sided(const void *data, double x, double s)
{
    (void)data, (void)s;
    return x > 0.05 ? 400.0 * (x - 0.05) : 0.0;
}

static phx_law *law_of(phx_context *context, phx_signal_fn *f, double low, double high)
{
    phx_signal *signal = NULL;
    phx_law *law = NULL;
    CHECK_OK(context, phx_signal_create_function(context, f, NULL, NULL, 0, NULL, &signal));
    CHECK_OK(context, phx_law_create(context, signal, low, high, &law));
    phx_signal_destroy(signal);
    return law;
}

static phx_law *table_law(phx_context *context)
{
    const double x[5] = {-1.0, -0.2, 0.0, 0.3, 1.0}, f[5] = {-30.0, -1.0, 0.0, 4.0, 60.0};
    phx_signal *signal = NULL;
    phx_law *law = NULL;
    CHECK_OK(context, phx_signal_create_table(context, 5, x, f, &signal));
    CHECK_OK(context, phx_law_create(context, signal, 0.0, 0.0, &law));
    phx_signal_destroy(signal);
    return law;
}

/* F D = V1 - V0 for strokes of any length, and at none the value itself; dF/dx1 against differences. */
static void check_mean(const phx_law *law, double range, const char *what)
{
    uint64_t seed = 71;
    for (int k = 0; k < 2000; k++) {
        const double x0 = range * random_value(&seed),
                     D = pow(10.0, uniform(&seed, -14.0, 0.0)) * range * (k % 2 ? 1 : -1);
        const double x1 = x0 + D;
        const phx_law_mean_value mean = phx_law_mean(law, x0, x1);
        const double V0 = phx_law_potential(law, x0), V1 = phx_law_potential(law, x1);
        CHECK_CLOSE(mean.value * (x1 - x0), V1 - V0, 4e-14 * (fabs(V0) + fabs(V1) + 1e-3), "%s: F D at %g over %g",
                    what, x0, D);
        if (fabs(D) > 1e-9 * range)
            continue;
        CHECK_CLOSE(mean.value, phx_law_value(law, 0.5 * (x0 + x1)), 1e-6 * (1.0 + fabs(mean.value)),
                    "%s: mean over a short stroke at %g", what, x0);
    }
    for (int k = 0; k < 200; k++) {
        const double x0 = range * random_value(&seed), x1 = range * random_value(&seed), step = 1e-6 * range;
        const double slope =
            (phx_law_mean(law, x0, x1 + step).value - phx_law_mean(law, x0, x1 - step).value) / (2.0 * step);
        CHECK_CLOSE(phx_law_mean(law, x0, x1).slope, slope, 1e-5 * (1.0 + fabs(slope)), "%s: derivative", what);
    }
}

/* A stiff law with play, given far out: what it stores near 0 is right to rounding of itself. */
static phx_law *stiff_play(phx_context *context)
{
    const double x[4] = {-1.0, -5e-5, 5e-5, 1.0}, f[4] = {-2e7, 0.0, 0.0, 2e7};
    phx_signal *signal = NULL;
    phx_law *law = NULL;
    CHECK_OK(context, phx_signal_create_table(context, 4, x, f, &signal));
    CHECK_OK(context, phx_law_create(context, signal, 0.0, 0.0, &law));
    phx_signal_destroy(signal);
    return law;
}

static void play_is_exact_near_zero(void **state)
{
    phx_law *law = stiff_play(*state);
    const double k = 2e7 / (1.0 - 5e-5);
    for (int sign = -1; sign <= 1; sign += 2)
        for (double d = 1e-7; d < 1e-3; d *= 1.7) {
            const double x = sign * (5e-5 + d), V = phx_law_potential(law, x);
            CHECK_CLOSE(V, 0.5 * k * d * d, 1e-11 * V, "energy %g beyond the play", sign * d);
            CHECK_CLOSE(phx_law_mean(law, -sign * 4e-5, x).value * (x + sign * 4e-5), V, 1e-11 * V, "work to %g", x);
        }
    phx_law_destroy(law);
}

static void laws_have_exact_potentials(void **state)
{
    phx_law *laws[] = {law_of(*state, duffing, -0.2, 0.2), law_of(*state, hard, -1.0, 1.0),
                       law_of(*state, one_sided, -0.3, 0.3), table_law(*state)};
    const char *const names[] = {"duffing", "sinh", "one-sided", "table"};
    const double ranges[] = {0.3, 1.2, 0.3, 1.5};
    const size_t before = phx_context_allocations(*state);
    for (int k = 0; k < 4; k++)
        check_mean(laws[k], ranges[k], names[k]);
    assert_int_equal(phx_context_allocations(*state), before);
    for (int k = 0; k < 4; k++)
        phx_law_destroy(laws[k]);
}

/* 100 x^2/2 + 5e4 x^4/4 exactly; cosh(8x)/8; 400 (x - 0.05)^2/2; the values to 1e-10 */
static void laws_are_what_was_given(void **state)
{
    phx_law *cubic = law_of(*state, duffing, -0.2, 0.2), *sine = law_of(*state, hard, -1.0, 1.0);
    phx_law *free_play = law_of(*state, one_sided, -0.3, 0.3), *gas = NULL;
    CHECK_OK(*state, phx_law_create_gas(*state, 500.0, 0.2, 1.3, &gas));
    for (double x = -0.2; x <= 0.2; x += 0.00317) {
        CHECK_CLOSE(phx_law_value(cubic, x), duffing(NULL, x, 0.0), 1e-11, "cubic at %g", x);
        CHECK_CLOSE(phx_law_potential(cubic, x), 50.0 * x * x + 1.25e4 * pow(x, 4), 1e-12, "its potential at %g", x);
        CHECK_CLOSE(phx_law_value(sine, x), sinh(8.0 * x), 1e-8, "sinh at %g", x);
        CHECK_CLOSE(phx_law_potential(sine, x), (cosh(8.0 * x) - 1.0) / 8.0, 1e-9, "its potential at %g", x);
        CHECK_CLOSE(phx_law_value(free_play, x), one_sided(NULL, x, 0.0), 1e-8, "free play at %g", x);
        const double y = 0.2 + x;
        if (y < 0.02)
            continue;
        CHECK_CLOSE(phx_law_value(gas, x), -500.0 * pow(0.2 / y, 1.3), 1e-6, "gas at %g", x);
        CHECK_CLOSE(phx_law_potential(gas, x), 500.0 * 0.2 / 0.3 * (pow(0.2 / y, 0.3) - 1.0), 1e-7, "its energy at %g",
                    x);
    }
    CHECK_CLOSE(phx_law_value(cubic, 0.3), 420.0 + 0.1 * (100.0 + 1.5e5 * 0.04), 1e-6, "the last slope goes on");
    phx_law_destroy(cubic);
    phx_law_destroy(sine);
    phx_law_destroy(free_play);
    phx_law_destroy(gas);
}

static double jump(const void *data, double x, double s)
{
    (void)data, (void)s;
    return x > 0.123 ? 1.0 : 0.0;
}

static double pole(const void *data, double x, double s)
{
    (void)data, (void)s;
    return 1.0 / x;
}

static void wrong_laws_are_refused(void **state)
{
    phx_signal *signal = NULL;
    phx_law *law = NULL;
    CHECK_OK(*state, phx_signal_create_function(*state, jump, NULL, NULL, 0, NULL, &signal));
    assert_int_equal(phx_law_create(*state, signal, -1.0, 1.0, &law), PHX_ERR_INPUT);
    assert_non_null(strstr(phx_context_message(*state), "0.123"));
    assert_int_equal(phx_law_create(*state, signal, 1.0, -1.0, &law), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_law_create(*state, NULL, 0.0, 1.0, &law), PHX_ERR_ARGUMENT);
    phx_signal_destroy(signal);
    CHECK_OK(*state, phx_signal_create_function(*state, pole, NULL, NULL, 0, NULL, &signal));
    assert_int_equal(phx_law_create(*state, signal, -1.0, 1.0, &law), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_law_create_gas(*state, 1.0, 0.0, 1.3, &law), PHX_ERR_ARGUMENT);
    phx_signal_destroy(signal);
    assert_null(law);
    phx_law_destroy(NULL);
}

/* ---- penetrations ---- */
static void penetrations_balance(void **state)
{
    uint64_t seed = 72;
    (void)state;
    for (int k = 0; k < 4000; k++) {
        const phx_penalty penalty = {1e4, k % 2 ? 1.5 : 1.0, k % 3 ? 0.4 : 0.0};
        const double g0 = 0.1 * random_value(&seed), h = pow(10.0, uniform(&seed, -5.0, -1.0));
        const double g1 = k % 5 ? 0.1 * random_value(&seed) : g0 + 1e-12 * random_value(&seed), rate = (g1 - g0) / h;
        const phx_penalty_force f = phx_penalty_evaluate(&penalty, g0, g1, rate);
        const double V0 = phx_penalty_energy(&penalty, g0), V1 = phx_penalty_energy(&penalty, g1);
        CHECK_CLOSE(f.conservative * (g1 - g0), V0 - V1, 4e-15 * (V0 + V1), "discrete gradient, %g to %g", g0, g1);
        CHECK_CLOSE(f.value * (g1 - g0) + (V1 - V0) + h * f.dissipated, 0.0, 4e-15 * (V0 + V1 + h * f.dissipated),
                    "balance, %g to %g", g0, g1);
        assert_true(f.dissipated >= 0.0 && f.value >= 0.0);
        const double step = 1e-7;
        const double by_end = (phx_penalty_evaluate(&penalty, g0, g1 + step, rate).value -
                               phx_penalty_evaluate(&penalty, g0, g1 - step, rate).value) /
                              (2.0 * step);
        const double by_rate = (phx_penalty_evaluate(&penalty, g0, g1, rate + step).value -
                                phx_penalty_evaluate(&penalty, g0, g1, rate - step).value) /
                               (2.0 * step);
        if (fabs(g1) > 1e-4 && fabs(1.0 - penalty.damping * rate) > 1e-4) {
            CHECK_CLOSE(f.by_end, by_end, 2e-3 * (1.0 + fabs(by_end)), "dF/dg1, %g to %g", g0, g1);
            CHECK_CLOSE(f.by_rate, by_rate, 1e-4 * (1.0 + fabs(by_rate)), "dF/dg', %g to %g", g0, g1);
        }
    }
}

/* The impact of a mass 1 on a spring of Hunt and Crossley by the midpoint rule. v dv/(1 + chi v) = -k d^p dd gives
 * F(v) = v/chi - log(1 + chi v)/chi^2 = k d^(p+1)/(p+1) at the largest penetration, and F(v) = F(-e v). */
static double momentum_lost(double chi, double v)
{
    return v / chi - log1p(chi * v) / (chi * chi);
}

static void impacts_lose_what_the_law_says(void **state)
{
    static const struct {
        phx_penalty penalty;
        double v, restitution, time; /* by DOP853 */
    } cases[] = {{{1e6, 1.0, 0.05}, 2.0, 0.9374755800463023, 0.0031428205654624856},
                 {{1e8, 1.5, 0.3}, 2.0, 0.7119501793693642, 0.001848134093591661}};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const phx_penalty *law = &cases[k].penalty;
        const double lost = momentum_lost(law->damping, cases[k].v);
        const double deepest = pow((law->exponent + 1.0) * lost / law->stiffness, 1.0 / (law->exponent + 1.0));
        double last = 0.0;
        CHECK_RELATIVE(momentum_lost(law->damping, -cases[k].restitution * cases[k].v), lost, 1e-9, "restitution");
        for (int n = 1000; n <= 2000; n *= 2) {
            const double h = cases[k].time / n;
            double x = 0.0, v = -cases[k].v, depth = 0.0;
            for (int i = 0; i < 2 * n && x <= 0.0; i++) {
                double v1 = v;
                for (int it = 0; it < 30; it++) { /* v1 = v + h F(x, x1, (x1 - x)/h), x1 = x + h (v + v1)/2 */
                    const double x1 = x + 0.5 * h * (v + v1);
                    const phx_penalty_force f = phx_penalty_evaluate(&cases[k].penalty, x, x1, 0.5 * (v + v1));
                    v1 -= (v1 - v - h * f.value) / (1.0 - 0.5 * h * (h * f.by_end + f.by_rate));
                }
                x += 0.5 * h * (v + v1);
                v = v1;
                depth = fmax(depth, -x);
            }
            const double error = v / cases[k].v - cases[k].restitution;
            CHECK_CLOSE(depth, deepest, 4.0 / n / n * deepest, "largest penetration, %d steps", n);
            if (n == 2000)
                CHECK_CLOSE(error, 0.0, 0.4 * fabs(last) + 1e-9, "restitution: order 2, case %d", k);
            CHECK_CLOSE(error, 0.0, 2e-5, "restitution, case %d, %d steps", k, n);
            last = error;
        }
    }
}

/* ---- everything along one scalar ---- */
static void scalars_balance(void **state)
{
    uint64_t seed = 73;
    phx_law *law = table_law(*state);
    phx_signal *damper = NULL, *effort = NULL;
    const double v[4] = {-3.0, -0.1, 0.0, 2.0}, c[4] = {-8.0, -0.2, 0.0, 5.0};
    CHECK_OK(*state, phx_signal_create_table(*state, 4, v, c, &damper));
    CHECK_OK(*state, phx_signal_create_constant(*state, 3.0, &effort));
    const phx_scalar_force force = {.stiffness = 5.0,
                                    .damping = 0.3,
                                    .rest = 0.1,
                                    .law = law,
                                    .damper = damper,
                                    .effort = effort,
                                    .has_lower = true,
                                    .has_upper = true,
                                    .lower = -0.4,
                                    .upper = 0.5,
                                    .stop = {2e3, 1.5, 0.2},
                                    .friction = {1.5, 1.4, 0.05, 0.01}};
    CHECK_OK(*state, phx_scalar_force_check(*state, &force));
    assert_true(phx_scalar_force_dissipates(&force) && !phx_scalar_force_is_linear(&force));
    const size_t before = phx_context_allocations(*state);
    for (int k = 0; k < 3000; k++) {
        const double x0 = random_value(&seed), x1 = k % 4 ? random_value(&seed) : x0 + 1e-9 * random_value(&seed);
        const double h = pow(10.0, uniform(&seed, -4.0, 0.0)), rate = (x1 - x0) / h;
        phx_scalar_result f;
        CHECK_OK(*state, phx_scalar_force_evaluate(*state, &force, x0, x1, rate, 0.0, &f));
        const double V0 = phx_scalar_force_energy(&force, x0), V1 = phx_scalar_force_energy(&force, x1);
        const double balance = f.force * (x1 - x0) + V1 - V0 - h * f.supplied + h * f.dissipated;
        CHECK_CLOSE(balance, 0.0, 1e-14 * (V0 + V1 + h * (fabs(f.supplied) + f.dissipated) + 1.0), "balance, %g to %g",
                    x0, x1);
        assert_true(f.dissipated >= 0.0);
    }
    assert_int_equal(phx_context_allocations(*state), before);
    phx_law_destroy(law);
    phx_signal_destroy(damper);
    phx_signal_destroy(effort);
}

static double pushing(const void *data, double v, double s)
{
    (void)data, (void)s;
    return v - 4.0 * v * v * v;
}

static void dampers_that_give_energy_are_refused(void **state)
{
    const double v[3] = {-1.0, 0.0, 1.0}, wrong[3] = {1.0, 0.0, 1.0}, off[3] = {-1.0, 0.5, 1.0};
    phx_signal *signal = NULL;
    CHECK_OK(*state, phx_signal_create_table(*state, 3, v, wrong, &signal));
    assert_int_equal(phx_damper_check(*state, signal), PHX_ERR_ARGUMENT);
    phx_signal_destroy(signal);
    CHECK_OK(*state, phx_signal_create_table(*state, 3, v, off, &signal));
    assert_int_equal(phx_damper_check(*state, signal), PHX_ERR_ARGUMENT);
    phx_signal_destroy(signal);
    CHECK_OK(*state, phx_signal_create_function(*state, pushing, NULL, NULL, 0, NULL, &signal));
    assert_int_equal(phx_damper_check(*state, signal), PHX_ERR_ARGUMENT);
    phx_signal_destroy(signal);
    CHECK_OK(*state, phx_damper_check(*state, NULL));
    assert_int_equal(phx_penalty_check(*state, &(phx_penalty){1.0, 2.0, 0.0}), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_penalty_check(*state, &(phx_penalty){-1.0, 1.0, 0.0}), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_friction_check(*state, &(phx_friction){1.0, 0.5, 0.0, 0.1}), PHX_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(laws_have_exact_potentials, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(play_is_exact_near_zero, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(laws_are_what_was_given, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(wrong_laws_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(penetrations_balance, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(impacts_lose_what_the_law_says, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(scalars_balance, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(dampers_that_give_energy_are_refused, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
