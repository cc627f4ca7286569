/* Variations at the ends of an interval, for derivatives of a step: of the state at its end by the state at its start
 * and the mean velocity, and of the residual by the velocity at its start.
 *
 * With c = h/2 w_m, C = cay(h w_m), P = (I + [c]x)^-1 = (I + c c^T - [c]x)/(1 + |c|^2), C^T = 2 P - I, variations
 * (rho, theta) of a frame in its own axes at either end (theory 19 (1) to (3)):
 *
 *     theta_1 = C^T theta_0 + T dw ,   T = h (I - [c]x)/(1 + |c|^2)
 *     rho_1 = C^T rho_0 - h/2 (C^T [v]x theta_0 + [v]x theta_1) + h P dv
 *
 * and where the velocity at the arm c_0 is averaged in inertial axes, y = v + w x c_0, u = v_m + w_m x c_0,
 *
 *     y_1 = y_0 + 2 P (u - y_0) ,   dy_1 = (I - 2 P) dy_0 + 2 P du + h/2 P [y_1 - y_0]x dw_m .
 *
 * The same with -h gives the start by the end. */
#include "kind.h"

#include <math.h>
#include <string.h>

enum { ROWS = 6 };

/* ---- 3 x 3 matrices, row-major ---- */
static void cross_matrix(const double *a, double *A)
{
    const double made[9] = {0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0};
    memcpy(A, made, sizeof made);
}

/* Z += alpha A B */
static void add_product(double alpha, const double *A, const double *B, double *Z)
{
    phx_dense_multiply(false, false, 3, 3, 3, alpha, A, 3, B, 3, 1.0, Z, 3);
}

/* A block of the 6 x 6 matrix of a frame: rows and columns of places (0) or turns (1). In the plane x, y and the turn
 * about z stay. */
static void put_block(int dim, int row, int column, const double *block, double *matrix)
{
    const int n_rot = dim == 2 ? 1 : 3, r = dim + n_rot;

    for (int i = 0; i < (row ? n_rot : dim); i++)
        for (int j = 0; j < (column ? n_rot : dim); j++)
            matrix[((row ? dim : 0) + i) * r + (column ? dim : 0) + j] =
                block[(row && dim == 2 ? 2 : i) * 3 + (column && dim == 2 ? 2 : j)];
}

/* Velocities of a frame, v and w, as vectors of space. */
static void spatial(int dim, const double *frame, double *v, double *w)
{
    for (int a = 0; a < 3; a++) {
        v[a] = a < dim ? frame[a] : 0.0;
        w[a] = dim == 3 ? frame[3 + a] : a == 2 ? frame[2] : 0.0;
    }
}

/* What a step of length h (negative: backwards) makes of a frame with the mean velocity vm. */
typedef struct turned {
    double c[3], v[3], scale; /* scale: 1/(1 + |c|^2) */
    double P[9], C[9];        /* C^T = 2 P - I */
} turned;

/* c, P and C of the head of this file. */
static turned turned_by(int dim, double h, const double *vm)
{
    turned t = {.scale = 1.0};
    double cross[9];

    spatial(dim, vm, t.v, t.c);
    for (int a = 0; a < 3; a++) {
        t.c[a] *= 0.5 * h;
        t.scale += t.c[a] * t.c[a];
    }
    t.scale = 1.0 / t.scale;
    cross_matrix(t.c, cross);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            t.P[3 * i + j] = t.scale * ((i == j) + t.c[i] * t.c[j] - cross[3 * i + j]);
            t.C[3 * i + j] = 2.0 * t.P[3 * i + j] - (i == j);
        }
    return t;
}

/* The variation at the far end by that at the near end, X, and by the mean velocity, Y. */
static void put_moves(int dim, double h, const double *vm, double *X, double *Y)
{
    const turned t = turned_by(dim, h, vm);
    double cross[9], T[9], block[9] = {0.0}, lever[9] = {0.0}, v[9];

    cross_matrix(t.c, cross);
    cross_matrix(t.v, v);
    for (int k = 0; k < 9; k++)
        T[k] = h * t.scale * ((k % 4 == 0) - cross[k]);
    add_product(-0.5 * h, t.C, v, block);
    add_product(-0.5 * h, v, t.C, block);
    add_product(-0.5 * h, v, T, lever);
    put_block(dim, 0, 0, t.C, X);
    put_block(dim, 0, 1, block, X);
    put_block(dim, 1, 1, t.C, X);
    for (int k = 0; k < 9; k++)
        block[k] = h * t.P[k];
    put_block(dim, 0, 0, block, Y);
    put_block(dim, 0, 1, lever, Y);
    put_block(dim, 1, 1, T, Y);
}

