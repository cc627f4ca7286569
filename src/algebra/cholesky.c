/* Symmetric positive definite systems on KLU.
 *
 * Without exchanges the pivots u_kk of L U are the ratios of the leading minors, in the order of AMD: the matrix is
 * positive definite where all are > 0. L U takes twice the work of L L^T; bodies, whose matrices these are, fill
 * little.
 */
#include <klu.h>

#include "internal.h"

struct phx_cholesky {
    phx_context *context;
    int n;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

static phx_status fail_klu(phx_cholesky *cholesky, const char *what)
{
    const int code = cholesky->common.status;
    if (code == KLU_OUT_OF_MEMORY || code == KLU_TOO_LARGE)
        return phx_fail(cholesky->context, PHX_ERR_MEMORY, "%s: KLU has no memory for a matrix of size %d", what,
                        cholesky->n);
    return phx_fail(cholesky->context, PHX_ERR_LIBRARY, "%s: KLU failed with status %d on a matrix of size %d", what,
                    code, cholesky->n);
}

static phx_status fail_indefinite(const phx_cholesky *cholesky, int row)
{
    return phx_fail(cholesky->context, PHX_SINGULAR,
                    "the sparse matrix of size %d is not positive definite: the pivot of row %d is not > 0",
                    cholesky->n, row);
}

static phx_status analyse(phx_cholesky *cholesky, const phx_csr *a)
{
    klu_common *common = &cholesky->common;
    int *order = phx_calloc(cholesky->context, (size_t)a->rows, sizeof *order);
    phx_status status = order ? phx_order_amd(cholesky->context, a->rows, a->ptr, a->idx, order) : PHX_ERR_MEMORY;
    klu_defaults(common);
    common->btf = 0;
    common->scale = 0;
    common->tol = 0.0; /* the diagonal is the pivot */
    if (!status)
        cholesky->symbolic = klu_analyze_given(a->rows, a->ptr, a->idx, order, order, common);
    phx_free(order);
    if (!status && !cholesky->symbolic)
        status = fail_klu(cholesky, "phx_cholesky_create");
    return status;
}

static phx_status factor(phx_cholesky *cholesky, const phx_csr *a)
{
    phx_status status = analyse(cholesky, a);
    if (status)
        return status;
    cholesky->numeric = klu_factor(a->ptr, a->idx, a->val, cholesky->symbolic, &cholesky->common);
    if (cholesky->common.status == KLU_SINGULAR)
        return fail_indefinite(cholesky, cholesky->common.singular_col);
    if (!cholesky->numeric)
        return fail_klu(cholesky, "phx_cholesky_create");
    const double *pivot = cholesky->numeric->Udiag;
    const int *row = cholesky->numeric->Pnum, *col = cholesky->symbolic->Q;
    for (int k = 0; k < a->rows; k++)
        if (!(pivot[k] > 0.0) || row[k] != col[k])
            return fail_indefinite(cholesky, col[k]);
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
    if (cholesky->n == 0 || nrhs == 0)
        return PHX_OK;
    if (!klu_solve(cholesky->symbolic, cholesky->numeric, cholesky->n, nrhs, x, &cholesky->common))
        return fail_klu(cholesky, "phx_cholesky_solve");
    return PHX_OK;
}

void phx_cholesky_destroy(phx_cholesky *cholesky)
{
    if (!cholesky)
        return;
    klu_free_numeric(&cholesky->numeric, &cholesky->common);
    klu_free_symbolic(&cholesky->symbolic, &cholesky->common);
    phx_free(cholesky);
}
