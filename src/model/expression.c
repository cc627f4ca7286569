#include "expression.h"
#include "expression_cache.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the evaluator ---- */
struct phx_evaluator {
    phx_context *context;
    phx_expression_use use; /* of the expression last looked at */
    const phx_model_parameter *parameters;
    const phx_names *names;
    const bool *known;
    const phx_tunables *open; /* NULL: none */
    phx_parameter_watch_fn *watch;
    void *watcher;
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
    phx_evaluator_keep_open(evaluator, NULL);
    phx_evaluator_watch(evaluator, NULL, NULL);
}

void phx_evaluator_keep_open(phx_evaluator *evaluator, const phx_tunables *tunables)
{
    evaluator->open = tunables;
}

void phx_evaluator_watch(phx_evaluator *evaluator, phx_parameter_watch_fn *watch, void *user)
{
    evaluator->watch = watch;
    evaluator->watcher = user;
}

void phx_evaluator_destroy(phx_evaluator *evaluator)
{
    if (!evaluator)
        return;
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

/* Names are short; a longer one does not exist. */
enum { MAX_NAME = PHX_MAX_PARAMETER + 1 };

static bool token_name(const phx_expression *expression, const phx_token *token, char name[MAX_NAME])
{
    if (token->length >= MAX_NAME)
        return false;
    memcpy(name, expression->text + token->start, (size_t)token->length);
    name[token->length] = 0;
    return true;
}

static int parameter_of(const phx_evaluator *e, const phx_expression *expression, const phx_token *token)
{
    char name[MAX_NAME];
    if (token->kind != PHX_TOKEN_NAME || !e->names || !token_name(expression, token, name))
        return -1;
    return phx_names_find(e->names, name);
}

int phx_evaluator_parameter(const phx_evaluator *evaluator, const phx_token *token)
{
    return parameter_of(evaluator, &evaluator->expression, token);
}

/* The place of a parameter in an expression of time: its number among those that are open, or PHX_TUNABLE_NONE,
 * PHX_TUNABLE_MADE. */
static int open_number(const phx_evaluator *e, const phx_expression *expression, const phx_token *token)
{
    const int index = e->open ? parameter_of(e, expression, token) : -1;
    return index < 0 ? PHX_TUNABLE_NONE : e->open->number[index];
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

/* Fails for a name that an expression must not contain, and says which names are allowed there and which is closest. */
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
        return phx_expression_fail(&e->expression, token->start, "a name of more than %d characters",
                                   PHX_MAX_IDENTIFIER);
    if (is_time_or_place(&e->expression, token))
        return fail_reserved(e, token, use);
    static const char *const infinite[] = {"nan", "NaN", "NAN", "inf", "Inf", "INF", "infinity"};
    for (size_t k = 0; k < sizeof infinite / sizeof infinite[0]; k++)
        if (!strcmp(name, infinite[k]))
            return phx_expression_fail(&e->expression, token->start, "'%s' is not finite; a finite number is expected",
                                       name);
    const phx_shown hint = e->names ? phx_names_index_hint(e->names, name) : (phx_shown){""};
    if (hint.text[0])
        return phx_expression_fail(&e->expression, token->start,
                                   strchr(name, '[') ? "there is no '%s'%s"
                                                     : "'%s' is a list, not a number; write an entry, as %s[1]%s",
                                   name, strchr(name, '[') ? hint.text : name, hint.text);
    phx_nearest nearest = phx_nearest_to(name);
    phx_nearest_offer(&nearest, "pi");
    phx_nearest_offer(&nearest, "deg");
    for (int k = 0; letters[use][k]; k++)
        phx_nearest_offer(&nearest, letters[use][k]);
    if (e->names)
        phx_names_offer(e->names, &nearest);
    for (int k = 0; phx_function_name(k); k++)
        if (!strcmp(name, phx_function_name(k)))
            return phx_expression_fail(&e->expression, token->start, "function '%s' without its arguments in brackets",
                                       name);
    return phx_expression_fail(&e->expression, token->start,
                               "unknown name %s; expected %spi, deg or a name under 'parameters'%s",
                               phx_shown_text(name).text, also[use], phx_nearest_hint(&nearest).text);
}

static const char measure_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
_Static_assert(sizeof measure_letters == PHX_MAX_MEASURES + 1, "one for each measurement");

/* The number of the variable that a NAME token stands for; -1: of none. */
static int variable_of(phx_expression_use use, const phx_expression *x, const phx_token *token)
{
    const char *const letter = &x->text[token->start];

    if (use == PHX_USE_SURFACE)
        return token->length == 1 && *letter >= 'x' && *letter <= 'z' ? *letter - 'x' : -1;
    if (use == PHX_USE_MEASURES && token->length == 3 && letter[0] == 'y' && letter[1] == '_')
        return 1 + (int)(strchr(measure_letters, letter[2]) - measure_letters);
    if (use != PHX_USE_CONSTANT && phx_token_is(x, token, "t"))
        return 0;
    return use == PHX_USE_TIME_AND_PLACE && phx_token_is(x, token, "s") ? 1 : -1;
}

/* The value of a name; false: nothing, or (`x` the expression that was scanned for a message) a parameter without a
 * value. */
static bool name_value(const phx_evaluator *e, const phx_expression *x, const phx_token *token, double *value)
{
    char name[MAX_NAME];
    const int index = e->names && token_name(x, token, name) ? phx_names_find(e->names, name) : -1;

    *value = 0.0;
    if (phx_token_is(x, token, "pi"))
        *value = 3.14159265358979323846;
    else if (phx_token_is(x, token, "deg"))
        *value = 3.14159265358979323846 / 180.0;
    else if (index >= 0 && (!e->known || e->known[index]))
        *value = e->parameters[index].value;
    else
        return index >= 0 && !is_time_or_place(x, token); /* zero until it is known */
    return true;
}

/* The evaluator and the expression that it compiles. */
typedef struct naming {
    const phx_evaluator *evaluator;
    const phx_expression *expression;
    phx_expression_use use;
} naming;

static phx_status put_name(const void *data, const phx_token *token, phx_program *program);

/* The expression of a parameter that is made of open ones. */
static phx_status put_parameter(const phx_evaluator *e, int parameter, phx_program *program)
{
    phx_expression *own = phx_calloc(e->context, 1, sizeof *own);
    const naming names = {.evaluator = e, .expression = own, .use = PHX_USE_CONSTANT};
    phx_status status = own ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && phx_expression_scan(own, e->open->texts[parameter])) /* which has been scanned before */
        status = phx_expression_compile_on(own, put_name, &names, program);
    phx_free(own);
    return status;
}

