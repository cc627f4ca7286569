#include "signal.h"

#include <float.h>
#include <math.h>

/* Allocates a signal of a kind with n breaks and n_values values, all zero; *signal is set only on success. */
phx_status phx_signal_allocate(phx_context *context, signal_kind kind, int n, int n_values, phx_signal **signal)
{
    phx_signal *made = phx_calloc(context, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    made->kind = kind;
    made->n_breaks = n;
    made->breaks = phx_calloc(context, (size_t)n, sizeof *made->breaks);
    made->values = n_values > 0 ? phx_calloc(context, (size_t)n_values, sizeof *made->values) : NULL;
    if (!made->breaks || (n_values > 0 && !made->values)) {
        phx_signal_destroy(made);
        return PHX_ERR_MEMORY;
    }
    *signal = made;
    return PHX_OK;
}

phx_status phx_signal_create_constant(phx_context *context, double value, phx_signal **signal)
{
    if (!signal)
        return phx_fail_null(context, __func__, "signal");
    if (!isfinite(value))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a constant signal is %g; it must be finite", value);
    const phx_status status = phx_signal_allocate(context, SIGNAL_CONSTANT, 0, 0, signal);
    if (status == PHX_OK)
        (*signal)->constant = value;
    return phx_conclude(context, status);
}

/* Checks a table: at least one point, all finite, and strictly increasing times. */
phx_status phx_signal_check_table(phx_context *context, int count, const double *times, const double *values)
{
    if (count < 1 || !times || !values)
        return phx_fail(context, PHX_ERR_ARGUMENT, "a signal's table has %d points; it must have at least one", count);
    for (int i = 0; i < count; i++) {
        if (!isfinite(times[i]) || !isfinite(values[i]))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "point %d of a signal's table is (%g, %g); times and values must be finite", i + 1,
                            times[i], values[i]);
        if (i > 0 && times[i] <= times[i - 1])
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "point %d of a signal's table is at t = %.17g s, not after the point before it at %.17g s; "
                            "times must increase strictly",
                            i + 1, times[i], times[i - 1]);
    }
    return PHX_OK;
}

phx_status phx_signal_create_table(phx_context *context, int count, const double *times, const double *values,
                                   phx_signal **signal)
{
    if (!signal || (count > 0 && (!times || !values)))
        return phx_fail_null(context, __func__, "times, values or signal");
    phx_status status = phx_signal_check_table(context, count, times, values);
    if (status == PHX_OK)
        status = phx_signal_allocate(context, SIGNAL_TABLE, count, count, signal);
    for (int i = 0; status == PHX_OK && i < count; i++) {
        (*signal)->breaks[i] = times[i];
        (*signal)->values[i] = values[i];
    }
    return phx_conclude(context, status);
}

/* Checks function and breaks of a signal: finite and ascending. */
static phx_status check_function(phx_context *context, phx_signal_fn *function, int n_breaks, const double *breaks)
{
    if (!function)
        return phx_fail(context, PHX_ERR_ARGUMENT, "a signal's function is NULL");
    if (n_breaks < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "a signal has %d breaks; the number must not be negative", n_breaks);
    for (int i = 0; breaks && i < n_breaks; i++) {
        if (!isfinite(breaks[i]))
            return phx_fail(context, PHX_ERR_ARGUMENT, "break %d of a signal is at t = %g s; it must be finite", i + 1,
                            breaks[i]);
        if (i > 0 && breaks[i] < breaks[i - 1])
            return phx_fail(
                context, PHX_ERR_ARGUMENT,
                "break %d of a signal is at t = %.17g s, before the one ahead of it at %.17g s; breaks must "
                "ascend",
                i + 1, breaks[i], breaks[i - 1]);
    }
    return PHX_OK;
}

/* Creates a signal from a function of time with known breaks. Takes over the data, which is freed also after a
 * failure. */
