/* How far a reduced system is from the full one. */
#include <math.h>
#include <stdlib.h>

#include "reduction.h"

/* States of an error system of which the Hamiltonian matrix is still worth its eigenvalues. */
enum { CERTIFIED = 600 };
/* Level sets of a difference that is smaller than this, in parts of the model, are lost in rounding: the entries of the
 * Hamiltonian matrix grow as one over the level, and eps times them moves its eigenvalues as far as the level does. */
static const double level_noise = 1e-7;

/* A system without its feedthrough. */
typedef struct measured {
    const phx_ph *ph; /* NULL: not known */
    int *partner;     /* of uncoupled modes; NULL: they are coupled */
    phx_ss *ss;
} measured;

static void measured_free(measured *quantity)
{
    phx_free(quantity->partner);
    phx_ss_destroy(quantity->ss);
}

static phx_status measured_of(phx_context *context, const char *name, const phx_ph *ph, measured *quantity)
{
    *quantity = (measured){.ph = ph};
    const phx_status status = phx_uncoupled_find(context, ph, &quantity->partner);
    return status ? status : phx_ph_ss(context, name, ph, true, &quantity->ss);
}

static phx_status gains(phx_context *context, const measured *quantity, int count, const double *omega, double *values)
{
    return quantity->partner ? phx_uncoupled_gains(context, quantity->ph, quantity->partner, count, omega, values)
                             : phx_ss_singular_values(context, quantity->ss, count, omega, values);
}

/* The poles: re and im (n each). */
static phx_status poles(phx_context *context, const measured *quantity, double *re, double *im)
{
    if (!quantity->partner)
        return phx_ss_poles(context, quantity->ss, re, im, NULL, NULL);
    phx_uncoupled_poles(quantity->ph, quantity->partner, re, im);
    return PHX_OK;
}

/* Largest singular values of the system and `rest` (NULL: nothing). */
static phx_status sum_gains(phx_context *context, int m, const measured *system, const double complex *rest, int count,
                            const double *omega, double *values)
{
    const size_t cells = (size_t)m * (size_t)m, total = (size_t)count * cells;

    if (!rest)
        return gains(context, system, count, omega, values);
    double complex *H = phx_calloc(context, total + 1, sizeof *H);
    double *work = phx_calloc(context, 4 * cells + 2 * (size_t)m + 1, sizeof *work);
    phx_status status = H && work ? PHX_OK : PHX_ERR_MEMORY;
    if (!status && system->partner)
        phx_uncoupled_responses(system->ph, system->partner, count, omega, H);
    else if (!status)
        status = phx_ss_responses(context, system->ss, count, omega, (double *)H);
    for (size_t k = 0; k < total && !status; k++)
        H[k] += rest[k];
    for (int k = 0; k < count && !status; k++)
        status = phx_largest_singular_value(context, m, m, (const double *)(H + (size_t)k * cells), work, values + k);
    phx_free(H);
    phx_free(work);
    return status;
}

static phx_status curve_gains(const phx_error_measure *gauge, const measured *system, bool with_rest, double *values)
{
    return sum_gains(gauge->context, gauge->full.m, system, with_rest ? gauge->rest : NULL, gauge->curves.count,
                     gauge->curves.omega, values);
}

/* Raised to the largest of these values: a lower bound. */
static void raise_norm(int count, const double *omega, const double *values, phx_norm *norm)
{
    for (int k = 0; k < count; k++)
        if (values[k] > norm->lower)
            *norm = (phx_norm){values[k], values[k], omega[k]};
}

/* The largest singular value at the frequencies of the poles and, of those damped strongly, at their sizes, refined by
 * golden section: a lower bound. */
