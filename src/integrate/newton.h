/* When to continue, stop or give up a Newton iteration that reuses its Jacobian. */
#ifndef PHLEXOR_INTEGRATE_NEWTON_H
#define PHLEXOR_INTEGRATE_NEWTON_H

#include "run.h"

enum { PHX_NEWTON_LIMIT = 30 }; /* corrections per step, at most */
/* Corrections below this part of the velocities are rounding. */
#define PHX_SURE_NOISE 2e-14

typedef enum phx_newton_verdict {
    PHX_NEWTON_GOES_ON,  /* apply the correction */
    PHX_NEWTON_SLOW,     /* apply it, and use a fresh Jacobian afterwards */
    PHX_NEWTON_LAST,     /* apply it and stop: the remaining error is below the tolerance */
    PHX_NEWTON_ROUNDING, /* do not apply it and stop: the corrections are rounding and shrink no more */
    PHX_NEWTON_FAILS     /* the corrections do not shrink */
} phx_newton_verdict;

typedef struct phx_newton {
    double tolerance; /* relative to scale: a correction this small is the last; so is one that leaves an error of
                         `left` */
    double left;      /* relative to scale */
    double scale;
    double noise;       /* relative to noise_scale: corrections this small that shrink no more are rounding */
    double noise_scale; /* the larger of scale and `forces` */
    double given;       /* scale that the iteration began with */
    double forces;      /* contribution of the forces to noise_scale */
    bool remembers;     /* ends at corrections as small as rounding has been; the velocities are projected afterwards */
    int patience;       /* corrections that a slow iteration may still take before a fresh Jacobian */
    int forgiven;       /* corrections that may still fail to shrink: a fresh Jacobian is then made at the new state */
    double previous;    /* size of the last correction; negative: none */
    double rate;        /* ratio of the last two; 0: none yet */
    double smallest;    /* correction so far; 0: none yet */
    bool rounded;       /* the last correction may have been rounding */
    int stalls;         /* corrections with a recent Jacobian since `smallest` was last halved */
    bool widened;       /* noise_scale contains the forces */
    bool balanced;      /* and those that balance each other */
    bool rescued;       /* the iteration started again with a fresh Jacobian */
} phx_newton;

/* An iteration that goes down to rounding, or to options.newton_tolerance. `scale`: size of the velocities. */
phx_newton phx_newton_to_rounding(const phx_run *run, double scale);
/* An iteration in a norm scaled by error weights: sizes near 1 are the errors that are allowed. */
phx_newton phx_newton_to_weights(double tolerance);
/* `recent`: the Jacobian was made in this step. */
phx_newton_verdict phx_newton_judge(phx_newton *newton, double size, bool recent);

/* From rest the iteration takes the size of the corrections for the scale of the velocities; `found` is the size of the
 * velocities at its end. True: the verdict to stop holds. False: the corrections were much larger than the velocities
 * found; continue with the right scale. */
bool phx_newton_confirm(phx_newton *newton, double found);
/* The forces at the start of the step, as the velocity they give (phx_run_force_scale), tell how small rounding is. */
void phx_newton_widen(phx_newton *newton, double forces);
/* The last resort: the same of forces that may balance each other (phx_run_balance_scale). PHX_OK. */
phx_status phx_newton_balance(phx_newton *newton, double forces);

/* The state for which a factorisation was made. */
typedef struct phx_jacobian {
    double h;    /* step size of its A(cj) */
    bool valid;  /* false: make a new one before the next solve */
    bool recent; /* made in this step */
} phx_jacobian;
bool phx_jacobian_fits(const phx_jacobian *jacobian, double h);

/* Solve with the positions eliminated, by the factorisation of A(cj) in a slot:
 *     [ cj   -T          0   ] [dxi    ]   [ a ]     a: n_v, tangent
 *     [ K     cj M + D  -G^T ] [dv     ] = [ b ]     b: n_v + n_l, overwritten by (dv, dlambda);  dxi = (dv + a)/cj
 *     [ K_l   G          0   ] [dlambda]
 * `shift`: n_v + n_l values of workspace. */
phx_status phx_solve_eliminated(phx_dae *dae, int slot, double cj, const double *a, double *shift, double *b);

#endif
