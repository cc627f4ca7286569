/* Elimination of the deformation inside a body.
 *
 * Coordinates of q that no joint and no force sees are internal ones (i), the others boundary ones (d). Over an
 * interval the block of the deformations is a constant S = a M_qq + b K + c R and terms of the size of the angular
 * velocity, and so with the rigid velocities (r) in front
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
static phx_status make_block(phx_condenser *it, const bool *used, const int *place, block *out)
{
    const phx_floating *body = it->body;
    const int r = body->base.n_rigid;

    out->ptr = phx_calloc(it->context, (size_t)it->n_internal + 1, sizeof *out->ptr);
    if (!out->ptr)
        return PHX_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        int count = 0;
        for (int p = 0; p < it->n_internal; p++) {
            const int row = r + it->internal[p];
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
        out->idx = phx_calloc(it->context, (size_t)count, sizeof *out->idx);
        out->from = phx_calloc(it->context, (size_t)count, sizeof *out->from);
        out->val = phx_calloc(it->context, (size_t)count, sizeof *out->val);
        if (!out->idx || !out->from || !out->val)
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* Finds the positions of S_ii, S_id and S_dd in the body's sparse pattern, internal coordinates in their elimination
 * order. */
static phx_status make_blocks(phx_condenser *it, const bool *used, int *place)
{
    const phx_floating *body = it->body;
    const int r = body->base.n_rigid;
    phx_status status = PHX_OK;

    for (int i = 0; i < body->base.n_q; i++)
        place[i] = -1;
    for (int p = 0; p < it->n_internal; p++)
        place[it->internal[p]] = p;
    status = make_block(it, used, place, &it->own);
    for (int i = 0; i < body->base.n_q; i++)
        place[i] = -1;
    for (int d = 0; d < it->n_boundary; d++)
        place[it->boundary[d]] = d;
    if (!status)
        status = make_block(it, used, place, &it->coupling);
    for (int d = 0; d < it->n_boundary; d++)
        for (int c = 0; c < it->n_boundary; c++)
            it->corner_from[d * it->n_boundary + c] =
                phx_floating_entry(body, r + it->boundary[d], r + it->boundary[c]);
    return status;
}

static bool make_sparse(phx_condenser *it, size_t rows, size_t entries, sparse *out)
{
    out->ptr = phx_calloc(it->context, rows + 1, sizeof *out->ptr);
    out->at = phx_calloc(it->context, entries, sizeof *out->at);
    out->val = phx_calloc(it->context, entries, sizeof *out->val);
    return out->ptr && out->at && out->val;
}

/* Allocates the arrays of the condenser once the numbers of internal and boundary coordinates are known. */
static phx_status condense_allocate(phx_condenser *it)
{
    const size_t internal = (size_t)it->n_internal, boundary = (size_t)it->n_boundary;
    const size_t entries = (size_t)it->body->base.ptr[it->body->base.n_v], dim = (size_t)it->body->base.dim;

    it->corner_from = phx_calloc(it->context, boundary * boundary, sizeof *it->corner_from);
    it->corner = phx_calloc(it->context, boundary * boundary, sizeof *it->corner);
    it->sum = phx_calloc(it->context, entries, sizeof *it->sum);
    it->column = phx_calloc(it->context, internal, sizeof *it->column);
    it->sums = phx_calloc(it->context, 2 * internal * dim + dim * (dim + boundary), sizeof *it->sums);
    it->influence.ptr = phx_calloc(it->context, internal + 1, sizeof *it->influence.ptr);
    it->influence.idx = phx_calloc(it->context, internal * boundary, sizeof *it->influence.idx);
    it->influence.val = phx_calloc(it->context, internal * boundary, sizeof *it->influence.val);
    if (!it->corner_from || !it->corner || !it->sum || !it->column || !it->sums || !it->influence.ptr ||
        !it->influence.idx || !it->influence.val)
        return PHX_ERR_MEMORY;
    if (!make_sparse(it, boundary, internal * boundary, &it->S_boundary) ||
        !make_sparse(it, boundary, internal * boundary, &it->T_boundary) ||
        !make_sparse(it, dim, internal * dim, &it->S_axis) || !make_sparse(it, dim, internal * dim, &it->Z_axis) ||
        !make_sparse(it, internal, internal * (boundary + dim), &it->spread))
        return PHX_ERR_MEMORY;
    it->pull = it->sums + internal * dim;
    it->sums_pull = it->pull + internal * dim;
    it->sums_boundary = it->sums_pull + dim * dim;
    return PHX_OK;
}

