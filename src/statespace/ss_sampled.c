/* Sampled systems: inputs held from sample to sample; and the stable part of a continuous one. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ss.h"

/* A_d and B_d of one period, on balanced states: exp([A B; 0 0] T) = [A_d B_d; 0 1]. */
static phx_status hold_matrices(phx_context *context, const phx_ss *system, double period, double *A_d, double *B_d)
{
    const int n = system->n, m = system->n_inputs, all = n + m;
    double *scale = NULL, *A = NULL, *a = phx_calloc(context, 2 * (size_t)all * (size_t)all, sizeof *a);
    double *e = phx_behind(a, (size_t)all * (size_t)all);
    phx_status status = a ? phx_ss_balanced(context, system, &scale, &A) : PHX_ERR_MEMORY;

    for (int i = 0; i < n && !status; i++) {
        for (int j = 0; j < n; j++)
            a[i * all + j] = period * A[i * n + j];
        for (int j = 0; j < m; j++)
            a[i * all + n + j] = period * system->B[i * m + j] / scale[i];
    }
    if (!status && all > 0)
        status = phx_dense_exponential(context, all, a, e);
    for (int i = 0; i < n && !status; i++) {
        for (int j = 0; j < n; j++)
            A_d[i * n + j] = e[i * all + j] * scale[i] / scale[j];
        for (int j = 0; j < m; j++)
            B_d[i * m + j] = e[i * all + n + j] * scale[i];
    }
    phx_free(scale);
    phx_free(A);
    phx_free(a);
    return status;
}

