/* A run whose steps another program makes, as in model exchange: it brings states, the run keeps what the conditions
 * were, and what is met happens where it stands. */
#include "run.h"

#include <math.h>
#include <string.h>

/* Conditions on outputs this near to zero are met, as part of the largest so far, forces as part of static friction,
 * times as part of the time: who looks for the zero may stop on its near side. Rates are zero below ROUNDING of all
 * velocities, and go back above STILL. Gaps are zero below NEAR of the slack of contacts, and have gone back above
 * BEYOND; forces of contacts are zero below ZERO times what is rounding of them. */
static const double MET = 1e-12, ROUNDING = 1e-15, STILL = 1e-12, NEAR = 1e-2, BEYOND = 1e4, ZERO = 10.0;
static const double SLOW = 1e-8; /* slip of which the direction is not asked for, as part of all velocities */
enum { MOST_ROUNDS = 100 };      /* of transitions at one instant */

int phx_events_on_outputs(int n, const phx_event *events)
{
    int count = 0;

    for (int k = 0; k < n; k++)
        count += events[k].column >= 0;
    return count;
}

/* ---- slip in space ---- */
phx_status phx_events_direct(phx_events *run, const double *x, const double *v)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < run->frictions.n && !status; k++) {
        if (!run->frictions.heading[k].in_space)
            continue;
        const double angle = run->frictions.heading[k].angle, s[2] = {cos(angle), sin(angle)};
        double rate[2], slip[2];
        status = phx_system_slip_rate(run->def.system, k, x, v, rate);
        const double back = fmin(s[0] * rate[0] + s[1] * rate[1], 0.0);
        for (int i = 0; i < 2; i++)
            slip[i] = rate[i] + (SLOW * run->speed - 2.0 * back) * s[i];
        const double size = hypot(slip[0], slip[1]);
        for (int i = 0; i < 2; i++)
            slip[i] = size > 0.0 ? slip[i] / size : s[i];
        if (!status)
            status = phx_system_slip(run->def.system, k, false, slip);
    }
    return status;
}

/* Their conditions, -s.v, s the direction at the last step that was completed. */
static void find_slips(events_run *run)
{
    for (int k = 0; k < run->frictions.n; k++) {
        const slip_heading *heading = &run->frictions.heading[k];
        const double *rate = run->frictions.friction[k].rate;
        if (heading->in_space && hypot(rate[0], rate[1]) > ROUNDING * run->speed)
            run->values[run->n_events + k] = -cos(heading->angle) * rate[0] - sin(heading->angle) * rate[1];
    }
}

/* s of the state where the run stands. */
static void keep_headings(events_run *run)
{
    for (int k = 0; k < run->frictions.n; k++) {
        const double *rate = run->frictions.friction[k].rate;
        if (!run->event[run->n_events + k].met && hypot(rate[0], rate[1]) > SLOW * run->speed)
            run->frictions.heading[k].angle = atan2(rate[1], rate[0]);
    }
}

/* Tangents on spheres that have to be made anew. */
static bool any_tangent_turns(const events_run *run)
{
    const mechanism *s = run->s;

    for (int k = 0; k < run->frictions.n; k++)
        if (!run->frictions.friction[k].open && phx_system_slip_turns(s->system, k, s->x, s->v))
            return true;
    return false;
}

/* ---- conditions ---- */
/* Values of the conditions where the mechanism is. */
static phx_status outside_look(events_run *run)
{
    phx_status status = phx_events_direct(run, run->s->x, run->s->v);

    if (!status)
        status = phx_events_look(run, run->values);
    if (!status && run->frictions.n > 0 && !phx_system_friction_settles(run->s->reader))
        status = phx_fail(run->context, PHX_NOT_CONVERGED,
                          "at t = %.9g s friction and the reactions that it follows do not agree: the mechanism jams",
                          run->s->t);
    find_slips(run);
    return status;
}

/* The run is at this state, which is not accepted yet. */
static void stand_at(events_run *run, double t, const double *x, const double *v)
{
    mechanism *s = run->s;

    s->t = t;
    memcpy(s->x, x, (size_t)s->dae->n_x * sizeof *x);
    memcpy(s->v, v, (size_t)s->dae->n_v * sizeof *v);
}

