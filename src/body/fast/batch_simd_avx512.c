/* The operations of batch_simd.c on eight bodies; the numbers are the same. */
#include "batch_simd.c"
