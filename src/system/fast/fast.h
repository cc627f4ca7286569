/* Private to layer system: the fast evaluator. Bodies and joints that are alike are evaluated together, in SIMD width;
 * matrices are condensed to rigid velocities, boundary coordinates and multipliers where that pays, projections to the
 * multipliers; loops and eliminations go over a thread pool. What it evaluates agrees with the plain evaluator to
 * rounding. */
#ifndef PHX_SYSTEM_FAST_H
#define PHX_SYSTEM_FAST_H

#include "body/fast/batches.h"
#include "system/system_internal.h"

/* The rows of the workspace that belong to one joint, which follow each other. */
typedef struct row_group {
    phx_port_id a, b;
    int joint;
    int first, end; /* rows from `first` up to before `end` */
    int points;     /* it begins with that many POINT rows, of all axes, with rate zero; or 0 */
    bool one_body;  /* both ports are on the same one */
    bool slides;    /* along a body: its matrices are the general ones (equations/couplings.c) */
    bool opens[2];  /* the first group that has the port on A, on B */
} row_group;

enum { PHX_JOINT_SIMD_WIDTH = 4 };      /* joints of a batch */
typedef struct joint_batch joint_batch; /* joints that are evaluated together (fast_joints.h) */

/* A member of a batch of bodies: a body of the system or, in the place of a rod, each of its nodes. */
typedef struct member_slot {
    const phx_body *body;
    phx_body_id of; /* of the system */
    int x, v;       /* its first entries */
    int entry[6];   /* of its own rigid block in the pattern of `of`: the first of each row, the others follow */
} member_slot;

/* Bodies that are evaluated together. */
typedef struct batch_slot {
    phx_body_batch *batch;
    int count, width, member[PHX_BATCH_WIDTH];
} batch_slot;

/* The elements of a rod. */
typedef struct rod_slot {
    phx_rod_batch *batch;
    phx_body_id body;
} rod_slot;

/* A factorisation with the internal deformations of the bodies eliminated first. */
typedef struct condensed_lu {
    phx_condenser **type;              /* of each type of body: cj M + R + K/cj */
    double cj;                         /* that they are factored for; 0: none */
    int corrections, asked;            /* of a solution; matrices until their number is asked for anew */
    double *arrow, *influence, *rates; /* of all condensed batches; rates: w0 + w1 of the interval */
    phx_lu *lu;
} condensed_lu;

/* The projection by the rows alone (fast_delassus.c). */
typedef struct delassus {
    phx_block_ldl *ldl;
    int n_types;
    phx_condenser **type;       /* of M_qq */
    int *type_of;               /* per batch; -1: rigid */
    phx_body_batch_rows **rows; /* per batch; NULL: no row touches it */
    size_t *at;                 /* per batch: its matrices in `schur` */
    double *schur;              /* the matrices of all batches, then a zero */
    int n_entries;
    int *entries;      /* 3 numbers each: place in S, and the two numbers that it is the sum of */
    bool batched, all; /* all bodies are in batches; and rows touch them */
    bool factored;     /* the factors of S are those of the instant */
    double *mu;        /* n_l and a zero */
} delassus;

/* Where each batch has its part of the arrays below, by arrays, and their lengths (fast_condense.c). */
typedef struct condensed_layout {
    size_t *arrow_at, *influence_at, *internal_at, *rates_at; /* per batch */
    size_t arrow_size, influence_size, internal_size, rates_size;
} condensed_layout;

/* The linearisation over the interval and what is factored of it, on the condensed pattern. */
typedef struct condensed_values {
    double *coupling;           /* what joins the bodies: rows, forces, whole bodies */
    double *val;                /* with the condensed bodies */
    double *arrow, *rates;      /* by batches, of the interval linearised last */
    const condensed_lu *holder; /* of the arrow blocks of the last linearisation; NULL: they are above */
} condensed_values;

/* Vectors of the iteration B d_j = -(A - B) d_{j-1} for x = sum d_j (fast_condensed.c). */
typedef struct condensed_vectors {
    double *b, *d, *sum;             /* kkt.n: right-hand side, correction, their sum */
    double *internal, *internal_sum; /* the same of the internal coordinates, by batches */
    double *x;                       /* kkt.n of the whole matrix */
} condensed_vectors;

