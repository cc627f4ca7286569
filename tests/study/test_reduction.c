/* Reduced models of the examples: errors against tests/data/reduction.csv, bounds, orders chosen by an error, and what
 * the report puts into the file. */
#include "support.h"

#include "results/results.h"
#include "linear/linear.h"

static const char *const coupler[] = {"coupler@0.5.fx", "coupler@0.5.fy", "crank.C.tz"}, *const speed[] = {
                                                                                             "coupler@0.5.vx"};
static const char *const slider[] = {"motor.effort", "slider.P.fx"}, *const slide[] = {"slider.P.vx"};

static phx_status reduce(phx_context *context, const phx_model *model, int n_inputs, const char *const *inputs,
                         const char *const *outputs, const phx_reduction_options *how, phx_linear_form form,
                         phx_linear_report *report)
{
    phx_study_linearize_options options = phx_study_linearize_options_default();
    options.channels =
        (phx_channels_options){.n_inputs = n_inputs, .inputs = inputs, .n_outputs = 1, .outputs = outputs};
    options.reduction = how;
    options.form = form;
    return phx_study_linearize(context, model, &options, report);
}

static phx_model *example(phx_context *context, const char *name)
{
    const phx_model_override at = {.name = "theta1", .expression = "1"};
    char path[256];
    phx_model *model = NULL;
    snprintf(path, sizeof path, PHX_SOURCE_DIR "/examples/%s.yaml", name);
    CHECK_OK(context, phx_model_read(context, path, !strcmp(name, "four_bar"), &at, &model));
    return model;
}

/* One row of the table, and that the bound is one and not far. */
static void check_row(phx_context *context, phx_model *model, bool four, int order, phx_reduction_method method,
                      const double wanted[3])
{
    phx_reduction_options how = phx_reduction_options_default();
    phx_linear_report report;
    how.method = method;
    how.order = order;
    how.damping = 0.005;
    CHECK_OK(context, reduce(context, model, four ? 3 : 2, four ? coupler : slider, four ? speed : slide, &how,
                             PHX_FORM_STATE_SPACE, &report));
    const phx_reduction_report *about = phx_reduction_about(report.reduction);
    const char *name = phx_reduction_method_name(method);
    assert_true(about->certified);
    CHECK_RELATIVE(about->error_h2, wanted[0], 2e-6, "%s, order %d, %s: H2", model->title, order, name);
    CHECK_RELATIVE(about->error, wanted[1], 2e-6, "%s, order %d, %s: H-infinity", model->title, order, name);
    if (method == PHX_REDUCE_MODAL) {
        CHECK_RELATIVE(about->bound_sum, wanted[2], 1e-6, "%s, order %d: bound", model->title, order);
        CHECK_BETWEEN(about->bound / about->error, 1.0 - 1e-6, 6.0, "%s, order %d: bound over error", model->title,
                      order);
    }
    CHECK_BELOW(about->constraints, 1e-13, "|G V|");
    assert_true(about->passivity.passive);
    CHECK_BETWEEN(about->dissipation, -1e-14, 1.0, "least eigenvalue of W");
    assert_int_equal(phx_ss_n(report.system), 2 * (order + about->rigid));
    phx_linear_report_free(&report);
}

static void errors_of_the_examples(void **state)
{
    phx_context *context = *state;
    phx_model *models[2] = {example(context, "four_bar"), example(context, "crank_slider")};
    FILE *file = fopen(PHX_SOURCE_DIR "/tests/data/reduction.csv", "r");
    char line[256];
    int rows = 0;

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char model[32], method[16];
        int order = 0;
        double wanted[3];
        if (sscanf(line, "%31[^,],%d,%15[^,],%lf,%lf,%lf", model, &order, method, wanted, wanted + 1, wanted + 2) != 6)
            continue;
        if (rows++ % TEST_SHORTER(1, 3) != 0)
            continue;
        const bool four = !strcmp(model, "four_bar");
        check_row(context, models[!four], four, order, strcmp(method, "lqg") ? PHX_REDUCE_MODAL : PHX_REDUCE_LQG,
                  wanted);
    }
    fclose(file);
    assert_int_equal(rows, 20);
    phx_model_destroy(models[0]);
    phx_model_destroy(models[1]);
}

