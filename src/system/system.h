/* Layer system, for the other layers of the library: what analyses ask of a system beside its users. */
#ifndef PHX_SYSTEM_SYSTEM_H
#define PHX_SYSTEM_SYSTEM_H

#include "body/body.h"
#include "control/control.h"
#include "dae/dae.h"
#include "joint/joint.h"
#include "load/load.h"
#include "system/equations.h"

#include <phlexor/system.h>

/* ---- building ---- */
/* A load over surfaces of a deforming body in space, in body axes: the sum of factors[k](t) times fields[k], count
 * <= 3. Fields and factors are taken over, on failure too. */
phx_status phx_system_add_surface_load(phx_system *system, const char *name, phx_body_id body, int count,
                                       phx_flex_load *fields, phx_signal **factors);
/* phx_system_add_point_at of a rigid body's point at `position` with directions `rotation` (dim x dim, NULL: identity),
 * a beam's at the fraction s of its length (position and rotation are not read). */
phx_status phx_system_add_point(phx_system *system, phx_body_id body, const char *name, double s,
                                const double *position, const double *rotation);
/* The location that the name of a point stands for, owned by the system until it changes; NULL: the body has no such
 * point. */
const phx_body_port *phx_system_find_point(const phx_system *system, phx_body_id body, const char *name);

/* ---- archives ---- */
/* A finalised system, so that one which is read from it and finalised takes the same steps bit by bit. Points with
 * names are left out, and so is the way back to the sources of deformations: bodies cannot get new ports there.
 * PHX_ERR_UNSUPPORTED names a body, a force or a signal of a kind that cannot be written. */
phx_status phx_system_write(const phx_system *system, phx_archive *archive);
/* A system from an archive. It is not finalised, so that inputs can still be added. */
phx_status phx_system_read(phx_context *context, phx_archive *archive, phx_system **system);
/* Of a finalised system which joints, contacts and forces act, and their rows, as phx_system_switch and its like have
 * made them. Before it is read every phx_dae of the system must have been destroyed; PHX_ERR_INPUT for that of another
 * mechanism. */
void phx_system_archive_structure(phx_archive *archive, phx_system *system);
/* From here on the system remembers which joints and forces are switched. */
void phx_system_begin_switches(phx_system *system);
/* The joints and forces that were switched, by their names: whether they act, and the rows of joints. What is read may
 * be of another system: joints and forces that it does not know stay as they are, and those that are read count as
 * switched. Before it is read every phx_dae of the system must have been destroyed; rows are then independent at x.
 * PHX_ERR_INPUT names a joint that is of another kind. */
void phx_system_archive_switched(phx_archive *archive, phx_system *system, const double *x);

/* ---- inputs: what a program around the system adds to its signals ---- */
/* Where one acts: along a coordinate of a joint, its effort or the speed of its drive; or a component of a force. */
typedef struct phx_input_place {
    int joint; /* -1: of a force */
    int force; /* -1: of a joint */
    int component;
    bool speed;
} phx_input_place;
/* JOINT.effort, JOINT.rate of a drive, LOAD.fx, SPRING.force in a finalised system; PHX_ERR_INPUT with the nearest. */
phx_status phx_system_find_input(const phx_system *system, const char *name, phx_input_place *place);
/* The names of all that the model acts with: actuators, drives, loads; names and array are the caller's, on failure
 * too. */
phx_status phx_system_list_inputs(const phx_system *system, int *count, char ***names);
/* Units of an input and of the quantity conjugate to it: "N", "N.m", "m/s" ... */
void phx_system_input_units(const phx_system *system, const phx_input_place *place, const char **unit,
                            const char **conjugate);
/* Before the system is finalised; `input` is borrowed. The parts of the dae have an entry for each behind the ledger:
 * the integral of the rate conjugate to an effort, of the effort conjugate to a speed (of distributed loads zero). */
phx_status phx_system_add_input(phx_system *system, const phx_input_place *place, const phx_signal_input *input);
/* The conjugate of each at an instant. */
phx_status phx_system_input_rates(phx_dae *dae, const double *x, const double *v, const double *lambda, double *rates);

