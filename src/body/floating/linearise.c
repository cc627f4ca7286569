/* Derivatives of a body's residual at an instant, on its pattern. With
 *   res_t = M-terms + w x S q_dot + w x p_t
 *   res_r = M-terms + J(q_dot)' w + (S q_dot) x v - p_t x v - p_r x w
 *   res_q = M-terms - 2 sum w_k A_k q_dot - S^T (v x w) - 1/2 w^T dJ/dq w + K q + R q_dot   - gravity
 * D = d/d nu and K = d/d xi at v_dot = 0. */
#include "floating.h"

#include <string.h>

/* Entry (row, col) of an array on the body's pattern. Rigid rows are full and flexible rows begin with the rigid
 * columns, so rigid columns need no search. */
static double *entry(const phx_floating *body, double *val, int row, int col)
{
    return val + body->base.ptr[row] + col;
}

static void linearise_put_column(const phx_floating *body, double *val, int col, const double *t, const double *r)
{
    for (int a = 0; a < body->base.dim; a++)
        *entry(body, val, a, col) += t[a];
    for (int k = 0; k < body->base.n_rot; k++)
        *entry(body, val, body->base.dim + k, col) += r[k];
}

/* Where a matrix on the body's pattern is put: at places in another array, or on the pattern itself (at NULL). */
typedef struct target {
    const int *at;
    double *val;
} target;

static inline double *place(const phx_floating *body, const target *to, int row, int col)
{
    const int k = body->base.ptr[row] + col;
    return to->val + (to->at ? to->at[k] : k);
}

/* Entries of M that do not depend on q: those of the translations and of the deformations among themselves. */
static void fill_constant_mass(const phx_floating *body, const target *to)
{
    const phx_flex *flex = body->flex;
    const int dim = body->base.dim, r = body->base.n_rigid, n = flex->n;

    for (int a = 0; a < dim; a++)
        for (int b = 0; b < dim; b++)
            *place(body, to, a, b) = a == b ? flex->mass : 0.0;
    for (int k = body->base.ptr[r]; k < body->base.ptr[body->base.n_v]; k++)
        to->val[to->at ? to->at[k] : k] = 0.0;
    for (int i = 0; i < n; i++) {
        for (int a = 0; a < dim; a++)
            *place(body, to, a, r + i) = *place(body, to, r + i, a) = flex->S[a * n + i];
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            to->val[to->at ? to->at[body->flex_at[e]] : body->flex_at[e]] = flex->M[e];
    }
}

/* Those of the rotations. */
static inline void fill_variable_mass(const int dim, const phx_floating *body, const double *qk, const target *to)
{
    const phx_flex *flex = body->flex;
    const int r = dim + phx_rotations(dim), n_rot = phx_rotations(dim), n = flex->n;
    double s[3], J[9], unit[3] = {0}, cross[3];

    phx_floating_inertia(body, qk, s, J);
    for (int k = 0; k < n_rot; k++) {
        unit[k] = 1.0;
        phx_rot_x_vec(dim, unit, s, cross);
        unit[k] = 0.0;
        for (int a = 0; a < dim; a++)
            *place(body, to, a, dim + k) = *place(body, to, dim + k, a) = cross[a];
        for (int l = 0; l < n_rot; l++)
            *place(body, to, dim + k, dim + l) = J[k * n_rot + l];
    }
    for (int k = 0; k < n_rot; k++) {
        const phx_flex_matrix *A = &body->compact->A[k];
        for (int i = 0; i < n; i++)
            *place(body, to, dim + k, r + i) = *place(body, to, r + i, dim + k) = flex->C[k * n + i];
        for (int m = 0; qk && m < A->n_rows; m++) { /* L_k = C_k - A_k q */
            double sum = 0.0;
            for (int e = A->ptr[m]; e < A->ptr[m + 1]; e++)
                sum += A->val[e] * qk[A->idx[e]];
            *place(body, to, dim + k, r + A->row[m]) = *place(body, to, r + A->row[m], dim + k) =
                flex->C[k * n + A->row[m]] - sum;
        }
    }
}

