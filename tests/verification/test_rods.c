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
#include "results/results.h"

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
/* The smallest critical load of that sign; `load` is its direction. */
static double critical(phx_context *context, const char *text, double load, double sign)
{
    phx_study_static_options options = phx_study_static_options_default();
    const phx_model_override direction = {.name = "f", .value = load};
    phx_model *model = read(context, text);
    phx_study_static_report report;
    double found = HUGE_VAL;

    options.buckling = 4;
    CHECK_OK(context, phx_model_set_parameters(context, model, 1, &direction));
    CHECK_OK(context, phx_study_static(context, model, &options, &report, NULL));
    for (int k = report.n_critical - 1; k >= 0; k--)
        if (sign * report.critical[k].factor > 0.0) {
            assert_false(report.critical[k].limit);
            found = sign * load * report.critical[k].factor;
        }
    phx_model_destroy(model);
    return found;
}

static double strip(phx_context *context, int elements, double chord, double load, double sign)
{
    char text[TEXT];
    snprintf(text, sizeof text,
             "phlexor: 1\ndimension: 3\nparameters: {f: 1}\nbodies:\n"
             "  strip: {kind: rod, length: 0.508, elements: %d, shear: rigid, " SPACE_SECTION "}\n"
             "joints: {clamp: {kind: weld, ports: [ground.O, strip.P]}}\n"
             "loads: {p: {force: [0, f, 0], at: strip.C}}\n",
             elements, 1e6, 1e6, 1e6, 3.103, 2.429, chord, 1e-3, 1e-3, 1e-3);
    return critical(context, text, load, sign);
}

static void a_strip_buckles_sideways(void **state)
{
    const double exact = 47.359388565, stiff = 4.0125993436 * sqrt(2.429 * 3.103) / (0.508 * 0.508);
    double error[3];

    for (int k = 0; k < 3; k++)
        error[k] = fabs(strip(*state, 2 << k, 36.28, 1.0, 1.0) / exact - 1.0);
    CHECK_BELOW(error[1], error[0] / 8.0, "4 elements against 2");
    CHECK_BELOW(error[2], error[1] / 8.0, "8 elements against 4");
    CHECK_BELOW(error[2], 1e-4, "8 elements");
    /* what is left of the stiffness in its plane: (1 - EI/EI_chord)(1 - GJ/EI_chord), its root */
    CHECK_RELATIVE(strip(*state, 8, 1e4, 1.0, 1.0), stiff, 5e-4, "stiff in its plane");
    /* the load is a direction: from far below, from beyond, and the other way */
    const double one = strip(*state, 8, 36.28, 1.0, 1.0);
    CHECK_RELATIVE(strip(*state, 8, 36.28, 60.0, 1.0), one, 1e-7, "beyond the critical load");
    CHECK_RELATIVE(strip(*state, 8, 36.28, 1e-3, 1.0), one, 1e-7, "nearly unloaded");
    CHECK_RELATIVE(strip(*state, 8, 36.28, 20.0, -1.0), one, 1e-7, "the other way");
}

/* The right-angle frame of Argyris et al., a force f in its plane at its end. */
static void frame(int elements, char *text)
{
    const double E = 71240.0, GJ = E / 2.62 * 2.16, EI[2] = {E * 0.54, E * 1350.0};
    char leg[LEG];

    snprintf(leg, sizeof leg, "kind: rod, length: 240, elements: %d, shear: rigid, " SPACE_SECTION, elements, 18.0 * E,
             E, E, GJ, EI[0], EI[1], 1e-3, 1e-3, 1e-3);
    snprintf(text, TEXT,
             "phlexor: 1\ndimension: 3\nparameters: {f: 1}\nbodies:\n  a: {%s}\n"
             "  b: {%s, pose: {position: [240, 0, 0], rotation: {axis: [0, 0, 1], angle: -90*deg}}}\n"
             "joints:\n  clamp: {kind: weld, ports: [ground.O, a.P]}\n  corner: {kind: weld, ports: [a.C, b.P]}\n"
             "loads: {p: {force: [f, 0, 0], at: b.C}}\n",
             leg, leg);
}

static void a_frame_buckles_sideways(void **state)
{
    char text[TEXT];

    frame(6, text);
    const double found = critical(*state, text, 1.0, 1.0);
    CHECK_RELATIVE(found, 1.0867574919574792, 1e-3, "stiff in its plane");
    CHECK_RELATIVE(found, 1.088, 2e-3, "Argyris et al.");
    CHECK_RELATIVE(critical(*state, text, 1.0, -1.0), 0.680, 2e-3, "the other way, Argyris et al.");
}

