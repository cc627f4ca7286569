/* Files .msh of Gmsh, formats 2, 4.0 and 4.1, text and binary of either byte order.
 *
 * A file is a row of sections $Name ... $EndName. Format 2 gives every element the tag of a physical group; format 4
 * gives blocks of elements the tag of an entity, and entities the tags of their groups. Which cells belong to which tag
 * is kept in runs and made groups at the end. */
#include "builder.h"
#include "gmsh_cells.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entity {
    int dimension, tag;
    size_t first; /* of its physical tags */
    size_t count;
} entity;

typedef struct physical_name {
    int dimension, tag;
    char *name;
} physical_name;

/* Cells first .. end-1 belong to a physical group, or to an entity; of dimension 0: points. */
typedef struct run {
    int dimension, tag;
    bool entity;
    size_t first, end;
} run;

typedef struct point {
    int node; /* label */
    size_t place;
} point;

typedef struct msh {
    phx_builder *b;
    phx_context *context;
    phx_input_file *file;
    const char *at, *end;
    const char *section; /* being read, for messages */
    int format;          /* 22, 40, 41 */
    bool binary, big_endian;
    int size_bytes; /* of counts and tags in format 4.1 */
    size_t n_entities, entities_room, n_tags, tags_room, n_names, names_room, n_runs, runs_room, n_points, points_room;
    entity *entities;
    int *tags; /* physical tags of all entities */
    physical_name *names;
    run *runs;
    point *points;
    phx_table entity_table, cell_table;
} msh;

static size_t here(const msh *m)
{
    return m->file->base + (size_t)(m->at - m->file->bytes);
}

#define FAIL(m, ...) phx_input_fail((m)->b->input, here(m), __VA_ARGS__)

static phx_status fail_end(msh *m)
{
    m->at = m->end;
    return FAIL(m, "the file ends inside of %s", m->section);
}

/* ---- words and numbers ---- */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The next word; NULL at the end of the file. `at` stays in front of it. */
static const char *peek_word(msh *m, size_t *length)
{
    while (m->at < m->end && is_blank(*m->at))
        m->at++;
    const char *end = m->at;
    while (end < m->end && !is_blank(*end))
        end++;
    *length = (size_t)(end - m->at);
    return *length ? m->at : NULL;
}

static phx_status text_integer(msh *m, const char *what, long long *value)
{
    size_t length;
    const char *word = peek_word(m, &length);
    if (!word)
        return fail_end(m);
    if (!phx_scan_integer(word, length, value))
        return FAIL(m, "%s is expected, a whole number; found %s", what, phx_shown_part(word, length).text);
    m->at += length;
    return PHX_OK;
}

static phx_status text_real(msh *m, const char *what, double *value)
{
    size_t length;
    const char *word = peek_word(m, &length);
    if (!word)
        return fail_end(m);
    if (!phx_scan_number(word, length, value))
        return FAIL(m, "%s is expected, a number; found %s", what, phx_shown_part(word, length).text);
    m->at += length;
    return PHX_OK;
}

static phx_status bytes(msh *m, int count, uint64_t *value)
{
    if (m->end - m->at < count)
        return fail_end(m);
    *value = 0;
    for (int k = 0; k < count; k++)
        *value = *value << 8 | (unsigned char)m->at[m->big_endian ? k : count - 1 - k];
    m->at += count;
    return PHX_OK;
}

/* An int of the file, between -INT_MAX and INT_MAX. */
static phx_status get_int(msh *m, const char *what, long long *value)
{
    uint64_t bits = 0;
    const phx_status status = m->binary ? bytes(m, 4, &bits) : text_integer(m, what, value);
    if (!status && m->binary)
        *value = bits > INT_MAX ? (long long)bits - (1ll << 32) : (long long)bits;
    if (!status && (*value < -INT_MAX || *value > INT_MAX))
        return FAIL(m, "%s is %lld", what, *value);
    return status;
}

/* A count of the file, a size_t of format 4. */
static phx_status get_size(msh *m, const char *what, long long *value)
{
    if (!m->binary) {
        const phx_status status = text_integer(m, what, value);
        return status || *value >= 0 ? status : FAIL(m, "%s is %lld", what, *value);
    }
    uint64_t bits = 0;
    const phx_status status = bytes(m, m->size_bytes, &bits);
    if (status)
        return status;
    if (bits > LLONG_MAX)
        return FAIL(m, "%s is %llu", what, (unsigned long long)bits);
    *value = (long long)bits;
    return PHX_OK;
}

