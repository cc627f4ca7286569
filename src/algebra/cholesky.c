/* Symmetric positive definite systems: what does not depend on the library that factors them. */
#include "cholesky.h"

phx_status phx_cholesky_fail_indefinite(const phx_cholesky *cholesky, int row)
{
    return phx_fail(cholesky->context, PHX_SINGULAR,
                    "the sparse matrix of size %d is not positive definite: the pivot of row %d is not > 0",
                    cholesky->n, row);
}

phx_status phx_cholesky_fail_library(const phx_cholesky *cholesky, const char *library, int code, bool no_memory)
{
    if (no_memory)
        return phx_fail(cholesky->context, PHX_ERR_MEMORY, "%s has no memory for a positive definite matrix of size %d",
                        library, cholesky->n);
    return phx_fail(cholesky->context, PHX_ERR_LIBRARY,
                    "%s failed with status %d on a positive definite matrix of size %d", library, code, cholesky->n);
}

/* Factors a symmetric positive definite matrix, both triangles given. PHX_SINGULAR with the row if it is not positive
 * definite. */
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
    phx_status status = a->rows > 0 ? phx_cholesky_factor(created, a) : PHX_OK;
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
    return cholesky->n > 0 && nrhs > 0 ? phx_cholesky_substitute(cholesky, nrhs, x) : PHX_OK;
}

void phx_cholesky_destroy(phx_cholesky *cholesky)
{
    if (!cholesky)
        return;
    phx_cholesky_factors_free(cholesky->factors);
    phx_free(cholesky);
}
