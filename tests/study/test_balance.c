/* Invariants of a run and its messages: the balance of energy of stiff beams at steps that are far too long for them,
 * the stop and the warnings of a run that does not keep it, and states that do not depend on when they are recorded. */
#include "support.h"
#include "results/results.h"
#include "integrate/integrate.h"

#include <stdlib.h>

/* Two beams on hinges, released at rest; `more` goes on after the bodies. */
static phx_model *pendulum(phx_context *context, double EA, double length, const char *body, const char *more)
{
    static const char *text =
        "phlexor: 1\ntitle: a\ndimension: 2\ngravity: [0, -9.81]\nparameters: {EA: %.17g, L: %.17g}\n"
        "materials: {light: {density: 1000, young: EA/1e-3}}\n"
        "bodies:\n"
        "  upper: {kind: beam, material: light, length: L, elements: 2, reference: simply_supported%s,\n"
        "          section: {kind: general, area: 1e-3, inertia: 4e-7}}\n"
        "  lower: {kind: beam, material: light, length: L, elements: 2, reference: simply_supported%s,\n"
        "          section: {kind: general, area: 1e-3, inertia: 4e-7}, pose: {position: [L, 0]}}\n"
        "joints:\n"
        "  elbow: {kind: revolute, ports: [upper.C, lower.P]}\n%s"
        "simulate: {end: 1, step: 1}\n";
    char full[2000];
    phx_model *model = NULL;
    snprintf(full, sizeof full, text, EA, length, body, body, more);
    CHECK_OK(context, phx_model_read_text(context, "text.yaml", full, strlen(full), 0, NULL, &model));
    return model;
}

static const char *const FALLING = "  shoulder: {kind: revolute, ports: [ground.O, upper.P]}\n";
static const char *const LOADED = "  shoulder: {kind: revolute, ports: [ground.O, upper.P], damping: 0.05,\n"
                                  "             effort: 3*sin(20*t)}\n"
                                  "loads: {tip: {force: [\"3*sin(7*t)\", \"0\"], at: lower.C}}\n";

static phx_model_optional number(double value)
{
    return (phx_model_optional){true, value};
}

static phx_simulate_options options_of(phx_integrator integrator, double step, double end)
{
    return (phx_simulate_options){
        .end = number(end), .step = number(step), .has_integrator = true, .integrator = integrator};
}

/* Either to rounding or not at all. */
static void check_exact(phx_context *context, const phx_model *model, phx_integrator integrator, double step,
                        double end, const char *what)
{
    const phx_simulate_options options = options_of(integrator, step, end);
    phx_simulate_report report;
    CHECK_OK(context, phx_study_simulate(context, model, &options, &report));
    CHECK_SMALL(report.largest_residual / report.largest_energy, 1e-9, "%s, %s, step %g", what,
                phx_integrator_name(integrator), step);
    CHECK_SMALL(report.largest_drift, 1e-12, "gap of %s, %s, step %g", what, phx_integrator_name(integrator), step);
}

/* A shaft at constant speed whose load varies: its velocities are right before the iteration begins, the torque of the
 * drive is not. */
static void driven_shaft_with_a_load(void **state)
{
    phx_context *context = *state;
    static const char text[] = "phlexor: 1\ndimension: 2\n"
                               "bodies: {shaft: {kind: rigid, mass: 1, inertia: 1}}\n"
                               "joints: {motor: {kind: revolute, ports: [ground.O, shaft.P], speed: 1}}\n"
                               "loads: {brake: {torque: \"sin(t)\", at: shaft.P}}\n"
                               "simulate: {end: 1, step: 0.1}\n";
    phx_model *model = read_text(context, text);
    for (int k = 0; k < 3; k++) {
        const phx_simulate_options options = options_of(PHX_MIDPOINT, 0.1 / (1 << k), 10.0);
        phx_simulate_report report;
        CHECK_OK(context, phx_study_simulate(context, model, &options, &report));
        CHECK_SMALL(report.largest_residual, 1e-12, "balance, step %g", options.step.value);
    }
    phx_model_destroy(model);
}

