/* A thread pool for loops over a range: each run divides its range into as many parts as the pool has threads, always
 * the same parts for the same length, and returns when all parts are done.
 *
 * Part k is meant for thread k, whose cache may still hold its data. No run waits for a thread that is not scheduled: a
 * part belongs to the thread that claims it first (`claimed` goes from run - 1 to run), and the calling thread, when
 * its own part is done, takes the parts that are not claimed. So a run costs little more than on one thread where other
 * programs use the processors. A late thread finds its part claimed and waits for the next run. A thread reads the task
 * of a run only after it has claimed a part, and the run does not end before that part is done.
 *
 * A waiting thread polls for some microseconds, because a time step consists of many runs; then it yields the processor
 * between polls; then it sleeps. */
#define _POSIX_C_SOURCE 200809L
#include "context.h"
#include "thread.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

enum {
    POLLS = 2000,                  /* of a number that another thread writes, before the first yield: microseconds */
    PATIENCE_NANOSECONDS = 200000, /* between yields before sleep */
    LINE = 64 /* bytes of a cache line: numbers written by different threads are in different lines */
};

typedef struct pool_thread {
    atomic_uint_fast64_t claimed; /* the last run of which this part was claimed */
    phx_status status;            /* of this part in the present run */
    phx_thread_pool *pool;
    phx_context *context; /* of parts 1, 2, ...; part 0 uses that of the caller */
    int part;
    bool started;
    pthread_t thread;
    char apart[LINE];
} pool_thread;

struct phx_thread_pool {
    atomic_uint_fast64_t run; /* number of the last run that was begun */
    char run_apart[LINE];
    atomic_int left; /* parts of it that are not done */
    char left_apart[LINE];
    atomic_int sleeping; /* threads in pthread_cond_wait, or on their way there */
    atomic_bool stop;
    int parts;
    pool_thread *member;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* the present run */
    phx_context *context;
    phx_thread_pool_task *task;
    void *user;
    int count;
};

/* ---- waiting ---- */
typedef bool pool_condition(phx_thread_pool *pool, uint_fast64_t run);

static bool has_begun(phx_thread_pool *pool, uint_fast64_t run)
{
    return atomic_load(&pool->run) > run;
}

static bool is_done(phx_thread_pool *pool, uint_fast64_t run)
{
    (void)run;
    return atomic_load(&pool->left) == 0;
}

