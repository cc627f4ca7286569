/* L D L^T of symmetric positive definite matrices of small dense blocks. For each block column j in the order of
 * elimination
 *
 *     P_j = S_jj^-1 ,   L_ij = S_ij P_j ,   S_ik <- S_ik - L_ij S_kj^T   (i >= k > j) ,
 *
 * so that a solution has no triangular blocks to wait for. Columns that do not wait for each other stand side by side
 * in the order: a processor works on the branches of the elimination tree at once. */
#include <math.h>
#include <string.h>

#include "internal.h"

/* A pivot below that times its diagonal has lost too many digits. Joints that lock 100 links to each other leave more.
 */
static const double LEAST_PIVOT = 1e-7;
/* From so many blocks on the elimination is given branches. */
enum { BALANCE_BLOCKS = 8 };

/* A column: its unknowns in a right-hand side, the block on its diagonal, the blocks below. Those are transposed: a row
 * for each unknown of the column. */
typedef struct column {
    int x, size, diagonal;
    int first, end; /* in row, at and to */
    int target;     /* first in target */
    int run;        /* so many columns from here on have as many unknowns, and so have their blocks below; 0: not */
} column;

struct phx_block_ldl {
    phx_context *context;
    int n, n_unknowns;  /* blocks, unknowns */
    int *rank, *start;  /* per block: when it is eliminated, its first unknown (n + 1) */
    int *block_of;      /* per unknown */
    column *columns;    /* by rank */
    int *row, *at, *to; /* blocks below: rank, place, first unknown */
    int *target;        /* places where the pairs a >= b of blocks below meet */
    int n_rows, cap_rows;
    int n_fill, *fill; /* places and lengths of the blocks below that the pattern lacks */
    size_t entries;
    double *val, *scale; /* scale: the diagonal before the elimination */
    double *below;       /* L of one column */
    double least;        /* the pivot that is too small, of its diagonal */
    double work;
};

/* ---- pattern ---- */
static phx_status block_ldl_add_row(phx_block_ldl *it, int rank)
{
    if (it->n_rows == it->cap_rows) {
        const int wider = 2 * it->cap_rows;
        int *rows = phx_realloc(it->context, it->row, (size_t)wider, sizeof *rows);
        if (!rows)
            return PHX_ERR_MEMORY;
        it->row = rows;
        it->cap_rows = wider;
    }
    it->row[it->n_rows++] = rank;
    return PHX_OK;
}

/* The blocks below column k: those of the pattern, and what the columns pass on whose first block below it is. */
static phx_status collect_column(phx_block_ldl *it, int k, int block, const int *ptr, const int *idx, int *mark,
                                 const int *head, const int *next)
{
    column *own = &it->columns[k];
    phx_status status = PHX_OK;

    own->first = it->n_rows;
    mark[k] = k;
    for (int e = ptr[block]; e < ptr[block + 1] && !status; e++) {
        const int r = it->rank[idx[e]];
        if (r > k && mark[r] != k) {
            mark[r] = k;
            status = block_ldl_add_row(it, r);
        }
    }
    for (int child = head[k]; child >= 0; child = next[child])
        for (int e = it->columns[child].first; e < it->columns[child].end && !status; e++)
            if (mark[it->row[e]] != k) {
                mark[it->row[e]] = k;
                status = block_ldl_add_row(it, it->row[e]);
            }
    own->end = it->n_rows;
    phx_int_sort(own->end - own->first, it->row + own->first);
    return status;
}

/* Multiplications of column k. */
static double column_work(const phx_block_ldl *it, int k)
{
    const column *own = &it->columns[k];
    const double m = own->size;
    double rest = 0.0;

    for (int e = own->first; e < own->end; e++)
        rest += it->columns[it->row[e]].size;
    return m * m * m + rest * m * m + 0.5 * rest * rest * m;
}

/* All columns in the order given, as long as their work is within `most`; height: of each in the elimination tree.
 * room: 3 n. */
