/* Phlexor, layer ranks: processes that mpirun has started to work together.
 *
 * A program that is run as `mpirun -n 4 program` opens them once, hands them to the functions that can use them, and
 * closes them at its end. Every process calls the same functions with the same arguments. */
#ifndef PHLEXOR_RANKS_H
#define PHLEXOR_RANKS_H

#include <phlexor/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How equations whose rows are distributed over processes are solved. */
typedef enum phx_ranks_method {
    PHX_RANKS_MUMPS, /* factors by MUMPS, modes by the Krylov-Schur method of SLEPc */
    PHX_RANKS_GAMG   /* no factors: conjugate gradients and LOBPCG with the algebraic multigrid of PETSc (GAMG) */
} phx_ranks_method;

/* The processes of a run. */
typedef struct phx_ranks phx_ranks;
/* Loads MPI and starts it; not twice in a process. PHX_ERR_UNSUPPORTED: Phlexor was built without MPI, or the module is
 * not where it was installed. */
phx_status phx_ranks_open(phx_context *context, phx_ranks **ranks);
/* To be called by all processes; NULL is allowed. */
void phx_ranks_close(phx_ranks *ranks);
int phx_ranks_rank(const phx_ranks *ranks); /* 0 .. size - 1; NULL: 0 */
int phx_ranks_size(const phx_ranks *ranks); /* NULL: 1 */
/* The end of the common work. Each process says whether it has failed: true for the one that is to report it, the
 * lowest of those that have. When some processes do not come within two seconds because they wait for the one that has
 * failed in the middle of something, it is true there too, and phx_ranks_abort must follow. */
bool phx_ranks_reports(phx_ranks *ranks, bool failed, bool *abort);
/* Ends all processes at once. */
void phx_ranks_abort(phx_ranks *ranks, int status);

#ifdef __cplusplus
}
#endif
#endif
