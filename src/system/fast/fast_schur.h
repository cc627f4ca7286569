/* Solutions with the inverse of the velocity block kept. Of the matrix over an interval
 *
 *     [ A   -G^T ] [ x ]   [ b ]        S l = c - G~ A^-1 b ,   S = G~ A^-1 G^T + D ,
 *     [ G~   D   ] [ l ] = [ c ] :      x = A^-1 b + A^-1 G^T l ,
 *
 * the rows G, G~ are made anew from step to step, A is that of a step before (fast_linearise.c). Velocities that A
 * couples make a cluster, of which it has a block of its own. */
#ifndef PHX_FAST_SCHUR_H
#define PHX_FAST_SCHUR_H

#include "fast.h"

enum { PHX_SCHUR_MOST = 64 }; /* velocities of a cluster, and multipliers */

typedef struct schur_cluster {
    int n, filled;           /* velocities, filled up to fours */
    int rows, wide;          /* multipliers whose rows see them, filled up to fours */
    int *velocity, *row;     /* n, rows: their numbers */
    int n_block, n_entries;  /* entries of A; of G^T and of G~ */
    int *block;              /* n_block x 2: places in the dense block and in the matrix */
    int *above, *below;      /* n_entries x 2: places in `given` and in the matrix; in G_T and in the matrix */
    double *inverse;         /* columns of A^-1, n x filled */
    double *given, *T, *G_T; /* n x wide each: G^T, A^-1 G^T, G~^T; zero in the columns that fill up */
} schur_cluster;

typedef struct schur_operations {
    /* The dense n x n matrix, rows `stride` apart, into its inverse; false: a pivot vanishes. */
    bool (*invert)(int n, int stride, double *matrix);
    /* T from `given`, and S += G~ T, columns of S `stride` apart. */
    void (*eliminate)(const schur_cluster *of, int stride, double *S);
    /* The transposed S = L U, U in its place, zeros above L; false: a pivot vanishes. */
    bool (*factor)(int n, int stride, double *S, double *L);
    /* y = A^-1 b of the cluster, `filled` numbers; c -= G~ y. */
    void (*begin)(const schur_cluster *of, const double *b, double *y, double *c);
    void (*solve)(int n, int stride, const double *U, const double *L, double *l);
    /* b = y + T l */
    void (*end)(const schur_cluster *of, const double *l, const double *y, double *b);
} schur_operations;
extern const schur_operations phx_schur_simd, phx_schur_simd_avx2;

struct row_schur {
    const schur_operations *ops;
    int slot; /* of the factors that it stands for; -1: none */
    int n_clusters;
    schur_cluster *cluster;
    int n, stride, n_corners; /* multipliers, filled up to fours; entries of D */
    int *corner;              /* 3 each: row, column, place in the matrix */
    double *S, *L;            /* the transposed S, then U; n x stride each */
    double *dense, *y;        /* room for a cluster's block; n_v and what fills up clusters */
    int *places;              /* all the numbers of clusters and corners */
    double *numbers;          /* all of the clusters, S and L */
    size_t count;
};

#endif
