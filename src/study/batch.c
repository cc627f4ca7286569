/* A simulation at every point of a sweep. */
#include "batch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 6 }; /* complete .. drift_rate */
static const char *const number_names[NUMBERS] = {"complete", "t", "energy", "residual", "drift", "drift_rate"};

phx_study_batch_options phx_study_batch_options_default(void)
{
    return (phx_study_batch_options){0};
}

/* The point of an item of the shard, from 0. */
int batch_point_of(const batch_work *work, int item)
{
    return work->options->shards > 1 ? work->options->shard - 1 + item * work->options->shards : item;
}

/* ---- names ---- */
/* The path of a point's result: NAME.h5 makes NAME-0001.h5. NULL without memory. */
static char *numbered(const batch_work *work, phx_context *context, const char *path, int point)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    const int stem = (int)(dot && dot > base ? (size_t)(dot - path) : strlen(path));
    const size_t size = strlen(path) + 16;
    char *name = phx_calloc(context, size, 1);

    if (name)
        snprintf(name, size, "%.*s-%0*d%s", stem, path, work->digits, point + 1, path + stem);
    return name;
}

static bool is_file(const char *path)
{
    return path && strcmp(path, "-") != 0;
}

/* Check that no result overwrites another one, the list, or a file of the model. */
static phx_status batch_check_names(const batch_work *work)
{
    const char *const h5_path = work->options->simulate.h5_path, *const csv_path = work->options->simulate.csv_path;
    const char *const table = is_file(work->options->table_path) ? work->options->table_path : NULL;
    const int items = is_file(h5_path) || is_file(csv_path) ? work->items : 1;
    phx_status status = phx_model_protect(work->context, work->model);

    for (int item = 0; item < items && !status; item++) {
        char *h5 = is_file(h5_path) ? numbered(work, work->context, h5_path, batch_point_of(work, item)) : NULL;
        char *csv = is_file(csv_path) ? numbered(work, work->context, csv_path, batch_point_of(work, item)) : NULL;
        const char *const names[] = {table, h5, csv};
        if ((h5 || !is_file(h5_path)) && (csv || !is_file(csv_path)))
            status = phx_files_check(work->context, 3, names);
        else
            status = PHX_ERR_MEMORY;
        phx_free(h5);
        phx_free(csv);
    }
    return status;
}

/* ---- a point, on any thread ---- */
/* End and range of the outputs, and their names. */
static phx_status keep_outputs(phx_context *context, const phx_simulation *s, batch_slot *slot)
{
    const phx_recording *recording = &s->recording;
    const int n = recording->n_columns - PHX_FIXED_COLUMNS;

    slot->n_outputs = n;
    slot->outputs = phx_calloc(context, (size_t)n * OF_OUTPUT, sizeof *slot->outputs);
    slot->names = phx_calloc(context, (size_t)n, NAME_SIZE);
    if (!slot->outputs || !slot->names)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n; k++) {
        const int column = PHX_FIXED_COLUMNS + k;
        slot->outputs[OF_OUTPUT * k] = recording->row[column];
        slot->outputs[OF_OUTPUT * k + 1] = recording->least[column];
        slot->outputs[OF_OUTPUT * k + 2] = recording->most[column];
        phx_recording_column(s->system, k, NAME_SIZE, slot->names + (size_t)k * NAME_SIZE);
    }
    return PHX_OK;
}

/* Simulates one point into its own files and stores the outputs in the slot, which takes over the recorder and the
 * watch of limits. */
