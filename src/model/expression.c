#include "expression.h"
#include "expression_cache.h"
#include "parser.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

static double largest(const double *x, int n)
{
    double result = x[0];
    for (int i = 1; i < n; i++)
        result = x[i] > result || isnan(x[i]) ? x[i] : result;
    return result;
}

static const struct {
    const char *name;
    phx_parser_fn1 *one;
    phx_parser_fn2 *two;
    phx_parser_fn3 *three;
    phx_parser_fn_many *many;
} functions[] = {
    {"sin", .one = sin},     {"cos", .one = cos},       {"tan", .one = tan},      {"asin", .one = asin},
    {"acos", .one = acos},   {"atan", .one = atan},     {"sinh", .one = sinh},    {"cosh", .one = cosh},
    {"tanh", .one = tanh},   {"exp", .one = exp},       {"log", .one = log},      {"sqrt", .one = sqrt},
    {"abs", .one = fabs},    {"sign", .one = sign},     {"step", .one = step},    {"atan2", .two = atan2},
    {"ramp", .three = ramp}, {"min", .many = smallest}, {"max", .many = largest},
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

static phx_status add_function(phx_parser *parser, int k)
{
    const char *name = functions[k].name;
    if (functions[k].one)
        return phx_parser_add_function1(parser, name, functions[k].one);
    if (functions[k].two)
        return phx_parser_add_function2(parser, name, functions[k].two);
    if (functions[k].three)
        return phx_parser_add_function3(parser, name, functions[k].three);
    return phx_parser_add_function_many(parser, name, functions[k].many);
}

/* Names that muParser refuses are not among ours: what fails is memory. */
static phx_status fail_memory(phx_context *context)
{
    return phx_fail(context, PHX_ERR_MEMORY, "out of memory for the expression parser");
}

static phx_status create_parser(phx_context *context, double *t, double *s, phx_parser **parser)
{
    phx_status status = phx_parser_create(parser);
    for (int k = 0; k < N_FUNCTIONS && !status; k++)
        status = add_function(*parser, k);
    if (!status)
        status = phx_parser_add_variable(*parser, "t", t);
    if (!status)
        status = phx_parser_add_variable(*parser, "s", s);
    if (!status)
        return PHX_OK;
    phx_parser_destroy(*parser);
    *parser = NULL;
    return fail_memory(context);
}

/* ---- the evaluator ---- */
struct phx_evaluator {
    phx_context *context;
    phx_parser *parser;
    double t, s;
    const phx_model_parameter *parameters;
    const phx_names *names;
    const bool *known;
    phx_expression_cache *cache;
    phx_expression expression;
    char argument[PHX_EXPRESSION_MAX + 1]; /* of a law: its text with t for x or v */
};

phx_status phx_evaluator_create(phx_context *context, phx_evaluator **evaluator)
{
    phx_evaluator *e = phx_calloc(context, 1, sizeof *e);
    if (!e)
        return PHX_ERR_MEMORY;
    e->context = context;
    phx_status status = phx_expression_cache_create(context, &e->cache);
    if (!status)
        status = create_parser(context, &e->t, &e->s, &e->parser);
    if (status)
        phx_evaluator_destroy(e);
    else
        *evaluator = e;
    return status;
}

void phx_evaluator_begin(phx_evaluator *evaluator, phx_context *context)
{
    evaluator->context = context;
    phx_evaluator_set_parameters(evaluator, NULL, NULL, NULL);
}

void phx_evaluator_destroy(phx_evaluator *evaluator)
{
    if (!evaluator)
        return;
    phx_parser_destroy(evaluator->parser);
    phx_expression_cache_destroy(evaluator->cache);
    phx_free(evaluator);
}

void phx_evaluator_set_parameters(phx_evaluator *evaluator, const phx_model_parameter *parameters,
                                  const phx_names *names, const bool *known)
{
    evaluator->parameters = parameters;
    evaluator->names = names;
    evaluator->known = known;
}

const phx_expression *phx_evaluator_expression(const phx_evaluator *evaluator)
{
    return &evaluator->expression;
}

/* Identifiers are short; what is longer names nothing. */
enum { MAX_NAME = PHX_MAX_IDENTIFIER + 1 };

static bool token_name(const phx_expression *expression, const phx_token *token, char name[MAX_NAME])
{
    if (token->length >= MAX_NAME)
        return false;
    memcpy(name, expression->text + token->start, (size_t)token->length);
    name[token->length] = 0;
    return true;
}

int phx_evaluator_parameter(const phx_evaluator *evaluator, const phx_token *token)
{
    char name[MAX_NAME];
    if (token->kind != PHX_TOKEN_NAME || !evaluator->names || !token_name(&evaluator->expression, token, name))
        return -1;
    return phx_names_find(evaluator->names, name);
}

static bool is_time_or_place(const phx_expression *expression, const phx_token *token)
{
    return token->kind == PHX_TOKEN_NAME && token->length == 1 && strchr("ts", expression->text[token->start]);
}

static bool fail_reserved(phx_evaluator *e, const phx_token *token, phx_expression_use use)
{
    if (use == PHX_USE_SURFACE)
        return phx_expression_fail(&e->expression, token->start,
                                   "'%c' does not vary over a surface; a profile has x, y and z",
                                   e->expression.text[token->start]);
    bool time = e->expression.text[token->start] == 't';
    return phx_expression_fail(&e->expression, token->start,
                               time ? "'t' stands for time and is allowed only in a signal; a constant is expected"
                                    : "'s' stands for the place on a beam and is allowed only in a distributed load");
}

static bool fail_name(phx_evaluator *e, const phx_token *token, phx_expression_use use)
{
    static const char *const letters[][4] = {[PHX_USE_CONSTANT] = {NULL},
                                             [PHX_USE_TIME] = {"t"},
                                             [PHX_USE_TIME_AND_PLACE] = {"t", "s"},
                                             [PHX_USE_SURFACE] = {"x", "y", "z"},
                                             [PHX_USE_MEASURES] = {"t"},
                                             [PHX_USE_STROKE] = {"x"},
                                             [PHX_USE_RATE] = {"v"}};
    static const char *const also[] = {
        [PHX_USE_CONSTANT] = "",         [PHX_USE_TIME] = "t, ",     [PHX_USE_TIME_AND_PLACE] = "t, s, ",
        [PHX_USE_SURFACE] = "x, y, z, ", [PHX_USE_MEASURES] = "t, ", [PHX_USE_STROKE] = "x, ",
        [PHX_USE_RATE] = "v, "};
    char name[MAX_NAME];
    if (!token_name(&e->expression, token, name))
        return phx_expression_fail(&e->expression, token->start, "a name of more than %d characters", MAX_NAME - 1);
    if (is_time_or_place(&e->expression, token))
        return fail_reserved(e, token, use);
    static const char *const infinite[] = {"nan", "NaN", "NAN", "inf", "Inf", "INF", "infinity"};
    for (size_t k = 0; k < sizeof infinite / sizeof infinite[0]; k++)
        if (!strcmp(name, infinite[k]))
            return phx_expression_fail(&e->expression, token->start, "'%s' is not finite; a finite number is expected",
                                       name);
    phx_nearest nearest = phx_nearest_to(name);
    phx_nearest_offer(&nearest, "pi");
    phx_nearest_offer(&nearest, "deg");
    for (int k = 0; letters[use][k]; k++)
        phx_nearest_offer(&nearest, letters[use][k]);
    if (e->names)
        phx_names_offer(e->names, &nearest);
    for (int k = 0; k < N_FUNCTIONS; k++)
        if (!strcmp(name, functions[k].name))
            return phx_expression_fail(&e->expression, token->start, "function '%s' without its arguments in brackets",
                                       name);
    return phx_expression_fail(&e->expression, token->start,
                               "unknown name %s; expected %spi, deg or a name under 'parameters'%s",
                               phx_shown_text(name).text, also[use], phx_nearest_hint(&nearest).text);
}

bool phx_evaluator_constant(const phx_evaluator *e, const phx_token *token, double *value)
{
    const int index = phx_evaluator_parameter(e, token);
    if (is_time_or_place(&e->expression, token))
        return false;
    *value = index >= 0 ? e->parameters[index].value : 3.14159265358979323846;
    if (index < 0 && phx_token_is(&e->expression, token, "deg"))
        *value /= 180.0;
    return true;
}

/* Tell a parser what a NAME token means. */
static phx_status define_name(phx_evaluator *e, phx_parser *parser, const phx_token *token, phx_expression_use use)
{
    char name[MAX_NAME];
    const char *const letter = &e->expression.text[token->start];
    if (use == PHX_USE_SURFACE && token->length == 1 && *letter >= 'x' && *letter <= 'z')
        return PHX_OK;
    if (use == PHX_USE_MEASURES && token->length == 3 && letter[0] == 'y' && letter[1] == '_')
        return PHX_OK;
    if ((use != PHX_USE_CONSTANT && use != PHX_USE_SURFACE && phx_token_is(&e->expression, token, "t")) ||
        (use == PHX_USE_TIME_AND_PLACE && phx_token_is(&e->expression, token, "s")))
        return PHX_OK;
    int index = phx_evaluator_parameter(e, token);
    double value = 0.0;
    if (phx_token_is(&e->expression, token, "pi"))
        value = 3.14159265358979323846;
    else if (phx_token_is(&e->expression, token, "deg"))
        value = 3.14159265358979323846 / 180.0;
    else if (index >= 0 && (!e->known || e->known[index]))
        value = e->parameters[index].value;
    else if (index < 0 || is_time_or_place(&e->expression, token)) {
        fail_name(e, token, use);
        return PHX_ERR_INPUT;
    }
    if (token_name(&e->expression, token, name) && phx_parser_add_constant(parser, name, value))
        return fail_memory(e->context);
    return PHX_OK;
}

static phx_status define_names(phx_evaluator *e, phx_parser *parser, phx_expression_use use)
{
    const phx_expression *x = &e->expression;
    phx_status status = PHX_OK;
    for (int i = 0; i < x->n_tokens && !status; i++)
        if (x->tokens[i].kind == PHX_TOKEN_NAME)
            status = define_name(e, parser, &x->tokens[i], use);
    return status;
}

phx_status phx_evaluator_scan(phx_evaluator *evaluator, const char *text, phx_expression_use use)
{
    phx_expression *x = &evaluator->expression;
    if (!phx_expression_scan(x, text))
        return PHX_ERR_INPUT;
    if (phx_parser_clear_constants(evaluator->parser))
        return fail_memory(evaluator->context);
    return define_names(evaluator, evaluator->parser, use);
}

/* muParser's own checks come after ours; should it still refuse, its code and place are reported. */
static phx_status fail_parser(phx_evaluator *e, phx_parser *parser, phx_status status)
{
    if (status == PHX_ERR_MEMORY)
        return fail_memory(e->context);
    phx_expression_fail(&e->expression, 0, "the expression parser refuses this (code %d at place %d)",
                        phx_parser_error_code(parser), phx_parser_error_place(parser) + 1);
    return PHX_ERR_INPUT;
}

/* An exponent that no double has (`1e999`) is refused by muParser as unknown text; say what it is. */
static bool check_numbers(phx_expression *x)
{
    for (int i = 0; i < x->n_tokens; i++) {
        char copy[80];
        double value;
        const phx_token *token = &x->tokens[i];
        if (token->kind != PHX_TOKEN_NUMBER)
            continue;
        if (token->length > 60)
            return phx_expression_fail(x, token->start, "a number of more than 60 characters");
        memcpy(copy, x->text + token->start, (size_t)token->length);
        copy[token->length] = 0;
        if (!phx_number_from_text(copy, &value) || !isfinite(value))
            return phx_expression_fail(x, token->start, "%s is not finite; a finite number is expected",
                                       phx_shown_text(copy).text);
    }
    return true;
}

static phx_status fail_not_finite(phx_evaluator *e, const char *text, const char *where)
{
    phx_expression_fail(&e->expression, 0, "%s is not finite%s; a finite number is expected", phx_shown_text(text).text,
                        where);
    return PHX_ERR_INPUT;
}

/* Compile and evaluate. Where memory fails while muParser reads a number the stream that it reads from keeps the
 * exception to itself, and the number is refused: what is refused twice is wrong. */
static phx_status compile(phx_parser *parser, const char *text, double *value)
{
    phx_status status = PHX_ERR_INPUT;
    for (int attempt = 0; attempt < 2 && status == PHX_ERR_INPUT; attempt++) {
        status = phx_parser_set(parser, text);
        if (!status)
            status = phx_parser_value(parser, value);
    }
    return status;
}

/* Compile and evaluate what was scanned. */
static phx_status evaluate(phx_evaluator *e, phx_parser *parser, double *value)
{
    char text[PHX_EXPRESSION_MAX + 1];
    const int alone = e->expression.n_tokens == 1 ? phx_evaluator_parameter(e, &e->expression.tokens[0]) : -1;
    if (alone >= 0) { /* most often, in a sweep */
        *value = e->parameters[alone].value;
        return PHX_OK;
    }
    if (!check_numbers(&e->expression))
        return PHX_ERR_INPUT;
    phx_expression_render(&e->expression, 0, e->expression.n_tokens, text, sizeof text);
    const phx_status status = compile(parser, text, value);
    return status ? fail_parser(e, parser, status) : PHX_OK;
}

/* Value of a parameter that has one already. */
static bool look_up(const void *data, const char *name, double *value)
{
    const phx_evaluator *e = data;
    const int index = e->names ? phx_names_find(e->names, name) : -1;
    if (index < 0 || (e->known && !e->known[index]))
        return false;
    *value = e->parameters[index].value;
    return true;
}

/* What was scanned and evaluated; not with more parameters than the cache takes, or with one that has no value yet. */
static phx_status keep(phx_evaluator *e, const char *text, double value)
{
    const phx_expression *x = &e->expression;
    phx_expression_cache_parameter found[PHX_EXPRESSION_CACHE_NAMES];
    char names[PHX_EXPRESSION_CACHE_NAMES][MAX_NAME];
    int count = 0;
    for (int i = 0; i < x->n_tokens; i++) {
        const int index = phx_evaluator_parameter(e, &x->tokens[i]);
        if (index < 0)
            continue;
        if (count == PHX_EXPRESSION_CACHE_NAMES || (e->known && !e->known[index]))
            return PHX_OK;
        token_name(x, &x->tokens[i], names[count]);
        found[count] = (phx_expression_cache_parameter){.name = names[count], .value = e->parameters[index].value};
        count++;
    }
    return phx_expression_cache_keep(e->context, e->cache, text, count, found, value);
}

phx_status phx_evaluator_value(phx_evaluator *evaluator, const char *text, double *value)
{
    evaluator->expression.error[0] = 0;
    evaluator->expression.text = text;
    if (phx_number_from_text(text, value))
        return isfinite(*value) ? PHX_OK : fail_not_finite(evaluator, text, "");
    if (phx_expression_cache_find(evaluator->cache, text, look_up, evaluator, value))
        return PHX_OK;
    phx_status status = phx_evaluator_scan(evaluator, text, PHX_USE_CONSTANT);
    if (!status)
        status = evaluate(evaluator, evaluator->parser, value);
    if (!status && !isfinite(*value))
        status = fail_not_finite(evaluator, text, "");
    return status ? status : keep(evaluator, text, *value);
}

phx_status phx_evaluator_probe(phx_evaluator *evaluator, const char *text, double t, double *value)
{
    evaluator->t = t;
    evaluator->s = 0.0;
    *value = NAN;
    return compile(evaluator->parser, text, value) == PHX_ERR_MEMORY ? fail_memory(evaluator->context) : PHX_OK;
}

/* ---- signals ---- */
/* A signal's own parser with its own t and s. */
typedef struct expression_signal {
    phx_parser *parser;
    double *variable; /* t, s: points to `storage`, so that a const signal can set them */
    double storage[2];
    phx_jet_program *program; /* of a signal of time alone */
} expression_signal;

static void signal_jet(const void *data, double t, double jet[3])
{
    phx_jet_program_value(((const expression_signal *)data)->program, t, jet);
}

static double signal_value(const void *data, double t, double s)
{
    const expression_signal *signal = data;
    signal->variable[0] = t;
    signal->variable[1] = s;
    double value;
    phx_parser_value(signal->parser, &value); /* compiled already; NaN if it failed nevertheless */
    return value;
}

static void free_signal(void *data)
{
    expression_signal *signal = data;
    phx_parser_destroy(signal->parser);
    phx_jet_program_destroy(signal->program);
    phx_free(signal);
}

/* Its parser knows the names of the expression last scanned. */
static phx_status create_expression_signal(phx_evaluator *e, expression_signal **signal)
{
    expression_signal *made = phx_calloc(e->context, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    made->variable = made->storage;
    phx_status status = create_parser(e->context, &made->storage[0], &made->storage[1], &made->parser);
    if (!status)
        status = define_names(e, made->parser, PHX_USE_TIME_AND_PLACE);
    if (status)
        free_signal(made);
    else
        *signal = made;
    return status;
}

static phx_status function_signal(phx_evaluator *e, const char *text, phx_expression_use use, phx_signal **signal)
{
    const bool of_time = use != PHX_USE_STROKE && use != PHX_USE_RATE;
    expression_signal *data = NULL;
    phx_status status = create_expression_signal(e, &data);
    if (status)
        return status;
    double value;
    data->storage[1] = 0.5;
    status = evaluate(e, data->parser, &value); /* compiles; later calls do not allocate */
    if (!status && of_time && !isfinite(value))
        status = fail_not_finite(e, text, " at t = 0");
    if (!status && use == PHX_USE_TIME)
        status = phx_jet_program_create(e, e->context, &data->program);
    const bool has_jet = data->program != NULL;
    double breaks[PHX_MAX_BREAKS];
    int n_breaks = 0;
    if (!status)
        status = phx_expression_breaks(e, breaks, &n_breaks);
    if (status) {
        free_signal(data);
        return status;
    }
    status = phx_signal_create_function(e->context, signal_value, data, free_signal, n_breaks, breaks, signal);
    if (!status && has_jet)
        phx_signal_set_jet(*signal, signal_jet);
    return status;
}

/* A law as a function of t: e->argument is its text with t for its own letter. */
static phx_status put_argument(phx_evaluator *e, const char *text, char letter)
{
    phx_expression *x = &e->expression;
    if (!phx_expression_scan(x, text))
        return PHX_ERR_INPUT;
    snprintf(e->argument, sizeof e->argument, "%s", text);
    for (int i = 0; i < x->n_tokens; i++) {
        const phx_token *token = &x->tokens[i];
        if (token->kind != PHX_TOKEN_NAME || token->length != 1)
            continue;
        if (text[token->start] == letter)
            e->argument[token->start] = 't';
        else if (text[token->start] == 't') {
            phx_expression_fail(x, token->start, "'t' stands for time; this is a function of %c alone", letter);
            return PHX_ERR_INPUT;
        }
    }
    return PHX_OK;
}

phx_status phx_evaluator_signal(phx_evaluator *evaluator, const char *text, phx_expression_use use, phx_signal **signal)
{
    const bool of_time = use != PHX_USE_STROKE && use != PHX_USE_RATE;
    double value;
    if (phx_number_from_text(text, &value) && isfinite(value))
        return phx_signal_create_constant(evaluator->context, value, signal);
    if (!of_time) {
        const phx_status wrong = put_argument(evaluator, text, use == PHX_USE_STROKE ? 'x' : 'v');
        if (wrong)
            return wrong;
        text = evaluator->argument;
    }
    phx_status status = phx_evaluator_scan(evaluator, text, use);
    if (status)
        return status;
    const phx_expression *x = &evaluator->expression;
    bool varies = false;
    for (int i = 0; i < x->n_tokens; i++)
        varies = varies || is_time_or_place(x, &x->tokens[i]);
    if (varies)
        return function_signal(evaluator, text, use, signal);
    status = phx_evaluator_value(evaluator, text, &value);
    return status ? status : phx_signal_create_constant(evaluator->context, value, signal);
}

/* ---- functions of a place, or of measurements ---- */
static const char measure_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
_Static_assert(sizeof measure_letters == PHX_MAX_MEASURES + 1, "one for each measurement");

struct phx_place_function {
    phx_parser *parser;
    double t, s;
    double x[PHX_MAX_MEASURES]; /* x, y, z; or measurements */
};

static phx_status create_function(phx_evaluator *e, const char *text, phx_expression_use use, int count,
                                  const char (*names)[4], phx_place_function **made)
{
    phx_status status = phx_evaluator_scan(e, text, use);
    double value;

    if (status)
        return status;
    phx_place_function *function = phx_calloc(e->context, 1, sizeof *function);
    if (!function)
        return PHX_ERR_MEMORY;
    status = create_parser(e->context, &function->t, &function->s, &function->parser);
    for (int k = 0; k < count && !status; k++)
        if (phx_parser_add_variable(function->parser, names[k], &function->x[k]))
            status = fail_memory(e->context);
    if (!status)
        status = define_names(e, function->parser, use);
    if (!status)
        status = evaluate(e, function->parser, &value); /* compiles */
    if (status)
        phx_place_function_destroy(function);
    else
        *made = function;
    return status;
}

phx_status phx_evaluator_place_function(phx_evaluator *evaluator, const char *text, phx_place_function **made)
{
    static const char names[][4] = {"x", "y", "z"};
    return create_function(evaluator, text, PHX_USE_SURFACE, 3, names, made);
}

phx_status phx_evaluator_measure_function(phx_evaluator *evaluator, const char *text, phx_place_function **made)
{
    char names[PHX_MAX_MEASURES][4];

    for (int k = 0; k < PHX_MAX_MEASURES; k++)
        snprintf(names[k], sizeof names[k], "y_%c", measure_letters[k]);
    return create_function(evaluator, text, PHX_USE_MEASURES, PHX_MAX_MEASURES, (const char(*)[4])names, made);
}

double phx_place_function_value(phx_place_function *function, const double x[3])
{
    return phx_measure_function_value(function, 0.0, 3, x);
}

double phx_measure_function_value(phx_place_function *function, double t, int count, const double *y)
{
    double value;

    function->t = t;
    for (int k = 0; k < count; k++)
        function->x[k] = y[k];
    phx_parser_value(function->parser, &value);
    return value;
}

void phx_place_function_destroy(phx_place_function *function)
{
    if (!function)
        return;
    phx_parser_destroy(function->parser);
    phx_free(function);
}

/* The number of a name; PHX_MAX_MEASURES: there is no room. */
static int measure_number(int *count, char names[PHX_MAX_MEASURES][PHX_MAX_MEASURE_NAME], const char *name)
{
    for (int k = 0; k < *count; k++)
        if (!strcmp(names[k], name))
            return k;
    if (*count < PHX_MAX_MEASURES)
        snprintf(names[*count], PHX_MAX_MEASURE_NAME, "%s", name);
    return *count < PHX_MAX_MEASURES ? (*count)++ : PHX_MAX_MEASURES;
}

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool phx_expression_measures(phx_expression *expression, char *text, int *count,
                             char names[PHX_MAX_MEASURES][PHX_MAX_MEASURE_NAME])
{
    for (char *at = text; (at = strstr(at, "y(")) != NULL; at++) {
        char name[PHX_MAX_MEASURE_NAME];
        const char *end = strchr(at, ')'), *from = at + 2;
        if (at > text && is_word(at[-1]))
            continue;
        const size_t length = end ? (size_t)(end - from) : 0;
        if (length == 0 || length >= sizeof name)
            return phx_expression_fail(expression, (int)(at - text), "y(NAME) stands for a measurement; its name is %s",
                                       !end          ? "not closed by ')'"
                                       : length == 0 ? "missing"
                                                     : "too long");
        memcpy(name, from, length);
        name[length] = '\0';
        const int number = measure_number(count, names, name);
        if (number == PHX_MAX_MEASURES)
            return phx_expression_fail(expression, (int)(at - text), "more than %d measurements in one controller",
                                       PHX_MAX_MEASURES);
        at[1] = '_';
        at[2] = measure_letters[number];
        memset(at + 3, ' ', length);
    }
    return true;
}
