/* Geometric stiffening ([1], Remark 2): strains eps, linear plus quadratic forms of q, in the elastic energy
 * 1/2 sum C eps^2; for a beam eps = u' + 1/2 w'^2, theory 9 (1), constant in each element, and C = EA l. eps is
 * quadratic in q, so eps(q1) - eps(q0) = eps'(q_mean)(q1 - q0) exactly, and the mean force N_mean eps'(q_mean) of
 * theory 9 (2), N_mean = (N0 + N1)/2, changes the energy exactly.
 *
 * With the slopes s_a of a strain and its products p = (a, b, w),
 *   eps = lin q + quad,   quad = 1/2 sum_p w s_a s_b,   eps' = lin + sum_a c_a slope_a,   c_a = d quad / d s_a. */
#include "floating.h"

#include <string.h>

static double row_dot(const phx_csr *a, int i, const double *x)
{
    double sum = 0.0;
    for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
        sum += a->val[k] * x[a->idx[k]];
    return sum;
}

static void row_add(const phx_csr *a, int i, double alpha, double *y)
{
    for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
        y[a->idx[k]] += alpha * a->val[k];
}

/* Adds alpha * (row i of a)^T (row j of b) on the body's pattern. Columns ascend, so each row is walked once. */
static void rows_outer(const phx_floating *body, const phx_csr *a, int i, const phx_csr *b, int j, double alpha,
                       double *K)
{
    const int r = body->base.n_rigid;
    for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
        const double factor = alpha * a->val[k];
        int at = body->base.ptr[r + a->idx[k]] + r;
        for (int l = b->ptr[j]; l < b->ptr[j + 1]; l++) {
            while (body->base.idx[at] < r + b->idx[l])
                at++;
            K[at] += factor * b->val[l];
        }
    }
}

/* s_a of the slopes of strain k, from the first; their number. */
static int slopes_of(const phx_flex_stiffening *st, int k, const double *q, double s[PHX_STRAIN_SLOPES])
{
    const int from = st->slope_begin[k], count = st->slope_end[k] - from;
    if (st->in_basis)
        memcpy(s, q, (size_t)count * sizeof *s);
    for (int a = 0; a < count && !st->in_basis; a++)
        s[a] = row_dot(&st->slope, from + a, q);
    return count;
}

/* y += alpha (slope a of strain k)^T */
static void slope_add(const phx_flex_stiffening *st, int k, int a, double alpha, double *y)
{
    if (st->in_basis)
        y[a] += alpha;
    else
        row_add(&st->slope, st->slope_begin[k] + a, alpha, y);
}

static double quadratic(const phx_flex_stiffening *st, int k, const double *s)
{
    const int from = st->slope_begin[k];
    double sum = 0.0;
    for (int p = st->product_begin[k]; p < st->product_begin[k + 1]; p++)
        sum += st->weight[p] * s[st->first[p] - from] * s[st->second[p] - from];
    return 0.5 * sum;
}

static void derivatives(const phx_flex_stiffening *st, int k, const double *s, double c[PHX_STRAIN_SLOPES])
{
    const int from = st->slope_begin[k];
    memset(c, 0, (size_t)(st->slope_end[k] - from) * sizeof *c);
    for (int p = st->product_begin[k]; p < st->product_begin[k + 1]; p++) {
        const int a = st->first[p] - from, b = st->second[p] - from;
        c[a] += 0.5 * st->weight[p] * s[b];
        c[b] += 0.5 * st->weight[p] * s[a];
    }
}

/* Adds the mean force N_mean eps'(q_mean) of the nonlinear strains to res, less the linear part C lin lin q_mean that K
 * contains, theory 9 (2). */
void phx_floating_stiffening_residual(const phx_flex *flex, const double *q0, const double *q1, const double *qm,
                                      double *res)
{
    const phx_flex_stiffening *st = flex->stiffening;
    double s[PHX_STRAIN_SLOPES], c[PHX_STRAIN_SLOPES];

    for (int k = 0; k < st->n_strain; k++) {
        slopes_of(st, k, q0, s);
        double quad = quadratic(st, k, s);
        slopes_of(st, k, q1, s);
        quad += quadratic(st, k, s);
        const int count = slopes_of(st, k, qm, s);
        derivatives(st, k, s, c);
        /* N_mean eps'(q_mean) - C lin_k (lin_k q_mean) */
        const double bend = st->stiffness[k] * 0.5 * quad;
        const double force = st->stiffness[k] * row_dot(&st->lin, k, qm) + bend;
        row_add(&st->lin, k, bend, res);
        for (int a = 0; a < count; a++)
            slope_add(st, k, a, force * c[a], res);
    }
}

