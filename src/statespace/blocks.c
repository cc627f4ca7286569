/* Matrices from blocks. */
#include "internal.h"

static size_t block_entries(const matrix_block *block)
{
    return block->a ? (size_t)block->a->ptr[block->a->rows] : (size_t)block->size;
}

/* Writes the entries alpha A (or its transpose, or alpha times identity if there is no matrix) of a block as triplets
 * from place `at` on; returns the place after the last. */
static size_t blocks_put_block(const matrix_block *block, size_t at, int *row, int *col, double *val)
{
    for (int i = 0; !block->a && i < block->size; i++, at++) {
        row[at] = block->row + i;
        col[at] = block->col + i;
        val[at] = block->alpha;
    }
    for (int i = 0; block->a && i < block->a->rows; i++) {
        for (int k = block->a->ptr[i]; k < block->a->ptr[i + 1]; k++, at++) {
            row[at] = block->row + (block->transposed ? block->a->idx[k] : i);
            col[at] = block->col + (block->transposed ? i : block->a->idx[k]);
            val[at] = block->alpha * block->a->val[k];
        }
    }
    return at;
}

/* Assembles a sparse matrix from `count` blocks; overlapping entries are added. */
phx_status phx_descriptor_blocks(phx_context *context, int rows, int cols, int count, const matrix_block *blocks,
                                 phx_csr *out)
{
    size_t total = 0, at = 0;
    for (int i = 0; i < count; i++)
        total += block_entries(&blocks[i]);
    int *row = phx_calloc(context, total, sizeof *row), *col = phx_calloc(context, total, sizeof *col);
    double *val = phx_calloc(context, total, sizeof *val);
    phx_status status = row && col && val ? PHX_OK : PHX_ERR_MEMORY;

    *out = (phx_csr){0};
    for (int i = 0; i < count && !status; i++)
        at = blocks_put_block(&blocks[i], at, row, col, val);
    if (!status)
        status = phx_csr_from_triplets(context, rows, cols, total, row, col, val, out);
    phx_free(row);
    phx_free(col);
    phx_free(val);
    return status;
}

/* out = alpha times the given range of rows and columns of a; zero entries are left out. */
phx_status phx_descriptor_part(phx_context *context, const phx_csr *a, double alpha, int row, int rows, int col,
                               int cols, phx_csr *out)
{
    const size_t room = (size_t)(a->ptr[row + rows] - a->ptr[row]);
    size_t at = 0;
    int *to_row = phx_calloc(context, room, sizeof *to_row), *to_col = phx_calloc(context, room, sizeof *to_col);
    double *val = phx_calloc(context, room, sizeof *val);
    phx_status status = to_row && to_col && val ? PHX_OK : PHX_ERR_MEMORY;

    *out = (phx_csr){0};
    for (int i = row; i < row + rows && !status; i++) {
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            if (a->idx[k] < col || a->idx[k] >= col + cols || a->val[k] == 0.0)
                continue;
            to_row[at] = i - row;
            to_col[at] = a->idx[k] - col;
            val[at++] = alpha * a->val[k];
        }
    }
    if (!status)
        status = phx_csr_from_triplets(context, rows, cols, at, to_row, to_col, val, out);
    phx_free(to_row);
    phx_free(to_col);
    phx_free(val);
    return status;
}
