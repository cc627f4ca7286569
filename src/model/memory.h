/* Phlexor, layer model, private: memory that is released at once, and growing texts. */
#ifndef PHLEXOR_MODEL_MEMORY_H
#define PHLEXOR_MODEL_MEMORY_H

#include "base/base.h"

typedef struct phx_arena {
    struct phx_arena_block *last;
} phx_arena;

/* Zeroed memory that lives until phx_arena_free; NULL on failure, with the error recorded. Count 0 gives a pointer. */
void *phx_arena_calloc(phx_context *context, phx_arena *arena, size_t count, size_t size);
/* Copy of `length` bytes with a terminating 0. */
char *phx_arena_text(phx_context *context, phx_arena *arena, const char *text, size_t length);
void phx_arena_free(phx_arena *arena); /* the arena is empty afterwards and can be used again */

/* A growing text. Once an allocation fails `failed` is set and further text is dropped. */
typedef struct phx_text {
    phx_context *context;
    char *text;
    size_t length, capacity;
    bool failed;
} phx_text;
void phx_text_add(phx_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
