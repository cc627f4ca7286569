/* Killed, interrupted, full disk, no memory: the older result is untouched, the unfinished one readable or absent. */
#define _XOPEN_SOURCE 700
#include "example.h"
#include "results/store/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* An older result of 10 rows under both names, and copies of them to compare with. */
static void make_older(phx_context *context)
{
    for (int copy = 0; copy < 2; copy++) {
        phx_recorder_def def = example_def(copy ? "older.h5" : "r.h5", copy ? "older.csv" : "r.csv");
        phx_recorder *recorder = NULL;
        CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
        CHECK_OK(context, example_append(recorder, 0, 10));
        CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
        phx_recorder_destroy(recorder);
    }
}

static void check_older(void)
{
    example_same_bytes("r.h5", "older.h5");
    example_same_bytes("r.csv", "older.csv");
}

/* r.h5.partial is absent or a readable partial result; returns its rows (0 when absent). */
static size_t check_partial(phx_context *context, const char *reason)
{
    phx_result *result = NULL;
    if (!example_exists("r.h5.partial"))
        return 0;
    CHECK_OK(context, phx_result_read(context, "r.h5.partial", &result));
    assert_string_equal(phx_result_text(result, "status"), "partial");
    if (reason)
        assert_string_equal(phx_result_text(result, "reason"), reason);
    example_check_rows(context, result);
    const size_t rows = phx_result_rows(result);
    double last = -1.0;
    for (int i = 0; i < phx_result_attributes(result); i++)
        if (strcmp(phx_result_attribute(result, i)->name, "last_time") == 0)
            last = phx_result_attribute(result, i)->number;
    assert_true(last == 1e-3 * (double)(rows - 1));
    phx_result_destroy(result);
    return rows;
}

/* The csv starts with the header; every whole line has its row; `whole`: there is nothing behind the last line. */
static size_t check_csv(const char *path, bool whole)
{
    size_t size, rows = 0;
    char *text = example_bytes(path, &size), *line = strchr(text, '\n');
    if (!line && !whole) { /* killed before the header was there */
        free(text);
        return 0;
    }
    assert_non_null(line);
    assert_memory_equal(text, "t,energy,", 9);
    for (line++; strchr(line, '\n'); line = strchr(line, '\n') + 1, rows++) {
        double columns[EXAMPLE_COLUMNS], x[EXAMPLE_X], v[EXAMPLE_V];
        char *place = line;
        example_row(rows, columns, x, v);
        for (int i = 0; i < EXAMPLE_COLUMNS; i++, place++)
            assert_true(strtod(place, &place) == columns[i]);
    }
    if (whole)
        assert_int_equal(*line, '\0');
    free(text);
    return rows;
}

static void test_an_abandoned_run_leaves_a_marked_partial(void **state)
{
    phx_context *context = *state;
    make_older(context);
    phx_recorder_def def = example_def("r.h5", "r.csv");
    phx_recorder *recorder = NULL;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, example_append(recorder, 0, 250));
    phx_fail(context, PHX_ERR_ANALYSIS, "the step failed");
    assert_int_equal(phx_recorder_abandon(recorder, "interrupted – by the user"), PHX_OK);
    assert_string_equal(phx_context_message(context), "the step failed");
    REFUSED(context, PHX_ERR_ARGUMENT, "finished", example_append(recorder, 250, 1));
    REFUSED(context, PHX_ERR_ARGUMENT, "finished", phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    assert_int_equal(check_partial(context, "interrupted – by the user"), 250);
    assert_int_equal(check_csv("r.csv.partial", true), 250);
    check_older();
    /* The next run that ends takes the partial files away. */
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, example_append(recorder, 0, 20));
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    assert_false(example_exists("r.h5.partial") || example_exists("r.csv.partial"));
    assert_int_equal(check_csv("r.csv", true), 20);
}

static void test_a_run_without_rows_leaves_nothing(void **state)
{
    phx_context *context = *state;
    make_older(context);
    phx_recorder_def def = example_def("r.h5", "r.csv");
    phx_recorder *recorder = NULL;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, phx_recorder_abandon(recorder, "nothing to do"));
    phx_recorder_destroy(recorder);
    check_older();
    assert_false(example_exists("r.h5.partial") || example_exists("r.csv.partial") ||
                 example_exists("r.h5.partial.tmp"));
}

