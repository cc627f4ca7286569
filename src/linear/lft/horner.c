/* A polynomial of matrices as a fraction in repeated parameters, by Horner's scheme.
 *
 * Of one parameter, P = P_0 + delta (P_1 + delta (P_2 + ..)). With U_1 a basis of the columns of [P_1 P_2 ..] and
 * Q_i = U_1^T P_i, U_2 one of the columns of [Q_2 Q_3 ..] and so on, y = P u is
 *
 *     y = P_0 u + U_1 w_1,   v_1 = Q_1 u + U_2 w_2,   v_2 = U_2^T Q_2 u + U_3 w_3, ..   w_i = delta v_i
 *
 * and by rows the same of P^T. The matrices P_0, Q_1, .. that are left are polynomials of the other parameters, in rows
 * and columns of which there are r more. */
#include "lft.h"

#include <math.h>
#include <string.h>

/* A polynomial on its way; parameters that are done have degree 0. */
typedef struct stage {
    int n, R, C;
    int *degrees;
    double *x; /* terms x R x C */
} stage;

static void stage_free(stage *at)
{
    phx_free(at->degrees);
    phx_free(at->x);
    *at = (stage){0};
}

static phx_status stage_create(phx_context *context, int n, const int *degrees, int R, int C, stage *out)
{
    const size_t cells = phx_polynomial_terms(n, degrees) * (size_t)R * (size_t)C;
    *out = (stage){.n = n, .R = R, .C = C};
    out->degrees = phx_calloc(context, (size_t)n + 1, sizeof *out->degrees);
    out->x = phx_calloc(context, cells + 1, sizeof *out->x);
    if (!out->degrees || !out->x) {
        stage_free(out);
        return PHX_ERR_MEMORY;
    }
    memcpy(out->degrees, degrees, (size_t)n * sizeof *degrees);
    return PHX_OK;
}

/* Replaces the polynomial by its transpose. */
static phx_status transpose(phx_context *context, stage *at)
{
    stage other = {0};
    const phx_status status = stage_create(context, at->n, at->degrees, at->C, at->R, &other);
    const size_t terms = phx_polynomial_terms(at->n, at->degrees), R = (size_t)at->R, C = (size_t)at->C;

    if (status)
        return status;
    for (size_t t = 0; t < terms; t++)
        for (size_t i = 0; i < R; i++)
            for (size_t j = 0; j < C; j++)
                other.x[(t * C + j) * R + i] = at->x[(t * R + i) * C + j];
    stage_free(at);
    *at = other;
    return PHX_OK;
}

/* ---- one parameter ---- */
/* The rest of the coefficients: of delta^i, delta^(i+1), ..: for each power and each term of the other parameters a
 * matrix rows x C. */
typedef struct tail {
    int powers, rows, C;
    size_t others;
    double *x; /* powers x others x rows x C */
} tail;

/* U (rows x rank): a basis of the columns of all matrices of the tail, to `tolerance`; the tail becomes U^T of it. */
static phx_status compress(phx_context *context, double tolerance, tail *rest, double **U, int *rank)
{
    const size_t rows = (size_t)rest->rows, C = (size_t)rest->C, matrices = (size_t)rest->powers * rest->others;
    double *tall = phx_calloc(context, matrices * C * rows + 1, sizeof *tall);
    double *triangle = phx_calloc(context, 2 * rows * rows + rows + 1, sizeof *triangle);
    double *right = phx_behind(triangle, rows * rows), *values = phx_behind(right, rows * rows);
    phx_status status = tall && triangle ? PHX_OK : PHX_ERR_MEMORY;

    *U = NULL;
    *rank = 0;
    for (size_t m = 0; m < matrices && !status; m++)
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < C; j++)
                tall[(m * C + j) * rows + i] = rest->x[(m * rows + i) * C + j];
    if (!status && rows > 0)
        status = phx_dense_qr_triangle(context, (int)(matrices * C), rest->rows, tall, triangle);
    if (!status && rows > 0)
        status = phx_dense_singular_values(context, rest->rows, rest->rows, triangle, values, right);
    while (!status && *rank < rest->rows && values[*rank] > tolerance)
        ++*rank;
    if (!status) {
        *U = phx_calloc(context, rows * (size_t)*rank + 1, sizeof **U);
        status = *U ? PHX_OK : PHX_ERR_MEMORY;
    }
    for (size_t i = 0; i < rows && !status; i++)
        for (int k = 0; k < *rank; k++)
            (*U)[i * (size_t)*rank + (size_t)k] = right[i * rows + (size_t)k];
    for (size_t m = 0; m < matrices && !status && *rank > 0; m++) { /* in place: a tail never gets longer */
        phx_dense_multiply(true, false, *rank, rest->C, rest->rows, 1.0, *U, *rank, rest->x + m * rows * C, rest->C,
                           0.0, tall, rest->C);
        memcpy(rest->x + m * (size_t)*rank * C, tall, (size_t)*rank * C * sizeof *tall);
    }
    rest->rows = *rank;
    phx_free(tall);
    phx_free(triangle);
    return status;
}

