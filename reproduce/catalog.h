/* The list of items: what each is, where it is published, what computes it; private to this folder. */
#ifndef PHX_REPRODUCE_CATALOG_H
#define PHX_REPRODUCE_CATALOG_H

#include "item.h"

enum { PHX_CATALOG_NOTES = 4 };

typedef struct phx_catalog_row {
    phx_comparison_item head; /* without the text of the model */
    const char *where;        /* source and place in one line */
    phx_item_compute *compute;
    const char *notes[PHX_CATALOG_NOTES];
} phx_catalog_row;

extern const phx_catalog_row phx_catalog[];
extern const int phx_catalog_size;
extern const char *const phx_catalog_title;
/* Introduction, sources and what has no item. */
void phx_catalog_frame(phx_comparisons *page);

#endif
