/* Stable inversion: the tip of a flexible arm along a motion, replayed in the linear model and in the arm itself,
 * against the torque of a rigid arm. */
#include "support.h"
#include "statespace/statespace.h"
#include "results/results.h"

#include <phlexor/results.h>

#include <math.h>

/* The arm in the plane, without gravity; what moves the hub stands behind. */
static const char arm[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "parameters: {way: 0.1}\n"
    "materials: {light: {density: 1000, young: 1e9}}\n"
    "bodies:\n"
    "  arm: {kind: beam, material: light, length: 1, section: {kind: general, area: 5e-4, inertia: 1e-8}, elements: "
    "4,\n"
    "        reference: cantilever, point_masses: [{at: P, mass: 0, inertia: 0.05}, {at: C, mass: 0.1}]}\n"
    "outputs: {tip: {position: arm.C}, q: {coordinate: hub}}\n"
    "simulate: {end: 1.5, step: 1e-3, every: 2e-3}\n";
static const char motion[] =
    "joints: {hub: {kind: revolute, ports: [ground.O, arm.P]}}\n"
    "inverse: {inputs: hub.effort, motion: {arm.C.y: \"way*ramp(ramp(t, 0.5, 1.3), 0, 1)\"}}\n";
static const char by_table[] =
    "joints: {hub: {kind: revolute, ports: [ground.O, arm.P], effort: {file: efforts.csv, column: hub.effort, "
    "interpolation: spline}}}\n";
/* J y''/L of the rigid arm: p = x^3 (10 - 15 x + 6 x^2), (p(p(x)))'' = p''(p) p'^2 + p'(p) p''. */
#define X  "((t - 0.5)/0.8)"
#define P  "ramp(t, 0.5, 1.3)"
#define D1 "(30*" X "^2*(1 - " X ")^2)"
#define D2 "(60*" X "*(1 - " X ")*(1 - 2*" X "))"
static const char rigidly[] = "joints: {hub: {kind: revolute, ports: [ground.O, arm.P], effort: \"(0.05 + 0.5/3 + "
                              "0.1)*way/0.64*(t > 0.5)*(t < 1.3)"
                              "*(60*" P "*(1 - " P ")*(1 - 2*" P ")*" D1 "^2 + 30*" P "^2*(1 - " P ")^2*" D2 ")\"}}\n";

static phx_model *arm_with(phx_context *context, const char *more, double way)
{
    char text[4000];
    const phx_model_override override = {.name = "way", .value = way};
    phx_model *model = NULL;
    assert_in_range(snprintf(text, sizeof text, "%s%s", arm, more), 1, sizeof text - 1);
    CHECK_OK(context, phx_model_read_text(context, "text.yaml", text, strlen(text), 1, &override, &model));
    return model;
}

static phx_result *invert(phx_context *context, const phx_model *model, const char *path,
                          phx_stable_inverse_report *report)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_result *table = NULL;
    options.csv_path = path;
    CHECK_OK(context, phx_study_stable_inverse(context, model, &options, report, &table));
    assert_int_equal(phx_result_rows(table), report->rows);
    return table;
}

static double wanted(double t, double way)
{
    double x = fmin(fmax((t - 0.5) / 0.8, 0.0), 1.0);
    for (int k = 0; k < 2; k++)
        x = x * x * x * (10.0 - 15.0 * x + 6.0 * x * x);
    return way * x;
}

/* x' = A x + B u from rest with the table's u, through cubics between its rows, by Runge and Kutta; y = C x. */
enum { MOST = 40, BETWEEN = 20 };

static double cubic(const double *u, double s) /* between u[0] and u[1], from u[-1] to u[2] */
{
    const double a = u[-1], b = u[0], c = u[1], d = u[2];
    return b + s * ((c - a / 3.0 - b / 2.0 - d / 6.0) + s * ((a + c) / 2.0 - b + s * ((d - a) / 6.0 + (b - c) / 2.0)));
}

static void rates(const phx_ss *ss, const double *x, double u, double *dx)
{
    const int n = phx_ss_n(ss);
    const double *A = phx_ss_A(ss), *B = phx_ss_B(ss);
    for (int i = 0; i < n; i++) {
        dx[i] = B[i] * u;
        for (int j = 0; j < n; j++)
            dx[i] += A[i * n + j] * x[j];
    }
}

static void step(const phx_ss *ss, double h, const double *u, double from, double *x)
{
    const int n = phx_ss_n(ss);
    const double at[4] = {0.0, 0.5, 0.5, 1.0};
    double k[4][MOST], y[MOST];
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < n; i++)
            y[i] = x[i] + (s > 0 ? h * at[s] * k[s - 1][i] : 0.0);
        rates(ss, y, cubic(u, from + at[s] / BETWEEN), k[s]);
    }
    for (int i = 0; i < n; i++)
        x[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
}

