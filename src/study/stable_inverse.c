/* Stable inversion: the inputs of a model that make its outputs follow motions, as a table. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* More than this part of what is needed outside the table is told. */
static const double negligible = 1e-6;

/* ---- the motions ---- */
enum { MOST_DERIVATIVES = 2 }; /* that signals have */

static void motion_of(const void *data, int output, double t, int count, double *derivatives)
{
    const phx_model_inverse *inverse = data;
    for (int d = 0; d < count; d++)
        derivatives[d] = phx_signal_derivative(inverse->motion[output], t, d);
}

/* ---- rows and steps ---- */
/* Rows each `every`, or each step, from 0 to the end; steps that divide that interval. */
static phx_status choose_rows(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                              phx_ss_trajectory *wanted)
{
    static const double ROUNDING = 1e-12; /* of a number of steps or intervals, relative */
    const phx_model_simulate *own = &model->simulate;
    const phx_model_optional end = options->end.given ? options->end : own->end;
    const phx_model_optional step = options->step.given ? options->step : own->step;
    const phx_model_optional every = options->every.given ? options->every : own->every;
    const double interval = every.given ? every.value : step.value;

    if (!end.given || !(every.given || step.given))
        return phx_fail(context, PHX_ERR_INPUT,
                        "stable inversion needs an end and an interval of its rows: give `simulate: {end: ..., every: "
                        "...}` or --end and --every");
    if (!(end.value > 0.0) || !(interval > 0.0) || (step.given && !(step.value > 0.0)) || end.value < interval)
        return phx_fail(
            context, PHX_ERR_INPUT,
            "end %g s, interval %g s, step %g s: expected numbers above 0, and an end after the first interval",
            end.value, interval, step.value);
    const double rows = floor(end.value / interval * (1.0 + ROUNDING)) + 1.0;
    const double steps = step.given ? ceil(interval / step.value * (1.0 - ROUNDING)) : 1.0;
    if (!(rows < 1e7) || !(rows * steps < 1e9))
        return phx_fail(context, PHX_ERR_INPUT, "%g rows of %g steps are more than 1e7 rows or 1e9 steps", rows, steps);
    wanted->rows = (int)rows;
    wanted->steps = (int)fmax(steps, 1.0);
    wanted->step = interval / wanted->steps;
    return PHX_OK;
}

/* ---- the table ---- */
/* The unit of a channel by the end of its name; NULL: not known by it. */
static const char *stable_inverse_unit_of(const char *name)
{
    static const char *const units[][2] = {{"fx", "N"},        {"fy", "N"},         {"fz", "N"},      {"force", "N"},
                                           {"tx", "N m"},      {"ty", "N m"},       {"tz", "N m"},    {"x", "m"},
                                           {"y", "m"},         {"z", "m"},          {"angle", "rad"}, {"anglex", "rad"},
                                           {"angley", "rad"},  {"anglez", "rad"},   {"vx", "m/s"},    {"vy", "m/s"},
                                           {"vz", "m/s"},      {"ax", "m/s^2"},     {"ay", "m/s^2"},  {"az", "m/s^2"},
                                           {"omega", "rad/s"}, {"alpha", "rad/s^2"}};
    const char *end = strrchr(name, '.');

    for (size_t k = 0; end && k < sizeof units / sizeof *units; k++)
        if (!strcmp(end + 1, units[k][0]))
            return units[k][1];
    return NULL;
}

/* The results: rows of inputs and of states. */
typedef struct answer {
    const phx_ss *ss;
    phx_ss_trajectory wanted;
    double *u, *x;
} answer;

/* Opens the table of a stable inversion: time, inputs, outputs and states of the linear model. */
static phx_status open_table(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                             const answer *reply, phx_recorder **recorder)
{
    const int m = phx_ss_inputs(reply->ss), n = phx_ss_n(reply->ss), count = 1 + 2 * m + n;
    phx_record_column *columns = phx_calloc(context, (size_t)count, sizeof *columns);
    phx_recorder_def def = phx_recorder_def_default();

    if (!columns)
        return PHX_ERR_MEMORY;
    columns[0] = (phx_record_column){"t", "s"};
    for (int k = 0; k < m; k++) {
        const char *input = phx_ss_input(reply->ss, k), *output = phx_ss_output(reply->ss, k);
        columns[1 + k] = (phx_record_column){input, stable_inverse_unit_of(input)};
        columns[1 + m + k] = (phx_record_column){output, stable_inverse_unit_of(output)};
    }
    for (int k = 0; k < n; k++)
        columns[1 + 2 * m + k] = (phx_record_column){phx_ss_state(reply->ss, k), NULL};
    def.csv_path = options->csv_path;
    def.dimension = model->dimension;
    def.n_columns = count;
    def.columns = columns;
    def.model_name = model->title;
    def.model_text = model->text;
    def.program_version = phx_version();
    def.in_memory = true;
    const phx_status status = phx_recorder_create(context, &def, recorder);
    phx_free(columns);
    return status;
}

