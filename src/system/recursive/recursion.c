/* The articulated-body recursion: from the leaves to the roots what hangs on each node resists with, then from the
 * roots to the leaves the accelerations. Gravity is the acceleration -g of the ground. */
#include "recursive.h"

#include <string.h>

/* ---- a body by itself ----
 *
 *     n = J w' + c x m v' + w x J w          c: centre of mass from the node's point, J about that
 *     f = m (v' + w' x c + w x (w x c))      H = m [c]x, M = m I */
static inline void put_body(const int dim, const tree_node *node, node_state *s)
{
    const int n_rot = phx_rotations(dim);
    double c[3], Rw[9], spin[3], turned[3], twice[3];

    phx_rot_apply(dim, s->R, node->rigid.centre, c);
    if (dim == 2) {
        s->J[0] = node->rigid.inertia[0];
        s->H[0] = -node->rigid.mass * c[1];
        s->H[1] = node->rigid.mass * c[0];
    } else {
        for (int i = 0; i < 3; i++)
            phx_rot_apply(3, node->rigid.inertia, s->R + 3 * i, Rw + 3 * i); /* J_b is symmetric */
        for (int i = 0; i < 3; i++)
            phx_rot_apply(3, s->R, Rw + 3 * i, s->J + 3 * i);
        const double x = node->rigid.mass * c[0], y = node->rigid.mass * c[1], z = node->rigid.mass * c[2];
        const double H[9] = {0.0, -z, y, z, 0.0, -x, -y, x, 0.0};
        memcpy(s->H, H, sizeof H);
    }
    for (int k = 0; k < dim * dim; k++)
        s->M[k] = k % (dim + 1) == 0 ? node->rigid.mass : 0.0;
    phx_rot_x_vec(dim, s->w, c, turned);
    phx_rot_x_vec(dim, s->w, turned, twice);
    for (int k = 0; k < dim; k++)
        s->p_f[k] = node->rigid.mass * twice[k];
    if (dim == 3) {
        phx_rot_apply(3, s->J, s->w, spin);
        phx_rot_x_rot(3, s->w, spin, s->p_n);
    } else {
        for (int k = 0; k < n_rot; k++)
            s->p_n[k] = 0.0;
    }
}

/* A force and torque at the body's frame, body axes, moved to the node's point. */
static inline void take_wrench(const int dim, const tree_node *node, const double *wrench, node_state *s)
{
    double f[3], n[3], arm[3], torque[3];

    phx_rot_apply(dim, s->R, wrench, f);
    if (dim == 2)
        n[0] = wrench[2];
    else
        phx_rot_apply(3, s->R, wrench + 3, n);
    phx_rot_apply(dim, s->R, node->points.reference, arm); /* from the frame to the point */
    phx_vec_x_vec(dim, arm, f, torque);
    for (int k = 0; k < dim; k++)
        s->p_f[k] -= f[k];
    for (int k = 0; k < phx_rotations(dim); k++)
        s->p_n[k] -= n[k] - torque[k];
}

static inline void put_massless(const int dim, node_state *s)
{
    memset(s->J, 0, sizeof s->J);
    memset(s->H, 0, sizeof s->H);
    memset(s->M, 0, sizeof s->M);
    for (int k = 0; k < dim; k++)
        s->p_f[k] = 0.0;
    for (int k = 0; k < phx_rotations(dim); k++)
        s->p_n[k] = 0.0;
}

/* ---- from the leaves to the roots ---- */
/* n += J w + H v, f += H^T w + M v */
static inline void resist(const int dim, const double *J, const double *H, const double *M, const double *w,
                          const double *v, double *n, double *f)
{
    const int n_rot = phx_rotations(dim);

    for (int i = 0; i < n_rot; i++) {
        for (int k = 0; k < n_rot; k++)
            n[i] += J[i * n_rot + k] * w[k];
        for (int k = 0; k < dim; k++)
            n[i] += H[i * dim + k] * v[k];
    }
    for (int k = 0; k < dim; k++) {
        for (int i = 0; i < n_rot; i++)
            f[k] += H[i * dim + k] * w[i];
        for (int m = 0; m < dim; m++)
            f[k] += M[k * dim + m] * v[m];
    }
}

/* The inertia and the force of a node as its parent feels them, at the node's point. */
typedef struct passed {
    double J[9], H[9], M[9], n[3], f[3];
} passed;

