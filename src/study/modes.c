/* Modes of a model over the points of a sweep. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

phx_study_modes_options phx_study_modes_options_default(void)
{
    return (phx_study_modes_options){0};
}

phx_status phx_sweep_from_model(phx_context *context, const phx_model *model, phx_sweep **sweep)
{
    phx_status status = phx_sweep_create(context, sweep);

    for (int k = 0; k < model->n_sweeps && !status; k++) {
        const phx_model_sweep *item = &model->sweeps[k];
        if (model->parameters[item->parameter].overridden) {
            phx_log(context, PHX_LOG_INFO, "%s keeps the value given, %.10g, and is not swept", item->name,
                    model->parameters[item->parameter].value);
            continue;
        }
        status = item->kind == PHX_MODEL_RANGE
                     ? phx_sweep_add_range(*sweep, item->name, item->from, item->to, item->count)
                     : phx_sweep_add_values(*sweep, item->name, item->count, item->values);
    }
    if (status) {
        phx_sweep_destroy(*sweep);
        *sweep = NULL;
    }
    return status;
}

/* ---- the work over a sweep ---- */
typedef struct modes_work {
    phx_context *context;
    phx_model *model;
    const phx_sweep *sweep;
    int count, carry, n_points, n_parameters;
    phx_beam_cache *cache;
    phx_modal *modal;
    phx_tracker *tracker;
    phx_model_override *overrides; /* n_parameters */
    int rows_room;
    bool steady; /* about a rotation */
    bool shapes; /* still kept */
    int shape_rows_room;
    phx_mode_row *rows; /* of the table */
    double *real, *imaginary;
    bool any_imaginary;
    phx_modes_table *table;
    phx_study_modes_report *report;
} modes_work;

/* Linearised system of the model as it stands. */
static phx_status linearise(modes_work *work, int point, phx_start_point *at, phx_linear *linear)
{
    phx_context *context = work->context;
    const phx_build_options build = {.cache = work->cache, .without_outputs = true};
    const bool quasi_static = !work->steady && work->model->initial.deformation == PHX_MODEL_QUASI_STATIC;
    phx_status status = phx_start_point_create(context, work->model, &build, quasi_static, work->steady, at);

    if (!status && work->steady)
        status = phx_model_blame(
            context, work->model,
            phx_system_steady(at->dae, 0.0, at->x, at->v, at->lambda, (double *)work->table->spin + point));
    if (!status)
        status = phx_model_blame(context, work->model,
                                 work->steady ? phx_system_linear_steady(at->dae, 0.0, at->x, at->v, at->lambda, linear)
                                              : phx_system_linear(at->dae, 0.0, at->x, NULL, linear));
    return status;
}

/* ---- the table ---- */
static phx_status grow_rows(modes_work *work, int added)
{
    phx_modes_table *table = work->table;
    const int needed = table->n_rows + added;

    if (needed > work->rows_room) {
        const int room = needed > 2 * work->rows_room ? needed : 2 * work->rows_room;
        phx_mode_row *rows = phx_realloc(work->context, work->rows, (size_t)room, sizeof *rows);
        if (!rows)
            return PHX_ERR_MEMORY;
        table->rows = work->rows = rows;
        work->rows_room = room;
    }
    return PHX_OK;
}

static phx_status grow_shapes(modes_work *work)
{
    phx_modes_table *table = work->table;
    const size_t old = (size_t)work->shape_rows_room * (size_t)table->n_coordinates;

    if (work->rows_room <= work->shape_rows_room)
        return PHX_OK;
    const size_t size = (size_t)work->rows_room * (size_t)table->n_coordinates;
    double *real = phx_realloc(work->context, work->real, size, sizeof *real);
    if (!real)
        return PHX_ERR_MEMORY;
    table->shapes = work->real = real;
    double *imaginary = phx_realloc(work->context, work->imaginary, size, sizeof *imaginary);
    if (!imaginary)
        return PHX_ERR_MEMORY;
    work->imaginary = imaginary;
    memset(real + old, 0, (size - old) * sizeof *real);
    memset(imaginary + old, 0, (size - old) * sizeof *imaginary);
    work->shape_rows_room = work->rows_room;
    return PHX_OK;
}

