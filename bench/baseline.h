/* The baseline: KLU alone on a matrix that Phlexor factors, with the same values and elimination order. */
#ifndef PHX_BENCH_BASELINE_H
#define PHX_BENCH_BASELINE_H

#include <stdbool.h>

typedef struct baseline {
    double refactor, solve; /* s, the least of several batches */
    int fill;               /* entries of L + U */
} baseline;

/* klu_refactor and the transposed solve (Phlexor's rows are KLU's columns) of the n x n matrix. False when KLU fails.
 */
bool baseline_measure(int n, const int *ptr, const int *idx, const int *order, const double *val, baseline *result);

#endif
