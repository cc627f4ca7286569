/* The same in registers of eight. */
#include "ldl_wide.c"
