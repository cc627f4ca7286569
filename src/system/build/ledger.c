/* The power ledger: which load, drive, actuator, spring, damper and body supplies or takes how much of what phx_work
 * sums up. Entries that supply come first, then those that take. */
#include "system/forces/forces.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool has_effort(const joint_slot *joint)
{
    for (int c = 0; c < joint->n_coordinates; c++)
        if (joint->coordinates[c].def.effort || joint->coordinates[c].def.speed || joint->coordinates[c].def.motor)
            return true;
    return false;
}

static bool has_damper(const joint_slot *joint)
{
    for (int c = 0; c < joint->n_coordinates; c++)
        if (phx_scalar_force_dissipates(&joint->coordinates[c].along))
            return true;
    return false;
}

/* One more, when there is a cause for it; its number or -1. */
static int ledger_add(phx_system *system, bool is_there, const char *kind, const char *name, bool dissipates)
{
    if (!is_there)
        return -1;
    if (system->ledger.entry)
        system->ledger.entry[system->ledger.n] = (ledger_entry){kind, name, dissipates};
    return system->ledger.n++;
}

/* Joints, springs, loads, controllers, bodies, in their order. */
static void list(phx_system *system, bool dissipates)
{
    for (int j = 0; j < system->n_joints; j++) {
        joint_slot *joint = &system->joints[j];
        joint->entry[dissipates] = joint->contact
                                       ? ledger_add(system, dissipates, "force", joint->name, dissipates)
                                       : ledger_add(system, dissipates ? has_damper(joint) : has_effort(joint), "joint",
                                                    joint->name, dissipates);
    }
    for (int i = 0; i < system->n_forces; i++) {
        force_slot *force = &system->forces[i];
        const force_operations *of = phx_sys_force_of(force);
        if (force->kind == FORCE_COORDINATE)
            force->entry[dissipates] = system->joints[force->joint].entry[dissipates];
        else
            force->entry[dissipates] =
                ledger_add(system, dissipates ? of->dissipates(system, force) : of->supplies(system, force), of->noun,
                           force->name, dissipates);
    }
    for (int c = 0; c < system->control.n; c++) {
        controller_slot *controller = &system->control.slot[c];
        if (phx_block_stores(controller->block) == dissipates)
            controller->entry = ledger_add(system, true, "controller", controller->name, dissipates);
    }
    for (int i = 0; i < system->ledger.n_events && dissipates; i++)
        system->ledger.event_entry[i] = ledger_add(system, true, "event", system->ledger.events[i], dissipates);
    for (int b = 0; b < system->n_bodies && dissipates; b++)
        system->bodies[b].numerical =
            ledger_add(system, system->ledger.numerical && phx_body_deforms(system->bodies[b].body), "numerical",
                       phx_body_name(system->bodies[b].body), dissipates);
    for (int b = 0; b < system->n_bodies && dissipates; b++)
        system->bodies[b].entry = ledger_add(system, !phx_body_is_lossless(system->bodies[b].body), "body",
                                             phx_body_name(system->bodies[b].body), dissipates);
}

phx_status phx_sys_ledger_create(phx_system *system)
{
    for (int pass = 0; pass < 2; pass++) { /* counting, then writing */
        if (pass == 1)
            system->ledger.entry = phx_calloc(system->context, (size_t)system->ledger.n, sizeof *system->ledger.entry);
        if (pass == 1 && !system->ledger.entry)
            return PHX_ERR_MEMORY;
        system->ledger.n = 0;
        list(system, false);
        list(system, true);
    }
    return PHX_OK;
}

phx_status phx_system_expect_event(phx_system *system, const char *name)
{
    const size_t n = (size_t)system->ledger.n_events + 1;
    char **names = phx_realloc(system->context, system->ledger.events, n, sizeof *names);
    if (names)
        system->ledger.events = names;
    int *entries = names ? phx_realloc(system->context, system->ledger.event_entry, n, sizeof *entries) : NULL;
    if (entries)
        system->ledger.event_entry = entries;
    if (!names || !entries || !(names[n - 1] = phx_strdup(system->context, name)))
        return PHX_ERR_MEMORY;
    system->ledger.n_events++;
    return PHX_OK;
}

int phx_system_event_entry(const phx_system *system, int event)
{
    return system->ledger.event_entry[event];
}

int phx_system_ledger(const phx_system *system)
{
    return system->ledger.n;
}

void phx_system_ledger_name(const phx_system *system, int entry, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s.%s", system->ledger.entry[entry].kind, system->ledger.entry[entry].name);
}

bool phx_system_ledger_dissipates(const phx_system *system, int entry)
{
    return system->ledger.entry[entry].dissipates;
}

/* ---- booking ---- */
static int drive_entry(const workspace *ws, int k)
{
    const row_slot *row = &ws->system->rows.slot[ws->rows.index[k]];
    return ws->rows.row[k].speed ? ws->system->joints[row->joint].entry[0] : -1;
}

/* parts = h (flow, and lambda w of each drive) */
void phx_sys_ledger_work(workspace *ws, double h, const double *lambda)
{
    double *parts = ws->base.parts;

    for (int i = 0; i < ws->system->ledger.n; i++)
        parts[i] = h * ws->forces.flow[i];
    for (int k = 0; k < ws->rows.n && ws->system->ledger.n > 0; k++) {
        const int entry = drive_entry(ws, k);
        if (entry >= 0)
            parts[entry] += h * lambda[k] * ws->rows.w[k];
    }
}

void phx_sys_ledger_nothing(workspace *ws)
{
    for (int i = 0; i < ws->base.n_parts; i++)
        ws->base.parts[i] = 0.0;
}

/* mu (w + e/2) of each drive, mu: the rows of dv. Where drives prescribe the whole motion of a component, the rest of
 * its supply is shared among them as |mu e|. */
void phx_sys_ledger_project(workspace *ws, const double *dv, const double *e)
{
    const phx_system *system = ws->system;
    double *rest = ws->projection.taken, *total = ws->projection.signal_work;

    phx_sys_ledger_nothing(ws);
    memcpy(rest, ws->projection.supply, (size_t)system->components.n * sizeof *rest);
    memset(total, 0, (size_t)system->components.n * sizeof *total);
    for (int k = 0; k < ws->rows.n; k++) {
        const int entry = drive_entry(ws, k), component = system->rows.slot[ws->rows.index[k]].component;
        if (entry < 0)
            continue;
        const double mu = dv[ws->kkt.n_v + k];
        const double work = mu * (ws->rows.w[k] + 0.5 * e[k]);
        ws->base.parts[entry] += work;
        rest[component] -= work;
        total[component] += fabs(mu * e[k]) + DBL_MIN;
    }
    for (int k = 0; k < ws->rows.n; k++) {
        const int entry = drive_entry(ws, k), component = system->rows.slot[ws->rows.index[k]].component;
        if (entry >= 0)
            ws->base.parts[entry] +=
                rest[component] * ((fabs(dv[ws->kkt.n_v + k] * e[k]) + DBL_MIN) / total[component]);
    }
}
