/* Outputs of springs and forces: with the weight they are mass times acceleration, in motion and linearised. */
#include "support.h"
#include "base/base.h"

#include <string.h>

/* A ball that rolls over a floor, pulled by a controlled actuator, and a bob that hangs on everything else. */
#define MODEL(start, more)                                                                                             \
    "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"                                                               \
    "ground: {ports: {top: {position: [1, 0, 1]}, mast: {position: [0.8, 0.3, 1.2]}, wall: {position: [2, 0, 0.1]}}}"  \
    "\nbodies:\n"                                                                                                      \
    "  ball: {kind: rigid, mass: 2, inertia: [0.02, 0.02, 0.02], " start "}\n"                                         \
    "  bob: {kind: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [1, 0, 0.6]}}\n"                      \
    "springs:\n"                                                                                                       \
    "  hang: {ports: [ground.top, bob.P], stiffness: 500, damping: 2, length: 0.3}\n"                                  \
    "  pull: {ports: [ground.wall, ball.P], force: 0, stiffness: 20, damping: 1, length: 1}\n"                         \
    "forces:\n"                                                                                                        \
    "  floor: {kind: contact, ports: [ground.O, ball.P], against: plane, normal: [0, 0, 1], radius: 0.1, "             \
    "stiffness: 1e5, damping: 0.2, friction: {coefficient: 0.3, regularised: 0.01}}\n"                                 \
    "  bush: {kind: bushing, ports: [ground.top, bob.P], stiffness: [10, 10, 10, 1, 1, 1], damping: [1, 1, 1, 0, 0, "  \
    "0]}\n"                                                                                                            \
    "  rope: {kind: cable, ports: [ground.mast, ground.top, bob.P], length: 0.7, stiffness: 100}\n"                    \
    "  air: {kind: drag, ports: [bob.P], area: 0.1, wind: [3, 1, 0]}\n"                                                \
    "outputs: {floor: {force: floor}, pull: {force: pull}, a: {acceleration: ball.P}, hang: {force: hang}, bush: "     \
    "{force: bush}, rope: {force: rope}, air: {force: air}, b: {acceleration: bob.P}, u: {velocity: ball.P}}\n" more

static const struct body {
    double mass;
    const char *acceleration, *forces[4];
} bodies[] = {{2.0, "a", {"floor", "pull"}}, {1.0, "b", {"hang", "bush", "rope", "air"}}};

static void test_mass_times_acceleration(void **state)
{
    static const char text[] = MODEL("pose: {position: [0, 0, 0.2]}, velocity: {linear: [0.5, 0.2, 0]}",
                                     "controllers: {c: {kind: expression, efforts: {pull.force: 5 - 3*y(u.x)}}}\n"
                                     "simulate: {end: 0.6, step: 1e-3, every: 1e-2}\n");
    text_run run = run_text(*state, text, 0.0);
    double rope = 0.0, floor = 0.0, pull = 0.0;
    for (size_t row = 0; row < run.n; row++)
        for (size_t b = 0; b < 2; b++)
            for (int k = 0; k < 3; k++) {
                char column[20];
                double sum = k == 2 ? -9.81 * bodies[b].mass : 0.0;
                for (int f = 0; f < 4 && bodies[b].forces[f]; f++) {
                    snprintf(column, sizeof column, "%s.%c", bodies[b].forces[f], 'x' + k);
                    sum += record_at(*state, &run, column, row);
                }
                snprintf(column, sizeof column, "%s.%c", bodies[b].acceleration, 'x' + k);
                CHECK_CLOSE(bodies[b].mass * record_at(*state, &run, column, row), sum, 1e-11, "%s, row %zu", column,
                            row);
                rope = fmax(rope, fabs(record_at(*state, &run, "rope.z", row)));
                floor = fmax(floor, fabs(record_at(*state, &run, "floor.x", row)));
                pull = fmax(pull, fabs(record_at(*state, &run, "pull.x", row)));
            }
    assert_true(rope > 1.0);
    assert_true(floor > 1.0); /* friction */
    assert_true(pull > 3.0);  /* of the controller */
    phx_result_destroy(run.result);
}

/* The effort of a joint is all that acts along its coordinate, controllers included: J times the angular acceleration,
 * by the rates at the ends of a step, which the midpoint rule makes of the effort in between. */
