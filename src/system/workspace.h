/* The workspace of a system, in parts that own their data; private to layer system. */
#ifndef PHX_SYSTEM_WORKSPACE_H
#define PHX_SYSTEM_WORKSPACE_H

#include "system/parts.h"

enum { PAIR_SIZE = 2 * PHX_PORT_MAX };

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

/* The data that the evaluation of a row reads. */
typedef struct work_row {
    phx_port_id a, b;
    int unit;                /* its covectors are -1 and +1 in this entry of the ports for good; -1: any others */
    bool angular_only;       /* its covectors are zero on the rates of places */
    const phx_signal *speed; /* of a driven row, else NULL */
    double rate;             /* of a held row, else 0 */
    const phx_row *row;      /* of the system */
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
    /* Every port at the current instant. */
    void (*view_ports)(workspace *ws);
    /* phx_sys_drift at the current instant, from zeros on; NULL: row by row. */
    void (*drift)(const workspace *ws, double t, double *position, double *velocity);
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
    /* G, -G^T, K_l and stiffness of the rows, geometric terms of all ports into the current linearisation; and G and
     * -G^T alone, in place of what is there. */
    void (*add_couplings)(workspace *ws, const double *lambda);
    void (*put_rows)(workspace *ws, double *val);
    /* Adds a pair's derivative of its efforts, block (PAIR_SIZE square), alpha times: with respect to the variation of
     * the ports, K += P^T block W, or to their rates, D += P^T block P, K += P^T block d(P nu)/d xi. */
    void (*pair_add)(workspace *ws, int pair, double alpha, const double *block);
    void (*pair_rate_add)(workspace *ws, int pair, double alpha, const double *block);
    /* The same of one entry of K: row `row` of a body, one of a coordinate only where it is stiffened geometrically,
     * and the coordinate q_dof. */
    void (*body_add)(workspace *ws, int b, int row, int dof, double value);
    /* Efforts of forces and multipliers are summed from here on. */
    void (*clear_efforts)(workspace *ws);
    /* The matrix that the current linearisation goes into. */
    const kkt_matrix *(*target)(const workspace *ws);
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
    /* Archives its memory of the intervals so far (phx_dae_ops.archive). NULL: it has none. */
    void (*archive)(phx_archive *archive, workspace *ws);
    /* Threads inside its operations; how many there are. NULL: one. */
    phx_status (*set_threads)(workspace *ws, int threads);
    int (*threads)(const workspace *ws);
} evaluator;
extern const evaluator phx_plain_evaluator, phx_fast_evaluator;
extern const evaluator phx_viewing_evaluator; /* of outputs and drift, and that is all (phx_system_observer) */

typedef struct fast_data fast_data; /* fast.h */

/* Signals that vary, and how often they were asked (signal_speed.c). */
typedef struct watched_signal watched_signal;
typedef struct signal_watch {
    int n;
    long steps;
    watched_signal *signal;
} signal_watch;

/* Powers of forces at the last evaluation, which of them act, and how long (evaluate.c). */
typedef struct force_work {
    phx_work power; /* supplied and dissipated by forces */
    double *flow;   /* n_ledger: the same by entries of the ledger, drives left out; not of a linearisation */
    double load;    /* part of loads and actuators that acts: 1 */
    int *touched;   /* per force: steps that a contact by penalty has lasted; NULL: there are none */
} force_work;

/* Bodies that turn far in a step (turn_watch.c). */
typedef struct turn_watch {
    int *kind;    /* per body: which turns matter */
    int body;     /* that of the last interval with the largest turn; -1: none is large */
    double angle; /* its turn, rad */
    double h;     /* length of the interval, s */
    bool told;
} turn_watch;

/* Linear dampers that may be too strong for the step (damper_watch.c): of a coordinate of a joint, of a direction of a
 * bushing, or of a spring. Names and rows are the system's. */
typedef struct watched_damper {
    const char *kind, *name;
    const phx_row *row; /* what it measures between its ports; NULL: their distance */
    phx_port_id a, b;
    int turns;            /* changes of sign of its rate one after the other; -1: told */
    double rate, largest; /* d/m of its bodies alone, 1/s; its largest rate so far */
} watched_damper;
typedef struct damper_watch {
    int n;
    watched_damper *damper;
} damper_watch;

