#include "options.h"

#include <stdlib.h>
#include <string.h>

static void take(const bench_option *option, const char *value)
{
    if (option->text)
        *option->text = value;
    else if (option->count)
        *option->count = atoi(value);
    else
        *option->number = strtod(value, NULL);
}

bool bench_read_options(int n_options, const bench_option *options, int count, char **words)
{
    for (int i = 1; i < count; i += 2) {
        int k = 0;
        while (k < n_options && strcmp(words[i], options[k].name) != 0)
            k++;
        if (k == n_options || i + 1 == count)
            return false;
        take(&options[k], words[i + 1]);
    }
    return true;
}
