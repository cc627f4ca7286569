/* Exchange files: what is written in each format, what is read back, what is refused. MAT-files are read by Octave and
 * SciPy in test_exchange_octave.sh and test_exchange_python.sh. */
#define _XOPEN_SOURCE 700
#include "example.h"
#include "exchange_sample.h"
#include "file/file.h"

#include <signal.h>
#include <sys/resource.h>

static const char *const paths[] = {"m.mat", "m.h5", "m.json"};
enum { FORMATS = 3 };

static void check_same(const phx_bundle_item *a, const phx_bundle_item *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    const size_t bytes = (size_t)a->rows * (size_t)a->cols * sizeof(double);
    if (a->kind == PHX_BUNDLE_MATRIX) {
        assert_memory_equal(a->re, b->re, bytes);
        assert_int_equal(a->im != NULL, b->im != NULL);
        if (a->im)
            assert_memory_equal(a->im, b->im, bytes);
    } else if (a->kind == PHX_BUNDLE_SPARSE) {
        const size_t count = (size_t)a->sparse.ptr[a->rows];
        assert_memory_equal(a->sparse.ptr, b->sparse.ptr, (size_t)(a->rows + 1) * sizeof(int));
        assert_memory_equal(a->sparse.idx, b->sparse.idx, count * sizeof(int));
        assert_memory_equal(a->sparse.val, b->sparse.val, count * sizeof(double));
    } else if (a->kind == PHX_BUNDLE_NAMES) {
        for (int k = 0; k < a->rows; k++)
            assert_string_equal(a->names[k], b->names[k]);
    } else if (a->kind == PHX_BUNDLE_TEXT) {
        assert_string_equal(a->text, b->text);
    } else {
        assert_true(a->number == b->number);
    }
}

static void test_hdf5_reads_back(void **state)
{
    phx_context *context = *state;
    phx_bundle *bundle = NULL, *read = NULL;
    CHECK_OK(context, exchange_sample(context, &bundle));
    CHECK_OK(context, phx_exchange_write(context, "m.H5", bundle));
    assert_false(example_exists("m.H5.partial"));
    CHECK_OK(context, phx_exchange_read(context, "m.H5", &read));
    assert_int_equal(phx_bundle_count(read), phx_bundle_count(bundle));
    for (int k = 0; k < phx_bundle_count(bundle); k++)
        check_same(phx_bundle_item_at(bundle, k), phx_bundle_item_at(read, k));
    phx_bundle_destroy(bundle);
    phx_bundle_destroy(read);
}

static void test_json_is_what_the_manual_says(void **state)
{
    phx_context *context = *state;
    phx_bundle *bundle = NULL;
    CHECK_OK(context, exchange_sample(context, &bundle));
    CHECK_OK(context, phx_exchange_write(context, "m.json", bundle));
    size_t size;
    char *text = example_bytes("m.json", &size);
    assert_string_equal(
        text, "{\n"
              "  \"real\": [[1, -2.5, 1e-300],\n"
              "    [0.33333333333333331, 0, 1.6999999999999999e+308]],\n"
              "  \"complex\": {\"real\": [[1],\n    [-3.5]], \"imaginary\": [[2],\n    [-1]]},\n"
              "  \"empty\": [],\n"
              "  \"hollow\": [[],\n    []],\n"
              "  \"desert\": [],\n"
              "  \"complex_empty\": {\"real\": [], \"imaginary\": []},\n"
              "  \"complex_hollow\": {\"real\": [[],\n    []], \"imaginary\": [[],\n    []]},\n"
              "  \"complex_desert\": {\"real\": [], \"imaginary\": []},\n"
              "  \"sparse\": {\"rows\": 3, \"cols\": 4,\n"
              "    \"row\": [0, 0, 2],\n    \"col\": [1, 3, 0],\n"
              "    \"value\": [2, -1, 0.14285714285714285]},\n"
              "  \"nothing\": {\"rows\": 2, \"cols\": 2,\n    \"row\": [],\n    \"col\": [],\n    \"value\": []},\n"
              "  \"rowless\": {\"rows\": 0, \"cols\": 3,\n    \"row\": [],\n    \"col\": [],\n    \"value\": []},\n"
              "  \"columnless\": {\"rows\": 3, \"cols\": 0,\n    \"row\": [],\n    \"col\": [],\n    \"value\": []},\n"
              "  \"sizeless\": {\"rows\": 0, \"cols\": 0,\n    \"row\": [],\n    \"col\": [],\n    \"value\": []},\n"
              "  \"names\": [\"crank.C.fx\", \"Kurbeltr\xC3\xA4ger\", \"\"],\n"
              "  \"unnamed\": [\"\", \"\"],\n"
              "  \"none\": [],\n"
              "  \"text\": \"ein \xF0\x9D\x84\x9E \\\"Text\\\"\\u000a\",\n"
              "  \"blank\": \"\",\n"
              "  \"number\": 0.10000000000000001\n"
              "}\n");
    free(text);
    FILE *stream = fopen("printed", "wb");
    CHECK_OK(context, phx_exchange_print(context, bundle, stream, "a stream"));
    fclose(stream);
    example_same_bytes("m.json", "printed");
    phx_bundle_destroy(bundle);
}

