/* Behaviour when memory runs out. Phlexor's own code checks each allocation and reports its failure. Some
 * of the libraries below do not: HDF5 crashes, fontconfig takes another font, qsort of the C library sorts in another
 * order. So the program's allocation functions stand in front of those of the C library (a program's names come first
 * for all its shared libraries) and tell who asks:
 *
 *     Phlexor's code   gets NULL
 *     a library        gets memory from the reserve that is given back now; when this is used up too the program says
 *                      that memory is out and ends
 *
 * so no library ever sees a failure. Left out under the sanitizers, which have allocation functions of their own. */
#define _GNU_SOURCE /* dladdr, RTLD_NEXT */
#include "cli.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RESERVE = 4 << 20 };

/* The next functions of these names: the C library's, or those of whatever was loaded in front of it. */
static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
} next;
static atomic_int stage; /* 0: not looked up, 1: being looked up, 2: known */
static _Atomic(void *) reserve;

/* The bounds of the program's own code, from the linker. */
extern const char __executable_start, etext;

void *memalign(size_t alignment, size_t size);

static bool is_own(const void *caller)
{
    return (uintptr_t)caller >= (uintptr_t)&__executable_start && (uintptr_t)caller < (uintptr_t)&etext;
}

static void look_up(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

/* False while the functions are looked up: before main, on the only thread. */
static bool ready(void)
{
    if (atomic_load_explicit(&stage, memory_order_acquire) == 2)
        return true;
    int before = 0;
    if (!atomic_compare_exchange_strong(&stage, &before, 1))
        return before == 2;
    look_up("malloc", &next.malloc);
    look_up("calloc", &next.calloc);
    look_up("realloc", &next.realloc);
    look_up("aligned_alloc", &next.aligned_alloc);
    look_up("memalign", &next.memalign);
    look_up("posix_memalign", &next.posix_memalign);
    atomic_store(&reserve, next.malloc(RESERVE)); /* never written: takes no memory, only room for it */
    atomic_store_explicit(&stage, 2, memory_order_release);
    return true;
}

static size_t memory_append(char *text, size_t room, size_t at, const char *more)
{
    for (; *more && at + 1 < room; more++)
        text[at++] = *more;
    return at;
}

static size_t append_number(char *text, size_t room, size_t at, size_t number)
{
    char digits[24];
    size_t n = sizeof digits - 1;
    digits[n] = '\0';
    do
        digits[--n] = (char)('0' + number % 10);
    while (number /= 10);
    return memory_append(text, room, at, digits + n);
}

/* "libhdf5_serial.so.103", of what contains the code at `caller`. */
static const char *library_of(const void *caller)
{
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)caller, &info) || !info.dli_fname)
        return "a library";
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

/* The message is written without stdio, which allocates. */
static _Noreturn void memory_end(size_t count, size_t size, const void *caller)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char text[400];
    size_t at = memory_append(text, sizeof text, 0, "phlexor: out of memory: ");
    at = memory_append(text, sizeof text, at, library_of(caller));
    at = memory_append(text, sizeof text, at, " asks for ");
    if (count > 1) {
        at = append_number(text, sizeof text, at, count);
        at = memory_append(text, sizeof text, at, " items of ");
    }
    at = append_number(text, sizeof text, at, size);
    at = memory_append(text, sizeof text, at,
                       " bytes, which are not available; give the program more memory or less to do\n");
    if (!atomic_flag_test_and_set(&said) && write(STDERR_FILENO, text, at) < 0)
        _exit(EXIT_FAILED);
    _exit(EXIT_FAILED);
}

/* Give the reserve back; true when a library may try again. */
static bool try_again(const void *caller)
{
    void *mine = atomic_exchange(&reserve, NULL);
    free(mine);
    return !is_own(caller);
}

/* These names belong to the C library; the program has them first. */
void *malloc(size_t size)
{
    const void *caller = __builtin_return_address(0);
    void *memory = ready() ? next.malloc(size) : NULL;
    if (memory || !size || !try_again(caller))
        return memory;
    memory = next.malloc(size);
    if (!memory)
        memory_end(1, size, caller);
    return memory;
}

void *calloc(size_t count, size_t size)
{
    const void *caller = __builtin_return_address(0);
    void *memory = ready() ? next.calloc(count, size) : NULL;
    if (memory || !count || !size || !try_again(caller))
        return memory;
    memory = next.calloc(count, size);
    if (!memory)
        memory_end(count, size, caller);
    return memory;
}

void *realloc(void *old, size_t size)
{
    const void *caller = __builtin_return_address(0);
    void *memory = ready() ? next.realloc(old, size) : NULL;
    if (memory || !size || !try_again(caller))
        return memory;
    memory = next.realloc(old, size);
    if (!memory)
        memory_end(1, size, caller);
    return memory;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    const void *caller = __builtin_return_address(0);
    void *memory = ready() ? next.aligned_alloc(alignment, size) : NULL;
    if (memory || !size || !try_again(caller))
        return memory;
    memory = next.aligned_alloc(alignment, size);
    if (!memory)
        memory_end(1, size, caller);
    return memory;
}

void *memalign(size_t alignment, size_t size)
{
    const void *caller = __builtin_return_address(0);
    void *memory = ready() ? next.memalign(alignment, size) : NULL;
    if (memory || !size || !try_again(caller))
        return memory;
    memory = next.memalign(alignment, size);
    if (!memory)
        memory_end(1, size, caller);
    return memory;
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    const void *caller = __builtin_return_address(0);
    int status = ready() ? next.posix_memalign(memory, alignment, size) : ENOMEM;
    if (status != ENOMEM || !try_again(caller))
        return status;
    status = next.posix_memalign(memory, alignment, size);
    if (status == ENOMEM)
        memory_end(1, size, caller);
    return status;
}
