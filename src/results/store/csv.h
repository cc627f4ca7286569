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
 * out, and so is a last column "message" of texts, with the rows of points that failed. */
phx_status phx_csv_read(phx_context *context, const char *path, phx_csv *csv);
void phx_csv_free(phx_csv *csv);
int phx_csv_find(const phx_csv *csv, const char *name); /* -1: there is none */
void phx_csv_drop(phx_csv *csv, int column);

/* The text of a whole file with a zero behind it; free with phx_free. It is not listed as read (phx_files_read).
 * PHX_ERR_FILE when it cannot be read or is no text. */
phx_status phx_csv_load(phx_context *context, const char *path, char **text);
/* A finite number with a point, whatever the locale; false: `text` is something else. */
bool phx_csv_number(const char *text, double *value);

#endif
