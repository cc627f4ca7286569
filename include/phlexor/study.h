/* Phlexor, layer study: whole analyses of a model, and sweeps over its parameters. */
#ifndef PHLEXOR_STUDY_H
#define PHLEXOR_STUDY_H

#include <stdio.h>

#include <phlexor/model.h>
#include <phlexor/integrate.h>
#include <phlexor/linear.h>
#include <phlexor/ranks.h>
#include <phlexor/results.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the points of a sweep ----
 * Several parameters multiply: the points are all combinations of their values. Points are numbered from 0, the
 * parameter added last varies fastest. */
typedef struct phx_sweep phx_sweep;

/* A sweep without parameters: one point. */
phx_status phx_sweep_create(phx_context *context, phx_sweep **sweep);
void phx_sweep_destroy(phx_sweep *sweep); /* NULL is allowed */

/* A parameter with `count` >= 1 values from + (to - from) i/(count - 1), in this order of operations, the last one
 * exactly `to`; count 1: `from`. The name is copied. Errors: PHX_ERR_ARGUMENT for a name that is empty or already
 * there, a count below 1, bounds that are not finite, or a product of counts beyond INT_MAX. */
phx_status phx_sweep_add_range(phx_sweep *sweep, const char *name, double from, double to, int count);
/* A parameter with explicit values, in any order, copied; all finite. */
phx_status phx_sweep_add_values(phx_sweep *sweep, const char *name, int count, const double *values);

/* Number of parameters. */
int phx_sweep_parameters(const phx_sweep *sweep);
/* Name of parameter k (owned by the sweep). k must be in range. */
const char *phx_sweep_name(const phx_sweep *sweep, int k);
/* Number of points, the product of the counts; 1 without parameters. */
int phx_sweep_points(const phx_sweep *sweep);
/* Place of a point along every parameter, and the values there (one for each parameter; either may be NULL). The
 * point must be in range. */
void phx_sweep_at(const phx_sweep *sweep, int point, int *index, double *values);

/* A sweep over what the model's `sweep` lists, but for parameters whose values were given from outside (--set): those
 * stay as they are, which the log says. */
phx_status phx_sweep_from_model(phx_context *context, const phx_model *model, phx_sweep **sweep);

/* ---- limits of validity ---- */
/* Limits of validity of small deformations in moving frames: docs/limits.md. */
typedef enum phx_limit_kind {
    PHX_LIMIT_ROTATION,    /* a section turns against the body's frame: rad */
    PHX_LIMIT_STRAIN,      /* largest strain of a fibre: 1 */
    PHX_LIMIT_AXIAL_FORCE, /* against the Euler load of the body under its reference conditions: 1 */
    PHX_LIMIT_ENERGY,      /* a speed that the energy amounts to: m/s */
    PHX_LIMIT_ELEMENT,     /* the ends of an element of a rod turn against each other: rad */
    PHX_LIMIT_TWIST,       /* what the twist of a body that turns leaves out of the square of its frequency: 1 */
    PHX_LIMIT_GYRATION,    /* what the inertia of point masses of a beam that turns leaves out of its frequencies: 1 */
    PHX_LIMIT_SIDEWAYS     /* what a body that is loaded across leaves out of its stiffness sideways: 1 */
} phx_limit_kind;

/* A limit that is, or was, exceeded. */
typedef struct phx_limit_finding {
    const char *body; /* "": the mechanism as a whole */
    phx_limit_kind kind;
    double first;      /* s: the first recorded instant beyond the limit */
    double worst, at;  /* the largest value, and when, s */
    bool quasi_static; /* of a check: not the start itself, but what its loads would do if the deformation followed */
    const char *text;  /* in words, with the remedy */
} phx_limit_finding;

/* ---- simulation ---- */
/* Options that are given here replace those of the model's `simulate`. */
typedef struct phx_simulate_options {
    phx_model_optional end, step, every, rtol, atol; /* s, s, s, 1, 1; all > 0 */
    phx_model_optional accuracy;                     /* of the outputs, relative to the largest length of each; > 0 */
    phx_model_optional accuracy_absolute;            /* in their units, added to it; > 0 */
    int n_accuracy_of;                               /* outputs that have it; 0: those of the model */
    const char *const *accuracy_of;
    bool has_integrator;
    phx_integrator integrator;
    const char *h5_path, *csv_path; /* where the result goes; NULL: no such file */
    int iterations; /* exactly so many Newton corrections a step, of midpoint with a fixed step; 0: those of the model
                     */
    bool real_time; /* take the wall time of each step (stats.times of the report, attributes step_time_... of the
                       result); fixed steps without events */
    bool strict;    /* the first recorded instant beyond a limit of validity ends the run (PHX_ERR_ANALYSIS) */
    int threads; /* inside the simulation, as of phx_system_threads (0: as many as pay); the result is the same byte by
                    byte. In a batch threads go over the points, and this is not used */
    phx_backend backend; /* how the equations are evaluated, as of phx_system_dae_with; a plain evaluation is on one
                            thread */
} phx_simulate_options;
phx_simulate_options phx_simulate_options_default(void);