/* The tag of a node or an element. */
static phx_status get_tag(msh *m, const char *what, long long *value)
{
    return m->format == 41 ? get_size(m, what, value) : get_int(m, what, value);
}

static phx_status get_real(msh *m, const char *what, double *value)
{
    uint64_t bits = 0;
    if (!m->binary)
        return text_real(m, what, value);
    const phx_status status = bytes(m, 8, &bits);
    if (!status)
        memcpy(value, &bits, sizeof *value);
    return status;
}

static phx_status get_reals(msh *m, const char *what, int count, double *values)
{
    phx_status status = PHX_OK;
    for (int k = 0; k < count && !status; k++)
        status = get_real(m, what, &values[k]);
    return status;
}

/* A count that what follows must make good: `least` bytes for each. */
static phx_status get_count(msh *m, const char *what, int least, long long *value)
{
    const phx_status status = get_size(m, what, value);
    if (status)
        return status;
    if (*value > (m->end - m->at) / least + 1)
        return FAIL(m, "%s is %lld, more than the rest of the file can hold", what, *value);
    return PHX_OK;
}

/* ---- lines and sections ---- */
static phx_status end_line(msh *m)
{
    while (m->at < m->end && (*m->at == ' ' || *m->at == '\t' || *m->at == '\r'))
        m->at++;
    if (m->at == m->end)
        return fail_end(m);
    if (*m->at != '\n')
        return FAIL(m, "the end of the line is expected");
    m->at++;
    return PHX_OK;
}

static phx_status end_section(msh *m)
{
    size_t length;
    const char *word = peek_word(m, &length);
    if (!word)
        return fail_end(m);
    const size_t name = strlen(m->section) - 1;
    if (length != name + 4 || memcmp(word, "$End", 4) != 0 || memcmp(word + 4, m->section + 1, name) != 0)
        return FAIL(m, "$End%s is expected; found %s", m->section + 1, phx_shown_part(word, length).text);
    m->at += length;
    return PHX_OK;
}

/* ---- physical names ---- */
static phx_status read_name(msh *m)
{
    long long dimension = 0, tag = 0;
    phx_status status = text_integer(m, "the dimension of a physical name", &dimension);
    if (!status)
        status = text_integer(m, "the tag of a physical name", &tag);
    if (status)
        return status;
    if (dimension < 0 || dimension > 3 || tag < -INT_MAX || tag > INT_MAX)
        return FAIL(m, "a physical name of dimension %lld and tag %lld", dimension, tag);
    const char *line = memchr(m->at, '\n', (size_t)(m->end - m->at));
    if (!line)
        return fail_end(m);
    const char *first = memchr(m->at, '"', (size_t)(line - m->at)), *last = line;
    while (last > m->at && *last != '"')
        last--;
    if (!first || last == first)
        return FAIL(m, "a name in double quotes is expected");
    const size_t length = (size_t)(last - first - 1);
    for (size_t k = 0; k < length; k++)
        if ((unsigned char)first[1 + k] < 0x20)
            return FAIL(m, "a physical name with a control character in it");
    status = phx_grow(m->context, &m->names, &m->names_room, m->n_names + 1, sizeof *m->names);
    char *name = status ? NULL : phx_calloc(m->context, length + 1, 1);
    if (!name)
        return PHX_ERR_MEMORY;
    memcpy(name, first + 1, length);
    m->names[m->n_names++] = (physical_name){(int)dimension, abs((int)tag), name};
    m->at = line + 1;
    return PHX_OK;
}

static phx_status read_names(msh *m)
{
    long long count = 0;
    phx_status status = text_integer(m, "the number of physical names", &count);
    for (long long k = 0; k < count && !status; k++)
        status = read_name(m);
    return status;
}

/* ---- entities of format 4 ---- */
static bool is_entity(const void *items, int index, const void *key)
{
    const entity *e = (const entity *)items + index, *wanted = key;
    return e->dimension == wanted->dimension && e->tag == wanted->tag;
}

static uint64_t entity_hash(const entity *e)
{
    return phx_hash_word(phx_hash_word(PHX_HASH_START, (uint64_t)e->dimension), (uint64_t)e->tag);
}

