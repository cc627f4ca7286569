/* Craig-Bampton modes chosen by effective mass: a steel bar with soft flaps at its side, whose local modes are the
 * lowest of all and carry nothing. */
#include "support.h"

#include <math.h>

/* 12 hexahedra of steel along x, 0.6 x 0.02 x 0.01 m; every other one has a flap at its side, `soft`. */
enum { CELLS = 12 };

static void write_deck(const char *path)
{
    FILE *file = fopen(path, "w");
    int element = 0;

    assert_non_null(file);
    fputs("*NODE, NSET=all\n", file);
    for (int i = 0; i <= CELLS; i++)
        for (int j = 0; j <= 2; j++)
            for (int k = 0; k <= 1; k++)
                fprintf(file, "%d, %g, %g, %g\n", 6 * i + 2 * j + k + 1, 0.05 * i, 0.02 * j, 0.01 * k);
    for (int j = 0; j < 2; j++) {
        fprintf(file, "*ELEMENT, TYPE=C3D8, ELSET=%s\n", j ? "flaps" : "bar");
        for (int i = 0; i < CELLS; i += 1 + j) {
            const int a = 6 * i + 2 * j + 1, b = a + 6;
            fprintf(file, "%d, %d, %d, %d, %d, %d, %d, %d, %d\n", ++element, a, b, b + 2, a + 2, a + 1, b + 1, b + 3,
                    a + 3);
        }
    }
    fputs("*NSET, NSET=root\n1, 2, 3, 4\n", file);
    fprintf(file, "*NSET, NSET=tip\n%d, %d, %d, %d\n", 6 * CELLS + 1, 6 * CELLS + 2, 6 * CELLS + 3, 6 * CELLS + 4);
    fclose(file);
}

static phx_model *bar(phx_context *context, const char *basis, const char *ports)
{
    char text[2000];
    write_deck("bar.inp");
    assert_in_range(snprintf(text, sizeof text,
                             "phlexor: 1\ndimension: 3\n"
                             "materials: {steel: {density: 7850, young: 2.1e11, poisson: 0.3},\n"
                             "            soft: {density: 100, young: 1e6, poisson: 0.3}}\n"
                             "bodies:\n"
                             "  bar: {kind: solid, material: steel, mesh: {file: bar.inp}, regions: {flaps: {material: "
                             "soft}},\n"
                             "        basis: {%s}, ports: {%s}, damping: {modal: 0.01}}\n"
                             "joints: {root: {kind: weld, ports: [ground.O, bar.root]}}\n",
                             basis, ports),
                    1, sizeof text - 1);
    return read_text(context, text);
}

static const char both[] = "root: {on: root}, tip: {on: tip}";

/* Response of the tip along x and y to forces there at some frequencies. */
enum { COUNT = 300, ENTRIES = 4 };

static void respond(phx_context *context, const char *basis, double *response)
{
    static const char *const inputs[] = {"bar.tip.fx", "bar.tip.fy"}, *const outputs[] = {"bar.tip.vx", "bar.tip.vy"};
    phx_model *model = bar(context, basis, both);
    phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_linear_report report;
    double omega[COUNT];

    options.channels.inputs = inputs;
    options.channels.outputs = outputs;
    options.channels.n_inputs = options.channels.n_outputs = 2;
    CHECK_OK(context, phx_study_linearize(context, model, &options, &report));
    for (int k = 0; k < COUNT; k++) /* up to 7 kHz: axial modes, and those of bending */
        omega[k] = 100.0 * pow(4.4e4 / 100.0, (double)k / (COUNT - 1));
    CHECK_OK(context, phx_ss_responses(context, report.system, COUNT, omega, response));
    phx_linear_report_free(&report);
    phx_model_destroy(model);
}

