/* A simulation in the hands of a program: measure, act, step, save and restore. */
#include "internal.h"

#include <math.h>
#include <string.h>

static const char HAND[] = "inputs"; /* the controller that does what it is told */

struct phx_stepper {
    phx_context *own; /* of the system, which outlives the calls that use it */
    phx_system *system;
    phx_dae *dae, *reader; /* of the steps; of what is measured */
    phx_integrate_options options;
    double t, *x, *v, *lambda;
    phx_work work; /* since the start, in its finished calls */
    phx_work call; /* in the present one */
    double energy0;
    int n_inputs, n_columns;
    double *u;      /* n_inputs: what the inputs are held at */
    double *values; /* of the controllers, the inputs among them, in a measurement */
};

/* The message of the stepper's own context as that of the caller's. */
static phx_status pass_on(phx_context *context, const phx_stepper *s, phx_status status)
{
    return status ? phx_fail(context, status, "%s", phx_context_message(s->own)) : phx_conclude(context, PHX_OK);
}

/* ---- making ---- */
static void hold(const void *data, double t, const double *y, double *u)
{
    const phx_stepper *s = data;
    (void)t, (void)y;
    memcpy(u, s->u, (size_t)s->n_inputs * sizeof *u);
}

/* Builds the model with an additional controller whose outputs are the inputs set by hand. */
static phx_status stepper_build(phx_stepper *s, const phx_model *model, const char *const *inputs)
{
    phx_controller_def hand = phx_controller_def_default();
    phx_build_options options = phx_build_options_default();

    hand.name = HAND;
    hand.kind = PHX_CONTROLLER_FUNCTION;
    hand.n_outputs = s->n_inputs;
    hand.outputs = inputs;
    hand.function = hold;
    hand.data = s;
    if (s->n_inputs > 0)
        options.controller = &hand;
    return phx_model_build(s->own, model, &options, &s->system);
}

/* Creates evaluators and state of the stepper, assembles the start and stores its energy as the reference of the
 * balance. */
static phx_status stepper_start(phx_stepper *s, const phx_model *model, const phx_simulate_options *options)
{
    const phx_start_options how = phx_start_of(model);
    phx_status status = phx_simulation_dae(s->own, model, s->system, options->backend, &s->dae);

    if (!status)
        status = phx_system_threads(s->dae, options->threads);
    if (!status)
        status = phx_system_dae(s->system, s->own, &s->reader);
    if (status)
        return status;
    s->x = phx_calloc(s->own, (size_t)s->dae->n_x, sizeof *s->x);
    s->v = phx_calloc(s->own, (size_t)s->dae->n_v, sizeof *s->v);
    s->lambda = phx_calloc(s->own, (size_t)s->dae->n_l, sizeof *s->lambda);
    s->values = phx_calloc(s->own, (size_t)phx_system_controller_columns(s->system), sizeof *s->values);
    if (!s->x || !s->v || !s->lambda || !s->values)
        return PHX_ERR_MEMORY;
    status = phx_model_blame(s->own, model, phx_system_start(s->system, &how, s->x, s->v, s->lambda));
    if (!status) {
        phx_energies e;
        phx_system_energies(s->system, s->x, s->v, &e);
        s->energy0 = phx_total_energy(&e);
    }
    return status;
}

/* Creates a simulation that advances step by step with inputs set between steps. Models with events, rigid contacts,
 * set-valued friction or a start from a file are refused. */
