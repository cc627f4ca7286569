/* A unit as an ordinary differential equation, for model exchange: its states, derivatives, events.
 *
 *   states:  y, 0 | u, 0 (minimal coordinates) | states of continuous controllers | supplied | dissipated
 *
 * The configuration and the velocities of the mechanism follow from them. Their number is fixed, and events of the
 * model change that of the minimal coordinates: there are as many as can become free, and those that are not are zeros.
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "minimal/minimal.h"

struct unit_exchange {
    phx_minimal *minimal;   /* NULL: to be made of the rows that act now */
    int n_y, n_u, n_z, n;   /* numbers of states: of each part, of all */
    int *z;                 /* n_z: numbers among the states of controllers */
    int n_conditions;       /* what has an indicator: events of the model on outputs, frictions, contacts */
    double t, begun;        /* s; the start */
    double *states, *rates; /* n */
    double *x, *v;          /* of the mechanism; x has the states of all controllers */
    double *lambda;         /* of the rows that act */
    double *z_dot;          /* of the states of all controllers */
    double *v_before;       /* with which the mechanism comes to an event, where `arrived` */
    bool arrived;           /* at an event, whose rates of drives have not been looked at */
    bool solved, derived;   /* x and v, rates and lambda are those of the states */
    double sampled;         /* s: when samples were taken last */
};

/* ---- creation ---- */
static phx_status exchange_allocate(phx_unit *unit, unit_exchange *states)
{
    const int n_z = phx_system_controller_states(unit->system);
    const struct {
        double **at;
        int count;
    } arrays[] = {{&states->states, states->n},
                  {&states->rates, states->n},
                  {&states->x, phx_system_n_x(unit->system)},
                  {&states->v, phx_system_n_v(unit->system)},
                  {&states->v_before, phx_system_n_v(unit->system)},
                  {&states->z_dot, n_z}};

    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k].at = phx_calloc(unit->context, (size_t)arrays[k].count, sizeof(double));
        if (!*arrays[k].at)
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

static phx_status list_controller_states(phx_unit *unit, unit_exchange *states)
{
    const int count = phx_system_controller_states(unit->system);

    states->z = phx_calloc(unit->context, (size_t)count, sizeof *states->z);
    for (int k = 0; k < count && states->z; k++)
        if (phx_system_controller_state_flows(unit->system, k))
            states->z[states->n_z++] = k;
    return states->z ? PHX_OK : PHX_ERR_MEMORY;
}

void phx_unit_exchange_let_go(unit_exchange *states)
{
    if (!states)
        return;
    phx_minimal_destroy(states->minimal);
    phx_free(states->lambda);
    states->minimal = NULL;
    states->lambda = NULL;
    states->solved = states->derived = false;
}

/* Minimal coordinates of the rows that act, to be chosen. */
static phx_status renew(phx_unit *unit, unit_exchange *states)
{
    if (states->minimal)
        return PHX_OK;
    phx_status status = phx_minimal_create(unit->context, unit->system, &states->minimal);
    if (status)
        return status;
    states->lambda = phx_calloc(unit->context, (size_t)phx_system_n_l(unit->system), sizeof *states->lambda);
    const int n_y = phx_minimal_coordinates(states->minimal), n_u = phx_minimal_rates(states->minimal);
    if (!states->lambda)
        status = PHX_ERR_MEMORY;
    else if (n_y > states->n_y || n_u > states->n_u)
        status = phx_fail(unit->context, PHX_ERR_ANALYSIS,
                          "here, where joints hold the same motion twice, %d coordinates and %d rates are free; the "
                          "states have room for %d and %d: use the FMU in co-simulation",
                          n_y, n_u, states->n_y, states->n_u);
    if (status)
        phx_unit_exchange_let_go(states);
    return status;
}

/* Counts coordinates, rates and conditions at most, over all joints that events can release. */
phx_status phx_unit_exchange_count(phx_unit *unit)
{
    unit_exchange *states = phx_calloc(unit->context, 1, sizeof *states);
    phx_events_free most = {0, 0};

    unit->exchange = states;
    if (!states)
        return PHX_ERR_MEMORY;
    const phx_status status =
        phx_events_most_free(unit->context, unit->system, unit->def.n_events, unit->def.events, unit->def.x, &most);
    states->n_y = most.coordinates;
    states->n_u = most.rates;
    states->n_conditions = phx_events_on_outputs(unit->def.n_events, unit->def.events) +
                           phx_system_dry_count(unit->system) + phx_system_contact_count(unit->system);
    return status;
}

