/* A step of a run with events from the accepted state, and the conditions at its end. */
#include "run.h"

#include <math.h>
#include <string.h>

/* A run of the integrator from the state at the start of the step, with multipliers of that instant. */
static phx_status steps_begin(events_run *it)
{
    mechanism *s = it->s;
    double *v_dot = phx_calloc(it->context, (size_t)s->dae->n_v, sizeof *v_dot);
    phx_integrate_options options = it->def.options;
    phx_status status = v_dot ? PHX_OK : PHX_ERR_MEMORY;

    options.every = 0.0;
    if (!status)
        status = s->dae->ops->accelerations(s->dae, it->t, it->before.x, it->before.v, v_dot, it->before.lambda);
    if (!status)
        status = phx_integration_create(s->dae, &options, it->t, it->before.x, it->before.v, it->before.lambda,
                                        &it->integration);
    if (!status)
        phx_integration_report(it->integration, &it->progress);
    phx_free(v_dot);
    return status;
}

/* ---- numerical damping ---- */
phx_status phx_events_begin_memory(events_run *it)
{
    phx_dae *dae = it->s->dae;

    phx_system_dae_destroy(it->memory);
    it->memory = NULL;
    return dae->filtered ? dae->ops->twin(dae, &it->memory) : PHX_OK;
}

void phx_events_keep_memory(events_run *it)
{
    if (it->memory)
        it->memory->ops->take_memory(it->memory, it->s->dae);
}

void phx_events_recall_memory(events_run *it)
{
    if (it->memory)
        it->memory->ops->take_memory(it->s->dae, it->memory);
}

/* ---- steps ---- */
double phx_events_speed(events_run *it)
{
    phx_sizes sizes;

    phx_system_sizes(it->s->system, it->s->x, it->s->v, &sizes);
    it->speed = fmax(fmax(it->speed, sizes.speed), it->def.interval * phx_system_gravity(it->s->system));
    return it->speed;
}

/* The report gets what the integration has done since it was counted last. */
static void count_steps(events_run *it)
{
    phx_integrate_stats *sum = &it->counts.stats;

    if (!it->integration)
        return;
    const phx_integrate_stats *stats = phx_integration_stats(it->integration), *counted = &it->counted;
    sum->steps += stats->steps - counted->steps;
    sum->rejected += stats->rejected - counted->rejected;
    sum->halvings += stats->halvings - counted->halvings;
    sum->newton_iterations += stats->newton_iterations - counted->newton_iterations;
    sum->factorisations += stats->factorisations - counted->factorisations;
    sum->projections += stats->projections - counted->projections;
    if (stats->steps > counted->steps)
        sum->smallest_step =
            sum->smallest_step > 0.0 ? fmin(sum->smallest_step, stats->smallest_step) : stats->smallest_step;
    sum->largest_kinetic = fmax(sum->largest_kinetic, stats->largest_kinetic);
    it->counted = *stats;
}

void phx_events_forget(events_run *it)
{
    count_steps(it);
    phx_integration_destroy(it->integration);
    it->integration = NULL;
    it->counted = (phx_integrate_stats){0};
}

void phx_events_stand_back(events_run *it)
{
    mechanism *s = it->s;

    if (!s->dae) /* lost for want of memory */
        return;
    memcpy(s->x, it->before.x, (size_t)s->dae->n_x * sizeof *s->x);
    memcpy(s->v, it->before.v, (size_t)s->dae->n_v * sizeof *s->v);
    memcpy(s->lambda, it->before.lambda, (size_t)s->dae->n_l * sizeof *s->lambda);
    s->t = it->t;
    phx_events_recall_memory(it);
}

/* Makes the step from the accepted state to t1, as often as it is called; the result is in it->s and nothing is
 * accepted. The work of this step is in it->done. */
