/* Rows G on the velocities of a body that has no other unknowns, with M = L D L^T and what is eliminated inside left
 * out, which no row sees:
 *
 *     Y = L^-1 G^T ,  Z = D^-1 Y ,   G M^-1 G^T = Z^T Y ,   M^-1 G^T mu = L^-T (Z mu) .
 *
 * See interval_kernel.h for `real` and NAME. */
#ifndef PHX_ROWS_KERNEL_H
#define PHX_ROWS_KERNEL_H

#include "port/place_kernel.h"
#include "body/floating/energy_kernel.h"
#include "batch_rows.h"

/* ---- the mass of bodies that bend ---- */
/* s and J at q, rows_i = C - A q (n_q x n_rot, without the rows of S), and the kinetic energy with v; room: n_rot n_q.
 */
static inline void NAME(mass_parts)(const int dim, const phx_floating *body, const NAME(inertia) * own, const real *q,
                                    const real *v, real *room, real *rows, real *s, real *pair, real *energy)
{
    const phx_flex *flex = body->flex;
    const int n = body->base.n_q, n_rot = phx_rotations(dim), r = dim + n_rot, n_pair = phx_pairs(dim);
    const real *rate = v + r;
    real sums[6] = ZEROS, moments[6] = ZEROS, slope[PHX_MAX_PAIR] = ZEROS, form[PHX_MAX_PAIR], turn[3] = ZEROS;
    real p[6], twice, sum = {0.0};

    NAME(multiply)(&body->compact->moments, q, sums);
    NAME(multiply)(&body->compact->moments, rate, moments);
    NAME(forms)(&body->compact->pairs, n_pair, n, q, q, form);
    NAME(multiply)(&body->compact->gyro, q, room);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n_rot; k++) {
            rows[i * n_rot + k] = flex->C[k * n + i] - room[k * n + i];
            turn[k] += rows[i * n_rot + k] * rate[i];
        }
        for (int e = 0; e < n_pair; e++)
            slope[e] += flex->j[e * n + i] * q[i];
    }
    for (int a = 0; a < dim; a++)
        s[a] = own->s0[a] + sums[a];
    for (int e = 0; e < n_pair; e++)
        pair[e] = own->J0[e] + slope[e] + 0.5 * form[e];
    NAME(rigid_momenta)(dim, own, s, pair, moments, turn, v, p);
    NAME(forms)(&body->compact->mass, 1, n, rate, rate, &twice);
    for (int i = 0; i < r; i++)
        sum += v[i] * (p[i] + (i < dim ? moments[i] : turn[i - dim]));
    *energy = 0.5 * (sum + twice);
}

/* M_rr of the rigid velocities, its lower triangle, rows `stride` apart. */
static inline void NAME(rigid_block)(const int dim, const NAME(inertia) * own, const real *s, const real *pair,
                                     int stride, real *out)
{
    const int r = dim + phx_rotations(dim);

    for (int c = 0; c < r; c++) {
        real unit[6] = ZEROS, column[6];
        unit[c] += 1.0;
        NAME(rigid_momenta)(dim, own, s, pair, NULL, NULL, unit, column);
        for (int a = c; a < r; a++)
            out[a * stride + c] = column[a];
    }
}

/* M(q) condensed with the condenser of M_qq, its lower triangle, rows `stride` apart: arrow_kernel.h with H = Gv = 1,
 * E = Gw = 0. Y = M_ii^-1 rows_i. */
