/* The only file that knows libfyaml. Its events, not its documents, make the tree: so depth, expansion, duplicates and
 * positions are in our hands. */
#include "tree.h"
#include "words.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

/* An open list or map; its entries wait on the stack of entries. */
typedef struct level {
    phx_node *node;
    int first;  /* of its entries on the stack */
    int anchor; /* index of its anchor, -1: none */
} level;

typedef struct anchor {
    char *name;
    const phx_node *node;
} anchor;

typedef struct builder {
    phx_context *context;
    phx_arena *nodes, *texts;
    const char *name;
    struct fy_parser *parser;
    struct fy_diag *diag;
    level levels[PHX_YAML_MAX_DEPTH];
    int depth;
    const phx_node **entries;
    int n_entries, entries_capacity;
    anchor *anchors;
    int n_anchors, anchors_capacity;
    long expanded;
    int documents;
    const char *input;                    /* what the parser reads */
    size_t input_length, fed, fed_before; /* given to it so far, and until its last event */
    bool cut;                             /* it read too far ahead */
    phx_model_source last;
    const phx_node *root;
} builder;

static phx_status fail_at(builder *b, phx_model_source at, const char *what, const char *detail)
{
    return phx_fail(b->context, PHX_ERR_INPUT, "%s:%d:%d: %s%s", b->name, at.line, at.column, what, detail);
}

static phx_model_source mark_of(builder *b, const struct fy_mark *mark)
{
    if (mark && mark->line >= 0 && mark->column >= 0)
        b->last = (phx_model_source){mark->line + 1, mark->column + 1};
    return b->last;
}

static phx_status push_entry(builder *b, const phx_node *node)
{
    if (b->n_entries == b->entries_capacity) {
        int capacity = b->entries_capacity ? 2 * b->entries_capacity : 64;
        const phx_node **grown = phx_realloc(b->context, b->entries, (size_t)capacity, sizeof *grown);
        if (!grown)
            return PHX_ERR_MEMORY;
        b->entries = grown;
        b->entries_capacity = capacity;
    }
    b->entries[b->n_entries++] = node;
    return PHX_OK;
}

/* Does the next entry of the open level stand where a map has a key? */
static bool expects_key(const builder *b)
{
    if (!b->depth)
        return false;
    const level *top = &b->levels[b->depth - 1];
    return top->node->kind == PHX_NODE_MAP && (b->n_entries - top->first) % 2 == 0;
}

/* Stores an anchor and its node, if the token holds one. NULL as the node marks a list or map that is still open. */
static phx_status add_anchor(builder *b, struct fy_token *token, const phx_node *node)
{
    size_t length = 0;
    const char *text = token ? fy_token_get_text(token, &length) : NULL;
    if (!text)
        return PHX_OK;
    if (b->n_anchors == PHX_YAML_MAX_ANCHORS)
        return fail_at(b, mark_of(b, fy_token_start_mark(token)), "more than 1000 anchors", "");
    if (b->n_anchors == b->anchors_capacity) {
        int capacity = b->anchors_capacity ? 2 * b->anchors_capacity : 16;
        anchor *grown = phx_realloc(b->context, b->anchors, (size_t)capacity, sizeof *grown);
        if (!grown)
            return PHX_ERR_MEMORY;
        b->anchors = grown;
        b->anchors_capacity = capacity;
    }
    char *name = phx_arena_text(b->context, b->texts, text, length);
    if (!name)
        return PHX_ERR_MEMORY;
    b->anchors[b->n_anchors++] = (anchor){name, node};
    return PHX_OK;
}

static phx_status refuse_tag(builder *b, struct fy_token *tag)
{
    if (!tag)
        return PHX_OK;
    phx_model_source at = mark_of(b, fy_token_start_mark(tag));
    return fail_at(b, at, "a YAML tag (`!...`) has no meaning in a model file; remove it", "");
}

/* A single-quoted scalar from the input itself: '' is a quote, a line break with the blanks around it a blank, and each
 * further line break one. (libfyaml 0.7.12 loses memory over a line with many quotes.) */
static char *single_quoted(builder *b, const char *raw, size_t length, size_t *result_length)
{
    char *text = phx_arena_calloc(b->context, b->texts, length + 1, 1);
    size_t n = 0;
    for (size_t i = 0; text && i < length;) {
        if (raw[i] != '\n' && raw[i] != '\r') {
            text[n++] = raw[i];
            i += raw[i] == '\'' && i + 1 < length ? 2 : 1;
            continue;
        }
        int breaks = 0;
        while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
            n--;
        for (; i < length && strchr(" \t\r\n", raw[i]); i++)
            breaks += raw[i] == '\n' || (raw[i] == '\r' && !(i + 1 < length && raw[i + 1] == '\n'));
        if (breaks == 1)
            text[n++] = ' ';
        for (int k = 1; k < breaks; k++)
            text[n++] = '\n';
    }
    if (text)
        text[n] = 0;
    *result_length = n;
    return text;
}

