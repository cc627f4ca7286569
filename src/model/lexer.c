/* Tokens and grammar of expressions. */
#include "expression.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An open bracket: its token, the function it belongs to (-1: none), its arguments so far, and whether the argument
 * has a comparison already. */
typedef struct frame {
    int open, function, arguments;
    bool compared;
} frame;

typedef struct scanner {
    phx_expression *expression;
    const char *text;
    int at;
    bool after_value; /* an operator may follow, not a value */
    frame frames[PHX_EXPRESSION_MAX_DEPTH + 1];
    int depth; /* frames[0] is the expression itself */
} scanner;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool phx_is_identifier(const char *text)
{
    if (!is_letter(*text))
        return false;
    while (is_letter(*text) || is_digit(*text))
        text++;
    return !*text;
}

bool phx_expression_fail(phx_expression *expression, int at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(expression->error, sizeof expression->error, format, args);
    va_end(args);
    expression->error_at = at;
    return false;
}

static void copy_token(const phx_expression *expression, const phx_token *token, char *copy, size_t size)
{
    size_t n = (size_t)token->length < size ? (size_t)token->length : size - 1;
    memcpy(copy, expression->text + token->start, n);
    copy[n] = 0;
}

bool phx_token_is(const phx_expression *expression, const phx_token *token, const char *text)
{
    return strlen(text) == (size_t)token->length && !strncmp(expression->text + token->start, text, strlen(text));
}

static phx_token *add_token(scanner *s, phx_token_kind kind, int length)
{
    phx_expression *e = s->expression;
    phx_token *token = &e->tokens[e->n_tokens++];
    *token = (phx_token){kind, s->at, length, -1};
    s->at += length;
    return token;
}

static int find_function(const phx_expression *e, const phx_token *token)
{
    for (int k = 0; phx_function_name(k); k++)
        if (phx_token_is(e, token, phx_function_name(k)))
            return k;
    return -1;
}

static bool fail_function(phx_expression *e, const phx_token *token)
{
    char name[80];
    copy_token(e, token, name, sizeof name);
    phx_nearest nearest = phx_nearest_to(name);
    for (int k = 0; phx_function_name(k); k++)
        phx_nearest_offer(&nearest, phx_function_name(k));
    return phx_expression_fail(e, token->start, "unknown function %s%s", phx_shown_text(name).text,
                               phx_nearest_hint(&nearest).text);
}

/* The length of an index "[12]", a whole number from 1; 0 if it is none. */
static int index_length(const char *text)
{
    int n = 1;
    while (is_digit(text[n]))
        n++;
    return n > 1 && text[1] != '0' && text[n] == ']' ? n + 1 : 0;
}

/* Reads a name, with its index if it is an entry of a list; with a bracket after it, a function, which must exist. */
static bool scan_name(scanner *s)
{
    phx_expression *e = s->expression;
    int n = 0;
    while (is_letter(s->text[s->at + n]) || is_digit(s->text[s->at + n]))
        n++;
    if (s->text[s->at + n] == '[') {
        const char *index = s->text + s->at + n;
        if (!index_length(index))
            return phx_expression_fail(e, s->at + n,
                                       "found '%.*s' where an index is expected: a whole number from 1, as in h[3]",
                                       (int)strcspn(index, "]") + (strchr(index, ']') != NULL), index);
        n += index_length(index);
    }
    phx_token *token = add_token(s, PHX_TOKEN_NAME, n);
    while (s->text[s->at] == ' ' || s->text[s->at] == '\t' || s->text[s->at] == '\n')
        s->at++;
    if (s->text[s->at] != '(') {
        s->after_value = true;
        return true;
    }
    token->kind = PHX_TOKEN_FUNCTION;
    token->match = find_function(e, token);
    return token->match >= 0 || fail_function(e, token);
}

static bool scan_open(scanner *s)
{
    phx_expression *e = s->expression;
    if (s->depth == PHX_EXPRESSION_MAX_DEPTH)
        return phx_expression_fail(e, s->at, "brackets are nested too deeply, more than %d", PHX_EXPRESSION_MAX_DEPTH);
    const phx_token *before = e->n_tokens ? &e->tokens[e->n_tokens - 1] : NULL;
    int function = before && before->kind == PHX_TOKEN_FUNCTION ? before->match : -1;
    s->frames[++s->depth] = (frame){e->n_tokens, function, 1, false};
    add_token(s, PHX_TOKEN_OPEN, 1);
    return true;
}