/* x at the ends of the current interval or instant, for the unwrapped joint angles; borrowed. */
typedef struct angle_ends {
    const double *x0, *x1;
} angle_ends;

/* Numerical damping of the deformations (filters.c). */
typedef struct numerical_damping {
    phx_filter **filters; /* per body, NULL: it has none; NULL: no numerical damping */
    double radius;        /* its spectral radius */
} numerical_damping;

/* The rows that carry a multiplier: n of them. */
typedef struct row_set {
    int n;
    int *index;            /* system row of multiplier k */
    int *multiplier;       /* of system row r, or -1 */
    work_row *row;         /* n */
    int n_driven, *driven; /* rows with a signal */
    double *covector;      /* per row: PAIR_SIZE */
    double *w;             /* per row: prescribed rate */
    bool *on;              /* per row: takes part in the assembly or the start velocities */
} row_set;

/* The ports: which velocities move them, and what the rows and forces read of them and do to them. */
typedef struct port_set {
    int *first, *count, *cols; /* per port: where its columns of v begin in `cols`, and how many they are */
    int widest;                /* columns of a port */
    int *active;               /* 2 widest: scratch, those of a pair that a port that slides depends on */
    double *map;               /* 2 map_size: what the ports of a pair make of their bodies' columns */
    int map_size;
    phx_port_view *view; /* at the current interval or instant */
    double *effort;      /* PHX_PORT_MAX each: total of multipliers and forces (fast, over an interval: not of ports in
                            batches of joints) */
} port_set;

typedef struct observer observer; /* viewing.c */

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
enum { REACTION_STEPS = 6 };
typedef struct reaction_forces {
    double *lambda, *added, *next; /* n_l; `next`: of the projection that is not yet accepted */
    double *found, *change;        /* n_l: of the last repetition: the reactions it led to, and those less lambda */
    double *steps;                 /* (4 REACTION_STEPS + 1) n_l: differences between repetitions, and room */
    double size;                   /* of that change */
    int count;                     /* repetitions so far */
    bool taken;
    bool held;    /* while the accelerations and the friction that they make are found together */
    bool settled; /* at an instant they agree */
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
    double *prescribed;  /* kinetic energy of what the drives prescribe */
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
    double *velocities;  /* 2 n_v */
    double *multipliers; /* n_l */
    double *block;       /* dense blocks over the columns of two ports */
} scratch;

/* Controllers at rest (system/control/at_rest.c), for an equilibrium: instants are evaluated with their states, and
 * what sampled ones hold, where these end over the time `span` from those in x; 0: with those in x, sampled ones too.
 */
typedef struct rest_control {
    bool on;
    double span;   /* s */
    double *z;     /* entries of x behind those of the mechanism: states at rest, then u of sampled ones */
    double *by_y;  /* those x measures: how they follow what is measured */
    double *place; /* per measure: of rates that are those of places, the places they count from */
    double *S;     /* of one controller: states x inputs */
} rest_control;

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
    bool held;         /* u is constant in evaluations too, and no samples are taken */
    rest_control rest;
} control_work;

/* The parts that the pattern of a KKT matrix is made of. */
typedef struct pattern_source {
    const phx_system *system;
    const row_set *rows;
    const port_set *ports;
    const control_work *control;
} pattern_source;

/* The parts own what they hold and are made in this order (equations/workspace.c): the function that makes one is given
 * those above it that it needs. */
struct workspace {
    phx_dae base; /* first: a phx_dae is a workspace */
    phx_system *system;
    const evaluator *by;
    char blame[320]; /* name of a body with the reason, for a message */
    row_set rows;
    port_set ports;
    control_work control;
    kkt_matrix kkt;
    kkt_values values;
    mass_matrix mass;
    step_interval step;
    reaction_forces rubbing; /* NULL in a system without such friction */
    phx_body_view view;      /* of the current interval or instant: where vectors of all bodies begin */
    angle_ends angles;
    body_set bodies;
    scratch scratch;
    projection projection;
    reactions reactions;
    force_work forces;
    signal_watch signals;
    turn_watch turns;
    damper_watch dampers;
    fast_data *fast;           /* of the fast evaluator */
    observer *observer;        /* of the evaluator that only observes */
    numerical_damping damping; /* made when it is asked for */
    parallel_rows parallel;    /* made at its first use */
    rigid_kkt rigid;           /* the same */
};

#endif