/* Size, cost and invariants of a simulation. */
typedef struct phx_simulate_report {
    phx_integrate_options used; /* end, step, integrator ... of the run */
    phx_integrate_stats stats;
    int bodies, velocities, constraints, redundant;
    int threads; /* that worked inside the simulation */
    bool lossless;
    int events;                               /* that have happened */
    double event_loss;                        /* what they took, J */
    int impacts;                              /* of rigid contacts */
    double impact_loss;                       /* what they took, J */
    int transitions;                          /* times that friction began to slip or to stick, or turned round */
    double accuracy, accuracy_reached;        /* asked for, 0: none; and estimated, by comparison with another run */
    long runs, all_steps;                     /* to an accuracy: how many runs that took, and their steps */
    double from, reached;                     /* s, first and last instant recorded */
    size_t rows;                              /* instants recorded */
    double largest_energy;                    /* of |kinetic|, |elastic|, |energy| over the instants, J */
    double largest_residual;                  /* |energy - energy(0) - supplied + dissipated|, J */
    double largest_drift, largest_drift_rate; /* m, m/s; angles times 1 m */
    bool shaped;                              /* controllers shape the energy: there is a column closed_loop.energy */
    double shaped_from, shaped_to;            /* at the first and last instant, J */
    double shaped_rise;                       /* the largest rise from one recorded instant to another, J */
    int limits; /* limits of validity exceeded, of bodies and kinds; the log has a warning for each, and the result the
                   attributes `limits` (the number) and `limit_1`, `limit_2` ... (their texts) */
} phx_simulate_report;

/* With an accuracy, or where the model has neither step nor rtol (then 1e-3), method and step are found by runs
 * such that the outputs have it: error <= accuracy * largest length + accuracy_absolute of each; a step that is given
 * with it is the longest, an integrator the only one. PHX_ERR_ANALYSIS where it cannot be had.
 *
 * Build the model's system, make its start state (`initial`), integrate and record. The csv columns are
 *   t, kinetic, elastic, potential, energy, supplied, dissipated, residual, drift, drift_rate, outputs in file order.
 * The HDF5 file has also the states and what is needed to draw the bodies. When the run stops early its result is left
 * as NAME.partial and `report` says how far it came. Errors: those of phx_model_build and
 * phx_integrate, PHX_ERR_INPUT for missing or impossible settings, PHX_ERR_FILE, PHX_INTERRUPTED. */
phx_status phx_study_simulate(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                              phx_simulate_report *report);
/* The same with the result in memory, beside the files if any: caller owns it. Of a run that stops early it is what was
 * recorded, marked as partial, although the call fails; NULL when the run did not begin. result NULL: not wanted. */
phx_status phx_study_simulate_result(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                                     phx_simulate_report *report, phx_result **result);

/* ---- inverse dynamics: what the drives exert along a motion ----
 * A simulation of a model whose joints are driven by `motion` or `speed`, and a table with a row for each recorded
 * instant: t and for each driven coordinate JOINT.effort, JOINT.coordinate, JOINT.rate (of several coordinates
 * JOINT.effort1 ..). Efforts are those of the drives alone: with the same efforts given by actuators, springs and
 * dampers as they are, the mechanism moves in the same way. The table is a file for signals (`{file: ..., column:
 * JOINT.effort}`). Of the options csv_path is where it goes, h5_path where the result of the simulation goes. table
 * (may be NULL): it in memory, caller owns it. Errors of phx_study_simulate; PHX_ERR_INPUT where nothing is driven,
 * PHX_ERR_UNSUPPORTED with events, rigid contacts, set-valued friction and sampled controllers. */
phx_status phx_study_inverse(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                             phx_simulate_report *report, phx_result **table);

/* ---- stable inversion: inputs that make outputs follow a motion ----
 * That of the key inverse of the model, with the linear model about its start (or where the key linearize says):
 * bounded inputs, which begin before the motion where the zeros of the model lie in the right half-plane
 * (phx_ss_inversion). Of the options end, step, every and csv_path count. The table has a row every so many s (without
 * it each step) from 0 to the end: t, the inputs, the motions of the outputs, all as changes from the start, and the
 * states of the linear model. The integration takes steps of `step`, shortened so that rows fall on them. */
/* The report of a stable inversion. */
typedef struct phx_stable_inverse_report {
    double from, to; /* s */
    size_t rows;
    int inputs, states;
    int zeros, antistable; /* of the linear model; in the right half-plane */
    double slowest;        /* 1/s, the least real part of these; 0: none */
    double early, late;    /* phx_ss_inversion_report */
    double unrest;         /* m/s^2: of the point */
} phx_stable_inverse_report;
/* table (may be NULL): it in memory, caller owns it. A warning says where more than 1e-6 of what is needed lies before
 * 0 or after the end, and by how much the motion should begin later, or the table end later. Errors: PHX_ERR_INPUT
 * where the model has no inverse, for channels (with the nearest), a motion that does not begin at zero and rest or
 * does not end at rest, missing settings; PHX_ERR_UNSUPPORTED where an output answers the inputs in derivatives of
 * order 3 and more; PHX_ERR_ANALYSIS where the inputs do not move the outputs one by one. */
phx_status phx_study_stable_inverse(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                                    phx_stable_inverse_report *report, phx_result **table);

/* ---- step by step: for a program that closes the loop itself ----
 *
 *     phx_stepper_measure(context, stepper, row);   ... u of row ...
 *     phx_stepper_act(context, stepper, u);
 *     phx_stepper_step(context, stepper, period);
 *
 * or, as one call, phx_stepper_cycle(context, stepper, u, period, row);
 */
typedef struct phx_stepper phx_stepper;
/* A model at its start state. `inputs` are actuations as a controller of the model has them (JOINT.effort, LOAD.fx ..,
 * SPRING.force), held at what phx_stepper_act gives them, at first zero. Of the options step, integrator, tolerances,
 * backend and threads count. The model may go; the controllers of the model work as ever. Errors of
 * phx_study_simulate. */
