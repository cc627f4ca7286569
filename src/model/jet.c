/* Value and first two derivatives by t of an expression: the tokens become a program in postfix order, whose operations
 * follow the rules of differentiation, f = (f, f', f''). */
#include "expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum jet_code {
    JET_CONSTANT,
    JET_TIME,
    JET_NEGATE,
    JET_ADD,
    JET_SUBTRACT,
    JET_MULTIPLY,
    JET_DIVIDE,
    JET_POWER,
    JET_COMPARE, /* and logic: by its sign as written */
    JET_FUNCTION
} jet_code;

typedef struct jet_step {
    jet_code code;
    double constant;
    char sign[3]; /* JET_COMPARE: "<", "<=", "==", ... "&&", "||" */
    int function; /* phx_function_name */
    int count;    /* arguments of it */
} jet_step;

struct phx_jet_program {
    int count;
    jet_step step[];
};

/* ---- compiling: by precedence, as the parser of values has it ---- */
typedef struct compiler {
    const phx_evaluator *evaluator;
    const phx_expression *expression;
    phx_jet_program *program;
    int at; /* token */
} compiler;

static const phx_token *next(const compiler *c)
{
    return c->at < c->expression->n_tokens ? &c->expression->tokens[c->at] : NULL;
}

static jet_step *add(compiler *c, jet_code code)
{
    jet_step *step = &c->program->step[c->program->count++];
    *step = (jet_step){.code = code};
    return step;
}

static bool accepts(compiler *c, phx_token_kind kind, const char *text)
{
    const phx_token *token = next(c);
    if (!token || token->kind != kind || !phx_token_is(c->expression, token, text))
        return false;
    c->at++;
    return true;
}

static void expression(compiler *c);

static void function(compiler *c)
{
    const int index = next(c)->match, open = ++c->at, close = c->expression->tokens[open].match;
    int count = 0;
    for (c->at = open + 1; c->at < close; c->at += c->at < close) { /* past the comma */
        expression(c);
        count++;
    }
    c->at = close + 1;
    jet_step *step = add(c, JET_FUNCTION);
    step->function = index;
    step->count = count;
}

static void number(compiler *c, const phx_token *token)
{
    char text[PHX_MAX_IDENTIFIER] = "";
    double value = NAN;
    if (token->length < PHX_MAX_IDENTIFIER)
        memcpy(text, c->expression->text + token->start, (size_t)token->length);
    (void)phx_number_from_text(text, &value);
    add(c, JET_CONSTANT)->constant = value;
}

static void primary(compiler *c)
{
    const phx_token *token = next(c);
    double value;
    if (token->kind == PHX_TOKEN_FUNCTION) {
        function(c);
        return;
    }
    c->at++;
    if (token->kind == PHX_TOKEN_OPEN) {
        expression(c);
        c->at++; /* PHX_TOKEN_CLOSE */
    } else if (token->kind == PHX_TOKEN_NUMBER) {
        number(c, token);
    } else if (phx_evaluator_constant(c->evaluator, token, &value)) {
        add(c, JET_CONSTANT)->constant = value;
    } else {
        add(c, JET_TIME);
    }
}

static void unary(compiler *c);

/* To the right: 2^3^2 = 2^9; and above a sign: -2^2 = -4. */
static void power(compiler *c)
{
    primary(c);
    if (accepts(c, PHX_TOKEN_OPERATOR, "^")) {
        unary(c);
        add(c, JET_POWER);
    }
}

static void unary(compiler *c)
{
    if (accepts(c, PHX_TOKEN_SIGN, "-")) {
        unary(c);
        add(c, JET_NEGATE);
    } else if (accepts(c, PHX_TOKEN_SIGN, "+")) {
        unary(c);
    } else {
        power(c);
    }
}

static void product(compiler *c)
{
    unary(c);
    for (;;) {
        const bool times = accepts(c, PHX_TOKEN_OPERATOR, "*");
        if (!times && !accepts(c, PHX_TOKEN_OPERATOR, "/"))
            return;
        unary(c);
        add(c, times ? JET_MULTIPLY : JET_DIVIDE);
    }
}

static void sum(compiler *c)
{
    product(c);
    for (;;) {
        const bool plus = accepts(c, PHX_TOKEN_OPERATOR, "+");
        if (!plus && !accepts(c, PHX_TOKEN_OPERATOR, "-"))
            return;
        product(c);
        add(c, plus ? JET_ADD : JET_SUBTRACT);
    }
}

static bool find_sign(compiler *c, phx_token_kind kind, int count, const char *const *signs, char sign[3])
{
    for (int k = 0; k < count; k++)
        if (accepts(c, kind, signs[k])) {
            snprintf(sign, 3, "%s", signs[k]);
            return true;
        }
    return false;
}

