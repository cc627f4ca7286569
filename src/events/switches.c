/* Actions of events: joints begin to hold or let go, an impulse puts the velocities on those that hold, and what that
 * takes is booked. */
#include "run.h"

#include <string.h>

void phx_events_destroy_daes(const phx_events_def *def)
{
    if (def->before_renewal)
        def->before_renewal(def->owner);
    phx_system_dae_destroy(*def->dae);
    phx_system_dae_destroy(*def->reader);
    *def->dae = *def->reader = NULL;
}

/* Creates both daes of the definition, for the steps and for reading outputs, for the present structure of the system.
 * After an error neither exists. */
phx_status phx_events_renew_daes(phx_context *context, const phx_events_def *def)
{
    phx_events_destroy_daes(def);
    const bool damped = def->spectral_radius < 1.0;
    phx_status status = phx_system_dae_with(def->system, context, damped ? PHX_BACKEND_PLAIN : def->backend, def->dae);

    if (!status)
        status = phx_system_threads(*def->dae, def->threads);
    if (!status && damped) /* its memories begin anew */
        status = phx_system_spectral_radius(*def->dae, def->spectral_radius);
    if (!status)
        status = phx_system_dae(def->system, context, def->reader);
    if (status) /* both, or none */
        phx_events_destroy_daes(def);
    return status;
}

/* Takes the new daes into the run and allocates multipliers of their size. After an error both daes are destroyed. */
phx_status phx_events_take_daes(events_run *run)
{
    mechanism *s = run->s;

    s->dae = *run->def.dae;
    s->reader = *run->def.reader;
    phx_free(s->lambda);
    phx_free(run->before.lambda);
    s->lambda = phx_calloc(run->context, (size_t)s->dae->n_l, sizeof *s->lambda);
    run->before.lambda = phx_calloc(run->context, (size_t)s->dae->n_l, sizeof *run->before.lambda);
    const phx_status status = s->lambda && run->before.lambda ? phx_events_begin_memory(run) : PHX_ERR_MEMORY;
    if (!status)
        return PHX_OK;
    phx_events_destroy_daes(&run->def);
    s->dae = s->reader = NULL;
    return status;
}

/* New rows: everything that knows the old ones is made again. */
phx_status phx_events_renew(events_run *run, int count, const phx_switch *changes)
{
    mechanism *s = run->s;

    phx_events_forget(run);
    phx_events_destroy_daes(&run->def);
    s->dae = s->reader = NULL;
    phx_status status = phx_system_switch(s->system, count, changes, s->x);
    if (!status)
        status = phx_events_renew_daes(run->context, &run->def);
    return status ? status : phx_events_take_daes(run);
}

static phx_status switch_forces(const phx_event *event, phx_system *system)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < event->n_off && !status; k++)
        status = phx_system_switch_force(system, event->off[k], false);
    for (int k = 0; k < event->n_on && !status; k++)
        status = phx_system_switch_force(system, event->on[k], true);
    return status;
}

/* Whether joint j holds after the first `count` changes. */
static bool holds_after(const phx_system *system, int j, int count, const phx_switch *changes)
{
    for (int i = count - 1; i >= 0; i--)
        if (changes[i].joint == j)
            return changes[i].holds;
    return phx_system_joint_holds(system, j);
}

/* Switches the forces and joints of an event and rebuilds the equations; a released joint keeps its drive state only if
 * it still holds. */
static phx_status switch_joints(events_run *run, const phx_event *event)
{
    const int all = event->n_attach + event->n_release + event->n_undrive;
    phx_switch *changes = phx_calloc(run->context, (size_t)all, sizeof *changes);
    if (!changes)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < all; i++) {
        const int j = event->joints[i];
        const bool attach = i < event->n_attach, release = !attach && i < event->n_attach + event->n_release;
        const bool holds = attach || (!release && holds_after(run->s->system, j, i, changes));
        changes[i] = (phx_switch){.joint = j, .holds = holds, .drives = attach};
    }
    phx_status status = switch_forces(event, run->s->system);
    if (!status)
        status = phx_events_renew(run, all, changes);
    phx_free(changes);
    return status;
}

