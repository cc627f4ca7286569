/* What the elements of the load layer share: the parts of a result that a dimension uses. */
#ifndef PHLEXOR_LOAD_RESULT_H
#define PHLEXOR_LOAD_RESULT_H

#include <string.h>

#include <phlexor/load.h>

enum { LOAD_LD = 2 * PHX_PORT_MAX }; /* leading dimension of the matrices of a result */

static inline void load_result_clear(int dim, phx_load_result *result)
{
    size_t bytes = (size_t)phx_port_size(dim) * sizeof(double);
    memset(result->effort, 0, bytes);
    memset(result->effort + PHX_PORT_MAX, 0, bytes);
    result->supplied = result->dissipated = 0.0;
    result->has_tangent = result->has_rate_tangent = false;
}

static inline void load_matrix_clear(int dim, double *matrix)
{
    size_t bytes = (size_t)phx_port_size(dim) * sizeof(double);
    for (int i = 0; i < phx_port_size(dim); i++) {
        memset(matrix + i * LOAD_LD, 0, bytes);
        memset(matrix + i * LOAD_LD + PHX_PORT_MAX, 0, bytes);
        memset(matrix + (PHX_PORT_MAX + i) * LOAD_LD, 0, bytes);
        memset(matrix + (PHX_PORT_MAX + i) * LOAD_LD + PHX_PORT_MAX, 0, bytes);
    }
}

static inline double load_scalar_product(int dim, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < dim; i++)
        sum += x[i] * y[i];
    return sum;
}

#endif