static phx_status block_ldl_collect(phx_block_ldl *it, const int *size, const int *ptr, const int *idx,
                                    const int *order, double most, int *height, int *room)
{
    int *mark = room, *head = room + it->n, *next = head + it->n;
    phx_status status = PHX_OK;

    it->n_rows = 0;
    it->work = 0.0;
    for (int k = 0; k < it->n; k++) {
        it->rank[order[k]] = k;
        it->columns[k] = (column){.x = it->start[order[k]], .size = size[order[k]]};
        mark[k] = head[k] = -1;
        height[k] = 0;
    }
    for (int k = 0; k < it->n && !status && it->work <= most; k++) {
        status = collect_column(it, k, order[k], ptr, idx, mark, head, next);
        it->work += column_work(it, k);
        if (it->columns[k].end == it->columns[k].first)
            continue;
        const int parent = it->row[it->columns[k].first];
        next[k] = head[parent];
        head[parent] = k;
        height[parent] = height[k] + 1 > height[parent] ? height[k] + 1 : height[parent];
    }
    return status;
}

/* By height, in a row what is as high. room: n + 1. */
static void sort_by_height(int n, const int *height, const int *order, int *room, int *sorted)
{
    memset(room, 0, ((size_t)n + 1) * sizeof *room);
    for (int k = 0; k < n; k++)
        room[height[k] + 1]++;
    for (int h = 0; h < n; h++)
        room[h + 1] += room[h];
    for (int k = 0; k < n; k++)
        sorted[room[height[k]]++] = order[k];
}

/* Finds an elimination order of the blocks: minimum degree, balanced, then sorted by height so that independent columns
 * stand together. The structure is only counted if it costs more than `most`. */
static phx_status make_order(phx_block_ldl *it, const int *size, const int *ptr, const int *idx, double most)
{
    const size_t n = (size_t)it->n;
    int *order = phx_calloc(it->context, 6 * n + 1, sizeof *order);

    if (!order)
        return PHX_ERR_MEMORY;
    int *height = order + n, *sorted = height + n;
    phx_status status = phx_order_amd(it->context, it->n, ptr, idx, order);
    if (!status && it->n >= BALANCE_BLOCKS)
        status = phx_order_balance(it->context, it->n, ptr, idx, NULL, order);
    if (!status)
        status = block_ldl_collect(it, size, ptr, idx, order, most, height, sorted + n);
    if (!status && it->work <= most) {
        sort_by_height(it->n, height, order, sorted + n, sorted);
        status = block_ldl_collect(it, size, ptr, idx, sorted, HUGE_VAL, height, sorted + n);
    }
    phx_free(order);
    return status;
}

