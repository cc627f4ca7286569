/* Types and functions shared by the analyses; private to the layer study. */
#ifndef PHLEXOR_STUDY_INTERNAL_H
#define PHLEXOR_STUDY_INTERNAL_H

#include "mesh/mesh.h"
#include "limits.h"

#include "study/study.h"

/* Record the files of the model as the sources of the bundle. */
void phx_bundle_made_from(phx_bundle *bundle, const phx_model *model);

/* The body of a name (NULL: none); PHX_ERR_INPUT with the nearest. */
phx_status phx_study_find_body(phx_context *context, const phx_model *model, const char *name, int *index);

struct phx_joint_space {
    phx_context *own; /* of the system, which outlives the calls that use it */
    phx_system *system;
    phx_tree_space *tree;
};

/* place_path.c: the path of a port, as in phx_inverse_kinematics_options. */
typedef struct phx_place_path {
    int n;
    const double *t, *places, *rotations; /* rotations NULL: any directions */
    double *own[2];                       /* that they may point into */
} phx_place_path;
/* Read from the file or borrowed from the arrays, with rows between way points. PHX_ERR_FILE, PHX_ERR_INPUT with the
 * row; to be freed also after a failure. */
phx_status phx_place_path_create(phx_context *context, int dim, const phx_inverse_kinematics_options *given,
                                 phx_place_path *path);
void phx_place_path_free(phx_place_path *path); /* frees and zeroes the fields */

/* The system of a model at its start state. */
typedef struct phx_start_point {
    phx_system *system;
    phx_dae *dae;
    double *x, *v, *lambda;
} phx_start_point;
/* multipliers: compute lambda; otherwise it is NULL. */
phx_status phx_start_point_create(phx_context *context, const phx_model *model, const phx_build_options *options,
                                  const phx_start_options *start, bool multipliers, phx_start_point *point);
/* The same about which modes and linear models are made: at the start, or in equilibrium at rest; of a steady rotation
 * the undeformed start, from which it is found, with multipliers. */
phx_status phx_start_point_at(phx_context *context, const phx_model *model, const phx_build_options *options,
                              phx_model_modes_at at, phx_start_point *point);
/* How far the point, at rest, is from equilibrium, in parts of what pulls (phx_system_unrest, phx_system_pull): with
 * the deformations held, and free. */
typedef struct phx_unrest {
    double held, loose; /* m/s^2 */
    double held_share, loose_share;
    int dim; /* with the acceleration of everything as one, and gravity in the axes that move with it, m/s^2 */
    double common[3], gravity[3];
    char left_out[200]; /* forces that the analysis leaves out (phx_forces_left_out) */
} phx_unrest;
phx_status phx_unrest_at(phx_start_point *point, phx_unrest *unrest);
/* Rigid contacts and set-valued friction, which act in simulations only, by name; empty: there are none. */
void phx_forces_left_out(const phx_system *system, size_t size, char *text);
void phx_warn_left_out(phx_context *context, const char *left_out);
/* Warnings where the point is not in equilibrium and where forces are left out, with the remedy. */
void phx_unrest_warn(phx_context *context, const phx_unrest *unrest);
void phx_start_point_free(phx_start_point *point); /* frees and zeroes the fields */

/* turning.c, in space. Shares that body b leaves out when it turns with the velocities v: of the squares of its
 * torsional frequencies, without what and with which remedy; of its bending frequencies, by point masses. */
double phx_twist_left_out(const phx_system *system, int b, const double *v, const char **without, const char **remedy);
double phx_gyration_left_out(const phx_system *system, int b, const double *v);
/* Of a plate or solid with stiffening and without temperatures: the largest |factor theta_c| of a point (n_points x 3)
 * is the share of its stiffness against turns about the other two axes that is left out when loads turn it about axis
 * c. */
phx_status phx_sideways_factors(phx_context *context, const phx_flex *flex, int n_points, const phx_flex_point *points,
                                double *factor);

/* physical.c: shapes of modes as displacements of meshes, with the mass matrix to compare them by; empty where the
 * system has no body on a mesh. M: of the linearised system. */
