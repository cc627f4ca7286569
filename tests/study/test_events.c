/* Events of a simulation: where they are, what they take, what the result says of them. */
#include "support.h"

#include <phlexor/results.h>

static phx_result *run(phx_context *context, phx_model *model, phx_simulate_report *report)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_result *result = NULL;
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, report, &result));
    phx_model_destroy(model);
    return result;
}

static phx_model *read_text(phx_context *context, const char *text)
{
    phx_model *model = NULL;
    CHECK_OK(context, phx_model_read_text(context, "text.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

static void column(phx_context *context, const phx_result *result, const char *name, size_t n, double *values)
{
    const int at = phx_result_column_find(result, name);
    assert_true(at >= 0);
    assert_int_equal(phx_result_rows(result), n);
    CHECK_OK(context, phx_result_column(result, at, 0, n, values));
}

/* A pendulum that is let go where its angle comes to a value. The row of the event is that of the condition to
 * rounding; its time is that of an independent program (elliptic integrals) to the error of the steps. */
static void events_are_located(void **state)
{
    static const char text[] = "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                               "bodies: {a: {kind: rigid, mass: 1, inertia: 1e-12, centre_of_mass: [1, 0]}}\n"
                               "joints: {A: {kind: revolute, ports: [ground.O, a.P], angle: 1 - pi/2}}\n"
                               "outputs: {A: {coordinate: A}}\n"
                               "events: {go: {output: A, falls_to: 0.123 - pi/2, release: [A]}}\n"
                               "simulate: {end: 0.6, step: 1e-3, every: 0.1}\n";
    enum { ROWS = 8 }; /* 0, 0.1 ... 0.6 and the event */
    double t[ROWS], angle[ROWS], residual[ROWS];
    phx_simulate_report report;
    phx_result *result = run(*state, read_text(*state, text), &report);
    assert_int_equal(report.events, 1);
    CHECK_CLOSE(report.event_loss, 0.0, 0.0, "a release takes nothing");
    column(*state, result, "t", ROWS, t);
    column(*state, result, "A", ROWS, angle);
    column(*state, result, "residual", ROWS, residual);
    CHECK_CLOSE(angle[5], 0.123 - TEST_PI / 2.0, 1e-14, "angle at the event");
    CHECK_CLOSE(t[5], 0.4937151412877042, 1e-6, "its time");
    CHECK_CLOSE(t[6], 0.5, 1e-15, "the instants go on");
    CHECK_SMALL(max_abs(ROWS, residual), 1e-12 * report.largest_energy, "balance");
    phx_result_destroy(result);
}

static void examples_run(void **state)
{
    static const char *const names[] = {"pick_up.yaml", "deploying_array.yaml"};
    for (int k = 0; k < 2; k++) {
        phx_simulate_report report;
        phx_result *result = run(*state, read_example(*state, names[k]), &report);
        assert_int_equal(report.events, 2);
        CHECK_BETWEEN(report.event_loss, 1e-3, 10.0, "%s: energy of the events", names[k]);
        CHECK_BELOW(report.largest_residual, 1e-12 * report.largest_energy, "%s: balance", names[k]);
        CHECK_BELOW(report.largest_drift, 1e-12, "%s: joints", names[k]);
        phx_result_destroy(result);
    }
}

static void wrong_events_are_refused(void **state)
{
    static const char *const events[][2] = {
        {"{at: 1}", "an event needs 'attach', 'release' or 'drive_off'"},
        {"{release: [A]}", "an event happens either 'at' a time or"},
        {"{at: 1, output: A, release: [A]}", "an event happens either 'at' a time or"},
        {"{output: A, release: [A]}", "an event happens either 'at' a time or"},
        {"{at: 1, release: [AA]}", "there is no joint 'AA'"}};
    for (size_t k = 0; k < sizeof events / sizeof *events; k++) {
        char text[500];
        phx_model *model = NULL;
        snprintf(text, sizeof text,
                 "phlexor: 1\ndimension: 2\nbodies: {a: {kind: rigid, mass: 1, inertia: 1}}\n"
                 "joints: {A: {kind: revolute, ports: [ground.O, a.P]}}\nevents: {e: %s}\n",
                 events[k][0]);
        CHECK_STATUS(*state, phx_model_read_text(*state, "text.yaml", text, strlen(text), 0, NULL, &model),
                     PHX_ERR_INPUT);
        CHECK_MESSAGE(*state, events[k][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_are_located, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(examples_run, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(wrong_events_are_refused, study_setup, study_teardown)};
    return cmocka_run_group_tests_name("study_events", tests, NULL, NULL);
}
