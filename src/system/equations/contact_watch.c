/* Contacts by penalty that are over within a few steps: a warning for each, once. The balance of energy closes all the
 * same, but how long a contact lasts and what it sends back are those of a few samples of it. */
#include "system/forces/forces.h"

enum { FEW = 2, ENOUGH = 20, TOLD = -1 }; /* steps that end in contact */

phx_status phx_sys_watch_contacts(phx_context *context, const phx_system *system, int **touched)
{
    bool any = false;

    for (int i = 0; i < system->n_forces; i++)
        any = any || system->forces[i].kind == FORCE_CONTACT;
    if (any)
        *touched = phx_calloc(context, (size_t)system->n_forces, sizeof **touched);
    return any && !*touched ? PHX_ERR_MEMORY : PHX_OK;
}

/* Counts for each penalty contact the successive steps with a negative gap at t1, and warns once if a contact ends
 * after FEW steps or fewer. Only intervals of the midpoint rule, whose start is t0, are counted. */
void phx_sys_look_at_contacts(workspace *ws, double t0, double t1)
{
    const phx_system *system = ws->system;

    if (!ws->forces.touched || ws->step.t0 != t0)
        return; /* not an interval of the midpoint rule */
    for (int i = 0; i < system->n_forces; i++) {
        const force_slot *force = &system->forces[i];
        int *touched = &ws->forces.touched[i];
        if (force->kind != FORCE_CONTACT || force->off || *touched == TOLD)
            continue;
        if (phx_sys_contact_gap(system, force, ws->step.x1, ws->step.v1) < 0.0) {
            ++*touched;
            continue;
        }
        if (*touched > 0 && *touched <= FEW) {
            phx_log(
                ws->base.context, PHX_LOG_WARNING,
                "contact '%s': one that ended at t = %.9g s took %d step%s of %.3g s, too few to see how long it lasts "
                "and what it sends back; take steps of %.1g s at most",
                force->name, t0, *touched, *touched > 1 ? "s" : "", t1 - t0, (t1 - t0) * *touched / ENOUGH);
            *touched = TOLD;
        } else {
            *touched = 0;
        }
    }
}
