/* Pictures of linear models: Bode, Nyquist and Nichols diagrams, and maps of poles. */
#include "plot.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
enum { MOST_LINES = 12, GRID = 500, NEAR = 8, SAMPLES = 64 };
/* A response this much smaller than its bound by the states, |c| |x| + |d|, is rounding: solving for
 * them leaves errors of n eps times the condition of i omega - A in all of them, in proportion to the largest. */
static const double ROUNDING = 1e-10;
static const double FIRST_PHASE = -170.0; /* degrees: of loops, near which their phases begin */
static const double SLOWEST = 1e-3;       /* of half the samples: where a diagram begins at the latest */
static const double LOOP_BELOW = 1e-2;    /* of the lowest pole: where that of a loop begins */
static const double FARTHEST = 4.0;       /* magnitude that a Nyquist diagram shows: its subject is -1 */
static const double LEAST_DB = -100.0, LARGEST_DB = 80.0; /* of a Nichols diagram */

typedef struct linear_picture {
    phx_context *context;
    phx_ss *system;
    phx_plot_kind kind;
    bool decibels;
    double sample;           /* s: of a sampled model; 0: continuous */
    double *re, *im, *omega; /* poles */
    int *inputs, *outputs;   /* signals drawn */
    int n_inputs, n_outputs;
    int n_frequencies;
    double *frequencies; /* rad/s, ascending */
    phx_bundle *bundle;  /* of the file */
    int n_zero, n_more;  /* responses left out: zero to rounding; beyond the most that are drawn */
    phx_chart chart;
} linear_picture;

static void picture_free(linear_picture *picture)
{
    phx_bundle_destroy(picture->bundle);
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
    return picture->sample > 0.0
               ? phx_ss_sampled_poles(picture->context, picture->system, picture->sample, picture->re, picture->im,
                                      picture->omega, NULL)
               : phx_ss_poles(picture->context, picture->system, picture->re, picture->im, picture->omega, NULL);
}

/* ---- which signals ---- */
typedef const char *name_of(const phx_ss *system, int k);

/* Indices of the wanted inputs or outputs, all if there is no choice; an unknown name fails with the nearest one. */
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
static int linear_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest magnitude but those of delays, which have none. */
static double fastest_pole(const linear_picture *picture)
{
    int last = phx_ss_n(picture->system) - 1;
    while (last >= 0 && isinf(picture->omega[last]))
        last--;
    return last >= 0 ? picture->omega[last] : 0.0;
}

/* Poles below this are zero to rounding. */
static double zero_pole(const linear_picture *picture)
{
    const int n = phx_ss_n(picture->system);
    return n > 0 ? sqrt(n * DBL_EPSILON) * fastest_pole(picture) : 0.0;
}

static void find_range(const linear_picture *picture, const phx_plot_options *options, double *low, double *high)
{
    const int n = phx_ss_n(picture->system);
    const double zero = zero_pole(picture);
    double lowest = 0.0;
    for (int k = n - 1; k >= 0 && picture->omega[k] > zero; k--)
        lowest = isinf(picture->omega[k]) ? lowest : picture->omega[k];
    *low = lowest > 0.0 ? 0.1 * lowest : 0.1;
    *high = lowest > 0.0 ? fmin(10.0 * fastest_pole(picture), 1e4 * lowest) : 10.0;
    if (picture->sample > 0.0) { /* up to half the samples */
        *high = PI / picture->sample;
        *low = fmin(*low, SLOWEST * *high);
    }
    if (picture->kind != PHX_PLOT_ALL || picture->decibels) /* a loop: from where its gain is large */
        *low = fmin(*low, LOOP_BELOW * (lowest > 0.0 ? lowest : 1.0));
    if (options->from > 0.0)
        *low = options->from;
    if (options->to < HUGE_VAL)
        *high = options->to;
}

