/* Many rows between the same two rigid bodies, all but a few of them dependent: which ones a linear step keeps.
 *
 * The rows of such a pair act on dim + n_rot relative velocities at most. Left in [M -G^T; G eps], the others would
 * make a dense block of the size of all rows. Only the step is told to leave them out; residuals and rates are measured
 * of all rows, so that rows that contradict each other are found all the same. */
#include "system/system_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 10 };         /* times the relative velocities: the pair is worth it */
enum { PAIR_COLUMNS = 12 }; /* velocities of two bodies */

/* A row of the workspace and the pair of bodies that it is between, a <= b; the ground is -1. */
typedef struct pair_row {
    int a, b, row;
} pair_row;

static int compare_pairs(const void *first, const void *second)
{
    const pair_row *p = first, *q = second;

    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

static bool is_rigid(const phx_system *system, int body)
{
    return body == PHX_GROUND || !phx_body_deforms(system->bodies[body].body);
}

static void list_pairs(const workspace *ws, pair_row *list)
{
    const phx_system *system = ws->system;

    for (int k = 0; k < ws->rows.n; k++) {
        const int a = system->ports[ws->rows.row[k].a].body, b = system->ports[ws->rows.row[k].b].body;
        list[k] = (pair_row){a < b ? a : b, a < b ? b : a, k};
    }
    qsort(list, (size_t)ws->rows.n, sizeof *list, compare_pairs);
}

static int end_of_pair(const pair_row *list, int n, int first)
{
    int end = first + 1;
    while (end < n && list[end].a == list[first].a && list[end].b == list[first].b)
        end++;
    return end;
}

/* Lists the pairs of rigid bodies that share more than MANY (dim + n_rot) rows and allocates the arrays for the choice
 * among these rows. No such pair leaves n_pairs at 0. */
phx_status phx_sys_parallel_create(const workspace *ws, parallel_rows *out)
{
    phx_context *context = ws->base.context;
    const phx_system *system = ws->system;
    const int many = MANY * (system->dim + system->n_rot);
    pair_row *list = NULL;

    *out = (parallel_rows){.made = true};
    if (ws->rows.n <= many)
        return PHX_OK;
    list = phx_calloc(context, (size_t)ws->rows.n, sizeof *list);
    out->dropped = phx_calloc(context, (size_t)ws->rows.n, sizeof *out->dropped);
    out->before = phx_calloc(context, (size_t)ws->rows.n, sizeof *out->before);
    out->row = phx_calloc(context, (size_t)ws->rows.n, sizeof *out->row);
    out->end = phx_calloc(context, (size_t)(ws->rows.n / many) + 1, sizeof *out->end);
    out->asked = phx_calloc(context, (size_t)ws->rows.n, sizeof *out->asked);
    out->reduced = phx_calloc(context, (size_t)ws->rows.n * PAIR_COLUMNS, sizeof *out->reduced);
    if (!list || !out->dropped || !out->before || !out->row || !out->end || !out->asked || !out->reduced) {
        phx_free(list);
        phx_sys_parallel_free(out);
        return PHX_ERR_MEMORY;
    }
    list_pairs(ws, list);
    for (int first = 0, end = 0, count = 0; first < ws->rows.n; first = end) {
        end = end_of_pair(list, ws->rows.n, first);
        if (end - first <= many || !is_rigid(system, list[first].a) || !is_rigid(system, list[first].b))
            continue;
        for (int k = first; k < end; k++)
            out->row[count++] = list[k].row;
        out->end[out->n_pairs++] = count;
    }
    phx_free(list);
    return PHX_OK;
}

void phx_sys_parallel_free(parallel_rows *parallel)
{
    phx_free(parallel->dropped);
    phx_free(parallel->before);
    phx_free(parallel->row);
    phx_free(parallel->end);
    phx_free(parallel->asked);
    phx_free(parallel->reduced);
    *parallel = (parallel_rows){0};
}

/* r <- r - (d . r) d of all rows, d of length one. */
static void parallel_rows_take_out(int n, double *rows, const double *d)
{
    for (int k = 0; k < n; k++) {
        double *r = rows + (size_t)k * PAIR_COLUMNS, along = 0.0;
        for (int c = 0; c < PAIR_COLUMNS; c++)
            along += d[c] * r[c];
        for (int c = 0; c < PAIR_COLUMNS; c++)
            r[c] -= along * d[c];
    }
}

static double length_of(const double *r)
{
    double square = 0.0;
    for (int c = 0; c < PAIR_COLUMNS; c++)
        square += r[c] * r[c];
    return sqrt(square);
}

/* Gram-Schmidt with pivoting on rows of length one, the longest remainder next; rows whose remainder is rounding are
 * dropped. */
static void parallel_rows_choose(int n, const int *row, double *rows, bool *dropped)
{
    const double ROUNDING = 1e-9;
    double direction[PAIR_COLUMNS];

    for (int rank = 0; rank < PAIR_COLUMNS; rank++) {
        double longest = ROUNDING;
        int next = -1;
        for (int k = 0; k < n; k++) {
            const double length = length_of(rows + (size_t)k * PAIR_COLUMNS);
            if (length > longest) {
                longest = length;
                next = k;
            }
        }
        if (next < 0)
            return;
        dropped[row[next]] = false;
        for (int c = 0; c < PAIR_COLUMNS; c++)
            direction[c] = rows[(size_t)next * PAIR_COLUMNS + c] / longest;
        parallel_rows_take_out(n, rows, direction);
        parallel_rows_take_out(n, rows, direction);
        memset(rows + (size_t)next * PAIR_COLUMNS, 0, sizeof direction);
    }
}

/* The row k of G at the two bodies, as ws->values.val has it: the velocities of the pair's first body, then of its
 * second. */
static void parallel_rows_gather(const workspace *ws, int k, double *r)
{
    const phx_system *system = ws->system;
    const kkt_matrix *kkt = &ws->kkt;
    const int each = system->dim + system->n_rot, i = kkt->n_v + k;
    const int a = system->ports[ws->rows.row[k].a].body, b = system->ports[ws->rows.row[k].b].body;
    const int low = a < b ? a : b, high = a < b ? b : a;
    const int v_low = low == PHX_GROUND ? -PAIR_COLUMNS : system->bodies[low].v, v_high = system->bodies[high].v;

    memset(r, 0, PAIR_COLUMNS * sizeof *r);
    for (int e = kkt->ptr[i]; e < kkt->ptr[i + 1]; e++) {
        const int column = kkt->idx[e];
        if (column >= v_low && column < v_low + each)
            r[column - v_low] = ws->values.val[e];
        else if (column >= v_high && column < v_high + each)
            r[each + column - v_high] = ws->values.val[e];
    }
}

/* Scales columns to length one, which removes the units, then the rows. */
static void equilibrate(int n, double *rows)
{
    for (int c = 0; c < PAIR_COLUMNS; c++) {
        double square = 0.0;
        for (int k = 0; k < n; k++)
            square += rows[(size_t)k * PAIR_COLUMNS + c] * rows[(size_t)k * PAIR_COLUMNS + c];
        for (int k = 0; k < n && square > 0.0; k++)
            rows[(size_t)k * PAIR_COLUMNS + c] /= sqrt(square);
    }
    for (int k = 0; k < n; k++) {
        double *r = rows + (size_t)k * PAIR_COLUMNS;
        const double length = length_of(r);
        for (int c = 0; c < PAIR_COLUMNS && length > 0.0; c++)
            r[c] /= length;
    }
}

/* Chooses for each such pair an independent set of its active rows with the full rank (on[k]) at the present
 * configuration and marks the others in `dropped`. Returns true if the set has changed. */
bool phx_sys_parallel_choose(const workspace *ws, const bool *on, parallel_rows *parallel)
{
    const size_t size = (size_t)ws->rows.n * sizeof *parallel->dropped;

    if (parallel->n_pairs == 0)
        return false;
    memcpy(parallel->before, parallel->dropped, size);
    for (int p = 0, first = 0; p < parallel->n_pairs; first = parallel->end[p++]) {
        int *asked = parallel->asked, n = 0;
        for (int i = first; i < parallel->end[p]; i++) {
            const int k = parallel->row[i];
            parallel->dropped[k] = on[k];
            if (on[k]) {
                parallel_rows_gather(ws, k, parallel->reduced + (size_t)n * PAIR_COLUMNS);
                asked[n++] = k;
            }
        }
        equilibrate(n, parallel->reduced);
        parallel_rows_choose(n, asked, parallel->reduced, parallel->dropped);
    }
    return memcmp(parallel->before, parallel->dropped, size) != 0;
}

bool phx_sys_dropped(const workspace *ws, int unknown)
{
    const int row = unknown - ws->kkt.n_v;
    return row >= 0 && ws->parallel.dropped && ws->parallel.dropped[row];
}