/* ---- drives: coordinates of joints that are prescribed ---- */
typedef struct phx_drive {
    phx_joint_id joint;
    int coordinate; /* from 0 */
    int of;         /* how many the joint has */
    bool angular;   /* rad and N m; else m and N */
} phx_drive;
/* Of a finalised system, by joint and coordinate. */
int phx_system_drives(const phx_system *system);
phx_drive phx_system_drive(const phx_system *system, int k);
enum { PHX_DRIVE_EFFORT, PHX_DRIVE_COORDINATE, PHX_DRIVE_RATE, PHX_DRIVE_VALUES };
/* PHX_DRIVE_VALUES of each drive at a state: what it exerts on B, without the springs, dampers and actuators beside it
 * (least norm where the joints leave that open), the coordinate and its rate. Errors of the accelerations of the dae.
 */
phx_status phx_system_drive_values(phx_dae *dae, double t, const double *x, const double *v, double *values);

/* ---- asking ----
 * Of a system that is NULL, or for an index out of range, numbers are 0, pointers are NULL and nothing is filled in. */
/* Context, dimension, numbers of bodies and joints, the bodies. */
phx_context *phx_system_context(const phx_system *system);
int phx_system_dim(const phx_system *system);
int phx_system_bodies(const phx_system *system);
int phx_system_joints(const phx_system *system);
const phx_body *phx_system_body(const phx_system *system, phx_body_id id);
const phx_flex_source *phx_system_source(const phx_system *system, phx_body_id id); /* NULL: it has none */
const phx_beam *phx_system_beam(const phx_system *system, phx_body_id id);          /* NULL: it has no sections */
double phx_system_gravity(const phx_system *system);                                /* its size, m/s^2 */
bool phx_system_joint_holds(const phx_system *system, phx_joint_id id); /* whether a constraint of it acts */
/* s: the first instant after t, up to `end`, at which the rate of a drive that acts jumps; HUGE_VAL: there is none. */
double phx_system_next_jump(const phx_system *system, double t, double end);
bool phx_system_joint_drives(const phx_system *system, phx_joint_id id); /* whether a drive of it acts */
const char *phx_system_joint_name(const phx_system *system, phx_joint_id id);
/* How far the assembly has moved the origin of a body's first frame from the pose as written (m), and turned it (rad).
 */
void phx_system_moved(const phx_system *system, phx_body_id id, double *distance, double *angle);
/* The largest assembly residuals of a joint in the poses as written: m, rad. Uses the workspace of the assembly. */
void phx_system_open_as_written(phx_system *system, phx_joint_id id, double *distance, double *angle);
/* phx_system_start frees the workspace of the assembly as soon as the start state is found, for a run that needs it no
 * more; whatever asks for it afterwards makes a new one. */
void phx_system_starts_once(phx_system *system);
/* A workspace for phx_system_observe and phx_system_controller_values alone: a small one, where no output needs
 * accelerations. The system must be finalised. */
phx_status phx_system_observer(phx_system *system, phx_context *context, phx_dae **dae);
/* phx_system_outputs, and phx_system_drift to `drift` (position, velocity), which view the ports once. */
phx_status phx_system_observe(phx_dae *dae, double t, const double *x, const double *v, double drift[2],
                              double *columns);
/* phx_system_outputs of the outputs that are wanted (per output); the other columns stay as they are. */
phx_status phx_system_wanted_outputs(phx_dae *dae, double t, const double *x, const double *v, const bool *wanted,
                                     double *columns);
int phx_system_n_outputs(const phx_system *system);
int phx_system_column_output(const phx_system *system, int column); /* the output that a column belongs to */

/* Derivatives of outputs that follow the configuration alone. The dae is borrowed. */
typedef struct phx_output_slopes phx_output_slopes;
phx_status phx_output_slopes_create(phx_dae *dae, phx_output_slopes **slopes);
void phx_output_slopes_destroy(phx_output_slopes *slopes); /* NULL is allowed */
bool phx_output_slopes_has(const phx_system *system, int output);
/* a (n x n_v) += the derivatives by xi, at a state, of n numbers whose derivatives by the columns are `weight`,
 * `stride` numbers from one to the next, as far as they follow those of the outputs wanted that it has. */
phx_status phx_output_slopes_add(phx_output_slopes *slopes, const bool *wanted, double t, const double *x,
                                 const double *v, int n, int stride, const double *weight, double *a);