/* Condensation of the bodies' deformations (fast_condense.c). */
typedef struct condensation {
    kkt_matrix kkt;
    int n_types;
    int *type; /* per body; -1: not condensed */
    int *from; /* per unknown: its place in the whole matrix */
    condensed_layout layout;
    condensed_values values;
    condensed_vectors vectors;
    condensed_lu slot[PHX_FACTOR_SLOTS], mass;
    bool in_slot[PHX_FACTOR_SLOTS]; /* the factorisation in the slot is condensed */
    bool pays;                      /* for intervals */
    bool linearised;                /* the last linearisation was condensed */
    int wait;                       /* linearisations that stay whole because the iteration contracted slowly */
} condensation;

/* The rows of all joints, joint by joint (fast_workspace.c). */
typedef struct row_groups {
    int n;
    row_group *group;
    bool *has_port; /* per port: a group has it */
} row_groups;

/* Which views of the ports are those at hand. */
typedef struct port_use {
    bool start_viewed; /* views hold the start of the current interval: only its end has to be evaluated */
    bool end_viewed;   /* views are those of an instant at x1 */
} port_use;

/* The members of batches, body by body (fast_batches.c). */
typedef struct member_set {
    int n;
    member_slot *member;
    int *first;              /* per body, and behind the last one */
    int *batch_of, *lane_of; /* per member; -1: in none */
    double *energy;          /* per member: kinetic; its bodies' in ws->bodies.energy are their sums */
} member_set;

/* The bodies as a step goes over them: in batches, rods by their elements, others one by one (fast_batches.c). */
typedef struct body_batches {
    int n;
    batch_slot *batch;
    bool *done; /* per batch: scratch, false between its uses */
    int n_rods;
    rod_slot *rods;
    int n_sliding, *sliding;     /* rods with places, which are in no batch */
    int n_unbatched, *unbatched; /* bodies in no batch, and no rods, ascending */
} body_batches;

/* Joints that are evaluated together (fast_joints.c). */
typedef struct joint_batches {
    int n, used; /* used: all, or none where joints go one by one */
    joint_batch *batch;
    int *of;            /* per group of rows: its batch; -1: in none */
    bool *port_batched; /* per port: it is in one that is used */
} joint_batches;

/* Groups of rows and ports in no batch of joints that is used, ascending (fast_joints.c). */
typedef struct unbatched_joints {
    int n_groups, n_ports;
    int *groups, *ports;
} unbatched_joints;

/* Scratch of what goes over bodies, ports or joints on one thread, numbers: matrices of a body, what bodies share,
 * arrow block and matrices of a batch, maps of two ports, rows of a group, a product, rows of a batch. */
typedef enum scratch_kind {
    SCRATCH_BODY,
    SCRATCH_ROOM,
    SCRATCH_ARROW,
    SCRATCH_BLOCK,
    SCRATCH_MAP,
    SCRATCH_G,
    SCRATCH_K,
    SCRATCH_PRODUCT,
    SCRATCH_ROWS,
    N_SCRATCH
} scratch_kind;

/* That of the calling thread (fast_workspace.c), beside ws->bodies.M, ws->bodies.room and ws->ports.map. */
typedef struct fast_scratch {
    size_t size[N_SCRATCH]; /* set by the parts that need it */
    double *arrow;          /* of one batch */
    double *block;          /* condensed matrices of one batch; NULL without condensation */
    double *G, *K;          /* of the rows of one group, dense */
    double *product;        /* PHX_PORT_MAX x the widest port's columns */
    double *rows;           /* of the projection for one batch; NULL without it */
} fast_scratch;

/* The threads of a step, and the sums that are not of one part of a loop only (fast_threads.c). */
enum { LATE_PORT = 1, LATE_BODY = 4 }; /* times 1 for port A of a joint, times 2 for port B */
typedef struct thread_use {
    phx_thread_pool *pool;                  /* NULL: the calling thread does everything */
    unsigned char *group;                   /* per group of rows: LATE_..., what it adds to after all parts are done */
    bool *port;                             /* per port: it adds to its body then */
    int n_groups, *groups, n_ports, *ports; /* those of which anything is late, ascending */
    int n_batches, *batches;                /* of joints */
    double *room;                           /* scratch of the parts from the second on */
    size_t stride;                          /* from part to part */
} thread_use;

/* Matrices of intervals of which only the rows are made anew (fast_linearise.c). */
typedef struct block_reuse {
    bool able; /* there is a body in a basis of modes, no force or controller; joints join two bodies or the ground */
    int left;  /* how many times more; 0: all is made anew */
    bool made; /* of the last matrix the rows alone are new */
    double h, t0; /* of the last interval with such a matrix */
} block_reuse;

typedef struct row_schur row_schur; /* solutions with the inverse of the velocity block kept (fast_schur.h) */

