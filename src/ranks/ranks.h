/* Phlexor, layer ranks: processes that mpirun has started to work together, and matrices whose rows are distributed
 * over them. MPI and PETSc are loaded when they are asked for.
 *
 * Every process runs the same program with the same arguments; what is called collective is called by all of them, in
 * the same order. NULL for `ranks` is this process alone everywhere. */
#ifndef PHLEXOR_RANKS_RANKS_H
#define PHLEXOR_RANKS_RANKS_H

#include <phlexor/ranks.h>

#include "algebra/algebra.h"

/* ---- messages: collective, none fails (MPI ends the processes) ---- */
/* <- the sum over all processes, the same numbers on each of them. */
void phx_ranks_sum(const phx_ranks *ranks, size_t count, double *values);
/* <- the largest over all processes. */
void phx_ranks_most(const phx_ranks *ranks, size_t count, double *values);
/* <- what the rank `from` has. */
void phx_ranks_share(const phx_ranks *ranks, int from, size_t bytes, void *data);
/* To rank 0, one process after the other: `counts` numbers of each; all: NULL elsewhere. */
void phx_ranks_gather(const phx_ranks *ranks, int count, const double *mine, const int *counts, double *all);
/* Between rank 0 and another process, from any thread; not collective. `tag` says which thread of rank 0 it is. */
void phx_ranks_send(const phx_ranks *ranks, int to, int tag, size_t bytes, const void *data);
void phx_ranks_receive(const phx_ranks *ranks, int from, int tag, size_t bytes, void *data);
/* PHX_OK when all processes have it; else each that has it gets status and message of the lowest rank that has not. */
phx_status phx_ranks_agree(phx_context *context, const phx_ranks *ranks, phx_status status);

/* ---- what is cut into parts ---- */
/* The part (0 .. size - 1) of each of n vertices of a graph, so that few of its edges are cut and the parts are of one
 * size. The pattern is symmetric, all of it on each process; values do not count. PHX_ERR_ARGUMENT: a part would be
 * empty. */
phx_status phx_ranks_partition(phx_context *context, const phx_ranks *ranks, const phx_csr *graph, int *part);

/* ---- distributed matrices (PETSc) ---- */
/* Square; the rows of rank 0 first. */
typedef struct phx_ranks_matrix phx_ranks_matrix;
/* `rows` of this process, columns of all. The rows may be freed afterwards. block: unknowns of a node, one after the
 * other, on all processes; 1: not known. */
phx_status phx_ranks_matrix_create(phx_context *context, const phx_ranks *ranks, const phx_csr *rows, int block,
                                   phx_ranks_matrix **matrix);
void phx_ranks_matrix_destroy(phx_ranks_matrix *matrix); /* NULL is allowed */
/* y <- A x: numbers of this process. */
phx_status phx_ranks_matrix_apply(phx_ranks_matrix *matrix, const double *x, double *y);

/* How equations are solved; at first by MUMPS. */
void phx_ranks_set_method(phx_ranks *ranks, phx_ranks_method method);
phx_ranks_method phx_ranks_get_method(const phx_ranks *ranks);

typedef struct phx_ranks_solver phx_ranks_solver;
typedef struct phx_ranks_equations {
    phx_ranks_matrix *matrix;
    int n;              /* of the rows of this process those that are solved for */
    const int *kept;    /* n: from 0, ascending */
    int block;          /* unknowns of a node, one after the other; 1: not known */
    int n_near;         /* motions that cost little energy */
    const double *near; /* n_near x n */
    /* Multigrid over the corners of quadratic elements: of the n those at corners, ascending, and all n by those of all
     * processes, in the order of the ranks; 0, NULL: by aggregation alone. */
    int n_corners;
    const int *corner;
    const phx_csr *from_corners; /* n x corners of all */
    int n_null;                  /* those that cost none, orthonormal; loads must not do work on them */
    const double *null;          /* n_null x n */
} phx_ranks_equations;
/* Symmetric and positive definite but for the null space, which MUMPS does not allow. */
phx_status phx_ranks_solver_create(phx_context *context, const phx_ranks *ranks, const phx_ranks_equations *equations,
                                   phx_ranks_solver **solver);
void phx_ranks_solver_destroy(phx_ranks_solver *solver); /* NULL is allowed */
/* x <- A^-1 load; may be the same. */
phx_status phx_ranks_solver_solve(phx_ranks_solver *solver, const double *load, double *x);

/* phx_eigen_shift_invert about 0 on vectors that are distributed, n numbers of this process, by SLEPc's Krylov-Schur
 * method. */
phx_status phx_ranks_eigen(phx_context *context, const phx_ranks *ranks, int n, int count, phx_operator_fn *solve,
                           phx_operator_fn *multiply, void *user, double tolerance, double *values, double *vectors);
/* The same of the solver's matrix and of `mass`, rows and columns as the solver's, by LOBPCG, preconditioned by one
 * cycle of the solver's multigrid, beside the vectors `rigid` (n_rigid x n, orthonormal in the mass). tolerance: error
 * of the vectors in energy, relative. steps: of LOBPCG. */
phx_status phx_ranks_eigen_multigrid(phx_ranks_solver *solver, int count, const phx_ranks_matrix *mass, int n_rigid,
                                     const double *rigid, double tolerance, double *values, double *vectors,
                                     int *steps);

/* Processes of a common start by mpirun or srun, from the environment: 1 when there is none. Loads nothing. */
int phx_ranks_started(void);

#endif