phx_status phx_stepper_create(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                              int n_inputs, const char *const *inputs, phx_stepper **stepper);
void phx_stepper_destroy(phx_stepper *stepper); /* NULL is allowed */
/* The columns of a result: t, energies, .., outputs, those of controllers. */
int phx_stepper_columns(const phx_stepper *stepper);
void phx_stepper_column_name(const phx_stepper *stepper, int column, char *buffer, size_t size);
phx_status phx_stepper_measure(phx_context *context, phx_stepper *stepper, double *row);
/* Sets the inputs from now on; values: one for each. */
phx_status phx_stepper_act(phx_context *context, phx_stepper *stepper, const double *values);
/* On by `length` s, in steps of the options (0: by one of these). After a failure the state is that of the last step
 * that succeeded. */
phx_status phx_stepper_step(phx_context *context, phx_stepper *stepper, double length);
/* The three in one call: act with `values`, a step of `length`, measure into `row`. */
phx_status phx_stepper_cycle(phx_context *context, phx_stepper *stepper, const double *values, double length,
                             double *row);
/* The state, with time, work and inputs, as numbers, to go back to or to start from again: the same to rounding. */
int phx_stepper_state_size(const phx_stepper *stepper);
void phx_stepper_save(phx_stepper *stepper, double *state);
phx_status phx_stepper_restore(phx_context *context, phx_stepper *stepper, const double *state);

/* ---- joint coordinates of a tree of rigid bodies ----
 *
 *     M(q) u' + c(q, u) = effort(t, q, u)  and what else acts along the rates u                 (articulated bodies)
 *
 * q has for each joint, in the order of the model, its displacements (m), then its angles (rad), as the model counts
 * them; where a body turns freely against the one before it (spherical, free) the quaternion (w, x, y, z) of its axes
 * against the directions of port A. A body on no joint comes last, with the place of its centre of mass and its
 * quaternion. u has the rates; of a quaternion the relative angular velocity in the axes of the body behind. c:
 * Coriolis and centrifugal efforts and gravity. effort: of all springs, dampers, loads, actuators and controllers of
 * the model; dry friction, rigid contacts, rigid couplings (with a warning) and joints that events attach are left out,
 * and drives do not drive. */
typedef struct phx_joint_space phx_joint_space;
/* The model may go. by_angles: spherical and free joints have their three angles and the rates of these instead of
 * quaternions and angular velocities. PHX_ERR_UNSUPPORTED with what hinders: bodies that deform, loops, joints that
 * hold more than points and directions. */
phx_status phx_joint_space_create(phx_context *context, const phx_model *model, bool by_angles,
                                  phx_joint_space **space);
void phx_joint_space_destroy(phx_joint_space *space);                                           /* NULL is allowed */
int phx_joint_space_coordinates(const phx_joint_space *space);                                  /* of q */
int phx_joint_space_rates(const phx_joint_space *space);                                        /* n, of u */
void phx_joint_space_rate_name(const phx_joint_space *space, int k, char *buffer, size_t size); /* "joint", "joint.2" */
int phx_joint_space_columns(const phx_joint_space *space); /* outputs of the model */
void phx_joint_space_column_name(const phx_joint_space *space, int column, char *buffer, size_t size);
/* q and u of the last evaluation, at first those of the start of the model. */
void phx_joint_space_state(const phx_joint_space *space, double *q, double *u);
/* mass: n x n; bias and effort: n; columns: outputs, NULL: not asked for. */
phx_status phx_joint_space_evaluate(phx_context *context, phx_joint_space *space, double t, const double *q,
                                    const double *u, double *mass, double *bias, double *effort, double *columns);

/* ---- inverse kinematics: motions of the joints that bring a port to places ----
 * A tree of rigid bodies as in phx_joint_space. For each row of a path the coordinates q of the joints between the
 * ground and the port that bring it there, with errors below 1e-13 of the size L and 1e-13 rad. Of several solutions
 * those of the least sum of squares of the changes from the row before, of the first row from the start of the model:
 * angles in rad, displacements over L. L: the largest distance of the port from an axis at the start, or of the path
 * from the port. End stops are kept. Angles are continuous over full turns. */
/* The port and its path. */
typedef struct phx_inverse_kinematics_options {
    const char *port;        /* BODY.PORT */
    const char *path;        /* csv file: the time in its first column, x, y and angle, or x, y, z and qw, qx, qy, qz */
    int n;                   /* without a file: rows, of */
    const double *t;         /* n: s, increasing */
    const double *places;    /* n x dim: m, inertial */
    const double *rotations; /* directions of the port, in space n x 4 quaternions w, x, y, z to inertial axes, in the
                                plane n angles, rad; NULL: any directions */
    double every;            /* s, longest interval of rows between way points of the path, along lines and at rest in
                                each way point; 0: the rows of the path alone */
    double rise;  /* s, with `every`: the rate rises and falls evenly during `rise`; 0: phx_signal_create_ramp */
    bool nearest; /* accept the nearest place where one is not reached, and singular places; else errors */
    const char *csv_path; /* the table; NULL: no file, "-": standard output */
} phx_inverse_kinematics_options;
phx_inverse_kinematics_options phx_inverse_kinematics_options_default(void);
/* The report of inverse kinematics. */
typedef struct phx_inverse_kinematics_report {
    size_t rows, missed;          /* missed: places that are not reached */
    double left;                  /* m, the largest distance from a place */
    double singular, singular_at; /* smallest singular value of the Jacobian over the largest one; s */
    double step;                  /* largest change of a coordinate from row to row, rad or of L */
} phx_inverse_kinematics_report;
/* The table has a row for each place: t and for each coordinate JOINT.coordinate (of several JOINT.coordinate1 ..), a
 * `motion` for models (`{file: ..., column: JOINT.coordinate, interpolation: spline}`). table (may be NULL): it in
 * memory, caller owns it. PHX_ERR_ANALYSIS, with time, place and remedy, for a place that is not reached or singular;
 * PHX_ERR_INPUT for ports and rows; PHX_ERR_FILE; PHX_ERR_UNSUPPORTED as phx_joint_space_create, and where a body
 * moves freely or a rigid coupling acts between the ground and the port. */
