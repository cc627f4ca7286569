/* Sparse Cholesky on CHOLMOD. The full symmetric pattern by rows is the same matrix by columns; the upper triangle is
 * used.
 *
 * The order is that of AMD, or, where its factors are many times the matrix and take many operations an entry (solids),
 * that of METIS (nested dissection) if it is better; such factors are made of dense supernodes. Indices are int, and
 * int64_t when the factors have more entries than int counts. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include <cholmod.h>

#include "cholesky.h"

/* The functions of CHOLMOD with int and with int64_t indices. */
static const struct library {
    int itype;
    int (*start)(cholmod_common *);
    cholmod_factor *(*analyse)(cholmod_sparse *, cholmod_common *);
    int (*factorise)(cholmod_sparse *, cholmod_factor *, cholmod_common *);
    int (*solve)(int, cholmod_factor *, cholmod_dense *, cholmod_sparse *, cholmod_dense **, cholmod_sparse **,
                 cholmod_dense **, cholmod_dense **, cholmod_common *);
    int (*free_factor)(cholmod_factor **, cholmod_common *);
    int (*free_dense)(cholmod_dense **, cholmod_common *);
    int (*finish)(cholmod_common *);
} libraries[2] = {
    {CHOLMOD_INT, cholmod_start, cholmod_analyze, cholmod_factorize, cholmod_solve2, cholmod_free_factor,
     cholmod_free_dense, cholmod_finish},
    {CHOLMOD_LONG, cholmod_l_start, cholmod_l_analyze, cholmod_l_factorize, cholmod_l_solve2, cholmod_l_free_factor,
     cholmod_l_free_dense, cholmod_l_finish},
};

struct phx_cholesky_factors {
    const struct library *library;
    cholmod_common common;
    bool started;
    cholmod_factor *LL_T;
    /* the solution and the work space of cholmod_solve2, kept between solutions */
    cholmod_dense *x, *y, *e;
};

/* METIS draws random numbers from the one sequence of the process, begun anew in each call: threads wait for each
 * other, or the order would depend on time. */
static pthread_mutex_t order_lock = PTHREAD_MUTEX_INITIALIZER;

static phx_status fail_cholmod(const phx_cholesky *cholesky)
{
    const int code = cholesky->factors->common.status;
    return phx_cholesky_fail_library(cholesky, "CHOLMOD", code,
                                     code == CHOLMOD_OUT_OF_MEMORY || code == CHOLMOD_TOO_LARGE);
}

/* ptr and idx of a matrix as int64_t, in one array. */
static int64_t *widen(phx_context *context, const phx_csr *a)
{
    const size_t rows = (size_t)a->rows + 1, entries = (size_t)a->ptr[a->rows];
    int64_t *index = phx_calloc(context, rows + entries, sizeof *index);

    for (size_t i = 0; index && i < rows; i++)
        index[i] = a->ptr[i];
    for (size_t k = 0; index && k < entries; k++)
        index[rows + k] = a->idx[k];
    return index;
}

/* The order of AMD, or that of METIS where AMD's takes many operations and METIS's factors are smaller: the rule of
 * CHOLMOD itself. A CHOLMOD without METIS has the former only. */
static cholmod_factor *cholesky_cholmod_analyse(const struct library *library, cholmod_sparse *columns,
                                                cholmod_common *common)
{
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_AMD;
    cholmod_factor *by_degree = library->analyse(columns, common);
    if (!by_degree || common->fl < 500.0 * common->lnz || common->lnz < 5.0 * common->anz)
        return by_degree;
    const double entries = common->lnz;
    common->method[0].ordering = CHOLMOD_METIS;
    pthread_mutex_lock(&order_lock);
    cholmod_factor *dissected = library->analyse(columns, common);
    pthread_mutex_unlock(&order_lock);
    common->status = CHOLMOD_OK;
    cholmod_factor **worse = dissected && common->lnz < entries ? &by_degree : &dissected;
    cholmod_factor *better = worse == &by_degree ? dissected : by_degree;
    library->free_factor(worse, common);
    return better;
}

/* Analyses and factors a matrix by CHOLMOD as L L^T, with the index type of the library in `factors`; false after any
 * failure. */
static bool cholesky_cholmod_factor(phx_cholesky_factors *factors, const phx_csr *a, void *ptr, void *idx)
{
    cholmod_common *common = &factors->common;

    factors->started = factors->library->start(common);
    if (!factors->started)
        return false;
    common->print = 0;    /* no messages on the terminal */
    common->final_ll = 1; /* L L^T, which a matrix that is not positive definite does not have */
    cholmod_sparse columns = {.nrow = (size_t)a->rows,
                              .ncol = (size_t)a->cols,
                              .nzmax = (size_t)a->ptr[a->rows],
                              .p = ptr,
                              .i = idx,
                              .x = a->val,
                              .stype = 1,
                              .itype = factors->library->itype,
                              .xtype = CHOLMOD_REAL,
                              .dtype = CHOLMOD_DOUBLE,
                              .sorted = 1,
                              .packed = 1};
    factors->LL_T = cholesky_cholmod_analyse(factors->library, &columns, common);
    return factors->LL_T && factors->library->factorise(&columns, factors->LL_T, common) &&
           common->status >= CHOLMOD_OK;
}

/* Factors with int (wide false) or int64_t indices and reports a matrix that is not positive definite by its row. */
phx_status phx_cholesky_factor_as(phx_cholesky *cholesky, const phx_csr *a, bool wide)
{
    phx_cholesky_factors *factors = cholesky->factors = phx_calloc(cholesky->context, 1, sizeof *factors);
    int64_t *index = wide && factors ? widen(cholesky->context, a) : NULL;

    if (!factors || (wide && !index))
        return PHX_ERR_MEMORY;
    factors->library = &libraries[wide];
    const bool done = wide ? cholesky_cholmod_factor(factors, a, index, index + a->rows + 1)
                           : cholesky_cholmod_factor(factors, a, a->ptr, a->idx);
    phx_free(index);
    if (!done)
        return fail_cholmod(cholesky);
    const size_t failed = factors->LL_T->minor;
    if (failed == (size_t)a->rows)
        return PHX_OK;
    const void *order = factors->LL_T->Perm;
    const int row = wide ? (int)((const int64_t *)order)[failed] : ((const int *)order)[failed];
    return phx_cholesky_fail_indefinite(cholesky, row);
}

phx_status phx_cholesky_factor(phx_cholesky *cholesky, const phx_csr *a)
{
    phx_status status = phx_cholesky_factor_as(cholesky, a, false);

    if (!cholesky->factors || cholesky->factors->common.status != CHOLMOD_TOO_LARGE)
        return status;
    phx_cholesky_factors_free(cholesky->factors);
    return phx_cholesky_factor_as(cholesky, a, true);
}

/* Solves for nrhs right-hand sides in place, stored one after the other. */
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
    if (!factors->library->solve(CHOLMOD_A, factors->LL_T, &b, NULL, &factors->x, NULL, &factors->y, &factors->e,
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
        factors->library->free_factor(&factors->LL_T, &factors->common);
        factors->library->free_dense(&factors->x, &factors->common);
        factors->library->free_dense(&factors->y, &factors->common);
        factors->library->free_dense(&factors->e, &factors->common);
        factors->library->finish(&factors->common);
    }
    phx_free(factors);
}
