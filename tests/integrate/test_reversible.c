/* midpoint with a tolerance: the way back takes the same steps, invariants do not notice them, errors follow the
 * tolerance, and steps are long where little happens. */
#include "check.h"

static const double END = 1.0;
enum { MOST_NODES = 4000 };

static phx_integrate_options chosen_by(phx_integrator integrator, double rtol, double end)
{
    phx_integrate_options options = swing_options(integrator, 0.0, end);
    options.rtol = rtol;
    return options;
}

static phx_integrate_options options_of(double rtol, double end)
{
    return chosen_by(PHX_MIDPOINT, rtol, end);
}

/* ---- the way back ---- */
typedef struct nodes {
    int count;
    double t[MOST_NODES];
} nodes;

static phx_status note(void *user, const phx_sample *sample)
{
    nodes *n = user;
    assert_true(n->count < MOST_NODES);
    n->t[n->count++] = sample->t;
    return PHX_OK;
}

static void travel(swing *s, double rtol, double end, nodes *n)
{
    phx_integrate_options options = options_of(rtol, end);
    n->count = 0;
    s->t = 0.0;
    CHECK_STATUS(s->context, phx_integrate(&s->p.dae, &options, &s->t, s->x, s->v, s->lambda, note, n, &s->stats),
                 PHX_OK);
}

/* Nodes of `there`, seen from its end, that are nodes of `back`, too. */
static int count_shared(const nodes *there, const nodes *back, double end)
{
    int shared = 0, j = 0;
    for (int k = there->count - 1; k >= 0; k--) {
        const double t = end - there->t[k];
        while (j < back->count && back->t[j] < t - 1e-12)
            j++;
        shared += j < back->count && fabs(back->t[j] - t) <= 1e-12;
    }
    return shared;
}

typedef struct journey {
    nodes there, back;
    int shared;
    double error, ratio; /* distance from the start after the return; largest step over the smallest */
} journey;

/* There, turn round, back. */
static void go_and_return(swing *s, int bodies, double rtol, journey *j)
{
    pendulum_def def = pendulum_def_default();
    double x[MOST_X], v[MOST_V], smallest = HUGE_VAL, largest = 0.0;
    const double end = 2.0;
    def.bodies = bodies;
    swing_start(s, &def);
    memcpy(x, s->x, sizeof x);
    memcpy(v, s->v, sizeof v);
    travel(s, rtol, end, &j->there);
    for (int i = 0; i < s->p.dae.n_v; i++)
        s->v[i] = -s->v[i];
    travel(s, rtol, end, &j->back);
    for (int i = 0; i < s->p.dae.n_v; i++)
        s->v[i] = -s->v[i];
    for (int k = 1; k < j->there.count; k++) {
        smallest = fmin(smallest, j->there.t[k] - j->there.t[k - 1]);
        largest = fmax(largest, j->there.t[k] - j->there.t[k - 1]);
    }
    j->ratio = largest / smallest;
    j->error = fmax(distance(s->p.dae.n_x, x, s->x), distance(s->p.dae.n_v, v, s->v));
    j->shared = count_shared(&j->there, &j->back, end);
    print_message(
        "%d links, rtol %.0e: %d nodes there, %d back, %d shared, steps within a factor of %.0f, return %.1e\n", bodies,
        rtol, j->there.count, j->back.count, j->shared, j->ratio, j->error);
}

/* Nearly all steps are the same both ways. Where all are, one link, which needs no projection, is back to rounding;
 * with more links the projection leaves what its order says. */
static void test_way_back(void **state)
{
    static journey j;
    for (int bodies = 1; bodies <= 3; bodies++)
        for (double rtol = 1e-2; rtol > 5e-5; rtol *= 0.1) {
            go_and_return(*state, bodies, rtol, &j);
            assert_true(j.ratio > 1.9);
            assert_true(j.shared >= 0.95 * j.there.count && j.shared >= 0.95 * j.back.count);
            const bool exact = bodies == 1 && j.shared == j.there.count && j.shared == j.back.count;
            assert_true(exact || bodies != 1 || rtol < 0.5e-3 || rtol > 2e-3);
            CHECK_SMALL(j.error, exact ? 1e-11 : 4.0 * rtol, "return of %d links at rtol %.0e", bodies, rtol);
        }
}

/* ---- invariants ---- */
static void check_invariants(swing *s, phx_integrator integrator, const pendulum_def *def, double rtol, double end)
{
    phx_integrate_options options = chosen_by(integrator, rtol, end);
    swing_start(s, def);
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
    print_message("%ld steps, %ld rejected, smallest %.1e s: balance %.1e of %.3g J, gap %.1e m, rate %.1e m/s\n",
                  s->stats.steps, s->stats.rejected, s->stats.smallest_step, s->residual, s->kinetic, s->gap, s->rate);
    CHECK_SMALL(s->residual, 1e-10 * s->kinetic, "energy balance");
    CHECK_SMALL(s->gap, 1e-12, "gap of the joints");
    CHECK_SMALL(s->rate, 1e-11, "velocities of the joints");
}

