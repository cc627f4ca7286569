/* Elimination of the deformation inside a body.
 *
 * Coordinates of q that no joint and no force sees are internal ones (i), the others boundary ones (d). Over an
 * interval the block of the deformations is a constant S = a M_qq + b K + c R and terms of the size of the angular
 * velocity, and so with the rigid velocities (r) in front, theory 4 (27) and (28),
 *
 *     A = [ A_rr  A_rd  A_ri ]     X = S_ii^-1 A_ir ,  T = S_ii^-1 S_id
 *         [ A_dr  S_dd  S_di ]
 *         [ A_ir  S_id  S_ii ]     condensed:  [ A_rr - A_ri X   A_rd - A_ri T ]
 *                                              [ A_dr - S_di X   S_dd - S_di T ]
 *
 * S_ii is factored once for all bodies of one type. What moves with the body, A without S, is its arrow block
 * (arrow_kernel.h); condense_kernel.h eliminates it. */
#include "condenser.h"

#include <string.h>

/* ---- which coordinates, in which order ---- */
/* Breadth-first distances over the pattern from the coordinates with distance 0; unreached parts (-1) begin with a new
 * root. `queue`: coordinates in the order of distance. Returns the largest distance. */
static int measure_distances(const phx_floating *body, int *distance, int *queue)
{
    const int r = body->base.n_rigid, n = body->base.n_q;
    int head = 0, tail = 0, largest = 0;

    for (int i = 0; i < n; i++)
        if (distance[i] == 0)
            queue[tail++] = i;
    for (int start = 0; start <= n; start++) {
        while (head < tail) {
            const int i = queue[head++];
            largest = distance[i] > largest ? distance[i] : largest;
            for (int e = body->base.ptr[r + i] + r; e < body->base.ptr[r + i + 1]; e++) {
                const int j = body->base.idx[e] - r;
                if (distance[j] >= 0)
                    continue;
                distance[j] = distance[i] + 1;
                queue[tail++] = j;
            }
        }
        if (start < n && distance[start] < 0) {
            distance[start] = 1;
            queue[tail++] = start;
        }
    }
    return largest;
}

/* Internal coordinates by their distance from those half way between the boundary ones and the far end, the farthest
 * first: what stands between is banded, and it is eliminated from both ends, one end not waiting for the other. */
static int order_internal(const phx_floating *body, int n_boundary, const int *boundary, int *distance, int *queue,
                          int *internal)
{
    const int n = body->base.n_q;
    int count = 0;

    for (int i = 0; i < n; i++)
        distance[i] = -1;
    for (int k = 0; k < n_boundary; k++)
        distance[boundary[k]] = 0;
    const int middle = (measure_distances(body, distance, queue) + 1) / 2;
    for (int i = 0; i < n; i++)
        distance[i] = distance[i] == middle && middle > 0 ? 0 : -1;
    measure_distances(body, distance, queue);
    for (int k = 0; k < n_boundary; k++)
        distance[boundary[k]] = -1;
    for (int k = n; k-- > 0;)
        if (distance[queue[k]] >= 0)
            internal[count++] = queue[k];
    return count;
}

/* Entries of S that are not zero for good. */
static void mark_entries(const phx_floating *body, bool *used)
{
    const phx_flex *flex = body->flex;

    for (int e = 0; e < flex->ptr[flex->n]; e++)
        used[body->flex_at[e]] = flex->M[e] != 0.0 || flex->K[e] != 0.0;
    for (int i = 0; i < flex->n; i++)
        used[phx_floating_entry(body, body->base.n_rigid + i, body->base.n_rigid + i)] = true;
    for (int e = 0; body->damped && e < body->damping.ptr[body->base.n_q]; e++)
        used[body->damping_at[e]] = used[body->damping_at[e]] || body->damping.val[e] != 0.0;
}

