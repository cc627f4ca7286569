/* Solutions with L D L^T, compiled for any processor and again for those with AVX2
 * and with AVX-512. */
#ifndef PHLEXOR_ALGEBRA_LDL_H
#define PHLEXOR_ALGEBRA_LDL_H

#include "internal.h"

/* L below its diagonal by rows and by columns, reciprocals of D. */
typedef struct phx_ldl_factors {
    int n;
    const int *ptr, *idx, *column_ptr, *column_idx;
    const double *val, *column_val, *inverse;
} phx_ldl_factors;
void phx_ldl_solve_any(const phx_ldl_factors *ldl, int width, double *x);
void phx_ldl_solve_avx2(const phx_ldl_factors *ldl, int width, double *x);
void phx_ldl_solve_avx512(const phx_ldl_factors *ldl, int width, double *x);

#endif
