/* Phlexor, layer model, private: texts for messages, names by index. */
#ifndef PHLEXOR_MODEL_WORDS_H
#define PHLEXOR_MODEL_WORDS_H

#include "tree.h"

/* A node in words, for "found ...": 'text', nothing, a list of 3, a map. */
phx_shown phx_shown_node(const phx_node *node);

const char *phx_article(const char *noun); /* "a" or "an" */

/* Items of an array by name; each item begins with its name (const char *). */
typedef struct phx_names {
    int count;
    const struct phx_names_entry *entries; /* in the arena, ascending */
} phx_names;
phx_status phx_names_build(phx_context *context, phx_arena *arena, const void *items, size_t size, int count,
                           phx_names *names);
int phx_names_find(const phx_names *names, const char *name); /* index of the item, -1: none */
void phx_names_offer(const phx_names *names, phx_nearest *nearest);

/* The number of parameters that a name stands for, from *first on: 1 for a parameter, the count of its entries for a
 * list, 0 (with *first = -1) for an unknown name. Entries h[1], h[2], ... of a list h follow one another. */
int phx_names_range(const phx_names *names, const char *name, int *first);
/* "; the indices of the list 'h' are 1 to 200" for h or h[201], "; 'a' is not a list, leave out the index" for a[1],
 * else "". */
phx_shown phx_names_index_hint(const phx_names *names, const char *name);
/* That hint, or the nearest name of a parameter: the end of a message on an unknown one. */
phx_shown phx_names_hint(const phx_names *names, const char *name);

/* Words of the enums as the file writes them, "" outside the range. */
const char *phx_model_quantity_name(phx_quantity quantity);

#endif
