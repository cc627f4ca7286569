/* Least squares with bounds by the method of Levenberg and Marquardt:
 *
 *   (A + lambda D^2) s = -g,  A = J^T W^2 J,  g = J^T W^2 (model - measured),  D^2 = diag A,
 *
 * for the parameters that are not held at a bound. */
#include "algebra/algebra.h"
#include "gradient.h"
#include "identify.h"

#include <math.h>
#include <string.h>

static const double LAMBDA_START = 1e-3;   /* of the first step: nearly that of Gauss and Newton */
static const double LAMBDA_LEAST = 1e-10;  /* keeps A + lambda D^2 regular if combinations are undetermined */
static const double GRADIENT_SMALL = 1e-8; /* cosine between the residuals and a column of J */
static const double STEP_SMALL = 1e-9;     /* change of every parameter over its value */
static const double CHANGE_SMALL = 1e-10;  /* decrease that the linear model expects over the cost */
static const double GAIN_LEAST = 1e-4;     /* decrease over the expected one with which a step is accepted */
static const double DELAY_SHIFT = 1e-6;    /* over the length of a series, for derivatives by time */
enum { MOST_TRIALS = 40 };                 /* of lambda in one iteration, which covers all sizes of a step */

/* ---- the model at values of the parameters ---- */
void phx_fit_free(phx_fit *fit)
{
    phx_model_destroy(fit->model);
    phx_free(fit->refused);
    phx_free(fit->overrides);
    phx_free((void *)fit->names);
    double *const arrays[] = {fit->x, fit->value, fit->slope, fit->normal};
    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    *fit = (phx_fit){0};
}

/* The arrays of a fit at the present values of the parameters. */
phx_status phx_fit_create(phx_context *context, const phx_model *model, const phx_measurements *data, phx_fit *fit)
{
    const phx_model_identify *identify = &model->identify;
    const size_t n = (size_t)data->n, m = (size_t)identify->n_parameters;

    *fit = (phx_fit){.original = model, .data = data, .n = (int)n, .m = (int)m};
    const phx_array arrays[] = {
        {&fit->x, 5 * m}, {&fit->value, 2 * n}, {&fit->slope, n * m}, {&fit->normal, m * m + m}};
    fit->overrides = phx_calloc(context, m + 1, sizeof *fit->overrides);
    fit->names = phx_calloc(context, m + 1, sizeof *fit->names);
    phx_status status = phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);
    if (!fit->overrides || !fit->names)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_model_copy_present(context, model, &fit->model);
    if (status) {
        phx_fit_free(fit);
        return status;
    }
    fit->low = fit->x + m;
    fit->high = fit->x + 2 * m;
    fit->gradient = fit->normal + m * m;
    for (size_t p = 0; p < m; p++) {
        const phx_model_identify_parameter *wanted = &identify->parameters[p];
        fit->names[p] = wanted->name;
        fit->x[p] = model->parameters[wanted->parameter].value;
        fit->low[p] = wanted->min.given ? wanted->min.value : -HUGE_VAL;
        fit->high[p] = wanted->max.given ? wanted->max.value : HUGE_VAL;
    }
    return PHX_OK;
}

static phx_status fit_move(phx_context *context, phx_fit *fit, const double *x)
{
    for (int p = 0; p < fit->m; p++)
        fit->overrides[p] = (phx_model_override){.name = fit->names[p], .value = x[p]};
    return phx_model_set_parameters(context, fit->model, fit->m, fit->overrides);
}

/* Values into `value`, or with derivatives by the parameters into `found`, if it is not NULL. */
static phx_status fit_evaluate(phx_context *context, const phx_fit *fit, const phx_measurements *data, double shift,
                               double *value, phx_gradient *found)
{
    phx_gradient_options options = phx_gradient_options_default();
    char **texts = NULL;
    phx_status status = phx_measured_texts(context, fit->model, data, shift, &texts);

    options.n_objectives = data->n;
    options.objectives = (const char *const *)texts;
    options.n_parameters = fit->m;
    options.parameters = fit->names;
    if (!status && found)
        status = phx_gradient_find(context, fit->model, &options, found);
    else if (!status)
        status = phx_objectives_evaluate(context, fit->model, data->n, options.objectives, value);
    phx_measured_texts_free(texts);
    return status;
}

