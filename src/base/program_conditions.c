/* Conditions of a compiled expression: numbers whose sign decides which piece of the expression holds. */
#include "program.h"

#include <math.h>
#include <string.h>

/* A value on the stack, and whether another variable than the first, or a parameter, has a part in it. */
typedef struct entry {
    double value;
    double other, parameter; /* 0 or 1; the stack has room for three numbers */
} entry;

/* The list of conditions that is being made. */
typedef struct list {
    int most, n;
    double *condition;
    bool move; /* one of them follows a parameter */
} list;

static void program_conditions_add(list *names, entry x, entry y)
{
    if (names->n < names->most)
        names->condition[names->n] = x.other + y.other > 0.0 ? NAN : x.value - y.value;
    names->n++;
    names->move = names->move || x.parameter + y.parameter > 0.0;
}

/* Lists the differences at whose zeros a call changes its branch: argument of abs, sign and step, ends of a ramp,
 * pairs of min and max. */
static void add_call(list *names, const phx_instruction *call, const entry *x)
{
    static const entry zero = {0};
    const char *name = phx_function_name(call->at);

    if (!strcmp(name, "abs") || !strcmp(name, "sign") || !strcmp(name, "step")) {
        program_conditions_add(names, x[0], zero);
    } else if (!strcmp(name, "ramp")) {
        program_conditions_add(names, x[0], x[1]);
        program_conditions_add(names, x[0], x[2]);
    } else if (!strcmp(name, "min") || !strcmp(name, "max")) {
        for (int i = 0; i < call->count; i++)
            for (int j = i + 1; j < call->count; j++)
                program_conditions_add(names, x[i], x[j]);
    }
}

static bool compares(int operation)
{
    return operation >= PHX_PROGRAM_LESS && operation <= PHX_PROGRAM_NOT_EQUAL;
}

/* Runs the program at given variables and lists all its switching conditions, with marks whether they depend on other
 * variables or on parameters. Calls with too many arguments empty the list. */
static void list_conditions(const phx_program *program, const double *variables, list *conditions)
{
    entry *top = (entry *)(void *)program->stack; /* one behind the last value */
    double x[PHX_PROGRAM_MOST_ARGUMENTS];

    for (const phx_instruction *instruction = program->code; instruction < program->code + program->n; instruction++)
        switch (instruction->operation) {
        case PHX_PROGRAM_NUMBER:
            *top++ = (entry){instruction->number, 0.0, 0.0};
            break;
        case PHX_PROGRAM_VARIABLE:
            *top++ = (entry){variables[instruction->at], instruction->at > 0, 0.0};
            break;
        case PHX_PROGRAM_PARAMETER:
            *top++ = (entry){program->parameters[instruction->at], 0.0, 1.0};
            break;
        case PHX_PROGRAM_NEGATE:
            top[-1].value = -top[-1].value;
            break;
        case PHX_PROGRAM_CALL:
            if (instruction->count > PHX_PROGRAM_MOST_ARGUMENTS) {
                conditions->n = 0;
                return;
            }
            top -= instruction->count;
            add_call(conditions, instruction, top);
            for (int k = 0; k < instruction->count; k++) {
                x[k] = top[k].value;
                top[0].other = fmax(top[0].other, top[k].other);
                top[0].parameter = fmax(top[0].parameter, top[k].parameter);
            }
            top[0].value = phx_instruction_call(instruction, x);
            top++;
            break;
        default:
            top--;
            if (compares(instruction->operation))
                program_conditions_add(conditions, top[-1], top[0]);
            top[-1].value = phx_instruction_operate(instruction->operation, top[-1].value, top[0].value);
            top[-1].other = fmax(top[-1].other, top[0].other);
            top[-1].parameter = fmax(top[-1].parameter, top[0].parameter);
        }
}

int phx_program_conditions(const phx_program *program, const double *variables, int most, double *condition)
{
    list conditions = {.most = most, .condition = condition};

    list_conditions(program, variables, &conditions);
    return conditions.n;
}

bool phx_program_conditions_move(const phx_program *program)
{
    const double variables[] = {0.0, 0.0};
    list conditions = {0};

    list_conditions(program, variables, &conditions);
    return conditions.n > 0 && conditions.move;
}

/* ---- roots of affine conditions ---- */
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

/* The root of a condition with these values at t = 0, 1, 2, 3, NaN: it is no affine function of t. */
static double affine_root(const double d[4])
{
    static const double ROUNDING = 1e-13; /* relative to the sum of the values */
    double slope = d[1] - d[0], size = fabs(d[0]) + fabs(d[1]) + fabs(d[2]) + fabs(d[3]);
    const double bend = fabs(d[2] - 2.0 * d[1] + d[0]) + fabs(d[3] - 2.0 * d[2] + d[1]);

    if (!isfinite(size) || bend > ROUNDING * size || fabs(slope) <= ROUNDING * size)
        return NAN;
    if (fabs(fabs(slope) - 1.0) <= ROUNDING * size) /* t - c: the root is c to the last digit */
        slope = slope > 0.0 ? 1.0 : -1.0;
    return -d[0] / slope;
}

/* Finds the times at which conditions that are affine in time change their sign, ascending and without repetitions;
 * returns their number. */
int phx_program_breaks(const phx_program *program, double breaks[PHX_PROGRAM_MOST_BREAKS])
{
    enum { MOST = 256, TIMES = 4 };
    double condition[TIMES][MOST];
    int count = 0, n = 0;

    for (int k = 0; k < TIMES; k++)
        count = phx_program_conditions(program, (const double[]){k, 0.0}, MOST, condition[k]);
    for (int i = 0; i < count && i < MOST && n < PHX_PROGRAM_MOST_BREAKS; i++) {
        const double root =
            affine_root((const double[]){condition[0][i], condition[1][i], condition[2][i], condition[3][i]});
        if (isfinite(root))
            breaks[n++] = root == 0.0 ? 0.0 : root;
    }
    return sort_unique(breaks, n);
}
