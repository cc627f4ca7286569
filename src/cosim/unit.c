/* A unit at work: start, steps, values. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "equilibrium/equilibrium.h"

/* ---- creation ---- */
static phx_status add_inputs(phx_unit *unit)
{
    phx_status status = PHX_OK;

    unit->inputs = phx_calloc(unit->context, (size_t)unit->def.n_inputs, sizeof *unit->inputs);
    if (!unit->inputs)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < unit->def.n_inputs && !status; i++)
        status = phx_system_add_input(unit->system, &unit->def.places[i], &unit->inputs[i]);
    return status;
}

static int all_columns(const phx_unit *unit)
{
    return phx_system_columns(unit->system) + phx_system_controller_columns(unit->system);
}

static phx_status check_outputs(const phx_unit *unit)
{
    for (int k = 0; k < unit->def.n_outputs; k++)
        if (!unit->def.outputs || unit->def.outputs[k] < 0 || unit->def.outputs[k] >= all_columns(unit))
            return phx_fail(unit->context, PHX_ERR_INPUT, "the mechanism has no column for output %d", k + 1);
    return PHX_OK;
}

static void copy_parameters(const phx_unit *unit, double *to, const double *from)
{
    if (unit->def.n_parameters > 0)
        memcpy(to, from, (size_t)unit->def.n_parameters * sizeof *to);
}

/* Whether the parameters have these values. */
static bool parameters_are(const phx_unit *unit, const double *values)
{
    return unit->def.n_parameters == 0 ||
           memcmp(unit->def.parameter_values, values, (size_t)unit->def.n_parameters * sizeof *values) == 0;
}

/* Allocates arrays for inputs, columns, parameters and the start state; parameters get their start values. */
static phx_status unit_allocate(phx_unit *unit)
{
    const size_t inputs = (size_t)unit->def.n_inputs, columns = (size_t)all_columns(unit);
    double **const arrays[] = {&unit->flow0, &unit->flow, &unit->power, &unit->held};

    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = phx_calloc(unit->context, inputs, sizeof(double));
        if (!*arrays[k])
            return PHX_ERR_MEMORY;
    }
    unit->columns = phx_calloc(unit->context, columns, sizeof *unit->columns);
    unit->before = phx_calloc(unit->context, columns, sizeof *unit->before);
    unit->parameters = phx_calloc(unit->context, (size_t)unit->def.n_parameters, sizeof *unit->parameters);
    unit->former = phx_calloc(unit->context, (size_t)unit->def.n_parameters, sizeof *unit->former);
    unit->x = phx_calloc(unit->context, (size_t)phx_system_n_x(unit->system), sizeof *unit->x);
    unit->v = phx_calloc(unit->context, (size_t)phx_system_n_v(unit->system), sizeof *unit->v);
    unit->lambda = phx_calloc(unit->context, (size_t)phx_system_n_l(unit->system), sizeof *unit->lambda);
    if (!unit->columns || !unit->before || !unit->parameters || !unit->former || !unit->x || !unit->v || !unit->lambda)
        return PHX_ERR_MEMORY;
    copy_parameters(unit, unit->parameters, unit->def.parameter_starts);
    return PHX_OK;
}

/* Conditions and joints are there; names of forces are looked for when an event switches them. */
static phx_status check_events(const phx_unit *unit)
{
    const int joints = phx_system_joints(unit->system), columns = phx_system_columns(unit->system);

    for (int k = 0; k < unit->def.n_events; k++) {
        const phx_event *event = &unit->def.events[k];
        bool there = event->column < columns;
        for (int i = 0; i < event->n_attach + event->n_release + event->n_undrive; i++)
            there = there && event->joints[i] >= 0 && event->joints[i] < joints;
        if (!there)
            return phx_fail(unit->context, PHX_ERR_INPUT, "event '%s' is one of another mechanism", event->name);
    }
    if (phx_unit_with_events(unit) && !(unit->def.interval > 0.0 && isfinite(unit->def.interval)))
        return phx_fail(unit->context, PHX_ERR_INPUT, "the conditions of events are looked at every %g s",
                        unit->def.interval);
    return PHX_OK;
}

static phx_status expect_events(phx_unit *unit)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < unit->def.n_events && !status; k++)
        status = phx_system_expect_event(unit->system, unit->def.events[k].name);
    return status;
}

/* ---- what acts ---- */
static void before_renewal(void *owner)
{
    phx_unit *unit = owner;
    phx_unit_exchange_let_go(unit->exchange);
}