double phx_floating_stiffening_energy(const phx_flex *flex, const double *q)
{
    const phx_flex_stiffening *st = flex->stiffening;
    double energy = 0.0, s[PHX_STRAIN_SLOPES];

    for (int k = 0; k < st->n_strain; k++) {
        slopes_of(st, k, q, s);
        const double quad = quadratic(st, k, s);
        energy += st->stiffness[k] * quad * (row_dot(&st->lin, k, q) + 0.5 * quad);
    }
    return energy;
}

/* Terms of the derivative of the force of a strain: with force = N eps'(q_m) and dN = C eps'(q1) dq it is
 * C eps'(q_m)^T eps'(q1) + N eps'', less C lin^T lin. */
typedef struct strain_tangent {
    double stiffness, force; /* C and N, times a factor */
    double c1[PHX_STRAIN_SLOPES], cm[PHX_STRAIN_SLOPES];
} strain_tangent;

/* Stiffness, mean force and derivatives of strain k over an interval, from which its tangent is built; `factor` scales
 * stiffness and force. */
static void strain_at(const phx_flex_stiffening *st, int k, const double *q0, const double *q1, const double *qm,
                      double factor, strain_tangent *tangent)
{
    double s[PHX_STRAIN_SLOPES];

    slopes_of(st, k, q0, s);
    double quad = quadratic(st, k, s);
    slopes_of(st, k, q1, s);
    quad += quadratic(st, k, s);
    derivatives(st, k, s, tangent->c1);
    slopes_of(st, k, qm, s);
    derivatives(st, k, s, tangent->cm);
    tangent->stiffness = factor * st->stiffness[k];
    tangent->force = tangent->stiffness * (row_dot(&st->lin, k, qm) + 0.5 * quad);
}

/* Adds the tangent of strain k of a beam to K: the material part of the slopes and the curvature of the strain times
 * the mean force. */
static void sparse_tangent(const phx_floating *body, int k, const strain_tangent *tangent, double *K)
{
    const phx_flex_stiffening *st = body->flex->stiffening;
    const int from = st->slope_begin[k], count = st->slope_end[k] - from;

    for (int a = 0; a < count; a++) {
        rows_outer(body, &st->lin, k, &st->slope, from + a, tangent->stiffness * tangent->c1[a], K);
        rows_outer(body, &st->slope, from + a, &st->lin, k, tangent->stiffness * tangent->cm[a], K);
        for (int b = 0; b < count; b++)
            rows_outer(body, &st->slope, from + a, &st->slope, from + b,
                       tangent->stiffness * tangent->cm[a] * tangent->c1[b], K);
    }
    for (int p = st->product_begin[k]; p < st->product_begin[k + 1]; p++) {
        const double half = 0.5 * tangent->force * st->weight[p];
        rows_outer(body, &st->slope, st->first[p], &st->slope, st->second[p], half, K);
        rows_outer(body, &st->slope, st->second[p], &st->slope, st->first[p], half, K);
    }
}

/* The same in a basis, where all rows are full; N eps'' (the half of it) goes to `curvature`, for all strains. */
static void full_tangent(const phx_floating *body, int k, const strain_tangent *tangent,
                         double curvature[PHX_STRAIN_SLOPES][PHX_STRAIN_SLOPES], double *K)
{
    const phx_flex_stiffening *st = body->flex->stiffening;
    const int r = body->base.n_rigid, begin = st->lin.ptr[k], end = st->lin.ptr[k + 1];

    for (int i = begin; i < end; i++) {
        double *row = K + body->base.ptr[r + st->lin.idx[i]] + r;
        for (int a = 0; a < st->n_slope; a++)
            row[a] += tangent->stiffness * st->lin.val[i] * tangent->c1[a];
    }
    for (int a = 0; a < st->n_slope; a++) {
        double *row = K + body->base.ptr[r + a] + r;
        const double factor = tangent->stiffness * tangent->cm[a];
        for (int i = begin; i < end; i++)
            row[st->lin.idx[i]] += factor * st->lin.val[i];
        for (int b = 0; b < st->n_slope; b++)
            row[b] += factor * tangent->c1[b];
    }
    for (int p = st->product_begin[k]; p < st->product_begin[k + 1]; p++)
        curvature[st->first[p]][st->second[p]] += 0.5 * tangent->force * st->weight[p];
}

/* Adds the tangents of all strains of a body in a basis to the dense block of the deformations, with the curvature
 * summed over the strains first. */
