/* A result that is a folder of files. */
#define _XOPEN_SOURCE 700
#include "folder.h"
#include "file/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_NAME = 255 };

/* Nothing is there, or an empty folder, which renaming replaces. */
static bool is_free(const char *name)
{
    struct stat info;
    if (lstat(name, &info) != 0)
        return true;
    DIR *directory = S_ISDIR(info.st_mode) ? opendir(name) : NULL;
    bool empty = directory != NULL;
    for (struct dirent *entry = directory ? readdir(directory) : NULL; entry; entry = readdir(directory))
        empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
    if (directory)
        closedir(directory);
    return empty;
}

const char *phx_folder_path(phx_folder *folder, const char *name)
{
    snprintf(folder->path, folder->path_size, "%s/%s", folder->partial, name);
    return folder->path;
}

/* The folder to build in, without the remains of an earlier attempt. */
static phx_status make_partial(phx_folder *folder, phx_folder_owner *is_ours)
{
    if (mkdir(folder->partial, 0777) == 0)
        return PHX_OK;
    if (errno != EEXIST)
        return phx_file_fail(folder->context, folder->partial, "create", errno);
    DIR *directory = opendir(folder->partial);
    if (!directory)
        return phx_file_fail(folder->context, folder->partial, "read", errno);
    phx_status status = PHX_OK;
    for (struct dirent *entry = readdir(directory); entry && !status; entry = readdir(directory)) {
        if (!is_ours(entry->d_name))
            continue;
        const char *path = phx_folder_path(folder, entry->d_name);
        status = phx_files_check(folder->context, 1, &path);
        if (!status)
            (void)unlink(path);
    }
    closedir(directory);
    return status;
}

/* Prepares a folder of results: writes go to a partial folder beside it until phx_folder_publish. Fails if the name
 * exists and is not an empty folder. Files of an earlier attempt that is_ours recognises are removed from the partial
 * folder. */
phx_status phx_folder_create(phx_context *context, const char *name, phx_folder_owner *is_ours, phx_folder *folder)
{
    size_t length = strlen(name);
    *folder = (phx_folder){.context = context};
    while (length > 1 && name[length - 1] == '/')
        length--;
    if (length == 0 || strcmp(name, "/") == 0)
        return phx_fail(context, PHX_ERR_FILE, "'%s' is no name for a folder of results; give another one", name);
    folder->name = phx_strdup(context, name);
    if (folder->name)
        folder->name[length] = '\0';
    folder->partial = folder->name ? phx_file_suffixed(context, folder->name, ".partial") : NULL;
    folder->path_size = length + LONGEST_NAME + sizeof ".partial/";
    folder->path = phx_calloc(context, folder->path_size, 1);
    if (!folder->partial || !folder->path)
        return PHX_ERR_MEMORY;
    if (!is_free(folder->name))
        return phx_fail(context, PHX_ERR_FILE,
                        "%s: it exists and is not an empty folder; remove it or choose another name", folder->name);
    const phx_status status = phx_files_write(context, folder->name);
    return status ? status : make_partial(folder, is_ours);
}

phx_status phx_folder_publish(phx_folder *folder)
{
    return phx_file_publish(folder->context, folder->partial, folder->name);
}

void phx_folder_free(phx_folder *folder)
{
    phx_free(folder->name);
    phx_free(folder->partial);
    phx_free(folder->path);
    *folder = (phx_folder){0};
}
