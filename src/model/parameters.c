/* Parameters: they may refer to one another, in any order but not in a circle, and be set from outside. */
#include "schema_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum state { UNKNOWN, WAITING, KNOWN } state;

typedef struct resolver {
    phx_reader *reader;
    const phx_node *map; /* NULL: the file has no parameters */
    int n;
    phx_model_parameter *parameters;
    const phx_model_override **overrides; /* of each parameter, NULL: none */
    bool *known;                          /* for the evaluator */
    state *states;
    int *stack;
    int depth;
} resolver;

/* Checks the name of a parameter: an identifier of bounded length that is not reserved. */
static phx_status check_parameter_name(phx_reader *reader, const phx_node *name)
{
    static const char *const reserved[] = {"t", "s", "pi", "deg"};
    if (!phx_is_identifier(name->text) || strlen(name->text) > PHX_MAX_IDENTIFIER)
        return phx_reader_fail(
            reader, name,
            "expected a name of letters, digits and underscores that begins with a letter, at most %d "
            "characters, found %s",
            PHX_MAX_IDENTIFIER, phx_shown_node(name).text);
    for (size_t k = 0; k < sizeof reserved / sizeof reserved[0]; k++)
        if (!strcmp(name->text, reserved[k]))
            return phx_reader_fail(reader, name, "the name '%s' is reserved (t, s, pi, deg); choose another",
                                   reserved[k]);
    return PHX_OK;
}

/* ---- values from outside ---- */
static phx_status fail_override(resolver *r, const phx_model_override *override, const char *what)
{
    char text[40];
    snprintf(text, sizeof text, "%.10g", override->value);
    return phx_fail(r->reader->context, PHX_ERR_INPUT, "%s: parameter '%s' set to %s: %s", r->reader->model->path,
                    override->name, phx_shown_text(override->expression ? override->expression : text).text, what);
}

/* Assigns the given overrides to parameters; an unknown name or a value that is not finite is refused. */
static phx_status take_overrides(resolver *r)
{
    phx_reader *reader = r->reader;
    for (int k = 0; k < reader->n_overrides; k++) {
        const phx_model_override *override = &reader->overrides[k];
        const char *name = override->name ? override->name : "";
        int first;
        const int count = phx_names_range(&reader->content->parameters, name, &first);
        if (count == 0)
            return phx_fail(reader->context, PHX_ERR_INPUT, "%s: there is no parameter %s to set%s",
                            reader->model->path, phx_shown_text(name).text,
                            phx_names_hint(&reader->content->parameters, name).text);
        if (!override->expression && !isfinite(override->value))
            return fail_override(r, override, "the value must be finite");
        for (int index = first; index < first + count; index++) {
            r->overrides[index] = override;
            r->parameters[index].overridden = true;
        }
    }
    return PHX_OK;
}

/* ---- evaluation in the order of dependence ---- */
static const phx_node *value_node(const resolver *r, int index)
{
    return r->map->items[2 * index + 1];
}

static phx_status fail_cycle(resolver *r, int repeated)
{
    char chain[400];
    size_t n = 0;
    int first = 0;
    while (r->stack[first] != repeated)
        first++;
    for (int k = first; k < r->depth && n < sizeof chain; k++)
        n += (size_t)snprintf(chain + n, sizeof chain - n, "%s -> ", r->parameters[r->stack[k]].name);
    return phx_reader_fail(r->reader, value_node(r, repeated), "parameters refer to one another in a circle: %s%s",
                           chain, r->parameters[repeated].name);
}

/* A parameter that the expression just scanned needs and that has no value yet, -1. */
static int missing_parameter(const resolver *r)
{
    const phx_expression *x = phx_evaluator_expression(r->reader->evaluator);
    for (int i = 0; i < x->n_tokens; i++) {
        int index = phx_evaluator_parameter(r->reader->evaluator, &x->tokens[i]);
        if (index >= 0 && r->states[index] != KNOWN)
            return index;
    }
    return -1;
}

