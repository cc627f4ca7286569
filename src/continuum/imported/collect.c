/* Entries, rows and nodes that the readers have found so far. */
#include "imported.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *const import_role_names[] = {"mass", "stiffness"};
const char *const import_component_names[] = {"ux", "uy", "uz", "rx", "ry", "rz", "scalar"};

/* ---- numbers found by a key: open addressing ---- */
static size_t slot_of(const import_map *map, long long key)
{
    unsigned long long mixed = (unsigned long long)key * 0x9E3779B97F4A7C15ull;
    size_t slot = (size_t)(mixed >> 20) & (map->slots - 1);
    while (map->value[slot] >= 0 && map->key[slot] != key)
        slot = (slot + 1) & (map->slots - 1);
    return slot;
}

/* Doubles the slots of a hash map and enters its keys again. */
static phx_status grow_map(phx_context *context, import_map *map)
{
    import_map grown = {.slots = map->slots ? 2 * map->slots : 64};
    grown.key = phx_calloc(context, grown.slots, sizeof *grown.key);
    grown.value = phx_calloc(context, grown.slots, sizeof *grown.value);
    if (!grown.key || !grown.value) {
        import_map_free(&grown);
        return PHX_ERR_MEMORY;
    }
    memset(grown.value, 0xFF, grown.slots * sizeof *grown.value); /* -1 */
    for (size_t k = 0; k < map->slots; k++) {
        if (map->value[k] < 0)
            continue;
        const size_t slot = slot_of(&grown, map->key[k]);
        grown.key[slot] = map->key[k];
        grown.value[slot] = map->value[k];
    }
    grown.used = map->used;
    import_map_free(map);
    *map = grown;
    return PHX_OK;
}

/* Puts key with the value `fresh` if it is new; *value is the value of the key in either case. */
phx_status import_map_put(phx_context *context, import_map *map, long long key, int fresh, int *value)
{
    if (3 * map->used >= 2 * map->slots) {
        const phx_status status = grow_map(context, map);
        if (status)
            return status;
    }
    const size_t slot = slot_of(map, key);
    if (map->value[slot] < 0) {
        map->key[slot] = key;
        map->value[slot] = fresh;
        map->used++;
    }
    *value = map->value[slot];
    return PHX_OK;
}

int import_map_find(const import_map *map, long long key)
{
    return map->slots ? map->value[slot_of(map, key)] : -1;
}

void import_map_free(import_map *map)
{
    phx_free(map->key);
    phx_free(map->value);
    *map = (import_map){0};
}

/* Frees everything that has been read. */
void import_free(phx_import *import)
{
    for (int k = 0; k < 2; k++) {
        phx_free(import->matrix[k].row);
        phx_free(import->matrix[k].col);
        phx_free(import->matrix[k].value);
    }
    phx_free(import->unknowns.row);
    phx_free(import->unknowns.label);
    phx_free(import->unknowns.component);
    phx_free(import->unknowns.line);
    import_map_free(&import->unknowns.place);
    phx_free(import->nodes.x);
    phx_free(import->nodes.label);
    import_map_free(&import->nodes.place);
    phx_free(import->sets.name);
    phx_free(import->sets.member);
    phx_free(import->modes.shape);
    phx_free(import->modes.M);
    phx_free(import->modes.K);
    phx_free(import->rigid);
    phx_mesh_free(&import->mesh);
    phx_deck_free(&import->deck);
    for (int k = 0; k < 2; k++) {
        phx_free(import->fields[k].row);
        phx_free(import->fields[k].value);
    }
}

/* ---- arrays that grow together ---- */
phx_status import_grow(phx_context *context, void *array, size_t room, size_t size)
{
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    grown = phx_realloc(context, old, room, size);
    if (!grown)
        return PHX_ERR_MEMORY;
    memcpy(array, &grown, sizeof grown);
    return PHX_OK;
}

/* ---- matrices ---- */
phx_status import_begin_matrix(phx_import *import, const import_text *text, import_role role, bool labelled,
                               import_matrix **matrix)
{
    import_matrix *m = &import->matrix[role];
    *matrix = m;
    if (m->path)
        return import_fail(text, "a second %s matrix; the first one is in %s. Give one file of each", //
                           import_role_names[role], m->path);
    const import_matrix *other = &import->matrix[1 - role];
    if (other->path && other->labelled != labelled)
        return import_fail(text,
                           "the rows of this %s matrix have %s, those of the %s matrix in %s %s; write both in one way",
                           import_role_names[role], labelled ? "nodes and components" : "numbers",
                           import_role_names[1 - role], other->path, labelled ? "numbers" : "nodes and components");
    m->path = text->path;
    m->labelled = labelled;
    return PHX_OK;
}

