/* Nodes, cells and groups as a file names them, made a mesh. */
#include "builder.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */
phx_status phx_grow(phx_context *context, void *array, size_t *room, size_t needed, size_t size)
{
    void *old;
    if (needed <= *room)
        return PHX_OK;
    const size_t larger = needed < 16 ? 16 : needed + needed / 2;
    memcpy(&old, array, sizeof old);
    void *grown = phx_realloc(context, old, larger, size);
    if (!grown)
        return PHX_ERR_MEMORY;
    memcpy(array, &grown, sizeof grown);
    *room = larger;
    return PHX_OK;
}

static void free_index(phx_label_index *index)
{
    phx_free(index->table);
    phx_free(index->label);
    phx_free(index->index);
    *index = (phx_label_index){0};
}

phx_status phx_builder_init(phx_builder *b, phx_input *input, double unit)
{
    int scope;
    *b = (phx_builder){.context = input->context, .input = input, .unit = unit};
    return phx_builder_scope(b, &scope);
}

/* Frees everything the builder holds; what a finished mesh has taken over is excluded. */
void phx_builder_free(phx_builder *b)
{
    for (size_t g = 0; g < b->n_groups; g++) {
        phx_free(b->groups[g].name);
        phx_free(b->groups[g].items);
    }
    for (size_t v = 0; v < b->n_variants; v++)
        phx_free(b->variants[v]);
    phx_free(b->nodes);
    phx_free(b->cells);
    phx_free(b->cell_nodes);
    phx_free(b->groups);
    phx_free(b->variants);
    for (size_t k = 0; k < b->n_remarks; k++)
        phx_free(b->remarks[k].text);
    phx_free(b->remarks);
    phx_free(b->scopes);
    phx_table_free(&b->group_names);
    phx_table_free(&b->sides);
    free_index(&b->node_index);
    free_index(&b->cell_index);
}

phx_status phx_builder_scope(phx_builder *b, int *scope)
{
    const phx_status status = phx_grow(b->context, &b->scopes, &b->scopes_room, b->n_scopes + 1, sizeof *b->scopes);
    if (status)
        return status;
    *scope = (int)b->n_scopes;
    b->scopes[b->n_scopes++] = (phx_scope){0};
    return PHX_OK;
}

/* ---- collecting ---- */
phx_status phx_builder_label(phx_builder *b, const char *what, long long label, size_t place, int *value)
{
    if (label < 1 || label > INT_MAX)
        return phx_input_fail(b->input, place, "%s %lld; 1 to %d is possible", what, label, INT_MAX);
    *value = (int)label;
    return PHX_OK;
}

static void note_label(phx_scope *scope, int sort, int label)
{
    if (label > scope->most[sort])
        scope->most[sort] = label;
}

phx_status phx_builder_place_node(phx_builder *b, size_t index, size_t place, const double x[3])
{
    phx_built_node *node = &b->nodes[index];
    for (int i = 0; i < 3; i++) {
        node->x[i] = b->unit * x[i];
        if (!isfinite(node->x[i]))
            return phx_input_fail(b->input, place, "node %d: %c is %g; a finite coordinate is expected", node->label,
                                  "xyz"[i], x[i]);
    }
    return PHX_OK;
}

phx_status phx_builder_node(phx_builder *b, int scope, long long label, size_t place, const double x[3])
{
    phx_built_node node = {.scope = scope, .place = place};
    phx_status status = phx_builder_label(b, "node", label, place, &node.label);
    if (!status)
        status = phx_grow(b->context, &b->nodes, &b->nodes_room, b->n_nodes + 1, sizeof *b->nodes);
    if (status)
        return status;
    note_label(&b->scopes[scope], 0, node.label);
    b->nodes[b->n_nodes++] = node;
    return phx_builder_place_node(b, b->n_nodes - 1, place, x);
}

