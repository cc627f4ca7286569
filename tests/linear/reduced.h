/* Linear models by hand for tests of their reduction. */
#ifndef PHLEXOR_TEST_REDUCED_H
#define PHLEXOR_TEST_REDUCED_H

#include "linear/reduction/reduction.h"
#include "mechanism.h"

/* A linearised mechanism from its matrices, which it takes over, with the forces F (n x inputs, dense) as inputs u1 ..
 * and the rates prescribed by the rows of H (held x n) as inputs w1 ..; outputs: the last coordinate and its rate. */
phx_linearised *model_of(phx_context *context, phx_linear *linear, int inputs, const double *F, int held,
                         const double *H);
/* D = alpha M + beta K */
void damp(phx_context *context, double alpha, double beta, phx_linear *linear);
/* The chain of Gugercin, Polyuga, Beattie, van der Schaft (2012): 50 masses of 4, springs of 4 between them and from
 * the last to the ground, a damper of 1 from each to the ground, forces on the first two. */
phx_linearised *mass_spring_chain(phx_context *context);
/* Hinged beams: `links` of them with `elements` each, the first free or hinged to the ground, with this damping, and
 * the force on the last node across, the torque on the first frame; `rate`: the turn of the first beam is prescribed.
 */
phx_linearised *beam_chain(phx_context *context, int links, int elements, bool grounded, double alpha, double beta,
                           bool rate);
/* The model with so many elastic coordinates, which must succeed. */
phx_reduction *reduce(phx_context *context, const phx_linearised *model, phx_reduction_method method, int order);
/* The descriptor forms of a model and of its reduction. */
void forms(phx_context *context, const phx_linearised *model, const phx_reduction *reduction, phx_descriptor **full,
           phx_descriptor **small);
/* Entry (i, j) of H(s) of the descriptor form. */
double complex transfer(phx_context *context, const phx_descriptor *system, double complex s, int i, int j);

#endif
