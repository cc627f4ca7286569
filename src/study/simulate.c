/* A simulation from the model to its result. */
#include "accuracy.h"
#include "integrate/integrate.h"

#include <math.h>
#include <string.h>

phx_simulate_options phx_simulate_options_default(void)
{
    return (phx_simulate_options){0};
}

/* ---- settings ---- */
static phx_integrator integrator_of(const phx_simulate_options *options, const phx_model *model)
{
    const phx_model_integrator given = model->simulate.integrator;

    if (options->has_integrator)
        return options->integrator;
    return given == PHX_MODEL_AUTO ? PHX_MIDPOINT : (phx_integrator)(given - PHX_MODEL_AUTO - 1);
}

static double chosen(const phx_model_optional *given, const phx_model_optional *of_model)
{
    return given->given ? given->value : of_model->given ? of_model->value : 0.0;
}

/* Refuse an interval so short that the instants cannot be counted. */
static phx_status check_count(phx_context *context, const phx_model *model, const char *name,
                              const phx_model_optional *option, const phx_model_optional *key, double interval,
                              double end)
{
    const double MOST = 1e15;

    if (!(interval > 0.0) || end / interval <= MOST)
        return PHX_OK;
    if (option->given)
        return phx_fail(context, PHX_ERR_INPUT,
                        "--%s: %g s is too short for an end at %g s; at most %g instants can be counted, take %g s or "
                        "more",
                        name, interval, end, MOST, end / MOST);
    return phx_model_fail(context, model, key, PHX_ERR_INPUT,
                          "simulate.%s: %g s is too short for an end at %g s; at most %g instants can be counted, take "
                          "%g s or more",
                          name, interval, end, MOST, end / MOST);
}

/* Determines integrator, steps and tolerances from options and model, options first, and refuses contradictory or
 * missing settings. A requested accuracy replaces tolerances. */
phx_status phx_simulation_settle(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                                 phx_integrate_options *used)
{
    const phx_model_simulate *simulate = &model->simulate;

    *used = phx_integrate_options_default();
    used->integrator = integrator_of(options, model);
    used->end = chosen(&options->end, &simulate->end);
    used->step = chosen(&options->step, &simulate->step);
    used->every = chosen(&options->every, &simulate->every);
    used->rtol = chosen(&options->rtol, &simulate->rtol);
    used->atol = chosen(&options->atol, &simulate->atol);
    used->iterations = options->iterations > 0 ? options->iterations : simulate->iterations;
    used->real_time = options->real_time;
    const bool adaptive = phx_integrator_get(used->integrator)->chooses;
    if (!adaptive)
        used->rtol = used->atol = 0.0;
    if (!(used->end > 0.0))
        return phx_model_fail(context, model, simulate, PHX_ERR_INPUT,
                              "when does the simulation end? give simulate: {end: ...} or --end");
    const phx_accuracy asked = phx_accuracy_asked(model, options);
    const bool accurate = asked.relative > 0.0 || asked.absolute > 0.0;
    if (accurate && used->rtol > 0.0 &&
        (options->rtol.given || !(options->accuracy.given || options->accuracy_absolute.given)))
        return phx_fail(
            context, PHX_ERR_INPUT,
            "rtol controls the error of each step, accuracy the error of the result; give only one of them");
    if (accurate && (used->iterations > 0 || used->real_time))
        return phx_fail(
            context, PHX_ERR_INPUT,
            "%s needs a given step and cannot be combined with an accuracy: give simulate: {step: ...} or --step",
            used->iterations > 0 ? "a fixed number of corrections" : "real time");
    if (accurate) {
        used->rtol = used->atol = 0.0;
        if (options->accuracy.given || options->accuracy_absolute.given) /* the model's step is for no accuracy */
            used->step = options->step.value;
    }
    if (!accurate && !(used->step > 0.0) && !(used->rtol > 0.0))
        return phx_model_fail(context, model, simulate, PHX_ERR_INPUT, "%s: give simulate: {step: ...} or --step%s",
                              phx_integrator_name(used->integrator), adaptive ? ", or rtol" : "");
    if (used->atol > 0.0 && !(used->rtol > 0.0))
        return phx_model_fail(context, model, simulate, PHX_ERR_INPUT, "atol needs rtol, which is missing");
    phx_status status = check_count(context, model, "step", &options->step, &simulate->step, used->step, used->end);
    if (!status)
        status = check_count(context, model, "every", &options->every, &simulate->every, used->every, used->end);
    return status;
}

void phx_simulation_warn(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                         const phx_integrate_options *used)
{
    const bool asked = options->rtol.given || (model->simulate.rtol.given && !options->has_integrator);

    if (asked && !phx_integrator_get(used->integrator)->chooses)
        phx_log(context, PHX_LOG_WARNING, "%s has fixed steps and ignores rtol", phx_integrator_name(used->integrator));
}

