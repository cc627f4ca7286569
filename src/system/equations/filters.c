/* Numerical damping of the bodies' deformations (src/body/floating/filter.c) over the intervals of a workspace. */
#include "system/system_internal.h"

#include <string.h>

/* Sets the numerical damping of the bodies' deformations by its spectral radius at infinite frequency; 1 removes the
 * damping. Needs the plain evaluator and floating bodies. */
phx_status phx_system_spectral_radius(phx_dae *dae, double radius)
{
    if (!dae)
        return phx_fail_null(NULL, __func__, "dae");
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;

    if (!(radius >= 0.0 && radius <= 1.0))
        return phx_fail(dae->context, PHX_ERR_ARGUMENT, "a spectral radius of %g; it must be between 0 and 1", radius);
    if (radius < 1.0 && ws->by != &phx_plain_evaluator)
        return phx_fail(dae->context, PHX_ERR_UNSUPPORTED,
                        "a spectral radius below 1 is for the plain evaluator; make the dae with PHX_BACKEND_PLAIN");
    if (radius < 1.0 && system->traits.slides)
        return phx_system_check_floating(dae->context, system, "numerical damping", "leave out the spectral radius");
    phx_sys_filters_free(ws);
    if (radius == 1.0)
        return phx_conclude(dae->context, PHX_OK);
    ws->damping.radius = radius;
    ws->damping.filters = phx_calloc(dae->context, (size_t)system->n_bodies, sizeof *ws->damping.filters);
    phx_status status = ws->damping.filters ? PHX_OK : PHX_ERR_MEMORY;
    for (int b = 0; b < system->n_bodies && !status; b++)
        status = phx_filter_create(dae->context, system->bodies[b].body, radius, &ws->damping.filters[b]);
    if (status)
        phx_sys_filters_free(ws);
    dae->filtered = !status;
    return phx_conclude(dae->context, status);
}

void phx_sys_filters_free(workspace *ws)
{
    for (int b = 0; b < ws->system->n_bodies && ws->damping.filters; b++)
        phx_filter_destroy(ws->damping.filters[b]);
    phx_free(ws->damping.filters);
    ws->damping.filters = NULL;
    ws->base.filtered = false;
}

void phx_sys_filters_begin(workspace *ws)
{
    for (int b = 0; b < ws->system->n_bodies && ws->damping.filters; b++)
        if (ws->damping.filters[b])
            phx_filter_begin(ws->damping.filters[b], ws->view.h);
}

phx_status phx_sys_filters_residual(workspace *ws, double *res)
{
    phx_status status = PHX_OK;

    for (int b = 0; b < ws->system->n_bodies && ws->damping.filters && !status; b++) {
        const phx_body_view view = phx_sys_body_view(ws, b);
        if (ws->damping.filters[b])
            status = phx_filter_residual(ws->damping.filters[b], &view, res + ws->system->bodies[b].v);
    }
    return status;
}

/* Velocities at the end of the solved interval, theory 4 (9), then the numerical damping. */
phx_status phx_sys_op_interval_finish(phx_dae *dae, double *v1, phx_work *work)
{
    workspace *ws = (workspace *)dae;
    phx_status status = PHX_OK;

    for (int b = 0; b < ws->system->n_bodies; b++) {
        const body_slot *slot = &ws->system->bodies[b];
        phx_body_interval_finish(slot->body, ws->view.h, ws->step.v0 + slot->v, v1 + slot->v);
    }
    memcpy(ws->step.v1, v1, (size_t)ws->system->n_v * sizeof *v1); /* the next interval goes on from it */
    status = phx_sys_note_turns(ws, v1);
    for (int b = 0; b < ws->system->n_bodies && ws->damping.filters && !status; b++) {
        const body_slot *slot = &ws->system->bodies[b];
        const phx_body_view view = phx_sys_body_view(ws, b);
        double lost = 0.0;
        if (ws->damping.filters[b])
            status = phx_filter_finish(ws->damping.filters[b], &view, v1 + slot->v, &lost);
        work->dissipated += lost;
        if (slot->numerical >= 0 && ws->base.n_parts > 0)
            ws->base.parts[slot->numerical] += lost;
    }
    return status;
}

void phx_sys_op_keep(phx_dae *dae)
{
    const workspace *ws = (const workspace *)dae;

    for (int b = 0; b < ws->system->n_bodies; b++)
        if (ws->damping.filters[b])
            phx_filter_keep(ws->damping.filters[b]);
}

void phx_sys_op_take_memory(phx_dae *dae, const phx_dae *from)
{
    const workspace *to = (const workspace *)dae, *other = (const workspace *)from;

    for (int b = 0; b < to->system->n_bodies; b++)
        if (to->damping.filters[b])
            phx_filter_copy(to->damping.filters[b], other->damping.filters[b]);
}
