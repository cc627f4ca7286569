/* The tables and figures of the papers behind Phlexor, recomputed beside what is published; a part of the program.
 *
 * The models, the published values and the values of independent programs are compiled in. */
#ifndef PHX_REPRODUCE_H
#define PHX_REPRODUCE_H

#include "study/study.h"

/* The items, in the order of the page. */
int phx_reproduce_items(void);
/* Name ("table-7"), title ("Beam pinned at both ends") and place ("Chebbi et al. 2017, Table 7") of an item; k must be
 * in range. Static. */
const char *phx_reproduce_name(int k);
const char *phx_reproduce_title(int k);
const char *phx_reproduce_place(int k);
/* Index of a name. PHX_ERR_INPUT with the nearest when there is none. */
phx_status phx_reproduce_find(phx_context *context, const char *name, int *k);

/* The table of published values as csv (reproduce/published.csv, which says what its columns mean). Static. */
const char *phx_reproduce_published(void);

/* The part of the page that is made, and the values it is compared with. */
typedef struct phx_reproduce_options {
    int n_only;
    const char *const *only; /* names of items; NULL: all. The order of the page stays */
    const char *published;   /* another table of published values; NULL: the one compiled in */
} phx_reproduce_options;
/* All items, the table that is compiled in. */
phx_reproduce_options phx_reproduce_options_default(void);

/* Compute the items. Always makes the page when it returns PHX_OK; phx_comparisons_verdict tells what came out. An item
 * that cannot be computed fails on the page, with the message; a published value that its item does not compute fails
 * it too. Errors: PHX_ERR_INPUT for names (with the nearest) and for a table that cannot be read (names the line),
 * PHX_INTERRUPTED, PHX_ERR_MEMORY. */
phx_status phx_reproduce(phx_context *context, const phx_reproduce_options *options, phx_comparisons **page);

#endif