static phx_status estimate(phx_context *context, const measured *system, const double *band, phx_norm *norm)
{
    enum { STEPS = 40 };
    static const double golden = 0.61803398874989484820;
    const int n = phx_ss_n(system->ss);
    double *re = phx_calloc(context, 6 * (size_t)n + 4, sizeof *re), *im = phx_behind(re, (size_t)n),
           *omega = phx_behind(im, (size_t)n), *value = phx_behind(omega, 2 * (size_t)n + 2);
    phx_status status = re ? poles(context, system, re, im) : PHX_ERR_MEMORY;
    double left = 0.0, right = 0.0;
    int count = 0, beside = 0;

    *norm = (phx_norm){0};
    for (int k = 0; k < n && !status; k++)
        if (im[k] >= 0.0 && (!band || (im[k] >= band[0] && im[k] <= band[1])))
            omega[count++] = im[k];
    if (band && !status) {
        omega[count++] = band[0];
        if (isfinite(band[1]))
            omega[count++] = band[1];
    }
    beside = count;
    for (int k = 0; k < n && !status; k++) {
        const double size = hypot(re[k], im[k]);
        if (im[k] >= 0.0 && re[k] < -0.1 * size && (!band || (size >= band[0] && size <= band[1])))
            omega[count++] = size;
    }
    if (!status)
        status = gains(context, system, count, omega, value);
    for (int k = 0; k < count && !status; k++)
        if (value[k] > norm->lower) {
            *norm = (phx_norm){value[k], value[k], omega[k]};
            left = (k < beside ? 0.99 : 0.25) * omega[k];
            right = (k < beside ? 1.01 : 4.0) * omega[k];
        }
    for (int step = 0; step < STEPS && !status && right > left; step++) {
        const double pair[2] = {right - golden * (right - left), left + golden * (right - left)};
        double values[2];
        status = gains(context, system, 2, pair, values);
        for (int k = 0; k < 2 && !status; k++)
            if (values[k] > norm->lower && (!band || (pair[k] >= band[0] && pair[k] <= band[1])))
                *norm = (phx_norm){values[k], values[k], pair[k]};
        if (values[0] < values[1])
            left = pair[0];
        else
            right = pair[1];
    }
    phx_free(re);
    return status;
}

/* size: norm of the model, where the system is a difference of two; 0: it is none. */
static phx_status norm_of(const phx_error_measure *gauge, const measured *system, double size, phx_norm *norm,
                          bool *certified)
{
    static const double ACCURACY = 1e-7; /* of the norm, relative */
    phx_norm seen = {0};
    phx_status status = PHX_OK;

    *certified = phx_ss_n(system->ss) <= CERTIFIED;
    if (*certified)
        status = phx_ss_hinf_norm(gauge->context, system->ss, gauge->band, ACCURACY, norm);
    if (!status && *certified && norm->lower >= level_noise * size)
        return PHX_OK;
    if (!status)
        status = estimate(gauge->context, system, gauge->band, &seen);
    if (!*certified || seen.lower > norm->lower)
        *norm = seen;
    *certified = false;
    return status;
}

/* H2 norm of the proper part, without its refusals: NAN. */
static phx_status h2_of(const phx_error_measure *gauge, const phx_ss *system, double *norm)
{
    const phx_ss_def def = {.n = phx_ss_n(system),
                            .n_inputs = phx_ss_inputs(system),
                            .n_outputs = phx_ss_outputs(system),
                            .A = phx_ss_A(system),
                            .B = phx_ss_B(system),
                            .C = phx_ss_C(system)};
    phx_ss *proper = NULL;
    phx_status status = gauge->band || gauge->rest || def.n > CERTIFIED ? PHX_ERR_ANALYSIS
                                                                        : phx_ss_create(gauge->context, &def, &proper);

    if (!status)
        status = phx_ss_h2_norm(gauge->context, proper, norm);
    phx_ss_destroy(proper);
    if (status == PHX_ERR_ANALYSIS) {
        phx_context_clear(gauge->context);
        *norm = NAN;
        status = PHX_OK;
    }
    return status;
}

/* ---- curves ---- */
enum { GRID = 300, FACTORED = 120 }; /* FACTORED: where each takes a factorisation */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Even steps of the logarithm from below the lowest to above the highest frequency, or over the band, and the peaks;
 * part: of part of the modes, from below the slowest real pole as well. */
