/* Shared by the tests of layer fe: beams, an independent quadrature. */
#ifndef PHLEXOR_TESTS_FE_SUPPORT_H
#define PHLEXOR_TESTS_FE_SUPPORT_H

#include <phlexor/fe.h>

#include "support/testing.h"

enum { QUADRATURE_POINTS = 10 };

/* A definition with plain values that differ from one another. */
phx_beam_def test_def(int dim, int order, phx_reference reference, int elements);
/* Create or fail the test. */
phx_beam *test_beam(phx_context *context, const phx_beam_def *def);
const char *reference_name(phx_reference reference);

/* 10-point Gauss rule on [0,1], from its published digits. */
extern const double quadrature_point[QUADRATURE_POINTS];
extern const double quadrature_weight[QUADRATURE_POINTS];

/* y = A x on the pattern of the flex; returns x^T A y for two vectors. */
double flex_form(const phx_flex *flex, const double *matrix, const double *x, const double *y);
/* Displacement (dim) and section rotation (n_rot) of a point for coordinates q. */
void point_motion(const phx_flex *flex, const phx_flex_point *point, const double *q, double u[3], double theta[3]);
/* Dense n x n copy of a matrix of the flex, row-major; free with phx_free. */
double *flex_dense(phx_context *context, const phx_flex *flex, const double *matrix);
/* The mixed form: M2 sigma = D q, and sigma M2 sigma = q K q, for random q. */
void check_mixed(const phx_flex *flex, const char *what);

#endif
