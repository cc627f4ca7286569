/* Damaged HDF5 files of every kind: a clear message and nothing else, whatever the damage. Without the checksum HDF5
 * crashes on some of these files and never comes back from others. */
#define _XOPEN_SOURCE 700
#include "example.h"
#include "exchange_sample.h"

enum { TRIALS = 150, TRAILER = 24 };

typedef phx_status reader(phx_context *context, const char *path);

static phx_status read_simulation(phx_context *context, const char *path)
{
    phx_result *result = NULL;
    const phx_status status = phx_result_read(context, path, &result);
    assert_true((status == PHX_OK) == (result != NULL));
    phx_result_destroy(result);
    return status;
}

static phx_status read_modes(phx_context *context, const char *path)
{
    phx_modes_table table;
    const phx_status status = phx_modes_read(context, path, &table);
    if (status)
        assert_null(table.rows);
    phx_modes_free(&table);
    return status;
}

static phx_status read_linear(phx_context *context, const char *path)
{
    phx_bundle *bundle = NULL;
    const phx_status status = phx_exchange_read(context, path, &bundle);
    assert_true((status == PHX_OK) == (bundle != NULL));
    phx_bundle_destroy(bundle);
    return status;
}

static const struct {
    const char *path;
    reader *read;
} files[] = {{"simulation.h5", read_simulation}, {"modes.h5", read_modes}, {"linear.h5", read_linear}};
enum { FILES = sizeof files / sizeof *files };

static void make_files(phx_context *context)
{
    static const phx_mode_row rows[] = {{0, 1, 1, 2.0, 0.3, 0.0}};
    static const char *const coordinates[] = {"crank.rx"};
    static const double shapes[] = {1.0};
    const phx_modes_table table = {.model_name = "one mode",
                                   .model_text = "phlexor: 1\n",
                                   .program_version = "0.1.0",
                                   .n_points = 1,
                                   .n_rows = 1,
                                   .rows = rows,
                                   .n_coordinates = 1,
                                   .coordinates = coordinates,
                                   .shapes = shapes};
    phx_recorder_def def = example_def("simulation.h5", NULL);
    phx_recorder *recorder = NULL;
    phx_bundle *bundle = NULL;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, example_append(recorder, 0, 20));
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_HDF5, "modes.h5"));
    CHECK_OK(context, exchange_sample(context, &bundle));
    CHECK_OK(context, phx_exchange_write(context, "linear.h5", bundle));
    phx_bundle_destroy(bundle);
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* ---- damage ---- */
static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* One kind of damage after the other; `bytes` has room for TRAILER more. Returns the new size. */
static size_t damage(int kind, unsigned *seed, char *bytes, size_t size)
{
    const size_t place = next(seed) % size, rest = size - place;
    size_t count = next(seed) % 4096 + 1;
    count = count < rest ? count : rest;
    switch (kind) {
    case 0: /* a bit */
        bytes[place] = (char)(bytes[place] ^ 1 << next(seed) % 8);
        return size;
    case 1: /* a block of noise */
        for (size_t k = 0; k < count; k++)
            bytes[place + k] = (char)next(seed);
        return size;
    case 2: /* a block that was never written */
        memset(bytes + place, 0, count);
        return size;
    case 3: /* the end is missing */
        return place;
    case 4: /* a part is missing */
        memmove(bytes + place, bytes + place + count, rest - count);
        return size - count;
    case 5: /* many bytes here and there */
        for (int k = 0; k < 100; k++)
            bytes[next(seed) % size] = (char)next(seed);
        return size;
    default: /* something behind the end */
        memset(bytes + size, 'x', TRAILER);
        return size + next(seed) % TRAILER + 1;
    }
}

static void test_damaged_files_are_refused(void **state)
{
    phx_context *context = *state;
    unsigned seed = 1;
    int refused = 0;
    make_files(context);
    for (int f = 0; f < FILES; f++) {
        size_t size = 0;
        char *whole = example_bytes(files[f].path, &size), *bytes = calloc(size + TRAILER, 1);
        for (int k = 0; k < TRIALS; k++) {
            memcpy(bytes, whole, size);
            const size_t left = damage(k % 7, &seed, bytes, size);
            const bool same = left == size && memcmp(bytes, whole, size) == 0;
            write_bytes("damaged.h5", bytes, left);
            phx_context_clear(context);
            const phx_status status = files[f].read(context, "damaged.h5");
            const char *message = phx_context_message(context);
            if (same ? status != PHX_OK : status != PHX_ERR_FILE || !strstr(message, "damaged.h5"))
                fail_msg("%s, trial %d: status %d: %s", files[f].path, k, (int)status, message);
            if (!same && left > 8 && memcmp(bytes, whole, 8) == 0 && !strstr(message, "the file is damaged"))
                fail_msg("%s, trial %d does not say that it is damaged: %s", files[f].path, k, message);
            refused += !same;
        }
        free(whole);
        free(bytes);
    }
    assert_true(refused > 400);
}

/* Every single byte is protected, those of the trailer too. */
static void test_every_byte_is_protected(void **state)
{
    phx_context *context = *state;
    size_t size = 0;
    make_files(context);
    char *bytes = example_bytes("modes.h5", &size);
    for (size_t place = 0; place < size; place += place + 200 < size ? 97 : 1) {
        bytes[place] = (char)(bytes[place] ^ 0x40);
        write_bytes("damaged.h5", bytes, size);
        if (read_modes(context, "damaged.h5") != PHX_ERR_FILE)
            fail_msg("byte %zu of %zu may be changed: %s", place, size, phx_context_message(context));
        bytes[place] = (char)(bytes[place] ^ 0x40);
    }
    free(bytes);
}

/* The trailer is as documented, and is removed when another program changes the file. */
static void test_the_trailer(void **state)
{
    phx_context *context = *state;
    make_files(context);
    for (int f = 0; f < FILES; f++) {
        size_t size = 0, before = 0;
        char *bytes = example_bytes(files[f].path, &size);
        assert_memory_equal(bytes + size - TRAILER, "PHXSEAL1", 8);
        for (size_t k = 8; k-- > 0;)
            before = before << 8 | (unsigned char)bytes[size - TRAILER + 8 + k];
        assert_int_equal(before, size - TRAILER);
        write_bytes("bare.h5", bytes, before);
        CHECK_OK(context, files[f].read(context, "bare.h5"));
        write_bytes("bare.h5", bytes, before - 1);
        REFUSED(context, PHX_ERR_FILE, "its end is not what was written", files[f].read(context, "bare.h5"));
        write_bytes("bare.h5", bytes, 30);
        REFUSED(context, PHX_ERR_FILE, "too short", files[f].read(context, "bare.h5"));
        free(bytes);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, example_enter, example_leave)
    const struct CMUnitTest tests[] = {
        TEST(test_damaged_files_are_refused),
        TEST(test_every_byte_is_protected),
        TEST(test_the_trailer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
