/* A simulation with events. Steps of equal length; after each the conditions are looked at, and where one has changed
 * its sign the step is made again from its start, shorter, until its end is the event. There joints begin to hold or
 * let go, an impulse puts the velocities on those that hold, and what that takes is booked. */
#include "events.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

static const double SAME = 1e-9; /* lengths that agree to this, relative, are the same */
enum { MOST_STALLED = 100 };     /* events one after the other at one instant */

/* ---- a step ---- */
/* A run from the state at the start of the step, with multipliers of that instant. */
static phx_status begin(events_run *it)
{
    phx_simulation *s = it->s;
    double *v_dot = phx_calloc(it->context, (size_t)s->dae->n_v, sizeof *v_dot);
    phx_integrate_options options = it->report->used;
    phx_status status = v_dot ? PHX_OK : PHX_ERR_MEMORY;

    options.every = 0.0;
    if (!status)
        status = s->dae->ops->accelerations(s->dae, it->t, it->before.x, it->before.v, v_dot, it->before.lambda);
    if (!status)
        status = phx_integration_create(s->dae, &options, it->t, it->before.x, it->before.v, it->before.lambda,
                                        &it->integration);
    phx_free(v_dot);
    return status;
}

double phx_events_speed(events_run *it)
{
    const double *g = it->model->gravity;
    phx_sizes sizes;

    phx_system_sizes(it->s->system, it->s->x, it->s->v, &sizes);
    it->speed = fmax(fmax(it->speed, sizes.speed), it->interval * hypot(hypot(g[0], g[1]), g[2]));
    return it->speed;
}

/* The report gets what the integration has done since it was counted last. */
static void count_steps(events_run *it)
{
    phx_integrate_stats *sum = &it->report->stats;

    if (!it->integration)
        return;
    const phx_integrate_stats *stats = phx_integration_stats(it->integration), *counted = &it->counted;
    sum->steps += stats->steps - counted->steps;
    sum->rejected += stats->rejected - counted->rejected;
    sum->halvings += stats->halvings - counted->halvings;
    sum->newton_iterations += stats->newton_iterations - counted->newton_iterations;
    sum->factorisations += stats->factorisations - counted->factorisations;
    sum->projections += stats->projections - counted->projections;
    sum->largest_kinetic = fmax(sum->largest_kinetic, stats->largest_kinetic);
    it->counted = *stats;
}

void phx_events_forget(events_run *it)
{
    count_steps(it);
    phx_integration_destroy(it->integration);
    it->integration = NULL;
    it->counted = (phx_integrate_stats){0};
}

/* From the state at the start of the step to t1. */
static phx_status step_to(events_run *it, double t1)
{
    phx_simulation *s = it->s;
    const phx_dae *dae = s->dae;
    phx_status status = it->integration ? PHX_OK : begin(it);

    if (status)
        return status;
    const phx_sample start = {.t = it->t, .x = it->before.x, .v = it->before.v, .lambda = it->before.lambda};
    phx_integration_rewind(it->integration, &start);
    status = phx_friction_direct(it, t1 - it->t);
    if (!status)
        status = phx_integration_advance(it->integration, t1 - it->t);
    const phx_sample *end = phx_integration_sample(it->integration);
    memcpy(s->x, end->x, (size_t)dae->n_x * sizeof *s->x);
    memcpy(s->v, end->v, (size_t)dae->n_v * sizeof *s->v);
    memcpy(s->lambda, end->lambda, (size_t)dae->n_l * sizeof *s->lambda);
    s->t = status ? end->t : t1;
    it->done.call_work = end->work;
    memcpy(it->done.call, end->ledger, (size_t)it->done.n_ledger * sizeof *it->done.call);
    return status;
}

/* ---- conditions ---- */
static double condition(const phx_model_event *event, double value)
{
    return event->rises_to.given ? value - event->rises_to.value : event->falls_to.value - value;
}

/* The conditions at the state of the simulation, into `values`. */
static phx_status look(events_run *it, double *values)
{
    phx_simulation *s = it->s;
    phx_dae *dae = s->recording.dae;
    phx_status status = it->by_outputs ? phx_system_outputs(dae, s->t, s->x, s->v, it->columns) : PHX_OK;

    for (int k = 0; k < it->model->n_events && !status; k++)
        values[k] = it->event[k].column >= 0 ? condition(&it->model->events[k], it->columns[it->event[k].column])
                                             : s->t - it->model->events[k].at.value;
    if (!status && it->frictions.n + it->contacts.n > 0)
        status = phx_system_set_valued(dae, s->t, s->x, s->v, it->contacts.contact, it->frictions.friction);
    phx_friction_conditions(it, values + it->model->n_events);
    phx_contacts_conditions(it, values + it->model->n_events + it->frictions.n);
    return status;
}

