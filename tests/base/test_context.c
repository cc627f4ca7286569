/* Status texts, messages, log sink, progress. */
#include "base/base.h"

#include "support/testing.h"

static void test_every_status_has_its_text(void **state)
{
    (void)state;
#define STATUS(name, value, text)                                                                                      \
    assert_int_equal(name, value);                                                                                     \
    assert_string_equal(phx_status_text(name), text);
    PHX_STATUS_LIST(STATUS)
#undef STATUS
    assert_string_equal(phx_status_text((phx_status)99), "unknown status");
}

static void test_message_is_recorded_prefixed_and_cleared(void **state)
{
    phx_context *context = *state;
    assert_string_equal(phx_context_message(context), "");
    assert_int_equal(phx_fail(context, PHX_ERR_INPUT, "mass is %g; it must be positive", -1.5), PHX_ERR_INPUT);
    assert_string_equal(phx_context_message(context), "mass is -1.5; it must be positive");
    assert_int_equal(phx_fail_prefix(context, PHX_ERR_ANALYSIS, "body %s: ", "crank"), PHX_ERR_ANALYSIS);
    assert_string_equal(phx_context_message(context), "body crank: mass is -1.5; it must be positive");
    phx_context_clear(context);
    assert_string_equal(phx_context_message(context), "");
}

static void test_message_may_quote_the_message_it_replaces(void **state)
{
    phx_context *context = *state;
    phx_fail(context, PHX_SINGULAR, "column 3");
    phx_fail(context, PHX_ERR_ANALYSIS, "at t = 1 s: %s", phx_context_message(context));
    assert_string_equal(phx_context_message(context), "at t = 1 s: column 3");
}

static void test_long_message_is_cut_between_characters(void **state)
{
    phx_context *context = *state;
    char text[8192];
    for (size_t shift = 0; shift < 4; shift++) {
        /* "a" shift times, then two-byte characters */
        memset(text, 'a', shift);
        for (size_t i = shift; i + 2 < sizeof text; i += 2)
            memcpy(text + i, "\xC3\xA9", 3);
        phx_fail(context, PHX_ERR_INPUT, "%s", text);
        const char *message = phx_context_message(context);
        const size_t length = strlen(message);
        assert_true(length > 1000 && length < 4096);
        assert_string_equal(message + length - 3, "...");
        assert_int_equal((length - 3 - shift) % 2, 0);
        assert_memory_equal(message, text, length - 3);
    }
    phx_fail_prefix(context, PHX_ERR_INPUT, "model.yaml:1:2: ");
    assert_memory_equal(phx_context_message(context), "model.yaml:1:2: ", 16);
}

static void test_null_context_only_passes_the_status(void **state)
{
    (void)state;
    assert_int_equal(phx_fail(NULL, PHX_REJECTED, "step"), PHX_REJECTED);
    assert_int_equal(phx_fail_prefix(NULL, PHX_ERR_FILE, "file"), PHX_ERR_FILE);
    assert_int_equal(phx_progress(NULL, "steps", 1.0, 2.0), PHX_OK);
    assert_string_equal(phx_context_message(NULL), "");
    phx_log(NULL, PHX_LOG_INFO, "nobody listens");
    phx_context_clear(NULL);
    phx_context_destroy(NULL);
    assert_int_equal(phx_context_create(NULL), PHX_ERR_ARGUMENT);
}

typedef struct heard {
    int count;
    phx_log_level level;
    char text[100];
} heard;

static void listen_to(void *user, phx_log_level level, const char *message)
{
    heard *h = user;
    h->count++;
    h->level = level;
    strncpy(h->text, message, sizeof h->text - 1);
}

static void test_log_reaches_the_sink(void **state)
{
    phx_context *context = *state;
    heard h = {0};
    phx_log(context, PHX_LOG_WARNING, "before there is a sink");
    phx_context_set_log(context, listen_to, &h);
    phx_log(context, PHX_LOG_WARNING, "%d rows of joint %s are redundant", 2, "knee");
    assert_int_equal(h.count, 1);
    assert_int_equal(h.level, PHX_LOG_WARNING);
    assert_string_equal(h.text, "2 rows of joint knee are redundant");
    phx_context_set_log(context, NULL, NULL);
    phx_log(context, PHX_LOG_INFO, "after it is gone");
    assert_int_equal(h.count, 1);
}

static bool stop_at_half(void *user, const char *what, double done, double total)
{
    *(const char **)user = what;
    return done < 0.5 * total;
}

static void test_progress_stops_the_work(void **state)
{
    phx_context *context = *state;
    const char *what = NULL;
    assert_int_equal(phx_progress(context, "sweep", 9.0, 10.0), PHX_OK);
    phx_context_set_progress(context, stop_at_half, &what);
    assert_int_equal(phx_progress(context, "sweep", 4.0, 10.0), PHX_OK);
    assert_string_equal(what, "sweep");
    assert_string_equal(phx_context_message(context), "");
    assert_int_equal(phx_progress(context, "sweep", 5.0, 10.0), PHX_INTERRUPTED);
    assert_string_equal(phx_context_message(context), "sweep: stopped by the user at 5 of 10");
}

/* A text is cut between characters; one of nothing but inner bytes of UTF-8 is cut altogether. */
static void test_shown_text_is_cut_between_characters(void **state)
{
    (void)state;
    char text[301] = {0}, inner[301] = {0};
    for (int k = 0; k < 150; k++)
        memcpy(text + 2 * k, "\xC3\xA9", 2);
    memset(inner, 0xB7, sizeof inner - 1);
    const phx_shown shown = phx_shown_text(text);
    const size_t length = strlen(shown.text), letters = length - strlen("'...'");
    assert_string_equal(shown.text + length - 4, "...'");
    assert_int_equal(letters % 2, 0);
    assert_memory_equal(shown.text + 1, text, letters);
    assert_string_equal(phx_shown_text(inner).text, "'...'");
}

static void test_version_is_three_numbers(void **state)
{
    (void)state;
    const char *version = phx_version();
    assert_int_equal(strspn(version, "0123456789."), strlen(version));
    const char *dot = strchr(version, '.');
    assert_non_null(dot);
    assert_non_null(strchr(dot + 1, '.'));
    assert_non_null(strchr(phx_build(), ','));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_status_has_its_text),
        cmocka_unit_test_setup_teardown(test_message_is_recorded_prefixed_and_cleared, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_message_may_quote_the_message_it_replaces, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(test_long_message_is_cut_between_characters, context_setup, context_teardown),
        cmocka_unit_test(test_null_context_only_passes_the_status),
        cmocka_unit_test_setup_teardown(test_log_reaches_the_sink, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_progress_stops_the_work, context_setup, context_teardown),
        cmocka_unit_test(test_version_is_three_numbers),
        cmocka_unit_test(test_shown_text_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
