/* Bundles: named matrices, lists, texts, numbers. */
#include "exchange.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 63 }; /* of a variable in a MAT-file */

struct phx_bundle {
    phx_context *context;
    int count, n_files;
    phx_bundle_item *items;
    char **files; /* it was made of */
    phx_status status;
    char why[256]; /* the message of the first failure, as much as fits: calls that succeed clear that of the context */
};

static void set_status(phx_bundle *bundle, phx_status status)
{
    bundle->status = status;
    if (status)
        snprintf(bundle->why, sizeof bundle->why, "%s", phx_context_message(bundle->context));
}

static void free_item(phx_bundle_item *item)
{
    for (int i = 0; item->names && i < item->rows; i++)
        phx_free((void *)item->names[i]);
    phx_free((void *)item->names);
    phx_free((void *)item->name);
    phx_free((void *)item->text);
    phx_free((void *)item->meaning);
    phx_free((void *)item->unit);
    phx_free(item->re);
    phx_free(item->im);
    phx_csr_free(&item->sparse);
}

phx_status phx_bundle_create(phx_context *context, phx_bundle **bundle)
{
    if (!bundle)
        return phx_fail_null(context, __func__, "bundle");
    *bundle = phx_calloc(context, 1, sizeof **bundle);
    if (!*bundle)
        return PHX_ERR_MEMORY;
    (*bundle)->context = context;
    return PHX_OK;
}

void phx_bundle_destroy(phx_bundle *bundle)
{
    if (!bundle)
        return;
    for (int k = 0; k < bundle->count; k++)
        free_item(&bundle->items[k]);
    for (int k = 0; k < bundle->n_files; k++)
        phx_free(bundle->files[k]);
    phx_free(bundle->files);
    phx_free(bundle->items);
    phx_free(bundle);
}

/* ---- asking ---- */
phx_status phx_bundle_status(const phx_bundle *bundle)
{
    if (bundle->status && !phx_context_message(bundle->context)[0])
        phx_fail(bundle->context, bundle->status, "%s", bundle->why);
    return bundle->status;
}

int phx_bundle_count(const phx_bundle *bundle)
{
    return bundle->count;
}

const phx_bundle_item *phx_bundle_item_at(const phx_bundle *bundle, int k)
{
    return &bundle->items[k];
}

const phx_bundle_item *phx_bundle_find(const phx_bundle *bundle, const char *name)
{
    for (int k = 0; k < bundle->count; k++)
        if (strcmp(bundle->items[k].name, name) == 0)
            return &bundle->items[k];
    return NULL;
}

/* ---- adding ---- */
static bool is_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    static const char others[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    const size_t length = name ? strlen(name) : 0;
    return length > 0 && length <= LONGEST_NAME && strchr(letters, name[0]) && strspn(name, others) == length;
}

/* Room for one more item of that name and kind; NULL after a failure. */
static phx_bundle_item *bundle_add(phx_bundle *bundle, const char *name, phx_bundle_kind kind)
{
    if (bundle->status)
        return NULL;
    if (!is_name(name) || phx_bundle_find(bundle, name)) {
        set_status(bundle, phx_fail(bundle->context, PHX_ERR_ARGUMENT,
                                    "'%s' cannot be the name of an item of a bundle: %s", name ? name : "",
                                    is_name(name) ? "there is one already" : "a letter, then letters, digits or '_'"));
        return NULL;
    }
    phx_bundle_item *grown =
        phx_realloc(bundle->context, bundle->items, (size_t)bundle->count + 1, sizeof *bundle->items);
    if (!grown) {
        set_status(bundle, PHX_ERR_MEMORY);
        return NULL;
    }
    bundle->items = grown;
    phx_bundle_item *item = &grown[bundle->count++];
    *item = (phx_bundle_item){.name = phx_strdup(bundle->context, name),
                              .meaning = phx_strdup(bundle->context, ""),
                              .unit = phx_strdup(bundle->context, ""),
                              .kind = kind};
    if (item->name && item->meaning && item->unit)
        return item;
    free_item(item);
    bundle->count--;
    set_status(bundle, PHX_ERR_MEMORY);
    return NULL;
}

static void bundle_check_finite(phx_bundle *bundle, const phx_bundle_item *item, size_t count, const double *values)
{
    for (size_t i = 0; i < count && !bundle->status; i++)
        if (!isfinite(values[i]))
            set_status(bundle, phx_fail(bundle->context, PHX_ERR_ANALYSIS,
                                        "'%s' is %g at its entry %zu and cannot be written; check the model",
                                        item->name, values[i], i + 1));
}

static double *copy_values(phx_bundle *bundle, const phx_bundle_item *item, const double *values)
{
    const size_t count = (size_t)(item->pages ? item->pages : 1) * (size_t)item->rows * (size_t)item->cols;
    double *copy = phx_calloc(bundle->context, count, sizeof *copy);
    if (!copy) {
        set_status(bundle, PHX_ERR_MEMORY);
        return NULL;
    }
    if (count > 0)
        memcpy(copy, values, count * sizeof *copy);
    bundle_check_finite(bundle, item, count, copy);
    return copy;
}

void phx_bundle_add_matrix(phx_bundle *bundle, const char *name, int rows, int cols, const double *real,
                           const double *imaginary)
{
    phx_bundle_item *item = bundle_add(bundle, name, PHX_BUNDLE_MATRIX);
    if (!item)
        return;
    item->rows = rows;
    item->cols = cols;
    item->re = copy_values(bundle, item, real);
    item->im = imaginary && !bundle->status ? copy_values(bundle, item, imaginary) : NULL;
}

