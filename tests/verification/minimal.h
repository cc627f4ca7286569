/* Mechanisms of rigid bodies in minimal coordinates, for comparison: poses given as functions of the coordinates,
 * derivatives by differences of eighth order, motion by Runge and Kutta's method, reactions by Newton and Euler. It
 * shares nothing with the library but dense algebra. */
#ifndef PHX_TEST_MINIMAL_H
#define PHX_TEST_MINIMAL_H

#include "support/testing.h"

enum { MINIMAL_COORDINATES = 2, MINIMAL_BODIES = 6, MINIMAL_JOINTS = 8 };

typedef struct minimal_pose {
    double c[3], R[9]; /* centre of mass; principal axes to inertial */
} minimal_pose;

/* Forces and torques that a joint can carry from body a to body b (-1: the ground) at a place: inertial directions. */
typedef struct minimal_joint {
    int a, b, n_forces, n_torques;
    double place[3], force[3][3], torque[3][3];
} minimal_joint;

typedef struct minimal {
    int coordinates, bodies, joints;
    double mass[MINIMAL_BODIES], inertia[MINIMAL_BODIES][3]; /* principal */
    double gravity[3];
    void (*pose)(const double *q, minimal_pose *pose);
    void (*joint)(const double *q, const minimal_pose *pose, minimal_joint *joint); /* NULL: no reactions */
    /* state, and what minimal_accelerations leaves */
    double t, q[MINIMAL_COORDINATES], v[MINIMAL_COORDINATES];
    minimal_pose now[MINIMAL_BODIES];
    double speed[MINIMAL_BODIES][3], spin[MINIMAL_BODIES][3];           /* of the centre of mass; inertial */
    double acceleration[MINIMAL_BODIES][3], spin_up[MINIMAL_BODIES][3]; /* inertial */
    double reaction[MINIMAL_JOINTS][6]; /* force and torque of a on b at the place, inertial */
    double kinetic, potential;
} minimal;

/* To time `end` in steps of about h. */
void minimal_run(minimal *m, double end, double h);
/* Everything at the present state. */
void minimal_evaluate(minimal *m);

#endif
