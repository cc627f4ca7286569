/* Objectives from texts, and reductions of the rows of a simulation to one number. */
#include "objective.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PEAK_POWER = 20.0; /* of the smooth maximum: 12 % above the mean of a sine's largest values */

/* How a quantity is written behind its analysis. */
typedef enum form {
    FORM_PLAIN,      /* mass */
    FORM_INDEX,      /* omega.K */
    FORM_POLE,       /* pole.K.re */
    FORM_SHAPE,      /* shape.K(COLUMN) */
    FORM_CHANNEL,    /* dc.I.J */
    FORM_RESPONSE,   /* gain.W.I.J */
    FORM_EXPRESSION, /* integral(EXPRESSION) */
    FORM_AT          /* at(T, EXPRESSION) */
} form;
typedef struct kind {
    const char *words; /* "modes.omega" */
    phx_analysis analysis;
    phx_objective_quantity quantity;
    form form;
} kind;

static const kind kinds[] = {
    {"model.mass", PHX_ANALYSIS_MODEL, PHX_OF_MASS, FORM_PLAIN},
    {"modes.omega", PHX_ANALYSIS_MODES, PHX_OF_OMEGA, FORM_INDEX},
    {"modes.frequency", PHX_ANALYSIS_MODES, PHX_OF_FREQUENCY, FORM_INDEX},
    {"modes.damping", PHX_ANALYSIS_MODES, PHX_OF_DAMPING, FORM_INDEX},
    {"modes.mean", PHX_ANALYSIS_MODES, PHX_OF_MEAN_OMEGA, FORM_CHANNEL},
    {"modes.shape", PHX_ANALYSIS_MODES, PHX_OF_SHAPE, FORM_SHAPE},
    {"static", PHX_ANALYSIS_STATIC, PHX_OF_EQUILIBRIUM, FORM_EXPRESSION},
    {"static.critical", PHX_ANALYSIS_STATIC, PHX_OF_CRITICAL, FORM_INDEX},
    {"linearize.h2", PHX_ANALYSIS_LINEARIZE, PHX_OF_H2, FORM_PLAIN},
    {"linearize.hinf", PHX_ANALYSIS_LINEARIZE, PHX_OF_HINF, FORM_PLAIN},
    {"linearize.pole", PHX_ANALYSIS_LINEARIZE, PHX_OF_POLE_RE, FORM_POLE},
    {"linearize.dc", PHX_ANALYSIS_LINEARIZE, PHX_OF_DC, FORM_CHANNEL},
    {"linearize.gain", PHX_ANALYSIS_LINEARIZE, PHX_OF_GAIN, FORM_RESPONSE},
    {"linearize.phase", PHX_ANALYSIS_LINEARIZE, PHX_OF_PHASE, FORM_RESPONSE},
    {"linearize.re", PHX_ANALYSIS_LINEARIZE, PHX_OF_RE, FORM_RESPONSE},
    {"linearize.im", PHX_ANALYSIS_LINEARIZE, PHX_OF_IM, FORM_RESPONSE},
    {"linearize.gain_margin", PHX_ANALYSIS_LINEARIZE, PHX_OF_GAIN_MARGIN, FORM_EXPRESSION},
    {"linearize.phase_margin", PHX_ANALYSIS_LINEARIZE, PHX_OF_PHASE_MARGIN, FORM_EXPRESSION},
    {"linearize.delay_margin", PHX_ANALYSIS_LINEARIZE, PHX_OF_DELAY_MARGIN, FORM_EXPRESSION},
    {"linearize.sensitivity", PHX_ANALYSIS_LINEARIZE, PHX_OF_LOOP_SENSITIVITY, FORM_EXPRESSION},
    {"simulate.final", PHX_ANALYSIS_SIMULATE, PHX_OF_FINAL, FORM_EXPRESSION},
    {"simulate.at", PHX_ANALYSIS_SIMULATE, PHX_OF_AT, FORM_AT},
    {"simulate.integral", PHX_ANALYSIS_SIMULATE, PHX_OF_INTEGRAL, FORM_EXPRESSION},
    {"simulate.mean", PHX_ANALYSIS_SIMULATE, PHX_OF_MEAN, FORM_EXPRESSION},
    {"simulate.max", PHX_ANALYSIS_SIMULATE, PHX_OF_MAX, FORM_EXPRESSION},
    {"simulate.min", PHX_ANALYSIS_SIMULATE, PHX_OF_MIN, FORM_EXPRESSION},
    {"simulate.peak", PHX_ANALYSIS_SIMULATE, PHX_OF_PEAK, FORM_EXPRESSION},
    {"simulate.when", PHX_ANALYSIS_SIMULATE, PHX_OF_WHEN, FORM_EXPRESSION},
};

