/* The fast evaluator: angles of joints over intervals. Those of joints in batches lag behind: there is no arc tangent
 * to take while an angle stays near what x has of it. */
#include "fast.h"

#include <string.h>

/* A port at the end of the interval. */
static void view_end(workspace *ws, phx_port_id id)
{
    const port_slot *port = &ws->system->ports[id];

    if (port->body == PHX_GROUND)
        return;
    const phx_body_view of_body = phx_sys_body_view(ws, port->body);
    phx_body_port_view_end(ws->system->bodies[port->body].body, &port->port, &of_body, &ws->ports.view[id]);
}

void phx_sys_follow_angles(workspace *ws, bool viewed)
{
    for (int i = 0; i < ws->fast->unbatched.n_angles; i++) {
        const joint_slot *joint = &ws->system->joints[ws->fast->unbatched.angles[i]];
        if (!viewed) {
            view_end(ws, joint->a);
            view_end(ws, joint->b);
        }
        phx_sys_unwrap_joint(joint, &ws->ports.view[joint->a], &ws->ports.view[joint->b], ws->step.x1);
    }
    if (ws->system->n_x > ws->system->n_body_x)
        phx_sys_joint_batches_angles(ws, ws->step.x1);
}

/* The frame that a straight port stands on; NULL: it is another. */
static const double *frame_of(const workspace *ws, phx_port_id id, const double *x)
{
    const port_slot *port = &ws->system->ports[id];
    const bool straight = port->body != PHX_GROUND && port->port.point.n == 0 && !port->port.slides;

    return straight ? x + ws->system->bodies[port->body].x + port->port.frame.x + 3 : NULL;
}

/* All angles that are unwrapped in space are those of TURN rows. */
static void unwrap_at(const workspace *ws, const joint_slot *joint, const double *x_of_bodies, double *x)
{
    const double *R_a = frame_of(ws, joint->a, x_of_bodies), *R_b = frame_of(ws, joint->b, x_of_bodies);
    phx_port_view a, b;

    for (int c = 0; c < joint->n_coordinates && R_a && R_b; c++) {
        const coordinate_slot *it = &joint->coordinates[c];
        if (it->angle >= 0)
            x[it->angle] = phx_row_unwrapped_frames(&it->row, R_a, R_b, x[it->angle]);
    }
    if (R_a && R_b)
        return;
    phx_sys_view_port(ws->system, joint->a, x_of_bodies, ws->step.v0, &a);
    phx_sys_view_port(ws->system, joint->b, x_of_bodies, ws->step.v0, &b);
    phx_sys_unwrap_joint(joint, &a, &b, x);
}

/* In two steps, as if the angle had not lagged. */
void phx_sys_unwrap_anew(const workspace *ws, int j, double *x1)
{
    const joint_slot *joint = &ws->system->joints[j];

    unwrap_at(ws, joint, ws->step.x0, x1);
    unwrap_at(ws, joint, x1, x1);
}

/* Brings the unwrapped joint angles in x up to date with the attitudes. If x is the start or the end of the present
 * interval, the workspace's copy follows, so that the next interval still continues from it. */
void phx_fast_synchronise(workspace *ws, double *x)
{
    const phx_system *system = ws->system;
    const size_t all = (size_t)system->n_x * sizeof *x, angles = (size_t)(system->n_x - system->n_body_x) * sizeof *x;
    const bool starts = memcmp(x, ws->step.x0, all) == 0, ends = memcmp(x, ws->step.x1, all) == 0;

    for (int j = 0; j < system->n_joints && system->n_x > system->n_body_x; j++)
        if (system->joints[j].n_coordinates > 0)
            unwrap_at(ws, &system->joints[j], x, x);
    /* what goes on from x is still known */
    if (starts)
        memcpy(ws->step.x0 + system->n_body_x, x + system->n_body_x, angles);
    if (ends)
        memcpy(ws->step.x1 + system->n_body_x, x + system->n_body_x, angles);
}
