/* A hash table of indices with open addressing, at most half full. */
#include "table.h"

void phx_table_free(phx_table *table)
{
    phx_free(table->hash);
    phx_free(table->value);
    *table = (phx_table){0};
}

uint64_t phx_hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ at[i]) * 1099511628211ull; /* FNV-1a */
    return hash;
}

uint64_t phx_hash_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 32);
}

int phx_table_find(const phx_table *table, uint64_t hash, phx_table_match *match, const void *items, const void *key)
{
    if (!table->room)
        return -1;
    for (size_t i = hash & (table->room - 1); table->value[i] >= 0; i = (i + 1) & (table->room - 1))
        if (table->hash[i] == hash && match(items, table->value[i], key))
            return table->value[i];
    return -1;
}

static void table_put(phx_table *table, uint64_t hash, int index)
{
    size_t i = hash & (table->room - 1);
    while (table->value[i] >= 0)
        i = (i + 1) & (table->room - 1);
    table->hash[i] = hash;
    table->value[i] = index;
}

/* Doubles the room of a hash table and enters its values again. */
static phx_status table_grow(phx_context *context, phx_table *table)
{
    phx_table larger = {.room = table->room ? 2 * table->room : 64, .count = table->count};
    larger.hash = phx_calloc(context, larger.room, sizeof *larger.hash);
    larger.value = phx_calloc(context, larger.room, sizeof *larger.value);
    if (!larger.hash || !larger.value) {
        phx_table_free(&larger);
        return PHX_ERR_MEMORY;
    }
    for (size_t i = 0; i < larger.room; i++)
        larger.value[i] = -1;
    for (size_t i = 0; i < table->room; i++)
        if (table->value[i] >= 0)
            table_put(&larger, table->hash[i], table->value[i]);
    phx_table_free(table);
    *table = larger;
    return PHX_OK;
}

phx_status phx_table_add(phx_context *context, phx_table *table, uint64_t hash, int index)
{
    if (2 * (table->count + 1) > table->room) {
        const phx_status status = table_grow(context, table);
        if (status)
            return status;
    }
    table_put(table, hash, index);
    table->count++;
    return PHX_OK;
}
