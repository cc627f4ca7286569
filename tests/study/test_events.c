/* Events of a simulation: where they are, what they take, what the result says of them. */
#include "support.h"
#include "results/results.h"

#include <phlexor/results.h>

static phx_result *run_with(phx_context *context, phx_model *model, const phx_simulate_options *options,
                            phx_simulate_report *report)
{
    phx_result *result = NULL;
    CHECK_OK(context, phx_study_simulate_result(context, model, options, report, &result));
    phx_model_destroy(model);
    return result;
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
static void check_release(phx_context *context, phx_integrator integrator, double step, double rtol, double balance)
{
    static const char text[] = "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                               "bodies: {a: {kind: rigid, mass: 1, inertia: 1e-12, centre_of_mass: [1, 0]}}\n"
                               "joints: {A: {kind: revolute, ports: [ground.O, a.P], angle: 1 - pi/2}}\n"
                               "outputs: {A: {coordinate: A}}\n"
                               "events: {go: {output: A, falls_to: 0.123 - pi/2, release: [A]}}\n"
                               "simulate: {end: 0.6, every: 0.1}\n";
    enum { ROWS = 8 }; /* 0, 0.1 ... 0.6 and the event */
    double t[ROWS], angle[ROWS], residual[ROWS];
    phx_simulate_options options = phx_simulate_options_default();
    options.has_integrator = true;
    options.integrator = integrator;
    options.step = (phx_model_optional){step > 0.0, step};
    options.rtol = (phx_model_optional){rtol > 0.0, rtol};
    phx_simulate_report report;
    phx_result *result = run_with(context, read_text(context, text), &options, &report);
    assert_int_equal(report.events, 1);
    CHECK_CLOSE(report.event_loss, 0.0, 0.0, "a release takes nothing");
    column(context, result, "t", ROWS, t);
    column(context, result, "A", ROWS, angle);
    column(context, result, "residual", ROWS, residual);
    CHECK_CLOSE(angle[5], 0.123 - TEST_PI / 2.0, 1e-14, "angle at the event");
    CHECK_CLOSE(t[5], 0.4937151412877042, rtol > 0.0 ? 1e3 * rtol : 1e-6, "its time by %s",
                phx_integrator_name(integrator));
    CHECK_CLOSE(t[6], 0.5, 1e-15, "the instants go on");
    CHECK_SMALL(max_abs(ROWS, residual), balance * report.largest_energy, "balance");
    assert_true(report.stats.steps > 5);
    phx_result_destroy(result);
}

static void events_are_located(void **state)
{
    static const phx_integrator adaptive[] = {PHX_MIDPOINT, PHX_GAUSS4, PHX_GAUSS6, PHX_RADAU5, PHX_IDA};

    check_release(*state, PHX_MIDPOINT, 1e-3, 0.0, 1e-12);
    for (size_t k = 0; k < sizeof adaptive / sizeof *adaptive; k++)
        for (int bounded = 0; bounded < 2; bounded++)
            check_release(*state, adaptive[k], bounded ? 0.025 : 0.0, 1e-10, k < 3 ? 1e-12 : 1e-7);
}

static void examples_run(void **state)
{
    static const struct {
        phx_integrator integrator;
        double rtol, balance, drift;
    } methods[] = {{PHX_MIDPOINT, 0.0, 1e-12, 1e-12},
                   {PHX_GAUSS6, 0.0, 1e-12, 1e-12},
                   {PHX_GAUSS6, 1e-6, 1e-12, 1e-12},
                   {PHX_RADAU5, 1e-6, 1e-6, 1e-10}};
    static const char *const names[] = {"pick_up.yaml", "deploying_array.yaml"};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            phx_simulate_options options = phx_simulate_options_default();
            phx_simulate_report report;
            options.has_integrator = true;
            options.integrator = methods[i].integrator;
            options.rtol = (phx_model_optional){methods[i].rtol > 0.0, methods[i].rtol};
            phx_result *result = run_with(*state, read_example(*state, names[k]), &options, &report);
            assert_int_equal(report.events, 2);
            CHECK_BETWEEN(report.event_loss, 1e-3, 10.0, "%s: energy of the events", names[k]);
            CHECK_BELOW(report.largest_residual, methods[i].balance * report.largest_energy, "%s: balance", names[k]);
            CHECK_BELOW(report.largest_drift, methods[i].drift, "%s: joints", names[k]);
            phx_result_destroy(result);
        }
}

/* A flexible arm that lets its load go where it hangs, at an angle or at a time: with numerical damping each step that
 * is made again to find the instant begins with the same memory. */
