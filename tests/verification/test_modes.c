/* Frequencies of whole mechanisms against values that no finite element went into. */
#include "mechanism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <phlexor/study.h>

enum { ANGLES = 73, MODES = 6 };

/* Pulsations of the continuous mechanism, tests/data/fourbar_exact_*.csv. */
static void read_exact(const char *name, double exact[ANGLES][MODES])
{
    char path[1000], line[1000];
    int row = 0;
    snprintf(path, sizeof path, PHX_SOURCE_DIR "/tests/data/%s", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *at = line;
        if (line[0] < '0' || line[0] > '9')
            continue;
        assert_true(row < ANGLES);
        CHECK_CLOSE(strtod(at, &at), 5.0 * row, 0.0, "angle of line %d", row);
        for (int k = 0; k < MODES; k++)
            exact[row][k] = strtod(at + 1, &at);
        row++;
    }
    fclose(file);
    assert_int_equal(row, ANGLES);
}

/* The model's own sweep with n elements a link; rigid-body modes at each point. */
static void sweep(phx_context *context, const char *example, int n, double omega[ANGLES][MODES], int *rigid)
{
    char path[1000];
    const phx_model_override set = {"n", NULL, n};
    phx_model *model = NULL;
    phx_sweep *points = NULL;
    phx_modes_table table;
    phx_study_modes_options options = phx_study_modes_options_default();
    snprintf(path, sizeof path, PHX_SOURCE_DIR "/examples/%s", example);
    assert_int_equal(phx_model_read(context, path, 1, &set, &model), PHX_OK);
    assert_int_equal(phx_sweep_from_model(context, model, &points), PHX_OK);
    options.sweep = points;
    if (phx_study_modes(context, model, &options, &table, NULL) != PHX_OK)
        fail_msg("%s: %s", example, phx_context_message(context));
    assert_int_equal(table.n_points, ANGLES);
    for (int r = 0; r < table.n_rows; r++)
        if (table.rows[r].mode <= MODES)
            omega[table.rows[r].point][table.rows[r].mode - 1] = table.rows[r].omega;
    *rigid = table.rigid_modes[0];
    for (int p = 1; p < ANGLES; p++)
        assert_int_equal(table.rigid_modes[p], *rigid);
    phx_modes_free(&table);
    phx_sweep_destroy(points);
    phx_model_destroy(model);
}

/* Order 4 from 8 to 16 elements at every angle. The third mode of the clamped crank has an axial share, which
 * converges with order 2 and lowers it. */
static void four_bar(const char *example, const char *reference, int rigid_modes, int except)
{
    static double exact[ANGLES][MODES], coarse[ANGLES][MODES], fine[ANGLES][MODES];
    phx_context *context = NULL;
    double lowest = HUGE_VAL, highest = 0.0, worst = 0.0;
    int rigid = -1;
    assert_int_equal(phx_context_create(&context), PHX_OK);
    read_exact(reference, exact);
    sweep(context, example, 8, coarse, &rigid);
    assert_int_equal(rigid, rigid_modes);
    sweep(context, example, 16, fine, &rigid);
    for (int p = 0; p < ANGLES; p++)
        for (int k = 0; k < MODES; k++) {
            const double order = log2((coarse[p][k] - exact[p][k]) / (fine[p][k] - exact[p][k]));
            worst = fmax(worst, fabs(fine[p][k] / exact[p][k] - 1.0));
            if (k == except) {
                CHECK_CLOSE(order, 3.9, 0.11, "order of mode %d at %d degrees", k + 1, 5 * p);
                continue;
            }
            lowest = fmin(lowest, order);
            highest = fmax(highest, order);
            CHECK_CLOSE(order, 4.0, 0.1, "order of mode %d at %d degrees", k + 1, 5 * p);
        }
    print_message("%s: orders %.3f to %.3f, error with 16 elements at most %.2g\n", example, lowest, highest, worst);
    phx_context_destroy(context);
}

static void four_bar_with_clamped_crank(void **state)
{
    (void)state;
    four_bar("four_bar.yaml", "fourbar_exact_clamped.csv", 0, 2);
}

static void four_bar_with_free_crank(void **state)
{
    (void)state;
    four_bar("four_bar_free.yaml", "fourbar_exact_free.csv", 1, -1);
}

/* A chain of many beams that hangs undeformed at the start: j_k/2 sqrt(g/L), j_k the zeros of the Bessel function J0.
 * A chain of n rods is off by O(1/n^2). */
