/* Quasi-static starts of beams that stiffen as they bend, under loads far beyond those of linear bending: closed
 * formulas, equilibrium, and buckling loads by name. */
#include "mechanism.h"

enum { TEXT = 4000 };

static const double YOUNG = 2.1e11, WIDTH = 0.02;

/* A beam of length 1 from the origin along x, height h; then `rest`. */
static void beam(char *text, int dim, double h, int elements, const char *reference, const char *rest)
{
    text[0] = '\0';
    append_text(text, TEXT,
                "phlexor: 1\ndimension: %d\nmaterials: {m: {density: 7800, young: %.17g, poisson: 0.3}}\n"
                "bodies:\n  bar: {kind: beam, material: m, length: 1, elements: %d, reference: %s, stiffening: true,\n"
                "        section: {kind: rectangle, width: %.17g, height: %.17g}}\n%s",
                dim, YOUNG, elements, reference, WIDTH, h, rest);
}

/* Start, and the largest acceleration of a clamped mechanism, in units of what the loads alone would give. */
static phx_status start(mechanism *m, const char *text)
{
    const phx_start_options options = {.quasi_static = true};
    mechanism_open(m, text, 0, NULL);
    return phx_system_start(m->system, &options, m->x, m->v, m->lambda);
}

/* w = F (x^2/2 - x^3/6)/EI, no axial force, and the tip comes back by 1/2 int w'^2 = 3/5 w_L^2: exact for von Karman's
 * strain, whatever the slenderness and the size of w. */
static void a_cantilever_bends_and_shortens(void **state)
{
    static const double deflections[] = {1e-3, 0.01, 0.033, 0.1, 0.3, 1.0, -0.05}, heights[] = {0.03, 0.01, 0.001};
    static const int meshes[] = {1, 2, 4, 16};
    char text[TEXT], rest[500];

    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (size_t i = 0; i < sizeof deflections / sizeof *deflections; i++)
            for (int h = 0; h < 3; h++)
                for (int n = 0; n < 4; n++) {
                    const double w = deflections[i], EI = YOUNG * WIDTH * pow(heights[h], 3.0) / 12.0;
                    mechanism m;
                    snprintf(rest, sizeof rest,
                             "joints: {w: {kind: weld, ports: [ground.O, bar.P]}}\n"
                             "loads: {f: {force: [0, %.17g%s], at: bar.C}}\noutputs: {tip: {position: bar.C}}\n",
                             3.0 * EI * w, dim == 3 ? ", 0" : "");
                    beam(text, dim, heights[h], meshes[n], "cantilever", rest);
                    CHECK_OK(m.context, start(&m, text));
                    CHECK_OK(m.context, phx_system_outputs(m.dae, 0.0, m.x, m.v, m.columns));
                    CHECK_CLOSE(m.columns[1], w, 1e-8 * fabs(w), "deflection %g of %g, %d elements, %d-D", w,
                                heights[h], meshes[n], dim);
                    CHECK_CLOSE(m.columns[0], 1.0 - 0.6 * w * w, 1e-8, "shortening at %g of %g, %d elements, %d-D", w,
                                heights[h], meshes[n], dim);
                    mechanism_close(&m);
                }
}

/* Nothing accelerates at a start that is in equilibrium. */
static void starts_are_in_equilibrium(void **state)
{
    static const char *const references[] = {"cantilever", "simply_supported", "free"};
    static const char *const supports[] = {
        "joints: {w: {kind: weld, ports: [ground.O, bar.P]}}\nloads: {f: {force: [%g, %g], at: bar.C}}\n",
        "joints: {w: {kind: weld, ports: [ground.O, bar.P]}, e: {kind: weld, ports: [ground.E, bar.C]}}\n"
        "ground: {ports: {E: {position: [1, 0]}}}\nloads: {f: {force: [%g, %g], at: bar@0.5}}\n",
        "joints: {w: {kind: revolute, ports: [ground.O, bar.P]}, e: {kind: revolute, ports: [ground.E, bar.C]}}\n"
        "ground: {ports: {E: {position: [1, 0]}}}\nloads: {f: {force: [%g, %g], at: bar@0.5}}\n"};
    char text[TEXT], rest[500];
    uint64_t seed = 7;

    (void)state;
    for (int trial = 0; trial < 90; trial++) {
        const double h = trial % 2 ? 0.01 : 0.003, EI = YOUNG * WIDTH * pow(h, 3.0) / 12.0;
        const double size = 3.0 * EI * pow(10.0, 1.5 * random_value(&seed) - 1.5) * (trial % 3 ? 10.0 : 1.0);
        mechanism m;
        snprintf(rest, sizeof rest, supports[trial % 3], 0.3 * EI * random_value(&seed), size * random_value(&seed));
        beam(text, 2, h, trial % 3 ? 4 : 1 + trial % 4, references[trial / 3 % 3], rest);
        CHECK_OK(m.context, start(&m, text));
        double *a = calloc((size_t)m.dae->n_v, sizeof *a), largest = 0.0;
        CHECK_OK(m.context, m.dae->ops->accelerations(m.dae, 0.0, m.x, m.v, a, m.lambda));
        for (int i = 0; i < m.dae->n_v; i++)
            largest = fmax(largest, fabs(a[i]));
        free(a);
        /* against load over mass, which the shortest elements' inertia multiplies */
        CHECK_CLOSE(largest / (size / (7800.0 * WIDTH * h)), 0.0, 1e-4, "trial %d: acceleration", trial);
        mechanism_close(&m);
    }
}

