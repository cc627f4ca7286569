/* Rigid contacts: impacts where a gap comes to zero, rows while they are closed, until their force would pull. */
#include "events.h"
#include "impulse_law.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double STILL = 1e-11;    /* rates below this, relative to all velocities, are zero */
static const double TOUCHING = 1e-12; /* gaps below this, relative to the size */
static const double PULLS = 1e-12;    /* forces below this, relative to the largest, are zero */
static const double SHORTEST = 1e-14; /* steps below this, relative to the time, are none; s where the time is short */
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
    bool *touches, *on; /* of each contact */
    scales small;
} impact;

static void impact_free(impact *made)
{
    phx_free(made->touches);
    phx_free(made->on);
}

static phx_status impact_create(const events_run *it, impact *made)
{
    const size_t n = (size_t)it->n_contacts;

    *made = (impact){.touches = phx_calloc(it->context, n, sizeof *made->touches),
                     .on = phx_calloc(it->context, n, sizeof *made->on)};
    return made->touches && made->on ? PHX_OK : PHX_ERR_MEMORY;
}

static bool approaches(const events_run *it, const impact *at)
{
    for (int k = 0; k < it->n_contacts; k++)
        if (at->touches[k] && it->contact[k].rate < -at->small.rate)
            return true;
    return false;
}

/* The contacts that touch, and what impulses on them do. */
typedef struct blow {
    int n, rows, *which;
    double *room;
    phx_contact_response response;
    double *impulse, *loss, *friction, *restitution, *rest;
} blow;

static void blow_free(blow *made)
{
    phx_free(made->which);
    phx_free(made->room);
}

static phx_status blow_create(const events_run *it, const impact *at, blow *made)
{
    const int dim = it->model->dimension;
    int n = 0;

    for (int k = 0; k < it->n_contacts; k++)
        n += at->touches[k];
    const size_t rows = (size_t)(n * dim), n_v = (size_t)it->s->dae->n_v;
    *made = (blow){.n = n,
                   .rows = n * dim,
                   .which = phx_calloc(it->context, (size_t)n, sizeof *made->which),
                   .room = phx_calloc(it->context, rows * (rows + n_v + 3) + 4 * (size_t)n, sizeof *made->room)};
    if (!made->which || !made->room)
        return PHX_ERR_MEMORY;
    double *next = made->room;
    made->response.W = next;
    made->response.moved = next += rows * rows;
    made->response.rates = next += rows * n_v;
    made->response.supplied = next += rows;
    made->impulse = next += rows;
    made->loss = next += rows;
    made->friction = next += n;
    made->restitution = next += n;
    made->rest = next += n;
    n = 0;
    for (int k = 0; k < it->n_contacts; k++)
        if (at->touches[k])
            made->which[n++] = k;
    return PHX_OK;
}

/* A contact whose next flight would be shorter than a step rests. */
static void set_laws(const events_run *it, blow *b)
{
    for (int i = 0; i < b->n; i++) {
        const phx_rigid_contact *contact = &it->contact[b->which[i]];
        b->friction[i] = contact->friction;
        b->restitution[i] = contact->restitution;
        b->rest[i] = -0.5 * contact->acceleration * it->report->used.step;
    }
}

/* The velocities by all impulses; what these take, less what drives supply with them, among the contacts by what each
 * takes. */
static void take(events_run *it, const blow *b)
{
    phx_simulation *s = it->s;
    const size_t n_v = (size_t)s->dae->n_v;
    double lost = 0.0, losses = 0.0;

    for (int i = 0; i < b->rows; i++) {
        const double *moved = b->response.moved + (size_t)i * n_v;
        for (size_t k = 0; k < n_v; k++)
            s->v[k] += b->impulse[i] * moved[k];
        lost -= b->impulse[i] * b->response.supplied[i];
    }
    for (int i = 0; i < b->n; i++) {
        lost += b->loss[i];
        losses += fmax(b->loss[i], 0.0);
    }
    for (int i = 0; i < b->n; i++) {
        const double share = losses > 0.0 ? fmax(b->loss[i], 0.0) / losses : 1.0 / b->n;
        it->ledger[phx_system_contact_entry(s->system, b->which[i])] += lost * share;
    }
    it->work.dissipated += lost;
    it->report->impact_loss += lost;
}

/* Impacts, one after the other, until nothing approaches any more. */
static phx_status strike(events_run *it, const impact *at)
{
    phx_simulation *s = it->s;
    blow b = {0};
    phx_status status = blow_create(it, at, &b);

    if (!status)
        status = phx_system_contact_response(s->dae, s->t, s->x, s->v, b.n, b.which, &b.response);
    if (!status)
        set_laws(it, &b);
    const phx_impulse_law law = {.n = b.n,
                                 .dim = it->model->dimension,
                                 .W = b.response.W,
                                 .friction = b.friction,
                                 .restitution = b.restitution,
                                 .rest = b.rest,
                                 .small = at->small.rate,
                                 .rate = b.response.rates,
                                 .impulse = b.impulse,
                                 .loss = b.loss};
    for (int pass = 0; pass < MOST_PASSES && !status && phx_impulse_approaches(&law); pass++) {
        status = phx_impulse_strike(it->context, &law, pass + 1 < MOST_PASSES);
        if (status)
            status = phx_fail_prefix(it->context, status, "the impact at t = %.9g s: ", s->t);
        it->report->impacts++;
    }
    if (!status)
        take(it, &b);
    memcpy(it->v, s->v, (size_t)s->dae->n_v * sizeof *it->v);
    blow_free(&b);
    return status ? status : look(it);
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
            status = put_on(it, at.on);
        if (!status)
            status = look(it);
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
        if (!status && *end - it->t <= SHORTEST * fmax(1.0, fabs(*end)))
            status = phx_fail(it->context, PHX_ERR_ANALYSIS,
                              "contact '%s' strikes again and again at t = %.9g s, in ever shorter steps; take a "
                              "smaller step or a lower restitution, or a contact with a stiffness",
                              phx_system_contact_name(s->system, k), it->t);
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
