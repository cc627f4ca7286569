/* Shared by the tests of layer algebra. */
#ifndef PHLEXOR_TESTS_ALGEBRA_SUPPORT_H
#define PHLEXOR_TESTS_ALGEBRA_SUPPORT_H

#include "support/testing.h"

#include <phlexor/algebra.h>

/* A reproducible number in [-1, 1). */
double random_number(uint64_t *seed);
/* An integer in 0..below-1. */
int random_index(uint64_t *seed, int below);
void random_fill(uint64_t *seed, size_t count, double *values);
/* count zeroed doubles; the test fails when there is no memory. */
double *new_doubles(size_t count);

/* max_ij |a_ij - b_ij| */
double difference(size_t count, const double *a, const double *b);
/* max_ij |(V^T W)_ij - delta_ij| for V, W (n x k, row-major): orthonormal columns when V = W. */
double not_orthonormal(int n, int k, const double *v, const double *w);
/* c (m x n) = op(a) op(b) in long double, the plain reference. */
void reference_product(bool transpose_a, bool transpose_b, int m, int n, int k, const double *a, const double *b,
                       double *c);

/* |A_k| or |x_k| of an array that is complex or not */
double modulus(bool is_complex, const double *values, int k);
/* The change of A, relative to the largest entry of each row after every column has been scaled to a largest entry of
 * 1, that explains x: what LU with row pivoting and KLU's scaling promises to be small, whatever the scale of rows and
 * columns.   max_i |A x - b|_i / (max_j |A_ij|/c_j sum_j c_j |x_j| + |b_i|) ,   c_j = max_i |A_ij| */
double backward_error(const phx_csr *a, const double *val, bool is_complex, const double *x, const double *b);

/* Something that allocates through the context, and cleans up after itself when it succeeds. */
typedef phx_status allocating_fn(phx_context *context);
/* Lets the first, second, ... allocation of the layer fail until none is left: each failure must be PHX_ERR_MEMORY, and
 * memory must be balanced, the allocations inside SuiteSparse included. Then the same for SuiteSparse's allocations.
 * Returns how many failures there were. */
int fail_each_allocation(phx_context *context, allocating_fn *create);
/* Allocations of the layer and of SuiteSparse so far. */
long allocations_made(void);
/* Let the n-th allocation of SuiteSparse from now fail; negative: never. */
void fail_suitesparse_allocation(long n);

#endif