static phx_status simulate(const batch_work *work, phx_context *context, batch_worker *worker, int point,
                           batch_slot *slot)
{
    const phx_simulate_options *options = &work->options->simulate;
    phx_simulation_setup setup = {.options = options,
                                  .threads = 1,
                                  .cache = worker->cache,
                                  .files = slot->files,
                                  .no_checkpoints = true,
                                  .in_memory = work->options->deliver != NULL,
                                  .n_attributes = work->n_parameters,
                                  .attributes = worker->attributes};
    char *h5 = is_file(options->h5_path) ? numbered(work, context, options->h5_path, point) : NULL;
    char *csv = is_file(options->csv_path) ? numbered(work, context, options->csv_path, point) : NULL;
    phx_status status =
        (h5 || !is_file(options->h5_path)) && (csv || !is_file(options->csv_path)) ? PHX_OK : PHX_ERR_MEMORY;
    phx_simulation s = {0};

    setup.h5_path = h5;
    setup.csv_path = csv;
    if (!status)
        status = phx_simulation_run(context, worker->model, &setup, &slot->report, &s);
    if (!status)
        status = keep_outputs(context, &s, slot);
    slot->recorder = s.recording.recorder;
    s.recording.recorder = NULL;
    slot->limits = s.recording.limits;
    s.recording.limits = NULL;
    phx_simulation_free(&s);
    phx_free(h5);
    phx_free(csv);
    return status;
}

/* Computes one item of the batch on a thread, or asks another rank for it. A failed simulation only leaves its message
 * in the slot; the call fails for lack of memory, an interruption, or if the batch is to stop at failures. */
phx_status batch_compute(void *user, phx_context *context, int number, int item, int slot_number)
{
    const batch_work *work = user;
    const int point = batch_point_of(work, work->first + item);
    batch_worker *worker = &work->workers[number];
    batch_slot *slot = &work->slots[slot_number];
    if (number >= work->own)
        return batch_ask(work, context, number, work->first + item, slot);
    phx_status status = phx_sweep_apply(context, work->sweep, point, worker->model, worker->overrides);

    for (int k = 0; k < work->n_parameters; k++)
        worker->attributes[k].number = worker->overrides[k].value;
    if (!status)
        status = simulate(work, context, worker, point, slot);
    phx_sweep_name_point(context, work->sweep, point, status);
    if (!status || status == PHX_ERR_MEMORY || status == PHX_INTERRUPTED || work->options->stop)
        return status;
    slot->message = phx_strdup(context, phx_context_message(context));
    return slot->message ? PHX_OK : PHX_ERR_MEMORY;
}

/* ---- the table, on the calling thread ---- */
static int batch_columns_of(const batch_work *work)
{
    return 1 + work->n_parameters + NUMBERS + OF_OUTPUT * work->n_outputs;
}

/* All values but the outputs; returns their number. */
static int fill_row(const batch_work *work, int point, const phx_simulate_report *report, double *row)
{
    int n = 0;

    row[n++] = point + 1;
    phx_sweep_at(work->sweep, point, NULL, row + n);
    n += work->n_parameters;
    row[n++] = report ? 1.0 : 0.0;
    row[n++] = report ? report->reached : NAN;
    row[n++] = report ? report->largest_energy : NAN;
    row[n++] = report ? report->largest_residual : NAN;
    row[n++] = report ? report->largest_drift : NAN;
    row[n++] = report ? report->largest_drift_rate : NAN;
    return n;
}

static phx_status append_failed(batch_work *work, int point, const char *message)
{
    for (int n = fill_row(work, point, NULL, work->row); n < batch_columns_of(work); n++)
        work->row[n] = NAN;
    return phx_table_append(work->table, work->row, message);
}

static void remember_largest(phx_study_batch_report *report, const phx_simulate_report *point)
{
    report->largest_energy = fmax(report->largest_energy, point->largest_energy);
    report->largest_residual = fmax(report->largest_residual, point->largest_residual);
    report->largest_drift = fmax(report->largest_drift, point->largest_drift);
    report->largest_drift_rate = fmax(report->largest_drift_rate, point->largest_drift_rate);
}

/* ---- a study that goes on ---- */
enum { OF_POINT = 1 }; /* columns before the parameters */

static double number_of(const batch_work *work, int item, int number)
{
    return phx_table_field(work->lines.line[item + 1], OF_POINT + work->n_parameters + number);
}

