/* Elements of an XML file as plain structures, by libxml2. */
#include "importer.h"

#include <errno.h>
#include <limits.h>
#include <loaded/xml2.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20 };

void phx_xml_free(phx_xml *element)
{
    for (int k = 0; k < element->n_attributes; k++) {
        phx_free(element->keys[k]);
        phx_free(element->values[k]);
    }
    for (int k = 0; k < element->n_children; k++)
        phx_xml_free(&element->children[k]);
    phx_free(element->keys);
    phx_free(element->values);
    phx_free(element->children);
    phx_free(element->name);
    phx_free(element->text);
    *element = (phx_xml){0};
}

static void xml_be_silent(void *user, const char *format, ...)
{
    (void)user;
    (void)format;
}

/* The name with its prefix, as it stands in the file: xacro:macro. */
static char *full_name(phx_context *context, const xmlNs *space, const xmlChar *name)
{
    const char *prefix = space && space->prefix ? (const char *)space->prefix : "";
    const size_t size = strlen(prefix) + strlen((const char *)name) + 2;
    char *full = phx_calloc(context, size, 1);

    if (full)
        snprintf(full, size, "%s%s%s", prefix, *prefix ? ":" : "", (const char *)name);
    return full;
}

/* Copies an element with all that it has. */
static phx_status xml_copy(phx_context *context, const char *path, const xmlNode *node, phx_xml *element)
{
    int n_attributes = 0, n_children = 0;

    for (const xmlAttr *one = node->properties; one; one = one->next)
        n_attributes++;
    for (const xmlNode *one = node->children; one; one = one->next)
        n_children += one->type == XML_ELEMENT_NODE;
    element->path = path;
    element->line = (int)xmlGetLineNo((xmlNode *)node);
    element->name = full_name(context, node->ns, node->name);
    element->keys = phx_calloc(context, (size_t)n_attributes + 1, sizeof *element->keys);
    element->values = phx_calloc(context, (size_t)n_attributes + 1, sizeof *element->values);
    element->children = phx_calloc(context, (size_t)n_children + 1, sizeof *element->children);
    element->text = phx_strdup(
        context, node->children && node->children->type == XML_TEXT_NODE ? (const char *)node->children->content : "");
    if (!element->name || !element->text || !element->keys || !element->values || !element->children)
        return PHX_ERR_MEMORY;
    for (const xmlAttr *one = node->properties; one; one = one->next) {
        const char *text = one->children && one->children->content ? (const char *)one->children->content : "";
        const int k = element->n_attributes++;
        element->keys[k] = full_name(context, one->ns, one->name);
        element->values[k] = phx_strdup(context, text);
        if (!element->keys[k] || !element->values[k])
            return PHX_ERR_MEMORY;
    }
    for (const xmlNode *one = node->children; one; one = one->next) {
        if (one->type != XML_ELEMENT_NODE)
            continue;
        const phx_status status = xml_copy(context, path, one, &element->children[element->n_children++]);
        if (status)
            return status;
    }
    return PHX_OK;
}

/* The bytes of a file; the caller frees them. */
static phx_status xml_bytes(phx_context *context, const char *path, char **bytes, size_t *size)
{
    errno = 0;
    FILE *stream = fopen(path, "rb");
    phx_status status = PHX_OK;

    *bytes = NULL;
    *size = 0;
    if (!stream || fseek(stream, 0, SEEK_END) != 0)
        status = phx_fail(context, PHX_ERR_FILE, "cannot read '%s': %s", path, strerror(errno ? errno : EIO));
    const long end = status ? 0 : ftell(stream);
    if (!status && (end < 0 || end > MOST_BYTES))
        status = phx_fail(context, PHX_ERR_INPUT, "%s: a file of more than %d MB is no robot", path, MOST_BYTES >> 20);
    if (!status) {
        *bytes = phx_calloc(context, (size_t)end + 1, 1);
        rewind(stream);
        *size = *bytes ? fread(*bytes, 1, (size_t)end, stream) : 0;
        status = *bytes ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (stream)
        fclose(stream);
    return status;
}

/* Parses bytes without network and without entities, and copies the elements. */
static phx_status xml_parse(phx_context *context, const char *path, const char *bytes, size_t size, phx_xml *root)
{
    xmlParserCtxt *parser = xmlNewParserCtxt();
    phx_status status = PHX_OK;

    if (!parser)
        return PHX_ERR_MEMORY;
    parser->sax->error = parser->sax->warning = xml_be_silent;
    xmlDoc *document = xmlCtxtReadMemory(parser, bytes, (int)size, NULL, NULL,
                                         XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA);
    const xmlError *error = xmlCtxtGetLastError(parser);
    const xmlNode *node = document ? xmlDocGetRootElement(document) : NULL;
    if (document && document->intSubset)
        status =
            phx_fail(context, PHX_ERR_INPUT, "%s: it has a DOCTYPE, whose entities are not read; take it out", path);
    else if (!node)
        status = phx_fail(context, PHX_ERR_INPUT, "%s:%d: no XML: %s", path, error ? error->line : 0,
                          error && error->message ? phx_shown_text(error->message).text : "there is no element");
    else
        status = xml_copy(context, path, node, root);
    xmlFreeDoc(document);
    xmlFreeParserCtxt(parser);
    return status;
}

phx_status phx_xml_read(phx_context *context, const char *path, phx_xml *root)
{
    char *bytes = NULL;
    size_t size = 0;
    phx_status status = phx_load_xml2(context);

    *root = (phx_xml){0};
    if (!status)
        status = xml_bytes(context, path, &bytes, &size);
    if (!status)
        status = xml_parse(context, path, bytes, size, root);
    phx_free(bytes);
    if (status)
        phx_xml_free(root);
    return status;
}
