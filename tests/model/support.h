/* What the tests of the model layer share. */
#ifndef PHLEXOR_TESTS_MODEL_SUPPORT_H
#define PHLEXOR_TESTS_MODEL_SUPPORT_H

#include <phlexor/model.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CHECK_NEAR(value, expected, tolerance) check_near(value, expected, tolerance, #value, __FILE__, __LINE__)
void check_near(double value, double expected, double tolerance, const char *what, const char *file, int line);

#define CHECK_OK(context, status) check_ok(context, status, __FILE__, __LINE__)
void check_ok(phx_context *context, phx_status status, const char *file, int line);

/* A model that must be readable, from PHX_SOURCE_DIR/path or from a text. */
phx_model *read_file(phx_context *context, const char *path);
phx_model *read_text(phx_context *context, const char *text);
/* Bytes of a file under PHX_SOURCE_DIR, with a terminating 0; free with phx_free. */
char *load_text(phx_context *context, const char *path);

int create_context(void **state);
int destroy_context(void **state);

#endif
