/* Ordered parallel map: items are begun in order, computed by any thread, and delivered in order.
 *
 *     delivered     |   computed, or at work (a slot each)   |   to come
 *               delivered                                  next
 *
 * `bound` is the last item that is still needed: all at first, the lowest that failed later, none after an
 * interruption. The progress callback of the worker's context stops the computation of an item beyond it. */
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
    POLL_NANOSECONDS = 50000000 /* between calls of the progress callback while waiting */
};

typedef enum slot_state { SLOT_FREE, SLOT_AT_WORK, SLOT_DONE } slot_state;

/* A line that an item has logged, stored until the item is delivered. */
typedef struct log_line {
    struct log_line *next;
    phx_log_level level;
    char *text;
} log_line;

typedef struct map_slot {
    slot_state state;
    int worker;
    phx_status status;
    log_line *log, **log_end;
} map_slot;

typedef struct map_worker {
    phx_ordered_map *map;
    phx_context *context;
    int number, item, slot;
    pthread_t thread;
} map_worker;

struct phx_ordered_map {
    phx_context *context;
    int n_workers, n_slots;
    map_worker *workers;
    map_slot *slots;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const phx_ordered_map_work *work;
    int next, delivered;
    atomic_int bound;
    bool interrupted; /* read and written by the calling thread only */
};

int phx_processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > PHX_ORDERED_MAP_LARGEST ? PHX_ORDERED_MAP_LARGEST : (int)count;
}

/* ---- callbacks of the workers' contexts ---- */
static void store_log(void *user, phx_log_level level, const char *message)
{
    const map_worker *worker = user;
    map_slot *slot = &worker->map->slots[worker->slot];
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

static void deliver_log(phx_context *context, map_slot *slot)
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

/* Whether to go on: calls the progress callback of the user, on the calling thread. */
static bool go_on(phx_ordered_map *map, const char *what, double done, double total)
{
    if (!map->interrupted && phx_progress(map->context, what, done, total)) {
        map->interrupted = true;
        atomic_store(&map->bound, -1);
    }
    return !map->interrupted;
}

static bool go_on_in_items(phx_ordered_map *map)
{
    const phx_ordered_map_work *work = map->work;
    return work->count == 1 ? !map->interrupted : go_on(map, work->what, map->delivered, work->count);
}

static bool ordered_map_report(void *user, const char *what, double done, double total)
{
    const map_worker *worker = user;
    phx_ordered_map *map = worker->map;
    if (worker->number == 0)
        (void)(map->work->count == 1 ? go_on(map, what, done, total) : go_on_in_items(map));
    return worker->item <= atomic_load(&map->bound);
}

/* ---- creation ---- */
static phx_status make_workers(phx_ordered_map *map)
{
    phx_status status = PHX_OK;
    for (int k = 0; k < map->n_workers && !status; k++) {
        map_worker *worker = &map->workers[k];
        *worker = (map_worker){.map = map, .number = k};
        status = phx_context_create(&worker->context);
        if (status)
            return phx_fail(map->context, status, "no memory for the context of thread %d", k + 1);
        phx_context_set_log(worker->context, map->context && map->context->log ? store_log : NULL, worker);
        phx_context_set_progress(worker->context, ordered_map_report, worker);
    }
    if (map->context)
        map->workers[0].context->counter = map->context->counter ? map->context->counter : map->context;
    return status;
}

static phx_status make_lock(phx_ordered_map *map)
{
    int error = pthread_mutex_init(&map->lock, NULL);
    if (!error) {
        error = pthread_cond_init(&map->changed, NULL);
        if (error)
            pthread_mutex_destroy(&map->lock);
    }
    return error ? phx_fail(map->context, PHX_ERR_LIBRARY, "a lock for %d threads cannot be made (error %d)",
                            map->n_workers, error)
                 : PHX_OK;
}

static void ordered_map_free_parts(phx_ordered_map *map)
{
    for (int k = 0; map->workers && k < map->n_workers; k++)
        phx_context_destroy(map->workers[k].context);
    phx_free(map->workers);
    phx_free(map->slots);
    phx_free(map);
}

/* Creates a map over a number of threads with a context each and several slots for results per thread; NULL after a
 * failure. */
phx_status phx_ordered_map_create(phx_context *context, int threads, phx_ordered_map **created)
{
    if (!created)
        return phx_fail_null(context, __func__, "map");
    *created = NULL;
    const phx_status number = phx_thread_check_number(context, threads);
    if (number)
        return number;
    phx_ordered_map *map = phx_calloc(context, 1, sizeof *map);
    if (!map)
        return PHX_ERR_MEMORY;
    map->context = context;
    map->n_workers = threads;
    map->n_slots = threads > 1 ? SLOTS_A_WORKER * threads : 1;
    map->workers = phx_calloc(context, (size_t)threads, sizeof *map->workers);
    map->slots = phx_calloc(context, (size_t)map->n_slots, sizeof *map->slots);
    phx_status status = map->workers && map->slots ? make_workers(map) : PHX_ERR_MEMORY;
    if (!status)
        status = make_lock(map);
    if (status)
        ordered_map_free_parts(map);
    else
        *created = map;
    return status;
}

void phx_ordered_map_destroy(phx_ordered_map *map)
{
    if (!map)
        return;
    pthread_cond_destroy(&map->changed);
    pthread_mutex_destroy(&map->lock);
    ordered_map_free_parts(map);
}

int phx_ordered_map_workers(const phx_ordered_map *map)
{
    return map->n_workers;
}

int phx_ordered_map_slots(const phx_ordered_map *map)
{
    return map->n_slots;
}

phx_context *phx_ordered_map_context(const phx_ordered_map *map, int worker)
{
    return map->workers[worker].context;
}

/* ---- items; the lock is held unless stated otherwise ---- */
/* The next item for this worker, if there is one and a slot for it. */
static bool ordered_map_take(map_worker *worker)
{
    phx_ordered_map *map = worker->map;
    if (map->next >= map->work->count || map->next > atomic_load(&map->bound) ||
        map->next - map->delivered >= map->n_slots)
        return false;
    worker->item = map->next++;
    worker->slot = worker->item % map->n_slots;
    map->slots[worker->slot].state = SLOT_AT_WORK;
    map->slots[worker->slot].worker = worker->number;
    return true;
}

/* Compute the item taken; the lock is released meanwhile. */
static void compute(map_worker *worker)
{
    phx_ordered_map *map = worker->map;
    const phx_ordered_map_work *work = map->work;
    pthread_mutex_unlock(&map->lock);
    const phx_status status = work->compute(work->user, worker->context, worker->number, worker->item, worker->slot);
    pthread_mutex_lock(&map->lock);
    map->slots[worker->slot].status = status;
    map->slots[worker->slot].state = SLOT_DONE;
    if (status && worker->item < atomic_load(&map->bound))
        atomic_store(&map->bound, worker->item);
    pthread_cond_broadcast(&map->changed);
}

/* Deliver the next item, which is done; the lock is released meanwhile. */
static phx_status deliver(phx_ordered_map *map)
{
    const phx_ordered_map_work *work = map->work;
    const int number = map->delivered % map->n_slots;
    map_slot *slot = &map->slots[number];
    phx_status status = slot->status;
    pthread_mutex_unlock(&map->lock);
    deliver_log(map->context, slot);
    if (status)
        phx_fail(map->context, status, "%s", phx_context_message(map->workers[slot->worker].context));
    else if (work->deliver)
        status = work->deliver(work->user, map->delivered, number);
    pthread_mutex_lock(&map->lock);
    slot->state = SLOT_FREE;
    map->delivered += !status;
    pthread_cond_broadcast(&map->changed);
    return status;
}

static void wait_a_moment(phx_ordered_map *map)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += POLL_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(&map->changed, &map->lock, &until);
}

