/* Pictures of linear models: Bode diagrams and maps of poles. */
#include "chart.h"
#include "plot.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 12, GRID = 500, NEAR = 8, TEXT_SIZE = 512 };

typedef struct linear_picture {
    phx_context *context;
    phx_ss *system;
    double *re, *im, *omega; /* poles */
    int *inputs, *outputs;   /* signals drawn */
    int n_inputs, n_outputs;
    int n_frequencies;
    double *frequencies; /* rad/s, ascending */
    phx_chart chart;
} linear_picture;

static void picture_free(linear_picture *picture)
{
    phx_ss_destroy(picture->system);
    phx_free(picture->re);
    phx_free(picture->im);
    phx_free(picture->omega);
    phx_free(picture->inputs);
    phx_free(picture->outputs);
    phx_free(picture->frequencies);
    phx_chart_free(&picture->chart);
}

static phx_status find_poles(linear_picture *picture)
{
    const size_t n = (size_t)phx_ss_n(picture->system);
    picture->re = phx_calloc(picture->context, n, sizeof *picture->re);
    picture->im = phx_calloc(picture->context, n, sizeof *picture->im);
    picture->omega = phx_calloc(picture->context, n, sizeof *picture->omega);
    if (!picture->re || !picture->im || !picture->omega)
        return PHX_ERR_MEMORY;
    return phx_ss_poles(picture->context, picture->system, picture->re, picture->im, picture->omega, NULL);
}

/* ---- which signals ---- */
typedef const char *name_of(const phx_ss *system, int k);

static phx_status find_signals(linear_picture *picture, const char *what, name_of *name, int all, int count,
                               const char *const *wanted, int *n, int **signals)
{
    *n = wanted ? count : all;
    *signals = phx_calloc(picture->context, (size_t)*n, sizeof **signals);
    if (!*signals)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < *n; k++) {
        phx_nearest nearest = phx_nearest_to(wanted ? wanted[k] : "");
        int at = wanted ? 0 : k;
        while (wanted && at < all && strcmp(name(picture->system, at), wanted[k]) != 0)
            phx_nearest_offer(&nearest, name(picture->system, at++));
        if (at == all)
            return phx_fail(picture->context, PHX_ERR_INPUT, "the model has no %s %s%s", what,
                            phx_shown_text(wanted[k]).text, phx_nearest_hint(&nearest).text);
        (*signals)[k] = at;
    }
    return PHX_OK;
}

/* ---- frequencies ---- */
static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Poles below this are what rounding makes of zero. */
static double zero_pole(const linear_picture *picture)
{
    const int n = phx_ss_n(picture->system);
    return n > 0 ? sqrt(n * DBL_EPSILON) * picture->omega[n - 1] : 0.0;
}

static void find_range(const linear_picture *picture, double *low, double *high)
{
    const int n = phx_ss_n(picture->system);
    const double zero = zero_pole(picture);
    double lowest = 0.0;
    for (int k = n - 1; k >= 0 && picture->omega[k] > zero; k--)
        lowest = picture->omega[k];
    *low = lowest > 0.0 ? 0.1 * lowest : 0.1;
    *high = lowest > 0.0 ? fmin(10.0 * picture->omega[n - 1], 1e4 * lowest) : 10.0;
}

/* A grid with even steps of the logarithm, and points close to each pole on either side, where the peaks are. */
static phx_status choose_frequencies(linear_picture *picture)
{
    static const double near[NEAR / 2] = {1e-3, 4e-3, 1.5e-2, 5e-2};
    const int n = phx_ss_n(picture->system), grid = n > 100 ? GRID / 3 : GRID;
    double low, high;
    picture->frequencies = phx_calloc(picture->context, (size_t)grid + NEAR * (size_t)n, sizeof(double));
    if (!picture->frequencies)
        return PHX_ERR_MEMORY;
    find_range(picture, &low, &high);
    for (int i = 0; i < grid; i++)
        picture->frequencies[picture->n_frequencies++] = low * pow(high / low, (double)i / (grid - 1));
    for (int k = 0; k < n; k++)
        for (int i = 0; i < NEAR && picture->im[k] > 0.0; i++) {
            const double omega = picture->omega[k] * (1.0 + (i % 2 ? near[i / 2] : -near[i / 2]));
            if (omega > low && omega < high)
                picture->frequencies[picture->n_frequencies++] = omega;
        }
    qsort(picture->frequencies, (size_t)picture->n_frequencies, sizeof(double), compare);
    return PHX_OK;
}

/* ---- Bode diagram ---- */
/* Degrees nearest to those before: the phase does not jump by a turn. */
static double unwrapped(double re, double im, double before)
{
    const double turn = 360.0, phase = atan2(im, re) * (180.0 / acos(-1.0));
    return isfinite(before) ? phase + turn * rint((before - phase) / turn) : phase;
}

