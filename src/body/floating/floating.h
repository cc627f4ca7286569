/* The floating body, private to layer body: one frame and small deformations q about it; a rigid body is the case
 * n_q = 0. */
#ifndef PHX_FLOATING_H
#define PHX_FLOATING_H

#include "body/kind.h"

typedef struct phx_floating {
    phx_body base;
    phx_body_frame frame;
    phx_flex own;                  /* of a rigid body: mass properties, n = 0 */
    const phx_flex *flex;          /* borrowed, or &own */
    phx_flex_compact *own_compact; /* of a deformation that has none; else NULL */
    const phx_flex_compact *compact;
    const phx_csr *root; /* of fine meshes: elastic forces are B^T (B q); NULL: K q */
    bool damped;
    phx_csr damping; /* R, n_q x n_q; empty when not damped */
    /* Its force is B^T (B (q + strain_damping q_dot)) less the elastic one, W^T (W q_dot) and friction q_dot: on a fine
     * mesh the rounding of R q_dot would be a load of its own, as that of K q. */
    double strain_damping;   /* s: beta, of fine meshes with a root; else 0 */
    phx_csr modal_root;      /* W, n_q x n_q: rows sqrt(2 zeta omega) phi^T M of fine meshes; else no rows */
    phx_csr rest;            /* alpha M + diag(r) beside strain_damping; else no rows */
    const phx_csr *friction; /* all of R or `rest`; NULL: nothing */
    double damping_def[3];   /* alpha, beta, zeta as given */
    int *flex_at;            /* position in the pattern of entry k of the flex pattern */
    int *damping_at;         /* position in the pattern of entry k of the damping matrix */
} phx_floating;

extern const phx_body_ops phx_floating_ops;
/* The body as a floating body; NULL when it is of another kind. */
static inline const phx_floating *phx_as_floating(const phx_body *body)
{
    return body->ops == &phx_floating_ops ? (const phx_floating *)body : NULL;
}

/* The body as a floating body, which it must be. */
static inline const phx_floating *phx_floating_of(const phx_body *body)
{
    return (const phx_floating *)body;
}

/* ---- the operations of the table, and what they share ---- */
void phx_floating_momenta(const phx_body *body, const double *x, const double *v, double *p);
void phx_floating_put_mass(const phx_body *body, const double *x, bool all, const int *at, double *val);
void phx_floating_moment(const phx_body *body, const double *x, double *moment);
void phx_floating_rigid_mass(const phx_body *body, const double *x, double *mass);
void phx_floating_mass_matrix(const phx_body *body, const double *x, double *mass);
void phx_floating_inertial_momentum(const phx_body *body, const double *x, const double *v, double *linear,
                                    double *angular);
void phx_floating_residual(const phx_body *body, const double *gravity, const double *x, const double *v,
                           const double *v_dot, double *res);
void phx_floating_linearise(const phx_body *body, const double *gravity, const double *x, const double *v, double *M,
                            double *D, double *K);
size_t phx_floating_room(const phx_body *body);
phx_products *phx_floating_products_create(phx_context *context, const phx_body *body, double *room);
void phx_floating_products_share(const phx_body *body, phx_products *products, double *room);
void phx_floating_interval_begin(const phx_body *body, double h, const double *x0, const double *v0,
                                 phx_products *products);
void phx_floating_interval_residual(const phx_body *body, const double *gravity, const phx_body_view *view,
                                    double *res);
bool phx_floating_averages(const phx_body *body, int f, double *arm);
void phx_floating_mass_slope(const phx_body *body, const double *x, const double *a, const double *b, double *slope);
void phx_floating_interval_finish(const phx_body *body, double h, const double *v0, double *v1);
void phx_floating_interval_linearise(const phx_body *body, const double *gravity, const phx_body_view *view,
                                     double *room, double *A);
phx_status phx_floating_curve(const phx_body *body, phx_context *context, const phx_flex_source *source,
                              struct phx_curve *curve);
double phx_floating_kinetic(const phx_body *body, const double *x, const double *v);
double phx_floating_kinetic_undeformed(const phx_body *body, const double *v);
double phx_floating_elastic(const phx_body *body, const double *x);
void phx_floating_energies(const phx_body *body, const double *gravity, const double *x, const double *v,
                           phx_body_energies *energies);
