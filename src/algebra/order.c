/* Orders of small fill (AMD of SuiteSparse). */
#include "algebra/algebra.h"

#include <amd.h>

phx_status phx_order_amd(phx_context *context, int n, const int *ptr, const int *idx, int *order)
{
    if (n > 0 && (!ptr || !idx || !order))
        return phx_fail_null(context, __func__, "ptr, idx or order");
    if (n == 0)
        return PHX_OK;
    const int result = amd_order(n, ptr, idx, order, NULL, NULL);
    if (result == AMD_OUT_OF_MEMORY)
        return phx_fail(context, PHX_ERR_MEMORY, "out of memory while ordering %d unknowns", n);
    if (result < 0)
        return phx_fail(context, PHX_ERR_LIBRARY, "minimum-degree ordering refused a pattern of %d unknowns", n);
    return PHX_OK;
}
