/* Phlexor, layer model, private: the expression parser of muParser without its exceptions.
 *
 * muParser's own C interface lets std::bad_alloc through when a parser is made, and takes a failure of setting an
 * expression for success. Here nothing is thrown: each call returns
 *     PHX_ERR_MEMORY  there was no memory for what it does; phx_parser_set begins anew
 *     PHX_ERR_INPUT   muParser refuses the expression
 * and records no message. */
#ifndef PHLEXOR_MODEL_PARSER_H
#define PHLEXOR_MODEL_PARSER_H

#include <phlexor/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct phx_parser phx_parser;
typedef double phx_parser_fn1(double x);
typedef double phx_parser_fn2(double x, double y);
typedef double phx_parser_fn3(double x, double y, double z);
typedef double phx_parser_fn_many(const double *x, int n);

/* A parser that knows the operators and no function, constant or variable. */
phx_status phx_parser_create(phx_parser **parser);
void phx_parser_destroy(phx_parser *parser); /* NULL is allowed */
phx_status phx_parser_clear_constants(phx_parser *parser);
phx_status phx_parser_add_constant(phx_parser *parser, const char *name, double value);
/* `variable` is borrowed and read at each evaluation. */
phx_status phx_parser_add_variable(phx_parser *parser, const char *name, double *variable);
phx_status phx_parser_add_function1(phx_parser *parser, const char *name, phx_parser_fn1 *function);
phx_status phx_parser_add_function2(phx_parser *parser, const char *name, phx_parser_fn2 *function);
phx_status phx_parser_add_function3(phx_parser *parser, const char *name, phx_parser_fn3 *function);
phx_status phx_parser_add_function_many(phx_parser *parser, const char *name, phx_parser_fn_many *function);
/* The expression that is evaluated from now on. */
phx_status phx_parser_set(phx_parser *parser, const char *text);
/* Its value with the variables as they are; NaN after a failure. The first evaluation compiles, later ones allocate
 * nothing. */
phx_status phx_parser_value(phx_parser *parser, double *value);
/* Code and place, counted from 0, of muParser's last refusal. */
int phx_parser_error_code(const phx_parser *parser);
int phx_parser_error_place(const phx_parser *parser);

#ifdef __cplusplus
}
#endif
#endif
