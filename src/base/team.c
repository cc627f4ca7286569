/* A team of threads: items begun in order, computed anywhere, handed over in order.
 *
 *     handed over   |   computed, or at work (a slot each)   |   to come
 *                 handed                                    next
 *
 * `bound` is the last item that is still wanted: all at first, the lowest that failed later, none after an
 * interruption. Whoever computes an item beyond it is told to stop by the progress callback of the worker's context. */
#define _POSIX_C_SOURCE 200809L
#include "context.h"
#include "thread.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    SLOTS_A_WORKER = 4,
    POLL_NANOSECONDS = 50000000 /* between looks at the progress callback while waiting */
};

typedef enum slot_state { SLOT_FREE, SLOT_AT_WORK, SLOT_DONE } slot_state;

/* What an item said to its log, for later. */
typedef struct log_line {
    struct log_line *next;
    phx_log_level level;
    char *text;
} log_line;

typedef struct team_slot {
    slot_state state;
    int worker;
    phx_status status;
    log_line *log, **log_end;
} team_slot;

typedef struct team_worker {
    phx_team *team;
    phx_context *context;
    int number, item, slot;
    pthread_t thread;
} team_worker;

struct phx_team {
    phx_context *context;
    int n_workers, n_slots;
    team_worker *workers;
    team_slot *slots;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const phx_team_work *work;
    int next, handed;
    atomic_int bound;
    bool interrupted; /* read and written by the calling thread only */
};

int phx_processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > PHX_TEAM_LARGEST ? PHX_TEAM_LARGEST : (int)count;
}

/* ---- what a worker's context does ---- */
static void keep_log(void *user, phx_log_level level, const char *message)
{
    const team_worker *worker = user;
    team_slot *slot = &worker->team->slots[worker->slot];
    log_line *line = phx_calloc(NULL, 1, sizeof *line);
    char *text = line ? phx_strdup(NULL, message) : NULL;
    if (!text) {
        phx_free(line);
        return;
    }
    *line = (log_line){.level = level, .text = text};
    *slot->log_end = line;
    slot->log_end = &line->next;
}

static void pass_log_on(phx_context *context, team_slot *slot)
{
    while (slot->log) {
        log_line *line = slot->log;
        slot->log = line->next;
        if (context)
            phx_log(context, line->level, "%s", line->text);
        phx_free(line->text);
        phx_free(line);
    }
    slot->log_end = &slot->log;
}

/* Ask the user, on the calling thread. */
static bool go_on(phx_team *team, const char *what, double done, double total)
{
    if (!team->interrupted && phx_progress(team->context, what, done, total)) {
        team->interrupted = true;
        atomic_store(&team->bound, -1);
    }
    return !team->interrupted;
}

static bool go_on_in_items(phx_team *team)
{
    const phx_team_work *work = team->work;
    return work->count == 1 ? !team->interrupted : go_on(team, work->what, team->handed, work->count);
}

static bool report(void *user, const char *what, double done, double total)
{
    const team_worker *worker = user;
    phx_team *team = worker->team;
    if (worker->number == 0)
        (void)(team->work->count == 1 ? go_on(team, what, done, total) : go_on_in_items(team));
    return worker->item <= atomic_load(&team->bound);
}

/* ---- creation ---- */
static phx_status make_workers(phx_team *team)
{
    phx_status status = PHX_OK;
    for (int k = 0; k < team->n_workers && !status; k++) {
        team_worker *worker = &team->workers[k];
        *worker = (team_worker){.team = team, .number = k};
        status = phx_context_create(&worker->context);
        if (status)
            return phx_fail(team->context, status, "no memory for the context of thread %d", k + 1);
        phx_context_set_log(worker->context, team->context && team->context->log ? keep_log : NULL, worker);
        phx_context_set_progress(worker->context, report, worker);
    }
    if (team->context)
        team->workers[0].context->books = team->context->books ? team->context->books : team->context;
    return status;
}

static phx_status make_lock(phx_team *team)
{
    int error = pthread_mutex_init(&team->lock, NULL);
    if (!error) {
        error = pthread_cond_init(&team->changed, NULL);
        if (error)
            pthread_mutex_destroy(&team->lock);
    }
    return error ? phx_fail(team->context, PHX_ERR_LIBRARY, "a lock for %d threads cannot be made (error %d)",
                            team->n_workers, error)
                 : PHX_OK;
}

static void free_parts(phx_team *team)
{
    for (int k = 0; team->workers && k < team->n_workers; k++)
        phx_context_destroy(team->workers[k].context);
    phx_free(team->workers);
    phx_free(team->slots);
    phx_free(team);
}

phx_status phx_team_create(phx_context *context, int threads, phx_team **created)
{
    if (!created)
        return phx_fail_null(context, __func__, "team");
    *created = NULL;
    const phx_status number = phx_thread_check_number(context, threads);
    if (number)
        return number;
    phx_team *team = phx_calloc(context, 1, sizeof *team);
    if (!team)
        return PHX_ERR_MEMORY;
    team->context = context;
    team->n_workers = threads;
    team->n_slots = threads > 1 ? SLOTS_A_WORKER * threads : 1;
    team->workers = phx_calloc(context, (size_t)threads, sizeof *team->workers);
    team->slots = phx_calloc(context, (size_t)team->n_slots, sizeof *team->slots);
    phx_status status = team->workers && team->slots ? make_workers(team) : PHX_ERR_MEMORY;
    if (!status)
        status = make_lock(team);
    if (status)
        free_parts(team);
    else
        *created = team;
    return status;
}

