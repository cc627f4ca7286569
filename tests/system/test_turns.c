/* Unwrapped angles over intervals have the bits of counts by the general code at any instant, on any number of threads.
 */
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
        cmocka_unit_test_setup_teardown(runs_end_with_the_same_bits, context_setup, context_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
