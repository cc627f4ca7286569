/* The equilibrium of a model at rest, its path over the loads, its critical loads. */
#include "internal.h"

#include <string.h>

phx_study_static_options phx_study_static_options_default(void)
{
    const phx_path_options path = phx_path_options_default();

    return (phx_study_static_options){.to = path.to, .points = path.points};
}

/* An analysis at work: a row for each point of the way. */
typedef struct static_work {
    phx_context *context;
    const phx_model *model;
    const phx_study_static_options *options;
    phx_study_static_report *report;
    phx_start_point at;
    phx_drawing drawing;
    phx_limits *limits;
    phx_recorder *recorder;
    int n_columns;
    double *row, *rest; /* rest: n_v zeros */
} static_work;

/* Columns behind the fixed ones. */
enum { LOAD, UNBALANCED, UNSTABLE, OWN_COLUMNS };
static const phx_record_column own_columns[OWN_COLUMNS] = {
    {"static.load", ""}, {"static.unbalanced", ""}, {"static.unstable", ""}};

static phx_status append_row(static_work *work, const double *x, const double *v)
{
    phx_drawing_factors(&work->drawing, work->at.dae, work->options->t, work->row + work->n_columns);
    return phx_recorder_append(work->recorder, work->row, x, v);
}

/* Opens the recorder of a static analysis with its load factor and the columns of outputs. */
static phx_status open_recorder(static_work *work)
{
    phx_context *context = work->context;
    const phx_system *system = work->at.system;
    phx_recorder_def def = phx_recorder_def_default();
    phx_record_column *columns = NULL;
    char *names = NULL;
    const phx_attribute attributes[] = {{"analysis", "static", 0.0}, {"time", NULL, work->options->t}};
    phx_status status = phx_recording_columns(context, system, OWN_COLUMNS, own_columns, &columns, &names);

    if (!status) {
        def.h5_path = work->options->h5_path;
        def.csv_path = work->options->csv_path;
        def.dimension = work->model->dimension;
        def.n_columns = work->n_columns;
        def.columns = columns;
        def.n_x = phx_system_n_x(system);
        def.n_v = phx_system_n_v(system);
        def.n_bodies = work->drawing.n_bodies;
        def.bodies = work->drawing.bodies;
        def.scene = &work->drawing.scene;
        def.model_name = work->model->title;
        def.model_text = work->model->text;
        def.program_version = phx_version();
        def.integrator = "static";
        def.n_attributes = (int)(sizeof attributes / sizeof *attributes);
        def.attributes = attributes;
        def.in_memory = true;
        status = phx_recorder_create(context, &def, &work->recorder);
    }
    phx_free(columns);
    phx_free(names);
    return status;
}

/* A point of the way: the time of its row is its number, the outputs are those at rest. */
static phx_status record(void *user, const phx_static_point *point)
{
    static_work *work = user;
    phx_study_static_report *report = work->report;
    const phx_system *system = work->at.system;
    const int own = PHX_FIXED_COLUMNS, outputs = own + OWN_COLUMNS;
    double *row = work->row, rate;
    phx_energies energies;

    phx_system_energies(system, point->x, work->rest, &energies);
    memset(row, 0, (size_t)work->n_columns * sizeof *row);
    phx_put_balance(row, (double)report->rows, &energies, &(phx_work){0}, phx_total_energy(&energies));
    phx_system_drift(work->at.dae, work->options->t, point->x, work->rest, &row[PHX_COLUMN_DRIFT], &rate);
    row[own + LOAD] = point->load;
    row[own + UNBALANCED] = point->unbalanced;
    row[own + UNSTABLE] = point->unstable;
    phx_status status =
        phx_system_static_outputs(work->at.dae, work->options->t, point->x, point->lambda, row + outputs);
    if (!status)
        status = phx_system_controller_values(work->at.dae, work->options->t, point->x, work->rest,
                                              row + outputs + phx_system_columns(system));
    if (!status)
        status = append_row(work, point->x, work->rest);
    if (status)
        return status;
    phx_limits_look(work->limits, (double)report->rows, point->x, work->rest, &energies);
    report->rows++;
    report->load = point->load;
    report->largest_load = point->load > report->largest_load ? point->load : report->largest_load;
    report->elastic = energies.elastic;
    report->potential = energies.potential;
    return PHX_OK;
}

