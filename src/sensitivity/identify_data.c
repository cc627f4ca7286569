/* Measurements from the files that a model names, and the objectives that are compared with them. */
#include "identify.h"
#include "file/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double END_OF_RUN = 1e-9; /* share of the end of a run by which rounding moves a sample beyond it */

void phx_measurements_free(phx_measurements *measurements)
{
    for (int g = 0; g < measurements->n_groups; g++)
        phx_free(measurements->groups[g].name);
    phx_free(measurements->groups);
    phx_free(measurements->rows);
    *measurements = (phx_measurements){0};
}

static phx_status put_row(phx_context *context, phx_measurements *m, double at, double value, double unit)
{
    if (m->n == m->room) {
        const int room = m->room ? 2 * m->room : 64;
        phx_measured_row *grown = phx_realloc(context, m->rows, (size_t)room, sizeof *grown);
        if (!grown)
            return PHX_ERR_MEMORY;
        m->rows = grown;
        m->room = room;
    }
    m->rows[m->n++] = (phx_measured_row){at, value, unit, 0.0, m->n_groups - 1};
    return PHX_OK;
}

/* Begins a group, whose rows follow. */
static phx_status put_group(phx_context *context, phx_measurements *m, phx_measured_kind kind, int index,
                            const phx_model_optional *deviation, const char *file, const char *column)
{
    const char *slash = strrchr(file, '/'), *last = slash ? slash + 1 : file;
    const size_t size = strlen(last) + strlen(column) + 3;
    phx_measured_group *group = &m->groups[m->n_groups];

    *group = (phx_measured_group){kind, index, m->n, 0, phx_calloc(context, size, 1), deviation->value, true};
    if (!group->name)
        return PHX_ERR_MEMORY;
    group->estimated = !deviation->given;
    m->n_groups++;
    snprintf(group->name, size, *column ? "%s: %s" : "%s", last, column);
    return PHX_OK;
}

/* The end of its rows. A deviation to be estimated is at first the root mean square of the measurements. */
static phx_status end_group(phx_context *context, phx_measurements *m)
{
    phx_measured_group *group = &m->groups[m->n_groups - 1];
    double sum = 0.0;

    group->count = m->n - group->first;
    if (group->count == 0)
        return phx_fail(context, PHX_ERR_INPUT, "%s: no sample lies between 'from' and 'to'", group->name);
    for (int k = group->first; k < m->n; k++)
        sum += pow(m->rows[k].value / m->rows[k].unit, 2);
    phx_measured_weigh(m, group, !group->estimated ? group->deviation : sum > 0.0 ? sqrt(sum / group->count) : 1.0);
    return PHX_OK;
}

void phx_measured_weigh(phx_measurements *measurements, phx_measured_group *group, double deviation)
{
    group->deviation = deviation;
    for (phx_measured_row *row = measurements->rows + group->first;
         row < measurements->rows + group->first + group->count; row++)
        row->weight = 1.0 / (deviation * row->unit);
}

/* A file that cannot be read is an error of the model, at the key that names it (NULL: of the call). */
static phx_status blame_file(phx_context *context, const phx_model *model, const void *field, phx_status status)
{
    const phx_model_source place = field ? phx_model_where(model, field) : (phx_model_source){0};

    if (status != PHX_ERR_FILE)
        return status;
    return field ? phx_fail_prefix(context, PHX_ERR_INPUT, "%s:%d:%d: ", model->path, place.line, place.column)
                 : PHX_ERR_INPUT;
}

/* The samples of a time series within its limits. */
static phx_status read_series(phx_context *context, const phx_model *model, int index, const char *data,
                              phx_measurements *m)
{
    const phx_model_time_series *series = &model->identify.time_series[index];
    const char *file = data ? data : series->file;
    phx_csv csv = {0};

    if (!file)
        return phx_model_fail(context, model, series, PHX_ERR_INPUT,
                              "the time series '%s' has no file; give 'file', or --data FILE", series->column);
    phx_status status =
        blame_file(context, model, data ? NULL : &series->file, phx_csv_read(context, file, series->column, &csv));
    if (status)
        return status;
    const size_t width = phx_csv_find(&csv, series->column) > 0 ? 2 : 1;
    status = put_group(context, m, PHX_MEASURED_SERIES, index, &series->deviation, file, series->column);
    for (size_t k = 0; k < csv.n_rows && !status; k++) {
        const double t = csv.values[k * width];
        if ((!series->from.given || t >= series->from.value) && (!series->to.given || t <= series->to.value))
            status = put_row(context, m, t, csv.values[k * width + width - 1], 1.0);
    }
    phx_csv_free(&csv);
    return status ? status : end_group(context, m);
}