/* An entity of a partitioned mesh takes the place of one with its tag. */
static phx_status add_entity(msh *m, const entity *e)
{
    const uint64_t hash = entity_hash(e);
    const int index = phx_table_find(&m->entity_table, hash, is_entity, m->entities, e);
    if (index >= 0) {
        m->entities[index] = *e;
        return PHX_OK;
    }
    phx_status status = phx_grow(m->context, &m->entities, &m->entities_room, m->n_entities + 1, sizeof *m->entities);
    if (!status)
        status = phx_table_add(m->context, &m->entity_table, hash, (int)m->n_entities);
    if (!status)
        m->entities[m->n_entities++] = *e;
    return status;
}

static phx_status skip_ints(msh *m, const char *what)
{
    long long count = 0, value = 0;
    phx_status status = get_count(m, what, 2, &count);
    for (long long k = 0; k < count && !status; k++)
        status = get_int(m, what, &value);
    return status;
}

static phx_status read_physical_tags(msh *m, entity *e)
{
    long long count = 0, tag = 0;
    phx_status status = get_count(m, "the number of physical tags", 2, &count);
    e->first = m->n_tags;
    for (long long k = 0; k < count && !status; k++) {
        status = get_int(m, "a physical tag", &tag);
        if (!status)
            status = phx_grow(m->context, &m->tags, &m->tags_room, m->n_tags + 1, sizeof *m->tags);
        if (!status) /* a negative one tells of a reversed orientation */
            m->tags[m->n_tags++] = abs((int)tag);
    }
    e->count = m->n_tags - e->first;
    return status;
}

static phx_status read_entity(msh *m, int dimension, bool partitioned)
{
    long long tag = 0, parent = 0;
    double box[6] = {0.0};
    entity e = {.dimension = dimension};
    phx_status status = get_int(m, "the tag of an entity", &tag);
    for (int k = 0; k < 2 * partitioned && !status; k++)
        status = get_int(m, "the parent of an entity", &parent);
    if (!status && partitioned)
        status = skip_ints(m, "the number of partitions of an entity");
    if (!status)
        status = get_reals(m, "a bound of an entity", dimension || m->format == 40 ? 6 : 3, box);
    if (!status)
        status = read_physical_tags(m, &e);
    if (!status && dimension)
        status = skip_ints(m, "the number of bounding entities");
    if (status)
        return status;
    e.tag = (int)tag;
    return add_entity(m, &e);
}

static phx_status read_all_entities(msh *m, bool partitioned)
{
    long long count[4] = {0};
    phx_status status = PHX_OK;
    for (int d = 0; d < 4 && !status; d++)
        status = get_count(m, "the number of entities", 2, &count[d]);
    for (int d = 0; d < 4 && !status; d++)
        for (long long k = 0; k < count[d] && !status; k++)
            status = read_entity(m, d, partitioned);
    return status;
}

static phx_status read_entities(msh *m)
{
    return read_all_entities(m, false);
}

static phx_status read_partitioned(msh *m)
{
    long long count = 0, ghosts = 0, value = 0;
    if (m->format != 41)
        return FAIL(m, "partitioned meshes are read in format 4.1 only; save the file in it");
    phx_status status = get_size(m, "the number of partitions", &count);
    if (!status)
        status = get_count(m, "the number of ghost entities", 2, &ghosts);
    for (long long k = 0; !status && k < 2 * ghosts; k++)
        status = get_int(m, "a ghost entity", &value);
    return status ? status : read_all_entities(m, true);
}

/* ---- nodes ---- */
static phx_status read_nodes_2(msh *m)
{
    long long count = 0, label = 0;
    double x[3] = {0.0};
    phx_status status = text_integer(m, "the number of nodes", &count);
    if (!status && m->binary)
        status = end_line(m);
    for (long long k = 0; k < count && !status; k++) {
        const size_t place = here(m);
        status = get_int(m, "the number of a node", &label);
        if (!status)
            status = get_reals(m, "a coordinate", 3, x);
        if (!status)
            status = phx_builder_node(m->b, 0, label, m->binary ? place : here(m), x);
    }
    return status;
}

/* Dimension and tag of the entity of a block; format 4.0 writes the tag first. */
static phx_status read_block_entity(msh *m, long long *dimension, long long *tag)
{
    const bool tag_first = m->format == 40;
    phx_status status = get_int(m, "the entity of a block", tag_first ? tag : dimension);
    if (!status)
        status = get_int(m, "the entity of a block", tag_first ? dimension : tag);
    if (!status && (*dimension < 0 || *dimension > 3))
        return FAIL(m, "a block of an entity of dimension %lld and tag %lld", *dimension, *tag);
    return status;
}

