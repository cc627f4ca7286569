/* Margins of a loop L(s), or L(z) with z = exp(i omega T), of one input and one output. L is followed along the axis by
 * points that come closer where L or 1 + L turns, from those around its poles, its zeros and the poles of the closed
 * loop; between two points a crossing is bracketed down to the last digit. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ss.h"

static const double PI = 3.14159265358979323846;
static const double TURN = 0.35;         /* rad: of L or 1 + L from one point to the next */
static const double RATIO = 0.7;         /* of the logarithms of their magnitudes */
static const double NEAREST = 1e-11;     /* relative distance of two points */
static const double NO_PHASE = 1e-12;    /* |Im L|/|L|: rounding of a real number */
static const double REAL = 1e-3;         /* the same where a crossing was found, and not a pole */
static const double NOTHING = 1e-12;     /* of the largest pole: zero */
static const double GROWS = 1e-7;        /* growth, of the root or of a sample, that may be rounding of a double root */
static const double LEAST_RANGE = 1e-3;  /* of the highest frequency */
static const double SLOW = 1e-9;         /* of the fastest motion, and .. */
static const double SLOW_SAMPLED = 1e-7; /* .. of a sample: slower ones are free motions that rounding has moved */
enum { PER_DECADE = 30, MOST_POINTS = 60000 };

/* A point of the axis and L there. */
typedef struct axis_point {
    double omega;
    double complex L;
} axis_point;

typedef struct loop_search {
    phx_context *context;
    const phx_ss *loop;
    double period;
    phx_ss_probe *probe;
    int n_features, n, room;
    double *features; /* rad/s */
    axis_point *points;
    phx_margins *found;
} loop_search;

void phx_margins_free(phx_margins *margins)
{
    if (!margins)
        return;
    double *const arrays[] = {margins->gain, margins->gain_omega, margins->phase, margins->delay, margins->phase_omega};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    *margins = (phx_margins){0};
}

/* L at omega; infinite at a pole. */
static phx_status loop_at(loop_search *search, double omega, double complex *L)
{
    const double angle = omega * search->period;
    double value[2];
    const phx_status status = phx_ss_probe_at(search->context, search->probe, search->period > 0.0 ? cos(angle) : 0.0,
                                              search->period > 0.0 ? sin(angle) : omega, value);

    *L = status ? HUGE_VAL : value[0] + I * value[1];
    if (status != PHX_SINGULAR)
        return status;
    phx_context_clear(search->context);
    return PHX_OK;
}

/* ---- where L changes ---- */
static void add_feature(loop_search *search, double omega)
{
    if (omega > 0.0 && isfinite(omega) && (search->period == 0.0 || omega < PI / search->period))
        search->features[search->n_features++] = omega;
}

/* The frequencies around eigenvalues, by the width of their resonance; *least and *most: of their magnitudes. */
static void add_eigenvalues(loop_search *search, int n, const double *re, const double *im, double *least, double *most)
{
    static const double beside[] = {0.0, 0.3, -0.3, 1.0, -1.0, 4.0, -4.0};

    for (int k = 0; k < n; k++) {
        if (!isfinite(re[k]) || im[k] < 0.0)
            continue;
        double complex s = re[k] + I * im[k];
        if (search->period > 0.0)
            s = cabs(s) > DBL_EPSILON ? clog(s) / search->period : HUGE_VAL;
        const double size = cabs(s), middle = fabs(cimag(s)) > 0.1 * size ? fabs(cimag(s)) : size;
        if (!(size > 0.0) || !isfinite(size))
            continue;
        *most = fmax(*most, size);
        if (size > (search->period > 0.0 ? SLOW_SAMPLED / search->period : SLOW * *most))
            *least = fmin(*least, size);
        for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
            add_feature(search, middle + beside[i] * fabs(creal(s)));
    }
}

