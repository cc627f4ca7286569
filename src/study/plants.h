/* The plants of a sweep; shared by the files that make, store and print them. */
#ifndef PHLEXOR_STUDY_PLANTS_H
#define PHLEXOR_STUDY_PLANTS_H

#include "internal.h"

struct phx_plants {
    phx_linear_form form;
    int n_points, n_parameters, nominal;
    char *title;
    char **parameters;                /* names */
    int *counts;                      /* values of each */
    double *values;                   /* n_points x n_parameters */
    phx_plant *plants;                /* n_points */
    phx_descriptor **descriptors;     /* n_points, of the descriptor form; else NULL */
    phx_measured *measured;           /* the same */
    phx_reduction_report *reductions; /* n_points, of reduced plants; else NULL */
    phx_lft *lft;                     /* NULL: none */
    phx_bundle *bundle;
};

/* The nominal plant before its coordinates are those of all. */
typedef struct phx_nominal_plant {
    phx_linear_point point;
    phx_reduction *reduction; /* NULL: not reduced */
    phx_plant_coordinates *coordinates;
} phx_nominal_plant;

/* plants_lft.c: the LFT, what a file has of it, and for reading. */
phx_status phx_plants_fit(phx_context *context, const phx_lft_options *options, phx_plants *plants);
phx_status phx_plants_put_lft(phx_context *context, const phx_plants *plants);
void phx_plants_print_lft(const phx_plants *plants, FILE *stream);

/* plants_bundle.c: the content of a file. */
phx_status phx_plants_fill(phx_context *context, const phx_model *model, const phx_nominal_plant *nominal,
                           phx_plants *plants);

#endif
