/* Transitions of set-valued friction. Where it sticks, a row holds the coordinate, and the condition is that its force
 * comes to static friction; where it slips, a force acts against a direction that is kept, and the condition is that
 * the rate in that direction comes to zero. */
#include "events.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double STILL = 1e-12; /* rates below this, relative to all velocities, are zero */
static const double BARELY = 1e-9;

static phx_status look(events_run *it)
{
    const phx_simulation *s = it->s;
    return it->n_frictions > 0 ? phx_system_set_valued(s->recording.dae, s->t, s->x, s->v, NULL, it->friction) : PHX_OK;
}

void phx_friction_conditions(const events_run *it, double *values)
{
    for (int k = 0; k < it->n_frictions; k++) {
        const phx_dry_friction *f = &it->friction[k];
        values[k] = f->sticks ? fabs(f->force) - f->limit : f->slip != 0 ? -f->slip * f->rate : -1.0;
    }
}

/* Number k sticks, slips, or neither; whether another row acts. */
static phx_status change(events_run *it, int k, bool sticks, int slip, bool *rows)
{
    const phx_dry_friction *f = &it->friction[k];

    *rows = *rows || f->sticks != sticks;
    it->report->transitions += f->sticks != sticks || (!sticks && f->slip == -slip);
    return phx_system_slip(it->s->system, k, sticks, slip);
}

/* The velocities at zero rates of what sticks; what that takes is rounding. */
static phx_status hold(events_run *it)
{
    phx_simulation *s = it->s;
    phx_work work;
    int k = 0;

    while (k < it->n_frictions && !it->friction[k].sticks)
        k++;
    if (k == it->n_frictions)
        return PHX_OK;
    const phx_status status = phx_system_impulse(s->dae, s->t, s->x, s->v, &work);
    if (status)
        return status;
    const double lost = work.dissipated - work.supplied;
    it->ledger[phx_system_dry_entry(s->system, k)] += lost;
    it->work.dissipated += lost;
    memcpy(it->v, s->v, (size_t)s->dae->n_v * sizeof *it->v);
    return PHX_OK;
}

/* The joints turn its motion round, and no force along the coordinate could hinder them, as in a dead centre. */
static bool is_carried(const phx_dry_friction *f)
{
    return !f->sticks && 2.0 * f->limit * f->mobility < BARELY * fabs(f->acceleration);
}

/* For the time being all that rests sticks, and all that moves slips. */
static phx_status first_guess(events_run *it, int which, bool *rows)
{
    const double still = STILL * phx_events_speed(it);
    phx_status status = PHX_OK;

    for (int k = 0; k < it->n_frictions && !status; k++) {
        const phx_dry_friction *f = &it->friction[k];
        const int loose = f->force > 0.0 ? -1 : 1; /* where it goes without the force that holds it */
        if (f->open)
            status = change(it, k, false, 0, rows);
        else if (k == which && f->sticks)
            status = change(it, k, false, loose, rows);
        else if ((k == which || fabs(f->rate) <= still) && is_carried(f))
            status = change(it, k, false, f->acceleration > 0.0 ? 1 : -1, rows);
        else if (f->sticks || k == which || fabs(f->rate) <= still)
            status = change(it, k, true, 0, rows);
        else
            status = change(it, k, false, f->rate > 0.0 ? 1 : -1, rows);
    }
    return status;
}

/* The friction that is asked to hold most beyond what it can; -1: all can. */
static int overloaded(const events_run *it)
{
    double worst = 1.0 + 1e-12;
    int which = -1;

    for (int k = 0; k < it->n_frictions; k++) {
        const phx_dry_friction *f = &it->friction[k];
        const double share = fabs(f->force) / fmax(f->limit, DBL_MIN);
        if (f->sticks && share > worst) {
            worst = share;
            which = k;
        }
    }
    return which;
}

phx_status phx_friction_settle(events_run *it, int which)
{
    bool rows = false;
    phx_status status = look(it);

    if (it->n_frictions == 0)
        return PHX_OK;
    if (!status)
        status = first_guess(it, which, &rows);
    for (int loose = 0; loose >= 0 && !status;) {
        if (rows)
            status = phx_events_renew(it, 0, NULL);
        rows = false;
        if (!status)
            status = look(it);
        if (!status)
            status = hold(it);
        loose = status ? -1 : overloaded(it);
        if (loose >= 0)
            status = change(it, loose, false, it->friction[loose].force > 0.0 ? -1 : 1, &rows);
    }
    phx_events_forget(it);
    for (int k = 0; k < it->n_frictions && !status; k++) {
        const phx_dry_friction *f = &it->friction[k];
        it->event[it->model->n_events + k].value = f->sticks    ? fmin(fabs(f->force) - f->limit, 0.0)
                                                   : k == which ? 0.0
                                                                : fmin(-f->slip * f->rate, 0.0);
    }
    return status;
}

phx_status phx_friction_let_go(events_run *it)
{
    phx_status status = look(it);
    bool rows = false;

    for (int k = 0; k < it->n_frictions && !status; k++)
        if (it->friction[k].sticks)
            status = change(it, k, false, 0, &rows);
    return status || !rows ? status : phx_events_renew(it, 0, NULL);
}

phx_status phx_friction_goes_back(events_run *it, const double *values, int *again)
{
    const double still = STILL * phx_events_speed(it);
    phx_simulation *s = it->s;
    phx_status status = PHX_OK;

    for (int k = 0; k < it->n_frictions && !*again && !status; k++) {
        bool rows = false;
        if (it->friction[k].sticks || it->event[it->model->n_events + k].value < 0.0 || values[k] <= still)
            continue;
        *again = 1;
        memcpy(s->x, it->x, (size_t)s->dae->n_x * sizeof *s->x);
        memcpy(s->v, it->v, (size_t)s->dae->n_v * sizeof *s->v);
        s->t = it->t;
        status = change(it, k, true, 0, &rows);
        if (!status)
            status = phx_events_renew(it, 0, NULL);
        if (!status)
            status = look(it);
        if (!status)
            status = hold(it);
    }
    return status;
}

int phx_friction_overdue(const events_run *it, const double *values)
{
    for (int k = 0; k < it->n_frictions; k++)
        if (it->friction[k].sticks && values[k] > 0.0)
            return it->model->n_events + k;
    return -1;
}