/* The text of a scalar token; not ended by 0. */
static phx_status scalar_text(builder *b, struct fy_token *token, enum fy_scalar_style style, const char **text,
                              size_t *length)
{
    const struct fy_mark *start = fy_token_start_mark(token), *end = fy_token_end_mark(token);
    bool known = start && end && start->input_pos <= end->input_pos && end->input_pos <= b->input_length;
    if (style == FYSS_SINGLE_QUOTED && known) {
        *text = single_quoted(b, b->input + start->input_pos, end->input_pos - start->input_pos, length);
        return *text ? PHX_OK : PHX_ERR_MEMORY;
    }
    *text = fy_token_get_text(token, length);
    if (!*text)
        *length = 0;
    /* an empty block at the end of the file comes with the 0 behind it */
    bool block = style == FYSS_LITERAL || style == FYSS_FOLDED;
    while (block && *length && (*text)[*length - 1] == 0)
        --*length;
    *text = *length ? *text : "";
    return PHX_OK;
}

/* Adds a scalar with its text, position and style to the open level; tags and zero characters are refused. */
static phx_status add_scalar(builder *b, const struct fy_event *event)
{
    struct fy_token *token = event->scalar.value;
    phx_status status = refuse_tag(b, event->scalar.tag);
    phx_node *node = status ? NULL : phx_arena_calloc(b->context, b->nodes, 1, sizeof *node);
    if (!node)
        return status ? status : PHX_ERR_MEMORY;
    node->kind = PHX_NODE_SCALAR;
    node->weight = 1;
    node->source = mark_of(b, token ? fy_token_start_mark(token) : NULL);
    enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    bool quoted = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    const struct fy_mark *end = token ? fy_token_end_mark(token) : NULL;
    node->plain = style == FYSS_PLAIN;
    node->inside = end && end->line + 1 == node->source.line && (node->plain || quoted);
    node->source.column -= quoted && node->source.column > 1; /* libfyaml points behind the quote */
    size_t length = 0;
    const char *text = "";
    if (token)
        status = scalar_text(b, token, style, &text, &length);
    if (!status && memchr(text, 0, length))
        status = fail_at(b, node->source, "a text must not contain the character 0", "");
    if (status)
        return status;
    node->text = phx_arena_text(b->context, b->texts, text, length);
    if (!node->text)
        return PHX_ERR_MEMORY;
    status = add_anchor(b, event->scalar.anchor, node);
    return status ? status : push_entry(b, node);
}

/* Opens a list or map, refusing tags, a list or map as a key, and too deep nesting. */
static phx_status open_level(builder *b, const struct fy_event *event, phx_node_kind kind)
{
    bool map = kind == PHX_NODE_MAP;
    phx_model_source at = mark_of(b, fy_event_start_mark((struct fy_event *)event));
    phx_status status = refuse_tag(b, map ? event->mapping_start.tag : event->sequence_start.tag);
    if (status)
        return status;
    if (expects_key(b))
        return fail_at(b, at, "a key must be a plain word, found a ", map ? "map" : "list");
    if (b->depth == PHX_YAML_MAX_DEPTH)
        return fail_at(b, at, "lists and maps are nested too deeply; no part of a model needs this", "");
    phx_node *node = phx_arena_calloc(b->context, b->nodes, 1, sizeof *node);
    if (!node)
        return PHX_ERR_MEMORY;
    node->kind = kind;
    node->source = at;
    /* The anchor is known without a node until the level closes. */
    int before = b->n_anchors;
    status = add_anchor(b, map ? event->mapping_start.anchor : event->sequence_start.anchor, NULL);
    if (status)
        return status;
    b->levels[b->depth++] = (level){node, b->n_entries, b->n_anchors > before ? before : -1};
    return PHX_OK;
}

static int compare_keys(const void *a, const void *b)
{
    const phx_node *const *left = a, *const *right = b;
    int order = strcmp((*left)->text, (*right)->text);
    if (order)
        return order;
    const phx_model_source p = (*left)->source, q = (*right)->source;
    return p.line != q.line ? (p.line < q.line ? -1 : 1) : (p.column > q.column) - (p.column < q.column);
}