/* ---- places ---- */
/* The place of the block (row, col), ranks, row > col; the columns have theirs. */
static int place_below(const phx_block_ldl *it, int row, int col)
{
    int low = it->columns[col].first, high = it->columns[col].end;

    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (it->row[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return it->at[low];
}

static bool has(const int *ptr, const int *idx, int a, int b)
{
    for (int e = ptr[a]; e < ptr[a + 1]; e++)
        if (idx[e] == b)
            return true;
    return false;
}

/* Lays out the values of all blocks and lists the fill blocks, which have no entry in the matrix and must be zeroed. */
static phx_status block_ldl_lay_out(phx_block_ldl *it, const int *ptr, const int *idx)
{
    int *order = phx_calloc(it->context, (size_t)it->n, sizeof *order), widest = 0, n_targets = 0;

    it->at = phx_calloc(it->context, (size_t)it->n_rows, sizeof *it->at);
    it->to = phx_calloc(it->context, (size_t)it->n_rows, sizeof *it->to);
    it->fill = phx_calloc(it->context, 2 * (size_t)it->n_rows, sizeof *it->fill);
    if (!order || !it->at || !it->to || !it->fill) {
        phx_free(order);
        return PHX_ERR_MEMORY;
    }
    for (int b = 0; b < it->n; b++)
        order[it->rank[b]] = b;
    for (int k = 0; k < it->n; k++) {
        column *own = &it->columns[k];
        const int count = own->end - own->first;
        int below = 0;
        own->diagonal = (int)it->entries;
        own->target = n_targets;
        n_targets += count * (count + 1) / 2;
        it->entries += (size_t)(own->size * own->size);
        for (int e = own->first; e < own->end; e++) {
            const int length = own->size * it->columns[it->row[e]].size;
            it->at[e] = (int)it->entries;
            it->to[e] = it->columns[it->row[e]].x;
            it->entries += (size_t)length;
            below += length;
            if (!has(ptr, idx, order[k], order[it->row[e]])) {
                it->fill[2 * it->n_fill] = it->at[e];
                it->fill[2 * it->n_fill++ + 1] = length;
            }
        }
        widest = below > widest ? below : widest;
    }
    phx_free(order);
    it->target = phx_calloc(it->context, (size_t)n_targets, sizeof *it->target);
    it->val = phx_calloc(it->context, it->entries, sizeof *it->val);
    it->below = phx_calloc(it->context, (size_t)widest, sizeof *it->below);
    it->scale = phx_calloc(it->context, (size_t)it->n_unknowns, sizeof *it->scale);
    return it->target && it->val && it->below && it->scale ? PHX_OK : PHX_ERR_MEMORY;
}

/* Columns in a row with one size of blocks; 0: they are of several. */
static void find_runs(phx_block_ldl *it)
{
    for (int k = it->n; k-- > 0;) {
        column *own = &it->columns[k];
        const column *next = own + 1;
        bool alike = true;
        for (int e = own->first; e < own->end; e++)
            alike = alike && it->columns[it->row[e]].size == own->size;
        own->run = !alike ? 0 : k + 1 < it->n && next->run > 0 && next->size == own->size ? next->run + 1 : 1;
    }
}

static void find_targets(phx_block_ldl *it)
{
    for (int k = 0; k < it->n; k++) {
        const column *own = &it->columns[k];
        int *target = it->target + own->target;
        for (int a = own->first; a < own->end; a++)
            for (int b = own->first; b <= a; b++)
                *target++ = a == b ? it->columns[it->row[a]].diagonal : place_below(it, it->row[a], it->row[b]);
    }
}

/* Symbolic analysis of a symmetric matrix of n dense blocks. *out is NULL with PHX_OK if the factorisation would take
 * more than `most` operations. */
phx_status phx_block_ldl_create(phx_context *context, int n, const int *size, const int *ptr, const int *idx,
                                double most, phx_block_ldl **out)
{
    if (!out || (n > 0 && (!size || !ptr || !idx)))
        return phx_fail_null(context, __func__, "size, ptr, idx or ldl");
    phx_block_ldl *it = phx_calloc(context, 1, sizeof *it);
    phx_status status = it ? PHX_OK : PHX_ERR_MEMORY;

    *out = NULL;
    if (status)
        return status;
    it->context = context;
    it->n = n;
    it->rank = phx_calloc(context, (size_t)n, sizeof *it->rank);
    it->start = phx_calloc(context, (size_t)n + 1, sizeof *it->start);
    it->columns = phx_calloc(context, (size_t)n, sizeof *it->columns);
    it->cap_rows = 2 * n + 1;
    it->row = phx_calloc(context, (size_t)it->cap_rows, sizeof *it->row);
    if (!it->rank || !it->start || !it->columns || !it->row)
        status = PHX_ERR_MEMORY;
    for (int b = 0; b < n && !status; b++)
        it->start[b + 1] = it->start[b] + size[b];
    it->n_unknowns = status ? 0 : it->start[n];
    it->block_of = phx_calloc(context, (size_t)it->n_unknowns, sizeof *it->block_of);
    if (!it->block_of)
        status = PHX_ERR_MEMORY;
    for (int b = 0; b < n && !status; b++)
        for (int u = it->start[b]; u < it->start[b + 1]; u++)
            it->block_of[u] = b;
    if (!status)
        status = make_order(it, size, ptr, idx, most);
    const bool costly = !status && !(it->work <= most);
    if (!status && !costly)
        status = block_ldl_lay_out(it, ptr, idx);
    if (!status && !costly) {
        find_targets(it);
        find_runs(it);
    }
    if (status || costly)
        phx_block_ldl_destroy(it);
    else
        *out = it;
    return status;
}

void phx_block_ldl_destroy(phx_block_ldl *it)
{
    if (!it)
        return;
    int *indices[] = {it->rank, it->start, it->block_of, it->row, it->at, it->to, it->target, it->fill};
    for (size_t k = 0; k < sizeof indices / sizeof *indices; k++)
        phx_free(indices[k]);
    phx_free(it->columns);
    phx_free(it->val);
    phx_free(it->scale);
    phx_free(it->below);
    phx_free(it);
}

double phx_block_ldl_work(const phx_block_ldl *it)
{
    return it->work;
}

int phx_block_ldl_place(const phx_block_ldl *it, int row, int col)
{
    const int r = it->rank[it->block_of[row]], c = it->rank[it->block_of[col]];
    const bool upper = r < c;
    const column *down = &it->columns[upper ? c : r], *across = &it->columns[upper ? r : c];
    const int i = (upper ? col : row) - down->x, j = (upper ? row : col) - across->x;

    if (r == c)
        return across->diagonal + (i > j ? i * across->size + j : j * across->size + i);
    return place_below(it, upper ? c : r, upper ? r : c) + j * down->size + i;
}

double *phx_block_ldl_begin(phx_block_ldl *it)
{
    for (int k = 0; k < it->n_fill; k++)
        memset(it->val + it->fill[2 * k], 0, (size_t)it->fill[2 * k + 1] * sizeof *it->val);
    return it->val;
}

size_t phx_block_ldl_entries(const phx_block_ldl *it)
{
    return it->entries;
}

/* WORK(m, ...) with the unknowns of a run's columns and of all blocks below them, 0 where they differ; common sizes are
 * constants for the compiler. */
#define OF_SIZE(m, WORK, ...)                                                                                          \
    ((m) == 2   ? WORK(2, __VA_ARGS__)                                                                                 \
     : (m) == 3 ? WORK(3, __VA_ARGS__)                                                                                 \
     : (m) == 5 ? WORK(5, __VA_ARGS__)                                                                                 \
                : WORK(0, __VA_ARGS__))

static inline int size_of_run(const column *first)
{
    return first->run > 0 ? first->size : 0;
}

/* ---- factor ---- */
/* P = S^-1 in place, of a lower triangle: S = L D L^T, P = L^-T D^-1 L^-1. */
static inline bool invert_any(const int m, const double least, const double *scale, double *S)
{
    double inverse[PHX_BLOCK_MOST];
    bool good = true;

    for (int j = 0; j < m; j++) { /* unit L below the diagonal */
        const double pivot = S[j * m + j];
        good = good && pivot > least * scale[j];
        inverse[j] = 1.0 / pivot;
        for (int i = j + 1; i < m; i++) {
            const double l = S[i * m + j] * inverse[j];
            for (int k = j + 1; k <= i; k++)
                S[i * m + k] -= l * S[k * m + j];
        }
        for (int i = j + 1; i < m; i++)
            S[i * m + j] *= inverse[j];
    }
    for (int j = 0; j < m; j++) /* L^-1 */
        for (int i = j + 1; i < m; i++) {
            double sum = -S[i * m + j];
            for (int k = j + 1; k < i; k++)
                sum -= S[i * m + k] * S[k * m + j];
            S[i * m + j] = sum;
        }
    for (int j = 0; j < m; j++)
        for (int i = j; i < m; i++) {
            double sum = i == j ? inverse[i] : inverse[i] * S[i * m + j];
            for (int k = i + 1; k < m; k++)
                sum += S[k * m + i] * inverse[k] * S[k * m + j];
            S[j * m + i] = sum;
        }
    for (int j = 0; j < m; j++)
        for (int i = j + 1; i < m; i++)
            S[i * m + j] = S[j * m + i];
    return good;
}

/* By cofactors: the pivots are ratios of leading minors. */
static inline bool block_ldl_invert(const int m, const double least, const double *scale, double *S)
{
    if (m != 2 && m != 3)
        return invert_any(m, least, scale, S);
    const double a = S[0], b = S[m], d = S[m + 1], minor = a * d - b * b;
    const bool good = a > least * scale[0] && minor > least * scale[1] * a;
    if (m == 2) {
        const double over = 1.0 / minor;
        S[0] = d * over;
        S[1] = S[2] = -b * over;
        S[3] = a * over;
        return good;
    }
    const double c = S[6], e = S[7], f = S[8];
    const double on_a = d * f - e * e, on_b = c * e - b * f, on_c = b * e - c * d;
    const double whole = a * on_a + b * on_b + c * on_c, over = 1.0 / whole;
    S[0] = on_a * over;
    S[1] = S[3] = on_b * over;
    S[2] = S[6] = on_c * over;
    S[4] = (a * f - c * c) * over;
    S[5] = S[7] = (b * c - a * e) * over;
    S[8] = minor * over;
    return good && whole > least * scale[2] * minor;
}

/* T -= S^T L of two blocks below, S (m x rows), L (m x cols); of a diagonal block the lower triangle. */
static inline void block_ldl_subtract(const int m, int rows, int cols, const bool diagonal, const double *S,
                                      const double *L, double *T)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < (diagonal ? i + 1 : cols); j++) {
            double sum = S[i] * L[j];
            for (int c = 1; c < m; c++)
                sum += S[c * rows + i] * L[c * cols + j];
            T[i * cols + j] -= sum;
        }
}

