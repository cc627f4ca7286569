/* Records the instants of a simulation. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 300 };

static const phx_record_column fixed_columns[PHX_FIXED_COLUMNS] = {
    {"t", "s"},        {"kinetic", "J"},    {"elastic", "J"},  {"potential", "J"}, {"energy", "J"},
    {"supplied", "J"}, {"dissipated", "J"}, {"residual", "J"}, {"drift", "m"},     {"drift_rate", "m/s"},
};

const char *phx_fixed_column_name(int column)
{
    return fixed_columns[column].name;
}

const char *phx_recording_column(const phx_system *system, int k, size_t size, char *name)
{
    const int outputs = phx_system_columns(system);

    if (k >= outputs)
        return phx_system_controller_column(system, k - outputs, name, size);
    phx_system_column_name(system, k, name, size);
    return phx_system_column_unit(system, k);
}

/* Creates the columns of a recording: the fixed ones, then n_more given ones, then outputs and controllers. The caller
 * frees columns and names, also after a failure. */
phx_status phx_recording_columns(phx_context *context, const phx_system *system, int n_more,
                                 const phx_record_column *more, phx_record_column **columns, char **names)
{
    const int n = phx_system_columns(system) + phx_system_controller_columns(system);

    *columns = phx_calloc(context, (size_t)(PHX_FIXED_COLUMNS + n_more + n), sizeof **columns);
    *names = phx_calloc(context, (size_t)n, NAME_SIZE);
    if (!*columns || !*names)
        return PHX_ERR_MEMORY;
    memcpy(*columns, fixed_columns, sizeof fixed_columns);
    for (int k = 0; k < n_more; k++)
        (*columns)[PHX_FIXED_COLUMNS + k] = more[k];
    for (int k = 0; k < n; k++) {
        char *name = *names + (size_t)k * NAME_SIZE;
        const char *unit = phx_recording_column(system, k, NAME_SIZE, name);
        (*columns)[PHX_FIXED_COLUMNS + n_more + k] = (phx_record_column){name, unit};
    }
    return PHX_OK;
}

/* The ledger of a system, the parts NAME/1, NAME/2 ... of a beam in segments, or of a load along it, as one entry; its
 * names are stored in `names`. */
static phx_status list_ledger(phx_context *context, phx_recording *recording, phx_record_entry **entries, char **names)
{
    const phx_system *system = recording->system;
    const int n = phx_system_ledger(system);

    *entries = phx_calloc(context, (size_t)n, sizeof **entries);
    *names = phx_calloc(context, (size_t)n, NAME_SIZE);
    if (!*entries || !*names)
        return PHX_ERR_MEMORY;
    recording->n_ledger = 0;
    for (int k = 0; k < n; k++) {
        const int last = recording->n_ledger - 1;
        char *name = *names + (size_t)recording->n_ledger * NAME_SIZE;
        phx_system_ledger_name(system, k, name, NAME_SIZE);
        name[strcspn(name, "/")] = '\0';
        if (last < 0 || strcmp((*entries)[last].name, name) != 0)
            (*entries)[recording->n_ledger++] = (phx_record_entry){name, phx_system_ledger_dissipates(system, k)};
        recording->entry[k] = recording->n_ledger - 1;
    }
    return PHX_OK;
}

/* The settings of the run, then what the setup has. */
static phx_status list_attributes(phx_context *context, const phx_integrate_options *used,
                                  const phx_simulation_setup *setup, int *count, phx_attribute **attributes)
{
    const phx_attribute settings[] = {
        {"end", NULL, used->end},   {"step", NULL, used->step}, {"every", NULL, used->every},
        {"rtol", NULL, used->rtol}, {"atol", NULL, used->atol},
    };
    const int n = (int)(sizeof settings / sizeof *settings);
    phx_attribute *list = phx_calloc(context, (size_t)(n + setup->n_attributes), sizeof *list);

    if (!list)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n + setup->n_attributes; k++)
        list[k] = k < n ? settings[k] : setup->attributes[k - n];
    *attributes = list;
    *count = n + setup->n_attributes;
    return PHX_OK;
}

