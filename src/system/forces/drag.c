/* Drag of a port in a wind: quadratic in the velocity against the air. */
#include "forces.h"

#include <math.h>
#include <string.h>

typedef struct drag {
    double coefficient; /* rho c_d A/2, kg/m */
} drag;

/* (F13)  F = -c |v - w| (v - w), w the wind: supplied F . w, loss -F . (v - w) = c |v - w|^3 */
static phx_status drag_evaluate(workspace *ws, int pair, const force_slot *force, double t, bool linear, double *res)
{
    const drag *drag_force = force->own;
    const int dim = ws->system->dim;
    const phx_port_view *port = &ws->ports.view[force->a];
    double wind[3], v[3], speed = 0.0, effort[PHX_PORT_MAX] = {0};

    (void)res;
    const phx_status status = phx_sys_air_wind(ws, force, t, wind);
    if (status)
        return status;
    for (int i = 0; i < dim; i++) {
        v[i] = port->rate[i] - wind[i];
        speed += v[i] * v[i];
    }
    speed = sqrt(speed);
    for (int i = 0; i < dim; i++) {
        effort[i] = -drag_force->coefficient * speed * v[i];
        ws->forces.power.supplied += effort[i] * wind[i];
    }
    ws->forces.power.dissipated += drag_force->coefficient * speed * speed * speed;
    phx_sys_add_effort(ws, force->a, 1.0, effort);
    if (!linear || speed == 0.0)
        return PHX_OK;
    double rates[PAIR_SIZE * PAIR_SIZE] = {0};
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
            rates[i * PAIR_SIZE + j] = -drag_force->coefficient * ((i == j ? speed : 0.0) + v[i] * v[j] / speed);
    ws->by->pair_rate_add(ws, pair, -1.0, rates);
    return PHX_OK;
}

PHX_SYS_WRITTEN(drag, 8);
static void drag_archive(phx_archive *archive, phx_system *system, force_slot *force)
{
    phx_sys_archive_ports(archive, system, 1, force);
    drag *drag_force = phx_sys_archive_own(archive, sizeof *drag_force, force);
    if (drag_force)
        phx_archive_double(archive, &drag_force->coefficient);
}

const force_operations phx_sys_force_drag = {.noun = "force",
                                             .at_ports = true,
                                             .archive = drag_archive,
                                             .evaluate = drag_evaluate,
                                             .supplies = phx_sys_air_blows,
                                             .dissipates = phx_sys_force_always};

phx_status phx_system_add_drag(phx_system *system, const phx_drag_def *def)
{
    if (!system || !def)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or def");
    force_slot *force = NULL;
    phx_status status = phx_sys_new_force(system, FORCE_DRAG, def->name, 1, &def->port, sizeof(drag), &force);

    status = phx_sys_air_take(system, force, "drag", def->name, def->coefficient, def->wind, status);
    if (!status)
        *(drag *)force->own = (drag){def->coefficient};
    return phx_sys_keep_force(system, force, status);
}
