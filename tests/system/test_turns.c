/* Unwrapped angles over intervals: what is in batches lags behind, and once it is brought up has the bits of counts by
 * the general code after every interval. */
#include "system/fast/fast.h"

#include <math.h>

#include <phlexor/integrate.h>

#include "test_models.h"

enum { LINKS = 8 };
static const double PI = 3.14159265358979323846;
static const double RUN_END = TEST_SHORTER(1.0, 0.1), RUN_STEP = 5e-3; /* s */

/* ---- trains ---- */
typedef struct train {
    phx_joint_kind kind;
    bool beams;
} train;
static const train trains[] = {{PHX_JOINT_REVOLUTE, false}, {PHX_JOINT_REVOLUTE, true},   {PHX_JOINT_SPHERICAL, false},
                               {PHX_JOINT_SPHERICAL, true}, {PHX_JOINT_UNIVERSAL, false}, {PHX_JOINT_UNIVERSAL, true}};
enum { N_TRAINS = sizeof trains / sizeof *trains };

static void train_name(const train *it, char name[64])
{
    snprintf(name, 64, "%s, %s links", phx_joint_kind_name(it->kind), it->beams ? "flexible" : "rigid");
}

static phx_port_id end_of(model *m, const train *it, int k, phx_body_id body, double x)
{
    return it->beams ? at_beam(m, body, x) : at_space(m, body, x, 0.0, 0.0, 1.0, -2.0, 3.0, 0.2 + k + x);
}

/* Links in a row from the ground on, at first at `rate` about the first coordinate of every joint. */
static void train_open(phx_context *context, const train *it, double rate, model *m)
{
    const test_model kind = {"a train", NULL, true, true};
    const beam_kind beam = beam_default();
    char name[32];

    begin_test_model(context, &kind, m);
    phx_port_id last = at_space(m, PHX_GROUND, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0);
    for (int k = 0; k < LINKS; k++) {
        const phx_pose pose = pose_turned(k, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5 * k);
        snprintf(name, sizeof name, "link%d", k);
        const phx_body_id body = it->beams ? add_beam(m, name, &beam, pose) : add_rigid_space(m, name, pose);
        snprintf(name, sizeof name, "joint%d", k);
        phx_joint_def def = joint_def(name, it->kind, last, end_of(m, it, k, body, 0.0));
        def.axis[0] = 0.0;
        def.axis[1] = k % 2;
        def.axis[2] = 1.0 - k % 2;
        def.has_axis_b = it->kind == PHX_JOINT_UNIVERSAL;
        def.axis_b[0] = 1.0;
        def.n_coordinates = it->kind == PHX_JOINT_REVOLUTE ? 1 : it->kind == PHX_JOINT_SPHERICAL ? 3 : 2;
        def.coordinate[0] = (phx_coordinate_def){.has_rate = true, .rate = k % 2 ? -rate : rate};
        add_joint_def(m, &def);
        last = end_of(m, it, k, body, 1.0);
    }
    model_finalise(m);
}

static const phx_system *inside(const model *m)
{
    return ((const workspace *)m->dae)->system;
}

/* Coordinates from anywhere on, as a new workspace finds them. */
static void shift_origins(model *m, uint64_t *seed)
{
    for (int j = 0; j < m->system->n_joints; j++)
        for (int c = 0; c < m->system->joints[j].n_coordinates; c++)
            m->system->joints[j].coordinates[c].row.target += 3.0 * random_value(seed);
    phx_system_dae_destroy(m->dae);
    CHECK_OK(m->context, phx_system_dae(m->system, m->context, &m->dae));
}

static double *state_of(const model *m, const double *from)
{
    double *x = calloc((size_t)m->n_x + 1, sizeof *x);
    assert_non_null(x);
    if (from)
        memcpy(x, from, (size_t)m->n_x * sizeof *x);
    return x;
}

/* The counts of `exact` go on to those of the bodies in x. */
static void count_plainly(const model *m, phx_dae *other, const double *x, double *exact)
{
    memcpy(exact, x, (size_t)inside(m)->n_body_x * sizeof *x);
    other->ops->count(other, exact);
}

static void check_same(const model *m, const char *name, int step, const double *x, const double *exact)
{
    for (int i = 0; i < m->n_x; i++)
        if (memcmp(&x[i], &exact[i], sizeof *x) != 0)
            fail_msg("%s, step %d: entry %d of %d is %.17g and not %.17g", name, step, i, m->n_x, x[i], exact[i]);
}

