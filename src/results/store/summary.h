/* A simulation in short, as json; private to the layer results. */
#ifndef PHX_RESULTS_SUMMARY_H
#define PHX_RESULTS_SUMMARY_H

#include "output.h"

#include "results/results.h"

phx_status phx_summary_put(phx_context *context, const phx_result *result, phx_output *out);

#endif
