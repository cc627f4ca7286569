/* Coordinates of joints from states of bodies, and back. */
#include "recursive.h"

#include <math.h>
#include <string.h>

/* ---- from the state of the bodies ---- */
/* A body, or the ground, in inertial components. */
typedef struct placed {
    double R[9], r[3], v[3], w[3], angle;
} placed;

/* Place, attitude and velocities of a body in inertial components; the identity at rest for the ground. */
static void place_body(const phx_system *system, int b, const double *x, const double *v, placed *out)
{
    const int dim = system->dim;

    *out = (placed){0};
    for (int i = 0; i < dim; i++)
        out->R[i * dim + i] = 1.0;
    if (b == PHX_GROUND)
        return;
    const double *xb = x + system->bodies[b].x, *vb = v + system->bodies[b].v;
    phx_attitude_rotation(dim, xb + dim, out->R);
    memcpy(out->r, xb, (size_t)dim * sizeof *xb);
    phx_rot_apply(dim, out->R, vb, out->v);
    if (dim == 2) {
        out->angle = xb[4];
        out->w[0] = vb[2];
    } else {
        phx_rot_apply(3, out->R, vb + 3, out->w);
    }
}

/* A point of it, and its velocity. */
static void place_point(int dim, const placed *body, const double *point, double *r, double *v)
{
    double arm[3], turned[3];

    phx_rot_apply(dim, body->R, point, arm);
    phx_rot_x_vec(dim, body->w, arm, turned);
    for (int i = 0; i < dim; i++) {
        r[i] = body->r[i] + arm[i];
        v[i] = body->v[i] + turned[i];
    }
}

/* C = A^T B */
static void transposed_times(int dim, const double *A, const double *B, double *C)
{
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < dim; k++) {
            C[i * dim + k] = 0.0;
            for (int m = 0; m < dim; m++)
                C[i * dim + k] += A[m * dim + i] * B[m * dim + k];
        }
}

static void motion_times(const int dim, const double *A, const double *B, double *C)
{
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < dim; k++) {
            double sum = A[i * dim] * B[k];
            for (int m = 1; m < dim; m++)
                sum += A[i * dim + m] * B[m * dim + k];
            C[i * dim + k] = sum;
        }
}

/* R0 = R_from^T R_to where the axes turn over, with the axis of the child's side exactly on the parent's. */
static void set_rotation(int dim, const placed *from, const placed *to, tree_node *node)
{
    double R[9], S[9], wanted[3];

    memset(node->start.R0, 0, sizeof node->start.R0);
    for (int i = 0; i < dim; i++)
        node->start.R0[i * dim + i] = 1.0;
    node->start.angle0 = 0.0;
    if (!node->axes.turns_over)
        return;
    transposed_times(dim, from->R, to->R, node->start.R0);
    phx_rot_normalise(dim, node->start.R0);
    node->start.angle0 = to->angle - from->angle;
    if (!node->axes.matched)
        return;
    phx_rot_apply_transposed(3, node->start.R0, node->axes.matching, wanted);
    phx_rot_shortest(node->axes.given, wanted, S);
    memcpy(R, node->start.R0, sizeof R);
    motion_times(3, R, S, node->start.R0);
}

static void set_axis(int dim, tree_node *node)
{
    memcpy(node->start.axis, node->axes.given, sizeof node->start.axis);
    if (node->axes.turns_over && node->axes.side == SIDE_PARENT && (node->motion == NODE_SLIDE || dim == 3))
        phx_rot_apply_transposed(dim, node->start.R0, node->axes.given, node->start.axis);
}