/* Copies the first power out of the tail. */
static phx_status take_first(phx_context *context, tail *rest, double **out)
{
    const size_t cells = rest->others * (size_t)rest->rows * (size_t)rest->C;
    *out = phx_calloc(context, cells + 1, sizeof **out);
    if (!*out)
        return PHX_ERR_MEMORY;
    memcpy(*out, rest->x, cells * sizeof **out);
    rest->powers--;
    memmove(rest->x, rest->x + cells, (size_t)rest->powers * cells * sizeof *rest->x);
    return PHX_OK;
}

/* The term of all parameters from power i of parameter k and term o of the others. */
static size_t term_of(const stage *at, int k, int i, size_t o)
{
    size_t behind = 1;
    for (int l = k + 1; l < at->n; l++)
        behind *= (size_t)(at->degrees[l] + 1);
    return (o / behind * (size_t)(at->degrees[k] + 1) + (size_t)i) * behind + o % behind;
}

/* The steps of the scheme for one parameter. */
typedef struct steps {
    int count, *rank; /* count steps */
    double **U, **Q;  /* U[i]: rank[i-1] x rank[i], Q[i]: others x rank[i] x C */
} steps;

static void steps_free(steps *length)
{
    for (int i = 0; i < length->count; i++) {
        phx_free(length->U[i]);
        phx_free(length->Q[i]);
    }
    phx_free(length->rank);
    phx_free(length->U);
    phx_free(length->Q);
}

/* Column bases U_i and compressed coefficients Q_i of all powers of parameter k (equations at the top), within the
 * tolerance. */
static phx_status find_steps(phx_context *context, const stage *at, int k, double tolerance, steps *out)
{
    const int d = at->degrees[k];
    const size_t cells = (size_t)at->R * (size_t)at->C;
    tail rest = {.powers = d, .rows = at->R, .C = at->C};
    phx_status status = PHX_OK;

    rest.others = phx_polynomial_terms(at->n, at->degrees) / (size_t)(d + 1);
    rest.x = phx_calloc(context, (size_t)d * rest.others * cells + 1, sizeof *rest.x);
    out->rank = phx_calloc(context, (size_t)d + 1, sizeof *out->rank);
    out->U = phx_calloc(context, (size_t)d + 1, sizeof *out->U);
    out->Q = phx_calloc(context, (size_t)d + 1, sizeof *out->Q);
    if (!rest.x || !out->rank || !out->U || !out->Q)
        status = PHX_ERR_MEMORY;
    for (int i = 1; i <= d && !status; i++)
        for (size_t o = 0; o < rest.others; o++)
            memcpy(rest.x + ((size_t)(i - 1) * rest.others + o) * cells, at->x + term_of(at, k, i, o) * cells,
                   cells * sizeof *at->x);
    while (!status && rest.powers > 0 && rest.rows > 0) {
        const int i = out->count;
        status = compress(context, tolerance, &rest, &out->U[i], &out->rank[i]);
        out->count += out->U[i] != NULL;
        if (!status)
            status = take_first(context, &rest, &out->Q[i]);
    }
    phx_free(rest.x);
    return status;
}

static void horner_put_block(double *x, int ld, int row, int col, int rows, int cols, const double *block)
{
    for (int i = 0; i < rows; i++)
        memcpy(x + (size_t)(row + i) * (size_t)ld + col, block + (size_t)i * (size_t)cols, (size_t)cols * sizeof *x);
}

