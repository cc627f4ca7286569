/* Orders of convergence on the double pendulum, positions and velocities, against gauss6 with small steps, which radau5
 * at a tight tolerance confirms. The multipliers that the methods keep are of lower order, as for every method of this
 * kind in index 2; those of the accelerations at the state reached have the order of the state. */
#include "check.h"

typedef struct errors {
    double x, v, lambda, solved; /* solved: lambda by the accelerations of the end state */
} errors;

static const double END = 1.0;

static void end_state(swing *s, const pendulum_def *def, const phx_integrate_options *options)
{
    swing_start(s, def);
    CHECK_STATUS(s->context, swing_run(s, options), PHX_OK);
    CHECK_SMALL(s->t - END, 0.0, "end of the run with %s", phx_integrator_name(options->integrator));
}

static void reference(swing *s, const pendulum_def *def, swing *exact)
{
    double v_dot[MOST_V];
    phx_integrate_options options = swing_options(PHX_GAUSS6, 1.0 / 1024.0, END);
    end_state(s, def, &options);
    *exact = *s;
    s->p.dae.ops->accelerations(&s->p.dae, END, exact->x, exact->v, v_dot, exact->lambda);
}

static errors errors_of(swing *s, const pendulum_def *def, const swing *exact, phx_integrator integrator, double h)
{
    const phx_dae *dae = &s->p.dae;
    double v_dot[MOST_V], lambda[MOST_L];
    phx_integrate_options options = swing_options(integrator, h, END);
    end_state(s, def, &options);
    dae->ops->accelerations(&s->p.dae, END, s->x, s->v, v_dot, lambda);
    return (errors){.x = distance(dae->n_x, s->x, exact->x),
                    .v = distance(dae->n_v, s->v, exact->v),
                    .lambda = distance(dae->n_l, s->lambda, exact->lambda),
                    .solved = distance(dae->n_l, lambda, exact->lambda)};
}

/* Order between two steps, a factor 4 apart */
static double order(double coarse, double fine)
{
    return 0.5 * log2(coarse / fine);
}

typedef struct expectation {
    phx_integrator integrator;
    double h;             /* of the finer run */
    double state, lambda; /* orders */
} expectation;

static void check_order(swing *s, const pendulum_def *def, const swing *exact, const expectation *e)
{
    const char *name = phx_integrator_name(e->integrator);
    errors coarse = errors_of(s, def, exact, e->integrator, 4.0 * e->h);
    errors fine = errors_of(s, def, exact, e->integrator, e->h);
    assert_int_equal(s->stats.halvings, 0);
    print_message("%-9s x %.2f  v %.2f  lambda %.2f  lambda of the state %.2f   (error %.1e m, %.1e m/s)\n", name,
                  order(coarse.x, fine.x), order(coarse.v, fine.v), order(coarse.lambda, fine.lambda),
                  order(coarse.solved, fine.solved), fine.x, fine.v);
    CHECK_BETWEEN(order(coarse.x, fine.x), e->state - 0.25, e->state + 0.5, "%s, order of positions", name);
    CHECK_BETWEEN(order(coarse.v, fine.v), e->state - 0.25, e->state + 0.5, "%s, order of velocities", name);
    CHECK_BETWEEN(order(coarse.solved, fine.solved), e->state - 0.25, e->state + 0.5,
                  "%s, order of the multipliers of the state", name);
    CHECK_BETWEEN(order(coarse.lambda, fine.lambda), e->lambda - 0.25, e->lambda + 0.5, "%s, order of its multipliers",
                  name);
}

static void test_free_pendulum(void **state)
{
    static const expectation expected[] = {{PHX_MIDPOINT, 1.0 / 640.0, 2.0, 1.0},
                                           {PHX_MIDPOINT4, 1.0 / 320.0, 4.0, 1.0},
                                           {PHX_GAUSS4, 1.0 / 640.0, 4.0, 2.0},
                                           {PHX_GAUSS6, 1.0 / 200.0, 6.0, 3.0},
                                           {PHX_RADAU5, 1.0 / 320.0, 5.0, 3.0}};
    swing *s = *state, exact;
    pendulum_def def = pendulum_def_default();
    reference(s, &def, &exact);
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
        check_order(s, &def, &exact, &expected[k]);
}

/* With a drive whose speed swings and with dampers */
static void test_driven_pendulum(void **state)
{
    static const expectation expected[] = {{PHX_MIDPOINT, 1.0 / 640.0, 2.0, 1.0},
                                           {PHX_GAUSS4, 1.0 / 320.0, 4.0, 2.0},
                                           {PHX_GAUSS6, 1.0 / 80.0, 6.0, 3.0},
                                           {PHX_RADAU5, 1.0 / 160.0, 5.0, 3.0}};
    swing *s = *state, exact;
    pendulum_def def = driven_def(true);
    reference(s, &def, &exact);
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
        check_order(s, &def, &exact, &expected[k]);
    expectation composed = {PHX_MIDPOINT4, 1.0 / 320.0, 4.0, 1.0};
    def = driven_def(false);
    reference(s, &def, &exact);
    check_order(s, &def, &exact, &composed);
}

/* All six at one end state, each within its own accuracy */
static void test_methods_agree(void **state)
{
    static const struct {
        phx_integrator integrator;
        double step, rtol, atol, tolerance;
    } runs[] = {{PHX_MIDPOINT, 1e-4, 0.0, 0.0, 4e-6},  {PHX_MIDPOINT4, 1e-3, 0.0, 0.0, 4e-10},
                {PHX_GAUSS4, 1e-3, 0.0, 0.0, 4e-9},    {PHX_RADAU5, 1e-3, 0.0, 0.0, 4e-11},
                {PHX_RADAU5, 0.0, 1e-10, 1e-10, 1e-9}, {PHX_IDA, 0.0, 1e-10, 1e-11, 1e-7}};
    swing *s = *state, exact;
    pendulum_def def = driven_def(false);
    reference(s, &def, &exact);
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
        const char *name = phx_integrator_name(runs[k].integrator);
        phx_integrate_options options = swing_options(runs[k].integrator, runs[k].step, END);
        options.rtol = runs[k].rtol;
        options.atol = runs[k].atol;
        end_state(s, &def, &options);
        CHECK_SMALL(distance(s->p.dae.n_x, s->x, exact.x), runs[k].tolerance, "positions of %s", name);
        CHECK_SMALL(distance(s->p.dae.n_v, s->v, exact.v), 4.0 * runs[k].tolerance, "velocities of %s", name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_pendulum),
        cmocka_unit_test(test_driven_pendulum),
        cmocka_unit_test(test_methods_agree),
    };
    return cmocka_run_group_tests(tests, setup_swing, teardown_swing);
}