phx_status phx_stepper_create(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                              int n_inputs, const char *const *inputs, phx_stepper **stepper)
{
    if (!model || !options || !stepper || (n_inputs > 0 && !inputs))
        return phx_fail_null(context, __func__, "model, options, inputs or stepper");
    phx_simulate_options used = *options;
    phx_stepper *s = phx_calloc(context, 1, sizeof *s);

    *stepper = NULL;
    if (!s)
        return PHX_ERR_MEMORY;
    s->n_inputs = n_inputs > 0 ? n_inputs : 0;
    used.end = (phx_model_optional){.given = true, .value = 1.0}; /* the calls say how far */
    used.every = (phx_model_optional){.given = true, .value = 0.0};
    phx_status status = phx_context_create(&s->own);
    s->u = status ? NULL : phx_calloc(s->own, (size_t)s->n_inputs, sizeof *s->u);
    if (!status && !s->u)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_simulation_settle(s->own, model, &used, &s->options);
    if (!status && !(s->options.step > 0.0) && !(s->options.rtol > 0.0))
        status = phx_model_fail(s->own, model, &model->simulate, PHX_ERR_INPUT,
                                "steps by hand need their length: give simulate: {step: ...}");
    if (!status && model->initial.from)
        status = phx_model_fail(s->own, model, &model->initial, PHX_ERR_UNSUPPORTED,
                                "steps by hand begin at the start state of the model, not at the end of a result");
    if (!status && model->n_events > 0)
        status = phx_model_fail(s->own, model, &model->events[0], PHX_ERR_UNSUPPORTED,
                                "event '%s': the stepper does not support events; leave them out, use simulate, or "
                                "step an FMU of the model (phlexor fmu)",
                                model->events[0].name);
    if (!status)
        status = stepper_build(s, model, inputs);
    if (!status && phx_system_contact_count(s->system) > 0)
        status =
            phx_fail(s->own, PHX_ERR_UNSUPPORTED,
                     "contact '%s': the stepper does not support rigid contacts; use simulate, or an FMU of the model",
                     phx_system_contact_name(s->system, 0));
    if (!status && phx_system_dry_count(s->system) > 0)
        status =
            phx_fail(s->own, PHX_ERR_UNSUPPORTED,
                     "joint '%s': the stepper does not support set-valued friction; regularise it, or use simulate",
                     phx_system_dry_joint(s->system, 0));
    if (!status)
        status = phx_start_judge(s->own, model, s->system, true);
    if (!status)
        status = stepper_start(s, model, options);
    if (!status)
        s->n_columns =
            PHX_FIXED_COLUMNS + phx_system_columns(s->system) + phx_system_controller_columns(s->system) - s->n_inputs;
    if (status) {
        status = s->own ? pass_on(context, s, status) : status;
        phx_stepper_destroy(s);
        return status;
    }
    *stepper = s;
    return phx_conclude(context, PHX_OK);
}

/* Frees a stepper; NULL is allowed. */
void phx_stepper_destroy(phx_stepper *s)
{
    if (!s)
        return;
    phx_system_dae_destroy(s->dae);
    phx_system_dae_destroy(s->reader);
    phx_system_destroy(s->system);
    phx_free(s->x);
    phx_free(s->v);
    phx_free(s->lambda);
    phx_free(s->u);
    phx_free(s->values);
    phx_context_destroy(s->own);
    phx_free(s);
}

/* ---- measuring ---- */
int phx_stepper_columns(const phx_stepper *s)
{
    return s ? s->n_columns : 0;
}

void phx_stepper_column_name(const phx_stepper *s, int column, char *buffer, size_t size)
{
    if (!s || !buffer || size == 0 || column < 0 || column >= s->n_columns)
        return;
    const int outputs = phx_system_columns(s->system), k = column - PHX_FIXED_COLUMNS;
    if (k < 0)
        snprintf(buffer, size, "%s", phx_fixed_column_name(column));
    else if (k < outputs)
        phx_system_column_name(s->system, k, buffer, size);
    else
        (void)phx_system_controller_column(s->system, k - outputs, buffer, size);
}

