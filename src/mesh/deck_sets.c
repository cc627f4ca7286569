/* Sets and surfaces of a deck. They may name labels that come later, so that they are kept as ranges of labels and
 * resolved at the end. A set that names another takes what that has so far. */
#include "deck.h"

#include <limits.h>
#include <string.h>

/* ---- names ---- */
/* A set is named NAME, in an instance INSTANCE.NAME. */
typedef struct set_key {
    phx_slice instance, name; /* no instance: length 0 */
    bool cells;
} set_key;

static uint64_t hash_slice(uint64_t hash, phx_slice a)
{
    for (size_t k = 0; k < a.length; k++) {
        const char c = a.text[k];
        hash = phx_hash_word(hash, (uint64_t)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c));
    }
    return hash;
}

static uint64_t hash_key(const set_key *key)
{
    const phx_slice dot = {".", key->instance.length ? 1 : 0};
    uint64_t hash = phx_hash_word(PHX_HASH_START, key->cells);
    return hash_slice(hash_slice(hash_slice(hash, key->instance), dot), key->name);
}

static bool is_set(const void *items, int index, const void *key)
{
    const phx_set *set = (const phx_set *)items + index;
    const set_key *k = key;
    const size_t front = k->instance.length, length = strlen(set->name);
    const size_t begin = front ? front + 1 : 0;
    if (set->cells != k->cells || length != begin + k->name.length || (front && set->name[front] != '.'))
        return false;
    return phx_slice_same((phx_slice){set->name, front}, k->instance) &&
           phx_slice_same((phx_slice){set->name + begin, length - begin}, k->name);
}

static set_key key_of(const phx_deck_reader *r, bool cells, phx_slice name, int instance)
{
    const phx_slice none = {"", 0};
    return (set_key){instance < 0 ? none : r->assembly.instances[instance].name, name, cells};
}

static char *full_name(const phx_deck_reader *r, phx_slice name, int instance)
{
    const set_key key = key_of(r, false, name, instance);
    const size_t front = key.instance.length, begin = front ? front + 1 : 0;
    char *full = phx_calloc(r->context, begin + name.length + 1, 1);
    if (!full)
        return NULL;
    if (front) {
        memcpy(full, key.instance.text, front);
        full[front] = '.';
    }
    memcpy(full + begin, name.text, name.length);
    return full;
}

/* In an instance its own sets come first. */
int phx_deck_find_set(const phx_deck_reader *r, bool cells, phx_slice name, int instance)
{
    const set_key key = key_of(r, cells, name, instance);
    const int set = phx_table_find(&r->names.table, hash_key(&key), is_set, r->names.set, &key);
    return set >= 0 || instance < 0 ? set : phx_deck_find_set(r, cells, name, -1);
}

int phx_deck_find_instance(const phx_deck_reader *r, phx_slice name)
{
    for (size_t k = 0; k < r->assembly.n_instances; k++)
        if (phx_slice_same(r->assembly.instances[k].name, name))
            return (int)k;
    return -1;
}

int phx_deck_scope(const phx_deck_reader *r)
{
    return r->assembly.instance < 0 ? 0 : r->assembly.instances[r->assembly.instance].scope;
}

/* Returns the set of nodes or cells of this name in the present instance, which is added if it is new. */
phx_status phx_deck_set(phx_deck_reader *r, bool cells, phx_slice name, int *index)
{
    const set_key key = key_of(r, cells, name, r->assembly.instance);
    *index = phx_table_find(&r->names.table, hash_key(&key), is_set, r->names.set, &key);
    if (*index >= 0)
        return PHX_OK;
    phx_status status = phx_grow(r->context, &r->names.set, &r->names.room, r->names.n + 1, sizeof *r->names.set);
    phx_set set = {.name = status ? NULL : full_name(r, name, r->assembly.instance), .cells = cells};
    if (!set.name)
        return PHX_ERR_MEMORY;
    status = phx_table_add(r->context, &r->names.table, hash_key(&key), (int)r->names.n);
    if (status) {
        phx_free(set.name);
        return status;
    }
    *index = (int)r->names.n;
    r->names.set[r->names.n++] = set;
    return PHX_OK;
}

