/* Phlexor, layer model, private: texts for messages, the nearest word, names by index. */
#ifndef PHLEXOR_MODEL_WORDS_H
#define PHLEXOR_MODEL_WORDS_H

#include "tree.h"

/* A text in single quotes for a message: one line, control characters as '?', shortened when long. */
typedef struct phx_shown {
    char text[80];
} phx_shown;
phx_shown phx_shown_text(const char *text);
/* What a node is, for "found ...": 'text', nothing, a list of 3, a map. */
phx_shown phx_shown_node(const phx_node *node);

const char *phx_article(const char *noun); /* "a" or "an" */

/* The valid word nearest to a wrong one (fewest insertions, deletions, replacements and swaps of neighbours, letters
 * compared without case). Offer all valid words in turn. */
typedef struct phx_nearest {
    const char *wrong;
    const char *best; /* NULL until one was offered */
    int distance;
} phx_nearest;
phx_nearest phx_nearest_to(const char *wrong);
void phx_nearest_offer(phx_nearest *nearest, const char *word);
/* "; did you mean 'x'?" when it is near, "; the nearest valid word is 'x'" when not, "" without any. */
phx_shown phx_nearest_hint(const phx_nearest *nearest);

/* Items of an array by name; each item begins with its name (const char *). */
typedef struct phx_names {
    int count;
    const struct phx_names_entry *entries; /* in the arena, ascending */
} phx_names;
phx_status phx_names_build(phx_context *context, phx_arena *arena, const void *items, size_t size, int count,
                           phx_names *names);
int phx_names_find(const phx_names *names, const char *name); /* index of the item, -1: none */
void phx_names_offer(const phx_names *names, phx_nearest *nearest);

#endif
