/* Factors of symmetric positive definite matrices by the library that is built: CHOLMOD (cholesky_cholmod.c, with
 * PHX_GPL) or KLU (cholesky_klu.c). */
#ifndef PHLEXOR_ALGEBRA_CHOLESKY_H
#define PHLEXOR_ALGEBRA_CHOLESKY_H

#include "internal.h"

typedef struct phx_cholesky_factors phx_cholesky_factors;

struct phx_cholesky {
    phx_context *context;
    int n;
    phx_cholesky_factors *factors; /* of the library; NULL for n = 0 */
};

/* Fills cholesky->factors; `a` is checked and not empty. After a failure too they are the caller's to free. */
phx_status phx_cholesky_factor(phx_cholesky *cholesky, const phx_csr *a);
/* The same by CHOLMOD with indices of the size asked for; the function above chooses. */
phx_status phx_cholesky_factor_as(phx_cholesky *cholesky, const phx_csr *a, bool wide);
/* nrhs > 0 */
phx_status phx_cholesky_substitute(phx_cholesky *cholesky, int nrhs, double *x);
void phx_cholesky_factors_free(phx_cholesky_factors *factors); /* NULL: nothing */

/* PHX_SINGULAR naming the row. */
phx_status phx_cholesky_fail_indefinite(const phx_cholesky *cholesky, int row);
/* PHX_ERR_MEMORY, or else PHX_ERR_LIBRARY with the library's own status `code`. */
phx_status phx_cholesky_fail_library(const phx_cholesky *cholesky, const char *library, int code, bool no_memory);

#endif
