/* The matrices of a solid element. With B the strains of the shape functions at the integration point g and w_g its
 * weight times the determinant,
 *
 *     D_g = w_g B_g,   M2_g = w_g C^-1,   M = sum of w rho N N^T (x) I_3 on the points of the mass.
 *
 * Mean dilatation (B-bar): B + m (mean(m^T B) - m^T B)/3 with m = (1 1 1 0 0 0), mean over the volume. */
#include "solid.h"

#include <string.h>

void phx_solid_nodes(const phx_elastic_model *model, int e, double *x)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_mesh *mesh = &model->mesh;
    const int first = mesh->first[data->element[e].cell], nodes = data->table[data->element[e].kind]->nodes;

    for (int a = 0; a < nodes; a++)
        memcpy(x + 3 * a, model->x + 3 * (size_t)mesh->node[first + a], 3 * sizeof *x);
}

/* Determinant of the Jacobian at a point and, if gradient is not NULL, the gradients of the shape functions in
 * space. */
double phx_solid_gradients(int nodes, const double *x, const double *dN, double *gradient)
{
    double J[3][3] = {{0}}, cofactor[3][3]; /* J[c][k] = dx_k/dxi_c */

    for (int a = 0; a < nodes; a++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                J[c][k] += dN[3 * a + c] * x[3 * a + k];
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) {
            const int c1 = (c + 1) % 3, c2 = (c + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            cofactor[c][k] = J[c1][k1] * J[c2][k2] - J[c1][k2] * J[c2][k1];
        }
    const double det = J[0][0] * cofactor[0][0] + J[0][1] * cofactor[0][1] + J[0][2] * cofactor[0][2];
    if (!gradient)
        return det;
    /* dxi_c/dx_k = cofactor[c][k] / det */
    for (int a = 0; a < nodes; a++)
        for (int k = 0; k < 3; k++)
            gradient[3 * a + k] =
                (dN[3 * a] * cofactor[0][k] + dN[3 * a + 1] * cofactor[1][k] + dN[3 * a + 2] * cofactor[2][k]) / det;
    return det;
}

/* Weights times determinants and gradients of an element at its integration points, with mean gradients for mean
 * dilatation. */
void phx_solid_geometry_of(const phx_elastic_model *model, int e, phx_solid_geometry *geometry)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_solid_table *table = data->table[data->element[e].kind];
    double volume = 0.0;

    phx_solid_nodes(model, e, geometry->x);
    for (int g = 0; g < table->stiffness.n; g++) {
        geometry->w[g] = table->stiffness.w[g] *
                         phx_solid_gradients(table->nodes, geometry->x, table->stiffness.dN[g], geometry->gradient[g]);
        volume += geometry->w[g];
    }
    if (!table->mean_dilatation)
        return;
    memset(geometry->mean, 0, sizeof geometry->mean);
    for (int g = 0; g < table->stiffness.n; g++)
        for (int k = 0; k < 3 * table->nodes; k++)
            geometry->mean[k] += geometry->w[g] / volume * geometry->gradient[g][k];
}

/* Rows of the strains (xx, yy, zz, 2xy, 2yz, 2zx) times `factor` at an integration point, with the mean dilatation if
 * the element has it. */
void phx_solid_strain_rows(const phx_solid_table *table, const phx_solid_geometry *geometry, int point, double factor,
                           double *B)
{
    const int n = 3 * table->nodes;

    memset(B, 0, 6 * (size_t)n * sizeof *B);
    for (int a = 0; a < table->nodes; a++) {
        const double *gradient = geometry->gradient[point] + 3 * a;
        const double x = factor * gradient[0], y = factor * gradient[1], z = factor * gradient[2];
        double *column = B + 3 * a;
        column[0] = x;         /* xx */
        column[n + 1] = y;     /* yy */
        column[2 * n + 2] = z; /* zz */
        column[3 * n] = y;     /* 2 xy */
        column[3 * n + 1] = x;
        column[4 * n + 1] = z; /* 2 yz */
        column[4 * n + 2] = y;
        column[5 * n] = z; /* 2 zx */
        column[5 * n + 2] = x;
        for (int k = 0; k < 3 && table->mean_dilatation; k++) {
            const double change = factor * (geometry->mean[3 * a + k] - gradient[k]) / 3.0;
            for (int row = 0; row < 3; row++)
                column[row * n + k] += change;
        }
    }
}

/* rho * integral of N N^T (nodes x nodes) */
static void scalar_mass(const phx_solid_table *table, const phx_solid_part *part, const double *x, double *mass)
{
    const phx_solid_points_table *points = part->mass_at_stresses ? &table->stiffness : &table->mass;
    const int nodes = table->nodes;

    memset(mass, 0, (size_t)(nodes * nodes) * sizeof *mass);
    for (int g = 0; g < points->n; g++) {
        const double *N = points->N[g];
        const double w = part->material.density * points->w[g] * phx_solid_gradients(nodes, x, points->dN[g], NULL);
        for (int a = 0; a < nodes; a++)
            for (int b = 0; b <= a; b++)
                mass[a * nodes + b] += w * N[a] * N[b];
    }
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b < a; b++)
            mass[b * nodes + a] = mass[a * nodes + b];
}

/* Linear cells: the sums of the rows. Quadratic ones, whose rows have sums that are not positive at corners: the
 * diagonal, scaled to the mass of the element (Hinton, Rock and Zienkiewicz). */
static void lump_mass(const phx_solid_table *table, double *mass)
{
    const int nodes = table->nodes;
    const bool linear = phx_cell_linear(table->cell) == table->cell;
    double total = 0.0, trace = 0.0;

    for (int a = 0; a < nodes; a++) {
        double sum = 0.0;
        for (int b = 0; b < nodes; b++) {
            sum += mass[a * nodes + b];
            if (b != a)
                mass[a * nodes + b] = 0.0;
        }
        total += sum;
        trace += mass[a * nodes + a];
        if (linear)
            mass[a * nodes + a] = sum;
    }
    for (int a = 0; a < nodes && !linear; a++)
        mass[a * nodes + a] *= total / trace;
}

static void fill_mass(const phx_solid_table *table, const phx_solid_part *part, const double *x, double *M)
{
    const int nodes = table->nodes, n = 3 * nodes;
    double mass[PHX_SOLID_MOST_NODES * PHX_SOLID_MOST_NODES];

    scalar_mass(table, part, x, mass);
    if (part->lumped)
        lump_mass(table, mass);
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b < nodes; b++)
            for (int k = 0; k < 3; k++)
                M[(3 * a + k) * n + 3 * b + k] = mass[a * nodes + b];
}

/* Mass, D and compliance of a solid element (equations at the top). */
void phx_solid_element_matrices(const phx_elastic_model *model, int e, phx_element_matrices *matrices)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_solid_table *table = data->table[data->element[e].kind];
    const phx_solid_part *part = &data->part[data->element[e].part];
    const int n = 3 * table->nodes;
    phx_solid_geometry geometry;

    matrices->n_unknowns = n;
    matrices->n_stresses = 6 * table->stiffness.n;
    matrices->block = 6;
    phx_solid_geometry_of(model, e, &geometry);
    for (int g = 0; g < table->stiffness.n; g++) {
        phx_solid_strain_rows(table, &geometry, g, geometry.w[g], matrices->D + 6 * g * n);
        for (int k = 0; k < 36; k++)
            matrices->compliance[36 * g + k] = geometry.w[g] * part->compliance[k];
    }
    fill_mass(table, part, geometry.x, matrices->M);
}
