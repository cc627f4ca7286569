/* Inverse dynamics: efforts against closed forms, springs and dampers beside the drives, and the same motion when the
 * table acts through actuators. */
#include "support.h"
#include "results/results.h"

#include <phlexor/results.h>

#include <math.h>

/* Two rigid links in gravity, with a spring and a damper in the elbow. */
static const char rigid_arm[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  upper: {kind: rigid, mass: 2, inertia: 0.15, centre_of_mass: [0.4, 0], ports: {C: {position: [1, 0]}}}\n"
    "  lower: {kind: rigid, mass: 1.2, inertia: 0.07, centre_of_mass: [0.3, 0], pose: {position: [1, 0]}}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, ports: [ground.O, upper.P], motion: 0.3 + 0.5*sin(3*t)}\n"
    "  elbow: {kind: revolute, ports: [upper.C, lower.P], motion: -0.8*cos(2*t), stiffness: 3, rest: 0.2,\n"
    "          damping: 0.4}\n"
    "simulate: {end: 2, step: 0.01}\n";

/* M(q) q'' + C(q, q') + g(q) of the two links, inertias about their centres of mass. */
static void closed_form(double t, double torque[2])
{
    const double l = 1.0, c1 = 0.4, c2 = 0.3, m1 = 2.0, m2 = 1.2, I1 = 0.15, I2 = 0.07, g = 9.81;
    const double q1 = 0.3 + 0.5 * sin(3.0 * t), q2 = -0.8 * cos(2.0 * t);
    const double w1 = 1.5 * cos(3.0 * t), w2 = 1.6 * sin(2.0 * t);
    const double a1 = -4.5 * sin(3.0 * t), a2 = 3.2 * cos(2.0 * t);
    const double M22 = I2 + m2 * c2 * c2, M12 = M22 + m2 * l * c2 * cos(q2);
    const double M11 = I1 + m1 * c1 * c1 + m2 * l * l + M22 + 2.0 * m2 * l * c2 * cos(q2);
    const double k = m2 * l * c2 * sin(q2);

    torque[0] = M11 * a1 + M12 * a2 - k * (2.0 * w1 * w2 + w2 * w2) + (m1 * c1 + m2 * l) * g * cos(q1) +
                m2 * c2 * g * cos(q1 + q2);
    torque[1] = M12 * a1 + M22 * a2 + k * w1 * w1 + m2 * c2 * g * cos(q1 + q2);
    torque[1] += 3.0 * (q2 - 0.2) + 0.4 * w2; /* the drive works against spring and damper */
}

static phx_result *inverse(phx_context *context, const phx_model *model, const phx_simulate_options *options)
{
    phx_simulate_report report;
    phx_result *table = NULL;
    CHECK_OK(context, phx_study_inverse(context, model, options, &report, &table));
    assert_int_equal(phx_result_rows(table), report.rows);
    return table;
}

static void test_closed_form(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_text(context, rigid_arm);
    const phx_simulate_options options = phx_simulate_options_default();
    phx_result *table = inverse(context, model, &options);
    assert_int_equal(phx_result_rows(table), 201);
    assert_int_equal(phx_result_columns(table), 7);
    for (size_t k = 0; k < phx_result_rows(table); k++) {
        const double t = result_value(context, table, "t", k);
        double torque[2];
        closed_form(t, torque);
        CHECK_CLOSE(result_value(context, table, "shoulder.effort", k), torque[0], 1e-11, "shoulder, t = %g", t);
        CHECK_CLOSE(result_value(context, table, "elbow.effort", k), torque[1], 1e-11, "elbow, t = %g", t);
        CHECK_CLOSE(result_value(context, table, "shoulder.coordinate", k), 0.3 + 0.5 * sin(3.0 * t), 1e-12,
                    "angle, t = %g", t);
        CHECK_CLOSE(result_value(context, table, "elbow.rate", k), 1.6 * sin(2.0 * t), 1e-12, "rate, t = %g", t);
    }
    assert_string_equal(phx_result_column_unit(table, 1), "N m");
    phx_result_destroy(table);
    phx_model_destroy(model);
}

/* Two coordinates of one joint, in metres: F = m (a - g). */
static void test_several_coordinates(void **state)
{
    phx_context *context = *state;
    phx_model *model =
        read_text(context, "phlexor: 1\n"
                           "dimension: 2\n"
                           "gravity: [0, -9.81]\n"
                           "bodies: {tool: {kind: rigid, mass: 2, inertia: 1}}\n"
                           "joints:\n"
                           "  path: {kind: cartesian, ports: [ground.O, tool.P], motion: [sin(2*t), t^2]}\n"
                           "simulate: {end: 1, step: 0.1}\n");
    const phx_simulate_options options = phx_simulate_options_default();
    phx_result *table = inverse(context, model, &options);
    for (size_t k = 0; k < phx_result_rows(table); k++) {
        const double t = result_value(context, table, "t", k);
        CHECK_CLOSE(result_value(context, table, "path.effort1", k), -8.0 * sin(2.0 * t), 1e-12, "along x, t = %g", t);
        CHECK_CLOSE(result_value(context, table, "path.effort2", k), 2.0 * (2.0 + 9.81), 1e-12, "along y, t = %g", t);
    }
    assert_string_equal(phx_result_column_unit(table, 1), "N");
    assert_string_equal(phx_result_column_unit(table, 3), "m/s");
    phx_result_destroy(table);
    phx_model_destroy(model);
}

static const char flexible_arm[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "materials: {light: {density: 1000, young: 2e9}}\n"
    "bodies:\n"
    "  upper: {kind: beam, material: light, length: 1, section: {kind: general, area: 1e-3, inertia: 5e-7}, elements: "
    "1,\n"
    "          reference: cantilever}\n"
    "  lower: {kind: beam, material: light, length: 0.8, section: {kind: general, area: 1e-3, inertia: 5e-7},\n"
    "          elements: 1, reference: cantilever, pose: {position: [1, 0]}, point_masses: [{at: C, mass: 0.5}]}\n"
    "outputs: {tip: {position: lower.C}}\n"
    "initial: {deformation: quasi_static}\n"
    "joints:\n";
static const char driven[] =
    "  shoulder: {kind: revolute, ports: [ground.O, upper.P], motion: \"0.6*ramp(t, 0, 0.4)\"}\n"
    "  elbow: {kind: revolute, ports: [upper.C, lower.P], motion: \"-0.9*ramp(t, 0, 0.4)\",\n"
    "          damping: 0.3}\n";
static const char acting[] =
    "  shoulder: {kind: revolute, ports: [ground.O, upper.P], angle: 0,\n"
    "             effort: {file: efforts.csv, column: shoulder.effort, interpolation: spline}}\n"
    "  elbow: {kind: revolute, ports: [upper.C, lower.P], angle: 0, damping: 0.3,\n"
    "          effort: {file: efforts.csv, column: elbow.effort, interpolation: spline}}\n";

static phx_model *arm_with(phx_context *context, const char *joints)
{
    char text[4000];
    assert_in_range(snprintf(text, sizeof text, "%s%s", flexible_arm, joints), 1, sizeof text - 1);
    return read_text(context, text);
}

/* Where the tip is at the end. */
static void tip_of(phx_context *context, const phx_model *model, const phx_simulate_options *options, double tip[2])
{
    phx_simulate_report report;
    phx_result *result = NULL;
    CHECK_OK(context, phx_study_simulate_result(context, model, options, &report, &result));
    tip[0] = result_value(context, result, "tip.x", report.rows - 1);
    tip[1] = result_value(context, result, "tip.y", report.rows - 1);
    phx_result_destroy(result);
}

/* No feedback: the table alone moves the arm, up to the error of its splines. */
static void test_replay(void **state)
{
    phx_context *context = *state;
    phx_model *model = arm_with(context, driven);
    phx_simulate_options options = phx_simulate_options_default();
    double wanted[2], tip[2], error[3];
    options.end = (phx_model_optional){true, 0.5};
    options.step = (phx_model_optional){true, TEST_SHORTER(1e-4, 5e-4)};
    options.every = (phx_model_optional){true, 0.5};
    tip_of(context, model, &options, wanted);
    for (int k = 0; k < 3; k++) {
        phx_simulate_options record = options;
        record.every.value = 0.02 / (1 << k);
        record.csv_path = "efforts.csv";
        phx_result_destroy(inverse(context, model, &record));
        phx_model *replayed = arm_with(context, acting);
        tip_of(context, replayed, &options, tip);
        phx_model_destroy(replayed);
        error[k] = hypot(tip[0] - wanted[0], tip[1] - wanted[1]);
        print_message("efforts every %g s: tip off by %.3g m\n", record.every.value, error[k]);
    }
    CHECK_BELOW(error[2], 2e-5, "tip");
    CHECK_BELOW(error[2], error[0] / 16.0, "the table twice as fine, twice");
    phx_model_destroy(model);
}

static void refuse(phx_context *context, const char *text, phx_status expected, const char *words)
{
    phx_model *model = read_text(context, text);
    const phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *table = NULL;
    const phx_status status = phx_study_inverse(context, model, &options, &report, &table);
    if (status != expected)
        fail_msg("status %d, expected %d: %s", (int)status, (int)expected, phx_context_message(context));
    assert_null(table);
    if (!strstr(phx_context_message(context), words))
        fail_msg("'%s' is not in '%s'", words, phx_context_message(context));
    phx_model_destroy(model);
}

static void test_refusals(void **state)
{
#define HEAD                                                                                                           \
    "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 1}}\nsimulate: {end: 1, step: 0.1}\n"       \
    "outputs: {q: {coordinate: j}}\n"
    phx_context *context = *state;
    refuse(context, HEAD "joints: {j: {kind: revolute, ports: [ground.O, b.P]}}\n", PHX_ERR_INPUT,
           "no joint is driven");
    refuse(context,
           HEAD "joints: {j: {kind: revolute, ports: [ground.O, b.P], speed: 1}}\nevents: {e: {at: 0.5, drive_off: "
                "[j]}}\n",
           PHX_ERR_UNSUPPORTED, "inverse dynamics cannot include events");
    refuse(context,
           HEAD "joints: {j: {kind: revolute, ports: [ground.O, b.P], speed: 1}}\nloads: {m: {torque: 0, at: b.P}}\n"
                "controllers: {c: {kind: pid, measure: q, effort: m.tz, kp: 1, sample: 0.1}}\n",
           PHX_ERR_UNSUPPORTED, "sampled controllers");
#undef HEAD
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_closed_form, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_several_coordinates, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_replay, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_refusals, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