phx_status phx_fit_values(phx_context *context, phx_fit *fit, const double *x, const phx_measurements *data,
                          double *value)
{
    const phx_status status = fit_move(context, fit, x);

    return status ? status : fit_evaluate(context, fit, data, 0.0, value, NULL);
}

/* ---- derivatives by delays ---- */
/* d delay/d x_p of all time series into `slope`, by a difference that is exact for linear expressions. */
static phx_status delay_slopes(phx_context *context, phx_fit *fit, int p, double *slope)
{
    const int count = fit->original->identify.n_time_series;
    const double x = fit->x[p];
    double step = phx_neighbour_step(x, PHX_STEP_OF_PARTS);
    phx_status status = PHX_ERR_INPUT;

    for (int k = 0; k < count; k++)
        slope[k] = fit->model->identify.time_series[k].delay;
    for (int side = 0; side < 2 && status == PHX_ERR_INPUT; side++) { /* one of them may be no value of the parameter */
        fit->x[p] = x + (step = -step);
        status = fit_move(context, fit, fit->x);
    }
    fit->x[p] = x;
    for (int k = 0; k < count && !status; k++)
        slope[k] = (fit->model->identify.time_series[k].delay - slope[k]) / step;
    return status ? status : fit_move(context, fit, fit->x);
}

/* d y(t - delay) = dy - y' ddelay for the time series, y' by differences between neighbouring instants. */
static phx_status add_delays(phx_context *context, phx_fit *fit)
{
    const size_t count = (size_t)fit->original->identify.n_time_series;
    double *delay = phx_calloc(context, count + 1, sizeof *delay), *rate = fit->value + fit->n;
    phx_status status = delay ? PHX_OK : PHX_ERR_MEMORY;
    bool known = false;

    for (int p = 0; p < fit->m && !status; p++) {
        status = delay_slopes(context, fit, p, delay);
        for (int k = 0; k < fit->n && !status; k++) {
            const phx_measured_group *group = &fit->data->groups[fit->data->rows[k].group];
            if (group->kind != PHX_MEASURED_SERIES || delay[group->index] == 0.0)
                continue;
            if (!known)
                status = fit_evaluate(context, fit, fit->data, DELAY_SHIFT, rate, NULL);
            known = true;
            fit->slope[k * fit->m + p] -=
                delay[group->index] * (rate[k] - fit->value[k]) / (DELAY_SHIFT * phx_measured_shift(fit->data, k));
        }
    }
    phx_free(delay);
    return status;
}

/* The gradient at a place inside the bounds, where the model accepts the neighbours of all parameters, with the values
 * at x. */
static phx_status gradient_inside(phx_context *context, phx_fit *fit, phx_gradient *found)
{
    double *x = fit->x + 4 * fit->m;

    for (int p = 0; p < fit->m; p++) {
        const int parameter = fit->original->identify.parameters[p].parameter;
        const double start = fit->original->parameters[parameter].value;
        const double distance = 4.0 * phx_neighbour_step(fit->x[p] != 0.0 ? fit->x[p] : start, PHX_STEP_OF_PARTS);
        x[p] = fmax(fmin(fit->x[p], fit->high[p] - distance), fit->low[p] + distance);
    }
    phx_status status = fit_move(context, fit, x);
    if (!status)
        status = fit_evaluate(context, fit, fit->data, 0.0, NULL, found);
    return status ? status : phx_fit_values(context, fit, fit->x, fit->data, found->value);
}

/* Residuals and their derivatives at the present point. */
phx_status phx_fit_differentiate(phx_context *context, phx_fit *fit)
{
    phx_gradient found = {0};
    phx_status status = fit_move(context, fit, fit->x);

    if (!status)
        status = fit_evaluate(context, fit, fit->data, 0.0, NULL, &found);
    if (status == PHX_ERR_INPUT)
        status = gradient_inside(context, fit, &found);
    if (!status) {
        memcpy(fit->value, found.value, (size_t)fit->n * sizeof *fit->value);
        memcpy(fit->slope, found.gradient, (size_t)fit->n * (size_t)fit->m * sizeof *fit->slope);
        status = add_delays(context, fit);
    }
    phx_gradient_free(&found);
    return status;
}

/* ---- the cost and its linear model ---- */
/* r^T W^2 r of model values. */
static double cost_of(const phx_measurements *data, const double *value)
{
    double cost = 0.0;

    for (int k = 0; k < data->n; k++)
        cost += pow(data->rows[k].weight * (value[k] - data->rows[k].value), 2);
    return cost;
}

