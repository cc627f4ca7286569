/* The struct of an open result; private to the layer results. */
#ifndef PHX_RESULTS_RESULT_H
#define PHX_RESULTS_RESULT_H

#include "layout.h"

/* Owns everything it points to. The rows are in the file or, without one, in memory. */
struct phx_result {
    phx_context *context;
    phx_h5 *file;
    double *memory; /* rows x width: columns, x, v */
    size_t width;
    phx_layout layout;
    size_t rows;
    int n_attributes;
    phx_attribute *attributes; /* in the order of their names */
    char *model_text;
};

/* The file of a result, NULL for one in memory. */
const char *phx_result_path(const phx_result *result);

#endif
