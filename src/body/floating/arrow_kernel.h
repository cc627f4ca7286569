/* The part of a body's matrix that changes from step to step, its rigid rows and columns, without what follows from
 * constants, theory 4 (24):
 *
 *     rows of v and w, column of q_i:   H S_i ,  E S_i + rows_i        S_i = (S_1i ...), dim
 *     row of q_i, columns of v and w:   S_i^T Gv ,  S_i^T Gw + columns_i
 *
 * See interval_kernel.h for `real` and NAME. */
#ifndef PHX_ARROW_KERNEL_H
#define PHX_ARROW_KERNEL_H

#include "interval_kernel.h"

typedef struct NAME(arrow) {
    real *rigid;           /* n_rigid square */
    real *H, *E, *Gv, *Gw; /* dim x dim, n_rot x dim, dim x dim, dim x n_rot */
    real *rows, *columns;  /* n_q x n_rot each */
} NAME(arrow);

static inline NAME(arrow) NAME(arrow_at)(const int dim, int n_q, real *start)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot;
    NAME(arrow) made = {.rigid = start};

    made.H = made.rigid + r * r;
    made.E = made.H + dim * dim;
    made.Gv = made.E + n_rot * dim;
    made.Gw = made.Gv + dim * dim;
    made.rows = made.Gw + dim * n_rot;
    made.columns = made.rows + (size_t)n_q * (size_t)n_rot;
    return made;
}

/* Ends and means that every column needs. */
typedef struct NAME(ends) {
    double h;
    const real *v0, *v1, *vm;
    const NAME(products) * known;
} NAME(ends);

/* Rigid rows of a column: dp1 = (t, r), the variation dnu = (dv, dw) of the mean velocity (NULL: none); rows `stride`
 * apart. */
static inline void NAME(rigid_rows)(const int dim, const NAME(ends) * e, const real *t, const real *r, const real *dnu,
                                    int stride, real *rows_v, real *rows_w)
{
    const real *vm = e->vm, *wm = e->vm + dim, *p = e->known->pm;
    const double over_h = 1.0 / e->h;
    real a[3], b[3] = ZEROS, c[3], d[3], f[3] = ZEROS, g[3] = ZEROS;

    NAME(vec_x_rot)(dim, t, wm, a);
    NAME(vec_x_vec)(dim, t, vm, c);
    NAME(rot_x_rot)(dim, r, wm, d);
    if (dnu) {
        NAME(vec_x_rot)(dim, p, dnu + dim, b);
        NAME(vec_x_vec)(dim, p, dnu, f);
        NAME(rot_x_rot)(dim, p + dim, dnu + dim, g);
    }
    for (int i = 0; i < dim; i++)
        rows_v[i * stride] = over_h * t[i] - 0.5 * a[i] - b[i];
    for (int k = 0; k < phx_rotations(dim); k++)
        rows_w[k * stride] = over_h * r[k] - 0.5 * (c[k] + d[k]) - f[k] - g[k];
}

/* Turn of the frame that goes with axis `axis` of w:
 * R1 = R0 cay(h w) changes by R1 [dpsi]x, dpsi = h (dw - h w x dw/2)/(1 + |h w|^2/4), R_m by half of it. */
static inline void NAME(frame_turn)(const int dim, double h, const real *w, int axis, real *turn)
{
    const int n_rot = phx_rotations(dim);
    const double half = 0.5 * h;
    real unit[3] = ZEROS, across[3], scale = (real){0.0} + 1.0;

    unit[axis] += 1.0;
    NAME(rot_x_rot)(dim, w, unit, across);
    for (int k = 0; k < n_rot; k++)
        scale += half * half * w[k] * w[k];
    for (int k = 0; k < n_rot; k++)
        turn[k] = (unit[k] - half * across[k]) / scale;
}

/* Of x = N v_m: dx = N dv + dN v_m, dN v = (dc (c . v) + c (dc . v) - 2 (c . dc) N v)/(1 + |c|^2); dc = h/2 times axis
 * k of w, k < 0: none. mean: N v_m. */
