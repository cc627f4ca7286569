/* A system and its parts: bodies, ports, joints, forces, controllers, outputs; private to layer system. */
#ifndef PHX_SYSTEM_PARTS_H
#define PHX_SYSTEM_PARTS_H

#include "system/system.h"

typedef struct port_slot {
    phx_body_id body;
    phx_location location; /* PHX_LOCATION_SORTS: given as a point; its name is owned */
    phx_body_port port;
} port_slot;

/* A point with a name, for channels. */
typedef struct point_slot {
    char *name;
    port_slot place;
} point_slot;

typedef struct body_slot {
    phx_body *body;
    phx_flex_source *source; /* NULL: rigid */
    int x, v;                /* offsets */
    int component;
    int entry;     /* of the ledger: what its material takes; -1: none */
    int numerical; /* the same of numerical damping */
    phx_pose pose;
} body_slot;

typedef struct coordinate_slot {
    phx_row row;      /* row.target: offset, so that value = raw - target */
    phx_port_id a, b; /* that it is measured between: those of the joint, or of a place along a body */
    phx_coordinate_def def;
    phx_scalar_force along; /* what acts along it; borrowed from def */
    int driven_row;         /* index in rows when speed is given, else -1 */
    int held_row;           /* index in rows when start or rate is given and the coordinate is not driven, else -1 */
    int stick_row;          /* index in rows of set-valued friction, which sticks while the row acts; else -1 */
    double slip;            /* where it slips: its direction, +-1; of contacts in space a direction's part along it */
    int angle;              /* where x keeps its value, so that it is unwrapped; -1: the bodies' states tell it */
} coordinate_slot;

/* A joint as it was given, phx_joint_def, with room for no more coordinates than it has. */
typedef struct joint_given {
    const char *name; /* that of its slot */
    phx_joint_kind kind;
    phx_port_id a, b;
    bool has_axis_b, has_relative, inactive;
    double axis[3], axis_b[3], relative[9], relative_angle;
    int n_coordinates;
    int room;                       /* at least n_coordinates, and as many as the kind has */
    phx_coordinate_def *coordinate; /* owned, with what they have taken over */
} joint_given;

typedef struct joint_slot {
    char *name;
    phx_joint_kind kind;
    phx_port_id a, b;
    int n_constraints, n_coordinates;
    phx_row *constraints;         /* owned, with room for one at least */
    coordinate_slot *coordinates; /* owned */
    int first_row;                /* of the constraint rows */
    int entry[2];                 /* of the ledger: what its drives and actuators supply, its dampers take; -1: none */
    bool geared;                  /* its one row is of wheels, which the program has added (build/wheels.c): */
    int wheel_of, wheel_number;   /* the joint and the coordinate that turn its wheel; -1: it is between two wheels */
    bool contact;                 /* a rigid contact: its one row acts while it is closed */
    double side;                  /* of a contact: side times the reaction of the row pushes */
    bool switched;                /* since phx_system_begin_switches */
    joint_given def;
} joint_slot;

/* A rigid contact: side c is the gap, c the value of the row of its joint. */
typedef struct contact_slot {
    int joint;
    double side, restitution;
} contact_slot;

/* A row on the velocities: a constraint of a joint, a driven coordinate or one whose friction sticks, a coordinate held
 * for the start only, or a row of the first two kinds that does not act at present (switch.c). */
typedef enum row_role { ROW_CONSTRAINT, ROW_DRIVEN, ROW_HELD, ROW_INACTIVE } row_role;
typedef struct row_slot {
    row_role role;
    int joint, number; /* number within the joint, from 0 */
    int coordinate;    /* driven and held rows */
    const phx_row *row;
    phx_port_id a, b;
    int component;
    bool redundant;
} row_slot;

/* The sorts of force, a file of forces/ each: springs along lines, loads at ports, what acts along coordinates of
 * joints, loads over bodies, bushings, contacts, cables and couplings (and the links between their ports), drag, wind
 * along a body. */
#define PHX_SYS_FORCE_LIST(X)                                                                                          \
    X(LINE, line)                                                                                                      \
    X(PORT, port)                                                                                                      \
    X(COORDINATE, coordinate)                                                                                          \
    X(DISTRIBUTED, distributed)                                                                                        \
    X(BUSHING, bushing)                                                                                                \
    X(CONTACT, contact)                                                                                                \
    X(SUM, sum)                                                                                                        \
    X(LINK, link)                                                                                                      \
    X(DRAG, drag)                                                                                                      \
    X(WIND, wind)
