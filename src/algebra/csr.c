/* Compressed rows: creation, transposition, application. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "internal.h"

phx_status phx_csr_allocate(phx_context *context, int rows, int cols, size_t entries, phx_csr *matrix)
{
    *matrix = (phx_csr){.rows = rows, .cols = cols};
    if (entries > INT_MAX)
        return phx_fail(context, PHX_ERR_ARGUMENT, "a sparse matrix of %zu entries; at most %d can be counted", entries,
                        INT_MAX);
    matrix->ptr = phx_calloc(context, (size_t)rows + 1, sizeof(int));
    matrix->idx = phx_calloc(context, entries, sizeof(int));
    matrix->val = phx_calloc(context, entries, sizeof(double));
    if (matrix->ptr && matrix->idx && matrix->val)
        return PHX_OK;
    phx_csr_free(matrix);
    return PHX_ERR_MEMORY;
}

void phx_csr_free(phx_csr *matrix)
{
    if (!matrix)
        return;
    phx_free(matrix->ptr);
    phx_free(matrix->idx);
    phx_free(matrix->val);
    *matrix = (phx_csr){0};
}

static phx_status check_triplets(phx_context *context, int rows, int cols, size_t count, const int *row, const int *col)
{
    if (rows < 0 || cols < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "a sparse matrix of %d rows and %d columns; both must be >= 0", rows,
                        cols);
    if (count > INT_MAX)
        return phx_fail(context, PHX_ERR_ARGUMENT, "%zu triplets; at most %d can be counted", count, INT_MAX);
    for (size_t k = 0; k < count; k++)
        if (row[k] < 0 || row[k] >= rows || col[k] < 0 || col[k] >= cols)
            return phx_fail(context, PHX_ERR_ARGUMENT, "triplet %zu at (%d, %d) lies outside the %d x %d matrix", k,
                            row[k], col[k], rows, cols);
    return PHX_OK;
}

/* Counting sort: order[] <- the positions `from` (NULL: 0..count-1) sorted stably by key[position] in 0..keys-1;
 * start has keys+1 entries, zero on entry. */
static void sort_by_key(size_t count, const int *key, int keys, const int *from, int *start, int *order)
{
    for (size_t k = 0; k < count; k++)
        start[key[k] + 1]++;
    for (int i = 0; i < keys; i++)
        start[i + 1] += start[i];
    for (size_t k = 0; k < count; k++) {
        int position = from ? from[k] : (int)k;
        order[start[key[position]]++] = position;
    }
}

/* Add the triplets, in `order` (by row, then by column), to the empty matrix. */
static void gather_triplets(size_t count, const int *order, const int *row, const int *col, const double *val,
                            phx_csr *matrix)
{
    int used = 0, last_row = -1;
    for (size_t k = 0; k < count; k++) {
        int t = order[k], i = row[t];
        double value = val ? val[t] : 0.0;
        if (i == last_row && matrix->idx[used - 1] == col[t]) {
            matrix->val[used - 1] += value;
            continue;
        }
        matrix->idx[used] = col[t];
        matrix->val[used++] = value;
        matrix->ptr[i + 1]++;
        last_row = i;
    }
    for (int i = 0; i < matrix->rows; i++)
        matrix->ptr[i + 1] += matrix->ptr[i];
}

/* Compressed rows from triplets in any order; repeated entries are added in the order given. val NULL: the pattern with
 * zeros. */
phx_status phx_csr_from_triplets(phx_context *context, int rows, int cols, size_t count, const int *row, const int *col,
                                 const double *val, phx_csr *matrix)
{
    if (!matrix || (count > 0 && (!row || !col)))
        return phx_fail_null(context, __func__, "row, col or matrix");
    *matrix = (phx_csr){0};
    phx_status status = check_triplets(context, rows, cols, count, row, col);
    if (status)
        return status;
    /* Sorted by column, then stably by row: repeated entries stay in the order given, so their sum is reproducible. */
    int *start = phx_calloc(context, (size_t)phx_int_max(rows, cols) + 1, sizeof(int));
    int *by_col = phx_calloc(context, count, sizeof(int));
    int *order = phx_calloc(context, count, sizeof(int));
    status = PHX_ERR_MEMORY;
    if (start && by_col && order)
        status = phx_csr_allocate(context, rows, cols, count, matrix);
    if (!status) {
        sort_by_key(count, col, cols, NULL, start, by_col);
        memset(start, 0, ((size_t)phx_int_max(rows, cols) + 1) * sizeof(int));
        sort_by_key(count, row, rows, by_col, start, order);
        gather_triplets(count, order, row, col, val, matrix);
    }
    phx_free(start);
    phx_free(by_col);
    phx_free(order);
    return status;
}

