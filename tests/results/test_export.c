/* Exports: which formats there are of which file, that they are complete or not there, names that other programs take.
 * How other programs read the files is tested with the program (tests/cli/test_files.sh, test_paraview.sh). */
#define _XOPEN_SOURCE 700
#include "example.h"
#include "exchange_sample.h"
#include "results/exchange/exchange.h"

static void record(phx_context *context, const char *path, const char *csv, size_t rows, bool partial)
{
    phx_recorder_def def = example_def(path, csv);
    phx_recorder *recorder = NULL;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, example_append(recorder, 0, rows));
    if (partial)
        CHECK_OK(context, phx_recorder_abandon(recorder, "the \"light\" went out\n"));
    else
        CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
}

static void make_files(phx_context *context)
{
    static const phx_mode_row rows[] = {{0, 1, 1, 2.0, 0.3, 0.0}, {0, 2, 2, 5.0, 0.8, -0.1}};
    static const char *const coordinates[] = {"crank.rx", "Koppel.\xC3\xBC"};
    static const double shapes[] = {1.0, 0.5, -0.25, 1.0}, imaginary[] = {0.0, 0.125, 0.0, 0.0};
    const phx_modes_table table = {.model_name = "two modes",
                                   .model_text = "phlexor: 1\n",
                                   .program_version = "0.1.0",
                                   .n_points = 1,
                                   .n_rows = 2,
                                   .rows = rows,
                                   .n_coordinates = 2,
                                   .coordinates = coordinates,
                                   .shapes = shapes,
                                   .shapes_imaginary = imaginary};
    phx_bundle *bundle = NULL;
    record(context, "simulation.h5", NULL, 30, false);
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_HDF5, "modes.h5"));
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_CSV, "modes.csv"));
    CHECK_OK(context, exchange_sample(context, &bundle));
    CHECK_OK(context, phx_exchange_write(context, "linear.h5", bundle));
    phx_bundle_destroy(bundle);
}

static void clear(const char *name)
{
    char path[400];
    DIR *directory = opendir(name);
    for (struct dirent *entry = directory ? readdir(directory) : NULL; entry; entry = readdir(directory)) {
        snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
        unlink(path);
    }
    if (directory)
        closedir(directory);
    assert_int_equal(directory ? rmdir(name) : unlink(name), 0);
}

/* ---- which formats ---- */
static const char *const files[] = {"simulation.h5", "modes.h5", "modes.csv", "linear.h5"};
static const char *const wanted[] = {"vtk xdmf mat csv xlsx json", "mat csv xlsx json", "mat csv xlsx json",
                                     "mat json mtx"};
enum { FILES = sizeof files / sizeof *files };
static const char *const formats[] = {"vtk", "xdmf", "mat", "csv", "xlsx", "json", "mtx"};
enum { FORMATS = sizeof formats / sizeof *formats };

static void test_the_table_of_formats(void **state)
{
    phx_context *context = *state;
    make_files(context);
    for (int f = 0; f < FILES; f++)
        for (int k = 0; k < FORMATS; k++) {
            const phx_export_format *chosen = NULL;
            if (strstr(wanted[f], formats[k])) {
                CHECK_OK(context, phx_export_choose(context, files[f], formats[k], &chosen));
                assert_string_equal(chosen->name, formats[k]);
                CHECK_OK(context, phx_export(context, files[f], formats[k], "made", 0));
                assert_true(example_exists("made"));
                clear("made");
            } else {
                REFUSED(context, PHX_ERR_INPUT, files[f], phx_export_choose(context, files[f], formats[k], &chosen));
                REFUSED(context, PHX_ERR_INPUT, "there are", phx_export(context, files[f], formats[k], "made", 0));
            }
            assert_false(example_exists("made") || example_exists("made.partial"));
        }
    const phx_export_format *first = NULL;
    CHECK_OK(context, phx_export_choose(context, "simulation.h5", NULL, &first));
    assert_string_equal(first->name, "vtk");
    CHECK_OK(context, phx_export_choose(context, "modes.h5", NULL, &first));
    assert_string_equal(first->name, "mat");
    CHECK_OK(context, phx_export_choose_exchange(context, NULL, &first));
    assert_string_equal(first->name, "mtx");
    REFUSED(context, PHX_ERR_INPUT, "mat, json, mtx", phx_export_choose_exchange(context, "xdmf", &first));
    REFUSED(context, PHX_ERR_INPUT, "over itself", phx_export(context, "linear.h5", "mat", "./linear.h5", 0));
    REFUSED(context, PHX_ERR_FILE, "none.h5", phx_export(context, "none.h5", "mat", "made", 0));
}

