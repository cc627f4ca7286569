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
static phx_status block_ldl_add_row(phx_block_ldl *ldl, int rank)
{
    if (ldl->n_rows == ldl->cap_rows) {
        const int wider = 2 * ldl->cap_rows;
        int *rows = phx_realloc(ldl->context, ldl->row, (size_t)wider, sizeof *rows);
        if (!rows)
            return PHX_ERR_MEMORY;
        ldl->row = rows;
        ldl->cap_rows = wider;
    }
    ldl->row[ldl->n_rows++] = rank;
    return PHX_OK;
}

/* The blocks below column k: those of the pattern, and what the columns pass on whose first block below it is. */
static phx_status collect_column(phx_block_ldl *ldl, int k, int block, const int *ptr, const int *idx, int *mark,
                                 const int *head, const int *next)
{
    column *own = &ldl->columns[k];
    phx_status status = PHX_OK;

    own->first = ldl->n_rows;
    mark[k] = k;
    for (int e = ptr[block]; e < ptr[block + 1] && !status; e++) {
        const int r = ldl->rank[idx[e]];
        if (r > k && mark[r] != k) {
            mark[r] = k;
            status = block_ldl_add_row(ldl, r);
        }
    }
    for (int child = head[k]; child >= 0; child = next[child])
        for (int e = ldl->columns[child].first; e < ldl->columns[child].end && !status; e++)
            if (mark[ldl->row[e]] != k) {
                mark[ldl->row[e]] = k;
                status = block_ldl_add_row(ldl, ldl->row[e]);
            }
    own->end = ldl->n_rows;
    phx_int_sort(own->end - own->first, ldl->row + own->first);
    return status;
}

/* Multiplications of column k. */
static double column_work(const phx_block_ldl *ldl, int k)
{
    const column *own = &ldl->columns[k];
    const double m = own->size;
    double rest = 0.0;

    for (int e = own->first; e < own->end; e++)
        rest += ldl->columns[ldl->row[e]].size;
    return m * m * m + rest * m * m + 0.5 * rest * rest * m;
}

/* All columns in the order given, as long as their work is within `most`; height: of each in the elimination tree.
 * room: 3 n. */