/* R0 Rot(q) = R0 a a^T + cos q R0 (I - a a^T) + sin q R0 [a]x;  plane: cos q R0 + sin q R0 [a]x */
static void set_hinge(int dim, tree_node *node)
{
    const double *a = node->start.axis;
    double projector[9], rest[9], spin[9];

    memset(node->start.along, 0, sizeof node->start.along);
    if (dim == 2) {
        const double quarter[4] = {0.0, -a[0], a[0], 0.0};
        memcpy(node->start.across, node->start.R0, sizeof node->start.across);
        motion_times(2, node->start.R0, quarter, node->start.turned);
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            projector[3 * i + k] = a[i] * a[k];
            rest[3 * i + k] = (i == k ? 1.0 : 0.0) - a[i] * a[k];
        }
    for (int k = 0; k < 3; k++) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        double column[3];
        phx_rot_x_vec(3, a, unit, column);
        for (int i = 0; i < 3; i++)
            spin[3 * i + k] = column[i];
    }
    motion_times(3, node->start.R0, projector, node->start.along);
    motion_times(3, node->start.R0, rest, node->start.across);
    motion_times(3, node->start.R0, spin, node->start.turned);
}

/* d from the parent's point of the joint to the child's; q = a . d, q' = a . (d' - w x d), w of the side that has the
 * axis. */
static void begin_slide(int dim, const tree_node *node, const placed *from, const placed *to, double *q, double *u)
{
    const placed *side = node->axes.side == SIDE_PARENT ? from : to;
    double r0[3], v0[3], r1[3], v1[3], d[3], a[3], turned[3];

    place_point(dim, from, node->points.at_from, r0, v0);
    place_point(dim, to, node->points.at_to, r1, v1);
    phx_rot_apply(dim, side->R, node->axes.given, a);
    for (int i = 0; i < dim; i++)
        d[i] = r1[i] - r0[i];
    phx_rot_x_vec(dim, side->w, d, turned);
    *q = phx_dot(dim, a, d);
    *u = 0.0;
    for (int i = 0; i < dim; i++)
        *u += a[i] * (v1[i] - v0[i] - turned[i]);
}

static double hinge_rate(int dim, const tree_node *node, const placed *from, const placed *to)
{
    const placed *side = node->axes.side == SIDE_PARENT ? from : to;
    double a[3], sum = 0.0;

    if (dim == 2)
        return node->axes.given[0] * (to->w[0] - from->w[0]);
    phx_rot_apply(3, side->R, node->axes.given, a);
    for (int i = 0; i < 3; i++)
        sum += a[i] * (to->w[i] - from->w[i]);
    return sum;
}

static void ball_rates(const placed *from, const placed *to, double *u)
{
    double w[3];

    for (int i = 0; i < 3; i++)
        w[i] = to->w[i] - from->w[i];
    phx_rot_apply_transposed(3, to->R, w, u);
}

/* Fixes the constants of all nodes at the state (x, v) and returns their coordinates q and rates u there. Hinges start
 * at 0, balls at the unit quaternion. */
void phx_tree_begin(const phx_system *system, tree *of, const double *x, const double *v, double *q, double *u)
{
    for (int i = 0; i < of->n_nodes; i++) {
        tree_node *node = &of->nodes[i];
        double value[4] = {node->motion == NODE_BALL ? 1.0 : 0.0}, rate[3] = {0.0};
        placed from, to;
        place_body(system, node->points.from, x, v, &from);
        place_body(system, node->points.to, x, v, &to);
        set_rotation(of->dim, &from, &to, node);
        set_axis(of->dim, node);
        if (node->motion == NODE_HINGE) {
            set_hinge(of->dim, node);
            rate[0] = hinge_rate(of->dim, node, &from, &to);
        } else if (node->motion == NODE_SLIDE) {
            begin_slide(of->dim, node, &from, &to, value, rate);
        } else if (node->motion == NODE_BALL) {
            ball_rates(&from, &to, rate);
        }
        if (node->angle >= 0)
            node->start.value0 = x[node->angle];
        memcpy(q + node->q, value, (size_t)node->n_q * sizeof *q);
        if (node->u >= 0)
            memcpy(u + node->u, rate, (node->motion == NODE_BALL ? 3 : 1) * sizeof *u);
    }
    for (int k = 0; k < of->n_wheels; k++) {
        of->wheels[k].q0 = q[of->nodes[of->wheels[k].node].q];
        of->wheels[k].turn0 = x[of->wheels[k].x];
    }
}