/* Names of the states: those of the system, then of each input held back "INPUT.1" ... */
static phx_status hold_names(phx_context *context, const phx_ss *system, int delay, phx_ss *held)
{
    char name[300];

    for (int k = 0; k < held->n; k++) {
        const int late = k - system->n;
        if (late >= 0)
            snprintf(name, sizeof name, "%s.%d", system->inputs[late / delay], late % delay + 1);
        held->states[k] = phx_strdup(context, late < 0 ? system->states[k] : name);
        if (!held->states[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* The sampled system of held, late inputs: input j acts through its chain of `delay` states. */
static void hold_fill(const phx_ss *system, int delay, const double *A_d, const double *B_d, phx_ss *held)
{
    const int n = system->n, m = system->n_inputs, p = system->n_outputs, all = held->n;

    for (int i = 0; i < n; i++) {
        memcpy(held->A + (size_t)i * (size_t)all, A_d + i * n, (size_t)n * sizeof *A_d);
        for (int j = 0; j < m; j++)
            *(delay > 0 ? &held->A[i * all + n + j * delay] : &held->B[i * m + j]) = B_d[i * m + j];
    }
    for (int i = 0; i < p; i++) {
        memcpy(held->C + (size_t)i * (size_t)all, system->C + i * n, (size_t)n * sizeof *A_d);
        for (int j = 0; j < m; j++)
            *(delay > 0 ? &held->C[i * all + n + j * delay] : &held->D[i * m + j]) = system->D[i * m + j];
    }
    for (int j = 0; j < m; j++)
        for (int k = 0; k < delay; k++) {
            const int row = n + j * delay + k;
            if (k + 1 < delay)
                held->A[row * all + row + 1] = 1.0;
            else
                held->B[row * m + j] = 1.0;
        }
}

/* The states of the system, then those of each late input; A_d and B_d by one exponential. */
phx_status phx_ss_hold(phx_context *context, const phx_ss *system, double period, int delay, phx_ss **held)
{
    if (!system || !held)
        return phx_fail_null(context, __func__, "system or held");
    const size_t n = (size_t)system->n, m = (size_t)system->n_inputs;
    phx_ss *made = NULL;
    double *A_d = NULL;

    *held = NULL;
    if (!(period > 0.0 && isfinite(period)) || delay < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "a sampled system has the period %g s and a delay of %d samples; the period must be positive, "
                        "the delay not negative",
                        period, delay);
    phx_status status = phx_ss_new(context, system->name, (int)n + delay * (int)m, (int)m, system->n_outputs, &made);
    A_d = status ? NULL : phx_calloc(context, n * n + n * m, sizeof *A_d);
    if (!status)
        status = A_d ? hold_matrices(context, system, period, A_d, A_d + n * n) : PHX_ERR_MEMORY;
    if (!status) {
        hold_fill(system, delay, A_d, A_d + n * n, made);
        status = hold_names(context, system, delay, made);
    }
    if (!status)
        status = phx_ss_put_names(context, (int)m, (const char *const *)system->inputs, NULL, 'u', "", made->inputs);
    if (!status)
        status = phx_ss_put_names(context, system->n_outputs, (const char *const *)system->outputs, NULL, 'y', "",
                                  made->outputs);
    phx_free(A_d);
    return phx_conclude(context, phx_ss_finish(context, status, made, held));
}

phx_status phx_ss_sampled_poles(phx_context *context, const phx_ss *system, double period, double *re, double *im,
                                double *omega, double *damping)
{
    static const double GONE = 1e-12; /* |z| of a delay, to rounding of a single one */
    if (!system || !re || !im)
        return phx_fail_null(context, __func__, "system, re or im");
    const phx_status status = phx_ss_poles(context, system, re, im, NULL, NULL);

    for (int k = 0; k < system->n && !status; k++) {
        const double size = hypot(re[k], im[k]), angle = atan2(im[k], re[k]);
        re[k] = size > GONE ? log(size) / period : -HUGE_VAL;
        im[k] = size > GONE ? angle / period : 0.0;
    }
    if (!status)
        phx_ss_sort_poles(system->n, re, im);
    for (int k = 0; k < system->n && !status; k++) {
        const double size = hypot(re[k], im[k]);
        if (omega)
            omega[k] = size;
        if (damping)
            damping[k] = size > 0.0 && isfinite(size) ? -re[k] / size : size > 0.0;
    }
    return status;
}

/* ---- the stable part ---- */
/* x = Q [I X; 0 I] (x_s, x_r): with A = Q [A_s A_sr; 0 A_r] Q^T and A_s X - X A_r = -A_sr the parts go by themselves.
 * The stable one is A_s, [I -X] Q^T B, C Q [I; 0]. */
static phx_status take_stable(phx_context *context, const phx_ss *system, const double *scale, int f, double *T,
                              const double *Q, phx_ss *stable)
{
    const int n = system->n, b = n - f, m = system->n_inputs, p = system->n_outputs;
    double *room = phx_calloc(context, (size_t)(f * b + b * b + n * m + p * n) + 1, sizeof *room);
    double *X = room, *A_r = phx_behind(X, (size_t)(f * b)), *B = phx_behind(A_r, (size_t)(b * b));
    double *C = phx_behind(B, (size_t)(n * m));
    phx_status status = room ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < f && !status; i++) {
        memcpy(stable->A + i * f, T + i * n, (size_t)f * sizeof *T);
        for (int j = 0; j < b; j++)
            X[i * b + j] = -T[i * n + f + j];
    }
    for (int i = 0; i < b && !status; i++)
        memcpy(A_r + i * b, T + (f + i) * n + f, (size_t)b * sizeof *T);
    if (!status && f > 0 && b > 0)
        status = phx_dense_sylvester_schur(context, f, b, stable->A, A_r, X);
    for (int i = 0; i < n && !status; i++) {
        for (int j = 0; j < m; j++)
            for (int k = 0; k < n; k++)
                B[i * m + j] += Q[k * n + i] * system->B[k * m + j] / scale[k];
        for (int j = 0; j < p; j++)
            for (int k = 0; k < n; k++)
                C[j * n + i] += system->C[j * n + k] * scale[k] * Q[k * n + i];
    }
    for (int i = 0; i < f && !status; i++) {
        for (int j = 0; j < m; j++) {
            stable->B[i * m + j] = B[i * m + j];
            for (int k = 0; k < b; k++)
                stable->B[i * m + j] -= X[i * b + k] * B[(f + k) * m + j];
        }
        for (int j = 0; j < p; j++)
            stable->C[j * f + i] = C[j * n + i];
    }
    if (!status)
        memcpy(stable->D, system->D, (size_t)(p * m) * sizeof *stable->D);
    phx_free(room);
    return status;
}

/* Just above the roots that rounding makes of double roots at zero: lambda and -lambda, apart by the root of rounding.
 * Poles ascend by magnitude. */
static double edge_of_zero(int n, const double *re, const double *im)
{
    const double largest = n > 0 ? hypot(re[n - 1], im[n - 1]) : 0.0, parted = largest * sqrt(n * DBL_EPSILON);
    double edge = n * DBL_EPSILON * largest;

    for (int k = 0; k < n; k++)
        for (int j = 0; j < n && hypot(re[k], im[k]) <= parted; j++)
            if (j != k && hypot(re[j] + re[k], im[j] + im[k]) <= 0.1 * hypot(re[k], im[k]))
                edge = fmax(edge, 2.0 * fabs(re[k]));
    return edge;
}

/* By a real Schur form whose stable roots, right of which is the edge, come first, and a Sylvester equation. */
phx_status phx_ss_stable_part(phx_context *context, const phx_ss *system, double edge, phx_ss **stable)
{
    if (!system || !stable)
        return phx_fail_null(context, __func__, "system or stable");
    const int n = system->n;
    const size_t cells = (size_t)n * (size_t)n;
    double *scale = NULL, *A = NULL, *T = phx_calloc(context, 2 * cells + 2 * (size_t)n + 1, sizeof *T);
    double *Q = phx_behind(T, cells), *re = phx_behind(Q, cells), *im = phx_behind(re, (size_t)n);
    phx_ss *made = NULL;
    int f = 0;

    *stable = NULL;
    phx_status status = T ? phx_ss_poles(context, system, re, im, NULL, NULL) : PHX_ERR_MEMORY;
    if (!status && edge == 0.0)
        edge = edge_of_zero(n, re, im);
    if (!status)
        status = phx_ss_balanced(context, system, &scale, &A);
    for (int i = 0; i < n && !status; i++)
        A[i * n + i] += edge;
    if (!status)
        status = phx_dense_schur(context, n, A, true, T, Q, &f);
    if (!status && f == n) {
        status = phx_ss_copy(context, system, NULL, NULL, stable);
    } else if (!status) {
        for (int i = 0; i < n; i++)
            T[i * n + i] -= edge;
        status = phx_ss_new(context, system->name, f, system->n_inputs, system->n_outputs, &made);
        if (!status)
            status = take_stable(context, system, scale, f, T, Q, made);
        if (!status)
            status = phx_ss_put_names(context, f, NULL, NULL, 'z', "", made->states);
        if (!status)
            status = phx_ss_put_names(context, system->n_inputs, (const char *const *)system->inputs, NULL, 'u', "",
                                      made->inputs);
        if (!status)
            status = phx_ss_put_names(context, system->n_outputs, (const char *const *)system->outputs, NULL, 'y', "",
                                      made->outputs);
        status = phx_ss_finish(context, status, made, stable);
    }
    phx_free(scale);
    phx_free(A);
    phx_free(T);
    return phx_conclude(context, status);
}
