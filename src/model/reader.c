/* Reads objects as their tables say. */
#include "reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- messages ---- */
static phx_status fail_with(phx_reader *reader, phx_model_source source, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
static phx_status fail_with(phx_reader *reader, phx_model_source source, const char *format, va_list args)
{
    char message[1000];
    vsnprintf(message, sizeof message, format, args);
    return phx_fail(reader->context, PHX_ERR_INPUT, "%s:%d:%d: %s%s%s", reader->model->path, source.line, source.column,
                    reader->key_path, reader->key_path_length ? ": " : "", message);
}

phx_status phx_reader_fail(phx_reader *reader, const phx_node *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    phx_status status = fail_with(reader, node->source, format, args);
    va_end(args);
    return status;
}

phx_status phx_reader_fail_at(phx_reader *reader, phx_model_source source, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    phx_status status = fail_with(reader, source, format, args);
    va_end(args);
    return status;
}

/* YAML takes an unquoted expression in brackets apart at its commas: what is left has open parentheses. */
static const char *comma_hint(const phx_node *node)
{
    int n = node->kind == PHX_NODE_MAP ? 2 * node->count : node->kind == PHX_NODE_LIST ? node->count : 0;
    for (int i = 0; i < n; i++) {
        int open = 0;
        for (const char *c = node->items[i]->kind == PHX_NODE_SCALAR ? node->items[i]->text : ""; *c; c++)
            open += (*c == '(') - (*c == ')');
        if (open)
            return "; inside [...] and {...} an expression that contains a comma must be quoted";
    }
    return "";
}

phx_status phx_reader_expected(phx_reader *reader, const phx_node *node, const char *expected)
{
    return phx_reader_fail(reader, node, "expected %s, found %s%s", expected, phx_shown_node(node).text,
                           comma_hint(node));
}

phx_status phx_reader_fail_again(phx_reader *reader, const phx_node *node, phx_status failure)
{
    char *message = failure == PHX_ERR_MEMORY ? NULL : phx_strdup(NULL, phx_context_message(reader->context));
    if (!message)
        return PHX_ERR_MEMORY;
    const phx_status status = phx_reader_fail(reader, node, "%s", message);
    phx_free(message);
    return status;
}

phx_status phx_reader_fail_expression(phx_reader *reader, const phx_node *node)
{
    const phx_expression *expression = phx_evaluator_expression(reader->evaluator);
    phx_model_source at = node->source;
    if (node->inside)
        at.column += expression->error_at + !node->plain;
    return phx_reader_fail_at(reader, at, "%s", expression->error);
}

/* Appends a key or, if index >= 0, an index to the path shown in errors; returns the length before for
 * phx_key_path_pop. A path that would be too long stays as before. */
size_t phx_key_path_push(phx_reader *reader, const char *name, int index)
{
    const size_t before = reader->key_path_length, room = sizeof reader->key_path - before;
    char number[20];
    if (index >= 0)
        snprintf(number, sizeof number, "[%d]", index + 1);
    const char *step = index < 0 ? name : number;
    const size_t dot = index < 0 && before, whole = strlen(step), length = whole < 60 ? whole : 60;
    if (dot + length >= room)
        return before;
    if (dot)
        reader->key_path[before] = '.';
    memcpy(reader->key_path + before + dot, step, length);
    phx_key_path_pop(reader, before + dot + length);
    return before;
}

void phx_key_path_pop(phx_reader *reader, size_t length)
{
    reader->key_path_length = length;
    reader->key_path[length] = 0;
}

/* ---- keys ---- */
unsigned phx_reader_dims(const phx_reader *reader)
{
    int dimension = reader->model->dimension;
    return dimension == 2 ? PHX_PLANE : dimension == 3 ? PHX_SPACE : PHX_BOTH;
}

/* Returns the next key of an object; keys of its kinds are inserted at the row without a name. NULL at the end. */
const phx_key *phx_next_key(phx_key_walk *walk)
{
    const phx_object *object = walk->object;
    while (walk->row < object->n_keys) {
        const phx_key *key = &object->keys[walk->row];
        if (!key->name && phx_word_at(object->kinds, walk->kind).word) {
            const phx_key_table own = object->of_kind(walk->kind);
            if (walk->own < own.n_keys)
                return &own.keys[walk->own++];
            walk->kind++;
            walk->own = 0;
            continue;
        }
        walk->row++;
        if (key->name)
            return key;
    }
    return NULL;
}

bool phx_key_fits(const phx_object *object, const phx_key *key, int kind)
{
    if (kind < 0)
        return true;
    return (!key->kinds || (key->kinds >> kind & 1u)) &&
           (!key->traits || (key->traits & phx_word_at(object->kinds, kind).traits));
}

static bool applies(const phx_object *object, const phx_key *key, int kind, unsigned dims)
{
    return phx_key_fits(object, key, kind) && (!key->dims || (key->dims & dims));
}

const phx_key *phx_object_key(const phx_object *object, const char *name, int kind, unsigned dims)
{
    const phx_key *key;
    for (phx_key_walk walk = {.object = object}; (key = phx_next_key(&walk));)
        if (!strcmp(key->name, name) && applies(object, key, kind, dims))
            return key;
    return NULL;
}

static phx_nearest nearest_key(const phx_object *object, const char *name, int kind, unsigned dims)
{
    phx_nearest nearest = phx_nearest_to(name);
    const phx_key *key;
    for (phx_key_walk walk = {.object = object}; (key = phx_next_key(&walk));)
        if (applies(object, key, kind, dims))
            phx_nearest_offer(&nearest, key->name);
    return nearest;
}

/* Names of the keys that apply, for messages. */
static void list_keys(const phx_object *object, int kind, unsigned dims, char *text, size_t size)
{
    size_t n = 0;
    text[0] = 0;
    const phx_key *key;
    for (phx_key_walk walk = {.object = object}; n < size && (key = phx_next_key(&walk));)
        if (phx_object_key(object, key->name, kind, dims) == key) /* the first of its name */
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", key->name);
}

/* Refuses keys that the object does not have for any kind, with the closest key and the list of all. */
static phx_status check_known(phx_reader *reader, const phx_object *object, const phx_node *node)
{
    for (int i = 0; i < node->count; i++) {
        const phx_node *name = node->items[2 * i];
        if (phx_object_key(object, name->text, -1, PHX_BOTH))
            continue;
        char keys[400];
        list_keys(object, -1, phx_reader_dims(reader), keys, sizeof keys);
        phx_nearest nearest = nearest_key(object, name->text, -1, phx_reader_dims(reader));
        return phx_reader_fail(reader, name, "unknown key %s in %s %s%s%s (keys: %s)", phx_shown_text(name->text).text,
                               phx_article(object->title), object->title, phx_nearest_hint(&nearest).text,
                               comma_hint(node), keys);
    }
    return PHX_OK;
}

/* A key of the object that does not belong to this kind or dimension. */
static phx_status fail_misplaced(phx_reader *reader, const phx_object *object, const phx_node *name, int kind)
{
    unsigned dims = phx_reader_dims(reader);
    char keys[400];
    list_keys(object, kind, dims, keys, sizeof keys);
    if (!phx_object_key(object, name->text, -1, dims) || (kind < 0 && !phx_object_key(object, name->text, kind, dims)))
        return phx_reader_fail(reader, name,
                               "key '%s' of a %s exists only with dimension %d, this model has %d (keys: %s)",
                               name->text, object->title, dims == PHX_PLANE ? 3 : 2, reader->model->dimension, keys);
    char kinds[200];
    size_t n = 0;
    kinds[0] = 0;
    for (int k = 0; phx_word_at(object->kinds, k).word && n < sizeof kinds; k++)
        if ((phx_word_at(object->kinds, k).dims & dims) && phx_object_key(object, name->text, k, dims))
            n += (size_t)snprintf(kinds + n, sizeof kinds - n, "%s%s", n ? ", " : "",
                                  phx_word_at(object->kinds, k).word);
    return phx_reader_fail(reader, name, "key '%s' does not apply to %s %s with '%s', only with: %s (keys: %s)",
                           name->text, phx_article(object->title), object->title, phx_word_at(object->kinds, kind).word,
                           kinds, keys);
}

static phx_status check_placed(phx_reader *reader, const phx_object *object, const phx_node *node, int kind)
{
    for (int i = 0; i < node->count; i++)
        if (!phx_object_key(object, node->items[2 * i]->text, kind, phx_reader_dims(reader)))
            return fail_misplaced(reader, object, node->items[2 * i], kind);
    return PHX_OK;
}

/* ---- kinds ---- */
static phx_status kind_from_present(phx_reader *reader, const phx_object *object, const phx_node *node, int *kind)
{
    const phx_node *first = NULL;
    *kind = -1;
    for (int i = 0; i < node->count; i++) {
        const phx_node *name = node->items[2 * i];
        for (int k = 0; phx_word_at(object->kinds, k).word; k++) {
            if (strcmp(name->text, phx_word_at(object->kinds, k).word))
                continue;
            if (first)
                return phx_reader_fail(reader, name, "'%s' and '%s' do not go together in %s %s; keep one", name->text,
                                       first->text, phx_article(object->title), object->title);
            if (!(phx_word_at(object->kinds, k).dims & phx_reader_dims(reader)))
                return phx_reader_fail(reader, name, "'%s' exists only with dimension %d, this model has %d",
                                       name->text, reader->model->dimension == 2 ? 3 : 2, reader->model->dimension);
            first = name;
            *kind = k;
        }
    }
    if (first)
        return PHX_OK;
    char words[400];
    size_t n = 0;
    for (int k = 0; phx_word_at(object->kinds, k).word && n < sizeof words; k++)
        if (phx_word_at(object->kinds, k).dims & phx_reader_dims(reader))
            n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", n ? ", " : "",
                                  phx_word_at(object->kinds, k).word);
    return phx_reader_fail(reader, node, "%s %s needs one of the keys %s", phx_article(object->title), object->title,
                           words);
}

