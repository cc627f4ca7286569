#include "memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_SIZE = 32768 };

typedef struct phx_arena_block {
    struct phx_arena_block *previous;
    size_t used, size;
    max_align_t bytes[];
} phx_arena_block;

static phx_arena_block *memory_add_block(phx_context *context, phx_arena *arena, size_t bytes)
{
    size_t size = bytes > BLOCK_SIZE ? bytes : BLOCK_SIZE;
    if (size > SIZE_MAX - sizeof(phx_arena_block))
        size = SIZE_MAX - sizeof(phx_arena_block);
    phx_arena_block *block = phx_calloc(context, 1, sizeof(phx_arena_block) + size);
    if (!block)
        return NULL;
    block->size = size;
    block->previous = arena->last;
    arena->last = block;
    return block;
}

/* Zeros, at a multiple of `unit`. */
static void *memory_take(phx_context *context, phx_arena *arena, size_t bytes, size_t unit)
{
    phx_arena_block *block = arena->last;
    size_t at = block ? (block->used + unit - 1) / unit * unit : 0;
    if (!block || block->size < at || block->size - at < bytes) {
        block = memory_add_block(context, arena, bytes);
        if (!block)
            return NULL;
        at = 0;
    }
    block->used = at + bytes;
    return (char *)block->bytes + at;
}

void *phx_arena_calloc(phx_context *context, phx_arena *arena, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2) / size) {
        phx_fail(context, PHX_ERR_MEMORY, "out of memory: %zu items of %zu bytes", count, size);
        return NULL;
    }
    return memory_take(context, arena, count * size, sizeof(max_align_t));
}

/* Texts follow each other byte by byte: most are short. */
char *phx_arena_text(phx_context *context, phx_arena *arena, const char *text, size_t length)
{
    char *copy = memory_take(context, arena, length + 1, 1);
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

void phx_arena_free(phx_arena *arena)
{
    while (arena->last) {
        phx_arena_block *previous = arena->last->previous;
        phx_free(arena->last);
        arena->last = previous;
    }
}

static bool reserve(phx_text *text, size_t more)
{
    if (text->length + more + 1 <= text->capacity)
        return true;
    size_t capacity = 2 * (text->length + more + 1);
    char *grown = phx_realloc(text->context, text->text, capacity, 1);
    if (!grown) {
        text->failed = true;
        return false;
    }
    text->text = grown;
    text->capacity = capacity;
    return true;
}

void phx_text_add(phx_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (text->failed || length < 0 || !reserve(text, (size_t)length))
        return;
    va_start(args, format);
    vsnprintf(text->text + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
}
