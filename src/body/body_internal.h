/* Private to layer body. */
#ifndef PHX_BODY_INTERNAL_H
#define PHX_BODY_INTERNAL_H

#include <phlexor/body.h>

struct phx_body {
    char *name;
    int dim, n_rot, n_rigid; /* n_rigid = dim + n_rot */
    int n_attitude;          /* entries of the attitude in x */
    int n_q, n_v, n_x;
    phx_kinetics kinetics;
    phx_flex own;         /* of a rigid body: mass properties, n = 0 */
    const phx_flex *flex; /* borrowed, or &own */
    bool damped;
    phx_csr damping; /* R, n_q x n_q; empty when not damped */
    int *ptr, *idx;  /* n_v x n_v pattern */
    int *flex_at;    /* position in idx of entry k of the flex pattern */
    int *damping_at; /* position in idx of entry k of the damping matrix */
};

/* Offsets in x: r at 0, attitude at dim, q after it. */
static inline const double *phx_body_q(const phx_body *body, const double *x)
{
    return x + body->dim + body->n_attitude;
}

/* Deformation that the inertia sees: q, or none with simplified kinetics (NULL: zero). */
static inline const double *phx_body_q_inertia(const phx_body *body, const double *x)
{
    return body->kinetics == PHX_KINETICS_FULL ? phx_body_q(body, x) : NULL;
}

/* Index of the pair (a, b) of rotational axes in the order 11 | 11 22 33 12 13 23. */
static inline int phx_pair(int a, int b)
{
    return a == b ? a : a + b + 2;
}

/* Inertia at a deformation q (NULL: undeformed): first moment s (dim), J (n_rot x n_rot). */
void phx_body_inertia(const phx_body *body, const double *q, double *s, double *J);

/* Entry k of the flex pattern, row i. Sums over one row of the pattern, the inner loop of everything. */
static inline double phx_flex_row(const phx_flex *flex, const double *val, int i, const double *x)
{
    double sum = 0.0;
    for (int k = flex->ptr[i]; k < flex->ptr[i + 1]; k++)
        sum += val[k] * x[flex->idx[k]];
    return sum;
}

/* Part of the elastic force that geometric stiffening adds to K q, over an interval: res += ... */
void phx_body_stiffening_residual(const phx_flex *flex, const double *q0, const double *q1, const double *qm,
                                  double *res);
/* Energy that stiffening adds to 1/2 q^T K q. */
double phx_body_stiffening_energy(const phx_flex *flex, const double *q);
/* factor times its derivative with respect to (q1, q_m) that move together by (2 dq, dq) - at an instant by (dq, dq)
 * with q0, q1 and q_m the same - added on the body's pattern. */
void phx_body_stiffening_tangent(const phx_body *body, const double *q0, const double *q1, const double *qm,
                                 double factor, double *K);
/* Strain k of stiffening at q. */
double phx_body_strain(const phx_flex_stiffening *stiffening, int k, const double *q);

#endif