static void test_a_recorder_destroyed_early_leaves_its_last_checkpoint(void **state)
{
    phx_context *context = *state;
    make_older(context);
    phx_recorder_def def = example_def("r.h5", "r.csv");
    phx_recorder *recorder = NULL;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, example_append(recorder, 0, 30));
    CHECK_OK(context, phx_recorder_checkpoint(recorder));
    CHECK_OK(context, example_append(recorder, 30, 30));
    phx_recorder_destroy(recorder);
    assert_int_equal(check_partial(context, "the run has not ended"), 30);
    assert_int_equal(check_csv("r.csv.partial", true), 60);
    check_older();
}

/* ---- kill -9 ---- */

/* Records and finishes over and over, with checkpoints as often as it can. */
static void run_until_killed(void)
{
    phx_context *context = NULL;
    if (phx_context_create(&context))
        _exit(1);
    for (;;) {
        phx_recorder_def def = example_def("r.h5", "r.csv");
        phx_recorder *recorder = NULL;
        def.checkpoint_interval = 0.0;
        def.checkpoint_share = 1.0;
        def.buffer_bytes = 20000;
        if (phx_recorder_create(context, &def, &recorder))
            _exit(2);
        for (size_t row = 0;; row += 10)
            if (example_append(recorder, row, 10) || (row % 300 == 0 && phx_recorder_checkpoint(recorder)))
                _exit(3);
    }
}

static void test_a_killed_run_leaves_a_readable_partial_or_none(void **state)
{
    phx_context *context = *state;
    size_t most = 0;
    make_older(context);
    unsigned random = 12345;
    long longest = 40000000; /* ns; more on a machine that is too slow for it */
    for (int round = 0; round < TEST_SHORTER(60, 20) || (round < 60 && most == 0); round++) {
        if (round % 10 == 9 && most == 0)
            longest *= 2;
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            run_until_killed();
        int ended;
        random = random * 1103515245u + 12345u;
        const struct timespec pause = {0, (long)(random >> 8) * 59 % longest};
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &ended, 0), child);
        if (!WIFSIGNALED(ended))
            fail_msg("round %d: the run ended by itself with %d", round, WEXITSTATUS(ended));
        const size_t rows = check_partial(context, "the run has not ended");
        most = rows > most ? rows : most;
        if (example_exists("r.csv.partial"))
            (void)check_csv("r.csv.partial", false);
        check_older();
    }
    print_message("up to %zu rows in a partial result\n", most);
    assert_true(most > 0); /* some of them were there to be read */
    check_older();
}

/* Finishing the same name over and over: at any moment the name has one complete result. */
static void finish_until_killed(void)
{
    phx_context *context = NULL;
    if (phx_context_create(&context))
        _exit(1);
    for (size_t rows = 1;; rows++) {
        phx_recorder_def def = example_def("r.h5", "r.csv");
        phx_recorder *recorder = NULL;
        if (phx_recorder_create(context, &def, &recorder) || example_append(recorder, 0, rows) ||
            phx_recorder_finish(recorder, 0, NULL))
            _exit(2);
        phx_recorder_destroy(recorder);
    }
}

static void test_a_run_killed_at_its_end_leaves_a_complete_result(void **state)
{
    phx_context *context = *state;
    unsigned random = 777;
    make_older(context);
    for (int round = 0; round < TEST_SHORTER(40, 10); round++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            finish_until_killed();
        int ended;
        random = random * 1103515245u + 12345u;
        const struct timespec pause = {0, (long)(random >> 8) % 30000000};
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &ended, 0), child);
        if (!WIFSIGNALED(ended))
            fail_msg("round %d: the run ended by itself with %d", round, WEXITSTATUS(ended));
        phx_result *result = NULL;
        CHECK_OK(context, phx_result_read(context, "r.h5", &result));
        assert_true(phx_result_is_complete(result));
        example_check_rows(context, result);
        phx_result_destroy(result);
        assert_true(check_csv("r.csv", true) > 0);
        if (example_exists("r.h5.partial")) {
            CHECK_OK(context, phx_result_read(context, "r.h5.partial", &result));
            example_check_rows(context, result);
            phx_result_destroy(result);
        }
    }
}

