/* DOT rows in space, of PHX_JOINT_SIMD_WIDTH joints at once; the equations are those of joint/row_dots.c. An undeformed
 * port has n_q = 0: nothing is left of the turn of its section. */
#ifndef PHX_FAST_DOT_SIMD_H
#define PHX_FAST_DOT_SIMD_H

#include "fast_port_simd.h"

enum { MOST_DOTS = PHX_JOINT_MAX_ROWS - 3 };

/* ---- covectors ---- */
/* The data of a port in space that directions need; of an undeformed one the mean frame alone, and the frame at the end
 * for derivatives. */
typedef struct section {
    const real *R; /* mean */
    real R1[9], theta[3], theta0[3], theta1[3], theta_dot[3];
    const real *w;
} section;

static inline void angles(const int n_q, const double *values, const int *entries, const real *theta, real *sum)
{
    real q[MOST_Q];

    for (int i = 0; i < 3; i++)
        sum[i] = (real){0.0};
    pick_all(n_q, values, entries, q);
    add_shapes(3, n_q, theta, q, NULL, sum);
}

/* Attitudes, angular rates and section rotations of one side of a batch of joints, at the mean and, with `ends`, at the
 * end. */
static inline void find_section(const int n_q, bool ends, const joint_state *at, const joint_side *side,
                                const port_state *p, section *s)
{
    const real *theta = (const real *)side->theta;

    s->R = p->R;
    s->w = p->v + 3;
    if (ends || n_q > 0)
        frame(3, at->x1, side, s->R1);
    if (n_q == 0)
        return;
    angles(n_q, at->x0, side->q, theta, s->theta0);
    angles(n_q, at->x1, side->q, theta, s->theta1);
    angles(n_q, at->vm, side->q_dot, theta, s->theta_dot);
    for (int i = 0; i < 3; i++)
        s->theta[i] = 0.5 * (s->theta0[i] + s->theta1[i]);
}

/* b = a + theta x a */
static inline void turned(const int n_q, const real *theta, const real *a, real *b)
{
    if (n_q > 0)
        rot_x_vec(3, theta, a, b);
    for (int i = 0; i < 3; i++) {
        if (n_q > 0)
            b[i] += a[i];
        else
            b[i] = a[i];
    }
}

/* The mean of A = R (a + theta x a):  with R0 + R1 = 2 R,  R (a + theta0 x a) + R1 (theta1 - theta0) x a / 2 */
static inline void mean_direction(const int n_q, const section *s, const real *a, real *mean)
{
    real half[3], b[3], end[3];

    if (n_q == 0) {
        rot_apply(3, s->R, a, mean);
        return;
    }
    turned(n_q, s->theta0, a, b);
    rot_apply(3, s->R, b, mean);
    for (int i = 0; i < 3; i++)
        half[i] = 0.5 * (s->theta1[i] - s->theta0[i]);
    rot_x_vec(3, half, a, b);
    rot_apply(3, s->R1, b, end);
    for (int i = 0; i < 3; i++)
        mean[i] += end[i];
}

/* Covector of a DOT row on the rates of a port, w and then theta_dot: with f = R^T (mean of the other direction),
 * (a + theta x a) x f and a x f. */
static inline void covector(const int n_q, const section *s, const real *a, const real *other, real *g)
{
    real f[3], b[3];

    rot_apply_transposed(3, s->R, other, f);
    turned(n_q, s->theta, a, b);
    rot_x_vec(3, b, f, g);
    if (n_q > 0)
        rot_x_vec(3, a, f, g + 3);
}

/* Of a row the covectors on both ports, g (2 x 6) */
static inline void covectors(const int n_a, const int n_b, const section *a, const section *b, const real *alpha,
                             const real *beta, real *g)
{
    real on_a[3], on_b[3];

    mean_direction(n_a, a, alpha, on_a);
    mean_direction(n_b, b, beta, on_b);
    covector(n_a, a, alpha, on_b, g);
    covector(n_b, b, beta, on_a, g + 6);
}

