/* Covariance, intervals and undetermined combinations from the singular values of the scaled Jacobian. */
#include "algebra/algebra.h"
#include "identify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double RANK = 1e-5; /* singular value over the largest, of columns of unit length: not determined */
static const double NO_INFLUENCE = 1e-9; /* change of a residual, in deviations, by 100 % of a parameter */
static const double INVOLVED = 0.01;     /* entry of a singular vector: part of the combination */
static const double LEVEL = 0.95;        /* of intervals and bands */

/* ---- Student's distribution ---- */
/* The share within [-t, t]: the finite series in cos^2 of angle = atan(t/sqrt freedom) (Abramowitz and Stegun, 26.7.3
 * and 26.7.4). */
static double student_share(int freedom, double t)
{
    const double angle = atan(t / sqrt(freedom)), c = cos(angle) * cos(angle);
    const bool odd = freedom % 2;
    double term = odd ? cos(angle) : 1.0, sum = 0.0;

    for (int k = odd ? 1 : 0; k <= freedom - 2; k += 2) {
        sum += term;
        term *= (k + 1.0) / (k + 2.0) * c;
    }
    return odd ? 2.0 / acos(-1.0) * (angle + sin(angle) * sum) : sin(angle) * sum;
}

double phx_student_quantile(int freedom, double level)
{
    static const int HALVINGS = 60; /* of the angle, to rounding */
    double low = 0.0, high = 0.5 * acos(-1.0);

    for (int k = 0; k < HALVINGS; k++) {
        const double middle = 0.5 * (low + high);
        *(student_share(freedom, sqrt(freedom) * tan(middle)) < level ? &low : &high) = middle;
    }
    return sqrt(freedom) * tan(0.5 * (low + high));
}

/* ---- combinations ---- */
/* "k1 - 2*k2": sum of v_p scale_p x_p over the parameters that have a part in it, the largest with coefficient 1. */
static char *combination_text(phx_context *context, const phx_fit *fit, int n, const int *free, const double *scale,
                              const double *v)
{
    enum { NUMBER = 24 };
    size_t size = 1, at = 0;
    int best = 0;

    for (int k = 0; k < n; k++) {
        size += strlen(fit->names[free[k]]) + NUMBER;
        best = fabs(v[k * n]) > fabs(v[best * n]) * (1.0 + RANK) ? k : best;
    }
    char *text = phx_calloc(context, size, 1);
    for (int k = 0; k < n && text; k++) {
        const double factor = v[k * n] * scale[k] / (v[best * n] * scale[best]);
        if (fabs(v[k * n]) <= INVOLVED)
            continue;
        at += (size_t)snprintf(text + at, size - at, "%s", factor < 0.0 ? (at ? " - " : "-") : at ? " + " : "");
        if (fabs(fabs(factor) - 1.0) > RANK)
            at += (size_t)snprintf(text + at, size - at, "%.4g*", fabs(factor));
        at += (size_t)snprintf(text + at, size - at, "%s", fit->names[free[k]]);
    }
    return text;
}

/* Takes over the text of a combination; NULL: memory is out. */
static phx_status put_undetermined(phx_context *context, phx_identification *found, char *text)
{
    if (!text)
        return PHX_ERR_MEMORY;
    phx_log(context, PHX_LOG_WARNING, "%s: not determined by these data", text);
    found->undetermined[found->n_undetermined++] = text;
    return PHX_OK;
}

/* ---- the parameters that can be determined ---- */
/* Those that are not at a bound and have an influence, into `free` with the lengths of their columns; returns how many.
 * Names the others. */
static phx_status free_parameters(phx_context *context, const phx_fit *fit, phx_identification *found, int *free,
                                  double *scale, int *count)
{
    phx_status status = PHX_OK;

    *count = 0;
    for (int p = 0; p < fit->m && !status; p++) {
        phx_identified_parameter *parameter = &found->parameters[p];
        const int held = phx_fit_held(fit, p);
        const double length = sqrt(fit->normal[p * fit->m + p]), size = fmax(fabs(fit->x[p]), fabs(parameter->start));
        parameter->value = fit->x[p];
        parameter->deviation = parameter->low = parameter->high = NAN;
        if (length * (size > 0.0 ? size : 1.0) <= NO_INFLUENCE) {
            parameter->state = PHX_UNIDENTIFIED;
            status = put_undetermined(context, found, phx_strdup(context, fit->names[p]));
        } else if (held) {
            parameter->state = held < 0 ? PHX_IDENTIFIED_AT_MIN : PHX_IDENTIFIED_AT_MAX;
            phx_log(context, PHX_LOG_WARNING, "%s = %.10g is at its bound", fit->names[p], fit->x[p]);
        } else {
            scale[*count] = length;
            free[(*count)++] = p;
        }
    }
    return status;
}

