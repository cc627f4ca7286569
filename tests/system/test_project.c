/* The projection after a step: it closes the velocities, keeps the order, books the work of drives, leaves alone what
 * is closed to rounding, and asks for a smaller step when it would take too much. */
#include "system/fast/fast.h"

#include "support.h"

enum { MOST = 256 };

/* Rigid double pendulum, the shoulder driven or free. */
static void double_pendulum(model *m, phx_signal *speed)
{
    const phx_body_id a = add_rigid(m, "a", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, 0.0));
    const phx_body_id b = add_rigid(m, "b", 1.0, 0.1, 0.5, 0.0, pose_at(1.0, 0.0, 0.0));
    phx_joint_def shoulder =
        joint_def("shoulder", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 0.0, 0.0), at_place(m, a, 0.0, 0.0));
    if (speed) {
        shoulder.n_coordinates = 1;
        shoulder.coordinate[0].speed = speed;
    }
    add_joint_def(m, &shoulder);
    add_joint(m, "elbow", PHX_JOINT_REVOLUTE, at_place(m, a, 1.0, 0.0), at_place(m, b, 0.0, 0.0));
}

/* Crank, flexible rod, sliding block; the crank driven. */
static void crank_slider(model *m, phx_signal *speed)
{
    beam_kind kind = beam_default();
    kind.length = 0.3;
    kind.elements = 2;
    const phx_body_id crank = add_rigid(m, "crank", 0.3, 1e-3, 0.05, 0.0, pose_at(0.0, 0.0, 0.4));
    const double x = 0.15 * cos(0.4), y = 0.15 * sin(0.4), turn = -asin(y / 0.3);
    const phx_body_id rod = add_beam(m, "rod", &kind, pose_at(x, y, turn));
    const phx_body_id block = add_rigid(m, "block", 0.2, 1e-4, 0.0, 0.0, pose_at(x + 0.3 * cos(turn), 0.0, 0.0));
    phx_joint_def drive =
        joint_def("drive", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 0.0, 0.0), at_place(m, crank, 0.0, 0.0));
    drive.n_coordinates = 1;
    drive.coordinate[0].speed = speed;
    add_joint_def(m, &drive);
    add_joint(m, "crankpin", PHX_JOINT_REVOLUTE, at_place(m, crank, 0.15, 0.0), at_beam(m, rod, 0.0));
    add_joint(m, "wristpin", PHX_JOINT_REVOLUTE, at_beam(m, rod, 1.0), at_place(m, block, 0.0, 0.0));
    add_joint(m, "guide", PHX_JOINT_PRISMATIC, at_place(m, PHX_GROUND, 0.0, 0.0), at_place(m, block, 0.0, 0.0));
}

static phx_signal *jump(model *m, double before, double after, double at)
{
    const double times[] = {0.0, at, at + 1e-9, 10.0}, values[] = {before, before, after, after};
    phx_signal *signal = NULL;
    CHECK_OK(m->context, phx_signal_create_table(m->context, 4, times, values, &signal));
    return signal;
}

/* ---- order ---- */
static double end_angle(phx_context *context, bool driven, int steps)
{
    phx_work work;
    model m;
    model_open(context, 0.0, -9.81, &m);
    double_pendulum(&m, driven ? sine(&m, 1.0, 3.0, 4.0) : NULL);
    model_ready(&m);
    run_midpoint(&m, 0.0, 0.8 / steps, steps, &work);
    const double angle = m.x[5 + 4];
    model_close(&m);
    return angle;
}

static void the_order_stays_two(void **state)
{
    for (int driven = 0; driven < 2; driven++) {
        const double exact = end_angle(*state, driven, 32000);
        const double coarse = end_angle(*state, driven, 1000) - exact, fine = end_angle(*state, driven, 2000) - exact;
        CHECK_CLOSE(log2(fabs(coarse / fine)), 2.0, 0.1, "order, %s (errors %.2e, %.2e)", driven ? "driven" : "free",
                    coarse, fine);
    }
}