phx_status phx_unit_exchange_create(phx_unit *unit)
{
    unit_exchange *states = unit->exchange;
    const phx_status status = list_controller_states(unit, states);

    states->n = states->n_y + states->n_u + states->n_z + 2;
    return status ? status : exchange_allocate(unit, states);
}

void phx_unit_exchange_destroy(unit_exchange *states)
{
    if (!states)
        return;
    double *const arrays[] = {states->states, states->rates, states->x, states->v, states->v_before, states->z_dot};
    phx_unit_exchange_let_go(states);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    phx_free(states->z);
    phx_free(states);
}

/* ---- the state of the mechanism, and the states ---- */
/* Where the states of controllers begin in x. */
static double *controllers_in(const phx_unit *unit, double *x)
{
    return x + phx_system_n_x(unit->system) - phx_system_controller_states(unit->system);
}

/* The states of t, x, v. */
static void read_states(phx_unit *unit, unit_exchange *states, double supplied, double dissipated)
{
    double *z = states->states + states->n_y + states->n_u;

    memset(states->states, 0, (size_t)(states->n_y + states->n_u) * sizeof *states->states);
    memset(states->rates, 0, (size_t)(states->n_y + states->n_u) * sizeof *states->rates);
    phx_minimal_read(states->minimal, states->t, states->x, states->v, states->states, states->states + states->n_y);
    for (int k = 0; k < states->n_z; k++)
        z[k] = controllers_in(unit, states->x)[states->z[k]];
    z[states->n_z] = supplied;
    z[states->n_z + 1] = dissipated;
}

/* Coordinates chosen at t, x, v, and the states. */
static phx_status exchange_choose(phx_unit *unit, unit_exchange *states, double supplied, double dissipated)
{
    phx_status status = renew(unit, states);

    if (!status)
        status = phx_minimal_choose(states->minimal, states->t, states->x);
    if (!status)
        read_states(unit, states, supplied, dissipated);
    states->solved = !status;
    states->derived = false;
    return status;
}

static void take_sample(const phx_unit *unit, unit_exchange *states, const phx_sample *sample)
{
    memcpy(states->x, sample->x, (size_t)phx_system_n_x(unit->system) * sizeof *states->x);
    memcpy(states->v, sample->v, (size_t)phx_system_n_v(unit->system) * sizeof *states->v);
}

phx_status phx_unit_exchange_start(phx_unit *unit)
{
    unit_exchange *states = unit->exchange;
    const phx_sample sample = phx_unit_state_of(unit);

    states->t = states->begun = unit->t;
    states->sampled = -HUGE_VAL;
    take_sample(unit, states, &sample);
    memcpy(states->v_before, states->v, (size_t)phx_system_n_v(unit->system) * sizeof *states->v);
    states->arrived = true;
    return exchange_choose(unit, states, sample.work.supplied, sample.work.dissipated);
}

/* In co-simulation the states are those of the steps. */
static phx_status follow_steps(phx_unit *unit)
{
    unit_exchange *states = unit->exchange;

    const phx_status stands = phx_unit_check_stands(unit);
    if (stands || unit->exchanging || states->solved)
        return stands;
    const phx_sample sample = phx_unit_state_of(unit);
    states->t = sample.t;
    take_sample(unit, states, &sample);
    if (!states->minimal)
        return exchange_choose(unit, states, sample.work.supplied, sample.work.dissipated);
    read_states(unit, states, sample.work.supplied, sample.work.dissipated);
    states->solved = true;
    return PHX_OK;
}

/* Solves the minimal coordinates for x and v at the present time, unless they are known; PHX_NOT_CONVERGED if joints
 * cannot be closed. */
