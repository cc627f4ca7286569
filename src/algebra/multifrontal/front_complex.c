/* Fronts of complex values. C17 lets an array of two doubles be read as the struct of two that `scalar` is (6.5 7). */
#include "front_complex.h"

#include "front_numeric.h"

const phx_front_numeric phx_front_complex = NUMERIC;
