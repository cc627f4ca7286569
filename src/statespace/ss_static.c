/* DC gains of outputs that do not see the poles at zero.
 *
 * A state on which nothing depends, a column of zeros in A, is an integrator of the others; without it others may be,
 * as the place and then the velocity of a free motion in modal coordinates. With them first,
 *
 *         | A0  A01 |           x0 = z0 - Y x1,   A0 Y - Y A1 = A01:
 *     A = |         |,
 *         | 0   A1  |           z0' = A0 z0 + (B0 + Y B1) u,   x1' = A1 x1 + B1 u,   y = C0 z0 + (C1 - C0 Y) x1 + D u.
 *
 * A0 is nilpotent, so that Y = - sum A0^k A01 A1^-(k+1) ends, and the part of the response with poles at zero is the
 * sum of C0 A0^k (B0 + Y B1) / s^(k+1). Where that is zero for an output, its gain is D - (C1 - C0 Y) A1^-1 B1. */
#include "ss.h"

#include <math.h>
#include <string.h>

/* Of the largest entry of A: a column below it is one of zeros. Of the largest of a row or column: an entry below it is
 * rounding. Of the sum of its terms: a response below it is zero. */
static const double NO_COLUMN = 1e-12, NO_ENTRY = 1e-11, NO_RESPONSE = 1e-10;

typedef struct parts {
    int n, n0, n1, m, p, rounds;  /* rounds: A0^rounds = 0 */
    int *order;                   /* states: the integrators, then the others */
    double *scale, *A;            /* balanced states */
    double *A0, *A01, *A1;        /* n0 x n0, n0 x n1, n1 x n1 */
    double *B0, *B1, *C0, *C1;    /* of the ordered states */
    double *Y, *term, *next, *lu; /* n0 x n1; two n0 x (n1 or m); n1 x n1 */
} parts;

static void parts_free(parts *pieces)
{
    double *const all[] = {pieces->scale, pieces->A,  pieces->A0, pieces->A01,  pieces->A1,   pieces->B0, pieces->B1,
                           pieces->C0,    pieces->C1, pieces->Y,  pieces->term, pieces->next, pieces->lu};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        phx_free(all[k]);
    phx_free(pieces->order);
}

/* The integrators, round by round, to the front of the order. */
static phx_status find_integrators(phx_context *context, parts *all)
{
    const int n = all->n;
    bool *gone = phx_calloc(context, (size_t)n, sizeof *gone), *found = phx_calloc(context, (size_t)n, sizeof *found);
    double largest = 0.0;
    int count = 0, before = -1;

    all->order = phx_calloc(context, (size_t)n, sizeof *all->order);
    if (!gone || !found || !all->order) {
        phx_free(gone);
        phx_free(found);
        return PHX_ERR_MEMORY;
    }
    for (int k = 0; k < n * n; k++)
        largest = fmax(largest, fabs(all->A[k]));
    for (all->rounds = 0; count > before; all->rounds += count > before) {
        before = count;
        for (int j = 0; j < n; j++) {
            double most = 0.0;
            for (int i = 0; i < n; i++)
                most = gone[i] ? most : fmax(most, fabs(all->A[i * n + j]));
            found[j] = !gone[j] && most <= NO_COLUMN * largest;
        }
        for (int j = 0; j < n; j++)
            if (found[j]) {
                gone[j] = true;
                all->order[count++] = j;
            }
    }
    all->n0 = count;
    all->n1 = n - count;
    for (int j = 0; j < n; j++)
        if (!gone[j])
            all->order[count++] = j;
    phx_free(gone);
    phx_free(found);
    return PHX_OK;
}

static double *matrix(phx_context *context, int rows, int cols)
{
    return phx_calloc(context, (size_t)rows * (size_t)cols, sizeof(double));
}

/* Entries that are rounding beside the largest of their row of C, or column of B, are zero. */
static void clean(int count, int stride, double *values)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(values[i * stride]));
    for (int i = 0; i < count; i++)
        if (fabs(values[i * stride]) <= NO_ENTRY * largest)
            values[i * stride] = 0.0;
}

/* Splits the balanced system by the order found into integrators (index 0) and other states (index 1); entries of B
 * and C at the size of rounding become zero. */