/* ---- any motion ---- */
typedef struct tumble {
    long lagging;           /* angles behind */
    double behind, longest; /* most; largest angle, rad */
    double leap;            /* largest change of an angle over an interval */
} tumble;

/* Anywhere, by up to `turn` rad in a step about each axis; deformations go to and fro. */
static void any_velocity(const model *m, uint64_t *seed, int step, double h, double turn, double *v)
{
    random_vector(seed, m->n_v, turn / h, v);
    for (int b = 0; b < phx_system_bodies(m->system); b++) {
        int at = 0, at_v = 0;
        phx_system_offsets(m->system, b, &at, &at_v);
        for (int i = 6; i < phx_body_n_v(phx_system_body(m->system, b)); i++)
            v[at_v + i] = (step % 2 ? 0.02 : -0.02) / h;
    }
}

static void note(const model *m, const double *x, const double *before, const double *exact, tumble *to)
{
    for (int i = inside(m)->n_body_x; i < m->n_x; i++) {
        to->lagging += x[i] != exact[i];
        to->behind = fmax(to->behind, fabs(x[i] - exact[i]));
        to->longest = fmax(to->longest, fabs(exact[i]));
        to->leap = fmax(to->leap, fabs(exact[i] - before[i]));
    }
}

/* Intervals from x on whose velocities are what they are; now and then they go on from what has been brought up. */
static void tumble_on(const model *m, phx_dae *other, const char *name, int steps, double turn, uint64_t *seed,
                      double *x, tumble *out)
{
    const double h = 0.01;
    double *v = calloc((size_t)(m->n_v + m->n_l), sizeof *v), *lambda = v + m->n_v;
    double *x1 = state_of(m, NULL), *exact = state_of(m, x), *caught = state_of(m, NULL), *before = state_of(m, NULL);
    const phx_dae_ops *ops = m->dae->ops;

    assert_non_null(v);
    for (int k = 0; k < steps; k++) {
        memcpy(before, exact, (size_t)m->n_x * sizeof *exact);
        any_velocity(m, seed, k, h, turn, v);
        CHECK_OK(m->context, ops->interval_begin(m->dae, h * k, h, x, v));
        CHECK_OK(m->context, ops->interval_residual(m->dae, v, lambda, x1, NULL));
        count_plainly(m, other, x1, exact);
        note(m, x1, before, exact, out);
        memcpy(caught, x1, (size_t)m->n_x * sizeof *x1);
        other->ops->synchronise(other, caught);
        check_same(m, name, k, caught, exact);
        memcpy(x, k % 7 == 3 ? caught : x1, (size_t)m->n_x * sizeof *x1);
    }
    memcpy(x, exact, (size_t)m->n_x * sizeof *x);
    free(v);
    free(x1);
    free(exact);
    free(caught);
    free(before);
}

/* From slow turns to some of more than half a turn in a step. */
static void counts_are_those_of_the_general_code(void **state)
{
    const double turns[] = {0.05, 0.4, 3.0};
    uint64_t seed = 21;

    for (int t = 0; t < N_TRAINS; t++) {
        model m;
        phx_dae *other = NULL;
        char name[64];
        tumble seen = {0};
        train_name(&trains[t], name);
        train_open(*state, &trains[t], 0.0, &m);
        shift_origins(&m, &seed);
        double *x = state_of(&m, NULL), *v = calloc((size_t)m.n_v, sizeof *v);
        CHECK_OK(*state, phx_system_dae(m.system, *state, &other));
        assert_int_equal(((const workspace *)m.dae)->fast->joints.used, 2);
        assert_int_equal(((const workspace *)m.dae)->fast->unbatched.n_angles, 1);
        random_state(&m, &seed, x, v);
        for (int k = 0; k < 3; k++)
            tumble_on(&m, other, name, 500, turns[k], &seed, x, &seen);
        assert_true(seen.lagging > 0);
        assert_true(seen.behind > 0.5 * PI && seen.behind < 0.75 * PI * (1.0 + 1e-12));
        assert_true(seen.leap > 0.9 * PI);
        assert_true(seen.longest > 3.0 * PI);
        phx_system_dae_destroy(other);
        free(x);
        free(v);
        model_close(&m);
    }
}

