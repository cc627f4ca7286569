/* Minimisation of scaled functions; private to the layer optimize. */
#ifndef PHX_OPTIMIZE_OPTIMIZER_H
#define PHX_OPTIMIZE_OPTIMIZER_H

#include "base/base.h"

#include <phlexor/optimize.h>

/* min f(x), g(x) <= 0, h(x) = 0, lower <= x <= upper, all of the size of 1. */
typedef struct phx_optimizer {
    phx_model_optimizer method; /* not auto */
    int n, inequalities, equalities;
    const double *lower, *upper; /* n */
    double tolerance;            /* of f relative, of x, g and h absolute */
    int calls;                   /* of evaluate, for at most so many points */
    /* f, g and h at x, then (of mma and slsqp) their derivatives, a row of n for each; NULL: stop. */
    const double *(*evaluate)(void *user, const double *x);
    void *user;
} phx_optimizer;
/* From x to the end of the search, which is reported in `end`. PHX_ERR_LIBRARY without NLopt, PHX_ERR_MEMORY. A stop of
 * `evaluate` is no failure. */
phx_status phx_optimizer_run(phx_context *context, const phx_optimizer *optimizer, double *x, phx_optimum_end *end);

#endif