/* Definition of the steps of a unit with events. */
static phx_events_def events_of(phx_unit *unit)
{
    return (phx_events_def){.system = unit->system,
                            .dae = &unit->dae,
                            .reader = &unit->reader,
                            .before_renewal = before_renewal,
                            .owner = unit,
                            .backend = PHX_BACKEND_AUTO,
                            .threads = 1,
                            .n = unit->def.n_events,
                            .events = unit->def.events,
                            .options = unit->def.options,
                            .interval = unit->def.interval,
                            .spectral_radius = unit->def.spectral_radius};
}

/* The joints and forces of the start act again. */
static phx_status go_back(phx_unit *unit)
{
    const phx_events_def def = events_of(unit);
    size_t size = 0;
    const void *bytes = unit->structure ? phx_archive_bytes(unit->structure, &size) : NULL;

    if (!unit->structure)
        return PHX_OK;
    phx_events_destroy(unit->events);
    unit->events = NULL;
    return phx_events_restructure(unit->context, &def, size, bytes);
}

static phx_status create_daes(phx_unit *unit)
{
    phx_status status = unit->def.exchange ? go_back(unit) : PHX_OK; /* from what was counted */

    if (!status && !unit->dae)
        status =
            phx_system_dae_with(unit->system, unit->context,
                                unit->def.spectral_radius != 1.0 ? PHX_BACKEND_PLAIN : PHX_BACKEND_AUTO, &unit->dae);
    if (!status && !unit->reader)
        status = phx_system_dae(unit->system, unit->context, &unit->reader);
    return status;
}

/* Reads the mechanism, adds its inputs, finalises it, checks outputs and events, and puts it at its start. */
static phx_status unit_create(phx_unit *unit, size_t size, const void *bytes)
{
    phx_status status = phx_unit_read(unit->context, size, bytes, &unit->def, &unit->system);

    if (!status)
        status = expect_events(unit);
    if (!status)
        status = add_inputs(unit);
    if (!status && unit->def.spectral_radius != 1.0)
        status = phx_system_expect_numerical_damping(unit->system);
    if (!status)
        status = phx_system_finalise(unit->system);
    if (!status && (phx_system_n_x(unit->system) < 1 || !unit->def.x || !unit->def.v))
        status = phx_fail(unit->context, PHX_ERR_INPUT, "the mechanism has no start state");
    if (!status)
        status = check_outputs(unit);
    if (!status)
        status = check_events(unit);
    if (!status && phx_unit_with_events(unit))
        status = phx_events_structure(unit->context, unit->system, &unit->structure);
    if (!status && unit->def.exchange)
        status = phx_unit_exchange_count(unit);
    if (!status)
        status = create_daes(unit);
    if (!status)
        status = unit_allocate(unit);
    if (!status && unit->def.exchange)
        status = phx_unit_exchange_create(unit);
    return status ? status : phx_unit_start(unit, unit->def.t);
}

/* A unit from the bytes of phx_unit_write, in a context of its own, which also holds the message of a failure. */
phx_status phx_unit_create(size_t size, const void *bytes, phx_log_fn *log, void *user, phx_unit **made)
{
    phx_context *context = NULL;
    phx_status status = phx_context_create(&context);
    phx_unit *unit = status ? NULL : phx_calloc(context, 1, sizeof *unit);

    *made = unit;
    if (!unit) {
        phx_context_destroy(context);
        return PHX_ERR_MEMORY;
    }
    unit->context = context;
    phx_context_set_log(context, log, user);
    return unit_create(unit, size, bytes);
}

/* Frees the unit and its context. */
void phx_unit_destroy(phx_unit *unit)
{
    if (!unit)
        return;
    phx_unit_exchange_destroy(unit->exchange);
    phx_events_destroy(unit->events);
    phx_archive_destroy(unit->structure);
    phx_archive_destroy(unit->fresh);
    phx_integration_destroy(unit->run);
    phx_system_dae_destroy(unit->dae);
    phx_system_dae_destroy(unit->reader);
    phx_system_destroy(unit->system);
    phx_unit_def_free(&unit->def);
    double *const arrays[] = {unit->flow0,      unit->flow,   unit->power, unit->held, unit->columns, unit->before,
                              unit->parameters, unit->former, unit->x,     unit->v,    unit->lambda};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    phx_free(unit->inputs);
    phx_context *context = unit->context;
    phx_free(unit);
    phx_context_destroy(context);
}