/* Divides the deformations into boundary and internal ones, orders the latter for the factorisation and builds the
 * blocks and the symbolic factorisation of S_ii. */
static phx_status condense_fill(phx_condenser *it, const phx_floating *body, int n_boundary, const int *boundary)
{
    const size_t n = (size_t)body->base.n_q;
    int *integers = phx_calloc(it->context, 2 * n, sizeof *integers);
    bool *used = phx_calloc(it->context, (size_t)body->base.ptr[body->base.n_v], sizeof *used);
    phx_status status = PHX_ERR_MEMORY;

    it->internal = phx_calloc(it->context, n, sizeof *it->internal);
    it->boundary = phx_calloc(it->context, (size_t)n_boundary, sizeof *it->boundary);
    if (integers && used && it->internal && it->boundary) {
        memcpy(it->boundary, boundary, (size_t)n_boundary * sizeof *boundary);
        it->n_boundary = n_boundary;
        it->n_internal = order_internal(body, n_boundary, boundary, integers, integers + n, it->internal);
        status = condense_allocate(it);
    }
    if (!status) {
        mark_entries(body, used);
        status = make_blocks(it, used, integers);
    }
    if (!status)
        status = phx_ldl_create(it->context, it->n_internal, it->own.ptr, it->own.idx, &it->ldl);
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
    phx_condenser *it = phx_calloc(context, 1, sizeof *it);
    phx_status status = it ? PHX_OK : PHX_ERR_MEMORY;

    *out = NULL;
    if (status)
        return status;
    it->context = context;
    it->body = body;
    status = condense_fill(it, body, n_boundary, boundary);
    if (status)
        phx_condenser_destroy(it);
    else
        *out = it;
    return status;
}

static void free_block(block *it)
{
    phx_free(it->ptr);
    phx_free(it->idx);
    phx_free(it->from);
    phx_free(it->val);
}

static void free_sparse(sparse *it)
{
    phx_free(it->ptr);
    phx_free(it->at);
    phx_free(it->val);
}

/* Frees a condenser; NULL is allowed. */
void phx_condenser_destroy(phx_condenser *it)
{
    if (!it)
        return;
    free_block(&it->own);
    free_block(&it->coupling);
    free_block(&it->influence);
    sparse *all[] = {&it->S_boundary, &it->T_boundary, &it->S_axis, &it->Z_axis, &it->spread};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free_sparse(all[k]);
    phx_free(it->internal);
    phx_free(it->boundary);
    phx_free(it->corner_from);
    phx_free(it->corner);
    phx_free(it->sum);
    phx_free(it->column);
    phx_free(it->sums);
    phx_ldl_destroy(it->ldl);
    phx_free(it);
}

bool phx_condenser_serves(const phx_condenser *it, const phx_body *body, int n_boundary, const int *boundary)
{
    return it->n_boundary == n_boundary && memcmp(it->boundary, boundary, (size_t)n_boundary * sizeof *boundary) == 0 &&
           phx_body_alike(&it->body->base, body);
}

int phx_condenser_internal(const phx_condenser *it)
{
    return it->n_internal;
}

/* ---- factor ---- */
static void sum_matrices(const phx_condenser *it, double a, double b, double c)
{
    const phx_floating *body = it->body;
    const phx_flex *flex = body->flex;

    memset(it->sum, 0, (size_t)body->base.ptr[body->base.n_v] * sizeof *it->sum);
    for (int e = 0; e < flex->ptr[flex->n]; e++)
        it->sum[body->flex_at[e]] = a * flex->M[e] + b * flex->K[e];
    for (int e = 0; body->damped && e < body->damping.ptr[body->base.n_q]; e++)
        it->sum[body->damping_at[e]] += c * body->damping.val[e];
}

static void condense_take(const block *it, int rows, const double *sum)
{
    for (int e = 0; e < it->ptr[rows]; e++)
        it->val[e] = sum[it->from[e]];
}

/* T by columns, stored by rows without its zeros. */
static void make_influence(phx_condenser *it)
{
    const int n = it->n_internal, m = it->n_boundary;
    double *dense = it->influence.val;

    for (int d = 0; d < m; d++) {
        memset(it->column, 0, (size_t)n * sizeof *it->column);
        for (int p = 0; p < n; p++)
            for (int e = it->coupling.ptr[p]; e < it->coupling.ptr[p + 1]; e++)
                if (it->coupling.idx[e] == d)
                    it->column[p] = it->coupling.val[e];
        phx_ldl_solve(it->ldl, 1, it->column);
        for (int p = 0; p < n; p++)
            dense[p * m + d] = it->column[p];
    }
    for (int p = 0, count = 0; p < n; p++) { /* in place: no entry moves behind one that is still to be read */
        for (int d = 0; d < m; d++)
            if (dense[p * m + d] != 0.0) {
                it->influence.idx[count] = d;
                it->influence.val[count++] = dense[p * m + d];
            }
        it->influence.ptr[p + 1] = count;
    }
}

