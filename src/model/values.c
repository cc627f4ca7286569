/* Types of plain values: numbers, words, texts, vectors, nested objects. */
#include "reader.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- numbers ---- */
static bool in_range(const phx_range *range, double value)
{
    static const double ROUNDING = 1e-9; /* of an integer, relative */

    if (range->integer && (fabs(value) > INT_MAX || fabs(value - round(value)) > ROUNDING * fmax(1.0, fabs(value))))
        return false;
    if (range->only[0] || range->only[1])
        return round(value) == range->only[0] || round(value) == range->only[1];
    return (range->above_low ? value > range->low : value >= range->low) && value <= range->high;
}

static phx_status check_range(phx_reader *reader, const phx_node *node, const phx_range *range, double value)
{
    double plain;
    if (!range || in_range(range, value))
        return PHX_OK;
    if (phx_number_from_text(node->text, &plain))
        return phx_reader_fail(reader, node, "expected %s, found %s", range->text, phx_shown_text(node->text).text);
    return phx_reader_fail(reader, node, "expected %s, found %s = %.10g", range->text, phx_shown_text(node->text).text,
                           value);
}

phx_status phx_read_number(phx_reader *reader, const phx_node *node, const phx_range *range, double *value)
{
    if (node->kind != PHX_NODE_SCALAR || phx_node_is_null(node))
        return phx_reader_expected(reader, node, range ? range->text : "a number");
    phx_status status = phx_evaluator_value(reader->evaluator, node->text, value);
    if (status == PHX_ERR_INPUT)
        return phx_reader_fail_expression(reader, node);
    return status ? status : check_range(reader, node, range, *value);
}

/* Replaces a scalar that is the name of a list of parameters by a list of its entries. */
phx_status phx_reader_list(phx_reader *reader, const phx_node **node)
{
    const phx_node *name = *node;
    const phx_names *names = &reader->content->parameters;
    int first = 0;
    const int count = name->kind == PHX_NODE_SCALAR && phx_names_find(names, name->text) < 0
                          ? phx_names_range(names, name->text, &first)
                          : 0;
    if (count == 0)
        return PHX_OK;
    phx_node *list = phx_reader_calloc(reader, (size_t)count + 1, sizeof *list);
    const phx_node **items = phx_reader_calloc(reader, (size_t)count, sizeof(const phx_node *));
    if (!list || !items)
        return PHX_ERR_MEMORY;
    list[0] = (phx_node){.kind = PHX_NODE_LIST, .source = name->source, .count = count, .items = items};
    for (int k = 0; k < count; k++) {
        list[1 + k] = (phx_node){.source = name->source, .text = reader->model->parameters[first + k].name};
        items[k] = &list[1 + k];
    }
    *node = list;
    return PHX_OK;
}

/* Reads a list of exactly `count` numbers within the range. */
phx_status phx_read_numbers(phx_reader *reader, const phx_node *node, const phx_range *range, int count, double *values)
{
    char expected[80];
    if (phx_reader_list(reader, &node))
        return PHX_ERR_MEMORY;
    if (node->kind != PHX_NODE_LIST || node->count != count) {
        snprintf(expected, sizeof expected, "a list of %d numbers", count);
        return phx_reader_expected(reader, node, expected);
    }
    for (int i = 0; i < count; i++) {
        size_t key_path = phx_key_path_push(reader, NULL, i);
        phx_status status = phx_read_number(reader, node->items[i], range, &values[i]);
        phx_key_path_pop(reader, key_path);
        if (status)
            return status;
    }
    return PHX_OK;
}

static phx_status values_read_number(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                     void *owner)
{
    (void)owner;
    return phx_read_number(reader, node, key->range, field);
}

static phx_status preset_number(phx_reader *reader, const phx_key *key, void *field, void *owner)
{
    (void)reader, (void)owner;
    double value = 0.0;
    if (key->fallback && phx_number_from_text(key->fallback, &value))
        memcpy(field, &value, sizeof value);
    return PHX_OK;
}

static phx_status read_optional(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)owner;
    phx_model_optional *optional = field;
    optional->given = true;
    return phx_read_number(reader, node, key->range, &optional->value);
}

static phx_status read_integer(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)owner;
    double value = 0.0;
    phx_status status = phx_read_number(reader, node, key->range, &value);
    int integer = (int)lround(value);
    if (!status)
        memcpy(field, &integer, sizeof integer);
    return status;
}

static phx_status preset_integer(phx_reader *reader, const phx_key *key, void *field, void *owner)
{
    (void)reader, (void)owner;
    double value;
    if (key->fallback && phx_number_from_text(key->fallback, &value)) {
        int integer = (int)value;
        memcpy(field, &integer, sizeof integer);
    }
    return PHX_OK;
}

