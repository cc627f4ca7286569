/* Whole analyses with one of their allocations failing: a lack of memory anywhere ends the analysis with
 * PHX_ERR_MEMORY and a message that says so. It is never taken for a matrix that is singular, an iteration that does
 * not converge or a model that is wrong, and nothing is computed in another way because of it. */
#include "support.h"
#include "base/base.h"

typedef struct analysis {
    const char *example;
    phx_integrator integrator;
    double end; /* of a simulation, s */
    phx_status (*run)(phx_context *context, const phx_model *model, const struct analysis *analysis);
} analysis;

static phx_status simulate(phx_context *context, const phx_model *model, const analysis *a)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;
    options.end = (phx_model_optional){true, a->end};
    options.step = (phx_model_optional){true, a->end / 4.0};
    options.has_integrator = true;
    options.integrator = a->integrator;
    if (a->integrator == PHX_IDA || a->integrator == PHX_RADAU5)
        options.rtol = (phx_model_optional){true, 1e-4};
    phx_status status = phx_study_simulate_result(context, model, &options, &report, &result);
    phx_result_destroy(result);
    return status;
}

static phx_status inverse(phx_context *context, const phx_model *model, const analysis *a)
{
    phx_simulate_report report;
    phx_result *table = NULL;
    phx_simulate_options options = phx_simulate_options_default();
    options.end = (phx_model_optional){true, a->end};
    options.step = options.every = (phx_model_optional){true, a->end / 4.0};
    options.csv_path = "efforts.csv";
    const phx_status status = phx_study_inverse(context, model, &options, &report, &table);
    phx_result_destroy(table);
    return status;
}

static phx_status stable_inverse(phx_context *context, const phx_model *model, const analysis *a)
{
    phx_stable_inverse_report report;
    phx_result *table = NULL;
    phx_simulate_options options = phx_simulate_options_default();
    (void)a;
    options.csv_path = "efforts.csv";
    const phx_status status = phx_study_stable_inverse(context, model, &options, &report, &table);
    phx_result_destroy(table);
    return status;
}

static phx_status modes(phx_context *context, const phx_model *model, const analysis *a)
{
    (void)a;
    phx_sweep *sweep = NULL;
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_modes_table table = {0};
    phx_status status = phx_sweep_create(context, &sweep); /* one point */
    options.sweep = sweep;
    options.with_shapes = true;
    if (!status)
        status = phx_study_modes(context, model, &options, &table, NULL);
    phx_modes_free(&table);
    phx_sweep_destroy(sweep);
    return status;
}

static phx_status check(phx_context *context, const phx_model *model, const analysis *a)
{
    (void)a;
    phx_check_report report = {0};
    phx_status status = phx_study_check(context, model, &report);
    phx_check_report_free(&report);
    return status;
}

static phx_status linearize(phx_context *context, const phx_model *model, const analysis *a)
{
    (void)a;
    phx_linear_report report = {0};
    phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_status status = phx_study_linearize(context, model, &options, &report);
    phx_linear_report_free(&report);
    return status;
}

static phx_status titop(phx_context *context, const phx_model *model, const analysis *a)
{
    (void)a;
    phx_linear_report report = {0};
    phx_study_titop_options options = phx_study_titop_options_default();
    options.body = model->bodies[0].name;
    phx_status status = phx_study_titop(context, model, &options, &report);
    phx_linear_report_free(&report);
    return status;
}

static phx_status view(phx_context *context, const phx_model *model, const analysis *a)
{
    (void)a;
    return phx_study_view(context, model, NULL, "view.html", NULL);
}

static phx_status statics(phx_context *context, const phx_model *model, const analysis *a)
{
    phx_study_static_options options = phx_study_static_options_default();
    phx_study_static_report report;
    phx_result *result = NULL;
    options.path = a->end > 0.0;
    options.points = 5;
    options.buckling = options.path ? 0 : 2;
    const phx_status status = phx_study_static(context, model, &options, &report, &result);
    phx_result_destroy(result);
    return status;
}

