/* Compiled expressions: postfix code over a stack of numbers. */
#include "program.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- functions ---- */
static double sign(double x)
{
    return (x > 0.0) - (x < 0.0);
}

static double step(double x)
{
    return x >= 0.0 ? 1.0 : 0.0;
}

/* x^3 (10 - 15 x + 6 x^2) on [0, 1]: first and second derivative vanish at both ends. */
static double ramp(double t, double t0, double t1)
{
    if (t >= t1)
        return 1.0;
    if (!(t > t0))
        return 0.0;
    double x = (t - t0) / (t1 - t0);
    return x * x * x * (10.0 + x * (6.0 * x - 15.0));
}

static double smallest(const double *x, int n)
{
    double result = x[0];
    for (int i = 1; i < n; i++)
        result = x[i] < result || isnan(x[i]) ? x[i] : result;
    return result;
}

static double program_largest(const double *x, int n)
{
    double result = x[0];
    for (int i = 1; i < n; i++)
        result = x[i] > result || isnan(x[i]) ? x[i] : result;
    return result;
}

static const struct {
    const char *name;
    double (*one)(double x);
    double (*two)(double x, double y);
    double (*three)(double x, double y, double z);
    double (*many)(const double *x, int n);
} functions[] = {
    {"sin", .one = sin},
    {"cos", .one = cos},
    {"tan", .one = tan},
    {"asin", .one = asin},
    {"acos", .one = acos},
    {"atan", .one = atan},
    {"sinh", .one = sinh},
    {"cosh", .one = cosh},
    {"tanh", .one = tanh},
    {"exp", .one = exp},
    {"log", .one = log},
    {"sqrt", .one = sqrt},
    {"abs", .one = fabs},
    {"sign", .one = sign},
    {"step", .one = step},
    {"atan2", .two = atan2},
    {"ramp", .three = ramp},
    {"min", .many = smallest},
    {"max", .many = program_largest},
};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

const char *phx_function_name(int index)
{
    return index >= 0 && index < N_FUNCTIONS ? functions[index].name : NULL;
}

void phx_function_arity(int index, int *least, int *most)
{
    *least = functions[index].one ? 1 : functions[index].three ? 3 : 2;
    *most = functions[index].many ? INT_MAX : *least;
}

/* ---- the program ---- */
phx_status phx_program_create(phx_context *context, phx_program **program)
{
    *program = phx_calloc(context, 1, sizeof **program);
    if (!*program)
        return PHX_ERR_MEMORY;
    (*program)->context = context;
    return PHX_OK;
}

void phx_program_destroy(phx_program *program)
{
    if (!program)
        return;
    phx_free(program->code);
    phx_free(program->stack);
    phx_free(program);
}

/* Values that a step takes from the stack. */
static int taken(const phx_instruction *instruction)
{
    switch (instruction->operation) {
    case PHX_PROGRAM_NUMBER:
    case PHX_PROGRAM_VARIABLE:
    case PHX_PROGRAM_PARAMETER:
        return 0;
    case PHX_PROGRAM_NEGATE:
        return 1;
    case PHX_PROGRAM_CALL:
        return instruction->count;
    default:
        return 2;
    }
}

/* Result of an operation on two numbers; comparisons give 1 or 0, unknown operations NaN. */
double phx_instruction_operate(int operation, double x, double y)
{
    switch (operation) {
    case PHX_PROGRAM_ADD:
        return x + y;
    case PHX_PROGRAM_SUBTRACT:
        return x - y;
    case PHX_PROGRAM_MULTIPLY:
        return x * y;
    case PHX_PROGRAM_DIVIDE:
        return x / y;
    case PHX_PROGRAM_POWER:
        return pow(x, y);
    case PHX_PROGRAM_LESS:
        return x < y;
    case PHX_PROGRAM_LESS_EQUAL:
        return x <= y;
    case PHX_PROGRAM_GREATER:
        return x > y;
    case PHX_PROGRAM_GREATER_EQUAL:
        return x >= y;
    case PHX_PROGRAM_EQUAL:
        return x == y;
    case PHX_PROGRAM_NOT_EQUAL:
        return x != y;
    case PHX_PROGRAM_AND:
        return x != 0.0 && y != 0.0;
    case PHX_PROGRAM_OR:
        return x != 0.0 || y != 0.0;
    default:
        return NAN;
    }
}

