/* Rods in published problems: lateral buckling of a strip and of a right-angle frame, the spin-up of a rod on a motor,
 * a right-angle cantilever that is struck at its elbow.
 *
 * References. Strip: 47.3593886 N of the section of the Princeton beam, tip load along its stiff direction, by shooting
 * with the deflection before buckling; 4.0125993 sqrt(EI GJ)/L^2 of one that is stiff in its plane (Prandtl). Frame:
 * linear equations of the two legs, stiff in their plane, by shooting with Dormand and Prince's method of order 8 at
 * 1e-13 (SciPy): 1.0867575 N; Argyris et al. (1979) have 1.088. Spin-up (Simo and Vu-Quoc 1986; Wu and Haug 1988): the
 * steady stretch in closed form, the largest lag by a floating beam with stiffening. Cantilever (Simo and Vu-Quoc
 * 1988): an independent program with the same nodes and steps. */
#include "support/testing.h"

#include "base/base.h"

#include <math.h>
#include <phlexor/results.h>
#include <phlexor/study.h>
#include <stdio.h>
#include <string.h>

enum { LEG = 1000, TEXT = 3 * LEG };

/* A section by the diagonals of its stiffness and mass, in space. */
#define SPACE_SECTION                                                                                                  \
    "section: {kind: general, stiffness: [[%.17g, 0, 0, 0, 0, 0], [0, %.17g, 0, 0, 0, 0], [0, 0, %.17g, 0, 0, 0], "    \
    "[0, 0, 0, %.17g, 0, 0], [0, 0, 0, 0, %.17g, 0], [0, 0, 0, 0, 0, %.17g]], mass: [[1, 0, 0, 0, 0, 0], [0, 1, 0, "   \
    "0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, %g, 0, 0], [0, 0, 0, 0, %g, 0], [0, 0, 0, 0, 0, %g]]}"