phx_status phx_physical_shapes(phx_context *context, const phx_system *system, const phx_csr *M,
                               const phx_mode_set *set, phx_mode_set *shown, phx_csr *mass);

/* The bases of bodies on meshes: coordinates from `at` on; Phi: count x m, then M Phi. */
typedef struct phx_mesh_basis {
    int at, count, m;
    double *Phi;
} phx_mesh_basis;
typedef struct phx_mesh_bases {
    int n;
    phx_mesh_basis *bases;
} phx_mesh_bases;
void phx_mesh_bases_free(phx_mesh_bases *bases); /* frees and zeroes the fields */
phx_status phx_mesh_bases_take(phx_context *context, const phx_system *system, phx_mesh_bases *bases);
/* B (n x n, zero on entry): coordinates in the bases of `to` of the displacements by those of `from`, nearest in the
 * mass of the mesh. fixed: PHX_ERR_UNSUPPORTED where they differ. */
phx_status phx_mesh_bases_change(phx_context *context, const phx_mesh_bases *from, const phx_mesh_bases *to, int n,
                                 bool fixed, double *B);

/* check_control.c: Casimirs of port-Hamiltonian controllers, and matching conditions, allocated. */
phx_status phx_casimirs_at(phx_context *context, const phx_model *model, const phx_start_point *at, int *n,
                           phx_casimir **casimirs);
void phx_casimirs_free(int count, phx_casimir *casimirs);
phx_status phx_matching_at(phx_context *context, const phx_model *model, const phx_start_point *at, int *n,
                           phx_loop_matching **list);

/* A model linearised as the options of phx_study_linearize say. */
typedef struct phx_linear_point {
    phx_beam_cache *cache; /* borrowed; NULL: none */
    bool warn;             /* of samples that are too far apart */
    bool may_be_sparse;    /* the descriptor form, or a reduction, of a large model without dense work */
    phx_unrest unrest;     /* of a point at rest */
    int n_casimirs;
    phx_casimir *casimirs;      /* where it warns; the caller's to free */
    phx_linearised *linearised; /* the caller's to destroy */
    bool takes_bases;
    phx_mesh_bases bases; /* where it takes them; the caller's to free */
} phx_linear_point;
phx_status phx_linear_point_create(phx_context *context, const phx_model *model,
                                   const phx_study_linearize_options *options, phx_linear_point *point);
/* `what` and the title of the model; the caller's to free. */
phx_status phx_study_title(phx_context *context, const char *what, const phx_model *model, char **title);

/* The certificate at that state, with multipliers. */
phx_status phx_check_point(phx_context *context, const phx_model *model, const phx_start_point *at,
                           phx_check_report *report);

/* Set the parameters of the model to those of a point, if there are any. `overrides` has room for as many; the names in
 * it belong to the sweep. */
phx_status phx_sweep_apply(phx_context *context, const phx_sweep *sweep, int point, phx_model *model,
                           phx_model_override *overrides);
/* Put "at theta1 = 0.5 (point 7 of 73): " in front of the message of a failure; returns `status`. */
phx_status phx_sweep_name_point(phx_context *context, const phx_sweep *sweep, int point, phx_status status);

/* A body that was built, and the source of its points (NULL: it does not deform). */
typedef struct phx_made_body {
    const phx_body *body;
    const phx_flex_source *source;
} phx_made_body;

/* The description of a mechanism for a recorder: ranges of the bodies in the state, their polylines, and the scene. A
 * body of several frames is as many bodies to a recorder, each with a piece of its line: "rod", "rod@0.125", ... */
typedef struct phx_drawing {
    int n_bodies; /* as the recorder counts them */
    phx_record_body *bodies;
    double **points, **shapes; /* n_bodies, owned */
    double **turns;            /* n_bodies, owned: n_rot x n_q of each point */
    char **names;              /* of frames behind the first, owned */
    int *first;                /* of the body of each body of the model; behind them n_bodies */
    int n_surfaces;
    phx_surface *surfaces; /* of each body of the model, owned: of those of vectors, whose free places are bodies
                              of the recorder behind the frames */
    phx_scene scene;
} phx_drawing;
phx_status phx_drawing_create(phx_context *context, const phx_model *model, const phx_system *system,
                              phx_drawing *drawing);