/* Model and analysis with the n-th allocation failing; negative: none. */
static phx_status run(phx_context *context, const analysis *a, long n)
{
    char path[300];
    phx_model *model = NULL;
    snprintf(path, sizeof path, PHX_SOURCE_DIR "/examples/%s", a->example);
    phx_context_fail_allocation(context, n);
    phx_status status = phx_model_read(context, path, 0, NULL, &model);
    if (!status)
        status = a->run(context, model, a);
    phx_context_fail_allocation(context, -1);
    phx_model_destroy(model);
    return status;
}

static void failing_allocations(phx_context *context, const analysis *a, long trials)
{
    CHECK_OK(context, run(context, a, -1)); /* what it writes is there from now on */
    const size_t before = phx_context_allocations(context);
    CHECK_OK(context, run(context, a, -1));
    const long count = (long)(phx_context_allocations(context) - before);
    const long stride = count > trials ? count / trials : 1;
    for (long n = 0; n < count; n += stride) {
        phx_status status = run(context, a, n);
        if (status != PHX_ERR_MEMORY || !strstr(phx_context_message(context), "memory"))
            fail_msg("%s: allocation %ld of %ld fails: status %d, %s", a->example, n, count, (int)status,
                     phx_context_message(context));
    }
}

static void every_allocation_may_fail(void **state)
{
    static const analysis analyses[] = {
        {"four_bar.yaml", PHX_MIDPOINT, 1e-3, simulate},
        {"crank_slider.yaml", PHX_MIDPOINT4, 1e-3, simulate},
        {"crank_slider.yaml", PHX_GAUSS4, 1e-3, simulate},
        {"hinged_pair.yaml", PHX_GAUSS6, 1e-3, simulate},
        {"crank_slider.yaml", PHX_RADAU5, 1e-3, simulate},
        {"hinged_pair.yaml", PHX_IDA, 1e-3, simulate},
        {"heavy_top.yaml", PHX_DOP853, 1e-2, simulate},
        {"spatial_slider_crank.yaml", PHX_MIDPOINT, 1e-2, simulate},
        {"modal_appendage.yaml", PHX_MIDPOINT, 1e-2, simulate},
        {"bennett.yaml", PHX_MIDPOINT, 1e-3, simulate},
        {"four_bar.yaml", 0, 0.0, modes},
        {"overhung_disc.yaml", 0, 0.0, modes},
        {"satellite.yaml", 0, 0.0, modes},
        {"bennett.yaml", 0, 0.0, check},
        {"spacecraft.yaml", 0, 0.0, check},
        {"crank_slider.yaml", 0, 0.0, linearize},
        {"spacecraft.yaml", 0, 0.0, linearize},
        {"four_bar.yaml", 0, 0.0, titop},
        {"crank_slider.yaml", 0, 0.0, view},
        {"arm_digital.yaml", PHX_MIDPOINT, 1e-3, simulate},
        {"desk_lamp.yaml", 0, 0.0, statics},
        {"shallow_arch.yaml", 0, 1.0, statics},
        {"arm_path.yaml", PHX_MIDPOINT, 1e-2, inverse},
        {"arm_tip.yaml", 0, 0.0, stable_inverse},
        {"arm_pd.yaml", 0, 0.0, modes},
        {"arm_pd.yaml", 0, 0.0, linearize},
        {"arm_pd.yaml", 0, 0.0, check},
    };
    const char *wanted = getenv("PHLEXOR_TRIALS"); /* of each analysis; many find what the few of a test run miss */
    const char *only = getenv("PHLEXOR_ANALYSIS");
    const long trials = wanted ? atol(wanted) : TEST_LONG(20);
    for (int k = 0; k < (int)(sizeof analyses / sizeof *analyses); k++)
        if (!only || atoi(only) == k)
            failing_allocations(*state, &analyses[k], trials);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, study_setup, study_teardown),
    };
    return cmocka_run_group_tests_name("study_no_memory", tests, NULL, NULL);
}
