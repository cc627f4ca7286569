/* Strains of second order of a solid at its integration points, with the mean dilatation of the linear ones: the second
 * part of Green's strain,
 *
 *     E = sym grad u + 1/2 sum_c grad u_c (x) grad u_c,
 *
 * all of it: no direction of a solid is special, and no rigid motion changes E. */
#include "solid.h"

#include <string.h>

static const int row_k[6] = {0, 1, 2, 0, 1, 2}, row_l[6] = {0, 1, 2, 1, 2, 0}; /* xx yy zz xy yz zx */

/* du_c/dx_k at a point. */
typedef struct gradient_of {
    double d[3][3];
} gradient_of;

static void gradient_at(int nodes, const double *dN, const int *unknown, const double *u, gradient_of *out)
{
    memset(out, 0, sizeof *out);
    for (int a = 0; a < nodes; a++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                out->d[c][k] += u[unknown[3 * a + c]] * dN[3 * a + k];
}

/* N_kl of two displacements; twice that where k and l differ, as of engineering shear strains. */
static double second_order(const gradient_of *a, const gradient_of *b, int k, int l)
{
    double sum = 0.0;

    for (int c = 0; c < 3; c++)
        sum += k == l ? a->d[c][k] * b->d[c][k] : a->d[c][k] * b->d[c][l] + a->d[c][l] * b->d[c][k];
    return sum;
}

/* The weighted strains of the points (6 rows each) <- those with the dilatation tr = mean over the volume. */
static void spread_dilatation(const phx_solid_geometry *geometry, int points, int pairs, double *rows)
{
    double volume = 0.0;

    for (int g = 0; g < points; g++)
        volume += geometry->w[g];
    for (int p = 0; p < pairs; p++) {
        double total = 0.0;
        for (int g = 0; g < points; g++)
            for (int c = 0; c < 3; c++)
                total += rows[(size_t)(6 * g + c) * (size_t)pairs + (size_t)p];
        for (int g = 0; g < points; g++) {
            double *first = rows + (size_t)(6 * g) * (size_t)pairs + (size_t)p, own = 0.0;
            for (int c = 0; c < 3; c++)
                own += first[(size_t)c * (size_t)pairs];
            for (int c = 0; c < 3; c++)
                first[(size_t)c * (size_t)pairs] += (geometry->w[g] / volume * total - own) / 3.0;
        }
    }
}

bool phx_solid_second_order(const phx_elastic_model *model, int e, int count, const double *shapes, double *rows)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_solid_table *table = data->table[data->element[e].kind];
    const int points = table->stiffness.n, pairs = count * (count + 1) / 2;
    const int *unknown = model->unknown + model->first_unknown[e];
    gradient_of gradient[PHX_STRAIN_SLOPES];
    phx_solid_geometry geometry;

    phx_solid_geometry_of(model, e, &geometry);
    for (int g = 0; g < points; g++) {
        double *row = rows + (size_t)(6 * g) * (size_t)pairs;
        for (int a = 0; a < count; a++)
            gradient_at(table->nodes, geometry.gradient[g], unknown, shapes + (size_t)a * (size_t)model->n,
                        &gradient[a]);
        for (int a = 0, pair = 0; a < count; a++)
            for (int b = a; b < count; b++, pair++)
                for (int c = 0; c < 6; c++)
                    row[(size_t)c * (size_t)pairs + (size_t)pair] =
                        geometry.w[g] * second_order(&gradient[a], &gradient[b], row_k[c], row_l[c]);
    }
    if (table->mean_dilatation)
        spread_dilatation(&geometry, points, pairs, rows);
    return true;
}

void phx_solid_second_order_force(const phx_elastic_model *model, int e, const double *sigma, const double *u,
                                  double *force)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_solid_table *table = data->table[data->element[e].kind];
    const int points = table->stiffness.n, *unknown = model->unknown + model->first_unknown[e];
    double volume = 0.0, pressure = 0.0; /* of the mean dilatation: a third of the trace of the weighted stresses */
    phx_solid_geometry geometry;
    gradient_of own;

    phx_solid_geometry_of(model, e, &geometry);
    for (int g = 0; g < points; g++) {
        volume += geometry.w[g];
        pressure += geometry.w[g] * (sigma[6 * g] + sigma[6 * g + 1] + sigma[6 * g + 2]) / 3.0;
    }
    for (int g = 0; g < points; g++) {
        const double *s = sigma + 6 * g, w = geometry.w[g];
        double S[3][3] = {{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}};
        const double change = pressure / volume - (s[0] + s[1] + s[2]) / 3.0;
        for (int k = 0; k < 3 && table->mean_dilatation; k++)
            S[k][k] += change;
        gradient_at(table->nodes, geometry.gradient[g], unknown, u, &own);
        for (int a = 0; a < table->nodes; a++) {
            const double *dN = geometry.gradient[g] + 3 * a;
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < 3; k++)
                    for (int l = 0; l < 3; l++)
                        force[unknown[3 * a + c]] += w * dN[k] * S[k][l] * own.d[c][l];
        }
    }
}
