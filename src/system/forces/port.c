/* Forces and torques at a port. */
#include "forces.h"

/* Adds the efforts and power of a load at a port, scaled by ws->forces.load. */
static phx_status port_evaluate(workspace *ws, int pair, const force_slot *force, double t, bool linear, double *res)
{
    static const phx_load_result nothing = {0};
    phx_load_result result = {0};
    const phx_status status =
        phx_port_load_evaluate(ws->base.context, &force->load, &ws->ports.view[force->a], t, linear, &result);

    (void)res;
    if (status)
        return phx_fail_prefix(ws->base.context, status, "'%s': ", force->name);
    if (ws->forces.load != 1.0)
        phx_sys_take_part(ws->forces.load, &nothing, &result);
    phx_sys_take_result(ws, pair, force, linear, &result);
    return PHX_OK;
}

static void port_archive(phx_archive *archive, phx_system *system, force_slot *force)
{
    int kind = (int)force->load.kind;

    phx_sys_archive_ports(archive, system, 1, force);
    phx_archive_choice(archive, PHX_LOAD_TORQUE, &kind);
    force->load.kind = (phx_load_kind)kind;
    phx_archive_bool(archive, &force->load.follower);
    phx_archive_doubles(archive, 9, force->load.rotation);
    for (int k = 0; k < 3; k++)
        force->load.component[k] = force->signal[k];
}

/* A force that follows its port, a torque in space. */
static bool circulatory(const phx_system *system, const force_slot *force, double t)
{
    bool acts = false;

    for (int a = 0; a < 3; a++)
        acts = acts || phx_signal_value(force->signal[a], t) != 0.0;
    return acts && (force->load.follower || (force->load.kind == PHX_LOAD_TORQUE && system->dim == 3));
}

const force_operations phx_sys_force_port = {.noun = "load",
                                             .at_ports = true,
                                             .outside = true,
                                             .archive = port_archive,
                                             .evaluate = port_evaluate,
                                             .supplies = phx_sys_force_always,
                                             .dissipates = phx_sys_force_never,
                                             .circulatory = circulatory};