static inline void NAME(reduce_mass)(const int dim, const phx_condenser *condenser, const NAME(inertia) * own,
                                     const real *s, const real *pair, const real *rows, int stride, real *Y, real *out)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot, m = condenser->n_boundary;
    real SY[9] = ZEROS, rows_Y[9] = ZEROS;

    for (int p = 0; p < condenser->n_internal; p++)
        for (int k = 0; k < n_rot; k++)
            Y[p * n_rot + k] = rows[condenser->internal[p] * n_rot + k];
    phx_ldl_solve(condenser->ldl, n_rot * SIMD_WIDTH, (double *)Y);
    NAME(rigid_block)(dim, own, s, pair, stride, out);
    for (int d = 0; d < m; d++) {
        real *row = out + (r + d) * stride;
        for (int a = 0; a < dim; a++)
            row[a] = (real){0.0} + condenser->sums_boundary[a * m + d];
        for (int k = 0; k < n_rot; k++)
            row[dim + k] = rows[condenser->boundary[d] * n_rot + k];
        for (int c = 0; c <= d; c++)
            row[r + c] = (real){0.0} + condenser->corner[d * m + c];
    }
    for (int p = 0; p < condenser->n_internal; p++) {
        const double *S = condenser->sums + p * dim;
        const real *row = rows + condenser->internal[p] * n_rot, *y = Y + p * n_rot;
        for (int k = 0; k < n_rot; k++) {
            for (int a = 0; a < dim; a++)
                SY[k * dim + a] += S[a] * y[k];
            for (int l = 0; l <= k; l++)
                rows_Y[k * n_rot + l] += row[k] * y[l];
        }
        for (int e = condenser->coupling.ptr[p]; e < condenser->coupling.ptr[p + 1]; e++)
            for (int k = 0; k < n_rot; k++)
                out[(r + condenser->coupling.idx[e]) * stride + dim + k] -= condenser->coupling.val[e] * y[k];
    }
    for (int a = 0; a < dim; a++)
        for (int b = 0; b <= a; b++)
            out[a * stride + b] -= condenser->sums_pull[a * dim + b];
    for (int k = 0; k < n_rot; k++) {
        for (int a = 0; a < dim; a++)
            out[(dim + k) * stride + a] -= SY[k * dim + a];
        for (int l = 0; l <= k; l++)
            out[(dim + k) * stride + dim + l] -= rows_Y[k * n_rot + l];
    }
}

/* ---- rows ---- */

/* Rows or columns that a loop takes at once: of one body four numbers, of several one of each. Strides of matrices are
 * multiples of it, and what fills them up is zero or never read. */
#if SIMD_WIDTH == 1
typedef simd_double NAME(wide);
enum { NAME(WIDTH) = 4 };
#else
typedef real NAME(wide);
enum { NAME(WIDTH) = 1 };
#endif
/* Of a row with n velocities where those of the rigid body and the coordinates begin. */
static inline int NAME(first_rigid)(const phx_body_batch_rows *rows, int r)
{
    return rows->modal ? rows->n - r : 0;
}

static inline int NAME(first_coordinate)(const phx_body_batch_rows *rows, int r)
{
    return rows->modal ? 0 : r;
}

static inline int NAME(stride)(int n)
{
    return (n + NAME(WIDTH) - 1) / NAME(WIDTH) * NAME(WIDTH);
}

/* L D L^T of a full matrix, its lower triangle: L batched without its diagonal, and 1/D. The upper triangle gets the
 * columns; until then its entries, like those left of column j, are not looked at, so that rows may be taken from
 * before j and to behind i. */
static inline void NAME(decompose)(int n, real *matrix, real *L, real *inverse)
{
    const int stride = NAME(stride)(n), width = NAME(WIDTH);

    for (int i = 0; i < n; i++)
        for (int k = n; k < stride; k++)
            matrix[i * stride + k] = (real){0.0};
    for (int j = 0; j < n; j++) {
        real *column = matrix + j * stride;
        inverse[j] = 1.0 / matrix[j * stride + j];
        for (int i = j + 1; i < n; i++)
            column[i] = matrix[i * stride + j];
        for (int i = j + 1; i < n; i++) {
            const real l = column[i] * inverse[j];
            const NAME(wide) *from = (const NAME(wide) *)column;
            NAME(wide) *to = (NAME(wide) *)(matrix + i * stride);
            for (int k = (j + 1) / width; k <= i / width; k++)
                to[k] -= l * from[k];
            L[i * (i - 1) / 2 + j] = l;
        }
    }
}

static inline void NAME(rotation)(const int dim, const real *attitude, real *R)
{
    if (dim == 2) {
        R[0] = R[3] = attitude[0];
        R[1] = -attitude[1];
        R[2] = attitude[1];
        return;
    }
    for (int i = 0; i < 9; i++)
        R[i] = attitude[i];
}

/* Rows of the place of a port, dim x n, at the boundary coordinates. */
static inline void NAME(place_rows)(const int dim, const int n, const port_rows *port, const real *R,
                                    const real *boundary, real *place)
{
    const int n_boundary = n - dim - phx_rotations(dim);
    const real *phi = (const real *)port->phi, *x = (const real *)port->x;
    real y[3];

    for (int a = 0; a < dim; a++)
        y[a] = x[a];
    NAME(add_shapes)(dim, n_boundary, phi, boundary, NULL, y);
    NAME(place_jacobian)(dim, n_boundary, phi, R, y, place);
}

