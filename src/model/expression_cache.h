/* Phlexor, layer model, private: values of expressions that were evaluated before. */
#ifndef PHLEXOR_MODEL_EXPRESSION_CACHE_H
#define PHLEXOR_MODEL_EXPRESSION_CACHE_H

#include "memory.h"
#include "words.h"

/* By their text. A value is valid as long as the parameters that the text names have the values they had. */
typedef struct phx_expression_cache phx_expression_cache;

enum { PHX_EXPRESSION_CACHE_NAMES = 8 }; /* expressions with more parameters are not kept */
typedef struct phx_expression_cache_parameter {
    const char *name;
    double value;
} phx_expression_cache_parameter;

/* Value of the parameter `name` now; false when it has none. */
typedef bool phx_expression_cache_look_up(const void *data, const char *name, double *value);

phx_status phx_expression_cache_create(phx_context *context, phx_expression_cache **cache);
void phx_expression_cache_destroy(phx_expression_cache *cache);
/* False when the text is not known or one of its parameters has another value by now. */
bool phx_expression_cache_find(const phx_expression_cache *cache, const char *text,
                               phx_expression_cache_look_up *look_up, const void *data, double *value);
/* Everything is copied. A cache that is full keeps what it has. */
phx_status phx_expression_cache_keep(phx_context *context, phx_expression_cache *cache, const char *text, int count,
                                     const phx_expression_cache_parameter *parameters, double value);

#endif
