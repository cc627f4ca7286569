/* Matrices that depend on parameters: fit by polynomials on a grid, realisation with few repeated parameters. */
#ifndef PHX_LFT_LFT_H
#define PHX_LFT_LFT_H

#include "linear/linear.h"

/* ---- polynomial.c: matrices that are polynomials in n parameters ----
 *
 *     P(delta) = sum over i of P_i delta_1^i_1 .. delta_n^i_n,   0 <= i_k <= d_k
 *
 * coefficients in this order, the last index fastest. */

/* The points of a fit, all combinations of the nodes; the last parameter varies fastest. */
typedef struct phx_fit_grid {
    int n;
    const int *counts;    /* n */
    double *const *nodes; /* n arrays of counts[k] distinct values in [-1, 1] */
} phx_fit_grid;
size_t phx_fit_points(const phx_fit_grid *grid);
size_t phx_polynomial_terms(int n, const int *degrees);

/* Entries of the matrices and what they are worth: an error counts as |error| weight. */
typedef struct phx_fit_data {
    size_t cells;
    const double *values; /* points x cells */
    const double *weight; /* cells */
} phx_fit_data;

/* The least degree along parameter k, up to `most`, whose fit on every line has errors up to `aim`, also at inner
 * values that are left out; with none the degree that comes closest. */
phx_status phx_polynomial_degree(phx_context *context, const phx_fit_grid *grid, const phx_fit_data *data, int k,
                                 int most, double aim, int *degree);
/* Least squares; coefficients: terms x cells, allocated. */
phx_status phx_polynomial_fit(phx_context *context, const phx_fit_grid *grid, const phx_fit_data *data,
                              const int *degrees, double **coefficients);
/* The largest errors: at the points, and at the inner nodes of each parameter in turn when all points with that node
 * are left out (NAN where the others do not suffice). */
phx_status phx_polynomial_errors(phx_context *context, const phx_fit_grid *grid, const phx_fit_data *data,
                                 const int *degrees, double *at_points, double *held_out);
void phx_polynomial_at(int n, const int *degrees, size_t cells, const double *coefficients, const double *delta,
                       double *value);

/* ---- horner.c ----
 *
 *     P(delta) = X_11 + X_12 Delta (I - X_22 Delta)^-1 X_21,   Delta = diag(delta_1 I, .., delta_n I)
 */
typedef struct phx_realisation {
    int rows, cols, r; /* of P; size of Delta */
    int *sizes;        /* n, of the blocks of Delta in the order of the parameters */
    double *X;         /* (rows + r) x (cols + r) */
} phx_realisation;
/* One parameter after the other by Horner's scheme, with the singular values of what follows up to `tolerance` left
 * out; the order of the parameters and the side, rows or columns, with the fewest repetitions (Morton's method for
 * degree 1). */
phx_status phx_horner(phx_context *context, int n, const int *degrees, int rows, int cols, const double *coefficients,
                      double tolerance, phx_realisation *out);
void phx_realisation_free(phx_realisation *realisation);
/* P(delta), rows x cols, of the realisation. */
phx_status phx_realisation_at(phx_context *context, int n, const phx_realisation *realisation, const double *delta,
                              double *P);

#endif
