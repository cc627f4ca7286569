/* The products of vectors and rotations of algebra.h for a kind of number: the including file defines `real`, a double
 * or one number of each of several bodies side by side, and NAME(x), what x is called for it. */
#ifndef PHX_ROTATION_KERNEL_H
#define PHX_ROTATION_KERNEL_H

#include "algebra/algebra.h"

static inline void NAME(rot_x_vec)(const int dim, const real *w, const real *a, real *y)
{
    if (dim == 2) {
        y[0] = -w[0] * a[1];
        y[1] = w[0] * a[0];
    } else {
        y[0] = w[1] * a[2] - w[2] * a[1];
        y[1] = w[2] * a[0] - w[0] * a[2];
        y[2] = w[0] * a[1] - w[1] * a[0];
    }
}

static inline void NAME(vec_x_rot)(const int dim, const real *a, const real *w, real *y)
{
    if (dim == 2) {
        y[0] = a[1] * w[0];
        y[1] = -a[0] * w[0];
    } else {
        NAME(rot_x_vec)(3, a, w, y);
    }
}

static inline void NAME(vec_x_vec)(const int dim, const real *a, const real *b, real *y)
{
    if (dim == 2)
        y[0] = a[0] * b[1] - a[1] * b[0];
    else
        NAME(rot_x_vec)(3, a, b, y);
}

static inline void NAME(rot_x_rot)(const int dim, const real *a, const real *b, real *y)
{
    if (dim == 2)
        y[0] = (real){0.0};
    else
        NAME(rot_x_vec)(3, a, b, y);
}

static inline void NAME(rot_apply)(const int dim, const real *R, const real *x, real *y)
{
    for (int i = 0; i < dim; i++) {
        y[i] = R[dim * i] * x[0] + R[dim * i + 1] * x[1];
        if (dim == 3)
            y[i] += R[3 * i + 2] * x[2];
    }
}

static inline void NAME(rot_apply_transposed)(const int dim, const real *R, const real *x, real *y)
{
    for (int i = 0; i < dim; i++) {
        y[i] = R[i] * x[0] + R[dim + i] * x[1];
        if (dim == 3)
            y[i] += R[6 + i] * x[2];
    }
}

#endif