/* ---- covariance ---- */
/* The covariance C = V S^-2 V^T of the scaled parameters, over the singular values that are not small; those that are
 * small are combinations that are not determined. */
static phx_status scaled_covariance(phx_context *context, const phx_fit *fit, phx_identification *found, int n,
                                    const int *free, const double *scale, double *c)
{
    double *jacobian = phx_calloc(context, (size_t)(fit->n + n + 1) * (size_t)n + 1, sizeof *jacobian);
    double *v = phx_behind(jacobian, (size_t)fit->n * (size_t)n), *values = phx_behind(v, (size_t)n * (size_t)n);
    phx_status status = jacobian ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < fit->n * n && !status; i++) /* W J D^-1 */
        jacobian[i] = fit->data->rows[i / n].weight * fit->slope[i / n * fit->m + free[i % n]] / scale[i % n];
    if (!status)
        status = phx_dense_singular_values(context, fit->n, n, jacobian, values, v);
    for (int s = 0; s < n && !status; s++) {
        if (values[s] <= RANK * values[0]) {
            status = put_undetermined(context, found, combination_text(context, fit, n, free, scale, v + s));
            for (int k = 0; k < n; k++)
                if (fabs(v[k * n + s]) > INVOLVED)
                    found->parameters[free[k]].state = PHX_UNIDENTIFIED;
            continue;
        }
        found->freedom--;
        for (int i = 0; i < n * n; i++)
            c[i] += v[i / n * n + s] * v[i % n * n + s] / (values[s] * values[s]);
    }
    phx_free(jacobian);
    return status;
}

/* Deviations, intervals and correlations, t: the quantile. */
static void put_intervals(phx_identification *found, int n, const int *free, const double *scale, const double *c,
                          double t)
{
    const int m = found->n_parameters;

    for (int i = 0; i < m * m; i++)
        found->correlation[i] = NAN;
    for (int i = 0; i < n; i++) {
        phx_identified_parameter *parameter = &found->parameters[free[i]];
        if (parameter->state != PHX_IDENTIFIED || found->freedom <= 0)
            continue;
        parameter->deviation = sqrt(found->variance * c[i * n + i]) / scale[i];
        parameter->low = parameter->value - t * parameter->deviation;
        parameter->high = parameter->value + t * parameter->deviation;
        for (int j = 0; j < n; j++)
            if (found->parameters[free[j]].state == PHX_IDENTIFIED)
                found->correlation[free[i] * m + free[j]] = c[i * n + j] / sqrt(c[i * n + i] * c[j * n + j]);
    }
}

/* t sqrt(s^2 j^T C j) of the model values, j: a row of the Jacobian. */
static void put_bands(const phx_fit *fit, phx_identification *found, int n, const int *free, const double *scale,
                      const double *c, double t)
{
    for (int k = 0; k < fit->n; k++) {
        const double *slope = fit->slope + k * fit->m;
        double sum = 0.0;
        for (int i = 0; i < n * n; i++)
            sum += slope[free[i / n]] / scale[i / n] * c[i] * slope[free[i % n]] / scale[i % n];
        found->rows[k].band = found->freedom > 0 ? t * sqrt(found->variance * fmax(sum, 0.0)) : NAN;
    }
}

/* Covariance by the singular values of the scaled Jacobian, intervals, correlations, what is undetermined. */
phx_status phx_fit_statistics(phx_context *context, const phx_fit *fit, phx_identification *found)
{
    const size_t m = (size_t)fit->m;
    int *free = phx_calloc(context, m + 1, sizeof *free), n = 0;
    double *c = phx_calloc(context, m * m + m + 1, sizeof *c), *scale = phx_behind(c, m * m);
    phx_status status = free && c ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = free_parameters(context, fit, found, free, scale, &n);
    found->cost = fit->cost;
    found->freedom = fit->n;
    if (!status && n > 0)
        status = scaled_covariance(context, fit, found, n, free, scale, c);
    if (!status) {
        const double t = found->freedom > 0 ? phx_student_quantile(found->freedom, LEVEL) : NAN;
        found->variance = found->freedom > 0 ? found->cost / found->freedom : NAN;
        put_intervals(found, n, free, scale, c, t);
        put_bands(fit, found, n, free, scale, c, t);
    }
    phx_free(free);
    phx_free(c);
    return status;
}
