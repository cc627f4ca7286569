/* Reading csv files that Phlexor wrote; private to the layer results. */
#ifndef PHX_RESULTS_CSV_H
#define PHX_RESULTS_CSV_H

#include "base/base.h"

/* Named columns of finite numbers. */
typedef struct phx_csv {
    int n_columns;
    char **names;
    size_t n_rows;
    double *values; /* n_rows x n_columns */
} phx_csv;

/* PHX_ERR_FILE with "path:line" where a line is wrong. A last line without its end (of a run that was killed) is left
 * out. */
phx_status phx_csv_read(phx_context *context, const char *path, phx_csv *csv);
void phx_csv_free(phx_csv *csv);
int phx_csv_find(const phx_csv *csv, const char *name); /* -1: there is none */

#endif
