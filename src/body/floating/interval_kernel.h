/* The floating body over a step, written once for a kind of number: the including file defines `real`, a
 * double or one number of each of several bodies side by side, ZEROS, which makes arrays of it zero, and NAME(x), what
 * x is called for it. The bodies differ in their state alone; matrices are those of the first. `dim` and, where bodies
 * are rigid, the number `n` of deformations are constants where a kernel is put, so that it becomes what they need.
 *
 * Over an interval q1 = q0 + h u and q_dot1 = 2 u - q_dot0, u the mean rate. With
 *
 *     d = q0 + h/2 q_dot0 ,   q_m = d + h/2 (u - q_dot0) ,
 *
 * A_k antisymmetric and Q_p symmetric, few products serve both ends (theory 4 (22), (23)):
 *
 *     A_k (w1_k q1 - w0_k q0)/h + 1/2 A_k (w0_k q_dot1 + w1_k q_dot0)
 *                                       = (w1 - w0)_k/h A_k d + (w0 + w1)_k A_k u ,
 *     q_dot1 . A_k q1 = - 2 d . A_k u - q_dot0 . A_k d ,    q_dot0 . A_k q0 = q_dot0 . A_k d ,
 *     1/2 (q1 . Q_p q1 - q0 . Q_p q0) = h u . Q_p q_m . */
#ifndef PHX_INTERVAL_KERNEL_H
#define PHX_INTERVAL_KERNEL_H

#include "algebra/simd_kernel.h"
#include "algebra/rotation_kernel.h"
#include "floating.h"

/* ---- small things ---- */
static inline void NAME(clear)(int n, real *x)
{
    for (int i = 0; i < n; i++)
        x[i] = (real){0.0};
}

/* Rows of a stack that have `length` entries: y = sums, with `start` (over all rows of the stack) y = start + sums. */
static inline void NAME(sum_rows)(const int length, int count, const double *val, const int *idx, const int *row,
                                  const double *start, const real *x, real *restrict y)
{
    for (int r = 0; r < count; r++, val += length, idx += length) {
        real even = {0.0}, odd = {0.0};
        for (int e = 0; e + 1 < length; e += 2) {
            even += val[e] * x[idx[e]];
            odd += val[e + 1] * x[idx[e + 1]];
        }
        if (length % 2)
            even += val[length - 1] * x[idx[length - 1]];
        y[row[r]] = start ? start[row[r]] + (even + odd) : even + odd;
    }
}

/* Sums of 4 `count` rows with the columns `idx`, of one body, in the order of sum_rows; `count` is a constant where
 * this is put, so that the sums stay in registers. */
enum { PHX_MOST_SUMS = 6 };
/* sums[r] += columns_e[r] x[idx_e] over all columns, for `count` registers of rows; even and odd columns are summed
 * apart. */
static inline void NAME(column_rows)(const int count, int length, int stride, const double *columns, const int *idx,
                                     const double *x, simd_double *sums)
{
    simd_double even[PHX_MOST_SUMS] = {{0.0}}, odd[PHX_MOST_SUMS] = {{0.0}};

    for (int e = 0; e < length / 2; e++, columns += 2 * stride) {
        const simd_double *of = (const simd_double *)columns, *next = (const simd_double *)(columns + stride);
        const double y = x[idx[2 * e]], z = x[idx[2 * e + 1]];
        for (int r = 0; r < count; r++) {
            even[r] += of[r] * y;
            odd[r] += next[r] * z;
        }
    }
    for (int r = 0; r < count && length % 2; r++)
        even[r] += ((const simd_double *)columns)[r] * x[idx[length - 1]];
    for (int r = 0; r < count; r++)
        sums[r] = even[r] + odd[r];
}

/* Those of up to 24 rows, of which `left` remain; their number, 8, 16 or 24. */
static inline int NAME(some_rows)(int left, int length, int stride, const double *columns, const int *idx,
                                  const double *x, simd_double sums[PHX_MOST_SUMS])
{
    if (left > 16) {
        NAME(column_rows)(6, length, stride, columns, idx, x, sums);
        return 24;
    }
    if (left > 8) {
        NAME(column_rows)(4, length, stride, columns, idx, x, sums);
        return 16;
    }
    NAME(column_rows)(2, length, stride, columns, idx, x, sums);
    return 8;
}

/* y[row] = start[row] + the product of a group of rows with the same column indices, stored by columns, with x. start
 * NULL: zero. */
