/* Beams by their definition: a table of chains over a hash of the definition. */
#include "build.h"

#include <stdint.h>
#include <string.h>

enum {
    BUCKETS = 1024,
    FEW = 64,  /* beams that are kept in any case */
    RECENT = 2 /* builds that a beam may rest before it is forgotten among many */
};

typedef struct cache_entry {
    struct cache_entry *next;
    uint64_t hash;
    long build; /* that used it last */
    phx_beam_def def;
    double *pulled, *interfaces;
    phx_beam_mass *masses;
    phx_beam_station *stations;
    phx_beam *beam;
} cache_entry;

/* An elastic body in its basis. */
typedef struct source_entry {
    struct source_entry *next;
    long build; /* that used it last */
    char *key;
    phx_flex_source *source;
} source_entry;

struct phx_beam_cache {
    phx_context *context;
    long build;
    int count;
    phx_beam_cache_stats stats;
    cache_entry *bucket[BUCKETS];
    source_entry *sources; /* few, and large */
};

phx_status phx_beam_cache_create(phx_context *context, phx_beam_cache **cache)
{
    if (!cache)
        return phx_fail_null(context, __func__, "cache");
    *cache = phx_calloc(context, 1, sizeof **cache);
    if (!*cache)
        return PHX_ERR_MEMORY;
    (*cache)->context = context;
    return PHX_OK;
}

static void free_entry(cache_entry *entry)
{
    phx_flex_source_destroy(entry->beam);
    phx_free(entry->pulled);
    phx_free(entry->interfaces);
    phx_free(entry->masses);
    phx_free(entry->stations);
    phx_free(entry);
}

/* Drop the entries that rested longer than `rest` builds; negative: all. */
static void drop(phx_beam_cache *cache, long rest)
{
    for (int k = 0; k < BUCKETS; k++)
        for (cache_entry **link = &cache->bucket[k]; *link;) {
            cache_entry *entry = *link;
            if (cache->build - entry->build > rest) {
                *link = entry->next;
                free_entry(entry);
                cache->count--;
            } else {
                link = &entry->next;
            }
        }
}

static void drop_sources(phx_beam_cache *cache, long rest)
{
    for (source_entry **link = &cache->sources; *link;) {
        source_entry *entry = *link;
        if (cache->build - entry->build <= rest) {
            link = &entry->next;
            continue;
        }
        *link = entry->next;
        phx_flex_source_destroy(entry->source);
        phx_free(entry->key);
        phx_free(entry);
    }
}

phx_flex_source *phx_beam_cache_find_source(phx_beam_cache *cache, const char *key)
{
    source_entry *entry = cache->sources;

    while (entry && strcmp(entry->key, key) != 0)
        entry = entry->next;
    if (!entry)
        return NULL;
    entry->build = cache->build;
    cache->stats.reused++;
    return phx_flex_source_share(entry->source);
}

/* Stores a share of the source in the cache under a copy of the key. */
phx_status phx_beam_cache_keep_source(phx_beam_cache *cache, phx_context *context, const char *key,
                                      phx_flex_source *source)
{
    source_entry *entry = phx_calloc(context, 1, sizeof *entry);

    if (!entry || !(entry->key = phx_strdup(context, key))) {
        phx_free(entry);
        return PHX_ERR_MEMORY;
    }
    entry->build = cache->build;
    entry->source = phx_flex_source_share(source);
    entry->next = cache->sources;
    cache->sources = entry;
    cache->stats.made++;
    return PHX_OK;
}

void phx_beam_cache_destroy(phx_beam_cache *cache)
{
    if (!cache)
        return;
    drop(cache, -1);
    drop_sources(cache, -1);
    phx_free(cache);
}

phx_beam_cache_stats phx_beam_cache_statistics(const phx_beam_cache *cache)
{
    return cache->stats;
}

void phx_beam_cache_begin(phx_beam_cache *cache)
{
    cache->build++;
    drop_sources(cache, RECENT);
    if (cache->count > FEW)
        drop(cache, RECENT);
}

/* ---- definitions ---- */
/* FNV-1a over the bytes of a value. */
static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

/* Everything but the arrays, as numbers without padding. */
enum { KEY_NUMBERS = 19 };
/* Writes all scalar properties of a beam into a fixed array, in which beams can be compared and hashed. */
static void key_of(const phx_beam_def *def, double key[KEY_NUMBERS])
{
    const double numbers[KEY_NUMBERS] = {def->dim,
                                         def->length,
                                         def->mass_per_length,
                                         def->axial_stiffness,
                                         def->bending_stiffness[0],
                                         def->bending_stiffness[1],
                                         def->torsion_stiffness,
                                         def->polar_inertia,
                                         def->section_inertia[0],
                                         def->section_inertia[1],
                                         def->elements,
                                         def->order,
                                         (double)def->element,
                                         def->modes,
                                         (double)def->reference,
                                         def->stiffening ? 1.0 : 0.0,
                                         (double)def->basis,
                                         def->among,
                                         def->moments};
    memcpy(key, numbers, sizeof numbers);
}

