/* Phlexor, layer integrate: time integrators over the table of operations of a dae. */
#ifndef PHLEXOR_INTEGRATE_H
#define PHLEXOR_INTEGRATE_H

#include <phlexor/dae.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum phx_integrator {
    PHX_MIDPOINT,  /* averages: exact energy, closed joints (default) */
    PHX_MIDPOINT4, /* its five-fold symmetric composition (Suzuki), lossless systems */
    PHX_GAUSS4,
    PHX_GAUSS6,
    PHX_RADAU5,
    PHX_IDA,
    PHX_INTEGRATORS
} phx_integrator;
const char *phx_integrator_name(phx_integrator integrator); /* "midpoint", ... */

typedef struct phx_integrate_options {
    phx_integrator integrator;
    double end;              /* s */
    double step;             /* s; for radau5 and ida only when rtol is 0 */
    double every;            /* output interval, s, hit exactly; 0: each step (adaptive methods: each accepted step) */
    double rtol, atol;       /* radau5, ida: choose the steps; 0: fixed step */
    int max_halvings;        /* default 20 */
    double newton_tolerance; /* relative, in the kinetic-energy norm; 0: to rounding */
} phx_integrate_options;
phx_integrate_options phx_integrate_options_default(void);

typedef struct phx_integrate_stats {
    long steps, rejected, halvings, newton_iterations, linearisations, factorisations, projections;
    double smallest_step;
    double wall_seconds;
} phx_integrate_stats;

/* What is recorded at an output instant. */
typedef struct phx_sample {
    double t;
    const double *x, *v, *lambda;
    phx_work work; /* since the start */
} phx_sample;
/* Any status but PHX_OK ends the run with it (PHX_INTERRUPTED: the user stopped it). */
typedef phx_status phx_sample_fn(void *user, const phx_sample *sample);

/* Integrate from (t, x, v, lambda), updated in place to the last state reached, and call `sample` at t and at every
 * output instant. On failure what was sampled stays valid; the message names time, body and reason. */
phx_status phx_integrate(phx_dae *dae, const phx_integrate_options *options, double *t, double *x, double *v,
                         double *lambda, phx_sample_fn *sample, void *user, phx_integrate_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
