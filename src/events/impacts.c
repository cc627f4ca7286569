/* Rigid contacts: impacts where a gap comes to zero, rows while they are closed, until their force would pull. */
#include "run.h"
#include "impulse_law.h"

#include <math.h>
#include <string.h>

#include "algebra/algebra.h"

static const double STILL = 1e-11;    /* rates below this, relative to all velocities, are zero */
static const double TOUCHING = 1e-12; /* gaps below this, relative to the size */
static const double PULLS = 1e-13;    /* forces below this, relative to the largest, are zero */
static const double SHORTEST = 1e-14; /* steps below this, relative to the time, are none; s where the time is short */
/* Parts of a step: what the flights after a last impact may take together, and the flight that is ended. */
static const double SHORT_FLIGHTS = 1e-2, SHORTEST_FLIGHT = 1e-4;
static const double LOWEST = 1e-15; /* part of the size: a flight lower than this is ended too */
static const double SLACK = 1e-10;  /* of gaps that others keep, relative to the size */
static const double MARGINAL = 1e4; /* times PULLS: forces nearer to their limit are at it */
enum { MOST_PASSES = 50 };

typedef struct scales {
    double rate, gap, flight; /* flight: its height */
} scales;

static scales scales_of(events_run *it)
{
    phx_sizes sizes;

    phx_system_sizes(it->s->system, it->s->x, it->s->v, &sizes);
    return (scales){
        .rate = STILL * phx_events_speed(it), .gap = TOUCHING * sizes.reach, .flight = LOWEST * sizes.reach};
}

static phx_status impacts_look(events_run *it)
{
    const mechanism *s = it->s;
    return phx_system_set_valued(s->reader, s->t, s->x, s->v, it->contacts.contact, it->frictions.friction);
}

static event_state *condition_of(const events_run *it, int k)
{
    return &it->event[it->n_events + it->frictions.n + k];
}

double phx_contacts_marginal(const events_run *it)
{
    return MARGINAL * phx_contacts_rounding(it);
}

double phx_contacts_rounding(const events_run *it)
{
    double largest = 0.0;

    for (int k = 0; k < it->contacts.n; k++)
        largest = fmax(largest, it->contacts.contact[k].closed ? fabs(it->contacts.contact[k].force) : 0.0);
    return PULLS * largest;
}

void phx_contacts_conditions(const events_run *it, double *values)
{
    const double zero = phx_contacts_rounding(it);

    for (int k = 0; k < it->contacts.n; k++)
        values[k] = it->contacts.contact[k].closed ? -it->contacts.contact[k].force - zero - condition_of(it, k)->slack
                    : condition_of(it, k)->spare   ? -it->contacts.contact[k].gap - it->slack
                                                   : -it->contacts.contact[k].gap;
}

/* Sets the gap tolerance from the size of the mechanism and fails if a rigid contact penetrates at the start. */
phx_status phx_contacts_begin(events_run *it)
{
    static const double WRITTEN = 1e-9; /* relative to the size: rounding of what was typed */
    phx_sizes sizes;

    phx_system_sizes(it->s->system, it->s->x, it->s->v, &sizes);
    it->slack = SLACK * sizes.reach;
    for (int k = 0; k < it->contacts.n; k++)
        if (it->contacts.contact[k].gap < -WRITTEN * sizes.reach)
            return phx_fail(
                it->context, PHX_ERR_INPUT,
                "contact '%s': the bodies lie %.3g m inside each other at the start; a rigid contact begins "
                "open or touching: move one of them apart by that much, or write its position as an expression "
                "of what is touched",
                phx_system_contact_name(it->s->system, k), -it->contacts.contact[k].gap);
    return PHX_OK;
}

/* The rows of the contacts of `on`. */
static phx_status put_on(events_run *it, const bool *on)
{
    bool other = false;

    for (int k = 0; k < it->contacts.n; k++)
        if (it->contacts.contact[k].closed != on[k]) {
            phx_system_close_contact(it->s->system, k, on[k]);
            it->contacts.contact[k].closed = on[k];
            other = true;
        }
    return other ? phx_events_renew(it, 0, NULL) : PHX_OK;
}

