/* Shape integrals of a mass with a rotary inertia at a point. */
#include "point_inertia.h"

#include <math.h>
#include <string.h>

#include "line_mesh.h"

enum { PAIR_YY = 1, PAIR_ZZ = 2, PAIR_YZ = 5 };
static const int pair_first[PHX_MAX_PAIR] = {0, 1, 2, 0, 0, 1};
static const int pair_second[PHX_MAX_PAIR] = {0, 1, 2, 1, 2, 2};

/* Rotational axes of row k and pair p: in the plane only z, which theta and I hold at index 0. */
static int axis_of(int dim, int k)
{
    return dim == 2 ? 2 : k;
}

static void pair_axes(int dim, int p, int *a, int *b)
{
    *a = dim == 2 ? 2 : pair_first[p];
    *b = dim == 2 ? 2 : pair_second[p];
}

/* Returns true if a 3 x 3 matrix is finite, symmetric and positive semidefinite to round-off. */
bool phx_is_inertia(const double a[9])
{
    static const double ROUNDING = 1e-12; /* of the largest entry */
    double scale = 0.0;
    for (int k = 0; k < 9; k++) {
        if (!isfinite(a[k]))
            return false;
        scale = fmax(scale, fabs(a[k]));
    }
    const double tol = ROUNDING * scale;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        if (a[4 * i] < 0.0 || fabs(a[3 * i + j] - a[3 * j + i]) > tol)
            return false;
        if (a[4 * i] * a[4 * j] - a[3 * i + j] * a[3 * j + i] < -tol * scale)
            return false;
    }
    const double det =
        a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
    return det >= -tol * scale * scale;
}

void phx_point_inertia_set_tensor(int n_rot, const double *inertia, phx_point_inertia *point)
{
    for (int k = 0; k < n_rot; k++)
        for (int l = 0; l < n_rot; l++)
            point->inertia[k][l] = 0.5 * (inertia[k * n_rot + l] + inertia[l * n_rot + k]);
}

/* ---- vectors ---- */
/* mass, s0, J0 = int rho (|x|^2 I - x x^T) + I */
static void add_rigid(const phx_point_inertia *point, phx_flex *flex)
{
    const double *x = point->x, s[3] = {point->mass * x[0], point->mass * x[1], point->mass * x[2]};
    const double square = s[0] * x[0] + s[1] * x[1] + s[2] * x[2];
    flex->mass += point->mass;
    for (int a = 0; a < flex->dim; a++)
        flex->s0[a] += s[a];
    for (int p = 0; p < flex->n_pair; p++) {
        int a, b;
        pair_axes(flex->dim, p, &a, &b);
        flex->J0[p] += (a == b ? square : 0.0) - s[a] * x[b];
        flex->J0[p] += flex->dim == 2 ? point->inertia[0][0] : point->inertia[a][b];
        if (a == b && a > 0 && flex->dim == 3)
            flex->J0[p] += point->across[a - 1];
    }
}

/* S = int rho Phi,  C = int rho x cross Phi + I Theta,  j_ab = int rho (2 x.Phi delta_ab - x_a Phi_b - x_b Phi_a),
 * of a section j_yz = (Iy - Iz) Theta_x besides */
void phx_point_inertia_add_vectors(const phx_point_inertia *point, phx_flex *flex)
{
    const double *r = point->x;
    const int n = flex->n;
    add_rigid(point, flex);
    for (int i = 0; i < point->n; i++) {
        double phi[3] = {0.0, 0.0, 0.0}, cross[3];
        const int dof = point->dof[i];
        for (int a = 0; a < flex->dim; a++)
            phi[a] = point->phi[a * point->stride + i];
        phx_vec_x_vec(flex->dim, r, phi, cross);
        for (int a = 0; a < flex->dim; a++)
            flex->S[a * n + dof] += point->mass * phi[a];
        for (int k = 0; k < flex->n_rot; k++) {
            flex->C[k * n + dof] += point->mass * cross[k];
            for (int l = 0; l < flex->n_rot; l++)
                flex->C[k * n + dof] += point->inertia[k][l] * point->theta[l * point->stride + i];
        }
        const double along = r[0] * phi[0] + r[1] * phi[1] + r[2] * phi[2];
        for (int p = 0; p < flex->n_pair; p++) {
            int a, b;
            pair_axes(flex->dim, p, &a, &b);
            const double value = (a == b ? 2.0 * along : 0.0) - r[a] * phi[b] - r[b] * phi[a];
            flex->j[p * n + dof] += point->mass * value;
        }
        if (flex->dim == 3)
            flex->j[PAIR_YZ * n + dof] += (point->across[0] - point->across[1]) * point->theta[i];
    }
}

/* ---- matrices ---- */
static size_t block_size(int dim, int n)
{
    return (dim == 2 ? 3 : 10) * (size_t)n * (size_t)n;
}

