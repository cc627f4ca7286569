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

/* The number of entries that are before the name. */
static int count_before(const phx_names *names, const char *name)
{
    int low = 0, high = names->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (strcmp(names->entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Entries of a list are neighbours in the order of the names: '\\' is the character after '['. */
int phx_names_range(const phx_names *names, const char *name, int *first)
{
    enum { MOST = 100 }; /* characters, more than a parameter has */
    char text[MOST + 4];
    *first = phx_names_find(names, name);
    if (*first >= 0 || strlen(name) > MOST)
        return *first >= 0;
    snprintf(text, sizeof text, "%s[1]", name);
    *first = phx_names_find(names, text);
    if (*first < 0)
        return 0;
    snprintf(text, sizeof text, "%s[", name);
    const int before = count_before(names, text);
    snprintf(text, sizeof text, "%s\\", name);
    return count_before(names, text) - before;
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