/* A number that must be what it is; nothing of it is kept. */
static phx_status read_version(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)field, (void)owner;
    double value;
    return phx_read_number(reader, node, key->range, &value);
}

/* ---- words and texts ---- */
phx_status phx_read_text(phx_reader *reader, const phx_node *node, const char *expected, const char **text)
{
    if (node->kind != PHX_NODE_SCALAR || phx_node_is_null(node) || !*node->text)
        return phx_reader_expected(reader, node, expected);
    *text = node->text; /* the document lives as long as the model */
    return PHX_OK;
}

static phx_status read_title(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    const char *text = NULL;
    phx_status status = phx_read_text(reader, node, "a line of text", &text);
    if (status)
        return status;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 && c[1])
            return phx_reader_expected(reader, node, "a single line of text");
    memcpy(field, &text, sizeof text);
    return PHX_OK;
}

static phx_status preset_title(phx_reader *reader, const phx_key *key, void *field, void *owner)
{
    (void)key, (void)owner;
    const char *slash = strrchr(reader->model->path, '/');
    const char *text = slash ? slash + 1 : reader->model->path;
    memcpy(field, &text, sizeof text);
    return PHX_OK;
}

static phx_status read_path(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    const char *text = NULL;
    phx_status status = phx_read_text(reader, node, "the name of a file", &text);
    if (status)
        return status;
    text = phx_reader_path(reader, text);
    memcpy(field, &text, sizeof text);
    return text ? phx_model_names_file(reader->context, reader->model->store, text) : PHX_ERR_MEMORY;
}

static phx_status read_column(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    const char *text = NULL;
    phx_status status = phx_read_text(reader, node, "a text", &text);
    memcpy(field, &text, sizeof text);
    return status;
}

/* Reads true or false, unquoted and in the spellings of YAML. */
static phx_status read_boolean(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    static const char *const words[] = {"false", "False", "FALSE", "true", "True", "TRUE"};
    for (int k = 0; k < 6; k++)
        if (node->kind == PHX_NODE_SCALAR && node->plain && !strcmp(node->text, words[k])) {
            bool value = k >= 3;
            memcpy(field, &value, sizeof value);
            return PHX_OK;
        }
    if (node->kind != PHX_NODE_SCALAR || phx_node_is_null(node))
        return phx_reader_expected(reader, node, "true or false");
    phx_nearest nearest = phx_nearest_to(node->text);
    phx_nearest_offer(&nearest, "true");
    phx_nearest_offer(&nearest, "false");
    return phx_reader_fail(reader, node, "expected true or false, found %s%s", phx_shown_text(node->text).text,
                           phx_nearest_hint(&nearest).text);
}

/* Reads one of the given words; one that exists only in the other dimension is refused with this reason. */
phx_status phx_read_word(phx_reader *reader, const phx_node *node, const phx_word *words, const char *what, int *value)
{
    const unsigned dims = phx_reader_dims(reader);
    const char *found = node->kind == PHX_NODE_SCALAR && !phx_node_is_null(node) ? node->text : NULL;
    for (int k = 0; found && phx_word_at(words, k).word; k++)
        if (!strcmp(found, phx_word_at(words, k).word)) {
            *value = k;
            if (phx_word_at(words, k).dims & dims)
                return PHX_OK;
            return phx_reader_fail(reader, node, "%s '%s' exists only with dimension %d, this model has %d", what,
                                   found, dims == PHX_PLANE ? 3 : 2, reader->model->dimension);
        }
    phx_nearest nearest = phx_nearest_to(found ? found : "");
    char list[300];
    size_t n = 0;
    for (int k = 0; phx_word_at(words, k).word; k++) {
        if (!(phx_word_at(words, k).dims & dims))
            continue;
        phx_nearest_offer(&nearest, phx_word_at(words, k).word);
        if (n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", phx_word_at(words, k).word);
    }
    return phx_reader_fail(reader, node, "expected one of %s, found %s%s", list, phx_shown_node(node).text,
                           found ? phx_nearest_hint(&nearest).text : "");
}

static phx_status preset_boolean(phx_reader *reader, const phx_key *key, void *field, void *owner)
{
    (void)reader, (void)owner;
    bool value = key->fallback && !strcmp(key->fallback, "true");
    memcpy(field, &value, sizeof value);
    return PHX_OK;
}

static phx_status read_word(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)owner;
    int value = 0;
    phx_status status = phx_read_word(reader, node, key->words, key->name, &value);
    if (!status)
        memcpy(field, &value, sizeof value); /* all enums of the model have the size of int */
    return status;
}

