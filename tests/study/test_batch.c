/* Batches of simulations and sweeps on several threads: every byte the same for any number of them. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "support/testing.h"
#include "base/base.h"
#include "results/results.h"

#include <dirent.h>
#include <unistd.h>

#include <phlexor/study.h>

static const char pendulum[] = "phlexor: 1\n"
                               "title: Pendulum\n"
                               "dimension: 2\n"
                               "gravity: [0, -9.81]\n"
                               "parameters: {l: 1, m: 1, n: 2}\n"
                               "bodies:\n"
                               "  rod:\n"
                               "    kind: beam\n"
                               "    material: steel\n"
                               "    length: l\n"
                               "    section: {kind: general, area: 1e-4, inertia: 1e-9}\n"
                               "    elements: n\n"
                               "    reference: simply_supported\n"
                               "materials: {steel: {density: 1e4*m, young: 2e11}}\n"
                               "joints: {pin: {kind: revolute, ports: [ground.O, rod.P]}}\n"
                               "outputs: {tip: {position: rod.C}}\n"
                               "simulate: {end: 0.2, step: 0.01}\n";

typedef struct fixture {
    phx_context *context;
    phx_model *model;
    char folder[64];
} fixture;

static int enter(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f)
        return -1;
    snprintf(f->folder, sizeof f->folder, "batch_test_XXXXXX");
    if (!mkdtemp(f->folder) || chdir(f->folder) != 0 || phx_context_create(&f->context) != PHX_OK)
        return -1;
    *state = f;
    return phx_model_read_text(f->context, "pendulum.yaml", pendulum, strlen(pendulum), 0, NULL, &f->model);
}

static int count_files(void)
{
    int n = 0;
    DIR *directory = opendir(".");
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        n += entry->d_name[0] != '.';
    closedir(directory);
    return n;
}

static void remove_files(void)
{
    DIR *directory = opendir(".");
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (entry->d_name[0] != '.')
            remove(entry->d_name);
    closedir(directory);
}

static int leave(void **state)
{
    fixture *f = *state;
    phx_model_destroy(f->model);
    phx_context_destroy(f->context);
    remove_files();
    const int status = chdir("..") == 0 ? rmdir(f->folder) : -1;
    free(f);
    return status;
}

/* A file's bytes; the caller frees them. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is missing", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(*size + 1, 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void same_bytes(const char *a, const char *b)
{
    size_t sizes[2] = {0, 0};
    char *bytes[2] = {read_file(a, &sizes[0]), read_file(b, &sizes[1])};
    if (sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], sizes[0]) != 0)
        fail_msg("%s and %s differ (%zu and %zu bytes)", a, b, sizes[0], sizes[1]);
    free(bytes[0]);
    free(bytes[1]);
}

static phx_sweep *sweep_over(phx_context *context, const char *name, int count, const double *values)
{
    phx_sweep *sweep = NULL;
    CHECK_OK(context, phx_sweep_create(context, &sweep));
    CHECK_OK(context, phx_sweep_add_values(sweep, name, count, values));
    return sweep;
}

/* ---- batches ---- */
/* Lengths times elements on 1, 2 and 4 threads, and once more; each result is that of a single run. */
static void threads_do_not_matter(void **state)
{
    fixture *f = *state;
    static const int threads[] = {1, 2, 4, 2};
    phx_sweep *sweep = NULL;
    CHECK_OK(f->context, phx_sweep_create(f->context, &sweep));
    CHECK_OK(f->context, phx_sweep_add_range(sweep, "l", 0.5, 1.5, 6));
    CHECK_OK(f->context, phx_sweep_add_range(sweep, "n", 1.0, 2.0, 2));
    for (int k = 0; k < 4; k++) {
        char h5[32], csv[32], table[32];
        phx_study_batch_options options = phx_study_batch_options_default();
        phx_study_batch_report report;
        snprintf(h5, sizeof h5, "h%d.h5", k);
        snprintf(csv, sizeof csv, "c%d.csv", k);
        snprintf(table, sizeof table, "t%d.csv", k);
        options.simulate.h5_path = h5;
        options.simulate.csv_path = csv;
        options.table_path = table;
        options.sweep = sweep;
        options.threads = threads[k];
        CHECK_OK(f->context, phx_study_batch(f->context, f->model, &options, &report));
        assert_true(report.points == 12 && report.complete == 12 && report.failed == 0);
        CHECK_BELOW(report.largest_residual, 1e-12 * report.largest_energy, "energy");
        for (int p = 1; p <= 12 && k > 0; p++) {
            char a[48], b[48];
            snprintf(a, sizeof a, "h0-%04d.h5", p);
            snprintf(b, sizeof b, "h%d-%04d.h5", k, p);
            same_bytes(a, b);
            snprintf(a, sizeof a, "c0-%04d.csv", p);
            snprintf(b, sizeof b, "c%d-%04d.csv", k, p);
            same_bytes(a, b);
        }
        if (k > 0)
            same_bytes("t0.csv", table);
    }
    assert_int_equal(count_files(), 4 * 25);
    phx_sweep_destroy(sweep);

    const phx_model_override values[] = {{.name = "l", .value = 0.5 + 1.0 * 2 / 5}, {.name = "n", .value = 2.0}};
    phx_simulate_options single = phx_simulate_options_default();
    phx_simulate_report report;
    CHECK_OK(f->context, phx_model_set_parameters(f->context, f->model, 2, values));
    single.csv_path = "single.csv";
    CHECK_OK(f->context, phx_study_simulate(f->context, f->model, &single, &report));
    same_bytes("single.csv", "c0-0006.csv");
}