/* ---- ranges ---- */
phx_status phx_set_add(phx_deck_reader *r, int index, const phx_range *range)
{
    phx_set *set = &r->names.set[index];
    phx_range *last = set->count ? &set->ranges[set->count - 1] : NULL;
    if (last && last->place == range->place && last->scope == range->scope && last->elements < 0 &&
        range->elements < 0 && last->step == 1 && !last->generated && !range->generated &&
        range->from == last->to + 1 && range->step == 1) {
        last->to = range->to;
        return PHX_OK;
    }
    const phx_status status = phx_grow(r->context, &set->ranges, &set->room, set->count + 1, sizeof *range);
    if (status)
        return status;
    set->ranges[set->count++] = *range;
    r->names.n_ranges++;
    return PHX_OK;
}

/* Copies the members that `from` has so far. That copies of copies do not outgrow the deck is checked. */
static phx_status add_set(phx_deck_reader *r, int to, int from, size_t place)
{
    const phx_input_file *last = &r->b->input->files[r->b->input->n_files - 1];
    const size_t count = r->names.set[from].count;
    if (r->names.n_ranges + count > 1000000 + last->base + last->size)
        return DECK_FAIL(r, place, "the sets name one another so often that they are too large");
    phx_status status = PHX_OK;
    for (size_t k = 0; k < count && !status && to != from; k++) {
        const phx_range range = r->names.set[from].ranges[k];
        status = phx_set_add(r, to, &range);
    }
    return status;
}

/* Fails for a word that is neither a label nor a known set, with the closest name among the first 1000 sets. */
static phx_status fail_unknown_set(phx_deck_reader *r, bool cells, phx_slice name, size_t place)
{
    char *wrong = phx_slice_copy(r->context, name);
    if (!wrong)
        return PHX_ERR_MEMORY;
    phx_nearest nearest = phx_nearest_to(wrong);
    for (size_t k = 0; k < r->names.n && k < 1000; k++)
        if (r->names.set[k].cells == cells)
            phx_nearest_offer(&nearest, r->names.set[k].name);
    const phx_status status =
        DECK_FAIL(r, place, "%s is neither a label nor the name of %s set before this line%s",
                  phx_shown_text(wrong).text, cells ? "an element" : "a node", phx_nearest_hint(&nearest).text);
    phx_free(wrong);
    return status;
}

/* "12", or "Part-1-1.12" of an instance; false: it is no label. */
static bool read_label(const phx_deck_reader *r, phx_slice item, int instance, int *scope, long long *label)
{
    *scope = instance < 0 ? 0 : r->assembly.instances[instance].scope;
    if (phx_scan_integer(item.text, item.length, label))
        return true;
    size_t dot = item.length;
    while (dot > 0 && item.text[dot - 1] != '.')
        dot--;
    if (dot == 0 || !phx_scan_integer(item.text + dot, item.length - dot, label))
        return false;
    const int named = phx_deck_find_instance(r, (phx_slice){item.text, dot - 1});
    if (named >= 0)
        *scope = r->assembly.instances[named].scope;
    return named >= 0;
}

static phx_status add_item(phx_deck_reader *r, int set, phx_slice item, int instance, size_t place)
{
    phx_range range = {.elements = -1, .step = 1, .place = place};
    if (read_label(r, item, instance, &range.scope, &range.from)) {
        range.to = range.from;
        return phx_set_add(r, set, &range);
    }
    const bool cells = r->names.set[set].cells;
    const int named = phx_deck_find_set(r, cells, item, instance);
    return named < 0 ? fail_unknown_set(r, cells, item, place) : add_set(r, set, named, place);
}

