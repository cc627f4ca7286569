/* A reduction at work. */
#ifndef PHX_REDUCTION_WORK_H
#define PHX_REDUCTION_WORK_H

#include "linear/reduction/result.h"

typedef struct phx_reduction_work {
    phx_context *context;
    const phx_reduction_options *options;
    phx_full full;
    phx_projected all; /* all modes */
    phx_dominance dominance;
    phx_error_measure measure;
    double nominal;            /* damping that is measured with; 0: the model's */
    int lifted;                /* prescribed rates that move elastic modes, independent ones */
    phx_ph own;                /* with the model's damping, of first order with prescribed rates and nominal > 0 */
    double *balanced, *values; /* of lqg: all directions and characteristic values */
    phx_ph stored;             /* of xmin: the system in the coordinates of the least storage function, T x */
    double *T, shift;
} phx_reduction_work;

/* A reduction that has been tried. */
typedef struct phx_candidate {
    phx_projected projected; /* of second order */
    int k;                   /* of first order: states, and x = Z z of the full system */
    double *Z, *inner;       /* inner: the basis in the coordinates of the least storage function; NULL: Z */
    phx_ph ph;               /* scaled, as it was measured */
} phx_candidate;

static inline bool phx_first_order(const phx_reduction_work *work)
{
    return work->options->method >= PHX_REDUCE_IRKA;
}

static inline int phx_elastic_modes(const phx_reduction_work *work)
{
    return work->full.f - work->full.rigid;
}

/* options.c: what is asked for, against what there is. */
phx_status phx_reduction_check(phx_context *context, const phx_reduction_options *options);
phx_status phx_reduction_check_order(const phx_reduction_work *work, int order);
phx_status phx_reduction_choose_damping(phx_reduction_work *work);

/* candidate.c: the reduction with so many elastic coordinates, and its errors. */
phx_status phx_reduction_try(phx_reduction_work *work, int order, phx_candidate *out, phx_reduction_report *report);
void phx_candidate_free(phx_candidate *candidate);
/* candidate_first.c: by a method of first order. */
phx_status phx_reduction_build_first(phx_reduction_work *work, int order, phx_candidate *out,
                                     phx_reduction_report *report);

#endif