double phx_instruction_call(const phx_instruction *instruction, const double *x)
{
    if (functions[instruction->at].one)
        return functions[instruction->at].one(x[0]);
    if (functions[instruction->at].two)
        return functions[instruction->at].two(x[0], x[1]);
    if (functions[instruction->at].three)
        return functions[instruction->at].three(x[0], x[1], x[2]);
    return functions[instruction->at].many(x, instruction->count);
}

/* The code from `first` on, with an empty stack. */
static double program_run(const phx_program *program, int first, const double *variables)
{
    double *top = program->stack; /* one behind the last value */

    for (int i = first; i < program->n; i++) {
        const phx_instruction *instruction = &program->code[i];
        switch (instruction->operation) {
        case PHX_PROGRAM_NUMBER:
            *top++ = instruction->number;
            break;
        case PHX_PROGRAM_VARIABLE:
            *top++ = variables[instruction->at];
            break;
        case PHX_PROGRAM_PARAMETER:
            *top++ = program->parameters[instruction->at];
            break;
        case PHX_PROGRAM_NEGATE:
            top[-1] = -top[-1];
            break;
        case PHX_PROGRAM_CALL:
            top -= instruction->count;
            *top = phx_instruction_call(instruction, top);
            top++;
            break;
        default:
            top--;
            top[-1] = phx_instruction_operate(instruction->operation, top[-1], top[0]);
        }
    }
    return program->stack[0];
}

double phx_program_value(const phx_program *program, const double *variables)
{
    return program_run(program, 0, variables);
}

/* Room for one more step and one more value. */
static phx_status program_grow(phx_program *program)
{
    if (program->n == program->capacity) {
        const int wider = program->capacity ? 2 * program->capacity : 8;
        phx_instruction *code = phx_realloc(program->context, program->code, (size_t)wider, sizeof *code);
        if (!code)
            return PHX_ERR_MEMORY;
        program->code = code;
        program->capacity = wider;
    }
    if (program->depth == program->capacity_stack) {
        const int wider = program->capacity_stack ? 2 * program->capacity_stack : 8;
        double *stack = phx_realloc(program->context, program->stack, (size_t)wider, 3 * sizeof *stack);
        if (!stack)
            return PHX_ERR_MEMORY;
        program->stack = stack;
        program->capacity_stack = wider;
    }
    return PHX_OK;
}

/* Whether the last `count` steps push a number each. */
static bool are_numbers(const phx_program *program, int count)
{
    for (int i = 0; i < count; i++)
        if (i >= program->n || program->code[program->n - 1 - i].operation != PHX_PROGRAM_NUMBER)
            return false;
    return true;
}

/* Appends an instruction and tracks the depth of the stack; an operation on constants is replaced by its value. */
static phx_status program_put(phx_program *program, const phx_instruction *instruction)
{
    const int takes = taken(instruction);
    const bool constant = instruction->operation != PHX_PROGRAM_VARIABLE && takes > 0 && are_numbers(program, takes);
    const phx_status status = program_grow(program);

    if (status)
        return status;
    program->code[program->n++] = *instruction;
    program->depth += 1 - takes;
    if (constant) { /* of numbers alone it is a number */
        const int first = program->n - 1 - takes;
        const double value = program_run(program, first, NULL);
        program->n = first;
        program->code[program->n++] = (phx_instruction){.operation = PHX_PROGRAM_NUMBER, .number = value};
    }
    return PHX_OK;
}

phx_status phx_program_number(phx_program *program, double value)
{
    return program_put(program, &(phx_instruction){.operation = PHX_PROGRAM_NUMBER, .number = value});
}

phx_status phx_program_variable(phx_program *program, int variable)
{
    return program_put(program, &(phx_instruction){.operation = PHX_PROGRAM_VARIABLE, .at = variable});
}

