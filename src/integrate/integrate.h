/* Layer integrate, for the other layers of the library: a run in the hands of a program, step by step. */
#ifndef PHX_INTEGRATE_INTEGRATE_H
#define PHX_INTEGRATE_INTEGRATE_H

#include "dae/dae.h"

#include <phlexor/integrate.h>

/* A run that goes on from call to call with what it has learned: the steps are those of phx_integrate with the same
 * equal steps, bit by bit, whatever lengths of time the calls have. Methods that keep more than can be archived begin
 * anew in each call. */
typedef struct phx_integration phx_integration;
/* From a state, which is copied. `end` and `every` of the options are not used. */
phx_status phx_integration_create(phx_dae *dae, const phx_integrate_options *options, double t, const double *x,
                                  const double *v, const double *lambda, phx_integration **integration);
void phx_integration_destroy(phx_integration *integration); /* NULL is allowed */
/* Go on from where the run stands by `length`, in equal steps no longer than that of the options. After a failure it
 * stands at the last step that succeeded. Times are multiples of the step counted from where its size changed, so that
 * lengths that are rounded do not add up. */
phx_status phx_integration_advance(phx_integration *integration, double length);
/* Back to a state of the last call (its time, x, v, lambda), from where work and ledger count anew. */
void phx_integration_rewind(phx_integration *integration, const phx_sample *to);
/* Progress from `from` to `to`, s, with the simulated and the wall time of the last report. */
typedef struct phx_run_progress {
    double from, to, shown, shown_clock;
} phx_run_progress;
/* The steps are part of a longer run, whose progress (borrowed) they report; else that of a step alone. */
void phx_integration_report(phx_integration *integration, phx_run_progress *progress);
const phx_integrate_stats *phx_integration_stats(const phx_integration *integration);
/* Where the run stands: valid until the next call. */
const phx_sample *phx_integration_sample(const phx_integration *integration);
/* Everything that the steps to come depend on, the workspace of the dae included. */
void phx_integration_archive(phx_archive *archive, phx_integration *integration);

#endif
