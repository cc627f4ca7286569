/* Shape functions of all cells as products of simplices. */
#include "shape.h"

#include <string.h>

enum { MOST_FACTORS = 3, MOST_MU = 6, MOST_CORNERS = 8 };

/* The barycentric coordinates mu of the simplices stand one after the other; a corner has one of each simplex. */
typedef struct reference {
    int factors;
    int size[MOST_FACTORS]; /* dimension of each simplex */
    int corner[MOST_CORNERS][MOST_FACTORS];
} reference;

static const reference line = {1, {1}, {{0}, {1}}};
static const reference triangle = {1, {2}, {{0}, {1}, {2}}};
static const reference quadrangle = {2, {1, 1}, {{0, 2}, {1, 2}, {1, 3}, {0, 3}}};
static const reference tetrahedron = {1, {3}, {{0}, {1}, {2}, {3}}};
static const reference hexahedron = {
    3, {1, 1, 1}, {{0, 2, 4}, {1, 2, 4}, {1, 3, 4}, {0, 3, 4}, {0, 2, 5}, {1, 2, 5}, {1, 3, 5}, {0, 3, 5}}};
static const reference wedge = {2, {2, 1}, {{0, 3}, {1, 3}, {2, 3}, {0, 4}, {1, 4}, {2, 4}}};

static const reference *const references[PHX_CELL_TYPES] = {
    [PHX_CELL_LINE2] = &line,       [PHX_CELL_LINE3] = &line,        [PHX_CELL_TRI3] = &triangle,
    [PHX_CELL_TRI6] = &triangle,    [PHX_CELL_QUAD4] = &quadrangle,  [PHX_CELL_QUAD8] = &quadrangle,
    [PHX_CELL_TET4] = &tetrahedron, [PHX_CELL_TET10] = &tetrahedron, [PHX_CELL_HEX8] = &hexahedron,
    [PHX_CELL_HEX20] = &hexahedron, [PHX_CELL_WEDGE6] = &wedge,      [PHX_CELL_WEDGE15] = &wedge,
};

/* mu and its derivatives (constant): first barycentric coordinate 1 - sum, for lines with the coordinate -1 to 1. */
static void barycentric(const reference *cell, const double *xi, double mu[MOST_MU], double slope[MOST_MU][3])
{
    int at = 0, c = 0;

    memset(slope, 0, MOST_MU * sizeof *slope);
    for (int f = 0; f < cell->factors; f++) {
        const int size = cell->size[f];
        const double scale = size == 1 ? 0.5 : 1.0;
        mu[at] = 1.0;
        for (int k = 1; k <= size; k++, c++) {
            mu[at + k] = size == 1 ? 0.5 * (1.0 + xi[c]) : xi[c];
            mu[at] -= mu[at + k];
            slope[at + k][c] = scale;
            slope[at][c] = -scale;
        }
        at += size + 1;
    }
}

/* value = factor * product of `count` of the mu, and its derivatives */
static double shape_product(int dimension, double factor, int count, const int *which, const double mu[MOST_MU],
                            double slope[MOST_MU][3], double *derivative)
{
    double value = factor;

    for (int k = 0; k < count; k++)
        value *= mu[which[k]];
    for (int c = 0; c < dimension; c++) {
        derivative[c] = 0.0;
        for (int k = 0; k < count; k++) {
            double term = factor * slope[which[k]][c];
            for (int l = 0; l < count; l++)
                term *= l == k ? 1.0 : mu[which[l]];
            derivative[c] += term;
        }
    }
    return value;
}

/* The mu whose product 4 prod mu is the function of an edge; returns their number. */
static int edge_factors(const reference *cell, const int edge[2], int which[MOST_FACTORS + 1])
{
    const int *a = cell->corner[edge[0]], *b = cell->corner[edge[1]];
    int count = 0;

    for (int f = 0; f < cell->factors; f++) {
        which[count++] = a[f];
        if (b[f] != a[f])
            which[count++] = b[f];
    }
    return count;
}

/* Shape functions of a cell at xi and, if dN is not NULL, their derivatives, node by node; quadratic cells by
 * corrections at mid-edge nodes. */
void phx_cell_shape(phx_cell_type type, const double *xi, double *N, double *dN)
{
    const phx_cell_info *info = phx_cell_info_of(type);
    const reference *cell = references[type];
    const int dimension = info->dimension;
    double mu[MOST_MU], slope[MOST_MU][3], d[PHX_CELL_MOST_NODES][3];

    barycentric(cell, xi, mu, slope);
    for (int a = 0; a < info->corners; a++)
        N[a] = shape_product(dimension, 1.0, cell->factors, cell->corner[a], mu, slope, d[a]);
    for (int m = info->corners; m < info->nodes; m++) {
        const int *edge = info->edge[m - info->corners];
        int which[MOST_FACTORS + 1];
        const int count = edge_factors(cell, edge, which);
        N[m] = shape_product(dimension, 4.0, count, which, mu, slope, d[m]);
        for (int end = 0; end < 2; end++) {
            N[edge[end]] -= 0.5 * N[m];
            for (int c = 0; c < dimension; c++)
                d[edge[end]][c] -= 0.5 * d[m][c];
        }
    }
    for (int a = 0; dN && a < info->nodes; a++)
        memcpy(dN + a * dimension, d[a], (size_t)dimension * sizeof *dN);
}

static void corner_place(const reference *cell, int corner, double *xi)
{
    int at = 0, c = 0;

    for (int f = 0; f < cell->factors; f++) {
        for (int k = 1; k <= cell->size[f]; k++, c++) {
            const double mu = cell->corner[corner][f] == at + k ? 1.0 : 0.0;
            xi[c] = cell->size[f] == 1 ? 2.0 * mu - 1.0 : mu;
        }
        at += cell->size[f] + 1;
    }
}

void phx_cell_node_place(phx_cell_type type, int a, double *xi)
{
    const phx_cell_info *info = phx_cell_info_of(type);
    double end[2][3];

    if (a < info->corners) {
        corner_place(references[type], a, xi);
        return;
    }
    for (int k = 0; k < 2; k++)
        corner_place(references[type], info->edge[a - info->corners][k], end[k]);
    for (int c = 0; c < info->dimension; c++)
        xi[c] = 0.5 * (end[0][c] + end[1][c]);
}

phx_cell_type phx_cell_linear(phx_cell_type type)
{
    int linear = 0;

    while (references[linear] != references[type] || phx_cell_info_of((phx_cell_type)linear)->order != 1)
        linear++;
    return (phx_cell_type)linear;
}

int phx_cell_factors(phx_cell_type type, int size[3])
{
    memcpy(size, references[type]->size, sizeof references[type]->size);
    return references[type]->factors;
}
