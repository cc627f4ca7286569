/* The table of a comparison; private to the layer results. */
#ifndef PHX_RESULTS_COMPARE_H
#define PHX_RESULTS_COMPARE_H

#include "timeline.h"
#include "results/store/output.h"

/* A row: an output of another file against that of the reference. */
typedef struct phx_compared {
    int file; /* of the others */
    const char *name, *unit;
    double range; /* of the reference: its largest less its least value */
    phx_norms norms;
    double tolerance; /* in the unit; NAN: none */
    bool above;
} phx_compared;

typedef struct phx_comparison {
    const char *path; /* of the reference */
    phx_plot_source source;
    phx_plot_others others;
    phx_selection selection; /* of columns of the reference */
    int count;
    phx_compared *rows;
} phx_comparison;

/* A difference in parts of the range; NAN: there is no range. */
double phx_compared_share(const phx_compared *row, double difference);
/* "text", "csv" or "json"; a failure sticks to the output. */
void phx_comparison_put(const phx_comparison *comparison, const char *format, phx_output *out);

#endif