/* ---- to the state of the bodies ---- */
/* R = R_p R0 Rot(q), and the axis of the motion. */
static inline void turn_node(const int dim, const tree_node *node, const double *q, const double *R_parent,
                             node_state *s)
{
    double relative[9];

    if (node->motion == NODE_HINGE) {
        const double c = cos(q[0]), sn = sin(q[0]);
        for (int k = 0; k < dim * dim; k++)
            relative[k] = node->start.along[k] + c * node->start.across[k] + sn * node->start.turned[k];
    } else if (node->motion == NODE_BALL) {
        double R[9];
        phx_rot_from_quaternion(q, R);
        motion_times(3, node->start.R0, R, relative);
    } else {
        memcpy(relative, node->start.R0, sizeof relative);
    }
    if (R_parent)
        motion_times(dim, R_parent, relative, s->R);
    else
        memcpy(s->R, relative, sizeof s->R);
    if (dim == 3 || node->motion == NODE_SLIDE)
        phx_rot_apply(dim, s->R, node->start.axis, s->axis);
    else
        s->axis[0] = node->start.axis[0];
}

/* With the lever l from the parent's point, w_p and v_p of the parent, s the joint's own angular velocity or a u of a
 * slide, what the node moves with, and accelerations that are there without u':
 *     w = w_p + s        w' = w_p' + w_p x s                                      + axis u'
 *     v = v_p + w_p x l  v' = v_p' + w_p' x l + w_p x (w_p x l)                            of a hinge or ball
 *              + a u                                            + 2 w_p x a u     + axis u'  of a slide */
static inline void move_node(const int dim, const tree_node *node, const double *u, const node_state *parent,
                             bool places, node_state *s)
{
    const int n_rot = phx_rotations(dim);
    static const node_state rest;
    const node_state *p = parent ? parent : &rest;
    const bool slides = node->motion == NODE_SLIDE;
    double own[3] = {0.0}, turned[3];

    if (node->motion == NODE_BALL)
        phx_rot_apply(3, s->R, u, own);
    for (int k = 0; k < (slides ? dim : n_rot) && (slides || node->motion == NODE_HINGE); k++)
        own[k] = s->axis[k] * s->rate;
    phx_rot_x_vec(dim, p->w, s->lever, turned);
    phx_rot_x_vec(dim, p->w, turned, s->bias_v);
    if (places)
        for (int k = 0; k < dim; k++) {
            s->r[k] = p->r[k] + s->lever[k];
            s->v[k] = p->v[k] + turned[k] + (slides ? own[k] : 0.0);
        }
    for (int k = 0; k < n_rot; k++) {
        s->w[k] = p->w[k] + (slides ? 0.0 : own[k]);
        s->bias_w[k] = 0.0;
    }
    if (slides) {
        phx_rot_x_vec(dim, p->w, own, turned);
        for (int k = 0; k < dim; k++)
            s->bias_v[k] += 2.0 * turned[k];
    } else {
        phx_rot_x_rot(dim, p->w, own, s->bias_w);
    }
}

/* Positions, attitudes and velocities of all nodes from q and u, from the roots to the leaves; without `places` only
 * attitudes, rates and what the recursion needs. */
