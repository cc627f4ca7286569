/* Dependent columns of a sparse matrix by SuiteSparseQR.
 *
 * With the order of the columns fixed, SPQR goes through them from the first to the last and drops ("kills") a column
 * whose part orthogonal to the columns before is not longer than a tolerance. Its R then has the squeezed form
 *
 *     X x x x x
 *     . X x x x      a live column (0, 1, 3) is the first to reach the next row of R,
 *     . . . X x      a dead one (2, 4) ends above it,
 *
 * from which the dead columns are read. */
#include <math.h>

#include <SuiteSparseQR_C.h>

#include "internal.h"

/* The matrix by columns with the long indices that SPQR asks for. */
typedef struct columns {
    SuiteSparse_long *ptr, *idx;
    double *val;
} columns;

static phx_status columns_create(phx_context *context, const phx_csr *a, columns *c)
{
    phx_csr transpose = {0};
    size_t entries = (size_t)a->ptr[a->rows], n = (size_t)a->cols;
    phx_status status = phx_csr_transpose(context, a, &transpose);
    if (status)
        return status;
    c->ptr = phx_calloc(context, n + 1, sizeof *c->ptr);
    c->idx = phx_calloc(context, entries, sizeof *c->idx);
    if (c->ptr && c->idx) {
        for (size_t j = 0; j <= n; j++)
            c->ptr[j] = transpose.ptr[j];
        for (size_t k = 0; k < entries; k++)
            c->idx[k] = transpose.idx[k];
        c->val = transpose.val;
        transpose.val = NULL;
    } else {
        status = PHX_ERR_MEMORY;
    }
    phx_csr_free(&transpose);
    return status;
}

static void columns_free(columns *c)
{
    phx_free(c->ptr);
    phx_free(c->idx);
    phx_free(c->val);
}

static double largest_column_norm(int n, const columns *c)
{
    double largest = 0.0;
    for (int j = 0; j < n; j++) {
        double norm = 0.0;
        for (SuiteSparse_long k = c->ptr[j]; k < c->ptr[j + 1]; k++)
            norm = hypot(norm, c->val[k]);
        largest = fmax(largest, norm);
    }
    return largest;
}

/* Read the dead columns off the squeezed R; returns the number of live ones. */
static int read_dead(int n, const cholmod_sparse *r, int *dependent, int *n_dependent)
{
    const SuiteSparse_long *ptr = r->p, *idx = r->i;
    int live = 0;
    *n_dependent = 0;
    for (int j = 0; j < n; j++) {
        SuiteSparse_long last = -1;
        for (SuiteSparse_long k = ptr[j]; k < ptr[j + 1]; k++)
            last = idx[k] > last ? idx[k] : last;
        if (last == live)
            live++;
        else
            dependent[(*n_dependent)++] = j;
    }
    return live;
}

static phx_status factor(phx_context *context, int m, int n, const columns *c, double tolerance, int *rank,
                         int *dependent, int *n_dependent)
{
    cholmod_common common;
    if (!cholmod_l_start(&common))
        return phx_fail(context, PHX_ERR_LIBRARY, "phx_csr_dependent_columns: CHOLMOD could not be started");
    common.print = 0; /* no messages on the terminal */
    cholmod_sparse matrix = {.nrow = (size_t)m,
                             .ncol = (size_t)n,
                             .nzmax = (size_t)c->ptr[n],
                             .p = c->ptr,
                             .i = c->idx,
                             .x = c->val,
                             .stype = 0,
                             .itype = CHOLMOD_LONG,
                             .xtype = CHOLMOD_REAL,
                             .dtype = CHOLMOD_DOUBLE,
                             .sorted = 1,
                             .packed = 1};
    cholmod_sparse *r = NULL;
    SuiteSparse_long *order = NULL;
    SuiteSparse_long found = SuiteSparseQR_C(SPQR_ORDERING_FIXED, tolerance, 0, 0, &matrix, NULL, NULL, NULL, NULL, &r,
                                             &order, NULL, NULL, NULL, &common);
    phx_status status = PHX_OK;
    if (common.status == CHOLMOD_OUT_OF_MEMORY) {
        status = phx_fail(context, PHX_ERR_MEMORY, "out of memory: SPQR has none for a %d x %d matrix", m, n);
    } else if (found < 0 || !r) {
        status =
            phx_fail(context, PHX_ERR_LIBRARY,
                     "phx_csr_dependent_columns: SPQR failed with status %d on a %d x %d matrix", common.status, m, n);
    } else {
        *rank = read_dead(n, r, dependent, n_dependent);
        if (*rank != found || order)
            status = phx_fail(context, PHX_ERR_LIBRARY,
                              "phx_csr_dependent_columns: SPQR found rank %ld, its R has %d live columns", (long)found,
                              *rank);
    }
    cholmod_l_free_sparse(&r, &common);
    cholmod_l_free((size_t)n, sizeof *order, order, &common);
    cholmod_l_finish(&common);
    return status;
}

phx_status phx_csr_dependent_columns(phx_context *context, const phx_csr *a, double rtol, int *rank, int *dependent,
                                     int *n_dependent)
{
    if (!a || !a->ptr || !rank || !dependent || !n_dependent)
        return phx_fail_null(context, __func__, "a, its ptr, rank, dependent or n_dependent");
    if (!(rtol >= 0.0) || isinf(rtol))
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_csr_dependent_columns: rtol %g; it must be >= 0", rtol);
    size_t entries = (size_t)a->ptr[a->rows], bad = phx_first_not_finite(entries, a->val);
    if (bad < entries)
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_csr_dependent_columns: value %zu of the matrix is %g", bad,
                        a->val[bad]);
    columns c = {0};
    phx_status status = columns_create(context, a, &c);
    double norm = status ? 0.0 : largest_column_norm(a->cols, &c);
    if (!status && norm > 0.0) {
        status = factor(context, a->rows, a->cols, &c, rtol * norm, rank, dependent, n_dependent);
    } else if (!status) {
        *rank = 0;
        *n_dependent = a->cols;
        for (int j = 0; j < a->cols; j++)
            dependent[j] = j;
    }
    columns_free(&c);
    return status;
}