static phx_status block_ldl_collect(phx_block_ldl *ldl, const int *size, const int *ptr, const int *idx,
                                    const int *order, double most, int *height, int *room)
{
    int *mark = room, *head = room + ldl->n, *next = head + ldl->n;
    phx_status status = PHX_OK;

    ldl->n_rows = 0;
    ldl->work = 0.0;
    for (int k = 0; k < ldl->n; k++) {
        ldl->rank[order[k]] = k;
        ldl->columns[k] = (column){.x = ldl->start[order[k]], .size = size[order[k]]};
        mark[k] = head[k] = -1;
        height[k] = 0;
    }
    for (int k = 0; k < ldl->n && !status && ldl->work <= most; k++) {
        status = collect_column(ldl, k, order[k], ptr, idx, mark, head, next);
        ldl->work += column_work(ldl, k);
        if (ldl->columns[k].end == ldl->columns[k].first)
            continue;
        const int parent = ldl->row[ldl->columns[k].first];
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
static phx_status make_order(phx_block_ldl *ldl, const int *size, const int *ptr, const int *idx, double most)
{
    const size_t n = (size_t)ldl->n;
    int *order = phx_calloc(ldl->context, 6 * n + 1, sizeof *order);

    if (!order)
        return PHX_ERR_MEMORY;
    int *height = order + n, *sorted = height + n;
    phx_status status = phx_order_amd(ldl->context, ldl->n, ptr, idx, order);
    if (!status && ldl->n >= BALANCE_BLOCKS)
        status = phx_order_balance(ldl->context, ldl->n, ptr, idx, NULL, order);
    if (!status)
        status = block_ldl_collect(ldl, size, ptr, idx, order, most, height, sorted + n);
    if (!status && ldl->work <= most) {
        sort_by_height(ldl->n, height, order, sorted + n, sorted);
        status = block_ldl_collect(ldl, size, ptr, idx, sorted, HUGE_VAL, height, sorted + n);
    }
    phx_free(order);
    return status;
}

/* ---- places ---- */
/* The place of the block (row, col), ranks, row > col; the columns have theirs. */
static int place_below(const phx_block_ldl *ldl, int row, int col)
{
    int low = ldl->columns[col].first, high = ldl->columns[col].end;

    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (ldl->row[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return ldl->at[low];
}

static bool has(const int *ptr, const int *idx, int a, int b)
{
    for (int e = ptr[a]; e < ptr[a + 1]; e++)
        if (idx[e] == b)
            return true;
    return false;
}

/* Places the blocks in `val`, in the order of elimination each column's diagonal block and then the blocks below it,
 * and lists those that fill-in makes: they have no entry in the matrix and are zeroed before each factorisation. Column
 * k updates the count (count + 1)/2 pairs of its blocks below the diagonal; the places of these products in `val` are
 * found later and stand in `target`, from `own->target` on. Allocates the arrays of the factorisation and the solution.
 */
static phx_status block_ldl_lay_out(phx_block_ldl *ldl, const int *ptr, const int *idx)
{
    int *order = phx_calloc(ldl->context, (size_t)ldl->n, sizeof *order), widest = 0, n_targets = 0;

    ldl->at = phx_calloc(ldl->context, (size_t)ldl->n_rows, sizeof *ldl->at);
    ldl->to = phx_calloc(ldl->context, (size_t)ldl->n_rows, sizeof *ldl->to);
    ldl->fill = phx_calloc(ldl->context, 2 * (size_t)ldl->n_rows, sizeof *ldl->fill);
    if (!order || !ldl->at || !ldl->to || !ldl->fill) {
        phx_free(order);
        return PHX_ERR_MEMORY;
    }
    for (int b = 0; b < ldl->n; b++)
        order[ldl->rank[b]] = b;
    for (int k = 0; k < ldl->n; k++) {
        column *own = &ldl->columns[k];
        const int count = own->end - own->first;
        int below = 0;
        own->diagonal = (int)ldl->entries;
        own->target = n_targets;
        n_targets += count * (count + 1) / 2;
        ldl->entries += (size_t)(own->size * own->size);
        for (int e = own->first; e < own->end; e++) {
            const int length = own->size * ldl->columns[ldl->row[e]].size;
            ldl->at[e] = (int)ldl->entries;
            ldl->to[e] = ldl->columns[ldl->row[e]].x;
            ldl->entries += (size_t)length;
            below += length;
            if (!has(ptr, idx, order[k], order[ldl->row[e]])) {
                ldl->fill[2 * ldl->n_fill] = ldl->at[e];
                ldl->fill[2 * ldl->n_fill++ + 1] = length;
            }
        }
        widest = below > widest ? below : widest;
    }
    phx_free(order);
    ldl->target = phx_calloc(ldl->context, (size_t)n_targets, sizeof *ldl->target);
    ldl->val = phx_calloc(ldl->context, ldl->entries, sizeof *ldl->val);
    ldl->below = phx_calloc(ldl->context, (size_t)widest, sizeof *ldl->below);
    ldl->scale = phx_calloc(ldl->context, (size_t)ldl->n_unknowns, sizeof *ldl->scale);
    return ldl->target && ldl->val && ldl->below && ldl->scale ? PHX_OK : PHX_ERR_MEMORY;
}

/* Columns in a row with one size of blocks; 0: they are of several. */
static void find_runs(phx_block_ldl *ldl)
{
    for (int k = ldl->n; k-- > 0;) {
        column *own = &ldl->columns[k];
        const column *next = own + 1;
        bool alike = true;
        for (int e = own->first; e < own->end; e++)
            alike = alike && ldl->columns[ldl->row[e]].size == own->size;
        own->run = !alike ? 0 : k + 1 < ldl->n && next->run > 0 && next->size == own->size ? next->run + 1 : 1;
    }
}

static void find_targets(phx_block_ldl *ldl)
{
    for (int k = 0; k < ldl->n; k++) {
        const column *own = &ldl->columns[k];
        int *target = ldl->target + own->target;
        for (int a = own->first; a < own->end; a++)
            for (int b = own->first; b <= a; b++)
                *target++ = a == b ? ldl->columns[ldl->row[a]].diagonal : place_below(ldl, ldl->row[a], ldl->row[b]);
    }
}

/* Symbolic analysis of a symmetric matrix of n dense blocks. *out is NULL with PHX_OK if the factorisation would take
 * more than `most` operations. */
phx_status phx_block_ldl_create(phx_context *context, int n, const int *size, const int *ptr, const int *idx,
                                double most, phx_block_ldl **out)
{
    if (!out || (n > 0 && (!size || !ptr || !idx)))
        return phx_fail_null(context, __func__, "size, ptr, idx or ldl");
    phx_block_ldl *ldl = phx_calloc(context, 1, sizeof *ldl);
    phx_status status = ldl ? PHX_OK : PHX_ERR_MEMORY;

    *out = NULL;
    if (status)
        return status;
    ldl->context = context;
    ldl->n = n;
    ldl->rank = phx_calloc(context, (size_t)n, sizeof *ldl->rank);
    ldl->start = phx_calloc(context, (size_t)n + 1, sizeof *ldl->start);
    ldl->columns = phx_calloc(context, (size_t)n, sizeof *ldl->columns);
    ldl->cap_rows = 2 * n + 1;
    ldl->row = phx_calloc(context, (size_t)ldl->cap_rows, sizeof *ldl->row);
    if (!ldl->rank || !ldl->start || !ldl->columns || !ldl->row)
        status = PHX_ERR_MEMORY;
    for (int b = 0; b < n && !status; b++)
        ldl->start[b + 1] = ldl->start[b] + size[b];
    ldl->n_unknowns = status ? 0 : ldl->start[n];
    ldl->block_of = phx_calloc(context, (size_t)ldl->n_unknowns, sizeof *ldl->block_of);
    if (!ldl->block_of)
        status = PHX_ERR_MEMORY;
    for (int b = 0; b < n && !status; b++)
        for (int u = ldl->start[b]; u < ldl->start[b + 1]; u++)
            ldl->block_of[u] = b;
    if (!status)
        status = make_order(ldl, size, ptr, idx, most);
    const bool costly = !status && !(ldl->work <= most);
    if (!status && !costly)
        status = block_ldl_lay_out(ldl, ptr, idx);
    if (!status && !costly) {
        find_targets(ldl);
        find_runs(ldl);
    }
    if (status || costly)
        phx_block_ldl_destroy(ldl);
    else
        *out = ldl;
    return status;
}

void phx_block_ldl_destroy(phx_block_ldl *ldl)
{
    if (!ldl)
        return;
    int *indices[] = {ldl->rank, ldl->start, ldl->block_of, ldl->row, ldl->at, ldl->to, ldl->target, ldl->fill};
    for (size_t k = 0; k < sizeof indices / sizeof *indices; k++)
        phx_free(indices[k]);
    phx_free(ldl->columns);
    phx_free(ldl->val);
    phx_free(ldl->scale);
    phx_free(ldl->below);
    phx_free(ldl);
}

double phx_block_ldl_work(const phx_block_ldl *ldl)
{
    return ldl->work;
}

int phx_block_ldl_place(const phx_block_ldl *ldl, int row, int col)
{
    const int r = ldl->rank[ldl->block_of[row]], c = ldl->rank[ldl->block_of[col]];
    const bool upper = r < c;
    const column *down = &ldl->columns[upper ? c : r], *across = &ldl->columns[upper ? r : c];
    const int i = (upper ? col : row) - down->x, j = (upper ? row : col) - across->x;

    if (r == c)
        return across->diagonal + (i > j ? i * across->size + j : j * across->size + i);
    return place_below(ldl, upper ? c : r, upper ? r : c) + j * down->size + i;
}

double *phx_block_ldl_begin(phx_block_ldl *ldl)
{
    for (int k = 0; k < ldl->n_fill; k++)
        memset(ldl->val + ldl->fill[2 * k], 0, (size_t)ldl->fill[2 * k + 1] * sizeof *ldl->val);
    return ldl->val;
}

size_t phx_block_ldl_entries(const phx_block_ldl *ldl)
{
    return ldl->entries;
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
static inline bool block_ldl_eliminate(const int m, const int rows, const phx_block_ldl *ldl, const column *own)
{
    const int *target = ldl->target + own->target;
    double *P = ldl->val + own->diagonal, *L = ldl->below;
    const bool good = block_ldl_invert(m, ldl->least, ldl->scale + own->x, P);

    for (int a = own->first; a < own->end; a++) {
        const double *S = ldl->val + ldl->at[a];
        const int n = rows ? rows : ldl->columns[ldl->row[a]].size;
        block_ldl_spread(m, n, P, S, L);
        for (int b = own->first; b < a; b++)
            block_ldl_subtract(m, rows ? rows : ldl->columns[ldl->row[b]].size, n, false, ldl->val + ldl->at[b], L,
                               ldl->val + *target++);
        block_ldl_subtract(m, n, n, true, S, L, ldl->val + *target++);
        L += n * m;
    }
    L = ldl->below;
    for (int a = own->first; a < own->end; a++) {
        const int length = m * (rows ? rows : ldl->columns[ldl->row[a]].size);
        double *to = ldl->val + ldl->at[a];
        for (int e = 0; e < length; e++)
            to[e] = L[e];
        L += length;
    }
    return good;
}

/* The columns from `first` to before `end`; m: their unknowns and those of all blocks below, 0: anything. */
static inline bool eliminate_run(const int m, const phx_block_ldl *ldl, const column *first, const column *end)
{
    bool good = true;

    for (const column *own = first; own < end && good; own++)
        good = block_ldl_eliminate(m ? m : own->size, m, ldl, own);
    return good;
}

static inline void note_diagonal(const int m, const phx_block_ldl *ldl, const column *first, const column *end)
{
    for (const column *own = first; own < end; own++) {
        const int n = m ? m : own->size;
        for (int i = 0; i < n; i++)
            ldl->scale[own->x + i] = ldl->val[own->diagonal + i * (n + 1)];
    }
}

/* Factors the values that have been put in; PHX_SINGULAR if a pivot block is not positive definite. */
static phx_status block_ldl_factor(phx_block_ldl *ldl)
{
    if (!ldl)
        return phx_fail_null(NULL, __func__, "ldl");
    const column *own = ldl->columns, *last = own + ldl->n;
    bool good = true;

    for (const column *end; own < last; own = end) {
        end = own + (own->run > 0 ? own->run : 1);
        OF_SIZE(size_of_run(own), note_diagonal, ldl, own, end);
    }
    own = ldl->columns;
    for (const column *end; own < last && good; own = end) {
        end = own + (own->run > 0 ? own->run : 1);
        good = OF_SIZE(size_of_run(own), eliminate_run, ldl, own, end);
    }
    return good ? PHX_OK : PHX_SINGULAR;
}

phx_status phx_block_ldl_factor(phx_block_ldl *ldl)
{
    if (!ldl)
        return phx_fail_null(NULL, __func__, "ldl");
    ldl->least = LEAST_PIVOT;
    return block_ldl_factor(ldl);
}

double phx_block_ldl_least_pivot(phx_block_ldl *ldl)
{
    double largest = 1.0; /* (S^-1)_ii S_ii within a block */

    ldl->least = 0.0;
    if (block_ldl_factor(ldl) != PHX_OK)
        return 0.0;
    for (const column *own = ldl->columns; own < ldl->columns + ldl->n; own++)
        for (int i = 0; i < own->size; i++)
            largest = fmax(largest, ldl->val[own->diagonal + i * (own->size + 1)] * ldl->scale[own->x + i]);
    return 1.0 / largest;
}

/* ---- solve ---- */
static inline void forward(const int m, const int rows, const phx_block_ldl *ldl, const column *own, double *x)
{
    const double *from = x + own->x;

    for (int a = own->first; a < own->end; a++) {
        const double *L = ldl->val + ldl->at[a];
        double *to = x + ldl->to[a];
        const int n = rows ? rows : ldl->columns[ldl->row[a]].size;
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
static inline void backward(const int m, const int rows, const phx_block_ldl *ldl, const column *own, double *x)
{
    const double *P = ldl->val + own->diagonal;
    double sum[PHX_BLOCK_MOST], *to = x + own->x;

    for (int i = 0; i < m; i++) {
        sum[i] = P[i * m] * to[0];
        for (int c = 1; c < m; c++)
            sum[i] += P[i * m + c] * to[c];
    }
    for (int a = own->first; a < own->end; a++) {
        const double *L = ldl->val + ldl->at[a], *from = x + ldl->to[a];
        const int n = rows ? rows : ldl->columns[ldl->row[a]].size;
        for (int i = 0; i < m; i++)
            for (int c = 0; c < n; c++)
                sum[i] -= L[i * n + c] * from[c];
    }
    for (int i = 0; i < m; i++)
        to[i] = sum[i];
}

static inline void forward_run(const int m, const phx_block_ldl *ldl, const column *first, const column *end, double *x)
{
    for (const column *own = first; own < end; own++)
        forward(m ? m : own->size, m, ldl, own, x);
}

/* From the last one to the first. */
static inline void backward_run(const int m, const phx_block_ldl *ldl, const column *first, const column *end,
                                double *x)
{
    for (const column *own = end; own-- > first;)
        backward(m ? m : own->size, m, ldl, own, x);
}

/* Solves S x = b in place with the factors, forward and backward by runs of equal columns. */
void phx_block_ldl_solve(const phx_block_ldl *ldl, double *x)
{
    const column *own = ldl->columns, *last = own + ldl->n;

    for (const column *end; own < last; own = end) {
        end = own + (own->run > 0 ? own->run : 1);
        OF_SIZE(size_of_run(own), forward_run, ldl, own, end, x);
    }
    for (const column *end = last; end > ldl->columns; end = own) {
        own = end - 1;
        while (own->run > 0 && own > ldl->columns && own[-1].run > 1)
            own--;
        OF_SIZE(size_of_run(own), backward_run, ldl, own, end, x);
    }
}
