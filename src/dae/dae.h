/* Layer dae, for the other layers of the library: the thin table of operations that integrators need of a mechanical
 * port-Hamiltonian DAE.
 *
 *   x_dot = T(x) v                         configuration: places, attitudes (direction cosines), deformations
 *   M(x) v_dot = f(t, x, v) + G(x)^T lambda
 *   0 = G(x) v - w(t)                      joints at velocity level, index 2
 *
 * Sizes: n_x >= n_v (attitudes are redundant), n_v velocities, n_l multipliers. The tangent xi (n_v) of the
 * configuration is the body-axes increment with xi_dot = v up to commutators. Residual vectors have n_v + n_l entries.
 *
 * The object is a workspace over a finalised system: not const, one per thread. After creation no operation allocates,
 * except a factorisation that has to pivot anew. */
#ifndef PHX_DAE_DAE_H
#define PHX_DAE_DAE_H

#include "base/base.h"

#include <phlexor/dae.h>

enum { PHX_FACTOR_SLOTS = 3 };

/* A mechanism as an ordinary differential equation y_dot = f(t, y) in coordinates of its own. The last entries of y are
 * quadratures: work supplied and dissipated, then the parts of the dae; a mechanism that exchanges none has none. */
typedef struct phx_ode phx_ode;
typedef struct phx_ode_ops {
    void (*destroy)(phx_ode *ode);
    /* The y of a state on the joints, from which coordinates and work count. */
    void (*begin)(phx_ode *ode, const double *x, const double *v, double *y);
    phx_status (*rates)(phx_ode *ode, double t, const double *y, double *y_dot);
    /* Redundant coordinates (quaternions) brought back to where they are one. */
    void (*normalise)(phx_ode *ode, double *y);
    /* The state of y, whose joints are closed; x has one within the last step before, from which angles are counted. */
    void (*state)(phx_ode *ode, double t, const double *y, double *x, double *v);
    /* The longest step from y over which those can be, s. */
    double (*longest)(const phx_ode *ode, const double *y);
    /* Whether a prescribed rate jumps between two times that are as good as one; y behind such a jump from the y ahead
     * of it, by the impulse that it takes. */
    bool (*jumps)(const phx_ode *ode, double ahead, double behind);
    phx_status (*pass_jump)(phx_ode *ode, double ahead, double behind, double *y);
} phx_ode_ops;
struct phx_ode {
    const phx_ode_ops *ops;
    int n, n_state; /* entries of y; those before the work */
    bool driven;    /* it has prescribed rates */
};

