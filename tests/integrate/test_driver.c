/* Output instants, halving, stopping and its messages, progress, statistics, arguments. */
#include "check.h"

enum { MOST_SAMPLES = 4000 };

typedef struct tape {
    swing *s;
    int count;
    double t[MOST_SAMPLES];
    double x[MOST_X], v[MOST_V], lambda[MOST_L]; /* of the last sample */
    int stop_at;                                 /* sample that ends the run; negative: none */
    phx_status stop_with;
    size_t allocations[2]; /* at the first and the last sample */
} tape;

static phx_status record(void *user, const phx_sample *sample)
{
    tape *out = user;
    assert_true(out->count < MOST_SAMPLES);
    out->allocations[out->count > 0] = phx_context_allocations(out->s->context);
    memcpy(out->x, sample->x, (size_t)out->s->p.dae.n_x * sizeof(double));
    memcpy(out->v, sample->v, (size_t)out->s->p.dae.n_v * sizeof(double));
    memcpy(out->lambda, sample->lambda, (size_t)out->s->p.dae.n_l * sizeof(double));
    out->t[out->count++] = sample->t;
    return out->count - 1 == out->stop_at ? out->stop_with : PHX_OK;
}

static phx_status run(swing *s, const phx_integrate_options *options, tape *out)
{
    *out = (tape){.s = s, .stop_at = -1};
    return phx_integrate(&s->p.dae, options, &s->t, s->x, s->v, s->lambda, record, out, &s->stats);
}

static phx_integrate_options options_of(phx_integrator integrator, double step, double end)
{
    phx_integrate_options options = swing_options(integrator, step, end);
    if (integrator == PHX_RADAU5 || integrator == PHX_IDA)
        options.rtol = 1e-6;
    return options;
}

/* Instants are start + k every, whatever step divides them, and the end; from a start that is not 0 */
static void test_output_instants(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    tape out;
    for (int k = 0; k < SWING_INTEGRATORS; k++) {
        const double start = 0.7, every = 0.1;
        phx_integrate_options options = options_of((phx_integrator)k, 0.03, start + 0.45);
        options.every = every;
        swing_start(s, &def);
        s->t = start;
        CHECK_STATUS(s->context, run(s, &options, &out), PHX_OK);
        assert_int_equal(out.count, 6);
        for (int i = 0; i < 6; i++) {
            double expected = i < 5 ? start + i * every : start + 0.45;
            CHECK_SMALL(out.t[i] - expected, 0.0, "instant %d of %s", i, phx_integrator_name(k));
        }
        CHECK_SMALL(s->t - options.end, 0.0, "end of %s", phx_integrator_name(k));
        CHECK_SMALL(distance(s->p.dae.n_x, s->x, out.x), 0.0, "state of the last sample, %s", phx_integrator_name(k));
        /* 4 steps in each full interval, 2 in the last */
        if (options.rtol == 0.0 && s->stats.halvings == 0)
            assert_int_equal(s->stats.steps, 18);
        assert_true(s->stats.smallest_step > 0.0 && s->stats.wall_seconds >= 0.0);
    }
}

/* Without `every` each step is an instant, t0 + k h; a step that does not fit is shortened evenly */
static void test_each_step(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    tape out;
    phx_integrate_options options = swing_options(PHX_MIDPOINT, 0.003, 1.0);
    swing_start(s, &def);
    CHECK_STATUS(s->context, run(s, &options, &out), PHX_OK);
    assert_int_equal(out.count, 335);
    for (int k = 0; k <= 334; k++)
        CHECK_SMALL(out.t[k] - (k == 334 ? 1.0 : k * (1.0 / 334.0)), 0.0, "instant %d", k);
    /* 0.1 is ten times 0.01, in spite of rounding */
    options = swing_options(PHX_MIDPOINT, 0.01, 0.1);
    swing_start(s, &def);
    CHECK_STATUS(s->context, run(s, &options, &out), PHX_OK);
    assert_int_equal(s->stats.steps, 10);
    for (int k = PHX_RADAU5; k <= PHX_IDA; k++) {
        options = options_of((phx_integrator)k, 0.0, 1.0);
        swing_start(s, &def);
        CHECK_STATUS(s->context, run(s, &options, &out), PHX_OK);
        assert_int_equal(out.count, s->stats.steps + 1);
        for (int i = 1; i < out.count; i++)
            assert_true(out.t[i] > out.t[i - 1]);
    }
}