static void comparison(compiler *c)
{
    static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!="};
    char sign[3] = "";
    sum(c);
    while (find_sign(c, PHX_TOKEN_COMPARISON, 6, signs, sign)) {
        sum(c);
        memcpy(add(c, JET_COMPARE)->sign, sign, sizeof sign);
    }
}

static void conjunction(compiler *c)
{
    comparison(c);
    while (accepts(c, PHX_TOKEN_LOGIC, "&&")) {
        comparison(c);
        memcpy(add(c, JET_COMPARE)->sign, "&&", 3);
    }
}

static void expression(compiler *c)
{
    conjunction(c);
    while (accepts(c, PHX_TOKEN_LOGIC, "||")) {
        conjunction(c);
        memcpy(add(c, JET_COMPARE)->sign, "||", 3);
    }
}

phx_status phx_jet_program_create(const phx_evaluator *evaluator, phx_context *context, phx_jet_program **program)
{
    const phx_expression *tokens = phx_evaluator_expression(evaluator);
    phx_jet_program *made = phx_calloc(context, 1, sizeof *made + (size_t)tokens->n_tokens * sizeof *made->step);
    if (!made)
        return PHX_ERR_MEMORY;
    compiler c = {evaluator, tokens, made, 0};
    expression(&c);
    *program = made;
    return PHX_OK;
}

void phx_jet_program_destroy(phx_jet_program *program)
{
    phx_free(program);
}

/* ---- rules ---- */
/* g(f): (g, g' f', g'' f'^2 + g' f'') */
static void chain(double g, double g1, double g2, double f[3])
{
    const double f1 = f[1];
    f[0] = g;
    f[2] = (f1 == 0.0 ? 0.0 : g2 * f1 * f1) + (f[2] == 0.0 ? 0.0 : g1 * f[2]);
    f[1] = f1 == 0.0 ? 0.0 : g1 * f1;
}

static void multiply(double a[3], const double b[3])
{
    a[2] = a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2];
    a[1] = a[1] * b[0] + a[0] * b[1];
    a[0] *= b[0];
}

static void divide(double a[3], const double b[3])
{
    a[0] /= b[0];
    a[1] = (a[1] - a[0] * b[1]) / b[0];
    a[2] = (a[2] - 2.0 * a[1] * b[1] - a[0] * b[2]) / b[0];
}

static void raise(double a[3], const double b[3])
{
    const double n = b[0], x = a[0], g = pow(x, n);
    if (b[1] == 0.0 && b[2] == 0.0) {
        chain(g, n == 0.0 ? 0.0 : n * pow(x, n - 1.0), n == 0.0 || n == 1.0 ? 0.0 : n * (n - 1.0) * pow(x, n - 2.0), a);
        return;
    }
    double exponent[3] = {b[0], b[1], b[2]}; /* exp(b log a) */
    chain(log(x), 1.0 / x, -1.0 / (x * x), a);
    multiply(exponent, a);
    chain(g, g, g, exponent);
    memcpy(a, exponent, 3 * sizeof *a);
}

static double compare(const char *sign, double a, double b)
{
    switch (sign[0]) {
    case '<':
        return sign[1] ? a <= b : a < b;
    case '>':
        return sign[1] ? a >= b : a > b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '&':
        return a != 0.0 && b != 0.0;
    default:
        return a != 0.0 || b != 0.0;
    }
}

/* Derivatives g', g'' at x of the functions of one argument, whose value is g. */
typedef struct rule {
    const char *name;
    double (*value)(double x);
    void (*derivatives)(double x, double g, double *g1, double *g2);
} rule;

#define RULE(NAME, FIRST, SECOND)                                                                                      \
    static void d_##NAME(double x, double g, double *g1, double *g2)                                                   \
    {                                                                                                                  \
        (void)x;                                                                                                       \
        (void)g;                                                                                                       \
        *g1 = FIRST;                                                                                                   \
        *g2 = SECOND;                                                                                                  \
    }
RULE(sin, cos(x), -g)
RULE(cos, -sin(x), -g)
RULE(tan, 1.0 + g * g, 2.0 * g * (1.0 + g * g))
RULE(asin, 1.0 / sqrt(1.0 - x * x), x / pow(1.0 - x * x, 1.5))
RULE(acos, -1.0 / sqrt(1.0 - x * x), -x / pow(1.0 - x * x, 1.5))
RULE(atan, 1.0 / (1.0 + x * x), -2.0 * x / ((1.0 + x * x) * (1.0 + x * x)))
RULE(sinh, cosh(x), g)
RULE(cosh, sinh(x), g)
RULE(tanh, 1.0 - g * g, -2.0 * g * (1.0 - g * g))
RULE(exp, g, g)
RULE(log, 1.0 / x, -1.0 / (x * x))
RULE(sqrt, 0.5 / g, -0.25 / (g * x))
RULE(abs, x >= 0.0 ? 1.0 : -1.0, 0.0)
RULE(step, 0.0, 0.0)
#undef RULE

