/* Kinetic energies. See interval_kernel.h for `real` and NAME. */
#ifndef PHX_ENERGY_KERNEL_H
#define PHX_ENERGY_KERNEL_H

#include "interval_kernel.h"

/* out += factor x^T A y */
static inline void NAME(add_form)(double factor, const phx_flex_matrix *A, const real *x, const real *y, real *out)
{
    real form = {0.0};

    for (int r = 0; r < A->n_rows; r++) {
        real even = {0.0}, odd = {0.0};
        int e = A->ptr[r];
        const int last = A->ptr[r + 1];
        for (; e + 1 < last; e += 2) {
            even += A->val[e] * y[A->idx[e]];
            odd += A->val[e + 1] * y[A->idx[e + 1]];
        }
        if (e < last)
            even += A->val[e] * y[A->idx[e]];
        form += x[A->row[r]] * (even + odd);
    }
    *out += factor * form;
}

/* 1/2 (m v + w x s + S q_dot) . v + 1/2 (s x v + J w + turn) . w + 1/2 (S^T v + turn^T w) . q_dot + 1/2 q_dot . M q_dot
 * with the turns C - A q; q NULL: undeformed. */
static inline void NAME(kinetic)(const int dim, const phx_body *body, const NAME(inertia) * own, const real *q,
                                 const real *v, real *energy)
{
    const phx_flex *flex = body->flex;
    const int n = flex->n, n_rot = phx_rotations(dim);
    const real *w = v + dim, *rate = v + dim + n_rot;
    real s[3], s_dot[3], pair[PHX_MAX_PAIR], turn[3], turned[3], cross[3];

    for (int a = 0; a < dim; a++) {
        const double *S = flex->S + a * n;
        s[a] = own->s0[a];
        s_dot[a] = (real){0.0};
        for (int i = 0; i < n; i++)
            s_dot[a] += S[i] * rate[i];
        for (int i = 0; q && i < n; i++)
            s[a] += S[i] * q[i];
    }
    for (int p = 0; p < phx_pairs(dim); p++) {
        const double *j = flex->j + p * n;
        pair[p] = own->J0[p];
        for (int i = 0; q && i < n; i++)
            pair[p] += j[i] * q[i];
        if (q && n > 0)
            NAME(add_form)(0.5, &body->compact->Q[p], q, q, pair + p);
    }
    for (int k = 0; k < n_rot; k++) {
        const double *C = flex->C + k * n;
        turn[k] = (real){0.0};
        for (int i = 0; i < n; i++)
            turn[k] += C[i] * rate[i];
        if (q && n > 0)
            NAME(add_form)(-1.0, &body->compact->A[k], rate, q, turn + k);
    }
    NAME(rot_x_vec)(dim, w, s, cross);
    NAME(pair_times)(dim, pair, w, turned);
    *energy = (real){0.0};
    if (n > 0)
        NAME(add_form)(0.5, &body->compact->M, rate, rate, energy);
    for (int a = 0; a < dim; a++)
        *energy += v[a] * (0.5 * own->mass * v[a] + cross[a] + s_dot[a]);
    for (int k = 0; k < n_rot; k++)
        *energy += w[k] * (0.5 * turned[k] + turn[k]);
}

#endif
