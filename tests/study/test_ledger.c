/* The power ledger: its entries add up to `supplied` and `dissipated` at every instant, with every integrator, whatever
 * steps are tried again; and each is the work of what it is named after. */
#include "support.h"
#include "results/results.h"

static phx_result *simulate(phx_context *context, const phx_model *model, phx_simulate_options options,
                            phx_simulate_report *report)
{
    phx_result *result = NULL;
    options.h5_path = "a.h5";
    CHECK_OK(context, phx_study_simulate(context, model, &options, report));
    CHECK_OK(context, phx_result_read(context, "a.h5", &result));
    return result;
}

static double column(phx_context *context, const phx_result *result, const char *name, size_t row)
{
    double value = 0.0;
    const int c = phx_result_column_find(result, name);
    if (c < 0)
        fail_msg("no column '%s'", name);
    CHECK_OK(context, phx_result_column(result, c, row, 1, &value));
    return value;
}

static double entry(phx_context *context, const phx_result *result, const char *name, bool dissipates, size_t row)
{
    double value = 0.0;
    for (int k = 0; k < phx_result_ledger(result); k++)
        if (!strcmp(phx_result_ledger_entry(result, k)->name, name) &&
            phx_result_ledger_entry(result, k)->dissipates == dissipates) {
            CHECK_OK(context, phx_result_ledger_values(result, k, row, 1, &value));
            return value;
        }
    fail_msg("no entry '%s'", name);
    return NAN;
}

/* Sums to rounding of the largest entry there has been. */
static void check_sums(phx_context *context, const phx_result *result, const char *what)
{
    double scale = 0.0, moved = 0.0;
    assert_true(phx_result_ledger(result) > 0);
    for (size_t row = 0; row < phx_result_rows(result); row++) {
        double sum[2] = {0.0, 0.0};
        for (int k = 0; k < phx_result_ledger(result); k++) {
            double value = 0.0;
            CHECK_OK(context, phx_result_ledger_values(result, k, row, 1, &value));
            sum[phx_result_ledger_entry(result, k)->dissipates] += value;
            scale = fmax(scale, fabs(value));
        }
        scale = fmax(scale, column(context, result, "kinetic", row));
        CHECK_CLOSE(sum[0], column(context, result, "supplied", row), 2e-13 * scale, "%s: supplied, row %zu", what,
                    row);
        CHECK_CLOSE(sum[1], column(context, result, "dissipated", row), 2e-13 * scale, "%s: dissipated, row %zu", what,
                    row);
        moved = fmax(moved, fabs(sum[0]) + fabs(sum[1]));
    }
    if (!(moved > 1e-6))
        fail_msg("%s: no more than %g J change hands", what, moved);
}

static phx_model_optional number(double value)
{
    return (phx_model_optional){true, value};
}

/* Loads, actuators, springs, dampers, material damping; drives in the crank-slider. */
static void sums_of_every_integrator(void **state)
{
    static const phx_integrator integrators[] = {PHX_MIDPOINT, PHX_GAUSS4, PHX_GAUSS6, PHX_RADAU5, PHX_IDA};
    static const struct {
        const char *model;
        double end, step;
    } runs[] = {{"damped_lever.yaml", 0.2, 1e-3}, {"crank_slider.yaml", 2e-3, 2e-5}, {"spacecraft.yaml", 1.0, 1e-2}};
    phx_context *context = *state;
    for (size_t m = 0; m < sizeof runs / sizeof *runs; m++) {
        phx_model *model = read_example(context, runs[m].model);
        for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
            phx_simulate_options options = {.end = number(runs[m].end),
                                            .step = number(runs[m].step),
                                            .every = number(runs[m].end / 20),
                                            .has_integrator = true,
                                            .integrator = integrators[k]};
            if (integrators[k] == PHX_IDA)
                options.rtol = number(1e-6);
            phx_simulate_report report;
            phx_result *result = simulate(context, model, options, &report);
            char what[100];
            snprintf(what, sizeof what, "%s, %s", runs[m].model, phx_integrator_name(integrators[k]));
            check_sums(context, result, what);
            phx_result_destroy(result);
        }
        phx_model_destroy(model);
    }
}

