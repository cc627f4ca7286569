/* Candidates for a place of the command line, from the program's own names and from the file on the command line. */
#ifndef PHLEXOR_OFFERS_H
#define PHLEXOR_OFFERS_H

#include "cli.h"

/* A place of the command line. */
typedef struct place {
    phx_context *context;
    const cli_command *command;
    const char *path;   /* the first argument that is no option; NULL: not there yet */
    const char *body;   /* of --body; NULL: not there */
    const char *before; /* what stays of the word: "--set=", "a,b,"; before_length characters of it */
    int before_length;
    const char *typed; /* what candidates begin with */
} place;

typedef void offer_fn(const place *at);

/* Offer one word, when it fits; `tail` comes behind it. */
void offer(const place *at, const char *word, const char *tail, const char *doc);

offer_fn offer_parameters, offer_parameter_names, offer_bodies, offer_ports, offer_points; /* of a model */
offer_fn offer_model_inputs, offer_model_outputs;                                          /* channels of a model */
offer_fn offer_body_inputs, offer_body_outputs, offer_body_channels; /* of the linear model of --body */
offer_fn offer_inputs, offer_outputs;                                /* of a linear model in a file */
offer_fn offer_columns, offer_matrices;                              /* of a result, of a linear model in a file */
offer_fn offer_integrators, offer_reproductions, offer_kinds;

#endif
