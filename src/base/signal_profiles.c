/* Signals of polynomials between breaks: splines, ramps, trapezoidal rates. */
#include "signal.h"

#include <math.h>
#include <string.h>

/* Value and two derivatives of a piecewise polynomial by Horner's scheme; before and after its pieces it is constant.
 */
void phx_signal_polynomial(const phx_signal *signal, double t, double jet[3])
{
    const int last = signal->n_breaks - 1, next = phx_signal_breaks_until(signal, t), n = signal->degree + 1;
    const int piece = next == 0 ? 0 : next > last ? last - 1 : next - 1;
    const bool outside = t < signal->breaks[0] || t > signal->breaks[last]; /* the last instant is inside */
    const double at = next == 0 ? signal->breaks[0] : next > last ? signal->breaks[last] : t;
    const double x = at - signal->breaks[piece], *c = signal->values + (size_t)piece * (size_t)n;
    double f = 0.0, f1 = 0.0, f2 = 0.0; /* Horner; f2 is half the second derivative */

    for (int k = n - 1; k >= 0; k--) {
        f2 = f2 * x + f1;
        f1 = f1 * x + f;
        f = f * x + c[k];
    }
    jet[0] = f;
    jet[1] = outside ? 0.0 : f1;
    jet[2] = outside ? 0.0 : 2.0 * f2;
}

/* Pieces of so many breaks; the coefficients are still to be written. */
static phx_status signal_profiles_create(phx_context *context, int count, const double *times, int degree,
                                         phx_signal **signal)
{
    const phx_status status =
        phx_signal_allocate(context, SIGNAL_POLYNOMIALS, count, (count - 1) * (degree + 1), signal);
    if (status == PHX_OK) {
        memcpy((*signal)->breaks, times, (size_t)count * sizeof *times);
        (*signal)->degree = degree;
    }
    return status;
}

/* ---- splines ---- */
/* The slopes m_i at the points, from continuous second derivatives,
 *   m_{i-1}/h_{i-1} + 2 (1/h_{i-1} + 1/h_i) m_i + m_{i+1}/h_i = 3 (d_{i-1}/h_{i-1} + d_i/h_i),   d_i = (y_{i+1} -
 * y_i)/h_i, and at the ends m = 0, or continuous third derivatives at the second point, h_1 m_0 + (h_0 + h_1) m_1 =
 * ((h_0 + 2 (h_0 + h_1)) h_1 d_0 + h_0^2 d_1)/(h_0 + h_1), and likewise at the last but one. below, diagonal, above:
 * the tridiagonal matrix. */
static void slopes(int n, const double *t, const double *y, bool rest, double *below, double *diagonal, double *above,
                   double *m)
{
    const int last = n - 1;
    for (int i = 1; i < last; i++) {
        const double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
        below[i] = 1.0 / h0;
        above[i] = 1.0 / h1;
        diagonal[i] = 2.0 * (below[i] + above[i]);
        m[i] = 3.0 * ((y[i] - y[i - 1]) / (h0 * h0) + (y[i + 1] - y[i]) / (h1 * h1));
    }
    for (int end = 0; end < 2; end++) {
        const int i = end ? last : 0, way = end ? -1 : 1;
        double *across = end ? below : above;
        diagonal[i] = 1.0;
        across[i] = m[i] = 0.0;
        if (rest)
            continue;
        const double h0 = fabs(t[i + way] - t[i]), d0 = way * (y[i + way] - y[i]) / h0;
        if (n == 2) { /* a straight line */
            m[i] = d0;
            continue;
        }
        const double h1 = fabs(t[i + 2 * way] - t[i + way]), d1 = way * (y[i + 2 * way] - y[i + way]) / h1;
        if (n == 3) { /* one parabola: m_0 = d_0 + (d_0 - d_1) h_0/(h_0 + h_1) */
            m[i] = d0 + (d0 - d1) * h0 / (h0 + h1);
            continue;
        }
        diagonal[i] = h1;
        across[i] = h0 + h1;
        m[i] = ((h0 + 2.0 * (h0 + h1)) * h1 * d0 + h0 * h0 * d1) / (h0 + h1);
    }
    for (int i = 1; i < n; i++) {
        const double factor = below[i] / diagonal[i - 1];
        diagonal[i] -= factor * above[i - 1];
        m[i] -= factor * m[i - 1];
    }
    m[last] /= diagonal[last];
    for (int i = last - 1; i >= 0; i--)
        m[i] = (m[i] - above[i] * m[i + 1]) / diagonal[i];
}

/* Creates the cubic spline through a table; `rest` lets it begin and end with zero slope. At least two points are
 * needed. */