/* The polynomial without parameter k, with *r more rows and columns. */
static phx_status horner_expand(phx_context *context, const stage *at, int k, const steps *list, stage *out, int *r)
{
    int *degrees = phx_calloc(context, (size_t)at->n + 1, sizeof *degrees), total = 0;
    phx_status status = degrees ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < list->count; i++)
        total += list->rank[i];
    for (int l = 0; l < at->n && !status; l++)
        degrees[l] = l == k ? 0 : at->degrees[l];
    if (!status)
        status = stage_create(context, at->n, degrees, at->R + total, at->C + total, out);
    const size_t others = status ? 0 : phx_polynomial_terms(at->n, degrees);
    for (size_t o = 0; o < others; o++) {
        double *x = out->x + o * (size_t)out->R * (size_t)out->C;
        int row = 0, rows = at->R, col = at->C;
        horner_put_block(x, out->C, 0, 0, at->R, at->C, at->x + term_of(at, k, 0, o) * (size_t)at->R * (size_t)at->C);
        for (int i = 0; i < list->count; i++) {
            const int rank = list->rank[i];
            if (o == 0) /* U is constant */
                horner_put_block(x, out->C, row, col, rows, rank, list->U[i]);
            row += rows;
            rows = rank;
            col += rank;
            horner_put_block(x, out->C, row, 0, rank, at->C, list->Q[i] + o * (size_t)rank * (size_t)at->C);
        }
    }
    phx_free(degrees);
    *r = total;
    return status;
}

/* By columns of P, or of P^T. */
static phx_status horner_eliminate(phx_context *context, const stage *from, int k, bool transposed, double tolerance,
                                   stage *out, int *r)
{
    stage at = {0};
    steps list = {0};
    phx_status status = stage_create(context, from->n, from->degrees, from->R, from->C, &at);

    if (!status)
        memcpy(at.x, from->x, phx_polynomial_terms(at.n, at.degrees) * (size_t)at.R * (size_t)at.C * sizeof *at.x);
    if (!status && transposed)
        status = transpose(context, &at);
    if (!status)
        status = find_steps(context, &at, k, tolerance, &list);
    if (!status)
        status = horner_expand(context, &at, k, &list, out, r);
    if (!status && transposed)
        status = transpose(context, out);
    steps_free(&list);
    stage_free(&at);
    return status;
}

/* The side with fewer repetitions. */
static phx_status eliminate_better(phx_context *context, const stage *from, int k, double tolerance, stage *out, int *r)
{
    stage other = {0};
    int r_other = 0;
    phx_status status = horner_eliminate(context, from, k, false, tolerance, out, r);

    if (!status)
        status = horner_eliminate(context, from, k, true, tolerance, &other, &r_other);
    if (!status && r_other < *r) {
        stage_free(out);
        *out = other;
        other = (stage){0};
        *r = r_other;
    }
    stage_free(&other);
    return status;
}

/* ---- all parameters, in an order ---- */
/* Blocks of Delta come in this order; sizes by parameters. */
static phx_status eliminate_all(phx_context *context, const stage *from, const int *order, double tolerance, stage *out,
                                int *sizes)
{
    phx_status status = stage_create(context, from->n, from->degrees, from->R, from->C, out);

    if (!status)
        memcpy(out->x, from->x,
               phx_polynomial_terms(from->n, from->degrees) * (size_t)from->R * (size_t)from->C * sizeof *out->x);
    for (int i = 0; i < from->n && !status; i++) {
        stage next = {0};
        status = eliminate_better(context, out, order[i], tolerance, &next, &sizes[order[i]]);
        stage_free(out);
        *out = next;
    }
    return status;
}

/* The next order of 0 .. n-1, lexicographic; false after the last. */
static bool next_order(int n, int *order)
{
    int i = n - 2, j = n - 1;
    while (i >= 0 && order[i] > order[i + 1])
        i--;
    if (i < 0)
        return false;
    while (order[j] < order[i])
        j--;
    const int swap = order[i];
    order[i] = order[j];
    order[j] = swap;
    for (int a = i + 1, b = n - 1; a < b; a++, b--) {
        const int t = order[a];
        order[a] = order[b];
        order[b] = t;
    }
    return true;
}