/* The row of a steady rotation, with its velocities, so that a simulation can go on from it. */
static phx_status record_rotation(static_work *work)
{
    phx_start_point *at = &work->at;
    phx_study_static_report *report = work->report;
    double *row = work->row, *outputs = row + PHX_FIXED_COLUMNS + OWN_COLUMNS;
    phx_energies energies;

    phx_system_energies(at->system, at->x, at->v, &energies);
    memset(row, 0, (size_t)work->n_columns * sizeof *row);
    phx_put_balance(row, 0.0, &energies, &(phx_work){0}, phx_total_energy(&energies));
    phx_system_drift(at->dae, work->options->t, at->x, at->v, &row[PHX_COLUMN_DRIFT], &row[PHX_COLUMN_DRIFT_RATE]);
    row[PHX_FIXED_COLUMNS + LOAD] = 1.0;
    phx_status status = phx_system_outputs(at->dae, work->options->t, at->x, at->v, outputs);
    if (!status)
        status = append_row(work, at->x, at->v);
    phx_limits_look(work->limits, 0.0, at->x, at->v, &energies);
    report->rows = 1;
    report->load = report->largest_load = 1.0;
    report->elastic = energies.elastic;
    report->potential = energies.potential;
    report->found.gap = row[PHX_COLUMN_DRIFT];
    return status;
}

static phx_status rest(static_work *work)
{
    const phx_study_static_options *given = work->options;
    phx_start_point *at = &work->at;
    const phx_static_options options = {.t = given->t,
                                        .steps = given->steps,
                                        .stable = given->stable,
                                        .stability = phx_linear_stability,
                                        .deliver = record,
                                        .user = work};

    return phx_system_static(at->dae, &options, at->x, at->lambda, &work->report->found);
}

/* Where nothing turns the steady motion is rest. */
static phx_status static_rotate(static_work *work)
{
    phx_start_point *at = &work->at;
    double *axes = phx_calloc(work->context, (size_t)at->dae->n_v, sizeof *axes);
    phx_status status = axes ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_system_steady(at->dae, work->options->t, at->x, at->v, axes, at->lambda, &work->report->spin);
    phx_free(axes);
    if (status)
        return status;
    return work->report->spin > 0.0 ? record_rotation(work) : rest(work);
}

/* Follows the path of equilibria with increasing load; each point is recorded and judged for stability. */
static phx_status follow_path(static_work *work)
{
    const phx_study_static_options *given = work->options;
    phx_start_point *at = &work->at;
    phx_path_options options = phx_path_options_default();

    options.t = given->t;
    options.to = given->to;
    options.points = given->points;
    options.stride = given->stride;
    options.branch = given->branch;
    options.stability = phx_linear_stability;
    options.deliver = record;
    options.user = work;
    return phx_system_static_path(at->dae, &options, at->x, at->lambda, &work->report->found);
}

static phx_status static_find(static_work *work)
{
    return work->options->steady ? static_rotate(work) : work->options->path ? follow_path(work) : rest(work);
}

