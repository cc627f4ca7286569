/* Neighbours of a model in its parameters; private to the layer sensitivity. */
#ifndef PHX_SENSITIVITY_GRADIENT_H
#define PHX_SENSITIVITY_GRADIENT_H

#include "objective.h"

/* A copy of a model whose parameters are moved. */
typedef struct phx_neighbour {
    const phx_model *original; /* borrowed */
    phx_model *model;          /* with a row for each step */
    phx_model_override *overrides;
} phx_neighbour;
phx_status phx_neighbour_create(phx_context *context, const phx_model *model, phx_neighbour *neighbour);
void phx_neighbour_free(phx_neighbour *neighbour);
/* Sets one parameter, all others as in the original; -1: none. */
phx_status phx_neighbour_move(phx_context *context, phx_neighbour *neighbour, int parameter, double value);
/* Relative steps d: of the numbers that bodies, joints and outputs are made of, whose error is below rounding; and of
 * whole analyses, whose results may oscillate with a parameter. */
static const double PHX_STEP_OF_PARTS = 1e-3, PHX_STEP_OF_WHOLES = 2e-4;
/* The step at a value; at zero an absolute one. */
double phx_neighbour_step(double value, double relative);

#endif
