/* A crew of threads for the loops of one piece of work: each run cuts its range into as many parts as the crew has
 * members, always the same ones, and returns when all parts are done.
 *
 * Part k is meant for thread k, which has worked on its data before. But nobody waits for a thread that is not there: a
 * part belongs to who claims it first (`claimed` goes from run - 1 to run), and the calling thread, when its own part
 * is done, takes those that nobody has begun. So a run costs little more than on one thread where others use the
 * processors. A thread that was late finds its part claimed and looks for the next run; what a run is to do it reads
 * only after it has claimed a part, and until that part is done the run does not end.
 *
 * Who waits looks again and again for some microseconds, since a time step has run after run, then lets others have the
 * processor between looks, then sleeps. */
#define _POSIX_C_SOURCE 200809L
#include "context.h"
#include "thread.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

enum {
    LOOKS = 2000,                  /* at a number that another thread writes, before the first yield: microseconds */
    PATIENCE_NANOSECONDS = 200000, /* between yields before sleep */
    LINE = 64                      /* bytes of a cache line: what different threads write stays apart */
};

typedef struct crew_member {
    atomic_uint_fast64_t claimed; /* the last run of which this part was claimed */
    phx_status status;            /* of this part in the run at hand */
    phx_crew *crew;
    phx_context *context; /* of part 1 ...; part 0 has the caller's */
    int part;
    bool started;
    pthread_t thread;
    char apart[LINE];
} crew_member;

struct phx_crew {
    atomic_uint_fast64_t run; /* number of the last run that was begun */
    char run_apart[LINE];
    atomic_int left; /* parts of it that are not done */
    char left_apart[LINE];
    atomic_int sleeping; /* threads in pthread_cond_wait, or on their way there */
    atomic_bool stop;
    int parts;
    crew_member *member;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* of the run at hand */
    phx_context *context;
    phx_crew_task *task;
    void *user;
    int count;
};

/* ---- waiting ---- */
typedef bool crew_condition(phx_crew *crew, uint_fast64_t run);

static bool has_begun(phx_crew *crew, uint_fast64_t run)
{
    return atomic_load(&crew->run) > run;
}

static bool is_done(phx_crew *crew, uint_fast64_t run)
{
    (void)run;
    return atomic_load(&crew->left) == 0;
}

static double nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void sleep_until(phx_crew *crew, crew_condition *holds, uint_fast64_t run)
{
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->sleeping, 1);
    while (!holds(crew, run)) /* looked at after `sleeping`, which is looked at after the change */
        pthread_cond_wait(&crew->changed, &crew->lock);
    atomic_fetch_sub(&crew->sleeping, 1);
    pthread_mutex_unlock(&crew->lock);
}

static void wait_until(phx_crew *crew, crew_condition *holds, uint_fast64_t run)
{
    for (int k = 0; k < LOOKS; k++)
        if (holds(crew, run))
            return;
    for (const double end = nanoseconds() + PATIENCE_NANOSECONDS; nanoseconds() < end;) {
        if (holds(crew, run))
            return;
        sched_yield();
    }
    sleep_until(crew, holds, run);
}

static void wake(phx_crew *crew)
{
    if (atomic_load(&crew->sleeping) == 0)
        return;
    pthread_mutex_lock(&crew->lock);
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}

/* ---- parts ---- */
int phx_crew_first(const phx_crew *crew, int count, int part)
{
    return (int)((long long)count * part / phx_crew_parts(crew));
}

/* Do a part of a run, if nobody else has begun it. */
static void take_part(phx_crew *crew, crew_member *member, uint_fast64_t run)
{
    uint_fast64_t before = run - 1;
    if (!atomic_compare_exchange_strong(&member->claimed, &before, run))
        return;
    const int part = member->part, first = phx_crew_first(crew, crew->count, part),
              end = phx_crew_first(crew, crew->count, part + 1);
    phx_context *context = part == 0 ? crew->context : member->context;
    member->status = first < end ? crew->task(crew->user, context, part, first, end) : PHX_OK;
    if (atomic_fetch_sub(&crew->left, 1) == 1)
        wake(crew);
}