/* Appends the rows of the inversion: computed inputs, prescribed outputs and states at each instant. */
static phx_status stable_inverse_fill(phx_context *context, const phx_model *model, const answer *reply,
                                      phx_recorder *recorder)
{
    const int m = phx_ss_inputs(reply->ss), n = phx_ss_n(reply->ss);
    double *row = phx_calloc(context, (size_t)(1 + 2 * m + n), sizeof *row);
    phx_status status = row ? PHX_OK : PHX_ERR_MEMORY;

    for (int r = 0; r < reply->wanted.rows && !status; r++) {
        row[0] = r * reply->wanted.steps * reply->wanted.step;
        memcpy(row + 1, reply->u + (size_t)r * (size_t)m, (size_t)m * sizeof *row);
        for (int k = 0; k < m; k++)
            row[1 + m + k] = phx_signal_value(model->inverse.motion[k], row[0]);
        memcpy(row + 1 + 2 * m, reply->x + (size_t)r * (size_t)n, (size_t)n * sizeof *row);
        status = phx_recorder_append(recorder, row, NULL, NULL);
    }
    phx_free(row);
    return status;
}

/* Fills and finishes the table of a stable inversion and hands it to the caller if table is given. */
static phx_status stable_inverse_make_table(phx_context *context, const phx_model *model,
                                            const phx_simulate_options *options, const answer *reply,
                                            phx_result **table)
{
    phx_recorder *recorder = NULL;
    phx_status status = open_table(context, model, options, reply, &recorder);

    if (!status)
        status = stable_inverse_fill(context, model, reply, recorder);
    if (!status)
        status = phx_recorder_finish(recorder, 0, NULL);
    if (!status && table)
        status = phx_recorder_take(recorder, context, table);
    phx_recorder_destroy(recorder);
    return status;
}

/* ---- the inversion ---- */
/* The linear model of the inputs and outputs asked for, in their order. */
static phx_status stable_inverse_make_system(phx_context *context, const phx_model *model, phx_ss **ss, double *unrest)
{
    phx_study_linearize_options options = phx_study_linearize_options_default();
    const phx_model_inverse *inverse = &model->inverse;
    phx_linear_point point = {.warn = true};
    phx_ss *all = NULL;

    options.channels.inputs = inverse->inputs;
    options.channels.n_inputs = inverse->n_inputs;
    options.channels.outputs = inverse->outputs;
    options.channels.n_outputs = inverse->n_outputs;
    phx_status status = phx_linear_point_create(context, model, &options, &point);
    if (!status)
        status = phx_linearised_ss(context, point.linearised, &all);
    if (!status) /* what controllers act with is left out */
        status = phx_ss_sub(context, all, inverse->n_outputs, inverse->outputs, inverse->n_inputs, inverse->inputs, ss);
    if (!status) {
        *unrest = point.unrest.held;
        phx_unrest_warn(context, &point.unrest);
    }
    phx_ss_destroy(all);
    phx_casimirs_free(point.n_casimirs, point.casimirs);
    phx_linearised_destroy(point.linearised);
    return status;
}

static phx_status check_degrees(phx_context *context, const phx_ss *ss, const phx_ss_inversion *inversion)
{
    for (int k = 0; k < phx_ss_outputs(ss); k++)
        if (phx_ss_inversion_degree(inversion, k) > MOST_DERIVATIVES)
            return phx_fail(context, PHX_ERR_UNSUPPORTED,
                            "the inputs reach the output '%s' only through springs, in its derivative of order %d; "
                            "motions have derivatives up to order %d. Give the point a mass, or choose an output that "
                            "the inputs accelerate directly",
                            phx_ss_output(ss, k), phx_ss_inversion_degree(inversion, k), MOST_DERIVATIVES);
    return PHX_OK;
}