phx_status phx_contacts_let_go(events_run *it)
{
    bool any = false;

    for (int k = 0; k < it->contacts.n; k++) {
        condition_of(it, k)->rested = it->contacts.contact[k].closed;
        any = any || it->contacts.contact[k].closed;
        phx_system_close_contact(it->s->system, k, false);
        it->contacts.contact[k].closed = false;
    }
    return any ? phx_events_renew(it, 0, NULL) : PHX_OK;
}

/* ---- an impact ---- */
typedef struct impact {
    bool *touches, *on, *last; /* of each contact; last: it strikes for the last time, without restitution */
    contact_mode *modes;
    phx_dry_friction *before; /* the frictions before it */
    double *v, *ledger;       /* velocities before it, and what had been lost */
    phx_work work;
    double impact_loss;
    int impacts;
    scales small;
} impact;

static void impact_free(impact *made)
{
    phx_free(made->touches);
    phx_free(made->on);
    phx_free(made->last);
    phx_free(made->modes);
    phx_free(made->v);
    phx_free(made->before);
}

static phx_status impact_create(const events_run *it, impact *made)
{
    const size_t n = (size_t)it->contacts.n, n_v = (size_t)it->s->dae->n_v;

    *made = (impact){.touches = phx_calloc(it->context, n, sizeof *made->touches),
                     .on = phx_calloc(it->context, n, sizeof *made->on),
                     .last = phx_calloc(it->context, n, sizeof *made->last),
                     .modes = phx_calloc(it->context, n, sizeof *made->modes),
                     .v = phx_calloc(it->context, n_v + (size_t)it->done.n_ledger, sizeof *made->v),
                     .before = phx_calloc(it->context, (size_t)it->frictions.n, sizeof *made->before)};
    made->ledger = made->v ? made->v + n_v : NULL;
    return made->touches && made->on && made->last && made->modes && made->before && made->v ? PHX_OK : PHX_ERR_MEMORY;
}

static bool approaches(const events_run *it, const impact *at)
{
    for (int k = 0; k < it->contacts.n; k++)
        if (at->touches[k] && it->contacts.contact[k].rate < -at->small.rate)
            return true;
    return false;
}

/* Contacts, and what impulses on them do. */
typedef struct blow {
    int n, rows, *which;
    double *room;
    phx_contact_response response;
    double *impulse, *loss, *friction, *restitution;
} blow;

static void blow_free(blow *made)
{
    phx_free(made->which);
    phx_free(made->room);
}

/* Allocates the impact of the selected contacts (which[k]): response W, impulses, losses and coefficients, in one
 * block. */
static phx_status blow_create(const events_run *it, const bool *which, blow *made)
{
    const int dim = phx_system_dim(it->s->system);
    int n = 0;

    for (int k = 0; k < it->contacts.n; k++)
        n += which[k];
    const size_t rows = (size_t)(n * dim), n_v = (size_t)it->s->dae->n_v;
    *made = (blow){.n = n,
                   .rows = n * dim,
                   .which = phx_calloc(it->context, (size_t)n, sizeof *made->which),
                   .room = phx_calloc(it->context, rows * (rows + n_v + 3) + 3 * (size_t)n, sizeof *made->room)};
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
    n = 0;
    for (int k = 0; k < it->contacts.n; k++)
        if (which[k])
            made->which[n++] = k;
    return PHX_OK;
}

static void set_laws(const events_run *it, const impact *at, blow *b)
{
    for (int i = 0; i < b->n; i++) {
        b->friction[i] = it->contacts.contact[b->which[i]].friction;
        b->restitution[i] = at->last[b->which[i]] ? 0.0 : it->contacts.contact[b->which[i]].restitution;
    }
}

/* The velocities by all impulses; what these take, less what drives supply with them, among the contacts by what each
 * takes. */
static void impacts_take(events_run *it, const blow *b)
{
    mechanism *s = it->s;
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
        it->done.ledger[phx_system_contact_entry(s->system, b->which[i])] += lost * share;
    }
    it->done.work.dissipated += lost;
    it->counts.impact_loss += lost;
}