/* Appends an entry of a matrix; rows and columns count from 0, repeated entries are kept. The number of rows grows
 * unless the file declares it. */
phx_status import_add_entry(phx_import *import, const import_text *text, import_matrix *matrix, int row, int col,
                            double value)
{
    if (matrix->count == matrix->room) {
        const size_t room = matrix->room ? 2 * matrix->room : 256;
        phx_status status = import_grow(import->context, &matrix->row, room, sizeof *matrix->row);
        if (!status)
            status = import_grow(import->context, &matrix->col, room, sizeof *matrix->col);
        if (!status)
            status = import_grow(import->context, &matrix->value, room, sizeof *matrix->value);
        if (status)
            return status;
        matrix->room = room;
    }
    matrix->row[matrix->count] = row;
    matrix->col[matrix->count] = col;
    matrix->value[matrix->count++] = value;
    const int largest = row > col ? row : col;
    if (!matrix->declared && largest >= matrix->rows) {
        matrix->rows = largest + 1;
        matrix->last_line = text->line;
    }
    matrix->digits = text->digits;
    return PHX_OK;
}

/* ---- unknowns ---- */
long long import_unknown_key(int label, int component)
{
    return 8LL * label + component;
}

/* Appends the name of a row, a node label and component; text NULL: without a line. */
static phx_status append_unknown(phx_import *import, const import_text *text, int row, int label, int component)
{
    import_unknowns *u = &import->unknowns;
    if (u->n == u->room) {
        const size_t room = u->room ? 2 * (size_t)u->room : 256;
        phx_status status = import_grow(import->context, &u->row, room, sizeof *u->row);
        if (!status)
            status = import_grow(import->context, &u->label, room, sizeof *u->label);
        if (!status)
            status = import_grow(import->context, &u->component, room, sizeof *u->component);
        if (!status)
            status = import_grow(import->context, &u->line, room, sizeof *u->line);
        if (status)
            return status;
        u->room = (int)room;
    }
    u->row[u->n] = row;
    u->label[u->n] = label;
    u->component[u->n] = component;
    u->line[u->n++] = text ? text->line : 0;
    return PHX_OK;
}

phx_status import_row_of(phx_import *import, const import_text *text, int label, int component, int *row)
{
    import_unknowns *u = &import->unknowns;
    const int n = u->n;
    phx_status status = import_map_put(import->context, &u->place, import_unknown_key(label, component), n, row);
    if (!status && *row == n) {
        u->path = text->path;
        status = append_unknown(import, text, n, label, component);
    }
    return status;
}

phx_status import_list_unknown(phx_import *import, const import_text *text, int row, int label, int component)
{
    import_unknowns *u = &import->unknowns;
    int first;
    if (u->path && (!u->listed || u->path != text->path))
        return import_fail(text, "what the rows are is already said by %s", u->path);
    phx_status status = import_map_put(import->context, &u->place, import_unknown_key(label, component), u->n, &first);
    if (!status && first != u->n)
        return import_fail(text, "node %d %s stands here a second time, first in line %ld", label,
                           import_component_names[component], u->line[first]);
    u->listed = true;
    u->path = text->path;
    return status ? status : append_unknown(import, text, row, label, component);
}

phx_status import_count_unknown(phx_import *import, int label, int component)
{
    return append_unknown(import, NULL, import->unknowns.n, label, component);
}

import_place import_place_of(const phx_import *import, int unknown)
{
    import_place place;
    snprintf(place.text, sizeof place.text, "node %d %s", import->unknowns.label[unknown],
             import_component_names[import->unknowns.component[unknown]]);
    return place;
}

/* ---- nodes ---- */
phx_status import_begin_nodes(phx_import *import, const char *path)
{
    if (import->nodes.path && import->nodes.path != path)
        return phx_fail(import->context, PHX_ERR_INPUT, "%s: the nodes are given a second time, first by %s", path,
                        import->nodes.path);
    import->nodes.path = path;
    return PHX_OK;
}

/* Appends a node at x; fails if its label has been read before. */
phx_status import_add_node(phx_import *import, const import_text *text, int label, const double x[3])
{
    import_nodes *nodes = &import->nodes;
    int place;
    phx_status status = import_begin_nodes(import, text->path);
    if (!status)
        status = import_map_put(import->context, &nodes->place, label, nodes->n, &place);
    if (status)
        return status;
    if (place != nodes->n)
        return import_fail(text, "node %d stands here a second time", label);
    if (nodes->n == nodes->room) {
        const size_t room = nodes->room ? 2 * (size_t)nodes->room : 256;
        status = import_grow(import->context, &nodes->x, room, 3 * sizeof *nodes->x);
        if (!status)
            status = import_grow(import->context, &nodes->label, room, sizeof *nodes->label);
        if (status)
            return status;
        nodes->room = (int)room;
    }
    memcpy(nodes->x + 3 * (size_t)nodes->n, x, 3 * sizeof *x);
    nodes->label[nodes->n++] = label;
    return PHX_OK;
}

