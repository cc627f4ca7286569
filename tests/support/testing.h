/* Shared by all tests: cmocka with the headers it wants, checks that say by how much and where, the fixture of a
 * context, reproducible numbers. A NaN fails every check. */
#ifndef PHLEXOR_TESTS_SUPPORT_TESTING_H
#define PHLEXOR_TESTS_SUPPORT_TESTING_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <phlexor/base.h>

#define TEST_PI 3.14159265358979323846

/* TEST_LONG: how many of `count` steps or shapes a long test takes: all in the optimised build, which shows what
 * accumulates, a tenth under sanitizers, which look at the same code once more, slowly. TEST_SHORTER says both numbers.
 * Tolerances are the same. Scripts ask for PHLEXOR_TEST_SHORT, which the presets of sanitizers and Valgrind set. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TEST_SANITIZED
#endif
#ifdef TEST_SANITIZED
#define TEST_SHORTER(full, sanitized) (sanitized)
#else
#define TEST_SHORTER(full, sanitized) (full)
#endif
#define TEST_LONG(count) TEST_SHORTER(count, (count) / 10)

/* ---- checks: the place, a number, what was wanted, and what it is about (as for printf) ---- */
/* |got - want| <= tol */
#define CHECK_CLOSE(got, want, tol, ...) check_close(__FILE__, __LINE__, (got), (want), (tol), __VA_ARGS__)
/* |got - want| <= rtol |want| */
#define CHECK_RELATIVE(got, want, rtol, ...)                                                                           \
    check_close(__FILE__, __LINE__, (got), (want), (rtol)*fabs(want), __VA_ARGS__)
/* |residual| <= tol */
#define CHECK_SMALL(residual, tol, ...) check_close(__FILE__, __LINE__, (residual), 0.0, (tol), __VA_ARGS__)
void check_close(const char *file, int line, double got, double want, double tol, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* low <= value <= high */
#define CHECK_BETWEEN(value, low, high, ...) check_between(__FILE__, __LINE__, (value), (low), (high), __VA_ARGS__)
/* value <= high */
#define CHECK_BELOW(value, high, ...) check_between(__FILE__, __LINE__, (value), -HUGE_VAL, (high), __VA_ARGS__)
void check_between(const char *file, int line, double value, double low, double high, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* max |got_i - want_i| <= tol max(1, max |want_i|) */
#define CHECK_VECTOR(n, got, want, tol, ...) check_vector(__FILE__, __LINE__, (n), (got), (want), (tol), __VA_ARGS__)
void check_vector(const char *file, int line, int n, const double *got, const double *want, double tol,
                  const char *format, ...) __attribute__((format(printf, 7, 8)));

/* The status is the one expected; else the message of the context is printed. */
#define CHECK_STATUS(context, status, expected) check_status(__FILE__, __LINE__, (context), (status), (expected))
#define CHECK_OK(context, status)               check_status(__FILE__, __LINE__, (context), (status), PHX_OK)
void check_status(const char *file, int line, const phx_context *context, phx_status status, phx_status expected);
/* The text, the last message of the context, contains the part. */
#define CHECK_TEXT(text, part)       check_text(__FILE__, __LINE__, (text), (part))
#define CHECK_MESSAGE(context, part) check_text(__FILE__, __LINE__, phx_context_message(context), (part))
void check_text(const char *file, int line, const char *text, const char *part);

/* ---- fixture of cmocka: *state is a phx_context ---- */
int context_setup(void **state);
int context_teardown(void **state);

/* ---- numbers ---- */
/* The same sequence in every run, even in [-1, 1]. */
double random_value(uint64_t *seed);
void random_vector(uint64_t *seed, int n, double scale, double *x);
double max_abs(int n, const double *x);
double dot_product(int n, const double *a, const double *b);

#endif
