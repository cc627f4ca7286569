/* Rods in space against closed forms: a helix under a wrench (Kirchhoff), vibrations of a ring in its plane and out of
 * it (Hoppe; Michell), a shaft that buckles under torque between clamps (Greenhill); and a strip that runs out of a
 * guide, against Galerkin's method on a length that grows. */
#include "support/testing.h"

#include "base/base.h"
#include "results/results.h"

#include <math.h>
#include <phlexor/results.h>
#include <phlexor/study.h>
#include <stdio.h>
#include <string.h>

enum { SECTION = 700, HALF = 1000, TEXT = 4000 };

static phx_model *read(phx_context *context, const char *text)
{
    phx_model *model = NULL;
    CHECK_OK(context, phx_model_read_text(context, "rods.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

/* A section without shear: axial stiffness, GJ, EI about 2 and 3; 1 kg/m. */
static const char *section(double axial, double GJ, double EI2, double EI3)
{
    static char text[SECTION];
    snprintf(
        text, sizeof text,
        "shear: rigid, section: {kind: general, stiffness: [[%g, 0, 0, 0, 0, 0], [0, %g, 0, 0, 0, 0], [0, 0, %g, 0, "
        "0, 0], [0, 0, 0, %g, 0, 0], [0, 0, 0, 0, %g, 0], [0, 0, 0, 0, 0, %g]], mass: [[1, 0, 0, 0, 0, 0], [0, 1, "
        "0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 2e-6, 0, 0], [0, 0, 0, 0, 1e-6, 0], [0, 0, 0, 0, 0, 1e-6]]}",
        axial, axial, axial, GJ, EI2, EI3);
    return text;
}

/* ---- a helix ---- */
/* A straight rod of equal EI about both axes becomes a helix of curvature k, torsion tau and twist w under a wrench
 * along the axis of the helix. With the tangent t = (cos a) e_th + (sin a) e_z, tan a = tau/k, and the moment
 * m = EI k b + GJ w t = M e_z + r F e_th:   r F = cos a (GJ w - EI tau) ,  r = k/(k^2 + tau^2). */
enum { ALONG_N = 3, ALONG_B = 6 };
static void helix(double k, double tau, double s, double *place, double *axes)
{
    const double q = sqrt(k * k + tau * tau), c = k / q, z = tau / q, r = k / (q * q), co = cos(q * s), si = sin(q * s);
    const double t[3] = {-c * si, c * co, z}, n[3] = {-co, -si, 0.0};

    place[0] = r * co;
    place[1] = r * si;
    place[2] = z * s;
    for (int i = 0; i < 3; i++) {
        axes[i] = t[i];
        axes[ALONG_N + i] = n[i];
        axes[ALONG_B + i] = t[(i + 1) % 3] * n[(i + 2) % 3] - t[(i + 2) % 3] * n[(i + 1) % 3];
    }
}

/* Distance of the end from the helix, and of the twist there from w. */
static void wrench(phx_context *context, int elements, double error[2])
{
    const double k = 1.5, tau = 0.6, w = 0.4, EI = 2.0, GJ = 1.5, q = sqrt(k * k + tau * tau);
    phx_study_static_options options = phx_study_static_options_default();
    double at[2][3], axes[2][9], moment[3], found[3], twist;
    phx_study_static_report report;
    phx_result *result = NULL;
    char text[TEXT];

    helix(k, tau, 0.0, at[0], axes[0]);
    helix(k, tau, 1.0, at[1], axes[1]);
    for (int i = 0; i < 3; i++)
        moment[i] = EI * k * axes[1][ALONG_B + i] + GJ * w * axes[1][i];
    snprintf(
        text, sizeof text,
        "phlexor: 1\ndimension: 3\nground: {ports: {A: {position: [%.17g, %.17g, %.17g]}}}\nbodies:\n  rod: {kind: "
        "rod, length: 1, elements: %d, %s, pose: {position: [%.17g, %.17g, %.17g], rotation: {matrix: [[%.17g, "
        "%.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]}}}\njoints: {clamp: {kind: weld, ports: "
        "[ground.A, rod.P]}}\nloads:\n  force: {force: [0, 0, %.17g], at: rod.C}\n  moment: {torque: [%.17g, "
        "%.17g, %.17g], at: rod.C}\noutputs: {end: {position: rod.C}, strain: {strain: rod.C}}\n",
        at[0][0], at[0][1], at[0][2], elements, section(1e9, GJ, EI, EI), at[0][0], at[0][1], at[0][2], axes[0][0],
        axes[0][3], axes[0][6], axes[0][1], axes[0][4], axes[0][7], axes[0][2], axes[0][5], axes[0][8],
        q * (GJ * w - EI * tau), moment[0], moment[1], moment[2]);
    phx_model *model = read(context, text);
    options.steps = 12;
    CHECK_OK(context, phx_study_static(context, model, &options, &report, &result));
    const size_t last = phx_result_rows(result) - 1;
    static const char *const names[] = {"end.x", "end.y", "end.z"};
    for (int i = 0; i < 3; i++)
        CHECK_OK(context, phx_result_column(result, phx_result_column_find(result, names[i]), last, 1, &found[i]));
    CHECK_OK(context, phx_result_column(result, phx_result_column_find(result, "strain.k1"), last, 1, &twist));
    for (int i = 0; i < 3; i++)
        found[i] -= at[1][i];
    error[0] = max_abs(3, found);
    error[1] = fabs(twist - w);
    phx_result_destroy(result);
    phx_model_destroy(model);
}

static void a_wrench_makes_a_helix(void **state)
{
    double coarse[2], fine[2];

    wrench(*state, 4, coarse);
    wrench(*state, 8, fine);
    CHECK_BELOW(coarse[0], 2e-5, "4 elements: end");
    CHECK_BELOW(fine[0], coarse[0] / 12.0, "order 4");
    CHECK_BELOW(fine[1], 1e-6, "8 elements: twist");
}

/* ---- a ring ---- */
static double nearest(const phx_modes_table *table, double omega)
{
    double found = HUGE_VAL;
    for (int k = 0; k < table->n_rows; k++)
        if (fabs(table->rows[k].omega - omega) < fabs(found - omega))
            found = table->rows[k].omega;
    return fabs(found / omega - 1.0);
}

/* Two half rings, R = 1, EI 2 in the plane, 3 across it, GJ = 1.5: in the plane and across it
 *     w^2 = n^2 (n^2 - 1)^2/(n^2 + 1) EI/(rho A R^4) ,   w^2 = n^2 (n^2 - 1)^2/(n^2 + EI/GJ) EI/(rho A R^4) . */
static void ring(phx_context *context, int elements, double error[4])
{
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_modes_table table;
    char text[TEXT], half[HALF];

    snprintf(half, sizeof half, "kind: rod, arc: {radius: 1, angle: 180*deg}, elements: %d, %s", elements / 2,
             section(1e8, 1.5, 3.0, 2.0));
    snprintf(text, sizeof text,
             "phlexor: 1\ndimension: 3\nbodies:\n  a: {%s}\n  b: {%s, pose: {position: [0, 2, 0], rotation: {axis: [0, "
             "0, 1], angle: 180*deg}}}\njoints: {one: {kind: weld, ports: [a.C, b.P]}, two: {kind: weld, ports: [b.C, "
             "a.P]}}\n",
             half, half);
    phx_model *model = read(context, text);
    options.count = 10;
    CHECK_OK(context, phx_study_modes(context, model, &options, &table, NULL));
    assert_int_equal(table.rigid_modes[0], 6);
    for (int k = 0; k < 2; k++) {
        const double n2 = (k + 2.0) * (k + 2.0), factor = n2 * (n2 - 1.0) * (n2 - 1.0);
        error[k] = nearest(&table, sqrt(factor / (n2 + 1.0) * 2.0));
        error[2 + k] = nearest(&table, sqrt(factor / (n2 + 2.0) * 3.0));
    }
    phx_modes_free(&table);
    phx_model_destroy(model);
}

static void a_ring_vibrates(void **state)
{
    double coarse[4], fine[4];

    ring(*state, 16, coarse);
    ring(*state, 32, fine);
    for (int k = 0; k < 4; k++) {
        CHECK_BELOW(coarse[k], 2e-3, "16 elements: mode %d", k + 1);
        CHECK_BELOW(fine[k], coarse[k] / 7.0, "mode %d: order 3", k + 1);
    }
}

/* ---- torque ---- */
/* A shaft between a clamp and one that turns under the torque M and may come nearer: M = 2 x EI/L, tan x = x. */
static void a_shaft_buckles_under_torque(void **state)
{
    phx_study_static_options options = phx_study_static_options_default();
    double x = 4.4934, error[2];

    for (int k = 0; k < 20; k++)
        x -= (tan(x) - x) / (tan(x) * tan(x));
    options.buckling = 1;
    for (int k = 0; k < 2; k++) {
        phx_study_static_report report;
        char text[TEXT];
        snprintf(
            text, sizeof text,
            "phlexor: 1\ndimension: 3\nground: {ports: {E: {position: [1, 0, 0]}}}\nbodies: {rod: {kind: rod, length: "
            "1, elements: %d, %s}}\njoints:\n  clamp: {kind: weld, ports: [ground.O, rod.P]}\n  end: {kind: "
            "cylindrical, axis: [1, 0, 0], ports: [ground.E, rod.C]}\nloads: {m: {torque: [1, 0, 0], at: rod.C}}\n",
            k ? 16 : 8, section(1e8, 1e4, 1.0, 1.0));
        phx_model *model = read(*state, text);
        CHECK_OK(*state, phx_study_static(*state, model, &options, &report, NULL));
        assert_true(report.n_critical >= 1);
        error[k] = fabs(fabs(report.critical[0].factor) / (2.0 * x) - 1.0);
        phx_model_destroy(model);
    }
    CHECK_BELOW(error[0], 3e-3, "8 elements");
    CHECK_BELOW(error[1], error[0] / 12.0, "order 4");
}

/* ---- moving material ---- */
/* A strip that runs out of a guide with 1 m/s, its free length 0.5 + t, its end struck at the start: EI = 1, 1 kg/m.
 * Reference: w = sum q_i(t) phi_i(x/l(t)), 8 polynomials, Lagrange's equations with the convected velocity
 * w_t + w_x (Radau, 1e-9). The clamp moves through the elements: order 1 in their length. */
static void run_out(phx_context *context, int elements, double error[2])
{
    static const double exact[] = {3.0598657e-4, 9.5692271e-5}; /* tip at 0.2 and 0.4 s */
    const phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;
    double energy[2], tip;
    char text[TEXT];

    snprintf(
        text, sizeof text,
        "phlexor: 1\ndimension: 2\nbodies:\n  strip: {kind: rod, length: 1.5, elements: %d, shear: rigid, section: "
        "{kind: general, stiffness: [[1e5, 0, 0], [0, 1e5, 0], [0, 0, 1]], mass: [[1, 0, 0], [0, 1, 0], [0, 0, "
        "1e-6]]}, pose: {position: [-1, 0]}, velocity: {linear: [1, 0]}}\njoints:\n  back: {kind: prismatic, "
        "ports: [ground.O, strip.P], axis: [1, 0], motion: t - 1}\n  guide: {kind: prismatic_on, ports: [strip.P, "
        "ground.O]}\nloads: {blow: {force: [0, \"0.02*sin(pi*t/0.05)^2*step(0.05 - t)\"], at: strip.C}}\n"
        "outputs: {tip: {position: strip.C}}\nsimulate: {end: 0.7, step: 1e-3, every: 0.1}\n",
        elements);
    phx_model *model = read(context, text);
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, &report, &result));
    CHECK_BELOW(report.largest_residual, 1e-12, "balance");
    CHECK_BELOW(report.largest_drift, 1e-14, "gap");
    for (int k = 0; k < 2; k++) {
        CHECK_OK(context, phx_result_column(result, phx_result_column_find(result, "tip.y"), 2 + 2 * k, 1, &tip));
        CHECK_OK(context,
                 phx_result_column(result, phx_result_column_find(result, "energy"), k ? 7 : 1, 1, &energy[k]));
        error[k] = fabs(tip - exact[k]);
    }
    /* what swings does work on what drives it, 1/2 EI w''^2 a length: without 1/2 m V^2 */
    CHECK_BELOW(energy[1] - 0.75, 0.6 * (energy[0] - 0.75), "%d elements: energy of the deflection", elements);
    phx_result_destroy(result);
    phx_model_destroy(model);
}

static void a_strip_runs_out_of_a_guide(void **state)
{
    double coarse[2], fine[2];

    run_out(*state, 24, coarse);
    run_out(*state, 48, fine);
    for (int k = 0; k < 2; k++) {
        CHECK_BELOW(coarse[k], 1e-5, "24 elements: tip");
        CHECK_BELOW(fine[k], 0.7 * coarse[k], "48 elements: tip");
    }
}

/* A carriage that keeps the direction of a rod, whose curvature jumps at each node: so does the turn rate of the
 * carriage, over which methods of several steps must begin anew. */
static double carry(phx_context *context, phx_integrator integrator, double step, double rtol)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;
    double place;

    options.has_integrator = true;
    options.integrator = integrator;
    options.step = (phx_model_optional){.given = true, .value = step};
    options.rtol = (phx_model_optional){.given = rtol > 0.0, .value = rtol};
    phx_model *model =
        read(context, "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                      "materials: {m: {density: 1000, young: 5e6, poisson: 0.3}}\nbodies:\n"
                      "  a: {kind: rod, material: m, length: 1.2, elements: 30, damping: {stiffness: 2e-3},\n"
                      "    section: {kind: rectangle, width: 0.06, height: 0.08}}\n"
                      "  b: {kind: rigid, mass: 1.5, inertia: 0.05, pose: {position: [0.11, 0]}}\njoints:\n"
                      "  h: {kind: revolute, ports: [ground.O, a.P], speed: 2}\n"
                      "  s: {kind: prismatic_on, ports: [a.P, b.P], rate: 4}\n"
                      "outputs: {p: {position: b.P}}\nsimulate: {end: 0.25, every: 0.05}\n");
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, &report, &result));
    CHECK_OK(context, phx_result_column(result, phx_result_column_find(result, "p.y"), 5, 1, &place));
    phx_result_destroy(result);
    phx_model_destroy(model);
    return place;
}

static void a_carriage_passes_the_nodes(void **state)
{
    const double found = carry(*state, PHX_IDA, 1e-3, 1e-9);
    const double coarse = carry(*state, PHX_MIDPOINT, 2e-4, 0.0), fine = carry(*state, PHX_MIDPOINT, 1e-4, 0.0);

    CHECK_CLOSE(found, fine, 1e-6 + fabs(fine - coarse), "ida against midpoint");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_wrench_makes_a_helix, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_ring_vibrates, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_shaft_buckles_under_torque, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_strip_runs_out_of_a_guide, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_carriage_passes_the_nodes, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