static phx_status bad_objective(phx_context *context, const char *text, const char *expected)
{
    return phx_fail(context, PHX_ERR_INPUT, "objective '%s': expected %s", text, expected);
}

/* The longest words that the text begins with, up to its end, a parenthesis or a dot; NULL: none. */
static const kind *objective_kind(const char *text)
{
    const kind *best = NULL;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const size_t length = strlen(kinds[k].words);
        if (strncmp(text, kinds[k].words, length) == 0 && strchr("(.", text[length]) && /* or its end */
            (!best || length > strlen(best->words)))
            best = &kinds[k];
    }
    return best;
}

/* An index from 1 behind a dot at *at, which moves behind it; -1: there is none. */
static int take_index(const char **at)
{
    char *end = NULL;
    const long value = **at == '.' ? strtol(*at + 1, &end, 10) : 0;

    if (value < 1 || value > 1000000 || end == *at + 1)
        return -1;
    *at = end;
    return (int)value - 1;
}

/* The text between the parentheses at `at`, the last of which ends it; behind `T,` of FORM_AT. */
static phx_status take_expression(phx_context *context, const kind *of, const char *at, phx_objective *objective)
{
    const size_t length = strlen(at);
    const char *from = at + 1;

    if (*at != '(' || length < 3 || at[length - 1] != ')')
        return bad_objective(context, objective->text,
                             of->form == FORM_AT ? "simulate.at(T, EXPRESSION)" : "an expression in parentheses");
    if (of->form == FORM_AT) {
        char *end = NULL;
        objective->at = strtod(from, &end);
        if (end == from || *end != ',' || !isfinite(objective->at))
            return bad_objective(context, objective->text, "a time in s and an expression: simulate.at(0.5, tip.y)");
        from = end + 1;
    }
    while (*from == ' ')
        from++;
    objective->expression = phx_strdup(context, from);
    if (!objective->expression)
        return PHX_ERR_MEMORY;
    objective->expression[strlen(objective->expression) - 1] = '\0';
    return PHX_OK;
}

/* .re or .im of a pole. */
static phx_status take_part(phx_context *context, const char **at, phx_objective *objective)
{
    if (strcmp(*at, ".re") != 0 && strcmp(*at, ".im") != 0)
        return bad_objective(context, objective->text, "linearize.pole.K.re or .im, K from 1");
    objective->quantity = (*at)[1] == 'r' ? PHX_OF_POLE_RE : PHX_OF_POLE_IM;
    *at += 3;
    return PHX_OK;
}

/* [.W].I.J of a channel */
static phx_status take_channel(phx_context *context, const kind *of, const char **at, phx_objective *objective)
{
    char *end = NULL;

    if (of->form == FORM_RESPONSE) {
        /* the number ends before the last two indices, since it may have a point itself */
        const char *last = strrchr(*at, '.'), *before = last;
        while (before > *at && *--before != '.')
            ;
        char number[40] = "";
        if (**at == '.' && before > *at && before - *at <= (ptrdiff_t)sizeof number)
            memcpy(number, *at + 1, (size_t)(before - *at - 1));
        objective->at = strtod(number, &end);
        if (*end || !(objective->at > 0.0))
            return bad_objective(context, objective->text, "a frequency in rad/s, output and input: gain.12.5.1.1");
        *at = before;
    }
    objective->output = take_index(at);
    objective->input = objective->output < 0 ? -1 : take_index(at);
    return objective->input < 0
               ? bad_objective(context, objective->text,
                               of->quantity == PHX_OF_MEAN_OMEGA ? "numbers of two modes, from 1"
                                                                 : "numbers of an output and an input, from 1")
               : PHX_OK;
}

/* By the table of kinds: the words, then what their form asks for. */
phx_status phx_objective_parse(phx_context *context, const char *text, phx_objective *objective)
{
    const kind *of = objective_kind(text);
    phx_status status = PHX_OK;

    *objective = (phx_objective){.text = text};
    if (!of)
        return bad_objective(context, text,
                             "one of model.mass, modes.omega.K, modes.frequency.K, modes.damping.K, modes.mean.K.L, "
                             "modes.shape.K(...), static(...), "
                             "static.critical.K, linearize.h2|hinf|pole|dc|gain|phase|re|im, "
                             "simulate.final|at|integral|mean|max|min|peak|when(...)");
    const char *at = text + strlen(of->words);
    objective->analysis = of->analysis;
    objective->quantity = of->quantity;
    if (of->form == FORM_EXPRESSION || of->form == FORM_AT)
        return take_expression(context, of, at, objective);
    if (of->form == FORM_INDEX || of->form == FORM_POLE || of->form == FORM_SHAPE)
        objective->index = take_index(&at);
    if (objective->index < 0)
        return bad_objective(context, text,
                             of->form == FORM_SHAPE ? "modes.shape.K(COLUMN), K from 1" : "a number from 1 at the end");
    if (of->form == FORM_SHAPE)
        return take_expression(context, of, at, objective);
    if (of->form == FORM_POLE)
        status = take_part(context, &at, objective);
    else if (of->form == FORM_CHANNEL || of->form == FORM_RESPONSE)
        status = take_channel(context, of, &at, objective);
    return !status && *at ? bad_objective(context, text, "nothing behind the number") : status;
}

