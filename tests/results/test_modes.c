/* Tables of modes: what is written in each format, what is read back, what is refused. */
#define _XOPEN_SOURCE 700
#include "example.h"

#include <signal.h>
#include <sys/resource.h>

enum { POINTS = 3, ROWS = 5, COORDINATES = 3 };

static const char *const parameters[] = {"theta, 1", "µ"};
static const char *const coordinates[] = {"crank.rx", "crank.\"phi\"", "Koppel.ux1"};
static const double values[POINTS * 2] = {0.0, 0.1, 0.0, 1.0 / 3.0, 3.141592653589793, 1e-300};
static const int rigid_modes[POINTS] = {1, 1, 2};
static const double spin[POINTS] = {0.0, 1.0 / 7.0, 1e3};
static const phx_mode_row rows[ROWS] = {{0, 1, 1, 302.05666435, 48.073810, 0.0},
                                        {0, 2, 2, 334.10422239, 53.174340, 1e-3},
                                        {1, 1, 2, 2.0 / 3.0, 0.1, -0.25},
                                        {1, 2, 1, 1206.7995679, 192.067115, 0.0},
                                        {2, 1, 1, 1e5, 15915.494309189535, 0.0}};
static const double shapes[ROWS * COORDINATES] = {1, 0, -1, 0.5, 1.0 / 3.0, 0, 1e-17, 2, 3, 4, 5, 6, 7, 8, 9};
static const double shapes_imaginary[ROWS * COORDINATES] = {0, 0, 1, 0, 0, -1, 0, 0, 0, 0.125, 0, 0, 0, 0, 0};

static phx_modes_table example_table(void)
{
    return (phx_modes_table){.model_name = "four_bar.yaml",
                             .model_text = "phlexor: 1\n",
                             .program_version = "0.1.0",
                             .n_parameters = 2,
                             .parameters = parameters,
                             .n_points = POINTS,
                             .values = values,
                             .rigid_modes = rigid_modes,
                             .spin = spin,
                             .n_rows = ROWS,
                             .rows = rows,
                             .n_coordinates = COORDINATES,
                             .coordinates = coordinates,
                             .shapes = shapes,
                             .shapes_imaginary = shapes_imaginary};
}

static void check_rows(const phx_modes_table *table)
{
    assert_int_equal(table->n_parameters, 2);
    assert_string_equal(table->parameters[0], parameters[0]);
    assert_string_equal(table->parameters[1], parameters[1]);
    assert_int_equal(table->n_points, POINTS);
    assert_memory_equal(table->values, values, sizeof values);
    assert_int_equal(table->n_rows, ROWS);
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(table->rows[i].point, rows[i].point);
        assert_int_equal(table->rows[i].mode, rows[i].mode);
        assert_int_equal(table->rows[i].branch, rows[i].branch);
        assert_true(table->rows[i].omega == rows[i].omega && table->rows[i].frequency == rows[i].frequency &&
                    table->rows[i].damping == rows[i].damping);
    }
}

static void check_file(const char *path, const char *expected)
{
    size_t size;
    char *text = example_bytes(path, &size);
    assert_string_equal(text, expected);
    free(text);
}

static void test_csv_has_the_agreed_columns_and_reads_back(void **state)
{
    phx_context *context = *state;
    phx_modes_table table = example_table(), read;
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_CSV, "m.csv"));
    assert_false(example_exists("m.csv.partial"));
    size_t size;
    char *text = example_bytes("m.csv", &size);
    const char *start = "\"theta, 1\",µ,mode,branch,omega,frequency,damping\n"
                        "0,0.10000000000000001,1,1,302.05666435000001,48.073810000000002,0\n";
    assert_memory_equal(text, start, strlen(start));
    free(text);
    CHECK_OK(context, phx_modes_read(context, "m.csv", &read));
    check_rows(&read);
    assert_null(read.rigid_modes);
    assert_int_equal(read.n_coordinates, 0);
    phx_modes_free(&read);
}

