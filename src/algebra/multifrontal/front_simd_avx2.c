/* Batches of leaves in registers that hold all lanes; the numbers are the same. */
#include "front_simd.c"
