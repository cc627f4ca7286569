/* Threads inside the steps of one mechanism: the same numbers bit by bit, whatever their number. */
#include "condensed_models.h"

enum { MOST_THREADS = 3 };

/* ---- large mechanisms ---- */
static phx_body_id link_of(model *m, const char *name, int k, double x)
{
    const bool beams = k % 3 == 1;
    beam_kind kind = beam_default();

    kind.elements = k % 2 ? 6 : 3;
    kind.damping_stiffness = k % 5 ? 0.0 : 1e-4;
    if (beams)
        return add_beam(m, name, &kind, pose_at(x, 0.0, 0.0));
    return m->dim == 2 ? add_rigid(m, name, 1.0, 0.1, 0.5, 0.0, pose_at(x, 0.0, 0.0))
                       : add_rigid_space(m, name, pose_turned(x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.01 * k));
}

static phx_port_id place_of(model *m, phx_body_id body, double x, double y)
{
    return m->dim == 2 ? at_place(m, body, x, y) : at_space(m, body, x, y, 0.0, 1.0, 0.0, 0.0, 0.0);
}

/* Rigid links and beams by turns, with springs across and loads; as many links in chains from one hub as said. */
static void chains(model *m, int n_chains, int links)
{
    const bool space = m->dim == 3;
    char name[32];

    for (int c = 0; c < n_chains; c++) {
        phx_port_id end = place_of(m, PHX_GROUND, 0.0, 0.0);
        for (int k = 0; k < links; k++) {
            snprintf(name, sizeof name, "link%d.%d", c, k);
            const phx_body_id body = link_of(m, name, k, k);
            const bool beam = k % 3 == 1;
            const phx_port_id start = beam ? at_beam(m, body, 0.0) : place_of(m, body, 0.0, 0.0);
            snprintf(name, sizeof name, "joint%d.%d", c, k);
            add_joint(m, name, space ? PHX_JOINT_SPHERICAL : PHX_JOINT_REVOLUTE, end, start);
            end = beam ? at_beam(m, body, 1.0) : place_of(m, body, 1.0, 0.0);
            snprintf(name, sizeof name, "spring%d.%d", c, k);
            if (k % 7 == 3)
                add_spring(m, name, place_of(m, PHX_GROUND, k, 2.0), end, 30.0, 0.4, 1.5, NULL);
            snprintf(name, sizeof name, "load%d.%d", c, k);
            if (k % 11 == 5)
                add_force(m, name, end, true, constant(m, 0.3), sine(m, 0.0, 1.0, 20.0));
        }
    }
}

static void long_chain(model *m)
{
    chains(m, 1, TEST_SHORTER(240, 60));
}

static void many_chains(model *m)
{
    chains(m, TEST_SHORTER(40, 10), 5);
}

static const test_model large[] = {{"a chain in the plane", long_chain, true, false},
                                   {"a chain in space", long_chain, true, true},
                                   {"chains in the plane", many_chains, true, false}};

/* ---- a run ---- */
/* Places, velocities, multipliers and work after some steps, then accelerations; n_x + 2 n_v + 2 n_l + 2 numbers. */
static double *run(phx_context *context, const test_model *kind, int threads, phx_condensing condensing, size_t *count)
{
    model m;
    phx_work work = {0.0, 0.0};

    open_test_model(context, kind, &m);
    model_start(&m, false);
    phx_system_condense(m.dae, condensing);
    CHECK_OK(context, phx_system_threads(m.dae, threads));
    run_midpoint(&m, 0.0, 1e-3, 3, &work);
    const size_t n_x = (size_t)m.n_x, n_v = (size_t)m.n_v, n_l = (size_t)m.n_l;
    *count = n_x + 2 * (n_v + n_l) + 2;
    double *all = calloc(*count, sizeof *all), *at = all;
    assert_non_null(all);
    memcpy(at, m.x, n_x * sizeof *at);
    memcpy(at += n_x, m.v, n_v * sizeof *at);
    memcpy(at += n_v, m.lambda, n_l * sizeof *at);
    at += n_l;
    CHECK_OK(context, m.dae->ops->accelerations(m.dae, 0.003, m.x, m.v, at, at + n_v));
    at[n_v + n_l] = work.supplied;
    at[n_v + n_l + 1] = work.dissipated;
    model_close(&m);
    return all;
}