phx_status phx_simulation_dae(phx_context *context, const phx_model *model, phx_system *system, phx_backend backend,
                              phx_dae **dae)
{
    const double radius = model->simulate.spectral_radius;
    phx_status status = phx_system_dae_with(system, context, radius < 1.0 ? PHX_BACKEND_PLAIN : backend, dae);

    if (!status && radius < 1.0)
        status = phx_model_blame(context, model, phx_system_spectral_radius(*dae, radius));
    return status;
}

/* ---- start state ---- */
/* Multipliers of the instant. */
static phx_status multipliers(phx_context *context, phx_simulation *s)
{
    phx_dae *dae = s->dae;
    double *v_dot = phx_calloc(context, (size_t)dae->n_v, sizeof *v_dot);
    phx_status status = v_dot ? dae->ops->accelerations(dae, s->t, s->x, s->v, v_dot, s->lambda) : PHX_ERR_MEMORY;
    phx_free(v_dot);
    return status;
}

static phx_status continue_from(phx_context *context, const phx_model *model, phx_simulation *s)
{
    const phx_status status = phx_continue_on_joints(context, model, s->dae, s->system, s->t, s->x, s->v);

    return status ? status : phx_continue_blame(context, model, multipliers(context, s));
}

/* Computes the start state: from the model with consistent multipliers, or continued from the end of a result, which
 * also sets the time. */
static phx_status start_state(phx_context *context, const phx_model *model, phx_simulation *s)
{
    const phx_start_options start = phx_start_of(model);

    s->x = phx_calloc(context, (size_t)phx_system_n_x(s->system), sizeof *s->x);
    s->v = phx_calloc(context, (size_t)phx_system_n_v(s->system), sizeof *s->v);
    if (!s->x || !s->v)
        return PHX_ERR_MEMORY;
    if (model->initial.from) {
        s->from.columns = phx_calloc(context, (size_t)phx_system_columns(s->system), sizeof *s->from.columns);
        const phx_status status = s->from.columns
                                      ? phx_continue_state(context, model, &s->drawing, s->system, &s->from, s->x, s->v)
                                      : PHX_ERR_MEMORY;
        if (status)
            return status;
        s->t = s->from.t;
    }
    s->lambda = phx_calloc(context, (size_t)phx_system_n_l(s->system), sizeof *s->lambda);
    if (!s->lambda || model->initial.from)
        return s->lambda ? PHX_OK : PHX_ERR_MEMORY;
    return phx_model_blame(context, model, phx_system_start(s->system, &start, s->x, s->v, s->lambda));
}

/* The workspace of the run. It is made behind the start state, for which the assembly has one. */
static phx_status make_workspace(phx_context *context, const phx_model *model, phx_simulation *s)
{
    phx_status status = phx_simulation_dae(context, model, s->system, s->backend, &s->dae);

    if (!status)
        status = phx_system_threads(s->dae, s->threads);
    return !status && model->initial.from ? continue_from(context, model, s) : status;
}

/* ---- the run ---- */
static phx_status check_end(phx_context *context, const phx_model *model, const phx_integrate_options *used, double t)
{
    if (used->end > t)
        return PHX_OK;
    return phx_model_fail(context, model, &model->simulate.end, PHX_ERR_INPUT,
                          "the end, %g s, does not lie after the start at %g s (a continued run counts its time on)",
                          used->end, t);
}

static void simulate_describe(const phx_system *system, const phx_dae *dae, phx_simulate_report *report)
{
    report->bodies = phx_system_bodies(system);
    report->velocities = phx_system_n_v(system);
    report->constraints = phx_system_n_l(system);
    report->redundant = phx_system_redundant(system);
    report->threads = phx_system_thread_count(dae);
    report->lossless = dae->lossless;
}

/* Warnings of the run, with the place in the file of the object they name. */
typedef struct warnings {
    phx_context *context;
    const phx_model *model;
    phx_log_fn *log;
    void *user;
} warnings;

static void log_with_place(void *user, phx_log_level level, const char *message)
{
    const warnings *to = user;
    if (!to->log)
        return;
    phx_model_blame(to->context, to->model, phx_fail(to->context, PHX_ERR_ANALYSIS, "%s", message));
    to->log(to->user, level, phx_context_message(to->context));
    phx_context_clear(to->context);
}

static phx_status integrate(phx_context *context, const phx_model *model, phx_simulate_report *report,
                            phx_simulation *s)
{
    warnings to = {.context = context, .model = model};
    phx_context_get_log(context, &to.log, &to.user);
    phx_context_set_log(context, log_with_place, &to);
    const phx_status status = phx_integrate(s->dae, &report->used, &s->t, s->x, s->v, s->lambda, phx_recording_sample,
                                            &s->recording, &report->stats);
    phx_context_set_log(context, to.log, to.user);
    return status;
}

/* Simulates once with fixed settings: builds, assembles, integrates and records. The caller finishes the recording and
 * frees s in any case. */