#define PHX_SYS_FORCE_KIND(NAME, name) FORCE_##NAME,
typedef enum force_kind { PHX_SYS_FORCE_LIST(PHX_SYS_FORCE_KIND) FORCE_KINDS } force_kind;
#undef PHX_SYS_FORCE_KIND
typedef struct force_slot {
    force_kind kind;
    char *name;
    phx_port_id a, b; /* b: -1 for one port */
    phx_line_spring spring;
    phx_port_load load;
    phx_signal *signal[3]; /* of time, owned */
    phx_law *law;          /* of a spring, owned; NULL: none */
    phx_signal *damper;    /* the same */
    void *own;             /* of a sort for itself, without pointers that it owns; NULL: none */
    int joint, coordinate; /* FORCE_COORDINATE */
    phx_body_id body;      /* FORCE_DISTRIBUTED */
    int n_points;
    phx_flex_point *points; /* quadrature points, owned */
    const double *weights;  /* owned by the beam */
    const double *fractions;
    const phx_length_point *frame_points; /* of a body without a source: n_points of them, owned by the body */
    bool owns_quadrature;                 /* of a system that has been read: points and weights are its own */
    int n_fields; /* of a distributed load over a surface: one for each signal; 0: along a line */
    phx_flex_load fields[3];
    int entry[2];  /* of the ledger: what it supplies, what it takes; -1: none */
    bool off;      /* it does not act at present */
    bool switched; /* since phx_system_begin_switches */
} force_slot;

/* Who supplies or takes; the texts are others'. */
typedef struct ledger_entry {
    const char *kind, *name;
    bool dissipates;
} ledger_entry;

/* A connected component of bodies under constraints and drives. */
typedef struct component_slot {
    int n_v, n_rows;  /* independent rows */
    bool free;        /* no constraint to ground and no force from outside but gravity and loads: momenta are known */
    bool driven;      /* has a driven coordinate */
    int first, count; /* its bodies in component_list.bodies */
} component_slot;

typedef struct output_slot output_slot;

/* ---- controllers ---- */
/* A quantity that a controller measures; over an interval its mean. */
typedef enum measure_kind {
    MEASURE_OUTPUT,     /* a component of an output */
    MEASURE_COORDINATE, /* of a joint */
    MEASURE_RATE,
    MEASURE_FLOW,      /* conjugate to an actuation of the same controller */
    MEASURE_CONTROLLER /* an output of another controller */
} measure_kind;
typedef struct measure {
    measure_kind kind;
    int output, component; /* MEASURE_OUTPUT */
    int joint, coordinate; /* MEASURE_COORDINATE, MEASURE_RATE */
    int actuation;         /* MEASURE_FLOW: number in the system */
    int controller, number;
    int row; /* of the derivative of what is measured of the mechanism; -1: not by its motion alone */
} measure;

/* An effort of a controller: along a coordinate of a joint, a component of a load, or a spring's actuator. */
typedef struct actuation {
    int pair; /* phx_sys_pair_ports */
    phx_port_id a, b;
    int joint, coordinate; /* -1: none */
    int force;             /* -1: of a joint */
    phx_port_load load;    /* with a component of one */
    phx_line_spring spring;
} actuation;

typedef struct controller_slot {
    char *name;
    phx_block *block;
    int n_inputs, n_outputs;
    char **input_names, **output_names;
    measure *inputs;
    int first_output; /* of its actuations and its u in the system */
    int x;            /* states; of a sampled one then u, held, and u of the samples still to come, oldest first */
    int entry;        /* of the ledger */
} controller_slot;

/* Results of the finalisation of a system that was written to an archive. */
typedef struct found_before {
    int n_x, n_rows;
    double *x_start;
    int *redundant; /* n_rows */
} found_before;

/* An input (inputs/inputs.c). */
typedef struct input_slot {
    phx_input_place place;
} input_slot;

/* ---- parts of a system, which own what they hold ---- */
/* How far it is built, and the room of its arrays, elements (build/build.c). */
typedef struct build_state {
    bool finalised;
    bool invalid; /* finalising failed: may only be destroyed */
    int cap_bodies, cap_ports, cap_points, cap_joints, cap_forces, cap_outputs;
} build_state;

/* Points with names (build/point_index.c). */
typedef struct named_points {
    int n;
    point_slot *slot;
    int *index;     /* index_size, a power of two (0: no points): 1 + number of a point, 0: free */
    int index_size; /* at least twice n */
} named_points;

/* Rows on the velocities (build/finalise.c), and which of them carry a multiplier (build/redundant.c). */
typedef struct row_list {
    int n;
    row_slot *slot;
    int n_independent, n_redundant;
    int *independent; /* rows that carry a multiplier, in order */
    int *redundant;   /* the others (constraint and driven rows) */
} row_list;

