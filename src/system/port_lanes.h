/* Ports of joints that are alike, PHX_LANES of them at once, and what they add to residuals and matrices; the equations
 * are those of body/ports.c. */
#ifndef PHX_PORT_LANES_H
#define PHX_PORT_LANES_H

#include "joint_pack.h"

typedef double real __attribute__((vector_size(32), aligned(8), may_alias));

enum { LANES = PHX_LANES, ALL_LANES = (1 << LANES) - 1, MOST_Q = SIDE_COORDINATES };

/* ---- numbers side by side ---- */
static inline void pick(const double *all, const int *at, real *to)
{
    *to = (real){all[at[0]], all[at[1]], all[at[2]], all[at[3]]};
}

/* n entries from `first` on of each lane's part */
static inline void fetch(const double *all, const int *at, int first, int n, real *to)
{
    const double *a = all + at[0] + first, *b = all + at[1] + first, *c = all + at[2] + first, *d = all + at[3] + first;

    for (int i = 0; i < n; i++)
        to[i] = (real){a[i], b[i], c[i], d[i]};
}

/* v_j, every `stride`-th, to val[at[l] + j] of each lane l */
static inline void put_run(const int n, const real *v, const int stride, const int *at, double *val)
{
    const double *from = (const double *)v;

    for (int l = 0; l < LANES; l++) {
        double *to = val + at[l];
        for (int j = 0; j < n; j++)
            to[j] = from[j * stride * LANES + l];
    }
}

/* val[at[l] + j] -= v_j of the lanes in `bits` */
static inline void subtract_run(const int n, unsigned bits, const real *v, const int *at, double *val)
{
    const double *from = (const double *)v;

    if (bits == ALL_LANES)
        for (int l = 0; l < LANES; l++)
            for (int j = 0; j < n; j++)
                val[at[l] + j] -= from[j * LANES + l];
    else
        for (int l = 0; l < LANES; l++)
            for (int j = 0; j < n && bits >> l & 1; j++)
                val[at[l] + j] -= from[j * LANES + l];
}

/* The same where at[l] is not -1. */
static inline void subtract_run_where(const int n, unsigned bits, const real *v, const int *at, double *val)
{
    for (int l = 0; l < LANES; l++)
        if (at[l] < 0)
            bits &= ~(1u << l);
    subtract_run(n, bits, v, at, val);
}

static inline void negate(int n, const real *v, real *to)
{
    for (int i = 0; i < n; i++)
        to[i] = -v[i];
}

static inline int rotations(const int dim)
{
    return dim == 2 ? 1 : 3;
}

