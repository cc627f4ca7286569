/* A result reads the data that a recorder wrote: round trips, names, determinism, continuing a run. */
#define _XOPEN_SOURCE 700
#include "example.h"
#include "results/store/recorder.h"

#include <locale.h>
#include <time.h>

static phx_recorder *start(phx_context *context, const char *h5, const char *csv)
{
    phx_recorder_def def = example_def(h5, csv);
    phx_recorder *recorder = NULL;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    return recorder;
}

static void record(phx_context *context, const char *h5, const char *csv, size_t rows)
{
    const phx_attribute stats[] = {{"steps", NULL, 1234}, {"note", "done", 0}};
    phx_recorder *recorder = start(context, h5, csv);
    CHECK_OK(context, example_append(recorder, 0, rows));
    CHECK_OK(context, phx_recorder_finish(recorder, 2, stats));
    assert_int_equal(phx_recorder_statistics(recorder).rows, rows);
    phx_recorder_destroy(recorder);
}

static void test_a_result_comes_back_as_it_was_recorded(void **state)
{
    phx_context *context = *state;
    phx_result *result = NULL;
    record(context, "a result.h5", NULL, 1000);
    assert_false(example_exists("a result.h5.partial"));
    assert_false(example_exists("a result.h5.partial.tmp"));
    CHECK_OK(context, phx_result_read(context, "a result.h5", &result));
    assert_true(phx_result_is_complete(result));
    assert_int_equal(phx_result_rows(result), 1000);
    assert_int_equal(phx_result_dimension(result), 2);
    assert_int_equal(phx_result_columns(result), EXAMPLE_COLUMNS);
    for (int i = 0; i < EXAMPLE_COLUMNS; i++) {
        assert_string_equal(phx_result_column_name(result, i), example_columns[i].name);
        assert_string_equal(phx_result_column_unit(result, i), example_columns[i].unit ? example_columns[i].unit : "");
        assert_int_equal(phx_result_column_find(result, example_columns[i].name), i);
    }
    assert_int_equal(phx_result_column_find(result, "tip"), -1);
    assert_int_equal(phx_result_n_x(result), EXAMPLE_X);
    assert_int_equal(phx_result_n_v(result), EXAMPLE_V);
    example_check_rows(context, result);
    phx_result_destroy(result);
}

static void test_attributes_and_bodies_come_back(void **state)
{
    phx_context *context = *state;
    phx_result *result = NULL;
    record(context, "r.h5", NULL, 3);
    CHECK_OK(context, phx_result_read(context, "r.h5", &result));
    assert_string_equal(phx_result_text(result, "status"), "complete");
    assert_string_equal(phx_result_text(result, "program_version"), "0.1.0");
    assert_string_equal(phx_result_text(result, "model_name"), "crank_slider.yaml");
    assert_string_equal(phx_result_text(result, "integrator"), "midpoint");
    assert_string_equal(phx_result_text(result, "title"), "a crank – and a beam");
    assert_string_equal(phx_result_text(result, "note"), "done");
    assert_null(phx_result_text(result, "step")); /* a number */
    assert_null(phx_result_text(result, "stp"));
    assert_string_equal(phx_result_model_text(result), "phlexor: 1\ntitle: größe\n");
    int seen = 0;
    for (int i = 0; i < phx_result_attributes(result); i++) {
        const phx_attribute *attribute = phx_result_attribute(result, i);
        if (strcmp(attribute->name, "step") == 0 && attribute->number == 1e-5)
            seen |= 1;
        if (strcmp(attribute->name, "steps") == 0 && attribute->number == 1234)
            seen |= 2;
        if (strcmp(attribute->name, "last_time") == 0 && attribute->number == 1e-3 * 2.0)
            seen |= 4;
    }
    assert_int_equal(seen, 7);
    assert_int_equal(phx_result_bodies(result), EXAMPLE_BODIES);
    for (int i = 0; i < EXAMPLE_BODIES; i++) {
        const phx_record_body *body = phx_result_body(result, i), *expected = &example_bodies[i];
        assert_string_equal(body->name, expected->name);
        assert_string_equal(body->kind, expected->kind);
        assert_int_equal(body->x_start, expected->x_start);
        assert_int_equal(body->x_count, expected->x_count);
        assert_int_equal(body->v_start, expected->v_start);
        assert_int_equal(body->v_count, expected->v_count);
        assert_int_equal(body->n_points, expected->n_points);
        assert_memory_equal(body->points, expected->points, (size_t)expected->n_points * 2 * sizeof(double));
        assert_int_equal(body->shapes == NULL, expected->shapes == NULL);
        if (body->shapes)
            assert_memory_equal(body->shapes, expected->shapes, sizeof example_beam_shapes);
    }
    phx_result_destroy(result);
}