static void stiff_beams_at_long_steps(void **state)
{
    static const struct {
        double EA, length, step, end;
    } runs[] = {{1e12, 1, 1, 10},  {1e13, 1, 0.5, 10},   {1e13, 1, 0.7, 10}, {1e13, 1, 0.3, 10},  {1e14, 1, 1, 50},
                {1e2, 1, 0.1, 10}, {1e6, 1e-4, 1e-2, 1}, {1e10, 1, 0.1, 10}, {1e8, 1, 1e-4, 0.01}};
    phx_context *context = *state;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        phx_model *model = pendulum(context, runs[k].EA, runs[k].length, "", FALLING);
        check_exact(context, model, PHX_MIDPOINT, runs[k].step, runs[k].end, "falling");
        if (runs[k].length == 1.0)
            check_exact(context, model, PHX_MIDPOINT4, runs[k].step, fmin(runs[k].end, 5.0), "falling");
        phx_model_destroy(model);
    }
    for (double EA = 1e4; EA < 1e14; EA *= 1e3) {
        phx_model *model = pendulum(context, EA, 1.0, ", damping: {stiffness: 1e-5}", LOADED);
        for (double step = 0.01; step < 1.0; step *= 5.0)
            check_exact(context, model, PHX_MIDPOINT, step, 100.0 * step, "loaded and damped");
        phx_model_destroy(model);
    }
}

/* A load pushes a mass against a spring, recorded where it has come back: there all energies are zero, and the balance
 * is compared with what the steps between have exchanged. The same in the run with events, of which there is none. */
static void turning_points(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nparameters: {h: 2*tan(pi/100)/10}\nground: {ports: {W: {position: [-1, 0]}}}\n"
        "bodies: {b: {kind: rigid, mass: 1, inertia: 1}}\n"
        "joints: {j: {kind: prismatic, ports: [ground.O, b.P], axis: [1, 0], stiffness: 100, rest: 0}}\n"
        "loads: {f: {force: [1, 0], at: b.P}}\nsimulate: {end: 5000*h, step: h, every: 100*h}\n";
    static const char wall[] = "forces: {wall: {kind: contact, ports: [ground.W, b.P], against: plane, normal: [1, 0],"
                               " restitution: 0}}\n";
    for (int i = 0; i < 2; i++) {
        char made[1000];
        snprintf(made, sizeof made, "%s%s", text, i ? wall : "");
        text_run r = run_text(*state, made, 0.0);
        assert_int_equal(r.n, 51);
        for (size_t k = 0; k < r.n; k++) {
            CHECK_SMALL(record_at(*state, &r, "kinetic", k), 1e-20, "kinetic energy, row %zu", k);
            CHECK_SMALL(record_at(*state, &r, "supplied", k), 1e-15, "work of the load, row %zu", k);
        }
        CHECK_CLOSE(r.report.stats.largest_kinetic, 0.5 * 100.0 * 0.01 * 0.01, 1e-5, "kinetic energy in the middle");
        phx_result_destroy(r.result);
    }
}

/* ---- what is said ---- */
static void count_warnings(void *user, phx_log_level level, const char *message)
{
    if (level == PHX_LOG_WARNING && strstr(message, "energy balance"))
        ++*(int *)user;
}

/* Warnings of a run that ends well. */
static int warnings(phx_context *context, const phx_model *model, const phx_simulate_options *options)
{
    phx_simulate_report report;
    int count = 0;
    phx_context_set_log(context, count_warnings, &count);
    CHECK_OK(context, phx_study_simulate(context, model, options, &report));
    phx_context_set_log(context, NULL, NULL);
    return count;
}

