/* Loaded in front of a program (LD_PRELOAD): lets one of its allocations fail, whoever makes it, counted from main on.
 *
 *   FAIL_AT=n     the n-th, from 0; without it none
 *   FAIL_FROM=1   and all after it
 *   FAIL_COUNT=f  how many allocations there were goes to the file f */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's own, under the names that stay when malloc is replaced. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);

typedef int main_fn(int, char **, char **);
typedef int start_fn(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
int __libc_start_main(main_fn *program, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

static atomic_bool counting;
static atomic_long count;
static long fail_at = -1;
static bool fail_from;
static main_fn *program_main;

static bool fails(void)
{
    if (!counting)
        return false;
    const long k = atomic_fetch_add(&count, 1);
    const bool failing = fail_at >= 0 && (k == fail_at || (fail_from && k > fail_at));
    if (failing)
        errno = ENOMEM;
    return failing;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *made = fails() ? NULL : __libc_memalign(alignment, size);
    if (!made)
        return ENOMEM;
    *memory = made;
    return 0;
}

static int counted_main(int argc, char **argv, char **environment)
{
    const char *at = getenv("FAIL_AT");
    fail_at = at ? atol(at) : -1;
    fail_from = getenv("FAIL_FROM") != NULL;
    counting = true;
    return program_main(argc, argv, environment);
}

int __libc_start_main(main_fn *program, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    void *found = dlsym(RTLD_NEXT, "__libc_start_main");
    start_fn *next;
    memcpy(&next, &found, sizeof next);
    program_main = program;
    return next(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("FAIL_COUNT");
    char text[32];
    counting = false;
    const int length = snprintf(text, sizeof text, "%ld\n", (long)count);
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
    if (file >= 0 && write(file, text, (size_t)length) == length)
        close(file);
}