/* Poles, zeros, and poles of the closed loop A - B C/(1 + D), of which `found` learns whether they are stable. */
static phx_status find_features(loop_search *search, double *low, double *high)
{
    const phx_ss *loop = search->loop;
    const int n = loop->n, all = n + 1;
    const size_t cells = (size_t)all * (size_t)all;
    double *a = phx_calloc(search->context, 2 * cells + 2 * (size_t)all, sizeof *a), *b = phx_behind(a, cells);
    double *re = phx_behind(b, cells), *im = phx_behind(re, (size_t)all), unread = HUGE_VAL;
    phx_status status = a ? PHX_OK : PHX_ERR_MEMORY;

    *low = HUGE_VAL;
    *high = 0.0;
    if (!status && fabs(1.0 + loop->D[0]) < NOTHING * (1.0 + fabs(loop->D[0])))
        status = phx_fail(search->context, PHX_SINGULAR,
                          "the loop '%s' has the gain -1 at infinite frequency: an algebraic loop without solution",
                          loop->name);
    if (!status && n > 0)
        status = phx_ss_poles(search->context, loop, re, im, NULL, NULL);
    if (!status)
        add_eigenvalues(search, n, re, im, &unread, high);
    for (int i = 0; i < n && !status; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = loop->A[i * n + j] - loop->B[i] * loop->C[j] / (1.0 + loop->D[0]);
    if (!status && n > 0)
        status = phx_dense_eigen_general(search->context, n, a, NULL, re, im, NULL);
    search->found->stable = true;
    double fastest = 0.0;
    for (int k = 0; k < n && !status; k++)
        fastest = fmax(fastest, hypot(re[k], im[k]));
    for (int k = 0; k < n && !status; k++) {
        const double size = hypot(re[k], im[k]);
        search->found->stable = search->found->stable &&
                                (search->period > 0.0 ? size < 1.0 + GROWS : re[k] < GROWS * size + SLOW * fastest);
    }
    if (!status)
        add_eigenvalues(search, n, re, im, low, high);
    for (int i = 0; i < n && !status; i++) {
        memcpy(a + i * all, loop->A + i * n, (size_t)n * sizeof *a);
        a[i * all + n] = loop->B[i];
        a[n * all + i] = loop->C[i];
        b[i * all + i] = 1.0;
    }
    if (!status && n > 0) {
        a[n * all + n] = loop->D[0];
        status = phx_dense_eigen_general(search->context, all, a, b, re, im, NULL);
        if (status == PHX_SINGULAR) { /* L is zero */
            phx_context_clear(search->context);
            status = PHX_OK;
        } else if (!status) {
            add_eigenvalues(search, all, re, im, &unread, high);
        }
    }
    phx_free(a);
    return status;
}

/* ---- along the axis ---- */
static phx_status keep_point(loop_search *search, axis_point point)
{
    if (search->n == search->room) {
        const int room = 2 * search->room + 256;
        axis_point *more = phx_realloc(search->context, search->points, (size_t)room, sizeof *more);
        if (!more)
            return PHX_ERR_MEMORY;
        search->points = more;
        search->room = room;
    }
    search->points[search->n++] = point;
    return PHX_OK;
}

static bool is_near(double complex a, double complex b)
{
    if (!isfinite(cabs(a)) || !isfinite(cabs(b)) || a == 0.0 || b == 0.0)
        return a == b;
    return fabs(carg(b / a)) < TURN && fabs(log(cabs(b) / cabs(a))) < RATIO;
}

/* Appends the points after `from` up to `to`, halving the way where L or 1 + L is not near from one to the next. */
static phx_status follow(loop_search *search, axis_point from, axis_point to)
{
    axis_point middle = {.omega = sqrt(from.omega) * sqrt(to.omega)};
    phx_status status = PHX_OK;

    if ((is_near(from.L, to.L) && is_near(1.0 + from.L, 1.0 + to.L)) || to.omega - from.omega < NEAREST * to.omega ||
        search->n > MOST_POINTS)
        return keep_point(search, to);
    status = loop_at(search, middle.omega, &middle.L);
    if (!status)
        status = follow(search, from, middle);
    return status ? status : follow(search, middle, to);
}

static int margins_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The points of the axis from a hundredth of the slowest motion of the closed loop to a hundred times the fastest. */
static phx_status follow_axis(loop_search *search, double low, double high)
{
    const double nyquist = search->period > 0.0 ? PI / search->period : HUGE_VAL;
    if (!(high > 0.0))
        high = 1.0;
    low = 0.01 * fmin(low, high);
    high = fmin(100.0 * high, nyquist);
    low = fmin(low, LEAST_RANGE * high);
    const int grid = (int)(PER_DECADE * log10(high / low)) + 2;
    double *omega = phx_realloc(search->context, search->features, (size_t)(search->n_features + grid), sizeof *omega);
    axis_point before = {0}, next = {0};
    phx_status status = omega ? PHX_OK : PHX_ERR_MEMORY;

    if (status)
        return status;
    search->features = omega;
    for (int i = 0; i < grid; i++)
        omega[search->n_features++] = i == grid - 1 ? high : low * pow(high / low, (double)i / (grid - 1));
    qsort(omega, (size_t)search->n_features, sizeof *omega, margins_compare);
    for (int i = 0; i < search->n_features && !status; i++) {
        if (omega[i] < low || omega[i] > high || (search->n > 0 && omega[i] == before.omega))
            continue;
        next.omega = omega[i];
        status = loop_at(search, next.omega, &next.L);
        if (!status)
            status = search->n == 0 ? keep_point(search, next) : follow(search, before, next);
        before = next;
    }
    return status;
}

/* ---- crossings ---- */
typedef double crossing_fn(double complex L);
static double over_one(double complex L)
{
    return log(cabs(L));
}
static double imaginary(double complex L)
{
    return fabs(cimag(L)) <= NO_PHASE * cabs(L) ? 0.0 : cimag(L);
}

/* The place between two points where `value` of L changes its sign, halved down to the last digit. */
static phx_status bracket(loop_search *search, crossing_fn *value, axis_point a, axis_point b, axis_point *at)
{
    const bool rises = value(a.L) < 0.0;
    phx_status status = PHX_OK;

    for (;;) {
        at->omega = 0.5 * (a.omega + b.omega);
        if (!(at->omega > a.omega && at->omega < b.omega))
            break;
        status = loop_at(search, at->omega, &at->L);
        if (status)
            return status;
        if ((value(at->L) < 0.0) == rises)
            a = *at;
        else
            b = *at;
    }
    *at = fabs(value(a.L)) < fabs(value(b.L)) ? a : b;
    return PHX_OK;
}

static void put_gain(phx_margins *found, double omega, double L)
{
    const double gain = -1.0 / L;

    found->gain[found->n_gain] = gain;
    found->gain_omega[found->n_gain++] = omega;
    if (gain >= 1.0 && gain < found->gain_up) {
        found->gain_up = gain;
        found->gain_up_omega = omega;
    } else if (gain < 1.0 && gain > found->gain_down) {
        found->gain_down = gain;
        found->gain_down_omega = omega;
    }
}

static void put_phase(phx_margins *found, double omega, double complex L)
{
    const double phase = carg(-L), left = phase >= 0.0 ? phase : phase + 2.0 * PI;

    found->phase[found->n_phase] = phase;
    found->delay[found->n_phase] = left / omega;
    found->phase_omega[found->n_phase++] = omega;
    if (!(fabs(phase) >= fabs(found->phase_least))) {
        found->phase_least = phase;
        found->phase_least_omega = omega;
    }
    if (left / omega < found->delay_least) {
        found->delay_least = left / omega;
        found->delay_least_omega = omega;
    }
}

/* L at an end of the axis, where it is real. */
static void put_end(phx_margins *found, double omega, double complex L)
{
    if (isfinite(creal(L)) && creal(L) < 0.0)
        put_gain(found, omega, creal(L));
}

/* Both kinds of crossings between all neighbours, and at the ends of the axis. */
static phx_status find_crossings(loop_search *search)
{
    phx_margins *found = search->found;
    const size_t most = (size_t)search->n + 2;
    const axis_point *p = search->points;
    double complex end;
    axis_point at;

    double **const arrays[] = {&found->gain, &found->gain_omega, &found->phase, &found->delay, &found->phase_omega};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = phx_calloc(search->context, most, sizeof **arrays[k]);
        if (!*arrays[k])
            return PHX_ERR_MEMORY;
    }
    phx_status status = loop_at(search, 0.0, &end);
    if (!status && cabs(end) < 1.0 / NEAREST) /* else a pole at zero that rounding has moved */
        put_end(found, 0.0, end);
    for (int i = 1; i < search->n && !status; i++)
        if ((over_one(p[i - 1].L) < 0.0) != (over_one(p[i].L) < 0.0) && cabs(p[i].L) < HUGE_VAL &&
            cabs(p[i - 1].L) < HUGE_VAL) {
            status = bracket(search, over_one, p[i - 1], p[i], &at);
            if (!status)
                put_phase(found, at.omega, at.L);
        }
    for (int i = 1, last = 0; i < search->n && !status; i++) { /* last: the point before that is not real */
        if (imaginary(p[i].L) == 0.0)
            continue;
        const bool changes = imaginary(p[last].L) * imaginary(p[i].L) < 0.0;
        at = p[i - 1];
        if (changes && last == i - 1)
            status = bracket(search, imaginary, p[last], p[i], &at);
        /* at a pole on the axis the sign changes through infinity; where L is real over a stretch there is no place */
        if (!status && changes && last >= i - 2 && creal(at.L) < 0.0 && fabs(cimag(at.L)) < REAL * cabs(at.L))
            put_gain(found, at.omega, creal(at.L));
        last = i;
    }
    if (!status && search->period == 0.0)
        put_end(found, HUGE_VAL, search->loop->D[0]);
    else if (!status)
        put_end(found, p[search->n - 1].omega, p[search->n - 1].L);
    return status;
}