/* A table in a style, by the library; every allocation fails once. */
static void test_styles(void **state)
{
    phx_context *context = *state;
    const phx_table_style styles[] = {{.units = true}, {.comma = true}, {.units = true, .workbook = true}};
    make_files(context);
    for (size_t f = 0; f < 2; f++)
        for (size_t k = 0; k < sizeof styles / sizeof *styles; k++) {
            phx_status status = PHX_ERR_MEMORY;
            for (long n = 0; status != PHX_OK; n += 1 + n / 16) {
                phx_context_fail_allocation(context, n);
                status = phx_export_table(context, files[f], &styles[k], "made");
                phx_context_fail_allocation(context, -1);
                assert_true(status == PHX_OK || status == PHX_ERR_MEMORY);
                assert_true(example_exists("made") == (status == PHX_OK));
                assert_false(example_exists("made.partial"));
            }
            clear("made");
        }
    REFUSED(context, PHX_ERR_INPUT, "there are mat, json, mtx",
            phx_export_table(context, "linear.h5", &styles[0], "made"));
    REFUSED(context, PHX_ERR_INPUT, "standard output", phx_export_table(context, "modes.h5", &styles[2], "-"));
    REFUSED(context, PHX_ERR_ARGUMENT, "decimal commas",
            phx_export_table(context, "modes.h5", &(phx_table_style){.comma = true, .workbook = true}, "made"));
    REFUSED(context, PHX_ERR_INPUT, "over itself", phx_export_table(context, "modes.h5", &styles[0], "modes.h5"));
}

static void test_every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    make_files(context);
    for (int f = 0; f < FILES; f++)
        for (int k = 0; k < FORMATS; k++) {
            const char *format = formats[k];
            phx_status status = strstr(wanted[f], format) ? PHX_ERR_MEMORY : PHX_OK;
            for (long n = 0; status != PHX_OK; n += 1 + n / 16) {
                phx_context_fail_allocation(context, n);
                status = phx_export(context, files[f], format, "made", 2);
                phx_context_fail_allocation(context, -1);
                if (status != PHX_OK && status != PHX_ERR_MEMORY)
                    fail_msg("%s as %s, allocation %ld: status %d: %s", files[f], format, n, (int)status,
                             phx_context_message(context));
                assert_true(status == PHX_OK || !example_exists("made"));
                assert_true(n < 2000);
            }
            if (strstr(wanted[f], format))
                clear("made");
            if (example_exists("made.partial")) /* the folder of an earlier try, used by the last one */
                fail_msg("%s as %s left made.partial", files[f], format);
        }
}

/* ---- simulations ---- */
/* The rows that the recorder writes while it runs are those exported afterwards. */
static void test_csv_is_that_of_the_recorder(void **state)
{
    phx_context *context = *state;
    const size_t rows[] = {0, 1, 25000};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        record(context, "r.h5", "a.csv", rows[k], false);
        CHECK_OK(context, phx_export(context, "r.h5", "csv", "b.csv", 0));
        example_same_bytes("a.csv", "b.csv");
    }
}

/* Also of no rows, one row, and of what a run left that stopped. */
static void test_summaries(void **state)
{
    phx_context *context = *state;
    size_t size = 0;
    record(context, "r.h5", NULL, 0, false);
    CHECK_OK(context, phx_export(context, "r.h5", "json", "s.json", 0));
    char *text = example_bytes("s.json", &size);
    assert_non_null(strstr(text, "\"rows\": 0"));
    assert_null(strstr(text, "\"first\""));
    free(text);
    record(context, "r.h5", NULL, 1, false);
    CHECK_OK(context, phx_export(context, "r.h5", "json", "s.json", 0));
    text = example_bytes("s.json", &size);
    assert_non_null(strstr(text, "\"tip, \\\"left\\\".x\": {\"unit\": \"m\", \"first\": 0.14999999999999999, \"last\": "
                                 "0.14999999999999999, \"min\": 0.14999999999999999"));
    free(text);
    record(context, "q.h5", NULL, 3, true);
    CHECK_OK(context, phx_export(context, "q.h5.partial", "json", "s.json", 0));
    text = example_bytes("s.json", &size);
    assert_non_null(strstr(text, "\"status\": \"partial\""));
    assert_non_null(strstr(text, "\"reason\": \"the \\\"light\\\" went out\\u000a\""));
    assert_non_null(strstr(text, "\"last_time\": 0.002"));
    /* of the columns that a simulation has there is `energy`, from 1/3 on, and `residual` */
    assert_non_null(strstr(text, "\"largest\": {\"energy\": 0.33533333333333332, \"residual\": "));
    free(text);
    for (int k = 0; k < FORMATS; k++) {
        const char *format = formats[k];
        if (!strstr(wanted[0], format))
            continue;
        CHECK_OK(context, phx_export(context, "q.h5.partial", format, "made", 0));
        clear("made");
    }
}

