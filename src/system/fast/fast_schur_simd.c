/* The operations of fast_schur.c, four numbers side by side. */
#include "algebra/simd_kernel.h"
#include "fast_schur.h"

#include <math.h>

enum { TOGETHER = 4 }; /* registers whose sums are made at once */
static const double VANISHES = 1e-10;

/* Inverts a dense matrix in place by Gauss-Jordan elimination without pivoting; false if a pivot is not above VANISHES
 * of its row. */
static bool schur_simd_invert(int n, int stride, double *matrix)
{
    for (int p = 0; p < n; p++) {
        double *pivot_row = matrix + p * stride;
        double largest = 0.0;
        for (int j = 0; j < n; j++)
            largest = largest > fabs(pivot_row[j]) ? largest : fabs(pivot_row[j]);
        if (!(fabs(pivot_row[p]) > VANISHES * largest))
            return false;
        const double over = 1.0 / pivot_row[p];
        pivot_row[p] = 1.0;
        for (int j = 0; j < n; j++)
            pivot_row[j] *= over;
        for (int i = 0; i < n; i++) {
            double *row = matrix + i * stride;
            const double factor = row[p];
            if (i == p)
                continue;
            row[p] = 0.0;
            for (int j = 0; j < stride; j += 4)
                *(simd_double *)(row + j) -= factor * *(const simd_double *)(pivot_row + j);
        }
    }
    return true;
}

/* y = sum over i of x_i times row i of `rows`, `count` registers from each; x and rows `step` and `stride` apart. */
static inline void sum_rows(const int count, int n, const double *x, int step, const double *rows, int stride,
                            simd_double *y)
{
    simd_double sum[TOGETHER] = {{0.0}};
    int i = 0;

    for (; i + 1 < n; i += 2, x += 2 * step, rows += 2 * stride)
        for (int c = 0; c < count; c++) {
            sum[c] += x[0] * ((const simd_double *)rows)[c];
            sum[c] += x[step] * ((const simd_double *)(rows + stride))[c];
        }
    for (int c = 0; c < count && i < n; c++)
        sum[c] += x[0] * ((const simd_double *)rows)[c];
    for (int c = 0; c < count; c++)
        y[c] = sum[c];
}

/* y = sum_i x_i rows_i, four numbers side by side; the stride of x is `step`. */
static inline void combine_rows(int width, int n, const double *x, int step, const double *rows, int stride, double *y)
{
    for (int first = 0; first < width; first += 4 * TOGETHER) {
        simd_double *to = (simd_double *)(y + first);
        switch ((width - first) / 4) {
        case 1:
            sum_rows(1, n, x, step, rows + first, stride, to);
            break;
        case 2:
            sum_rows(2, n, x, step, rows + first, stride, to);
            break;
        case 3:
            sum_rows(3, n, x, step, rows + first, stride, to);
            break;
        default:
            sum_rows(TOGETHER, n, x, step, rows + first, stride, to);
        }
    }
}

static void schur_simd_eliminate(const schur_cluster *of, int stride, double *S)
{
    double sum[PHX_SCHUR_MOST];

    for (int j = 0; j < of->n; j++)
        combine_rows(of->wide, of->n, of->inverse + j, of->filled, of->given, of->wide, of->T + j * of->wide);
    for (int k = 0; k < of->rows; k++) {
        combine_rows(of->wide, of->n, of->G_T + k, of->wide, of->T, of->wide, sum);
        for (int l = 0; l < of->rows; l++)
            S[of->row[l] * stride + of->row[k]] += sum[l];
    }
}

/* S becomes U; what stands left of its diagonal, up to the next four columns, counts for nothing afterwards. */
static bool schur_simd_factor(int n, int stride, double *S, double *L)
{
    for (int p = 0; p < n; p++) {
        const double *pivot_row = S + p * stride;
        const int first = (p + 1) / 4, end = stride / 4;
        double largest = 0.0;
        for (int j = p; j < n; j++)
            largest = largest > fabs(pivot_row[j]) ? largest : fabs(pivot_row[j]);
        if (!(fabs(pivot_row[p]) > VANISHES * largest))
            return false;
        const double over = 1.0 / pivot_row[p];
        for (int i = p + 1; i < n; i++) {
            const simd_double *from = (const simd_double *)pivot_row;
            simd_double *to = (simd_double *)(S + i * stride);
            const double l = S[i * stride + p] * over;
            L[i * stride + p] = l;
            for (int c = first; c < end; c++)
                to[c] -= l * from[c];
        }
    }
    return true;
}

static void schur_simd_begin(const schur_cluster *of, const double *b, double *y, double *c)
{
    double x[PHX_SCHUR_MOST], sum[PHX_SCHUR_MOST];

    for (int j = 0; j < of->n; j++)
        x[j] = b[of->velocity[j]];
    combine_rows(of->filled, of->n, x, 1, of->inverse, of->filled, y);
    combine_rows(of->wide, of->n, y, 1, of->G_T, of->wide, sum);
    for (int k = 0; k < of->rows; k++)
        c[of->row[k]] -= sum[k];
}

/* Of the transposed S = L U: U^T y = l, L^T x = y, a column of both at a time. */
static void schur_simd_solve(int n, int stride, const double *U, const double *L, double *l)
{
    double x[PHX_SCHUR_MOST] = {0.0}, y[PHX_SCHUR_MOST] = {0.0};

    for (int i = 0; i < n; i++)
        x[i] = l[i];
    for (int i = 0; i < n; i++) {
        y[i] = x[i] / U[i * stride + i];
        for (int j = (i + 1) / 4 * 4; j < stride; j += 4)
            *(simd_double *)(x + j) -= *(const simd_double *)(U + i * stride + j) * y[i];
    }
    for (int i = n; i-- > 1;)
        for (int j = 0; j < i; j += 4)
            *(simd_double *)(y + j) -= *(const simd_double *)(L + i * stride + j) * y[i];
    for (int i = 0; i < n; i++)
        l[i] = y[i];
}

/* Completes the solution of one cluster: b = y + T l, l the multipliers of its rows. */
static void schur_simd_end(const schur_cluster *of, const double *l, const double *y, double *b)
{
    simd_double own[PHX_SCHUR_MOST / 4] = {{0.0}};
    const simd_double *T = (const simd_double *)of->T;
    const int count = of->wide / 4;

    for (int k = 0; k < of->rows; k++)
        ((double *)own)[k] = l[of->row[k]];
    for (int j = 0; j < of->n; j++, T += count) {
        simd_double sum = {0.0};
        for (int c = 0; c < count; c++)
            sum += T[c] * own[c];
        b[of->velocity[j]] = y[j] + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
}

#ifdef PHX_FOR_AVX2
const schur_operations phx_schur_simd_avx2 = {schur_simd_invert, schur_simd_eliminate, schur_simd_factor,
                                              schur_simd_begin,  schur_simd_solve,     schur_simd_end};
#else
const schur_operations phx_schur_simd = {schur_simd_invert, schur_simd_eliminate, schur_simd_factor,
                                         schur_simd_begin,  schur_simd_solve,     schur_simd_end};
#endif
