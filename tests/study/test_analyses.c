/* Whole analyses without the program: what they report, what is put back, what is left when they stop early. */
#define _XOPEN_SOURCE 700 /* access */

#include "support.h"
#include "results/results.h"

#include <unistd.h>

/* ---- modes ---- */
/* Three beams are made for 73 angles, every branch goes through all of them, and the parameter is put back. */
static void sweep_reuses_beams(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_example(context, "four_bar.yaml");
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_study_modes_report report;
    phx_modes_table table;
    phx_sweep *sweep = NULL;

    CHECK_OK(context, phx_sweep_from_model(context, model, &sweep));
    options.sweep = sweep;
    options.with_shapes = true;
    CHECK_OK(context, phx_study_modes(context, model, &options, &table, &report));
    assert_string_equal(table.model_name, model->title);
    assert_int_equal(table.n_points, 73);
    assert_int_equal(table.n_rows, 73 * 6);
    assert_int_equal(report.beams.made, 3);
    assert_int_equal(report.beams.reused, 3 * 72);
    assert_true(model->parameters[0].value == 0.0 && !model->parameters[0].overridden);
    for (int i = 0; i < table.n_rows; i++)
        if (table.rows[i].branch < 1 || table.rows[i].branch > 20 || !(table.rows[i].omega > 0.0))
            fail_msg("row %d: branch %d, omega %g", i, table.rows[i].branch, table.rows[i].omega);
    if (!(report.least_confidence > 0.5))
        fail_msg("a mode was recognised by a MAC of %g only", report.least_confidence);
    phx_modes_free(&table);
    phx_sweep_destroy(sweep);
    phx_model_destroy(model);
}

/* Two sweeps that meet at a point have the same modes there. */
static void sweep_order_does_not_matter(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_example(context, "four_bar.yaml");
    phx_modes_table table[2];
    for (int k = 0; k < 2; k++) {
        const double values[2][2] = {{0.0, 1.0}, {1.0, 0.0}};
        phx_study_modes_options options = {.count = 4};
        phx_sweep *sweep = NULL;
        CHECK_OK(context, phx_sweep_create(context, &sweep));
        CHECK_OK(context, phx_sweep_add_values(sweep, "theta1", 2, values[k]));
        options.sweep = sweep;
        CHECK_OK(context, phx_study_modes(context, model, &options, &table[k], NULL));
        assert_int_equal(table[k].n_rows, 8);
        phx_sweep_destroy(sweep);
    }
    for (int i = 0; i < 8; i++) {
        const double a = table[0].rows[i].omega, b = table[1].rows[(i + 4) % 8].omega;
        if (!(fabs(a / b - 1.0) <= 1e-11))
            fail_msg("mode %d: %.17g and %.17g", i, a, b);
    }
    phx_modes_free(&table[0]);
    phx_modes_free(&table[1]);
    phx_model_destroy(model);
}

/* Frequencies of a stiffened beam in few modes do not depend on the unit of mass: that the axial shapes which follow
 * the modes are there does not either. */
static void units_of_mass_do_not_matter(void **state)
{
    static const char *const references[] = {"simply_supported", "cantilever", "free"};
    static const char *const dims[] = {"2", "3"};
    static const double units[] = {1.0, 1e-12, 1e-6, 1e9};
    for (int k = 0; k < 6; k++) {
        double omega[3] = {0.0};
        for (int u = 0; u < 4; u++) {
            char text[1000];
            phx_study_modes_options options = {.count = 3};
            phx_modes_table table;
            snprintf(
                text, sizeof text,
                "phlexor: 1\ndimension: %s\nmaterials: {m: {density: %g, young: %g, poisson: 0.3}}\n"
                "bodies: {a: {kind: beam, material: m, length: 0.8, section: {kind: rectangle, width: 0.03, height: "
                "0.02}, elements: 3, reference: %s, stiffening: true, modes: %d}}\n"
                "joints: {j: {kind: weld, ports: [ground.O, a.P]}}\n",
                dims[k % 2], 2000.0 * units[u], 1e9 * units[u], references[k / 2], 1 + k % 2);
            phx_model *model = read_text(*state, text);
            CHECK_OK(*state, phx_study_modes(*state, model, &options, &table, NULL));
            for (int i = 0; i < table.n_rows; i++) {
                omega[i] = u == 0 ? table.rows[i].omega : omega[i];
                CHECK_CLOSE(table.rows[i].omega / omega[i], 1.0, 1e-7, "%s, unit %g, mode %d", references[k / 2],
                            units[u], i + 1);
            }
            phx_modes_free(&table);
            phx_model_destroy(model);
        }
    }
}

