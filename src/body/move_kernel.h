/* The end of an interval, for one kind of number (interval_kernel.h says which): x1 = x0 (+) h v_m of position and
 * attitude,
 *
 *     R1 = R0 cay(h w_m) ,  r1 = r0 + h R_mean v_m ,
 *
 * with what rounding takes from sums kept apart, so that many small steps do not add their roundings. The plane counts
 * the angle, + 2 atan(h w_m/2); its direction cosines are those of the angle, so that they do not drift, or, where an
 * end is only tried, as in space, which is the same to rounding. */
#ifndef PHX_MOVE_KERNEL_H
#define PHX_MOVE_KERNEL_H

#include "algebra/rotation_kernel.h"

#include <math.h>

/* *sum = a + low + step, *rest: its rounding error. */
static inline void NAME(carry)(const real *a, const real *low, const real *step, real *sum, real *rest)
{
    const real exact = *step + *low, result = *a + exact;
    *rest = exact - (result - *a);
    *sum = result;
}

/* *angle = 2 atan(x); |x| < 1/16 by its series, whose next term is rounding. */
static inline void NAME(twice_atan)(const real *argument, real *angle)
{
    static const double c[] = {2.0 / 13.0, -2.0 / 11.0, 2.0 / 9.0, -2.0 / 7.0, 2.0 / 5.0, -2.0 / 3.0};
    const real x = *argument, z = x * x;
    const double *square = (const double *)&z, *each = (const double *)argument;
    double *out = (double *)angle;
    real sum = (real){0.0} - 2.0 / 15.0;

    for (size_t k = 0; k < sizeof c / sizeof *c; k++)
        sum = sum * z + c[k];
    *angle = 2.0 * x + x * z * sum;
    for (int l = 0; l < SIMD_WIDTH; l++)
        if (!(square[l] < 0x1p-8))
            out[l] = 2.0 * atan(each[l]);
}

/* Direction cosines and angle; from, low, to, rest: of attitudes. */
static inline void NAME(turn_in_plane)(bool tried, double h, const real *w, const real *from, const real *low, real *to,
                                       real *rest)
{
    const real a = h * w[0], half = 0.5 * a;
    real angle;

    NAME(twice_atan)(&half, &angle);
    NAME(carry)(&from[2], &low[2], &angle, &to[2], &rest[2]);
    if (tried) { /* cay(a) - I = (a J - a^2/2 I)/(1 + a^2/4) */
        const real scale = 1.0 / (1.0 + 0.25 * a * a), s = a * scale, c = -0.5 * a * s;
        to[0] = from[0] + (from[0] * c - from[1] * s);
        to[1] = from[1] + (from[1] * c + from[0] * s);
        return;
    }
    const double *each = (const double *)&to[2];
    double *cosine = (double *)&to[0], *sine = (double *)&to[1];
    for (int l = 0; l < SIMD_WIDTH; l++) {
        cosine[l] = cos(each[l]);
        sine[l] = sin(each[l]);
    }
}

/* R1 = R0 + R0 ([a]x + [a]x^2/2) / (1 + |a|^2/4), rows one after the other, as phx_rot_cayley. */
static inline void NAME(turn_in_space)(double h, const real *w, const real *R0, real *R1)
{
    const real a[3] = {h * w[0], h * w[1], h * w[2]};
    const real scale = 1.0 / (1.0 + 0.25 * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]));
    const real xx = a[0] * a[0], yy = a[1] * a[1], zz = a[2] * a[2];
    const real xy = 0.5 * a[0] * a[1], xz = 0.5 * a[0] * a[2], yz = 0.5 * a[1] * a[2];
    const real s[9] = {-0.5 * (yy + zz), xy - a[2], xz + a[1], xy + a[2],       -0.5 * (xx + zz),
                       yz - a[0],        xz - a[1], yz + a[0], -0.5 * (xx + yy)};

    for (int i = 0; i < 3; i++) {
        const real x = R0[3 * i], y = R0[3 * i + 1], z = R0[3 * i + 2];
        R1[3 * i] = x + scale * (x * s[0] + y * s[3] + z * s[6]);
        R1[3 * i + 1] = y + scale * (x * s[1] + y * s[4] + z * s[7]);
        R1[3 * i + 2] = z + scale * (x * s[2] + y * s[5] + z * s[8]);
    }
}

/* Position and attitude, dim + 3 or dim + 9 numbers; tried: for a trial step, low1 of the attitude is not written. */
static inline void NAME(move_rigid)(const int dim, bool tried, double h, const real *x0, const real *low0,
                                    const real *vm, real *x1, real *low1, real *xm)
{
    const int n = dim == 2 ? 5 : 12;
    real step[3];

    if (dim == 2)
        NAME(turn_in_plane)(tried, h, vm + 2, x0 + 2, low0 + 2, x1 + 2, low1 + 2);
    else
        NAME(turn_in_space)(h, vm + 3, x0 + 3, x1 + 3);
    for (int i = dim; i < n; i++)
        xm[i] = 0.5 * (x0[i] + x1[i]);
    if (dim == 2) {
        step[0] = xm[2] * vm[0] - xm[3] * vm[1];
        step[1] = xm[3] * vm[0] + xm[2] * vm[1];
    }
    for (int i = 0; i < 3 && dim == 3; i++)
        step[i] = xm[3 + 3 * i] * vm[0] + xm[4 + 3 * i] * vm[1] + xm[5 + 3 * i] * vm[2];
    for (int i = 0; i < dim; i++) {
        const real way = h * step[i];
        NAME(carry)(&x0[i], &low0[i], &way, &x1[i], &low1[i]);
        xm[i] = x0[i] + 0.5 * h * step[i];
    }
}

#endif
