/* Energies, stresses and first moments of a floating body. */
#include "body_internal.h"

#include <string.h>

static inline double kinetic(const int dim, const phx_body *body, const double *x, const double *v)
{
    const phx_flex *flex = body->flex;
    const double *q = phx_body_q_inertia(body, x);
    const int n_rot = phx_rotations(dim), n = flex->n;
    const double *w = v + dim, *q_dot = v + dim + n_rot;
    double s[3], J[9], cross[3], energy = 0.5 * phx_flex_matrix_form(&body->compact->M, q_dot, q_dot);

    for (int a = 0; a < dim; a++)
        energy += v[a] * phx_body_dot(n, flex->S + a * n, q_dot);
    for (int k = 0; k < n_rot; k++) {
        const double turned = q ? phx_flex_matrix_form(&body->compact->A[k], q_dot, q) : 0.0;
        energy += w[k] * (phx_body_dot(n, flex->C + k * n, q_dot) - turned);
    }
    phx_body_inertia(body, q, s, J);
    phx_rot_x_vec(dim, w, s, cross);
    energy += 0.5 * flex->mass * phx_body_dot(dim, v, v) + phx_body_dot(dim, v, cross);
    for (int k = 0; k < n_rot; k++)
        energy += 0.5 * w[k] * phx_body_dot(n_rot, J + k * n_rot, w);
    return energy;
}

double phx_body_kinetic(const phx_body *body, const double *x, const double *v)
{
    return body->dim == 2 ? kinetic(2, body, x, v) : kinetic(3, body, x, v);
}

/* With J0 and s0 at hand. */
static inline double kinetic_undeformed(const int dim, const phx_body *body, const double *v)
{
    const phx_flex *flex = body->flex;
    const int n_rot = phx_rotations(dim), n = flex->n;
    const double *w = v + dim, *q_dot = v + dim + n_rot;
    double cross[3], turned[3], energy = 0.0;

    phx_rot_x_vec(dim, w, flex->s0, cross);
    phx_pair_times(n_rot, flex->J0, w, turned);
    for (int a = 0; a < dim; a++)
        energy += v[a] * (0.5 * flex->mass * v[a] + cross[a]);
    for (int k = 0; k < n_rot; k++)
        energy += 0.5 * w[k] * turned[k];
    if (n == 0)
        return energy;
    for (int a = 0; a < dim; a++)
        energy += v[a] * phx_body_dot(n, flex->S + a * n, q_dot);
    for (int k = 0; k < n_rot; k++)
        energy += w[k] * phx_body_dot(n, flex->C + k * n, q_dot);
    return energy + 0.5 * phx_flex_matrix_form(&body->compact->M, q_dot, q_dot);
}

double phx_body_kinetic_undeformed(const phx_body *body, const double *v)
{
    return body->dim == 2 ? kinetic_undeformed(2, body, v) : kinetic_undeformed(3, body, v);
}

/* 1/2 |L2^-1 D q|^2: no cancellation between large terms. */
double phx_body_elastic(const phx_body *body, const double *x)
{
    const phx_csr *root = &body->flex->root;
    const double *q = phx_body_q(body, x);
    double energy = 0.0;

    for (int i = 0; body->n_q && i < root->rows; i++) {
        double sum = 0.0;
        for (int k = root->ptr[i]; k < root->ptr[i + 1]; k++)
            sum += root->val[k] * q[root->idx[k]];
        energy += 0.5 * sum * sum;
    }
    if (body->flex->stiffening)
        energy += phx_body_stiffening_energy(body->flex, q);
    return energy;
}

void phx_body_moment(const phx_body *body, const double *x, double *moment)
{
    const phx_flex *flex = body->flex;
    double R[9], s[3] = {0};

    for (int a = 0; a < body->dim; a++)
        s[a] = flex->s0[a] + phx_body_dot(flex->n, flex->S + a * flex->n, phx_body_q(body, x));
    phx_attitude_rotation(body->dim, x + body->dim, R);
    phx_rot_apply(body->dim, R, s, moment);
    for (int a = 0; a < body->dim; a++)
        moment[a] += flex->mass * x[a];
}

/* V = -g.(m r + R s(q)) */
double phx_body_potential(const phx_body *body, const double *gravity, const double *x)
{
    double moment[3];
    phx_body_moment(body, x, moment);
    return -phx_body_dot(body->dim, gravity, moment);
}

double phx_body_dissipation(const phx_body *body, const double *v)
{
    const double *q_dot = v + body->n_rigid;
    double power = 0.0;

    for (int i = 0; body->damped && i < body->n_q; i++)
        for (int k = body->damping.ptr[i]; k < body->damping.ptr[i + 1]; k++)
            power += q_dot[i] * body->damping.val[k] * q_dot[body->damping.idx[k]];
    return power;
}

void phx_body_stress(const phx_body *body, const double *x, double *sigma)
{
    const phx_flex *flex = body->flex;
    const double *q = phx_body_q(body, x);

    memset(sigma, 0, (size_t)flex->n_stress * sizeof *sigma);
    if (!body->n_q)
        return;
    phx_csr_apply(&flex->stress, 1.0, q, sigma);
    if (flex->stiffening) { /* N = EA eps: the ratio of stiffening to linear strain scales the axial force */
        const phx_flex_stiffening *st = flex->stiffening;
        for (int g = 0; g < st->n_slope; g++) {
            double slope = 0.0;
            for (int k = st->slope.ptr[g]; k < st->slope.ptr[g + 1]; k++)
                slope += st->slope.val[k] * q[st->slope.idx[k]];
            sigma[st->stress_row[st->strain_of[g]]] +=
                st->axial_stiffness[st->strain_of[g]] * 0.5 * st->weight[g] * slope * slope;
        }
    }
}

void phx_body_stress_slope(const phx_body *body, const double *x, const double *row, double *out)
{
    const phx_flex *flex = body->flex;
    const phx_flex_stiffening *st = flex->stiffening;
    const double *q = phx_body_q(body, x);

    memset(out, 0, (size_t)body->n_q * sizeof *out);
    if (!body->n_q)
        return;
    phx_csr_apply_transposed(&flex->stress, 1.0, row, out);
    for (int g = 0; st && g < st->n_slope; g++) { /* d(1/2 EA w slope^2) = EA w slope dslope */
        const int k = st->strain_of[g];
        double slope = 0.0;
        for (int e = st->slope.ptr[g]; e < st->slope.ptr[g + 1]; e++)
            slope += st->slope.val[e] * q[st->slope.idx[e]];
        for (int e = st->slope.ptr[g]; e < st->slope.ptr[g + 1]; e++)
            out[st->slope.idx[e]] +=
                row[st->stress_row[k]] * st->axial_stiffness[k] * st->weight[g] * slope * st->slope.val[e];
    }
}
