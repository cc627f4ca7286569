/* Phlexor, layer continuum, private: geometric stiffening in a basis. */
#ifndef PHLEXOR_CONTINUUM_STIFFENING_H
#define PHLEXOR_CONTINUUM_STIFFENING_H

#include "continuum.h"
#include "fe/fe.h"

/* The strains of the model in a basis Phi of k shapes (one after the other, model->n numbers each), of second order in
 * the first n_slopes of them: u = sum q_a u_a has the strain moments D u + 1/2 sum_{a,b < n_slopes} q_a q_b N_ab.
 * Their energy is that of as many strains as there are products q_a q_b at most. The caller frees them as phx_flex_free
 * does. */
phx_status continuum_stiffening(phx_context *context, const phx_elastic_model *model, int n_slopes, int k,
                                const double *Phi, phx_flex_stiffening **made);

/* The forces of the strains of second order of all pairs a <= b of `count` shapes: pairs x model->n, -D^T M2^-1 N_ab in
 * the order of phx_elastic_ops. The displacement by such a force is what the body does to follow that pair. */
phx_status continuum_second_order_forces(phx_context *context, const phx_elastic_model *model, int count,
                                         const double *shapes, double *force);

/* Forces of the stresses of the displacement u0 at each of `count` shapes: count x model->n, -K_g phi, K_g the
 * geometric stiffness by these stresses. */
phx_status continuum_prestress_forces(phx_context *context, const phx_elastic_model *model, const double *u0, int count,
                                      const double *shapes, double *force);

/* PHX_ERR_UNSUPPORTED where a model has no strains of second order. */
phx_status continuum_can_stiffen(phx_context *context, const char *name, const phx_elastic_model *model);

#endif
