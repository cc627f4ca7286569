/* Products of blocks of five unknowns, private to layer algebra: four columns at once and the fifth across them. The
 * numbers are those of block_ldl.c. */
#ifndef PHX_ALGEBRA_BLOCK_LDL_FIVE_H
#define PHX_ALGEBRA_BLOCK_LDL_FIVE_H

typedef struct phx_block_five {
    void (*multiply)(const double *P, const double *S, double *L); /* L^T = P S, P symmetric; 5 x 5, row-major */
    void (*subtract)(const double *S, const double *L, double *T); /* T -= S^T L, all of it */
} phx_block_five;

extern const phx_block_five phx_block_five_any, phx_block_five_avx2;

#endif
