/* Energies, stresses and first moments of a floating body. */
#define real double
/* clang-format off */
#define ZEROS {0.0}
/* clang-format on */
#define SIMD_WIDTH 1
#define NAME(x)    one_##x

#include "energy_kernel.h"

#include <string.h>

/* Kinetic energy 1/2 nu^T M(q) nu in J, theory 1 (2); q NULL means undeformed. */
static double energy_kinetic(const phx_floating *body, const double *q, const double *v)
{
    const one_inertia own = one_inertia_of(body->flex);
    double energy = 0.0;

    if (body->base.dim == 2 && body->base.n_q == 0)
        one_kinetic(2, 0, body, &own, q, v, &energy);
    else if (body->base.dim == 2)
        one_kinetic(2, body->base.n_q, body, &own, q, v, &energy);
    else if (body->base.n_q == 0)
        one_kinetic(3, 0, body, &own, q, v, &energy);
    else
        one_kinetic(3, body->base.n_q, body, &own, q, v, &energy);
    return energy;
}

double phx_floating_kinetic(const phx_body *base, const double *x, const double *v)
{
    const phx_floating *body = phx_floating_of(base);
    return energy_kinetic(body, phx_floating_q_inertia(body, x), v);
}

double phx_floating_kinetic_undeformed(const phx_body *base, const double *v)
{
    const phx_floating *body = phx_floating_of(base);
    return energy_kinetic(body, NULL, v);
}

/* 1/2 |L2^-1 D q|^2, theory 2 (4): no cancellation between large terms. */
double phx_floating_elastic(const phx_body *base, const double *x)
{
    const phx_floating *body = phx_floating_of(base);
    const phx_csr *root = &body->flex->root;
    const double *q = phx_floating_q(body, x);
    double energy = 0.0;

    for (int i = 0; body->base.n_q && i < root->rows; i++) {
        double sum = 0.0;
        for (int k = root->ptr[i]; k < root->ptr[i + 1]; k++)
            sum += root->val[k] * q[root->idx[k]];
        energy += 0.5 * sum * sum;
    }
    if (body->flex->stiffening)
        energy += phx_floating_stiffening_energy(body->flex, q);
    return energy;
}

/* m r + R s(q) */
static inline void moment_in(const int dim, const phx_floating *body, const double *x, double *moment)
{
    const phx_flex *flex = body->flex;
    double R[9], s[3] = {0};

    for (int a = 0; a < dim; a++)
        s[a] = flex->s0[a];
    for (int a = 0; a < dim && flex->n > 0; a++)
        s[a] += phx_floating_dot(flex->n, flex->S + a * flex->n, phx_floating_q(body, x));
    phx_attitude_rotation(dim, x + dim, R);
    phx_rot_apply(dim, R, s, moment);
    for (int a = 0; a < dim; a++)
        moment[a] += flex->mass * x[a];
}

void phx_floating_moment(const phx_body *base, const double *x, double *moment)
{
    if (base->dim == 2)
        moment_in(2, phx_floating_of(base), x, moment);
    else
        moment_in(3, phx_floating_of(base), x, moment);
}

/* Of a rigid body without elastic energy. */
static inline void rigid_energies(const int dim, const phx_floating *body, const double *gravity, const double *x,
                                  const double *v, phx_body_energies *energies)
{
    const one_inertia own = one_inertia_of(body->flex);
    double moment[3], sum = 0.0;

    one_kinetic(dim, 0, body, &own, NULL, v, &energies->kinetic);
    moment_in(dim, body, x, moment);
    for (int a = 0; a < dim; a++)
        sum += gravity[a] * moment[a];
    energies->elastic = 0.0;
    energies->potential = -sum;
}

void phx_floating_energies(const phx_body *base, const double *gravity, const double *x, const double *v,
                           phx_body_energies *energies)
{
    const phx_floating *body = phx_floating_of(base);

    if (base->n_q > 0)
        *energies = (phx_body_energies){phx_floating_kinetic(base, x, v), phx_floating_elastic(base, x),
                                        phx_body_potential(base, gravity, x)};
    else if (base->dim == 2)
        rigid_energies(2, body, gravity, x, v, energies);
    else
        rigid_energies(3, body, gravity, x, v, energies);
}

/* |B x|^2: a sum of squares, no cancellation between large terms. */
static double square_of(const phx_csr *B, const double *x)
{
    double sum = 0.0;

    for (int i = 0; i < B->rows; i++) {
        double strain = 0.0;
        for (int k = B->ptr[i]; k < B->ptr[i + 1]; k++)
            strain += B->val[k] * x[B->idx[k]];
        sum += strain * strain;
    }
    return sum;
}

double phx_floating_dissipation(const phx_body *base, const double *v)
{
    const phx_floating *body = phx_floating_of(base);
    const double *q_dot = v + body->base.n_rigid;
    const phx_csr *R = body->friction;
    double power = 0.0;

    for (int i = 0; R && i < body->base.n_q; i++)
        for (int k = R->ptr[i]; k < R->ptr[i + 1]; k++)
            power += q_dot[i] * R->val[k] * q_dot[R->idx[k]];
    if (body->strain_damping > 0.0)
        power += body->strain_damping * square_of(body->root, q_dot);
    return power + square_of(&body->modal_root, q_dot);
}

void phx_floating_stress(const phx_body *base, const double *x, double *sigma)
{
    const phx_floating *body = phx_floating_of(base);
    const phx_flex *flex = body->flex;
    const double *q = phx_floating_q(body, x);

    memset(sigma, 0, (size_t)flex->n_stress * sizeof *sigma);
    if (!body->base.n_q)
        return;
    phx_csr_apply(&flex->stress, 1.0, q, sigma);
    phx_floating_stiffening_stress(flex, q, sigma);
}

void phx_floating_stress_derivative(const phx_body *base, const double *x, const double *row, double *out)
{
    const phx_floating *body = phx_floating_of(base);
    const phx_flex *flex = body->flex;
    const double *q = phx_floating_q(body, x);

    if (!body->base.n_q)
        return;
    out += body->base.q_v;
    phx_csr_apply_transposed(&flex->stress, 1.0, row, out);
    phx_floating_stiffening_stress_derivative(flex, q, row, out);
}