/* "from, to, step" */
static phx_status add_generated(phx_deck_reader *r, int set, phx_slice rest, int instance, size_t place)
{
    long long number[3] = {0, 0, 1};
    phx_slice field;
    int n = 0;
    for (; n < 3 && phx_next_field(&rest, &field); n++)
        if (field.length && !phx_scan_integer(field.text, field.length, &number[n]))
            return DECK_FAIL(r, place, "whole numbers from, to, step are expected; found %s",
                             phx_shown_part(field.text, field.length).text);
    if (n == 1)
        number[1] = number[0];
    if (number[0] < 1 || number[1] < number[0] || number[2] < 1 || number[1] > INT_MAX)
        return DECK_FAIL(r, place, "labels from %lld to %lld in steps of %lld cannot be generated", number[0],
                         number[1], number[2]);
    const phx_range range = {.scope = instance < 0 ? 0 : r->assembly.instances[instance].scope,
                             .generated = true,
                             .elements = -1,
                             .from = number[0],
                             .to = number[1],
                             .step = number[2],
                             .place = place};
    return phx_set_add(r, set, &range);
}

/* The instance that a keyword's labels belong to. */
static phx_status instance_of(phx_deck_reader *r, const phx_keyword *k, int *instance)
{
    const phx_slice *name = phx_keyword_value(k, "INSTANCE");
    *instance = name ? phx_deck_find_instance(r, *name) : r->assembly.instance;
    if (name && *instance < 0)
        return DECK_FAIL(r, k->place, "there is no instance %s before this line",
                         phx_shown_part(name->text, name->length).text);
    return PHX_OK;
}

/* The nodes of an element set. */
static phx_status add_nodes_of(phx_deck_reader *r, int set, const phx_slice *name, int instance, size_t place)
{
    const int elements = phx_deck_find_set(r, true, *name, instance);
    if (elements < 0)
        return fail_unknown_set(r, true, *name, place);
    const phx_range range = {.elements = elements, .step = 1, .place = place};
    return phx_set_add(r, set, &range);
}

/* Reads *NSET or *ELSET: labels, other sets, ranges with GENERATE, or the nodes of an element set. */
phx_status phx_deck_read_set(phx_deck_reader *r, const phx_keyword *k, bool cells)
{
    const phx_slice *name = phx_keyword_value(k, cells ? "ELSET" : "NSET"), *of = phx_keyword_value(k, "ELSET");
    const bool generate = phx_keyword_value(k, "GENERATE") != NULL;
    int set, instance;
    if (!name || !name->length)
        return DECK_FAIL(r, k->place, "*%s without a name; %s=NAME is expected", k->name, k->name);
    phx_status status = instance_of(r, k, &instance);
    if (!status)
        status = phx_deck_set(r, cells, *name, &set);
    if (!status)
        r->names.set[set].listed = true;
    if (!status && !cells && of)
        status = add_nodes_of(r, set, of, instance, k->place);
    const phx_deck_line *line;
    while (!status && (line = phx_deck_data(r))) {
        phx_slice rest = line->text, field;
        const size_t place = line->place;
        if (generate) {
            status = add_generated(r, set, rest, instance, place);
            continue;
        }
        while (!status && phx_next_field(&rest, &field))
            if (field.length)
                status = add_item(r, set, field, instance, place);
    }
    return status;
}

