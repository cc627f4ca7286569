/* Ports of joints that are alike, PHX_JOINT_SIMD_WIDTH of them at once, and what they add to residuals and matrices;
 * the equations are those of body/ports.c. */
#ifndef PHX_FAST_PORT_SIMD_H
#define PHX_FAST_PORT_SIMD_H

#include "algebra/simd_kernel.h"
#include "fast_joints.h"

#define real    simd_double
#define NAME(x) x
#include "port/place_kernel.h"

enum { SIMD_WIDTH = PHX_JOINT_SIMD_WIDTH, ALL_SIMD = (1 << SIMD_WIDTH) - 1, MOST_Q = SIDE_COORDINATES };

/* ---- numbers side by side ---- */
static inline void pick(const double *all, const int *at, real *to)
{
    *to = (real){all[at[0]], all[at[1]], all[at[2]], all[at[3]]};
}

static inline void pick_all(const int n, const double *all, const int *at, real *to)
{
    for (int i = 0; i < n; i++)
        pick(all, at + i * SIMD_WIDTH, &to[i]);
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

    for (int l = 0; l < SIMD_WIDTH; l++) {
        double *to = val + at[l];
        for (int j = 0; j < n; j++)
            to[j] = from[j * stride * SIMD_WIDTH + l];
    }
}

/* val[at[l] + j] -= v_j of the lanes in `bits` */
static inline void subtract_run(const int n, unsigned bits, const real *v, const int *at, double *val)
{
    const double *from = (const double *)v;

    if (bits == ALL_SIMD)
        for (int l = 0; l < SIMD_WIDTH; l++)
            for (int j = 0; j < n; j++)
                val[at[l] + j] -= from[j * SIMD_WIDTH + l];
    else
        for (int l = 0; l < SIMD_WIDTH; l++)
            for (int j = 0; j < n && bits >> l & 1; j++)
                val[at[l] + j] -= from[j * SIMD_WIDTH + l];
}

/* The same where at[l] is not -1. */
static inline void subtract_run_where(const int n, unsigned bits, const real *v, const int *at, double *val)
{
    for (int l = 0; l < SIMD_WIDTH; l++)
        if (at[l] < 0)
            bits &= ~(1u << l);
    subtract_run(n, bits, v, at, val);
}

static inline void negate(int n, const real *v, real *to)
{
    for (int i = 0; i < n; i++)
        to[i] = -v[i];
}

/* ---- ports ---- */
/* Directions and place of a port in its body, and how it moves there. */
typedef struct port_state {
    real R[9], y[3];  /* mean frame, lever arm */
    real v[6];        /* of the frame */
    real velocity[3]; /* of the point, body axes */
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

    real q[MOST_Q];

    for (int a = 0; a < dim; a++)
        y[a] = place[a];
    pick_all(n_q, x, side->q, q);
    add_shapes(dim, n_q, phi, q, NULL, y);
}

static inline void find_port(const int dim, const int n_q, const joint_state *at, const joint_side *side, port_state *p)
{
    const real *phi = (const real *)side->phi;
    real q_dot[MOST_Q];

    frame(dim, at->xm, side, p->R);
    lever(dim, n_q, at->xm, side, p->y);
    fetch(at->vm, side->v, 0, dim + phx_rotations(dim), p->v);
    pick_all(n_q, at->vm, side->q_dot, q_dot);
    local_velocity(dim, n_q, phi, p->y, p->v, q_dot, NULL, p->velocity);
}

/* ---- their derivatives ---- */
/* Contributions of a side: the rows of the place, in those of G + K_l with the derivative of the rate, P + h/2 d(P
 * nu)/d xi; its geometric terms, columns of w (n x n_rot) and of q (n_rot x n_q). */
typedef struct side_terms {
    real R1[9], turn[9];
    real P[3 * (6 + MOST_Q)], G[3 * (6 + MOST_Q)];
    real turns[3 * (6 + MOST_Q)], bends[3 * MOST_Q];
} side_terms;

