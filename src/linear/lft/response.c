/* Frequency responses of an LFT against those of the plants it was made of. */
#include "object.h"

#include <float.h>
#include <math.h>

enum { FREQUENCIES = 160, PARTS_OF_A_DECADE = 4 };
static const double beside =
    0.005; /* responses are those with so much modal damping on top: without any they have no size */

/* From a tenth of the lowest frequency that is not zero to twice the highest, of the nominal plant, within `asked`
 * where that is not empty. */
static phx_status find_band(phx_context *context, const phx_ss *system, const double asked[2], double band[2])
{
    const int n = phx_ss_n(system);
    double *omega = phx_calloc(context, (size_t)n + 1, sizeof *omega);
    const phx_status status = omega ? phx_ss_poles(context, system, NULL, NULL, omega, NULL) : PHX_ERR_MEMORY;
    double lowest = 1.0, highest = 1.0;

    if (!status && n > 0 && omega[n - 1] > 0.0) {
        lowest = highest = omega[n - 1];
        for (int i = n - 1; i >= 0 && omega[i] > sqrt(n * DBL_EPSILON) * highest; i--)
            lowest = omega[i];
    }
    band[0] = asked[0] > 0.0 ? asked[0] : 0.1 * lowest;
    band[1] = asked[1] > band[0] ? fmin(asked[1], fmax(2.0 * highest, 2.0 * band[0])) : 2.0 * highest;
    phx_free(omega);
    return status;
}

/* Points in a quarter of a decade. */
static int window_of(const double band[2])
{
    return (int)ceil((FREQUENCIES - 1) / (PARTS_OF_A_DECADE * log10(band[1] / band[0])));
}

/* The largest relative error of one entry: at each frequency against the largest response nearby. */
static void compare_entry(int entries, int window, const double *want, const double *got, double *worst, int *where)
{
    for (int f = 0; f < FREQUENCIES; f++) {
        double size = 0.0;
        const double *a = want + 2 * (size_t)f * (size_t)entries, *b = got + 2 * (size_t)f * (size_t)entries;
        for (int g = f - window; g <= f + window; g++)
            if (g >= 0 && g < FREQUENCIES)
                size =
                    fmax(size, hypot(want[2 * (size_t)g * (size_t)entries], want[2 * (size_t)g * (size_t)entries + 1]));
        const double error = hypot(a[0] - b[0], a[1] - b[1]);
        if (size > 0.0 && error > *worst * size) {
            *worst = error / size;
            *where = f;
        }
    }
}

/* Whether an entry is there at all: its largest response against those of its row and of its column, and in units of
 * its channels. */
static bool is_there(int p, int m, int i, int j, const double *peak, const phx_lft_channels *channels)
{
    static const double SMALL_BESIDE = 1e-9; /* peak, relative to those of its row and column */
    static const double SMALL = 1e-10;       /* peak in units of the channels */
    double row = 0.0, column = 0.0;
    for (int k = 0; k < m; k++)
        row = fmax(row, peak[i * m + k]);
    for (int k = 0; k < p; k++)
        column = fmax(column, peak[k * m + j]);
    return peak[i * m + j] > SMALL_BESIDE * fmin(row, column) &&
           peak[i * m + j] * channels->outputs[i] * channels->inputs[j] > SMALL;
}

static void find_peaks(int entries, const double *response, double *peak)
{
    for (int k = 0; k < entries; k++) {
        peak[k] = 0.0;
        for (int f = 0; f < FREQUENCIES; f++)
            peak[k] = fmax(peak[k], hypot(response[2 * ((size_t)f * (size_t)entries + (size_t)k)],
                                          response[2 * ((size_t)f * (size_t)entries + (size_t)k) + 1]));
    }
}

/* Room for the responses. */
typedef struct responses {
    double *omega, *want, *got, *peak;
} responses;

/* Compares the response of the LFT with that of one plant in all channels that count, and records the largest relative
 * error with point and frequency. */
static phx_status compare_point(phx_context *context, const phx_ss *plant, const phx_ss *made, int point,
                                const responses *at, const phx_lft_channels *channels, phx_lft_report *report)
{
    const int p = phx_ss_outputs(plant), m = phx_ss_inputs(plant), entries = p * m, window = window_of(report->band);
    phx_status status = phx_ss_responses_beside(context, plant, beside, FREQUENCIES, at->omega, at->want);

    if (!status)
        status = phx_ss_responses_beside(context, made, beside, FREQUENCIES, at->omega, at->got);
    if (!status)
        find_peaks(entries, at->want, at->peak);
    for (int i = 0; i < p && !status; i++)
        for (int j = 0; j < m; j++) {
            const size_t first = 2 * (size_t)(i * m + j);
            int where = -1;
            if (!is_there(p, m, i, j, at->peak, channels))
                continue;
            compare_entry(entries, window, at->want + first, at->got + first, &report->response, &where);
            if (where >= 0) {
                report->response_point = point;
                report->response_omega = at->omega[where];
            }
        }
    return status;
}

/* Compares the LFT with all plants of its family over a band of frequencies; the result is in lft->report. */
phx_status phx_lft_compare(phx_context *context, const phx_plant_family *family, const int *place,
                           const phx_lft_channels *channels, phx_lft *lft)
{
    const phx_ss *nominal = family->plants[family->nominal].system;
    const size_t entries = (size_t)phx_ss_inputs(nominal) * (size_t)phx_ss_outputs(nominal);
    double *room =
        phx_calloc(context, FREQUENCIES + 4 * FREQUENCIES * entries + entries + (size_t)lft->n, sizeof *room);
    phx_lft_report *report = &lft->report;
    phx_status status = room ? find_band(context, nominal, channels->band, report->band) : PHX_ERR_MEMORY;
    responses at = {.omega = room};

    at.want = phx_behind(at.omega, FREQUENCIES);
    at.got = phx_behind(at.want, 2 * FREQUENCIES * entries);
    at.peak = phx_behind(at.got, 2 * FREQUENCIES * entries);
    double *values = phx_behind(at.peak, entries);
    for (int f = 0; f < FREQUENCIES && !status; f++)
        at.omega[f] = report->band[0] * pow(report->band[1] / report->band[0], (double)f / (FREQUENCIES - 1));
    for (int point = 0; point < family->n_points && !status; point++) {
        phx_ss *made = NULL;
        for (int k = 0; k < lft->n; k++)
            values[k] = family->values[(size_t)point * (size_t)family->n_parameters + (size_t)place[k]];
        status = phx_lft_plant(context, lft, values, &made);
        if (!status)
            status = compare_point(context, family->plants[point].system, made, point, &at, channels, report);
        phx_ss_destroy(made);
    }
    phx_free(room);
    return status;
}
