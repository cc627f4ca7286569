/* Private to layer control: the kinds of controllers behind one table of operations. */
#ifndef PHX_CONTROL_BLOCK_H
#define PHX_CONTROL_BLOCK_H

#include "algebra/algebra.h"
#include "control/control.h"

/* A kind. e are the measurements less their references; u comes without limits, S is set only where asked for. */
typedef struct phx_block_ops {
    const char *name;
    /* Checks and completes the block: n, initial, own matrices. `end` (may be NULL) frees what only this kind has. */
    phx_status (*begin)(phx_context *context, const phx_controller_def *def, phx_block *block);
    void (*end)(phx_block *block);
    /* Over an interval of length h, or (h = 0) at an instant; z1 may be NULL then. `f`: the feed-forward. */
    phx_status (*interval)(const phx_block *block, phx_context *context, double t, double h, const double *z0,
                           const double *e, const double *f, double *room, phx_block_result *result);
    /* u of a sample and the step of z to the next; NULL: cannot be sampled. */
    phx_status (*sample)(const phx_block *block, phx_context *context, double t, double *z, const double *e,
                         const double *f, double *room, double *u);
    /* About z, e of a sample: z+ = A z + B e, u = C z + D e without limits, zeros before; `limited`: an output is
     * beyond one, which the states may follow. NULL: the linear model is unknown. */
    void (*discrete)(const phx_block *block, double t, const double *e, bool limited, double *room, double *A,
                     double *B, double *C, double *D);
    /* z' = A z + B e about z, e; NULL: no states. */
    void (*rates)(const phx_block *block, const double *f, const double *z, const double *e, double *A, double *B);
    /* z' at an instant; NULL: no states. */
    void (*flow)(const phx_block *block, const double *f, const double *z, const double *e, double *z_dot);
    /* Energy of the states; NULL: there is none. */
    double (*energy)(const phx_block *block, const double *z);
    size_t (*room)(const phx_block *block); /* NULL: none */
    bool limits;                            /* may have limits */
    bool hidden;                            /* its states mean nothing to others */
} phx_block_ops;

struct phx_block {
    const phx_block_ops *ops;
    phx_controller_def def; /* numbers; names and matrices that were borrowed are NULL */
    char *name;
    int n, n_inputs, n_outputs;
    phx_signal **reference, **feedforward; /* entries may be NULL */
    double *lower, *upper, *initial;       /* NULL: no limits */
    const signed char *side;               /* phx_block_hold_sides; NULL: not held */
    double *A, *B, *C, *D;                 /* linear kinds */
    double *storage;                       /* n x n: Q^T E; NULL: stores nothing */
    double *loss;                          /* (n + inputs) square: [Q^T R Q  Q^T P; P^T Q  S] */
    struct phx_history *history;           /* external: its samples so far */
};

/* One row for each kind: linear_block.c, pid_block.c, function_block.c, external_block.c */
extern const phx_block_ops phx_block_pid, phx_block_state_space, phx_block_port_hamiltonian, phx_block_function,
    phx_block_external;

/* By their kind. */
extern const phx_block_ops *const phx_block_kinds[PHX_CONTROLLER_KINDS];

/* u within the limits of output k; `inside` (may be NULL): whether it was. */
double phx_block_limited(const phx_block *block, int k, double u, bool *inside);
/* A copy of `count` numbers, zeros where `from` is NULL; NULL without memory. */
double *phx_block_copy(phx_context *context, size_t count, const double *from);
/* PHX_ERR_ARGUMENT for a number that is not finite. */
phx_status phx_block_check_finite(phx_context *context, const char *block, const char *what, size_t count,
                                  const double *values);

#endif