/* A row with a covector: g_u^T place + (0, g_w, g_theta^T theta). */
static inline void NAME(covector_row)(const int dim, const int n, const port_rows *port, const real *place,
                                      const double *const *covector, real *row)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot;
    const real *theta = (const real *)port->theta;
    real g[9];
    double *numbers = (double *)g;

    for (int i = port->angular_only ? dim : 0; i < r + (n > r ? n_rot : 0); i++)
        for (int l = 0; l < SIMD_WIDTH; l++)
            numbers[i * SIMD_WIDTH + l] = covector[l][i];
    for (int j = 0; j < n; j++) {
        real sum = {0.0};
        for (int a = 0; a < dim && !port->angular_only; a++)
            sum += g[a] * place[a * n + j];
        row[j] = sum;
    }
    for (int k = 0; k < n_rot; k++)
        row[dim + k] += g[dim + k];
    for (int j = 0; j < n - r; j++)
        for (int k = 0; k < n_rot; k++)
            row[r + j] += g[r + k] * theta[k * (n - r) + j];
}

/* A row into a column of Y. */
static inline void NAME(put_row)(const int r, const int n, int stride, const real *row, real *rigid, real *coordinates)
{
    for (int j = 0; j < r; j++)
        rigid[j * stride] = row[j];
    for (int j = r; j < n; j++)
        coordinates[(j - r) * stride] = row[j];
}

/* All rows at the attitude and the boundary coordinates into the columns of Y, n x n_rows with its stride; room:
 * (dim + 1) x n. */
static inline void NAME(all_rows)(const int dim, const int n, const phx_body_batch_rows *rows, const real *R,
                                  const real *boundary, const double *covectors, real *room, real *Y)
{
    static const double none[9] = {0.0};
    real *row = room + dim * n;
    const int stride = NAME(stride)(rows->n_rows), r = dim + phx_rotations(dim);
    const int rigid = NAME(first_rigid)(rows, r) * stride, bent = NAME(first_coordinate)(rows, r) * stride;

    for (int p = 0; p < rows->n_ports; p++) {
        const port_rows *port = &rows->ports[p];
        const real *sign = (const real *)port->sign;
        const int *at = rows->covector + port->covector * SIMD_WIDTH;
        real *y = Y + port->first;
        NAME(place_rows)(dim, n, port, R, boundary, room);
        for (int a = 0; a < port->points; a++, y++) {
            for (int j = 0; j < n; j++)
                row[j] = sign[0] * room[a * n + j];
            NAME(put_row)(r, n, stride, row, y + rigid, y + bent);
        }
        for (int k = 0; k < port->others; k++, y++, at += SIMD_WIDTH) {
            const double *covector[SIMD_WIDTH];
            for (int l = 0; l < SIMD_WIDTH; l++)
                covector[l] = at[l] < 0 ? none : covectors + at[l];
            NAME(covector_row)(dim, n, port, room, covector, row);
            NAME(put_row)(r, n, stride, row, y + rigid, y + bent);
        }
    }
    for (int j = 0; j < n; j++)
        for (int k = rows->n_rows; k < stride; k++)
            Y[j * stride + k] = (real){0.0};
}

/* `count` columns side by side, at most PHX_ROWS_TOGETHER: a constant where this is put, so that their sums stay in
 * registers. Y <- L^-1 Y, Z = D^-1 Y */
enum { PHX_ROWS_TOGETHER = 4 };
/* Solves L Y = G^T in place for `count` rows and sets Z = D^-1 Y; `below` is the strict lower triangle of L by rows,
 * `inverse` the diagonal of D^-1. */
static inline void NAME(solve_columns)(const int count, int n, int stride, const real *below, const real *inverse,
                                       NAME(wide) *restrict Y, NAME(wide) *restrict Z)
{
    for (int i = 0; i < n; below += i, i++, Z += stride) {
        NAME(wide) sum[PHX_ROWS_TOGETHER];
        for (int r = 0; r < count; r++)
            sum[r] = Y[i * stride + r];
        for (int j = 0; j < i; j++)
            for (int r = 0; r < count; r++)
                sum[r] -= below[j] * Y[j * stride + r];
        for (int r = 0; r < count; r++) {
            Y[i * stride + r] = sum[r];
            Z[r] = inverse[i] * sum[r];
        }
    }
}