/* Euler's columns with EI = 1, L = 1, held at the foot and at the top as it says. */
static double euler(phx_context *context, int elements, const char *foot, const char *top, double GA, double load)
{
    char text[TEXT];
    snprintf(
        text, sizeof text,
        "phlexor: 1\ndimension: 2\nparameters: {f: 1}\nbodies:\n  rod: {kind: rod, length: 1, elements: %d, section: "
        "{kind: general, stiffness: [[1e7, 0, 0], [0, %.17g, 0], [0, 0, 1]], mass: [[1, 0, 0], [0, 1, 0], [0, 0, "
        "1e-3]]}}\njoints:\n  foot: {kind: %s, ports: [ground.O, rod.P]}\n%s"
        "loads: {p: {force: [-f, 0], at: rod.C}}\n",
        elements, GA, foot, top);
    return critical(context, text, load, 1.0);
}

/* Clamped and free, hinged, clamped and hinged (tan x = x), clamped; and sheared: P = GA/2 (sqrt(1 + 4 P_E/GA) - 1)
 * (Haringx), the forces on a section that stay those across and along it. */
static void columns_buckle_at_eulers_loads(void **state)
{
    static const char slider[] = "  top: {kind: slider, ports: [ground.O, rod.C], axis: [1, 0]}\n";
    static const char guide[] = "  top: {kind: prismatic, ports: [ground.O, rod.C], axis: [1, 0]}\n";
    const double square = TEST_PI * TEST_PI, GA = 40.0;
    double x = 4.49;

    for (int k = 0; k < 20; k++) /* tan x = x */
        x -= (tan(x) - x) / (tan(x) * tan(x));
    CHECK_RELATIVE(euler(*state, 8, "weld", "", 1e9, 1.0), 0.25 * square, 1e-4, "clamped and free");
    CHECK_RELATIVE(euler(*state, 8, "revolute", slider, 1e9, 1.0), square, 5e-4, "hinged");
    CHECK_RELATIVE(euler(*state, 8, "weld", slider, 1e9, 100.0), x * x, 1.5e-3, "clamped and hinged");
    CHECK_RELATIVE(euler(*state, 8, "weld", guide, 1e9, 1e-3), 4.0 * square, 5e-3, "clamped");
    CHECK_RELATIVE(euler(*state, 32, "revolute", slider, GA, 1.0), 0.5 * GA * (sqrt(1.0 + 4.0 * square / GA) - 1.0),
                   5e-4, "hinged, with shear");
}

/* A deep arch (215 degrees of a circle, one end clamped, one hinged) under a force at its top snaps at 8.97 EI/R^2
 * (DaDeppo and Schmidt 1975). */
static void a_deep_arch_snaps(void **state)
{
    const double half = 107.5 * TEST_PI / 180.0, R = 100.0;
    char text[TEXT];
    phx_study_static_options options = phx_study_static_options_default();
    phx_study_static_report report;

    snprintf(
        text, sizeof text,
        "phlexor: 1\ndimension: 2\nground: {ports: {A: {position: [%.17g, %.17g]}, B: {position: [%.17g, "
        "%.17g]}}}\nbodies:\n  arch: {kind: rod, arc: {radius: %g, angle: %.17g}, elements: 20, shear: rigid, "
        "section: {kind: general, stiffness: [[1e8, 0, 0], [0, 1e8, 0], [0, 0, 1e6]], mass: [[1, 0, 0], [0, 1, 0], "
        "[0, 0, 0.1]]}, pose: {position: [%.17g, %.17g], angle: %.17g}}\n"
        "joints:\n  clamp: {kind: weld, ports: [ground.A, arch.P]}\n  hinge: {kind: revolute, ports: [ground.B, "
        "arch.C]}\nloads: {p: {force: [0, -100], at: arch@0.5}}\n",
        -R * sin(half), R * cos(half), R * sin(half), R * cos(half), R, -2.0 * half, -R * sin(half), R * cos(half),
        half);
    phx_model *model = read(*state, text);
    options.buckling = 1;
    CHECK_OK(*state, phx_study_static(*state, model, &options, &report, NULL));
    assert_int_equal(report.n_critical, 1);
    assert_true(report.critical[0].limit);
    CHECK_RELATIVE(100.0 * report.critical[0].factor, 8.97 * 1e6 / (R * R), 1e-3, "DaDeppo and Schmidt");
    phx_model_destroy(model);
}

