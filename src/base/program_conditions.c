/* Conditions of a compiled expression: numbers whose sign decides which piece of the expression holds. */
#include "program.h"

#include <math.h>
#include <string.h>

/* A value on the stack, and whether another variable than the first has a part in it. */
typedef struct entry {
    double value;
    double other; /* 0 or 1; the stack has room for numbers */
} entry;

/* The list of conditions that is being made. */
typedef struct list {
    int most, n;
    double *condition;
} list;

static void add(list *it, entry x, entry y)
{
    if (it->n < it->most)
        it->condition[it->n] = x.other + y.other > 0.0 ? NAN : x.value - y.value;
    it->n++;
}

static void add_call(list *it, const phx_instruction *call, const entry *x)
{
    static const entry zero = {0};
    const char *name = phx_function_name(call->at);

    if (!strcmp(name, "abs") || !strcmp(name, "sign") || !strcmp(name, "step")) {
        add(it, x[0], zero);
    } else if (!strcmp(name, "ramp")) {
        add(it, x[0], x[1]);
        add(it, x[0], x[2]);
    } else if (!strcmp(name, "min") || !strcmp(name, "max")) {
        for (int i = 0; i < call->count; i++)
            for (int j = i + 1; j < call->count; j++)
                add(it, x[i], x[j]);
    }
}

static bool compares(int operation)
{
    return operation >= PHX_PROGRAM_LESS && operation <= PHX_PROGRAM_NOT_EQUAL;
}

int phx_program_conditions(const phx_program *program, const double *variables, int most, double *condition)
{
    entry *top = (entry *)(void *)program->stack; /* one behind the last value */
    double x[PHX_PROGRAM_MOST_ARGUMENTS];
    list conditions = {most, 0, condition};

    for (const phx_instruction *it = program->code; it < program->code + program->n; it++)
        switch (it->operation) {
        case PHX_PROGRAM_NUMBER:
            *top++ = (entry){it->number, 0.0};
            break;
        case PHX_PROGRAM_VARIABLE:
            *top++ = (entry){variables[it->at], it->at > 0};
            break;
        case PHX_PROGRAM_NEGATE:
            top[-1].value = -top[-1].value;
            break;
        case PHX_PROGRAM_CALL:
            if (it->count > PHX_PROGRAM_MOST_ARGUMENTS)
                return 0;
            top -= it->count;
            add_call(&conditions, it, top);
            for (int k = 0; k < it->count; k++) {
                x[k] = top[k].value;
                top[0].other = fmax(top[0].other, top[k].other);
            }
            top[0].value = phx_instruction_call(it, x);
            top++;
            break;
        default:
            top--;
            if (compares(it->operation))
                add(&conditions, top[-1], top[0]);
            top[-1].value = phx_instruction_operate(it->operation, top[-1].value, top[0].value);
            top[-1].other = fmax(top[-1].other, top[0].other);
        }
    return conditions.n;
}