static phx_status record(events_run *it)
{
    phx_simulation *s = it->s;
    const phx_sample sample = {
        .t = s->t, .x = s->x, .v = s->v, .lambda = s->lambda, .work = it->done.work, .ledger = it->done.ledger};
    return phx_recording_sample(&s->recording, &sample);
}

/* An event of the model that has been comes again when its condition has gone back by more than errors of the steps: a
 * joint that it attached may hold the output at its value. */
static double armed_value(const events_run *it, int k, double value)
{
    static const double ROUNDED = 1e-9, TOLERANCES = 10.0;
    event_state *event = &it->event[k];
    const double error = fmax(ROUNDED, TOLERANCES * it->report->used.rtol);

    if (k >= it->model->n_events)
        return value;
    event->largest = fmax(event->largest, fabs(value));
    return event->value >= 0.0 && value < 0.0 && value > -error * event->largest ? 0.0 : value;
}

/* The step is accepted as it was made last. */
static phx_status accept(events_run *it, const double *values)
{
    const phx_simulation *s = it->s;

    memcpy(it->before.x, s->x, (size_t)s->dae->n_x * sizeof *it->before.x);
    memcpy(it->before.v, s->v, (size_t)s->dae->n_v * sizeof *it->before.v);
    memcpy(it->before.lambda, s->lambda, (size_t)s->dae->n_l * sizeof *it->before.lambda);
    it->t = s->t;
    it->done.work.supplied += it->done.call_work.supplied;
    it->done.work.dissipated += it->done.call_work.dissipated;
    for (int k = 0; k < it->done.n_ledger; k++)
        it->done.ledger[k] += it->done.call[k];
    for (int k = 0; k < it->n; k++)
        it->event[k].value = armed_value(it, k, values[k]);
    count_steps(it);
    phx_contacts_accepted(it);
    return phx_friction_head(it);
}

static bool happens(const events_run *it, int k, double value)
{
    return it->event[k].column != AT_TIME && it->event[k].value < 0.0 && value >= 0.0;
}

/* ---- the first event of a step ---- */
/* Two ends of a part of the step: before `a` no condition is met, at `b` one is. The values there, of which the secant
 * method halves those of an end that stays (Illinois). */
typedef struct bracket {
    double a, b, *at_a, *at_b;
    int side; /* the end that moved last: -1 a, 1 b */
} bracket;

static double scale_of(const events_run *it, int k, double end)
{
    return fabs(it->event[k].value) + fabs(end);
}

/* An event before this instant is at the start of the step. */
static double earliest(const events_run *it)
{
    static const double NOTHING = 1e-9; /* part of a step */
    return it->t + NOTHING * it->interval;
}

/* Where the first of the conditions that are met at b is zero by the secant, and which it is. */
static double first_root(const events_run *it, const bracket *in, int *which)
{
    double first = HUGE_VAL;

    for (int k = 0; k < it->n; k++) {
        if (!happens(it, k, in->at_b[k]))
            continue;
        const double fa = in->at_a[k], fb = in->at_b[k];
        const double root = fb > fa ? in->b - fb * (in->b - in->a) / (fb - fa) : in->b;
        if (root < first) {
            first = root;
            *which = k;
        }
    }
    return fmin(fmax(fmax(first, earliest(it)), in->a + 1e-3 * (in->b - in->a)), in->b);
}

/* Whether the state of the simulation is the first event: one condition is zero and none is met long since. */
static bool is_event(const events_run *it, const double *values, const double *end, int which)
{
    static const double ZERO = 1e-13; /* relative */

    for (int k = 0; k < it->n; k++)
        if (happens(it, k, values[k]) && values[k] > ZERO * scale_of(it, k, end[k]))
            return false;
    return fabs(values[which]) <= ZERO * scale_of(it, which, end[which]);
}

static void narrow(const events_run *it, bracket *in, const double *values, int which, bool met)
{
    const size_t bytes = (size_t)it->n * sizeof *values;

    if (met) {
        in->b = it->s->t;
        memcpy(in->at_b, values, bytes);
        in->at_a[which] *= in->side > 0 ? 0.5 : 1.0;
    } else {
        in->a = it->s->t;
        memcpy(in->at_a, values, bytes);
        in->at_b[which] *= in->side < 0 ? 0.5 : 1.0;
    }
    in->side = met ? 1 : -1;
}