/* The numbers of the table: of a rigid rod at rest, tip.x ends where it begins. */
static void table_has_ends_and_ranges(void **state)
{
    fixture *f = *state;
    const double lengths[] = {1.0, 2.0};
    phx_sweep *sweep = sweep_over(f->context, "l", 2, lengths);
    phx_study_batch_options options = phx_study_batch_options_default();
    phx_study_batch_report report;
    phx_result *result = NULL;
    double x[21], end = 0.0, least = 1e9, most = -1e9;
    options.simulate.h5_path = "a.h5";
    options.table_path = "a.csv";
    options.sweep = sweep;
    CHECK_OK(f->context, phx_study_batch(f->context, f->model, &options, &report));
    CHECK_OK(f->context, phx_result_read(f->context, "a-0002.h5", &result));
    assert_int_equal(phx_result_rows(result), 21);
    CHECK_OK(f->context, phx_result_column(result, phx_result_column_find(result, "tip.y"), 0, 21, x));
    for (int k = 0; k < 21; k++) {
        end = x[k];
        least = fmin(least, x[k]);
        most = fmax(most, x[k]);
    }
    const phx_attribute *parameter = NULL;
    for (int k = 0; k < phx_result_attributes(result); k++)
        if (!strcmp(phx_result_attribute(result, k)->name, "parameter.l"))
            parameter = phx_result_attribute(result, k);
    assert_true(parameter && parameter->number == 2.0);
    phx_result_destroy(result);
    size_t size = 0;
    char *text = read_file("a.csv", &size), wanted[200];
    CHECK_TEXT(text, "point,l,complete,t,energy,residual,drift,drift_rate,tip.x.end,tip.x.min,tip.x.max,tip.y.end,"
                     "tip.y.min,tip.y.max,message\n1,1,1,0.2");
    snprintf(wanted, sizeof wanted, ",%.17g,%.17g,%.17g,\n", end, least, most);
    CHECK_TEXT(text, wanted);
    free(text);
    phx_sweep_destroy(sweep);
}

static void count_warnings(void *user, phx_log_level level, const char *message)
{
    int *count = user;
    if (level == PHX_LOG_WARNING && strstr(message, "at n = -1 (point"))
        ++*count;
}

/* Points that fail, the first among them: named, listed, without a result; the others are there. */
static void failing_points_do_not_stop_the_others(void **state)
{
    fixture *f = *state;
    const double elements[] = {-1.0, 1.0, -1.0, 2.0};
    phx_sweep *sweep = sweep_over(f->context, "n", 4, elements);
    for (int threads = 1; threads <= 3; threads++) {
        phx_study_batch_options options = phx_study_batch_options_default();
        phx_study_batch_report report;
        int warnings = 0;
        size_t size = 0;
        options.simulate.h5_path = "a.h5";
        options.simulate.csv_path = "c.csv";
        options.table_path = "a.csv";
        options.sweep = sweep;
        options.threads = threads;
        phx_context_set_log(f->context, count_warnings, &warnings);
        CHECK_OK(f->context, phx_study_batch(f->context, f->model, &options, &report));
        phx_context_set_log(f->context, NULL, NULL);
        assert_true(report.complete == 2 && report.failed == 2 && warnings == 2);
        assert_int_equal(count_files(), 5);
        assert_true(access("a-0002.h5", F_OK) == 0 && access("a-0004.h5", F_OK) == 0);
        char *text = read_file("a.csv", &size);
        CHECK_TEXT(text, "\n1,-1,0,,,,,,,,,,,,\"at n = -1 (point 1 of 4): pendulum.yaml:");
        CHECK_TEXT(text, "\n2,1,1,0.2");
        CHECK_TEXT(text, "\n3,-1,0,,,,,,,,,,,,\"at n = -1 (point 3 of 4)");
        free(text);
        remove_files();
    }
    phx_sweep_destroy(sweep);
}