/* The factors of the first `count` initial strains of a body (phx_stress_map) at t: the values of its temperatures, of
 * an equilibrium under a part of the loads that part of them. */
void phx_system_strain_factors(const phx_dae *dae, phx_body_id body, double t, int count, double *factors);
/* The change of a state that did not lie on the joints. */
typedef struct phx_continued {
    bool closed;            /* joints were open, and bodies moved to close them */
    double distance, angle; /* the largest move of a body's frame: m, rad */
    phx_body_id body;       /* which */
    double supplied, lost;  /* by the impulse of joints and drives that the velocities did not agree with, J */
} phx_continued;
/* A state of other joints, x (n_x) and v (n_v) at t, put on those of the system: bodies move as little as possible, and
 * velocities change by an impulse of the joints, which keeps the momenta of what is free. What lies on the joints is
 * not touched. PHX_ERR_ASSEMBLY names the joints that cannot be closed, with their residuals. */
phx_status phx_system_continue(phx_dae *dae, double t, double *x, double *v, phx_continued *change);
/* Gives the ledger an entry for the energy that events of this name dissipate (phx_system_event_entry); before the
 * system is finalised. */
phx_status phx_system_expect_event(phx_system *system, const char *name);
int phx_system_event_entry(const phx_system *system, int event);
/* Set-valued friction along coordinates of joints (phx_friction without `regularised`), numbered from 0. Until
 * phx_system_slip says otherwise it neither slips nor sticks, and does nothing. */
typedef struct phx_dry_friction {
    phx_joint_id joint;
    int contact;     /* the rigid contact that it belongs to; -1: none */
    int n;           /* coordinates that it is along, first of the joint's: 1; 2 of a contact in space */
    double slip[2];  /* its direction, of length 1; 0: it sticks, or does nothing yet */
    bool sticks;     /* the coordinates are held by rows of the joints */
    bool open;       /* of a rigid contact that is open: it can neither stick nor slip */
    double rate[2];  /* of the coordinates */
    double force[2]; /* along them, of the rows that hold them */
    double limit;    /* static friction: the largest force */
    /* where it neither sticks nor is open: of the coordinates, and the largest change of one by a unit of force along
     * it */
    double acceleration[2], mobility;
} phx_dry_friction;
int phx_system_dry_count(const phx_system *system);
/* Number k sticks or slips in a direction of length 1 (its n entries); NULL: neither. What others hold may have a part
 * of its friction: a shorter direction, or, of static friction that is left at once, one as long as that is larger.
 * Where what sticks changes, phx_system_switch has to follow, as for joints. */
phx_status phx_system_slip(phx_system *system, int k, bool sticks, const double *slip);
/* Number k sticks with rows on those of its coordinates that it `holds`; the others are held by other rows, and have
 * parts of its friction against `parts`. phx_system_switch has to follow. */
phx_status phx_system_stick(phx_system *system, int k, const bool *holds, const double *parts);
/* Of friction on a sphere the tangents along which it is measured come from one direction, which is made anew where it
 * has come near the normal; the tangents at x stay the same. *turned: it was, and phx_system_switch has to follow where
 * it sticks. */
phx_status phx_system_turn_slip(phx_system *system, int k, const double *x, const double *v, bool *turned);
/* Whether phx_system_turn_slip would make it anew. */
bool phx_system_slip_turns(const phx_system *system, int k, const double *x, const double *v);
/* The rates of its coordinates, m/s or rad/s; 0 beyond their number. */
phx_status phx_system_slip_rate(const phx_system *system, int k, const double *x, const double *v, double rate[2]);
/* Its entry of the ledger. */
int phx_system_dry_entry(const phx_system *system, int k);
const char *phx_system_dry_joint(const phx_system *system, int k); /* its name */
/* Rigid contacts, numbered from 0; all open at first. */
typedef struct phx_rigid_contact {
    bool closed;
    double gap, rate;             /* m, m/s */
    double acceleration;          /* of the gap, while it is open */
    double force;                 /* that pushes it open, while it is closed */
    double restitution, friction; /* coefficient, kinetic; 0: none */
    double sticking, slipping;    /* the same before it slips, and at the rate at which it slips now */
    int dry;                      /* number of its set-valued friction; -1: none */
} phx_rigid_contact;
int phx_system_contact_count(const phx_system *system);
const char *phx_system_contact_name(const phx_system *system, int k);
int phx_system_contact_entry(const phx_system *system, int k); /* of the ledger */
/* All rigid contacts (phx_system_contact_count) and set-valued frictions (phx_system_dry_count) at an instant, from
 * accelerations and multipliers of the rows that act. Either may be NULL: not asked for. */
