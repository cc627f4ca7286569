/* Frequency responses of a linearised mechanism by sparse factorisations. */
#include <string.h>

#include "linear/reduction/reduction.h"

/* y += factor Y x, x interleaved. */
static void add_output(const phx_csr *Y, double complex factor, const double *x, double complex *y)
{
    for (int i = 0; i < Y->rows; i++)
        for (int e = Y->ptr[i]; e < Y->ptr[i + 1]; e++)
            y[i] += factor * Y->val[e] * (x[2 * Y->idx[e]] + I * x[2 * Y->idx[e] + 1]);
}

/* Column j of H: | Q  A^T | | xi      |   | F_j |
 *                | A  0   | | -lambda | = | 0   |,  Q = z^2 M + z D + K */
static phx_status column(const phx_linearised *linear, phx_saddle *saddle, double complex z, int j, double *x,
                         double complex *y)
{
    const phx_channels *channels = &linear->channels;
    const phx_csr *F = &channels->F;
    const int n = linear->linear.n;

    memset(x, 0, 2 * ((size_t)n + (size_t)saddle->A.rows) * sizeof *x);
    memset(y, 0, (size_t)channels->n_outputs * sizeof *y);
    for (int i = 0; i < n; i++)
        for (int e = F->ptr[i]; e < F->ptr[i + 1]; e++)
            x[2 * i] += F->idx[e] == j ? F->val[e] : 0.0;
    const phx_status status = phx_saddle_solve(saddle, x);
    add_output(&channels->Y_q, 1.0, x, y);
    add_output(&channels->Y_v, z, x, y);
    add_output(&channels->Y_a, z * z, x, y);
    add_output(&channels->Y_l, -1.0, x + 2 * n, y);
    for (int i = 0; i < channels->n_outputs; i++) {
        const int k = phx_csr_find(&channels->Y_u, i, j);
        y[i] += k < 0 ? 0.0 : channels->Y_u.val[k];
    }
    return status;
}

/* Frequency responses of a linearised mechanism without prescribed motions, one sparse factorisation per frequency;
 * responses[k] is p x m at omega[k], row-major. */
phx_status phx_linearised_responses(phx_context *context, const phx_linearised *linear, int count, const double *omega,
                                    double complex *responses)
{
    const int p = linear->channels.n_outputs, m = linear->channels.n_inputs;
    const size_t size = (size_t)linear->linear.n + (size_t)linear->channels.m;
    phx_saddle saddle = {0};
    double *x = phx_calloc(context, 2 * size + 1, sizeof *x);
    double complex *y = phx_calloc(context, (size_t)p + 1, sizeof *y);
    phx_status status = x && y ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && linear->channels.n_held > 0)
        status = phx_fail(context, PHX_ERR_UNSUPPORTED, "sparse responses are for models without prescribed motions");
    if (!status)
        status = phx_saddle_create(context, &linear->linear.M, &linear->linear.D, &linear->linear.K,
                                   &linear->channels.G, true, &saddle);
    for (int k = 0; k < count && !status; k++, responses += p * m) {
        status = phx_saddle_factor(&saddle, I * omega[k]);
        for (int j = 0; j < m && !status; j++) {
            status = column(linear, &saddle, I * omega[k], j, x, y);
            for (int i = 0; i < p; i++)
                responses[i * m + j] = y[i];
        }
    }
    phx_saddle_free(&saddle);
    phx_free(x);
    phx_free(y);
    return status;
}