/* K and E of the modulus k by the arithmetic-geometric mean. */
static void elliptic(double k, double *K, double *E)
{
    double a = 1.0, b = sqrt(1.0 - k * k), sum = 1.0 - 0.5 * k * k;

    for (double power = 1.0; a - b > 1e-15; power *= 2.0) {
        const double c = 0.5 * (a - b), mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
        sum -= power * c * c;
    }
    *K = 0.5 * TEST_PI / a;
    *E = *K * sum;
}

/* Behind the critical load the path goes into the branch of the elastica: with the modulus k of the tip's angle 2 asin
 * k, P = K^2, x = 2 E/K - 1, y = 2 k/K. */
static void a_column_becomes_the_elastica(void **state)
{
    const double P = 12.0;
    char text[TEXT];
    phx_study_static_options options = phx_study_static_options_default();
    phx_study_static_report report;
    phx_result *result = NULL;
    int bent = 0;

    snprintf(text, sizeof text,
             "phlexor: 1\ndimension: 2\nbodies:\n  rod: {kind: rod, length: 1, elements: 16, shear: rigid, section: "
             "{kind: general, stiffness: [[1e6, 0, 0], [0, 1e6, 0], [0, 0, 1]], mass: [[1, 0, 0], [0, 1, 0], [0, 0, "
             "1e-3]]}}\njoints: {foot: {kind: weld, ports: [ground.O, rod.P]}}\n"
             "loads: {p: {force: [-%g, 0], at: rod.C}}\noutputs: {tip: {position: rod.C}}\n",
             P);
    phx_model *model = read(*state, text);
    options.path = options.branch = true;
    CHECK_OK(*state, phx_study_static(*state, model, &options, &report, &result));
    double *load = column(*state, result, "static.load"), *unstable = column(*state, result, "static.unstable");
    double *x = column(*state, result, "tip.x"), *y = column(*state, result, "tip.y");
    for (size_t r = 0; r < report.rows; r++) {
        double low = 0.0, high = 1.0 - 1e-12, K, E;
        if (fabs(y[r]) < 0.1) /* where y is as the root of what the load is beyond the critical one */
            continue;
        for (int k = 0; k < 100; k++) {
            elliptic(0.5 * (low + high), &K, &E);
            *(K * K < P * load[r] ? &low : &high) = 0.5 * (low + high);
        }
        CHECK_CLOSE(x[r], 2.0 * E / K - 1.0, 1e-4, "x at the load %g", P * load[r]);
        CHECK_CLOSE(fabs(y[r]), 2.0 * low / K, 1e-4, "y at the load %g", P * load[r]);
        CHECK_CLOSE(unstable[r], 0.0, 0.0, "stable at the load %g", P * load[r]);
        bent++;
    }
    CHECK_CLOSE(load[report.rows - 1], 1.0, 1e-12, "the path comes to its end");
    assert_true(bent > 10);
    phx_free(load);
    phx_free(unstable);
    phx_free(x);
    phx_free(y);
    phx_result_destroy(result);
    phx_model_destroy(model);
}

/* The right-angle frame is stiff: its residuals are rounded to more than 1e-10 of the load. */
static void the_path_of_a_frame_leads_over_its_bifurcation(void **state)
{
    char text[TEXT];
    phx_study_static_options options = phx_study_static_options_default();
    phx_study_static_report report;

    frame(6, text);
    phx_model *model = read(*state, text);
    const phx_model_override beyond = {.name = "f", .value = 1.3};
    CHECK_OK(*state, phx_model_set_parameters(*state, model, 1, &beyond));
    options.path = true;
    options.points = 40;
    for (int branch = 0; branch < 2; branch++) {
        options.branch = branch;
        CHECK_OK(*state, phx_study_static(*state, model, &options, &report, NULL));
        assert_int_equal(report.found.unstable, !branch);
        if (branch)
            CHECK_BETWEEN(report.load, 1.087 / 1.3, 1.0, "it goes sideways");
        else
            CHECK_CLOSE(report.load, 1.0, 1e-12, "it goes straight on");
    }
    phx_model_destroy(model);
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
        cmocka_unit_test_setup_teardown(columns_buckle_at_eulers_loads, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_deep_arch_snaps, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_column_becomes_the_elastica, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_path_of_a_frame_leads_over_its_bifurcation, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(a_frame_buckles_sideways, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_rod_is_spun_up, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_cantilever_is_struck_at_its_elbow, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
