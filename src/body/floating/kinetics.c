/* Momenta, equations of motion and energies of a floating body. One pass over the rows of the flex pattern serves every
 * sum over the deformation; plane and space differ in the number of rotational axes only. */
#include "floating.h"

#include <math.h>
#include <string.h>

enum { ROT = 3, PAIR = PHX_MAX_PAIR };

/* Of row i in one pass: (A_k q)_i, (Q_p q)_i, (M q_dot)_i; q NULL: zero. */
static inline void inertia_sums(const int dim, const phx_flex *flex, int i, const double *q, const double *q_dot,
                                double *gyro, double *bent, double *mass)
{
    enum { PLANE = 3, SPACE = 4 + PAIR };
    const int n_rot = phx_rotations(dim), n_pair = phx_pairs(dim);
    const double *list[SPACE], *x[SPACE];
    double sum[SPACE] = {0};

    for (int k = 0; k < n_rot; k++)
        list[k] = flex->A[k], x[k] = q;
    for (int p = 0; p < n_pair; p++)
        list[n_rot + p] = flex->Q[p], x[n_rot + p] = q;
    list[n_rot + n_pair] = flex->M, x[n_rot + n_pair] = q_dot;
    if (q)
        phx_flex_sums(dim == 2 ? PLANE : SPACE, flex, i, list, x, sum);
    else
        sum[n_rot + n_pair] = phx_flex_row(flex, flex->M, i, q_dot);
    for (int k = 0; k < n_rot; k++)
        gyro[k] = sum[k];
    for (int p = 0; p < n_pair; p++)
        bent[p] = sum[n_rot + p];
    *mass = sum[n_rot + n_pair];
}

static inline void spread_pairs(const int dim, const double *pair, double *J)
{
    const int n_rot = phx_rotations(dim);
    for (int a = 0; a < n_rot; a++)
        for (int b = 0; b < n_rot; b++)
            J[a * n_rot + b] = pair[phx_pair(a, b)];
}

static inline void first_moment(const int dim, const phx_flex *flex, const double *q, double *s)
{
    for (int a = 0; a < dim; a++)
        s[a] = flex->s0[a] + (q ? phx_floating_dot(flex->n, flex->S + a * flex->n, q) : 0.0);
}

static inline void inertia_pairs(const int dim, const phx_floating *body, const double *q, double *pair)
{
    const phx_flex *flex = body->flex;

    for (int p = 0; p < phx_pairs(dim); p++)
        pair[p] = flex->J0[p];
    for (int p = 0; q && p < phx_pairs(dim); p++)
        pair[p] += phx_floating_dot(flex->n, flex->j + p * flex->n, q) +
                   0.5 * phx_flex_matrix_form(&body->compact->Q[p], q, q);
}

static inline void inertia(const int dim, const phx_floating *body, const double *q, double *s, double *J)
{
    double pair[PAIR];

    first_moment(dim, body->flex, q, s);
    inertia_pairs(dim, body, q, pair);
    spread_pairs(dim, pair, J);
}

void phx_floating_inertia(const phx_floating *body, const double *q, double *s, double *J)
{
    if (body->base.dim == 2)
        inertia(2, body, q, s, J);
    else
        inertia(3, body, q, s, J);
}

/* p = M(q) nu, theory 1 (2):
 *   p_t = m v + w x s + S q_dot,  p_r = s x v + J w + L q_dot,  p_q = S^T v + L^T w + M q_dot.
 * `q` NULL: undeformed; `pq` NULL: the rigid rows only. One pass over the pattern. */
static inline void momenta_in(const int dim, const phx_floating *body, const double *q, const double *v, double *p,
                              double *pq)
{
    const phx_flex *flex = body->flex;
    const int n_rot = phx_rotations(dim), n_pair = phx_pairs(dim), n = flex->n;
    const double *w = v + dim, *q_dot = v + dim + n_rot;
    double s[3], J[9], pair[PAIR], cross[3], gyro[ROT], bent[PAIR], turn[ROT] = {0}, mass, *pr = p + dim;

    memcpy(pair, flex->J0, sizeof pair);
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        inertia_sums(dim, flex, i, q, q_dot, gyro, bent, &mass);
        for (int k = 0; k < n_rot; k++) {
            const double column = flex->C[k * n + i] - gyro[k];
            turn[k] += column * q_dot[i];
            sum += column * w[k];
        }
        for (int k = 0; q && k < n_pair; k++)
            pair[k] += q[i] * (flex->j[k * n + i] + 0.5 * bent[k]);
        for (int a = 0; a < dim; a++)
            sum += flex->S[a * n + i] * v[a];
        if (pq)
            pq[i] = mass + sum;
    }
    first_moment(dim, flex, q, s);
    spread_pairs(dim, pair, J);
    phx_rot_x_vec(dim, w, s, cross);
    for (int a = 0; a < dim; a++)
        p[a] = flex->mass * v[a] + cross[a] + phx_floating_dot(n, flex->S + a * n, q_dot);
    phx_vec_x_vec(dim, s, v, cross);
    for (int k = 0; k < n_rot; k++)
        pr[k] = cross[k] + phx_floating_dot(n_rot, J + k * n_rot, w) + turn[k];
}

