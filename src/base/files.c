/* The files read and written by one command, so that none is written over another. */
#define _XOPEN_SOURCE 700
#include "context.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40, NAMES = 3 };

/* Suffixes of a result and of its checkpoints while they are incomplete. */
static const char *const suffixes[NAMES] = {"", ".partial", ".partial.tmp"};

struct phx_used_file {
    char *given;    /* the name as it was given */
    char *resolved; /* the file it leads to */
    bool exists, written;
    dev_t device;
    ino_t inode;
};

/* ---- names ---- */
/* The folder part of a path with its slash, "" when there is none. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* folder(path) + name; NULL without memory. */
static char *beside(phx_context *context, const char *path, const char *name)
{
    const size_t folder = name[0] == '/' ? 0 : folder_length(path);
    char *joined = phx_calloc(context, folder + strlen(name) + 1, 1);
    if (joined) {
        memcpy(joined, path, folder);
        memcpy(joined + folder, name, strlen(name));
    }
    return joined;
}

/* The name behind a chain of links; `path` is freed. */
static char *files_follow(phx_context *context, char *path)
{
    for (int k = 0; k < MOST_LINKS && path; k++) {
        char link[PATH_MAX];
        const ssize_t length = readlink(path, link, sizeof link - 1);
        if (length < 0)
            break;
        link[length] = '\0';
        char *next = beside(context, path, link);
        phx_free(path);
        path = next;
    }
    return path;
}

/* Returns the absolute name of a file without symbolic links, also if the file, but not its folder, is missing. The
 * caller frees the name; NULL if memory is short. */
char *phx_files_resolve(phx_context *context, const char *path)
{
    char real[PATH_MAX];
    if (realpath(path, real))
        return phx_strdup(context, real);
    char *name = phx_strdup(context, path);
    for (size_t n = name ? strlen(name) : 0; n > 1 && name[n - 1] == '/'; n--)
        name[n - 1] = '\0';
    name = files_follow(context, name);
    if (!name)
        return NULL;
    const size_t folder = folder_length(name);
    char *parent = folder ? phx_strdup(context, name) : phx_strdup(context, "./");
    if (!parent) {
        phx_free(name);
        return NULL;
    }
    parent[folder ? folder : 2] = '\0';
    if (realpath(parent, real) && strlen(real) + 2 < sizeof real) {
        strcat(real, real[1] ? "/" : "");
        char *resolved = beside(context, real, name + folder);
        phx_free(name);
        name = resolved;
    }
    phx_free(parent);
    return name;
}

static char *with_suffix(phx_context *context, const char *path, const char *suffix)
{
    const size_t size = strlen(path) + strlen(suffix) + 1;
    char *name = phx_calloc(context, size, 1);
    if (name)
        snprintf(name, size, "%s%s", path, suffix);
    return name;
}

/* ---- one file ---- */
static void free_used(phx_used_file *file)
{
    phx_free(file->given);
    phx_free(file->resolved);
    *file = (phx_used_file){0};
}

/* `suffix` goes behind the name that the path leads to. */
static phx_status identify(phx_context *context, const char *path, const char *suffix, phx_used_file *file)
{
    struct stat info;
    *file = (phx_used_file){.given = phx_strdup(context, path)};
    char *resolved = phx_files_resolve(context, path);
    if (resolved && suffix[0]) {
        char *longer = with_suffix(context, resolved, suffix);
        phx_free(resolved);
        resolved = longer;
    }
    file->resolved = resolved;
    if (!file->given || !file->resolved) {
        free_used(file);
        return PHX_ERR_MEMORY;
    }
    file->exists = stat(file->resolved, &info) == 0;
    if (file->exists) {
        file->device = info.st_dev;
        file->inode = info.st_ino;
    }
    return PHX_OK;
}

/* Devices and pipes hold nothing that could be lost. */
static bool holds_bytes(const char *path)
{
    struct stat info;
    return stat(path, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode);
}

static bool is_same(const phx_used_file *a, const phx_used_file *b)
{
    return strcmp(a->resolved, b->resolved) == 0 ||
           (a->exists && b->exists && a->device == b->device && a->inode == b->inode);
}

/* ---- the list ---- */
void phx_files_begin(phx_context *context)
{
    if (context)
        context->file_scopes++;
}

static void forget_all(phx_context *context)
{
    for (int k = 0; k < context->n_files; k++)
        free_used(&context->files[k]);
    phx_free(context->files);
    context->files = NULL;
    context->n_files = 0;
}

void phx_files_end(phx_context *context)
{
    if (context && context->file_scopes > 0 && --context->file_scopes == 0)
        forget_all(context);
}

void phx_files_free(phx_context *context)
{
    forget_all(context);
}

