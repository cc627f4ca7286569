/* The midpoint step with its predictor, reused Jacobians, condensation and early stop against the same scheme in its
 * plainest form: Newton from the velocities before the step, a fresh whole Jacobian for every correction, down to
 * rounding. */
#include <phlexor/integrate.h>

#include "../system/test_models.h"

static const double STEP = 1e-3;
enum { STEPS = TEST_SHORTER(150, 20) };

static phx_status nothing(void *user, const phx_sample *sample)
{
    (void)user;
    (void)sample;
    return PHX_OK;
}

static double largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static void check_state(const char *name, const char *what, int n, const double *got, const double *want)
{
    const double scale = 1.0 + largest(n, want);
    for (int i = 0; i < n; i++)
        CHECK_CLOSE(got[i], want[i], 1e-11 * scale, "%s: %s %d", name, what, i);
}

/* The state after STEPS steps of phx_integrate from the start. */
static void integrated(model *m, double *x, double *v, double *lambda, phx_integrate_stats *stats)
{
    phx_integrate_options options = phx_integrate_options_default();
    double t = 0.0;
    options.integrator = PHX_MIDPOINT;
    options.step = STEP;
    options.end = options.every = STEPS * STEP;
    memcpy(x, m->x, (size_t)m->n_x * sizeof *x);
    memcpy(v, m->v, (size_t)m->n_v * sizeof *v);
    memcpy(lambda, m->lambda, (size_t)m->n_l * sizeof *lambda);
    CHECK_OK(m->context, phx_integrate(m->dae, &options, &t, x, v, lambda, nothing, NULL, stats));
}

static void fast_steps_are_the_plain_ones(void **state)
{
    for (int k = 0; k < n_test_models; k++) {
        enum { MOST = 400 };
        double x[MOST], v[MOST], lambda[MOST];
        phx_integrate_stats stats;
        phx_work work;
        model m;
        open_test_model(*state, &test_models[k], &m);
        model_start(&m, false);
        assert_in_range(m.n_x, 1, MOST);
        assert_in_range(m.n_l, 0, MOST);
        integrated(&m, x, v, lambda, &stats);
        assert_int_equal(stats.steps, STEPS);
        phx_system_condense(m.dae, PHX_CONDENSE_NEVER);
        run_midpoint(&m, 0.0, STEP, STEPS, &work);
        check_state(test_models[k].name, "place", m.n_x, x, m.x);
        check_state(test_models[k].name, "velocity", m.n_v, v, m.v);
        print_message("%s: %.2f corrections a step, %ld Jacobians\n", test_models[k].name,
                      (double)stats.newton_iterations / STEPS, stats.linearisations);
        model_close(&m);
    }
}

/* The data that an interval takes over from the projection before it equal those it would evaluate itself. */
static void a_look_between_the_steps_changes_nothing(void **state)
{
    for (int k = 0; k < n_test_models; k++) {
        model plain, looked;
        phx_work work, total = {0.0, 0.0};
        double position = 0.0, velocity = 0.0;
        open_test_model(*state, &test_models[k], &plain);
        open_test_model(*state, &test_models[k], &looked);
        model_start(&plain, false);
        model_start(&looked, false);
        double *start = calloc((size_t)plain.n_x, sizeof *start);
        assert_non_null(start);
        memcpy(start, plain.x, (size_t)plain.n_x * sizeof *start);
        run_midpoint(&plain, 0.0, STEP, 20, &total);
        for (int i = 0; i < 20; i++) {
            run_midpoint(&looked, i * STEP, STEP, 1, &work);
            looked.dae->ops->drift(looked.dae, 0.0, start, looked.v, &position, &velocity);
        }
        assert_memory_equal(plain.x, looked.x, (size_t)plain.n_x * sizeof *plain.x);
        assert_memory_equal(plain.v, looked.v, (size_t)plain.n_v * sizeof *plain.v);
        free(start);
        model_close(&plain);
        model_close(&looked);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fast_steps_are_the_plain_ones, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_look_between_the_steps_changes_nothing, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
