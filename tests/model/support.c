#include "support.h"
#include "base/base.h"

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