/* L^T = P S^T, m x n */
static inline void block_ldl_spread(const int m, int n, const double *P, const double *S, double *L)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = P[i * m] * S[j];
            for (int c = 1; c < m; c++)
                sum += P[i * m + c] * S[c * n + j];
            L[i * n + j] = sum;
        }
}

/* Column k; `rows`: of all its blocks, 0: each has its own. */
static inline bool block_ldl_eliminate(const int m, const int rows, const phx_block_ldl *it, const column *own)
{
    const int *target = it->target + own->target;
    double *P = it->val + own->diagonal, *L = it->below;
    const bool good = block_ldl_invert(m, it->least, it->scale + own->x, P);

    for (int a = own->first; a < own->end; a++) {
        const double *S = it->val + it->at[a];
        const int n = rows ? rows : it->columns[it->row[a]].size;
        block_ldl_spread(m, n, P, S, L);
        for (int b = own->first; b < a; b++)
            block_ldl_subtract(m, rows ? rows : it->columns[it->row[b]].size, n, false, it->val + it->at[b], L,
                               it->val + *target++);
        block_ldl_subtract(m, n, n, true, S, L, it->val + *target++);
        L += n * m;
    }
    L = it->below;
    for (int a = own->first; a < own->end; a++) {
        const int length = m * (rows ? rows : it->columns[it->row[a]].size);
        double *to = it->val + it->at[a];
        for (int e = 0; e < length; e++)
            to[e] = L[e];
        L += length;
    }
    return good;
}

