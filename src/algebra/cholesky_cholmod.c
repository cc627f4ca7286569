/* Sparse Cholesky on CHOLMOD. The full symmetric pattern by rows is the same matrix by columns; the upper triangle is
 * used. */
#include <string.h>

#include <cholmod.h>

#include "cholesky.h"

struct phx_cholesky_factors {
    cholmod_common common;
    bool started;
    cholmod_factor *LL_T;
    /* the solution and the work space of cholmod_solve2, kept between solutions */
    cholmod_dense *x, *y, *e;
};

static phx_status fail_cholmod(const phx_cholesky *cholesky)
{
    const int code = cholesky->factors->common.status;
    return phx_cholesky_fail_library(cholesky, "CHOLMOD", code,
                                     code == CHOLMOD_OUT_OF_MEMORY || code == CHOLMOD_TOO_LARGE);
}

phx_status phx_cholesky_factor(phx_cholesky *cholesky, const phx_csr *a)
{
    phx_cholesky_factors *factors = cholesky->factors = phx_calloc(cholesky->context, 1, sizeof *factors);
    if (!factors)
        return PHX_ERR_MEMORY;
    cholmod_common *common = &factors->common;
    factors->started = cholmod_start(common);
    if (!factors->started)
        return fail_cholmod(cholesky);
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
    factors->LL_T = cholmod_analyze(&columns, common);
    if (!factors->LL_T || !cholmod_factorize(&columns, factors->LL_T, common) || common->status < CHOLMOD_OK)
        return fail_cholmod(cholesky);
    const size_t failed = factors->LL_T->minor;
    if (failed < (size_t)a->rows)
        return phx_cholesky_fail_indefinite(cholesky, ((const int *)factors->LL_T->Perm)[failed]);
    return PHX_OK;
}

phx_status phx_cholesky_substitute(phx_cholesky *cholesky, int nrhs, double *x)
{
    phx_cholesky_factors *factors = cholesky->factors;
    const size_t n = (size_t)cholesky->n, count = n * (size_t)nrhs;
    cholmod_dense b = {.nrow = n,
                       .ncol = (size_t)nrhs,
                       .nzmax = count,
                       .d = n,
                       .x = x,
                       .xtype = CHOLMOD_REAL,
                       .dtype = CHOLMOD_DOUBLE};
    if (!cholmod_solve2(CHOLMOD_A, factors->LL_T, &b, NULL, &factors->x, NULL, &factors->y, &factors->e,
                        &factors->common))
        return fail_cholmod(cholesky);
    memcpy(x, factors->x->x, count * sizeof(double));
    return PHX_OK;
}

void phx_cholesky_factors_free(phx_cholesky_factors *factors)
{
    if (!factors)
        return;
    if (factors->started) {
        cholmod_free_factor(&factors->LL_T, &factors->common);
        cholmod_free_dense(&factors->x, &factors->common);
        cholmod_free_dense(&factors->y, &factors->common);
        cholmod_free_dense(&factors->e, &factors->common);
        cholmod_finish(&factors->common);
    }
    phx_free(factors);
}
