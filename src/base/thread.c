/* Threads that block all signals, so that other threads handle them. */
#define _POSIX_C_SOURCE 200809L
#include "thread.h"

#include <signal.h>

bool phx_thread_start(pthread_t *thread, void *(*run)(void *user), void *user)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(thread, NULL, run, user) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

phx_status phx_thread_check_number(phx_context *context, int threads)
{
    return threads >= 1 && threads <= PHX_ORDERED_MAP_LARGEST
               ? PHX_OK
               : phx_fail(context, PHX_ERR_ARGUMENT, "%d threads; their number must be in 1..%d", threads,
                          PHX_ORDERED_MAP_LARGEST);
}