/* ---- work of drives ---- */
static void check_balance(model *m, double h, long steps, double tolerance, const char *what)
{
    phx_work work;
    double position = 0.0, velocity = 0.0;
    const double before = total_energy(m, m->x, m->v);
    run_midpoint(m, 0.0, h, steps, &work);
    const double after = total_energy(m, m->x, m->v);
    CHECK_CLOSE(after - before - work.supplied + work.dissipated, 0.0, tolerance * (fabs(after) + fabs(before) + 1.0),
                "%s: balance", what);
    m->dae->ops->drift(m->dae, (double)steps * h, m->x, m->v, &position, &velocity);
    CHECK_CLOSE(position, 0.0, 1e-12, "%s: drift", what);
    CHECK_CLOSE(velocity, 0.0, 1e-11, "%s: drift rate", what);
}

static void work_of_drives_is_booked(void **state)
{
    model m;

    model_open(*state, 0.0, -9.81, &m);
    crank_slider(&m, sine(&m, 10.0, 5.0, 7.0));
    model_ready(&m);
    check_balance(&m, 1e-3, 600, 1e-11, "crank-slider");
    /* 10 t + 5 (1 - cos 7t)/7, exactly by the mean of the signal */
    CHECK_CLOSE(m.x[4], 0.4 + 10.0 * 0.6 + 5.0 / 7.0 * (1.0 - cos(7.0 * 0.6)), 1e-12, "driven angle");
    model_close(&m);
}

/* Nothing is free: what the projection takes is the drive's. */
static void a_prescribed_motion_balances(void **state)
{
    model m;
    model_open(*state, 0.0, -9.81, &m);
    const phx_body_id a = add_rigid(&m, "a", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, 0.0));
    phx_joint_def pin =
        joint_def("pin", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, a, 0.0, 0.0));
    pin.n_coordinates = 1;
    pin.coordinate[0].speed = sine(&m, 2.0, 10.0, 9.0);
    add_joint_def(&m, &pin);
    model_ready(&m);
    assert_int_equal(m.n_l, m.n_v);
    check_balance(&m, 0.01, 200, 1e-12, "driven link");
    CHECK_CLOSE(m.v[2], 2.0 + 10.0 * sin(9.0 * 2.0), 1e-12, "rate of the driven link");
    model_close(&m);
}

/* A jump of the prescribed speed: the last halving has to take it, and the impulse's work is the drive's. */
static void a_jump_is_the_work_of_the_drive(void **state)
{
    for (int kind = 0; kind < 3; kind++) {
        model m;
        model_open(*state, 0.0, kind == 2 ? 0.0 : -9.81, &m);
        if (kind == 0) {
            crank_slider(&m, jump(&m, 10.0, 14.0, 0.0501));
        } else {
            double_pendulum(&m, jump(&m, 1.0, -3.0, 0.0501));
        }
        model_ready(&m);
        check_balance(&m, 1e-3, 100, 1e-11, kind ? "double pendulum with a jump" : "crank-slider with a jump");
        model_close(&m);
    }
}

/* By hand: two links, the first driven from w0 to w1 by an impulse; T changes by the impulse times (w0 + w1)/2. */
static void a_jump_moves_the_free_parts_as_an_impulse(void **state)
{
    double v[MOST], lambda[MOST] = {0};
    phx_work work;
    model m;

    model_open(*state, 0.0, 0.0, &m);
    double_pendulum(&m, jump(&m, 1.0, 2.0, 0.5));
    model_ready(&m);
    memcpy(v, m.v, (size_t)m.n_v * sizeof *v);
    const double before = total_energy(&m, m.x, v);
    CHECK_OK(m.context, m.dae->ops->project(m.dae, 1.0, 0.01, false, false, m.x, v, lambda, &work));
    CHECK_CLOSE(total_energy(&m, m.x, v) - before, work.supplied, 1e-13, "work of the jump");
    CHECK_CLOSE(v[2], 2.0, 1e-14, "rate after the jump");
    /* no impulse at the elbow's turn: angular momentum of b about the elbow is kept:
     * I_P w_b + m c (velocity of the elbow) = const, I_P = 0.1 + 0.25, c = 0.5, elbow 1 m/s faster */
    CHECK_CLOSE(v[5], 0.0 + m.v[5] - 0.5 / 0.35, 1e-12, "rate of the second link");
    model_close(&m);
}

