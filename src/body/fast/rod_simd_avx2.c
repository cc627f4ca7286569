/* The operations of rod_simd.c in registers that hold all lanes; the numbers are the same. */
#include "rod_simd.c"
