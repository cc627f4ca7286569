/* Transitions of set-valued friction. Where it sticks, a row holds the coordinate, and the condition is that its force
 * comes to static friction; where it slips, a force acts against a direction that is kept, and the condition is that
 * the rate in that direction comes to zero. In space, where a contact slips along two coordinates, the direction is
 * kept in each step: that of its middle, from the rates and accelerations at its start. */
#include "run.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double STILL = 1e-12;    /* rates below this, relative to all velocities, are zero */
static const double ROUNDING = 1e-15; /* the same of what is at its limit at rest beside others that stick */
static const double BARELY = 1e-9;
/* In space: the largest turn of the direction in half a step, rad; what has come to rest against its direction sticks
 * where it slips across it by less than this part of what friction brakes in a step. */
static const double MOST_TURN = 0.5, STOPPED = 1e-3;

/* Along one coordinate the second entry of a vector is 0. */
static double transitions_length(const double x[2])
{
    return hypot(x[0], x[1]);
}

/* sign x/|x|; in the first direction where x = 0 */
static void unit(double sign, const double x[2], double out[2])
{
    const double size = transitions_length(x);

    for (int i = 0; i < 2; i++)
        out[i] = size > 0.0 ? sign * x[i] / size : i == 0;
}

static bool slips(const phx_dry_friction *f)
{
    return f->slip[0] != 0.0 || f->slip[1] != 0.0;
}

/* -s . rate */
static double backwards(const phx_dry_friction *f)
{
    return -f->slip[0] * f->rate[0] - f->slip[1] * f->rate[1];
}

static phx_status transitions_look(events_run *run)
{
    const mechanism *s = run->s;
    return run->frictions.n > 0 ? phx_system_set_valued(s->reader, s->t, s->x, s->v, NULL, run->frictions.friction)
                                : PHX_OK;
}

/* The force beyond what static friction can hold; of a contact, forces that are rounding against others are none. */
static double beyond(const phx_dry_friction *f, double zero)
{
    return transitions_length(f->force) - f->limit - (f->contact >= 0 ? zero : 0.0);
}

/* Conditions of the friction elements: force beyond static friction while sticking, rate against the kept direction
 * while slipping; -1 for an element that neither sticks nor slips. */
void phx_friction_conditions(const events_run *run, double *values)
{
    const double zero = phx_contacts_rounding(run);

    for (int k = 0; k < run->frictions.n; k++) {
        const phx_dry_friction *f = &run->frictions.friction[k];
        const bool rests = transitions_length(f->rate) <= ROUNDING * run->speed;
        if (run->event[run->n_events + k].spare && transitions_length(f->rate) <= STILL * run->speed)
            values[k] = -1.0;
        else
            values[k] = f->sticks   ? beyond(f, zero) - run->event[run->n_events + k].slack
                        : !slips(f) ? -1.0
                        : rests     ? 0.0
                                    : backwards(f);
    }
}

/* Number k sticks, slips along sign x, or neither; whether other rows act. */
static phx_status change(events_run *run, int k, bool sticks, double sign, const double *x, bool *rows)
{
    const phx_dry_friction *f = &run->frictions.friction[k];
    double slip[2] = {0.0, 0.0};

    if (x)
        unit(sign, x, slip);
    *rows = *rows || f->sticks != sticks;
    run->counts.transitions += f->sticks != sticks || f->slip[0] * slip[0] + f->slip[1] * slip[1] < 0.0;
    return phx_system_slip(run->s->system, k, sticks, x ? slip : NULL);
}

/* The directions of slip in space in the middle of a step of length h from the accepted state; h = 0: there. From the
 * angle phi with the rate phi' and d(phi')/d(phi) = -stiffness:
 *
 *     phi_m = phi + h/2 phi'/(1 + h/2 stiffness)      the midpoint rule, linearised: stable where the slip is slow */
phx_status phx_friction_direct(const events_run *run, double h)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < run->frictions.n && !status; k++) {
        const slip_heading *to = &run->frictions.heading[k];
        if (!to->in_space)
            continue;
        const double turn = 0.5 * h * to->turn / (1.0 + 0.5 * h * to->stiffness);
        const double angle = to->angle + fmax(-MOST_TURN, fmin(turn, MOST_TURN));
        const double slip[2] = {cos(angle), sin(angle)};
        status = phx_system_slip(run->s->system, k, false, slip);
    }
    return status;
}

