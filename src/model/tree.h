/* Phlexor, layer model, private: a YAML document as a tree with positions. */
#ifndef PHLEXOR_MODEL_TREE_H
#define PHLEXOR_MODEL_TREE_H

#include "memory.h"

#include "model/model.h"

typedef enum phx_node_kind { PHX_NODE_SCALAR, PHX_NODE_LIST, PHX_NODE_MAP } phx_node_kind;

/* Aliases share the node of their anchor. */
typedef struct phx_node {
    phx_node_kind kind;
    phx_model_source source;
    bool plain;                    /* scalar without quotes */
    bool inside;                   /* scalar on one line, so that a place in `text` is a place in the file */
    int count;                     /* entries of a list, pairs of a map */
    long weight;                   /* nodes in this subtree with aliases expanded */
    const char *text;              /* scalar */
    const struct phx_node **items; /* list: count; map: 2 count, key (a scalar) and value in turn */
} phx_node;

enum {
    PHX_YAML_MAX_BYTES = 1 << 26, /* of a file */
    PHX_YAML_MAX_DEPTH = 32,      /* of nested lists and maps */
    PHX_YAML_MAX_AHEAD = 1 << 21, /* bytes that the parser reads before it says anything: a bracket to its end */
    PHX_YAML_MAX_ANCHORS = 1000,
    PHX_YAML_MAX_EXPANDED = 500000 /* nodes that aliases may add */
};

/* Refuse what the parser must not see (yaml_check.c); phx_yaml_parse calls it. */
phx_status phx_yaml_check(phx_context *context, const char *name, const char *text, size_t length);

/* Parse one document. `name` stands in the messages; nodes go to the arena `nodes`, their texts to `texts`.
 * PHX_ERR_INPUT with "name:line:column: " for what is no YAML, has duplicate keys, tags, several documents, is too deep
 * or expands too far. An empty document gives a null scalar at 1:1. */
phx_status phx_yaml_parse(phx_context *context, phx_arena *nodes, phx_arena *texts, const char *name, const char *text,
                          size_t length, const phx_node **root);

/* The value of a key, NULL when the map has none. */
const phx_node *phx_node_find(const phx_node *map, const char *key);
/* An unquoted empty scalar, `~` or `null`. */
bool phx_node_is_null(const phx_node *node);

#endif