static void test_hdf5_reads_back_with_the_shapes(void **state)
{
    phx_context *context = *state;
    phx_modes_table table = example_table(), read;
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_HDF5, "m.h5"));
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_HDF5, "again.h5"));
    example_same_bytes("m.h5", "again.h5");
    assert_false(example_exists("m.h5.partial"));
    CHECK_OK(context, phx_modes_read(context, "m.h5", &read));
    check_rows(&read);
    assert_string_equal(read.model_name, table.model_name);
    assert_string_equal(read.model_text, table.model_text);
    assert_string_equal(read.program_version, table.program_version);
    assert_memory_equal(read.rigid_modes, rigid_modes, sizeof rigid_modes);
    assert_memory_equal(read.spin, spin, sizeof spin);
    assert_int_equal(read.n_coordinates, COORDINATES);
    for (int k = 0; k < COORDINATES; k++)
        assert_string_equal(read.coordinates[k], coordinates[k]);
    assert_memory_equal(read.shapes, shapes, sizeof shapes);
    assert_memory_equal(read.shapes_imaginary, shapes_imaginary, sizeof shapes_imaginary);
    phx_modes_free(&read);
    table.shapes_imaginary = NULL;
    table.rigid_modes = NULL;
    table.spin = NULL;
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_HDF5, "m.h5"));
    CHECK_OK(context, phx_modes_read(context, "m.h5", &read));
    check_rows(&read);
    assert_null(read.rigid_modes);
    assert_null(read.spin);
    assert_null(read.shapes_imaginary);
    phx_modes_free(&read);
}

static void test_json_carries_everything(void **state)
{
    phx_context *context = *state;
    phx_modes_table table = example_table();
    table.n_points = 2;
    table.n_rows = 2;
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_JSON, "m.json"));
    check_file(
        "m.json",
        "{\n"
        "  \"format\": \"phlexor modes\",\n"
        "  \"program_version\": \"0.1.0\",\n"
        "  \"model_name\": \"four_bar.yaml\",\n"
        "  \"parameters\": [\"theta, 1\", \"µ\"],\n"
        "  \"coordinates\": [\"crank.rx\", \"crank.\\\"phi\\\"\", \"Koppel.ux1\"],\n"
        "  \"points\": [\n"
        "    {\"parameters\": {\"theta, 1\": 0, \"µ\": 0.10000000000000001}, \"rigid_modes\": 1, \"modes\": [\n"
        "      {\"mode\": 1, \"branch\": 1, \"omega\": 302.05666435000001, \"frequency\": 48.073810000000002, "
        "\"damping\": 0, \"shape\": [1, 0, -1], \"shape_imaginary\": [0, 0, 1]},\n"
        "      {\"mode\": 2, \"branch\": 2, \"omega\": 334.10422239000002, \"frequency\": 53.174340000000001, "
        "\"damping\": 0.001, \"shape\": [0.5, 0.33333333333333331, 0], \"shape_imaginary\": [0, 0, -1]}]},\n"
        "    {\"parameters\": {\"theta, 1\": 0, \"µ\": 0.33333333333333331}, \"rigid_modes\": 1, \"modes\": []}]\n"
        "}\n");
}

static void test_the_text_table_is_aligned(void **state)
{
    phx_context *context = *state;
    phx_modes_table table = example_table();
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_TEXT, "m.txt"));
    size_t size;
    char *text = example_bytes("m.txt", &size);
    assert_non_null(strstr(text, "rigid-body modes left out, point by point: 1 1 2\n"));
    assert_non_null(strstr(text, "1206.799568"));
    /* Lines of the table have one width; a character of two bytes counts once. */
    const char *line = text;
    for (int i = 0; i <= ROWS; i++, line = strchr(line, '\n') + 1) {
        const size_t width = (size_t)(strchr(line, '\n') - line);
        assert_int_equal(width, 104 + (i == 0));
    }
    free(text);
}