void phx_bundle_add_array(phx_bundle *bundle, const char *name, int pages, int rows, int cols, const double *values)
{
    phx_bundle_item *item = bundle_add(bundle, name, PHX_BUNDLE_MATRIX);
    if (!item)
        return;
    item->pages = pages;
    item->rows = rows;
    item->cols = cols;
    item->re = copy_values(bundle, item, values);
}

void phx_bundle_add_sparse(phx_bundle *bundle, const char *name, const phx_csr *matrix)
{
    phx_bundle_item *item = bundle_add(bundle, name, PHX_BUNDLE_SPARSE);
    if (!item)
        return;
    item->rows = matrix->rows;
    item->cols = matrix->cols;
    set_status(bundle, phx_csr_copy(bundle->context, matrix, &item->sparse));
    if (!bundle->status)
        bundle_check_finite(bundle, item, (size_t)matrix->ptr[matrix->rows], matrix->val);
}

void phx_bundle_add_names(phx_bundle *bundle, const char *name, int count, const char *const *names)
{
    phx_bundle_item *item = bundle_add(bundle, name, PHX_BUNDLE_NAMES);
    char **copies = item ? phx_calloc(bundle->context, (size_t)count, sizeof *copies) : NULL;
    if (!item)
        return;
    item->names = (const char *const *)copies;
    set_status(bundle, copies ? PHX_OK : PHX_ERR_MEMORY);
    for (; item->rows < count && !bundle->status; item->rows++)
        if (!(copies[item->rows] = phx_strdup(bundle->context, names[item->rows])))
            set_status(bundle, PHX_ERR_MEMORY);
}

void phx_bundle_add_text(phx_bundle *bundle, const char *name, const char *text)
{
    phx_bundle_item *item = bundle_add(bundle, name, PHX_BUNDLE_TEXT);
    if (item && !(item->text = phx_strdup(bundle->context, text ? text : "")))
        set_status(bundle, PHX_ERR_MEMORY);
}

void phx_bundle_add_number(phx_bundle *bundle, const char *name, double value)
{
    phx_bundle_item *item = bundle_add(bundle, name, PHX_BUNDLE_NUMBER);
    if (!item)
        return;
    item->number = value;
    bundle_check_finite(bundle, item, 1, &value);
}

static void replace(phx_bundle *bundle, const char **text, const char *with)
{
    char *copy = phx_strdup(bundle->context, with ? with : "");
    if (!copy) {
        set_status(bundle, PHX_ERR_MEMORY);
        return;
    }
    phx_free((void *)*text);
    *text = copy;
}

void phx_bundle_describe(phx_bundle *bundle, const char *meaning, const char *unit)
{
    if (bundle->status || bundle->count == 0)
        return;
    phx_bundle_item *item = &bundle->items[bundle->count - 1];
    replace(bundle, &item->meaning, meaning);
    if (!bundle->status)
        replace(bundle, &item->unit, unit);
}

/* ---- files ---- */
void phx_bundle_add_file(phx_bundle *bundle, const char *path)
{
    if (bundle->status)
        return;
    char **grown = phx_realloc(bundle->context, bundle->files, (size_t)bundle->n_files + 1, sizeof *grown);
    char *copy = grown ? phx_strdup(bundle->context, path) : NULL;
    if (grown)
        bundle->files = grown;
    if (copy)
        grown[bundle->n_files++] = copy;
    else
        bundle->status = PHX_ERR_MEMORY;
}

phx_status phx_bundle_protect(phx_context *context, const phx_bundle *bundle)
{
    if (!bundle)
        return phx_fail_null(context, __func__, "bundle");
    phx_status status = PHX_OK;
    for (int k = 0; k < bundle->n_files && !status; k++)
        status = phx_files_read(context, bundle->files[k]);
    return status;
}

/* ---- names that MATLAB and Octave take ---- */
enum { LONGEST_STEM = 50 };
static const char *const keywords[] = {
    "break",    "case",           "catch", "classdef",  "continue", "do",         "else",   "elseif", "end",    "for",
    "function", "global",         "if",    "otherwise", "parfor",   "persistent", "return", "spmd",   "switch", "try",
    "until",    "unwind_protect", "while"};

static bool is_keyword(const char *name)
{
    for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++)
        if (strcmp(keywords[k], name) == 0)
            return true;
    return false;
}

/* Makes a valid and unused variable name of a text: letters, digits and underscores, at most of the longest length, no
 * keyword, with a number if the name is taken. */
void phx_bundle_make_name(const phx_bundle *bundle, const char *prefix, const char *text,
                          char name[PHX_BUNDLE_NAME_SIZE])
{
    char stem[LONGEST_STEM + 2];
    size_t n = strlen(prefix);
    snprintf(stem, LONGEST_STEM, "%s", prefix);
    if (n == 0 && !((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z')))
        stem[n++] = 'c';
    for (; *text && n < LONGEST_STEM; text++) {
        const unsigned char c = (unsigned char)*text;
        if ((c & 0xC0) != 0x80) /* one for a character of UTF-8 */
            stem[n++] = c < 0x80 && isalnum(c) ? (char)c : '_';
    }
    stem[n] = '\0';
    snprintf(name, PHX_BUNDLE_NAME_SIZE, "%s%s", stem, is_keyword(stem) ? "_" : "");
    for (int k = 2; phx_bundle_find(bundle, name); k++)
        snprintf(name, PHX_BUNDLE_NAME_SIZE, "%s_%d", stem, k);
}