static phx_impulse_law law_of(const events_run *it, const impact *at, const blow *b)
{
    return (phx_impulse_law){.n = b->n,
                             .dim = phx_system_dim(it->s->system),
                             .W = b->response.W,
                             .friction = b->friction,
                             .restitution = b->restitution,
                             .small = at->small.rate,
                             .rate = b->response.rates,
                             .impulse = b->impulse,
                             .loss = b->loss};
}

/* An impact without an approach: no forces obey the laws while contacts slip as they do. */
static phx_status jam(events_run *it, const impact *at)
{
    mechanism *s = it->s;
    blow b = {0};
    bool found = false;
    phx_status status = blow_create(it, at->touches, &b);

    if (!status)
        status = phx_system_contact_response(s->dae, s->t, s->x, s->v, b.n, b.which, &b.response);
    if (!status)
        set_laws(it, at, &b);
    const phx_impulse_law law = law_of(it, at, &b);
    if (!status)
        status = phx_impulse_jam(it->context, &law, &found);
    if (!status && !found)
        status = phx_fail(it->context, PHX_ERR_ANALYSIS,
                          "contact '%s' at t = %.9g s: neither forces nor an impact obey the laws of contact and "
                          "friction there (Painleve's paradox); take less friction, or a contact with a stiffness",
                          phx_system_contact_name(s->system, b.which[0]), s->t);
    it->counts.impacts += !status;
    if (!status)
        impacts_take(it, &b);
    memcpy(it->before.v, s->v, (size_t)s->dae->n_v * sizeof *it->before.v);
    blow_free(&b);
    return status ? status : impacts_look(it);
}

/* Impacts, one after the other, until nothing approaches any more. */
static phx_status strike(events_run *it, const impact *at)
{
    mechanism *s = it->s;
    blow b = {0};
    phx_status status = blow_create(it, at->touches, &b);

    if (!status)
        status = phx_system_contact_response(s->dae, s->t, s->x, s->v, b.n, b.which, &b.response);
    if (!status)
        set_laws(it, at, &b);
    const phx_impulse_law law = law_of(it, at, &b);
    for (int pass = 0; pass < MOST_PASSES && !status && phx_impulse_approaches(&law); pass++) {
        status = phx_impulse_strike(it->context, &law, pass + 1 < MOST_PASSES);
        if (status)
            status = phx_fail_prefix(it->context, status, "the impact at t = %.9g s: ", s->t);
        it->counts.impacts++;
    }
    if (!status)
        impacts_take(it, &b);
    memcpy(it->before.v, s->v, (size_t)s->dae->n_v * sizeof *it->before.v);
    blow_free(&b);
    return status ? status : impacts_look(it);
}

/* ---- rest ---- */
/* The time until a contact that leaves is back, with the acceleration that its gap has. */
static double flight(double rate, double acceleration)
{
    return acceleration < 0.0 ? -2.0 * rate / acceleration : HUGE_VAL;
}

/* Contacts that leave, and whose flights are the last of ever shorter ones: all to come, of which each is e times the
 * one before, are over within part `all` of a step, e < 1, or this one is within part `one`. */
static bool find_flights(const events_run *it, const impact *at, double all, double one, bool *found)
{
    const double step = it->def.options.step;
    bool any = false;

    for (int k = 0; k < it->contacts.n; k++) {
        const phx_rigid_contact *contact = &it->contacts.contact[k];
        const double a = at->modes[k].acceleration, e = at->last[k] ? 0.0 : contact->restitution;
        const double lowest = a < 0.0 ? sqrt(8.0 * at->small.flight / -a) : 0.0;
        const double least = fmax(lowest, fmax(one, all * (1.0 - e)) * step);
        found[k] = at->touches[k] && contact->rate > at->small.rate && flight(contact->rate, a) < least;
        any = any || found[k];
    }
    return any;
}

static void remember(const events_run *it, impact *at)
{
    memcpy(at->v, it->s->v, (size_t)it->s->dae->n_v * sizeof *at->v);
    memcpy(at->ledger, it->done.ledger, (size_t)it->done.n_ledger * sizeof *at->ledger);
    at->work = it->done.work;
    at->impact_loss = it->counts.impact_loss;
    at->impacts = it->counts.impacts;
}