/* Columns of the first moment S over the internal coordinates, and S_ii^-1 times them. */
static void pull_sums(phx_condenser *it)
{
    const phx_flex *flex = it->body->flex;
    const int dim = it->body->base.dim, n = it->n_internal, m = it->n_boundary;

    for (int p = 0; p < n; p++)
        for (int a = 0; a < dim; a++)
            it->sums[p * dim + a] = it->pull[p * dim + a] = flex->S[a * flex->n + it->internal[p]];
    phx_ldl_solve(it->ldl, dim, it->pull);
    for (int a = 0; a < dim; a++) {
        for (int b = 0; b < dim; b++) {
            it->sums_pull[a * dim + b] = 0.0;
            for (int p = 0; p < n; p++)
                it->sums_pull[a * dim + b] += it->sums[p * dim + a] * it->pull[p * dim + b];
        }
        for (int d = 0; d < m; d++)
            it->sums_boundary[a * m + d] = flex->S[a * flex->n + it->boundary[d]];
        for (int p = 0; p < n; p++)
            for (int e = it->influence.ptr[p]; e < it->influence.ptr[p + 1]; e++)
                it->sums_boundary[a * m + it->influence.idx[e]] -= it->sums[p * dim + a] * it->influence.val[e];
    }
}

/* ---- for loops over the bodies ---- */
static void condense_add(sparse *it, int *count, int at, double value)
{
    if (value == 0.0)
        return;
    it->at[*count] = at;
    it->val[(*count)++] = value;
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

static void take_axes(const phx_condenser *it, const double *values, const int *internal, sparse *out)
{
    const int dim = it->body->base.dim;

    for (int a = 0, count = 0; a < dim; a++) {
        for (int p = 0; p < it->n_internal; p++)
            condense_add(out, &count, internal ? internal[p] : p, values[p * dim + a]);
        out->ptr[a + 1] = count;
    }
}

/* Rearranges S_id, T and the translations' columns to lists of nonzeros by column, and T and Z together by row, for the
 * kernels. */
static void arrange(phx_condenser *it)
{
    const int dim = it->body->base.dim, n = it->n_internal, m = it->n_boundary;

    condense_take_columns(&it->coupling, n, m, NULL, &it->S_boundary);
    condense_take_columns(&it->influence, n, m, it->internal, &it->T_boundary);
    take_axes(it, it->sums, NULL, &it->S_axis);
    take_axes(it, it->pull, it->internal, &it->Z_axis);
    for (int p = 0, count = 0; p < n; p++) {
        for (int e = it->influence.ptr[p]; e < it->influence.ptr[p + 1]; e++)
            condense_add(&it->spread, &count, it->influence.idx[e], it->influence.val[e]);
        for (int a = 0; a < dim; a++)
            condense_add(&it->spread, &count, m + a, it->pull[p * dim + a]);
        it->spread.ptr[p + 1] = count;
    }
}

/* Factors S_ii of S = a M_qq + b K + c R and forms T = S_ii^-1 S_id, Z = S_ii^-1 S_i^T and the condensed block S_dd -
 * S_di T (theory 4, condensation). */
phx_status phx_condenser_factor(phx_condenser *it, double a, double b, double c)
{
    if (!it)
        return phx_fail_null(NULL, __func__, "condenser");
    const int m = it->n_boundary;

    sum_matrices(it, a, b, c);
    condense_take(&it->own, it->n_internal, it->sum);
    condense_take(&it->coupling, it->n_internal, it->sum);
    for (int k = 0; k < m * m; k++)
        it->corner[k] = it->corner_from[k] < 0 ? 0.0 : it->sum[it->corner_from[k]];
    const phx_status status = phx_ldl_factor(it->ldl, it->own.val);
    if (status)
        return status;
    make_influence(it);
    pull_sums(it);
    arrange(it);
    for (int p = 0; p < it->n_internal; p++)
        for (int e = it->coupling.ptr[p]; e < it->coupling.ptr[p + 1]; e++)
            for (int f = it->influence.ptr[p]; f < it->influence.ptr[p + 1]; f++)
                it->corner[it->coupling.idx[e] * m + it->influence.idx[f]] -=
                    it->coupling.val[e] * it->influence.val[f];
    return PHX_OK;
}