phx_status phx_events_step_to(events_run *it, double t1)
{
    mechanism *s = it->s;
    const phx_dae *dae = s->dae;
    phx_status status = it->integration ? PHX_OK : steps_begin(it);

    if (status)
        return status;
    const phx_sample start = {.t = it->t, .x = it->before.x, .v = it->before.v, .lambda = it->before.lambda};
    phx_integration_rewind(it->integration, &start);
    phx_events_recall_memory(it); /* a step is made more than once */
    status = phx_friction_direct(it, t1 - it->t);
    if (!status)
        status = phx_integration_advance(it->integration, t1 - it->t);
    const phx_sample *end = phx_integration_sample(it->integration);
    memcpy(s->x, end->x, (size_t)dae->n_x * sizeof *s->x);
    memcpy(s->v, end->v, (size_t)dae->n_v * sizeof *s->v);
    memcpy(s->lambda, end->lambda, (size_t)dae->n_l * sizeof *s->lambda);
    s->t = status ? end->t : t1;
    it->done.call_work = end->work;
    memcpy(it->done.call, end->ledger, (size_t)it->done.n_ledger * sizeof *it->done.call);
    return status;
}

/* ---- conditions ---- */
static double condition(const phx_event *event, double value)
{
    return event->falls ? event->value - value : value - event->value;
}

/* Evaluates all conditions at the state in it->s: values[] of events, friction elements and contacts. A condition is
 * met when its value rises through zero. */
phx_status phx_events_look(events_run *it, double *values)
{
    mechanism *s = it->s;
    phx_dae *dae = s->reader;
    phx_status status = it->by_outputs ? phx_system_outputs(dae, s->t, s->x, s->v, it->columns) : PHX_OK;

    for (int k = 0; k < it->n_events && !status; k++)
        values[k] = it->def.events[k].column >= 0 ? condition(&it->def.events[k], it->columns[it->def.events[k].column])
                                                  : s->t - it->def.events[k].value;
    if (!status && it->frictions.n + it->contacts.n > 0)
        status = phx_system_set_valued(dae, s->t, s->x, s->v, it->contacts.contact, it->frictions.friction);
    phx_friction_conditions(it, values + it->n_events);
    phx_contacts_conditions(it, values + it->n_events + it->frictions.n);
    return status;
}

double phx_events_armed_value(const events_run *it, int k, double value)
{
    static const double ROUNDED = 1e-9, TOLERANCES = 10.0;
    event_state *event = &it->event[k];
    const double error = fmax(ROUNDED, TOLERANCES * it->def.options.rtol);

    if (k >= it->n_events)
        return value;
    event->largest = fmax(event->largest, fabs(value));
    return event->value >= 0.0 && value < 0.0 && value > -error * event->largest ? 0.0 : value;
}

/* Accepts the state in it->s with its work; the values become the ones that the next step is compared with. */
phx_status phx_events_accept(events_run *it, const double *values)
{
    const mechanism *s = it->s;

    memcpy(it->before.x, s->x, (size_t)s->dae->n_x * sizeof *it->before.x);
    memcpy(it->before.v, s->v, (size_t)s->dae->n_v * sizeof *it->before.v);
    memcpy(it->before.lambda, s->lambda, (size_t)s->dae->n_l * sizeof *it->before.lambda);
    it->t = s->t;
    phx_events_keep_memory(it);
    it->done.work.supplied += it->done.call_work.supplied;
    it->done.work.dissipated += it->done.call_work.dissipated;
    for (int k = 0; k < it->done.n_ledger; k++)
        it->done.ledger[k] += it->done.call[k];
    for (int k = 0; k < it->n; k++)
        it->event[k].value = phx_events_armed_value(it, k, values[k]);
    count_steps(it);
    phx_contacts_accepted(it);
    return phx_friction_head(it);
}

bool phx_events_happens(const events_run *it, int k, double value)
{
    return !phx_events_at_time(it, k) && it->event[k].value < 0.0 && value >= 0.0;
}
