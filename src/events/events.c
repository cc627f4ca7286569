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
static phx_status events_allocate(events_run *it)
{
    const phx_system *system = it->def.system;
    const phx_dae *dae = *it->def.dae;
    phx_status status = create_mechanism(it->context, dae, it->s);

    if (!status)
        status = create_frictions(it->context, system, &it->frictions);
    if (!status)
        status = create_contacts(it->context, system, &it->contacts);
    if (!status)
        status = create_before(it->context, dae, &it->before);
    if (!status)
        status = create_work(it->context, dae, &it->done);
    if (status)
        return status;
    it->n = it->n_events + it->frictions.n + it->contacts.n;
    it->event = phx_calloc(it->context, (size_t)it->n, sizeof *it->event);
    it->values = phx_calloc(it->context, (size_t)it->n, sizeof *it->values);
    it->columns = phx_calloc(it->context, (size_t)phx_system_columns(system), sizeof *it->columns);
    return it->event && it->values && it->columns ? PHX_OK : PHX_ERR_MEMORY;
}

/* Frees a run with events; NULL is allowed. The daes of the definition stay. */
void phx_events_destroy(phx_events *it)
{
    if (!it)
        return;
    phx_integration_destroy(it->integration);
    phx_system_dae_destroy(it->memory);
    free_work(&it->done);
    free_before(&it->before);
    phx_free(it->own.x);
    phx_free(it->own.v);
    phx_free(it->own.lambda);
    phx_free(it->contacts.contact);
    free_frictions(&it->frictions);
    phx_free(it->event);
    phx_free(it->values);
    phx_free(it->columns);
    phx_free(it);
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
    events_run *it = status ? NULL : phx_calloc(context, 1, sizeof *it);

    *events = it;
    if (!it)
        return status ? status : PHX_ERR_MEMORY;
    it->context = context;
    it->def = *def;
    it->n_events = def->n;
    it->s = &it->own;
    it->progress = (phx_run_progress){.from = t, .to = def->options.end, .shown = -INFINITY};
    it->own = (mechanism){.system = def->system, .dae = *def->dae, .reader = *def->reader, .t = t};
    for (int k = 0; k < def->n; k++)
        it->by_outputs = it->by_outputs || def->events[k].column >= 0;
    status = events_allocate(it);
    if (!status)
        status = phx_events_begin_memory(it);
    if (status) {
        phx_events_destroy(it);
        *events = NULL;
        return status;
    }
    memcpy(it->own.x, x, (size_t)it->own.dae->n_x * sizeof *x);
    memcpy(it->own.v, v, (size_t)it->own.dae->n_v * sizeof *v);
    memcpy(it->own.lambda, lambda, (size_t)it->own.dae->n_l * sizeof *lambda);
    return PHX_OK;
}

/* Evaluates all conditions at the initial state, closes contacts and lets the events of this instant happen.
 * Transitions at the start are not counted. */
phx_status phx_events_start(phx_events *it)
{
    bool happens = false;
    phx_status status = phx_events_look(it, it->values);

    if (!status)
        status = phx_contacts_begin(it);
    if (!status)
        status = phx_events_accept(it, it->values);
    for (int k = 0; k < it->n_events && !status; k++) {
        const double value = it->def.events[k].value;
        it->event[k].done = phx_events_at_time(it, k) && (value < it->t || (value == it->t && it->def.over));
    }
    if (!status)
        status = phx_events_all_happen(it, -1, &happens);
    if (!status && !happens)
        status = phx_events_settle(it, -1);
    it->counts.transitions = 0; /* those of the start are none */
    return status;
}

/* ---- steps ---- */
/* The step to `end`, or to the first event before. Friction that has just begun to slip and goes back at once sticks,
 * contacts that have just opened close again, and steps are halved in which reactions change their sign twice. */
static phx_status events_try_step(events_run *it, double end, double *values, int *which)
{
    enum { HALVINGS = 40 };
    phx_status status = PHX_OK;

    for (int trial = 0, again = 1; again && trial <= it->frictions.n + it->contacts.n + HALVINGS && !status; trial++) {
        status = phx_events_step_to(it, end);
        if (!status)
            status = phx_events_look(it, values);
        again = 0;
        if (!status)
            status = phx_friction_goes_back(it, values + it->n_events, &again);
        if (!status && !again)
            status = phx_contacts_go_back(it, values + it->n_events + it->frictions.n, &end, &again);
        if (!status && !again && !phx_events_any_met(it, values) && phx_contacts_make_energy(it)) {
            again = 1;
            end = it->t + 0.5 * (end - it->t);
        }
    }
    return status ? status : phx_events_locate(it, end, values, which);
}

