/* Results in memory: the same as in the file, partial when the run stops, from batches in the order of the points. */
#include "support.h"
#include "results/results.h"

/* ---- one run ---- */
static void same_attributes(const phx_result *a, const phx_result *b)
{
    assert_int_equal(phx_result_attributes(a), phx_result_attributes(b));
    for (int k = 0; k < phx_result_attributes(a); k++) {
        const phx_attribute *one = phx_result_attribute(a, k), *other = phx_result_attribute(b, k);
        assert_string_equal(one->name, other->name);
        assert_true((one->text == NULL) == (other->text == NULL));
        if (one->text)
            assert_string_equal(one->text, other->text);
        else
            assert_true(one->number == other->number);
    }
}

static void same_bodies(const phx_result *a, const phx_result *b)
{
    assert_int_equal(phx_result_bodies(a), phx_result_bodies(b));
    for (int k = 0; k < phx_result_bodies(a); k++) {
        const phx_record_body *one = phx_result_body(a, k), *other = phx_result_body(b, k);
        assert_string_equal(one->name, other->name);
        assert_int_equal(one->x_start, other->x_start);
        assert_int_equal(one->n_points, other->n_points);
        assert_memory_equal(one->points, other->points,
                            (size_t)(one->n_points * phx_result_dimension(a)) * sizeof *one->points);
    }
}

/* Every column, and every state by itself and all at once. */
static void same_rows(phx_context *context, const phx_result *a, const phx_result *b)
{
    const size_t rows = phx_result_rows(a), n_x = (size_t)phx_result_n_x(a), n_v = (size_t)phx_result_n_v(a);
    double *values = calloc(2 * rows * (1 + n_x + n_v), sizeof *values);
    assert_true(values && rows == phx_result_rows(b) && rows > 0);
    assert_true((int)n_x == phx_result_n_x(b) && (int)n_v == phx_result_n_v(b));
    assert_int_equal(phx_result_columns(a), phx_result_columns(b));
    for (int k = 0; k < phx_result_columns(a); k++) {
        assert_string_equal(phx_result_column_name(a, k), phx_result_column_name(b, k));
        assert_string_equal(phx_result_column_unit(a, k), phx_result_column_unit(b, k));
        CHECK_OK(context, phx_result_column(a, k, 1, rows - 1, values));
        CHECK_OK(context, phx_result_column(b, k, 1, rows - 1, values + rows));
        assert_memory_equal(values, values + rows, (rows - 1) * sizeof *values);
    }
    const size_t size = rows * (n_x + n_v);
    CHECK_OK(context, phx_result_states(a, 0, rows, values, values + rows * n_x));
    CHECK_OK(context, phx_result_states(b, 0, rows, values + size, values + size + rows * n_x));
    assert_memory_equal(values, values + size, size * sizeof *values);
    for (size_t i = 0; i < rows; i++) {
        CHECK_OK(context, phx_result_state(a, i, values + size, values + size + n_x));
        assert_memory_equal(values + size, values + i * n_x, n_x * sizeof *values);
        assert_memory_equal(values + size + n_x, values + rows * n_x + i * n_v, n_v * sizeof *values);
    }
    free(values);
}

