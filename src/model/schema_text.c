/* The schema as a table of keys and as a JSON Schema. */
#include "reader.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- objects in the order of first mention ---- */
enum { MAX_OBJECTS = 128 }; /* there are 70 */

typedef struct object_list {
    const phx_object *items[MAX_OBJECTS];
    int count;
} object_list;

static void schema_text_collect(object_list *list, const phx_object *object)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i] == object)
            return;
    assert(list->count < MAX_OBJECTS);
    list->items[list->count++] = object;
    const phx_key *key;
    for (phx_key_walk walk = {.object = object}; (key = phx_next_key(&walk));)
        if (key->object)
            schema_text_collect(list, key->object);
}

static object_list all_objects(void)
{
    object_list list = {.count = 0};
    schema_text_collect(&list, &phx_schema_model);
    schema_text_collect(&list, &phx_schema_plane_rotation);
    schema_text_collect(&list, &phx_schema_table);
    schema_text_collect(&list, &phx_schema_parameter_list);
    return list;
}

static phx_status finish_text(phx_text *text, char **result)
{
    if (text->failed) {
        phx_free(text->text);
        return PHX_ERR_MEMORY;
    }
    *result = text->text;
    return PHX_OK;
}

/* ---- Markdown ---- */
static void add_words(phx_text *text, const phx_word *words)
{
    for (int k = 0; phx_word_at(words, k).word; k++)
        phx_text_add(text, "%s`%s`%s", k ? " \\| " : "", phx_word_at(words, k).word,
                     phx_word_at(words, k).dims == PHX_SPACE   ? " (space)"
                     : phx_word_at(words, k).dims == PHX_PLANE ? " (plane)"
                                                               : "");
}

/* "beam; space", "all but weld": the shorter list of kinds */
static void add_scope(phx_text *text, const phx_object *object, const phx_key *key)
{
    int count[2] = {0, 0}; /* without, with the key */
    for (int k = 0; (key->kinds || key->traits) && phx_word_at(object->kinds, k).word; k++)
        count[phx_key_fits(object, key, k)]++;
    const bool most = count[1] > 3 * count[0];
    const char *separator = "";
    if (most && count[0])
        phx_text_add(text, "all but ");
    for (int k = 0; count[0] && phx_word_at(object->kinds, k).word; k++)
        if (phx_key_fits(object, key, k) != most) {
            phx_text_add(text, "%s%s", separator, phx_word_at(object->kinds, k).word);
            separator = ", ";
        }
    if (key->dims == PHX_PLANE || key->dims == PHX_SPACE)
        phx_text_add(text, "%s%s", *separator ? "; " : "", key->dims == PHX_PLANE ? "plane" : "space");
}

/* Writes one key as a row of a Markdown table: value, unit, default, scope and meaning. */
static void schema_text_add_row(phx_text *text, const phx_object *object, const phx_key *key)
{
    phx_text_add(text, "| `%s` | ", key->name);
    if (key->words)
        add_words(text, key->words);
    else if (key->object)
        phx_text_add(text, "%s: %s", key->type->name, key->object->title);
    else
        phx_text_add(text, "%s", key->range && key->range->integer ? key->range->text : key->type->name);
    phx_text_add(text, " | %s | ", key->unit ? key->unit : "");
    if (key->required)
        phx_text_add(text, "%s",
                     object->kind_rule == PHX_KIND_PRESENT && key->kinds ? "required with its form" : "required");
    else
        phx_text_add(text, "%s", key->fallback);
    phx_text_add(text, " | ");
    add_scope(text, object, key);
    phx_text_add(text, " | %s", key->doc);
    if (key->range && !key->range->integer)
        phx_text_add(text, "; %s", key->range->text);
    phx_text_add(text, " |\n");
}

