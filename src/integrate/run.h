/* Shared by the integrators: the run with its last accepted state and its trial, and the interface of a method, which
 * computes the trial from the accepted state. */
#ifndef PHLEXOR_INTEGRATE_RUN_H
#define PHLEXOR_INTEGRATE_RUN_H

#include "integrate/integrate.h"

#include <phlexor/integrate.h>

typedef struct phx_branch phx_branch;
typedef struct phx_step_clock phx_step_clock;

/* The state at the end of the step, and the work over this step; `ledger`: by the parts of the dae, n_parts. */
typedef struct phx_trial {
    double *x, *v, *lambda; /* n_x, n_v, n_l */
    double *ledger;
    phx_work work;
} phx_trial;

/* Running sizes that Newton's corrections are measured by. */
typedef struct phx_run_sizes {
    double velocity; /* of the velocities, in the norm of the dae */
    double forced;   /* of what the forces add to it where rounding is told apart */
    double noise;    /* of the rounding in the Newton corrections, relative to `forced` */
} phx_run_sizes;

/* Why the last trial failed. */
typedef struct phx_run_failure {
    const char *reason; /* NULL: the message of the dae, if any */
    const char *worst;  /* name of the body or joint with the worst residual */
    double step;        /* s */
} phx_run_failure;

/* The function that is given the samples. */
typedef struct phx_run_receiver {
    phx_sample_fn *sample;
    void *user;
} phx_run_receiver;

/* One call of phx_integrate. A method reads the accepted state and fills the trial; phx_run_accept makes the trial the
 * accepted state. A trial that fails leaves the accepted state unchanged. */
typedef struct phx_run {
    phx_dae *dae;
    phx_context *context;
    phx_integrate_options options; /* defaults filled in */
    phx_integrate_stats *stats;

    /* The last state accepted, in the arrays of the caller, and the work since the start; `ledger` (n_parts): by the
     * parts of the dae. */
    double t;
    double *x, *v, *lambda; /* n_x, n_v, n_l */
    phx_work work;
    double *ledger;

    double start; /* of the run, s */
    phx_trial trial;
    phx_run_sizes sizes;
    phx_run_failure failure;

    struct phx_outputs *outputs; /* where to sample between the steps; NULL: steps end at output instants */
    phx_branch *branch;          /* singular positions; NULL: there are none */
    phx_step_clock *clock;       /* wall time of the steps; NULL: not taken */

    bool aligned; /* options.aligned is followed: something jumps */
    phx_run_receiver receiver;
    phx_run_progress own_progress, *progress; /* that of the run, or of a longer one that it is part of */
} phx_run;

/* Commit the trial as the state at t1, a step of size h, and report progress. PHX_INTERRUPTED: the user stops the run;
 * the state is committed. */
phx_status phx_run_accept(phx_run *run, double t1, double h);
/* Sample the accepted state. */
phx_status phx_run_sample(phx_run *run);
/* Sample the state at t, which the last step may have passed. */
phx_status phx_run_sample_at(phx_run *run, double t);
/* The arrays of the trial and of the ledgers. */
phx_status phx_run_allocate(phx_run *run);
void phx_run_release(phx_run *run);
/* A trial begins: its work is zero. */
void phx_run_clear_work(phx_run *run);
/* Add `factor` times the parts in dae->parts to the ledger of the trial. */
void phx_run_book(phx_run *run, double factor);
/* Sample when every accepted step is an output (every = 0). */
phx_status phx_run_sample_step(phx_run *run);
/* Record why a trial with step h fails: the reason in words and, from the residual (may be NULL), the body or joint
 * with the worst residual. Returns `status`. */
phx_status phx_run_blame(phx_run *run, phx_status status, double h, const char *reason, const double *res);
/* The smallest step worth trying for a method that chooses its steps, s. */
double phx_run_smallest_step(const phx_run *run);
/* Set the message that says why the run stops here: time, step, reason, body, remedy. Returns `status`. */
phx_status phx_run_stop(phx_run *run, phx_status status);
/* Size of velocities v from which a step or a part of it starts, or the running one where that is larger. */
double phx_run_scale(phx_run *run, const double *v);

/* Size of the velocity that the forces f at a state give in a time h; a lower bound, which needs no solution:
 *     h |f|_{M^-1} >= h f.f / |f|_M                                                   (Cauchy and Schwarz)
 * f: the first n_v entries of the residual `res` with v_dot = 0 and lambda = 0. */
double phx_run_force_scale(const phx_run *run, double h, const double *res);
/* Rounding of places as velocities, as large as rounding of forces may be: for phx_newton_widen. */
double phx_run_place_scale(const phx_run *run, double h, const double *x);
/* The same of forces that may balance each other, which the sum of all forces does not tell. */
double phx_run_balance_scale(const phx_run *run, double h, const double *x);

typedef struct phx_method phx_method;

/* Exactly one of step and advance is set. */
typedef struct phx_method_ops {
    void (*destroy)(phx_method *method);
    /* Try one step from the accepted state at t0 to the trial at t1 = t0 + h. A positive status can be retried with a
     * smaller step; `last_chance`: there will be none. */
    phx_status (*step)(phx_method *method, double t0, double t1, double h, bool last_chance);
    /* Error estimate of the last trial that succeeded, in units of the tolerance, the same from either end of the step.
     * NULL: no estimate. */
    double (*estimate)(const phx_method *method);
    /* Forget the steps before and the factorisations: the next step does not depend on them. */
    void (*forget)(phx_method *method);
    /* Fill the accepted state of the run `into` with the state at t, within the last step. NULL: a step to t is made
     * instead. */
    phx_status (*look_back)(phx_method *method, double t, phx_run *into);
    /* Archives what the method keeps of earlier steps, factors apart. NULL: it has to forget them where a run is
     * archived. */
    void (*archive)(phx_method *method, phx_archive *archive);
    bool ends_at_breaks; /* equal steps end where something given jumps, too, and are equal in between */
    /* Go to `to` in steps of its own choice, each accepted and sampled by phx_run_accept and phx_run_sample_step. */
    phx_status (*advance)(phx_method *method, double to);
} phx_method_ops;

/* First member of every method. */
struct phx_method {
    const phx_method_ops *ops;
    phx_run *run;
};

/* What PHX_INTEGRATOR_LIST names: phx_method_midpoint and so on, each in its file. */
typedef struct phx_method_kind {
    phx_integrator_traits traits;
    phx_status (*create)(phx_run *run, phx_method **method);
} phx_method_kind;
#define PHX_METHOD_KIND(NAME, name) extern const phx_method_kind phx_method_##name;
PHX_INTEGRATOR_LIST(PHX_METHOD_KIND)
#undef PHX_METHOD_KIND

/* midpoint in fixed steps, whatever the options say. */
phx_status phx_midpoint_plain_create(phx_run *run, phx_method **method);
/* The method `wrapped` with steps chosen by its estimate, which falls with h^order. Owns `wrapped`, also on failure. */
phx_status phx_reversible_create(phx_run *run, phx_method *wrapped, int order, phx_method **method);
/* atol |(1, 1, ...)| in the norm of the dae, its default included. `room`: n_v values of workspace. */
double phx_run_atol_size(const phx_run *run, double *room);

/* The run of phx_integrate with its arrays, without samples. */
phx_status phx_run_check(phx_dae *dae, const phx_integrate_options *options, double t, const double *x, const double *v,
                         const double *lambda);
phx_status phx_run_create_method(phx_run *run, phx_method **method);

/* One step of a method with fixed steps, halved as often as needed. */
phx_status phx_halving_step(phx_run *run, phx_method *method, double t0, double t1, double h);

#endif