double phx_floating_dissipation(const phx_body *body, const double *v);
void phx_floating_stress(const phx_body *body, const double *x, double *sigma);
void phx_floating_stress_derivative(const phx_body *body, const double *x, const double *row, double *out);
int phx_floating_structure_size(const phx_body *body);
void phx_floating_structure(const phx_body *body, phx_structure_form form, const double *x, const double *v, double *J);
void phx_floating_efforts(const phx_body *body, phx_structure_form form, const double *gravity, const double *x,
                          const double *v, double *z);

/* Completes the body from flex and damping, which are there: of `def` name, dimension and kinetics are read. */
phx_status phx_floating_complete(phx_context *context, const phx_body_def *def, phx_floating *body);
/* Of the table of body/archive.c; `flex` NULL: a rigid body, whose mass properties are written with it. */
void phx_floating_archive(phx_archive *archive, const phx_flex *flex, phx_body **body);

/* phx_body_sum of floating bodies. */
phx_status phx_floating_sum(phx_context *context, int n, const phx_body *const *bodies, const double *weight,
                            phx_body **sum);

/* The damping matrix R and its factors; needs the root of K. Errors: PHX_ERR_ARGUMENT. */
phx_status phx_floating_make_damping(phx_context *context, const phx_body_def *def, phx_floating *body);

/* Whether the body has so many coordinates that the rounding of K q, or of R q_dot, would be a noticeable load. */
static inline bool phx_floating_is_fine(const phx_floating *body)
{
    enum { FINE = 49 };
    return body->base.n_q >= FINE;
}

/* a . b; four sums, so that additions do not wait for each other. */
static inline double phx_floating_dot(int n, const double *a, const double *b)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0}, rest = 0.0;
    int i = 0;

    for (; i + 3 < n; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        rest += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest;
}

/* Place of an entry in the body's pattern; -1: none. */
static inline int phx_floating_entry(const phx_floating *body, int row, int col)
{
    const phx_csr pattern = {body->base.n_v, body->base.n_v, body->base.ptr, body->base.idx, NULL};
    return phx_csr_find(&pattern, row, col);
}

static inline int phx_pairs(const int dim)
{
    return dim == 2 ? 1 : PHX_MAX_PAIR;
}

static inline const double *phx_floating_q(const phx_floating *body, const double *x)
{
    return phx_body_q(&body->base, x);
}

static inline const double *phx_floating_q_inertia(const phx_floating *body, const double *x)
{
    return phx_body_q_inertia(&body->base, x);
}

/* The residual of an interval with simplified kinetics; p0 = M(0) nu0. */
void phx_floating_simplified_residual(const phx_floating *body, const double *gravity, const phx_body_view *view,
                                      const double *p0, double *res);

/* The derivative of an interval's residual on the body's pattern, stiffening left out, from its arrow block. w0, w1:
 * the angular velocities at the ends. */
void phx_floating_spread_arrow(const phx_floating *body, double h, const double *w0, const double *w1, double *arrow,
                               double *A);

/* Index of the pair (a, b) of rotational axes in the order 11 | 11 22 33 12 13 23. */
static inline int phx_pair(int a, int b)
{
    return a == b ? a : a + b + 2;
}

/* Inertia at a deformation q (NULL: undeformed): first moment s (dim), J (n_rot x n_rot). */
void phx_floating_inertia(const phx_floating *body, const double *q, double *s, double *J);

/* (A x)_i on the flex pattern, the inner loop of everything: two sums that do not wait for each other. */
static inline double phx_flex_row(const phx_flex *flex, const double *val, int i, const double *x)
{
    const int last = flex->ptr[i + 1];
    double even = 0.0, odd = 0.0;
    int k = flex->ptr[i];

    for (; k + 1 < last; k += 2) {
        even += val[k] * x[flex->idx[k]];
        odd += val[k + 1] * x[flex->idx[k + 1]];
    }
    if (k < last)
        even += val[k] * x[flex->idx[k]];
    return even + odd;
}

/* (A_s x_s)_i of `count` matrices on the flex pattern, each with a vector of its own, in one pass; a constant count
 * unrolls, and the sums do not wait for each other. */
static inline void phx_flex_sums(const int count, const phx_flex *flex, int i, const double *const *list,
                                 const double *const *x, double *sum)
{
    const int last = flex->ptr[i + 1];

    for (int s = 0; s < count; s++)
        sum[s] = 0.0;
    for (int e = flex->ptr[i]; e < last; e++) {
        const int c = flex->idx[e];
        for (int s = 0; s < count; s++)
            sum[s] += list[s][e] * x[s][c];
    }
}