/* Y <- L^-1 Y, Z = D^-1 Y, n x n_rows with their stride */
static inline void NAME(solve_rows)(const int n, const phx_body_batch_rows *rows, real *restrict Y, real *restrict Z)
{
    const real *L = (const real *)rows->L, *inverse = (const real *)rows->inverse;
    const int stride = NAME(stride)(rows->n_rows) / NAME(WIDTH);

    for (int r = 0; r < stride; r += PHX_ROWS_TOGETHER) {
        NAME(wide) *own = (NAME(wide) *)Y + r, *scaled = (NAME(wide) *)Z + r;
        switch (stride - r) {
        case 1:
            NAME(solve_columns)(1, n, stride, L, inverse, own, scaled);
            break;
        case 2:
            NAME(solve_columns)(2, n, stride, L, inverse, own, scaled);
            break;
        case 3:
            NAME(solve_columns)(3, n, stride, L, inverse, own, scaled);
            break;
        default:
            NAME(solve_columns)(PHX_ROWS_TOGETHER, n, stride, L, inverse, own, scaled);
        }
    }
}

/* S_r = sum_c z_c Y_cr of the first `last` + 1 numbers; z, Y: columns and rows `stride` apart */
static inline void NAME(multiply_columns)(const int count, int n, int stride, int last, const real *z,
                                          const NAME(wide) * Y, real *restrict S)
{
    NAME(wide) sum[PHX_ROWS_TOGETHER];

    for (int r = 0; r < count; r++)
        sum[r] = (NAME(wide)){0.0};
    for (int c = 0; c < n; c++, z += stride * NAME(WIDTH), Y += stride)
        for (int r = 0; r < count; r++)
            sum[r] += z[0] * Y[r];
    for (int k = 0; k < count * NAME(WIDTH) && k <= last; k++)
        S[k] = ((const real *)sum)[k];
}

/* S = Z^T Y, batched rows of the lower triangle. */
static inline void NAME(multiply_rows)(const int n, int n_rows, const real *Y, const real *Z, real *restrict S)
{
    const int stride = NAME(stride)(n_rows) / NAME(WIDTH);

    for (int i = 0; i < n_rows; S += ++i)
        for (int j = 0; j <= i; j += PHX_ROWS_TOGETHER * NAME(WIDTH)) {
            const NAME(wide) *from = (const NAME(wide) *)(Y + j);
            switch ((i - j) / NAME(WIDTH)) {
            case 0:
                NAME(multiply_columns)(1, n, stride, i - j, Z + i, from, S + j);
                break;
            case 1:
                NAME(multiply_columns)(2, n, stride, i - j, Z + i, from, S + j);
                break;
            case 2:
                NAME(multiply_columns)(3, n, stride, i - j, Z + i, from, S + j);
                break;
            default:
                NAME(multiply_columns)(PHX_ROWS_TOGETHER, n, stride, i - j, Z + i, from, S + j);
            }
        }
}

/* ---- rigid bodies ---- */
/* With the velocity of the centre of mass and J_c^-1 = N N^T about it, a row that is the inertial axis a of the place
 * of a port with lever d, times its sign, is sign (R_a , d x R_a), and one on rotations is (0, g_w):
 *
 *     E = sign N^T (d x R_a) = lever R_a^T ,   E = N^T g_w ,    G M^-1 G^T = E E^T + 1/m where both have the same axis,
 *     dw = N (E^T mu) ,   dv = R^T (sum of sign mu)/m - dw x c . */
static inline void NAME(plain_rows)(const int dim, const phx_body_batch_rows *rows, const real *R,
                                    const double *covectors, real *E)
{
    static const double none[3] = {0.0};
    const int n_rot = phx_rotations(dim);
    const real *N = (const real *)rows->root;

    for (int p = 0; p < rows->n_ports; p++) {
        const port_rows *port = &rows->ports[p];
        const real *lever = (const real *)port->lever;
        const int *at = rows->covector + port->covector * SIMD_WIDTH;
        for (int a = 0; a < port->points; a++, E += n_rot)
            for (int k = 0; k < n_rot; k++) {
                E[k] = lever[k * dim] * R[a * dim];
                for (int b = 1; b < dim; b++)
                    E[k] += lever[k * dim + b] * R[a * dim + b];
            }
        for (int i = 0; i < port->others; i++, E += n_rot, at += SIMD_WIDTH) {
            real g[3];
            double *numbers = (double *)g;
            for (int l = 0; l < SIMD_WIDTH; l++) {
                const double *from = at[l] < 0 ? none : covectors + at[l] + dim;
                for (int k = 0; k < n_rot; k++)
                    numbers[k * SIMD_WIDTH + l] = from[k];
            }
            for (int k = 0; k < n_rot; k++) { /* N is upper triangular */
                E[k] = N[k] * g[0];
                for (int b = 1; b <= k; b++)
                    E[k] += N[b * n_rot + k] * g[b];
            }
        }
    }
}