static void test_csv_has_quoted_names_and_numbers_that_read_back(void **state)
{
    phx_context *context = *state;
    size_t size;
    record(context, NULL, "r.csv", 40);
    assert_false(example_exists("r.csv.partial"));
    char *text = example_bytes("r.csv", &size);
    const char *header = "t,energy,residual,\"tip, \"\"left\"\".x\",größe/π .y,\" drift\"\n";
    assert_memory_equal(text, header, strlen(header));
    char *place = text + strlen(header);
    double columns[EXAMPLE_COLUMNS], x[EXAMPLE_X], v[EXAMPLE_V];
    for (size_t row = 0; row < 40; row++) {
        example_row(row, columns, x, v);
        for (int i = 0; i < EXAMPLE_COLUMNS; i++) {
            const double value = strtod(place, &place);
            if (value != columns[i])
                fail_msg("row %zu, column %d: %.17g is read, %.17g was written", row, i, value, columns[i]);
            assert_int_equal(*place++, i + 1 < EXAMPLE_COLUMNS ? ',' : '\n');
        }
    }
    assert_int_equal(*place, '\0');
    free(text);
}

static void test_numbers_do_not_depend_on_the_locale(void **state)
{
    phx_context *context = *state;
    /* (LOCPATH names more of them, made by localedef.) */
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8", "ps_AF.UTF-8"};
    record(context, NULL, "a.csv", 5);
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found = setlocale(LC_ALL, names[i]) || found;
    record(context, NULL, "b.csv", 5);
    setlocale(LC_ALL, "C");
    example_same_bytes("a.csv", "b.csv");
    if (!found)
        print_message("no locale with a decimal comma is installed: compared in the C locale\n");
}

static void test_equal_runs_give_equal_bytes(void **state)
{
    phx_context *context = *state;
    record(context, "a.h5", "a.csv", 3000);
    record(context, "b.h5", "b.csv", 3000);
    example_same_bytes("a.h5", "b.h5");
    example_same_bytes("a.csv", "b.csv");
    /* However the rows came to the disk: many checkpoints, a tiny buffer. */
    phx_recorder_def def = example_def("c.h5", "c.csv");
    phx_recorder *recorder = NULL;
    def.buffer_bytes = 1000;
    def.checkpoint_interval = 0.0;
    def.checkpoint_share = 1.0;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    for (size_t row = 0; row < 3000; row += 100) {
        CHECK_OK(context, example_append(recorder, row, 100));
        if (row % 700 == 0)
            CHECK_OK(context, phx_recorder_checkpoint(recorder));
    }
    const phx_attribute stats[] = {{"steps", NULL, 1234}, {"note", "done", 0}};
    CHECK_OK(context, phx_recorder_finish(recorder, 2, stats));
    phx_recorder_destroy(recorder);
    example_same_bytes("a.h5", "c.h5");
    example_same_bytes("a.csv", "c.csv");
}

