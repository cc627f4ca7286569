/* Phlexor, layer model: the model file as a plain specification.
 *
 * phx_model_read turns a YAML 1.2 file (format version 1) into the open structs below: every expression evaluated,
 * every name resolved to an index, every default filled in, every value checked. SI units and radians everywhere.
 * phx_model_build makes a phx_system of it.
 *
 * Ownership: all strings, arrays and signals belong to the model and live until phx_model_set_parameters or
 * phx_model_destroy; what is built from a model and borrows its signals must go first. A model is used by one thread at
 * a time (a signal evaluates through its own expression handle); several models are independent.
 *
 * Vectors have 3 entries, the third is 0 in the plane. Rotational vectors (angular velocity) have their plane
 * value in entry 0. Rotations are dim x dim, row-major, in the first dim*dim entries. */
#ifndef PHLEXOR_MODEL_H
#define PHLEXOR_MODEL_H

#include <phlexor/system.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PHX_MODEL_GROUND = -1, /* phx_model_point.body of a point of the ground */
    PHX_MODEL_MAX_ELEMENTS = 100000,
    PHX_MODEL_MAX_SPATIAL_ELEMENTS = 20000,
    PHX_MODEL_MAX_COUNT = 1000000
};

/* A number that may be absent. */
typedef struct phx_model_optional {
    bool given;
    double value; /* 0 when not given, unless the field says otherwise */
} phx_model_optional;

/* Rotation: takes body (or port) components to those of the frame it is given in. */
typedef struct phx_model_rotation {
    bool given;
    double angle;     /* plane: as written, not wrapped; 0 in space */
    double matrix[9]; /* dim x dim, row-major; the identity when not given */
} phx_model_rotation;

/* ---- parameters, materials, ground ---- */

/* A parameter of `parameters`. The entries of a list h are parameters h[1], h[2], ... that follow one another. */
typedef struct phx_model_parameter {
    const char *name;
    double value; /* after overrides */
    bool overridden;
} phx_model_parameter;

/* Moduli along and between three axes: those of a solid body, or of a layer of a plate. */
typedef struct phx_model_orthotropic {
    bool given;
    double young[3];     /* E1 E2 E3, Pa, > 0 */
    double poisson[3];   /* nu12 nu23 nu13: contraction along the second axis by tension along the first */
    double shear[3];     /* G12 G23 G13, Pa, > 0 */
    double expansion[3]; /* 1/K */
} phx_model_orthotropic;

/* A material of `materials`. */
typedef struct phx_model_material {
    const char *name;
    double density;             /* kg/m^3, > 0 */
    double young;               /* Pa, > 0; of an orthotropic one its first */
    phx_model_optional poisson; /* in (-1, 0.5] */
    phx_model_orthotropic orthotropic;
    phx_model_optional expansion; /* 1/K */
} phx_model_material;

/* How a mode moves a point or, as participation factors, the body as a whole. */
typedef struct phx_model_shape {
    double translation[3]; /* kg^-1/2; participation: kg^1/2 */
    double rotation[3];    /* plane [0]; kg^-1/2/m; participation: about the body's origin, kg^1/2 m */
} phx_model_shape;

/* A named port: a location of its body or the ground, and directions. */
typedef struct phx_model_port {
    const char *name;
    double position[3];          /* m, body (ground: inertial) components, of the undeformed body */
    phx_model_rotation rotation; /* port to body axes; of a beam the identity */
    phx_location location;       /* rigid bodies, ground: the place; beams: a fraction; modal bodies: the name */
    int n_shapes;                /* modal bodies: 0 (no mode moves it) or one for each mode */
    phx_model_shape *shapes;
    /* plates, solids, imported bodies */
    const char *group; /* of the mesh; NULL: the one with the port's name */
    int node;          /* number of a node instead; 0: none */
    bool nearest;      /* the node nearest to `near`, body axes, m, instead */
    double near[3];
    int attach;  /* 0: the part moves as a rigid body; 1: so do its nodes, its slopes are free; 2: the port is its mean
                    motion */
    bool placed; /* `position` is given, else it is the mean place of the part */
    bool held;   /* by a weld to the ground: `clamp` of a shell */
} phx_model_port;

/* A reference to a point: `body.PORT`, `ground.PORT` or `body@0.25`. */
typedef struct phx_model_point {
    const char *text; /* as written */
    int body;         /* index in phx_model.bodies, or PHX_MODEL_GROUND */
    int port;         /* index in the ports of the body or the ground; -1 for body@s */
    phx_location location;
} phx_model_point;

/* ---- bodies ---- */

/* The kinds of body, the one list of them: X(NAME, name) is the kind PHX_MODEL_NAME that src/model/body_name.c
 * describes in phx_body_row_name. New kinds come last, so that the values stay what they are. */
