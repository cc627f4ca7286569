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

static void append(const phx_csr *a, int row, int col, bool transposed, entry_list *list)
{
    for (int i = 0; i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            list->row[list->count] = row + (transposed ? a->idx[k] : i);
            list->col[list->count++] = col + (transposed ? i : a->idx[k]);
        }
}

static phx_status make_pattern(phx_context *context, const phx_csr *M, const phx_csr *D, const phx_csr *K,
                               const phx_csr *G, phx_csr *pattern)
{
    const int n = M->rows, size = n + G->rows;
    const size_t total = (size_t)entries(M) + (size_t)entries(D) + (size_t)entries(K) + 2 * (size_t)entries(G);
    entry_list list = {.row = phx_calloc(context, total, sizeof(int)),
                       .col = phx_calloc(context, total, sizeof(int)),
                       .val = phx_calloc(context, total, sizeof(double))};
    phx_status status = PHX_ERR_MEMORY;
    if (list.row && list.col && list.val) {
        append(M, 0, 0, false, &list);
        append(D, 0, 0, false, &list);
        append(K, 0, 0, false, &list);
        append(G, n, 0, false, &list);
        append(G, 0, n, true, &list);
        status = phx_csr_from_triplets(context, size, size, list.count, list.row, list.col, list.val, pattern);
    }
    phx_free(list.row);
    phx_free(list.col);
    phx_free(list.val);
    return status;
}

/* Place of every entry of `a`, shifted to (row, col), in the pattern. */
static phx_status locate(phx_context *context, const phx_csr *pattern, const phx_csr *a, int row, int col,
                         bool transposed, int **places)
{
    int *at = phx_calloc(context, (size_t)entries(a), sizeof *at);
    phx_free(*places);
    *places = at;
    if (!at)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            at[k] = transposed ? phx_csr_find(pattern, row + a->idx[k], col + i)
                               : phx_csr_find(pattern, row + i, col + a->idx[k]);
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
static phx_status analyse(phx_context *context, const int *order, bool is_complex, phx_kkt *kkt)
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

phx_status phx_kkt_prepare(phx_context *context, const phx_csr *M, const phx_csr *D, const phx_csr *K, const phx_csr *G,
                           const int *order, bool is_complex, phx_kkt *kkt)
{
    phx_csr pattern = {0};
    phx_status status = make_pattern(context, M, D, K, G, &pattern);
    if (status)
        return status;
    if (kkt->lu && same_pattern(&pattern, &kkt->pattern) && same_order(order, kkt->order, pattern.rows)) {
        phx_csr_free(&pattern);
        phx_lu_forget(kkt->lu); /* otherwise the modes would depend, by rounding, on the problem solved before */
    } else {
        phx_kkt_free(kkt);
        kkt->pattern = pattern;
        status = analyse(context, order, is_complex, kkt);
    }
    kkt->n = M->rows;
    kkt->m = G->rows;
    if (!status)
        status = locate(context, &kkt->pattern, M, 0, 0, false, &kkt->at_m);
    if (!status)
        status = locate(context, &kkt->pattern, D, 0, 0, false, &kkt->at_d);
    if (!status)
        status = locate(context, &kkt->pattern, K, 0, 0, false, &kkt->at_k);
    if (!status)
        status = locate(context, &kkt->pattern, G, kkt->n, 0, false, &kkt->at_g);
    if (!status)
        status = locate(context, &kkt->pattern, G, 0, kkt->n, true, &kkt->at_gt);
    if (status)
        phx_kkt_free(kkt);
    return status;
}

/* ---- values ---- */
static void add(phx_kkt *kkt, const phx_csr *a, const int *places, double complex factor)
{
    for (int k = 0; k < entries(a); k++)
        if (kkt->is_complex) {
            kkt->values[2 * places[k]] += creal(factor) * a->val[k];
            kkt->values[2 * places[k] + 1] += cimag(factor) * a->val[k];
        } else {
            kkt->values[places[k]] += creal(factor) * a->val[k];
        }
}

static void begin(phx_kkt *kkt, const phx_csr *K, const phx_csr *G)
{
    memset(kkt->values, 0, (size_t)entries(&kkt->pattern) * (kkt->is_complex ? 2 : 1) * sizeof *kkt->values);
    add(kkt, K, kkt->at_k, 1.0);
    add(kkt, G, kkt->at_g, 1.0);
    add(kkt, G, kkt->at_gt, 1.0);
}

phx_status phx_kkt_factor_shifted(phx_kkt *kkt, const phx_csr *M, const phx_csr *K, const phx_csr *G, double sigma)
{
    begin(kkt, K, G);
    add(kkt, M, kkt->at_m, -sigma);
    return phx_lu_factor(kkt->lu, kkt->values, NULL);
}

phx_status phx_kkt_factor_quadratic(phx_kkt *kkt, const phx_csr *M, const phx_csr *D, const phx_csr *K,
                                    const phx_csr *G, double complex lambda)
{
    begin(kkt, K, G);
    add(kkt, M, kkt->at_m, lambda * lambda);
    add(kkt, D, kkt->at_d, lambda);
    return phx_lu_factor(kkt->lu, kkt->values, NULL);
}
