/* Shared by the tests of the model layer. */
#ifndef PHLEXOR_TESTS_MODEL_SUPPORT_H
#define PHLEXOR_TESTS_MODEL_SUPPORT_H

#include <phlexor/model.h>

#include "support/testing.h"

#define CHECK_NEAR(value, expected, tolerance) CHECK_CLOSE(value, expected, tolerance, "%s", #value)

/* A model that must be readable, from PHX_SOURCE_DIR/path or from a text. */
phx_model *read_file(phx_context *context, const char *path);
phx_model *read_text(phx_context *context, const char *text);
/* Bytes of a file under PHX_SOURCE_DIR, with a terminating 0; free with phx_free. */
char *load_text(phx_context *context, const char *path);

#endif
