#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void check_near(double value, double expected, double tolerance, const char *what, const char *file, int line)
{
    if (fabs(value - expected) <= tolerance)
        return;
    print_error("%s = %.17g, expected %.17g, difference %.3g, tolerance %.3g\n", what, value, expected,
                value - expected, tolerance);
    _fail(file, line);
}

void check_ok(phx_context *context, phx_status status, const char *file, int line)
{
    if (!status)
        return;
    print_error("%s: %s\n", phx_status_text(status), phx_context_message(context));
    _fail(file, line);
}

char *load_text(phx_context *context, const char *path)
{
    char full[1000];
    snprintf(full, sizeof full, PHX_SOURCE_DIR "/%s", path);
    FILE *file = fopen(full, "rb");
    if (!file)
        fail_msg("cannot open %s", full);
    char *text = phx_calloc(context, 1 << 20, 1);
    assert_non_null(text);
    size_t n = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    assert_true(n > 0);
    return text;
}

phx_model *read_file(phx_context *context, const char *path)
{
    char full[1000];
    phx_model *model = NULL;
    snprintf(full, sizeof full, PHX_SOURCE_DIR "/%s", path);
    CHECK_OK(context, phx_model_read(context, full, 0, NULL, &model));
    return model;
}

phx_model *read_text(phx_context *context, const char *text)
{
    phx_model *model = NULL;
    CHECK_OK(context, phx_model_read_text(context, "text", text, strlen(text), 0, NULL, &model));
    return model;
}

int create_context(void **state)
{
    phx_context *context = NULL;
    phx_status status = phx_context_create(&context);
    *state = context;
    return status;
}

int destroy_context(void **state)
{
    phx_context_destroy(*state);
    return 0;
}
