/* A fixed number of Newton corrections, and wall times, of whole simulations: a flexible crank-slider. */
#include "support.h"
#include "results/results.h"

#include <phlexor/results.h>

#include <math.h>

/* Two elements of a soft coupler, so that steps of 10 us resolve all it does. */
static const char crank_slider[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "materials: {soft: {density: 7870, young: 2e8}}\n"
    "bodies:\n"
    "  crank: {kind: rigid, mass: 0.1, inertia: 1e-4, centre_of_mass: [0.075, 0], ports: {C: {position: [0.15, 0]}}}\n"
    "  coupler: {kind: beam, material: soft, length: 0.3, section: {kind: circle, diameter: 0.02}, elements: 2,\n"
    "            reference: simply_supported, pose: {position: [0.15, 0]}}\n"
    "  slider: {kind: rigid, mass: 0.033, inertia: 1e-6, pose: {position: [0.45, 0]}}\n"
    "joints:\n"
    "  motor: {kind: revolute, ports: [ground.O, crank.P], angle: 0, speed: 60}\n"
    "  knee: {kind: revolute, ports: [crank.C, coupler.P]}\n"
    "  wrist: {kind: revolute, ports: [coupler.C, slider.P]}\n"
    "  guide: {kind: prismatic, ports: [ground.O, slider.P], axis: [1, 0]}\n"
    "outputs: {mid: {deformation: coupler@0.5}}\n";

typedef struct made {
    phx_simulate_report report;
    phx_result *result;
} made;

static phx_simulate_options options_of(int iterations, double step, double end)
{
    phx_simulate_options options = phx_simulate_options_default();
    options.end = (phx_model_optional){true, end};
    options.step = (phx_model_optional){true, step};
    options.iterations = iterations;
    return options;
}

static phx_model *read_crank_slider(phx_context *context, const char *more)
{
    char text[4000];
    const int size = snprintf(text, sizeof text, "%s%s", crank_slider, more);
    assert_in_range(size, 1, sizeof text - 1);
    return read_text(context, text);
}

static made simulate(phx_context *context, const phx_model *model, const phx_simulate_options *options)
{
    made m = {.result = NULL};
    CHECK_OK(context, phx_study_simulate_result(context, model, options, &m.report, &m.result));
    return m;
}

static double last_of(phx_context *context, const made *m, const char *name)
{
    return result_value(context, m->result, name, m->report.rows - 1);
}

/* NAN: there is none. */
static double number_of(const made *m, const char *name)
{
    for (int k = 0; k < phx_result_attributes(m->result); k++)
        if (!strcmp(phx_result_attribute(m->result, k)->name, name))
            return phx_result_attribute(m->result, k)->number;
    return NAN;
}

static void test_order(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_crank_slider(context, "");
    double value[4];
    for (int k = 0; k < 4; k++) {
        const phx_simulate_options options = options_of(1, 8e-5 / (1 << k), 0.02);
        const made m = simulate(context, model, &options);
        const phx_integrate_stats *stats = &m.report.stats;
        value[k] = last_of(context, &m, "mid.y");
        print_message("step %.3g s: deflection %.9g m; %ld of %ld steps unsettled, left %.2g, energy left %.2g J, "
                      "balance %.2g J of %.2g J, gap %.2g m\n",
                      options.step.value, value[k], stats->unsettled, stats->steps, stats->correction_left,
                      stats->energy_left, m.report.largest_residual, m.report.largest_energy, m.report.largest_drift);
        CHECK_BELOW(m.report.largest_residual, stats->energy_left + 1e-12 * m.report.largest_energy, "balance");
        assert_int_equal(stats->newton_iterations, stats->steps);
        phx_result_destroy(m.result);
    }
    CHECK_CLOSE(log2(fabs((value[1] - value[2]) / (value[2] - value[3]))), 2.0, 0.1, "order");
    phx_model_destroy(model);
}

static void test_many_are_all(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_crank_slider(context, "simulate: {end: 0.05, step: 1e-4, iterations: 10}\n");
    phx_simulate_options options = phx_simulate_options_default();
    const made many = simulate(context, model, &options);
    phx_model_destroy(model);
    model = read_crank_slider(context, "simulate: {end: 0.05, step: 1e-4}\n");
    const made all = simulate(context, model, &options);
    CHECK_CLOSE(last_of(context, &many, "mid.y"), last_of(context, &all, "mid.y"), 1e-14, "deflection");
    CHECK_CLOSE(number_of(&many, "iterations"), 10.0, 0.0, "iterations");
    CHECK_CLOSE(number_of(&many, "unsettled_steps"), 0.0, 0.0, "unsettled");
    CHECK_CLOSE(number_of(&many, "energy_left"), many.report.stats.energy_left, 0.0, "energy left");
    assert_true(isnan(number_of(&all, "iterations")) && isnan(number_of(&all, "step_time_worst")));
    phx_result_destroy(many.result);
    phx_result_destroy(all.result);
    phx_model_destroy(model);
}

static void test_times(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_crank_slider(context, "");
    phx_simulate_options options = options_of(2, 1e-4, 0.02);
    options.real_time = true;
    const made m = simulate(context, model, &options);
    const phx_step_times *times = &m.report.stats.times;
    assert_int_equal(times->steps, m.report.stats.steps);
    assert_true(times->median > 0.0 && times->median <= times->percent99 && times->percent99 <= times->worst);
    assert_true((double)times->steps * times->median <= 2.03 * m.report.stats.wall_seconds);
    CHECK_CLOSE(number_of(&m, "step_time_median"), times->median, 0.0, "median");
    CHECK_CLOSE(number_of(&m, "step_time_99"), times->percent99, 0.0, "99 %%");
    CHECK_CLOSE(number_of(&m, "step_time_worst"), times->worst, 0.0, "worst");
    CHECK_CLOSE(number_of(&m, "deadline_misses"), (double)times->misses, 0.0, "misses");
    phx_result_destroy(m.result);
    phx_model_destroy(model);
}

static void refuse(phx_context *context, const char *more, const phx_simulate_options *options, const char *words)
{
    phx_model *model = read_crank_slider(context, more);
    phx_simulate_report report;
    if (phx_study_simulate(context, model, options, &report) == PHX_OK)
        fail_msg("not refused: %s", words);
    if (!strstr(phx_context_message(context), words))
        fail_msg("'%s' is not in '%s'", words, phx_context_message(context));
    phx_model_destroy(model);
}

static void test_refusals(void **state)
{
    phx_context *context = *state;
    phx_simulate_options options = options_of(1, 1e-4, 0.02);
    options.every = (phx_model_optional){true, 1.5e-4};
    refuse(context, "", &options, "'every': 0.00015 s is not a multiple of the 0.0001 s of the equal steps");
    options.every.value = 2e-4;
    options.rtol = (phx_model_optional){true, 1e-4};
    refuse(context, "", &options, "steps chosen by rtol");
    options = options_of(1, 1e-4, 0.02);
    refuse(context, "events: {late: {at: 0.01, drive_off: [motor]}}\n", &options, "divide steps");
    options.accuracy = (phx_model_optional){true, 1e-3};
    refuse(context, "", &options, "cannot be combined with an accuracy");
    options = options_of(0, 1e-4, 0.02);
    options.real_time = true;
    options.integrator = PHX_IDA;
    options.has_integrator = true;
    refuse(context, "", &options, "real time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_many_are_all, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_times, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_refusals, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