static phx_status split(phx_context *context, const phx_ss *system, parts *pieces)
{
    const int n = pieces->n, n0 = pieces->n0, n1 = pieces->n1, m = pieces->m, p = pieces->p, wide = n1 > m ? n1 : m;
    double *B = matrix(context, n, m), *C = matrix(context, p, n);

    pieces->A0 = matrix(context, n0, n0);
    pieces->A01 = matrix(context, n0, n1);
    pieces->A1 = matrix(context, n1, n1);
    pieces->B0 = matrix(context, n0, m);
    pieces->B1 = matrix(context, n1, m);
    pieces->C0 = matrix(context, p, n0);
    pieces->C1 = matrix(context, p, n1);
    pieces->Y = matrix(context, n0, n1);
    pieces->term = matrix(context, n0, wide);
    pieces->next = matrix(context, n0, wide);
    pieces->lu = matrix(context, n1, n1);
    const bool all = B && C && pieces->A0 && pieces->A01 && pieces->A1 && pieces->B0 && pieces->B1 && pieces->C0 &&
                     pieces->C1 && pieces->Y && pieces->term && pieces->next && pieces->lu;
    for (int i = 0; i < n && all; i++) {
        const int from = pieces->order[i];
        for (int j = 0; j < n; j++) {
            const double a = pieces->A[from * n + pieces->order[j]];
            if (i < n0 && j < n0)
                pieces->A0[i * n0 + j] = a;
            else if (i < n0)
                pieces->A01[i * n1 + j - n0] = a;
            else if (j >= n0)
                pieces->A1[(i - n0) * n1 + j - n0] = a;
        }
        for (int j = 0; j < m; j++)
            B[i * m + j] = system->B[from * m + j] / pieces->scale[from];
        for (int k = 0; k < p; k++)
            C[k * n + i] = system->C[k * n + from] * pieces->scale[from];
    }
    for (int j = 0; j < m && all; j++)
        clean(n, m, B + j);
    for (int k = 0; k < p && all; k++)
        clean(n, 1, C + k * n);
    for (int k = 0; k < p && all; k++) {
        memcpy(pieces->C0 + k * n0, C + k * n, (size_t)n0 * sizeof(double));
        memcpy(pieces->C1 + k * n1, C + k * n + n0, (size_t)n1 * sizeof(double));
    }
    if (all) {
        memcpy(pieces->B0, B, (size_t)n0 * (size_t)m * sizeof(double));
        memcpy(pieces->B1, B + n0 * m, (size_t)n1 * (size_t)m * sizeof(double));
    }
    phx_free(B);
    phx_free(C);
    return all ? PHX_OK : PHX_ERR_MEMORY;
}

/* x <- x A1^-1, rows x n1 */
static phx_status divide(phx_context *context, parts *all, double *x)
{
    const int n1 = all->n1, n0 = all->n0;
    double *columns = matrix(context, n1, n0);
    phx_status status = columns ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < n1 && !status; i++) {
        for (int j = 0; j < n1; j++)
            all->lu[i * n1 + j] = all->A1[j * n1 + i];
        for (int k = 0; k < n0; k++)
            columns[i * n0 + k] = x[k * n1 + i];
    }
    if (!status)
        status = phx_dense_solve(context, n1, all->lu, n0, columns);
    for (int i = 0; i < n1 && !status; i++)
        for (int k = 0; k < n0; k++)
            x[k * n1 + i] = columns[i * n0 + k];
    phx_free(columns);
    return status;
}

/* Y, then B0 <- B0 + Y B1, C1 <- C1 - C0 Y, B1 <- A1^-1 B1. */
static phx_status decouple(phx_context *context, parts *all)
{
    const int n0 = all->n0, n1 = all->n1, m = all->m, p = all->p;
    phx_status status = PHX_OK;

    if (n1 == 0)
        return PHX_OK;
    memcpy(all->term, all->A01, (size_t)n0 * (size_t)n1 * sizeof(double));
    for (int k = 0; k < all->rounds && !status; k++) {
        status = divide(context, all, all->term);
        for (int i = 0; i < n0 * n1 && !status; i++)
            all->Y[i] -= all->term[i];
        phx_dense_multiply(false, false, n0, n1, n0, 1.0, all->A0, n0, all->term, n1, 0.0, all->next, n1);
        memcpy(all->term, all->next, (size_t)n0 * (size_t)n1 * sizeof(double));
    }
    if (status)
        return status;
    phx_dense_multiply(false, false, n0, m, n1, 1.0, all->Y, n1, all->B1, m, 1.0, all->B0, m);
    phx_dense_multiply(false, false, p, n1, n0, -1.0, all->C0, n0, all->Y, n1, 1.0, all->C1, n1);
    memcpy(all->lu, all->A1, (size_t)n1 * (size_t)n1 * sizeof(double));
    return phx_dense_solve(context, n1, all->lu, m, all->B1);
}