static inline void motion_move(const int dim, tree *of, double t, const double *q, const double *u, bool places)
{
    for (int i = 0; i < of->n_nodes; i++) {
        const tree_node *node = &of->nodes[i];
        node_state *s = &of->state[i];
        const node_state *parent = node->parent < 0 ? NULL : &of->state[node->parent];
        turn_node(dim, node, q + node->q, parent ? parent->R : NULL, s);
        s->rate = node->drive.speed                                          ? phx_signal_value(node->drive.speed, t)
                  : node->motion == NODE_HINGE || node->motion == NODE_SLIDE ? u[node->u]
                                                                             : 0.0;
        s->drive = node->drive.speed ? phx_signal_rate(node->drive.speed, t) : 0.0;
        if (parent)
            phx_rot_apply(dim, parent->R, node->points.at_parent, s->lever);
        else
            memcpy(s->lever, node->points.at_parent, sizeof s->lever);
        for (int k = 0; k < dim && node->motion == NODE_SLIDE; k++)
            s->lever[k] += s->axis[k] * q[node->q];
        move_node(dim, node, node->u < 0 ? NULL : u + node->u, parent, places, s);
        if (dim == 2)
            s->turn = (parent ? parent->turn : 0.0) + node->start.angle0 +
                      (node->motion == NODE_HINGE ? node->start.axis[0] * q[node->q] : 0.0);
        s->q = node->n_q == 1 ? q[node->q] : 0.0;
        s->value = node->angle >= 0 ? node->start.value0 + q[node->q] : 0.0;
    }
}

void phx_tree_move(tree *of, double t, const double *q, const double *u, bool places)
{
    if (of->dim == 2)
        motion_move(2, of, t, q, u, places);
    else
        motion_move(3, of, t, q, u, places);
}

/* The frame of a body from its node: r - R reference, and its velocity, body axes. */
void phx_tree_put_state(const phx_system *system, const tree *of, double *x, double *v)
{
    const int dim = of->dim;

    for (int i = 0; i < of->n_nodes; i++) {
        const tree_node *node = &of->nodes[i];
        const node_state *s = &of->state[i];
        double arm[3], turned[3], rate[3] = {0.0};
        if (node->angle >= 0)
            x[node->angle] = s->value;
        if (node->body < 0)
            continue;
        double *xb = x + system->bodies[node->body].x, *vb = v + system->bodies[node->body].v;
        phx_rot_apply(dim, s->R, node->points.reference, arm);
        phx_rot_x_vec(dim, s->w, arm, turned);
        for (int k = 0; k < dim; k++) {
            xb[k] = s->r[k] - arm[k];
            rate[k] = s->v[k] - turned[k];
        }
        phx_attitude_set(dim, s->R, s->turn, xb + dim);
        phx_rot_apply_transposed(dim, s->R, rate, vb);
        if (dim == 2)
            vb[2] = s->w[0];
        else
            phx_rot_apply_transposed(3, s->R, s->w, vb + 3);
    }
    for (int k = 0; k < of->n_wheels; k++) {
        const tree_wheel *wheel = &of->wheels[k];
        x[wheel->x] = wheel->turn0 + (of->state[wheel->node].q - wheel->q0) / wheel->gear;
        v[wheel->v] = of->state[wheel->node].rate / wheel->gear;
    }
}

/* Of a ball Q' = Q (0, u)/2, u in the axes behind it. */
static void quaternion_rate(const double *Q, const double *u, double *rate)
{
    rate[0] = -0.5 * (Q[1] * u[0] + Q[2] * u[1] + Q[3] * u[2]);
    rate[1] = 0.5 * (Q[0] * u[0] + Q[2] * u[2] - Q[3] * u[1]);
    rate[2] = 0.5 * (Q[0] * u[1] + Q[3] * u[0] - Q[1] * u[2]);
    rate[3] = 0.5 * (Q[0] * u[2] + Q[1] * u[1] - Q[2] * u[0]);
}

void phx_tree_rates(const tree *of, const double *q, const double *u, double *q_dot)
{
    for (int i = 0; i < of->n_nodes; i++) {
        const tree_node *node = &of->nodes[i];
        if (node->motion == NODE_BALL)
            quaternion_rate(q + node->q, u + node->u, q_dot + node->q);
        else if (node->n_q == 1)
            q_dot[node->q] = of->state[i].rate;
    }
}