static void *follow(void *user)
{
    crew_member *member = user;
    phx_crew *crew = member->crew;
    for (uint_fast64_t run = 0;;) {
        wait_until(crew, has_begun, run);
        if (atomic_load(&crew->stop))
            return NULL;
        run = atomic_load(&crew->run);
        take_part(crew, member, run);
    }
}

phx_status phx_crew_run(phx_crew *crew, phx_context *context, int count, phx_crew_task *task, void *user)
{
    if (!task)
        return phx_fail_null(context, __func__, "task");
    if (!crew)
        return count > 0 ? task(user, context, 0, 0, count) : PHX_OK;
    crew->context = context;
    crew->task = task;
    crew->user = user;
    crew->count = count;
    atomic_store(&crew->left, crew->parts);
    const uint_fast64_t run = atomic_fetch_add(&crew->run, 1) + 1;
    wake(crew);
    for (int k = 0; k < crew->parts; k++)
        take_part(crew, &crew->member[k], run);
    wait_until(crew, is_done, run);
    for (int k = 0; k < crew->parts; k++)
        if (crew->member[k].status)
            return k == 0
                       ? crew->member[k].status
                       : phx_fail(context, crew->member[k].status, "%s", phx_context_message(crew->member[k].context));
    return PHX_OK;
}

int phx_crew_parts(const phx_crew *crew)
{
    return crew ? crew->parts : 1;
}

/* ---- creation ---- */
static phx_status make_members(phx_context *context, phx_crew *crew)
{
    for (int k = 0; k < crew->parts; k++) {
        crew->member[k].crew = crew;
        crew->member[k].part = k;
        const phx_status status = k > 0 ? phx_context_create(&crew->member[k].context) : PHX_OK;
        if (status)
            return phx_fail(context, status, "no memory for the context of thread %d", k + 1);
    }
    return PHX_OK;
}

static phx_status make_lock(phx_context *context, phx_crew *crew)
{
    int error = pthread_mutex_init(&crew->lock, NULL);
    if (!error) {
        error = pthread_cond_init(&crew->changed, NULL);
        if (error)
            pthread_mutex_destroy(&crew->lock);
    }
    return error ? phx_fail(context, PHX_ERR_LIBRARY, "a lock for %d threads cannot be made (error %d)", crew->parts,
                            error)
                 : PHX_OK;
}

static void free_parts(phx_crew *crew)
{
    for (int k = 0; crew->member && k < crew->parts; k++)
        phx_context_destroy(crew->member[k].context);
    phx_free(crew->member);
    phx_free(crew);
}

phx_status phx_crew_create(phx_context *context, int threads, phx_crew **created)
{
    if (!created)
        return phx_fail_null(context, __func__, "crew");
    *created = NULL;
    const phx_status number = phx_thread_check_number(context, threads);
    if (number)
        return number;
    phx_crew *crew = phx_calloc(context, 1, sizeof *crew);
    if (!crew)
        return PHX_ERR_MEMORY;
    crew->parts = threads;
    crew->member = phx_calloc(context, (size_t)threads, sizeof *crew->member);
    phx_status status = crew->member ? make_members(context, crew) : PHX_ERR_MEMORY;
    if (!status)
        status = make_lock(context, crew);
    if (status) {
        free_parts(crew);
        return status;
    }
    for (int k = 1; k < threads; k++)
        crew->member[k].started = phx_thread_start(&crew->member[k].thread, follow, &crew->member[k]);
    *created = crew;
    return PHX_OK;
}

void phx_crew_destroy(phx_crew *crew)
{
    if (!crew)
        return;
    atomic_store(&crew->stop, true);
    atomic_fetch_add(&crew->run, 1);
    wake(crew);
    for (int k = 1; k < crew->parts; k++)
        if (crew->member[k].started)
            pthread_join(crew->member[k].thread, NULL);
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->lock);
    free_parts(crew);
}
