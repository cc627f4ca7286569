/* Amplitudes of chosen columns of a result over the frequency. */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_ROWS = 8, BUCKETS = 600, DECADES = 8 };
static const double EVEN = 1e-6; /* steps that differ by less, relative, are even */

typedef struct samples {
    size_t count;
    double *t, *values, *even; /* times, a column, the column at even steps */
    double step;               /* s */
    bool uneven;
} samples;

static void samples_free(samples *s)
{
    phx_free(s->t);
    phx_free(s->values);
    phx_free(s->even);
}

/* Times ascend; their mean step, and whether the steps are even. */
static phx_status check_times(phx_context *context, const char *path, samples *s)
{
    const double mean = (s->t[s->count - 1] - s->t[0]) / (double)(s->count - 1);
    for (size_t i = 1; i < s->count; i++) {
        const double step = s->t[i] - s->t[i - 1];
        if (!(step > 0.0))
            return phx_fail(context, PHX_ERR_FILE, "%s: t does not ascend in row %zu, from %.17g to %.17g s", path,
                            i + 1, s->t[i - 1], s->t[i]);
        s->uneven = s->uneven || fabs(step - mean) > EVEN * mean;
    }
    s->step = mean;
    return PHX_OK;
}

/* Reads the times of the samples and finds their step; fewer than LEAST_ROWS rows fail. */
static phx_status read_times(const phx_plot_source *source, const char *path, samples *s)
{
    *s = (samples){.count = source->rows};
    if (s->count < LEAST_ROWS)
        return phx_fail(source->context, PHX_ERR_INPUT,
                        "%s: a spectrum needs %d rows at least, there are %zu; give a longer range of time", path,
                        LEAST_ROWS, s->count);
    s->t = phx_calloc(source->context, s->count, sizeof *s->t);
    s->values = phx_calloc(source->context, s->count, sizeof *s->values);
    s->even = phx_calloc(source->context, s->count, sizeof *s->even);
    if (!s->t || !s->values || !s->even)
        return PHX_ERR_MEMORY;
    const phx_status status = phx_plot_source_read(source, 0, 0, s->count, s->t);
    return status ? status : check_times(source->context, path, s);
}

/* The cubic through four neighbours (Lagrange), at t. */
static double cubic(const double *t_i, const double *values, double t)
{
    double sum = 0.0;
    for (int a = 0; a < 4; a++) {
        double factor = values[a];
        for (int b = 0; b < 4; b++)
            if (b != a)
                factor *= (t - t_i[b]) / (t_i[a] - t_i[b]);
        sum += factor;
    }
    return sum;
}

/* As many rows at even steps, on cubics through the four rows around each. */
static void resample(samples *s)
{
    size_t at = 0;
    for (size_t i = 0; i < s->count; i++) {
        const double t = s->t[0] + s->step * (double)i;
        while (at + 4 < s->count && s->t[at + 2] < t)
            at++;
        s->even[i] = cubic(s->t + at, s->values + at, t);
    }
}

/* Reads a column at equal steps, resampled if times are uneven; values that are not finite fail. */
static phx_status spectrum_read_values(const phx_plot_source *source, const char *path, int column, samples *s)
{
    const phx_status status = phx_plot_source_read(source, column, 0, s->count, s->values);
    for (size_t i = 0; i < s->count && !status; i++)
        if (!isfinite(s->values[i]))
            return phx_fail(
                source->context, PHX_ERR_INPUT,
                "%s: column %s is not a number at t = %g s; a spectrum needs all its values, choose a range "
                "of time without gaps",
                path, phx_shown_text(phx_plot_source_name(source, column)).text, s->t[i]);
    if (status)
        return status;
    if (s->uneven)
        resample(s);
    else
        memcpy(s->even, s->values, s->count * sizeof *s->even);
    return PHX_OK;
}

/* Extremes of groups of lines: of even width, or in proportion to the frequency on a logarithmic axis. */
static phx_status add_line(phx_result_picture *picture, phx_panel *panel, const phx_spectrum *spectrum,
                           const char *label)
{
    const size_t groups = panel->x_logarithmic ? (size_t)(BUCKETS * (2.0 + log((double)spectrum->count))) : BUCKETS;
    phx_line *line = phx_panel_add_line(&picture->chart, panel, label, phx_thinner_room(spectrum->count, groups) + 4);
    if (!line)
        return PHX_ERR_MEMORY;
    phx_thinner thinner = phx_thinner_start(line, spectrum->count, BUCKETS);
    for (size_t k = 0; k < spectrum->count; k++) {
        if (panel->x_logarithmic && thinner.seen == 0)
            thinner.group = k / BUCKETS + 1;
        phx_thinner_add(&thinner, spectrum->step * (double)(k + 1), spectrum->amplitudes[k]);
    }
    phx_thinner_end(&thinner);
    return PHX_OK;
}