/* A hinge or slide with the motion S = (a, 0) or (0, a), along which no effort acts: with U = I S, D = S . U + J, J the
 * inertia of its rotors,
 *     I <- I - U U^T/D,   p <- p + I c - U (U . c + S . p)/D,   c: the bias of the joint */
static inline bool pass_motion(const int dim, const tree_node *node, node_state *s, passed *out)
{
    const int n_rot = phx_rotations(dim);
    const double *a = s->axis;
    const bool slides = node->motion == NODE_SLIDE;
    double along = 0.0, biased = 0.0;

    s->D = node->rotor;
    for (int i = 0; i < n_rot; i++) {
        s->U_w[i] = 0.0;
        for (int k = 0; k < (slides ? dim : n_rot); k++)
            s->U_w[i] += slides ? s->H[i * dim + k] * a[k] : s->J[i * n_rot + k] * a[k];
        biased += s->U_w[i] * s->bias_w[i];
    }
    for (int k = 0; k < dim; k++) {
        s->U_v[k] = 0.0;
        for (int i = 0; i < (slides ? dim : n_rot); i++)
            s->U_v[k] += slides ? s->M[k * dim + i] * a[i] : s->H[i * dim + k] * a[i];
        biased += s->U_v[k] * s->bias_v[k];
    }
    for (int i = 0; i < (slides ? dim : n_rot); i++) {
        s->D += a[i] * (slides ? s->U_v[i] : s->U_w[i]);
        along += a[i] * (slides ? s->p_f[i] : s->p_n[i]);
    }
    const double inverse = 1.0 / s->D, effort = (biased + along) * inverse;
    double Uw_D[3], Uv_D[3];
    memcpy(out->n, s->p_n, sizeof out->n);
    memcpy(out->f, s->p_f, sizeof out->f);
    resist(dim, s->J, s->H, s->M, s->bias_w, s->bias_v, out->n, out->f);
    for (int i = 0; i < n_rot; i++) {
        Uw_D[i] = s->U_w[i] * inverse;
        out->n[i] -= s->U_w[i] * effort;
    }
    for (int k = 0; k < dim; k++) {
        Uv_D[k] = s->U_v[k] * inverse;
        out->f[k] -= s->U_v[k] * effort;
    }
    for (int i = 0; i < n_rot; i++) {
        for (int k = 0; k < n_rot; k++)
            out->J[i * n_rot + k] = s->J[i * n_rot + k] - s->U_w[i] * Uw_D[k];
        for (int k = 0; k < dim; k++)
            out->H[i * dim + k] = s->H[i * dim + k] - s->U_w[i] * Uv_D[k];
    }
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < dim; k++)
            out->M[i * dim + k] = s->M[i * dim + k] - s->U_v[i] * Uv_D[k];
    return s->D > 0.0;
}

/* The inverse of a symmetric matrix; whether its determinant is positive. */
static inline bool recursion_invert(const double *A, double *inverse, double *determinant)
{
    double cofactor[9];

    phx_rot_x_vec(3, A + 3, A + 6, cofactor);
    phx_rot_x_vec(3, A + 6, A, cofactor + 3);
    phx_rot_x_vec(3, A, A + 3, cofactor + 6);
    *determinant = A[0] * cofactor[0] + A[1] * cofactor[1] + A[2] * cofactor[2];
    for (int k = 0; k < 9; k++)
        inverse[k] = cofactor[k] / *determinant;
    return *determinant > 0.0;
}

/* A ball, S = (I, 0): it passes no torque,
 *     M <- M - H^T J^-1 H,   f <- p_f + M c_v - H^T J^-1 p_n */
static inline bool pass_ball(node_state *s, passed *out)
{
    double solved[9], turned[3]; /* J^-1 H, J^-1 p_n */
    const bool regular = recursion_invert(s->J, s->J_inverse, &s->D);

    memset(out, 0, sizeof *out);
    phx_rot_apply(3, s->J_inverse, s->p_n, turned);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            solved[3 * i + k] = s->J_inverse[3 * i] * s->H[k] + s->J_inverse[3 * i + 1] * s->H[3 + k] +
                                s->J_inverse[3 * i + 2] * s->H[6 + k];
    for (int i = 0; i < 3; i++) {
        out->f[i] = s->p_f[i];
        for (int k = 0; k < 3; k++) {
            out->M[3 * i + k] = s->M[3 * i + k];
            for (int m = 0; m < 3; m++)
                out->M[3 * i + k] -= s->H[3 * m + i] * solved[3 * m + k];
            out->f[i] += out->M[3 * i + k] * s->bias_v[k] - s->H[3 * k + i] * turned[k];
        }
    }
    return regular;
}

