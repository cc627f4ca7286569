/* Inputs and outputs of the linearised system: outputs against central differences of the nonlinear columns, loads
 * against the residual itself, motions against places; names, defaults and what is refused. */
#include "system/fast/fast.h"

#include "test_models.h"

enum { MOST = 160, COLUMNS = 500 };

static workspace *inside(model *m)
{
    return (workspace *)m->dae;
}

static void dense(const phx_csr *a, double (*to)[MOST])
{
    assert_true(a->cols <= MOST);
    for (int i = 0; i < a->rows; i++) {
        memset(to[i], 0, sizeof to[i]);
        for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
            to[i][a->idx[e]] += a->val[e];
    }
}

static void put_output(model *m, phx_quantity quantity, int port, int joint, bool body_frame)
{
    char name[64];
    snprintf(name, sizeof name, "o%d_%d_%d_%d", (int)quantity, port, joint, body_frame);
    phx_output_def def = {.name = name,
                          .quantity = quantity,
                          .port = port,
                          .joint = joint,
                          .body_frame = body_frame,
                          .inertial = body_frame, /* of a reaction, a deformation */
                          .area = 2e-3,
                          .inertia = {3e-6, 2e-6},
                          .fibre = {0.04, 0.03}};
    CHECK_OK(m->context, phx_system_add_output(m->system, &def));
    if (quantity != PHX_QUANTITY_REACTION)
        return;
    snprintf(name, sizeof name, "a%d_%d", joint, body_frame);
    def.at_a = true;
    CHECK_OK(m->context, phx_system_add_output(m->system, &def));
}

/* Every quantity at every port and joint; of bodies of simplified kinetics only what does not see their deformation. */
static void put_outputs(model *m, bool exact)
{
    const phx_quantity stresses[] = {PHX_QUANTITY_AXIAL_FORCE, PHX_QUANTITY_BENDING_MOMENT, PHX_QUANTITY_STRESS,
                                     PHX_QUANTITY_TORSION};

    for (int i = 0; i < m->system->n_ports; i++) {
        if (m->system->ports[i].port.slides) /* no user has it */
            continue;
        for (int frame = 0; frame < 2; frame++) {
            if (exact)
                put_output(m, PHX_QUANTITY_POSITION, i, 0, frame);
            put_output(m, PHX_QUANTITY_VELOCITY, i, 0, frame);
            put_output(m, PHX_QUANTITY_ACCELERATION, i, 0, frame);
        }
        if (m->system->dim == 2)
            put_output(m, PHX_QUANTITY_ANGLE, i, 0, false);
        put_output(m, PHX_QUANTITY_ANGULAR_VELOCITY, i, 0, false);
        put_output(m, PHX_QUANTITY_ANGULAR_VELOCITY, i, 0, true);
        put_output(m, PHX_QUANTITY_ATTITUDE, i, 0, false);
        put_output(m, PHX_QUANTITY_DEFORMATION, i, 0, false);
        put_output(m, PHX_QUANTITY_DEFORMATION, i, 0, true);
        for (int k = 0; k < (m->system->dim == 3 ? 4 : 3) && m->system->ports[i].location.sort == PHX_LOCATION_FRACTION;
             k++)
            put_output(m, stresses[k], i, 0, false);
    }
    for (int j = 0; j < m->system->n_joints; j++) {
        put_output(m, PHX_QUANTITY_REACTION, 0, j, false);
        put_output(m, PHX_QUANTITY_REACTION, 0, j, true);
        if (m->system->joints[j].n_coordinates == 0)
            continue;
        if (exact)
            put_output(m, PHX_QUANTITY_COORDINATE, 0, j, false);
        put_output(m, PHX_QUANTITY_RATE, 0, j, false);
        put_output(m, PHX_QUANTITY_EFFORT, 0, j, false);
    }
}

static void columns_at(model *m, const double *x, const double *v, const double *v_dot, const double *lambda,
                       double *columns)
{
    workspace *ws = inside(m);
    double all[MOST] = {0};

    for (int k = 0; k < m->n_l; k++)
        all[ws->rows.index[k]] = lambda[k];
    phx_sys_set_instant(ws, x, v);
    phx_sys_output_values(ws, 0.3, v_dot, all, NULL, columns);
}

