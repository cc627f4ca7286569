/* Beams in bases for interfaces, and reduced to a file: the motion of the file is that of the beam in its basis, bit by
 * bit, with loads along its length and section forces, and near that of the beam in all its coordinates. */
#include "support.h"

#include "model/model.h"

static const char beam[] =
    "kind: beam, material: steel, length: 2, section: {kind: rectangle, width: 0.03, height: 0.02}, elements: 8, "
    "reference: cantilever, damping: {stiffness: 1e-4}, ports: {mid: {at: 0.4}}, point_masses: [{at: C, mass: 0.5}]";
static const char file[] = "kind: reduced, file: reduced_arm.h5, damping: {stiffness: 1e-4}";

/* An arm on a hinge, pushed along its length and held by a spring at `mid`. */
static const char *arm(int dim, const char *body, const char *more)
{
    static char text[2000];
    const char *third = dim == 3 ? ", 0.3" : "";

    assert_in_range(
        snprintf(text, sizeof text,
                 "phlexor: 1\ndimension: %d\ngravity: [0, -9.81%s]\n"
                 "materials: {steel: {density: 7850, young: 2.1e11, poisson: 0.3}}\n"
                 "ground: {ports: {W: {position: [0.8, 0.5%s]}}}\n"
                 "bodies: {arm: {%s%s}}\n"
                 "joints: {hinge: {kind: revolute, ports: [ground.O, arm.P]%s}}\n"
                 "springs: {s: {ports: [ground.W, arm.mid], stiffness: 500, damping: 5}}\n"
                 "loads: {push: {distributed: [0, 'sin(9*t)*s'%s], on: arm}}\n"
                 "outputs: {tip: {position: arm.C}, m: {bending_moment: arm@0.3}, n: {axial_force: arm.mid},\n"
                 "          s: {stress: arm@0.7}}\n"
                 "simulate: {end: 0.2, step: 0.002}\n",
                 dim, third, third, body, more, dim == 3 ? ", axis: [0, 0, 1]" : "", third),
        1, sizeof text - 1);
    return text;
}

static void reduce(phx_context *context, const char *text, phx_reduce_report *report)
{
    phx_model *model = read_text(context, text);

    CHECK_OK(context, phx_study_reduce(context, model, "arm", "reduced_arm.h5", report));
    phx_model_destroy(model);
}

/* The largest difference of the columns of two runs, over the largest entry of the column. */
static double difference(phx_context *context, const text_run *a, const text_run *b, const char *name)
{
    double *one = record_column(context, a, name), *other = record_column(context, b, name), most = 0.0, worst = 0.0;

    assert_true(a->n == b->n && a->n > 10);
    for (size_t k = 0; k < a->n; k++) {
        most = fmax(most, fabs(one[k]));
        worst = fmax(worst, fabs(one[k] - other[k]));
    }
    free(one);
    free(other);
    assert_true(most > 0.0);
    return worst / most;
}

static void the_file_moves_as_the_beam(void **state)
{
    static const struct {
        const char *basis;
        int coordinates[2];
        double near; /* the beam in all coordinates */
    } cases[] = {{", basis: {modes: 3}", {9, 15}, 0.05},
                 {", basis: {kind: krylov}", {18, 36}, 2e-3},
                 {", basis: {kind: krylov, moments: 1, interfaces: [P, C]}, stiffening: true", {0, 0}, 0.06},
                 {", modes: 5, order: 5", {5, 5}, 0.06}};
    static const char *const columns[2][6] = {{"tip.x", "tip.y", "m", "n", "s.top", "energy"},
                                              {"tip.y", "tip.z", "m.y", "m.z", "n", "energy"}};
    phx_context *context = *state;

    for (int c = 0; c < 8; c++) {
        const int dim = 2 + c % 2, k = c / 2;
        phx_reduce_report report;
        reduce(context, arm(dim, beam, cases[k].basis), &report);
        if (cases[k].coordinates[c % 2] > 0)
            assert_int_equal(report.coordinates, cases[k].coordinates[c % 2]);
        assert_true(report.ports == 3 && report.nodes == 0 && (report.effective_share >= 0.0) == (k == 0));
        phx_reduce_report_free(&report);
        text_run whole = run_text(context, arm(dim, beam, cases[k].basis), 0.0);
        text_run reduced = run_text(context, arm(dim, file, ""), 0.0);
        text_run full = run_text(context, arm(dim, beam, k == 2 ? ", stiffening: true" : ""), 0.0);
        for (int q = 0; q < 6; q++)
            CHECK_CLOSE(difference(context, &whole, &reduced, columns[c % 2][q]), 0.0, 0.0, "case %d, %s", c,
                        columns[c % 2][q]);
        const double tip = difference(context, &full, &whole, "tip.y");
        const double moment = difference(context, &full, &whole, dim == 2 ? "m" : "m.z");
        print_message("%d D, %s: tip off by %.2g of its largest, moment by %.2g\n", dim, cases[k].basis + 2, tip,
                      moment);
        CHECK_BELOW(tip, 1e-2 * cases[k].near, "tip");
        CHECK_BELOW(moment, cases[k].near, "bending moment");
        phx_result_destroy(whole.result);
        phx_result_destroy(reduced.result);
        phx_result_destroy(full.result);
    }
    remove("reduced_arm.h5");
}

