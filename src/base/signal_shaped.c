/* Input shaping: a signal that is the sum of delayed copies of another one,
 *
 *     s(t) = sum_i a_i r(max(t - tau_i, 0)),   sum_i a_i = 1,   0 = tau_0 <= tau_1 <= ..
 *
 * so that the impulses a_i at tau_i cancel the vibration of one mode. Before t = 0 the reference rests at r(0).
 * With w_d = w sqrt(1 - zeta^2), half a period T = pi/w_d and K = exp(-zeta w T):
 *
 *     zv   a = (1, K)/(1 + K)                                     Singer and Seering, J. Dyn. Sys. 112 (1990) 76
 *     zvd  a = (1, 2 K, K^2)/(1 + K)^2
 *     ei   a = ((1 + V)/4, (1 - V)/2 K, (1 + V)/4 K^2)/sum        Singhose, Seering, Singer, J. Mech. Des. 116 (1994)
 *
 * at 0, T, 2 T. The residual vibration of ei at the mode is V, and zero at a frequency on either side of it. */
#include "signal.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
/* A shaper has this many impulses at most; `values` of a shaped signal are its amplitudes, then its delays. */
enum { MOST_IMPULSES = 3 };

/* Amplitudes and delays of the kind of shaper, at the top. */
phx_status phx_signal_create_shaped(phx_context *context, phx_signal *of, const phx_shaper *shaper, phx_signal **signal)
{
    if (!of || !shaper || !signal) {
        phx_signal_destroy(of);
        return phx_fail_null(context, __func__, "of, shaper or signal");
    }
    const double zeta = shaper->damping, omega = 2.0 * PI * shaper->frequency, V = shaper->tolerance;
    const int count = shaper->kind == PHX_SHAPER_ZV ? 2 : MOST_IMPULSES;
    const double half = PI / (omega * sqrt(1.0 - zeta * zeta)), K = exp(-zeta * omega * half);
    const double plain[][MOST_IMPULSES] = {[PHX_SHAPER_ZV] = {1.0, 1.0},
                                           [PHX_SHAPER_ZVD] = {1.0, 2.0, 1.0},
                                           [PHX_SHAPER_EI] = {1.0 + V, 2.0 * (1.0 - V), 1.0 + V}};
    double sum = 0.0;
    phx_status status = PHX_OK;

    if (!(omega > 0.0 && isfinite(omega) && zeta >= 0.0 && zeta < 1.0 && V >= 0.0 && V < 1.0))
        status =
            phx_fail(context, PHX_ERR_ARGUMENT,
                     "a shaper has the frequency %g Hz, damping %g and tolerance %g; expected a positive frequency, "
                     "and damping and tolerance from 0 to less than 1",
                     shaper->frequency, zeta, V);
    if (!status)
        status = phx_signal_allocate(context, SIGNAL_SHAPED, 0, 2 * count, signal);
    if (status) {
        phx_signal_destroy(of);
        return status;
    }
    (*signal)->of = of;
    (*signal)->degree = count;
    for (int i = 0; i < count; i++) {
        (*signal)->values[i] = plain[shaper->kind][i] * pow(K, i);
        (*signal)->values[count + i] = i * half;
        sum += (*signal)->values[i];
    }
    for (int i = 0; i < count; i++)
        (*signal)->values[i] /= sum;
    return PHX_OK;
}

double phx_signal_shaped_value(const phx_signal *signal, double t, double s)
{
    double sum = 0.0;
    for (int i = 0; i < signal->degree; i++)
        sum +=
            signal->values[i] * phx_signal_value_at(signal->of, fmax(t - signal->values[signal->degree + i], 0.0), s);
    return sum;
}

double phx_signal_shaped_derivative(const phx_signal *signal, double t, int order)
{
    double sum = 0.0;
    for (int i = 0; i < signal->degree; i++) {
        const double at = t - signal->values[signal->degree + i];
        if (at >= 0.0)
            sum += signal->values[i] * phx_signal_derivative(signal->of, at, order);
    }
    return sum;
}

/* Mean over [t0, t1], t0 < t1: each copy rests at r(0) until its delay has passed. */
double phx_signal_shaped_mean(const phx_signal *signal, double t0, double t1)
{
    double sum = 0.0;
    for (int i = 0; i < signal->degree; i++) {
        const double from = t0 - signal->values[signal->degree + i], to = t1 - signal->values[signal->degree + i];
        const double begin = fmax(from, 0.0), end = fmax(to, 0.0), rest = (t1 - t0 - (end - begin)) / (t1 - t0);
        sum += signal->values[i] *
               (rest * phx_signal_value(signal->of, 0.0) + (1.0 - rest) * phx_signal_mean(signal->of, begin, end));
    }
    return sum;
}

double phx_signal_shaped_next_break(const phx_signal *signal, double t)
{
    double next = HUGE_VAL;
    for (int i = 0; i < signal->degree; i++) {
        const double delay = signal->values[signal->degree + i], at = t - delay;
        next = fmin(next, at < 0.0 ? delay : phx_signal_next_break(signal->of, at) + delay);
    }
    return next;
}