/* Adds a panel with the amplitude spectra of the columns. */
static phx_status add_panel(phx_result_picture *picture, const phx_plot_options *options, const char *path,
                            const char *title, int count, const int *columns, const char *const *labels, samples *s)
{
    char text[PHX_PLOT_TEXT], name[PHX_PLOT_TEXT + 32];
    const bool several = count > 1 && labels[0] == phx_plot_source_name(&picture->source, columns[0]);
    snprintf(name, sizeof name, several ? "Amplitude" : "Amplitude of %s", title);
    phx_plot_with_unit(text, sizeof text, name, phx_plot_source_unit(&picture->source, columns[0]));
    phx_panel *panel = phx_chart_add_panel(&picture->chart, text, "frequency (Hz)");
    if (!panel)
        return PHX_ERR_MEMORY;
    panel->logarithmic = options->y_scale != PHX_SCALE_LINEAR;
    panel->x_logarithmic = options->x_scale == PHX_SCALE_LOGARITHMIC;
    panel->decades = DECADES;
    for (int i = 0; i < count; i++) {
        phx_spectrum spectrum = {0};
        phx_status status = spectrum_read_values(&picture->source, path, columns[i], s);
        if (!status)
            status = phx_spectrum_make(picture->source.context, s->count, s->even, s->step, &spectrum);
        if (!status)
            status = add_line(picture, panel, &spectrum, count > 1 ? labels[i] : NULL);
        phx_spectrum_free(&spectrum);
        if (status)
            return status;
    }
    return PHX_OK;
}

/* The picture says how the spectra were made. */
static phx_status spectrum_describe(phx_result_picture *picture, const samples *s)
{
    char text[PHX_PLOT_TEXT], step[PHX_NUMBER_SIZE], lines[PHX_NUMBER_SIZE];
    phx_number_format(s->step, 4, step);
    phx_number_format(1.0 / (s->step * (double)s->count), 3, lines);
    snprintf(text, sizeof text, "%s; Hann's window, resolution %s Hz%s%s%s", picture->chart.subtitle, lines,
             s->uneven ? ", uneven steps resampled to " : "", s->uneven ? step : "", s->uneven ? " s by cubics" : "");
    char *subtitle = phx_strdup(picture->source.context, text);
    if (!subtitle)
        return PHX_ERR_MEMORY;
    phx_free(picture->chart.subtitle);
    picture->chart.subtitle = subtitle;
    if (s->uneven)
        phx_log(picture->source.context, PHX_LOG_INFO, "the steps of time are uneven: resampled to %s s by cubics",
                step);
    return PHX_OK;
}

/* Adds a panel of spectra for each group of selected columns. */
static phx_status add_panels(phx_result_picture *picture, const phx_plot_options *options, const char *path,
                             const phx_selection *selection, samples *s)
{
    phx_context *context = picture->source.context;
    int *columns = phx_calloc(context, (size_t)selection->count, sizeof *columns);
    const char **labels = phx_calloc(context, (size_t)selection->count, sizeof *labels);
    phx_status status = columns && labels ? PHX_OK : PHX_ERR_MEMORY;
    for (int p = 0; p < selection->n_panels && !status; p++) {
        char title[PHX_PLOT_TEXT];
        const int count = phx_selection_panel(selection, &picture->source, p, title, sizeof title, columns, labels);
        status = add_panel(picture, options, path, title, count, columns, labels, s);
    }
    phx_free(columns);
    phx_free((void *)labels);
    return status;
}

/* Draws amplitudes of chosen columns over the frequency. */
phx_status phx_plot_spectrum(phx_context *context, const char *path, const char *picture_path,
                             const phx_plot_options *options)
{
    phx_result_picture picture;
    phx_selection selection = {0};
    samples s = {0};
    phx_status status = phx_result_picture_open(context, path, options, &picture);
    if (!status)
        status = phx_selection_make(&picture.source, options, path, &selection);
    if (!status)
        status = read_times(&picture.source, path, &s);
    if (!status)
        status = add_panels(&picture, options, path, &selection, &s);
    if (!status)
        status = spectrum_describe(&picture, &s);
    if (!status)
        status = phx_chart_write(&picture.chart, picture_path);
    samples_free(&s);
    phx_selection_free(&selection);
    phx_result_picture_close(&picture);
    return status;
}