/* Satellite and spacecraft: two digits are known. */
static void errors_of_the_satellites(void **state)
{
    phx_context *context = *state;
    static const char *const two[] = {"wheel.tz", "thruster.fx"}, *const attitude[] = {"attitude"};
    static const char *const four[] = {"thruster.fx", "thruster.fy", "wheel.tz", "drive.effort"};
    static const char *const rate[] = {"drive.rate"};
    for (int method = PHX_REDUCE_MODAL; method <= PHX_REDUCE_LQG; method += method == PHX_REDUCE_MODAL ? 2 : 1) {
        phx_reduction_options how = {.method = (phx_reduction_method)method, .order = 8, .damping = 0.005};
        phx_model *model = example(context, "satellite");
        phx_linear_report report;
        CHECK_OK(context, reduce(context, model, 2, two, attitude, &how, PHX_FORM_DESCRIPTOR, &report));
        CHECK_RELATIVE(phx_reduction_about(report.reduction)->error_h2, 2.9e-3, 0.02, "satellite, H2");
        CHECK_RELATIVE(phx_reduction_about(report.reduction)->error, 8.0e-5, 0.02, "satellite, H-infinity");
        phx_linear_report_free(&report);
        phx_model_destroy(model);
        how = (phx_reduction_options){.method = (phx_reduction_method)method, .order = 12};
        model = example(context, "spacecraft");
        CHECK_OK(context, reduce(context, model, 4, four, rate, &how, PHX_FORM_STATE_SPACE, &report));
        CHECK_RELATIVE(phx_reduction_about(report.reduction)->error_h2, 3.3e-5, 0.05, "spacecraft, H2");
        CHECK_RELATIVE(phx_reduction_about(report.reduction)->error, 3.4e-7, 0.05, "spacecraft, H-infinity");
        phx_linear_report_free(&report);
        phx_model_destroy(model);
    }
}

/* 5 % up to 20 rad/s: six states, and what they do agrees with the model there. */
static void the_satellite_with_six_states(void **state)
{
    phx_context *context = *state;
    static const char *const inputs[] = {"wheel.tz"}, *const attitude[] = {"attitude"};
    phx_reduction_options how = {.error = 0.05, .band = {0.0, 20.0}};
    phx_model *model = example(context, "satellite");
    phx_linear_report small, full;

    CHECK_OK(context, reduce(context, model, 1, inputs, attitude, &how, PHX_FORM_STATE_SPACE, &small));
    CHECK_OK(context, reduce(context, model, 1, inputs, attitude, NULL, PHX_FORM_STATE_SPACE, &full));
    assert_int_equal(phx_ss_n(small.system), 6);
    CHECK_BELOW(phx_reduction_about(small.reduction)->error, 0.05, "error in the band");
    CHECK_BELOW(phx_reduction_about(small.reduction)->error_local, 0.05, "error of the response");
    double rigid = 0.0;            /* (rad/s)^2 times the response of the satellite as a rigid body */
    for (int k = 0; k < 40; k++) { /* torque to attitude, zeros of the response included */
        const double omega = 0.05 + 0.4987 * k;
        double a[2], b[2];
        CHECK_OK(context, phx_ss_response(context, small.system, omega, a));
        CHECK_OK(context, phx_ss_response(context, full.system, omega, b));
        rigid = k == 0 ? omega * omega * hypot(b[0], b[1]) : rigid;
        CHECK_SMALL(hypot(a[0] - b[0], a[1] - b[1]), 0.05 * fmax(hypot(b[0], b[1]), rigid / (omega * omega)),
                    "%g rad/s", omega);
    }
    const phx_bundle_item *item = phx_bundle_find(small.bundle, "reduction_error");
    assert_non_null(item);
    assert_true(item->number == phx_reduction_about(small.reduction)->error);
    const phx_reduction_curves *curves = phx_reduction_bode(small.reduction);
    item = phx_bundle_find(small.bundle, "reduction_error_gain");
    assert_int_equal(item->rows, curves->count);
    assert_string_equal(phx_bundle_find(small.bundle, "reduction_method")->text, "modal");
    phx_linear_report_free(&small);
    phx_linear_report_free(&full);
    phx_model_destroy(model);
}