static void put_mass(const phx_floating *body, const double *x, bool all, const target *to)
{
    const double *qk = phx_floating_q_inertia(body, x);

    if (all)
        fill_constant_mass(body, to);
    if (!all && (!qk || body->base.n_q == 0))
        return;
    if (body->base.dim == 2)
        fill_variable_mass(2, body, qk, to);
    else
        fill_variable_mass(3, body, qk, to);
}

void phx_floating_put_mass(const phx_body *base, const double *x, bool all, const int *at, double *val)
{
    const phx_floating *body = phx_floating_of(base);

    put_mass(body, x, all, &(target){.at = at, .val = val});
}

/* dJ_ab/dq_i at qk, i.e. j_ab,i + (Q_ab qk)_i. */
static double inertia_derivative(const phx_flex *flex, int pair, int i, const double *qk)
{
    return flex->j[pair * flex->n + i] + (qk ? phx_flex_row(flex, flex->Q[pair], i, qk) : 0.0);
}

/* Rates that every column needs. */
typedef struct rates {
    double s[3], J[9], p[6], s_dot[3], j_dot[9];
} rates;

/* Terms of the derivatives at an instant: first moment, inertia, their rates and the momenta of the rigid rows. */
static void make_rates(const phx_floating *body, const double *qk, const double *v, rates *at)
{
    const phx_flex *flex = body->flex;
    const int dim = body->base.dim, n_rot = body->base.n_rot, n = flex->n;
    const double *w = v + dim, *q_dot = v + body->base.n_rigid;
    double cross[3];

    phx_floating_inertia(body, qk, at->s, at->J);
    for (int a = 0; a < dim; a++)
        at->s_dot[a] = phx_floating_dot(n, flex->S + a * n, q_dot);
    phx_rot_x_vec(dim, w, at->s, cross);
    for (int a = 0; a < dim; a++)
        at->p[a] = flex->mass * v[a] + cross[a] + at->s_dot[a];
    phx_vec_x_vec(dim, at->s, v, cross);
    for (int k = 0; k < n_rot; k++) {
        at->p[dim + k] =
            cross[k] + phx_floating_dot(n_rot, at->J + k * n_rot, w) + phx_floating_dot(n, flex->C + k * n, q_dot);
        for (int i = 0; qk && i < n; i++)
            at->p[dim + k] += qk[i] * phx_flex_row(flex, flex->A[k], i, q_dot);
        for (int l = 0; l < n_rot; l++) {
            at->j_dot[k * n_rot + l] = 0.0;
            for (int i = 0; i < n; i++)
                at->j_dot[k * n_rot + l] +=
                    inertia_derivative(flex, phx_pair(k < l ? k : l, k < l ? l : k), i, qk) * q_dot[i];
        }
    }
}

