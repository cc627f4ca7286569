/* Singular positions of closed loops: they are detected ahead of time and crossed on the branch of the motion so far.
 */
#ifndef PHLEXOR_INTEGRATE_BRANCH_H
#define PHLEXOR_INTEGRATE_BRANCH_H

#include "run.h"

/* *branch is NULL where the joints close no loop, and where steps have a fixed number of corrections. */
phx_status phx_branch_create(phx_run *run, phx_branch **branch);
void phx_branch_destroy(phx_branch *branch);
/* After an accepted step of size h: evaluate the regularity, when it may have changed enough since the last time. */
void phx_branch_watch(phx_run *run, double h);

/* The longest step, at most h, that a method may try from here; h unless a singular position is near. */
double phx_branch_limit(const phx_run *run, double h);
/* Whether the next step must be made by phx_branch_cross. */
bool phx_branch_is_near(const phx_run *run);
/* The time at which that step should end. */
double phx_branch_end(const phx_run *run);
/* One accepted step across the singular position to t1, past any output instants; then the method starts anew. The run
 * may also stay at its time: then the method has to go nearer first. */
phx_status phx_branch_cross(phx_run *run, phx_method *method, double t1);
/* One step of a method with fixed steps, divided where a singular position is near. */
phx_status phx_branch_step(phx_run *run, phx_method *method, double t0, double t1, double h);

/* Whether the present step is one of phx_branch_cross. */
bool phx_branch_is_crossing(const phx_run *run);
/* The state at t, which the last step may have passed, interpolated between the ends of that step. Arrays of the sample
 * that are not those of the run belong to `branch`. */
void phx_branch_sample(phx_run *run, double t, phx_sample *sample);
/* Replace the state of the run by that at t, the end of the run. */
void phx_branch_finish(phx_run *run, double t);

/* The memory of the regularity, of the zone crossed last. */
void phx_branch_archive(phx_archive *archive, phx_run *run);

/* Whether the run is at a singular position; then the reason why it stops there goes into `text`. */
bool phx_branch_explain(const phx_run *run, size_t size, char *text);

#endif
