/* The data of pages of comparisons; private to the layer results. */
#ifndef PHX_RESULTS_COMPARISON_H
#define PHX_RESULTS_COMPARISON_H

#include "results/plot/chart.h"

#include "results/results.h"

typedef struct phx_page_item {
    phx_comparison_item head; /* owned, as all texts below */
    int n_rows;
    phx_comparison_row *rows;
    int n_notes;
    char **notes;
    int n_figures;
    phx_chart *figures; /* one panel each */
    char *failure;      /* NULL: it was computed */
    double seconds;
} phx_page_item;

typedef struct phx_page_source {
    char *key, *citation, *url;
} phx_page_source;

typedef struct phx_page_missing {
    char *source, *place, *why;
} phx_page_missing;

struct phx_comparisons {
    phx_context *context;
    phx_status status;
    char *title, *introduction;
    int n_sources;
    phx_page_source *sources;
    int n_missing;
    phx_page_missing *missing;
    int n_items;
    phx_page_item *items;
};

/* Number of a source, from 1; 0 when there is none of that key. */
int phx_page_source_number(const phx_comparisons *page, const char *key);
/* |value - that of the standard| */
double phx_standard_distance(const phx_standard *standard, double value);
/* The page as html. */
void phx_page_put_html(phx_output *out, const phx_comparisons *page);

/* A value that is not a number fails. */
phx_verdict phx_comparison_judge(const phx_comparison_row *row);

/* Rows of an item. */
int phx_comparisons_rows(const phx_comparisons *page, int item);

#endif
