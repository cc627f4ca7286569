/* Physical names and entities of a file .msh, and the groups that they make of its cells. */
#include "gmsh_msh.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- physical names ---- */
static phx_status read_name(phx_msh *m)
{
    long long dimension = 0, tag = 0;
    phx_status status = phx_msh_text_integer(m, "the dimension of a physical name", &dimension);
    if (!status)
        status = phx_msh_text_integer(m, "the tag of a physical name", &tag);
    if (status)
        return status;
    if (dimension < 0 || dimension > 3 || tag < -INT_MAX || tag > INT_MAX)
        return MSH_FAIL(m, "a physical name of dimension %lld and tag %lld", dimension, tag);
    const char *line = memchr(m->text.at, '\n', (size_t)(m->text.end - m->text.at));
    if (!line)
        return phx_msh_fail_end(m);
    const char *first = memchr(m->text.at, '"', (size_t)(line - m->text.at)), *last = line;
    while (last > m->text.at && *last != '"')
        last--;
    if (!first || last == first)
        return MSH_FAIL(m, "a name in double quotes is expected");
    const size_t length = (size_t)(last - first - 1);
    for (size_t k = 0; k < length; k++)
        if ((unsigned char)first[1 + k] < 0x20)
            return MSH_FAIL(m, "a physical name with a control character in it");
    status = phx_grow(m->context, &m->physical.names, &m->physical.names_room, m->physical.n_names + 1,
                      sizeof *m->physical.names);
    char *name = status ? NULL : phx_calloc(m->context, length + 1, 1);
    if (!name)
        return PHX_ERR_MEMORY;
    memcpy(name, first + 1, length);
    m->physical.names[m->physical.n_names++] = (phx_msh_name){(int)dimension, abs((int)tag), name};
    m->text.at = line + 1;
    return PHX_OK;
}

phx_status phx_msh_names(phx_msh *m)
{
    long long count = 0;
    phx_status status = phx_msh_text_integer(m, "the number of physical names", &count);
    for (long long k = 0; k < count && !status; k++)
        status = read_name(m);
    return status;
}

/* ---- entities of format 4 ---- */
static bool is_entity(const void *items, int index, const void *key)
{
    const phx_msh_entity *e = (const phx_msh_entity *)items + index, *wanted = key;
    return e->dimension == wanted->dimension && e->tag == wanted->tag;
}

static uint64_t entity_hash(const phx_msh_entity *e)
{
    return phx_hash_word(phx_hash_word(PHX_HASH_START, (uint64_t)e->dimension), (uint64_t)e->tag);
}

/* An entity of a partitioned mesh takes the place of one with its tag. */
static phx_status add_entity(phx_msh *m, const phx_msh_entity *e)
{
    const uint64_t hash = entity_hash(e);
    const int index = phx_table_find(&m->entities.table, hash, is_entity, m->entities.entity, e);
    if (index >= 0) {
        m->entities.entity[index] = *e;
        return PHX_OK;
    }
    phx_status status =
        phx_grow(m->context, &m->entities.entity, &m->entities.room, m->entities.n + 1, sizeof *m->entities.entity);
    if (!status)
        status = phx_table_add(m->context, &m->entities.table, hash, (int)m->entities.n);
    if (!status)
        m->entities.entity[m->entities.n++] = *e;
    return status;
}

static phx_status skip_ints(phx_msh *m, const char *what)
{
    long long count = 0, value = 0;
    phx_status status = phx_msh_count(m, what, 2, &count);
    for (long long k = 0; k < count && !status; k++)
        status = phx_msh_int(m, what, &value);
    return status;
}