/* Undamped, for midpoint4, whose substeps go backwards; three drives and a load in one mechanism. */
#define DRIVES                                                                                                         \
    "phlexor: 1\ntitle: a\ndimension: 3\ngravity: [0, 0, -9.81]\n"                                                     \
    "materials: {steel: {density: 7850, young: 2.1e11, poisson: 0.3}}\n"                                               \
    "bodies:\n"                                                                                                        \
    "  base: {kind: rigid, mass: 3, inertia: [0.1, 0.1, 0.2], ports: {top: {position: [0, 0, 0.3]}}}\n"                \
    "  arm: {kind: beam, material: steel, length: 0.8, section: {kind: circle, diameter: 0.02}, elements: 2,\n"        \
    "        reference: cantilever, pose: {position: [0, 0, 0.3]}}\n"                                                  \
    "  hand: {kind: rigid, mass: 1, inertia: [0.01, 0.02, 0.02], pose: {position: [0.8, 0, 0.3]},\n"                   \
    "         ports: {edge: {position: [0, 0.1, 0]}}}\n"                                                               \
    "joints:\n"                                                                                                        \
    "  yaw: {kind: revolute, ports: [ground.O, base.P], axis: [0, 0, 1], speed: \"2*ramp(t, 0, 0.1)\", angle: 0}\n"    \
    "  pitch: {kind: revolute, ports: [base.top, arm.P], axis: [0, 1, 0], speed: \"%s\", angle: 0}\n"                  \
    "  roll: {kind: revolute, ports: [arm.C, hand.P], axis: [1, 0, 0], speed: 3, angle: 0}\n"                          \
    "loads: {push: {force: [1, 2, 3], at: hand.edge}}\n"                                                               \
    "outputs: {edge: {position: hand.edge}}\n"                                                                         \
    "simulate: {end: 0.3, step: %s, every: 0.02, integrator: %s}\n"

static void several_drives(void **state)
{
    static const char *const cases[][3] = {{"-sin(4*t)", "1e-3", "midpoint"},
                                           {"-sin(4*t)", "1e-3", "midpoint4"},
                                           {"-sin(4*t)", "1e-3", "gauss4"},
                                           {"-(t > 0.1051)", "5e-3", "midpoint"}, /* a jump within a step */
                                           {"-20*(t > 0.1051)", "2e-2", "midpoint"} /* steps that are tried again */};
    phx_context *context = *state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[4000];
        snprintf(text, sizeof text, DRIVES, cases[k][0], cases[k][1], cases[k][2]);
        phx_model *model = read_text(context, text);
        phx_simulate_report report;
        phx_result *result = simulate(context, model, phx_simulate_options_default(), &report);
        check_sums(context, result, cases[k][0]);
        if (k + 1 == sizeof cases / sizeof *cases && report.stats.halvings == 0)
            fail_msg("no step was tried again");
        for (size_t row = 0; row < phx_result_rows(result) && k < 2; row++) {
            const double work = 1.0 * (column(context, result, "edge.x", row) - column(context, result, "edge.x", 0)) +
                                2.0 * (column(context, result, "edge.y", row) - column(context, result, "edge.y", 0)) +
                                3.0 * (column(context, result, "edge.z", row) - column(context, result, "edge.z", 0));
            CHECK_CLOSE(entry(context, result, "load.push", false, row), work, 1e-12, "force times way, row %zu", row);
        }
        phx_result_destroy(result);
        phx_model_destroy(model);
    }
}

/* A weight falls on a damper at its terminal speed: what the damper takes is what gravity gives. Two forces. */
static void each_by_itself(void **state)
{
    static const char text[] =
        "phlexor: 1\ntitle: a\ndimension: 2\ngravity: [0, -10]\n"
        "bodies: {block: {kind: rigid, mass: 2, inertia: 0.1, velocity: {linear: [0, -4]},\n"
        "                 ports: {left: {position: [-0.5, 0]}, right: {position: [0.5, 0]}}}}\n"
        "joints: {rail: {kind: prismatic, ports: [ground.O, block.P], axis: [0, 1], damping: 5, effort: 3}}\n"
        "loads: {one: {force: [0, -1], at: block.left}, two: {force: [7, -2], at: block.right}}\n"
        "simulate: {end: 1, step: 1e-2, every: 0.1}\n";
    phx_context *context = *state;
    phx_model *model = read_text(context, text);
    phx_simulate_report report;
    phx_result *result = simulate(context, model, phx_simulate_options_default(), &report);

    check_sums(context, result, "a block on a rail");
    for (size_t row = 0; row < phx_result_rows(result); row++) { /* 20 + 1 + 2 - 3 = 5 * 4: 4 m/s for good */
        const double way = 4.0 * column(context, result, "t", row);
        CHECK_CLOSE(entry(context, result, "load.one", false, row), 1.0 * way, 1e-12, "one, row %zu", row);
        CHECK_CLOSE(entry(context, result, "load.two", false, row), 2.0 * way, 1e-12, "two, row %zu", row);
        CHECK_CLOSE(entry(context, result, "joint.rail", false, row), -3.0 * way, 1e-12, "actuator, row %zu", row);
        CHECK_CLOSE(entry(context, result, "joint.rail", true, row), 20.0 * way, 1e-11, "damper, row %zu", row);
    }
    assert_int_equal(phx_result_ledger(result), 4);
    phx_result_destroy(result);
    phx_model_destroy(model);
}

/* Nothing supplies or takes: no ledger. */
static void lossless_alone(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_example(context, "double_pendulum.yaml");
    const phx_simulate_options options = {.end = number(0.05)};
    phx_simulate_report report;
    phx_result *result = simulate(context, model, options, &report);
    assert_int_equal(phx_result_ledger(result), 0);
    phx_result_destroy(result);
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sums_of_every_integrator, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(several_drives, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(each_by_itself, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(lossless_alone, study_setup, study_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
