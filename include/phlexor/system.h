/* Phlexor, layer system: bodies, joints and loads interconnected into one port-Hamiltonian DAE. */
#ifndef PHLEXOR_SYSTEM_H
#define PHLEXOR_SYSTEM_H

#include <phlexor/body.h>
#include <phlexor/control.h>
#include <phlexor/dae.h>
#include <phlexor/joint.h>
#include <phlexor/load.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything a user adds gets a handle: an index that counts from 0 in the order of adding. */
typedef int phx_body_id; /* PHX_GROUND: the inertial frame */
typedef int phx_port_id;
typedef int phx_joint_id;
enum { PHX_GROUND = -1 };

/* A mechanism: first built, then finalised, then only asked. */
typedef struct phx_system phx_system;

/* ---- building ---- */
/* An empty system of dimension `dim` (2 or 3); gravity: dim values, m/s^2, inertial components
 * (NULL: none). */
phx_status phx_system_create(phx_context *context, int dim, const double *gravity, phx_system **system);
void phx_system_destroy(phx_system *system); /* frees bodies, ports, and everything it took over */

/* First guess of the pose and velocity of a body (inertial components). */
typedef struct phx_pose {
    double position[3];
    double rotation[9]; /* dim x dim, body to inertial */
    double angle;       /* plane: used instead of rotation */
    double linear[3];   /* velocity of the frame's origin */
    double angular[3];  /* plane: [0]; space: inertial components */
} phx_pose;
phx_pose phx_pose_default(void); /* at the origin, not turned, at rest */

/* Add a body made by phx_body_create; the system takes it over (also on failure). `source` (may be NULL: rigid) is
 * where its flex comes from, taken over too (hand over a share of one that is wanted elsewhere): it answers for
 * points and stresses. */
phx_status phx_system_add_body(phx_system *system, phx_body *body, phx_flex_source *source, const phx_pose *pose,
                               phx_body_id *id);
/* A port at a location of a body or of the ground, whose directions are `rotation` (dim x dim, NULL: identity). A body
 * without a source and the ground have their origin and places, others what their source offers. PHX_ERR_ARGUMENT for
 * other sorts of locations, and for what is not on the body. */
phx_status phx_system_add_port_at(phx_system *system, phx_body_id body, const phx_location *location,
                                  const double *rotation, phx_port_id *id);
/* A name for a point of a body, by which the channels of the linearised system find it (phx_channels_options). A
 * simulation does not see it. PHX_ERR_ARGUMENT for a name that the body has already, no body, and as of
 * phx_system_add_port_at. */
phx_status phx_system_add_point_at(phx_system *system, phx_body_id body, const char *name, const phx_location *location,
                                   const double *rotation);

/* Forces along a free coordinate of a joint, and its start. Units: rad and N m, or m and N. */
typedef struct phx_coordinate_def {
    bool has_start, has_rate;
    double start, rate;        /* value and rate at the start (keys angle/position, rate) */
    phx_signal *speed;         /* prescribed rate; taken over; NULL: free */
    phx_signal *motion;        /* prescribed value, instead of start, rate and speed; taken over; NULL: none */
    phx_signal *effort;        /* actuator; taken over; NULL: none */
    double stiffness, damping; /* along the coordinate */
    double rest;
    phx_law *law;              /* of coordinate - rest, against it; taken over; NULL: none */
    phx_signal *damper;        /* force against the rate, a signal of the rate in place of time; taken over */
    phx_signal *motor;         /* force along the coordinate at its rate, the same; taken over; NULL: none */
    bool has_lower, has_upper; /* end stops */
    double lower, upper;
    phx_penalty stop;
    phx_friction friction;
    double
        friction_arm; /* coefficient (of an angle times the radius, m) of the joint's reaction force, beside kinetic */
} phx_coordinate_def;

/* A joint between the ports a and b. PHX_ERR_ARGUMENT, with the name, for what the kind does not have. */
typedef struct phx_joint_def {
    const char *name; /* copied */
    phx_joint_kind kind;
    phx_port_id a, b;
    double axis[3];        /* in port A's directions; default (1, 0, 0); a normal, the first of a pair of axes */
    bool has_axis_b;       /* else B's line is the one on the axis in the poses as written; a pair of axes needs it */
    double axis_b[3];      /* in port B's directions */
    bool has_relative;     /* weld: relative rotation given, else as the poses have it */
    double relative[9];    /* dim x dim: port B's to port A's directions */
    double relative_angle; /* plane: instead of the matrix */
    bool inactive;         /* holds and drives nothing until phx_system_switch says so */
    int n_coordinates;     /* 0 or as the kind has */
    phx_coordinate_def coordinate[PHX_JOINT_MAX_COORDINATES];
} phx_joint_def;
phx_joint_def phx_joint_def_default(void);
phx_status phx_system_add_joint(phx_system *system, const phx_joint_def *def, phx_joint_id *id);