/* Column of D for a rigid unit velocity (dv, dw). */
static void rigid_velocity_column(const phx_floating *body, const rates *at, const double *qk, const double *v, int col,
                                  double *D)
{
    const phx_flex *flex = body->flex;
    const int dim = body->base.dim, n_rot = body->base.n_rot, n = flex->n;
    const double *w = v + dim, *q_dot = v + body->base.n_rigid;
    double unit[6] = {0}, *dv = unit, *dw = unit + dim;
    double dpt[3], dpr[3], a[3], b[3], c[3], t[3], r[3], g[3];

    unit[col] = 1.0;
    phx_rot_x_vec(dim, dw, at->s, a); /* dp_t = m dv + dw x s, dp_r = s x dv + J dw */
    phx_vec_x_vec(dim, at->s, dv, b);
    for (int i = 0; i < dim; i++)
        dpt[i] = flex->mass * dv[i] + a[i];
    for (int k = 0; k < n_rot; k++)
        dpr[k] = b[k] + phx_floating_dot(n_rot, at->J + k * n_rot, dw);
    /* t: dw x (s_dot + p_t) + w x dp_t */
    for (int i = 0; i < dim; i++)
        c[i] = at->s_dot[i] + at->p[i];
    phx_rot_x_vec(dim, dw, c, a);
    phx_rot_x_vec(dim, w, dpt, b);
    for (int i = 0; i < dim; i++)
        t[i] = a[i] + b[i];
    /* r: j_dot dw + s_dot x dv - dp_t x v - p_t x dv - dp_r x w - p_r x dw */
    phx_vec_x_vec(dim, at->s_dot, dv, a);
    phx_vec_x_vec(dim, dpt, v, b);
    phx_vec_x_vec(dim, at->p, dv, c);
    for (int k = 0; k < n_rot; k++)
        r[k] = a[k] - b[k] - c[k] + phx_floating_dot(n_rot, at->j_dot + k * n_rot, dw);
    phx_rot_x_rot(dim, dpr, w, a);
    phx_rot_x_rot(dim, at->p + dim, dw, b);
    for (int k = 0; k < n_rot; k++)
        r[k] -= a[k] + b[k];
    linearise_put_column(body, D, col, t, r);
    /* q: -2 dw_k A_k q_dot - S^T (dv x w + v x dw) - dw^T dJ/dq w */
    phx_vec_x_rot(dim, dv, w, a);
    phx_vec_x_rot(dim, v, dw, b);
    for (int i = 0; i < dim; i++)
        g[i] = a[i] + b[i];
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int d = 0; d < dim; d++)
            sum += flex->S[d * n + i] * g[d];
        for (int k = 0; k < n_rot; k++) {
            if (dw[k] != 0.0)
                sum += 2.0 * phx_flex_row(flex, flex->A[k], i, q_dot);
            for (int l = 0; l < n_rot; l++)
                if (dw[k] != 0.0)
                    sum += w[l] * inertia_derivative(flex, phx_pair(k < l ? k : l, k < l ? l : k), i, qk);
        }
        *entry(body, D, body->base.n_rigid + i, col) -= sum;
    }
}

/* Rigid rows of the columns of D and K for deformation coordinate i. */
static void flexible_columns(const phx_floating *body, const double *qk, const double *v, int i, double *D, double *K)
{
    const phx_flex *flex = body->flex;
    const int dim = body->base.dim, n_rot = body->base.n_rot, n = flex->n, col = body->base.n_rigid + i;
    const double *w = v + dim, *q_dot = v + body->base.n_rigid;
    double S[3], a[3], b[3], c[3], t[3], r[3], l[3], jw[3], dpr[3];

    for (int d = 0; d < dim; d++)
        S[d] = flex->S[d * n + i];
    for (int k = 0; k < n_rot; k++) {
        l[k] = flex->C[k * n + i] - (qk ? phx_flex_row(flex, flex->A[k], i, qk) : 0.0);
        jw[k] = 0.0;
        for (int m = 0; m < n_rot; m++)
            jw[k] += inertia_derivative(flex, phx_pair(k < m ? k : m, k < m ? m : k), i, qk) * w[m];
    }
    if (D) { /* t: 2 w x S,  r: dJ w - l x w (the two S x v cancel) */
        phx_rot_x_vec(dim, w, S, a);
        phx_rot_x_rot(dim, l, w, b);
        for (int d = 0; d < dim; d++)
            t[d] = 2.0 * a[d];
        for (int k = 0; k < n_rot; k++)
            r[k] = jw[k] - b[k];
        linearise_put_column(body, D, col, t, r);
    }
    if (K && body->base.kinetics == PHX_KINETICS_FULL) {
        /* dp_t = w x S, dp_r = S x v + dJ w + (A_k q_dot)_i; t: w x dp_t, r: dJ_dot w - dp_t x v - dp_r x w */
        phx_rot_x_vec(dim, w, S, a);
        phx_rot_x_vec(dim, w, a, t);
        phx_vec_x_vec(dim, a, v, b);
        phx_vec_x_vec(dim, S, v, c);
        for (int k = 0; k < n_rot; k++)
            dpr[k] = c[k] + jw[k] + phx_flex_row(flex, flex->A[k], i, q_dot);
        phx_rot_x_rot(dim, dpr, w, c);
        for (int k = 0; k < n_rot; k++) {
            r[k] = -b[k] - c[k];
            for (int m = 0; m < n_rot; m++)
                r[k] += phx_flex_row(flex, flex->Q[phx_pair(k < m ? k : m, k < m ? m : k)], i, q_dot) * w[m];
        }
        linearise_put_column(body, K, col, t, r);
    }
}

