/* Limits of validity: a run that leaves them says so, once for each body and kind, with the first time and the worst
 * figure, in the log, the report and the result; a strict one ends there; one that keeps to them says nothing. */
#include "support.h"
#include "results/results.h"

#include <math.h>
#include <phlexor/results.h>
#include <stdlib.h>

typedef struct heard_log {
    int warnings;
    char text[4000];
} heard_log;

static void listen(void *user, phx_log_level level, const char *message)
{
    heard_log *heard = user;
    if (level != PHX_LOG_WARNING)
        return;
    heard->warnings++;
    strncat(heard->text, message, sizeof heard->text - strlen(heard->text) - 2);
    strcat(heard->text, "\n");
}

static phx_model *read(phx_context *context, const char *text)
{
    phx_model *model = NULL;
    CHECK_OK(context, phx_model_read_text(context, "limits.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

/* A clamped bar of length 1 and diameter 0.02 with a force (x, y) at its end. */
static phx_model *bar(phx_context *context, double young, const char *keys, double x, double y, const char *rest)
{
    char text[2000];
    snprintf(text, sizeof text,
             "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 7800, young: %.17g}}\n"
             "bodies:\n  bar: {kind: beam, material: m, length: 1, section: {kind: circle, diameter: 0.02}, elements: "
             "4, reference: cantilever%s}\n"
             "joints: {w: {kind: weld, ports: [ground.O, bar.P]}}\n"
             "loads: {f: {force: [%.17g, %.17g], at: bar.C}}\n"
             "simulate: {end: 0.01, step: 1e-4}\n%s",
             young, keys, x, y, rest);
    return read(context, text);
}

static phx_status run(phx_context *context, const phx_model *model, bool strict, phx_simulate_report *report,
                      phx_result **result, heard_log *heard)
{
    phx_simulate_options options = phx_simulate_options_default();
    options.strict = strict;
    *heard = (heard_log){0};
    phx_context_set_log(context, listen, heard);
    const phx_status status = phx_study_simulate_result(context, model, &options, report, result);
    phx_context_set_log(context, NULL, NULL);
    return status;
}

static void soft_bars_are_named(void **state)
{
    phx_context *context = *state;
    phx_simulate_report report;
    phx_result *result = NULL;
    heard_log heard;
    phx_model *model = bar(context, 210, "", 0.0, -1.0, "initial: {deformation: quasi_static}\n");

    CHECK_OK(context, run(context, model, false, &report, &result, &heard));
    assert_int_equal(report.limits, heard.warnings);
    assert_true(report.limits >= 2);
    CHECK_TEXT(heard.text, "body 'bar' exceeds small deformation at t = 0 s");
    CHECK_TEXT(heard.text, "body 'bar' exceeds small strain at t = 0 s");
    CHECK_TEXT(heard.text, "check young");
    const char *text = phx_result_text(result, "limit_1");
    assert_non_null(text);
    CHECK_TEXT(text, "body 'bar'");
    phx_result_destroy(result);
    CHECK_STATUS(context, run(context, model, true, &report, &result, &heard), PHX_ERR_ANALYSIS);
    CHECK_MESSAGE(context, "the run is strict");
    phx_result_destroy(result);
    phx_model_destroy(model);
    model = bar(context, 210, "", 0.0, -1.0, "initial: {deformation: quasi_static}\n");
    model->simulate.strict = true;
    CHECK_STATUS(context, run(context, model, false, &report, &result, &heard), PHX_ERR_ANALYSIS);
    phx_result_destroy(result);
    phx_model_destroy(model);
}

/* Just within, and just beyond: rotation F L^2/2EI, strain F L c/EI, axial force against pi^2 EI/4. */
static void limits_are_where_they_are_said_to_be(void **state)
{
    const double I = TEST_PI * 1e-8 / 4.0, A = TEST_PI * 1e-4, E = 2e11, euler = TEST_PI * TEST_PI * E * I / 4.0;
    const struct {
        double x, y, young;
        const char *keys, *text;
    } cases[] = {
        {0.0, 2.0 * E * I * tan(0.3), E, "", "small deformation"},
        {0.03 * 1e6 * A, 0.0, 1e6, ", stiffening: true", "small strain"},
        {euler, 0.0, E, "", "set stiffening: true"},
        {-euler, 0.0, E, "", "set stiffening: true"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int beyond = 0; beyond < 2; beyond++) {
            const double factor = beyond ? 1.01 : 0.98;
            phx_check_report report;
            phx_model *model = bar(*state, cases[k].young, cases[k].keys, factor * cases[k].x, factor * cases[k].y,
                                   "initial: {deformation: quasi_static}\n");
            const phx_status status = phx_study_check(*state, model, &report);
            CHECK_OK(*state, status);
            if (report.n_limits != beyond)
                fail_msg("case %d, %s: %d limits, %s", (int)k, beyond ? "beyond" : "within", report.n_limits,
                         report.n_limits ? report.limits[0].text : "");
            if (beyond)
                CHECK_TEXT(report.limits[0].text, cases[k].text);
            phx_check_report_free(&report);
            phx_model_destroy(model);
        }
}

/* The spin-up without stiffening grows to 1e44 J. */
static void a_diverging_run_is_not_complete_without_a_word(void **state)
{
    phx_context *context = *state;
    phx_simulate_report report;
    phx_result *result = NULL;
    heard_log heard;
    phx_model *model = read_example(context, "spin_up.yaml");

    CHECK_OK(context, run(context, model, false, &report, &result, &heard));
    assert_int_equal(report.limits, 0);
    assert_int_equal(heard.warnings, 0);
    assert_null(phx_result_text(result, "limit_1"));
    phx_result_destroy(result);
    model->bodies[0].stiffening = false;
    /* it warns while it can, and ends where its joints cannot be held any more */
    CHECK_STATUS(context, run(context, model, false, &report, &result, &heard), PHX_ERR_ANALYSIS);
    assert_true(report.reached < 15.0);
    assert_int_equal(report.limits, 4);
    assert_int_equal(heard.warnings, 4);
    CHECK_TEXT(heard.text, "the kinetic and elastic energy becomes extremely large at t = ");
    CHECK_TEXT(heard.text, "body 'beam' has an axial force beyond its Euler load");
    phx_result_destroy(result);
    CHECK_STATUS(context, run(context, model, true, &report, &result, &heard), PHX_ERR_ANALYSIS);
    assert_true(report.reached < 8.0);
    phx_result_destroy(result);
    phx_model_destroy(model);
}

/* check speaks of the loads even where the start is undeformed. */
static void a_check_sees_what_the_loads_would_do(void **state)
{
    phx_check_report report;
    phx_model *model = bar(*state, 210, "", 0.0, -1.0, "");

    CHECK_OK(*state, phx_study_check(*state, model, &report));
    assert_true(report.n_limits >= 2);
    assert_true(report.limits[0].quasi_static);
    CHECK_TEXT(report.limits[0].text, "under the loads of the start");
    assert_string_equal(report.limits[0].body, "bar");
    phx_check_report_free(&report);
    phx_model_destroy(model);
    model = bar(*state, 2.1e11, "", 0.0, -1.0, "");
    CHECK_OK(*state, phx_study_check(*state, model, &report));
    assert_int_equal(report.n_limits, 0);
    phx_check_report_free(&report);
    phx_model_destroy(model);
}

/* A rod of two elements is rolled up slowly by a moment: angles of 1.75 rad an element at the end, 90 degrees at 0.9 of
 * it; with as many elements as the warning says there is none. */
static phx_model *rolled_rod(phx_context *context, int elements)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "phlexor: 1\ndimension: 2\nbodies:\n  whip: {kind: rod, length: 1, elements: %d, damping: {stiffness: 0.5}, "
        "section: {kind: general, stiffness: [[1e4, 0, 0], [0, 1e4, 0], [0, 0, 5]], mass: [[0.1, 0, 0], [0, 0.1, "
        "0], [0, 0, 1e-4]]}}\njoints: {w: {kind: weld, ports: [ground.O, whip.P]}}\n"
        "loads: {m: {torque: 5*3.5*t/20, at: whip.C}}\nsimulate: {end: 20, step: 0.02, every: 0.1}\n",
        elements);
    return read(context, text);
}

static void a_rod_that_bends_sharply_is_named(void **state)
{
    phx_simulate_report report;
    phx_result *result = NULL;
    heard_log heard;
    phx_model *model = rolled_rod(*state, 2);

    CHECK_OK(*state, run(*state, model, false, &report, &result, &heard));
    assert_int_equal(heard.warnings, 1);
    CHECK_TEXT(heard.text, "rod 'whip' bends sharply at t = 18");
    CHECK_TEXT(heard.text, "its element ");
    CHECK_TEXT(heard.text, "bends by up to 9");
    const char *wanted = strstr(heard.text, "elements: ");
    assert_non_null(wanted);
    const int elements = (int)strtol(wanted + 10, NULL, 10);
    CHECK_BETWEEN(elements, 4, 6, "elements");
    phx_result_destroy(result);
    phx_model_destroy(model);
    model = rolled_rod(*state, elements);
    CHECK_OK(*state, run(*state, model, true, &report, &result, &heard));
    assert_int_equal(report.limits, 0);
    phx_result_destroy(result);
    phx_model_destroy(model);
}

/* Bodies that turn, or are loaded across, say what their stiffness leaves out; with the remedy, or slowly, nothing. */
static void simulations_tell_what_bodies_leave_out(void **state)
{
    static const char *const blade =
        "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 2700, young: 7e10, poisson: 0.3}}\nbodies:\n"
        "  hub: {kind: rigid, mass: 5, inertia: [1, 1, 1]}\n  b: {kind: beam, reference: cantilever, material: m, "
        "length: "
        "1, elements: 4, section: {kind: rectangle, width: 0.008, height: 0.08}, %s}\njoints:\n"
        "  motor: {kind: revolute, axis: [0, 0, 1], ports: [ground.O, hub.P], speed: %g}\n"
        "  root: {kind: weld, ports: [hub.P, b.P]}\nsimulate: {end: 2e-5, step: 1e-5}\n";
    static const char *const strip =
        "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 2700, young: 7e10, poisson: 0.3}}\nbodies:\n"
        "  b: {kind: plate, material: m, thickness: 0.003, stiffening: true, mesh: {size: [1, 0.06], elements: [8, "
        "1]}, "
        "%s ports: {r: {on: x0}, t: {on: x1}}}\njoints: {w: {kind: weld, ports: [ground.O, b.r]}}\n"
        "loads: {f: {force: [0, %g, 0], at: b.t}}\ninitial: {deformation: quasi_static}\n"
        "simulate: {end: 2e-5, step: 1e-5}\n";
    static const struct {
        bool strip;
        const char *keys;
        double number;
        const char *told; /* NULL: nothing */
    } cases[] = {{false, "stiffening: true", 200.0, "take section_inertia: true"},
                 {false, "modes: 9", 200.0, "stiffening: true and section_inertia: true"},
                 {false, "basis: {moments: 2, kind: krylov}, stiffening: true", 200.0, "section_inertia: true"},
                 {false, "stiffening: true, section_inertia: true", 200.0, NULL},
                 {false, "stiffening: true", 1.0, NULL},
                 {false, "point_masses: [{at: C, mass: 1, inertia: [0.1, 0.1, 0.1]}]", 5.0, "weld a rigid body"},
                 {true, "", -5.0, "loads across 'b'"},
                 {true, "frame: t,", -5.0, "loads across 'b'"},
                 {true, "", -0.2, NULL}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[2000];
        phx_simulate_report report;
        phx_result *result = NULL;
        heard_log heard;
        snprintf(text, sizeof text, cases[k].strip ? strip : blade, cases[k].keys, cases[k].number);
        phx_model *model = read(*state, text);
        CHECK_OK(*state, run(*state, model, false, &report, &result, &heard));
        if (cases[k].told ? !strstr(heard.text, cases[k].told) : heard.text[0] != '\0')
            fail_msg("case %zu: the log is '%s', expected '%s'", k, heard.text, cases[k].told ? cases[k].told : "");
        phx_result_destroy(result);
        phx_model_destroy(model);
    }
}

static void examples_keep_to_their_limits(void **state)
{
    static const char *const names[] = {"crank_slider.yaml", "double_pendulum.yaml", "hinged_pair.yaml",
                                        "satellite.yaml",    "spacecraft.yaml",      "manipulator.yaml"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        phx_simulate_report report;
        phx_result *result = NULL;
        heard_log heard;
        phx_model *model = read_example(*state, names[k]);
        CHECK_OK(*state, run(*state, model, true, &report, &result, &heard));
        if (report.limits != 0)
            fail_msg("%s: %s", names[k], heard.text);
        phx_result_destroy(result);
        phx_model_destroy(model);
    }
}

/* Dampers along the angles x-y'-z'' of a body that tumbles through 90 degrees of the second one. */
static void singular_angles_are_named(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nground: {ports: {A: {position: [0.331, 0.247, 0.341]}}}\n"
        "bodies:\n  b: {kind: rigid, mass: 1.896, inertia: [0.061, 0.053, 0.108], centre_of_mass: [0.195, 0.009, "
        "0.056],\n"
        "      ports: {Q: {position: [-0.437, -0.492, -0.254]}}}\n"
        "joints: {j: {kind: free, ports: [ground.O, b.P], damping: [0.233, 0.027, 0.098, 0.171, 0.255, 0.147]}}\n"
        "springs: {s: {ports: [ground.A, b.Q], stiffness: 57.19, damping: 1.397, length: 0.431}}\n"
        "loads: {f: {force: [-4.112*sin(19.241*t), 2.858*sin(5.619*t), 1.179*sin(18.414*t)], at: b.Q},\n"
        "        g: {torque: [-0.434, -0.467, -0.558], at: b.Q}}\n"
        "simulate: {end: 0.4, step: 0.002}\n";
    phx_model *model = read(*state, text);
    const phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;

    assert_int_equal(phx_study_simulate(*state, model, &options, &report), PHX_NOT_CONVERGED);
    CHECK_MESSAGE(*state, "joint 'j' is near 90 deg of its second angle");
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(soft_bars_are_named, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(limits_are_where_they_are_said_to_be, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_diverging_run_is_not_complete_without_a_word, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_check_sees_what_the_loads_would_do, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_rod_that_bends_sharply_is_named, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(simulations_tell_what_bodies_leave_out, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(singular_angles_are_named, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(examples_keep_to_their_limits, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
