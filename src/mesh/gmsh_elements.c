/* Elements of a file .msh. */
#include "gmsh_msh.h"
#include "gmsh_cells.h"

#include <stdlib.h>
#include <string.h>

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
static phx_status gmsh_elements_add_cell(phx_msh *m, const phx_built_cell *cell, const int *nodes, size_t *index)
{
    const new_cell key = {cell->type, nodes};
    uint64_t hash = PHX_HASH_START;
    *index = m->b->n_cells;
    if (m->text.format < 40) {
        for (int k = 0; k < phx_cell_info_of(cell->type)->nodes; k++)
            hash = phx_hash_word(hash, (uint64_t)nodes[k]);
        const int old = phx_table_find(&m->cell_table, hash, is_cell, m->b, &key);
        if (old >= 0) {
            *index = (size_t)old;
            return PHX_OK;
        }
    }
    const phx_status status = phx_builder_cell(m->b, cell, nodes);
    if (status || m->text.format >= 40)
        return status;
    return phx_table_add(m->context, &m->cell_table, hash, (int)*index);
}

/* The data of an element that stand in front of its nodes. */
typedef struct element {
    long long number; /* of its type */
    long long label;
    long long tag;  /* of its physical group, or of its phx_msh_entity */
    bool of_entity; /* which of them */
    int dimension;  /* of the entity, -1: not told */
    size_t place;
} element;

static phx_status read_node_label(phx_msh *m, const element *e, int *node)
{
    long long label = 0;
    const phx_status status = phx_msh_tag(m, "a node of an element", &label);
    return status ? status
                  : phx_builder_label(m->b, "an element with the node", label,
                                      m->text.binary ? e->place : phx_msh_place(m), node);
}

static phx_status read_point(phx_msh *m, const element *e)
{
    phx_msh_point p = {.place = e->place};
    phx_status status = read_node_label(m, e, &p.node);
    if (!status)
        status = phx_grow(m->context, &m->physical.points, &m->physical.points_room, m->physical.n_points + 1,
                          sizeof *m->physical.points);
    if (status)
        return status;
    m->physical.points[m->physical.n_points] = p;
    return phx_msh_add_run(m, 0, e->tag, e->of_entity, m->physical.n_points++);
}

/* Adds one Gmsh element as a cell, with its nodes in the order of the table of cells, and notes its entity or physical
 * group. */
static phx_status read_cell(phx_msh *m, const element *e)
{
    const phx_gmsh_cell *gmsh = phx_gmsh_cell_of(e->number);
    if (!gmsh)
        return phx_gmsh_refuse_cell(m->b->input, e->place, e->number);
    phx_built_cell cell = {.type = gmsh->type, .variant = -1, .beyond = gmsh->beyond, .place = e->place};
    phx_builder_type(m->b, &cell);
    const phx_cell_info *info = phx_cell_info_of(cell.type);
    if (e->dimension >= 0 && e->dimension != info->dimension)
        return phx_input_fail(m->b->input, e->place, "cells of type %s in an entity of dimension %d", info->name,
                              e->dimension);
    int read[PHX_CELL_MOST_WRITTEN] = {0}, nodes[PHX_CELL_MOST_NODES];
    phx_status status = phx_builder_label(m->b, "element", e->label, e->place, &cell.label);
    for (int k = 0; k < info->nodes + cell.beyond && !status; k++)
        status = read_node_label(m, e, &read[k]);
    if (status)
        return status;
    for (int k = 0; k < info->nodes; k++)
        nodes[k] = read[gmsh->order ? gmsh->order[k] : k];
    size_t index = 0;
    status = gmsh_elements_add_cell(m, &cell, nodes, &index);
    return status ? status : phx_msh_add_run(m, info->dimension, e->tag, e->of_entity, index);
}

static phx_status read_element(phx_msh *m, const element *e)
{
    return phx_gmsh_is_point(e->number) ? read_point(m, e) : read_cell(m, e);
}

