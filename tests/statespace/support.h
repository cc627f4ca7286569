/* What the tests of layer statespace share: checks that say by how much and where, random numbers. */
#ifndef PHLEXOR_TESTS_STATESPACE_SUPPORT_H
#define PHLEXOR_TESTS_STATESPACE_SUPPORT_H

#include <phlexor/statespace.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

/* Fail with residual, tolerance and place unless |got - want| <= tol. NaN fails. */
#define CHECK_CLOSE(got, want, tol, ...) check_close(__FILE__, __LINE__, (got), (want), (tol), __VA_ARGS__)
void check_close(const char *file, int line, double got, double want, double tol, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* Fail, with the message of the context, unless the status is the expected one. */
#define CHECK_STATUS(context, status, expected) check_status(__FILE__, __LINE__, (context), (status), (expected))
void check_status(const char *file, int line, const phx_context *context, phx_status status, phx_status expected);
/* Fail unless every entry is bitwise the same number. */
#define CHECK_SAME(a, b, what) check_same(__FILE__, __LINE__, (a), (b), (what))
void check_same(const char *file, int line, const phx_csr *a, const phx_csr *b, const char *what);
/* Fail unless the message of the context contains the text. */
void check_message(const phx_context *context, const char *text);

/* Setup and teardown of cmocka: *state is a phx_context. */
int context_setup(void **state);
int context_teardown(void **state);

/* Reproducible numbers in [-1, 1]. */
double random_value(uint64_t *seed);
void random_vector(uint64_t *seed, int n, double scale, double *x);
double dot_product(int n, const double *a, const double *b);

#endif