/* Determines the kind of an object from its key 'kind' or from the keys present; -1 if objects of this type have no
 * kinds. */
static phx_status find_kind(phx_reader *reader, const phx_object *object, const phx_node *node, int *kind)
{
    *kind = -1;
    if (object->kind_rule == PHX_KIND_NONE)
        return PHX_OK;
    if (object->kind_rule == PHX_KIND_PRESENT)
        return kind_from_present(reader, object, node, kind);
    const phx_node *value = phx_node_find(node, "kind");
    if (!value)
        return phx_reader_fail(reader, node, "key 'kind' of %s %s is missing", phx_article(object->title),
                               object->title);
    size_t key_path = phx_key_path_push(reader, "kind", -1);
    phx_status status = phx_read_word(reader, value, object->kinds, "kind", kind);
    phx_key_path_pop(reader, key_path);
    return status;
}

/* ---- objects ---- */
static void *field_of(const phx_key *key, void *target)
{
    return key->offset == PHX_NO_FIELD ? NULL : (char *)target + key->offset;
}

static phx_status read_key(phx_reader *reader, const phx_key *key, const phx_node *value, void *target)
{
    void *field = field_of(key, target);
    size_t key_path = phx_key_path_push(reader, key->name, -1);
    phx_status status = field ? phx_reader_place(reader, field, 1, value->source) : PHX_OK;
    if (!status)
        status = key->type->read(reader, key, value, field, target);
    if (!status && reader->doubts && key->unit && !strcmp(key->unit, "rad"))
        phx_doubt_angle(reader, value);
    phx_key_path_pop(reader, key_path);
    return status;
}

