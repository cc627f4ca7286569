/* Arithmetic of real values for the kernels of fronts. */
#ifndef PHLEXOR_ALGEBRA_FRONT_REAL_H
#define PHLEXOR_ALGEBRA_FRONT_REAL_H

#include "front.h"

typedef double scalar;

static inline scalar zero(void)
{
    return 0.0;
}

static inline scalar plus(scalar a, scalar b)
{
    return a + b;
}

static inline scalar times(scalar a, scalar b)
{
    return a * b;
}

static inline scalar minus_times(scalar a, scalar b, scalar c)
{
    return a - b * c;
}

static inline scalar reciprocal(scalar a)
{
    return 1.0 / a;
}

/* The names of what is compiled for any processor, or again for those with AVX2. */
#ifdef PHX_FOR_AVX2
#define WIDE_KERNELS phx_front_wide_real_avx2
#define WIDE_ADD     phx_front_add_real_avx2
#define REAL_NUMERIC phx_front_real_avx2
#else
#define WIDE_KERNELS phx_front_wide_real
#define WIDE_ADD     phx_front_add_real
#define REAL_NUMERIC phx_front_real
#endif

#endif
