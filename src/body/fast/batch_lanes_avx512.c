/* The operations of batch_lanes.c on eight bodies; the numbers are the same. */
#include "batch_lanes.c"