static void go(const model *m, const double *x, const double *v, const double *lambda, double *x1)
{
    const phx_dae_ops *ops = m->dae->ops;

    CHECK_OK(m->context, ops->interval_begin(m->dae, 0.0, 0.01, x, v));
    CHECK_OK(m->context, ops->interval_residual(m->dae, v, lambda, x1, NULL));
}

/* Intervals go on with the same bits from what has been brought up, also where one is tried again. */
static void what_is_brought_up_goes_on(void **state)
{
    enum { STEPS = 20, WAYS = 2 };
    uint64_t seed = 22;

    for (int t = 0; t < N_TRAINS; t++) {
        model m;
        train_open(*state, &trains[t], 0.0, &m);
        double *x = state_of(&m, NULL), *x1 = state_of(&m, NULL), *end[WAYS] = {state_of(&m, NULL), state_of(&m, NULL)};
        double *v = calloc((size_t)(m.n_v + m.n_l), sizeof *v), *lambda = v + m.n_v;
        assert_non_null(v);
        random_state(&m, &seed, x1, v);
        for (int k = 0; k < STEPS; k++) {
            memcpy(x, x1, (size_t)m.n_x * sizeof *x);
            any_velocity(&m, &seed, k, 0.01, 0.2, v);
            go(&m, x, v, lambda, x1);
        }
        memcpy(end[0], x1, (size_t)m.n_x * sizeof *x);
        memcpy(x1, x, (size_t)m.n_x * sizeof *x);
        m.dae->ops->synchronise(m.dae, x);
        assert_memory_not_equal(x, x1, (size_t)m.n_x * sizeof *x);
        go(&m, x, v, lambda, end[1]);
        for (int k = 0; k < WAYS; k++)
            m.dae->ops->synchronise(m.dae, end[k]);
        check_same(&m, phx_joint_kind_name(trains[t].kind), STEPS, end[1], end[0]);
        free(x);
        free(x1);
        free(end[0]);
        free(end[1]);
        free(v);
        model_close(&m);
    }
}

/* ---- runs ---- */
typedef struct watch {
    const model *m;
    phx_dae *other;
    const char *name;
    double *exact, longest;
    int samples;
} watch;

static phx_status look(void *user, const phx_sample *sample)
{
    watch *it = user;

    count_plainly(it->m, it->other, sample->x, it->exact);
    check_same(it->m, it->name, it->samples++, sample->x, it->exact);
    for (int i = inside(it->m)->n_body_x; i < it->m->n_x; i++)
        it->longest = fmax(it->longest, fabs(it->exact[i]));
    return PHX_OK;
}

static void run(model *m, int threads, bool each, watch *by)
{
    phx_integrate_options options = phx_integrate_options_default();
    double t = 0.0;

    CHECK_OK(m->context, phx_system_threads(m->dae, threads));
    options.end = RUN_END;
    options.step = RUN_STEP;
    options.every = each ? 0.0 : options.end;
    CHECK_OK(m->context, phx_integrate(m->dae, &options, &t, m->x, m->v, m->lambda, by ? look : NULL, by, NULL));
}

/* Who looks at a run sees the counts of the general code and does not change where it ends, nor do threads. */
static void runs_end_with_the_same_bits(void **state)
{
    for (int t = 0; t < N_TRAINS; t++) {
        model m[3];
        char name[64];
        watch by = {.m = &m[0], .name = name};
        train_name(&trains[t], name);
        for (int k = 0; k < 3; k++) {
            train_open(*state, &trains[t], trains[t].beams ? 8.0 : 16.0, &m[k]);
            model_start(&m[k], false);
        }
        CHECK_OK(*state, phx_system_dae(m[0].system, *state, &by.other));
        by.exact = state_of(&m[0], m[0].x);
        run(&m[0], 1, true, &by);
        run(&m[1], 1, false, NULL);
        run(&m[2], 2, false, NULL);
        assert_true(by.samples > RUN_END / RUN_STEP);
        assert_true(by.longest > 2.0 * PI * RUN_END);
        for (int k = 1; k < 3; k++) {
            check_same(&m[0], name, k, m[k].x, m[0].x);
            assert_memory_equal(m[k].v, m[0].v, (size_t)m[0].n_v * sizeof(double));
        }
        phx_system_dae_destroy(by.other);
        free(by.exact);
        for (int k = 0; k < 3; k++)
            model_close(&m[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counts_are_those_of_the_general_code, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(what_is_brought_up_goes_on, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(runs_end_with_the_same_bits, context_setup, context_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