static phx_status find_state(phx_unit *unit)
{
    unit_exchange *states = unit->exchange;

    phx_status status = follow_steps(unit);
    if (status || states->solved)
        return status;
    if (!states->minimal) /* since an event that has failed */
        return phx_fail(unit->context, PHX_ERR_ANALYSIS, "the mechanism has no states since a failure");
    for (int k = 0; k < states->n_z; k++)
        controllers_in(unit, states->x)[states->z[k]] = states->states[states->n_y + states->n_u + k];
    status = phx_minimal_solve(states->minimal, states->t, states->states, states->states + states->n_y, states->x,
                               states->v);
    states->solved = !status;
    return status;
}

/* Derivatives of the states and multipliers at the present state, unless they are known: y', u', z' and the two
 * powers. */
static phx_status find_rates(phx_unit *unit)
{
    unit_exchange *states = unit->exchange;
    double *z_dot = states->rates + states->n_y + states->n_u;
    phx_status status = find_state(unit);

    if (status || states->derived)
        return status;
    if (unit->events && unit->exchanging)
        status = phx_events_direct(unit->events, states->x, states->v);
    if (!status)
        status = phx_minimal_derivatives(states->minimal, states->t, states->x, states->v, states->rates,
                                         states->rates + states->n_y, states->lambda);
    if (!status)
        status = phx_minimal_flow(states->minimal, states->t, states->x, states->v, states->lambda, states->z_dot,
                                  &z_dot[states->n_z], &z_dot[states->n_z + 1]);
    for (int k = 0; k < states->n_z; k++)
        z_dot[k] = states->z_dot[states->z[k]];
    states->derived = !status;
    return status;
}

phx_status phx_unit_exchange_sample(phx_unit *unit, phx_sample *sample)
{
    unit_exchange *states = unit->exchange;
    const phx_status status = find_rates(unit);

    *sample =
        (phx_sample){.t = states->t,
                     .x = states->x,
                     .v = states->v,
                     .lambda = states->lambda,
                     .work = {.supplied = states->states[states->n - 2], .dissipated = states->states[states->n - 1]}};
    return status;
}

void phx_unit_exchange_forget(phx_unit *unit, bool states)
{
    if (!unit->exchange)
        return;
    unit->exchange->derived = false;
    unit->exchange->solved = unit->exchange->solved && !states;
}

/* ---- calls ---- */
int phx_unit_states(const phx_unit *unit)
{
    return unit->exchange ? unit->exchange->n : 0;
}

bool phx_unit_steps(const phx_unit *unit)
{
    return unit->def.steps;
}

void phx_unit_use_exchange(phx_unit *unit, bool exchanging)
{
    unit->exchanging = exchanging;
}

void phx_unit_set_time(phx_unit *unit, double t)
{
    unit_exchange *states = unit->exchange;

    if (states->t == t)
        return;
    states->t = unit->t = t;
    states->solved = states->derived = unit->looked = false;
}

phx_status phx_unit_set_states(phx_unit *unit, const double *states)
{
    unit_exchange *flows = unit->exchange;

    for (int k = 0; k < flows->n; k++)
        if (!isfinite(states[k]))
            return phx_fail(unit->context, PHX_NOT_CONVERGED, "state %d is %g", k + 1, states[k]);
    if (memcmp(states, flows->states, (size_t)flows->n * sizeof *states) == 0)
        return PHX_OK;
    memcpy(flows->states, states, (size_t)flows->n * sizeof *states);
    flows->solved = flows->derived = unit->looked = false;
    return PHX_OK;
}

void phx_unit_get_states(phx_unit *unit, double *states)
{
    (void)follow_steps(unit); /* in model exchange they are there */
    memcpy(states, unit->exchange->states, (size_t)unit->exchange->n * sizeof *states);
}

phx_status phx_unit_get_rates(phx_unit *unit, double *rates)
{
    const phx_status status = find_rates(unit);

    memcpy(rates, unit->exchange->rates, (size_t)unit->exchange->n * sizeof *rates);
    return status;
}

void phx_unit_nominals(const phx_unit *unit, double *nominal)
{
    const unit_exchange *states = unit->exchange;

    for (int k = 0; k < states->n; k++)
        nominal[k] = 1.0;
    if (!states->minimal)
        return;
    const int first = phx_minimal_first_rate(states->minimal);
    for (int k = 0; k < phx_minimal_coordinates(states->minimal); k++)
        nominal[k] = phx_minimal_nominal(states->minimal, k, false);
    for (int k = 0; k < phx_minimal_rates(states->minimal); k++)
        nominal[states->n_y + k] = phx_minimal_nominal(states->minimal, first + k, true);
}