#define PHX_MODEL_BODY_LIST(X)                                                                                         \
    X(RIGID, rigid)                                                                                                    \
    X(BEAM, beam)                                                                                                      \
    X(MODAL, modal)                                                                                                    \
    X(PLATE, plate) X(SOLID, solid) X(IMPORTED, imported) X(REDUCED, reduced) X(ROD, rod) X(SHELL, shell)

/* The kind of a body: PHX_MODEL_BODY_LIST, then the number of kinds. */
typedef enum phx_model_body_kind {
/* The value of a kind. */
#define PHX_MODEL_BODY_ENUM(NAME, name) PHX_MODEL_##NAME,
    PHX_MODEL_BODY_LIST(PHX_MODEL_BODY_ENUM)
#undef PHX_MODEL_BODY_ENUM
        PHX_MODEL_BODY_KINDS
} phx_model_body_kind;

enum { PHX_MODEL_MAX_OWN_PORTS = 4 };
/* Description of a kind. */
typedef struct phx_model_body_info {
    const char *name;   /* the word of `kind` */
    const char *noun;   /* "rigid body", for messages */
    const char *is;     /* of a body of this kind, after its name: "rigid", "given by its modes" */
    const char *doc;    /* one line */
    bool plane, space;  /* the dimensions it exists in */
    bool deforms;       /* its points move against each other */
    bool mesh;          /* a mesh, on which loads over surfaces act */
    bool sections;      /* along its length: outputs of section forces, loads per length */
    bool shear;         /* its sections have shear forces too */
    unsigned locations; /* what may stand behind '@', as bits 1 << phx_location_sort */
    bool ports_in_file; /* the file may give the ports below too, and say more of them */
    const char *ports[PHX_MODEL_MAX_OWN_PORTS]; /* that always exist, then NULL; the first is P of a TITOP model */
} phx_model_body_info;
const phx_model_body_info *phx_model_body_kind_info(phx_model_body_kind kind); /* NULL: no such kind */

/* The kind of a cross-section. */
typedef enum phx_model_section_kind {
    PHX_MODEL_CIRCLE,
    PHX_MODEL_TUBE,
    PHX_MODEL_RECTANGLE,
    PHX_MODEL_GENERAL,
    PHX_MODEL_SECTION_KINDS
} phx_model_section_kind;

/* `kinetics`: see phx_kinetics. */
typedef enum phx_model_kinetics { PHX_MODEL_KINETICS_FULL, PHX_MODEL_KINETICS_SIMPLIFIED } phx_model_kinetics;

/* Cross-section of a beam. The dimensions as written, and what follows from them for every kind. */
typedef struct phx_model_section {
    phx_model_section_kind kind;
    double diameter;      /* circle, m */
    double outer, inner;  /* tube, diameters, m, 0 <= inner < outer */
    double width, height; /* rectangle, m, height along body y */
    double area;          /* m^2, > 0 */
    double inertia[2];    /* Iy, Iz, m^4: second moments about y (bending in z) and z (bending in y); plane: Iz > 0 only
                             is meaningful, Iy is 0 for `general` */
    double torsion;  /* torsion constant, m^4 (G times it is the torsion stiffness); 0 for `general` in the plane */
    double fibre[2]; /* distances of the extreme fibres, m: along y (for Mz) and along z (for My); 0: unknown */
} phx_model_section;

/* Where a body is. */
typedef struct phx_model_pose {
    double position[3];          /* m, inertial */
    phx_model_rotation rotation; /* body to inertial */
    bool position_given;
    bool guess;      /* where the assembly begins, not where the body is meant to be */
    double rounding; /* half of the last digit of the longest of its rounded numbers, m or rad; 0: none is rounded */
} phx_model_pose;

/* How a body moves at the start. */
typedef struct phx_model_velocity {
    double linear[3];  /* m/s, of the frame's origin, inertial components */
    double angular[3]; /* rad/s, inertial components; plane: [0] */
} phx_model_velocity;

/* A mass at a port of its body. */
typedef struct phx_model_point_mass {
    phx_model_point at; /* on the body that holds it */
    double mass;        /* kg, >= 0 */
    double inertia[9];  /* kg m^2 about the point, body axes: plane [0], space 3 x 3 row-major; default 0 */
} phx_model_point_mass;

/* Damping of the deformation rate: mass*M + stiffness*K, or a ratio of critical for every mode. All >= 0. */
typedef struct phx_model_damping {
    double mass;              /* 1/s */
    double stiffness;         /* s */
    phx_model_optional modal; /* 1; excludes the other two */
} phx_model_damping;

/* A mass-normalised mode of a modal body. */
typedef struct phx_model_mode {
    double frequency; /* Hz, > 0 */
    double damping;   /* ratio of critical, >= 0 */
    phx_model_shape participation;
    double inertia[6]; /* change of the inertia about the origin with the mode: plane [0]; 11 22 33 12 13 23 */
} phx_model_mode;

