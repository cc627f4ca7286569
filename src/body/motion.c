/* The motion of the state, the same for every kind of body: frames and coordinates (kind.h). */
#define real double
/* clang-format off */
#define ZEROS {0.0}
/* clang-format on */
#define SIMD_WIDTH 1
#define NAME(x)    one_##x

#include "kind.h"
#include "move_kernel.h"

#include <string.h>

/* ---- an interval, theory 4 (1) ---- */
void phx_body_move_coordinates(int n, double h, const double *restrict q0, const double *restrict low0,
                               const double *restrict rate, double *restrict q1, double *restrict low1,
                               double *restrict qm)
{
    for (int i = 0; i < n; i++) {
        const double exact = h * rate[i] + low0[i], sum = q0[i] + exact;
        low1[i] = exact - (sum - q0[i]);
        q1[i] = sum;
        qm[i] = q0[i] + 0.5 * h * rate[i];
    }
}

static void motion_move(const phx_body *body, bool tried, double h, const double *x0, const double *low0,
                        const double *vm, double *x1, double *low1, double *xm)
{
    for (int f = 0; f < body->n_frames; f++) {
        const int x = body->frames[f].x, v = body->frames[f].v;
        if (body->dim == 2)
            one_move_rigid(2, tried, h, x0 + x, low0 + x, vm + v, x1 + x, low1 + x, xm + x);
        else
            one_move_rigid(3, tried, h, x0 + x, low0 + x, vm + v, x1 + x, low1 + x, xm + x);
    }
    const int q = body->q_x, n = body->n_q + body->n_places;
    if (n > 0)
        phx_body_move_coordinates(n, h, x0 + q, low0 + q, vm + body->q_v, x1 + q, low1 + q, xm + q);
}

void phx_body_move(const phx_body *body, double h, const double *x0, const double *low0, const double *vm, double *x1,
                   double *low1, double *xm)
{
    motion_move(body, false, h, x0, low0, vm, x1, low1, xm);
}

void phx_body_try(const phx_body *body, double h, const double *x0, const double *low0, const double *vm, double *x1,
                  double *low1, double *xm)
{
    motion_move(body, true, h, x0, low0, vm, x1, low1, xm);
}

void phx_body_move_places(const phx_body *body, double h, const double *x0, const double *low0, const double *vm,
                          double *x1, double *low1, double *xm)
{
    const int x = body->n_x - body->n_places;
    phx_body_move_coordinates(body->n_places, h, x0 + x, low0 + x, vm + body->n_v - body->n_places, x1 + x, low1 + x,
                              xm + x);
}

/* ---- an instant ---- */
/* r' = R v, R' = R [w]x of one frame, theory 1 (6). */
static void frame_rates(int dim, const double *x, const double *v, double *x_dot)
{
    const double *w = v + dim, *attitude = x + dim;
    double R[9], *rate = x_dot + dim;

    phx_attitude_rotation(dim, attitude, R);
    phx_rot_apply(dim, R, v, x_dot);
    if (dim == 2) { /* (c, s)' = w (-s, c), angle' = w */
        rate[0] = -attitude[1] * w[0];
        rate[1] = attitude[0] * w[0];
        rate[2] = w[0];
    } else { /* row i of R: R_i' = R_i [w]x = R_i x w as a column */
        for (int i = 0; i < 3; i++)
            phx_rot_x_vec(3, attitude + 3 * i, w, rate + 3 * i);
    }
}

void phx_body_rates(const phx_body *body, const double *x, const double *v, double *x_dot)
{
    for (int f = 0; f < body->n_frames; f++)
        frame_rates(body->dim, x + body->frames[f].x, v + body->frames[f].v, x_dot + body->frames[f].x);
    memcpy(x_dot + body->q_x, v + body->q_v, (size_t)(body->n_q + body->n_places) * sizeof *v);
}

