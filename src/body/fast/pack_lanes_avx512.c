/* The operations of pack_lanes.c on eight bodies; the numbers are the same. */
#include "pack_lanes.c"