/* ---- a full disk ---- */

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The write that fails may be the creation, any append, the checkpoint or the end. */
static void test_a_full_disk_is_reported_and_harms_nothing(void **state)
{
    phx_context *context = *state;
    make_older(context);
    signal(SIGXFSZ, SIG_IGN);
    phx_recorder_def def = example_def("r.h5", NULL);
    def.buffer_bytes = 10000;
    def.checkpoint_interval = 1e9;
    size_t kept = 0;
    for (rlim_t limit = 100; limit < 600000; limit = limit * 3 / 2) {
        phx_recorder *recorder = NULL;
        unlink("r.h5.partial");
        phx_context_clear(context);
        CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
        limit_files(limit);
        phx_status status = PHX_OK;
        for (size_t row = 0; row < 3000 && !status; row += 50) {
            status = example_append(recorder, row, 50);
            if (!status && row % 200 == 0)
                status = phx_recorder_checkpoint(recorder);
        }
        if (!status)
            status = phx_recorder_finish(recorder, 0, NULL);
        if (status != PHX_ERR_FILE || !strstr(phx_context_message(context), "r.h5.partial") ||
            !strstr(phx_context_message(context), strerror(EFBIG)) ||
            !strstr(phx_context_message(context), "raise the limit"))
            fail_msg("limit %lu: status %d: %s", (unsigned long)limit, (int)status, phx_context_message(context));
        (void)phx_recorder_abandon(recorder, "the disk is full");
        phx_recorder_destroy(recorder);
        limit_files(RLIM_INFINITY);
        check_older();
        const size_t rows = check_partial(context, NULL);
        kept = rows > kept ? rows : kept;
        assert_false(example_exists("r.h5.partial.tmp"));
    }
    print_message("up to %zu rows kept\n", kept);
    assert_true(kept >= 1000);
    signal(SIGXFSZ, SIG_DFL);
}

static void test_a_csv_on_a_full_disk_keeps_whole_lines(void **state)
{
    phx_context *context = *state;
    make_older(context);
    signal(SIGXFSZ, SIG_IGN);
    phx_recorder_def def = example_def(NULL, "r.csv");
    phx_recorder *recorder = NULL;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    limit_files(100001);
    REFUSED(context, PHX_ERR_FILE, "r.csv.partial: cannot write: File too large", example_append(recorder, 0, 100000));
    REFUSED(context, PHX_ERR_FILE, "an earlier write failed", example_append(recorder, 0, 1));
    REFUSED(context, PHX_ERR_FILE, "an earlier write failed", phx_recorder_finish(recorder, 0, NULL));
    (void)phx_recorder_abandon(recorder, "the disk is full");
    phx_recorder_destroy(recorder);
    limit_files(RLIM_INFINITY);
    signal(SIGXFSZ, SIG_DFL);
    assert_true(check_csv("r.csv.partial", true) > 500);
    check_older();
}

static void test_a_device_is_written_directly_and_its_errors_are_told(void **state)
{
    phx_context *context = *state;
    phx_recorder_def def = example_def(NULL, "/dev/full");
    phx_recorder *recorder = NULL;
    if (!example_exists("/dev/full")) {
        print_message("there is no /dev/full here\n");
        skip();
    }
    REFUSED(context, PHX_ERR_FILE, "/dev/full: cannot write: No space left on device; free space",
            phx_recorder_create(context, &def, &recorder));
    def.csv_path = "/dev/null";
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, example_append(recorder, 0, 1000));
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    struct stat info;
    assert_true(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
    def = example_def("/dev/null", NULL);
    REFUSED(context, PHX_ERR_FILE, "not a regular file", phx_recorder_create(context, &def, &recorder));
}

static void test_places_that_cannot_be_written_are_found_at_the_start(void **state)
{
    phx_context *context = *state;
    phx_recorder *recorder = NULL;
    phx_recorder_def def = example_def("none/r.h5", NULL);
    REFUSED(context, PHX_ERR_FILE, "none/r.h5.partial.tmp: cannot create: No such file or directory; check the name",
            phx_recorder_create(context, &def, &recorder));
    def = example_def(NULL, "none/r.csv");
    REFUSED(context, PHX_ERR_FILE, "none/r.csv.partial: cannot create", phx_recorder_create(context, &def, &recorder));
    def = example_def(".", NULL);
    REFUSED(context, PHX_ERR_FILE, ".: cannot write: Is a directory", phx_recorder_create(context, &def, &recorder));
    def = example_def("", NULL);
    REFUSED(context, PHX_ERR_FILE, "empty", phx_recorder_create(context, &def, &recorder));
    assert_null(recorder);
}

