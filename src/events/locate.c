/* The first event of a step: the step is made again from its start, shorter, until its end is the event. */
#include "run.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Two ends of a part of the step: before `a` no condition is met, at `b` one is. The values there, of which the secant
 * method halves those of an end that stays (Illinois). */
typedef struct bracket {
    double a, b, *at_a, *at_b;
    int side; /* the end that moved last: -1 a, 1 b */
} bracket;

static double locate_scale_of(const events_run *run, int k, double end)
{
    return fabs(run->event[k].value) + fabs(end);
}

/* An event before this instant is at the start of the step. */
static double earliest(const events_run *run)
{
    static const double NOTHING = 1e-9; /* part of a step */
    return run->t + NOTHING * run->def.interval;
}

/* Where the first of the conditions that are met at b is zero by the secant, and which it is. */
static double first_root(const events_run *run, const bracket *in, int *which)
{
    static const double LEAST_ADVANCE = 1e-3; /* part of the bracket */
    double first = HUGE_VAL;

    for (int k = 0; k < run->n; k++) {
        if (!phx_events_happens(run, k, in->at_b[k]))
            continue;
        const double fa = in->at_a[k], fb = in->at_b[k];
        const double root = fb > fa ? in->b - fb * (in->b - in->a) / (fb - fa) : in->b;
        if (root < first) {
            first = root;
            *which = k;
        }
    }
    return fmin(fmax(fmax(first, earliest(run)), in->a + LEAST_ADVANCE * (in->b - in->a)), in->b);
}

/* Whether the state that was made last is the first event: one condition is zero and none is met long since. */
static bool is_event(const events_run *run, const double *values, const double *end, int which)
{
    static const double ZERO = 1e-13; /* relative */

    for (int k = 0; k < run->n; k++)
        if (phx_events_happens(run, k, values[k]) && values[k] > ZERO * locate_scale_of(run, k, end[k]))
            return false;
    return fabs(values[which]) <= ZERO * locate_scale_of(run, which, end[which]);
}

/* Replaces one end of the bracket by the present time and values; met: an event has happened there. The value at the
 * end that stays twice is halved (Illinois method) for event `which`. */
static void narrow(const events_run *run, bracket *in, const double *values, int which, bool met)
{
    const size_t bytes = (size_t)run->n * sizeof *values;

    if (met) {
        in->b = run->s->t;
        memcpy(in->at_b, values, bytes);
        in->at_a[which] *= in->side > 0 ? 0.5 : 1.0;
    } else {
        in->a = run->s->t;
        memcpy(in->at_a, values, bytes);
        in->at_b[which] *= in->side < 0 ? 0.5 : 1.0;
    }
    in->side = met ? 1 : -1;
}

/* The event is the start of the step. */
static void stay(events_run *run, double *values)
{
    phx_events_stand_back(run);
    run->done.call_work = (phx_work){0.0, 0.0};
    memset(run->done.call, 0, (size_t)run->done.n_ledger * sizeof *run->done.call);
    for (int k = 0; k < run->n; k++)
        values[k] = run->event[k].value;
}

static phx_status make_step(events_run *run, double t1, double *values)
{
    phx_events_forget(run); /* with a fresh matrix the condition is a function of the step to rounding */
    const phx_status status = phx_events_step_to(run, t1);
    return status ? status : phx_events_look(run, values);
}

bool phx_events_any_met(const events_run *run, const double *values)
{
    for (int k = 0; k < run->n; k++)
        if (phx_events_happens(run, k, values[k]))
            return true;
    return false;
}

/* To the first instant at which a condition is met of the step that was made, whose values `end` are. */
static phx_status locate_search(events_run *run, bracket *in, const double *end, double *values, int *which)
{
    enum { TRIALS = 100, SECANTS = 40 }; /* then halves: conditions may jump */
    double at = first_root(run, in, which);
    bool found = is_event(run, values, end, *which), met = true;
    phx_status status = PHX_OK;

    for (int trial = 0; trial < TRIALS && !found && !status; trial++) {
        if (in->b <= earliest(run) || in->b - in->a <= 4.0 * DBL_EPSILON * fmax(1.0, fabs(in->b)))
            break;
        status = make_step(run, trial < SECANTS && at > in->a && at < in->b ? at : 0.5 * (in->a + in->b), values);
        met = phx_events_any_met(run, values);
        found = is_event(run, values, end, *which);
        narrow(run, in, values, *which, met);
        if (!found)
            at = first_root(run, in, which);
    }
    if (!status && !found && !met) /* a jump: to its far side */
        status = make_step(run, in->b, values);
    return status;
}

/* Locates the first event of the step that ended at t1: *which is its number, -1 if no condition changed sign. The
 * state is then the one at the event and `values` belongs to it. */
phx_status phx_events_locate(events_run *run, double t1, double *values, int *which)
{
    const size_t n = (size_t)run->n;
    bracket in = {.a = run->t, .b = t1};

    *which = -1;
    for (int k = 0; k < run->n; k++)
        if (phx_events_happens(run, k, values[k]))
            *which = k;
    if (*which < 0)
        return PHX_OK;
    double *room = phx_calloc(run->context, 3 * n, sizeof *room);
    if (!room)
        return PHX_ERR_MEMORY;
    double *end = room + 2 * n;
    in.at_a = room;
    in.at_b = room + n;
    memcpy(in.at_b, values, n * sizeof *values);
    memcpy(end, values, n * sizeof *values);
    for (int k = 0; k < run->n; k++)
        in.at_a[k] = run->event[k].value;
    phx_status status = locate_search(run, &in, end, values, which);
    if (!status && in.b <= earliest(run))
        stay(run, values);
    phx_free(room);
    return status;
}