phx_status phx_study_inverse_kinematics(phx_context *context, const phx_model *model,
                                        const phx_inverse_kinematics_options *options,
                                        phx_inverse_kinematics_report *report, phx_result **table);

/* ---- batches: a simulation at every point of a sweep ---- */
/* Gets a point when its turn has come: its report and its result in memory, which it owns from now on (it reports to
 * the context of the batch); or, where the point failed, NULL for both and why. Any status but PHX_OK ends the batch.
 */
typedef phx_status phx_study_point_fn(void *user, int point, const phx_simulate_report *report, phx_result *result,
                                      const char *message);

/* The points of a batch, and where the results go. */
typedef struct phx_study_batch_options {
    phx_simulate_options simulate; /* paths: what the results are called, NAME.h5 makes NAME-0001.h5 ...; "-" is none */
    const phx_sweep *sweep;        /* borrowed */
    const char *table_path;        /* csv; NULL: no table; "-": standard output */
    int threads;                   /* 0: one. All files are the same byte by byte for any number. With more than one
                                      call phx_algebra_set_threads(1) before */
    bool stop;                     /* at the first point that fails */
    int shard, shards;             /* with shards > 1 only the points shard, shard + shards ..; shard from 1. Numbers of
                                      points are those of the whole study */
    bool resume;                   /* go on with table_path.partial, which a study that ended early has left */
    phx_ranks *ranks;              /* processes that share the points, which are handed out as they are free: each
                                      computes one point at a time, beside the threads of rank 0. All files are the same
                                      byte by byte for any number; rank 0 has the table and the report. NULL: none */
    phx_study_point_fn *deliver;   /* called for every point in their order, on the calling thread; NULL: not wanted */
    void *user;                    /* of deliver */
} phx_study_batch_options;
phx_study_batch_options phx_study_batch_options_default(void);

/* Outcomes of the points. */
typedef struct phx_study_batch_report {
    phx_integrate_options used;            /* at the model as it stands */
    int points, complete, failed, threads; /* of this shard */
    int taken;                             /* points that `resume` has taken over */
    double largest_energy, largest_residual, largest_drift, largest_drift_rate; /* of the complete points */
} phx_study_batch_report;

/* Simulate copies of the model, as it was read, at every point. A point's result appears when it is complete, in the
 * order of the points; a point that fails leaves none, a warning in the log names it and says why. The results have an
 * attribute parameter.NAME for each parameter of the sweep. The table has a row for each point:
 *   point (from 1), the parameters, complete (1 or 0), t (end), energy, residual, drift, drift_rate (largest, as in
 *   phx_simulate_report), for each output NAME.end, NAME.min, NAME.max, and message, why the point failed.
 * Points go on in parallel, but for models that continue a result (`initial: from`): HDF5 is for one thread. PHX_OK
 * when points failed unless `stop` is set. Interrupted or stopped: the table stays as NAME.partial, and with `resume`
 * the study goes on from there: points that are listed and whose results are there are not computed again, but for the
 * last complete one, which must come out the same (PHX_ERR_INPUT: another model, other options, another study). The
 * table is the same byte by byte. */
phx_status phx_study_batch(phx_context *context, const phx_model *model, const phx_study_batch_options *options,
                           phx_study_batch_report *report);

/* ---- equilibrium at rest ---- */
enum { PHX_STATIC_FACTORS = 32 };
/* How it is looked for, and where it goes. */
typedef struct phx_study_static_options {
    double t;    /* s: the instant of loads and signals */
    int steps;   /* equal steps of all loads from nothing to what they are; 0: at once */
    bool stable; /* an unstable equilibrium is left for a stable one */
    bool steady; /* instead: the deformed equilibrium of the steady rotation of the driven joints (phx_system_steady) */
    int buckling; /* so many critical load factors, at most PHX_STATIC_FACTORS; 0: none */
    bool path;    /* instead: the path over the load factor by arc length, phx_path_options */
    double to, stride;
    int points;
    bool branch;
    const char *h5_path, *csv_path; /* where the result goes; NULL: no such file */
} phx_study_static_options;
phx_study_static_options phx_study_static_options_default(void);

/* The equilibrium, or the last point of the path, measured. */
typedef struct phx_study_static_report {
    phx_static_report found;
    int bodies, velocities, constraints, redundant;
    size_t rows;
    double load, largest_load; /* factors: of the last point, of all points */
    double elastic, potential; /* J, of the last point */
    double spin;               /* rad/s, of a steady rotation; of `found` it has nothing else then */
    int n_critical, n_linear;
    phx_critical_load critical[PHX_STATIC_FACTORS]; /* critical loads, by the size of their factors */
    double linear[PHX_STATIC_FACTORS];              /* a guess: by the stiffness linearised in the loads */
} phx_study_static_report;
/* The equilibrium of the model at rest (phx_system_static), from its assembled start as it is written, or the path to
 * it (phx_system_static_path). The result has a row for the equilibrium, or for each step or point, with the columns of
 * a simulation and behind the energies static.load (the factor), static.unbalanced (forces out of balance, parts of the
 * weight), static.unstable (directions); its time is the number of the row, and outputs are those at rest. Warnings in
 * the log tell of free motions, of an unstable equilibrium and of limits of validity. result (may be NULL): in memory,
 * caller owns it.
 * Errors of phx_model_build and of those functions. */