phx_status phx_events_settle(events_run *run, int which)
{
    const int number = which - run->n_events, contact = which < 0 ? -1 : number - run->frictions.n;
    const int friction = which < 0 || contact >= 0 ? -1 : number;
    const bool of_contact = friction >= 0 && run->frictions.friction[friction].contact >= 0;
    phx_status status = phx_contacts_settle(run, contact, of_contact ? friction : -1);
    if (!status)
        status = phx_friction_settle(run, friction);
    return status;
}

phx_status phx_events_let_go(events_run *run)
{
    const phx_status status = phx_friction_let_go(run);
    return status ? status : phx_contacts_let_go(run);
}

/* Contacts and friction let go, joints and drives take an impulse to the rates at t, and contacts and friction settle
 * again; the work is booked. */
phx_status phx_events_take_jump(events_run *run, double t)
{
    mechanism *s = run->s;
    phx_work work = {0.0, 0.0};

    s->t = run->t = t;
    run->half_done = true;
    phx_status status = phx_events_let_go(run);
    if (!status)
        status = phx_system_impulse(s->dae, t, s->x, s->v, &work);
    if (!status) {
        memcpy(run->before.v, s->v, (size_t)s->dae->n_v * sizeof *run->before.v);
        run->done.work.supplied += work.supplied;
        run->done.work.dissipated += work.dissipated;
        status = phx_events_settle(run, -1);
    }
    run->half_done = status != PHX_OK;
    return status;
}

/* Executes event k: switches, puts the velocities on newly attached joints by an impulse, and books the energy that is
 * lost. */
static phx_status happen(events_run *run, int k)
{
    const phx_event *event = &run->def.events[k];
    mechanism *s = run->s;
    phx_work work = {0.0, 0.0};
    phx_energies before, after;
    phx_system_energies(s->system, s->x, s->v, &before);
    phx_status status = event->n_attach > 0 ? phx_events_let_go(run) : PHX_OK;

    if (!status)
        status = switch_joints(run, event);
    phx_system_energies(s->system, s->x, s->v, &after); /* of the same state: springs that are switched */
    if (!status && event->n_attach > 0)                 /* what only lets go leaves the velocities as they are */
        status = phx_system_impulse(s->dae, s->t, s->x, s->v, &work);
    if (status)
        return phx_fail_prefix(run->context, status, "event '%s' at t = %.9g s: ", event->name, s->t);
    const double lost = work.dissipated - work.supplied + (before.potential - after.potential);
    run->done.work.dissipated += lost;
    run->done.ledger[phx_system_event_entry(s->system, k)] += lost;
    run->counts.events++;
    run->counts.event_loss += lost;
    memcpy(run->before.v, s->v, (size_t)s->dae->n_v * sizeof *run->before.v);
    phx_log(run->context, PHX_LOG_INFO, "event '%s' at t = %.12g s takes %.6g J", event->name, s->t, lost);
    return phx_events_settle(run, -1);
}

/* Executes everything that is due at this instant. `which` is what was located here. From n_events on it is a
 * transition of friction or contact (behind the events of the model in run->event), which comes first. An event of the
 * model below n_events is marked as met already and happens with the others that are, and with those whose time has
 * come. *event is set to true if an event of the model happened. */
phx_status phx_events_all_happen(events_run *run, int which, bool *event)
{
    phx_status status = PHX_OK;

    if (which >= run->n_events) {
        run->event[which].value = 0.0; /* the next crossing is searched from zero */
        status = phx_events_settle(run, which);
    }
    for (int k = 0; k < run->n_events && !status; k++) {
        event_state *one = &run->event[k];
        const bool now = phx_events_at_time(run, k) && !one->done && run->def.events[k].value <= run->t;
        if (!now && !one->met)
            continue;
        one->done = one->done || phx_events_at_time(run, k);
        one->value = 0.0;
        *event = true;
        status = happen(run, k);
    }
    return status;
}
