/* Rigid contacts: impacts where a gap comes to zero, rows while they are closed, until their force would pull. */
#include "events.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double STILL = 1e-11;    /* rates below this, relative to all velocities, are zero */
static const double TOUCHING = 1e-12; /* gaps below this, relative to the size */
static const double PULLS = 1e-12;    /* forces below this, relative to the largest, are zero */
enum { MOST_PASSES = 50 };

typedef struct scales {
    double rate, gap;
} scales;

static scales scales_of(events_run *it)
{
    phx_sizes sizes;

    phx_system_sizes(it->s->system, it->s->x, it->s->v, &sizes);
    return (scales){.rate = STILL * phx_events_speed(it), .gap = TOUCHING * sizes.reach};
}

static phx_status look(events_run *it)
{
    const phx_simulation *s = it->s;
    return phx_system_set_valued(s->recording.dae, s->t, s->x, s->v, it->contact, NULL);
}

static event_state *condition_of(const events_run *it, int k)
{
    return &it->event[it->model->n_events + it->n_frictions + k];
}

void phx_contacts_conditions(const events_run *it, double *values)
{
    for (int k = 0; k < it->n_contacts; k++)
        values[k] = it->contact[k].closed ? -it->contact[k].force : -it->contact[k].gap;
}

phx_status phx_contacts_check(const events_run *it)
{
    static const double WRITTEN = 1e-9; /* relative to the size: rounding of what was typed */
    phx_sizes sizes;

    phx_system_sizes(it->s->system, it->s->x, it->s->v, &sizes);
    for (int k = 0; k < it->n_contacts; k++)
        if (it->contact[k].gap < -WRITTEN * sizes.reach)
            return phx_fail(
                it->context, PHX_ERR_INPUT,
                "contact '%s': the bodies lie %.3g m inside each other at the start; a rigid contact begins "
                "open or touching: move one of them apart by that much, or write its position as an expression "
                "of what is touched",
                phx_system_contact_name(it->s->system, k), -it->contact[k].gap);
    return PHX_OK;
}

/* The rows of the contacts of `on`. */
static phx_status put_on(events_run *it, const bool *on)
{
    bool other = false;

    for (int k = 0; k < it->n_contacts; k++)
        if (it->contact[k].closed != on[k]) {
            phx_system_close_contact(it->s->system, k, on[k]);
            it->contact[k].closed = on[k];
            other = true;
        }
    return other ? phx_events_renew(it, 0, NULL) : PHX_OK;
}

/* ---- an impact ---- */
typedef struct impact {
    bool *touches, *on;       /* of each contact */
    double *impulse, *before; /* of each contact: rates before it */
    double *v;                /* velocities before it */
    scales small;
    phx_work work;
} impact;

static void impact_free(impact *made)
{
    phx_free(made->touches);
    phx_free(made->on);
    phx_free(made->impulse);
    phx_free(made->before);
    phx_free(made->v);
}

static phx_status impact_create(const events_run *it, impact *made)
{
    const size_t n = (size_t)it->n_contacts;

    *made = (impact){.touches = phx_calloc(it->context, n, sizeof *made->touches),
                     .on = phx_calloc(it->context, n, sizeof *made->on),
                     .impulse = phx_calloc(it->context, n, sizeof *made->impulse),
                     .before = phx_calloc(it->context, n, sizeof *made->before),
                     .v = phx_calloc(it->context, (size_t)it->s->dae->n_v, sizeof *made->v)};
    return made->touches && made->on && made->impulse && made->before && made->v ? PHX_OK : PHX_ERR_MEMORY;
}

/* The contact whose row has to be exchanged: one that pulls goes, one that is still approached comes; -1: none. */
static int wrong_row(const events_run *it, const impact *at)
{
    double largest = 0.0, worst = 0.0;
    int which = -1;

    for (int k = 0; k < it->n_contacts; k++)
        largest = fmax(largest, fabs(at->impulse[k]));
    for (int k = 0; k < it->n_contacts; k++)
        if (at->on[k] && at->impulse[k] < fmin(worst, -PULLS * largest)) {
            worst = at->impulse[k];
            which = k;
        }
    for (int k = 0; k < it->n_contacts && which < 0; k++)
        if (at->touches[k] && !at->on[k] && it->contact[k].rate < -at->small.rate)
            which = k;
    return which;
}

