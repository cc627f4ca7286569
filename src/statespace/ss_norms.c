/* Norms of a state-space system and its passivity.
 *
 * H-infinity norm by level sets (Boyd, Balakrishnan; Bruinsma, Steinbuch): gamma is a singular value of H(i omega)
 * exactly where the Hamiltonian matrix, with S = gamma^2 I - D^T D,
 *
 *     | A + B S^-1 D^T C             B S^-1 B^T            |
 *     | -C^T (I + D S^-1 D^T) C      -(A + B S^-1 D^T C)^T |
 *
 * has the eigenvalue i omega. Where it has none gamma is an upper bound; else the largest singular value at the middles
 * of the intervals between these frequencies is a better lower bound. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ss.h"

/* ---- H2 ---- */
phx_status phx_ss_h2_norm(phx_context *context, const phx_ss *system, double *norm)
{
    if (!system || !norm)
        return phx_fail_null(context, __func__, "system or norm");
    const int n = system->n, m = system->n_inputs, p = system->n_outputs;
    const size_t cells = (size_t)n * (size_t)n;
    double *work = phx_calloc(context, 3 * cells + (size_t)n * (size_t)p, sizeof *work), square = 0.0;
    double *X = work, *T = phx_behind(X, cells), *Q = phx_behind(T, cells), *CX = phx_behind(Q, cells);
    phx_status status = work ? PHX_OK : PHX_ERR_MEMORY;
    int count = 0;

    for (int k = 0; k < p * m && !status; k++)
        if (system->D[k] != 0.0)
            status = phx_fail(context, PHX_ERR_ANALYSIS,
                              "system '%s' has no H2 norm: it has direct feedthrough from '%s' to '%s'", system->name,
                              system->inputs[k % m], system->outputs[k / m]);
    if (!status)
        status = phx_dense_schur(context, n, system->A, true, T, Q, &count);
    if (!status && count < n)
        status = phx_fail(context, PHX_ERR_ANALYSIS,
                          "system '%s' has no H2 norm: %d of its %d poles are not in the left half-plane", system->name,
                          n - count, n);
    if (!status && n > 0) { /* theory 14 (15): A X + X A^T + B B^T = 0, |H|^2 = tr C X C^T */
        phx_dense_multiply(false, true, n, n, m, 1.0, system->B, m, system->B, m, 0.0, X, n);
        status = phx_dense_lyapunov_schur(context, n, T, Q, false, X);
    }
    if (!status && n > 0) {
        phx_dense_multiply(false, false, p, n, n, 1.0, system->C, n, X, n, 0.0, CX, n);
        for (int k = 0; k < p * n; k++)
            square += CX[k] * system->C[k];
    }
    *norm = sqrt(fmax(square, 0.0));
    phx_free(work);
    return phx_conclude(context, status);
}

/* ---- largest singular values along the axis ---- */
/* By the symmetric form of H^H H, real and imaginary parts side by side. */
phx_status phx_largest_singular_value(phx_context *context, int p, int m, const double *response, double *gram,
                                      double *value)
{
    const double complex *H = (const double complex *)response;
    const int size = 2 * m;
    double *values = gram + size * size;

    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double complex sum = 0.0;
            for (int k = 0; k < p; k++)
                sum += conj(H[k * m + i]) * H[k * m + j];
            gram[i * size + j] = gram[(m + i) * size + m + j] = creal(sum);
            gram[(m + i) * size + j] = cimag(sum);
            gram[j * size + m + i] = cimag(sum);
        }
    const phx_status status = m > 0 ? phx_dense_eigen_symmetric(context, size, gram, NULL, values, NULL) : PHX_OK;
    *value = m > 0 && !status ? sqrt(fmax(values[size - 1], 0.0)) : 0.0;
    return status;
}

/* Largest singular value of the frequency response at each of `count` frequencies. */
phx_status phx_ss_singular_values(phx_context *context, const phx_ss *system, int count, const double *omega,
                                  double *values)
{
    if (!system || (count > 0 && (!omega || !values)))
        return phx_fail_null(context, __func__, "system, omega or values");
    const int m = system->n_inputs, p = system->n_outputs;
    const size_t entries = 2 * (size_t)p * (size_t)m;
    double *responses = phx_calloc(context, (size_t)count * entries + 1, sizeof *responses);
    double *gram = phx_calloc(context, 4 * (size_t)m * (size_t)m + 2 * (size_t)m + 1, sizeof *gram);
    phx_status status = responses && gram ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_ss_responses(context, system, count, omega, responses);
    for (int k = 0; k < count && !status; k++)
        status = phx_largest_singular_value(context, p, m, responses + (size_t)k * entries, gram, values + k);
    phx_free(responses);
    phx_free(gram);
    return phx_conclude(context, status);
}