static void full_tangents(const phx_floating *body, const double *q0, const double *q1, const double *qm, double factor,
                          double *K)
{
    const phx_flex_stiffening *st = body->flex->stiffening;
    double curvature[PHX_STRAIN_SLOPES][PHX_STRAIN_SLOPES] = {{0.0}};
    strain_tangent tangent;

    for (int k = 0; k < st->n_strain; k++) {
        strain_at(st, k, q0, q1, qm, factor, &tangent);
        full_tangent(body, k, &tangent, curvature, K);
    }
    for (int a = 0; a < st->n_slope; a++)
        for (int b = 0; b < st->n_slope; b++)
            K[body->base.ptr[body->base.n_rigid + a] + body->base.n_rigid + b] += curvature[a][b] + curvature[b][a];
}

/* Adds the derivative of the stiffening forces by the mean deformation to K, times `factor`; q1 varies by twice as much
 * as qm. */
void phx_floating_stiffening_tangent(const phx_floating *body, const double *q0, const double *q1, const double *qm,
                                     double factor, double *K)
{
    const phx_flex_stiffening *st = body->flex->stiffening;
    strain_tangent tangent;

    if (st->in_basis) {
        full_tangents(body, q0, q1, qm, factor, K);
        return;
    }
    for (int k = 0; k < st->n_strain; k++) {
        strain_at(st, k, q0, q1, qm, factor, &tangent);
        sparse_tangent(body, k, &tangent, K);
    }
}

/* ---- stresses ---- */
/* The strains that stand in the stress vector, if any does. */
static const phx_flex_stiffening *stressed_of(const phx_flex *flex)
{
    return flex->stiffening && flex->stiffening->stressed ? flex->stiffening->stressed : flex->stiffening;
}

void phx_floating_stiffening_stress(const phx_flex *flex, const double *q, double *sigma)
{
    const phx_flex_stiffening *st = stressed_of(flex);
    double s[PHX_STRAIN_SLOPES];

    for (int k = 0; st && st->stress_row && k < st->n_strain; k++) { /* N = EA eps */
        slopes_of(st, k, q, s);
        sigma[st->stress_row[k]] += st->axial_stiffness[k] * quadratic(st, k, s);
    }
}

void phx_floating_stiffening_stress_derivative(const phx_flex *flex, const double *q, const double *row, double *out)
{
    const phx_flex_stiffening *st = stressed_of(flex);
    double s[PHX_STRAIN_SLOPES], c[PHX_STRAIN_SLOPES];

    for (int k = 0; st && st->stress_row && k < st->n_strain; k++) {
        const int count = slopes_of(st, k, q, s);
        derivatives(st, k, s, c);
        for (int a = 0; a < count; a++)
            slope_add(st, k, a, row[st->stress_row[k]] * st->axial_stiffness[k] * c[a], out);
    }
}

/* ---- for deformed starts ---- */
static const phx_flex_stiffening *stiffening_of(const phx_body *body)
{
    const phx_flex *flex = phx_body_flex(body);
    return flex ? flex->stiffening : NULL;
}

int phx_body_strains(const phx_body *body)
{
    const phx_flex_stiffening *st = stiffening_of(body);
    return st ? st->n_strain : 0;
}

void phx_body_strain_forces(const phx_body *body, const double *q, const double *dq, double *force)
{
    const phx_flex_stiffening *st = stiffening_of(body);
    double s[PHX_STRAIN_SLOPES], c[PHX_STRAIN_SLOPES];

    for (int k = 0; st && k < st->n_strain; k++) {
        const int count = slopes_of(st, k, q, s);
        double strain = row_dot(&st->lin, k, q) + quadratic(st, k, s) + (dq ? row_dot(&st->lin, k, dq) : 0.0);
        derivatives(st, k, s, c);
        for (int a = 0; dq && a < count; a++)
            strain += c[a] * row_dot(&st->slope, st->slope_begin[k] + a, dq);
        force[k] = st->stiffness[k] * strain;
    }
}

/* matrix += alpha (row i)^T (row j) */
static void add_outer(const phx_csr *s, int i, int j, double alpha, int r, int ld, double *matrix)
{
    for (int k = s->ptr[i]; k < s->ptr[i + 1]; k++)
        for (int l = s->ptr[j]; l < s->ptr[j + 1]; l++)
            matrix[(size_t)(r + s->idx[k]) * (size_t)ld + (size_t)(r + s->idx[l])] += alpha * s->val[k] * s->val[l];
}

void phx_body_strain_curvature(const phx_body *body, const double *force, int ld, double *matrix)
{
    const phx_flex_stiffening *st = stiffening_of(body);

    for (int k = 0; st && k < st->n_strain; k++)
        for (int p = st->product_begin[k]; p < st->product_begin[k + 1]; p++) {
            const double half = 0.5 * force[k] * st->weight[p];
            add_outer(&st->slope, st->first[p], st->second[p], half, body->n_rigid, ld, matrix);
            add_outer(&st->slope, st->second[p], st->first[p], half, body->n_rigid, ld, matrix);
        }
}