static void momenta_at(const phx_floating *body, const double *q, const double *v, double *p, double *pq)
{
    if (body->base.dim == 2)
        momenta_in(2, body, q, v, p, pq);
    else
        momenta_in(3, body, q, v, p, pq);
}

void phx_floating_momenta(const phx_body *base, const double *x, const double *v, double *p)
{
    const phx_floating *body = phx_floating_of(base);

    momenta_at(body, phx_floating_q_inertia(body, x), v, p, p + body->base.n_rigid);
}

/* d/dq_i (a^T M(q) b) = S_i.(a_v x b_w + b_v x a_w) + sum_p (a_w b_w)_p (j + Q q)_pi
 *                       + sum_k (a_wk (A_k b_q)_i + b_wk (A_k a_q)_i),   from theory 1 (2), (3). */
void phx_floating_mass_slope(const phx_body *base, const double *x, const double *a, const double *b, double *slope)
{
    const phx_floating *body = phx_floating_of(base);
    const phx_flex *flex = body->flex;
    const int dim = base->dim, n_rot = base->n_rot, r = base->n_rigid;
    double ab[3], ba[3], ww[PAIR], of_pair[PAIR], of_a[ROT], of_b[ROT];

    if (base->kinetics == PHX_KINETICS_SIMPLIFIED)
        return;
    phx_vec_x_rot(dim, a, b + dim, ab);
    phx_vec_x_rot(dim, b, a + dim, ba);
    phx_pair_products(n_rot, a + dim, b + dim, ww);
    for (int i = 0; i < flex->n; i++) {
        double sum = 0.0;
        for (int d = 0; d < dim; d++)
            sum += flex->S[d * flex->n + i] * (ab[d] + ba[d]);
        phx_inertia_derivatives(dim, flex, i, phx_floating_q(body, x), of_pair);
        for (int p = 0; p < phx_pairs(dim); p++)
            sum += ww[p] * of_pair[p];
        phx_gyro_rows(dim, flex, i, a + r, of_a);
        phx_gyro_rows(dim, flex, i, b + r, of_b);
        for (int k = 0; k < n_rot; k++)
            sum += a[dim + k] * of_b[k] + b[dim + k] * of_a[k];
        slope[base->q_v + i] += sum;
    }
}

/* Columns of the rigid part of M(q) from unit velocities; rows are n apart. */
static void kinetics_rigid_mass(const phx_floating *body, const double *q, int n, double *mass)
{
    const int dim = body->base.dim;
    double s[3], J[9], unit[ROT] = {0}, cross[3];

    phx_floating_inertia(body, q, s, J);
    for (int a = 0; a < dim; a++)
        mass[a * n + a] = body->flex->mass;
    for (int k = 0; k < body->base.n_rot; k++) {
        unit[k] = 1.0;
        phx_rot_x_vec(dim, unit, s, cross);
        unit[k] = 0.0;
        for (int a = 0; a < dim; a++)
            mass[a * n + dim + k] = mass[(dim + k) * n + a] = cross[a];
        for (int l = 0; l < body->base.n_rot; l++)
            mass[(dim + k) * n + dim + l] = J[k * body->base.n_rot + l];
    }
}

void phx_floating_rigid_mass(const phx_body *base, const double *x, double *mass)
{
    const phx_floating *body = phx_floating_of(base);

    memset(mass, 0, (size_t)body->base.n_rigid * (size_t)body->base.n_rigid * sizeof *mass);
    kinetics_rigid_mass(body, phx_floating_q_inertia(body, x), body->base.n_rigid, mass);
}

/* Dense mass matrix M(q), n_v x n_v, over (v, w, q_dot) in body axes, theory 1 (2). */
void phx_floating_mass_matrix(const phx_body *base, const double *x, double *mass)
{
    const phx_floating *body = phx_floating_of(base);
    const phx_flex *flex = body->flex;
    const double *q = phx_floating_q_inertia(body, x);
    const int dim = body->base.dim, r = body->base.n_rigid, n = body->base.n_v, nq = body->base.n_q;
    double column[ROT];

    memset(mass, 0, (size_t)n * (size_t)n * sizeof *mass);
    kinetics_rigid_mass(body, q, n, mass);
    for (int i = 0; i < nq; i++) {
        for (int a = 0; a < dim; a++)
            mass[a * n + r + i] = mass[(r + i) * n + a] = flex->S[a * nq + i];
        phx_moment_column(dim, flex, i, q, column);
        for (int k = 0; k < body->base.n_rot; k++)
            mass[(dim + k) * n + r + i] = mass[(r + i) * n + dim + k] = column[k];
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            mass[(r + i) * n + r + flex->idx[e]] = flex->M[e];
    }
}