/* Friction, along the slip v, has the acceleration -F m along it; phi' = v x a/v^2 is due to the rest, A = a + F m
 * v/|v|, and dphi'/dphi = -A . v/v^2. */
static void find_turn(const phx_dry_friction *f, slip_heading *to)
{
    const double *v = f->rate, *a = f->acceleration, speed = transitions_length(v);
    const double pull = (v[0] * a[0] + v[1] * a[1]) / speed + f->limit * f->mobility;

    to->turn = (v[0] * a[1] - v[1] * a[0]) / (speed * speed);
    to->stiffness = fmax(0.0, pull) / speed;
}

/* The tangents of slips on spheres at the state of the simulation. */
static phx_status turn_tangents(events_run *run)
{
    mechanism *s = run->s;
    bool rows = false;
    phx_status status = PHX_OK;

    for (int k = 0; k < run->frictions.n && !status; k++) {
        bool turned = false;
        status = phx_system_turn_slip(s->system, k, s->x, s->v, &turned);
        rows = rows || (turned && run->frictions.friction[k].sticks);
    }
    return status || !rows ? status : phx_events_renew(run, 0, NULL);
}

/* Others hold it. */
static bool leans(const events_run *run, int k)
{
    return run->event[run->n_events + k].spare;
}

/* Fixes the slip directions for the next step from the rates at its start, and in space how they turn. */
phx_status phx_friction_head(events_run *run)
{
    bool any = false;
    phx_status status = turn_tangents(run);

    for (int k = 0; k < run->frictions.n; k++) {
        const phx_dry_friction *f = &run->frictions.friction[k];
        const double *along = transitions_length(f->rate) > STILL * run->speed ? f->rate : f->slip;
        run->frictions.heading[k] = (slip_heading){.in_space = f->n == 2 && !f->sticks && slips(f) && !leans(run, k),
                                                   .angle = atan2(along[1], along[0])};
        any = any || run->frictions.heading[k].in_space;
    }
    if (!status)
        status = phx_friction_direct(run, 0.0);
    if (!status && any)
        status = transitions_look(run);
    for (int k = 0; k < run->frictions.n && !status; k++)
        if (run->frictions.heading[k].in_space &&
            transitions_length(run->frictions.friction[k].rate) > STILL * run->speed)
            find_turn(&run->frictions.friction[k], &run->frictions.heading[k]);
    return status;
}

/* Puts the velocities on the rows of sticking friction by an impulse and books the energy lost, all under the first
 * sticking element. */
phx_status phx_friction_hold(events_run *run)
{
    mechanism *s = run->s;
    phx_work work;
    int k = 0;

    while (k < run->frictions.n && !run->frictions.friction[k].sticks)
        k++;
    if (k == run->frictions.n)
        return PHX_OK;
    const phx_status status = phx_system_impulse(s->dae, s->t, s->x, s->v, &work);
    if (status)
        return status;
    const double lost = work.dissipated - work.supplied;
    run->done.ledger[phx_system_dry_entry(s->system, k)] += lost;
    run->done.work.dissipated += lost;
    memcpy(run->before.v, s->v, (size_t)s->dae->n_v * sizeof *run->before.v);
    return PHX_OK;
}

/* The joints turn its motion round, and no force along the coordinate could hinder them, as in a dead centre. */
static bool is_carried(const phx_dry_friction *f)
{
    return !f->sticks && 2.0 * f->limit * f->mobility < BARELY * transitions_length(f->acceleration);
}

/* In space: its rate is across its direction, not zero. */
static bool turns_aside(const events_run *run, const phx_dry_friction *f)
{
    return f->n == 2 && !f->sticks && slips(f) &&
           transitions_length(f->rate) > STOPPED * f->limit * f->mobility * run->def.options.step;
}

bool phx_friction_stops(const events_run *run, int k)
{
    return !run->frictions.friction[k].sticks && !turns_aside(run, &run->frictions.friction[k]);
}

/* For the time being all that rests sticks, and all that moves slips; contacts have settled theirs. */
static phx_status first_guess(events_run *run, int which, bool *rows)
{
    const double still = STILL * phx_events_speed(run);
    phx_status status = PHX_OK;

    for (int k = 0; k < run->frictions.n && !status; k++) {
        const phx_dry_friction *f = &run->frictions.friction[k];
        const bool stops = k == which && !turns_aside(run, f), rests = stops || transitions_length(f->rate) <= still;
        if (f->contact >= 0)
            continue;
        if (k == which && f->sticks) /* where it goes without the force that holds it */
            status = change(run, k, false, -1.0, f->force, rows);
        else if (rests && is_carried(f))
            status = change(run, k, false, 1.0, f->acceleration, rows);
        else if (f->sticks || rests)
            status = change(run, k, true, 0.0, NULL, rows);
        else
            status = change(run, k, false, 1.0, f->rate, rows);
    }
    return status;
}

