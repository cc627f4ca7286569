/* Phlexor, layer continuum (private): the spaces of plates on a triangle, and their integrals on the reference
 * triangle.
 *
 * Barycentric coordinates lambda_0, lambda_1, lambda_2; the reference coordinates are lambda_1 and lambda_2. An affine
 * triangle has the gradients G_a = grad lambda_a (a = 1, 2), and every integral on it is a contraction of a table with
 * them: a gradient is d_a f G_a, a vector field with the components s_a on the reference triangle is s_a G_a.
 *
 *   deflections  Lagrange P_{k+1}: corners, then k nodes on each edge (from corner e to corner e+1), then the interior
 *   slopes       Kirchhoff: gradients of the deflections; Mindlin: Nedelec's second kind P_k, on each edge Legendre
 *                polynomials as tangential components (times the length of the edge), then the interior
 *   stresses     orthonormal polynomials phi_i of P_k, mean(phi_i phi_j) = delta_ij, phi_0 = 1
 *   edges        Legendre polynomials P_m(2s - 1), s from 0 at corner e to 1 at corner e+1 */
#ifndef PHLEXOR_CONTINUUM_PLATE_TRIANGLE_H
#define PHLEXOR_CONTINUUM_PLATE_TRIANGLE_H

#include <stdbool.h>

enum {
    PHX_TRIANGLE_NODES = 10,      /* most Lagrange functions: P3 */
    PHX_TRIANGLE_SLOPES = 12,     /* most vector functions: Nedelec P2 */
    PHX_TRIANGLE_POLYNOMIALS = 6, /* most functions of a stress: P2 */
    PHX_TRIANGLE_LEGENDRE = 3,    /* most functions of an edge: P2 */
    PHX_TRIANGLE_RULE = 4,        /* Gauss points of an edge; of a triangle as many squared; exact to degree 6 */
    PHX_TRIANGLE_POINTS = PHX_TRIANGLE_RULE * PHX_TRIANGLE_RULE
};

/* Values, first and second derivatives by lambda_1 and lambda_2 at a point, of Lagrange functions of degree 1, 2 or 3.
 */
typedef struct phx_lagrange {
    double value[PHX_TRIANGLE_NODES], first[PHX_TRIANGLE_NODES][2], second[PHX_TRIANGLE_NODES][2][2];
} phx_lagrange;
int phx_triangle_lagrange(int degree, const double lambda[3], phx_lagrange *out); /* their number */
/* Barycentric coordinates of the nodes; their number. */
int phx_triangle_nodes(int degree, double lambda[PHX_TRIANGLE_NODES][3]);

/* Components s_a and derivatives d_b s_a of vector functions at a point. */
typedef struct phx_slopes {
    double value[PHX_TRIANGLE_SLOPES][2], first[PHX_TRIANGLE_SLOPES][2][2];
} phx_slopes;
int phx_triangle_nedelec(int order, const double lambda[3], phx_slopes *out); /* order 1 or 2 */

/* phi_i and its derivatives. */
typedef struct phx_polynomials {
    double value[PHX_TRIANGLE_POLYNOMIALS], first[PHX_TRIANGLE_POLYNOMIALS][2];
} phx_polynomials;
int phx_triangle_polynomials(int order, const double lambda[3], phx_polynomials *out); /* order 0, 1 or 2 */

void phx_triangle_legendre(double s, double value[PHX_TRIANGLE_LEGENDRE]);

/* Integration of degree 6: points and weights of the mean over the triangle. */
void phx_triangle_rule(double lambda[PHX_TRIANGLE_POINTS][3], double weight[PHX_TRIANGLE_POINTS]);
/* The point s of edge e. */
void phx_triangle_edge_point(int e, double s, double lambda[3]);

typedef struct phx_triangle_tables {
    int n_nodes, n_slopes, n_polynomials, n_legendre;
    double mass[PHX_TRIANGLE_NODES][PHX_TRIANGLE_NODES];                        /* mean(L_i L_j) */
    double gradient[PHX_TRIANGLE_POLYNOMIALS][PHX_TRIANGLE_NODES][2];           /* mean(phi_i d_a L_j) */
    double slope_gradient[PHX_TRIANGLE_POLYNOMIALS][PHX_TRIANGLE_SLOPES][2][2]; /* mean(phi_i d_b s_ja) */
    double edge_slope[3][PHX_TRIANGLE_POLYNOMIALS][PHX_TRIANGLE_SLOPES][2];     /* int_0^1 phi_i s_ja ds */
    double edge_legendre[3][PHX_TRIANGLE_POLYNOMIALS][PHX_TRIANGLE_LEGENDRE];   /* int_0^1 phi_i P_m ds */
    double slope[PHX_TRIANGLE_POLYNOMIALS][PHX_TRIANGLE_SLOPES][2];             /* mean(phi_i s_ja) */
    double slope_mass[PHX_TRIANGLE_SLOPES][PHX_TRIANGLE_SLOPES][2][2];          /* mean(s_ia s_jb) */
} phx_triangle_tables;
/* Of order k. `nedelec`: the slopes are Nedelec's, else gradients of the deflections. */
void phx_triangle_tabulate(int order, bool nedelec, phx_triangle_tables *tables);

#endif
