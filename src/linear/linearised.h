/* Types and functions shared by the files on linearised mechanisms. */
#ifndef PHX_LINEARISED_H
#define PHX_LINEARISED_H

#include "internal.h"

struct phx_linearised {
    char *name;
    phx_linear linear;
    phx_channels channels;
    phx_reduced reduced;
    phx_feedback feedback; /* of the controllers; empty: there are none, or they are left out */
    char **coordinates;    /* names of xi */
    double *identity;      /* count x count, the reduced mass matrix */
    double *factor;        /* M = L L^T, n x n */
    bool sparse;           /* neither identity, factor nor reduced */
};

/* closed_loop.c: the continuous controllers around *ss, which is replaced; the actuation `opened` does not act, -1: all
 * do. */
phx_status phx_linearised_close(phx_context *context, const phx_linearised *linear, int opened, phx_ss **ss);
/* The measurements of the controllers over (q, q'), n_measures x 2 count, allocated. */
double *phx_linearised_measured(phx_context *context, const phx_linearised *linear);
/* Number of an input; -1: there is none of that name. */
int phx_channel_input(const phx_channels *channels, const char *name);
/* linearise.c: phx_linearised_ss with one actuation opened. */
phx_status phx_linearised_opened_ss(phx_context *context, const phx_linearised *linearised, int opened, phx_ss **ss);
/* PHX_ERR_UNSUPPORTED where there are controllers, for which there is no `what`. */
phx_status phx_linearised_refuse_feedback(phx_context *context, const phx_linearised *linear, const char *what);
/* linearise.c. PHX_ERR_UNSUPPORTED where `it` is for the descriptor form alone. */
phx_status phx_linearised_refuse_sparse(phx_context *context, const phx_linearised *linear);
/* PHX_ERR_INPUT: `output` has `factor` times the derivative of the rate `input`. */
phx_status phx_linearised_refuse_improper(phx_context *context, const char *output, const char *input, double factor);
/* linearised_ph.c. PHX_ERR_UNSUPPORTED where an input is an acceleration. */
phx_status phx_linearised_refuse_accelerations(phx_context *context, int n_inputs, const phx_channel_kind *kind,
                                               char *const *inputs);
/* linearised.c */
/* y (n x cols) = A x for a dense row-major x with cols columns. */
phx_status phx_csr_times_dense(phx_context *context, const phx_csr *a, int cols, const double *x, double **y);
/* A = (G; H), sparse */
phx_status phx_channels_stack(phx_context *context, const phx_channels *channels, phx_csr *A);
/* Fills `it`->reduced; linear, channels and factor stand. */
phx_status phx_linearised_reduce(phx_context *context, double rank_rtol, phx_linearised *linear);
/* PHX_ERR_INPUT where a motion that `it` shall prescribe depends on the constraints; sparse. */
phx_status phx_linearised_check_motions(phx_context *context, double rank_rtol, const phx_linearised *linear);

/* linearise.c */
/* A linearised mechanism from its matrices, all of which it takes over, also on failure; so it does the names of xi
 * (NULL: none). */
phx_status phx_linearised_of(phx_context *context, const char *name, phx_linear *linear, phx_channels *channels,
                             char **coordinates, double rank_rtol, phx_linearised **linearised);

#endif