static phx_status preset_word(phx_reader *reader, const phx_key *key, void *field, void *owner)
{
    (void)reader, (void)owner;
    for (int k = 0; phx_word_at(key->words, k).word; k++)
        if (key->fallback && !strcmp(phx_word_at(key->words, k).word, key->fallback))
            memcpy(field, &k, sizeof k);
    return PHX_OK;
}

_Static_assert(sizeof(phx_model_frame) == sizeof(int) && sizeof(phx_reference) == sizeof(int) &&
                   sizeof(phx_element_kind) == sizeof(int) && sizeof(phx_model_integrator) == sizeof(int),
               "enums are read as int");

/* The key `kind` has been read by phx_read_object. */
static phx_status read_kind(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)reader, (void)key, (void)node, (void)field, (void)owner;
    return PHX_OK;
}

/* ---- vectors ---- */
static phx_status read_vector(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)owner;
    return phx_read_numbers(reader, node, key->range, reader->model->dimension, field);
}

static phx_status read_turn(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)owner;
    if (reader->model->dimension == 2)
        return phx_read_number(reader, node, key->range, field);
    return phx_read_numbers(reader, node, key->range, 3, field);
}

static phx_status read_pair(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)owner;
    return phx_read_numbers(reader, node, key->range, 2, field);
}

static phx_status values_read_matrix(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                     void *owner)
{
    (void)owner;
    double *values = field;
    if (node->kind != PHX_NODE_LIST || node->count != 3)
        return phx_reader_expected(reader, node, "a list of 3 rows of 3 numbers");
    phx_status status = PHX_OK;
    for (int i = 0; i < 3 && !status; i++)
        status = phx_read_numbers(reader, node->items[i], key->range, 3, values + 3 * i);
    return status;
}

static phx_status read_quaternion(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                  void *owner)
{
    (void)owner;
    return phx_read_numbers(reader, node, key->range, 4, field);
}

static phx_status read_list_of_numbers(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                       void *owner)
{
    if (phx_reader_list(reader, &node))
        return PHX_ERR_MEMORY;
    if (node->kind != PHX_NODE_LIST || node->count < 1)
        return phx_reader_expected(reader, node, "a list of numbers");
    double *values = phx_reader_calloc(reader, (size_t)node->count, sizeof *values);
    if (!values)
        return PHX_ERR_MEMORY;
    memcpy(field, &values, sizeof values);
    memcpy((char *)owner + key->count_offset, &node->count, sizeof node->count);
    return phx_read_numbers(reader, node, key->range, node->count, values);
}

/* ---- objects, maps, lists ---- */
static phx_status read_nested(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)owner;
    phx_status status = phx_reader_place(reader, field, key->object->size, node->source);
    return status ? status : phx_read_object(reader, key->object, node, field);
}

static phx_status read_given(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    bool given = true;
    memcpy(field, &given, sizeof given);
    return read_nested(reader, key, node, field, owner);
}

/* The presets of all keys of an object that is not there. */
static phx_status preset_nested(phx_reader *reader, const phx_key *key, void *field, void *owner)
{
    (void)owner;
    const phx_key *inner;
    for (phx_key_walk walk = {.object = key->object}; (inner = phx_next_key(&walk));) {
        if (!inner->type->preset || (inner->dims && !(inner->dims & phx_reader_dims(reader))))
            continue;
        phx_status status = inner->type->preset(reader, inner, (char *)field + inner->offset, field);
        if (status)
            return status;
    }
    return PHX_OK;
}

/* The keys of a nested object that fill the owner itself. */
static phx_status read_ground(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)field;
    return phx_read_object(reader, key->object, node, owner);
}

static phx_status preset_ground(phx_reader *reader, const phx_key *key, void *field, void *owner)
{
    (void)field;
    return preset_nested(reader, key, owner, owner);
}

static phx_status read_three(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)owner;
    return phx_read_numbers(reader, node, key->range, 3, field);
}

static phx_status read_place(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)owner;
    if (phx_reader_list(reader, &node))
        return PHX_ERR_MEMORY;
    if (node->kind != PHX_NODE_LIST || (node->count != 2 && node->count != 3))
        return phx_reader_expected(reader, node, "a list of 2 or 3 numbers");
    return phx_read_numbers(reader, node, key->range, (int)node->count, field);
}

static phx_status read_map(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    phx_status status = phx_read_map(reader, key, node, 0, field, (char *)owner + key->count_offset);
    if (!status && key->required && node->count == 0)
        status = phx_reader_expected(reader, node, "a map with at least one name");
    return !status && key->after ? key->after(reader, node) : status;
}