phx_status phx_study_static(phx_context *context, const phx_model *model, const phx_study_static_options *options,
                            phx_study_static_report *report, phx_result **result);

/* ---- modes ---- */
/* Which modes at which points. */
typedef struct phx_study_modes_options {
    int count;              /* modes at each point; 0: the model's `modes: count` */
    const phx_sweep *sweep; /* borrowed; NULL: one point */
    bool has_at;            /* replace the model's `modes: at` by `at` */
    phx_model_modes_at at;
    bool with_shapes; /* keep the bodies and configurations, and, where all points have the same coordinates, the mode
                         shapes */
    int threads;      /* that work on the points; 0: one. The table is the same bit by bit for any number. With more
                         than one call phx_algebra_set_threads(1) before */
    phx_beam_cache *cache; /* of the first thread, borrowed; NULL: its own */
} phx_study_modes_options;
phx_study_modes_options phx_study_modes_options_default(void);

/* Counts of the table. */
typedef struct phx_study_modes_report {
    int velocities, constraints, redundant; /* of the first point */
    int unstable;                           /* modes with damping below 0, over all points */
    double least_confidence; /* smallest MAC by which a mode was recognised along the sweep; 1: no sweep */
    phx_beam_cache_stats beams;
} phx_study_modes_report;

/* Modes about the assembled start configuration at zero speed with the drives locked, about the equilibrium at rest
 * (phx_system_static), or about the steady rotation at the speeds of the drives (phx_system_steady), over the points of
 * a sweep, with tracked branches. Where a start is no equilibrium a warning in the log says by how much. Beams that do
 * not change from point to point are made once by each thread. A sweep works on copies of the model as it was read.
 * `table` is filled to own what it points to (phx_modes_free). `report` may be NULL. Errors as above, of the first
 * point in the order of the sweep that fails; the message names it. */
phx_status phx_study_modes(phx_context *context, const phx_model *model, const phx_study_modes_options *options,
                           phx_modes_table *table, phx_study_modes_report *report);

/* ---- how large a run would be ---- */
/* Sizes of a run, before it is begun. */
typedef struct phx_run_size {
    double points;   /* of the sweep; 1: none */
    double instants; /* that the results of all points record; 0 where the integrator chooses them, and of modes */
    double bytes;    /* of all results in memory or HDF5, about; NAN: not known */
    double seconds;  /* on one thread, about; NAN: not known */
    bool large;      /* of 1e8 instants, 1e6 points or 1e11 bytes and more: to be asked for twice */
} phx_run_size;
/* The size of phx_study_simulate, or with a sweep (may be NULL) of phx_study_batch, with these options. Counted; beyond
 * a million instants or points a few steps are tried for the bytes and the time. Errors: PHX_ERR_INPUT for missing or
 * impossible settings. */
phx_status phx_study_simulate_size(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                                   const phx_sweep *sweep, phx_run_size *size);
/* The size of phx_study_modes with these options. */
phx_status phx_study_modes_size(phx_context *context, const phx_model *model, const phx_study_modes_options *options,
                                phx_run_size *size);
/* PHX_ERR_ARGUMENT with what there is to say of a large run and, at its end, `remedy`; PHX_OK when it is not large. */
phx_status phx_run_size_refuse(phx_context *context, const phx_run_size *size, const char *remedy);

/* ---- linear models for control ---- */
/* A figure that would be zero or positive in exact arithmetic. */
typedef struct phx_residual {
    const char *name; /* of letters and '_', static */
    double value;
} phx_residual;
enum { PHX_RESIDUALS = 8 };

/* A Casimir of the mechanism with a port-Hamiltonian controller: states . z + ports . q, q the displacements along its
 * ports, is constant, whatever the energies of both are. */
typedef struct phx_casimir {
    const char *controller; /* owned by the model */
    char *text;             /* owned: "loop.z1 - shoulder.coordinate" */
    int n_states, n_ports;
    double *states, *ports; /* owned */
    double residual;        /* of its rate in the linearised closed loop, relative to the terms */
} phx_casimir;

/* A linear model and what there is to say of it. Owns what it points to. */
typedef struct phx_linear_report {
    char *title;
    phx_ss *system;                    /* NULL: a large descriptor form, without what follows up to left_out */
    double *re, *im, *omega, *damping; /* poles, as phx_ss_poles gives them */
    double *dc_gain;                   /* outputs x inputs; rows of outputs that see poles at zero are not a number */
    int dc_rows;                       /* how many rows are numbers; all: the file has dc_gain */
    int rigid;                         /* free rigid motions of a mechanism, each two poles at zero */
    int left_out;                      /* states that were left out */
    double sample;                     /* s: of a sampled system; 0: continuous. Its poles are log(z)/sample */
    phx_margins *margins;              /* of a loop; else NULL */
    int n_residuals;
    phx_residual residuals[PHX_RESIDUALS]; /* of the structure: what would be zero or positive in exact arithmetic */
    int n_casimirs;
    phx_casimir *casimirs;    /* of the controllers in the loop */
    phx_reduction *reduction; /* of a reduced model: what it is worth; else NULL */
    phx_bundle *bundle; /* what a file of the model has: the form, dc_gain, the residuals, title, model (its text) */
} phx_linear_report;
void phx_linear_report_free(phx_linear_report *report); /* frees and zeroes the fields; NULL is allowed */

