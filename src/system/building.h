/* To build a system and to change which of its rows act, without a workspace; private to layer system. */
#ifndef PHX_SYSTEM_BUILDING_H
#define PHX_SYSTEM_BUILDING_H

#include "system/parts.h"

/* To finalise it, by stages. */
phx_status phx_sys_number(phx_system *system);
phx_status phx_sys_find_redundant(phx_system *system);
/* The same from a list of all rows that says which are. */
phx_status phx_sys_take_redundant(phx_system *system, const int *redundant);
phx_status phx_sys_components(phx_system *system);
/* Both after other rows act: which of them depend on each other is decided at x. */
phx_status phx_sys_rows_changed(phx_system *system, const double *x);
/* Row r of the system holds a coordinate of the joint whose friction sticks. */
bool phx_sys_is_stick_row(const joint_slot *joint, int r);
/* The root of i in a forest of disjoint sets, whose paths it shortens: parent[root] = root. */
static inline int phx_sys_root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}
/* The constraint rows of a joint as it would be made in the present poses, its coordinates untouched (build/joints.c).
 */
phx_status phx_sys_remake_constraints(phx_system *system, joint_slot *joint);
/* As phx_system_add_joint. The body that a joint slides along has its place already where port `on` moves (-1: it gets
 * one). */
phx_status phx_sys_add_joint(phx_system *system, const phx_joint_def *def, phx_port_id on, phx_joint_id *id);
/* Port `on` (at least 0) moves on a place, with the ports behind it that its coordinate lies between. */
bool phx_sys_is_sliding_port(const phx_system *system, phx_port_id on);
/* A joint as it was given; what its coordinates have taken over stays the joint's. */
phx_joint_def phx_sys_joint_def(const joint_slot *joint);
/* A joint that holds nothing gets this row for its own (wheels.c). */
void phx_sys_make_geared(joint_slot *joint, const phx_row *row, int wheel_of, int number);
/* A joint without constraints becomes a contact, whose rows of gap and slips are to be filled in. */
phx_status phx_sys_make_contact(phx_system *system, phx_joint_id id, double side, double restitution);

#endif