/* ---- Hamiltonian matrices ---- */
/* S^-1 (m x m, in place of S), then the matrix drawn above with the signs of `sign`: +1 as there (bounded real),
 * with S = gamma^2 I - D^T D; -1 with S = D + D^T, D^T C replaced by -C and C^T (I + ..) C by C^T S^-1 C (positive
 * real). work: m x n, twice. */
static phx_status fill_hamiltonian(phx_context *context, const phx_ss *s, bool positive_real, double *S, double *work,
                                   double *M)
{
    const int n = s->n, m = s->n_inputs, p = s->n_outputs, N = 2 * n;
    double *L = work, *SL = work + (size_t)m * (size_t)n; /* L: D^T C or -C; S^-1 L */

    if (positive_real)
        for (int k = 0; k < m * n; k++)
            L[k] = -s->C[k];
    else
        phx_dense_multiply(true, false, m, n, p, 1.0, s->D, m, s->C, n, 0.0, L, n);
    const phx_status status = phx_dense_inverse(context, m, S);
    if (status)
        return status;
    phx_dense_multiply(false, false, m, n, m, 1.0, S, m, L, n, 0.0, SL, n);
    double *lower = M + (size_t)n * (size_t)N;
    for (int i = 0; i < n; i++)
        memcpy(M + (size_t)i * (size_t)N, s->A + (size_t)i * (size_t)n, (size_t)n * sizeof *M);
    phx_dense_multiply(false, false, n, n, m, 1.0, s->B, m, SL, n, 1.0, M, N); /* A + B S^-1 L */
    phx_dense_multiply(true, false, n, n, m, -1.0, L, n, SL, n, 0.0, lower, N);
    if (!positive_real)
        phx_dense_multiply(true, false, n, n, p, -1.0, s->C, n, s->C, n, 1.0, lower, N);
    phx_dense_multiply(false, false, m, n, m, 1.0, S, m, L, n, 0.0, SL, n);
    double *BS = work; /* n x m: B S^-1 */
    phx_dense_multiply(false, false, n, m, m, 1.0, s->B, m, S, m, 0.0, BS, m);
    phx_dense_multiply(false, true, n, n, m, 1.0, BS, m, s->B, m, 0.0, M + n, N);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            M[(n + i) * N + n + j] = -M[j * N + i];
    return PHX_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Frequencies in [low, high] at which the matrix (2n x 2n) may have eigenvalues on the imaginary axis: generously,
 * those near the axis, since a frequency too many only divides an interval. Ascending. */
static phx_status crossings(phx_context *context, int N, const double *M, double low, double high, double *omega,
                            int *count)
{
    static const double NEAR_BY_SIZE = 1e-8;      /* distance from the axis, of the largest eigenvalue */
    static const double NEAR_BY_FREQUENCY = 1e-4; /* the same, of its own frequency */
    double *re = phx_calloc(context, 2 * (size_t)N + 1, sizeof *re), *im = phx_behind(re, (size_t)N), size = 0.0;
    phx_status status = re ? phx_dense_eigen_general(context, N, M, NULL, re, im, NULL) : PHX_ERR_MEMORY;

    *count = 0;
    for (int k = 0; k < N && !status; k++)
        size = fmax(size, hypot(re[k], im[k]));
    for (int k = 0; k < N && !status; k++)
        if (im[k] >= 0.0 && fabs(re[k]) <= NEAR_BY_SIZE * size + NEAR_BY_FREQUENCY * im[k] && im[k] > low &&
            im[k] < high)
            omega[(*count)++] = im[k];
    if (!status)
        qsort(omega, (size_t)*count, sizeof *omega, ascending);
    phx_free(re);
    return status;
}

/* ---- H-infinity ---- */
typedef struct level_set {
    phx_context *context;
    const phx_ss *s;
    double low, high, tolerance;
    double *S, *work, *M, *omega, *values;
} level_set;

static void try_at(level_set *set, int count, phx_norm *norm)
{
    for (int k = 0; k < count; k++)
        if (set->values[k] > norm->lower) {
            norm->lower = set->values[k];
            norm->omega = set->omega[k];
        }
}

/* The start: the frequencies of the poles and, where they are damped so much that the largest response is beside them,
 * their sizes, the ends of the band, and D for infinity. */
static phx_status ss_norms_begin(level_set *set, phx_norm *norm)
{
    const phx_ss *s = set->s;
    const int n = s->n, m = s->n_inputs;
    double *re = phx_calloc(set->context, 4 * (size_t)n + 1, sizeof *re), *im = phx_behind(re, (size_t)n);
    double *gram = phx_calloc(set->context, 4 * (size_t)m * (size_t)m + 2 * (size_t)m + 1, sizeof *gram);
    double *D = phx_calloc(set->context, 2 * (size_t)m * (size_t)s->n_outputs + 1, sizeof *D);
    phx_status status = re && gram && D ? phx_ss_poles(set->context, s, re, im, NULL, NULL) : PHX_ERR_MEMORY;
    int count = 0;

    for (int k = 0; k < n && !status; k++) {
        if (!(re[k] < 0.0))
            status =
                phx_fail(set->context, PHX_ERR_ANALYSIS,
                         "system '%s' has no H-infinity norm: it has the pole %.3g + %.3g i", s->name, re[k], im[k]);
        const double omega = hypot(re[k], im[k]);
        if (im[k] > set->low && im[k] < set->high)
            set->omega[count++] = im[k];
        if (im[k] >= 0.0 && re[k] < -0.1 * omega && omega > set->low && omega < set->high)
            set->omega[count++] = omega;
    }
    set->omega[count++] = set->low;
    if (isfinite(set->high))
        set->omega[count++] = set->high;
    if (!status)
        status = phx_ss_singular_values(set->context, s, count, set->omega, set->values);
    if (!status)
        try_at(set, count, norm);
    for (int k = 0; k < m * s->n_outputs; k++)
        if (D)
            D[2 * k] = s->D[k];
    if (!status && !isfinite(set->high)) {
        set->omega[0] = HUGE_VAL;
        status = phx_largest_singular_value(set->context, s->n_outputs, m, D, gram, set->values);
        if (!status)
            try_at(set, 1, norm);
    }
    phx_free(re);
    phx_free(gram);
    phx_free(D);
    return status;
}

/* No frequency at which the level is reached: *above; else a better lower bound. */
static phx_status level(level_set *set, double gamma, bool *above, phx_norm *norm)
{
    const phx_ss *s = set->s;
    const int m = s->n_inputs;
    const double before = norm->lower;
    int count = 0;

    phx_dense_multiply(true, false, m, m, s->n_outputs, -1.0, s->D, m, s->D, m, 0.0, set->S, m);
    for (int i = 0; i < m; i++)
        set->S[i * m + i] += gamma * gamma;
    phx_status status = fill_hamiltonian(set->context, s, false, set->S, set->work, set->M);
    if (status == PHX_SINGULAR) /* gamma is a singular value of D */
        status = phx_fail_prefix(set->context, PHX_ERR_ANALYSIS, "level of the feedthrough: ");
    for (int i = 0; i < s->n && !status; i++)
        for (int j = 0; j < s->n; j++) { /* balanced: states by gamma */
            set->M[i * 2 * s->n + s->n + j] *= gamma;
            set->M[(s->n + i) * 2 * s->n + j] /= gamma;
        }
    if (!status)
        status = crossings(set->context, 2 * s->n, set->M, set->low, set->high, set->omega + 1, &count);
    if (status)
        return status;
    set->omega[0] = set->low;
    set->omega[count + 1] = isfinite(set->high) ? set->high : 2.0 * set->omega[count] + 1.0;
    for (int k = 0; k <= count; k++)
        set->omega[k] = 0.5 * (set->omega[k] + set->omega[k + 1]);
    status = phx_ss_singular_values(set->context, s, count + 1, set->omega, set->values);
    if (!status)
        try_at(set, count + 1, norm);
    *above = norm->lower <= fmax(before, gamma);
    return status;
}

/* H-infinity norm in a band of frequencies, all by default, by iteration over level sets of the Hamiltonian matrix.
 * The norm lies between lower and upper, apart by the relative tolerance; PHX_NOT_CONVERGED otherwise. */
phx_status phx_ss_hinf_norm(phx_context *context, const phx_ss *system, const double *band, double tolerance,
                            phx_norm *norm)
{
    static const double TOLERANCE = 1e-6; /* relative, where none is asked */
    enum { ROUNDS = 60 };
    if (!system || !norm)
        return phx_fail_null(context, __func__, "system or norm");
    const size_t n = (size_t)system->n, m = (size_t)system->n_inputs;
    level_set set = {.context = context, .s = system, .high = HUGE_VAL};
    bool above = false;
    phx_status status = PHX_OK;

    *norm = (phx_norm){0};
    if (band) {
        set.low = band[0];
        set.high = band[1];
    }
    if (!(set.low >= 0.0 && set.high > set.low))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a band from %g to %g rad/s; it must begin at 0 or above and rise",
                        set.low, set.high);
    set.tolerance = tolerance > 0.0 ? tolerance : TOLERANCE;
    set.S = phx_calloc(context, m * m, sizeof(double));
    set.work = phx_calloc(context, 2 * m * n, sizeof(double));
    set.M = phx_calloc(context, 4 * n * n, sizeof(double));
    set.omega = phx_calloc(context, 2 * n + 3, sizeof(double));
    set.values = phx_calloc(context, 2 * n + 3, sizeof(double));
    if (!set.S || !set.work || !set.M || !set.omega || !set.values)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = ss_norms_begin(&set, norm);
    norm->upper = norm->lower;
    for (int round = 0; round < ROUNDS && !status && n > 0 && !above && norm->lower > 0.0; round++) {
        norm->upper = norm->lower * (1.0 + set.tolerance);
        status = level(&set, norm->upper, &above, norm);
    }
    if (!status && n > 0 && !above && norm->lower > 0.0)
        status = phx_fail(context, PHX_NOT_CONVERGED, "the H-infinity norm of '%s' did not converge", system->name);
    phx_free(set.S);
    phx_free(set.work);
    phx_free(set.M);
    phx_free(set.omega);
    phx_free(set.values);
    return phx_conclude(context, status);
}