/* Writes the reference of all keys of the model file in Markdown; the caller frees the text. */
phx_status phx_model_schema_markdown(phx_context *context, char **result)
{
    if (!result)
        return phx_fail_null(context, __func__, "text");
    phx_text text = {.context = context};
    object_list list = all_objects();
    phx_status status = PHX_OK;
    phx_text_add(&text, "# Keys of the model file\n\n"
                        "Written by the reader's own schema. A number is a YAML number or an arithmetic expression of "
                        "`pi`, `deg` and the parameters; a signal may also use the time `t`.\n");
    for (int i = 0; i < list.count && !status; i++) {
        const phx_object *object = list.items[i];
        phx_text_add(&text, "\n## %s\n\n", object->title);
        if (*object->doc)
            phx_text_add(&text, "%s\n\n", object->doc);
        phx_text_add(&text, "| key | value | unit | default | only for | meaning |\n|---|---|---|---|---|---|\n");
        const phx_key *key;
        for (phx_key_walk walk = {.object = object}; (key = phx_next_key(&walk));)
            schema_text_add_row(&text, object, key);
        if (object->tables)
            status = object->tables(&text);
    }
    if (status) {
        phx_free(text.text);
        return status;
    }
    return finish_text(&text, result);
}

/* ---- JSON Schema ---- */
static void add_name(phx_text *text, const phx_object *object)
{
    for (const char *c = object->title; *c; c++)
        phx_text_add(text, "%c", *c == ' ' ? '_' : *c);
}