/* A port of a body by its name in the model file, or @S, the point at the fraction S of a beam's length. */
typedef struct phx_study_titop_options {
    const char *body;         /* its name */
    const char *parent;       /* the port P of the model; NULL: the port named P */
    int n_ports;              /* the ports C; */
    const char *const *ports; /* NULL: all other ports that the body has in the file, then the points @S at which
                                 joints, springs and loads hold it */
    int n_inverted;
    const char *const *inverted; /* channels, by their input or output */
    /* Of the inputs and outputs that there are after the inversion those that stay, in this order; NULL: all. Inputs
     * that do not stay are zero for good, and the states that they hold at zero are left out (PHX_SS_CONSTRAINED). */
    int n_inputs, n_outputs;
    const char *const *inputs, *const *outputs;
} phx_study_titop_options;
phx_study_titop_options phx_study_titop_options_default(void);
/* The TITOP model of one body of the model. The residuals are those of the matrices: asymmetry of mass, stiffness,
 * damping relative to their largest entries, asymmetry of the feedthrough before inversion, least eigenvalues of mass
 * and stiffness. PHX_ERR_INPUT for a body, port or channel that does not exist (with the nearest), an empty list;
 * PHX_ERR_ANALYSIS for a channel that cannot be inverted (named). */
phx_status phx_study_titop(phx_context *context, const phx_model *model, const phx_study_titop_options *options,
                           phx_linear_report *report);

/* The form of a linear model. */
typedef enum phx_linear_form {
    PHX_FORM_STATE_SPACE,
    PHX_FORM_SECOND_ORDER, /* reduced to modes and prescribed motions: phx_reduced */
    PHX_FORM_DESCRIPTOR    /* port-Hamiltonian, sparse, with its multipliers */
} phx_linear_form;

/* The channels and the form. */
typedef struct phx_study_linearize_options {
    phx_channels_options channels; /* inputs and outputs */
    phx_linear_form form;          /* of the report's bundle */
    bool has_at;                   /* replace the model's `linearize: at` by `at` */
    phx_model_modes_at at;
    const phx_reduction_options *reduction; /* reduce the model; NULL: do not */
    /* Of the state-space form: */
    const char *loop; /* the loop opened at this controller, phx_linearised_loop, in place of the model; NULL: none */
    double sample;    /* s: sampled, inputs held, sampled controllers of this period closed; 0: continuous (a loop: as
                         its controllers are) */
    int delay;        /* samples by which the inputs are late */
    bool minimal;     /* without states that no input moves or no output sees */
    bool stable_part; /* without free motions and what grows: phx_ss_stable_part */
} phx_study_linearize_options;
phx_study_linearize_options phx_study_linearize_options_default(void);
/* The model's system, linearised about its start state at zero speed, its equilibrium at rest, or a steady rotation,
 * with gyroscopic and centrifugal terms (phx_linearise_options). The report's system is in state space whatever the
 * form; beyond 600 coordinates the descriptor form comes without it and without dense work. Where the point is no
 * equilibrium a warning in the log says by how much. The residuals are the asymmetries of M, K and D relative to their
 * largest entries, the largest entry of G basis (what the constraints leave of it), and the accelerations in m/s^2 with
 * which the system would start, with the deformations held and free. Errors: PHX_ERR_INPUT for channels (with the
 * nearest), those of phx_linearise and of the form. */
phx_status phx_study_linearize(phx_context *context, const phx_model *model, const phx_study_linearize_options *options,
                               phx_linear_report *report);

/* ---- plants over a sweep ----
 * A linear model at every point of a sweep, all in the coordinates of the nominal one, the point in the middle of each
 * parameter's values. With modes P of a plant, z = S q stands for its modal coordinates q, where S = W^T P compares its
 * motions with the modes P_0 of the nominal one, W^T P_0 = I: by strain, W = K_0 P_0 Lambda^-1, and rigid motions by
 * coordinates of the first bodies. The matrices then depend smoothly on the parameters, and z = q at the nominal point.
 * The descriptor form keeps its own coordinates, those of the bodies. */
typedef struct phx_study_plants_options {
    phx_study_linearize_options
        linear;                 /* of each plant; a reduction without an order takes that of the nominal plant */
    const phx_sweep *sweep;     /* borrowed */
    const phx_lft_options *lft; /* an LFT of them; NULL: none */
    int threads;                /* 0: 1 */
} phx_study_plants_options;
phx_study_plants_options phx_study_plants_options_default(void);

/* The plants of a sweep. */
typedef struct phx_plants phx_plants;
/* Errors: those of phx_study_linearize, for the first point that fails, named in the message; PHX_ERR_ANALYSIS where
 * the number of coordinates changes along the sweep, or the motions of a plant cannot be told by those of the nominal
 * one; PHX_ERR_UNSUPPORTED for reductions of first order; those of phx_lft_options. */
phx_status phx_study_plants(phx_context *context, const phx_model *model, const phx_study_plants_options *options,
                            phx_plants **plants);
void phx_plants_destroy(phx_plants *plants); /* NULL is allowed */