struct fast_data {
    port_use ports;
    row_groups rows;
    condensation *condensation; /* NULL: no body has internal coordinates */
    member_set members;
    body_batches bodies;
    joint_batches joints;
    unbatched_joints unbatched;
    thread_use threads;
    fast_scratch scratch;
    block_reuse reuse;
    row_schur *schur;       /* of matrices of which only the rows are made anew; NULL: they are factored as a whole */
    bool signals_set;       /* those of the rows are the means over the current interval */
    delassus *delassus;     /* NULL: the projection factors the sparse matrix */
    const kkt_matrix *into; /* the matrix that contributions go to: kkt, or the condensed one */
    phx_condensing condensing;
};

/* ---- the evaluator's operations (fast_rows.c, fast_couplings.c, fast_bodies.c, fast_linearise.c, fast_delassus.c)
 * ---- */
void phx_fast_view_ports(workspace *ws);
/* Views of the ports that are in no batch of joints. */
void phx_fast_view_rows(workspace *ws);
void phx_fast_rows(workspace *ws, double t, double h);
void phx_fast_row_residuals(workspace *ws, double t, const double *x, const double *v, double *e);
void phx_fast_rows_residual(workspace *ws, double t, double h, const double *lambda, double *res);
void phx_fast_viewed_end(workspace *ws, const double *x1);
void phx_fast_clear_efforts(workspace *ws);
void phx_fast_add_couplings(workspace *ws, const double *lambda);
void phx_fast_put_new_rows(workspace *ws); /* in val, which is otherwise that of an interval before */
void phx_fast_put_rows(workspace *ws, double *val);
void phx_fast_pair_add(workspace *ws, int pair, double alpha, const double *block);
void phx_fast_pair_rate_add(workspace *ws, int pair, double alpha, const double *block);
void phx_fast_body_add(workspace *ws, int b, int row, int dof, double value);
void phx_fast_interval_begin(workspace *ws);
phx_status phx_fast_interval_residual(workspace *ws, const double *v1, const double *lambda, double *res);
void phx_fast_kinetic_energies(const workspace *ws, const double *x, const double *v);
void phx_fast_component_energies(workspace *ws, const component_slot *component, const double *x, const double *v);
phx_status phx_fast_interval_linearise(workspace *ws);
phx_status phx_fast_factor(workspace *ws, int slot, double cj);
phx_status phx_fast_solve(workspace *ws, int slot, double *b);
phx_status phx_fast_factor_mass(workspace *ws, const double *x);
phx_status phx_fast_solve_mass(workspace *ws, double *b);
phx_status phx_fast_factor_rows(workspace *ws, const double *x, const double *v, bool *energies);
phx_status phx_fast_solve_rows(workspace *ws, double alpha, const double *r, double *b);
double phx_fast_least_pivot(workspace *ws, const double *x, const double *v);
phx_status phx_fast_set_threads(workspace *ws, int threads);
int phx_fast_threads(const workspace *ws);

void phx_fast_archive(phx_archive *archive, workspace *ws); /* fast_archive.c */

/* ---- the inverse of the velocity block kept (fast_schur.c) ---- */
/* *made stays NULL where clusters of velocities or the rows are many. PHX_ERR_MEMORY. */
phx_status phx_sys_schur_create(phx_context *context, const kkt_matrix *kkt, row_schur **made);
void phx_sys_schur_free(row_schur *schur);
/* Factors of the matrix in `slot`; rows_alone: its velocity block is that of the factors before. false: a pivot
 * vanishes, there are none. No allocation. */
bool phx_sys_schur_factor(row_schur *schur, int slot, bool rows_alone, const double *val);
void phx_sys_schur_solve(const row_schur *schur, int n_v, double *b);
void phx_sys_schur_archive(phx_archive *archive, row_schur *schur);

/* ---- projection (fast_delassus.c) ---- */
phx_status phx_sys_delassus_create(workspace *ws);
void phx_sys_delassus_free(workspace *ws);

/* ---- threads (fast_threads.c) ---- */
/* A factorisation on the pattern of a matrix, by the pool where there is one (fast_threads.c). */
phx_status phx_fast_create_lu(const workspace *ws, const kkt_matrix *kkt, bool complex_values, phx_lu **lu);

/* All that is made once for several threads. */
phx_status phx_sys_threads_create(phx_context *context, const phx_system *system, const row_set *rows,
                                  thread_use *made);
