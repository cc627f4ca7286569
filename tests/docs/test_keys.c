/* docs/keys.md is what the reader's schema writes. */
#include <phlexor/model.h>

#include "support/testing.h"
#include "base/base.h"
#include "model/model.h"

static const char path[] = PHX_SOURCE_DIR "/docs/keys.md";

/* The file with a zero behind it; NULL when it cannot be read. */
static char *read_file(phx_context *context)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0, room = 1 << 20;
    char *text = file ? phx_calloc(context, room, 1) : NULL;
    if (text)
        size = fread(text, 1, room - 1, file);
    if (file)
        fclose(file);
    if (text && size == room - 1) { /* far larger than any table of keys */
        phx_free(text);
        return NULL;
    }
    return text;
}

static int line_of_difference(const char *a, const char *b)
{
    int line = 1;
    for (; *a && *a == *b; a++, b++)
        line += *a == '\n';
    return line;
}

static void test_keys(void **state)
{
    phx_context *context = NULL;
    char *want = NULL, *text = NULL;
    (void)state;

    assert_int_equal(phx_context_create(&context), PHX_OK);
    assert_int_equal(phx_model_schema_markdown(context, &want), PHX_OK);
    text = read_file(context);
    if (!text)
        fail_msg("%s cannot be read", path);
    if (strcmp(text, want) != 0)
        fail_msg("%s:%d: not what the schema says; write it anew: phlexor schema > docs/keys.md", path,
                 line_of_difference(text, want));
    phx_free(text);
    phx_free(want);
    phx_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