static inline void NAME(sum_columns)(int length, int count, const double *columns, const int *idx, const int *row,
                                     const double *start, const double *x, double *restrict y)
{
    const int stride = phx_flex_stack_stride(count);
    const bool together = row[count - 1] - row[0] == count - 1; /* they are ascending */

    for (int r = 0, done = 0; r < count; r += done) {
        simd_double sums[PHX_MOST_SUMS];
        const double *sum = (const double *)sums;
        int k = 0;
        done = NAME(some_rows)(count - r, length, stride, columns + r, idx, x, sums);
        for (; together && k < done && r + k + 4 <= count; k += 4) {
            simd_double *to = (simd_double *)(y + row[r + k]);
            *to = sums[k / 4];
            if (start)
                *to += *(const simd_double *)(start + row[r + k]);
        }
        for (; k < done && r + k < count; k++)
            y[row[r + k]] = start ? start[row[r + k]] + sum[k] : sum[k];
    }
}

/* y = start + A x for a matrix whose rows are grouped by length; each lane of x and y is one body. start NULL: zero. */
static inline void NAME(multiply_onto)(const phx_flex_stack *A, const double *start, const real *x, real *y)
{
    const double *val = A->val;
    const int *idx = A->idx, *row = A->row;

    for (int g = 0; g < A->n_groups; g++) {
        const int length = A->length[g], count = A->count[g], columns = SIMD_WIDTH == 1 ? A->column_at[g] : -1;
        switch (columns < 0 ? length : -1) {
        case -1:
            NAME(sum_columns)
            (length, count, A->columns + columns, idx, row, start, (const double *)x, (double *)y);
            break;
        case 0:
            NAME(sum_rows)(0, count, val, idx, row, start, x, y);
            break;
        case 3:
            NAME(sum_rows)(3, count, val, idx, row, start, x, y);
            break;
        case 6:
            NAME(sum_rows)(6, count, val, idx, row, start, x, y);
            break;
        default:
            NAME(sum_rows)(length, count, val, idx, row, start, x, y);
        }
        val += length * count;
        idx += length * count;
        row += count;
    }
}

/* y = A x, all rows of a stack */
static void NAME(multiply)(const phx_flex_stack *A, const real *x, real *y)
{
    NAME(multiply_onto)(A, NULL, x, y);
}

/* slopes = j + Q x, the derivatives of J */
static void NAME(inertia_derivatives)(const phx_floating *body, const real *x, real *slopes)
{
    NAME(multiply_onto)(&body->compact->pairs, body->flex->j, x, slopes);
}

/* y = B^T (B x), theory 2 (4). On a fine mesh what rounding leaves of K x is a load of its own, and beams are soft
 * against it; rounded strains are no more than a change of x in its last digits. */
static inline void NAME(through_strains)(const phx_csr *root, int n, const real *x, real *y)
{
    NAME(clear)(n, y);
    for (int i = 0; i < root->rows; i++) {
        real strain = {0.0};
        for (int e = root->ptr[i]; e < root->ptr[i + 1]; e++)
            strain += root->val[e] * x[root->idx[e]];
        for (int e = root->ptr[i]; e < root->ptr[i + 1]; e++)
            y[root->idx[e]] += root->val[e] * strain;
    }
}

/* y = R^T g, the direction cosines as the state holds them */
static inline void NAME(to_body)(const int dim, const real *R, const double *g, real *y)
{
    if (dim == 2) {
        y[0] = R[0] * g[0] + R[1] * g[1];
        y[1] = -R[1] * g[0] + R[0] * g[1];
        return;
    }
    for (int j = 0; j < 3; j++)
        y[j] = R[j] * g[0] + R[3 + j] * g[1] + R[6 + j] * g[2];
}

/* y = J w, J by its pairs */
static inline void NAME(pair_times)(const int dim, const real *pair, const real *w, real *y)
{
    if (dim == 2) {
        y[0] = pair[0] * w[0];
    } else {
        y[0] = pair[0] * w[0] + pair[3] * w[1] + pair[4] * w[2];
        y[1] = pair[3] * w[0] + pair[1] * w[1] + pair[5] * w[2];
        y[2] = pair[4] * w[0] + pair[5] * w[1] + pair[2] * w[2];
    }
}

/* ---- the start of an interval ---- */
/* Of the undeformed bodies, with the centre of mass and the inertia about it; the only constants in which they may
 * differ. */
