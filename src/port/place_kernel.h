/* How the place of a port follows the velocities of its body, for a kind of number (algebra/rotation_kernel.h says what
 * the including file defines). With the mean frame R and the lever y = x + phi q, the rate of the place is,
 * by theory 1 (1) in inertial components,
 *
 *     u_dot = R (v + w x y + phi q_dot)  = P nu .
 *
 * `n` coordinates are seen, phi is dim x n; `dim` and, where bodies are rigid, n = 0 are constants where a kernel is
 * put, so that nothing is left of the loops over coordinates. */
#ifndef PHX_PLACE_KERNEL_H
#define PHX_PLACE_KERNEL_H

#include "algebra/rotation_kernel.h"

/* y_a += sum over k, `first` to before `end` of n, of shapes_ak q_k of `rows` rows, up to 3; q_k is entry at[k] of q
 * (NULL: entry k). */
static inline void NAME(add_some_shapes)(const int rows, int first, int end, const int n, const real *shapes,
                                         const real *q, const int *at, real *y)
{
    real sum[3];

    for (int a = 0; a < rows; a++)
        sum[a] = y[a];
    for (int k = first; k < end; k++)
        for (int a = 0; a < rows; a++)
            sum[a] += shapes[a * n + k] * q[at ? at[k] : k];
    for (int a = 0; a < rows; a++)
        y[a] = sum[a];
}

/* All of them. */
static inline void NAME(add_shapes)(const int rows, const int n, const real *shapes, const real *q, const int *at,
                                    real *y)
{
    NAME(add_some_shapes)(rows, 0, n, n, shapes, q, at, y);
}

/* v + w x y + phi q_dot, body axes; v: of the body's frame, then w. */
static inline void NAME(local_velocity)(const int dim, const int n, const real *phi, const real *y, const real *v,
                                        const real *q_dot, const int *at, real *velocity)
{
    NAME(rot_x_vec)(dim, v + dim, y, velocity);
    for (int a = 0; a < dim; a++)
        velocity[a] += v[a];
    NAME(add_shapes)(dim, n, phi, q_dot, at, velocity);
}

/* Column j of the shapes times f: sum over a of phi_aj f_a. */
static inline void NAME(along_shape)(const int dim, const int n, const real *phi, int j, const real *f, real *sum)
{
    *sum = phi[j] * f[0];
    for (int a = 1; a < dim; a++)
        *sum += phi[a * n + j] * f[a];
}

/* P, dim x (dim + n_rot + n):  R,  R_a . (e_k x y) = (y x R_a)_k,  R phi. */
static inline void NAME(place_jacobian)(const int dim, const int n, const real *phi, const real *R, const real *y,
                                        real *P)
{
    const int r = dim + phx_rotations(dim);

    for (int a = 0; a < dim; a++) {
        const real *row = R + a * dim;
        real *to = P + a * (r + n);
        for (int c = 0; c < dim; c++)
            to[c] = row[c];
        NAME(vec_x_vec)(dim, y, row, to + dim);
        for (int j = 0; j < n; j++)
            NAME(along_shape)(dim, n, phi, j, row, &to[r + j]);
    }
}

/* dphi/dw: R1 = R0 cay(h w) changes by R1 [dpsi]x, dpsi = h (dw - h w x dw/2)/(1 + |h w|^2/4), R_m by half of it; a
 * variation xi is h/2 times one of the velocity. n_rot x n_rot: (I - [h w/2]x)/(1 + |h w/2|^2) */
static inline void NAME(frame_variation)(const int dim, double h, const real *w, real *turn)
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
static inline void NAME(times_turn)(const int dim, const real *x, const real *turn, real *y)
{
    const int n_rot = phx_rotations(dim);

    for (int c = 0; c < n_rot; c++) {
        y[c] = x[0] * turn[c];
        for (int k = 1; k < n_rot; k++)
            y[c] += x[k] * turn[k * n_rot + c];
    }
}

/* d(P nu)/d xi at fixed nu, row a of u: n_rot columns of the turns, n of the coordinates.
 *     R1 (dphi x velocity) + R_m (w x phi dq) ;
 * with the rows of R, R1_a . (dphi x velocity) = dphi . (velocity x R1_a) and R_a . (w x phi) = phi . (R_a x w). */
static inline void NAME(rate_tangent_row)(const int dim, const int n, const real *phi, int a, const real *R,
                                          const real *R1, const real *w, const real *velocity, const real *turn,
                                          real *row)
{
    real arm[3];

    NAME(vec_x_vec)(dim, velocity, R1 + a * dim, arm);
    NAME(times_turn)(dim, arm, turn, row);
    if (n > 0)
        NAME(vec_x_rot)(dim, R + a * dim, w, arm);
    for (int j = 0; j < n; j++)
        NAME(along_shape)(dim, n, phi, j, arm, &row[phx_rotations(dim) + j]);
}

/* `weight` times the derivatives of P^T F at fixed force F by xi, d(R_m^T F) = f1 x dphi, f1 = R1^T F, dphi = turn dw,
 * dy = phi dq:
 *   rows v: f1 x dphi;  w: (phi dq) x f + y x (f1 x dphi);  q: phi^T (f1 x dphi)
 * turns: columns of w, (dim + n_rot + n) x n_rot; bends: rows of w, columns of q, n_rot x n. */
static inline void NAME(geometric_terms)(const int dim, const int n, const real *phi, double weight, const real *R,
                                         const real *R1, const real *y, const real *turn, const real *force,
                                         real *turns, real *bends)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot;
    real f[3], f1[3], df[3], torque[3], column[3], sum;

    NAME(rot_apply_transposed)(dim, R1, force, f1);
    for (int c = 0; c < n_rot; c++) {
        for (int k = 0; k < n_rot; k++)
            column[k] = turn[k * n_rot + c];
        NAME(vec_x_rot)(dim, f1, column, df);
        NAME(vec_x_vec)(dim, y, df, torque);
        for (int a = 0; a < dim; a++)
            turns[a * n_rot + c] = weight * df[a];
        for (int k = 0; k < n_rot; k++)
            turns[(dim + k) * n_rot + c] = weight * torque[k];
        for (int j = 0; j < n; j++) {
            NAME(along_shape)(dim, n, phi, j, df, &sum);
            turns[(r + j) * n_rot + c] = weight * sum;
        }
    }
    if (n > 0)
        NAME(rot_apply_transposed)(dim, R, force, f);
    for (int j = 0; j < n; j++) {
        for (int a = 0; a < dim; a++)
            column[a] = phi[a * n + j];
        NAME(vec_x_vec)(dim, column, f, torque);
        for (int k = 0; k < n_rot; k++)
            bends[k * n + j] = weight * torque[k];
    }
}

#endif