static void memory_has_what_the_file_has(void **state)
{
    phx_context *context = *state;
    static const char *const examples[] = {"crank_slider.yaml", "heavy_top.yaml"};
    for (int k = 0; k < 2; k++) {
        phx_model *model = read_example(context, examples[k]);
        phx_simulate_options options = phx_simulate_options_default();
        phx_simulate_report report;
        phx_result *memory = NULL, *file = NULL;
        options.h5_path = "a.h5";
        options.end = (phx_model_optional){true, 0.02};
        options.step = (phx_model_optional){true, 2e-5}; /* 1001 rows: memory grows */
        options.every = (phx_model_optional){true, 2e-5};
        CHECK_OK(context, phx_study_simulate_result(context, model, &options, &report, &memory));
        phx_model_destroy(model); /* the result does not need it */
        CHECK_OK(context, phx_result_read(context, "a.h5", &file));
        assert_int_equal(phx_result_rows(memory), 1001);
        assert_true(phx_result_is_complete(memory));
        assert_int_equal(phx_result_dimension(memory), phx_result_dimension(file));
        assert_string_equal(phx_result_model_text(memory), phx_result_model_text(file));
        same_attributes(memory, file);
        same_bodies(memory, file);
        same_rows(context, memory, file);
        const phx_result_info info = phx_result_about(memory);
        assert_int_equal(info.width, phx_result_columns(memory) + phx_result_n_x(memory) + phx_result_n_v(memory) +
                                         phx_result_ledger(memory));
        assert_int_equal(phx_result_ledger(memory), phx_result_ledger(file));
        for (int i = 0; i < phx_result_ledger(file); i++) {
            double of_memory[10], of_file[10];
            CHECK_OK(context, phx_result_ledger_values(memory, i, 991, 10, of_memory));
            CHECK_OK(context, phx_result_ledger_values(file, i, 991, 10, of_file));
            assert_memory_equal(of_memory, of_file, sizeof of_file);
            assert_string_equal(phx_result_ledger_entry(memory, i)->name, phx_result_ledger_entry(file, i)->name);
        }
        assert_true(info.memory[1000 * info.width] == report.reached);
        assert_null(phx_result_about(file).memory);
        CHECK_STATUS(context, phx_result_column(memory, 0, 1000, 2, NULL), PHX_ERR_ARGUMENT);
        CHECK_MESSAGE(context, "the result in memory: rows 1000 to 1002");
        phx_result_destroy(memory);
        phx_result_destroy(file);
    }
}

static bool stop_in_the_middle(void *user, const char *what, double done, double total)
{
    (void)user, (void)what;
    return done < 0.5 * total;
}

static void what_was_computed_is_there(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_example(context, "crank_slider.yaml");
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;

    phx_context_set_progress(context, stop_in_the_middle, NULL);
    CHECK_STATUS(context, phx_study_simulate_result(context, model, &options, &report, &result), PHX_INTERRUPTED);
    CHECK_MESSAGE(context, "stopped by the user");
    phx_context_set_progress(context, NULL, NULL);
    assert_non_null(result);
    assert_false(phx_result_is_complete(result));
    assert_non_null(strstr(phx_result_text(result, "reason"), "stopped by the user"));
    assert_true(report.rows > 150 && phx_result_rows(result) == report.rows);
    phx_result_destroy(result);
    options.end = (phx_model_optional){true, -1.0};
    CHECK_STATUS(context, phx_study_simulate_result(context, model, &options, &report, &result), PHX_ERR_INPUT);
    assert_null(result);
    phx_model_destroy(model);
}

static void every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_example(context, "double_pendulum.yaml");
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_status status = PHX_ERR_MEMORY;

    options.end = (phx_model_optional){true, 0.02};
    for (long n = 0; status; n++) {
        phx_result *result = NULL;
        phx_context_fail_allocation(context, n);
        status = phx_study_simulate_result(context, model, &options, &report, &result);
        phx_context_fail_allocation(context, -1);
        if (status)
            CHECK_STATUS(context, status, PHX_ERR_MEMORY);
        assert_true((status == PHX_OK) == (result && phx_result_is_complete(result)));
        phx_result_destroy(result);
    }
    phx_model_destroy(model);
}

/* ---- a recorder has its result once, at its end ---- */
static void taken_once(void **state)
{
    phx_context *context = *state;
    phx_recorder_def def = phx_recorder_def_default();
    const phx_record_column column = {"t", "s"};
    phx_recorder *recorder = NULL;
    phx_result *result = NULL;
    double t = 0.5;

    def.n_columns = 1;
    def.columns = &column;
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        def.in_memory = in_memory;
        CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
        CHECK_OK(context, phx_recorder_append(recorder, &t, NULL, NULL));
        CHECK_STATUS(context, phx_recorder_take(recorder, context, &result), PHX_ERR_ARGUMENT);
        CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
        CHECK_STATUS(context, phx_recorder_take(recorder, context, &result), in_memory ? PHX_OK : PHX_ERR_ARGUMENT);
        if (in_memory)
            CHECK_STATUS(context, phx_recorder_take(recorder, context, &(phx_result *){NULL}), PHX_ERR_ARGUMENT);
        phx_recorder_destroy(recorder);
    }
    t = 0.0;
    CHECK_OK(context, phx_result_column(result, 0, 0, 1, &t));
    assert_true(t == 0.5 && phx_result_rows(result) == 1);
    phx_result_destroy(result);
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder)); /* no rows */
    CHECK_OK(context, phx_recorder_abandon(recorder, "never began"));
    CHECK_OK(context, phx_recorder_take(recorder, context, &result));
    assert_int_equal(phx_result_rows(result), 0);
    assert_null(phx_result_text(result, "last_time"));
    phx_result_destroy(result);
    phx_recorder_destroy(recorder);
}