static phx_status undo(events_run *it, const impact *at)
{
    const size_t bytes = (size_t)it->s->dae->n_v * sizeof *at->v;

    memcpy(it->s->v, at->v, bytes);
    memcpy(it->before.v, at->v, bytes);
    memcpy(it->done.ledger, at->ledger, (size_t)it->done.n_ledger * sizeof *at->ledger);
    it->done.work = at->work;
    it->counts.impact_loss = at->impact_loss;
    it->counts.impacts = at->impacts;
    return impacts_look(it);
}

/* The impact was the last one of some contacts: it is made again without their restitution. With that the flights to
 * come are left out, and the contact's forces, friction too, have the impulse of those. */
static bool is_last(const events_run *it, impact *at)
{
    bool any = false;

    find_flights(it, at, SHORT_FLIGHTS, 0.0, at->on);
    for (int k = 0; k < it->contacts.n; k++) {
        const bool last = at->on[k] && !at->last[k] && it->contacts.contact[k].restitution > 0.0;
        at->last[k] = at->last[k] || last;
        any = any || last;
    }
    return any;
}

/* Impulses that end flights, with what rests at rest; they may pull, and take what the contacts fly with. */
static phx_status end_flights(events_run *it, const impact *at, const bool *caught)
{
    static const double DEPENDENT = 1e-11;
    const int dim = phx_system_dim(it->s->system);
    blow b = {0};
    int n = 0;
    phx_status status = blow_create(it, at->touches, &b);
    double *W = phx_calloc(it->context, (size_t)b.rows * (size_t)(b.rows + 2), sizeof *W);
    int *row = phx_calloc(it->context, (size_t)b.rows, sizeof *row);

    if (!status && (!W || !row))
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_system_contact_response(it->s->dae, it->s->t, it->s->x, it->s->v, b.n, b.which, &b.response);
    for (int i = 0; i < b.rows && !status; i++)
        if (fabs(b.response.rates[i]) <= at->small.rate || (i % dim == 0 && caught[b.which[i / dim]]))
            row[n++] = i;
    double *rate = W + (size_t)n * (size_t)n, *P = rate + n;
    for (int i = 0; i < n && !status; i++) {
        rate[i] = -b.response.rates[row[i]];
        for (int j = 0; j < n; j++)
            W[i * n + j] = b.response.W[row[i] * b.rows + row[j]];
    }
    if (!status)
        status = phx_dense_least_norm(it->context, n, n, W, 1, rate, DEPENDENT, P, NULL);
    for (int i = 0; i < n && !status; i++) { /* -(rate before + 0).P/2 */
        b.impulse[row[i]] = P[i];
        b.loss[row[i] / dim] += 0.5 * rate[i] * P[i];
    }
    if (!status)
        impacts_take(it, &b);
    memcpy(it->before.v, it->s->v, (size_t)it->s->dae->n_v * sizeof *it->before.v);
    blow_free(&b);
    phx_free(W);
    phx_free(row);
    return status ? status : impacts_look(it);
}

/* Where the friction of a contact stuck, or was held, and now slips, or the other way round, or goes back. */
static bool is_transition(const phx_dry_friction *before, bool held, const contact_mode *now)
{
    const bool stuck = before->sticks || held, sticks = now->sticks || now->leans;
    const double turned = before->slip[0] * now->slip[0] + before->slip[1] * now->slip[1];

    return !before->open && (stuck != sticks || (!stuck && turned < 0.0));
}

/* Switches the friction of contact k to the given mode, sticking or slipping, and counts a transition. Contacts without
 * friction are skipped. */
static phx_status put_friction(events_run *it, const phx_dry_friction *before, int k, const contact_mode *mode)
{
    const int dry = it->contacts.contact[k].dry;
    if (dry < 0)
        return PHX_OK;
    event_state *condition = &it->event[it->n_events + dry];
    const bool held = condition->spare, slips = mode->slip[0] != 0.0 || mode->slip[1] != 0.0;

    condition->spare = mode->closed && mode->leans;
    if (!mode->closed)
        return PHX_OK;
    it->counts.transitions += is_transition(&before[dry], held, mode);
    return mode->sticks ? phx_system_stick(it->s->system, dry, mode->holds, mode->slip)
                        : phx_system_slip(it->s->system, dry, false, slips ? mode->slip : NULL);
}