/* ---- surfaces ---- */
phx_status phx_deck_read_surface(phx_deck_reader *r, const phx_keyword *k)
{
    const phx_slice *name = phx_keyword_value(k, "NAME"), *type = phx_keyword_value(k, "TYPE");
    if (!name || !name->length)
        return DECK_FAIL(r, k->place, "*SURFACE without a name; NAME=NAME is expected");
    const bool nodes = type && phx_slice_is(*type, "NODE");
    if ((type && !nodes && !phx_slice_is(*type, "ELEMENT")) || phx_keyword_value(k, "COMBINE"))
        return PHX_OK; /* a rigid shape, a combination: no part of the mesh */
    const phx_deck_line *line;
    while ((line = phx_deck_data(r))) {
        phx_slice rest = line->text;
        phx_surface_line surface = {.nodes = nodes, .instance = r->assembly.instance, .place = line->place};
        phx_next_field(&rest, &surface.item);
        if (!phx_next_field(&rest, &surface.side) || nodes)
            surface.side = (phx_slice){NULL, 0};
        phx_status status =
            phx_grow(r->context, &r->surfaces.line, &r->surfaces.room, r->surfaces.n + 1, sizeof *r->surfaces.line);
        surface.surface = status ? NULL : full_name(r, *name, r->assembly.instance);
        if (!surface.surface)
            return PHX_ERR_MEMORY;
        r->surfaces.line[r->surfaces.n++] = surface;
    }
    return PHX_OK;
}

/* ---- what a set holds ---- */
typedef struct list {
    size_t count, room;
    int *items; /* cells or nodes */
} list;

/* Sets that are a thousand times as large as the mesh are an attack, not a model. */
static phx_status push(phx_deck_reader *r, list *l, int item, size_t place)
{
    if (++r->n_items > 1e6 + 1e3 * ((double)r->b->n_nodes + (double)r->b->n_cells))
        return DECK_FAIL(r, place, "the sets together are too large");
    const phx_status status = phx_grow(r->context, &l->items, &l->room, l->count + 1, sizeof *l->items);
    if (!status)
        l->items[l->count++] = item;
    return status;
}

/* Labels one by one. */
static phx_status push_labels(phx_deck_reader *r, bool cells, const phx_range *range, list *l)
{
    phx_status status = PHX_OK;
    for (long long label = range->from; label <= range->to && !status; label += range->step) {
        const int item =
            cells ? phx_builder_find_cell(r->b, range->scope, label) : phx_builder_find_node(r->b, range->scope, label);
        if (item >= 0)
            status = push(r, l, item, range->place);
        else if (!range->generated)
            return DECK_FAIL(r, range->place, "there is no %s %lld", cells ? "element" : "node", label);
    }
    return status;
}

/* More labels than there are items: the items one by one. */
static phx_status push_items(phx_deck_reader *r, bool cells, const phx_range *range, list *l)
{
    const int count = cells ? r->b->cell_index.count : r->b->node_index.count;
    phx_status status = PHX_OK;
    for (int i = 0; i < count && !status; i++) {
        const int scope = cells ? r->b->cells[i].scope : r->b->nodes[i].scope;
        const long long label =
            (long long)(cells ? r->b->cells[i].label : r->b->nodes[i].label) - r->b->scopes[scope].base[cells];
        if (scope == range->scope && label >= range->from && label <= range->to &&
            (label - range->from) % range->step == 0)
            status = push(r, l, i, range->place);
    }
    return status;
}

static phx_status push_range(phx_deck_reader *r, bool cells, const phx_range *range, list *l)
{
    const int count = cells ? r->b->cell_index.count : r->b->node_index.count;
    if (range->generated && (range->to - range->from) / range->step >= count)
        return push_items(r, cells, range, l);
    return push_labels(r, cells, range, l);
}

static phx_status push_set(phx_deck_reader *r, int index, list *l);

static phx_status push_nodes_of(phx_deck_reader *r, int elements, size_t place, list *l)
{
    list cells = {0};
    phx_status status = push_set(r, elements, &cells);
    for (size_t i = 0; i < cells.count && !status; i++) {
        const phx_built_cell *cell = &r->b->cells[cells.items[i]];
        for (int k = 0; k < phx_cell_info_of(cell->type)->nodes && !status; k++)
            status = push(r, l, r->b->cell_nodes[cell->first + (size_t)k], place);
    }
    phx_free(cells.items);
    return status;
}

