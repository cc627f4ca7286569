/* A model file with other values of its parameters. */
#include "reader.h"

#include "file/file.h"

#include <stdlib.h>
#include <string.h>

/* The byte at a place of the text, whose columns are characters of UTF-8. */
static size_t offset_of(const phx_model *model, phx_model_source place)
{
    const char *at = model->text;

    for (int line = 1; line < place.line && at; line++)
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    for (int column = 1; column < place.column && at && *at; column++)
        do
            at++;
        while (((unsigned char)*at & 0xC0) == 0x80);
    return at ? (size_t)(at - model->text) : model->text_length;
}

/* The text of the file with the values of the parameters that were set instead of what is written there, by the fewest
 * digits that give them again. */
static phx_status replace_values(phx_context *context, const phx_model *model, phx_text *text)
{
    const phx_node *root = NULL;
    phx_status status = phx_model_tree(context, model, &root);
    const phx_node *map = status ? NULL : phx_node_find(root, "parameters");
    size_t done = 0;

    for (int k = 0; k < model->n_parameters && !status; k++) {
        const phx_node *node = map->items[2 * k + 1];
        const size_t at = offset_of(model, node->source), length = strlen(node->text) + (node->plain ? 0 : 2);
        const double value = model->parameters[k].value;
        char digits[40] = "";
        if (!model->parameters[k].overridden)
            continue;
        if (!node->inside || at < done || at + length > model->text_length)
            return phx_fail(context, PHX_ERR_UNSUPPORTED,
                            "%s:%d:%d: the value of '%s' cannot be replaced; write it on one line, without an alias",
                            model->path, node->source.line, node->source.column, model->parameters[k].name);
        for (int n = 15; n <= 17 && (n == 15 || strtod(digits, NULL) != value); n++)
            snprintf(digits, sizeof digits, "%.*g", n, value);
        phx_text_add(text, "%.*s%s", (int)(at - done), model->text + done, digits);
        done = at + length;
    }
    phx_text_add(text, "%s", model->text + done);
    return text->failed ? PHX_ERR_MEMORY : status;
}

/* Whether the text is a model with the same parameters when it is read under this name. */
static phx_status check_text(phx_context *context, const phx_model *model, const char *path, const phx_text *text)
{
    phx_model *made = NULL;
    phx_status status = phx_model_read_text(context, path, text->text, text->length, 0, NULL, &made);

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
