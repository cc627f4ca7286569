/* The same in registers of four. */
#include "ldl_wide.c"