static inline void NAME(vary_mean)(const int dim, double h, const NAME(half_turn) * half, const real *vm,
                                   const real *mean, const real *dv, int k, real *dx)
{
    real along;

    NAME(mean_metric)(dim, half, dv, dx);
    if (k < 0)
        return;
    NAME(along_turn)(dim, half, vm, &along);
    for (int i = 0; i < dim; i++) {
        real change = -2.0 * half->c[k] * mean[i];
        if (dim == 3)
            change += (i == k ? 1.0 : 0.0) * along + half->c[i] * vm[k];
        dx[i] += 0.5 * h * half->scale * change;
    }
}

/* da0 = (I + [c]x)^-1 (a0 x dc), dc = h/2 dw */
static inline void NAME(vary_start)(const int dim, double h, const NAME(half_turn) * half, const real *a0,
                                    const real *dw, real *da0)
{
    real across[3];

    NAME(vec_x_rot)(dim, a0, dw, across);
    for (int a = 0; a < dim; a++)
        across[a] = 0.5 * h * across[a];
    NAME(solve_turn)(dim, 1.0, half, across, da0);
}

/* Columns of a rigid body (rigid_residual), with dv_C = dv + dw x c_0: dF = 2 m/h (d(N v_C) - da0). */
static inline void NAME(central_columns)(const int dim, int r, double h, const real *vm, const NAME(products) * made,
                                         NAME(arrow) * out)
{
    const int n_rot = phx_rotations(dim);
    const NAME(inertia) *own = &made->own;
    const real *wm = vm + dim;
    const NAME(half_turn) half = NAME(half_turn_of)(dim, h, wm);
    real central[3], mean[3], a0[3], spin[3] = ZEROS;

    NAME(velocity_at)(dim, own->centre, vm, central);
    NAME(mean_metric)(dim, &half, central, mean);
    NAME(solve_turn)(dim, 1.0, &half, made->p, a0);
    NAME(pair_times)(dim, own->central, wm, spin);
    for (int c = 0; c < r; c++) {
        real unit[6] = ZEROS, *dw = unit + dim, dv[3], dF[3], da0[3] = ZEROS, torque[3], rate[3], a[3], b[3];
        unit[c] += 1.0;
        NAME(velocity_at)(dim, own->centre, unit, dv);
        NAME(vary_mean)(dim, h, &half, central, mean, dv, c - dim, dF);
        if (c >= dim)
            NAME(vary_start)(dim, h, &half, a0, dw, da0);
        for (int i = 0; i < dim; i++)
            out->rigid[i * r + c] = dF[i] = 2.0 / h * own->mass * (dF[i] - da0[i]);
        NAME(vec_x_vec)(dim, own->centre, dF, torque);
        NAME(pair_times)(dim, own->central, dw, rate);
        NAME(rot_x_rot)(dim, rate, wm, a);
        NAME(rot_x_rot)(dim, spin, dw, b);
        for (int k = 0; k < n_rot; k++)
            out->rigid[(dim + k) * r + c] = 2.0 / h * rate[k] - a[k] - b[k] + torque[k];
    }
}

/* Rigid columns of a body that bends or turns about a pivot: dp1_t = 2 (m dv + dw x s1), dp1_r = 2 (s1 x dv + J1 dw);
 * rows of q through S alone, g = 2/h dv - v0 x dw - dv x w0. */
static inline void NAME(rigid_columns)(const int dim, const int n, const NAME(ends) * e, NAME(arrow) * out)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot;
    const real *s1 = NAME(end_moments)(n, e->known), *pair1 = NAME(end_inertia)(n, e->known);

    for (int c = 0; c < r; c++) {
        real unit[6] = ZEROS, *dv = unit, *dw = unit + dim, t[3], turn[3], a[3], b[3];
        unit[c] += 1.0;
        NAME(rot_x_vec)(dim, dw, s1, a);
        NAME(vec_x_vec)(dim, s1, dv, b);
        NAME(pair_times)(dim, pair1, dw, turn);
        for (int i = 0; i < dim; i++)
            t[i] = 2.0 * (e->known->own.mass * dv[i] + a[i]);
        for (int k = 0; k < n_rot; k++)
            turn[k] = 2.0 * (b[k] + turn[k]);
        NAME(rigid_rows)(dim, e, t, turn, unit, r, out->rigid + c, out->rigid + dim * r + c);
        NAME(vec_x_rot)(dim, e->v0, dw, a);
        NAME(vec_x_rot)(dim, dv, e->v0 + dim, b);
        for (int d = 0; d < dim && n > 0; d++) {
            const real g = 2.0 / e->h * dv[d] - a[d] - b[d];
            if (c < dim)
                out->Gv[d * dim + c] = g;
            else
                out->Gw[d * n_rot + c - dim] = g;
        }
    }
}

