/* Ports without directions, single nodes of solids: what needs directions cannot act there. */
#include "system/system_internal.h"

#include <stdio.h>

/* Error for an element that needs directions at a port which is a single node of a solid. */
static phx_status directions_refuse(const phx_system *system, const char *what, const char *name, phx_port_id id,
                                    const char *remedy)
{
    const port_slot *port = &system->ports[id];
    const char *body = phx_body_name(system->bodies[port->body].body);
    char place[24];

    snprintf(place, sizeof place, "node %d", port->location.node);
    return phx_fail(system->context, PHX_ERR_ARGUMENT,
                    "%s '%s': port %s of body '%s' is a single node, which moves but does not turn; take a port on a "
                    "set of nodes%s",
                    what, name,
                    port->location.sort == PHX_LOCATION_NAME ? phx_shown_text(port->location.name).text : place, body,
                    remedy);
}

static bool has_directions(const phx_system *system, phx_port_id id)
{
    return !system->ports[id].port.point.without_directions;
}

/* A coordinate that something acts along. */
static bool is_used(const phx_coordinate_def *def)
{
    return def->has_start || def->has_rate || def->speed || def->effort || def->stiffness > 0.0 || def->damping > 0.0;
}

static phx_status check_row(const phx_system *system, const joint_slot *joint, const phx_row *row)
{
    static const char remedy[] = ", or a spherical joint";

    if (row->kind != PHX_ROW_POINT && !has_directions(system, joint->a))
        return directions_refuse(system, "joint", joint->name, joint->a, remedy);
    if (phx_row_is_angular(row) && !has_directions(system, joint->b))
        return directions_refuse(system, "joint", joint->name, joint->b, remedy);
    return PHX_OK;
}

phx_status phx_sys_check_joint_directions(const phx_system *system, const joint_slot *joint)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < joint->n_constraints && !status; k++)
        status = check_row(system, joint, &joint->constraints[k]);
    for (int c = 0; c < joint->n_coordinates && !status; c++)
        if (is_used(&joint->coordinates[c].def))
            status = check_row(system, joint, &joint->coordinates[c].row);
    return status;
}

phx_status phx_sys_check_load_directions(const phx_system *system, const phx_load_def *def)
{
    if (has_directions(system, def->port) || (def->kind != PHX_LOAD_TORQUE && !def->follower))
        return PHX_OK;
    return directions_refuse(system, "load", def->name, def->port,
                             def->kind == PHX_LOAD_TORQUE ? "" : ", or a force in inertial components");
}