/* Tags of format 2: physical group (0: none), entity, partitions. */
static phx_status read_tags_2(phx_msh *m, long long n_tags, element *e)
{
    long long tag = 0;
    phx_status status = PHX_OK;
    if (n_tags < 0)
        return MSH_FAIL(m, "an element with %lld tags", n_tags);
    for (long long k = 0; k < n_tags && !status; k++) {
        status = phx_msh_int(m, "a tag of an element", &tag);
        e->of_entity = k == 0 ? tag == 0 : e->of_entity;
        if (k == 0 || (k == 1 && e->of_entity))
            e->tag = llabs(tag);
    }
    return status;
}

static phx_status read_element_2(phx_msh *m)
{
    element e = {.dimension = -1};
    long long n_tags = 0;
    phx_status status = phx_msh_text_integer(m, "the number of an element", &e.label);
    e.place = phx_msh_place(m);
    if (!status)
        status = phx_msh_text_integer(m, "the type of an element", &e.number);
    if (!status)
        status = phx_msh_text_integer(m, "the number of tags", &n_tags);
    if (!status)
        status = read_tags_2(m, n_tags, &e);
    return status ? status : read_element(m, &e);
}

/* Elements of one type and number of tags. */
static phx_status read_element_block_2(phx_msh *m, long long *n_read)
{
    long long number = 0, count = 0, n_tags = 0;
    phx_status status = phx_msh_int(m, "the type of elements", &number);
    if (!status)
        status = phx_msh_int(m, "the number of elements of a block", &count);
    if (!status)
        status = phx_msh_int(m, "the number of tags", &n_tags);
    if (!status && count < 1)
        return MSH_FAIL(m, "a block of %lld elements", count);
    for (long long k = 0; !status && k < count; k++) {
        element e = {.number = number, .dimension = -1, .place = phx_msh_place(m)};
        status = phx_msh_int(m, "the number of an element", &e.label);
        if (!status)
            status = read_tags_2(m, n_tags, &e);
        if (!status)
            status = read_element(m, &e);
    }
    *n_read += status ? 0 : count;
    return status;
}

/* Reads $Elements of format 2, text or binary; the blocks must have the announced number of elements. */
static phx_status read_elements_2(phx_msh *m)
{
    long long count = 0, n_read = 0;
    phx_status status = phx_msh_text_integer(m, "the number of elements", &count);
    if (!status && m->text.binary)
        status = phx_msh_end_line(m);
    while (n_read < count && !status) {
        if (m->text.binary)
            status = read_element_block_2(m, &n_read);
        else {
            status = read_element_2(m);
            n_read++;
        }
    }
    if (!status && n_read > count)
        return MSH_FAIL(m, "the number of elements is %lld, and the blocks have %lld", count, n_read);
    return status;
}

/* Reads one block of elements of format 4 and adds its size to the number read. */
static phx_status read_element_block(phx_msh *m, long long *n_read)
{
    long long dimension = 0, tag = 0, number = 0, count = 0;
    phx_status status = phx_msh_block_entity(m, &dimension, &tag);
    if (!status)
        status = phx_msh_int(m, "the type of elements", &number);
    if (!status)
        status = phx_msh_count(m, "the number of elements of a block", 2, &count);
    for (long long k = 0; !status && k < count; k++) {
        element e = {
            .number = number, .tag = tag, .of_entity = true, .dimension = (int)dimension, .place = phx_msh_place(m)};
        status = phx_msh_tag(m, "the tag of an element", &e.label);
        if (!m->text.binary)
            e.place = phx_msh_place(m);
        if (!status)
            status = read_element(m, &e);
    }
    *n_read += status ? 0 : count;
    return status;
}

phx_status phx_msh_elements(phx_msh *m)
{
    return m->text.format < 40 ? read_elements_2(m) : phx_msh_blocks(m, "the number of elements", read_element_block);
}
