/* Parameters that stay open when a system is built: which ones can, and which of the others are made of them. */
#include "reader.h"

#include <stdio.h>
#include <string.h>

/* Parameter `of` is an expression of parameter `on`. */
typedef struct edge {
    int of, on;
} edge;

typedef struct choosing {
    phx_context *context;
    const phx_model *model;
    const phx_content *content;
    int n; /* parameters */
    int n_edges, capacity;
    edge *edges;
    int *through;  /* n: the parameter with whose uses in numbers this one is fixed, itself too; -1: it is not */
    bool *of_time; /* n: used in expressions of time, by itself or by what is made of it */
    bool *made;    /* n: made of open ones */
} choosing;

static phx_status add_edge(choosing *c, int of, int on)
{
    if (c->n_edges == c->capacity) {
        const int wider = 2 * c->capacity + 16;
        edge *edges = phx_realloc(c->context, c->edges, (size_t)wider, sizeof *edges);
        if (!edges)
            return PHX_ERR_MEMORY;
        c->edges = edges;
        c->capacity = wider;
    }
    c->edges[c->n_edges++] = (edge){of, on};
    return PHX_OK;
}

/* The parameters that the expressions of parameters name. */
static phx_status find_edges(choosing *c)
{
    phx_expression *expression = phx_calloc(c->context, 1, sizeof *expression);
    phx_status status = expression ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < c->n && !status; k++) {
        const char *text = c->content->parameter_texts[k];
        if (!text || !phx_expression_scan(expression, text))
            continue;
        for (int i = 0; i < expression->n_tokens && !status; i++) {
            const phx_token *token = &expression->tokens[i];
            char name[PHX_MAX_PARAMETER + 1];
            if (token->kind != PHX_TOKEN_NAME || token->length >= (int)sizeof name)
                continue;
            snprintf(name, sizeof name, "%.*s", token->length, text + token->start);
            const int on = phx_names_find(&c->content->parameters, name);
            if (on >= 0)
                status = add_edge(c, k, on);
        }
    }
    phx_free(expression);
    return status;
}

/* The parameters of which a used one is made are used too. There are no circles. */
static void spread_uses(choosing *c)
{
    bool changes = true;

    for (int k = 0; k < c->n; k++) {
        const phx_parameter_use *use = &c->content->uses[k];
        c->through[k] = use->count[PHX_PARAMETER_IN_NUMBER] > 0 ? k : -1;
        c->of_time[k] = use->count[PHX_PARAMETER_IN_SIGNAL] > 0;
    }
    while (changes) {
        changes = false;
        for (int e = 0; e < c->n_edges; e++) {
            const int of = c->edges[e].of, on = c->edges[e].on;
            changes = changes || (c->through[on] < 0 && c->through[of] >= 0) || (!c->of_time[on] && c->of_time[of]);
            c->through[on] = c->through[on] < 0 ? c->through[of] : c->through[on];
            c->of_time[on] = c->of_time[on] || c->of_time[of];
        }
    }
}

/* The parameters that are made of those that `open` marks. */
static void find_made(choosing *c, const bool *open)
{
    bool changes = true;

    memset(c->made, 0, (size_t)c->n * sizeof *c->made);
    while (changes) {
        changes = false;
        for (int e = 0; e < c->n_edges; e++) {
            const int of = c->edges[e].of, on = c->edges[e].on;
            if (!c->made[of] && (open[on] || c->made[on]))
                c->made[of] = changes = true;
        }
    }
}

/* "bodies.rod.length, joints.pin.at and 2 more places" */
static void list_places(const phx_parameter_use *use, size_t size, char *text)
{
    const int count = use->count[PHX_PARAMETER_IN_NUMBER];
    size_t n = 0;

    text[0] = '\0';
    for (int k = 0; k < count && k < PHX_PARAMETER_PLACES && n < size; k++)
        n += (size_t)snprintf(text + n, size - n, "%s%s",
                              k == 0           ? ""
                              : k + 1 == count ? " and "
                                               : ", ",
                              use->numbers[k]);
    if (count > PHX_PARAMETER_PLACES && n < size)
        snprintf(text + n, size - n, " and %d more place%s", count - PHX_PARAMETER_PLACES,
                 count - PHX_PARAMETER_PLACES == 1 ? "" : "s");
}

/* Fails for a parameter that cannot be tuned: it is unused in functions of time, or it shapes the assembled system;
 * names the places of use. */
