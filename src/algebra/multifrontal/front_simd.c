/* The elimination of a batch: PHX_FRONT_SIMD_WIDTH leaves alike, a number of each side by side in a register.
 *
 * The remaining block of a leaf has no entries of A, so the steps work on the rows and columns of the pivots only, and
 * the update is made at the end, once,
 *
 *     update = - sum over the steps of L W . */
#include "front_simd.h"
#include "algebra/simd_kernel.h"

typedef simd_double scalar;

static inline scalar zero(void)
{
    return (scalar){0.0, 0.0, 0.0, 0.0};
}

static inline scalar times(scalar a, scalar b)
{
    return a * b;
}

static inline scalar minus_times(scalar a, scalar b, scalar c)
{
    return a - b * c;
}

static inline scalar plus(scalar a, scalar b)
{
    return a + b;
}

static inline scalar reciprocal(scalar a)
{
    return 1.0 / a;
}

#include "front_step.h"

#ifdef PHX_FOR_AVX2
#define NAME(x) phx_front_batch_##x##_avx2
#else
#define NAME(x) phx_front_batch_##x
#endif

/* Sizes that are constants stay so all the way down. */
#define INLINE static inline __attribute__((always_inline))

/* ---- to and fro ---- */
static inline simd_double front_simd_gather(const double *from, const int *at)
{
    return (simd_double){from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
}

static inline void scatter(simd_double value, double *to, const int *at)
{
    for (int l = 0; l < PHX_FRONT_SIMD_WIDTH; l++)
        to[at[l]] = value[l];
}

/* The entries of a run go to their places. */
static inline void load_run(const double *val, const phx_front_run *run, simd_double *F)
{
    const int *at = run->source, *target = run->target;
    if (run->length == 1 || !run->wide) {
        for (int k = 0; k < run->length; k++)
            F[target[k]] = front_simd_gather(val + k, at);
        return;
    }
    const simd_double rows[4] = {*(const simd_double *)(val + at[0]), *(const simd_double *)(val + at[1]),
                                 *(const simd_double *)(val + at[2]), *(const simd_double *)(val + at[3])};
    simd_double columns[4];
    transpose(rows, columns);
    F[target[0]] = columns[0];
    F[target[1]] = columns[1];
    if (run->length > 2)
        F[target[2]] = columns[2];
    if (run->length > 3)
        F[target[3]] = columns[3];
}

static inline void store_rows(const simd_double *from, double *const *to, int at)
{
    simd_double rows[4];
    transpose(from, rows);
    for (int l = 0; l < PHX_FRONT_SIMD_WIDTH; l++)
        *(simd_double *)(to[l] + at) = rows[l];
}

/* Rows and columns of the pivots, rows of m. */
INLINE void assemble_batch(const phx_front_tree *tree, const phx_front_batch *batch, const int P, const int R,
                           const double *val, simd_double *F)
{
    const phx_front_run *run = tree->run + batch->runs;
    const int m = P + R;
    if (!batch->full) {
        for (int k = 0; k < P * m; k++)
            F[k] = zero();
        for (int i = P; i < m; i++)
            for (int k = 0; k < P; k++)
                F[i * m + k] = zero();
    }
    for (int k = 0; k < batch->n_runs; k++)
        load_run(val, &run[k], F);
}

/* ---- elimination ---- */
/* row <- row - l W, of `count` columns */
INLINE void subtract_row(const int p, const int count, const simd_double *l, const simd_double *restrict W, const int r,
                         simd_double *restrict row)
{
    const simd_double a = l[0], b = p > 1 ? l[1] : a, c = p > 2 ? l[2] : a;
    for (int j = 0; j < count; j++) {
        simd_double sum = minus_times(row[j], a, W[j]);
        if (p > 1)
            sum = minus_times(sum, b, W[r + j]);
        if (p > 2)
            sum = minus_times(sum, c, W[2 * r + j]);
        row[j] = sum;
    }
}

/* A step of p pivots with `left` to come and R unknowns that remain; F is at the first of its pivots, rows of m. */
INLINE void eliminate_panel(const int p, const int left, const int R, const int m, simd_double *restrict F,
                            simd_double *restrict over, simd_double *restrict C)
{
    const int r = left + R;
    simd_double *restrict W = C + p * p, *restrict L = W + p * r;
    simd_double factors[9];
    factor_block(p, m, F, factors, C);
    for (int k = 0; k < p; k++)
        over[k] = factors[k * p + k];
    for (int j = 0; j < r; j++)
        solve_block(p, factors, F + p + j, m, W + j, r);
    for (int i = 0; i < r; i++)
        for (int k = 0; k < p; k++)
            L[i * p + k] = F[(p + i) * m + k];
    for (int i = 0; i < left; i++)
        subtract_row(p, r, L + i * p, W, r, F + (p + i) * m + p);
    for (int i = left; i < r; i++)
        subtract_row(p, left, L + i * p, W, r, F + (p + i) * m + p);
}

/* The terms of a step in `width` neighbours of row i of the update, from column j on. */
INLINE void subtract_products(const int p, const int left, const int R, const simd_double *C, int i, int j,
                              const int width, simd_double *sum)
{
    const int r = left + R;
    const simd_double *W = C + p * p + left + j, *L = C + p * p + p * r + (left + i) * p;
    for (int k = 0; k < p; k++)
        for (int c = 0; c < width; c++)
            sum[c] = minus_times(sum[c], L[k], W[k * r + c]);
}

/* Sums of products L W of all steps of a batch for row i and columns j to j + width - 1 of its update. */
INLINE void sum_products(const int P, const int R, const simd_double *C, int i, int j, const int width,
                         simd_double *sum)
{
    int left = P;
    for (int c = 0; c < width; c++)
        sum[c] = zero();
    for (; left > PHX_FRONT_STEP; C += phx_front_step_size(PHX_FRONT_STEP, left + R)) {
        left -= PHX_FRONT_STEP;
        subtract_products(PHX_FRONT_STEP, left, R, C, i, j, width, sum);
    }
    if (left == 3)
        subtract_products(3, 0, R, C, i, j, width, sum);
    else if (left == 2)
        subtract_products(2, 0, R, C, i, j, width, sum);
    else
        subtract_products(1, 0, R, C, i, j, width, sum);
}

/* Four columns at a time; where R is no multiple of four the last ones overlap. */
INLINE void update_batch(const int P, const int R, const simd_double *C, double *const *to)
{
    simd_double sum[4];
    for (int i = 0; i < R; i++) {
        for (int j = 0; j < R && R >= 4; j += 4) {
            const int first = phx_int_min(j, R - 4);
            sum_products(P, R, C, i, first, 4, sum);
            store_rows(sum, to, i * R + first);
        }
        for (int j = 0; j < R && R < 4; j++) {
            sum_products(P, R, C, i, j, 1, sum);
            for (int l = 0; l < PHX_FRONT_SIMD_WIDTH; l++)
                to[l][i * R + j] = sum[0][l];
        }
    }
}

/* Factors a batch of leaves with P pivots and R further rows: assembles, eliminates and leaves the updates on the
 * stack. */
INLINE void factor_batch(const phx_front_tree *tree, const phx_front_batch *batch, const int P, const int R,
                         const double *val, double *factors, double *stack, double *work)
{
    const int m = P + R, *rows = tree->batch_rows + batch->rows;
    double *update[PHX_FRONT_SIMD_WIDTH];
    simd_double *F = (simd_double *)work, *C = (simd_double *)(factors + batch->factor), over[PHX_FRONT_MOST];

    assemble_batch(tree, batch, P, R, val, F);
    for (int done = 0; done < P;) {
        const int left = P - done, p = phx_front_step(left), rest = left - p;
        simd_double *here = F + done * (m + 1);
        if (p == 3)
            eliminate_panel(3, rest, R, m, here, over + done, C);
        else if (p == 2)
            eliminate_panel(2, 0, R, m, here, over + done, C);
        else
            eliminate_panel(1, 0, R, m, here, over + done, C);
        C += phx_front_step_size(p, rest + R);
        done += p;
    }
    for (int k = 0; k < P; k++)
        scatter(over[k], factors, rows + PHX_FRONT_SIMD_WIDTH * k);
    for (int l = 0; l < PHX_FRONT_SIMD_WIDTH; l++)
        update[l] = stack + tree->front[batch->front[l]].update;
    update_batch(P, R, (const simd_double *)(factors + batch->factor), update);
}

/* ---- solution ---- */
/* Y: the pivots, then what the step subtracts from the remaining ones. */
INLINE void step_down(const int p, const int r, const simd_double *C, simd_double *Y)
{
    const simd_double *L = C + p * p + p * r;
    simd_double z[3];
    solve_block(p, C, Y, 1, z, 1);
    for (int k = 0; k < p; k++)
        Y[k] = z[k];
    for (int i = 0; i < r; i++) {
        simd_double sum = Y[p + i];
        for (int k = 0; k < p; k++)
            sum = minus_times(sum, L[i * p + k], z[k]);
        Y[p + i] = sum;
    }
}

INLINE void step_up(const int p, const int r, const simd_double *C, simd_double *Y)
{
    const simd_double *W = C + p * p;
    for (int k = 0; k < p; k++) {
        simd_double sum = Y[k];
        for (int j = 0; j < r; j++)
            sum = minus_times(sum, W[k * r + j], Y[p + j]);
        Y[k] = sum;
    }
}

/* Forward substitution of a batch; contributions to rows outside the pivots are added lane by lane. */
INLINE void down_batch(const phx_front_tree *tree, const phx_front_batch *batch, const int P, const int R,
                       const double *factors, double *y)
{
    const int *rows = tree->batch_rows + batch->rows;
    const simd_double *C = (const simd_double *)(factors + batch->factor);
    simd_double Y[PHX_FRONT_MOST];

    for (int k = 0; k < P; k++)
        Y[k] = front_simd_gather(y, rows + PHX_FRONT_SIMD_WIDTH * k);
    for (int k = P; k < P + R; k++)
        Y[k] = zero();
    for (int done = 0; done < P;) {
        const int left = P - done, p = phx_front_step(left), r = left - p + R;
        if (p == 3)
            step_down(3, r, C, Y + done);
        else if (p == 2)
            step_down(2, R, C, Y + done);
        else
            step_down(1, R, C, Y + done);
        C += phx_front_step_size(p, r);
        done += p;
    }
    for (int k = 0; k < P; k++)
        scatter(Y[k], y, rows + PHX_FRONT_SIMD_WIDTH * k);
    for (int k = P; k < P + R; k++)
        for (int l = 0; l < batch->count; l++)
            y[rows[PHX_FRONT_SIMD_WIDTH * k + l]] += Y[k][l];
}

/* Backward substitution of a batch for its pivots. */
INLINE void up_batch(const phx_front_tree *tree, const phx_front_batch *batch, const int P, const int R,
                     const double *factors, double *y)
{
    const int *rows = tree->batch_rows + batch->rows;
    const simd_double *C = (const simd_double *)(factors + batch->factor) + phx_front_factor_size(P, R);
    simd_double Y[PHX_FRONT_MOST];

    for (int k = 0; k < P + R; k++)
        Y[k] = front_simd_gather(y, rows + PHX_FRONT_SIMD_WIDTH * k);
    for (int done = 0; done < P;) {
        const int p = phx_front_last_step(P - done), r = done + R;
        C -= phx_front_step_size(p, r);
        done += p;
        if (p == 3)
            step_up(3, r, C, Y + P - done);
        else if (p == 2)
            step_up(2, R, C, Y + P - done);
        else
            step_up(1, R, C, Y + P - done);
    }
    for (int k = 0; k < P; k++)
        scatter(Y[k], y, rows + PHX_FRONT_SIMD_WIDTH * k);
}

/* ---- the same with constant sizes ---- */
#define EACH_SIZE(WORK, ...)                                                                                           \
    if (batch->pivots == 3 && batch->rest == 4)                                                                        \
        WORK(tree, batch, 3, 4, __VA_ARGS__);                                                                          \
    else if (batch->pivots == 6 && batch->rest == 4)                                                                   \
        WORK(tree, batch, 6, 4, __VA_ARGS__);                                                                          \
    else if (batch->pivots == 6 && batch->rest == 6)                                                                   \
        WORK(tree, batch, 6, 6, __VA_ARGS__);                                                                          \
    else if (batch->pivots == 6 && batch->rest == 10)                                                                  \
        WORK(tree, batch, 6, 10, __VA_ARGS__);                                                                         \
    else                                                                                                               \
        WORK(tree, batch, batch->pivots, batch->rest, __VA_ARGS__)

void NAME(factor)(const phx_front_tree *tree, const phx_front_batch *batch, const double *val, double *factors,
                  double *stack, double *work)
{
    EACH_SIZE(factor_batch, val, factors, stack, work);
}

void NAME(down)(const phx_front_tree *tree, const phx_front_batch *batch, const double *factors, double *y)
{
    EACH_SIZE(down_batch, factors, y);
}

void NAME(up)(const phx_front_tree *tree, const phx_front_batch *batch, const double *factors, double *y)
{
    EACH_SIZE(up_batch, factors, y);
}