/* A run of no length is its start */
static void test_no_time(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    tape out;
    for (int k = 0; k < SWING_INTEGRATORS; k++) {
        phx_integrate_options options = options_of((phx_integrator)k, 0.01, 0.0);
        swing_start(s, &def);
        CHECK_STATUS(s->context, run(s, &options, &out), PHX_OK);
        assert_int_equal(out.count, 1);
        assert_int_equal(s->stats.steps, 0);
    }
}

/* A run in two parts ends where the run in one does */
static void test_continuation(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    double x[MOST_X];
    for (int k = 0; k < PHX_IDA; k++) {
        phx_integrate_options options = swing_options((phx_integrator)k, 0.01, 1.0);
        swing_start(s, &def);
        CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
        memcpy(x, s->x, sizeof x);
        swing_start(s, &def);
        options.end = 0.5;
        CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
        options.end = 1.0;
        CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
        CHECK_SMALL(distance(s->p.dae.n_x, s->x, x), 1e-11, "two parts of %s", phx_integrator_name(k));
    }
}

/* The same run twice: the same bits */
static void test_repeatable(void **state)
{
    swing *s = *state;
    pendulum_def def = driven_def(false);
    double first[MOST_X + MOST_V];
    for (int k = 0; k < SWING_INTEGRATORS; k++) {
        phx_integrate_options options = options_of((phx_integrator)k, 0.01, 0.5);
        for (int time = 0; time < 2; time++) {
            swing_start(s, &def);
            CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
            if (time == 0) {
                memcpy(first, s->x, sizeof s->x);
                memcpy(first + MOST_X, s->v, sizeof s->v);
            }
        }
        assert_memory_equal(first, s->x, sizeof s->x);
        assert_memory_equal(first + MOST_X, s->v, sizeof s->v);
    }
}

/* A step that is far too large is halved, the invariants stay, and the statistics say so */
static void test_halving(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    for (int k = 0; k <= PHX_RADAU5; k++) {
        const char *name = phx_integrator_name(k);
        phx_integrate_options options = swing_options((phx_integrator)k, 2.0, 4.0);
        swing_start(s, &def);
        CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
        print_message("%-9s step 2 s: %ld steps, %ld halvings, smallest %.3g s\n", name, s->stats.steps,
                      s->stats.halvings, s->stats.smallest_step);
        assert_true(s->stats.halvings > 4);
        assert_true(s->stats.rejected >= s->stats.halvings);
        assert_true(s->stats.steps > 2);
        /* pieces are 2/2^n */
        double level = log2(2.0 / s->stats.smallest_step);
        CHECK_SMALL(level - round(level), 0.0, "smallest piece of %s", name);
        /* and no more of them than the smallest needs: others merge again */
        assert_true((double)s->stats.steps < 4.0 / s->stats.smallest_step);
        CHECK_SMALL(s->t - 4.0, 0.0, "end of %s", name);
        assert_int_equal(s->samples, 3);
        assert_string_equal(phx_context_message(s->context), "");
        if (k != PHX_RADAU5)
            CHECK_SMALL(s->residual, 1e-11, "energy of %s with halvings", name);
    }
}

/* Without halvings the same run stops, says why, and keeps what it has */
static void test_no_halvings_left(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    for (int k = 0; k <= PHX_RADAU5; k++) {
        tape out;
        phx_integrate_options options = swing_options((phx_integrator)k, 4.0, 8.0);
        options.max_halvings = 1;
        swing_start(s, &def);
        phx_status status = run(s, &options, &out);
        CHECK_STATUS(s->context, status, PHX_NOT_CONVERGED);
        const char *message = phx_context_message(s->context);
        CHECK_TEXT(message, phx_integrator_name(k));
        CHECK_TEXT(message, "stopped at t = 0 s: with a step of ");
        CHECK_TEXT(message, "Newton's iteration");
        CHECK_TEXT(message, " s Newton's iteration");
        CHECK_TEXT(message, ", worst at ");
        CHECK_TEXT(message, "try a smaller step");
        assert_int_equal(out.count, 1);
        CHECK_SMALL(s->t, 0.0, "time of the state kept");
        CHECK_SMALL(distance(s->p.dae.n_x, s->x, out.x), 0.0, "state kept");
    }
}

static bool stop_after(void *user, const char *what, double done, double total)
{
    int *left = user;
    assert_non_null(what);
    assert_true(done >= 0.0 && done <= total);
    return (*left)-- > 0;
}

