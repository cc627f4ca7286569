/* Places along bodies: the first guess for the assembly, and whether they stay on their bodies. */
#include "system/system_internal.h"

#include <math.h>
#include <string.h>

static bool slides_along(const port_slot *port)
{
    return port->port.slides && !port->port.place_alone;
}

/* A body in the pose as written, undeformed; free with phx_free. */
static phx_status in_pose(const phx_system *system, phx_body_id body, double **x)
{
    const body_slot *slot = &system->bodies[body];

    *x = phx_calloc(system->context, (size_t)(phx_body_n_x(slot->body) + phx_body_n_v(slot->body)), sizeof **x);
    if (!*x)
        return PHX_ERR_MEMORY;
    phx_body_rest(slot->body, *x);
    phx_body_place(slot->body, slot->pose.position, slot->pose.rotation, slot->pose.angle, *x);
    return PHX_OK;
}

/* A port of the body at x, behind which there are velocities. */
static void view_in_pose(const phx_system *system, phx_port_id id, const double *x, phx_port_view *view)
{
    const port_slot *port = &system->ports[id];

    if (port->body == PHX_GROUND) {
        phx_sys_ground_view(system, port, view);
        return;
    }
    const phx_body *body = system->bodies[port->body].body;
    const double *v = x + phx_body_n_x(body);
    const phx_body_view at = {.x0 = x, .x1 = x, .xm = x, .v0 = v, .v1 = v, .vm = v};
    memset(view, 0, sizeof *view);
    phx_body_port_view(body, &port->port, &at, view);
}

/* How far the place s is from the point `to`, squared. */
static double places_distance(const phx_system *system, const joint_slot *joint, const double *to, double s, double *x,
                              phx_port_view *view)
{
    double sum = 0.0;
    int at;

    (void)phx_body_places(system->bodies[system->ports[joint->a].body].body, &at, NULL);
    x[at + system->ports[joint->a].port.slides - 1] = s;
    view_in_pose(system, joint->a, x, view);
    for (int i = 0; i < system->dim; i++)
        sum += (view->u1[i] - to[i]) * (view->u1[i] - to[i]);
    return sum;
}

/* The nearest of equally spaced places, then by intervals that shrink. */
static double find_nearest(const phx_system *system, const joint_slot *joint, const double *to, double *x)
{
    enum { PLACES = 64, HALVINGS = 40 };
    const double length = phx_body_curve_length(system->bodies[system->ports[joint->a].body].body);
    double best = 0.0, least = HUGE_VAL, step = length / PLACES;
    phx_port_view view;

    for (int k = 0; k <= PLACES; k++) {
        const double d = places_distance(system, joint, to, k * step, x, &view);
        best = d < least ? k * step : best;
        least = fmin(least, d);
    }
    for (int k = 0; k < HALVINGS; k++, step *= 0.5)
        for (int side = -1; side <= 1; side += 2) {
            const double s = fmin(length, fmax(0.0, best + 0.5 * side * step));
            const double d = places_distance(system, joint, to, s, x, &view);
            best = d < least ? s : best;
            least = fmin(least, d);
        }
    return best;
}

/* First guess for a sliding joint: the place along A's body that is nearest to B's port in the poses as written, or the
 * given start, and the axes of the curve there. */
phx_status phx_sys_guess_place(const phx_system *system, const joint_slot *joint, double *place, double *axes)
{
    const phx_body_id of_b = system->ports[joint->b].body;
    double *x = NULL, *x_b = NULL;
    phx_port_view a, b;
    phx_status status = in_pose(system, system->ports[joint->a].body, &x);

    if (!status && of_b != PHX_GROUND)
        status = in_pose(system, of_b, &x_b);
    if (!status) {
        view_in_pose(system, joint->b, x_b, &b);
        *place =
            joint->def.coordinate[0].has_start ? joint->def.coordinate[0].start : find_nearest(system, joint, b.u1, x);
        (void)places_distance(system, joint, b.u1, *place, x, &a);
        memcpy(axes, a.R1, sizeof a.R1);
        phx_rot_normalise(system->dim, axes);
    }
    phx_free(x);
    phx_free(x_b);
    return status;
}