/* g . (w | theta_dot) */
static inline void add_turn_rate(const int n_q, const section *s, const real *g, real *sum)
{
    *sum += g[0] * s->w[0] + g[1] * s->w[1] + g[2] * s->w[2];
    if (n_q > 0)
        *sum += g[3] * s->theta_dot[0] + g[4] * s->theta_dot[1] + g[5] * s->theta_dot[2];
}

/* ---- derivatives ---- */
/* Their covectors and slopes on the velocities of a side: columns of w, then of q. */
typedef struct dot_rows {
    real g[MOST_DOTS][3 + MOST_Q], slope[MOST_DOTS][3 + MOST_Q];
} dot_rows;

/* Of a covector x on (w, theta_dot) the entries of w, with a turn times it, and of q. */
static inline void pull(const int n_q, const joint_side *side, const real *x, const real *turn, real *y)
{
    const real *theta = (const real *)side->theta;

    if (turn)
        times_turn(3, x, turn, y);
    for (int i = 0; i < 3 && !turn; i++)
        y[i] = x[i];
    for (int j = 0; j < n_q; j++)
        y[3 + j] = x[3] * theta[j] + x[4] * theta[n_q + j] + x[5] * theta[2 * n_q + j];
}

/* The rows of G of the DOT rows, one side, and -g^T into the rows of the velocities (NULL: not). */
static inline void put_dots(const int n_q, int dots, real G[][3 + MOST_Q], real g[][3 + MOST_Q], const places *at,
                            int side, double *val)
{
    for (int k = 0; k < dots; k++) {
        const int *to = at->rows[side] + (3 + k) * at->per_row, *above = at->above[side] + 3 * SIMD_WIDTH;
        real minus[3 + MOST_Q];
        put_run(3, G[k], 1, to, val + 3);
        for (int j = 0; j < n_q; j++)
            put_run(1, G[k] + 3 + j, 1, to + (1 + j) * SIMD_WIDTH, val);
        if (!g)
            continue;
        negate(3 + n_q, g[k], minus);
        for (int j = 0; j < 3 + n_q; j++)
            put_run(1, minus + j, 1, above + j * SIMD_WIDTH, val + 3 + k);
    }
}

/* One side of a DOT row (row_dots.c). */
typedef struct dot_side {
    const real *body;
    real mean_axes[3], end_axes[3], mean[3], rate[3], step[3];
} dot_side;

/* Direction of a DOT row on one side, at the mean and the end in body axes, inertial, and its rate. */
static inline void look(const int n_q, const section *s, const real *direction, dot_side *to)
{
    real turn[3];

    to->body = direction;
    turned(n_q, s->theta, direction, to->mean_axes);
    turned(n_q, s->theta1, direction, to->end_axes);
    mean_direction(n_q, s, direction, to->mean);
    rot_x_vec(3, s->w, to->mean_axes, to->step);
    if (n_q > 0) {
        rot_x_vec(3, s->theta_dot, direction, turn);
        for (int i = 0; i < 3; i++)
            to->step[i] += turn[i];
    }
    rot_apply(3, s->R, to->step, to->rate);
}

/* Sums over the rows of lambda x y^T: of a side f_1 a_m^T, alpha f^T, f_1 alpha^T; of a side by the other N of (w, w),
 * (w, theta), (theta, w), (theta, theta). */
typedef struct dot_sums {
    real diagonal[3][9], across[4][9];
} dot_sums;

static inline void add_outer(const real *weight, const real *x, const real *y, real *sum)
{
    for (int i = 0; i < 3; i++) {
        const real scaled = *weight * x[i];
        for (int j = 0; j < 3; j++)
            sum[3 * i + j] += scaled * y[j];
    }
}