phx_status phx_system_set_valued(phx_dae *dae, double t, const double *x, const double *v, phx_rigid_contact *contacts,
                                 phx_dry_friction *frictions);
/* Whether friction and the reactions that it follows agree at the instant of the last accelerations: where they do not,
 * the mechanism jams, and what was found is of no use. */
bool phx_system_friction_settles(const phx_dae *dae);
/* Number k is closed or open from now on; phx_system_switch has to follow. */
void phx_system_close_contact(phx_system *system, int k, bool closed);
/* The response to impulses on rigid contacts `which` (n of them) at an instant at which none of these is closed. Of
 * each contact there are as many rows as dimensions: its gap, then its slips; of those without friction the slips are
 * zeros. All arrays are the caller's. */
typedef struct phx_contact_response {
    double *rates;         /* of the rows */
    double *accelerations; /* of the rows, under all that acts; NULL: not asked for */
    double *W;             /* rows x rows: what an impulse of size one on a row adds to the rates of all */
    double *moved;         /* rows x n_v: the same of the velocities */
    double *supplied;      /* by drives with it, J */
} phx_contact_response;
phx_status phx_system_contact_response(phx_dae *dae, double t, const double *x, const double *v, int n,
                                       const int *which, const phx_contact_response *out);
/* Gives the ledger an entry for each body of the energy that numerical damping dissipates; before the system is
 * finalised. */
phx_status phx_system_expect_numerical_damping(phx_system *system);
/* Redundant rows: count, and joint name and row number (from 1) of each. */
int phx_system_redundant(const phx_system *system);
void phx_system_redundant_row(const phx_system *system, int k, const char **joint, int *row);
/* Joint and row number (from 1) of multiplier k of phx_system_n_l, and whether the row is that of a drive. */
void phx_system_multiplier(const phx_system *system, int k, const char **joint, int *row, bool *drive);
/* A place along a body with sections for outputs of section forces and strains alone, also where no port can be. */
phx_status phx_system_add_section_at(phx_system *system, phx_body_id body, const phx_location *location,
                                     phx_port_id *id);
/* Undeformed or deformed places for drawing and messages: port in inertial components at configuration x. */
void phx_system_port_place(const phx_system *system, phx_port_id port, const double *x, double *place);

/* What joints, forces and loads do at a port of a body: N, N m, body axes; location of the system's. */
typedef struct phx_port_effort {
    const phx_location *location;
    double force[3], moment[3];
} phx_port_effort;
int phx_system_ports_of(const phx_system *system, phx_body_id body);
/* At an instant, with its accelerations v_dot (n_v); efforts: phx_system_ports_of the body. Errors of the accelerations
 * of the dae. */
phx_status phx_system_port_efforts(phx_dae *dae, phx_body_id body, double t, const double *x, const double *v,
                                   double *v_dot, phx_port_effort *efforts);

/* ---- energies, outputs ---- */
/* How large a state is, to tell rounding by. */
typedef struct phx_sizes {
    double weight;  /* sum of m |g| reach, J */
    double inertia; /* sum of m reach^2, kg m^2 */
    double reach;   /* the largest distance of a body from the origin, its radius of gyration included, m */
    double speed;   /* the largest velocity, rotations times the radius of gyration, m/s */
} phx_sizes;
void phx_system_sizes(const phx_system *system, const double *x, const double *v, phx_sizes *sizes);
bool phx_system_deforms(const phx_system *system); /* it has a body with more velocities than a rigid one */
/* The largest rate d/m of a linear damper d over the masses of its bodies alone, 1/s; 0: there is none. */
double phx_system_damper_rate(phx_context *context, const phx_system *system);
/* What the springs between ports would do over their distance from the origin, J: places that are rounded there take
 * this part of rounding from the balance. */