/* Rows of the internal coordinates and, of those, the columns that `place` numbers from 0 (-1: others). */
static phx_status make_block(phx_condenser *condenser, const bool *used, const int *place, block *out)
{
    const phx_floating *body = condenser->body;
    const int r = body->base.n_rigid;

    out->ptr = phx_calloc(condenser->context, (size_t)condenser->n_internal + 1, sizeof *out->ptr);
    if (!out->ptr)
        return PHX_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        int count = 0;
        for (int p = 0; p < condenser->n_internal; p++) {
            const int row = r + condenser->internal[p];
            for (int e = body->base.ptr[row] + r; e < body->base.ptr[row + 1]; e++) {
                const int column = used[e] ? place[body->base.idx[e] - r] : -1;
                if (column < 0)
                    continue;
                if (pass > 0) {
                    out->idx[count] = column;
                    out->from[count] = e;
                }
                count++;
            }
            out->ptr[p + 1] = count;
        }
        if (pass > 0)
            break;
        out->idx = phx_calloc(condenser->context, (size_t)count, sizeof *out->idx);
        out->from = phx_calloc(condenser->context, (size_t)count, sizeof *out->from);
        out->val = phx_calloc(condenser->context, (size_t)count, sizeof *out->val);
        if (!out->idx || !out->from || !out->val)
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* Finds the positions of S_ii, S_id and S_dd in the body's sparse pattern, internal coordinates in their elimination
 * order. */
static phx_status make_blocks(phx_condenser *condenser, const bool *used, int *place)
{
    const phx_floating *body = condenser->body;
    const int r = body->base.n_rigid;
    phx_status status = PHX_OK;

    for (int i = 0; i < body->base.n_q; i++)
        place[i] = -1;
    for (int p = 0; p < condenser->n_internal; p++)
        place[condenser->internal[p]] = p;
    status = make_block(condenser, used, place, &condenser->own);
    for (int i = 0; i < body->base.n_q; i++)
        place[i] = -1;
    for (int d = 0; d < condenser->n_boundary; d++)
        place[condenser->boundary[d]] = d;
    if (!status)
        status = make_block(condenser, used, place, &condenser->coupling);
    for (int d = 0; d < condenser->n_boundary; d++)
        for (int c = 0; c < condenser->n_boundary; c++)
            condenser->corner_from[d * condenser->n_boundary + c] =
                phx_floating_entry(body, r + condenser->boundary[d], r + condenser->boundary[c]);
    return status;
}

static bool make_sparse(phx_condenser *condenser, size_t rows, size_t entries, sparse *out)
{
    out->ptr = phx_calloc(condenser->context, rows + 1, sizeof *out->ptr);
    out->at = phx_calloc(condenser->context, entries, sizeof *out->at);
    out->val = phx_calloc(condenser->context, entries, sizeof *out->val);
    return out->ptr && out->at && out->val;
}

/* Allocates the arrays of the condenser once the numbers of internal and boundary coordinates are known. */
static phx_status condense_allocate(phx_condenser *condenser)
{
    const size_t internal = (size_t)condenser->n_internal, boundary = (size_t)condenser->n_boundary;
    const size_t entries = (size_t)condenser->body->base.ptr[condenser->body->base.n_v],
                 dim = (size_t)condenser->body->base.dim;

    condenser->corner_from = phx_calloc(condenser->context, boundary * boundary, sizeof *condenser->corner_from);
    condenser->corner = phx_calloc(condenser->context, boundary * boundary, sizeof *condenser->corner);
    condenser->sum = phx_calloc(condenser->context, entries, sizeof *condenser->sum);
    condenser->column = phx_calloc(condenser->context, internal, sizeof *condenser->column);
    condenser->sums =
        phx_calloc(condenser->context, 2 * internal * dim + dim * (dim + boundary), sizeof *condenser->sums);
    condenser->influence.ptr = phx_calloc(condenser->context, internal + 1, sizeof *condenser->influence.ptr);
    condenser->influence.idx = phx_calloc(condenser->context, internal * boundary, sizeof *condenser->influence.idx);
    condenser->influence.val = phx_calloc(condenser->context, internal * boundary, sizeof *condenser->influence.val);
    if (!condenser->corner_from || !condenser->corner || !condenser->sum || !condenser->column || !condenser->sums ||
        !condenser->influence.ptr || !condenser->influence.idx || !condenser->influence.val)
        return PHX_ERR_MEMORY;
    if (!make_sparse(condenser, boundary, internal * boundary, &condenser->S_boundary) ||
        !make_sparse(condenser, boundary, internal * boundary, &condenser->T_boundary) ||
        !make_sparse(condenser, dim, internal * dim, &condenser->S_axis) ||
        !make_sparse(condenser, dim, internal * dim, &condenser->Z_axis) ||
        !make_sparse(condenser, internal, internal * (boundary + dim), &condenser->spread))
        return PHX_ERR_MEMORY;
    condenser->pull = condenser->sums + internal * dim;
    condenser->sums_pull = condenser->pull + internal * dim;
    condenser->sums_boundary = condenser->sums_pull + dim * dim;
    return PHX_OK;
}

/* Divides the deformations into boundary and internal ones, orders the latter for the factorisation and builds the
 * blocks and the symbolic factorisation of S_ii. */
static phx_status condense_fill(phx_condenser *condenser, const phx_floating *body, int n_boundary, const int *boundary)
{
    const size_t n = (size_t)body->base.n_q;
    int *integers = phx_calloc(condenser->context, 2 * n, sizeof *integers);
    bool *used = phx_calloc(condenser->context, (size_t)body->base.ptr[body->base.n_v], sizeof *used);
    phx_status status = PHX_ERR_MEMORY;

    condenser->internal = phx_calloc(condenser->context, n, sizeof *condenser->internal);
    condenser->boundary = phx_calloc(condenser->context, (size_t)n_boundary, sizeof *condenser->boundary);
    if (integers && used && condenser->internal && condenser->boundary) {
        memcpy(condenser->boundary, boundary, (size_t)n_boundary * sizeof *boundary);
        condenser->n_boundary = n_boundary;
        condenser->n_internal = order_internal(body, n_boundary, boundary, integers, integers + n, condenser->internal);
        status = condense_allocate(condenser);
    }
    if (!status) {
        mark_entries(body, used);
        status = make_blocks(condenser, used, integers);
    }
    if (!status)
        status = phx_ldl_create(condenser->context, condenser->n_internal, condenser->own.ptr, condenser->own.idx,
                                &condenser->ldl);
    phx_free(integers);
    phx_free(used);
    return status;
}

/* Creates the elimination of the internal deformations of a floating body; boundary[] lists the coordinates that are
 * kept, ascending. *out is NULL after an error. */
phx_status phx_condenser_create(phx_context *context, const phx_body *any, int n_boundary, const int *boundary,
                                phx_condenser **out)
{
    const phx_floating *body = any ? phx_as_floating(any) : NULL;
    if (!body || !out || (n_boundary > 0 && !boundary))
        return phx_fail_null(context, __func__, "body, boundary or condenser");
    phx_condenser *condenser = phx_calloc(context, 1, sizeof *condenser);
    phx_status status = condenser ? PHX_OK : PHX_ERR_MEMORY;

    *out = NULL;
    if (status)
        return status;
    condenser->context = context;
    condenser->body = body;
    status = condense_fill(condenser, body, n_boundary, boundary);
    if (status)
        phx_condenser_destroy(condenser);
    else
        *out = condenser;
    return status;
}

static void free_block(block *pair)
{
    phx_free(pair->ptr);
    phx_free(pair->idx);
    phx_free(pair->from);
    phx_free(pair->val);
}

static void free_sparse(sparse *lists)
{
    phx_free(lists->ptr);
    phx_free(lists->at);
    phx_free(lists->val);
}

/* Frees a condenser; NULL is allowed. */
void phx_condenser_destroy(phx_condenser *condenser)
{
    if (!condenser)
        return;
    free_block(&condenser->own);
    free_block(&condenser->coupling);
    free_block(&condenser->influence);
    sparse *all[] = {&condenser->S_boundary, &condenser->T_boundary, &condenser->S_axis, &condenser->Z_axis,
                     &condenser->spread};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free_sparse(all[k]);
    phx_free(condenser->internal);
    phx_free(condenser->boundary);
    phx_free(condenser->corner_from);
    phx_free(condenser->corner);
    phx_free(condenser->sum);
    phx_free(condenser->column);
    phx_free(condenser->sums);
    phx_ldl_destroy(condenser->ldl);
    phx_free(condenser);
}

bool phx_condenser_serves(const phx_condenser *condenser, const phx_body *body, int n_boundary, const int *boundary)
{
    return condenser->n_boundary == n_boundary &&
           memcmp(condenser->boundary, boundary, (size_t)n_boundary * sizeof *boundary) == 0 &&
           phx_body_alike(&condenser->body->base, body);
}

int phx_condenser_internal(const phx_condenser *condenser)
{
    return condenser->n_internal;
}

/* ---- factor ---- */
static void sum_matrices(const phx_condenser *condenser, double a, double b, double c)
{
    const phx_floating *body = condenser->body;
    const phx_flex *flex = body->flex;

    memset(condenser->sum, 0, (size_t)body->base.ptr[body->base.n_v] * sizeof *condenser->sum);
    for (int e = 0; e < flex->ptr[flex->n]; e++)
        condenser->sum[body->flex_at[e]] = a * flex->M[e] + b * flex->K[e];
    for (int e = 0; body->damped && e < body->damping.ptr[body->base.n_q]; e++)
        condenser->sum[body->damping_at[e]] += c * body->damping.val[e];
}

static void condense_take(const block *pair, int rows, const double *sum)
{
    for (int e = 0; e < pair->ptr[rows]; e++)
        pair->val[e] = sum[pair->from[e]];
}

/* T by columns, stored by rows without its zeros. */
static void make_influence(phx_condenser *condenser)
{
    const int n = condenser->n_internal, m = condenser->n_boundary;
    double *dense = condenser->influence.val;

    for (int d = 0; d < m; d++) {
        memset(condenser->column, 0, (size_t)n * sizeof *condenser->column);
        for (int p = 0; p < n; p++)
            for (int e = condenser->coupling.ptr[p]; e < condenser->coupling.ptr[p + 1]; e++)
                if (condenser->coupling.idx[e] == d)
                    condenser->column[p] = condenser->coupling.val[e];
        phx_ldl_solve(condenser->ldl, 1, condenser->column);
        for (int p = 0; p < n; p++)
            dense[p * m + d] = condenser->column[p];
    }
    for (int p = 0, count = 0; p < n; p++) { /* in place: no entry moves behind one that is still to be read */
        for (int d = 0; d < m; d++)
            if (dense[p * m + d] != 0.0) {
                condenser->influence.idx[count] = d;
                condenser->influence.val[count++] = dense[p * m + d];
            }
        condenser->influence.ptr[p + 1] = count;
    }
}

/* Columns of the first moment S over the internal coordinates, and S_ii^-1 times them. */
static void pull_sums(phx_condenser *condenser)
{
    const phx_flex *flex = condenser->body->flex;
    const int dim = condenser->body->base.dim, n = condenser->n_internal, m = condenser->n_boundary;

    for (int p = 0; p < n; p++)
        for (int a = 0; a < dim; a++)
            condenser->sums[p * dim + a] = condenser->pull[p * dim + a] = flex->S[a * flex->n + condenser->internal[p]];
    phx_ldl_solve(condenser->ldl, dim, condenser->pull);
    for (int a = 0; a < dim; a++) {
        for (int b = 0; b < dim; b++) {
            condenser->sums_pull[a * dim + b] = 0.0;
            for (int p = 0; p < n; p++)
                condenser->sums_pull[a * dim + b] += condenser->sums[p * dim + a] * condenser->pull[p * dim + b];
        }
        for (int d = 0; d < m; d++)
            condenser->sums_boundary[a * m + d] = flex->S[a * flex->n + condenser->boundary[d]];
        for (int p = 0; p < n; p++)
            for (int e = condenser->influence.ptr[p]; e < condenser->influence.ptr[p + 1]; e++)
                condenser->sums_boundary[a * m + condenser->influence.idx[e]] -=
                    condenser->sums[p * dim + a] * condenser->influence.val[e];
    }
}

/* ---- for loops over the bodies ---- */
static void condense_add(sparse *lists, int *count, int at, double value)
{
    if (value == 0.0)
        return;
    lists->at[*count] = at;
    lists->val[(*count)++] = value;
}

/* Columns of a block over the internal coordinates, by rows; `internal` NULL: their numbers. */
static void condense_take_columns(const block *from, int n, int columns, const int *internal, sparse *out)
{
    for (int d = 0, count = 0; d < columns; d++) {
        for (int p = 0; p < n; p++)
            for (int e = from->ptr[p]; e < from->ptr[p + 1]; e++)
                if (from->idx[e] == d)
                    condense_add(out, &count, internal ? internal[p] : p, from->val[e]);
        out->ptr[d + 1] = count;
    }
}

static void take_axes(const phx_condenser *condenser, const double *values, const int *internal, sparse *out)
{
    const int dim = condenser->body->base.dim;

    for (int a = 0, count = 0; a < dim; a++) {
        for (int p = 0; p < condenser->n_internal; p++)
            condense_add(out, &count, internal ? internal[p] : p, values[p * dim + a]);
        out->ptr[a + 1] = count;
    }
}

/* Rearranges S_id, T and the translations' columns to lists of nonzeros by column, and T and Z together by row, for the
 * kernels. */
static void arrange(phx_condenser *condenser)
{
    const int dim = condenser->body->base.dim, n = condenser->n_internal, m = condenser->n_boundary;

    condense_take_columns(&condenser->coupling, n, m, NULL, &condenser->S_boundary);
    condense_take_columns(&condenser->influence, n, m, condenser->internal, &condenser->T_boundary);
    take_axes(condenser, condenser->sums, NULL, &condenser->S_axis);
    take_axes(condenser, condenser->pull, condenser->internal, &condenser->Z_axis);
    for (int p = 0, count = 0; p < n; p++) {
        for (int e = condenser->influence.ptr[p]; e < condenser->influence.ptr[p + 1]; e++)
            condense_add(&condenser->spread, &count, condenser->influence.idx[e], condenser->influence.val[e]);
        for (int a = 0; a < dim; a++)
            condense_add(&condenser->spread, &count, m + a, condenser->pull[p * dim + a]);
        condenser->spread.ptr[p + 1] = count;
    }
}

/* Factors S_ii of S = a M_qq + b K + c R and forms T = S_ii^-1 S_id, Z = S_ii^-1 S_i^T and the condensed block S_dd -
 * S_di T, theory 4 (28). */
phx_status phx_condenser_factor(phx_condenser *condenser, double a, double b, double c)
{
    if (!condenser)
        return phx_fail_null(NULL, __func__, "condenser");
    const int m = condenser->n_boundary;

    sum_matrices(condenser, a, b, c);
    condense_take(&condenser->own, condenser->n_internal, condenser->sum);
    condense_take(&condenser->coupling, condenser->n_internal, condenser->sum);
    for (int k = 0; k < m * m; k++)
        condenser->corner[k] = condenser->corner_from[k] < 0 ? 0.0 : condenser->sum[condenser->corner_from[k]];
    const phx_status status = phx_ldl_factor(condenser->ldl, condenser->own.val);
    if (status)
        return status;
    make_influence(condenser);
    pull_sums(condenser);
    arrange(condenser);
    for (int p = 0; p < condenser->n_internal; p++)
        for (int e = condenser->coupling.ptr[p]; e < condenser->coupling.ptr[p + 1]; e++)
            for (int f = condenser->influence.ptr[p]; f < condenser->influence.ptr[p + 1]; f++)
                condenser->corner[condenser->coupling.idx[e] * m + condenser->influence.idx[f]] -=
                    condenser->coupling.val[e] * condenser->influence.val[f];
    return PHX_OK;
}