static void test_invariants(void **state)
{
    pendulum_def def = pendulum_def_default();
    check_invariants(*state, PHX_MIDPOINT, &def, 1e-3, 60.0);
    check_invariants(*state, PHX_GAUSS4, &def, 1e-4, 60.0);
    check_invariants(*state, PHX_GAUSS6, &def, 1e-4, 60.0);
    def.bodies = 4;
    check_invariants(*state, PHX_MIDPOINT, &def, 1e-3, 10.0);
    check_invariants(*state, PHX_GAUSS6, &def, 1e-5, 10.0);
    def = driven_def(false);
    check_invariants(*state, PHX_MIDPOINT, &def, 1e-3, 30.0);
    def = driven_def(true);
    check_invariants(*state, PHX_MIDPOINT, &def, 1e-4, 20.0);
}

/* ---- accuracy ---- */
static void reference(swing *s, const pendulum_def *def, double end, swing *exact)
{
    phx_integrate_options options = swing_options(PHX_GAUSS6, end / 2048.0, end);
    swing_start(s, def);
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
    *exact = *s;
}

static double error_of(const swing *s, const swing *exact)
{
    return fmax(distance(s->p.dae.n_x, s->x, exact->x), distance(s->p.dae.n_v, s->v, exact->v));
}

static double run_to_end(swing *s, const pendulum_def *def, phx_integrator integrator, double rtol, const swing *exact)
{
    phx_integrate_options options = chosen_by(integrator, rtol, END);
    swing_start(s, def);
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
    const double error = error_of(s, exact);
    print_message("%-8s rtol %.0e: error %.1e, %ld steps, %ld rejected\n", phx_integrator_name(integrator), rtol, error,
                  s->stats.steps, s->stats.rejected);
    CHECK_SMALL(error, 2.0 * rtol, "error of %s at rtol %.0e", phx_integrator_name(integrator), rtol);
    return error;
}

/* The steps of higher order come in sizes whose errors are 16 and 64 times as large as the next one's. */
static void test_errors_follow_tolerance(void **state)
{
    swing *s = *state, exact;
    for (int damped = 0; damped < 2; damped++) {
        pendulum_def def = damped ? driven_def(true) : pendulum_def_default();
        double before = 0.0;
        reference(s, &def, END, &exact);
        for (double rtol = 1e-2; rtol > 1e-7; rtol *= 0.1) {
            const double error = run_to_end(s, &def, PHX_MIDPOINT, rtol, &exact);
            if (before > 0.0)
                CHECK_BETWEEN(log10(before / error), 0.6, 1.4, "powers of ten won at rtol %.0e", rtol);
            before = error;
        }
        for (int k = PHX_GAUSS4; k <= PHX_GAUSS6; k++)
            for (double rtol = 1e-3; rtol > 1e-10; rtol *= 0.1)
                run_to_end(s, &def, (phx_integrator)k, rtol, &exact);
    }
}

/* ---- a stiff start, then a smooth stretch ---- */
/* A driven link carries one on a stiff spring that rings at 170 rad/s and is damped within half a second. */
static const double QUIET = 10.0, EVERY = 0.05;
enum { INSTANTS = 201 };

typedef struct film {
    swing *s;
    int count;
    double x[INSTANTS][MOST_X];
} film;

static phx_status expose(void *user, const phx_sample *sample)
{
    film *f = user;
    assert_true(f->count < INSTANTS);
    CHECK_SMALL(sample->t - f->count * EVERY, 1e-12, "instant %d", f->count);
    memcpy(f->x[f->count++], sample->x, (size_t)f->s->p.dae.n_x * sizeof(double));
    return PHX_OK;
}

static void run_ringing(film *f, phx_integrate_options options)
{
    static const double bent[BODIES] = {0.3, 0.35}, turning[BODIES] = {2.0, 2.0};
    pendulum_def def = driven_def(false);
    swing *s = f->s;
    def.stiffness = 1e4;
    def.damping = 5.0;
    f->count = 0;
    options.every = EVERY;
    swing_start(s, &def);
    pendulum_place(&s->p, bent, turning, s->x, s->v);
    CHECK_STATUS(s->context, phx_integrate(&s->p.dae, &options, &s->t, s->x, s->v, s->lambda, expose, f, &s->stats),
                 PHX_OK);
    assert_int_equal(f->count, INSTANTS);
}

static double film_error(const film *a, const film *b)
{
    double error = 0.0;
    for (int i = 0; i < INSTANTS; i++)
        error = fmax(error, distance(a->s->p.dae.n_x, a->x[i], b->x[i]));
    return error;
}