static void test_joint_effort(void **state)
{
    static const char *const controllers[] = {
        "c: {kind: pid, measure: pin, effort: pin, kp: 30, kd: 2, reference: 0.4}",
        "c: {kind: pid, measure: pin, effort: pin, kp: 30, kd: 2, reference: 0.4, sample: 0.01}"};

    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "phlexor: 1\ndimension: 2\nbodies:\n  wheel: {kind: rigid, mass: 3, inertia: 0.2}\n"
                 "joints: {pin: {kind: revolute, ports: [ground.O, wheel.P], angle: 0.1, damping: 0.3, stiffness: 2, "
                 "effort: 0.5*sin(20*t)}}\n"
                 "controllers: {%s}\noutputs: {m: {effort: pin}, w: {rate: pin}}\n"
                 "simulate: {end: 0.5, step: 1e-4}\n",
                 controllers[k]);
        text_run run = run_text(*state, text, 0.0);
        double largest = 0.0;
        for (size_t row = 0; row + 1 < run.n; row++) {
            const double before = record_at(*state, &run, "m", row), after = record_at(*state, &run, "m", row + 1);
            largest = fmax(largest, fabs(before));
            if (k == 1 && row % 100 == 0 && row > 0)
                continue; /* the sampled effort jumps after this row */
            CHECK_CLOSE(0.2 * (record_at(*state, &run, "w", row + 1) - record_at(*state, &run, "w", row)) / 1e-4,
                        0.5 * (before + after), 1e-5, "controller %d, row %zu", k, row);
        }
        assert_true(largest > 8.0);
        phx_result_destroy(run.result);
    }
}

/* Rows of C and D: m times the acceleration is the sum of the forces and the load on the body. */
static void test_derivatives(void **state)
{
    phx_context *context = *state;
    phx_model *model =
        read_text(context, MODEL("pose: {position: [0, 0, 0.0999]}",
                                 "loads: {one: {at: ball.P, force: [0, 0, 0]}, two: {at: bob.P, force: [0, 0, "
                                 "0]}}\ninitial: {equilibrium: true}\n"));
    phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_linear_report report;
    options.form = PHX_FORM_STATE_SPACE;
    CHECK_OK(context, phx_study_linearize(context, model, &options, &report));
    const phx_bundle_item *C = phx_bundle_find(report.bundle, "C"), *D = phx_bundle_find(report.bundle, "D");
    assert_non_null(C);
    assert_non_null(D);
    const int load[2] = {1, 4};                                     /* inputs: pull.force, one, two */
    const int row[2][5] = {{6, 0, 3, -1, -1}, {21, 9, 12, 15, 18}}; /* of a.x, b.x, and of the forces */
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < C->cols + D->cols; j++) {
                const phx_bundle_item *of = j < C->cols ? C : D;
                const int at = j < C->cols ? j : j - C->cols;
                double sum = of == D && at == load[b] + k ? 1.0 : 0.0, size = 1.0;
                for (int f = 1; f < 5 && row[b][f] >= 0; f++) {
                    const double part = of->re[(row[b][f] + k) * of->cols + at];
                    sum += part;
                    size = fmax(size, fabs(part));
                }
                CHECK_CLOSE(bodies[b].mass * of->re[(row[b][0] + k) * of->cols + at], sum, 1e-13 * size,
                            "body %d, component %d, column %d", b, k, j);
            }
    phx_linear_report_free(&report);
    phx_model_destroy(model);
}

static void test_refused(void **state)
{
    static const struct {
        const char *forces, *message;
    } cases[] = {
        {"forces: {c: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 1], restitution: 0}}\n",
         "'c' is a rigid contact, which acts by impulses"},
        {"forces: {c: {kind: coupling, terms: [{joint: j, weight: 1}], stiffness: 1}}\n",
         "'c' is a coupling and acts at no port"},
        {"springs: {long_spring: {ports: [ground.O, b.P], stiffness: 1}}\n",
         "expected the name of a spring or force, found 'long_springs'; did you mean 'long_spring'?"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[600];
        phx_model *model = NULL;
        snprintf(
            text, sizeof text,
            "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 1}}\njoints: {j: {kind: revolute, "
            "ports: [ground.O, b.P]}}\n%soutputs: {f: {force: %s}}\nsimulate: {end: 1, step: 0.1}\n",
            cases[k].forces, k == 2 ? "long_springs" : "c");
        CHECK_STATUS(*state, phx_model_read_text(*state, "text.yaml", text, strlen(text), 0, NULL, &model),
                     PHX_ERR_INPUT);
        CHECK_MESSAGE(*state, cases[k].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_mass_times_acceleration, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_joint_effort, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_derivatives, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_refused, study_setup, study_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