phx_status phx_point_inertia_block_create(phx_context *context, int dim, int n, phx_point_inertia_block *block)
{
    const int n_rot = dim == 2 ? 1 : 3, n_pair = dim == 2 ? 1 : 6;
    const size_t nn = (size_t)n * (size_t)n;
    *block = (phx_point_inertia_block){.n = n, .sum = phx_calloc(context, block_size(dim, n), sizeof *block->sum)};
    if (!block->sum)
        return PHX_ERR_MEMORY;
    block->M = block->sum;
    for (int k = 0; k < n_rot; k++)
        block->A[k] = block->sum + (size_t)(1 + k) * nn;
    for (int p = 0; p < n_pair; p++)
        block->Q[p] = block->sum + (size_t)(1 + n_rot + p) * nn;
    return PHX_OK;
}

void phx_point_inertia_block_clear(int dim, phx_point_inertia_block *block)
{
    memset(block->sum, 0, block_size(dim, block->n) * sizeof *block->sum);
}

void phx_point_inertia_block_free(phx_point_inertia_block *block)
{
    phx_free(block->sum);
    *block = (phx_point_inertia_block){.n = 0};
}

/* gram_ab = m phi_a,i phi_b,j */
static void gram_of(int dim, const phx_point_inertia *point, int i, int j, double gram[3][3])
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            gram[a][b] = a < dim && b < dim
                             ? point->mass * point->phi[a * point->stride + i] * point->phi[b * point->stride + j]
                             : 0.0;
}

/* M = int rho Phi^T Phi + Theta^T I Theta,  A_k = int rho (Phi_a^T Phi_b - Phi_b^T Phi_a), (k,a,b) cyclic,
 * Q_ab = int rho (2 Phi^T Phi delta_ab - Phi_a^T Phi_b - Phi_b^T Phi_a), of a section +-2 (Iz - Iy) Theta_x^T Theta_x
 * in Q_yy and Q_zz besides */
void phx_point_inertia_add_matrices(int dim, const phx_point_inertia *point, phx_point_inertia_block *block)
{
    const int n_rot = dim == 2 ? 1 : 3, n_pair = dim == 2 ? 1 : 6, stride = point->stride;
    for (int i = 0; i < point->n; i++) {
        for (int j = i; j < point->n; j++) {
            const size_t at = (size_t)i * (size_t)block->n + (size_t)j;
            double gram[3][3], value = 0.0;
            gram_of(dim, point, i, j, gram);
            const double trace = gram[0][0] + gram[1][1] + gram[2][2];
            for (int k = 0; k < n_rot; k++)
                for (int l = 0; l < n_rot; l++)
                    value += point->inertia[k][l] * point->theta[k * stride + i] * point->theta[l * stride + j];
            block->M[at] += trace + value;
            for (int k = 0; k < n_rot; k++) {
                const int a = (axis_of(dim, k) + 1) % 3, b = (axis_of(dim, k) + 2) % 3;
                block->A[k][at] += gram[a][b] - gram[b][a];
            }
            for (int p = 0; p < n_pair; p++) {
                int a, b;
                pair_axes(dim, p, &a, &b);
                block->Q[p][at] += (a == b ? 2.0 * trace : 0.0) - gram[a][b] - gram[b][a];
            }
            if (dim == 3) {
                const double turned = 2.0 * (point->across[1] - point->across[0]) * point->theta[i] * point->theta[j];
                block->Q[PAIR_YY][at] += turned;
                block->Q[PAIR_ZZ][at] -= turned;
            }
        }
    }
}

/* The upper triangle and its mirror, so that the matrices are symmetric or antisymmetric bit for bit. */
void phx_point_inertia_scatter(const phx_point_inertia_block *block, const int *dof, phx_flex *flex)
{
    for (int i = 0; i < block->n; i++) {
        for (int j = i; j < block->n; j++) {
            const size_t at = (size_t)i * (size_t)block->n + (size_t)j;
            const int upper = phx_flex_entry(flex, dof[i], dof[j]), lower = phx_flex_entry(flex, dof[j], dof[i]);
            for (int k = 0; k < flex->n_rot; k++)
                flex->A[k][upper] += block->A[k][at];
            flex->M[upper] += block->M[at];
            for (int p = 0; p < flex->n_pair; p++)
                flex->Q[p][upper] += block->Q[p][at];
            if (j == i)
                continue;
            for (int k = 0; k < flex->n_rot; k++)
                flex->A[k][lower] -= block->A[k][at];
            flex->M[lower] += block->M[at];
            for (int p = 0; p < flex->n_pair; p++)
                flex->Q[p][lower] += block->Q[p][at];
        }
    }
}

/* Adds a mass with rotary inertia at a point of a deformation to its integrals. */
phx_status phx_flex_add_mass(phx_context *context, const phx_flex_point *point, double mass, const double *inertia,
                             phx_flex *flex)
{
    phx_point_inertia_block block = {.n = 0};
    phx_point_inertia at = {
        .mass = mass, .n = point->n, .stride = point->n, .dof = point->dof, .phi = point->phi, .theta = point->theta};
    phx_status status = phx_point_inertia_block_create(context, flex->dim, point->n, &block);

    memcpy(at.x, point->x, sizeof at.x);
    phx_point_inertia_set_tensor(flex->n_rot, inertia, &at);
    if (!status) {
        phx_point_inertia_add_vectors(&at, flex);
        phx_point_inertia_add_matrices(flex->dim, &at, &block);
        phx_point_inertia_scatter(&block, point->dof, flex);
    }
    phx_point_inertia_block_free(&block);
    return status;
}
