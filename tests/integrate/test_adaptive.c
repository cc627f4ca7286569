/* radau5 and ida with tolerances: errors follow them, steps adapt, work is integrated, trouble has a message. */
#include "check.h"

static const double END = 1.0;

static void reference(swing *s, const pendulum_def *def, swing *exact)
{
    phx_integrate_options options = swing_options(PHX_GAUSS6, 1.0 / 1024.0, END);
    swing_start(s, def);
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
    *exact = *s;
}

/* Global errors stay within a factor of the tolerance over six decades */
static void test_errors_follow_tolerance(void **state)
{
    static const double factor[] = {[PHX_RADAU5] = 200.0, [PHX_IDA] = 200.0};
    swing *s = *state, exact;
    for (int damped = 0; damped < 2; damped++) {
        pendulum_def def = damped ? driven_def(true) : pendulum_def_default();
        reference(s, &def, &exact);
        for (int k = PHX_RADAU5; k <= PHX_IDA; k++) {
            long steps = 0;
            for (double rtol = 1e-4; rtol > 1e-11; rtol *= 0.01) {
                phx_integrate_options options = swing_options((phx_integrator)k, 0.0, END);
                options.rtol = options.atol = rtol;
                swing_start(s, &def);
                CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
                double error = fmax(distance(s->p.dae.n_x, s->x, exact.x), distance(s->p.dae.n_v, s->v, exact.v));
                print_message("%-7s rtol %.0e: error %.1e, %ld steps, %ld rejected, balance %.1e J, gap %.1e m\n",
                              phx_integrator_name(k), rtol, error, s->stats.steps, s->stats.rejected, s->residual,
                              s->gap);
                CHECK_SMALL(error, factor[k] * rtol, "error of %s at rtol %.0e", phx_integrator_name(k), rtol);
                CHECK_SMALL(s->residual, 1e4 * rtol, "balance of %s at rtol %.0e", phx_integrator_name(k), rtol);
                CHECK_SMALL(s->gap, 20.0 * rtol, "gap of %s at rtol %.0e", phx_integrator_name(k), rtol);
                assert_true(s->stats.steps > steps);
                steps = s->stats.steps;
            }
        }
    }
}

/* The work agrees with that of midpoint, which is exact to its scheme */
static void test_work(void **state)
{
    swing *s = *state, exact;
    pendulum_def def = driven_def(true);
    reference(s, &def, &exact);
    assert_true(fabs(exact.work.supplied) > 1.0 && exact.work.dissipated > 0.1);
    for (int k = PHX_RADAU5; k <= PHX_IDA; k++) {
        phx_integrate_options options = swing_options((phx_integrator)k, 0.0, END);
        options.rtol = 1e-9;
        swing_start(s, &def);
        CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
        CHECK_SMALL(s->work.supplied - exact.work.supplied, 1e-6, "work supplied, %s", phx_integrator_name(k));
        CHECK_SMALL(s->work.dissipated - exact.work.dissipated, 1e-6, "work dissipated, %s", phx_integrator_name(k));
    }
    phx_integrate_options options = swing_options(PHX_MIDPOINT, 1e-4, END);
    swing_start(s, &def);
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
    CHECK_SMALL(s->work.supplied - exact.work.supplied, 1e-6, "work supplied, midpoint");
    CHECK_SMALL(s->work.dissipated - exact.work.dissipated, 1e-6, "work dissipated, midpoint");
}

/* Ringing that dampers end: short steps first, long ones afterwards */
static void test_steps_adapt(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    def.stiffness = 1e4;
    def.damping = 20.0;
    for (int k = PHX_RADAU5; k <= PHX_IDA; k++) {
        static const double bent[BODIES] = {0.01, -0.02}, still[BODIES] = {0};
        phx_integrate_options options = swing_options((phx_integrator)k, 0.0, 50.0);
        options.rtol = 1e-5;
        options.atol = 1e-6;
        options.every = 25.0;
        swing_start(s, &def);
        pendulum_place(&s->p, bent, still, s->x, s->v);
        CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
        print_message("%-7s %ld steps, smallest %.1e s\n", phx_integrator_name(k), s->stats.steps,
                      s->stats.smallest_step);
        assert_true(s->stats.smallest_step < 5e-3);
        assert_true(s->stats.steps < 1500);
        CHECK_SMALL(s->p.dae.ops->norm(&s->p.dae, s->v), 1e-3, "speed in the end");
    }
}