static void add_string(phx_text *text, const char *string)
{
    phx_text_add(text, "\"");
    for (const char *c = string; *c; c++)
        phx_text_add(text, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    phx_text_add(text, "\"");
}

static void add_reference(phx_text *text, const phx_object *object)
{
    phx_text_add(text, "{\"$ref\": \"#/$defs/");
    add_name(text, object);
    phx_text_add(text, "\"}");
}

static void add_enum(phx_text *text, const phx_word *words, int only)
{
    phx_text_add(text, "{\"enum\": [");
    for (int k = 0, n = 0; phx_word_at(words, k).word; k++)
        if (only < 0 || k == only)
            phx_text_add(text, "%s\"%s\"", n++ ? ", " : "", phx_word_at(words, k).word);
    phx_text_add(text, "]}");
}

/* A number in its range, or an expression. */
static void add_number(phx_text *text, const phx_range *range)
{
    phx_text_add(text, "{\"anyOf\": [{\"type\": \"%s\"", range->integer ? "integer" : "number");
    if (range->only[0] || range->only[1])
        phx_text_add(text, range->only[0] == range->only[1] ? ", \"enum\": [%d]" : ", \"enum\": [%d, %d]",
                     range->only[0], range->only[1]);
    else
        phx_text_add(text, ", \"%s\": %d", range->above_low ? "exclusiveMinimum" : "minimum", (int)range->low);
    if (range->high > 0.0 && isfinite(range->high))
        phx_text_add(text, range->high < 1.0 ? ", \"maximum\": 0.5" : ", \"maximum\": %d", (int)range->high);
    phx_text_add(text, "}, {\"type\": \"string\"}]}");
}

/* Writes the JSON schema of the value of a key by its type. */
static void add_value(phx_text *text, const phx_key *key, int kind)
{
    const phx_type *type = key->type;
    if (key->words)
        add_enum(text, key->words, type == &phx_type_kind ? kind : -1);
    else if (key->range && (type == &phx_type_number || type == &phx_type_optional || type == &phx_type_integer ||
                            type == &phx_type_version))
        add_number(text, key->range);
    else if (type->json)
        phx_text_add(text, "%s", type->json);
    else if (type == &phx_type_map || type == &phx_type_ports) {
        phx_text_add(text, "{\"type\": [\"object\", \"null\"], \"additionalProperties\": ");
        add_reference(text, key->object);
        phx_text_add(text, "}");
    } else if (type == &phx_type_list) {
        phx_text_add(text, "{\"type\": [\"array\", \"null\"], \"items\": ");
        add_reference(text, key->object);
        phx_text_add(text, "}");
    } else if (type == &phx_type_some) {
        phx_text_add(text, "{\"anyOf\": [");
        add_reference(text, key->object);
        phx_text_add(text, ", {\"type\": [\"array\", \"null\"], \"items\": ");
        add_reference(text, key->object);
        phx_text_add(text, "}]}");
    } else if (type == &phx_type_coordinate_object) {
        phx_text_add(text, "{\"anyOf\": [");
        add_reference(text, key->object);
        phx_text_add(text, ", {\"type\": \"array\", \"items\": {\"anyOf\": [");
        add_reference(text, key->object);
        phx_text_add(text, ", {\"type\": \"null\"}]}}]}");
    } else if (type == &phx_type_rotation) {
        phx_text_add(text, "{\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, ");
        add_reference(text, &phx_schema_plane_rotation);
        phx_text_add(text, ", ");
        add_reference(text, key->object);
        phx_text_add(text, "]}");
    } else {
        add_reference(text, key->object);
    }
}

/* One property, at the first row of its name that applies to a kind; rows that differ by dimension become alternatives.
 */
static bool add_property(phx_text *text, const phx_object *object, const phx_key *key, int kind, bool first)
{
    const char *separator = "";
    if (!phx_key_fits(object, key, kind) || phx_object_key(object, key->name, kind, PHX_BOTH) != key)
        return false;
    phx_text_add(text, "%s\n        \"%s\": {\"description\": ", first ? "" : ",", key->name);
    add_string(text, key->doc);
    phx_text_add(text, ", \"anyOf\": [");
    const phx_key *same;
    for (phx_key_walk walk = {.object = object}; (same = phx_next_key(&walk));) {
        if (strcmp(same->name, key->name) || !phx_key_fits(object, same, kind))
            continue;
        phx_text_add(text, "%s", separator);
        add_value(text, same, kind);
        separator = ", ";
    }
    phx_text_add(text, "]}");
    return true;
}

/* The object of one kind (-1: it has none). */
static void add_form(phx_text *text, const phx_object *object, int kind)
{
    bool first = true;
    phx_text_add(text, "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {");
    const phx_key *key;
    for (phx_key_walk walk = {.object = object}; (key = phx_next_key(&walk));)
        if (add_property(text, object, key, kind, first))
            first = false;
    phx_text_add(text, "\n      }, \"required\": [");
    first = true;
    for (phx_key_walk walk = {.object = object}; (key = phx_next_key(&walk));) {
        bool fits = phx_key_fits(object, key, kind);
        bool always = !key->dims || key->dims == PHX_BOTH || object->kind_rule == PHX_KIND_PRESENT;
        if (!key->required || !fits || !always)
            continue;
        phx_text_add(text, "%s\"%s\"", first ? "" : ", ", key->name);
        first = false;
    }
    phx_text_add(text, "]}");
}

static void add_object(phx_text *text, const phx_object *object)
{
    if (object->kind_rule == PHX_KIND_NONE) {
        add_form(text, object, -1);
        return;
    }
    phx_text_add(text, "{\"oneOf\": [");
    for (int k = 0; phx_word_at(object->kinds, k).word; k++) {
        phx_text_add(text, "%s\n      ", k ? "," : "");
        add_form(text, object, k);
    }
    phx_text_add(text, "]}");
}

/* Writes the JSON schema of the model file; the caller frees the text. */
phx_status phx_model_schema_json(phx_context *context, char **result)
{
    if (!result)
        return phx_fail_null(context, __func__, "text");
    phx_text text = {.context = context};
    object_list list = all_objects();
    phx_text_add(
        &text,
        "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
        "  \"title\": \"Phlexor model, version 1\",\n"
        "  \"$ref\": \"#/$defs/model\",\n  \"$defs\": {\n"
        "    \"number\": {\"type\": [\"number\", \"string\"]},\n"
        "    \"point\": {\"type\": \"string\", \"pattern\": \"^[^.@]+[.@].+$\"},\n"
        "    \"vector\": {\"type\": [\"array\", \"string\"], \"minItems\": 2, \"maxItems\": 3, \"items\": {\"$ref\": "
        "\"#/$defs/number\"}},\n"
        "    \"inertia\": {\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"minItems\": "
        "3, \"maxItems\": 3, \"items\": {\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": "
        "\"#/$defs/vector\"}]}}]},\n"
        "    \"signal\": {\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": "
        "\"#/$defs/table_of_a_signal\"}]}");
    for (int i = 0; i < list.count; i++) {
        phx_text_add(&text, ",\n    \"");
        add_name(&text, list.items[i]);
        phx_text_add(&text, "\": ");
        add_object(&text, list.items[i]);
    }
    phx_text_add(&text, "\n  }\n}\n");
    return finish_text(&text, result);
}