typedef struct NAME(inertia) {
    real mass, s0[3], J0[PHX_MAX_PAIR], centre[3], central[PHX_MAX_PAIR];
} NAME(inertia);

/* Inertia of the undeformed body as numbers of all lanes: mass, first moment, inertia about the origin and about the
 * centre of mass. */
static inline NAME(inertia) NAME(inertia_of)(const phx_flex *flex)
{
    NAME(inertia) own = {.mass = (real){0.0} + flex->mass};
    double centre[3] = {0.0}, square = 0.0;

    for (int a = 0; a < 3; a++) {
        centre[a] = a < flex->dim && flex->mass > 0.0 ? flex->s0[a] / flex->mass : 0.0;
        square += centre[a] * centre[a];
        own.s0[a] = (real){0.0} + flex->s0[a];
        own.centre[a] = (real){0.0} + centre[a];
    }
    for (int p = 0; p < PHX_MAX_PAIR; p++)
        own.J0[p] = (real){0.0} + flex->J0[p];
    for (int k = 0; k < phx_rotations(flex->dim); k++)
        for (int l = k; l < phx_rotations(flex->dim); l++) {
            const double arm = (k == l ? square : 0.0) - (flex->dim == 3 ? centre[k] * centre[l] : 0.0);
            own.central[phx_pair(k, l)] = own.J0[phx_pair(k, l)] - flex->mass * arm;
        }
    return own;
}

/* The contributions of the deformation. */
typedef struct NAME(bending) {
    real s[3], s_dot[3], c_dot[3];    /* s(q0), S q_dot0, C q_dot0 */
    real pair[PHX_MAX_PAIR], gyro[3]; /* J(q0), q_dot0 . A_k d */
    real s1[3], pair1[PHX_MAX_PAIR];  /* at the end, written by the residual */
    real sm[3];                       /* s(q_m) */
    real *d, *turned[3];              /* d, A_k d, one behind the other */
    real *mean;                       /* where the residual leaves its arrays for the arrow block; NULL: nowhere */
} NAME(bending);

typedef struct NAME(products) {
    NAME(inertia) own;
    real p[6], pm[6]; /* momenta of the rigid rows: at the start, mean; rigid: p has the velocity of the centre of mass
                         at the start */
    NAME(bending) * bent; /* not looked at where n is 0 */
} NAME(products);

/* Moments and inertia of the body: at the end, and the moments of the mean. */
static inline const real *NAME(end_moments)(const int n, const NAME(products) * made)
{
    return n > 0 ? made->bent->s1 : made->own.s0;
}

static inline const real *NAME(end_inertia)(const int n, const NAME(products) * made)
{
    return n > 0 ? made->bent->pair1 : made->own.J0;
}

static inline const real *NAME(mean_moments)(const int n, const NAME(products) * made)
{
    return n > 0 ? made->bent->sm : made->own.s0;
}

/* Momenta of the rigid rows: m v + w x s + s_dot,  s x v + J w + turn; s_dot, turn: NULL for zero. */
static inline void NAME(rigid_momenta)(const int dim, const NAME(inertia) * own, const real *s, const real *pair,
                                       const real *s_dot, const real *turn, const real *v, real *p)
{
    real a[3], b[3];

    NAME(rot_x_vec)(dim, v + dim, s, a);
    for (int i = 0; i < dim; i++)
        p[i] = s_dot ? own->mass * v[i] + a[i] + s_dot[i] : own->mass * v[i] + a[i];
    NAME(vec_x_vec)(dim, s, v, a);
    NAME(pair_times)(dim, pair, v + dim, b);
    for (int k = 0; k < phx_rotations(dim); k++)
        p[dim + k] = turn ? a[k] + b[k] + turn[k] : a[k] + b[k];
}

/* ---- translation in inertial axes, theory 4 (5) to (10) ---- */
/* With c = h/2 w_m, R_m = R0 (I - [c]x)^-1 = R1 (I + [c]x)^-1. Of the inertial velocities V0 = R0 v0 and
 * V1 = 2 R_m v_m - V0, V_m = R_m v_m is their mean, and R_m has the components
 *
 *     a0 = R_m^T V0 = (I + [c]x)^-1 v0 ,   a1 = R_m^T V1 = 2 N v_m - a0 ,   N = R_m^T R_m = (I + c c^T)/(1 + |c|^2) .
 *
 * At the end v1 = R1^T V1 = (I - [c]x) a1. */