/* Format 4.1 writes the tags of all nodes of a block, then all coordinates; 4.0 node by node. */
static phx_status read_node_block(msh *m, long long *n_read)
{
    long long dimension = 0, tag = 0, parametric = 0, count = 0, label = 0;
    phx_status status = read_block_entity(m, &dimension, &tag);
    if (!status)
        status = get_int(m, "the mark of parametric nodes", &parametric);
    if (!status)
        status = get_count(m, "the number of nodes of a block", 2, &count);
    if (status)
        return status;
    const int n_reals = parametric ? 3 + (int)dimension : 3;
    const size_t first = m->b->n_nodes;
    double x[6] = {0.0};
    for (long long k = 0; k < count && !status && m->format == 41; k++) {
        status = get_tag(m, "the tag of a node", &label);
        if (!status)
            status = phx_builder_node(m->b, 0, label, here(m), x);
    }
    for (long long k = 0; k < count && !status; k++) {
        if (m->format == 40)
            status = get_tag(m, "the tag of a node", &label);
        if (!status)
            status = get_reals(m, "a coordinate", n_reals, x);
        if (!status && m->format == 40)
            status = phx_builder_node(m->b, 0, label, here(m), x);
        else if (!status)
            status = phx_builder_place_node(m->b, first + (size_t)k, here(m), x);
    }
    *n_read += count;
    return status;
}

/* Blocks with the number of what they hold; format 4.1 adds the least and largest tags. */
static phx_status read_blocks(msh *m, const char *what, phx_status read_block(msh *m, long long *n_read))
{
    long long n_blocks = 0, count = 0, tag = 0, n_read = 0;
    phx_status status = get_count(m, "the number of blocks", 2, &n_blocks);
    if (!status)
        status = get_size(m, what, &count);
    for (int k = 0; k < 2 && !status && m->format == 41; k++)
        status = get_size(m, "the range of the tags", &tag);
    for (long long k = 0; k < n_blocks && !status; k++)
        status = read_block(m, &n_read);
    if (!status && n_read != count)
        return FAIL(m, "%s is %lld, and the blocks have %lld", what, count, n_read);
    return status;
}

static phx_status read_nodes(msh *m)
{
    return m->format < 40 ? read_nodes_2(m) : read_blocks(m, "the number of nodes", read_node_block);
}

/* ---- elements ---- */
static phx_status add_run(msh *m, int dimension, long long tag, bool is_of_entity, size_t item)
{
    run *last = m->n_runs ? &m->runs[m->n_runs - 1] : NULL;
    if (last && last->dimension == dimension && last->tag == tag && last->entity == is_of_entity && last->end == item) {
        last->end++;
        return PHX_OK;
    }
    const phx_status status = phx_grow(m->context, &m->runs, &m->runs_room, m->n_runs + 1, sizeof *m->runs);
    if (!status)
        m->runs[m->n_runs++] = (run){dimension, (int)tag, is_of_entity, item, item + 1};
    return status;
}

typedef struct new_cell {
    phx_cell_type type;
    const int *nodes;
} new_cell;

static bool is_cell(const void *items, int index, const void *key)
{
    const phx_builder *b = items;
    const new_cell *cell = key;
    return b->cells[index].type == cell->type && memcmp(b->cell_nodes + b->cells[index].first, cell->nodes,
                                                        (size_t)phx_cell_info_of(cell->type)->nodes * sizeof(int)) == 0;
}

/* The index of the cell. Format 2 writes a cell once for each of its physical groups, which is one cell here. */
static phx_status add_cell(msh *m, const phx_built_cell *cell, const int *nodes, size_t *index)
{
    const new_cell key = {cell->type, nodes};
    uint64_t hash = PHX_HASH_START;
    *index = m->b->n_cells;
    if (m->format < 40) {
        for (int k = 0; k < phx_cell_info_of(cell->type)->nodes; k++)
            hash = phx_hash_word(hash, (uint64_t)nodes[k]);
        const int old = phx_table_find(&m->cell_table, hash, is_cell, m->b, &key);
        if (old >= 0) {
            *index = (size_t)old;
            return PHX_OK;
        }
    }
    const phx_status status = phx_builder_cell(m->b, cell, nodes);
    if (status || m->format >= 40)
        return status;
    return phx_table_add(m->context, &m->cell_table, hash, (int)*index);
}

