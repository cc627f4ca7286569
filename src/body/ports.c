/* Ports of a body: the map P from nu to the port's rate, its transpose, and their derivatives. */
#include "body/sliding/sliding.h"

#include <string.h>

#define real    double
#define NAME(x) x
#include "port/place_kernel.h"

void phx_body_port_free(phx_body_port *port)
{
    if (port)
        phx_flex_point_free(&port->point);
}

/* The rotation matrix of an attitude: in space the attitude itself, which spares a copy; in the plane in `room`. */
static inline const double *frame(const int dim, const double *attitude, double *room)
{
    if (dim == 3)
        return attitude;
    phx_attitude_rotation(dim, attitude, room);
    return room;
}

/* A view from the frame of a port. An inertial vector is a frame that keeps the inertial axes. */
typedef struct frame_view {
    phx_body_view view;
    double x[3][12], v[3][6];
} frame_view;

bool phx_body_port_is_vector(const phx_body *body, const phx_body_port *port)
{
    return body->directions && port->frame.x >= body->q_x;
}

void phx_body_port_attitude(const phx_body *body, const phx_body_port *port, const double *x, double *R)
{
    static const double inertial[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};

    if (phx_body_port_is_vector(body, port))
        memcpy(R, inertial, sizeof inertial);
    else
        phx_attitude_rotation(body->dim, x + port->frame.x + body->dim, R);
}

