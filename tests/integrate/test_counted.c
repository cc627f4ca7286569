/* A fixed number of Newton corrections: the motion of the run to rounding when they are many, order 2 with one, a
 * balance that is open by what the residuals say, the same work in every step; and the wall times of steps. */
#include "check.h"

#include "integrate/step_clock.h"

static phx_integrate_options counted(int iterations, double h, double end)
{
    phx_integrate_options options = swing_options(PHX_MIDPOINT, h, end);
    options.iterations = iterations;
    return options;
}

static void run(swing *s, const pendulum_def *def, const phx_integrate_options *options)
{
    swing_start(s, def);
    CHECK_STATUS(s->context, swing_run(s, options), PHX_OK);
}

static void test_many_are_all(void **state)
{
    const pendulum_def defs[] = {pendulum_def_default(), driven_def(true)};
    swing *s = *state;
    for (int d = 0; d < 2; d++) {
        double x[MOST_X], v[MOST_V];
        phx_integrate_options options = counted(0, 0.005, 2.0);
        run(s, &defs[d], &options);
        memcpy(x, s->x, sizeof x);
        memcpy(v, s->v, sizeof v);
        options.iterations = 12;
        run(s, &defs[d], &options);
        CHECK_SMALL(distance(s->p.dae.n_x, x, s->x), 1e-11, "place, model %d", d);
        CHECK_SMALL(distance(s->p.dae.n_v, v, s->v), 1e-11, "velocity, model %d", d);
        assert_int_equal(s->stats.unsettled, 0);
        CHECK_BELOW(s->stats.correction_left, 1e-12, "correction left");
        assert_true(s->stats.newton_iterations == 12 * s->stats.steps);
        assert_true(s->stats.factorisations == s->stats.steps);
    }
}

static void test_order_with_one(void **state)
{
    const pendulum_def def = driven_def(true);
    swing *s = *state;
    double exact[MOST_X], error[3];
    phx_integrate_options options = swing_options(PHX_GAUSS6, 1e-3, 1.0);
    run(s, &def, &options);
    memcpy(exact, s->x, sizeof exact);
    for (int k = 0; k < 3; k++) {
        options = counted(1, 0.005 / (1 << k), 1.0);
        run(s, &def, &options);
        error[k] = distance(s->p.dae.n_x, exact, s->x);
        print_message("step %.4g s: error %.3g, %ld of %ld steps unsettled, correction left %.2g\n", options.step,
                      error[k], s->stats.unsettled, s->stats.steps, s->stats.correction_left);
    }
    for (int k = 1; k < 3; k++)
        CHECK_CLOSE(log2(error[k - 1] / error[k]), 2.0, 0.1, "order");
}

/* E1 - E0 - supplied + dissipated = sum of h (v_mean . r_v + lambda . r_l) */
static void test_energy_of_the_residual(void **state)
{
    const pendulum_def defs[] = {pendulum_def_default(), driven_def(true)};
    swing *s = *state;
    for (int d = 0; d < 2; d++)
        for (int iterations = 1; iterations <= 2; iterations++) {
            const phx_integrate_options options = counted(iterations, 0.02, 10.0);
            run(s, &defs[d], &options);
            print_message("model %d, %d corrections: balance %.3g J, energy left %.3g J\n", d, iterations, s->residual,
                          s->stats.energy_left);
            if (iterations == 1)
                assert_true(s->residual > 1e-9 * s->kinetic && s->stats.unsettled > s->stats.steps / 2);
            CHECK_BELOW(s->residual, s->stats.energy_left + 1e-12 * s->kinetic, "balance");
        }
}

/* A step that would be repeated in two halves ends the run instead. */
static void test_no_halves(void **state)
{
    const pendulum_def def = pendulum_def_default();
    swing *s = *state;
    const phx_integrate_options options = counted(2, 0.01, 0.1);
    run(s, &def, &options);
    const long calls = s->p.calls;
    swing_start(s, &def);
    s->p.fail_at = s->p.calls + calls / 2;
    s->p.fail_count = 1;
    s->p.fail_with = PHX_SINGULAR;
    assert_int_equal(swing_run(s, &options), PHX_SINGULAR);
    assert_int_equal(s->stats.halvings, 0);
}

static void test_numbers_that_are_not_finite(void **state)
{
    pendulum_def def = pendulum_def_default();
    swing *s = *state;
    const phx_integrate_options options = counted(1, 0.01, 0.1);
    swing_start(s, &def);
    s->p.def.gravity = INFINITY;
    assert_true(swing_run(s, &options) > 0);
    assert_int_equal(s->stats.steps, 0);
}