void phx_builder_type(const phx_builder *b, phx_built_cell *cell)
{
    const phx_cell_type type = cell->type == PHX_CELL_QUAD9   ? PHX_CELL_QUAD8
                               : cell->type == PHX_CELL_HEX27 ? PHX_CELL_HEX20
                                                              : cell->type;
    if (b->centres || type == cell->type)
        return;
    cell->beyond = phx_cell_info_of(cell->type)->nodes - phx_cell_info_of(type)->nodes;
    cell->type = type;
}

/* Appends a cell with the labels of its nodes, which phx_builder_index later replaces by indices. */
phx_status phx_builder_cell(phx_builder *b, const phx_built_cell *cell, const int *nodes)
{
    const size_t count = (size_t)phx_cell_info_of(cell->type)->nodes;
    phx_status status = phx_grow(b->context, &b->cells, &b->cells_room, b->n_cells + 1, sizeof *b->cells);
    if (!status)
        status = phx_grow(b->context, &b->cell_nodes, &b->cell_nodes_room, b->n_cell_nodes + count, sizeof(int));
    if (status)
        return status;
    if (b->n_cell_nodes + count > INT_MAX)
        return phx_input_fail(b->input, cell->place, "more cells than a mesh can have");
    if (cell->beyond && phx_cell_info_of(cell->type)->dimension == 3 && !b->remarked) {
        b->remarked = true;
        status = phx_builder_remark(b, PHX_MESH_NOTE, 3, cell->place,
                                    "elements with nodes in faces are read as those with nodes on edges alone");
        if (status)
            return status;
    }
    note_label(&b->scopes[cell->scope], 1, cell->label);
    b->cells[b->n_cells] = *cell;
    b->cells[b->n_cells++].first = b->n_cell_nodes;
    memcpy(b->cell_nodes + b->n_cell_nodes, nodes, count * sizeof *nodes);
    b->n_cell_nodes += count;
    return PHX_OK;
}

/* Returns the number of the named variant of an element type, which is added if it is new. */
phx_status phx_builder_variant(phx_builder *b, const char *name, int *variant)
{
    for (*variant = 0; *variant < (int)b->n_variants; ++*variant)
        if (!strcmp(b->variants[*variant], name))
            return PHX_OK;
    const phx_status status =
        phx_grow(b->context, &b->variants, &b->variants_room, b->n_variants + 1, sizeof *b->variants);
    if (status)
        return status;
    char *copy = phx_strdup(b->context, name);
    if (!copy)
        return PHX_ERR_MEMORY;
    b->variants[b->n_variants++] = copy;
    return PHX_OK;
}

phx_status phx_builder_remark(phx_builder *b, phx_mesh_remark_kind kind, int dimension, size_t place, const char *text)
{
    const phx_status status = phx_grow(b->context, &b->remarks, &b->remarks_room, b->n_remarks + 1, sizeof *b->remarks);
    const phx_shown where = phx_input_place(b->input, place);
    const size_t size = strlen(where.text) + strlen(text) + 3;
    char *copy = status ? NULL : phx_calloc(b->context, size, 1);

    if (!copy)
        return PHX_ERR_MEMORY;
    snprintf(copy, size, "%s: %s", where.text, text);
    b->remarks[b->n_remarks++] = (phx_mesh_remark){kind, dimension, copy};
    return PHX_OK;
}

/* ---- labels ---- */
typedef struct labelled {
    int label, index;
} labelled;

static int by_label(const void *a, const void *b)
{
    const labelled *p = a, *q = b;
    const int order = (p->label > q->label) - (p->label < q->label);
    return order ? order : (p->index > q->index) - (p->index < q->index);
}

/* Fills the table; twice[2]: two indices of one label, or -1. */
static void fill_table(phx_label_index *index, const int *labels, int *twice)
{
    for (int i = 0; i <= index->high - index->low; i++)
        index->table[i] = -1;
    for (int i = 0; i < index->count; i++) {
        int *entry = &index->table[labels[i] - index->low];
        if (*entry >= 0) {
            twice[0] = *entry;
            twice[1] = i;
            return;
        }
        *entry = i;
    }
}