/* Shape integrals of second order of a modal body; NULL: zero. */
typedef struct phx_model_second_order {
    double *gyroscopic; /* n_rot x modes x modes, antisymmetric */
    double *inertia;    /* n_pair x modes x modes, symmetric */
} phx_model_second_order;

/* A matrix, row-major; values NULL: not given. */
typedef struct phx_model_matrix {
    int rows, cols;
    double *values;
} phx_model_matrix;

/* Appearance of a body, an entry of its `shape`: pictures only, no result depends on it. */
#define PHX_MODEL_VISUAL_LIST(X)                                                                                       \
    X(BOX, box)                                                                                                        \
    X(CYLINDER, cylinder)                                                                                              \
    X(SPHERE, sphere)                                                                                                  \
    X(ELLIPSOID, ellipsoid)                                                                                            \
    X(CAPSULE, capsule)                                                                                                \
    X(CONE, cone)                                                                                                      \
    X(TUBE, tube)                                                                                                      \
    X(GEAR, gear)                                                                                                      \
    X(EXTRUSION, extrusion)                                                                                            \
    X(MESH, mesh)
/* A value of phx_model_visual_kind. */
#define PHX_MODEL_VISUAL_ENUM(NAME, name) PHX_MODEL_VISUAL_##NAME,
/* How a shape is given. */
typedef enum phx_model_visual_kind {
    PHX_MODEL_VISUAL_LIST(PHX_MODEL_VISUAL_ENUM) PHX_MODEL_VISUALS
} phx_model_visual_kind;
#undef PHX_MODEL_VISUAL_ENUM
/* An end of a shape: a port of its body, or a place. */
typedef struct phx_model_visual_end {
    bool given;
    phx_model_point point; /* text NULL: `place` */
    double place[3];       /* m, body axes (ground: inertial) */
} phx_model_visual_end;
typedef struct phx_model_visual {
    phx_model_visual_kind kind;
    double size[3]; /* box, ellipsoid: along the axes; else diameters, m: cone at both ends, tube outer and inner, gear
                       pitch */
    double length;  /* m, along z of the shape, half of it on either side */
    phx_model_visual_end from, to;     /* in place of length, position and rotation: its ends */
    int teeth;                         /* gear */
    phx_model_matrix outline;          /* extrusion: [y, z] of each corner, m, seen against its direction */
    phx_model_matrix along;            /* extrusion: places it goes through, m; no rows: length, or from and to */
    const char *file;                  /* mesh */
    double scale;                      /* mesh: metres in a unit of the file */
    double position[3];                /* m, body axes */
    phx_model_rotation rotation;       /* takes the shape's axes to body axes */
    const char *colour;                /* "#rrggbb"; NULL: colour of the body */
    double opacity;                    /* (0, 1] */
    const struct phx_surface *surface; /* mesh: triangles of the file, private */
} phx_model_visual;

/* A body of `bodies`. */
typedef struct phx_model_body {
    const char *name;
    phx_model_body_kind kind;
    phx_model_pose pose; /* first guess of where the body frame is */
    phx_model_velocity velocity;
    int n_ports; /* those of phx_model_body_info that the file does not give, in their order, then those of the file */
    phx_model_port *ports;
    int n_point_masses;
    phx_model_point_mass *point_masses;
    phx_model_damping damping;
    bool rigid; /* its deformation is held */
    int n_visuals;
    phx_model_visual *visuals; /* `shape`; without any, pictures are derived from the physics */

    void *own; /* numbers of a kind that are not below; its file knows what they are. NULL: none */

    /* rigid and modal */
    double mass;              /* kg, > 0 */
    double inertia[9];        /* kg m^2 about the centre of mass, body axes: plane [0], space 3 x 3 row-major */
    double centre_of_mass[3]; /* m, body axes */

    /* modal */
    int n_modes;
    phx_model_mode *modes;
    phx_model_second_order second_order;

    /* beam */
    int material;  /* index in phx_model.materials; -1 else */
    double length; /* m, > 0 */
    phx_model_section section;
    int elements; /* 1 .. PHX_MODEL_MAX_ELEMENTS */
    phx_reference reference;
    int order; /* 3 or 5 */
    phx_element_kind element;
    int kept_modes; /* `modes`: normal modes kept, or assumed ones; 0: all coordinates of the elements */
    phx_model_kinetics kinetics;
    bool stiffening;
    bool twist;        /* space; false: rigid in torsion */
    int segments;      /* >= 1; a beam cut in more than one is as many bodies in phx_model.bodies, of `length` each */
    const char *whole; /* of a segment: the name of the beam in the file; else NULL */
} phx_model_body;

/* ---- joints, springs, loads ---- */

