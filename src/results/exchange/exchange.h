/* Exchange files: the writers of each format; private to the layer results. */
#ifndef PHX_RESULTS_EXCHANGE_H
#define PHX_RESULTS_EXCHANGE_H

#include "results/store/output.h"
#include <phlexor/results.h>

/* Write to a file of this name, which gets its own name later. */
phx_status phx_exchange_put_mat(phx_context *context, const char *path, const phx_bundle *bundle);
phx_status phx_exchange_put_h5(phx_context *context, const char *path, const phx_bundle *bundle);
void phx_exchange_put_json(phx_output *output, const phx_bundle *bundle);
/* The value of one item. */
void phx_exchange_put_json_item(phx_output *output, const phx_bundle_item *item);
/* A folder of that name, under its own name. */
phx_status phx_exchange_put_mtx(phx_context *context, const char *path, const phx_bundle *bundle);

#endif