double phx_system_force_work(const phx_system *system, const double *x, const double *v);
/* Jumps and kinks of drives and loads between two times (s) that their expressions do not tell, as in `sin(40*t) >= 0`,
 * become breaks, at which steps end and means are parted. */
phx_status phx_system_find_breaks(phx_system *system, double from, double to);
/* ---- parameters, values that expressions of time have in common and that a program around the system changes ---- */
/* After a change: the breaks that follow parameters, found anew. */
phx_status phx_system_renew_breaks(phx_system *system, double from, double to);
/* PHX_ERR_ANALYSIS for a motion that does not begin where its joint was assembled. */
phx_status phx_system_check_motions(const phx_system *system);
/* Whether dop853 can integrate it. PHX_ERR_UNSUPPORTED names what is not a tree of rigid bodies, or an element that
 * needs intervals, multipliers or events. */
phx_status phx_system_check_tree(const phx_system *system, bool moves);
/* Joint coordinates of such a tree, where drives, friction, controllers and contacts are no hindrance (phx_joint_space
 * of study.h has the equation, the order and the contents of q, u, M, bias and effort). The system is borrowed; x, v: a
 * state on the joints from which turns are counted. */
typedef struct phx_tree_space phx_tree_space;
phx_status phx_tree_space_create(phx_context *context, phx_system *system, bool by_angles, const double *x,
                                 const double *v, phx_tree_space **space);
void phx_tree_space_destroy(phx_tree_space *space); /* NULL is allowed */
int phx_tree_space_coordinates(const phx_tree_space *space);
int phx_tree_space_rates(const phx_tree_space *space);
/* The joint, or the body that is on none, of rate k, and the number of the rate there. */
const char *phx_tree_space_name(const phx_tree_space *space, int k, int *number);
/* q and u of the last evaluation, at first those of the state that it was made from. */
void phx_tree_space_state(const phx_tree_space *space, double *q, double *u);
/* columns (phx_system_columns): outputs; NULL: not asked for. */
phx_status phx_tree_space_evaluate(phx_tree_space *space, double t, const double *q, const double *u, double *M,
                                   double *bias, double *effort, double *columns);
/* Rate k of a tree: the coordinate of a joint that it is (-1: none that the joint names), its entry of q (of a ball the
 * first), whether it is a hinge, and whether it moves the body. */
typedef struct phx_tree_coordinate {
    int joint, coordinate, q;
    bool hinge, moves;
} phx_tree_coordinate;
phx_tree_coordinate phx_tree_space_coordinate(const phx_tree_space *space, int body, int k);
/* At q: inertial place (dim) of a point of a body in its axes, attitude R (dim x dim) of the body, and J (dim + n_rot x
 * rates): velocity and angular velocity, inertial axes, at unit rates. Columns of balls are zero. */
void phx_tree_space_place(phx_tree_space *space, int body, const double *point, const double *q, double *place,
                          double *R, double *J);
/* Whether the balance energy = supplied - dissipated holds exactly; not with simplified kinetics. */
bool phx_system_balances(const phx_system *system);

double phx_total_energy(const phx_energies *energies); /* J */
/* Changes the sign of quaternions among the output columns (the same attitudes) where that brings them nearer to the
 * columns of the instant before. */
void phx_system_continue_attitudes(const phx_system *system, const double *before, double *columns);
/* The quantity of a column, and (may be NULL) which component of it. */
phx_quantity phx_system_column_quantity(const phx_system *system, int column, int *component);

typedef enum phx_quantity_target {
    PHX_OF_PORT,
    PHX_OF_SECTION, /* of a beam or rod; of some quantities also a point of a body on a mesh */
    PHX_OF_MESH,    /* a point of a body on a mesh, or the whole body */
    PHX_OF_JOINT,
    PHX_OF_FORCE /* what it does at a port */
} phx_quantity_target;