/* H and E: contributions of the columns S_i to the rigid rows, forces t = 2 S_i + h w1 x S_i, torques r = h S_i x v1.
 */
static inline void NAME(deformed_rows)(const int dim, const NAME(ends) * e, NAME(arrow) * out)
{
    for (int c = 0; c < dim; c++) {
        real unit[3] = ZEROS, t[3], r[3];
        unit[c] += 1.0;
        NAME(rot_x_vec)(dim, e->v1 + dim, unit, t);
        NAME(vec_x_vec)(dim, unit, e->v1, r);
        for (int d = 0; d < dim; d++)
            t[d] = 2.0 * unit[d] + e->h * t[d];
        for (int k = 0; k < phx_rotations(dim); k++)
            r[k] = e->h * r[k];
        NAME(rigid_rows)(dim, e, t, r, NULL, dim, out->H + c, out->E + c);
    }
}

/* Gravity acts through R_m^T g, dR_m = h/2 R1 [turn]x. */
static inline void NAME(gravity_part)(const int dim, const int n, const NAME(ends) * e, const double *gravity,
                                      const real *attitude1, const real *attitude, NAME(arrow) * out)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot;
    const double half = 0.5 * e->h;
    real g1[3], gm[3], turn[3], dg[3], torque[3];

    NAME(to_body)(dim, attitude1, gravity, g1);
    NAME(to_body)(dim, attitude, gravity, gm);
    for (int c = 0; c < n_rot; c++) {
        NAME(frame_turn)(dim, e->h, e->vm + dim, c, turn);
        NAME(vec_x_rot)(dim, g1, turn, dg);
        for (int a = 0; a < dim; a++) {
            dg[a] *= half;
            out->rigid[a * r + dim + c] -= e->known->own.mass * dg[a];
            if (n > 0)
                out->Gw[a * n_rot + c] -= dg[a];
        }
        NAME(vec_x_vec)(dim, NAME(mean_moments)(n, e->known), dg, torque);
        for (int k = 0; k < n_rot; k++)
            out->rigid[(dim + k) * r + dim + c] -= torque[k];
    }
    for (int c = 0; c < dim && n > 0; c++) {
        real unit[3] = ZEROS;
        unit[c] += half;
        NAME(vec_x_vec)(dim, unit, gm, torque);
        for (int k = 0; k < n_rot; k++)
            out->E[k * dim + c] -= torque[k];
    }
}

/* rows_i = (1/h + 1/2 wm x)(2 (C - A d)_i + h J'_i(q1) w1) ,  columns_i = 2/h (C - A d)_i - 2 (A u)_i - J'_i(q_m) w0
 * with J'_i(q) = j_i + (Q q)_i. */
static inline void NAME(turning_parts)(const int dim, const phx_floating *body, const NAME(ends) * e,
                                       const NAME(arrays) * at, real *room, NAME(arrow) * out)
{
    const phx_flex *flex = body->flex;
    const int n = flex->n, n_rot = phx_rotations(dim), n_pair = phx_pairs(dim);
    const double h = e->h, over_h = 1.0 / h;
    const real *w0 = e->v0 + dim, *w1 = e->v1 + dim, *wm = e->vm + dim, *u = e->vm + dim + n_rot;
    real *q1 = room, *b1 = room + n;

    for (int i = 0; i < n; i++)
        q1[i] = at->qm[i] + 0.5 * h * u[i];
    NAME(inertia_derivatives)(body, q1, b1);
    for (int i = 0; i < n; i++) {
        real slope1[PHX_MAX_PAIR], slope[PHX_MAX_PAIR], jw[3], row[3], across[3];
        for (int p = 0; p < n_pair; p++) {
            slope1[p] = b1[p * n + i];
            slope[p] = at->b[p * n + i];
        }
        NAME(pair_times)(dim, slope1, w1, jw);
        for (int k = 0; k < n_rot; k++)
            row[k] = 2.0 * (flex->C[k * n + i] - e->known->bent->turned[k][i]) + h * jw[k];
        NAME(rot_x_rot)(dim, row, wm, across);
        NAME(pair_times)(dim, slope, w0, jw);
        for (int k = 0; k < n_rot; k++) {
            out->rows[i * n_rot + k] = over_h * row[k] - 0.5 * across[k];
            out->columns[i * n_rot + k] =
                2.0 * over_h * (flex->C[k * n + i] - e->known->bent->turned[k][i]) - 2.0 * at->a[k * n + i] - jw[k];
        }
    }
}