static text_run let_go(phx_context *context, const char *radius, const char *when)
{
    char text[1400];

    snprintf(text, sizeof text,
             "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nmaterials: {m: {density: 2700, young: 7e9}}\nbodies:\n"
             "  arm: {kind: beam, material: m, length: 1, elements: 3, reference: cantilever,\n"
             "        section: {kind: rectangle, width: 0.02, height: 0.01}}\n"
             "  load: {kind: rigid, mass: 0.5, inertia: 1e-3, pose: {position: [1, 0]}}\n"
             "joints: {A: {kind: revolute, ports: [ground.O, arm.P]}, grip: {kind: weld, ports: [arm.C, load.P]}}\n"
             "outputs: {A: {coordinate: A}, tip: {position: arm.C}}\n"
             "events: {go: {%s, release: [grip]}}\n"
             "simulate: {end: 0.7, step: 5e-3%s}\n",
             when, radius);
    return run_text(context, text, 0.0);
}

static void numerical_damping_goes_with_events(void **state)
{
    static const char *const radii[] = {"", ", spectral_radius: 1", ", spectral_radius: 0.5", ", spectral_radius: 0"};
    double elastic[4];
    char when[80];

    for (int k = 0; k < 4; k++) {
        const text_run r = let_go(*state, radii[k], "output: A, falls_to: -1.2");
        size_t row = 0;
        assert_int_equal(r.report.events, 1);
        while (row + 1 < r.n && record_at(*state, &r, "A", row) > -1.2 + 1e-12)
            row++;
        snprintf(when, sizeof when, "at: %.17g", record_at(*state, &r, "t", row));
        const text_run same = let_go(*state, radii[k], when);
        CHECK_CLOSE(record_at(*state, &r, "tip.x", r.n - 1), record_at(*state, &same, "tip.x", same.n - 1), 1e-11,
                    "located and given, spectral radius '%s'", radii[k]);
        CHECK_CLOSE(record_at(*state, &r, "tip.y", r.n - 1), record_at(*state, &same, "tip.y", same.n - 1), 1e-11,
                    "located and given, spectral radius '%s'", radii[k]);
        elastic[k] = record_at(*state, &r, "elastic", r.n - 1);
        phx_result_destroy(r.result);
        phx_result_destroy(same.result);
    }
    CHECK_CLOSE(elastic[1], elastic[0], 0.0, "a radius of 1 changes no bit");
    assert_true(elastic[2] != elastic[1]);
}

/* A bar falls on its end and rings after the impact, which is rigid: what steps do not resolve is gone soon. */
static void an_impact_rings_less(void **state)
{
    static const double radius[] = {1.0, 0.5, 0.0};
    double elastic[3];

    for (int k = 0; k < 3; k++) {
        char text[900];
        snprintf(
            text, sizeof text,
            "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nmaterials: {m: {density: 7800, young: 2e11}}\nbodies:\n"
            "  bar: {kind: beam, material: m, length: 1, elements: 10, reference: free,\n"
            "        section: {kind: rectangle, width: 0.02, height: 0.02}, pose: {position: [0, 0.01], angle: pi/2}}\n"
            "forces: {floor: {kind: contact, ports: [ground.O, bar.P], against: plane, normal: [0, 1], restitution: "
            "0}}\n"
            "joints: {rail: {kind: prismatic, ports: [ground.O, bar.P], axis: [0, 1]}}\n"
            "simulate: {end: 0.08, step: 1e-4, spectral_radius: %g}\n",
            radius[k]);
        const text_run r = run_text(*state, text, 0.0);
        assert_true(r.report.impacts > 0);
        elastic[k] = record_at(*state, &r, "elastic", r.n - 1);
        phx_result_destroy(r.result);
    }
    CHECK_BELOW(elastic[1], 0.1 * elastic[0], "ringing, J, spectral radius 0.5 against 1");
    CHECK_BELOW(elastic[2], 0.1 * elastic[0], "ringing, J, spectral radius 0 against 1");
}