/* A grid with even steps of the logarithm, and points close to each pole on either side, where the peaks are. */
static phx_status choose_frequencies(linear_picture *picture, const phx_plot_options *options)
{
    static const double near[NEAR / 2] = {1e-3, 4e-3, 1.5e-2, 5e-2};
    static const double widths[] = {0.0, 0.15, 0.3, 0.5, 0.75, 1.0, 1.4, 2.0, 3.0, 5.0, 9.0}; /* of a resonance */
    enum { WIDTHS = sizeof widths / sizeof *widths };
    const bool loci = picture->kind != PHX_PLOT_ALL;
    const int n = phx_ss_n(picture->system), grid = n > 100 ? GRID / 3 : loci ? 3 * GRID : GRID;
    double low, high;
    picture->frequencies = phx_calloc(picture->context, (size_t)grid + (NEAR + 2 * WIDTHS) * (size_t)n, sizeof(double));
    if (!picture->frequencies)
        return PHX_ERR_MEMORY;
    find_range(picture, options, &low, &high);
    if (!(low < high && low > 0.0))
        return phx_fail(
            picture->context, PHX_ERR_INPUT,
            "the frequencies of a Bode diagram go from a positive one up to a higher one, not from %g to %g "
            "rad/s; the poles lie between %g and %g",
            low, high, n ? picture->omega[0] : 0.0, n ? picture->omega[n - 1] : 0.0);
    for (int i = 0; i < grid; i++)
        picture->frequencies[picture->n_frequencies++] = low * pow(high / low, (double)i / (grid - 1));
    for (int k = 0; k < n; k++)
        for (int i = 0; i < NEAR && picture->im[k] > 0.0; i++) {
            const double omega = picture->omega[k] * (1.0 + (i % 2 ? near[i / 2] : -near[i / 2]));
            if (omega > low && omega < high)
                picture->frequencies[picture->n_frequencies++] = omega;
        }
    for (int k = 0; k < n && loci; k++)
        for (int i = 0; i < 2 * WIDTHS && picture->im[k] > 0.0; i++) {
            const double omega = picture->im[k] + (i % 2 ? 1.0 : -1.0) * widths[i / 2] * picture->re[k];
            if (omega > low && omega < high)
                picture->frequencies[picture->n_frequencies++] = omega;
        }
    qsort(picture->frequencies, (size_t)picture->n_frequencies, sizeof(double), linear_compare);
    return PHX_OK;
}

/* ---- Bode diagram ---- */
/* Degrees nearest to those before: the phase does not jump by a turn. */
static double unwrapped(double re, double im, double before)
{
    const double turn = 360.0, phase = atan2(im, re) * (180.0 / PI);
    return isfinite(before) ? phase + turn * rint((before - phase) / turn) : phase;
}

/* The inputs and outputs chosen; or all states as the outputs. */
static phx_status chosen_system(const linear_picture *picture, bool states, phx_ss **system)
{
    const phx_ss *all = picture->system;
    const int n = phx_ss_n(all), m = picture->n_inputs, p = states ? n : picture->n_outputs;
    const size_t wide = (size_t)n;
    double *B = phx_calloc(picture->context, wide * (size_t)m, sizeof *B);
    double *C = phx_calloc(picture->context, (size_t)p * wide, sizeof *C);
    double *D = phx_calloc(picture->context, (size_t)p * (size_t)m, sizeof *D);
    phx_status status = B && C && D ? PHX_OK : PHX_ERR_MEMORY;
    for (int j = 0; j < m && !status; j++)
        for (int k = 0; k < n; k++)
            B[k * m + j] = phx_ss_B(all)[k * phx_ss_inputs(all) + picture->inputs[j]];
    for (int i = 0; i < p && !status; i++) {
        if (states) {
            C[(size_t)i * wide + (size_t)i] = 1.0;
            continue;
        }
        memcpy(C + (size_t)i * wide, phx_ss_C(all) + (size_t)picture->outputs[i] * wide, wide * sizeof *C);
        for (int j = 0; j < m; j++)
            D[i * m + j] = phx_ss_D(all)[picture->outputs[i] * phx_ss_inputs(all) + picture->inputs[j]];
    }
    const phx_ss_def def = {.n = n, .n_inputs = m, .n_outputs = p, .A = phx_ss_A(all), .B = B, .C = C, .D = D};
    if (!status)
        status = phx_ss_create(picture->context, &def, system);
    phx_free(B);
    phx_free(C);
    phx_free(D);
    return status;
}

