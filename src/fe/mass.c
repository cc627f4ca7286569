/* Shape integrals of the masses in raw coordinates. One kernel takes a mass with a rotary inertia at a point of the
 * axis; the section's masses come to it through Gauss points, the point masses directly. */
#include "mesh.h"

#include <string.h>

/* A mass m at x on the axis with inertia I about the section's centre (n_rot x n_rot, on body rotation + theta). */
typedef struct point_mass {
    double x, mass, inertia[3][3];
} point_mass;

/* Matrices on the raw coordinates of one element, upper triangles. */
typedef struct element_block {
    double M[PHX_LOCAL_MAX][PHX_LOCAL_MAX];
    double A[3][PHX_LOCAL_MAX][PHX_LOCAL_MAX];
    double Q[PHX_MAX_PAIR][PHX_LOCAL_MAX][PHX_LOCAL_MAX];
} element_block;

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

/* mass, s0, J0 = int rho (|x|^2 I - x x^T) + I */
static void add_rigid(const point_mass *lump, phx_flex *raw)
{
    raw->mass += lump->mass;
    raw->s0[0] += lump->mass * lump->x;
    for (int p = 0; p < raw->n_pair; p++) {
        int a, b;
        pair_axes(raw->dim, p, &a, &b);
        if (a == b && a > 0)
            raw->J0[p] += lump->mass * lump->x * lump->x;
        raw->J0[p] += raw->dim == 2 ? lump->inertia[0][0] : lump->inertia[a][b];
    }
}

/* S = int rho Phi,  C = int rho x cross Phi + I Theta,  j_ab = int rho (2 x.Phi delta_ab - x_a Phi_b - x_b Phi_a) */
static void add_vectors(const point_mass *lump, const phx_local *local, phx_flex *raw)
{
    const double r[3] = {lump->x, 0.0, 0.0};
    const int n = raw->n;
    for (int i = 0; i < local->n; i++) {
        const double phi[3] = {local->phi[0][i], local->phi[1][i], local->phi[2][i]};
        const int dof = local->dof[i];
        double cross[3];
        phx_vec_x_vec(raw->dim, r, phi, cross);
        for (int a = 0; a < raw->dim; a++)
            raw->S[a * n + dof] += lump->mass * phi[a];
        for (int k = 0; k < raw->n_rot; k++) {
            raw->C[k * n + dof] += lump->mass * cross[k];
            for (int l = 0; l < raw->n_rot; l++)
                raw->C[k * n + dof] += lump->inertia[k][l] * local->theta[l][i];
        }
        for (int p = 0; p < raw->n_pair; p++) {
            int a, b;
            pair_axes(raw->dim, p, &a, &b);
            double value = (a == b ? 2.0 * r[0] * phi[0] : 0.0) - r[a] * phi[b] - r[b] * phi[a];
            raw->j[p * n + dof] += lump->mass * value;
        }
    }
}

/* M = int rho Phi^T Phi + Theta^T I Theta,  A_k = int rho (Phi_a^T Phi_b - Phi_b^T Phi_a), (k,a,b) cyclic,
 * Q_ab = int rho (2 Phi^T Phi delta_ab - Phi_a^T Phi_b - Phi_b^T Phi_a) */
static void add_matrices(int dim, const point_mass *lump, const phx_local *local, element_block *block)
{
    const int n_rot = dim == 2 ? 1 : 3, n_pair = dim == 2 ? 1 : 6;
    for (int i = 0; i < local->n; i++) {
        for (int j = i; j < local->n; j++) {
            double gram[3][3], value = 0.0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    gram[a][b] = lump->mass * local->phi[a][i] * local->phi[b][j];
            const double trace = gram[0][0] + gram[1][1] + gram[2][2];
            for (int k = 0; k < n_rot; k++)
                for (int l = 0; l < n_rot; l++)
                    value += lump->inertia[k][l] * local->theta[k][i] * local->theta[l][j];
            block->M[i][j] += trace + value;
            for (int k = 0; k < n_rot; k++) {
                const int a = (axis_of(dim, k) + 1) % 3, b = (axis_of(dim, k) + 2) % 3;
                block->A[k][i][j] += gram[a][b] - gram[b][a];
            }
            for (int p = 0; p < n_pair; p++) {
                int a, b;
                pair_axes(dim, p, &a, &b);
                block->Q[p][i][j] += (a == b ? 2.0 * trace : 0.0) - gram[a][b] - gram[b][a];
            }
        }
    }
}