/* The event is the start of the step. */
static void stay(events_run *it, double *values)
{
    phx_simulation *s = it->s;

    memcpy(s->x, it->before.x, (size_t)s->dae->n_x * sizeof *s->x);
    memcpy(s->v, it->before.v, (size_t)s->dae->n_v * sizeof *s->v);
    memcpy(s->lambda, it->before.lambda, (size_t)s->dae->n_l * sizeof *s->lambda);
    s->t = it->t;
    it->done.call_work = (phx_work){0.0, 0.0};
    memset(it->done.call, 0, (size_t)it->done.n_ledger * sizeof *it->done.call);
    for (int k = 0; k < it->n; k++)
        values[k] = it->event[k].value;
}

static phx_status make_step(events_run *it, double t1, double *values)
{
    phx_events_forget(it); /* with a fresh matrix the condition is a function of the step to rounding */
    const phx_status status = step_to(it, t1);
    return status ? status : look(it, values);
}

static bool any_met(const events_run *it, const double *values)
{
    for (int k = 0; k < it->n; k++)
        if (happens(it, k, values[k]))
            return true;
    return false;
}

/* To the first instant at which a condition is met of the step that was made, whose values `end` are. */
static phx_status search(events_run *it, bracket *in, const double *end, double *values, int *which)
{
    enum { TRIALS = 100, SECANTS = 40 }; /* then halves: conditions may jump */
    double at = first_root(it, in, which);
    bool found = is_event(it, values, end, *which), met = true;
    phx_status status = PHX_OK;

    for (int trial = 0; trial < TRIALS && !found && !status; trial++) {
        if (in->b <= earliest(it) || in->b - in->a <= 4.0 * DBL_EPSILON * fmax(1.0, fabs(in->b)))
            break;
        status = make_step(it, trial < SECANTS && at > in->a && at < in->b ? at : 0.5 * (in->a + in->b), values);
        met = any_met(it, values);
        found = is_event(it, values, end, *which);
        narrow(it, in, values, *which, met);
        if (!found)
            at = first_root(it, in, which);
    }
    if (!status && !found && !met) /* a jump: to its far side */
        status = make_step(it, in->b, values);
    return status;
}

/* The first event of the step that was made to t1: the step is made again to where its condition is zero; -1: none.
 * Conditions that are met and left again between two instants that are looked at are not seen. */
static phx_status locate(events_run *it, double t1, double *values, int *which)
{
    const size_t n = (size_t)it->n;
    bracket in = {.a = it->t, .b = t1};

    *which = -1;
    for (int k = 0; k < it->n; k++)
        if (happens(it, k, values[k]))
            *which = k;
    if (*which < 0)
        return PHX_OK;
    double *room = phx_calloc(it->context, 3 * n, sizeof *room), *end = room + 2 * n;
    if (!room)
        return PHX_ERR_MEMORY;
    in.at_a = room;
    in.at_b = room + n;
    memcpy(in.at_b, values, n * sizeof *values);
    memcpy(end, values, n * sizeof *values);
    for (int k = 0; k < it->n; k++)
        in.at_a[k] = it->event[k].value;
    phx_status status = search(it, &in, end, values, which);
    if (!status && in.b <= earliest(it))
        stay(it, values);
    phx_free(room);
    return status;
}

/* New rows: everything that knows the old ones is made again. */
phx_status phx_events_renew(events_run *it, int count, const phx_switch *changes)
{
    phx_simulation *s = it->s;

    phx_events_forget(it);
    phx_system_dae_destroy(s->dae);
    phx_system_dae_destroy(s->recording.dae);
    s->dae = s->recording.dae = NULL;
    phx_status status = phx_system_switch(s->system, count, changes, s->x);
    if (!status)
        status = phx_simulation_dae(it->context, it->model, s->system, s->backend, &s->dae);
    if (!status)
        status = phx_system_threads(s->dae, s->threads);
    if (!status)
        status = phx_system_dae(s->system, it->context, &s->recording.dae);
    if (status)
        return status;
    phx_free(s->lambda);
    phx_free(it->before.lambda);
    s->lambda = phx_calloc(it->context, (size_t)s->dae->n_l, sizeof *s->lambda);
    it->before.lambda = phx_calloc(it->context, (size_t)s->dae->n_l, sizeof *it->before.lambda);
    return s->lambda && it->before.lambda ? PHX_OK : PHX_ERR_MEMORY;
}