/* Responses of the chosen signals, one after the other; NaN at a pole. To be freed. */
static phx_status find_responses(const linear_picture *picture, bool states, int count, const double *frequencies,
                                 double **responses)
{
    phx_ss *system = NULL;
    phx_status status = chosen_system(picture, states, &system);
    if (status)
        return status;
    const size_t entries = 2 * (size_t)phx_ss_outputs(system) * (size_t)phx_ss_inputs(system);
    *responses = phx_calloc(picture->context, entries * (size_t)count, sizeof **responses);
    status = *responses
                 ? phx_ss_responses_sampled(picture->context, system, picture->sample, count, frequencies, *responses)
                 : PHX_ERR_MEMORY;
    bool single = status == PHX_SINGULAR;
    for (int i = 0; i < count && single; i++) {
        double *response = *responses + (size_t)i * entries;
        status = phx_ss_responses_sampled(picture->context, system, picture->sample, 1, &frequencies[i], response);
        single = !status || status == PHX_SINGULAR;
        for (size_t k = 0; k < entries && status; k++)
            response[k] = NAN;
    }
    phx_ss_destroy(system);
    return single ? PHX_OK : status;
}

/* The data of a Bode diagram: responses at all frequencies, and the size of the states at some of them. */
typedef struct bode {
    double *responses; /* frequencies x outputs x inputs, complex */
    int n_samples;
    int samples[SAMPLES]; /* which frequencies */
    double *norms;        /* samples x inputs */
} bode;

static double linear_norm(size_t count, const double *values)
{
    double sum = 0.0;
    for (size_t k = 0; k < count; k++)
        sum += values[k] * values[k];
    return sqrt(sum);
}

/* Norms |(i w - A)^-1 b_j| of the states at sampled frequencies, against which round-off in responses is judged. */
static phx_status find_norms(const linear_picture *picture, bode *response)
{
    const int n = phx_ss_n(picture->system), m = picture->n_inputs, last = picture->n_frequencies - 1;
    double frequencies[SAMPLES], *states = NULL;
    response->n_samples = last < SAMPLES ? last + 1 : SAMPLES;
    for (int s = 0; s < response->n_samples; s++) {
        response->samples[s] = last < SAMPLES ? s : (int)((long)s * last / (SAMPLES - 1));
        frequencies[s] = picture->frequencies[response->samples[s]];
    }
    response->norms = phx_calloc(picture->context, (size_t)response->n_samples * (size_t)m, sizeof *response->norms);
    phx_status status =
        response->norms ? find_responses(picture, true, response->n_samples, frequencies, &states) : PHX_ERR_MEMORY;
    for (int s = 0; s < response->n_samples && !status; s++)
        for (int j = 0; j < m; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++)
                sum = hypot(sum,
                            linear_norm(2, states + 2 * (((size_t)s * (size_t)n + (size_t)k) * (size_t)m + (size_t)j)));
            response->norms[s * m + j] = sum;
        }
    phx_free(states);
    return status;
}

static const double *response_of(const linear_picture *picture, const bode *response, int frequency, int i, int j)
{
    const size_t row = (size_t)frequency * (size_t)picture->n_outputs + (size_t)i;
    return response->responses + 2 * (row * (size_t)picture->n_inputs + (size_t)j);
}

/* The response of output i to input j is zero to rounding wherever the states are known. */
static bool linear_is_zero(const linear_picture *picture, const bode *response, int i, int j)
{
    const size_t n = (size_t)phx_ss_n(picture->system), m = (size_t)phx_ss_inputs(picture->system);
    const double c = linear_norm(n, phx_ss_C(picture->system) + (size_t)picture->outputs[i] * n);
    const double d = linear_norm(m, phx_ss_D(picture->system) + (size_t)picture->outputs[i] * m);
    for (int s = 0; s < response->n_samples; s++)
        if (linear_norm(2, response_of(picture, response, response->samples[s], i, j)) >
            ROUNDING * (c * response->norms[s * picture->n_inputs + j] + d))
            return false;
    return true;
}