phx_status phx_signal_create_function(phx_context *context, phx_signal_fn *function, void *data,
                                      phx_signal_free_fn *free_data, int n_breaks, const double *breaks,
                                      phx_signal **signal)
{
    phx_status status = function && signal ? check_function(context, function, n_breaks, breaks)
                                           : phx_fail_null(context, __func__, "function or signal");
    if (status == PHX_OK)
        status = phx_signal_allocate(context, SIGNAL_FUNCTION, breaks ? n_breaks : 0, 0, signal);
    if (status != PHX_OK) {
        if (free_data)
            free_data(data);
        return status;
    }
    for (int i = 0; i < (*signal)->n_breaks; i++)
        (*signal)->breaks[i] = breaks[i];
    (*signal)->function = function;
    (*signal)->data = data;
    (*signal)->free_data = free_data;
    return phx_conclude(context, PHX_OK);
}

/* Creates a signal from a compiled expression, whose breaks are found from its affine conditions. Takes over the
 * program, also after a failure. */
phx_status phx_signal_create_program(phx_context *context, phx_program *program, phx_signal **signal)
{
    double breaks[PHX_PROGRAM_MOST_BREAKS];
    const int n_breaks = phx_program_breaks(program, breaks);
    const phx_status status = phx_signal_allocate(context, SIGNAL_PROGRAM, n_breaks, 0, signal);

    if (status) {
        phx_program_destroy(program);
        return status;
    }
    for (int i = 0; i < n_breaks; i++)
        (*signal)->breaks[i] = breaks[i];
    (*signal)->program = program;
    return phx_conclude(context, PHX_OK);
}

phx_status phx_signal_add_input(phx_context *context, const phx_signal_input *input, phx_signal **signal)
{
    const phx_status status = *signal ? PHX_OK : phx_signal_allocate(context, SIGNAL_CONSTANT, 0, 0, signal);

    if (!status)
        (*signal)->input = input;
    return status;
}

void phx_signal_destroy(phx_signal *signal)
{
    if (!signal)
        return;
    if (signal->free_data)
        signal->free_data(signal->data);
    phx_program_destroy(signal->program);
    phx_signal_destroy(signal->of);
    phx_free(signal->breaks);
    phx_free(signal->values);
    phx_free(signal);
}

int phx_signal_breaks_until(const phx_signal *signal, double t)
{
    int below = 0, above = signal->n_breaks; /* breaks[below-1] <= t < breaks[above] */
    while (below < above) {
        const int middle = below + (above - below) / 2;
        if (signal->breaks[middle] <= t)
            below = middle + 1;
        else
            above = middle;
    }
    return below;
}

static double table_value(const phx_signal *signal, double t)
{
    const int next = phx_signal_breaks_until(signal, t);
    if (next == 0)
        return signal->values[0];
    if (next == signal->n_breaks)
        return signal->values[next - 1];
    const double *time = signal->breaks + next, *value = signal->values + next;
    const double share = (t - time[-1]) / (time[0] - time[-1]);
    return (1.0 - share) * value[-1] + share * value[0];
}

double phx_signal_after_break(const phx_signal *signal, double t)
{
    static const double INSIDE = 8.0 * DBL_EPSILON; /* of a time: beyond what rounding makes of a condition's place */
    const int until = signal->n_breaks > 0 ? phx_signal_breaks_until(signal, t) : 0;
    const double after = until > 0 ? signal->breaks[until - 1] + INSIDE * fabs(t) : t;

    return fmax(t, after);
}

static double program_value(const phx_signal *signal, double t, double s)
{
    const double variables[] = {phx_signal_after_break(signal, t), s};
    return phx_program_value(signal->program, variables);
}

/* Without its input. */
static double own_value(const phx_signal *signal, double t, double s)
{
    double jet[3];
    switch (signal->kind) {
    case SIGNAL_CONSTANT:
        return signal->constant;
    case SIGNAL_TABLE:
        return table_value(signal, t);
    case SIGNAL_POLYNOMIALS:
        phx_signal_polynomial(signal, t, jet);
        return jet[0];
    case SIGNAL_FUNCTION:
        return signal->function(signal->data, t, s);
    case SIGNAL_PROGRAM:
        return program_value(signal, t, s);
    case SIGNAL_DERIVATIVE:
        return phx_signal_derivative(signal->of, t, 1);
    case SIGNAL_SHAPED:
        return phx_signal_shaped_value(signal, t, s);
    }
    return 0.0;
}

