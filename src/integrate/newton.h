/* When to go on, when to stop and when to give up a Newton iteration with a kept Jacobian. */
#ifndef PHLEXOR_INTEGRATE_NEWTON_H
#define PHLEXOR_INTEGRATE_NEWTON_H

#include "run.h"

enum { PHX_NEWTON_LIMIT = 30 }; /* increments per step */

typedef enum phx_newton_verdict {
    PHX_NEWTON_GOES_ON,  /* apply the increment */
    PHX_NEWTON_SLOW,     /* apply it, and use a fresh Jacobian afterwards */
    PHX_NEWTON_LAST,     /* apply it and stop: what remains is below the tolerance */
    PHX_NEWTON_ROUNDING, /* stop without it: increments are down to rounding and shrink no more */
    PHX_NEWTON_FAILS     /* the increments do not shrink */
} phx_newton_verdict;

typedef struct phx_newton {
    double tolerance; /* relative to scale: an increment this small is the last; so is one that leaves `left` */
    double left;      /* relative to scale */
    double scale;
    double noise;       /* relative to noise_scale: increments this small that shrink no more are rounding */
    double noise_scale; /* scale, or the share of the forces that rounding is told by where that is larger */
    double given;       /* scale that the iteration began with */
    double forces;      /* of noise_scale, what the forces give */
    int forgiven;       /* increments that may yet fail to shrink: a fresh Jacobian is made at the new place */
    double previous;    /* size of the increment before; negative: none */
    double rate;        /* of the last two; 0: none yet */
    double smallest;    /* increment so far; 0: none yet */
    int stalls;         /* increments with a recent Jacobian since it was last halved */
    bool widened;       /* noise_scale contains the forces */
    bool rescued;       /* the iteration started again with a fresh Jacobian */
} phx_newton;

/* An iteration that goes down to rounding, or to options.newton_tolerance. `scale`: size of the velocities. */
phx_newton phx_newton_to_rounding(const phx_run *run, double scale);
/* An iteration in a norm scaled by error weights: sizes near 1 are the errors that are allowed. */
phx_newton phx_newton_to_weights(double tolerance);
/* `recent`: the Jacobian was made in this step. */
phx_newton_verdict phx_newton_judge(phx_newton *newton, double size, bool recent);

/* From rest the iteration takes increments for the size of the velocities; `found` is that of those it ended with.
 * True: the verdict to stop holds. False: the increments led away and back, go on with the right scale. */
bool phx_newton_confirm(phx_newton *newton, double found);
/* The forces at the start of the step, as the velocity they give (phx_run_force_scale), tell how small rounding is. */
void phx_newton_widen(phx_newton *newton, double forces);

/* What a kept factorisation stands for. */
typedef struct phx_jacobian {
    double h;    /* step size of its A(cj) */
    bool valid;  /* false: make a new one before the next solve */
    bool recent; /* made in this step */
} phx_jacobian;
bool phx_jacobian_fits(const phx_jacobian *jacobian, double h);

/* Solve with the places eliminated, by the factorisation of A(cj) in a slot:
 *     [ cj   -T          0   ] [dxi    ]   [ a ]     a: n_v, tangent
 *     [ K     cj M + D  -G^T ] [dv     ] = [ b ]     b: n_v + n_l, overwritten by (dv, dlambda);  dxi = (dv + a)/cj
 *     [ K_l   G          0   ] [dlambda]
 * `shift`: n_v + n_l values of workspace. */
phx_status phx_solve_eliminated(phx_dae *dae, int slot, double cj, const double *a, double *shift, double *b);

#endif