static void test_a_stream_gets_the_same_as_a_file(void **state)
{
    phx_context *context = *state;
    const phx_modes_table table = example_table();
    const phx_modes_format formats[] = {PHX_MODES_TEXT, PHX_MODES_CSV, PHX_MODES_JSON};
    for (int i = 0; i < 3; i++) {
        FILE *stream = fopen("stream", "w");
        CHECK_OK(context, phx_modes_print(context, &table, formats[i], stream, "standard output"));
        fclose(stream);
        CHECK_OK(context, phx_modes_write(context, &table, formats[i], "file"));
        example_same_bytes("stream", "file");
    }
    REFUSED(context, PHX_ERR_ARGUMENT, "HDF5", phx_modes_print(context, &table, PHX_MODES_HDF5, stdout, "stdout"));
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        REFUSED(context, PHX_ERR_FILE, "standard output: cannot write: No space left",
                phx_modes_print(context, &table, PHX_MODES_CSV, full, "standard output"));
        fclose(full);
        REFUSED(context, PHX_ERR_FILE, "/dev/full: cannot write: No space left",
                phx_modes_write(context, &table, PHX_MODES_JSON, "/dev/full"));
    }
}

static void test_a_table_without_sweep_or_rows(void **state)
{
    phx_context *context = *state;
    phx_modes_table table = {.n_points = 1}, read;
    const phx_mode_row row = {0, 1, 1, 2.0, 1.0, 0.0};
    const char *const names[] = {"m.csv", "m.h5"};
    for (int i = 0; i < 2; i++) {
        const phx_modes_format format = i ? PHX_MODES_HDF5 : PHX_MODES_CSV;
        table.n_rows = 0;
        CHECK_OK(context, phx_modes_write(context, &table, format, names[i]));
        CHECK_OK(context, phx_modes_read(context, names[i], &read));
        assert_int_equal(read.n_rows, 0);
        phx_modes_free(&read);
        table.n_rows = 1;
        table.rows = &row;
        CHECK_OK(context, phx_modes_write(context, &table, format, names[i]));
        CHECK_OK(context, phx_modes_read(context, names[i], &read));
        assert_int_equal(read.n_rows, 1);
        assert_int_equal(read.n_points, 1);
        assert_int_equal(read.n_parameters, 0);
        assert_true(read.rows[0].omega == 2.0);
        phx_modes_free(&read);
    }
}

static void test_what_is_not_finite_or_not_in_order_is_refused(void **state)
{
    phx_context *context = *state;
    phx_mode_row wrong[ROWS];
    double wrong_values[POINTS * 2], wrong_shapes[ROWS * COORDINATES];
    phx_modes_table table;
#define WRONG(status, word, change)                                                                                    \
    table = example_table();                                                                                           \
    memcpy(wrong, rows, sizeof wrong);                                                                                 \
    memcpy(wrong_values, values, sizeof wrong_values);                                                                 \
    memcpy(wrong_shapes, shapes, sizeof wrong_shapes);                                                                 \
    change;                                                                                                            \
    REFUSED(context, status, word, phx_modes_write(context, &table, PHX_MODES_CSV, "m.csv"));                          \
    assert_false(example_exists("m.csv") || example_exists("m.csv.partial"))
    WRONG(PHX_ERR_ANALYSIS, "'omega' is nan at point 1", (wrong[2].omega = NAN, table.rows = wrong));
    WRONG(PHX_ERR_ANALYSIS, "'frequency' is inf", (wrong[4].frequency = INFINITY, table.rows = wrong));
    WRONG(PHX_ERR_ANALYSIS, "'damping' is nan", (wrong[0].damping = NAN, table.rows = wrong));
    WRONG(PHX_ERR_ANALYSIS, "'theta, 1' is nan", (wrong_values[4] = NAN, table.values = wrong_values));
    WRONG(PHX_ERR_ANALYSIS, "'Koppel.ux1' is nan", (wrong_shapes[5] = NAN, table.shapes = wrong_shapes));
    WRONG(PHX_ERR_ARGUMENT, "row 3", (wrong[3].point = 3, table.rows = wrong));
    WRONG(PHX_ERR_ARGUMENT, "row 4", (wrong[4].point = 0, table.rows = wrong));
    WRONG(PHX_ERR_ARGUMENT, "lacks an array", table.coordinates = NULL);
#undef WRONG
}