/* res -= gravity: f_v = m g_b, f_w = s x g_b, f_q = S^T g_b with g_b = R^T g. */
static inline void subtract_gravity(const int dim, const phx_floating *body, const double *gravity, const double *x,
                                    double *res)
{
    const phx_flex *flex = body->flex;
    const int r = dim + phx_rotations(dim), n = flex->n;
    const double *q = phx_floating_q(body, x);
    double R[9], g[3], s[3], torque[3];

    phx_attitude_rotation(dim, x + dim, R);
    phx_rot_apply_transposed(dim, R, gravity, g);
    for (int a = 0; a < dim; a++) {
        s[a] = flex->s0[a] + phx_floating_dot(n, flex->S + a * n, q);
        res[a] -= flex->mass * g[a];
        for (int i = 0; i < n; i++)
            res[r + i] -= flex->S[a * n + i] * g[a];
    }
    phx_vec_x_vec(dim, s, g, torque);
    for (int k = 0; k < phx_rotations(dim); k++)
        res[dim + k] -= torque[k];
}

/* y += B^T (B (x + beta rate)), see interval_kernel.h; beta 0: rate is not looked at. */
static void add_product_of_root(const phx_csr *B, const double *x, double beta, const double *rate, double *y)
{
    for (int i = 0; i < B->rows; i++) {
        double strain = 0.0;
        for (int e = B->ptr[i]; e < B->ptr[i + 1]; e++)
            strain += B->val[e] * (beta > 0.0 ? x[B->idx[e]] + beta * rate[B->idx[e]] : x[B->idx[e]]);
        for (int e = B->ptr[i]; e < B->ptr[i + 1]; e++)
            y[B->idx[e]] += B->val[e] * strain;
    }
}

/* Theory 4 (2), row of q: res_q += K q_mean + R q_dot_mean - 1/2 d/dq (nu0^T M(q) nu1) at q_mean, the discrete gradient
 * of the Lagrangian in q: M is quadratic in q, so the work of these forces is the change of energy. With simplified
 * kinetics dM/dq is that of the undeformed body. One pass over the pattern. */
static inline void subtract_deformation_forces(const int dim, const phx_floating *body, const double *qm,
                                               const double *v0, const double *v1, const double *vm, double *res)
{
    const phx_flex *flex = body->flex;
    const int n_rot = phx_rotations(dim), n_pair = phx_pairs(dim), n = flex->n, r = dim + n_rot;
    const double *w0 = v0 + dim, *w1 = v1 + dim, *dq0 = v0 + r, *dq1 = v1 + r;
    const double bent = body->base.kinetics == PHX_KINETICS_FULL ? 0.5 : 0.0;
    double a[3], b[3], ww[PAIR], *rq = res + r;

    if (n == 0)
        return;
    phx_vec_x_rot(dim, v0, w1, a);
    phx_vec_x_rot(dim, v1, w0, b);
    phx_pair_products(n_rot, w0, w1, ww);
    for (int i = 0; i < n; i++) {
        double force = 0.0, gyro = 0.0, elastic = 0.0;
        for (int d = 0; d < dim; d++) /* v.(w x S_i) = S_i.(v x w) */
            force -= 0.5 * flex->S[d * n + i] * (a[d] + b[d]);
        for (int p = 0; p < n_pair; p++)
            force -= 0.5 * ww[p] * flex->j[p * n + i];
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++) {
            const int c = flex->idx[e];
            double stiffness = body->root ? 0.0 : flex->K[e];
            for (int p = 0; p < n_pair; p++)
                stiffness -= bent * ww[p] * flex->Q[p][e];
            for (int k = 0; k < n_rot; k++)
                gyro += flex->A[k][e] * (w0[k] * dq1[c] + w1[k] * dq0[c]);
            elastic += stiffness * qm[c];
        }
        rq[i] += force + elastic - 0.5 * gyro;
    }
    if (body->root)
        add_product_of_root(body->root, qm, body->strain_damping, vm + r, rq);
    if (body->friction)
        phx_csr_apply(body->friction, 1.0, vm + r, rq);
    add_product_of_root(&body->modal_root, vm + r, 0.0, NULL, rq);
}

/* res_t -= p_t x w,  res_r -= p_t x v + p_r x w: the Lie-Poisson part of J, theory 1 (7). */
static inline void subtract_transport(const int dim, const double *p, const double *v, double *res)
{
    double a[3], b[3], c[3];

    phx_vec_x_rot(dim, p, v + dim, a);
    phx_vec_x_vec(dim, p, v, b);
    phx_rot_x_rot(dim, p + dim, v + dim, c);
    for (int i = 0; i < dim; i++)
        res[i] -= a[i];
    for (int k = 0; k < phx_rotations(dim); k++)
        res[dim + k] -= b[k] + c[k];
}