/* Plates of order 0 in few elements have shapes without mass, which none of the bases takes. */
static void shapes_without_mass_are_left_out(void **state)
{
    for (int elements = 2; elements < 5; elements++)
        for (int modes = 1; modes < 3; modes++) {
            char text[1000];
            phx_study_modes_options options = {.count = 1};
            phx_modes_table table;
            snprintf(text, sizeof text,
                     "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 2700, young: 7e10, poisson: 0.3}}\n"
                     "bodies: {p: {kind: plate, material: m, thickness: 0.002, order: 0, stiffening: true, mesh: "
                     "{size: [0.4, "
                     "0.3], elements: [%d, 1]}, ports: {A: {on: x0}, B: {on: x1}}, basis: {kind: craig_bampton, modes: "
                     "%d}}}\n"
                     "joints: {j: {kind: weld, ports: [ground.O, p.A]}}\n",
                     elements, modes);
            phx_model *model = read_text(*state, text);
            CHECK_OK(*state, phx_study_modes(*state, model, &options, &table, NULL));
            assert_int_equal(table.n_rows, 1);
            CHECK_CLOSE(table.rows[0].omega, 67.0, 18.0, "a cantilever in %d coarse elements", elements);
            phx_modes_free(&table);
            phx_model_destroy(model);
        }
}

/* The point is named, the table empty, the parameter back. */
static void sweep_names_the_point(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_example(context, "four_bar.yaml");
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_modes_table table;
    phx_sweep *sweep = NULL;
    const double values[2] = {2.0, -1.0}; /* elements */

    CHECK_OK(context, phx_sweep_create(context, &sweep));
    CHECK_OK(context, phx_sweep_add_values(sweep, "n", 2, values));
    options.sweep = sweep;
    assert_int_equal(phx_study_modes(context, model, &options, &table, NULL), PHX_ERR_INPUT);
    if (!strstr(phx_context_message(context), "at n = -1 (point 2 of 2)"))
        fail_msg("%s", phx_context_message(context));
    assert_null(table.rows);
    assert_true(model->parameters[1].value == 4.0);
    phx_sweep_destroy(sweep);
    phx_model_destroy(model);
}

/* ---- simulation ---- */
static void reports_a_run(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_example(context, "crank_slider.yaml");
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;

    options.end = (phx_model_optional){true, 0.01};
    options.every = (phx_model_optional){true, 0.001};
    options.step = (phx_model_optional){true, 1e-4};
    CHECK_OK(context, phx_study_simulate(context, model, &options, &report));
    assert_int_equal(report.rows, 11);
    assert_int_equal(report.stats.steps, 100);
    assert_true(report.from == 0.0 && report.reached == 0.01 && report.lossless);
    assert_int_equal(report.bodies, 3);
    assert_int_equal(report.constraints, 9);
    if (!(report.largest_residual <= 1e-11 * report.largest_energy) || !(report.largest_drift <= 1e-13))
        fail_msg("residual %g of %g J, drift %g m", report.largest_residual, report.largest_energy,
                 report.largest_drift);
    phx_model_destroy(model);
}

static bool stop_in_the_middle(void *user, const char *what, double done, double total)
{
    (void)user, (void)what;
    return done < 0.5 * total;
}

