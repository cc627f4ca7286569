/* Rows G on the velocities of a body that has no other unknowns, with M = L D L^T and what is eliminated inside left
 * out, which no row sees:
 *
 *     Y = G L^-T ,  Z = Y D^-1 ,   G M^-1 G^T = Z Y^T ,   M^-1 G^T mu = L^-T (Z^T mu) .
 *
 * See interval_kernel.h for `real` and NAME. */
#ifndef PHX_ROWS_KERNEL_H
#define PHX_ROWS_KERNEL_H

#include "border_kernel.h"
#include "pack_rows.h"

/* L D L^T of a full matrix, its lower triangle: L packed without its diagonal, and 1/D. */
static inline void NAME(decompose)(int n, real *matrix, real *L, real *inverse)
{
    for (int j = 0; j < n; j++) {
        inverse[j] = 1.0 / matrix[j * n + j];
        for (int i = j + 1; i < n; i++) {
            const real l = matrix[i * n + j] * inverse[j];
            for (int k = j + 1; k <= i; k++)
                matrix[i * n + k] -= l * matrix[k * n + j];
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

/* Rows of the place of a port, dim x n: R [1, -y x, phi]. */
static inline void NAME(place_rows)(const int dim, const int n, const port_rows *port, const real *R, const real *kept,
                                    real *place)
{
    const int r = dim + phx_rotations(dim);
    const real *phi = (const real *)port->phi, *x = (const real *)port->x;
    real y[3];

    for (int a = 0; a < dim; a++) {
        y[a] = x[a];
        for (int k = 0; k < n - r; k++)
            y[a] += phi[a * (n - r) + k] * kept[k];
    }
    for (int a = 0; a < dim; a++) {
        const real *row = R + a * dim;
        real *to = place + a * n;
        for (int b = 0; b < dim; b++)
            to[b] = row[b];
        if (dim == 2) {
            to[2] = row[1] * y[0] - row[0] * y[1];
        } else { /* w x y . row = w . y x row */
            to[3] = y[1] * row[2] - y[2] * row[1];
            to[4] = y[2] * row[0] - y[0] * row[2];
            to[5] = y[0] * row[1] - y[1] * row[0];
        }
        for (int k = 0; k < n - r; k++) {
            real sum = {0.0};
            for (int b = 0; b < dim; b++)
                sum += row[b] * phi[b * (n - r) + k];
            to[r + k] = sum;
        }
    }
}

/* A row with a covector: g_u^T place + (0, g_w, g_theta^T theta). */
static inline void NAME(covector_row)(const int dim, const int n, const port_rows *port, const real *place,
                                      const double *const *covector, real *row)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot;
    const real *theta = (const real *)port->theta;
    real g[9];
    double *numbers = (double *)g;

    for (int i = port->turns ? dim : 0; i < r + (n > r ? n_rot : 0); i++)
        for (int l = 0; l < LANES; l++)
            numbers[i * LANES + l] = covector[l][i];
    for (int j = 0; j < n; j++) {
        real sum = {0.0};
        for (int a = 0; a < dim && !port->turns; a++)
            sum += g[a] * place[a * n + j];
        row[j] = sum;
    }
    for (int k = 0; k < n_rot; k++)
        row[dim + k] += g[dim + k];
    for (int j = 0; j < n - r; j++)
        for (int k = 0; k < n_rot; k++)
            row[r + j] += g[r + k] * theta[k * (n - r) + j];
}

/* y <- L^-1 y, z = D^-1 y */
static inline void NAME(finish_row)(const int n, const real *L, const real *inverse, real *y, real *z)
{
    for (int i = 0; i < n; i++) {
        const real *below = L + i * (i - 1) / 2;
        for (int j = 0; j < i; j++)
            y[i] -= below[j] * y[j];
        z[i] = inverse[i] * y[i];
    }
}

/* Y (n_rows x n) and Z of all rows at the attitude and the kept coordinates; room: dim x n. */
static inline void NAME(all_rows)(const int dim, const int n, const phx_pack_rows *it, const real *R, const real *kept,
                                  const double *covectors, real *room, real *Y, real *Z)
{
    static const double none[9] = {0.0};
    const real *L = (const real *)it->L, *inverse = (const real *)it->inverse;

    for (int p = 0; p < it->n_ports; p++) {
        const port_rows *port = &it->ports[p];
        const real *sign = (const real *)port->sign;
        const int *at = it->covector + port->covector * LANES;
        real *y = Y + port->first * n, *z = Z + port->first * n;
        NAME(place_rows)(dim, n, port, R, kept, room);
        for (int a = 0; a < port->points; a++, y += n, z += n) {
            for (int j = 0; j < n; j++)
                y[j] = sign[0] * room[a * n + j];
            NAME(finish_row)(n, L, inverse, y, z);
        }
        for (int k = 0; k < port->others; k++, y += n, z += n, at += LANES) {
            const double *covector[LANES];
            for (int l = 0; l < LANES; l++)
                covector[l] = at[l] < 0 ? none : covectors + at[l];
            NAME(covector_row)(dim, n, port, room, covector, y);
            NAME(finish_row)(n, L, inverse, y, z);
        }
    }
}

/* S = Z Y^T, packed rows of the lower triangle. */
static inline void NAME(multiply_rows)(const int n, int n_rows, const real *Y, const real *Z, real *S)
{
    for (int i = 0; i < n_rows; i++)
        for (int j = 0; j <= i; j++) {
            real sum = {0.0};
            for (int c = 0; c < n; c++)
                sum += Z[i * n + c] * Y[j * n + c];
            *S++ = sum;
        }
}

/* x = L^-T (Z^T mu) */
static inline void NAME(push_rows)(const int n, const phx_pack_rows *it, const double *mu, real *x)
{
    const real *Z = (const real *)it->Z, *L = (const real *)it->L;
    const int *row = it->row;

    for (int j = 0; j < n; j++)
        x[j] = (real){0.0};
    for (int i = 0; i < it->n_rows; i++, row += LANES) {
        real own;
        double *numbers = (double *)&own;
        for (int l = 0; l < LANES; l++)
            numbers[l] = mu[row[l]];
        for (int j = 0; j < n; j++)
            x[j] += Z[i * n + j] * own;
    }
    for (int i = n; i-- > 0;)
        for (int j = 0; j < i; j++)
            x[j] -= L[i * (i - 1) / 2 + j] * x[i];
}

#endif
