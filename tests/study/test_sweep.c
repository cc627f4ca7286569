/* The points of a sweep. */
#include <limits.h>

#include "support/testing.h"
#include "study/internal.h"

#include <phlexor/study.h>

static void test_values_of_a_range(void **state)
{
    phx_sweep *sweep = NULL;
    const double from = 0.0, to = 2.0 * 3.14159265358979323846;
    assert_int_equal(phx_sweep_create(*state, &sweep), PHX_OK);
    assert_int_equal(phx_sweep_points(sweep), 1);
    assert_int_equal(phx_sweep_add_range(sweep, "theta1", from, to, 73), PHX_OK);
    assert_int_equal(phx_sweep_points(sweep), 73);
    assert_string_equal(phx_sweep_name(sweep, 0), "theta1");
    for (int i = 0; i < 73; i++) { /* to the bit */
        double value = NAN;
        const double expected = i == 72 ? to : from + (to - from) * i / 72;
        phx_sweep_at(sweep, i, NULL, &value);
        if (value != expected || phx_sweep_value(sweep, 0, i) != expected)
            fail_msg("value %d: %.17g, expected %.17g", i, value, expected);
    }
    assert_int_equal(phx_sweep_add_range(sweep, "down", 0.3, -0.1, 3), PHX_OK);
    assert_true(phx_sweep_value(sweep, 1, 0) == 0.3 && phx_sweep_value(sweep, 1, 2) == -0.1);
    assert_int_equal(phx_sweep_add_range(sweep, "one", 5.0, 7.0, 1), PHX_OK);
    assert_true(phx_sweep_value(sweep, 2, 0) == 5.0);
    phx_sweep_destroy(sweep);
}

static void test_points_and_places(void **state)
{
    phx_sweep *sweep = NULL;
    const double lengths[] = {2.0, 0.5, 9.0};
    assert_int_equal(phx_sweep_create(*state, &sweep), PHX_OK);
    assert_int_equal(phx_sweep_add_range(sweep, "a", 0.0, 1.0, 2), PHX_OK);
    assert_int_equal(phx_sweep_add_values(sweep, "b", 3, lengths), PHX_OK);
    assert_int_equal(phx_sweep_add_range(sweep, "c", 10.0, 40.0, 4), PHX_OK);
    assert_int_equal(phx_sweep_parameters(sweep), 3);
    assert_int_equal(phx_sweep_count(sweep, 1), 3);
    assert_int_equal(phx_sweep_points(sweep), 24);
    int point = 0;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 3; b++)
            for (int c = 0; c < 4; c++, point++) {
                int index[3];
                double values[3];
                phx_sweep_at(sweep, point, index, values);
                assert_int_equal(index[0], a);
                assert_int_equal(index[1], b);
                assert_int_equal(index[2], c);
                assert_true(values[0] == a && values[1] == lengths[b] && values[2] == 10.0 * (c + 1));
                assert_int_equal(phx_sweep_point(sweep, index), point);
            }
    phx_sweep_destroy(sweep);
}

static void test_many_parameters(void **state)
{
    phx_sweep *sweep = NULL;
    char name[2] = "a";
    assert_int_equal(phx_sweep_create(*state, &sweep), PHX_OK);
    for (int k = 0; k < 10; k++, name[0]++)
        assert_int_equal(phx_sweep_add_range(sweep, name, 0.0, 1.0, 2), PHX_OK);
    assert_int_equal(phx_sweep_points(sweep), 1024);
    double values[10];
    phx_sweep_at(sweep, 513, NULL, values);
    for (int k = 0; k < 10; k++)
        assert_true(values[k] == (k == 0 || k == 9 ? 1.0 : 0.0));
    phx_sweep_destroy(sweep);
}

static void test_wrong_parameters(void **state)
{
    phx_context *context = *state;
    phx_sweep *sweep = NULL;
    const double bad[2] = {1.0, NAN};
    assert_int_equal(phx_sweep_create(context, &sweep), PHX_OK);
    assert_int_equal(phx_sweep_add_range(sweep, "", 0.0, 1.0, 2), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_sweep_add_range(sweep, NULL, 0.0, 1.0, 2), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_sweep_add_range(sweep, "k", 0.0, 1.0, 0), PHX_ERR_ARGUMENT);
    assert_non_null(strstr(phx_context_message(context), "k is 0"));
    assert_int_equal(phx_sweep_add_range(sweep, "k", 0.0, INFINITY, 2), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_sweep_add_range(sweep, "k", -1e308, 1e308, 2), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_sweep_add_values(sweep, "k", 2, bad), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_sweep_parameters(sweep), 0);
    assert_int_equal(phx_sweep_add_range(sweep, "k", 0.0, 1.0, 50000), PHX_OK);
    assert_int_equal(phx_sweep_add_range(sweep, "k", 0.0, 1.0, 2), PHX_ERR_ARGUMENT);
    assert_non_null(strstr(phx_context_message(context), "twice"));
    assert_int_equal(phx_sweep_add_range(sweep, "l", 0.0, 1.0, 50000), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_sweep_points(sweep), 50000);
    phx_sweep_destroy(sweep);
    phx_sweep_destroy(NULL);
}

/* Ranges are counted, not listed: as many values as there are numbers for points. */
static void test_long_range(void **state)
{
    phx_context *context = *state;
    phx_sweep *sweep = NULL;
    assert_int_equal(phx_sweep_create(context, &sweep), PHX_OK);
    assert_int_equal(phx_sweep_add_range(sweep, "k", 1.0, 2.0, INT_MAX), PHX_OK);
    assert_int_equal(phx_sweep_points(sweep), INT_MAX);
    assert_true(phx_sweep_value(sweep, 0, 0) == 1.0);
    assert_true(phx_sweep_value(sweep, 0, (INT_MAX - 1) / 2) == 1.5);
    assert_true(phx_sweep_value(sweep, 0, INT_MAX - 1) == 2.0);
    phx_sweep_destroy(sweep);
}

static void test_failing_allocations(void **state)
{
    phx_context *context = *state;
    const double values[2] = {1.0, 2.0};
    long n = 0;
    for (phx_status status = PHX_ERR_MEMORY; status; n++) {
        phx_sweep *sweep = NULL;
        phx_context_fail_allocation(context, n);
        status = phx_sweep_create(context, &sweep);
        if (!status)
            status = phx_sweep_add_range(sweep, "a", 0.0, 1.0, 2);
        if (!status)
            status = phx_sweep_add_values(sweep, "b", 2, values);
        phx_context_fail_allocation(context, -1);
        assert_true(status == PHX_OK || status == PHX_ERR_MEMORY);
        phx_sweep_destroy(sweep);
    }
    assert_int_equal(n, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_a_range), cmocka_unit_test(test_points_and_places),
        cmocka_unit_test(test_many_parameters),   cmocka_unit_test(test_wrong_parameters),
        cmocka_unit_test(test_long_range),        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
