/* Drag of a port in a wind: quadratic in the velocity against the air. */
#include "forces.h"

#include <math.h>
#include <string.h>

typedef struct drag {
    double coefficient; /* rho c_d A/2, kg/m */
} drag;

/* (F13)  F = -c |v - w| (v - w), w the wind: supplied F . w, loss -F . (v - w) = c |v - w|^3 */
static phx_status evaluate(workspace *ws, int pair, const force_slot *force, double t, bool linear, double *res)
{
    const drag *it = force->own;
    const int dim = ws->system->dim;
    const phx_port_view *port = &ws->ports.view[force->a];
    double wind[3], v[3], speed = 0.0, effort[PHX_PORT_MAX] = {0};

    (void)res;
    for (int i = 0; i < dim; i++) {
        wind[i] = phx_signal_value(force->signal[i], t);
        if (!isfinite(wind[i]))
            return phx_fail(ws->base.context, PHX_ERR_ANALYSIS,
                            "'%s': component %d of the wind is %g at t = %g s, expected a finite value", force->name,
                            i + 1, wind[i], t);
        v[i] = port->rate[i] - wind[i];
        speed += v[i] * v[i];
    }
    speed = sqrt(speed);
    for (int i = 0; i < dim; i++) {
        effort[i] = -it->coefficient * speed * v[i];
        ws->power.supplied += effort[i] * wind[i];
    }
    ws->power.dissipated += it->coefficient * speed * speed * speed;
    phx_sys_add_effort(ws, force->a, 1.0, effort);
    if (!linear || speed == 0.0)
        return PHX_OK;
    double rates[PAIR_SIZE * PAIR_SIZE] = {0};
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
            rates[i * PAIR_SIZE + j] = -it->coefficient * ((i == j ? speed : 0.0) + v[i] * v[j] / speed);
    ws->by->pair_rate_add(ws, pair, -1.0, rates);
    return PHX_OK;
}

static bool supplies(const phx_system *system, const force_slot *force)
{
    (void)system;
    return force->signal[0] || force->signal[1] || force->signal[2];
}

static bool dissipates(const phx_system *system, const force_slot *force)
{
    (void)system, (void)force;
    return true;
}

const force_operations phx_sys_force_drag = {
    .noun = "force", .at_ports = true, .evaluate = evaluate, .supplies = supplies, .dissipates = dissipates};

phx_status phx_system_add_drag(phx_system *system, const phx_drag_def *def)
{
    if (!system || !def)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or def");
    force_slot *force = NULL;
    phx_status status = phx_sys_new_force(system, FORCE_DRAG, def->name, 1, &def->port, sizeof(drag), &force);

    for (int i = 0; i < 3; i++) {
        if (force)
            force->signal[i] = def->wind[i];
        else
            phx_signal_destroy(def->wind[i]);
    }
    if (!status && (!(def->coefficient >= 0.0) || !isfinite(def->coefficient)))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT,
                          "drag '%s': coefficient %g must be finite and not negative", def->name, def->coefficient);
    if (!status)
        *(drag *)force->own = (drag){def->coefficient};
    return phx_sys_keep_force(system, force, status);
}
