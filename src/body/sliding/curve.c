/* Functions of the place along a curve: piecewise cubics and their difference quotients. */
#include "curve.h"

#include <math.h>
#include <string.h>

phx_status phx_curve_create(phx_context *context, int n_pieces, const double *knot, phx_curve *curve)
{
    const size_t n = (size_t)n_pieces + 1;

    *curve = (phx_curve){.n_pieces = n_pieces};
    curve->knot = phx_calloc(context, n, sizeof *curve->knot);
    if (!curve->knot)
        return PHX_ERR_MEMORY;
    memcpy(curve->knot, knot, n * sizeof *knot);
    return PHX_OK;
}

void phx_curve_free(phx_curve *curve)
{
    for (int t = 0; t < curve->n_terms; t++)
        phx_free(curve->terms[t].cubic);
    phx_free(curve->terms);
    phx_free(curve->knot);
    phx_free(curve->first_on);
    phx_free(curve->on);
    *curve = (phx_curve){0};
}

/* Appends a term to a curve with zero cubics on its pieces; the array of terms grows as needed. */
phx_status phx_curve_add(phx_context *context, phx_curve *curve, const phx_curve_term *term)
{
    if (curve->n_terms == curve->capacity) {
        const int wider = curve->capacity ? 2 * curve->capacity : 16;
        phx_curve_term *bigger = phx_realloc(context, curve->terms, (size_t)wider, sizeof *bigger);
        if (!bigger)
            return PHX_ERR_MEMORY;
        curve->terms = bigger;
        curve->capacity = wider;
    }
    phx_curve_term *made = &curve->terms[curve->n_terms];
    *made = *term;
    made->cubic = phx_calloc(context, 4 * (size_t)term->count, sizeof *made->cubic);
    if (!made->cubic)
        return PHX_ERR_MEMORY;
    curve->n_terms++;
    return PHX_OK;
}

static double *last_cubic(phx_curve *curve, int k)
{
    const phx_curve_term *term = &curve->terms[curve->n_terms - 1];
    return term->cubic + 4 * (k - term->first);
}

void phx_curve_set_hermite(phx_curve *curve, int k, double value0, double slope0, double value1, double slope1)
{
    const double l = curve->knot[k + 1] - curve->knot[k], m0 = l * slope0, m1 = l * slope1, rise = value1 - value0;
    double *a = last_cubic(curve, k);

    a[0] = value0;
    a[1] = m0;
    a[2] = 3.0 * rise - 2.0 * m0 - m1;
    a[3] = m0 + m1 - 2.0 * rise;
}

void phx_curve_set_linear(phx_curve *curve, int k, double value0, double value1)
{
    double *a = last_cubic(curve, k);

    a[0] = value0;
    a[1] = value1 - value0;
}

/* Appends the derivative of the last term by the arc length as a term of the axis direction. */
phx_status phx_curve_add_slope(phx_context *context, phx_curve *curve)
{
    phx_curve_term term = curve->terms[curve->n_terms - 1];
    const double *from = term.cubic;

    term.part = PHX_CURVE_ALONG;
    const phx_status status = phx_curve_add(context, curve, &term);
    for (int k = 0; k < term.count && !status; k++) {
        const double *a = from + 4 * k, l = curve->knot[term.first + k + 1] - curve->knot[term.first + k];
        double *to = last_cubic(curve, term.first + k);
        for (int i = 0; i < 3; i++)
            to[i] = (i + 1) * a[i + 1] / l;
    }
    return status;
}