static phx_status add_lines(linear_picture *picture, phx_panel *panel, int lines)
{
    for (int k = 0; k < lines; k++) {
        char label[TEXT_SIZE];
        snprintf(label, sizeof label, "%s \xE2\x86\x92 %s",
                 phx_ss_input(picture->system, picture->inputs[k / picture->n_outputs]),
                 phx_ss_output(picture->system, picture->outputs[k % picture->n_outputs]));
        if (!phx_panel_add_line(&picture->chart, panel, label, (size_t)picture->n_frequencies))
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* The response at frequency i into the lines of both panels. */
static phx_status add_response(linear_picture *picture, int i, int lines, double *response)
{
    const phx_status status = phx_ss_response(picture->context, picture->system, picture->frequencies[i], response);
    if (status && status != PHX_SINGULAR)
        return status;
    for (int k = 0; k < lines; k++) {
        phx_line *magnitude = &picture->chart.panels[0].lines[k], *phase = &picture->chart.panels[1].lines[k];
        const int input = picture->inputs[k / picture->n_outputs], output = picture->outputs[k % picture->n_outputs];
        const double *h = response + 2 * (output * phx_ss_inputs(picture->system) + input);
        const double size = status ? NAN : hypot(h[0], h[1]);
        magnitude->x[i] = phase->x[i] = picture->frequencies[i];
        magnitude->y[i] = size;
        phase->y[i] = size > 0.0 ? unwrapped(h[0], h[1], i > 0 ? phase->y[i - 1] : NAN) : NAN;
    }
    return PHX_OK;
}

static phx_status add_bode(linear_picture *picture)
{
    const int all = picture->n_inputs * picture->n_outputs, lines = all < MOST_LINES ? all : MOST_LINES;
    const size_t cells = (size_t)phx_ss_inputs(picture->system) * (size_t)phx_ss_outputs(picture->system);
    static const char *const titles[] = {"Magnitude", "Phase (degrees)"};
    phx_status status = choose_frequencies(picture);
    for (int p = 0; p < 2 && !status; p++) {
        phx_panel *panel = phx_chart_add_panel(&picture->chart, titles[p], "frequency (rad/s)");
        if (!panel)
            return PHX_ERR_MEMORY;
        panel->logarithmic = p == 0;
        panel->x_logarithmic = true;
        status = add_lines(picture, panel, lines);
    }
    double *response = phx_calloc(picture->context, 2 * cells, sizeof *response);
    if (!status && !response)
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < picture->n_frequencies && !status; i++)
        status = add_response(picture, i, lines, response);
    phx_free(response);
    return status;
}

/* ---- poles ---- */
static phx_status add_poles(linear_picture *picture)
{
    const int n = phx_ss_n(picture->system);
    phx_panel *panel = phx_chart_add_panel(&picture->chart, "Poles: imaginary part (rad/s)", "real part (1/s)");
    phx_line *line = panel ? phx_panel_add_line(&picture->chart, panel, NULL, (size_t)n) : NULL;
    if (!line)
        return PHX_ERR_MEMORY;
    panel->scattered = true;
    for (int k = 0; k < n; k++) {
        line->x[k] = picture->re[k];
        line->y[k] = picture->im[k];
    }
    return PHX_OK;
}

/* ---- the whole ---- */
static phx_status read_system(linear_picture *picture, const char *path, char *title, size_t size)
{
    phx_bundle *bundle = NULL;
    phx_status status = phx_exchange_read(picture->context, path, &bundle);
    if (status)
        return status;
    status = phx_bundle_get_ss(picture->context, bundle, &picture->system);
    if (status && status != PHX_ERR_MEMORY)
        phx_fail_prefix(picture->context, status, "%s: ", path);
    const phx_bundle_item *item = phx_bundle_find(bundle, "title");
    const char *slash = strrchr(path, '/');
    snprintf(title, size, "%s", item && item->text ? item->text : slash ? slash + 1 : path);
    phx_bundle_destroy(bundle);
    return status;
}

static phx_status choose_signals(linear_picture *picture, const phx_plot_linear_options *options)
{
    const phx_ss *system = picture->system;
    const phx_status status = find_signals(picture, "input", phx_ss_input, phx_ss_inputs(system), options->n_inputs,
                                           options->inputs, &picture->n_inputs, &picture->inputs);
    return status ? status
                  : find_signals(picture, "output", phx_ss_output, phx_ss_outputs(system), options->n_outputs,
                                 options->outputs, &picture->n_outputs, &picture->outputs);
}

phx_status phx_plot_linear(phx_context *context, const char *path, const char *svg_path,
                           const phx_plot_linear_options *given)
{
    const phx_plot_linear_options options = given ? *given : (phx_plot_linear_options){.poles = false};
    linear_picture picture = {.context = context};
    char title[TEXT_SIZE], subtitle[TEXT_SIZE];
    phx_status status = read_system(&picture, path, title, sizeof title);
    if (!status)
        status = find_poles(&picture);
    if (!status)
        status = choose_signals(&picture, &options);
    if (!status) {
        const int all = picture.n_inputs * picture.n_outputs;
        snprintf(subtitle, sizeof subtitle, "%d states%s", phx_ss_n(picture.system),
                 options.poles || all <= MOST_LINES ? "" : ", the first 12 responses");
        status = phx_chart_create(context, title, subtitle, &picture.chart);
    }
    if (!status)
        status = options.poles ? add_poles(&picture) : add_bode(&picture);
    if (!status)
        status = phx_chart_write(&picture.chart, svg_path);
    picture_free(&picture);
    return status;
}
