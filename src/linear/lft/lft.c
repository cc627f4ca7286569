/* A linear fractional transformation: its parts, and the plants in it. */
#include "object.h"

#include <stdio.h>
#include <string.h>

phx_lft_options phx_lft_options_default(void)
{
    return (phx_lft_options){0};
}

void phx_lft_destroy(phx_lft *lft)
{
    if (!lft)
        return;
    for (int k = 0; lft->parameters && k < lft->n; k++)
        phx_free(lft->parameters[k]);
    phx_free(lft->parameters);
    phx_free(lft->sizes);
    phx_free(lft->degrees);
    phx_free(lft->centre);
    phx_free(lft->half);
    phx_ss_destroy(lft->system);
    phx_free(lft);
}

/* ---- asking ---- */
phx_lft_info phx_lft_about(const phx_lft *lft)
{
    if (!lft)
        return (phx_lft_info){0};
    return (phx_lft_info){.n_parameters = lft->n,
                          .parameters = (const char *const *)lft->parameters,
                          .repetitions = lft->sizes,
                          .degrees = lft->degrees,
                          .centre = lft->centre,
                          .half_width = lft->half,
                          .system = lft->system,
                          .report = &lft->report};
}

/* ---- closing ---- */

/* T (n + p, rows from x' and y, by the columns of x and u) = X_11 + X_12 Delta (I - X_22 Delta)^-1 X_21, with X the
 * blocks of M sorted as a realisation has them. */
static phx_status sort_system(phx_context *context, const phx_lft *lft, phx_realisation *X)
{
    const phx_ss *s = lft->system;
    const int n = phx_ss_n(s), r = lft->r, m = phx_ss_inputs(s) - r, p = phx_ss_outputs(s) - r;
    const int R = n + p + r, C = n + m + r;
    const double *A = phx_ss_A(s), *B = phx_ss_B(s), *Cm = phx_ss_C(s), *D = phx_ss_D(s);

    *X = (phx_realisation){.rows = n + p, .cols = n + m, .r = r, .sizes = lft->sizes};
    X->X = phx_calloc(context, (size_t)R * (size_t)C + 1, sizeof *X->X);
    if (!X->X)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < R; i++) {
        double *row = X->X + (size_t)i * (size_t)C;
        const int out = i < n ? -1 : i < n + p ? r + i - n : i - n - p; /* row of C and D */
        const double *states = out < 0 ? A + (size_t)i * (size_t)n : Cm + (size_t)out * (size_t)n;
        const double *inputs = out < 0 ? B + (size_t)i * (size_t)(m + r) : D + (size_t)out * (size_t)(m + r);
        memcpy(row, states, (size_t)n * sizeof *row);
        memcpy(row + n, inputs + r, (size_t)m * sizeof *row);
        memcpy(row + n + m, inputs, (size_t)r * sizeof *row);
    }
    return PHX_OK;
}

/* Creates a state-space system from the matrix T = [A B; C D] of an LFT at one parameter point. */
static phx_status make_plant(phx_context *context, const phx_lft *lft, const double *T, phx_ss **plant)
{
    const phx_ss *s = lft->system;
    const int n = phx_ss_n(s), r = lft->r, m = phx_ss_inputs(s) - r, p = phx_ss_outputs(s) - r, C = n + m;
    const size_t N = (size_t)n, cells = N * N + N * (size_t)m + (size_t)p * N + (size_t)p * (size_t)m;
    double *A = phx_calloc(context, cells + 1, sizeof *A), *B = phx_behind(A, N * N),
           *Cm = phx_behind(B, N * (size_t)m), *D = phx_behind(Cm, (size_t)p * N);
    const char **names = phx_calloc(context, (size_t)(n + m + p) + 1, sizeof *names);
    phx_status status = A && names ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < n + p && !status; i++) {
        memcpy(i < n ? A + (size_t)i * N : Cm + (size_t)(i - n) * N, T + (size_t)i * (size_t)C, N * sizeof *A);
        memcpy(i < n ? B + i * m : D + (i - n) * m, T + (size_t)i * (size_t)C + n, (size_t)m * sizeof *B);
    }
    for (int k = 0; k < n && !status; k++)
        names[k] = phx_ss_state(s, k);
    for (int k = 0; k < m && !status; k++)
        names[n + k] = phx_ss_input(s, r + k);
    for (int k = 0; k < p && !status; k++)
        names[n + m + k] = phx_ss_output(s, r + k);
    if (!status) {
        const phx_ss_def def = {.name = phx_ss_name(s),
                                .n = n,
                                .n_inputs = m,
                                .n_outputs = p,
                                .A = A,
                                .B = B,
                                .C = Cm,
                                .D = D,
                                .states = names,
                                .inputs = names + n,
                                .outputs = names + n + m};
        status = phx_ss_create(context, &def, plant);
    }
    phx_free(A);
    phx_free((void *)names);
    return status;
}

/* Plant of an LFT at given parameter values, in their own units. */
phx_status phx_lft_plant(phx_context *context, const phx_lft *lft, const double *values, phx_ss **plant)
{
    if (!lft || !values || !plant)
        return phx_fail_null(context, __func__, "lft, values or plant");
    phx_realisation X = {0};
    *plant = NULL;
    phx_status status = sort_system(context, lft, &X);
    double *T = phx_calloc(context, (size_t)X.rows * (size_t)X.cols + 1, sizeof *T);
    double *delta = phx_calloc(context, (size_t)lft->n + 1, sizeof *delta);

    if (!status && (!T || !delta))
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < lft->n && !status; k++)
        delta[k] = (values[k] - lft->centre[k]) / lft->half[k];
    if (!status)
        status = phx_realisation_at(context, lft->n, &X, delta, T);
    if (!status)
        status = make_plant(context, lft, T, plant);
    phx_free(X.X);
    phx_free(T);
    phx_free(delta);
    return phx_conclude(context, status);
}