/* Reads `count` objects into a new array. Array and count are set before the items are read. */
static phx_status read_items(phx_reader *reader, const phx_key *key, const phx_node *const *nodes, int count,
                             void *field, void *owner)
{
    char *items = phx_reader_calloc(reader, (size_t)count, key->object->size);
    if (!items)
        return PHX_ERR_MEMORY;
    memcpy(field, &items, sizeof items);
    memcpy((char *)owner + key->count_offset, &count, sizeof count);
    for (int i = 0; i < count; i++) {
        char *item = items + (size_t)i * key->object->size;
        size_t key_path = phx_key_path_push(reader, NULL, i);
        phx_status status = phx_reader_place(reader, item, key->object->size, nodes[i]->source);
        if (!status)
            status = phx_read_object(reader, key->object, nodes[i], item);
        phx_key_path_pop(reader, key_path);
        if (status)
            return status;
    }
    return PHX_OK;
}

/* A list of objects; a null value leaves it empty. */
static phx_status read_list(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    if (phx_node_is_null(node))
        return PHX_OK;
    if (node->kind != PHX_NODE_LIST)
        return phx_reader_expected(reader, node, "a list");
    return read_items(reader, key, (const phx_node *const *)node->items, node->count, field, owner);
}

static phx_status read_some(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    if (node->kind == PHX_NODE_MAP)
        return read_items(reader, key, &node, 1, field, owner);
    if (node->kind != PHX_NODE_LIST && !phx_node_is_null(node))
        return phx_reader_expected(reader, node, "a map of keys, or a list of them");
    return read_list(reader, key, node, field, owner);
}

#define NUMBER_JSON "{\"$ref\": \"#/$defs/number\"}"
#define VECTOR_JSON "{\"$ref\": \"#/$defs/vector\"}"
#define TEXT_JSON   "{\"type\": [\"string\", \"number\"]}"
#define LIST_JSON(n, items)                                                                                            \
    "{\"type\": [\"array\", \"string\"], \"minItems\": " n ", \"maxItems\": " n ", \"items\": " items "}"

const phx_type phx_type_number = {"number", NUMBER_JSON, values_read_number, preset_number};
const phx_type phx_type_optional = {"number", NUMBER_JSON, read_optional, NULL};
const phx_type phx_type_integer = {"integer", NUMBER_JSON, read_integer, preset_integer};
const phx_type phx_type_version = {"integer", NUMBER_JSON, read_version, NULL};
const phx_type phx_type_boolean = {"true or false", "{\"type\": \"boolean\"}", read_boolean, preset_boolean};
const phx_type phx_type_title = {"text", TEXT_JSON, read_title, preset_title};
const phx_type phx_type_path = {"file", "{\"type\": \"string\"}", read_path, NULL};
const phx_type phx_type_column = {"text", TEXT_JSON, read_column, NULL};
const phx_type phx_type_word = {"word", NULL, read_word, preset_word};
const phx_type phx_type_kind = {"word", NULL, read_kind, NULL};
const phx_type phx_type_vector = {"vector", VECTOR_JSON, read_vector, NULL};
const phx_type phx_type_turn = {"number; space: vector", "{\"anyOf\": [" NUMBER_JSON ", " VECTOR_JSON "]}", read_turn,
                                NULL};
const phx_type phx_type_pair = {"2 numbers", LIST_JSON("2", NUMBER_JSON), read_pair, NULL};
const phx_type phx_type_three = {"3 numbers", LIST_JSON("3", NUMBER_JSON), read_three, NULL};
const phx_type phx_type_place = {"2 or 3 numbers",
                                 "{\"anyOf\": [" LIST_JSON("2", NUMBER_JSON) ", " LIST_JSON("3", NUMBER_JSON) "]}",
                                 read_place, NULL};
const phx_type phx_type_matrix = {"3 x 3 numbers", LIST_JSON("3", LIST_JSON("3", NUMBER_JSON)), values_read_matrix,
                                  NULL};
const phx_type phx_type_quaternion = {"4 numbers", LIST_JSON("4", NUMBER_JSON), read_quaternion, NULL};
const phx_type phx_type_numbers = {"list of numbers",
                                   "{\"type\": [\"array\", \"string\"], \"minItems\": 1, \"items\": " NUMBER_JSON "}",
                                   read_list_of_numbers, NULL};
const phx_type phx_type_object = {"map of keys", NULL, read_nested, preset_nested};
const phx_type phx_type_given = {"map of keys", NULL, read_given, preset_nested};
const phx_type phx_type_ground = {"map of keys", NULL, read_ground, preset_ground};
const phx_type phx_type_map = {"map of names", NULL, read_map, NULL};
const phx_type phx_type_list = {"list", NULL, read_list, NULL};
const phx_type phx_type_some = {"one, or a list", NULL, read_some, NULL};
