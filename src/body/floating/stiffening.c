/* Geometric stiffening ([1], Remark 2): the von Karman strain eps = u' + 1/2 w'^2, constant in each element, in
 * the elastic energy 1/2 sum EA l eps^2. eps is quadratic in q, so eps(q1) - eps(q0) = eps'(q_mean)(q1 - q0) exactly
 * and the mean force N_mean eps'(q_mean), N_mean = (N0 + N1)/2, changes the energy exactly. */
#include "floating.h"

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

/* First slope row of strain k; the rows of a strain are contiguous. `g` is where the previous strain ended. */
static int slopes_end(const phx_flex_stiffening *st, int k, int g)
{
    while (g < st->n_slope && st->strain_of[g] == k)
        g++;
    return g;
}

void phx_floating_stiffening_residual(const phx_flex *flex, const double *q0, const double *q1, const double *qm,
                                      double *res)
{
    const phx_flex_stiffening *st = flex->stiffening;
    int first = 0;

    for (int k = 0; k < st->n_strain; k++) {
        const int last = slopes_end(st, k, first);
        const double lin = row_dot(&st->lin, k, qm);
        double square = 0.0;
        for (int g = first; g < last; g++) {
            const double a = row_dot(&st->slope, g, q0), b = row_dot(&st->slope, g, q1);
            square += st->weight[g] * (a * a + b * b);
        }
        /* N_mean (lin_k + sum w (slope q_mean) slope) - EA l lin_k (lin_k q_mean) */
        const double bend = st->stiffness[k] * 0.25 * square, force = st->stiffness[k] * lin + bend;
        row_add(&st->lin, k, bend, res);
        for (int g = first; g < last; g++)
            row_add(&st->slope, g, force * st->weight[g] * row_dot(&st->slope, g, qm), res);
        first = last;
    }
}

double phx_floating_stiffening_energy(const phx_flex *flex, const double *q)
{
    const phx_flex_stiffening *st = flex->stiffening;
    double energy = 0.0;
    int first = 0;

    for (int k = 0; k < st->n_strain; k++) {
        const int last = slopes_end(st, k, first);
        const double lin = row_dot(&st->lin, k, q);
        double square = 0.0;
        for (int g = first; g < last; g++) {
            const double slope = row_dot(&st->slope, g, q);
            square += 0.5 * st->weight[g] * slope * slope;
        }
        energy += st->stiffness[k] * square * (lin + 0.5 * square);
        first = last;
    }
    return energy;
}

void phx_floating_stiffening_tangent(const phx_floating *body, const double *q0, const double *q1, const double *qm,
                                     double factor, double *K)
{
    const phx_flex_stiffening *st = body->flex->stiffening;
    int first = 0;

    for (int k = 0; k < st->n_strain; k++) {
        const int last = slopes_end(st, k, first);
        double square = 0.0;
        for (int g = first; g < last; g++) {
            const double a = row_dot(&st->slope, g, q0), b = row_dot(&st->slope, g, q1);
            square += st->weight[g] * (a * a + b * b);
        }
        /* force = bend lin + sum w N m slope, bend = EA l square/4, N = EA l lin q_m + bend, m = slope q_m, b = slope
         * q1: d bend = EA l sum w b slope dq,  dN = EA l lin dq + d bend,  dm = slope dq */
        const double force = st->stiffness[k] * (row_dot(&st->lin, k, qm) + 0.25 * square);
        for (int g = first; g < last; g++) {
            const double b = factor * st->stiffness[k] * st->weight[g] * row_dot(&st->slope, g, q1);
            const double m = st->weight[g] * row_dot(&st->slope, g, qm);
            rows_outer(body, &st->lin, k, &st->slope, g, b, K);
            rows_outer(body, &st->slope, g, &st->lin, k, factor * st->stiffness[k] * m, K);
            rows_outer(body, &st->slope, g, &st->slope, g, factor * force * st->weight[g], K);
            for (int f = first; f < last; f++)
                rows_outer(body, &st->slope, f, &st->slope, g, b * st->weight[f] * row_dot(&st->slope, f, qm), K);
        }
        first = last;
    }
}

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
    int first = 0;

    for (int k = 0; st && k < st->n_strain; k++) {
        const int last = slopes_end(st, k, first);
        double strain = row_dot(&st->lin, k, q) + (dq ? row_dot(&st->lin, k, dq) : 0.0);
        for (int g = first; g < last; g++) {
            const double slope = row_dot(&st->slope, g, q);
            strain += st->weight[g] * slope * (0.5 * slope + (dq ? row_dot(&st->slope, g, dq) : 0.0));
        }
        force[k] = st->stiffness[k] * strain;
        first = last;
    }
}

void phx_body_strain_curvature(const phx_body *body, const double *force, int ld, double *matrix)
{
    const phx_flex_stiffening *st = stiffening_of(body);
    const int r = body->n_rigid;

    for (int g = 0; st && g < st->n_slope; g++) {
        const phx_csr *s = &st->slope;
        const double weight = force[st->strain_of[g]] * st->weight[g];
        for (int k = s->ptr[g]; k < s->ptr[g + 1]; k++)
            for (int l = s->ptr[g]; l < s->ptr[g + 1]; l++)
                matrix[(size_t)(r + s->idx[k]) * (size_t)ld + (size_t)(r + s->idx[l])] +=
                    weight * s->val[k] * s->val[l];
    }
}
