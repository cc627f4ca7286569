/* The operations of rod_lanes.c in registers that hold all lanes; the numbers are the same. */
#include "rod_lanes.c"