static void test_checkpoints_are_readable_results_of_what_was_appended(void **state)
{
    phx_context *context = *state;
    phx_recorder_def def = example_def("r.h5", "r.csv");
    def.checkpoint_interval = 1e9;
    def.buffer_bytes = 5000; /* some of the rows are in the spool */
    phx_recorder *recorder = NULL;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    size_t rows = 0;
    for (int part = 0; part < 4; part++) {
        const size_t more = part == 2 ? 3 : 700; /* part 2 stays in memory */
        phx_result *result = NULL;
        CHECK_OK(context, example_append(recorder, rows, more));
        rows += more;
        CHECK_OK(context, phx_recorder_checkpoint(recorder));
        assert_false(example_exists("r.h5"));
        CHECK_OK(context, phx_result_read(context, "r.h5.partial", &result));
        assert_false(phx_result_is_complete(result));
        assert_string_equal(phx_result_text(result, "status"), "partial");
        assert_int_equal(phx_result_rows(result), rows);
        example_check_rows(context, result);
        phx_result_destroy(result);
    }
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    assert_false(example_exists("r.h5.partial"));
    assert_false(example_exists("r.csv.partial"));
    phx_result *result = NULL;
    CHECK_OK(context, phx_result_read(context, "r.h5", &result));
    assert_int_equal(phx_result_rows(result), rows);
    example_check_rows(context, result);
    phx_result_destroy(result);
}

static void test_checkpoints_take_a_small_share_of_the_run(void **state)
{
    phx_context *context = *state;
    phx_recorder_def def = example_def("r.h5", NULL);
    def.checkpoint_interval = 0.0;
    def.checkpoint_share = 0.05;
    phx_recorder *recorder = NULL;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    phx_recorder_stats stats = {0};
    double earlier = 0.0; /* what the checkpoints before the last one took */
    size_t row = 0;
    while (stats.checkpoints < 4 && stats.elapsed_seconds < 60.0) {
        const struct timespec pause = {0, 1000000};
        const phx_recorder_stats before = stats;
        nanosleep(&pause, NULL);
        CHECK_OK(context, example_append(recorder, row, 20));
        row += 20;
        stats = phx_recorder_statistics(recorder);
        if (stats.checkpoints > before.checkpoints)
            earlier = before.checkpoint_seconds;
        if (earlier > 0.05 * stats.elapsed_seconds)
            fail_msg("%ld checkpoints took %g s of the first %g s", before.checkpoints, earlier, stats.elapsed_seconds);
    }
    print_message("%ld checkpoints of %zu rows took %.3f of %.3f s\n", stats.checkpoints, row, stats.checkpoint_seconds,
                  stats.elapsed_seconds);
    assert_true(stats.checkpoints >= 1); /* four, unless the disk is very slow */
    phx_recorder_destroy(recorder);
}

static void test_a_run_goes_on_from_its_last_state(void **state)
{
    phx_context *context = *state;
    phx_result *result = NULL;
    double t, columns[EXAMPLE_COLUMNS], x[EXAMPLE_X], v[EXAMPLE_V], last_x[EXAMPLE_X], last_v[EXAMPLE_V];
    record(context, "r.h5", NULL, 77);
    CHECK_OK(context, phx_result_read(context, "r.h5", &result));
    phx_record_body bodies[EXAMPLE_BODIES] = {example_bodies[0], example_bodies[1]};
    bodies[0].n_points = 0; /* drawing does not matter */
    CHECK_OK(context, phx_result_last_state(result, 2, EXAMPLE_BODIES, bodies, &t, last_x, last_v));
    example_row(76, columns, x, v);
    assert_true(t == columns[0]);
    assert_memory_equal(last_x, x, sizeof x);
    assert_memory_equal(last_v, v, sizeof v);
    REFUSED(context, PHX_ERR_INPUT, "dimension",
            phx_result_last_state(result, 3, EXAMPLE_BODIES, bodies, &t, last_x, last_v));
    REFUSED(context, PHX_ERR_INPUT, "2 bodies", phx_result_last_state(result, 2, 1, bodies, &t, last_x, last_v));
    bodies[1].x_count--;
    REFUSED(context, PHX_ERR_INPUT, "'Koppel, 2' has 7",
            phx_result_last_state(result, 2, EXAMPLE_BODIES, bodies, &t, last_x, last_v));
    bodies[0].name = "kurbel";
    REFUSED(context, PHX_ERR_INPUT, "'crank', the model's is 'kurbel'",
            phx_result_last_state(result, 2, EXAMPLE_BODIES, bodies, &t, last_x, last_v));
    phx_result_destroy(result);
}

