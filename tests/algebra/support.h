/* What the tests of layer algebra share. */
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