/* Reads a number, name, bracket or sign where a value is expected; false with the place and the text found. */
static bool scan_value(scanner *s)
{
    phx_expression *e = s->expression;
    const char *text = s->text + s->at;
    int n = phx_number_length(text);
    if (n) {
        add_token(s, PHX_TOKEN_NUMBER, n);
        s->after_value = true;
        return true;
    }
    if (is_letter(*text))
        return scan_name(s);
    if (*text == '(')
        return scan_open(s);
    const phx_token *before = e->n_tokens ? &e->tokens[e->n_tokens - 1] : NULL;
    if ((*text == '-' || *text == '+') && !(before && before->kind == PHX_TOKEN_SIGN)) {
        add_token(s, PHX_TOKEN_SIGN, 1);
        return true;
    }
    if (*text == '.' && is_letter(text[1])) /* YAML's .nan and .inf */
        return phx_expression_fail(e, s->at, "%s is not finite; a finite number is expected",
                                   phx_shown_text(text).text);
    if (!*text)
        return phx_expression_fail(
            e, s->at, e->n_tokens ? "the expression ends where a value is expected" : "an empty expression");
    return phx_expression_fail(e, s->at, "found %s where a value is expected", phx_shown_text(text).text);
}

/* Closes a bracket and checks the number of arguments if it is a function's. */
static bool scan_close(scanner *s)
{
    phx_expression *e = s->expression;
    if (!s->depth)
        return phx_expression_fail(e, s->at, "a closing bracket without an opening one");
    frame top = s->frames[s->depth--];
    if (top.function >= 0) {
        int least, most;
        phx_function_arity(top.function, &least, &most);
        if (top.arguments < least || top.arguments > most)
            return phx_expression_fail(e, e->tokens[top.open].start, "'%s' takes %d%s argument%s, found %d",
                                       phx_function_name(top.function), least, most > least ? " or more" : "",
                                       most > 1 ? "s" : "", top.arguments);
    }
    e->tokens[top.open].match = e->n_tokens;
    add_token(s, PHX_TOKEN_CLOSE, 1)->match = top.open;
    return true;
}

static bool scan_comparison(scanner *s, int length)
{
    frame *top = &s->frames[s->depth];
    if (top->compared)
        return phx_expression_fail(s->expression, s->at, "a comparison of a comparison; use brackets and '*' or '&&'");
    top->compared = true;
    add_token(s, PHX_TOKEN_COMPARISON, length);
    s->after_value = false;
    return true;
}

/* Reads an operator, comparison, comma or closing bracket after a value; false with the place and the text found. */
static bool scan_operator(scanner *s)
{
    static const char *const comparisons[] = {"<=", ">=", "==", "!=", "<", ">"};
    phx_expression *e = s->expression;
    const char *text = s->text + s->at;
    frame *top = &s->frames[s->depth];
    if (*text == ')')
        return scan_close(s);
    for (size_t k = 0; k < sizeof comparisons / sizeof comparisons[0]; k++)
        if (!strncmp(text, comparisons[k], strlen(comparisons[k])))
            return scan_comparison(s, (int)strlen(comparisons[k]));
    s->after_value = false;
    if (!strncmp(text, "&&", 2) || !strncmp(text, "||", 2)) {
        top->compared = false;
        add_token(s, PHX_TOKEN_LOGIC, 2);
        return true;
    }
    if (*text && strchr("+-*/^", *text)) {
        add_token(s, PHX_TOKEN_OPERATOR, 1);
        return true;
    }
    if (*text == ',' && top->function >= 0) {
        top->arguments++;
        top->compared = false;
        add_token(s, PHX_TOKEN_COMMA, 1);
        return true;
    }
    if (*text == ',')
        return phx_expression_fail(e, s->at, "a comma outside the arguments of a function; decimals have a point");
    return phx_expression_fail(e, s->at, "found %s where an operator is expected", phx_shown_text(text).text);
}

/* Splits the text into tokens, values and operators alternately, with matching brackets; false with message and
 * place. */
bool phx_expression_scan(phx_expression *expression, const char *text)
{
    scanner s = {.expression = expression, .text = text, .frames = {{-1, -1, 1, false}}};
    expression->text = text;
    expression->n_tokens = 0;
    expression->error[0] = 0;
    expression->error_at = 0;
    if (strlen(text) > PHX_EXPRESSION_MAX)
        return phx_expression_fail(expression, 0, "an expression of more than %d characters", PHX_EXPRESSION_MAX);
    for (;;) {
        while (text[s.at] == ' ' || text[s.at] == '\t' || text[s.at] == '\n')
            s.at++;
        if (!text[s.at] && s.after_value)
            break;
        if (!(s.after_value ? scan_operator(&s) : scan_value(&s)))
            return false;
    }
    if (s.depth)
        return phx_expression_fail(expression, expression->tokens[s.frames[s.depth].open].start,
                                   "this bracket is not closed");
    return true;
}
