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

/* A drive against a spring beside a slide that nothing holds: what the drive moves does not move the slide, and what is
 * free is free, though its stiffness is the rounding of the spring's. */
static void test_drive_beside_a_free_motion(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nbodies:\n"
        "  arm: {kind: rigid, mass: 2.50113, inertia: 0.092616, centre_of_mass: [0.24129065062635963, "
        "-0.05561436486193647],\n"
        "        ports: {A: {position: [0.2266, -0.0394]}}, pose: {angle: -1.3399041393512987}}\n"
        "  block: {kind: rigid, mass: 2.10172, inertia: 0.0123076, centre_of_mass: [0.11506353765809506, "
        "-0.04565044910693823],\n"
        "          pose: {angle: -1.1409002562027866}}\n"
        "joints:\n"
        "  hinge: {kind: revolute, ports: [ground.O, arm.P], stiffness: 227.08382149864536, damping: "
        "2.270838214986454}\n"
        "  slide: {kind: prismatic, ports: [ground.O, block.P], axis: [1.1669770264958728, 0.7072634876741463]}\n";
    static const char *const rate[] = {"hinge.rate"}, *const places[] = {"arm.A.x", "arm.A.y", "slide.coordinate"};
    const double want[3] = {0.0394, 0.2266, 0.0}; /* along the axes of the arm */
    phx_context *context = *state;
    phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_linear_report report;
    phx_model *model = read_text(context, text);
    double omega = 1.0, response[6];

    options.channels = (phx_channels_options){.n_inputs = 1, .inputs = rate, .n_outputs = 3, .outputs = places};
    CHECK_OK(context, phx_study_linearize(context, model, &options, &report));
    for (int k = 0; k < report.n_residuals; k++)
        if (!strcmp(report.residuals[k].name, "constraint_residual"))
            CHECK_BELOW(report.residuals[k].value, 1e-12, "G basis");
    assert_int_equal(phx_ss_n(report.system), 3);
    CHECK_OK(context, phx_ss_responses(context, report.system, 1, &omega, response));
    for (int k = 0; k < 3; k++)
        CHECK_CLOSE(response[2 * k + 1], -want[k], 1e-12, "place %d", k); /* 1/(i omega) */
    phx_linear_report_free(&report);
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_report_and_bundle_agree, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_drive_beside_a_free_motion, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
