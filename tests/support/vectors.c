#include "vectors.h"

char *vectors_next(char **text)
{
    char *begin = strchr(*text, '{');
    char *end = begin ? strchr(begin, '}') : NULL;
    if (!end)
        return NULL;
    *end = '\0';
    *text = end + 1;
    return begin;
}

static const char *find_value(const char *object, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(object, quoted);
    return at ? at + strlen(quoted) : NULL;
}

void vectors_numbers(const char *object, const char *key, int n, double *value)
{
    const char *at = find_value(object, key);
    if (!at) {
        print_error("the key '%s' is missing\n", key);
        fail();
    }
    for (int i = 0; i < n; i++) {
        char *end;
        at += strspn(at, " \n[,");
        value[i] = strtod(at, &end);
        if (end == at) {
            print_error("key '%s': number %d is missing\n", key, i + 1);
            fail();
        }
        at = end;
    }
    at += strspn(at, " \n");
    assert_true(n == 1 ? *at == ',' || *at == '\0' : *at == ']');
}

double vectors_number(const char *object, const char *key)
{
    double value = NAN;
    vectors_numbers(object, key, 1, &value);
    return value;
}

bool vectors_value_is(const char *object, const char *key, const char *word)
{
    const char *at = find_value(object, key);
    assert_non_null(at);
    at += strspn(at, " \"");
    return strncmp(at, word, strlen(word)) == 0;
}

char *vectors_text(const char *name)
{
    enum { MOST = 100000 };
    char path[256];
    snprintf(path, sizeof path, PHX_SOURCE_DIR "/tests/data/%s", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = test_calloc(1, MOST);
    const size_t size = fread(text, 1, MOST - 1, file);
    fclose(file);
    assert_in_range(size, 100, MOST - 2);
    return text;
}

char *vectors_read(void)
{
    return vectors_text("beam_vectors.json");
}