/* The response as a line of the Nyquist diagram, and that of negative frequencies; or of the Nichols diagram. */
static phx_status add_locus(linear_picture *picture, const bode *response, int i, int j, const char *label)
{
    const size_t count = (size_t)picture->n_frequencies;
    const bool nyquist = picture->kind == PHX_PLOT_NYQUIST;
    phx_panel *panel = &picture->chart.panels[0];
    phx_line *line = phx_panel_add_line(&picture->chart, panel, label, count);
    phx_line *mirror = line && nyquist ? phx_panel_add_line(&picture->chart, panel, NULL, count) : NULL;

    if (!line || (nyquist && !mirror))
        return PHX_ERR_MEMORY;
    line = mirror ? mirror - 1 : line;
    double phase = FIRST_PHASE;
    for (size_t f = 0; f < count; f++) {
        const double *h = response_of(picture, response, (int)f, i, j), size = hypot(h[0], h[1]);
        const double decibels = 20.0 * log10(size);
        const bool inside = nyquist ? size <= FARTHEST : decibels >= LEAST_DB && decibels <= LARGEST_DB;
        phase = size > 0.0 && isfinite(size) ? unwrapped(h[0], h[1], phase) : phase;
        line->x[f] = nyquist ? h[0] : phase;
        line->y[f] = !inside ? NAN : nyquist ? h[1] : decibels;
        if (!inside || !isfinite(line->x[f]))
            line->x[f] = nyquist ? -1.0 : isfinite(phase) ? phase : -180.0;
        if (mirror) {
            mirror->x[f] = line->x[f];
            mirror->y[f] = -line->y[f];
        }
    }
    if (mirror)
        mirror->guide = true;
    return PHX_OK;
}

/* The response as a line of both panels. */
static phx_status add_response(linear_picture *picture, const bode *response, int i, int j)
{
    const size_t count = (size_t)picture->n_frequencies;
    char label[PHX_PLOT_TEXT];
    snprintf(label, sizeof label, "%s \xE2\x86\x92 %s", phx_ss_input(picture->system, picture->inputs[j]),
             phx_ss_output(picture->system, picture->outputs[i]));
    if (picture->kind != PHX_PLOT_ALL)
        return add_locus(picture, response, i, j, label);
    phx_line *magnitude = phx_panel_add_line(&picture->chart, &picture->chart.panels[0], label, count);
    phx_line *phase = magnitude ? phx_panel_add_line(&picture->chart, &picture->chart.panels[1], label, count) : NULL;
    if (!phase)
        return PHX_ERR_MEMORY;
    double before = picture->decibels ? FIRST_PHASE : NAN;
    for (size_t f = 0; f < count; f++) {
        const double *h = response_of(picture, response, (int)f, i, j), size = hypot(h[0], h[1]);
        magnitude->x[f] = phase->x[f] = picture->frequencies[f];
        magnitude->y[f] = picture->decibels ? 20.0 * log10(size) : size;
        before = f > 0 ? phase->y[f - 1] : before;
        phase->y[f] = size > 0.0 ? unwrapped(h[0], h[1], before) : NAN;
    }
    return PHX_OK;
}

/* Where the file is of a reduced model: column of the model's own responses for output i and input j; -1: none. */
static int model_column(const linear_picture *picture, int i, int j)
{
    const phx_bundle_item *values = phx_bundle_find(picture->bundle, "reduction_model_response");
    const phx_bundle_item *names = phx_bundle_find(picture->bundle, "reduction_model_outputs");
    const phx_bundle_item *omega = phx_bundle_find(picture->bundle, "reduction_omega");
    const int m = phx_ss_inputs(picture->system);

    if (!values || !values->re || !values->im || !names || !names->names || !omega || omega->rows != values->rows ||
        values->cols != names->rows * m)
        return -1;
    for (int k = 0; k < names->rows; k++)
        if (!strcmp(names->names[k], phx_ss_output(picture->system, picture->outputs[i])))
            return k * m + picture->inputs[j];
    return -1;
}

