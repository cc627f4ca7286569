/* The struct of a compiled expression; private to the layer base. */
#ifndef PHX_BASE_PROGRAM_H
#define PHX_BASE_PROGRAM_H

#include "base/base.h"

/* A step of the code. PHX_PROGRAM_NUMBER: `number` is pushed; PHX_PROGRAM_VARIABLE: variable `at`;
 * PHX_PROGRAM_PARAMETER: parameter `at`, which was `number` when the breaks of the signal were found; PHX_PROGRAM_CALL:
 * function `at` of `count` values; the others are operators.
 */
typedef struct phx_instruction {
    int operation, at, count;
    double number;
} phx_instruction;

struct phx_program {
    phx_context *context;
    int n, capacity;
    phx_instruction *code;
    int depth;     /* of the stack after the last step */
    double *stack; /* capacity_stack values with room for two derivatives each */
    int capacity_stack;
    const double *parameters; /* borrowed; NULL: none is named */
};

enum { PHX_PROGRAM_MOST_ARGUMENTS = 32 };

/* Whether parameters have other values than when they were noted last, which is first when the program is made. */
bool phx_program_has_changed(const phx_program *program);
void phx_program_note_parameters(phx_program *program);

/* x operation y; f(x[0], ..) of a call. */
double phx_instruction_operate(int operation, double x, double y);
double phx_instruction_call(const phx_instruction *call, const double *x);

#endif
