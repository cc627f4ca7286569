/* Libraries that are loaded when they are first used: what they have, and what is said of those that lack something. */
#include "base/base.h"

#include "support/testing.h"

#include <math.h>

static struct table {
    double (*cos)(double);
    double (*sin)(double);
} table;

static void test_functions_are_found(void **state)
{
    static const char *const names[] = {"cos", "sin", NULL};
    static phx_library library = {.file = "libm.so.6", .title = "the mathematics", .names = names, .table = &table};

    assert_null(table.cos);
    for (int k = 0; k < 2; k++) /* the second time nothing is to be done */
        CHECK_STATUS(*state, phx_library_load(*state, &library), PHX_OK);
    CHECK_CLOSE(table.cos(0.5), 0.87758256189037276, 1e-16, "cos");
    CHECK_CLOSE(table.sin(0.5), 0.47942553860420301, 1e-16, "sin");
}

static void check_message(phx_context *context, const char *part)
{
    if (!strstr(phx_context_message(context), part))
        fail_msg("'%s' is not in: %s", part, phx_context_message(context));
}

static void test_a_library_that_is_not_there_says_what_to_install(void **state)
{
    static const char *const names[] = {"cos", NULL};
    static struct {
        double (*cos)(double);
    } none;
    static phx_library library = {.file = "libphlexor_none.so.1", .title = "None", .names = names, .table = &none};

    CHECK_STATUS(*state, phx_library_load(*state, &library), PHX_ERR_LIBRARY);
    check_message(*state, "None cannot be loaded: libphlexor_none.so.1");
    check_message(*state, "install libphlexor_none.so.1");
    library.package = "libnone1";
    for (int k = 0; k < 2; k++)
        CHECK_STATUS(*state, phx_library_load(*state, &library), PHX_ERR_LIBRARY);
    check_message(*state, "install the package libnone1");
    assert_null(none.cos);
    library.file = "libm.so.6"; /* it is installed now */
    CHECK_STATUS(*state, phx_library_load(*state, &library), PHX_OK);
    CHECK_CLOSE(none.cos(0.0), 1.0, 0.0, "cos");
}

static void test_a_library_without_a_name_is_refused(void **state)
{
    static const char *const names[] = {"cos", "phlexor_no_such_function", NULL};
    static struct table some;
    static phx_library library = {.file = "libm.so.6", .title = "Mathematics", .names = names, .table = &some};

    CHECK_STATUS(*state, phx_library_load(*state, &library), PHX_ERR_LIBRARY);
    check_message(*state, "Mathematics cannot be loaded: ");
    check_message(*state, "phlexor_no_such_function");
}

/* libutil.so.1 of the C library has no such name, phlexor-libutil.so.1 on the search path of this program does. */
static void test_a_library_of_its_own_comes_first(void **state)
{
    static const char *const names[] = {"phlexor_own", NULL};
    static struct {
        const int *value;
    } own;
    static phx_library library = {.file = "libutil.so.1", .title = "Utilities", .names = names, .table = &own};

    CHECK_STATUS(*state, phx_library_load(*state, &library), PHX_OK);
    assert_int_equal(*own.value, 42);
}

/* ---- from several threads at once: those who come back have the whole table ---- */
static struct table shared;

static phx_status use(void *user, phx_context *context, int worker, int item, int slot)
{
    const phx_status status = phx_library_load(context, user);

    (void)worker;
    (void)item;
    (void)slot;
    return status ? status : shared.cos(0.0) == 1.0 && shared.sin(0.0) == 0.0 ? PHX_OK : PHX_ERR_ANALYSIS;
}

static void test_threads_load_it_once(void **state)
{
    static const char *const names[] = {"cos", "sin", NULL};
    phx_library library = {.file = "libm.so.6", .title = "the mathematics", .names = names, .table = &shared};
    const phx_ordered_map_work work = {.count = 64, .what = "loads", .user = &library, .compute = use};
    phx_ordered_map *map = NULL;

    CHECK_STATUS(*state, phx_ordered_map_create(*state, 8, &map), PHX_OK);
    CHECK_STATUS(*state, phx_ordered_map_run(map, &work), PHX_OK);
    assert_true(library.loaded);
    phx_ordered_map_destroy(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_functions_are_found, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_a_library_that_is_not_there_says_what_to_install, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(test_a_library_without_a_name_is_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_a_library_of_its_own_comes_first, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_threads_load_it_once, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
