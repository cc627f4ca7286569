/* Runs that go on from a result: what its events have switched, the signs of attitudes, the time of a static result;
 * events at the start. A run in two parts is compared with one that goes through. */
#include "support.h"
#include "results/results.h"

#include <string.h>

/* A bar on a hinge with a bob at its end and a spring that holds it; the place of the bob, what the hinge and the
 * grip have more, the event. */
#define BAR(pose, pin, grip, event, end, more)                                                                         \
    "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                                                  \
    "ground: {ports: {A: {position: [1, 1]}}}\n"                                                                       \
    "bodies:\n"                                                                                                        \
    "  bar: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.5, 0], ports: {C: {position: [1, 0]}}}\n"          \
    "  bob: {kind: rigid, mass: 1, inertia: 0.01, pose: {position: [" pose "]}}\n"                                     \
    "joints:\n"                                                                                                        \
    "  pin: {kind: revolute, ports: [ground.O, bar.P]" pin "}\n"                                                       \
    "  grip: {kind: weld, ports: [bar.C, bob.P]" grip "}\n"                                                            \
    "springs: {s: {ports: [ground.A, bar.C], stiffness: 100, length: 0.8}}\n"                                          \
    "events: {e: {at: 0.2, " event "}}\n"                                                                              \
    "outputs: {tip: {position: bar.C}, bob: {position: bob.P}}\n"                                                      \
    "simulate: {end: " end ", step: 1e-3}\n" more

static phx_status run(phx_context *context, const char *text, const char *h5, phx_simulate_report *report,
                      phx_result **result)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_model *model = read_text(context, text);
    options.h5_path = h5;
    const phx_status status = phx_study_simulate_result(context, model, &options, report, result);
    phx_model_destroy(model);
    return status;
}

static void check_parts(phx_context *context, const char *whole, const char *first, const char *second)
{
    static const char *const names[] = {"tip.x", "tip.y", "bob.x", "bob.y", "kinetic"};
    phx_simulate_report report;
    phx_result *one = NULL, *two = NULL;
    CHECK_OK(context, run(context, whole, NULL, &report, &one));
    CHECK_OK(context, run(context, first, "first.h5", &report, NULL));
    CHECK_OK(context, run(context, second, "second.h5", &report, &two));
    assert_int_equal(report.events, 0);
    for (int k = 0; k < 5; k++)
        CHECK_CLOSE(result_value(context, two, names[k], phx_result_rows(two) - 1),
                    result_value(context, one, names[k], phx_result_rows(one) - 1), 1e-12, "%s", names[k]);
    phx_result_destroy(one);
    phx_result_destroy(two);
}

#define PARTS(pose, pin, grip, event)                                                                                  \
    check_parts(*state, BAR(pose, pin, grip, event, "0.7", ""), BAR(pose, pin, grip, event, "0.4", ""),                \
                BAR(pose, pin, grip, event, "0.7", "initial: {from: first.h5}\n"))

static void switches_go_on(void **state)
{
    PARTS("1, 0", "", "", "switch_off: [s]");
    PARTS("1, 0", "", "", "release: [grip], switch_off: [s]");
    PARTS("1.3, 0", "", ", active: false", "attach: [grip]"); /* where it is: the rows have targets of their own */
    PARTS("1, 0", ", speed: 2", "", "drive_off: [pin]");
    PARTS("1.1, 0", "", ", active: false", "attach: [grip], switch_off: [s]");
}

/* A second part that has no events any more, and a third that goes on from it. */
static void switches_are_handed_on(void **state)
{
#define EVENT "events: {e: {at: 0.2, switch_off: [s]}}\n"
    char text[3000];
    phx_simulate_report report;
    phx_result *whole = NULL, *last = NULL;
    CHECK_OK(*state, run(*state, BAR("1, 0", "", "", "switch_off: [s]", "0.7", ""), NULL, &report, &whole));
    CHECK_OK(*state, run(*state, BAR("1, 0", "", "", "switch_off: [s]", "0.3", ""), "a.h5", &report, NULL));
    strcpy(text, BAR("1, 0", "", "", "switch_off: [s]", "0.5", "initial: {from: a.h5}\n"));
    char *event = strstr(text, EVENT);
    assert_non_null(event);
    memmove(event, event + strlen(EVENT), strlen(event + strlen(EVENT)) + 1);
    CHECK_OK(*state, run(*state, text, "b.h5", &report, NULL));
    memcpy(strstr(text, "0.5, step"), "0.7", 3);
    memcpy(strstr(text, "a.h5"), "b", 1);
    CHECK_OK(*state, run(*state, text, NULL, &report, &last));
    CHECK_CLOSE(result_value(*state, last, "tip.x", phx_result_rows(last) - 1),
                result_value(*state, whole, "tip.x", phx_result_rows(whole) - 1), 1e-12, "in three parts");
    phx_result_destroy(whole);
    phx_result_destroy(last);
}