/* Contribution of a row at the side `own`, and its slope there, on w and theta_dot. */
static inline void add_side(const int n_q, const int n_other, const section *s, const dot_side *own,
                            const dot_side *other, const real *lambda, dot_sums *sums, real *slope)
{
    real f1[3], h1[3], f[3], x[3], y[3];

    rot_apply_transposed(3, s->R1, other->mean, f1);
    rot_apply_transposed(3, s->R1, other->rate, h1);
    rot_x_vec(3, own->step, f1, x);
    rot_x_vec(3, own->end_axes, h1, y);
    for (int i = 0; i < 3; i++)
        slope[i] = x[i] + y[i];
    add_outer(lambda, f1, own->mean_axes, sums->diagonal[0]);
    add_outer(lambda, own->mean_axes, other->end_axes, sums->across[0]);
    if (n_other > 0)
        add_outer(lambda, own->mean_axes, other->body, sums->across[1]);
    if (n_q == 0)
        return;
    rot_apply_transposed(3, s->R, other->mean, f);
    rot_x_vec(3, f, s->w, x);
    for (int i = 0; i < 3; i++)
        x[i] += h1[i];
    rot_x_vec(3, own->body, x, slope + 3);
    add_outer(lambda, own->body, f, sums->diagonal[1]);
    add_outer(lambda, f1, own->body, sums->diagonal[2]);
    add_outer(lambda, own->body, other->end_axes, sums->across[2]);
    if (n_other > 0)
        add_outer(lambda, own->body, other->body, sums->across[3]);
}

/* F - tr(F) I */
static inline void double_cross(const real *F, real *H)
{
    const real trace = F[0] + F[4] + F[8];

    for (int e = 0; e < 9; e++)
        H[e] = F[e];
    for (int i = 0; i < 9; i += 4)
        H[i] -= trace;
}

/* The sum of (e_i x x) . M (e_j x y) for N = sum x y^T */
static inline void across(const real *N, const real *M, real *H)
{
    for (int i = 0; i < 3; i++) {
        const int k = 3 * ((i + 1) % 3), l = 3 * ((i + 2) % 3);
        for (int j = 0; j < 3; j++) {
            const int m = (j + 1) % 3, n = (j + 2) % 3;
            H[3 * i + j] = N[k + m] * M[l + n] + N[l + n] * M[k + m] - N[k + n] * M[l + m] - N[l + m] * M[k + n];
        }
    }
}

/* Rm^T R1 of two ports */
static inline void relative(const real *Rm, const real *R1, real *M)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M[3 * i + j] = Rm[i] * R1[j] + Rm[3 + i] * R1[3 + j] + Rm[6 + i] * R1[6 + j];
}

/* P^T H W of the turns of two ports, (3 + n_left) x (3 + n_right): H is in its blocks on w and theta_dot (NULL: zero).
 */
static inline void pull_block(const int n_left, const int n_right, const joint_side *left, const joint_side *right,
                              const real *turn, real *const *H, real *block)
{
    const real *theta_l = (const real *)left->theta, *theta_r = (const real *)right->theta;
    const int n = 3 + n_right;
    real on_theta[3][3 + MOST_Q];

    for (int i = 0; i < 3; i++) {
        times_turn(3, H[0] + 3 * i, turn, block + i * n);
        for (int j = 0; j < n_right; j++)
            block[i * n + 3 + j] = H[1][3 * i] * theta_r[j] + H[1][3 * i + 1] * theta_r[n_right + j] +
                                   H[1][3 * i + 2] * theta_r[2 * n_right + j];
    }
    for (int i = 0; i < 3 && n_left > 0; i++) {
        times_turn(3, H[2] + 3 * i, turn, on_theta[i]);
        for (int j = 0; j < n_right && H[3]; j++)
            on_theta[i][3 + j] = H[3][3 * i] * theta_r[j] + H[3][3 * i + 1] * theta_r[n_right + j] +
                                 H[3][3 * i + 2] * theta_r[2 * n_right + j];
    }
    for (int q = 0; q < n_left; q++)
        for (int j = 0; j < n; j++) {
            block[(3 + q) * n + j] = (real){0.0};
            for (int k = 0; k < 3 && (j < 3 || H[3]); k++)
                block[(3 + q) * n + j] += theta_l[k * n_left + q] * on_theta[k][j];
        }
}

