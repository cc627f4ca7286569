/* Wide steps of fronts of complex values. */
#include "front_complex.h"

#include "front_wide.h"
