/* A run with events. Steps end at given times; after each the conditions are looked at, and where one has changed its
 * sign the step is made again from its start, shorter, until its end is the event. */
#include "run.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SAME = 1e-9;     /* lengths that agree to this, relative, are the same */
static const double ROUNDED = 1e-12; /* steps that agree to this, relative, are the one that is given */
enum { MOST_STALLED = 100 };         /* events one after the other at one instant */

/* ---- the parts of a run ---- */
static phx_status create_frictions(phx_context *context, const phx_system *system, event_frictions *made)
{
    made->n = phx_system_dry_count(system);
    made->friction = phx_calloc(context, (size_t)made->n, sizeof *made->friction);
    made->heading = phx_calloc(context, (size_t)made->n, sizeof *made->heading);
    return made->friction && made->heading ? PHX_OK : PHX_ERR_MEMORY;
}

static void free_frictions(event_frictions *frictions)
{
    phx_free(frictions->friction);
    phx_free(frictions->heading);
}

static phx_status create_contacts(phx_context *context, const phx_system *system, event_contacts *made)
{
    made->n = phx_system_contact_count(system);
    made->contact = phx_calloc(context, (size_t)made->n, sizeof *made->contact);
    return made->contact ? PHX_OK : PHX_ERR_MEMORY;
}

static phx_status create_before(phx_context *context, const phx_dae *dae, event_state_before *made)
{
    made->x = phx_calloc(context, (size_t)dae->n_x, sizeof *made->x);
    made->v = phx_calloc(context, (size_t)dae->n_v, sizeof *made->v);
    made->lambda = phx_calloc(context, (size_t)dae->n_l, sizeof *made->lambda);
    return made->x && made->v && made->lambda ? PHX_OK : PHX_ERR_MEMORY;
}

static void free_before(event_state_before *before)
{
    phx_free(before->x);
    phx_free(before->v);
    phx_free(before->lambda);
}

/* Behind the entries of the ledger what is conjugate to inputs. */
static phx_status create_work(phx_context *context, const phx_dae *dae, event_work *made)
{
    made->n_ledger = dae->n_parts;
    made->ledger = phx_calloc(context, (size_t)made->n_ledger, sizeof *made->ledger);
    made->call = phx_calloc(context, (size_t)made->n_ledger, sizeof *made->call);
    return made->ledger && made->call ? PHX_OK : PHX_ERR_MEMORY;
}

static void free_work(event_work *work)
{
    phx_free(work->ledger);
    phx_free(work->call);
}

static phx_status create_mechanism(phx_context *context, const phx_dae *dae, mechanism *made)
{
    made->x = phx_calloc(context, (size_t)dae->n_x, sizeof *made->x);
    made->v = phx_calloc(context, (size_t)dae->n_v, sizeof *made->v);
    made->lambda = phx_calloc(context, (size_t)dae->n_l, sizeof *made->lambda);
    return made->x && made->v && made->lambda ? PHX_OK : PHX_ERR_MEMORY;
}

/* Allocates states, ledgers, friction elements and contacts of a run, and one condition for each event, friction
 * element and contact. */
static phx_status events_allocate(events_run *run)
{
    const phx_system *system = run->def.system;
    const phx_dae *dae = *run->def.dae;
    phx_status status = create_mechanism(run->context, dae, run->s);

    if (!status)
        status = create_frictions(run->context, system, &run->frictions);
    if (!status)
        status = create_contacts(run->context, system, &run->contacts);
    if (!status)
        status = create_before(run->context, dae, &run->before);
    if (!status)
        status = create_work(run->context, dae, &run->done);
    if (status)
        return status;
    run->n = run->n_events + run->frictions.n + run->contacts.n;
    run->event = phx_calloc(run->context, (size_t)run->n, sizeof *run->event);
    run->values = phx_calloc(run->context, (size_t)run->n, sizeof *run->values);
    run->columns = phx_calloc(run->context, (size_t)phx_system_columns(system), sizeof *run->columns);
    return run->event && run->values && run->columns ? PHX_OK : PHX_ERR_MEMORY;
}

/* Frees a run with events; NULL is allowed. The daes of the definition stay. */
void phx_events_destroy(phx_events *run)
{
    if (!run)
        return;
    phx_integration_destroy(run->integration);
    phx_system_dae_destroy(run->memory);
    free_work(&run->done);
    free_before(&run->before);
    phx_free(run->own.x);
    phx_free(run->own.v);
    phx_free(run->own.lambda);
    phx_free(run->contacts.contact);
    free_frictions(&run->frictions);
    phx_free(run->event);
    phx_free(run->values);
    phx_free(run->columns);
    phx_free(run);
}

