/* Crews of threads: every item once, the same parts at any time, the lowest failure, sleep and waking, memory. */
#include "base/base.h"

#include <threads.h>
#include <time.h>

#include "support/testing.h"

enum { ITEMS = 1000, MOST_PARTS = 7 };

typedef struct job {
    int visits[ITEMS];
    int first[MOST_PARTS], end[MOST_PARTS]; /* of each part; -1: it did not come */
    int fails[2];                           /* parts that fail; -1: none */
    int slow;                               /* a part that takes long; -1: none */
    const phx_context *caller;
    int wrong_context;
} job;

static void wait_ms(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};
    thrd_sleep(&time, NULL);
}

static job new_job(const phx_context *caller)
{
    job j = {.fails = {-1, -1}, .slow = -1, .caller = caller};
    for (int k = 0; k < MOST_PARTS; k++)
        j.first[k] = j.end[k] = -1;
    return j;
}

static phx_status visit(void *user, phx_context *context, int part, int first, int end)
{
    job *j = user;
    if (part == j->slow)
        wait_ms(20);
    if ((part == 0) != (context == j->caller))
        j->wrong_context++;
    j->first[part] = first;
    j->end[part] = end;
    for (int k = first; k < end; k++)
        j->visits[k]++;
    for (int k = 0; k < 2; k++)
        if (part == j->fails[k])
            return phx_fail(context, k ? PHX_ERR_INPUT : PHX_ERR_ANALYSIS, "part %d is bad", part);
    return PHX_OK;
}

static void check_parts(const job *j, const phx_thread_pool *pool, int count)
{
    const int parts = phx_thread_pool_parts(pool);
    int at = 0;
    for (int k = 0; k < count; k++)
        assert_int_equal(j->visits[k], 1);
    for (int k = 0; k < parts; k++) {
        if (j->first[k] < 0)
            continue;
        assert_int_equal(j->first[k], at);
        assert_int_equal(j->first[k], phx_thread_pool_first(pool, count, k));
        assert_true(j->end[k] - at >= count / parts && j->end[k] - at <= count / parts + 1);
        at = j->end[k];
    }
    assert_int_equal(at, count);
    assert_int_equal(j->wrong_context, 0);
}

static void test_parts_are_the_same_at_any_time(void **state)
{
    phx_context *context = *state;
    const int counts[] = {0, 1, 2, 6, 7, 8, ITEMS - 1, ITEMS};
    for (int parts = 1; parts <= MOST_PARTS; parts++) {
        phx_thread_pool *pool = NULL;
        CHECK_OK(context, phx_thread_pool_create(context, parts, &pool));
        assert_int_equal(phx_thread_pool_parts(pool), parts);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            job quick = new_job(context), slow = new_job(context);
            slow.slow = parts - 1;
            CHECK_OK(context, phx_thread_pool_run(pool, context, counts[c], visit, &quick));
            CHECK_OK(context, phx_thread_pool_run(pool, context, counts[c], visit, &slow));
            check_parts(&quick, pool, counts[c]);
            check_parts(&slow, pool, counts[c]);
            assert_memory_equal(quick.first, slow.first, sizeof quick.first);
            assert_memory_equal(quick.end, slow.end, sizeof quick.end);
        }
        phx_thread_pool_destroy(pool);
    }
}

static void test_no_crew_is_the_calling_thread(void **state)
{
    phx_context *context = *state;
    job j = new_job(context);
    assert_int_equal(phx_thread_pool_parts(NULL), 1);
    CHECK_OK(context, phx_thread_pool_run(NULL, context, ITEMS, visit, &j));
    check_parts(&j, NULL, ITEMS);
    CHECK_OK(context, phx_thread_pool_run(NULL, context, 0, visit, &j));
    j.fails[1] = 0;
    CHECK_STATUS(context, phx_thread_pool_run(NULL, context, 1, visit, &j), PHX_ERR_INPUT);
    phx_thread_pool_destroy(NULL);
}