static phx_status switch_forces(const phx_model_event *event, phx_system *system)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < event->n_off && !status; k++)
        status = phx_system_switch_force(system, event->off[k], false);
    for (int k = 0; k < event->n_on && !status; k++)
        status = phx_system_switch_force(system, event->on[k], true);
    return status;
}

static phx_status switch_joints(events_run *it, const phx_model_event *event)
{
    const int all = event->n_attach + event->n_release + event->n_undrive;
    phx_switch *changes = phx_calloc(it->context, (size_t)all, sizeof *changes);
    if (!changes)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < all; i++) {
        const int j = event->joints[i];
        const bool attach = i < event->n_attach, release = !attach && i < event->n_attach + event->n_release;
        it->holds[j] = attach || (!release && it->holds[j]);
        it->drives[j] = attach;
        changes[i] = (phx_switch){.joint = j, .holds = it->holds[j], .drives = it->drives[j]};
    }
    phx_status status = switch_forces(event, it->s->system);
    if (!status)
        status = phx_events_renew(it, all, changes);
    phx_free(changes);
    return status;
}

/* Contacts and friction after the condition of one of them, -1: after anything else. */
static phx_status settle(events_run *it, int which)
{
    const int number = which - it->model->n_events, contact = which < 0 ? -1 : number - it->frictions.n;
    const int friction = which < 0 || contact >= 0 ? -1 : number;
    const bool of_contact = friction >= 0 && it->frictions.friction[friction].contact >= 0;
    phx_status status = phx_contacts_settle(it, contact, of_contact ? friction : -1);
    if (!status)
        status = phx_friction_settle(it, friction);
    return status;
}

static phx_status happen(events_run *it, int k)
{
    const phx_model_event *event = &it->model->events[k];
    phx_simulation *s = it->s;
    phx_work work = {0.0, 0.0};
    phx_energies before, after;
    phx_system_energies(s->system, s->x, s->v, &before);
    phx_status status = event->n_attach > 0 ? phx_friction_let_go(it) : PHX_OK;

    if (!status)
        status = switch_joints(it, event);
    phx_system_energies(s->system, s->x, s->v, &after); /* of the same state: springs that are switched */
    if (!status && event->n_attach > 0)                 /* what only lets go leaves the velocities as they are */
        status = phx_system_impulse(s->dae, s->t, s->x, s->v, &work);
    if (status)
        return phx_fail_prefix(it->context, status, "event '%s' at t = %.9g s: ", event->name, s->t);
    const double lost = work.dissipated - work.supplied + (before.potential - after.potential);
    it->done.work.dissipated += lost;
    it->done.ledger[phx_system_event_entry(s->system, k)] += lost;
    it->report->events++;
    it->report->event_loss += lost;
    memcpy(it->before.v, s->v, (size_t)s->dae->n_v * sizeof *it->before.v);
    phx_log(it->context, PHX_LOG_INFO, "event '%s' at t = %.12g s takes %.6g J", event->name, s->t, lost);
    return settle(it, -1);
}

/* The step to `end`, or to the first event before. Friction that has just begun to slip and goes back at once sticks,
 * contacts that have just opened close again, and steps are halved in which reactions change their sign twice. */
static phx_status try_step(events_run *it, double end, double *values, int *which)
{
    enum { HALVINGS = 40 };
    phx_status status = PHX_OK;

    for (int trial = 0, again = 1; again && trial <= it->frictions.n + it->contacts.n + HALVINGS && !status; trial++) {
        status = step_to(it, end);
        if (!status)
            status = look(it, values);
        again = 0;
        if (!status)
            status = phx_friction_goes_back(it, values + it->model->n_events, &again);
        if (!status && !again)
            status = phx_contacts_go_back(it, values + it->model->n_events + it->frictions.n, &end, &again);
        if (!status && !again && !any_met(it, values) && phx_contacts_make_energy(it)) {
            again = 1;
            end = it->t + 0.5 * (end - it->t);
        }
    }
    return status ? status : locate(it, end, values, which);
}

/* The conditions of the model's events that are met at the end of the step. */
static void mark_met(events_run *it, const double *values, int which)
{
    for (int k = 0; k < it->model->n_events; k++)
        it->event[k].met = k == which || happens(it, k, values[k]);
}

