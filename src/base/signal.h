/* The struct of a signal; private to the layer base. */
#ifndef PHX_BASE_SIGNAL_H
#define PHX_BASE_SIGNAL_H

#include "base/base.h"

typedef enum signal_kind {
    SIGNAL_CONSTANT,
    SIGNAL_TABLE,
    SIGNAL_POLYNOMIALS, /* signal_profiles.c */
    SIGNAL_FUNCTION,
    SIGNAL_PROGRAM,
    SIGNAL_DERIVATIVE, /* signal_rate.c */
    SIGNAL_SHAPED      /* signal_shaped.c */
} signal_kind;

struct phx_signal {
    signal_kind kind;
    double constant;
    int n_breaks;   /* table: number of points */
    double *breaks; /* n_breaks, s, ascending; table: the times of the points */
    double *values; /* table: n_breaks; polynomials: degree + 1 for each piece, in powers of t - its first break */
    int degree;     /* of the polynomials; shaped: the number of copies */
    phx_signal_fn *function;
    void *data;
    phx_signal_free_fn *free_data;
    phx_program *program;
    phx_signal *of;                /* of a derivative or a shaped signal: the signal it is made of, owned */
    const phx_signal_input *input; /* is added to all of this; NULL: nothing is */
};

/* Whether its breaks are declared: a function, a program. */
static inline bool phx_signal_is_function(const phx_signal *signal)
{
    return signal->kind == SIGNAL_FUNCTION || signal->kind == SIGNAL_PROGRAM;
}

/* Without its input: a number, or an expression of parameters alone. */
static inline bool phx_signal_is_fixed(const phx_signal *signal)
{
    return signal->kind == SIGNAL_CONSTANT || (signal->kind == SIGNAL_PROGRAM && !phx_program_varies(signal->program));
}

/* Number of breaks at or before t. */
int phx_signal_breaks_until(const phx_signal *signal, double t);
/* t, or where t is on a break of an expression a time that is surely behind it: on a break the piece after it counts,
 * whether the text says `t > 1` or `t >= 1`. */
double phx_signal_after_break(const phx_signal *signal, double t);
/* Polynomials: value and first two derivatives at t; constant outside. */
void phx_signal_polynomial(const phx_signal *signal, double t, double jet[3]);
/* A shaped signal without its input. */
double phx_signal_shaped_value(const phx_signal *signal, double t, double s);
double phx_signal_shaped_derivative(const phx_signal *signal, double t, int order);
double phx_signal_shaped_mean(const phx_signal *signal, double t0, double t1);
double phx_signal_shaped_next_break(const phx_signal *signal, double t);
/* Memory for a signal with n breaks and n_values values. */
phx_status phx_signal_allocate(phx_context *context, signal_kind kind, int n, int n_values, phx_signal **signal);
/* Finite numbers at times that increase. */
phx_status phx_signal_check_table(phx_context *context, int count, const double *times, const double *values);

#endif
