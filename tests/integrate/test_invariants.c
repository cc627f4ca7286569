/* Invariants of the schemes, over many steps: energy, closed joints, velocities on the joints, rotations.
 */
#include "check.h"

static double rotation_error(const swing *s)
{
    double error = 0.0;
    for (int b = 0; b < s->p.def.bodies; b++) {
        const double *x = s->x + NX * b;
        error = fmax(error, fabs(x[2] * x[2] + x[3] * x[3] - 1.0));
        error = fmax(error, fmax(fabs(x[2] - cos(x[4])), fabs(x[3] - sin(x[4]))));
    }
    return error;
}

static void go_on(swing *s, phx_integrator integrator, double h, long count)
{
    const long steps = TEST_LONG(count);
    const char *name = phx_integrator_name(integrator);
    phx_integrate_options options = swing_options(integrator, h, h * (double)steps);
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
    print_message("%-9s %ld steps: balance %.1e of %.3g J, gap %.1e m, rate %.1e m/s, %.2f iterations, %.2f "
                  "factorisations a step\n",
                  name, s->stats.steps, s->residual, s->kinetic, s->gap, s->rate,
                  (double)s->stats.newton_iterations / (double)s->stats.steps,
                  (double)s->stats.factorisations / (double)s->stats.steps);
    assert_true(s->stats.steps >= steps);
    CHECK_SMALL(s->residual, 1e-10 * s->kinetic, "energy balance of %s", name);
    CHECK_SMALL(s->gap, 1e-12, "gap of the joints, %s", name);
    CHECK_SMALL(s->rate, 1e-11, "velocities of the joints, %s", name);
    CHECK_SMALL(rotation_error(s), integrator == PHX_MIDPOINT || integrator == PHX_MIDPOINT4 ? 1e-11 : 1.0,
                "attitudes, %s", name);
}

static void check_long_run(swing *s, const pendulum_def *def, phx_integrator integrator, double h, long steps)
{
    swing_start(s, def);
    go_on(s, integrator, h, steps);
}

static void test_double_pendulum(void **state)
{
    pendulum_def def = pendulum_def_default();
    check_long_run(*state, &def, PHX_MIDPOINT, 0.01, 100000);
    check_long_run(*state, &def, PHX_MIDPOINT4, 0.01, 3000);
    check_long_run(*state, &def, PHX_GAUSS4, 0.005, 30000);
    check_long_run(*state, &def, PHX_GAUSS6, 0.01, 30000);
}

/* The balance contains the drive's work and the dampers' */
static void test_driven_and_damped(void **state)
{
    pendulum_def def = driven_def(false);
    check_long_run(*state, &def, PHX_MIDPOINT, 0.01, 20000);
    check_long_run(*state, &def, PHX_MIDPOINT4, 0.02, 1000);
    def.damping = 0.1;
    check_long_run(*state, &def, PHX_MIDPOINT, 0.01, 20000);
    def.driven = false;
    check_long_run(*state, &def, PHX_MIDPOINT, 0.01, 5000);
}

/* Gauss with a drive: its work is a quadrature of the method and balances too, for a constant speed */
static void test_gauss_with_a_drive(void **state)
{
    pendulum_def def = driven_def(false);
    def.swing = 0.0;
    check_long_run(*state, &def, PHX_GAUSS4, 0.005, 10000);
    check_long_run(*state, &def, PHX_GAUSS6, 0.01, 10000);
}

/* Springs that the step does not resolve: h omega is about 15, and the joints ring. Where they turn round the kinetic
 * energy is so small that a projection may be too large for it: some steps are halved. */
static void test_stiff_springs(void **state)
{
    static const double bent[BODIES] = {0.001, -0.002}, turning[BODIES] = {1.0, -2.0};
    static const phx_integrator integrators[] = {PHX_MIDPOINT, PHX_GAUSS4, PHX_GAUSS6};
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    def.stiffness = 1e5;
    for (int k = 0; k < 3; k++) {
        swing_start(s, &def);
        pendulum_place(&s->p, bent, turning, s->x, s->v);
        go_on(s, integrators[k], 0.01, 10000);
        assert_true(s->stats.halvings < 500);
    }
}

/* h, turn round, the same again: back at the start, but for what a projection takes at one end only */
static double return_error(swing *s, const pendulum_def *def, phx_integrator integrator, double h)
{
    phx_integrate_options options = swing_options(integrator, h, 0.8);
    double x[MOST_X], v[MOST_V];
    swing_start(s, def);
    memcpy(x, s->x, sizeof x);
    memcpy(v, s->v, sizeof v);
    for (int k = 0; k < 2; k++) {
        s->t = 0.0;
        CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
        for (int i = 0; i < s->p.dae.n_v; i++)
            s->v[i] = -s->v[i];
    }
    assert_int_equal(s->stats.halvings, 0);
    return fmax(distance(s->p.dae.n_x, x, s->x), distance(s->p.dae.n_v, v, s->v));
}

/* A single pendulum needs no projection, and its intervals are symmetric to rounding. With two links the projection is
 * made at the end of a step only; the return error is of an order above the method's: 3 for midpoint, 5 for midpoint4.
 */
static void test_time_reversal(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    def.bodies = 1;
    CHECK_SMALL(return_error(s, &def, PHX_MIDPOINT, 0.02), 2e-13, "return of midpoint");
    CHECK_SMALL(return_error(s, &def, PHX_MIDPOINT4, 0.04), 2e-13, "return of midpoint4");
    def.bodies = 2;
    double coarse = return_error(s, &def, PHX_MIDPOINT, 0.01), fine = return_error(s, &def, PHX_MIDPOINT, 0.005);
    CHECK_BETWEEN(log2(coarse / fine), 2.8, 3.2, "order of the return of midpoint");
    coarse = return_error(s, &def, PHX_MIDPOINT4, 0.02);
    fine = return_error(s, &def, PHX_MIDPOINT4, 0.01);
    CHECK_BETWEEN(log2(coarse / fine), 4.6, 5.4, "order of the return of midpoint4");
}

/* Hanging at rest: nothing moves, and no step is halved for want of a scale */
static void test_rest(void **state)
{
    static const double down[BODIES] = {-1.5707963267948966, -1.5707963267948966}, still[BODIES] = {0};
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    def.sy = 0.0;
    for (int k = 0; k < SWING_INTEGRATORS; k++) {
        phx_integrate_options options = swing_options((phx_integrator)k, 0.01, 1.0);
        swing_start(s, &def);
        pendulum_place(&s->p, down, still, s->x, s->v);
        memset(s->lambda, 0, sizeof s->lambda);
        CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
        assert_int_equal(s->stats.halvings, 0);
        CHECK_SMALL(s->p.dae.ops->norm(&s->p.dae, s->v), 1e-14, "speed at rest, %s", phx_integrator_name(k));
        CHECK_SMALL(s->lambda[1] - 2.0 * 9.81, 1e-8, "reaction at rest, %s", phx_integrator_name(k));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_pendulum),    cmocka_unit_test(test_driven_and_damped),
        cmocka_unit_test(test_gauss_with_a_drive), cmocka_unit_test(test_stiff_springs),
        cmocka_unit_test(test_time_reversal),      cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, setup_swing, teardown_swing);
}