/* Matrices of one size: in HDF5 and json a dimension more, not in Matrix Market files. */
static void test_arrays(void **state)
{
    static const double values[12] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.5};
    phx_context *context = *state;
    phx_bundle *bundle = NULL, *read = NULL;
    size_t size;
    CHECK_OK(context, phx_bundle_create(context, &bundle));
    phx_bundle_add_array(bundle, "A", 2, 3, 2, values);
    CHECK_OK(context, phx_exchange_write(context, "a.mat", bundle));
    CHECK_OK(context, phx_exchange_write(context, "a.h5", bundle));
    CHECK_OK(context, phx_exchange_write(context, "a.json", bundle));
    CHECK_OK(context, phx_exchange_read(context, "a.h5", &read));
    const phx_bundle_item *item = phx_bundle_find(read, "A");
    assert_true(item->pages == 2 && item->rows == 3 && item->cols == 2);
    assert_memory_equal(item->re, values, sizeof values);
    char *text = example_bytes("a.json", &size);
    assert_string_equal(text, "{\n  \"A\": [[[1, 2],\n    [3, 4],\n    [5, 6]],\n   [[7, 8],\n    [9, 10],\n    [11, "
                              "12.5]]]\n}\n");
    free(text);
    REFUSED(context, PHX_ERR_INPUT, "'A' is an array of matrices", phx_exchange_write(context, "a_mtx", bundle));
    phx_bundle_destroy(bundle);
    phx_bundle_destroy(read);
}

static void test_equal_bundles_give_equal_bytes(void **state)
{
    phx_context *context = *state;
    phx_bundle *bundle = NULL;
    CHECK_OK(context, exchange_sample(context, &bundle));
    for (int i = 0; i < FORMATS; i++) {
        char other[16];
        snprintf(other, sizeof other, "n%s", paths[i] + 1);
        CHECK_OK(context, phx_exchange_write(context, paths[i], bundle));
        CHECK_OK(context, phx_exchange_write(context, other, bundle));
        example_same_bytes(paths[i], other);
    }
    phx_bundle_destroy(bundle);
}

/* x = (q, q'), names with everything that a name may have. */
static void make_ss(phx_context *context, phx_ss **system)
{
    const double A[4] = {0.0, 1.0, -4.0, -0.2}, B[4] = {0.0, 0.0, 1.0, 0.5}, C[2] = {1.0, 0.0}, D[2] = {0.0, 0.25};
    const char *const states[] = {"q", "q_dot"}, *const inputs[] = {"m.C.fx", "m.C.fy"}, *const outputs[] = {"m.C.ax"};
    const phx_ss_def def = {.name = "mass",
                            .n = 2,
                            .n_inputs = 2,
                            .n_outputs = 1,
                            .A = A,
                            .B = B,
                            .C = C,
                            .D = D,
                            .states = states,
                            .inputs = inputs,
                            .outputs = outputs};
    CHECK_OK(context, phx_ss_create(context, &def, system));
}

