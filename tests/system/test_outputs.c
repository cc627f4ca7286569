/* Output columns against formulas that share nothing with them: reactions, accelerations and efforts of pendulums,
 * section forces and stresses of loaded beams, angles without jumps; and that asking allocates nothing. */
#include "system/system_internal.h"

#include <math.h>

#include "test_models.h"

enum { MOST = 64 };

static const double G = 9.81;

static void outputs(model *m, double t, double *columns)
{
    assert_true(phx_system_columns(m->system) <= MOST);
    CHECK_OK(m->context, phx_system_outputs(m->dae, t, m->x, m->v, columns));
}

static void check_columns(const double *columns, const double *want, int n, double tolerance, const char *what)
{
    for (int i = 0; i < n; i++)
        CHECK_CLOSE(columns[i], want[i], tolerance, "%s, column %d", what, i);
}

/* ---- pendulums ---- */
/* Mass 2, inertia 0.3 about the centre at (0.5, 0), pinned at P; angle and rate given. */
static phx_body_id pendulum(model *m, double angle, double rate, phx_port_id ground, phx_signal *speed,
                            phx_joint_id *id)
{
    const phx_body_id a = add_rigid(m, "a", 2.0, 0.3, 0.5, 0.0, pose_at(0.0, 0.0, angle));
    phx_joint_def pin = joint_def("pin", PHX_JOINT_REVOLUTE, ground, at_place(m, a, 0.0, 0.0));
    pin.n_coordinates = 1;
    pin.coordinate[0].speed = speed;
    pin.coordinate[0].has_rate = !speed;
    pin.coordinate[0].rate = rate;
    *id = add_joint_def(m, &pin);
    return a;
}

static void a_pendulum_pulls_and_accelerates_as_it_should(void **state)
{
    for (int turned = 0; turned < 2; turned++) {
        const double angle = 0.7, rate = 3.0, I = 0.3 + 2.0 * 0.25, tilt = turned ? 0.4 : 0.0;
        const double c = cos(angle), s = sin(angle), alpha = -2.0 * G * 0.5 * c / I;
        /* of a point at distance d: d (alpha (-s, c) - rate^2 (c, s)) */
        const double ax = 0.5 * (-alpha * s - rate * rate * c), ay = 0.5 * (alpha * c - rate * rate * s);
        const double fx = 2.0 * ax, fy = 2.0 * (ay + G);
        double columns[MOST];
        phx_joint_id pin;
        model m;
        model_open(*state, 0.0, -G, &m);
        const phx_body_id a = pendulum(&m, angle, rate, at_turned(&m, PHX_GROUND, 0.0, 0.0, tilt), NULL, &pin);
        const phx_port_id tip = at_place(&m, a, 1.0, 0.0);
        add_output(&m, "reaction", PHX_QUANTITY_REACTION, pin);
        add_output(&m, "tip", PHX_QUANTITY_ACCELERATION, tip);
        add_output(&m, "v", PHX_QUANTITY_VELOCITY, tip);
        add_output(&m, "w", PHX_QUANTITY_ANGULAR_VELOCITY, tip);
        add_output(&m, "rate", PHX_QUANTITY_RATE, pin);
        add_output(&m, "place", PHX_QUANTITY_POSITION, tip);
        const phx_output_def in_body = {
            .name = "body", .quantity = PHX_QUANTITY_ACCELERATION, .port = tip, .body_frame = true};
        CHECK_OK(m.context, phx_system_add_output(m.system, &in_body));
        model_ready(&m);
        outputs(&m, 0.0, columns);
        const double want[] = {cos(tilt) * fx + sin(tilt) * fy,
                               -sin(tilt) * fx + cos(tilt) * fy,
                               0.0,
                               2.0 * ax,
                               2.0 * ay,
                               -rate * s,
                               rate * c,
                               rate,
                               rate,
                               c,
                               s,
                               -rate * rate,
                               alpha};
        check_columns(columns, want, 13, 1e-12, turned ? "pendulum on a turned port" : "pendulum");
        model_close(&m);
    }
}