/* A node set may have the nodes of element sets, and those no more of them. */
static phx_status push_set(phx_deck_reader *r, int index, list *l)
{
    const phx_set *set = &r->names.set[index];
    phx_status status = PHX_OK;
    for (size_t k = 0; k < set->count && !status; k++) {
        const phx_range *range = &set->ranges[k];
        status = range->elements >= 0 ? push_nodes_of(r, range->elements, range->place, l)
                                      : push_range(r, set->cells, range, l);
    }
    return status;
}

/* ---- groups ---- */
/* Cells go to the group of their dimension. */
static phx_status deck_sets_add_cell(phx_deck_reader *r, const char *name, int cell)
{
    int group;
    const phx_status status =
        phx_builder_group(r->b, name, phx_cell_info_of(r->b->cells[cell].type)->dimension, &group);
    return status ? status : phx_builder_item(r->b, group, cell);
}

static phx_status make_set_group(phx_deck_reader *r, int index)
{
    const phx_set *set = &r->names.set[index];
    list l = {0};
    int group;
    phx_status status = push_set(r, index, &l);
    if (!status && !set->cells)
        status = phx_builder_group(r->b, set->name, 0, &group);
    for (size_t i = 0; i < l.count && !status; i++)
        status = set->cells ? deck_sets_add_cell(r, set->name, l.items[i]) : phx_builder_item(r->b, group, l.items[i]);
    phx_free(l.items);
    return status;
}

/* ---- sides ---- */
typedef struct face_key {
    int corners[4]; /* ascending; -1 of a triangle */
} face_key;

static face_key face_of(const phx_builder *b, int cell, int side)
{
    const phx_cell_info *info = phx_cell_info_of(b->cells[cell].type);
    face_key key = {{-1, -1, -1, -1}};
    const int n = phx_cell_info_of(info->side_type[side])->corners;
    for (int i = 0; i < n; i++) {
        const int node = b->cell_nodes[b->cells[cell].first + (size_t)info->side[side][i]];
        int k = i;
        for (; k > 0 && key.corners[k - 1] > node; k--)
            key.corners[k] = key.corners[k - 1];
        key.corners[k] = node;
    }
    return key;
}

static bool is_face(const void *items, int index, const void *key)
{
    const face_key face = face_of(items, index / 8, index % 8);
    return memcmp(&face, key, sizeof face) == 0;
}

/* Marks the sides of solids that two of them share. */
static phx_status find_shared_sides(phx_deck_reader *r)
{
    const phx_builder *b = r->b;
    const int n_cells = b->cell_index.count;
    phx_table table = {0};
    phx_status status = PHX_OK;
    if (n_cells > INT_MAX / 8)
        return phx_fail(r->context, PHX_ERR_INPUT, "%s: too many elements for a surface of free sides",
                        b->input->files[0].path);
    r->surfaces.is_shared = phx_calloc(r->context, (size_t)n_cells * 8, sizeof *r->surfaces.is_shared);
    if (!r->surfaces.is_shared)
        return PHX_ERR_MEMORY;
    for (int c = 0; c < n_cells; c++) {
        const phx_cell_info *info = phx_cell_info_of(b->cells[c].type);
        for (int s = 0; s < info->sides && info->dimension == 3 && !status; s++) {
            const face_key key = face_of(b, c, s);
            const uint64_t hash = phx_hash_bytes(PHX_HASH_START, &key, sizeof key);
            const int other = phx_table_find(&table, hash, is_face, b, &key);
            if (other >= 0)
                r->surfaces.is_shared[other] = r->surfaces.is_shared[8 * c + s] = true;
            else
                status = phx_table_add(r->context, &table, hash, 8 * c + s);
        }
    }
    phx_table_free(&table);
    return status;
}