typedef struct NAME(half_turn) {
    real c[3], scale; /* 1/(1 + |c|^2) */
} NAME(half_turn);

static inline NAME(half_turn) NAME(half_turn_of)(const int dim, double h, const real *w)
{
    NAME(half_turn) half = {.c = ZEROS, .scale = (real){0.0} + 1.0};

    for (int k = 0; k < phx_rotations(dim); k++) {
        half.c[k] = 0.5 * h * w[k];
        half.scale += half.c[k] * half.c[k];
    }
    half.scale = 1.0 / half.scale;
    return half;
}

/* c . x, which vanishes in the plane */
static inline void NAME(along_turn)(const int dim, const NAME(half_turn) * half, const real *x, real *sum)
{
    *sum = (real){0.0};
    for (int a = 0; a < 3 && dim == 3; a++)
        *sum += half->c[a] * x[a];
}

/* y = (I + sign [c]x)^-1 x = x + (c x (c x x) - sign c x x)/(1 + |c|^2): as a change of x, so that the rounding of 1 +
 * |c|^2 does not add up over steps. */
static inline void NAME(solve_turn)(const int dim, const double sign, const NAME(half_turn) * half, const real *x,
                                    real *y)
{
    real across[3], twice[3];

    NAME(rot_x_vec)(dim, half->c, x, across);
    NAME(rot_x_vec)(dim, half->c, across, twice);
    for (int a = 0; a < dim; a++)
        y[a] = x[a] + half->scale * (twice[a] - sign * across[a]);
}

/* y = N x = x + c x (c x x)/(1 + |c|^2), theory 4 (8) */
static inline void NAME(mean_metric)(const int dim, const NAME(half_turn) * half, const real *x, real *y)
{
    real across[3], twice[3];

    NAME(rot_x_vec)(dim, half->c, x, across);
    NAME(rot_x_vec)(dim, half->c, across, twice);
    for (int a = 0; a < dim; a++)
        y[a] = x[a] + half->scale * twice[a];
}

/* Velocity of a point at `arm`: v + w x arm. */
static inline void NAME(velocity_at)(const int dim, const real *arm, const real *v, real *at)
{
    NAME(rot_x_vec)(dim, v + dim, arm, at);
    for (int a = 0; a < dim; a++)
        at[a] += v[a];
}

/* a0 and a1 = 2 N v_m - a0 of a point with the velocity v0 at the start, theory 4 (7). */
static inline void NAME(mean_axes)(const int dim, const NAME(half_turn) * half, const real *v0, const real *vm,
                                   real *a0, real *a1)
{
    real mean[3];

    NAME(mean_metric)(dim, half, vm, mean);
    NAME(solve_turn)(dim, 1.0, half, v0, a0);
    for (int a = 0; a < dim; a++)
        a1[a] = 2.0 * mean[a] - a0[a];
}

/* The velocity v1 at the end, in the axes there: (I - [c]x) a1, theory 4 (9). */
static inline void NAME(end_axes)(const int dim, const NAME(half_turn) * half, const real *a1, real *v1)
{
    real turned[3];

    NAME(rot_x_vec)(dim, half->c, a1, turned);
    for (int a = 0; a < dim; a++)
        v1[a] = a1[a] - turned[a];
}

/* The end of an interval: v1 = 2 v_m - v0 that the iteration has found becomes the velocity of the frame in its own
 * axes, the one at `arm` having been averaged in inertial axes. */
static inline void NAME(finish)(const int dim, const real *arm, double h, const real *v0, real *v1)
{
    real vm[6], at0[3], atm[3], a0[3], a1[3], lever[3];

    for (int i = 0; i < dim + phx_rotations(dim); i++)
        vm[i] = 0.5 * (v0[i] + v1[i]);
    const NAME(half_turn) half = NAME(half_turn_of)(dim, h, vm + dim);
    NAME(velocity_at)(dim, arm, v0, at0);
    NAME(velocity_at)(dim, arm, vm, atm);
    NAME(mean_axes)(dim, &half, at0, atm, a0, a1);
    NAME(end_axes)(dim, &half, a1, v1);
    NAME(rot_x_vec)(dim, v1 + dim, arm, lever);
    for (int a = 0; a < dim; a++)
        v1[a] -= lever[a];
}

