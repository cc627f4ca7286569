/* Bodies that turn far in a step of the midpoint rule: a warning, once. Invariants hold at any step and a free rigid
 * body flies exactly, but the increment of an angle is 2 atan(h w/2), which lags by (h w)^2/12 of it, and directions
 * are averaged along a chord. */
#include "system/system_internal.h"

#include <math.h>

enum { NEVER, AXIS, ALWAYS }; /* where it matters: nowhere, where the axis of the turn changes, at any turn */
static const double LARGE_TURN = 0.3, SMALL_TURN = 0.1, AXIS_CHANGE = 1e-3; /* rad: warns, is advised; in a step */
static const double MOST_TURN = 16.0; /* h |w_m|, twice the tangent of half the turn: 2.9 rad */

static void mark(const phx_system *system, phx_port_id port, bool *of)
{
    if (port >= 0 && system->ports[port].body >= 0)
        of[system->ports[port].body] = true;
}

/* A body that is held by nothing and deforms nowhere turns about its centre of mass as it likes; one whose angle is
 * driven has the right angle. */
phx_status phx_sys_watch_turns(phx_context *context, const phx_system *system, turn_watch *made)
{
    const size_t n = (size_t)system->n_bodies;
    bool *held = phx_calloc(context, 2 * n, sizeof *held), *driven = held ? held + n : NULL;

    made->body = -1;
    made->kind = phx_calloc(context, n, sizeof *made->kind);
    for (int j = 0; j < system->n_joints && held; j++) {
        const joint_slot *joint = &system->joints[j];
        mark(system, joint->a, held);
        mark(system, joint->b, held);
        for (int c = 0; c < joint->n_coordinates; c++)
            if (joint->coordinates[c].driven_row >= 0 && phx_row_is_angular(&joint->coordinates[c].row))
                mark(system, joint->b, driven);
    }
    for (int i = 0; i < system->n_forces && held; i++) {
        mark(system, system->forces[i].a, held);
        mark(system, system->forces[i].b, held);
    }
    for (int b = 0; b < system->n_bodies && held && made->kind; b++)
        made->kind[b] = phx_body_deforms(system->bodies[b].body) || (held[b] && !driven[b]) ? ALWAYS
                        : system->dim == 3                                                  ? AXIS
                                                                                            : NEVER;
    phx_free(held);
    return held && made->kind ? PHX_OK : PHX_ERR_MEMORY;
}

/* At the end of an interval, v1 being the velocity there: the body with the largest turn that matters. Half a turn
 * makes the mean of two attitudes vanish; near it rounding is left alone, and the step is to be halved
 * (PHX_NOT_CONVERGED). */
phx_status phx_sys_note_turns(workspace *ws, const double *v1)
{
    const phx_system *system = ws->system;
    turn_watch *watch = &ws->turns;

    watch->body = -1;
    watch->angle = LARGE_TURN;
    watch->h = fabs(ws->view.h);
    for (int b = 0; b < system->n_bodies; b++) {
        const double *w0 = ws->step.v0 + system->bodies[b].v + system->dim,
                     *w1 = v1 + system->bodies[b].v + system->dim;
        double sum = 0.0, across[3] = {0.0};
        for (int k = 0; k < system->n_rot; k++)
            sum += 0.25 * (w0[k] + w1[k]) * (w0[k] + w1[k]);
        const double angle = watch->h * sqrt(sum);
        if (angle > MOST_TURN)
            return phx_fail(system->context, PHX_NOT_CONVERGED,
                            "body '%s' turns by more than %.2g rad in a step of %.3g s; take shorter steps",
                            phx_body_name(system->bodies[b].body), 2.0 * atan(0.5 * angle), watch->h);
        if (watch->told || watch->kind[b] == NEVER || !(angle > watch->angle))
            continue;
        phx_rot_x_rot(system->dim, w0, w1, across);
        if (watch->kind[b] == AXIS && sqrt(phx_dot(3, across, across)) <= AXIS_CHANGE * sum)
            continue;
        watch->body = b;
        watch->angle = angle;
    }
    return PHX_OK;
}

/* After an accepted step. */
void phx_sys_look_at_turns(workspace *ws, double t0)
{
    turn_watch *watch = &ws->turns;

    if (watch->body < 0 || watch->told)
        return;
    watch->told = true;
    phx_log(
        ws->base.context, PHX_LOG_WARNING,
        "body '%s' turns by %.2g rad in a step of %.3g s at t = %.9g s: its motion is off by about (h w)^2/12 of it, "
        "%.1g %%, though energy and joints are exact; take steps of %.1g s at most",
        phx_body_name(ws->system->bodies[watch->body].body), watch->angle, watch->h, t0,
        100.0 * watch->angle * watch->angle / 12.0, watch->h * SMALL_TURN / watch->angle);
    watch->body = -1;
}
