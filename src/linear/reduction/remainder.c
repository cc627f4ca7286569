/* Share of the modes that are not known in a response,
 *
 *     sum over them of s b_k b_k^T / (s^2 + d_k s + omega_k^2),
 *
 * and its a-priori bound, the sum of b_k b_k^T/d_k, both without these modes. The known modes V are taken out of the
 * forces, F' = F - M V V^T F, which keeps out cancellation as well. With [A, .; ., 0]^-1 the inverse on null A,
 *
 *     sum b_k b_k^T/(alpha + beta omega_k^2) = F'^T (alpha M + beta K)^-1 F'                                   (1)
 *
 * is one solution. A modal damping, d_k = 2 zeta omega_k, needs the root of a matrix, which is an integral,
 *
 *     1/omega = 2/pi int_0^inf dt/(omega^2 + t^2) = 1/pi int sech(u - ln omega) du,   t = e^u.                   (2)
 *
 * The trapezoidal rule with step h = 1 for u has a relative error of at most 4 exp(-pi^2)/(1 - exp(-pi^2)) for every
 * omega, by Poisson's sum, since sech(pi^2 k/h) are its coefficients. Of the nodes left out, those below t_a add up to
 * less than t_a/(e - 1)/omega^2 and those above t_b to less than 1/t_b/(e - 1); both are added. So the sum of some
 * twenty solutions with K + t^2 M is above the true one and, within the range of frequencies, close to it. */
#include <math.h>
#include <string.h>

#include "reduction.h"

typedef struct remainder {
    const phx_full *full;
    int n, m;
    int first, last; /* known modes that are taken out */
    double *forces;  /* m x n: rows F' */
    double *x;       /* 2 (n + rows) */
    double *weights; /* f */
    double *column;  /* n */
} remainder_work;

static void remainder_work_free(remainder_work *work)
{
    phx_free(work->forces);
    phx_free(work->x);
    phx_free(work->weights);
    phx_free(work->column);
}

/* column <- V V^T column. */
static void onto_known(remainder_work *work)
{
    const int n = work->n, count = work->full->f + work->full->held;
    const double *modes = work->full->modes;
    double *column = work->column, *weights = work->weights;

    memset(weights, 0, (size_t)work->full->f * sizeof *weights);
    for (int i = 0; i < n; i++)
        for (int k = work->first; k < work->last && column[i] != 0.0; k++)
            weights[k] += modes[(size_t)i * (size_t)count + (size_t)k] * column[i];
    for (int i = 0; i < n; i++) {
        column[i] = 0.0;
        for (int k = work->first; k < work->last; k++)
            column[i] += modes[(size_t)i * (size_t)count + (size_t)k] * weights[k];
    }
}

/* force (n) <- force - M V V^T force. */
static void take_out_of_force(remainder_work *work, double *force)
{
    memcpy(work->column, force, (size_t)work->n * sizeof *force);
    onto_known(work);
    phx_csr_apply(&work->full->plant->linear.M, -1.0, work->column, force);
}

/* x (n, `stride` apart) <- x - V V^T M x. */
static void remainder_take_out(remainder_work *work, int stride, double *x)
{
    const phx_csr *M = &work->full->plant->linear.M;

    memset(work->column, 0, (size_t)work->n * sizeof *work->column);
    for (int i = 0; i < work->n; i++)
        for (int e = M->ptr[i]; e < M->ptr[i + 1]; e++)
            work->column[i] += M->val[e] * x[stride * M->idx[e]];
    onto_known(work);
    for (int i = 0; i < work->n; i++)
        x[stride * i] -= work->column[i];
}

/* coupled: damping couples the modes; then only motions that nothing couples are taken out. */
static phx_status remainder_begin(const phx_full *full, bool coupled, remainder_work *work)
{
    const phx_csr *F = &full->plant->channels.F;
    const size_t n = (size_t)full->n;

    *work = (remainder_work){.full = full, .n = full->n, .m = full->m, .last = coupled ? full->free : full->f};
    work->forces = phx_calloc(full->context, n * (size_t)full->m + 1, sizeof *work->forces);
    work->x = phx_calloc(full->context, 2 * (n + (size_t)full->A.rows) + 1, sizeof *work->x);
    work->weights = phx_calloc(full->context, (size_t)full->f + 1, sizeof *work->weights);
    work->column = phx_calloc(full->context, n + 1, sizeof *work->column);
    if (!work->forces || !work->x || !work->weights || !work->column)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < full->n; i++)
        for (int e = F->ptr[i]; e < F->ptr[i + 1]; e++)
            work->forces[(size_t)F->idx[e] * n + (size_t)i] = F->val[e];
    for (int k = 0; k < full->m; k++)
        take_out_of_force(work, work->forces + (size_t)k * n);
    return PHX_OK;
}

/* x <- the solution for force k, without what rounding adds of the known modes. */
static phx_status remainder_solve(remainder_work *work, phx_saddle *saddle, int k)
{
    const int width = saddle->kkt.is_complex ? 2 : 1;

    memset(work->x, 0, (size_t)width * (size_t)(work->n + saddle->A.rows) * sizeof *work->x);
    for (int i = 0; i < work->n; i++)
        work->x[width * i] = work->forces[(size_t)k * (size_t)work->n + (size_t)i];
    const phx_status status = phx_saddle_solve(saddle, work->x);
    for (int part = 0; part < width && !status; part++)
        remainder_take_out(work, width, work->x + part);
    return status;
}

