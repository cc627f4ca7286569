/* Structure matrices of a floating body, dense, for the certificate and the tests. R_v is the vector of the rows of R;
 * their rates R_i' = R_i x w are written R_v' = [R_v]x w. A dot is a zero block.
 *
 * Canonical, state (r, R_v, q, p), efforts dH:
 *
 *   r'   |   .       .       .     R        .       .  |
 *   R_v' |   .       .       .     .      [R_v]x    .  |
 *   q'   |   .       .       .     .        .       I  |
 *   p_t' | -R^T      .       .     .      [p_t]x    .  |
 *   p_r' |   .   -[R_v]x^T   .   [p_t]x   [p_r]x    .  |
 *   p_q' |   .       .      -I     .        .       .  |
 *
 * Modified ([1] eq. 12), state (r, R_v, q, nu), the last rows are those of M nu', efforts z:
 *
 *   r'   |   .       .       .     R        .       .    |
 *   R_v' |   .       .       .     .      [R_v]x    .    |
 *   q'   |   .       .       .     .        .       I    |
 *   v    | -R^T      .       .     .      [pm_t]x   .    |
 *   w    |   .   -[R_v]x^T   .   [pm_t]x  [pm_r]x  I_pf  |
 *   q_d  |   .       .      -I     .     -I_pf^T    .    |
 *
 * pm_t = p_t + S q_dot, pm_r = p_r + L q_dot; column i of I_pf = int (2 p_f + rho v_f) x phi_i is
 * 2 v x S_i - dJ/dq_i w + w x L_i - 3 (A q_dot)_i. */
#include "floating.h"

#include <string.h>

int phx_floating_structure_size(const phx_body *base)
{
    const phx_floating *body = phx_floating_of(base);
    return body->base.dim + body->base.dim * body->base.dim + body->base.n_q + body->base.n_v;
}

static void put_skew(int n, double *J, int row, int col, double value)
{
    J[row * n + col] = value;
    J[col * n + row] = -value;
}

/* L_i (n_rot): column i of L(q). */
static void moment_column(const phx_floating *body, const double *qk, int i, double *l)
{
    const phx_flex *flex = body->flex;
    for (int k = 0; k < body->base.n_rot; k++)
        l[k] = flex->C[k * flex->n + i] - (qk ? phx_flex_row(flex, flex->A[k], i, qk) : 0.0);
}

/* dJ/dq_i w (n_rot). */
static void inertia_derivative_times(const phx_floating *body, const double *qk, int i, const double *w, double *out)
{
    const phx_flex *flex = body->flex;
    for (int k = 0; k < body->base.n_rot; k++) {
        out[k] = 0.0;
        for (int l = 0; l < body->base.n_rot; l++) {
            const int p = phx_pair(k < l ? k : l, k < l ? l : k);
            out[k] += w[l] * (flex->j[p * flex->n + i] + (qk ? phx_flex_row(flex, flex->Q[p], i, qk) : 0.0));
        }
    }
}

/* Column i of the coupling of the modified form, int (2 p_f + rho v_f) x Phi_i, theory 1 (10), [1] (14). */
static void modified_coupling(const phx_floating *body, const double *x, const double *v, int i, double *column)
{
    const phx_flex *flex = body->flex;
    const double *qk = phx_floating_q_inertia(body, x), *w = v + body->base.dim, *q_dot = v + body->base.n_rigid;
    double S[3], l[3], a[3], b[3], c[3];

    for (int d = 0; d < body->base.dim; d++)
        S[d] = flex->S[d * flex->n + i];
    moment_column(body, qk, i, l);
    phx_vec_x_vec(body->base.dim, v, S, a);
    inertia_derivative_times(body, qk, i, w, b);
    phx_rot_x_rot(body->base.dim, w, l, c);
    for (int k = 0; k < body->base.n_rot; k++)
        column[k] = 2.0 * a[k] - b[k] + c[k] - 3.0 * phx_flex_row(flex, flex->A[k], i, q_dot);
}

/* Skew structure matrix of the body, dense and square, in the canonical or the modified form, [1] (12) and (30); the
 * layout is at the top. */