/* A column above its Euler load has no stable straight shape: the run says at which part of the load it buckles. */
static void a_buckling_load_is_named(void **state)
{
    static const struct {
        const char *joints, *reference;
        double factor; /* of pi^2 EI/L^2 */
    } columns[] = {
        {"joints: {w: {kind: weld, ports: [ground.O, bar.P]}}\n", "cantilever", 0.25},
        {"joints: {w: {kind: weld, ports: [ground.O, bar.P]}}\n", "free", 0.25},
        {"joints: {w: {kind: revolute, ports: [ground.O, bar.P]}, e: {kind: slider, ports: [ground.O, bar.C], axis: "
         "[1, 0]}}\n",
         "simply_supported", 1.0},
        {"joints: {w: {kind: weld, ports: [ground.O, bar.P]}, e: {kind: prismatic, ports: [ground.O, bar.C], axis: "
         "[1, 0]}}\n",
         "cantilever", 4.0},
    };
    const double EI = YOUNG * WIDTH * 1e-6 / 12.0, euler = TEST_PI * TEST_PI * EI;
    char text[TEXT], rest[500];

    (void)state;
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        for (int above = 0; above < 2; above++) {
            const double part = above ? 1.6 : 0.9;
            mechanism m;
            snprintf(rest, sizeof rest, "%sloads: {f: {force: [%.17g, 0], at: bar.C}}\n", columns[k].joints,
                     -part * columns[k].factor * euler);
            beam(text, 2, 0.01, 8, columns[k].reference, rest);
            const phx_status status = start(&m, text);
            if (!above) {
                CHECK_OK(m.context, status);
            } else {
                double percent = 0.0;
                const char *at = strstr(phx_context_message(m.context), "at about ");
                CHECK_STATUS(m.context, status, PHX_ERR_ANALYSIS);
                CHECK_MESSAGE(m.context, "body 'bar' buckles at about");
                assert_non_null(at);
                assert_int_equal(sscanf(at, "at about %lf %%", &percent), 1);
                CHECK_CLOSE(percent, 100.0 / part, 0.7, "column %d: part of the load", (int)k);
            }
            mechanism_close(&m);
        }
}

/* A little to one side the same column has a stable shape beyond its Euler load, or is named. */
static void a_crooked_column_bows_out(void **state)
{
    const double EI = YOUNG * WIDTH * 1e-6 / 12.0, euler = TEST_PI * TEST_PI * EI;
    char text[TEXT], rest[500];
    mechanism m;

    (void)state;
    snprintf(rest, sizeof rest,
             "joints: {w: {kind: revolute, ports: [ground.O, bar.P]}, e: {kind: slider, ports: [ground.O, bar.C], "
             "axis: [1, 0]}}\n"
             "loads: {f: {force: [%.17g, 0], at: bar.C}, s: {force: [0, %.17g], at: bar@0.5}}\n"
             "outputs: {mid: {position: bar@0.5}}\n",
             -0.8 * euler, 0.01 * euler);
    beam(text, 2, 0.01, 8, "simply_supported", rest);
    CHECK_OK(m.context, start(&m, text));
    CHECK_OK(m.context, phx_system_outputs(m.dae, 0.0, m.x, m.v, m.columns));
    /* w_0/(1 - P/P_E) by the first term of Timoshenko's series, the others make it a little less */
    CHECK_CLOSE(m.columns[1], 2.0 * 0.01 / (TEST_PI * TEST_PI) / (1.0 - 0.8), 0.01 * 0.0101, "beam-column");
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_bends_and_shortens), cmocka_unit_test(starts_are_in_equilibrium),
        cmocka_unit_test(a_buckling_load_is_named), cmocka_unit_test(a_crooked_column_bows_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