/* What is known of an element in front of its nodes. */
typedef struct element {
    long long number; /* of its type */
    long long label;
    long long tag; /* of its physical group (0: none), or of its entity */
    int dimension; /* of the entity, -1: not told */
    size_t place;
} element;

static phx_status read_node_label(msh *m, const element *e, int *node)
{
    long long label = 0;
    const phx_status status = get_tag(m, "a node of an element", &label);
    return status ? status
                  : phx_builder_label(m->b, "an element with the node", label, m->binary ? e->place : here(m), node);
}

static phx_status read_point(msh *m, const element *e)
{
    point p = {.place = e->place};
    phx_status status = read_node_label(m, e, &p.node);
    if (!status)
        status = phx_grow(m->context, &m->points, &m->points_room, m->n_points + 1, sizeof *m->points);
    if (status)
        return status;
    m->points[m->n_points] = p;
    return add_run(m, 0, e->tag, e->dimension >= 0, m->n_points++);
}

static phx_status read_cell(msh *m, const element *e)
{
    const phx_gmsh_cell *gmsh = phx_gmsh_cell_of(e->number);
    if (!gmsh)
        return phx_gmsh_refuse_cell(m->b->input, e->place, e->number);
    const phx_cell_info *info = phx_cell_info_of(gmsh->type);
    if (e->dimension >= 0 && e->dimension != info->dimension)
        return phx_input_fail(m->b->input, e->place, "cells of type %s in an entity of dimension %d", info->name,
                              e->dimension);
    int read[PHX_CELL_MOST_NODES] = {0}, nodes[PHX_CELL_MOST_NODES];
    phx_built_cell cell = {.type = gmsh->type, .variant = -1, .place = e->place};
    phx_status status = phx_builder_label(m->b, "element", e->label, e->place, &cell.label);
    for (int k = 0; k < info->nodes && !status; k++)
        status = read_node_label(m, e, &read[k]);
    if (status)
        return status;
    for (int k = 0; k < info->nodes; k++)
        nodes[k] = read[gmsh->order ? gmsh->order[k] : k];
    size_t index = 0;
    status = add_cell(m, &cell, nodes, &index);
    return status ? status : add_run(m, info->dimension, e->tag, e->dimension >= 0, index);
}

static phx_status read_element(msh *m, const element *e)
{
    return phx_gmsh_is_point(e->number) ? read_point(m, e) : read_cell(m, e);
}

/* Tags of format 2: physical group, entity, partitions. */
static phx_status read_tags_2(msh *m, long long n_tags, element *e)
{
    long long tag = 0;
    phx_status status = PHX_OK;
    if (n_tags < 0)
        return FAIL(m, "an element with %lld tags", n_tags);
    for (long long k = 0; k < n_tags && !status; k++) {
        status = get_int(m, "a tag of an element", &tag);
        if (!status && k == 0)
            e->tag = llabs(tag);
    }
    return status;
}

static phx_status read_element_2(msh *m)
{
    element e = {.dimension = -1};
    long long n_tags = 0;
    phx_status status = text_integer(m, "the number of an element", &e.label);
    e.place = here(m);
    if (!status)
        status = text_integer(m, "the type of an element", &e.number);
    if (!status)
        status = text_integer(m, "the number of tags", &n_tags);
    if (!status)
        status = read_tags_2(m, n_tags, &e);
    return status ? status : read_element(m, &e);
}

/* Elements of one type and number of tags. */
static phx_status read_element_block_2(msh *m, long long *n_read)
{
    long long number = 0, count = 0, n_tags = 0;
    phx_status status = get_int(m, "the type of elements", &number);
    if (!status)
        status = get_int(m, "the number of elements of a block", &count);
    if (!status)
        status = get_int(m, "the number of tags", &n_tags);
    if (!status && count < 1)
        return FAIL(m, "a block of %lld elements", count);
    for (long long k = 0; !status && k < count; k++) {
        element e = {.number = number, .dimension = -1, .place = here(m)};
        status = get_int(m, "the number of an element", &e.label);
        if (!status)
            status = read_tags_2(m, n_tags, &e);
        if (!status)
            status = read_element(m, &e);
    }
    *n_read += status ? 0 : count;
    return status;
}

