/* Runs to an accuracy: the error is what was asked for and near what is estimated, of several motions and demands; what
 * cannot be had is refused. */
#include "support.h"
#include "results/results.h"

#include <phlexor/results.h>

#include <math.h>

static const char pendulum[] = "phlexor: 1\n"
                               "dimension: 2\n"
                               "gravity: [0, -9.81]\n"
                               "materials: {steel: {density: 7800, young: 2.1e11}}\n"
                               "bodies:\n"
                               "  upper: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.5, 0],\n"
                               "          pose: {angle: -0.3}, ports: {C: {position: [1, 0]}}}\n"
                               "  lower: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.5, 0],\n"
                               "          pose: {position: [cos(0.3), -sin(0.3)], angle: -0.8},\n"
                               "          ports: {C: {position: [1, 0]}}}\n"
                               "joints:\n"
                               "  shoulder: {kind: revolute, ports: [ground.O, upper.P], damping: 0.01}\n"
                               "  elbow: {kind: revolute, ports: [upper.C, lower.P], stiffness: 3}\n"
                               "outputs:\n"
                               "  tip: {position: lower.C}\n"
                               "  pull: {reaction: shoulder}\n";

static const char top[] = "phlexor: 1\n"
                          "dimension: 3\n"
                          "gravity: [0, 0, -9.81]\n"
                          "bodies:\n"
                          "  top: {kind: rigid, mass: 1, inertia: [0.02, 0.02, 0.01], centre_of_mass: [0, 0, 0.1],\n"
                          "        pose: {rotation: {axis: [1, 0, 0], angle: 0.4}}, velocity: {angular: [0, 12, 28]}}\n"
                          "joints: {tip: {kind: spherical, ports: [ground.O, top.P]}}\n"
                          "outputs: {attitude: {attitude: top.P}, spin: {angular_velocity: top.P}}\n";

/* A closed loop, for the methods that are not explicit. */
static const char crank[] = "phlexor: 1\n"
                            "dimension: 2\n"
                            "gravity: [0, -9.81]\n"
                            "bodies:\n"
                            "  upper: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.5, 0],\n"
                            "          pose: {angle: 0.6}, ports: {C: {position: [1, 0]}}}\n"
                            "  lower: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.5, 0],\n"
                            "          pose: {position: [cos(0.6), sin(0.6)], angle: -0.6},\n"
                            "          ports: {C: {position: [1, 0]}}}\n"
                            "joints:\n"
                            "  shoulder: {kind: revolute, ports: [ground.O, upper.P], damping: 0.01}\n"
                            "  elbow: {kind: revolute, ports: [upper.C, lower.P], stiffness: 3, rest: -2}\n"
                            "  rail: {kind: slider, ports: [ground.O, lower.C], axis: [1, 0]}\n"
                            "outputs:\n"
                            "  tip: {position: lower.C}\n"
                            "  pull: {reaction: shoulder}\n";

static phx_model *read_parts(phx_context *context, const char *text, const char *more)
{
    char whole[4000];
    const int size = snprintf(whole, sizeof whole, "%s%s", text, more);
    assert_in_range(size, 1, sizeof whole - 1);
    return read_text(context, whole);
}

static phx_simulate_options options_of(double end, double every)
{
    phx_simulate_options options = phx_simulate_options_default();
    options.end = (phx_model_optional){true, end};
    options.every = (phx_model_optional){true, every};
    return options;
}

static phx_result *simulate(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                            phx_simulate_report *report)
{
    phx_result *result = NULL;
    CHECK_OK(context, phx_study_simulate_result(context, model, options, report, &result));
    return result;
}

/* max |a - b| / max |b| of n columns from `name` on; of quaternions up to their sign. */
static double error_of(phx_context *context, const phx_result *a, const phx_result *b, const char *name, int n)
{
    const int first = phx_result_column_find(b, name);
    const size_t rows = phx_result_rows(b);
    double worst = 0.0, scale = 0.0;

    assert_true(first >= 0);
    assert_int_equal(phx_result_rows(a), rows);
    for (size_t row = 0; row < rows; row++) {
        double minus = 0.0, plus = 0.0, size = 0.0;
        for (int k = first; k < first + n; k++) {
            double x, y;
            CHECK_OK(context, phx_result_column(a, k, row, 1, &x));
            CHECK_OK(context, phx_result_column(b, k, row, 1, &y));
            minus += (x - y) * (x - y);
            plus += (x + y) * (x + y);
            size += y * y;
        }
        worst = fmax(worst, n == 4 ? fmin(minus, plus) : minus);
        scale = fmax(scale, size);
    }
    return sqrt(worst / scale);
}

