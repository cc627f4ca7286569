/* The operations of pack_lanes.c in registers that hold all lanes; the numbers are the same. */
#include "pack_lanes.c"
