/* The cell of a mesh that has a place, and the values of its shape functions there. */
#include "continuum/source.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "shape.h"

/* How far a reference point lies outside of its cell: the largest of minus its barycentric coordinates. */
static double outside(phx_cell_type type, const double *xi)
{
    int size[3], at = 0;
    double most = -INFINITY;

    for (int f = 0, factors = phx_cell_factors(type, size); f < factors; at += size[f++]) {
        double first = 1.0;
        for (int k = 0; k < size[f]; k++) {
            const double mu = size[f] == 1 ? 0.5 * (1.0 + xi[at + k]) : xi[at + k];
            first -= mu;
            most = fmax(most, -mu);
        }
        most = fmax(most, -first);
    }
    return most;
}

/* The reference point of a place by Newton's iteration from the middle of the cell, and the shape functions there;
 * INFINITY where it does not converge, else how far outside it lies. */
static double find_in_cell(phx_context *context, const phx_mesh *mesh, int cell, const double place[3], double *N)
{
    static const double SETTLED = 1e-12; /* last correction of the reference point */
    enum { CORRECTIONS = 30 };
    const phx_cell_type type = mesh->type[cell];
    const phx_cell_info *info = phx_cell_info_of(type);
    const int *node = mesh->node + mesh->first[cell], dim = info->dimension;
    double xi[3] = {0}, dN[3 * PHX_CELL_MOST_NODES];

    for (int a = 0; a < info->corners; a++) {
        double corner[3];
        phx_cell_node_place(type, a, corner);
        for (int c = 0; c < dim; c++)
            xi[c] += corner[c] / info->corners;
    }
    for (int k = 0; k < CORRECTIONS; k++) {
        double J[9] = {0}, r[3] = {-place[0], -place[1], -place[2]}, change = 0.0;
        phx_cell_shape(type, xi, N, dN);
        for (int a = 0; a < info->nodes; a++)
            for (int i = 0; i < dim; i++) {
                const double x = mesh->x[3 * (size_t)node[a] + (size_t)i];
                r[i] += N[a] * x;
                for (int j = 0; j < dim; j++)
                    J[i * dim + j] += x * dN[a * dim + j];
            }
        if (phx_dense_solve(context, dim, J, 1, r))
            return INFINITY;
        for (int i = 0; i < dim; i++) {
            xi[i] -= r[i];
            change = fmax(change, fabs(r[i]));
        }
        if (change < SETTLED) {
            phx_cell_shape(type, xi, N, NULL);
            return outside(type, xi);
        }
    }
    return INFINITY;
}

/* Whether a place may lie in a cell: in the box about its nodes, with half its size to spare, since edges are curved.
 */
static bool is_near(const phx_mesh *mesh, int cell, const double place[3])
{
    const phx_cell_info *info = phx_cell_info_of(mesh->type[cell]);
    const int *node = mesh->node + mesh->first[cell];

    for (int i = 0; i < info->dimension; i++) {
        double low = DBL_MAX, high = -DBL_MAX;
        for (int a = 0; a < info->nodes; a++) {
            low = fmin(low, mesh->x[3 * (size_t)node[a] + (size_t)i]);
            high = fmax(high, mesh->x[3 * (size_t)node[a] + (size_t)i]);
        }
        const double spare = 0.5 * (high - low);
        if (place[i] < low - spare || place[i] > high + spare)
            return false;
    }
    return true;
}

/* Cell of the given dimension that contains a place, within round-off, with the values of its shape functions; -1 if
 * there is none. */
int continuum_cell_at(phx_context *context, const phx_mesh *mesh, int dimension, const double place[3],
                      double weight[PHX_CELL_MOST_NODES])
{
    static const double rounding = 1e-9;
    double least = rounding, N[PHX_CELL_MOST_NODES];
    int found = -1;

    for (int c = 0; c < mesh->n_cells; c++) {
        if (phx_cell_info_of(mesh->type[c])->dimension != dimension || !is_near(mesh, c, place))
            continue;
        const double by = find_in_cell(context, mesh, c, place, N);
        if (by < least || (found < 0 && by <= least)) {
            least = by;
            found = c;
            memcpy(weight, N, sizeof N);
        }
    }
    return found;
}
