/* Fronts of real values with the wide steps of front_real_wide_avx2.c. */
#include "front_real.c"