/* (R^T dr, skew part of R^T dR) of one frame; the plane: dphi = c ds - s dc. */
static void frame_tangent(int dim, const double *x, const double *dx, double *dxi)
{
    double R[9], T[9];

    phx_attitude_rotation(dim, x + dim, R);
    phx_rot_apply_transposed(dim, R, dx, dxi);
    if (dim == 2) {
        dxi[2] = x[2] * dx[3] - x[3] * dx[2];
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            T[3 * i + j] = R[i] * dx[3 + j] + R[3 + i] * dx[6 + j] + R[6 + i] * dx[9 + j];
    dxi[3] = 0.5 * (T[7] - T[5]);
    dxi[4] = 0.5 * (T[2] - T[6]);
    dxi[5] = 0.5 * (T[3] - T[1]);
}

void phx_body_tangent(const phx_body *body, const double *x, const double *dx, double *dxi)
{
    for (int f = 0; f < body->n_frames; f++)
        frame_tangent(body->dim, x + body->frames[f].x, dx + body->frames[f].x, dxi + body->frames[f].v);
    memcpy(dxi + body->q_v, dx + body->q_x, (size_t)(body->n_q + body->n_places) * sizeof *dxi);
}

/* r += R dr, R <- R cay(dphi) of one frame, theory 4 (4). */
static void displace_frame(int dim, double factor, const double *xi, double *x)
{
    double R[9], shift[3], turn[3];

    phx_attitude_rotation(dim, x + dim, R);
    phx_rot_apply(dim, R, xi, shift);
    for (int a = 0; a < dim; a++)
        x[a] += factor * shift[a];
    for (int k = 0; k < (dim == 2 ? 1 : 3); k++)
        turn[k] = factor * xi[dim + k];
    if (dim == 2) {
        phx_attitude_set(2, NULL, x[4] + turn[0], x + 2);
    } else {
        phx_rot_cayley(3, R, turn, R);
        phx_rot_normalise(3, R);
        phx_attitude_set(3, R, 0.0, x + 3);
    }
}

void phx_body_displace(const phx_body *body, double factor, const double *xi, double *x)
{
    for (int f = 0; f < body->n_frames; f++)
        displace_frame(body->dim, factor, xi + body->frames[f].v, x + body->frames[f].x);
    for (int i = 0; i < body->n_q + body->n_places; i++)
        x[body->q_x + i] += factor * xi[body->q_v + i];
}

/* Replaces the attitude of every frame in x by the nearest rotation; in the plane cosine and sine are recomputed from
 * the angle. */
void phx_body_normalise(const phx_body *body, double *x)
{
    double R[9];

    for (int f = 0; f < body->n_frames; f++) {
        double *attitude = x + body->frames[f].x + body->dim;
        if (body->dim == 2) {
            phx_attitude_set(2, NULL, attitude[2], attitude);
        } else {
            phx_attitude_rotation(3, attitude, R);
            phx_rot_normalise(3, R);
            phx_attitude_set(3, R, 0.0, attitude);
        }
    }
}

void phx_body_displace_rigidly(const phx_body *body, double factor, const double *twist, double *x)
{
    double first[12], R[9];

    if (body->n_frames == 1 && !body->directions) {
        displace_frame(body->dim, factor, twist, x);
        return;
    }
    memcpy(first, x, (size_t)body->dim * sizeof *first);
    phx_body_attitude(body, x, R);
    phx_attitude_set(body->dim, R, body->dim == 2 ? x[4] : 0.0, first + body->dim);
    displace_frame(body->dim, factor, twist, first);
    phx_attitude_rotation(body->dim, first + body->dim, R);
    phx_body_place(body, first, R, first[4], x);
}

/* ---- rigid motions ---- */
/* Of a frame against the first one: R1^T R0 and R0^T (r1 - r0). */
typedef struct relative {
    double turn[9], arm[3];
} relative;

/* Attitude and position of frame f against the first frame at x: turn = R_f^T R_0 and arm = R_0^T (r_f - r_0). */
static relative relative_to_first(const phx_body *body, int f, const double *x)
{
    const int dim = body->dim;
    const double *first = x, *own = x + body->frames[f].x;
    double R0[9], R1[9], way[3];
    relative between = {{0.0}, {0.0}};

    phx_attitude_rotation(dim, first + dim, R0);
    phx_attitude_rotation(dim, own + dim, R1);
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            between.turn[dim * i + j] = 0.0;
            for (int k = 0; k < dim; k++)
                between.turn[dim * i + j] += R1[dim * k + i] * R0[dim * k + j];
        }
    for (int a = 0; a < dim; a++)
        way[a] = own[a] - first[a];
    phx_rot_apply_transposed(dim, R0, way, between.arm);
    return between;
}