static void wrong_events_are_refused(void **state)
{
    static const char *const events[][2] = {
        {"{at: 1}", "an event needs 'attach', 'release', 'drive_off', 'switch_on' or 'switch_off'"},
        {"{release: [A]}", "an event happens either 'at' a time or"},
        {"{at: 1, output: A, release: [A]}", "an event happens either 'at' a time or"},
        {"{output: A, release: [A]}", "an event happens either 'at' a time or"},
        {"{at: 1, release: [AA]}", "there is no joint 'AA'"},
        {"{at: -0.1, release: [A]}", "before every run; the earliest time is 0"},
        {"{at: 1, attach: [A], release: [A]}", "attaches and releases joint 'A'"},
        {"{at: 1, switch_on: [f], switch_off: [f]}", "switches 'f' on and off"}};
    for (size_t k = 0; k < sizeof events / sizeof *events; k++) {
        char text[500];
        phx_model *model = NULL;
        snprintf(text, sizeof text,
                 "phlexor: 1\ndimension: 2\nbodies: {a: {kind: rigid, mass: 1, inertia: 1}}\n"
                 "joints: {A: {kind: revolute, ports: [ground.O, a.P]}}\nloads: {f: {torque: 1, at: a.P}}\n"
                 "events: {e: %s}\n",
                 events[k][0]);
        CHECK_STATUS(*state, phx_model_read_text(*state, "text.yaml", text, strlen(text), 0, NULL, &model),
                     PHX_ERR_INPUT);
        CHECK_MESSAGE(*state, events[k][1]);
    }
}

/* A mass on a spring that breaks where it is stretched most, and a thrust that is lit there and cut 0.5 s later: free
 * flight, constant acceleration, free flight; what the spring had is lost, what the thrust did is supplied. */
static void forces_are_switched(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nbodies: {m: {kind: rigid, mass: 2, inertia: 1, velocity: {linear: [3, 0]}}}\n"
        "joints: {j: {kind: prismatic, ports: [ground.O, m.P], axis: [1, 0]}}\n"
        "ground: {ports: {W: {position: [-1, 0]}}}\n"
        "springs: {s: {ports: [ground.W, m.P], stiffness: 50, length: 1}}\n"
        "loads: {thrust: {at: m.P, force: [8, 0], active: false}}\n"
        "events:\n"
        "  break: {output: v, falls_to: 0, switch_off: [s], switch_on: [thrust]}\n"
        "  cut: {at: 1, switch_off: [thrust]}\n"
        "outputs: {x: {coordinate: j}, v: {rate: j}}\nsimulate: {end: 2, step: 1e-3, every: 2}\n";
    const double omega = 5.0, stretch = 3.0 / omega, t = acos(-1.0) / (2.0 * omega), burn = 1.0 - t, v = 4.0 * burn;
    text_run r = run_text(*state, text, 0.0);
    assert_int_equal(r.report.events, 2);
    assert_int_equal(r.n, 4); /* start, breaks, cut, end */
    CHECK_CLOSE(record_at(*state, &r, "t", 1), t, 1e-5, "when it breaks");
    CHECK_CLOSE(record_at(*state, &r, "x", 1), stretch, 1e-12, "where");
    CHECK_CLOSE(record_at(*state, &r, "dissipated", 1), 9.0, 1e-12, "what the spring had");
    CHECK_CLOSE(record_at(*state, &r, "potential", 1), 0.0, 0.0, "it has nothing any more");
    CHECK_CLOSE(record_at(*state, &r, "v", 2), v, 1e-4, "speed at the cut");
    CHECK_CLOSE(record_at(*state, &r, "v", 3), record_at(*state, &r, "v", 2), 1e-13, "free flight");
    CHECK_CLOSE(record_at(*state, &r, "x", 3), stretch + 0.5 * v * burn + v, 1e-4, "place");
    CHECK_CLOSE(record_at(*state, &r, "supplied", 3), 8.0 * 0.5 * v * burn, 1e-4, "what the thrust did");
    phx_result_destroy(r.result);
}

static void steps_by_hand_have_none(void **state)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_stepper *stepper = NULL;
    phx_model *model = read_example(*state, "pick_up.yaml");
    CHECK_STATUS(*state, phx_stepper_create(*state, model, &options, 0, NULL, &stepper), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(*state, "event 'pick': the stepper does not support events");
    assert_null(stepper);
    phx_model_destroy(model);
}

