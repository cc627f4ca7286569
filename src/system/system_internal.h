/* Private to layer system. */
#ifndef PHX_SYSTEM_INTERNAL_H
#define PHX_SYSTEM_INTERNAL_H

#include "system/system.h"

enum { PAIR_SIZE = 2 * PHX_PORT_MAX };

/* ---- what a model is made of ---- */
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
    int slip;               /* where it slips: its direction, +-1 */
    int angle;              /* where x keeps its value, so that it is unwrapped; -1: the bodies' states tell it */
} coordinate_slot;

typedef struct joint_slot {
    char *name;
    phx_joint_kind kind;
    phx_port_id a, b;
    int n_constraints, n_coordinates;
    phx_row constraints[PHX_JOINT_MAX_ROWS];
    coordinate_slot coordinates[PHX_JOINT_MAX_COORDINATES];
    int first_row; /* of the constraint rows */
    int entry[2];  /* of the ledger: what its drives and actuators supply, its dampers take; -1: none */
    bool contact;  /* a rigid contact: its one row acts while it is closed */
    phx_joint_def def;
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
    int entry[2]; /* of the ledger: what it supplies, what it takes; -1: none */
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
    int first, count; /* its bodies in phx_system.by_component */
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

struct phx_system {
    phx_context *context;
    int dim, n_rot;
    double gravity[3];
    bool finalised;
    bool invalid; /* finalising failed: may only be destroyed */
    int n_bodies, n_ports, n_points, n_joints, n_forces, n_rows, n_components, n_outputs, n_columns;
    int cap_bodies, cap_ports, cap_points, cap_joints, cap_forces, cap_outputs;
    body_slot *bodies;
    port_slot *ports;
    point_slot *points;
    int *point_index;     /* size_point_index, a power of two (0: no points): 1 + index of a point, 0: free */
    int size_point_index; /* at least twice n_points */
    joint_slot *joints;
    force_slot *forces;
    row_slot *rows;
    component_slot *components;
    bool any_free;     /* a component is */
    int *by_component; /* bodies sorted by component */
    int n_ledger;
    ledger_entry *ledger;
    output_slot *outputs;
    int n_controllers;
    controller_slot *controllers;
    int *controller_order; /* those first that others read */
    int n_actuations;      /* outputs of all controllers */
    actuation *actuations; /* in the order of the controllers */
    int n_measures;        /* rows of the derivatives of measures */
    phx_signal *unit;      /* 1 */
    int n_inputs;
    input_slot *inputs;
    found_before *found; /* of a system that has been read, until it is finalised */
    int n_x, n_v;
    int n_mechanism_x; /* entries of x without those of controllers, which come last */
    int n_body_x;      /* entries of x that belong to bodies; behind them the unwrapped joint angles */
    int n_independent, n_redundant;
    int *independent;           /* rows that carry a multiplier, in order */
    int *redundant;             /* the others (constraint and driven rows) */
    double *x_start;            /* assembled, undeformed */
    struct workspace *assembly; /* workspace with every row, for the start state */
    bool lossless;
    bool numerical; /* the ledger has entries for numerical damping */
    int n_contacts;
    contact_slot *contacts;
    int n_events;
    char **events; /* names of events whose losses the ledger has */
    int *event_entry;
    bool varies; /* a drive or a load is not the same at all times */
    bool rubs;   /* friction somewhere depends on reactions */
    bool slides; /* a port slides along a body */
};

struct output_slot {
    char *name;
    phx_output_def def;
    int first, count; /* columns */
    double *stress;   /* rows over the stress vector (axial, moment ...), owned */
    /* of a body on a mesh: the rows are over q, nodes x components of the set */
    phx_stress_set set;
    int nodes;
};

/* The row holds joints or drives them: it can carry a multiplier. */
static inline bool phx_sys_acts(const row_slot *row)
{
    return row->role == ROW_CONSTRAINT || row->role == ROW_DRIVEN;
}

static inline double phx_sys_dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline void phx_sys_exchange(double **a, double **b)
{
    double *other = *a;
    *a = *b;
    *b = other;
}

/* ---- workspace ---- */
typedef struct workspace workspace;

/* Sparse KKT matrix over (v, multipliers of the rows in `row`) and where every contribution goes. In the whole matrix
 * the first unknowns are all velocities; a condensed one has no place for those eliminated inside their bodies. */
typedef struct kkt_matrix {
    int n_v, n_l, n;
    int *place;          /* per velocity: its unknown, or -1; NULL: they are the same */
    bool *condensed;     /* per body: it has boundary coordinates only; NULL: none is */
    int *boundary_first; /* per body: first of its boundary coordinates of q */
    int *boundary;
    int *ptr, *idx;
    int *order;
    int *
        *body_at; /* per body: position of each entry of its pattern; condensed: of the square block over its columns */
    int **port_at;    /* per port: n_cols x n_cols own block */
    int **pair_at;    /* per nonlinear pair: square block over both ports' columns */
    int **row_at;     /* per row: position in G of each column of both ports; then in G^T */
    int **control_at; /* per actuation and measure: columns of its ports x columns of the measure; NULL: no feedback */
} kkt_matrix;

/* The data that the evaluation of a row reads, side by side in memory; the target in `row` is not kept up to date. */
typedef struct work_row {
    phx_port_id a, b;
    int unit;                /* its covectors are -1 and +1 in this entry of the ports for good; -1: any others */
    bool angular_only;       /* its covectors are zero on the rates of places */
    const phx_signal *speed; /* of a driven row, else NULL */
    double rate;             /* of a held row, else 0 */
    phx_row row;
} work_row;

/* Pairs of rigid bodies with many rows between them (parallel_rows.c), and which of their rows a step leaves out. */
typedef struct parallel_rows {
    bool made;
    int n_pairs;
    int *row, *end;  /* rows of the workspace, pair by pair: those of pair p end before end[p] */
    bool *dropped;   /* n_l; NULL: no pair can have many */
    bool *before;    /* scratch */
    int *asked;      /* scratch */
    double *reduced; /* scratch */
} parallel_rows;

/* The same with the deformations held; made at its first use. */
typedef struct rigid_kkt {
    int n;
    int *unknown;          /* of the whole matrix */
    int *ptr, *idx, *from; /* pattern, and the entry of the whole matrix that each one is */
    int *order;
    double *val, *rhs;
    phx_lu *lu;
    const double *at; /* the configuration that it was factored at */
} rigid_kkt;

/* How a workspace is evaluated: by the plain evaluator (plain.h) or by a faster one. What takes a workspace and is not
 * in this table is the same for all of them. */
typedef struct evaluator {
    /* Its own data beside the workspace, made when all else is there; freed also when only part of it was made. */
    phx_status (*create)(workspace *ws);
    void (*destroy)(workspace *ws);
    /* The data that projections need of a workspace whose steps are integrated; NULL: nothing more. */
    phx_status (*create_projection)(workspace *ws);
    /* Settings as those of another workspace; NULL: it has none. */
    void (*imitate)(workspace *ws, const workspace *other);
    /* Every port at the instant at hand. */
    void (*view_ports)(workspace *ws);
    /* Covectors of all rows and their prescribed rates at t, or the means over [t, t + h]; the ports are viewed. */
    void (*rows)(workspace *ws, double t, double h);
    /* Residuals G v - w of all rows at an instant of which nothing has been viewed. */
    void (*row_residuals)(workspace *ws, double t, const double *x, const double *v, double *e);
    /* The instant that row_residuals was asked for last is the start of what comes next where it is the end of the
     * interval at hand. NULL: this is of no use. */
    void (*viewed_end)(workspace *ws, const double *x1);
    /* After phx_sys_forces: the rows of the constraints into res (n_v + n_l), then res -= P^T effort, multipliers
     * included. */
    void (*rows_residual)(workspace *ws, double t, double h, const double *lambda, double *res);
    /* The start of the interval in ws; then its end at the end velocity v1, and the residual; res NULL: only the end,
     * its coordinates and the powers of forces. */
    void (*interval_begin)(workspace *ws);
    phx_status (*interval_residual)(workspace *ws, const double *v1, const double *lambda, double *res);
    /* A(2/h) of that interval, for `factor`. */
    phx_status (*interval_linearise)(workspace *ws);
    /* G, -G^T, K_l and stiffness of the rows, geometric terms of all ports into the linearisation at hand; and G and
     * -G^T alone, in place of what is there. */
    void (*add_couplings)(workspace *ws, const double *lambda);
    void (*put_rows)(workspace *ws, double *val);
    /* Adds a pair's derivative of its efforts, block (PAIR_SIZE square), alpha times: with respect to the variation of
     * the ports, K += P^T block W, or to their rates, D += P^T block P, K += P^T block d(P nu)/d xi. */
    void (*pair_add)(workspace *ws, int pair, double alpha, const double *block);
    void (*pair_rate_add)(workspace *ws, int pair, double alpha, const double *block);
    /* The same of one entry, rigid row `row` and coordinate q_dof of a body, of K. */
    void (*body_add)(workspace *ws, int b, int row, int dof, double value);
    /* Efforts of forces and multipliers are summed from here on. */
    void (*clear_efforts)(workspace *ws);
    /* A factorisation on a pattern. */
    phx_status (*create_lu)(const workspace *ws, const kkt_matrix *kkt, bool complex_values, phx_lu **lu);
    /* Factorisations into a slot (cj), and of [M -G^T; G 0] at an instant whose rows are evaluated. */
    phx_status (*factor)(workspace *ws, int slot, double cj);
    phx_status (*solve)(workspace *ws, int slot, double *b);
    phx_status (*factor_mass)(workspace *ws, const double *x);
    phx_status (*solve_mass)(workspace *ws, double *b);
    /* For the projection: G M^-1 G^T or what stands for it; whether this has left the kinetic energies in
     * ws->bodies.energy; then b (n) <- the solution of (0, alpha r). */
    phx_status (*factor_rows)(workspace *ws, const double *x, const double *v, bool *energies);
    phx_status (*solve_rows)(workspace *ws, double alpha, const double *r, double *b);
    /* The least pivot of S = G M^-1 G^T at an instant whose rows are evaluated, relative to its diagonal; negative
     * where S is not formed. NULL: it never is. */
    double (*least_pivot)(workspace *ws, const double *x, const double *v);
    /* Kinetic energies of all bodies into ws->bodies.energy, x NULL: undeformed; and at least those of one component.
     */
    void (*kinetic_energies)(const workspace *ws, const double *x, const double *v);
    void (*component_energies)(workspace *ws, const component_slot *component, const double *x, const double *v);
    /* Angles of joints in x, which the bodies' states have left behind, brought up to them; NULL: none ever lags. */
    void (*synchronise)(workspace *ws, double *x);
    /* Archives its memory of the intervals so far (phx_dae_ops.archive). NULL: it has none. */
    void (*archive)(phx_archive *archive, workspace *ws);
    /* Threads inside its operations; how many there are. NULL: one. */
    phx_status (*set_threads)(workspace *ws, int threads);
    int (*threads)(const workspace *ws);
} evaluator;
extern const evaluator phx_plain_evaluator, phx_fast_evaluator;

typedef struct fast_data fast_data; /* fast.h */

/* Signals that vary, and how often they were asked (signal_speed.c). */
typedef struct watched_signal watched_signal;
typedef struct signal_watch {
    int n;
    long steps;
    watched_signal *signal;
} signal_watch;

/* The rows that carry a multiplier. */
typedef struct row_set {
    int *index;            /* system row of multiplier k */
    int *multiplier;       /* of system row r, or -1 */
    work_row *row;         /* n_l */
    int n_driven, *driven; /* rows with a signal */
    double *covector;      /* per row: PAIR_SIZE */
    double *w;             /* per row: prescribed rate */
    bool *on;              /* per row: takes part in the assembly or the start velocities */
} row_set;

/* The ports: which velocities move them, and what the rows and forces read of them and do to them. */
typedef struct port_set {
    int *first, *count, *cols; /* per port: where its columns of v begin in `cols`, and how many they are */
    int widest;                /* columns of a port */
    double *map;               /* 2 map_size: what the ports of a pair make of their bodies' columns */
    int map_size;
    phx_port_view *view; /* at the interval or instant at hand */
    double *effort;      /* PHX_PORT_MAX each: total of multipliers and forces (fast, over an interval: not of ports in
                            batches of joints) */
} port_set;

/* One body at a time; products, room and energy are the evaluator's. */
typedef struct body_set {
    double *M, *D, *K;       /* largest body pattern */
    double *stress;          /* largest stress vector */
    phx_products **products; /* per body: of the interval; NULL: the evaluator has its own */
    double *room;            /* scratch that all bodies share */
    double *energy;          /* per body: scratch */
} body_set;

/* A linearisation on the kkt pattern and its factorisations, each made at its first use (linearise.c). */
typedef struct kkt_values {
    double *M, *D, *K, *val, *val_complex;
    bool summed;                       /* val is A(2/h) of an interval */
    double *into_D, *into_K, weight_K; /* where a linearisation adds: D and K, or val with h/2 for K */
    phx_lu *lu[PHX_FACTOR_SLOTS], *lu_complex[PHX_FACTOR_SLOTS];
} kkt_values;

/* [M -G^T; G 0] on the kkt pattern, at the instant it was evaluated for last (linearise.c). */
typedef struct mass_matrix {
    double *val;
    bool begun; /* what never changes in it is there */
    phx_lu *lu; /* made at its first use */
} mass_matrix;

/* The multipliers that friction takes for reactions: those at hand, over an interval the first that its residual is
 * asked for, which the integrator has extrapolated, and what the projection of the step before adds to them. */
typedef struct reaction_forces {
    double *lambda, *added, *next; /* n_l; `next`: of the projection that is not yet accepted */
    bool taken;
    bool held; /* while the accelerations and the friction that they make are found together */
} reaction_forces;

/* The interval of the step (dae.c). */
typedef struct step_interval {
    double t0;
    double *x0, *x1, *xm, *v0, *v1, *vm;
    double *low0, *low1; /* what rounding took from x0 and x1 */
    double *lambda;      /* the multipliers that its residual was evaluated for last */
    bool goes_on;        /* it began where the one before it ended */
} step_interval;

/* Data of the projection (project.c) for each component. */
typedef struct projection {
    double *momentum0; /* linear (dim), angular (n_rot) at the start of the interval */
    double *momentum1; /* the same that the last projection put the end on, where it kept them: kept */
    bool *kept;
    double *impulse;     /* impulses over the interval */
    double *supply;      /* work of the drives in the projection */
    double *signal_work; /* share of the drives in what the projection takes */
    double *before;      /* kinetic energy before the projection */
    double *taken;       /* energy beyond it that the joints take in the projection */
    bool *moved;         /* its joints need the projection */
} projection;

/* Multipliers of all rows of the system, least-norm with redundant ones (outputs.c). */
typedef struct reactions {
    double *all;
    double *dependence; /* redundant x n_l, then redundant square, then redundant */
} reactions;

/* Of one function at a time. */
typedef struct scratch {
    double *vector[4];   /* n */
    double *velocities;  /* n_v */
    double *multipliers; /* n_l */
    double *block;       /* dense blocks over the columns of two ports */
} scratch;

/* Controllers at work (system/control). */
typedef struct control_work {
    double *u, *flow;  /* per actuation: what it does, the rate that its effort works on */
    double *effort;    /* per actuation: PAIR_SIZE, of size one */
    double *y;         /* of one controller */
    double *S;         /* the same */
    double *by_row;    /* actuations x measures: du/dy of everything that comes before */
    double **room;     /* per controller */
    int *first, *cols; /* per measure: its columns of v in `cols` from first[m] to first[m + 1] */
    double *row;       /* their values */
    double *columns;   /* all output columns, of a sample */
    bool open;         /* a linearisation leaves the feedback out: u stays what it is */
} control_work;

/* In the order in which its parts are made: each needs those above it. */
struct workspace {
    phx_dae base; /* first: a phx_dae is a workspace */
    phx_system *system;
    const evaluator *by;
    int n_l;
    char blame[240]; /* name of a body with the reason, for a message */
    row_set rows;
    port_set ports;
    control_work control;
    kkt_matrix kkt;
    kkt_values values;
    mass_matrix mass;
    step_interval step;
    phx_filter **filters;            /* per body, NULL: it has none; NULL: no numerical damping */
    double radius;                   /* its spectral radius */
    reaction_forces rubbing;         /* NULL in a system without such friction */
    phx_body_view view;              /* of the interval or instant at hand: where vectors of all bodies begin */
    const double *angles0, *angles1; /* x at its ends, for the unwrapped joint angles */
    body_set bodies;
    scratch scratch;
    projection projection;
    reactions reactions;
    phx_work power; /* of the last evaluation: supplied and dissipated by forces */
    double load;    /* part of loads and actuators that acts: 1 */
    double *flow;   /* n_ledger: the same by entries of the ledger, drives left out; not of a linearisation */
    signal_watch signals;
    int *touched;           /* per force: steps that a contact by penalty has lasted; NULL: there are none */
    fast_data *fast;        /* of the fast evaluator */
    parallel_rows parallel; /* made at its first use */
    rigid_kkt rigid;        /* the same */
};

/* An array of numbers to be made, and where it goes. */
typedef struct phx_sys_array {
    double **at;
    size_t count;
} phx_sys_array;
/* Zeros; PHX_ERR_MEMORY when one of them cannot be made. */
phx_status phx_sys_arrays_create(phx_context *context, size_t n, const phx_sys_array *arrays);
void phx_sys_arrays_free(size_t n, double *const *arrays);

/* Parts of a workspace. What is made before one fails is freed with the rest. */
phx_status phx_sys_values_create(phx_context *context, const kkt_matrix *kkt, kkt_values *values, mass_matrix *mass);
void phx_sys_values_free(kkt_values *values, mass_matrix *mass);
phx_status phx_sys_interval_create(phx_context *context, const phx_system *system, int n_l, step_interval *step);
void phx_sys_interval_free(step_interval *step);
phx_status phx_sys_rubbing_create(phx_context *context, const phx_system *system, int n_l, reaction_forces *made);
void phx_sys_rubbing_free(reaction_forces *made);
/* An interval begins, at the end of the last one or where that began; friction takes these multipliers; impulses of a
 * projection (NULL: none). */
void phx_sys_rubbing_begin(workspace *ws, bool goes_on, bool again);
void phx_sys_rubbing_take(workspace *ws, const double *lambda, bool interval);
/* The multipliers that the interval has been solved for; whether they are others than those that friction took. */
bool phx_sys_rubbing_retake(workspace *ws, const double *lambda);
void phx_sys_rubbing_project(workspace *ws, const double *impulses, double h);
/* The next multipliers of an iteration for them and friction at an instant; whether they have settled. */
bool phx_sys_rubbing_settles(workspace *ws, const double *lambda);
double phx_sys_reaction_force(const workspace *ws, const joint_slot *joint);
double phx_sys_friction_limit(const workspace *ws, const joint_slot *joint, const coordinate_slot *coordinate);
phx_status phx_sys_projection_create(phx_context *context, const phx_system *system, projection *made);
void phx_sys_projection_free(projection *made);
phx_status phx_sys_reactions_create(phx_context *context, const phx_system *system, int n_l, reactions *made);
void phx_sys_reactions_free(reactions *made);

phx_status phx_sys_workspace_create(phx_system *system, phx_context *context, phx_backend backend, int n_rows,
                                    const int *rows, workspace **out);
void phx_sys_workspace_destroy(workspace *ws);
/* Pattern, places and elimination order; n_v, place, condensed and boundary are given (kkt.c). `val`: zeros on it. */
phx_status phx_sys_kkt_create(phx_context *context, const workspace *ws, kkt_matrix *kkt, double **val);
void phx_sys_kkt_free(const workspace *ws, kkt_matrix *kkt);
/* Fills kkt->order (order.c). */
phx_status phx_sys_order(phx_context *context, const workspace *ws, kkt_matrix *kkt);
/* Unknowns of a condensed body, the rigid ones first; their number. */
int phx_sys_body_columns(const phx_system *system, const kkt_matrix *kkt, int b, int *cols);
bool phx_sys_is_condensed(const kkt_matrix *kkt, int b);
/* Pairs of ports that couple through second derivatives: every joint first, then every force; whether this one does. */
int phx_sys_pair_count(const phx_system *system);
bool phx_sys_pair_ports(const phx_system *system, int pair, phx_port_id *a, phx_port_id *b);

/* Where a port or point is: a point of a flexible body, else a location of the body or the ground. The directions
 * `rotation` may be NULL. */
typedef struct place_def {
    phx_body_id body;
    const phx_flex_point *point;
    phx_location location;
    const double *rotation;
} place_def;
/* That place into `slot`, whose point and name are owned by the caller. */
phx_status phx_sys_place(const phx_system *system, const place_def *def, port_slot *slot);
void phx_sys_place_free(port_slot *slot);
/* ---- filters.c: numerical damping ---- */
void phx_sys_filters_free(workspace *ws);
void phx_sys_filters_begin(workspace *ws);
phx_status phx_sys_filters_residual(workspace *ws, double *res);
phx_status phx_sys_op_interval_finish(phx_dae *dae, double *v1, phx_work *work);
void phx_sys_op_keep(phx_dae *dae);
void phx_sys_op_take_memory(phx_dae *dae, const phx_dae *from);
/* ---- directions.c: PHX_ERR_ARGUMENT where a joint or load needs the directions of a port that has none ---- */
phx_status phx_sys_check_joint_directions(const phx_system *system, const joint_slot *joint);
phx_status phx_sys_check_load_directions(const phx_system *system, const phx_load_def *def);

/* By which sorts of locations the points of a body or the ground are given, as bits. */
unsigned phx_sys_location_sorts(const phx_system *system, phx_body_id body);

/* ---- blame.c: messages of equations that cannot be solved; all return PHX_SINGULAR ---- */
phx_status phx_sys_blame_body(phx_context *context, const phx_body *body, bool finite);
/* PHX_ERR_UNSUPPORTED when a body is not a floating one: there is no `what`, and the remedy. */
phx_status phx_sys_check_floating(phx_context *context, const phx_system *system, const char *what, const char *remedy);
/* An equation of the whole matrix: a velocity of a body or the row of a joint. */
phx_status phx_sys_blame_equation(const workspace *ws, int equation, bool finite);
/* For phx_lu_factor: row `equation` of the matrix that failed stands for the unknown `column` of the whole one. */
phx_status phx_sys_blame_factor(const workspace *ws, const int *ptr, const double *val, int equation, int column);

/* Growing list of places of a pattern. */
typedef struct phx_sys_triplets {
    int *row, *col;
    size_t count, capacity;
} phx_sys_triplets;
phx_status phx_sys_put(phx_context *context, phx_sys_triplets *list, int row, int col);

/* ---- snapshot/snapshot.c: shared by what is written to archives ---- */
/* A struct whose fields are written by hand: a new one changes its size. */
#define PHX_SYS_WRITTEN(type, size)                                                                                    \
    _Static_assert(sizeof(void *) != 8 || sizeof(type) == (size), "write the new field here")
/* A number of one of `count` things, or -1. */
void phx_sys_archive_index(phx_archive *archive, int count, int *index);
/* A number that must be one of `count` things. */
void phx_sys_archive_member(phx_archive *archive, int count, int *index);
void phx_sys_archive_row(phx_archive *archive, phx_row *row);
void phx_sys_archive_friction(phx_archive *archive, phx_friction *friction);
void phx_sys_archive_penalty(phx_archive *archive, phx_penalty *penalty);
/* A point of a body, whose coordinates must be the body's. */
void phx_sys_archive_point(phx_archive *archive, const phx_system *system, phx_body_id body, phx_flex_point *point);

/* ---- snapshot/memory.c ---- */
void phx_sys_op_archive(phx_dae *dae, phx_archive *archive);
/* A factorisation that there may be; created by `by` when it is read. */
typedef phx_status phx_sys_create_lu_fn(const workspace *ws, const kkt_matrix *kkt, bool complex_values, phx_lu **lu);
void phx_sys_archive_lu(phx_archive *archive, const workspace *ws, const kkt_matrix *kkt, phx_sys_create_lu_fn *by,
                        phx_lu **lu);

/* ---- inputs.c ---- */
/* Parts of the dae behind the ledger: the integral of what is conjugate to each input over the interval at hand, or in
 * a projection, whose velocities and multipliers change by dv. */
phx_status phx_sys_input_work(workspace *ws, double h, const double *lambda);
void phx_sys_input_project(workspace *ws, const double *dv);

/* ---- control: controllers ---- */
/* names.c: once joints, forces and outputs are numbered; PHX_ERR_INPUT for names that mean nothing, quantities that
 * cannot be fed back, and controllers that wait for each other. */
phx_status phx_sys_controllers_resolve(phx_system *system);
void phx_sys_controllers_free(phx_system *system);
/* Numbers their states behind the others; what they are at the start. */
void phx_sys_controllers_number(phx_system *system);
void phx_sys_controllers_start(const phx_system *system, double *x);
/* controllers.c: their part of a workspace, whose ports are made. */
phx_status phx_sys_control_create(phx_context *context, workspace *ws);
void phx_sys_control_free(workspace *ws);
/* Efforts and powers of controllers at the instant or over the interval at hand, at whose end their states are set;
 * with `linear` their derivatives. Part of phx_sys_forces. */
phx_status phx_sys_controllers(workspace *ws, double t, bool linear);
double phx_sys_controllers_energy(const phx_system *system, const double *x);
/* z' of the continuous ones at the instant that phx_sys_controllers was asked for last; zeros of the sampled ones. */
void phx_sys_controllers_flow(workspace *ws, double t, const double *x, double *z_dot);
/* measures.c: mean of a measure; its derivative by the variation of the ports, or by their rates (is_rate), into
 * ws->control.row. */
double phx_sys_measure(const workspace *ws, const measure *it);
bool phx_sys_measure_is_rate(const phx_system *system, const measure *it);
void phx_sys_measure_row(workspace *ws, const measure *it);
/* Whether a quantity can be fed back at once. */
bool phx_sys_quantity_fits(const phx_system *system, const phx_output_def *def);
/* couplings.c: places of the feedback in a pattern, and the feedback into the linearisation at hand. */
phx_status phx_sys_control_collect(phx_context *context, const workspace *ws, phx_sys_triplets *list);
phx_status phx_sys_control_locate(phx_context *context, const workspace *ws, const phx_csr *pattern, kkt_matrix *kkt);
void phx_sys_control_couple(workspace *ws);
/* Whether an actuation follows a measure, directly or through other controllers. */
bool phx_sys_follows(const phx_system *system, int controller, int row);
/* sampling.c: the samples that are due at the start of an interval, into x. */
phx_status phx_sys_take_samples(workspace *ws, double t, double *x, const double *v);
/* Puts the coordinates that are held at the start into x and the start configuration of the system. */
phx_status phx_sys_hold_start(phx_system *system, double t, double *x, const double *v);
double phx_sys_op_next_sample(const phx_dae *dae, double t);

/* ---- point_index.c: points by body and name ---- */
/* Room for one more point; before it is added. */
phx_status phx_sys_point_index_reserve(phx_system *system);
/* Enter system->points[point]. */
void phx_sys_point_index_add(phx_system *system, int point);

/* Whether a body has more frames than one. */
static inline bool phx_sys_has_frames(const phx_system *system, int b)
{
    return phx_body_frames(system->bodies[b].body, NULL) > 1;
}

/* Coordinates of a body beside its frames in x, and their rates in v, vectors of the whole system. */
static inline const double *phx_sys_q(const body_slot *slot, const double *x)
{
    int at;
    (void)phx_body_coordinates(slot->body, &at, NULL);
    return x + slot->x + at;
}
static inline const double *phx_sys_q_dot(const body_slot *slot, const double *v)
{
    int at;
    (void)phx_body_coordinates(slot->body, NULL, &at);
    return v + slot->v + at;
}

/* Velocities v of a body that moves rigidly: inertial velocity of the origin of its first frame, inertial angular
 * velocity. */
void phx_sys_rigid_velocities(const body_slot *slot, const double *x, const double *linear, const double *angular,
                              double *v);
/* About the origin of the first frame, the largest, of the undeformed body. */
double phx_sys_radius_of_gyration(const body_slot *slot);

/* A body at the interval or instant at hand. */
static inline phx_body_view phx_sys_body_view(const workspace *ws, int b)
{
    const phx_body_view *all = &ws->view;
    const int x = ws->system->bodies[b].x, v = ws->system->bodies[b].v;

    return (phx_body_view){.h = all->h,
                           .x0 = all->x0 + x,
                           .x1 = all->x1 + x,
                           .xm = all->xm + x,
                           .v0 = all->v0 + v,
                           .v1 = all->v1 + v,
                           .vm = all->vm + v,
                           .products = all->h == 0.0 ? NULL : ws->bodies.products[b]};
}

/* Point every body at an instant; and evaluate all ports. */
void phx_sys_point_at(workspace *ws, const double *x, const double *v);
void phx_sys_set_instant(workspace *ws, const double *x, const double *v);
/* A port of the ground: at rest for good. */
void phx_sys_ground_view(const phx_system *system, const port_slot *port, phx_port_view *view);
/* rate of row k of the workspace: g . zeta, all ports at the current view. */
double phx_sys_row_rate(const workspace *ws, int k);
/* Efforts of forces into ws->ports.effort, powers into ws->power; distributed loads straight into res (res -= ...).
 * With `linear` also tangents into K, D. */
phx_status phx_sys_forces(workspace *ws, double t, bool linear, double *res);
/* effort += multipliers' covectors */
void phx_sys_apply_multipliers(workspace *ws, const double *lambda);
/* row (port_count) = covector^T P of a port at the view of its body. */
void phx_sys_pull(const workspace *ws, phx_port_id id, const double *covector, double *row);
/* Factorisation of a whole matrix on the KKT pattern; the first use of `lu` allocates. */
phx_status phx_sys_factor(workspace *ws, bool complex_values, const double *val, phx_lu **lu);
/* A(cj) on it into a slot. */
phx_status phx_sys_factor_whole(workspace *ws, int slot, double cj);
phx_status phx_sys_factor_whole_mass(workspace *ws, const double *x); /* factor_mass on it */
/* phx_sys_forces with `linear`, without its residual. */
phx_status phx_sys_add_forces(workspace *ws, double t);
/* Unwrapped joint angles in x1 as in x0. */
void phx_sys_begin_angles(workspace *ws);
/* Those of a joint in x, nearest to those that x has, at end 1 of the views. */
void phx_sys_unwrap_joint(const joint_slot *joint, const phx_port_view *a, const phx_port_view *b, double *x);
/* Values of [M -G^T; G 0] at the current instant view, whose rows are evaluated, into ws->mass.val. */
void phx_sys_mass_values(workspace *ws, const double *x);
phx_status phx_sys_parallel_create(const workspace *ws, parallel_rows *out);
void phx_sys_parallel_free(parallel_rows *parallel);
/* Of the rows that are on, those that depend on others of their pair at the instant whose G is in ws->values.val;
 * whether they are others than before. */
bool phx_sys_parallel_choose(const workspace *ws, const bool *on, parallel_rows *parallel);
bool phx_sys_dropped(const workspace *ws, int unknown); /* the unknown is the multiplier of such a row */
/* factor_mass of the evaluator with the deformations held and the rows of `on` only, eps > 0 times its Schur diagonal
 * on the multipliers: solvable with redundant rows. Factored by itself. */
phx_status phx_sys_factor_rigid(workspace *ws, const double *x, const bool *on);
/* b (n) <- its solution, zero on the deformations. */
phx_status phx_sys_solve_rigid(workspace *ws, double *b);
void phx_sys_rigid_free(rigid_kkt *rigid);
/* Rigid accelerations a (n_v, zero on the deformations) and multipliers (rows of ws) with q_dot = q_ddot = 0,
 *   M_rr a + ... = f + G_r^T lambda,  G_r a = w' - G' v     (w' = 0 with drives_locked),
 * and the residual they leave: on the deformations the loads that K q has to balance. */
phx_status phx_sys_locked_accelerations(workspace *ws, double t, const double *x, const double *v, bool drives_locked,
                                        double *a, double *lambda, double *res);
/* Scale of velocities of the row, for tolerances: sum |g_i zeta_i|. */
double phx_sys_row_scale(const workspace *ws, int k);

extern const phx_dae_ops phx_sys_ops;
phx_status phx_sys_op_project(phx_dae *dae, double t1, double h, bool interval, bool may_reject, const double *x1,
                              double *v1, double *lambda, phx_work *work);
phx_status phx_sys_op_linearise(phx_dae *dae, double t, const double *x, const double *v, const double *lambda);
phx_status phx_sys_op_interval_linearise(phx_dae *dae);
phx_status phx_sys_op_factor(phx_dae *dae, int slot, double cj);
phx_status phx_sys_op_factor_complex(phx_dae *dae, int slot, double re, double im);
phx_status phx_sys_op_accelerations(phx_dae *dae, double t, const double *x, const double *v, double *v_dot,
                                    double *lambda);
bool phx_sys_closes_loops(const workspace *ws);
double phx_sys_op_regularity(phx_dae *dae, double t, const double *x, const double *v);
void phx_sys_op_dependent(phx_dae *dae, double t, const double *x, const double *v, size_t size, char *text);
/* The velocities v at x put on the rows of ws by an impulse of the joints: v += M^-1 G^T mu, S mu = w - G v. The work
 * of the drives mu.w, and what the joints take, 1/2 e^T S^-1 e, J. */
phx_status phx_sys_impulse(workspace *ws, double t, const double *x, double *v, phx_work *work);
/* P^T g of a row of a joint with covectors g into `out` (n_v, n are cleared); and its acceleration, that of a
 * coordinate with the velocities' accelerations v_dot, at the instant at hand. */
void phx_sys_pull_back_row(workspace *ws, const phx_port_id ends[2], const double *g, double *out);
double phx_sys_rate_of_rate(workspace *ws, const phx_port_id ends[2], const phx_row *row, const double *g,
                            const double *v_dot);
/* Signals that vary: the list, and a look at them in a step. */
phx_status phx_sys_watch_signals(workspace *ws);
void phx_sys_look_at_signals(workspace *ws, double t0, double t1);
/* The same of contacts by penalty, after an accepted step (contact_watch.c). */
phx_status phx_sys_watch_contacts(workspace *ws);
void phx_sys_look_at_contacts(workspace *ws, double t0, double t1);
bool phx_sys_varies(const phx_system *system);
phx_status phx_sys_op_check_signals(phx_dae *dae, double t0, double t1);
double phx_sys_op_next_break(const phx_dae *dae, double t);
/* Linear and angular momentum of every component: (dim + n_rot) values each. */
void phx_sys_momenta(const workspace *ws, const double *x, const double *v, double *momenta);
/* G_dot v of row k at the current instant view; of any row between two ports, with its covectors. */
double phx_sys_row_acceleration(workspace *ws, int k);
double phx_sys_row_bias(workspace *ws, const phx_row *row, const phx_port_id ports[2], const double *covectors);

/* The place of A along its body of a joint that slides: as it says, else nearest to the point of B in the poses as
 * written; and the axes of the section there, a rotation (dim x dim). Into x for all such joints: the first guess. */
phx_status phx_sys_guess_place(const phx_system *system, const joint_slot *joint, double *place, double *axes);
phx_status phx_sys_guess_places(phx_system *system, double *x);
/* PHX_ERR_ANALYSIS when a place has left its body at the end t of a step of length h (0: at the start). */
phx_status phx_sys_check_places(const workspace *ws, double t, double h, const double *x, const double *v);
/* Position-level closing of the joints, the deformations in x kept and the poses as written the first guess; held
 * coordinates at their values. */
phx_status phx_sys_assemble(phx_system *system, double *x);
/* The same from x, moved as little as possible; only coordinates with a motion are held, at their values at t. */
phx_status phx_sys_assemble_from(phx_system *system, double t, double *x);
/* Another configuration with closed joints about so far (rad, and times the size) from x, coordinates free; fails when
 * none is found. */
phx_status phx_sys_neighbour(phx_system *system, double distance, double *x);
/* A stride of `distance` (as above, up to 0.4) along the free motion from x, as nearly straight on from `way` (n_v,
 * rigid velocities) as the joints allow; `way` becomes the direction taken. Fails where nothing moves or the joints
 * cannot be closed. phx_sys_any_way: a direction to begin with, another one for each seed. */
phx_status phx_sys_walk(phx_system *system, double distance, double *way, double *x);
void phx_sys_any_way(const phx_system *system, int seed, double *way);
/* Assembly residuals at x, negated, into rhs (rows; NULL: none); on[] says which rows ask for a position (with `hold`
 * also the held coordinates). Returns the largest, relative to the size of the system for lengths. */
double phx_sys_assembly_residual(workspace *ws, const double *x, bool hold, double *rhs);
/* Minus the gradient of 1/2 (sum m |dc|^2 + dtheta . I_c dtheta) over the changes from the poses as written: n_v. */
void phx_sys_pull_back(const workspace *ws, const double *x, double *rhs);
/* Moves the bodies' frames by the rigid part of xi, at most 0.4 of the size or rad, and the deformations by the rest;
 * returns the largest rigid entry. */
double phx_sys_move_all(const workspace *ws, const double *xi, double *x);
/* Size of the mechanism at the current instant view, m: what residuals and moves are small against. */
double phx_sys_size(const workspace *ws);
/* The arrays of the motion about a steady rotation (steady.c). */
phx_status phx_sys_linearise_steady(phx_dae *dae, double t, const double *x, const double *v, const double *axes,
                                    const double *lambda);
/* Velocities of the start at x. */
phx_status phx_sys_start_velocities(phx_system *system, double t, const double *x, double *v);
/* Deformed start by one dense Newton iteration, for joints that close only on deformed bodies; whether it is small
 * enough for that. */
phx_status phx_sys_deformed_start(phx_system *system, double t, double *x, double *v);
bool phx_sys_deformed_fits(const phx_system *system);
/* Load path (load_path.c): the same from the undeformed start x, with loads that grow from nothing to what they are. */
phx_status phx_sys_load_path(phx_system *system, double t, double *x, double *v);
/* Whether the quasi-static equilibrium at x with rigid accelerations a and multipliers lambda is a stable one, where
 * the system is small enough to tell (load_stability.c); v is written. */
phx_status phx_sys_stable(phx_system *system, double t, const double *x, double *v, const double *a,
                          const double *lambda, bool *stable);
/* The poses as written, and those of x in their place. */
void phx_sys_exchange_poses(phx_system *system, const double *x, phx_pose *written);
/* Offsets that make every coordinate count from its given start value at x, and the unwrapped joint angles in x. */
void phx_sys_set_offsets(phx_system *system, double *x);
/* To finalise it, by stages. */
phx_status phx_sys_number(phx_system *system);
phx_status phx_sys_find_redundant(phx_system *system);
/* The same from a list of all rows that says which are. */
phx_status phx_sys_take_redundant(phx_system *system, const int *redundant);
phx_status phx_sys_components(phx_system *system);
/* The constraint rows of a joint as it would be made in the present poses, its coordinates untouched (build.c). */
phx_status phx_sys_remake_constraints(phx_system *system, joint_slot *joint);
double phx_sys_coordinate_value(const workspace *ws, int joint, int coordinate, int end);
/* The force along a coordinate at the instant at hand; not a number where its actuator is not finite. */
phx_scalar_result phx_sys_coordinate_along(const workspace *ws, int joint, int coordinate, double t);
/* Unwrapped joint angles in x, nearest to those that x has: at the instant that all ports have been viewed at; their
 * rates.
 */
void phx_sys_unwrap_angles(const workspace *ws, double *x);
void phx_sys_angle_rates(const phx_system *system, const double *x, const double *v, double *x_dot);
/* A port of a state, without a workspace. */
void phx_sys_view_port(const phx_system *system, phx_port_id id, const double *x, const double *v, phx_port_view *view);
/* Directions of a section in inertial components, orthonormal: dim x dim, columns are the port's directions, `own` what
 * they are in the undeformed body. */
void phx_sys_section_frame(const phx_port_view *view, const double *own, double *frame);
void phx_sys_port_deformation(const workspace *ws, phx_port_id id, double *out); /* dim, body axes */
void phx_sys_port_attitude(workspace *ws, phx_port_id id, double *out);          /* quaternion of the port's axes */
/* Multipliers of all rows of the system, least-norm with redundant ones; the mass at the current instant is factored.
 */
phx_status phx_sys_all_multipliers(workspace *ws, const double *lambda, double *all);
/* G_r = C G of the redundant rows by those of the workspace, C redundant x n_l; after factor_mass. */
phx_status phx_sys_dependence(workspace *ws, double *C);
/* All columns at the current instant view. */
void phx_sys_output_values(workspace *ws, double t, const double *v_dot, const double *all, double *columns);
/* Generalised forces of a distributed load at the current view into res (n_v): res -= ...; with `linear` also its
 * stiffness into K. */
phx_status phx_sys_distributed_force(workspace *ws, const force_slot *force, double t, bool linear, double *res);
/* Rows of the workspace that depend on rows before them at x: their numbers, ascending, and count. */
phx_status phx_sys_dependent_rows(workspace *ws, const double *x, int *dependent, int *count);
/* The entries of the ledger (ledger.c); then parts of the dae: h times the power of the last evaluation and of the
 * drives, nothing, the work of the drives in a projection. */
phx_status phx_sys_ledger_create(phx_system *system);
void phx_sys_ledger_work(workspace *ws, double h, const double *lambda);
void phx_sys_ledger_nothing(workspace *ws);
void phx_sys_ledger_project(workspace *ws, const double *dv, const double *e);
void phx_sys_output_free(output_slot *output);
phx_status phx_sys_output_prepare(phx_system *system);

#endif