/* Of the derivative of the residual with respect to the mean velocity, after the residual. */
static inline void NAME(interval_arrow)(const int dim, const int n, const phx_floating *body, const double *gravity,
                                        double h, const real *attitude1, const real *attitude, const real *v0,
                                        const real *v1, const real *vm, const NAME(products) * made, real *room,
                                        real *values)
{
    const NAME(ends) e = {.h = h, .v0 = v0, .v1 = v1, .vm = vm, .known = made};
    const int n_rot = phx_rotations(dim), r = dim + n_rot;
    NAME(arrow) out = NAME(arrow_at)(dim, n, values);
    if (n == 0 && !body->base.pivots)
        NAME(central_columns)(dim, body->base.n_rigid, h, vm, made, &out); /* a loop, not six copies of it */
    else
        NAME(rigid_columns)(dim, n, &e, &out);
    if (n > 0)
        NAME(deformed_rows)(dim, &e, &out);
    NAME(gravity_part)(dim, n, &e, gravity, attitude1, attitude, &out);
    if (n == 0)
        return;
    const NAME(arrays) at = NAME(arrays_at)(dim, n, made->bent->mean ? made->bent->mean : room);
    if (!made->bent->mean)
        NAME(evaluate)(n, body, h, v0 + r, vm + r, made, &at);
    NAME(turning_parts)(dim, body, &e, &at, room + (size_t)(2 + n_rot + phx_pairs(dim)) * (size_t)n, &out);
}

/* Of M(q): H = Gv = 1, E = Gw = 0, rows and columns C - A q. */
static inline void NAME(mass_arrow)(const int dim, const phx_floating *body, const NAME(inertia) * own, const real *q,
                                    real *room, real *values)
{
    const phx_flex *flex = body->flex;
    const int n = flex->n, n_rot = phx_rotations(dim), r = dim + n_rot, n_pair = phx_pairs(dim);
    NAME(arrow) out = NAME(arrow_at)(dim, n, values);
    real moments[6] = ZEROS, s[3], pair[PHX_MAX_PAIR], sum[PHX_MAX_PAIR] = ZEROS;

    NAME(multiply)(&body->compact->moments, q, moments);
    for (int a = 0; a < dim; a++)
        s[a] = own->s0[a] + moments[a];
    NAME(inertia_derivatives)(body, q, room);
    for (int i = 0; i < n; i++)
        for (int p = 0; p < n_pair; p++)
            sum[p] += q[i] * (flex->j[p * n + i] + room[p * n + i]);
    for (int p = 0; p < n_pair; p++)
        pair[p] = own->J0[p] + 0.5 * sum[p];
    NAME(clear)((int)(out.rows - values), values);
    for (int c = 0; c < r; c++) {
        real unit[6] = ZEROS, column[6];
        unit[c] += 1.0;
        NAME(rigid_momenta)(dim, own, s, pair, NULL, NULL, unit, column);
        for (int a = 0; a < r; a++)
            out.rigid[a * r + c] = column[a];
    }
    for (int a = 0; a < dim; a++) {
        out.H[a * dim + a] += 1.0;
        out.Gv[a * dim + a] += 1.0;
    }
    NAME(multiply)(&body->compact->gyro, q, room);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n_rot; k++)
            out.rows[i * n_rot + k] = out.columns[i * n_rot + k] = flex->C[k * n + i] - room[k * n + i];
}

#endif
