/* A simulation at every point of a sweep. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 6, OF_OUTPUT = 3, NAME_SIZE = 320 }; /* complete .. drift_rate; end, min, max */
static const char *const number_names[NUMBERS] = {"complete", "t", "energy", "residual", "drift", "drift_rate"};

phx_study_batch_options phx_study_batch_options_default(void)
{
    return (phx_study_batch_options){0};
}

/* The data of one thread. */
typedef struct batch_worker {
    phx_model *model;
    phx_beam_cache *cache;
    phx_model_override *overrides; /* of the sweep's parameters */
    phx_attribute *attributes;     /* the same, for the result */
    char *names;                   /* of the attributes */
} batch_worker;

/* A point between its computation and its delivery: its result is recorded, but not written to HDF5 yet. */
typedef struct batch_slot {
    phx_context *files; /* of the recorder, which changes threads */
    phx_recorder *recorder;
    phx_limits *limits;
    char *message; /* the reason of a failure; NULL: success */
    phx_simulate_report report;
    int n_outputs;
    double *outputs; /* end, min, max of each */
    char *names;     /* of the outputs, NAME_SIZE each */
} batch_slot;

typedef struct batch_work {
    phx_context *context;
    const phx_model *model;
    const phx_study_batch_options *options;
    const phx_sweep *sweep;
    phx_study_batch_report *report;
    int n_parameters, digits;
    phx_ordered_map *map;
    batch_worker *workers;
    batch_slot *slots;
    phx_table *table;
    int n_outputs;   /* of the table */
    int waiting;     /* number of points that failed before the table was begun */
    char **messages; /* of these points */
    double *row;
} batch_work;

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
static phx_status check_names(const batch_work *work)
{
    const char *const h5_path = work->options->simulate.h5_path, *const csv_path = work->options->simulate.csv_path;
    const char *const table = is_file(work->options->table_path) ? work->options->table_path : NULL;
    const int points = is_file(h5_path) || is_file(csv_path) ? work->report->points : 1;
    phx_status status = phx_model_protect(work->context, work->model);

    for (int point = 0; point < points && !status; point++) {
        char *h5 = is_file(h5_path) ? numbered(work, work->context, h5_path, point) : NULL;
        char *csv = is_file(csv_path) ? numbered(work, work->context, csv_path, point) : NULL;
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
        phx_system_column_name(s->system, k, slot->names + (size_t)k * NAME_SIZE, NAME_SIZE);
    }
    return PHX_OK;
}

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

static phx_status compute_point(void *user, phx_context *context, int number, int point, int slot_number)
{
    const batch_work *work = user;
    batch_worker *worker = &work->workers[number];
    batch_slot *slot = &work->slots[slot_number];
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
static int columns_of(const batch_work *work)
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
    for (int n = fill_row(work, point, NULL, work->row); n < columns_of(work); n++)
        work->row[n] = NAN;
    return phx_table_append(work->table, work->row, message);
}

/* Begin the table with the columns of the first complete point; `slot` is NULL when no point is complete. */
static phx_status open_table(batch_work *work, const batch_slot *slot)
{
    static const char *const suffixes[OF_OUTPUT] = {"end", "min", "max"};
    phx_context *context = work->context;
    int n = 0;

    work->n_outputs = slot ? slot->n_outputs : 0;
    const int count = columns_of(work);
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
    for (int k = 0; k < work->waiting && !status; k++)
        status = append_failed(work, k, work->messages[k]);
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

static phx_status list_complete(batch_work *work, int point, const batch_slot *slot)
{
    if (!work->options->table_path)
        return PHX_OK;
    phx_status status = work->table ? PHX_OK : open_table(work, slot);
    if (!status && slot->n_outputs != work->n_outputs)
        status = phx_fail(work->context, PHX_ERR_ANALYSIS,
                          "%d outputs, %d at the points before; a table needs the same at every point", slot->n_outputs,
                          work->n_outputs);
    if (status)
        return status;
    const int n = fill_row(work, point, &slot->report, work->row);
    memcpy(work->row + n, slot->outputs, (size_t)(OF_OUTPUT * slot->n_outputs) * sizeof *work->row);
    return phx_table_append(work->table, work->row, NULL);
}

/* ---- handing over ---- */
static void empty(batch_slot *slot)
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

static void remember_largest(phx_study_batch_report *report, const phx_simulate_report *point)
{
    report->largest_energy = fmax(report->largest_energy, point->largest_energy);
    report->largest_residual = fmax(report->largest_residual, point->largest_residual);
    report->largest_drift = fmax(report->largest_drift, point->largest_drift);
    report->largest_drift_rate = fmax(report->largest_drift_rate, point->largest_drift_rate);
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

static phx_status complete(batch_work *work, int point, batch_slot *slot)
{
    char before[60];
    phx_status status = PHX_OK;

    snprintf(before, sizeof before, "point %d of %d: ", point + 1, work->report->points);
    phx_recording_warn(work->context, slot->limits, before);

    if (slot->recorder) {
        status = phx_recording_complete(slot->files, slot->recorder, &slot->report, slot->limits);
        if (status)
            phx_fail(work->context, status, "%s", phx_context_message(slot->files));
    }
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

static phx_status deliver_point(void *user, int point, int number)
{
    batch_work *work = user;
    batch_slot *slot = &work->slots[number];
    phx_status status = PHX_OK;

    if (slot->message) {
        work->report->failed++;
        phx_log(work->context, PHX_LOG_WARNING, "%s", slot->message);
        status = hand_over(work, point, slot);
        if (!status)
            status = list_failed(work, point, slot);
    } else {
        status = complete(work, point, slot);
    }
    empty(slot);
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

static phx_status prepare(batch_work *work)
{
    phx_context *context = work->context;
    const int points = work->report->points, asked = work->options->threads > 0 ? work->options->threads : 1;
    const int threads = work->model->initial.from ? 1 : asked < points ? asked : points;
    phx_status status = phx_ordered_map_create(context, threads, &work->map);

    if (status)
        return status;
    work->report->threads = threads;
    work->workers = phx_calloc(context, (size_t)threads, sizeof *work->workers);
    work->slots = phx_calloc(context, (size_t)phx_ordered_map_slots(work->map), sizeof *work->slots);
    work->messages = phx_calloc(context, (size_t)points, sizeof *work->messages);
    if (!work->workers || !work->slots || !work->messages)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < threads && !status; k++)
        status = prepare_worker(work, k);
    for (int k = 0; k < phx_ordered_map_slots(work->map) && !status; k++)
        status = phx_context_create(&work->slots[k].files);
    work->digits = 4;
    for (int limit = 10000; limit <= points && limit < 1000000000; limit *= 10)
        work->digits++;
    return status ? status : check_names(work);
}

static void finish(batch_work *work)
{
    phx_table_destroy(work->table);
    for (int k = 0; work->slots && k < phx_ordered_map_slots(work->map); k++) {
        empty(&work->slots[k]);
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
    report->points = phx_sweep_points(options->sweep);
    const phx_ordered_map_work points = {report->points, "simulations", &work, compute_point, deliver_point};
    phx_status status = phx_simulation_settle(context, model, &options->simulate, &report->used);
    phx_files_begin(context);
    if (!status) {
        phx_simulation_warn(context, model, &options->simulate, &report->used);
        status = prepare(&work);
    }
    if (!status)
        status = phx_ordered_map_run(work.map, &points);
    if (!status && options->table_path && !work.table)
        status = open_table(&work, NULL);
    if (!status && work.table)
        status = phx_table_finish(work.table);
    finish(&work);
    phx_files_end(context);
    return phx_conclude(context, status);
}
