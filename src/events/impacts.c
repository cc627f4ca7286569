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

static scales scales_of(events_run *run)
{
    phx_sizes sizes;

    phx_system_sizes(run->s->system, run->s->x, run->s->v, &sizes);
    return (scales){
        .rate = STILL * phx_events_speed(run), .gap = TOUCHING * sizes.reach, .flight = LOWEST * sizes.reach};
}

static phx_status impacts_look(events_run *run)
{
    const mechanism *s = run->s;
    return phx_system_set_valued(s->reader, s->t, s->x, s->v, run->contacts.contact, run->frictions.friction);
}

static event_state *condition_of(const events_run *run, int k)
{
    return &run->event[run->n_events + run->frictions.n + k];
}

double phx_contacts_marginal(const events_run *run)
{
    return MARGINAL * phx_contacts_rounding(run);
}

double phx_contacts_rounding(const events_run *run)
{
    double largest = 0.0;

    for (int k = 0; k < run->contacts.n; k++)
        largest = fmax(largest, run->contacts.contact[k].closed ? fabs(run->contacts.contact[k].force) : 0.0);
    return PULLS * largest;
}

void phx_contacts_conditions(const events_run *run, double *values)
{
    const double zero = phx_contacts_rounding(run);

    for (int k = 0; k < run->contacts.n; k++)
        values[k] = run->contacts.contact[k].closed
                        ? -run->contacts.contact[k].force - zero - condition_of(run, k)->slack
                    : condition_of(run, k)->spare ? -run->contacts.contact[k].gap - run->slack
                                                  : -run->contacts.contact[k].gap;
}

/* Sets the gap tolerance from the size of the mechanism and fails if a rigid contact penetrates at the start. */
phx_status phx_contacts_begin(events_run *run)
{
    static const double WRITTEN = 1e-9; /* relative to the size: rounding of what was typed */
    phx_sizes sizes;

    phx_system_sizes(run->s->system, run->s->x, run->s->v, &sizes);
    run->slack = SLACK * sizes.reach;
    for (int k = 0; k < run->contacts.n; k++)
        if (run->contacts.contact[k].gap < -WRITTEN * sizes.reach)
            return phx_fail(
                run->context, PHX_ERR_INPUT,
                "contact '%s': the bodies lie %.3g m inside each other at the start; a rigid contact begins "
                "open or touching: move one of them apart by that much, or write its position as an expression "
                "of what is touched",
                phx_system_contact_name(run->s->system, k), -run->contacts.contact[k].gap);
    return PHX_OK;
}

/* The rows of the contacts of `on`; NULL: of none. */
static phx_status put_on(events_run *run, const bool *on)
{
    bool other = false;

    for (int k = 0; k < run->contacts.n; k++)
        if (run->contacts.contact[k].closed != (on && on[k])) {
            phx_system_close_contact(run->s->system, k, on && on[k]);
            run->contacts.contact[k].closed = on && on[k];
            other = true;
        }
    return other ? phx_events_renew(run, 0, NULL) : PHX_OK;
}