void phx_fit_weigh(phx_fit *fit)
{
    const int m = fit->m;

    memset(fit->normal, 0, (size_t)(m * m + m) * sizeof *fit->normal);
    for (int k = 0; k < fit->n; k++) {
        const double weight = fit->data->rows[k].weight, *slope = fit->slope + k * m;
        for (int p = 0; p < m; p++) {
            fit->gradient[p] += weight * slope[p] * weight * (fit->value[k] - fit->data->rows[k].value);
            for (int q = 0; q < m; q++)
                fit->normal[p * m + q] += weight * slope[p] * weight * slope[q];
        }
    }
    fit->cost = cost_of(fit->data, fit->value);
}

int phx_fit_held(const phx_fit *fit, int p)
{
    return fit->x[p] <= fit->low[p] && fit->gradient[p] >= 0.0    ? -1
           : fit->x[p] >= fit->high[p] && fit->gradient[p] <= 0.0 ? 1
                                                                  : 0;
}

/* ---- a step ---- */
/* (A + lambda D^2) s = -g over the parameters that are not fixed, scaled by D; the rows of the others give their
 * steps. room: m (m + 1). */
static phx_status solve_free(phx_context *context, const phx_fit *fit, double lambda, const bool *fixed, double *step,
                             double *room)
{
    const int m = fit->m;
    double *a = room, *b = room + m * m;

    for (int p = 0; p < m; p++) {
        const double scale = sqrt(fit->normal[p * m + p]);
        const bool moves = !fixed[p] && scale > 0.0; /* without influence: not moved */
        b[p] = moves ? -fit->gradient[p] / scale : 0.0;
        for (int q = 0; q < m; q++) {
            const double other = sqrt(fit->normal[q * m + q]);
            a[p * m + q] = p == q ? 1.0 + lambda * moves : 0.0;
            if (moves && fixed[q])
                b[p] -= fit->normal[p * m + q] / scale * step[q];
            else if (moves && p != q && other > 0.0)
                a[p * m + q] = fit->normal[p * m + q] / (scale * other);
        }
    }
    const phx_status status = phx_dense_solve(context, m, a, 1, b);
    for (int p = 0; p < m && !status; p++)
        if (!fixed[p])
            step[p] = fit->normal[p * m + p] > 0.0 ? b[p] / sqrt(fit->normal[p * m + p]) : 0.0;
    return status;
}

/* The step within the bounds: parameters that would leave them are fixed there and the others solved again. */
static phx_status bounded_step(phx_context *context, const phx_fit *fit, double lambda, double *step, double *room)
{
    bool *fixed = phx_calloc(context, (size_t)fit->m + 1, sizeof *fixed), again = true;
    phx_status status = fixed ? PHX_OK : PHX_ERR_MEMORY;

    for (int p = 0; p < fit->m && !status; p++) {
        fixed[p] = phx_fit_held(fit, p) != 0;
        step[p] = 0.0;
    }
    while (again && !status) {
        again = false;
        status = solve_free(context, fit, lambda, fixed, step, room);
        for (int p = 0; p < fit->m && !status; p++) {
            const double least = fit->low[p] - fit->x[p], most = fit->high[p] - fit->x[p];
            if (fixed[p] || (step[p] >= least && step[p] <= most))
                continue;
            step[p] = step[p] < least ? least : most;
            fixed[p] = again = true;
        }
    }
    phx_free(fixed);
    return status;
}

/* The decrease of the cost by the linear model, -(2 g^T s + s^T A s); *size: the largest change of a parameter over its
 * value. */
static double expected_decrease(const phx_fit *fit, const double *step, double *size)
{
    double sum = 0.0;

    *size = 0.0;
    for (int p = 0; p < fit->m; p++) {
        sum -= 2.0 * fit->gradient[p] * step[p];
        for (int q = 0; q < fit->m; q++)
            sum -= step[p] * fit->normal[p * fit->m + q] * step[q];
        if (step[p] != 0.0)
            *size = fmax(*size, fabs(step[p]) / fmax(fabs(fit->x[p]), fabs(fit->x[p] + step[p])));
    }
    return sum;
}

/* The largest cosine between the residuals and a column of J, of parameters that can move. */
static double free_gradient(const phx_fit *fit)
{
    double largest = 0.0;

    for (int p = 0; p < fit->m; p++) {
        const double scale = sqrt(fit->normal[p * fit->m + p] * fit->cost);
        if (scale > 0.0 && !phx_fit_held(fit, p))
            largest = fmax(largest, fabs(fit->gradient[p]) / scale);
    }
    return largest;
}

