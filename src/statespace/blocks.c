/* Matrices from blocks. */
#include "internal.h"

static size_t block_entries(const matrix_block *block)
{
    return block->a ? (size_t)block->a->ptr[block->a->rows] : (size_t)block->size;
}

static size_t put_block(const matrix_block *block, size_t at, int *row, int *col, double *val)
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
        at = put_block(&blocks[i], at, row, col, val);
    if (!status)
        status = phx_csr_from_triplets(context, rows, cols, total, row, col, val, out);
    phx_free(row);
    phx_free(col);
    phx_free(val);
    return status;
}

phx_status phx_descriptor_port_matrix(phx_context *context, const phx_descriptor *system, int port, phx_csr *out)
{
    const int first = system->ports[port].first, size = system->ports[port].size;
    const phx_csr *B = &system->B;
    size_t total = (size_t)B->ptr[B->rows], at = 0;
    int *row = phx_calloc(context, total, sizeof *row), *col = phx_calloc(context, total, sizeof *col);
    double *val = phx_calloc(context, total, sizeof *val);
    phx_status status = row && col && val ? PHX_OK : PHX_ERR_MEMORY;

    *out = (phx_csr){0};
    for (int i = 0; i < B->rows && !status; i++) {
        for (int k = B->ptr[i]; k < B->ptr[i + 1]; k++) {
            if (B->idx[k] < first || B->idx[k] >= first + size)
                continue;
            row[at] = i;
            col[at] = B->idx[k] - first;
            val[at++] = B->val[k];
        }
    }
    if (!status)
        status = phx_csr_from_triplets(context, B->rows, size, at, row, col, val, out);
    phx_free(row);
    phx_free(col);
    phx_free(val);
    return status;
}