/* Reads the physical groups of an entity; their orientation, the sign, is dropped. */
static phx_status read_physical_tags(phx_msh *m, phx_msh_entity *e)
{
    long long count = 0, tag = 0;
    phx_status status = phx_msh_count(m, "the number of physical tags", 2, &count);
    e->first = m->entities.n_tags;
    for (long long k = 0; k < count && !status; k++) {
        status = phx_msh_int(m, "a physical tag", &tag);
        if (!status)
            status = phx_grow(m->context, &m->entities.tags, &m->entities.tags_room, m->entities.n_tags + 1,
                              sizeof *m->entities.tags);
        if (!status) /* a negative one tells of a reversed orientation */
            m->entities.tags[m->entities.n_tags++] = abs((int)tag);
    }
    e->count = m->entities.n_tags - e->first;
    return status;
}

/* Reads one entity of format 4 with its physical groups; bounds, partitions and boundary are skipped. */
static phx_status read_entity(phx_msh *m, int dimension, bool partitioned)
{
    long long tag = 0, parent = 0;
    double box[6] = {0.0};
    phx_msh_entity e = {.dimension = dimension};
    phx_status status = phx_msh_int(m, "the tag of an entity", &tag);
    for (int k = 0; k < 2 * partitioned && !status; k++)
        status = phx_msh_int(m, "the parent of an entity", &parent);
    if (!status && partitioned)
        status = skip_ints(m, "the number of partitions of an entity");
    if (!status)
        status = phx_msh_reals(m, "a bound of an entity", dimension || m->text.format == 40 ? 6 : 3, box);
    if (!status)
        status = read_physical_tags(m, &e);
    if (!status && dimension)
        status = skip_ints(m, "the number of bounding entities");
    if (status)
        return status;
    e.tag = (int)tag;
    return add_entity(m, &e);
}

static phx_status read_all_entities(phx_msh *m, bool partitioned)
{
    long long count[4] = {0};
    phx_status status = PHX_OK;
    for (int d = 0; d < 4 && !status; d++)
        status = phx_msh_count(m, "the number of entities", 2, &count[d]);
    for (int d = 0; d < 4 && !status; d++)
        for (long long k = 0; k < count[d] && !status; k++)
            status = read_entity(m, d, partitioned);
    return status;
}

phx_status phx_msh_entities(phx_msh *m)
{
    return read_all_entities(m, false);
}

phx_status phx_msh_partitioned(phx_msh *m)
{
    long long count = 0, ghosts = 0, value = 0;
    if (m->text.format != 41)
        return MSH_FAIL(m, "partitioned meshes are read in format 4.1 only; save the file in it");
    phx_status status = phx_msh_size(m, "the number of partitions", &count);
    if (!status)
        status = phx_msh_count(m, "the number of ghost entities", 2, &ghosts);
    for (long long k = 0; !status && k < 2 * ghosts; k++)
        status = phx_msh_int(m, "a ghost entity", &value);
    return status ? status : read_all_entities(m, true);
}

/* ---- runs ---- */
phx_status phx_msh_add_run(phx_msh *m, int dimension, long long tag, bool is_of_entity, size_t item)
{
    phx_msh_run *last = m->physical.n_runs ? &m->physical.runs[m->physical.n_runs - 1] : NULL;
    if (last && last->dimension == dimension && last->tag == tag && last->entity == is_of_entity && last->end == item) {
        last->end++;
        return PHX_OK;
    }
    const phx_status status = phx_grow(m->context, &m->physical.runs, &m->physical.runs_room, m->physical.n_runs + 1,
                                       sizeof *m->physical.runs);
    if (!status)
        m->physical.runs[m->physical.n_runs++] = (phx_msh_run){dimension, (int)tag, is_of_entity, item, item + 1};
    return status;
}

/* ---- groups ---- */
static int by_tag(const void *a, const void *b)
{
    const phx_msh_name *p = a, *q = b;
    return p->dimension != q->dimension ? (p->dimension > q->dimension) - (p->dimension < q->dimension)
                                        : (p->tag > q->tag) - (p->tag < q->tag);
}