/* ---- peaks ---- */
typedef double peak_fn(double complex L);
static double sensitivity_of(double complex L)
{
    return isfinite(cabs(L)) ? 1.0 / cabs(1.0 + L) : 0.0;
}
static double complementary_of(double complex L)
{
    return isfinite(cabs(L)) ? cabs(L / (1.0 + L)) : 1.0;
}

/* The largest value along the axis: that of the points, then by golden sections between its neighbours. */
static phx_status find_peak(loop_search *search, peak_fn *value, double *peak, double *omega)
{
    const double golden = 0.5 * (sqrt(5.0) - 1.0);
    int top = 0;
    phx_status status = PHX_OK;

    for (int i = 1; i < search->n; i++)
        if (value(search->points[i].L) > value(search->points[top].L))
            top = i;
    double a = search->points[top > 0 ? top - 1 : 0].omega;
    double b = search->points[top + 1 < search->n ? top + 1 : top].omega;
    *peak = value(search->points[top].L);
    *omega = search->points[top].omega;
    double c = b - golden * (b - a), d = a + golden * (b - a);
    double complex at_c = 0.0, at_d = 0.0;
    status = loop_at(search, c, &at_c);
    if (!status)
        status = loop_at(search, d, &at_d);
    while (!status && b - a > sqrt(DBL_EPSILON) * b) {
        if (value(at_c) > value(at_d)) {
            b = d;
            d = c;
            at_d = at_c;
            c = b - golden * (b - a);
            status = loop_at(search, c, &at_c);
        } else {
            a = c;
            c = d;
            at_c = at_d;
            d = a + golden * (b - a);
            status = loop_at(search, d, &at_d);
        }
    }
    if (!status && value(at_c) > *peak) {
        *peak = value(at_c);
        *omega = c;
    }
    return status;
}