/* ---- sets ---- */
static phx_status find_set(phx_import *import, const import_text *text, import_word name, int *set)
{
    import_sets *sets = &import->sets;
    for (*set = 0; *set < sets->n; ++*set)
        if (name.length == (int)strlen(sets->name[*set]) && !strncmp(name.text, sets->name[*set], (size_t)name.length))
            return PHX_OK;
    if (name.length >= IMPORT_SET_NAME || sets->n == IMPORT_SETS)
        return import_fail(text,
                           "the set %s has a name of %d letters and is number %d; there is room for %d letters "
                           "and %d sets",
                           import_shown(name).text, name.length, sets->n + 1, IMPORT_SET_NAME - 1, IMPORT_SETS);
    if (sets->n == sets->room) {
        const int room = sets->room ? 2 * sets->room : 8;
        const phx_status status = import_grow(import->context, &sets->name, (size_t)room, sizeof *sets->name);
        if (status)
            return status;
        sets->room = room;
    }
    memset(sets->name[sets->n], 0, sizeof *sets->name);
    memcpy(sets->name[sets->n++], name.text, (size_t)name.length);
    return PHX_OK;
}

/* Adds a node to a set by name; the set is created if necessary. */
phx_status import_add_to_set(phx_import *import, const import_text *text, import_word name, int label)
{
    import_sets *sets = &import->sets;
    int set;
    phx_status status = find_set(import, text, name, &set);
    if (!status && sets->n_members == sets->members_room) {
        const int room = sets->members_room ? 2 * sets->members_room : 64;
        status = import_grow(import->context, &sets->member, (size_t)room, sizeof *sets->member);
        if (!status)
            sets->members_room = room;
    }
    if (status)
        return status;
    sets->member[sets->n_members][0] = set;
    sets->member[sets->n_members++][1] = label;
    return PHX_OK;
}

phx_status import_add_rigid(phx_import *import, int reference, int rotation, const char *set)
{
    if (import->n_rigid == import->rigid_room) {
        const int room = import->rigid_room ? 2 * import->rigid_room : 8;
        const phx_status status = import_grow(import->context, &import->rigid, (size_t)room, sizeof *import->rigid);
        if (status)
            return status;
        import->rigid_room = room;
    }
    import_rigid *rigid = &import->rigid[import->n_rigid++];
    *rigid = (import_rigid){.reference = reference, .rotation = rotation};
    snprintf(rigid->set, sizeof rigid->set, "%s", set);
    return PHX_OK;
}

/* ---- names ---- */
static bool contains(const char *name, const char *part)
{
    for (; *name; name++)
        if (import_word_begins((import_word){name, (int)strlen(name)}, part))
            return true;
    return false;
}

/* The last run of letters of the name without its suffix is one of the words. */
static bool ends_with(const char *name, const char *const *words)
{
    const char *end = strrchr(name, '.');
    if (!end)
        end = name + strlen(name);
    while (end > name && !isalpha((unsigned char)end[-1]))
        end--;
    const char *begin = end;
    while (begin > name && isalpha((unsigned char)begin[-1]))
        begin--;
    for (; *words; words++)
        if (import_word_is((import_word){begin, (int)(end - begin)}, *words))
            return true;
    return false;
}

import_role import_role_of_name(const char *name)
{
    static const char *const mass[] = {"m", "mas", "maa", "mgg", "mff", "maax", "matm", NULL};
    static const char *const stiffness[] = {"k", "sti", "kaa", "kgg", "kff", "kaax", "matk", NULL};
    const bool is_mass = contains(name, "mass") || ends_with(name, mass);
    const bool is_stiffness = contains(name, "stif") || ends_with(name, stiffness);
    return is_mass == is_stiffness ? IMPORT_NEITHER : is_mass ? IMPORT_MASS : IMPORT_STIFFNESS;
}

phx_status import_role_of_file(const phx_import *import, const import_text *text, import_role *role)
{
    const char *slash = strrchr(text->path, '/');
    *role = text->path == import->def->mass_file        ? IMPORT_MASS
            : text->path == import->def->stiffness_file ? IMPORT_STIFFNESS
                                                        : import_role_of_name(slash ? slash + 1 : text->path);
    if (*role != IMPORT_NEITHER)
        return PHX_OK;
    return import_fail(text, "the name of the file does not say whether this is a mass or a stiffness matrix; let it "
                             "end with M or K, or contain 'mass' or 'stif', or name the files of the two matrices");
}