/* The columns from `first` to before `end`; m: their unknowns and those of all blocks below, 0: anything. */
static inline bool eliminate_run(const int m, const phx_block_ldl *it, const column *first, const column *end)
{
    bool good = true;

    for (const column *own = first; own < end && good; own++)
        good = block_ldl_eliminate(m ? m : own->size, m, it, own);
    return good;
}

static inline void note_diagonal(const int m, const phx_block_ldl *it, const column *first, const column *end)
{
    for (const column *own = first; own < end; own++) {
        const int n = m ? m : own->size;
        for (int i = 0; i < n; i++)
            it->scale[own->x + i] = it->val[own->diagonal + i * (n + 1)];
    }
}

/* Factors the values that have been put in; PHX_SINGULAR if a pivot block is not positive definite. */
static phx_status block_ldl_factor(phx_block_ldl *it)
{
    if (!it)
        return phx_fail_null(NULL, __func__, "ldl");
    const column *own = it->columns, *last = own + it->n;
    bool good = true;

    for (const column *end; own < last; own = end) {
        end = own + (own->run > 0 ? own->run : 1);
        OF_SIZE(size_of_run(own), note_diagonal, it, own, end);
    }
    own = it->columns;
    for (const column *end; own < last && good; own = end) {
        end = own + (own->run > 0 ? own->run : 1);
        good = OF_SIZE(size_of_run(own), eliminate_run, it, own, end);
    }
    return good ? PHX_OK : PHX_SINGULAR;
}