/* ---- a run ---- */
bool phx_events_needed(const phx_system *system, int n)
{
    return n > 0 || phx_system_dry_count(system) > 0 || phx_system_contact_count(system) > 0;
}

double phx_events_interval(const phx_integrate_options *options, double start)
{
    enum { LOOKS = 100 };
    const double length = options->end - start;

    return options->step > 0.0 ? options->step : options->every > 0.0 ? fmin(options->every, length) : length / LOOKS;
}

/* Fails for options that events cannot honour: chosen steps with set-valued elements, a fixed number of corrections and
 * real time. */
static phx_status events_check_options(phx_context *context, const phx_events_def *def)
{
    const phx_integrate_options *options = &def->options;
    const bool set_valued = phx_system_dry_count(def->system) + phx_system_contact_count(def->system) > 0;

    if (phx_integrator_get(options->integrator)->chooses && options->rtol > 0.0 && set_valued)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "rigid contacts and friction that is not regularised are for fixed steps; leave out rtol");
    if (options->iterations > 0 || options->real_time)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "events, rigid contacts and friction that is not regularised divide steps: %s is for models "
                        "without them",
                        options->iterations > 0 ? "a fixed number of corrections" : "real time");
    return PHX_OK;
}

/* Creates a run with events at the state (t, x, v, lambda), which is copied; the conditions are evaluated by
 * phx_events_start. *events is NULL after an error. */
phx_status phx_events_create(phx_context *context, const phx_events_def *def, double t, const double *x,
                             const double *v, const double *lambda, phx_events **events)
{
    phx_status status = events_check_options(context, def);
    events_run *run = status ? NULL : phx_calloc(context, 1, sizeof *run);

    *events = run;
    if (!run)
        return status ? status : PHX_ERR_MEMORY;
    run->context = context;
    run->def = *def;
    run->n_events = def->n;
    run->s = &run->own;
    run->progress = (phx_run_progress){.from = t, .to = def->options.end, .shown = -INFINITY};
    run->own = (mechanism){.system = def->system, .dae = *def->dae, .reader = *def->reader, .t = t};
    for (int k = 0; k < def->n; k++)
        run->by_outputs = run->by_outputs || def->events[k].column >= 0;
    status = events_allocate(run);
    if (!status)
        status = phx_events_begin_memory(run);
    if (status) {
        phx_events_destroy(run);
        *events = NULL;
        return status;
    }
    memcpy(run->own.x, x, (size_t)run->own.dae->n_x * sizeof *x);
    memcpy(run->own.v, v, (size_t)run->own.dae->n_v * sizeof *v);
    memcpy(run->own.lambda, lambda, (size_t)run->own.dae->n_l * sizeof *lambda);
    return PHX_OK;
}

/* Evaluates all conditions at the initial state, closes contacts and lets the events of this instant happen.
 * Transitions at the start are not counted. */
phx_status phx_events_start(phx_events *run)
{
    bool happens = false;
    phx_status status = phx_events_look(run, run->values);

    if (!status)
        status = phx_contacts_begin(run);
    if (!status)
        status = phx_events_accept(run, run->values);
    for (int k = 0; k < run->n_events && !status; k++) {
        const double value = run->def.events[k].value;
        run->event[k].done = phx_events_at_time(run, k) && (value < run->t || (value == run->t && run->def.over));
    }
    if (!status)
        status = phx_events_all_happen(run, -1, &happens);
    if (!status && !happens)
        status = phx_events_settle(run, -1);
    run->counts.transitions = 0; /* those of the start are none */
    return status;
}

/* ---- steps ---- */
/* The step to `end`, or to the first event before. Friction that has just begun to slip and goes back at once sticks,
 * contacts that have just opened close again, and steps are halved in which reactions change their sign twice. */
static phx_status events_try_step(events_run *run, double end, double *values, int *which)
{
    enum { HALVINGS = 40 };
    phx_status status = PHX_OK;

    for (int trial = 0, again = 1; again && trial <= run->frictions.n + run->contacts.n + HALVINGS && !status;
         trial++) {
        status = phx_events_step_to(run, end);
        if (!status)
            status = phx_events_look(run, values);
        again = 0;
        if (!status)
            status = phx_friction_goes_back(run, values + run->n_events, &again);
        if (!status && !again)
            status = phx_contacts_go_back(run, values + run->n_events + run->frictions.n, &end, &again);
        if (!status && !again && !phx_events_any_met(run, values) && phx_contacts_make_energy(run)) {
            again = 1;
            end = run->t + 0.5 * (end - run->t);
        }
    }
    return status ? status : phx_events_locate(run, end, values, which);
}

