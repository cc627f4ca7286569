/* Shells of model files against published values: a cantilever under end shear, a strip that is rolled up, a slit
 * annular plate (Sze, Liu & Lo 2004), a twisted beam (MacNeal & Harder 1985), frequencies of thin squares (Leissa);
 * and against an independent program of the same elements. */
#include "support/testing.h"

#include "base/base.h"
#include "results/results.h"

#include <math.h>
#include <phlexor/results.h>
#include <phlexor/study.h>
#include <stdio.h>
#include <string.h>

enum { PART = 1500, TEXT = 4000 };

static phx_model *read(phx_context *context, const char *text)
{
    phx_model *model = NULL;
    CHECK_OK(context, phx_model_read_text(context, "shells.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

/* Columns of the equilibria after `steps` equal steps of the loads: values of `count` columns at each. */
static void equilibria(phx_context *context, const char *text, int steps, int count, const char *const *columns,
                       double *values)
{
    phx_study_static_options options = phx_study_static_options_default();
    phx_study_static_report report;
    phx_model *model = read(context, text);
    phx_result *result = NULL;

    options.steps = steps;
    CHECK_OK(context, phx_study_static(context, model, &options, &report, &result));
    const size_t rows = phx_result_rows(result), first = rows - (size_t)steps;
    for (int k = 0; k < steps; k++)
        for (int c = 0; c < count; c++)
            CHECK_OK(context, phx_result_column(result, phx_result_column_find(result, columns[c]), first + (size_t)k,
                                                1, &values[k * count + c]));
    phx_result_destroy(result);
    phx_model_destroy(model);
}

#define HEAD "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 1, young: %g, poisson: %g}}\nbodies:\n"

/* A force per length along an edge of n elements whose nodes stand on a line: ports p0, p1, ... with Simpson's share of
 * the force each. */
static int edge_ports(int n, const double from[3], const double to[3], char *ports)
{
    int used = 0;
    for (int k = 0; k <= 2 * n; k++) {
        const double s = k / (2.0 * n);
        used +=
            sprintf(ports + used, "%sp%d: {near: [%.17g, %.17g, %.17g]}", k ? ", " : "", k,
                    from[0] + s * (to[0] - from[0]), from[1] + s * (to[1] - from[1]), from[2] + s * (to[2] - from[2]));
    }
    return used;
}

static int edge_loads(int n, const double force[3], char *loads)
{
    int used = 0;
    for (int k = 0; k <= 2 * n; k++) {
        const double share = (k == 0 || k == 2 * n ? 1.0 : k % 2 ? 4.0 : 2.0) / (6.0 * n);
        used += sprintf(loads + used, "  f%d: {force: [%.17g, %.17g, %.17g], at: s.p%d}\n", k, share * force[0],
                        share * force[1], share * force[2], k);
    }
    return used;
}

/* ---- a cantilever under end shear ---- */
static void cantilever(phx_context *context, const char *elements, double values[8])
{
    static const char *const columns[] = {"tip.x", "tip.z"};
    char text[TEXT], ports[PART], loads[PART];

    edge_ports(1, (const double[3]){10.0, 0.0, 0.0}, (const double[3]){10.0, 1.0, 0.0}, ports);
    edge_loads(1, (const double[3]){0.0, 0.0, 4.0}, loads);
    snprintf(text, sizeof text,
             HEAD "  s: {kind: shell, material: m, thickness: 0.1, mesh: {size: [10, 1], %s},\n    clamp: [x0], ports: "
                  "{%s}}\nloads:\n%soutputs: {tip: {position: s.p1}}\n",
             1.2e6, 0.0, elements, ports, loads);
    equilibria(context, text, 4, 2, columns, values);
    for (int k = 0; k < 4; k++)
        values[2 * k] = 10.0 - values[2 * k];
}

static void a_cantilever_bends(void **state)
{
    static const double published[8] = {0.563, 3.015, 1.604, 4.933, 2.541, 6.031, 3.286, 6.698},
                        own[8] = {0.5644, 3.0174, 1.6062, 4.9344, 2.5430, 6.0314, 3.2867, 6.6974};
    double found[8];

    cantilever(*state, "elements: [4, 1]", found);
    for (int k = 0; k < 8; k++) {
        CHECK_RELATIVE(found[k], own[k], 1e-4, "independent program, value %d", k);
        CHECK_RELATIVE(found[k], published[k], 3e-3, "published, value %d", k);
    }
    cantilever(*state, "elements: [12, 2], cells: tri6", found);
    for (int k = 0; k < 8; k++)
        CHECK_RELATIVE(found[k], published[k], 1e-2, "triangles, value %d", k);
}

/* ---- a strip rolled up to a ring by the moment 2 pi E I / L ---- */
static void a_strip_is_rolled_up(void **state)
{
    static const char *const columns[] = {"end.x", "end.z"};
    const double moment = 2.0 * 3.141592653589793 * 1.2e6 * 1e-3 / 12.0 / 12.0;
    double end[2], error[2];

    for (int k = 0; k < 2; k++) {
        char text[TEXT];
        double values[12];
        snprintf(text, sizeof text,
                 HEAD "  s: {kind: shell, material: m, thickness: 0.1, mesh: {size: [12, 1], elements: [%d, 1]},\n"
                      "    clamp: [x0], ports: {x1: {}}}\nloads: {m: {torque: [0, %.17g, 0], at: s.x1}}\n"
                      "outputs: {end: {position: s.x1}}\n",
                 1.2e6, 0.0, k ? 16 : 8, -moment);
        equilibria(*state, text, 6, 2, columns, values);
        memcpy(end, values + 10, sizeof end);
        error[k] = hypot(end[0], end[1]);
    }
    CHECK_BELOW(error[0], 0.005 * 12.0, "8 elements: opening of the ring");
    CHECK_BELOW(error[1], 0.001 * 12.0, "16 elements: opening of the ring");
}

/* ---- a slit annular plate ---- */
static void a_slit_ring_is_lifted(void **state)
{
    static const char *const columns[] = {"inner.z", "outer.z"};
    static const double own[2] = {13.7397, 17.3778}, published[2] = {13.891, 17.528};
    char text[TEXT], ports[PART], loads[PART];
    double values[16];

    edge_ports(3, (const double[3]){6.0, 1e-9, 0.0}, (const double[3]){10.0, 1e-9, 0.0}, ports);
    edge_loads(3, (const double[3]){0.0, 0.0, 3.2}, loads);
    snprintf(text, sizeof text,
             HEAD "  s: {kind: shell, material: m, thickness: 0.03, mesh: {revolve: 2*pi, slit: true, elements: 15, "
                  "from: [6, 0],\n    line: [{to: [10, 0], elements: 3}]}, clamp: [last], ports: {%s}}\nloads:\n"
                  "%soutputs: {inner: {position: s.p0}, outer: {position: s.p6}}\n",
             21e6, 0.0, ports, loads);
    equilibria(*state, text, 8, 2, columns, values);
    for (int k = 0; k < 2; k++) {
        CHECK_RELATIVE(values[14 + k], own[k], 1e-4, "independent program, %s", columns[k]);
        CHECK_RELATIVE(values[14 + k], published[k], 0.012, "published, %s", columns[k]);
    }
}

/* ---- a beam twisted by a right angle ---- */
/* The load is 1 N, of the thin beam 1e-6 N: its bending is as soft against its stretching as 1e-9, and no free motion.
 */
static void a_twisted_beam_bends(void **state)
{
    static const char *const columns[] = {"tip.x", "tip.y"};
    static const double thickness[2] = {0.32, 0.0032}, load[2] = {1.0, 1e-6};
    static const double published[2][2] = {{0.001754, 0.005424}, {0.001294, 0.005256}};

    for (int thin = 0; thin < 2; thin++)
        for (int k = 0; k < 2; k++) {
            char text[TEXT], ports[PART], loads[PART];
            double values[2];
            const double force[3] = {k == 0 ? load[thin] : 0.0, k == 1 ? load[thin] : 0.0, 0.0};
            edge_ports(2, (const double[3]){0.0, -0.55, 12.0}, (const double[3]){0.0, 0.55, 12.0}, ports);
            edge_loads(2, force, loads);
            snprintf(text, sizeof text,
                     HEAD "  s: {kind: shell, material: m, thickness: %g, mesh: {extrude: 12, twist: pi/2, elements: "
                          "12, from: [-0.55, 0],\n    line: [{to: [0.55, 0], elements: 2}]}, clamp: [first], ports: "
                          "{%s}}\nloads:\n%soutputs: {tip: {position: s.p2}}\n",
                     29e6, 0.22, thickness[thin], ports, loads);
            equilibria(*state, text, 1, 2, columns, values);
            CHECK_RELATIVE(values[k], published[thin][k], 5e-3, "thickness %g, %s", thickness[thin], columns[k]);
        }
}

/* ---- frequencies of thin squares, omega a^2 sqrt(rho h/D) ---- */
static void frequencies(phx_context *context, const char *keys, int rigid, const double *expected, double tolerance)
{
    enum { MODES = 6 };
    const double h = 1e-3, D = 1e9 * h * h * h / 12.0 / (1.0 - 0.09);
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_modes_table table;
    char text[TEXT];

    snprintf(text, sizeof text, HEAD "  s: {kind: shell, material: m, %s}\n", 1e9, 0.3, keys);
    phx_model *model = read(context, text);
    options.count = MODES;
    CHECK_OK(context, phx_study_modes(context, model, &options, &table, NULL));
    assert_int_equal(table.rigid_modes[0], rigid);
    for (int k = 0; k < MODES; k++)
        CHECK_RELATIVE(table.rows[k].omega * sqrt(h / D), expected[k], tolerance, "%s: mode %d", keys, k + 1);
    phx_modes_free(&table);
    phx_model_destroy(model);
}

static void squares_ring(void **state)
{
    static const double free_square[6] = {13.468, 19.596, 24.270, 34.801, 34.801, 61.093},
                        clamped[6] = {35.985, 73.394, 73.394, 108.22, 131.58, 132.21},
                        cantilevered[6] = {3.4711, 8.5067, 21.284, 27.199, 30.956, 54.187},
                        own[6] = {35.98129, 73.41978, 73.41978, 108.16905, 131.97056, 132.59744};

    frequencies(*state, "thickness: 0.001, mesh: {size: [1, 1], elements: [8, 8]}, clamp: [x0, x1, y0, y1]", 0, own,
                1e-6);
    frequencies(*state, "thickness: 0.001, mesh: {size: [1, 1], elements: [16, 16]}, clamp: [x0, x1, y0, y1]", 0,
                clamped, 5e-4);
    frequencies(*state, "thickness: 0.001, mesh: {size: [1, 1], elements: [16, 16]}", 6, free_square, 2e-4);
    frequencies(*state, "thickness: 0.001, mesh: {size: [1, 1], elements: [16, 16]}, clamp: [x0]", 0, cantilevered,
                2e-4);
    frequencies(*state, "thickness: 0.001, mesh: {size: [1, 1], elements: [10, 10], cells: tri6}, clamp: [x0]", 0,
                cantilevered, 1.5e-2);
    /* the square lies across: an extruded line, wherever the body is posed */
    frequencies(*state,
                "thickness: 0.001, mesh: {extrude: 1, elements: 16, from: [0, 0], line: [{to: [0.6, 0.8], elements: "
                "16}]}, clamp: "
                "[first],\n    pose: {position: [3, 1, -2], rotation: {axis: [1, 2, 3], angle: 1}}",
                0, cantilevered, 2e-4);
}

/* A laminate of layers of one material is the plate of that material, also where it its layers differ in thickness. */
static void layers_make_a_section(void **state)
{
    static const double cantilevered[6] = {3.4711, 8.5067, 21.284, 27.199, 30.956, 54.187};

    frequencies(*state,
                "layers: [{thickness: 0.0004}, {thickness: 0.0006}], mesh: {size: [1, 1], elements: [16, 16]}, clamp: "
                "[x0]",
                0, cantilevered, 2e-4);
}

/* A strip of two layers, E and 2 E, 1 mm each, is pulled: N = A e + B k, 0 = B e + D k, and the end rises by -k L^2/2.
 * The tension straightens it by 4e-4 of that. */
static void a_strip_of_two_layers_curls(void **state)
{
    static const char *const columns[] = {"end.z"};
    const double E = 1e9, h = 1e-3, force = 1e-4, width = 0.1;
    const double A = 3.0 * E * h, B = E * h * h / 2.0, D = 3.0 * E * h * h * h / 3.0;
    const double curvature = -B / D * force / width / (A - B * B / D);
    double rise;

    equilibria(
        *state,
        "phlexor: 1\ndimension: 3\nmaterials:\n  soft: {density: 1, young: 1e9, poisson: 0}\n  stiff: {density: "
        "1, young: 2e9, poisson: 0}\nbodies:\n  s: {kind: shell, material: soft, mesh: {size: [1, 0.1], elements: "
        "[6, 1]}, clamp: [x0],\n    layers: [{thickness: 0.001}, {material: stiff, thickness: 0.001}], ports: {x1: "
        "{}}}\nloads: {pull: {force: [1e-4, 0, 0], at: s.x1}}\noutputs: {end: {position: s.x1}}\n",
        1, 1, columns, &rise);
    CHECK_RELATIVE(rise, -curvature / 2.0, 2e-3, "rise of the end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_cantilever_bends, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_strip_is_rolled_up, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_slit_ring_is_lifted, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_twisted_beam_bends, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(squares_ring, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_strip_of_two_layers_curls, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(layers_make_a_section, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