/* The equilibrium, or, where critical loads are asked for and the loads as they are have none, that without loads. */
static phx_status find_beside(static_work *work)
{
    phx_start_point *at = &work->at;
    phx_path_options options = phx_path_options_default();
    const size_t bytes = (size_t)at->dae->n_x * sizeof *at->x;
    double *start = work->options->buckling > 0 ? phx_calloc(work->context, (size_t)at->dae->n_x, sizeof *start) : NULL;

    if (work->options->buckling > 0 && !start)
        return PHX_ERR_MEMORY;
    if (start)
        memcpy(start, at->x, bytes);
    phx_status status = static_find(work);
    if (status == PHX_ERR_ANALYSIS && start && work->report->rows == 0) {
        phx_log(work->context, PHX_LOG_WARNING, "%s; the result is the state without loads",
                phx_context_message(work->context));
        phx_context_clear(work->context);
        memcpy(at->x, start, bytes);
        options.t = work->options->t;
        options.points = 1;
        options.deliver = record;
        options.user = work;
        status = phx_system_static_path(at->dae, &options, at->x, at->lambda, &work->report->found);
    }
    phx_free(start);
    return status;
}

/* Builds the model with its start state, recorder and watch of limits; the start is that of a result if the model
 * names one. */
static phx_status static_prepare(static_work *work)
{
    phx_context *context = work->context;
    const phx_build_options build = {.without_outputs = false};
    const phx_start_options start = {0};
    phx_start_point *at = &work->at;
    phx_status status = phx_start_point_create(context, work->model, &build, &start, false, at);

    if (!status) {
        char left_out[200];
        phx_forces_left_out(at->system, sizeof left_out, left_out);
        phx_warn_left_out(context, left_out);
    }
    if (!status)
        status = phx_warn_of_sizes(context, work->model, at->system);
    if (!status)
        status = phx_drawing_create(context, work->model, at->system, &work->drawing);
    if (!status)
        status = phx_limits_create(context, work->model, at->system, &work->limits);
    if (status)
        return status;
    work->n_columns =
        PHX_FIXED_COLUMNS + OWN_COLUMNS + phx_system_columns(at->system) + phx_system_controller_columns(at->system);
    work->row =
        phx_calloc(context, (size_t)(work->n_columns + phx_scene_factors(&work->drawing.scene)), sizeof *work->row);
    work->rest = phx_calloc(context, (size_t)at->dae->n_v, sizeof *work->rest);
    at->lambda = phx_calloc(context, (size_t)at->dae->n_l, sizeof *at->lambda);
    if (!work->row || !work->rest || !at->lambda)
        return PHX_ERR_MEMORY;
    work->report->bodies = phx_system_bodies(at->system);
    work->report->velocities = at->dae->n_v;
    work->report->constraints = at->dae->n_l;
    work->report->redundant = phx_system_redundant(at->system);
    if (work->model->initial.from) {
        double t;
        status = phx_start_point_continue(context, work->model, &work->drawing, at, &t);
    }
    return status ? status : open_recorder(work);
}

/* Warnings, and the attributes of the result. */
static phx_status static_finish(static_work *work)
{
    const phx_study_static_report *report = work->report;
    const phx_static_report *found = &report->found;
    const phx_attribute attributes[] = {{"iterations", NULL, found->iterations},
                                        {"weight", NULL, found->weight},
                                        {"unbalanced_force", NULL, found->unbalanced},
                                        {"free_motions", NULL, found->free_motions},
                                        {"divergent", NULL, found->motions.divergent},
                                        {"fluttering", NULL, found->motions.fluttering},
                                        {"free", found->free_names, 0.0},
                                        {"limits", NULL, phx_limits_count(work->limits)}};

    if (found->unstable > 0 && found->judged)
        phx_log(work->context, PHX_LOG_WARNING, "the equilibrium is unstable%s",
                found->motions.divergent > 0 && !work->options->stable
                    ? ": it diverges; --stable searches for a stable one"
                : found->motions.divergent > 0 ? ": it diverges"
                                               : ": it flutters; no other equilibrium is searched for");
    else if (found->unstable > 0 && !work->options->path)
        phx_log(work->context, PHX_LOG_WARNING, "the equilibrium is unstable in %d direction%s%s", found->unstable,
                found->unstable == 1 ? "" : "s",
                found->circulatory      ? " by its stiffness, which is not conclusive: a load has no potential, or a "
                                          "sampled controller has no linear model"
                : work->options->stable ? ""
                                        : "; --stable searches for a stable one");
    if (found->free_motions > 0)
        phx_log(work->context, PHX_LOG_WARNING, "neither held nor loaded: %s (%d free motion%s); it stays in place",
                found->free_names, found->free_motions, found->free_motions == 1 ? "" : "s");
    phx_recording_warn(work->context, work->limits, "");
    return phx_recorder_finish(work->recorder, (int)(sizeof attributes / sizeof *attributes), attributes);
}