/* A motion that is prescribed, or none: p <- p + I (c + S u'). */
static inline void pass_fixed(const int dim, const tree_node *node, const node_state *s, passed *out)
{
    double w[3], v[3];

    memcpy(out->J, s->J, sizeof out->J);
    memcpy(out->H, s->H, sizeof out->H);
    memcpy(out->M, s->M, sizeof out->M);
    memcpy(out->n, s->p_n, sizeof out->n);
    memcpy(out->f, s->p_f, sizeof out->f);
    for (int k = 0; k < phx_rotations(dim); k++)
        w[k] = s->bias_w[k] + (node->motion == NODE_HINGE ? s->axis[k] * s->drive : 0.0);
    for (int k = 0; k < dim; k++)
        v[k] = s->bias_v[k] + (node->motion == NODE_SLIDE ? s->axis[k] * s->drive : 0.0);
    resist(dim, s->J, s->H, s->M, w, v, out->n, out->f);
}

/* To the parent, over the lever l: v' becomes v' + w' x l, n becomes n + l x f,
 *     M += M,   H += H + [l]x M =: H_p,   J += J - H [l]x + [l]x H_p^T */
static inline void add_to_parent(const int dim, const passed *in, const double *l, node_state *parent)
{
    const int n_rot = phx_rotations(dim);
    double H[9], torque[3], column[3], moment[3];

    for (int k = 0; k < dim; k++) { /* M is symmetric: its rows are its columns */
        phx_vec_x_vec(dim, l, in->M + k * dim, column);
        for (int i = 0; i < n_rot; i++)
            H[i * dim + k] = in->H[i * dim + k] + column[i];
    }
    for (int i = 0; i < n_rot; i++) {
        phx_vec_x_vec(dim, l, in->H + i * dim, column); /* row i of -H [l]x */
        phx_vec_x_vec(dim, l, H + i * dim, moment);     /* column i of [l]x H_p^T */
        for (int k = 0; k < n_rot; k++) {
            parent->J[i * n_rot + k] += in->J[i * n_rot + k] + column[k];
            parent->J[k * n_rot + i] += moment[k];
        }
    }
    for (int k = 0; k < n_rot * dim; k++)
        parent->H[k] += H[k];
    for (int k = 0; k < dim * dim; k++)
        parent->M[k] += in->M[k];
    phx_vec_x_vec(dim, l, in->f, torque);
    for (int i = 0; i < n_rot; i++)
        parent->p_n[i] += in->n[i] + torque[i];
    for (int k = 0; k < dim; k++)
        parent->p_f[k] += in->f[k];
}

/* Articulated inertias and bias forces from the leaves to the roots. Returns a node whose articulated inertia is
 * singular along its motion, -1 if there is none. */
static inline int inward(const int dim, tree *of)
{
    int singular = -1;

    for (int i = of->n_nodes - 1; i >= 0; i--) {
        const tree_node *node = &of->nodes[i];
        node_state *s = &of->state[i];
        passed out;
        bool regular = true;
        if (node->u < 0)
            pass_fixed(dim, node, s, &out);
        else if (node->motion == NODE_BALL)
            regular = pass_ball(s, &out);
        else
            regular = pass_motion(dim, node, s, &out);
        if (!regular)
            singular = i;
        if (node->parent >= 0)
            add_to_parent(dim, &out, s->lever, &of->state[node->parent]);
    }
    return singular;
}

/* ---- from the roots to the leaves ----
 *
 *     a = (w_p', v_p' + w_p' x l) + c,   u' = -(S . p + U . a)/D,   (w', v') = a + S u'
 *     of a ball w' = -J^-1 (H v' + p_n),   u' = R^T (w' - a_w) */
