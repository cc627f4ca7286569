/* Shared by the tests of batches and of condensation: bodies that batch, dense references. */
#ifndef PHLEXOR_TESTS_BODY_PACKS_H
#define PHLEXOR_TESTS_BODY_PACKS_H

#include "body/fast/batches.h"
#include "support.h"

enum { MAX_ALL = MAX_V * MAX_V, MAX_ARROW = 6 * MAX_V + 72 };
enum { KEPT_NONE, KEPT_END, KEPT_MIDDLE, KEPT_BOTH_ENDS, KEPT_EVERY_PORT, KEPT_ALL_BUT_ONE, KEPT_ANY, N_KEPT };
extern const body_kind batch_kinds[];

/* Bodies with as many lanes as they take. */
typedef struct group {
    int count, width;
    double *room;
    phx_body_batch *batch;
} group;
/* Intervals of several bodies from random states. */
typedef struct interval {
    double x0[PHX_BATCH_WIDTH * MAX_X], x1[PHX_BATCH_WIDTH * MAX_X], xm[PHX_BATCH_WIDTH * MAX_X];
    double v0[PHX_BATCH_WIDTH * MAX_V], v1[PHX_BATCH_WIDTH * MAX_V], vm[PHX_BATCH_WIDTH * MAX_V];
} interval;

/* Every kind that batches and bends, in turn. */
void each_kind(phx_context *context, void (*check)(phx_context *context, const subject *it, uint64_t *seed));
/* Fills kept, ascending; the number. */
int choose(phx_context *context, const subject *it, int how, uint64_t *seed, int *boundary);
/* Lanes of a batch of so many bodies. */
int simd_of(int count);
/* A batch of these bodies, or of one several times; body l has the l-th part of all vectors. */
void batch_different(phx_context *context, const subject *it, const phx_body *const *bodies, int count, int n_boundary,
                     group *out);
void batch_create(phx_context *context, const subject *it, int count, int n_boundary, group *out);
void batch_destroy(group *it);
/* One lane of an array. */
void of_lane(int width, int lane, int count, const double *all, double *one);
/* S = a M_qq + b K + c R, n_q square. */
void constant_block(const subject *it, double a, double b, double c, double *S);
/* An arrow block and S (NULL: none) as a dense matrix, n_v square. */
void whole(const subject *it, const double *arrow, const double *S, double *A);
/* Numbers of a body's arrow block. */
int arrow_size(const subject *it);
/* Random intervals; angular velocities are scaled by `turn`. */
void make_interval(const subject *it, int count, double h, double turn, uint64_t *seed, interval *out);
/* Residual and matrix of `body` alone, at the place b. */
void alone(const subject *it, const phx_body *body, int b, double h, const interval *at, double *res, double *val);

#endif