/* Lower triangle of S = G M^-1 G^T of a rigid body about its centre of mass: E E^T of the rotations plus the product of
 * signs over the mass for rows on the same component. */
static inline void NAME(plain_schur)(const int dim, const phx_body_batch_rows *rows, const real *E, real *S)
{
    const int n_rot = phx_rotations(dim);
    const real over_mass = ((const real *)rows->over_mass)[0];
    real *to = S;

    for (int i = 0; i < rows->n_rows; i++)
        for (int j = 0; j <= i; j++, to++) {
            *to = E[i * n_rot] * E[j * n_rot];
            for (int k = 1; k < n_rot; k++)
                *to += E[i * n_rot + k] * E[j * n_rot + k];
        }
    for (int p = 0; p < rows->n_ports; p++) {
        const real share = over_mass * ((const real *)rows->ports[p].sign)[0];
        for (int q = 0; q <= p && rows->ports[p].points > 0; q++) {
            const real both = share * ((const real *)rows->ports[q].sign)[0];
            for (int a = 0; a < dim && rows->ports[q].points > 0; a++) {
                const int i = rows->ports[p].first + a;
                S[i * (i + 1) / 2 + rows->ports[q].first + a] += both;
            }
        }
    }
}

/* x = M^-1 G^T mu of a rigid body through its centre of mass: angular velocity by the triangular root N of the inverse
 * inertia, then the velocity of the origin in body axes. */
static inline void NAME(plain_push)(const int dim, const phx_body_batch_rows *rows, const double *mu, real *x)
{
    const int n_rot = phx_rotations(dim);
    const real *N = (const real *)rows->root, *c = (const real *)rows->centre, *R = (const real *)rows->frame;
    const real *E = (const real *)rows->Z, over_mass = ((const real *)rows->over_mass)[0];
    const int *row = rows->row;
    real force[3] = ZEROS, torque[3] = ZEROS, arm[3];

    for (int p = 0; p < rows->n_ports; p++) {
        const port_rows *port = &rows->ports[p];
        const real sign = ((const real *)port->sign)[0];
        for (int i = 0; i < port->points + port->others; i++, E += n_rot, row += SIMD_WIDTH) {
            real own;
            double *numbers = (double *)&own;
            for (int l = 0; l < SIMD_WIDTH; l++)
                numbers[l] = mu[row[l]];
            for (int k = 0; k < n_rot; k++)
                torque[k] += E[k] * own;
            if (i < port->points)
                force[i] += sign * own;
        }
    }
    for (int k = 0; k < n_rot; k++) {
        x[dim + k] = N[k * n_rot + k] * torque[k];
        for (int b = k + 1; b < n_rot; b++)
            x[dim + k] += N[k * n_rot + b] * torque[b];
    }
    NAME(rot_x_vec)(dim, x + dim, c, arm);
    for (int a = 0; a < dim; a++) {
        real sum = R[a] * force[0];
        for (int b = 1; b < dim; b++)
            sum += R[b * dim + a] * force[b];
        x[a] = over_mass * sum - arm[a];
    }
}

/* x += `count` columns of Z times mu: a constant where this is put */
static inline void NAME(add_columns)(const int count, int n, int stride, const real *Z, const double *mu,
                                     const int *row, real *restrict x)
{
    real own[PHX_ROWS_TOGETHER];
    double *numbers = (double *)own;

    for (int i = 0; i < count * SIMD_WIDTH; i++)
        numbers[i] = mu[row[i]];
    for (int j = 0; j < n; j++, Z += stride) {
        real sum = x[j];
        for (int i = 0; i < count; i++)
            sum += Z[i] * own[i];
        x[j] = sum;
    }
}

