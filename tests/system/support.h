/* Shared by the tests of layer system: builders of small mechanisms, and the midpoint step in its plainest form. */
#ifndef PHLEXOR_TESTS_SYSTEM_SUPPORT_H
#define PHLEXOR_TESTS_SYSTEM_SUPPORT_H

#include "equilibrium/equilibrium.h"

#include "support/testing.h"

/* ---- builders: they fail the test when something goes wrong ---- */
typedef struct model {
    phx_context *context;
    phx_system *system;
    phx_dae *dae;
    int dim, n_x, n_v, n_l;
    double *x, *v, *lambda; /* the start, by model_start */
} model;

void model_open(phx_context *context, double gravity_x, double gravity_y, model *m);
void model_open_space(phx_context *context, const double gravity[3], model *m);
/* Freeze and make the dae and the arrays. */
void model_finalise(model *m);
void model_start(model *m, bool quasi_static);
void model_ready(model *m); /* finalise, then start */
void model_close(model *m);

phx_pose pose_at(double x, double y, double angle);
/* Space: turned by an angle about an axis. */
phx_pose pose_turned(double x, double y, double z, double ax, double ay, double az, double angle);
/* Space: mass 2, inertia 0.3, 0.4, 0.5 about the centre, which is at (0.4, 0.1, -0.2). */
phx_body_id add_rigid_space(model *m, const char *name, phx_pose pose);
phx_body_id add_rigid(model *m, const char *name, double mass, double inertia, double cx, double cy, phx_pose pose);
typedef struct beam_kind {
    double length, mass, axial, bending; /* per length; EA, EI */
    int elements;
    phx_reference reference;
    bool stiffening;
    int modes;
    phx_kinetics kinetics;
    double damping_mass, damping_stiffness;
} beam_kind;
beam_kind beam_default(void); /* L = 1, rho A = 1, EA = 1e4, EI = 40, 2 elements, simply supported; space: EIy = 60,
                                 GJ = 30, polar inertia 0.01 per length */
phx_body_id add_beam(model *m, const char *name, const beam_kind *kind, phx_pose pose);
phx_port_id at_place(model *m, phx_body_id body, double x, double y);
phx_port_id at_turned(model *m, phx_body_id body, double x, double y, double angle);
phx_port_id at_space(model *m, phx_body_id body, double x, double y, double z, double ax, double ay, double az,
                     double angle);
phx_port_id at_beam(model *m, phx_body_id body, double s);
phx_signal *constant(model *m, double value);
/* offset + amplitude sin(frequency t) */
phx_signal *sine(model *m, double offset, double amplitude, double frequency);
phx_joint_id add_joint(model *m, const char *name, phx_joint_kind kind, phx_port_id a, phx_port_id b);
phx_joint_id add_joint_def(model *m, const phx_joint_def *def);
phx_joint_def joint_def(const char *name, phx_joint_kind kind, phx_port_id a, phx_port_id b);
void add_spring(model *m, const char *name, phx_port_id a, phx_port_id b, double k, double c, double length,
                phx_signal *force);
void add_force(model *m, const char *name, phx_port_id at, bool follower, phx_signal *fx, phx_signal *fy);
void add_torque(model *m, const char *name, phx_port_id at, phx_signal *torque);
void add_output(model *m, const char *name, phx_quantity quantity, int target);

/* ---- states ---- */
/* Any places and attitudes, deformations of about 0.05, velocities of about 1; joints are not closed. */
void random_state(const model *m, uint64_t *seed, double *x, double *v);
/* x1 = x (+) step xi: r + R dr, angle + dphi, q + dq. */
void displaced(const model *m, const double *x, double step, const double *xi, double *x1);
double total_energy(const model *m, const double *x, const double *v);

/* ---- the midpoint step, plainest ---- */
typedef struct step_result {
    int iterations;
    double residual; /* largest entry left */
    phx_work work;
} step_result;
/* From (x, v) over [t, t+h] to (x1, v1, lambda); v1 and lambda hold the guess. Newton with a fresh Jacobian in every
 * iteration, to rounding. No projection. */
phx_status solve_interval(model *m, double t, double h, const double *x, const double *v, double *x1, double *v1,
                          double *lambda, step_result *result);
/* steps of size h from m->x, m->v (updated) with projection; sums the work. Fails the test when Newton does. */
void run_midpoint(model *m, double t0, double h, long steps, phx_work *work);

#endif