/* Follows the smallest realisation of the loop along the axis; then crossings and peaks. */
phx_status phx_ss_margins(phx_context *context, const phx_ss *loop, double period, phx_margins *margins)
{
    if (!loop || !margins)
        return phx_fail_null(context, __func__, "loop or margins");
    phx_ss *least = NULL;
    double low, high;

    *margins = (phx_margins){.gain_up = HUGE_VAL, .phase_least = NAN, .delay_least = HUGE_VAL};
    if (loop->n_inputs != 1 || loop->n_outputs != 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "margins need one input and one output; '%s' has %d and %d",
                        loop->name, loop->n_inputs, loop->n_outputs);
    phx_status status = phx_ss_reduce(context, loop, PHX_SS_MINIMAL, 0.0, &least);
    loop_search search = {.context = context, .loop = least, .period = period, .found = margins};
    if (!status) {
        search.features = phx_calloc(context, 7 * 3 * ((size_t)least->n + 1), sizeof *search.features);
        status = search.features ? phx_ss_probe_create(context, least, &search.probe) : PHX_ERR_MEMORY;
    }
    if (!status)
        status = find_features(&search, &low, &high);
    if (!status)
        status = follow_axis(&search, low, high);
    if (!status && search.n > MOST_POINTS)
        phx_log(context, PHX_LOG_WARNING,
                "the loop '%s' turns so often that it is followed by %d points only; margins may be missing",
                loop->name, search.n);
    if (!status)
        status = find_crossings(&search);
    if (!status)
        status = find_peak(&search, sensitivity_of, &margins->sensitivity, &margins->sensitivity_omega);
    if (!status)
        status = find_peak(&search, complementary_of, &margins->complementary, &margins->complementary_omega);
    phx_ss_probe_destroy(search.probe);
    phx_free(search.features);
    phx_free(search.points);
    phx_ss_destroy(least);
    if (status)
        phx_margins_free(margins);
    return phx_conclude(context, status);
}
