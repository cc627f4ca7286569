/* Fronts of real values. */
#include "front_real.h"

#include "front_numeric.h"

const phx_front_numeric REAL_NUMERIC = NUMERIC;
