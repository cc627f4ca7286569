/* Plants over a sweep: each is the model of its point, in coordinates that they share; what is refused. */
#include "support.h"
#include "base/base.h"
#include "study/study.h"
#include "statespace/statespace.h"

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

/* ---- LFT ---- */
static phx_status make_lft(phx_context *context, const phx_model *model, const phx_sweep *sweep,
                           const phx_study_linearize_options *linear, const phx_lft_options *lft, phx_plants **plants)
{
    const phx_study_plants_options options = {.linear = *linear, .sweep = sweep, .lft = lft, .threads = 2};
    return phx_study_plants(context, model, &options, plants);
}

/* The LFT closed at values beside those of the sweep is the model there. */
static void check_beside(phx_context *context, const phx_model *model, const phx_sweep *sweep,
                         const phx_study_linearize_options *options, const phx_plants *plants, const double *values,
                         double tolerance)
{
    phx_ss *plant = NULL, *alone = single(context, model, sweep, values, options);
    CHECK_OK(context, phx_lft_plant(context, phx_plants_lft(plants), values, &plant));
    check_response(context, plant, alone, tolerance);
    phx_ss_destroy(plant);
    phx_ss_destroy(alone);
}

/* Mass and stiffness of a chain are of first order, in one entry each: the LFT is exact, with one repetition. */
static void test_exact_lft(void **state)
{
    static const char *const names[] = {"k", "m"};
    static const double between[2] = {47.3, 1.9};
    phx_context *context = *state;
    phx_model *masses = read_masses(context);
    const phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_lft_options lft = phx_lft_options_default();
    phx_sweep *sweep = NULL;
    phx_plants *plants = NULL;
    double centre, half;

    lft.n_parameters = 2;
    lft.parameters = names;
    CHECK_OK(context, phx_sweep_create(context, &sweep));
    CHECK_OK(context, phx_sweep_add_range(sweep, "m", 1.0, 4.0, 4));
    CHECK_OK(context, phx_sweep_add_range(sweep, "k", 40.0, 60.0, 3));
    CHECK_OK(context, make_lft(context, masses, sweep, &options, &lft, &plants));
    const phx_lft *made = phx_plants_lft(plants);
    const phx_lft_report *report = phx_lft_about(made).report;
    for (int k = 0; k < 2; k++) {
        assert_string_equal(phx_lft_about(made).parameters[k], names[k]);
        assert_int_equal(phx_lft_about(made).repetitions[k], 1);
        assert_int_equal(phx_lft_about(made).degrees[k], 1);
    }
    centre = phx_lft_about(made).centre[0];
    half = phx_lft_about(made).half_width[0];
    assert_true(centre == 50.0 && half == 10.0);
    assert_true(report->second_order && report->fit < 1e-10 && report->held_out < 1e-10 &&
                report->realisation < 1e-10 && report->response < 1e-7);
    assert_int_equal(phx_ss_inputs(phx_lft_about(made).system), 2 + 2);
    assert_string_equal(phx_ss_input(phx_lft_about(made).system, 1), "m.w1");
    assert_string_equal(phx_ss_output(phx_lft_about(made).system, 0), "k.v1");
    /* values of the sweep's order for the model, of the LFT's for the LFT */
    phx_sweep *turned = NULL;
    CHECK_OK(context, phx_sweep_create(context, &turned));
    CHECK_OK(context, phx_sweep_add_range(turned, "k", 40.0, 60.0, 2));
    CHECK_OK(context, phx_sweep_add_range(turned, "m", 1.0, 4.0, 2));
    check_beside(context, masses, turned, &options, plants, between, 1e-9);
    phx_sweep_destroy(turned);
    phx_sweep_destroy(sweep);
    phx_plants_destroy(plants);
    phx_model_destroy(masses);
}

/* A body that is moved on another: its three motions with the mass, its place times its rotation with the offset. */
static void test_tree(void **state)
{
    static const char *const names[] = {"instrument_mass", "offset"}, *const in[] = {"wheel.tz", "thruster.fx"},
                             *const out[] = {"attitude", "instrument.P.ax"};
    static const double between[2] = {33.0, 1.13};
    phx_context *context = *state;
    const phx_model_override coarse = {.name = "n", .value = 2};
    phx_model *satellite = read_example(context, "satellite.yaml");
    phx_study_linearize_options options = {.channels = {.inputs = in, .n_inputs = 2, .outputs = out, .n_outputs = 2}};
    const phx_lft_options lft = {.n_parameters = 2, .parameters = names};
    phx_sweep *sweep = NULL;
    phx_plants *plants = NULL;

    CHECK_OK(context, phx_sweep_create(context, &sweep));
    CHECK_OK(context, phx_model_set_parameters(context, satellite, 1, &coarse));
    CHECK_OK(context, phx_sweep_add_range(sweep, "instrument_mass", 20.0, 80.0, 3));
    CHECK_OK(context, phx_sweep_add_range(sweep, "offset", 0.5, 1.5, 4));
    CHECK_OK(context, make_lft(context, satellite, sweep, &options, &lft, &plants));
    const phx_lft_report *report = phx_lft_about(phx_plants_lft(plants)).report;
    assert_true(report->held_out < 1e-10 && report->realisation < 1e-10 && report->response < 1e-6);
    for (int k = 0; k < 2; k++)
        assert_true(phx_lft_about(phx_plants_lft(plants)).repetitions[k] <= 3);
    check_beside(context, satellite, sweep, &options, plants, between, 1e-6);
    phx_plants_destroy(plants);
    phx_sweep_destroy(sweep);
    phx_model_destroy(satellite);
}

