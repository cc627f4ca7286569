/* The same in registers of four. */
#include "block_ldl_five.c"
