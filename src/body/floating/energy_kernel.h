/* Kinetic energies. See interval_kernel.h for `real` and NAME. */
#ifndef PHX_ENERGY_KERNEL_H
#define PHX_ENERGY_KERNEL_H

#include "interval_kernel.h"

/* out[m] += x^T A_m y, of the rows of a stack that have `length` entries */
static inline void NAME(forms_of_rows)(const int length, int n, int count, const double *val, const int *idx,
                                       const int *row, const real *x, const real *y, real *out)
{
    for (int r = 0, m = 0; r < count; m++) {
        real form = {0.0};
        for (; r < count && row[r] < (m + 1) * n; r++, val += length, idx += length) {
            real even = {0.0}, odd = {0.0};
            for (int e = 0; e + 1 < length; e += 2) {
                even += val[e] * y[idx[e]];
                odd += val[e + 1] * y[idx[e + 1]];
            }
            if (length % 2)
                even += val[length - 1] * y[idx[length - 1]];
            form += x[row[r] - m * n] * (even + odd);
        }
        out[m] += form;
    }
}

/* The same of rows with the columns `idx`, of one body. */
static inline void NAME(forms_of_columns)(int length, int n, int count, const double *columns, const int *idx,
                                          const int *row, const double *x, const double *y, double *out)
{
    const int stride = phx_flex_stack_stride(count);
    double form = 0.0;

    for (int r = 0, m = 0, done = 0; r < count; r += done) {
        simd_double sums[PHX_MOST_SUMS];
        const double *sum = (const double *)sums;
        done = NAME(some_rows)(count - r, length, stride, columns + r, idx, y, sums);
        for (int k = 0, last = done < count - r ? done : count - r; k < last;) {
            const int end = (m + 1) * n; /* the first row of the next matrix */
            for (; k < last && row[r + k] < end; k++)
                form += x[row[r + k] - m * n] * sum[k];
            if (k == last && r + k < count && row[r + k] < end)
                break;
            out[m++] += form;
            form = 0.0;
        }
    }
}

/* out[m] = x^T A_m y of each matrix of a stack */
static inline void NAME(forms)(const phx_flex_stack *A, int matrices, int n, const real *x, const real *y, real *out)
{
    const double *val = A->val;
    const int *idx = A->idx, *row = A->row;

    for (int m = 0; m < matrices; m++)
        out[m] = (real){0.0};
    for (int g = 0; g < A->n_groups; g++) {
        const int length = A->length[g], count = A->count[g], columns = SIMD_WIDTH == 1 ? A->column_at[g] : -1;
        if (columns >= 0)
            NAME(forms_of_columns)
        (length, n, count, A->columns + columns, idx, row, (const double *)x, (const double *)y, (double *)out);
        else if (length == 3) NAME(forms_of_rows)(3, n, count, val, idx, row, x, y, out);
        else if (length == 6) NAME(forms_of_rows)(6, n, count, val, idx, row, x, y, out);
        else if (length > 0) NAME(forms_of_rows)(length, n, count, val, idx, row, x, y, out);
        val += length * count;
        idx += length * count;
        row += count;
    }
}

/* 1/2 (m v + w x s + S q_dot) . v + 1/2 (s x v + J w + turn) . w + 1/2 (S^T v + turn^T w) . q_dot + 1/2 q_dot . M q_dot
 * with the turns C - A q; q NULL: undeformed. */
static inline void NAME(kinetic)(const int dim, const int n, const phx_floating *body, const NAME(inertia) * own,
                                 const real *q, const real *v, real *energy)
{
    const phx_flex_compact *compact = body->compact;
    const int n_rot = phx_rotations(dim), n_pair = phx_pairs(dim);
    const real *w = v + dim, *rate = v + dim + n_rot;
    real at_rest[6] = ZEROS, moments[6] = ZEROS, s[3], pair[PHX_MAX_PAIR], turned[3], cross[3], twice = {0.0};

    if (n > 0)
        NAME(multiply)(&compact->moments, rate, moments); /* S q_dot, turn */
    for (int p = 0; p < n_pair; p++)
        pair[p] = own->J0[p];
    if (q && n > 0) {
        real sum[PHX_MAX_PAIR] = ZEROS, form[PHX_MAX_PAIR];
        NAME(multiply)(&compact->moments, q, at_rest);
        for (int i = 0; i < n; i++)
            for (int p = 0; p < n_pair; p++)
                sum[p] += body->flex->j[p * n + i] * q[i];
        NAME(forms)(&compact->pairs, n_pair, n, q, q, form);
        for (int p = 0; p < n_pair; p++)
            pair[p] += sum[p] + 0.5 * form[p];
        NAME(forms)(&compact->gyro, n_rot, n, rate, q, form);
        for (int k = 0; k < n_rot; k++)
            moments[dim + k] -= form[k];
    }
    for (int a = 0; a < dim; a++)
        s[a] = own->s0[a] + at_rest[a];
    NAME(rot_x_vec)(dim, w, s, cross);
    NAME(pair_times)(dim, pair, w, turned);
    if (n > 0)
        NAME(forms)(&compact->mass, 1, n, rate, rate, &twice);
    *energy = 0.5 * twice;
    for (int a = 0; a < dim; a++)
        *energy += v[a] * (0.5 * own->mass * v[a] + cross[a] + moments[a]);
    for (int k = 0; k < n_rot; k++)
        *energy += w[k] * (0.5 * turned[k] + moments[dim + k]);
}

#endif
