/* Elimination of the internal deformations of bodies with an arrow block (arrow_kernel.h): see condense.c. The columns
 * of X that belong to translations follow from constants, Z = S_ii^-1 S_i^T; those of turns are Y = S_ii^-1 columns,
 * and
 *
 *     X = [ Z Gv , Y + Z Gw ] ,   S_i X = [ (S_i Z) Gv , S_i Y + (S_i Z) Gw ] . */
#ifndef PHX_CONDENSE_KERNEL_H
#define PHX_CONDENSE_KERNEL_H

#include "body/floating/arrow_kernel.h"
#include "condenser.h"

/* Sums over the internal coordinates. */
typedef struct NAME(internal_sums) {
    real SY[9], rows_Z[9], rows_Y[9]; /* dim x n_rot, n_rot x dim, n_rot square */
} NAME(internal_sums);

/* Products of the internal part that a body's condensed rigid block needs: S_i Y, rows Z and rows Y, n_rot columns
 * each, for all lanes. */
static inline void NAME(sum_internal)(const int dim, const phx_condenser *condenser, const NAME(arrow) * arrow,
                                      const real *Y, NAME(internal_sums) * out)
{
    const int n_rot = phx_rotations(dim);
    real rows_Y[9] = ZEROS;

    for (int a = 0; a < dim; a++) {
        real SY[3] = ZEROS, rows_Z[3] = ZEROS;
        for (int e = condenser->S_axis.ptr[a]; e < condenser->S_axis.ptr[a + 1]; e++)
            for (int k = 0; k < n_rot; k++)
                SY[k] += condenser->S_axis.val[e] * Y[condenser->S_axis.at[e] * n_rot + k];
        for (int e = condenser->Z_axis.ptr[a]; e < condenser->Z_axis.ptr[a + 1]; e++)
            for (int k = 0; k < n_rot; k++)
                rows_Z[k] += arrow->rows[condenser->Z_axis.at[e] * n_rot + k] * condenser->Z_axis.val[e];
        for (int k = 0; k < n_rot; k++) {
            out->SY[a * n_rot + k] = SY[k];
            out->rows_Z[k * dim + a] = rows_Z[k];
        }
    }
    for (int p = 0; p < condenser->n_internal; p++) {
        const real *row = arrow->rows + condenser->internal[p] * n_rot, *y = Y + p * n_rot;
        for (int k = 0; k < n_rot; k++)
            for (int l = 0; l < n_rot; l++)
                rows_Y[k * n_rot + l] += row[k] * y[l];
    }
    for (int k = 0; k < n_rot * n_rot; k++)
        out->rows_Y[k] = rows_Y[k];
}

/* Block of the rigid velocities: rigid - [H 0; E 1] [S_i; rows] X. */
static inline void NAME(reduce_rigid)(const int dim, const phx_condenser *condenser, const NAME(arrow) * arrow,
                                      const NAME(internal_sums) * sum, int stride, real *out)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot;
    real SX[18] = ZEROS, rows_X[18] = ZEROS;

    for (int c = 0; c < r; c++) {
        const real *G = c < dim ? arrow->Gv + c : arrow->Gw + c - dim;
        const int step = c < dim ? dim : n_rot;
        for (int b = 0; b < dim; b++) {
            for (int a = 0; a < dim; a++)
                SX[a * r + c] += condenser->sums_pull[a * dim + b] * G[b * step];
            for (int k = 0; k < n_rot; k++)
                rows_X[k * r + c] += sum->rows_Z[k * dim + b] * G[b * step];
        }
        for (int a = 0; a < dim && c >= dim; a++)
            SX[a * r + c] += sum->SY[a * n_rot + c - dim];
        for (int k = 0; k < n_rot && c >= dim; k++)
            rows_X[k * r + c] += sum->rows_Y[k * n_rot + c - dim];
    }
    for (int c = 0; c < r; c++) {
        for (int a = 0; a < dim; a++) {
            real entry = arrow->rigid[a * r + c];
            for (int b = 0; b < dim; b++)
                entry -= arrow->H[a * dim + b] * SX[b * r + c];
            out[a * stride + c] = entry;
        }
        for (int k = 0; k < n_rot; k++) {
            real entry = arrow->rigid[(dim + k) * r + c] - rows_X[k * r + c];
            for (int b = 0; b < dim; b++)
                entry -= arrow->E[k * dim + b] * SX[b * r + c];
            out[(dim + k) * stride + c] = entry;
        }
    }
}

