/* Layer statespace, for the other layers of the library: names. */
#ifndef PHX_STATESPACE_STATESPACE_H
#define PHX_STATESPACE_STATESPACE_H

#include "algebra/algebra.h"

#include <phlexor/statespace.h>

/* It belongs to the system. */
const char *phx_descriptor_name(const phx_descriptor *system);
/* Columns of B. */
int phx_descriptor_inputs(const phx_descriptor *system);
/* The largest singular value of H(i omega) at `count` frequencies. */
phx_status phx_ss_singular_values(phx_context *context, const phx_ss *system, int count, const double *omega,
                                  double *values);
/* phx_ss_responses at s = (beside + i) omega: as if every mode had that much more damping. */
phx_status phx_ss_responses_beside(phx_context *context, const phx_ss *system, double beside, int count,
                                   const double *omega, double *responses);
/* Index of the channel with this input or output; -1 when there is none. */
int phx_ss_find_channel(const phx_ss *system, const char *name);

#endif
