/* Saddle-point matrices on a fixed pattern. */
#include <string.h>

#include "internal.h"

void phx_kkt_free(phx_kkt *kkt)
{
    phx_csr_free(&kkt->pattern);
    phx_free(kkt->at_m);
    phx_free(kkt->at_d);
    phx_free(kkt->at_k);
    phx_free(kkt->at_g);
    phx_free(kkt->at_gt);
    phx_free(kkt->order);
    phx_free(kkt->row);
    phx_free(kkt->values);
    phx_lu_destroy(kkt->lu);
    *kkt = (phx_kkt){0};
}

/* ---- pattern ---- */
typedef struct entry_list {
    size_t count;
    int *row, *col;
    double *val; /* zeros: only the pattern is used */
} entry_list;

static int entries(const phx_csr *a)
{
    return a->rows > 0 ? a->ptr[a->rows] : 0;
}

static void kkt_append(const phx_csr *a, int row, int col, bool transposed, entry_list *list)
{
    for (int i = 0; i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            list->row[list->count] = row + (transposed ? a->idx[k] : i);
            list->col[list->count++] = col + (transposed ? i : a->idx[k]);
        }
}

/* Pattern of [X G^T; G 0], X the union of the patterns of M, D and K. */
static phx_status kkt_make_pattern(phx_context *context, const phx_csr *M, const phx_csr *D, const phx_csr *K,
                                   const phx_csr *G, phx_csr *pattern)
{
    const int n = M->rows, size = n + G->rows;
    const size_t total = (size_t)entries(M) + (size_t)entries(D) + (size_t)entries(K) + 2 * (size_t)entries(G);
    entry_list list = {.row = phx_calloc(context, total, sizeof(int)),
                       .col = phx_calloc(context, total, sizeof(int)),
                       .val = phx_calloc(context, total, sizeof(double))};
    phx_status status = PHX_ERR_MEMORY;
    if (list.row && list.col && list.val) {
        kkt_append(M, 0, 0, false, &list);
        kkt_append(D, 0, 0, false, &list);
        kkt_append(K, 0, 0, false, &list);
        kkt_append(G, n, 0, false, &list);
        kkt_append(G, 0, n, true, &list);
        status = phx_csr_from_triplets(context, size, size, list.count, list.row, list.col, list.val, pattern);
    }
    phx_free(list.row);
    phx_free(list.col);
    phx_free(list.val);
    return status;
}

/* Where a row stands. */
static int row_of(const phx_kkt *kkt, int row)
{
    return kkt->row ? kkt->row[row] : row;
}

/* Place of every entry of `a`, shifted to (row, col), in the pattern. */
static phx_status kkt_locate(phx_context *context, const phx_kkt *kkt, const phx_csr *a, int row, int col,
                             bool transposed, int **places)
{
    const phx_csr *pattern = &kkt->pattern;
    int *at = phx_calloc(context, (size_t)entries(a), sizeof *at);
    phx_free(*places);
    *places = at;
    if (!at)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            at[k] = transposed ? phx_csr_find(pattern, row_of(kkt, row + a->idx[k]), col + i)
                               : phx_csr_find(pattern, row_of(kkt, row + i), col + a->idx[k]);
    return PHX_OK;
}

static bool same_order(const int *a, const int *b, int size)
{
    if (!a || !b)
        return a == b;
    return memcmp(a, b, (size_t)size * sizeof *a) == 0;
}

static bool same_pattern(const phx_csr *a, const phx_csr *b)
{
    return a->rows == b->rows && a->rows > 0 && entries(a) == entries(b) &&
           memcmp(a->ptr, b->ptr, ((size_t)a->rows + 1) * sizeof *a->ptr) == 0 &&
           memcmp(a->idx, b->idx, (size_t)entries(a) * sizeof *a->idx) == 0;
}

/* Symbolic factorisation and room for the values. */
static phx_status kkt_analyse(phx_context *context, const int *order, bool is_complex, phx_kkt *kkt)
{
    const int size = kkt->pattern.rows;
    kkt->is_complex = is_complex;
    if (order) {
        kkt->order = phx_calloc(context, (size_t)size, sizeof *kkt->order);
        if (!kkt->order)
            return PHX_ERR_MEMORY;
        memcpy(kkt->order, order, (size_t)size * sizeof *order);
    }
    kkt->values = phx_calloc(context, (size_t)entries(&kkt->pattern) * (is_complex ? 2 : 1), sizeof *kkt->values);
    if (!kkt->values)
        return PHX_ERR_MEMORY;
    return phx_lu_create(context, size, kkt->pattern.ptr, kkt->pattern.idx, order, is_complex, &kkt->lu);
}

static phx_status locate_all(phx_context *context, const phx_csr *M, const phx_csr *D, const phx_csr *K,
                             const phx_csr *G, phx_kkt *kkt)
{
    kkt->n = M->rows;
    kkt->m = G->rows;
    phx_status status = kkt_locate(context, kkt, M, 0, 0, false, &kkt->at_m);
    if (!status)
        status = kkt_locate(context, kkt, D, 0, 0, false, &kkt->at_d);
    if (!status)
        status = kkt_locate(context, kkt, K, 0, 0, false, &kkt->at_k);
    if (!status)
        status = kkt_locate(context, kkt, G, kkt->n, 0, false, &kkt->at_g);
    return status ? status : kkt_locate(context, kkt, G, 0, kkt->n, true, &kkt->at_gt);
}

