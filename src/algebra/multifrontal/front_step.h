/* One step of the elimination for one type of values. The including file defines `scalar` and
 *
 *     zero()                  0
 *     plus(a, b)              a + b
 *     times(a, b)             a b
 *     minus_times(a, b, c)    a - b c
 *     reciprocal(a)           1 / a
 *
 * The time of a long chain is that of one operation waiting for the one before, and in fronts of a few unknowns a loop
 * costs more than what is in it. So up to three pivots go together, their divisions at once, and the work of a step is
 * written once for any size and compiled for each small size with constant numbers. */

#ifndef PHLEXOR_ALGEBRA_FRONT_STEP_H
#define PHLEXOR_ALGEBRA_FRONT_STEP_H

/* ---- one step: p pivots, r unknowns that remain ---- */
static inline scalar cross(scalar a, scalar b, scalar c, scalar d)
{
    return minus_times(times(a, b), c, d);
}

/* A value for use at once, and the same for the solutions to come: what is read back from memory is waited for. */
static inline void put(scalar *restrict now, scalar *restrict later, int k, scalar value)
{
    now[k] = value;
    later[k] = value;
}

/* C and its copy: the factors of the leading p x p block B of F, rows of m,
 *
 *     B = (1 + L) D (1 + U) ,   C = L + D^-1 + U .
 *
 * The divisions wait for no other one: the second pivot is s11 / a, the third d / (a s11), with s a times the Schur
 * complement of a and d its determinant. */
static inline void factor_block(int p, int m, const scalar *restrict F, scalar *restrict C, scalar *restrict copy)
{
    const scalar *a = F, *b = F + m, *c = F + 2 * m;
    const scalar over_a = reciprocal(a[0]);
    put(C, copy, 0, over_a);
    if (p == 1)
        return;
    const scalar s11 = cross(a[0], b[1], b[0], a[1]), over_s = reciprocal(s11);
    put(C, copy, 1, times(a[1], over_a));
    put(C, copy, p, times(b[0], over_a));
    put(C, copy, p + 1, times(a[0], over_s));
    if (p == 2)
        return;
    const scalar s12 = cross(a[0], b[2], b[0], a[2]), s21 = cross(a[0], c[1], c[0], a[1]),
                 s22 = cross(a[0], c[2], c[0], a[2]), over_d = reciprocal(cross(s11, s22, s12, s21));
    put(C, copy, 2, times(a[2], over_a));
    put(C, copy, 6, times(c[0], over_a));
    put(C, copy, 5, times(s12, over_s));
    put(C, copy, 7, times(s21, over_s));
    put(C, copy, 8, times(times(a[0], s11), over_d));
}

/* x <- B^-1 b; b and x have strides */
static inline void solve_block(int p, const scalar *restrict C, const scalar *restrict b, int b_stride,
                               scalar *restrict x, int x_stride)
{
    if (p == 1) {
        x[0] = times(b[0], C[0]);
    } else if (p == 2) {
        const scalar b0 = b[0], x1 = times(minus_times(b[b_stride], C[2], b0), C[3]);
        x[0] = minus_times(times(b0, C[0]), C[1], x1);
        x[x_stride] = x1;
    } else {
        const scalar b0 = b[0], b1 = minus_times(b[b_stride], C[3], b0),
                     x2 = times(minus_times(minus_times(b[2 * b_stride], C[6], b0), C[7], b1), C[8]),
                     x1 = minus_times(times(b1, C[4]), C[5], x2);
        x[0] = minus_times(minus_times(times(b0, C[0]), C[2], x2), C[1], x1);
        x[x_stride] = x1;
        x[2 * x_stride] = x2;
    }
}

/* F is m x m, m = p + r, the update r x r; over: reciprocal pivots.
 *     C = factors of F_pp ,  W = F_pp^-1 F_pu ,  L = F_up ,  update = F_uu - L W */
static inline void eliminate(int p, int r, const scalar *restrict F, scalar *restrict over, scalar *restrict C,
                             scalar *restrict update)
{
    const int m = p + r;
    scalar *restrict W = C + p * p, *restrict L = W + p * r;
    scalar factors[9];
    factor_block(p, m, F, factors, C);
    over[0] = factors[0];
    if (p > 1)
        over[1] = factors[p + 1];
    if (p > 2)
        over[2] = factors[2 * p + 2];
    for (int j = 0; j < r; j++)
        solve_block(p, factors, F + p + j, m, W + j, r);
    for (int i = 0; i < r; i++) {
        const scalar *row = F + (p + i) * m;
        for (int k = 0; k < p; k++)
            L[i * p + k] = row[k];
        for (int j = 0; j < r && p == 1; j++)
            update[i * r + j] = minus_times(row[p + j], row[0], W[j]);
        for (int j = 0; j < r && p == 2; j++)
            update[i * r + j] = minus_times(minus_times(row[p + j], row[0], W[j]), row[1], W[r + j]);
        for (int j = 0; j < r && p == 3; j++)
            update[i * r + j] =
                minus_times(minus_times(minus_times(row[p + j], row[0], W[j]), row[1], W[r + j]), row[2], W[2 * r + j]);
    }
}

/* y_p <- F_pp^-1 y_p ,  y_u <- y_u - L y_p */
static inline void sweep_down(int p, int r, const scalar *restrict C, const int *restrict rows, scalar *restrict own,
                              scalar *restrict y)
{
    const scalar *L = C + p * p + p * r;
    scalar z[3];
    solve_block(p, C, own, 1, z, 1);
    for (int i = 0; i < p; i++)
        own[i] = z[i];
    for (int i = 0; i < r; i++) {
        scalar sum = y[rows[i]];
        for (int k = 0; k < p; k++)
            sum = minus_times(sum, L[i * p + k], z[k]);
        y[rows[i]] = sum;
    }
}

/* y_p <- y_p - W y_u */
static inline void sweep_up(int p, int r, const scalar *restrict C, const int *restrict rows, scalar *restrict own,
                            const scalar *restrict y)
{
    const scalar *W = C + p * p;
    scalar x[3];
    for (int i = 0; i < p; i++)
        x[i] = own[i];
    for (int j = 0; j < r; j++) {
        const scalar known = y[rows[j]];
        for (int i = 0; i < p; i++)
            x[i] = minus_times(x[i], W[i * r + j], known);
    }
    for (int i = 0; i < p; i++)
        own[i] = x[i];
}

/* F, rows of m, += the size x size update */
static inline void add_block(int size, int m, scalar *restrict F, const scalar *restrict update)
{
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            F[i * m + j] = plus(F[i * m + j], update[i * size + j]);
}

#endif
