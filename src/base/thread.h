/* A thread that leaves signals to the others; private to the layer base. */
#ifndef PHX_BASE_THREAD_H
#define PHX_BASE_THREAD_H

#include <pthread.h>
#include <phlexor/base.h>

/* False when the system gives no thread. */
bool phx_thread_start(pthread_t *thread, void *(*run)(void *user), void *user);
/* Whether so many threads may be asked for. */
phx_status phx_thread_check_number(phx_context *context, int threads);

#endif