/* ---- passivity ---- */
phx_status phx_ss_passivity(phx_context *context, const phx_ss *system, double shift, phx_passivity *passivity)
{
    if (!system || !passivity)
        return phx_fail_null(context, __func__, "system or passivity");
    const int n = system->n, m = system->n_inputs;
    const size_t states = (size_t)n, inputs = (size_t)m;
    double *S = phx_calloc(context, 9 * inputs * inputs + 2 * inputs, sizeof *S);
    double *work = phx_calloc(context, 2 * inputs * states + 1, sizeof *work);
    double *M = phx_calloc(context, 4 * states * states + 1, sizeof *M);
    double *omega = phx_calloc(context, 2 * states + 3, sizeof *omega), *responses = NULL;
    phx_status status = S && work && M && omega ? PHX_OK : PHX_ERR_MEMORY;
    int count = 0;

    *passivity = (phx_passivity){.shift = shift, .least = HUGE_VAL};
    if (!status && m != system->n_outputs)
        status = phx_fail(context, PHX_ERR_ARGUMENT, "passivity of '%s': it has %d inputs and %d outputs", system->name,
                          m, system->n_outputs);
    for (int i = 0; i < m && !status; i++)
        for (int j = 0; j < m; j++)
            S[i * m + j] = system->D[i * m + j] + system->D[j * m + i] + (i == j ? 2.0 * shift : 0.0);
    if (!status && m > 0)
        status = fill_hamiltonian(context, system, true, S, work, M);
    if (!status && n > 0 && m > 0)
        status = crossings(context, 2 * n, M, 0.0, HUGE_VAL, omega + 1, &count);
    if (!status) { /* the least eigenvalue of H + H^H at the middles between the crossings */
        omega[count + 1] = 2.0 * omega[count] + 1.0;
        for (int k = 0; k <= count; k++)
            omega[k] = 0.5 * (omega[k] + omega[k + 1]);
        count++;
        responses = phx_calloc(context, 2 * (size_t)count * inputs * inputs + 1, sizeof *responses);
        status = responses ? phx_ss_responses(context, system, count, omega, responses) : PHX_ERR_MEMORY;
    }
    for (int k = 0; k < count && !status && m > 0; k++) {
        const double *H = responses + 2 * (size_t)k * inputs * inputs;
        double *gram = S, *values = gram + 4 * m * m;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) {
                const double re = 0.5 * (H[2 * (i * m + j)] + H[2 * (j * m + i)]);
                const double im = 0.5 * (H[2 * (i * m + j) + 1] - H[2 * (j * m + i) + 1]);
                gram[i * 2 * m + j] = gram[(m + i) * 2 * m + m + j] = re;
                gram[(m + i) * 2 * m + j] = im;
                gram[j * 2 * m + m + i] = im;
            }
        status = phx_dense_eigen_symmetric(context, 2 * m, gram, NULL, values, NULL);
        if (!status && values[0] < passivity->least) {
            passivity->least = values[0];
            passivity->omega = omega[k];
        }
    }
    passivity->passive = m == 0 || passivity->least >= -shift;
    phx_free(S);
    phx_free(work);
    phx_free(M);
    phx_free(omega);
    phx_free(responses);
    return phx_conclude(context, status);
}