/* A wheel on the body of B (of A, where B is the ground) that a coordinate of a joint, counted from 0, turns exactly:
 * coordinate = ratio x turn of the wheel, in rad or m per unit of its turn. It has the energy inertia/2 (its rate)^2,
 * so that inertia/ratio^2 is added to that of the coordinate (theory 3); 0: none. turn (may be NULL): a port for
 * phx_system_add_gear. PHX_ERR_UNSUPPORTED for a place along a body, a joint that does not hold at the
 * start. */
phx_status phx_system_add_wheel(phx_system *system, phx_joint_id joint, int coordinate, double ratio, double inertia,
                                phx_port_id *turn);
/* The turns of two wheels, at their ports, differ by `rest` for good: a = b + rest. */
phx_status phx_system_add_gear(phx_system *system, const char *name, phx_port_id a, phx_port_id b, double rest);

/* A spring, damper and actuator along the line between two ports; `length` unstretched, m; `force` pushes them
 * apart, N; `law` pulls them together as a function of distance - length, m, `damper` as one of its rate, m/s. */
typedef struct phx_spring_def {
    const char *name;
    phx_port_id a, b;
    double stiffness, damping, length;
    phx_signal *force;  /* taken over */
    phx_law *law;       /* the same */
    phx_signal *damper; /* the same; f(v) v >= 0 */
} phx_spring_def;
phx_status phx_system_add_spring(phx_system *system, const phx_spring_def *def);

/* A bushing between the frames of two ports: f = preload - K x - C x', x: displacement of B along A's directions, then
 * (plane) the angle of B's directions against A's, (space) the axial vector n sin(phi) of their rotation. K, C: n x n
 * row-major, n = 3 or 6, symmetric, no eigenvalue negative. */
typedef struct phx_bushing_def {
    const char *name;
    phx_port_id a, b;
    double stiffness[36], damping[36], preload[6];
} phx_bushing_def;
phx_status phx_system_add_bushing(phx_system *system, const phx_bushing_def *def);

/* The shape of A in a contact. */
typedef enum phx_contact_kind { PHX_CONTACT_PLANE, PHX_CONTACT_SPHERE, PHX_CONTACT_CYLINDER } phx_contact_kind;
/* A contact of a sphere (a point: radius_b = 0) at port B with a plane, a sphere or an endless cylinder at port A, or
 * of an ellipsoid at port B with a plane. */
typedef struct phx_contact_def {
    const char *name;
    phx_contact_kind kind;
    phx_port_id a, b;
    double axis[3];            /* plane: normal on B's side, cylinder: axis; in A's directions, any length */
    double radius_a, radius_b; /* m; radius_a of a sphere or cylinder */
    double semi_axes[3];       /* m; of an ellipsoid about B (plane: of an ellipse), along B's directions, in place of
                                  radius_b; zeros: it is a sphere */
    bool inside;               /* B is inside the sphere or cylinder A */
    phx_penalty penalty;
    phx_friction friction; /* kinetic: the coefficient, times the normal force; regularised 0: none */
    bool rigid;            /* in place of penalty and friction: phx_study_simulate finds its impacts */
    double restitution;    /* of a rigid one, 0 to 1 */
} phx_contact_def;
phx_status phx_system_add_contact(phx_system *system, const phx_contact_def *def);

/* A coordinate of a joint in a coupling or a cable. */
typedef struct phx_coupling_term {
    phx_joint_id joint;
    int coordinate; /* from 0 */
    double weight;
} phx_coupling_term;
/* A cable over points, which drums wind: it pulls with `stiffness` times
 *     x - length ,  x = sum of the distances + sum of weight times coordinate over the terms
 * and times (1 + damping times the rate of x), and never pushes. Over the points between it runs without friction, or
 * with tensions whose ratio is exp(friction times angle) where it slides much faster than `regularised`; the tension
 * above is then their mean over the length. A drum is then on a body of the first or of the last port. The
 * weight of a drum is its radius, positive where the coordinate takes cable in, negative where it gives it out; the
 * cable acts on the drum with weight times the tension. */