/* Rows and columns behind the first of each, in blocks by `order`, into blocks by parameters. */
static phx_status sort_blocks(phx_context *context, const stage *at, const int *order, phx_realisation *out)
{
    const int n = at->n, R = out->rows + out->r, C = out->cols + out->r;
    int *place = phx_calloc(context, (size_t)out->r + 1, sizeof *place);

    out->X = phx_calloc(context, (size_t)R * (size_t)C + 1, sizeof *out->X);
    if (!place || !out->X) {
        phx_free(place);
        return PHX_ERR_MEMORY;
    }
    for (int i = 0, from = 0; i < n; i++) {
        int to = 0;
        for (int k = 0; k < order[i]; k++)
            to += out->sizes[k];
        for (int k = 0; k < out->sizes[order[i]]; k++)
            place[from++] = to + k;
    }
    for (int i = 0; i < R; i++)
        for (int j = 0; j < C; j++) {
            const int row = i < out->rows ? i : out->rows + place[i - out->rows];
            const int col = j < out->cols ? j : out->cols + place[j - out->cols];
            out->X[(size_t)row * (size_t)C + (size_t)col] = at->x[(size_t)i * (size_t)C + (size_t)j];
        }
    phx_free(place);
    return PHX_OK;
}

static phx_status horner_keep(phx_context *context, const stage *from, const stage *at, const int *order,
                              const int *sizes, phx_realisation *out)
{
    phx_realisation_free(out);
    out->rows = from->R;
    out->cols = from->C;
    out->r = at->R - from->R;
    out->sizes = phx_calloc(context, (size_t)from->n + 1, sizeof *out->sizes);
    if (!out->sizes)
        return PHX_ERR_MEMORY;
    memcpy(out->sizes, sizes, (size_t)from->n * sizeof *sizes);
    return sort_blocks(context, at, order, out);
}

void phx_realisation_free(phx_realisation *realisation)
{
    phx_free(realisation->sizes);
    phx_free(realisation->X);
    *realisation = (phx_realisation){0};
}

/* Realises a matrix polynomial as a fraction in repeated parameters; up to four parameters are tried in all orders and
 * the smallest realisation is kept. */
phx_status phx_horner(phx_context *context, int n, const int *degrees, int rows, int cols, const double *coefficients,
                      double tolerance, phx_realisation *out)
{
    enum { MOST_IN_ALL_ORDERS = 4 };
    const stage from = {n, rows, cols, (int *)degrees, (double *)coefficients};
    int *order = phx_calloc(context, 2 * (size_t)n + 1, sizeof *order), *sizes = order ? order + n : NULL;
    phx_status status = order ? PHX_OK : PHX_ERR_MEMORY;

    *out = (phx_realisation){0};
    for (int k = 0; k < n && !status; k++)
        order[k] = k;
    do {
        stage at = {0};
        if (!status)
            status = eliminate_all(context, &from, order, tolerance, &at, sizes);
        if (!status && (!out->X || at.R - rows < out->r))
            status = horner_keep(context, &from, &at, order, sizes, out);
        stage_free(&at);
    } while (!status && n <= MOST_IN_ALL_ORDERS && next_order(n, order));
    if (status)
        phx_realisation_free(out);
    phx_free(order);
    return status;
}

/* (I - X_22 Delta) v = X_21, P = X_11 + X_12 Delta v */
phx_status phx_realisation_at(phx_context *context, int n, const phx_realisation *realisation, const double *delta,
                              double *P)
{
    const int r = realisation->r, C = realisation->cols + r;
    const size_t size = (size_t)r;
    double *loop = phx_calloc(context, size * size + size * (size_t)realisation->cols + size + 1, sizeof *loop);
    double *v = phx_behind(loop, size * size), *d = phx_behind(v, size * (size_t)realisation->cols);
    phx_status status = loop ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0, at = 0; k < n && !status; at += realisation->sizes[k], k++)
        for (int i = 0; i < realisation->sizes[k]; i++)
            d[at + i] = delta[k];
    for (int i = 0; i < r && !status; i++) {
        const double *row = realisation->X + (size_t)(realisation->rows + i) * (size_t)C;
        for (int j = 0; j < r; j++)
            loop[(size_t)i * size + (size_t)j] = (i == j) - row[realisation->cols + j] * d[j];
        memcpy(v + (size_t)i * (size_t)realisation->cols, row, (size_t)realisation->cols * sizeof *v);
    }
    if (!status && r > 0)
        status = phx_dense_solve(context, r, loop, realisation->cols, v);
    for (int i = 0; i < realisation->rows && !status; i++) {
        const double *row = realisation->X + (size_t)i * (size_t)C;
        for (int j = 0; j < realisation->cols; j++) {
            double sum = row[j];
            for (int k = 0; k < r; k++)
                sum += row[realisation->cols + k] * d[k] * v[(size_t)k * (size_t)realisation->cols + (size_t)j];
            P[(size_t)i * (size_t)realisation->cols + (size_t)j] = sum;
        }
    }
    phx_free(loop);
    return status;
}
