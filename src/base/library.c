/* Libraries that are loaded when they are first used. */
#include "base/base.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { LIBRARY_NAME = 256 };

static phx_status library_refuse(phx_context *context, const phx_library *library, const char *why)
{
    const bool packed = library->package && library->package[0];

    return phx_fail(context, PHX_ERR_LIBRARY, "%s cannot be loaded: %s; install %s%s%s", library->title, why,
                    packed ? "the package " : "", packed ? library->package : library->file,
                    packed ? "" : " or build Phlexor with the one that is there");
}

/* A wheel has its own libraries on the search path of this code, with "phlexor-" in front of their names
 * (tools/make-wheel). They come before those of the system. */
static void *library_open(const char *file)
{
    char own[LIBRARY_NAME];

    snprintf(own, sizeof own, "phlexor-%s", file);
    void *handle = dlopen(own, RTLD_LAZY | RTLD_LOCAL);
    return handle ? handle : dlopen(file, RTLD_LAZY | RTLD_LOCAL);
}

/* Of the object pointers that dlsym gives POSIX says that they are those of functions where the name is a function's.
 */
static phx_status library_load(phx_context *context, phx_library *library)
{
    void *handle = library_open(library->file);
    phx_status status = PHX_OK;

    if (!handle) {
        const char *why = dlerror();
        return library_refuse(context, library, why ? why : library->file);
    }
    char *place = library->table;
    for (const char *const *name = library->names; *name && !status; name++) {
        void *found = dlsym(handle, *name);
        if (found)
            memcpy(place, &found, sizeof found);
        else
            status = library_refuse(context, library, dlerror());
        place += sizeof found;
    }
    if (status)
        dlclose(handle);
    return status;
}

/* Loads an optional library once for all threads; after a failure the next call tries again. */
phx_status phx_library_load(phx_context *context, phx_library *library)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    phx_status status = PHX_OK;

    if (atomic_load_explicit(&library->loaded, memory_order_acquire))
        return PHX_OK;
    pthread_mutex_lock(&lock);
    if (!atomic_load_explicit(&library->loaded, memory_order_relaxed)) {
        status = library_load(context, library);
        atomic_store_explicit(&library->loaded, !status, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return status;
}