/* The inverse of Y at -h: the mean velocity by the variation of the start, the end fixed. With D = -(1 + |c|^2)/h P for
 * the turns, dv = -(I - [c]x)/h (rho - lever dw), where P(-c)^-1 = I - [c]x. */
static void put_return(int dim, double h, const double *vm, double *E)
{
    const turned back = turned_by(dim, -h, vm), t = turned_by(dim, h, vm);
    double cross[9], inverse[9], D[9], T[9], lever[9] = {0.0}, block[9] = {0.0}, v[9];

    cross_matrix(t.c, cross);
    cross_matrix(t.v, v);
    for (int k = 0; k < 9; k++) {
        inverse[k] = -((k % 4 == 0) - cross[k]) / h;
        D[k] = -t.P[k] / (h * t.scale);
        T[k] = -h * back.scale * ((k % 4 == 0) + cross[k]);
    }
    add_product(0.5 * h, v, T, lever);
    double product[9] = {0.0};
    add_product(1.0, lever, D, product);
    add_product(-1.0, inverse, product, block);
    put_block(dim, 0, 0, inverse, E);
    put_block(dim, 0, 1, block, E);
    put_block(dim, 1, 1, D, E);
}

/* The velocity at the far end by that at the near end, V0, and by the mean velocity, Vm; arm: of what is averaged in
 * inertial axes. */
static void put_velocities(int dim, double h, const double *arm, const double *v0, const double *vm, double *V0,
                           double *Vm)
{
    const turned t = turned_by(dim, h, vm);
    double start[3], w0[3], w[3], y0[3], u[3], g[3], lever[9], cross[9], one[9] = {0.0}, block[9], half[9];

    spatial(dim, v0, start, w0);
    for (int a = 0; a < 3; a++)
        w[a] = 2.0 / h * t.c[a];
    phx_rot_x_vec(3, w0, arm, y0);
    phx_rot_x_vec(3, w, arm, u);
    for (int a = 0; a < 3; a++) {
        y0[a] += start[a];
        u[a] += t.v[a] - y0[a];
    }
    for (int a = 0; a < 3; a++)
        g[a] = 2.0 * phx_dot(3, t.P + 3 * a, u);
    cross_matrix(arm, lever);
    cross_matrix(g, cross);
    for (int k = 0; k < 9; k++) {
        half[k] = (k % 4 == 0) - 2.0 * t.P[k];
        block[k] = -lever[k];
        one[k] = -(double)(k % 4 == 0);
    }
    put_block(dim, 0, 0, half, V0);
    add_product(-1.0, half, lever, block);
    put_block(dim, 0, 1, block, V0);
    put_block(dim, 1, 1, one, V0);
    for (int k = 0; k < 9; k++) {
        half[k] = 2.0 * t.P[k];
        block[k] = 2.0 * lever[k];
        one[k] = 2.0 * (k % 4 == 0);
    }
    put_block(dim, 0, 0, half, Vm);
    add_product(-1.0, half, lever, block);
    add_product(0.5 * h, t.P, cross, block);
    put_block(dim, 0, 1, block, Vm);
    put_block(dim, 1, 1, one, Vm);
}

static void put_multiple(int r, double factor, double *matrix)
{
    for (int k = 0; k < r; k++)
        matrix[k * r + k] = factor;
}

/* Maps of each frame, forward and, for E and W, backward. */
void phx_body_step_maps(const phx_body *body, const phx_body_view *view, phx_step_maps *maps)
{
    const int r = body->n_rigid;

    for (int f = 0; f < body->n_frames; f++) {
        const int v = body->frames[f].v;
        double unused[ROWS * ROWS], arm[3] = {0.0};
        double(*map)[ROWS * ROWS] = maps[f].map;
        memset(maps[f].map, 0, sizeof maps[f].map);
        put_moves(body->dim, view->h, view->vm + v, map[PHX_STEP_X], map[PHX_STEP_Y]);
        put_return(body->dim, view->h, view->vm + v, map[PHX_STEP_E]);
        if (body->ops->averages && body->ops->averages(body, f, arm)) {
            put_velocities(body->dim, view->h, arm, view->v0 + v, view->vm + v, map[PHX_STEP_V0], map[PHX_STEP_VM]);
            put_velocities(body->dim, -view->h, arm, view->v1 + v, view->vm + v, unused, map[PHX_STEP_W]);
            continue;
        }
        put_multiple(r, -1.0, map[PHX_STEP_V0]);
        put_multiple(r, 2.0, map[PHX_STEP_VM]);
        put_multiple(r, 2.0, map[PHX_STEP_W]);
    }
}