/* ---- inertial vectors, of the reference (first frame or place) at x with the axes R ---- */
/* v of every vector by the twist (v, w) in the axes R: V + W x (r - r_0), W x d. */
static void move_vectors(const phx_body *body, const double *x, const double *R, const double *twist, double *v)
{
    double V[3], W[3];

    phx_rot_apply(3, R, twist, V);
    phx_rot_apply(3, R, twist + 3, W);
    for (int k = 0; k < body->n_q / 3; k++) {
        const double *z = x + body->q_x + 3 * k;
        double *out = v + body->q_v + 3 * k, arm[3];
        for (int a = 0; a < 3; a++)
            arm[a] = z[a] - (body->directions[k] ? 0.0 : x[a]);
        phx_rot_x_vec(3, W, arm, out);
        for (int a = 0; a < 3; a++)
            out[a] += body->directions[k] ? 0.0 : V[a];
    }
}

/* wrench += the resultant of p on the vectors, in the axes R. */
static void gather_vectors(const phx_body *body, const double *x, const double *R, const double *p, double *wrench)
{
    double force[3] = {0.0}, moment[3] = {0.0}, local[3];

    for (int k = 0; k < body->n_q / 3; k++) {
        const double *z = x + body->q_x + 3 * k, *f = p + body->q_v + 3 * k;
        double arm[3], part[3];
        for (int a = 0; a < 3; a++)
            arm[a] = z[a] - (body->directions[k] ? 0.0 : x[a]);
        phx_vec_x_vec(3, arm, f, part);
        for (int a = 0; a < 3; a++) {
            force[a] += body->directions[k] ? 0.0 : f[a];
            moment[a] += part[a];
        }
    }
    phx_rot_apply_transposed(3, R, force, local);
    for (int a = 0; a < 3; a++)
        wrench[a] += local[a];
    phx_rot_apply_transposed(3, R, moment, local);
    for (int a = 0; a < 3; a++)
        wrench[3 + a] += local[a];
}

/* Moves the vectors with the reference from x to the place `to` with the axes R: r <- to + R R_0^T (r - r_0). */
static void place_vectors(const phx_body *body, const double *to, const double *R, double *x)
{
    double R0[9], first[3], arm[3], local[3];

    phx_body_attitude(body, x, R0);
    memcpy(first, x, sizeof first);
    for (int k = 0; k < body->n_q / 3; k++) {
        double *z = x + body->q_x + 3 * k;
        for (int a = 0; a < 3; a++)
            arm[a] = z[a] - (body->directions[k] ? 0.0 : first[a]);
        phx_rot_apply_transposed(3, R0, arm, local);
        phx_rot_apply(3, R, local, z);
        for (int a = 0; a < 3; a++)
            z[a] += body->directions[k] ? 0.0 : to[a];
    }
}

/* Velocities of a rigid motion of the whole body at x; `twist` is (v, w) of the first frame in its axes, deformation
 * rates are zero. */