/* Frequencies with a deviation of their own, which is then their unit, or all others, whose deviations are one share of
 * their values. */
static phx_status read_frequencies(phx_context *context, const phx_model *model, bool given, phx_measurements *m)
{
    const phx_model_identify *identify = &model->identify;
    const phx_model_optional deviation = {given, 1.0};
    int count = 0;

    for (int k = 0; k < identify->n_frequencies; k++)
        count += identify->frequencies[k].deviation.given == given;
    if (count == 0)
        return PHX_OK;
    phx_status status = put_group(context, m, PHX_MEASURED_FREQUENCIES, -1, &deviation,
                                  given ? "frequencies with deviations" : "frequencies", "");
    for (int k = 0; k < identify->n_frequencies && !status; k++) {
        const phx_model_frequency *row = &identify->frequencies[k];
        if (row->deviation.given == given)
            status = put_row(context, m, row->mode, row->value, given ? row->deviation.value : row->value);
    }
    return status ? status : end_group(context, m);
}

/* Real and imaginary part at each frequency, from those or from gain and phase. */
static phx_status read_response(phx_context *context, const phx_model *model, int index, phx_measurements *m)
{
    static const char *const names[2][3] = {{"omega", "re", "im"}, {"omega", "gain", "phase"}};
    const phx_model_response *response = &model->identify.responses[index];
    int column[3] = {0}, form = 0;
    phx_csv csv = {0};
    phx_status status = blame_file(context, model, &response->file, phx_csv_read(context, response->file, NULL, &csv));

    if (status)
        return status;
    form = phx_csv_find(&csv, "gain") >= 0;
    for (int c = 0; c < 3 && !status; c++) {
        column[c] = phx_csv_find(&csv, names[form][c]);
        if (column[c] < 0)
            status = phx_model_fail(context, model, &response->file, PHX_ERR_INPUT,
                                    "%s has no column '%s'; expected omega, re and im, or omega, gain and phase",
                                    response->file, names[form][c]);
    }
    if (!status)
        status = put_group(context, m, PHX_MEASURED_RESPONSE, index, &response->deviation, response->file, "");
    for (size_t k = 0; k < csv.n_rows && !status; k++) {
        const double *row = csv.values + k * (size_t)csv.n_columns, a = row[column[1]], b = row[column[2]];
        if (!(row[column[0]] > 0.0))
            status = phx_model_fail(context, model, &response->file, PHX_ERR_INPUT,
                                    "%s: omega is %g rad/s; expected numbers greater than 0", response->file,
                                    row[column[0]]);
        if (!status)
            status = put_row(context, m, row[column[0]], form ? a * cos(b) : a, 1.0);
        if (!status)
            status = put_row(context, m, row[column[0]], form ? a * sin(b) : b, 1.0);
    }
    phx_csv_free(&csv);
    return status ? status : end_group(context, m);
}

/* All measurements of the key `identify`, in its order. */
phx_status phx_measurements_read(phx_context *context, const phx_model *model, const char *data, bool series_alone,
                                 phx_measurements *measurements)
{
    const phx_model_identify *identify = &model->identify;
    const int n_responses = series_alone ? 0 : identify->n_responses;
    phx_status status = PHX_OK;

    *measurements = (phx_measurements){0};
    measurements->groups = phx_calloc(context, (size_t)(identify->n_time_series + identify->n_responses) + 2,
                                      sizeof *measurements->groups);
    if (!measurements->groups)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < identify->n_time_series && !status; k++)
        status = read_series(context, model, k, data, measurements);
    for (int given = 0; given < 2 && !series_alone && !status; given++)
        status = read_frequencies(context, model, given, measurements);
    for (int k = 0; k < n_responses && !status; k++)
        status = read_response(context, model, k, measurements);
    if (status)
        phx_measurements_free(measurements);
    return status;
}