static phx_status fail_missing(phx_reader *reader, const phx_object *object, const phx_key *key, const phx_node *node)
{
    return phx_reader_fail(reader, node, "key '%s' of %s %s is missing: %s%s%s%s", key->name,
                           phx_article(object->title), object->title, key->doc, key->unit ? " (" : "",
                           key->unit ? key->unit : "", key->unit ? ")" : "");
}

/* The struct that has the fields of a key. */
static void *owner_of(const phx_object *object, const phx_key *key, void *target)
{
    void *own = NULL;
    if (!key->own)
        return target;
    memcpy(&own, (char *)target + object->own_offset, sizeof own);
    return own;
}

/* Reads the keys that apply to kind and dimension; missing ones are refused if required, else preset. */
static phx_status read_keys(phx_reader *reader, const phx_object *object, const phx_node *node, int kind, void *target)
{
    const phx_key *key;
    for (phx_key_walk walk = {.object = object}; (key = phx_next_key(&walk));) {
        if (!applies(object, key, kind, phx_reader_dims(reader)))
            continue;
        const phx_node *value = phx_node_find(node, key->name);
        void *owner = owner_of(object, key, target);
        phx_status status = PHX_OK;
        if (value)
            status = read_key(reader, key, value, owner);
        else if (key->required)
            status = fail_missing(reader, object, key, node);
        else if (key->type->preset)
            status = key->type->preset(reader, key, field_of(key, owner), owner);
        if (status)
            return status;
    }
    return PHX_OK;
}

