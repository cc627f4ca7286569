/* Invariants of the midpoint rule on averages: the energy balance over single random intervals and over runs, joints
 * that stay closed, mechanisms in one model that do not trade energy, momenta of free mechanisms. */
#include "system/fast/fast.h"

#include "test_models.h"

enum { MOST = 256 };

static workspace *inside(const model *m)
{
    return (workspace *)m->dae;
}

/* Values of all rows that constrain, and of the driven ones, at a configuration. */
static void row_values(const model *m, const double *x, double *values)
{
    const phx_system *system = m->system;
    double none[MOST] = {0};

    phx_sys_set_instant(inside(m), x, none);
    for (int r = 0; r < system->rows.n; r++) {
        const row_slot *row = &system->rows.slot[r];
        values[r] = phx_row_value(row->row, &inside(m)->ports.view[row->a], &inside(m)->ports.view[row->b], 1);
    }
}

/* Over one interval from any state, joints open or not: the change of energy is what was supplied less what was
 * dissipated, and no row moves but by its drive. */
static void single_intervals_balance(void **state)
{
    int solved = 0, tried = 0;

    for (int k = 0; k < n_all_test_models; k++) {
        uint64_t seed = (uint64_t)k + 77;
        model m;
        if (!test_models[k].exact)
            continue;
        open_test_model(*state, &test_models[k], &m);
        for (int trial = 0; trial < 8; trial++) {
            double x[MOST], v[MOST], x1[MOST], v1[MOST], lambda[MOST] = {0}, before[32], after[32];
            const double h = trial % 2 ? 0.02 : -0.07;
            step_result result;
            random_state(&m, &seed, x, v);
            memcpy(v1, v, sizeof v1);
            tried++;
            if (solve_interval(&m, 0.4, h, x, v, x1, v1, lambda, &result) != PHX_OK)
                continue;
            solved++;
            phx_energies e;
            phx_system_energies(m.system, x1, v1, &e);
            const double balance =
                total_energy(&m, x1, v1) - total_energy(&m, x, v) - result.work.supplied + result.work.dissipated;
            const double scale = e.kinetic + e.elastic + fabs(e.potential) + fabs(result.work.supplied);
            CHECK_CLOSE(balance, 0.0, 1e-11 * scale, "%s: balance, trial %d, h = %g, newton left %.2e",
                        test_models[k].name, trial, h, result.residual);
            row_values(&m, x, before);
            row_values(&m, x1, after);
            for (int r = 0; r < m.system->rows.n; r++) {
                const row_slot *slot = &m.system->rows.slot[r];
                const coordinate_slot *coordinate = &m.system->joints[slot->joint].coordinates[slot->coordinate];
                const double driven =
                    slot->role == ROW_DRIVEN ? h * phx_signal_mean(coordinate->def.speed, 0.4, 0.4 + h) : 0.0;
                double moved = after[r] - before[r] - driven;
                if (slot->row->unwrapped)
                    moved = remainder(moved, 2.0 * TEST_PI);
                CHECK_CLOSE(moved, 0.0, 2e-12, "%s: row %d, trial %d", test_models[k].name, r, trial);
            }
        }
        model_close(&m);
    }
    if (solved < (3 * tried) / 4)
        fail_msg("Newton converged for %d of %d intervals only", solved, tried);
}

/* Runs with projection from the start state: energy, joints, velocities of the joints. */
static void runs_balance(void **state)
{
    const int steps = TEST_LONG(300);
    const double h = 2e-3;

    for (int k = 0; k < n_all_test_models; k++) {
        double position = 0.0, velocity = 0.0;
        phx_work work;
        model m;
        if (!test_models[k].exact)
            continue;
        open_test_model(*state, &test_models[k], &m);
        model_start(&m, false);
        const double before = total_energy(&m, m.x, m.v);
        run_midpoint(&m, 0.0, h, steps, &work);
        const double balance = total_energy(&m, m.x, m.v) - before - work.supplied + work.dissipated;
        CHECK_CLOSE(balance, 0.0, 1e-10 * (10.0 + fabs(before)), "%s: balance over %d steps", test_models[k].name,
                    steps);
        m.dae->ops->drift(m.dae, steps * h, m.x, m.v, &position, &velocity);
        CHECK_CLOSE(position, 0.0, 1e-12, "%s: drift", test_models[k].name);
        CHECK_CLOSE(velocity, 0.0, 1e-12, "%s: drift of the velocities", test_models[k].name);
        model_close(&m);
    }
}