static void test_a_state_space_system_comes_back(void **state)
{
    phx_context *context = *state;
    phx_bundle *bundle = NULL, *read = NULL;
    phx_ss *system = NULL, *again = NULL;
    make_ss(context, &system);
    CHECK_OK(context, phx_bundle_create(context, &bundle));
    CHECK_OK(context, phx_bundle_add_ss(context, bundle, system));
    CHECK_OK(context, phx_exchange_write(context, "s.h5", bundle));
    CHECK_OK(context, phx_exchange_read(context, "s.h5", &read));
    CHECK_OK(context, phx_bundle_get_ss(context, read, &again));
    assert_string_equal(phx_ss_name(again), "mass");
    assert_memory_equal(phx_ss_A(again), phx_ss_A(system), 4 * sizeof(double));
    assert_memory_equal(phx_ss_B(again), phx_ss_B(system), 4 * sizeof(double));
    assert_memory_equal(phx_ss_C(again), phx_ss_C(system), 2 * sizeof(double));
    assert_memory_equal(phx_ss_D(again), phx_ss_D(system), 2 * sizeof(double));
    assert_string_equal(phx_ss_input(again, 1), "m.C.fy");
    assert_string_equal(phx_ss_output(again, 0), "m.C.ax");
    assert_string_equal(phx_ss_state(again, 1), "q_dot");
    const phx_bundle_item *poles = phx_bundle_find(read, "poles"); /* s^2 + 0.2 s + 4 */
    assert_non_null(poles);
    CHECK_CLOSE(poles->re[0], -0.1, 1e-15, "real part");
    CHECK_CLOSE(poles->im[0], sqrt(3.99), 1e-14, "imaginary part");
    phx_ss_destroy(system);
    phx_ss_destroy(again);
    phx_bundle_destroy(bundle);
    phx_bundle_destroy(read);
}

static void test_a_second_order_system_becomes_state_space(void **state)
{
    phx_context *context = *state;
    const double M = 2.0, K = 18.0, F = 1.0, Y_q = 1.0;
    const char *const in[] = {"f"}, *const out[] = {"x"}, *const q[] = {"q"};
    const phx_ss_second_order_def def = {.name = "spring",
                                         .n = 1,
                                         .n_inputs = 1,
                                         .n_outputs = 1,
                                         .M = &M,
                                         .K = &K,
                                         .F = &F,
                                         .Y_q = &Y_q,
                                         .inputs = in,
                                         .outputs = out,
                                         .coordinates = q};
    phx_bundle *bundle = NULL, *read = NULL;
    phx_ss *system = NULL;
    double gain = 0.0;
    CHECK_OK(context, phx_bundle_create(context, &bundle));
    CHECK_OK(context, phx_bundle_add_second_order(context, bundle, &def));
    CHECK_OK(context, phx_exchange_write(context, "s.h5", bundle));
    CHECK_OK(context, phx_exchange_read(context, "s.h5", &read));
    CHECK_OK(context, phx_bundle_get_ss(context, read, &system));
    CHECK_OK(context, phx_ss_dc_gain(context, system, &gain));
    CHECK_CLOSE(gain, 1.0 / 18.0, 1e-16, "F / K");
    phx_ss_destroy(system);
    phx_bundle_destroy(bundle);
    phx_bundle_destroy(read);
}

static void test_what_does_not_fit_is_refused(void **state)
{
    phx_context *context = *state;
    const double nan_value = NAN, one = 1.0;
    phx_bundle *bundle = NULL;
    phx_ss *system = NULL;
    static const char *const wrong[] = {"", "1a", "a-b", "a.b", "\xC3\xA4"};
    for (int k = 0; k < 5; k++) {
        CHECK_OK(context, phx_bundle_create(context, &bundle));
        phx_bundle_add_number(bundle, wrong[k], 1.0);
        CHECK_MESSAGE(context, "cannot be the name");
        assert_int_equal(phx_bundle_status(bundle), PHX_ERR_ARGUMENT);
        assert_int_equal(phx_bundle_count(bundle), 0);
        phx_bundle_destroy(bundle);
    }
    CHECK_OK(context, phx_bundle_create(context, &bundle));
    phx_bundle_add_matrix(bundle, "A", 1, 1, &one, NULL);
    REFUSED(context, PHX_ERR_FILE, "form", phx_bundle_get_ss(context, bundle, &system));
    phx_bundle_add_text(bundle, "form", "state-space");
    REFUSED(context, PHX_ERR_FILE, "'states'", phx_bundle_get_ss(context, bundle, &system));
    phx_bundle_add_matrix(bundle, "B", 1, 1, &nan_value, NULL);
    CHECK_MESSAGE(context, "'B' is nan");
    for (int i = 0; i < FORMATS; i++) {
        assert_int_equal(phx_exchange_write(context, paths[i], bundle), PHX_ERR_ANALYSIS);
        assert_false(example_exists(paths[i]));
    }
    phx_bundle_destroy(bundle);
    CHECK_OK(context, exchange_sample(context, &bundle));
    phx_bundle_add_number(bundle, "real", 1.0);
    CHECK_MESSAGE(context, "there is one already");
    assert_int_equal(phx_bundle_status(bundle), PHX_ERR_ARGUMENT);
    phx_bundle_destroy(bundle);
}