static phx_status frequencies(const phx_error_measure *gauge, const measured *full, bool part,
                              phx_reduction_curves *curves)
{
    static const double BELOW_POLE = 1e-2; /* of the slowest real pole: where the band begins */
    static const double BELOW_BAND = 1e-2; /* of its upper end, the same */
    const int n = phx_ss_n(full->ss), steps = part ? FACTORED : GRID;
    double *im =
        phx_calloc(gauge->context, 4 * ((size_t)n + GRID) + 1, sizeof *im); /* behind im: re, then the curves */
    double *re = phx_behind(im, (size_t)(n + GRID)), low = HUGE_VAL, high = 0.0;
    phx_status status = im ? poles(gauge->context, full, re, im) : PHX_ERR_MEMORY;
    int count = 0;

    for (int k = 0; k < n && !status; k++) {
        low = im[k] > 0.0 ? fmin(low, im[k]) : low;
        high = fmax(high, im[k]);
        if (part && im[k] == 0.0 && re[k] < 0.0)
            low = fmin(low, -BELOW_POLE * re[k]);
    }
    low = high > 0.0 ? 0.1 * low : 0.1;
    high = high > 0.0 ? 3.0 * high : 10.0;
    if (gauge->band && gauge->band[0] > 0.0)
        low = gauge->band[0];
    if (gauge->band && isfinite(gauge->band[1])) {
        high = gauge->band[1];
        low = low < high ? low : BELOW_BAND * high;
    }
    for (int k = 0; k < n && !status; k++)
        if (im[k] > low && im[k] < high)
            im[count++] = im[k];
    for (int k = 0; k < steps && !status; k++)
        im[count++] = low * pow(high / low, (double)k / (steps - 1));
    if (!status)
        qsort(im, (size_t)count, sizeof *im, ascending);
    curves->count = count;
    curves->omega = im;
    return status;
}

/* Responses of the model at these frequencies without those of the known modes; the caller frees them. */
static phx_status find_rest(const phx_error_measure *gauge, const measured *known, int count, const double *omega,
                            double complex **rest)
{
    const phx_dominance *dominance = gauge->dominance;
    const int m = gauge->full.m;
    const size_t total = (size_t)count * (size_t)m * (size_t)m;
    double complex *H = phx_calloc(gauge->context, total + 1, sizeof *H);
    phx_status status = PHX_OK;

    *rest = phx_calloc(gauge->context, total + 1, sizeof **rest);
    if (!*rest || !H)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_remainder_responses(gauge->mechanism, dominance->nominal, !dominance->proportional, count, omega,
                                         *rest);
    for (size_t k = 0; k < total && !status; k++)
        (*rest)[k] *= dominance->scale[k / (size_t)m % (size_t)m] * dominance->scale[k % (size_t)m];
    if (!status && !dominance->proportional) /* it is all of the model then */
        status = phx_ss_responses(gauge->context, known->ss, count, omega, (double *)H);
    for (size_t k = 0; k < total && !status; k++)
        (*rest)[k] -= H[k];
    phx_free(H);
    return status;
}

/* At the poles of a reduced system, where it may have peaks that the model has not: raises the norm of the error. */
static phx_status at_its_poles(const phx_error_measure *gauge, const phx_ph *reduced, const measured *difference,
                               phx_norm *norm)
{
    const size_t n = (size_t)reduced->n;
    double *re = phx_calloc(gauge->context, 4 * n + 1, sizeof *re), *im = phx_behind(re, n), *omega = phx_behind(im, n),
           *values = phx_behind(omega, n);
    double complex *rest = NULL;
    measured known = {0}, system = {0};
    int count = 0;
    phx_status status = re ? measured_of(gauge->context, "reduced", reduced, &system) : PHX_ERR_MEMORY;

    if (!status)
        status = poles(gauge->context, &system, re, im);
    for (size_t k = 0; k < n && !status; k++)
        if (im[k] > 0.0 && (!gauge->band || (im[k] >= gauge->band[0] && im[k] <= gauge->band[1])))
            omega[count++] = im[k];
    if (!status)
        status = measured_of(gauge->context, "model", &gauge->full, &known);
    if (!status)
        status = find_rest(gauge, &known, count, omega, &rest);
    if (!status)
        status = sum_gains(gauge->context, gauge->full.m, difference, rest, count, omega, values);
    if (!status)
        raise_norm(count, omega, values, norm);
    measured_free(&system);
    measured_free(&known);
    phx_free(rest);
    phx_free(re);
    return status;
}