/* The error is not above what is asked for, and the estimate not far from it, down to where it is all rounding
 * (4e-12 in 5000 steps of the reference). Two runs that agree at once only bound it. */
static void the_error_is_what_was_asked_for(void **state)
{
    static const struct {
        const char *text;
        const char *column[2];
        int size[2];
        bool explicit;
        const char *more;
    } models[] = {
        {pendulum, {"tip.x", "pull.fx"}, {2, 3}, true, ""},
        /* within a step unless one ends there */
        {pendulum, {"tip.x", "tip.y"}, {2, 1}, true, "loads: {blow: {force: [5*(t >= 0.337), 0], at: lower.C}}\n"},
        {top, {"attitude.w", "spin.x"}, {4, 3}, true, ""},
        {crank, {"tip.x", "pull.fx"}, {2, 3}, false, ""},
        {crank,
         {"tip.x", "pull.fx"},
         {2, 3},
         false,
         "loads: {blow: {force: [0, 20*((t >= 0.337) - (t >= 0.6214))], at: upper.C}}\n"}};
    static const double asked[] = {1e-2, 1e-5, 1e-8};
    phx_context *context = *state;

    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        phx_simulate_options options = options_of(1.0, 0.01);
        phx_simulate_report report;
        phx_model *model = read_parts(context, models[m].text, models[m].more);
        options.step = (phx_model_optional){true, 2e-4};
        options.has_integrator = true;
        options.integrator = PHX_GAUSS6;
        phx_result *exact = simulate(context, model, &options, &report);
        assert_true(report.accuracy == 0.0 && report.runs == 0);
        options = options_of(1.0, 0.01);
        for (int k = 0; k < TEST_SHORTER(3, 2); k++) {
            options.accuracy = (phx_model_optional){true, asked[k]};
            phx_result *result = simulate(context, model, &options, &report);
            const double error = fmax(error_of(context, result, exact, models[m].column[0], models[m].size[0]),
                                      error_of(context, result, exact, models[m].column[1], models[m].size[1]));
            assert_true(report.accuracy == asked[k]);
            assert_true((report.used.integrator == PHX_DOP853) == models[m].explicit);
            CHECK_BETWEEN(error, 0.0, 1.2 * asked[k], "error of model %zu for %g", m, asked[k]);
            CHECK_BETWEEN(report.accuracy_reached, (error - 4e-12) / 5.0,
                          report.runs == 2 ? asked[k] : fmin(asked[k], 5.0 * error + 1e-12),
                          "estimate of model %zu for %g, error %g", m, asked[k], error);
            assert_true(report.runs > 1 && report.all_steps > report.stats.steps);
            phx_result_destroy(result);
        }
        phx_result_destroy(exact);
        phx_model_destroy(model);
    }
}

/* A slow motion with a fast one of a part in a million: the outputs settle at first, as if the order of the slow
 * one were all, and change again with steps that resolve the fast one. */
