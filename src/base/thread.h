/* Threads that block all signals, so that other threads handle them; private to the layer base. */
#ifndef PHX_BASE_THREAD_H
#define PHX_BASE_THREAD_H

#include <pthread.h>
#include "base/base.h"

/* False when the system refuses a thread. */
bool phx_thread_start(pthread_t *thread, void *(*run)(void *user), void *user);
/* PHX_ERR_ARGUMENT unless 1 <= threads <= PHX_ORDERED_MAP_LARGEST. */
phx_status phx_thread_check_number(phx_context *context, int threads);

#endif