/* ---- prescribed rates ---- */
/* Largest |a - b| of the responses of two systems at a frequency, over the largest of b. */
static double differ(phx_context *context, const phx_ss *a, const phx_ss *b, double omega)
{
    double x[64], y[64], most = 0.0;
    const int cells = 2 * phx_ss_inputs(a) * phx_ss_outputs(a);
    assert_true(cells <= 64 && phx_ss_outputs(a) == phx_ss_outputs(b));
    CHECK_OK(context, phx_ss_response(context, a, omega, x));
    CHECK_OK(context, phx_ss_response(context, b, omega, y));
    for (int k = 0; k < cells; k++)
        most = fmax(most, fabs(x[k] - y[k]));
    return most / max_abs(cells, y);
}

/* The drive of the spacecraft by its rate: the error that is told is that of its effort, inertia and all, and with all
 * states efforts, reactions and accelerations are those of the model. */
static void the_driven_spacecraft(void **state)
{
    phx_context *context = *state;
    static const char *const rate[] = {"drive.rate"}, *const acceleration[] = {"drive.acceleration", "thruster.fx"};
    static const char *const effort[] = {"drive.effort"};
    phx_model *model = example(context, "spacecraft");
    phx_linear_report full, small;
    phx_reduction_options how = phx_reduction_options_default();
    how.method = PHX_REDUCE_IRKA;
    for (int two = 0; two < 2; two++) {
        how.order = two ? 13 : 4;
        CHECK_OK(context, reduce(context, model, 1 + two, acceleration, effort, NULL, PHX_FORM_STATE_SPACE, &full));
        CHECK_OK(context, reduce(context, model, 1 + two, acceleration, effort, &how, PHX_FORM_STATE_SPACE, &small));
        const phx_reduction_curves *curves = phx_reduction_bode(small.reduction);
        double ratio = 0.0;
        for (int k = 0; k < curves->count; k += 10) {
            const double omega = curves->omega[k];
            double a[4], b[4];
            if (two) {
                CHECK_BELOW(differ(context, small.system, full.system, omega), 1e-9, "all states, at %g rad/s", omega);
                continue;
            }
            /* effort by acceleration times i omega is effort by rate: the same multiple of the told error everywhere */
            CHECK_OK(context, phx_ss_response(context, full.system, omega, a));
            CHECK_OK(context, phx_ss_response(context, small.system, omega, b));
            const double error = omega * hypot(a[0] - b[0], a[1] - b[1]);
            if (ratio > 0.0)
                CHECK_RELATIVE(curves->error[k] / error, ratio, 1e-4, "told over found error, at %g rad/s", omega);
            if (curves->error[k] > 1e-3 * phx_reduction_about(small.reduction)->norm && ratio == 0.0)
                ratio = curves->error[k] / error;
            CHECK_BELOW(curves->error[k],
                        phx_reduction_about(small.reduction)->error * phx_reduction_about(small.reduction)->norm *
                            (1.0 + 1e-6),
                        "error, at %g rad/s", omega);
        }
        assert_true(two || ratio > 0.0);
        phx_linear_report_free(&small);
        phx_linear_report_free(&full);
    }
    /* the descriptor form keeps the effort */
    how.order = 4;
    CHECK_OK(context, reduce(context, model, 1, rate, effort, &how, PHX_FORM_DESCRIPTOR, &small));
    assert_string_equal(phx_bundle_find(small.bundle, "reduction_method")->text, "irka");
    phx_linear_report_free(&small);
    assert_int_equal(reduce(context, model, 1, rate, effort, &how, PHX_FORM_STATE_SPACE, &small), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "follows the derivative of the input 'drive.rate'");
    phx_linear_report_free(&small);
    phx_model_destroy(model);
}

