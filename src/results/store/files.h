/* Paths, durable renames and messages about files; private to the layer results. */
#ifndef PHX_RESULTS_FILES_H
#define PHX_RESULTS_FILES_H

#include "base/base.h"

/* Record PHX_ERR_FILE: "PATH: cannot ACTION: REASON; REMEDY", reason and remedy from an errno. */
phx_status phx_file_fail(phx_context *context, const char *path, const char *action, int error);

/* The path to which a result of this name is written: symbolic links followed, also one to a file that is not there
 * yet. `special` (may be NULL) tells that it is a device or a pipe, which is written directly. PHX_ERR_FILE for a
 * directory or an empty name, PHX_ERR_INPUT for "-". Free `target` with phx_free. */
phx_status phx_file_target(phx_context *context, const char *path, char **target, bool *special);

/* The same for a file that is made now: PHX_ERR_INPUT when that would overwrite one that is also read or written. */
phx_status phx_file_claim(phx_context *context, const char *path, char **target, bool *special);
/* A new empty file for reading and writing instead of whatever has this name; its descriptor, or -1 with errno. */
int phx_file_create(const char *path);

/* path + suffix; free with phx_free. NULL when memory is out, error recorded. */
char *phx_file_suffixed(phx_context *context, const char *path, const char *suffix);

/* Write count bytes; the errno of the failure, 0 when all are written. `written` (may be NULL): number of bytes
 * written. */
int phx_file_write(int descriptor, const char *bytes, size_t count, size_t *written);

/* Rename and make the new name durable. */
phx_status phx_file_publish(phx_context *context, const char *from, const char *to);

/* A function that writes a whole file of this name from `data`. */
typedef phx_status phx_file_writer(phx_context *context, const char *path, const void *data);
/* Let `write` make NAME.partial, make it durable and give it its name; on failure it is removed and an older NAME
 * stays. */
phx_status phx_file_replace(phx_context *context, const char *path, phx_file_writer *write, const void *data);

#endif