static void test_a_link_is_followed(void **state)
{
    phx_context *context = *state;
    make_older(context);
    assert_int_equal(symlink("r.h5", "link.h5"), 0);
    phx_recorder_def def = example_def("link.h5", NULL);
    phx_recorder *recorder = NULL;
    phx_result *result = NULL;
    struct stat info;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, example_append(recorder, 0, 17));
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    assert_true(lstat("link.h5", &info) == 0 && S_ISLNK(info.st_mode));
    CHECK_OK(context, phx_result_read(context, "r.h5", &result));
    assert_int_equal(phx_result_rows(result), 17);
    phx_result_destroy(result);
}

/* ---- no memory ---- */

static phx_status record_and_read(phx_context *context)
{
    const phx_attribute stats[] = {{"steps", NULL, 12}, {"note", "done", 0}};
    phx_recorder_def def = example_def("r.h5", "r.csv");
    phx_recorder *recorder = NULL;
    phx_result *result = NULL;
    double t, x[EXAMPLE_X], v[EXAMPLE_V];
    def.buffer_bytes = 1000;
    def.checkpoint_interval = 1e9;
    phx_status status = phx_recorder_create(context, &def, &recorder);
    if (!status)
        status = example_append(recorder, 0, 50);
    if (!status)
        status = phx_recorder_checkpoint(recorder);
    if (!status)
        status = example_append(recorder, 50, 50);
    if (!status)
        status = phx_recorder_finish(recorder, 2, stats);
    if (!status)
        status = phx_result_read(context, "r.h5", &result);
    if (!status)
        status = phx_result_last_state(result, 2, EXAMPLE_BODIES, example_bodies, &t, x, v);
    phx_result_destroy(result);
    phx_recorder_destroy(recorder);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    long n = 0;
    make_older(context);
    for (phx_status status = PHX_ERR_MEMORY; status != PHX_OK; n++) {
        phx_context_fail_allocation(context, n);
        status = record_and_read(context);
        phx_context_fail_allocation(context, -1);
        if (status != PHX_OK && status != PHX_ERR_MEMORY)
            fail_msg("allocation %ld: status %d: %s", n, (int)status, phx_context_message(context));
        if (status && !strstr(phx_context_message(context), "memory"))
            fail_msg("allocation %ld: %s", n, phx_context_message(context));
        (void)check_partial(context, NULL);
        if (n < 30)
            check_older();
    }
    print_message("%ld allocations\n", n - 1);
    assert_true(n > 100);
}

/* An append that makes no checkpoint allocates nothing. */
static void test_an_append_allocates_nothing(void **state)
{
    phx_context *context = *state;
    phx_recorder_def def = example_def("r.h5", "r.csv");
    phx_recorder *recorder = NULL;
    def.buffer_bytes = 1000;
    def.checkpoint_interval = 1e9;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    const size_t before = phx_context_allocations(context);
    CHECK_OK(context, example_append(recorder, 0, 5000));
    assert_int_equal(phx_context_allocations(context), before);
    phx_recorder_destroy(recorder);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, example_enter, example_leave)
    const struct CMUnitTest tests[] = {
        TEST(test_an_abandoned_run_leaves_a_marked_partial),
        TEST(test_a_run_without_rows_leaves_nothing),
        TEST(test_a_recorder_destroyed_early_leaves_its_last_checkpoint),
        TEST(test_a_killed_run_leaves_a_readable_partial_or_none),
        TEST(test_a_run_killed_at_its_end_leaves_a_complete_result),
        TEST(test_a_full_disk_is_reported_and_harms_nothing),
        TEST(test_a_csv_on_a_full_disk_keeps_whole_lines),
        TEST(test_a_device_is_written_directly_and_its_errors_are_told),
        TEST(test_places_that_cannot_be_written_are_found_at_the_start),
        TEST(test_a_link_is_followed),
        TEST(test_every_allocation_may_fail),
        TEST(test_an_append_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
