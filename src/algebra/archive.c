/* Sparse matrices in an archive. */
#include "internal.h"

void phx_csr_archive(phx_archive *archive, phx_csr *matrix)
{
    phx_archive_count(archive, &matrix->rows);
    phx_archive_int(archive, &matrix->cols);
    phx_archive_int_array(archive, (size_t)matrix->rows + 1, &matrix->ptr);
    int entries = matrix->ptr ? matrix->ptr[matrix->rows] : 0;
    phx_archive_count(archive, &entries);
    phx_archive_int_array(archive, (size_t)entries, &matrix->idx);
    phx_archive_double_array(archive, (size_t)entries, &matrix->val);
}
