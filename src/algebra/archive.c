/* Sparse matrices in an archive. */
#include "internal.h"

bool phx_csr_is_sound(int rows, int cols, const int *ptr, const int *idx, int entries)
{
    if (rows < 0 || cols < 0 || entries < 0 || !ptr || ptr[0] != 0 || ptr[rows] != entries || (entries > 0 && !idx))
        return false;
    for (int i = 0; i < rows; i++) {
        if (ptr[i + 1] < ptr[i] || ptr[i + 1] > entries)
            return false;
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            if (idx[k] < 0 || idx[k] >= cols || (k > ptr[i] && idx[k] <= idx[k - 1]))
                return false;
    }
    return true;
}

/* Writes or reads a sparse matrix; in reading its structure is checked and a damaged one is an input error. */
void phx_csr_archive(phx_archive *archive, phx_csr *matrix)
{
    phx_archive_count(archive, &matrix->rows);
    phx_archive_int(archive, &matrix->cols);
    phx_archive_int_array(archive, (size_t)matrix->rows + 1, &matrix->ptr);
    int entries = matrix->ptr ? matrix->ptr[matrix->rows] : 0;
    phx_archive_count(archive, &entries);
    phx_archive_int_array(archive, (size_t)entries, &matrix->idx);
    phx_archive_double_array(archive, (size_t)entries, &matrix->val);
    if (!phx_archive_reads(archive) || phx_archive_status(archive) || (matrix->rows == 0 && !matrix->ptr))
        return;
    if (!phx_csr_is_sound(matrix->rows, matrix->cols, matrix->ptr, matrix->idx, entries) ||
        (entries > 0 && !matrix->val))
        phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT,
                                           "the archive is damaged: a sparse matrix is none"));
}
