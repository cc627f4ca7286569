/* Shared by the elements of the load layer: the parts of a result that a dimension uses. */
#ifndef PHLEXOR_LOAD_RESULT_H
#define PHLEXOR_LOAD_RESULT_H

#include "load/load.h"

static inline void load_result_clear(int dim, phx_load_result *result)
{
    size_t bytes = (size_t)phx_port_size(dim) * sizeof(double);
    memset(result->effort, 0, bytes);
    memset(result->effort + PHX_PORT_MAX, 0, bytes);
    result->supplied = result->dissipated = 0.0;
    result->has_tangent = result->has_rate_tangent = false;
}

#endif