static void refuse(swing *s, phx_integrate_options options, phx_status status, const char *words)
{
    const pendulum_def def = pendulum_def_default();
    swing_start(s, &def);
    assert_int_equal(swing_run(s, &options), status);
    if (!strstr(phx_context_message(s->context), words))
        fail_msg("'%s' is not in '%s'", words, phx_context_message(s->context));
}

static void test_refusals(void **state)
{
    swing *s = *state;
    phx_integrate_options options = counted(-1, 0.01, 0.1);
    refuse(s, options, PHX_ERR_ARGUMENT, "iterations: -1");
    options.iterations = 2;
    options.integrator = PHX_GAUSS4;
    refuse(s, options, PHX_ERR_UNSUPPORTED, "not for gauss4");
    options.integrator = PHX_MIDPOINT;
    options.rtol = 1e-4;
    refuse(s, options, PHX_ERR_UNSUPPORTED, "steps chosen by rtol");
    options.iterations = 0;
    options.real_time = true;
    refuse(s, options, PHX_ERR_UNSUPPORTED, "real time");
    options.rtol = 0.0;
    options.integrator = PHX_IDA;
    refuse(s, options, PHX_ERR_UNSUPPORTED, "not with ida");
}

/* 98 steps of 1 ms, one of 2 ms, one of 30 ms, with a deadline of 5 ms */
static void test_percentiles(void **state)
{
    const swing *s = *state;
    phx_step_clock *clock = phx_step_clock_create(s->context);
    assert_non_null(clock);
    for (int k = 0; k < 100; k++)
        phx_step_clock_count(clock, 0.5 * k, 5e-3, k == 40 ? 2e-3 : k == 70 ? 30e-3 : 1e-3);
    const phx_step_times times = phx_step_clock_times(clock);
    phx_step_clock_destroy(clock);
    assert_int_equal(times.steps, 100);
    assert_int_equal(times.misses, 1);
    CHECK_CLOSE(times.median, 1e-3, 0.012e-3, "median");
    CHECK_CLOSE(times.percent99, 2e-3, 0.024e-3, "99 %%");
    CHECK_CLOSE(times.worst, 30e-3, 0.0, "worst");
    CHECK_CLOSE(times.worst_at, 35.0, 0.0, "time of the worst");
}

/* Allocations of the context at the first sample and at the last. */
typedef struct allocations {
    const phx_context *context;
    size_t first, last;
    long samples;
} allocations;

static phx_status count_allocations(void *user, const phx_sample *sample)
{
    allocations *it = user;
    (void)sample;
    it->last = phx_context_allocations(it->context);
    if (it->samples++ == 0)
        it->first = it->last;
    return PHX_OK;
}

static void test_steps_allocate_nothing(void **state)
{
    const pendulum_def def = pendulum_def_default();
    swing *s = *state;
    allocations it = {.context = s->context};
    phx_integrate_options options = counted(2, 0.01, 1.0);
    options.real_time = true;
    swing_start(s, &def);
    CHECK_STATUS(s->context,
                 phx_integrate(&s->p.dae, &options, &s->t, s->x, s->v, s->lambda, count_allocations, &it, NULL),
                 PHX_OK);
    assert_int_equal(it.samples, 101);
    assert_true(it.first > 0);
    assert_int_equal(it.last, it.first);
}

static void test_times_of_a_run(void **state)
{
    const pendulum_def def = pendulum_def_default();
    swing *s = *state;
    phx_integrate_options options = counted(2, 1e-9, 1e-7);
    options.real_time = true;
    run(s, &def, &options);
    const phx_step_times times = s->stats.times;
    assert_int_equal(times.steps, 100);
    assert_int_equal(times.misses, 100); /* none takes less than a nanosecond */
    assert_true(times.median > 1e-9 && times.median <= times.percent99 && times.percent99 <= times.worst);
    assert_true(times.worst <= s->stats.wall_seconds);
    options.real_time = false;
    run(s, &def, &options);
    assert_int_equal(s->stats.times.steps, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_are_all),
        cmocka_unit_test(test_order_with_one),
        cmocka_unit_test(test_energy_of_the_residual),
        cmocka_unit_test(test_no_halves),
        cmocka_unit_test(test_numbers_that_are_not_finite),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_percentiles),
        cmocka_unit_test(test_steps_allocate_nothing),
        cmocka_unit_test(test_times_of_a_run),
    };
    return cmocka_run_group_tests(tests, setup_swing, teardown_swing);
}