/* The velocities nearest to those before, by kinetic energy, that approach no contact:
 *     A L + G v >= 0,   L >= 0,   complementary,   A = G M^-1 G^T,   by exchange of rows. */
static phx_status project(events_run *it, impact *at)
{
    phx_simulation *s = it->s;
    phx_status status = PHX_OK;

    for (int exchange = 0, which = 0; which >= 0 && !status; exchange++) {
        if (exchange > 10 * it->n_contacts + 10)
            return phx_fail(it->context, PHX_ERR_ANALYSIS,
                            "the impact at t = %.9g s finds no contacts that push and others that open", s->t);
        status = put_on(it, at->on);
        memcpy(s->v, at->v, (size_t)s->dae->n_v * sizeof *s->v);
        if (!status)
            status = phx_system_strike(s->dae, s->t, s->x, s->v, &at->work, at->impulse);
        if (!status)
            status = look(it);
        which = status ? -1 : wrong_row(it, at);
        if (which >= 0)
            at->on[which] = !at->on[which];
    }
    return status;
}

/* One coefficient for all contacts of an impact, so that it takes energy and never gives any: the mean with the weights
 * impulse times velocity. A contact whose next flight would be shorter than a step rests. */
static double restitution_of(const events_run *it, const impact *at, const double *acceleration)
{
    const double h = it->report->used.step;
    double sum = 0.0, weights = 0.0;

    for (int k = 0; k < it->n_contacts; k++) {
        const double weight = at->on[k] ? fmax(at->impulse[k], 0.0) * fmax(-at->before[k], 0.0) : 0.0;
        const double away = -it->contact[k].restitution * at->before[k];
        const bool rests = 2.0 * away < -acceleration[k] * h;
        sum += rests ? 0.0 : weight * it->contact[k].restitution;
        weights += weight;
    }
    return weights > 0.0 ? sum / weights : 0.0;
}

/* v + (1 + e) dv; its loss (1 - e^2) dv.M dv/2, less what drives supply, among the contacts by their shares. */
static void reflect(events_run *it, const impact *at, double e)
{
    phx_simulation *s = it->s;
    const double lost = (1.0 - e * e) * at->work.dissipated - (1.0 + e) * at->work.supplied;
    double weights = 0.0;

    for (int i = 0; i < s->dae->n_v; i++)
        s->v[i] += e * (s->v[i] - at->v[i]);
    for (int k = 0; k < it->n_contacts; k++)
        weights += at->on[k] ? fabs(at->impulse[k] * at->before[k]) : 0.0;
    for (int k = 0; k < it->n_contacts && weights > 0.0; k++)
        if (at->on[k])
            it->ledger[phx_system_contact_entry(s->system, k)] += lost * fabs(at->impulse[k] * at->before[k]) / weights;
    it->work.dissipated += lost;
    it->report->impact_loss += lost;
}

static bool approaches(const events_run *it, const impact *at)
{
    for (int k = 0; k < it->n_contacts; k++)
        if (at->touches[k] && it->contact[k].rate < -at->small.rate)
            return true;
    return false;
}

/* Impacts, one after the other, until nothing approaches any more. */
static phx_status strike(events_run *it, impact *at)
{
    phx_simulation *s = it->s;
    double *acceleration = phx_calloc(it->context, (size_t)it->n_contacts, sizeof *acceleration);
    phx_status status = acceleration ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < it->n_contacts && !status; k++)
        acceleration[k] = it->contact[k].acceleration;
    for (int pass = 0; pass < MOST_PASSES && !status && approaches(it, at); pass++) {
        memcpy(at->v, s->v, (size_t)s->dae->n_v * sizeof *s->v);
        for (int k = 0; k < it->n_contacts; k++) {
            at->before[k] = it->contact[k].rate;
            at->on[k] = it->contact[k].closed || (at->touches[k] && it->contact[k].rate < -at->small.rate);
        }
        status = project(it, at);
        if (!status)
            reflect(it, at, pass + 1 < MOST_PASSES ? restitution_of(it, at, acceleration) : 0.0);
        if (!status)
            status = look(it);
        it->report->impacts++;
    }
    memcpy(it->v, s->v, (size_t)s->dae->n_v * sizeof *it->v);
    phx_free(acceleration);
    return status;
}