/* The same from the bodies of a model (`made`: one for each), which need not be assembled. */
phx_status phx_drawing_of_bodies(phx_context *context, const phx_model *model, const phx_made_body *made,
                                 phx_drawing *drawing);
bool phx_drawing_place(const phx_body *made, int place, phx_body_port *port);
int phx_drawing_body(const phx_drawing *drawing, int body); /* of the model, of a body of the recorder */
/* The factors of the maps of its meshes at t (phx_scene_factors). */
void phx_drawing_factors(const phx_drawing *drawing, const phx_dae *dae, double t, double *factors);
/* The mesh of a body into its scene, if it has one: displacements at its nodes by the coordinates, stresses by these
 * and the temperatures of the body; of a large body those of its surface, of a very large one nothing, with a note. */
phx_status phx_scene_add_mesh(phx_context *context, const phx_flex_source *source, const char *name, int body,
                              phx_scene *scene);
/* visuals.c: adds the surfaces of the bodies and the ground to the scene, whose ports and meshes must be there. */
phx_status phx_scene_add_visuals(phx_context *context, const phx_model *model, const phx_made_body *made,
                                 const phx_drawing *drawing, phx_scene *scene);
/* Room for `more` entries behind `count` in a list of a scene. */
phx_status phx_scene_grow(phx_context *context, void *list, int count, size_t more, size_t size);
/* The scene of the drawing, whose polylines must be there. */
phx_status phx_scene_of(phx_context *context, const phx_model *model, const phx_made_body *made,
                        const phx_drawing *drawing, phx_scene *scene);
void phx_drawing_free(phx_drawing *drawing);

/* The equations of a run, with the numerical damping of the model. */
phx_status phx_simulation_dae(phx_context *context, const phx_model *model, phx_system *system, phx_backend backend,
                              phx_dae **dae);
typedef struct phx_simulation phx_simulation;
/* The run of a model with events, set-valued friction or rigid contacts: steps end where an event happens. Of the state
 * of `s` the multipliers stay those of the start. */
phx_status phx_simulation_with_events(phx_context *context, const phx_model *model, phx_simulate_report *report,
                                      phx_simulation *s);
/* Bodies that the assembly has moved, in the order of the model; freed by the caller. */
phx_status phx_start_moves(phx_context *context, const phx_model *model, phx_system *system, int *count,
                           phx_start_move **moves);
void phx_start_move_text(const phx_start_move *move, size_t size, char *text);
/* Time and history of the result that a model continues. */
typedef struct phx_continuation {
    double t;
    bool events; /* the run had events: those up to t are over */
    double
        *columns; /* phx_system_columns of the last row, those that the result does not have zero; NULL: not wanted */
} phx_continuation;
/* The last state of the result that a model continues (initial: from); joints and forces act as its events left them.
 * The system has no phx_dae yet. */
phx_status phx_continue_state(phx_context *context, const phx_model *model, const phx_drawing *drawing,
                              phx_system *system, phx_continuation *from, double *x, double *v);
/* The state at t put on the joints of the model, if the result was made with others: that is reported as a warning, or
 * with `initial: {strict: true}` as an error. */
phx_status phx_continue_on_joints(phx_context *context, const phx_model *model, phx_dae *dae, const phx_system *system,
                                  double t, double *x, double *v);
/* The start point at the state that the model continues, its dae made anew. */
phx_status phx_start_point_continue(phx_context *context, const phx_model *model, const phx_drawing *drawing,
                                    phx_start_point *point, double *t);
/* Put the place of `from` in the model file in front of a message; returns `status`. */
phx_status phx_continue_blame(phx_context *context, const phx_model *model, phx_status status);

/* The outputs of a run at some instants (accuracy.h). */
typedef struct phx_trace phx_trace;
/* Another row of outputs at t, kept if this is one of the instants. PHX_ERR_MEMORY. */
phx_status phx_trace_look(phx_trace *trace, double t, const double *outputs);