/* The rigid contact of condition k; NULL: it is another one's. */
static const phx_rigid_contact *contact_of(const events_run *run, int k)
{
    const int number = k - run->n_events - run->frictions.n;
    return number >= 0 ? &run->contacts.contact[number] : NULL;
}

/* A contact that has just closed pulls, or one that has just opened has come back before its gap was seen to be
 * positive. */
static bool is_overdue(const events_run *run, int k)
{
    const phx_rigid_contact *contact = contact_of(run, k);

    if (!contact || run->event[k].value < 0.0)
        return false;
    return contact->closed ? run->values[k] > 0.0 : contact->rate < -STILL * run->speed && contact->gap < -run->slack;
}

phx_status phx_events_indicators(phx_events *run, double t, const double *x, const double *v, double *indicators)
{
    int at = 0;

    stand_at(run, t, x, v);
    const phx_status status = outside_look(run);

    for (int k = 0; k < run->n && !status; k++)
        if (!phx_events_at_time(run, k))
            indicators[at++] = run->event[k].value < 0.0 || is_overdue(run, k) ? -run->values[k] : 1.0;
    return status;
}

/* A contact that has opened goes away, and is not beyond the errors of integrators yet: its gap has no sign. */
static bool leaves(const events_run *run, int k)
{
    const phx_rigid_contact *contact = contact_of(run, k);

    return contact && !contact->closed && run->event[k].value >= 0.0 && contact->rate >= 0.0 &&
           contact->gap < BEYOND * run->slack;
}

/* A contact that strikes, or would pull. */
static bool is_contact_due(const events_run *run, int k)
{
    const phx_rigid_contact *contact = contact_of(run, k);
    const double near = contact->closed ? ZERO * phx_contacts_rounding(run) : NEAR * run->slack;

    if (is_overdue(run, k))
        return true;
    return run->event[k].value < 0.0 && run->values[k] >= -near && (contact->closed || contact->rate < 0.0);
}

/* Friction that begins to slip, or whose slip stops: its condition has come to zero; or it has gone on past that, as
 * after a transition to a direction in which it does not go. */
static bool is_transition(const events_run *run, int k)
{
    const phx_dry_friction *friction = &run->frictions.friction[k - run->n_events];
    const double near = friction->sticks ? MET * friction->limit : ROUNDING * run->speed;
    const double past = friction->sticks ? MET * friction->limit : STILL * run->speed;

    return run->event[k].value < 0.0 ? run->values[k] >= -near : run->values[k] > past;
}

static bool outside_is_due(const events_run *run, int k)
{
    const event_state *event = &run->event[k];

    if (contact_of(run, k))
        return is_contact_due(run, k);
    if (k >= run->n_events)
        return is_transition(run, k);
    if (phx_events_at_time(run, k))
        return !event->done && run->def.events[k].value <= run->s->t + MET * fabs(run->s->t);
    return event->value < 0.0 && run->values[k] >= -MET * event->largest;
}

/* Marks the events that are due, of the conditions as they were looked at last; whether there are any. *which: the
 * contact that is due, else the friction; -1: none. */
static bool mark_due(events_run *run, int *which)
{
    bool any = false;

    *which = -1;
    for (int k = 0; k < run->n; k++) {
        run->event[k].met = outside_is_due(run, k);
        any = any || run->event[k].met;
        if (run->event[k].met && k >= run->n_events && (*which < 0 || (contact_of(run, k) && !contact_of(run, *which))))
            *which = k;
    }
    return any || any_tangent_turns(run);
}

/* Takes over a state that another program reached and evaluates the conditions; *due indicates that an event is met
 * here. */
phx_status phx_events_stand(phx_events *run, double t, const double *x, const double *v, bool *due)
{
    mechanism *s = run->s;
    int which;

    *due = false;
    stand_at(run, t, x, v);
    const phx_status status = outside_look(run);
    if (status)
        return status;
    (void)phx_events_speed(run);
    run->t = t;
    memcpy(run->before.x, x, (size_t)s->dae->n_x * sizeof *x);
    memcpy(run->before.v, v, (size_t)s->dae->n_v * sizeof *v);
    *due = mark_due(run, &which);
    for (int k = 0; k < run->n; k++)
        if (!run->event[k].met && !leaves(run, k))
            run->event[k].value = phx_events_armed_value(run, k, run->values[k]);
    phx_contacts_accepted(run);
    keep_headings(run);
    return PHX_OK;
}