static void test_a_result_without_states_rows_or_texts(void **state)
{
    phx_context *context = *state;
    const phx_record_column column = {"t", NULL};
    phx_recorder_def def = phx_recorder_def_default();
    phx_recorder *recorder = NULL;
    phx_result *result = NULL;
    double t;
    def.h5_path = "r.h5";
    def.n_columns = 1;
    def.columns = &column;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    CHECK_OK(context, phx_result_read(context, "r.h5", &result));
    assert_int_equal(phx_result_rows(result), 0);
    assert_int_equal(phx_result_n_x(result), 0);
    assert_int_equal(phx_result_bodies(result), 0);
    assert_string_equal(phx_result_model_text(result), "");
    CHECK_OK(context, phx_result_column(result, 0, 0, 0, &t));
    REFUSED(context, PHX_ERR_ARGUMENT, "it has 0", phx_result_column(result, 0, 0, 1, &t));
    REFUSED(context, PHX_ERR_ARGUMENT, "column 1", phx_result_column(result, 1, 0, 0, &t));
    REFUSED(context, PHX_ERR_INPUT, "no rows", phx_result_last_state(result, 2, 0, NULL, &t, NULL, NULL));
    phx_result_destroy(result);
    /* Neither file: the rows are checked and forgotten. */
    def.h5_path = NULL;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    t = 1.0;
    CHECK_OK(context, phx_recorder_append(recorder, &t, NULL, NULL));
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
}

static void test_values_that_are_not_finite_are_refused_by_name(void **state)
{
    phx_context *context = *state;
    phx_recorder *recorder = start(context, "r.h5", "r.csv");
    double columns[EXAMPLE_COLUMNS], x[EXAMPLE_X], v[EXAMPLE_V];
    CHECK_OK(context, example_append(recorder, 0, 5));
    example_row(5, columns, x, v);
    columns[3] = NAN;
    REFUSED(context, PHX_ERR_ANALYSIS, "'tip, \"left\".x' is nan", phx_recorder_append(recorder, columns, x, v));
    example_row(5, columns, x, v);
    x[6] = INFINITY;
    REFUSED(context, PHX_ERR_ANALYSIS, "entry 6 of x (body 'Koppel, 2') is inf",
            phx_recorder_append(recorder, columns, x, v));
    example_row(5, columns, x, v);
    v[2] = -INFINITY;
    REFUSED(context, PHX_ERR_ANALYSIS, "entry 2 of v (body 'crank') is -inf",
            phx_recorder_append(recorder, columns, x, v));
    CHECK_OK(context, example_append(recorder, 5, 5)); /* as if nothing had happened */
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    phx_result *result = NULL;
    CHECK_OK(context, phx_result_read(context, "r.h5", &result));
    assert_int_equal(phx_result_rows(result), 10);
    example_check_rows(context, result);
    phx_result_destroy(result);
}

static void test_names_with_slashes_and_dots(void **state)
{
    phx_context *context = *state;
    const phx_record_column columns[] = {{"t", "s"}, {"a/b", NULL}, {"a%2Fb", NULL}, {"..", "m/s"}, {".", NULL}};
    phx_recorder_def def = phx_recorder_def_default();
    phx_recorder *recorder = NULL;
    phx_result *result = NULL;
    def.h5_path = "r.h5";
    def.n_columns = 5;
    def.columns = columns;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    const double row[5] = {0, 1, 2, 3, 4};
    CHECK_OK(context, phx_recorder_append(recorder, row, NULL, NULL));
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    CHECK_OK(context, phx_result_read(context, "r.h5", &result));
    for (int i = 0; i < 5; i++) {
        double value = -1;
        assert_string_equal(phx_result_column_name(result, i), columns[i].name);
        CHECK_OK(context, phx_result_column(result, i, 0, 1, &value));
        assert_true(value == row[i]);
    }
    phx_result_destroy(result);
}