static void test_files_that_are_not_tables_are_refused(void **state)
{
    phx_context *context = *state;
    phx_modes_table read;
    phx_result *result = NULL;
    const phx_modes_table table = example_table();
    REFUSED(context, PHX_ERR_FILE, "none.csv: cannot read: No such file", phx_modes_read(context, "none.csv", &read));
    example_write("a.csv", "t,energy\n0,1\n");
    REFUSED(context, PHX_ERR_FILE, "not a table of modes", phx_modes_read(context, "a.csv", &read));
    example_write("a.csv", "mode,branch,omega,frequency,damping\n1,1,2,3\n");
    REFUSED(context, PHX_ERR_FILE, "a.csv:2: expected 5 columns, as there are names, found 4",
            phx_modes_read(context, "a.csv", &read));
    example_write("a.csv", "mode,branch,omega,frequency,damping\n1,1,2,3,0\n1,2,x,3,0\n");
    REFUSED(context, PHX_ERR_FILE, "a.csv:3: expected a finite number in column 3, found 'x'",
            phx_modes_read(context, "a.csv", &read));
    example_write("a.csv", "mode,branch,omega,frequency,damping\n1,1,nan,3,0\n");
    REFUSED(context, PHX_ERR_FILE, "'nan'", phx_modes_read(context, "a.csv", &read));
    example_write("a.csv", "");
    REFUSED(context, PHX_ERR_FILE, "a.csv:1", phx_modes_read(context, "a.csv", &read));
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_HDF5, "m.h5"));
    REFUSED(context, PHX_ERR_FILE, "it is a \"phlexor modes\" file", phx_result_read(context, "m.h5", &result));
}

static void test_a_full_disk_harms_no_older_table(void **state)
{
    phx_context *context = *state;
    const phx_modes_table table = example_table();
    const phx_modes_format formats[] = {PHX_MODES_TEXT, PHX_MODES_CSV, PHX_MODES_JSON, PHX_MODES_HDF5};
    struct rlimit limit, old;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (int i = 0; i < 4; i++) {
        CHECK_OK(context, phx_modes_write(context, &table, formats[i], "m"));
        CHECK_OK(context, phx_modes_write(context, &table, formats[i], "older"));
        limit = old;
        limit.rlim_cur = 100;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        REFUSED(context, PHX_ERR_FILE, "m.partial: cannot write: File too large",
                phx_modes_write(context, &table, formats[i], "m"));
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        example_same_bytes("m", "older");
        assert_false(example_exists("m.partial"));
    }
    signal(SIGXFSZ, SIG_DFL);
}

static void test_every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    const phx_modes_table table = example_table();
    const phx_modes_format formats[] = {PHX_MODES_TEXT, PHX_MODES_CSV, PHX_MODES_JSON, PHX_MODES_HDF5};
    for (int i = 0; i < 4; i++) {
        phx_status status = PHX_ERR_MEMORY;
        for (long n = 0; status != PHX_OK; n++) {
            phx_modes_table read = {0};
            phx_context_fail_allocation(context, n);
            status = phx_modes_write(context, &table, formats[i], "m");
            if (!status && (formats[i] == PHX_MODES_CSV || formats[i] == PHX_MODES_HDF5)) {
                status = phx_modes_read(context, "m", &read);
                phx_modes_free(&read);
            }
            phx_context_fail_allocation(context, -1);
            if (status != PHX_OK && status != PHX_ERR_MEMORY)
                fail_msg("format %d, allocation %ld: status %d: %s", i, n, (int)status, phx_context_message(context));
            assert_true(n < 1000);
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, example_enter, example_leave)
    const struct CMUnitTest tests[] = {
        TEST(test_csv_has_the_agreed_columns_and_reads_back),
        TEST(test_hdf5_reads_back_with_the_shapes),
        TEST(test_json_carries_everything),
        TEST(test_the_text_table_is_aligned),
        TEST(test_a_stream_gets_the_same_as_a_file),
        TEST(test_a_table_without_sweep_or_rows),
        TEST(test_what_is_not_finite_or_not_in_order_is_refused),
        TEST(test_files_that_are_not_tables_are_refused),
        TEST(test_a_full_disk_harms_no_older_table),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
