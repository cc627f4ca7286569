/* Shape functions of all cells as products of simplices. */
#include "shape.h"

#include <string.h>

enum { MOST_FACTORS = 3, MOST_MU = 6, MOST_CORNERS = 8, MOST_EDGES = 12 };

/* The barycentric coordinates mu of the simplices stand one after the other; a corner has one of each simplex. */
typedef struct reference {
    int dimension, corners, edges, factors;
    int size[MOST_FACTORS];                 /* dimension of each simplex */
    int corner[MOST_CORNERS][MOST_FACTORS]; /* mu, per simplex */
    int edge[MOST_EDGES][2];                /* the corners with each further node between them */
    phx_cell_type linear;
} reference;

static const reference line = {1, 2, 1, 1, {1}, {{0}, {1}}, {{0, 1}}, PHX_CELL_LINE2};
static const reference triangle = {2, 3, 3, 1, {2}, {{0}, {1}, {2}}, {{0, 1}, {1, 2}, {2, 0}}, PHX_CELL_TRI3};
static const reference quadrangle = {
    2, 4, 4, 2, {1, 1}, {{0, 2}, {1, 2}, {1, 3}, {0, 3}}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, PHX_CELL_QUAD4};
static const reference tetrahedron = {.dimension = 3,
                                      .corners = 4,
                                      .edges = 6,
                                      .factors = 1,
                                      .size = {3},
                                      .corner = {{0}, {1}, {2}, {3}},
                                      .edge = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
                                      .linear = PHX_CELL_TET4};
static const reference hexahedron = {
    .dimension = 3,
    .corners = 8,
    .edges = 12,
    .factors = 3,
    .size = {1, 1, 1},
    .corner = {{0, 2, 4}, {1, 2, 4}, {1, 3, 4}, {0, 3, 4}, {0, 2, 5}, {1, 2, 5}, {1, 3, 5}, {0, 3, 5}},
    .edge = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
    .linear = PHX_CELL_HEX8};
static const reference wedge = {.dimension = 3,
                                .corners = 6,
                                .edges = 9,
                                .factors = 2,
                                .size = {2, 1},
                                .corner = {{0, 3}, {1, 3}, {2, 3}, {0, 4}, {1, 4}, {2, 4}},
                                .edge = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
                                .linear = PHX_CELL_WEDGE6};

static const struct {
    const reference *cell;
    bool quadratic;
} references[PHX_CELL_TYPES] = {
    [PHX_CELL_LINE2] = {&line, false},       [PHX_CELL_LINE3] = {&line, true},
    [PHX_CELL_TRI3] = {&triangle, false},    [PHX_CELL_TRI6] = {&triangle, true},
    [PHX_CELL_QUAD4] = {&quadrangle, false}, [PHX_CELL_QUAD8] = {&quadrangle, true},
    [PHX_CELL_TET4] = {&tetrahedron, false}, [PHX_CELL_TET10] = {&tetrahedron, true},
    [PHX_CELL_HEX8] = {&hexahedron, false},  [PHX_CELL_HEX20] = {&hexahedron, true},
    [PHX_CELL_WEDGE6] = {&wedge, false},     [PHX_CELL_WEDGE15] = {&wedge, true},
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
static double product(int dimension, double factor, int count, const int *which, const double mu[MOST_MU],
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
static int edge_factors(const reference *cell, int edge, int which[MOST_FACTORS + 1])
{
    const int *a = cell->corner[cell->edge[edge][0]], *b = cell->corner[cell->edge[edge][1]];
    int count = 0;

    for (int f = 0; f < cell->factors; f++) {
        which[count++] = a[f];
        if (b[f] != a[f])
            which[count++] = b[f];
    }
    return count;
}

void phx_cell_shape(phx_cell_type type, const double *xi, double *N, double *dN)
{
    const reference *cell = references[type].cell;
    const int dimension = cell->dimension;
    double mu[MOST_MU], slope[MOST_MU][3], d[MOST_CORNERS + MOST_EDGES][3];

    barycentric(cell, xi, mu, slope);
    for (int a = 0; a < cell->corners; a++)
        N[a] = product(dimension, 1.0, cell->factors, cell->corner[a], mu, slope, d[a]);
    const int edges = references[type].quadratic ? cell->edges : 0;
    for (int k = 0; k < edges; k++) {
        int which[MOST_FACTORS + 1];
        const int m = cell->corners + k, count = edge_factors(cell, k, which);
        N[m] = product(dimension, 4.0, count, which, mu, slope, d[m]);
        for (int end = 0; end < 2; end++) {
            const int a = cell->edge[k][end];
            N[a] -= 0.5 * N[m];
            for (int c = 0; c < dimension; c++)
                d[a][c] -= 0.5 * d[m][c];
        }
    }
    for (int a = 0; dN && a < cell->corners + edges; a++)
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
    const reference *cell = references[type].cell;

    if (a < cell->corners) {
        corner_place(cell, a, xi);
        return;
    }
    double end[2][3];
    for (int k = 0; k < 2; k++)
        corner_place(cell, cell->edge[a - cell->corners][k], end[k]);
    for (int c = 0; c < cell->dimension; c++)
        xi[c] = 0.5 * (end[0][c] + end[1][c]);
}

phx_cell_type phx_cell_linear(phx_cell_type type)
{
    return references[type].cell->linear;
}

int phx_cell_factors(phx_cell_type type, int size[3])
{
    const reference *cell = references[type].cell;

    memcpy(size, cell->size, sizeof cell->size);
    return cell->factors;
}