static void compare(phx_context *context, const test_model *kind, phx_condensing condensing)
{
    size_t count = 0, same = 0;
    double *alone = run(context, kind, 1, condensing, &count);

    for (int threads = 2; threads <= MOST_THREADS; threads++) {
        double *several = run(context, kind, threads, condensing, &same);
        assert_int_equal(same, count);
        for (size_t k = 0; k < count; k++)
            if (memcmp(&alone[k], &several[k], sizeof *alone) != 0)
                fail_msg("%s, condensing %d: number %zu of %zu is %.17g on one thread and %.17g on %d", kind->name,
                         (int)condensing, k, count, alone[k], several[k], threads);
        free(several);
    }
    free(alone);
}

static void large_mechanisms_do_not_change(void **state)
{
    for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
        compare(*state, &large[k], PHX_CONDENSE_WHERE_IT_PAYS);
        compare(*state, &large[k], PHX_CONDENSE_NEVER);
    }
}

/* More threads than there are bodies. */
static void small_mechanisms_do_not_change(void **state)
{
    for (int k = 0; k < n_test_models; k++)
        compare(*state, &test_models[k], PHX_CONDENSE_WHERE_IT_PAYS);
    for (int k = 0; k < n_condensed_models; k++)
        compare(*state, &condensed_models[k].is, PHX_CONDENSE_ALWAYS);
}

/* Threads come and go during a run; no step allocates. */
static void threads_may_change(void **state)
{
    model alone, changing;
    phx_work work[2] = {{0.0, 0.0}, {0.0, 0.0}};

    open_test_model(*state, &large[0], &alone);
    open_test_model(*state, &large[0], &changing);
    model_start(&alone, false);
    model_start(&changing, false);
    for (int round = 0; round < 4; round++) {
        const int threads[] = {2, 1, 3, 2};
        CHECK_OK(*state, phx_system_threads(changing.dae, threads[round]));
        run_midpoint(&alone, 0.001 * round, 1e-3, 1, &work[0]);
        run_midpoint(&changing, 0.001 * round, 1e-3, 1, &work[1]);
        assert_memory_equal(alone.x, changing.x, (size_t)alone.n_x * sizeof(double));
        assert_memory_equal(alone.v, changing.v, (size_t)alone.n_v * sizeof(double));
    }
    double *res = calloc((size_t)(changing.n_v + changing.n_l), sizeof *res);
    const phx_dae_ops *ops = changing.dae->ops;
    assert_non_null(res);
    const size_t before = phx_context_allocations(*state);
    CHECK_OK(*state, ops->interval_begin(changing.dae, 0.004, 1e-3, changing.x, changing.v));
    CHECK_OK(*state, ops->interval_residual(changing.dae, changing.v, changing.lambda, alone.x, res));
    CHECK_OK(*state, ops->interval_linearise(changing.dae));
    CHECK_OK(*state, ops->factor(changing.dae, 0, 2e3));
    CHECK_OK(*state, ops->solve(changing.dae, 0, res));
    assert_int_equal(phx_context_allocations(*state), before);
    free(res);
    model_close(&changing);
    model_close(&alone);
}

static void numbers_of_threads_are_checked(void **state)
{
    model m;

    open_test_model(*state, &test_models[0], &m);
    CHECK_STATUS(*state, phx_system_threads(m.dae, -1), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "-1 threads");
    CHECK_OK(*state, phx_system_threads(m.dae, 3));
    assert_int_equal(phx_system_thread_count(m.dae), 3);
    CHECK_OK(*state, phx_system_threads(m.dae, 0)); /* a small mechanism */
    assert_int_equal(phx_system_thread_count(m.dae), 1);
    CHECK_STATUS(*state, phx_system_threads(m.dae, PHX_ORDERED_MAP_LARGEST + 1), PHX_ERR_ARGUMENT);
    for (long n = 0; n < 6; n++) {
        phx_context_fail_allocation(*state, n);
        const phx_status status = phx_system_threads(m.dae, 2);
        phx_context_fail_allocation(*state, -1);
        if (status)
            CHECK_STATUS(*state, status, PHX_ERR_MEMORY);
    }
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(large_mechanisms_do_not_change, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(small_mechanisms_do_not_change, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(threads_may_change, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(numbers_of_threads_are_checked, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
