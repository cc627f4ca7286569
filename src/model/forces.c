/* The kinds of force element: the list, their ports, what is asked of all of them. */
#include "force_kinds.h"

#include <string.h>

#define ROW(NAME, name) &phx_force_row_##name,
static const phx_force_row *const rows[PHX_MODEL_FORCE_KINDS] = {PHX_MODEL_FORCE_LIST(ROW)};

const phx_force_row *phx_force_row_of(const phx_model_force *force)
{
    return rows[force->kind];
}

const phx_model_force_info *phx_model_force_kind_info(phx_model_force_kind kind)
{
    return (int)kind >= 0 && (int)kind < (int)PHX_MODEL_FORCE_KINDS ? &rows[kind]->info : NULL;
}

bool phx_model_force_contact(const phx_model_force *force, phx_contact_def *def)
{
    const phx_force_row *row = phx_force_row_of(force);

    *def = (phx_contact_def){0};
    if (row->contact)
        row->contact(force, def);
    return row->contact != NULL;
}

int phx_model_force_terms(const phx_model_force *force, phx_coupling_term terms[PHX_FORCE_MOST_TERMS])
{
    const phx_force_row *row = phx_force_row_of(force);
    return row->terms ? row->terms(force, terms) : 0;
}

bool phx_model_force_holds(const phx_model_force *force)
{
    const phx_force_row *row = phx_force_row_of(force);
    return row->holds && row->holds(force);
}

/* ---- the schema ---- */
static phx_word force_word(int kind)
{
    const phx_model_force_info *info = phx_model_force_kind_info((phx_model_force_kind)kind);
    return info ? (phx_word){.word = info->name, .dims = PHX_BOTH} : (phx_word){.word = NULL};
}

const phx_word phx_words_force[] = {{.at = force_word}};

phx_key_table phx_force_keys(int kind)
{
    return rows[kind]->keys;
}

/* Writes the table of force kinds with number of ports and description in Markdown. */
phx_status phx_force_tables(phx_text *text)
{
    phx_text_add(text, "\nThe kinds:\n\n| kind | ports | what it is |\n|---|---|---|\n");
    for (int k = 0; k < PHX_MODEL_FORCE_KINDS; k++) {
        const phx_model_force_info *info = &rows[k]->info;
        phx_text_add(text, "| `%s` | ", info->name);
        if (info->most_ports == 0)
            phx_text_add(text, "none | ");
        else if (info->least_ports == info->most_ports)
            phx_text_add(text, "%d | ", info->most_ports);
        else
            phx_text_add(text, "%d to %d | ", info->least_ports, info->most_ports);
        phx_text_add(text, "%s |\n", info->doc);
    }
    return PHX_OK;
}

/* ---- reading ---- */
phx_status phx_begin_force(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_force *force = object;
    const size_t own = phx_force_row_of(force)->own_size;
    (void)node;
    force->own = phx_reader_calloc(reader, 1, own);
    return force->own ? PHX_OK : PHX_ERR_MEMORY;
}

/* Reads a list of ports into a new array, whose address goes to the field and whose count to the owner. */
static phx_status read_points(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    if (node->kind != PHX_NODE_LIST || node->count < 1)
        return phx_reader_expected(reader, node, "a list of ports");
    phx_model_point *points = phx_reader_calloc(reader, (size_t)node->count, sizeof *points);
    phx_status status = points ? PHX_OK : PHX_ERR_MEMORY;
    memcpy(field, &points, sizeof points);
    memcpy((char *)owner + key->count_offset, &node->count, sizeof node->count);
    for (int i = 0; i < node->count && !status; i++) {
        status = phx_reader_place(reader, &points[i], sizeof points[i], node->items[i]->source);
        if (!status)
            status = phx_read_point(reader, node->items[i], &points[i]);
    }
    return status;
}

const phx_type phx_type_points = {"list of ports",
                                  "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"$ref\": \"#/$defs/point\"}}",
                                  read_points, NULL};

/* A list of numbers is a diagonal, a list of rows the matrix; n = 3 in the plane, 6 in space. */
static phx_status read_square(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    const int n = reader->model->dimension == 2 ? 3 : 6;
    double *matrix = field, diagonal[6];
    phx_status status = PHX_OK;
    (void)key, (void)owner;
    if (phx_reader_list(reader, &node))
        return PHX_ERR_MEMORY;
    if (node->kind != PHX_NODE_LIST || node->count != n)
        return phx_reader_expected(reader, node,
                                   n == 3 ? "3 numbers, or 3 rows of 3 numbers" : "6 numbers, or 6 rows of 6 numbers");
    if (node->items[0]->kind == PHX_NODE_LIST) {
        for (int i = 0; i < n && !status; i++)
            status = phx_read_numbers(reader, node->items[i], NULL, n, matrix + i * n);
        return status;
    }
    status = phx_read_numbers(reader, node, NULL, n, diagonal);
    for (int i = 0; i < n && !status; i++)
        matrix[i * n + i] = diagonal[i];
    return status;
}

static phx_status read_components(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                  void *owner)
{
    (void)owner;
    return phx_read_numbers(reader, node, key->range, reader->model->dimension == 2 ? 3 : 6, field);
}

#define NUMBERS_JSON "{\"type\": [\"array\", \"string\"], \"minItems\": 3, \"maxItems\": 6}"
const phx_type phx_type_square = {"3 or 6 numbers, or as many rows", NUMBERS_JSON, read_square, NULL};
const phx_type phx_type_wrench = {"3 or 6 numbers", NUMBERS_JSON, read_components, NULL};

/* Checks number of ports and that a force can do work between different bodies, then applies the rules of its kind. */
phx_status phx_finish_force(phx_reader *reader, const phx_node *node, void *object)
{
    const phx_model_force *force = object;
    const phx_force_row *row = phx_force_row_of(force);
    const phx_node *ports = phx_node_find(node, "ports");
    bool moves = row->info.most_ports == 0;

    if (force->n_ports < row->info.least_ports || force->n_ports > row->info.most_ports)
        return phx_reader_fail(reader, ports ? ports : node, "expected %d to %d ports, found %d", row->info.least_ports,
                               row->info.most_ports, force->n_ports);
    for (int k = 0; k < force->n_ports; k++)
        moves =
            moves || force->ports[k].body != force->ports[0].body || (force->n_ports == 1 && force->ports[0].body >= 0);
    if (!moves)
        return phx_reader_fail(reader, ports, "all ports belong to '%s'; a force acts between two bodies",
                               phx_point_owner(reader, &force->ports[0]));
    return row->finish ? row->finish(reader, node, force) : PHX_OK;
}

/* ---- building ---- */
phx_status phx_builder_force(phx_builder *builder, const phx_model_force *force)
{
    phx_port_id ports[PHX_MODEL_MAX_FORCE_PORTS];
    phx_status status = PHX_OK;

    for (int k = 0; k < force->n_ports && !status; k++)
        status = phx_builder_port(builder, &force->ports[k], &ports[k]);
    return status ? status : phx_force_row_of(force)->build(builder, force, ports);
}