phx_status phx_program_parameter(phx_program *program, int parameter, const double *values)
{
    program->parameters = values;
    return program_put(
        program, &(phx_instruction){.operation = PHX_PROGRAM_PARAMETER, .at = parameter, .number = values[parameter]});
}

bool phx_program_has_changed(const phx_program *program)
{
    for (int i = 0; i < program->n; i++)
        if (program->code[i].operation == PHX_PROGRAM_PARAMETER &&
            program->code[i].number != program->parameters[program->code[i].at])
            return true;
    return false;
}

void phx_program_note_parameters(phx_program *program)
{
    for (int i = 0; i < program->n; i++)
        if (program->code[i].operation == PHX_PROGRAM_PARAMETER)
            program->code[i].number = program->parameters[program->code[i].at];
}

phx_status phx_program_operate(phx_program *program, phx_program_operation operation)
{
    return program_put(program, &(phx_instruction){.operation = operation});
}

phx_status phx_program_call(phx_program *program, int function, int count)
{
    return program_put(program, &(phx_instruction){.operation = PHX_PROGRAM_CALL, .at = function, .count = count});
}

bool phx_program_varies(const phx_program *program)
{
    for (int i = 0; i < program->n; i++)
        if (program->code[i].operation == PHX_PROGRAM_VARIABLE)
            return true;
    return false;
}

/* ---- archives ---- */
/* Whether a step that was read means something, with so many variables, parameters and values on the stack. */
static bool is_valid(const phx_instruction *instruction, int n_variables, int n_parameters, int depth)
{
    if (instruction->operation < 0 || instruction->operation >= PHX_PROGRAM_OPERATIONS)
        return false;
    if (instruction->operation == PHX_PROGRAM_VARIABLE && (instruction->at < 0 || instruction->at >= n_variables))
        return false;
    if (instruction->operation == PHX_PROGRAM_PARAMETER && (instruction->at < 0 || instruction->at >= n_parameters))
        return false;
    if (instruction->operation == PHX_PROGRAM_CALL) {
        int least = 0, most = 0;
        if (!phx_function_name(instruction->at))
            return false;
        phx_function_arity(instruction->at, &least, &most);
        if (instruction->count < least || instruction->count > most)
            return false;
    }
    return taken(instruction) <= depth;
}

static void archive_instruction(phx_archive *archive, phx_instruction *instruction)
{
    phx_archive_int(archive, &instruction->operation);
    phx_archive_int(archive, &instruction->at);
    phx_archive_int(archive, &instruction->count);
    phx_archive_double(archive, &instruction->number);
}

/* Writes or reads a compiled expression; instructions read are checked for variables, parameters and depth of the
 * stack. *program is NULL after a failed reading. */
void phx_program_archive(phx_archive *archive, int n_variables, phx_program **program)
{
    phx_context *context = phx_archive_context(archive);
    int n = phx_archive_reads(archive) ? 0 : (*program)->n, n_parameters = 0;
    const double *parameters = phx_archive_parameters(archive, &n_parameters);

    phx_archive_count(archive, &n);
    if (phx_archive_reads(archive)) {
        *program = NULL;
        phx_archive_fail(archive, phx_archive_status(archive) ? PHX_OK : phx_program_create(context, program));
        if (*program)
            (*program)->parameters = parameters;
    }
    for (int i = 0; i < n && !phx_archive_status(archive); i++) {
        phx_instruction one = phx_archive_reads(archive) ? (phx_instruction){0} : (*program)->code[i];
        archive_instruction(archive, &one);
        if (!phx_archive_reads(archive))
            continue;
        if (!is_valid(&one, n_variables, n_parameters, (*program)->depth))
            phx_archive_fail(archive, phx_fail(context, PHX_ERR_INPUT, "a compiled expression is damaged"));
        else
            phx_archive_fail(archive, program_put(*program, &one));
    }
    if (phx_archive_reads(archive) && !phx_archive_status(archive) && (*program)->depth != 1)
        phx_archive_fail(archive, phx_fail(context, PHX_ERR_INPUT, "a compiled expression is damaged"));
    if (phx_archive_reads(archive) && phx_archive_status(archive)) {
        phx_program_destroy(*program);
        *program = NULL;
    }
}
