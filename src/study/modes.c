/* Modes of a model over the points of a sweep. */
#include "internal.h"

#include <math.h>
#include <string.h>

phx_study_modes_options phx_study_modes_options_default(void)
{
    return (phx_study_modes_options){0};
}

/* Creates the sweep that the model describes; parameters with values given from outside keep these and are not swept.
 * NULL after a failure. */
phx_status phx_sweep_from_model(phx_context *context, const phx_model *model, phx_sweep **sweep)
{
    if (!model || !sweep)
        return phx_fail_null(context, __func__, "model or sweep");
    phx_status status = phx_sweep_create(context, sweep);

    for (int k = 0; k < model->n_sweeps && !status; k++) {
        const phx_model_sweep *item = &model->sweeps[k];
        if (model->parameters[item->parameter].overridden) {
            phx_log(context, PHX_LOG_INFO, "%s has the given value %.10g and is not swept", item->name,
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
    return phx_conclude(context, status);
}

/* ---- the work over a sweep ---- */
/* The data of one thread. */
typedef struct modes_worker {
    const phx_model *model; /* `copy`, or without a sweep the caller's */
    phx_model *copy;
    phx_beam_cache *cache;
    bool borrowed; /* the cache */
    phx_modal *modal;
    phx_model_override *overrides; /* n_parameters */
} modes_worker;

/* A point between its computation and its delivery to the table. */
typedef struct modes_slot {
    phx_linear linear;
    phx_mode_set set;
    phx_mode_set shown; /* of bodies on meshes: by displacements, and their mass (phx_physical_shapes) */
    phx_csr mass;
    int n_x;
    phx_unrest unrest;
    char left_out[PHX_LIMIT_TEXT];
    double *x;       /* the configuration about which the modes are computed; NULL: not stored */
    double *factors; /* of the initial strains of each body there, PHX_STRAIN_LOADS_MOST of each; likewise */
} modes_slot;

typedef struct modes_work {
    phx_context *context;
    const phx_model *model;
    const phx_sweep *sweep;
    phx_beam_cache *cache; /* of the caller, for the first worker; NULL: none */
    int count, carry, n_points, n_parameters;
    phx_ordered_map *map;
    modes_worker *workers;
    modes_slot *slots;
    phx_tracker *tracker;
    int rows_room;
    phx_model_modes_at at;
    bool steady;       /* about a rotation */
    phx_unrest unrest; /* the largest of all points */
    int unresolved;    /* modes that are lost in rounding, the most of a point; rad/s: its largest such frequency */
    double resolution;
    char left_out[PHX_LIMIT_TEXT]; /* of the last point that leaves something out */
    bool shapes;                   /* still kept */
    bool draw;                     /* store the bodies and the configurations */
    int *mesh_of;                  /* body of the model of each mesh of the scene */
    int shape_rows_room;
    phx_mode_row *rows; /* of the table */
    double *real, *imaginary;
    bool any_imaginary;
    phx_modes_table *table;
    phx_study_modes_report *report;
} modes_work;

/* About the rotation in which the drives turn at their speeds. */
static phx_status linearise_steady(phx_context *context, phx_start_point *at, double *spin, phx_linear *linear)
{
    double *axes = phx_calloc(context, (size_t)phx_system_n_v(at->system), sizeof *axes);
    phx_status status = axes ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_system_steady(at->dae, 0.0, at->x, at->v, axes, at->lambda, spin);
    if (!status)
        status = phx_system_linear_steady(at->dae, 0.0, at->x, at->v, axes, at->lambda, linear);
    phx_free(axes);
    return status;
}

/* Linearised system of the worker's model with its present parameters. */
static phx_status modes_linearise(modes_work *work, phx_context *context, const modes_worker *worker, int point,
                                  phx_start_point *at, modes_slot *slot)
{
    const phx_model *model = worker->model;
    const phx_build_options build = {.cache = worker->cache, .without_outputs = true};
    phx_status status = phx_start_point_at(context, model, &build, work->at, at);

    if (!status)
        status = phx_model_blame(context, model,
                                 work->steady
                                     ? linearise_steady(context, at, (double *)work->table->spin + point, &slot->linear)
                                     : phx_system_linear(at->dae, 0.0, at->x, NULL, &slot->linear));
    if (!status)
        status = phx_limits_left_out(context, model, at->system, at->x, work->steady ? at->v : NULL, slot->left_out);
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

/* Grows the arrays of shapes to the room of the rows; new rows are zero. */
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

/* Gives the table n names of velocity coordinates of the system, copied. */
static phx_status modes_name_coordinates(modes_work *work, phx_context *context, const phx_system *system, int n)
{
    char **names = phx_calloc(context, (size_t)n, sizeof *names);

    if (!names)
        return PHX_ERR_MEMORY;
    work->table->coordinates = (const char *const *)names;
    work->table->n_coordinates = n;
    for (int k = 0; k < n; k++) {
        char name[300];
        phx_system_coordinate_name(system, k, name, sizeof name);
        names[k] = phx_strdup(context, name);
        if (!names[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* Frees shapes and names of coordinates and ends the collection of shapes. */
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

/* The shapes of the modes just added; the coordinates are those of the first point. */
static phx_status add_shapes(modes_work *work, const phx_mode_set *set, int count)
{
    phx_modes_table *table = work->table;

    if (set->n != table->n_coordinates) {
        phx_log(work->context, PHX_LOG_WARNING,
                "the mode shapes are left out: the number of coordinates changes along the sweep, from %d to %d",
                table->n_coordinates, set->n);
        drop_shapes(work);
        return PHX_OK;
    }
    phx_status status = grow_shapes(work);
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

/* Appends the lowest modes of a point to the table, assigned to branches by their shapes; updates the least confidence
 * of an assignment. */
static phx_status add_point(modes_work *work, int point, const modes_slot *slot)
{
    const phx_mode_set *set = &slot->set, *compared = slot->shown.n > 0 ? &slot->shown : set;
    phx_modes_table *table = work->table;
    const int count = set->count < work->count ? set->count : work->count;
    int *branch = phx_calloc(work->context, (size_t)set->count, sizeof *branch);
    double *confidence = phx_calloc(work->context, (size_t)set->count, sizeof *confidence);
    phx_status status = branch && confidence ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_tracker_feed(work->tracker, compared, compared == set ? &slot->linear.M : &slot->mass, branch,
                                  confidence);
    if (!status)
        status = grow_rows(work, count);
    if (!status && work->shapes)
        status = add_shapes(work, set, count);
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
static double *values_at(const modes_work *work, int point)
{
    return (double *)work->table->values + (size_t)point * (size_t)work->n_parameters;
}

/* ---- bodies and configurations ---- */
/* The bodies of the first point, with room for the configurations of all. */
static phx_status keep_bodies(modes_work *work, phx_context *context, const phx_model *model, const phx_start_point *at)
{
    phx_modes_table *table = work->table;
    phx_drawing drawing;
    phx_status status = phx_warn_of_sizes(context, model, at->system);

    if (!status)
        status = phx_drawing_create(context, model, at->system, &drawing);
    if (status)
        return status;
    status = phx_modes_set_drawing(context, model->dimension, drawing.n_bodies, drawing.bodies, &drawing.scene, table);
    work->mesh_of = phx_calloc(context, (size_t)drawing.scene.n_meshes, sizeof *work->mesh_of);
    if (!work->mesh_of)
        status = PHX_ERR_MEMORY;
    for (int m = 0; m < drawing.scene.n_meshes && !status; m++)
        work->mesh_of[m] = phx_drawing_body(&drawing, drawing.scene.mesh_body[m]);
    phx_drawing_free(&drawing);
    table->n_x = phx_system_n_x(at->system);
    table->n_states = work->n_points;
    const size_t points = (size_t)work->n_points, factors = (size_t)phx_scene_factors(table->scene);
    table->states = phx_calloc(context, points * (size_t)table->n_x, sizeof *table->states);
    table->factors = factors > 0 ? phx_calloc(context, points * factors, sizeof *table->factors) : NULL;
    return !status && (!table->states || (factors > 0 && !table->factors)) ? PHX_ERR_MEMORY : status;
}

/* Copies the configuration and, for each body, the factors of its loads on the strains into the slot. */
static phx_status keep_state(phx_context *context, const phx_start_point *at, modes_slot *slot)
{
    const int bodies = phx_system_bodies(at->system);

    slot->n_x = phx_system_n_x(at->system);
    slot->x = phx_calloc(context, (size_t)slot->n_x, sizeof *slot->x);
    slot->factors = phx_calloc(context, (size_t)bodies * PHX_STRAIN_LOADS_MOST, sizeof *slot->factors);
    if (!slot->x || !slot->factors)
        return PHX_ERR_MEMORY;
    memcpy(slot->x, at->x, (size_t)slot->n_x * sizeof *slot->x);
    for (int b = 0; b < bodies; b++)
        phx_system_strain_factors(at->dae, b, 0.0, phx_flex_source_strains(phx_system_source(at->system, b)),
                                  slot->factors + (size_t)b * PHX_STRAIN_LOADS_MOST);
    return PHX_OK;
}

static void add_factors(const modes_work *work, int point, const modes_slot *slot)
{
    const phx_scene *scene = work->table->scene;
    double *to = (double *)work->table->factors + (size_t)point * (size_t)phx_scene_factors(scene);

    for (int m = 0; m < scene->n_meshes; to += scene->mesh_factors[m++])
        memcpy(to, slot->factors + (size_t)work->mesh_of[m] * PHX_STRAIN_LOADS_MOST,
               (size_t)scene->mesh_factors[m] * sizeof *to);
}

/* Add the configuration to the table; where its size changes along the sweep only the first one stays. */
static void add_state(modes_work *work, int point, const modes_slot *slot)
{
    phx_modes_table *table = work->table;

    if (slot->n_x != table->n_x)
        table->n_states = 1;
    if (point < table->n_states)
        memcpy((double *)table->states + (size_t)point * (size_t)table->n_x, slot->x,
               (size_t)slot->n_x * sizeof *slot->x);
    if (point < table->n_states && table->factors)
        add_factors(work, point, slot);
}

/* Finds the lowest modes at one point: of the closed loop if there are controllers, else of the mechanism. Point 0
 * also reports sizes, names and bodies. */
static phx_status solve_point(modes_work *work, phx_context *context, const modes_worker *worker, int point,
                              modes_slot *slot)
{
    phx_modes_options options = phx_modes_options_default();
    phx_start_point at = {0};
    phx_status status = modes_linearise(work, context, worker, point, &at, slot);
    if (!status)
        phx_forces_left_out(at.system, sizeof slot->unrest.left_out, slot->unrest.left_out);
    if (!status && !work->steady)
        status = phx_unrest_at(&at, &slot->unrest);

    options.count = work->carry;
    if (!status && phx_system_controllers(at.system) > 0)
        status = phx_model_blame(context, worker->model,
                                 phx_closed_modes(context, at.dae, 0.0, at.x, options.count, NULL, &slot->set));
    else if (!status)
        status = phx_modal_solve(worker->modal, &slot->linear, &options, &slot->set);
    if (!status && work->n_points > 1)
        status = phx_physical_shapes(context, at.system, &slot->linear.M, &slot->set, &slot->shown, &slot->mass);
    if (!status && point == 0) {
        char why[300] = "";
        double period;
        if (phx_system_controllers(at.system) > 0)
            status = phx_sampled_loop_period(context, at.dae, 0.0, at.x, &period, sizeof why, why);
        if (why[0])
            phx_log(context, PHX_LOG_WARNING, "sampled controllers are left out of the modes: %s", why);
        work->report->velocities = phx_system_n_v(at.system);
        work->report->constraints = phx_system_n_l(at.system);
        work->report->redundant = phx_system_redundant(at.system);
        if (!status && work->shapes)
            status = modes_name_coordinates(work, context, at.system, slot->set.n);
        if (!status && work->draw)
            status = keep_bodies(work, context, worker->model, &at);
    }
    if (!status && work->draw)
        status = keep_state(context, &at, slot);
    phx_start_point_free(&at);
    return status;
}

static void empty(modes_slot *slot)
{
    phx_mode_set_free(&slot->set);
    phx_mode_set_free(&slot->shown);
    phx_csr_free(&slot->mass);
    phx_linear_free(&slot->linear);
    phx_free(slot->x);
    phx_free(slot->factors);
    slot->x = slot->factors = NULL;
}

/* The part of a point that does not depend on other points: on any thread. */
static phx_status compute_point(void *user, phx_context *context, int number, int point, int slot)
{
    modes_work *work = user;
    const modes_worker *worker = &work->workers[number];
    phx_status status = phx_sweep_apply(context, work->sweep, point, worker->copy, worker->overrides);

    if (!status)
        status = solve_point(work, context, worker, point, &work->slots[slot]);
    return phx_sweep_name_point(context, work->sweep, point, status);
}

/* Add the point to the table, and track its modes from the points before. */
static phx_status deliver_point(void *user, int point, int number)
{
    static const double GROWS = 1e-9; /* negative damping ratio; less is rounding */
    modes_work *work = user;
    modes_slot *slot = &work->slots[number];

    if (work->n_parameters > 0)
        phx_sweep_at(work->sweep, point, NULL, values_at(work, point));
    ((int *)work->table->rigid_modes)[point] = slot->set.rigid;
    for (int m = 0; m < slot->set.count && m < work->count && slot->set.unstable > 0; m++)
        work->report->unstable += slot->set.damping[m] < -GROWS;
    if (slot->set.unresolved > work->unresolved) {
        work->unresolved = slot->set.unresolved;
        work->resolution = slot->set.resolution;
    }
    if (slot->left_out[0])
        memcpy(work->left_out, slot->left_out, sizeof work->left_out);
    slot->left_out[0] = '\0';
    const phx_status status = add_point(work, point, slot);
    if (!status)
        work->table->n_points = point + 1;
    if (!status && work->draw)
        add_state(work, point, slot);
    if (slot->unrest.loose > work->unrest.loose)
        work->unrest = slot->unrest;
    memcpy(work->unrest.left_out, slot->unrest.left_out, sizeof slot->unrest.left_out);
    slot->unrest = (phx_unrest){0};
    empty(slot);
    return phx_sweep_name_point(work->context, work->sweep, point, status);
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

/* Gives a worker the model, or its own copy if parameters change, a beam cache and a modal solver. */
static phx_status prepare_worker(modes_work *work, int number)
{
    phx_context *context = phx_ordered_map_context(work->map, number);
    modes_worker *worker = &work->workers[number];
    phx_status status = PHX_OK;

    worker->model = work->model;
    if (work->n_parameters > 0) {
        status = phx_model_copy(context, work->model, &worker->copy);
        worker->model = worker->copy;
    }
    worker->overrides = phx_calloc(context, (size_t)work->n_parameters, sizeof *worker->overrides);
    if (!status && !worker->overrides)
        status = PHX_ERR_MEMORY;
    worker->cache = number == 0 ? work->cache : NULL;
    worker->borrowed = worker->cache != NULL;
    if (!status && !worker->cache)
        status = phx_beam_cache_create(context, &worker->cache);
    if (!status)
        status = phx_modal_create(context, &worker->modal);
    return status ? phx_fail(work->context, status, "%s", phx_context_message(context)) : PHX_OK;
}

/* Creates at most as many threads as points, with a worker each, and the slots for results in order. */
static phx_status prepare_workers(modes_work *work, int threads)
{
    phx_context *context = work->context;
    phx_status status =
        phx_ordered_map_create(context, threads < work->n_points ? threads : work->n_points, &work->map);

    if (status)
        return status;
    const int n = phx_ordered_map_workers(work->map);
    work->workers = phx_calloc(context, (size_t)n, sizeof *work->workers);
    work->slots = phx_calloc(context, (size_t)phx_ordered_map_slots(work->map), sizeof *work->slots);
    if (!work->workers || !work->slots)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n && !status; k++)
        status = prepare_worker(work, k);
    return status;
}

/* Allocates table, tracker of branches over the grid of parameters, and workers. */
static phx_status modes_prepare(modes_work *work, int threads)
{
    phx_context *context = work->context;
    phx_status status = prepare_table(work);
    int *counts = phx_calloc(context, (size_t)work->n_parameters, sizeof *counts);

    if (!counts)
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < work->n_parameters && !status; k++)
        counts[k] = phx_sweep_count(work->sweep, k);
    if (!status)
        status = phx_tracker_create(context, work->n_parameters, counts, &work->tracker);
    if (!status)
        status = prepare_workers(work, threads);
    phx_free(counts);
    return status;
}

/* Adds the statistics of the beam caches to the report and frees workers, slots, threads and tracker. */
static void modes_finish(modes_work *work)
{
    for (int k = 0; work->slots && k < phx_ordered_map_slots(work->map); k++)
        empty(&work->slots[k]);
    for (int k = 0; work->workers && k < phx_ordered_map_workers(work->map); k++) {
        modes_worker *worker = &work->workers[k];
        if (worker->cache) {
            const phx_beam_cache_stats beams = phx_beam_cache_statistics(worker->cache);
            work->report->beams.made += beams.made;
            work->report->beams.reused += beams.reused;
        }
        phx_modal_destroy(worker->modal);
        if (!worker->borrowed)
            phx_beam_cache_destroy(worker->cache);
        phx_free(worker->overrides);
        phx_model_destroy(worker->copy);
    }
    phx_free(work->workers);
    phx_free(work->slots);
    phx_free(work->mesh_of);
    phx_ordered_map_destroy(work->map);
    phx_tracker_destroy(work->tracker);
}

/* The table stores the names of the files of the model. */
static phx_status name_files(phx_context *context, const phx_model *model, phx_modes_table *table)
{
    int count = 0;
    while (phx_model_file(model, count))
        count++;
    char **files = phx_calloc(context, (size_t)count, sizeof *files);
    table->files = (const char *const *)files;
    if (!files)
        return PHX_ERR_MEMORY;
    for (; table->n_files < count; table->n_files++)
        if (!(files[table->n_files] = phx_strdup(context, phx_model_file(model, table->n_files))))
            return PHX_ERR_MEMORY;
    return PHX_OK;
}

/* Finds the lowest modes at every point of the sweep, or of the model alone, and follows them as branches over the
 * points. The table is empty after a failure; the report is optional. */
phx_status phx_study_modes(phx_context *context, const phx_model *model, const phx_study_modes_options *options,
                           phx_modes_table *table, phx_study_modes_report *report)
{
    if (!model || !options || !table)
        return phx_fail_null(context, __func__, "model, options or table");
    phx_study_modes_report unread;
    modes_work work = {.context = context,
                       .model = model,
                       .sweep = options->sweep,
                       .cache = options->cache,
                       .count = options->count > 0 ? options->count : model->modes.count,
                       .n_points = options->sweep ? phx_sweep_points(options->sweep) : 1,
                       .n_parameters = options->sweep ? phx_sweep_parameters(options->sweep) : 0,
                       .at = options->has_at ? options->at : model->modes.at,
                       .shapes = options->with_shapes,
                       .draw = options->with_shapes,
                       .table = table,
                       .report = report ? report : &unread};
    const phx_ordered_map_work points = {work.n_points, "points of the sweep", &work, compute_point, deliver_point};

    *table = (phx_modes_table){0};
    *work.report = (phx_study_modes_report){.least_confidence = 1.0};
    work.steady = work.at == PHX_MODEL_AT_STEADY;
    work.carry = work.n_points > 1 ? phx_tracker_carry(work.count) : work.count;
    phx_status status = modes_prepare(&work, options->threads > 0 ? options->threads : 1);
    if (!status)
        status = phx_ordered_map_run(work.map, &points);
    if (!status)
        phx_unrest_warn(context, &work.unrest);
    if (!status && work.left_out[0])
        phx_log(context, PHX_LOG_WARNING, "%s", work.left_out);
    if (!status && work.unresolved > 0)
        phx_log(context, PHX_LOG_WARNING,
                "%d mode%s slower than %.2g rad/s %s left out: their frequencies and growth are lost in round-off; use "
                "a coarser mesh",
                work.unresolved, work.unresolved == 1 ? "" : "s", work.resolution, work.unresolved == 1 ? "is" : "are");
    if (!status)
        status = name_files(context, model, table);
    if (work.any_imaginary && !status) {
        table->shapes_imaginary = work.imaginary;
        work.imaginary = NULL;
    }
    phx_free(work.imaginary);
    modes_finish(&work);
    if (status)
        phx_modes_free(table);
    return phx_conclude(context, status);
}
