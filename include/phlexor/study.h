/* Phlexor, layer study: sweeps and batches over a model. */
#ifndef PHLEXOR_STUDY_H
#define PHLEXOR_STUDY_H

#include <phlexor/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the points of a sweep ----
 * Several parameters multiply: the points are all combinations of their values. Points are numbered from 0, the
 * parameter added last varies fastest. */
typedef struct phx_sweep phx_sweep;

phx_status phx_sweep_create(phx_context *context, phx_sweep **sweep);
void phx_sweep_destroy(phx_sweep *sweep); /* NULL is allowed */

/* A parameter with `count` >= 1 values from + (to - from) i/(count - 1), in this order of operations, the last one
 * exactly `to`; count 1: `from`. The name is copied. Errors: PHX_ERR_ARGUMENT for a name that is empty or already
 * there, a count below 1, bounds that are not finite, or a product of counts beyond INT_MAX. */
phx_status phx_sweep_add_range(phx_sweep *sweep, const char *name, double from, double to, int count);
/* A parameter with explicit values, in any order, copied; all finite. */
phx_status phx_sweep_add_values(phx_sweep *sweep, const char *name, int count, const double *values);

int phx_sweep_parameters(const phx_sweep *sweep);
/* Name of parameter k (owned by the sweep), number of its values, value i of it. k and i must be in range. */
const char *phx_sweep_name(const phx_sweep *sweep, int k);
int phx_sweep_count(const phx_sweep *sweep, int k);
double phx_sweep_value(const phx_sweep *sweep, int k, int i);
/* Number of points, the product of the counts; 1 without parameters. */
int phx_sweep_points(const phx_sweep *sweep);
/* Place of a point along every parameter, and the values there (one for each parameter; either may be NULL); and the
 * point of a place. Arguments must be in range. */
void phx_sweep_at(const phx_sweep *sweep, int point, int *index, double *values);
int phx_sweep_point(const phx_sweep *sweep, const int *index);

#ifdef __cplusplus
}
#endif
#endif
