/* A unit as an ordinary differential equation, for model exchange: its states, derivatives, events.
 *
 *   states:  y | u (minimal coordinates) | states of continuous controllers | supplied | dissipated
 *
 * The configuration and the velocities of the mechanism follow from them. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct unit_exchange {
    phx_minimal *minimal;
    int n_y, n_u, n_z, n;   /* numbers of states: of each part, of all */
    int *z;                 /* n_z: numbers among the states of controllers */
    double t;               /* s */
    double *states, *rates; /* n */
    double *x, *v, *lambda; /* of the mechanism; x has the states of all controllers */
    double *z_dot;          /* of the states of all controllers */
    bool solved, derived;   /* x and v, rates and lambda are those of the states */
    double sampled;         /* s: when samples were taken last */
};

/* ---- creation ---- */
static phx_status allocate(phx_unit *unit, unit_exchange *it)
{
    const int n_z = phx_system_controller_states(unit->system);
    const struct {
        double **at;
        int count;
    } arrays[] = {{&it->states, it->n},
                  {&it->rates, it->n},
                  {&it->x, phx_system_n_x(unit->system)},
                  {&it->v, phx_system_n_v(unit->system)},
                  {&it->lambda, phx_system_n_l(unit->system)},
                  {&it->z_dot, n_z}};

    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k].at = phx_calloc(unit->context, (size_t)arrays[k].count, sizeof(double));
        if (!*arrays[k].at)
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

static phx_status list_controller_states(phx_unit *unit, unit_exchange *it)
{
    const int count = phx_system_controller_states(unit->system);

    it->z = phx_calloc(unit->context, (size_t)count, sizeof *it->z);
    for (int k = 0; k < count && it->z; k++)
        if (phx_system_controller_state_flows(unit->system, k))
            it->z[it->n_z++] = k;
    return it->z ? PHX_OK : PHX_ERR_MEMORY;
}

phx_status phx_unit_exchange_create(phx_unit *unit)
{
    unit_exchange *it = phx_calloc(unit->context, 1, sizeof *it);

    unit->exchange = it;
    if (!it)
        return PHX_ERR_MEMORY;
    phx_status status = phx_minimal_create(unit->context, unit->system, &it->minimal);
    if (!status)
        status = list_controller_states(unit, it);
    if (status)
        return status;
    it->n_y = phx_minimal_coordinates(it->minimal);
    it->n_u = phx_minimal_rates(it->minimal);
    it->n = it->n_y + it->n_u + it->n_z + 2;
    return allocate(unit, it);
}

void phx_unit_exchange_destroy(unit_exchange *it)
{
    if (!it)
        return;
    double *const arrays[] = {it->states, it->rates, it->x, it->v, it->lambda, it->z_dot};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    phx_free(it->z);
    phx_minimal_destroy(it->minimal);
    phx_free(it);
}

/* ---- the state of the mechanism, and the states ---- */
/* Where the states of controllers begin in x. */
static double *controllers_in(const phx_unit *unit, double *x)
{
    return x + phx_system_n_x(unit->system) - phx_system_controller_states(unit->system);
}

/* The states of t, x, v. */
static void read_states(phx_unit *unit, unit_exchange *it, double supplied, double dissipated)
{
    double *z = it->states + it->n_y + it->n_u;

    phx_minimal_read(it->minimal, it->t, it->x, it->v, it->states, it->states + it->n_y);
    for (int k = 0; k < it->n_z; k++)
        z[k] = controllers_in(unit, it->x)[it->z[k]];
    z[it->n_z] = supplied;
    z[it->n_z + 1] = dissipated;
}

phx_status phx_unit_exchange_start(phx_unit *unit)
{
    unit_exchange *it = unit->exchange;
    const phx_sample *sample = phx_integration_sample(unit->run);

    it->t = unit->t;
    it->sampled = -HUGE_VAL;
    memcpy(it->x, sample->x, (size_t)phx_system_n_x(unit->system) * sizeof *it->x);
    memcpy(it->v, sample->v, (size_t)phx_system_n_v(unit->system) * sizeof *it->v);
    const phx_status status = phx_minimal_choose(it->minimal, it->t, it->x);
    if (!status)
        read_states(unit, it, sample->work.supplied, sample->work.dissipated);
    it->solved = !status;
    it->derived = false;
    return status;
}

