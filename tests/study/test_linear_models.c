/* Linear models of a model: every allocation may fail, and what the report says is what the bundle has. */
#include "support.h"
#include "base/base.h"
#include "statespace/statespace.h"

static phx_status titop(phx_context *context, const phx_model *model, phx_linear_report *report)
{
    static const char *const inverted[] = {"beam.C.fy", "beam.P.alpha"}, *const inputs[] = {"beam.C.tz"};
    phx_study_titop_options options = phx_study_titop_options_default();
    options.body = "beam";
    options.inverted = inverted;
    options.n_inverted = 2;
    options.inputs = inputs;
    options.n_inputs = 1;
    return phx_study_titop(context, model, &options, report);
}

static phx_status linearize(phx_context *context, const phx_model *model, phx_linear_form form,
                            phx_linear_report *report)
{
    phx_study_linearize_options options = phx_study_linearize_options_default();
    options.form = form;
    return phx_study_linearize(context, model, &options, report);
}

static phx_status reduced(phx_context *context, const phx_model *model, phx_linear_report *report)
{
    const phx_reduction_options how = {.method = PHX_REDUCE_IRKA, .order = 2};
    phx_study_linearize_options options = phx_study_linearize_options_default();
    options.reduction = &how;
    return phx_study_linearize(context, model, &options, report);
}

static phx_status make(phx_context *context, const phx_model *model, int which, phx_linear_report *report)
{
    static const phx_linear_form forms[] = {PHX_FORM_STATE_SPACE, PHX_FORM_SECOND_ORDER, PHX_FORM_DESCRIPTOR};
    if (which == 4)
        return reduced(context, model, report);
    return which == 3 ? titop(context, model, report) : linearize(context, model, forms[which], report);
}

static void test_every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_hinged_beam(context, true, true);
    for (int which = 0; which < 5; which++) {
        phx_status status = PHX_ERR_MEMORY;
        long n = 0;
        for (; status != PHX_OK; n += 1 + n / 16) {
            phx_linear_report report;
            phx_context_fail_allocation(context, n);
            status = make(context, model, which, &report);
            phx_context_fail_allocation(context, -1);
            if (status != PHX_OK && status != PHX_ERR_MEMORY)
                fail_msg("model %d, allocation %ld: status %d: %s", which, n, (int)status,
                         phx_context_message(context));
            if (status)
                assert_null(report.bundle);
            phx_linear_report_free(&report);
            assert_true(n < 100000);
        }
        assert_true(n > 50);
    }
    phx_model_destroy(model);
}

/* The numbers of the report are those of the bundle, and the static answer is the one known by hand. */
static void test_report_and_bundle_agree(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_hinged_beam(context, true, true);
    phx_linear_report report;
    for (int which = 0; which < 4; which++) {
        CHECK_OK(context, make(context, model, which, &report));
        assert_non_null(report.dc_gain);
        const phx_bundle_item *gain = phx_bundle_find(report.bundle, "dc_gain");
        assert_non_null(gain);
        assert_int_equal(gain->rows, phx_ss_outputs(report.system));
        assert_memory_equal(gain->re, report.dc_gain, (size_t)(gain->rows * gain->cols) * sizeof(double));
        for (int k = 0; k < report.n_residuals; k++)
            assert_true(phx_bundle_find(report.bundle, report.residuals[k].name)->number == report.residuals[k].value);
        assert_string_equal(phx_bundle_find(report.bundle, "model")->text, model->text);
        if (which < 3) /* a force at the tip against the hinge's spring and the beam: l^2/k + l^3/(3 EI) */
            CHECK_CLOSE(report.dc_gain[phx_ss_inputs(report.system) + 1], 0.5 + 1.0 / 3.0, 1e-9, "model %d", which);
        phx_linear_report_free(&report);
    }
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_report_and_bundle_agree, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
