/* Loads, actuators and springs whose expressions name measurements, `force: ["-500*y(q)", 0]`: each becomes a load of
 * zero and an `expression` controller of its name that acts with it, as if the file said
 *
 *     loads:       {pull: {force: [0, 0], at: b.P}}
 *     controllers: {pull: {kind: expression, efforts: {pull.fx: "-500*y(q)"}}}
 *
 * The tree of the file is copied where it changes; places in messages stay those of the expressions. */
#include "reader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct expansion {
    phx_context *context;
    phx_arena *nodes, *texts;
    int n_new;              /* controllers made so far, as pairs of nodes behind each other */
    const phx_node **added; /* room for two nodes of each entry of loads, springs and joints */
} expansion;

/* Whether an expression calls y(). */
static bool names_measurement(const phx_node *node)
{
    for (const char *at = node->kind == PHX_NODE_SCALAR ? strstr(node->text, "y(") : NULL; at;
         at = strstr(at + 1, "y("))
        if (at == node->text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_'))
            return true;
    return false;
}

static phx_node *new_node(expansion *made, phx_node_kind kind, const phx_node *at, int count)
{
    phx_node *node = phx_arena_calloc(made->context, made->nodes, 1, sizeof *node);
    const size_t items = (size_t)(kind == PHX_NODE_MAP ? 2 * count : count);

    if (!node)
        return NULL;
    *node = (phx_node){.kind = kind, .source = at->source, .count = count, .weight = count + 1};
    if (items > 0)
        node->items = phx_arena_calloc(made->context, made->nodes, items, sizeof *node->items);
    return items == 0 || node->items ? node : NULL;
}

static phx_node *new_text(expansion *made, const phx_node *at, const char *text)
{
    phx_node *node = new_node(made, PHX_NODE_SCALAR, at, 0);
    if (node)
        node->text = phx_arena_text(made->context, made->texts, text, strlen(text));
    return node && node->text ? node : NULL;
}

/* A copy of a map or list with one item replaced. */
static phx_node *with_item(expansion *made, const phx_node *node, int item, const phx_node *value)
{
    phx_node *copy = new_node(made, node->kind, node, node->count);
    const size_t items = (size_t)(node->kind == PHX_NODE_MAP ? 2 * node->count : node->count);

    if (!copy || !value)
        return NULL;
    copy->weight = node->weight;
    memcpy(copy->items, node->items, items * sizeof *node->items);
    copy->items[item] = value;
    return copy;
}

/* {kind: expression, efforts: {NAME: text}} of up to three components, as another controller. */
static phx_status add_controller(expansion *made, const phx_node *name, int count, char (*efforts)[300],
                                 const phx_node *const *texts)
{
    phx_node *controller = new_node(made, PHX_NODE_MAP, texts[0], 2);
    phx_node *acts = new_node(made, PHX_NODE_MAP, texts[0], count);

    if (!controller || !acts)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < count; k++) {
        acts->items[2 * k] = new_text(made, texts[k], efforts[k]);
        acts->items[2 * k + 1] = texts[k];
        if (!acts->items[2 * k])
            return PHX_ERR_MEMORY;
    }
    controller->items[0] = new_text(made, texts[0], "kind");
    controller->items[1] = new_text(made, texts[0], "expression");
    controller->items[2] = new_text(made, texts[0], "efforts");
    controller->items[3] = acts;
    if (!controller->items[0] || !controller->items[1] || !controller->items[2])
        return PHX_ERR_MEMORY;
    made->added[2 * made->n_new] = name;
    made->added[2 * made->n_new++ + 1] = controller;
    return PHX_OK;
}

/* One value of an entry, an expression or a list of them: its copy with zeros, and the controller. *value stays where
 * no expression names a measurement. */
static phx_status expand_value(expansion *made, const phx_node *name, const char *key, const phx_node **value)
{
    const bool force = !strcmp(key, "force"), list = (*value)->kind == PHX_NODE_LIST;
    const int count = list ? (*value)->count : 1;
    const phx_node *texts[3];
    char efforts[3][300];
    int found = 0;
    const phx_node *copy = *value;

    for (int k = 0; k < count && k < 3; k++) {
        const phx_node *one = list ? (*value)->items[k] : *value;
        if (!names_measurement(one))
            continue;
        if (list || !strcmp(key, "torque"))
            snprintf(efforts[found], sizeof *efforts, "%.200s.%c%c", name->text, force ? 'f' : 't',
                     list && count == 3 ? "xyz"[k]
                     : list && force    ? "xy"[k]
                                        : 'z');
        else
            snprintf(efforts[found], sizeof *efforts, "%.200s.%s", name->text, key);
        texts[found++] = one;
        phx_node *zero = new_text(made, one, "0");
        copy = list && zero ? with_item(made, copy, k, zero) : zero;
        if (!copy)
            return PHX_ERR_MEMORY;
    }
    *value = copy;
    return found > 0 ? add_controller(made, name, found, efforts, texts) : PHX_OK;
}

