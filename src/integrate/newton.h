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
    double noise_scale; /* scale, or the forces during the step where they are larger */
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
