/* The operations of joint_lanes.c in registers that hold all lanes; the numbers are the same. */
#include "joint_lanes.c"