typedef struct phx_cable_def {
    const char *name;
    int n_ports; /* 2 to 16 */
    const phx_port_id *ports;
    double length, stiffness, damping; /* m, N/m, s/m */
    double friction, regularised;      /* -, m/s; both 0: none */
    int n_terms;                       /* from 0; n_ports + 2 n_terms is at most 16 */
    const phx_coupling_term *terms;
} phx_cable_def;
phx_status phx_system_add_cable(phx_system *system, const phx_cable_def *def);

/* Forces along x = sum of weight times coordinate: spring, damper, laws. A gear, a rack, a belt that gives. */
typedef struct phx_coupling_def {
    const char *name;
    int n_terms; /* 1 to 8 */
    const phx_coupling_term *terms;
    double stiffness, damping;
    bool has_rest; /* else x at the start */
    double rest;
    phx_law *law;       /* of x - rest; taken over; NULL: none */
    phx_signal *damper; /* of the rate; the same */
} phx_coupling_def;
phx_status phx_system_add_coupling(phx_system *system, const phx_coupling_def *def);

/* Drag of a port in the wind w: F = -coefficient |v - w| (v - w), coefficient = density c_d area/2, kg/m. */
typedef struct phx_drag_def {
    const char *name;
    phx_port_id port;
    double coefficient;
    phx_signal *wind[3]; /* inertial, m/s; taken over; NULL: still */
} phx_drag_def;
phx_status phx_system_add_drag(phx_system *system, const phx_drag_def *def);

/* Drag along a body with sections: per length -coefficient |v_n| v_n, v_n the velocity against the wind across its
 * length, coefficient = density c_d width/2, kg/m^2. */
typedef struct phx_wind_def {
    const char *name;
    phx_body_id body;
    double coefficient;
    phx_signal *wind[3]; /* inertial, m/s; taken over; NULL: still */
} phx_wind_def;
phx_status phx_system_add_wind(phx_system *system, const phx_wind_def *def);

/* A force (N) or torque (N m) at a port, in inertial components, or with `follower` along the directions of the
 * port. */
typedef struct phx_load_def {
    const char *name;
    phx_load_kind kind;
    phx_port_id port;
    bool follower;
    phx_signal *component[3]; /* taken over */
} phx_load_def;
phx_status phx_system_add_load(phx_system *system, const phx_load_def *def);
/* Force per length in body axes on a beam, signals of t and s; taken over. */
phx_status phx_system_add_distributed(phx_system *system, const char *name, phx_body_id body, phx_signal *component[3]);

/* A controller between outputs and actuations of the system, which may be added before or after it. Its names are
 * looked up by phx_system_finalise: PHX_ERR_INPUT there, with the names that come nearest, for one that is not there,
 * for accelerations, reactions, efforts and stresses without sampling (they follow the controller without delay), and
 * for controllers that read each other in a loop. PHX_ERR_ARGUMENT for what phx_controller_def does not allow. */
phx_status phx_system_add_controller(phx_system *system, const phx_controller_def *def);

/* Finalise: numbering, pattern, redundant constraints (named through the log as a warning), connected
 * components. Nothing can be added afterwards. A finalised system stays as it is. */
phx_status phx_system_finalise(phx_system *system);

/* ---- asking ----
 * Of a system that is NULL, or for an index out of range, numbers are 0, pointers are NULL and nothing is filled in. */
/* Sizes of x, v and lambda. */
int phx_system_n_x(const phx_system *system);
int phx_system_n_v(const phx_system *system);
int phx_system_n_l(const phx_system *system); /* independent constraint rows */
/* Offsets of a body in x and v. */
void phx_system_offsets(const phx_system *system, phx_body_id id, int *x, int *v);

/* ---- joints that begin to hold or let go ---- */
/* The parts of a joint that act. */
typedef struct phx_switch {
    phx_joint_id joint;
    bool holds, drives; /* its constraints; its drives */
} phx_switch;
/* From now on, at the configuration x, those joints act as they say. A joint that begins to hold does so as it is: what
 * the poses decide is decided by x, the point of B is moved on its rigid body to that of A, and what is left is kept as
 * an offset. Every phx_dae of the system must have been destroyed; those made next have the new rows. */
phx_status phx_system_switch(phx_system *system, int count, const phx_switch *changes, const double *x);
/* From now on the spring, load or force of that name acts or does not, with its pieces NAME/1, ... on a body in
 * segments; of a finalised system, in which all act at first. Every phx_dae of it must have been destroyed. The energy
 * of a spring that does not act is not the system's: who switches it books the difference. PHX_ERR_ARGUMENT: there is
 * none of that name (a rigid contact is a joint: phx_system_switch), or a spring and a load have it. */