/* The conditions of events that are met at the end of the step. */
static void mark_met(events_run *it, const double *values, int which)
{
    for (int k = 0; k < it->n_events; k++)
        it->event[k].met = k == which || phx_events_happens(it, k, values[k]);
}

static bool is_set_valued(const events_run *it)
{
    return it->frictions.n + it->contacts.n > 0;
}

/* s: an instant before the drives jump that no integrator takes for the jump or for the end of a whole step. */
static double before_jump(events_run *it, double jump)
{
    phx_events_forget(it); /* no step is as long as the last one */
    return jump - 8.0 * DBL_EPSILON * fabs(jump) - 4.0 * ROUNDED * it->def.interval;
}

/* The rates of drives jump, an instant after the accepted state. */
static phx_status jump_here(events_run *it, double t, bool *event)
{
    *event = true;
    return phx_events_jump(it, t, it->before.x, it->before.v);
}

/* To t1, or to the first event or the first jump of a drive before; whether the end is one of these. */
static phx_status one_step(events_run *it, double t1, bool *event)
{
    const int n_events = it->n_events;
    double *values = it->values;
    double end = t1;
    int which = -1;

    for (int k = 0; k < n_events; k++)
        if (phx_events_at_time(it, k) && !it->event[k].done && it->def.events[k].value > it->t)
            end = fmin(end, it->def.events[k].value);
    const double start = it->t, jump = is_set_valued(it) ? phx_system_next_jump(it->def.system, start, end) : HUGE_VAL;
    if (jump <= end)
        end = before_jump(it, jump);
    if (end <= start)
        return jump_here(it, jump, event);
    phx_status status = events_try_step(it, end, values, &which);
    if (status)
        return status;
    if (which < 0)
        which = phx_friction_overdue(it, values + n_events);
    if (which < 0)
        which = phx_contacts_overdue(it, values + n_events + it->frictions.n);
    mark_met(it, values, which);
    status = phx_events_accept(it, values);
    *event = which >= 0;
    it->stalled = it->t > start ? 0 : it->stalled + 1;
    if (!status && it->stalled > MOST_STALLED)
        status = phx_fail(it->context, PHX_ERR_ANALYSIS,
                          "contacts and friction find no state to go on from at t = %.9g s", it->t);
    it->half_done = true;
    if (!status)
        status = phx_events_all_happen(it, which, event);
    it->half_done = status != PHX_OK;
    return !status && it->t == end && jump < HUGE_VAL ? jump_here(it, jump, event) : status;
}

phx_status phx_events_step(phx_events *it, double end, bool *event)
{
    *event = false;
    const phx_status status = one_step(it, end, event);
    if (status && !it->half_done)
        phx_events_stand_back(it);
    return status > 0 && it->half_done ? PHX_ERR_ANALYSIS : status;
}

/* The rates of drives at the accepted state have been changed from outside, and velocities do not agree with them. */
static bool is_changed(const events_run *it)
{
    static const double ROUNDING = 1e-10; /* of the largest velocity */
    double position, rate;

    phx_system_drift(it->s->reader, it->t, it->before.x, it->before.v, &position, &rate);
    return rate > ROUNDING * it->speed;
}

/* Advances the run by `length` seconds in equal steps of at most the interval of the definition, with every event in
 * between located and executed. */
phx_status phx_events_advance(phx_events *it, double length)
{
    const double interval = it->def.interval, count = fmax(1.0, ceil(length / interval * (1.0 - SAME)));
    const double h = phx_events_equal_step(length, count, interval);
    step_clock *clock = &it->clock;
    phx_status status = PHX_OK;

    if (!(length > 0.0 && isfinite(length)))
        return phx_fail(it->context, PHX_ERR_ARGUMENT, "a step of %g s; it must be positive", length);
    if (!(fabs(h - clock->h) <= SAME * h))
        *clock = (step_clock){.base = it->t, .h = h};
    if (is_set_valued(it) && is_changed(it))
        status = phx_events_jump(it, it->t, it->before.x, it->before.v);
    for (double n = 0.0; n < count && !status; n++) {
        const double end = clock->base + (double)++clock->count * clock->h;
        while (it->t < end && !status) {
            bool event = false;
            status = phx_events_step(it, end, &event);
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

phx_sample phx_events_sample(const phx_events *it)
{
    const mechanism *s = it->s;
    return (phx_sample){
        .t = s->t, .x = s->x, .v = s->v, .lambda = s->lambda, .work = it->done.work, .ledger = it->done.ledger};
}

const phx_events_counts *phx_events_count(const phx_events *it)
{
    return &it->counts;
}