static double jump(double x)
{
    return x >= 0.0 ? 1.0 : 0.0;
}

static double direction(double x)
{
    return (x > 0.0) - (x < 0.0);
}

static const rule rules[] = {{"sin", sin, d_sin},    {"cos", cos, d_cos},         {"tan", tan, d_tan},
                             {"asin", asin, d_asin}, {"acos", acos, d_acos},      {"atan", atan, d_atan},
                             {"sinh", sinh, d_sinh}, {"cosh", cosh, d_cosh},      {"tanh", tanh, d_tanh},
                             {"exp", exp, d_exp},    {"log", log, d_log},         {"sqrt", sqrt, d_sqrt},
                             {"abs", fabs, d_abs},   {"sign", direction, d_step}, {"step", jump, d_step}};

/* atan2(y, x): (x y' - y x')/(x^2 + y^2) and its derivative. */
static void angle_of(double y[3], const double x[3])
{
    const double r2 = x[0] * x[0] + y[0] * y[0], n1 = x[0] * y[1] - y[0] * x[1], n2 = x[0] * y[2] - y[0] * x[2];
    const double rate = n1 / r2, r2_rate = 2.0 * (x[0] * x[1] + y[0] * y[1]);
    y[0] = atan2(y[0], x[0]);
    y[1] = rate;
    y[2] = (n2 - rate * r2_rate) / r2;
}

/* ramp(t, t0, t1) = p(x), x = (t - t0)/(t1 - t0), p = x^3 (10 - 15 x + 6 x^2). */
static void ramp(double t[3], double t0[3], double t1[3])
{
    if (t[0] >= t1[0] || !(t[0] > t0[0])) {
        t[0] = t[0] >= t1[0] ? 1.0 : 0.0;
        t[1] = t[2] = 0.0;
        return;
    }
    for (int k = 0; k < 3; k++) {
        t[k] -= t0[k];
        t1[k] -= t0[k];
    }
    divide(t, t1);
    const double x = t[0];
    chain(x * x * x * (10.0 + x * (6.0 * x - 15.0)), 30.0 * x * x * (1.0 - x) * (1.0 - x),
          60.0 * x * (1.0 - x) * (1.0 - 2.0 * x), t);
}

static void apply(const jet_step *step, double (*x)[3])
{
    const char *name = phx_function_name(step->function);
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++)
        if (!strcmp(rules[k].name, name)) {
            double g = rules[k].value(x[0][0]), g1, g2;
            rules[k].derivatives(x[0][0], g, &g1, &g2);
            chain(g, g1, g2, x[0]);
            return;
        }
    if (!strcmp(name, "atan2"))
        angle_of(x[0], x[1]);
    else if (!strcmp(name, "ramp"))
        ramp(x[0], x[1], x[2]);
    else /* min, max */
        for (int k = 1; k < step->count; k++)
            if (isnan(x[k][0]) || (name[1] == 'i' ? x[k][0] < x[0][0] : x[k][0] > x[0][0]))
                memcpy(x[0], x[k], sizeof x[0]);
}

/* ---- running ---- */
static void run(const jet_step *step, double t, double (*top)[3], int *used)
{
    double *a, *b;
    switch (step->code) {
    case JET_CONSTANT:
    case JET_TIME:
        a = top[(*used)++];
        a[0] = step->code == JET_TIME ? t : step->constant;
        a[1] = step->code == JET_TIME ? 1.0 : 0.0;
        a[2] = 0.0;
        return;
    case JET_NEGATE:
        for (int k = 0; k < 3; k++)
            top[*used - 1][k] = -top[*used - 1][k];
        return;
    case JET_FUNCTION:
        *used -= step->count;
        apply(step, top + *used);
        *used += 1;
        return;
    default:
        break;
    }
    a = top[*used - 2];
    b = top[--*used];
    if (step->code == JET_ADD || step->code == JET_SUBTRACT) {
        for (int k = 0; k < 3; k++)
            a[k] += step->code == JET_ADD ? b[k] : -b[k];
    } else if (step->code == JET_MULTIPLY) {
        multiply(a, b);
    } else if (step->code == JET_DIVIDE) {
        divide(a, b);
    } else if (step->code == JET_POWER) {
        raise(a, b);
    } else {
        a[0] = compare(step->sign, a[0], b[0]);
        a[1] = a[2] = 0.0;
    }
}

void phx_jet_program_value(const phx_jet_program *program, double t, double jet[3])
{
    double stack[PHX_EXPRESSION_MAX / 2 + 2][3];
    int used = 0;
    for (int i = 0; i < program->count; i++)
        run(&program->step[i], t, stack, &used);
    memcpy(jet, stack[0], 3 * sizeof *jet);
}
