/* Wheels: coordinates of their own that joints turn by exact gears, for the inertia of rotors and for joints that
 * follow each other.
 *
 *     q(A, B) = ratio s        a WHEEL row of a joint that holds nothing else, s a place of the body of B
 *     s_a = s_b + rest         a POINT row between two such places                                                 */
#include "build.h"

#include "system/building.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static phx_status wheel_refuse(const phx_system *system, const joint_slot *joint, const char *why)
{
    return phx_fail(system->context, PHX_ERR_UNSUPPORTED, "joint '%s': %s", joint->name, why);
}

/* The side of the joint whose body carries the wheel: B, or A where B is the ground. */
static phx_status choose_side(const phx_system *system, const joint_slot *joint, const coordinate_slot *coordinate,
                              int *side)
{
    const phx_row_kind kind = coordinate->row.kind;
    const port_slot *a = &system->ports[joint->a];

    *side = system->ports[joint->b].body != PHX_GROUND;
    if (coordinate->row.place || a->port.slides ||
        (kind != PHX_ROW_DISPLACEMENT && kind != PHX_ROW_ANGLE && kind != PHX_ROW_TURN && kind != PHX_ROW_TILT))
        return wheel_refuse(system, joint,
                            "a rotor turns with an angle, or with a displacement along a direction of A; this "
                            "coordinate is a place along a body");
    if (!*side && kind == PHX_ROW_DISPLACEMENT && a->port.point.n > 0)
        return wheel_refuse(system, joint, "B is the ground and A deforms; exchange its ports to give it a rotor");
    return PHX_OK;
}

/* The port of the joint again, with a wheel; and that of the wheel's turn alone. */
static phx_status add_wheel_ports(phx_system *system, phx_port_id at, const phx_row *row, double inertia,
                                  phx_port_id made[2])
{
    body_slot *body = &system->bodies[system->ports[at].body];
    const int n = system->n_ports;
    phx_status status = PHX_OK;

    for (int k = 0; k < 2 && !status; k++) {
        status = phx_sys_grow(system->context, (void **)&system->ports, &system->building.cap_ports, n + k,
                              sizeof *system->ports);
        made[k] = n + k;
    }
    if (!status)
        status = phx_body_add_wheel(system->context, inertia, row->gear, &body->body);
    if (status)
        return status;
    port_slot *turning = &system->ports[n], *alone = &system->ports[n + 1];
    *turning = *alone = (port_slot){.body = system->ports[at].body, .location.sort = PHX_LOCATION_SORTS};
    memcpy(turning->port.rotation, system->ports[at].port.rotation, sizeof turning->port.rotation);
    memcpy(alone->port.rotation, system->ports[at].port.rotation, sizeof alone->port.rotation);
    turning->port.frame = system->ports[at].port.frame;
    turning->port.wheel = alone->port.wheel = alone->port.slides = phx_body_places(body->body, NULL, NULL);
    turning->port.wheel_entry = phx_row_wheel_entry(row->angular, system->dim);
    alone->port.place_alone = true;
    status = phx_flex_point_copy(system->context, system->dim, &system->ports[at].port.point, &turning->port.point);
    if (status)
        phx_body_drop_place(body->body);
    else
        system->n_ports += 2;
    return status;
}

/* A joint whose one row is `row`. */
static phx_status add_row(phx_system *system, const char *name, phx_port_id a, phx_port_id b, const phx_row *row,
                          int wheel_of, int number)
{
    phx_joint_def def = phx_joint_def_default();
    phx_joint_id id = 0;

    def.name = name;
    def.kind = PHX_JOINT_FREE;
    def.a = a;
    def.b = b;
    const phx_status status = phx_sys_add_joint(system, &def, -1, &id);
    if (!status)
        phx_sys_make_geared(&system->joints[id], row, wheel_of, number);
    return status;
}

void phx_sys_make_geared(joint_slot *joint, const phx_row *row, int wheel_of, int number)
{
    joint->geared = true;
    joint->wheel_of = wheel_of;
    joint->wheel_number = number;
    joint->n_constraints = 1;
    joint->n_coordinates = 0;
    joint->constraints[0] = *row;
}

phx_status phx_system_add_wheel(phx_system *system, phx_joint_id id, int number, double ratio, double inertia,
                                phx_port_id *turn)
{
    if (!system || id < 0 || id >= system->n_joints)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or joint");
    const joint_slot *joint = &system->joints[id];
    phx_port_id made[2], ends[2] = {joint->a, joint->b};
    int side = 1;
    char name[300];
    phx_status status = phx_sys_open(system);

    if (!status && (number < 0 || number >= joint->n_coordinates))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT, "joint '%s': there is no coordinate %d", joint->name,
                          number + 1);
    if (!status && !(inertia >= 0.0 && isfinite(inertia) && ratio != 0.0 && isfinite(ratio)))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT,
                          "joint '%s': a rotor of the inertia %g turns it by %g of its own turn; expected an inertia "
                          "that is not negative and a ratio that is not 0",
                          joint->name, inertia, ratio);
    if (!status && joint->def.inactive)
        status = wheel_refuse(system, joint, "a joint with a rotor holds from the start on");
    if (!status)
        status = choose_side(system, joint, &joint->coordinates[number], &side);
    if (status)
        return phx_conclude(system->context, status);
    phx_row row = joint->coordinates[number].row;
    row.base = row.kind;
    row.kind = PHX_ROW_WHEEL;
    row.axis = side;
    row.gear = ratio;
    row.unwrapped = false;
    snprintf(name, sizeof name, "%.250s.%s%.0d", joint->name, "rotor", number > 0 ? number + 1 : 0);
    status = add_wheel_ports(system, ends[side], &row, inertia, made);
    if (status)
        return phx_conclude(system->context, status);
    ends[side] = made[0];
    status = add_row(system, name, ends[0], ends[1], &row, id, number);
    system->traits.wide = true;
    if (!status && turn)
        *turn = made[1];
    return phx_conclude(system->context, status);
}

phx_status phx_system_add_gear(phx_system *system, const char *name, phx_port_id a, phx_port_id b, double rest)
{
    const phx_row row = {.kind = PHX_ROW_POINT, .angular = true, .target = -rest};

    if (!system || !name)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or name");
    return phx_conclude(system->context, add_row(system, name, a, b, &row, -1, -1));
}
