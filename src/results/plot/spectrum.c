/* Amplitude spectra. */
#include "plot.h"

#include <complex.h>
#include <math.h>

static const double pi = 3.1415926535897932384626433832795;

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
    double sum = 0.0, mean = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double root = sin(pi * ((double)i + 0.5) / (double)n);
        in[i] = root * root;
        sum += in[i];
        mean += in[i] * (values[i] - values[0]);
    }
    mean /= sum;
    for (size_t i = 0; i < n; i++)
        in[i] *= values[i] - values[0] - mean;
    return sum;
}

/* X_k = sum_j x_j exp(-2 pi i jk/n), k < n, of n values `stride` apart, n a power of two, by the transforms E of the
 * even and O of the odd values (Cooley and Tukey):
 *
 *     X_k = E_k + w_(n/2+k) O_k,    X_(k+n/2) = E_k - w_(n/2+k) O_k,    w_(n/2+k) = exp(-2 pi i k/n) for every n */
static void transform(size_t n, size_t stride, const double complex *x, const double complex *w, double complex *X)
{
    const size_t half = n / 2;
    if (n == 1) {
        X[0] = x[0];
        return;
    }
    transform(half, 2 * stride, x, w, X);
    transform(half, 2 * stride, x + stride, w, X + half);
    for (size_t k = 0; k < half; k++) {
        const double complex E = X[k], wO = w[half + k] * X[k + half];
        X[k] = E + wO;
        X[k + half] = E - wO;
    }
}

/* The w of `transform` up to n. */
static void roots_of_unity(size_t n, double complex *w)
{
    for (size_t k = 0; k < n / 2; k++)
        w[n / 2 + k] = cexp(-2.0 * pi * I * ((double)k / (double)n));
    for (size_t j = n / 2 - 1; j > 0; j--)
        w[j] = w[2 * j];
}

/* Amplitudes 2 |X_k| / sum w of the windowed, zero-padded values, by one complex transform of half the length. */
phx_status phx_spectrum_make(phx_context *context, size_t count, const double *values, double time_step,
                             phx_spectrum *spectrum)
{
    const size_t length = padded(count), lines = length / 2;
    *spectrum = (phx_spectrum){.count = lines, .step = 1.0 / ((double)length * time_step)};
    if (count < 2 || length > 1u << 30)
        return phx_fail(context, PHX_ERR_INPUT, "a spectrum needs 2 to %u rows, there are %zu; choose a range of time",
                        1u << 28, count);
    /* the even values are the real, the odd ones the imaginary parts of z, half as many */
    double complex *z = phx_calloc(context, lines, sizeof *z), *Z = phx_calloc(context, lines, sizeof *Z);
    double complex *w = phx_calloc(context, length, sizeof *w);
    spectrum->amplitudes = phx_calloc(context, lines, sizeof *spectrum->amplitudes);
    const phx_status status = z && Z && w && spectrum->amplitudes ? PHX_OK : PHX_ERR_MEMORY;
    if (!status) {
        const double sum = windowed(count, values, (double *)z);
        roots_of_unity(length, w);
        transform(lines, 1, z, w, Z);
        for (size_t k = 1; k <= lines; k++) { /* X_k = (Z_k + Z*_-k)/2 - i exp(-2 pi i k/n) (Z_k - Z*_-k)/2 */
            const double complex Zk = Z[k % lines], mirror = conj(Z[lines - k]);
            const double complex X = 0.5 * (Zk + mirror - I * (k < lines ? w[lines + k] : -1.0) * (Zk - mirror));
            /* |X_k| sides/sum w, two sides but at the last line */
            spectrum->amplitudes[k - 1] = cabs(X) * (k < lines ? 2.0 : 1.0) / sum;
        }
    }
    phx_free(z);
    phx_free(Z);
    phx_free(w);
    return status;
}

void phx_spectrum_free(phx_spectrum *spectrum)
{
    phx_free(spectrum->amplitudes);
    *spectrum = (phx_spectrum){0};
}