int phx_unit_n_indicators(const phx_unit *unit)
{
    return unit->exchange ? PHX_MINIMAL_INDICATORS + unit->exchange->n_conditions : 0;
}

phx_status phx_unit_indicators(phx_unit *unit, double *indicators)
{
    unit_exchange *states = unit->exchange;
    phx_status status = find_state(unit);

    if (!status)
        status = phx_minimal_indicators(states->minimal, states->t, states->x, indicators);
    if (!status && states->n_conditions > 0)
        status =
            phx_events_indicators(unit->events, states->t, states->x, states->v, indicators + PHX_MINIMAL_INDICATORS);
    return status;
}

/* One of them. */
static phx_status get_indicator(phx_unit *unit, int k, double *value)
{
    double *all = phx_calloc(unit->context, (size_t)phx_unit_n_indicators(unit), sizeof *all);
    const phx_status status = all ? phx_unit_indicators(unit, all) : PHX_ERR_MEMORY;

    *value = status ? 0.0 : all[k];
    phx_free(all);
    return status;
}

/* States but the last two, derivatives, indicators. */
phx_status phx_unit_exchange_get(phx_unit *unit, int k, double *value)
{
    unit_exchange *states = unit->exchange;
    if (k < states->n - 2) {
        const phx_status status = follow_steps(unit);
        *value = states->states[k];
        return status;
    }
    k -= states->n - 2;
    if (k < states->n) {
        const phx_status status = find_rates(unit);
        *value = states->rates[k];
        return status;
    }
    return get_indicator(unit, k - states->n, value);
}

/* ---- events ---- */
/* Whether the coordinates that are chosen are no longer good. */
static phx_status is_spent(phx_unit *unit, bool *spent)
{
    unit_exchange *states = unit->exchange;
    double indicators[PHX_MINIMAL_INDICATORS];
    phx_status status = find_state(unit);

    if (!status)
        status = phx_minimal_indicators(states->minimal, states->t, states->x, indicators);
    *spent = false;
    for (int k = 0; k < PHX_MINIMAL_INDICATORS && !status; k++)
        *spent = *spent || indicators[k] <= 0.0;
    return status;
}

/* Where the events of the model stand; whether one of them is met. */
static phx_status stand(phx_unit *unit, bool *due)
{
    unit_exchange *states = unit->exchange;
    const phx_status status = find_state(unit);

    *due = false;
    return status || !unit->events ? status : phx_events_stand(unit->events, states->t, states->x, states->v, due);
}

/* The events of the model that are met, or the impulse of drives whose rates have jumped: what they take is booked, and
 * the states are those of the rows after them. */
static phx_status happen(phx_unit *unit, bool jumped)
{
    unit_exchange *states = unit->exchange;
    const phx_work before = phx_events_sample(unit->events).work;
    phx_status status =
        jumped ? phx_events_jump(unit->events, states->t, states->x, states->v) : phx_events_happen(unit->events);

    if (status)
        return status;
    const phx_sample after = phx_events_sample(unit->events);
    take_sample(unit, states, &after);
    return exchange_choose(unit, states, states->states[states->n - 2] + (after.work.supplied - before.supplied),
                           states->states[states->n - 1] + (after.work.dissipated - before.dissipated));
}

static phx_status take_samples(phx_unit *unit)
{
    unit_exchange *states = unit->exchange;

    if (states->sampled == states->t)
        return PHX_OK;
    const phx_status status = phx_minimal_take_samples(states->minimal, states->t, states->x, states->v);
    states->sampled = states->t;
    states->derived = false;
    return status;
}

/* ---- drives whose rates jump ---- */
void phx_unit_arrive(phx_unit *unit)
{
    unit_exchange *states = unit->exchange;

    if (!unit->exchanging)
        return;
    const double t =
        states->t > states->begun ? nextafter(states->t, -HUGE_VAL) : states->t; /* before what jumps at states->t */

    phx_status status = find_state(unit);
    if (!status)
        status = phx_minimal_rates_at(states->minimal, t, states->states + states->n_y, states->x, states->v_before);
    states->arrived = status == PHX_OK;
    if (status)
        phx_context_clear(unit->context); /* the event tells it */
}