/* Largest error of entry `at`, over the largest response. */
static double error_of(const double *response, const double *exact, int at)
{
    double worst = 0.0, largest = 0.0;
    for (int k = 0; k < COUNT; k++) {
        const double *a = response + 2 * (ENTRIES * k + at), *b = exact + 2 * (ENTRIES * k + at);
        worst = fmax(worst, hypot(a[0] - b[0], a[1] - b[1]));
        largest = fmax(largest, hypot(b[0], b[1]));
    }
    return worst / largest;
}

static void test_local_modes(void **state)
{
    phx_context *context = *state;
    double *exact = calloc(3 * 2 * COUNT * ENTRIES, sizeof *exact), *lowest = exact + 2 * COUNT * ENTRIES;
    double *chosen = lowest + 2 * COUNT * ENTRIES;

    assert_non_null(exact);
    respond(context, "modes: 130", exact);
    respond(context, "modes: 8", lowest);
    respond(context, "modes: 8, choose: effective_mass, among: 100", chosen);
    for (int at = 0; at < ENTRIES; at += 3) {
        const double before = error_of(lowest, exact, at), after = error_of(chosen, exact, at);
        print_message("response along %c: off by %.3g with the lowest modes, %.3g with those chosen\n", at ? 'y' : 'x',
                      before, after);
        assert_true(before > 0.05);
        CHECK_BELOW(after, at ? 0.7 * before : 0.2 * before, "the modes chosen");
    }
    free(exact);
}

/* All modes together: the mass of the body, less that of the nodes of its ports. */
static void test_sum(void **state)
{
    phx_context *context = *state;
    static const int modes[] = {2, 10, 40, 120};
    double before[3] = {0.0}, share = 0.0;

    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
        char basis[80];
        phx_reduce_report report;
        snprintf(basis, sizeof basis, "modes: %d, choose: effective_mass, among: 125", modes[k]);
        phx_model *model = bar(context, basis, "root: {on: root}");
        CHECK_OK(context, phx_study_reduce(context, model, "bar", "bar.h5", &report));
        print_message("%d modes: %.5f, %.5f, %.5f kg of %.5f\n", modes[k], report.effective_mass[0],
                      report.effective_mass[1], report.effective_mass[2], report.mass);
        for (int a = 0; a < 3; a++) {
            CHECK_BELOW(report.effective_mass[a], report.mass, "effective mass");
            assert_true(report.effective_mass[a] >= before[a] - 1e-12);
            before[a] = report.effective_mass[a];
        }
        assert_true(report.effective_share >= share - 1e-12 && report.effective_share <= 1.0);
        assert_true(report.frequency_error < 0.0 || modes[k] == 120); /* not known of modes that leave low ones out */
        share = report.effective_share;
        if (k + 1 == sizeof modes / sizeof *modes)
            for (int a = 0; a < 3; a++) /* half of the first of 12 cells belongs to the port */
                CHECK_BETWEEN(report.effective_mass[a], report.mass * (1.0 - 0.7 / CELLS), report.mass,
                              "effective mass");
        phx_reduce_report_free(&report);
        phx_model_destroy(model);
    }
}

static void test_refusals(void **state)
{
    phx_context *context = *state;
    static const struct {
        const char *basis, *words;
    } cases[] = {{"kind: free, choose: effective_mass", "in a 'craig_bampton' basis"},
                 {"modes: 4, among: 20", "goes with 'choose: effective_mass'"},
                 {"modes: 4, choose: effective_mass, among: 3", "expected at least as many as 'modes', 4, found 3"}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        phx_model *model = NULL;
        snprintf(text, sizeof text,
                 "phlexor: 1\ndimension: 3\nmaterials: {steel: {density: 7850, young: 2.1e11, poisson: 0.3}}\n"
                 "bodies: {bar: {kind: solid, material: steel, mesh: {size: [1, 1, 1], elements: [1, 1, 1]}, basis: "
                 "{%s}}}\n",
                 cases[k].basis);
        CHECK_STATUS(context, phx_model_read_text(context, "text.yaml", text, strlen(text), 0, NULL, &model),
                     PHX_ERR_INPUT);
        CHECK_MESSAGE(context, cases[k].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_local_modes, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_sum, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_refusals, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
