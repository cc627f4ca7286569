/* Models at rest under their loads, and their outputs. */
#ifndef PHLEXOR_TESTS_VERIFICATION_HELD_H
#define PHLEXOR_TESTS_VERIFICATION_HELD_H

#include "model/model.h"
#include "support/testing.h"
#include "equilibrium/equilibrium.h"

#define SPACE "phlexor: 1\ndimension: 3\n"

/* A model at rest under its loads, which are so small that the deformation does not turn them. */
typedef struct held {
    phx_context *context;
    phx_model *model;
    phx_system *system;
    phx_dae *dae;
    double *x, *v, *columns;
} held;

void open_model(phx_context *context, const char *text, held *it);
void close_model(held *it);
double value_of(const held *it, const char *name); /* the column of this name, which must exist */

#endif