/* Blocks of the rigid velocities with the boundary coordinates. */
static inline void NAME(reduce_boundary)(const int dim, const phx_condenser *condenser, const NAME(arrow) * arrow,
                                         const real *Y, int stride, real *out)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot, m = condenser->n_boundary;

    for (int d = 0; d < m; d++) {
        real row[3], column[3];
        for (int k = 0; k < n_rot; k++) {
            row[k] = arrow->rows[condenser->boundary[d] * n_rot + k];
            column[k] = arrow->columns[condenser->boundary[d] * n_rot + k];
        }
        for (int e = condenser->T_boundary.ptr[d]; e < condenser->T_boundary.ptr[d + 1]; e++)
            for (int k = 0; k < n_rot; k++)
                row[k] -= arrow->rows[condenser->T_boundary.at[e] * n_rot + k] * condenser->T_boundary.val[e];
        for (int e = condenser->S_boundary.ptr[d]; e < condenser->S_boundary.ptr[d + 1]; e++)
            for (int k = 0; k < n_rot; k++)
                column[k] -= condenser->S_boundary.val[e] * Y[condenser->S_boundary.at[e] * n_rot + k];
        for (int a = 0; a < dim; a++) {
            real above = {0.0}, left = {0.0};
            for (int b = 0; b < dim; b++) {
                above += arrow->H[a * dim + b] * condenser->sums_boundary[b * m + d];
                left += condenser->sums_boundary[b * m + d] * arrow->Gv[b * dim + a];
            }
            out[a * stride + r + d] = above;
            out[(r + d) * stride + a] = left;
        }
        for (int k = 0; k < n_rot; k++) {
            for (int b = 0; b < dim; b++) {
                row[k] += arrow->E[k * dim + b] * condenser->sums_boundary[b * m + d];
                column[k] += condenser->sums_boundary[b * m + d] * arrow->Gw[b * n_rot + k];
            }
            out[(dim + k) * stride + r + d] = row[k];
            out[(r + d) * stride + dim + k] = column[k];
        }
        for (int c = 0; c < m; c++)
            out[(r + d) * stride + r + c] = (real){0.0} + condenser->corner[d * m + c];
    }
}

/* Y (n_internal x n_rot) and the condensed matrix. */
static inline void NAME(reduce)(const int dim, const phx_condenser *condenser, real *values, real *Y, real *out)
{
    const int n_rot = phx_rotations(dim), stride = dim + n_rot + condenser->n_boundary;
    const NAME(arrow) arrow = NAME(arrow_at)(dim, condenser->body->base.n_q, values);
    NAME(internal_sums) sum;

    for (int p = 0; p < condenser->n_internal; p++)
        for (int k = 0; k < n_rot; k++)
            Y[p * n_rot + k] = arrow.columns[condenser->internal[p] * n_rot + k];
    phx_ldl_solve(condenser->ldl, n_rot * SIMD_WIDTH, (double *)Y);
    NAME(sum_internal)(dim, condenser, &arrow, Y, &sum);
    NAME(reduce_rigid)(dim, condenser, &arrow, &sum, stride, out);
    NAME(reduce_boundary)(dim, condenser, &arrow, Y, stride, out);
}

/* z = S_ii^-1 b_i in place, and its contributions to the right-hand sides of the rigid (r) and the boundary rows. */
static inline void NAME(begin_solve)(const int dim, const phx_condenser *condenser, real *values, real *z, real *rigid,
                                     real *boundary)
{
    const int n_rot = phx_rotations(dim);
    const NAME(arrow) arrow = NAME(arrow_at)(dim, condenser->body->base.n_q, values);
    real S[3] = ZEROS, sum[3] = ZEROS;

    phx_ldl_solve(condenser->ldl, SIMD_WIDTH, (double *)z);
    for (int p = 0; p < condenser->n_internal; p++)
        for (int k = 0; k < n_rot; k++)
            sum[k] += arrow.rows[condenser->internal[p] * n_rot + k] * z[p];
    for (int a = 0; a < dim; a++)
        for (int e = condenser->S_axis.ptr[a]; e < condenser->S_axis.ptr[a + 1]; e++)
            S[a] += condenser->S_axis.val[e] * z[condenser->S_axis.at[e]];
    for (int d = 0; d < condenser->n_boundary; d++) {
        real taken = {0.0};
        for (int e = condenser->S_boundary.ptr[d]; e < condenser->S_boundary.ptr[d + 1]; e++)
            taken += condenser->S_boundary.val[e] * z[condenser->S_boundary.at[e]];
        boundary[d] -= taken;
    }
    for (int a = 0; a < dim; a++)
        for (int b = 0; b < dim; b++)
            rigid[a] -= arrow.H[a * dim + b] * S[b];
    for (int k = 0; k < n_rot; k++) {
        rigid[dim + k] -= sum[k];
        for (int b = 0; b < dim; b++)
            rigid[dim + k] -= arrow.E[k * dim + b] * S[b];
    }
}

/* z -= X x_r + T x_d; behind x_d there is room for dim numbers. */
static inline void NAME(end_solve)(const int dim, const phx_condenser *condenser, real *values, const real *Y,
                                   const real *rigid, real *boundary, real *z)
{
    const int n_rot = phx_rotations(dim);
    const NAME(arrow) arrow = NAME(arrow_at)(dim, condenser->body->base.n_q, values);
    const real *w = rigid + dim;
    real *pull = boundary + condenser->n_boundary;

    for (int b = 0; b < dim; b++) {
        pull[b] = (real){0.0};
        for (int a = 0; a < dim; a++)
            pull[b] += arrow.Gv[b * dim + a] * rigid[a];
        for (int k = 0; k < n_rot; k++)
            pull[b] += arrow.Gw[b * n_rot + k] * w[k];
    }
    for (int p = 0; p < condenser->n_internal; p++) {
        real sum = z[p];
        for (int k = 0; k < n_rot; k++)
            sum -= Y[p * n_rot + k] * w[k];
        for (int e = condenser->spread.ptr[p]; e < condenser->spread.ptr[p + 1]; e++)
            sum -= condenser->spread.val[e] * boundary[condenser->spread.at[e]];
        z[p] = sum;
    }
}

#endif