/* Settings of a simulation beyond those of the model. All is borrowed. */
typedef struct phx_simulation_setup {
    const phx_simulate_options *options; /* of these the numbers and the integrator */
    const char *h5_path, *csv_path;      /* NULL: no such file */
    int threads;                         /* inside the simulation; as of phx_system_threads */
    phx_beam_cache *cache;               /* may be NULL */
    phx_context *files;                  /* the context of the recorder; NULL: that of the simulation */
    bool no_checkpoints;                 /* nothing is written to HDF5 before the end */
    bool accelerates;                    /* the workspace of the recording is asked for accelerations afterwards */
    bool tells;       /* warns of poses that the assembly has moved, and of shapes of another size than their body */
    bool in_memory;   /* the recorder stores its rows for phx_recorder_take */
    int n_attributes; /* of the result, beside the settings */
    const phx_attribute *attributes;
    double aligned;    /* as of phx_integrate_options */
    double rows_every; /* s: rows of the result are those at multiples of it from the start, and those between two
                          output instants, as at events; 0: all */
    phx_trace *trace;  /* gets the outputs at its instants; may be NULL */
} phx_simulation_setup;

/* Checks the balance of energy and the drift of the joints of a run. With a method that keeps them exactly the run
 * stops when they are violated; with other methods a warning at the end gives the largest violation. */
typedef struct phx_monitor {
    const phx_system *system;
    const phx_simulate_report *report; /* settings, steps so far */
    bool keeps_energy, keeps_joints;   /* exactly */
    double of_energy, of_joints;       /* allowed, relative to the energy, to positions and to velocities */
    double energy, reach, speed;       /* largest so far: energy exchanged, J; m; m/s */
    double potential0, moving0, drift0, drift_rate0; /* at the start; moving0: kinetic energy */
    double rounding;                                 /* rounding error of the balance, J: largest so far */
    double residual, drift, drift_rate;              /* largest so far, J, m, m/s; their instants, s */
    double residual_t, drift_t, drift_rate_t;
    bool started;
} phx_monitor;
phx_monitor phx_monitor_create(const phx_system *system, const phx_simulate_report *report);
/* Another row of fixed columns and its state. PHX_ERR_ANALYSIS: the run must not go on. */
phx_status phx_monitor_look(phx_monitor *monitor, phx_context *context, const double *row, const double *x,
                            const double *v);
/* The largest error of the balance of energy and of the joints so far, relative to the energy, the reach and the speed,
 * where it is more than the method promises; else 0. */
double phx_monitor_error(const phx_monitor *monitor);
/* The run is complete: log a warning for each quantity that is less exact than its method promises. */
void phx_monitor_conclude(const phx_monitor *monitor, phx_context *context);

/* Fixed columns of a recording. */
enum {
    PHX_COLUMN_T,
    PHX_COLUMN_KINETIC,
    PHX_COLUMN_ELASTIC,
    PHX_COLUMN_POTENTIAL,
    PHX_COLUMN_ENERGY,
    PHX_COLUMN_SUPPLIED,
    PHX_COLUMN_DISSIPATED,
    PHX_COLUMN_RESIDUAL,
    PHX_COLUMN_DRIFT,
    PHX_COLUMN_DRIFT_RATE,
    PHX_FIXED_COLUMNS /* before the outputs */
};
/* Time, energies, works and residual = energy - energy0 - supplied + dissipated of a row. */
void phx_put_balance(double *row, double t, const phx_energies *energies, const phx_work *work, double energy0);

/* Column k of outputs, then of controllers: its name; returns its unit. */
const char *phx_recording_column(const phx_system *system, int k, size_t size, char *name);
/* The fixed columns, `more`, the outputs, and those of controllers; their names are stored in `names`. */
phx_status phx_recording_columns(phx_context *context, const phx_system *system, int n_more,
                                 const phx_record_column *more, phx_record_column **columns, char **names);

