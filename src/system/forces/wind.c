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

/* The wind in the axes of an attitude. */
static phx_status find_wind(const workspace *ws, const force_slot *force, double t, const double *attitude, double *w)
{
    const int dim = ws->system->dim;
    double inertial[3], R[9];

    const phx_status status = phx_sys_air_wind(ws, force, t, inertial);
    if (status)
        return status;
    phx_attitude_rotation(dim, attitude, R);
    phx_rot_apply_transposed(dim, R, inertial, w);
    return PHX_OK;
}

/* (F14)  f = -c |v_n| v_n per length, v_n the part of v - w across x; supplied f . w, loss c |v_n|^3. `weight`: length
 * that a point of the quadrature stands for. */
static void push(workspace *ws, const wind *blown, double weight, const double *velocity, const double *w, double *f)
{
    double across[3] = {0}, speed = 0.0;

    for (int a = 1; a < ws->system->dim; a++) { /* x is the length of the body */
        across[a] = velocity[a] - w[a];
        speed += across[a] * across[a];
    }
    speed = sqrt(speed);
    for (int a = 0; a < ws->system->dim; a++) {
        f[a] = -weight * blown->coefficient * speed * across[a];
        ws->forces.power.supplied += f[a] * w[a];
        ws->forces.power.dissipated -= f[a] * across[a];
    }
}

/* On a body of frames, in the axes of each: f, place x f. */
static phx_status blow_on_frames(workspace *ws, const force_slot *force, double t, double *res)
{
    const phx_body_view view = phx_sys_body_view(ws, force->body);
    const int dim = ws->system->dim;
    double *out = res + ws->system->bodies[force->body].v;

    for (int k = 0; k < force->n_points; k++) {
        const phx_length_point *point = &force->frame_points[k];
        const double *v = view.vm + point->frame.v;
        double *own = out + point->frame.v, w[3], velocity[3], f[3], torque[3];
        const phx_status status = find_wind(ws, force, t, view.xm + point->frame.x + dim, w);
        if (status)
            return status;
        phx_rot_x_vec(dim, v + dim, point->place, velocity);
        for (int a = 0; a < dim; a++)
            velocity[a] += v[a];
        push(ws, force->own, point->weight, velocity, w, f);
        phx_vec_x_vec(dim, point->place, f, torque);
        for (int a = 0; a < dim; a++)
            own[a] -= f[a];
        for (int r = 0; r < ws->system->n_rot; r++)
            own[dim + r] -= torque[r];
    }
    return PHX_OK;
}

/* Subtracts the drag at all points along a body from res: forces on velocity, rotation and deformations, quadratic in
 * the velocity across the body relative to the air. */
static phx_status blow_on_points(workspace *ws, const force_slot *force, double t, double *res)
{
    const body_slot *slot = &ws->system->bodies[force->body];
    const int dim = ws->system->dim;
    double w[3], *out = res + slot->v;
    double *out_q = res + (phx_sys_q_dot(slot, ws->view.vm) - ws->view.vm);

    const phx_status status = find_wind(ws, force, t, ws->view.xm + slot->x + dim, w);
    for (int k = 0; k < force->n_points && !status; k++) {
        const phx_flex_point *point = &force->points[k];
        double y[3], velocity[3], f[3], torque[3];
        move_point(ws, force, point, y, velocity);
        push(ws, force->own, force->weights[k], velocity, w, f);
        for (int a = 0; a < dim; a++) {
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

/* Drag is not in Newton's matrix: over a step it is small against the inertial forces. */
static phx_status wind_evaluate(workspace *ws, int pair, const force_slot *force, double t, bool linear, double *res)
{
    (void)pair, (void)linear;
    return force->frame_points ? blow_on_frames(ws, force, t, res) : blow_on_points(ws, force, t, res);
}

PHX_SYS_WRITTEN(wind, 8);
static void wind_archive(phx_archive *archive, phx_system *system, force_slot *force)
{
    phx_sys_archive_quadrature(archive, system, force);
    wind *blown = phx_sys_archive_own(archive, sizeof *blown, force);
    if (blown)
        phx_archive_double(archive, &blown->coefficient);
    force->a = force->b = -1;
}

const force_operations phx_sys_force_wind = {.noun = "force",
                                             .outside = true,
                                             .archive = wind_archive,
                                             .evaluate = wind_evaluate,
                                             .supplies = phx_sys_air_blows,
                                             .dissipates = phx_sys_force_always,
                                             .circulatory = phx_sys_force_is_given};

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