/* The response of the model that has been reduced, thin and grey, within the range of the picture. */
static phx_status add_model(linear_picture *picture, int i, int j)
{
    const int column = model_column(picture, i, j);
    if (column < 0)
        return PHX_OK;
    const phx_bundle_item *values = phx_bundle_find(picture->bundle, "reduction_model_response");
    const double *omega = phx_bundle_find(picture->bundle, "reduction_omega")->re;
    const size_t rows = (size_t)values->rows;
    const double low = picture->frequencies[0], high = picture->frequencies[picture->n_frequencies - 1];
    phx_line *magnitude = phx_panel_add_line(&picture->chart, &picture->chart.panels[0], NULL, rows);
    phx_line *phase = magnitude ? phx_panel_add_line(&picture->chart, &picture->chart.panels[1], NULL, rows) : NULL;
    if (!phase)
        return PHX_ERR_MEMORY;
    magnitude->guide = phase->guide = true;
    for (size_t f = 0; f < rows; f++) {
        const double re = values->re[f * (size_t)values->cols + (size_t)column];
        const double im = values->im[f * (size_t)values->cols + (size_t)column], size = hypot(re, im);
        const bool inside = omega[f] >= low && omega[f] <= high;
        magnitude->x[f] = phase->x[f] = inside ? omega[f] : low;
        magnitude->y[f] = !inside ? NAN : picture->decibels ? 20.0 * log10(size) : size;
        phase->y[f] = inside && size > 0.0 ? unwrapped(re, im, f > 0 ? phase->y[f - 1] : NAN) : NAN;
    }
    return PHX_OK;
}

/* Adds the responses of all pairs of signals; zero ones and those beyond MOST_LINES are only counted. */
static phx_status add_responses(linear_picture *picture)
{
    bode response = {0};
    phx_status status =
        find_responses(picture, false, picture->n_frequencies, picture->frequencies, &response.responses);
    if (!status)
        status = find_norms(picture, &response);
    for (int j = 0; j < picture->n_inputs && !status; j++)
        for (int i = 0; i < picture->n_outputs && !status; i++) {
            if (linear_is_zero(picture, &response, i, j))
                picture->n_zero++;
            else if (picture->chart.panels[0].n_lines == MOST_LINES)
                picture->n_more++;
            else
                status = add_response(picture, &response, i, j);
        }
    const int drawn = picture->chart.panels[0].n_lines;
    for (int j = 0; j < picture->n_inputs && !status && drawn > 0 && picture->kind == PHX_PLOT_ALL; j++)
        for (int i = 0; i < picture->n_outputs && !status; i++)
            if (!linear_is_zero(picture, &response, i, j) && drawn < MOST_LINES)
                status = add_model(picture, i, j);
    phx_free(response.responses);
    phx_free(response.norms);
    return status;
}

/* Name the responses left out under the title. */
static phx_status tell_left_out(linear_picture *picture)
{
    char zero[80] = "", more[64] = "", text[PHX_PLOT_TEXT];
    if (picture->n_zero) {
        snprintf(zero, sizeof zero, "; left out: %d response%s zero to rounding", picture->n_zero,
                 picture->n_zero > 1 ? "s" : "");
        phx_log(picture->context, PHX_LOG_INFO, "left out of the picture: %d response%s below %g of what the states do",
                picture->n_zero, picture->n_zero > 1 ? "s" : "", ROUNDING);
    }
    if (picture->n_more)
        snprintf(more, sizeof more, "; the first %d of %d responses", MOST_LINES, MOST_LINES + picture->n_more);
    snprintf(text, sizeof text, "%s%s%s", picture->chart.subtitle, zero, more);
    phx_free(picture->chart.subtitle);
    picture->chart.subtitle = phx_strdup(picture->context, text);
    return picture->chart.subtitle ? PHX_OK : PHX_ERR_MEMORY;
}