phx_context *phx_unit_context(const phx_unit *unit)
{
    return unit->context;
}

const char *phx_unit_token(const phx_unit *unit)
{
    return unit->def.token ? unit->def.token : "";
}

/* ---- values ---- */
bool phx_unit_with_events(const phx_unit *unit)
{
    return phx_events_needed(unit->system, unit->def.n_events);
}

bool phx_unit_stands(const phx_unit *unit)
{
    return (unit->events || unit->run) && unit->dae && unit->reader;
}

phx_status phx_unit_check_stands(const phx_unit *unit)
{
    return phx_unit_stands(unit) ? PHX_OK
                                 : phx_fail(unit->context, PHX_ERR_ANALYSIS,
                                            "the mechanism has no state since a failure; reset it, or set a saved one");
}

/* Where the steps stand. */
phx_sample phx_unit_state_of(const phx_unit *unit)
{
    return unit->events ? phx_events_sample(unit->events) : *phx_integration_sample(unit->run);
}

static double input_at(const phx_unit *unit, int i, double t)
{
    return unit->inputs[i].value + unit->inputs[i].slope * (t - unit->inputs[i].since);
}

static void look_at_energies(phx_unit *unit, const phx_sample *sample)
{
    phx_energies e;
    double *fixed = unit->fixed;

    phx_system_energies(unit->system, sample->x, sample->v, &e);
    fixed[UNIT_KINETIC] = e.kinetic;
    fixed[UNIT_ELASTIC] = e.elastic;
    fixed[UNIT_POTENTIAL] = e.potential;
    fixed[UNIT_ENERGY] = phx_total_energy(&e);
    fixed[UNIT_SUPPLIED] = sample->work.supplied;
    fixed[UNIT_DISSIPATED] = sample->work.dissipated;
    fixed[UNIT_RESIDUAL] = fixed[UNIT_ENERGY] - unit->energy0 - fixed[UNIT_SUPPLIED] + fixed[UNIT_DISSIPATED];
}

/* In model exchange: what is conjugate to the inputs at the instant, and the powers. */
static phx_status look_at_flows(phx_unit *unit, const phx_sample *sample)
{
    const phx_status status = phx_system_input_rates(unit->reader, sample->x, sample->v, sample->lambda, unit->flow);

    for (int i = 0; i < unit->def.n_inputs; i++)
        unit->power[i] = input_at(unit, i, unit->t) * unit->flow[i];
    return status;
}

/* Energies and columns of the state, where they are not there yet. */
static phx_status unit_look(phx_unit *unit)
{
    const int n = phx_system_columns(unit->system);
    phx_status status = unit->looked ? PHX_OK : phx_unit_check_stands(unit);

    if (unit->looked || status)
        return status;
    phx_sample sample = phx_unit_state_of(unit);
    if (unit->exchanging)
        status = phx_unit_exchange_sample(unit, &sample);
    if (status)
        return status;
    look_at_energies(unit, &sample);
    status = phx_system_outputs(unit->reader, sample.t, sample.x, sample.v, unit->columns);
    if (!status)
        status = phx_system_controller_values(unit->reader, sample.t, sample.x, sample.v, unit->columns + n);
    if (!status && unit->exchanging)
        status = look_at_flows(unit, &sample);
    phx_system_continue_attitudes(unit->system, unit->before, unit->columns);
    unit->looked = status == PHX_OK;
    return status;
}

/* The integrals of the conjugates so far. */
static const double *integrals(const phx_unit *unit)
{
    return phx_unit_state_of(unit).ledger + phx_system_ledger(unit->system);
}

/* The start state for the parameters as they are: that of the file for those of the file. */
static phx_status find_start(phx_unit *unit)
{
    const phx_unit_def *def = &unit->def;
    const size_t n_l = (size_t)phx_system_n_l(unit->system);

    memcpy(unit->x, def->x, (size_t)phx_system_n_x(unit->system) * sizeof *unit->x);
    memcpy(unit->v, def->v, (size_t)phx_system_n_v(unit->system) * sizeof *unit->v);
    if (n_l > 0 && def->lambda)
        memcpy(unit->lambda, def->lambda, n_l * sizeof *unit->lambda);
    if (parameters_are(unit, def->parameter_starts))
        return PHX_OK;
    const phx_status status = phx_system_check_motions(unit->system);
    return status ? status : phx_system_start_again(unit->system, def->t, unit->x, unit->v, unit->lambda);
}

