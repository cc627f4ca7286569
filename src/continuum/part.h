/* Phlexor, layer continuum, private: the unknowns of a body distributed over processes. */
#ifndef PHLEXOR_CONTINUUM_PART_H
#define PHLEXOR_CONTINUUM_PART_H

#include "continuum.h"
#include "ranks/ranks.h"

/* Those of this process. All processes have the mesh, the meaning of the unknowns and the rigid motions of the whole
 * model; matrices and bases they have by rows. The elements are cut into parts, and all unknowns of a node are in the
 * part of one of its elements. */
typedef struct elastic_part {
    const phx_elastic_model *model;
    const phx_ranks *ranks; /* NULL: one process, which has everything */
    int first, end;         /* its unknowns are number first .. end - 1, those of rank 0 before those of rank 1 ... */
    int *order;             /* model->n: the unknown of each number; NULL: itself */
    int *counts;            /* per process: its unknowns; NULL: one process */
    phx_elastic_model own;  /* the model with its unknowns alone: n, node, component, rigid; the rest is borrowed */
    phx_ranks_matrix *M;    /* mass of all unknowns in this order; NULL: own.M */
} elastic_part;
phx_status elastic_part_create(phx_context *context, const phx_elastic_model *model, elastic_part *part);
void elastic_part_free(elastic_part *part);
/* The mass of all unknowns, for what follows. */
phx_status elastic_part_assemble(phx_context *context, elastic_part *part);
/* Y <- M X: rows of own.n numbers. */
phx_status elastic_part_mass(const elastic_part *part, int rows, const double *x, double *y);
/* X (rows x own.n) of all processes to rank 0 as the model has its unknowns: *all rows x model->n; elsewhere NULL. X is
 * freed. */
phx_status elastic_part_gather(phx_context *context, const elastic_part *part, int rows, double *x, double **all);

static inline int elastic_part_unknown(const elastic_part *part, int number)
{
    return part->order ? part->order[number] : number;
}

#endif