/* The entries of one section, of which the values of these keys may name measurements. */
static phx_status expand_section(expansion *made, const char *const *keys, const phx_node **section)
{
    phx_status status = PHX_OK;

    for (int i = 0; *section && (*section)->kind == PHX_NODE_MAP && i < (*section)->count; i++) {
        const phx_node *name = (*section)->items[2 * i], *entry = (*section)->items[2 * i + 1], *copy = entry;
        for (int k = 0; copy->kind == PHX_NODE_MAP && k < copy->count && !status; k++)
            for (const char *const *key = keys; *key && !status; key++) {
                const phx_node *value = copy->items[2 * k + 1];
                if (strcmp(copy->items[2 * k]->text, *key) != 0)
                    continue;
                status = expand_value(made, name, *key, &value);
                if (!status && value != copy->items[2 * k + 1])
                    copy = with_item(made, copy, 2 * k + 1, value);
                if (!copy)
                    return PHX_ERR_MEMORY;
            }
        if (!status && copy != entry)
            *section = with_item(made, *section, 2 * i + 1, copy);
        if (status || !*section)
            return status ? status : PHX_ERR_MEMORY;
    }
    return status;
}

/* The root with the changed sections and the controllers added to those of the file. */
static phx_status put_controllers(expansion *made, const phx_node **root)
{
    const phx_node *old = phx_node_find(*root, "controllers");
    const int before = old ? old->count : 0, sections = (*root)->count;

    if (old && old->kind != PHX_NODE_MAP)
        return PHX_OK; /* the reader says what is wrong with it */
    phx_node *all = new_node(made, PHX_NODE_MAP, old ? old : *root, before + made->n_new);
    phx_node *whole = new_node(made, PHX_NODE_MAP, *root, sections + !old);
    if (!all || !whole)
        return PHX_ERR_MEMORY;
    if (before > 0)
        memcpy(all->items, old->items, 2 * (size_t)before * sizeof *all->items);
    memcpy(all->items + 2 * before, made->added, 2 * (size_t)made->n_new * sizeof *all->items);
    memcpy(whole->items, (*root)->items, 2 * (size_t)sections * sizeof *whole->items);
    whole->weight = (*root)->weight;
    int at = 0;
    while (at < sections && whole->items[2 * at + 1] != old)
        at++;
    if (at == sections)
        whole->items[2 * at] = new_text(made, *root, "controllers");
    if (!whole->items[2 * at])
        return PHX_ERR_MEMORY;
    whole->items[2 * at + 1] = all;
    *root = whole;
    return PHX_OK;
}

/* Expands all three sections of the root, then adds the controllers; without measurements *root stays. */
phx_status phx_expand_feedback(phx_context *context, phx_arena *nodes, phx_arena *texts, const phx_node **root)
{
    static const char *const load[] = {"force", "torque", NULL}, *const spring[] = {"force", NULL},
                             *const joint[] = {"effort", NULL};
    static const struct {
        const char *name;
        const char *const *keys;
    } sections[] = {{"loads", load}, {"springs", spring}, {"joints", joint}};
    expansion made = {.context = context, .nodes = nodes, .texts = texts};
    size_t room = 0;
    phx_status status = PHX_OK;

    if ((*root)->kind != PHX_NODE_MAP)
        return PHX_OK;
    for (int i = 0; i < (*root)->count; i++)
        room += (*root)->items[2 * i + 1]->kind == PHX_NODE_MAP ? (size_t)(*root)->items[2 * i + 1]->count : 0;
    made.added = phx_calloc(context, 4 * room + 1, sizeof *made.added);
    if (!made.added)
        return PHX_ERR_MEMORY;
    for (size_t s = 0; s < sizeof sections / sizeof *sections && !status; s++)
        for (int i = 0; i < (*root)->count && !status; i++) {
            const phx_node *section = (*root)->items[2 * i + 1];
            if (strcmp((*root)->items[2 * i]->text, sections[s].name) != 0)
                continue;
            status = expand_section(&made, sections[s].keys, &section);
            if (!status && section != (*root)->items[2 * i + 1]) {
                const phx_node *copy = with_item(&made, *root, 2 * i + 1, section);
                status = copy ? PHX_OK : PHX_ERR_MEMORY;
                *root = copy ? copy : *root;
            }
        }
    if (!status && made.n_new > 0)
        status = put_controllers(&made, root);
    phx_free((void *)made.added);
    return status;
}