static void no_point_is_complete(void **state)
{
    fixture *f = *state;
    const double elements[] = {-1.0, -2.0};
    phx_sweep *sweep = sweep_over(f->context, "n", 2, elements);
    phx_study_batch_options options = phx_study_batch_options_default();
    phx_study_batch_report report;
    size_t size = 0;
    options.table_path = "a.csv";
    options.sweep = sweep;
    CHECK_OK(f->context, phx_study_batch(f->context, f->model, &options, &report));
    assert_true(report.complete == 0 && report.failed == 2);
    char *text = read_file("a.csv", &size);
    CHECK_TEXT(text, "point,n,complete,t,energy,residual,drift,drift_rate,message\n1,-1,0,,,,,,\"at");
    free(text);
    phx_sweep_destroy(sweep);
}

/* With `stop`: the results before it, the lowest failing point for any number of threads, the list as .partial. */
static void stops_at_the_first_failure(void **state)
{
    fixture *f = *state;
    const double elements[] = {2.0, 1.0, 2.0, -3.0, 1.0, -4.0, 1.0, 1.0};
    phx_sweep *sweep = sweep_over(f->context, "n", 8, elements);
    for (int threads = 1; threads <= 4; threads++) {
        phx_study_batch_options options = phx_study_batch_options_default();
        phx_study_batch_report report;
        options.simulate.h5_path = "a.h5";
        options.simulate.csv_path = "c.csv";
        options.table_path = "a.csv";
        options.sweep = sweep;
        options.threads = threads;
        options.stop = true;
        CHECK_STATUS(f->context, phx_study_batch(f->context, f->model, &options, &report), PHX_ERR_INPUT);
        CHECK_MESSAGE(f->context, "at n = -3 (point 4 of 8)");
        assert_int_equal(report.complete, 3);
        assert_int_equal(count_files(), 7); /* three of h5 and csv, and a.csv.partial */
        assert_true(access("a-0003.h5", F_OK) == 0 && access("a.csv.partial", F_OK) == 0);
        remove_files();
    }
    phx_sweep_destroy(sweep);
}

static bool stop_after_five(void *user, const char *what, double done, double total)
{
    (void)user, (void)what, (void)total;
    return done < 5.0;
}

static void interruption_leaves_complete_results_only(void **state)
{
    fixture *f = *state;
    phx_sweep *sweep = NULL;
    CHECK_OK(f->context, phx_sweep_create(f->context, &sweep));
    CHECK_OK(f->context, phx_sweep_add_range(sweep, "l", 0.5, 1.5, 100));
    for (int threads = 1; threads <= 3; threads++) {
        phx_study_batch_options options = phx_study_batch_options_default();
        phx_study_batch_report report;
        options.simulate.h5_path = "a.h5";
        options.simulate.csv_path = "c.csv";
        options.table_path = "a.csv";
        options.sweep = sweep;
        options.threads = threads;
        phx_context_set_progress(f->context, stop_after_five, NULL);
        CHECK_STATUS(f->context, phx_study_batch(f->context, f->model, &options, &report), PHX_INTERRUPTED);
        phx_context_set_progress(f->context, NULL, NULL);
        assert_true(report.complete >= 5 && report.complete < 100);
        assert_int_equal(count_files(), 2 * report.complete + 1);
        for (int p = 1; p <= report.complete; p++) {
            char name[32];
            phx_result *result = NULL;
            snprintf(name, sizeof name, "a-%04d.h5", p);
            CHECK_OK(f->context, phx_result_read(f->context, name, &result));
            assert_true(phx_result_is_complete(result));
            phx_result_destroy(result);
        }
        remove_files();
    }
    phx_sweep_destroy(sweep);
}

/* A batch that continues a result. */
static void continues_a_result(void **state)
{
    fixture *f = *state;
    char text[sizeof pendulum + 100];
    phx_simulate_options first = phx_simulate_options_default();
    phx_simulate_report run;
    phx_study_batch_options options = phx_study_batch_options_default();
    phx_study_batch_report report;
    phx_model *model = NULL;
    const double masses[] = {1.0, 2.0, 3.0};
    phx_sweep *sweep = sweep_over(f->context, "m", 3, masses);
    first.h5_path = "first.h5";
    CHECK_OK(f->context, phx_study_simulate(f->context, f->model, &first, &run));
    snprintf(text, sizeof text, "%sinitial: {from: first.h5}\n", pendulum);
    CHECK_OK(f->context, phx_model_read_text(f->context, "next.yaml", text, strlen(text), 0, NULL, &model));
    options.simulate.end = (phx_model_optional){true, 0.3};
    options.simulate.h5_path = "a.h5";
    options.sweep = sweep;
    options.threads = 2;
    CHECK_OK(f->context, phx_study_batch(f->context, model, &options, &report));
    assert_true(report.complete == 3 && report.threads == 1);
    assert_int_equal(count_files(), 4);
    phx_model_destroy(model);
    phx_sweep_destroy(sweep);
}

