/* Phlexor, layer model, private: values of expressions that were evaluated before. */
#ifndef PHLEXOR_MODEL_MEMO_H
#define PHLEXOR_MODEL_MEMO_H

#include "memory.h"
#include "words.h"

/* By their text. A value is valid as long as the parameters that the text names have the values they had. */
typedef struct phx_memo phx_memo;

enum { PHX_MEMO_NAMES = 8 }; /* expressions with more parameters are not kept */
typedef struct phx_memo_parameter {
    const char *name;
    double value;
} phx_memo_parameter;

/* Value of the parameter `name` now; false when it has none. */
typedef bool phx_memo_look_up(const void *data, const char *name, double *value);

phx_status phx_memo_create(phx_context *context, phx_memo **memo);
void phx_memo_destroy(phx_memo *memo);
/* False when the text is not known or one of its parameters has another value by now. */
bool phx_memo_find(const phx_memo *memo, const char *text, phx_memo_look_up *look_up, const void *data, double *value);
/* Everything is copied. A memo that is full keeps what it has. */
phx_status phx_memo_keep(phx_context *context, phx_memo *memo, const char *text, int count,
                         const phx_memo_parameter *parameters, double value);

#endif
