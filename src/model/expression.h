/* Phlexor, layer model, private: arithmetic expressions.
 *
 * A text is checked token by token, so that every message names the place, then compiled to a phx_program. */
#ifndef PHLEXOR_MODEL_EXPRESSION_H
#define PHLEXOR_MODEL_EXPRESSION_H

#include "words.h"

/* ---- tokens ---- */
typedef enum phx_token_kind {
    PHX_TOKEN_NUMBER,
    PHX_TOKEN_NAME,     /* pi, deg, t, s or a parameter, h[3] too */
    PHX_TOKEN_FUNCTION, /* always followed by PHX_TOKEN_OPEN */
    PHX_TOKEN_SIGN,     /* + - before a value */
    PHX_TOKEN_OPERATOR, /* + - * / ^ between values */
    PHX_TOKEN_COMPARISON,
    PHX_TOKEN_LOGIC, /* && || */
    PHX_TOKEN_OPEN,
    PHX_TOKEN_CLOSE,
    PHX_TOKEN_COMMA
} phx_token_kind;

typedef struct phx_token {
    phx_token_kind kind;
    int start, length; /* in the text */
    int match;         /* OPEN, CLOSE: index of its partner; FUNCTION: index in phx_function_name */
} phx_token;

enum { PHX_MAX_MEASURE_NAME = 200 };
enum {
    PHX_EXPRESSION_MAX = 2000,
    PHX_EXPRESSION_MAX_NUMBER = 60,
    PHX_EXPRESSION_MAX_DEPTH = 64,
    PHX_MAX_IDENTIFIER = 64,
    PHX_MAX_PARAMETERS = 100000,               /* of a model */
    PHX_MAX_PARAMETER = PHX_MAX_IDENTIFIER + 8 /* characters: a name, of an entry of a list with "[100000]" */
};

typedef struct phx_expression {
    const char *text;
    int n_tokens;
    phx_token tokens[PHX_EXPRESSION_MAX + 1];
    int error_at;    /* place in the text that `error` speaks of */
    char error[400]; /* "" when there is none */
} phx_expression;

/* Split and check. False with error_at and error set when the text is no expression. Names are not looked up. */
bool phx_expression_scan(phx_expression *expression, const char *text);
/* Record an error at a place in the text; returns false. */
bool phx_expression_fail(phx_expression *expression, int at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool phx_token_is(const phx_expression *expression, const phx_token *token, const char *text);

/* A name that an expression can contain: letters, digits and underscores, a letter or underscore first. */
bool phx_is_identifier(const char *text);

/* ---- compilation (compile.c) ---- */
/* Puts what a token of kind PHX_TOKEN_NAME means on the program. */
typedef phx_status phx_expression_name_fn(const void *data, const phx_token *token, phx_program *program);
/* The program of what has been scanned, whose names all mean something. */
phx_status phx_expression_compile(phx_context *context, const phx_expression *expression, phx_expression_name_fn *name,
                                  const void *data, phx_program **program);
/* The same, put on a program. */
phx_status phx_expression_compile_on(const phx_expression *expression, phx_expression_name_fn *name, const void *data,
                                     phx_program *program);

/* ---- values ---- */
/* Evaluates constant expressions with one set of parameters, and makes signals. Not for several threads. */
typedef struct phx_evaluator phx_evaluator;
phx_status phx_evaluator_create(phx_context *context, phx_evaluator **evaluator);
/* Forget the parameters; messages and signals go to `context` from now on. */
void phx_evaluator_begin(phx_evaluator *evaluator, phx_context *context);
void phx_evaluator_destroy(phx_evaluator *evaluator);
/* The parameters an expression may name, borrowed. `known` (NULL: all) marks those that have a value already. */
void phx_evaluator_set_parameters(phx_evaluator *evaluator, const phx_model_parameter *parameters,
                                  const phx_names *names, const bool *known);
/* The expression last looked at: its tokens after phx_evaluator_scan, its error after a failure. */
const phx_expression *phx_evaluator_expression(const phx_evaluator *evaluator);

/* Expressions of time that are made from now on keep these parameters open; borrowed, NULL: none. */
void phx_evaluator_keep_open(phx_evaluator *evaluator, const phx_tunables *tunables);

/* Index of the parameter a token names, -1. */
int phx_evaluator_parameter(const phx_evaluator *evaluator, const phx_token *token);
/* Which of the reserved names an expression may use. */
typedef enum phx_expression_use {
    PHX_USE_CONSTANT,
    PHX_USE_TIME,           /* t */
    PHX_USE_TIME_AND_PLACE, /* t, s */
    PHX_USE_SURFACE,        /* x, y, z */
    PHX_USE_MEASURES,       /* t, and y_ with a letter or digit behind */
    PHX_USE_STROKE,         /* x: signals only, of which it is the argument */
    PHX_USE_RATE            /* v: the same */
} phx_expression_use;
/* Is told of every parameter that an expression names, and of which use it is. */
typedef void phx_parameter_watch_fn(void *user, int parameter, phx_expression_use use);
void phx_evaluator_watch(phx_evaluator *evaluator, phx_parameter_watch_fn *watch, void *user); /* NULL: nobody is */
/* Split, check and look up every name. PHX_ERR_INPUT leaves the error in the expression
 * and nothing in the context. */
phx_status phx_evaluator_scan(phx_evaluator *evaluator, const char *text, phx_expression_use use);
/* Value of a constant expression. Not finite is an error. */
phx_status phx_evaluator_value(phx_evaluator *evaluator, const char *text, double *value);
/* Signal of an expression; a constant one when it names neither t nor s (x, v). Breaks are found where two sides of a
 * comparison, the argument of step, sign or abs, the arguments of min, max, or a ramp and its ends differ by an affine
 * function of t alone: `t >= 15`, `step(2*t - c)`, `ramp(t, t0, t1)`. Those of others (`sin(t) > 0`) are found when it
 * is known between which times (phx_signal_find_breaks). */
phx_status phx_evaluator_signal(phx_evaluator *evaluator, const char *text, phx_expression_use use,
                                phx_signal **signal);

/* ---- functions of a place ---- */
/* An expression of x, y, z as a program of these variables. PHX_ERR_INPUT leaves the error in the expression. */
phx_status phx_evaluator_place_function(phx_evaluator *evaluator, const char *text, phx_program **made);

/* ---- functions of measurements ---- */
enum { PHX_MAX_MEASURES = 62 };
/* An expression of t and y(NAME) of several names. The names, each once, in the order of their first use, go on behind
 * the `count` that are in `names` already; `text` becomes the expression with "y_" and a letter for each, of the same
 * length. False with error_at and error set. */
bool phx_expression_measures(phx_expression *expression, char *text, int *count,
                             char names[PHX_MAX_MEASURES][PHX_MAX_MEASURE_NAME]);
/* The program of such a text, of t and the measurements; as phx_evaluator_place_function. */
phx_status phx_evaluator_measure_function(phx_evaluator *evaluator, const char *text, phx_program **made);

#endif