static void test_wrong_defs_are_refused(void **state)
{
    phx_context *context = *state;
    phx_recorder *recorder = NULL;
    phx_recorder_def def;
#define WRONG(word, change)                                                                                            \
    def = example_def("r.h5", "r.csv");                                                                                \
    change;                                                                                                            \
    REFUSED(context, PHX_ERR_ARGUMENT, word, phx_recorder_create(context, &def, &recorder));                           \
    assert_null(recorder)
    phx_record_column columns[EXAMPLE_COLUMNS];
    memcpy(columns, example_columns, sizeof columns);
    columns[4].name = "energy";
    WRONG("'energy'", def.columns = columns);
    columns[4].name = "";
    WRONG("column 5", def.columns = columns);
    WRONG("0 columns", def.n_columns = 0);
    WRONG("dimension", def.dimension = 4);
    WRONG("'Koppel, 2'", def.n_x = 11);
    WRONG("outside", def.n_v = 7);
    WRONG("share", def.checkpoint_share = 0.0);
    WRONG("interval", def.checkpoint_interval = NAN);
    static const char *const names[] = {"r.h5", "./r.h5", "r.h5.partial", "r.h5.partial.tmp"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        def = example_def("r.h5", names[k]);
        REFUSED(context, PHX_ERR_INPUT, "two results", phx_recorder_create(context, &def, &recorder));
        assert_null(recorder);
        assert_false(example_exists(names[k]));
    }
    phx_record_body bodies[EXAMPLE_BODIES] = {example_bodies[0], example_bodies[1]};
    bodies[1].name = "crank";
    WRONG("two bodies", def.bodies = bodies);
    bodies[1] = example_bodies[1];
    bodies[0].x_count = 4;
    WRONG("cannot be drawn", def.bodies = bodies);
    phx_attribute attributes[] = {{"step", NULL, 1.0}, {"step", NULL, 2.0}};
    WRONG("'step'", def.attributes = attributes);
    attributes[1].name = "status";
    WRONG("'status'", def.attributes = attributes);
#undef WRONG
    assert_false(example_exists("r.h5.partial.tmp"));
    assert_false(example_exists("r.csv.partial"));
}

static void test_files_that_are_not_results_are_refused(void **state)
{
    phx_context *context = *state;
    phx_result *result = NULL;
    REFUSED(context, PHX_ERR_FILE, "No such file", phx_result_read(context, "none.h5", &result));
    example_write("text.h5", "t,energy\n0,1\n");
    REFUSED(context, PHX_ERR_FILE, "not an HDF5 file", phx_result_read(context, "text.h5", &result));
    REFUSED(context, PHX_ERR_FILE, "cannot read", phx_result_read(context, ".", &result));
    record(context, "r.h5", NULL, 100);
    /* Cut anywhere, it is refused or, when only rows are missing, read with an error: never a crash. */
    size_t size;
    char *bytes = example_bytes("r.h5", &size);
    for (size_t cut = 1; cut < size; cut += size / 40) {
        FILE *file = fopen("cut.h5", "wb");
        assert_non_null(file);
        fwrite(bytes, 1, cut, file);
        fclose(file);
        const phx_status status = phx_result_read(context, "cut.h5", &result);
        if (status != PHX_ERR_FILE)
            fail_msg("cut at %zu of %zu: status %d", cut, size, (int)status);
        assert_null(result);
    }
    free(bytes);
}