static phx_status tunable_refuse(const choosing *c, int k)
{
    const phx_model_parameter *parameter = &c->model->parameters[k];
    char places[320], through[120] = "";

    if (c->through[k] < 0)
        return phx_model_fail(c->context, c->model, parameter, PHX_ERR_INPUT,
                              "parameter '%s' is used in no expression of time: there is nothing to be tuned",
                              parameter->name);
    list_places(&c->content->uses[c->through[k]], sizeof places, places);
    if (c->through[k] != k)
        snprintf(through, sizeof through, ", as parameter '%s' that is made of it",
                 c->model->parameters[c->through[k]].name);
    return phx_model_fail(c->context, c->model, parameter, PHX_ERR_INPUT,
                          "parameter '%s' shapes the assembled system: it is used in %s%s; leave it out, and give its "
                          "value when the file is written (--set %s=VALUE)",
                          parameter->name, places, through, parameter->name);
}

/* Marks those of the names. */
static phx_status take_names(const choosing *c, int n_names, const char *const *names, bool *open)
{
    for (int i = 0; i < n_names; i++) {
        const char *name = names[i] ? names[i] : "";
        int first;
        const int count = phx_names_range(&c->content->parameters, name, &first);
        if (count == 0)
            return phx_fail(c->context, PHX_ERR_INPUT, "%s: there is no parameter %s%s", c->model->path,
                            phx_shown_text(name).text, phx_names_hint(&c->content->parameters, name).text);
        for (int k = first; k < first + count; k++) {
            if (open[k])
                return phx_fail(c->context, PHX_ERR_INPUT, "the parameter '%s' is listed twice",
                                c->model->parameters[k].name);
            if (!c->of_time[k] || c->through[k] >= 0)
                return tunable_refuse(c, k);
            open[k] = true;
        }
    }
    return PHX_OK;
}

/* Determines the parameters to keep open: those listed, or all that occur only in functions of time. One that depends
 * on other open ones follows them instead, and is refused if it is listed. */
static phx_status tunable_choose(choosing *c, int n_names, const char *const *names, bool *open)
{
    phx_status status = names ? take_names(c, n_names, names, open) : PHX_OK;

    for (int k = 0; k < c->n && !names; k++)
        open[k] = c->of_time[k] && c->through[k] < 0;
    find_made(c, open);
    for (int k = 0; k < c->n && !status; k++) {
        if (open[k] && c->made[k] && names)
            status = phx_model_fail(c->context, c->model, &c->model->parameters[k], PHX_ERR_INPUT,
                                    "parameter '%s' is made of others that are listed too, and follows them; list one "
                                    "or the other",
                                    c->model->parameters[k].name);
        open[k] = open[k] && !c->made[k];
    }
    if (!names) /* what is made of one that is no more open is not either */
        find_made(c, open);
    return status;
}

/* Lists the open parameters with their values and numbers all parameters: open ones by their index, others as made of
 * open ones or as fixed. */
static phx_status tunable_fill(const choosing *c, const bool *open, phx_tunables *made)
{
    const size_t n = (size_t)c->n;

    made->items = phx_calloc(c->context, n, sizeof *made->items);
    made->values = phx_calloc(c->context, n, sizeof *made->values);
    made->number = phx_calloc(c->context, n, sizeof *made->number);
    made->texts = c->content->parameter_texts;
    if (!made->items || !made->values || !made->number)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < c->n; k++) {
        made->number[k] = open[k] ? made->count : c->made[k] ? PHX_TUNABLE_MADE : PHX_TUNABLE_NONE;
        if (!open[k])
            continue;
        made->values[made->count] = c->model->parameters[k].value;
        made->items[made->count++] = (phx_tunable){.parameter = k, .where = c->content->uses[k].of_time};
    }
    return PHX_OK;
}

/* Selects the parameters that can be tuned after the assembly; those in `names`, or all possible ones if names is
 * NULL. Empty after a failure. */
phx_status phx_tunables_create(phx_context *context, const phx_model *model, int n_names, const char *const *names,
                               phx_tunables *tunables)
{
    const size_t n = (size_t)model->n_parameters;
    choosing c = {.context = context, .model = model, .content = &model->store->content, .n = model->n_parameters};
    bool *open = phx_calloc(context, n, sizeof *open);
    phx_status status = PHX_OK;

    *tunables = (phx_tunables){0};
    c.through = phx_calloc(context, n, sizeof *c.through);
    c.of_time = phx_calloc(context, n, sizeof *c.of_time);
    c.made = phx_calloc(context, n, sizeof *c.made);
    if (!open || !c.through || !c.of_time || !c.made)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = find_edges(&c);
    if (!status) {
        spread_uses(&c);
        status = tunable_choose(&c, n_names, names, open);
    }
    if (!status)
        status = tunable_fill(&c, open, tunables);
    phx_free(open);
    phx_free(c.through);
    phx_free(c.of_time);
    phx_free(c.made);
    phx_free(c.edges);
    if (status)
        phx_tunables_free(tunables);
    return status;
}

void phx_tunables_free(phx_tunables *tunables)
{
    phx_free(tunables->items);
    phx_free(tunables->values);
    phx_free(tunables->number);
    *tunables = (phx_tunables){0};
}