/* Reports duration, sizes and zeros of an inversion, with the slowest zero in the right half-plane. */
static void stable_inverse_describe(const phx_ss_inversion *inversion, const answer *reply,
                                    phx_stable_inverse_report *report)
{
    const double *re = NULL;

    report->to = (reply->wanted.rows - 1) * reply->wanted.steps * reply->wanted.step;
    report->rows = (size_t)reply->wanted.rows;
    report->inputs = phx_ss_inputs(reply->ss);
    report->states = phx_ss_n(reply->ss);
    report->zeros = phx_ss_inversion_zeros(inversion, &re, NULL);
    report->antistable = phx_ss_inversion_antistable(inversion);
    const double edge = negligible / report->to;
    for (int k = 0; k < report->zeros; k++)
        if (re[k] > edge && (report->slowest == 0.0 || re[k] < report->slowest))
            report->slowest = re[k];
}

/* Warns if the inputs would have to act before the start, or if unobserved motion remains at the end; proposes a later
 * start, from the slowest unstable zero. */
static void tell_ends(phx_context *context, const phx_stable_inverse_report *report)
{
    if (report->early > negligible)
        phx_log(context, PHX_LOG_WARNING,
                "the inputs would have to act before t = 0 (internal motion of %.2g of its maximum at the start); "
                "begin the motion %.3g s later",
                report->early, log(report->early / negligible) / report->slowest);
    if (report->late > negligible)
        phx_log(
            context, PHX_LOG_WARNING,
            "internal motion remains at the end (%.2g of its maximum); use a later end, unless the motion is undamped",
            report->late);
}

/* Computes inputs and states of the linear model for the prescribed outputs by stable inversion, and reports zeros and
 * ends. Fails if the model cannot be inverted or a relative degree exceeds the derivatives that motions have. */
static phx_status stable_inverse_invert(phx_context *context, const phx_model *model, answer *reply,
                                        phx_stable_inverse_report *report)
{
    phx_ss_inversion *inversion = NULL;
    phx_ss_inversion_report ends = {0};
    const double duration = (reply->wanted.rows - 1) * reply->wanted.steps * reply->wanted.step;
    const size_t rows = (size_t)reply->wanted.rows;
    phx_status status = phx_ss_inversion_create(context, reply->ss, negligible / duration, &inversion);

    if (status == PHX_SINGULAR)
        status = phx_fail_prefix(context, PHX_ERR_ANALYSIS, "stable inversion: ");
    if (!status)
        status = check_degrees(context, reply->ss, inversion);
    reply->u = phx_calloc(context, rows * (size_t)phx_ss_inputs(reply->ss), sizeof *reply->u);
    reply->x = phx_calloc(context, rows * (size_t)phx_ss_n(reply->ss), sizeof *reply->x);
    if (!status && (!reply->u || !reply->x))
        status = PHX_ERR_MEMORY;
    reply->wanted.motion = motion_of;
    reply->wanted.data = &model->inverse;
    if (!status)
        status = phx_ss_inversion_follow(context, inversion, &reply->wanted, reply->u, reply->x, &ends);
    if (!status) {
        stable_inverse_describe(inversion, reply, report);
        report->early = ends.early;
        report->late = ends.late;
        tell_ends(context, report);
    }
    phx_ss_inversion_destroy(inversion);
    return status;
}

/* Linearises the model, inverts it along the prescribed motion and writes the table. */
static phx_status stable_inverse_run(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                                     phx_stable_inverse_report *report, phx_result **table)
{
    phx_ss *ss = NULL;
    answer reply = {0};
    phx_status status = choose_rows(context, model, options, &reply.wanted);

    if (!status)
        status = stable_inverse_make_system(context, model, &ss, &report->unrest);
    reply.ss = ss;
    if (!status)
        status = stable_inverse_invert(context, model, &reply, report);
    if (!status)
        status = stable_inverse_make_table(context, model, options, &reply, table);
    phx_free(reply.u);
    phx_free(reply.x);
    phx_ss_destroy(ss);
    return status;
}

/* Bounded inputs for prescribed outputs of a linear model, also with unstable zeros. The table is optional and then
 * belongs to the caller. */
phx_status phx_study_stable_inverse(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                                    phx_stable_inverse_report *report, phx_result **table)
{
    if (!model || !options || !report)
        return phx_fail_null(context, __func__, "model, options or report");
    const char *const outputs[] = {options->csv_path};

    *report = (phx_stable_inverse_report){0};
    if (table)
        *table = NULL;
    phx_files_begin(context);
    phx_status status = phx_model_protect(context, model);
    if (!status)
        status = phx_files_check(context, 1, outputs);
    if (!status && !model->inverse.given)
        status = phx_fail(context, PHX_ERR_INPUT,
                          "stable inversion needs `inverse: {inputs: ..., motion: ...}` in the model");
    if (!status)
        status = stable_inverse_run(context, model, options, report, table);
    phx_files_end(context);
    return phx_conclude(context, status);
}