phx_status phx_contacts_let_go(events_run *run)
{
    for (int k = 0; k < run->contacts.n; k++)
        condition_of(run, k)->rested = run->contacts.contact[k].closed;
    return put_on(run, NULL);
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

static phx_status impact_create(const events_run *run, impact *made)
{
    const size_t n = (size_t)run->contacts.n, n_v = (size_t)run->s->dae->n_v;

    *made = (impact){.touches = phx_calloc(run->context, n, sizeof *made->touches),
                     .on = phx_calloc(run->context, n, sizeof *made->on),
                     .last = phx_calloc(run->context, n, sizeof *made->last),
                     .modes = phx_calloc(run->context, n, sizeof *made->modes),
                     .v = phx_calloc(run->context, n_v + (size_t)run->done.n_ledger, sizeof *made->v),
                     .before = phx_calloc(run->context, (size_t)run->frictions.n, sizeof *made->before)};
    made->ledger = made->v ? made->v + n_v : NULL;
    return made->touches && made->on && made->last && made->modes && made->before && made->v ? PHX_OK : PHX_ERR_MEMORY;
}

static bool approaches(const events_run *run, const impact *at)
{
    for (int k = 0; k < run->contacts.n; k++)
        if (at->touches[k] && run->contacts.contact[k].rate < -at->small.rate)
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
static phx_status blow_create(const events_run *run, const bool *which, blow *made)
{
    const int dim = phx_system_dim(run->s->system);
    int n = 0;

    for (int k = 0; k < run->contacts.n; k++)
        n += which[k];
    const size_t rows = (size_t)(n * dim), n_v = (size_t)run->s->dae->n_v;
    *made = (blow){.n = n,
                   .rows = n * dim,
                   .which = phx_calloc(run->context, (size_t)n, sizeof *made->which),
                   .room = phx_calloc(run->context, rows * (rows + n_v + 3) + 3 * (size_t)n, sizeof *made->room)};
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
    for (int k = 0; k < run->contacts.n; k++)
        if (which[k])
            made->which[n++] = k;
    return PHX_OK;
}

static void set_laws(const events_run *run, const impact *at, blow *b)
{
    for (int i = 0; i < b->n; i++) {
        b->friction[i] = run->contacts.contact[b->which[i]].friction;
        b->restitution[i] = at->last[b->which[i]] ? 0.0 : run->contacts.contact[b->which[i]].restitution;
    }
}

/* The velocities by all impulses; what these take, less what drives supply with them, among the contacts by what each
 * takes. */
static void impacts_take(events_run *run, const blow *b)
{
    mechanism *s = run->s;
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
        run->done.ledger[phx_system_contact_entry(s->system, b->which[i])] += lost * share;
    }
    run->done.work.dissipated += lost;
    run->counts.impact_loss += lost;
}

static phx_impulse_law law_of(const events_run *run, const impact *at, const blow *b)
{
    return (phx_impulse_law){.n = b->n,
                             .dim = phx_system_dim(run->s->system),
                             .W = b->response.W,
                             .friction = b->friction,
                             .restitution = b->restitution,
                             .small = at->small.rate,
                             .rate = b->response.rates,
                             .impulse = b->impulse,
                             .loss = b->loss};
}

/* An impact without an approach: no forces obey the laws while contacts slip as they do. */
static phx_status jam(events_run *run, const impact *at)
{
    mechanism *s = run->s;
    blow b = {0};
    bool found = false;
    phx_status status = blow_create(run, at->touches, &b);

    if (!status)
        status = phx_system_contact_response(s->dae, s->t, s->x, s->v, b.n, b.which, &b.response);
    if (!status)
        set_laws(run, at, &b);
    const phx_impulse_law law = law_of(run, at, &b);
    if (!status)
        status = phx_impulse_jam(run->context, &law, &found);
    if (!status && !found)
        status = phx_fail(run->context, PHX_ERR_ANALYSIS,
                          "contact '%s' at t = %.9g s: neither forces nor an impact obey the laws of contact and "
                          "friction there (Painleve's paradox); take less friction, or a contact with a stiffness",
                          phx_system_contact_name(s->system, b.which[0]), s->t);
    run->counts.impacts += !status;
    if (!status)
        impacts_take(run, &b);
    memcpy(run->before.v, s->v, (size_t)s->dae->n_v * sizeof *run->before.v);
    blow_free(&b);
    return status ? status : impacts_look(run);
}

/* Impacts, one after the other, until nothing approaches any more. */
static phx_status strike(events_run *run, const impact *at)
{
    mechanism *s = run->s;
    blow b = {0};
    phx_status status = blow_create(run, at->touches, &b);

    if (!status)
        status = phx_system_contact_response(s->dae, s->t, s->x, s->v, b.n, b.which, &b.response);
    if (!status)
        set_laws(run, at, &b);
    const phx_impulse_law law = law_of(run, at, &b);
    for (int pass = 0; pass < MOST_PASSES && !status && phx_impulse_approaches(&law); pass++) {
        status = phx_impulse_strike(run->context, &law, pass + 1 < MOST_PASSES);
        if (status)
            status = phx_fail_prefix(run->context, status, "the impact at t = %.9g s: ", s->t);
        run->counts.impacts++;
    }
    if (!status)
        impacts_take(run, &b);
    memcpy(run->before.v, s->v, (size_t)s->dae->n_v * sizeof *run->before.v);
    blow_free(&b);
    return status ? status : impacts_look(run);
}

/* ---- rest ---- */
/* The time until a contact that leaves is back, with the acceleration that its gap has. */
static double flight(double rate, double acceleration)
{
    return acceleration < 0.0 ? -2.0 * rate / acceleration : HUGE_VAL;
}

/* Contacts that leave, and whose flights are the last of ever shorter ones: all to come, of which each is e times the
 * one before, are over within part `all` of a step, e < 1, or this one is within part `one`. */
static bool find_flights(const events_run *run, const impact *at, double all, double one, bool *found)
{
    const double step = run->def.options.step;
    bool any = false;

    for (int k = 0; k < run->contacts.n; k++) {
        const phx_rigid_contact *contact = &run->contacts.contact[k];
        const double a = at->modes[k].acceleration, e = at->last[k] ? 0.0 : contact->restitution;
        const double lowest = a < 0.0 ? sqrt(8.0 * at->small.flight / -a) : 0.0;
        const double least = fmax(lowest, fmax(one, all * (1.0 - e)) * step);
        found[k] = at->touches[k] && contact->rate > at->small.rate && flight(contact->rate, a) < least;
        any = any || found[k];
    }
    return any;
}

static void remember(const events_run *run, impact *at)
{
    memcpy(at->v, run->s->v, (size_t)run->s->dae->n_v * sizeof *at->v);
    memcpy(at->ledger, run->done.ledger, (size_t)run->done.n_ledger * sizeof *at->ledger);
    at->work = run->done.work;
    at->impact_loss = run->counts.impact_loss;
    at->impacts = run->counts.impacts;
}

static phx_status undo(events_run *run, const impact *at)
{
    const size_t bytes = (size_t)run->s->dae->n_v * sizeof *at->v;

    memcpy(run->s->v, at->v, bytes);
    memcpy(run->before.v, at->v, bytes);
    memcpy(run->done.ledger, at->ledger, (size_t)run->done.n_ledger * sizeof *at->ledger);
    run->done.work = at->work;
    run->counts.impact_loss = at->impact_loss;
    run->counts.impacts = at->impacts;
    return impacts_look(run);
}

/* The impact was the last one of some contacts: it is made again without their restitution. With that the flights to
 * come are left out, and the contact's forces, friction too, have the impulse of those. */
static bool is_last(const events_run *run, impact *at)
{
    bool any = false;

    find_flights(run, at, SHORT_FLIGHTS, 0.0, at->on);
    for (int k = 0; k < run->contacts.n; k++) {
        const bool last = at->on[k] && !at->last[k] && run->contacts.contact[k].restitution > 0.0;
        at->last[k] = at->last[k] || last;
        any = any || last;
    }
    return any;
}

/* Impulses that end flights, with what rests at rest; they may pull, and take what the contacts fly with. */
static phx_status end_flights(events_run *run, const impact *at, const bool *caught)
{
    static const double DEPENDENT = 1e-11;
    const int dim = phx_system_dim(run->s->system);
    blow b = {0};
    int n = 0;
    phx_status status = blow_create(run, at->touches, &b);
    double *W = phx_calloc(run->context, (size_t)b.rows * (size_t)(b.rows + 2), sizeof *W);
    int *row = phx_calloc(run->context, (size_t)b.rows, sizeof *row);

    if (!status && (!W || !row))
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_system_contact_response(run->s->dae, run->s->t, run->s->x, run->s->v, b.n, b.which, &b.response);
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
        status = phx_dense_least_norm(run->context, n, n, W, 1, rate, DEPENDENT, P, NULL);
    for (int i = 0; i < n && !status; i++) { /* -(rate before + 0).P/2 */
        b.impulse[row[i]] = P[i];
        b.loss[row[i] / dim] += 0.5 * rate[i] * P[i];
    }
    if (!status)
        impacts_take(run, &b);
    memcpy(run->before.v, run->s->v, (size_t)run->s->dae->n_v * sizeof *run->before.v);
    blow_free(&b);
    phx_free(W);
    phx_free(row);
    return status ? status : impacts_look(run);
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
static phx_status put_friction(events_run *run, const phx_dry_friction *before, int k, const contact_mode *mode)
{
    const int dry = run->contacts.contact[k].dry;
    if (dry < 0)
        return PHX_OK;
    event_state *condition = &run->event[run->n_events + dry];
    const bool held = condition->spare, slips = mode->slip[0] != 0.0 || mode->slip[1] != 0.0;

    condition->spare = mode->closed && mode->leans;
    if (!mode->closed)
        return PHX_OK;
    run->counts.transitions += is_transition(&before[dry], held, mode);
    return mode->sticks ? phx_system_stick(run->s->system, dry, mode->holds, mode->slip)
                        : phx_system_slip(run->s->system, dry, false, slips ? mode->slip : NULL);
}

/* Applies the chosen modes to all contacts: closes or opens them, switches their friction and rebuilds the equations;
 * `before` is the friction before this instant. */
static phx_status impacts_put_modes(events_run *run, impact *at, const phx_dry_friction *before,
                                    const contact_mode *modes)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < run->contacts.n; k++) {
        at->on[k] = at->touches[k] && modes[k].closed;
        condition_of(run, k)->spare = at->touches[k] && modes[k].spare;
        if (run->contacts.contact[k].closed != at->on[k])
            phx_system_close_contact(run->s->system, k, at->on[k]);
    }
    for (int k = 0; k < run->contacts.n && !status; k++)
        status = put_friction(run, before, k, &modes[k]);
    if (!status)
        status = phx_events_renew(run, 0, NULL);
    if (!status)
        status = impacts_look(run);
    return status ? status : phx_friction_hold(run);
}

