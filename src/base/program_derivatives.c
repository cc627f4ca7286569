/* Value and first two derivatives of a compiled expression by one of its variables: every step of the code follows the
 * rules of differentiation, f = (f, f', f''). */
#include "program.h"

#include <math.h>
#include <string.h>

/* g(f): (g, g' f', g'' f'^2 + g' f'') */
static void chain(double g, double g1, double g2, double f[3])
{
    const double f1 = f[1];
    f[0] = g;
    f[2] = (f1 == 0.0 ? 0.0 : g2 * f1 * f1) + (f[2] == 0.0 ? 0.0 : g1 * f[2]);
    f[1] = f1 == 0.0 ? 0.0 : g1 * f1;
}

static void program_derivatives_multiply(double a[3], const double b[3])
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
    program_derivatives_multiply(exponent, a);
    chain(g, g, g, exponent);
    memcpy(a, exponent, 3 * sizeof *a);
}

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

/* g', g'' at x of a function of one value, which is g there. */
static const struct {
    const char *name;
    void (*derivatives)(double x, double g, double *g1, double *g2);
} rules[] = {{"sin", d_sin},   {"cos", d_cos},   {"tan", d_tan},   {"asin", d_asin}, {"acos", d_acos},
             {"atan", d_atan}, {"sinh", d_sinh}, {"cosh", d_cosh}, {"tanh", d_tanh}, {"exp", d_exp},
             {"log", d_log},   {"sqrt", d_sqrt}, {"abs", d_abs},   {"sign", d_step}, {"step", d_step}};

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

/* Applies a function to arguments with first and second derivatives and leaves the result in x[0], by the chain rule
 * or the branch taken. */
static void call(const phx_instruction *instruction, double (*x)[3])
{
    const char *name = phx_function_name(instruction->at);
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++)
        if (!strcmp(rules[k].name, name)) {
            const double g = phx_instruction_call(instruction, x[0]);
            double g1, g2;
            rules[k].derivatives(x[0][0], g, &g1, &g2);
            chain(g, g1, g2, x[0]);
            return;
        }
    if (!strcmp(name, "atan2"))
        angle_of(x[0], x[1]);
    else if (!strcmp(name, "ramp"))
        ramp(x[0], x[1], x[2]);
    else /* min, max */
        for (int k = 1; k < instruction->count; k++)
            if (isnan(x[k][0]) || (name[1] == 'i' ? x[k][0] < x[0][0] : x[k][0] > x[0][0]))
                memcpy(x[0], x[k], sizeof x[0]);
}

/* a becomes a operation b; comparisons and logic are steps, whose derivatives are 0. */
static void operate(int operation, double a[3], const double b[3])
{
    switch (operation) {
    case PHX_PROGRAM_ADD:
    case PHX_PROGRAM_SUBTRACT:
        for (int k = 0; k < 3; k++)
            a[k] += operation == PHX_PROGRAM_ADD ? b[k] : -b[k];
        break;
    case PHX_PROGRAM_MULTIPLY:
        program_derivatives_multiply(a, b);
        break;
    case PHX_PROGRAM_DIVIDE:
        divide(a, b);
        break;
    case PHX_PROGRAM_POWER:
        raise(a, b);
        break;
    default:
        a[0] = phx_instruction_operate(operation, a[0], b[0]);
        a[1] = a[2] = 0.0;
    }
}

/* ---- running ---- */
void phx_program_partial(const phx_program *program, int variable, const double *variables, double jet[3])
{
    double(*top)[3] = (double(*)[3])program->stack; /* one behind the last value */

    for (const phx_instruction *instruction = program->code; instruction < program->code + program->n; instruction++)
        switch (instruction->operation) {
        case PHX_PROGRAM_NUMBER:
        case PHX_PROGRAM_VARIABLE:
        case PHX_PROGRAM_PARAMETER:
            (*top)[0] = instruction->operation == PHX_PROGRAM_NUMBER     ? instruction->number
                        : instruction->operation == PHX_PROGRAM_VARIABLE ? variables[instruction->at]
                                                                         : program->parameters[instruction->at];
            (*top)[1] = instruction->operation == PHX_PROGRAM_VARIABLE && instruction->at == variable ? 1.0 : 0.0;
            (*top)[2] = 0.0;
            top++;
            break;
        case PHX_PROGRAM_NEGATE:
            for (int k = 0; k < 3; k++)
                top[-1][k] = -top[-1][k];
            break;
        case PHX_PROGRAM_CALL:
            top -= instruction->count;
            call(instruction, top);
            top++;
            break;
        default:
            top--;
            operate(instruction->operation, top[-1], top[0]);
        }
    memcpy(jet, program->stack, 3 * sizeof *jet);
}

void phx_program_derivatives(const phx_program *program, const double *variables, double jet[3])
{
    phx_program_partial(program, 0, variables, jet);
}