/* Writes the first guesses of all places along bodies into x. */
phx_status phx_sys_guess_places(phx_system *system, double *x)
{
    phx_status status = PHX_OK;

    for (int j = 0; j < system->n_joints && !status; j++) {
        const joint_slot *joint = &system->joints[j];
        const port_slot *port = &system->ports[joint->a];
        double axes[9];
        int at;
        if (!slides_along(port))
            continue;
        (void)phx_body_places(system->bodies[port->body].body, &at, NULL);
        status =
            phx_sys_guess_place(system, joint, x + system->bodies[port->body].x + at + port->port.slides - 1, axes);
    }
    return status;
}

static const double ROUNDING = 1e-9; /* of the length */

/* The place of a joint that slides, and by how much it lies beyond the end C (> 0) or P (< 0) of its body. */
static double beyond_ends(const phx_system *system, const joint_slot *joint, const double *x, double *place)
{
    const port_slot *port = &system->ports[joint->a];
    const body_slot *slot = &system->bodies[port->body];
    const double length = phx_body_curve_length(slot->body);
    int at;

    (void)phx_body_places(slot->body, &at, NULL);
    *place = x[slot->x + at + port->port.slides - 1];
    const double beyond = *place < 0.0 ? *place : *place > length ? *place - length : 0.0;
    return fabs(beyond) <= ROUNDING * length ? 0.0 : beyond;
}

/* Fails if a sliding point starts beyond an end of its body. */
phx_status phx_sys_check_start_places(const phx_system *system, const double *x)
{
    for (int j = 0; j < system->n_joints && system->traits.slides; j++) {
        const joint_slot *joint = &system->joints[j];
        const port_slot *port = &system->ports[joint->a];
        double place;
        if (!slides_along(port) || beyond_ends(system, joint, x, &place) == 0.0)
            continue;
        const phx_body *body = system->bodies[port->body].body;
        return phx_fail(system->context, PHX_ERR_ARGUMENT,
                        "joint '%s': its point starts at %.6g m along body '%s', which has 0 to %.6g m; give it a "
                        "position there, or make the body longer",
                        joint->name, place, phx_body_name(body), phx_body_curve_length(body));
    }
    return PHX_OK;
}

/* Fails if a sliding point is beyond an end of its body at the end of a step; the message contains the time of passage
 * by linear interpolation over h. */
phx_status phx_system_check_places(const phx_dae *dae, double t, double h, const double *x, const double *v)
{
    const workspace *ws = (const workspace *)dae;
    const phx_system *system = ws->system;

    for (int j = 0; j < system->n_joints && system->traits.slides; j++) {
        const joint_slot *joint = &system->joints[j];
        const port_slot *port = &system->ports[joint->a];
        double place;
        int at_v;
        if (!slides_along(port))
            continue;
        const double beyond = beyond_ends(system, joint, x, &place);
        if (beyond == 0.0)
            continue;
        const body_slot *slot = &system->bodies[port->body];
        (void)phx_body_places(slot->body, NULL, &at_v);
        const double since = beyond / v[slot->v + at_v + port->port.slides - 1];
        return phx_fail(ws->base.context, PHX_ERR_ANALYSIS,
                        "joint '%s': its point leaves body '%s' at the end %s at t = %.6g s; hold it with 'stops' "
                        "inside 0 to %g m, a spring or a drive, or end the run before",
                        joint->name, phx_body_name(slot->body), beyond < 0.0 ? "P" : "C",
                        since > 0.0 && since < h ? t - since : t, phx_body_curve_length(slot->body));
    }
    return PHX_OK;
}