static bool touches(const events_run *run, int k, double gap)
{
    const event_state *condition = condition_of(run, k);
    return run->contacts.contact[k].closed || condition->rested || condition->spare ||
           run->contacts.contact[k].gap <= gap;
}

/* Impacts until nothing approaches; whether there were any. */
static phx_status all_strike(events_run *run, impact *at, contact_question *asked, bool *any)
{
    phx_status status = PHX_OK;

    *any = approaches(run, at);
    if (*any) {
        status = phx_friction_let_go(run);
        asked->loose = asked->tears = asked->stops = -1;
    }
    if (!status)
        status = put_on(run, NULL);
    if (!status)
        status = impacts_look(run);
    if (!status && *any)
        status = strike(run, at);
    return status;
}

/* Impacts until nothing approaches, then the modes of what rests. */
static phx_status impacts_settle(events_run *run, impact *at, contact_question *asked)
{
    phx_status status = PHX_OK;
    bool again = true;

    remember(run, at);
    for (int pass = 0; pass < MOST_PASSES && again && !status; pass++) {
        bool found = false, struck = false;
        status = all_strike(run, at, asked, &struck);
        if (!status)
            status = phx_contacts_balance(run, at->touches, asked, at->before, at->modes, &found);
        again = !status && (!found || (struck && is_last(run, at)));
        if (again && !found) {
            status = jam(run, at);
            remember(run, at);
        } else if (again) {
            status = undo(run, at);
        } else if (!status && find_flights(run, at, 0.0, SHORTEST_FLIGHT, at->on)) {
            again = true;
            status = end_flights(run, at, at->on);
            remember(run, at);
        }
    }
    return status ? status : impacts_put_modes(run, at, at->before, at->modes);
}