static double input_value(const phx_signal_input *input, double t)
{
    return input->slope == 0.0 ? input->value : input->value + input->slope * (t - input->since);
}

double phx_signal_value_at(const phx_signal *signal, double t, double s)
{
    if (!signal)
        return 0.0;
    const double own = own_value(signal, t, s);
    return signal->input ? own + input_value(signal->input, t) : own;
}

double phx_signal_value(const phx_signal *signal, double t)
{
    return phx_signal_value_at(signal, t, 0.0);
}

/* Mean over [t0, t1], on which the signal is smooth, by Gauss's rule with five points. */
static double gauss_mean(const phx_signal *signal, double t0, double t1)
{
    static const double point[] = {0.0, 0.53846931010568309, 0.90617984593866399};
    static const double weight[] = {0.28444444444444444, 0.23931433524968324, 0.11846344252809454};
    const double middle = 0.5 * (t0 + t1), half = 0.5 * (t1 - t0);
    double mean = weight[0] * own_value(signal, middle, 0.0);
    for (int i = 1; i < 3; i++)
        mean += weight[i] *
                (own_value(signal, middle - half * point[i], 0.0) + own_value(signal, middle + half * point[i], 0.0));
    return mean;
}

/* Without its input, t0 <= t1. */
static double own_mean(const phx_signal *signal, double t0, double t1)
{
    if (t0 == t1 || phx_signal_is_fixed(signal))
        return own_value(signal, t0, 0.0);
    if (signal->kind == SIGNAL_DERIVATIVE) /* exactly, so that what follows it stays on it */
        return (phx_signal_value(signal->of, t1) - phx_signal_value(signal->of, t0)) / (t1 - t0);
    if (signal->kind == SIGNAL_SHAPED)
        return phx_signal_shaped_mean(signal, t0, t1);
    /* mean = sum over the pieces between breaks of (piece / (t1 - t0)) * mean over the piece */
    double mean = 0.0, from = t0;
    for (int i = phx_signal_breaks_until(signal, t0); from < t1; i++) {
        const double to = i < signal->n_breaks && signal->breaks[i] < t1 ? signal->breaks[i] : t1;
        if (to > from)
            mean += (to - from) / (t1 - t0) * gauss_mean(signal, from, to);
        from = to;
    }
    return mean;
}

double phx_signal_mean(const phx_signal *signal, double t0, double t1)
{
    if (!signal)
        return 0.0;
    const double own = own_mean(signal, fmin(t0, t1), fmax(t0, t1));
    return signal->input ? own + input_value(signal->input, 0.5 * (t0 + t1)) : own;
}

bool phx_signal_is_constant(const phx_signal *signal)
{
    if (!signal)
        return true;
    if (signal->of)
        return !signal->input && phx_signal_is_constant(signal->of);
    return !signal->input &&
           (signal->kind == SIGNAL_CONSTANT || (signal->kind == SIGNAL_TABLE && signal->n_breaks == 1));
}

bool phx_signal_is_steady(const phx_signal *signal)
{
    if (signal && signal->kind == SIGNAL_SHAPED)
        return !signal->input && phx_signal_is_steady(signal->of);
    return phx_signal_is_constant(signal) || (!signal->input && phx_signal_is_fixed(signal));
}

int phx_signal_points(const phx_signal *signal, const double **times, const double **values)
{
    if (!signal || signal->kind != SIGNAL_TABLE)
        return 0;
    if (times)
        *times = signal->breaks;
    if (values)
        *values = signal->values;
    return signal->n_breaks;
}

double phx_signal_next_break(const phx_signal *signal, double t)
{
    if (signal && signal->kind == SIGNAL_DERIVATIVE)
        return phx_signal_next_break(signal->of, t);
    if (signal && signal->kind == SIGNAL_SHAPED)
        return phx_signal_shaped_next_break(signal, t);
    if (!signal || !phx_signal_is_function(signal))
        return HUGE_VAL;
    const int next = phx_signal_breaks_until(signal, t);
    return next < signal->n_breaks ? signal->breaks[next] : HUGE_VAL;
}