/* Prepares a saddle-point matrix for factorisation. Pattern and symbolic analysis of the previous problem are reused if
 * they agree; after an error kkt is empty. */
phx_status phx_kkt_prepare(phx_context *context, const phx_csr *M, const phx_csr *D, const phx_csr *K, const phx_csr *G,
                           const int *order, bool is_complex, phx_kkt *kkt)
{
    phx_csr pattern = {0};
    phx_status status = kkt_make_pattern(context, M, D, K, G, &pattern);
    if (status)
        return status;
    if (kkt->lu && same_pattern(&pattern, &kkt->pattern) && same_order(order, kkt->order, pattern.rows)) {
        phx_csr_free(&pattern);
        phx_lu_forget(kkt->lu); /* otherwise the modes would depend, by rounding, on the problem solved before */
    } else {
        phx_kkt_free(kkt);
        kkt->pattern = pattern;
        status = kkt_analyse(context, order, is_complex, kkt);
    }
    if (!status)
        status = locate_all(context, M, D, K, G, kkt);
    if (status)
        phx_kkt_free(kkt);
    return status;
}

/* The rows of the pattern where `row` puts them. */
static phx_status move_rows(phx_context *context, const int *row, phx_csr *pattern)
{
    const int n = pattern->rows;
    phx_csr moved = {0};
    phx_status status = phx_csr_copy(context, pattern, &moved);

    if (status)
        return status;
    moved.ptr[0] = 0;
    for (int i = 0; i < n; i++)
        moved.ptr[row[i] + 1] = pattern->ptr[i + 1] - pattern->ptr[i];
    for (int i = 0; i < n; i++)
        moved.ptr[i + 1] += moved.ptr[i];
    for (int i = 0; i < n; i++)
        for (int k = pattern->ptr[i]; k < pattern->ptr[i + 1]; k++)
            moved.idx[moved.ptr[row[i]] + k - pattern->ptr[i]] = pattern->idx[k];
    phx_csr_free(pattern);
    *pattern = moved;
    return PHX_OK;
}

/* The same with rows exchanged so that each constraint row and a coordinate form a 2 x 2 pivot, for indefinite upper
 * blocks such as those at a frequency. */
phx_status phx_kkt_prepare_pairs(phx_context *context, const phx_csr *M, const phx_csr *D, const phx_csr *K,
                                 const phx_csr *G, bool is_complex, phx_kkt *kkt)
{
    const int n = M->rows, m = G->rows;
    int *partner = phx_calloc(context, (size_t)m + 1, sizeof *partner);
    int *order = phx_calloc(context, (size_t)(n + m) + 1, sizeof *order);
    phx_status status = partner && order ? PHX_OK : PHX_ERR_MEMORY;

    phx_kkt_free(kkt);
    kkt->row = phx_calloc(context, (size_t)(n + m) + 1, sizeof *kkt->row);
    if (!kkt->row)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = kkt_make_pattern(context, M, D, K, G, &kkt->pattern);
    if (!status)
        status = phx_pair_rows(context, K, G, partner);
    if (!status)
        status = phx_pair_order(context, &kkt->pattern, n, m, partner, order);
    for (int i = 0; i < n + m && !status; i++)
        kkt->row[i] = i;
    for (int i = 0; i < m && !status; i++)
        if (partner[i] >= 0) {
            kkt->row[n + i] = partner[i];
            kkt->row[partner[i]] = n + i;
        }
    if (!status)
        status = move_rows(context, kkt->row, &kkt->pattern);
    if (!status)
        status = kkt_analyse(context, order, is_complex, kkt);
    if (!status) {
        phx_lu_pivot_always(kkt->lu);
        status = locate_all(context, M, D, K, G, kkt);
    }
    phx_free(partner);
    phx_free(order);
    if (status)
        phx_kkt_free(kkt);
    return status;
}

/* ---- values ---- */
static void kkt_add(phx_kkt *kkt, const phx_csr *a, const int *places, double complex factor)
{
    for (int k = 0; k < entries(a); k++)
        if (kkt->is_complex) {
            kkt->values[2 * places[k]] += creal(factor) * a->val[k];
            kkt->values[2 * places[k] + 1] += cimag(factor) * a->val[k];
        } else {
            kkt->values[places[k]] += creal(factor) * a->val[k];
        }
}

static void kkt_begin(phx_kkt *kkt, const phx_csr *K, const phx_csr *G)
{
    memset(kkt->values, 0, (size_t)entries(&kkt->pattern) * (kkt->is_complex ? 2 : 1) * sizeof *kkt->values);
    kkt_add(kkt, K, kkt->at_k, 1.0);
    kkt_add(kkt, G, kkt->at_g, 1.0);
    kkt_add(kkt, G, kkt->at_gt, 1.0);
}

phx_status phx_kkt_factor_shifted(phx_kkt *kkt, const phx_csr *M, const phx_csr *K, const phx_csr *G, double sigma)
{
    kkt_begin(kkt, K, G);
    kkt_add(kkt, M, kkt->at_m, -sigma);
    return phx_lu_factor(kkt->lu, kkt->values, NULL);
}

phx_status phx_kkt_factor_quadratic(phx_kkt *kkt, const phx_csr *M, const phx_csr *D, const phx_csr *K,
                                    const phx_csr *G, double complex lambda)
{
    kkt_begin(kkt, K, G);
    kkt_add(kkt, M, kkt->at_m, lambda * lambda);
    kkt_add(kkt, D, kkt->at_d, lambda);
    return phx_lu_factor(kkt->lu, kkt->values, NULL);
}