/* The breaks of signals for the parameters as they are. */
static phx_status renew_breaks(phx_unit *unit)
{
    if (unit->def.n_parameters == 0)
        return PHX_OK;
    const phx_status status = phx_system_renew_breaks(unit->system, 0.0, unit->def.options.end);
    if (!status)
        copy_parameters(unit, unit->parameters, unit->def.parameter_values);
    return status;
}

static phx_status check_signals(const phx_unit *unit, double t)
{
    return unit->reader && unit->reader->ops->check_signals ? unit->reader->ops->check_signals(unit->reader, t, t)
                                                            : PHX_OK;
}

/* Recomputes breaks, signals and, with `start`, the start state for changed parameters; after a failure parameters
 * are as before. */
phx_status phx_unit_take_parameters(phx_unit *unit, bool start)
{
    if (parameters_are(unit, unit->parameters))
        return PHX_OK;
    copy_parameters(unit, unit->former, unit->parameters);
    phx_status status = renew_breaks(unit);
    if (!status)
        status = check_signals(unit, unit->t);
    if (!status && start)
        status = phx_unit_start(unit, unit->t);
    if (status) {
        char message[1000];
        snprintf(message, sizeof message, "%s", phx_context_message(unit->context));
        copy_parameters(unit, unit->def.parameter_values, unit->former);
        if (renew_breaks(unit) == PHX_OK && start)
            (void)phx_unit_start(unit, unit->t);
        phx_fail(unit->context, status, "%s", message);
    }
    if (!start) {
        unit->looked = false;
        phx_unit_exchange_forget(unit, true);
    }
    return status;
}

/* Forgets factors and histories of earlier steps in the workspaces: each start is like the first one, bit by bit. */
static phx_status begin_anew(phx_unit *unit)
{
    phx_dae *const daes[] = {unit->dae, unit->reader};
    size_t size = 0;
    const void *bytes = unit->fresh ? phx_archive_bytes(unit->fresh, &size) : NULL;
    phx_archive *archive = NULL;
    phx_status status =
        bytes ? phx_archive_open(unit->context, size, bytes, &archive) : phx_archive_create(unit->context, &archive);

    if (status)
        return status;
    for (int k = 0; k < 2; k++)
        if (daes[k]->ops->archive)
            daes[k]->ops->archive(daes[k], archive);
    status = phx_archive_status(archive);
    if (!status && !bytes)
        unit->fresh = archive;
    else
        phx_archive_destroy(archive);
    return status;
}

/* Steps from the start state. */
static phx_status unit_begin(phx_unit *unit, double t)
{
    const phx_events_def def = events_of(unit);
    phx_integration *run = NULL;

    if (unit->structure)
        return phx_events_create(unit->context, &def, t, unit->x, unit->v, unit->lambda, &unit->events);
    phx_status status = begin_anew(unit);
    if (!status)
        status = phx_integration_create(unit->dae, &def.options, t, unit->x, unit->v, unit->lambda, &run);
    if (status)
        return status;
    phx_integration_destroy(unit->run);
    unit->run = run;
    return PHX_OK;
}

/* Flows conjugate to the inputs at the start, with multipliers of the rows that act after the events there. */
static phx_status find_first_flows(phx_unit *unit)
{
    phx_dae *reader = unit->reader;
    const phx_sample sample = phx_unit_state_of(unit);
    const size_t n_l = (size_t)reader->n_l;
    double *lambda = phx_calloc(unit->context, n_l + (size_t)reader->n_v, sizeof *lambda);
    phx_status status = lambda ? PHX_OK : PHX_ERR_MEMORY;

    if (lambda && n_l > 0)
        memcpy(lambda, sample.lambda, n_l * sizeof *lambda);
    if (!status && unit->events)
        status = reader->ops->accelerations(reader, sample.t, sample.x, sample.v, lambda + n_l, lambda);
    if (!status)
        status = phx_system_input_rates(reader, sample.x, sample.v, lambda, unit->flow);
    phx_free(lambda);
    return status;
}