/* A bending link that the drive swings slowly: BDF above order 2 would have to resolve its vibrations, 5e3 rad/s */
static void test_stiff_and_slow(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    def.driven = true;
    def.gravity = 0.0;
    def.stiffness = 4e6;
    def.swing = 1.0;
    def.frequency = 1.0;
    static const double stretched[BODIES] = {0}, still[BODIES] = {0};
    phx_integrate_options options = swing_options(PHX_IDA, 0.0, 10.0);
    options.rtol = options.atol = 1e-6;
    swing_start(s, &def);
    pendulum_place(&s->p, stretched, still, s->x, s->v);
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
    print_message("ida     %ld steps, smallest %.1e s\n", s->stats.steps, s->stats.smallest_step);
    assert_true(s->stats.steps < 8000);
    CHECK_SMALL(s->x[4] - (1.0 - cos(10.0)), 1e-4, "angle of the drive");
    CHECK_SMALL(s->x[9] - s->x[4], 1e-4, "bending");
}

/* A prescribed speed that jumps: the steps go on behind it, with the new speed */
static void test_jump(void **state)
{
    swing *s = *state;
    pendulum_def def = driven_def(false);
    def.jump = 1.5;
    def.jump_time = 1.0 / 3.0;
    double angle = 0.3 + def.speed * END + def.swing * (1.0 - cos(def.frequency * END)) / def.frequency +
                   def.jump * (END - def.jump_time);
    for (double rtol = 1e-6; rtol > 1e-11; rtol *= 0.01) {
        phx_integrate_options options = swing_options(PHX_IDA, 0.0, END);
        options.rtol = options.atol = rtol;
        swing_start(s, &def);
        CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
        double gap, rate;
        s->p.dae.ops->drift(&s->p.dae, s->t, s->x, s->v, &gap, &rate);
        CHECK_SMALL(s->x[4] - angle, 100.0 * rtol, "angle of the drive at rtol %.0e", rtol);
        CHECK_SMALL(gap, 100.0 * rtol, "gap at rtol %.0e", rtol);
        CHECK_SMALL(rate, 100.0 * rtol, "velocity residual at rtol %.0e", rtol);
    }
}

/* Landing on close instants costs steps, not accuracy */
static void test_landing(void **state)
{
    swing *s = *state, exact;
    pendulum_def def = pendulum_def_default();
    reference(s, &def, &exact);
    for (int k = PHX_RADAU5; k <= PHX_IDA; k++) {
        phx_integrate_options options = swing_options((phx_integrator)k, 0.0, END);
        options.rtol = 1e-7;
        options.every = 0.001;
        swing_start(s, &def);
        CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
        assert_int_equal(s->samples, 1001);
        assert_true(s->stats.steps >= 1000 && s->stats.steps < 2500);
        CHECK_SMALL(distance(s->p.dae.n_x, s->x, exact.x), 1e-5, "positions of %s", phx_integrator_name(k));
    }
}

/* Without rtol: radau5 keeps its step, ida keeps below it */
static void test_without_tolerance(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    phx_integrate_options options = swing_options(PHX_RADAU5, 0.01, END);
    swing_start(s, &def);
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
    assert_int_equal(s->stats.steps, 100);
    options = swing_options(PHX_IDA, 1e-4, END);
    swing_start(s, &def);
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
    assert_true(s->stats.steps >= 10000);
}

/* A tolerance below rounding ends ida with its own words, and what cannot be solved ends radau5 */
static void test_hopeless(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    phx_integrate_options options = swing_options(PHX_IDA, 0.0, END);
    options.rtol = 1e-15;
    options.atol = 1e-18;
    swing_start(s, &def);
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_NOT_CONVERGED);
    CHECK_TEXT(phx_context_message(s->context), "ida stopped at t = ");
    CHECK_TEXT(phx_context_message(s->context), "IDASolve");
    CHECK_TEXT(phx_context_message(s->context), "larger rtol");
    assert_true(s->t > 0.0 && isfinite(s->x[0]));

    options.integrator = PHX_RADAU5;
    options.rtol = 1e-6;
    swing_start(s, &def);
    s->p.calls = 0;
    s->p.fail_at = 200;
    s->p.fail_count = 1000000;
    s->p.fail_with = PHX_NOT_CONVERGED;
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_NOT_CONVERGED);
    CHECK_TEXT(phx_context_message(s->context), "radau5 stopped at t = ");
    CHECK_TEXT(phx_context_message(s->context), "larger rtol");
    assert_true(s->t > 0.0 && isfinite(s->x[0]) && s->samples > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_follow_tolerance),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_steps_adapt),
        cmocka_unit_test(test_stiff_and_slow),
        cmocka_unit_test(test_jump),
        cmocka_unit_test(test_landing),
        cmocka_unit_test(test_without_tolerance),
        cmocka_unit_test(test_hopeless),
    };
    return cmocka_run_group_tests(tests, setup_swing, teardown_swing);
}
