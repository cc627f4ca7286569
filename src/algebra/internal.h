/* Declarations shared by the files of layer algebra. */
#ifndef PHLEXOR_ALGEBRA_INTERNAL_H
#define PHLEXOR_ALGEBRA_INTERNAL_H

#include <float.h>

#include "algebra/algebra.h"

/* A pivot smaller than this part of the terms it is the sum of is what cancellation left of a zero: the test of a
 * singular matrix that no scaling of rows or columns can mislead. In singular saddle-point matrices of chains (3 to
 * 3000 bodies) such pivots came out below 50 DBL_EPSILON, in regular ones above 1e10 DBL_EPSILON. */
#define PHX_CANCELLED (256.0 * DBL_EPSILON)

static inline int phx_int_min(int a, int b)
{
    return a < b ? a : b;
}

/* Ascending, in place; for short lists. */
static inline void phx_int_sort(int count, int *list)
{
    for (int i = 1; i < count; i++) {
        const int value = list[i];
        int at = i;
        for (; at > 0 && list[at - 1] > value; at--)
            list[at] = list[at - 1];
        list[at] = value;
    }
}

static inline int phx_int_max(int a, int b)
{
    return a > b ? a : b;
}

/* Index of the first value that is NaN or infinite, `count` when there is none. */
size_t phx_first_not_finite(size_t count, const double *values);
/* PHX_ERR_ARGUMENT naming the entry of the row-major rows x cols array `a` that is not finite, else PHX_OK. */
phx_status phx_check_finite(phx_context *context, const char *function, int rows, int cols, const double *a);
/* t (cols x rows) <- transpose of the row-major a (rows x cols); the arrays must not overlap. */
void phx_transpose(int rows, int cols, const double *a, double *t);
/* An empty matrix with room for `entries`; ptr is zero. */
phx_status phx_csr_allocate(phx_context *context, int rows, int cols, size_t entries, phx_csr *matrix);
/* PHX_ERR_LIBRARY saying that `routine` returned `info`. */
phx_status phx_fail_lapack(phx_context *context, const char *routine, int info);

/* Statistics since creation: factorisations with pivots checked in full or chosen anew, others, right-hand sides
 * solved; entries in L+U without the unit diagonal of L. Any may be NULL. */
void phx_lu_stats(const phx_lu *lu, long *factors, long *refactors, long *solves, long *nnz_lu);

/* Multiplications of a factorisation. */
double phx_block_ldl_work(const phx_block_ldl *ldl);

#endif
