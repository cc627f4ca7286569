/* The projection by the rows alone against the sparse matrix over velocities and multipliers: who has it, single
 * solutions, runs, nearly dependent rows, threads. */
#include "system/fast/fast.h"

#include "condensed_models.h"

enum { MOST = 4000 };

static workspace *inside(const model *m)
{
    return (workspace *)m->dae;
}

/* ---- more mechanisms ---- */
/* Rods around a hub that is free, each held by a spring. */
static void star(model *m, int rods)
{
    const phx_body_id hub = add_rigid(m, "hub", 2.0, 0.3, 0.1, -0.05, pose_at(0.0, 0.0, 0.4));

    for (int k = 0; k < rods; k++) {
        const double angle = 0.4 + 6.28 * k / rods;
        char name[24];
        snprintf(name, sizeof name, "rod%d", k);
        const phx_body_id rod =
            add_rigid(m, name, 0.5 + 0.01 * k, 0.1, 0.2, 0.0, pose_at(cos(angle), sin(angle), 0.1 * k));
        add_joint(m, name, PHX_JOINT_REVOLUTE, at_place(m, hub, cos(angle - 0.4), sin(angle - 0.4)),
                  at_place(m, rod, 0.0, 0.0));
    }
}

static void star_of_many(model *m)
{
    star(m, 300);
}

static void star_of_few(model *m)
{
    star(m, 6);
}

/* Rods one after the other, the last two on two pins whose distance is given: three rows, two of them nearly the same.
 */
static void two_pins(model *m, double apart)
{
    phx_body_id last = PHX_GROUND;

    for (int k = 0; k < 6; k++) {
        char name[24];
        snprintf(name, sizeof name, "rod%d", k);
        const phx_body_id rod = add_rigid(m, name, 1.0 + 0.1 * k, 0.1, 0.5, 0.1, pose_at(k, 0.0, 0.0));
        add_joint(m, name, PHX_JOINT_REVOLUTE, at_place(m, last, k ? 1.0 : 0.0, 0.0), at_place(m, rod, 0.0, 0.0));
        if (k == 5)
            add_joint(m, "second", PHX_JOINT_REVOLUTE, at_place(m, last, 1.0 + apart, 0.0),
                      at_place(m, rod, apart, 0.0));
        last = rod;
    }
}

static void near_pins(model *m)
{
    two_pins(m, 1e-5);
}

static void pins_apart(model *m)
{
    two_pins(m, 0.3);
}

/* One of the rods of a star is not in a batch: it is a beam with simplified kinetics. */
static void one_without_batch(model *m)
{
    beam_kind kind = beam_default();

    kind.kinetics = PHX_KINETICS_SIMPLIFIED;
    star(m, 4);
    const phx_body_id beam = add_beam(m, "beam", &kind, pose_at(0.0, 0.0, 0.2));
    add_joint(m, "beam", PHX_JOINT_REVOLUTE, at_place(m, 0, 0.0, 0.0), at_beam(m, beam, 0.0));
}

