/* The plain evaluator: bodies. */
#include "plain.h"

void phx_plain_interval_begin(workspace *ws)
{
    for (int b = 0; b < ws->system->n_bodies; b++) {
        const body_slot *slot = &ws->system->bodies[b];
        phx_body_interval_begin(slot->body, ws->view.h, ws->step.x0 + slot->x, ws->step.v0 + slot->v,
                                ws->bodies.products[b]);
    }
    phx_sys_filters_begin(ws);
}

/* nu_mean = (nu_0 + nu_1)/2;  x_1 = x_0 (+) h nu_mean;  res = (p_1 - p_0)/h - mean forces, theory 4 (1) and (2). */
void phx_plain_move(workspace *ws, const double *v1, double *res)
{
    const phx_system *system = ws->system;

    for (int i = 0; i < system->n_v; i++) {
        ws->step.v1[i] = v1[i];
        ws->step.vm[i] = 0.5 * (ws->step.v0[i] + v1[i]);
    }
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const phx_body_view view = phx_sys_body_view(ws, b);
        phx_body_move(slot->body, ws->view.h, ws->step.x0 + slot->x, ws->step.low0 + slot->x, ws->step.vm + slot->v,
                      ws->step.x1 + slot->x, ws->step.low1 + slot->x, ws->step.xm + slot->x);
        if (res)
            phx_body_interval_residual(slot->body, system->gravity, &view, res + slot->v);
    }
}

void phx_plain_kinetic_energies(const workspace *ws, const double *x, const double *v)
{
    for (int b = 0; b < ws->system->n_bodies; b++) {
        const body_slot *slot = &ws->system->bodies[b];
        ws->bodies.energy[b] = x ? phx_body_kinetic(slot->body, x + slot->x, v + slot->v)
                                 : phx_body_kinetic_undeformed(slot->body, v + slot->v);
    }
}

void phx_plain_linearise_bodies(workspace *ws)
{
    for (int b = 0; b < ws->system->n_bodies; b++) {
        const phx_body *body = ws->system->bodies[b].body;
        const phx_body_view view = phx_sys_body_view(ws, b);
        const int *ptr = NULL, *idx = NULL, *at = ws->kkt.body_at[b];
        phx_body_pattern(body, &ptr, &idx);
        phx_body_interval_linearise(body, ws->system->gravity, &view, ws->bodies.D, ws->bodies.M);
        if (ws->damping.filters && ws->damping.filters[b])
            phx_filter_linearise(ws->damping.filters[b], ws->view.h, ws->bodies.M);
        for (int k = 0; k < ptr[phx_body_n_v(body)]; k++)
            ws->values.val[at[k]] += ws->bodies.M[k];
    }
}

/* Residual of an interval for the end velocities v1 and multipliers lambda: momentum balance over the first n_v
 * entries, row rates less prescribed rates behind them, theory 4 (2) and (3). res may be NULL: the state at the end is
 * then updated and the forces are evaluated without a residual. */
phx_status phx_plain_interval_residual(workspace *ws, const double *v1, const double *lambda, double *res)
{
    phx_status status = PHX_OK;

    phx_plain_move(ws, v1, res);
    if (res && ws->damping.filters)
        status = phx_sys_filters_residual(ws, res);
    if (status)
        return status;
    phx_sys_begin_angles(ws);
    phx_plain_view_ports(ws);
    phx_sys_unwrap_angles(ws, ws->step.x1);
    status = phx_sys_forces(ws, ws->step.t0 + 0.5 * ws->view.h, false, res ? res : ws->scratch.vector[3]);
    if (!status && res)
        phx_plain_rows_residual(ws, ws->step.t0, ws->view.h, lambda, res);
    return status;
}

void phx_plain_component_energies(workspace *ws, const component_slot *component, const double *x, const double *v)
{
    for (int i = 0; i < component->count; i++) {
        const int b = ws->system->components.bodies[component->first + i];
        const body_slot *slot = &ws->system->bodies[b];
        ws->bodies.energy[b] = phx_body_kinetic(slot->body, x + slot->x, v + slot->v);
    }
}
