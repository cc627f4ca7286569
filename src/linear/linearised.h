/* Types and functions shared by the files on linearised mechanisms. */
#ifndef PHX_LINEARISED_H
#define PHX_LINEARISED_H

#include "internal.h"

struct phx_linearised {
    char *name;
    phx_linear linear;
    phx_channels channels;
    phx_reduced reduced;
    char **coordinates; /* names of xi */
    double *identity;   /* count x count, the reduced mass matrix */
    double *factor;     /* M = L L^T, n x n */
    double rigid_unrest, free_unrest;
};

/* linearised.c */
/* y (n x cols) = A x for a dense row-major x with cols columns. */
phx_status phx_csr_times_dense(phx_context *context, const phx_csr *a, int cols, const double *x, double **y);
/* Fills `it`->reduced; linear, channels and factor stand. */
phx_status phx_linearised_reduce(phx_context *context, double rank_rtol, phx_linearised *it);

/* linearise.c */
/* A linearised mechanism from its matrices, all of which it takes over, also on failure; so it does the names of xi
 * (NULL: none). */
phx_status phx_linearised_of(phx_context *context, const char *name, phx_linear *linear, phx_channels *channels,
                             char **coordinates, double rank_rtol, phx_linearised **linearised);

#endif
