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

/* P nu */
static inline void port_rate(const int dim, const phx_body *body, const phx_flex_point *point,
                             const phx_body_view *view, double *rate)
{
    const int n_rot = phx_rotations(dim);
    double R[9], y[3], velocity[3];

    phx_attitude_rotation(dim, view->xm + dim, R);
    lever(dim, body, point, view->xm, y);
    local_velocity(dim, point, y, view->vm, velocity);
    phx_rot_apply(dim, R, velocity, rate);
    for (int k = 0; k < n_rot; k++) {
        double theta_dot = 0.0;
        for (int j = 0; j < point->n; j++)
            theta_dot += point->theta[k * point->n + j] * view->vm[dim + n_rot + point->dof[j]];
        rate[dim + k] = view->vm[dim + k];
        rate[dim + n_rot + k] = theta_dot;
    }
}

/* What lies between the ends: means and rates. */
static inline void view_mean(const int dim, const phx_body *body, const phx_flex_point *point,
                             const phx_body_view *view, phx_port_view *out)
{
    const int n_rot = phx_rotations(dim);

    for (int a = 0; a < dim; a++)
        out->um[a] = 0.5 * (out->u0[a] + out->u1[a]);
    for (int k = 0; k < n_rot; k++)
        out->thetam[k] = 0.5 * (out->theta0[k] + out->theta1[k]);
    phx_attitude_rotation(dim, view->xm + dim, out->Rm);
    if (dim == 2) {
        out->angle0 = view->x0[dim + 2];
        out->angle1 = view->x1[dim + 2];
    }
    port_rate(dim, body, point, view, out->rate);
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

void phx_body_port_rate(const phx_body *body, const phx_body_port *port, const phx_body_view *view, double *rate)
{
    if (body->dim == 2)
        port_rate(2, body, &port->point, view, rate);
    else
        port_rate(3, body, &port->point, view, rate);
}

void phx_body_port_view(const phx_body *body, const phx_body_port *port, const phx_body_view *view, phx_port_view *out)
{
    out->dim = body->dim;
    out->straight = port->point.n == 0;
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

/* dphi/dw: R1 = R0 cay(h w) changes by R1 [dpsi]x, dpsi = h (dw - h w x dw/2)/(1 + |h w|^2/4), R_m by half of it; a
 * variation xi is h/2 times one of the velocity. n_rot x n_rot: (I - [h w/2]x)/(1 + |h w/2|^2) */
static inline void frame_turn(const int dim, const phx_body_view *view, double *turn)
{
    const double *w = view->vm + dim, half = 0.5 * view->h;

    if (dim == 2) {
        turn[0] = 1.0 / (1.0 + half * half * w[0] * w[0]);
        return;
    }
    const double a = half * w[0], b = half * w[1], c = half * w[2];
    const double scale = 1.0 / (1.0 + a * a + b * b + c * c);
    const double matrix[9] = {scale, scale * c, -scale * b, -scale * c, scale, scale * a, scale * b, -scale * a, scale};
    memcpy(turn, matrix, sizeof matrix);
}

/* What the derivatives of a port have in common. */
typedef struct port_pose {
    double R[9], R1[9]; /* frame of the body: mean, end */
    double y[3], turn[9];
} port_pose;

static inline void pose_of(const int dim, const phx_body *body, const phx_flex_point *point, const phx_body_view *view,
                           port_pose *pose)
{
    phx_attitude_rotation(dim, view->xm + dim, pose->R);
    phx_attitude_rotation(dim, view->x1 + dim, pose->R1);
    lever(dim, body, point, view->xm, pose->y);
    frame_turn(dim, view, pose->turn);
}

/* Rows u of P, dim x n:  R,  R_a . (e_k x y) = (y x R_a)_k,  R phi. */
static inline void place_jacobian(const int dim, const phx_flex_point *point, const double *R, const double *y,
                                  double *P)
{
    const int r = dim + phx_rotations(dim), n = r + point->n;

    for (int a = 0; a < dim; a++) {
        for (int c = 0; c < dim; c++)
            P[a * n + c] = R[a * dim + c];
        phx_vec_x_vec(dim, y, R + a * dim, P + a * n + dim);
        for (int j = 0; j < point->n; j++) {
            double sum = 0.0;
            for (int c = 0; c < dim; c++)
                sum += R[a * dim + c] * point->phi[c * point->n + j];
            P[a * n + r + j] = sum;
        }
    }
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
    double R[9], y[3];

    memset(P, 0, (size_t)phx_port_size(dim) * (size_t)n * sizeof *P);
    phx_attitude_rotation(dim, view->xm + dim, R);
    lever(dim, body, point, view->xm, y);
    place_jacobian(dim, point, R, y, P);
    for (int k = 0; k < n_rot; k++) {
        P[(dim + k) * n + dim + k] = 1.0;
        for (int j = 0; j < point->n; j++)
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

void phx_body_port_place_jacobian(const phx_body *body, const phx_body_port *port, const phx_body_view *view, double *P)
{
    double R[9], y[3];

    phx_attitude_rotation(body->dim, view->xm + body->dim, R);
    if (body->dim == 2) {
        lever(2, body, &port->point, view->xm, y);
        place_jacobian(2, &port->point, R, y, P);
    } else {
        lever(3, body, &port->point, view->xm, y);
        place_jacobian(3, &port->point, R, y, P);
    }
}

/* xi: d(R_m^T F) = f1 x dphi, f1 = R1^T F, dphi = turn (dw), dy = phi dq:
 *   rows v: f1 x dphi;  w: (phi dq) x f + y x (f1 x dphi);  q: phi^T (f1 x dphi). */
static inline void geometric(const int dim, const phx_body *body, const phx_flex_point *point, const port_pose *pose,
                             const double *effort, double *turns, double *bends)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot;
    double f[3], f1[3], df[3], torque[3], phi[3], column[3];

    phx_rot_apply_transposed(dim, pose->R1, effort, f1);
    for (int c = 0; c < n_rot; c++) {
        for (int k = 0; k < n_rot; k++)
            column[k] = pose->turn[k * n_rot + c];
        phx_vec_x_rot(dim, f1, column, df);
        phx_vec_x_vec(dim, pose->y, df, torque);
        for (int a = 0; a < dim; a++)
            turns[a * n_rot + c] = df[a];
        for (int k = 0; k < n_rot; k++)
            turns[(dim + k) * n_rot + c] = torque[k];
        for (int j = 0; j < point->n; j++) {
            double sum = 0.0;
            for (int a = 0; a < dim; a++)
                sum += point->phi[a * point->n + j] * df[a];
            turns[(r + j) * n_rot + c] = sum;
        }
    }
    phx_rot_apply_transposed(dim, pose->R, effort, f);
    for (int j = 0; j < point->n; j++) {
        for (int a = 0; a < dim; a++)
            phi[a] = point->phi[a * point->n + j];
        phx_vec_x_vec(dim, phi, f, torque);
        for (int k = 0; k < n_rot; k++)
            bends[k * point->n + j] = body->kinetics == PHX_KINETICS_FULL ? torque[k] : 0.0;
    }
}

/* d(P nu)/d xi at fixed nu, rows of u, columns from the turns on: R1 (dphi x velocity) + R_m (w x phi dq); with the
 * rows of R, R1_a . (dphi x velocity) = dphi . (velocity x R1_a) and R_a . (w x phi) = phi . (R_a x w). */
static inline void rate_tangent(const int dim, const phx_body *body, const phx_flex_point *point,
                                const phx_body_view *view, const port_pose *pose, double *out)
{
    const int n_rot = phx_rotations(dim), n = n_rot + point->n;
    const bool full = body->kinetics == PHX_KINETICS_FULL;
    double velocity[3], arm[3];

    local_velocity(dim, point, pose->y, view->vm, velocity);
    for (int a = 0; a < dim; a++) {
        phx_vec_x_vec(dim, velocity, pose->R1 + a * dim, arm);
        for (int c = 0; c < n_rot; c++) {
            double sum = 0.0;
            for (int k = 0; k < n_rot; k++)
                sum += arm[k] * pose->turn[k * n_rot + c];
            out[a * n + c] = sum;
        }
        phx_vec_x_rot(dim, pose->R + a * dim, view->vm + dim, arm);
        for (int j = 0; j < point->n; j++) {
            double sum = 0.0;
            for (int c = 0; c < dim && full; c++)
                sum += point->phi[c * point->n + j] * arm[c];
            out[a * n + n_rot + j] = sum;
        }
    }
}

static inline void tangents(const int dim, const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                            const double *effort, const phx_port_tangents *out)
{
    port_pose pose;

    pose_of(dim, body, &port->point, view, &pose);
    if (out->place)
        place_jacobian(dim, &port->point, pose.R, pose.y, out->place);
    if (out->rate)
        rate_tangent(dim, body, &port->point, view, &pose, out->rate);
    if (out->turn)
        memcpy(out->turn, pose.turn, (size_t)(phx_rotations(dim) * phx_rotations(dim)) * sizeof *pose.turn);
    if (effort)
        geometric(dim, body, &port->point, &pose, effort, out->turns, out->bends);
}

void phx_body_port_tangents(const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                            const double *effort, const phx_port_tangents *out)
{
    if (body->dim == 2)
        tangents(2, body, port, view, effort, out);
    else
        tangents(3, body, port, view, effort, out);
}