static void fast_oscillations_are_seen(void **state)
{
    static const char text[] = "phlexor: 1\n"
                               "dimension: 2\n"
                               "gravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  arm: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.5, 0],\n"
                               "        ports: {C: {position: [1, 0]}}}\n"
                               "  tip: {kind: rigid, mass: 0.1, inertia: 1e-4, pose: {position: [1.000001, 0]}}\n"
                               "joints:\n"
                               "  pivot: {kind: revolute, ports: [ground.O, arm.P]}\n"
                               "  slot: {kind: prismatic, ports: [arm.C, tip.P], axis: [1, 0], stiffness: 4e5}\n"
                               "outputs: {tip: {position: tip.P}}\n";
    static const double asked = 3e-7;
    phx_context *context = *state;
    phx_model *model = read_text(context, text);
    phx_simulate_options options = options_of(0.2, 0.01);
    phx_simulate_report report;

    options.step = (phx_model_optional){true, 1e-5};
    options.has_integrator = true;
    options.integrator = PHX_GAUSS6;
    phx_result *exact = simulate(context, model, &options, &report);
    options = options_of(0.2, 0.01);
    options.has_integrator = true;
    options.integrator = PHX_MIDPOINT;
    options.accuracy = (phx_model_optional){true, asked};
    phx_result *result = simulate(context, model, &options, &report);
    const double error = error_of(context, result, exact, "tip.x", 2);
    CHECK_BETWEEN(error, 0.0, asked, "error with fast oscillations");
    CHECK_BETWEEN(report.accuracy_reached, error / 5.0, 5.0 * error, "estimate with fast oscillations");
    phx_result_destroy(result);
    phx_result_destroy(exact);
    phx_model_destroy(model);
}

/* Every step ends at a sample, whatever step is asked for: runs of the same steps say nothing of their error. */
static void samples_make_the_steps(void **state)
{
    static const double asked = 1e-6;
    phx_context *context = *state;
    phx_model *model = read_parts(context, pendulum,
                                  "controllers: {hold: {kind: pid, measure: elbow, effort: elbow, kp: 20, kd: 1, "
                                  "reference: 0.3, sample: 0.004}}\n");
    phx_simulate_options options = options_of(0.4, 0.04);
    phx_simulate_report report;

    options.step = (phx_model_optional){true, 2e-5};
    phx_result *exact = simulate(context, model, &options, &report);
    options = options_of(0.4, 0.04);
    options.accuracy = (phx_model_optional){true, asked};
    phx_result *result = simulate(context, model, &options, &report);
    const double error =
        fmax(error_of(context, result, exact, "tip.x", 2), error_of(context, result, exact, "pull.fx", 3));
    CHECK_BETWEEN(error, 0.0, 1.2 * asked, "error with samples");
    CHECK_BETWEEN(report.accuracy_reached, error / 5.0, 5.0 * error, "estimate with samples");
    assert_true(report.used.step < 0.004);
    phx_result_destroy(result);
    phx_result_destroy(exact);
    phx_model_destroy(model);
}

/* Backlash has kinks, through which errors fall now fast, now not at all: no high order is believed that shows once. */
static void kinks_have_no_order(void **state)
{
    static const double asked = 1e-4;
    phx_context *context = *state;
    phx_model *model = NULL;
    phx_simulate_options options = options_of(0.05, 1e-3);
    phx_simulate_report report;

    CHECK_OK(context, phx_model_read(context, PHX_SOURCE_DIR "/examples/gear_train.yaml", 0, NULL, &model));
    options.step = (phx_model_optional){true, 2e-6};
    phx_result *exact = simulate(context, model, &options, &report);
    options = options_of(0.05, 1e-3);
    options.accuracy = (phx_model_optional){true, asked};
    phx_result *result = simulate(context, model, &options, &report);
    const double error = fmax(error_of(context, result, exact, "motor", 1), error_of(context, result, exact, "lay", 1));
    CHECK_BETWEEN(error, 0.0, 1.5 * asked, "error with kinks");
    CHECK_BETWEEN(report.accuracy_reached, error / 10.0, asked, "estimate with kinks");
    phx_result_destroy(result);
    phx_result_destroy(exact);
    phx_model_destroy(model);
}

/* Keys of the model; a named integrator is kept; a model that asks for nothing gets 1e-3; an option replaces a key. */
static void who_asks(void **state)
{
    phx_context *context = *state;
    phx_simulate_report report;
    phx_simulate_options options = options_of(1.0, 0.02);
    phx_model *model = read_parts(context, pendulum,
                                  "simulate: {accuracy: 1e-5, accuracy_of: [tip], integrator: midpoint, step: 0.01}\n");

    phx_result_destroy(simulate(context, model, &options, &report));
    assert_int_equal(report.used.integrator, PHX_MIDPOINT);
    assert_true(report.accuracy == 1e-5 && report.accuracy_reached <= 1e-5 && report.used.step < 0.01);
    options.step = (phx_model_optional){true, 0.005};
    phx_result_destroy(simulate(context, model, &options, &report));
    assert_true(report.accuracy == 0.0 && report.used.step == 0.005);
    options.step.given = false;
    options.accuracy_absolute = (phx_model_optional){true, 0.5};
    phx_result_destroy(simulate(context, model, &options, &report));
    CHECK_BETWEEN(report.accuracy_reached, 0.0, 0.5, "estimate");
    phx_model_destroy(model);

    model = read_parts(context, pendulum, "");
    options = options_of(1.0, 0.02);
    phx_result_destroy(simulate(context, model, &options, &report));
    assert_true(report.accuracy == 1e-3);
    phx_model_destroy(model);
}

