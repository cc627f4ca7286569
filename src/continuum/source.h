/* Phlexor, layer continuum, private: what every source of this layer has. */
#ifndef PHLEXOR_CONTINUUM_SOURCE_H
#define PHLEXOR_CONTINUUM_SOURCE_H

#include "continuum.h"
#include "fe/fe.h"

typedef struct continuum_source {
    phx_flex_source source; /* first */
    phx_elastic_model *model;
    double *Phi; /* n x model->n: columns of the basis, one after the other */
    double *omega;
    phx_basis_quality quality;
} continuum_source;

/* The point at the node of this label. */
phx_status continuum_node_point(phx_context *context, const continuum_source *it, int label, phx_flex_point *point);

extern const phx_source_operations reduced_operations;

#endif