/* A view of a frame with the inertial axes at the vector of a port: of its attitude and turning nothing is seen. */
static const phx_body_view *from_vector(const phx_body_port *port, const phx_body_view *view, frame_view *room)
{
    static const double inertial[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const double *x[3] = {view->x0, view->x1, view->xm}, *v[3] = {view->v0, view->v1, view->vm};

    for (int k = 0; k < 3; k++) {
        memcpy(room->x[k], x[k] + port->frame.x, 3 * sizeof(double));
        memcpy(room->x[k] + 3, inertial, sizeof inertial);
        memset(room->v[k], 0, sizeof room->v[k]);
        if (v[k])
            memcpy(room->v[k], v[k] + port->frame.v, 3 * sizeof(double));
    }
    room->view = (phx_body_view){.h = view->h,
                                 .x0 = view->x0 == view->x1 ? room->x[1] : room->x[0],
                                 .x1 = room->x[1],
                                 .xm = room->x[2],
                                 .v0 = room->v[0],
                                 .v1 = room->v[1],
                                 .vm = room->v[2]};
    return &room->view;
}

/* The body as its port sees it: from the frame of the port. `room` holds that view where it is not the body's own. */
static inline const phx_body_view *from_frame(const phx_body *body, const phx_body_port *port,
                                              const phx_body_view *view, frame_view *room)
{
    const int x = port->frame.x, v = port->frame.v;

    if (phx_body_port_is_vector(body, port))
        return from_vector(port, view, room);
    if (x == 0)
        return view;
    room->view = (phx_body_view){.h = view->h,
                                 .x0 = view->x0 + x,
                                 .x1 = view->x1 + x,
                                 .xm = view->xm + x,
                                 .v0 = view->v0 + v,
                                 .v1 = view->v1 + v,
                                 .vm = view->vm + v};
    return &room->view;
}

/* The functions of a port take the number of coordinates that its point knows: with 0, a rigid body, nothing is left of
 * the loops over them. Those that move the place, y += phi q, are often few: */
static inline void add_place(const int dim, const int n_q, const phx_flex_point *point, const double *q, double *y)
{
    if (n_q > 0)
        add_some_shapes(dim, point->zero_columns[0], n_q - point->zero_columns[1], n_q, point->phi, q, point->dof, y);
}

/* y = x + phi q (dim) of the point in body axes; q NULL or n_q = 0: x itself, else in `room`. */
static inline const double *local_place(const int dim, const int n_q, const phx_flex_point *point, const double *q,
                                        double *room)
{
    if (n_q == 0 || !q)
        return point->x;
    for (int a = 0; a < dim; a++)
        room[a] = point->x[a];
    add_place(dim, n_q, point, q, room);
    return room;
}

/* Lever arm of efforts at the mean state: x + phi q_mean, undeformed with simplified kinetics. */
static inline const double *lever(const int dim, const int n_q, const phx_body *body, const phx_flex_point *point,
                                  const double *xm, double *room)
{
    return n_q == 0 ? point->x : local_place(dim, n_q, point, phx_body_q_inertia(body, xm), room);
}

/* theta += Theta q (n_rot) */
static inline void add_turn(const int dim, const int n_q, const phx_flex_point *point, const double *q, double *theta)
{
    add_shapes(phx_rotations(dim), n_q, point->theta, q, point->dof, theta);
}

/* Place u and frame R in inertial axes, and section rotation theta in body axes, of a port at the single instant x; dim
 * and n_q are compile-time constants where possible. */
static inline void end_place(const int dim, const int n_q, const phx_body *body, const phx_flex_point *point,
                             const double *x, double *u, double *R, double *theta)
{
    const double *q = n_q == 0 ? NULL : phx_body_q(body, x);
    double room[4], local[3];

    for (int a = 0; a < dim; a++)
        local[a] = point->x[a];
    for (int a = 0; a < phx_rotations(dim); a++)
        theta[a] = 0.0;
    add_place(dim, n_q, point, q, local);
    add_turn(dim, n_q, point, q, theta);
    phx_rot_apply(dim, frame(dim, x + dim, room), local, u);
    phx_attitude_rotation(dim, x + dim, R);
    for (int a = 0; a < dim; a++)
        u[a] += x[a];
}

/* Velocity of the point relative to the axes, in body components. */
static inline void velocity_of(const int dim, const int n_q, const phx_body *body, const phx_flex_point *point,
                               const double *y, const double *v, double *velocity)
{
    rot_x_vec(dim, v + dim, y, velocity);
    for (int a = 0; a < dim; a++)
        velocity[a] += v[a];
    add_place(dim, n_q, point, v + body->q_v, velocity);
}

/* P nu, theory 3 */
static inline void port_rate(const int dim, const int n_q, const phx_body *body, const phx_flex_point *point,
                             const phx_body_view *view, double *rate)
{
    const int n_rot = phx_rotations(dim);
    double room[4], local[3], velocity[3], inertial[3], turn[3] = {0};

    velocity_of(dim, n_q, body, point, lever(dim, n_q, body, point, view->xm, local), view->vm, velocity);
    add_turn(dim, n_q, point, view->vm + body->q_v, turn);
    phx_rot_apply(dim, frame(dim, view->xm + dim, room), velocity, inertial);
    for (int a = 0; a < dim; a++)
        rate[a] = inertial[a];
    for (int k = 0; k < n_rot; k++) {
        rate[dim + k] = view->vm[dim + k];
        rate[dim + n_rot + k] = turn[k];
    }
}

/* Means and rates over the interval. */
static inline void view_mean(const int dim, const int n_q, const phx_body *body, const phx_flex_point *point,
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
    port_rate(dim, n_q, body, point, view, out->rate);
}

static inline void view_port(const int dim, const int n_q, const phx_body *body, const phx_flex_point *point,
                             const phx_body_view *view, bool whole, phx_port_view *out)
{
    end_place(dim, n_q, body, point, view->x1, out->u1, out->R1, out->theta1);
    if (whole && view->x0 == view->x1) { /* an instant */
        memcpy(out->u0, out->u1, sizeof out->u0);
        memcpy(out->R0, out->R1, sizeof out->R0);
        memcpy(out->theta0, out->theta1, sizeof out->theta0);
    } else if (whole) {
        end_place(dim, n_q, body, point, view->x0, out->u0, out->R0, out->theta0);
    }
    view_mean(dim, n_q, body, point, view, out);
}

/* View of a port over an interval for all dimensions, with or without deformation. `whole` also sets what only the
 * derivatives and the start of the interval need. */
static void view_any(const phx_body *body, const phx_body_port *port, const phx_body_view *view, bool whole,
                     phx_port_view *out)
{
    const phx_flex_point *point = &port->point;
    frame_view room;

    view = from_frame(body, port, view, &room);
    out->dim = body->dim;
    out->slides = false;
    out->straight = point->n == 0;
    out->h = view->h;
    if (body->dim == 2 && point->n == 0)
        view_port(2, 0, body, point, view, whole, out);
    else if (body->dim == 2)
        view_port(2, point->n, body, point, view, whole, out);
    else if (point->n == 0)
        view_port(3, 0, body, point, view, whole, out);
    else
        view_port(3, point->n, body, point, view, whole, out);
}

static int wheel_column(const phx_body *body, const phx_body_port *port)
{
    return body->n_v - body->n_places + port->wheel - 1;
}

/* The turn of a wheel and its rate in place of the entry of the port that is theirs. */
static void view_wheel(const phx_body *body, const phx_body_port *port, const phx_body_view *view, phx_port_view *out)
{
    const int x = body->n_x - body->n_places + port->wheel - 1, first = body->dim + body->n_rot, e = port->wheel_entry;
    const bool is_place = e < first; /* else a turn of the section */
    double *at0 = is_place ? &out->u0[e] : &out->theta0[e - first],
           *at1 = is_place ? &out->u1[e] : &out->theta1[e - first];

    *at0 = view->x0[x];
    *at1 = view->x1[x];
    *(is_place ? &out->um[e] : &out->thetam[e - first]) = 0.5 * (*at0 + *at1);
    out->rate[e] = view->vm[wheel_column(body, port)];
}

void phx_body_port_view(const phx_body *body, const phx_body_port *port, const phx_body_view *view, phx_port_view *out)
{
    if (port->slides) {
        phx_slide_view(body, port, view, out);
        return;
    }
    view_any(body, port, view, true, out);
    if (port->wheel)
        view_wheel(body, port, view, out);
}

void phx_body_port_view_end(const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                            phx_port_view *out)
{
    if (port->slides) {
        phx_slide_view(body, port, view, out);
        return;
    }
    view_any(body, port, view, false, out);
    if (port->wheel)
        view_wheel(body, port, view, out);
}

/* Places and rates of ports of rigid bodies at an instant; attitude and angular velocity only where `frame` is set.
 * Ports with `fixed` copy that view. */
static inline void view_rigid(const int dim, int n, const phx_rigid_port *ports, const double *x, const double *v,
                              phx_port_view *views)
{
    for (int i = 0; i < n; i++) {
        const phx_rigid_port *port = &ports[i];
        const double *xb = x + port->x, *vb = v + port->v;
        phx_port_view *out = &views[i];
        double R[9], velocity[3];
        if (port->fixed) {
            *out = *port->fixed;
            continue;
        }
        phx_attitude_rotation(dim, xb + dim, R);
        phx_rot_apply(dim, R, port->point, out->u1);
        rot_x_vec(dim, vb + dim, port->point, velocity);
        for (int a = 0; a < dim; a++) {
            out->u1[a] += xb[a];
            velocity[a] += vb[a];
        }
        phx_rot_apply(dim, R, velocity, out->rate);
        if (!port->frame)
            continue;
        for (int k = 0; k < dim * dim; k++)
            out->R1[k] = R[k];
        for (int k = 0; k < phx_rotations(dim); k++)
            out->rate[dim + k] = vb[dim + k];
    }
}

void phx_body_view_rigid(int dim, int n, const phx_rigid_port *ports, const double *x, const double *v,
                         phx_port_view *views)
{
    if (dim == 2)
        view_rigid(2, n, ports, x, v, views);
    else
        view_rigid(3, n, ports, x, v, views);
}

/* P^T e:  f = R^T F;  rows v: f,  w: y x f + tau_w,  q: phi^T f + theta^T tau_theta. */
static inline void port_apply(const int dim, const int n_q, const phx_body *body, const phx_flex_point *point,
                              const phx_body_view *view, double alpha, const double *effort, double *res)
{
    const int n_rot = phx_rotations(dim);
    double room[4], f[3], local[3], torque[3];

    phx_rot_apply_transposed(dim, frame(dim, view->xm + dim, room), effort, f);
    phx_vec_x_vec(dim, lever(dim, n_q, body, point, view->xm, local), f, torque);
    for (int a = 0; a < dim; a++)
        res[a] += alpha * f[a];
    for (int k = 0; k < n_rot; k++)
        res[dim + k] += alpha * (torque[k] + effort[dim + k]);
    for (int j = 0; j < n_q; j++) {
        double sum = 0.0;
        if (j >= point->zero_columns[0] && j < n_q - point->zero_columns[1])
            along_shape(dim, n_q, point->phi, j, f, &sum);
        for (int k = 0; k < n_rot; k++)
            sum += point->theta[k * n_q + j] * effort[dim + n_rot + k];
        res[body->q_v + point->dof[j]] += alpha * sum;
    }
}

/* res += alpha P^T effort: adds an effort on a port to the body's equations. dim and the number of deformations are
 * constants where they can be. */
void phx_body_port_apply(const phx_body *body, const phx_body_port *port, const phx_body_view *view, double alpha,
                         const double *effort, double *res)
{
    const phx_flex_point *point = &port->point;
    frame_view room;

    double own[PHX_PORT_MAX];

    if (port->slides) {
        phx_slide_apply(body, port, view, alpha, effort, res);
        return;
    }
    if (port->wheel) {
        res[wheel_column(body, port)] += alpha * effort[port->wheel_entry];
        effort = phx_body_port_without_wheel(port, effort, own);
    }
    if (phx_body_port_is_vector(body, port)) { /* no moments */
        for (int a = 0; a < 3; a++)
            res[port->frame.v + a] += alpha * effort[a];
        return;
    }
    view = from_frame(body, port, view, &room);
    res += port->frame.v;
    if (body->dim == 2 && point->n == 0)
        port_apply(2, 0, body, point, view, alpha, effort, res);
    else if (body->dim == 2)
        port_apply(2, point->n, body, point, view, alpha, effort, res);
    else if (point->n == 0)
        port_apply(3, 0, body, point, view, alpha, effort, res);
    else
        port_apply(3, point->n, body, point, view, alpha, effort, res);
}

/* Frames and lever arm, common to all derivatives of a port. */
typedef struct port_pose {
    const double *R, *R1; /* frame of the body: mean, end */
    const double *y;
    double room[8], local[3], turn[9];
} port_pose;

static inline void ports_pose_of(const int dim, const int n_q, const phx_body *body, const phx_flex_point *point,
                                 const phx_body_view *view, port_pose *pose)
{
    pose->R = frame(dim, view->xm + dim, pose->room);
    pose->R1 = frame(dim, view->x1 + dim, pose->room + 4);
    pose->y = lever(dim, n_q, body, point, view->xm, pose->local);
    frame_variation(dim, view->h, view->vm + dim, pose->turn);
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
    double room[4], local[3];

    memset(P, 0, (size_t)phx_port_size(dim) * (size_t)n * sizeof *P);
    place_jacobian(dim, point->n, point->phi, frame(dim, view->xm + dim, room),
                   lever(dim, point->n, body, point, view->xm, local), P);
    for (int k = 0; k < n_rot; k++) {
        P[(dim + k) * n + dim + k] = 1.0;
        for (int j = 0; j < point->n; j++)
            P[(r + k) * n + r + j] = point->theta[k * point->n + j];
    }
    return phx_body_port_columns(body, port, cols);
}

int phx_body_port_columns(const phx_body *body, const phx_body_port *port, int *cols)
{
    const int r = body->n_rigid, n = r + port->point.n;

    if (port->slides)
        return phx_slide_columns(body, port, cols);
    for (int c = 0; cols && c < n; c++)
        cols[c] = c < r ? port->frame.v + c : body->q_v + port->point.dof[c - r];
    for (int c = 3; cols && c < n && phx_body_port_is_vector(body, port);
         c++) /* of a rotation that it does not have: any */
        cols[c] = port->frame.v + (port->frame.v + c < body->n_v ? c : c - 6);
    if (cols && port->wheel)
        cols[n] = wheel_column(body, port);
    return n + (port->wheel ? 1 : 0);
}

/* Rows of n columns become such of n + 1, the last one of the wheel, which alone stands in its entry. */
static void widen_by_wheel(const phx_body_port *port, int rows, int n, double *P)
{
    for (int i = rows - 1; i >= 0; i--) { /* from the end, where nothing is overwritten that is still to be moved */
        memmove(P + i * (n + 1), P + i * n, (size_t)n * sizeof *P);
        P[i * (n + 1) + n] = i == port->wheel_entry ? 1.0 : 0.0;
    }
    memset(P + port->wheel_entry * (n + 1), 0, (size_t)n * sizeof *P);
}

int phx_body_port_jacobian(const phx_body *body, const phx_body_port *port, const phx_body_view *view, int *cols,
                           double *P)
{
    frame_view room;

    if (port->slides) {
        phx_slide_tangents(body, port, view, 0, NULL, NULL, &(phx_slide_derivatives){.P = P});
        return phx_body_port_columns(body, port, cols);
    }
    view = from_frame(body, port, view, &room);
    const int n =
        body->dim == 2 ? port_jacobian(2, body, port, view, cols, P) : port_jacobian(3, body, port, view, cols, P);
    if (port->wheel)
        widen_by_wheel(port, phx_port_size(body->dim), n - 1, P);
    return n;
}

static inline void only_place(const int dim, const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                              double *P)
{
    const phx_flex_point *point = &port->point;
    double room[4], local[3];
    const double *R = frame(dim, view->xm + dim, room);

    if (point->n == 0)
        place_jacobian(dim, 0, point->phi, R, point->x, P);
    else
        place_jacobian(dim, point->n, point->phi, R, lever(dim, point->n, body, point, view->xm, local), P);
}

void phx_body_port_place_jacobian(const phx_body *body, const phx_body_port *port, const phx_body_view *view, double *P)
{
    frame_view room;

    view = from_frame(body, port, view, &room);
    if (body->dim == 2)
        only_place(2, body, port, view, P);
    else
        only_place(3, body, port, view, P);
}

/* With simplified kinetics the lever arm is that of the undeformed body: terms by d(phi q) are zero. */
static inline void geometric(const int dim, const int n_q, const phx_body *body, const phx_flex_point *point,
                             const port_pose *pose, const double *effort, double *turns, double *bends)
{
    geometric_terms(dim, n_q, point->phi, 1.0, pose->R, pose->R1, pose->y, pose->turn, effort, turns, bends);
    for (int e = 0; e < phx_rotations(dim) * n_q && body->kinetics != PHX_KINETICS_FULL; e++)
        bends[e] = 0.0;
}

/* d(P nu)/d xi at fixed nu, rows of u, columns from the turns on. */
static inline void rate_tangent(const int dim, const int n_q, const phx_body *body, const phx_flex_point *point,
                                const phx_body_view *view, const port_pose *pose, double *out)
{
    const int n_rot = phx_rotations(dim), n = n_rot + n_q;
    double velocity[3];

    velocity_of(dim, n_q, body, point, pose->y, view->vm, velocity);
    for (int a = 0; a < dim; a++, out += n) {
        rate_tangent_row(dim, n_q, point->phi, a, pose->R, pose->R1, view->vm + dim, velocity, pose->turn, out);
        for (int j = n_rot; j < n && body->kinetics != PHX_KINETICS_FULL; j++)
            out[j] = 0.0;
    }
}

/* Derivatives at a port: the place's Jacobian, the change of P nu at fixed velocities, the rotation map, and with
 * `effort` the geometric part d(P^T e). NULL pointers are skipped. */
static inline void tangents_in(const int dim, const int n_q, const phx_body *body, const phx_body_port *port,
                               const phx_body_view *view, const double *effort, const phx_port_tangents *out)
{
    const phx_flex_point *point = &port->point;
    port_pose pose;

    ports_pose_of(dim, n_q, body, point, view, &pose);
    if (out->place)
        place_jacobian(dim, n_q, point->phi, pose.R, pose.y, out->place);
    if (out->rate)
        rate_tangent(dim, n_q, body, point, view, &pose, out->rate);
    for (int k = 0; k < phx_rotations(dim) * phx_rotations(dim) && out->turn; k++)
        out->turn[k] = pose.turn[k];
    if (effort)
        geometric(dim, n_q, body, point, &pose, effort, out->turns, out->bends);
}

static inline void tangents(const int dim, const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                            const double *effort, const phx_port_tangents *out)
{
    if (port->point.n == 0)
        tangents_in(dim, 0, body, port, view, effort, out);
    else
        tangents_in(dim, port->point.n, body, port, view, effort, out);
}

void phx_body_port_tangents(const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                            const double *effort, const phx_port_tangents *out)
{
    frame_view room;

    view = from_frame(body, port, view, &room);
    if (body->dim == 2)
        tangents(2, body, port, view, effort, out);
    else
        tangents(3, body, port, view, effort, out);
}

int phx_body_port_active(const phx_body *body, const phx_body_port *port, const phx_body_view *view, int *active)
{
    return phx_slide_active(body, port, view, active);
}

bool phx_body_port_meets(const phx_body *body, const phx_body_port *port, int one, int other)
{
    return !port->slides || phx_slide_meets(body, one, other);
}

void phx_body_port_slide_tangents(const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                                  int n_active, const int *active, const double *effort,
                                  const phx_slide_derivatives *out)
{
    phx_slide_tangents(body, port, view, n_active, active, effort, out);
}