/* Columns whose names a program cannot have get others, each its own. */
static void test_names_for_other_programs(void **state)
{
    phx_context *context = *state;
    static const struct {
        const char *prefix, *text, *name;
    } cases[] = {{"", "mid.x", "mid_x"},
                 {"", "mid x", "mid_x_2"},
                 {"", "mid-x", "mid_x_3"},
                 {"", "2nd", "c2nd"},
                 {"", "\xC3\xB6", "c_"},
                 {"", "end", "end_"},
                 {"info_", "end", "info_end"},
                 {"", "\xC3\xA4\xF0\x9D\x84\x9E.x", "c___x"},
                 {"", "", "c"},
                 {"", "_", "c__2"}};
    phx_bundle *bundle = NULL;
    CHECK_OK(context, phx_bundle_create(context, &bundle));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char name[PHX_BUNDLE_NAME_SIZE];
        phx_bundle_make_name(bundle, cases[k].prefix, cases[k].text, name);
        assert_string_equal(name, cases[k].name);
        phx_bundle_add_number(bundle, name, 1.0);
        CHECK_OK(context, phx_bundle_status(bundle));
    }
    char text[200];
    for (int k = 0; k < 12; k++) { /* longer than a name may be, and all the same at the front */
        char name[PHX_BUNDLE_NAME_SIZE];
        memset(text, 'n', sizeof text - 1);
        text[sizeof text - 1] = '\0';
        phx_bundle_make_name(bundle, "", text, name);
        assert_true(strlen(name) <= 63);
        phx_bundle_add_number(bundle, name, 1.0);
        CHECK_OK(context, phx_bundle_status(bundle));
    }
    phx_bundle_destroy(bundle);
}

/* A column that is called as something else of the bundle. */
static void test_columns_called_as_other_items(void **state)
{
    phx_context *context = *state;
    static const phx_record_column columns[] = {{"t", "s"}, {"states_x", NULL}, {"model", "m"}, {"info_status", ""}};
    phx_recorder_def def = example_def("r.h5", NULL);
    phx_recorder *recorder = NULL;
    phx_result *result = NULL;
    phx_bundle *bundle = NULL;
    def.n_columns = 4;
    def.columns = columns;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, example_append(recorder, 0, 3));
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    CHECK_OK(context, phx_result_read(context, "r.h5", &result));
    CHECK_OK(context, phx_bundle_create(context, &bundle));
    CHECK_OK(context, phx_bundle_add_result(context, bundle, result));
    const phx_bundle_item *names = phx_bundle_find(bundle, "variables");
    const char *const expected[] = {"t", "column_states_x", "column_model", "info_status"};
    for (int k = 0; k < 4; k++) {
        assert_string_equal(names->names[k], expected[k]);
        const phx_bundle_item *item = phx_bundle_find(bundle, expected[k]);
        assert_true(item->kind == PHX_BUNDLE_MATRIX && item->rows == 3 && item->cols == 1);
        assert_string_equal(item->meaning, columns[k].name);
        assert_string_equal(item->unit, columns[k].unit ? columns[k].unit : "");
    }
    assert_true(phx_bundle_find(bundle, "states_x")->cols == EXAMPLE_X);
    assert_string_equal(phx_bundle_find(bundle, "info_status_2")->text, "complete");
    phx_bundle_destroy(bundle);
    phx_result_destroy(result);
}

/* ---- matrices ---- */
static void check_bytes(const char *path, const char *expected)
{
    size_t size = 0;
    char *text = example_bytes(path, &size);
    assert_string_equal(text, expected);
    free(text);
}