static phx_status add_side(phx_deck_reader *r, const phx_surface_line *line, int cell, int side)
{
    int made;
    const phx_cell_info *info = phx_cell_info_of(r->b->cells[cell].type);
    if (side >= info->sides)
        return DECK_FAIL(r, line->place, "element %d (%s) has no side %d",
                         r->b->cells[cell].label - r->b->scopes[r->b->cells[cell].scope].base[1], info->name, side + 1);
    const phx_status status = phx_builder_side(r->b, cell, side, &made);
    return status ? status : deck_sets_add_cell(r, line->surface, made);
}

/* All sides of a solid that no other has. */
static phx_status add_free_sides(phx_deck_reader *r, const phx_surface_line *line, int cell)
{
    phx_status status = r->surfaces.is_shared ? PHX_OK : find_shared_sides(r);
    for (int s = 0; s < phx_cell_info_of(r->b->cells[cell].type)->sides && !status; s++)
        if (!r->surfaces.is_shared[8 * cell + s])
            status = add_side(r, line, cell, s);
    return status;
}

/* "S3", "P3", "E2": 2, 2, 1; "", "SPOS", "SNEG": -1, the cell itself. */
static phx_status read_side(phx_deck_reader *r, const phx_surface_line *line, int *side)
{
    const phx_slice s = line->side;
    *side = -1;
    if (s.length == 0 || phx_slice_is(s, "SPOS") || phx_slice_is(s, "SNEG"))
        return PHX_OK;
    if (s.length == 2 && strchr("SPEspe", s.text[0]) && s.text[1] >= '1' && s.text[1] <= '6') {
        *side = s.text[1] - '1';
        return PHX_OK;
    }
    return DECK_FAIL(r, line->place, "a side S1 to S6 (or P1, E1, SPOS, SNEG) is expected; found %s",
                     phx_shown_part(s.text, s.length).text);
}

static phx_status add_surface_cell(phx_deck_reader *r, const phx_surface_line *line, int cell, int side)
{
    if (side >= 0)
        return add_side(r, line, cell, side);
    if (phx_cell_info_of(r->b->cells[cell].type)->dimension == 3)
        return add_free_sides(r, line, cell);
    return deck_sets_add_cell(r, line->surface, cell);
}

static phx_status push_surface_item(phx_deck_reader *r, const phx_surface_line *line, list *l)
{
    phx_range range = {.elements = -1, .step = 1, .place = line->place};
    if (read_label(r, line->item, line->instance, &range.scope, &range.from)) {
        range.to = range.from;
        return push_range(r, !line->nodes, &range, l);
    }
    const int set = phx_deck_find_set(r, !line->nodes, line->item, line->instance);
    return set < 0 ? fail_unknown_set(r, !line->nodes, line->item, line->place) : push_set(r, set, l);
}

static phx_status make_surface(phx_deck_reader *r, const phx_surface_line *line)
{
    list l = {0};
    int side = -1, group;
    phx_status status = push_surface_item(r, line, &l);
    if (!status)
        status = line->nodes ? phx_builder_group(r->b, line->surface, 0, &group) : read_side(r, line, &side);
    for (size_t i = 0; i < l.count && !status; i++)
        status = line->nodes ? phx_builder_item(r->b, group, l.items[i]) : add_surface_cell(r, line, l.items[i], side);
    phx_free(l.items);
    return status;
}

static phx_status make_set_groups(phx_deck_reader *r, bool listed)
{
    phx_status status = PHX_OK;
    for (size_t k = 0; k < r->names.n && !status; k++)
        if (r->names.set[k].listed == listed)
            status = make_set_group(r, (int)k);
    return status;
}

/* Groups that a user names come before those of the elements that a mesher writes together. */
phx_status phx_deck_make_groups(phx_deck_reader *r)
{
    phx_status status = make_set_groups(r, true);
    for (size_t k = 0; k < r->surfaces.n && !status; k++)
        status = make_surface(r, &r->surfaces.line[k]);
    return status ? status : make_set_groups(r, false);
}
