/* Elements of rods side by side, private to layer body. */
#ifndef PHX_FAST_RODS_H
#define PHX_FAST_RODS_H

#include "batches.h"
#include "body/rod/rod.h"

enum { PHX_ROD_SIMD_WIDTH = 4 }; /* elements side by side; the last one fills up the lanes without one */

typedef struct rod_operations {
    void (*begin)(phx_rod_batch *batch, const double *x0);
    void (*residual)(const phx_rod_batch *batch, const double *x1, const double *xm, double *res);
    void (*tangent)(const phx_rod_batch *batch, const double *x1, const double *xm, const double *vm, const int *at,
                    double *val);
} rod_operations;

struct phx_rod_batch {
    const rod_operations *ops;
    const phx_rod_table *table;
    int dim, n, groups; /* elements, fours of them */
    int x, v, n_x, n_v; /* first entries of the rod; entries of a node */
    const int *ptr;     /* rows of the rod's pattern */
    double damping, h;
    double *elements; /* per group: constants (rod_kernel.h), entry e of element l at [4 e + l] */
    double *start;    /* per group: (a, y, p) at the start of the interval, the same way */
};

extern const rod_operations phx_rod_simd, phx_rod_simd_avx2;

#endif
