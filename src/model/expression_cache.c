/* A table of expressions over a hash of their texts. */
#include "expression_cache.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { BUCKETS = 256, MOST = 4096 };

typedef struct cache_entry {
    struct cache_entry *next;
    uint64_t hash;
    const char *text;
    int count;
    phx_expression_cache_parameter *parameters;
    double value;
} cache_entry;

struct phx_expression_cache {
    phx_arena memory;
    int count;
    cache_entry *bucket[BUCKETS];
};

phx_status phx_expression_cache_create(phx_context *context, phx_expression_cache **cache)
{
    *cache = phx_calloc(context, 1, sizeof **cache);
    return *cache ? PHX_OK : PHX_ERR_MEMORY;
}

void phx_expression_cache_destroy(phx_expression_cache *cache)
{
    if (!cache)
        return;
    phx_arena_free(&cache->memory);
    phx_free(cache);
}

/* FNV-1a */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}

static cache_entry *expression_cache_find(const phx_expression_cache *cache, const char *text, uint64_t hash)
{
    cache_entry *entry = cache->bucket[hash % BUCKETS];
    while (entry && (entry->hash != hash || strcmp(entry->text, text) != 0))
        entry = entry->next;
    return entry;
}

bool phx_expression_cache_find(const phx_expression_cache *cache, const char *text,
                               phx_expression_cache_look_up *look_up, const void *data, double *value)
{
    const cache_entry *entry = expression_cache_find(cache, text, hash_of(text));
    if (!entry)
        return false;
    for (int k = 0; k < entry->count; k++) {
        double now;
        if (!look_up(data, entry->parameters[k].name, &now) || memcmp(&now, &entry->parameters[k].value, sizeof now))
            return false;
    }
    *value = entry->value;
    return true;
}

/* Adds an entry with copies of text and parameter names to the cache; its values are set by the caller. */
static phx_status expression_cache_add(phx_context *context, phx_expression_cache *cache, const char *text,
                                       uint64_t hash, int count, const phx_expression_cache_parameter *parameters,
                                       cache_entry **entry)
{
    cache_entry *made = phx_arena_calloc(context, &cache->memory, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    made->text = phx_arena_text(context, &cache->memory, text, strlen(text));
    made->parameters = phx_arena_calloc(context, &cache->memory, (size_t)count, sizeof *made->parameters);
    if (!made->text || !made->parameters)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < count; k++) {
        const char *name = parameters[k].name;
        made->parameters[k].name = phx_arena_text(context, &cache->memory, name, strlen(name));
        if (!made->parameters[k].name)
            return PHX_ERR_MEMORY;
    }
    made->hash = hash;
    made->count = count;
    made->next = cache->bucket[hash % BUCKETS];
    cache->bucket[hash % BUCKETS] = made;
    cache->count++;
    *entry = made;
    return PHX_OK;
}

/* Stores the value of an expression with the parameter values it was computed from. A full cache takes nothing more,
 * which is no error. */
phx_status phx_expression_cache_keep(phx_context *context, phx_expression_cache *cache, const char *text, int count,
                                     const phx_expression_cache_parameter *parameters, double value)
{
    const uint64_t hash = hash_of(text);
    cache_entry *entry = expression_cache_find(cache, text, hash);
    if (!entry) {
        if (cache->count == MOST || count > PHX_EXPRESSION_CACHE_NAMES)
            return PHX_OK;
        const phx_status status = expression_cache_add(context, cache, text, hash, count, parameters, &entry);
        if (status)
            return status;
    }
    assert(entry->count == count); /* a text names what it names */
    for (int k = 0; k < count; k++)
        entry->parameters[k].value = parameters[k].value;
    entry->value = value;
    return PHX_OK;
}