/* Rows of a rigid body, about its centre of mass C with the arm c_0 from P and the inertia J_C:
 *     F = m R_m^T ((V1 - V0)/h - g) ,   J_C (w1 - w0)/h - J_C w_m x w_m + c_0 x F ,
 *     R_m^T (V1 - V0)/2 = N (v_m - v0) + c x v0/(1 + |c|^2)  at C. */
static inline void NAME(rigid_residual)(const int dim, const double *gravity, double h, const real *attitude,
                                        const real *v0, const real *v1, const real *vm, const NAME(products) * made,
                                        real *res)
{
    const NAME(inertia) *own = &made->own;
    const NAME(half_turn) half = NAME(half_turn_of)(dim, h, vm + dim);
    real gm[3], change[6], d[3], half_way[3], turned[3], dw[3], spin[3], gyro[3], torque[3];

    for (int i = 0; i < dim + phx_rotations(dim); i++)
        change[i] = vm[i] - v0[i];
    NAME(velocity_at)(dim, own->centre, change, d);
    NAME(mean_metric)(dim, &half, d, half_way);
    NAME(rot_x_vec)(dim, half.c, made->p, turned);
    NAME(to_body)(dim, attitude, gravity, gm);
    /* theory 4 (10): F = m (a1 - a0)/h */
    for (int a = 0; a < dim; a++)
        res[a] = own->mass * (2.0 / h * (half_way[a] + half.scale * turned[a]) - gm[a]);
    for (int k = 0; k < phx_rotations(dim); k++)
        dw[k] = (v1[dim + k] - v0[dim + k]) / h;
    /* theory 4 (10): J (w1 - w0)/h - J w_mean x w_mean + c0 x F */
    NAME(pair_times)(dim, own->central, dw, res + dim);
    NAME(pair_times)(dim, own->central, vm + dim, spin);
    NAME(rot_x_rot)(dim, spin, vm + dim, gyro);
    NAME(vec_x_vec)(dim, own->centre, res, torque);
    for (int k = 0; k < phx_rotations(dim); k++)
        res[dim + k] += torque[k] - gyro[k];
}

/* ---- the start of the interval of one that bends ---- */
/* J_p(q0) = J0 + j.q0 + 1/2 q0.Q q0, s, and other terms of the start alone. */
static inline void NAME(begin)(const int dim, const int n, const phx_floating *body, double h, const real *q0,
                               const real *v0, NAME(products) * made, real *room)
{
    const int n_rot = phx_rotations(dim), n_pair = phx_pairs(dim);
    const real *rate = v0 + dim + n_rot;
    NAME(bending) *bent = made->bent;
    real moments[6] = ZEROS, turn[3], gyro[3] = ZEROS, sum[PHX_MAX_PAIR] = ZEROS;

    if (n == 0) {
        if (body->base.pivots)
            NAME(rigid_momenta)(dim, &made->own, made->own.s0, made->own.J0, NULL, NULL, v0, made->p);
        else
            NAME(velocity_at)(dim, made->own.centre, v0, made->p);
        return;
    }
    NAME(multiply)(&body->compact->moments, q0, moments);
    for (int a = 0; a < dim; a++)
        bent->s[a] = made->own.s0[a] + moments[a];
    NAME(multiply)(&body->compact->moments, rate, moments);
    for (int a = 0; a < dim; a++)
        bent->s_dot[a] = moments[a];
    for (int k = 0; k < n_rot; k++)
        bent->c_dot[k] = moments[dim + k];
    NAME(inertia_derivatives)(body, q0, room);
    for (int i = 0; i < n; i++)
        for (int p = 0; p < n_pair; p++)
            sum[p] += q0[i] * (body->flex->j[p * n + i] + room[p * n + i]);
    for (int p = 0; p < n_pair; p++)
        bent->pair[p] = made->own.J0[p] + 0.5 * sum[p];
    for (int i = 0; i < n; i++)
        bent->d[i] = q0[i] + 0.5 * h * rate[i];
    NAME(multiply)(&body->compact->gyro, bent->d, bent->turned[0]);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n_rot; k++)
            gyro[k] += rate[i] * bent->turned[k][i];
    for (int k = 0; k < n_rot; k++) {
        bent->gyro[k] = gyro[k];
        turn[k] = bent->c_dot[k] - bent->gyro[k];
    }
    NAME(rigid_momenta)(dim, &made->own, bent->s, bent->pair, bent->s_dot, turn, v0, made->p);
}

