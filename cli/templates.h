/* Files as bytes (cmake/PhlexorEmbed.cmake): the first models of cli/templates, the guide docs/for-agents.md. */
#ifndef PHX_CLI_TEMPLATES_H
#define PHX_CLI_TEMPLATES_H

#include <stddef.h>

typedef struct phx_embedded {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} phx_embedded;
extern const phx_embedded phx_templates[], phx_guide_text[];

#endif
