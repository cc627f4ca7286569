/* Phlexor, layer mesh, private: a hash table of indices. The keys stay where they are: the caller compares. */
#ifndef PHLEXOR_MESH_TABLE_H
#define PHLEXOR_MESH_TABLE_H

#include "base/base.h"

#include <stdint.h>

typedef struct phx_table {
    size_t room; /* a power of two, or 0 */
    size_t count;
    uint64_t *hash;
    int *value; /* -1: free */
} phx_table;
void phx_table_free(phx_table *table);

/* Whether the item with this index has the key. */
typedef bool phx_table_match(const void *items, int index, const void *key);
/* Index of the item with the key, -1: none. */
int phx_table_find(const phx_table *table, uint64_t hash, phx_table_match *match, const void *items, const void *key);
/* The item with this index is one more. */
phx_status phx_table_add(phx_context *context, phx_table *table, uint64_t hash, int index);

#define PHX_HASH_START 14695981039346656037ull
uint64_t phx_hash_bytes(uint64_t hash, const void *bytes, size_t n);
uint64_t phx_hash_word(uint64_t hash, uint64_t word);

#endif
