/* Phlexor, layer ranks, private: what the modules phlexor-mpi.so and phlexor-petsc.so offer. They are opened when they
 * are asked for, so that nobody else loads MPI or PETSc; they call nothing of Phlexor. All functions are collective
 * unless they say otherwise. Those that return a text have failed unless it is NULL; the text is valid until the next
 * call. */
#ifndef PHLEXOR_RANKS_MODULE_H
#define PHLEXOR_RANKS_MODULE_H

#include <stdbool.h>
#include <stddef.h>

enum { PHX_MODULE_VERSION = 2 };

typedef struct phx_mpi_module {
    int version;
    const char *(*start)(int *rank, int *size);
    void (*finish)(void);
    void (*abort)(int status); /* ends all processes; not collective; does not return */
    void (*sum)(size_t count, double *values);
    void (*most)(size_t count, double *values);
    void (*share)(int from, size_t bytes, void *data);
    void (*gather)(size_t count, const double *mine, const int *counts, double *all);
    int (*meet)(bool failed, double patience);
    /* Between rank 0 and another one, from any thread; not collective. */
    void (*send)(int to, int tag, size_t bytes, const void *data);
    void (*receive)(int from, int tag, size_t bytes, void *data);
} phx_mpi_module;

typedef const char *phx_module_operator(void *user, const double *x, double *y);

/* The equations of some rows and columns of a matrix. Vectors have a number for each of them that this process has. */
typedef struct phx_petsc_equations {
    void *matrix;
    int n;              /* of this process */
    const int *kept;    /* n: rows of this process that are solved for, from 0, ascending */
    bool multigrid;     /* conjugate gradients with multigrid; else factors by MUMPS */
    int block;          /* unknowns of a node, one after the other; 1: nothing is known */
    int n_near;         /* motions that cost little energy, for the multigrid */
    const double *near; /* n_near x n */
    /* For the multigrid, of quadratic elements, else none: of the n those at corners, ascending, and the rows of all of
     * them by these, columns counted over all processes. */
    int n_corners;
    const int *corner, *ptr, *idx; /* n_corners; n + 1; ... */
    const double *val;
    int n_null;         /* vectors that the matrix takes to zero */
    const double *null; /* n_null x n, orthonormal */
} phx_petsc_equations;

typedef struct phx_petsc_module {
    int version;
    const char *(*start)(void);
    void (*finish)(void);
    const char *(*partition)(int rows, const int *ptr, const int *idx, int *part);
    const char *(*matrix)(int rows, int block, const int *ptr, const int *idx, const double *val, void **matrix);
    void (*matrix_destroy)(void *matrix);
    const char *(*multiply)(void *matrix, const double *x, double *y);
    const char *(*solver)(const phx_petsc_equations *equations, void **solver);
    void (*solver_destroy)(void *solver);
    const char *(*solve)(void *solver, const double *load, double *x);
    const char *(*nearest)(int n, int count, phx_module_operator *apply, phx_module_operator *mass, void *user,
                           double tolerance, double *values, double *vectors);
    const char *(*lowest)(void *solver, int count, void *mass, int n_rigid, const double *rigid, double tolerance,
                          double *values, double *vectors, int *steps);
} phx_petsc_module;

typedef const phx_mpi_module *phx_mpi_module_fn(void);
typedef const phx_petsc_module *phx_petsc_module_fn(void);

#endif
