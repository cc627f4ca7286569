/* The struct of a context; private to the layer base. */
#ifndef PHX_BASE_CONTEXT_H
#define PHX_BASE_CONTEXT_H

#include "base/base.h"

/* The message has a fixed size, so that running out of memory can be reported too. */
enum { MESSAGE_SIZE = 2048 };

typedef struct phx_used_file phx_used_file; /* files.c */

struct phx_context {
    char message[MESSAGE_SIZE];
    phx_log_fn *log;
    void *log_user;
    phx_progress_fn *progress;
    void *progress_user;
    size_t allocations;
    long fail_after; /* allocations that still succeed before one fails; negative: none fails */
    int file_scopes; /* calls of phx_files_begin without their end */
    int n_files;     /* read and written in these scopes */
    phx_used_file *files;
    const struct phx_ranks *ranks;
    struct phx_context *counter; /* the context that counts allocations; NULL: this one */
};

/* Forget the files that the context lists. */
void phx_files_free(phx_context *context);

#endif
