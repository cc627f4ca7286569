/* Reading, evaluating again, and asking a model. */
#include "mesh/mesh.h"
#include "reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- the document ---- */
static phx_status copy_overrides(phx_context *context, phx_arena *arena, int n, const phx_model_override *overrides,
                                 const phx_model_override **copies)
{
    phx_model_override *copy = phx_arena_calloc(context, arena, (size_t)n, sizeof *copy);
    if (!copy)
        return PHX_ERR_MEMORY;
    *copies = copy;
    for (int k = 0; k < n; k++) {
        const char *name = overrides[k].name ? overrides[k].name : "", *expression = overrides[k].expression;
        copy[k].value = overrides[k].value;
        copy[k].name = phx_arena_text(context, arena, name, strlen(name));
        copy[k].expression = expression ? phx_arena_text(context, arena, expression, strlen(expression)) : NULL;
        if (!copy[k].name || (expression && !copy[k].expression))
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

phx_status phx_model_tree(phx_context *context, const phx_model *model, const phx_node **root)
{
    struct phx_model_store *store = model->store;
    const bool fresh = !store->root;
    phx_status status = PHX_OK;

    if (fresh)
        status = phx_yaml_parse(context, &store->tree, &store->document, model->path, model->text, model->text_length,
                                &store->root);
    if (!status && fresh)
        status = phx_expand_feedback(context, &store->tree, &store->document, &store->root);
    *root = store->root;
    return status;
}

/* The names and texts of the model stay, in the document. */
static void drop_tree(struct phx_model_store *store)
{
    phx_arena_free(&store->tree);
    store->root = NULL;
}

/* Fill a model whose path, text and store are set, from its document. On failure the content is what was made so far.
 */
static phx_status model_evaluate(phx_context *context, phx_model *model, int n_overrides,
                                 const phx_model_override *overrides)
{
    struct phx_model_store *store = model->store;
    phx_reader reader = {.context = context,
                         .model = model,
                         .content = &store->content,
                         .n_overrides = n_overrides,
                         .overrides = overrides,
                         .doubts = store->doubts,
                         .sweep_points = 1.0};
    const phx_node *root = NULL;
    phx_status status = phx_model_tree(context, model, &root);
    if (!status && !store->evaluator)
        status = phx_evaluator_create(context, &store->evaluator);
    reader.evaluator = store->evaluator;
    if (!status)
        phx_evaluator_begin(store->evaluator, context);
    if (!status)
        status = phx_reader_place(&reader, model, sizeof *model, root->source);
    if (!status)
        status = phx_read_object(&reader, &phx_schema_model, root, model);
    if (!status && store->content.owners_lost)
        status = PHX_ERR_MEMORY;
    if (store->evaluator)
        phx_evaluator_watch(store->evaluator, NULL, NULL);
    phx_content_sort(&store->content);
    if (!status && reader.doubts)
        phx_doubt_model(&reader);
    return status;
}

/* Copies name, text and overrides into the model's store and evaluates the text; the parsed tree is dropped
 * afterwards. */
static phx_status model_create(phx_context *context, const char *name, const char *text, size_t length, int n_overrides,
                               const phx_model_override *overrides, bool doubts, phx_model *model)
{
    struct phx_model_store *store = phx_calloc(context, 1, sizeof *store);
    if (!store)
        return PHX_ERR_MEMORY;
    model->store = store;
    model->path = phx_arena_text(context, &store->document, name, strlen(name));
    model->text = phx_arena_text(context, &store->document, text, length);
    model->text_length = length;
    if (!model->path || !model->text)
        return PHX_ERR_MEMORY;
    phx_status status = copy_overrides(context, &store->document, n_overrides, overrides, &store->overrides);
    store->n_overrides = n_overrides;
    store->doubts = doubts;
    if (!status)
        status = model_evaluate(context, model, n_overrides, store->overrides);
    store->doubts = false;
    drop_tree(store);
    return status;
}

/* Reads a model from text; *model is set only on success. */
static phx_status read_text(phx_context *context, const char *name, const char *text, size_t length, int n_overrides,
                            const phx_model_override *overrides, bool doubts, phx_model **model)
{
    if (n_overrides < 0 || (n_overrides && !overrides))
        return phx_fail(context, PHX_ERR_ARGUMENT, "reading a model: %d overrides, or they are NULL", n_overrides);
    phx_model *made = phx_calloc(context, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    phx_status status = model_create(context, name, text, length, n_overrides, overrides, doubts, made);
    if (status) {
        phx_model_destroy(made);
        return status;
    }
    *model = made;
    return phx_conclude(context, PHX_OK);
}

phx_status phx_model_read_text(phx_context *context, const char *name, const char *text, size_t length, int n_overrides,
                               const phx_model_override *overrides, phx_model **model)
{
    if (!name || !text || !model)
        return phx_fail_null(context, __func__, "name, text or model");
    return read_text(context, name, text, length, n_overrides, overrides, false, model);
}

/* ---- the file ---- */
static phx_status model_load(phx_context *context, const char *path, FILE *file, char **text, size_t *length)
{
    size_t capacity = 0;
    for (;;) {
        if (*length == capacity) {
            capacity = capacity ? 2 * capacity : 16384;
            char *grown = phx_realloc(context, *text, capacity, 1);
            if (!grown)
                return PHX_ERR_MEMORY;
            *text = grown;
        }
        size_t n = fread(*text + *length, 1, capacity - *length, file);
        *length += n;
        if (*length > PHX_YAML_MAX_BYTES)
            return phx_fail(context, PHX_ERR_INPUT, "%s:1:1: more than %d bytes, too long for a model file", path,
                            PHX_YAML_MAX_BYTES);
        if (n == 0)
            break;
    }
    if (ferror(file))
        return phx_fail(context, PHX_ERR_FILE, "cannot read the model file '%s': %s", path, strerror(errno));
    return PHX_OK;
}

/* Reads a model file with overridden parameters. The file and those it names are protected against being written over;
 * *model is set only on success. */
phx_status phx_model_read(phx_context *context, const char *path, int n_overrides, const phx_model_override *overrides,
                          phx_model **model)
{
    if (!path || !model)
        return phx_fail_null(context, __func__, "path or model");
    FILE *file = fopen(path, "rb");
    if (!file)
        return phx_fail(context, PHX_ERR_FILE, "cannot open the model file '%s': %s", path, strerror(errno));
    char *text = NULL;
    size_t length = 0;
    phx_model *made = NULL;
    phx_status status = model_load(context, path, file, &text, &length);
    fclose(file);
    if (!status && length >= 8 && !memcmp(text, "\x89HDF\r\n\x1a\n", 8))
        status = phx_fail(context, PHX_ERR_INPUT,
                          "%s is an HDF5 file, as results are, and no model file; 'phlexor report %s' shows a result, "
                          "'plot' and 'export' take its columns",
                          path, path);
    if (!status)
        status = phx_files_read(context, path);
    if (!status)
        status = read_text(context, path, text, length, n_overrides, overrides, true, &made);
    if (!status)
        status = phx_model_names_file(context, made->store, path);
    if (!status)
        status = phx_model_protect(context, made);
    phx_free(text);
    if (status)
        phx_model_destroy(made);
    else
        *model = made;
    return phx_conclude(context, status);
}

/* Reads the model once more from its text with these overrides; the copy shares no memory with the original. */
static phx_status copy_with(phx_context *context, const phx_model *model, int n_overrides,
                            const phx_model_override *overrides, phx_model **copy)
{
    phx_model *made = NULL;
    phx_status status =
        phx_model_read_text(context, model->path, model->text, model->text_length, n_overrides, overrides, &made);
    for (const phx_named_file *file = status ? NULL : model->store->files; file && !status; file = file->next)
        status = phx_model_names_file(context, made->store, file->path);
    if (status)
        phx_model_destroy(made);
    else
        *copy = made;
    return phx_conclude(context, status);
}

phx_status phx_model_copy(phx_context *context, const phx_model *model, phx_model **copy)
{
    if (!model || !copy)
        return phx_fail_null(context, __func__, "model or copy");
    if (!model->store)
        return phx_fail(context, PHX_ERR_ARGUMENT, "copying a model: it was not read from a file");
    return copy_with(context, model, model->store->n_overrides, model->store->overrides, copy);
}

phx_status phx_model_copy_present(phx_context *context, const phx_model *model, phx_model **copy)
{
    const phx_content *content = model->store ? &model->store->content : NULL;

    if (content && content->n_overrides > 0)
        return copy_with(context, model, content->n_overrides, content->overrides, copy);
    return phx_model_copy(context, model, copy);
}

/* Frees a model; NULL is allowed. */
void phx_model_destroy(phx_model *model)
{
    if (!model)
        return;
    if (model->store) {
        phx_content_free(&model->store->content);
        for (phx_file_body *body = model->store->bodies; body; body = body->next)
            phx_flex_source_destroy(body->source);
        for (phx_file_surface *file = model->store->surfaces; file; file = file->next)
            phx_surface_free(file->surface);
        phx_arena_free(&model->store->document);
        phx_arena_free(&model->store->tree);
        phx_evaluator_destroy(model->store->evaluator);
        phx_free(model->store);
    }
    phx_free(model);
}

/* ---- other parameter values ---- */
phx_status phx_model_set_parameters(phx_context *context, phx_model *model, int n_overrides,
                                    const phx_model_override *overrides)
{
    if (!model)
        return phx_fail_null(context, __func__, "model");
    if (!model || !model->store || n_overrides < 0 || (n_overrides && !overrides))
        return phx_fail(context, PHX_ERR_ARGUMENT, "setting parameters: model or overrides is NULL");
    struct phx_model_store *store = model->store;
    int n = store->n_overrides + n_overrides;
    phx_model_override *all = phx_calloc(context, (size_t)n, sizeof *all);
    if (!all)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n; k++)
        all[k] = k < store->n_overrides ? store->overrides[k] : overrides[k - store->n_overrides];

    /* positions are kept by address, so the model is filled in place and put back should that fail */
    phx_model before = *model;
    phx_content content = store->content;
    store->content = (phx_content){0};
    *model =
        (phx_model){.path = before.path, .text = before.text, .text_length = before.text_length, .store = before.store};
    phx_status status = model_evaluate(context, model, n, all);
    if (!status) {
        store->content.n_overrides = n;
        status = copy_overrides(context, &store->content.memory, n, all, &store->content.overrides);
    }
    if (status) {
        phx_content_free(&store->content);
        store->content = content;
        *model = before;
    } else {
        phx_content_free(&content);
    }
    phx_free(all);
    return phx_conclude(context, status);
}

/* ---- files ---- */
phx_status phx_model_names_file(phx_context *context, struct phx_model_store *store, const char *path)
{
    char *resolved = phx_files_resolve(context, path);
    phx_named_file *file = store->files;
    phx_status status = resolved ? PHX_OK : PHX_ERR_MEMORY;
    while (file && !status && strcmp(file->path, resolved) != 0)
        file = file->next;
    if (!status && !file) {
        file = phx_arena_calloc(context, &store->document, 1, sizeof *file);
        const char *copy = file ? phx_arena_text(context, &store->document, resolved, strlen(resolved)) : NULL;
        if (copy) {
            *file = (phx_named_file){copy, store->files};
            store->files = file;
        } else {
            status = PHX_ERR_MEMORY;
        }
    }
    phx_free(resolved);
    return status;
}

const char *phx_model_file(const phx_model *model, int k)
{
    const phx_named_file *file = model->store ? model->store->files : NULL;
    for (; file && k > 0; k--)
        file = file->next;
    return file ? file->path : NULL;
}

phx_status phx_model_protect(phx_context *context, const phx_model *model)
{
    if (!model)
        return phx_fail_null(context, __func__, "model");
    phx_status status = PHX_OK;
    const char *path;
    for (int k = 0; !status && (path = phx_model_file(model, k)) != NULL; k++)
        status = phx_files_read(context, path);
    return status;
}

/* ---- questions ---- */
phx_model_source phx_model_where(const phx_model *model, const void *field)
{
    return model->store && field ? phx_content_where(&model->store->content, field) : (phx_model_source){0, 0};
}

/* Fails with a message that begins with file, line and column of the field, or with the file alone if the position is
 * unknown; returns the status. */
phx_status phx_model_fail(phx_context *context, const phx_model *model, const void *field, phx_status status,
                          const char *format, ...)
{
    if (!format)
        return phx_fail_null(context, __func__, "format");
    char message[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    phx_model_source at = phx_model_where(model, field);
    const char *path = model->path ? model->path : "model";
    if (at.line)
        return phx_fail(context, status, "%s:%d:%d: %s", path, at.line, at.column, message);
    return phx_fail(context, status, "%s: %s", path, message);
}

int phx_model_find_parameter(const phx_model *model, const char *name)
{
    if (model->store)
        return phx_names_find(&model->store->content.parameters, name);
    for (int i = 0; i < model->n_parameters; i++)
        if (!strcmp(model->parameters[i].name, name))
            return i;
    return -1;
}

int phx_model_find_parameters(const phx_model *model, const char *name, int *first)
{
    if (model->store)
        return phx_names_range(&model->store->content.parameters, name, first);
    *first = phx_model_find_parameter(model, name);
    return *first >= 0;
}

phx_shown phx_model_parameter_hint(const phx_model *model, const char *name)
{
    return model->store ? phx_names_hint(&model->store->content.parameters, name) : (phx_shown){""};
}

int phx_model_find_body(const phx_model *model, const char *name)
{
    if (model->store)
        return phx_names_find(&model->store->content.bodies, name);
    for (int i = 0; i < model->n_bodies; i++)
        if (!strcmp(model->bodies[i].name, name))
            return i;
    return -1;
}

int phx_model_find_joint(const phx_model *model, const char *name)
{
    if (model->store)
        return phx_names_find(&model->store->content.joints, name);
    for (int i = 0; i < model->n_joints; i++)
        if (!strcmp(model->joints[i].name, name))
            return i;
    return -1;
}

const phx_model_point *phx_model_reference(const phx_model *model, int k)
{
    if (k < 2 * model->n_joints)
        return &model->joints[k / 2].ports[k % 2];
    k -= 2 * model->n_joints;
    if (k < 2 * model->n_springs)
        return &model->springs[k / 2].ports[k % 2];
    k -= 2 * model->n_springs;
    for (int i = 0; i < model->n_forces; k -= model->forces[i++].n_ports)
        if (k < model->forces[i].n_ports)
            return &model->forces[i].ports[k];
    return k < model->n_loads ? &model->loads[k].at : NULL;
}

/* Evaluates an expression of the model's parameters, or of none if model is NULL; `what` begins the error message. */
phx_status phx_model_evaluate(phx_context *context, const phx_model *model, const char *what, const char *expression,
                              double *value)
{
    if (!what || !expression || !value)
        return phx_fail_null(context, __func__, "what, expression or value");
    phx_evaluator *evaluator = NULL;
    phx_status status = phx_evaluator_create(context, &evaluator);
    if (status)
        return status;
    phx_names none = {0, NULL};
    const phx_names *names = model && model->store ? &model->store->content.parameters : &none;
    phx_evaluator_set_parameters(evaluator, model ? model->parameters : NULL, names, NULL);
    status = phx_evaluator_value(evaluator, expression, value);
    if (status == PHX_ERR_INPUT)
        phx_fail(context, status, "%s: %s", what, phx_evaluator_expression(evaluator)->error);
    phx_evaluator_destroy(evaluator);
    return phx_conclude(context, status);
}

/* ---- words ---- */
static const char *word_of(const phx_word *words, int count, int value)
{
    return value >= 0 && value < count ? words[value].word : "";
}

const char *phx_model_quantity_name(phx_quantity quantity)
{
    return word_of(phx_words_quantity, PHX_QUANTITIES, (int)quantity);
}