phx_status phx_system_switch_force(phx_system *system, const char *name, bool acts);
/* The velocities v at x put on the rows by an impulse of the joints, v += M^-1 G^T mu: momenta of what is free stay.
 * work: what drives supply, and what is lost, 1/2 e^T (G M^-1 G^T)^-1 e, e = G v - w. */
phx_status phx_system_impulse(phx_dae *dae, double t, const double *x, double *v, phx_work *work);

/* ---- energies, outputs ---- */
/* Energies of a system at an instant, J. */
typedef struct phx_energies {
    double kinetic, elastic, potential; /* potential: gravity and springs */
    double controllers;                 /* what port_hamiltonian controllers store */
} phx_energies;
void phx_system_energies(const phx_system *system, const double *x, const double *v, phx_energies *energies);

/* The quantities of outputs, the one list of them: X(NAME, name, dims) is the quantity PHX_QUANTITY_NAME, `name` its
 * key in model files, in the plane (PLANE), in space (SPACE) or in both (BOTH). The table of
 * src/system/channels/outputs.c has their components and units. New ones come last, so that the values stay as they
 * are. */
#define PHX_QUANTITY_LIST(X)                                                                                           \
    X(POSITION, position, BOTH)                                                                                        \
    X(VELOCITY, velocity, BOTH)                                                                                        \
    X(ACCELERATION, acceleration, BOTH)                                                                                \
    X(ANGLE, angle, PLANE)                                                                                             \
    X(ANGULAR_VELOCITY, angular_velocity, BOTH)                                                                        \
    X(ATTITUDE, attitude, BOTH) /* unit quaternion w, x, y, z */                                                       \
    X(DEFORMATION, deformation, BOTH)                                                                                  \
    X(AXIAL_FORCE, axial_force, BOTH)                                                                                  \
    X(BENDING_MOMENT, bending_moment, BOTH)                                                                            \
    X(TORSION, torsion, SPACE)                                                                                         \
    X(STRESS, stress, BOTH)                                                                                            \
    X(MEMBRANE_FORCE, membrane_force, SPACE)     /* of plates */                                                       \
    X(SHEAR_FORCE, shear_force, BOTH)            /* of rods and plates */                                              \
    X(VON_MISES, von_mises, SPACE)               /* of plates and solids */                                            \
    X(PRINCIPAL_STRESS, principal_stress, SPACE) /* of plates and solids */                                            \
    X(STRAIN, strain, BOTH)                      /* of rods */                                                         \
    X(REACTION, reaction, BOTH)                                                                                        \
    X(COORDINATE, coordinate, BOTH)                                                                                    \
    X(RATE, rate, BOTH)                                                                                                \
    X(EFFORT, effort, BOTH)                                                                                            \
    X(EDGE_SHEAR, edge_shear, SPACE)     /* of plates: on an edge */                                                   \
    X(EDGE_MOMENT, edge_moment, SPACE)   /* of plates: on an edge */                                                   \
    X(CORNER_FORCE, corner_force, SPACE) /* of plates */                                                               \
    X(FORCE, force, BOTH)                /* of springs and forces */

/* The quantity of an output: PHX_QUANTITY_LIST, then the number of quantities. Columns in SI units, components in the
 * order x, y, z. */
typedef enum phx_quantity {
/* The value of a quantity. */
#define PHX_QUANTITY_ENUM(NAME, name, dims) PHX_QUANTITY_##NAME,
    PHX_QUANTITY_LIST(PHX_QUANTITY_ENUM)
#undef PHX_QUANTITY_ENUM
        PHX_QUANTITIES
} phx_quantity;

