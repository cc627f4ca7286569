/* Poles and DC gain of state-space systems. All on balanced states x = scale z. */
#include <math.h>
#include <string.h>

#include "ss.h"

phx_status phx_ss_balanced(phx_context *context, const phx_ss *s, double **scale, double **A)
{
    *scale = phx_calloc(context, (size_t)s->n, sizeof **scale);
    *A = phx_calloc(context, (size_t)s->n * (size_t)s->n, sizeof **A);
    if (!*scale || !*A)
        return PHX_ERR_MEMORY;
    phx_ss_balance(s, false, *scale);
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++)
            (*A)[i * s->n + j] = s->A[i * s->n + j] * (*scale)[j] / (*scale)[i];
    return PHX_OK;
}

/* Ascending |lambda|; of a conjugate pair, which has bitwise the same modulus, the positive imaginary part first. */
void phx_ss_sort_poles(int n, double *re, double *im)
{
    for (int i = 1; i < n; i++) {
        const double r = re[i], m = im[i], size = hypot(r, m);
        int at = i;
        while (at > 0 && (hypot(re[at - 1], im[at - 1]) > size)) {
            re[at] = re[at - 1];
            im[at] = im[at - 1];
            at--;
        }
        re[at] = r;
        im[at] = m;
    }
}

/* Poles of a system by ascending modulus with their modulus and damping -re/|s|; every output is optional. */
phx_status phx_ss_poles(phx_context *context, const phx_ss *system, double *re, double *im, double *omega,
                        double *damping)
{
    if (!system)
        return phx_fail_null(context, __func__, "system");
    const int n = system->n;
    double *scale = NULL, *A = NULL, *values = phx_calloc(context, 2 * (size_t)n, sizeof *values);
    phx_status status = values ? phx_ss_balanced(context, system, &scale, &A) : PHX_ERR_MEMORY;

    if (!status && n > 0)
        status = phx_dense_eigen_general(context, n, A, NULL, values, values + n, NULL);
    if (!status)
        phx_ss_sort_poles(n, values, values + n);
    for (int k = 0; k < n && !status; k++) {
        const double size = hypot(values[k], values[n + k]);
        if (re)
            re[k] = values[k];
        if (im)
            im[k] = values[n + k];
        if (omega)
            omega[k] = size;
        if (damping)
            damping[k] = size > 0.0 ? -values[k] / size : 0.0;
    }
    phx_free(scale);
    phx_free(A);
    phx_free(values);
    return phx_conclude(context, status);
}

/* gain = D - C A^-1 B, by the balanced system. PHX_SINGULAR if there is a pole at zero. */
phx_status phx_ss_dc_gain(phx_context *context, const phx_ss *system, double *gain)
{
    if (!system || !gain)
        return phx_fail_null(context, __func__, "system or gain");
    const int n = system->n, m = system->n_inputs;
    double *scale = NULL, *A = NULL, *b = phx_calloc(context, (size_t)n * (size_t)m, sizeof *b);
    phx_status status = b ? phx_ss_balanced(context, system, &scale, &A) : PHX_ERR_MEMORY;

    if (!status && n > 0 && m > 0) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                b[i * m + j] = system->B[i * m + j] / scale[i];
        status = phx_dense_solve(context, n, A, m, b);
        if (status == PHX_SINGULAR)
            status = phx_fail(context, status,
                              "system '%s' has a pole at zero, hence no DC gain; leave free motions out first",
                              system->name);
    }
    for (int i = 0; i < system->n_outputs && !status; i++)
        for (int j = 0; j < m; j++) {
            double sum = system->D[i * m + j];
            for (int k = 0; k < n; k++)
                sum -= system->C[i * n + k] * scale[k] * b[k * m + j];
            gain[i * m + j] = sum;
        }
    phx_free(scale);
    phx_free(A);
    phx_free(b);
    return phx_conclude(context, status);
}