/* Gravity: g_b = R^T g, d g_b = g_b x dphi; res = -(m g_b, s x g_b, S^T g_b). */
static void gravity_stiffness(const phx_floating *body, const double *gravity, const double *x, double *K)
{
    const phx_flex *flex = body->flex;
    const int dim = body->base.dim, n_rot = body->base.n_rot, r = body->base.n_rigid, n = flex->n;
    double R[9], g[3], s[3], dg[3], torque[3], unit[3] = {0}, S[3], t[3] = {0};

    phx_attitude_rotation(dim, x + dim, R);
    phx_rot_apply_transposed(dim, R, gravity, g);
    for (int a = 0; a < dim; a++)
        s[a] = flex->s0[a] + phx_floating_dot(n, flex->S + a * n, phx_floating_q(body, x));
    for (int c = 0; c < n_rot; c++) {
        unit[c] = 1.0;
        phx_vec_x_rot(dim, g, unit, dg);
        unit[c] = 0.0;
        phx_vec_x_vec(dim, s, dg, torque);
        for (int a = 0; a < dim; a++)
            *entry(body, K, a, dim + c) -= flex->mass * dg[a];
        for (int k = 0; k < n_rot; k++)
            *entry(body, K, dim + k, dim + c) -= torque[k];
        for (int i = 0; i < n; i++)
            for (int a = 0; a < dim; a++)
                *entry(body, K, r + i, dim + c) -= flex->S[a * n + i] * dg[a];
    }
    for (int i = 0; i < n; i++) {
        for (int a = 0; a < dim; a++)
            S[a] = -flex->S[a * n + i];
        phx_vec_x_vec(dim, S, g, torque);
        linearise_put_column(body, K, r + i, t, torque);
    }
}

/* M, D and K of a body on its pattern at an instant (see the equations at the top); D and K may be NULL. */
void phx_floating_linearise(const phx_body *base, const double *gravity, const double *x, const double *v, double *M,
                            double *D, double *K)
{
    const phx_floating *body = phx_floating_of(base);
    const phx_flex *flex = body->flex;
    const double *qk = phx_floating_q_inertia(body, x), *w = v + body->base.dim;
    const size_t nnz = (size_t)body->base.ptr[body->base.n_v];
    rates at;

    phx_floating_put_mass(base, x, true, NULL, M);
    if (!D && !K)
        return;
    if (D) {
        memset(D, 0, nnz * sizeof *D);
        make_rates(body, qk, v, &at);
        for (int c = 0; c < body->base.n_rigid; c++)
            rigid_velocity_column(body, &at, qk, v, c, D);
        for (int k = 0; body->damped && k < body->damping.ptr[body->base.n_q]; k++)
            D[body->damping_at[k]] += body->damping.val[k];
    }
    if (K)
        memset(K, 0, nnz * sizeof *K);
    for (int i = 0; i < body->base.n_q; i++) {
        flexible_columns(body, qk, v, i, D, K);
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++) {
            for (int k = 0; D && k < body->base.n_rot; k++)
                D[body->flex_at[e]] -= 2.0 * w[k] * flex->A[k][e];
            if (!K)
                continue;
            K[body->flex_at[e]] += flex->K[e];
            for (int k = 0; k < body->base.n_rot && body->base.kinetics == PHX_KINETICS_FULL; k++)
                for (int l = 0; l < body->base.n_rot; l++)
                    K[body->flex_at[e]] -= 0.5 * w[k] * w[l] * flex->Q[phx_pair(k < l ? k : l, k < l ? l : k)][e];
        }
    }
    if (K && flex->stiffening)
        phx_floating_stiffening_tangent(body, phx_floating_q(body, x), phx_floating_q(body, x), phx_floating_q(body, x),
                                        1.0, K);
    if (K)
        gravity_stiffness(body, gravity, x, K);
}