static void test_stiff_start(void **state)
{
    static const phx_integrator integrators[] = {PHX_MIDPOINT, PHX_GAUSS4, PHX_GAUSS6};
    static const double more[] = {4.0, 4.0, 2.0};
    static film exact, now;
    swing *s = exact.s = now.s = *state;
    run_ringing(&exact, swing_options(PHX_GAUSS6, 5e-4, QUIET));
    for (int k = 0; k < 3; k++) {
        run_ringing(&now, chosen_by(integrators[k], 1e-4, QUIET));
        const double adaptive = film_error(&now, &exact), smallest = s->stats.smallest_step;
        const long intervals = 2 * (s->stats.steps + s->stats.rejected);
        run_ringing(&now, swing_options(integrators[k], QUIET / (more[k] * (double)intervals), QUIET));
        const double fixed = film_error(&now, &exact);
        print_message("%-8s error %.1e in %ld steps, rejected ones too, from %.1e s on; %.1e in %ld equal ones\n",
                      phx_integrator_name(integrators[k]), adaptive, intervals, 0.5 * smallest, fixed, s->stats.steps);
        assert_true(smallest < 0.1 * EVERY);
        assert_true(adaptive < fixed);
    }
}

/* ---- bounds and trouble ---- */
/* A drive's rate that jumps gives an impulse that no step is short enough for: the search ends, the drive goes on at
 * the new rate, and steps are long again. */
static void test_jump(void **state)
{
    swing *s = *state;
    pendulum_def def = driven_def(false);
    phx_integrate_options options = options_of(1e-4, END);
    swing_start(s, &def);
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
    const long smooth = s->stats.steps + s->stats.rejected;
    def.jump = 1.5;
    def.jump_time = 1.0 / 3.0;
    const double angle = 0.3 + def.speed * END + def.swing * (1.0 - cos(def.frequency * END)) / def.frequency +
                         def.jump * (END - def.jump_time);
    swing_start(s, &def);
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
    print_message("jump: %ld steps, %ld rejected, smallest %.1e s; %ld without\n", s->stats.steps, s->stats.rejected,
                  s->stats.smallest_step, smooth);
    assert_true(s->stats.smallest_step < 1e-4);
    assert_true(s->stats.steps + s->stats.rejected < 3 * smooth);
    CHECK_SMALL(s->x[4] - angle, 1e-12, "angle of the drive");
    CHECK_SMALL(s->residual, 1e-9 * s->kinetic, "energy balance");
    CHECK_SMALL(s->gap, 1e-12, "gap of the joints");
    CHECK_SMALL(s->rate, 1e-11, "velocities of the joints");
}

static void test_bounded_steps(void **state)
{
    static nodes n;
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    phx_integrate_options options = options_of(1e-2, END);
    options.step = 0.003;
    swing_start(s, &def);
    CHECK_STATUS(s->context, phx_integrate(&s->p.dae, &options, &s->t, s->x, s->v, s->lambda, note, &n, &s->stats),
                 PHX_OK);
    assert_int_equal(s->stats.steps, 334); /* equal ones */
    for (int k = 1; k < n.count; k++)
        CHECK_SMALL(n.t[k] - n.t[k - 1] - END / 334.0, 1e-12, "step %d", k);
}

static void test_trouble(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    phx_integrate_options options = options_of(1e-4, END);
    /* a few failures are got over, */
    swing_start(s, &def);
    s->p.calls = 0;
    s->p.fail_at = 300;
    s->p.fail_count = 3;
    s->p.fail_with = PHX_NOT_CONVERGED;
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
    assert_true(s->stats.rejected > 0);
    CHECK_SMALL(s->residual, 1e-10 * s->kinetic, "energy balance");
    for (int k = PHX_GAUSS4; k <= PHX_GAUSS6; k++) {
        options.integrator = (phx_integrator)k;
        swing_start(s, &def);
        s->p.calls = 0;
        CHECK_STATUS(s->context, swing_run(s, &options), PHX_OK);
        assert_true(s->stats.rejected > 0);
    }
    options.integrator = PHX_MIDPOINT;
    /* those without end stop the run with what was reached, */
    swing_start(s, &def);
    s->p.calls = 0;
    s->p.fail_at = 300;
    s->p.fail_count = 1000000;
    s->p.fail_with = PHX_NOT_CONVERGED;
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_NOT_CONVERGED);
    CHECK_TEXT(phx_context_message(s->context), "midpoint stopped at t = ");
    CHECK_TEXT(phx_context_message(s->context), "larger rtol");
    assert_true(s->t > 0.0 && isfinite(s->x[0]) && s->samples > 1);
    /* and nothing can be done about an error. */
    swing_start(s, &def);
    s->p.calls = 0;
    s->p.fail_at = 300;
    s->p.fail_count = 1;
    s->p.fail_with = PHX_ERR_MEMORY;
    CHECK_STATUS(s->context, swing_run(s, &options), PHX_ERR_MEMORY);
    s->p.fail_at = -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_way_back),
        cmocka_unit_test(test_invariants),
        cmocka_unit_test(test_errors_follow_tolerance),
        cmocka_unit_test(test_stiff_start),
        cmocka_unit_test(test_jump),
        cmocka_unit_test(test_bounded_steps),
        cmocka_unit_test(test_trouble),
    };
    return cmocka_run_group_tests(tests, setup_swing, teardown_swing);
}