/* In co-simulation the states are those of the steps. */
static void follow_steps(phx_unit *unit)
{
    unit_exchange *it = unit->exchange;
    const phx_sample *sample = phx_integration_sample(unit->run);

    if (unit->exchanging || it->solved)
        return;
    it->t = sample->t;
    memcpy(it->x, sample->x, (size_t)phx_system_n_x(unit->system) * sizeof *it->x);
    memcpy(it->v, sample->v, (size_t)phx_system_n_v(unit->system) * sizeof *it->v);
    read_states(unit, it, sample->work.supplied, sample->work.dissipated);
    it->solved = true;
}

static phx_status find_state(phx_unit *unit)
{
    unit_exchange *it = unit->exchange;

    follow_steps(unit);
    if (it->solved)
        return PHX_OK;
    for (int k = 0; k < it->n_z; k++)
        controllers_in(unit, it->x)[it->z[k]] = it->states[it->n_y + it->n_u + k];
    const phx_status status = phx_minimal_solve(it->minimal, it->t, it->states, it->states + it->n_y, it->x, it->v);
    it->solved = !status;
    return status;
}

static phx_status find_rates(phx_unit *unit)
{
    unit_exchange *it = unit->exchange;
    double *z_dot = it->rates + it->n_y + it->n_u;
    phx_status status = find_state(unit);

    if (status || it->derived)
        return status;
    status = phx_minimal_derivatives(it->minimal, it->t, it->x, it->v, it->rates, it->rates + it->n_y, it->lambda);
    if (!status)
        status = phx_minimal_flow(it->minimal, it->t, it->x, it->v, it->lambda, it->z_dot, &z_dot[it->n_z],
                                  &z_dot[it->n_z + 1]);
    for (int k = 0; k < it->n_z; k++)
        z_dot[k] = it->z_dot[it->z[k]];
    it->derived = !status;
    return status;
}

phx_status phx_unit_exchange_sample(phx_unit *unit, phx_sample *sample)
{
    unit_exchange *it = unit->exchange;
    const phx_status status = find_rates(unit);

    *sample = (phx_sample){.t = it->t,
                           .x = it->x,
                           .v = it->v,
                           .lambda = it->lambda,
                           .work = {.supplied = it->states[it->n - 2], .dissipated = it->states[it->n - 1]}};
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
    unit_exchange *it = unit->exchange;

    if (it->t == t)
        return;
    it->t = unit->t = t;
    it->solved = it->derived = unit->looked = false;
}

phx_status phx_unit_set_states(phx_unit *unit, const double *states)
{
    unit_exchange *it = unit->exchange;

    for (int k = 0; k < it->n; k++)
        if (!isfinite(states[k]))
            return phx_fail(unit->context, PHX_NOT_CONVERGED, "state %d is %g", k + 1, states[k]);
    if (memcmp(states, it->states, (size_t)it->n * sizeof *states) == 0)
        return PHX_OK;
    memcpy(it->states, states, (size_t)it->n * sizeof *states);
    it->solved = it->derived = unit->looked = false;
    return PHX_OK;
}

void phx_unit_get_states(phx_unit *unit, double *states)
{
    follow_steps(unit);
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
    const unit_exchange *it = unit->exchange;
    const int first = phx_minimal_first_rate(it->minimal);

    for (int k = 0; k < it->n; k++)
        nominal[k] = 1.0;
    for (int k = 0; k < it->n_y; k++)
        nominal[k] = phx_minimal_nominal(it->minimal, k, false);
    for (int k = 0; k < it->n_u; k++)
        nominal[it->n_y + k] = phx_minimal_nominal(it->minimal, first + k, true);
}

phx_status phx_unit_indicators(phx_unit *unit, double *indicators)
{
    unit_exchange *it = unit->exchange;
    const phx_status status = find_state(unit);

    return status ? status : phx_minimal_indicators(it->minimal, it->t, it->x, indicators);
}

