/* Ports of a floating body: the map P from nu to the port's rate, its transpose, and their derivatives. */
#include "body_internal.h"

#include <string.h>

void phx_body_port_free(phx_body_port *port)
{
    if (port)
        phx_flex_point_free(&port->point);
}

/* y = x + phi q (dim) and theta(q) (n_rot) of the point in body axes. */
static inline void local_place(const int dim, const phx_flex_point *point, const double *q, double *y, double *theta)
{
    for (int a = 0; a < dim; a++) {
        y[a] = point->x[a];
        for (int k = 0; q && k < point->n; k++)
            y[a] += point->phi[a * point->n + k] * q[point->dof[k]];
    }
    for (int a = 0; theta && a < phx_rotations(dim); a++) {
        theta[a] = 0.0;
        for (int k = 0; q && k < point->n; k++)
            theta[a] += point->theta[a * point->n + k] * q[point->dof[k]];
    }
}

/* Lever arm of efforts at the mean state: x + phi q_mean, undeformed with simplified kinetics. */
static inline void lever(const int dim, const phx_body *body, const phx_flex_point *point, const double *xm, double *y)
{
    local_place(dim, point, phx_body_q_inertia(body, xm), y, NULL);
}

static inline void end_place(const int dim, const phx_body *body, const phx_flex_point *point, const double *x,
                             double *u, double *R, double *theta)
{
    double y[3];

    local_place(dim, point, phx_body_q(body, x), y, theta);
    phx_attitude_rotation(dim, x + dim, R);
    phx_rot_apply(dim, R, y, u);
    for (int a = 0; a < dim; a++)
        u[a] += x[a];
}

/* Velocity of the point relative to the axes, in body components: v + w x y + phi q_dot. */
static inline void local_velocity(const int dim, const phx_flex_point *point, const double *y, const double *v,
                                  double *velocity)
{
    phx_rot_x_vec(dim, v + dim, y, velocity);
    for (int a = 0; a < dim; a++) {
        velocity[a] += v[a];
        for (int k = 0; k < point->n; k++)
            velocity[a] += point->phi[a * point->n + k] * v[dim + phx_rotations(dim) + point->dof[k]];
    }
}

/* What lies between the ends: means and rates. */
static inline void view_mean(const int dim, const phx_body *body, const phx_flex_point *point,
                             const phx_body_view *view, phx_port_view *out)
{
    const int n_rot = phx_rotations(dim);
    double y[3], velocity[3];

    for (int a = 0; a < dim; a++)
        out->um[a] = 0.5 * (out->u0[a] + out->u1[a]);
    for (int k = 0; k < n_rot; k++)
        out->thetam[k] = 0.5 * (out->theta0[k] + out->theta1[k]);
    phx_attitude_rotation(dim, view->xm + dim, out->Rm);
    if (dim == 2) {
        out->angle0 = view->x0[dim + 2];
        out->angle1 = view->x1[dim + 2];
    }
    lever(dim, body, point, view->xm, y);
    local_velocity(dim, point, y, view->vm, velocity);
    phx_rot_apply(dim, out->Rm, velocity, out->rate);
    for (int k = 0; k < n_rot; k++) {
        double theta_dot = 0.0;
        for (int j = 0; j < point->n; j++)
            theta_dot += point->theta[k * point->n + j] * view->vm[dim + n_rot + point->dof[j]];
        out->rate[dim + k] = view->vm[dim + k];
        out->rate[dim + n_rot + k] = theta_dot;
    }
}

static inline void view_start(const int dim, const phx_body *body, const phx_flex_point *point,
                              const phx_body_view *view, phx_port_view *out)
{
    if (view->x0 == view->x1) {
        memcpy(out->u0, out->u1, sizeof out->u0);
        memcpy(out->R0, out->R1, sizeof out->R0);
        memcpy(out->theta0, out->theta1, sizeof out->theta0);
    } else {
        end_place(dim, body, point, view->x0, out->u0, out->R0, out->theta0);
    }
}

static inline void view_port(const int dim, const phx_body *body, const phx_flex_point *point,
                             const phx_body_view *view, bool whole, phx_port_view *out)
{
    end_place(dim, body, point, view->x1, out->u1, out->R1, out->theta1);
    if (whole)
        view_start(dim, body, point, view, out);
    view_mean(dim, body, point, view, out);
}

void phx_body_port_view(const phx_body *body, const phx_body_port *port, const phx_body_view *view, phx_port_view *out)
{
    out->dim = body->dim;
    out->h = view->h;
    if (body->dim == 2)
        view_port(2, body, &port->point, view, true, out);
    else
        view_port(3, body, &port->point, view, true, out);
}

void phx_body_port_view_end(const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                            phx_port_view *out)
{
    out->h = view->h;
    if (body->dim == 2)
        view_port(2, body, &port->point, view, false, out);
    else
        view_port(3, body, &port->point, view, false, out);
}

