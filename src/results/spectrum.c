/* Amplitude spectra, with FFTW. */
#include "plot.h"

#include <fftw3.h>
#include <math.h>
#include <string.h>

enum { PADDING = 4 };

static size_t padded(size_t count)
{
    size_t length = 1;
    while (length < PADDING * count)
        length *= 2;
    return length;
}

/* Hann's window w_i = sin^2(pi (i + 1/2)/n) times the values without their mean, sum w x/sum w; returns sum w. */
static double windowed(size_t n, const double *values, double *in)
{
    const double pi = 3.1415926535897932384626433832795;
    double sum = 0.0, mean = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double root = sin(pi * ((double)i + 0.5) / (double)n), w = root * root;
        sum += w;
        mean += w * (values[i] - values[0]);
    }
    mean /= sum;
    for (size_t i = 0; i < n; i++) {
        const double root = sin(pi * ((double)i + 0.5) / (double)n), w = root * root;
        in[i] = w * (values[i] - values[0] - mean);
    }
    return sum;
}

phx_status phx_spectrum_make(phx_context *context, size_t count, const double *values, double time_step,
                             phx_spectrum *spectrum)
{
    const size_t length = padded(count), lines = length / 2;
    *spectrum = (phx_spectrum){.count = lines, .step = 1.0 / ((double)length * time_step)};
    if (count < 2 || length > 1u << 30)
        return phx_fail(context, PHX_ERR_INPUT, "a spectrum needs 2 to %u rows, there are %zu; choose a range of time",
                        1u << 28, count);
    double *in = fftw_alloc_real(length);
    fftw_complex *out = fftw_alloc_complex(lines + 1);
    /* estimated, not measured, so that equal values have equal spectra to the last digit */
    fftw_plan plan = in && out ? fftw_plan_dft_r2c_1d((int)length, in, out, FFTW_ESTIMATE) : NULL;
    spectrum->amplitudes = phx_calloc(context, lines, sizeof *spectrum->amplitudes);
    phx_status status = spectrum->amplitudes ? PHX_OK : PHX_ERR_MEMORY;
    if (!status && !plan)
        status = phx_fail(context, PHX_ERR_MEMORY, "out of memory for a spectrum of %zu rows", count);
    if (!status) {
        memset(in, 0, length * sizeof *in);
        const double sum = windowed(count, values, in);
        fftw_execute(plan);
        for (size_t k = 0; k < lines; k++) /* |X_k| sides/sum w, two sides but at the last line */
            spectrum->amplitudes[k] = hypot(out[k + 1][0], out[k + 1][1]) * (k + 1 < lines ? 2.0 : 1.0) / sum;
    }
    if (plan)
        fftw_destroy_plan(plan);
    fftw_free(in);
    fftw_free(out);
    return status;
}

void phx_spectrum_free(phx_spectrum *spectrum)
{
    phx_free(spectrum->amplitudes);
    *spectrum = (phx_spectrum){0};
}