static inline void cross(const real *a, const real *b, real *y)
{
    y[0] = a[1] * b[2] - a[2] * b[1];
    y[1] = a[2] * b[0] - a[0] * b[2];
    y[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void rot_x_vec(const int dim, const real *w, const real *a, real *y)
{
    if (dim == 3) {
        cross(w, a, y);
        return;
    }
    y[0] = -w[0] * a[1];
    y[1] = w[0] * a[0];
}

static inline void vec_x_rot(const int dim, const real *a, const real *w, real *y)
{
    if (dim == 3) {
        cross(a, w, y);
        return;
    }
    y[0] = a[1] * w[0];
    y[1] = -a[0] * w[0];
}

static inline void vec_x_vec(const int dim, const real *a, const real *b, real *y)
{
    if (dim == 3)
        cross(a, b, y);
    else
        y[0] = a[0] * b[1] - a[1] * b[0];
}

static inline void apply(const int dim, const real *R, const real *x, real *y)
{
    for (int i = 0; i < dim; i++) {
        y[i] = R[dim * i] * x[0] + R[dim * i + 1] * x[1];
        if (dim == 3)
            y[i] += R[3 * i + 2] * x[2];
    }
}

static inline void apply_transposed(const int dim, const real *R, const real *x, real *y)
{
    for (int i = 0; i < dim; i++) {
        y[i] = R[i] * x[0] + R[dim + i] * x[1];
        if (dim == 3)
            y[i] += R[6 + i] * x[2];
    }
}

/* ---- ports ---- */
/* Directions and place of a port in its body, and how it moves there. */
typedef struct port_state {
    real R[9], y[3];  /* mean frame, lever arm */
    real v[6];        /* of the frame */
    real velocity[3]; /* of the point, body axes: v + w x y + phi q_dot */
} port_state;

static inline void frame(const int dim, const double *x, const joint_side *side, real *R)
{
    if (dim == 3) {
        fetch(x, side->x, 3, 9, R);
        return;
    }
    fetch(x, side->x, 2, 2, R);
    R[2] = R[1];
    R[3] = R[0];
    R[1] = -R[1];
}

static inline void lever(const int dim, const int n_q, const double *x, const joint_side *side, real *y)
{
    const real *place = (const real *)side->place, *phi = (const real *)side->phi;

    for (int a = 0; a < dim; a++)
        y[a] = place[a];
    for (int k = 0; k < n_q; k++) {
        real q;
        pick(x, side->q + k * LANES, &q);
        for (int a = 0; a < dim; a++)
            y[a] += phi[a * n_q + k] * q;
    }
}

static inline void find_port(const int dim, const int n_q, const joint_state *at, const joint_side *side, port_state *p)
{
    const real *phi = (const real *)side->phi;

    frame(dim, at->xm, side, p->R);
    lever(dim, n_q, at->xm, side, p->y);
    fetch(at->vm, side->v, 0, dim + rotations(dim), p->v);
    rot_x_vec(dim, p->v + dim, p->y, p->velocity);
    for (int a = 0; a < dim; a++)
        p->velocity[a] += p->v[a];
    for (int k = 0; k < n_q; k++) {
        real q_dot;
        pick(at->vm, side->q_dot + k * LANES, &q_dot);
        for (int a = 0; a < dim; a++)
            p->velocity[a] += phi[a * n_q + k] * q_dot;
    }
}

/* ---- their derivatives ---- */
/* Rows of the place in P, dim x n: R, R_a . (e_k x y) = (y x R_a)_k, R phi. */
static inline void place_jacobian(const int dim, const int n_q, const joint_side *side, const real *R, const real *y,
                                  real *P)
{
    const real *phi = (const real *)side->phi;
    const int r = dim + rotations(dim), n = r + n_q;

    for (int a = 0; a < dim; a++) {
        for (int c = 0; c < dim; c++)
            P[a * n + c] = R[a * dim + c];
        vec_x_vec(dim, y, R + a * dim, P + a * n + dim);
        for (int j = 0; j < n_q; j++) {
            P[a * n + r + j] = R[a * dim] * phi[j];
            for (int c = 1; c < dim; c++)
                P[a * n + r + j] += R[a * dim + c] * phi[c * n_q + j];
        }
    }
}

/* Variation of the frame over an interval: (I - [h w/2]x)/(1 + |h w/2|^2). */
static inline void frame_turn(const int dim, double h, const real *w, real *turn)
{
    const double half = 0.5 * h;

    if (dim == 2) {
        turn[0] = 1.0 / (1.0 + half * half * w[0] * w[0]);
        return;
    }
    const real a = half * w[0], b = half * w[1], c = half * w[2], scale = 1.0 / (1.0 + a * a + b * b + c * c);
    turn[0] = turn[4] = turn[8] = scale;
    turn[1] = scale * c;
    turn[3] = -turn[1];
    turn[6] = scale * b;
    turn[2] = -turn[6];
    turn[5] = scale * a;
    turn[7] = -turn[5];
}

/* x^T turn */
static inline void times_turn(const int dim, const real *x, const real *turn, real *y)
{
    const int n_rot = rotations(dim);

    for (int c = 0; c < n_rot; c++) {
        y[c] = x[0] * turn[c];
        for (int k = 1; k < n_rot; k++)
            y[c] += x[k] * turn[k * n_rot + c];
    }
}

/* What a side adds: the rows of the place, in those of G + K_l with the derivative of the rate, P + h/2 d(P nu)/d xi;
 * its geometric terms, columns of w (n x n_rot) and of q (n_rot x n_q). */
typedef struct side_terms {
    real R1[9], turn[9];
    real P[3 * (6 + MOST_Q)], G[3 * (6 + MOST_Q)];
    real turns[3 * (6 + MOST_Q)], bends[3 * MOST_Q];
} side_terms;

static inline void rate_tangent(const int dim, const int n_q, const joint_side *side, double weight,
                                const port_state *p, side_terms *to)
{
    const real *phi = (const real *)side->phi;
    const int n_rot = rotations(dim), r = dim + n_rot, n = r + n_q;
    real arm[3], turned_arm[3];

    for (int a = 0; a < dim; a++) {
        for (int c = 0; c < dim; c++)
            to->G[a * n + c] = to->P[a * n + c];
        vec_x_vec(dim, p->velocity, to->R1 + a * dim, arm);
        times_turn(dim, arm, to->turn, turned_arm);
        for (int c = 0; c < n_rot; c++)
            to->G[a * n + dim + c] = to->P[a * n + dim + c] + weight * turned_arm[c];
        if (n_q > 0)
            vec_x_rot(dim, p->R + a * dim, p->v + dim, arm);
        for (int j = 0; j < n_q; j++) {
            real sum = phi[j] * arm[0];
            for (int c = 1; c < dim; c++)
                sum += phi[c * n_q + j] * arm[c];
            to->G[a * n + r + j] = to->P[a * n + r + j] + weight * sum;
        }
    }
}

/* `weight` times d(R_m^T F) = f1 x dphi, f1 = R1^T F:
 *   rows v: f1 x dphi;  w: (phi dq) x f + y x (f1 x dphi);  q: phi^T (f1 x dphi) */
static inline void geometric(const int dim, const int n_q, const joint_side *side, double weight, const port_state *p,
                             const real *force, side_terms *to)
{
    const real *phi = (const real *)side->phi;
    const int n_rot = rotations(dim), r = dim + n_rot;
    real f[3], f1[3], df[3], torque[3], column[3];

    apply_transposed(dim, to->R1, force, f1);
    for (int c = 0; c < n_rot; c++) {
        for (int k = 0; k < n_rot; k++)
            column[k] = to->turn[k * n_rot + c];
        vec_x_rot(dim, f1, column, df);
        vec_x_vec(dim, p->y, df, torque);
        for (int a = 0; a < dim; a++)
            to->turns[a * n_rot + c] = weight * df[a];
        for (int k = 0; k < n_rot; k++)
            to->turns[(dim + k) * n_rot + c] = weight * torque[k];
        for (int j = 0; j < n_q; j++) {
            real sum = phi[j] * df[0];
            for (int a = 1; a < dim; a++)
                sum += phi[a * n_q + j] * df[a];
            to->turns[(r + j) * n_rot + c] = weight * sum;
        }
    }
    if (n_q > 0)
        apply_transposed(dim, p->R, force, f);
    for (int j = 0; j < n_q; j++) {
        for (int a = 0; a < dim; a++)
            column[a] = phi[a * n_q + j];
        vec_x_vec(dim, column, f, torque);
        for (int k = 0; k < n_rot; k++)
            to->bends[k * n_q + j] = weight * torque[k];
    }
}

/* The POINT rows, one side: G into them and `above`, transposed, into the rows of the velocities (NULL: not). */
static inline void put_points(const int dim, const int n_q, const real *G, const real *above, const int *rows_at,
                              int per_row, const int *above_at, double *val)
{
    const int r = dim + rotations(dim), n = r + n_q;

    for (int u = 0; u < dim; u++) {
        const int *at = rows_at + u * per_row;
        put_run(r, G + u * n, 1, at, val);
        for (int j = 0; j < n_q; j++)
            put_run(1, G + u * n + r + j, 1, at + (1 + j) * LANES, val);
    }
    for (int j = 0; j < n && above; j++)
        put_run(dim, above + j, n, above_at + j * LANES, val);
}

/* Places in the matrix that contributions go to. */
static inline const int *places_in(const workspace *ws, const joint_pack *pack)
{
    return pack->at[ws->condensation && ws->into == &ws->condensation->kkt];
}

/* Where the parts of the places begin; from row to row of G. */
typedef struct places {
    const int *rows[2], *above[2], *turns[2], *bends[2], *pairs;
    int per_row;
} places;

static inline places find_places(const int dim, const int n_a, const int n_b, int n_rows, const int *at)
{
    const int r = dim + rotations(dim), rot = rotations(dim);
    places it = {.per_row = (2 + n_a + n_b) * LANES};

    it.rows[0] = at;
    it.rows[1] = at + (1 + n_a) * LANES;
    it.above[0] = at + n_rows * it.per_row;
    it.above[1] = it.above[0] + (r + n_a) * LANES;
    it.turns[0] = it.above[1] + (r + n_b) * LANES;
    it.turns[1] = it.turns[0] + (r + n_a) * LANES;
    it.bends[0] = it.turns[1] + (r + n_b) * LANES;
    it.bends[1] = it.bends[0] + rot * n_a * LANES;
    it.pairs = it.bends[1] + rot * n_b * LANES;
    return it;
}

/* The geometric terms of one side, for the joints in `bits`. */
static inline void add_geometric(const int dim, const int n_q, unsigned bits, const side_terms *terms,
                                 const int *turns_at, const int *bends_at, double *val)
{
    const int n_rot = rotations(dim), n = dim + n_rot + n_q;

    for (int i = 0; i < dim + n_rot; i++)
        subtract_run(n_rot, bits, terms->turns + i * n_rot, turns_at + i * LANES, val);
    for (int i = dim + n_rot; i < n; i++)
        subtract_run_where(n_rot, bits, terms->turns + i * n_rot, turns_at + i * LANES, val);
    for (int e = 0; e < n_rot * n_q; e++)
        subtract_run_where(1, bits, terms->bends + e, bends_at + e * LANES, val);
}

#endif