static double want[COLUMNS][MOST], got[COLUMNS][MOST];

/* Columns of `want`: differences of the outputs in xi (0), xi' (1), xi'' (2), lambda (3). */
static void differences(model *m, const double *x, const double *lambda, int what)
{
    const double step = what == 0 ? 1e-6 : 1e-3;
    const int n = what == 3 ? m->n_l : m->n_v, columns = phx_system_columns(m->system);

    assert_in_range(columns, 1, COLUMNS);
    for (int j = 0; j < n; j++) {
        double y[2][COLUMNS], xi[MOST] = {0}, zero[MOST] = {0}, x1[2 * MOST], moved[MOST];
        for (int side = 0; side < 2; side++) {
            const double eps = side ? step : -step;
            xi[j] = 1.0;
            displaced(m, x, what == 0 ? eps : 0.0, xi, x1);
            memset(xi, 0, sizeof xi);
            xi[j] = eps;
            memcpy(moved, lambda, (size_t)m->n_l * sizeof *moved);
            if (what == 3)
                moved[j] += eps;
            columns_at(m, x1, what == 1 ? xi : zero, what == 2 ? xi : zero, moved, y[side]);
        }
        for (int i = 0; i < columns; i++)
            want[i][j] = (y[1][i] - y[0][i]) / (2.0 * step);
    }
}

static void outputs_are_derivatives(void **state)
{
    static const char *const inputs[] = {"a.Q.fx"};
    const double place[3] = {0.1, 0.2, -0.3};

    for (int k = 0; k < n_all_test_models; k++) {
        double x[2 * MOST], v[MOST], lambda[MOST], worst = 0.0;
        uint64_t seed = (uint64_t)k + 7;
        model m;
        begin_test_model(*state, &test_models[k], &m);
        test_models[k].build(&m);
        put_outputs(&m, test_models[k].exact);
        CHECK_OK(m.context, phx_system_add_point(m.system, 0, "Q", 0.3, place, NULL));
        model_finalise(&m);
        for (int trial = 0; trial < 3; trial++) {
            const phx_channels_options options = {.inputs = inputs, .n_inputs = 1};
            phx_channels channels;
            random_state(&m, &seed, x, v);
            random_vector(&seed, m.n_l, 3.0, lambda);
            CHECK_OK(m.context, phx_system_channels(m.dae, 0.3, x, lambda, &options, &channels));
            const phx_csr *const parts[] = {&channels.Y_q, &channels.Y_v, &channels.Y_a, &channels.Y_l};
            assert_int_equal(channels.n_outputs, phx_system_columns(m.system));
            for (int what = 0; what < 4; what++) {
                const int n = what == 3 ? m.n_l : m.n_v;
                differences(&m, x, lambda, what);
                dense(parts[what], got);
                for (int i = 0; i < channels.n_outputs; i++) {
                    const double scale = 1.0 + max_abs(n, want[i]);
                    for (int j = 0; j < n; j++) {
                        CHECK_CLOSE(got[i][j], want[i][j], 1e-6 * scale, "%s: derivative %d of %s, column %d",
                                    test_models[k].name, what, channels.outputs[i], j);
                        worst = fmax(worst, fabs(got[i][j] - want[i][j]) / scale);
                    }
                }
            }
            phx_channels_free(&channels);
        }
        print_message("%s: largest difference %.1e\n", test_models[k].name, worst);
        model_close(&m);
    }
}

/* ---- loads ---- */
enum { LOADS = 10 };
static const char *const load_names[LOADS] = {"dead.fx", "dead.fy", "follower.fx", "follower.fy",  "torque.tz",
                                              "wind.fx", "wind.fy", "strut.force", "hinge.effort", "rod torque.tz"};

