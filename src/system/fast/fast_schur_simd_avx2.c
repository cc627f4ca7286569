/* The operations of fast_schur_simd.c in registers of four numbers; the numbers are the same. */
#include "fast_schur_simd.c"