/* res += (dM/dt) nu with q_dot: rows  w x S q_dot,  (S q_dot) x v + J(q_dot)' w,  -sum w_k A_k q_dot. */
static void add_mass_rate(const phx_floating *body, const double *qk, const double *v, double *res)
{
    const phx_flex *flex = body->flex;
    const int dim = body->base.dim, n_rot = body->base.n_rot, n = flex->n;
    const double *w = v + dim, *q_dot = v + body->base.n_rigid;
    double s_dot[3], slope[PAIR], j_dot[PAIR] = {0}, a[3], b[3];

    for (int i = 0; i < n; i++) {
        phx_inertia_derivatives(dim, flex, i, qk, slope);
        for (int p = 0; p < flex->n_pair; p++)
            j_dot[p] += slope[p] * q_dot[i];
        phx_gyro_rows(dim, flex, i, q_dot, a);
        res[body->base.n_rigid + i] -= phx_floating_dot(n_rot, w, a);
    }
    for (int d = 0; d < dim; d++)
        s_dot[d] = phx_floating_dot(n, flex->S + d * n, q_dot);
    phx_rot_x_vec(dim, w, s_dot, a);
    for (int d = 0; d < dim; d++)
        res[d] += a[d];
    phx_vec_x_vec(dim, s_dot, v, b);
    phx_pair_times(n_rot, j_dot, w, a);
    for (int k = 0; k < n_rot; k++)
        res[dim + k] += a[k] + b[k];
}

/* Residual of the equations of motion at an instant, M(q) v_dot less all forces but those of joints and loads,
 * theory 1 (7). */
void phx_floating_residual(const phx_body *base, const double *gravity, const double *x, const double *v,
                           const double *v_dot, double *res)
{
    const phx_floating *body = phx_floating_of(base);
    const double *q = phx_floating_q(body, x), *qk = phx_floating_q_inertia(body, x);
    double p[6];

    momenta_at(body, qk, v, p, NULL);
    momenta_at(body, qk, v_dot, res, res + body->base.n_rigid);
    add_mass_rate(body, qk, v, res);
    subtract_transport(body->base.dim, p, v, res);
    subtract_deformation_forces(body->base.dim, body, q, v, v, v, res);
    if (body->flex->stiffening)
        phx_floating_stiffening_residual(body->flex, q, q, q, res + body->base.n_rigid);
    subtract_gravity(body->base.dim, body, gravity, x, res);
}

/* Constant M: p1 - p0 = M (nu1 - nu0), and the rates of M by themselves. */
static inline void simplified_residual(const int dim, const phx_floating *body, const double *gravity,
                                       const phx_body_view *view, const double *p0, double *res)
{
    const int r = dim + phx_rotations(dim);
    double p[6];

    /* theory 10: constant M, coefficient 2, with the kinetic effort of the deformation */
    momenta_in(dim, body, NULL, view->v1, res, res + r);
    for (int i = 0; i < body->base.n_v; i++)
        res[i] = (res[i] - p0[i]) / view->h;
    for (int i = 0; i < r; i++)
        p[i] = p0[i] + 0.5 * view->h * res[i];
    add_mass_rate(body, NULL, view->vm, res);
    subtract_deformation_forces(dim, body, phx_floating_q(body, view->xm), view->v0, view->v1, view->vm, res);
    subtract_transport(dim, p, view->vm, res);
    subtract_gravity(dim, body, gravity, view->xm, res);
}

void phx_floating_simplified_residual(const phx_floating *body, const double *gravity, const phx_body_view *view,
                                      const double *p0, double *res)
{
    if (body->base.dim == 2)
        simplified_residual(2, body, gravity, view, p0, res);
    else
        simplified_residual(3, body, gravity, view, p0, res);
}

/* Linear and angular momentum of a body in inertial axes, the latter about the inertial origin. */
void phx_floating_inertial_momentum(const phx_body *base, const double *x, const double *v, double *linear,
                                    double *angular)
{
    const phx_floating *body = phx_floating_of(base);
    const int dim = body->base.dim;
    double R[9], cross[3], p[6];

    momenta_at(body, phx_floating_q_inertia(body, x), v, p, NULL);
    phx_attitude_rotation(dim, x + dim, R);
    phx_rot_apply(dim, R, p, linear);
    if (dim == 2)
        angular[0] = p[2];
    else
        phx_rot_apply(3, R, p + 3, angular);
    phx_vec_x_vec(dim, x, linear, cross);
    for (int k = 0; k < body->base.n_rot; k++)
        angular[k] += cross[k];
}
