/* The operations of fast_joint_simd.c in registers that hold all lanes; the numbers are the same. */
#include "fast_joint_simd.c"