/* ---- rest ---- */
/* The closed contact that pulls most; -1: none. */
static int pulling(const events_run *it)
{
    double largest = 0.0, worst = 0.0;
    int which = -1;

    for (int k = 0; k < it->n_contacts; k++)
        largest = fmax(largest, fabs(it->contact[k].force));
    for (int k = 0; k < it->n_contacts; k++)
        if (it->contact[k].closed && it->contact[k].force < fmin(worst, -PULLS * largest)) {
            worst = it->contact[k].force;
            which = k;
        }
    return which;
}

/* Contacts at rest close, unless they would pull; `loose`: one that has just begun to. */
static phx_status close_resting(events_run *it, impact *at, int loose)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < it->n_contacts; k++)
        at->on[k] = at->touches[k] && fabs(it->contact[k].rate) <= at->small.rate && k != loose;
    for (int which = 0; which >= 0 && !status;) {
        status = put_on(it, at->on);
        if (!status)
            status = look(it);
        which = status ? -1 : pulling(it);
        if (which >= 0)
            at->on[which] = false;
    }
    return status;
}

phx_status phx_contacts_settle(events_run *it, int which)
{
    impact at = {.on = NULL};
    if (it->n_contacts == 0)
        return PHX_OK;
    phx_status status = impact_create(it, &at);

    if (!status)
        status = look(it);
    const int loose = which >= 0 && !status && it->contact[which].closed ? which : -1;
    at.small = scales_of(it);
    for (int k = 0; k < it->n_contacts && !status; k++)
        at.touches[k] = it->contact[k].closed || it->contact[k].gap <= at.small.gap || k == which;
    if (!status && approaches(it, &at)) {
        status = phx_friction_let_go(it);
        if (!status)
            status = strike(it, &at);
    }
    if (!status)
        status = close_resting(it, &at, loose);
    phx_events_forget(it);
    for (int k = 0; k < it->n_contacts && !status; k++) {
        const phx_rigid_contact *c = &it->contact[k];
        condition_of(it, k)->value = c->closed ? fmin(-c->force, 0.0) : at.touches[k] ? 0.0 : -c->gap;
    }
    impact_free(&at);
    return status;
}

/* A contact that has just opened is open at the end of the step, or closes again: after an impact within the step,
 * which has to be shorter; one that was let go at rest stays closed. */
phx_status phx_contacts_go_back(events_run *it, const double *values, double *end, int *again)
{
    const double small = it->n_contacts > 0 ? scales_of(it).gap : 0.0;
    phx_simulation *s = it->s;
    phx_status status = PHX_OK;

    for (int k = 0; k < it->n_contacts && !*again && !status; k++) {
        if (it->contact[k].closed || condition_of(it, k)->value < 0.0 || values[k] <= small)
            continue;
        *again = 1;
        memcpy(s->x, it->x, (size_t)s->dae->n_x * sizeof *s->x);
        memcpy(s->v, it->v, (size_t)s->dae->n_v * sizeof *s->v);
        s->t = it->t;
        status = look(it);
        if (status || it->contact[k].rate > scales_of(it).rate) {
            *end = 0.5 * (it->t + *end);
            continue;
        }
        phx_system_close_contact(s->system, k, true);
        status = phx_events_renew(it, 0, NULL);
    }
    return status;
}

int phx_contacts_overdue(const events_run *it, const double *values)
{
    double largest = 0.0;

    for (int k = 0; k < it->n_contacts; k++)
        largest = fmax(largest, it->contact[k].closed ? fabs(it->contact[k].force) : 0.0);
    for (int k = 0; k < it->n_contacts; k++)
        if (it->contact[k].closed && values[k] > PULLS * largest)
            return it->model->n_events + it->n_frictions + k;
    return -1;
}