/* Description of a quantity of outputs. */
typedef struct phx_quantity_info {
    phx_quantity_target of;
    int order; /* of the derivative of the motion that it follows: 0 configuration, 1 velocities, 2 accelerations and
                  multipliers */
    const char *plane, *space; /* names of its components, '|' between them, in the plane and in space; "": a scalar;
                                  NULL: one for each free coordinate of the joint. Of bodies on a mesh: stresses.c */
    const char *unit;
    const char *bodies;  /* that have it, for messages; NULL: it is not a stress, or of any body with sections */
    bool measured;       /* by continuous controllers: its mean over an interval is defined (measures.c) */
    const char *instead; /* the quantity to linearise instead; NULL unless it has no derivative at rest */
} phx_quantity_info;
const phx_quantity_info *phx_system_quantity_info(phx_quantity quantity); /* NULL for what is no quantity */

/* ---- workspace ---- */
const char *phx_backend_name(phx_backend backend);   /* "auto", "plain", "fast" */
const phx_system *phx_system_of(const phx_dae *dae); /* of a dae made by phx_system_dae */
/* Threads that phx_system_threads has set to work. */
int phx_system_thread_count(const phx_dae *dae);
/* The matrix factored last (whole: phx_system_condense), for benchmarks and inspection: n rows in compressed form, the
 * elimination order, the values (real factorisations only). Any may be NULL; they belong to the dae and hold until its
 * next operation. */
void phx_system_kkt(const phx_dae *dae, int *n, const int **ptr, const int **idx, const int **order,
                    const double **val);
/* Intervals and projections condense the deformations inside the bodies first, projections also all velocities, or
 * factor their whole matrices: with the same results. It pays for projections, and for intervals where bodies have many
 * inner coordinates; while its iteration contracts slowly, intervals stay whole whatever is asked. Not between a
 * factorisation and its solutions. */
typedef enum phx_condensing { PHX_CONDENSE_WHERE_IT_PAYS, PHX_CONDENSE_ALWAYS, PHX_CONDENSE_NEVER } phx_condensing;
void phx_system_condense(phx_dae *dae, phx_condensing when);
/* Whether joints of equal rows are evaluated one by one, or in batches (the default). The results agree to rounding.
 * Errors: PHX_ERR_MEMORY. */
phx_status phx_system_joints_one_by_one(phx_dae *dae, bool one_by_one);

/* ---- inputs and outputs of the linearised system: see phx_channels_options ---- */
typedef enum phx_channel_kind { PHX_CHANNEL_EFFORT, PHX_CHANNEL_ACCELERATION, PHX_CHANNEL_RATE } phx_channel_kind;
/* Channels of a linearised system, and the matrices above. Owns its arrays. */
typedef struct phx_channels {
    int n, m, n_held; /* coordinates xi, rows of G, rows of H */
    int n_inputs, n_outputs;
    char **inputs, **outputs;
    phx_channel_kind *kind; /* of each input; loads are efforts */
    int *held;              /* of each input: its row of H; -1 for efforts */
    char **motion;          /* of each row of H: the motion's name, "JOINT.coordinate", "crank.P.angle" */
    char **rate;            /* of each row of H: the name of its rate */
    phx_csr G;              /* m x n: independent rows of the joints and of drives that are locked */
    phx_csr H;              /* n_held x n */
    phx_csr F;              /* n x n_inputs; columns of prescribed motions are zero */
    phx_csr Y_q, Y_v, Y_a;  /* n_outputs x n */
    phx_csr Y_l;            /* n_outputs x m */
    phx_csr Y_h;            /* n_outputs x n_held */
    phx_csr Y_u;            /* n_outputs x n_inputs */
} phx_channels;
/* x, t, lambda as for phx_system_linear. Errors for channels: phx_channels_options. */
phx_status phx_system_channels(phx_dae *dae, double t, const double *x, const double *lambda,
                               const phx_channels_options *options, phx_channels *channels);
void phx_channels_free(phx_channels *channels); /* frees and zeroes the fields; NULL is allowed */

/* ---- controllers of the linearised system ----
 *
 *     z' = A z + B y,   u = C z + D y,   y = Y_q xi + Y_v xi'        (as changes from the point)
 *
 * of all continuous controllers together. D has the direct gains of the sampled ones as well, `continuous` says which
 * rows are not. Sampled ones stand by themselves, in the order in which they take their samples: from one sample to the
 * next z+ = A z + B e, u = C z + D e, where e are measurements, or outputs of other controllers. */