/* A number of the file; NAN: it has none. */
static double number_of(const phx_bundle *bundle, const char *name)
{
    const phx_bundle_item *item = phx_bundle_find(bundle, name);
    return !item                                                             ? NAN
           : item->kind == PHX_BUNDLE_NUMBER                                 ? item->number
           : item->kind == PHX_BUNDLE_MATRIX && item->rows * item->cols == 1 ? item->re[0]
                                                                             : NAN;
}

/* Lines at 0 dB and -180 degrees and at the least margins of a loop, which stand below the title. */
static phx_status add_margins(linear_picture *picture)
{
    static const char *const names[] = {"gain_margin", "phase_margin"}, *const units[] = {"dB", "degrees"};
    const double low = picture->frequencies[0], high = picture->frequencies[picture->n_frequencies - 1];
    char text[PHX_PLOT_TEXT];

    snprintf(text, sizeof text, "%s", picture->chart.subtitle);
    for (int p = 0; p < 2; p++) {
        char name[40];
        snprintf(name, sizeof name, "%s_omega", names[p]);
        const double value = number_of(picture->bundle, names[p]), omega = number_of(picture->bundle, name);
        phx_panel *panel = &picture->chart.panels[p];
        phx_line *level = phx_panel_add_line(&picture->chart, panel, NULL, 2);
        if (!level)
            return PHX_ERR_MEMORY;
        level->guide = true;
        level->x[0] = low;
        level->x[1] = high;
        level->y[0] = level->y[1] = p ? -180.0 : 0.0;
        if (!isfinite(value) || !(omega > low && omega < high))
            continue;
        const double shown = p ? value * 180.0 / PI : 20.0 * log10(value);
        phx_line *margin = phx_panel_add_line(&picture->chart, panel, NULL, 2);
        if (!margin)
            return PHX_ERR_MEMORY;
        margin->x[0] = margin->x[1] = omega;
        margin->y[0] = p ? -180.0 : 0.0;
        margin->y[1] = p ? -180.0 + shown : -shown;
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "; %s margin %.3g %s", p ? "phase" : "gain", shown, units[p]);
    }
    phx_free(picture->chart.subtitle);
    picture->chart.subtitle = phx_strdup(picture->context, text);
    return picture->chart.subtitle ? PHX_OK : PHX_ERR_MEMORY;
}

/* Adds magnitude and phase over the frequency, and a note on responses left out. */
static phx_status add_bode(linear_picture *picture, const phx_plot_options *options)
{
    const char *const titles[] = {picture->decibels ? "Magnitude (dB)" : "Magnitude", "Phase (degrees)"};
    phx_status status = choose_frequencies(picture, options);
    for (int p = 0; p < 2 && !status; p++) {
        phx_panel *panel = phx_chart_add_panel(&picture->chart, titles[p], "frequency (rad/s)");
        if (!panel)
            return PHX_ERR_MEMORY;
        panel->logarithmic = p == 0 && !picture->decibels;
        panel->x_logarithmic = true;
        panel->once = panel->degrees = p == 1;
    }
    if (!status)
        status = add_responses(picture);
    if (!status && picture->decibels)
        status = add_margins(picture);
    return status ? status : tell_left_out(picture);
}

