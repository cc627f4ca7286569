/* What a context is made of; private to the layer base. */
#ifndef PHX_BASE_CONTEXT_H
#define PHX_BASE_CONTEXT_H

#include <phlexor/base.h>

/* The message has a fixed place, so that running out of memory can be reported too. */
enum { MESSAGE_SIZE = 2048 };

struct phx_context {
    char message[MESSAGE_SIZE];
    phx_log_fn *log;
    void *log_user;
    phx_progress_fn *progress;
    void *progress_user;
    size_t allocations;
    long fail_after;           /* allocations that still succeed before one fails; negative: none fails */
    struct phx_context *books; /* where allocations are counted; NULL: here */
};

#endif
