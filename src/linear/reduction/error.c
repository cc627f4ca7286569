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

static void measured_free(measured *it)
{
    phx_free(it->partner);
    phx_ss_destroy(it->ss);
}

static phx_status measured_of(phx_context *context, const char *name, const phx_ph *ph, measured *it)
{
    *it = (measured){.ph = ph};
    const phx_status status = phx_uncoupled_find(context, ph, &it->partner);
    return status ? status : phx_ph_ss(context, name, ph, true, &it->ss);
}

static phx_status gains(phx_context *context, const measured *it, int count, const double *omega, double *values)
{
    return it->partner ? phx_uncoupled_gains(context, it->ph, it->partner, count, omega, values)
                       : phx_ss_singular_values(context, it->ss, count, omega, values);
}

/* The poles: re and im (n each). */
static phx_status poles(phx_context *context, const measured *it, double *re, double *im)
{
    if (!it->partner)
        return phx_ss_poles(context, it->ss, re, im, NULL, NULL);
    phx_uncoupled_poles(it->ph, it->partner, re, im);
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

static phx_status curve_gains(const phx_error_measure *it, const measured *system, bool with_rest, double *values)
{
    return sum_gains(it->context, it->full.m, system, with_rest ? it->rest : NULL, it->curves.count, it->curves.omega,
                     values);
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
static phx_status norm_of(const phx_error_measure *it, const measured *system, double size, phx_norm *norm,
                          bool *certified)
{
    phx_norm seen = {0};
    phx_status status = PHX_OK;

    *certified = phx_ss_n(system->ss) <= CERTIFIED;
    if (*certified)
        status = phx_ss_hinf_norm(it->context, system->ss, it->band, 1e-7, norm);
    if (!status && *certified && norm->lower >= level_noise * size)
        return PHX_OK;
    if (!status)
        status = estimate(it->context, system, it->band, &seen);
    if (!*certified || seen.lower > norm->lower)
        *norm = seen;
    *certified = false;
    return status;
}

/* H2 norm of the proper part, without its refusals: NAN. */
static phx_status h2_of(const phx_error_measure *it, const phx_ss *system, double *norm)
{
    const phx_ss_def def = {.n = phx_ss_n(system),
                            .n_inputs = phx_ss_inputs(system),
                            .n_outputs = phx_ss_outputs(system),
                            .A = phx_ss_A(system),
                            .B = phx_ss_B(system),
                            .C = phx_ss_C(system)};
    phx_ss *proper = NULL;
    phx_status status =
        it->band || it->rest || def.n > CERTIFIED ? PHX_ERR_ANALYSIS : phx_ss_create(it->context, &def, &proper);

    if (!status)
        status = phx_ss_h2_norm(it->context, proper, norm);
    phx_ss_destroy(proper);
    if (status == PHX_ERR_ANALYSIS) {
        phx_context_clear(it->context);
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
static phx_status frequencies(const phx_error_measure *it, const measured *full, bool part,
                              phx_reduction_curves *curves)
{
    const int n = phx_ss_n(full->ss), steps = part ? FACTORED : GRID;
    double *im = phx_calloc(it->context, 4 * ((size_t)n + GRID) + 1, sizeof *im); /* behind im: re, then the curves */
    double *re = phx_behind(im, (size_t)(n + GRID)), low = HUGE_VAL, high = 0.0;
    phx_status status = im ? poles(it->context, full, re, im) : PHX_ERR_MEMORY;
    int count = 0;

    for (int k = 0; k < n && !status; k++) {
        low = im[k] > 0.0 ? fmin(low, im[k]) : low;
        high = fmax(high, im[k]);
        if (part && im[k] == 0.0 && re[k] < 0.0)
            low = fmin(low, -1e-2 * re[k]);
    }
    low = high > 0.0 ? 0.1 * low : 0.1;
    high = high > 0.0 ? 3.0 * high : 10.0;
    if (it->band && it->band[0] > 0.0)
        low = it->band[0];
    if (it->band && isfinite(it->band[1])) {
        high = it->band[1];
        low = low < high ? low : 1e-2 * high;
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
static phx_status find_rest(const phx_error_measure *it, const measured *known, int count, const double *omega,
                            double complex **rest)
{
    const phx_dominance *dominance = it->dominance;
    const int m = it->full.m;
    const size_t total = (size_t)count * (size_t)m * (size_t)m;
    double complex *H = phx_calloc(it->context, total + 1, sizeof *H);
    phx_status status = PHX_OK;

    *rest = phx_calloc(it->context, total + 1, sizeof **rest);
    if (!*rest || !H)
        status = PHX_ERR_MEMORY;
    if (!status)
        status =
            phx_remainder_responses(it->mechanism, dominance->nominal, !dominance->proportional, count, omega, *rest);
    for (size_t k = 0; k < total && !status; k++)
        (*rest)[k] *= dominance->scale[k / (size_t)m % (size_t)m] * dominance->scale[k % (size_t)m];
    if (!status && !dominance->proportional) /* it is all of the model then */
        status = phx_ss_responses(it->context, known->ss, count, omega, (double *)H);
    for (size_t k = 0; k < total && !status; k++)
        (*rest)[k] -= H[k];
    phx_free(H);
    return status;
}

/* At the poles of a reduced system, where it may have peaks that the model has not: raises the norm of the error. */
static phx_status at_its_poles(const phx_error_measure *it, const phx_ph *reduced, const measured *difference,
                               phx_norm *norm)
{
    const size_t n = (size_t)reduced->n;
    double *re = phx_calloc(it->context, 4 * n + 1, sizeof *re), *im = phx_behind(re, n), *omega = phx_behind(im, n),
           *values = phx_behind(omega, n);
    double complex *rest = NULL;
    measured known = {0}, system = {0};
    int count = 0;
    phx_status status = re ? measured_of(it->context, "reduced", reduced, &system) : PHX_ERR_MEMORY;

    if (!status)
        status = poles(it->context, &system, re, im);
    for (size_t k = 0; k < n && !status; k++)
        if (im[k] > 0.0 && (!it->band || (im[k] >= it->band[0] && im[k] <= it->band[1])))
            omega[count++] = im[k];
    if (!status)
        status = measured_of(it->context, "model", &it->full, &known);
    if (!status)
        status = find_rest(it, &known, count, omega, &rest);
    if (!status)
        status = sum_gains(it->context, it->full.m, difference, rest, count, omega, values);
    if (!status)
        raise_norm(count, omega, values, norm);
    measured_free(&system);
    measured_free(&known);
    phx_free(rest);
    phx_free(re);
    return status;
}

/* Norms and gain curves of the full model, with which the errors of all candidates are compared. */
phx_status phx_error_begin(phx_error_measure *it)
{
    const bool part = phx_full_is_part(it->mechanism);
    measured system;
    phx_status status = measured_of(it->context, "model", &it->full, &system);

    if (!status)
        status = frequencies(it, &system, part, &it->curves);
    it->curves.model = phx_behind(it->curves.omega, (size_t)it->curves.count);
    it->curves.reduced = phx_behind(it->curves.model, (size_t)it->curves.count);
    it->curves.error = phx_behind(it->curves.reduced, (size_t)it->curves.count);
    if (!status && part)
        status = find_rest(it, &system, it->curves.count, it->curves.omega, &it->rest);
    if (!status && !part)
        status = norm_of(it, &system, 0.0, &it->norm, &it->certified);
    if (!status)
        status = h2_of(it, system.ss, &it->h2);
    if (!status)
        status = curve_gains(it, &system, true, it->curves.model);
    if (!status && part)
        raise_norm(it->curves.count, it->curves.omega, it->curves.model, &it->norm);
    measured_free(&system);
    return status;
}

/* In a band, of a model that moves freely: the error against the response at each frequency, of the rigid motions,
 * which is rigid_gain/omega, or of the rest, whichever is larger; at the zeros of the response both are. */
static double against_response(const phx_error_measure *it)
{
    double worst = 0.0;

    if (!it->band || !(it->rigid_gain > 0.0))
        return NAN;
    for (int k = 0; k < it->curves.count; k++)
        worst = fmax(worst, it->curves.error[k] / fmax(it->curves.model[k], it->rigid_gain / it->curves.omega[k]));
    return worst;
}

/* Errors of a reduced system against the full one: H-infinity bounds, H2, and gains over frequency. `part`, optional,
 * is the error itself if the left-out modes form a system of their own. */
phx_status phx_error_of(const phx_error_measure *it, const phx_ph *reduced, const phx_ph *part,
                        phx_reduction_report *report)
{
    measured difference = {0};
    phx_norm norm = {0};
    bool certified = false;
    double h2 = NAN;
    phx_status status = part ? measured_of(it->context, "error", part, &difference)
                             : phx_ph_difference(it->context, &it->full, reduced, &difference.ss);

    if (!status && !it->rest)
        status = norm_of(it, &difference, part ? 0.0 : it->norm.lower, &norm, &certified);
    if (!status)
        status = h2_of(it, difference.ss, &h2);
    if (!status)
        status = curve_gains(it, &difference, true, it->curves.error);
    if (!status && it->rest)
        raise_norm(it->curves.count, it->curves.omega, it->curves.error, &norm);
    if (!status && it->rest && !part)
        status = at_its_poles(it, reduced, &difference, &norm);
    measured_free(&difference);
    report->error = norm.upper / it->norm.lower;
    report->error_least = norm.lower / it->norm.upper;
    report->error_omega = norm.omega;
    report->error_h2 = h2 / it->h2;
    report->error_local = status ? NAN : against_response(it);
    report->certified = certified && it->certified;
    return status;
}

phx_status phx_error_curves(phx_error_measure *it, const phx_ph *reduced, phx_reduction_curves *curves)
{
    measured system;
    phx_status status = measured_of(it->context, "reduced", reduced, &system);

    if (!status)
        status = curve_gains(it, &system, false, it->curves.reduced);
    measured_free(&system);
    *curves = it->curves;
    it->curves = (phx_reduction_curves){0};
    return status;
}