static phx_status name_coordinates(modes_work *work, const phx_system *system, int n)
{
    char **names = phx_calloc(work->context, (size_t)n, sizeof *names);

    if (!names)
        return PHX_ERR_MEMORY;
    work->table->coordinates = (const char *const *)names;
    work->table->n_coordinates = n;
    for (int k = 0; k < n; k++) {
        char name[300];
        phx_system_coordinate_name(system, k, name, sizeof name);
        names[k] = phx_strdup(work->context, name);
        if (!names[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

static void drop_shapes(modes_work *work)
{
    phx_modes_table *table = work->table;

    for (int k = 0; table->coordinates && k < table->n_coordinates; k++)
        phx_free((void *)table->coordinates[k]);
    phx_free((void *)table->coordinates);
    phx_free(work->real);
    phx_free(work->imaginary);
    table->coordinates = NULL;
    table->shapes = NULL;
    table->n_coordinates = 0;
    work->real = work->imaginary = NULL;
    work->shapes = false;
}

/* The shapes of the modes just added; the first point says what the coordinates are. */
static phx_status add_shapes(modes_work *work, const phx_system *system, const phx_mode_set *set, int count)
{
    phx_modes_table *table = work->table;
    phx_status status = PHX_OK;

    if (!table->coordinates)
        status = name_coordinates(work, system, set->n);
    if (status)
        return status;
    if (set->n != table->n_coordinates) {
        phx_log(work->context, PHX_LOG_WARNING,
                "the mode shapes are left out: the number of coordinates changes along the sweep, from %d to %d",
                table->n_coordinates, set->n);
        drop_shapes(work);
        return PHX_OK;
    }
    status = grow_shapes(work);
    for (int m = 0; m < count && !status; m++) {
        const size_t to = (size_t)(table->n_rows + m) * (size_t)set->n, from = (size_t)m * (size_t)set->n;
        memcpy(work->real + to, set->shapes + from, (size_t)set->n * sizeof *work->real);
        if (set->shapes_imaginary) {
            memcpy(work->imaginary + to, set->shapes_imaginary + from, (size_t)set->n * sizeof *work->imaginary);
            work->any_imaginary = true;
        }
    }
    return status;
}

static phx_status add_point(modes_work *work, int point, const phx_system *system, const phx_linear *linear,
                            const phx_mode_set *set)
{
    phx_modes_table *table = work->table;
    const int count = set->count < work->count ? set->count : work->count;
    int *branch = phx_calloc(work->context, (size_t)set->count, sizeof *branch);
    double *confidence = phx_calloc(work->context, (size_t)set->count, sizeof *confidence);
    phx_status status = branch && confidence ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_tracker_feed(work->tracker, set, &linear->M, branch, confidence);
    if (!status)
        status = grow_rows(work, count);
    if (!status && work->shapes)
        status = add_shapes(work, system, set, count);
    for (int m = 0; m < count && !status; m++) {
        work->rows[table->n_rows++] = (phx_mode_row){.point = point,
                                                     .mode = m + 1,
                                                     .branch = branch[m],
                                                     .omega = set->omega[m],
                                                     .frequency = set->frequency[m],
                                                     .damping = set->damping[m]};
        if (confidence[m] > 0.0)
            work->report->least_confidence = fmin(work->report->least_confidence, confidence[m]);
    }
    phx_free(branch);
    phx_free(confidence);
    return status;
}

/* ---- points ---- */
static phx_status move_to(modes_work *work, int point, double *values)
{
    if (work->n_parameters == 0)
        return PHX_OK;
    phx_sweep_at(work->sweep, point, NULL, values);
    for (int k = 0; k < work->n_parameters; k++)
        work->overrides[k] = (phx_model_override){.name = phx_sweep_name(work->sweep, k), .value = values[k]};
    return phx_model_set_parameters(work->context, work->model, work->n_parameters, work->overrides);
}

static phx_status solve_point(modes_work *work, int point)
{
    phx_modes_options options = phx_modes_options_default();
    phx_start_point at = {0};
    phx_linear linear = {0};
    phx_mode_set set = {0};
    phx_status status = linearise(work, point, &at, &linear);

    options.count = work->carry;
    if (!status)
        status = phx_modal_solve(work->modal, &linear, &options, &set);
    if (!status && point == 0) {
        work->report->velocities = phx_system_n_v(at.system);
        work->report->constraints = phx_system_n_l(at.system);
        work->report->redundant = phx_system_redundant(at.system);
    }
    if (!status) {
        ((int *)work->table->rigid_modes)[point] = set.rigid;
        for (int m = 0; m < set.count && m < work->count && set.unstable > 0; m++)
            work->report->unstable += set.damping[m] < -1e-9;
        status = add_point(work, point, at.system, &linear, &set);
    }
    phx_mode_set_free(&set);
    phx_linear_free(&linear);
    phx_start_point_free(&at);
    return status;
}

/* "at theta1 = 0.5 (point 7 of 73): " */
static phx_status name_point(modes_work *work, int point, const double *values, phx_status status)
{
    char where[200] = "";
    size_t length = 0;

    if (work->n_parameters == 0 || status == PHX_ERR_MEMORY)
        return status;
    for (int k = 0; k < work->n_parameters && length < sizeof where; k++)
        length += (size_t)snprintf(where + length, sizeof where - length, "%s%s = %.10g", k ? ", " : "",
                                   phx_sweep_name(work->sweep, k), values[k]);
    return phx_fail_prefix(work->context, status, "at %s (point %d of %d): ", where, point + 1, work->n_points);
}

static phx_status all_points(modes_work *work)
{
    phx_status status = PHX_OK;

    for (int point = 0; point < work->n_points && !status; point++) {
        double *values = (double *)work->table->values + (size_t)point * (size_t)work->n_parameters;
        if (work->n_points > 1)
            status = phx_progress(work->context, "points of the sweep", point, work->n_points);
        if (status)
            return status;
        status = move_to(work, point, values);
        if (!status)
            status = solve_point(work, point);
        if (status)
            status = name_point(work, point, values, status);
        else
            work->table->n_points = point + 1;
    }
    return status;
}

/* ---- beginning and end ---- */
static phx_status prepare_table(modes_work *work)
{
    phx_context *context = work->context;
    phx_modes_table *table = work->table;
    const int n = work->n_parameters;
    char **names = NULL;

    table->model_name = phx_strdup(context, work->model->title);
    table->model_text = phx_strdup(context, work->model->text);
    table->program_version = phx_strdup(context, phx_version());
    table->values = phx_calloc(context, (size_t)work->n_points * (size_t)n, sizeof *table->values);
    table->rigid_modes = phx_calloc(context, (size_t)work->n_points, sizeof *table->rigid_modes);
    if (work->steady)
        table->spin = phx_calloc(context, (size_t)work->n_points, sizeof *table->spin);
    names = phx_calloc(context, (size_t)n, sizeof *names);
    table->parameters = (const char *const *)names;
    table->n_parameters = n;
    if (!table->model_name || !table->model_text || !table->program_version || !table->values || !table->rigid_modes ||
        (work->steady && !table->spin) || !names)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n; k++) {
        names[k] = phx_strdup(context, phx_sweep_name(work->sweep, k));
        if (!names[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

static phx_status prepare(modes_work *work)
{
    phx_context *context = work->context;
    phx_status status = prepare_table(work);

    work->overrides = phx_calloc(context, (size_t)work->n_parameters, sizeof *work->overrides);
    int *counts = phx_calloc(context, (size_t)work->n_parameters, sizeof *counts);
    if (!work->overrides || !counts)
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < work->n_parameters && !status; k++)
        counts[k] = phx_sweep_count(work->sweep, k);
    if (!status)
        status = phx_beam_cache_create(context, &work->cache);
    if (!status)
        status = phx_modal_create(context, &work->modal);
    if (!status)
        status = phx_tracker_create(context, work->n_parameters, counts, &work->tracker);
    phx_free(counts);
    return status;
}

phx_status phx_study_modes(phx_context *context, phx_model *model, const phx_study_modes_options *options,
                           phx_modes_table *table, phx_study_modes_report *report)
{
    phx_study_modes_report unread;
    modes_work work = {.context = context,
                       .model = model,
                       .sweep = options->sweep,
                       .count = options->count > 0 ? options->count : model->modes.count,
                       .n_points = options->sweep ? phx_sweep_points(options->sweep) : 1,
                       .n_parameters = options->sweep ? phx_sweep_parameters(options->sweep) : 0,
                       .steady = (options->has_at ? options->at : model->modes.at) == PHX_MODEL_AT_STEADY,
                       .shapes = options->with_shapes,
                       .table = table,
                       .report = report ? report : &unread};

    *table = (phx_modes_table){0};
    *work.report = (phx_study_modes_report){.least_confidence = 1.0};
    work.carry = work.n_points > 1 ? phx_tracker_carry(work.count) : work.count;
    phx_status status = prepare(&work);
    if (!status)
        status = all_points(&work);
    if (work.any_imaginary && !status) {
        table->shapes_imaginary = work.imaginary;
        work.imaginary = NULL;
    }
    phx_free(work.imaginary);
    if (work.cache)
        work.report->beams = phx_beam_cache_statistics(work.cache);
    phx_tracker_destroy(work.tracker);
    phx_modal_destroy(work.modal);
    phx_beam_cache_destroy(work.cache);
    phx_free(work.overrides);
    if (work.n_parameters > 0) {
        const phx_status restored = phx_model_set_parameters(context, model, 0, NULL);
        status = status ? status : restored;
    }
    if (status)
        phx_modes_free(table);
    return status;
}