/* out += alpha times the blocks of a map, or their transposes, times in, frame by frame. */
static void apply_frames(const phx_body *body, const phx_step_maps *maps, phx_step_map which, bool transposed,
                         double alpha, const double *in, double *out)
{
    const int r = body->n_rigid;

    for (int f = 0; f < body->n_frames; f++) {
        const double *matrix = maps[f].map[which], *from = in + body->frames[f].v;
        double *to = out + body->frames[f].v;
        for (int i = 0; i < r; i++)
            for (int j = 0; j < r; j++)
                to[i] += alpha * matrix[transposed ? j * r + i : i * r + j] * from[j];
    }
}

void phx_body_step_apply(const phx_body *body, const phx_step_maps *maps, double h, phx_step_map which, bool transposed,
                         double alpha, const double *in, double *out)
{
    const double of_coordinates[PHX_STEP_MAPS] = {1.0, h, -1.0 / h, -1.0, 2.0, 2.0};

    apply_frames(body, maps, which, transposed, alpha, in, out);
    for (int i = body->q_v; i < body->q_v + body->n_q + body->n_places; i++)
        out[i] += alpha * of_coordinates[which] * in[i];
}

/* ---- the residual by the velocity at its start, the mean velocity fixed ---- */
static void start_residual(const phx_body *body, const double *gravity, const phx_body_view *view, const double *v0,
                           double *v1, double *res)
{
    phx_body_view other = *view;

    for (int i = 0; i < body->n_v; i++)
        v1[i] = 2.0 * view->vm[i] - v0[i];
    other.v0 = v0;
    other.v1 = v1;
    phx_body_interval_begin(body, view->h, view->x0, v0, view->products);
    phx_body_interval_residual(body, gravity, &other, res);
}

/* By central differences, which are exact: the residual is of first degree in the velocity of a frame at the start.
 * Frames do not see each other's. */
void phx_body_start_maps(const phx_body *body, const double *gravity, const phx_body_view *view, double *room,
                         phx_step_maps *maps)
{
    const int n = body->n_v, r = body->n_rigid;
    double *v0 = room, *v1 = room + n, *ahead = room + 2 * n, *behind = room + 3 * n;

    if (body->n_q > 0)
        return;
    for (int k = 0; k < r; k++) {
        for (int side = 0; side < 2; side++) {
            memcpy(v0, view->v0, (size_t)n * sizeof *v0);
            for (int f = 0; f < body->n_frames; f++)
                v0[body->frames[f].v + k] += side ? -1.0 : 1.0;
            start_residual(body, gravity, view, v0, v1, side ? behind : ahead);
        }
        for (int f = 0; f < body->n_frames; f++)
            for (int i = 0; i < r; i++)
                maps[f].map[PHX_STEP_B][i * r + k] =
                    0.5 * (ahead[body->frames[f].v + i] - behind[body->frames[f].v + i]);
    }
}

/* p <- (M(q + xi) - M(q - xi)) b/2 = (dM/dq xi) b, exact: M is of second degree. xi, over the velocities, is brought to
 * size one for it, so that rounding of M does not count. x: room. */
static void momenta_slope(const phx_body *body, const double *q_of, const double *xi, const double *b, double *x,
                          double *p, double *other)
{
    double size = 0.0;

    for (int i = 0; i < body->n_q; i++)
        size = fmax(size, fabs(xi[body->q_v + i]));
    memset(p, 0, (size_t)body->n_v * sizeof *p);
    if (size == 0.0)
        return;
    memcpy(x, q_of, (size_t)body->n_x * sizeof *x);
    for (int i = 0; i < body->n_q; i++)
        x[body->q_x + i] = q_of[body->q_x + i] + xi[body->q_v + i] / size;
    phx_body_momenta(body, x, b, p);
    for (int i = 0; i < body->n_q; i++)
        x[body->q_x + i] = q_of[body->q_x + i] - xi[body->q_v + i] / size;
    phx_body_momenta(body, x, b, other);
    for (int i = 0; i < body->n_v; i++)
        p[i] = 0.5 * size * (p[i] - other[i]);
}