/* The velocities of the arrival and the rates of drives do not agree any more: the joints take the impulse, by which
 * rigid contacts may open and strike, and the states are those after it. */
static phx_status jump(phx_unit *unit, bool *jumped)
{
    unit_exchange *states = unit->exchange;
    phx_work work = {0.0, 0.0};

    *jumped = states->arrived && states->minimal &&
              phx_minimal_jumps(states->minimal, states->t, states->x, states->v_before);
    states->arrived = false;
    if (!*jumped)
        return PHX_OK;
    memcpy(states->v, states->v_before, (size_t)phx_system_n_v(unit->system) * sizeof *states->v);
    if (unit->events)
        return happen(unit, true);
    const phx_status status = phx_system_impulse(unit->dae, states->t, states->x, states->v, &work);
    return status ? status
                  : exchange_choose(unit, states, states->states[states->n - 2] + work.supplied,
                                    states->states[states->n - 1] + work.dissipated);
}

/* Handles jumps, events and samples that are due at the present time, and chooses coordinates again if needed;
 * PHX_ERR_ANALYSIS after an event that failed. */
phx_status phx_unit_event(phx_unit *unit, phx_unit_changes *changes)
{
    unit_exchange *states = unit->exchange;
    bool due = false, spent = false, jumped = false;

    *changes = (phx_unit_changes){false, false, false};
    unit->looked = false;
    phx_status status = jump(unit, &jumped);
    if (!status)
        status = stand(unit, &due);
    if (!status && due)
        status = happen(unit, false);
    changes->happened = due;
    changes->chosen_anew = due || jumped;
    if (!status)
        status = take_samples(unit);
    if (!status)
        status = is_spent(unit, &spent);
    if (!status && spent) {
        status = exchange_choose(unit, states, states->states[states->n - 2], states->states[states->n - 1]);
        changes->chosen_anew = true;
    }
    if (!status) /* samples change efforts, which may be what another event looks at */
        status = stand(unit, &changes->again);
    return due && status > 0 ? PHX_ERR_ANALYSIS : status;
}

phx_status phx_unit_exchange_completed(phx_unit *unit, bool *event)
{
    bool due = false, spent = false;
    phx_status status = stand(unit, &due);

    if (!status)
        status =
            phx_minimal_check_places(unit->exchange->minimal, unit->exchange->t, unit->exchange->x, unit->exchange->v);
    if (!status)
        status = is_spent(unit, &spent);
    *event = due || spent;
    return status;
}

double phx_unit_next_time_event(const phx_unit *unit)
{
    const double t = unit->exchange->t;
    double next = HUGE_VAL;

    if (unit->dae && unit->dae->ops->next_sample)
        next = unit->dae->ops->next_sample(unit->dae, t);
    if (unit->dae && unit->dae->ops->next_break)
        next = fmin(next, unit->dae->ops->next_break(unit->dae, t));
    return unit->events ? fmin(next, phx_events_next_time(unit->events)) : next;
}

/* ---- names, archives ---- */
/* Number k of the coordinates y; at the start it may be none. */
static void describe_coordinate(const unit_exchange *states, int k, size_t size, char *text)
{
    char what[120];

    if (!states->minimal || k >= phx_minimal_coordinates(states->minimal)) {
        snprintf(text, size, "state: at the start a constant, free after an event");
        return;
    }
    phx_minimal_describe(states->minimal, k, sizeof what, what);
    snprintf(text, size, "state: at the start %s", what);
}

/* Number k of the rates u. */
static void describe_rate(const unit_exchange *states, int k, size_t size, char *text)
{
    if (!states->minimal || k >= phx_minimal_rates(states->minimal))
        snprintf(text, size, "state: at the start a constant, free after an event");
    else
        snprintf(text, size, "state: rate of state.y%d", phx_minimal_first_rate(states->minimal) + k + 1);
}