/* A plate or solid that bends and then turns out of its plane: its strains of second order know the turn of a port
 * about one axis, not about two. */
static void warn_of_sideways(const static_work *work)
{
    const phx_system *system = work->at.system;

    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_flex *flex = phx_body_flex(phx_system_body(system, b));
        const phx_flex_source *source = phx_system_source(system, b);
        if (flex && flex->stiffening && source && !phx_beam_definition(source))
            phx_log(work->context, PHX_LOG_WARNING,
                    "if '%s' bends before it buckles sideways, its critical loads depend on its 'frame' and may be "
                    "wrong by a factor: plates and solids ignore second-order displacements of ports that turn about "
                    "two axes. Loads along its length are right; use a rod (kind: rod) for others",
                    phx_body_name(phx_system_body(system, b)));
    }
}

/* Runs a static analysis: critical load factors if asked for, then the equilibrium, path or steady motion. After a
 * failure the recorded rows are discarded. */
static phx_status static_run(static_work *work)
{
    phx_context *context = work->context;
    phx_study_static_report *report = work->report;
    const int wanted = work->options->buckling;
    phx_status status = static_prepare(work);

    if (!status && wanted > 0)
        status = phx_model_blame(context, work->model,
                                 phx_system_buckling(work->at.dae, work->options->t, work->at.x,
                                                     wanted < PHX_STATIC_FACTORS ? wanted : PHX_STATIC_FACTORS,
                                                     report->critical, NULL, &report->n_critical, report->linear,
                                                     &report->n_linear));
    if (!status && report->n_critical + report->n_linear > 0)
        warn_of_sideways(work);
    if (!status)
        status = phx_model_blame(context, work->model, find_beside(work));
    if (!status)
        status = static_finish(work);
    else if (work->recorder)
        phx_recorder_discard(work->recorder);
    return status;
}

/* Static analysis: equilibrium, path of equilibria, steady rotation or critical loads. Refuses combinations that
 * exclude each other; the result is optional and then belongs to the caller. */
phx_status phx_study_static(phx_context *context, const phx_model *model, const phx_study_static_options *options,
                            phx_study_static_report *report, phx_result **result)
{
    if (!model || !options || !report)
        return phx_fail_null(context, __func__, "model, options or report");
    static_work work = {.context = context, .model = model, .options = options, .report = report};
    const char *const outputs[] = {options->h5_path, options->csv_path};

    *report = (phx_study_static_report){0};
    if (result)
        *result = NULL;
    phx_files_begin(context);
    phx_status status = phx_model_protect(context, model);
    if (!status)
        status = phx_files_check(context, 2, outputs);
    if (!status && options->path && (options->steps > 0 || options->stable || options->buckling > 0))
        status = phx_fail(context, PHX_ERR_INPUT,
                          "a path cannot be combined with steps, stable or buckling; leave them out");
    if (!status && options->steady && (options->path || options->steps > 0 || options->stable || options->buckling > 0))
        status = phx_fail(context, PHX_ERR_INPUT,
                          "a steady rotation cannot be combined with path, steps, stable or buckling; leave them out");
    if (!status)
        status = static_run(&work);
    if (!status && result)
        status = phx_recorder_take(work.recorder, context, result);
    phx_recorder_destroy(work.recorder);
    phx_limits_destroy(work.limits);
    phx_drawing_free(&work.drawing);
    phx_start_point_free(&work.at);
    phx_free(work.row);
    phx_free(work.rest);
    phx_files_end(context);
    return phx_conclude(context, status);
}
