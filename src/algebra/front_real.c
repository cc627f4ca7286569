/* Fronts of real values. */
#include "front_real.h"

#include "front_numeric.h"

const phx_front_numeric phx_front_real = NUMERIC;