void phx_body_rigid_motion(const phx_body *body, const double *x, const double *twist, double *v)
{
    const int dim = body->dim;

    memset(v, 0, (size_t)body->n_v * sizeof *v);
    if (body->directions) {
        double R[9];
        phx_body_attitude(body, x, R);
        move_vectors(body, x, R, twist, v);
    }
    if (body->n_frames > 0)
        memcpy(v, twist, (size_t)body->n_rigid * sizeof *v);
    for (int f = 1; f < body->n_frames; f++) { /* v_f = R_f^T R_0 (v + w x arm), w_f = R_f^T R_0 w */
        const relative between = relative_to_first(body, f, x);
        double *own = v + body->frames[f].v, velocity[3];
        phx_rot_x_vec(dim, twist + dim, between.arm, velocity);
        for (int a = 0; a < dim; a++)
            velocity[a] += twist[a];
        phx_rot_apply(dim, between.turn, velocity, own);
        if (dim == 2)
            own[2] = twist[2];
        else
            phx_rot_apply(3, between.turn, twist + 3, own + 3);
    }
}

void phx_body_rigid_velocities(const phx_body *body, const double *x, const double *linear, const double *angular,
                               double *v)
{
    const int dim = body->dim;
    double R[9], twist[6];

    phx_body_attitude(body, x, R);
    phx_rot_apply_transposed(dim, R, linear, twist);
    if (dim == 2)
        twist[2] = angular[0];
    else
        phx_rot_apply_transposed(3, R, angular, twist + 3);
    phx_body_rigid_motion(body, x, twist, v);
}

/* Resultant (force, moment about the first frame's origin) of a force p on the velocities, in axes of the first frame:
 * the transpose of phx_body_rigid_motion. */
void phx_body_rigid_force(const phx_body *body, const double *x, const double *p, double *wrench)
{
    const int dim = body->dim;

    memset(wrench, 0, (size_t)body->n_rigid * sizeof *wrench);
    if (body->n_frames > 0)
        memcpy(wrench, p, (size_t)body->n_rigid * sizeof *p);
    if (body->directions) {
        double R[9];
        phx_body_attitude(body, x, R);
        gather_vectors(body, x, R, p, wrench);
    }
    for (int f = 1; f < body->n_frames; f++) {
        const relative between = relative_to_first(body, f, x);
        const double *own = p + body->frames[f].v;
        double force[3], moment[3], couple[3];
        phx_rot_apply_transposed(dim, between.turn, own, force);
        phx_vec_x_vec(dim, between.arm, force, moment);
        if (dim == 2)
            couple[0] = own[2];
        else
            phx_rot_apply_transposed(3, between.turn, own + 3, couple);
        for (int a = 0; a < dim; a++)
            wrench[a] += force[a];
        for (int k = 0; k < body->n_rot; k++)
            wrench[dim + k] += moment[k] + couple[k];
    }
}

/* Moves the whole body without deformation so that its first frame stands at `position` with the given attitude (in the
 * plane also the angle, full turns included); changes x. */
void phx_body_place(const phx_body *body, const double *position, const double *rotation, double angle, double *x)
{
    const int dim = body->dim;
    double R[9], own[9], arm[3], place[3];
    double moved[12];

    memcpy(moved, position, (size_t)dim * sizeof *moved);
    phx_attitude_set(dim, rotation, angle, moved + dim);
    phx_attitude_rotation(dim, moved + dim, R);
    for (int f = 1; f < body->n_frames; f++) { /* R_f <- R R_0^T R_f, r_f <- r + R R_0^T (r_f - r_0) */
        const relative between = relative_to_first(body, f, x);
        double *frame = x + body->frames[f].x;
        memcpy(arm, between.arm, sizeof arm);
        phx_rot_apply(dim, R, arm, place);
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++) {
                own[dim * i + j] = 0.0;
                for (int k = 0; k < dim; k++)
                    own[dim * i + j] += R[dim * i + k] * between.turn[dim * j + k];
            }
        for (int a = 0; a < dim; a++)
            frame[a] = position[a] + place[a];
        phx_attitude_set(dim, own, dim == 2 ? frame[4] + angle - x[4] : 0.0, frame + dim);
    }
    if (body->directions)
        place_vectors(body, moved, R, x);
    if (body->n_frames > 0)
        memcpy(x, moved, (size_t)(dim + body->n_attitude) * sizeof *x);
}