phx_status phx_signal_create_spline(phx_context *context, int count, const double *times, const double *values,
                                    bool rest, phx_signal **signal)
{
    if (!signal || (count > 0 && (!times || !values)))
        return phx_fail_null(context, __func__, "times, values or signal");
    phx_status status = phx_signal_check_table(context, count, times, values);
    if (status == PHX_OK && count < 2)
        status = phx_fail(context, PHX_ERR_ARGUMENT, "a spline through %d point; it must have at least two", count);
    double *work = status ? NULL : phx_calloc(context, 4 * (size_t)count, sizeof *work), *m = work;
    if (status == PHX_OK)
        status = work ? signal_profiles_create(context, count, times, 3, signal) : PHX_ERR_MEMORY;
    if (status == PHX_OK)
        slopes(count, times, values, rest, work + count, work + 2 * count, work + 3 * count, m);
    for (int i = 0; i + 1 < count && status == PHX_OK; i++) {
        const double h = times[i + 1] - times[i], d = (values[i + 1] - values[i]) / h;
        double *c = (*signal)->values + 4 * (size_t)i;
        c[0] = values[i];
        c[1] = m[i];
        c[2] = (3.0 * d - 2.0 * m[i] - m[i + 1]) / h;
        c[3] = (m[i] + m[i + 1] - 2.0 * d) / (h * h);
    }
    phx_free(work);
    return phx_conclude(context, status);
}

/* ---- profiles ---- */
static phx_status check_profile(phx_context *context, const char *what, double t0, double t1, double from, double to)
{
    if (!isfinite(t0) || !isfinite(t1) || !isfinite(from) || !isfinite(to))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a %s from %g at t = %g s to %g at %g s; they must be finite", what,
                        from, t0, to, t1);
    if (!(t1 > t0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a %s ends at t = %.17g s, not after its start at %.17g s", what, t1,
                        t0);
    return PHX_OK;
}

/* Creates the transition 10 x^3 - 15 x^4 + 6 x^5 from one value to another between t0 and t1, with zero rate and
 * acceleration at both ends. */
phx_status phx_signal_create_ramp(phx_context *context, double t0, double t1, double from, double to,
                                  phx_signal **signal)
{
    if (!signal)
        return phx_fail_null(context, __func__, "signal");
    const double times[] = {t0, t1}, T = t1 - t0, rise = to - from, cube = T * T * T;
    phx_status status = check_profile(context, "ramp", t0, t1, from, to);
    if (status == PHX_OK)
        status = signal_profiles_create(context, 2, times, 5, signal);
    if (status == PHX_OK) {
        double *c = (*signal)->values;
        c[0] = from;
        c[3] = 10.0 * rise / cube;
        c[4] = -15.0 * rise / (cube * T);
        c[5] = 6.0 * rise / (cube * T * T);
    }
    return phx_conclude(context, status);
}

/* Creates a transition with a trapezoidal rate: constant acceleration during `rise`, constant rate, constant
 * deceleration during `fall`. */
phx_status phx_signal_create_trapezoidal(phx_context *context, double t0, double t1, double from, double to,
                                         double rise, double fall, phx_signal **signal)
{
    static const double ROUNDING = 1e-12; /* relative to the duration */

    if (!signal)
        return phx_fail_null(context, __func__, "signal");
    phx_status status = check_profile(context, "trapezoidal profile", t0, t1, from, to);
    if (status == PHX_OK && (!(rise > 0.0) || !(fall > 0.0) || !(rise + fall <= (t1 - t0) * (1.0 + ROUNDING))))
        status = phx_fail(context, PHX_ERR_ARGUMENT,
                          "a trapezoidal profile of %g s rises for %g s and falls for %g s; both must be greater than "
                          "0 and together not more than it lasts",
                          t1 - t0, rise, fall);
    if (status)
        return phx_conclude(context, status);
    /* the rate v is held: from + v (rise/2 + hold + fall/2) = to */
    const bool holds = t1 - fall - t0 - rise > ROUNDING * (t1 - t0);
    const double times[] = {t0, t0 + rise, holds ? t1 - fall : t1, t1};
    const double begin = holds ? t1 - fall : t0 + rise,
                 v = (to - from) / (begin - t0 - 0.5 * rise + 0.5 * (t1 - begin));
    status = signal_profiles_create(context, holds ? 4 : 3, times, 2, signal);
    if (status == PHX_OK) {
        double *c = (*signal)->values, *down = c + (holds ? 6 : 3);
        c[0] = from;
        c[2] = 0.5 * v / rise;
        if (holds) {
            c[3] = from + 0.5 * v * rise;
            c[4] = v;
        }
        down[0] = to - 0.5 * v * (t1 - begin);
        down[1] = v;
        down[2] = -0.5 * v / (t1 - begin);
    }
    return phx_conclude(context, status);
}
