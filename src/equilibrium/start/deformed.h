/* Private to this room: one Newton iteration for the deformed start (deformed_start.c), and the ways to use it. */
#ifndef PHX_EQUILIBRIUM_DEFORMED_H
#define PHX_EQUILIBRIUM_DEFORMED_H

#include "equilibrium/equilibrium.h"

/* The dense equations of the deformed start at one state. */
typedef struct dense {
    phx_dae *dae; /* the assembly's, with every row */
    phx_equations e;
    const phx_system *system;
    int rigid_each;  /* rigid velocities of a body */
    int n_v, n_r, m; /* velocities, rigid ones, rows */
    int rows, cols;
    int n_free;         /* rigid motions that leave the joints closed */
    int *rigid;         /* n_r: velocity of rigid column c */
    double *A, *b, *z;  /* rows x cols, rows, cols */
    double *row, *col;  /* scalings */
    double *a, *lambda; /* n_v, m */
    double *residuals;  /* n_v + m */
    double *G;          /* m x n_r */
    double *K;          /* on the kkt pattern: room */
    double *force;      /* forces of the stiffening strains of all bodies, body after body */
    int n_force;
    double load;      /* s, fraction of the loads: gravity and all forces and springs by s, velocities by sqrt(s), the
                         drives' accelerations by s; so a potential of theirs stays one */
    bool independent; /* the curvature of the strains is weighted with `force`, which follows linearly, and not with
                         the forces of the deformation as it is */
} dense;

phx_status phx_deformed_create(phx_system *system, dense *d);
void phx_deformed_free(dense *d);
/* A and b at (x, v = that of the start at x times sqrt(load), a, lambda); v is written. */
phx_status phx_deformed_evaluate(phx_system *system, double t, const double *x, double *v, dense *d);
/* Solve and move x, a, lambda and the forces. *moved: the largest relative move of a body; *bent: the largest change
 * of a deformation, relative to it. */
phx_status phx_deformed_correct(dense *d, double *x, double *moved, double *bent);

/* The stiffness of the deformed mechanism against that of the undeformed one, over the deformations with closed
 * joints: smallest eigenvalue of (K_t, K), 1 without loads, zero at a buckling or limit point; 1 where it cannot be
 * told (loads that follow the body have no potential). `body` (may be NULL): the one that has most of that mode. d is
 * evaluated at x. */
phx_status phx_deformed_stability(double t, const double *x, const dense *d, double *least, int *body);
/* Whether the quasi-static equilibrium at x, with rigid accelerations a and multipliers lambda, is stable, where the
 * system is small enough to decide it. v is overwritten. */
phx_status phx_deformed_is_stable(phx_system *system, double t, const double *x, double *v, const double *a,
                                  const double *lambda, bool *stable);

/* Deformed start by a dense Newton iteration for everything at once, also for joints that close only on deformed
 * bodies: from the undeformed start at once or, where that leads nowhere, by loads raised in steps from zero to their
 * full values. Whether the system is small enough for that. */
phx_status phx_deformed_start(phx_system *system, double t, double *x, double *v);
bool phx_deformed_fits(phx_system *system);

#endif
