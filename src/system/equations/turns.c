/* Angles of joints that count turns, which x keeps behind the bodies' states, so that a turn is not lost. */
#include "system/system_internal.h"

#include <string.h>

static bool counts(const phx_system *system)
{
    return system->n_x > system->n_body_x;
}

void phx_sys_turn_rates(const phx_system *system, const double *x, const double *v, double *x_dot)
{
    const int size = phx_port_size(system->dim);

    for (int j = 0; j < system->n_joints && counts(system); j++) {
        const joint_slot *joint = &system->joints[j];
        for (int c = 0; c < joint->n_coordinates; c++) {
            const coordinate_slot *coordinate = &joint->coordinates[c];
            phx_port_view a, b;
            double g[PAIR_SIZE];
            if (coordinate->turn < 0)
                continue;
            phx_sys_view_port(system, joint->a, x, v, &a);
            phx_sys_view_port(system, joint->b, x, v, &b);
            phx_row_covectors(&coordinate->row, &a, &b, g, g + PHX_PORT_MAX);
            x_dot[coordinate->turn] = phx_sys_dot(size, g, a.rate) + phx_sys_dot(size, g + PHX_PORT_MAX, b.rate);
        }
    }
}

/* The counted coordinates of a joint, nearest to those that x has. */
void phx_sys_count_joint(const joint_slot *joint, const phx_port_view *a, const phx_port_view *b, double *x)
{
    for (int c = 0; c < joint->n_coordinates; c++) {
        const coordinate_slot *coordinate = &joint->coordinates[c];
        if (coordinate->turn >= 0)
            x[coordinate->turn] = phx_row_unwrapped(&coordinate->row, a, b, 1, x[coordinate->turn]);
    }
}

void phx_sys_count_turns(const workspace *ws, double *x)
{
    const phx_system *system = ws->system;

    for (int j = 0; j < system->n_joints && counts(system); j++) {
        const joint_slot *joint = &system->joints[j];
        phx_sys_count_joint(joint, &ws->ports.view[joint->a], &ws->ports.view[joint->b], x);
    }
}