/* P^T e:  f = R^T F;  rows v: f,  w: y x f + tau_w,  q: phi^T f + theta^T tau_theta. */
static inline void port_apply(const int dim, const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                              double alpha, const double *effort, double *res)
{
    const phx_flex_point *point = &port->point;
    const int n_rot = phx_rotations(dim);
    double R[9], f[3], y[3], torque[3];

    phx_attitude_rotation(dim, view->xm + dim, R);
    phx_rot_apply_transposed(dim, R, effort, f);
    lever(dim, body, point, view->xm, y);
    phx_vec_x_vec(dim, y, f, torque);
    for (int a = 0; a < dim; a++)
        res[a] += alpha * f[a];
    for (int k = 0; k < n_rot; k++)
        res[dim + k] += alpha * (torque[k] + effort[dim + k]);
    for (int j = 0; j < point->n; j++) {
        double sum = 0.0;
        for (int a = 0; a < dim; a++)
            sum += point->phi[a * point->n + j] * f[a];
        for (int k = 0; k < n_rot; k++)
            sum += point->theta[k * point->n + j] * effort[dim + n_rot + k];
        res[(dim + n_rot) + point->dof[j]] += alpha * sum;
    }
}

void phx_body_port_apply(const phx_body *body, const phx_body_port *port, const phx_body_view *view, double alpha,
                         const double *effort, double *res)
{
    if (body->dim == 2)
        port_apply(2, body, port, view, alpha, effort, res);
    else
        port_apply(3, body, port, view, alpha, effort, res);
}

/* dphi/dw of axis k: R1 = R0 cay(h w) changes by R1 [dpsi]x, dpsi = h (dw - h w x dw/2)/(1 + |h w|^2/4), R_m by half of
 * it; a variation xi is h/2 times one of the velocity. */
static inline void frame_turn(const int dim, const phx_body_view *view, int axis, double *turn)
{
    const int n_rot = phx_rotations(dim);
    const double *w = view->vm + dim;
    double unit[3] = {0}, across[3], half = 0.5 * view->h, scale = 1.0;

    unit[axis] = 1.0;
    phx_rot_x_rot(dim, w, unit, across);
    for (int k = 0; k < n_rot; k++)
        scale += half * half * w[k] * w[k];
    for (int k = 0; k < n_rot; k++)
        turn[k] = (unit[k] - half * across[k]) / scale;
}

void phx_body_turn(const phx_body *body, const phx_body_view *view, int axis, double *turn)
{
    if (body->dim == 2)
        frame_turn(2, view, axis, turn);
    else
        frame_turn(3, view, axis, turn);
}

/*         v      w        q
 *   u  |  R   R(.x y)   R phi  |
 *   w  |  0     I         0    |
 *   th |  0     0       theta  |     */
static inline int port_jacobian(const int dim, const phx_body *body, const phx_body_port *port,
                                const phx_body_view *view, int *cols, double *P)
{
    const phx_flex_point *point = &port->point;
    const int n_rot = phx_rotations(dim), r = dim + n_rot, n = r + point->n;
    double R[9], y[3], local[3], column[3], unit[3] = {0};

    memset(P, 0, (size_t)phx_port_size(dim) * (size_t)n * sizeof *P);
    phx_attitude_rotation(dim, view->xm + dim, R);
    lever(dim, body, point, view->xm, y);
    for (int a = 0; a < dim; a++)
        for (int c = 0; c < dim; c++)
            P[a * n + c] = R[a * dim + c];
    for (int k = 0; k < n_rot; k++) {
        unit[k] = 1.0;
        phx_rot_x_vec(dim, unit, y, local);
        unit[k] = 0.0;
        phx_rot_apply(dim, R, local, column);
        for (int a = 0; a < dim; a++)
            P[a * n + dim + k] = column[a];
        P[(dim + k) * n + dim + k] = 1.0;
    }
    for (int j = 0; j < point->n; j++) {
        for (int a = 0; a < dim; a++)
            local[a] = point->phi[a * point->n + j];
        phx_rot_apply(dim, R, local, column);
        for (int a = 0; a < dim; a++)
            P[a * n + r + j] = column[a];
        for (int k = 0; k < n_rot; k++)
            P[(r + k) * n + r + j] = point->theta[k * point->n + j];
    }
    for (int c = 0; cols && c < n; c++)
        cols[c] = c < r ? c : r + point->dof[c - r];
    return n;
}

int phx_body_port_jacobian(const phx_body *body, const phx_body_port *port, const phx_body_view *view, int *cols,
                           double *P)
{
    return body->dim == 2 ? port_jacobian(2, body, port, view, cols, P) : port_jacobian(3, body, port, view, cols, P);
}

/* xi: d(R_m^T F) = f1 x dphi, f1 = R1^T F, dy = phi dq (phx_body_turn):
 *   rows v: f1 x dphi;  w: (phi dq) x f + y x (f1 x dphi);  q: phi^T (f1 x dphi). */
