/* Paths, durable renames and messages about files. */
#define _XOPEN_SOURCE 700
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Advice in the words of the user for an error of the operating system. */
static const char *remedy(const char *action, int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return "free space there or choose another place";
    case EFBIG:
        return "raise the limit on the size of files or record less often";
    case EACCES:
    case EPERM:
    case EROFS:
        return "choose a place you may write to, or change its permissions";
    case ENOENT:
        return strcmp(action, "read") == 0 ? "check the name" : "check the name, and create its directory first";
    case ENOTDIR:
        return "check the name: a part of it that should be a directory is none";
    case ENAMETOOLONG:
        return "choose a shorter name; until it is complete a result has some letters more";
    case ELOOP:
        return "check the symbolic links in the name";
    case EISDIR:
        return "give the name of a file";
    case ENOMEM:
        return "give the program more memory";
    case EMFILE:
    case ENFILE:
        return "close other files or raise the limit on open files";
    default:
        return "check the name and the disk, or choose another place";
    }
}

phx_status phx_file_fail(phx_context *context, const char *path, const char *action, int error)
{
    char reason[256] = "unknown reason";
    if (error != 0 && strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    return phx_fail(context, error == ENOMEM ? PHX_ERR_MEMORY : PHX_ERR_FILE, "%s: cannot %s: %s; %s", path, action,
                    reason, remedy(action, error));
}

/* Determines the file that is really written: symbolic links are followed, folders and files without permission
 * refused. Devices and pipes are accepted only if special is given, which is then set; the caller frees *target. */
phx_status phx_file_target(phx_context *context, const char *path, char **target, bool *special)
{
    struct stat info;
    char real[PATH_MAX];
    *target = NULL;
    if (special)
        *special = false;
    if (!path || !path[0])
        return phx_fail(context, PHX_ERR_FILE, "the name of a result file is empty; give the name of a file");
    if (!strcmp(path, "-"))
        return phx_fail(context, PHX_ERR_INPUT,
                        "-: this format does not go to standard output; give the name of a file (a file called '-' is "
                        "./-)");
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return phx_file_fail(context, path, "write", EISDIR);
        if (!S_ISREG(info.st_mode) && !special)
            return phx_fail(context, PHX_ERR_FILE, "%s: cannot write: not a regular file; give the name of a file",
                            path);
        if (access(path, W_OK) != 0)
            return phx_file_fail(context, path, "replace", errno);
        if (!S_ISREG(info.st_mode))
            *special = true;
        else if (!realpath(path, real))
            return phx_file_fail(context, path, "replace", errno);
        else
            path = real;
    } else if (errno == ELOOP) {
        return phx_file_fail(context, path, "write", ELOOP);
    } else if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) { /* to a file that is not there yet */
        *target = phx_files_resolve(context, path);
        return *target ? PHX_OK : PHX_ERR_MEMORY;
    }
    *target = phx_strdup(context, path);
    return *target ? PHX_OK : PHX_ERR_MEMORY;
}

phx_status phx_file_claim(phx_context *context, const char *path, char **target, bool *special)
{
    phx_status status = phx_file_target(context, path, target, special);
    if (!status)
        status = phx_files_write(context, path);
    if (status) {
        phx_free(*target);
        *target = NULL;
    }
    return status;
}

int phx_file_create(const char *path)
{
    (void)unlink(path); /* the remains of an earlier attempt, or a link to another file */
    return open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

char *phx_file_suffixed(phx_context *context, const char *path, const char *suffix)
{
    size_t size = strlen(path) + strlen(suffix) + 1;
    char *text = phx_calloc(context, size, 1);
    if (text)
        snprintf(text, size, "%s%s", path, suffix);
    return text;
}

/* Writes all bytes, over interruptions and partial writes; returns an errno or 0, and optionally the number of bytes
 * written. */
int phx_file_write(int descriptor, const char *bytes, size_t count, size_t *written)
{
    size_t done = 0;
    int error = 0;
    while (done < count && !error) {
        ssize_t n = write(descriptor, bytes + done, count - done);
        if (n > 0)
            done += (size_t)n;
        else if (n < 0 && errno != EINTR)
            error = errno;
        else if (n == 0)
            error = EIO;
    }
    if (written)
        *written = done;
    return error;
}

/* A directory that cannot be opened or synchronised (network file systems) is no failure: the rename has happened. */
static void sync_directory(const char *path)
{
    char directory[4096];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof directory)
        return;
    memcpy(directory, path, length);
    directory[length] = '\0';
    int descriptor = open(length ? directory : slash ? "/" : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    (void)fsync(descriptor);
    close(descriptor);
}

phx_status phx_file_publish(phx_context *context, const char *from, const char *to)
{
    if (rename(from, to) != 0)
        return phx_file_fail(context, to, "be given its name", errno);
    sync_directory(to);
    return PHX_OK;
}

static phx_status make_empty(phx_context *context, const char *path)
{
    const int descriptor = phx_file_create(path);
    if (descriptor < 0)
        return phx_file_fail(context, path, "create", errno);
    close(descriptor);
    return PHX_OK;
}

/* Replaces a file as a whole: writes beside it under another name and renames the result. An existing file is
 * unchanged after a failure. */
phx_status phx_file_replace(phx_context *context, const char *path, phx_file_writer *write, const void *data)
{
    char *target = NULL, *partial = NULL;
    phx_status status = phx_file_claim(context, path, &target, NULL);
    if (!status && !(partial = phx_file_suffixed(context, target, ".partial")))
        status = PHX_ERR_MEMORY;
    if (!status)
        status = make_empty(context, partial); /* for the errno, which other libraries do not return */
    if (!status) {
        status = write(context, partial, data);
        if (!status)
            status = phx_file_publish(context, partial, target);
        if (status)
            (void)unlink(partial);
    }
    if (status && target)
        phx_files_give_up(context, path);
    phx_free(partial);
    phx_free(target);
    return status;
}

typedef struct stream_file {
    phx_file_stream_writer *write;
    const void *data;
} stream_file;

static phx_status write_stream(phx_context *context, const char *path, const void *data)
{
    const stream_file *file = data;
    FILE *stream = fopen(path, "w");

    if (!stream)
        return phx_file_fail(context, path, "write", errno);
    phx_status status = file->write(context, file->data, stream);
    errno = 0;
    const bool wrong = ferror(stream) != 0;
    if (fclose(stream) != 0 || wrong)
        status = status ? status : phx_file_fail(context, path, "write", errno);
    return status;
}

phx_status phx_file_replace_stream(phx_context *context, const char *path, phx_file_stream_writer *write,
                                   const void *data)
{
    const stream_file file = {write, data};

    return phx_file_replace(context, path, write_stream, &file);
}