/* Opens the result files with columns, energy ledger, drawn bodies and attributes of the run; an error of the files'
 * context is passed on. */
static phx_status open_recorder(phx_context *context, const phx_model *model, const phx_drawing *drawing,
                                const phx_simulation_setup *setup, phx_recording *recording)
{
    const phx_integrate_options *used = &recording->report->used;
    phx_attribute *attributes = NULL;
    phx_recorder_def def = phx_recorder_def_default();
    phx_record_column *columns = NULL;
    phx_record_entry *ledger = NULL;
    char *names = NULL, *ledger_names = NULL;
    phx_status status = phx_recording_columns(context, recording->system, 0, NULL, &columns, &names);
    if (!status)
        status = list_ledger(context, recording, &ledger, &ledger_names);

    if (!status)
        status = list_attributes(context, used, setup, &def.n_attributes, &attributes);
    if (!status) {
        def.h5_path = setup->h5_path;
        def.csv_path = setup->csv_path;
        def.dimension = model->dimension;
        def.n_columns = recording->n_columns;
        def.columns = columns;
        def.n_ledger = recording->n_ledger;
        def.ledger = ledger;
        def.n_x = phx_system_n_x(recording->system);
        def.n_v = phx_system_n_v(recording->system);
        def.n_bodies = drawing->n_bodies;
        def.bodies = drawing->bodies;
        def.scene = &drawing->scene;
        def.model_name = model->title;
        def.model_text = model->text;
        def.program_version = phx_version();
        def.integrator = phx_integrator_name(used->integrator);
        def.attributes = attributes;
        def.in_memory = setup->in_memory;
        if (setup->no_checkpoints)
            def.checkpoint_interval = INFINITY;
        status = phx_recorder_create(recording->files, &def, &recording->recorder);
        if (status && recording->files != context)
            phx_fail(context, status, "%s", phx_context_message(recording->files));
    }
    phx_free(attributes);
    phx_free(columns);
    phx_free(names);
    phx_free(ledger);
    phx_free(ledger_names);
    return status;
}

/* Prepares the recording of a simulation: monitor, watch of limits, evaluator of outputs, and result files if any are
 * asked for. Empty after a failure. */
phx_status phx_recording_create(phx_context *context, const phx_model *model, phx_system *system,
                                const phx_drawing *drawing, const phx_simulation_setup *setup,
                                phx_simulate_report *report, phx_recording *recording)
{
    *recording = (phx_recording){.context = context, .system = system, .drawing = drawing, .report = report};
    recording->files = setup->files ? setup->files : context;
    recording->monitor = phx_monitor_create(system, report);
    report->shaped = phx_system_is_shaped(system);
    recording->n_columns = PHX_FIXED_COLUMNS + phx_system_columns(system) + phx_system_controller_columns(system);
    const int behind = phx_system_ledger(system) + phx_scene_factors(&drawing->scene);
    recording->row = phx_calloc(context, (size_t)(recording->n_columns + behind), sizeof *recording->row);
    recording->entry = phx_calloc(context, (size_t)phx_system_ledger(system), sizeof *recording->entry);
    recording->before = phx_calloc(context, (size_t)recording->n_columns, sizeof *recording->before);
    recording->least = phx_calloc(context, (size_t)recording->n_columns, sizeof *recording->least);
    recording->most = phx_calloc(context, (size_t)recording->n_columns, sizeof *recording->most);
    const bool made = recording->row && recording->entry && recording->before && recording->least && recording->most;
    phx_status status = made ? PHX_OK : PHX_ERR_MEMORY;
    recording->strict = setup->options->strict || model->simulate.strict;
    recording->trace = setup->trace;
    recording->rows_every = setup->rows_every;
    if (!status)
        status = phx_limits_create(context, model, system, &recording->limits);
    if (!status)
        status = setup->accelerates || phx_events_needed(system, model->n_events)
                     ? phx_system_dae(system, context, &recording->dae)
                     : phx_system_observer(system, context, &recording->dae);
    if (!status && (setup->h5_path || setup->csv_path || setup->in_memory))
        status = open_recorder(context, model, drawing, setup, recording);
    if (status)
        phx_recording_free(recording);
    return status;
}