/* Hanging straight down: tension m (g + w^2 d). */
static void a_hanging_pendulum_has_the_tension(void **state)
{
    double columns[MOST];
    phx_joint_id pin;
    model m;
    model_open(*state, 0.0, -G, &m);
    pendulum(&m, -TEST_PI / 2.0, 4.0, at_place(&m, PHX_GROUND, 0.0, 0.0), NULL, &pin);
    add_output(&m, "reaction", PHX_QUANTITY_REACTION, pin);
    model_ready(&m);
    outputs(&m, 0.0, columns);
    CHECK_CLOSE(columns[1], 2.0 * (G + 16.0 * 0.5), 1e-12, "tension");
    CHECK_CLOSE(columns[0], 0.0, 1e-12, "across");
    model_close(&m);
}

static void a_drive_exerts_its_torque(void **state)
{
    const double t = 0.3, angle = 0.7, I = 0.3 + 2.0 * 0.25;
    double columns[MOST];
    phx_joint_id pin;
    model m;
    model_open(*state, 0.0, -G, &m);
    pendulum(&m, angle, 0.0, at_place(&m, PHX_GROUND, 0.0, 0.0), sine(&m, 1.0, 2.0, 5.0), &pin);
    add_output(&m, "drive", PHX_QUANTITY_EFFORT, pin);
    add_output(&m, "rate", PHX_QUANTITY_RATE, pin);
    model_finalise(&m);
    const phx_start_options options = {.t = t};
    CHECK_OK(m.context, phx_system_start(m.system, &options, m.x, m.v, m.lambda));
    outputs(&m, t, columns);
    CHECK_CLOSE(columns[0], I * 10.0 * cos(5.0 * t) + 2.0 * G * 0.5 * cos(angle), 1e-9, "torque of the drive");
    CHECK_CLOSE(columns[1], 1.0 + 2.0 * sin(5.0 * t), 1e-12, "rate of the drive");
    model_close(&m);
}

/* The effort along a coordinate is that of its actuator, spring and damper; the reaction has none of it. */
static void actuator_spring_and_damper_are_the_effort(void **state)
{
    double columns[MOST];
    model m;
    model_open(*state, 0.0, 0.0, &m);
    const phx_body_id a = add_rigid(&m, "a", 2.0, 0.3, 0.0, 0.0, pose_at(0.5, 0.0, 0.0));
    phx_joint_def rail =
        joint_def("rail", PHX_JOINT_PRISMATIC, at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, a, 0.0, 0.0));
    rail.n_coordinates = 1;
    rail.coordinate[0].effort = constant(&m, 6.0);
    rail.coordinate[0].stiffness = 4.0;
    rail.coordinate[0].damping = 0.5;
    rail.coordinate[0].rest = 0.1;
    rail.coordinate[0].has_rate = true;
    rail.coordinate[0].rate = 2.0;
    const phx_joint_id id = add_joint_def(&m, &rail);
    add_force(&m, "side", at_place(&m, a, 0.25, 0.0), false, NULL, constant(&m, -3.0));
    add_output(&m, "effort", PHX_QUANTITY_EFFORT, id);
    add_output(&m, "reaction", PHX_QUANTITY_REACTION, id);
    add_output(&m, "acceleration", PHX_QUANTITY_ACCELERATION, at_place(&m, a, 0.0, 0.0));
    add_output(&m, "way", PHX_QUANTITY_COORDINATE, id);
    model_ready(&m);
    outputs(&m, 0.0, columns);
    const double effort = 6.0 - 4.0 * 0.4 - 0.5 * 2.0;
    const double want[] = {effort, 0.0, 3.0, 0.75, effort / 2.0, 0.0, 0.5};
    check_columns(columns, want, 7, 1e-12, "actuator");
    model_close(&m);
}