/* (A_k x)_i of every axis k. */
static inline void phx_gyro_rows(const int dim, const phx_flex *flex, int i, const double *x, double *sum)
{
    if (dim == 2)
        sum[0] = phx_flex_row(flex, flex->A[0], i, x);
    else
        phx_flex_sums(3, flex, i, (const double *const[]){flex->A[0], flex->A[1], flex->A[2]},
                      (const double *const[]){x, x, x}, sum);
}

/* (Q_p x)_i of every pair p. */
static inline void phx_pair_rows(const int dim, const phx_flex *flex, int i, const double *x, double *sum)
{
    if (dim == 2) {
        sum[0] = phx_flex_row(flex, flex->Q[0], i, x);
    } else {
        const double *const list[PHX_MAX_PAIR] = {flex->Q[0], flex->Q[1], flex->Q[2],
                                                  flex->Q[3], flex->Q[4], flex->Q[5]};
        phx_flex_sums(PHX_MAX_PAIR, flex, i, list, (const double *const[]){x, x, x, x, x, x}, sum);
    }
}

/* dJ_p/dq_i = j_pi + (Q_p q)_i of every pair p; q NULL: undeformed. */
static inline void phx_inertia_derivatives(const int dim, const phx_flex *flex, int i, const double *q, double *slope)
{
    double bent[PHX_MAX_PAIR] = {0};
    if (q)
        phx_pair_rows(dim, flex, i, q, bent);
    for (int p = 0; p < phx_pairs(dim); p++)
        slope[p] = flex->j[p * flex->n + i] + bent[p];
}

/* L_ki = C_ki - (A_k q)_i of every axis k; q NULL: undeformed. */
static inline void phx_moment_column(const int dim, const phx_flex *flex, int i, const double *q, double *l)
{
    double bent[3] = {0};
    if (q)
        phx_gyro_rows(dim, flex, i, q, bent);
    for (int k = 0; k < phx_rotations(dim); k++)
        l[k] = flex->C[k * flex->n + i] - bent[k];
}

/* y = S w for a symmetric matrix (n_rot x n_rot) given by its pairs. */
static inline void phx_pair_times(int n_rot, const double *pair, const double *w, double *y)
{
    if (n_rot == 1) {
        y[0] = pair[0] * w[0];
    } else {
        y[0] = pair[0] * w[0] + pair[3] * w[1] + pair[4] * w[2];
        y[1] = pair[3] * w[0] + pair[1] * w[1] + pair[5] * w[2];
        y[2] = pair[4] * w[0] + pair[5] * w[1] + pair[2] * w[2];
    }
}

/* Coefficients c with w0^T S w1 = sum over pairs of c_p S_p. */
static inline void phx_pair_products(int n_rot, const double *w0, const double *w1, double *c)
{
    for (int k = 0; k < n_rot; k++)
        for (int l = k; l < n_rot; l++)
            c[phx_pair(k, l)] = k == l ? w0[k] * w1[k] : w0[k] * w1[l] + w0[l] * w1[k];
}

/* Part of the elastic force that geometric stiffening adds to K q, over an interval: res += ... */
void phx_floating_stiffening_residual(const phx_flex *flex, const double *q0, const double *q1, const double *qm,
                                      double *res);
/* Energy that stiffening adds to 1/2 q^T K q. */
double phx_floating_stiffening_energy(const phx_flex *flex, const double *q);
/* factor times its derivative with respect to (q1, q_m) that move together by (2 dq, dq) - at an instant by (dq, dq)
 * with q0, q1 and q_m the same - added on the body's pattern. */
void phx_floating_stiffening_tangent(const phx_floating *body, const double *q0, const double *q1, const double *qm,
                                     double factor, double *K);

/* Adds its part to the stress vector; and to the derivative of row . sigma with respect to q. Nothing without it. */
void phx_floating_stiffening_stress(const phx_flex *flex, const double *q, double *sigma);
void phx_floating_stiffening_stress_derivative(const phx_flex *flex, const double *q, const double *row, double *out);

/* PHX_ERR_ARGUMENT when masses, inertias or stiffnesses are so large or small that products of them are no numbers, or
 * the inertia of a rigid body (else NULL) about its centre of mass is rounding beside that about its origin. */
phx_status phx_floating_check_range(phx_context *context, const char *name, const phx_flex *flex,
                                    const phx_rigid_def *rigid);

#endif