static void test_files_that_cannot_be_written(void **state)
{
    phx_context *context = *state;
    phx_bundle *bundle = NULL;
    CHECK_OK(context, exchange_sample(context, &bundle));
    REFUSED(context, PHX_ERR_INPUT, ".mat, .h5, .json, or _mtx", phx_exchange_write(context, "m.txt", bundle));
    REFUSED(context, PHX_ERR_INPUT, ".mat, .h5, .json, or _mtx", phx_exchange_write(context, ".mat", bundle));
    assert_false(example_exists("m.txt") || example_exists(".mat"));
    for (int i = 0; i < FORMATS; i++) {
        char path[32];
        snprintf(path, sizeof path, "nowhere/%s", paths[i]);
        REFUSED(context, PHX_ERR_FILE, "No such file or directory", phx_exchange_write(context, path, bundle));
    }
    phx_bundle_destroy(bundle);
}

static void test_files_that_are_no_bundles_are_refused(void **state)
{
    phx_context *context = *state;
    phx_bundle *bundle = NULL;
    const phx_modes_table table = {0};
    REFUSED(context, PHX_ERR_FILE, "No such file", phx_exchange_read(context, "missing.h5", &bundle));
    example_write("text.h5", "no HDF5");
    REFUSED(context, PHX_ERR_FILE, "not an HDF5 file", phx_exchange_read(context, "text.h5", &bundle));
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_HDF5, "modes.h5"));
    REFUSED(context, PHX_ERR_FILE, "phlexor modes", phx_exchange_read(context, "modes.h5", &bundle));
    assert_null(bundle);
}

/* An exchange file with one item, a sparse matrix of these parts. */
static void write_sparse(phx_context *context, int n_data, int n_indices, const int *indices, int n_indptr,
                         const int *indptr, const int *shape)
{
    const double data[4] = {1.0, 2.0, 3.0, 4.0};
    phx_h5 *file = NULL;
    CHECK_OK(context, phx_h5_create(context, "wrong.h5", &file));
    phx_h5_set_text(file, "/", "format", PHX_FORMAT_EXCHANGE);
    phx_h5_set_integer(file, "/", "format_version", PHX_FORMAT_VERSION);
    phx_h5_make_group(file, "/s");
    phx_h5_make_rows(file, "/s/data", (size_t)n_data, 0);
    phx_h5_put_rows(file, "/s/data", 0, (size_t)n_data, data);
    phx_h5_put_integers(file, "/s/indices", n_indices, indices);
    phx_h5_put_integers(file, "/s/indptr", n_indptr, indptr);
    if (shape)
        phx_h5_put_integers(file, "/s/shape", 2, shape);
    CHECK_OK(context, phx_h5_finish(file));
}