/* ---- objectives ---- */
double phx_measured_shift(const phx_measurements *measurements, int k)
{
    const phx_measured_group *group = &measurements->groups[measurements->rows[k].group];
    const phx_measured_row *rows = measurements->rows + group->first;
    const double span = rows[group->count - 1].at - rows[0].at, length = span > 0.0 ? span : fmax(rows[0].at, 1.0);

    return 2 * (k - group->first) + 1 < group->count ? length : -length;
}

/* simulate.at(T - delay, EXPRESSION) within the run. */
static phx_status write_series_text(phx_context *context, const phx_model *model, const phx_measured_group *group,
                                    double at, double shift, size_t size, char *text)
{
    const phx_model_time_series *series = &model->identify.time_series[group->index];
    const phx_model_optional end = model->simulate.end;
    double t = at - series->delay + shift;

    if (end.given && t > end.value && t <= end.value * (1.0 + END_OF_RUN))
        t = end.value;
    if ((end.given && t > end.value) || (t < 0.0 && !model->initial.from))
        return phx_fail(
            context, PHX_ERR_INPUT,
            "%s: the sample at %g s shows the motion at %g s, outside the run from 0 to %g s; leave samples "
            "out with 'from' and 'to', or change 'end' of 'simulate'",
            group->name, at, t, end.value);
    snprintf(text, size, series->model ? "simulate.at(%.17g,%s)" : "simulate.at(%.17g,y(%s))", t,
             series->model ? series->model : series->column);
    return PHX_OK;
}

/* The objective of row k. */
static phx_status write_text(phx_context *context, const phx_model *model, const phx_measurements *measurements, int k,
                             double shift, size_t size, char *text)
{
    const double at = measurements->rows[k].at;
    const phx_measured_group *group = &measurements->groups[measurements->rows[k].group];

    if (group->kind == PHX_MEASURED_SERIES)
        return write_series_text(context, model, group, at, shift * phx_measured_shift(measurements, k), size, text);
    if (group->kind == PHX_MEASURED_FREQUENCIES) {
        snprintf(text, size, "modes.frequency.%d", (int)at);
    } else {
        const phx_model_response *response = &model->identify.responses[group->index];
        snprintf(text, size, "linearize.%s.%.17g.%d.%d", (k - group->first) % 2 ? "im" : "re", at, response->output,
                 response->input);
    }
    return PHX_OK;
}

/* An objective for each measurement, as phx_objective_parse reads it. */
phx_status phx_measured_texts(phx_context *context, const phx_model *model, const phx_measurements *measurements,
                              double shift, char ***texts)
{
    enum { NUMBERS = 96 }; /* room for words and numbers of a text */
    const size_t n = (size_t)measurements->n;
    size_t longest = 0;
    phx_status status = PHX_OK;

    for (int k = 0; k < model->identify.n_time_series; k++) {
        const phx_model_time_series *series = &model->identify.time_series[k];
        const size_t length = strlen(series->model ? series->model : series->column);
        longest = length > longest ? length : longest;
    }
    *texts = phx_calloc(context, n + 1, sizeof **texts);
    char *block = *texts ? phx_calloc(context, n + 1, longest + NUMBERS) : NULL;
    if (!block)
        status = PHX_ERR_MEMORY;
    else
        (*texts)[0] = block;
    for (int k = 0; k < measurements->n && !status; k++) {
        (*texts)[k] = block + (size_t)k * (longest + NUMBERS);
        status = write_text(context, model, measurements, k, shift, longest + NUMBERS, (*texts)[k]);
    }
    if (status) {
        phx_measured_texts_free(*texts);
        *texts = NULL;
    }
    return status;
}

void phx_measured_texts_free(char **texts)
{
    if (texts)
        phx_free(texts[0]);
    phx_free(texts);
}