static void test_matrix_market(void **state)
{
    phx_context *context = *state;
    const double skew[] = {0, -1, 2, 1, 0, -3, -2, 3, 0}, symmetric[] = {1, 2, 2, 0.1}, general[] = {1, 2, 3, 4, 5, 6};
    phx_csr sparse = {0}, hidden = {0};
    phx_bundle *bundle = NULL;
    CHECK_OK(context, phx_csr_from_dense(context, 3, 3, skew, 0.0, &sparse));
    /* symmetric, though one of its zeros is stored */
    CHECK_OK(context, phx_csr_from_triplets(context, 2, 2, 2, (const int[]){0, 1}, (const int[]){1, 1},
                                            (const double[]){0.0, 5.0}, &hidden));
    CHECK_OK(context, phx_bundle_create(context, &bundle));
    phx_bundle_add_sparse(bundle, "J", &sparse);
    phx_bundle_describe(bundle, "of two\nlines", "1, m");
    phx_bundle_add_sparse(bundle, "H", &hidden);
    phx_bundle_add_matrix(bundle, "S", 2, 2, symmetric, NULL);
    phx_bundle_add_matrix(bundle, "N", 3, 3, skew, NULL);
    phx_bundle_add_matrix(bundle, "G", 2, 3, general, NULL);
    phx_bundle_add_matrix(bundle, "Z", 2, 2, symmetric, general);
    phx_bundle_add_matrix(bundle, "none", 0, 3, NULL, NULL);
    phx_bundle_add_text(bundle, "text", "\"");
    CHECK_OK(context, phx_exchange_write(context, "all_mtx", bundle));
    check_bytes("all_mtx/J.mtx",
                "%%MatrixMarket matrix coordinate real skew-symmetric\n% of two\n% lines\n% unit: 1, m\n"
                "3 3 3\n2 1 1\n3 1 -2\n3 2 3\n");
    check_bytes("all_mtx/H.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 2 5\n");
    check_bytes("all_mtx/S.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n0.10000000000000001\n");
    check_bytes("all_mtx/N.mtx", "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n-2\n3\n");
    check_bytes("all_mtx/G.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n4\n2\n5\n3\n6\n");
    check_bytes("all_mtx/Z.mtx",
                "%%MatrixMarket matrix array complex general\n2 2\n1 1\n2 3\n2 2\n0.10000000000000001 4\n");
    check_bytes("all_mtx/none.mtx", "%%MatrixMarket matrix coordinate real general\n0 3 0\n");
    size_t size = 0;
    char *text = example_bytes("all_mtx/contents.json", &size);
    assert_non_null(strstr(text, "{\"name\": \"J\", \"file\": \"J.mtx\", \"rows\": 3, \"cols\": 3, \"symmetry\": "
                                 "\"skew-symmetric\", \"meaning\": \"of two\\u000alines\", \"unit\": \"1, m\"}"));
    assert_non_null(strstr(text, "\"items\": {\n    \"text\": \"\\\"\"}"));
    free(text);
    REFUSED(context, PHX_ERR_FILE, "not an empty folder", phx_exchange_write_as(context, "all_mtx", "mtx", bundle));
    REFUSED(context, PHX_ERR_INPUT, "no format", phx_exchange_write_as(context, "x", "csv", bundle));
    clear("all_mtx");
    phx_bundle_destroy(bundle);
    phx_csr_free(&sparse);
    phx_csr_free(&hidden);
}

/* The kind of an item survives HDF5. */
static void test_descriptions_come_back(void **state)
{
    phx_context *context = *state;
    phx_bundle *bundle = NULL, *read = NULL;
    const double values[] = {1.0};
    CHECK_OK(context, phx_bundle_create(context, &bundle));
    phx_bundle_describe(bundle, "of nothing", NULL); /* there is no item yet */
    phx_bundle_add_matrix(bundle, "M", 1, 1, values, NULL);
    phx_bundle_describe(bundle, "Masse \xC3\xBC", "kg");
    phx_bundle_add_number(bundle, "x", 1.0);
    CHECK_OK(context, phx_exchange_write(context, "b.h5", bundle));
    CHECK_OK(context, phx_exchange_read(context, "b.h5", &read));
    assert_string_equal(phx_bundle_find(read, "M")->meaning, "Masse \xC3\xBC");
    assert_string_equal(phx_bundle_find(read, "M")->unit, "kg");
    assert_string_equal(phx_bundle_find(read, "x")->meaning, "");
    phx_bundle_destroy(bundle);
    phx_bundle_destroy(read);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, example_enter, example_leave)
    const struct CMUnitTest tests[] = {
        TEST(test_the_table_of_formats),          TEST(test_styles),        TEST(test_every_allocation_may_fail),
        TEST(test_csv_is_that_of_the_recorder),   TEST(test_summaries),     TEST(test_names_for_other_programs),
        TEST(test_columns_called_as_other_items), TEST(test_matrix_market), TEST(test_descriptions_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