/* ---- the residual ---- */
/* Arrays over the deformations in `room`. */
typedef struct NAME(arrays) {
    real *diff, *qm, *a, *b; /* u - q_dot0, q_m, A_k u (n_rot x n), j_p + Q_p q_m (pairs x n) */
} NAME(arrays);

static inline NAME(arrays) NAME(arrays_at)(const int dim, const int n, real *room)
{
    return (NAME(arrays)){.diff = room, .qm = room + n, .a = room + 2 * n, .b = room + (2 + phx_rotations(dim)) * n};
}

static inline void NAME(evaluate)(const int n, const phx_floating *body, double h, const real *rate0, const real *u,
                                  const NAME(products) * made, const NAME(arrays) * out)
{
    for (int i = 0; i < n; i++) {
        out->diff[i] = u[i] - rate0[i];
        out->qm[i] = made->bent->d[i] + 0.5 * h * out->diff[i];
    }
    NAME(multiply)(&body->compact->gyro, u, out->a);
    NAME(inertia_derivatives)(body, out->qm, out->b);
}

/* The rigid momenta of a flexible body at the end, and what the tangent needs of it. */
static inline void NAME(end_momenta)(const int dim, const int n, const phx_floating *body, double h, const real *v1,
                                     const real *u, const NAME(arrays) * at, NAME(products) * made, real *p)
{
    const int n_rot = phx_rotations(dim), n_pair = phx_pairs(dim);
    NAME(bending) *bent = made->bent;
    real moments[6] = ZEROS, s_dot[3], turn[3], curl[3] = ZEROS, sum[PHX_MAX_PAIR] = ZEROS;

    NAME(multiply)(&body->compact->moments, u, moments);
    for (int a = 0; a < dim; a++) {
        bent->s1[a] = bent->s[a] + h * moments[a];
        bent->sm[a] = bent->s[a] + 0.5 * h * moments[a];
        s_dot[a] = 2.0 * moments[a] - bent->s_dot[a];
    }
    for (int i = 0; i < n; i++) {
        for (int m = 0; m < n_pair; m++)
            sum[m] += u[i] * at->b[m * n + i];
        for (int k = 0; k < n_rot; k++)
            curl[k] += bent->d[i] * at->a[k * n + i];
    }
    for (int m = 0; m < n_pair; m++)
        bent->pair1[m] = bent->pair[m] + h * sum[m];
    for (int k = 0; k < n_rot; k++)
        turn[k] = 2.0 * (moments[dim + k] + curl[k]) - bent->c_dot[k] + bent->gyro[k];
    NAME(rigid_momenta)(dim, &made->own, bent->s1, bent->pair1, s_dot, turn, v1, p);
}

/* Coefficients of w0_k w1_l in the pairs. */
static inline void NAME(pair_products)(const int dim, const real *w0, const real *w1, real *c)
{
    const int n_rot = phx_rotations(dim);
    for (int k = 0; k < n_rot; k++)
        for (int l = k; l < n_rot; l++)
            c[phx_pair(k, l)] = k == l ? w0[k] * w1[k] : w0[k] * w1[l] + w0[l] * w1[k];
}

/* Theory 8 (5): q_m + beta u, from which one pass through the strains makes elastic and damping forces; q_m itself
 * without beta. */
static inline const real *NAME(strained)(const phx_floating *body, int n, const real *qm, const real *u, real *sum)
{
    if (body->strain_damping == 0.0)
        return qm;
    for (int i = 0; i < n; i++)
        sum[i] = qm[i] + body->strain_damping * u[i];
    return sum;
}

/* res += the rest of R u: W^T (W u) of modal damping, and the parts of R without a root */
static inline void NAME(add_friction)(const phx_floating *body, int n, const real *u, real *room, real *res)
{
    const phx_csr *R = body->friction;

    for (int i = 0; R && i < n; i++)
        for (int e = R->ptr[i]; e < R->ptr[i + 1]; e++)
            res[i] += R->val[e] * u[R->idx[e]];
    if (body->modal_root.rows == 0)
        return;
    NAME(through_strains)(&body->modal_root, n, u, room);
    for (int i = 0; i < n; i++)
        res[i] += room[i];
}

