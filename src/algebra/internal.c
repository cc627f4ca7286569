/* Functions shared by files of layer algebra. */
#include <math.h>

#include <lapacke.h>

#include "internal.h"

size_t phx_first_not_finite(size_t count, const double *values)
{
    size_t k = 0;
    while (k < count && isfinite(values[k]))
        k++;
    return k;
}

phx_status phx_check_finite(phx_context *context, const char *function, int rows, int cols, const double *a)
{
    size_t count = (size_t)rows * (size_t)cols, k = phx_first_not_finite(count, a);
    if (k == count)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_ARGUMENT, "%s: entry (%zu, %zu) of the %d x %d matrix is %g; it must be finite",
                    function, k / (size_t)cols, k % (size_t)cols, rows, cols, a[k]);
}

void phx_transpose(int rows, int cols, const double *a, double *t)
{
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t j = 0; j < (size_t)cols; j++)
            t[j * (size_t)rows + i] = a[i * (size_t)cols + j];
}

phx_status phx_fail_lapack(phx_context *context, const char *routine, int info)
{
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return phx_fail(context, PHX_ERR_MEMORY, "out of memory in LAPACK's %s", routine);
    return phx_fail(context, PHX_ERR_LIBRARY, "LAPACK's %s failed with info = %d", routine, info);
}
