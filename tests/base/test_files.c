/* Files that are read and written in one piece of work. */
#define _XOPEN_SOURCE 700
#include "base/base.h"

#include "support/testing.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char place[] = "/tmp/phlexor-files-XXXXXX", before[PATH_MAX];

static void put(const char *name)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs("x", file);
    fclose(file);
}

static int enter(void **state)
{
    (void)state;
    if (!getcwd(before, sizeof before) || !mkdtemp(place) || chdir(place) != 0 || mkdir("folder", 0777) != 0)
        return -1;
    put("in");
    put("other");
    return link("in", "hard") || symlink("in", "soft") || symlink("missing", "dangling") ||
           symlink("../in", "folder/soft") || symlink("folder", "way") || symlink("a", "b") || symlink("b", "a");
}

static int leave(void **state)
{
    static const char *const names[] = {"in", "other", "hard", "soft", "dangling", "folder/soft", "way", "a", "b"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        unlink(names[k]);
    return rmdir("folder") || chdir(before) || rmdir(place);
}

#define CHECK_REFUSED(call)                                                                                            \
    do {                                                                                                               \
        assert_int_equal(call, PHX_ERR_INPUT);                                                                         \
        assert_non_null(strstr(phx_context_message(context), "written"));                                              \
    } while (0)

static void test_an_input_is_known_by_every_name(void **state)
{
    static const char *const names[] = {"in", "./in", "folder/../in", "way/../in", "hard", "soft", "folder/soft"};
    phx_context *context = *state;
    CHECK_OK(context, phx_files_write(context, "in")); /* nothing is listed outside a pair */
    phx_files_begin(context);
    CHECK_OK(context, phx_files_read(context, "in"));
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        CHECK_REFUSED(phx_files_write(context, names[k]));
        CHECK_REFUSED(phx_files_check(context, 1, &names[k]));
    }
    CHECK_OK(context, phx_files_write(context, "other"));
    CHECK_OK(context, phx_files_write(context, "new"));
    CHECK_REFUSED(phx_files_write(context, "./new"));
    CHECK_REFUSED(phx_files_write(context, "new.partial"));
    CHECK_REFUSED(phx_files_write(context, "folder/../new.partial.tmp"));
    phx_files_give_up(context, "new");
    CHECK_OK(context, phx_files_write(context, "new.partial"));
    CHECK_REFUSED(phx_files_write(context, "new"));
    phx_files_end(context);
    CHECK_OK(context, phx_files_write(context, "in"));
}

static void test_pairs_nest_and_devices_do_not_count(void **state)
{
    phx_context *context = *state;
    phx_files_begin(context);
    CHECK_OK(context, phx_files_read(context, "in"));
    phx_files_begin(context);
    phx_files_end(context);
    CHECK_REFUSED(phx_files_write(context, "in"));
    CHECK_OK(context, phx_files_read(context, "/dev/null"));
    CHECK_OK(context, phx_files_write(context, "/dev/null"));
    CHECK_OK(context, phx_files_write(context, "/dev/null"));
    phx_files_end(context);
    phx_files_end(context); /* one too many does nothing */
    phx_files_begin(context);
    CHECK_OK(context, phx_files_write(context, "in"));
    phx_files_end(context);
}

static void test_names_of_what_is_not_there(void **state)
{
    static const char *const pairs[][2] = {
        {"x", "./x"},       {"x", "way/../x"},      {"folder/x", "way/x"}, {"missing", "dangling"},   {"x/", "x"},
        {"x.partial", "x"}, {"x", "x.partial.tmp"}, {"soft", "in"},        {"nowhere/x", "nowhere/x"}};
    phx_context *context = *state;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        CHECK_REFUSED(phx_files_check(context, 2, pairs[k]));
    const char *const fine[] = {"x", NULL, "-", "-", "y", "folder/x", "/dev/full", "/dev/full", "X"};
    CHECK_OK(context, phx_files_check(context, 9, fine));
    char *resolved = phx_files_resolve(context, "dangling");
    assert_non_null(resolved);
    assert_string_equal(strrchr(resolved, '/'), "/missing");
    phx_free(resolved);
    resolved = phx_files_resolve(context, "a"); /* a ring of links ends */
    assert_non_null(resolved);
    phx_free(resolved);
}

static void test_every_allocation_may_fail(void **state)
{
    static const char *const names[] = {"dangling", "in"};
    phx_context *context = *state;
    phx_status status = PHX_ERR_MEMORY;
    for (long n = 0; status == PHX_ERR_MEMORY; n++) {
        phx_files_begin(context);
        phx_context_fail_allocation(context, n);
        status = phx_files_read(context, "other");
        if (!status)
            status = phx_files_write(context, "dangling/../new");
        if (!status)
            status = phx_files_check(context, 2, names);
        phx_context_fail_allocation(context, -1);
        phx_files_end(context);
    }
    assert_int_equal(status, PHX_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_an_input_is_known_by_every_name, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_pairs_nest_and_devices_do_not_count, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_names_of_what_is_not_there, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
