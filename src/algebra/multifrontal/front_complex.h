/* Arithmetic of complex values, interleaved, for the kernels of fronts. */
#ifndef PHLEXOR_ALGEBRA_FRONT_COMPLEX_H
#define PHLEXOR_ALGEBRA_FRONT_COMPLEX_H

#include "front.h"

#include <math.h>

typedef struct scalar {
    double re, im;
} scalar;

static inline scalar zero(void)
{
    return (scalar){0.0, 0.0};
}

static inline scalar plus(scalar a, scalar b)
{
    return (scalar){a.re + b.re, a.im + b.im};
}

static inline scalar times(scalar a, scalar b)
{
    return (scalar){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline scalar minus_times(scalar a, scalar b, scalar c)
{
    return (scalar){a.re - (b.re * c.re - b.im * c.im), a.im - (b.re * c.im + b.im * c.re)};
}

/* 1 / a by Smith's formula, which does not overflow where the result does not. */
static inline scalar reciprocal(scalar a)
{
    if (fabs(a.re) >= fabs(a.im)) {
        const double ratio = a.im / a.re, over = 1.0 / (a.re + ratio * a.im);
        return (scalar){over, -ratio * over};
    }
    const double ratio = a.re / a.im, over = 1.0 / (ratio * a.re + a.im);
    return (scalar){ratio * over, -over};
}

#define WIDE_KERNELS phx_front_wide_complex
#define WIDE_ADD     phx_front_add_complex

#endif