static double complex remainder_along(const remainder_work *work, int width, int k)
{
    const double *force = work->forces + (size_t)k * (size_t)work->n;
    double re = 0.0, im = 0.0;

    for (int i = 0; i < work->n; i++) {
        re += force[i] * work->x[width * i];
        im += width == 2 ? force[i] * work->x[2 * i + 1] : 0.0;
    }
    return re + I * im;
}

/* ---- the bound ---- */
/* sum += weight F'^T [.]^-1 F' with the matrix that `saddle` has factored. */
static phx_status add_sum(remainder_work *work, phx_saddle *saddle, double weight, double *sum)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < work->m && !status; k++) {
        status = remainder_solve(work, saddle, k);
        for (int l = 0; l < work->m && !status; l++) {
            const double value = 0.5 * weight * creal(remainder_along(work, 1, l));
            sum[l * work->m + k] += value;
            sum[k * work->m + l] += value;
        }
    }
    return status;
}

/* (1). K may be singular by rigid motions, so that omega^2 + alpha/beta is taken as at least 1e-6 of the lowest. */
static phx_status rayleigh_sum(remainder_work *work, phx_saddle *shifted, double low, double *sum)
{
    static const double LEAST_SQUARE = 1e-6; /* of the lowest frequency squared */
    const double alpha = work->full->rayleigh.alpha, beta = work->full->rayleigh.beta;

    if (!(beta > 0.0))
        return add_sum(work, (phx_saddle *)&work->full->projection, 1.0 / alpha, sum);
    const double exact = alpha / beta, square = fmax(exact, LEAST_SQUARE * low * low);
    const phx_status status = phx_saddle_factor(shifted, sqrt(square));
    return status ? status : add_sum(work, shifted, (1.0 + (square - exact) / (low * low + exact)) / beta, sum);
}

/* (2) */
static phx_status modal_sum(remainder_work *work, phx_saddle *shifted, double nominal, double low, double high,
                            double *sum)
{
    static const double pi = 3.14159265358979323846, error = 2.1e-4, e = 2.71828182845904523536;
    const double scale = 1.0 / (2.0 * nominal * (1.0 - error));
    const int last = 1 + (int)ceil(log(high / low));
    double t = low;
    phx_status status = PHX_OK;

    for (int node = 0; node <= last && !status; node++) {
        t = low * exp(node);
        double weight = 2.0 / pi * t;
        if (node == 0) /* 1/omega^2 <= (1 + t^2/low^2)/(omega^2 + t^2) with low for the lowest omega */
            weight += 2.0 / pi * t / (e - 1.0) * (1.0 + 1.0);
        status = phx_saddle_factor(shifted, t);
        if (!status)
            status = add_sum(work, shifted, scale * weight, sum);
    }
    return status ? status
                  : add_sum(work, (phx_saddle *)&work->full->projection, scale * 2.0 / pi / t / (e - 1.0), sum);
}

/* The largest frequency, by the diagonals; where it is beyond, the sum is larger than it need be. */
static double highest(const phx_full *full)
{
    const phx_large large = {.linear = &full->plant->linear, .K = full->K};
    return sqrt(phx_large_highest(&large));
}

/* Sum of b_k b_k^T/d_k over the modes that are not known (m x m), for Rayleigh or nominal modal damping, equations (1)
 * and (2). */
phx_status phx_remainder_sum(const phx_full *full, double nominal, double *sum)
{
    static const phx_csr none = {0};
    const double low = 0.1 * full->omega[full->rigid]; /* also of a mode that was missed */
    remainder_work work;
    phx_saddle shifted = {0};
    phx_status status = remainder_begin(full, false, &work);

    memset(sum, 0, (size_t)full->m * (size_t)full->m * sizeof *sum);
    if (!status)
        status = phx_saddle_create(full->context, &full->plant->linear.M, &none, &full->K, &full->A, false, &shifted);
    if (!status)
        status = nominal > 0.0 ? modal_sum(&work, &shifted, nominal, low, 8.0 * highest(full), sum)
                               : rayleigh_sum(&work, &shifted, low, sum);
    phx_saddle_free(&shifted);
    remainder_work_free(&work);
    return status;
}

/* ---- responses ---- */
/* A modal damping is taken as that of a complex stiffness, K (1 + 2 i zeta), whose peaks are the same: each term
 * differs by less than 2 zeta of itself, 2 zeta omega_k |omega_k - omega|/|omega_k^2 - omega^2| < 2 zeta. */
phx_status phx_remainder_responses(const phx_full *full, double nominal, bool coupled, int count, const double *omega,
                                   double complex *responses)
{
    const int m = full->m;
    remainder_work work;
    phx_csr D = {0};
    phx_saddle saddle = {0};
    phx_status status = remainder_begin(full, coupled, &work);

    if (!status)
        status = phx_csr_copy(full->context, nominal > 0.0 ? &full->K : &full->D, &D);
    if (!status)
        status = phx_saddle_create(full->context, &full->plant->linear.M, &D, &full->K, &full->A, true, &saddle);
    for (int k = 0; k < count && !status; k++, responses += m * m) {
        for (int e = 0; e < full->K.ptr[full->n] && nominal > 0.0; e++)
            D.val[e] = 2.0 * nominal / omega[k] * full->K.val[e];
        status = phx_saddle_factor(&saddle, I * omega[k]);
        for (int j = 0; j < m && !status; j++) {
            status = remainder_solve(&work, &saddle, j);
            for (int i = 0; i < m && !status; i++)
                responses[i * m + j] = I * omega[k] * remainder_along(&work, 2, i);
        }
    }
    phx_saddle_free(&saddle);
    phx_csr_free(&D);
    remainder_work_free(&work);
    return status;
}