/* Reads an object: checks its keys, determines its kind, reads its values, and calls its hooks before and after. */
phx_status phx_read_object(phx_reader *reader, const phx_object *object, const phx_node *node, void *target)
{
    char expected[80];
    int kind = -1;
    if (node->kind != PHX_NODE_MAP) {
        snprintf(expected, sizeof expected, "a map with the keys of %s %s", phx_article(object->title), object->title);
        return phx_reader_expected(reader, node, expected);
    }
    phx_status status = check_known(reader, object, node);
    if (!status)
        status = find_kind(reader, object, node, &kind);
    if (!status)
        status = check_placed(reader, object, node, kind);
    if (status)
        return status;
    if (object->kind_rule != PHX_KIND_NONE)
        memcpy((char *)target + object->kind_offset, &kind, sizeof kind);
    if (object->begin)
        status = object->begin(reader, node, target);
    if (!status)
        status = read_keys(reader, object, node, kind, target);
    if (!status && object->finish)
        status = object->finish(reader, node, target);
    return status;
}

/* ---- names and maps ---- */
phx_status phx_check_name(phx_reader *reader, const phx_node *key)
{
    const char *text = key->text;
    if (!*text)
        return phx_reader_fail(reader, key, "expected a name, found nothing");
    if (strlen(text) > 100)
        return phx_reader_fail(reader, key, "name %s is longer than 100 bytes", phx_shown_text(text).text);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || strchr(".@/,;\"'\\", *c))
            return phx_reader_fail(reader, key,
                                   "name %s contains '%c'; a name is made of letters, digits and signs other than "
                                   ". @ / , ; quotes and backslash",
                                   phx_shown_text(text).text, (unsigned char)*c < 0x20 ? '?' : *c);
    return PHX_OK;
}

/* Reads one named object of a map and records its place; item begins with its name. */
static phx_status read_item(phx_reader *reader, const phx_object *object, const phx_node *name, const phx_node *value,
                            char *item)
{
    phx_status status = phx_check_name(reader, name);
    if (status)
        return status;
    reader->item = name;
    memcpy(item, &name->text, sizeof name->text); /* an item begins with its name; the document keeps the text */
    size_t key_path = phx_key_path_push(reader, name->text, -1);
    status = phx_reader_place(reader, item, object->size, name->source);
    if (!status)
        status = phx_read_object(reader, object, value, item);
    phx_key_path_pop(reader, key_path);
    return status;
}

/* The number of objects of an item: of a list of parameters one for each entry, of which *first is the first. */
static int count_entries(const phx_reader *reader, const phx_object *object, const phx_node *name, int *first)
{
    const int count = object->of_entries ? phx_names_range(&reader->content->parameters, name->text, first) : 0;
    return count > 0 ? count : 1;
}

/* Reads the object of each entry of a list of parameters, under its name; `taken` marks those that have one. */
static phx_status read_entries(phx_reader *reader, const phx_object *object, const phx_node *name,
                               const phx_node *value, bool *taken, char *items)
{
    int first = -1;
    const int count = count_entries(reader, object, name, &first);
    phx_status status = PHX_OK;

    for (int k = 0; k < count && !status; k++) {
        phx_node entry = *name;
        if (first >= 0 && taken[first + k])
            return phx_reader_fail(reader, name, "'%s' is given twice, by itself and by its list; leave one out",
                                   reader->model->parameters[first + k].name);
        if (first >= 0) {
            taken[first + k] = true;
            entry.text = reader->model->parameters[first + k].name;
        }
        status = read_item(reader, object, &entry, value, items + (size_t)k * object->size);
        reader->item = name;
    }
    return status;
}

/* Reads a map of named objects into a new array, after `reserved` empty entries; array and total count go to field and
 * count. */
phx_status phx_read_map(phx_reader *reader, const phx_key *key, const phx_node *node, int reserved, void *field,
                        void *count)
{
    const phx_object *object = key->object;
    if (node->kind != PHX_NODE_MAP && !phx_node_is_null(node))
        return phx_reader_expected(reader, node, "a map of names");
    int n = reserved, first;
    for (int i = 0; i < node->count; i++)
        n += count_entries(reader, object, node->items[2 * i], &first);
    char *made = phx_reader_calloc(reader, (size_t)n, object->size);
    bool *taken =
        phx_reader_calloc(reader, object->of_entries ? (size_t)reader->model->n_parameters : 0, sizeof *taken);
    if (!made || !taken)
        return PHX_ERR_MEMORY;
    memcpy(field, &made, sizeof made); /* an item may refer to its own place in the array */
    phx_status status = PHX_OK;
    for (int i = 0, at = reserved; i < node->count && !status; i++) {
        const phx_node *name = node->items[2 * i];
        status = read_entries(reader, object, name, node->items[2 * i + 1], taken, made + (size_t)at * object->size);
        at += count_entries(reader, object, name, &first);
    }
    memcpy(count, &n, sizeof n);
    return status;
}