/* A beam and a rod with every kind of load; load k has the value u[k]. */
static void loaded(model *m, const double *u)
{
    beam_kind kind = beam_default();
    model_open(m->context, 0.0, -9.81, m);
    const phx_body_id a = add_beam(m, "a", &kind, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = add_rigid(m, "b", 2.0, 0.3, 0.4, 0.1, pose_at(1.0, 0.0, 0.2));
    const phx_port_id tip = at_beam(m, a, 1.0), corner = at_turned(m, b, 0.3, 0.2, 0.6);
    phx_signal *wind[3] = {constant(m, u[5]), constant(m, u[6]), NULL};
    phx_joint_def hinge = joint_def("hinge", PHX_JOINT_REVOLUTE, tip, at_place(m, b, 0.0, 0.0));
    hinge.n_coordinates = 1;
    hinge.coordinate[0].effort = constant(m, u[8]);
    hinge.coordinate[0].stiffness = 3.0;
    add_joint_def(m, &hinge);
    add_force(m, "dead", at_beam(m, a, 0.5), false, constant(m, u[0]), constant(m, u[1]));
    add_force(m, "follower", corner, true, constant(m, u[2]), constant(m, u[3]));
    add_torque(m, "torque", tip, constant(m, u[4]));
    CHECK_OK(m->context, phx_system_add_distributed(m->system, "wind", a, wind));
    add_spring(m, "strut", at_place(m, PHX_GROUND, -1.0, -2.0), at_beam(m, a, 0.75), 20.0, 0.3, 0.3, constant(m, u[7]));
    add_torque(m, "rod torque", corner, constant(m, u[9]));
    add_output(m, "tip", PHX_QUANTITY_POSITION, tip);
    model_finalise(m);
}

/* All residuals are linear in the loads: F = res(u) - res(u + unit). */
static void inputs_are_the_loads(void **state)
{
    double x[2 * MOST], v[MOST], lambda[MOST], zero[MOST] = {0}, res[2][MOST], u[LOADS] = {0};
    uint64_t seed = 3;
    model m = {.context = *state};
    phx_channels channels;

    loaded(&m, u);
    random_state(&m, &seed, x, v);
    random_vector(&seed, m.n_l, 3.0, lambda);
    const phx_channels_options options = {.inputs = load_names, .n_inputs = LOADS};
    CHECK_OK(m.context, phx_system_channels(m.dae, 0.0, x, lambda, &options, &channels));
    dense(&channels.F, got);
    CHECK_OK(m.context, m.dae->ops->residual(m.dae, 0.0, x, zero, zero, lambda, res[0]));
    for (int k = 0; k < LOADS; k++) {
        model other = {.context = *state};
        u[k] = 1.0;
        loaded(&other, u);
        u[k] = 0.0;
        CHECK_OK(m.context, other.dae->ops->residual(other.dae, 0.0, x, zero, zero, lambda, res[1]));
        for (int i = 0; i < m.n_v; i++)
            CHECK_CLOSE(got[i][k], res[0][i] - res[1][i], 1e-11, "%s on coordinate %d", load_names[k], i);
        model_close(&other);
    }
    phx_channels_free(&channels);
    model_close(&m);
}

/* ---- motions ---- */
/* Places, rates, accelerations and wrenches of a named point and of BODY@S are one row; it is the change of the place
 * along the directions at the point. */
static void motions_of_points_are_their_places(void **state)
{
    static const char *const inputs[] = {"a.Q.fx", "a.Q.fy", "a.Q.tz", "b.R.fx", "b.R.fy", "b.R.tz"};
    static const char *const outputs[] = {"a@0.3.x", "a@0.3.y", "a@0.3.angle", "b.R.x",  "b.R.y",  "b.R.angle",
                                          "a.Q.vx",  "a.Q.vy",  "a.Q.omega",   "b.R.ax", "b.R.ay", "b.R.alpha"};
    const double corner[2] = {0.3, 0.2}, turn[4] = {0.8, -0.6, 0.6, 0.8};
    double x[2 * MOST], v[MOST], lambda[MOST], F[MOST][MOST];
    uint64_t seed = 5;
    phx_channels channels;
    model m;

    model_open(*state, 0.0, 0.0, &m);
    beam_kind kind = beam_default();
    const phx_body_id a = add_beam(&m, "a", &kind, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = add_rigid(&m, "b", 2.0, 0.3, 0.4, 0.1, pose_at(1.0, 0.0, 0.2));
    const phx_port_id on_a = at_beam(&m, a, 0.3);
    phx_port_id on_b = -1;
    CHECK_OK(m.context, phx_system_add_port(m.system, b, corner, turn, &on_b));
    CHECK_OK(m.context, phx_system_add_point(m.system, a, "Q", 0.3, NULL, NULL));
    CHECK_OK(m.context, phx_system_add_point(m.system, b, "R", 0.0, corner, turn));
    model_finalise(&m);
    random_state(&m, &seed, x, v);
    random_vector(&seed, m.n_l, 1.0, lambda);
    const phx_channels_options both = {.inputs = inputs, .n_inputs = 6, .outputs = outputs, .n_outputs = 12};
    CHECK_OK(m.context, phx_system_channels(m.dae, 0.0, x, lambda, &both, &channels));
    for (int j = 0; j < m.n_v; j++) {
        const double step = 1e-6, zero[MOST] = {0};
        double xi[MOST] = {0}, x1[2 * MOST];
        phx_port_view view[2][2];
        xi[j] = 1.0;
        for (int side = 0; side < 2; side++) {
            displaced(&m, x, side ? step : -step, xi, x1);
            phx_sys_set_instant(inside(&m), x1, zero);
            view[side][0] = inside(&m)->ports.view[on_a];
            view[side][1] = inside(&m)->ports.view[on_b];
        }
        phx_sys_set_instant(inside(&m), x, zero);
        for (int p = 0; p < 2; p++) {
            const phx_port_id id = p ? on_b : on_a;
            double frame[9], du[3];
            phx_sys_section_frame(&inside(&m)->ports.view[id], m.system->ports[id].port.rotation, frame);
            for (int i = 0; i < 2; i++)
                du[i] = (view[1][p].u1[i] - view[0][p].u1[i]) / (2.0 * step);
            for (int i = 0; i < 2; i++)
                want[3 * p + i][j] = frame[i] * du[0] + frame[2 + i] * du[1];
            want[3 * p + 2][j] = (phx_port_angle(&view[1][p], 1) - phx_port_angle(&view[0][p], 1)) / (2.0 * step);
        }
    }
    const phx_csr *const parts[] = {&channels.Y_q, &channels.Y_v, &channels.Y_a};
    dense(&channels.F, F);
    for (int part = 0; part < 3; part++) {
        dense(parts[part], got);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < m.n_v; j++) {
                const int row = i < 6 ? i : i - 6;
                const bool here = part == 0 ? i < 6 : part == 1 ? i >= 6 && i < 9 : i >= 9;
                CHECK_CLOSE(got[i][j], here ? want[row][j] : 0.0, 1e-8, "%s, column %d", outputs[i], j);
                if (here)
                    CHECK_CLOSE(F[j][row], got[i][j], 1e-14, "%s against %s", inputs[row], outputs[i]);
            }
    }
    phx_channels_free(&channels);
    model_close(&m);
}

/* ---- names ---- */
static void crank(model *m)
{
    model_open(m->context, 0.0, -9.81, m);
    const phx_body_id a = add_rigid(m, "crank", 2.0, 0.3, 0.5, 0.0, pose_at(0.0, 0.0, 0.7));
    const double P[2] = {0.0, 0.0}, C[2] = {1.0, 0.0};
    phx_joint_def pin = joint_def("motor", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 0.0, 0.0), at_place(m, a, 0, 0));
    pin.n_coordinates = 1;
    pin.coordinate[0].speed = constant(m, 2.0);
    add_joint_def(m, &pin);
    add_force(m, "push", at_place(m, a, 1.0, 0.0), false, constant(m, 1.0), NULL);
    add_output(m, "hinge", PHX_QUANTITY_REACTION, 0);
    add_output(m, "torque", PHX_QUANTITY_EFFORT, 0);
    CHECK_OK(m->context, phx_system_add_point(m->system, a, "P", 0.0, P, NULL));
    CHECK_OK(m->context, phx_system_add_point(m->system, a, "C", 0.0, C, NULL));
    CHECK_STATUS(m->context, phx_system_add_point(m->system, a, "C", 0.0, C, NULL), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(m->context, "has a point 'C' already");
    CHECK_STATUS(m->context, phx_system_add_point(m->system, 7, "X", 0.0, C, NULL), PHX_ERR_ARGUMENT);
    model_ready(m);
}

static void defaults_are_what_the_model_has(void **state)
{
    phx_channels channels;
    model m = {.context = *state};

    crank(&m);
    CHECK_OK(m.context, phx_system_channels(m.dae, 0.0, m.x, NULL, NULL, &channels));
    assert_int_equal(channels.n_inputs, 3);
    assert_string_equal(channels.inputs[0], "push.fx");
    assert_string_equal(channels.inputs[1], "push.fy");
    assert_string_equal(channels.inputs[2], "motor.acceleration");
    assert_int_equal(channels.n_outputs, 4);
    assert_string_equal(channels.outputs[2], "hinge.tz");
    assert_string_equal(channels.outputs[3], "torque");
    assert_int_equal(channels.n_held, 1);
    assert_int_equal(channels.m, 2); /* the drive is no longer among the constraints */
    assert_string_equal(channels.motion[0], "motor.coordinate");
    phx_channels_free(&channels);
    const phx_channels_options by_rate = {.drives_by_rate = true};
    CHECK_OK(m.context, phx_system_channels(m.dae, 0.0, m.x, NULL, &by_rate, &channels));
    assert_string_equal(channels.inputs[2], "motor.rate");
    assert_int_equal(channels.kind[2], PHX_CHANNEL_RATE);
    phx_channels_free(&channels);
    model_close(&m);
}

static void refuse(model *m, const char *input, const char *second, const char *output, const char *message)
{
    const char *const inputs[] = {input, second}, *const outputs[] = {output};
    const phx_channels_options options = {
        .inputs = inputs, .n_inputs = input ? (second ? 2 : 1) : 0, .outputs = outputs, .n_outputs = output ? 1 : 0};
    phx_channels channels;

    CHECK_STATUS(m->context, phx_system_channels(m->dae, 0.0, m->x, NULL, &options, &channels), PHX_ERR_INPUT);
    CHECK_MESSAGE(m->context, message);
    assert_null(channels.inputs);
}

static void what_cannot_be_is_refused(void **state)
{
    model m = {.context = *state};

    crank(&m);
    refuse(&m, "crank.C.fz", NULL, "torque", "there is no input 'crank.C.fz'; did you mean 'crank.C.fx'?");
    refuse(&m, "push.fx", NULL, "crank.D.ax", "there is no output 'crank.D.ax'; did you mean 'crank.P.ax'?");
    refuse(&m, "push.fx", "push.fx", "torque", "the input 'push.fx' is listed twice");
    refuse(&m, NULL, NULL, "torque", "the list of inputs is empty");
    refuse(&m, "push.fx", NULL, NULL, "the list of outputs is empty");
    refuse(&m, "torque", NULL, "torque", "'torque' is an output of the model and cannot be an input");
    refuse(&m, "push.fx", NULL, "push.fy", "'push.fy' is a load and cannot be an output");
    refuse(&m, "motor.coordinate", NULL, "torque", "prescribe 'motor.rate' or 'motor.acceleration'");
    refuse(&m, "motor.rate", "motor.acceleration", "torque", "prescribe one motion twice");
    refuse(&m, "motor.effort", "motor.rate", "torque", "prescribe one motion twice");
    refuse(&m, "crank.C.fx", NULL, "crank.C.fy", "take 'crank.C.ay' among the inputs");
    refuse(&m, "motor.rate", NULL, "motor.rate", "'motor.rate' cannot be an input and an output at once");
    refuse(&m, "crank@0.5.fx", NULL, "torque", "channel 'crank@0.5.fx'");
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(outputs_are_derivatives, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(inputs_are_the_loads, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(motions_of_points_are_their_places, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(defaults_are_what_the_model_has, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_is_refused, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
