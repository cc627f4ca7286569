/* Blocks of five unknowns; compiled for any processor, and again for those with registers of four numbers. */
#include "block_ldl_five.h"
#include "simd_kernel.h"

enum { FIVE = 5 };

static inline simd_double four(const double *from)
{
    return *(const simd_double *)(const void *)from;
}

/* L = P S for 5 x 5 blocks stored by rows, P symmetric; four columns in a register and the fifth apart. */
static void block_ldl_five_multiply(const double *P, const double *S, double *L)
{
    simd_double last = four(P) * S[4]; /* rows of P are its columns */
    double corner = P[4 * FIVE] * S[4];

    for (int i = 0; i < FIVE; i++) {
        simd_double sum = P[i * FIVE] * four(S);
        for (int c = 1; c < FIVE; c++)
            sum += P[i * FIVE + c] * four(S + c * FIVE);
        *(simd_double *)(void *)(L + i * FIVE) = sum;
    }
    for (int c = 1; c < FIVE; c++) {
        last += four(P + c * FIVE) * S[c * FIVE + 4];
        corner += P[4 * FIVE + c] * S[c * FIVE + 4];
    }
    for (int i = 0; i < 4; i++)
        L[i * FIVE + 4] = last[i];
    L[4 * FIVE + 4] = corner;
}

/* T -= S^T L for 5 x 5 blocks stored by rows, four columns in a register and the fifth apart. */
static void block_ldl_five_subtract(const double *S, const double *L, double *T)
{
    simd_double last = four(S) * L[4];
    double corner = S[4] * L[4];

    for (int i = 0; i < FIVE; i++) {
        simd_double sum = S[i] * four(L);
        for (int c = 1; c < FIVE; c++)
            sum += S[c * FIVE + i] * four(L + c * FIVE);
        *(simd_double *)(void *)(T + i * FIVE) -= sum;
    }
    for (int c = 1; c < FIVE; c++) {
        last += four(S + c * FIVE) * L[c * FIVE + 4];
        corner += S[c * FIVE + 4] * L[c * FIVE + 4];
    }
    for (int i = 0; i < 4; i++)
        T[i * FIVE + 4] -= last[i];
    T[4 * FIVE + 4] -= corner;
}

#ifdef PHX_FOR_AVX2
const phx_block_five phx_block_five_avx2 = {block_ldl_five_multiply, block_ldl_five_subtract};
#else
const phx_block_five phx_block_five_any = {block_ldl_five_multiply, block_ldl_five_subtract};
#endif
