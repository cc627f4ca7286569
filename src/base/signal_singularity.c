/* Singularities of a signal: times at which it has no finite value.
 *
 * Only the values of a function are known. On a smooth piece it is sampled at Gauss's points and at the ends. At a pole
 * the samples change sign, or they are largest beside it. Such a place is bracketed down to the last digits of t, and
 * there a pole differs from any other function: |f| still grows as t comes nearer. */
#include "signal.h"

#include <float.h>
#include <math.h>

enum { SAMPLES = 7, MOST_BISECTIONS = 1100 };
/* Distances at which |f| must grow: NEAREST, times CLOSER each, in units of the last digit of t; by GROWS each time, as
 * |t|^-p does for p > 0.13. A logarithm does not: its integral is finite, and so are its values at all t but one. */
enum { DISTANCES = 4 };
static const double NEAREST = 64.0, CLOSER = 8.0, GROWS = 1.3;
/* Samples that differ by less than this factor from their median are those of a smooth function. A largest one
 * at an end is examined when the function, at BESIDE of the way to the next sample, is not below it, or when it is
 * LARGE. */
static const double EVEN = 1.5, BESIDE = 1e-3, LARGE = 1e6;

typedef struct piece {
    const phx_signal *signal;
    double s;
    double digit;       /* of t, s */
    double least, most; /* breaks of the signal on both sides, s */
    double t[SAMPLES], f[SAMPLES];
    phx_signal_singularity *singularity;
} piece;

static double value(const piece *p, double t)
{
    return phx_signal_value_at(p->signal, t, p->s);
}

static bool found(const piece *p, double t, double f)
{
    if (p->singularity)
        *p->singularity = (phx_signal_singularity){.t = t, .value = f};
    return true;
}

/* Whether |f| grows towards t on one side, between the breaks, to the last digits. */
static bool grows(const piece *p, double t, double side)
{
    double before = 0.0, distance = NEAREST * pow(CLOSER, DISTANCES - 1);
    for (int k = 0; k < DISTANCES; k++, distance /= CLOSER) {
        const double at = t + side * distance * p->digit, f = fabs(value(p, at));
        if (at < p->least || at > p->most || (k > 0 && !(f > GROWS * before)))
            return false;
        before = f;
    }
    return true;
}

static bool signal_singularity_judge(const piece *p, double t)
{
    const double f = value(p, t);
    return (!isfinite(f) || grows(p, t, -1.0) || grows(p, t, 1.0)) && found(p, t, f);
}

/* f changes sign between a and b. */
static bool search_change(const piece *p, double a, double b)
{
    const bool negative = value(p, a) < 0.0;
    for (int i = 0; i < MOST_BISECTIONS && b - a > p->digit; i++) {
        const double middle = 0.5 * (a + b), f = value(p, middle);
        if (!isfinite(f))
            return found(p, middle, f);
        if ((f < 0.0) == negative)
            a = middle;
        else
            b = middle;
    }
    return signal_singularity_judge(p, a);
}

/* |f| is larger somewhere between a and b than at both. */
static bool search_peak(const piece *p, double a, double b)
{
    const double golden = 0.61803398874989485;
    double c = b - golden * (b - a), d = a + golden * (b - a), fc = fabs(value(p, c)), fd = fabs(value(p, d));
    for (int i = 0; i < MOST_BISECTIONS && b - a > 4.0 * p->digit; i++) {
        if (!isfinite(fc) || !isfinite(fd))
            return found(p, isfinite(fc) ? d : c, value(p, isfinite(fc) ? d : c));
        if (fc >= fd) {
            b = d;
            d = c;
            fd = fc;
            c = b - golden * (b - a);
            fc = fabs(value(p, c));
        } else {
            a = c;
            c = d;
            fc = fd;
            d = a + golden * (b - a);
            fd = fabs(value(p, d));
        }
    }
    return signal_singularity_judge(p, 0.5 * (a + b));
}

static double median(const piece *p)
{
    double size[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        const double f = fabs(p->f[i]);
        int k = i;
        for (; k > 0 && size[k - 1] > f; k--)
            size[k] = size[k - 1];
        size[k] = f;
    }
    return size[SAMPLES / 2];
}

/* Beside a change of sign a continuous function falls from both sides, a pole rises. */
static bool falls_to_zero(const piece *p, int i)
{
    return (i == 0 || fabs(p->f[i]) < fabs(p->f[i - 1])) && (i + 2 == SAMPLES || fabs(p->f[i + 1]) < fabs(p->f[i + 2]));
}

/* Whether |f| may have a peak beside sample i that is above all samples. */
static bool peaks(const piece *p, int i, double usual)
{
    const double size = fabs(p->f[i]);
    if (!(size > EVEN * usual))
        return false;
    if (i > 0 && i < SAMPLES - 1)
        return size >= fabs(p->f[i - 1]) && size >= fabs(p->f[i + 1]);
    const int next = i == 0 ? 1 : i - 1;
    const double beside = fabs(value(p, p->t[i] + BESIDE * (p->t[next] - p->t[i])));
    return size > LARGE * usual || !(beside < size);
}

/* Searches a piece between two breaks for a value that is not finite: at Gauss points, between changes of sign and
 * around peaks. True if one is found and recorded. */
static bool singularity_in_piece(piece *p, double from, double to)
{
    static const double place[SAMPLES] = {
        -1.0, -0.90617984593866399, -0.53846931010568309, 0.0, 0.53846931010568309, 0.90617984593866399, 1.0};
    p->digit = DBL_EPSILON * fmax(fabs(from), fabs(to));
    for (int i = 0; i < SAMPLES; i++) {
        p->t[i] = i == 0 ? from : i == SAMPLES - 1 ? to : 0.5 * (from + to) + 0.5 * (to - from) * place[i];
        p->f[i] = value(p, p->t[i]);
        if (!isfinite(p->f[i]))
            return found(p, p->t[i], p->f[i]);
    }
    const double usual = median(p);
    for (int i = 0; i < SAMPLES; i++) {
        const int before = i > 0 ? i - 1 : 0, after = i < SAMPLES - 1 ? i + 1 : i;
        const bool changes = p->f[i] * p->f[after] < 0.0;
        if (changes && !falls_to_zero(p, i) && search_change(p, p->t[i], p->t[after]))
            return true;
        if (peaks(p, i, usual) && search_peak(p, p->t[before], p->t[after]))
            return true;
    }
    return false;
}

/* Searches a function of time between t0 and t1 at place s for a value that is not finite, or a pole that stands out
 * from the samples. True if one is found, whose place is recorded; signals that are no functions have none. */
bool phx_signal_is_singular(const phx_signal *signal, double t0, double t1, double s,
                            phx_signal_singularity *singularity)
{
    if (signal && signal->of)
        return phx_signal_is_singular(signal->of, t0, t1, s, singularity);
    if (!signal || !phx_signal_is_function(signal))
        return false;
    if (t1 < t0)
        return phx_signal_is_singular(signal, t1, t0, s, singularity);
    piece p = {.signal = signal, .s = s, .singularity = singularity};
    double from = t0;
    for (int i = phx_signal_breaks_until(signal, t0); from < t1; i++) {
        p.least = i > 0 ? signal->breaks[i - 1] : -HUGE_VAL;
        p.most = i < signal->n_breaks ? signal->breaks[i] : HUGE_VAL;
        const double to = fmin(p.most, t1);
        if (to > from && singularity_in_piece(&p, from, to))
            return true;
        from = to;
    }
    const double last = phx_signal_value_at(signal, t1, s);
    return !isfinite(last) && found(&p, t1, last);
}
