/* Shared by the tests of the results layer: a small result of two bodies, files, and a directory of their own. */
#ifndef PHX_TESTS_RESULTS_EXAMPLE_H
#define PHX_TESTS_RESULTS_EXAMPLE_H

#include "support/testing.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/results.h"

#define REFUSED(context, expected, word, call)                                                                         \
    do {                                                                                                               \
        phx_context_clear(context);                                                                                    \
        phx_status refused_status = (call);                                                                            \
        if (refused_status != (expected) || !strstr(phx_context_message(context), (word)))                             \
            fail_msg("%s: status %d, expected %d and '%s': %s", #call, (int)refused_status, (int)(expected), (word),   \
                     phx_context_message(context));                                                                    \
    } while (0)

/* A directory for the files of a test; the test runs in it. */
static inline int example_enter(void **state)
{
    (void)state;
    static char directory[64];
    snprintf(directory, sizeof directory, "results_test_XXXXXX");
    if (!mkdtemp(directory) || chdir(directory) != 0)
        return -1;
    phx_context *context = NULL;
    if (phx_context_create(&context) != PHX_OK)
        return -1;
    *state = context;
    return 0;
}

static inline int example_leave(void **state)
{
    char here[4096];
    phx_context_destroy(*state);
    DIR *directory = opendir(".");
    if (!directory || !getcwd(here, sizeof here))
        return -1;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        unlink(entry->d_name);
    closedir(directory);
    return chdir("..") == 0 && rmdir(here) == 0 ? 0 : -1;
}

static inline bool example_exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

/* The bytes of a file with a zero behind them; free with free. */
static inline char *example_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s cannot be opened", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(*size + 1, 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static inline void example_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static inline void example_same_bytes(const char *a, const char *b)
{
    size_t n_a, n_b;
    char *bytes_a = example_bytes(a, &n_a), *bytes_b = example_bytes(b, &n_b);
    if (n_a != n_b)
        fail_msg("%s has %zu bytes, %s has %zu", a, n_a, b, n_b);
    for (size_t i = 0; i < n_a; i++)
        if (bytes_a[i] != bytes_b[i])
            fail_msg("%s and %s differ at byte %zu", a, b, i);
    free(bytes_a);
    free(bytes_b);
}

/* ---- a rigid crank and a beam with two deformations, in the plane ---- */

enum { EXAMPLE_COLUMNS = 6, EXAMPLE_X = 13, EXAMPLE_V = 8, EXAMPLE_BODIES = 2 };

static const phx_record_column example_columns[EXAMPLE_COLUMNS] = {
    {"t", "s"}, {"energy", "J"}, {"residual", "J"}, {"tip, \"left\".x", "m"}, {"größe/π .y", NULL}, {" drift", "m"}};
static const double example_crank_points[2 * 2] = {0.0, 0.0, 0.15, 0.0};
static const double example_beam_points[3 * 2] = {0.0, 0.0, 0.15, 0.0, 0.3, 0.0};
static const double example_beam_shapes[3 * 2 * 2] = {0, 0, 0, 0, 0.5, 0, 0, 1.0, 1.0, 0, 0, 0};
static const phx_record_body example_bodies[EXAMPLE_BODIES] = {
    {.name = "crank", .kind = "rigid", .x_count = 5, .v_count = 3, .n_points = 2, .points = example_crank_points},
    {.name = "Koppel, 2",
     .kind = "beam",
     .x_start = 5,
     .x_count = 7,
     .v_start = 3,
     .v_count = 5,
     .n_points = 3,
     .points = example_beam_points,
     .shapes = example_beam_shapes}};
static const phx_attribute example_attributes[] = {{"step", NULL, 1e-5}, {"title", "a crank – and a beam", 0}};

static inline phx_recorder_def example_def(const char *h5_path, const char *csv_path)
{
    phx_recorder_def def = phx_recorder_def_default();
    def.h5_path = h5_path;
    def.csv_path = csv_path;
    def.n_columns = EXAMPLE_COLUMNS;
    def.columns = example_columns;
    def.n_x = EXAMPLE_X;
    def.n_v = EXAMPLE_V;
    def.n_bodies = EXAMPLE_BODIES;
    def.bodies = example_bodies;
    def.model_name = "crank_slider.yaml";
    def.model_text = "phlexor: 1\ntitle: größe\n";
    def.program_version = "0.1.0";
    def.integrator = "midpoint";
    def.n_attributes = 2;
    def.attributes = example_attributes;
    return def;
}

static inline void example_row(size_t row, double *columns, double *x, double *v)
{
    const double t = 1e-3 * (double)row, angle = 20.0 * t;
    const double values[EXAMPLE_COLUMNS] = {
        t, 1.0 / 3.0 + t, row ? 1e-14 * sin(30.0 * t) : 0.0, 0.15 * cos(angle), -1e300 * t, 1e-13 * t};
    memcpy(columns, values, sizeof values);
    const double configuration[EXAMPLE_X] = {0,
                                             0,
                                             cos(angle),
                                             sin(angle),
                                             angle,
                                             0.15 * cos(angle),
                                             0.15 * sin(angle),
                                             cos(-angle),
                                             sin(-angle),
                                             -angle,
                                             1e-4 * sin(9.0 * angle),
                                             0.01 * sin(7.0 * angle),
                                             42.0};
    memcpy(x, configuration, sizeof configuration);
    for (int i = 0; i < EXAMPLE_V; i++)
        v[i] = (double)row + 0.1 * i;
}

static inline phx_status example_append(phx_recorder *recorder, size_t first, size_t count)
{
    double columns[EXAMPLE_COLUMNS], x[EXAMPLE_X], v[EXAMPLE_V];
    for (size_t row = first; row < first + count; row++) {
        example_row(row, columns, x, v);
        const phx_status status = phx_recorder_append(recorder, columns, x, v);
        if (status)
            return status;
    }
    return PHX_OK;
}

/* Every row of a result is the one that was appended. */
static inline void example_check_rows(phx_context *context, const phx_result *result)
{
    double columns[EXAMPLE_COLUMNS], x[EXAMPLE_X], v[EXAMPLE_V], read_x[EXAMPLE_X], read_v[EXAMPLE_V], value;
    const size_t rows = phx_result_rows(result), stride = rows / 50 + 1;
    for (size_t row = 0; row < rows; row += row + stride < rows || row == rows - 1 ? stride : rows - 1 - row) {
        example_row(row, columns, x, v);
        for (int i = 0; i < EXAMPLE_COLUMNS; i++) {
            CHECK_OK(context, phx_result_column(result, i, row, 1, &value));
            if (value != columns[i])
                fail_msg("row %zu of %s is %.17g, expected %.17g", row, phx_result_column_name(result, i), value,
                         columns[i]);
        }
        CHECK_OK(context, phx_result_state(result, row, read_x, read_v));
        assert_memory_equal(read_x, x, sizeof x);
        assert_memory_equal(read_v, v, sizeof v);
    }
}

#endif