/* ---- the iteration ---- */
/* Lambda and by what it grows after the next failure (Nielsen). */
typedef struct damping {
    double lambda, growth;
} damping;

/* Tries one step. *cost: at fit->x + step, HUGE_VAL if the model cannot be evaluated there. */
static phx_status try_step(phx_context *context, phx_fit *fit, const double *step, double *x, double *cost)
{
    double *value = fit->value + fit->n;

    for (int p = 0; p < fit->m; p++)
        x[p] = fmin(fmax(fit->x[p] + step[p], fit->low[p]), fit->high[p]);
    const phx_status status = phx_fit_values(context, fit, x, fit->data, value);
    *cost = status ? HUGE_VAL : cost_of(fit->data, value);
    if (!status || status == PHX_ERR_MEMORY || status == PHX_INTERRUPTED)
        return status;
    phx_free(fit->refused);
    fit->refused = phx_strdup(context, phx_context_message(context));
    return fit->refused ? PHX_OK : PHX_ERR_MEMORY;
}

/* One iteration: raises lambda until a step succeeds. *ended: fit->end says why there is none. room: m (m + 1). */
static phx_status fit_iterate(phx_context *context, phx_fit *fit, damping *d, double *room, bool *ended)
{
    double *step = fit->x + 3 * fit->m, *x = fit->x + 4 * fit->m, cost = 0.0, size = 0.0;

    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        phx_status status = bounded_step(context, fit, d->lambda, step, room);
        const double expected = status ? 0.0 : expected_decrease(fit, step, &size);
        *ended = !status && (size <= STEP_SMALL || expected <= CHANGE_SMALL * fit->cost) && cost < HUGE_VAL;
        if (*ended) {
            fit->end = fit->refused         ? PHX_IDENTIFY_REFUSED
                       : size <= STEP_SMALL ? PHX_IDENTIFY_STEP
                                            : PHX_IDENTIFY_CHANGE;
            return PHX_OK;
        }
        if (!status)
            status = try_step(context, fit, step, x, &cost);
        if (status)
            return status;
        if (fit->cost - cost > GAIN_LEAST * expected) {
            const double gain = (fit->cost - cost) / expected;
            if (trial == 0) {
                phx_free(fit->refused);
                fit->refused = NULL;
            }
            fit->iterations++;
            phx_log(context, PHX_LOG_INFO, "iteration %d: sum of squares %.8g, before %.8g; step %.2g, lambda %.2g",
                    fit->iterations, cost, fit->cost, size, d->lambda);
            memcpy(fit->x, x, (size_t)fit->m * sizeof *x);
            *d = (damping){fmax(d->lambda * fmax(1.0 / 3.0, 1.0 - pow(2.0 * gain - 1.0, 3.0)), LAMBDA_LEAST), 2.0};
            return phx_fit_differentiate(context, fit);
        }
        *d = (damping){d->lambda * d->growth, 2.0 * d->growth};
    }
    return phx_fail(context, PHX_ERR_ANALYSIS, "no step decreases the sum of squares %.8g%s%s", fit->cost,
                    fit->refused ? ": " : "", fit->refused ? fit->refused : "");
}

/* Levenberg and Marquardt: steps until the gradient, the step or the change of the cost is small. */
phx_status phx_fit_solve(phx_context *context, phx_fit *fit, int iterations)
{
    damping d = {LAMBDA_START, 2.0};
    double *room = phx_calloc(context, (size_t)fit->m * (size_t)(fit->m + 1), sizeof *room);
    phx_status status = room ? PHX_OK : PHX_ERR_MEMORY;
    bool ended = false;

    phx_fit_weigh(fit);
    for (int k = 0; !ended && !status; k++) {
        fit->end = free_gradient(fit) <= GRADIENT_SMALL ? PHX_IDENTIFY_GRADIENT : PHX_IDENTIFY_ITERATIONS;
        if (fit->end == PHX_IDENTIFY_GRADIENT || k == iterations)
            break;
        status = phx_progress(context, "identification", k, iterations);
        if (!status)
            status = fit_iterate(context, fit, &d, room, &ended);
        if (!status && !ended)
            phx_fit_weigh(fit);
    }
    phx_free(room);
    return status;
}
