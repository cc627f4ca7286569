/* Columns of a result that belong in one diagram; private to the layer results. */
#ifndef PHX_RESULTS_COLUMN_GROUPS_H
#define PHX_RESULTS_COLUMN_GROUPS_H

#include "results/plot/plot.h"

enum { PHX_GROUP_COLUMNS = 9, PHX_GROUP_TITLE = 512 };

typedef struct phx_column_group {
    int next; /* where the search goes on; 0 at first */
    char title[PHX_GROUP_TITLE];
    const char *unit; /* of all columns; "": they differ, or have none */
    bool logarithmic;
    bool work; /* supplied and dissipated work, which mechanisms left alone have none of */
    int count;
    int columns[PHX_GROUP_COLUMNS];
    const char *labels[PHX_GROUP_COLUMNS];
} phx_column_group;

/* Whether a column is one that every simulation has, behind the time. */
bool phx_column_is_fixed(const char *name);
/* The next group: one for each output, whose components stand together, then energies, work, residual and drift, as far
 * as the result has them. False behind the last. Start with a group of zeros. */
bool phx_column_group_next(const phx_plot_source *source, phx_column_group *group);

#endif