/* The torque of a reaction about A is that about B and the moment of the force: for every joint of the models. */
static void a_reaction_is_told_about_either_port(void **state)
{
    static const phx_quantity quantities[] = {PHX_QUANTITY_REACTION, PHX_QUANTITY_REACTION, PHX_QUANTITY_POSITION,
                                              PHX_QUANTITY_POSITION};
    int counted = 0;

    for (int a = 0; a < n_test_models + n_sliding_models; a++) {
        static double columns[4096];
        model m;
        begin_test_model(*state, &test_models[a], &m);
        test_models[a].build(&m);
        const int joints = m.system->n_joints;
        for (int j = 0; j < joints; j++)
            for (int k = 0; k < 4; k++) {
                const joint_slot *joint = &m.system->joints[j];
                const phx_output_def def = {.name = "it",
                                            .quantity = quantities[k],
                                            .joint = j,
                                            .inertial = true,
                                            .at_a = k == 1,
                                            .port = k == 2 ? joint->a : joint->b};
                CHECK_OK(m.context, phx_system_add_output(m.system, &def));
            }
        model_finalise(&m);
        assert_true(phx_system_columns(m.system) <= 4096);
        model_start(&m, false);
        CHECK_OK(m.context, phx_system_outputs(m.dae, 0.0, m.x, m.v, columns));
        const int dim = m.system->dim, wrench = dim == 2 ? 3 : 6;
        for (int j = 0; j < joints; j++, counted++) {
            const double *at_b =
                columns + m.system->channels.outputs[m.system->channels.n_outputs - 4 * joints + 4 * j].first;
            const double *at_a = at_b + wrench, *u_a = at_a + wrench, *u_b = u_a + dim, *F = at_b;
            double d[3] = {0}, scale = 1.0, moment[3] = {0};
            for (int i = 0; i < dim; i++)
                d[i] = u_b[i] - u_a[i];
            for (int i = 0; i < wrench; i++)
                scale += fabs(at_a[i]);
            if (dim == 2) {
                moment[0] = d[0] * F[1] - d[1] * F[0];
            } else {
                for (int i = 0; i < 3; i++)
                    moment[i] = d[(i + 1) % 3] * F[(i + 2) % 3] - d[(i + 2) % 3] * F[(i + 1) % 3];
            }
            for (int i = 0; i < dim; i++)
                CHECK_CLOSE(at_a[i], at_b[i], 1e-11 * scale, "%s, joint %d, force %d", test_models[a].name, j, i);
            for (int i = dim; i < wrench; i++)
                CHECK_CLOSE(at_a[i], at_b[i] + moment[i - dim], 1e-9 * scale, "%s, joint %d, torque %d",
                            test_models[a].name, j, i);
        }
        model_close(&m);
    }
    assert_true(counted > 20);
}

/* ---- beams ---- */
/* Cantilever under a tip force, in equilibrium: section forces, stresses, deflection, reaction. */
static void a_loaded_cantilever_has_the_section_forces(void **state)
{
    const double F = 3.0, N = 50.0, EI = 4e4, EA = 1e8, area = 0.02, inertia = 5e-5, fibre = 0.1;
    const phx_reference references[] = {PHX_REFERENCE_CANTILEVER, PHX_REFERENCE_SIMPLY_SUPPORTED, PHX_REFERENCE_FREE};
    for (int k = 0; k < 3; k++) {
        beam_kind kind = beam_default();
        double columns[MOST];
        model m;
        kind.bending = EI;
        kind.axial = EA;
        kind.elements = 4;
        kind.reference = references[k];
        model_open(*state, 0.0, 0.0, &m);
        const phx_body_id a = add_beam(&m, "a", &kind, pose_at(0.0, 0.0, 0.0));
        const phx_joint_id wall =
            add_joint(&m, "wall", PHX_JOINT_WELD, at_place(&m, PHX_GROUND, 0.0, 0.0), at_beam(&m, a, 0.0));
        const phx_port_id root = at_beam(&m, a, 0.0), inside = at_beam(&m, a, 0.3), node = at_beam(&m, a, 0.5),
                          tip = at_beam(&m, a, 1.0);
        add_force(&m, "tip force", tip, false, constant(&m, N), constant(&m, F));
        const phx_port_id places[] = {root, inside, node};
        for (int i = 0; i < 3; i++) {
            phx_output_def def = {.name = "stress",
                                  .quantity = PHX_QUANTITY_STRESS,
                                  .port = places[i],
                                  .area = area,
                                  .inertia = {inertia},
                                  .fibre = {fibre}};
            add_output(&m, "N", PHX_QUANTITY_AXIAL_FORCE, places[i]);
            add_output(&m, "M", PHX_QUANTITY_BENDING_MOMENT, places[i]);
            CHECK_OK(m.context, phx_system_add_output(m.system, &def));
        }
        add_output(&m, "wall", PHX_QUANTITY_REACTION, wall);
        add_output(&m, "tip", PHX_QUANTITY_POSITION, tip);
        add_output(&m, "slope", PHX_QUANTITY_ANGLE, tip);
        add_output(&m, "bend", PHX_QUANTITY_DEFORMATION, tip);
        model_finalise(&m);
        model_start(&m, true);
        outputs(&m, 0.0, columns);
        const double at[] = {0.0, 0.3, 0.5};
        for (int i = 0; i < 3; i++) {
            const double M = F * (1.0 - at[i]), *c = columns + 4 * i;
            /* small rotations of about F/EI mix N and F by their square and first order: 1e-4 */
            CHECK_CLOSE(c[0], N, 1e-3, "axial force at %g, reference %d", at[i], k);
            CHECK_CLOSE(c[1], M, 1e-2, "moment at %g, reference %d", at[i], k);
            CHECK_CLOSE(c[2], c[0] / area - c[1] * fibre / inertia, 1e-9 * fabs(c[2]), "top fibre at %g", at[i]);
            CHECK_CLOSE(c[3], c[0] / area + c[1] * fibre / inertia, 1e-9 * fabs(c[3]), "bottom fibre at %g", at[i]);
        }
        CHECK_CLOSE(columns[12], -N, 1e-9, "reaction along");
        CHECK_CLOSE(columns[13], -F, 1e-9, "reaction across");
        CHECK_CLOSE(columns[14], -F * columns[15] + N * columns[16], 1e-9, "reaction torque");
        CHECK_CLOSE(columns[16], F / (3.0 * EI), 1e-2 * F / (3.0 * EI), "tip deflection");
        CHECK_CLOSE(columns[17], F / (2.0 * EI), 1e-2 * F / (2.0 * EI), "slope of the tip");
        if (k == 0)
            CHECK_CLOSE(columns[19], columns[16], 1e-12, "deformation of the tip, cantilever");
        if (k == 1)
            CHECK_CLOSE(columns[19], 0.0, 0.0, "deformation of the tip, simply supported");
        model_close(&m);
    }
}