/* The piece that a place lies on, the later one at a knot; beyond the ends the first or the last. */
static int piece_at(const phx_curve *curve, double s)
{
    int low = 0, high = curve->n_pieces - 1;

    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (s >= curve->knot[middle])
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Builds the list of the terms that are nonzero on each piece of the curve. */
phx_status phx_curve_index(phx_context *context, phx_curve *curve)
{
    const size_t pieces = (size_t)curve->n_pieces;
    size_t total = 0;

    for (int t = 0; t < curve->n_terms; t++)
        total += (size_t)curve->terms[t].count;
    curve->first_on = phx_calloc(context, pieces + 1, sizeof *curve->first_on);
    curve->on = phx_calloc(context, total, sizeof *curve->on);
    if (!curve->first_on || !curve->on)
        return PHX_ERR_MEMORY;
    for (int k = 0, next = 0; k < curve->n_pieces; k++) {
        for (int t = 0; t < curve->n_terms; t++)
            if (k >= curve->terms[t].first && k < curve->terms[t].first + curve->terms[t].count)
                curve->on[next++] = t;
        curve->first_on[k + 1] = next;
    }
    return PHX_OK;
}

phx_curve_span phx_curve_span_of(const phx_curve *curve, double s0, double s1)
{
    if (curve->n_pieces == 0)
        return (phx_curve_span){0, -1};
    const int k0 = piece_at(curve, s0), k1 = piece_at(curve, s1);
    return (phx_curve_span){k0 < k1 ? k0 : k1, k0 < k1 ? k1 : k0};
}

const phx_curve_term *phx_curve_next(const phx_curve *curve, phx_curve_span span, int *piece, int *at)
{
    for (int i = *at < 0 ? curve->first_on[*piece] : *at + 1; *piece <= span.high; i = curve->first_on[++*piece])
        for (; i < curve->first_on[*piece + 1]; i++) {
            const phx_curve_term *term = &curve->terms[curve->on[i]];
            if (*piece == span.low || term->first == *piece) { /* else it was on the piece before */
                *at = i;
                return term;
            }
        }
    return NULL;
}

static const double *cubic_on(const phx_curve_term *term, int k)
{
    static const double zero[4] = {0.0, 0.0, 0.0, 0.0};
    return k >= term->first && k < term->first + term->count ? term->cubic + 4 * (k - term->first) : zero;
}

static double value(const double *a, double x)
{
    return a[0] + x * (a[1] + x * (a[2] + x * a[3]));
}

static double quotient(const double *a, double x0, double x1)
{
    return a[1] + a[2] * (x0 + x1) + a[3] * (x0 * x0 + x0 * x1 + x1 * x1);
}

/* Difference quotient across knots: the mean of the pieces' quotients, weighted by the lengths passed on each. */
static double quotient_across(const phx_curve *curve, const phx_curve_term *term, int k0, int k1, double s0, double s1)
{
    const double *knot = curve->knot;
    double sum = 0.0;

    for (int k = k0; k <= k1; k++) {
        const double l = knot[k + 1] - knot[k], from = k == k0 ? s0 : knot[k], to = k == k1 ? s1 : knot[k + 1];
        sum += (to - from) / l * quotient(cubic_on(term, k), (from - knot[k]) / l, (to - knot[k]) / l);
    }
    return sum / (s1 - s0);
}

/* Values of a term at both ends, their mean, the difference quotient over [s0, s1] and derivatives, also across knots.
 * `bend` is the derivative of the quotient by the mean place, which moves s1 by twice as much. Returns false if the
 * term vanishes on the whole interval. */
bool phx_curve_weigh(const phx_curve *curve, const phx_curve_term *term, double s0, double s1, phx_curve_weight *out)
{
    const int k0 = piece_at(curve, s0), k1 = piece_at(curve, s1), low = k0 < k1 ? k0 : k1, high = k0 < k1 ? k1 : k0;
    const double *a0 = cubic_on(term, k0), *a1 = cubic_on(term, k1), *knot = curve->knot;
    const double l0 = knot[k0 + 1] - knot[k0], l1 = knot[k1 + 1] - knot[k1];
    const double x0 = (s0 - knot[k0]) / l0, x1 = (s1 - knot[k1]) / l1;

    if (high < term->first || low >= term->first + term->count)
        return false;
    out->c0 = value(a0, x0);
    out->c1 = value(a1, x1);
    out->mean = 0.5 * (out->c0 + out->c1);
    out->slope = quotient(a1, x1, x1) / l1;
    if (k0 == k1) {
        out->quotient = quotient(a1, x0, x1) / l1;
        out->bend = 2.0 * (a1[2] + a1[3] * (x0 + 2.0 * x1)) / (l1 * l1);
        return true;
    }
    out->quotient =
        k0 < k1 ? quotient_across(curve, term, k0, k1, s0, s1) : quotient_across(curve, term, k1, k0, s1, s0);
    out->bend = 2.0 * (out->slope - out->quotient) / (s1 - s0);
    return true;
}