static phx_status fail_resume(const batch_work *work, const char *why)
{
    return phx_fail(work->context, PHX_ERR_INPUT,
                    "%s.partial cannot be continued: %s; the model, its files, the sweep, the shard or the options "
                    "have changed. Remove it to start again",
                    work->options->table_path, why);
}

/* The rows of the study before into the table, whose columns must be the same. */
static phx_status take_over(batch_work *work)
{
    phx_status status = PHX_OK;

    if (strcmp(phx_table_header(work->table), work->lines.line[0]) != 0)
        return fail_resume(work, "it has other columns");
    for (int k = 0; k < work->first && !status; k++)
        status = phx_table_append_line(work->table, work->lines.line[k + 1]);
    return status;
}

/* The point that both have computed has the numbers of its row. */
static phx_status check_again(const batch_work *work)
{
    const char *line = work->lines.line[work->first + 1];

    for (int k = 0; k < batch_columns_of(work); k++) {
        const double before = phx_table_field(line, k), now = work->row[k];
        if (before != now && !(isnan(before) && isnan(now)))
            return fail_resume(work, "its last point comes out another");
    }
    return PHX_OK;
}

/* Whether the results of a point are there. */
static bool has_results(const batch_work *work, int point)
{
    const char *const paths[] = {work->options->simulate.h5_path, work->options->simulate.csv_path};
    bool there = true;

    for (int k = 0; k < 2; k++) {
        char *name = is_file(paths[k]) ? numbered(work, work->context, paths[k], point) : NULL;
        FILE *file = name ? fopen(name, "rb") : NULL;
        there = there && (file || !is_file(paths[k]));
        if (file)
            fclose(file);
        phx_free(name);
    }
    return there;
}

/* The rows of an earlier table up to the last complete one whose results are there. */
static phx_status find_first(batch_work *work)
{
    phx_status status = phx_table_read_partial(work->context, work->options->table_path, &work->lines);
    int last = -1;

    for (int k = 0; k + 1 < work->lines.count && !status; k++) {
        const int point = batch_point_of(work, k);
        if (k >= work->items || phx_table_field(work->lines.line[k + 1], 0) != point + 1)
            return fail_resume(work, "it lists other points");
        if (number_of(work, k, 0) != 1.0)
            continue;
        if (!has_results(work, point))
            break;
        last = k;
    }
    for (int k = 0; k < last; k++) {
        const bool complete = number_of(work, k, 0) == 1.0;
        work->report->complete += complete;
        work->report->failed += !complete;
        if (complete)
            remember_largest(work->report, &(phx_simulate_report){.largest_energy = number_of(work, k, 2),
                                                                  .largest_residual = number_of(work, k, 3),
                                                                  .largest_drift = number_of(work, k, 4),
                                                                  .largest_drift_rate = number_of(work, k, 5)});
    }
    work->first = last > 0 ? last : 0;
    work->report->taken = work->first;
    if (last < 0)
        phx_table_lines_free(&work->lines);
    return status;
}

/* Begin the table with the columns of the first complete point; `slot` is NULL when no point is complete. */
static phx_status open_table(batch_work *work, const batch_slot *slot)
{
    static const char *const suffixes[OF_OUTPUT] = {"end", "min", "max"};
    phx_context *context = work->context;
    int n = 0;

    work->n_outputs = slot ? slot->n_outputs : 0;
    const int count = batch_columns_of(work);
    const char **columns = phx_calloc(context, (size_t)count, sizeof *columns);
    char *names = phx_calloc(context, (size_t)(OF_OUTPUT * work->n_outputs), NAME_SIZE);
    work->row = phx_calloc(context, (size_t)count, sizeof *work->row);
    phx_status status = columns && names && work->row ? PHX_OK : PHX_ERR_MEMORY;
    if (!status) {
        columns[n++] = "point";
        for (int k = 0; k < work->n_parameters; k++)
            columns[n++] = phx_sweep_name(work->sweep, k);
        for (int k = 0; k < NUMBERS; k++)
            columns[n++] = number_names[k];
        for (int k = 0; k < OF_OUTPUT * work->n_outputs; k++) {
            char *name = names + (size_t)k * NAME_SIZE;
            snprintf(name, NAME_SIZE, "%.*s.%s", NAME_SIZE - 5, slot->names + (size_t)(k / OF_OUTPUT) * NAME_SIZE,
                     suffixes[k % OF_OUTPUT]);
            columns[n++] = name;
        }
        status = phx_table_create(context, work->options->table_path, count, columns, "message", &work->table);
    }
    if (!status && work->first > 0)
        status = take_over(work);
    for (int k = 0; k < work->waiting && !status; k++)
        status = append_failed(work, batch_point_of(work, work->first + k), work->messages[k]);
    phx_free((void *)columns);
    phx_free(names);
    return status;
}