/* Every allocation of the calling thread fails in turn: an error, and nothing left behind. */
static void every_allocation_may_fail(void **state)
{
    fixture *f = *state;
    const double lengths[] = {1.0, 2.0};
    phx_sweep *sweep = sweep_over(f->context, "l", 2, lengths);
    phx_status status = PHX_ERR_MEMORY;
    for (long n = 0; status && n < 100000; n += n < 60 ? 1 : 1 + n / 23) {
        phx_study_batch_options options = phx_study_batch_options_default();
        phx_study_batch_report report;
        options.simulate.end = (phx_model_optional){true, 0.02};
        options.table_path = "a.csv";
        options.sweep = sweep;
        phx_context_fail_allocation(f->context, n);
        status = phx_study_batch(f->context, f->model, &options, &report);
        phx_context_fail_allocation(f->context, -1);
        if (status)
            CHECK_STATUS(f->context, status, PHX_ERR_MEMORY);
        assert_true(status == PHX_OK || access("a.csv", F_OK) != 0);
        remove_files();
    }
    assert_int_equal(status, PHX_OK);
    phx_sweep_destroy(sweep);
}

static void arguments_are_checked(void **state)
{
    fixture *f = *state;
    phx_study_batch_options options = phx_study_batch_options_default();
    phx_study_batch_report report;
    CHECK_STATUS(f->context, phx_study_batch(f->context, f->model, &options, &report), PHX_ERR_ARGUMENT);
    const double lengths[] = {1.0, 2.0};
    phx_sweep *sweep = sweep_over(f->context, "l", 2, lengths);
    options.sweep = sweep;
    options.threads = PHX_ORDERED_MAP_LARGEST + 1;
    CHECK_OK(f->context, phx_study_batch(f->context, f->model, &options, &report)); /* no more than points */
    options.table_path = "no/such/folder.csv";
    CHECK_STATUS(f->context, phx_study_batch(f->context, f->model, &options, &report), PHX_ERR_FILE);
    phx_sweep_destroy(sweep);
}

/* ---- modes ---- */
static void modes_on_threads(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"m1.csv", "m2.csv", "m3.csv"}, *const shapes[] = {"m1.h5", "m2.h5", "m3.h5"};
    phx_sweep *sweep = NULL;
    CHECK_OK(f->context, phx_sweep_create(f->context, &sweep));
    CHECK_OK(f->context, phx_sweep_add_range(sweep, "l", 0.5, 1.5, 7));
    CHECK_OK(f->context, phx_sweep_add_range(sweep, "m", 1.0, 2.0, 5));
    for (int k = 0; k < 3; k++) {
        phx_study_modes_options options = {.count = 3, .sweep = sweep, .with_shapes = true, .threads = k + 1};
        phx_modes_table table;
        CHECK_OK(f->context, phx_study_modes(f->context, f->model, &options, &table, NULL));
        assert_int_equal(table.n_points, 35);
        CHECK_OK(f->context, phx_modes_write(f->context, &table, PHX_MODES_CSV, names[k]));
        CHECK_OK(f->context, phx_modes_write(f->context, &table, PHX_MODES_HDF5, shapes[k]));
        same_bytes(names[0], names[k]);
        same_bytes(shapes[0], shapes[k]);
        phx_modes_free(&table);
    }
    phx_sweep_destroy(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_do_not_matter, enter, leave),
        cmocka_unit_test_setup_teardown(table_has_ends_and_ranges, enter, leave),
        cmocka_unit_test_setup_teardown(failing_points_do_not_stop_the_others, enter, leave),
        cmocka_unit_test_setup_teardown(no_point_is_complete, enter, leave),
        cmocka_unit_test_setup_teardown(stops_at_the_first_failure, enter, leave),
        cmocka_unit_test_setup_teardown(interruption_leaves_complete_results_only, enter, leave),
        cmocka_unit_test_setup_teardown(continues_a_result, enter, leave),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, enter, leave),
        cmocka_unit_test_setup_teardown(arguments_are_checked, enter, leave),
        cmocka_unit_test_setup_teardown(modes_on_threads, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