/* The group of a physical tag: by its name, or "surface 3" as that of an entity. */
static phx_status group_of_tag(phx_msh *m, int dimension, int tag, int *group)
{
    static const char *const sorts[4] = {"point", "curve", "surface", "volume"};
    const phx_msh_name key = {.dimension = dimension, .tag = tag};
    const phx_msh_name *named =
        m->physical.n_names ? bsearch(&key, m->physical.names, m->physical.n_names, sizeof *m->physical.names, by_tag)
                            : NULL;
    if (named && named->name[0])
        return phx_builder_group(m->b, named->name, dimension, group);
    char name[32];
    snprintf(name, sizeof name, "%s %d", sorts[dimension], tag);
    return phx_builder_group(m->b, name, dimension, group);
}

static phx_status add_item(phx_msh *m, int dimension, size_t item, int group)
{
    if (dimension)
        return phx_builder_item(m->b, group, (int)item);
    const phx_msh_point *p = &m->physical.points[item];
    const int node = phx_builder_find_node(m->b, 0, p->node);
    if (node < 0)
        return phx_input_fail(m->b->input, p->place, "a point element has node %d, which is not there", p->node);
    return phx_builder_item(m->b, group, node);
}

static phx_status add_to_group(phx_msh *m, const phx_msh_run *r, int tag)
{
    int group = -1;
    phx_status status = group_of_tag(m, r->dimension, tag, &group);
    for (size_t item = r->first; item < r->end && !status; item++)
        status = add_item(m, r->dimension, item, group);
    return status;
}

/* The physical tags of a run. */
static size_t physical_tags(const phx_msh *m, const phx_msh_run *r, const int **tags)
{
    const phx_msh_entity key = {.dimension = r->dimension, .tag = r->tag};
    const int e =
        r->entity ? phx_table_find(&m->entities.table, entity_hash(&key), is_entity, m->entities.entity, &key) : -1;
    const size_t count = !r->entity ? r->tag != 0 : e >= 0 ? m->entities.entity[e].count : 0;
    *tags = r->entity && count ? m->entities.tags + m->entities.entity[e].first : &r->tag;
    return count;
}

static phx_status add_run_to_groups(phx_msh *m, const phx_msh_run *r)
{
    const int *tags;
    const size_t n_tags = physical_tags(m, r, &tags);
    phx_status status = PHX_OK;
    for (size_t t = 0; t < n_tags && !status; t++)
        status = tags[t] ? add_to_group(m, r, tags[t]) : PHX_OK;
    return status;
}

/* Creates the groups of the mesh from physical groups, named ones first. A file without elements in any gets groups by
 * entity. */
phx_status phx_msh_groups(phx_msh *m)
{
    const int *tags;
    bool by_entity = true;
    int group = -1;
    for (size_t k = 0; k < m->physical.n_runs && by_entity; k++)
        by_entity = physical_tags(m, &m->physical.runs[k], &tags) == 0;
    phx_status status = by_entity && m->physical.n_names
                            ? phx_builder_remark(m->b, PHX_MESH_NOTE, 0, 0,
                                                 "no element is in a physical group; with Mesh.SaveAll = 1 Gmsh keeps "
                                                 "them in format 4.1 alone")
                            : PHX_OK;
    if (m->physical.n_names)
        qsort(m->physical.names, m->physical.n_names, sizeof *m->physical.names, by_tag);
    for (size_t k = 0; k < m->physical.n_names && !status && !by_entity; k++)
        status = group_of_tag(m, m->physical.names[k].dimension, m->physical.names[k].tag, &group);
    for (size_t k = 0; k < m->physical.n_runs && !status; k++)
        status = add_run_to_groups(m, &m->physical.runs[k]);
    for (size_t k = 0; k < m->physical.n_runs && !status && by_entity; k++)
        if (m->physical.runs[k].tag)
            status = add_to_group(m, &m->physical.runs[k], m->physical.runs[k].tag);
    return status;
}
