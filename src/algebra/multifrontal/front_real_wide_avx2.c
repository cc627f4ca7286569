/* Wide steps of fronts of real values in registers of four. */
#include "front_real_wide.c"