static phx_status read_elements_2(msh *m)
{
    long long count = 0, n_read = 0;
    phx_status status = text_integer(m, "the number of elements", &count);
    if (!status && m->binary)
        status = end_line(m);
    while (n_read < count && !status) {
        if (m->binary)
            status = read_element_block_2(m, &n_read);
        else {
            status = read_element_2(m);
            n_read++;
        }
    }
    if (!status && n_read > count)
        return FAIL(m, "the number of elements is %lld, and the blocks have %lld", count, n_read);
    return status;
}

static phx_status read_element_block(msh *m, long long *n_read)
{
    long long dimension = 0, tag = 0, number = 0, count = 0;
    phx_status status = read_block_entity(m, &dimension, &tag);
    if (!status)
        status = get_int(m, "the type of elements", &number);
    if (!status)
        status = get_count(m, "the number of elements of a block", 2, &count);
    for (long long k = 0; !status && k < count; k++) {
        element e = {.number = number, .tag = tag, .dimension = (int)dimension, .place = here(m)};
        status = get_tag(m, "the tag of an element", &e.label);
        if (!m->binary)
            e.place = here(m);
        if (!status)
            status = read_element(m, &e);
    }
    *n_read += status ? 0 : count;
    return status;
}

static phx_status read_elements(msh *m)
{
    return m->format < 40 ? read_elements_2(m) : read_blocks(m, "the number of elements", read_element_block);
}

/* ---- groups ---- */
static int by_tag(const void *a, const void *b)
{
    const physical_name *p = a, *q = b;
    return p->dimension != q->dimension ? (p->dimension > q->dimension) - (p->dimension < q->dimension)
                                        : (p->tag > q->tag) - (p->tag < q->tag);
}

/* The group of a physical tag: by its name, or "surface 3". */
static phx_status group_of_tag(msh *m, int dimension, int tag, int *group)
{
    static const char *const sorts[4] = {"point", "curve", "surface", "volume"};
    const physical_name key = {.dimension = dimension, .tag = tag};
    const physical_name *named = m->n_names ? bsearch(&key, m->names, m->n_names, sizeof *m->names, by_tag) : NULL;
    if (named && named->name[0])
        return phx_builder_group(m->b, named->name, dimension, group);
    char name[32];
    snprintf(name, sizeof name, "%s %d", sorts[dimension], tag);
    return phx_builder_group(m->b, name, dimension, group);
}

static phx_status add_item(msh *m, int dimension, size_t item, int group)
{
    if (dimension)
        return phx_builder_item(m->b, group, (int)item);
    const point *p = &m->points[item];
    const int node = phx_builder_find_node(m->b, 0, p->node);
    if (node < 0)
        return phx_input_fail(m->b->input, p->place, "a point element has node %d, which is not there", p->node);
    return phx_builder_item(m->b, group, node);
}

static phx_status add_to_group(msh *m, const run *r, int tag)
{
    int group = -1;
    phx_status status = tag ? group_of_tag(m, r->dimension, tag, &group) : PHX_OK;
    for (size_t item = r->first; item < r->end && tag && !status; item++)
        status = add_item(m, r->dimension, item, group);
    return status;
}

static phx_status make_groups(msh *m)
{
    phx_status status = PHX_OK;
    int group = -1;
    if (m->n_names)
        qsort(m->names, m->n_names, sizeof *m->names, by_tag);
    for (size_t k = 0; k < m->n_names && !status; k++)
        status = group_of_tag(m, m->names[k].dimension, m->names[k].tag, &group);
    for (size_t k = 0; k < m->n_runs && !status; k++) {
        const run *r = &m->runs[k];
        if (!r->entity) {
            status = add_to_group(m, r, r->tag);
            continue;
        }
        const entity key = {.dimension = r->dimension, .tag = r->tag};
        const int e = phx_table_find(&m->entity_table, entity_hash(&key), is_entity, m->entities, &key);
        for (size_t t = 0; e >= 0 && t < m->entities[e].count && !status; t++)
            status = add_to_group(m, r, m->tags[m->entities[e].first + t]);
    }
    return status;
}

/* ---- the file ---- */
static phx_status read_byte_order(msh *m)
{
    uint64_t one = 0;
    phx_status status = end_line(m);
    if (!status)
        status = bytes(m, 4, &one);
    if (status)
        return status;
    m->big_endian = one == 1u << 24;
    if (one != 1 && one != 1u << 24) {
        m->at -= 4;
        return FAIL(m, "the number 1 in four bytes is expected, which tells the byte order");
    }
    return PHX_OK;
}

