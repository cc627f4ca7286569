/* Samples at instants that the steps know nothing of: steps, and the states they lead to, are the same whatever is
 * asked for. An instant within a step is reached by a shorter step of the same method from where that one begins, made
 * in a workspace of its own, or by what the method itself knows of the step. It keeps what a step keeps. */
#ifndef PHLEXOR_INTEGRATE_OUTPUTS_H
#define PHLEXOR_INTEGRATE_OUTPUTS_H

#include "run.h"

typedef struct phx_outputs phx_outputs;
typedef phx_status phx_method_create_fn(phx_run *run, phx_method **method);

/* For the instants start + k every and the end of the run; those of a regular grid of steps have its times. */
phx_status phx_outputs_create(phx_run *run, phx_method *method, phx_method_create_fn *create, phx_outputs **outputs);
void phx_outputs_destroy(phx_outputs *outputs);
/* Sample what lies between the accepted state and t1, the end of the trial, both excluded. */
phx_status phx_outputs_before(phx_outputs *outputs, double t1);
/* Whether phx_outputs_before could not reach an instant: it is found from the ends of the step when this is accepted.
 */
bool phx_outputs_wait(const phx_outputs *outputs);
/* Sample what lies before t1, the accepted state, by the motion between the ends of its step: one that crosses a
 * singular position (branch.h), or one whose instants wait. */
phx_status phx_outputs_passed(phx_outputs *outputs, double t1);
/* Sample the accepted state when it is at an instant. */
phx_status phx_outputs_at(phx_outputs *outputs);
/* The step of a run in steps of equal length, s. */
double phx_run_equal_step(const phx_run *run, double length);

#endif