/* ---- counting ---- */
static void angles_and_attitudes_do_not_jump(void **state)
{
    double last[MOST] = {0}, columns[MOST];
    phx_joint_id pin;
    model m;
    model_open(*state, 0.0, 0.0, &m);
    const phx_body_id a = pendulum(&m, 0.5, 0.0, at_place(&m, PHX_GROUND, 0.0, 0.0), constant(&m, -10.0), &pin);
    const phx_port_id tip = at_turned(&m, a, 1.0, 0.0, 0.25);
    add_output(&m, "angle", PHX_QUANTITY_ANGLE, tip);
    add_output(&m, "attitude", PHX_QUANTITY_ATTITUDE, tip);
    add_output(&m, "coordinate", PHX_QUANTITY_COORDINATE, pin);
    model_ready(&m);
    for (int k = 0; k <= 200; k++) {
        phx_work work;
        const double t = 0.01 * k;
        outputs(&m, t, columns);
        CHECK_CLOSE(columns[0], 0.75 - 10.0 * t, 1e-12, "angle at %g s", t);
        CHECK_CLOSE(columns[5], 0.5 - 10.0 * t, 1e-12, "coordinate at %g s", t);
        for (int i = 1; i < 5 && k > 0; i++)
            CHECK_CLOSE(columns[i], last[i], 0.06, "step of quaternion component %d at %g s", i, t);
        CHECK_CLOSE(columns[1] * columns[1] + columns[4] * columns[4], 1.0, 1e-13, "quaternion at %g s", t);
        CHECK_CLOSE(atan2(columns[4], columns[1]), remainder(0.5 * columns[0], 2.0 * TEST_PI), 1e-12, "half angle");
        memcpy(last, columns, sizeof last);
        run_midpoint(&m, t, 0.01, 1, &work);
    }
    model_close(&m);
}

