/* Sampled controllers that keep their states themselves. A block does not change, an external controller goes on: what
 * a simulation has of its state is a key, a number made of all measurements so far. The samples are kept by their keys,
 * so that a step that is made again, or a simulation that goes back, finds where it was:
 *
 *     key_0 = 0,   key_k+1 = hash(key_k, t_k, y_k)
 *
 * The controller itself has made `at` steps with the first `at` of these samples. To be at sample k it goes on, or
 * begins anew and gets them all again. */
#include "block.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

struct phx_history {
    pthread_mutex_t lock;
    int count, capacity;
    double *samples; /* each t, key behind it, y, u */
    int at;          /* -1: the controller has not begun, or has failed */
    bool set;        /* it has the measurements of sample `at` */
};

static const double SAME = 1e-6; /* of a sampling period */

typedef struct sample {
    double *t, *key, *y, *u;
} sample;

static sample sample_of(const phx_block *block, int k)
{
    double *first = block->history->samples + (size_t)k * (size_t)(2 + block->n_inputs + block->n_outputs);
    return (sample){.t = first, .key = first + 1, .y = first + 2, .u = first + 2 + block->n_inputs};
}

/* ---- keys ---- */
static uint64_t hash(uint64_t sum, size_t count, const double *values)
{
    unsigned char bytes[sizeof *values];

    for (size_t k = 0; k < count; k++) { /* FNV-1a */
        memcpy(bytes, &values[k], sizeof bytes);
        for (size_t i = 0; i < sizeof bytes; i++)
            sum = (sum ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return sum;
}

/* Between 0 and 1, and not 0. */
static double next_key(const phx_block *block, double key, double t, const double *y)
{
    uint64_t sum = hash(UINT64_C(14695981039346656037), 1, &key);

    sum = hash(sum, 1, &t);
    sum = hash(sum, (size_t)block->n_inputs, y);
    return ldexp((double)((sum >> 12) + 1), -53);
}

static double key_before(const phx_block *block, int k)
{
    return k == 0 ? 0.0 : *sample_of(block, k - 1).key;
}

/* Samples before this key, -1: it is not known. */
static int external_block_find(const phx_block *block, double key)
{
    int k = block->history->count;
    while (k >= 0 && key_before(block, k) != key)
        k--;
    return k;
}

/* ---- the controller ---- */
static phx_status failed(const phx_block *block, phx_context *context, phx_status status)
{
    if (!status)
        return PHX_OK;
    block->history->at = -1;
    return phx_fail_prefix(context, status, "controller '%s': ", block->name);
}

static phx_status external_block_start(const phx_block *block, phx_context *context, double t, const double *y)
{
    block->history->at = 0;
    block->history->set = false;
    return failed(block, context, block->def.external->start(context, block->def.data, t, y));
}

static phx_status external_block_evaluate(const phx_block *block, phx_context *context, double t, const double *y,
                                          double *u)
{
    block->history->set = true;
    return failed(block, context, block->def.external->evaluate(context, block->def.data, t, y, u));
}

/* Sample `at` again. */
static phx_status repeat(const phx_block *block, phx_context *context, double *u)
{
    const sample instant = sample_of(block, block->history->at);
    phx_status status = external_block_evaluate(block, context, *instant.t, instant.y, u);

    if (!status && memcmp(u, instant.u, (size_t)block->n_outputs * sizeof *u) != 0)
        status =
            failed(block, context,
                   phx_fail(context, PHX_ERR_ANALYSIS,
                            "it does not repeat itself: given the measurements up to t = %.9g s again, its outputs "
                            "are others, so that a simulation cannot go back to an earlier state",
                            *instant.t));
    return status;
}

/* The controller at sample k. */
static phx_status go_to(const phx_block *block, phx_context *context, int k, double t, const double *y, double *u)
{
    struct phx_history *history = block->history;
    const sample first = k > 0 ? sample_of(block, 0) : (sample){.t = &t, .y = (double *)y};
    phx_status status = PHX_OK;

    if (history->at < 0 || history->at > k || k == 0)
        status = external_block_start(block, context, *first.t, first.y);
    while (history->at < k && !status) {
        if (!history->set)
            status = repeat(block, context, u);
        if (!status)
            status = failed(block, context,
                            block->def.external->advance(context, block->def.data, *sample_of(block, history->at).t,
                                                         block->def.sample));
        history->at += !status;
        history->set = false;
    }
    return status;
}

/* Stores the k-th sample of an external controller, measurement and output, and drops later ones. Its key is computed
 * from the key before. */
static phx_status external_block_keep(const phx_block *block, phx_context *context, int k, double t, const double *y,
                                      const double *u)
{
    enum { FIRST = 256 };
    struct phx_history *history = block->history;
    const size_t stride = (size_t)(2 + block->n_inputs + block->n_outputs);

    if (k == history->capacity) {
        const int more = history->capacity ? 2 * history->capacity : FIRST;
        double *samples = phx_realloc(context, history->samples, (size_t)more, stride * sizeof *samples);
        if (!samples)
            return PHX_ERR_MEMORY;
        history->samples = samples;
        history->capacity = more;
    }
    const sample at = sample_of(block, k);
    *at.t = t;
    *at.key = next_key(block, key_before(block, k), t, y);
    memcpy(at.y, y, (size_t)block->n_inputs * sizeof *y);
    memcpy(at.u, u, (size_t)block->n_outputs * sizeof *u);
    history->count = k + 1;
    return PHX_OK;
}

/* Sample k, or what was found for the same measurements before. */
static phx_status external_block_take(const phx_block *block, phx_context *context, int k, double t, const double *y,
                                      double *u)
{
    const struct phx_history *history = block->history;

    if (k < history->count) {
        const sample known = sample_of(block, k);
        if (*known.t == t && memcmp(known.y, y, (size_t)block->n_inputs * sizeof *y) == 0) {
            memcpy(u, known.u, (size_t)block->n_outputs * sizeof *u);
            return PHX_OK;
        }
    }
    phx_status status = go_to(block, context, k, t, y, u);
    if (!status)
        status = external_block_evaluate(block, context, t, y, u);
    return status ? status : external_block_keep(block, context, k, t, y, u);
}

/* Takes a sample of an external controller: repeats the stored output if the same sample was taken before, else calls
 * the controller. Fails if its history before is not known. */
static phx_status take_sample(const phx_block *block, phx_context *context, double t, double *z, const double *e,
                              const double *f, double *room, double *u)
{
    struct phx_history *history = block->history;
    phx_status status = PHX_OK;

    (void)f, (void)room;
    (void)pthread_mutex_lock(&history->lock);
    int k = external_block_find(block, z[0]);
    if (k < 0)
        status =
            phx_fail(context, PHX_ERR_UNSUPPORTED,
                     "controller '%s': its state at t = %.9g s is not known: it keeps its states itself, and neither "
                     "a result nor another simulation has them; simulate from the start on in one run",
                     block->name, t);
    else if (k > 0 && fabs(t - *sample_of(block, k - 1).t) <= SAME * block->def.sample)
        k--; /* an event at the sample has begun a new step there */
    if (!status)
        status = external_block_take(block, context, k, t, e, u);
    if (!status)
        z[0] = *sample_of(block, k).key;
    (void)pthread_mutex_unlock(&history->lock);
    return status;
}

/* ---- the block ---- */
static phx_status external_block_begin(phx_context *context, const phx_controller_def *def, phx_block *block)
{
    const phx_controller_external *external = def->external;

    if (!external || !external->start || !external->evaluate || !external->advance)
        return phx_fail(context, PHX_ERR_ARGUMENT, "controller '%s': its functions are missing", block->name);
    if (!(def->sample > 0.0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "controller '%s': it needs a sampling period", block->name);
    for (int k = 0; k < def->n_outputs && def->feedforward; k++)
        if (def->feedforward[k])
            return phx_fail(context, PHX_ERR_ARGUMENT, "controller '%s': an external controller has no feed-forward",
                            block->name);
    block->n = 1;
    block->history = phx_calloc(context, 1, sizeof *block->history);
    if (!block->history)
        return PHX_ERR_MEMORY;
    block->history->at = -1;
    (void)pthread_mutex_init(&block->history->lock, NULL);
    return PHX_OK;
}

static void external_block_end(phx_block *block)
{
    if (!block->history)
        return;
    (void)pthread_mutex_destroy(&block->history->lock);
    phx_free(block->history->samples);
    phx_free(block->history);
}

/* Linear models leave it out, as all that is sampled. */
static phx_status interval(const phx_block *block, phx_context *context, double t, double h, const double *z0,
                           const double *e, const double *f, double *room, phx_block_result *result)
{
    (void)context, (void)t, (void)h, (void)z0, (void)e, (void)f, (void)room;
    memset(result->u, 0, (size_t)block->n_outputs * sizeof *result->u);
    if (result->S)
        memset(result->S, 0, (size_t)(block->n_outputs * block->n_inputs) * sizeof *result->S);
    return PHX_OK;
}

static void external_block_rates(const phx_block *block, const double *f, const double *z, const double *e, double *A,
                                 double *B)
{
    (void)f, (void)z, (void)e;
    if (A)
        *A = 0.0;
    if (B)
        memset(B, 0, (size_t)block->n_inputs * sizeof *B);
}

const phx_block_ops phx_block_external = {.name = "external",
                                          .begin = external_block_begin,
                                          .end = external_block_end,
                                          .interval = interval,
                                          .sample = take_sample,
                                          .rates = external_block_rates,
                                          .limits = true,
                                          .hidden = true};