static void hanging_chain(void **state)
{
    enum { LINKS = 100 };
    static const double zeros[3] = {2.404825557695773, 5.520078110286311, 8.653727912911013};
    char *text = malloc(400 * LINKS + 1000);
    size_t used = 0;
    phx_context *context = NULL;
    phx_model *model = NULL;
    phx_modes_table table;
    phx_study_modes_options options = phx_study_modes_options_default();
    (void)state;
    assert_non_null(text);
    used = (size_t)sprintf(text, "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                                 "materials: {m: {density: 1000, young: 1e9}}\nbodies:\n");
    for (int i = 0; i < LINKS; i++)
        used += (size_t)sprintf(text + used,
                                "  b%d: {kind: beam, material: m, length: 1, elements: 2, reference: cantilever, "
                                "section: {kind: general, area: 1e-3, inertia: 1e-6}, "
                                "pose: {position: [0, -%d], angle: -pi/2}}\n",
                                i, i);
    used += (size_t)sprintf(text + used, "joints:\n  j0: {kind: revolute, ports: [ground.O, b0.P]}\n");
    for (int i = 1; i < LINKS; i++)
        used += (size_t)sprintf(text + used, "  j%d: {kind: revolute, ports: [b%d.C, b%d.P]}\n", i, i - 1, i);
    assert_int_equal(phx_context_create(&context), PHX_OK);
    if (phx_model_read_text(context, "chain.yaml", text, used, 0, NULL, &model) != PHX_OK)
        fail_msg("%s", phx_context_message(context));
    options.count = 3;
    if (phx_study_modes(context, model, &options, &table, NULL) != PHX_OK)
        fail_msg("%s", phx_context_message(context));
    assert_int_equal(table.n_rows, 3);
    assert_int_equal(table.rigid_modes[0], 0);
    for (int k = 0; k < 3; k++) {
        const double expected = 0.5 * zeros[k] * sqrt(9.81 / LINKS);
        print_message("hanging chain: %.8f, continuum %.8f\n", table.rows[k].omega, expected);
        CHECK_CLOSE(table.rows[k].omega, expected, 1e-3 * expected, "mode %d of the hanging chain", k + 1);
        CHECK_CLOSE(table.rows[k].damping, 0.0, 1e-9, "its damping");
    }
    phx_modes_free(&table);
    phx_model_destroy(model);
    phx_context_destroy(context);
    free(text);
}

/* Uniform beams with clamped, pinned, sliding and free ends: (beta L)^2 sqrt(EI/(rho A L^4)), in every reference
 * condition. A prismatic joint across the beam is the sliding end: it moves across and does not turn. */
static void end_conditions(void **state)
{
    enum { ELEMENTS = 24 };
    static const struct {
        const char *joints;
        int rigid;
        double beta[3];
    } cases[] = {
        {"{a: {kind: weld, ports: [ground.O, b.P]}}", 0, {1.8751040687119611, 4.694091132974175, 7.854757438237613}},
        {"{a: {kind: weld, ports: [ground.O, b.P]}, c: {kind: weld, ports: [ground.E, b.C]}}",
         0,
         {4.730040744862704, 7.853204624095838, 10.995607838001671}},
        {"{a: {kind: revolute, ports: [ground.O, b.P]}, c: {kind: slider, ports: [ground.E, b.C], axis: [1, 0]}}",
         0,
         {3.141592653589793, 6.283185307179586, 9.42477796076938}},
        {"{a: {kind: weld, ports: [ground.O, b.P]}, c: {kind: slider, ports: [ground.E, b.C], axis: [1, 0]}}",
         0,
         {3.926602312047919, 7.068582745628732, 10.210176122813031}},
        {"{a: {kind: revolute, ports: [ground.O, b.P]}}",
         1,
         {3.926602312047919, 7.068582745628732, 10.210176122813031}},
        {"{a: {kind: weld, ports: [ground.O, b.P]}, c: {kind: prismatic, ports: [ground.E, b.C], axis: [0, 1]}}",
         0,
         {2.365020372431352, 5.497803919000836, 8.63937982869974}},
        {"{a: {kind: revolute, ports: [ground.O, b.P]}, c: {kind: prismatic, ports: [ground.E, b.C], axis: [0, 1]}}",
         0,
         {1.5707963267948966, 4.71238898038469, 7.853981633974483}},
        {"{}", 3, {4.730040744862704, 7.853204624095838, 10.995607838001671}},
    };
    static const char *const references[] = {"cantilever", "simply_supported", "free"};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int r = 0; r < 3; r++) {
            char text[2000];
            phx_context *context = NULL;
            phx_model *model = NULL;
            phx_modes_table table;
            phx_study_modes_options options = phx_study_modes_options_default();
            /* EI = rho A = 1, axially stiff enough to leave the low modes alone */
            const int used = snprintf(text, sizeof text,
                                      "phlexor: 1\ndimension: 2\nground: {ports: {E: {position: [1, 0]}}}\n"
                                      "materials: {m: {density: 1, young: 1e6}}\n"
                                      "bodies: {b: {kind: beam, material: m, length: 1, elements: %d, reference: %s,\n"
                                      "  section: {kind: general, area: 1, inertia: 1e-6}}}\njoints: %s\n",
                                      ELEMENTS, references[r], cases[c].joints);
            assert_int_equal(phx_context_create(&context), PHX_OK);
            if (phx_model_read_text(context, "beam.yaml", text, (size_t)used, 0, NULL, &model) != PHX_OK)
                fail_msg("%s", phx_context_message(context));
            options.count = 3;
            if (phx_study_modes(context, model, &options, &table, NULL) != PHX_OK)
                fail_msg("%s: %s", cases[c].joints, phx_context_message(context));
            assert_int_equal(table.rigid_modes[0], cases[c].rigid);
            for (int k = 0; k < 3; k++) {
                const double expected = cases[c].beta[k] * cases[c].beta[k];
                const double mesh = pow(cases[c].beta[k] / ELEMENTS, 4) / 1440.0; /* error of cubic elements */
                CHECK_CLOSE(table.rows[k].omega / expected - 1.0, mesh, 0.1 * mesh + 1e-9, "mode %d with %s, %s", k + 1,
                            cases[c].joints, references[r]);
            }
            phx_modes_free(&table);
            phx_model_destroy(model);
            phx_context_destroy(context);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bar_with_clamped_crank),
        cmocka_unit_test(four_bar_with_free_crank),
        cmocka_unit_test(hanging_chain),
        cmocka_unit_test(end_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