phx_status phx_block_ldl_factor(phx_block_ldl *it)
{
    if (!it)
        return phx_fail_null(NULL, __func__, "ldl");
    it->least = LEAST_PIVOT;
    return block_ldl_factor(it);
}

double phx_block_ldl_least_pivot(phx_block_ldl *it)
{
    double largest = 1.0; /* (S^-1)_ii S_ii within a block */

    it->least = 0.0;
    if (block_ldl_factor(it) != PHX_OK)
        return 0.0;
    for (const column *own = it->columns; own < it->columns + it->n; own++)
        for (int i = 0; i < own->size; i++)
            largest = fmax(largest, it->val[own->diagonal + i * (own->size + 1)] * it->scale[own->x + i]);
    return 1.0 / largest;
}

/* ---- solve ---- */
static inline void forward(const int m, const int rows, const phx_block_ldl *it, const column *own, double *x)
{
    const double *from = x + own->x;

    for (int a = own->first; a < own->end; a++) {
        const double *L = it->val + it->at[a];
        double *to = x + it->to[a];
        const int n = rows ? rows : it->columns[it->row[a]].size;
        for (int i = 0; i < n; i++) {
            double sum = L[i] * from[0];
            for (int c = 1; c < m; c++)
                sum += L[c * n + i] * from[c];
            to[i] -= sum;
        }
    }
}

/* Backward substitution of one block column: x_j = P_j x_j - sum L_ij^T x_i, m its size and rows that of all blocks
 * below (0: they differ). */
static inline void backward(const int m, const int rows, const phx_block_ldl *it, const column *own, double *x)
{
    const double *P = it->val + own->diagonal;
    double sum[PHX_BLOCK_MOST], *to = x + own->x;

    for (int i = 0; i < m; i++) {
        sum[i] = P[i * m] * to[0];
        for (int c = 1; c < m; c++)
            sum[i] += P[i * m + c] * to[c];
    }
    for (int a = own->first; a < own->end; a++) {
        const double *L = it->val + it->at[a], *from = x + it->to[a];
        const int n = rows ? rows : it->columns[it->row[a]].size;
        for (int i = 0; i < m; i++)
            for (int c = 0; c < n; c++)
                sum[i] -= L[i * n + c] * from[c];
    }
    for (int i = 0; i < m; i++)
        to[i] = sum[i];
}

static inline void forward_run(const int m, const phx_block_ldl *it, const column *first, const column *end, double *x)
{
    for (const column *own = first; own < end; own++)
        forward(m ? m : own->size, m, it, own, x);
}

/* From the last one to the first. */
static inline void backward_run(const int m, const phx_block_ldl *it, const column *first, const column *end, double *x)
{
    for (const column *own = end; own-- > first;)
        backward(m ? m : own->size, m, it, own, x);
}

/* Solves S x = b in place with the factors, forward and backward by runs of equal columns. */
void phx_block_ldl_solve(const phx_block_ldl *it, double *x)
{
    const column *own = it->columns, *last = own + it->n;

    for (const column *end; own < last; own = end) {
        end = own + (own->run > 0 ? own->run : 1);
        OF_SIZE(size_of_run(own), forward_run, it, own, end, x);
    }
    for (const column *end = last; end > it->columns; end = own) {
        own = end - 1;
        while (own->run > 0 && own > it->columns && own[-1].run > 1)
            own--;
        OF_SIZE(size_of_run(own), backward_run, it, own, end, x);
    }
}