/* ---- what it leaves alone, what it refuses ---- */
static void closed_velocities_stay_bitwise(void **state)
{
    double v[MOST], lambda[MOST];
    phx_work work;
    model m;

    model_open(*state, 0.0, -9.81, &m);
    double_pendulum(&m, NULL);
    model_finalise(&m);
    model_start(&m, false);
    run_midpoint(&m, 0.0, 0.01, 30, &work);
    memcpy(v, m.v, (size_t)m.n_v * sizeof *v);
    memcpy(lambda, m.lambda, (size_t)m.n_l * sizeof *lambda);
    CHECK_OK(m.context, m.dae->ops->project(m.dae, 0.3, 0.01, false, true, m.x, v, lambda, &work));
    assert_memory_equal(v, m.v, (size_t)m.n_v * sizeof *v);
    assert_memory_equal(lambda, m.lambda, (size_t)m.n_l * sizeof *lambda);
    CHECK_CLOSE(work.supplied, 0.0, 0.0, "work of a projection that does nothing");
    model_close(&m);
}

static void too_much_energy_is_rejected(void **state)
{
    double v[MOST], kept[MOST], lambda[MOST] = {0};
    phx_work work;
    model m;

    model_open(*state, 0.0, -9.81, &m);
    double_pendulum(&m, NULL);
    model_ready(&m);
    memset(v, 0, sizeof v);
    v[2] = 1.0; /* the first turns, the second stands: the elbow opens at 1 m/s */
    memcpy(kept, v, sizeof v);
    CHECK_STATUS(m.context, m.dae->ops->project(m.dae, 0.0, 0.01, false, true, m.x, v, lambda, &work), PHX_REJECTED);
    assert_memory_equal(v, kept, sizeof v);
    CHECK_OK(m.context, m.dae->ops->project(m.dae, 0.0, 0.01, false, false, m.x, v, lambda, &work));
    double position = 0.0, velocity = 0.0;
    m.dae->ops->drift(m.dae, 0.0, m.x, v, &position, &velocity);
    CHECK_CLOSE(velocity, 0.0, 1e-13, "velocities after a large projection");
    model_close(&m);
}

/* A mechanism whose velocities are closed is not touched because another's are not. */
static void each_mechanism_by_itself(void **state)
{
    double v[MOST], kept[MOST], lambda[MOST] = {0};
    phx_work work;
    model m;

    model_open(*state, 0.0, -9.81, &m);
    double_pendulum(&m, NULL);
    double_pendulum(&m, NULL);
    model_ready(&m);
    memcpy(v, m.v, (size_t)m.n_v * sizeof *v);
    v[0 + 2] = 1.0, v[3 + 1] = 1.0, v[3 + 2] = 0.5;   /* closed: link b's P moves with link a's end */
    v[6 + 2] = 1.0, v[9 + 1] = 1.001, v[9 + 2] = 0.3; /* not quite */
    memcpy(kept, v, sizeof kept);
    CHECK_OK(m.context, m.dae->ops->project(m.dae, 0.0, 0.01, false, true, m.x, v, lambda, &work));
    assert_memory_equal(v, kept, 6 * sizeof *v);
    CHECK_CLOSE(m.system->components.n, 2, 0, "mechanisms");
    if (memcmp(v + 6, kept + 6, 6 * sizeof *v) == 0)
        fail_msg("the second mechanism was not corrected");
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_order_stays_two, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(work_of_drives_is_booked, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_prescribed_motion_balances, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_jump_is_the_work_of_the_drive, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_jump_moves_the_free_parts_as_an_impulse, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(closed_velocities_stay_bitwise, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(too_much_energy_is_rejected, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(each_mechanism_by_itself, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
