/* The energy of the closed loop where controllers shape it:
 *     H_d = H + sum V_c(y_c),   dH_d/dt = supplied - dissipated + sum V_c'(y_c) y_c' ,
 * H with the energies of port-Hamiltonian controllers, `supplied` with the power of the others, u_c y_c'. With nothing
 * else that supplies the rate is -sum kd y_c'^2 less what the mechanism loses. */
#include "system/system_internal.h"

#include <string.h>

/* The measurement is the coordinate (or, `rate`, its rate) that the actuation is along. */
static bool is_along(const phx_system *system, const measure *gauge, const actuation *act, bool rate)
{
    if (gauge->kind == (rate ? MEASURE_RATE : MEASURE_COORDINATE))
        return gauge->joint == act->joint && gauge->coordinate == act->coordinate;
    if (gauge->kind != MEASURE_OUTPUT)
        return false;
    const phx_output_def *def = &system->channels.outputs[gauge->output].def;
    return def->quantity == (rate ? PHX_QUANTITY_RATE : PHX_QUANTITY_COORDINATE) && def->joint == act->joint &&
           gauge->component == act->coordinate;
}

static bool shapes(const phx_system *system, const controller_slot *slot)
{
    const actuation *act = &system->control.actuations[slot->first_output];

    return phx_block_shapes(slot->block) && act->joint >= 0 && is_along(system, &slot->inputs[0], act, false) &&
           (slot->n_inputs == 1 || is_along(system, &slot->inputs[1], act, true));
}

/* Returns true if every controller shapes or stores energy and at least one shapes it, so that the energy H_d of the
 * closed loop is defined. */
bool phx_sys_is_shaped(const phx_system *system)
{
    bool any = false;

    for (int c = 0; c < system->control.n; c++) {
        const controller_slot *slot = &system->control.slot[c];
        const bool own = shapes(system, slot);
        if (!own && !phx_block_stores(slot->block))
            return false;
        if (strcmp(slot->name, PHX_SYS_CLOSED_LOOP) == 0) /* its columns would have the names of others */
            return false;
        any = any || own;
    }
    return any;
}

bool phx_system_is_shaped(const phx_system *system)
{
    return system && phx_sys_is_shaped(system);
}

/* Energy H_d of the closed loop and its rate at a state (equations at the top), in values[0] and values[1]. */
phx_status phx_sys_shaped(workspace *ws, double t, const double *x, const double *v, double values[PHX_SYS_SHAPED])
{
    const phx_system *system = ws->system;
    double *lambda = ws->scratch.multipliers, supplied, dissipated;
    phx_energies e;
    phx_status status = PHX_OK;

    memset(lambda, 0, (size_t)ws->rows.n * sizeof *lambda);
    if (phx_system_drives(system) > 0 || system->traits.rubs) /* else no power depends on them */
        status = phx_sys_op_accelerations(&ws->base, t, x, v, ws->step.v1, lambda);
    if (!status)
        status = ws->base.ops->power(&ws->base, t, x, v, lambda, &supplied, &dissipated);
    if (status)
        return status;
    phx_sys_set_instant(ws, x, v);
    phx_system_energies(system, x, v, &e);
    values[0] = phx_total_energy(&e);
    values[1] = supplied - dissipated;
    for (int c = 0; c < system->control.n; c++) {
        const controller_slot *slot = &system->control.slot[c];
        const actuation *act = &system->control.actuations[slot->first_output];
        if (!shapes(system, slot))
            continue;
        const double y = phx_sys_coordinate_value(ws, act->joint, act->coordinate, 1);
        values[0] += phx_block_potential(slot->block, y);
        values[1] += phx_block_derivative(slot->block, y) * phx_sys_coordinate_rate(ws, act->joint, act->coordinate);
    }
    return PHX_OK;
}
