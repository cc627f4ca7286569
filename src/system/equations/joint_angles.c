/* Unwrapped angles of joints, which x keeps behind the bodies' states, so that no turn is lost. */
#include "system/system_internal.h"

#include <string.h>

static bool has_angles(const phx_system *system)
{
    return system->control.first_x > system->n_body_x;
}

bool phx_sys_has_angle(const joint_slot *joint)
{
    for (int c = 0; c < joint->n_coordinates; c++)
        if (joint->coordinates[c].angle >= 0)
            return true;
    return false;
}

/* Writes the rates of the unwrapped joint angles, which are appended to the states of the bodies, into x_dot. */
void phx_sys_angle_rates(const phx_system *system, const double *x, const double *v, double *x_dot)
{
    for (int j = 0; j < system->n_joints && has_angles(system); j++) {
        const joint_slot *joint = &system->joints[j];
        for (int c = 0; c < joint->n_coordinates; c++) {
            const coordinate_slot *coordinate = &joint->coordinates[c];
            phx_port_view a, b;
            double g[PAIR_SIZE];
            if (coordinate->angle < 0)
                continue;
            phx_sys_view_port(system, joint->a, x, v, &a);
            phx_sys_view_port(system, joint->b, x, v, &b);
            x_dot[coordinate->angle] = phx_row_rate(&coordinate->row, &a, &b, g);
        }
    }
}

/* The unwrapped angles of a joint, nearest to those that x has. */
void phx_sys_unwrap_joint(const joint_slot *joint, const phx_port_view *a, const phx_port_view *b, double *x)
{
    for (int c = 0; c < joint->n_coordinates; c++) {
        const coordinate_slot *coordinate = &joint->coordinates[c];
        if (coordinate->angle >= 0)
            x[coordinate->angle] = phx_row_unwrapped(&coordinate->row, a, b, 1, x[coordinate->angle]);
    }
}

void phx_sys_unwrap_angles(const workspace *ws, double *x)
{
    const phx_system *system = ws->system;

    for (int j = 0; j < system->n_joints && has_angles(system); j++) {
        const joint_slot *joint = &system->joints[j];
        phx_sys_unwrap_joint(joint, &ws->ports.view[joint->a], &ws->ports.view[joint->b], x);
    }
}