/* ---- batches ---- */
typedef struct collection {
    phx_context *context;
    int count, stop_at;
    phx_result *results[3];
    double energy[3];
    char message[300];
} collection;

static phx_status collect(void *user, int point, const phx_simulate_report *report, phx_result *result,
                          const char *message)
{
    collection *c = user;
    assert_int_equal(point, c->count);
    assert_true((message == NULL) == (result != NULL) && (report != NULL) == (result != NULL));
    c->results[point] = result;
    if (report)
        c->energy[point] = report->largest_energy;
    else
        snprintf(c->message, sizeof c->message, "%s", message);
    return ++c->count == c->stop_at ? phx_fail(c->context, PHX_ERR_ANALYSIS, "enough") : PHX_OK;
}

static const char pendulum[] = "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {m: 1}\n"
                               "bodies: {bob: {kind: rigid, mass: m, inertia: 0.1*m, pose: {position: [1, 0]},"
                               " ports: {hinge: {position: [-1, 0]}}}}\n"
                               "joints: {pin: {kind: revolute, ports: [ground.O, bob.hinge]}}\n"
                               "simulate: {end: 0.1, step: 0.01}\n";

static void batches_deliver_in_order(void **state)
{
    phx_context *context = *state;
    const double masses[] = {1.0, -1.0, 2.0};
    phx_model *model = NULL;
    phx_sweep *sweep = NULL;
    CHECK_OK(context, phx_model_read_text(context, "p.yaml", pendulum, strlen(pendulum), 0, NULL, &model));
    CHECK_OK(context, phx_sweep_create(context, &sweep));
    CHECK_OK(context, phx_sweep_add_values(sweep, "m", 3, masses));
    for (int threads = 1; threads <= 3; threads++) {
        collection c = {.context = context};
        phx_study_batch_report report;
        phx_study_batch_options options = phx_study_batch_options_default();
        options.sweep = sweep;
        options.threads = threads;
        options.deliver = collect;
        options.user = &c;
        options.simulate.h5_path = threads == 2 ? "a.h5" : NULL;
        CHECK_OK(context, phx_study_batch(context, model, &options, &report));
        assert_true(c.count == 3 && report.complete == 2 && report.failed == 1);
        CHECK_TEXT(c.message, "at m = -1 (point 2 of 3)");
        CHECK_RELATIVE(c.energy[2], 2.0 * c.energy[0], 1e-12, "energy of the heavier, %d threads", threads);
        for (int k = 0; k < 3; k += 2) {
            assert_int_equal(phx_result_rows(c.results[k]), 11);
            assert_true(phx_result_is_complete(c.results[k]));
        }
        if (options.simulate.h5_path) {
            phx_result *file = NULL;
            CHECK_OK(context, phx_result_read(context, "a-0003.h5", &file));
            same_rows(context, c.results[2], file);
            same_attributes(c.results[2], file);
            phx_result_destroy(file);
        }
        for (int k = 0; k < 3; k++)
            phx_result_destroy(c.results[k]);
        c = (collection){.context = context, .stop_at = 2};
        CHECK_STATUS(context, phx_study_batch(context, model, &options, &report), PHX_ERR_ANALYSIS);
        CHECK_MESSAGE(context, "enough");
        assert_int_equal(c.count, 2);
        phx_result_destroy(c.results[0]);
    }
    phx_sweep_destroy(sweep);
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_has_what_the_file_has, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(what_was_computed_is_there, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(taken_once, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(batches_deliver_in_order, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
