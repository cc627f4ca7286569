/* A chain of planar rigid bodies behind the table of dae.h, in dense algebra and fixed arrays: small enough to be read,
 * and complete. Body k has its frame at its upper joint, its centre of mass at (sx, sy), and carries the next joint at
 * (length, 0); joint 0 holds the chain at the origin. x = (r_x, r_y, cos, sin, angle) and v = (v_x, v_y, omega) in body
 * axes, body by body; rows of the constraints: two for each joint, then omega of body 0 where it is driven. */
#ifndef PHLEXOR_TESTS_INTEGRATE_PENDULUM_H
#define PHLEXOR_TESTS_INTEGRATE_PENDULUM_H

#include "dae/dae.h"

#include <phlexor/integrate.h>

#include <complex.h>

enum {
    BODIES = 4, /* at most */
    NX = 5,     /* per body */
    NV = 3,
    MOST_X = NX * BODIES,
    MOST_V = NV * BODIES,
    MOST_L = 2 * BODIES + 1,
    MOST = MOST_V + MOST_L,
    SWING_INTEGRATORS = PHX_DOP853 /* all before the one that asks for an ordinary differential equation */
};

typedef struct pendulum_def {
    int bodies;
    double mass, length, sx, sy, inertia; /* of each body; inertia about the centre of mass */
    double gravity;                       /* along -y */
    double damping, stiffness;            /* in each joint, N m s and N m, at rest when stretched out along x */
    bool driven;                          /* omega of body 0 = speed + swing sin(frequency t) */
    double speed, swing, frequency;
    double jump, jump_time; /* omega grows by jump at that time; intervals go forward in time */
} pendulum_def;
pendulum_def pendulum_def_default(void); /* two bodies, not driven, no damping, g = 9.81 */

typedef struct pendulum {
    phx_dae dae;
    pendulum_def def;
    double mass[NV][NV];
    /* derivative arrays of the last linearise */
    double K[MOST][MOST_V], D[MOST_V][MOST_V], G[MOST_L][MOST_V];
    double lu[PHX_FACTOR_SLOTS][MOST][MOST];
    double complex lu_complex[PHX_FACTOR_SLOTS][MOST][MOST];
    int pivot[PHX_FACTOR_SLOTS][MOST];
    /* the interval */
    double t0, h, x0[MOST_X], v0[MOST_V], x_mean[MOST_X], v_mean[MOST_V], lambda[MOST_L];
    /* faults: the call number `fail_at` of the operations that can fail fails with `fail_with`, and the `fail_count -
     * 1` calls after it */
    long calls, fail_at, fail_count;
    phx_status fail_with;
} pendulum;

void pendulum_init(pendulum *p, phx_context *context, const pendulum_def *def);
/* A state that closes the joints: absolute angles and rates of the bodies; lambda = 0. */
void pendulum_place(const pendulum *p, const double *angle, const double *rate, double *x, double *v);
double pendulum_kinetic(const pendulum *p, const double *v);
double pendulum_energy(const pendulum *p, const double *x, const double *v);

#endif
