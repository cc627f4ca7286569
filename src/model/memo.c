/* A table of expressions over a hash of their texts. */
#include "memo.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { BUCKETS = 256, MOST = 4096 };

typedef struct memo_entry {
    struct memo_entry *next;
    uint64_t hash;
    const char *text;
    int count;
    phx_memo_parameter *parameters;
    double value;
} memo_entry;

struct phx_memo {
    phx_arena memory;
    int count;
    memo_entry *bucket[BUCKETS];
};

phx_status phx_memo_create(phx_context *context, phx_memo **memo)
{
    *memo = phx_calloc(context, 1, sizeof **memo);
    return *memo ? PHX_OK : PHX_ERR_MEMORY;
}

void phx_memo_destroy(phx_memo *memo)
{
    if (!memo)
        return;
    phx_arena_free(&memo->memory);
    phx_free(memo);
}

/* FNV-1a */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}

static memo_entry *find(const phx_memo *memo, const char *text, uint64_t hash)
{
    memo_entry *entry = memo->bucket[hash % BUCKETS];
    while (entry && (entry->hash != hash || strcmp(entry->text, text) != 0))
        entry = entry->next;
    return entry;
}

bool phx_memo_find(const phx_memo *memo, const char *text, phx_memo_look_up *look_up, const void *data, double *value)
{
    const memo_entry *entry = find(memo, text, hash_of(text));
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

static phx_status add(phx_context *context, phx_memo *memo, const char *text, uint64_t hash, int count,
                      const phx_memo_parameter *parameters, memo_entry **entry)
{
    memo_entry *made = phx_arena_calloc(context, &memo->memory, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    made->text = phx_arena_text(context, &memo->memory, text, strlen(text));
    made->parameters = phx_arena_calloc(context, &memo->memory, (size_t)count, sizeof *made->parameters);
    if (!made->text || !made->parameters)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < count; k++) {
        const char *name = parameters[k].name;
        made->parameters[k].name = phx_arena_text(context, &memo->memory, name, strlen(name));
        if (!made->parameters[k].name)
            return PHX_ERR_MEMORY;
    }
    made->hash = hash;
    made->count = count;
    made->next = memo->bucket[hash % BUCKETS];
    memo->bucket[hash % BUCKETS] = made;
    memo->count++;
    *entry = made;
    return PHX_OK;
}

phx_status phx_memo_keep(phx_context *context, phx_memo *memo, const char *text, int count,
                         const phx_memo_parameter *parameters, double value)
{
    const uint64_t hash = hash_of(text);
    memo_entry *entry = find(memo, text, hash);
    if (!entry) {
        if (memo->count == MOST || count > PHX_MEMO_NAMES)
            return PHX_OK;
        const phx_status status = add(context, memo, text, hash, count, parameters, &entry);
        if (status)
            return status;
    }
    assert(entry->count == count); /* a text names what it names */
    for (int k = 0; k < count; k++)
        entry->parameters[k].value = parameters[k].value;
    entry->value = value;
    return PHX_OK;
}