/* Half a turn and more about an axis, so that the quaternion has another sign than one that begins anew. */
static void attitudes_keep_their_signs(void **state)
{
#define TOP(end, more)                                                                                                 \
    "phlexor: 1\ndimension: 3\n"                                                                                       \
    "bodies: {a: {kind: rigid, mass: 1, inertia: [1, 1, 2], velocity: {angular: [0, 0, 4]}}}\n"                        \
    "outputs: {q: {attitude: a.P}}\nsimulate: {end: " end ", step: 1e-2}\n" more
    phx_simulate_report report;
    phx_result *one = NULL, *two = NULL;
    CHECK_OK(*state, run(*state, TOP("1.4", ""), NULL, &report, &one));
    CHECK_OK(*state, run(*state, TOP("1", ""), "first.h5", &report, NULL));
    CHECK_OK(*state, run(*state, TOP("1.4", "initial: {from: first.h5}\n"), NULL, &report, &two));
    const size_t last = phx_result_rows(one) - 1;
    CHECK_CLOSE(result_value(*state, one, "q.w", last), cos(2.8), 1e-3, "it has gone on turning");
    for (int k = 0; k < 2; k++) {
        const char *name = k == 0 ? "q.w" : "q.z";
        CHECK_CLOSE(result_value(*state, two, name, phx_result_rows(two) - 1), result_value(*state, one, name, last),
                    1e-12, "%s", name);
        CHECK_CLOSE(result_value(*state, two, name, 0), result_value(*state, one, name, 100), 1e-12, "%s", name);
    }
    phx_result_destroy(one);
    phx_result_destroy(two);
}

static void a_static_result_has_its_time(void **state)
{
    static const char text[] = "phlexor: 1\ndimension: 2\n"
                               "bodies: {bar: {kind: rigid, mass: 1, inertia: 0.1, ports: {C: {position: [1, 0]}}}}\n"
                               "joints: {pin: {kind: revolute, ports: [ground.O, bar.P], stiffness: 10, damping: 1}}\n"
                               "loads: {f: {force: [\"0\", \"-0.5*t\"], at: bar.C}}\noutputs: {q: {coordinate: pin}}\n"
                               "events: {e: {at: %s, switch_off: [f]}}\nsimulate: {end: 8, step: 0.01}\n%s";
    char model[1000];
    for (int k = 0; k < 3; k++) {
        phx_study_static_options options = phx_study_static_options_default();
        phx_study_static_report found;
        phx_simulate_report report;
        options.t = 2.0 + 0.5 * k;
        options.h5_path = "st.h5";
        options.steps = k == 1 ? 5 : 0;
        options.path = k == 2;
        snprintf(model, sizeof model, text, "9", "");
        phx_model *made = read_text(*state, model);
        CHECK_OK(*state, phx_study_static(*state, made, &options, &found, NULL));
        phx_model_destroy(made);
        snprintf(model, sizeof model, text, k == 0 ? "2" : "9", "initial: {from: st.h5}\n");
        CHECK_OK(*state, run(*state, model, NULL, &report, NULL));
        CHECK_CLOSE(report.from, options.t, 0.0, "the time of the loads");
        assert_int_equal(report.events, k == 0); /* at the start of a run whose result had no events */
    }
}

/* A load that is switched off at t = 0 never acts, and one that begins there acts at once. */
static void events_at_the_start_happen(void **state)
{
    static const char text[] = "phlexor: 1\ndimension: 2\nbodies: {a: {kind: rigid, mass: 1, inertia: 0.1}}\n"
                               "joints: {s: {kind: prismatic, ports: [ground.O, a.P], axis: [1, 0]%s}}\n"
                               "loads: {f: {force: [\"1\", \"0\"], at: a.P%s}}\noutputs: {x: {coordinate: s}}\n"
                               "events: {e: {at: 0, %s}}\nsimulate: {end: 1, step: 0.1}\n";
    static const struct {
        const char *speed, *active, *event;
        double x;
    } cases[] = {{"", "", "switch_off: [f]", 0.0},
                 {"", ", active: false", "switch_on: [f]", 0.5},
                 {", speed: 3, active: false", "", "attach: [s]", 3.0},
                 {", speed: 3", "", "drive_off: [s]", 3.5}};
    char model[1000];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        phx_simulate_report report;
        phx_result *result = NULL;
        snprintf(model, sizeof model, text, cases[k].speed, cases[k].active, cases[k].event);
        CHECK_OK(*state, run(*state, model, NULL, &report, &result));
        assert_int_equal(report.events, 1);
        CHECK_CLOSE(result_value(*state, result, "x", phx_result_rows(result) - 1), cases[k].x, 1e-12, "event %zu", k);
        CHECK_SMALL(report.largest_residual, 1e-12, "balance");
        phx_result_destroy(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(switches_go_on, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(switches_are_handed_on, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(attitudes_keep_their_signs, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_static_result_has_its_time, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(events_at_the_start_happen, study_setup, study_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