/* Adds a file to those that the context knows as read or written, by its identity. */
static phx_status files_add(phx_context *context, const char *path, bool written)
{
    phx_used_file file;
    const phx_status status = identify(context, path, "", &file);
    if (status)
        return status;
    file.written = written;
    phx_used_file *grown = phx_realloc(context, context->files, (size_t)context->n_files + 1, sizeof *grown);
    if (!grown) {
        free_used(&file);
        return PHX_ERR_MEMORY;
    }
    context->files = grown;
    grown[context->n_files++] = file;
    return PHX_OK;
}

static bool is_listed(const phx_context *context, const char *path, bool written)
{
    for (int k = 0; k < context->n_files; k++)
        if (context->files[k].written == written && strcmp(context->files[k].given, path) == 0)
            return true;
    return false;
}

phx_status phx_files_read(phx_context *context, const char *path)
{
    if (!context || !context->file_scopes || !path || is_listed(context, path, false) || !holds_bytes(path))
        return PHX_OK;
    return files_add(context, path, false);
}

/* ---- conflicts ---- */
static phx_status refuse_input(phx_context *context, const char *path, int suffix, const char *input, bool same_place)
{
    if (suffix)
        return phx_fail(context, PHX_ERR_INPUT,
                        "%s: it would be written over %s, which is read here: %s%s is its name until it is complete; "
                        "choose another name",
                        path, input, path, suffixes[suffix]);
    if (strcmp(path, input) == 0)
        return phx_fail(context, PHX_ERR_INPUT, "%s: it would be written over itself; choose another name", path);
    return phx_fail(context, PHX_ERR_INPUT,
                    "%s: it would be written over %s%s, which is read here and is the same file; choose another name",
                    path, same_place ? "itself: over " : "", input);
}

static phx_status refuse_output(phx_context *context, const char *path, int mine, const char *other, int others)
{
    return phx_fail(context, PHX_ERR_INPUT,
                    "%s and %s: two results would be written to one file, %s%s; they need two names", other, path,
                    others ? other : path, suffixes[others ? others : mine]);
}

/* PHX_ERR_INPUT when one of the names of an output is that of `used`. */
static phx_status files_compare(phx_context *context, const char *path, const phx_used_file *names,
                                const phx_used_file *used)
{
    for (int k = 0; k < NAMES; k++)
        if (is_same(&names[k], used))
            return used->written
                       ? refuse_output(context, path, k, used->given, 0)
                       : refuse_input(context, path, k, used->given, strcmp(names[k].resolved, used->resolved) == 0);
    for (int k = 1; k < NAMES && used->written; k++) {
        phx_used_file other;
        const phx_status status = identify(context, used->given, suffixes[k], &other);
        if (status)
            return status;
        const bool same = is_same(names, &other);
        free_used(&other);
        if (same)
            return refuse_output(context, path, 0, used->given, k);
    }
    return PHX_OK;
}

/* Against the files of the list and against `n_others` outputs that are not in it. */
static phx_status check_output(phx_context *context, const char *path, int n_others, const char *const *others)
{
    phx_used_file names[NAMES] = {{0}};
    phx_status status = PHX_OK;
    for (int k = 0; k < NAMES && !status; k++)
        status = identify(context, path, suffixes[k], &names[k]);
    for (int k = 0; k < context->n_files && !status; k++)
        status = files_compare(context, path, names, &context->files[k]);
    for (int k = 0; k < n_others && !status; k++) {
        phx_used_file other = {0};
        if (!others[k] || !strcmp(others[k], "-") || !holds_bytes(others[k]))
            continue;
        status = identify(context, others[k], "", &other);
        other.written = true;
        if (!status)
            status = files_compare(context, path, names, &other);
        free_used(&other);
    }
    for (int k = 0; k < NAMES; k++)
        free_used(&names[k]);
    return status;
}

phx_status phx_files_check(phx_context *context, int count, const char *const *paths)
{
    if (!paths && count > 0)
        return phx_fail_null(context, __func__, "paths");
    phx_status status = PHX_OK;
    for (int k = 0; k < count && !status && context; k++)
        if (paths[k] && strcmp(paths[k], "-") != 0 && holds_bytes(paths[k]))
            status = check_output(context, paths[k], k, paths);
    return status;
}

phx_status phx_files_write(phx_context *context, const char *path)
{
    if (!context || !context->file_scopes || !path || !holds_bytes(path))
        return PHX_OK;
    const phx_status status = check_output(context, path, 0, NULL);
    return status ? status : files_add(context, path, true);
}

void phx_files_give_up(phx_context *context, const char *path)
{
    for (int k = context ? context->n_files - 1 : -1; k >= 0; k--) {
        if (!context->files[k].written || strcmp(context->files[k].given, path) != 0)
            continue;
        free_used(&context->files[k]);
        context->files[k] = context->files[--context->n_files];
        return;
    }
}
