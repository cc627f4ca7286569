/* Joints that begin to hold or let go at a configuration. */
#include "system/system_internal.h"

#include <string.h>

/* The point moved by an arm that turns with the section: x += arm, phi_j += theta_j x arm. The arm is given as it
 * stands now, (I + [theta]x) arm, in the axes of the frame. */
static void add_arm(int dim, const double *q, const double *now, phx_flex_point *point)
{
    const int n = point->n, n_rot = phx_rotations(dim);
    double theta[3] = {0.0}, arm[3], turned[3], along = 0.0, square = 1.0;

    for (int k = 0; k < n_rot; k++) {
        for (int j = 0; j < n; j++)
            theta[k] += point->theta[k * n + j] * q[point->dof[j]];
        square += theta[k] * theta[k];
    }
    for (int k = 0; k < n_rot && dim == 3; k++)
        along += theta[k] * now[k];
    phx_rot_x_vec(dim, theta, now, turned);
    for (int a = 0; a < dim; a++) { /* (I + [theta]x)^-1 */
        arm[a] = (now[a] - turned[a] + along * theta[a]) / square;
        point->x[a] += arm[a];
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n_rot; k++)
            theta[k] = point->theta[k * n + j];
        phx_rot_x_vec(dim, theta, arm, turned);
        for (int a = 0; a < dim; a++)
            point->phi[a * n + j] += turned[a];
    }
    point->zero_columns[0] = point->zero_columns[1] = 0;
}

/* The point of B where A's is: a gap that stood in the axes of the ground would not let the two turn as one. */
static void move_port(phx_system *system, const joint_slot *joint, const double *x, const double *v)
{
    port_slot *port = &system->ports[joint->b];
    const int dim = system->dim;
    phx_port_view a, b;
    double R[9], away[3], now[3];

    if (port->body == PHX_GROUND || port->port.slides)
        return;
    phx_sys_view_port(system, joint->a, x, v, &a);
    phx_sys_view_port(system, joint->b, x, v, &b);
    const body_slot *slot = &system->bodies[port->body];
    for (int i = 0; i < dim; i++)
        away[i] = a.u1[i] - b.u1[i];
    phx_body_port_attitude(slot->body, &port->port, x + slot->x, R);
    phx_rot_apply_transposed(dim, R, away, now);
    add_arm(dim, phx_sys_q(slot, x), now, &port->port.point);
}

static bool holds_points(const joint_slot *joint)
{
    return phx_joint_kind_info(joint->kind)->holds_points;
}

/* The rows of a joint that begins to hold at x, whose poses stand for the written ones. */
static phx_status close_as_it_is(phx_system *system, joint_slot *joint, const double *x, const double *v)
{
    phx_port_view a, b;
    const phx_status status = phx_sys_remake_constraints(system, joint);

    if (status)
        return status;
    if (holds_points(joint))
        move_port(system, joint, x, v);
    phx_sys_view_port(system, joint->a, x, v, &a);
    phx_sys_view_port(system, joint->b, x, v, &b);
    for (int k = 0; k < joint->n_constraints; k++)
        joint->constraints[k].target += phx_row_value(&joint->constraints[k], &a, &b, 1);
    return PHX_OK;
}

bool phx_sys_is_stick_row(const joint_slot *joint, int r)
{
    for (int c = 0; c < joint->n_coordinates; c++)
        if (joint->coordinates[c].stick_row == r)
            return true;
    return false;
}

static phx_status refuse_slides(const phx_system *system, int count, const phx_switch *changes)
{
    for (int k = 0; k < count; k++) {
        const joint_slot *joint = &system->joints[changes[k].joint];
        for (int j = 0; j < system->n_joints && !changes[k].holds; j++)
            if (system->joints[j].geared && system->joints[j].wheel_of == changes[k].joint)
                return phx_fail(system->context, PHX_ERR_UNSUPPORTED,
                                "joint '%s': a joint with a rotor or a rigid coupling cannot let go", joint->name);
        if (system->ports[joint->a].port.slides && !changes[k].holds)
            return phx_fail(system->context, PHX_ERR_UNSUPPORTED,
                            "joint '%s': a joint that slides along a body cannot let go", joint->name);
    }
    return PHX_OK;
}

/* Switches the rows of one joint on or off. A joint that begins to hold is closed at its present configuration: its
 * targets are measured there. */
static phx_status switch_apply(phx_system *system, const phx_switch *change, const double *x, const double *v)
{
    joint_slot *joint = &system->joints[change->joint];
    bool held = false;
    phx_status status = PHX_OK;

    joint->switched = true;
    for (int r = joint->first_row; r < system->rows.n && system->rows.slot[r].joint == change->joint; r++) {
        row_slot *row = &system->rows.slot[r];
        const bool constraint = row->number < joint->n_constraints;
        if (row->role == ROW_HELD || phx_sys_is_stick_row(joint, r))
            continue;
        held = held || (constraint && row->role == ROW_CONSTRAINT);
        if (constraint)
            row->role = change->holds ? ROW_CONSTRAINT : ROW_INACTIVE;
        else
            row->role = change->drives ? ROW_DRIVEN : ROW_INACTIVE;
    }
    if (change->holds && !held && joint->n_constraints > 0)
        status = close_as_it_is(system, joint, x, v);
    return status;
}

/* Components and independent rows after other rows act; rows that depend on each other do so at x, not at the start. */
phx_status phx_sys_rows_changed(phx_system *system, const double *x)
{
    double *at = phx_calloc(system->context, (size_t)system->n_x, sizeof *at), *start = system->start.x;
    phx_status status = at ? phx_sys_components(system) : PHX_ERR_MEMORY;

    if (!status) {
        memcpy(at, x, (size_t)system->n_x * sizeof *x);
        system->start.x = at;
        status = phx_sys_find_redundant(system);
        system->start.x = start;
    }
    phx_free(at);
    return status;
}

/* Switches joints at the configuration x and finds the independent rows anew. The poses as written are kept; every dae
 * of the system must have been destroyed before. */
phx_status phx_system_switch(phx_system *system, int count, const phx_switch *changes, const double *x)
{
    if (!system || (count > 0 && !changes) || !x)
        return phx_fail_null(system ? system->context : NULL, __func__, "system, changes or x");
    phx_context *context = system->context;
    if (!system->building.finalised)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the system must be finalised first");
    for (int k = 0; k < count; k++)
        if (changes[k].joint < 0 || changes[k].joint >= system->n_joints)
            return phx_fail(context, PHX_ERR_ARGUMENT, "there is no joint %d", changes[k].joint);
    const phx_status slides = refuse_slides(system, count, changes);
    if (slides)
        return slides;
    phx_pose *written = phx_calloc(context, (size_t)system->n_bodies, sizeof *written);
    double *v = phx_calloc(context, (size_t)system->n_v, sizeof *v);
    phx_status status = written && v ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        phx_sys_exchange_poses(system, x, written);
        for (int k = 0; k < count && !status; k++)
            status = switch_apply(system, &changes[k], x, v);
        for (int b = 0; b < system->n_bodies; b++)
            system->bodies[b].pose = written[b];
    }
    if (!status)
        status = phx_sys_rows_changed(system, x);
    phx_free(v);
    phx_free(written);
    return phx_conclude(context, status);
}

phx_status phx_system_impulse(phx_dae *dae, double t, const double *x, double *v, phx_work *work)
{
    if (!dae || !x || !v || !work)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x, v or work");
    return phx_conclude(dae->context, phx_sys_impulse((workspace *)dae, t, x, v, work));
}