static double nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void sleep_until(phx_thread_pool *pool, pool_condition *holds, uint_fast64_t run)
{
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleeping, 1);
    while (!holds(pool, run)) /* tested after `sleeping` is set; wake reads `sleeping` after the change */
        pthread_cond_wait(&pool->changed, &pool->lock);
    atomic_fetch_sub(&pool->sleeping, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void wait_until(phx_thread_pool *pool, pool_condition *holds, uint_fast64_t run)
{
    for (int k = 0; k < POLLS; k++)
        if (holds(pool, run))
            return;
    for (const double end = nanoseconds() + PATIENCE_NANOSECONDS; nanoseconds() < end;) {
        if (holds(pool, run))
            return;
        sched_yield();
    }
    sleep_until(pool, holds, run);
}

static void wake(phx_thread_pool *pool)
{
    if (atomic_load(&pool->sleeping) == 0)
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

/* ---- parts ---- */
int phx_thread_pool_first(const phx_thread_pool *pool, int count, int part)
{
    return (int)((long long)count * part / phx_thread_pool_parts(pool));
}

/* Do a part of a run, unless another thread has claimed it. */
static void take_part(phx_thread_pool *pool, pool_thread *member, uint_fast64_t run)
{
    uint_fast64_t before = run - 1;
    if (!atomic_compare_exchange_strong(&member->claimed, &before, run))
        return;
    const int part = member->part, first = phx_thread_pool_first(pool, pool->count, part),
              end = phx_thread_pool_first(pool, pool->count, part + 1);
    phx_context *context = part == 0 ? pool->context : member->context;
    member->status = first < end ? pool->task(pool->user, context, part, first, end) : PHX_OK;
    if (atomic_fetch_sub(&pool->left, 1) == 1)
        wake(pool);
}

static void *thread_pool_follow(void *user)
{
    pool_thread *member = user;
    phx_thread_pool *pool = member->pool;
    for (uint_fast64_t run = 0;;) {
        wait_until(pool, has_begun, run);
        if (atomic_load(&pool->stop))
            return NULL;
        run = atomic_load(&pool->run);
        take_part(pool, member, run);
    }
}

/* Runs a task on all parts of 0..count-1 and returns when all are done; without a pool on the calling thread. Returns
 * the failure of the first part that failed. */
phx_status phx_thread_pool_run(phx_thread_pool *pool, phx_context *context, int count, phx_thread_pool_task *task,
                               void *user)
{
    if (!task)
        return phx_fail_null(context, __func__, "task");
    if (!pool)
        return count > 0 ? task(user, context, 0, 0, count) : PHX_OK;
    pool->context = context;
    pool->task = task;
    pool->user = user;
    pool->count = count;
    atomic_store(&pool->left, pool->parts);
    const uint_fast64_t run = atomic_fetch_add(&pool->run, 1) + 1;
    wake(pool);
    for (int k = 0; k < pool->parts; k++)
        take_part(pool, &pool->member[k], run);
    wait_until(pool, is_done, run);
    for (int k = 0; k < pool->parts; k++)
        if (pool->member[k].status)
            return k == 0
                       ? pool->member[k].status
                       : phx_fail(context, pool->member[k].status, "%s", phx_context_message(pool->member[k].context));
    return PHX_OK;
}

int phx_thread_pool_parts(const phx_thread_pool *pool)
{
    return pool ? pool->parts : 1;
}

/* ---- creation ---- */
static phx_status make_threads(phx_context *context, phx_thread_pool *pool)
{
    for (int k = 0; k < pool->parts; k++) {
        pool->member[k].pool = pool;
        pool->member[k].part = k;
        const phx_status status = k > 0 ? phx_context_create(&pool->member[k].context) : PHX_OK;
        if (status)
            return phx_fail(context, status, "no memory for the context of thread %d", k + 1);
    }
    return PHX_OK;
}

static phx_status make_lock(phx_context *context, phx_thread_pool *pool)
{
    int error = pthread_mutex_init(&pool->lock, NULL);
    if (!error) {
        error = pthread_cond_init(&pool->changed, NULL);
        if (error)
            pthread_mutex_destroy(&pool->lock);
    }
    return error ? phx_fail(context, PHX_ERR_LIBRARY, "a lock for %d threads cannot be made (error %d)", pool->parts,
                            error)
                 : PHX_OK;
}

static void thread_pool_free_parts(phx_thread_pool *pool)
{
    for (int k = 0; pool->member && k < pool->parts; k++)
        phx_context_destroy(pool->member[k].context);
    phx_free(pool->member);
    phx_free(pool);
}

/* Creates a pool whose threads wait for work; parts of threads that do not start are computed by the caller. */
phx_status phx_thread_pool_create(phx_context *context, int threads, phx_thread_pool **created)
{
    if (!created)
        return phx_fail_null(context, __func__, "pool");
    *created = NULL;
    const phx_status number = phx_thread_check_number(context, threads);
    if (number)
        return number;
    phx_thread_pool *pool = phx_calloc(context, 1, sizeof *pool);
    if (!pool)
        return PHX_ERR_MEMORY;
    pool->parts = threads;
    pool->member = phx_calloc(context, (size_t)threads, sizeof *pool->member);
    phx_status status = pool->member ? make_threads(context, pool) : PHX_ERR_MEMORY;
    if (!status)
        status = make_lock(context, pool);
    if (status) {
        thread_pool_free_parts(pool);
        return status;
    }
    for (int k = 1; k < threads; k++)
        pool->member[k].started = phx_thread_start(&pool->member[k].thread, thread_pool_follow, &pool->member[k]);
    *created = pool;
    return PHX_OK;
}

void phx_thread_pool_destroy(phx_thread_pool *pool)
{
    if (!pool)
        return;
    atomic_store(&pool->stop, true);
    atomic_fetch_add(&pool->run, 1);
    wake(pool);
    for (int k = 1; k < pool->parts; k++)
        if (pool->member[k].started)
            pthread_join(pool->member[k].thread, NULL);
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->lock);
    thread_pool_free_parts(pool);
}