/* An angle is in the mass as no polynomial: the error is told, and gets less with the degree. Prescribed rates and
 * controllers: by A, B, C, D. */
static void test_errors_of_the_fit(void **state)
{
    static const char *const angle[] = {"theta1"}, *const stiffness[] = {"EI"};
    static const double between = 1.234;
    phx_context *context = *state;
    phx_model *mechanism = read_example(context, "four_bar.yaml"), *arm = read_example(context, "arm_pd.yaml");
    phx_study_linearize_options bar = four_bar_channels(), options = phx_study_linearize_options_default();
    phx_sweep *sweep = NULL, *soft = NULL;
    double before = 1.0;

    CHECK_OK(context, phx_sweep_create(context, &sweep));
    CHECK_OK(context, phx_sweep_add_range(sweep, "theta1", 1.1, 1.3, 6));
    for (int degree = 1; degree <= 3; degree++) {
        const phx_lft_options lft = {.n_parameters = 1, .parameters = angle, .degrees = &degree};
        phx_plants *plants = NULL;
        CHECK_OK(context, make_lft(context, mechanism, sweep, &bar, &lft, &plants));
        const phx_lft_report *report = phx_lft_about(phx_plants_lft(plants)).report;
        assert_true(report->held_out < 0.3 * before);
        assert_true(report->realisation < 1e-10 && report->fit > 1e-9);
        before = report->held_out;
        if (degree == 3)
            check_beside(context, mechanism, sweep, &bar, plants, &between, 30.0 * report->response);
        phx_plants_destroy(plants);
    }
    CHECK_OK(context, phx_sweep_create(context, &soft));
    CHECK_OK(context, phx_sweep_add_range(soft, "EI", 950.0, 1050.0, 5));
    const phx_lft_options lft = {.n_parameters = 1, .parameters = stiffness};
    phx_plants *plants = NULL;
    CHECK_OK(context, make_lft(context, arm, soft, &options, &lft, &plants));
    const phx_lft_report *report = phx_lft_about(phx_plants_lft(plants)).report;
    assert_true(!report->second_order && report->held_out < 1e-6 && report->realisation < 1e-10);
    assert_true(report->response < 1e-4);
    phx_plants_destroy(plants);
    phx_sweep_destroy(sweep);
    phx_sweep_destroy(soft);
    phx_model_destroy(mechanism);
    phx_model_destroy(arm);
}

static void test_refusals_of_lft(void **state)
{
    static const char *const one[] = {"m"}, *const twice[] = {"m", "m"}, *const wrong[] = {"m", "c"},
                             *const both[] = {"m", "k"};
    static const int high[] = {3, 1};
    static const struct {
        const char *const *names;
        int count;
        const int *degrees;
        const char *message;
    } cases[] = {{one, 1, NULL, "the sweep has 2 values of 'k', which is not among the parameters of the LFT"},
                 {twice, 2, NULL, "parameter 'm' is given twice"},
                 {wrong, 2, NULL, "'c' is no parameter of the sweep"},
                 {both, 2, high, "degree 3 of 'm'; with 3 values of it the degree can be from 0 to 2"}};
    phx_context *context = *state;
    phx_model *masses = read_masses(context);
    const phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_sweep *sweep = NULL;

    CHECK_OK(context, phx_sweep_create(context, &sweep));
    CHECK_OK(context, phx_sweep_add_range(sweep, "m", 1.0, 4.0, 3));
    CHECK_OK(context, phx_sweep_add_range(sweep, "k", 40.0, 60.0, 2));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const phx_lft_options lft = {
            .n_parameters = cases[c].count, .parameters = cases[c].names, .degrees = cases[c].degrees};
        phx_plants *plants = NULL;
        assert_int_equal(make_lft(context, masses, sweep, &options, &lft, &plants), PHX_ERR_ARGUMENT);
        if (!strstr(phx_context_message(context), cases[c].message))
            fail_msg("'%s' instead of '%s'", phx_context_message(context), cases[c].message);
    }
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
    static const char *const name[] = {"m"};
    const phx_reduction_options reduction = {.method = PHX_REDUCE_MODAL, .order = 2};
    const phx_lft_options lft = {.n_parameters = 1, .parameters = name};
    phx_sweep *sweep = NULL;

    CHECK_OK(context, phx_sweep_create(context, &sweep));
    CHECK_OK(context, phx_sweep_add_range(sweep, "m", 1.0, 3.0, 2));
    for (int which = 0; which < 4; which++) {
        static const phx_linear_form forms[] = {PHX_FORM_STATE_SPACE, PHX_FORM_SECOND_ORDER, PHX_FORM_DESCRIPTOR,
                                                PHX_FORM_STATE_SPACE};
        phx_status status = PHX_ERR_MEMORY;
        for (long n = 0; status != PHX_OK; n += 1 + n / 3) {
            phx_study_plants_options options = phx_study_plants_options_default();
            phx_plants *plants = NULL;
            options.linear.form = forms[which];
            options.linear.reduction = which == 3 ? &reduction : NULL;
            options.lft = which == 3 ? &lft : NULL;
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
        cmocka_unit_test_setup_teardown(test_exact_lft, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_tree, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_errors_of_the_fit, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_refusals_of_lft, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_refusals, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
