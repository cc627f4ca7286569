/* The report of a linear model: poles and DC gain. */
#include "internal.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Frees everything in the report and leaves it empty. */
void phx_linear_report_free(phx_linear_report *report)
{
    if (!report)
        return;
    phx_free(report->title);
    phx_ss_destroy(report->system);
    phx_free(report->re);
    phx_free(report->im);
    phx_free(report->omega);
    phx_free(report->damping);
    phx_free(report->dc_gain);
    if (report->margins)
        phx_margins_free(report->margins);
    phx_free(report->margins);
    phx_casimirs_free(report->n_casimirs, report->casimirs);
    phx_reduction_destroy(report->reduction);
    phx_bundle_destroy(report->bundle);
    *report = (phx_linear_report){0};
}

void phx_linear_report_residual(phx_linear_report *report, const char *name, double value)
{
    report->residuals[report->n_residuals++] = (phx_residual){name, value};
}

static phx_status find_poles(phx_context *context, phx_linear_report *report)
{
    const size_t n = (size_t)phx_ss_n(report->system);
    report->re = phx_calloc(context, n, sizeof *report->re);
    report->im = phx_calloc(context, n, sizeof *report->im);
    report->omega = phx_calloc(context, n, sizeof *report->omega);
    report->damping = phx_calloc(context, n, sizeof *report->damping);
    if (!report->re || !report->im || !report->omega || !report->damping)
        return PHX_ERR_MEMORY;
    return report->sample > 0.0
               ? phx_ss_sampled_poles(context, report->system, report->sample, report->re, report->im, report->omega,
                                      report->damping)
               : phx_ss_poles(context, report->system, report->re, report->im, report->omega, report->damping);
}

/* With poles at zero there is no DC gain of all outputs, but of those that do not observe these poles: accelerations of
 * a mechanism that can move. */
static phx_status find_dc_gain_of(phx_context *context, const phx_ss *system, phx_linear_report *report)
{
    const int inputs = phx_ss_inputs(system), outputs = phx_ss_outputs(system);
    double *gain = phx_calloc(context, (size_t)inputs * (size_t)outputs, sizeof *gain);
    phx_status status = gain ? PHX_SINGULAR : PHX_ERR_MEMORY;

    if (gain && report->rigid == 0)
        status = phx_ss_dc_gain(context, system, gain);
    report->dc_gain = gain;
    report->dc_rows = outputs;
    if (status != PHX_SINGULAR)
        return status;
    phx_context_clear(context);
    report->dc_rows = 0;
    status = phx_ss_dc_gain_by_outputs(context, system, gain);
    for (int i = 0; i < outputs && !status && inputs > 0; i++)
        report->dc_rows += !isnan(gain[i * inputs]);
    return status;
}

/* The DC gain, of a sampled system that of (A - I, B, C, D): both have their poles of free motions at zero. */
static phx_status find_dc_gain(phx_context *context, phx_linear_report *report)
{
    if (report->margins) /* most loops have integrators */
        return PHX_OK;
    if (report->sample == 0.0)
        return find_dc_gain_of(context, report->system, report);
    phx_ss_def def = phx_ss_definition(report->system);
    double *A = phx_calloc(context, (size_t)def.n * (size_t)def.n + 1, sizeof *A);
    phx_ss *system = NULL;
    phx_status status = A ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < def.n * def.n && !status; k++)
        A[k] = def.A[k] - (double)(k % (def.n + 1) == 0);
    def.A = A;
    if (!status)
        status = phx_ss_create(context, &def, &system);
    if (!status)
        status = find_dc_gain_of(context, system, report);
    phx_ss_destroy(system);
    phx_free(A);
    return status;
}

