/* A step of a run with events from the accepted state, and the conditions at its end. */
#include "run.h"

#include <math.h>
#include <string.h>

/* A run of the integrator from the state at the start of the step, with multipliers of that instant. */
static phx_status steps_begin(events_run *run)
{
    mechanism *s = run->s;
    double *v_dot = phx_calloc(run->context, (size_t)s->dae->n_v, sizeof *v_dot);
    phx_integrate_options options = run->def.options;
    phx_status status = v_dot ? PHX_OK : PHX_ERR_MEMORY;

    options.every = 0.0;
    if (!status)
        status = s->dae->ops->accelerations(s->dae, run->t, run->before.x, run->before.v, v_dot, run->before.lambda);
    if (!status)
        status = phx_integration_create(s->dae, &options, run->t, run->before.x, run->before.v, run->before.lambda,
                                        &run->integration);
    if (!status)
        phx_integration_report(run->integration, &run->progress);
    phx_free(v_dot);
    return status;
}

/* ---- numerical damping ---- */
phx_status phx_events_begin_memory(events_run *run)
{
    phx_dae *dae = run->s->dae;

    phx_system_dae_destroy(run->memory);
    run->memory = NULL;
    return dae->filtered ? dae->ops->twin(dae, &run->memory) : PHX_OK;
}

void phx_events_keep_memory(events_run *run)
{
    if (run->memory)
        run->memory->ops->take_memory(run->memory, run->s->dae);
}

void phx_events_recall_memory(events_run *run)
{
    if (run->memory)
        run->memory->ops->take_memory(run->s->dae, run->memory);
}

/* ---- steps ---- */
double phx_events_speed(events_run *run)
{
    phx_sizes sizes;

    phx_system_sizes(run->s->system, run->s->x, run->s->v, &sizes);
    run->speed = fmax(fmax(run->speed, sizes.speed), run->def.interval * phx_system_gravity(run->s->system));
    return run->speed;
}

/* The report gets what the integration has done since it was counted last. */
static void count_steps(events_run *run)
{
    phx_integrate_stats *sum = &run->counts.stats;

    if (!run->integration)
        return;
    const phx_integrate_stats *stats = phx_integration_stats(run->integration), *counted = &run->counted;
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
    run->counted = *stats;
}

void phx_events_forget(events_run *run)
{
    count_steps(run);
    phx_integration_destroy(run->integration);
    run->integration = NULL;
    run->counted = (phx_integrate_stats){0};
}

void phx_events_stand_back(events_run *run)
{
    mechanism *s = run->s;

    if (!s->dae) /* lost for want of memory */
        return;
    memcpy(s->x, run->before.x, (size_t)s->dae->n_x * sizeof *s->x);
    memcpy(s->v, run->before.v, (size_t)s->dae->n_v * sizeof *s->v);
    memcpy(s->lambda, run->before.lambda, (size_t)s->dae->n_l * sizeof *s->lambda);
    s->t = run->t;
    phx_events_recall_memory(run);
}

/* Makes the step from the accepted state to t1, as often as it is called; the result is in run->s and nothing is
 * accepted. The work of this step is in run->done. */
phx_status phx_events_step_to(events_run *run, double t1)
{
    mechanism *s = run->s;
    const phx_dae *dae = s->dae;
    phx_status status = run->integration ? PHX_OK : steps_begin(run);

    if (status)
        return status;
    const phx_sample start = {.t = run->t, .x = run->before.x, .v = run->before.v, .lambda = run->before.lambda};
    phx_integration_rewind(run->integration, &start);
    phx_events_recall_memory(run); /* a step is made more than once */
    status = phx_friction_direct(run, t1 - run->t);
    if (!status)
        status = phx_integration_advance(run->integration, t1 - run->t);
    const phx_sample *end = phx_integration_sample(run->integration);
    memcpy(s->x, end->x, (size_t)dae->n_x * sizeof *s->x);
    memcpy(s->v, end->v, (size_t)dae->n_v * sizeof *s->v);
    memcpy(s->lambda, end->lambda, (size_t)dae->n_l * sizeof *s->lambda);
    s->t = status ? end->t : t1;
    run->done.call_work = end->work;
    memcpy(run->done.call, end->ledger, (size_t)run->done.n_ledger * sizeof *run->done.call);
    return status;
}

/* ---- conditions ---- */
static double condition(const phx_event *event, double value)
{
    return event->falls ? event->value - value : value - event->value;
}

/* Evaluates all conditions at the state in run->s: values[] of events, friction elements and contacts. A condition is
 * met when its value rises through zero. */
phx_status phx_events_look(events_run *run, double *values)
{
    mechanism *s = run->s;
    phx_dae *dae = s->reader;
    phx_status status = run->by_outputs ? phx_system_outputs(dae, s->t, s->x, s->v, run->columns) : PHX_OK;

    for (int k = 0; k < run->n_events && !status; k++)
        values[k] = run->def.events[k].column >= 0
                        ? condition(&run->def.events[k], run->columns[run->def.events[k].column])
                        : s->t - run->def.events[k].value;
    if (!status && run->frictions.n + run->contacts.n > 0)
        status = phx_system_set_valued(dae, s->t, s->x, s->v, run->contacts.contact, run->frictions.friction);
    phx_friction_conditions(run, values + run->n_events);
    phx_contacts_conditions(run, values + run->n_events + run->frictions.n);
    return status;
}

double phx_events_armed_value(const events_run *run, int k, double value)
{
    static const double ROUNDED = 1e-9, TOLERANCES = 10.0;
    event_state *event = &run->event[k];
    const double error = fmax(ROUNDED, TOLERANCES * run->def.options.rtol);

    if (k >= run->n_events)
        return value;
    event->largest = fmax(event->largest, fabs(value));
    return event->value >= 0.0 && value < 0.0 && value > -error * event->largest ? 0.0 : value;
}

/* Accepts the state in run->s with its work; the values become the ones that the next step is compared with. */
phx_status phx_events_accept(events_run *run, const double *values)
{
    const mechanism *s = run->s;

    memcpy(run->before.x, s->x, (size_t)s->dae->n_x * sizeof *run->before.x);
    memcpy(run->before.v, s->v, (size_t)s->dae->n_v * sizeof *run->before.v);
    memcpy(run->before.lambda, s->lambda, (size_t)s->dae->n_l * sizeof *run->before.lambda);
    run->t = s->t;
    phx_events_keep_memory(run);
    run->done.work.supplied += run->done.call_work.supplied;
    run->done.work.dissipated += run->done.call_work.dissipated;
    for (int k = 0; k < run->done.n_ledger; k++)
        run->done.ledger[k] += run->done.call[k];
    for (int k = 0; k < run->n; k++)
        run->event[k].value = phx_events_armed_value(run, k, values[k]);
    count_steps(run);
    phx_contacts_accepted(run);
    return phx_friction_head(run);
}

bool phx_events_happens(const events_run *run, int k, double value)
{
    return !phx_events_at_time(run, k) && run->event[k].value < 0.0 && value >= 0.0;
}