/* The progress callback stops a run; the state is one that was reached, and the run can go on from it */
static void test_interruption(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    for (int k = 0; k < SWING_INTEGRATORS; k++) {
        tape out;
        int left = 5;
        phx_integrate_options options = options_of((phx_integrator)k, 0.01, 1.0);
        swing_start(s, &def);
        phx_context_set_progress(s->context, stop_after, &left);
        CHECK_STATUS(s->context, run(s, &options, &out), PHX_INTERRUPTED);
        phx_context_set_progress(s->context, NULL, NULL);
        CHECK_TEXT(phx_context_message(s->context), "stopped by the user");
        assert_true(s->t > 0.0 && s->t < 1.0);
        assert_true(s->stats.steps >= 6 && s->stats.wall_seconds >= 0.0);
        double gap, rate;
        s->p.dae.ops->drift(&s->p.dae, s->t, s->x, s->v, &gap, &rate);
        CHECK_SMALL(gap, 1e-5, "gap of the state kept, %s", phx_integrator_name(k));
        CHECK_STATUS(s->context, run(s, &options, &out), PHX_OK);
        CHECK_SMALL(s->t - 1.0, 0.0, "end of the continued run");
    }
}

static bool count_calls(void *user, const char *what, double done, double total)
{
    (void)what, (void)done, (void)total;
    ++*(int *)user;
    return true;
}

/* Progress is reported throughout a run, and not at every step of a long one */
static void test_progress_is_throttled(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    int calls = 0;
    phx_integrate_options options = swing_options(PHX_MIDPOINT, 1e-4, 2.0);
    swing_start(s, &def);
    phx_context_set_progress(s->context, count_calls, &calls);
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
    phx_context_set_progress(s->context, NULL, NULL);
    assert_int_equal(s->stats.steps, 20000);
    CHECK_BETWEEN((double)calls, 900.0, 2500.0, "calls of the progress callback");
}

/* The sample callback stops a run with whatever status it likes */
static void test_sample_stops(void **state)
{
    static const phx_status statuses[] = {PHX_INTERRUPTED, PHX_ERR_FILE};
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    for (int k = 0; k < SWING_INTEGRATORS; k++)
        for (int at = 0; at < 4; at++) {
            tape out = {.s = s, .stop_at = at, .stop_with = statuses[at % 2]};
            phx_integrate_options options = options_of((phx_integrator)k, 0.01, 1.0);
            options.every = at % 2 ? 0.0 : 0.1;
            swing_start(s, &def);
            phx_status status =
                phx_integrate(&s->p.dae, &options, &s->t, s->x, s->v, s->lambda, record, &out, &s->stats);
            CHECK_STATUS(s->context, status, statuses[at % 2]);
            assert_int_equal(out.count, at + 1);
            CHECK_SMALL(s->t - out.t[at], 0.0, "time of the last state");
        }
}

/* Nothing is allocated between the first sample and the last */
static void test_steps_allocate_nothing(void **state)
{
    swing *s = *state;
    pendulum_def def = driven_def(false);
    for (int k = 0; k < SWING_INTEGRATORS; k++)
        for (int fixed = 0; fixed < 2; fixed++) {
            tape out;
            phx_integrate_options options = options_of((phx_integrator)k, 0.05, 2.0);
            options.every = 0.25;
            if (fixed)
                options.rtol = 0.0;
            swing_start(s, &def);
            CHECK_STATUS(s->context, run(s, &options, &out), PHX_OK);
            assert_int_equal(out.count, 9);
            assert_int_equal(out.allocations[0], out.allocations[1]);
        }
}

static void test_statistics(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    for (int k = 0; k < SWING_INTEGRATORS; k++) {
        phx_integrate_options options = options_of((phx_integrator)k, 0.005, 1.0);
        swing_start(s, &def);
        CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
        const phx_integrate_stats *stats = &s->stats;
        assert_true(stats->steps > 0 && stats->newton_iterations >= stats->steps);
        assert_true(stats->linearisations > 0 && stats->factorisations > 0);
        assert_int_equal(stats->projections, k <= PHX_GAUSS6 ? stats->steps : 0);
        if (k <= PHX_GAUSS6) {
            assert_int_equal(stats->steps, 200);
            CHECK_SMALL(stats->smallest_step - 0.005, 1e-17, "smallest step");
            assert_true(stats->factorisations < stats->newton_iterations / 2);
        }
    }
    /* callback and statistics are optional */
    phx_integrate_options options = swing_options(PHX_MIDPOINT, 0.01, 0.1);
    swing_start(s, &def);
    CHECK_STATUS(s->context, phx_integrate(&s->p.dae, &options, &s->t, s->x, s->v, s->lambda, NULL, NULL, NULL),
                 PHX_OK);
}