static phx_status list_failed(batch_work *work, int point, batch_slot *slot)
{
    if (!work->options->table_path)
        return PHX_OK;
    if (work->table)
        return append_failed(work, point, slot->message);
    work->messages[work->waiting++] = slot->message; /* all points so far */
    slot->message = NULL;
    return PHX_OK;
}

/* Appends the row of a successful point to the table, which is opened at the first one. Every point must have the same
 * number of outputs; on resuming, the first point is checked against the existing row. */
static phx_status list_complete(batch_work *work, int point, const batch_slot *slot)
{
    if (!work->options->table_path)
        return PHX_OK;
    phx_status status = work->table ? PHX_OK : open_table(work, slot);
    if (!status && slot->n_outputs != work->n_outputs)
        status = phx_fail(work->context, PHX_ERR_ANALYSIS,
                          "%d outputs here, %d at the points before; the table needs the same outputs at every point",
                          slot->n_outputs, work->n_outputs);
    if (status)
        return status;
    const int n = fill_row(work, point, &slot->report, work->row);
    memcpy(work->row + n, slot->outputs, (size_t)(OF_OUTPUT * slot->n_outputs) * sizeof *work->row);
    if (work->lines.count > 0 && point == batch_point_of(work, work->first))
        status = check_again(work);
    if (status)
        return status;
    return phx_table_append(work->table, work->row, NULL);
}

/* ---- handing over ---- */
void batch_empty(batch_slot *slot)
{
    if (slot->recorder)
        phx_recorder_discard(slot->recorder);
    phx_recorder_destroy(slot->recorder);
    phx_limits_destroy(slot->limits);
    phx_free(slot->message);
    phx_free(slot->outputs);
    phx_free(slot->names);
    *slot = (batch_slot){.files = slot->files};
}

static phx_status hand_over(const batch_work *work, int point, const batch_slot *slot)
{
    const phx_study_batch_options *options = work->options;
    phx_result *result = NULL;
    if (!options->deliver)
        return PHX_OK;
    if (slot->message)
        return options->deliver(options->user, point, NULL, NULL, slot->message);
    const phx_status status = phx_recorder_take(slot->recorder, work->context, &result);
    return status ? status : options->deliver(options->user, point, &slot->report, result, NULL);
}

phx_status batch_write_result(const batch_work *work, phx_context *context, int point, batch_slot *slot)
{
    char before[60];
    phx_status status = PHX_OK;

    snprintf(before, sizeof before, "point %d of %d: ", point + 1, phx_sweep_points(work->sweep));
    phx_recording_warn(context, slot->limits, before);
    if (slot->recorder) {
        status = phx_recording_complete(slot->files, slot->recorder, &slot->report, slot->limits);
        if (status)
            phx_fail(context, status, "%s", phx_context_message(slot->files));
    }
    return status;
}

static phx_status batch_complete(batch_work *work, int point, batch_slot *slot)
{
    phx_status status = slot->elsewhere ? PHX_OK : batch_write_result(work, work->context, point, slot);

    if (!status)
        status = list_complete(work, point, slot);
    if (!status)
        status = hand_over(work, point, slot);
    if (!status) {
        remember_largest(work->report, &slot->report);
        work->report->complete++;
    }
    return phx_sweep_name_point(work->context, work->sweep, point, status);
}

