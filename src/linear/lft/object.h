/* The parts of a linear fractional transformation. */
#ifndef PHX_LFT_OBJECT_H
#define PHX_LFT_OBJECT_H

#include "lft.h"

struct phx_lft {
    int n, r; /* parameters, size of Delta */
    char **parameters;
    int *sizes, *degrees;  /* n */
    double *centre, *half; /* n: value = centre + half delta */
    phx_ss *system;
    phx_lft_report report;
};

/* Scales of the channels of the plants: their entries times these are about 1. */
typedef struct phx_lft_channels {
    const double *outputs, *inputs;
    const double *band; /* rad/s: of the responses; both 0: all */
} phx_lft_channels;
/* response.c: the errors of the frequency responses of `lft`, into its report. `place` is the parameter of the family
 * for each of the LFT. */
phx_status phx_lft_compare(phx_context *context, const phx_plant_family *family, const int *place,
                           const phx_lft_channels *channels, phx_lft *lft);

#endif