/* Contents of the plants; pointers belong to them. */
typedef struct phx_plants_info {
    int n_points, nominal; /* nominal: the point, from 0 */
    int n_parameters;
    const double *values;     /* n_points x n_parameters */
    const phx_lft *lft;       /* NULL where none was asked for */
    const phx_bundle *bundle; /* the contents of a file of the plants */
} phx_plants_info;
/* Of plants; NULL: all zero. */
phx_plants_info phx_plants_about(const phx_plants *plants);
const phx_ss *phx_plants_system(const phx_plants *plants, int point); /* in state space, whatever the form */

/* ---- the matrices of a model ----
 * The matrices that phx_study_linearize makes its models of, unreduced and sparse, about the start state at zero speed
 * with the drives locked, added to `bundle` with what each is and its unit: M D K G KKT: M xi'' + D xi' + K xi = G^T
 * lambda + F u, G xi' = 0 (phx_linear); KKT = | M -G^T; -G 0 | F H Y_q Y_v Y_a Y_l Y_h Y_u: inputs and outputs
 * (phx_channels_options), where the model has any; drives by their rate E J R Q B P S N: the descriptor form
 * (phx_linearised_descriptor); not there, with a warning in the log, when K or D does not allow it NAME_M, and of a
 * body that deforms NAME_R NAME_M_ff NAME_K_ff NAME_S NAME_C NAME_stress NAME_root: the body's own (phx_body,
 * phx_flex); NAME is the body's with '_' for what is no letter or digit coordinates states multipliers (rows of G)
 * inputs outputs bodies: names title, model: texts Errors as above. */
phx_status phx_study_matrices(phx_context *context, const phx_model *model, phx_bundle *bundle);

/* ---- check ---- */
/* A constraint that the others imply. */
typedef struct phx_redundant_row {
    const char *joint; /* owned by the model */
    int row;           /* from 1 */
} phx_redundant_row;

/* A body whose pose as written the assembly has changed, by more than the rounding of the numbers that give it. */
typedef struct phx_start_move {
    const char *body;       /* owned by the model */
    double distance, angle; /* of its frame, m and rad; 0 where it was not written */
    const char *joint;      /* of this body, the one most open in the poses as written; owned by the model */
    double gap, gap_angle;  /* by how much, m and rad */
} phx_start_move;

/* The matching condition of a controller of kind ida_pbc. */
typedef struct phx_loop_matching {
    const char *controller; /* owned by the model */
    phx_matching matching;
    double mass; /* largest entry of M M_0^-1 - 1, M_0 of the mechanism at the start; NAN: it has other freedoms */
} phx_loop_matching;

/* A beam in modes with geometric stiffening: how well they hold it. */
typedef struct phx_check_modes {
    const char *body;     /* owned by the model */
    int modes, followers; /* its coordinates: modes, and axial shapes that follow them */
    double error; /* of the first frequencies, half as many as modes, under an axial pull three times the buckling
                     load of the reference condition, relative: an estimate by four times as many modes */
} phx_check_modes;

/* The certificate and the redundant constraints. */
typedef struct phx_check_report {
    phx_certificate certificate;
    int dimension;
    int n_redundant;
    phx_redundant_row *redundant; /* owned */
    int n_limits;
    phx_limit_finding *limits; /* owned, with their texts: limits of validity that the start state exceeds, or would
                                  if the deformation followed its loads */
    int n_moves;
    phx_start_move *moves; /* owned */
    double sampling_limit; /* s: bound of the sampling period of controllers that feed rates back, by their delay and
                              the mobility of what they act on; flexible modes, gains of coordinates and filters may
                              make the loop unstable below it; 0: there is none */
    int n_free;            /* free motions: without deformation, and nothing resists them */
    char free_names[256];  /* the joints that turn or slide in them, "joint 'a', joint 'b'"; "" also of large models */
    bool has_loop;         /* the loop of the controllers about the start is judged: */
    phx_stability loop;    /* by its modes, sampled ones from sample to sample */
    double loop_period;    /* s; 0: no controller is sampled */
    int n_casimirs, n_matchings;
    phx_casimir *casimirs;        /* owned */
    phx_loop_matching *matchings; /* owned */
    int n_modes;
    phx_check_modes *modes; /* owned */
} phx_check_report;
void phx_check_report_free(phx_check_report *report); /* frees and zeroes the fields; NULL is allowed */

/* The structure certificate of the model's system at its start state. */
phx_status phx_study_check(phx_context *context, const phx_model *model, phx_check_report *report);

/* ---- elastic bodies ---- */
/* The body that phx_study_reduce has written. */
typedef struct phx_reduce_report {
    const char *body; /* its name; owned by the model */
    int coordinates, ports, nodes;
    double mass;       /* kg, point masses included */
    double *frequency; /* coordinates: Hz, of the free body without point masses; owned */
    /* Errors of the basis: the first frequencies with all joined ports held, the static flexibility at a joined
     * port, relative; negative: not known. */
    double frequency_error, flexibility_error;
    /* Of the modes of a Craig-Bampton basis: effective mass along the body axes, kg, when all rigid ports move
     * together, and the least share of the mass that a unit motion of one port moves; share negative: another basis. */
    double effective_mass[3], effective_share;
} phx_reduce_report;
void phx_reduce_report_free(phx_reduce_report *report); /* frees and zeroes the fields; NULL is allowed */
/* A body on a mesh, or of another program, in its basis and with its ports and point masses, to an HDF5 file that
 * bodies of kind `reduced` load. What is joined in the model chooses basis and frame, as in a simulation. PHX_ERR_INPUT
 * for a body that does not exist (with the nearest) or is of another kind. */
phx_status phx_study_reduce(phx_context *context, const phx_model *model, const char *name, const char *path,
                            phx_reduce_report *report);