/* Emits the code of a name: a variable, an open parameter, the expression of a parameter that depends on open ones, or
 * its present value. */
static phx_status put_name(const void *data, const phx_token *token, phx_program *program)
{
    const naming *labels = data;
    const int variable = variable_of(labels->use, labels->expression, token);
    const int number = variable < 0 ? open_number(labels->evaluator, labels->expression, token) : PHX_TUNABLE_NONE;
    double value = 0.0;

    if (variable >= 0)
        return phx_program_variable(program, variable);
    if (number >= 0)
        return phx_program_parameter(program, number, labels->evaluator->open->values);
    if (number == PHX_TUNABLE_MADE)
        return put_parameter(labels->evaluator, parameter_of(labels->evaluator, labels->expression, token), program);
    (void)name_value(labels->evaluator, labels->expression, token, &value);
    return phx_program_number(program, value);
}

static void expression_tell(const phx_evaluator *e, int parameter, phx_expression_use use)
{
    if (e->watch && parameter >= 0)
        e->watch(e->watcher, parameter, use);
}

static bool expression_check_names(phx_evaluator *e, phx_expression_use use)
{
    const phx_expression *x = &e->expression;
    for (int i = 0; i < x->n_tokens; i++) {
        double value;
        if (x->tokens[i].kind != PHX_TOKEN_NAME || variable_of(use, x, &x->tokens[i]) >= 0)
            continue;
        if (!name_value(e, x, &x->tokens[i], &value))
            return fail_name(e, &x->tokens[i], use);
        expression_tell(e, parameter_of(e, x, &x->tokens[i]), use);
    }
    return true;
}

phx_status phx_evaluator_scan(phx_evaluator *evaluator, const char *text, phx_expression_use use)
{
    evaluator->use = use;
    return phx_expression_scan(&evaluator->expression, text) && expression_check_names(evaluator, use) ? PHX_OK
                                                                                                       : PHX_ERR_INPUT;
}