/* The margins of a loop, SI units: those that are least, and all crossings. */
static void add_margins(const phx_margins *m, phx_bundle *bundle)
{
    const struct {
        const char *name, *about;
        double value, omega;
    } least[] = {{"gain_margin", "least factor above 1 at which the loop is on its edge", m->gain_up, m->gain_up_omega},
                 {"gain_reduction", "largest factor below 1", m->gain_down, m->gain_down_omega},
                 {"phase_margin", "rad", m->phase_least, m->phase_least_omega},
                 {"delay_margin", "s", m->delay_least, m->delay_least_omega},
                 {"sensitivity_peak", "max |1/(1 + L)|", m->sensitivity, m->sensitivity_omega},
                 {"complementary_peak", "max |L/(1 + L)|", m->complementary, m->complementary_omega}};
    char name[64];

    for (size_t k = 0; k < sizeof least / sizeof *least; k++) {
        if (!isfinite(least[k].value) || (k == 1 && least[k].value == 0.0))
            continue; /* there is none */
        phx_bundle_add_number(bundle, least[k].name, least[k].value);
        phx_bundle_describe(bundle, least[k].about, NULL);
        snprintf(name, sizeof name, "%s_omega", least[k].name);
        if (isfinite(least[k].omega)) {
            phx_bundle_add_number(bundle, name, least[k].omega);
            phx_bundle_describe(bundle, "where, rad/s", NULL);
        }
    }
    phx_bundle_add_number(bundle, "closed_loop_stable", m->stable);
    const int finite = m->n_gain > 0 && isinf(m->gain_omega[m->n_gain - 1]) ? m->n_gain - 1 : m->n_gain;
    phx_bundle_add_matrix(bundle, "gain_margins", 1, finite, m->gain, NULL);
    phx_bundle_add_matrix(bundle, "gain_margins_omega", 1, finite, m->gain_omega, NULL);
    phx_bundle_add_matrix(bundle, "phase_margins", 1, m->n_phase, m->phase, NULL);
    phx_bundle_add_matrix(bundle, "delay_margins", 1, m->n_phase, m->delay, NULL);
    phx_bundle_add_matrix(bundle, "phase_margins_omega", 1, m->n_phase, m->phase_omega, NULL);
}

static phx_status add_casimirs(phx_context *context, const phx_linear_report *report)
{
    const char **texts = phx_calloc(context, (size_t)report->n_casimirs, sizeof *texts);

    if (!texts)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < report->n_casimirs; k++)
        texts[k] = report->casimirs[k].text;
    phx_bundle_add_names(report->bundle, "casimirs", report->n_casimirs, texts);
    phx_free((void *)texts);
    return PHX_OK;
}

/* Adds poles and DC gain to the report, and DC gain, residuals, Casimirs, title and the model to its bundle. Without a
 * state-space system there are no poles and no gain. */
phx_status phx_linear_report_fill(phx_context *context, const phx_model *model, phx_linear_report *report)
{
    phx_status status = report->system ? find_poles(context, report) : PHX_OK;
    if (!status && report->system)
        status = find_dc_gain(context, report);
    if (status)
        return status;
    phx_bundle *bundle = report->bundle;
    phx_bundle_made_from(bundle, model);
    if (report->dc_gain && report->dc_rows == phx_ss_outputs(report->system)) {
        phx_bundle_add_matrix(bundle, "dc_gain", phx_ss_outputs(report->system), phx_ss_inputs(report->system),
                              report->dc_gain, NULL);
        phx_bundle_describe(bundle, "D - C A^-1 B; rows: outputs, columns: inputs", NULL);
    }
    if (report->sample > 0.0) {
        phx_bundle_add_number(bundle, "sample", report->sample);
        phx_bundle_describe(bundle, "period of x+ = A x + B u, s", NULL);
    }
    if (report->margins)
        add_margins(report->margins, bundle);
    for (int k = 0; k < report->n_residuals; k++)
        phx_bundle_add_number(bundle, report->residuals[k].name, report->residuals[k].value);
    const phx_status named = report->n_casimirs > 0 ? add_casimirs(context, report) : PHX_OK;
    if (named)
        return named;
    phx_bundle_add_text(bundle, "title", report->title);
    phx_bundle_add_text(bundle, "model", model->text);
    return phx_bundle_status(bundle);
}

/* ---- for reading ---- */
/* Names of inputs or outputs: of the state space, of a large model those of the bundle. */
typedef struct channel_names {
    int count;
    const char *(*of)(const phx_ss *system, int k);
    const phx_ss *system;
    const phx_bundle_item *item;
} channel_names;

static const char *channel_name(const channel_names *names, int k)
{
    return k >= names->count ? "" : names->system ? names->of(names->system, k) : names->item->names[k];
}