/* Applies the chosen modes to all contacts: closes or opens them, switches their friction and rebuilds the equations;
 * `before` is the friction before this instant. */
static phx_status impacts_put_modes(events_run *it, impact *at, const phx_dry_friction *before,
                                    const contact_mode *modes)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < it->contacts.n; k++) {
        at->on[k] = at->touches[k] && modes[k].closed;
        condition_of(it, k)->spare = at->touches[k] && modes[k].spare;
        if (it->contacts.contact[k].closed != at->on[k])
            phx_system_close_contact(it->s->system, k, at->on[k]);
    }
    for (int k = 0; k < it->contacts.n && !status; k++)
        status = put_friction(it, before, k, &modes[k]);
    if (!status)
        status = phx_events_renew(it, 0, NULL);
    if (!status)
        status = impacts_look(it);
    return status ? status : phx_friction_hold(it);
}

static bool touches(const events_run *it, int k, double gap)
{
    const event_state *condition = condition_of(it, k);
    return it->contacts.contact[k].closed || condition->rested || condition->spare ||
           it->contacts.contact[k].gap <= gap;
}

/* Impacts until nothing approaches; whether there were any. */
static phx_status all_strike(events_run *it, impact *at, contact_question *asked, bool *any)
{
    phx_status status = PHX_OK;

    *any = approaches(it, at);
    if (*any) {
        status = phx_friction_let_go(it);
        asked->loose = asked->tears = asked->stops = -1;
    }
    memset(at->on, 0, (size_t)it->contacts.n * sizeof *at->on);
    if (!status)
        status = put_on(it, at->on);
    if (!status)
        status = impacts_look(it);
    if (!status && *any)
        status = strike(it, at);
    return status;
}

/* Impacts until nothing approaches, then the modes of what rests. */
static phx_status impacts_settle(events_run *it, impact *at, contact_question *asked)
{
    phx_status status = PHX_OK;
    bool again = true;

    remember(it, at);
    for (int pass = 0; pass < MOST_PASSES && again && !status; pass++) {
        bool found = false, struck = false;
        status = all_strike(it, at, asked, &struck);
        if (!status)
            status = phx_contacts_balance(it, at->touches, asked, at->before, at->modes, &found);
        again = !status && (!found || (struck && is_last(it, at)));
        if (again && !found) {
            status = jam(it, at);
            remember(it, at);
        } else if (again) {
            status = undo(it, at);
        } else if (!status && find_flights(it, at, 0.0, SHORTEST_FLIGHT, at->on)) {
            again = true;
            status = end_flights(it, at, at->on);
            remember(it, at);
        }
    }
    return status ? status : impacts_put_modes(it, at, at->before, at->modes);
}

/* Decides after an event which touching contacts stay closed and which stick, and applies it. `which` is the contact
 * and `friction` the friction element whose condition was met; -1: absent. */
phx_status phx_contacts_settle(events_run *it, int which, int friction)
{
    impact at = {.on = NULL};
    if (it->contacts.n == 0)
        return PHX_OK;
    phx_status status = impact_create(it, &at);

    if (!status)
        status = impacts_look(it);
    at.small = scales_of(it);
    contact_question asked = {.small = at.small.rate, .loose = -1, .tears = -1, .stops = -1};
    if (!status && which >= 0 && it->contacts.contact[which].closed)
        asked.loose = which;
    if (!status && friction >= 0 && it->frictions.friction[friction].sticks) {
        asked.tears = friction; /* or it loses its limit, with the force of its contact */
        asked.loose = it->frictions.friction[friction].contact;
    } else if (!status && friction >= 0 && phx_friction_stops(it, friction))
        asked.stops = friction;
    for (int k = 0; k < it->contacts.n && !status; k++) {
        at.touches[k] = k == which || touches(it, k, at.small.gap);
        at.last[k] = condition_of(it, k)->rested;
        condition_of(it, k)->rested = false;
    }
    memcpy(at.before, it->frictions.friction, (size_t)it->frictions.n * sizeof *at.before);
    if (!status)
        status = impacts_settle(it, &at, &asked);
    phx_events_forget(it);
    const double zero = phx_contacts_rounding(it);
    for (int k = 0; k < it->contacts.n && !status; k++) {
        const phx_rigid_contact *c = &it->contacts.contact[k];
        event_state *condition = condition_of(it, k);
        condition->slack = c->closed && -c->force > -MARGINAL * zero ? MARGINAL * zero : 0.0;
        condition->value = c->closed          ? fmin(-c->force - zero - condition->slack, 0.0)
                           : condition->spare ? -it->slack
                           : at.touches[k]    ? 0.0
                                              : -c->gap;
    }
    impact_free(&at);
    return status;
}

