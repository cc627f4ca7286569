/* Parameters from measurements: weights, the fit, its statistics, and a second data set. */
#include "identify.h"

#include <math.h>
#include <string.h>

static const double LEAST_DEVIATION = 1e-12; /* estimated, over the first guess: of data without noise */
static const double SETTLED = 0.01;          /* relative change of the estimated deviations that ends the weighting */
static const double CORRELATED = 0.5;        /* of neighbouring residuals: the model misses something */
enum { MOST_ROUNDS = 6 };                    /* of weights, each with a fit */

phx_identify_options phx_identify_options_default(void)
{
    return (phx_identify_options){.iterations = 50};
}

/* Frees what an identification owns. */
void phx_identification_free(phx_identification *found)
{
    if (!found)
        return;
    for (int p = 0; found->parameters && p < found->n_parameters; p++)
        phx_free(found->parameters[p].name);
    for (int k = 0; found->series && k < found->n_series; k++)
        phx_free(found->series[k].name);
    for (int k = 0; found->undetermined && k < found->n_undetermined; k++)
        phx_free(found->undetermined[k]);
    phx_free(found->parameters);
    phx_free(found->correlation);
    phx_free(found->series);
    phx_free(found->rows);
    phx_free(found->undetermined);
    *found = (phx_identification){0};
}

