/* Dampers so strong that the midpoint rule does not follow them: of a mass m with h d/m > 2 the velocity changes its
 * sign in each step, (1 - a)/(1 + a) with a = h d/(2 m), where it should be gone. What is taken is booked, but it takes
 * long. */
#include "system/forces/forces.h"

#include <math.h>

enum { IN_A_ROW = 4 };                          /* changes of sign one after the other */
static const double STRONG = 2.0, STAYS = 0.25; /* h d/m; |rate| at the end over that at the start */
static const double DIED_OUT = 1e-9;            /* rate relative to the largest: less is rounding */

/* 1/m or, of an angle, 1/J of the body of a port, with the rotors that coordinates of this kind turn. */
static double of_port(const phx_system *system, phx_port_id port, bool angular)
{
    if (port < 0 || system->ports[port].body < 0)
        return 0.0;
    const phx_body *body = system->bodies[system->ports[port].body].body;
    const phx_mass_properties *rest = phx_body_at_rest(body);
    double least = rest->J0[0], rotors = 0.0;

    for (int k = 1; k < system->n_rot; k++)
        least = fmin(least, rest->J0[k]);
    for (int j = 0; j < system->n_joints && phx_body_places(body, NULL, NULL) > 0; j++) {
        const joint_slot *joint = &system->joints[j];
        if (joint->geared && joint->wheel_of >= 0 && joint->constraints[0].angular == angular &&
            phx_sys_wheel_port(system, joint)->body == system->ports[port].body)
            rotors += phx_sys_wheel_felt(system, joint);
    }
    return 1.0 / ((angular ? least : rest->mass) + rotors);
}

/* One more damper, d over the mass or inertia of its bodies alone. */
static void damper_watch_add(const phx_system *system, damper_watch *made, double damping, watched_damper damper)
{
    const bool angular = damper.row && phx_row_is_angular(damper.row);

    if (!(damping > 0.0))
        return;
    damper.rate = damping * (of_port(system, damper.a, angular) + of_port(system, damper.b, angular));
    made->damper[made->n++] = damper;
}

static void add_force(const phx_system *system, damper_watch *made, const force_slot *force)
{
    const phx_row *rows;
    double damping[PHX_SYS_BUSHING_ROWS];
    const int n = force->kind == FORCE_BUSHING ? phx_sys_bushing_dampers(force, &rows, damping) : 0;

    for (int k = 0; k < n; k++)
        damper_watch_add(
            system, made, damping[k],
            (watched_damper){.kind = "bushing", .name = force->name, .row = &rows[k], .a = force->a, .b = force->b});
    if (force->kind == FORCE_LINE)
        damper_watch_add(system, made, force->spring.damping,
                         (watched_damper){.kind = "spring", .name = force->name, .a = force->a, .b = force->b});
}

/* Coordinates of joints without a drive, springs, and directions of bushings. */
phx_status phx_sys_watch_dampers(phx_context *context, const phx_system *system, damper_watch *made)
{
    size_t most = PHX_SYS_BUSHING_ROWS * (size_t)system->n_forces;

    for (int j = 0; j < system->n_joints; j++)
        most += (size_t)system->joints[j].n_coordinates;
    made->damper = phx_calloc(context, most, sizeof *made->damper);
    if (!made->damper)
        return PHX_ERR_MEMORY;
    for (int j = 0; j < system->n_joints; j++)
        for (int c = 0; c < system->joints[j].n_coordinates; c++) {
            const coordinate_slot *coordinate = &system->joints[j].coordinates[c];
            if (coordinate->driven_row < 0)
                damper_watch_add(system, made, coordinate->along.damping,
                                 (watched_damper){.kind = "joint",
                                                  .name = system->joints[j].name,
                                                  .row = &coordinate->row,
                                                  .a = coordinate->a,
                                                  .b = coordinate->b});
        }
    for (int i = 0; i < system->n_forces; i++)
        add_force(system, made, &system->forces[i]);
    return PHX_OK;
}

double phx_system_damper_rate(phx_context *context, const phx_system *system)
{
    damper_watch watch = {0};
    double largest = 0.0;

    if (phx_sys_watch_dampers(context, system, &watch) == PHX_OK)
        for (int i = 0; i < watch.n; i++)
            largest = fmax(largest, watch.damper[i].rate);
    phx_free(watch.damper);
    return largest;
}

/* The rate that a damper acts against, at an instant. */
static double rate_at(const phx_system *system, const watched_damper *damper, const double *x, const double *v)
{
    phx_port_view a, b;
    double g[PHX_PORT_PAIR], along = 0.0, square = 0.0;

    phx_sys_view_port(system, damper->a, x, v, &a);
    phx_sys_view_port(system, damper->b, x, v, &b);
    if (damper->row)
        return phx_row_rate(damper->row, &a, &b, g);
    for (int i = 0; i < system->dim; i++) {
        const double d = b.u1[i] - a.u1[i];
        along += d * (b.rate[i] - a.rate[i]);
        square += d * d;
    }
    return square > 0.0 ? along / sqrt(square) : 0.0;
}

/* After an accepted step: counts changes of sign, and warns once of each damper. */
void phx_sys_look_at_dampers(workspace *ws, double t0, double t1)
{
    const phx_system *system = ws->system;
    const double h = t1 - t0;

    for (int i = 0; i < ws->dampers.n && ws->step.t0 == t0; i++) {
        watched_damper *damper = &ws->dampers.damper[i];
        if (damper->turns < 0 || !(h * damper->rate > STRONG))
            continue;
        const double before = rate_at(system, damper, ws->step.x0, ws->step.v0);
        const double after = rate_at(system, damper, ws->step.x1, ws->step.v1);
        damper->turns = before * after < 0.0 && fabs(after) > STAYS * fabs(before) ? damper->turns + 1 : 0;
        damper->largest = fmax(damper->largest, fabs(before));
        if (damper->turns < IN_A_ROW || fabs(after) < DIED_OUT * damper->largest)
            continue;
        phx_log(ws->base.context, PHX_LOG_WARNING,
                "%s '%s': its damper is so strong for steps of %.3g s that the rate changes its sign in each step (t = "
                "%.9g s) and dies out slowly; take steps of %.1g s at most, or radau5, which damps it at any step",
                damper->kind, damper->name, h, t0, 1.0 / damper->rate);
        damper->turns = -1;
    }
}