void phx_objective_free(phx_objective *objective)
{
    phx_free(objective->expression);
    objective->expression = NULL;
}

/* ---- expressions over columns ---- */
/* y(NAME), allocated. */
static char *column_as_text(phx_context *context, const char *name)
{
    char *text = phx_calloc(context, strlen(name) + 4, 1);

    if (text)
        sprintf(text, "y(%s)", name);
    return text;
}

/* The name of a column alone stands for y(NAME). */
static phx_status measured_of(phx_context *context, const phx_model *model, const phx_objective *objective, int n,
                              const char *const *names, phx_expression_of_columns *measured)
{
    char *text = NULL;
    phx_status status;

    for (int k = 0; k < n && !text; k++)
        if (strcmp(names[k], objective->expression) == 0)
            text = column_as_text(context, names[k]);
    status = phx_model_expression_of_columns(context, model, text ? text : objective->expression, measured);
    phx_free(text);
    return status == PHX_ERR_INPUT ? phx_fail_prefix(context, status, "objective '%s': ", objective->text) : status;
}

static phx_status unknown_column(phx_context *context, const phx_objective *objective, const char *name, int n,
                                 const char *const *names)
{
    phx_nearest nearest = phx_nearest_to(name);

    for (int k = 0; k < n; k++)
        phx_nearest_offer(&nearest, names[k]);
    return phx_fail(context, PHX_ERR_INPUT, "objective '%s': there is no column '%s'%s", objective->text, name,
                    phx_nearest_hint(&nearest).text);
}

/* The program of an expression, and the columns that it names. */
phx_status phx_objective_compile(phx_context *context, const phx_model *model, const phx_objective *objective, int n,
                                 const char *const *names, phx_objective_program *program)
{
    *program = (phx_objective_program){.column = NULL};
    phx_status status = measured_of(context, model, objective, n, names, &program->measured);

    program->column = status ? NULL : phx_calloc(context, (size_t)program->measured.count + 1, sizeof(int));
    if (!status && !program->column)
        status = PHX_ERR_MEMORY;
    for (int m = 0; m < program->measured.count && !status; m++) {
        program->column[m] = -1;
        for (int k = 0; k < n; k++)
            if (strcmp(names[k], program->measured.names[m]) == 0)
                program->column[m] = k;
        if (program->column[m] < 0)
            status = unknown_column(context, objective, program->measured.names[m], n, names);
    }
    if (status)
        phx_objective_program_free(program);
    return status;
}

void phx_objective_program_free(phx_objective_program *program)
{
    phx_expression_of_columns_free(&program->measured);
    phx_free(program->column);
    program->column = NULL;
}

double phx_objective_value(const phx_objective_program *program, double t, const double *columns, double *variables)
{
    variables[0] = t;
    for (int m = 0; m < program->measured.count; m++)
        variables[m + 1] = columns[program->column[m]];
    return phx_program_value(program->measured.program, variables);
}

/* ---- from the values at the steps to one number ---- */
/* Weights of the trapezoidal rule. */
static double trapezoid(int n, const double *t, int k)
{
    return 0.5 * ((k > 0 ? t[k] - t[k - 1] : 0.0) + (k + 1 < n ? t[k + 1] - t[k] : 0.0));
}

/* (1/T integral |e|^p dt)^(1/p), relative to the largest |e| so that powers do not overflow. */
static double reduce_peak(int n, const double *t, const double *e, double *slope)
{
    double largest = 0.0, sum = 0.0;

    for (int k = 0; k < n; k++)
        largest = fmax(largest, fabs(e[k]));
    for (int k = 0; k < n && largest > 0.0; k++)
        sum += trapezoid(n, t, k) * pow(fabs(e[k]) / largest, PEAK_POWER) / (t[n - 1] - t[0]);
    const double value = largest > 0.0 ? largest * pow(sum, 1.0 / PEAK_POWER) : 0.0;
    for (int k = 0; k < n && slope && value > 0.0; k++)
        slope[k] = trapezoid(n, t, k) / (t[n - 1] - t[0]) * pow(fabs(e[k]) / value, PEAK_POWER - 1.0) *
                   (e[k] < 0.0 ? -1.0 : 1.0);
    return value;
}