/* ---- names and units ---- */
static void columns_have_names_and_units(void **state)
{
    static const char *const want[][2] = {{"p.x", "m"}, {"p.y", "m"},   {"r.fx", "N"}, {"r.fy", "N"},  {"r.tz", "N m"},
                                          {"c", "rad"}, {"w", "rad/s"}, {"e", "N m"},  {"w2", "rad/s"}};
    phx_joint_id pin;
    model m;
    model_open(*state, 0.0, 0.0, &m);
    const phx_body_id a = pendulum(&m, 0.5, 0.0, at_place(&m, PHX_GROUND, 0.0, 0.0), NULL, &pin);
    const phx_port_id tip = at_place(&m, a, 1.0, 0.0);
    add_output(&m, "p", PHX_QUANTITY_POSITION, tip);
    add_output(&m, "r", PHX_QUANTITY_REACTION, pin);
    add_output(&m, "c", PHX_QUANTITY_COORDINATE, pin);
    add_output(&m, "w", PHX_QUANTITY_RATE, pin);
    add_output(&m, "e", PHX_QUANTITY_EFFORT, pin);
    add_output(&m, "w2", PHX_QUANTITY_ANGULAR_VELOCITY, tip);
    model_ready(&m);
    assert_int_equal(phx_system_columns(m.system), 9);
    for (int i = 0; i < 9; i++) {
        char name[32];
        phx_system_column_name(m.system, i, name, sizeof name);
        assert_string_equal(name, want[i][0]);
        assert_string_equal(phx_system_column_unit(m.system, i), want[i][1]);
    }
    model_close(&m);
}

/* ---- allocations ---- */
static void asking_allocates_nothing(void **state)
{
    for (int k = 0; k < n_test_models + n_sliding_models; k++) {
        double columns[MOST];
        model m;
        begin_test_model(*state, &test_models[k], &m);
        test_models[k].build(&m);
        for (int j = 0; j < phx_system_joints(m.system); j++)
            add_output(&m, "reaction", PHX_QUANTITY_REACTION, j);
        add_output(&m, "acceleration", PHX_QUANTITY_ACCELERATION, 0);
        model_finalise(&m);
        model_start(&m, false);
        outputs(&m, 0.0, columns);
        const size_t before = phx_context_allocations(m.context);
        outputs(&m, 0.0, columns);
        total_energy(&m, m.x, m.v);
        if (phx_context_allocations(m.context) != before)
            fail_msg("%s: %zu allocations", test_models[k].name, phx_context_allocations(m.context) - before);
        model_close(&m);
    }
}

/* The table of quantities has a row for each of PHX_QUANTITY_LIST. */
static void every_quantity_is_described(void **state)
{
    (void)state;
    for (int k = 0; k < PHX_QUANTITIES; k++) {
        const phx_quantity_info *info = phx_system_quantity_info((phx_quantity)k);
        assert_non_null(info);
        assert_true(info->order >= 0 && info->order <= 2);
        assert_int_equal(!info->plane, !info->space);
        assert_true(info->plane || info->of == PHX_OF_JOINT);
    }
    assert_null(phx_system_quantity_info(PHX_QUANTITIES));
}

static void wrong_outputs_are_refused(void **state)
{
    model m;
    phx_joint_id pin;
    model_open(*state, 0.0, 0.0, &m);
    const phx_body_id a = pendulum(&m, 0.5, 0.0, at_place(&m, PHX_GROUND, 0.0, 0.0), NULL, &pin);
    const phx_port_id tip = at_place(&m, a, 1.0, 0.0);
    const phx_output_def wrong[] = {
        {.name = "x", .quantity = PHX_QUANTITY_POSITION, .port = 77},
        {.name = "x", .quantity = PHX_QUANTITY_POSITION, .port = -1},
        {.name = "x", .quantity = PHX_QUANTITY_REACTION, .joint = 5},
        {.name = "x", .quantity = PHX_QUANTITY_AXIAL_FORCE, .port = tip},
        {.name = "x", .quantity = PHX_QUANTITY_TORSION, .port = tip},
        {.name = "x", .quantity = (phx_quantity)99, .port = tip},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_STATUS(m.context, phx_system_add_output(m.system, &wrong[i]), PHX_ERR_ARGUMENT);
        CHECK_MESSAGE(m.context, "output 'x'");
    }
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_pendulum_pulls_and_accelerates_as_it_should, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_hanging_pendulum_has_the_tension, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_drive_exerts_its_torque, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(actuator_spring_and_damper_are_the_effort, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_reaction_is_told_about_either_port, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_loaded_cantilever_has_the_section_forces, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(angles_and_attitudes_do_not_jump, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(columns_have_names_and_units, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(asking_allocates_nothing, context_setup, context_teardown),
        cmocka_unit_test(every_quantity_is_described),
        cmocka_unit_test_setup_teardown(wrong_outputs_are_refused, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
