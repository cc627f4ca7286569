/* Integrals of the functions on the reference triangle and on its edges. */
#include "triangle.h"

#include "fe/fe.h"

#include <string.h>

/* All functions at one point. */
typedef struct functions {
    phx_lagrange deflection;
    phx_slopes slope;
    phx_polynomials stress;
} functions;

static void tables_evaluate(int order, bool nedelec, const double lambda[3], phx_triangle_tables *t, functions *at)
{
    t->n_nodes = phx_triangle_lagrange(order + 1, lambda, &at->deflection);
    t->n_polynomials = phx_triangle_polynomials(order, lambda, &at->stress);
    if (nedelec) {
        t->n_slopes = phx_triangle_nedelec(order, lambda, &at->slope);
        return;
    }
    t->n_slopes = t->n_nodes;
    memcpy(at->slope.value, at->deflection.first, sizeof at->deflection.first);
    memcpy(at->slope.first, at->deflection.second, sizeof at->deflection.second);
}

/* Products with the stresses at a point of the triangle. */
static void add_work(const functions *at, double weight, phx_triangle_tables *t)
{
    for (int i = 0; i < t->n_polynomials; i++) {
        const double phi = weight * at->stress.value[i];
        for (int a = 0; a < 2; a++) {
            for (int j = 0; j < t->n_nodes; j++)
                t->gradient[i][j][a] += phi * at->deflection.first[j][a];
            for (int j = 0; j < t->n_slopes; j++) {
                t->slope[i][j][a] += phi * at->slope.value[j][a];
                for (int b = 0; b < 2; b++)
                    t->slope_gradient[i][j][a][b] += phi * at->slope.first[j][a][b];
            }
        }
    }
}

static void tables_add_mass(const functions *at, double weight, phx_triangle_tables *t)
{
    for (int i = 0; i < t->n_nodes; i++)
        for (int j = 0; j < t->n_nodes; j++)
            t->mass[i][j] += weight * at->deflection.value[i] * at->deflection.value[j];
    for (int i = 0; i < t->n_slopes; i++)
        for (int j = 0; j < t->n_slopes; j++)
            for (int ab = 0; ab < 4; ab++)
                t->slope_mass[i][j][ab / 2][ab % 2] += weight * at->slope.value[i][ab / 2] * at->slope.value[j][ab % 2];
}

static void add_edge_work(int e, const functions *at, const double *legendre, double weight, phx_triangle_tables *t)
{
    for (int i = 0; i < t->n_polynomials; i++) {
        const double phi = weight * at->stress.value[i];
        for (int j = 0; j < t->n_slopes; j++)
            for (int a = 0; a < 2; a++)
                t->edge_slope[e][i][j][a] += phi * at->slope.value[j][a];
        for (int m = 0; m < t->n_legendre; m++)
            t->edge_legendre[e][i][m] += phi * legendre[m];
    }
}

/* Tabulates the integrals of shape functions and stress polynomials over the reference triangle and its edges. */
void phx_triangle_tabulate(int order, bool nedelec, phx_triangle_tables *tables)
{
    double lambda[PHX_TRIANGLE_POINTS][3], weight[PHX_TRIANGLE_POINTS];
    double s[PHX_TRIANGLE_RULE], edge_weight[PHX_TRIANGLE_RULE], legendre[PHX_TRIANGLE_LEGENDRE];
    functions at;

    memset(tables, 0, sizeof *tables);
    tables->n_legendre = order + 1;
    phx_triangle_rule(lambda, weight);
    for (int g = 0; g < PHX_TRIANGLE_POINTS; g++) {
        tables_evaluate(order, nedelec, lambda[g], tables, &at);
        add_work(&at, weight[g], tables);
        tables_add_mass(&at, weight[g], tables);
    }
    phx_gauss(PHX_TRIANGLE_RULE, s, edge_weight);
    for (int e = 0; e < 3; e++)
        for (int g = 0; g < PHX_TRIANGLE_RULE; g++) {
            double point[3];
            phx_triangle_edge_point(e, s[g], point);
            phx_triangle_legendre(s[g], legendre);
            tables_evaluate(order, nedelec, point, tables, &at);
            add_edge_work(e, &at, legendre, edge_weight[g], tables);
        }
}