/* The friction that is asked to hold most beyond what it can; -1: all can. */
static int overloaded(const events_run *run)
{
    static const double OVER = 1e-12; /* of the limit: less is rounding */
    double worst = 1.0 + OVER;
    int which = -1;

    for (int k = 0; k < run->frictions.n; k++) {
        const phx_dry_friction *f = &run->frictions.friction[k];
        const double share = transitions_length(f->force) / fmax(f->limit, DBL_MIN);
        if (f->contact < 0 && f->sticks && share > worst) {
            worst = share;
            which = k;
        }
    }
    return which;
}

/* Determines after an event which friction elements stick and slip: first guess, then the most overloaded sticking one
 * is released until none is. `which` is the element whose condition was met, -1: none. */
phx_status phx_friction_settle(events_run *run, int which)
{
    bool rows = false;
    phx_status status = transitions_look(run);

    if (run->frictions.n == 0)
        return PHX_OK;
    if (!status)
        status = first_guess(run, which, &rows);
    for (int loose = 0; loose >= 0 && !status;) {
        if (rows)
            status = phx_events_renew(run, 0, NULL);
        rows = false;
        if (!status)
            status = transitions_look(run);
        if (!status)
            status = phx_friction_hold(run);
        loose = status ? -1 : overloaded(run);
        if (loose >= 0)
            status = change(run, loose, false, -1.0, run->frictions.friction[loose].force, &rows);
    }
    phx_events_forget(run);
    const double rounding = phx_contacts_rounding(run), marginal = phx_contacts_marginal(run);
    for (int k = 0; k < run->frictions.n && !status; k++) {
        const phx_dry_friction *f = &run->frictions.friction[k];
        event_state *condition = &run->event[run->n_events + k];
        const bool zero = (k == which && !turns_aside(run, f)) || transitions_length(f->rate) <= STILL * run->speed;
        const double over = beyond(f, rounding);
        condition->slack = f->sticks && f->contact >= 0 && over > -marginal ? marginal : 0.0;
        condition->value = f->sticks          ? fmin(over - condition->slack, 0.0)
                           : condition->spare ? -1.0
                           : zero             ? 0.0
                                              : fmin(backwards(f), 0.0);
    }
    return status ? status : phx_friction_head(run);
}

phx_status phx_friction_let_go(events_run *run)
{
    phx_status status = transitions_look(run);
    bool rows = false;

    for (int k = 0; k < run->frictions.n && !status; k++)
        if (run->frictions.friction[k].sticks)
            status = change(run, k, false, 0.0, NULL, &rows);
    return status || !rows ? status : phx_events_renew(run, 0, NULL);
}

/* If slip that has just begun goes against its direction, returns to the start of the step and lets the element stick;
 * *again is then 1 and the step has to be repeated. */
phx_status phx_friction_goes_back(events_run *run, const double *values, int *again)
{
    const double still = STILL * phx_events_speed(run);
    mechanism *s = run->s;
    phx_status status = PHX_OK;

    for (int k = 0; k < run->frictions.n && !*again && !status; k++) {
        bool rows = false;
        if (run->frictions.friction[k].sticks || run->event[run->n_events + k].value < 0.0 || values[k] <= still)
            continue;
        *again = 1;
        memcpy(s->x, run->before.x, (size_t)s->dae->n_x * sizeof *s->x);
        memcpy(s->v, run->before.v, (size_t)s->dae->n_v * sizeof *s->v);
        s->t = run->t;
        status = change(run, k, true, 0.0, NULL, &rows);
        if (!status)
            status = phx_events_renew(run, 0, NULL);
        if (!status)
            status = transitions_look(run);
        if (!status)
            status = phx_friction_hold(run);
        if (!status)
            status = phx_friction_head(run);
    }
    return status;
}

int phx_friction_overdue(const events_run *run, const double *values)
{
    for (int k = 0; k < run->frictions.n; k++)
        if (run->frictions.friction[k].sticks && values[k] > 0.0)
            return run->n_events + k;
    return -1;
}