/* The law of a spring, `law`, or of a damper, `damper`: what it pulls with at the stroke x, or the rate v. */
typedef enum phx_model_law_kind { PHX_MODEL_LAW_EXPRESSION, PHX_MODEL_LAW_TABLE, PHX_MODEL_LAW_GAS } phx_model_law_kind;
typedef struct phx_model_law {
    bool given;
    phx_model_law_kind kind;
    phx_signal *f;                  /* of x or v in place of time; NULL: gas */
    double range[2];                /* expression of x: where it is needed */
    int n_arguments, n_values;      /* table */
    double *arguments, *values;     /* strictly increasing; its points */
    double force, length, exponent; /* gas: N at x = 0, m, of the polytrope */
} phx_model_law;

/* End stops of a coordinate, `stops`: phx_penalty. */
typedef struct phx_model_stops {
    bool given;
    phx_model_optional lower, upper;
    double stiffness, exponent, damping;
} phx_model_stops;

/* Dry friction along a coordinate, `friction`: phx_friction. */
typedef struct phx_model_friction {
    bool given;
    double force;                 /* kinetic, N or N m */
    double coefficient, radius;   /* of the joint's reaction force; m, of an angle */
    phx_model_optional breakaway; /* static, >= force */
    phx_model_optional ratio;     /* instead: static over kinetic */
    double stribeck, regularised;
} phx_model_friction;

/* A free coordinate of a joint and what acts along it; B relative to A. Units: rad and N m, or m and N. */
typedef struct phx_model_coordinate {
    bool angular;
    phx_model_optional start;         /* `angle` or `position`: value at the start, held by the assembly */
    phx_model_optional rate;          /* rate at the start */
    phx_signal *speed;                /* prescribed rate; NULL: not driven */
    phx_signal *motion;               /* prescribed value; NULL: not driven by one */
    double rotor_inertia;             /* of a rotor that it turns; >= 0 */
    double gear_ratio;                /* turn of the rotor over the coordinate, not 0 */
    double stiffness, damping;        /* >= 0 */
    double rest;                      /* value at which the spring is free, default 0 */
    phx_signal *effort;               /* of an actuator, on B along the coordinate and opposite on A; NULL: none */
    phx_model_law law, damper, motor; /* motor: of the rate, along it */
    phx_model_stops stops;
    phx_model_friction friction;
} phx_model_coordinate;

/* The coordinates are those of phx_joint_info. */
typedef struct phx_model_joint {
    const char *name;
    phx_joint_kind kind;
    phx_model_point ports[2];    /* A, B */
    bool active;                 /* it holds and drives from the start on */
    phx_model_rotation relative; /* held: `angle` or `rotation`, port B to port A; not given: as the poses have it */
    double axis[3];              /* `axis`, `normal` or axes[0], in A's directions, unit; 0 where the kind has none */
    bool axis_b_given;
    double axis_b[3]; /* `axis_b` or axes[1], in B's directions, unit */
    int n_coordinates;
    phx_model_coordinate *coordinates; /* n_coordinates */
} phx_model_joint;

/* The condition of an event, and its actions. */
typedef struct phx_model_event {
    const char *name;
    phx_model_optional at; /* time, s */
    const char *output;    /* name of a column of the outputs; NULL: none */
    phx_model_optional rises_to, falls_to;
    int n_attach, n_release, n_undrive, n_on, n_off;
    const char **attach, **release, **undrive; /* names of joints */
    const char **on, **off;                    /* names of springs, forces and loads */
    int *joints;                               /* their numbers, in this order */
} phx_model_event;

/* Along the line between two ports. */
typedef struct phx_model_spring {
    const char *name;
    phx_model_point ports[2];
    double stiffness;          /* N/m, >= 0 */
    double damping;            /* N s/m, >= 0 */
    double length;             /* unstretched, m, >= 0, default 0 */
    phx_signal *force;         /* N, positive pushes the ports apart; NULL: none */
    phx_model_law law, damper; /* of distance - length; of its rate */
    bool active;               /* it acts from the start on */
} phx_model_spring;

/* The kinds of force element under `forces`, the one list of them: X(NAME, name) is the kind PHX_MODEL_NAME that
 * src/model/force_name.c describes in phx_force_row_name. New kinds come last. */
#define PHX_MODEL_FORCE_LIST(X)                                                                                        \
    X(BUSHING, bushing) X(CONTACT, contact) X(CABLE, cable) X(COUPLING, coupling) X(DRAG, drag) X(WIND, wind)

/* The kind of a force element: PHX_MODEL_FORCE_LIST, then the number of kinds. */
typedef enum phx_model_force_kind {
/* The value of a kind. */
#define PHX_MODEL_FORCE_ENUM(NAME, name) PHX_MODEL_##NAME,
    PHX_MODEL_FORCE_LIST(PHX_MODEL_FORCE_ENUM)
#undef PHX_MODEL_FORCE_ENUM
        PHX_MODEL_FORCE_KINDS
} phx_model_force_kind;