static void segments_have_bases_of_their_own(void **state)
{
    phx_context *context = *state;
    const char *const more = ", segments: 2";
    char with[200];

    snprintf(with, sizeof with, "%s, basis: {modes: 4}", more);
    text_run full = run_text(context, arm(2, beam, more), 0.0), reduced = run_text(context, arm(2, beam, with), 0.0);
    CHECK_BELOW(difference(context, &full, &reduced, "tip.y"), 1e-5, "tip");
    phx_result_destroy(full.result);
    phx_result_destroy(reduced.result);
}

/* ---- what is refused ---- */
static void refuse(phx_context *context, const char *text, const char *what)
{
    phx_model *model = NULL;

    CHECK_STATUS(context, phx_model_read_text(context, "model.yaml", text, strlen(text), 0, NULL, &model),
                 PHX_ERR_INPUT);
    CHECK_MESSAGE(context, what);
    CHECK_MESSAGE(context, "model.yaml:");
}

static void wrong_keys_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {", modes: 3, basis: {modes: 3}", "'modes' beside 'basis' would be two bases"},
        {", basis: {kind: krylov, modes: 3}", "a 'krylov' basis has no 'modes'"},
        {", basis: {moments: 3}", "'moments' is for a 'krylov' basis"},
        {", basis: {among: 30}", "'among' goes with 'choose: effective_mass'"},
        {", basis: {choose: effective_mass, among: 3}", "at least as many as 'modes', 4, found 3"},
        {", basis: {interfaces: [P, middle]}", "the beam has no port 'middle'"},
        {", basis: {interfaces: []}", "a list of ports, like [P, C]"},
        {", basis: {interfaces: [P, C, P]}", "'P' and 'P' are at one place"},
        {", segments: 2, basis: {interfaces: [P, C]}", "'interfaces' does not go with 'segments'"},
        {", basis: {kind: free}", "craig_bampton"},
    };
    phx_context *context = *state;
    phx_reduce_report report;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        refuse(context, arm(2, beam, cases[k][0]), cases[k][1]);
    reduce(context, arm(2, beam, ", basis: {modes: 3}"), &report);
    phx_reduce_report_free(&report);
    refuse(context, arm(3, file, ""), "the body in this file is one of dimension 2, the model has 'dimension: 3'");
    refuse(context, arm(2, file, ", basis: {modes: 3}"), "basis");
    remove("reduced_arm.h5");
}

static void what_has_no_basis_is_refused(void **state)
{
    phx_context *context = *state;
    static const char *const cases[][2] = {{", stiffening: true", "say 'basis' or 'modes'"},
                                           {", segments: 2", "'arm' is cut in segments and no single body"},
                                           {", rigid: true", "no coordinates of deformation"}};
    phx_reduce_report report;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        phx_model *model = read_text(context, arm(2, beam, cases[k][0]));
        assert_int_not_equal(phx_study_reduce(context, model, "arm", "none.h5", &report), PHX_OK);
        CHECK_MESSAGE(context, cases[k][1]);
        phx_model_destroy(model);
    }
}

static void count_warnings(void *user, phx_log_level level, const char *message)
{
    if (level == PHX_LOG_WARNING && strstr(message, "the port 'P' has a joint and is no interface of its basis"))
        ++*(int *)user;
}

static void joints_off_the_interfaces_are_told(void **state)
{
    static const char *const bases[] = {", basis: {interfaces: [P, C]}", ", basis: {interfaces: [C, mid]}"};
    phx_context *context = *state;

    for (int k = 0; k < 2; k++) {
        phx_model *model = read_text(context, arm(2, beam, bases[k]));
        phx_system *system = NULL;
        int warnings = 0;
        phx_context_set_log(context, count_warnings, &warnings);
        CHECK_OK(context, phx_model_build(context, model, NULL, &system));
        phx_context_set_log(context, NULL, NULL);
        assert_int_equal(warnings, k);
        phx_system_destroy(system);
        phx_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_file_moves_as_the_beam, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(segments_have_bases_of_their_own, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(wrong_keys_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(joints_off_the_interfaces_are_told, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(what_has_no_basis_is_refused, context_setup, context_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