/* Returns the unit to its start state with the clock at t and restarts integrator, energies, events and exchange. */
phx_status phx_unit_start(phx_unit *unit, double t)
{
    phx_unit_def *def = &unit->def;
    phx_status status = go_back(unit);

    if (!status)
        status = renew_breaks(unit);

    if (!status && def->n_parameters > 0)
        status = check_signals(unit, t);
    if (!status)
        status = find_start(unit);
    if (!status && def->spectral_radius != 1.0) /* its memories begin anew */
        status = phx_system_spectral_radius(unit->dae, def->spectral_radius);
    if (!status)
        status = unit_begin(unit, t);
    if (status)
        return status;
    unit->t = t;
    unit->length = 0.0;
    unit->looked = false;
    for (int i = 0; i < def->n_inputs; i++)
        unit->inputs[i].since = t;
    memset(unit->before, 0, (size_t)all_columns(unit) * sizeof *unit->before);
    memset(unit->power, 0, (size_t)def->n_inputs * sizeof *unit->power);
    unit->energy0 = 0.0;
    const phx_sample sample = phx_unit_state_of(unit);
    look_at_energies(unit, &sample);
    unit->energy0 = unit->fixed[UNIT_ENERGY];
    if (unit->events)
        status = phx_events_start(unit->events);
    if (!status)
        status = find_first_flows(unit);
    return status || !unit->exchange ? status : phx_unit_exchange_start(unit);
}

double phx_unit_time(const phx_unit *unit)
{
    return unit->t;
}

/* The value of a variable now: time, energy, input, its conjugate or power, output, state, derivative, indicator or
 * parameter. */
phx_status phx_unit_get(phx_unit *unit, int variable, double *value)
{
    const int inputs = unit->def.n_inputs;
    int k = variable - UNIT_FIRST_INPUT;

    *value = 0.0;
    if (variable == UNIT_TIME) {
        *value = unit->t;
        return PHX_OK;
    }
    if (k < 0) {
        const phx_status status = unit_look(unit);
        *value = unit->fixed[variable - UNIT_FIRST_FIXED];
        return status;
    }
    if (k < inputs) {
        *value = input_at(unit, k, unit->t);
        return PHX_OK;
    }
    k -= inputs;
    if (k < 2 * inputs) {
        const phx_status status = unit->exchanging ? unit_look(unit) : PHX_OK;
        *value = k < inputs ? unit->flow[k] : unit->power[k - inputs];
        return status;
    }
    k -= 2 * inputs;
    if (variable >= phx_unit_first_parameter(unit)) {
        *value = unit->def.parameter_values[variable - phx_unit_first_parameter(unit)];
        return PHX_OK;
    }
    if (k >= unit->def.n_outputs)
        return phx_unit_exchange_get(unit, k - unit->def.n_outputs, value);
    const phx_status status = unit_look(unit);
    *value = unit->columns[unit->def.outputs[k]];
    return status;
}

static phx_status check_input(phx_unit *unit, int variable, double value)
{
    const int k = variable - UNIT_FIRST_INPUT;

    if (k < 0 || k >= unit->def.n_inputs)
        return phx_fail(unit->context, PHX_ERR_ARGUMENT, "variable %d is neither input nor parameter", variable);
    if (!isfinite(value))
        return phx_fail(unit->context, PHX_ERR_ARGUMENT, "input '%s' is %g, expected a finite value",
                        unit->def.inputs[k], value);
    return PHX_OK;
}

static phx_status set_parameter(phx_unit *unit, int k, double value)
{
    if (!isfinite(value))
        return phx_fail(unit->context, PHX_ERR_ARGUMENT, "parameter '%s' is %g, expected a finite value",
                        unit->def.parameters[k], value);
    unit->def.parameter_values[k] = value;
    return PHX_OK;
}

phx_status phx_unit_set(phx_unit *unit, int variable, double value)
{
    const int parameter = variable - phx_unit_first_parameter(unit);
    if (parameter >= 0 && parameter < unit->def.n_parameters)
        return set_parameter(unit, parameter, value);
    const phx_status status = check_input(unit, variable, value);

    if (status)
        return status;
    unit->inputs[variable - UNIT_FIRST_INPUT] = (phx_signal_input){.value = value, .since = unit->t};
    unit->looked = false;
    phx_unit_exchange_forget(unit, true);
    return PHX_OK;
}

phx_status phx_unit_set_slope(phx_unit *unit, int variable, double slope)
{
    const phx_status status = check_input(unit, variable, slope);

    if (status)
        return status;
    phx_signal_input *input = &unit->inputs[variable - UNIT_FIRST_INPUT];
    *input = (phx_signal_input){
        .value = input->value + input->slope * (unit->t - input->since), .slope = slope, .since = unit->t};
    unit->looked = false;
    phx_unit_exchange_forget(unit, true);
    return PHX_OK;
}

