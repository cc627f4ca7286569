/* Plants over a sweep: each is the model of its point, in coordinates that they share; what is refused. */
#include "support.h"
#include "base/base.h"

#include <math.h>

/* Two masses in a row on springs, x1 - x2 with the second one's mass a parameter; and a beam behind them. */
static phx_model *read_masses(phx_context *context)
{
    static const char text[] = "phlexor: 1\n"
                               "dimension: 2\n"
                               "parameters: {m: 2, k: 50, n: 2}\n"
                               "materials: {steel: {density: 7850, young: 2e11}}\n"
                               "bodies:\n"
                               "  first: {kind: rigid, mass: 1, inertia: 1}\n"
                               "  second: {kind: rigid, mass: m, inertia: 1}\n"
                               "  beam:\n"
                               "    kind: beam\n"
                               "    material: steel\n"
                               "    length: 0.5\n"
                               "    section: {kind: rectangle, width: 0.02, height: 0.01}\n"
                               "    elements: n\n"
                               "    reference: cantilever\n"
                               "    damping: {modal: 0.01}\n"
                               "joints:\n"
                               "  a: {kind: prismatic, ports: [ground.O, first.P], axis: [1, 0], stiffness: k}\n"
                               "  b: {kind: prismatic, ports: [first.P, second.P], axis: [1, 0], stiffness: 30}\n"
                               "  c: {kind: weld, ports: [second.P, beam.P]}\n"
                               "loads:\n"
                               "  push: {force: [0, 0], at: second.P}\n"
                               "outputs:\n"
                               "  x: {coordinate: a}\n";
    phx_model *model = NULL;
    CHECK_OK(context, phx_model_read_text(context, "text.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

/* Channels of the four-bar mechanism. */
static const char *const inputs[] = {"coupler@0.5.fy", "coupler.C.fx"}, *const outputs[] = {"coupler@0.5.vy"};

static phx_study_linearize_options four_bar_channels(void)
{
    phx_study_linearize_options options = phx_study_linearize_options_default();
    options.channels.inputs = inputs;
    options.channels.n_inputs = 2;
    options.channels.outputs = outputs;
    options.channels.n_outputs = 1;
    return options;
}

static phx_status make(phx_context *context, const phx_model *model, const phx_sweep *sweep,
                       const phx_study_linearize_options *linear, phx_plants **plants)
{
    const phx_study_plants_options options = {.linear = *linear, .sweep = sweep, .threads = 2};
    return phx_study_plants(context, model, &options, plants);
}

/* The model of one point, by itself. */
static phx_ss *single(phx_context *context, const phx_model *model, const phx_sweep *sweep, const double *values,
                      const phx_study_linearize_options *options)
{
    phx_model *copy = NULL;
    phx_model_override overrides[2];
    phx_linear_report report;
    phx_ss *system = NULL;
    const int n = phx_sweep_parameters(sweep);
    for (int k = 0; k < n; k++)
        overrides[k] = (phx_model_override){.name = phx_sweep_name(sweep, k), .value = values[k]};
    CHECK_OK(context, phx_model_copy(context, model, &copy));
    CHECK_OK(context, phx_model_set_parameters(context, copy, n, overrides));
    CHECK_OK(context, phx_study_linearize(context, copy, options, &report));
    CHECK_OK(context, phx_ss_copy(context, report.system, NULL, NULL, &system));
    phx_linear_report_free(&report);
    phx_model_destroy(copy);
    return system;
}

static void check_response(phx_context *context, const phx_ss *got, const phx_ss *want, double tolerance)
{
    enum { FREQUENCIES = 4, MOST = 32 };
    static const double omega[FREQUENCIES] = {0.7, 11.0, 170.0, 2600.0};
    double a[2 * FREQUENCIES * MOST], b[2 * FREQUENCIES * MOST];
    const int entries = phx_ss_inputs(want) * phx_ss_outputs(want);
    assert_true(entries <= MOST && phx_ss_n(got) == phx_ss_n(want));
    CHECK_OK(context, phx_ss_responses(context, got, FREQUENCIES, omega, a));
    CHECK_OK(context, phx_ss_responses(context, want, FREQUENCIES, omega, b));
    for (int f = 0; f < FREQUENCIES; f++) {
        double size = 0.0;
        for (int k = 0; k < 2 * entries; k++)
            size = fmax(size, fabs(b[2 * f * entries + k]));
        for (int k = 0; k < 2 * entries; k++)
            CHECK_CLOSE(a[2 * f * entries + k], b[2 * f * entries + k], tolerance * size, "at %g rad/s", omega[f]);
    }
}

/* Every plant is the model of its point. */
static void check_plants(phx_context *context, const phx_model *model, const phx_sweep *sweep,
                         const phx_study_linearize_options *options)
{
    phx_plants *plants = NULL;
    CHECK_OK(context, make(context, model, sweep, options, &plants));
    assert_int_equal(phx_plants_count(plants), phx_sweep_points(sweep));
    for (int k = 0; k < phx_plants_count(plants); k++) {
        const phx_ss *system = phx_plants_system(plants, k);
        phx_ss *alone = single(context, model, sweep, phx_plants_values(plants, k), options);
        check_response(context, system, alone, 1e-9);
        if (k == phx_plants_nominal(plants))
            CHECK_CLOSE(phx_plants_least(plants, k), 1.0, 1e-9, "the nominal plant");
        phx_ss_destroy(alone);
    }
    phx_plants_destroy(plants);
}

static void test_plants_are_the_models_of_their_points(void **state)
{
    phx_context *context = *state;
    phx_model *mechanism = read_example(context, "four_bar.yaml"), *masses = read_masses(context);
    phx_study_linearize_options options = phx_study_linearize_options_default(), bar = four_bar_channels();
    const phx_reduction_options reduction = {.method = PHX_REDUCE_MODAL, .order = 4, .damping = 0.01};
    phx_sweep *angles = NULL, *two = NULL;

    CHECK_OK(context, phx_sweep_create(context, &angles));
    CHECK_OK(context, phx_sweep_add_range(angles, "theta1", 0.8, 1.6, 5));
    CHECK_OK(context, phx_sweep_create(context, &two));
    CHECK_OK(context, phx_sweep_add_range(two, "k", 40.0, 60.0, 3));
    CHECK_OK(context, phx_sweep_add_range(two, "m", 1.0, 4.0, 2));
    check_plants(context, masses, two, &options);
    options.reduction = &reduction;
    check_plants(context, masses, two, &options);
    check_plants(context, mechanism, angles, &bar);
    bar.form = PHX_FORM_DESCRIPTOR;
    check_plants(context, mechanism, angles, &bar);
    phx_sweep_destroy(angles);
    phx_sweep_destroy(two);
    phx_model_destroy(mechanism);
    phx_model_destroy(masses);
}

/* In the coordinates of the nominal plant the stiffness of deformable bodies does not change with the place of a joint,
 * and the mass is of first order in a mass. */
static void test_common_coordinates(void **state)
{
    phx_context *context = *state;
    phx_model *masses = read_masses(context);
    const phx_study_linearize_options second_order = {.form = PHX_FORM_SECOND_ORDER};
    phx_sweep *sweep = NULL;
    phx_plants *plants = NULL;

    CHECK_OK(context, phx_sweep_create(context, &sweep));
    CHECK_OK(context, phx_sweep_add_range(sweep, "m", 1.0, 3.0, 3));
    CHECK_OK(context, make(context, masses, sweep, &second_order, &plants));
    const phx_bundle_item *M = phx_bundle_find(phx_plants_bundle(plants), "M"),
                          *K = phx_bundle_find(phx_plants_bundle(plants), "K");
    assert_int_equal(M->pages, 3);
    assert_int_equal(M->rows, M->cols);
    const int cells = M->rows * M->cols;
    double change = 0.0;
    for (int i = 0; i < cells; i++) {
        const double stiffness =
            sqrt(K->re[cells + i / M->cols * (M->cols + 1)] * K->re[cells + i % M->cols * (M->cols + 1)]);
        CHECK_CLOSE(M->re[i] + M->re[2 * cells + i], 2.0 * M->re[cells + i], 1e-12, "mass, entry %d", i);
        CHECK_CLOSE(K->re[i], K->re[2 * cells + i], 1e-9 * stiffness, "stiffness, entry %d", i);
        CHECK_CLOSE(M->re[cells + i], i % (M->cols + 1) == 0 ? 1.0 : 0.0, 1e-12, "nominal mass, entry %d", i);
        change = fmax(change, fabs(M->re[2 * cells + i] - M->re[i]));
    }
    assert_true(change > 0.1);
    phx_plants_destroy(plants);
    phx_sweep_destroy(sweep);
    phx_model_destroy(masses);
}

static void refused(phx_context *context, const phx_model *model, const char *parameter, double from, double to,
                    int count, const phx_study_linearize_options *options, phx_status status, const char *message)
{
    phx_sweep *sweep = NULL;
    phx_plants *plants = NULL;
    CHECK_OK(context, phx_sweep_create(context, &sweep));
    CHECK_OK(context, phx_sweep_add_range(sweep, parameter, from, to, count));
    const phx_status got = make(context, model, sweep, options, &plants);
    if (got != status)
        fail_msg("status %d instead of %d: %s", (int)got, (int)status, phx_context_message(context));
    if (!strstr(phx_context_message(context), message))
        fail_msg("'%s' instead of '%s'", phx_context_message(context), message);
    assert_null(plants);
    phx_sweep_destroy(sweep);
}

static void test_refusals(void **state)
{
    phx_context *context = *state;
    phx_model *masses = read_masses(context), *mechanism = read_example(context, "four_bar.yaml");
    const phx_reduction_options first_order = {.method = PHX_REDUCE_IRKA, .order = 2};
    const phx_reduction_options other_modes = {.method = PHX_REDUCE_MODAL, .order = 4, .damping = 0.01};

    phx_study_linearize_options options = phx_study_linearize_options_default(), bar = four_bar_channels();

    refused(context, masses, "n", 2, 3, 2, &options, PHX_ERR_ANALYSIS, "at n = 2 (point 1 of 2): ");
    refused(context, masses, "n", 2, 3, 2, &options, PHX_ERR_ANALYSIS, "the same bodies and meshes");
    options.reduction = &first_order;
    bar.reduction = &other_modes;
    refused(context, masses, "m", 1, 3, 2, &options, PHX_ERR_UNSUPPORTED, "modal or krylov");
    refused(context, mechanism, "theta1", 0.8, 1.6, 5, &bar, PHX_ERR_ANALYSIS, "cannot be told by those");
    phx_model_destroy(masses);
    phx_model_destroy(mechanism);
}

static void test_every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    phx_model *masses = read_masses(context);
    const phx_reduction_options reduction = {.method = PHX_REDUCE_MODAL, .order = 2};
    phx_sweep *sweep = NULL;

    CHECK_OK(context, phx_sweep_create(context, &sweep));
    CHECK_OK(context, phx_sweep_add_range(sweep, "m", 1.0, 3.0, 2));
    for (int which = 0; which < 4; which++) {
        static const phx_linear_form forms[] = {PHX_FORM_STATE_SPACE, PHX_FORM_SECOND_ORDER, PHX_FORM_DESCRIPTOR,
                                                PHX_FORM_STATE_SPACE};
        phx_status status = PHX_ERR_MEMORY;
        for (long n = 0; status != PHX_OK; n += 1 + n / 8) {
            phx_study_plants_options options = phx_study_plants_options_default();
            phx_plants *plants = NULL;
            options.linear.form = forms[which];
            options.linear.reduction = which == 3 ? &reduction : NULL;
            options.sweep = sweep;
            phx_context_fail_allocation(context, n);
            status = phx_study_plants(context, masses, &options, &plants);
            phx_context_fail_allocation(context, -1);
            if (status != PHX_OK && status != PHX_ERR_MEMORY)
                fail_msg("form %d, allocation %ld: %s", which, n, phx_context_message(context));
            assert_int_equal(plants != NULL, status == PHX_OK);
            phx_plants_destroy(plants);
            assert_true(n < 1000000);
        }
    }
    phx_sweep_destroy(sweep);
    phx_model_destroy(masses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_plants_are_the_models_of_their_points, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_common_coordinates, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_refusals, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