/* Name and meaning of state k: coordinates y, rates u, states z of controllers, then `supplied` and `dissipated`. */
void phx_unit_describe_state(const phx_unit *unit, int k, size_t size, char *name, size_t room, char *text)
{
    const unit_exchange *states = unit->exchange;
    const int rate = k - states->n_y, z = rate - states->n_u;

    if (k < states->n_y) {
        snprintf(name, size, "state.y%d", k + 1);
        describe_coordinate(states, k, room, text);
    } else if (rate < states->n_u) {
        snprintf(name, size, "state.u%d", states->n_y - states->n_u + rate + 1);
        describe_rate(states, rate, room, text);
    } else if (z < states->n_z) {
        snprintf(name, size, "state.z%d", z + 1);
        snprintf(text, room, "state of a controller");
    } else {
        snprintf(name, size, "%s", z == states->n_z ? "supplied" : "dissipated");
        snprintf(text, room, "%s", "");
    }
}

/* Name and meaning of event indicator k: choice of coordinates, then events, frictions and contacts of the model. */
void phx_unit_describe_indicator(const phx_unit *unit, int k, size_t size, char *name, size_t room, char *text)
{
    static const char *const names[PHX_MINIMAL_INDICATORS][2] = {
        {"indicator.choice", "negative: the states no longer determine the motion well"},
        {"indicator.turn", "negative: a body has turned far from where its rotation vector counts from"}};
    int event = 0, before = k - PHX_MINIMAL_INDICATORS;

    if (k < PHX_MINIMAL_INDICATORS) {
        snprintf(name, size, "%s", names[k][0]);
        snprintf(text, room, "%s", names[k][1]);
        return;
    }
    for (; event < unit->def.n_events; event++)
        if (unit->def.events[event].column >= 0 && before-- == 0)
            break;
    const int contact = before - phx_system_dry_count(unit->system);
    if (event == unit->def.n_events && contact >= 0) {
        snprintf(name, size, "indicator.contact.%s", phx_system_contact_name(unit->system, contact));
        snprintf(text, room, "negative: contact %.80s strikes, or begins to pull",
                 phx_system_contact_name(unit->system, contact));
        return;
    }
    if (event == unit->def.n_events) {
        snprintf(name, size, "indicator.friction.%s.%d", phx_system_dry_joint(unit->system, before), before + 1);
        snprintf(text, room, "negative: friction of joint %.80s begins to slip, or its slip stops",
                 phx_system_dry_joint(unit->system, before));
        return;
    }
    snprintf(name, size, "indicator.event.%s", unit->def.events[event].name);
    snprintf(text, room, "negative: event %.80s of the model happens; 1 until it can come again",
             unit->def.events[event].name);
}

/* Writes or reads the state in model exchange; on reading, minimal coordinates are created first if they were
 * chosen. */
void phx_unit_exchange_archive(phx_archive *archive, phx_unit *unit)
{
    unit_exchange *states = unit->exchange;
    bool chosen = states->minimal != NULL;

    phx_archive_bool(archive, &chosen);
    if (phx_archive_reads(archive) && !phx_archive_status(archive)) {
        if (chosen)
            phx_archive_fail(archive, renew(unit, states));
        else
            phx_unit_exchange_let_go(states);
    }
    if (phx_archive_status(archive))
        return;
    phx_archive_double(archive, &states->t);
    phx_archive_double(archive, &states->begun);
    phx_archive_double(archive, &states->sampled);
    phx_archive_doubles(archive, (size_t)states->n, states->states);
    phx_archive_doubles(archive, (size_t)states->n, states->rates);
    phx_archive_doubles(archive, (size_t)phx_system_n_x(unit->system), states->x);
    phx_archive_doubles(archive, (size_t)phx_system_n_v(unit->system), states->v);
    phx_archive_doubles(archive, (size_t)phx_system_n_v(unit->system), states->v_before);
    phx_archive_bool(archive, &states->arrived);
    phx_archive_bool(archive, &states->solved);
    phx_archive_bool(archive, &states->derived);
    if (!chosen)
        return;
    phx_archive_doubles(archive, (size_t)phx_system_n_l(unit->system), states->lambda);
    phx_minimal_archive(archive, states->minimal);
}