/* Compressed rows of a row-major dense matrix without the entries |a| <= drop_below; NaN entries stay. */
phx_status phx_csr_from_dense(phx_context *context, int rows, int cols, const double *dense, double drop_below,
                              phx_csr *matrix)
{
    if (!matrix || (rows > 0 && !dense))
        return phx_fail_null(context, __func__, "dense or matrix");
    *matrix = (phx_csr){0};
    if (rows < 0 || cols < 0 || isnan(drop_below))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "phx_csr_from_dense: %d rows, %d columns, drop_below %g; the sizes must be >= 0", rows, cols,
                        drop_below);
    /* Kept: everything but |a| <= drop_below; a NaN is kept, so that it is seen. */
    size_t count = 0, all = (size_t)rows * (size_t)cols;
    for (size_t k = 0; k < all; k++)
        count += !(fabs(dense[k]) <= drop_below);
    phx_status status = phx_csr_allocate(context, rows, cols, count, matrix);
    if (status)
        return status;
    int used = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            double value = dense[(size_t)i * (size_t)cols + (size_t)j];
            if (fabs(value) <= drop_below)
                continue;
            matrix->idx[used] = j;
            matrix->val[used++] = value;
        }
        matrix->ptr[i + 1] = used;
    }
    return PHX_OK;
}

phx_status phx_csr_copy(phx_context *context, const phx_csr *a, phx_csr *copy)
{
    if (!a || !a->ptr || !copy)
        return phx_fail_null(context, __func__, "a, its ptr or copy");
    size_t entries = (size_t)a->ptr[a->rows];
    phx_status status = phx_csr_allocate(context, a->rows, a->cols, entries, copy);
    if (status)
        return status;
    memcpy(copy->ptr, a->ptr, ((size_t)a->rows + 1) * sizeof(int));
    memcpy(copy->idx, a->idx, entries * sizeof(int));
    memcpy(copy->val, a->val, entries * sizeof(double));
    return PHX_OK;
}

/* Transpose of a matrix, with sorted columns. */
phx_status phx_csr_transpose(phx_context *context, const phx_csr *a, phx_csr *transpose)
{
    if (!a || !a->ptr || !transpose)
        return phx_fail_null(context, __func__, "a, its ptr or transpose");
    int entries = a->ptr[a->rows];
    phx_status status = phx_csr_allocate(context, a->cols, a->rows, (size_t)entries, transpose);
    if (status)
        return status;
    int *ptr = transpose->ptr;
    for (int k = 0; k < entries; k++)
        ptr[a->idx[k] + 1]++;
    for (int j = 0; j < a->cols; j++)
        ptr[j + 1] += ptr[j];
    /* ptr[j] walks through row j of the transpose, and is its end afterwards */
    for (int i = 0; i < a->rows; i++) {
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            int place = ptr[a->idx[k]]++;
            transpose->idx[place] = i;
            transpose->val[place] = a->val[k];
        }
    }
    for (int j = a->cols; j > 0; j--)
        ptr[j] = ptr[j - 1];
    ptr[0] = 0;
    return PHX_OK;
}

void phx_csr_apply(const phx_csr *a, double alpha, const double *x, double *y)
{
    for (int i = 0; i < a->rows; i++) {
        double sum = 0.0;
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            sum += a->val[k] * x[a->idx[k]];
        y[i] += alpha * sum;
    }
}

double phx_csr_form(const phx_csr *a, const double *x, const double *y)
{
    double sum = 0.0;

    for (int i = 0; i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            sum += x[i] * a->val[k] * y[a->idx[k]];
    return sum;
}

void phx_csr_apply_dense(const phx_csr *a, int cols, const double *x, double *y)
{
    for (int i = 0; i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            for (int c = 0; c < cols; c++)
                y[(size_t)i * (size_t)cols + (size_t)c] += a->val[k] * x[(size_t)a->idx[k] * (size_t)cols + (size_t)c];
}

void phx_csr_apply_transposed(const phx_csr *a, double alpha, const double *x, double *y)
{
    for (int i = 0; i < a->rows; i++) {
        double scaled = alpha * x[i];
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            y[a->idx[k]] += scaled * a->val[k];
    }
}

void phx_csr_to_dense(const phx_csr *a, double *dense)
{
    memset(dense, 0, (size_t)a->rows * (size_t)a->cols * sizeof(double));
    for (int i = 0; i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            dense[(size_t)i * (size_t)a->cols + (size_t)a->idx[k]] = a->val[k];
}

int phx_csr_find(const phx_csr *a, int row, int col)
{
    if (row < 0 || row >= a->rows)
        return -1;
    int low = a->ptr[row], high = a->ptr[row + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (a->idx[middle] < col)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->ptr[row + 1] && a->idx[low] == col ? low : -1;
}
