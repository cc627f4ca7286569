/* Drag along a body with sections: quadratic in the velocity across its length against the air. */
#include "forces.h"

#include <math.h>
#include <string.h>

typedef struct wind {
    double coefficient; /* rho c_d width/2, kg/m^2 */
} wind;

/* Place y and velocity of a point of the load, body axes, means over the interval. */
static void move_point(const workspace *ws, const force_slot *force, const phx_flex_point *point, double *y,
                       double *velocity)
{
    const body_slot *slot = &ws->system->bodies[force->body];
    const int dim = ws->system->dim;
    const double *q = phx_sys_q(slot, ws->view.xm), *q_dot = phx_sys_q_dot(slot, ws->view.vm);
    const double *v = ws->view.vm + slot->v;

    for (int a = 0; a < dim; a++) {
        y[a] = point->x[a];
        for (int j = 0; j < point->n; j++)
            y[a] += point->phi[a * point->n + j] * q[point->dof[j]];
    }
    phx_rot_x_vec(dim, v + dim, y, velocity);
    for (int a = 0; a < dim; a++) {
        velocity[a] += v[a];
        for (int j = 0; j < point->n; j++)
            velocity[a] += point->phi[a * point->n + j] * q_dot[point->dof[j]];
    }
}

/* The wind in body axes. */
static phx_status find_wind(const workspace *ws, const force_slot *force, double t, double *w)
{
    const int dim = ws->system->dim;
    double inertial[3], R[9];

    const phx_status status = phx_sys_air_wind(ws, force, t, inertial);
    if (status)
        return status;
    phx_attitude_rotation(dim, ws->view.xm + ws->system->bodies[force->body].x + dim, R);
    phx_rot_apply_transposed(dim, R, inertial, w);
    return PHX_OK;
}

/* (F14)  f = -c |v_n| v_n per length, v_n the part of v - w across x; supplied f . w, loss c |v_n|^3. It has no part in
 * Newton's matrix: forces of the air are small against those of inertia in a step. */
static phx_status evaluate(workspace *ws, int pair, const force_slot *force, double t, bool linear, double *res)
{
    const wind *it = force->own;
    const body_slot *slot = &ws->system->bodies[force->body];
    const int dim = ws->system->dim;
    double w[3], *out = res + slot->v;
    double *out_q = res + (phx_sys_q_dot(slot, ws->view.vm) - ws->view.vm);

    (void)pair, (void)linear;
    const phx_status status = find_wind(ws, force, t, w);
    for (int k = 0; k < force->n_points && !status; k++) {
        const phx_flex_point *point = &force->points[k];
        double y[3], velocity[3], across[3] = {0}, f[3], torque[3], speed = 0.0;
        move_point(ws, force, point, y, velocity);
        for (int a = 1; a < dim; a++) { /* x is the length of the body */
            across[a] = velocity[a] - w[a];
            speed += across[a] * across[a];
        }
        speed = sqrt(speed);
        for (int a = 0; a < dim; a++) {
            f[a] = -force->weights[k] * it->coefficient * speed * across[a];
            ws->power.supplied += f[a] * w[a];
            ws->power.dissipated -= f[a] * across[a];
            out[a] -= f[a];
            for (int j = 0; j < point->n; j++)
                out_q[point->dof[j]] -= point->phi[a * point->n + j] * f[a];
        }
        phx_vec_x_vec(dim, y, f, torque);
        for (int r = 0; r < ws->system->n_rot; r++)
            out[dim + r] -= torque[r];
    }
    return status;
}

PHX_SYS_WRITTEN(wind, 8);
static void archive(phx_archive *archive, phx_system *system, force_slot *force)
{
    phx_sys_archive_quadrature(archive, system, force);
    wind *it = phx_sys_archive_own(archive, sizeof *it, force);
    if (it)
        phx_archive_double(archive, &it->coefficient);
    force->a = force->b = -1;
}

const force_operations phx_sys_force_wind = {.noun = "force",
                                             .outside = true,
                                             .archive = archive,
                                             .evaluate = evaluate,
                                             .supplies = phx_sys_air_blows,
                                             .dissipates = phx_sys_force_always};

phx_status phx_system_add_wind(phx_system *system, const phx_wind_def *def)
{
    if (!system || !def)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or def");
    force_slot *force = NULL;
    phx_status status = phx_sys_new_force(system, FORCE_WIND, def->name, 0, NULL, sizeof(wind), &force);

    status = phx_sys_air_take(system, force, "wind", def->name, def->coefficient, def->wind, status);
    if (!status)
        status = phx_sys_place_along(system, def->body, force);
    if (!status)
        *(wind *)force->own = (wind){def->coefficient};
    return phx_sys_keep_force(system, force, status);
}
