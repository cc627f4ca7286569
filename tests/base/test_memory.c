/* Memory: zeroed, checked for overflow, counted, failing on demand. */
#include "base/base.h"

#include "support/testing.h"

static void test_memory_is_zeroed_and_counted(void **state)
{
    phx_context *context = *state;
    unsigned char *bytes = phx_calloc(context, 1000, 3);
    assert_non_null(bytes);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(bytes[i], 0);
    void *none = phx_calloc(context, 0, 8), *empty = phx_calloc(context, 8, 0);
    assert_non_null(none);
    assert_non_null(empty);
    assert_int_equal(phx_context_allocations(context), 3);
    phx_free(bytes);
    phx_free(none);
    phx_free(empty);
    phx_free(NULL);
    assert_int_equal(phx_context_allocations(context), 3);
}

static void test_growing_keeps_the_bytes(void **state)
{
    phx_context *context = *state;
    int *numbers = NULL;
    for (int n = 1; n <= 1000; n++) {
        int *grown = phx_realloc(context, numbers, (size_t)n, sizeof *numbers);
        assert_non_null(grown);
        numbers = grown;
        numbers[n - 1] = n;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers[i], i + 1);
    assert_int_equal(phx_context_allocations(context), 1000);
    int *emptied = phx_realloc(context, numbers, 0, sizeof *numbers);
    assert_non_null(emptied);
    phx_free(emptied);
}

static void test_overflow_is_an_error(void **state)
{
    phx_context *context = *state;
    volatile size_t many = SIZE_MAX / 4 + 2; /* times 4 wraps to a small number */
    assert_null(phx_calloc(context, many, 4));
    assert_non_null(strstr(phx_context_message(context), "out of memory"));
    phx_context_clear(context);
    char *kept = phx_strdup(context, "kept");
    assert_null(phx_realloc(context, kept, many, 4));
    assert_non_null(strstr(phx_context_message(context), "out of memory"));
    assert_string_equal(kept, "kept");
    phx_free(kept);
    assert_int_equal(phx_context_allocations(context), 1);
}

static void test_the_chosen_allocation_fails_once(void **state)
{
    phx_context *context = *state;
    for (long n = 0; n < 4; n++) {
        phx_context_fail_allocation(context, n);
        for (long k = 0; k < 6; k++) {
            void *pointer = k % 2 ? phx_realloc(context, NULL, 1, 8) : phx_calloc(context, 1, 8);
            assert_int_equal(pointer == NULL, k == n);
            phx_free(pointer);
        }
    }
    phx_context_fail_allocation(context, 0);
    phx_context_fail_allocation(context, -1);
    void *pointer = phx_calloc(context, 1, 8);
    assert_non_null(pointer);
    phx_free(pointer);
}

static void test_text_is_copied(void **state)
{
    phx_context *context = *state;
    char text[] = "coupler";
    char *copy = phx_strdup(context, text);
    text[0] = 'C';
    assert_string_equal(copy, "coupler");
    phx_free(copy);
    assert_null(phx_strdup(context, NULL));
    assert_non_null(strstr(phx_context_message(context), "NULL"));
    phx_context_fail_allocation(context, 0);
    assert_null(phx_strdup(context, text));
}

static void test_no_context_is_needed(void **state)
{
    (void)state;
    double *numbers = phx_calloc(NULL, 4, sizeof *numbers);
    assert_non_null(numbers);
    double *grown = phx_realloc(NULL, numbers, 8, sizeof *numbers);
    assert_non_null(grown);
    phx_free(grown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_memory_is_zeroed_and_counted, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_growing_keeps_the_bytes, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_overflow_is_an_error, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_the_chosen_allocation_fails_once, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_text_is_copied, context_setup, context_teardown),
        cmocka_unit_test(test_no_context_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