/* Links with cross pins at their ends, which close no loop but fill, in space. */
static void space_tree(model *m)
{
    phx_body_id bodies[13];

    for (int k = 0; k < 13; k++) {
        char name[24];
        const int parent = (k - 1) / 2;
        snprintf(name, sizeof name, "link%d", k);
        bodies[k] = add_rigid_space(m, name, pose_turned(0.3 * k, 0.1 * k, 0.0, 1.0, 0.2 * k, 0.3, 0.2 * k));
        add_joint(m, name, k % 3 == 1 ? PHX_JOINT_SPHERICAL : PHX_JOINT_REVOLUTE,
                  k ? at_space(m, bodies[parent], 0.5, 0.1 * k, 0.0, 0.0, 1.0, 0.3, 0.3 * k)
                    : at_space(m, PHX_GROUND, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
                  at_space(m, bodies[k], 0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.2));
    }
}

typedef struct subject {
    test_model is;
    bool by_rows;
} subject;
static const subject subjects[] = {
    {{"star of many", star_of_many, true, false}, false},
    {{"star of few", star_of_few, true, false}, true},
    {{"pins that nearly meet", near_pins, true, false}, true},
    {{"pins apart", pins_apart, true, false}, true},
    {{"a body in no batch", one_without_batch, false, false}, false},
    {{"tree in space", space_tree, true, true}, true},
};
enum { N_SUBJECTS = sizeof subjects / sizeof *subjects };

static const test_model *subject_of(int k)
{
    return k < n_test_models                        ? &test_models[k]
           : k < n_test_models + n_condensed_models ? &condensed_models[k - n_test_models].is
                                                    : &subjects[k - n_test_models - n_condensed_models].is;
}

static void open_subject(phx_context *context, int k, model *m)
{
    open_test_model(context, subject_of(k), m);
    assert_in_range(m->n_x, 1, MOST);
    assert_in_range(m->n_v + m->n_l, 1, MOST);
}

/* ---- who has it ---- */
static void it_is_made_where_it_pays(void **state)
{
    int count = 0;

    for (int k = 0; k < n_test_models + n_condensed_models + N_SUBJECTS; k++) {
        model m;
        open_subject(*state, k, &m);
        count += inside(&m)->fast->delassus != NULL;
        if (k >= n_test_models + n_condensed_models)
            assert_int_equal(inside(&m)->fast->delassus != NULL,
                             subjects[k - n_test_models - n_condensed_models].by_rows);
        model_close(&m);
    }
    print_message("%d of %d mechanisms are projected by their rows\n", count,
                  n_test_models + n_condensed_models + N_SUBJECTS);
    assert_true(count > (n_test_models + n_condensed_models) / 2);
}

/* ---- one solution ---- */
/* (0, alpha r) solved at any state, the one way or the other; whether by the rows. */
static bool solve(model *m, bool plain, const double *x, const double *v, double alpha, const double *r, double *out)
{
    workspace *ws = inside(m);
    static double e[MOST];
    bool energies = false;

    phx_system_condense(m->dae, plain ? PHX_CONDENSE_NEVER : PHX_CONDENSE_ALWAYS);
    ws->by->row_residuals(ws, 0.3, x, v, e);
    CHECK_OK(m->context, ws->by->factor_rows(ws, x, v, &energies));
    CHECK_OK(m->context, ws->by->solve_rows(ws, alpha, r, out));
    for (int b = 0; b < m->system->n_bodies && energies; b++) {
        const body_slot *slot = &m->system->bodies[b];
        const double want = phx_body_kinetic(slot->body, x + slot->x, v + slot->v);
        CHECK_CLOSE(ws->bodies.energy[b], want, 1e-13 * want, "kinetic energy of body %d", b);
    }
    assert_true(energies || plain || !ws->fast->delassus || !ws->fast->delassus->batched);
    return !plain && ws->fast->delassus && ws->fast->delassus->factored;
}

static void solutions_are_the_same(void **state)
{
    static double x[MOST], v[MOST], r[MOST], got[MOST], want[MOST];
    double worst = 0.0;
    int count = 0;

    for (int k = 0; k < n_test_models + n_condensed_models + N_SUBJECTS; k++) {
        const char *name = subject_of(k)->name;
        uint64_t seed = (uint64_t)k + 3;
        model m;
        open_subject(*state, k, &m);
        model_start(&m, false);
        for (int n = 0; n < 4; n++) { /* from dense LU with pivoting either is up to 2e-12 away, by conditioning */
            random_vector(&seed, m.n_v, 1.0, v);
            displaced(&m, m.x, 0.1 * n, v, x);
            random_vector(&seed, m.n_l, 1.0, r);
            random_vector(&seed, m.n_v, 1.0, got); /* what is there does not matter */
            count += solve(&m, false, x, v, -0.7, r, got);
            solve(&m, true, x, v, -0.7, r, want);
            CHECK_VECTOR(m.n_v, got, want, 1e-11, "%s: velocities", name);
            CHECK_VECTOR(m.n_l, got + m.n_v, want + m.n_v, 1e-11, "%s: impulses", name);
            for (int i = 0; i < m.n_v; i++)
                worst = fmax(worst, fabs(got[i] - want[i]) / max_abs(m.n_v, want));
        }
        model_close(&m);
    }
    print_message("%d solutions by rows differ by up to %.1e\n", count, worst);
    assert_true(count > n_test_models);
}

/* Where rows are nearly dependent the factors of S would lose digits: the sparse matrix takes over, and gives back. */
static void nearly_dependent_rows_are_noticed(void **state)
{
    static double x[MOST], v[MOST], r[MOST], got[MOST], want[MOST];
    uint64_t seed = 77;
    model m[2];

    for (int k = 0; k < 2; k++) {
        open_subject(*state, n_test_models + n_condensed_models + 2 + k, &m[k]);
        model_start(&m[k], false);
        random_vector(&seed, m[k].n_v, 1.0, v);
        random_vector(&seed, m[k].n_l, 1.0, r);
        memcpy(x, m[k].x, (size_t)m[k].n_x * sizeof *x);
        assert_int_equal(solve(&m[k], false, x, v, 1.0, r, got), k);
        solve(&m[k], true, x, v, 1.0, r, want);
        if (k == 0) /* the same factorisation */
            assert_memory_equal(got, want, (size_t)(m[k].n_v + m[k].n_l) * sizeof *got);
        CHECK_VECTOR(m[k].n_v, got, want, 1e-12, "velocities");
        model_close(&m[k]);
    }
}

/* ---- runs ---- */
static void runs_are_the_same(void **state)
{
    for (int k = 0; k < n_test_models + n_condensed_models + N_SUBJECTS; k++) {
        const test_model *is = subject_of(k);
        model m[2];
        double balance[2];
        for (int plain = 0; plain < 2; plain++) {
            phx_work work;
            open_subject(*state, k, &m[plain]);
            phx_system_condense(m[plain].dae, plain ? PHX_CONDENSE_NEVER : PHX_CONDENSE_WHERE_IT_PAYS);
            model_start(&m[plain], false);
            const double before = total_energy(&m[plain], m[plain].x, m[plain].v);
            run_midpoint(&m[plain], 0.0, 2e-3, m[plain].n_v > 200 ? 5 : TEST_LONG(60), &work);
            balance[plain] = total_energy(&m[plain], m[plain].x, m[plain].v) - before - work.supplied + work.dissipated;
        }
        CHECK_VECTOR(m[0].n_x, m[0].x, m[1].x, 1e-11, "%s: places", is->name);
        CHECK_VECTOR(m[0].n_v, m[0].v, m[1].v, 1e-11, "%s: velocities", is->name);
        for (int plain = 0; plain < 2 && is->exact; plain++)
            CHECK_SMALL(balance[plain], 1e-11 * (10.0 + fabs(total_energy(&m[plain], m[plain].x, m[plain].v))),
                        "%s: balance of energy, %s", is->name, plain ? "sparse matrix" : "rows");
        model_close(&m[0]);
        model_close(&m[1]);
    }
}

/* Bit by bit the same on any number of threads. */
static void threads_change_nothing(void **state)
{
    static double x[MOST], v[MOST], r[MOST], one[MOST], more[MOST];

    for (int k = n_test_models; k < n_test_models + n_condensed_models + N_SUBJECTS; k++) {
        uint64_t seed = (uint64_t)k + 5;
        model m;
        open_subject(*state, k, &m);
        random_state(&m, &seed, x, v);
        random_vector(&seed, m.n_l, 1.0, r);
        solve(&m, false, x, v, 1.0, r, one);
        for (int threads = 2; threads < 5; threads++) {
            CHECK_OK(m.context, phx_system_threads(m.dae, threads));
            solve(&m, false, x, v, 1.0, r, more);
            assert_memory_equal(one, more, (size_t)(m.n_v + m.n_l) * sizeof *one);
        }
        model_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_made_where_it_pays, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(solutions_are_the_same, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(nearly_dependent_rows_are_noticed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(runs_are_the_same, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(threads_change_nothing, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
