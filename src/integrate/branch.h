/* Singular positions of closed loops: they are seen coming, and crossed on the branch that the motion has come on. */
#ifndef PHLEXOR_INTEGRATE_BRANCH_H
#define PHLEXOR_INTEGRATE_BRANCH_H

#include "run.h"

/* NULL in `run` where the joints close no loop. */
phx_status phx_branch_create(phx_run *run, phx_branch **branch);
void phx_branch_destroy(phx_branch *branch);
/* A step of size h has been accepted: look where the run is, when it has gone far enough since the last look. */
void phx_branch_watch(phx_run *run, double h);

/* The longest step, up to h, that a method may try from here. h itself nearly always. */
double phx_branch_limit(const phx_run *run, double h);
/* Whether the next step is one of phx_branch_cross. */
bool phx_branch_is_near(const phx_run *run);
/* Where that step is to end. */
double phx_branch_end(const phx_run *run);
/* One accepted step to the other side, t1, whatever output instants lie between; then the method starts anew. The run
 * may also stay where it is: the method has to go nearer. */
phx_status phx_branch_cross(phx_run *run, phx_method *method, double t1);
/* One step of a method with fixed steps, in pieces where a singular position is near. */
phx_status phx_branch_step(phx_run *run, phx_method *method, double t0, double t1, double h);

/* The step at hand is that one. */
bool phx_branch_is_crossing(const phx_run *run);
/* The state at t, which the last step may have passed, by the motion between the ends of that step: from `before` to
 * the state of the run. Arrays of the sample that are not those of the run are of `branch`. */
void phx_branch_sample(phx_run *run, double t, phx_sample *sample);
/* Make that of t, the end of the run, the state of the run. */
void phx_branch_finish(phx_run *run, double t);

/* Whether the run stands at a singular position, and then why it stops there, into `text`. */
bool phx_branch_explain(const phx_run *run, size_t size, char *text);

#endif
