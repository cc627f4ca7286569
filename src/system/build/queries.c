/* Questions to a system: sizes, names, offsets. */
#include "build.h"

#include <math.h>
#include <string.h>

phx_context *phx_system_context(const phx_system *system)
{
    return system ? system->context : NULL;
}

int phx_system_dim(const phx_system *system)
{
    return system ? system->dim : 0;
}
int phx_system_bodies(const phx_system *system)
{
    return system ? system->n_bodies : 0;
}
int phx_system_joints(const phx_system *system)
{
    return system ? system->n_joints : 0;
}
const phx_body *phx_system_body(const phx_system *system, phx_body_id id)
{
    if (!system || id < 0 || id >= system->n_bodies)
        return NULL;
    return system->bodies[id].body;
}
const phx_flex_source *phx_system_source(const phx_system *system, phx_body_id id)
{
    if (!system || id < 0 || id >= system->n_bodies)
        return NULL;
    return system->bodies[id].source;
}
const phx_beam *phx_system_beam(const phx_system *system, phx_body_id id)
{
    const phx_flex_source *source = phx_system_source(system, id);
    return source && phx_flex_source_has_sections(source) ? source : NULL;
}
double phx_system_gravity(const phx_system *system)
{
    return system ? hypot(hypot(system->gravity[0], system->gravity[1]), system->gravity[2]) : 0.0;
}
static bool joint_has(const phx_system *system, phx_joint_id id, row_role role)
{
    if (!system || id < 0 || id >= system->n_joints)
        return false;
    for (int r = system->joints[id].first_row; r < system->rows.n && system->rows.slot[r].joint == id; r++)
        if (system->rows.slot[r].role == role)
            return true;
    return false;
}
bool phx_system_joint_holds(const phx_system *system, phx_joint_id id)
{
    return joint_has(system, id, ROW_CONSTRAINT);
}
bool phx_system_joint_drives(const phx_system *system, phx_joint_id id)
{
    return joint_has(system, id, ROW_DRIVEN);
}
const char *phx_system_joint_name(const phx_system *system, phx_joint_id id)
{
    if (!system || id < 0 || id >= system->n_joints)
        return NULL;
    return system->joints[id].name;
}
int phx_system_n_x(const phx_system *system)
{
    return system ? system->n_x : 0;
}
int phx_system_n_v(const phx_system *system)
{
    return system ? system->n_v : 0;
}
int phx_system_n_l(const phx_system *system)
{
    return system ? system->rows.n_independent : 0;
}
void phx_system_offsets(const phx_system *system, phx_body_id id, int *x, int *v)
{
    if (!system || id < 0 || id >= system->n_bodies)
        return;
    *x = system->bodies[id].x;
    *v = system->bodies[id].v;
}
int phx_system_redundant(const phx_system *system)
{
    return system ? system->rows.n_redundant : 0;
}
void phx_system_redundant_row(const phx_system *system, int k, const char **name, int *row)
{
    if (!system || k < 0 || k >= phx_system_redundant(system))
        return;
    const row_slot *slot = &system->rows.slot[system->rows.redundant[k]];
    *name = system->joints[slot->joint].name;
    *row = slot->number + 1;
}

void phx_system_multiplier(const phx_system *system, int k, const char **name, int *row, bool *drive)
{
    if (!system || k < 0 || k >= system->rows.n_independent)
        return;
    const row_slot *slot = &system->rows.slot[system->rows.independent[k]];
    *name = system->joints[slot->joint].name;
    *row = slot->number + 1;
    *drive = slot->role == ROW_DRIVEN;
}

/* Inertial place of a port in the configuration x, dim numbers; nothing is written for invalid arguments. */
void phx_system_port_place(const phx_system *system, phx_port_id id, const double *x, double *place)
{
    if (!system || id < 0 || id >= system->n_ports || !x || !place)
        return;
    const port_slot *port = &system->ports[id];

    if (port->body == PHX_GROUND) {
        memcpy(place, port->port.point.x, (size_t)system->dim * sizeof *place);
        return;
    }
    const body_slot *slot = &system->bodies[port->body];
    const double *frame = x + slot->x + port->port.frame.x, *q = phx_sys_q(slot, x);
    double R[9], y[3];
    for (int a = 0; a < system->dim; a++) {
        y[a] = port->port.point.x[a];
        for (int k = 0; k < port->port.point.n; k++)
            y[a] += port->port.point.phi[a * port->port.point.n + k] * q[port->port.point.dof[k]];
    }
    phx_body_port_attitude(slot->body, &port->port, x + slot->x, R);
    phx_rot_apply(system->dim, R, y, place);
    for (int a = 0; a < system->dim; a++)
        place[a] += frame[a];
}