/* An output. */
typedef struct phx_output_def {
    const char *name;
    const char *force; /* force: of a spring or force, added before: what it exerts on the last of its ports */
    phx_quantity quantity;
    phx_port_id port;   /* quantities of a point; on beams also the stress quantities */
    phx_joint_id joint; /* reaction, coordinate, rate, effort */
    bool body_frame;    /* frame: body instead of inertial; not of a reaction */
    bool inertial;      /* a reaction, a deformation in inertial components, not port A's directions, body axes */
    bool at_a;          /* the torque of a reaction is about the place of port A, not of port B */
    /* stress: the section, in the order of the bending moments (plane: Mz; space: My, Mz) */
    double area, inertia[2]; /* m^2, m^4 */
    double fibre[2];         /* distances of the extreme fibres, m: plane (y), space (z, y) */
    double compliance[36];   /* strain: of the section, 6 x 6 by (N1 N2 N3 M1 M2 M3) */
    /* bending moment, stress and the quantities behind it, of a body on a mesh: */
    bool on_mesh;          /* there, not at a port */
    phx_body_id body;      /* after its source has been added */
    phx_location location; /* a node, a port, of a plate a place; read at once */
    bool whole;            /* not there but over all nodes: largest von Mises stress, extreme principal stresses */
} phx_output_def;
/* Before finalise. */
phx_status phx_system_add_output(phx_system *system, const phx_output_def *def);
int phx_system_columns(const phx_system *system);
/* "NAME" or "NAME.x", into a buffer. */
void phx_system_column_name(const phx_system *system, int column, char *buffer, size_t size);
const char *phx_system_column_unit(const phx_system *system, int column);

/* ---- ledger: who supplied or took the work ---- */
/* Entries of the ledger of a phx_sample: of each joint with a drive or an actuator, each spring with an actuator and
 * each load what it supplies, then of each joint and spring with a damper and each body that is not lossless what it
 * takes. The first add up to `supplied` of phx_work, the others to `dissipated`. Of a projection of several drives in
 * one mechanism their sum is exact; how the correction is shared among them is a convention (|multiplier x residual|).
 */
int phx_system_ledger(const phx_system *system); /* how many */
/* "joint.NAME", "spring.NAME", "load.NAME", "body.NAME", into a buffer. */
void phx_system_ledger_name(const phx_system *system, int entry, char *buffer, size_t size);
bool phx_system_ledger_dissipates(const phx_system *system, int entry);

/* ---- workspace ---- */
/* The dae over a finalised system, with everything it needs allocated. Destroy with phx_system_dae_destroy. */
phx_status phx_system_dae(phx_system *system, phx_context *context, phx_dae **dae);
/* How the equations are evaluated: one body, joint and load at a time with whole matrices factored by KLU, or together
 * where bodies and joints are alike, with condensed matrices, in SIMD width and on several threads. The results agree
 * to rounding. */
typedef enum phx_backend {
    PHX_BACKEND_AUTO, /* fast: what it does not know it leaves to the plain evaluation */
    PHX_BACKEND_PLAIN,
    PHX_BACKEND_FAST
} phx_backend;
/* phx_system_dae with a chosen evaluation. */
phx_status phx_system_dae_with(phx_system *system, phx_context *context, phx_backend backend, phx_dae **dae);
void phx_system_dae_destroy(phx_dae *dae);
/* Let so many threads work inside the operations of this dae, on bodies, joints and branches of the elimination; 0: as
 * many as pay, one for a small mechanism, else one for each processor. One after creation. All results are the same bit
 * by bit. Not between a factorisation and its solutions. Errors: PHX_ERR_ARGUMENT, PHX_ERR_MEMORY, PHX_ERR_LIBRARY;
 * then the calling thread is alone. */
phx_status phx_system_threads(phx_dae *dae, int threads);
/* Numerical damping of deformations in the intervals of `dae`, of a plain evaluator: the spectral radius of what a step
 * does not resolve, 1 (none) to 0. What it takes is part of the dissipated work. Memories begin at zero. Integrators:
 * PHX_MIDPOINT in equal steps. */
phx_status phx_system_spectral_radius(phx_dae *dae, double radius);
/* Largest residual of the joints at position and at velocity level at a state, m and m/s (angles times 1 m). */
void phx_system_drift(phx_dae *dae, double t, const double *x, const double *v, double *position, double *velocity);
/* Evaluate the output columns at a state; accelerations, reactions and efforts solve the acceleration-level system at
 * this state. */
phx_status phx_system_outputs(phx_dae *dae, double t, const double *x, const double *v, double *columns);

/* Matrices of the linearised system about (x, v = 0), drives locked; lambda NULL: what the joints carry at rest with
 * the deformations held, so that an undeformed start under gravity has the tensions of its equilibrium. M xi'' + D xi'
 * + K xi = G^T lambda + B u, G xi' = 0. Free with phx_linear_free. Coordinates xi are the tangent (dr in body axes,
 * dphi, dq) body by body. */
