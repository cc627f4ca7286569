/* Joints that are alike, evaluated together; private to layer system. */
#ifndef PHX_FAST_JOINTS_H
#define PHX_FAST_JOINTS_H

#include "fast.h"

/* Coordinates that a port of a batch sees at most. */
enum { SIDE_COORDINATES = 12 };

/* The ports of a batch on A or on B. Numbers of PHX_JOINT_SIMD_WIDTH joints stand side by side; the last joint fills up
 * what has none. */
typedef struct joint_side {
    int n_q; /* coordinates that a port sees */
    int port[PHX_JOINT_SIMD_WIDTH], x[PHX_JOINT_SIMD_WIDTH],
        v[PHX_JOINT_SIMD_WIDTH]; /* first entries of their bodies in x and v */
    int *q, *q_dot;              /* n_q: entries of the coordinates in x, of their rates in v */
    double *place, *phi, *theta; /* of the points: dim, dim x n_q, n_rot x n_q */
} joint_side;

/* Up to PHX_JOINT_SIMD_WIDTH joints between two bodies each, whose rows are POINT rows along all axes, then `dots` DOT
 * rows (in space only), all with rate zero. No other joint and no force has their ports. */
struct joint_batch {
    int count, dots;
    int group[PHX_JOINT_SIMD_WIDTH], first[PHX_JOINT_SIMD_WIDTH]; /* groups of rows, their first rows */
    joint_side side[2];
    double *alpha, *beta; /* dots x 3 */
    /* Places in the whole and in the condensed matrix (NULL: none), each of PHX_JOINT_SIMD_WIDTH joints:
     *   rows   of each row of G, of A, then of B: its first velocity, then each coordinate;
     *   above  of A, then of B: in the row of each velocity and coordinate the first multiplier;
     *   turns  of A, then of B: in those rows the first rotation of the body itself, -1: there is none;
     *   bends  of A, then of B, of each rotation: each coordinate, -1;
     *   pairs  with dots, of each rotation and coordinate of A, then of B: the first rotation, then each coordinate of
     *          A, then of B. */
    int *at[2];
    unsigned char late[PHX_JOINT_SIMD_WIDTH]; /* LATE_BODY of what is added after all parts are done */
    /* As bits, the joints that add at the bodies of A (1), of B (2), of both (3): before, and after all parts are done
     */
    unsigned char adds[2][4];
};

/* The states that the operations read: the ends and the mean of the interval, or three times an instant. */
typedef struct joint_state {
    double h;
    const double *x0, *x1, *xm, *vm, *lambda;
    bool late; /* only what is late is added */
} joint_state;

typedef struct joint_operations {
    /* Covectors, efforts at the ports, and the residual over v and multipliers: of the rows, and what the efforts do at
     * the bodies. */
    void (*residual)(const workspace *ws, const joint_batch *batch, const joint_state *at, double *res);
    /* At an instant: covectors, and the rates of the rows into `rates` (n_l). */
    void (*rates)(const workspace *ws, const joint_batch *batch, const joint_state *at, double *rates);
    /* G, -G^T into into_D; K_l and the geometric terms, weight_K times, into into_K, which may be the same array. */
    void (*linearise)(const workspace *ws, const joint_batch *batch, const joint_state *at);
    /* G and -G^T in place of what is there. */
    void (*put)(const workspace *ws, const joint_batch *batch, const joint_state *at, double *val);
} joint_operations;

extern const joint_operations phx_joint_simd, phx_joint_simd_avx2;

#endif