/* Writes energies, balance, drifts, outputs and controller values of the present state into a row of n_columns. */
phx_status phx_stepper_measure(phx_context *context, phx_stepper *s, double *row)
{
    if (!s || !row)
        return phx_fail_null(context, __func__, "stepper or row");
    const int outputs = phx_system_columns(s->system), controllers = s->n_columns - PHX_FIXED_COLUMNS - outputs;
    phx_energies e;

    phx_system_energies(s->system, s->x, s->v, &e);
    phx_put_balance(row, s->t, &e, &s->work, s->energy0);
    phx_system_drift(s->reader, s->t, s->x, s->v, &row[PHX_COLUMN_DRIFT], &row[PHX_COLUMN_DRIFT_RATE]);
    phx_status status = phx_system_outputs(s->reader, s->t, s->x, s->v, row + PHX_FIXED_COLUMNS);
    if (!status)
        status = phx_system_controller_values(s->reader, s->t, s->x, s->v, s->values);
    memcpy(row + PHX_FIXED_COLUMNS + outputs, s->values, (size_t)controllers * sizeof *row);
    return pass_on(context, s, status);
}

/* ---- acting and stepping ---- */
phx_status phx_stepper_act(phx_context *context, phx_stepper *s, const double *values)
{
    if (!s || !values)
        return phx_fail_null(context, __func__, "stepper or values");
    for (int k = 0; k < s->n_inputs; k++)
        if (!isfinite(values[k]))
            return phx_fail(context, PHX_ERR_ARGUMENT, "input %d is %g, expected a finite value", k + 1, values[k]);
    memcpy(s->u, values, (size_t)s->n_inputs * sizeof *values);
    return phx_conclude(context, PHX_OK);
}

static phx_status keep_work(void *user, const phx_sample *sample)
{
    phx_stepper *s = user;
    s->call = sample->work;
    return PHX_OK;
}

phx_status phx_stepper_step(phx_context *context, phx_stepper *s, double length)
{
    if (!s)
        return phx_fail_null(context, __func__, "stepper");
    const double by = length == 0.0 ? s->options.step : length;
    if (!(by > 0.0 && isfinite(by)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a step of %g s; it must be positive", by);
    s->call = (phx_work){0};
    s->options.end = s->t + by;
    const phx_status status = phx_integrate(s->dae, &s->options, &s->t, s->x, s->v, s->lambda, keep_work, s, NULL);
    s->work.supplied += s->call.supplied;
    s->work.dissipated += s->call.dissipated;
    return pass_on(context, s, status);
}

/* One cycle of a loop: act, step, measure. The row is written if all three succeed. */
phx_status phx_stepper_cycle(phx_context *context, phx_stepper *s, const double *values, double length, double *row)
{
    if (!s || !values || !row)
        return phx_fail_null(context, __func__, "stepper, values or row");
    phx_status status = phx_stepper_act(context, s, values);
    if (!status)
        status = phx_stepper_step(context, s, length);
    return status ? status : phx_stepper_measure(context, s, row);
}

/* ---- saving ---- */
typedef struct part {
    double *values;
    int count;
} part;
enum { PARTS = 7 };

/* The parts of a state, in this order. */
static void parts_of(phx_stepper *s, part parts[PARTS])
{
    const part all[PARTS] = {{&s->t, 1},          {&s->work.supplied, 1}, {&s->work.dissipated, 1},
                             {s->x, s->dae->n_x}, {s->v, s->dae->n_v},    {s->lambda, s->dae->n_l},
                             {s->u, s->n_inputs}};
    memcpy(parts, all, sizeof all);
}

int phx_stepper_state_size(const phx_stepper *s)
{
    return s ? 3 + s->dae->n_x + s->dae->n_v + s->dae->n_l + s->n_inputs : 0;
}

void phx_stepper_save(phx_stepper *s, double *state)
{
    part parts[PARTS];

    if (!s || !state)
        return;
    parts_of(s, parts);
    for (int k = 0; k < PARTS; state += parts[k++].count)
        memcpy(state, parts[k].values, (size_t)parts[k].count * sizeof *state);
}

phx_status phx_stepper_restore(phx_context *context, phx_stepper *s, const double *state)
{
    if (!s || !state)
        return phx_fail_null(context, __func__, "stepper or state");
    part parts[PARTS];

    parts_of(s, parts);
    for (int k = 0; k < PARTS; state += parts[k++].count)
        memcpy(parts[k].values, state, (size_t)parts[k].count * sizeof *state);
    return phx_conclude(context, PHX_OK);
}
