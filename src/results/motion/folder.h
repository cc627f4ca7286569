/* A result that is a folder of files: it is built as FOLDER.partial and appears under its name when it is complete;
 * private to the layer results. */
#ifndef PHX_RESULTS_FOLDER_H
#define PHX_RESULTS_FOLDER_H

#include "base/base.h"

typedef struct phx_folder {
    phx_context *context;
    char *name;    /* what it will be called */
    char *partial; /* its name until then */
    char *path;    /* room for a name in it */
    size_t path_size;
} phx_folder;

/* Whether a file of this name may be left from an earlier attempt, to be removed before the next. */
typedef bool phx_folder_owner(const char *name);

/* PHX_ERR_FILE when there is something of this name that is not an empty folder. Free with phx_folder_free, on failure
 * too. */
phx_status phx_folder_create(phx_context *context, const char *name, phx_folder_owner *is_ours, phx_folder *folder);
/* The path of a file in it, until the next call; names of up to 255 bytes. */
const char *phx_folder_path(phx_folder *folder, const char *name);
/* It is complete and gets its name. */
phx_status phx_folder_publish(phx_folder *folder);
void phx_folder_free(phx_folder *folder);

#endif