/* Decides after an event which touching contacts stay closed and which stick, and applies it. `which` is the contact
 * and `friction` the friction element whose condition was met; -1: absent. */
phx_status phx_contacts_settle(events_run *run, int which, int friction)
{
    impact at = {.on = NULL};
    if (run->contacts.n == 0)
        return PHX_OK;
    phx_status status = impact_create(run, &at);

    if (!status)
        status = impacts_look(run);
    at.small = scales_of(run);
    contact_question asked = {.small = at.small.rate, .loose = -1, .tears = -1, .stops = -1};
    if (!status && which >= 0 && run->contacts.contact[which].closed)
        asked.loose = which;
    if (!status && friction >= 0 && run->frictions.friction[friction].sticks) {
        asked.tears = friction; /* or it loses its limit, with the force of its contact */
        asked.loose = run->frictions.friction[friction].contact;
    } else if (!status && friction >= 0 && phx_friction_stops(run, friction))
        asked.stops = friction;
    for (int k = 0; k < run->contacts.n && !status; k++) {
        at.touches[k] = k == which || touches(run, k, at.small.gap);
        at.last[k] = condition_of(run, k)->rested;
        condition_of(run, k)->rested = false;
    }
    memcpy(at.before, run->frictions.friction, (size_t)run->frictions.n * sizeof *at.before);
    if (!status)
        status = impacts_settle(run, &at, &asked);
    phx_events_forget(run);
    const double zero = phx_contacts_rounding(run);
    for (int k = 0; k < run->contacts.n && !status; k++) {
        const phx_rigid_contact *c = &run->contacts.contact[k];
        event_state *condition = condition_of(run, k);
        condition->slack = c->closed && -c->force > -MARGINAL * zero ? MARGINAL * zero : 0.0;
        condition->value = c->closed          ? fmin(-c->force - zero - condition->slack, 0.0)
                           : condition->spare ? -run->slack
                           : at.touches[k]    ? 0.0
                                              : -c->gap;
    }
    impact_free(&at);
    return status;
}

