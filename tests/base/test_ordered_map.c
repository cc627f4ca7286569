/* Teams of threads: order, the lowest failure, messages, interruption, memory. */
#include "base/base.h"

#include <stdatomic.h>
#include <time.h>

#include "support/testing.h"

enum { ITEMS = 200 };

typedef struct job {
    phx_ordered_map *map;
    int fails[2];       /* items that fail; -1: none */
    int slow;           /* an item that takes long; -1: none */
    int result[64];     /* by slot */
    int delivered;      /* so far */
    int out_of_order;   /* items handed over that were not next */
    int wrong;          /* results in the wrong slot */
    int fails_delivery; /* item; -1: none */
    long long sum;
    atomic_int computed;
} job;

static void wait_ms(long ms)
{
    struct timespec until, now;
    timespec_get(&until, TIME_UTC);
    until.tv_nsec += ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    do
        timespec_get(&now, TIME_UTC);
    while (now.tv_sec < until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec));
}

static phx_status compute(void *user, phx_context *context, int worker, int item, int slot)
{
    job *j = user;
    if (worker < 0 || worker >= phx_ordered_map_workers(j->map) || slot < 0 || slot >= phx_ordered_map_slots(j->map) ||
        context != phx_ordered_map_context(j->map, worker))
        return phx_fail(context, PHX_ERR_LIBRARY, "worker %d, slot %d", worker, slot);
    if (item == j->slow)
        wait_ms(30);
    if (item % 50 == 7)
        phx_log(context, PHX_LOG_WARNING, "item %d", item);
    atomic_fetch_add(&j->computed, 1);
    for (int k = 0; k < 2; k++)
        if (item == j->fails[k])
            return phx_fail(context, k ? PHX_ERR_INPUT : PHX_ERR_ANALYSIS, "item %d is bad", item);
    j->result[slot] = item * item;
    return PHX_OK;
}

static phx_status deliver(void *user, int item, int slot)
{
    job *j = user;
    j->out_of_order += item != j->delivered;
    j->wrong += j->result[slot] != item * item;
    j->delivered++;
    j->sum = 31 * j->sum % 1000003 + j->result[slot];
    return item == j->fails_delivery ? PHX_ERR_FILE : PHX_OK;
}

static job new_job(phx_context *context, int threads)
{
    job j = {.fails = {-1, -1}, .slow = -1, .fails_delivery = -1};
    CHECK_OK(context, phx_ordered_map_create(context, threads, &j.map));
    assert_int_equal(phx_ordered_map_workers(j.map), threads);
    assert_true(phx_ordered_map_slots(j.map) <= 64);
    return j;
}

static phx_status run(job *j, int count)
{
    const phx_ordered_map_work work = {count, "items", j, compute, deliver};
    return phx_ordered_map_run(j->map, &work);
}

typedef struct log_copy {
    int count;
    char text[16][32];
} log_copy;

static void keep_log(void *user, phx_log_level level, const char *message)
{
    log_copy *log = user;
    assert_int_equal(level, PHX_LOG_WARNING);
    if (log->count < 16)
        snprintf(log->text[log->count++], sizeof log->text[0], "%s", message);
}

static void test_everything_is_handed_over_in_order(void **state)
{
    phx_context *context = *state;
    long long sum = 0;
    for (int threads = 1; threads <= 5; threads++) {
        log_copy log = {0};
        phx_context_set_log(context, keep_log, &log);
        job j = new_job(context, threads);
        j.slow = 3;
        for (int again = 0; again < 2; again++) {
            j.delivered = 0;
            j.sum = 0;
            CHECK_OK(context, run(&j, ITEMS));
            assert_int_equal(j.delivered, ITEMS);
            assert_int_equal(j.out_of_order + j.wrong, 0);
            sum = threads == 1 ? j.sum : sum;
            assert_true(j.sum == sum);
        }
        assert_int_equal(log.count, 8);
        for (int k = 0; k < 8; k++) {
            char wanted[32];
            snprintf(wanted, sizeof wanted, "item %d", 7 + 50 * (k % 4));
            assert_string_equal(log.text[k], wanted);
        }
        CHECK_OK(context, run(&j, 0));
        phx_ordered_map_destroy(j.map);
    }
    phx_context_set_log(context, NULL, NULL);
}

/* Item 20 is slow, item 22 fails at once: still the failure of 20 is the one reported. */
static void test_the_lowest_failure_is_reported(void **state)
{
    phx_context *context = *state;
    for (int threads = 1; threads <= 4; threads++) {
        job j = new_job(context, threads);
        j.fails[0] = j.slow = 20;
        j.fails[1] = 22;
        CHECK_STATUS(context, run(&j, ITEMS), PHX_ERR_ANALYSIS);
        assert_string_equal(phx_context_message(context), "item 20 is bad");
        assert_int_equal(j.delivered, 20);
        assert_int_equal(j.out_of_order + j.wrong, 0);
        assert_true(atomic_load(&j.computed) <= 21 + 4 * threads);
        /* and the map can go on */
        j.fails[0] = j.fails[1] = -1;
        j.delivered = 0;
        CHECK_OK(context, run(&j, ITEMS));
        assert_int_equal(j.delivered, ITEMS);
        phx_ordered_map_destroy(j.map);
    }
}

static void test_a_failed_delivery_ends_the_work(void **state)
{
    phx_context *context = *state;
    for (int threads = 1; threads <= 3; threads++) {
        job j = new_job(context, threads);
        j.fails_delivery = 11;
        assert_int_equal(run(&j, ITEMS), PHX_ERR_FILE);
        assert_int_equal(j.delivered, 12);
        phx_ordered_map_destroy(j.map);
    }
}

