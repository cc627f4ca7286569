/* Four elements of a rod side by side; compiled for any processor, and again for those with registers of four numbers.
 * The same of one element after the other is in body/rod/elements.c. */
#include "algebra/simd_kernel.h"
#include "rods.h"

#define real       simd_double
#define SIMD_WIDTH PHX_ROD_SIMD_WIDTH
#define NAME(x)    simd_##x
#include "body/rod/element_kernel.h"

/* The first element of a group; that of a lane. */
static inline int element_of(const phx_rod_batch *batch, int group, int lane)
{
    const int e = group * SIMD_WIDTH + lane;
    return e < batch->n ? e : batch->n - 1;
}

/* Four numbers of each lane, one behind the other, side by side. */
static inline void fetch_four(const double *const *from, int first, real *to)
{
    for (int l = 0; l < SIMD_WIDTH; l++)
        to[l] = *(const real *)(from[l] + first);
    transpose(to, to);
}

static inline void frame(const int dim, const real *x, real *D)
{
    if (dim == 2) {
        D[0] = D[3] = x[2];
        D[1] = -x[3];
        D[2] = x[3];
        return;
    }
    for (int i = 0; i < 9; i++)
        D[i] = x[3 + i];
}

/* Axes and distance of the nodes in the state x. */
static inline void fetch_pose(const int dim, const phx_rod_batch *batch, int group, const double *x,
                              simd_rod_pose *pose)
{
    const int used = dim == 2 ? 4 : 12; /* the unwrapped angle is not looked at */
    const double *at_a[SIMD_WIDTH], *at_b[SIMD_WIDTH];
    real a[12], b[12];

    for (int l = 0; l < SIMD_WIDTH; l++) {
        at_a[l] = x + batch->x + element_of(batch, group, l) * batch->n_x;
        at_b[l] = at_a[l] + batch->n_x;
    }
    for (int k = 0; k < used; k += 4) {
        fetch_four(at_a, k, a + k);
        fetch_four(at_b, k, b + k);
    }
    frame(dim, a, pose->Da);
    frame(dim, b, pose->Db);
    for (int i = 0; i < dim; i++)
        pose->d[i] = b[i] - a[i];
}

static inline void begin_in(const int dim, phx_rod_batch *batch, const double *x0)
{
    real *b0 = (real *)batch->start;

    for (int g = 0; g < batch->groups; g++, b0 += ROD_BILINEAR) {
        simd_rod_pose pose;
        fetch_pose(dim, batch, g, x0, &pose);
        simd_rod_bilinear(dim, &pose, b0);
    }
}

static void rod_simd_begin(phx_rod_batch *batch, const double *x0)
{
    if (batch->dim == 2)
        begin_in(2, batch, x0);
    else
        begin_in(3, batch, x0);
}

/* A group of elements over the interval. */
static inline void rod_simd_evaluate(const int dim, const phx_rod_batch *batch, int group, const double *x1,
                                     const double *xm, bool second, simd_element_state *at)
{
    const simd_rod_element *element = (const simd_rod_element *)batch->elements + group;
    const real *b0 = (const real *)batch->start + group * ROD_BILINEAR;

    fetch_pose(dim, batch, group, x1, &at->end);
    fetch_pose(dim, batch, group, xm, &at->mean);
    for (int i = 0; i < simd_rod_bilinears(dim); i++)
        at->span.b0[i] = b0[i];
    simd_element_evaluate(dim, batch->table, element, second, at);
    simd_element_damp(dim, element, batch->damping, batch->h, second, at);
}

/* Adds the elastic forces of a rod's elements over the interval to res, SIMD_WIDTH elements at a time; the last group
 * may be partly filled. */