/* Turning crank and pushed slider: a tenth of the error of 'modal' with as many coordinates, the effort of slow motions
 * exact. */
static void the_driven_crank_slider(void **state)
{
    phx_context *context = *state;
    static const char *const inputs[] = {"motor.acceleration", "slider.P.fx"};
    static const char *const outputs[] = {"motor.effort", "slider.P.ax", "wrist.effort", "coupler@0.5.ay"};
    phx_model *model = example(context, "crank_slider");
    phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_linear_report full, small;
    double error[5] = {0.0};
    options.channels = (phx_channels_options){.n_inputs = 2, .inputs = inputs, .n_outputs = 4, .outputs = outputs};
    CHECK_OK(context, phx_study_linearize(context, model, &options, &full));
    for (int method = PHX_REDUCE_MODAL; method <= PHX_REDUCE_LQG; method++) {
        phx_reduction_options how = {.method = (phx_reduction_method)method, .order = 8, .damping = 0.005};
        if (method == PHX_REDUCE_KRYLOV)
            continue;
        options.reduction = &how;
        CHECK_OK(context, phx_study_linearize(context, model, &options, &small));
        error[method] = phx_reduction_about(small.reduction)->error;
        assert_true(phx_reduction_about(small.reduction)->certified);
        assert_true(phx_reduction_about(small.reduction)->passivity.passive);
        CHECK_BELOW(differ(context, small.system, full.system, 1.0), 1e-6, "%s, at 1 rad/s",
                    phx_reduction_method_name(how.method));
        phx_linear_report_free(&small);
        CHECK_BELOW(error[method], method == PHX_REDUCE_MODAL ? 2.0 : 0.1 * error[PHX_REDUCE_MODAL], "%s",
                    phx_reduction_method_name(how.method));
    }
    phx_linear_report_free(&full);
    phx_model_destroy(model);
}

/* A hinge with a damper and a beam of overdamped modes: the small error that is left lies between real poles, far from
 * the frequencies of all others, and is too small for level sets: it is found, and nothing is certified. */
static void an_error_between_real_poles(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nmaterials: {soft: {density: 1500, young: 5e9}}\nbodies:\n"
        "  arm: {kind: beam, material: soft, length: 0.6, section: {kind: rectangle, width: 0.03, height: 0.03},\n"
        "        elements: 3, reference: cantilever, damping: {stiffness: 1e-3}}\n"
        "joints: {hinge: {kind: revolute, ports: [ground.O, arm.P], stiffness: 100, damping: 5}}\n";
    static const char *const effort[] = {"hinge.effort"}, *const rate[] = {"hinge.rate"};
    enum { COUNT = 800 };
    phx_context *context = *state;
    phx_model *model = NULL;
    phx_reduction_options how = phx_reduction_options_default();
    phx_linear_report full, reduced;
    double omega[COUNT], a[2 * COUNT], b[2 * COUNT], most = 0.0, error = 0.0;

    CHECK_OK(context, phx_model_read_text(context, "text.yaml", text, strlen(text), 0, NULL, &model));
    how.method = PHX_REDUCE_IRKA;
    how.order = 6;
    CHECK_OK(context, reduce(context, model, 1, effort, rate, NULL, PHX_FORM_STATE_SPACE, &full));
    CHECK_OK(context, reduce(context, model, 1, effort, rate, &how, PHX_FORM_STATE_SPACE, &reduced));
    for (int k = 0; k < COUNT; k++)
        omega[k] = pow(10.0, 8.0 * k / COUNT);
    CHECK_OK(context, phx_ss_responses(context, full.system, COUNT, omega, a));
    CHECK_OK(context, phx_ss_responses(context, reduced.system, COUNT, omega, b));
    for (int k = 0; k < COUNT; k++) {
        most = fmax(most, hypot(a[2 * k], a[2 * k + 1]));
        error = fmax(error, hypot(a[2 * k] - b[2 * k], a[2 * k + 1] - b[2 * k + 1]));
    }
    assert_false(phx_reduction_about(reduced.reduction)->certified);
    CHECK_BETWEEN(phx_reduction_about(reduced.reduction)->error, 0.98 * error / most, 1.02 * error / most, "error");
    phx_linear_report_free(&full);
    phx_linear_report_free(&reduced);
    phx_model_destroy(model);
}

