/* The time derivative of a signal.
 *
 * A function is differentiated by difference quotients on the smooth piece around t, extrapolated twice. The time scale
 * of the function is not known, so the step starts small, where rounding decides, and doubles until two estimates
 * differ by more than rounding explains; the one before is the answer. */
#include "signal.h"

#include <float.h>
#include <math.h>

static const double smallest_step = 1e-7; /* s; resolves signals up to some 10 kHz */
static const double largest_step = 0.1;   /* s */
static const double near_break = 1e-5;    /* s; closer to a break than this, quotients are one-sided */
static const double break_width = 1e-10; /* relative to max(1 s, |t|); a break may be this far from its declared time */

/* How quotients are taken: centred, or from t to one side. */
typedef struct stencil {
    const phx_signal *signal;
    double t;
    double side; /* 0: centred; +1, -1: to that side */
    double size; /* largest of |f| seen so far, for the rounding error */
} stencil;

static double signal_rate_sample(stencil *s, double t)
{
    const double value = phx_signal_value(s->signal, t);
    s->size = fmax(s->size, fabs(value));
    return value;
}

static double quotient(stencil *s, double h)
{
    const double from = s->side == 0.0 ? s->t - h : s->t;
    const double to = s->side == 0.0 ? s->t + h : s->t + s->side * h;
    return (signal_rate_sample(s, to) - signal_rate_sample(s, from)) / (to - from);
}

/* Richardson's extrapolation of the quotients at h, 2h and 4h. The error of a centred quotient is a series in h^2, of a
 * one-sided one in h; q is the ratio of the leading terms at 2h and h. */
static double extrapolate(const stencil *s, const double quotients[3])
{
    const double q = s->side == 0.0 ? 4.0 : 2.0;
    const double once = quotients[0] + (quotients[0] - quotients[1]) / (q - 1.0);
    const double once_twice = quotients[1] + (quotients[1] - quotients[2]) / (q - 1.0);
    return once + (once - once_twice) / (q * q - 1.0);
}

/* Bound of the rounding error of an estimate with step h: that of the values and that of t inside them. */
static double rounding(const stencil *s, double estimate, double h)
{
    return 8.0 * DBL_EPSILON * (s->size + fabs(s->t * estimate)) / h;
}

/* Derivative from quotients whose points stay within `room` of t. */
static double differentiate(stencil *s, double room)
{
    double h = fmin(smallest_step, 0.25 * room);
    double quotients[3] = {quotient(s, h), quotient(s, 2.0 * h), quotient(s, 4.0 * h)};
    double best = extrapolate(s, quotients);
    double error = rounding(s, best, h);
    for (h *= 2.0; h <= largest_step && 4.0 * h <= room; h *= 2.0) {
        quotients[0] = quotients[1];
        quotients[1] = quotients[2];
        quotients[2] = quotient(s, 4.0 * h);
        const double estimate = extrapolate(s, quotients);
        const double bound = rounding(s, estimate, h);
        if (!(fabs(estimate - best) <= error + bound))
            break;
        best = estimate;
        error = bound;
    }
    return best;
}

/* Numerical derivative of a function of time; near a break the stencil is one-sided, within the piece that t belongs
 * to. */
static double function_rate(const phx_signal *signal, double t)
{
    const int next = phx_signal_breaks_until(signal, t);
    double below = next > 0 ? t - signal->breaks[next - 1] : HUGE_VAL;
    double above = next < signal->n_breaks ? signal->breaks[next] - t : HUGE_VAL;
    stencil s = {.signal = signal, .t = t};
    /* On a break rounding decides which piece the function takes: move to the piece that t belongs to. */
    const double width = break_width * fmax(1.0, fabs(t));
    const double shift = below < width ? width : above < width ? -width : 0.0;
    s.t += shift;
    below += shift;
    above -= shift;
    if (fmin(below, above) >= near_break)
        return differentiate(&s, 0.9 * fmin(below, above));
    s.side = above >= below ? 1.0 : -1.0;
    return differentiate(&s, 0.9 * fmax(fmax(below, above), width));
}

static double table_rate(const phx_signal *signal, double t)
{
    const int next = phx_signal_breaks_until(signal, t);
    if (next == 0 || next == signal->n_breaks)
        return 0.0;
    const double *time = signal->breaks + next, *value = signal->values + next;
    return (value[0] - value[-1]) / (time[0] - time[-1]);
}

/* Of a signal that is no function, without its input. */
static double own_rate(const phx_signal *signal, double t)
{
    double jet[3];
    switch (signal->kind) {
    case SIGNAL_TABLE:
        return table_rate(signal, t);
    case SIGNAL_POLYNOMIALS:
        phx_signal_polynomial(signal, t, jet);
        return jet[1];
    case SIGNAL_DERIVATIVE:
        return signal->of->kind == SIGNAL_FUNCTION ? function_rate(signal, t) : phx_signal_derivative(signal->of, t, 2);
    case SIGNAL_SHAPED:
        return phx_signal_shaped_derivative(signal, t, 1);
    default:
        return 0.0;
    }
}

double phx_signal_rate(const phx_signal *signal, double t)
{
    if (phx_signal_is_constant(signal))
        return 0.0;
    if (phx_signal_is_function(signal) && !phx_signal_is_fixed(signal)) /* its values have the input in them */
        return function_rate(signal, t);
    const double own = own_rate(signal, t);
    return signal->input ? own + signal->input->slope : own;
}

/* ---- derivatives of motions ---- */
double phx_signal_derivative(const phx_signal *signal, double t, int order)
{
    double jet[3] = {0.0};
    if (order == 0 || !signal)
        return phx_signal_value(signal, t);
    if (signal->kind == SIGNAL_POLYNOMIALS)
        phx_signal_polynomial(signal, t, jet);
    else if (signal->kind == SIGNAL_PROGRAM && !phx_signal_is_fixed(signal))
        phx_program_derivatives(signal->program, (const double[]){phx_signal_after_break(signal, t), 0.0}, jet);
    else if (signal->kind == SIGNAL_SHAPED)
        jet[order] = phx_signal_shaped_derivative(signal, t, order);
    else if (order == 1 && signal->kind == SIGNAL_TABLE && t == signal->breaks[signal->n_breaks - 1])
        return phx_signal_rate(signal, nextafter(t, -HUGE_VAL)); /* on the last point still that of its piece */
    else if (order == 1)
        return phx_signal_rate(signal, t);
    return order == 1 && signal->input ? jet[1] + signal->input->slope : jet[order];
}

phx_status phx_signal_create_derivative(phx_context *context, phx_signal *of, phx_signal **signal)
{
    phx_status status = of && signal ? phx_signal_allocate(context, SIGNAL_DERIVATIVE, 0, 0, signal)
                                     : phx_fail_null(context, __func__, "of or signal");
    if (status == PHX_OK)
        (*signal)->of = of;
    else
        phx_signal_destroy(of);
    return status;
}

const phx_signal *phx_signal_primitive(const phx_signal *signal)
{
    return signal && signal->kind == SIGNAL_DERIVATIVE ? signal->of : NULL;
}