/* Executes the events that are met at the present state, with the transitions of contacts and friction that follow,
 * until none is due. Fails after MOST_ROUNDS rounds. */
phx_status phx_events_happen(phx_events *run)
{
    int which;
    bool due = mark_due(run, &which);
    phx_status status = PHX_OK;

    run->half_done = due;
    for (int round = 0; due && !status; round++) {
        bool event = false;
        status = phx_events_all_happen(run, which, &event);
        if (!status && any_tangent_turns(run))
            status = phx_friction_head(run);
        if (!status)
            status = outside_look(run);
        if (!status && round == MOST_ROUNDS)
            status = phx_fail(run->context, PHX_ERR_ANALYSIS,
                              "contacts and friction find no state to go on from at t = %.9g s", run->t);
        due = !status && mark_due(run, &which);
    }
    run->half_done = status != PHX_OK;
    return status > 0 ? PHX_ERR_ANALYSIS : status;
}

/* Takes over x and v at t, frees what an impulse tears away, applies impulses of drives and enters their work;
 * half_done stays set after a failure. */
phx_status phx_events_jump(phx_events *run, double t, const double *x, const double *v)
{
    stand_at(run, t, x, v);
    memcpy(run->before.x, x, (size_t)run->s->dae->n_x * sizeof *x);
    return phx_events_take_jump(run, t);
}

double phx_events_next_time(const phx_events *run)
{
    double next = HUGE_VAL;

    for (int k = 0; k < run->n_events; k++)
        if (phx_events_at_time(run, k) && !run->event[k].done)
            next = fmin(next, run->def.events[k].value);
    return next;
}

/* ---- the joints that can act ---- */
/* Joints that events switch, and what acts of each of them after some events. */
typedef struct reached {
    unsigned char *acts; /* n_joints: HOLDS, DRIVES as bits */
    int times;           /* how many of the events at times have been */
} reached;
enum { HOLDS = 1, DRIVES = 2, MOST_REACHED = 200 };

typedef struct exploration {
    phx_context *context;
    phx_system *system;
    int n, n_joints;
    const phx_event *events;
    int *joints; /* n_joints */
    int count;
    reached all[MOST_REACHED];
    bool complete;
} exploration;

static int find_joint(const exploration *e, int joint)
{
    int k = 0;
    while (k < e->n_joints && e->joints[k] != joint)
        k++;
    return k;
}

/* Events at times in their order: how many come before event k. */
static int times_before(const exploration *e, int k)
{
    int before = 0;

    for (int i = 0; i < e->n; i++)
        before += e->events[i].column < 0 &&
                  (e->events[i].value < e->events[k].value || (e->events[i].value == e->events[k].value && i < k));
    return before;
}

/* Lists every joint once that some event attaches, releases or stops driving. */
static phx_status list_joints(exploration *e)
{
    size_t most = 0;

    for (int k = 0; k < e->n; k++)
        most += (size_t)(e->events[k].n_attach + e->events[k].n_release + e->events[k].n_undrive);
    e->joints = phx_calloc(e->context, most, sizeof *e->joints);
    if (!e->joints)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < e->n; k++)
        for (int i = 0; i < e->events[k].n_attach + e->events[k].n_release + e->events[k].n_undrive; i++)
            if (find_joint(e, e->events[k].joints[i]) == e->n_joints)
                e->joints[e->n_joints++] = e->events[k].joints[i];
    return PHX_OK;
}

static bool is_known(const exploration *e, const reached *state)
{
    for (int k = 0; k < e->count; k++)
        if (e->all[k].times == state->times && memcmp(e->all[k].acts, state->acts, (size_t)e->n_joints) == 0)
            return true;
    return false;
}