typedef struct phx_feedback_sampled {
    double period;                     /* s */
    int delay;                         /* samples from u to the effort */
    int n, n_inputs, n_outputs, first; /* states; its outputs are the actuations from `first` on */
    double *A, *B, *C, *D;
    int *measure; /* n_inputs: row of Y; -1: it reads an output of another controller, */
    int *other;   /* n_inputs: and which actuation that is; -1: none */
} phx_feedback_sampled;
typedef struct phx_feedback {
    int n, n_states, n_actuations, n_measures, n_sampled;
    char **actuations;             /* n_actuations: channels; one may stand several times, the efforts add up */
    char **efforts;                /* n_actuations: the same as outputs of the controllers, "NAME.u1" */
    phx_feedback_sampled *sampled; /* n_sampled */
    char *left_out;                /* why a sampled controller is not there: a sentence; NULL: all are */
    char **states;                 /* "NAME.z1" */
    bool *continuous;              /* of each actuation */
    double *Y_q, *Y_v;             /* n_measures x n */
    double *A, *B, *C, *D;
} phx_feedback;
/* Columns of controllers beside the outputs: of each u1.., z1.. and, where it stores, its energy; behind them, where
 * they shape the energy, closed_loop.energy and closed_loop.rate. */
int phx_system_controller_columns(const phx_system *system);
bool phx_system_is_shaped(const phx_system *system); /* whether there are these two */
/* Name into a buffer; its unit, NULL: none. */
const char *phx_system_controller_column(const phx_system *system, int column, char *buffer, size_t size);
phx_status phx_system_controller_values(phx_dae *dae, double t, const double *x, const double *v, double *columns);
/* Which outputs of all continuous controllers are below (-1) or above (1) their limits at a state, else 0; of sampled
 * ones 0. `side`: phx_system_controller_outputs. hold_sides holds all blocks of a system at these sides, so
 * that their differences belong to one branch. The array is borrowed; NULL releases them. */
int phx_system_controller_outputs(const phx_system *system);
phx_status phx_system_limit_sides(phx_dae *dae, double t, const double *x, const double *v, signed char *side);
void phx_system_hold_sides(const phx_system *system, const signed char *side);
/* States of controllers at the start, into x. */
void phx_system_initial_controllers(const phx_system *system, double *x);
int phx_system_controllers(const phx_system *system);
const char *phx_system_controller_name(const phx_system *system, int k);
double phx_system_controller_sample(const phx_system *system, int k); /* s; 0: continuous */
const phx_block *phx_system_controller_block(const phx_system *system, int k);
/* States of all of them, entries of x behind the mechanism's: their number; whether one is of a continuous controller.
 */
int phx_system_controller_states(const phx_system *system);
bool phx_system_controller_state_flows(const phx_system *system, int state);
/* y: one for each of its inputs, at an instant. */
void phx_system_controller_measured(phx_dae *dae, int k, const double *x, const double *v, double *y);
phx_status phx_system_feedback(phx_dae *dae, double t, const double *x, phx_feedback *feedback);
void phx_feedback_free(phx_feedback *feedback); /* frees and zeroes the fields; NULL is allowed */

/* How far (x, v = 0) is from rest with the drives locked: sqrt(a^T M a / mass), m/s^2, with the deformations held
 * (`rigid`: the joints cannot carry the loads) and free (`free`). Either may be NULL. */
phx_status phx_system_unrest(phx_dae *dae, double t, const double *x, double *rigid, double *free);
/* The acceleration (dim, m/s^2, inertial) of everything as one body under gravity and loads at rest, along the axes in
 * which the joints allow it, else 0; gravity in axes that move so. */
phx_status phx_system_common_acceleration(phx_dae *dae, double t, const double *x, double *acceleration,
                                          double *gravity);

/* ---- ports and points in other ways than by a location ---- */
/* A port at a place of a rigid body or of the ground (NULL: at the origin); rotation (dim x dim, may be NULL: identity)
 * gives its directions. */
phx_status phx_system_add_port(phx_system *system, phx_body_id body, const double *position, const double *rotation,
                               phx_port_id *id);
/* A port at a fraction s of a beam's length. */
phx_status phx_system_add_beam_port(phx_system *system, phx_body_id body, double s, phx_port_id *id);
/* A port at any point of a flexible body (copied); rotation as above. */
phx_status phx_system_add_flex_port(phx_system *system, phx_body_id body, const phx_flex_point *point,
                                    const double *rotation, phx_port_id *id);
