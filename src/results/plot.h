/* What the pictures share; private to the layer results. */
#ifndef PHX_RESULTS_PLOT_H
#define PHX_RESULTS_PLOT_H

#include "csv.h"
#include <phlexor/results.h>

enum { PHX_PLOT_BLOCK = 1 << 15, PHX_PLOT_BUCKETS = 400 };

/* Columns over time, from an HDF5 result or a csv file. */
typedef struct phx_plot_source {
    phx_context *context;
    phx_result *result; /* NULL: csv */
    phx_csv csv;
    int n_columns;
    size_t rows;
} phx_plot_source;

phx_status phx_plot_source_open(phx_context *context, const char *path, phx_plot_source *source);
void phx_plot_source_close(phx_plot_source *source);
const char *phx_plot_source_name(const phx_plot_source *source, int column);
const char *phx_plot_source_unit(const phx_plot_source *source, int column); /* "": none or not known */
int phx_plot_source_find(const phx_plot_source *source, const char *name);
phx_status phx_plot_source_read(const phx_plot_source *source, int column, size_t first, size_t count, double *values);

/* "name of the model" and "integrator, rows, how it ended" of a result, or the path and the rows. */
void phx_plot_source_titles(const phx_plot_source *source, const char *path, char *title, char *subtitle, size_t size);

#endif
