/* Large deflections: a cantilever of n beams welded in a row, bent by an end force, against the elastica. The frames
 * take the large turns; what a linear strain misses within each beam falls with the square of its turn, 1/n^2, whatever
 * the reference condition.
 *
 * Reference: theta'' = (F L^2/EI) cos(theta), theta(0) = 0, theta'(1) = 0, by shooting with Dormand and Prince's method
 * of order 8 at 1e-13 (Python); they agree with the tables of Bisshopp and Drucker (1945). */
#include "mechanism.h"

enum { TEXT = 20000 };

static const double LENGTH = 1.0, YOUNG = 2e11, WIDTH = 0.01, HEIGHT = 0.001;

typedef struct elastica {
    double load, x, y, turn, moment; /* F L^2/EI; tip over L; angle; root moment over EI/L */
} elastica;
static const elastica curves[] = {{1.0, 0.94356676372, -0.3017207738, -0.46135194971, 0.94356676372},
                                  {10.0, 0.44500440225, -0.81060902488, -1.4302855388, 4.4500440225}};

static void cantilever(char *text, int n, const char *reference, double force)
{
    text[0] = '\0';
    append_text(text, TEXT, "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 7800, young: %.17g}}\nbodies:\n",
                YOUNG);
    for (int i = 0; i < n; i++)
        append_text(
            text, TEXT,
            "  b%d: {kind: beam, material: m, length: %.17g, section: {kind: rectangle, width: %g, height: %g},\n"
            "    elements: 2, reference: %s, pose: {position: [%.17g, 0]}}\n",
            i, LENGTH / n, WIDTH, HEIGHT, reference, LENGTH * i / n);
    append_text(text, TEXT, "joints:\n  w0: {kind: weld, ports: [ground.O, b0.P]}\n");
    for (int i = 1; i < n; i++)
        append_text(text, TEXT, "  w%d: {kind: weld, ports: [b%d.C, b%d.P]}\n", i, i - 1, i);
    append_text(text, TEXT,
                "loads: {f: {force: [0, %.17g], at: b%d.C}}\n"
                "outputs: {x: {position: b%d.C}, a: {angle: b%d.C}, r: {reaction: w0}}\n",
                -force, n - 1, n - 1, n - 1);
}

/* Errors of the tip's place, its angle and the moment at the root, over L, 1 and EI/L. */
static void errors_of(const elastica *curve, int n, const char *reference, double *errors)
{
    static char text[TEXT];
    const double EI = YOUNG * WIDTH * HEIGHT * HEIGHT * HEIGHT / 12.0;
    const phx_start_options start = {.quasi_static = true};
    mechanism m;

    cantilever(text, n, reference, curve->load * EI / (LENGTH * LENGTH));
    mechanism_open(&m, text, 0, NULL);
    CHECK_OK(m.context, phx_system_start(m.system, &start, m.x, m.v, m.lambda));
    CHECK_OK(m.context, phx_system_outputs(m.dae, 0.0, m.x, m.v, m.columns));
    errors[0] = m.columns[0] / LENGTH - curve->x;
    errors[1] = m.columns[1] / LENGTH - curve->y;
    errors[2] = m.columns[2] - curve->turn;
    errors[3] = m.columns[5] * LENGTH / EI - curve->moment;
    mechanism_close(&m);
}

static void welded_beams_become_the_elastica(void **state)
{
    static const char *const what[] = {"x", "y", "angle", "moment"};
    static const struct {
        int curve;
        const char *reference;
    } cases[] = {{0, "cantilever"}, {0, "free"}, {1, "simply_supported"}};

    (void)state;
    for (int k = 0; k < 3; k++) {
        const elastica *curve = &curves[cases[k].curve];
        const char *reference = cases[k].reference;
        double coarse[4], fine[4];
        errors_of(curve, 16, reference, coarse);
        errors_of(curve, 32, reference, fine);
        for (int i = 0; i < 4; i++) {
            const double scale = i == 3 ? curve->load : 1.0;
            print_message("load %g, %s, %s: error %.1e, falls by %.2f\n", curve->load, reference, what[i], fine[i],
                          coarse[i] / fine[i]);
            CHECK_CLOSE(fine[i], 0.0, 1e-3 * scale, "load %g, %s: %s", curve->load, reference, what[i]);
            CHECK_CLOSE(coarse[i] / fine[i], 3.93, 0.1, "load %g, %s: order of %s", curve->load, reference, what[i]);
            CHECK_CLOSE((4.0 * fine[i] - coarse[i]) / 3.0, 0.0, 3e-5 * scale, "load %g, %s: limit of %s", curve->load,
                        reference, what[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(welded_beams_become_the_elastica)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