/* ---- steps ---- */
/* Quaternions go on from their signs at the last instant. */
static phx_status keep_columns(phx_unit *unit)
{
    const phx_status status = unit_look(unit);
    memcpy(unit->before, unit->columns, (size_t)all_columns(unit) * sizeof *unit->before);
    return status;
}

phx_status phx_unit_completed(phx_unit *unit, bool *event)
{
    const phx_status status = keep_columns(unit);

    *event = false;
    return status ? status : phx_unit_exchange_completed(unit, event);
}

/* Means over the step of the conjugates and of the powers, of inputs as they were in its middle. */
static void find_means(phx_unit *unit, double length)
{
    const double *now = integrals(unit);

    for (int i = 0; i < unit->def.n_inputs && length > 0.0; i++) {
        unit->flow[i] = (now[i] - unit->flow0[i]) / length;
        unit->power[i] = unit->held[i] * unit->flow[i];
    }
}

/* Advances by h and forms means of conjugates and powers over the step; after a retryable failure the unit stands
 * where it arrived. */
phx_status phx_unit_step(phx_unit *unit, double h)
{
    const double from = unit->t;
    phx_status status = phx_unit_check_stands(unit);

    if (status)
        return status;
    for (int i = 0; i < unit->def.n_inputs; i++) {
        unit->flow0[i] = integrals(unit)[i];
        unit->held[i] = input_at(unit, i, from + 0.5 * h);
    }
    status = keep_columns(unit);
    if (status)
        return status;
    const double begun = phx_unit_state_of(unit).t;
    status = unit->events ? phx_events_advance(unit->events, h) : phx_integration_advance(unit->run, h);
    const double length = status ? phx_unit_state_of(unit).t - begun : h;
    unit->looked = false;
    phx_unit_exchange_forget(unit, true);
    unit->t = from + length;
    unit->length = length;
    find_means(unit, length);
    return status;
}

/* ---- events ---- */
bool phx_unit_next_event(const phx_unit *unit, double *time)
{
    *time = unit->dae ? unit->dae->ops->next_sample(unit->dae, unit->t) : HUGE_VAL;
    return isfinite(*time);
}

bool phx_unit_at_event(const phx_unit *unit)
{
    static const double ROUNDING = 1e-9; /* of the time, parts of a step */
    double next = 0.0;
    const double tiny = ROUNDING * unit->length;
    return unit->length > 0.0 && unit->dae &&
           isfinite(next = unit->dae->ops->next_sample(unit->dae, unit->t - 2.0 * tiny)) && next <= unit->t + tiny;
}

/* ---- archives ---- */
void phx_unit_archive(phx_archive *archive, phx_unit *unit)
{
    const size_t inputs = (size_t)unit->def.n_inputs;
    double *const arrays[] = {unit->flow0, unit->flow, unit->power, unit->held};

    if (phx_archive_reads(archive) && !unit->events && unit->structure) { /* since a failure */
        phx_archive_fail(archive, go_back(unit));
        if (!phx_archive_status(archive))
            phx_archive_fail(archive, unit_begin(unit, unit->t));
    }
    if (!unit->events && !unit->run)
        phx_archive_fail(archive, phx_unit_check_stands(unit));
    if (phx_archive_status(archive))
        return;
    phx_archive_doubles(archive, (size_t)unit->def.n_parameters, unit->def.parameter_values);
    if (phx_archive_reads(archive) && !phx_archive_status(archive))
        phx_archive_fail(archive, renew_breaks(unit));
    phx_archive_double(archive, &unit->t);
    phx_archive_double(archive, &unit->energy0);
    phx_archive_double(archive, &unit->length);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_archive_doubles(archive, inputs, arrays[k]);
    for (size_t i = 0; i < inputs; i++) {
        phx_archive_double(archive, &unit->inputs[i].value);
        phx_archive_double(archive, &unit->inputs[i].slope);
        phx_archive_double(archive, &unit->inputs[i].since);
    }
    phx_archive_doubles(archive, (size_t)all_columns(unit), unit->before);
    if (unit->events)
        phx_events_archive(archive, unit->events); /* other rows let go of the minimal coordinates */
    else
        phx_integration_archive(archive, unit->run);
    if (!unit->events && unit->reader->ops->archive)
        unit->reader->ops->archive(unit->reader, archive);
    if (unit->exchange)
        phx_unit_exchange_archive(archive, unit);
    if (phx_archive_reads(archive))
        unit->looked = false;
}
