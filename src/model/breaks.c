/* Times at which a signal or its first derivative jumps, found in the text of its expression. */
#include "expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct finder {
    phx_evaluator *evaluator;
    const phx_expression *expression;
    double *breaks;
    int n;
    phx_status status; /* of the first evaluation that had no memory */
} finder;

/* A range of tokens [first, last). */
typedef struct range {
    int first, last;
} range;

/* False when the range is empty or uses s. */
static bool depends_on_time_only(const phx_expression *x, range r)
{
    for (int i = r.first; i < r.last; i++)
        if (x->tokens[i].kind == PHX_TOKEN_NAME && phx_token_is(x, &x->tokens[i], "s"))
            return false;
    return r.first < r.last;
}

/* The root of left(t) - right(t) (right may be empty) when that is affine in t. */
static void add_root(finder *f, range left, range right)
{
    char a[PHX_EXPRESSION_MAX + 1], b[PHX_EXPRESSION_MAX + 1] = "0", text[2 * PHX_EXPRESSION_MAX + 32];
    const phx_expression *x = f->expression;
    if (!depends_on_time_only(x, left) || !phx_expression_render(x, left.first, left.last, a, sizeof a))
        return;
    if (right.first < right.last &&
        (!depends_on_time_only(x, right) || !phx_expression_render(x, right.first, right.last, b, sizeof b)))
        return;
    snprintf(text, sizeof text, "(%s)-(%s)", a, b);
    double d[4];
    for (int k = 0; k < 4 && !f->status; k++)
        f->status = phx_evaluator_probe(f->evaluator, text, k, &d[k]);
    if (f->status)
        return;
    double slope = d[1] - d[0], size = fabs(d[0]) + fabs(d[1]) + fabs(d[2]) + fabs(d[3]);
    double bend = fabs(d[2] - 2.0 * d[1] + d[0]) + fabs(d[3] - 2.0 * d[2] + d[1]);
    if (!isfinite(size) || bend > 1e-13 * size || fabs(slope) <= 1e-13 * size)
        return;
    if (fabs(fabs(slope) - 1.0) <= 1e-13 * size) /* t - c: the root is c to the last digit */
        slope = slope > 0.0 ? 1.0 : -1.0;
    double root = -d[0] / slope;
    if (f->n < PHX_MAX_BREAKS && isfinite(root))
        f->breaks[f->n++] = root == 0.0 ? 0.0 : root;
}

/* Where the operand that ends (or begins) at token `at` begins (ends): up to the bracket around it, a comma or logic.
 */
static int operand_end(const phx_expression *x, int at, int direction)
{
    int i = at + direction;
    while (i >= 0 && i < x->n_tokens) {
        const phx_token *token = &x->tokens[i];
        phx_token_kind inwards = direction > 0 ? PHX_TOKEN_OPEN : PHX_TOKEN_CLOSE;
        phx_token_kind outwards = direction > 0 ? PHX_TOKEN_CLOSE : PHX_TOKEN_OPEN;
        if (token->kind == outwards || token->kind == PHX_TOKEN_COMMA || token->kind == PHX_TOKEN_LOGIC)
            break;
        i = token->kind == inwards ? token->match + direction : i + direction;
    }
    return i;
}

static void add_comparison(finder *f, int at)
{
    range left = {operand_end(f->expression, at, -1) + 1, at};
    range right = {at + 1, operand_end(f->expression, at, 1)};
    add_root(f, left, right);
}

/* The arguments of the function at a token; at most `most`. */
static int arguments_of(const phx_expression *x, int at, range *arguments, int most)
{
    int n = 0, first = at + 2, close = x->tokens[at + 1].match;
    while (n < most && first < close) {
        int i = first;
        while (i < close && x->tokens[i].kind != PHX_TOKEN_COMMA)
            i = x->tokens[i].kind == PHX_TOKEN_OPEN ? x->tokens[i].match + 1 : i + 1;
        arguments[n++] = (range){first, i};
        first = i + 1;
    }
    return n;
}

static void add_function(finder *f, int at)
{
    const phx_token *token = &f->expression->tokens[at];
    range arguments[8], none = {0, 0};
    int n = arguments_of(f->expression, at, arguments, 8);
    const char *name = phx_function_name(token->match);
    if (!strcmp(name, "step") || !strcmp(name, "sign") || !strcmp(name, "abs")) {
        add_root(f, arguments[0], none);
    } else if (!strcmp(name, "ramp")) {
        add_root(f, arguments[0], arguments[1]);
        add_root(f, arguments[0], arguments[2]);
    } else if (!strcmp(name, "min") || !strcmp(name, "max")) {
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                add_root(f, arguments[i], arguments[j]);
    }
}

static int sort_unique(double *x, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
            double swap = x[j];
            x[j] = x[j - 1];
            x[j - 1] = swap;
        }
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!kept || x[i] > x[kept - 1])
            x[kept++] = x[i];
    return kept;
}

phx_status phx_expression_breaks(phx_evaluator *evaluator, double breaks[PHX_MAX_BREAKS], int *count)
{
    finder f = {evaluator, phx_evaluator_expression(evaluator), breaks, 0, PHX_OK};
    for (int i = 0; i < f.expression->n_tokens && f.n < PHX_MAX_BREAKS && !f.status; i++) {
        if (f.expression->tokens[i].kind == PHX_TOKEN_COMPARISON)
            add_comparison(&f, i);
        else if (f.expression->tokens[i].kind == PHX_TOKEN_FUNCTION)
            add_function(&f, i);
    }
    *count = sort_unique(breaks, f.n);
    return f.status;
}