/* Marks the outputs that see poles at zero: sum over k of |C0 A0^k B0|, each beside the sum of its terms. */
static void find_blind(parts *all, bool *sees)
{
    const int n0 = all->n0, m = all->m;

    memcpy(all->term, all->B0, (size_t)n0 * (size_t)m * sizeof(double));
    for (int k = 0; k < all->rounds; k++) {
        for (int i = 0; i < all->p; i++)
            for (int j = 0; j < m; j++) {
                double sum = 0.0, size = 0.0;
                for (int l = 0; l < n0; l++) {
                    const double term = all->C0[i * n0 + l] * all->term[l * m + j];
                    sum += term;
                    size += fabs(term);
                }
                sees[i] = sees[i] || fabs(sum) > NO_RESPONSE * size;
            }
        phx_dense_multiply(false, false, n0, m, n0, 1.0, all->A0, n0, all->term, m, 0.0, all->next, m);
        memcpy(all->term, all->next, (size_t)n0 * (size_t)m * sizeof(double));
    }
}

/* One output by itself, with the states that it sees and the inputs move. */
static phx_status gain_of_row(phx_context *context, const phx_ss *system, int output, double *row)
{
    const char *const name = system->outputs[output];
    phx_ss *alone = NULL, *minimal = NULL;
    phx_status status = phx_ss_sub(context, system, 1, &name, 0, NULL, &alone);

    if (!status)
        status = phx_ss_reduce(context, alone, PHX_SS_MINIMAL, 0.0, &minimal);
    if (!status)
        status = phx_ss_dc_gain(context, minimal, row);
    if (status == PHX_SINGULAR) {
        for (int j = 0; j < system->n_inputs; j++)
            row[j] = NAN;
        phx_context_clear(context);
        status = PHX_OK;
    }
    phx_ss_destroy(alone);
    phx_ss_destroy(minimal);
    return status;
}

/* gain = D - C1 A1^-1 B1 after decoupling the integrators; NaN in the rows of outputs that see an integrator. */
static phx_status gain_of_parts(phx_context *context, const phx_ss *system, parts *all, double *gain)
{
    const int m = all->m, n1 = all->n1;
    bool *sees = phx_calloc(context, (size_t)all->p, sizeof *sees);
    phx_status status = sees ? split(context, system, all) : PHX_ERR_MEMORY;

    if (!status)
        status = decouple(context, all);
    if (!status) {
        find_blind(all, sees);
        memcpy(gain, system->D, (size_t)all->p * (size_t)m * sizeof *gain);
        phx_dense_multiply(false, false, all->p, m, n1, -1.0, all->C1, n1, all->B1, m, 1.0, gain, m);
    }
    for (int i = 0; i < all->p && !status; i++)
        for (int j = 0; j < m && sees[i]; j++)
            gain[i * m + j] = NAN;
    phx_free(sees);
    return status;
}

/* DC gain of each output; NaN in the rows of outputs that see a pole at zero. If the remaining states still have one,
 * each output is treated by itself. */
phx_status phx_ss_dc_gain_by_outputs(phx_context *context, const phx_ss *system, double *gain)
{
    if (!system || !gain)
        return phx_fail_null(context, __func__, "system or gain");
    parts all = {.n = system->n, .m = system->n_inputs, .p = system->n_outputs};
    phx_status status = phx_ss_balanced(context, system, &all.scale, &all.A);

    if (all.m == 0 || all.p == 0)
        goto done;
    if (!status)
        status = find_integrators(context, &all);
    if (!status)
        status = gain_of_parts(context, system, &all, gain);
    if (status == PHX_SINGULAR) { /* poles at zero of another kind */
        phx_context_clear(context);
        status = PHX_OK;
        for (int i = 0; i < all.p && !status; i++)
            status = gain_of_row(context, system, i, gain + i * all.m);
    }
done:
    parts_free(&all);
    return phx_conclude(context, status);
}