static inline void outward(const int dim, tree *of, double *u_dot)
{
    const int n_rot = phx_rotations(dim);

    for (int i = 0; i < of->n_nodes; i++) {
        const tree_node *node = &of->nodes[i];
        node_state *s = &of->state[i];
        const node_state *parent = node->parent < 0 ? NULL : &of->state[node->parent];
        const bool slides = node->motion == NODE_SLIDE;
        double turned[3] = {0.0}, rate = s->drive;
        if (parent)
            phx_rot_x_vec(dim, parent->acc_w, s->lever, turned);
        for (int k = 0; k < n_rot; k++)
            s->acc_w[k] = s->bias_w[k] + (parent ? parent->acc_w[k] : 0.0);
        for (int k = 0; k < dim; k++)
            s->acc_v[k] = s->bias_v[k] + turned[k] + (parent ? parent->acc_v[k] : -of->gravity[k]);
        if (node->motion == NODE_BALL) {
            double n[3], w[3];
            for (int k = 0; k < 3; k++)
                n[k] = -s->p_n[k] - s->H[3 * k] * s->acc_v[0] - s->H[3 * k + 1] * s->acc_v[1] -
                       s->H[3 * k + 2] * s->acc_v[2];
            phx_rot_apply(3, s->J_inverse, n, w);
            for (int k = 0; k < 3; k++)
                turned[k] = w[k] - s->acc_w[k];
            phx_rot_apply_transposed(3, s->R, turned, u_dot + node->u);
            memcpy(s->acc_w, w, sizeof w);
            continue;
        }
        if (node->motion == NODE_FIXED)
            continue;
        if (node->u >= 0) {
            double sum = 0.0;
            for (int k = 0; k < n_rot; k++)
                sum += s->U_w[k] * s->acc_w[k] + (slides ? 0.0 : s->axis[k] * s->p_n[k]);
            for (int k = 0; k < dim; k++)
                sum += s->U_v[k] * s->acc_v[k] + (slides ? s->axis[k] * s->p_f[k] : 0.0);
            rate = u_dot[node->u] = -sum / s->D;
        }
        for (int k = 0; k < (slides ? dim : n_rot); k++)
            *(slides ? &s->acc_v[k] : &s->acc_w[k]) += s->axis[k] * rate;
    }
}

/* Accelerations u_dot by the articulated-body recursion; `wrench`, optional, is the residual of applied forces. Returns
 * a singular node or -1. */
static inline int accelerations(const int dim, tree *of, const phx_system *system, const double *wrench, double *u_dot)
{
    for (int i = 0; i < of->n_nodes; i++) {
        const tree_node *node = &of->nodes[i];
        node_state *s = &of->state[i];
        if (node->body < 0) {
            put_massless(dim, s);
            continue;
        }
        put_body(dim, node, s);
        if (wrench)
            take_wrench(dim, node, wrench + system->bodies[node->body].v, s);
    }
    const int singular = inward(dim, of);
    outward(dim, of, u_dot);
    return singular;
}

/* Of velocities that change at once I dv = dp holds as I a = f does at rest, without gravity and biases. */
int phx_tree_impulses(tree *of, const phx_system *system, double *du)
{
    double gravity[3];

    memcpy(gravity, of->gravity, sizeof gravity);
    memset(of->gravity, 0, sizeof gravity);
    for (int i = 0; i < of->n_nodes; i++) {
        node_state *s = &of->state[i];
        memset(s->w, 0, sizeof s->w);
        memset(s->bias_w, 0, sizeof s->bias_w);
        memset(s->bias_v, 0, sizeof s->bias_v);
    }
    const int singular = phx_tree_accelerations(of, system, NULL, du);
    memcpy(of->gravity, gravity, sizeof gravity);
    return singular;
}

int phx_tree_accelerations(tree *of, const phx_system *system, const double *wrench, double *u_dot)
{
    return of->dim == 2 ? accelerations(2, of, system, wrench, u_dot) : accelerations(3, of, system, wrench, u_dot);
}

/* ---- joint coordinates: M(q) u' + c(q, u) ---- */
/* Axis k of a node's motion, inertial: of a ball those of the body behind it. */
static inline void axis_of(const tree_node *node, const node_state *s, int k, double *a)
{
    for (int i = 0; i < 3; i++)
        a[i] = node->motion == NODE_BALL ? s->R[3 * i + k] : s->axis[i];
}

/* S . (n, f) of that motion. */
static inline double along_motion(const tree *of, const tree_node *node, const double *a, const double *n,
                                  const double *f)
{
    return node->motion == NODE_SLIDE ? phx_dot(of->dim, a, f) : phx_dot(of->n_rot, a, n);
}