enum { PHX_MODEL_MAX_FORCE_PORTS = 16 };
/* Description of a kind. */
typedef struct phx_model_force_info {
    const char *name;            /* the word of `kind` */
    const char *doc;             /* one line */
    int least_ports, most_ports; /* 0: it has none */
} phx_model_force_info;

/* A force element of `forces`. */
typedef struct phx_model_force {
    const char *name;
    phx_model_force_kind kind;
    int n_ports;
    phx_model_point *ports;
    bool active; /* it acts from the start on */
    void *own;   /* numbers of the kind; its file knows what they are */
} phx_model_force;

/* The kind of a load. */
typedef enum phx_model_load_kind {
    PHX_MODEL_FORCE,
    PHX_MODEL_TORQUE,
    PHX_MODEL_DISTRIBUTED, /* per length */
    PHX_MODEL_PRESSURE,    /* on a surface, against its normal */
    PHX_MODEL_TRACTION,    /* on a surface, or the edge of a plate */
    PHX_MODEL_TEMPERATURE, /* thermal expansion of a solid or a plate */
    PHX_MODEL_LOAD_KINDS
} phx_model_load_kind;

/* Axes in which something is given: the inertial ones, or those of the body or port. */
typedef enum phx_model_frame { PHX_MODEL_INERTIAL, PHX_MODEL_BODY_FRAME } phx_model_frame;

/* A load of `loads`. */
typedef struct phx_model_load {
    const char *name;
    phx_model_load_kind kind;
    phx_model_point at;    /* force, torque */
    int on;                /* distributed: index of a body with sections; pressure, traction, temperature: of one with
                              a mesh; else -1 */
    const char *group;     /* pressure, traction, temperature: of the mesh; NULL: the whole plate, the whole solid */
    const char *profile;   /* the same: expression of x, y, z that the load is multiplied by; NULL: 1 */
    phx_model_frame frame; /* force, torque: inertial or along the port's own directions */
    int n_components;      /* dim; for a torque 1 or 3; for a pressure or temperature 1 */
    phx_signal *component[3]; /* N, N m, K, or N/m in body axes as functions of t and s; owned by the model */
    bool active;              /* it acts from the start on */
} phx_model_load;

/* ---- controllers ---- */

/* The kind of a controller. */
typedef enum phx_model_controller_kind {
    PHX_MODEL_PID,
    PHX_MODEL_STATE_SPACE,
    PHX_MODEL_PORT_HAMILTONIAN,
    PHX_MODEL_EXPRESSION,
    PHX_MODEL_FMU,
    PHX_MODEL_IDA_PBC,
    PHX_MODEL_CONTROLLER_KINDS
} phx_model_controller_kind;

/* A matrix of expressions with y(NAME), row-major; texts NULL: not given. */
typedef struct phx_model_expressions {
    int rows, cols;
    const char **texts;
} phx_model_expressions;

/* The start value of a variable of an FMU: a number (true: 1), or a text. */
typedef struct phx_model_fmu_start {
    const char *name;
    double number;
    const char *text; /* NULL: a number */
} phx_model_fmu_start;

/* `shaper` of a controller. */
typedef struct phx_model_shaper {
    bool given;
    phx_shaper shaper;
} phx_model_shaper;

/* A controller of `controllers`, as phx_controller_def has it. */
typedef struct phx_model_controller {
    const char *name;
    phx_model_controller_kind kind;
    int n_inputs, n_outputs;
    const char **inputs;   /* measurements */
    const char **outputs;  /* `effort` of a pid, `ports` of a port_hamiltonian, keys of `efforts` */
    const char **feedback; /* expressions with y(NAME): one for each output, of an fmu for each of its inputs, of an
                              ida_pbc all entries of M, V, M_d, V_d, J_2 */
    const char *measure, *rate; /* pid, as written */
    int n_reference, n_feedforward, n_limits;
    phx_signal **reference;    /* 0 or one for each input (pid: one) */
    phx_model_shaper shaper;   /* of all references */
    phx_signal **feedforward;  /* 0 or one for each output */
    double *limits;            /* 0 or one pair for each output */
    phx_model_optional sample; /* s */
    int delay;
    double kp, ki, kd, filter;
    phx_model_optional anti_windup; /* not given: ki/kp */
    const char *file;
    phx_model_matrix A, B, C, D, E, J, R, Q, P, S, N;
    int n_states;
    int n_initial;
    double *initial;
    int n_fmu_inputs, n_fmu_outputs, n_fmu_starts; /* of an fmu: its variables; n_fmu_outputs = n_outputs */
    const char **fmu_inputs, **fmu_outputs;
    phx_model_fmu_start *fmu_starts;
    double time_limit;           /* s */
    int n_coordinates, n_region; /* of an ida_pbc: joints; pairs */
    const char **coordinates;
    int *actuated; /* n_outputs: of these coordinates */
    phx_model_expressions mass, potential, desired_mass, desired_potential, gyroscopic; /* M, V, M_d, V_d, J_2 */
    phx_model_matrix K_v;
    double *region;
} phx_model_controller;

