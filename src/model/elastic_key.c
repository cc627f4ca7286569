/* The data that the deformation of a body on a mesh, or of an imported one, depends on, as a text: bodies and points of
 * a sweep with the same one have the same matrices and modes. */
#include "elastic.h"
#include "expression.h"

#include <stdio.h>
#include <string.h>

/* The parameters that a scalar names, with their values; a list with those of all entries. */
static void add_parameters(phx_text *key, const phx_model *model, const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", digits[] = "0123456789";

    while (*(text += strcspn(text, letters))) {
        size_t length = 1;
        while (text[length] && (strchr(letters, text[length]) || strchr(digits, text[length])))
            length++;
        if (text[length] == '[')
            length += strcspn(text + length, "]") + 1;
        char name[PHX_MAX_PARAMETER + 1];
        int first;
        snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, text);
        const int count = phx_model_find_parameters(model, name, &first);
        for (int k = first; k < first + count; k++)
            phx_text_add(key, "[%s=%a]", model->parameters[k].name, model->parameters[k].value);
        text += length < strlen(text) ? length : strlen(text);
    }
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (int k = 0; words && words[k]; k++)
        if (!strcmp(text, words[k]))
            return true;
    return false;
}

/* The tree of a node, without the keys `but` of a map (NULL: all). */
static void add_node(phx_text *key, const phx_model *model, const phx_node *node, const char *const *but)
{
    switch (node->kind) {
    case PHX_NODE_SCALAR:
        phx_text_add(key, "%s'%zu:%s", node->plain ? "" : "\"", strlen(node->text), node->text);
        add_parameters(key, model, node->text);
        break;
    case PHX_NODE_LIST:
        phx_text_add(key, "(");
        for (int k = 0; k < node->count; k++)
            add_node(key, model, node->items[k], NULL);
        phx_text_add(key, ")");
        break;
    case PHX_NODE_MAP:
        phx_text_add(key, "{");
        for (int k = 0; k < node->count; k++) {
            if (is_one_of(node->items[2 * k]->text, but))
                continue;
            add_node(key, model, node->items[2 * k], NULL);
            add_node(key, model, node->items[2 * k + 1], NULL);
        }
        phx_text_add(key, "}");
        break;
    }
}

/* Key of a finite-element body in the cache: the text of body, materials and loads as written, without pose, velocity,
 * damping and the factors of loads, and the use of its ports. The caller frees it. */
phx_status phx_elastic_key(const phx_builder *builder, const phx_model_body *body, const unsigned char *ports,
                           char **key)
{
    static const char *const motion[] = {"pose", "velocity", "damping", NULL};
    static const char *const factors[] = {"pressure", "traction", "temperature", NULL};
    const phx_model *model = builder->model;
    const phx_node *root = NULL;
    const int index = (int)(body - model->bodies);
    phx_text text = {.context = builder->context};
    const phx_status status = phx_model_tree(builder->context, model, &root);

    if (status)
        return status;
    const phx_node *materials = phx_node_find(root, "materials");
    /* by names: beams cut in segments shift the numbers */

    add_node(&text, model, phx_node_find(phx_node_find(root, "bodies"), body->name), motion);
    if (materials)
        add_node(&text, model, materials, NULL);
    for (int k = 0; k < model->n_loads; k++) {
        if (model->loads[k].on != index)
            continue;
        phx_text_add(&text, "load%d", (int)model->loads[k].kind);
        add_node(&text, model, phx_node_find(phx_node_find(root, "loads"), model->loads[k].name), factors);
    }
    for (int k = 0; k < body->n_ports; k++)
        phx_text_add(&text, "%d,", ports[k]);
    if (text.failed)
        phx_free(text.text);
    *key = text.failed ? NULL : text.text;
    return *key ? PHX_OK : PHX_ERR_MEMORY;
}