/* Stopped by the user: a partial result that says so, and no other. */
static void keeps_what_was_computed(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_example(context, "crank_slider.yaml");
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;

    options.h5_path = "a.h5";
    options.csv_path = "a.csv";
    phx_context_set_progress(context, stop_in_the_middle, NULL);
    assert_int_equal(phx_study_simulate(context, model, &options, &report), PHX_INTERRUPTED);
    phx_context_set_progress(context, NULL, NULL);
    assert_true(access("a.h5", F_OK) != 0 && access("a.csv", F_OK) != 0);
    CHECK_OK(context, phx_result_read(context, "a.h5.partial", &result));
    assert_false(phx_result_is_complete(result));
    assert_int_equal(phx_result_rows(result), report.rows);
    assert_true(report.rows > 150 && report.rows < 250);
    assert_string_equal(phx_result_model_text(result), model->text);
    phx_result_destroy(result);
    phx_model_destroy(model);
}

/* The drawing data redraw the bodies: the last point of the coupler is the slider's place. */
static void records_what_redraws_the_motion(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_example(context, "crank_slider.yaml");
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;
    double x[100], slider[2];

    options.h5_path = "a.h5";
    CHECK_OK(context, phx_study_simulate(context, model, &options, &report));
    CHECK_OK(context, phx_result_read(context, "a.h5", &result));
    assert_string_equal(phx_result_text(result, "model_name"), model->title); /* not the path */
    assert_true(phx_result_n_x(result) <= 100);
    const size_t row = phx_result_rows(result) / 3;
    CHECK_OK(context, phx_result_state(result, row, x, NULL));
    CHECK_OK(context, phx_result_column(result, phx_result_column_find(result, "slider.x"), row, 1, &slider[0]));
    CHECK_OK(context, phx_result_column(result, phx_result_column_find(result, "slider.y"), row, 1, &slider[1]));
    const phx_record_body *coupler = phx_result_body(result, 1);
    assert_string_equal(coupler->name, "coupler");
    const double *place = x + coupler->x_start, *q = place + 5;
    const int n_q = coupler->x_count - 5, last = coupler->n_points - 1;
    double local[2];
    for (int a = 0; a < 2; a++) {
        local[a] = coupler->points[2 * last + a];
        for (int j = 0; j < n_q; j++)
            local[a] += coupler->shapes[(2 * last + a) * n_q + j] * q[j];
    }
    const double end[2] = {place[0] + place[2] * local[0] - place[3] * local[1],
                           place[1] + place[3] * local[0] + place[2] * local[1]};
    if (!(hypot(end[0] - slider[0], end[1] - slider[1]) <= 1e-13))
        fail_msg("the coupler ends at (%.17g, %.17g), the slider is at (%.17g, %.17g)", end[0], end[1], slider[0],
                 slider[1]);
    phx_result_destroy(result);
    phx_model_destroy(model);
}

/* ---- check ---- */
static void certifies(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_example(context, "four_bar_free.yaml");
    phx_check_report report;

    CHECK_OK(context, phx_study_check(context, model, &report));
    const phx_certificate *c = &report.certificate;
    assert_true(c->skew_residual == 0.0 && c->lossless && c->power_residual <= 1e-12);
    assert_int_equal(c->degrees_of_freedom, c->velocities - 8);
    assert_int_equal(report.n_redundant, 0);
    const double rod = 2714.0 * (0.108 * 1.0774e-4 + (0.2794 + 0.2705) * 4.0645e-5) + 2 * 0.042;
    if (!(fabs(c->mass / rod - 1.0) <= 1e-14))
        fail_msg("mass %.17g, expected %.17g", c->mass, rod);
    phx_check_report_free(&report);
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sweep_reuses_beams, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(sweep_order_does_not_matter, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(units_of_mass_do_not_matter, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(shapes_without_mass_are_left_out, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(sweep_names_the_point, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(reports_a_run, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(keeps_what_was_computed, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(records_what_redraws_the_motion, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(certifies, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