/* States but the last two, derivatives, indicators. */
phx_status phx_unit_exchange_get(phx_unit *unit, int k, double *value)
{
    unit_exchange *it = unit->exchange;
    double indicators[PHX_MINIMAL_INDICATORS];
    phx_status status = PHX_OK;

    if (k < it->n - 2) {
        follow_steps(unit);
        *value = it->states[k];
        return PHX_OK;
    }
    k -= it->n - 2;
    if (k < it->n) {
        status = find_rates(unit);
        *value = it->rates[k];
        return status;
    }
    status = phx_unit_indicators(unit, indicators);
    *value = indicators[k - it->n];
    return status;
}

/* ---- events ---- */
phx_status phx_unit_event(phx_unit *unit, bool *chosen_anew)
{
    unit_exchange *it = unit->exchange;
    double indicators[PHX_MINIMAL_INDICATORS];
    phx_status status = phx_unit_indicators(unit, indicators);

    *chosen_anew = false;
    if (!status && it->sampled != it->t) {
        status = phx_minimal_take_samples(it->minimal, it->t, it->x, it->v);
        it->sampled = it->t;
        it->derived = unit->looked = false;
    }
    for (int k = 0; k < PHX_MINIMAL_INDICATORS && !status; k++)
        *chosen_anew = *chosen_anew || indicators[k] <= 0.0;
    if (status || !*chosen_anew)
        return status;
    status = phx_minimal_choose(it->minimal, it->t, it->x);
    if (!status)
        read_states(unit, it, it->states[it->n - 2], it->states[it->n - 1]);
    it->derived = unit->looked = false;
    return status;
}

double phx_unit_next_time_event(const phx_unit *unit)
{
    const double t = unit->exchange->t;
    double next = HUGE_VAL;

    if (unit->dae->ops->next_sample)
        next = unit->dae->ops->next_sample(unit->dae, t);
    if (unit->dae->ops->next_break)
        next = fmin(next, unit->dae->ops->next_break(unit->dae, t));
    return next;
}

/* ---- names, archives ---- */
void phx_unit_describe_state(const phx_unit *unit, int k, size_t size, char *name, size_t room, char *text)
{
    const unit_exchange *it = unit->exchange;
    const int first = phx_minimal_first_rate(it->minimal), rate = k - it->n_y, z = rate - it->n_u;
    char what[120];

    if (k < it->n_y) {
        phx_minimal_describe(it->minimal, k, sizeof what, what);
        snprintf(name, size, "state.y%d", k + 1);
        snprintf(text, room, "state: at the start %s", what);
    } else if (rate < it->n_u) {
        phx_minimal_describe(it->minimal, first + rate, sizeof what, what);
        snprintf(name, size, "state.u%d", first + rate + 1);
        snprintf(text, room, "state: rate of state.y%d", first + rate + 1);
    } else if (z < it->n_z) {
        snprintf(name, size, "state.z%d", z + 1);
        snprintf(text, room, "state of a controller");
    } else {
        snprintf(name, size, "%s", z == it->n_z ? "supplied" : "dissipated");
        snprintf(text, room, "%s", "");
    }
}

void phx_unit_exchange_archive(phx_archive *archive, phx_unit *unit)
{
    unit_exchange *it = unit->exchange;

    phx_archive_double(archive, &it->t);
    phx_archive_double(archive, &it->sampled);
    phx_archive_doubles(archive, (size_t)it->n, it->states);
    phx_archive_doubles(archive, (size_t)it->n, it->rates);
    phx_archive_doubles(archive, (size_t)phx_system_n_x(unit->system), it->x);
    phx_archive_doubles(archive, (size_t)phx_system_n_v(unit->system), it->v);
    phx_archive_doubles(archive, (size_t)phx_system_n_l(unit->system), it->lambda);
    phx_archive_bool(archive, &it->solved);
    phx_archive_bool(archive, &it->derived);
    phx_minimal_archive(archive, it->minimal);
}