/* ---- start state, outputs, analyses ---- */

/* The deformation at the start: none, or in equilibrium with the loads. */
typedef enum phx_model_deformation { PHX_MODEL_ZERO, PHX_MODEL_QUASI_STATIC } phx_model_deformation;

/* How the start state is made: `initial`. */
typedef struct phx_model_initial {
    phx_model_deformation deformation;
    bool equilibrium; /* the whole mechanism at rest in equilibrium, deformations included; rates are then as given */
    bool strict;      /* bodies and joints that the assembly would move from what is written are an error */
    const char *from; /* result file to continue, relative paths taken from the model file's folder; NULL: none */
} phx_model_initial;

/* One of the two ports of a joint. */
typedef enum phx_model_side { PHX_MODEL_SIDE_A, PHX_MODEL_SIDE_B } phx_model_side;

/* An output of `outputs`. */
typedef struct phx_model_output {
    const char *name;
    phx_quantity quantity;
    phx_model_point point; /* not of joints' quantities; body PHX_MODEL_GROUND is possible up to `deformation`. Of
                              stresses of a body on a mesh a node, a port, a place, or the whole body: location.sort is
                              PHX_LOCATION_SORTS */
    double place[3];       /* `place`: of a point of a plate or a solid, body axes, m */
    int joint;             /* of joints' quantities: index of the joint; else -1 */
    const char *force;     /* `force`: name of the spring or force whose last port is `point`; else NULL */
    phx_model_frame frame; /* default inertial; `deformation`: body; `reaction`: body, meaning port A's directions */
    phx_model_side at;     /* `reaction`: the port whose place its torque is about; default B */
} phx_model_output;

/* A row of PHX_INTEGRATOR_LIST as a constant. */
#define PHX_MODEL_INTEGRATOR(NAME, name) PHX_MODEL_##NAME,
/* `integrator`: phx_integrator after one word more. */
typedef enum phx_model_integrator {
    PHX_MODEL_AUTO, /* midpoint; with an accuracy any */
    PHX_INTEGRATOR_LIST(PHX_MODEL_INTEGRATOR) PHX_MODEL_INTEGRATORS
} phx_model_integrator;
#undef PHX_MODEL_INTEGRATOR

/* Defaults of the simulation: `simulate`. */
typedef struct phx_model_simulate {
    bool given;
    phx_model_optional end;                         /* s, > 0 */
    phx_model_optional step;                        /* s, > 0 */
    phx_model_optional every;                       /* s, > 0; not given: each step */
    phx_model_optional rtol, atol;                  /* > 0 */
    phx_model_optional accuracy, accuracy_absolute; /* > 0; see phx_simulate_options */
    int n_accuracy_of;                              /* outputs; 0: all */
    const char **accuracy_of;
    phx_model_integrator integrator;
    bool strict;            /* a limit of validity that is exceeded ends the run */
    double spectral_radius; /* of what a step does not resolve: 1 none is damped, 0 all */
    int iterations;         /* Newton corrections a step; 0: to rounding */
} phx_model_simulate;

/* The state that modes and linear models are about: the start at rest, the steady rotation, the equilibrium at rest;
 * `initial` is another word for the start. */
typedef enum phx_model_modes_at {
    PHX_MODEL_AT_START,
    PHX_MODEL_AT_STEADY,
    PHX_MODEL_AT_STATIC,
    PHX_MODEL_AT_INITIAL
} phx_model_modes_at;

/* Defaults of the modal analysis: `modes`. */
typedef struct phx_model_modes {
    bool given;
    int count; /* >= 1, default 6 */
    phx_model_modes_at at;
} phx_model_modes;

/* Defaults of linear models: `linearize`. */
typedef struct phx_model_linearize {
    bool given;
    phx_model_modes_at at;
} phx_model_linearize;

/* Motions that outputs shall follow, and the inputs that make them: `inverse`. */
typedef struct phx_model_inverse {
    bool given;
    int n_inputs; /* channels (phx_channels_options) */
    const char **inputs;
    int n_outputs; /* the same */
    const char **outputs;
    phx_signal **motion; /* n_outputs: changes from the start */
} phx_model_inverse;