/* The operations of the equations that an integrator calls. */
typedef struct phx_dae_ops {
    /* -- the equations at an instant -- */
    /* x_dot = T(x) v; x need not be normalised. */
    void (*rates)(phx_dae *dae, const double *x, const double *v, double *x_dot);
    /* res = [ M(x) v_dot - f(t,x,v) - G^T lambda ; G(x) v - w(t) ]. */
    phx_status (*residual)(phx_dae *dae, double t, const double *x, const double *v, const double *v_dot,
                           const double *lambda, double *res);
    /* Power supplied by loads, drives (lambda . w) and actuators; power dissipated. */
    phx_status (*power)(phx_dae *dae, double t, const double *x, const double *v, const double *lambda,
                        double *supplied, double *dissipated);
    /* Solve the acceleration-level system M v_dot = f + G^T lambda, G v_dot = w_dot - G_dot v at a consistent state. */
    phx_status (*accelerations)(phx_dae *dae, double t, const double *x, const double *v, double *v_dot,
                                double *lambda);
    /* Bring attitudes back to rotations, in place; with `count` unwrapped angles follow them, which evaluations at x do
     * not need. */
    void (*normalise)(phx_dae *dae, double *x, bool count);
    /* Unwrapped angles follow the direction cosines, in place; nothing else changes. */
    void (*count)(phx_dae *dae, double *x);
    /* dxi = tangent of the embedded increment dx at x: (R^T dr, skew part of R^T dR, dq). */
    void (*tangent)(phx_dae *dae, const double *x, const double *dx, double *dxi);

    /* -- linearisation and linear algebra -- */
    /* Evaluate the derivative arrays at (t, x, v, lambda), x normalised:
     *     factor(cj):  A(cj) = [ cj M + D + K/cj   -G^T ]     D, K: derivatives of the residual with respect to v, xi
     *                          [ G + K_l/cj          0  ]     (v_dot = 0), so that A(cj) (dv, dlambda) = -res  is a
     * Newton step for v_dot = cj dv, xi = dv/cj. */
    phx_status (*linearise)(phx_dae *dae, double t, const double *x, const double *v, const double *lambda);
    /* out += [K; K_l] dxi, out += [M; 0] dv with the arrays of the last linearise. */
    void (*stiffness_apply)(phx_dae *dae, const double *dxi, double *out);
    void (*mass_apply)(phx_dae *dae, const double *dv, double *out);
    /* Factor A(cj) of the last linearise (of interval_linearise: 2/h) into a slot; PHX_SINGULAR is retryable. After a
     * failure the slot has no factors. The complex form takes cj = re + i im. */
    phx_status (*factor)(phx_dae *dae, int slot, double cj);
    phx_status (*factor_complex)(phx_dae *dae, int slot, double re, double im);
    /* b <- A^-1 b; n_v + n_l values, interleaved (re, im) in the complex form. */
    phx_status (*solve)(phx_dae *dae, int slot, double *b);
    phx_status (*solve_complex)(phx_dae *dae, int slot, double *b);

    /* -- the midpoint rule built on averages over [t0, t0 + h]; h may be negative -- */
    /* Fix the start of the interval (x0, v0 are copied). */
    phx_status (*interval_begin)(phx_dae *dae, double t0, double h, const double *x0, const double *v0);
    /* For the end velocity v1 (the unknown) compute x1 and res = [ (p1 - p0)/h - forces - G_mean^T lambda ;
     * G_mean v_mean - w_mean ], whose derivative with respect to (v_mean, lambda) is A(2/h), v_mean = (v0 + v1)/2.
     * res NULL: after an interval_residual with almost the same v1, only x1 and what interval_work needs. Turns are
     * counted here; with a `res` x1 has the unwrapped angles of x0. x1 NULL: not asked for. */
    phx_status (*interval_residual)(phx_dae *dae, const double *v1, const double *lambda, double *x1, double *res);
    /* Where forces follow the multipliers (friction): the interval has been solved for these, which the forces take
     * now; whether that changes them, so that it has to be solved again. NULL: there are no such forces. */
    bool (*interval_reactions)(phx_dae *dae, const double *lambda);
    /* A(2/h) of the interval of the last interval_residual with a `res`; factor comes next. */
    phx_status (*interval_linearise)(phx_dae *dae);
    /* Work over the interval of the last interval_residual, exact to the scheme: h lambda.w_mean, loads, dampers. */
    phx_status (*interval_work)(phx_dae *dae, phx_work *work);

    /* The interval at hand is solved at v1, which becomes the velocity at its end; adds to the work and its parts.
     * NULL: it is that velocity. */
    phx_status (*interval_finish)(phx_dae *dae, double *v1, phx_work *work);
    /* -- numerical damping, of a dae that is `filtered`; NULL: there is none -- */
    /* The trial is accepted; the memories are taken over from another workspace. */
    void (*keep)(phx_dae *dae);
    void (*take_memory)(phx_dae *dae, const phx_dae *from);

    /* -- after a step: put v1 on G(x1) v1 = w(t1) without changing the energy balance -- */
    /* v1 and lambda are corrected in place (lambda += mu/h); `work` receives what the drives supplied. `interval`: the
     * step was an interval of this table, then free components also keep their momenta. PHX_REJECTED, nothing changed,
     * when the correction takes more than 1e-3 of the kinetic energy and `may_reject` is set. */
    phx_status (*project)(phx_dae *dae, double t1, double h, bool interval, bool may_reject, const double *x1,
                          double *v1, double *lambda, phx_work *work);

    /* sqrt(dv^T M dv) with the constant (undeformed) block-diagonal mass, the norm that convergence is measured in. */
    double (*norm)(phx_dae *dae, const double *dv);
    /* The norm of the velocities that cross the places themselves in the time h. Where forces come from differences of
     * places, a share of it is rounding. NULL: there are no such forces. */
    double (*place_speed)(phx_dae *dae, double h, const double *x);
    /* The norm of the velocities that gravity gives in the time h, and that cross the extent of the places in it where
     * forces act between them: what balances at rest is as large as that, and its rounding a share of it. NULL: 0. */
    double (*balance_speed)(phx_dae *dae, double h, const double *x);
    /* size (n_v) <- length of the vector that each velocity is a component of; of a deformation's rate the rate itself.
     * NULL: each velocity stands for itself. */
    void (*velocity_sizes)(phx_dae *dae, const double *v, double *size);
    /* Name of the body or joint that contributes most to a residual, for messages. */
    const char *(*worst_residual)(phx_dae *dae, const double *res);
    /* Whether everything that is given as a function of time is finite from t0 to t1, both included, as far as samples
     * tell: PHX_ERR_ANALYSIS and who is not, and where. NULL: nothing is given. */
    phx_status (*check_signals)(phx_dae *dae, double t0, double t1);
    /* How regular the rows of G are at a state that lies on the joints, from 1 down to 0 where they are dependent; near
     * a singular position it goes to zero in proportion to the distance. Closed loops only (`closed`). */
    double (*regularity)(phx_dae *dae, double t, const double *x, const double *v);
    /* Names of the joints whose rows nearly depend on each other at a state, "'a', 'b' and 2 more"; empty where nothing
     * tells. Allocates. */
    void (*dependent)(phx_dae *dae, double t, const double *x, const double *v, size_t size, char *text);
    /* The first time after t at which something that is given as a function of time jumps, s; HUGE_VAL: none that is
     * known. NULL: nothing is given. */
    double (*next_break)(const phx_dae *dae, double t);
    /* The first time after t at which something is sampled, s, where every step ends; HUGE_VAL: never. NULL: nothing
     * is. A sample is taken when an interval begins at its time. */
    double (*next_sample)(const phx_dae *dae, double t);
    /* The mechanism as an ordinary differential equation, over this workspace. PHX_ERR_UNSUPPORTED, with what stands
     * against it. NULL: none is. */
    phx_status (*ode)(phx_dae *dae, phx_ode **ode);
    /* Another workspace over the same equations, from which outputs between two steps are found without touching this
     * one. NULL: there is none, and output instants end steps. */
    phx_status (*twin)(phx_dae *dae, phx_dae **twin);
    void (*twin_destroy)(phx_dae *twin);
    /* The memory of the intervals so far in the workspace beside the state, factors in their slots included, between
     * two steps: with it those that follow are the same bit by bit, in another workspace over the same equations too.
     * NULL: nothing is left that matters. */
    void (*archive)(phx_dae *dae, phx_archive *archive);
    /* Largest residual of the joints at position and at velocity level, m and m/s (angles times 1 m). */
    void (*drift)(phx_dae *dae, double t, const double *x, const double *v, double *position, double *velocity);
} phx_dae_ops;

