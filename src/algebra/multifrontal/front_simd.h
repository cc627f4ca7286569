/* The numeric work on a batch of leaves, real values. */
#ifndef PHLEXOR_ALGEBRA_FRONT_SIMD_H
#define PHLEXOR_ALGEBRA_FRONT_SIMD_H

#include "front.h"

/* As of phx_front_numeric; the updates of the leaves go to their places on the stack, work: largest front. */
void phx_front_batch_factor(const phx_front_tree *tree, const phx_front_batch *batch, const double *val,
                            double *factors, double *stack, double *work);
void phx_front_batch_down(const phx_front_tree *tree, const phx_front_batch *batch, const double *factors, double *y);
void phx_front_batch_up(const phx_front_tree *tree, const phx_front_batch *batch, const double *factors, double *y);
/* The same for processors with AVX2. */
void phx_front_batch_factor_avx2(const phx_front_tree *tree, const phx_front_batch *batch, const double *val,
                                 double *factors, double *stack, double *work);
void phx_front_batch_down_avx2(const phx_front_tree *tree, const phx_front_batch *batch, const double *factors,
                               double *y);
void phx_front_batch_up_avx2(const phx_front_tree *tree, const phx_front_batch *batch, const double *factors,
                             double *y);

#endif