/* Adds the upper triangle and its mirror, so that the matrices are symmetric or antisymmetric bit for bit. */
static void scatter(const element_block *block, const phx_local *local, phx_flex *raw)
{
    for (int i = 0; i < local->n; i++) {
        for (int j = i; j < local->n; j++) {
            const int upper = phx_flex_entry(raw, local->dof[i], local->dof[j]);
            const int lower = phx_flex_entry(raw, local->dof[j], local->dof[i]);
            for (int k = 0; k < raw->n_rot; k++)
                raw->A[k][upper] += block->A[k][i][j];
            raw->M[upper] += block->M[i][j];
            for (int p = 0; p < raw->n_pair; p++)
                raw->Q[p][upper] += block->Q[p][i][j];
            if (j == i)
                continue;
            for (int k = 0; k < raw->n_rot; k++)
                raw->A[k][lower] -= block->A[k][i][j];
            raw->M[lower] += block->M[i][j];
            for (int p = 0; p < raw->n_pair; p++)
                raw->Q[p][lower] += block->Q[p][i][j];
        }
    }
}

/* The section's masses: rho A along the axis and, in space, the polar inertia about it. */
static void add_section(const phx_mesh *mesh, const phx_beam_def *def, phx_flex *raw, element_block *block)
{
    int degree = 0;
    for (int f = 0; f < mesh->n_fields; f++)
        if (mesh->field[f].element->displacement.degree > degree)
            degree = mesh->field[f].element->displacement.degree;
    const int points = phx_gauss_count(2 * degree);
    double xi[PHX_GAUSS_MAX], weight[PHX_GAUSS_MAX];
    phx_gauss(points, xi, weight);

    phx_local local[PHX_GAUSS_MAX];
    for (int g = 0; g < points; g++)
        phx_mesh_local(mesh, 0, xi[g], &local[g]);
    for (int e = 0; e < mesh->elements; e++) {
        for (int g = 0; g < points; g++) {
            const double dx = mesh->h * weight[g];
            point_mass lump = {.x = (e + xi[g]) * mesh->h, .mass = def->mass_per_length * dx};
            if (mesh->dim == 3)
                lump.inertia[0][0] = def->polar_inertia * dx;
            add_rigid(&lump, raw);
            add_vectors(&lump, &local[g], raw);
            if (e == 0) /* the same in every element */
                add_matrices(mesh->dim, &lump, &local[g], block);
        }
        scatter(block, &local[0], raw);
        for (int g = 0; g < points; g++)
            for (int f = 0, i = 0; f < mesh->n_fields; f++)
                for (int k = 0; k < mesh->field[f].element->displacement.count; k++, i++)
                    local[g].dof[i] += mesh->field[f].element->displacement.stride;
    }
}

static void add_point_mass(const phx_mesh *mesh, const phx_beam_mass *mass, phx_flex *raw, element_block *block)
{
    point_mass lump = {.x = mass->at * mesh->length, .mass = mass->mass};
    for (int k = 0; k < mesh->n_rot; k++)
        for (int l = 0; l < mesh->n_rot; l++)
            lump.inertia[k][l] = 0.5 * (mass->inertia[k * mesh->n_rot + l] + mass->inertia[l * mesh->n_rot + k]);
    int element;
    double xi;
    phx_local local;
    phx_mesh_locate(mesh, mass->at, &element, &xi, NULL);
    phx_mesh_local(mesh, element, xi, &local);
    memset(block, 0, sizeof *block);
    add_rigid(&lump, raw);
    add_vectors(&lump, &local, raw);
    add_matrices(mesh->dim, &lump, &local, block);
    scatter(block, &local, raw);
}

phx_status phx_mass_assemble(phx_context *context, const phx_mesh *mesh, const phx_beam_def *def, phx_flex *raw)
{
    *raw = (phx_flex){.dim = mesh->dim, .n = mesh->n};
    element_block *block = phx_calloc(context, 1, sizeof *block);
    phx_status status = block ? phx_flex_allocate_vectors(context, raw) : PHX_ERR_MEMORY;
    if (status == PHX_OK)
        status = phx_mesh_pattern(context, mesh, &raw->ptr, &raw->idx);
    if (status == PHX_OK)
        status = phx_flex_allocate_matrices(context, raw, false);
    if (status == PHX_OK) {
        add_section(mesh, def, raw, block);
        for (int k = 0; k < def->n_masses; k++)
            add_point_mass(mesh, &def->masses[k], raw, block);
    }
    phx_free(block);
    if (status != PHX_OK)
        phx_flex_free(raw);
    return status;
}