/* Row of M of the motion S = (a, 0) or (0, a) of node i, up to the root: S_j . I_i S over the levers between, I_i the
 * inertia of all that hangs on i (composite rigid bodies; Featherstone, Rigid Body Dynamics Algorithms, 6.2). */
static void put_mass_row(const tree *of, int i, const double *a, int row, double *M)
{
    const tree_node *node = &of->nodes[i];
    const node_state *s = &of->state[i];
    static const double none[3];
    double n[3] = {0.0}, f[3] = {0.0}, torque[3], b[3];
    const bool slides = node->motion == NODE_SLIDE;

    resist(of->dim, s->J, s->H, s->M, slides ? none : a, slides ? a : none, n, f);
    for (int j = i; j >= 0; j = of->nodes[j].parent) {
        const tree_node *at = &of->nodes[j];
        for (int k = 0; k < phx_node_rates(at->motion); k++) {
            axis_of(at, &of->state[j], k, b);
            M[row * of->n_u + at->u + k] = M[(at->u + k) * of->n_u + row] = along_motion(of, at, b, n, f);
        }
        phx_vec_x_vec(of->dim, of->state[j].lever, f, torque);
        for (int k = 0; k < of->n_rot; k++)
            n[k] += torque[k];
    }
}

/* Acceleration of every node at u' = 0, and what its body resists with: p <- p + I a. */
static void hold_rates(tree *of, const phx_system *system, const double *wrench)
{
    for (int i = 0; i < of->n_nodes; i++) {
        const tree_node *node = &of->nodes[i];
        node_state *s = &of->state[i];
        const node_state *parent = node->parent < 0 ? NULL : &of->state[node->parent];
        double turned[3] = {0.0};
        if (node->body < 0)
            put_massless(of->dim, s);
        else
            put_body(of->dim, node, s);
        if (node->body >= 0 && wrench)
            take_wrench(of->dim, node, wrench + system->bodies[node->body].v, s);
        if (parent)
            phx_rot_x_vec(of->dim, parent->acc_w, s->lever, turned);
        for (int k = 0; k < of->n_rot; k++)
            s->acc_w[k] = s->bias_w[k] + (parent ? parent->acc_w[k] : 0.0);
        for (int k = 0; k < of->dim; k++)
            s->acc_v[k] = s->bias_v[k] + turned[k] + (parent ? parent->acc_v[k] : -of->gravity[k]);
        resist(of->dim, s->J, s->H, s->M, s->acc_w, s->acc_v, s->p_n, s->p_f);
    }
}

/* Composite bodies from the ends to the root: row u of M is S . (I S) for the nodes on the way to the ground, bias S .
 * p of what each node carries. */
void phx_tree_joint_space(tree *of, const phx_system *system, const double *wrench, double *M, double *bias)
{
    hold_rates(of, system, wrench);
    for (int i = of->n_nodes - 1; i >= 0; i--) {
        const tree_node *node = &of->nodes[i];
        const node_state *s = &of->state[i];
        double a[3];
        for (int k = 0; k < phx_node_rates(node->motion); k++) {
            axis_of(node, s, k, a);
            bias[node->u + k] = along_motion(of, node, a, s->p_n, s->p_f);
            if (M) {
                put_mass_row(of, i, a, node->u + k, M);
                M[(node->u + k) * (of->n_u + 1)] += node->rotor;
            }
        }
        if (node->parent < 0)
            continue;
        passed all;
        memcpy(all.J, s->J, sizeof all.J);
        memcpy(all.H, s->H, sizeof all.H);
        memcpy(all.M, s->M, sizeof all.M);
        memcpy(all.n, s->p_n, sizeof all.n);
        memcpy(all.f, s->p_f, sizeof all.f);
        add_to_parent(of->dim, &all, s->lever, &of->state[node->parent]);
    }
}

/* S . (I (w', v') + p) */
double phx_tree_drive_effort(const tree *of, int i)
{
    const node_state *s = &of->state[i];
    double n[3], f[3];

    memcpy(n, s->p_n, sizeof n);
    memcpy(f, s->p_f, sizeof f);
    resist(of->dim, s->J, s->H, s->M, s->acc_w, s->acc_v, n, f);
    return (of->nodes[i].motion == NODE_SLIDE ? phx_dot(of->dim, s->axis, f) : phx_dot(of->n_rot, s->axis, n)) +
           of->nodes[i].rotor * s->drive;
}