/* A chain that hangs in hinges: what its swinging bends has a damping ratio of 1e-12, which is none. And the same laid
 * out without weight on springs with the damping of the beams, whose modes rounding must not couple. */
static void stiff_links_on_soft_hinges(void **state)
{
    static const char *const force[] = {"b.C.fy"}, *const rate[] = {"b.C.vy"};
    static const char links[] =
        "dimension: 2\nmaterials: {steel: {density: 7800, young: 2.1e11}}\nbodies:\n"
        "  a: {kind: beam, material: steel, length: 0.5, section: {kind: general, area: 1e-4, inertia: 1e-9},\n"
        "      elements: 6, reference: cantilever, damping: {stiffness: 1e-6}, pose: {position: [0, 0]}}\n"
        "  b: {kind: beam, material: steel, length: 0.5, section: {kind: general, area: 1e-4, inertia: 1e-9},\n"
        "      elements: 6, reference: cantilever, damping: {stiffness: 1e-6}, pose: {position: [0.5, 0]}}\n";
    phx_context *context = *state;
    phx_reduction_options how = phx_reduction_options_default();

    for (int swings = 0; swings < 2; swings++) {
        const char *hinge = swings ? "" : ", stiffness: 1e-3, damping: 1e-9";
        char text[2000];
        phx_model *model = NULL;
        phx_linear_report report;
        snprintf(text, sizeof text,
                 "phlexor: 1\n%s%sjoints:\n  one: {kind: revolute, ports: [ground.O, a.P]%s}\n"
                 "  two: {kind: revolute, ports: [a.C, b.P]%s}\n",
                 swings ? "gravity: [9.81, 0]\n" : "", links, hinge, hinge);
        CHECK_OK(context, phx_model_read_text(context, "text.yaml", text, strlen(text), 0, NULL, &model));
        how.order = 6;
        how.error = 0.0;
        CHECK_OK(context, reduce(context, model, 1, force, rate, &how, PHX_FORM_STATE_SPACE, &report));
        const phx_reduction_report *about = phx_reduction_about(report.reduction);
        CHECK_CLOSE(about->damping, swings ? 0.005 : 0.0, 1e-12, "damping measured with");
        CHECK_BETWEEN(about->bound, about->error * (1.0 - 1e-6), 6.0 * about->error, "bound");
        phx_linear_report_free(&report);
        how.order = 0;
        how.error = 0.01;
        CHECK_STATUS(context, reduce(context, model, 1, force, rate, &how, PHX_FORM_STATE_SPACE, &report),
                     swings ? PHX_ERR_ANALYSIS : PHX_OK);
        if (swings)
            CHECK_MESSAGE(context, "the model has modes without damping");
        phx_linear_report_free(&report);
        phx_model_destroy(model);
    }
}

/* The feedthrough of the least storage function may be far above the damping of one slow mode: W is judged as a whole.
 */
