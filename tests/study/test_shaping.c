/* Energy shaping and damping injection: the energy of the closed loop and its rate as columns. */
#include "support.h"
#include "results/results.h"

#include <math.h>

static const char arm[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: {F: 0.0}\n"
    "materials: {light: {density: 1000, young: 2e9}}\n"
    "bodies:\n"
    "  upper: {kind: beam, material: light, length: 1, section: {kind: general, area: 1e-3, inertia: 5e-7}, elements: "
    "1,\n"
    "          reference: cantilever}\n"
    "  lower: {kind: beam, material: light, length: 0.8, section: {kind: general, area: 1e-3, inertia: 5e-7},\n"
    "          elements: 1, reference: cantilever, pose: {position: [1, 0]}, point_masses: [{at: C, mass: 0.5}]}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, ports: [ground.O, upper.P]}\n"
    "  elbow: {kind: revolute, ports: [upper.C, lower.P], damping: 0.2}\n"
    "loads: {push: {force: [0, F*step(t - 0.5)], at: lower.C}}\n"
    "outputs: {q1: {coordinate: shoulder}, w1: {rate: shoulder}, q2: {coordinate: elbow}, w2: {rate: elbow},\n"
    "          v: {velocity: lower.C}}\n"
    "simulate: {end: 1, step: 1e-3}\n"
    "controllers:\n";
static const char shoulder[] =
    "  a: {kind: pid, measure: shoulder, effort: shoulder, kp: 120, kd: 30, reference: 0.7, feedforward: 19}\n";
static const char elbow[] = "  b: {kind: pid, measure: q2, rate: w2, effort: elbow, kp: 40, kd: 8, reference: -1}\n";

static text_run run_with(phx_context *context, const char *more, double step)
{
    char text[4000];
    assert_in_range(snprintf(text, sizeof text, "%s%s", arm, more), 1, sizeof text - 1);
    return run_text(context, text, step);
}

/* H_d = H + sum 1/2 kp e^2 - f q, and with the damper of the elbow dH_d/dt = -30 w1^2 - 8.2 w2^2. */
static void test_two_joints(void **state)
{
    phx_context *context = *state;
    char both[1000];
    snprintf(both, sizeof both, "%s%s", shoulder, elbow);
    const text_run r = run_with(context, both, 0.0);
    assert_true(r.report.shaped);
    for (size_t k = 0; k < r.n; k++) {
        const double q1 = record_at(context, &r, "q1", k), q2 = record_at(context, &r, "q2", k);
        const double w1 = record_at(context, &r, "w1", k), w2 = record_at(context, &r, "w2", k);
        const double H_d = record_at(context, &r, "energy", k) + 60.0 * (q1 - 0.7) * (q1 - 0.7) - 19.0 * q1 +
                           20.0 * (q2 + 1.0) * (q2 + 1.0);
        CHECK_CLOSE(record_at(context, &r, "closed_loop.energy", k), H_d, 1e-12, "energy in row %zu", k);
        CHECK_CLOSE(record_at(context, &r, "closed_loop.rate", k), -30.0 * w1 * w1 - 8.2 * w2 * w2, 1e-9,
                    "rate in row %zu", k);
    }
    CHECK_CLOSE(r.report.shaped_from, record_at(context, &r, "closed_loop.energy", 0), 0.0, "first");
    CHECK_CLOSE(r.report.shaped_to, record_at(context, &r, "closed_loop.energy", r.n - 1), 0.0, "last");
    CHECK_BELOW(r.report.shaped_rise, 1e-13, "it falls at all steps");
    CHECK_BELOW(r.report.shaped_to, r.report.shaped_from - 10.0, "and by much");
    phx_result_destroy(r.result);
}

/* A port-Hamiltonian controller beside them has its energy in it, and takes out S v^2. */
static void test_with_a_block(void **state)
{
    phx_context *context = *state;
    char all[1000];
    snprintf(all, sizeof all,
             "%s%s  c: {kind: port_hamiltonian, ports: [push.fy], J: [[0, 1], [-1, 0]], Q: [[12, 0], [0, 3]],\n"
             "      B: [[0], [1]], S: 0.4}\n",
             shoulder, elbow);
    const text_run r = run_with(context, all, 0.0);
    assert_true(r.report.shaped);
    for (size_t k = 0; k < r.n; k += 50) {
        const double w1 = record_at(context, &r, "w1", k), w2 = record_at(context, &r, "w2", k);
        const double v = record_at(context, &r, "v.y", k);
        CHECK_CLOSE(record_at(context, &r, "closed_loop.rate", k), -30.0 * w1 * w1 - 8.2 * w2 * w2 - 0.4 * v * v, 1e-9,
                    "rate in row %zu", k);
    }
    CHECK_BELOW(r.report.shaped_rise, 1e-13, "it falls at all steps");
    phx_result_destroy(r.result);
}

/* Work supplied by a drive, by its multiplier: of a link at constant speed that carries a controlled one. */
static void test_with_a_drive(void **state)
{
    phx_context *context = *state;
    const text_run r = run_text(context,
                                "phlexor: 1\ndimension: 2\n"
                                "bodies:\n"
                                "  a: {kind: rigid, mass: 1, inertia: 1, ports: {C: {position: [1, 0]}}}\n"
                                "  b: {kind: rigid, mass: 2, inertia: 0.3, centre_of_mass: [0.4, 0],\n"
                                "      pose: {position: [1, 0]}}\n"
                                "joints:\n"
                                "  motor: {kind: revolute, ports: [ground.O, a.P], speed: 3}\n"
                                "  hinge: {kind: revolute, ports: [a.C, b.P], angle: 0.5}\n"
                                "outputs: {T: {effort: motor}, w: {rate: hinge}}\n"
                                "controllers: {c: {kind: pid, measure: hinge, effort: hinge, kp: 5, kd: 2}}\n"
                                "simulate: {end: 1, step: 1e-3}\n",
                                0.0);
    assert_true(r.report.shaped);
    for (size_t k = 0; k < r.n; k += 50) {
        const double w = record_at(context, &r, "w", k);
        CHECK_CLOSE(record_at(context, &r, "closed_loop.rate", k), 3.0 * record_at(context, &r, "T", k) - 2.0 * w * w,
                    1e-10, "rate in row %zu", k);
    }
    phx_result_destroy(r.result);
}

/* Work supplied by a load makes the energy rise, which the report says. */
static void test_rise(void **state)
{
    phx_context *context = *state;
    char text[4000];
    assert_in_range(snprintf(text, sizeof text, "%s%s%s", arm, shoulder, elbow), 1, sizeof text - 1);
    char *force = strstr(text, "F: 0.0");
    assert_non_null(force);
    memcpy(force, "F: 90.", strlen("F: 90."));
    const text_run r = run_text(context, text, 0.0);
    double rise = 0.0, least = HUGE_VAL;
    for (size_t k = 0; k < r.n; k++) {
        const double H_d = record_at(context, &r, "closed_loop.energy", k);
        least = fmin(least, H_d);
        rise = fmax(rise, H_d - least);
    }
    assert_true(rise > 0.1);
    CHECK_CLOSE(r.report.shaped_rise, rise, 0.0, "rise");
    phx_result_destroy(r.result);
}

/* No such energy: time in the reference, integrals, limits, another joint's coordinate, other laws. */
static void test_other_laws(void **state)
{
    static const char *const laws[] = {
        "  b: {kind: pid, measure: elbow, effort: elbow, kp: 40, kd: 8, reference: 0.1*t}\n",
        "  b: {kind: pid, measure: elbow, effort: elbow, kp: 40, kd: 8, feedforward: sin(t)}\n",
        "  b: {kind: pid, measure: elbow, effort: elbow, kp: 40, kd: 8, ki: 1}\n",
        "  b: {kind: pid, measure: elbow, effort: elbow, kp: 40, kd: 8, limit: [-90, 90]}\n",
        "  b: {kind: pid, measure: q2, effort: elbow, kp: 40, kd: 8, filter: 0.01}\n",
        "  b: {kind: pid, measure: q1, rate: w1, effort: elbow, kp: 1, kd: 1}\n",
        "  b: {kind: pid, measure: q2, rate: w1, effort: elbow, kp: 1, kd: 1}\n",
        "  b: {kind: pid, measure: elbow, effort: elbow, kp: 40, kd: 0.1, sample: 0.01}\n",
        "  b: {kind: expression, efforts: {elbow.effort: -y(q2)}}\n",
    };
    phx_context *context = *state;
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        char both[1000];
        snprintf(both, sizeof both, "%s%s", shoulder, laws[k]);
        const text_run r = run_with(context, both, 0.01);
        if (r.report.shaped || phx_result_column_find(r.result, "closed_loop.energy") >= 0)
            fail_msg("it is said to shape the energy: %s", laws[k]);
        phx_result_destroy(r.result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_two_joints, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_with_a_block, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_with_a_drive, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_rise, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_other_laws, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