/* Norms and gain curves of the full model, with which the errors of all candidates are compared. */
phx_status phx_error_begin(phx_error_measure *gauge)
{
    const bool part = phx_full_is_part(gauge->mechanism);
    measured system;
    phx_status status = measured_of(gauge->context, "model", &gauge->full, &system);

    if (!status)
        status = frequencies(gauge, &system, part, &gauge->curves);
    gauge->curves.model = phx_behind(gauge->curves.omega, (size_t)gauge->curves.count);
    gauge->curves.reduced = phx_behind(gauge->curves.model, (size_t)gauge->curves.count);
    gauge->curves.error = phx_behind(gauge->curves.reduced, (size_t)gauge->curves.count);
    if (!status && part)
        status = find_rest(gauge, &system, gauge->curves.count, gauge->curves.omega, &gauge->rest);
    if (!status && !part)
        status = norm_of(gauge, &system, 0.0, &gauge->norm, &gauge->certified);
    if (!status)
        status = h2_of(gauge, system.ss, &gauge->h2);
    if (!status)
        status = curve_gains(gauge, &system, true, gauge->curves.model);
    if (!status && part)
        raise_norm(gauge->curves.count, gauge->curves.omega, gauge->curves.model, &gauge->norm);
    measured_free(&system);
    return status;
}

/* In a band, of a model that moves freely: the error against the response at each frequency, of the rigid motions,
 * which is rigid_gain/omega, or of the rest, whichever is larger; at the zeros of the response both are. */
static double against_response(const phx_error_measure *gauge)
{
    double worst = 0.0;

    if (!gauge->band || !(gauge->rigid_gain > 0.0))
        return NAN;
    for (int k = 0; k < gauge->curves.count; k++)
        worst = fmax(worst,
                     gauge->curves.error[k] / fmax(gauge->curves.model[k], gauge->rigid_gain / gauge->curves.omega[k]));
    return worst;
}

/* Errors of a reduced system against the full one: H-infinity bounds, H2, and gains over frequency. `part`, optional,
 * is the error itself if the left-out modes form a system of their own. */
phx_status phx_error_of(const phx_error_measure *gauge, const phx_ph *reduced, const phx_ph *part,
                        phx_reduction_report *report)
{
    measured difference = {0};
    phx_norm norm = {0};
    bool certified = false;
    double h2 = NAN;
    phx_status status = part ? measured_of(gauge->context, "error", part, &difference)
                             : phx_ph_difference(gauge->context, &gauge->full, reduced, &difference.ss);

    if (!status && !gauge->rest)
        status = norm_of(gauge, &difference, part ? 0.0 : gauge->norm.lower, &norm, &certified);
    if (!status)
        status = h2_of(gauge, difference.ss, &h2);
    if (!status)
        status = curve_gains(gauge, &difference, true, gauge->curves.error);
    if (!status && gauge->rest)
        raise_norm(gauge->curves.count, gauge->curves.omega, gauge->curves.error, &norm);
    if (!status && gauge->rest && !part)
        status = at_its_poles(gauge, reduced, &difference, &norm);
    measured_free(&difference);
    report->error = norm.upper / gauge->norm.lower;
    report->error_least = norm.lower / gauge->norm.upper;
    report->error_omega = norm.omega;
    report->error_h2 = h2 / gauge->h2;
    report->error_local = status ? NAN : against_response(gauge);
    report->certified = certified && gauge->certified;
    return status;
}

phx_status phx_error_curves(phx_error_measure *gauge, const phx_ph *reduced, phx_reduction_curves *curves)
{
    measured system;
    phx_status status = measured_of(gauge->context, "reduced", reduced, &system);

    if (!status)
        status = curve_gains(gauge, &system, false, gauge->curves.reduced);
    measured_free(&system);
    *curves = gauge->curves;
    gauge->curves = (phx_reduction_curves){0};
    return status;
}
