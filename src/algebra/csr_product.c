/* Sums and products of compressed rows. */
#include <limits.h>

#include "internal.h"

/* Row i of the union of two patterns; with `sum` also alpha A + beta B. Returns the number of its entries. */
static int merge_row(int i, double alpha, const phx_csr *a, double beta, const phx_csr *b, int place, phx_csr *sum)
{
    int p = a->ptr[i], q = b->ptr[i], p_end = a->ptr[i + 1], q_end = b->ptr[i + 1], entries = 0;
    while (p < p_end || q < q_end) {
        int from_a = p < p_end && (q >= q_end || a->idx[p] <= b->idx[q]);
        int from_b = q < q_end && (p >= p_end || b->idx[q] <= a->idx[p]);
        if (sum) {
            sum->idx[place + entries] = from_a ? a->idx[p] : b->idx[q];
            sum->val[place + entries] = (from_a ? alpha * a->val[p] : 0.0) + (from_b ? beta * b->val[q] : 0.0);
        }
        p += from_a;
        q += from_b;
        entries++;
    }
    return entries;
}

/* sum = alpha a + beta b on the union of both patterns. */
phx_status phx_csr_add(phx_context *context, double alpha, const phx_csr *a, double beta, const phx_csr *b,
                       phx_csr *sum)
{
    if (!a || !a->ptr || !b || !b->ptr || !sum)
        return phx_fail_null(context, __func__, "a, b, a ptr of theirs or sum");
    *sum = (phx_csr){0};
    if (a->rows != b->rows || a->cols != b->cols)
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_csr_add: %d x %d and %d x %d do not fit", a->rows, a->cols,
                        b->rows, b->cols);
    size_t entries = 0;
    for (int i = 0; i < a->rows; i++)
        entries += (size_t)merge_row(i, alpha, a, beta, b, 0, NULL);
    phx_status status = phx_csr_allocate(context, a->rows, a->cols, entries, sum);
    if (status)
        return status;
    for (int i = 0; i < a->rows; i++)
        sum->ptr[i + 1] = sum->ptr[i] + merge_row(i, alpha, a, beta, b, sum->ptr[i], sum);
    return PHX_OK;
}

/* Number of entries of A B; mark has b->cols entries. */
static size_t count_product(const phx_csr *a, const phx_csr *b, int *mark)
{
    size_t entries = 0;
    for (int j = 0; j < b->cols; j++)
        mark[j] = -1;
    for (int i = 0; i < a->rows; i++) {
        for (int p = a->ptr[i]; p < a->ptr[i + 1]; p++) {
            int k = a->idx[p];
            for (int q = b->ptr[k]; q < b->ptr[k + 1]; q++) {
                if (mark[b->idx[q]] == i)
                    continue;
                mark[b->idx[q]] = i;
                entries++;
            }
        }
    }
    return entries;
}

/* Row i of A B is the sum of a_ik times row k of B; the columns come out in the order they are met. place[j] is where
 * column j stands in the product, or less than the row's start when it has not been met in this row. */
static void fill_product(const phx_csr *a, const phx_csr *b, int *place, phx_csr *product)
{
    for (int j = 0; j < b->cols; j++)
        place[j] = -1;
    int used = 0;
    for (int i = 0; i < a->rows; i++) {
        int start = used;
        for (int p = a->ptr[i]; p < a->ptr[i + 1]; p++) {
            int k = a->idx[p];
            for (int q = b->ptr[k]; q < b->ptr[k + 1]; q++) {
                int j = b->idx[q];
                if (place[j] < start) {
                    place[j] = used;
                    product->idx[used++] = j;
                }
                product->val[place[j]] += a->val[p] * b->val[q];
            }
        }
        product->ptr[i + 1] = used;
    }
}

/* product = a b with sorted columns; structural zeros of the product stay. */
phx_status phx_csr_multiply(phx_context *context, const phx_csr *a, const phx_csr *b, phx_csr *product)
{
    if (!a || !a->ptr || !b || !b->ptr || !product)
        return phx_fail_null(context, __func__, "a, b, a ptr of theirs or product");
    *product = (phx_csr){0};
    if (a->cols != b->rows)
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_csr_multiply: %d x %d times %d x %d does not fit", a->rows,
                        a->cols, b->rows, b->cols);
    phx_csr unsorted = {0}, transposed = {0};
    phx_status status = PHX_ERR_MEMORY;
    int *place = phx_calloc(context, (size_t)b->cols, sizeof(int));
    if (place)
        status = phx_csr_allocate(context, a->rows, b->cols, count_product(a, b, place), &unsorted);
    if (!status) {
        fill_product(a, b, place, &unsorted);
        /* Two transpositions sort the columns of every row in linear time. */
        status = phx_csr_transpose(context, &unsorted, &transposed);
    }
    if (!status)
        status = phx_csr_transpose(context, &transposed, product);
    phx_free(place);
    phx_csr_free(&unsorted);
    phx_csr_free(&transposed);
    return status;
}

/* product = left^T a right. */
phx_status phx_csr_congruence(phx_context *context, const phx_csr *left, const phx_csr *a, const phx_csr *right,
                              phx_csr *product)
{
    if (!left || !left->ptr || !a || !a->ptr || !right || !right->ptr || !product)
        return phx_fail_null(context, __func__, "left, a, right, a ptr of theirs or product");
    *product = (phx_csr){0};
    phx_csr left_T = {0}, a_right = {0};
    phx_status status = phx_csr_transpose(context, left, &left_T);
    if (!status)
        status = phx_csr_multiply(context, a, right, &a_right);
    if (!status)
        status = phx_csr_multiply(context, &left_T, &a_right, product);
    phx_csr_free(&left_T);
    phx_csr_free(&a_right);
    return status;
}