/* The equations: operations, sizes of x, v and lambda, and what an integrator may know of them. */
struct phx_dae {
    const phx_dae_ops *ops;
    phx_context *context;
    int n_x, n_v, n_l;
    bool lossless;      /* no damper, no resistive stress, no actuator that can dissipate: substeps may go backwards */
    bool midpoint_only; /* controllers, whose states only the midpoint rule built on averages takes along */
    bool drives;        /* rates are prescribed by signals */
    bool filtered;      /* intervals damp what they do not resolve: they are for `midpoint` in equal steps */
    bool rubs;          /* friction follows the multipliers: intervals are solved until they agree */
    bool closed;        /* joints close loops, whose rows may become dependent in singular positions */
    /* Of the last power (W), interval_work or project (J) that succeeded: what it came to by parts, for a ledger; what
     * a part means the maker of the dae says. */
    int n_parts;
    double *parts;     /* n_parts */
    int matrix_cost;   /* what an interval's matrix and its factors cost, in residuals with a solve each; 0: 3 */
    bool partly_new;   /* set by interval_linearise: only parts of the matrix are of this interval */
    bool own_matrices; /* set by the integrator: each interval's matrix is made anew in all its parts, which takes the
                          same work in each */
    bool loose;        /* two digits of the next solutions are enough; set and taken back by who asks for them */
};

#endif
