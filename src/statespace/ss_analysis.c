/* Poles, frequency response, DC gain of state-space systems. All on balanced states x = scale z. */
#include <math.h>
#include <string.h>

#include "ss.h"

/* Balanced copy of A: scale_j A_ij / scale_i. */
static phx_status balanced(phx_context *context, const phx_ss *s, double **scale, double **A)
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
static void sort_poles(int n, double *re, double *im)
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

phx_status phx_ss_poles(phx_context *context, const phx_ss *system, double *re, double *im, double *omega,
                        double *damping)
{
    const int n = system->n;
    double *scale = NULL, *A = NULL, *values = phx_calloc(context, 2 * (size_t)n, sizeof *values);
    phx_status status = values ? balanced(context, system, &scale, &A) : PHX_ERR_MEMORY;

    if (!status && n > 0)
        status = phx_dense_eigen_general(context, n, A, NULL, values, values + n, NULL);
    if (!status)
        sort_poles(n, values, values + n);
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
    return status;
}

/*   | -A  -omega | | X_re |   | B |
 *   | omega   -A | | X_im | = | 0 |      X = (i omega - A)^-1 B */
static void response_system(const phx_ss *s, const double *A, const double *scale, double omega, double *a, double *b)
{
    const int n = s->n, m = s->n_inputs;

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i * 2 * n + j] = a[(n + i) * 2 * n + n + j] = -A[i * n + j];
        a[i * 2 * n + n + i] = -omega;
        a[(n + i) * 2 * n + i] = omega;
        for (int j = 0; j < m; j++)
            b[i * m + j] = s->B[i * m + j] / scale[i];
    }
}

static void response_outputs(const phx_ss *s, const double *scale, const double *x, double *response)
{
    const int n = s->n, m = s->n_inputs;

    for (int i = 0; i < s->n_outputs; i++)
        for (int j = 0; j < m; j++) {
            double re = s->D[i * m + j], im = 0.0;
            for (int k = 0; k < n; k++) {
                const double c = s->C[i * n + k] * scale[k];
                re += c * x[k * m + j];
                im += c * x[(n + k) * m + j];
            }
            response[2 * (i * m + j)] = re;
            response[2 * (i * m + j) + 1] = im;
        }
}

phx_status phx_ss_response(phx_context *context, const phx_ss *system, double omega, double *response)
{
    const size_t n = (size_t)system->n;
    double *scale = NULL, *A = NULL;
    double *a = phx_calloc(context, 4 * n * n, sizeof *a);
    double *b = phx_calloc(context, 2 * n * (size_t)system->n_inputs, sizeof *b);
    phx_status status = a && b ? balanced(context, system, &scale, &A) : PHX_ERR_MEMORY;

    if (!status && !isfinite(omega))
        status = phx_fail(context, PHX_ERR_ARGUMENT, "response of '%s' at omega = %g rad/s; it must be finite",
                          system->name, omega);
    if (!status && n > 0 && system->n_inputs > 0) {
        response_system(system, A, scale, omega, a, b);
        status = phx_dense_solve(context, 2 * system->n, a, system->n_inputs, b);
        if (status == PHX_SINGULAR)
            status = phx_fail(context, status,
                              "system '%s' has a pole at %g rad/s on the imaginary axis; its response "
                              "is infinite there",
                              system->name, omega);
    }
    if (!status)
        response_outputs(system, scale, b, response);
    phx_free(a);
    phx_free(b);
    phx_free(scale);
    phx_free(A);
    return status;
}

phx_status phx_ss_dc_gain(phx_context *context, const phx_ss *system, double *gain)
{
    const int n = system->n, m = system->n_inputs;
    double *scale = NULL, *A = NULL, *b = phx_calloc(context, (size_t)n * (size_t)m, sizeof *b);
    phx_status status = b ? balanced(context, system, &scale, &A) : PHX_ERR_MEMORY;

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
    return status;
}