phx_status phx_simulation_run_fixed(phx_context *context, const phx_model *model, const phx_simulation_setup *setup,
                                    phx_simulate_report *report, phx_simulation *s)
{
    const phx_build_options build = {.cache = setup->cache};

    *report = (phx_simulate_report){0};
    *s = (phx_simulation){.backend = setup->options->backend, .threads = setup->threads};
    phx_status status = phx_simulation_settle(context, model, setup->options, &report->used);
    report->used.aligned = setup->aligned;
    if (!status)
        status = phx_model_build(context, model, &build, &s->system);
    if (!status)
        status = phx_start_judge(context, model, s->system, setup->tells);
    if (!status && setup->tells)
        status = phx_warn_of_sizes(context, model, s->system);
    if (!status)
        status = phx_drawing_create(context, model, s->system, &s->drawing);
    if (!status && !phx_events_needed(s->system, model->n_events))
        phx_system_starts_once(s->system);
    if (!status)
        status = start_state(context, model, s);
    if (!status)
        status = make_workspace(context, model, s);
    if (!status)
        status = check_end(context, model, &report->used, s->t);
    if (!status)
        status = phx_system_find_breaks(s->system, s->t, report->used.end);
    if (status)
        return status;
    simulate_describe(s->system, s->dae, report);
    status = phx_recording_create(context, model, s->system, &s->drawing, setup, report, &s->recording);
    if (!status && s->from.columns) /* attitudes keep their signs */
        memcpy(s->recording.row + PHX_FIXED_COLUMNS, s->from.columns,
               (size_t)phx_system_columns(s->system) * sizeof *s->from.columns);
    if (!status && (model->n_events > 0 || s->from.events))
        status = phx_recording_switched(&s->recording);
    if (!status)
        status = phx_events_needed(s->system, model->n_events) ? phx_simulation_with_events(context, model, report, s)
                                                               : integrate(context, model, report, s);
    if (!status)
        phx_monitor_conclude(&s->recording.monitor, context);
    return status == PHX_ERR_ANALYSIS || status == PHX_NOT_CONVERGED ? phx_model_blame(context, model, status) : status;
}

phx_status phx_simulation_run(phx_context *context, const phx_model *model, const phx_simulation_setup *setup,
                              phx_simulate_report *report, phx_simulation *s)
{
    const phx_accuracy asked = phx_accuracy_asked(model, setup->options);

    *report = (phx_simulate_report){0};
    *s = (phx_simulation){0};
    return asked.relative > 0.0 || asked.absolute > 0.0 ? phx_accuracy_run(context, model, setup, report, s)
                                                        : phx_simulation_run_fixed(context, model, setup, report, s);
}

void phx_simulation_free(phx_simulation *s)
{
    phx_recording_free(&s->recording);
    phx_drawing_free(&s->drawing);
    phx_system_dae_destroy(s->dae);
    phx_system_destroy(s->system);
    phx_free(s->x);
    phx_free(s->v);
    phx_free(s->lambda);
    phx_free(s->from.columns);
    *s = (phx_simulation){0};
}

/* Simulates the model and writes its results; *result is also set after a failed run if rows could be kept. */
static phx_status simulate(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                           phx_simulate_report *report, phx_result **result)
{
    const phx_simulation_setup setup = {.options = options,
                                        .threads = options->threads,
                                        .h5_path = options->h5_path,
                                        .csv_path = options->csv_path,
                                        .in_memory = result != NULL,
                                        .tells = true};
    phx_simulation s;
    phx_integrate_options used;
    const char *const outputs[] = {options->h5_path, options->csv_path};
    phx_status ready = phx_model_protect(context, model);
    if (!ready)
        ready = phx_files_check(context, 2, outputs);
    if (ready)
        return ready;
    if (phx_simulation_settle(context, model, options, &used) == PHX_OK)
        phx_simulation_warn(context, model, options, &used);
    const phx_status status = phx_simulation_run(context, model, &setup, report, &s);
    phx_status finished = phx_recording_finish(&s.recording, status);
    if (result && s.recording.recorder && finished != PHX_ERR_MEMORY) {
        const phx_status taken = phx_recorder_take(s.recording.recorder, context, result);
        finished = finished ? finished : taken;
    }

    phx_simulation_free(&s);
    return phx_conclude(context, finished);
}

phx_status phx_study_simulate_result(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                                     phx_simulate_report *report, phx_result **result)
{
    if (!model || !options || !report)
        return phx_fail_null(context, __func__, "model, options or report");
    *report = (phx_simulate_report){0};
    if (result)
        *result = NULL;
    phx_files_begin(context);
    const phx_status status = simulate(context, model, options, report, result);
    phx_files_end(context);
    return status;
}

phx_status phx_study_simulate(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                              phx_simulate_report *report)
{
    if (!model || !options || !report)
        return phx_fail_null(context, __func__, "model, options or report");
    return phx_conclude(context, phx_study_simulate_result(context, model, options, report, NULL));
}