/* What `phlexor identify` finds, and the measurements it fits: `identify`. */
typedef struct phx_model_identify_parameter {
    const char *name;
    int parameter; /* index in phx_model.parameters */
    phx_model_optional min, max;
} phx_model_identify_parameter;
/* A measured column: model(t - delay). */
typedef struct phx_model_time_series {
    const char *file;   /* NULL: given with the analysis */
    const char *column; /* of the file */
    const char *model;  /* an expression of columns of the result; NULL: the column of the same name */
    phx_model_optional deviation;
    double delay;                /* s */
    phx_model_optional from, to; /* s: samples outside are left out */
} phx_model_time_series;
/* A measured frequency, Hz. */
typedef struct phx_model_frequency {
    int mode; /* from 1 */
    double value;
    phx_model_optional deviation;
} phx_model_frequency;
/* A measured frequency response. */
typedef struct phx_model_response {
    const char *file;  /* columns omega; re and im, or gain and phase */
    int output, input; /* of the linear model, from 1 */
    phx_model_optional deviation;
} phx_model_response;
typedef struct phx_model_identify {
    bool given;
    int n_parameters, n_time_series, n_frequencies, n_responses;
    phx_model_identify_parameter *parameters;
    phx_model_time_series *time_series;
    phx_model_frequency *frequencies;
    phx_model_response *responses;
} phx_model_identify;

/* How the points of a sweep are given. */
typedef enum phx_model_sweep_kind { PHX_MODEL_RANGE, PHX_MODEL_VALUES } phx_model_sweep_kind;

/* The points of one parameter of a sweep, from {from, to, count} (both ends included) or {values: [...]}. The first
 * sweep is the outermost loop. */
typedef struct phx_model_sweep {
    const char *name;
    int parameter; /* index in phx_model.parameters */
    phx_model_sweep_kind kind;
    double from, to; /* range */
    int count;       /* >= 1 */
    double *values;  /* count, for both kinds */
} phx_model_sweep;

/* A parameter that `optimize` varies. */
typedef struct phx_model_variable {
    const char *name;
    int parameter; /* index in phx_model.parameters */
    double min, max;
    phx_model_optional scale; /* a typical change, > 0; not given: max - min */
} phx_model_variable;

/* What an objective (phx_objectives_evaluate) must not exceed, must not fall below, or must be. */
typedef enum phx_model_bound { PHX_MODEL_MIN, PHX_MODEL_MAX, PHX_MODEL_EQUALS } phx_model_bound;
typedef struct phx_model_constraint {
    const char *of;
    phx_model_bound kind;
    double limit;
} phx_model_constraint;

/* Whether an objective is made small or large. */
typedef enum phx_model_goal { PHX_MODEL_MINIMIZE, PHX_MODEL_MAXIMIZE } phx_model_goal;
/* The objective of several cases. */
typedef enum phx_model_over { PHX_MODEL_WORST, PHX_MODEL_SUM } phx_model_over;
typedef enum phx_model_optimizer {
    PHX_MODEL_OPTIMIZER_AUTO, /* mma, with `equals` slsqp */
    PHX_MODEL_MMA,
    PHX_MODEL_SLSQP,
    PHX_MODEL_BOBYQA,
    PHX_MODEL_COBYLA
} phx_model_optimizer;

/* Parameters that make the best of an objective: `optimize`. */
typedef struct phx_model_optimize {
    bool given;
    phx_model_goal kind;
    const char *objective;
    int n_variables; /* >= 1 */
    phx_model_variable *variables;
    int n_constraints;
    phx_model_constraint *constraints;
    int n_cases; /* parameters whose values make the cases, which multiply; 0: one case */
    phx_model_sweep *cases;
    phx_model_over over;
    phx_model_optimizer method;
    int evaluations; /* at most so many */
    double tolerance;
} phx_model_optimize;

/* How a page about the model opens, `page`. */
typedef struct phx_model_page {
    bool given;
    double camera[3];     /* direction from the mechanism to the observer, a unit vector; 0: not given */
    const char *colour;   /* name of a quantity; NULL: by body */
    double magnification; /* of deformations; 1 */
    int n_plots;
    const char **plots; /* outputs, or components of them: their plots come first, in this order */
    int n_trails;
    phx_model_point *trails; /* points whose paths are drawn */
} phx_model_page;

/* A model file, read: every expression evaluated, every name resolved, every default filled in. */
typedef struct phx_model {
    const char *path;  /* of the file as given, or the name of the text */
    const char *title; /* default: the file's name without folder */
    int dimension;     /* 2 or 3 */
    double gravity[3]; /* m/s^2, inertial */
    int n_parameters;
    phx_model_parameter *parameters;
    int n_materials;
    phx_model_material *materials;
    int n_ground_ports;
    phx_model_port *ground_ports; /* O is always there */
    int n_ground_visuals;
    phx_model_visual *ground_visuals;
    int n_bodies; /* >= 1; all arrays in file order */
    phx_model_body *bodies;
    int n_joints;
    phx_model_joint *joints;
    int n_springs;
    phx_model_spring *springs;
    int n_forces;
    phx_model_force *forces;
    int n_loads;
    phx_model_load *loads;
    int n_events;
    phx_model_event *events;
    phx_model_initial initial;
    int n_outputs;
    phx_model_output *outputs;
    int n_controllers;
    phx_model_controller *controllers;
    phx_model_simulate simulate;
    phx_model_modes modes;
    phx_model_linearize linearize;
    phx_model_inverse inverse;
    phx_model_optimize optimize;
    phx_model_identify identify;
    phx_model_page page;
    int n_sweeps;
    phx_model_sweep *sweeps;
    const char *text; /* the file as read, text_length bytes and a terminating 0, for the result file */
    size_t text_length;
    struct phx_model_store *store; /* private: parsed document, memory, positions */
} phx_model;