/* The conditions of events that are met at the end of the step. */
static void mark_met(events_run *run, const double *values, int which)
{
    for (int k = 0; k < run->n_events; k++)
        run->event[k].met = k == which || phx_events_happens(run, k, values[k]);
}

static bool is_set_valued(const events_run *run)
{
    return run->frictions.n + run->contacts.n > 0;
}

/* s: an instant before the drives jump that no integrator takes for the jump or for the end of a whole step. */
static double before_jump(events_run *run, double jump)
{
    phx_events_forget(run); /* no step is as long as the last one */
    return jump - 8.0 * DBL_EPSILON * fabs(jump) - 4.0 * ROUNDED * run->def.interval;
}

/* The rates of drives jump, an instant after the accepted state. */
static phx_status jump_here(events_run *run, double t, bool *event)
{
    *event = true;
    return phx_events_take_jump(run, t);
}

/* To t1, or to the first event or the first jump of a drive before; whether the end is one of these. */
static phx_status one_step(events_run *run, double t1, bool *event)
{
    const int n_events = run->n_events;
    double *values = run->values;
    double end = t1;
    int which = -1;

    for (int k = 0; k < n_events; k++)
        if (phx_events_at_time(run, k) && !run->event[k].done && run->def.events[k].value > run->t)
            end = fmin(end, run->def.events[k].value);
    const double start = run->t,
                 jump = is_set_valued(run) ? phx_system_next_jump(run->def.system, start, end) : HUGE_VAL;
    if (jump <= end)
        end = before_jump(run, jump);
    if (end <= start)
        return jump_here(run, jump, event);
    phx_status status = events_try_step(run, end, values, &which);
    if (status)
        return status;
    if (which < 0)
        which = phx_friction_overdue(run, values + n_events);
    if (which < 0)
        which = phx_contacts_overdue(run, values + n_events + run->frictions.n);
    mark_met(run, values, which);
    status = phx_events_accept(run, values);
    *event = which >= 0;
    run->stalled = run->t > start ? 0 : run->stalled + 1;
    if (!status && run->stalled > MOST_STALLED)
        status = phx_fail(run->context, PHX_ERR_ANALYSIS,
                          "contacts and friction find no state to go on from at t = %.9g s", run->t);
    run->half_done = true;
    if (!status)
        status = phx_events_all_happen(run, which, event);
    run->half_done = status != PHX_OK;
    return !status && run->t == end && jump < HUGE_VAL ? jump_here(run, jump, event) : status;
}

phx_status phx_events_step(phx_events *run, double end, bool *event)
{
    *event = false;
    const phx_status status = one_step(run, end, event);
    if (status && !run->half_done)
        phx_events_stand_back(run);
    return status > 0 && run->half_done ? PHX_ERR_ANALYSIS : status;
}

/* The rates of drives at the accepted state have been changed from outside, and velocities do not agree with them. */
static bool is_changed(const events_run *run)
{
    static const double ROUNDING = 1e-10; /* of the largest velocity */
    double position, rate;

    phx_system_drift(run->s->reader, run->t, run->before.x, run->before.v, &position, &rate);
    return rate > ROUNDING * run->speed;
}

/* Advances the run by `length` seconds in equal steps of at most the interval of the definition, with every event in
 * between located and executed. */
phx_status phx_events_advance(phx_events *run, double length)
{
    const double interval = run->def.interval, count = fmax(1.0, ceil(length / interval * (1.0 - SAME)));
    const double h = phx_events_equal_step(length, count, interval);
    step_clock *clock = &run->clock;
    phx_status status = PHX_OK;

    if (!(length > 0.0 && isfinite(length)))
        return phx_fail(run->context, PHX_ERR_ARGUMENT, "a step of %g s; it must be positive", length);
    if (!(fabs(h - clock->h) <= SAME * h))
        *clock = (step_clock){.base = run->t, .h = h};
    if (is_set_valued(run) && is_changed(run))
        status = phx_events_take_jump(run, run->t);
    for (double n = 0.0; n < count && !status; n++) {
        const double end = clock->base + (double)++clock->count * clock->h;
        while (run->t < end && !status) {
            bool event = false;
            status = phx_events_step(run, end, &event);
        }
    }
    if (status)
        clock->h = 0.0;
    return status;
}

double phx_events_equal_step(double length, double count, double interval)
{
    const double h = length / count;
    return fabs(h - interval) <= ROUNDED * interval ? interval : h;
}

phx_sample phx_events_sample(const phx_events *run)
{
    const mechanism *s = run->s;
    return (phx_sample){
        .t = s->t, .x = s->x, .v = s->v, .lambda = s->lambda, .work = run->done.work, .ledger = run->done.ledger};
}

const phx_events_counts *phx_events_count(const phx_events *run)
{
    return &run->counts;
}
