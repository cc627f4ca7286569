/* Phlexor, layer continuum, private: what a floating body needs of a basis. */
#ifndef PHLEXOR_CONTINUUM_INTEGRALS_H
#define PHLEXOR_CONTINUUM_INTEGRALS_H

#include "part.h"
#include "fe/fe.h"

/* Everything of `flex` that comes from the mass: for a basis Phi of k columns, one after the other, numbers of this
 * process each. K
 * is allocated, on a full pattern. *symmetric: the largest entry of the part of A that rounding, or a mass matrix that
 * couples directions, makes symmetric and that is left out, over the largest of A. */
phx_status continuum_integrals(phx_context *context, const elastic_part *part, int k, const double *Phi, phx_flex *flex,
                               double *symmetric);

/* phx_continuum_load in a basis. */
phx_status continuum_load(phx_context *context, const phx_elastic_model *model, int k, const double *Phi,
                          const double *force, int n_stressed, phx_flex_load *load);

#endif