/* The expression of a parameter, for those that stay open; one from outside may not last. */
static phx_status keep_text(resolver *r, int parameter, const char *text, bool copied)
{
    phx_reader *reader = r->reader;
    const char **kept = &reader->content->parameter_texts[parameter];

    if (*kept)
        return PHX_OK;
    *kept = text && copied ? phx_arena_text(reader->context, &reader->content->memory, text, strlen(text)) : text;
    return *kept || !text ? PHX_OK : PHX_ERR_MEMORY;
}

/* Look at the parameter on top of the stack: give it its value, or push one it waits for. */
static phx_status parameters_advance(resolver *r)
{
    phx_evaluator *evaluator = r->reader->evaluator;
    int top = r->stack[r->depth - 1], missing = -1;
    const phx_model_override *override = r->overrides[top];
    const phx_node *node = value_node(r, top);
    double value = override ? override->value : 0.0;
    if (!override && (node->kind != PHX_NODE_SCALAR || phx_node_is_null(node)))
        return phx_reader_expected(r->reader, node, "a number");
    const char *text = override ? override->expression : node->text;
    phx_status status = keep_text(r, top, text, override != NULL);
    if (status)
        return status;
    if (text && !phx_number_from_text(text, &value)) {
        status = phx_evaluator_scan(evaluator, text, PHX_USE_CONSTANT);
        missing = status ? -1 : missing_parameter(r);
    }
    if (!status && missing >= 0) {
        if (r->states[missing] == WAITING)
            return fail_cycle(r, missing);
        r->states[missing] = WAITING;
        r->stack[r->depth++] = missing;
        return PHX_OK;
    }
    if (!status && text)
        status = phx_evaluator_value(evaluator, text, &value);
    if (status == PHX_ERR_INPUT)
        return override ? fail_override(r, override, phx_evaluator_expression(evaluator)->error)
                        : phx_reader_fail_expression(r->reader, node);
    r->parameters[top].value = value;
    r->states[top] = KNOWN;
    r->known[top] = true;
    r->depth--;
    return status;
}

/* Evaluates all parameters, each after those it depends on, with a stack instead of recursion; cycles fail. */
static phx_status resolve(resolver *r)
{
    for (int i = 0; i < r->n; i++) {
        if (r->states[i] == KNOWN)
            continue;
        r->states[i] = WAITING;
        r->stack[r->depth++] = i;
        while (r->depth) {
            int top = r->stack[r->depth - 1];
            size_t key_path = phx_key_path_push(r->reader, r->parameters[top].name, -1);
            phx_status status = parameters_advance(r);
            phx_key_path_pop(r->reader, key_path);
            if (status)
                return status;
        }
    }
    return PHX_OK;
}

/* ---- lists ---- */
typedef struct list_form {
    int count;
    const phx_node *value;
} list_form;

/* A plain number: the entries of a list do not change with other parameters. */
static phx_status read_count(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    double value;
    if (node->kind != PHX_NODE_SCALAR || !phx_number_from_text(node->text, &value))
        return phx_reader_expected(reader, node, key->range->text);
    return phx_type_integer.read(reader, key, node, field, owner);
}

/* Evaluated once for each entry, after all names are known. */
static phx_status read_entry(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)reader, (void)key, (void)owner;
    memcpy(field, &node, sizeof node);
    return PHX_OK;
}

static const phx_range list_range = {"a whole number from 1 to 100000", 1.0, PHX_MAX_PARAMETERS, .integer = true};
static const phx_type type_count = {"integer", "{\"type\": \"integer\", \"minimum\": 1, \"maximum\": 100000}",
                                    read_count, NULL};
static const phx_type type_entry = {"number", "{\"$ref\": \"#/$defs/number\"}", read_entry, NULL};
static const phx_key list_keys[] = {
    {"count", &type_count, AT(list_form, count), .required = true, .range = &list_range,
     .doc = "number of its entries, written as a number"},
    {"value", &type_entry, AT(list_form, value), .required = true, .doc = "of each entry"},
};
const phx_object phx_schema_parameter_list = {
    "list of parameters",
    "One value for all entries; `[0.1, 0.2]` is a list with a value for each. The entries of a list `h` are the "
    "parameters `h[1]`, `h[2]`, ... In commands and under `sweep`, `optimize` and `identify`, `h` stands for all of "
    "them. A key that needs a list of numbers accepts `h` too.",
    TABLE(list_form, list_keys)};