static phx_status read_format(msh *m)
{
    double version = 0.0;
    long long type = 0, size = 0;
    phx_status status = text_real(m, "the version of the format", &version);
    if (!status)
        status = text_integer(m, "the type of the file", &type);
    if (!status)
        status = text_integer(m, "the size of a number", &size);
    if (status)
        return status;
    m->format = version >= 2.0 && version < 2.3 ? 22 : version == 4.0 ? 40 : version == 4.1 ? 41 : 0;
    if (!m->format)
        return FAIL(m,
                    "the format is %g; 2, 4.0 and 4.1 are read (gmsh FILE -save -format msh41 -o NEW.msh converts it)",
                    version);
    if (type != 0 && type != 1)
        return FAIL(m, "the type of the file is %lld; 0 (text) or 1 (binary) is expected", type);
    if (size != 8 && (size != 4 || m->format != 41))
        return FAIL(m, "the size of a number is %lld bytes; 8 is expected", size);
    m->size_bytes = (int)size;
    m->binary = m->file->binary = type == 1;
    return m->binary ? read_byte_order(m) : PHX_OK;
}

typedef struct section {
    const char *name;
    bool binary; /* numbers of a binary file follow the end of the line */
    phx_status (*read)(msh *m);
} section;

static const section sections[] = {
    {"$MeshFormat", false, read_format}, {"$PhysicalNames", false, read_names},
    {"$Entities", true, read_entities},  {"$PartitionedEntities", true, read_partitioned},
    {"$Nodes", true, read_nodes},        {"$Elements", true, read_elements},
};

/* Any other section, of which nothing is needed. */
static phx_status skip_section(msh *m, const char *name, size_t length)
{
    for (const char *at = m->at; (at = memchr(at, '$', (size_t)(m->end - at))); at++)
        if ((size_t)(m->end - at) >= length + 3 && !memcmp(at, "$End", 4) && !memcmp(at + 4, name + 1, length - 1)) {
            m->at = at + length + 3;
            return PHX_OK;
        }
    const phx_shown shown = phx_shown_part(name, length);
    m->at = m->end;
    return FAIL(m, "the file ends inside of %s", shown.text);
}

static const section *section_named(const char *name, size_t length)
{
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
        if (strlen(sections[k].name) == length && !memcmp(sections[k].name, name, length))
            return &sections[k];
    return NULL;
}

static phx_status read_section(msh *m, const char *name, size_t length)
{
    const section *s = section_named(name, length);
    if (m->format == 0 && (!s || s->read != read_format))
        return FAIL(m, "$MeshFormat is expected as the first section; found %s", phx_shown_part(name, length).text);
    m->at += length;
    if (!s)
        return skip_section(m, name, length);
    m->section = s->name;
    phx_status status = s->binary && m->binary && m->format >= 40 ? end_line(m) : PHX_OK;
    if (!status)
        status = s->read(m);
    return status ? status : end_section(m);
}

static phx_status read_sections(msh *m)
{
    size_t length;
    const char *word;
    phx_status status = PHX_OK;
    bool nodes = false, elements = false;
    while (!status && (word = peek_word(m, &length))) {
        if (*word != '$')
            return FAIL(m, "a section such as $Nodes is expected; found %s", phx_shown_part(word, length).text);
        const section *s = section_named(word, length);
        nodes = nodes || (s && s->read == read_nodes);
        elements = elements || (s && s->read == read_elements);
        status = read_section(m, word, length);
    }
    if (!status && (!nodes || !elements))
        return FAIL(m, "the file ends without a section %s", nodes ? "$Elements" : "$Nodes");
    return status;
}

phx_status phx_read_msh(phx_builder *builder)
{
    phx_input_file *file = &builder->input->files[0];
    msh m = {.b = builder, .context = builder->context, .file = file, .size_bytes = 8, .section = "$MeshFormat"};
    m.at = file->bytes;
    m.end = file->bytes + file->size;
    phx_status status = read_sections(&m);
    if (!status)
        status = phx_builder_index(builder);
    if (!status)
        status = make_groups(&m);
    for (size_t k = 0; k < m.n_names; k++)
        phx_free(m.names[k].name);
    phx_free(m.names);
    phx_free(m.entities);
    phx_free(m.tags);
    phx_free(m.runs);
    phx_free(m.points);
    phx_table_free(&m.entity_table);
    phx_table_free(&m.cell_table);
    return status;
}