void phx_contacts_accepted(events_run *it)
{
    for (int k = 0; k < it->contacts.n; k++) {
        event_state *condition = condition_of(it, k);
        condition->spare =
            condition->spare && !it->contacts.contact[k].closed && it->contacts.contact[k].gap <= it->slack;
    }
}

/* ---- steps ---- */
/* A gap that leaves with a rate and is negative after a time comes back before: about when, if its acceleration is
 * constant. */
static double time_back(double rate, double gap, double time)
{
    return rate * time * time / (rate * time - gap);
}

/* Contact k was let go at rest and is pressed: it closes. */
static phx_status close_again(events_run *it, int k)
{
    const int dry = it->contacts.contact[k].dry;
    phx_status status = PHX_OK;

    phx_system_close_contact(it->s->system, k, true);
    if (dry >= 0) {
        const phx_dry_friction *f = &it->frictions.friction[dry];
        const double speed = hypot(f->rate[0], f->rate[1]), small = scales_of(it).rate;
        const double slip[2] = {f->rate[0] / speed, f->rate[1] / speed};
        status = phx_system_slip(it->s->system, dry, speed <= small, speed <= small ? NULL : slip);
    }
    return status ? status : phx_events_renew(it, 0, NULL);
}

/* A contact that has just opened is open at the end of the step, or closes again: after an impact within the step,
 * which has to be shorter; one that was let go at rest stays closed. */
phx_status phx_contacts_go_back(events_run *it, const double *values, double *end, int *again)
{
    const double small = it->contacts.n > 0 ? scales_of(it).gap : 0.0;
    mechanism *s = it->s;
    phx_status status = PHX_OK;

    for (int k = 0; k < it->contacts.n && !*again && !status; k++) {
        if (it->contacts.contact[k].closed || condition_of(it, k)->value < 0.0 || values[k] <= small)
            continue;
        *again = 1;
        memcpy(s->x, it->before.x, (size_t)s->dae->n_x * sizeof *s->x);
        memcpy(s->v, it->before.v, (size_t)s->dae->n_v * sizeof *s->v);
        s->t = it->t;
        status = impacts_look(it);
        if (!status && *end - it->t <= SHORTEST * fmax(1.0, fabs(*end)))
            status = phx_fail(it->context, PHX_ERR_ANALYSIS,
                              "contact '%s' strikes again and again at t = %.9g s, in ever shorter steps; take a "
                              "smaller step or a lower restitution, or a contact with a stiffness",
                              phx_system_contact_name(s->system, k), it->t);
        if (status)
            continue;
        if (it->contacts.contact[k].rate > scales_of(it).rate)
            *end = it->t + 0.5 * time_back(it->contacts.contact[k].rate, -values[k], *end - it->t);
        else
            status = close_again(it, k);
    }
    return status;
}

bool phx_contacts_make_energy(const events_run *it)
{
    static const double ROUNDING = 1e-13; /* of the largest energy */
    phx_sizes sizes;

    phx_system_sizes(it->s->system, it->s->x, it->s->v, &sizes);
    const double zero = ROUNDING * (it->counts.stats.largest_kinetic + sizes.weight);

    for (int k = 0; k < it->contacts.n; k++)
        if (it->contacts.contact[k].closed && it->done.call[phx_system_contact_entry(it->s->system, k)] < -zero)
            return true;
    return false;
}

int phx_contacts_overdue(const events_run *it, const double *values)
{
    for (int k = 0; k < it->contacts.n; k++)
        if (it->contacts.contact[k].closed && values[k] > 0.0)
            return it->n_events + it->frictions.n + k;
    return -1;
}
