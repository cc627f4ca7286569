/* From the tokens of an expression to a program. Operators bind, weakest first:
 *
 *     ||    &&    comparisons    + -    * /    a sign    ^, from the right */
#include "expression.h"

#include <string.h>

typedef struct compiler {
    const phx_expression *expression;
    phx_expression_name_fn *name;
    const void *data;
    phx_program *program;
    int at; /* the next token */
} compiler;

/* A binary operator: how it is written, how strongly it binds, whether from the right. */
typedef struct binary {
    const char *text;
    phx_program_operation operation;
    int strength;
    bool from_right;
} binary;

enum { WEAKEST = 1, SIGN = 6, POWER = 7 };
static const binary operators[] = {
    {"||", PHX_PROGRAM_OR, 1, false},         {"&&", PHX_PROGRAM_AND, 2, false},
    {"<=", PHX_PROGRAM_LESS_EQUAL, 3, false}, {">=", PHX_PROGRAM_GREATER_EQUAL, 3, false},
    {"<", PHX_PROGRAM_LESS, 3, false},        {">", PHX_PROGRAM_GREATER, 3, false},
    {"==", PHX_PROGRAM_EQUAL, 3, false},      {"!=", PHX_PROGRAM_NOT_EQUAL, 3, false},
    {"+", PHX_PROGRAM_ADD, 4, false},         {"-", PHX_PROGRAM_SUBTRACT, 4, false},
    {"*", PHX_PROGRAM_MULTIPLY, 5, false},    {"/", PHX_PROGRAM_DIVIDE, 5, false},
    {"^", PHX_PROGRAM_POWER, POWER, true},
};

static const phx_token *next(const compiler *c)
{
    return c->at < c->expression->n_tokens ? &c->expression->tokens[c->at] : NULL;
}

/* The operator that comes next; NULL: none does. */
static const binary *next_operator(const compiler *c)
{
    const phx_token *token = next(c);

    if (!token ||
        (token->kind != PHX_TOKEN_OPERATOR && token->kind != PHX_TOKEN_COMPARISON && token->kind != PHX_TOKEN_LOGIC))
        return NULL;
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++)
        if (phx_token_is(c->expression, token, operators[k].text))
            return &operators[k];
    return NULL;
}

static phx_status compile(compiler *c, int strength);

static phx_status compile_number(compiler *c, const phx_token *token)
{
    char copy[PHX_EXPRESSION_MAX_NUMBER + 1];
    double value = 0.0;

    memcpy(copy, c->expression->text + token->start, (size_t)token->length);
    copy[token->length] = '\0';
    (void)phx_number_from_text(copy, &value); /* checked before */
    return phx_program_number(c->program, value);
}

static phx_status compile_call(compiler *c, const phx_token *token)
{
    phx_status status = PHX_OK;
    int count = 0;

    do {
        c->at++; /* the bracket, or a comma */
        status = compile(c, WEAKEST);
        count++;
    } while (!status && next(c)->kind == PHX_TOKEN_COMMA);
    c->at++;
    return status ? status : phx_program_call(c->program, token->match, count);
}

/* A number, a name, a call, what stands in brackets or behind a sign. */
static phx_status compile_value(compiler *c)
{
    const phx_token *token = next(c);
    phx_status status = PHX_OK;

    c->at++;
    switch (token->kind) {
    case PHX_TOKEN_NUMBER:
        return compile_number(c, token);
    case PHX_TOKEN_NAME:
        return c->name(c->data, token, c->program);
    case PHX_TOKEN_FUNCTION:
        return compile_call(c, token);
    case PHX_TOKEN_SIGN:
        status = compile(c, SIGN);
        if (!status && phx_token_is(c->expression, token, "-"))
            status = phx_program_operate(c->program, PHX_PROGRAM_NEGATE);
        return status;
    default: /* a bracket */
        status = compile(c, WEAKEST);
        c->at++;
        return status;
    }
}

/* A value and the operators behind it that bind so strongly. */
static phx_status compile(compiler *c, int strength)
{
    phx_status status = compile_value(c);

    for (const binary *file = next_operator(c); !status && file && file->strength >= strength;
         file = next_operator(c)) {
        c->at++;
        status = compile(c, file->from_right ? file->strength : file->strength + 1);
        if (!status)
            status = phx_program_operate(c->program, file->operation);
    }
    return status;
}

phx_status phx_expression_compile_on(const phx_expression *expression, phx_expression_name_fn *name, const void *data,
                                     phx_program *program)
{
    compiler c = {.expression = expression, .name = name, .data = data, .program = program};

    return compile(&c, WEAKEST);
}

/* Compiles an expression into a new program; names are resolved by the callback. *program is set only on success. */
phx_status phx_expression_compile(phx_context *context, const phx_expression *expression, phx_expression_name_fn *name,
                                  const void *data, phx_program **program)
{
    phx_program *made = NULL;
    phx_status status = phx_program_create(context, &made);

    if (!status)
        status = phx_expression_compile_on(expression, name, data, made);
    if (status) {
        phx_program_destroy(made);
        return status;
    }
    *program = made;
    return PHX_OK;
}
