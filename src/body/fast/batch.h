/* Batches of bodies, private to layer body. */
#ifndef PHX_BATCH_H
#define PHX_BATCH_H

#include "condenser.h"

typedef struct batch_operations batch_operations;

/* In one piece with its products, which follow it. */
struct phx_body_batch {
    const batch_operations *ops;
    const phx_floating *body; /* the first */
    int count, width;
    int x[PHX_BATCH_WIDTH], v[PHX_BATCH_WIDTH],
        c[PHX_BATCH_WIDTH]; /* where the bodies are in x, in v, in condensed vectors */
    double h;
    double *v0, *v1; /* n_v of each */
    void *products;
    double *room; /* borrowed */
};

/* The operations that are compiled for each kind of number (batch_kernel.h). */
struct batch_operations {
    size_t rigid_size, bending_size; /* bytes that a batch needs, and more when its bodies deform, beside its numbers */
    void (*connect)(phx_body_batch *batch, const phx_floating *const *bodies, void *room);
    void (*begin)(phx_body_batch *batch, const double *x0, const double *v0);
    void (*move)(const phx_body_batch *batch, bool tried, const double *x0, const double *low0, const double *vm,
                 double *x1, double *low1, double *xm);
    void (*residual)(phx_body_batch *batch, const double *gravity, const double *xm, const double *v1, double *res);
    void (*arrow)(phx_body_batch *batch, const double *gravity, const double *x1, const double *xm, double *arrow);
    void (*mass_arrow)(phx_body_batch *batch, const double *x, double *arrow);
    void (*reduce)(const phx_body_batch *batch, const phx_condenser *condenser, double *arrow, double *Y,
                   double *matrix);
    void (*gather_internal)(const phx_body_batch *batch, const phx_condenser *condenser, const double *b, double *z);
    void (*scatter_internal)(const phx_body_batch *batch, const phx_condenser *condenser, const double *z, double *b);
    void (*begin_solve)(const phx_body_batch *batch, const phx_condenser *condenser, double *arrow, double *z,
                        double *b);
    void (*end_solve)(const phx_body_batch *batch, const phx_condenser *condenser, double *arrow, const double *Y,
                      const double *b, double *z);
    void (*lacking)(const phx_body_batch *batch, const phx_condenser *condenser, const double *rates, const double *d,
                    double *z, double *b);
    void (*rates)(const phx_body_batch *batch, double *rates);
    void (*kinetic)(const phx_body_batch *batch, const double *x, const double *v, double *energy);
    void (*rows_mass)(const phx_body_batch_rows *rows, double *room); /* of rigid bodies, once */
    void (*rows_factor)(phx_body_batch_rows *rows, double *room);
    void (*rows_schur)(phx_body_batch_rows *rows, const double *x, const double *v, const double *covectors,
                       double *room, double *S, double *energy);
    void (*rows_push)(const phx_body_batch_rows *rows, const double *mu, double *dv);
};

extern const batch_operations phx_body_batch_of_one, phx_body_batch_of_one_avx2, phx_body_batch_of_four,
    phx_body_batch_of_four_avx2, phx_body_batch_of_eight_avx512;

#endif