/* Names that events cannot switch are refused when the model is read or built. */
static void switches_are_checked(void **state)
{
    static const struct {
        const char *more, *event, *message;
        int line;
    } cases[] = {{"", "switch_off: [sprin]", "there is no spring, force or load 'sprin'; did you mean 'spring'?", 7},
                 {"", "switch_off: [twice]", "a spring and a load have the name 'twice'", 7},
                 {", active: false", "switch_off: [spring]", "a spring and a load have the name 'twice'", 6},
                 {"", "switch_off: [floor]", "there is no spring, load or force 'floor' that could be switched", 7}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[1000];
        phx_model *model = NULL;
        phx_system *system = NULL;
        snprintf(text, sizeof text,
                 "phlexor: 1\ndimension: 2\nbodies: {m: {kind: rigid, mass: 2, inertia: 1}}\n"
                 "springs: {spring: {ports: [ground.O, m.P]}, twice: {ports: [ground.O, m.P]}}\n"
                 "forces: {floor: {kind: contact, ports: [ground.O, m.P], against: plane, normal: [0, 1], restitution: "
                 "1}}\n"
                 "loads: {twice: {at: m.P, force: [8, 0]%s}}\n"
                 "events: {e: {at: 1, %s}}\n",
                 cases[k].more, cases[k].event);
        char line[20];
        snprintf(line, sizeof line, "text.yaml:%d", cases[k].line);
        phx_status status = phx_model_read_text(*state, "text.yaml", text, strlen(text), 0, NULL, &model);
        if (!status)
            status = phx_model_build(*state, model, NULL, &system);
        CHECK_STATUS(*state, status, PHX_ERR_INPUT);
        CHECK_MESSAGE(*state, cases[k].message);
        CHECK_MESSAGE(*state, line);
        phx_model_destroy(model);
    }
}

/* Three conditions in one step: the first is found first, though the last is listed first, and two of one instant both
 * happen. */
static void the_first_comes_first(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -2]\n"
        "bodies: {m: {kind: rigid, mass: 1, inertia: 1, velocity: {linear: [1, 0]}}}\n"
        "springs: {s: {ports: [ground.O, m.P], stiffness: 0, length: 1}}\noutputs: {p: {position: m.P}}\nevents:\n"
        "  last: {output: p.x, rises_to: 0.9, switch_off: [s]}\n"
        "  first: {output: p.x, rises_to: 0.3, switch_off: [s]}\n"
        "  second: {output: p.y, falls_to: -0.36, switch_on: [s]}\n"
        "  with_it: {output: p.x, rises_to: 0.6, switch_on: [s]}\n"
        "simulate: {end: 1, step: 1, every: 1}\n";
    static const double times[] = {0.0, 0.3, 0.6, 0.9, 1.0};
    text_run r = run_text(*state, text, 0.0);
    assert_int_equal(r.report.events, 4);
    assert_int_equal(r.n, 5);
    for (size_t k = 0; k < r.n; k++)
        CHECK_CLOSE(record_at(*state, &r, "t", k), times[k], 1e-12, "row %zu", k);
    phx_result_destroy(r.result);
}

typedef struct progress {
    double done, total;
    int calls, back;
} progress;

static bool follow(void *user, const char *what, double done, double total)
{
    progress *p = user;
    (void)what;
    p->back += done < p->done;
    p->done = done;
    p->total = total;
    p->calls++;
    return true;
}

/* Progress of runs with contacts and with events goes once from 0 to the length of the run, each step counted. */
static void progress_is_of_the_whole_run(void **state)
{
    static const char *const texts[] = {
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: {b: {kind: rigid, mass: 1, inertia: 0.1, pose: {position: [0, 0.5]}, velocity: {linear: [1, 0]}}}\n"
        "forces: {c: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 1], radius: 0.1, restitution: "
        "0.4, friction: {coefficient: 0.2}}}\nsimulate: {end: 2.5, step: 0.001}\n",
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: {a: {kind: rigid, mass: 1, inertia: 1, centre_of_mass: [1, 0]}}\n"
        "joints: {A: {kind: revolute, ports: [ground.O, a.P]}}\noutputs: {A: {coordinate: A}}\n"
        "events: {go: {output: A, falls_to: -0.5, release: [A]}, on: {at: 0.7, attach: [A]}}\n"
        "simulate: {end: 1, step: 0.001}\n"};
    for (int k = 0; k < 2; k++) {
        progress p = {0};
        phx_simulate_options options = phx_simulate_options_default();
        phx_simulate_report report;
        phx_context_set_progress(*state, follow, &p);
        phx_result_destroy(run_with(*state, read_text(*state, texts[k]), &options, &report));
        phx_context_set_progress(*state, NULL, NULL);
        const double length = k == 0 ? 2.5 : 1.0;
        CHECK_CLOSE(p.total, length, 1e-12, "the whole run");
        CHECK_CLOSE(p.done, length, 2e-3 * length, "its end");
        assert_true(p.calls > 100);
        assert_int_equal(p.back, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_are_located, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(progress_is_of_the_whole_run, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(examples_run, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(the_first_comes_first, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(numerical_damping_goes_with_events, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(an_impact_rings_less, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(forces_are_switched, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(switches_are_checked, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(steps_by_hand_have_none, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(wrong_events_are_refused, study_setup, study_teardown)};
    return cmocka_run_group_tests_name("study_events", tests, NULL, NULL);
}
