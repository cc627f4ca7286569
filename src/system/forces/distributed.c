/* Loads over a body: forces per length of a beam, pressures and tractions on surfaces. */
#include "forces.h"

#include <math.h>

/* A surface load: the factor of the signal times the generalised forces of phx_flex_load. */
static phx_status surface_force(workspace *ws, const force_slot *force, double t, bool linear, double *res)
{
    const body_slot *slot = &ws->system->bodies[force->body];
    const phx_body_view view = phx_sys_body_view(ws, force->body);
    const double *q = phx_sys_q(slot, ws->view.xm), *v = view.vm, *q_dot = phx_sys_q_dot(slot, ws->view.vm);
    double *out = res + slot->v, *out_q = res + (q_dot - ws->view.vm);

    for (int k = 0; k < force->n_fields; k++) {
        const phx_flex_load *field = &force->fields[k];
        const double factor = ws->forces.load * phx_signal_value(force->signal[k], t);
        double power = 0.0;
        if (!isfinite(factor))
            return phx_fail(ws->base.context, PHX_ERR_ANALYSIS, "load '%s' is %g at t = %g s, expected a finite value",
                            force->name, factor, t);
        if (factor == 0.0)
            continue;
        for (int a = 0; a < 3; a++) {
            const double *turning = field->turning + a * field->n;
            double moment = field->moment[a];
            for (int j = 0; j < field->n; j++)
                moment += turning[j] * q[j];
            out[a] -= factor * field->force[a];
            out[3 + a] -= factor * moment;
            power += field->force[a] * v[a] + moment * v[3 + a];
            for (int j = 0; linear && j < field->n; j++)
                ws->by->body_add(ws, force->body, 3 + a, j, -ws->values.weight_K * factor * turning[j]);
        }
        for (int j = 0; j < field->n; j++) {
            const double *S = field->S + (size_t)j * (size_t)field->n_stressed;
            double effort = field->modal[j];
            for (int i = 0; j < field->n_stressed && i < field->n_stressed; i++) {
                effort -= S[i] * q[i];
                if (linear && S[i] != 0.0)
                    ws->by->body_add(ws, force->body, 6 + j, i, ws->values.weight_K * factor * S[i]);
            }
            out_q[j] -= factor * effort;
            power += effort * q_dot[j];
        }
        ws->forces.power.supplied += factor * power;
    }
    return PHX_OK;
}

/* Force per length times the quadrature weight, in the axes of the frame it acts on. */
static phx_status line_force(const workspace *ws, const force_slot *force, double t, double fraction, double weight,
                             double *f)
{
    for (int a = 0; a < ws->system->dim; a++)
        f[a] = ws->forces.load * weight * phx_signal_value_at(force->signal[a], t, fraction);
    for (int a = 0; a < ws->system->dim; a++)
        if (!isfinite(f[a]))
            return phx_fail(ws->base.context, PHX_ERR_ANALYSIS,
                            "load '%s': component %d is %g at t = %g s and %g of the length, expected a finite value",
                            force->name, a + 1, f[a], t, fraction);
    return PHX_OK;
}

/* The same on a body of frames, in the axes of each: f, place x f. It turns with them and has no stiffness. */
static phx_status frames_force(workspace *ws, const force_slot *force, double t, double *res)
{
    const int dim = ws->system->dim;
    const double *v = phx_sys_body_view(ws, force->body).vm;
    double *out = res + ws->system->bodies[force->body].v;

    for (int k = 0; k < force->n_points; k++) {
        const phx_length_point *point = &force->frame_points[k];
        const int at = point->frame.v;
        double f[3] = {0}, torque[3], velocity[3];
        const phx_status status = line_force(ws, force, t, point->fraction, point->weight, f);
        if (status)
            return status;
        phx_vec_x_vec(dim, point->place, f, torque);
        phx_rot_x_vec(dim, v + at + dim, point->place, velocity);
        for (int a = 0; a < dim; a++) {
            out[at + a] -= f[a];
            ws->forces.power.supplied += f[a] * (v[at + a] + velocity[a]);
        }
        for (int r = 0; r < ws->system->n_rot; r++)
            out[at + dim + r] -= torque[r];
    }
    return PHX_OK;
}