void phx_recording_free(phx_recording *recording)
{
    phx_recorder_destroy(recording->recorder);
    phx_limits_destroy(recording->limits);
    phx_system_dae_destroy(recording->dae);
    phx_free(recording->row);
    phx_free(recording->entry);
    phx_free(recording->before);
    phx_free(recording->least);
    phx_free(recording->most);
    *recording = (phx_recording){0};
}

static void remember_largest(phx_simulate_report *report, const double *row)
{
    const double energy =
        fmax(fabs(row[PHX_COLUMN_ENERGY]), fmax(fabs(row[PHX_COLUMN_KINETIC]), fabs(row[PHX_COLUMN_ELASTIC])));

    report->largest_energy = fmax(report->largest_energy, energy);
    report->largest_residual = fmax(report->largest_residual, fabs(row[PHX_COLUMN_RESIDUAL]));
    report->largest_drift = fmax(report->largest_drift, row[PHX_COLUMN_DRIFT]);
    report->largest_drift_rate = fmax(report->largest_drift_rate, row[PHX_COLUMN_DRIFT_RATE]);
    report->reached = row[PHX_COLUMN_T];
    report->rows++;
}

/* The energy of the closed loop: does it fall? */
static void follow_shaped(phx_recording *recording)
{
    phx_simulate_report *report = recording->report;
    const int column = recording->n_columns - 2;
    const double energy = recording->row[column];

    if (!report->shaped)
        return;
    if (report->rows == 0)
        report->shaped_from = recording->shaped_least = energy;
    recording->shaped_least = fmin(recording->shaped_least, energy);
    report->shaped_rise = fmax(report->shaped_rise, energy - recording->shaped_least);
    report->shaped_to = energy;
}

static void remember_range(phx_recording *recording)
{
    const bool first = recording->report->rows == 0;

    for (int k = 0; k < recording->n_columns; k++) {
        const double value = recording->row[k];
        recording->least[k] = first || value < recording->least[k] ? value : recording->least[k];
        recording->most[k] = first || value > recording->most[k] ? value : recording->most[k];
    }
}

/* An energy that is not finite ends every run, an exceeded limit of validity only strict ones. */
static phx_status look_at_limits(phx_recording *recording, const phx_sample *sample, const phx_energies *energies)
{
    phx_limits *limits = recording->limits;
    const bool found = phx_limits_look(limits, sample->t, sample->x, sample->v, energies);

    recording->report->limits = phx_limits_count(limits);
    if (!isfinite(recording->row[PHX_COLUMN_ENERGY]))
        return phx_fail(recording->context, PHX_ERR_ANALYSIS,
                        "the energy is %g at t = %.9g s: the motion has diverged; try a smaller step, or look for an "
                        "instability",
                        recording->row[PHX_COLUMN_ENERGY], sample->t);
    if (found && recording->strict)
        return phx_fail(recording->context, PHX_ERR_ANALYSIS, "%s (the run is strict)",
                        phx_limits_finding(limits, 0).text);
    return PHX_OK;
}

void phx_put_balance(double *row, double t, const phx_energies *energies, const phx_work *work, double energy0)
{
    row[PHX_COLUMN_T] = t;
    row[PHX_COLUMN_KINETIC] = energies->kinetic;
    row[PHX_COLUMN_ELASTIC] = energies->elastic;
    row[PHX_COLUMN_POTENTIAL] = energies->potential;
    row[PHX_COLUMN_ENERGY] = phx_total_energy(energies);
    row[PHX_COLUMN_SUPPLIED] = work->supplied;
    row[PHX_COLUMN_DISSIPATED] = work->dissipated;
    row[PHX_COLUMN_RESIDUAL] = row[PHX_COLUMN_ENERGY] - energy0 - work->supplied + work->dissipated;
}