/* out += alpha times the transport of momenta p by v, -(p_t x w, p_t x v + p_r x w), or its transpose applied to p. */
static void add_transport(const phx_body *body, bool transposed, double alpha, const double *p, const double *v,
                          double *out)
{
    const int dim = body->dim;
    double a[3], b[3], c[3] = {0.0};

    if (transposed) { /* p.(w x a_t) ... : -(w x p_t + v x p_r) on the translation, -(w x p_r) on the rotation */
        phx_rot_x_vec(dim, v + dim, p, a);
        phx_vec_x_rot(dim, v, p + dim, b);
        phx_rot_x_rot(dim, v + dim, p + dim, c);
        for (int i = 0; i < dim; i++)
            out[i] -= alpha * (a[i] + b[i]);
        for (int k = 0; k < body->n_rot; k++)
            out[dim + k] -= alpha * c[k];
        return;
    }
    phx_vec_x_rot(dim, p, v + dim, a);
    phx_vec_x_vec(dim, p, v, b);
    phx_rot_x_rot(dim, p + dim, v + dim, c);
    for (int i = 0; i < dim; i++)
        out[i] -= alpha * a[i];
    for (int k = 0; k < body->n_rot; k++)
        out[dim + k] -= alpha * (b[k] + c[k]);
}

/* The same of a body with deformations, theory 19 (4), with D = v1 - v0 and the momenta M_0, M_1 at the ends:
 *
 *     R_D d = (M_0 + M_1) d/(2 h) + transport((M_1 - M_0) d/4) + 1/4 d/dq (D^T M(q) d) ,    dR/dv0 = -2 R_D . */
static void apply_deforming(const phx_body *body, const phx_body_view *view, bool transposed, double alpha,
                            const double *in, double *out, double *room)
{
    const int n = body->n_v;
    double *x = room, *p0 = x + body->n_x, *p1 = p0 + n, *d = p1 + n, *moved = d + n, *slope = moved + n;
    const double *from = in;

    for (int i = 0; i < n; i++)
        d[i] = 2.0 * (view->vm[i] - view->v0[i]);
    phx_body_momenta(body, view->x0, in, p0);
    phx_body_momenta(body, view->x1, in, p1);
    for (int i = 0; i < n; i++)
        out[i] -= alpha / view->h * (p0[i] + p1[i]);
    if (transposed) {
        memset(moved, 0, (size_t)n * sizeof *moved);
        add_transport(body, true, 1.0, in, view->vm, moved);
        phx_body_momenta(body, view->x0, moved, p0);
        phx_body_momenta(body, view->x1, moved, p1);
        momenta_slope(body, view->xm, from, d, x, slope, moved);
        for (int i = 0; i < n; i++)
            out[i] -= 0.5 * alpha * (p1[i] - p0[i] + slope[i]);
        return;
    }
    for (int i = 0; i < n; i++)
        moved[i] = p1[i] - p0[i];
    add_transport(body, false, -0.5 * alpha, moved, view->vm, out);
    memset(slope, 0, (size_t)n * sizeof *slope);
    phx_body_mass_slope(body, view->xm, d, in, slope);
    for (int i = body->q_v; i < body->q_v + body->n_q; i++)
        out[i] -= 0.5 * alpha * slope[i];
}

/* Blocks of frames, or the equations of a body that deforms; wheels by their inertia. */
void phx_body_start_apply(const phx_body *body, const phx_body_view *view, const phx_step_maps *maps, bool transposed,
                          double alpha, const double *in, double *out, double *room)
{
    const int places = body->n_v - body->n_places;

    if (body->n_q > 0)
        apply_deforming(phx_body_inside(body), view, transposed, alpha, in, out, room);
    else
        apply_frames(body, maps, PHX_STEP_B, transposed, alpha, in, out);
    for (int k = 0; k < body->n_places; k++)
        out[places + k] -= alpha * 2.0 / view->h * phx_body_wheel_inertia(body, k + 1) * in[places + k];
}

/* ---- M by the configuration ---- */
void phx_body_mass_slope(const phx_body *body, const double *x, const double *a, const double *b, double *slope)
{
    const phx_body *inner = phx_body_inside(body);

    if (inner->ops->mass_slope)
        inner->ops->mass_slope(inner, x, a, b, slope);
}

void phx_body_momenta_slope(const phx_body *body, const double *x, const double *xi, const double *b, double *p,
                            double *room)
{
    if (body->n_q > 0) {
        const phx_body *inner = phx_body_inside(body);
        momenta_slope(inner, x, xi, b, room, p, room + inner->n_x);
        memset(p + inner->n_v, 0, (size_t)(body->n_v - inner->n_v) * sizeof *p);
    } else {
        memset(p, 0, (size_t)body->n_v * sizeof *p);
    }
}