static void losses_are_told(void **state)
{
    phx_context *context = *state;
    phx_model *model = pendulum(context, 1e4, 1.0, "", FALLING);
    phx_simulate_options options = options_of(PHX_GAUSS4, 0.03, 3.0);
    assert_int_equal(warnings(context, model, &options), 1);
    options.integrator = PHX_RADAU5;
    assert_int_equal(warnings(context, model, &options), 1);
    options.integrator = PHX_MIDPOINT;
    assert_int_equal(warnings(context, model, &options), 0);
    options = options_of(PHX_GAUSS6, 1e-3, 0.1);
    assert_int_equal(warnings(context, model, &options), 0);
    phx_model_destroy(model);

    model = pendulum(context, 1e5, 1.0, ", kinetics: simplified", FALLING);
    options = options_of(PHX_MIDPOINT, 0.01, 2.0);
    assert_int_equal(warnings(context, model, &options), 1);
    phx_model_destroy(model);
}

/* ---- when it is recorded ---- */
static phx_result *record(phx_context *context, const phx_model *model, const phx_simulate_options *options)
{
    phx_simulate_report report;
    phx_result *result = NULL;
    CHECK_OK(context, phx_study_simulate_result(context, model, options, &report, &result));
    return result;
}

static double entry(phx_context *context, const phx_result *result, int column, size_t row)
{
    double value = 0.0;
    CHECK_OK(context, phx_result_column(result, column, row, 1, &value));
    return value;
}

/* Rows of the same instant are the same bits; how many there are. */
static int common_rows(phx_context *context, const phx_result *a, const phx_result *b, const char *what)
{
    static const int columns = 10;
    int common = 0;
    for (size_t i = 0, k = 0; i < phx_result_rows(a) && k < phx_result_rows(b);) {
        const double t = entry(context, a, 0, i), other = entry(context, b, 0, k);
        if (t == other) {
            for (int c = 1; c < columns; c++) {
                const double x = entry(context, a, c, i), y = entry(context, b, c, k);
                if (memcmp(&x, &y, sizeof x) != 0)
                    fail_msg("%s, t = %.17g: column %d is %.17g and %.17g", what, t, c, x, y);
            }
            common++;
        } else if (fabs(t - other) < 1e-9) {
            fail_msg("%s: instants %.17g and %.17g", what, t, other);
        }
        i += t <= other;
        k += t >= other;
    }
    return common;
}

static void states_do_not_depend_on_the_output(void **state)
{
    static const double every[] = {0.05, 0.025, 0.25, 0.004, 0.01, 0.0};
    const double end = TEST_SHORTER(0.5, 0.1);
    const size_t n_every = TEST_SHORTER(sizeof every / sizeof *every, 2);
    phx_context *context = *state;
    phx_model *models[] = {pendulum(context, 1e6, 1.0, "", FALLING), read_example(context, "damped_lever.yaml")};
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < PHX_INTEGRATORS; k++)
            for (int chooses = 0; chooses < (phx_integrator_get((phx_integrator)k)->chooses ? 2 : 1); chooses++) {
                phx_simulate_options options = options_of((phx_integrator)k, m == 0 ? 0.01 : 0.005, end);
                if ((k == PHX_MIDPOINT4 && m == 1) || (k == PHX_IDA && !chooses) || k == PHX_DOP853)
                    continue; /* refused: losses, equal steps, beams */
                options.rtol = chooses ? number(1e-4) : options.rtol;
                options.every = number(0.01);
                phx_result *fine = record(context, models[m], &options);
                for (size_t e = 0; e < n_every; e++) {
                    options.every = every[e] > 0.0 ? number(every[e]) : (phx_model_optional){0};
                    if (m == 1 && every[e] == 0.0)
                        continue; /* the example has its own */
                    phx_result *other = record(context, models[m], &options);
                    char what[100];
                    snprintf(what, sizeof what, "%s, model %d, chosen steps %d, every %g",
                             phx_integrator_name((phx_integrator)k), m, chooses, every[e]);
                    const int common = common_rows(context, fine, other, what);
                    if (every[e] > 0.0 || !chooses)
                        assert_true(common >= 3);
                    phx_result_destroy(other);
                }
                phx_result_destroy(fine);
            }
    phx_model_destroy(models[0]);
    phx_model_destroy(models[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(driven_shaft_with_a_load, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(stiff_beams_at_long_steps, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(turning_points, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(losses_are_told, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(states_do_not_depend_on_the_output, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