/* x = Z mu */
static inline void NAME(multiply_multipliers)(const int n, const phx_body_batch_rows *rows, const double *mu, real *x)
{
    const int stride = NAME(stride)(rows->n_rows), *row = rows->row;
    const real *Z = (const real *)rows->Z;
    int left = rows->n_rows;

    for (int j = 0; j < n; j++)
        x[j] = (real){0.0};
    for (; left >= PHX_ROWS_TOGETHER; left -= PHX_ROWS_TOGETHER) {
        NAME(add_columns)(PHX_ROWS_TOGETHER, n, stride, Z, mu, row, x);
        Z += PHX_ROWS_TOGETHER;
        row += PHX_ROWS_TOGETHER * SIMD_WIDTH;
    }
    for (; left > 0; left--, Z++, row += SIMD_WIDTH)
        NAME(add_columns)(1, n, stride, Z, mu, row, x);
}

/* x = L^-T (Z mu) */
static inline void NAME(push_rows)(const int n, const phx_body_batch_rows *rows, const double *mu, real *restrict x)
{
    const real *restrict L = (const real *)rows->L;

    NAME(multiply_multipliers)(n, rows, mu, x);
    for (int i = n; i-- > 0;) {
        const real *row = L + i * (i - 1) / 2, own = x[i];
        const NAME(wide) *from = (const NAME(wide) *)row;
        NAME(wide) *to = (NAME(wide) *)x;
        int j = 0;
        for (; j < i / NAME(WIDTH); j++)
            to[j] -= from[j] * own;
        for (j *= NAME(WIDTH); j < i; j++)
            x[j] -= row[j] * own;
    }
}

/* ---- bodies in a basis of modes ----
 *
 * The coordinates come first, then the rigid velocities with B = (S ; rows^T):
 *
 *   M = [ M_qq  B^T  ] = L D L^T ,    L = [ L_q          0   ]
 *       [ B     M_rr ]                    [ X^T D_q^-1   L_r ]
 *
 *   X = L_q^-1 B^T ,    L_r D_r L_r^T = M_rr - X^T D_q^-1 X
 *
 * M_qq and S are constant, and with them L_q and the part of X that belongs to S. room: X of the rest, n_q x n_rot with
 * its stride. */
static inline void NAME(factor_modal)(const int dim, phx_body_batch_rows *batch, const NAME(inertia) * own,
                                      const real *s, const real *pair, const real *rows, real *room)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot, n = batch->n - r;
    const int width = NAME(stride)(n_rot), wide = width / NAME(WIDTH);
    const real *shares = (const real *)batch->shares, *fixed = (const real *)batch->share_sums,
               *below = (const real *)batch->L;
    real *L = (real *)batch->L, *inverse = (real *)batch->inverse, M[36];
    NAME(wide) on_v[9] = {{0.0}}, on_w[9] = {{0.0}}; /* X_w^T D^-1 of the shares, and of X_w */

    for (int j = 0; j < n; j++) {
        real *x = room + j * width;
        NAME(wide) *X = (NAME(wide) *)room, scaled[3];
        for (int k = 0; k < width; k++)
            x[k] = k < n_rot ? rows[j * n_rot + k] : (real){0.0};
        for (int i = 0; i < j; i++, below++)
            for (int c = 0; c < wide; c++)
                X[j * wide + c] -= below[0] * X[i * wide + c];
        for (int c = 0; c < wide; c++) {
            scaled[c] = inverse[j] * X[j * wide + c];
            for (int a = 0; a < dim; a++)
                on_v[a * wide + c] += shares[j * dim + a] * scaled[c];
            for (int k = 0; k < n_rot; k++)
                on_w[k * wide + c] += x[k] * scaled[c];
        }
        for (int k = 0; k < n_rot; k++)
            L[(n + dim + k) * (n + dim + k - 1) / 2 + j] = ((const real *)scaled)[k];
    }
    NAME(rigid_block)(dim, own, s, pair, r, M);
    for (int a = 0; a < dim; a++)
        for (int b = 0; b <= a; b++)
            M[a * r + b] -= fixed[a * dim + b];
    for (int k = 0; k < n_rot; k++) {
        for (int a = 0; a < dim; a++)
            M[(dim + k) * r + a] -= ((const real *)on_v)[a * width + k];
        for (int l = 0; l <= k; l++)
            M[(dim + k) * r + dim + l] -= ((const real *)on_w)[l * width + k];
    }
    for (int j = 0; j < r; j++) {
        inverse[n + j] = 1.0 / M[j * r + j];
        for (int i = j + 1; i < r; i++) {
            const real l = M[i * r + j] * inverse[n + j];
            for (int k = j + 1; k <= i; k++)
                M[i * r + k] -= l * M[k * r + j];
            L[(n + i) * (n + i - 1) / 2 + n + j] = l;
        }
    }
}

#endif
