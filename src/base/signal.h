/* The struct of a signal; private to the layer base. */
#ifndef PHX_BASE_SIGNAL_H
#define PHX_BASE_SIGNAL_H

#include "base/base.h"

typedef enum signal_kind { SIGNAL_CONSTANT, SIGNAL_TABLE, SIGNAL_FUNCTION, SIGNAL_PROGRAM } signal_kind;

struct phx_signal {
    signal_kind kind;
    double constant;
    int n_breaks;   /* table: number of points */
    double *breaks; /* n_breaks, s, ascending; table: the times of the points */
    double *values; /* table: n_breaks; else NULL */
    phx_signal_fn *function;
    void *data;
    phx_signal_free_fn *free_data;
    phx_program *program;
    const phx_signal_input *input; /* is added to all of this; NULL: nothing is */
};

/* Whether its breaks are declared: a function, a program. */
static inline bool phx_signal_is_function(const phx_signal *signal)
{
    return signal->kind == SIGNAL_FUNCTION || signal->kind == SIGNAL_PROGRAM;
}

/* Number of breaks at or before t. */
int phx_signal_breaks_until(const phx_signal *signal, double t);

#endif