/* Refuses a map in which a key is written twice, with both positions. */
static phx_status refuse_duplicates(builder *b, const phx_node *map)
{
    if (map->count < 2)
        return PHX_OK;
    const phx_node **keys = phx_calloc(b->context, (size_t)map->count, sizeof *keys);
    if (!keys)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < map->count; i++)
        keys[i] = map->items[2 * i];
    qsort(keys, (size_t)map->count, sizeof *keys, compare_keys);
    phx_status status = PHX_OK;
    for (int i = 1; i < map->count && !status; i++) {
        const phx_model_source first = keys[i - 1]->source, at = keys[i]->source;
        if (!strcmp(keys[i - 1]->text, keys[i]->text))
            status =
                phx_fail(b->context, PHX_ERR_INPUT, "%s:%d:%d: key %s is written twice, first at %d:%d; remove one",
                         b->name, at.line, at.column, phx_shown_text(keys[i]->text).text, first.line, first.column);
    }
    phx_free(keys);
    return status;
}

/* Closes the innermost list or map: its entries become items, its anchor gets the node, and the node becomes an entry
 * of the level above. */
static phx_status close_level(builder *b)
{
    level top = b->levels[--b->depth];
    phx_node *node = top.node;
    int n = b->n_entries - top.first;
    node->weight = 1;
    node->items = phx_arena_calloc(b->context, b->nodes, (size_t)n, sizeof *node->items);
    if (!node->items)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        node->items[i] = b->entries[top.first + i];
        node->weight += node->items[i]->weight;
    }
    b->n_entries = top.first;
    node->count = node->kind == PHX_NODE_MAP ? n / 2 : n;
    if (top.anchor >= 0)
        b->anchors[top.anchor].node = node;
    if (node->kind == PHX_NODE_MAP) {
        phx_status status = refuse_duplicates(b, node);
        if (status)
            return status;
    }
    return push_entry(b, node);
}

/* Adds the node of the last anchor with this name. Unknown anchors, aliases inside their own anchor and expansions
 * above a bound are refused. */
static phx_status add_alias(builder *b, const struct fy_event *event)
{
    size_t length = 0;
    struct fy_token *token = event->alias.anchor;
    const char *text = token ? fy_token_get_text(token, &length) : NULL;
    phx_model_source at = mark_of(b, token ? fy_token_start_mark(token) : NULL);
    at.column -= at.column > 1; /* libfyaml points behind the `*` */
    const phx_node *node = NULL;
    bool open = false;
    for (int i = b->n_anchors - 1; i >= 0 && text && !node && !open; i--)
        if (strlen(b->anchors[i].name) == length && !memcmp(b->anchors[i].name, text, length)) {
            node = b->anchors[i].node;
            open = !node;
        }
    if (open)
        return fail_at(b, at, "an alias stands inside what it repeats", "");
    if (!node)
        return fail_at(b, at, "an alias (`*name`) without an anchor (`&name`) before it", "");
    if (expects_key(b))
        return fail_at(b, at, "a key must be a plain word, found an alias", "");
    b->expanded += node->weight;
    if (b->expanded > PHX_YAML_MAX_EXPANDED)
        return fail_at(b, at, "aliases expand to more than 500000 entries", "");
    return push_entry(b, node);
}

/* Processes one event of the parser; a second document is refused. */
static phx_status take_event(builder *b, const struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (++b->documents > 1) {
            phx_model_source at = mark_of(b, fy_event_start_mark((struct fy_event *)event));
            return fail_at(b, at, "a second document begins; a model file holds one", "");
        }
        return PHX_OK;
    case FYET_SCALAR:
        return add_scalar(b, event);
    case FYET_ALIAS:
        return add_alias(b, event);
    case FYET_SEQUENCE_START:
        return open_level(b, event, PHX_NODE_LIST);
    case FYET_MAPPING_START:
        return open_level(b, event, PHX_NODE_MAP);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
        return close_level(b);
    default:
        return PHX_OK;
    }
}

/* The first error libfyaml has collected, as ours. */
static phx_status fail_syntax(builder *b)
{
    void *iterator = NULL;
    const struct fy_diag_error *error = fy_diag_errors_iterate(b->diag, &iterator);
    if (!error || !error->msg)
        return fail_at(b, b->last, "this is no YAML", "");
    phx_model_source at = {error->line > 0 ? error->line : 1, error->column > 0 ? error->column : 1};
    return fail_at(b, at,
                   strstr(error->msg, "missing comma")
                       ? "not valid YAML (quote an expression with brackets here, as \"h[1]\"): "
                       : "not valid YAML: ",
                   error->msg);
}