/* G = P + weight T for the points of one side, T the change of the rate P nu with the configuration; columns of
 * translations have no T. */
static inline void rate_tangent(const int dim, const int n_q, const joint_side *side, double weight,
                                const port_state *p, side_terms *to)
{
    const real *phi = (const real *)side->phi;
    const int n_rot = phx_rotations(dim), n = dim + n_rot + n_q;

    for (int a = 0; a < dim; a++) {
        real row[3 + MOST_Q];
        rate_tangent_row(dim, n_q, phi, a, p->R, to->R1, p->v + dim, p->velocity, to->turn, row);
        for (int c = 0; c < dim; c++)
            to->G[a * n + c] = to->P[a * n + c];
        for (int c = 0; c < n_rot + n_q; c++)
            to->G[a * n + dim + c] = to->P[a * n + dim + c] + weight * row[c];
    }
}

/* The POINT rows, one side: G into them and `above`, transposed, into the rows of the velocities (NULL: not). */
static inline void put_points(const int dim, const int n_q, const real *G, const real *above, const int *rows_at,
                              int per_row, const int *above_at, double *val)
{
    const int r = dim + phx_rotations(dim), n = r + n_q;

    for (int u = 0; u < dim; u++) {
        const int *at = rows_at + u * per_row;
        put_run(r, G + u * n, 1, at, val);
        for (int j = 0; j < n_q; j++)
            put_run(1, G + u * n + r + j, 1, at + (1 + j) * SIMD_WIDTH, val);
    }
    for (int j = 0; j < n && above; j++)
        put_run(dim, above + j, n, above_at + j * SIMD_WIDTH, val);
}

/* Places in the matrix that contributions go to. */
static inline const int *places_in(const workspace *ws, const joint_batch *batch)
{
    return batch->at[ws->fast->condensation && ws->fast->into == &ws->fast->condensation->kkt];
}

/* Where the parts of the places begin; from row to row of G. */
typedef struct places {
    const int *rows[2], *above[2], *turns[2], *bends[2], *pairs;
    int per_row;
} places;

/* Pointers to the groups of positions in a batch's table: rows, their transposes, geometric blocks of each side, and
 * pairs. */
static inline places find_places(const int dim, const int n_a, const int n_b, int n_rows, const int *at)
{
    const int r = dim + phx_rotations(dim), rot = phx_rotations(dim);
    places held = {.per_row = (2 + n_a + n_b) * SIMD_WIDTH};

    held.rows[0] = at;
    held.rows[1] = at + (1 + n_a) * SIMD_WIDTH;
    held.above[0] = at + n_rows * held.per_row;
    held.above[1] = held.above[0] + (r + n_a) * SIMD_WIDTH;
    held.turns[0] = held.above[1] + (r + n_b) * SIMD_WIDTH;
    held.turns[1] = held.turns[0] + (r + n_a) * SIMD_WIDTH;
    held.bends[0] = held.turns[1] + (r + n_b) * SIMD_WIDTH;
    held.bends[1] = held.bends[0] + rot * n_a * SIMD_WIDTH;
    held.pairs = held.bends[1] + rot * n_b * SIMD_WIDTH;
    return held;
}

/* The geometric terms of one side, for the joints in `bits`. */
static inline void add_geometric(const int dim, const int n_q, unsigned bits, const side_terms *terms,
                                 const int *turns_at, const int *bends_at, double *val)
{
    const int n_rot = phx_rotations(dim), n = dim + n_rot + n_q;

    for (int i = 0; i < dim + n_rot; i++)
        subtract_run(n_rot, bits, terms->turns + i * n_rot, turns_at + i * SIMD_WIDTH, val);
    for (int i = dim + n_rot; i < n; i++)
        subtract_run_where(n_rot, bits, terms->turns + i * n_rot, turns_at + i * SIMD_WIDTH, val);
    for (int e = 0; e < n_rot * n_q; e++)
        subtract_run_where(1, bits, terms->bends + e, bends_at + e * SIMD_WIDTH, val);
}

#endif