/* ---- two mechanisms in one model ---- */
static void whip(model *m, double y, double scale)
{
    const beam_kind kind = beam_default();
    const phx_body_id a = add_rigid(m, "upper", scale, 0.1 * scale, 0.5, 0.0, pose_at(0.0, y, 0.0));
    const phx_body_id b = add_beam(m, "lower", &kind, pose_at(1.0, y, 0.0));
    add_joint(m, "shoulder", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 0.0, y), at_place(m, a, 0.0, 0.0));
    add_joint(m, "elbow", PHX_JOINT_REVOLUTE, at_place(m, a, 1.0, 0.0), at_beam(m, b, 0.0));
}

static double component_energy(const model *m, int c)
{
    const phx_system *system = m->system;
    double energy = 0.0;
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        if (slot->component == c)
            energy += phx_body_kinetic(slot->body, m->x + slot->x, m->v + slot->v) +
                      phx_body_elastic(slot->body, m->x + slot->x) +
                      phx_body_potential(slot->body, system->gravity, m->x + slot->x);
    }
    return energy;
}

static void mechanisms_keep_their_energies_apart(void **state)
{
    double before[2];
    phx_work work;
    model m;

    model_open(*state, 0.0, -9.81, &m);
    whip(&m, 0.0, 1.0);
    whip(&m, 3.0, 50.0);
    model_ready(&m);
    assert_int_equal(m.system->components.n, 2);
    for (int c = 0; c < 2; c++)
        before[c] = component_energy(&m, c);
    run_midpoint(&m, 0.0, 2e-3, TEST_LONG(2000), &work);
    for (int c = 0; c < 2; c++)
        CHECK_CLOSE(component_energy(&m, c), before[c], c ? 3e-9 : 1e-10, "energy of mechanism %d", c);
    CHECK_CLOSE(work.supplied, 0.0, 0.0, "supplied");
    model_close(&m);
}

/* ---- free mechanisms ---- */
static void momenta(const model *m, double *sum)
{
    sum[0] = sum[1] = sum[2] = 0.0;
    for (int b = 0; b < phx_system_bodies(m->system); b++) {
        int x = 0, v = 0;
        double linear[3], angular[3];
        phx_system_offsets(m->system, b, &x, &v);
        phx_body_inertial_momentum(phx_system_body(m->system, b), m->x + x, m->v + v, linear, angular);
        sum[0] += linear[0];
        sum[1] += linear[1];
        sum[2] += angular[0];
    }
}

/* Two hinged beams, the first thrown and turning. */
static phx_joint_id hinged_pair(model *m, const phx_coordinate_def *coordinate, phx_port_id *tip)
{
    beam_kind kind = beam_default();
    phx_pose pose = pose_at(0.0, 0.0, 0.0);
    kind.reference = PHX_REFERENCE_FREE;
    pose.linear[0] = 0.3;
    pose.linear[1] = -0.7;
    pose.angular[0] = 4.0;
    const phx_body_id a = add_beam(m, "a", &kind, pose);
    kind.reference = PHX_REFERENCE_SIMPLY_SUPPORTED;
    const phx_body_id b = add_beam(m, "b", &kind, pose_at(1.0, 0.0, 0.5));
    phx_joint_def hinge = joint_def("hinge", PHX_JOINT_REVOLUTE, at_beam(m, a, 1.0), at_beam(m, b, 0.0));
    if (coordinate) {
        hinge.n_coordinates = 1;
        hinge.coordinate[0] = *coordinate;
    }
    *tip = at_beam(m, b, 1.0);
    return add_joint_def(m, &hinge);
}