/* The parser's input, cut off when it reads too far ahead: it keeps all of a bracket before it says anything. */
static ssize_t feed(void *user, void *buffer, size_t count)
{
    builder *b = user;
    size_t left = b->input_length - b->fed, n = count < left ? count : left;
    b->cut = b->cut || b->fed - b->fed_before > PHX_YAML_MAX_AHEAD;
    if (b->cut)
        return 0;
    memcpy(buffer, b->input + b->fed, n);
    b->fed += n;
    return (ssize_t)n;
}

/* Builds the tree from all events of the parser; an empty text gives an empty scalar as the root. */
static phx_status take_events(builder *b)
{
    phx_status status = PHX_OK;
    struct fy_event *event;
    while (!status && (event = fy_parser_parse(b->parser)) != NULL) {
        b->fed_before = b->fed;
        status = take_event(b, event);
        fy_parser_event_free(b->parser, event);
    }
    if (status)
        return status;
    if (b->cut)
        return fail_at(b, b->last,
                       "more than 2 MiB of brackets on one line, or of comments, follow; write lists and maps in ",
                       "several lines, or a long table in a file of its own");
    if (fy_parser_get_stream_error(b->parser) || b->depth)
        return fail_syntax(b);
    if (b->n_entries) {
        b->root = b->entries[0];
        return PHX_OK;
    }
    phx_node *empty = phx_arena_calloc(b->context, b->nodes, 1, sizeof *empty);
    if (!empty)
        return PHX_ERR_MEMORY;
    *empty = (phx_node){.kind = PHX_NODE_SCALAR, .source = {1, 1}, .plain = true, .weight = 1, .text = ""};
    b->root = empty;
    return PHX_OK;
}

/* Creates a parser that collects errors instead of printing them and reads the text through a callback. */
static phx_status start_parser(builder *b, const char *text, size_t length)
{
    struct fy_diag_cfg diag_cfg;
    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    diag_cfg.output_fn = NULL;
    b->diag = fy_diag_create(&diag_cfg);
    if (!b->diag)
        return phx_fail(b->context, PHX_ERR_MEMORY, "out of memory for the YAML parser");
    fy_diag_set_collect_errors(b->diag, true); /* nothing goes to stderr */
    struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE, .diag = b->diag};
    b->parser = fy_parser_create(&cfg);
    b->input = text;
    b->input_length = length;
    if (!b->parser || fy_parser_set_input_callback(b->parser, b, feed))
        return phx_fail(b->context, PHX_ERR_MEMORY, "out of memory for the YAML parser");
    return PHX_OK;
}

/* Parses YAML into a tree once; *root is set only on success. */
static phx_status parse(phx_context *context, phx_arena *nodes, phx_arena *texts, const char *name, const char *text,
                        size_t length, const phx_node **root)
{
    builder b = {.context = context, .nodes = nodes, .texts = texts, .name = name, .last = {1, 1}};
    phx_status status = start_parser(&b, text, length);
    if (!status)
        status = take_events(&b);
    fy_parser_destroy(b.parser);
    fy_diag_destroy(b.diag);
    phx_free(b.anchors);
    phx_free(b.entries);
    if (!status)
        *root = b.root;
    return status;
}

/* Parses YAML into a tree of nodes and texts in two arenas, after a check of length and characters; *root is NULL
 * after a failure. */
phx_status phx_yaml_parse(phx_context *context, phx_arena *nodes, phx_arena *texts, const char *name, const char *text,
                          size_t length, const phx_node **root)
{
    *root = NULL;
    if (length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) { /* byte order mark */
        text += 3;
        length -= 3;
    }
    phx_status status = phx_yaml_check(context, name, text, length);
    if (status)
        return status;
    status = parse(context, nodes, texts, name, text, length, root);
    /* libfyaml reports a failed allocation as it does a fault of the text: what is refused twice is wrong. */
    return status == PHX_ERR_INPUT ? parse(context, nodes, texts, name, text, length, root) : status;
}

const phx_node *phx_node_find(const phx_node *map, const char *key)
{
    for (int i = 0; i < map->count; i++)
        if (!strcmp(map->items[2 * i]->text, key))
            return map->items[2 * i + 1];
    return NULL;
}

bool phx_node_is_null(const phx_node *node)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (node->kind == PHX_NODE_SCALAR && node->plain && !strcmp(node->text, words[k]))
            return true;
    return false;
}