/* The same by all processes together: matrices and bases are distributed over them, rank 0 writes the file, all have
 * the report. PHX_ERR_UNSUPPORTED: Phlexor was built without PETSc, or stiffening, a basis of all unknowns or one of
 * the body's own modes is asked for, which one process makes. */
phx_status phx_study_reduce_over(phx_context *context, const phx_model *model, const char *name, const char *path,
                                 phx_ranks *ranks, phx_ranks_method method, phx_reduce_report *report);

/* Files of another finite-element program. */
typedef struct phx_study_import_options {
    int n_files;
    const char *const *files;
    const char *mass_matrix, *stiffness_matrix; /* files whose names do not say what they are; NULL: none */
    double length, mass, time;                  /* units of the files in m, kg, s; default 1 */
    const char *name;                           /* of the body; NULL: that of the first file */
    double thickness;                           /* of a plate, m; 0: the file says it */
    int frequencies;                            /* of the free body that are computed; default 6 */
} phx_study_import_options;
phx_study_import_options phx_study_import_options_default(void);
/* The content of the files, the body that they make, and a model file with it. */
typedef struct phx_import_report phx_import_report;
/* PHX_ERR_INPUT names file, line and remedy; PHX_ERR_FILE. Whatever else is wrong with the body stands in the report.
 */
phx_status phx_study_import(phx_context *context, const phx_study_import_options *options, phx_import_report **report);
void phx_import_report_destroy(phx_import_report *report); /* NULL is allowed */
/* The model file under this name, complete or not at all. PHX_ERR_INPUT where it would overwrite what was read. */
phx_status phx_import_report_save(phx_context *context, const phx_import_report *report, const char *path);

/* ---- robots ---- */
/* The actuators that the joints of an imported robot get. */
typedef enum phx_robot_drive {
    PHX_ROBOT_FREE,   /* joints without actuators */
    PHX_ROBOT_PD,     /* a PD controller in each */
    PHX_ROBOT_TORQUE, /* an effort in each, zero, within its limit */
    PHX_ROBOT_MOTION, /* a prescribed motion of each, zero */
    PHX_ROBOT_DRIVES
} phx_robot_drive;
/* How a file in URDF or MJCF becomes a model. */
typedef struct phx_robot_options {
    const char *path;
    int n_packages;
    const char *const
        *packages;   /* NAME=DIR: where files of package://NAME/ are; else folders above the file are tried */
    bool free_base;  /* the root link is a body; else it is the ground */
    bool keep_fixed; /* links on fixed joints are bodies, welded; else they become one with their parents */
    bool no_shapes;  /* without pictures */
    bool lossy;      /* constraints and tendons of MJCF without counterpart are left out; else an error */
    bool ground;     /* collision shapes touch the ground by penalty: the first plane of MJCF, in URDF z = 0 */
    phx_robot_drive drive;
    int n_bend;
    const char *const *bend; /* links that bend between their joint and the next one, or "all"; diameters of a tube in
                                m may follow: LINK=OUTER,INNER or LINK=OUTER,INNER,MATERIAL */
    const char *material;    /* of the others: aluminium (default, NULL), steel or titanium */
} phx_robot_options;
phx_robot_options phx_robot_options_default(void);
/* Writes the model of a robot as YAML: rigid bodies in the axes of its links, joints with its names, damping, friction,
 * stops at its limits, shapes. Inertias that no body has are raised, with a warning. A link that bends becomes a rigid
 * part, a tube and a rigid part with the mass, centre of mass and inertia of the link. PHX_ERR_INPUT names file, line
 * and remedy; PHX_ERR_FILE; PHX_ERR_UNSUPPORTED without libxml2. */
phx_status phx_study_import_robot(phx_context *context, const phx_robot_options *options, FILE *stream);
/* The same as a file, complete or not at all, with paths of meshes from its folder. */
phx_status phx_study_save_robot(phx_context *context, const phx_robot_options *options, const char *path);
/* The formats of robots. */
typedef enum phx_robot_format { PHX_ROBOT_URDF, PHX_ROBOT_MJCF, PHX_ROBOT_FORMATS } phx_robot_format;
/* Writes a tree of rigid bodies in space as a robot, complete or not at all, with paths of meshes from the folder of
 * the file. A link has the place of its joint at the start, and the directions of port A where the joint's coordinates
 * are zero. A warning for each kind of thing names what the format does not have. PHX_ERR_INPUT, with the name of the
 * body or joint and the remedy, for bodies that deform, loops, joints that the format does not have, and plane models;
 * errors of the start; PHX_ERR_FILE. */
phx_status phx_study_export_robot(phx_context *context, const phx_model *model, phx_robot_format format,
                                  const char *path);

/* ---- pages ---- */
/* The page of a result or a table of modes in an HDF5 file (phx_report_result, phx_report_modes), with the certificate
 * of the model in it at the parameters of the run; where that cannot be made any more the page says why. Of `options`
 * source and page are read; it may be NULL, and so may `size`. PHX_ERR_INPUT for a file of another kind. */
phx_status phx_study_report(phx_context *context, const char *path, const phx_report_options *options,
                            const char *html_path, phx_report_size *size);
/* The page of a model at its start state, with the certificate. A model that has none, because its joints cannot be
 * closed for instance, is shown as it is written, without deformation, with the message; the page is there then
 * (size->bytes > 0) and the status is that of the failure. */
phx_status phx_study_view(phx_context *context, const phx_model *model, const phx_report_options *options,
                          const char *html_path, phx_report_size *size);

#ifdef __cplusplus
}
#endif
#endif
