/* Attributes of the root of a result file. */
#include "attributes.h"

void phx_attributes_put(phx_h5 *file, int count, const phx_attribute *attributes)
{
    for (int i = 0; i < count; i++) {
        if (attributes[i].text)
            phx_h5_set_text(file, "/", attributes[i].name, attributes[i].text);
        else
            phx_h5_set_number(file, "/", attributes[i].name, attributes[i].number);
    }
}

typedef struct attribute_list {
    phx_context *context;
    int count;
    phx_attribute *attributes;
} attribute_list;

static phx_status attributes_add(void *user, const char *name, const char *text, double number)
{
    attribute_list *list = user;
    phx_attribute *grown = phx_realloc(list->context, list->attributes, (size_t)list->count + 1, sizeof *grown);

    if (!grown)
        return PHX_ERR_MEMORY;
    list->attributes = grown;
    phx_attribute *entry = &grown[list->count++];
    *entry = (phx_attribute){.name = phx_strdup(list->context, name), .number = number};
    if (text)
        entry->text = phx_strdup(list->context, text);
    return entry->name && (entry->text || !text) ? PHX_OK : PHX_ERR_MEMORY;
}

phx_status phx_attributes_get(phx_h5 *file, int *count, phx_attribute **attributes)
{
    attribute_list list = {.context = phx_h5_context(file)};
    const phx_status status = phx_h5_visit_attributes(file, attributes_add, &list);

    if (status) {
        phx_attributes_free(list.count, list.attributes);
        list = (attribute_list){.count = 0};
    }
    *count = list.count;
    *attributes = list.attributes;
    return status;
}

void phx_attributes_free(int count, phx_attribute *attributes)
{
    for (int i = 0; i < count; i++) {
        phx_free((void *)attributes[i].name);
        phx_free((void *)attributes[i].text);
    }
    phx_free(attributes);
}