static void check_refused(phx_context *context, phx_model *model, const phx_simulate_options *options,
                          phx_status status, const char *message)
{
    phx_simulate_report report;
    CHECK_STATUS(context, phx_study_simulate(context, model, options, &report), status);
    CHECK_MESSAGE(context, message);
}

static void what_cannot_be_had(void **state)
{
    static const char *const wrong[] = {"tup"};
    phx_context *context = *state;
    phx_simulate_options options = options_of(TEST_SHORTER(1.0, 0.1), 0.02);
    phx_model *model = read_parts(context, pendulum, "");

    options.accuracy = (phx_model_optional){true, 1e-19};
    check_refused(context, model, &options, PHX_ERR_ANALYSIS, "cannot be reached");
    options.accuracy.value = 1e-3;
    options.accuracy_of = wrong;
    options.n_accuracy_of = 1;
    check_refused(context, model, &options, PHX_ERR_INPUT, "no output 'tup'; did you mean 'tip'?");
    options.n_accuracy_of = 0;
    options.rtol = (phx_model_optional){true, 1e-3};
    check_refused(context, model, &options, PHX_ERR_INPUT, "give only one of them");
    options.rtol.given = false;
    options.has_integrator = true;
    options.integrator = PHX_IDA;
    check_refused(context, model, &options, PHX_ERR_UNSUPPORTED, "ida chooses its steps itself");
    phx_model_destroy(model);

    model = read_parts(context, "phlexor: 1\ndimension: 2\nbodies: {a: {kind: rigid, mass: 1, inertia: 1}}\n", "");
    options = options_of(1.0, 0.02);
    check_refused(context, model, &options, PHX_ERR_INPUT, "there are none: name some, or give simulate: {step");
    phx_model_destroy(model);
}

/* The velocity of a clamped point is rounding of 1e-23 m/s: no step would make its relative error small. */
static void rounding_is_not_compared(void **state)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_model *model = read_text(
        *state,
        "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
        "materials: {m: {density: 1000, young: 1e8, poisson: 0.3}}\nbodies:\n"
        "  a: {kind: rigid, mass: 2, inertia: [0.01, 0.06, 0.06], ports: {C: {position: [0.5, 0, 0]}},\n"
        "    pose: {rotation: {axis: [1, 2, 3], angle: 1}}}\n"
        "  b: {kind: beam, material: m, length: 0.9, elements: 3, modes: 4, reference: free, damping: {stiffness: "
        "1e-3},\n"
        "    section: {kind: rectangle, width: 0.04, height: 0.03}, pose: {position: [1, 0, 0], guess: true}}\n"
        "joints:\n  w: {kind: weld, ports: [ground.O, a.P]}\n"
        "  j: {kind: revolute, ports: [a.C, b.P], axis: [0, 1, 0], speed: \"sin(3*t)\"}\n"
        "outputs: {v: {velocity: a.C}, u: {angular_velocity: a.C}, x: {acceleration: a.C}, p: {position: b.C}}\n"
        "simulate: {end: 0.4}\n");
    phx_result *result = simulate(*state, model, &options, &report);

    CHECK_BELOW(report.accuracy_reached, 1e-3, "error told");
    assert_in_range(report.runs, 2, 8);
    phx_result_destroy(result);
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_error_is_what_was_asked_for, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(fast_oscillations_are_seen, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(samples_make_the_steps, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(kinks_have_no_order, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(rounding_is_not_compared, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(who_asks, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_had, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
