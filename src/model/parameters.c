/* Parameters: they may refer to one another, in any order but not in a circle, and be set from outside. */
#include "reader.h"

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
        int index = phx_names_find(&reader->content->parameters, name);
        if (index < 0) {
            phx_nearest nearest = phx_nearest_to(name);
            phx_names_offer(&reader->content->parameters, &nearest);
            return phx_fail(reader->context, PHX_ERR_INPUT, "%s: there is no parameter %s to set%s",
                            reader->model->path, phx_shown_text(name).text, phx_nearest_hint(&nearest).text);
        }
        if (!override->expression && !isfinite(override->value))
            return fail_override(r, override, "the value must be finite");
        r->overrides[index] = override;
        r->parameters[index].overridden = true;
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
        phx_status status = check_parameter_name(reader, name);
        if (!status)
            status = phx_reader_place(reader, &r->parameters[i], sizeof r->parameters[i], name->source);
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
    resolver r = {.reader = reader, .map = node, .n = node && node->kind == PHX_NODE_MAP ? node->count : 0};
    phx_status status = create_parameters(&r);
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
    "map of numbers", "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/number\"}}",
    read_parameters, preset_parameters};