/* All events of the accepted instant; `which`: that of a contact or of friction, -1: none. */
static phx_status all_happen(events_run *it, int which, bool *event)
{
    const int n_events = it->model->n_events;
    phx_status status = PHX_OK;

    if (which >= n_events) {
        it->event[which].value = 0.0; /* it begins anew when the condition has gone back */
        status = settle(it, which);
    }
    for (int k = 0; k < n_events && !status; k++) {
        event_state *one = &it->event[k];
        const bool now = one->column == AT_TIME && !one->done && it->model->events[k].at.value <= it->t;
        if (!now && !one->met)
            continue;
        one->done = one->done || now;
        one->value = 0.0;
        *event = true;
        status = happen(it, k);
    }
    return status;
}

/* To t1, or to the first event before; whether the end is an event. */
static phx_status one_step(events_run *it, double t1, double *values, bool *event)
{
    const int n_events = it->model->n_events;
    double end = t1;
    int which = -1;

    for (int k = 0; k < n_events; k++)
        if (it->event[k].column == AT_TIME && !it->event[k].done && it->model->events[k].at.value > it->t)
            end = fmin(end, it->model->events[k].at.value);
    const double start = it->t;
    phx_status status = try_step(it, end, values, &which);
    if (status)
        return status;
    if (which < 0)
        which = phx_friction_overdue(it, values + n_events);
    if (which < 0)
        which = phx_contacts_overdue(it, values + n_events + it->frictions.n);
    mark_met(it, values, which);
    status = accept(it, values);
    *event = which >= 0;
    it->stalled = it->t > start ? 0 : it->stalled + 1;
    if (!status && it->stalled > MOST_STALLED)
        status = phx_fail(it->context, PHX_ERR_ANALYSIS,
                          "contacts and friction find no state to go on from at t = %.9g s", it->t);
    return status ? status : all_happen(it, which, event);
}

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

static phx_status create_work(phx_context *context, const phx_system *system, event_work *made)
{
    made->n_ledger = phx_system_ledger(system);
    made->ledger = phx_calloc(context, (size_t)made->n_ledger, sizeof *made->ledger);
    made->call = phx_calloc(context, (size_t)made->n_ledger, sizeof *made->call);
    return made->ledger && made->call ? PHX_OK : PHX_ERR_MEMORY;
}

static void free_work(event_work *work)
{
    phx_free(work->ledger);
    phx_free(work->call);
}

static phx_status allocate(events_run *it)
{
    const phx_system *system = it->s->system;
    const size_t joints = (size_t)it->model->n_joints;
    phx_status status = create_frictions(it->context, system, &it->frictions);

    if (!status)
        status = create_contacts(it->context, system, &it->contacts);
    if (!status)
        status = create_before(it->context, it->s->dae, &it->before);
    if (!status)
        status = create_work(it->context, system, &it->done);
    if (status)
        return status;
    it->n = it->model->n_events + it->frictions.n + it->contacts.n;
    it->event = phx_calloc(it->context, (size_t)it->n, sizeof *it->event);
    it->holds = phx_calloc(it->context, joints, sizeof *it->holds);
    it->drives = phx_calloc(it->context, joints, sizeof *it->drives);
    it->columns = phx_calloc(it->context, (size_t)phx_system_columns(system), sizeof *it->columns);
    return it->event && it->holds && it->drives && it->columns ? PHX_OK : PHX_ERR_MEMORY;
}

static void release(events_run *it)
{
    free_work(&it->done);
    free_before(&it->before);
    phx_free(it->contacts.contact);
    free_frictions(&it->frictions);
    phx_free(it->event);
    phx_free(it->holds);
    phx_free(it->drives);
    phx_free(it->columns);
}

/* ---- a run ---- */
/* Between two looks at the conditions: the step, or where a tolerance chooses the steps, what is recorded. */
static double interval_of(const phx_integrate_options *used, double start)
{
    enum { LOOKS = 100 };
    const double length = used->end - start;

    return used->step > 0.0 ? used->step : used->every > 0.0 ? fmin(used->every, length) : length / LOOKS;
}