/* An exponent that no double has (`1e999`): say what it is. */
static bool check_numbers(phx_expression *x)
{
    for (int i = 0; i < x->n_tokens; i++) {
        char copy[80];
        double value;
        const phx_token *token = &x->tokens[i];
        if (token->kind != PHX_TOKEN_NUMBER)
            continue;
        if (token->length > PHX_EXPRESSION_MAX_NUMBER)
            return phx_expression_fail(x, token->start, "a number of more than %d characters",
                                       PHX_EXPRESSION_MAX_NUMBER);
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

/* Compile what was scanned. */
static phx_status compile(phx_evaluator *e, phx_program **program)
{
    const naming names = {.evaluator = e, .expression = &e->expression, .use = e->use};

    if (!check_numbers(&e->expression))
        return PHX_ERR_INPUT;
    return phx_expression_compile(e->context, &e->expression, put_name, &names, program);
}

/* Compile and evaluate what was scanned, without variables. */
static phx_status expression_evaluate(phx_evaluator *e, double *value)
{
    phx_program *program = NULL;
    const int alone = e->expression.n_tokens == 1 ? phx_evaluator_parameter(e, &e->expression.tokens[0]) : -1;
    if (alone >= 0) { /* most often, in a sweep */
        *value = e->parameters[alone].value;
        return PHX_OK;
    }
    const phx_status status = compile(e, &program);
    if (!status)
        *value = phx_program_value(program, NULL);
    phx_program_destroy(program);
    return status;
}

/* Value of a parameter that has one already. */
static bool look_up(const void *data, const char *name, double *value)
{
    const phx_evaluator *e = data;
    const int index = e->names ? phx_names_find(e->names, name) : -1;
    if (index < 0 || (e->known && !e->known[index]))
        return false;
    expression_tell(e, index, PHX_USE_CONSTANT);
    *value = e->parameters[index].value;
    return true;
}

/* Keeps the expression that was scanned and its value; not with more parameters than the cache takes, or with one that
 * has no value yet. */
static phx_status expression_keep(phx_evaluator *e, const char *text, double value)
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

/* Evaluates a constant expression; results are cached with the parameters they depend on. The value must be finite. */
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
        status = expression_evaluate(evaluator, value);
    if (!status && !isfinite(*value))
        status = fail_not_finite(evaluator, text, "");
    return status ? status : expression_keep(evaluator, text, *value);
}

/* ---- signals ---- */
static phx_status function_signal(phx_evaluator *e, const char *text, bool of_time, phx_signal **signal)
{
    const double middle[] = {0.0, 0.5};
    phx_program *program = NULL;
    phx_status status = compile(e, &program);

    if (!status && of_time && !isfinite(phx_program_value(program, middle)))
        status = fail_not_finite(e, text, " at t = 0");
    if (status) {
        phx_program_destroy(program);
        return status;
    }
    return phx_signal_create_program(e->context, program, signal);
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

/* Creates the signal of an expression: a constant if no variable or open parameter occurs, else a function. A law of
 * stroke or rate names its argument x or v. */
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
        varies = varies || is_time_or_place(x, &x->tokens[i]) ||
                 open_number(evaluator, x, &x->tokens[i]) != PHX_TUNABLE_NONE;
    if (varies)
        return function_signal(evaluator, text, of_time, signal);
    phx_parameter_watch_fn *const watch = evaluator->watch;
    evaluator->watch = NULL; /* it has been told what this is */
    status = phx_evaluator_value(evaluator, text, &value);
    evaluator->watch = watch;
    return status ? status : phx_signal_create_constant(evaluator->context, value, signal);
}

/* ---- functions of a place, or of measurements ---- */
static phx_status create_function(phx_evaluator *e, const char *text, phx_expression_use use, phx_program **made)
{
    const phx_status status = phx_evaluator_scan(e, text, use);
    return status ? status : compile(e, made);
}

phx_status phx_evaluator_place_function(phx_evaluator *evaluator, const char *text, phx_program **made)
{
    return create_function(evaluator, text, PHX_USE_SURFACE, made);
}

phx_status phx_evaluator_measure_function(phx_evaluator *evaluator, const char *text, phx_program **made)
{
    return create_function(evaluator, text, PHX_USE_MEASURES, made);
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

/* Replaces each measurement y(NAME) in the text by a name of fixed length and lists the names; false with an error if
 * a name is missing, too long, or there are too many. */
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
