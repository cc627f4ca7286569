/* Models of embedded files, columns of results. */
#include "item.h"

#include <stdio.h>
#include <string.h>

/* ---- models ---- */

const char *phx_reproduce_file(const char *name)
{
    for (const phx_embedded *file = phx_reproduce_files; file->name; file++)
        if (!strcmp(file->name, name))
            return (const char *)file->bytes;
    return NULL;
}

phx_status phx_item_model(phx_item *item, const char *file, const char *text, int n_set, const phx_model_override *set,
                          phx_model **model)
{
    if (!text)
        text = phx_reproduce_file(file);
    if (!text)
        return phx_fail(item->context, PHX_ERR_ARGUMENT, "there is no embedded file %s", file);
    return phx_model_read_text(item->context, file, text, strlen(text), n_set, set, model);
}

phx_status phx_item_edit(phx_context *context, const char *text, const char *from, const char *to, char **edited)
{
    const char *at = strstr(text, from);
    const size_t room = strlen(text) + strlen(to) + 1;

    *edited = NULL;
    if (!at)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the model has no '%s' that could be replaced", from);
    char *made = phx_calloc(context, room, 1);
    if (!made)
        return PHX_ERR_MEMORY;
    snprintf(made, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    *edited = made;
    return PHX_OK;
}

/* ---- results ---- */

phx_status phx_item_column(phx_item *item, const phx_result *result, const char *name, double factor, double **values)
{
    const int column = phx_result_column_find(result, name);
    const size_t rows = phx_result_rows(result);

    *values = NULL;
    if (column < 0)
        return phx_fail(item->context, PHX_ERR_ARGUMENT, "the simulation has no column %s", name);
    *values = phx_calloc(item->context, rows, sizeof **values);
    if (!*values)
        return PHX_ERR_MEMORY;
    const phx_status status = phx_result_column(result, column, 0, rows, *values);
    for (size_t r = 0; r < rows && !status; r++)
        (*values)[r] *= factor;
    return status;
}