/* Whether a row at t belongs to the result: not if it is an output instant for the trace alone. */
static bool is_row(const phx_recording *recording, double t)
{
    static const double ON_TIME = 1e-6; /* parts of the interval: instants that agree */
    const phx_integrate_options *used = &recording->report->used;
    const double from = t - recording->report->from, every = recording->rows_every, interval = used->every;

    return every == 0.0 || t >= used->end || fabs(from - every * round(from / every)) <= ON_TIME * interval ||
           fabs(from - interval * round(from / interval)) > ON_TIME * interval;
}

/* Records the state at one instant: energies, drifts, outputs, controllers and ledger. Fails also if the monitor finds
 * an open balance or a strict limit is exceeded. */
phx_status phx_recording_sample(void *user, const phx_sample *sample)
{
    phx_recording *recording = user;
    phx_dae *dae = recording->dae;
    double *row = recording->row, drift[2] = {0.0, 0.0};
    phx_energies energies;

    memcpy(recording->before, row, (size_t)recording->n_columns * sizeof *row);
    phx_system_energies(recording->system, sample->x, sample->v, &energies);
    if (!recording->started) {
        recording->started = true;
        recording->energy0 = phx_total_energy(&energies);
        recording->report->from = sample->t;
    }
    phx_put_balance(row, sample->t, &energies, &sample->work, recording->energy0);
    phx_status status = phx_system_observe(dae, sample->t, sample->x, sample->v, drift, row + PHX_FIXED_COLUMNS);
    row[PHX_COLUMN_DRIFT] = drift[0];
    row[PHX_COLUMN_DRIFT_RATE] = drift[1];
    if (!status)
        status = phx_system_controller_values(dae, sample->t, sample->x, sample->v,
                                              row + PHX_FIXED_COLUMNS + phx_system_columns(recording->system));
    if (status)
        return phx_fail_prefix(recording->context, status, "the outputs at t = %.9g s: ", sample->t);
    phx_system_continue_attitudes(recording->system, recording->before + PHX_FIXED_COLUMNS, row + PHX_FIXED_COLUMNS);
    if (recording->trace)
        status = phx_trace_look(recording->trace, sample->t, row + PHX_FIXED_COLUMNS);
    if (status)
        return status;
    memset(row + recording->n_columns, 0, (size_t)recording->n_ledger * sizeof *row);
    for (int k = 0; k < phx_system_ledger(recording->system) && recording->n_ledger > 0; k++)
        row[recording->n_columns + recording->entry[k]] += sample->ledger[k];
    phx_drawing_factors(recording->drawing, dae, sample->t, row + recording->n_columns + recording->n_ledger);
    if (recording->recorder && is_row(recording, sample->t))
        status = phx_recorder_append(recording->recorder, row, sample->x, sample->v);
    if (status && recording->files != recording->context)
        return phx_fail(recording->context, status, "%s", phx_context_message(recording->files));
    if (status)
        return status;
    follow_shaped(recording);
    remember_range(recording);
    remember_largest(recording->report, row);
    const phx_status checked = phx_monitor_look(&recording->monitor, recording->context, row, sample->x, sample->v);

    return checked ? checked : look_at_limits(recording, sample, &energies);
}

/* Stores which joints, drives and forces are active in the result file, so that a later run can continue from it. */
phx_status phx_recording_switched(phx_recording *recording)
{
    phx_archive *archive = NULL;
    size_t size = 0;
    phx_status status = recording->recorder ? phx_archive_create(recording->context, &archive) : PHX_OK;

    if (status || !archive)
        return status;
    phx_system_archive_switched(archive, recording->system, NULL);
    const void *bytes = phx_archive_bytes(archive, &size);
    status = phx_archive_status(archive);
    if (!status)
        status = phx_recorder_set_switched(recording->recorder, size, bytes);
    phx_archive_destroy(archive);
    return status;
}

void phx_recording_warn(phx_context *context, phx_limits *limits, const char *before)
{
    for (int k = 0; k < phx_limits_count(limits); k++)
        phx_log(context, PHX_LOG_WARNING, "%s%s", before, phx_limits_finding(limits, k).text);
}