/* Index of widely spaced labels by sorted arrays; twice[] gets two items with the same label if there are any. */
static phx_status sort_labels(phx_context *context, phx_label_index *index, const int *labels, int *twice)
{
    const size_t n = (size_t)index->count;
    labelled *pairs = phx_calloc(context, n, sizeof *pairs);
    index->label = phx_calloc(context, n, sizeof *index->label);
    index->index = phx_calloc(context, n, sizeof *index->index);
    if (pairs && index->label && index->index) {
        for (int i = 0; i < index->count; i++)
            pairs[i] = (labelled){labels[i], i};
        qsort(pairs, n, sizeof *pairs, by_label);
        for (int i = 0; i < index->count; i++) {
            index->label[i] = pairs[i].label;
            index->index[i] = pairs[i].index;
            if (i && twice[0] < 0 && pairs[i].label == pairs[i - 1].label) {
                twice[0] = pairs[i - 1].index;
                twice[1] = pairs[i].index;
            }
        }
    }
    phx_free(pairs);
    return pairs && index->label && index->index ? PHX_OK : PHX_ERR_MEMORY;
}

/* Creates the index from label to item: a direct table if labels lie close together, else sorted arrays. twice[] gets
 * two items of one label, -1 if all differ. */
static phx_status make_index(phx_context *context, int count, const int *labels, phx_label_index *index, int *twice)
{
    twice[0] = twice[1] = -1;
    *index = (phx_label_index){.count = count, .low = 1};
    for (int i = 0; i < count; i++) {
        index->low = i == 0 || labels[i] < index->low ? labels[i] : index->low;
        index->high = i == 0 || labels[i] > index->high ? labels[i] : index->high;
    }
    if ((double)index->high - index->low > 4.0 * count + 1024.0)
        return sort_labels(context, index, labels, twice);
    index->table = phx_calloc(context, (size_t)(index->high - index->low + 1), sizeof *index->table);
    if (!index->table)
        return PHX_ERR_MEMORY;
    fill_table(index, labels, twice);
    return PHX_OK;
}