/* A parameter's value from outside: an expression (`--set name=expression`, it may use pi, deg and other parameters)
 * or, with expression NULL, a number. The name of a list stands for all its entries, `h[3]` for one. The last value
 * counts. */
typedef struct phx_model_override {
    const char *name;
    const char *expression;
    double value;
} phx_model_override;

/* Read a model file. Everything wrong with it is PHX_ERR_INPUT with "file:line:column: what was found, what was
 * expected, and a valid word that is near"; PHX_ERR_FILE when it cannot be read; PHX_ERR_MEMORY. `overrides` may be
 * NULL when n_overrides is 0; a name that is no parameter of the file is PHX_ERR_INPUT. Destroy with phx_model_destroy.
 */
phx_status phx_model_read(phx_context *context, const char *path, int n_overrides, const phx_model_override *overrides,
                          phx_model **model);
/* The same from `length` bytes of memory (copied); `name` stands for the file in messages and its folder is where
 * relative paths in the text start. */
phx_status phx_model_read_text(phx_context *context, const char *name, const char *text, size_t length, int n_overrides,
                               const phx_model_override *overrides, phx_model **model);
/* The model as it was read, made anew from its text (`table` files of signals are read again); independent of the
 * original, for another thread. Errors as above. */
phx_status phx_model_copy(phx_context *context, const phx_model *model, phx_model **copy);
void phx_model_destroy(phx_model *model); /* NULL is allowed */
/* The text of the model as a file: parameters that were set have their present values, all else is as it was read,
 * comments included. PHX_ERR_UNSUPPORTED where a value in the text cannot be replaced, with its place; errors of
 * reading it from `path`, for files that it names are relative to it; PHX_ERR_FILE. */
phx_status phx_model_save(phx_context *context, const phx_model *model, const char *path);

/* Evaluate the document again with other parameter values, on top of the overrides of the reading and instead of those
 * of an earlier call (n_overrides 0 goes back to the model as read). Cheap: neither file nor YAML is read again. All
 * pointers into the model are renewed: names taken from it before are gone. When it fails the model is unchanged.
 * Errors: PHX_ERR_INPUT, PHX_ERR_MEMORY. */
phx_status phx_model_set_parameters(phx_context *context, phx_model *model, int n_overrides,
                                    const phx_model_override *overrides);

/* Value of a constant expression with the model's parameters, for the command line; `what` names it in messages.
 * PHX_ERR_INPUT when it is wrong or not finite. */
phx_status phx_model_evaluate(phx_context *context, const phx_model *model, const char *what, const char *expression,
                              double *value);

/* The schema the reader works from, as a JSON Schema (draft 2020-12) for editors. The text is allocated; free with
 * phx_free. */
phx_status phx_model_schema_json(phx_context *context, char **text);

/* ---- from the specification to a system ----
 * Body i of the model is body i of the system, joint j is joint j; the output columns are those of the model in file
 * order. The system owns everything it needs: the model may be changed or destroyed afterwards. */
/* Beams and elastic bodies by their definition, so that their matrices are made once, however many bodies and points of
 * a sweep have it. Forgets what was not used for long. One per thread; may go before the systems built with it. */
typedef struct phx_beam_cache phx_beam_cache;
/* Counts of a cache. */
typedef struct phx_beam_cache_stats {
    long made, reused; /* beams and elastic bodies since the creation of the cache */
} phx_beam_cache_stats;

/* How a system is built of a model. */
typedef struct phx_build_options {
    phx_beam_cache *cache;                /* borrowed; NULL: beams are shared within this system only */
    bool without_outputs;                 /* leave the model's outputs out */
    const phx_controller_def *controller; /* one more than the model has; borrowed, but for what phx_controller_def
                                             hands over; NULL: none */
} phx_build_options;
phx_build_options phx_build_options_default(void);

/* Build and finalise the system of a model (options NULL: the defaults); destroy with phx_system_destroy. Messages
 * begin with file:line:column of the body, joint, spring, load or output that is to blame. Errors: PHX_ERR_INPUT for
 * values that the reader could not know to be wrong, PHX_ERR_UNSUPPORTED for what the format has and this version has
 * not, PHX_ERR_ASSEMBLY when joints cannot close, PHX_ERR_MEMORY. */
phx_status phx_model_build(phx_context *context, const phx_model *model, const phx_build_options *options,
                           phx_system **system);

#ifdef __cplusplus
}
#endif
#endif