static void test_linear(void **state)
{
    phx_context *context = *state;
    phx_model *model = arm_with(context, motion, 0.1);
    phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_stable_inverse_report report;
    phx_linear_report linear = {0};
    phx_result *table = invert(context, model, NULL, &report);
    const size_t rows = report.rows;
    double *u = calloc(rows, sizeof *u), x[MOST] = {0.0}, worst = 0.0;

    assert_non_null(u);
    assert_int_equal(report.zeros, report.states - 2); /* a place: degree 2 */
    assert_int_equal(report.antistable, 8);            /* as many as bending has, in pairs of +- */
    assert_int_equal(phx_result_columns(table), 3 + report.states);
    CHECK_BELOW(report.early, 1e-10, "before the first row");
    options.channels.n_inputs = options.channels.n_outputs = 1;
    options.channels.inputs = model->inverse.inputs;
    options.channels.outputs = model->inverse.outputs;
    CHECK_OK(context, phx_study_linearize(context, model, &options, &linear));
    assert_true(phx_ss_n(linear.system) == report.states && report.states <= MOST);
    CHECK_OK(context, phx_result_column(table, 1, 0, rows, u));
    for (size_t k = 1; k + 2 < rows; k++) {
        double y = 0.0;
        for (int s = 0; s < BETWEEN; s++)
            step(linear.system, 2e-3 / BETWEEN, u + k, (double)s / BETWEEN, x);
        for (int i = 0; i < report.states; i++)
            y += phx_ss_C(linear.system)[i] * x[i];
        worst = fmax(worst, fabs(y - wanted(2e-3 * (double)(k + 1), 0.1)));
        CHECK_CLOSE(x[0], result_value(context, table, "rigid1", k + 1), 1e-6, "rigid motion, row %zu", k + 1);
        CHECK_CLOSE(x[1], result_value(context, table, "mode1", k + 1), 1e-6, "first mode, row %zu", k + 1);
    }
    print_message("tip of the linear model off by %.3g m, of 0.1\n", worst);
    CHECK_BELOW(worst, 1e-7, "tip of the linear model");
    free(u);
    phx_linear_report_free(&linear);
    phx_result_destroy(table);
    phx_model_destroy(model);
}

/* Largest distance of the tip's y from what it shall be. */
static double replayed(phx_context *context, const char *drive, double way)
{
    phx_model *model = arm_with(context, drive, way);
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;
    double worst = 0.0;
    options.has_integrator = true;
    options.integrator = PHX_GAUSS6;
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, &report, &result));
    for (size_t k = 0; k < report.rows; k++)
        worst = fmax(worst, fabs(result_value(context, result, "tip.y", k) -
                                 wanted(result_value(context, result, "t", k), way)));
    phx_result_destroy(result);
    phx_model_destroy(model);
    return worst;
}

static void test_arm(void **state)
{
    phx_context *context = *state;
    double error[3];

    for (int k = 0; k < 3; k++) {
        const double way = 0.2 / (1 << k);
        phx_stable_inverse_report report;
        phx_model *model = arm_with(context, motion, way);
        phx_result_destroy(invert(context, model, "efforts.csv", &report));
        phx_model_destroy(model);
        error[k] = replayed(context, by_table, way);
        print_message("way of %g m: tip off by %.3g m\n", way, error[k]);
    }
    const double rigid = replayed(context, rigidly, 0.05);
    print_message("torque of the rigid arm: off by %.3g m\n", rigid);
    CHECK_BELOW(error[1], error[0] / 3.9, "second order in the motion");
    CHECK_BELOW(error[2], error[1] / 3.9, "second order in the motion");
    CHECK_BELOW(error[2], rigid / 100.0, "against the torque of the rigid arm");
}

static void refuse(phx_context *context, const char *text, phx_status expected, const char *words)
{
    phx_model *model = read_text(context, text);
    const phx_simulate_options options = phx_simulate_options_default();
    phx_stable_inverse_report report;
    phx_result *table = NULL;
    CHECK_STATUS(context, phx_study_stable_inverse(context, model, &options, &report, &table), expected);
    assert_null(table);
    CHECK_MESSAGE(context, words);
    phx_model_destroy(model);
}

static void test_refusals(void **state)
{
#define HEAD                                                                                                           \
    "phlexor: 1\ndimension: 2\nbodies: {a: {kind: rigid, mass: 1, inertia: 1, ports: {Q: {position: [1, 0]}}}, "       \
    "b: {kind: rigid, mass: 1, inertia: 1, ports: {Q: {position: [1, 1]}}}}\noutputs: {q: {coordinate: j}}\n"          \
    "joints: {j: {kind: revolute, ports: [ground.O, a.P]}, k: {kind: revolute, ports: [ground.O, b.P]}}\n"
#define ENDS "simulate: {end: 1, every: 0.1}\n"
    phx_context *context = *state;
    refuse(context, HEAD ENDS, PHX_ERR_INPUT, "needs `inverse:");
    refuse(context, HEAD "inverse: {inputs: [j.effort], motion: {q: \"ramp(t, 0.2, 0.8)\"}}\n", PHX_ERR_INPUT,
           "an end and an interval");
    refuse(context, HEAD ENDS "inverse: {inputs: [j.effort], motion: {q: t}}\n", PHX_ERR_INPUT, "at rest");
    refuse(context, HEAD ENDS "inverse: {inputs: [j.effort], motion: {q: 1}}\n", PHX_ERR_INPUT, "the change from");
    refuse(context, HEAD ENDS "inverse: {inputs: [k.effort], motion: {q: \"ramp(t, 0.2, 0.8)\"}}\n", PHX_ERR_ANALYSIS,
           "no input moves");
    refuse(context, HEAD ENDS "inverse: {inputs: [j.effort], motion: {p: 1}}\n", PHX_ERR_INPUT, "'p'");
    refuse(context,
           HEAD ENDS "springs: {s: {ports: [a.Q, b.Q], stiffness: 10}}\n"
                     "inverse: {inputs: [k.effort], motion: {q: \"ramp(t, 0.2, 0.8)\"}}\n",
           PHX_ERR_UNSUPPORTED, "in its derivative of order 4");
#undef HEAD
#undef ENDS
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_linear, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_arm, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_refusals, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