void phx_team_destroy(phx_team *team)
{
    if (!team)
        return;
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->lock);
    free_parts(team);
}

int phx_team_workers(const phx_team *team)
{
    return team->n_workers;
}

int phx_team_slots(const phx_team *team)
{
    return team->n_slots;
}

phx_context *phx_team_context(const phx_team *team, int worker)
{
    return team->workers[worker].context;
}

/* ---- items; the lock is held where nothing else is said ---- */
/* The next item for this worker, if there is one and a slot for it. */
static bool take(team_worker *worker)
{
    phx_team *team = worker->team;
    if (team->next >= team->work->count || team->next > atomic_load(&team->bound) ||
        team->next - team->handed >= team->n_slots)
        return false;
    worker->item = team->next++;
    worker->slot = worker->item % team->n_slots;
    team->slots[worker->slot].state = SLOT_AT_WORK;
    team->slots[worker->slot].worker = worker->number;
    return true;
}

/* Compute the item taken; the lock is let go meanwhile. */
static void compute(team_worker *worker)
{
    phx_team *team = worker->team;
    const phx_team_work *work = team->work;
    pthread_mutex_unlock(&team->lock);
    const phx_status status = work->compute(work->user, worker->context, worker->number, worker->item, worker->slot);
    pthread_mutex_lock(&team->lock);
    team->slots[worker->slot].status = status;
    team->slots[worker->slot].state = SLOT_DONE;
    if (status && worker->item < atomic_load(&team->bound))
        atomic_store(&team->bound, worker->item);
    pthread_cond_broadcast(&team->changed);
}

/* Hand over the next item, which is done; the lock is let go meanwhile. */
static phx_status hand_over(phx_team *team)
{
    const phx_team_work *work = team->work;
    const int number = team->handed % team->n_slots;
    team_slot *slot = &team->slots[number];
    phx_status status = slot->status;
    pthread_mutex_unlock(&team->lock);
    pass_log_on(team->context, slot);
    if (status)
        phx_fail(team->context, status, "%s", phx_context_message(team->workers[slot->worker].context));
    else if (work->deliver)
        status = work->deliver(work->user, team->handed, number);
    pthread_mutex_lock(&team->lock);
    slot->state = SLOT_FREE;
    team->handed += !status;
    pthread_cond_broadcast(&team->changed);
    return status;
}

static void wait_a_moment(phx_team *team)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += POLL_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(&team->changed, &team->lock, &until);
}

/* ---- threads ---- */
static void *follow(void *user)
{
    team_worker *worker = user;
    phx_team *team = worker->team;
    pthread_mutex_lock(&team->lock);
    while (team->next < team->work->count && team->next <= atomic_load(&team->bound))
        if (take(worker))
            compute(worker);
        else
            pthread_cond_wait(&team->changed, &team->lock);
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

/* The calling thread: hands over first, computes when there is nothing to hand over, waits when there is neither. */
static phx_status lead(phx_team *team)
{
    phx_status status = PHX_OK;
    pthread_mutex_lock(&team->lock);
    while (!status && team->handed < team->work->count) {
        pthread_mutex_unlock(&team->lock);
        const bool wanted = go_on_in_items(team);
        pthread_mutex_lock(&team->lock);
        if (!wanted)
            status = PHX_INTERRUPTED;
        else if (team->slots[team->handed % team->n_slots].state == SLOT_DONE)
            status = hand_over(team);
        else if (take(&team->workers[0]))
            compute(&team->workers[0]);
        else
            wait_a_moment(team);
    }
    atomic_store(&team->bound, -1);
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
    return status;
}

/* Start threads for workers 1 ... . Returns how many workers there are. */
static int start(phx_team *team)
{
    const int wanted = team->n_workers < team->work->count ? team->n_workers : team->work->count;
    int started = 1;
    while (started < wanted && phx_thread_start(&team->workers[started].thread, follow, &team->workers[started]))
        started++;
    return started;
}

phx_status phx_team_run(phx_team *team, const phx_team_work *work)
{
    if (!team || !work)
        return phx_fail_null(team ? team->context : NULL, __func__, "team or work");
    if (work->count < 0 || !work->compute)
        return phx_fail(team->context, PHX_ERR_ARGUMENT, "work of %d items; the number must not be negative",
                        work->count);
    team->work = work;
    team->next = team->handed = 0;
    team->interrupted = false;
    atomic_store(&team->bound, INT_MAX);
    for (int k = 0; k < team->n_slots; k++)
        team->slots[k] = (team_slot){.log_end = &team->slots[k].log};
    const int threads = start(team);
    const phx_status status = lead(team);
    for (int k = 1; k < threads; k++)
        pthread_join(team->workers[k].thread, NULL);
    for (int k = 0; k < team->n_slots; k++)
        pass_log_on(NULL, &team->slots[k]);
    return status;
}
