#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

phx_shown phx_shown_node(const phx_node *node)
{
    phx_shown shown;
    if (node->kind == PHX_NODE_LIST)
        snprintf(shown.text, sizeof shown.text, "a list of %d", node->count);
    else if (node->kind == PHX_NODE_MAP)
        snprintf(shown.text, sizeof shown.text, "a map");
    else if (phx_node_is_null(node))
        snprintf(shown.text, sizeof shown.text, "nothing");
    else
        shown = phx_shown_text(node->text);
    return shown;
}

const char *phx_article(const char *noun)
{
    return strchr("aeiou", *noun) ? "an" : "a";
}

/* ---- names ---- */
typedef struct phx_names_entry {
    const char *name;
    int index;
} phx_names_entry;

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const phx_names_entry *)a)->name, ((const phx_names_entry *)b)->name);
}

phx_status phx_names_build(phx_context *context, phx_arena *arena, const void *items, size_t size, int count,
                           phx_names *names)
{
    phx_names_entry *entries = phx_arena_calloc(context, arena, (size_t)count, sizeof *entries);
    if (!entries)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        memcpy(&entries[i].name, (const char *)items + (size_t)i * size, sizeof entries[i].name);
        entries[i].index = i;
    }
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    *names = (phx_names){count, entries};
    return PHX_OK;
}

int phx_names_find(const phx_names *names, const char *name)
{
    phx_names_entry wanted = {name, 0};
    const phx_names_entry *found =
        names->count ? bsearch(&wanted, names->entries, (size_t)names->count, sizeof wanted, compare_entries) : NULL;
    return found ? found->index : -1;
}

void phx_names_offer(const phx_names *names, phx_nearest *nearest)
{
    for (int i = 0; i < names->count; i++)
        phx_nearest_offer(nearest, names->entries[i].name);
}
