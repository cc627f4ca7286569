/* Wide steps of fronts of real values. */
#include "front_real.h"

#include "front_any.h"

#include "front_wide.h"
