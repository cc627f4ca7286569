/* Phlexor, layer integrate: time integrators. */
#ifndef PHLEXOR_INTEGRATE_H
#define PHLEXOR_INTEGRATE_H

#include <phlexor/base.h>
#include <phlexor/dae.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A row as a constant. */
#define PHX_INTEGRATOR_CONSTANT(NAME, name) PHX_##NAME,
/* The integrators (phlexor/dae.h). */
typedef enum phx_integrator { PHX_INTEGRATOR_LIST(PHX_INTEGRATOR_CONSTANT) PHX_INTEGRATORS } phx_integrator;
#undef PHX_INTEGRATOR_CONSTANT

/* What an integrator keeps to the residual of its equations. */
typedef enum phx_keeping {
    PHX_KEEPS_NOTHING,
    PHX_KEEPS_RIGID, /* of bodies that do not deform */
    PHX_KEEPS_EXACTLY
} phx_keeping;

/* An integrator, as the command line, models, the search of --accuracy and the judgement of a run need to know it. */
typedef struct phx_integrator_traits {
    const char *name;
    int order;                  /* of fixed steps */
    double work;                /* of a step, in those of midpoint; 0: not for an accuracy */
    bool candidate;             /* where an accuracy is asked for and no integrator */
    bool of_trees;              /* tried first then, of mechanisms that are trees of rigid bodies */
    bool chooses;               /* steps, when it is given rtol */
    double rtol;                /* of steps that are not chosen by the user's; 0: they are fixed */
    phx_keeping energy, joints; /* the balance of energy; the positions of joints */
} phx_integrator_traits;
/* Of an unknown one the name "unknown" and nothing else. */
const phx_integrator_traits *phx_integrator_get(phx_integrator integrator);
const char *phx_integrator_name(phx_integrator integrator); /* "midpoint", ... */

/* How far, by which integrator, with which steps. */
typedef struct phx_integrate_options {
    phx_integrator integrator;
    double end;              /* s */
    double step;             /* s; with rtol the longest (0: no bound); of radau5 and ida not used then */
    double every;            /* output interval, s, hit exactly; 0: each step (adaptive methods: each accepted step) */
    double rtol;             /* all but midpoint4: choose the steps; 0: fixed (ida: no longer than `step`, rtol 1e-8) */
    double atol;             /* in the units of x and v; 0: rtol/100 */
    int max_halvings;        /* of a fixed step that fails; 0 .. 40, default 20 */
    double newton_tolerance; /* fixed steps: relative, in the kinetic-energy norm; 0: to rounding */
    int iterations; /* exactly so many Newton corrections a step, of midpoint with a fixed step; 0: to rounding */
    bool real_time; /* fixed steps: take the wall time of each */
    double aligned; /* fixed steps: where loads or drives jump, steps end at the jumps and at the multiples of this, s,
                       and are equal in between, unless there are more jumps than steps between them; 0: equal steps
                       throughout */
} phx_integrate_options;
phx_integrate_options phx_integrate_options_default(void); /* midpoint, 1 s in steps of 1 ms */

/* Wall time of fixed steps, without what outputs between them take. Percentiles are exact to 1.2 %. */
typedef struct phx_step_times {
    long steps;                      /* measured; 0: none */
    long misses;                     /* steps that took longer than they are */
    double median, percent99, worst; /* s */
    double worst_at;                 /* s: where the slowest step began */
} phx_step_times;

/* The cost of a run. */
typedef struct phx_integrate_stats {
    long steps;    /* accepted; the pieces of a halved step count */
    long rejected; /* tries that were thrown away */
    long halvings, newton_iterations, linearisations, factorisations, projections;
    double smallest_step;   /* accepted, s */
    double largest_kinetic; /* energy at the ends of all steps, of the undeformed masses, J */
    double wall_seconds;
    /* With options.iterations: */
    long unsettled;         /* steps whose next correction would not have been rounding (above 1e-12 of the velocities,
                               or newton_tolerance) */
    double correction_left; /* the largest such correction, relative to the velocities, kinetic-energy norm */
    double energy_left;     /* J: sum over the steps of |h (v_mean . r_v + lambda . r_l)|, r the residual that is left;
                               a bound on what the balance of energy is open by */
    phx_step_times times;   /* with options.real_time */
} phx_integrate_stats;

/* The values at an output instant. */
typedef struct phx_sample {
    double t;
    const double *x, *v, *lambda;
    phx_work work;        /* since the start */
    const double *ledger; /* phx_system_ledger entries, since the start, J */
} phx_sample;
/* Any status but PHX_OK ends the run with it (PHX_INTERRUPTED: the user stopped it). */
typedef phx_status phx_sample_fn(void *user, const phx_sample *sample);

/* Integrate from (t, x, v, lambda), which lies on the joints, to options->end; the state is updated in place to the
 * last one reached, and `sample` (may be NULL) called at t and at every output instant. Instants are t + k every and
 * the end. Fixed steps are equal and no longer than `step`; they, and the states at their ends, do not depend on
 * `every`: instants within a step are reached by a shorter one in a twin of the dae (without that operation equal steps
 * fill each output interval). Instants at the end of a step have its time. Nothing is allocated between the first
 * sample and the last. `stats` may be NULL.
 *
 * Positions and velocities have the order of the method. `lambda` belongs to the method (mean of the last interval,
 * last stage, or extrapolated from the stages) and is of order 1, 1, 2, 3, 3 for midpoint ... radau5; the accelerations
 * of the dae give multipliers of an instant in full.
 *
 * On failure what was sampled stays valid, and the message names time, step, body and reason: PHX_NOT_CONVERGED,
 * PHX_SINGULAR, PHX_REJECTED when no smaller step helps, PHX_INTERRUPTED by the progress callback, PHX_ERR_UNSUPPORTED
 * for midpoint4 of a system with losses, PHX_ERR_ARGUMENT for options, else the status of the dae or of `sample`. */
phx_status phx_integrate(phx_dae *dae, const phx_integrate_options *options, double *t, double *x, double *v,
                         double *lambda, phx_sample_fn *sample, void *user, phx_integrate_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