static phx_model *read(phx_context *context, const char *text)
{
    phx_model *model = NULL;
    CHECK_OK(context, phx_model_read_text(context, "rods.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

static double *column(phx_context *context, const phx_result *result, const char *name)
{
    const size_t rows = phx_result_rows(result);
    const int k = phx_result_column_find(result, name);
    double *values = phx_calloc(context, rows, sizeof *values);
    assert_non_null(values);
    assert_true(k >= 0);
    CHECK_OK(context, phx_result_column(result, k, 0, rows, values));
    return values;
}

static phx_result *run(phx_context *context, const char *text)
{
    const phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;
    phx_model *model = read(context, text);
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, &report, &result));
    phx_model_destroy(model);
    return result;
}

/* ---- buckling ---- */
/* The load `f` at which the equilibrium loses its stability, by bisection between two. */
static double critical(phx_context *context, const char *text, double stable, double unstable)
{
    enum { HALVINGS = 16 };
    const phx_study_static_options options = phx_study_static_options_default();
    phx_model *model = read(context, text);
    phx_study_static_report report;

    for (int k = 0; k < HALVINGS; k++) {
        const double middle = 0.5 * (stable + unstable);
        const phx_model_override load = {.name = "f", .value = middle};
        CHECK_OK(context, phx_model_set_parameters(context, model, 1, &load));
        CHECK_OK(context, phx_study_static(context, model, &options, &report, NULL));
        if (report.found.unstable > 0)
            unstable = middle;
        else
            stable = middle;
    }
    phx_model_destroy(model);
    return 0.5 * (stable + unstable);
}

static double strip(phx_context *context, int elements, double chord, double low, double high)
{
    char text[TEXT];
    snprintf(text, sizeof text,
             "phlexor: 1\ndimension: 3\nparameters: {f: 1}\nbodies:\n"
             "  strip: {kind: rod, length: 0.508, elements: %d, shear: rigid, " SPACE_SECTION "}\n"
             "joints: {clamp: {kind: weld, ports: [ground.O, strip.P]}}\n"
             "loads: {p: {force: [0, f, 0], at: strip.C}}\n",
             elements, 1e6, 1e6, 1e6, 3.103, 2.429, chord, 1e-3, 1e-3, 1e-3);
    return critical(context, text, low, high);
}

static void a_strip_buckles_sideways(void **state)
{
    const double exact = 47.359388565, stiff = 4.0125993436 * sqrt(2.429 * 3.103) / (0.508 * 0.508);
    double error[3];

    for (int k = 0; k < 3; k++)
        error[k] = fabs(strip(*state, 2 << k, 36.28, 0.98 * exact, 1.02 * exact) / exact - 1.0);
    CHECK_BELOW(error[1], error[0] / 8.0, "4 elements against 2");
    CHECK_BELOW(error[2], error[1] / 8.0, "8 elements against 4");
    CHECK_BELOW(error[2], 1e-4, "8 elements");
    /* what is left of the stiffness in its plane: (1 - EI/EI_chord)(1 - GJ/EI_chord), its root */
    CHECK_RELATIVE(strip(*state, 8, 1e4, 0.98 * stiff, 1.02 * stiff), stiff, 5e-4, "stiff in its plane");
}

static void a_frame_buckles_sideways(void **state)
{
    const double E = 71240.0, GJ = E / 2.62 * 2.16, EI[2] = {E * 0.54, E * 1350.0};
    char text[TEXT], leg[LEG];

    snprintf(leg, sizeof leg, "kind: rod, length: 240, elements: 6, shear: rigid, " SPACE_SECTION, 18.0 * E, E, E, GJ,
             EI[0], EI[1], 1e-3, 1e-3, 1e-3);
    snprintf(text, sizeof text,
             "phlexor: 1\ndimension: 3\nparameters: {f: 1}\nbodies:\n  a: {%s}\n"
             "  b: {%s, pose: {position: [240, 0, 0], rotation: {axis: [0, 0, 1], angle: -90*deg}}}\n"
             "joints:\n  clamp: {kind: weld, ports: [ground.O, a.P]}\n  corner: {kind: weld, ports: [a.C, b.P]}\n"
             "loads: {p: {force: [f, 0, 0], at: b.C}}\n",
             leg, leg);
    const double found = critical(*state, text, 1.05, 1.12);
    CHECK_RELATIVE(found, 1.0867574919574792, 1e-3, "stiff in its plane");
    CHECK_RELATIVE(found, 1.088, 2e-3, "Argyris et al.");
}

/* ---- spin-up ---- */
#define SPIN_UP                                                                                                        \
    "phlexor: 1\ndimension: 2\nmaterials: {light: {density: 1200, young: 2.8e10}}\nbodies:\n  rod: {%s, length: 10}\n" \
    "joints:\n  motor: {kind: revolute, ports: [ground.O, rod.P], angle: 0, speed: \"6/15*(min(t, 15) - "              \
    "15/(2*pi)*sin(2*pi*min(t, 15)/15))\"}\n"                                                                          \
    "outputs: {tip: {position: rod.C}, angle: {coordinate: motor}}\nsimulate: {end: 20, step: 0.01, every: 0.05}\n"

/* The largest lag of the tip behind the motor, m, and the mean stretch from 15.5 s on. */
static void spin_up(phx_context *context, const char *body, double *lag, double *stretch)
{
    char text[TEXT];
    int late = 0;
    snprintf(text, sizeof text, SPIN_UP, body);
    phx_result *result = run(context, text);
    double *t = column(context, result, "t"), *x = column(context, result, "tip.x");
    double *y = column(context, result, "tip.y"), *angle = column(context, result, "angle");

    *lag = *stretch = 0.0;
    for (size_t k = 0; k < phx_result_rows(result); k++) {
        const double c = cos(angle[k]), s = sin(angle[k]);
        *lag = fmax(*lag, x[k] * s - y[k] * c);
        if (t[k] > 15.5) {
            *stretch += x[k] * c + y[k] * s - 10.0;
            late++;
        }
    }
    *stretch /= late;
    phx_free(t);
    phx_free(x);
    phx_free(y);
    phx_free(angle);
    phx_result_destroy(result);
}

/* rho A w^2 (x + u) + EA u'' = 0:  u(L) = tan(k L)/k - L,  k^2 = rho A w^2/EA */
static void a_rod_is_spun_up(void **state)
{
    const double k = 6.0 * sqrt(1.2 / 2.8e7), steady = tan(10.0 * k) / k - 10.0;
    double lag[2], stretch[2];

    spin_up(*state,
            "kind: rod, elements: 16, section: {kind: general, stiffness: [[2.8e7, 0, 0], [0, 1e7, 0], [0, 0, 1.4e4]], "
            "mass: [[1.2, 0, 0], [0, 1.2, 0], [0, 0, 6e-4]]}",
            &lag[0], &stretch[0]);
    spin_up(*state,
            "kind: beam, material: light, section: {kind: general, area: 1e-3, inertia: 5e-7}, elements: 8, reference: "
            "cantilever, stiffening: true",
            &lag[1], &stretch[1]);
    CHECK_RELATIVE(stretch[0], steady, 5e-3, "stretch at 6 rad/s");
    CHECK_BETWEEN(lag[0], 0.5, 0.65, "the tip lags");
    CHECK_RELATIVE(lag[0], lag[1], 5e-3, "as that of a beam with stiffening");
}

/* ---- the right-angle cantilever ---- */
static const struct {
    double t, elbow, tip; /* out of the plane, 12 elements a leg, h = 1/16 */
} struck[] = {
    {0.5, 0.13721843, 0.011413694}, {1.0, 0.95213077, 0.052839591}, {2.0, 4.1132291, 0.073243788},
    {3.0, 5.499121, 1.5052084},     {4.0, 4.6487566, 3.5143036},    {5.0, 3.1093448, 5.4678455},
    {6.0, 2.5452123, 6.9180947},
};

static void a_cantilever_is_struck_at_its_elbow(void **state)
{
    char leg[LEG], text[TEXT];

    snprintf(leg, sizeof leg, "kind: rod, length: 10, elements: 12, " SPACE_SECTION, 1e6, 1e6, 1e6, 1e3, 1e3, 1e3, 20.0,
             10.0, 10.0);
    snprintf(text, sizeof text,
             "phlexor: 1\ndimension: 3\nbodies:\n  a: {%s}\n"
             "  b: {%s, pose: {position: [10, 0, 0], rotation: {axis: [0, 0, 1], angle: 90*deg}}}\n"
             "joints:\n  clamp: {kind: weld, ports: [ground.O, a.P]}\n  corner: {kind: weld, ports: [a.C, b.P]}\n"
             "loads: {p: {force: [0, 0, {times: [0, 1, 2], values: [0, 50, 0]}], at: a.C}}\n"
             "outputs: {elbow: {position: a.C}, tip: {position: b.C}}\n"
             "simulate: {end: 6, step: 0.0625, every: 0.5}\n",
             leg, leg);
    phx_result *result = run(*state, text);
    double *t = column(*state, result, "t"), *elbow = column(*state, result, "elbow.z");
    double *tip = column(*state, result, "tip.z"), *residual = column(*state, result, "residual");
    size_t compared = 0;

    for (size_t k = 0; k < phx_result_rows(result); k++)
        for (size_t i = 0; i < sizeof struck / sizeof *struck; i++)
            if (fabs(t[k] - struck[i].t) < 1e-9) {
                CHECK_CLOSE(elbow[k], struck[i].elbow, 1e-3, "elbow at %g s", t[k]);
                CHECK_CLOSE(tip[k], struck[i].tip, 3e-3, "tip at %g s", t[k]);
                CHECK_SMALL(residual[k], 1e-9, "balance");
                compared++;
            }
    assert_int_equal(compared, sizeof struck / sizeof *struck);
    phx_free(t);
    phx_free(elbow);
    phx_free(tip);
    phx_free(residual);
    phx_result_destroy(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_strip_buckles_sideways, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_frame_buckles_sideways, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_rod_is_spun_up, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_cantilever_is_struck_at_its_elbow, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
