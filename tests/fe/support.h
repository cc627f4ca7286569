/* What the tests of layer fe share: checks that say by how much and where, beams, an independent quadrature. */
#ifndef PHLEXOR_TESTS_FE_SUPPORT_H
#define PHLEXOR_TESTS_FE_SUPPORT_H

#include <phlexor/fe.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

enum { QUADRATURE_POINTS = 10 };

/* Fail with residual, tolerance and place unless |got - want| <= tol. NaN fails. */
#define CHECK_CLOSE(got, want, tol, ...) check_close(__FILE__, __LINE__, (got), (want), (tol), __VA_ARGS__)
void check_close(const char *file, int line, double got, double want, double tol, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* Fail, with the message of the context, unless the status is the expected one. */
#define CHECK_STATUS(context, status, expected) check_status(__FILE__, __LINE__, (context), (status), (expected))
void check_status(const char *file, int line, const phx_context *context, phx_status status, phx_status expected);

/* Setup and teardown of cmocka: *state is a phx_context. */
int context_setup(void **state);
int context_teardown(void **state);

/* A definition with plain values that differ from one another. */
phx_beam_def test_def(int dim, int order, phx_reference reference, int elements);
/* Create or fail the test. */
phx_beam *test_beam(phx_context *context, const phx_beam_def *def);
const char *reference_name(phx_reference reference);

/* Reproducible numbers in [-1, 1]. */
double random_value(uint64_t *seed);
void random_vector(uint64_t *seed, int n, double scale, double *x);

/* 10-point Gauss rule on [0,1], from its published digits. */
extern const double quadrature_point[QUADRATURE_POINTS];
extern const double quadrature_weight[QUADRATURE_POINTS];

/* y = A x on the pattern of the flex; returns x^T A y for two vectors. */
double flex_form(const phx_flex *flex, const double *matrix, const double *x, const double *y);
/* Displacement (dim) and section rotation (n_rot) of a point for coordinates q. */
void point_motion(const phx_flex *flex, const phx_flex_point *point, const double *q, double u[3], double theta[3]);
/* Dense n x n copy of a matrix of the flex, row-major; free with phx_free. */
double *flex_dense(phx_context *context, const phx_flex *flex, const double *matrix);

#endif
