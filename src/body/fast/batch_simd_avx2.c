/* The operations of batch_simd.c in registers that hold all lanes; the numbers are the same. */
#include "batch_simd.c"