/* Values at s of the three Lagrange polynomials of the instants t; slope: theirs. */
static void lagrange(const double *t, double s, double *value, double *slope)
{
    for (int i = 0; i < 3; i++) {
        const double a = t[(i + 1) % 3], b = t[(i + 2) % 3], scale = (t[i] - a) * (t[i] - b);
        value[i] = (s - a) * (s - b) / scale;
        slope[i] = (2.0 * s - a - b) / scale;
    }
}

/* The first root of e, by the parabola through its ends of the step and the instant before (of the first step behind):
 * e(t) = sum L_i(t) e_i = 0, dt/de_i = -L_i/e'. Three instants are needed. */
static phx_status reduce_when(phx_context *context, const phx_objective *objective, int n, const double *t,
                              const double *e, double *value, double *slope)
{
    enum { CORRECTIONS = 8 };
    double L[3], rate[3], sum = 0.0, by_time = 1.0;
    int k = 0;

    while (k + 1 < n && !(e[k] * e[k + 1] <= 0.0 && e[k] != e[k + 1]))
        k++;
    if (k + 1 >= n)
        return phx_fail(context, PHX_ERR_ANALYSIS, "objective '%s': the expression is never zero from %g to %g s",
                        objective->text, t[0], t[n - 1]);
    const int first = k > 0 && t[k - 1] < t[k] ? k - 1 : k;
    double at = t[k] + (t[k + 1] - t[k]) * e[k] / (e[k] - e[k + 1]);
    if (first + 2 >= n || !(t[first] < t[first + 1] && t[first + 1] < t[first + 2]))
        return phx_fail(context, PHX_ERR_ANALYSIS, "objective '%s': too few steps about its root", objective->text);
    for (int c = 0; c < CORRECTIONS; c++) {
        lagrange(t + first, at, L, rate);
        sum = phx_dot(3, L, e + first);
        by_time = phx_dot(3, rate, e + first);
        at -= by_time != 0.0 ? sum / by_time : 0.0;
    }
    *value = at;
    for (int i = 0; i < 3 && slope; i++)
        slope[first + i] = -L[i] / by_time;
    return PHX_OK;
}

/* Most quantities are sums of weights times values; the weights are the derivatives. */
phx_status phx_objective_reduce(phx_context *context, const phx_objective *objective, int n, const double *t,
                                const double *e, double *value, double *slope)
{
    const phx_objective_quantity quantity = objective->quantity;
    const double length = t[n - 1] - t[0];
    double sum = 0.0;
    int first = 0, best = 0;

    if (slope)
        memset(slope, 0, (size_t)n * sizeof *slope);
    if (quantity == PHX_OF_PEAK) {
        *value = reduce_peak(n, t, e, slope);
        return PHX_OK;
    }
    if (quantity == PHX_OF_WHEN)
        return reduce_when(context, objective, n, t, e, value, slope);
    if (quantity == PHX_OF_AT && !(objective->at >= t[0] && objective->at <= t[n - 1]))
        return phx_fail(context, PHX_ERR_INPUT, "objective '%s': the run goes from %g to %g s", objective->text, t[0],
                        t[n - 1]);
    while (quantity == PHX_OF_AT && first + 2 < n && t[first + 1] < objective->at)
        first++;
    for (int k = 1; k < n; k++)
        if (quantity == PHX_OF_MAX ? e[k] > e[best] : e[k] < e[best])
            best = k;
    for (int k = 0; k < n; k++) {
        double weight = 0.0;
        if (quantity == PHX_OF_INTEGRAL || quantity == PHX_OF_MEAN)
            weight = trapezoid(n, t, k) / (quantity == PHX_OF_MEAN && length > 0.0 ? length : 1.0);
        else if (quantity == PHX_OF_FINAL)
            weight = k == n - 1;
        else if (quantity == PHX_OF_AT && n > 1 && (k == first || k == first + 1))
            weight = 1.0 - fabs(t[k] - objective->at) / (t[first + 1] - t[first]);
        else if (quantity == PHX_OF_MAX || quantity == PHX_OF_MIN)
            weight = k == best;
        sum += weight != 0.0 ? weight * e[k] : 0.0;
        if (slope)
            slope[k] = weight;
    }
    *value = sum;
    return PHX_OK;
}
