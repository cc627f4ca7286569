/* Samples at output instants, which do not influence the steps and their states. An instant within a step is reached by
 * a shorter step of the same method from the start of that step, made in a workspace of its own, or by the
 * interpolation of the method. The shorter step keeps the same invariants as a step of the run. */
#ifndef PHLEXOR_INTEGRATE_OUTPUTS_H
#define PHLEXOR_INTEGRATE_OUTPUTS_H

#include "run.h"

typedef struct phx_outputs phx_outputs;
typedef phx_status phx_method_create_fn(phx_run *run, phx_method **method);

/* For the instants start + k every and the end of the run. Instants on the grid of equal steps get the times of the
 * grid. */
phx_status phx_outputs_create(phx_run *run, phx_method *method, phx_method_create_fn *create, phx_outputs **outputs);
/* Whether all instants but the end of the run are ends of equal steps. */
bool phx_outputs_on_grid(const phx_outputs *outputs);
void phx_outputs_destroy(phx_outputs *outputs);
/* Sample the instants between the accepted state and t1, the end of the trial, both excluded. */
phx_status phx_outputs_before(phx_outputs *outputs, double t1);
/* Whether phx_outputs_before could not reach an instant: it is interpolated when the step is accepted. */
bool phx_outputs_wait(const phx_outputs *outputs);
/* Sample the instants before t1, the accepted state, by interpolation between the ends of its step: a step across a
 * singular position (branch.h), or one whose instants wait. */
phx_status phx_outputs_passed(phx_outputs *outputs, double t1);
/* Sample the accepted state when it is at an instant. */
phx_status phx_outputs_at(phx_outputs *outputs);
/* The step size that divides `length` into equal steps, s. */
double phx_run_equal_step(const phx_run *run, double length);
int phx_run_equal_steps(const phx_run *run, double length); /* how many they are */

#endif
