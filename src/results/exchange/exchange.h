/* Exchange files: the writers of each format; private to the layer results. */
#ifndef PHX_RESULTS_EXCHANGE_H
#define PHX_RESULTS_EXCHANGE_H

#include "results/store/output.h"
#include "results/results.h"

/* Write to a file of this name, which gets its own name later. */
phx_status phx_exchange_put_mat(phx_context *context, const char *path, const phx_bundle *bundle);
phx_status phx_exchange_put_h5(phx_context *context, const char *path, const phx_bundle *bundle);
void phx_exchange_put_json(phx_output *output, const phx_bundle *bundle);
/* The value of one item. */
void phx_exchange_put_json_item(phx_output *output, const phx_bundle_item *item);
/* A folder of that name, under its own name. */
phx_status phx_exchange_put_mtx(phx_context *context, const char *path, const phx_bundle *bundle);

/* List those files with the context as files that are read (phx_files_read). */
phx_status phx_bundle_protect(phx_context *context, const phx_bundle *bundle);

/* A simulation: each column as a matrix rows x 1 whose name is the column's with '_' for what a name cannot have, a
 * number behind where two would be the same; names `columns`, `units`, `variables` (what the columns are called in the
 * bundle); `states_x`, `states_v`; `ledger` (names), `ledger_dissipates`, `ledger_values` (rows x entries), where there
 * is one; bodies with `kinds`, `x_start` ... (from 0); attributes as info_NAME; `model`. */
phx_status phx_bundle_add_result(phx_context *context, phx_bundle *bundle, const phx_result *result);

/* A table of modes: `parameters`, `values` (points x parameters), `rigid_modes`, `spin`; columns `point` (from 1),
 * `mode`, `branch`, `omega`, `frequency`, `damping`; `coordinates`, `shapes` (rows x coordinates, complex where they
 * are); `title`, `model`. What the table has not is not there. */
phx_status phx_bundle_add_modes(phx_context *context, phx_bundle *bundle, const phx_modes_table *table);

#endif