static channel_names inputs_of(const phx_linear_report *report)
{
    const phx_bundle_item *item = phx_bundle_find(report->bundle, "inputs");
    return (channel_names){report->system ? phx_ss_inputs(report->system) : item->rows, phx_ss_input, report->system,
                           item};
}

static channel_names outputs_of(const phx_linear_report *report)
{
    const phx_bundle_item *item = phx_bundle_find(report->bundle, "outputs");
    return (channel_names){report->system ? phx_ss_outputs(report->system) : item->rows, phx_ss_output, report->system,
                           item};
}

static void put_channels(FILE *stream, const channel_names *inputs, const channel_names *outputs)
{
    int width = 5;
    for (int k = 0; k < inputs->count; k++)
        if ((int)strlen(channel_name(inputs, k)) > width)
            width = (int)strlen(channel_name(inputs, k));
    fprintf(stream, "\n    %-*s  %s\n", width, "input", "output");
    for (int k = 0; k < inputs->count || k < outputs->count; k++)
        fprintf(stream, "%3d %-*s  %s\n", k + 1, width, channel_name(inputs, k), channel_name(outputs, k));
}

static const char *kind_of(const phx_linear_report *report, int k, double zero)
{
    return report->omega[k] <= zero ? "about zero" : report->im[k] > 0.0 ? "pair" : "real";
}

/* Writes the poles by frequency, a pair as one line and at most 24 of them; the damping of poles that are zero to
 * rounding is shown as zero. */
static void put_poles(FILE *stream, const phx_linear_report *report)
{
    enum { MOST = 24 };
    const int n = phx_ss_n(report->system);
    /* rounding separates a double pole, as at zero, by the square root of its size */
    int last = n - 1;
    while (last > 0 && isinf(report->omega[last]))
        last--;
    const double zero = n > 0 ? sqrt(n * DBL_EPSILON) * report->omega[last] : 0.0;
    int shown = 0, rest = 0, gone = 0;
    fprintf(stream, "\npoles          omega (rad/s)   frequency (Hz)          damping\n");
    for (int k = 0; k < n; k++) {
        if (report->im[k] < 0.0) /* the pair has been shown */
            continue;
        if (isinf(report->omega[k])) {
            gone++;
            continue;
        }
        if (shown++ < MOST) { /* the direction of a value that is zero to rounding has no meaning */
            const double damping = report->omega[k] <= zero ? 0.0 : report->damping[k] + 0.0;
            fprintf(stream, "%11s %16.10g %16.10g %16.10g\n", kind_of(report, k, zero), report->omega[k],
                    report->omega[k] / (2.0 * acos(-1.0)), damping);
        } else
            rest++;
    }
    if (n == 0)
        fputs("       none\n", stream);
    if (gone > 0)
        fprintf(stream, "%11s %d of delays, at z = 0\n", "", gone);
    if (rest > 0)
        fprintf(stream, "%11s %d more, up to %.10g rad/s\n", "", rest, report->omega[last]);
}

/* Writes the DC gain in blocks of six columns, leaving out outputs that have none; says why if poles at zero prevent
 * it. */
static void put_dc_gain(FILE *stream, const phx_linear_report *report)
{
    enum { ACROSS = 6 };
    const phx_ss *system = report->system;
    const int inputs = phx_ss_inputs(system), outputs = phx_ss_outputs(system);
    if (report->dc_rows < outputs) {
        fprintf(stream, "\nDC gain: %s, the system has poles at zero",
                report->dc_rows ? "not of all outputs" : "there is none");
        if (report->rigid > 0)
            fprintf(stream, ": %d rigid motion%s", report->rigid, report->rigid == 1 ? "" : "s");
        fputc('\n', stream);
        if (report->dc_rows == 0)
            return;
    } else {
        fputs("\nDC gain (rows: outputs, columns: inputs)\n", stream);
    }
    for (int first = 0; first < inputs; first += ACROSS) {
        const int end = first + ACROSS < inputs ? first + ACROSS : inputs;
        fputs("   ", stream);
        for (int j = first; j < end; j++)
            fprintf(stream, " %14d", j + 1);
        fputc('\n', stream);
        for (int i = 0; i < outputs; i++) {
            if (isnan(report->dc_gain[i * inputs]))
                continue;
            fprintf(stream, "%3d", i + 1);
            for (int j = first; j < end; j++)
                fprintf(stream, " %14.7g", report->dc_gain[i * inputs + j]);
            fputc('\n', stream);
        }
    }
}

