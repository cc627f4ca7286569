/* Memory that one evaluation of the document owns, and the place of each entry in the file. */
#include "reader.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *phx_reader_calloc(phx_reader *reader, size_t count, size_t size)
{
    return phx_arena_calloc(reader->context, &reader->content->memory, count, size);
}

/* Hands a signal over to the model's content, which frees it; after a failure the signal has been destroyed. */
phx_status phx_reader_own_signal(phx_reader *reader, const phx_owned_signal *signal)
{
    phx_content *c = reader->content;
    if (c->n_signals == c->signals_capacity) {
        int capacity = c->signals_capacity ? 2 * c->signals_capacity : 8;
        phx_owned_signal *grown = phx_realloc(reader->context, c->signals, (size_t)capacity, sizeof *grown);
        if (!grown) {
            phx_signal_destroy(signal->signal);
            return PHX_ERR_MEMORY;
        }
        c->signals = grown;
        c->signals_capacity = capacity;
    }
    c->signals[c->n_signals++] = *signal;
    return PHX_OK;
}

/* Records where in the file the object at this address was written. */
phx_status phx_reader_place(phx_reader *reader, const void *address, size_t size, phx_model_source source)
{
    phx_content *c = reader->content;
    if (c->n_places == c->places_capacity) {
        int capacity = c->places_capacity ? 2 * c->places_capacity : 64;
        phx_place *grown = phx_realloc(reader->context, c->places, (size_t)capacity, sizeof *grown);
        if (!grown)
            return PHX_ERR_MEMORY;
        c->places = grown;
        c->places_capacity = capacity;
    }
    c->places[c->n_places] = (phx_place){address, (unsigned)size, c->n_places, source};
    c->n_places++;
    return PHX_OK;
}

static int compare_places(const void *a, const void *b)
{
    const phx_place *p = a, *q = b;
    uintptr_t x = (uintptr_t)p->address, y = (uintptr_t)q->address;
    return x != y ? (x < y ? -1 : 1) : (p->order > q->order) - (p->order < q->order);
}

static int compare_signals(const void *a, const void *b)
{
    const phx_owned_signal *p = a, *q = b;
    uintptr_t x = (uintptr_t)p->signal, y = (uintptr_t)q->signal;
    return (x > y) - (x < y);
}

void phx_content_sort(phx_content *content)
{
    if (content->n_places)
        qsort(content->places, (size_t)content->n_places, sizeof *content->places, compare_places);
    if (content->n_signals)
        qsort(content->signals, (size_t)content->n_signals, sizeof *content->signals, compare_signals);
}

const phx_owned_signal *phx_content_find_signal(const phx_content *content, const phx_signal *signal)
{
    const phx_owned_signal wanted = {.signal = (phx_signal *)signal};
    return content->n_signals ? bsearch(&wanted, content->signals, (size_t)content->n_signals, sizeof *content->signals,
                                        compare_signals)
                              : NULL;
}

/* Returns the position in the file of the innermost recorded object that contains the address, zero if there is none.
 * Requires sorted places. */
phx_model_source phx_content_where(const phx_content *content, const void *field)
{
    const uintptr_t wanted = (uintptr_t)field;
    int low = 0, high = content->n_places; /* places[low-1].address <= wanted < places[high].address */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if ((uintptr_t)content->places[middle].address <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    /* what begins there, or the innermost object around it */
    for (int i = low - 1; i >= 0; i--)
        if (wanted < (uintptr_t)content->places[i].address + content->places[i].size)
            return content->places[i].source;
    return (phx_model_source){0, 0};
}

void phx_content_free(phx_content *content)
{
    for (int i = 0; i < content->n_signals; i++)
        phx_signal_destroy(content->signals[i].signal);
    phx_free(content->signals);
    phx_free(content->places);
    phx_arena_free(&content->memory);
    *content = (phx_content){0};
}

phx_status phx_reader_names(phx_reader *reader, phx_names *names, const void *items, size_t size, int count)
{
    if (names->entries)
        return PHX_OK;
    return phx_names_build(reader->context, &reader->content->memory, items, size, count, names);
}

char *phx_reader_path(phx_reader *reader, const char *name)
{
    const char *path = reader->model->path;
    const char *slash = *name == '/' ? NULL : strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char *joined = phx_reader_calloc(reader, folder + strlen(name) + 1, 1);
    if (joined) {
        memcpy(joined, path, folder);
        memcpy(joined + folder, name, strlen(name));
    }
    return joined;
}