/* Hash of all properties of a beam, with point masses, pulled places and interfaces. */
static uint64_t hash_of(const phx_beam_def *def)
{
    double key[KEY_NUMBERS];
    key_of(def, key);
    uint64_t hash = mix(UINT64_C(14695981039346656037), key, sizeof key);
    for (int k = 0; k < def->n_pulled; k++)
        hash = mix(hash, &def->pulled[k], sizeof def->pulled[k]);
    for (int k = 0; k < def->n_interfaces; k++)
        hash = mix(hash, &def->interfaces[k], sizeof def->interfaces[k]);
    for (int k = 0; k < def->n_stations; k++) /* numbers without padding */
        hash = mix(hash, &def->stations[k], sizeof def->stations[k]);
    for (int k = 0; k < def->n_masses; k++) {
        hash = mix(hash, &def->masses[k].at, sizeof(double));
        hash = mix(hash, &def->masses[k].mass, sizeof(double));
        hash = mix(hash, def->masses[k].inertia, sizeof def->masses[k].inertia);
    }
    return hash;
}

static bool equal_places(int n_a, const double *a, int n_b, const double *b)
{
    return n_a == n_b && (n_a == 0 || memcmp(a, b, (size_t)n_a * sizeof *a) == 0);
}

/* The same numbers, bit by bit. */
static bool equal(const phx_beam_def *a, const phx_beam_def *b)
{
    double key[2][KEY_NUMBERS];
    key_of(a, key[0]);
    key_of(b, key[1]);
    if (a->n_masses != b->n_masses || memcmp(key[0], key[1], sizeof key[0]) != 0)
        return false;
    if (a->n_stations != b->n_stations ||
        (a->n_stations > 0 && memcmp(a->stations, b->stations, (size_t)a->n_stations * sizeof *a->stations) != 0))
        return false;
    if (!equal_places(a->n_pulled, a->pulled, b->n_pulled, b->pulled) ||
        !equal_places(a->n_interfaces, a->interfaces, b->n_interfaces, b->interfaces))
        return false;
    for (int k = 0; k < a->n_masses; k++) {
        const phx_beam_mass *m = &a->masses[k], *n = &b->masses[k];
        if (memcmp(&m->at, &n->at, sizeof m->at) != 0 || memcmp(&m->mass, &n->mass, sizeof m->mass) != 0 ||
            memcmp(m->inertia, n->inertia, sizeof m->inertia) != 0)
            return false;
    }
    return true;
}

/* Creates a beam and an entry that owns copies of the arrays of its definition; *out is set only on success. */
static phx_status make_entry(phx_context *context, const phx_beam_def *def, cache_entry **out)
{
    cache_entry *entry = phx_calloc(context, 1, sizeof *entry);
    phx_status status = PHX_ERR_MEMORY;

    if (!entry)
        return status;
    entry->def = *def;
    entry->masses = phx_calloc(context, (size_t)def->n_masses, sizeof *entry->masses);
    entry->pulled = phx_calloc(context, (size_t)def->n_pulled, sizeof *entry->pulled);
    entry->interfaces = phx_calloc(context, (size_t)def->n_interfaces, sizeof *entry->interfaces);
    entry->stations = phx_calloc(context, (size_t)def->n_stations, sizeof *entry->stations);
    if (entry->masses && entry->pulled && entry->interfaces && entry->stations) {
        for (int k = 0; k < def->n_stations; k++)
            entry->stations[k] = def->stations[k];
        entry->def.stations = entry->stations;
        if (def->n_pulled > 0)
            memcpy(entry->pulled, def->pulled, (size_t)def->n_pulled * sizeof *entry->pulled);
        entry->def.pulled = entry->pulled;
        if (def->n_interfaces > 0)
            memcpy(entry->interfaces, def->interfaces, (size_t)def->n_interfaces * sizeof *entry->interfaces);
        entry->def.interfaces = entry->interfaces;
        if (def->n_masses > 0)
            memcpy(entry->masses, def->masses, (size_t)def->n_masses * sizeof *entry->masses);
        entry->def.masses = entry->masses;
        status = phx_beam_create(context, &entry->def, &entry->beam);
    }
    if (status)
        free_entry(entry);
    else
        *out = entry;
    return status;
}

/* Returns a share of the beam of this definition, which is created only the first time. */
phx_status phx_beam_cache_get(phx_beam_cache *cache, phx_context *context, const phx_beam_def *def, phx_beam **beam)
{
    const uint64_t hash = hash_of(def);
    cache_entry **bucket = &cache->bucket[hash % BUCKETS], *entry = *bucket;

    while (entry && (entry->hash != hash || !equal(&entry->def, def)))
        entry = entry->next;
    if (entry) {
        cache->stats.reused++;
    } else {
        phx_status status = make_entry(context, def, &entry);
        if (status)
            return status;
        entry->hash = hash;
        entry->next = *bucket;
        *bucket = entry;
        cache->count++;
        cache->stats.made++;
    }
    entry->build = cache->build;
    *beam = phx_flex_source_share(entry->beam);
    return PHX_OK;
}