static inline void port_geometric(const int dim, const phx_body *body, const phx_body_port *port,
                                  const phx_body_view *view, double alpha, const double *effort, double *out)
{
    const phx_flex_point *point = &port->point;
    const int n_rot = phx_rotations(dim), r = dim + n_rot, n = r + point->n;
    const bool moves = body->kinetics == PHX_KINETICS_FULL;
    double R[9], f[3], f1[3], y[3], df[3], torque[3], turn[3], phi[3];

    phx_attitude_rotation(dim, view->xm + dim, R);
    phx_rot_apply_transposed(dim, R, effort, f);
    phx_attitude_rotation(dim, view->x1 + dim, R);
    phx_rot_apply_transposed(dim, R, effort, f1);
    lever(dim, body, point, view->xm, y);
    for (int c = dim; c < r; c++) {
        frame_turn(dim, view, c - dim, turn);
        phx_vec_x_rot(dim, f1, turn, df);
        phx_vec_x_vec(dim, y, df, torque);
        for (int a = 0; a < dim; a++)
            out[a * n + c] += alpha * df[a];
        for (int k = 0; k < n_rot; k++)
            out[(dim + k) * n + c] += alpha * torque[k];
        for (int j = 0; j < point->n; j++)
            for (int a = 0; a < dim; a++)
                out[(r + j) * n + c] += alpha * point->phi[a * point->n + j] * df[a];
    }
    for (int j = 0; moves && j < point->n; j++) {
        for (int a = 0; a < dim; a++)
            phi[a] = point->phi[a * point->n + j];
        phx_vec_x_vec(dim, phi, f, torque);
        for (int k = 0; k < n_rot; k++)
            out[(dim + k) * n + r + j] += alpha * torque[k];
    }
}

void phx_body_port_geometric(const phx_body *body, const phx_body_port *port, const phx_body_view *view, double alpha,
                             const double *effort, double *out)
{
    if (body->dim == 2)
        port_geometric(2, body, port, view, alpha, effort, out);
    else
        port_geometric(3, body, port, view, alpha, effort, out);
}

/* d(P nu)/d xi at fixed nu: only the rows of u, R1 (dphi x velocity) + R_m (w x phi dq). */
static inline void port_rate_tangent(const int dim, const phx_body *body, const phx_body_port *port,
                                     const phx_body_view *view, double *out)
{
    const phx_flex_point *point = &port->point;
    const int n_rot = phx_rotations(dim), r = dim + n_rot, n = r + point->n;
    double R[9], R1[9], y[3], velocity[3], local[3], column[3], turn[3];

    memset(out, 0, (size_t)phx_port_size(dim) * (size_t)n * sizeof *out);
    phx_attitude_rotation(dim, view->xm + dim, R);
    phx_attitude_rotation(dim, view->x1 + dim, R1);
    lever(dim, body, point, view->xm, y);
    local_velocity(dim, point, y, view->vm, velocity);
    for (int c = dim; c < n; c++) {
        if (c < r) {
            frame_turn(dim, view, c - dim, turn);
            phx_rot_x_vec(dim, turn, velocity, local);
        } else if (body->kinetics == PHX_KINETICS_FULL) {
            double phi[3];
            for (int a = 0; a < dim; a++)
                phi[a] = point->phi[a * point->n + c - r];
            phx_rot_x_vec(dim, view->vm + dim, phi, local);
        } else {
            continue;
        }
        phx_rot_apply(dim, c < r ? R1 : R, local, column);
        for (int a = 0; a < dim; a++)
            out[a * n + c] = column[a];
    }
}

void phx_body_port_rate_tangent(const phx_body *body, const phx_body_port *port, const phx_body_view *view, double *out)
{
    if (body->dim == 2)
        port_rate_tangent(2, body, port, view, out);
    else
        port_rate_tangent(3, body, port, view, out);
}

/* u1 = u0 + h rate_u, so du_m = (P + h/2 d(P nu)/d xi) xi in the rows of u; turn in those of w; P in those of theta. */
static inline void port_variation(const int dim, const phx_body_port *port, const phx_body_view *view, const double *P,
                                  const double *rate_tangent, double *W)
{
    const int n_rot = phx_rotations(dim), n = (dim + n_rot) + port->point.n;
    double turn[3];

    memcpy(W, P, (size_t)phx_port_size(dim) * (size_t)n * sizeof *W);
    for (int e = 0; e < dim * n; e++)
        W[e] += 0.5 * view->h * rate_tangent[e];
    for (int c = 0; c < n_rot; c++) {
        frame_turn(dim, view, c, turn);
        for (int k = 0; k < n_rot; k++)
            W[(dim + k) * n + dim + c] = turn[k];
    }
}

void phx_body_port_variation(const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                             const double *P, const double *rate_tangent, double *W)
{
    if (body->dim == 2)
        port_variation(2, port, view, P, rate_tangent, W);
    else
        port_variation(3, port, view, P, rate_tangent, W);
}