/* Adds the responses in the complex plane with the unit circle, or magnitude over phase, and the point -1. */
static phx_status add_loci(linear_picture *picture, const phx_plot_options *options)
{
    const bool nyquist = picture->kind == PHX_PLOT_NYQUIST;
    enum { CIRCLE = 145 };
    phx_panel *panel = phx_chart_add_panel(&picture->chart, nyquist ? "Imaginary part" : "Magnitude (dB)",
                                           nyquist ? "real part" : "phase (degrees)");
    phx_status status = panel ? choose_frequencies(picture, options) : PHX_ERR_MEMORY;

    if (!status) {
        panel->equal = nyquist;
        status = add_responses(picture);
    }
    panel = &picture->chart.panels[0];
    phx_line *guide = status ? NULL : phx_panel_add_line(&picture->chart, panel, NULL, nyquist ? CIRCLE : 2);
    if (!status && !guide)
        status = PHX_ERR_MEMORY;
    for (int k = 0; guide && k < (nyquist ? CIRCLE : 2); k++) {
        guide->guide = true;
        guide->x[k] = nyquist ? cos(2.0 * PI * k / (CIRCLE - 1)) : -180.0;
        guide->y[k] = nyquist ? sin(2.0 * PI * k / (CIRCLE - 1)) : k ? 12.0 : -12.0;
    }
    for (int way = 0; way < 2 && !status; way++) { /* a cross */
        phx_line *bar = phx_panel_add_line(&picture->chart, &picture->chart.panels[0], NULL, 2);
        if (!bar)
            return PHX_ERR_MEMORY;
        bar->guide = true;
        for (int k = 0; k < 2; k++) {
            const double along = way ? 0.0 : 2.0 * k - 1.0, across = way ? 2.0 * k - 1.0 : 0.0;
            bar->x[k] = nyquist ? -1.0 + 0.15 * along : -180.0 + 10.0 * along;
            bar->y[k] = nyquist ? 0.15 * across : 4.0 * across;
        }
    }
    return status ? status : tell_left_out(picture);
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
    phx_status status = phx_exchange_read(picture->context, path, &picture->bundle);
    const phx_bundle *bundle = picture->bundle;
    if (status)
        return status;
    status = phx_bundle_get_ss(picture->context, bundle, &picture->system);
    if (status && status != PHX_ERR_MEMORY)
        phx_fail_prefix(picture->context, status, "%s: ", path);
    const double sample = status ? NAN : number_of(bundle, "sample");
    picture->sample = sample > 0.0 ? sample : 0.0;
    picture->decibels = picture->decibels || phx_bundle_find(bundle, "closed_loop_stable");
    const phx_bundle_item *item = phx_bundle_find(bundle, "title");
    const char *slash = strrchr(path, '/');
    snprintf(title, size, "%s", item && item->text ? item->text : slash ? slash + 1 : path);
    return status;
}

static phx_status choose_signals(linear_picture *picture, const phx_plot_options *options)
{
    const phx_ss *system = picture->system;
    const phx_status status = find_signals(picture, "input", phx_ss_input, phx_ss_inputs(system), options->n_inputs,
                                           options->inputs, &picture->n_inputs, &picture->inputs);
    return status ? status
                  : find_signals(picture, "output", phx_ss_output, phx_ss_outputs(system), options->n_outputs,
                                 options->outputs, &picture->n_outputs, &picture->outputs);
}

/* Draws the Bode diagram or the poles of a linear model. */
phx_status phx_plot_linear(phx_context *context, const char *path, const char *picture_path,
                           const phx_plot_options *options)
{
    linear_picture picture = {.context = context, .kind = options->kind, .decibels = options->decibels};
    char title[PHX_PLOT_TEXT], subtitle[PHX_PLOT_TEXT];
    phx_status status = read_system(&picture, path, title, sizeof title);
    if (!status)
        status = find_poles(&picture);
    if (!status)
        status = choose_signals(&picture, options);
    if (!status) {
        const bool reduced =
            options->kind == PHX_PLOT_ALL && phx_bundle_find(picture.bundle, "reduction_model_response");
        snprintf(subtitle, sizeof subtitle, "%d states%s", phx_ss_n(picture.system),
                 reduced ? "; thin: the model before its reduction" : "");
        status = phx_chart_create(context, title, subtitle, &picture.chart);
    }
    if (!status) {
        picture.chart.page = options->page;
        status = options->kind == PHX_PLOT_POLES ? add_poles(&picture)
                 : options->kind == PHX_PLOT_ALL ? add_bode(&picture, options)
                                                 : add_loci(&picture, options);
    }
    if (!status)
        status = phx_chart_write(&picture.chart, picture_path);
    picture_free(&picture);
    return status;
}
