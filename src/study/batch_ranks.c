/* A batch over processes: what rank 0 asks the others for and what they answer, in bytes of one kind of machine. */
#include "batch.h"

#include <string.h>

enum {
    AT_ONCE = 2, /* items that a process has: one is computed while the next one is on its way */
    DONE = -1    /* instead of an item */
};

/* The question: an item, and the worker that asks. */
typedef struct question {
    int item, worker;
} question;

/* The answer: its head, then outputs, their names, message and lines of the log. */
typedef struct answer {
    phx_status status; /* of the computation; its message instead of that of the point */
    int n_outputs;
    bool failed; /* the point has a message */
    size_t message, log;
    phx_simulate_report report;
} answer;

int batch_askers(const phx_ranks *ranks)
{
    return phx_ranks_rank(ranks) == 0 ? AT_ONCE * (phx_ranks_size(ranks) - 1) : 0;
}

static int rank_of(const batch_work *work, int worker)
{
    return 1 + (worker - work->own) / AT_ONCE;
}

/* ---- rank 0 ---- */
static phx_status take_outputs(const batch_work *work, phx_context *context, int worker, const answer *head,
                               batch_slot *slot)
{
    const phx_ranks *ranks = work->options->ranks;
    const int from = rank_of(work, worker);
    const size_t n = (size_t)head->n_outputs;
    char *message = phx_calloc(context, head->message + 1, 1), *log = phx_calloc(context, head->log + 1, 1);

    slot->outputs = phx_calloc(context, n * OF_OUTPUT + 1, sizeof *slot->outputs);
    slot->names = phx_calloc(context, n + 1, NAME_SIZE);
    if (!message || !log || !slot->outputs || !slot->names) {
        phx_free(message);
        phx_free(log);
        return PHX_ERR_MEMORY;
    }
    slot->n_outputs = head->n_outputs;
    slot->report = head->report;
    slot->elsewhere = !head->status && !head->failed;
    phx_ranks_receive(ranks, from, worker, n * OF_OUTPUT * sizeof *slot->outputs, slot->outputs);
    phx_ranks_receive(ranks, from, worker, n * NAME_SIZE, slot->names);
    phx_ranks_receive(ranks, from, worker, head->message, message);
    phx_ranks_receive(ranks, from, worker, head->log, log);
    for (const char *line = log; line < log + head->log; line += strlen(line) + 1)
        phx_log(context, line[0] == 'w' ? PHX_LOG_WARNING : PHX_LOG_INFO, "%s", line + 1);
    phx_free(log);
    if (head->failed)
        slot->message = message;
    else if (head->status)
        phx_fail(context, head->status, "%s", message);
    if (!head->failed)
        phx_free(message);
    return head->status;
}

phx_status batch_ask(const batch_work *work, phx_context *context, int worker, int item, batch_slot *slot)
{
    const phx_ranks *ranks = work->options->ranks;
    const question asked = {.item = item, .worker = worker};
    answer head;

    slot->item = item;
    phx_ranks_send(ranks, rank_of(work, worker), 0, sizeof asked, &asked);
    phx_ranks_receive(ranks, rank_of(work, worker), worker, sizeof head, &head);
    return take_outputs(work, context, worker, &head, slot);
}

void batch_dismiss(const phx_ranks *ranks)
{
    const question done = {.item = DONE};

    for (int k = 1; k < phx_ranks_size(ranks); k++)
        phx_ranks_send(ranks, k, 0, sizeof done, &done);
}

/* ---- the others ---- */
/* Lines of the log, each with a letter for its level and its end. */
typedef struct lines {
    char *text;
    size_t size;
} lines;

static void keep_line(void *user, phx_log_level level, const char *message)
{
    lines *rows_of = user;
    const size_t length = strlen(message) + 2;
    char *text = phx_realloc(NULL, rows_of->text, rows_of->size + length, 1);

    if (!text)
        return; /* a warning less */
    text[rows_of->size] = level == PHX_LOG_WARNING ? 'w' : 'i';
    memcpy(text + rows_of->size + 1, message, length - 1);
    rows_of->text = text;
    rows_of->size += length;
}

/* Sends the outcome of one point to rank 0: head, outputs, their names, message and log, in this order. */
static void send_answer(const batch_work *work, int worker, phx_status status, const char *message, const lines *log,
                        const batch_slot *slot)
{
    const phx_ranks *ranks = work->options->ranks;
    const size_t n = (size_t)slot->n_outputs;
    const answer head = {.status = status,
                         .n_outputs = slot->n_outputs,
                         .failed = !status && slot->message,
                         .message = strlen(message),
                         .log = log->size,
                         .report = slot->report};

    phx_ranks_send(ranks, 0, worker, sizeof head, &head);
    phx_ranks_send(ranks, 0, worker, n * OF_OUTPUT * sizeof *slot->outputs, slot->outputs);
    phx_ranks_send(ranks, 0, worker, n * NAME_SIZE, slot->names);
    phx_ranks_send(ranks, 0, worker, head.message, message);
    phx_ranks_send(ranks, 0, worker, log->size, log->text);
}

/* Answers requests of rank 0 on this rank until it says that the batch is done; each point is simulated, its results
 * are written, and log and outcome are sent back. */
phx_status batch_serve(batch_work *work)
{
    phx_context *context = work->context;
    batch_slot *slot = &work->slots[0];
    phx_log_fn *log_before;
    void *user_before;
    question asked;

    phx_context_get_log(context, &log_before, &user_before);

    for (;;) {
        lines log = {.text = NULL};
        phx_ranks_receive(work->options->ranks, 0, 0, sizeof asked, &asked);
        if (asked.item == DONE)
            return PHX_OK;
        phx_context_set_log(context, keep_line, &log);
        phx_status status = batch_compute(work, context, 0, asked.item, 0);
        if (!status && !slot->message)
            status = batch_write_result(work, context, batch_point_of(work, asked.item), slot);
        send_answer(work, asked.worker, status,
                    status          ? phx_context_message(context)
                    : slot->message ? slot->message
                                    : "",
                    &log, slot);
        phx_context_set_log(context, log_before, user_before);
        phx_free(log.text);
        batch_empty(slot);
    }
}
