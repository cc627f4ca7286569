/* A model file with other values of its parameters. */
#include "reader.h"

#include "file/file.h"

#include <stdlib.h>
#include <string.h>

/* The text of the file, with new values, up to a place. */
typedef struct saving {
    phx_context *context;
    const phx_model *model;
    phx_text *text;
    size_t done;             /* bytes of the file */
    phx_model_source source; /* of the byte `at`, found last */
    const char *at;
} saving;

/* The byte at a place of the text, whose columns are characters of UTF-8. */
static size_t offset_of(saving *s, phx_model_source place)
{
    if (!s->at || place.line < s->source.line || (place.line == s->source.line && place.column < s->source.column)) {
        s->at = s->model->text;
        s->source = (phx_model_source){.line = 1, .column = 1};
    }
    for (; s->source.line < place.line && strchr(s->at, '\n'); s->source.line++, s->source.column = 1)
        s->at = strchr(s->at, '\n') + 1;
    for (; s->source.column < place.column && *s->at; s->source.column++)
        do
            s->at++;
        while (((unsigned char)*s->at & 0xC0) == 0x80);
    return (size_t)(s->at - s->model->text);
}

static phx_status fail_replace(const saving *s, phx_model_source source, const char *name)
{
    return phx_fail(s->context, PHX_ERR_UNSUPPORTED,
                    "%s:%d:%d: the value of '%s' cannot be replaced; write it on one line, without an alias",
                    s->model->path, source.line, source.column, name);
}

/* A value by the fewest digits that give it again. */
static void add_value(phx_text *text, double value)
{
    char digits[40] = "";

    for (int n = 15; n <= 17 && (n == 15 || strtod(digits, NULL) != value); n++)
        snprintf(digits, sizeof digits, "%.*g", n, value);
    phx_text_add(text, "%s", digits);
}

/* The bytes of a scalar. */
static size_t scalar_length(const phx_node *node)
{
    return strlen(node->text) + (node->plain ? 0 : 2);
}

/* Puts the value of a parameter that was set instead of the scalar. */
static phx_status replace_scalar(saving *s, const phx_node *node, const phx_model_parameter *parameter)
{
    const size_t at = offset_of(s, node->source), length = scalar_length(node);

    if (!parameter->overridden)
        return PHX_OK;
    if (!node->inside || at < s->done || at + length > s->model->text_length)
        return fail_replace(s, node->source, parameter->name);
    phx_text_add(s->text, "%.*s", (int)(at - s->done), s->model->text + s->done);
    add_value(s->text, parameter->value);
    s->done = at + length;
    return PHX_OK;
}

/* The end of a map of count and value that begins at `at`: its last value, or the bracket after it. 0 if the end cannot
 * be found. */
static size_t end_of_map(saving *s, const phx_node *map, size_t at)
{
    const char *text = s->model->text;
    const phx_node *last = map->items[2 * map->count - 1];
    size_t end = offset_of(s, last->source) + scalar_length(last);

    if (!last->inside || at < s->done || end < at || end > s->model->text_length)
        return 0;
    if (text[at] != '{')
        return end;
    end += strspn(text + end, " \t\r\n");
    return text[end] == '}' ? end + 1 : 0;
}

/* Puts one value instead of that of `count` and `value` if all entries have it, else a list instead of the map. Entries
 * that were not set keep their expression. */
static phx_status replace_map(saving *s, const phx_node *map, const phx_model_parameter *entry, int count)
{
    enum { IN_A_LINE = 8 };
    const phx_node *value = phx_node_find(map, "value");
    int set = 0, equal = 0;

    for (int k = 0; k < count; k++) {
        set += entry[k].overridden;
        equal += entry[k].overridden && entry[k].value == entry[0].value;
    }
    if (set == 0 || equal == count)
        return replace_scalar(s, value, &entry[0]);
    const size_t at = offset_of(s, map->source), end = end_of_map(s, map, at);
    if (end == 0)
        return fail_replace(s, map->source, entry[0].name);
    phx_text_add(s->text, "%.*s[", (int)(at - s->done), s->model->text + s->done);
    for (int k = 0; k < count; k++) {
        double number;
        if (k > 0)
            phx_text_add(s->text, k % IN_A_LINE ? ", " : ",\n%*s", map->source.column, "");
        if (entry[k].overridden)
            add_value(s->text, entry[k].value);
        else
            phx_text_add(s->text, phx_number_from_text(value->text, &number) ? "%s" : "\"%s\"", value->text);
    }
    phx_text_add(s->text, "]");
    s->done = end;
    return PHX_OK;
}

/* The text of the file with the values of the parameters that were set instead of those in the file. */
static phx_status replace_values(phx_context *context, const phx_model *model, phx_text *text)
{
    const phx_node *root = NULL;
    phx_status status = phx_model_tree(context, model, &root);
    const phx_node *map = status || model->n_parameters == 0 ? NULL : phx_node_find(root, "parameters");
    saving s = {.context = context, .model = model, .text = text};

    for (int i = 0, k = 0, count; map && i < map->count && !status; i++, k += count) {
        const phx_node *node = map->items[2 * i + 1];
        count = node->kind == PHX_NODE_SCALAR ? 1
                : node->kind == PHX_NODE_LIST ? node->count
                                              : phx_model_find_parameters(model, map->items[2 * i]->text, &k);
        if (node->kind == PHX_NODE_MAP)
            status = replace_map(&s, node, &model->parameters[k], count);
        for (int entry = 0; node->kind != PHX_NODE_MAP && entry < count && !status; entry++)
            status = replace_scalar(&s, node->kind == PHX_NODE_LIST ? node->items[entry] : node,
                                    &model->parameters[k + entry]);
    }
    phx_text_add(text, "%s", model->text + s.done);
    return text->failed ? PHX_ERR_MEMORY : status;
}

/* Whether the text is a model with the same parameters when it is read under this name. */
static phx_status check_text(phx_context *context, const phx_model *model, const char *path, const phx_text *text)
{
    phx_model *made = NULL;
    phx_status status = phx_model_read_text(context, path, text->text, text->length, 0, NULL, &made);

    if (!status && made->n_parameters != model->n_parameters)
        status = phx_fail(context, PHX_ERR_UNSUPPORTED, "%s: the values of lists of parameters cannot be replaced",
                          model->path);
    for (int k = 0; k < model->n_parameters && !status; k++)
        if (made->parameters[k].value != model->parameters[k].value)
            status = phx_fail(context, PHX_ERR_UNSUPPORTED,
                              "%s: the value of '%s' cannot be replaced in the text; write it as a plain number",
                              model->path, model->parameters[k].name);
    phx_model_destroy(made);
    return status;
}

static phx_status write_text(phx_context *context, const void *data, FILE *stream)
{
    const phx_text *text = data;

    (void)context;
    fwrite(text->text, 1, text->length, stream);
    return PHX_OK;
}

/* Replaces the values in the text, reads it once more and compares, then writes. */
phx_status phx_model_save(phx_context *context, const phx_model *model, const char *path)
{
    if (!model || !path)
        return phx_fail_null(context, __func__, "model or path");
    if (!model->store)
        return phx_fail(context, PHX_ERR_ARGUMENT, "saving a model: it was not read from a file");
    phx_text text = {.context = context};
    phx_status status = replace_values(context, model, &text);

    phx_files_begin(context);
    if (!status)
        status = phx_model_protect(context, model);
    if (!status)
        status = check_text(context, model, path, &text);
    if (!status)
        status = phx_file_replace_stream(context, path, write_text, &text);
    phx_files_end(context);
    phx_free(text.text);
    return phx_conclude(context, status);
}
