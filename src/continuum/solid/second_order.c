/* Strains of second order of a solid at its integration points, with the mean dilatation of the linear ones: those of
 * moderate rotations beside small strains. With omega = 1/2 curl u,
 *
 *     E = sym grad u + 1/2 (|omega|^2 I - omega (x) omega).
 *
 * Green's strain has products of strains with rotations besides. In a basis they are no gain: a shape that stretches to
 * follow a deflection would shear with it, by terms of third order which only more shapes could follow. */
#include "solid.h"

#include <string.h>

static const int row_k[6] = {0, 1, 2, 0, 1, 2}, row_l[6] = {0, 1, 2, 1, 2, 0}; /* xx yy zz xy yz zx */

/* omega at a point. */
typedef struct rotation {
    double w[3];
} rotation;

static void rotation_at(int nodes, const double *dN, const int *unknown, const double *u, rotation *out)
{
    memset(out, 0, sizeof *out);
    for (int a = 0; a < nodes; a++)
        for (int c = 0; c < 3; c++) { /* 1/2 grad N x u */
            const int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            out->w[c] += 0.5 * (dN[3 * a + c1] * u[unknown[3 * a + c2]] - dN[3 * a + c2] * u[unknown[3 * a + c1]]);
        }
}

/* N_kl of two displacements; twice that where k and l differ, as of engineering shear strains. */
static double second_order_second_order(const rotation *a, const rotation *b, int k, int l)
{
    if (k != l)
        return -(a->w[k] * b->w[l] + a->w[l] * b->w[k]);
    const int p = (k + 1) % 3, q = (k + 2) % 3;
    return a->w[p] * b->w[p] + a->w[q] * b->w[q];
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

/* Strains of second order of all pairs of shapes at the integration points, weighted like D,
 * theory-plates 3 (2); always true. */
bool phx_solid_second_order(const phx_elastic_model *model, int e, int count, const double *shapes, double *rows)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_solid_table *table = data->table[data->element[e].kind];
    const int points = table->stiffness.n, pairs = count * (count + 1) / 2;
    const int *unknown = model->unknown + model->first_unknown[e];
    rotation of[PHX_STRAIN_SLOPES];
    phx_solid_geometry geometry;

    phx_solid_geometry_of(model, e, &geometry);
    for (int g = 0; g < points; g++) {
        double *row = rows + (size_t)(6 * g) * (size_t)pairs;
        for (int a = 0; a < count; a++)
            rotation_at(table->nodes, geometry.gradient[g], unknown, shapes + (size_t)a * (size_t)model->n, &of[a]);
        for (int a = 0, pair = 0; a < count; a++)
            for (int b = a; b < count; b++, pair++)
                for (int c = 0; c < 6; c++)
                    row[(size_t)c * (size_t)pairs + (size_t)pair] =
                        geometry.w[g] * second_order_second_order(&of[a], &of[b], row_k[c], row_l[c]);
    }
    if (table->mean_dilatation)
        spread_dilatation(&geometry, points, pairs, rows);
    return true;
}

/* Adds the forces of the stresses sigma on the rotations of the displacement u. */
void phx_solid_second_order_force(const phx_elastic_model *model, int e, const double *sigma, const double *u,
                                  double *force)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_solid_table *table = data->table[data->element[e].kind];
    const int points = table->stiffness.n, *unknown = model->unknown + model->first_unknown[e];
    double volume = 0.0, pressure = 0.0; /* of the mean dilatation: a third of the trace of the weighted stresses */
    phx_solid_geometry geometry;
    rotation own;

    phx_solid_geometry_of(model, e, &geometry);
    for (int g = 0; g < points; g++) {
        volume += geometry.w[g];
        pressure += geometry.w[g] * (sigma[6 * g] + sigma[6 * g + 1] + sigma[6 * g + 2]) / 3.0;
    }
    for (int g = 0; g < points; g++) {
        const double *s = sigma + 6 * g, w = geometry.w[g];
        const double S[3][3] = {{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}};
        const double trace = table->mean_dilatation ? 3.0 * pressure / volume : s[0] + s[1] + s[2];
        const double change = (trace - s[0] - s[1] - s[2]) / 3.0; /* of the mean dilatation, on the diagonal */
        double moment[3];
        rotation_at(table->nodes, geometry.gradient[g], unknown, u, &own);
        for (int k = 0; k < 3; k++) { /* S : N(v, u) = omega_v . (tr S I - S) omega_u */
            moment[k] = (trace - change) * own.w[k];
            for (int l = 0; l < 3; l++)
                moment[k] -= S[k][l] * own.w[l];
        }
        for (int a = 0; a < table->nodes; a++) {
            const double *dN = geometry.gradient[g] + 3 * a;
            for (int c = 0; c < 3; c++) { /* omega_v . moment = 1/2 v . (moment x grad N) */
                const int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
                force[unknown[3 * a + c]] += 0.5 * w * (moment[c1] * dN[c2] - moment[c2] * dN[c1]);
            }
        }
    }
}
