/* Files of every format, cut off at every byte and changed at random places: an error that says where, or a model. */
#include "bundle.h"
#include "sample.h"

#include <string.h>

#include "support/testing.h"

static const char *const names[] = {
    "abaqus_rows.txt",  "abaqus_labels.txt", "calculix.txt",   "market.txt",    "market_general.txt",
    "market_words.txt", "bulk_small.txt",    "bulk_large.txt", "bulk_free.txt", "op4_dense.txt",
    "op4_strings.txt",  "op4_big.txt",       "mbdyn.txt",      "sets.txt",
};
enum { N_NAMES = sizeof names / sizeof *names, CHANGES = 1500, ROOM = 1 << 16 };

static char text[ROOM], altered[ROOM];

static bundle read_bundle(const char *name)
{
    char path[1000];
    bundle files;
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/import/%s", PHX_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    assert_true(size > 0 && size < sizeof text);
    bundle_split(text, size, &files);
    return files;
}

static bundle one_of(const bundle *files, int f)
{
    bundle one = {.n_files = 1, .data = {files->data[f]}, .size = {files->size[f]}};
    memcpy(one.name[0], files->name[f], sizeof one.name[0]);
    return one;
}

/* Imports what is there; the status. */
static phx_status try_import(phx_context *context, const bundle *files, const char *how)
{
    phx_elastic_model *model = NULL;
    const phx_status status = bundle_import(context, files, &model);
    if (status) {
        assert_null(model);
        if (status != PHX_ERR_INPUT || !phx_context_message(context)[0])
            fail_msg("%s: %s, message '%s'", how, phx_status_text(status), phx_context_message(context));
        return status;
    }
    const char *fault = bundle_model_fault(model);
    if (fault)
        fail_msg("%s: %s", how, fault);
    phx_elastic_destroy(model);
    return status;
}

static void undamaged(void **state)
{
    for (int k = 0; k < N_NAMES; k++) {
        const bundle files = read_bundle(names[k]);
        bundle_write(&files);
        CHECK_OK(*state, try_import(*state, &files, names[k]));
        bundle_remove(&files);
    }
}

static void cut_off(void **state)
{
    int refused = 0;
    for (int k = 0; k < N_NAMES; k++) {
        const bundle files = read_bundle(names[k]);
        bundle_write(&files);
        for (int f = 0; f < files.n_files; f++) {
            bundle one = one_of(&files, f);
            for (size_t size = 0; size < files.size[f]; size++) {
                char how[100];
                one.size[0] = size;
                snprintf(how, sizeof how, "%s, %s cut off after %zu bytes", names[k], files.name[f], size);
                bundle_write(&one);
                refused += try_import(*state, &files, how) != PHX_OK;
            }
            one = one_of(&files, f);
            bundle_write(&one);
        }
        bundle_remove(&files);
    }
    assert_true(refused > 1000);
}

/* Some bytes become others: any, or those that numbers, words and lines are made of. */
static void change_bytes(uint64_t *seed, char *data, size_t size)
{
    static const char letters[] = "0123456789+-.,eED* \n$%#\"GKMAX";
    const int count = 1 + (int)(1.5 * (1.0 + random_value(seed)));
    for (int k = 0; k < count; k++) {
        const size_t at = (size_t)(0.5 * (1.0 + random_value(seed)) * (double)(size - 1));
        const double value = random_value(seed), letter = 0.5 * (1.0 + random_value(seed));
        data[at] =
            value > 0.8 ? (char)(1 + (int)(254.0 * letter)) : letters[(size_t)(letter * (double)(sizeof letters - 2))];
    }
}

static void changed(void **state)
{
    uint64_t seed = 17;
    for (int k = 0; k < N_NAMES; k++) {
        const bundle files = read_bundle(names[k]);
        bundle_write(&files);
        for (int f = 0; f < files.n_files; f++) {
            bundle one = one_of(&files, f);
            for (int n = 0; n < TEST_LONG(CHANGES) / files.n_files; n++) {
                char how[100];
                memcpy(altered, files.data[f], files.size[f]);
                change_bytes(&seed, altered, files.size[f]);
                one.data[0] = altered;
                snprintf(how, sizeof how, "%s, %s, change %d", names[k], files.name[f], n);
                bundle_write(&one);
                try_import(*state, &files, how);
            }
            one = one_of(&files, f);
            bundle_write(&one);
        }
        bundle_remove(&files);
    }
}

static int setup(void **state)
{
    return enter_folder() ? context_setup(state) : -1;
}

static int teardown(void **state)
{
    leave_folder();
    return context_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(undamaged, setup, teardown),
        cmocka_unit_test_setup_teardown(cut_off, setup, teardown),
        cmocka_unit_test_setup_teardown(changed, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