/* phx_system_add_point_at for any point of a flexible body (copied). */
phx_status phx_system_add_flex_point(phx_system *system, phx_body_id body, const char *name,
                                     const phx_flex_point *point, const double *rotation);

/* ---- workspace, equilibrium, events ---- */
/* The output columns at rest in equilibrium: lambda as of phx_system_static, no accelerations. */
phx_status phx_system_static_outputs(phx_dae *dae, double t, const double *x, const double *lambda, double *columns);

/* ---- derivatives of a step (variation, theory 19) ----
 * Of the step of `midpoint` that was really made: interval and projection. A variation of the state is xi of the
 * configuration (n_v, phx_body_displace) and dv: of the velocities (n_v), then of the entries of x that controllers
 * have (phx_system_controller_states). */
typedef struct phx_variation phx_variation;
/* The system is borrowed. PHX_ERR_UNSUPPORTED where a step has no derivative here, with the reason. */
phx_status phx_variation_create(phx_context *context, phx_system *system, phx_variation **variation);
void phx_variation_destroy(phx_variation *variation); /* NULL is allowed */
/* Takes the step of length h from (x0, v0) to x1 whose interval has the mean velocity vm (n_v) and the multipliers
 * lambda, which may be guesses. PHX_ERR_UNSUPPORTED where one interval does not lead to x1. */
phx_status phx_variation_step(phx_variation *variation, double t0, double h, const double *x0, const double *v0,
                              const double *x1, const double *vm, const double *lambda);
/* Mean velocity and multipliers of the interval that the dae has evaluated last; borrowed. */
void phx_system_last_interval(const phx_dae *dae, const double **vm, const double **lambda);
/* In place: the variation at the start of the step becomes that at its end. r (n_v + n_l), dv_p: what a parameter
 * changes in the residual and at the end (phx_variation_by_parameter); NULL: zero. */
phx_status phx_variation_tangent(phx_variation *variation, const double *r, const double *dv_p, double *xi, double *dv);
/* The transpose: the derivative (a_xi, a_v) of a number by the state at the end becomes that by the state at the start;
 * `kept` (phx_variation_adjoint_size) is what phx_variation_contract needs of it. */
phx_status phx_variation_adjoint(phx_variation *variation, double *a_xi, double *a_v, double *kept);
int phx_variation_adjoint_size(const phx_variation *variation);
/* The dae (plain) of another system with the rows that carry multipliers in `like`. PHX_ERR_UNSUPPORTED where the
 * systems do not have the same structure. */
phx_status phx_system_dae_like(phx_system *system, phx_context *context, const phx_dae *like, phx_dae **dae);
/* Systems of the same structure at neighbouring values of a parameter, whose daes (n, phx_system_dae_like) are
 * borrowed: a derivative is the sum of weight_k times the values. */
typedef struct phx_variation_parameter phx_variation_parameter;
phx_status phx_variation_parameter_create(phx_context *context, const phx_variation *variation, int n,
                                          phx_dae *const *daes, const double *weight,
                                          phx_variation_parameter **parameter);
void phx_variation_parameter_destroy(phx_variation_parameter *parameter); /* NULL is allowed */
/* The derivatives of the residual, r (n_v + n_l), of the end velocity, dv_p (n_v), and of the states of controllers
 * behind their samples and at the end, behind it in dv_p (each phx_system_controller_states), of the step at hand at
 * fixed state, mean velocity and multipliers. */
phx_status phx_variation_by_parameter(phx_variation *variation, phx_variation_parameter *parameter, double *r,
                                      double *dv_p);
/* Whether it changes anything in a step. */
bool phx_variation_touches(const phx_variation_parameter *parameter);
/* Whether the parameter enters the columns of an output beside the state; it may say so of one that it does not. */
bool phx_variation_enters(const phx_variation_parameter *parameter, int output);
/* change[i * stride] += what the parameter changes in n numbers in the step at hand, of whose adjoints `kept` has one
 * after the other. */
phx_status phx_variation_contract(phx_variation *variation, phx_variation_parameter *parameter, int n, double *kept,
                                  int stride, double *change);

#endif
