/* Hessenberg form by LAPACK. */
#include <string.h>

#include "internal.h"

#include <lapacke.h>

/* Hessenberg form by LAPACK in column order: h receives the form with reflectors below, q the orthogonal matrix. */
static phx_status hessenberg_reduce(phx_context *context, int n, double *h, double *q, double *tau)
{
    double size[2] = {0.0};
    double *work = NULL;
    phx_status status = PHX_OK;
    int info = LAPACKE_dgehrd_work(LAPACK_COL_MAJOR, n, 1, n, NULL, n, NULL, size, -1);

    if (info == 0)
        info = LAPACKE_dorghr_work(LAPACK_COL_MAJOR, n, 1, n, NULL, n, NULL, size + 1, -1);
    if (info)
        return phx_fail_lapack(context, "dgehrd", info);
    const int room = (int)(size[0] > size[1] ? size[0] : size[1]);
    work = phx_calloc(context, (size_t)room, sizeof *work);
    if (!work)
        return PHX_ERR_MEMORY;
    info = LAPACKE_dgehrd_work(LAPACK_COL_MAJOR, n, 1, n, h, n, tau, work, room);
    if (info == 0) {
        memcpy(q, h, (size_t)n * (size_t)n * sizeof *q);
        info = LAPACKE_dorghr_work(LAPACK_COL_MAJOR, n, 1, n, q, n, tau, work, room);
    }
    if (info)
        status = phx_fail_lapack(context, "dgehrd", info);
    phx_free(work);
    return status;
}

/* A = Q H Q^T with H upper Hessenberg, row-major. */
phx_status phx_dense_hessenberg(phx_context *context, int n, const double *a, double *h, double *q)
{
    if (n > 0 && (!a || !h))
        return phx_fail_null(context, __func__, "a or h");
    const size_t cells = (size_t)n * (size_t)n;
    double *by_columns = phx_calloc(context, 2 * cells + (size_t)n, sizeof *by_columns);
    phx_status status = by_columns ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && n > 0) {
        phx_transpose(n, n, a, by_columns);
        status = hessenberg_reduce(context, n, by_columns, by_columns + cells, by_columns + 2 * cells);
    }
    if (!status && n > 0) {
        phx_transpose(n, n, by_columns, h);
        phx_transpose(n, n, by_columns + cells, q);
        for (int i = 2; i < n; i++) /* the reflectors */
            memset(h + (size_t)i * (size_t)n, 0, (size_t)(i - 1) * sizeof *h);
    }
    phx_free(by_columns);
    return status;
}
