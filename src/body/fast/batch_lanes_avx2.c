/* The operations of batch_lanes.c in registers that hold all lanes; the numbers are the same. */
#include "batch_lanes.c"