/* After event k of `from`, where it can come. */
static phx_status add_after(exploration *e, const reached *from, int k)
{
    const phx_event *event = &e->events[k];
    reached next = *from;

    if (event->column < 0 && from->times != times_before(e, k))
        return PHX_OK;
    next.times += event->column < 0;
    next.acts = phx_calloc(e->context, (size_t)e->n_joints, 1);
    if (!next.acts)
        return PHX_ERR_MEMORY;
    if (e->n_joints > 0)
        memcpy(next.acts, from->acts, (size_t)e->n_joints);
    for (int i = 0; i < event->n_attach + event->n_release + event->n_undrive; i++) {
        unsigned char *acts = &next.acts[find_joint(e, event->joints[i])];
        if (i < event->n_attach)
            *acts = HOLDS | DRIVES;
        else
            *acts = i < event->n_attach + event->n_release ? 0 : *acts & HOLDS;
    }
    const bool known = is_known(e, &next);
    e->complete = e->complete && (known || e->count < MOST_REACHED);
    if (known || e->count == MOST_REACHED)
        phx_free(next.acts);
    else
        e->all[e->count++] = next;
    return PHX_OK;
}

/* The numbers that are free with what acts. */
static phx_status count_free(const exploration *e, const unsigned char *acts, const double *x, phx_events_free *most)
{
    phx_switch *changes = phx_calloc(e->context, (size_t)e->n_joints, sizeof *changes);
    int driven = 0;
    phx_status status = changes ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < e->n_joints && !status; k++)
        changes[k] = (phx_switch){e->joints[k], (acts[k] & HOLDS) != 0, (acts[k] & DRIVES) != 0};
    if (!status)
        status = phx_system_switch(e->system, e->n_joints, changes, x);
    phx_free(changes);
    if (status)
        return status;
    for (int k = 0; k < phx_system_n_l(e->system); k++) {
        const char *joint;
        int row;
        bool drive = false;
        phx_system_multiplier(e->system, k, &joint, &row, &drive);
        driven += drive;
    }
    const int rates = phx_system_n_v(e->system) - phx_system_n_l(e->system);
    most->rates = rates > most->rates ? rates : most->rates;
    most->coordinates = rates + driven > most->coordinates ? rates + driven : most->coordinates;
    return PHX_OK;
}

/* Explores the sets of active joints that sequences of events can reach and determines the largest number of minimal
 * coordinates and rates among them. If there are too many, all these joints count as open. */
phx_status phx_events_most_free(phx_context *context, phx_system *system, int n, const phx_event *events,
                                const double *x, phx_events_free *most)
{
    exploration *e = phx_calloc(context, 1, sizeof *e);
    phx_status status = e ? PHX_OK : PHX_ERR_MEMORY;

    *most = (phx_events_free){0, 0};
    if (!e)
        return status;
    *e = (exploration){.context = context, .system = system, .n = n, .events = events, .complete = true};
    status = list_joints(e);
    if (!status) {
        e->all[0].acts = phx_calloc(context, (size_t)e->n_joints, 1);
        e->count = 1;
        status = e->all[0].acts ? PHX_OK : PHX_ERR_MEMORY;
    }
    for (int k = 0; k < e->n_joints && !status; k++)
        e->all[0].acts[k] = (unsigned char)((phx_system_joint_holds(system, e->joints[k]) ? HOLDS : 0) |
                                            (phx_system_joint_drives(system, e->joints[k]) ? DRIVES : 0));
    for (int i = 0; i < e->count && !status; i++)
        for (int k = 0; k < n && !status; k++)
            status = add_after(e, &e->all[i], k);
    if (!status && !e->complete) /* more than can be looked at: all of them let go */
        memset(e->all[0].acts, 0, (size_t)e->n_joints);
    for (int i = 0; i < (e->complete ? e->count : 1) && !status; i++) {
        bool seen = false; /* the same joints at another time */
        for (int k = 0; k < i; k++)
            seen = seen || memcmp(e->all[k].acts, e->all[i].acts, (size_t)e->n_joints) == 0;
        if (!seen)
            status = count_free(e, e->all[i].acts, x, most);
    }
    for (int i = 0; i < e->count; i++)
        phx_free(e->all[i].acts);
    phx_free(e->joints);
    phx_free(e);
    return status;
}