static void test_sparse_matrices_are_checked(void **state)
{
    phx_context *context = *state;
    phx_bundle *bundle = NULL;
    static const struct {
        int n_data, n_indices, indices[3], n_indptr, indptr[3], shape[2];
    } wrong[] = {{3, 3, {0, 2, 3}, 3, {0, 2, 3}, {2, 3}},  /* column 3 of 3 */
                 {3, 3, {0, -1, 1}, 3, {0, 2, 3}, {2, 3}}, /* column -1 */
                 {3, 3, {2, 0, 1}, 3, {0, 2, 3}, {2, 3}},  /* not ascending */
                 {3, 3, {0, 1, 1}, 3, {0, 4, 3}, {2, 3}},  /* a row beyond the end */
                 {3, 3, {0, 1, 1}, 3, {0, 2, 2}, {2, 3}},  /* entries of no row */
                 {3, 3, {0, 1, 1}, 3, {1, 2, 3}, {2, 3}},  /* does not begin at 0 */
                 {2, 3, {0, 1, 1}, 3, {0, 2, 3}, {2, 3}},  /* fewer values than indices */
                 {3, 3, {0, 1, 1}, 3, {0, 2, 3}, {3, 3}},  /* fewer rows than it says */
                 {3, 3, {0, 1, 1}, 3, {0, 2, 3}, {-1, 3}}, /* a negative size */
                 {3, 3, {0, 1, 1}, 3, {0, 2, 3}, {2147483647, 3}}};
    write_sparse(context, 3, 3, (const int[]){0, 1, 1}, 3, (const int[]){0, 2, 3}, (const int[]){2, 3});
    CHECK_OK(context, phx_exchange_read(context, "wrong.h5", &bundle));
    assert_true(phx_bundle_find(bundle, "s")->sparse.val[2] == 3.0);
    phx_bundle_destroy(bundle);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        write_sparse(context, wrong[k].n_data, wrong[k].n_indices, wrong[k].indices, wrong[k].n_indptr, wrong[k].indptr,
                     wrong[k].shape);
        REFUSED(context, PHX_ERR_FILE, "damaged", phx_exchange_read(context, "wrong.h5", &bundle));
        assert_null(bundle);
    }
    write_sparse(context, 3, 3, (const int[]){0, 1, 1}, 3, (const int[]){0, 2, 3}, NULL);
    REFUSED(context, PHX_ERR_FILE, "shape", phx_exchange_read(context, "wrong.h5", &bundle));
}

static void test_a_full_disk_harms_no_older_file(void **state)
{
    phx_context *context = *state;
    phx_bundle *bundle = NULL;
    struct rlimit limit, old;
    CHECK_OK(context, exchange_sample(context, &bundle));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (int i = 0; i < FORMATS; i++) {
        static const rlim_t sizes[] = {100, 200, 300};
        CHECK_OK(context, phx_exchange_write(context, paths[i], bundle));
        assert_int_equal(rename(paths[i], "older"), 0);
        CHECK_OK(context, phx_exchange_write(context, paths[i], bundle));
        for (int k = 0; k < 3; k++) {
            limit = old;
            limit.rlim_cur = sizes[k];
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
            REFUSED(context, PHX_ERR_FILE, ".partial: cannot write: File too large",
                    phx_exchange_write(context, paths[i], bundle));
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
            example_same_bytes(paths[i], "older");
        }
        char partial[32];
        snprintf(partial, sizeof partial, "%s.partial", paths[i]);
        assert_false(example_exists(partial));
    }
    signal(SIGXFSZ, SIG_DFL);
    phx_bundle_destroy(bundle);
}

static phx_status write_and_read(phx_context *context, const char *path)
{
    phx_bundle *bundle = NULL, *read = NULL;
    phx_status status = exchange_sample(context, &bundle);
    if (!status)
        status = phx_exchange_write(context, path, bundle);
    if (!status && strcmp(path, "m.h5") == 0)
        status = phx_exchange_read(context, path, &read);
    phx_bundle_destroy(bundle);
    phx_bundle_destroy(read);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    for (int i = 0; i < FORMATS; i++) {
        phx_status status = PHX_ERR_MEMORY;
        long n = 0;
        for (; status != PHX_OK; n++) {
            phx_context_fail_allocation(context, n);
            status = write_and_read(context, paths[i]);
            phx_context_fail_allocation(context, -1);
            if (status != PHX_OK && status != PHX_ERR_MEMORY)
                fail_msg("%s, allocation %ld: status %d: %s", paths[i], n, (int)status, phx_context_message(context));
            assert_true(n < 1000);
        }
        assert_true(example_exists(paths[i]) && n > 30);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, example_enter, example_leave)
    const struct CMUnitTest tests[] = {
        TEST(test_hdf5_reads_back),
        TEST(test_json_is_what_the_manual_says),
        TEST(test_arrays),
        TEST(test_equal_bundles_give_equal_bytes),
        TEST(test_a_state_space_system_comes_back),
        TEST(test_a_second_order_system_becomes_state_space),
        TEST(test_what_does_not_fit_is_refused),
        TEST(test_files_that_cannot_be_written),
        TEST(test_files_that_are_no_bundles_are_refused),
        TEST(test_sparse_matrices_are_checked),
        TEST(test_a_full_disk_harms_no_older_file),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