/* ---- threads ---- */
static void *ordered_map_follow(void *user)
{
    map_worker *worker = user;
    phx_ordered_map *map = worker->map;
    pthread_mutex_lock(&map->lock);
    while (map->next < map->work->count && map->next <= atomic_load(&map->bound))
        if (ordered_map_take(worker))
            compute(worker);
        else
            pthread_cond_wait(&map->changed, &map->lock);
    pthread_mutex_unlock(&map->lock);
    return NULL;
}

/* The calling thread: delivers first, computes when there is nothing to deliver, waits when there is neither. */
static phx_status lead(phx_ordered_map *map)
{
    phx_status status = PHX_OK;
    pthread_mutex_lock(&map->lock);
    while (!status && map->delivered < map->work->count) {
        pthread_mutex_unlock(&map->lock);
        const bool wanted = go_on_in_items(map);
        pthread_mutex_lock(&map->lock);
        if (!wanted)
            status = PHX_INTERRUPTED;
        else if (map->slots[map->delivered % map->n_slots].state == SLOT_DONE)
            status = deliver(map);
        else if (ordered_map_take(&map->workers[0]))
            compute(&map->workers[0]);
        else
            wait_a_moment(map);
    }
    atomic_store(&map->bound, -1);
    pthread_cond_broadcast(&map->changed);
    pthread_mutex_unlock(&map->lock);
    return status;
}

/* Start threads for workers 1, 2, ... Returns the number of workers. */
static int ordered_map_start(phx_ordered_map *map)
{
    const int wanted = map->n_workers < map->work->count ? map->n_workers : map->work->count;
    int started = 1;
    while (started < wanted &&
           phx_thread_start(&map->workers[started].thread, ordered_map_follow, &map->workers[started]))
        started++;
    return started;
}

/* Computes `count` items on the map's threads and delivers them in ascending order on the calling thread, with their
 * log messages. Returns the failure of the first item in order that failed. */
phx_status phx_ordered_map_run(phx_ordered_map *map, const phx_ordered_map_work *work)
{
    if (!map || !work)
        return phx_fail_null(map ? map->context : NULL, __func__, "map or work");
    if (work->count < 0 || !work->compute)
        return phx_fail(map->context, PHX_ERR_ARGUMENT, "work of %d items; the number must not be negative",
                        work->count);
    map->work = work;
    map->next = map->delivered = 0;
    map->interrupted = false;
    atomic_store(&map->bound, INT_MAX);
    for (int k = 0; k < map->n_slots; k++)
        map->slots[k] = (map_slot){.log_end = &map->slots[k].log};
    const int threads = ordered_map_start(map);
    const phx_status status = lead(map);
    for (int k = 1; k < threads; k++)
        pthread_join(map->workers[k].thread, NULL);
    for (int k = 0; k < map->n_slots; k++)
        deliver_log(NULL, &map->slots[k]);
    return status;
}