void phx_contacts_accepted(events_run *run)
{
    for (int k = 0; k < run->contacts.n; k++) {
        event_state *condition = condition_of(run, k);
        condition->spare =
            condition->spare && !run->contacts.contact[k].closed && run->contacts.contact[k].gap <= run->slack;
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
static phx_status close_again(events_run *run, int k)
{
    const int dry = run->contacts.contact[k].dry;
    phx_status status = PHX_OK;

    phx_system_close_contact(run->s->system, k, true);
    if (dry >= 0) {
        const phx_dry_friction *f = &run->frictions.friction[dry];
        const double speed = hypot(f->rate[0], f->rate[1]), small = scales_of(run).rate;
        const double slip[2] = {f->rate[0] / speed, f->rate[1] / speed};
        status = phx_system_slip(run->s->system, dry, speed <= small, speed <= small ? NULL : slip);
    }
    return status ? status : phx_events_renew(run, 0, NULL);
}

/* A contact that has just opened is open at the end of the step, or closes again: after an impact within the step,
 * which has to be shorter; one that was let go at rest stays closed. */
phx_status phx_contacts_go_back(events_run *run, const double *values, double *end, int *again)
{
    const double small = run->contacts.n > 0 ? scales_of(run).gap : 0.0;
    mechanism *s = run->s;
    phx_status status = PHX_OK;

    for (int k = 0; k < run->contacts.n && !*again && !status; k++) {
        if (run->contacts.contact[k].closed || condition_of(run, k)->value < 0.0 || values[k] <= small)
            continue;
        *again = 1;
        memcpy(s->x, run->before.x, (size_t)s->dae->n_x * sizeof *s->x);
        memcpy(s->v, run->before.v, (size_t)s->dae->n_v * sizeof *s->v);
        s->t = run->t;
        status = impacts_look(run);
        if (!status && *end - run->t <= SHORTEST * fmax(1.0, fabs(*end)))
            status = phx_fail(run->context, PHX_ERR_ANALYSIS,
                              "contact '%s' strikes again and again at t = %.9g s, in ever shorter steps; take a "
                              "smaller step or a lower restitution, or a contact with a stiffness",
                              phx_system_contact_name(s->system, k), run->t);
        if (status)
            continue;
        if (run->contacts.contact[k].rate > scales_of(run).rate)
            *end = run->t + 0.5 * time_back(run->contacts.contact[k].rate, -values[k], *end - run->t);
        else
            status = close_again(run, k);
    }
    return status;
}

bool phx_contacts_make_energy(const events_run *run)
{
    static const double ROUNDING = 1e-13; /* of the largest energy */
    phx_sizes sizes;

    phx_system_sizes(run->s->system, run->s->x, run->s->v, &sizes);
    const double zero = ROUNDING * (run->counts.stats.largest_kinetic + sizes.weight);

    for (int k = 0; k < run->contacts.n; k++)
        if (run->contacts.contact[k].closed && run->done.call[phx_system_contact_entry(run->s->system, k)] < -zero)
            return true;
    return false;
}

int phx_contacts_overdue(const events_run *run, const double *values)
{
    for (int k = 0; k < run->contacts.n; k++)
        if (run->contacts.contact[k].closed && values[k] > 0.0)
            return run->n_events + run->frictions.n + k;
    return -1;
}