/* K -= a part of the block of pairs; `left` and `right` are sides. */
static inline void add_pairs(const int n_a, const int n_b, const workspace *ws, const joint_batch *batch,
                             const joint_state *at, int left, int right, const real *block)
{
    const int n_left = left ? n_b : n_a, n_right = right ? n_b : n_a, n = 3 + n_right,
              per = (2 + n_a + n_b) * SIMD_WIDTH;
    const unsigned bits = batch->adds[at->late][1 << left | 1 << right];
    const places to = find_places(3, n_a, n_b, 3 + batch->dots, places_in(ws, batch));
    const int *entry = to.pairs + (left ? 3 + n_a : 0) * per + (right ? 1 + n_a : 0) * SIMD_WIDTH;

    for (int i = 0; i < 3 + n_left; i++, entry += per) {
        subtract_run(3, bits, block + i * n, entry, ws->values.into_K);
        for (int j = 0; j < n_right; j++)
            subtract_run(1, bits, block + i * n + 3 + j, entry + (1 + j) * SIMD_WIDTH, ws->values.into_K);
    }
}

/* Terms of the DOT rows from lambda and the rates: the slopes of both sides, and K -= weight lambda P^T H W. */
static inline void curve(const int n_a, const int n_b, const workspace *ws, const joint_batch *batch,
                         const joint_state *at, const section *s, const side_terms *terms, dot_rows *rows)
{
    const real *alpha = (const real *)batch->alpha, *beta = (const real *)batch->beta;
    const int n_q[2] = {n_a, n_b};
    dot_sums sums[2] = {0};
    real block[(3 + MOST_Q) * (3 + MOST_Q)], M[9], H[4][9];

    for (int k = 0; k < batch->dots; k++) {
        dot_side a, b;
        real lambda, slope[2][6];
        fetch(at->lambda, batch->first, 3 + k, 1, &lambda);
        lambda *= ws->values.weight_K;
        look(n_a, &s[0], alpha + 3 * k, &a);
        look(n_b, &s[1], beta + 3 * k, &b);
        add_side(n_a, n_b, &s[0], &a, &b, &lambda, &sums[0], slope[0]);
        add_side(n_b, n_a, &s[1], &b, &a, &lambda, &sums[1], slope[1]);
        pull(n_a, &batch->side[0], slope[0], terms[0].turn, rows[0].slope[k]);
        pull(n_b, &batch->side[1], slope[1], terms[1].turn, rows[1].slope[k]);
    }
    for (int left = 0; left < 2; left++) {
        const int right = 1 - left;
        const joint_side *own = &batch->side[left], *other = &batch->side[right];
        real *blocks[4] = {H[0], H[1], H[2], NULL};
        for (int e = 0; e < (n_q[left] > 0 ? 3 : 1); e++)
            double_cross(sums[left].diagonal[e], H[e]);
        pull_block(n_q[left], n_q[left], own, own, terms[left].turn, blocks, block);
        add_pairs(n_a, n_b, ws, batch, at, left, left, block);
        relative(s[left].R, s[right].R1, M);
        for (int e = 0; e < 4; e++)
            if ((n_q[right] > 0 || e % 2 == 0) && (n_q[left] > 0 || e < 2))
                across(sums[left].across[e], M, H[e]);
        blocks[3] = H[3];
        pull_block(n_q[left], n_q[right], own, other, terms[right].turn, blocks, block);
        add_pairs(n_a, n_b, ws, batch, at, left, right, block);
    }
}

static inline void find_covectors(const int n_a, const int n_b, const joint_batch *batch, const section *s,
                                  dot_rows *rows)
{
    const real *alpha = (const real *)batch->alpha, *beta = (const real *)batch->beta;

    for (int k = 0; k < batch->dots; k++) {
        real g[12];
        covectors(n_a, n_b, &s[0], &s[1], alpha + 3 * k, beta + 3 * k, g);
        pull(n_a, &batch->side[0], g, NULL, rows[0].g[k]);
        pull(n_b, &batch->side[1], g + 6, NULL, rows[1].g[k]);
    }
}

/* slope <- K_l, or G + K_l */
static inline void sum_rows(const int n_q, int dots, bool summed, double weight, dot_rows *rows)
{
    for (int k = 0; k < dots; k++)
        for (int j = 0; j < 3 + n_q; j++) {
            rows->slope[k][j] *= weight;
            if (summed)
                rows->slope[k][j] += rows->g[k][j];
        }
}

#endif
