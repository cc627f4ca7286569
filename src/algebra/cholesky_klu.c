/* Symmetric positive definite systems on KLU.
 *
 * Without exchanges the pivots u_kk of L U are the ratios of the leading minors, in the order of AMD: the matrix is
 * positive definite where all are > 0. L U takes twice the work of L L^T, and a column at a time.
 */
#include <klu.h>

#include "cholesky.h"

struct phx_cholesky_factors {
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

static phx_status fail_klu(const phx_cholesky *cholesky)
{
    const int code = cholesky->factors->common.status;
    return phx_cholesky_fail_library(cholesky, "KLU", code, code == KLU_OUT_OF_MEMORY || code == KLU_TOO_LARGE);
}

/* Symbolic analysis by KLU with the minimum-degree order on both sides and the diagonal as pivot. */
static phx_status cholesky_klu_analyse(phx_cholesky *cholesky, const phx_csr *a)
{
    phx_cholesky_factors *factors = cholesky->factors;
    int *order = phx_calloc(cholesky->context, (size_t)a->rows, sizeof *order);
    phx_status status = order ? phx_order_amd(cholesky->context, a->rows, a->ptr, a->idx, order) : PHX_ERR_MEMORY;
    klu_defaults(&factors->common);
    factors->common.btf = 0;
    factors->common.scale = 0;
    factors->common.tol = 0.0; /* the diagonal is the pivot */
    if (!status)
        factors->symbolic = klu_analyze_given(a->rows, a->ptr, a->idx, order, order, &factors->common);
    phx_free(order);
    if (!status && !factors->symbolic)
        status = fail_klu(cholesky);
    return status;
}

/* Factors by KLU without exchanges; the matrix is positive definite if all pivots are positive. */
phx_status phx_cholesky_factor(phx_cholesky *cholesky, const phx_csr *a)
{
    phx_cholesky_factors *factors = cholesky->factors = phx_calloc(cholesky->context, 1, sizeof *factors);
    phx_status status = factors ? cholesky_klu_analyse(cholesky, a) : PHX_ERR_MEMORY;
    if (status)
        return status;
    factors->numeric = klu_factor(a->ptr, a->idx, a->val, factors->symbolic, &factors->common);
    if (factors->common.status == KLU_SINGULAR)
        return phx_cholesky_fail_indefinite(cholesky, factors->common.singular_col);
    if (!factors->numeric)
        return fail_klu(cholesky);
    const double *pivot = factors->numeric->Udiag;
    const int *row = factors->numeric->Pnum, *col = factors->symbolic->Q;
    for (int k = 0; k < a->rows; k++)
        if (!(pivot[k] > 0.0) || row[k] != col[k])
            return phx_cholesky_fail_indefinite(cholesky, col[k]);
    return PHX_OK;
}

phx_status phx_cholesky_substitute(phx_cholesky *cholesky, int nrhs, double *x)
{
    phx_cholesky_factors *factors = cholesky->factors;
    if (!klu_solve(factors->symbolic, factors->numeric, cholesky->n, nrhs, x, &factors->common))
        return fail_klu(cholesky);
    return PHX_OK;
}

void phx_cholesky_factors_free(phx_cholesky_factors *factors)
{
    if (!factors)
        return;
    klu_free_numeric(&factors->numeric, &factors->common);
    klu_free_symbolic(&factors->symbolic, &factors->common);
    phx_free(factors);
}
