/* Casimirs of the loop of a mechanism and a port-Hamiltonian controller: found, and constant over runs. */
#include "support.h"

#include <phlexor/results.h>

#include <math.h>

static const char pendulum[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  rod: {kind: rigid, mass: 2, inertia: 0.3, centre_of_mass: [0.5, 0], ports: {C: {position: [1, 0]}}}\n"
    "  other: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.3, 0], pose: {position: [1, 0]}}\n"
    "joints:\n"
    "  pivot: {kind: revolute, ports: [ground.O, rod.P], angle: 0.4, damping: 0.1}\n"
    "  elbow: {kind: revolute, ports: [rod.C, other.P], angle: -0.3}\n"
    "loads: {push: {force: [0, 0], at: rod.C}}\n"
    "outputs: {q: {coordinate: pivot}, e: {coordinate: elbow}, tip: {position: rod.C}}\n"
    "simulate: {end: 1, step: 2e-3}\n"
    "controllers:\n";

static text_run run_with(phx_context *context, const char *controllers, phx_check_report *report)
{
    char text[3000];
    assert_in_range(snprintf(text, sizeof text, "%s%s", pendulum, controllers), 1, sizeof text - 1);
    phx_model *model = read_text(context, text);
    CHECK_OK(context, phx_study_check(context, model, report));
    for (int k = 0; k < report->n_casimirs; k++)
        report->casimirs[k].controller = "";
    phx_model_destroy(model);
    return run_text(context, text, 0.0);
}

/* The rest of the runs moves: what is constant is so beside numbers of order 1. */
static void check_constant(phx_context *context, const text_run *r, int count, const char *const *names,
                           const double *factors)
{
    double first = 0.0, largest = 0.0;
    for (size_t k = 0; k < r->n; k++) {
        double sum = 0.0;
        for (int i = 0; i < count; i++) {
            sum += factors[i] * record_at(context, r, names[i], k);
            largest = fmax(largest, fabs(record_at(context, r, names[i], k) - record_at(context, r, names[i], 0)));
        }
        first = k == 0 ? sum : first;
        CHECK_CLOSE(sum, first, 1e-12, "Casimir, row %zu", k);
    }
    assert_true(largest > 0.3);
    phx_result_destroy(r->result);
}

/* z' = y: a spring by an integrator. */
static void test_integrator(void **state)
{
    phx_context *context = *state;
    phx_check_report report;
    const text_run r =
        run_with(context, "  loop: {kind: port_hamiltonian, ports: [pivot.effort], J: 0, Q: 30, B: 1}\n", &report);
    assert_int_equal(report.n_casimirs, 1);
    assert_string_equal(report.casimirs[0].text, "loop.z1 - pivot.coordinate");
    CHECK_BELOW(report.casimirs[0].residual, 1e-13, "rate in the linear loop");
    check_constant(context, &r, 2, (const char *const[]){"loop.z1", "q"}, (const double[]){1.0, -1.0});
    phx_check_report_free(&report);
}

/* Three states, J skew and therefore singular, E and two ports; with it a controller that has no Casimir. */
static void test_three_states(void **state)
{
    phx_context *context = *state;
    phx_check_report report;
    const text_run r = run_with(context,
                                "  damp: {kind: port_hamiltonian, ports: [elbow.effort], J: [[0, 1], [-1, 0]], R: [[0, "
                                "0], [0, 2]], Q: [[5, 0],\n"
                                "         [0, 1]], B: [[0], [1]]}\n"
                                "  slow: {kind: pid, measure: q, effort: push.fy, ki: 0.5}\n"
                                "  loop: {kind: port_hamiltonian, ports: [pivot.effort, elbow.effort], J: [[0, 1, 0], "
                                "[-1, 0, 2], [0, -2, 0]],\n"
                                "         E: [[1, 0, 0], [0, 2, 0], [0, 0, 4]], Q: [[8, 0, 0], [0, 3, 0], [0, 0, 5]],\n"
                                "         B: [[1, 0], [0, 3], [0.5, -1]]}\n",
                                &report);
    assert_int_equal(report.n_casimirs, 1); /* c = (1, 0, 1/2): c^T E z - c^T B q */
    assert_string_equal(report.casimirs[0].text, "loop.z1 + 2 loop.z3 - 1.25 pivot.coordinate + 0.5 elbow.coordinate");
    CHECK_BELOW(report.casimirs[0].residual, 1e-13, "rate in the linear loop");
    check_constant(context, &r, 4, (const char *const[]){"loop.z1", "loop.z3", "q", "e"},
                   (const double[]){1.0, 2.0, -1.25, 0.5});
    phx_check_report_free(&report);
}

/* At a load: the displacement of its point. And a resistor takes the Casimir away. */
static void test_load(void **state)
{
    phx_context *context = *state;
    phx_check_report report;
    text_run r = run_with(context, "  loop: {kind: port_hamiltonian, ports: push.fy, J: 0, Q: 40, B: 2}\n", &report);
    assert_int_equal(report.n_casimirs, 1);
    assert_string_equal(report.casimirs[0].text, "loop.z1 - 2 (displacement of push.fy)");
    CHECK_BELOW(report.casimirs[0].residual, 1e-13, "rate in the linear loop");
    check_constant(context, &r, 2, (const char *const[]){"loop.z1", "tip.y"}, (const double[]){1.0, -2.0});
    phx_check_report_free(&report);
    r = run_with(context, "  loop: {kind: port_hamiltonian, ports: push.fy, R: 0.1, Q: 40, B: 2}\n", &report);
    assert_int_equal(report.n_casimirs, 0);
    phx_result_destroy(r.result);
    phx_check_report_free(&report);
}

/* linearize tells them as well, and its files have them. */
static void test_linearize(void **state)
{
    phx_context *context = *state;
    char text[3000];
    phx_linear_report report;
    const phx_study_linearize_options options = phx_study_linearize_options_default();
    snprintf(text, sizeof text, "%s%s", pendulum,
             "  loop: {kind: port_hamiltonian, ports: [pivot.effort], J: 0, Q: 30, B: 1}\n");
    phx_model *model = read_text(context, text);
    CHECK_OK(context, phx_study_linearize(context, model, &options, &report));
    assert_int_equal(report.n_casimirs, 1);
    assert_string_equal(report.casimirs[0].text, "loop.z1 - pivot.coordinate");
    const phx_bundle_item *item = phx_bundle_find(report.bundle, "casimirs");
    assert_non_null(item);
    assert_string_equal(item->names[0], report.casimirs[0].text);
    phx_linear_report_free(&report);
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_integrator, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_three_states, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_load, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_linearize, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
