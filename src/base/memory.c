#include "context.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static phx_context *counter_of(phx_context *context)
{
    return context && context->counter ? context->counter : context;
}

/* Whether the context wants this allocation to fail; counts down to the one that does. */
static bool fails_on_purpose(phx_context *context)
{
    phx_context *counter = counter_of(context);
    if (!counter || counter->fail_after < 0)
        return false;
    return counter->fail_after-- == 0;
}

/* Counts the allocation, or records the error when `pointer` is NULL. */
static void *account(phx_context *context, void *pointer, size_t count, size_t size)
{
    if (!pointer)
        phx_fail(context, PHX_ERR_MEMORY, "out of memory: %zu items of %zu bytes are not available", count, size);
    else if (context)
        counter_of(context)->allocations++;
    return pointer;
}

/* count*size, at least 1; 0 when it overflows. */
static size_t bytes_of(size_t count, size_t size)
{
    if (count == 0 || size == 0)
        return 1;
    return count <= SIZE_MAX / size ? count * size : 0;
}

/* Zeroed memory. Arrays longer than a few cache lines begin at a cache line, so that no wide load straddles two. For
 * large arrays calloc gives pages that take no memory before they are written. */
static void *zeros(size_t bytes)
{
    enum { LINE = 64, SHORT = 4 * LINE, LARGE = 1 << 17 };
    if (bytes < SHORT || bytes >= LARGE)
        return calloc(1, bytes);
    const size_t rounded = (bytes + LINE - 1) / LINE * LINE;
    void *pointer = aligned_alloc(LINE, rounded);
    return pointer ? memset(pointer, 0, rounded) : NULL;
}

void *phx_calloc(phx_context *context, size_t count, size_t size)
{
    const size_t bytes = bytes_of(count, size);
    void *pointer = fails_on_purpose(context) || bytes == 0 ? NULL : zeros(bytes);
    return account(context, pointer, count, size);
}

void *phx_realloc(phx_context *context, void *pointer, size_t count, size_t size)
{
    const size_t bytes = bytes_of(count, size);
    void *grown = fails_on_purpose(context) || bytes == 0 ? NULL : realloc(pointer, bytes);
    return account(context, grown, count, size);
}

char *phx_strdup(phx_context *context, const char *text)
{
    if (!text) {
        phx_fail(context, PHX_ERR_ARGUMENT, "a text to copy is NULL");
        return NULL;
    }
    const size_t size = strlen(text) + 1;
    char *copy = phx_calloc(context, size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

void phx_free(void *pointer)
{
    free(pointer);
}

size_t phx_context_allocations(const phx_context *context)
{
    return context->allocations;
}

void phx_context_fail_allocation(phx_context *context, long n)
{
    context->fail_after = n < 0 ? -1 : n;
}

phx_status phx_arrays_create(phx_context *context, size_t n, const phx_array *arrays)
{
    for (size_t i = 0; i < n; i++) {
        *arrays[i].at = phx_calloc(context, arrays[i].count, sizeof(double));
        if (!*arrays[i].at)
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

void phx_arrays_free(size_t n, double *const *arrays)
{
    for (size_t i = 0; i < n; i++)
        phx_free(arrays[i]);
}