/* The numbers of the run. Returns how many; `list` NULL: only that. */
static int list_numbers(const phx_simulate_report *report, phx_attribute *list)
{
    const phx_integrate_stats *stats = &report->stats;
    const phx_step_times *times = &stats->times;
    const phx_attribute always[] = {
        {"steps", NULL, (double)stats->steps},
        {"halvings", NULL, (double)stats->halvings},
        {"newton_iterations", NULL, (double)stats->newton_iterations},
        {"factorisations", NULL, (double)stats->factorisations},
        {"largest_energy", NULL, report->largest_energy},
        {"largest_residual", NULL, report->largest_residual},
        {"largest_drift", NULL, report->largest_drift},
    };
    const phx_attribute counted[] = {
        {"iterations", NULL, report->used.iterations},
        {"unsettled_steps", NULL, (double)stats->unsettled},
        {"correction_left", NULL, stats->correction_left},
        {"energy_left", NULL, stats->energy_left},
    };
    const phx_attribute timed[] = {
        {"step_time_median", NULL, times->median},        {"step_time_99", NULL, times->percent99},
        {"step_time_worst", NULL, times->worst},          {"step_time_worst_at", NULL, times->worst_at},
        {"deadline_misses", NULL, (double)times->misses},
    };
    const phx_attribute shaped[] = {{"closed_loop_rise", NULL, report->shaped_rise}};
    const struct {
        int count;
        const phx_attribute *list;
    } part[] = {{sizeof always / sizeof *always, always},
                {report->used.iterations > 0 ? sizeof counted / sizeof *counted : 0, counted},
                {times->steps > 0 ? sizeof timed / sizeof *timed : 0, timed},
                {report->shaped ? sizeof shaped / sizeof *shaped : 0, shaped}};
    int n = 0;

    for (size_t p = 0; p < sizeof part / sizeof *part; p++)
        for (int k = 0; k < part[p].count; k++, n++)
            if (list)
                list[n] = part[p].list[k];
    return n;
}

/* The numbers of the run, and a text for each limit that was exceeded. */
phx_status phx_recording_complete(phx_context *context, phx_recorder *recorder, const phx_simulate_report *report,
                                  phx_limits *limits)
{
    enum { NAME = 24 };
    const int numbers = list_numbers(report, NULL), found = phx_limits_count(limits);
    phx_attribute *attributes = phx_calloc(context, (size_t)(numbers + 1 + found), sizeof *attributes);
    char(*names)[NAME] = phx_calloc(context, (size_t)found, NAME);
    char **texts = phx_calloc(context, (size_t)found, sizeof(char *));
    phx_status status = attributes && names && texts ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        list_numbers(report, attributes);
        attributes[numbers] = (phx_attribute){"limits", NULL, (double)found};
    }
    for (int k = 0; k < found && !status; k++) {
        snprintf(names[k], NAME, "limit_%d", k + 1);
        texts[k] = phx_strdup(context, phx_limits_finding(limits, k).text);
        attributes[numbers + 1 + k] = (phx_attribute){names[k], texts[k], 0.0};
        status = texts[k] ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (!status)
        status = phx_recorder_finish(recorder, found ? numbers + 1 + found : numbers, attributes);
    for (int k = 0; texts && k < found; k++)
        phx_free(texts[k]);
    phx_free(texts);
    phx_free(names);
    phx_free(attributes);
    return status;
}

/* Ends a recording and returns the final status. After a success the files are completed; after a failure the result
 * so far is stored with the reason. */
phx_status phx_recording_finish(phx_recording *recording, phx_status status)
{
    if (!recording->strict || !status)
        phx_recording_warn(recording->context, recording->limits, "");
    if (!recording->recorder)
        return status;
    if (!status)
        return phx_recording_complete(recording->context, recording->recorder, recording->report, recording->limits);
    const char *message = phx_context_message(recording->context);
    char *reason = phx_strdup(NULL, message[0] ? message : phx_status_text(status));
    const phx_status stored = phx_recorder_abandon(recording->recorder, reason ? reason : phx_status_text(status));
    if (stored) /* the message begins with the reason why the run stopped */
        phx_fail_prefix(recording->context, status, "%s; in addition, the partial result could not be saved: ",
                        reason ? reason : phx_status_text(status));
    phx_free(reason);
    return status;
}