/* The number of parameters of an item of the map: a number, a list, or a count and a value. */
static phx_status count_entries(phx_reader *reader, const phx_node *name, const phx_node *node, list_form *form)
{
    phx_status status = check_parameter_name(reader, name);
    const size_t key_path = phx_key_path_push(reader, name->text, -1);

    *form = (list_form){.count = node->kind == PHX_NODE_LIST ? node->count : 1, .value = node};
    if (!status && node->kind == PHX_NODE_MAP)
        status = phx_read_object(reader, &phx_schema_parameter_list, node, form);
    if (!status && form->count < 1)
        status = phx_reader_fail(reader, node, "expected at least one number in a list of parameters, found none");
    phx_key_path_pop(reader, key_path);
    return status;
}

/* The name of entry k of an item and its value. */
static phx_status put_entry(phx_reader *reader, const phx_node *const item[2], const list_form *form, int k,
                            phx_node *name, const phx_node **value)
{
    char text[PHX_MAX_PARAMETER + 1];
    const bool listed = item[1]->kind == PHX_NODE_LIST;

    *name = *item[0];
    *value = listed ? item[1]->items[k] : form->value;
    if (item[1]->kind == PHX_NODE_SCALAR)
        return PHX_OK;
    snprintf(text, sizeof text, "%s[%d]", item[0]->text, k + 1);
    name->text = phx_arena_text(reader->context, &reader->content->memory, text, strlen(text));
    name->source = listed ? (*value)->source : name->source;
    return name->text ? PHX_OK : PHX_ERR_MEMORY;
}

/* Replaces the map of the file by one with an item for each parameter, in which lists are replaced by their entries. */
static phx_status expand_lists(phx_reader *reader, const phx_node **map)
{
    const phx_node *from = *map, *const *item = from->items;
    list_form *forms = phx_reader_calloc(reader, (size_t)from->count, sizeof *forms);
    phx_status status = forms ? PHX_OK : PHX_ERR_MEMORY;
    int n = 0;

    for (int i = 0; i < from->count && !status; i++) {
        status = count_entries(reader, item[2 * i], item[2 * i + 1], &forms[i]);
        if (!status && forms[i].count > PHX_MAX_PARAMETERS - n)
            status = phx_reader_fail(reader, item[2 * i],
                                     "with '%s' the model has %.10g parameters, more than %d; take shorter lists",
                                     item[2 * i]->text, (double)n + forms[i].count, PHX_MAX_PARAMETERS);
        n += status ? 0 : forms[i].count;
    }
    phx_node *made = phx_reader_calloc(reader, (size_t)n + 1, sizeof *made);
    const phx_node **items = phx_reader_calloc(reader, 2 * (size_t)n, sizeof(const phx_node *));
    if (!status && (!made || !items))
        status = PHX_ERR_MEMORY;
    for (int i = 0, at = 0; i < from->count && !status; i++)
        for (int k = 0; k < forms[i].count && !status; k++, at++) {
            items[2 * at] = &made[1 + at];
            status = put_entry(reader, &item[2 * i], &forms[i], k, &made[1 + at], &items[2 * at + 1]);
        }
    if (status)
        return status;
    made[0] = (phx_node){.kind = PHX_NODE_MAP, .source = from->source, .count = n, .items = items};
    *map = made;
    return PHX_OK;
}

