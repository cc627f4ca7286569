/* Inverse dynamics: what the drives of a model exert along their motion, as a table. */
#include "internal.h"

#include "dae/dae.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 300 };

static const char *const quantities[PHX_DRIVE_VALUES] = {
    [PHX_DRIVE_EFFORT] = "effort", [PHX_DRIVE_COORDINATE] = "coordinate", [PHX_DRIVE_RATE] = "rate"};
static const char *const units[2][PHX_DRIVE_VALUES] = {
    {[PHX_DRIVE_EFFORT] = "N", [PHX_DRIVE_COORDINATE] = "m", [PHX_DRIVE_RATE] = "m/s"},
    {[PHX_DRIVE_EFFORT] = "N m", [PHX_DRIVE_COORDINATE] = "rad", [PHX_DRIVE_RATE] = "rad/s"}};

/* Before the run: what would make no table. */
static phx_status inverse_judge(phx_context *context, const phx_model *model, phx_beam_cache *cache)
{
    const phx_build_options build = {.cache = cache};
    phx_system *system = NULL;
    phx_dae *dae = NULL;
    phx_status status = phx_model_build(context, model, &build, &system);

    if (!status)
        status = phx_system_dae(system, context, &dae);
    if (!status && phx_system_drives(system) == 0)
        status = phx_fail(context, PHX_ERR_INPUT,
                          "no joint is driven: give a `motion` or a `speed` to the joints whose efforts are wanted");
    if (!status && phx_events_needed(system, model->n_events))
        status = phx_fail(context, PHX_ERR_UNSUPPORTED,
                          "inverse dynamics cannot include events, rigid contacts or set-valued friction, because "
                          "their impulses do not fit a table of efforts; leave them out");
    if (!status && isfinite(dae->ops->next_sample(dae, 0.0)))
        status = phx_fail(context, PHX_ERR_UNSUPPORTED,
                          "inverse dynamics cannot include sampled controllers; leave them out");
    phx_system_dae_destroy(dae);
    phx_system_destroy(system);
    return status;
}

/* Opens the table of an inverse simulation: time, and for each drive its quantities, named by joint and, if it has
 * several, by coordinate. */
static phx_status open_table(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                             const phx_simulation *s, phx_recorder **recorder)
{
    const int drives = phx_system_drives(s->system), n = 1 + drives * PHX_DRIVE_VALUES;
    phx_record_column *columns = phx_calloc(context, (size_t)n, sizeof *columns);
    char(*names)[NAME_SIZE] = phx_calloc(context, (size_t)n, NAME_SIZE);
    phx_recorder_def def = phx_recorder_def_default();
    phx_status status = columns && names ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 1; k < n && !status; k++) {
        const phx_drive drive = phx_system_drive(s->system, (k - 1) / PHX_DRIVE_VALUES);
        const int what = (k - 1) % PHX_DRIVE_VALUES;
        const char *joint = phx_system_joint_name(s->system, drive.joint);
        if (drive.of == 1)
            snprintf(names[k], NAME_SIZE, "%s.%s", joint, quantities[what]);
        else
            snprintf(names[k], NAME_SIZE, "%s.%s%d", joint, quantities[what], drive.coordinate + 1);
        columns[k] = (phx_record_column){names[k], units[drive.angular][what]};
    }
    if (!status) {
        columns[0] = (phx_record_column){"t", "s"};
        def.csv_path = options->csv_path;
        def.dimension = model->dimension;
        def.n_columns = n;
        def.columns = columns;
        def.model_name = model->title;
        def.model_text = model->text;
        def.program_version = phx_version();
        def.in_memory = true;
        status = phx_recorder_create(context, &def, recorder);
    }
    phx_free(columns);
    phx_free(names);
    return status;
}

/* The rows of the table from the states of the result. */
static phx_status inverse_fill(phx_context *context, const phx_simulation *s, const phx_result *result,
                               phx_recorder *recorder)
{
    phx_dae *dae = s->recording.dae;
    const int drives = phx_system_drives(s->system);
    double *x = phx_calloc(context, (size_t)dae->n_x, sizeof *x), *v = phx_calloc(context, (size_t)dae->n_v, sizeof *v);
    double *row = phx_calloc(context, (size_t)(1 + drives * PHX_DRIVE_VALUES), sizeof *row);
    phx_status status = x && v && row ? PHX_OK : PHX_ERR_MEMORY;

    for (size_t k = 0; k < phx_result_rows(result) && !status; k++) {
        status = phx_result_column(result, 0, k, 1, row);
        if (!status)
            status = phx_result_states(result, k, 1, x, v);
        if (!status)
            status = phx_system_drive_values(dae, row[0], x, v, row + 1);
        if (!status)
            status = phx_recorder_append(recorder, row, NULL, NULL);
    }
    phx_free(x);
    phx_free(v);
    phx_free(row);
    return status;
}

/* Fills the table of the drives from the recorded result, writes it, and hands it to the caller if table is given. */
static phx_status inverse_make_table(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                                     const phx_simulation *s, const phx_result *result, phx_result **table)
{
    phx_recorder *recorder = NULL;
    phx_status status = open_table(context, model, options, s, &recorder);

    if (!status)
        status = inverse_fill(context, s, result, recorder);
    if (!status)
        status = phx_recorder_finish(recorder, 0, NULL);
    if (!status && table)
        status = phx_recorder_take(recorder, context, table);
    phx_recorder_destroy(recorder);
    return status;
}

/* Simulates the prescribed motion, keeps the result in memory and derives the table of the drives from it. */
static phx_status inverse_run(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                              phx_beam_cache *cache, phx_simulate_report *report, phx_result **table)
{
    const phx_simulation_setup setup = {.options = options,
                                        .threads = options->threads,
                                        .cache = cache,
                                        .h5_path = options->h5_path,
                                        .in_memory = true,
                                        .accelerates = true,
                                        .tells = true};
    phx_simulation s;
    phx_result *result = NULL;
    phx_status status = phx_simulation_run(context, model, &setup, report, &s);

    status = phx_recording_finish(&s.recording, status);
    if (!status)
        status = phx_recorder_take(s.recording.recorder, context, &result);
    if (!status)
        status = inverse_make_table(context, model, options, &s, result, table);
    phx_result_destroy(result);
    phx_simulation_free(&s);
    return status;
}

/* Computes the efforts of all drives along the motion that they prescribe. Refuses models whose motion is not
 * determined; the table is optional and then belongs to the caller. */
phx_status phx_study_inverse(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                             phx_simulate_report *report, phx_result **table)
{
    if (!model || !options || !report)
        return phx_fail_null(context, __func__, "model, options or report");
    const char *const outputs[] = {options->h5_path, options->csv_path};
    phx_beam_cache *cache = NULL;

    *report = (phx_simulate_report){0};
    if (table)
        *table = NULL;
    phx_files_begin(context);
    phx_status status = phx_model_protect(context, model);
    if (!status)
        status = phx_files_check(context, 2, outputs);
    if (!status)
        status = phx_beam_cache_create(context, &cache);
    if (!status)
        status = inverse_judge(context, model, cache);
    if (!status)
        status = inverse_run(context, model, options, cache, report, table);
    phx_beam_cache_destroy(cache);
    phx_files_end(context);
    return phx_conclude(context, status);
}