/* Rows of the deformations: 2/h M (u - q_dot0) + K q_m + R u and what comes through S, C, j, A, Q. */
static inline void NAME(deformation_rows)(const int dim, const phx_floating *body, double h, const real *v0,
                                          const real *v1, const real *u, const real *gm, const NAME(products) * made,
                                          const NAME(arrays) * at, real *room, real *res)
{
    const phx_flex *flex = body->flex;
    const int n = flex->n, n_rot = phx_rotations(dim), n_pair = phx_pairs(dim);
    const double over_h = 1.0 / h;
    const real *w0 = v0 + dim, *w1 = v1 + dim;
    real S[3], c[3], sum[3], ww[PHX_MAX_PAIR], across[3], *elastic = room;

    NAME(vec_x_rot)(dim, v0, w1, S);
    NAME(vec_x_rot)(dim, v1, w0, across);
    for (int a = 0; a < dim; a++)
        S[a] = over_h * (v1[a] - v0[a]) - 0.5 * (S[a] + across[a]) - gm[a];
    for (int k = 0; k < n_rot; k++) {
        c[k] = over_h * (w1[k] - w0[k]);
        sum[k] = w0[k] + w1[k];
    }
    NAME(pair_products)(dim, w0, w1, ww);
    for (int p = 0; p < n_pair; p++)
        ww[p] *= 0.5;
    NAME(multiply)(&body->compact->mass, at->diff, res);
    if (body->root)
        NAME(through_strains)(body->root, n, NAME(strained)(body, n, at->qm, u, room + n), elastic);
    else
        NAME(multiply)(&body->compact->stiffness, at->qm, elastic);
    for (int i = 0; i < n; i++) {
        real force = 2.0 * over_h * res[i] + elastic[i];
        for (int a = 0; a < dim; a++)
            force += flex->S[a * n + i] * S[a];
        for (int k = 0; k < n_rot; k++)
            force += (flex->C[k * n + i] - made->bent->turned[k][i]) * c[k] - sum[k] * at->a[k * n + i];
        for (int p = 0; p < n_pair; p++)
            force -= ww[p] * at->b[p * n + i];
        res[i] = force;
    }
    NAME(add_friction)(body, n, u, room, res);
}

/* res = (p1 - p0)/h - mean forces. `attitude`: the means of the direction cosines. */
static inline void NAME(residual)(const int dim, const int n, const phx_floating *body, const double *gravity, double h,
                                  const real *attitude, const real *v0, const real *v1, const real *vm,
                                  NAME(products) * made, real *room, real *res)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot;
    const double over_h = 1.0 / h;
    const real *u = vm + r;
    NAME(arrays) at = {0};
    real p[6], gm[3], a[3], b[3], c[3], torque[3];

    if (n == 0 && !body->base.pivots) {
        NAME(rigid_residual)(dim, gravity, h, attitude, v0, v1, vm, made, res);
        return;
    }
    if (n > 0) {
        at = NAME(arrays_at)(dim, n, made->bent->mean ? made->bent->mean : room);
        NAME(evaluate)(n, body, h, v0 + r, u, made, &at);
        NAME(end_momenta)(dim, n, body, h, v1, u, &at, made, p);
    } else {
        NAME(rigid_momenta)(dim, &made->own, made->own.s0, made->own.J0, NULL, NULL, v1, p);
    }
    for (int i = 0; i < r; i++)
        made->pm[i] = 0.5 * (made->p[i] + p[i]);
    NAME(to_body)(dim, attitude, gravity, gm);
    /* theory 4 (2): (p1 - p0)/h less the cross products with p_mean and nu_mean, less gravity at the mean */
    NAME(vec_x_rot)(dim, made->pm, vm + dim, a);
    for (int i = 0; i < dim; i++)
        res[i] = over_h * (p[i] - made->p[i]) - a[i] - made->own.mass * gm[i];
    NAME(vec_x_vec)(dim, made->pm, vm, b);
    NAME(rot_x_rot)(dim, made->pm + dim, vm + dim, c);
    NAME(vec_x_vec)(dim, NAME(mean_moments)(n, made), gm, torque);
    for (int k = 0; k < n_rot; k++)
        res[dim + k] = over_h * (p[dim + k] - made->p[dim + k]) - b[k] - c[k] - torque[k];
    if (n == 0)
        return;
    NAME(deformation_rows)
    (dim, body, h, v0, v1, u, gm, made, &at, room + (size_t)(2 + n_rot + phx_pairs(dim)) * (size_t)n, res + r);
}

#endif