/* Returns the item with this label, -1 if there is none. */
static int find_label(const phx_label_index *index, int label)
{
    if (label < index->low || label > index->high || index->count == 0)
        return -1;
    if (index->table)
        return index->table[label - index->low];
    int low = 0, high = index->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (index->label[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->count && index->label[low] == label ? index->index[low] : -1;
}

static int find_scoped(const phx_builder *b, int sort, int scope, long long label)
{
    const phx_scope *s = &b->scopes[scope];
    if (label < 1 || label > s->most[sort])
        return -1;
    return find_label(sort ? &b->cell_index : &b->node_index, s->base[sort] + (int)label);
}

int phx_builder_find_node(const phx_builder *b, int scope, long long label)
{
    return find_scoped(b, 0, scope, label);
}

int phx_builder_find_cell(const phx_builder *b, int scope, long long label)
{
    return find_scoped(b, 1, scope, label);
}

/* Instances in their order, what stands outside of them last: the labels of a file with one instance stay. */
static phx_status place_scopes(phx_builder *b)
{
    long long base[2] = {0, 0};
    for (size_t k = 1; k <= b->n_scopes; k++) {
        phx_scope *scope = &b->scopes[k % b->n_scopes];
        for (int sort = 0; sort < 2; sort++) {
            scope->base[sort] = (int)base[sort];
            base[sort] += scope->most[sort];
            if (base[sort] > INT_MAX)
                return phx_fail(b->context, PHX_ERR_INPUT, "%s: the instances together have labels above %d",
                                b->input->files[0].path, INT_MAX);
        }
    }
    return PHX_OK;
}

static int node_order(const void *a, const void *b)
{
    const phx_built_node *p = a, *q = b;
    const int order = (p->label > q->label) - (p->label < q->label);
    return order ? order : (p->place > q->place) - (p->place < q->place);
}

static void sort_nodes(phx_builder *b)
{
    bool ascend = true;
    for (size_t i = 0; i < b->n_nodes; i++) {
        b->nodes[i].label += b->scopes[b->nodes[i].scope].base[0];
        ascend = ascend && (i == 0 || b->nodes[i - 1].label < b->nodes[i].label);
    }
    if (!ascend)
        qsort(b->nodes, b->n_nodes, sizeof *b->nodes, node_order);
}

static phx_status fail_twice(phx_builder *b, const char *what, int label, size_t first, size_t second)
{
    return phx_input_fail(b->input, second, "%s %d is there twice, first at %s", what, label,
                          phx_input_place(b->input, first).text);
}

static phx_status index_nodes(phx_builder *b, int *labels)
{
    int twice[2];
    for (size_t i = 0; i < b->n_nodes; i++)
        labels[i] = b->nodes[i].label;
    const phx_status status = make_index(b->context, (int)b->n_nodes, labels, &b->node_index, twice);
    if (status || twice[0] < 0)
        return status;
    const phx_built_node *node = &b->nodes[twice[1]];
    return fail_twice(b, "node", node->label - b->scopes[node->scope].base[0], b->nodes[twice[0]].place, node->place);
}

static phx_status index_cells(phx_builder *b, int *labels)
{
    int twice[2];
    for (size_t c = 0; c < b->n_cells; c++)
        labels[c] = b->cells[c].label += b->scopes[b->cells[c].scope].base[1];
    const phx_status status = make_index(b->context, (int)b->n_cells, labels, &b->cell_index, twice);
    if (status || twice[0] < 0)
        return status;
    const phx_built_cell *cell = &b->cells[twice[1]];
    return fail_twice(b, "element", cell->label - b->scopes[cell->scope].base[1], b->cells[twice[0]].place,
                      cell->place);
}

/* Replaces the labels of nodes in all cells by indices; a missing node is refused at the place of the cell. */
static phx_status find_cell_nodes(phx_builder *b)
{
    for (size_t c = 0; c < b->n_cells; c++) {
        const phx_built_cell *cell = &b->cells[c];
        const phx_cell_info *info = phx_cell_info_of(cell->type);
        for (int k = 0; k < info->nodes; k++) {
            int *node = &b->cell_nodes[cell->first + (size_t)k];
            const int found = phx_builder_find_node(b, cell->scope, *node);
            if (found < 0)
                return phx_input_fail(b->input, cell->place, "element %d (%s) has node %d, which is not there",
                                      cell->label - b->scopes[cell->scope].base[1], info->name, *node);
            *node = found;
        }
    }
    return PHX_OK;
}

/* Orders nodes and cells after reading and replaces labels by indices. Fails without nodes, and for labels used twice
 * or missing. */
phx_status phx_builder_index(phx_builder *b)
{
    if (b->n_nodes == 0)
        return phx_fail(b->context, PHX_ERR_INPUT, "%s: there are no nodes in this file", b->input->files[0].path);
    if (b->n_nodes > INT_MAX / 3)
        return phx_fail(b->context, PHX_ERR_INPUT, "%s: more nodes than a mesh can have", b->input->files[0].path);
    phx_status status = place_scopes(b);
    if (status)
        return status;
    sort_nodes(b);
    int *labels = phx_calloc(b->context, b->n_nodes > b->n_cells ? b->n_nodes : b->n_cells, sizeof *labels);
    if (!labels)
        return PHX_ERR_MEMORY;
    status = index_nodes(b, labels);
    if (!status)
        status = index_cells(b, labels);
    phx_free(labels);
    return status ? status : find_cell_nodes(b);
}

/* ---- sides ---- */
typedef struct side_key {
    const phx_cell_info *info;
    const int *side; /* of the table */
    const int *nodes;
    phx_cell_type type;
} side_key;

/* A side and a cell that was made of it have the same nodes in the same order. */
static bool is_side(const void *items, int index, const void *key)
{
    const phx_builder *b = items;
    const side_key *k = key;
    const int *nodes = b->cell_nodes + b->cells[index].first;
    bool same = b->cells[index].type == k->type;
    for (int i = 0; i < k->info->nodes && same; i++)
        same = nodes[i] == k->nodes[k->side[i]];
    return same;
}

/* Returns the cell that is the given side of a solid or plane cell; it is created at first use, so that sides are
 * shared. */
phx_status phx_builder_side(phx_builder *b, int cell, int side, int *index)
{
    const phx_cell_info *solid = phx_cell_info_of(b->cells[cell].type);
    const phx_cell_type type = solid->side_type[side];
    side_key key = {phx_cell_info_of(type), solid->side[side], b->cell_nodes + b->cells[cell].first, type};
    uint64_t hash = PHX_HASH_START;
    int nodes[PHX_CELL_MOST_NODES];
    for (int i = 0; i < key.info->nodes; i++) {
        nodes[i] = key.nodes[key.side[i]];
        hash = phx_hash_word(hash, (uint64_t)nodes[i]);
    }
    *index = phx_table_find(&b->sides, hash, is_side, b, &key);
    if (*index >= 0)
        return PHX_OK;
    const phx_built_cell made = {.type = type, .variant = -1, .place = b->cells[cell].place};
    const phx_status status = phx_builder_cell(b, &made, nodes);
    if (status)
        return status;
    *index = (int)b->n_cells - 1;
    return phx_table_add(b->context, &b->sides, hash, *index);
}

/* ---- groups ---- */
typedef struct group_key {
    const char *name;
    int dimension;
} group_key;

static bool is_group(const void *items, int index, const void *key)
{
    const phx_built_group *group = (const phx_built_group *)items + index;
    const group_key *wanted = key;
    return group->dimension == wanted->dimension && !strcmp(group->name, wanted->name);
}

/* Returns the group of this name and dimension, which is added if it is new. */
phx_status phx_builder_group(phx_builder *b, const char *name, int dimension, int *index)
{
    const group_key key = {name, dimension};
    const uint64_t hash = phx_hash_word(phx_hash_bytes(PHX_HASH_START, name, strlen(name)), (uint64_t)dimension);
    *index = phx_table_find(&b->group_names, hash, is_group, b->groups, &key);
    if (*index >= 0)
        return PHX_OK;
    phx_built_group group = {.name = phx_strdup(b->context, name), .dimension = dimension};
    phx_status status =
        group.name ? phx_grow(b->context, &b->groups, &b->groups_room, b->n_groups + 1, sizeof group) : PHX_ERR_MEMORY;
    if (!status)
        status = phx_table_add(b->context, &b->group_names, hash, (int)b->n_groups);
    if (status) {
        phx_free(group.name);
        return status;
    }
    *index = (int)b->n_groups;
    b->groups[b->n_groups++] = group;
    return PHX_OK;
}

phx_status phx_builder_item(phx_builder *b, int index, int item)
{
    phx_built_group *group = &b->groups[index];
    if (group->count && group->items[group->count - 1] == item)
        return PHX_OK;
    if (group->count == INT_MAX)
        return phx_fail(b->context, PHX_ERR_INPUT, "%s: group %s is too large", b->input->files[0].path,
                        phx_shown_text(group->name).text);
    const phx_status status = phx_grow(b->context, &group->items, &group->room, group->count + 1, sizeof(int));
    if (!status)
        group->items[group->count++] = item;
    return status;
}

/* ---- the mesh ---- */
static phx_status make_nodes(phx_builder *b, phx_mesh *mesh)
{
    const size_t n = b->n_nodes;
    mesh->x = phx_calloc(b->context, 3 * n, sizeof *mesh->x);
    if (!mesh->x)
        return PHX_ERR_MEMORY;
    mesh->n_nodes = (int)n;
    for (size_t i = 0; i < n; i++)
        memcpy(mesh->x + 3 * i, b->nodes[i].x, sizeof b->nodes[i].x);
    if (b->nodes[0].label == 1 && b->nodes[n - 1].label == (int)n)
        return PHX_OK; /* each once and ascending: 1, 2, ... */
    mesh->label = phx_calloc(b->context, n, sizeof *mesh->label);
    for (size_t i = 0; i < n && mesh->label; i++)
        mesh->label[i] = b->nodes[i].label;
    return mesh->label ? PHX_OK : PHX_ERR_MEMORY;
}

/* Copies types, nodes and labels of all cells into the mesh; labels that only count from 1 are dropped. */
static phx_status make_cells(phx_builder *b, phx_mesh *mesh)
{
    const size_t n = b->n_cells;
    mesh->type = phx_calloc(b->context, n, sizeof *mesh->type);
    mesh->first = phx_calloc(b->context, n + 1, sizeof *mesh->first);
    mesh->node = phx_calloc(b->context, b->n_cell_nodes, sizeof *mesh->node);
    mesh->cell_label = phx_calloc(b->context, n, sizeof *mesh->cell_label);
    if (!mesh->type || !mesh->first || !mesh->node || !mesh->cell_label)
        return PHX_ERR_MEMORY;
    mesh->n_cells = (int)n;
    bool counted = true;
    for (size_t c = 0; c < n; c++) {
        mesh->type[c] = b->cells[c].type;
        mesh->first[c] = (int)b->cells[c].first;
        mesh->cell_label[c] = b->cells[c].label;
        counted = counted && b->cells[c].label == (int)c + 1;
    }
    mesh->first[n] = (int)b->n_cell_nodes;
    if (b->n_cell_nodes)
        memcpy(mesh->node, b->cell_nodes, b->n_cell_nodes * sizeof *mesh->node);
    if (counted) {
        phx_free(mesh->cell_label);
        mesh->cell_label = NULL;
    }
    return PHX_OK;
}

/* Hands the names of variants over to the mesh with the variant of each cell. */
static phx_status make_variants(phx_builder *b, phx_mesh *mesh)
{
    if (b->n_variants == 0)
        return PHX_OK;
    mesh->variants = phx_calloc(b->context, b->n_variants, sizeof *mesh->variants);
    mesh->variant = phx_calloc(b->context, b->n_cells, sizeof *mesh->variant);
    if (!mesh->variants || !mesh->variant)
        return PHX_ERR_MEMORY;
    mesh->n_variants = (int)b->n_variants;
    for (size_t v = 0; v < b->n_variants; v++) {
        mesh->variants[v] = b->variants[v]; /* it is the mesh's now */
        b->variants[v] = NULL;
    }
    for (size_t c = 0; c < b->n_cells; c++)
        mesh->variant[c] = b->cells[c].variant;
    return PHX_OK;
}

/* Hands all groups over to the mesh, sorted and without repetitions. */
static phx_status make_groups(phx_builder *b, phx_mesh *mesh)
{
    mesh->groups = phx_calloc(b->context, b->n_groups, sizeof *mesh->groups);
    if (!mesh->groups)
        return PHX_ERR_MEMORY;
    phx_status status = PHX_OK;
    for (size_t g = 0; g < b->n_groups && !status; g++) {
        phx_built_group *built = &b->groups[g];
        phx_mesh_group *group = &mesh->groups[mesh->n_groups++];
        *group = (phx_mesh_group){.name = built->name, .dimension = built->dimension};
        built->name = NULL;
        status = phx_mesh_fill_group(b->context, mesh, NULL, (int)built->count, built->items, group);
    }
    return status;
}

/* Creates the mesh from all that was read; names and remarks are handed over. The mesh is empty after a failure. */
phx_status phx_builder_finish(phx_builder *b, phx_mesh *mesh)
{
    *mesh = (phx_mesh){.n_remarks = (int)b->n_remarks, .remarks = b->remarks}; /* they are the mesh's now */
    b->n_remarks = 0;
    b->remarks = NULL;
    phx_status status = make_nodes(b, mesh);
    if (!status)
        status = make_cells(b, mesh);
    if (!status)
        status = make_variants(b, mesh);
    if (!status)
        status = make_groups(b, mesh);
    if (status)
        phx_mesh_free(mesh);
    return status;
}
