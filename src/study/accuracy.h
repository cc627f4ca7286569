/* Runs to an accuracy. Private to the layer study.
 *
 * Runs over the whole time with shorter and shorter steps are compared at some instants. The change from a step h to
 * r h tells the error of the finer run, e = |y_h - y_rh| r^p / (1 - r^p), with the order p with which the changes fall;
 * from there the step is extrapolated to the error that is asked for. The first run that has it is the result. */
#ifndef PHLEXOR_STUDY_ACCURACY_H
#define PHLEXOR_STUDY_ACCURACY_H

#include "internal.h"

/* A quantity that is compared: columns of the outputs, measured by their length. */
typedef struct phx_compared {
    int first, end;
    bool attitude;                     /* a quaternion, the same as its negative */
    double metres, kilograms, seconds; /* powers of them in its unit; an angle has none */
    bool other;                        /* its unit has other powers: nothing tells how small it may be */
} phx_compared;

/* The outputs of a run at the instants of the comparison. */
struct phx_trace {
    phx_context *context;
    double start, interval; /* of the instants, s */
    int rows, room, n;
    double *values; /* room x n */
};

/* The outputs that are compared, and the cost of the runs. */
typedef struct phx_accuracy_choice {
    phx_accuracy asked;
    int n_compared;
    phx_compared *compared;
    double mass, reach, span; /* of the mechanism, kg and m, and of the motion, s: what is small against them counts for
                                 nothing */
    long runs, steps;
    char worst[300]; /* the output that decides */
} phx_accuracy_choice;
/* As phx_simulation_run. PHX_ERR_ANALYSIS where no step that can be counted gives the accuracy, PHX_ERR_INPUT where
 * there are no outputs, PHX_ERR_UNSUPPORTED for a continued run and for ida. */
phx_status phx_accuracy_run(phx_context *context, const phx_model *model, const phx_simulation_setup *setup,
                            phx_simulate_report *report, phx_simulation *s);

#endif