typedef struct phx_linear {
    int n, m;
    phx_csr M, D, K; /* n x n; K contains elasticity, gravity, springs and the geometric terms of the multipliers */
    phx_csr G;       /* m x n, drives locked */
    bool has_root;   /* K = root^T root exactly: elasticity and springs only, no gravity, no loads */
    phx_csr root;    /* rows x n; may also be given (rows > 0) without has_root, then K = root^T root + rest: */
    phx_csr rest;    /* n x n, the part of K without a root (gravity, loads, multipliers); no rows when not given */
    phx_csr damping_root; /* rows x n, may be given: D = damping_root^T damping_root + damping_rest; else no rows */
    phx_csr damping_rest; /* n x n; no rows when damping_root has none */
    phx_csr rigid;        /* n x columns, may be given: the motions of each body without deformation, and of its places;
                             no rows when not given */
    bool damped;          /* D is not zero */
    bool gyroscopic;      /* about a rotation: D has a skew part */
    bool lossless;        /* and no other: D is skew on the motions that G allows */
    bool circulatory;     /* the skew part of K belongs to it: loads that follow or have no potential otherwise, damping
                             inside a rotor that bends */
} phx_linear;
phx_status phx_system_linear(phx_dae *dae, double t, const double *x, const double *lambda, phx_linear *linear);
void phx_linear_free(phx_linear *linear);
/* "body.rx", "body.ux3" ...: name of coordinate k of xi, into a buffer. */
void phx_system_coordinate_name(const phx_system *system, int k, char *buffer, size_t size);

/* ---- inputs and outputs of the linearised system ----
 *
 *     M xi'' + D xi' + K xi = G^T lambda + H^T mu + F u                                M, D, K of phx_linear
 *                    G xi'' = 0,   H xi'' = u_H   (or  H xi' = u_H)
 *                         y = Y_q xi + Y_v xi' + Y_a xi'' + Y_l lambda + Y_h mu + Y_u u
 *
 * all as changes from the point. Channels have names. A motion (of a point, along a direction fixed at the point of
 * linearisation; of a joint's coordinate) has four:
 *
 *   BODY.PORT  fx fy tz            ax ay alpha             vx vy omega               x y angle
 *     space    fx fy fz tx ty tz   ax .. alphax alphay ..  vx .. omegax omegay ..    x y z anglex angley anglez
 *   JOINT      effort              acceleration            rate                      coordinate   (more than one: with
 * 1, 2.. behind)
 *
 * PORT is a name of phx_system_add_point_at; BODY@S is the point at a location S of the body (a fraction of its length,
 * the number of a node, a name), with the directions of the body. Of one motion the effort, the acceleration or
 * the rate can be an input. As an output the effort is what moves it where acceleration or rate is the input; of a
 * joint that is no input the effort of its drive, else of its actuator, which then does not change. A drive that is no
 * input is locked.
 *   LOAD       fx fy [fz] of a force (distributed: per length, uniform), tz [tx ty] of a torque; in its own frame;
 *              inputs only
 *   SPRING     force (of its actuator), input only
 *   NAME, NAME.x ..: the output columns of the system; outputs only
 */
/* Which channels. PHX_ERR_INPUT, with the names that come nearest, for a channel that does not exist, is listed twice,
 * cannot be an input (or output), or an empty list, also an empty default. */
typedef struct phx_channels_options {
    int n_inputs, n_outputs;
    const char *const *inputs;  /* NULL: all loads, actuators of springs and of joints, drives, in the order added */
    const char *const *outputs; /* NULL: all output columns but von Mises and principal stresses */
    bool drives_by_rate;        /* drives among the default inputs: by their rate; else by their acceleration */
    bool controllers; /* what controllers act with are inputs too, behind the others; both lists may be empty */
} phx_channels_options;

/* ---- certificate ---- */
/* The structure of a system, measured. */
typedef struct phx_certificate {
    int coordinates, velocities, constraints, redundant, degrees_of_freedom, constraint_rank, index;
    double skew_residual;            /* |J + J^T| of the assembled structure operator as stored: 0 */
    double smallest_mass_eigenvalue; /* of the bodies' mass matrices */
    double power_residual;           /* largest |H_dot - y^T u| over the scale, on random states */
    bool lossless;
    double mass, centre_of_mass[3], inertia[9]; /* inertia about the centre of mass, inertial axes */
    phx_energies energy;
} phx_certificate;
/* The certificate at a state; errors of phx_system_start and of factorisations. */
phx_status phx_system_verify_structure(phx_dae *dae, double t, const double *x, const double *v, const double *lambda,
                                       phx_certificate *certificate);

#ifdef __cplusplus
}
#endif
#endif
