/* Equilibria, critical loads, modes and linear models against closed forms, where scales are far apart: slender and
 * slow bodies, soft and hard, springs without a length. */
#include "support/testing.h"

#include "study/study.h"

#include <math.h>
#include <phlexor/study.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 6000, LOG = 4000 };

/* A model of a text by `format`. */
static phx_model *open_model(phx_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
static phx_model *open_model(phx_context *context, const char *format, ...)
{
    char text[TEXT];
    phx_model *model = NULL;
    va_list values;

    va_start(values, format);
    assert_true(vsnprintf(text, sizeof text, format, values) < TEXT);
    va_end(values);
    CHECK_OK(context, phx_model_read_text(context, "test.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

/* ---- statics ---- */
/* A rod or beam that is clamped at one end, at an angle with the horizontal, under its weight. */
static void sag(phx_context *context, const char *kind, double length, double diameter, int elements, double angle,
                double *elastic)
{
    const phx_study_static_options options = phx_study_static_options_default();
    phx_study_static_report report;
    phx_model *model = open_model(
        context,
        "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
        "materials: {m: {density: 7850, young: 2.1e11, poisson: 0.3}}\n"
        "bodies: {s: {%s, material: m, length: %.17g, elements: %d,\n"
        "  section: {kind: circle, diameter: %.17g}, pose: {rotation: {axis: [0, 1, 0], angle: %.17g}}}}\n"
        "joints: {w: {kind: weld, ports: [ground.O, s.P]}}\n",
        kind, length, elements, diameter, angle);

    CHECK_OK(context, phx_study_static(context, model, &options, &report, NULL));
    assert_int_equal(report.found.unstable, 0);
    *elastic = report.elastic;
    phx_model_destroy(model);
}

/* Nothing but the body says how large the mechanism is: w^2 L^5/(40 E I). */
static void cantilevers_rest_under_their_weight(void **state)
{
    static const struct {
        double length, slender, angle;
        int elements;
    } cases[] = {{1.0, 1.0 / 167.0, 0.0, 8},  {0.3, 1.0 / 20.0, 0.0, 2},   {5.0, 1.0 / 40.0, 0.4, 13},
                 {2.0, 1.0 / 300.0, 0.0, 39}, {0.7, 1.0 / 120.0, 0.9, 25}, {1.0, 1.0 / 250.0, 0.0, 2}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double L = cases[k].length, d = cases[k].slender * L, pull = cos(cases[k].angle);
        const double w = 7850.0 * 9.81 * TEST_PI * d * d / 4.0 * pull, EI = 2.1e11 * TEST_PI * pow(d, 4.0) / 64.0;
        const double linear = w * w * pow(L, 5.0) / (40.0 * EI);
        double rod, beam;
        sag(*state, "kind: rod", L, d, cases[k].elements, cases[k].angle, &rod);
        sag(*state, "kind: beam, reference: cantilever", L, d, cases[k].elements, cases[k].angle, &beam);
        const double large = pow(w * pow(L, 3.0) / (8.0 * EI), 2.0); /* the square of the slope */
        CHECK_RELATIVE(beam, linear, 1e-2, "beam %zu", k);
        CHECK_RELATIVE(rod, linear, 2e-2 + large, "rod %zu", k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cantilevers_rest_under_their_weight, context_setup, context_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
