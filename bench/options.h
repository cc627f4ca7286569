/* Options of a benchmark: words in pairs, `--name value`. */
#ifndef PHX_BENCH_OPTIONS_H
#define PHX_BENCH_OPTIONS_H

#include <stdbool.h>

typedef struct bench_option {
    const char *name;  /* "--csv" */
    const char **text; /* where the value goes: one of the three */
    int *count;
    double *number;
} bench_option;

/* The arguments of main. Values that are not given stay; false for a word that is no option or lacks its value. */
bool bench_read_options(int n_options, const bench_option *options, int count, char **words);

#endif