static void feedthrough_beside_little_damping(void **state)
{
    static const char *const forces[] = {"c.C.fy", "a@0.5.fy"}, *const rate[] = {"c.C.vy"};
    static const char text[] =
        "phlexor: 1\ndimension: 2\nmaterials: {s: {density: 2700, young: 7e10}}\nbodies:\n"
        "  a: {kind: beam, material: s, length: 0.8, section: {kind: rectangle, width: 0.02, height: 0.002},\n"
        "      elements: 2, reference: cantilever, damping: {stiffness: 1.5e-7}, pose: {position: [0, 0]}}\n"
        "  b: {kind: beam, material: s, length: 0.6, section: {kind: rectangle, width: 0.02, height: 0.009},\n"
        "      elements: 2, reference: cantilever, damping: {stiffness: 1.5e-7}, pose: {position: [0.8, 0]}}\n"
        "  c: {kind: beam, material: s, length: 0.7, section: {kind: rectangle, width: 0.02, height: 0.02},\n"
        "      elements: 4, reference: cantilever, damping: {stiffness: 1.5e-7}, pose: {position: [1.4, 0]}}\n"
        "joints:\n  j: {kind: revolute, ports: [ground.O, a.P], stiffness: 270, damping: 4e-5}\n"
        "  k: {kind: revolute, ports: [a.C, b.P], stiffness: 1.8, damping: 2.7e-7}\n"
        "  l: {kind: revolute, ports: [b.C, c.P]}\n";
    phx_context *context = *state;
    phx_reduction_options how = phx_reduction_options_default();
    phx_model *model = NULL;
    phx_linear_report report;

    CHECK_OK(context, phx_model_read_text(context, "text.yaml", text, strlen(text), 0, NULL, &model));
    how.method = PHX_REDUCE_XMIN;
    for (how.order = 1; how.order <= 2; how.order++) {
        CHECK_OK(context, reduce(context, model, 2, forces, rate, &how, PHX_FORM_STATE_SPACE, &report));
        CHECK_BETWEEN(phx_reduction_about(report.reduction)->dissipation, -1e-13, 1.0, "order %d", how.order);
        phx_linear_report_free(&report);
    }
    phx_model_destroy(model);
}

/* Beyond 600 coordinates the lowest modes, without dense matrices: 30 hinged links by ten states, and the response of
 * the model in the file is that of its saddle-point matrices. */
static void a_long_chain(void **state)
{
    enum { LINKS = 30 };
    static const char *const force[] = {"b29.C.fy"}, *const rate[] = {"b29.C.vy"};
    phx_context *context = *state;
    phx_reduction_options how = phx_reduction_options_default();
    char *text = calloc(LINKS + 1, 600), *at = text;
    phx_model *model = NULL;
    phx_linear_report report;

    at += sprintf(at, "phlexor: 1\ndimension: 2\nmaterials: {steel: {density: 7800, young: 2.1e11}}\nbodies:\n");
    for (int k = 0; k < LINKS; k++)
        at += sprintf(at,
                      "  b%d: {kind: beam, material: steel, length: 0.5, section: {kind: general, area: 1e-4, inertia: "
                      "1e-9}, elements: 7, reference: cantilever, damping: {stiffness: 1e-5}, pose: {position: [%g, "
                      "0]}}\n",
                      k, 0.5 * k);
    at += sprintf(at, "joints:\n");
    for (int k = 0; k < LINKS; k++)
        at += k == 0 ? sprintf(at, "  j0: {kind: revolute, ports: [ground.O, b0.P], stiffness: 100, damping: 1e-3}\n")
                     : sprintf(at, "  j%d: {kind: revolute, ports: [b%d.C, b%d.P], stiffness: 100, damping: 1e-3}\n", k,
                               k - 1, k);
    CHECK_OK(context, phx_model_read_text(context, "text.yaml", text, strlen(text), 0, NULL, &model));
    how.order = 5;
    CHECK_OK(context, reduce(context, model, 1, force, rate, &how, PHX_FORM_STATE_SPACE, &report));
    const phx_reduction_report *about = phx_reduction_about(report.reduction);
    assert_int_equal(about->states, 10);
    assert_int_equal(about->full, 22 * LINKS);
    CHECK_BETWEEN(about->bound, about->error, 6.0 * about->error, "bound");
    CHECK_BELOW(about->constraints, 1e-13, "|G V|");
    assert_true(about->passivity.passive);
    phx_linear_report_free(&report);
    phx_model_destroy(model);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(errors_of_the_examples, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(errors_of_the_satellites, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_satellite_with_six_states, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_driven_spacecraft, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_driven_crank_slider, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(an_error_between_real_poles, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(stiff_links_on_soft_hinges, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(feedthrough_beside_little_damping, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_long_chain, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