static void put_margin(FILE *stream, const char *what, bool there, double value, const char *unit, double omega)
{
    if (!there)
        fprintf(stream, "  %-28s none\n", what);
    else if (isinf(omega))
        fprintf(stream, "  %-28s %.6g%s as the frequency grows\n", what, value, unit);
    else
        fprintf(stream, "  %-28s %.6g%s at %.6g rad/s (%.6g Hz)\n", what, value, unit, omega,
                omega / (2.0 * acos(-1.0)));
}

/* Writes the margins of a loop in dB, degrees and seconds. */
static void put_margins(FILE *stream, const phx_linear_report *report)
{
    const phx_margins *m = report->margins;

    fprintf(stream, "\nmargins of the loop%s\n",
            m->stable ? "" : ": THE CLOSED LOOP IS UNSTABLE, they say how far it is from its edge");
    put_margin(stream, "gain margin", isfinite(m->gain_up), 20.0 * log10(m->gain_up), " dB", m->gain_up_omega);
    put_margin(stream, "gain may fall by", m->gain_down > 0.0, -20.0 * log10(m->gain_down), " dB", m->gain_down_omega);
    put_margin(stream, "phase margin", !isnan(m->phase_least), m->phase_least * 180.0 / acos(-1.0), " degrees",
               m->phase_least_omega);
    put_margin(stream, "delay margin", isfinite(m->delay_least), m->delay_least, " s", m->delay_least_omega);
    put_margin(stream, "peak of the sensitivity", true, m->sensitivity, "", m->sensitivity_omega);
    put_margin(stream, "peak of its complement", true, m->complementary, "", m->complementary_omega);
    fprintf(stream, "  %-28s %d of the gain, %d of the phase\n", "crossings", m->n_gain, m->n_phase);
}

/* Writes a linear model as text: counts, channels, reduction, poles, DC gain and structural residuals. */
phx_status phx_linear_report_text(phx_context *context, const phx_linear_report *report, FILE *stream)
{
    if (!report || !stream)
        return phx_fail_null(context, __func__, "report or stream");
    const phx_bundle_item *E = phx_bundle_find(report->bundle, "E");
    const channel_names inputs = inputs_of(report), outputs = outputs_of(report);
    fprintf(stream, "%s\n", report->title);
    const int counts[] = {report->system ? phx_ss_n(report->system) : E->rows, inputs.count, outputs.count};
    static const char *const nouns[] = {"state", "input", "output"};
    for (int k = 0; k < 3; k++)
        fprintf(stream, "%s%d %s%s", k ? ", " : "", counts[k], nouns[k], counts[k] == 1 ? "" : "s");
    if (report->left_out > 0)
        fprintf(stream, "; %d states left out", report->left_out);
    if (report->sample > 0.0)
        fprintf(stream, "; sampled every %.10g s", report->sample);
    fputc('\n', stream);
    put_channels(stream, &inputs, &outputs);
    if (report->reduction)
        phx_reduction_text(report->reduction, stream);
    if (report->margins)
        put_margins(stream, report);
    if (report->system) {
        put_poles(stream, report);
        if (!report->margins)
            put_dc_gain(stream, report);
    } else {
        fputs("\nno poles and no DC gain of a model of this size: 'phlexor modes' finds the lowest frequencies\n",
              stream);
    }
    fputs("\nstructure\n", stream);
    for (int k = 0; k < report->n_residuals; k++) {
        char words[64];
        snprintf(words, sizeof words, "%s", report->residuals[k].name);
        for (char *c = words; (c = strchr(c, '_')) != NULL;)
            *c = ' ';
        fprintf(stream, "  %-28s %.3e\n", words, report->residuals[k].value);
    }
    for (int k = 0; k < report->n_casimirs; k++)
        fprintf(stream, "  %-28s %s (residual %.2g)\n", k ? "" : "constant (Casimirs)", report->casimirs[k].text,
                report->casimirs[k].residual);
    errno = 0;
    if (fflush(stream) == 0 && !ferror(stream))
        return PHX_OK;
    return phx_conclude(context, phx_fail(context, PHX_ERR_FILE, "cannot write the summary: %s", strerror(errno)));
}
