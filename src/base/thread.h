/* A thread that leaves signals to the others; private to the layer base. */
#ifndef PHX_BASE_THREAD_H
#define PHX_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* False when the system gives no thread. */
bool phx_thread_start(pthread_t *thread, void *(*run)(void *user), void *user);

#endif
