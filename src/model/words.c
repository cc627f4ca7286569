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

/* A list has all entries from 1 to their number, which is found by bisection. */
int phx_names_range(const phx_names *names, const char *name, int *first)
{
    char text[120];
    int count = 0, more = names->count + 1;
    *first = phx_names_find(names, name);
    while (*first < 0 && more - count > 1) {
        const int middle = count + (more - count) / 2;
        snprintf(text, sizeof text, "%.100s[%d]", name, middle);
        *(phx_names_find(names, text) < 0 ? &more : &count) = middle;
    }
    if (*first >= 0 || count == 0)
        return *first >= 0;
    snprintf(text, sizeof text, "%.100s[1]", name);
    *first = phx_names_find(names, text);
    return count;
}

phx_shown phx_names_index_hint(const phx_names *names, const char *name)
{
    phx_shown hint = {""};
    char base[100];
    int first;
    snprintf(base, sizeof base, "%.*s", (int)strcspn(name, "["), name);
    const int count = phx_names_range(names, base, &first);
    if (count > 0 && phx_names_find(names, base) < 0)
        snprintf(hint.text, sizeof hint.text, "; the indices of the list '%.30s' are 1 to %d", base, count);
    else if (count > 0 && strchr(name, '['))
        snprintf(hint.text, sizeof hint.text, "; '%.40s' is not a list, leave out the index", base);
    return hint;
}

phx_shown phx_names_hint(const phx_names *names, const char *name)
{
    const phx_shown hint = phx_names_index_hint(names, name);
    phx_nearest nearest = phx_nearest_to(name);
    phx_names_offer(names, &nearest);
    return hint.text[0] ? hint : phx_nearest_hint(&nearest);
}

void phx_names_offer(const phx_names *names, phx_nearest *nearest)
{
    for (int i = 0; i < names->count; i++)
        phx_nearest_offer(nearest, names->entries[i].name);
}