/* A coarser Newton tolerance costs fewer iterations and leaves its mark on the energy; the step is so large that the
 * prediction alone does not do it. */
static void test_newton_tolerance(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    for (int k = 0; k <= PHX_GAUSS6; k++) {
        phx_integrate_options options = swing_options((phx_integrator)k, 0.02, 2.0);
        swing_start(s, &def);
        CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
        long iterations = s->stats.newton_iterations;
        double residual = s->residual;
        options.newton_tolerance = 1e-6;
        swing_start(s, &def);
        CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
        assert_true(s->stats.newton_iterations < iterations * 3 / 4);
        CHECK_SMALL(residual, 1e-11, "energy to rounding, %s", phx_integrator_name(k));
        CHECK_BETWEEN(s->residual, 10.0 * residual, 1e-2, "energy to 1e-6, %s", phx_integrator_name(k));
    }
}

static void refuse(swing *s, phx_integrate_options options, const char *what)
{
    double t = s->t;
    CHECK_STATUS(s->context, phx_integrate(&s->p.dae, &options, &s->t, s->x, s->v, s->lambda, NULL, NULL, NULL),
                 PHX_ERR_ARGUMENT);
    CHECK_TEXT(phx_context_message(s->context), what);
    CHECK_SMALL(s->t - t, 0.0, "time after %s was refused", what);
}

static void test_arguments(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    phx_integrate_options good = swing_options(PHX_MIDPOINT, 0.01, 1.0), bad;
    swing_start(s, &def);
#define REFUSE(field, value)                                                                                           \
    do {                                                                                                               \
        bad = good;                                                                                                    \
        bad.field = (value);                                                                                           \
        refuse(s, bad, #field);                                                                                        \
    } while (0)
    REFUSE(integrator, PHX_INTEGRATORS);
    REFUSE(integrator, (phx_integrator)-1);
    REFUSE(end, -1.0);
    REFUSE(end, NAN);
    REFUSE(end, INFINITY);
    REFUSE(step, 0.0);
    REFUSE(step, -0.01);
    REFUSE(step, NAN);
    REFUSE(step, 1e-20);
    REFUSE(every, -0.1);
    REFUSE(every, NAN);
    REFUSE(rtol, -1e-3);
    REFUSE(rtol, 1.0);
    REFUSE(rtol, NAN);
    REFUSE(atol, -1.0);
    REFUSE(atol, INFINITY);
    REFUSE(max_halvings, -1);
    REFUSE(max_halvings, 41);
    REFUSE(newton_tolerance, -1.0);
    REFUSE(newton_tolerance, 0.1);
#undef REFUSE
    s->v[1] = NAN;
    refuse(s, good, "velocity");
    swing_start(s, &def);
    CHECK_STATUS(s->context, phx_integrate(&s->p.dae, &good, NULL, s->x, s->v, s->lambda, NULL, NULL, NULL),
                 PHX_ERR_ARGUMENT);
    CHECK_STATUS(s->context, phx_integrate(NULL, &good, &s->t, s->x, s->v, s->lambda, NULL, NULL, NULL),
                 PHX_ERR_ARGUMENT);
    assert_string_equal(phx_integrator_name(PHX_MIDPOINT4), "midpoint4");
    assert_string_equal(phx_integrator_name(PHX_INTEGRATORS), "unknown");
}

/* midpoint4 steps backwards: not with dampers */
static void test_midpoint4_needs_no_losses(void **state)
{
    swing *s = *state;
    pendulum_def def = driven_def(true);
    phx_integrate_options options = swing_options(PHX_MIDPOINT4, 0.01, 1.0);
    swing_start(s, &def);
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_ERR_UNSUPPORTED);
    CHECK_TEXT(phx_context_message(s->context), "losses");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_instants),
        cmocka_unit_test(test_each_step),
        cmocka_unit_test(test_no_time),
        cmocka_unit_test(test_continuation),
        cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_halving),
        cmocka_unit_test(test_no_halvings_left),
        cmocka_unit_test(test_interruption),
        cmocka_unit_test(test_progress_is_throttled),
        cmocka_unit_test(test_sample_stops),
        cmocka_unit_test(test_steps_allocate_nothing),
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_newton_tolerance),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_midpoint4_needs_no_losses),
    };
    return cmocka_run_group_tests(tests, setup_swing, teardown_swing);
}
