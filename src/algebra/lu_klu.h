/* Sparse LU with pivoting by KLU, behind phx_lu for the matrices that block elimination does not suit. */
#ifndef PHLEXOR_ALGEBRA_LU_KLU_H
#define PHLEXOR_ALGEBRA_LU_KLU_H

#include "internal.h"

typedef struct phx_klu phx_klu;
/* The pattern must outlive the result. */
phx_status phx_klu_create(phx_context *context, int n, int *ptr, int *idx, int *order, bool is_complex, phx_klu **klu);
void phx_klu_destroy(phx_klu *klu);
/* As phx_lu_factor; *pivoted: pivots were chosen anew. After any failure the factors of the last success still solve.
 */
phx_status phx_klu_factor(phx_klu *klu, const double *val, bool *pivoted, int *column);
void phx_klu_archive(phx_archive *archive, phx_klu *klu);
phx_status phx_klu_solve(phx_klu *klu, int nrhs, double *x);
phx_status phx_klu_solve_transposed(phx_klu *klu, double *x); /* real */
/* Entries in L+U without the unit diagonal of L. */
long phx_klu_nnz(const phx_klu *klu);

#endif