/* ---- tables that grow by rows ---- */
static void test_a_table_grows_row_by_row(void **state)
{
    phx_context *context = *state;
    static const char *const columns[] = {"a", "b, \"c\""};
    phx_table *table = NULL;
    size_t size;
    for (int end = 0; end < 2; end++) {
        CHECK_OK(context, phx_table_create(context, "t.csv", 2, columns, "why", &table));
        CHECK_OK(context, phx_table_append(table, (double[]){0.1, -2.0}, NULL));
        CHECK_OK(context, phx_table_append(table, (double[]){NAN, 1e300}, "one,\ntwo"));
        assert_false(example_exists("t.csv"));
        char *text = example_bytes("t.csv.partial", &size);
        assert_string_equal(text,
                            "a,\"b, \"\"c\"\"\",why\n0.10000000000000001,-2,\n,1.0000000000000001e+300,\"one, two\"\n");
        free(text);
        if (end)
            CHECK_OK(context, phx_table_finish(table));
        phx_table_destroy(table);
        assert_true(example_exists("t.csv") == (end == 1) && example_exists("t.csv.partial") == (end == 0));
    }
    CHECK_OK(context, phx_table_create(context, "u.csv", 1, columns, NULL, &table));
    phx_table_destroy(table);
    assert_false(example_exists("u.csv.partial")); /* no row */
    REFUSED(context, PHX_ERR_ARGUMENT, "columns", phx_table_create(context, "u.csv", 0, columns, NULL, &table));
    REFUSED(context, PHX_ERR_FILE, "no/such", phx_table_create(context, "no/such/u.csv", 1, columns, NULL, &table));
    phx_status status = PHX_ERR_MEMORY;
    for (long n = 0; status == PHX_ERR_MEMORY && n < 20; n++) {
        phx_context_fail_allocation(context, n);
        status = phx_table_create(context, "v.csv", 2, columns, NULL, &table);
        phx_context_fail_allocation(context, -1);
        if (status)
            assert_null(table);
    }
    CHECK_OK(context, status);
    phx_table_destroy(table);
}

/* A recorder that is given up leaves nothing, its checkpoint neither. */
static void test_a_discarded_recorder_leaves_nothing(void **state)
{
    phx_context *context = *state;
    for (int checkpoint = 0; checkpoint < 2; checkpoint++) {
        double columns[EXAMPLE_COLUMNS], x[EXAMPLE_X], v[EXAMPLE_V];
        phx_recorder *recorder = start(context, "r.h5", "r.csv");
        example_row(0, columns, x, v);
        CHECK_OK(context, phx_recorder_append(recorder, columns, x, v));
        if (checkpoint) {
            CHECK_OK(context, phx_recorder_checkpoint(recorder));
            assert_true(example_exists("r.h5.partial"));
        }
        phx_recorder_discard(recorder);
        phx_recorder_discard(recorder);
        phx_recorder_destroy(recorder);
        assert_false(example_exists("r.h5.partial") || example_exists("r.csv.partial") || example_exists("r.h5") ||
                     example_exists("r.csv"));
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, example_enter, example_leave)
    const struct CMUnitTest tests[] = {
        TEST(test_a_result_comes_back_as_it_was_recorded),
        TEST(test_attributes_and_bodies_come_back),
        TEST(test_csv_has_quoted_names_and_numbers_that_read_back),
        TEST(test_numbers_do_not_depend_on_the_locale),
        TEST(test_equal_runs_give_equal_bytes),
        TEST(test_checkpoints_are_readable_results_of_what_was_appended),
        TEST(test_checkpoints_take_a_small_share_of_the_run),
        TEST(test_a_run_goes_on_from_its_last_state),
        TEST(test_a_result_without_states_rows_or_texts),
        TEST(test_values_that_are_not_finite_are_refused_by_name),
        TEST(test_names_with_slashes_and_dots),
        TEST(test_wrong_defs_are_refused),
        TEST(test_files_that_are_not_results_are_refused),
        TEST(test_a_table_grows_row_by_row),
        TEST(test_a_discarded_recorder_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