/* Part 1 is slow, part 3 fails at once: still the failure of 1 is the one reported, and the pool can go on. */
static void test_the_lowest_failure_is_reported(void **state)
{
    phx_context *context = *state;
    phx_thread_pool *pool = NULL;
    CHECK_OK(context, phx_thread_pool_create(context, 4, &pool));
    for (int lowest = 0; lowest < 3; lowest++) {
        job j = new_job(context);
        char wanted[32];
        snprintf(wanted, sizeof wanted, "part %d is bad", lowest);
        j.fails[0] = j.slow = lowest;
        j.fails[1] = 3;
        CHECK_STATUS(context, phx_thread_pool_run(pool, context, ITEMS, visit, &j), PHX_ERR_ANALYSIS);
        assert_string_equal(phx_context_message(context), wanted);
        check_parts(&j, pool, ITEMS);
        j = new_job(context);
        CHECK_OK(context, phx_thread_pool_run(pool, context, ITEMS, visit, &j));
        check_parts(&j, pool, ITEMS);
    }
    phx_thread_pool_destroy(pool);
}

/* ---- many runs ---- */
typedef struct sums {
    long values[ITEMS];
    bool reversed;
} sums;

/* Every run reads what the run before has written in other parts. */
static phx_status mix(void *user, phx_context *context, int part, int first, int end)
{
    sums *s = user;
    (void)context, (void)part;
    for (int k = first; k < end && k < ITEMS / 2; k++) {
        long *mine = &s->values[s->reversed ? ITEMS - 1 - k : k], other = s->values[s->reversed ? k : ITEMS - 1 - k];
        *mine = (3 * *mine + 5 * other + k) % 1000003;
    }
    return PHX_OK;
}

/* With more threads than there are processors, and now and then a pause in which they fall asleep. */
static void test_runs_follow_each_other(void **state)
{
    phx_context *context = *state;
    sums alone = {{0}, false};
    for (int threads = 1; threads <= MOST_PARTS; threads += 2) {
        phx_thread_pool *pool = NULL;
        sums s = {{0}, false};
        CHECK_OK(context, phx_thread_pool_create(context, threads, &pool));
        const size_t before = phx_context_allocations(context);
        for (int run = 0; run < 2000; run++) {
            s.reversed = run % 2 == 1;
            if (run % 400 == 399)
                wait_ms(3);
            CHECK_OK(context, phx_thread_pool_run(pool, context, ITEMS, mix, &s));
        }
        assert_int_equal(phx_context_allocations(context), before);
        alone = threads == 1 ? s : alone;
        assert_memory_equal(s.values, alone.values, sizeof s.values);
        phx_thread_pool_destroy(pool);
    }
}

/* A pool with nothing to do sleeps: it takes next to no processor time. */
static void test_an_idle_crew_sleeps(void **state)
{
    phx_context *context = *state;
    phx_thread_pool *pool = NULL;
    job j = new_job(context);
    CHECK_OK(context, phx_thread_pool_create(context, 3, &pool));
    CHECK_OK(context, phx_thread_pool_run(pool, context, ITEMS, visit, &j));
    const clock_t before = clock();
    wait_ms(200);
    CHECK_BELOW((double)(clock() - before) / CLOCKS_PER_SEC, 0.05, "processor time of 0.2 s without work, s");
    phx_thread_pool_destroy(pool);
}

/* ---- memory and arguments ---- */
static void test_every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    bool done = false;
    for (long n = 0; !done && n < 100; n++) {
        phx_thread_pool *pool = NULL;
        phx_context_fail_allocation(context, n);
        const phx_status status = phx_thread_pool_create(context, 2, &pool);
        phx_context_fail_allocation(context, -1);
        done = status == PHX_OK;
        if (!done)
            CHECK_STATUS(context, status, PHX_ERR_MEMORY);
        assert_true(done == (pool != NULL));
        phx_thread_pool_destroy(pool);
    }
    assert_true(done);
}

static void test_bad_numbers_of_threads(void **state)
{
    phx_context *context = *state;
    phx_thread_pool *pool = NULL;
    CHECK_STATUS(context, phx_thread_pool_create(context, 0, &pool), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "0 threads");
    CHECK_STATUS(context, phx_thread_pool_create(context, PHX_ORDERED_MAP_LARGEST + 1, &pool), PHX_ERR_ARGUMENT);
    assert_null(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_are_the_same_at_any_time),
        cmocka_unit_test(test_no_crew_is_the_calling_thread),
        cmocka_unit_test(test_the_lowest_failure_is_reported),
        cmocka_unit_test(test_runs_follow_each_other),
        cmocka_unit_test(test_an_idle_crew_sleeps),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_bad_numbers_of_threads),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