/* ---- interruption ---- */
static bool stop_at(void *user, const char *what, double done, double total)
{
    double *last = user;
    assert_string_equal(what, "items");
    assert_true(total == ITEMS && done >= last[1]);
    last[1] = done;
    return done < last[0];
}

static void test_the_user_stops_it(void **state)
{
    phx_context *context = *state;
    for (int threads = 1; threads <= 3; threads++) {
        double last[2] = {50.0, 0.0};
        job j = new_job(context, threads);
        phx_context_set_progress(context, stop_at, last);
        CHECK_STATUS(context, run(&j, ITEMS), PHX_INTERRUPTED);
        CHECK_MESSAGE(context, "items: stopped by the user at");
        assert_true(j.delivered >= 50 && j.delivered <= 50 + phx_ordered_map_slots(j.map));
        assert_true(atomic_load(&j.computed) < ITEMS);
        phx_context_set_progress(context, NULL, NULL);
        phx_ordered_map_destroy(j.map);
    }
}

/* Works for ever unless it is told to stop. */
static phx_status compute_for_ever(void *user, phx_context *context, int worker, int item, int slot)
{
    (void)worker, (void)slot;
    if (item == *(int *)user)
        return phx_fail(context, PHX_ERR_INPUT, "item %d is bad", item);
    phx_status status = PHX_OK;
    while (!status && item > *(int *)user)
        status = phx_progress(context, "inside", 0.0, 1.0);
    return status;
}

static void test_work_behind_a_failure_is_stopped(void **state)
{
    phx_context *context = *state;
    int bad = 1;
    phx_ordered_map *map = NULL;
    const phx_ordered_map_work work = {8, "items", &bad, compute_for_ever, NULL};
    CHECK_OK(context, phx_ordered_map_create(context, 3, &map));
    CHECK_STATUS(context, phx_ordered_map_run(map, &work), PHX_ERR_INPUT);
    assert_string_equal(phx_context_message(context), "item 1 is bad");
    phx_ordered_map_destroy(map);
}

static bool stop_inside(void *user, const char *what, double done, double total)
{
    (void)done, (void)total;
    ++*(int *)user;
    assert_string_equal(what, "inside");
    return *(int *)user < 3;
}

/* Of a single item the user sees the progress inside. */
static void test_a_single_item_reports_itself(void **state)
{
    phx_context *context = *state;
    int bad = -1, calls = 0;
    phx_ordered_map *map = NULL;
    const phx_ordered_map_work work = {1, "items", &bad, compute_for_ever, NULL};
    CHECK_OK(context, phx_ordered_map_create(context, 2, &map));
    phx_context_set_progress(context, stop_inside, &calls);
    CHECK_STATUS(context, phx_ordered_map_run(map, &work), PHX_INTERRUPTED);
    phx_context_set_progress(context, NULL, NULL);
    CHECK_MESSAGE(context, "inside: stopped by the user");
    assert_int_equal(calls, 3);
    phx_ordered_map_destroy(map);
}

/* ---- memory and arguments ---- */
static phx_status allocate(void *user, phx_context *context, int worker, int item, int slot)
{
    (void)user, (void)worker, (void)item, (void)slot;
    void *memory = phx_calloc(context, 3, 8);
    phx_free(memory);
    return memory ? PHX_OK : PHX_ERR_MEMORY;
}

/* Allocations of the calling thread as a worker count in the caller's context. */
static void test_every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    const phx_ordered_map_work work = {5, "items", NULL, allocate, NULL};
    bool done = false;
    for (long n = 0; !done && n < 100; n++) {
        phx_ordered_map *map = NULL;
        phx_context_fail_allocation(context, n);
        phx_status status = phx_ordered_map_create(context, 1, &map);
        if (!status)
            status = phx_ordered_map_run(map, &work);
        phx_context_fail_allocation(context, -1);
        phx_ordered_map_destroy(map);
        done = !status;
        if (status) {
            CHECK_STATUS(context, status, PHX_ERR_MEMORY);
            CHECK_MESSAGE(context, "memory");
        } else {
            assert_int_equal(n, 3 + 5);
        }
    }
    assert_true(done);
}

static void test_arguments_are_checked(void **state)
{
    phx_context *context = *state;
    phx_ordered_map *map = NULL;
    const phx_ordered_map_work work = {-1, "items", NULL, allocate, NULL};
    CHECK_STATUS(context, phx_ordered_map_create(context, 0, &map), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "0 threads");
    CHECK_STATUS(context, phx_ordered_map_create(context, PHX_ORDERED_MAP_LARGEST + 1, &map), PHX_ERR_ARGUMENT);
    assert_null(map);
    phx_ordered_map_destroy(NULL);
    CHECK_OK(context, phx_ordered_map_create(context, 1, &map));
    CHECK_STATUS(context, phx_ordered_map_run(map, &work), PHX_ERR_ARGUMENT);
    phx_ordered_map_destroy(map);
    assert_true(phx_processors() >= 1 && phx_processors() <= PHX_ORDERED_MAP_LARGEST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_everything_is_handed_over_in_order, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_the_lowest_failure_is_reported, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_a_failed_delivery_ends_the_work, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_the_user_stops_it, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_work_behind_a_failure_is_stopped, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_a_single_item_reports_itself, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_arguments_are_checked, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