/* Delivers one point in order: counts and logs a failure, and writes results and the row of the table. The slot is
 * emptied; a failure of the first point when resuming fails the batch. */
static phx_status deliver_point(void *user, int item, int number)
{
    batch_work *work = user;
    const int point = batch_point_of(work, work->first + item);
    batch_slot *slot = &work->slots[number];
    phx_status status = PHX_OK;

    if (slot->message && item == 0 && work->lines.count > 0) {
        status = fail_resume(work, slot->message);
    } else if (slot->message) {
        work->report->failed++;
        phx_log(work->context, PHX_LOG_WARNING, "%s", slot->message);
        status = hand_over(work, point, slot);
        if (!status)
            status = list_failed(work, point, slot);
    } else {
        status = batch_complete(work, point, slot);
    }
    batch_empty(slot);
    return status;
}

/* ---- beginning and end ---- */
static phx_status prepare_worker(batch_work *work, int number)
{
    phx_context *context = phx_ordered_map_context(work->map, number);
    batch_worker *worker = &work->workers[number];
    const size_t n = (size_t)work->n_parameters;
    phx_status status = phx_model_copy(context, work->model, &worker->model);

    worker->overrides = phx_calloc(context, n, sizeof *worker->overrides);
    worker->attributes = phx_calloc(context, n, sizeof *worker->attributes);
    worker->names = phx_calloc(context, n, NAME_SIZE);
    if (!status && (!worker->overrides || !worker->attributes || !worker->names))
        status = PHX_ERR_MEMORY;
    for (size_t k = 0; k < n && !status; k++) {
        worker->attributes[k].name = worker->names + k * NAME_SIZE;
        snprintf(worker->names + k * NAME_SIZE, NAME_SIZE, "parameter.%s", phx_sweep_name(work->sweep, (int)k));
    }
    if (!status)
        status = phx_beam_cache_create(context, &worker->cache);
    return status ? phx_fail(work->context, status, "%s", phx_context_message(context)) : PHX_OK;
}

/* Allocates threads, workers with their models, and slots; one own thread if the model starts from a file. Only rank 0
 * determines where to resume and checks the names of files. */
static phx_status batch_prepare(batch_work *work)
{
    phx_context *context = work->context;
    const int points = phx_sweep_points(work->sweep), items = work->items > 0 ? work->items : 1;
    const int asked = work->options->threads > 0 ? work->options->threads : 1;
    const int askers = batch_askers(work->options->ranks);
    work->own = work->model->initial.from ? 1 : asked < items ? asked : items;
    const int threads = work->own + askers;
    phx_status status = phx_ordered_map_create(context, threads, &work->map);

    if (status)
        return status;
    work->report->threads = work->own;
    work->workers = phx_calloc(context, (size_t)threads, sizeof *work->workers);
    work->slots = phx_calloc(context, (size_t)phx_ordered_map_slots(work->map), sizeof *work->slots);
    work->messages = phx_calloc(context, (size_t)items, sizeof *work->messages);
    if (!work->workers || !work->slots || !work->messages)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < work->own && !status; k++)
        status = prepare_worker(work, k);
    for (int k = 0; k < phx_ordered_map_slots(work->map) && !status; k++)
        status = phx_context_create(&work->slots[k].files);
    work->digits = 4;
    for (int limit = 10000; limit <= points && limit < 1000000000; limit *= 10)
        work->digits++;
    if (phx_ranks_rank(work->options->ranks) > 0)
        return status;
    if (!status && work->options->resume)
        status = find_first(work);
    return status ? status : batch_check_names(work);
}

/* The results of a point that another process has written and that is not delivered, because one before it has failed.
 */
static void remove_results(const batch_work *work, int item)
{
    const char *const paths[] = {work->options->simulate.h5_path, work->options->simulate.csv_path};

    for (int k = 0; k < 2; k++) {
        char *name = is_file(paths[k]) ? numbered(work, work->context, paths[k], batch_point_of(work, item)) : NULL;
        if (name)
            remove(name);
        phx_free(name);
    }
}

