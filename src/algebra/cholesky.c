/* Sparse Cholesky on CHOLMOD. The full symmetric pattern by rows is the same matrix by columns; the upper triangle is
 * used. */
#include <string.h>

#include <cholmod.h>

#include "internal.h"

struct phx_cholesky {
    phx_context *context;
    int n;
    cholmod_common common;
    bool started;
    cholmod_factor *factor;
    /* the solution and the work space of cholmod_solve2, kept between solutions */
    cholmod_dense *x, *y, *e;
};

static phx_status fail_cholmod(phx_cholesky *cholesky, const char *what)
{
    int code = cholesky->common.status;
    if (code == CHOLMOD_OUT_OF_MEMORY || code == CHOLMOD_TOO_LARGE)
        return phx_fail(cholesky->context, PHX_ERR_MEMORY, "%s: CHOLMOD has no memory for a matrix of size %d", what,
                        cholesky->n);
    return phx_fail(cholesky->context, PHX_ERR_LIBRARY, "%s: CHOLMOD failed with status %d on a matrix of size %d",
                    what, code, cholesky->n);
}

static phx_status factor(phx_cholesky *cholesky, const phx_csr *a)
{
    cholmod_common *common = &cholesky->common;
    cholesky->started = cholmod_start(common);
    if (!cholesky->started)
        return fail_cholmod(cholesky, "phx_cholesky_create");
    common->print = 0;    /* no messages on the terminal */
    common->final_ll = 1; /* L L^T, which a matrix that is not positive definite does not have */
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_AMD;
    cholmod_sparse columns = {.nrow = (size_t)a->rows,
                              .ncol = (size_t)a->cols,
                              .nzmax = (size_t)a->ptr[a->rows],
                              .p = a->ptr,
                              .i = a->idx,
                              .x = a->val,
                              .stype = 1,
                              .itype = CHOLMOD_INT,
                              .xtype = CHOLMOD_REAL,
                              .dtype = CHOLMOD_DOUBLE,
                              .sorted = 1,
                              .packed = 1};
    cholesky->factor = cholmod_analyze(&columns, common);
    if (!cholesky->factor || !cholmod_factorize(&columns, cholesky->factor, common))
        return fail_cholmod(cholesky, "phx_cholesky_create");
    if (common->status < CHOLMOD_OK)
        return fail_cholmod(cholesky, "phx_cholesky_create");
    size_t failed = cholesky->factor->minor;
    if (failed < (size_t)a->rows)
        return phx_fail(cholesky->context, PHX_SINGULAR,
                        "the sparse matrix of size %d is not positive definite: the pivot of row %d is not > 0",
                        a->rows, ((const int *)cholesky->factor->Perm)[failed]);
    return PHX_OK;
}

phx_status phx_cholesky_create(phx_context *context, const phx_csr *a, phx_cholesky **cholesky)
{
    if (!a || !a->ptr || !cholesky)
        return phx_fail_null(context, __func__, "a, its ptr or cholesky");
    *cholesky = NULL;
    if (a->rows != a->cols)
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_cholesky_create: the matrix is %d x %d; it must be square",
                        a->rows, a->cols);
    size_t entries = (size_t)a->ptr[a->rows], bad = phx_first_not_finite(entries, a->val);
    if (bad < entries)
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_cholesky_create: value %zu of the matrix is %g", bad,
                        a->val[bad]);
    phx_cholesky *created = phx_calloc(context, 1, sizeof *created);
    if (!created)
        return PHX_ERR_MEMORY;
    created->context = context;
    created->n = a->rows;
    phx_status status = a->rows > 0 ? factor(created, a) : PHX_OK;
    if (status) {
        phx_cholesky_destroy(created);
        return status;
    }
    *cholesky = created;
    return PHX_OK;
}

phx_status phx_cholesky_solve(phx_cholesky *cholesky, int nrhs, double *x)
{
    if (!cholesky || (cholesky->n > 0 && nrhs > 0 && !x))
        return phx_fail_null(cholesky ? cholesky->context : NULL, __func__, "cholesky or x");
    if (nrhs < 0)
        return phx_fail(cholesky->context, PHX_ERR_ARGUMENT,
                        "phx_cholesky_solve: %d right-hand sides; the number must be >= 0", nrhs);
    size_t n = (size_t)cholesky->n, count = n * (size_t)nrhs;
    if (count == 0)
        return PHX_OK;
    cholmod_dense b = {.nrow = n,
                       .ncol = (size_t)nrhs,
                       .nzmax = count,
                       .d = n,
                       .x = x,
                       .xtype = CHOLMOD_REAL,
                       .dtype = CHOLMOD_DOUBLE};
    if (!cholmod_solve2(CHOLMOD_A, cholesky->factor, &b, NULL, &cholesky->x, NULL, &cholesky->y, &cholesky->e,
                        &cholesky->common))
        return fail_cholmod(cholesky, "phx_cholesky_solve");
    memcpy(x, cholesky->x->x, count * sizeof(double));
    return PHX_OK;
}

void phx_cholesky_destroy(phx_cholesky *cholesky)
{
    if (!cholesky)
        return;
    if (cholesky->started) {
        cholmod_free_factor(&cholesky->factor, &cholesky->common);
        cholmod_free_dense(&cholesky->x, &cholesky->common);
        cholmod_free_dense(&cholesky->y, &cholesky->common);
        cholmod_free_dense(&cholesky->e, &cholesky->common);
        cholmod_finish(&cholesky->common);
    }
    phx_free(cholesky);
}