static void free_beams_keep_their_momenta(void **state)
{
    double before[3], after[3];
    phx_port_id tip;
    phx_work work;
    model m;

    model_open(*state, 0.0, 0.0, &m);
    hinged_pair(&m, NULL, &tip);
    model_ready(&m);
    assert_true(m.system->components.slot[0].free);
    momenta(&m, before);
    const double energy = total_energy(&m, m.x, m.v);
    run_midpoint(&m, 0.0, 2e-3, 10000, &work);
    momenta(&m, after);
    for (int i = 0; i < 3; i++)
        CHECK_CLOSE(after[i], before[i], 1e-12, "momentum %d after 10000 steps", i);
    CHECK_CLOSE(total_energy(&m, m.x, m.v), energy, 1e-11 * energy, "energy after 10000 steps");
    model_close(&m);
}

static void free_beams_with_a_drive_keep_their_momenta(void **state)
{
    double before[3], after[3];
    phx_port_id tip;
    phx_work work;
    model m;

    model_open(*state, 0.0, 0.0, &m);
    const phx_coordinate_def drive = {.speed = sine(&m, 1.0, 3.0, 5.0)};
    hinged_pair(&m, &drive, &tip);
    model_ready(&m);
    momenta(&m, before);
    const double energy = total_energy(&m, m.x, m.v);
    run_midpoint(&m, 0.0, 2e-3, TEST_LONG(2000), &work);
    momenta(&m, after);
    for (int i = 0; i < 3; i++)
        CHECK_CLOSE(after[i], before[i], 1e-12, "momentum %d, driven inside", i);
    CHECK_CLOSE(total_energy(&m, m.x, m.v) - energy - work.supplied, 0.0, 1e-10 * energy, "balance, driven inside");
    model_close(&m);
}

/* Gravity, a dead load and a spring inside: linear momentum by the impulse of the forces, angular momentum by the
 * discrete moments, which for a constant force on averages is F x mean place. */
static void free_beams_under_loads_balance_impulses(void **state)
{
    double before[3], after[3];
    const double g = -9.81, fx = 2.0, end = 2.0;
    phx_port_id tip;
    phx_work work;
    model m;

    model_open(*state, 0.0, g, &m);
    const phx_coordinate_def spring = {.stiffness = 5.0, .damping = 0.1};
    hinged_pair(&m, &spring, &tip);
    add_force(&m, "push", tip, false, constant(&m, fx), sine(&m, 0.0, 1.0, 2.0));
    model_ready(&m);
    assert_true(m.system->components.slot[0].free);
    momenta(&m, before);
    const double energy = total_energy(&m, m.x, m.v);
    run_midpoint(&m, 0.0, 2e-3, 1000, &work);
    momenta(&m, after);
    double impulse = 0.0; /* the scheme's own: the force at the middle of each step */
    for (int k = 0; k < 1000; k++)
        impulse += 2e-3 * sin(2.0 * (k + 0.5) * 2e-3);
    CHECK_CLOSE(after[0] - before[0], fx * end, 1e-11, "impulse along x");
    CHECK_CLOSE(after[1] - before[1], 2.0 * g * end + impulse, 1e-10, "impulse along y");
    CHECK_CLOSE(total_energy(&m, m.x, m.v) - energy - work.supplied + work.dissipated, 0.0, 1e-10 * fabs(energy),
                "balance under loads");
    model_close(&m);
}

/* No step allocates. */
static void steps_do_not_allocate(void **state)
{
    for (int k = 0; k < n_all_test_models; k++) {
        phx_work work;
        model m;
        open_test_model(*state, &test_models[k], &m);
        model_start(&m, false);
        run_midpoint(&m, 0.0, 1e-3, 1, &work);
        const size_t before = phx_context_allocations(m.context);
        run_midpoint(&m, 1e-3, 1e-3, 20, &work);
        if (phx_context_allocations(m.context) != before)
            fail_msg("%s: %zu allocations in 20 steps", test_models[k].name,
                     phx_context_allocations(m.context) - before);
        model_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(single_intervals_balance, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(runs_balance, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(mechanisms_keep_their_energies_apart, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(free_beams_keep_their_momenta, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(free_beams_with_a_drive_keep_their_momenta, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(free_beams_under_loads_balance_impulses, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(steps_do_not_allocate, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
