/* Phlexor, layer ranks, private. */
#ifndef PHLEXOR_RANKS_INTERNAL_H
#define PHLEXOR_RANKS_INTERNAL_H

#include "module.h"
#include "ranks.h"

struct phx_ranks {
    int rank, size;
    phx_ranks_method method;
    const phx_mpi_module *mpi;
    const phx_petsc_module *petsc; /* NULL: not loaded yet */
};

/* The function `name` of a module; `needs` says what it is built with. */
phx_status ranks_load(phx_context *context, const char *file, const char *name, const char *needs, void *function);
/* Loads PETSc, once. */
phx_status ranks_need_petsc(phx_context *context, const phx_ranks *ranks);

#endif