/* Allocates the parameters and registers their names and places; values follow later. */
static phx_status create_parameters(resolver *r)
{
    phx_reader *reader = r->reader;
    size_t n = (size_t)r->n;
    r->parameters = phx_reader_calloc(reader, n, sizeof *r->parameters);
    r->overrides = phx_reader_calloc(reader, n, sizeof *r->overrides);
    r->known = phx_reader_calloc(reader, n, sizeof *r->known);
    r->states = phx_reader_calloc(reader, n, sizeof *r->states);
    r->stack = phx_reader_calloc(reader, n, sizeof *r->stack);
    reader->content->uses = phx_reader_calloc(reader, n, sizeof *reader->content->uses);
    reader->content->parameter_texts = phx_reader_calloc(reader, n, sizeof *reader->content->parameter_texts);
    if (!r->parameters || !r->overrides || !r->known || !r->states || !r->stack || !reader->content->uses ||
        !reader->content->parameter_texts)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < r->n; i++) {
        const phx_node *name = r->map->items[2 * i];
        phx_status status = phx_reader_place(reader, &r->parameters[i], sizeof r->parameters[i], name->source);
        if (status)
            return status;
        r->parameters[i].name = name->text;
    }
    return phx_reader_names(reader, &reader->content->parameters, r->parameters, sizeof *r->parameters, r->n);
}

/* Whether the key path leads to the defaults of an analysis, which no simulation knows. */
static bool is_of_analysis(const char *key_path)
{
    static const char *const keys[] = {"modes", "linearize", "inverse", "identify", "optimize", "sweep"};
    const size_t length = strcspn(key_path, ".[");

    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (strlen(keys[k]) == length && !strncmp(key_path, keys[k], length))
            return true;
    return false;
}

/* Where parameters are used, once they have their values. */
static void note_use(void *user, int parameter, phx_expression_use use)
{
    phx_reader *reader = user;
    const bool of_time = use == PHX_USE_TIME || use == PHX_USE_TIME_AND_PLACE || use == PHX_USE_MEASURES;
    const phx_parameter_role role = is_of_analysis(reader->key_path) ? PHX_PARAMETER_ELSEWHERE
                                    : of_time                        ? reader->role
                                                                     : PHX_PARAMETER_IN_NUMBER;
    phx_parameter_use *parameter_use = &reader->content->uses[parameter];

    char *place = NULL;
    if (role == PHX_PARAMETER_IN_NUMBER && parameter_use->count[role] < PHX_PARAMETER_PLACES)
        place = parameter_use->numbers[parameter_use->count[role]];
    else if (role == PHX_PARAMETER_IN_SIGNAL && !parameter_use->of_time[0])
        place = parameter_use->of_time;
    if (place)
        snprintf(place, sizeof parameter_use->of_time, "%.79s", reader->key_path);
    parameter_use->count[role]++;
    phx_note_owner(reader, parameter);
}

/* Reads and evaluates the parameters with overrides, and makes them known to all later expressions, whose uses are
 * then recorded. */
static phx_status read_parameters(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                  void *owner)
{
    (void)key, (void)field;
    phx_model *model = owner;
    if (node && node->kind != PHX_NODE_MAP && !phx_node_is_null(node))
        return phx_reader_expected(reader, node, "a map of names and numbers");
    phx_status status = node && node->kind == PHX_NODE_MAP ? expand_lists(reader, &node) : PHX_OK;
    if (status)
        return status;
    resolver r = {.reader = reader, .map = node, .n = node && node->kind == PHX_NODE_MAP ? node->count : 0};
    status = create_parameters(&r);
    if (status)
        return status;
    model->parameters = r.parameters;
    model->n_parameters = r.n;
    phx_evaluator_set_parameters(reader->evaluator, r.parameters, &reader->content->parameters, r.known);
    status = take_overrides(&r);
    if (!status)
        status = resolve(&r);
    phx_evaluator_watch(reader->evaluator, note_use, reader);
    return status;
}

static phx_status preset_parameters(phx_reader *reader, const phx_key *key, void *field, void *owner)
{
    return read_parameters(reader, key, NULL, field, owner);
}

const phx_type phx_type_parameters = {
    "map of names: number, list or list of parameters",
    "{\"type\": [\"object\", \"null\"], \"additionalProperties\": {\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, "
    "{\"type\": "
    "\"array\", \"minItems\": 1, \"items\": {\"$ref\": \"#/$defs/number\"}}, {\"$ref\": "
    "\"#/$defs/list_of_parameters\"}]}}",
    read_parameters, preset_parameters};