static phx_status prepare(events_run *it)
{
    const phx_model *model = it->model;
    const phx_integrate_options *used = &it->report->used;

    const phx_system *system = it->s->system;
    const bool set_valued = phx_system_dry_count(system) + phx_system_contact_count(system) > 0;

    if (phx_integrator_chooses(used->integrator) && used->rtol > 0.0 && set_valued)
        return phx_fail(it->context, PHX_ERR_UNSUPPORTED,
                        "rigid contacts and friction that is not regularised are for fixed steps; leave out rtol");
    if (model->simulate.spectral_radius < 1.0)
        return phx_fail(
            it->context, PHX_ERR_UNSUPPORTED,
            "events, rigid contacts or friction that is not regularised and a spectral radius below 1 do not "
            "go together yet; leave one out");
    if (used->iterations > 0 || used->real_time)
        return phx_fail(it->context, PHX_ERR_UNSUPPORTED,
                        "events, rigid contacts and friction that is not regularised divide steps: %s is for models "
                        "without them",
                        used->iterations > 0 ? "a fixed number of corrections" : "real time");
    const phx_status status = allocate(it);
    if (status)
        return status;
    it->interval = interval_of(used, it->s->t);
    for (int k = 0; k < model->n_joints; k++)
        it->holds[k] = it->drives[k] = model->joints[k].active;
    for (int k = 0; k < model->n_events; k++) {
        it->event[k].column = AT_TIME;
        for (int c = 0; c < phx_system_columns(it->s->system) && model->events[k].output; c++) {
            char name[300];
            phx_system_column_name(it->s->system, c, name, sizeof name);
            if (!strcmp(name, model->events[k].output))
                it->event[k].column = c;
        }
        if (model->events[k].output && it->event[k].column == AT_TIME)
            return phx_model_fail(it->context, model, &model->events[k], PHX_ERR_INPUT,
                                  "event '%s': there is no output column '%s'", model->events[k].name,
                                  model->events[k].output);
        it->by_outputs = it->by_outputs || it->event[k].column != AT_TIME;
    }
    return PHX_OK;
}

/* The contacts and frictions of the start. Where there are impacts already, what was before is a row of the result. */
static phx_status settle_start(events_run *it)
{
    phx_simulation *s = it->s;
    const size_t bytes = (size_t)s->dae->n_v * sizeof *s->v;
    double *before = phx_calloc(it->context, (size_t)s->dae->n_v, sizeof *before);
    if (!before)
        return PHX_ERR_MEMORY;
    memcpy(before, s->v, bytes);
    phx_status status = settle(it, -1);
    it->report->transitions = 0; /* those of the start are none */
    if (!status && it->report->impacts > 0) {
        const phx_sample sample = {.t = s->t, .x = s->x, .v = before, .lambda = s->lambda, .ledger = it->done.call};
        status = phx_recording_sample(&s->recording, &sample);
    }
    phx_free(before);
    return status;
}

static phx_status run(events_run *it)
{
    const phx_integrate_options *used = &it->report->used;
    const double start = it->s->t, length = used->end - start;
    const double count = fmax(1.0, ceil(length / it->interval * (1.0 - SAME))), h = length / count;
    const long stride = used->every > 0.0 ? (long)fmax(1.0, round(used->every / h)) : 1;
    double *values = phx_calloc(it->context, (size_t)it->n, sizeof *values);
    phx_status status = values ? look(it, values) : PHX_ERR_MEMORY;

    if (!status)
        status = phx_contacts_begin(it);
    if (!status)
        status = accept(it, values);
    for (int k = 0; k < it->model->n_events && !status; k++)
        it->event[k].done = it->event[k].column == AT_TIME && it->model->events[k].at.value <= start;
    if (!status)
        status = settle_start(it);
    if (!status)
        status = record(it);
    for (long n = 1; n <= (long)count && !status; n++) {
        const double t1 = n == (long)count ? used->end : start + (double)n * h;
        while (it->t < t1 && !status) {
            bool event = false;
            status = one_step(it, t1, values, &event);
            if (!status && (event || (it->t >= t1 && (n % stride == 0 || n == (long)count))))
                status = record(it);
        }
    }
    phx_free(values);
    return status;
}

bool phx_events_needed(const phx_model *model, const phx_system *system)
{
    return model->n_events > 0 || phx_system_dry_count(system) > 0 || phx_system_contact_count(system) > 0;
}

phx_status phx_events_run(phx_context *context, const phx_model *model, phx_simulate_report *report, phx_simulation *s)
{
    events_run it = {.context = context, .model = model, .report = report, .s = s};
    struct timespec from, to;
    timespec_get(&from, TIME_UTC);
    phx_status status = prepare(&it);

    if (!status)
        status = run(&it);
    phx_events_forget(&it);
    timespec_get(&to, TIME_UTC);
    report->stats.wall_seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    release(&it);
    return status;
}