void phx_sys_threads_free(thread_use *threads);
/* The entries of the loops over joints and ports that are late, after another pool or other batches of joints. */
phx_status phx_sys_find_late(workspace *ws);
/* All parts of [0, count), by the pool where there is one; tasks that cannot fail. */
void phx_sys_run(const workspace *ws, int count, phx_thread_pool_task *task, void *user);
/* The workspace with the scratch of a part, in `room`. */
typedef struct fast_part {
    workspace ws;
    fast_data fast;
} fast_part;
workspace *phx_sys_part(const workspace *ws, int part, fast_part *room);
/* Kinetic energies of the members of a batch; then the sums of all members into ws->bodies.energy. */
void phx_sys_batch_energies(const workspace *ws, int batch, const double *x, const double *v);
void phx_sys_sum_energies(const workspace *ws);
/* The member that a port is on; -1: the ground. */
int phx_sys_member_of(const workspace *ws, phx_port_id id);
/* values <- 0 */
void phx_sys_clear(const workspace *ws, size_t count, double *values);

/* ---- batches ---- */
phx_status phx_sys_members_create(phx_context *context, const phx_system *system, member_set *made);
void phx_sys_members_free(member_set *members);
/* Of the members, which are told their batches, by the types of the condensation (NULL: none); with them what the
 * bodies of the workspace leave to the evaluator. `sizes`: of the scratch. */
phx_status phx_sys_batches_create(phx_context *context, const phx_system *system, const condensation *condensed,
                                  member_set *members, body_set *shared, body_batches *made, size_t *sizes);
void phx_sys_batches_free(const phx_system *system, body_set *shared, body_batches *batches);
/* Derivatives over the interval, of the bodies in a batch or of one in none, into val at the places `body_at`; those of
 * the elements of a rod, added to what its nodes have put there. */
void phx_sys_put_batch(workspace *ws, int p, int *const *body_at, double *val);
void phx_sys_add_rod(const workspace *ws, int k, int *const *body_at, double *val);
void phx_sys_put_body(workspace *ws, int b, int *const *body_at, double *val);
/* The type of a body for condensation, -1: it is not condensed. */
int phx_sys_condensed_type(const condensation *of, int b);

/* ---- batches of joints ---- */
/* Of the groups of rows between members of batches, with their places in both matrices. */
phx_status phx_sys_joint_batches_create(phx_context *context, const workspace *ws, joint_batches *joints,
                                        unbatched_joints *unbatched);
void phx_sys_joint_batches_free(joint_batches *joints, unbatched_joints *unbatched);
/* Of those in use at the views of the bodies at hand: residuals of their rows and what their efforts do at the bodies,
 * into res (n_v + n_l); what rates of rows read, at an instant; what they add to a linearisation; G and -G^T in place
 * of what is there. */
void phx_sys_joint_batches_residual(workspace *ws, const double *lambda, double *res);
void phx_sys_joint_batches_rates(workspace *ws, double *rates); /* at an instant, with the covectors */
void phx_sys_joint_batches_linearise(workspace *ws, const double *lambda);
void phx_sys_joint_batches_put(workspace *ws, double *val);
/* The bodies of a joint in a batch, -1: no joint is there; set what of it is late (LATE_BODY), and whether anything is.
 */
void phx_sys_joint_batch_bodies(const workspace *ws, int p, int lane, phx_body_id *bodies);
bool phx_sys_joint_batch_waits(workspace *ws, int p, int lane, int late);

/* ---- condensation ---- */
/* Which bodies, and the pattern, *made NULL: no body; then, over the batches, its arrays. */
phx_status phx_sys_condensation_create(phx_context *context, const pattern_source *of, condensation **made);
phx_status phx_sys_condensation_allocate(phx_context *context, const phx_system *system, const kkt_matrix *whole,
                                         const member_set *members, const body_batches *bodies, condensation *made,
                                         size_t *sizes);
void phx_sys_condensation_free(const phx_system *system, condensation *of);
/* The arrays of a slot's factorisation, at its first use. */
phx_status phx_sys_condensed_lu_create(workspace *ws, condensed_lu *out);
/* Whether the next interval is linearised condensed. */
bool phx_sys_condenses(const workspace *ws);
/* The arrow blocks of the condensed bodies, the tangents of the others, at the current interval. */
void phx_sys_condensed_bodies(workspace *ws);
/* Factor A(cj), which interval_linearise has summed, into a slot; solve with it, refined. */
phx_status phx_sys_condensed_factor(workspace *ws, int slot, double cj);
phx_status phx_sys_condensed_solve(workspace *ws, int slot, double *b);
/* The same of [M -G^T; G 0] at an instant; the ports' Jacobians and the rows are evaluated. */
phx_status phx_sys_condensed_factor_mass(workspace *ws, const double *x);
phx_status phx_sys_condensed_solve_mass(workspace *ws, double *b);

#endif