/* Force per length in body axes: generalised forces int f, int (x + u) x f, int Phi^T f. Its only stiffness is that of
 * the lever arm: torque d(phi dq) x f. */
phx_status phx_sys_distributed_force(workspace *ws, const force_slot *force, double t, bool linear, double *res)
{
    const phx_system *system = ws->system;
    const body_slot *slot = &system->bodies[force->body];
    const phx_body_view view = phx_sys_body_view(ws, force->body);
    const int dim = system->dim;
    const double *q = phx_sys_q(slot, ws->view.xm), *v = view.vm, *q_dot = phx_sys_q_dot(slot, ws->view.vm);
    double *out = res + slot->v, *out_q = res + (q_dot - ws->view.vm);

    if (force->n_fields > 0)
        return surface_force(ws, force, t, linear, res);
    if (force->frame_points)
        return frames_force(ws, force, t, res);
    for (int k = 0; k < force->n_points; k++) {
        const phx_flex_point *point = &force->points[k];
        double f[3] = {0}, y[3] = {0}, velocity[3], torque[3];
        const phx_status status = line_force(ws, force, t, force->fractions[k], force->weights[k], f);
        if (status)
            return status;
        for (int a = 0; a < dim; a++) {
            y[a] = point->x[a];
            for (int j = 0; j < point->n; j++)
                y[a] += point->phi[a * point->n + j] * q[point->dof[j]];
        }
        phx_vec_x_vec(dim, y, f, torque);
        phx_rot_x_vec(dim, v + dim, y, velocity);
        for (int a = 0; a < dim; a++) {
            out[a] -= f[a];
            for (int j = 0; j < point->n; j++) {
                out_q[point->dof[j]] -= point->phi[a * point->n + j] * f[a];
                velocity[a] += point->phi[a * point->n + j] * q_dot[point->dof[j]];
            }
            ws->forces.power.supplied += f[a] * (v[a] + velocity[a]);
        }
        for (int r = 0; r < system->n_rot; r++)
            out[dim + r] -= torque[r];
        for (int j = 0; linear && j < point->n; j++) {
            double phi[3];
            for (int a = 0; a < dim; a++)
                phi[a] = point->phi[a * point->n + j];
            phx_vec_x_vec(dim, phi, f, torque);
            for (int r = 0; r < system->n_rot; r++)
                ws->by->body_add(ws, force->body, dim + r, point->dof[j], -ws->values.weight_K * torque[r]);
        }
    }
    return PHX_OK;
}

static phx_status distributed_evaluate(workspace *ws, int pair, const force_slot *force, double t, bool linear,
                                       double *res)
{
    (void)pair;
    return phx_sys_distributed_force(ws, force, t, linear, res);
}

static void distributed_archive(phx_archive *archive, phx_system *system, force_slot *force)
{
    phx_sys_archive_quadrature(archive, system, force);
    phx_archive_choice(archive, 3, &force->n_fields);
    for (int k = 0; k < force->n_fields && !phx_archive_status(archive); k++) {
        phx_flex_load_archive(archive, &force->fields[k]);
        if (!phx_archive_status(archive) && force->fields[k].n != phx_body_n_q(system->bodies[force->body].body))
            phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT,
                                               "a load over a body has another number of coordinates than the body"));
    }
    force->a = force->b = -1;
}

const force_operations phx_sys_force_distributed = {.noun = "load",
                                                    .outside = true,
                                                    .archive = distributed_archive,
                                                    .evaluate = distributed_evaluate,
                                                    .supplies = phx_sys_force_always,
                                                    .dissipates = phx_sys_force_never,
                                                    .circulatory = phx_sys_force_is_given};