/* Frees a batch in any state and removes results that other ranks wrote for points that were never delivered. */
static void batch_finish(batch_work *work)
{
    phx_table_destroy(work->table);
    phx_table_lines_free(&work->lines);
    for (int k = 0; work->slots && k < phx_ordered_map_slots(work->map); k++) {
        if (work->slots[k].elsewhere)
            remove_results(work, work->slots[k].item);
        batch_empty(&work->slots[k]);
        phx_context_destroy(work->slots[k].files);
    }
    for (int k = 0; work->workers && k < phx_ordered_map_workers(work->map); k++) {
        batch_worker *worker = &work->workers[k];
        phx_beam_cache_destroy(worker->cache);
        phx_free(worker->overrides);
        phx_free(worker->attributes);
        phx_free(worker->names);
        phx_model_destroy(worker->model);
    }
    for (int k = 0; work->messages && k < work->waiting; k++)
        phx_free(work->messages[k]);
    phx_free(work->messages);
    phx_free(work->row);
    phx_free(work->workers);
    phx_free(work->slots);
    phx_ordered_map_destroy(work->map);
}

static phx_status check_shard(phx_context *context, const phx_study_batch_options *options)
{
    if (options->shards < 0 || (options->shards > 1 && (options->shard < 1 || options->shard > options->shards)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "shard %d of %d: expected 1 to %d", options->shard, options->shards,
                        options->shards);
    if (options->ranks && options->deliver)
        return phx_fail(
            context, PHX_ERR_ARGUMENT,
            "results cannot be returned if several processes share the points; they are only written to files");
    if (options->resume && (!is_file(options->table_path) || options->deliver))
        return phx_fail(context, PHX_ERR_ARGUMENT, "resume needs the file of the table%s",
                        options->deliver ? " and cannot return results" : "");
    return PHX_OK;
}

/* Simulates every point of the sweep, or of this shard, and writes result files and the table in order. Ranks other
 * than 0 only answer requests of rank 0. */
phx_status phx_study_batch(phx_context *context, const phx_model *model, const phx_study_batch_options *options,
                           phx_study_batch_report *report)
{
    if (!model || !options || !report)
        return phx_fail_null(context, __func__, "model, options or report");
    batch_work work = {.context = context,
                       .model = model,
                       .options = options,
                       .sweep = options->sweep,
                       .n_parameters = options->sweep ? phx_sweep_parameters(options->sweep) : 0,
                       .report = report};

    *report = (phx_study_batch_report){0};
    if (work.n_parameters < 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "a batch needs a sweep over a parameter");
    phx_status status = check_shard(context, options);
    if (status)
        return status;
    const int all = phx_sweep_points(options->sweep);
    work.items = options->shards > 1 ? (all - options->shard + options->shards) / options->shards : all;
    report->points = work.items;
    status = phx_simulation_settle(context, model, &options->simulate, &report->used);
    phx_files_begin(context);
    if (!status) {
        phx_simulation_warn(context, model, &options->simulate, &report->used);
        status = batch_prepare(&work);
    }
    status = phx_ranks_agree(context, options->ranks, status);
    const phx_ordered_map_work points = {work.items - work.first, "simulations", &work, batch_compute, deliver_point};
    if (!status && phx_ranks_rank(options->ranks) > 0) {
        status = batch_serve(&work);
        batch_finish(&work);
        phx_files_end(context);
        return phx_conclude(context, status);
    }
    if (!status) {
        if (work.items > 0)
            status = phx_ordered_map_run(work.map, &points);
        batch_dismiss(options->ranks);
    }
    if (!status && options->table_path && !work.table)
        status = open_table(&work, NULL);
    if (!status && work.table)
        status = phx_table_finish(work.table);
    batch_finish(&work);
    phx_files_end(context);
    return phx_conclude(context, status);
}