/* Room for the result, with names and starts. */
static phx_status allocate_found(phx_context *context, const phx_fit *fit, phx_identification *found)
{
    const size_t n = (size_t)fit->n, m = (size_t)fit->m, groups = (size_t)fit->data->n_groups;

    *found = (phx_identification){.n_parameters = fit->m, .n_series = fit->data->n_groups, .n_rows = fit->n};
    found->parameters = phx_calloc(context, m + 1, sizeof *found->parameters);
    found->correlation = phx_calloc(context, m * m + 1, sizeof *found->correlation);
    found->series = phx_calloc(context, groups + 1, sizeof *found->series);
    found->rows = phx_calloc(context, n + 1, sizeof *found->rows);
    found->undetermined = phx_calloc(context, m + 1, sizeof *found->undetermined);
    if (!found->parameters || !found->correlation || !found->series || !found->rows || !found->undetermined)
        return PHX_ERR_MEMORY;
    for (size_t p = 0; p < m; p++) {
        found->parameters[p].start = fit->x[p];
        found->parameters[p].name = phx_strdup(context, fit->names[p]);
        if (!found->parameters[p].name)
            return PHX_ERR_MEMORY;
    }
    for (size_t g = 0; g < groups; g++) {
        found->series[g].name = phx_strdup(context, fit->data->groups[g].name);
        if (!found->series[g].name)
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* ---- weights ---- */
/* Deviations from the residuals, each with its share of the degrees of freedom: sigma^2 = sum r^2/(count (1 - m/n)).
 * Returns the largest relative change. */
static double estimate_deviations(const phx_fit *fit, phx_measurements *data, const double *first)
{
    const double share = fit->n > fit->m ? 1.0 - (double)fit->m / fit->n : 1.0;
    double largest = 0.0;

    for (int g = 0; g < data->n_groups; g++) {
        phx_measured_group *group = &data->groups[g];
        double sum = 0.0;
        if (!group->estimated)
            continue;
        for (int k = group->first; k < group->first + group->count; k++)
            sum += pow((fit->value[k] - data->rows[k].value) / data->rows[k].unit, 2);
        const double deviation = fmax(sqrt(sum / (group->count * share)), LEAST_DEVIATION * first[g]);
        largest = fmax(largest, fabs(deviation / group->deviation - 1.0));
        phx_measured_weigh(data, group, deviation);
    }
    return largest;
}

/* Fits and estimates weights alternately. The weights of one series alone do not change its fit. */
static phx_status fit_with_weights(phx_context *context, phx_fit *fit, phx_measurements *data, int iterations)
{
    double *first = phx_calloc(context, (size_t)data->n_groups + 1, sizeof *first);
    phx_status status = first ? phx_fit_differentiate(context, fit) : PHX_ERR_MEMORY;
    double change = 1.0;

    for (int g = 0; g < data->n_groups && !status; g++)
        first[g] = data->groups[g].deviation;
    for (int round = 0; round < MOST_ROUNDS && change > SETTLED && !status; round++) {
        status = phx_fit_solve(context, fit, iterations);
        if (!status)
            change = estimate_deviations(fit, data, first) * (data->n_groups > 1);
    }
    phx_fit_weigh(fit);
    phx_free(first);
    return status;
}

/* ---- residuals ---- */
/* Mean and root mean square of value - measured, and the correlation of neighbours. */
static void residual_numbers(const phx_measurements *data, const phx_measured_group *group, const double *value,
                             double *mean, double *rms, double *correlation)
{
    double sum = 0.0, squares = 0.0, products = 0.0, before = 0.0;

    for (int k = group->first; k < group->first + group->count; k++) {
        const double residual = value[k] - data->rows[k].value;
        sum += residual;
        squares += residual * residual;
        products += before * residual;
        before = residual;
    }
    *mean = sum / group->count;
    *rms = sqrt(squares / group->count);
    *correlation = squares > 0.0 ? products / squares : 0.0;
}

/* A row for each measurement, with the band of the model by its covariance. */
static void put_residuals(phx_context *context, const phx_fit *fit, phx_identification *found)
{
    enum { FEW = 20 }; /* residuals, too few for their correlation */

    for (int g = 0; g < found->n_series; g++) {
        const phx_measured_group *group = &fit->data->groups[g];
        phx_identified_series *series = &found->series[g];
        series->count = group->count;
        series->deviation = group->deviation;
        series->estimated = group->estimated;
        residual_numbers(fit->data, group, fit->value, &series->mean, &series->rms, &series->correlation);
        if (group->kind == PHX_MEASURED_SERIES && group->count >= FEW && series->correlation > CORRELATED)
            phx_log(
                context, PHX_LOG_WARNING,
                "%s: neighbouring residuals have a correlation of %.2f; the model misses part of the motion, and the "
                "intervals are too narrow",
                group->name, series->correlation);
    }
    for (int k = 0; k < found->n_rows; k++) {
        const phx_measured_row *row = &fit->data->rows[k];
        found->rows[k] = (phx_identified_row){row->group, row->at, row->value, fit->value[k], NAN};
    }
}

/* The fitted model beside a second file. Series are the first groups, in the same order. */
static phx_status validate(phx_context *context, phx_fit *fit, const char *file, phx_identification *found)
{
    phx_measurements data = {0};
    phx_status status = phx_measurements_read(context, fit->original, file, true, &data);
    double *value = status ? NULL : phx_calloc(context, (size_t)data.n + 1, sizeof *value), correlation;

    if (!status)
        status = value ? phx_fit_values(context, fit, fit->x, &data, value) : PHX_ERR_MEMORY;
    for (int g = 0; g < data.n_groups && !status; g++) {
        phx_identified_series *series = &found->series[g];
        series->validated = data.groups[g].count;
        residual_numbers(&data, &data.groups[g], value, &series->validated_mean, &series->validated_rms, &correlation);
    }
    phx_free(value);
    phx_measurements_free(&data);
    return status;
}

/* ---- the whole ---- */
/* The key is there, time series where a file of them is given, and starts within the bounds. */
static phx_status check_identify(phx_context *context, const phx_model *model, const phx_identify_options *options)
{
    const phx_model_identify *identify = &model->identify;

    if (!identify->given)
        return phx_fail(context, PHX_ERR_INPUT,
                        "%s: the model has no key 'identify', which names the parameters and "
                        "the measurements",
                        model->path);
    if ((options->data || options->validate) && identify->n_time_series == 0)
        return phx_model_fail(context, model, identify, PHX_ERR_INPUT,
                              "a file of measurements needs 'time_series' of 'identify', which names its columns");
    for (int p = 0; p < identify->n_parameters; p++) {
        const phx_model_identify_parameter *wanted = &identify->parameters[p];
        const double start = model->parameters[wanted->parameter].value;
        if ((wanted->min.given && start < wanted->min.value) || (wanted->max.given && start > wanted->max.value))
            return phx_model_fail(
                context, model, wanted, PHX_ERR_INPUT,
                "the start %s = %.10g is outside the bounds; change it under 'parameters', or by --set", wanted->name,
                start);
    }
    return PHX_OK;
}

/* The fit, its statistics and the comparison with a second file. */
static phx_status find_all(phx_context *context, const phx_identify_options *options, phx_measurements *data,
                           phx_fit *fit, phx_identification *found)
{
    phx_status status = allocate_found(context, fit, found);

    if (!status)
        status = fit_with_weights(context, fit, data, options->iterations);
    if (status)
        return status;
    put_residuals(context, fit, found);
    status = phx_fit_statistics(context, fit, found);
    found->end = fit->end;
    found->iterations = fit->iterations;
    if (!status && fit->end == PHX_IDENTIFY_ITERATIONS)
        phx_log(context, PHX_LOG_WARNING, "not converged in %d iterations; start closer, or allow more",
                options->iterations);
    if (!status && fit->end == PHX_IDENTIFY_REFUSED)
        phx_log(context, PHX_LOG_WARNING, "not converged: the model refuses larger steps; give bounds. %s",
                fit->refused);
    if (!status && options->validate)
        status = validate(context, fit, options->validate, found);
    return status;
}

/* Reads the measurements, fits, finds the statistics, and compares with a second data set. */
phx_status phx_identify(phx_context *context, const phx_model *model, const phx_identify_options *options,
                        phx_identification *found)
{
    if (!model || !options || !found)
        return phx_fail_null(context, __func__, "model, options or found");
    phx_measurements data = {0};
    phx_fit fit = {0};

    *found = (phx_identification){0};
    phx_status status = check_identify(context, model, options);
    if (!status)
        status = phx_measurements_read(context, model, options->data, false, &data);
    if (!status && data.n < model->identify.n_parameters)
        status = phx_model_fail(context, model, &model->identify, PHX_ERR_INPUT,
                                "%d measurements for %d parameters; give more of the former or fewer of the latter",
                                data.n, model->identify.n_parameters);
    if (!status)
        status = phx_fit_create(context, model, &data, &fit);
    if (!status)
        status = find_all(context, options, &data, &fit, found);
    phx_fit_free(&fit);
    phx_measurements_free(&data);
    if (status)
        phx_identification_free(found);
    return phx_conclude(context, status);
}