/* Of the joints that act at present (build/finalise.c). */
typedef struct component_list {
    int n;
    component_slot *slot;
    int *bodies;   /* sorted by component */
    bool any_free; /* a component is */
} component_list;

/* Who supplies and who takes energy (build/ledger.c). */
typedef struct power_ledger {
    int n;
    ledger_entry *entry;
    int n_events;
    char **events; /* names of events whose losses it has */
    int *event_entry;
    bool numerical; /* it has entries for numerical damping */
} power_ledger;

/* Outputs (channels/outputs.c), whose columns follow each other, and inputs (inputs/inputs.c). */
typedef struct channel_list {
    int n_outputs, n_columns;
    output_slot *outputs;
    int n_inputs;
    input_slot *inputs;
} channel_list;

/* Controllers (control/names.c). */
typedef struct controller_list {
    int n;
    controller_slot *slot;
    int *order;            /* those first that others read */
    int n_actuations;      /* outputs of all controllers */
    actuation *actuations; /* in the order of the controllers */
    int n_measures;        /* rows of the derivatives of measures */
    phx_signal *unit;      /* 1 */
    int first_x;           /* their states come last in x: entries before them, of the mechanism */
} controller_list;

/* Rigid contacts (switch/rigid_contact.c). */
typedef struct contact_list {
    int n;
    contact_slot *slot;
} contact_list;

/* The start state (build/finalise.c). */
typedef struct start_state {
    double *x;                  /* n_x: assembled, undeformed */
    struct workspace *assembly; /* workspace with every row; NULL until phx_sys_need_assembly */
    bool once;                  /* the assembly is freed as soon as the start state is found */
    found_before *found;        /* of a system that has been read, until it is finalised */
} start_state;

/* Properties of the whole system. */
typedef struct system_traits {
    bool lossless;
    bool varies; /* a drive or a load is not the same at all times */
    bool rubs;   /* friction somewhere depends on reactions */
    bool slides; /* a port slides along a body */
    bool wide;   /* a port slides or has a wheel (phx_body_port_is_wide) */
} system_traits;

struct phx_system {
    phx_context *context;
    int dim, n_rot;
    double gravity[3], whole_gravity[3]; /* what acts (phx_system_set_load); as it was given */
    int n_bodies, n_ports, n_joints, n_forces;
    body_slot *bodies;
    port_slot *ports;
    joint_slot *joints;
    force_slot *forces;
    named_points points;
    contact_list contacts;
    controller_list control;
    channel_list channels;
    build_state building;
    /* made when it is finalised, in this order */
    int n_x, n_v;
    int n_body_x; /* entries of x that belong to bodies; behind them the unwrapped joint angles */
    row_list rows;
    power_ledger ledger;
    component_list components;
    system_traits traits;
    start_state start;
};

struct output_slot {
    char *name;
    phx_output_def def;
    int first, count; /* columns */
    int force;        /* -1: none */
    double *stress;   /* rows over the stress vector (axial, moment ...), owned */
    /* of a body on a mesh: the rows are over q, nodes x components of the set */
    phx_stress_set set;
    int nodes;
    /* and over more columns: phx_stress_map */
    int n_pairs, n_strains;
    int *pair; /* n_pairs x 2 */
};

/* The row holds joints or drives them: it can carry a multiplier. */
static inline bool phx_sys_acts(const row_slot *row)
{
    return row->role == ROW_CONSTRAINT || row->role == ROW_DRIVEN;
}

/* The port of a geared joint that its wheel is at. */
static inline const port_slot *phx_sys_wheel_port(const phx_system *system, const joint_slot *joint)
{
    return &system->ports[joint->constraints[0].axis ? joint->b : joint->a];
}

/* Inertia of the wheel of a geared joint against the coordinate that turns it: J/gear^2. */
static inline double phx_sys_wheel_felt(const phx_system *system, const joint_slot *joint)
{
    const port_slot *on = phx_sys_wheel_port(system, joint);
    const double gear = joint->constraints[0].gear;

    return phx_body_wheel_inertia(system->bodies[on->body].body, on->port.wheel) / (gear * gear);
}

/* *largest: the larger of it and |a|; NaN is none. */
static inline void phx_sys_enlarge(double *largest, double a)
{
    const double size = a < 0.0 ? -a : a;
    *largest = size > *largest ? size : *largest;
}

static inline void phx_sys_exchange(double **a, double **b)
{
    double *other = *a;
    *a = *b;
    *b = other;
}

#endif
