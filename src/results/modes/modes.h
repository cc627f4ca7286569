/* Tables of modes: the writers of each format; private to the layer results. The table has been checked. */
#ifndef PHX_RESULTS_MODES_H
#define PHX_RESULTS_MODES_H

#include "results/store/output.h"
#include "results/results.h"

/* How many rates the bodies of a table can have: as many as there are coordinates; without shapes any number. */
int phx_modes_rates(const phx_modes_table *table);

/* List the files that a table was made of with the context (phx_files_read). */
phx_status phx_modes_protect(phx_context *context, const phx_modes_table *table);

void phx_modes_put_text(phx_output *output, const phx_modes_table *table);
void phx_modes_put_csv(phx_output *output, const phx_modes_table *table);
void phx_modes_put_json(phx_output *output, const phx_modes_table *table);
/* As a table with a column for each parameter, then mode, branch, omega, frequency, damping. */
phx_status phx_modes_write_styled(phx_context *context, const phx_modes_table *table, const phx_table_style *style,
                                  const char *path);
/* Name and state of the file as for every result. */
phx_status phx_modes_write_h5(phx_context *context, const phx_modes_table *table, const char *path);
phx_status phx_modes_read_h5(phx_context *context, const char *path, phx_modes_table *table);
phx_status phx_modes_read_csv(phx_context *context, const char *path, phx_modes_table *table);

#endif
