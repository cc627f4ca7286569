/* Bodies with geometric stiffening that are heated and held: they buckle, bow out, and take what heating supplies. */
#include "support.h"
#include "results/results.h"

#include <math.h>

/* A strip and a bar that expand along x alone, held between walls, P = E A alpha T: 4 pi^2 EI/L^2 and, antisymmetric,
 * 2.04575 of it. */
#define ALONG_X(young, expansion)                                                                                      \
    "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 2700, orthotropic: {young: [" young ", " young ", " young      \
    "], poisson: [0, 0, 0], "                                                                                          \
    "shear: [3.5e10, 3.5e10, 3.5e10], expansion: [" expansion ", 0, 0]}}}\n"
#define STRIP                                                                                                          \
    ALONG_X("7e10", "2.3e-5")                                                                                          \
    "ground: {ports: {A: {position: [0, 0.05, 0]}, B: {position: [1, 0.05, 0]}}}\n"                                    \
    "bodies: {strip: {kind: plate, material: m, thickness: 0.005, mesh: {size: [1, 0.1], elements: [16, 2]}, "         \
    "stiffening: true, ports: {P: {on: x0}, C: {on: x1}}}}\n"                                                          \
    "joints: {a: {kind: weld, ports: [ground.A, strip.P]}, b: {kind: weld, ports: [ground.B, strip.C]}}\n"
static const double strip_thickness = 0.005, strip_expansion = 2.3e-5;

static phx_study_static_report rest(phx_context *context, const char *text, int buckling, phx_result **result)
{
    phx_study_static_options options = phx_study_static_options_default();
    phx_study_static_report report;
    phx_model *model = read_text(context, text);

    options.buckling = buckling;
    options.stable = true;
    CHECK_OK(context, phx_study_static(context, model, &options, &report, result));
    phx_model_destroy(model);
    return report;
}

static void held_expansion_buckles(void **state)
{
    const char *bar = ALONG_X(
        "7e10",
        "1e-5") "ground: {ports: {A: {position: [0, 0.02, 0.005]}, B: {position: [1, 0.02, 0.005]}}}\n"
                "bodies: {bar: {kind: solid, material: m, mesh: {size: [1, 0.04, 0.01], elements: [16, 1, 1], cells: "
                "hex20}, "
                "stiffening: true, basis: {modes: 6}, ports: {P: {on: x0}, C: {on: x1}}}}\n"
                "joints: {a: {kind: weld, ports: [ground.A, bar.P]}, b: {kind: weld, ports: [ground.B, bar.C]}}\n"
                "loads: {heat: {temperature: 1, on: bar}}\n";
    const double strip = pow(TEST_PI * strip_thickness, 2.0) / (3.0 * strip_expansion),
                 thick = pow(TEST_PI * 0.01, 2.0) / (3.0 * 1e-5);

    phx_study_static_report report = rest(*state, STRIP "loads: {heat: {temperature: 1, on: strip}}\n", 2, NULL);
    assert_int_equal(report.n_critical, 2);
    assert_false(report.critical[0].limit);
    CHECK_RELATIVE(report.critical[0].factor, strip, 1e-4, "strip");
    CHECK_RELATIVE(report.critical[1].factor, 2.04575 * strip, 1e-3, "strip, second");
    report = rest(*state, bar, 1, NULL);
    assert_int_equal(report.n_critical, 1);
    CHECK_RELATIVE(report.critical[0].factor, thick, 1.2e-2, "bar of 16 elements");
}

/* Beyond it the shortening of the bow takes the rest of the expansion: w = 2/pi sqrt(alpha (T - T_cr)) L. */
static void held_expansion_bows_out(void **state)
{
    const double critical = pow(TEST_PI * strip_thickness, 2.0) / (3.0 * strip_expansion);
    phx_result *result = NULL;

    const phx_study_static_report report =
        rest(*state,
             STRIP "loads: {heat: {temperature: 7, on: strip}, side: {pressure: 0.01, on: strip}}\n"
                   "outputs: {w: {deformation: strip@26}}\n",
             0, &result);
    assert_int_equal(report.found.unstable, 0);
    CHECK_RELATIVE(fabs(result_value(*state, result, "w.z", phx_result_rows(result) - 1)),
                   2.0 / TEST_PI * sqrt(strip_expansion * (7.0 - critical)), 2e-3, "bow");
    phx_result_destroy(result);
}

/* The temperature rises through the critical one within a vibration: energy balances, by both evaluators. */
static void heating_supplies_what_the_strip_takes(void **state)
{
    const char *text = STRIP "loads: {heat: {temperature: 8*t/0.02, on: strip}, side: {pressure: 50, on: strip}}\n"
                             "outputs: {w: {deformation: strip@26}}\n"
                             "simulate: {end: 0.02, step: 1e-4}\n";
    double w[2];

    for (int plain = 0; plain < 2; plain++) {
        phx_simulate_options options = phx_simulate_options_default();
        phx_simulate_report report;
        phx_result *result = NULL;
        phx_model *model = read_text(*state, text);
        options.backend = plain ? PHX_BACKEND_PLAIN : PHX_BACKEND_FAST;
        CHECK_OK(*state, phx_study_simulate_result(*state, model, &options, &report, &result));
        CHECK_BELOW(report.largest_residual, 1e-12 * report.largest_energy, "balance of energy");
        w[plain] = result_value(*state, result, "w.z", phx_result_rows(result) - 1);
        phx_result_destroy(result);
        phx_model_destroy(model);
    }
    assert_true(w[0] > 1e-3);
    CHECK_CLOSE(w[1], w[0], 1e-12, "both evaluators");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(held_expansion_buckles, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(held_expansion_bows_out, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(heating_supplies_what_the_strip_takes, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