static inline void residual_in(const int dim, const phx_rod_batch *batch, const double *x1, const double *xm,
                               double *res)
{
    const int n = 2 * (dim + phx_rotations(dim));

    for (int g = 0; g < batch->groups; g++) {
        simd_element_state at;
        real moves[ROD_MOVES], out[ROD_PAIR];
        const double *numbers = (const double *)out;
        rod_simd_evaluate(dim, batch, g, x1, xm, false, &at);
        simd_element_pull(dim, &at, at.sigma, moves);
        simd_element_efforts(dim, &at.mean, moves, out);
        double *to = res + batch->v + g * SIMD_WIDTH * batch->n_v;
        for (int l = 0; l < SIMD_WIDTH && g * SIMD_WIDTH + l < batch->n; l++, to += batch->n_v)
            for (int i = 0; i < n; i++)
                to[i] += numbers[i * SIMD_WIDTH + l];
    }
}

static void rod_simd_residual(const phx_rod_batch *batch, const double *x1, const double *xm, double *res)
{
    if (batch->dim == 2)
        residual_in(2, batch, x1, xm, res);
    else
        residual_in(3, batch, x1, xm, res);
}

/* Velocities of the nodes. */
static inline void fetch_velocities(const int dim, const phx_rod_batch *batch, int group, const double *v, real *a,
                                    real *b)
{
    const int r = dim + phx_rotations(dim);
    double *on_a = (double *)a, *on_b = (double *)b;

    for (int l = 0; l < SIMD_WIDTH; l++) {
        const double *from = v + batch->v + element_of(batch, group, l) * batch->n_v;
        for (int i = 0; i < r; i++) {
            on_a[i * SIMD_WIDTH + l] = from[i];
            on_b[i * SIMD_WIDTH + l] = from[r + i];
        }
    }
}

/* Blocks of two nodes, A, into the rows of the matrix, where their entries stand side by side. */
static inline void add_blocks(const int dim, const phx_rod_batch *batch, int group, const real *A, const int *at,
                              double *val)
{
    const int r = dim + phx_rotations(dim), n = 2 * r;

    for (int i = 0; i < n; i++) {
        double *row[SIMD_WIDTH];
        int count = 0;
        for (; count < SIMD_WIDTH && group * SIMD_WIDTH + count < batch->n; count++) {
            const int e = group * SIMD_WIDTH + count, own = e + i / r;
            row[count] = val + at[batch->ptr[r * e + i] + (own > e || e == 0 ? 0 : r)];
        }
        for (int j = 0; j + 4 <= n; j += 4) {
            real part[4];
            transpose(A + n * i + j, part);
            for (int l = 0; l < count; l++)
                *(real *)(row[l] + j) += part[l];
        }
        for (int j = n / 4 * 4; j < n; j++)
            for (int l = 0; l < count; l++)
                row[l][j] += A[n * i + j][l];
    }
}

static inline void tangent_in(const int dim, const phx_rod_batch *batch, const double *x1, const double *xm,
                              const double *vm, const int *at, double *val)
{
    for (int g = 0; g < batch->groups; g++) {
        const simd_rod_element *element = (const simd_rod_element *)batch->elements + g;
        simd_element_state state;
        real va[6], vb[6], A[ROD_PAIR * ROD_PAIR];
        rod_simd_evaluate(dim, batch, g, x1, xm, true, &state);
        fetch_velocities(dim, batch, g, vm, va, vb);
        simd_element_interval_tangent(dim, batch->h, element, &state, va, vb, A);
        add_blocks(dim, batch, g, A, at, val);
    }
}

static void rod_simd_tangent(const phx_rod_batch *batch, const double *x1, const double *xm, const double *vm,
                             const int *at, double *val)
{
    if (batch->dim == 2)
        tangent_in(2, batch, x1, xm, vm, at, val);
    else
        tangent_in(3, batch, x1, xm, vm, at, val);
}

#ifdef PHX_FOR_AVX2
const rod_operations phx_rod_simd_avx2 = {rod_simd_begin, rod_simd_residual, rod_simd_tangent};
#else
const rod_operations phx_rod_simd = {rod_simd_begin, rod_simd_residual, rod_simd_tangent};
#endif