void phx_floating_structure(const phx_body *base, phx_structure_form form, const double *x, const double *v, double *J)
{
    const phx_floating *body = phx_floating_of(base);
    const phx_flex *flex = body->flex;
    const int dim = body->base.dim, n = phx_floating_structure_size(base), at_R = dim, at_q = dim + dim * dim;
    const int at_v = at_q + body->base.n_q, at_w = at_v + dim, at_f = at_w + body->base.n_rot;
    const double *qk = phx_floating_q_inertia(body, x), *q_dot = v + body->base.n_rigid;
    double R[9], s[3], in[9], unit[3] = {0}, cross[3], p[6], l[3];

    memset(J, 0, (size_t)n * (size_t)n * sizeof *J);
    phx_attitude_rotation(dim, x + dim, R);
    phx_floating_inertia(body, qk, s, in);
    /* momenta of the rigid rows */
    phx_rot_x_vec(dim, v + dim, s, cross);
    for (int a = 0; a < dim; a++)
        p[a] = flex->mass * v[a] + cross[a];
    phx_vec_x_vec(dim, s, v, cross);
    for (int k = 0; k < body->base.n_rot; k++) {
        p[dim + k] = cross[k];
        for (int m = 0; m < body->base.n_rot; m++)
            p[dim + k] += in[k * body->base.n_rot + m] * v[dim + m];
    }
    for (int i = 0; i < body->base.n_q; i++) {
        const double factor = form == PHX_STRUCTURE_MODIFIED ? 2.0 : 1.0;
        moment_column(body, qk, i, l);
        for (int a = 0; a < dim; a++)
            p[a] += factor * flex->S[a * flex->n + i] * q_dot[i];
        for (int k = 0; k < body->base.n_rot; k++)
            p[dim + k] += factor * l[k] * q_dot[i];
    }
    for (int a = 0; a < dim; a++)
        for (int b = 0; b < dim; b++)
            put_skew(n, J, a, at_v + b, R[a * dim + b]);
    for (int k = 0; k < body->base.n_rot; k++) {
        unit[k] = 1.0;
        for (int i = 0; i < dim; i++) { /* row i of R: R_i' = R_i x w */
            phx_vec_x_rot(dim, R + i * dim, unit, cross);
            for (int a = 0; a < dim; a++)
                put_skew(n, J, at_R + i * dim + a, at_w + k, cross[a]);
        }
        phx_vec_x_rot(dim, p, unit, cross); /* p_t x w */
        for (int a = 0; a < dim; a++)
            put_skew(n, J, at_v + a, at_w + k, cross[a]);
        phx_rot_x_rot(dim, p + dim, unit, cross);
        for (int m = 0; m < body->base.n_rot; m++)
            J[(at_w + m) * n + at_w + k] = cross[m];
        unit[k] = 0.0;
    }
    for (int i = 0; i < body->base.n_q; i++) {
        put_skew(n, J, at_q + i, at_f + i, 1.0);
        if (form == PHX_STRUCTURE_CANONICAL)
            continue;
        modified_coupling(body, x, v, i, cross);
        for (int k = 0; k < body->base.n_rot; k++)
            put_skew(n, J, at_w + k, at_f + i, cross[k]);
    }
}

/* Theory 1 (11): elastic, kinetic and gravity slopes with respect to q: canonical dH/dq at fixed p is -dT/dq at fixed
 * nu + ..., the paper's z_u is +dT/dq at fixed nu + ... */
void phx_floating_efforts(const phx_body *base, phx_structure_form form, const double *gravity, const double *x,
                          const double *v, double *z)
{
    const phx_floating *body = phx_floating_of(base);
    const phx_flex *flex = body->flex;
    const int dim = body->base.dim, n = flex->n, at_q = dim + dim * dim;
    const double *q = phx_floating_q(body, x), *qk = phx_floating_q_inertia(body, x), *w = v + dim,
                 *q_dot = v + body->base.n_rigid;
    const double sign = form == PHX_STRUCTURE_CANONICAL ? -1.0 : 1.0;
    double R[9], g[3], s[3], vxw[3], jw[3];

    phx_attitude_rotation(dim, x + dim, R);
    phx_rot_apply_transposed(dim, R, gravity, g);
    phx_vec_x_rot(dim, v, w, vxw);
    for (int a = 0; a < dim; a++) {
        s[a] = flex->s0[a];
        for (int i = 0; i < n; i++)
            s[a] += flex->S[a * n + i] * q[i];
    }
    for (int a = 0; a < dim; a++) {
        z[a] = -flex->mass * gravity[a];
        for (int b = 0; b < dim; b++) /* V = -sum g_a R_ab s_b */
            z[dim + a * dim + b] = -gravity[a] * s[b];
    }
    for (int i = 0; i < n; i++) {
        double slope = 0.0, force = phx_flex_row(flex, flex->K, i, q);
        inertia_derivative_times(body, qk, i, w, jw);
        for (int a = 0; a < dim; a++) {
            slope += flex->S[a * n + i] * vxw[a];
            force -= flex->S[a * n + i] * g[a];
        }
        for (int k = 0; k < body->base.n_rot; k++)
            slope += w[k] * (0.5 * jw[k] + phx_flex_row(flex, flex->A[k], i, q_dot));
        z[at_q + i] = force + sign * slope;
    }
    if (flex->stiffening)
        phx_floating_stiffening_residual(flex, q, q, q, z + at_q);
    memcpy(z + at_q + n, v, (size_t)body->base.n_v * sizeof *z);
}
