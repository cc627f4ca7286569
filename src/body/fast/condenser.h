/* The data of a condenser; private to layer body. */
#ifndef PHX_CONDENSER_H
#define PHX_CONDENSER_H

#include "batches.h"
#include "body/floating/floating.h"

/* Entries of one sparse block: rows of the internal coordinates. */
typedef struct block {
    int *ptr, *idx;
    int *from; /* place in the body's pattern */
    double *val;
} block;

/* A sparse matrix whose rows are summed up: `at` says which coordinate each entry is of. */
typedef struct sparse {
    int *ptr, *at;
    double *val;
} sparse;

struct phx_condenser {
    phx_context *context;
    const phx_floating *body; /* one of the type */
    int n_internal, n_boundary;
    int *internal, *boundary; /* coordinates of q in the order of elimination; as they were given */
    block own, coupling;      /* S_ii on its pattern; S_id */
    block influence;          /* T */
    int *corner_from;         /* S_dd: place in the body's pattern or -1 */
    double *corner;           /* S_dd - S_di T, n_boundary square */
    double *sum;              /* S on the body's pattern */
    double *column;           /* n_internal: workspace */
    double *sums, *pull;      /* n_internal x dim: columns S_i of the first moment, and Z = S_ii^-1 S_i^T */
    double *sums_pull;        /* S_i Z, dim square */
    double *sums_boundary;    /* S_d - S_i T, dim x n_boundary */
    /* The same for loops over the bodies: */
    sparse S_boundary,
        T_boundary;        /* rows S_di and columns of T, over internal coordinates by number and as they are in q */
    sparse S_axis, Z_axis; /* rows S_i and columns of Z, over the same */
    sparse spread;         /* rows [T Z] of the internal coordinates, over boundary ones and axes */
    phx_ldl *ldl;
};

#endif