/* The recorder of a simulation that runs. */
typedef struct phx_recording {
    phx_context *context, *files;
    phx_system *system;
    const phx_drawing *drawing; /* of phx_recording_create */
    phx_dae *dae;               /* its own workspace, so that sampling leaves the integrator's alone */
    phx_recorder *recorder;
    phx_simulate_report *report;
    int n_columns;
    double *row;
    int n_ledger, *entry; /* of the recorder; which of them each entry of the system is part of */
    double *before;       /* the row before */
    double *least, *most; /* of each column */
    bool started;
    double energy0;      /* J, at the first instant */
    double shaped_least; /* J, of the closed loop so far */
    phx_monitor monitor;
    phx_limits *limits;
    bool strict;
    phx_trace *trace;  /* of the setup */
    double rows_every; /* likewise */
} phx_recording;

/* Open the files and get ready; `drawing` is copied. */
phx_status phx_recording_create(phx_context *context, const phx_model *model, phx_system *system,
                                const phx_drawing *drawing, const phx_simulation_setup *setup,
                                phx_simulate_report *report, phx_recording *recording);
phx_status phx_recording_sample(void *recording, const phx_sample *sample); /* a phx_sample_fn */
/* The rows from here on have what is switched now. */
phx_status phx_recording_switched(phx_recording *recording);
/* Complete the result, or leave it partial when `status` is not PHX_OK; returns the first failure. */
phx_status phx_recording_finish(phx_recording *recording, phx_status status);
void phx_recording_free(phx_recording *recording);
/* Complete a result with the numbers of the report and the limits that were exceeded (`limits` NULL: none). */
phx_status phx_recording_complete(phx_context *context, phx_recorder *recorder, const phx_simulate_report *report,
                                  phx_limits *limits);
/* A warning for each limit that is exceeded. */
void phx_recording_warn(phx_context *context, phx_limits *limits, const char *before);

/* A simulation that has run: its result is recorded, but neither completed nor abandoned yet. */
typedef struct phx_simulation {
    phx_system *system;
    phx_dae *dae;
    phx_drawing drawing;
    phx_recording recording; /* without a recorder after an early failure */
    double t, *x, *v, *lambda;
    phx_continuation from; /* of a model that continues a result */
    phx_backend backend;   /* of the settings */
    int threads;
} phx_simulation;
/* Log a warning for each setting without effect. */
void phx_simulation_warn(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                         const phx_integrate_options *used);
/* Find method and step where an accuracy is asked for, build, start, integrate, record. `s` has to be freed after a
 * failure too. */
phx_status phx_simulation_run(phx_context *context, const phx_model *model, const phx_simulation_setup *setup,
                              phx_simulate_report *report, phx_simulation *s);
/* The same with method and step of the settings, whatever accuracy is asked for. */
phx_status phx_simulation_run_fixed(phx_context *context, const phx_model *model, const phx_simulation_setup *setup,
                                    phx_simulate_report *report, phx_simulation *s);
void phx_simulation_free(phx_simulation *s);

/* Add a residual of the structure; `name` is static. */
void phx_linear_report_residual(phx_linear_report *report, const char *name, double value);
/* Error and passivity of a reduction: for the summary, and as items of the bundle. */
void phx_reduction_text(const phx_reduction *reduction, FILE *stream);
phx_status phx_reduction_add(phx_context *context, const phx_reduction *reduction, const phx_linearised *linearised,
                             phx_bundle *bundle);
/* Fill in the poles and the DC gain of the report's system, and the other entries of the bundle. */
phx_status phx_linear_report_fill(phx_context *context, const phx_model *model, phx_linear_report *report);

/* Number of values of parameter k, value i of it. k and i must be in range. */
int phx_sweep_count(const phx_sweep *sweep, int k);
double phx_sweep_value(const phx_sweep *sweep, int k, int i);

/* The point of a place along every parameter. Arguments must be in range. */
int phx_sweep_point(const phx_sweep *sweep, const int *index);

/* "t", "kinetic" ...: name of a fixed column (recording.c). */
const char *phx_fixed_column_name(int column);
/* A warning for each sampled controller, which a linear model leaves out (check.c). */
void phx_warn_of_sampling(phx_context *context, const phx_system *system);
/* Warnings of shapes from files that are much longer or shorter than their body (shape_sizes.c). */
phx_status phx_warn_of_sizes(phx_context *context, const phx_model *model, const phx_system *system);

#endif
