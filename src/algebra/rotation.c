/* Rotation matrices of the plane (2 x 2) and of space (3 x 3). */
#include <float.h>
#include <math.h>

#include "internal.h"

/* s = [a]x + [a]x^2 / 2, which is (cay(a) - I) (1 + |a|^2/4), theory 4 (4) */
static void cayley_numerator(const double *a, double *s)
{
    double xx = a[0] * a[0], yy = a[1] * a[1], zz = a[2] * a[2];
    s[0] = -0.5 * (yy + zz);
    s[4] = -0.5 * (xx + zz);
    s[8] = -0.5 * (xx + yy);
    s[1] = 0.5 * a[0] * a[1] - a[2];
    s[3] = 0.5 * a[0] * a[1] + a[2];
    s[2] = 0.5 * a[0] * a[2] + a[1];
    s[6] = 0.5 * a[0] * a[2] - a[1];
    s[5] = 0.5 * a[1] * a[2] - a[0];
    s[7] = 0.5 * a[1] * a[2] + a[0];
}

/* In both: R1 = R0 + R0 ([a]x + [a]x^2/2) / (1 + |a|^2/4). Adding the increment keeps small steps exact. */
static void cayley_plane(const double *r0, double a, double *r1)
{
    double scale = 1.0 / (1.0 + 0.25 * a * a), c = -0.5 * a * a * scale, s = a * scale;
    for (int i = 0; i < 2; i++) {
        double x = r0[2 * i], y = r0[2 * i + 1];
        r1[2 * i] = x + (x * c + y * s);
        r1[2 * i + 1] = y + (y * c - x * s);
    }
}

static void cayley_space(const double *r0, const double *a, double *r1)
{
    double s[9], scale = 1.0 / (1.0 + 0.25 * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]));
    cayley_numerator(a, s);
    for (int i = 0; i < 3; i++) {
        double x = r0[3 * i], y = r0[3 * i + 1], z = r0[3 * i + 2];
        r1[3 * i] = x + scale * (x * s[0] + y * s[3] + z * s[6]);
        r1[3 * i + 1] = y + scale * (x * s[1] + y * s[4] + z * s[7]);
        r1[3 * i + 2] = z + scale * (x * s[2] + y * s[5] + z * s[8]);
    }
}

void phx_rot_cayley(int dim, const double *r0, const double *a, double *r1)
{
    if (dim == 2)
        cayley_plane(r0, a[0], r1);
    else
        cayley_space(r0, a, r1);
}

/* Rotation by `angle` (rad) about an axis of any length; in the plane the axis is ignored. */
void phx_rot_axis_angle(int dim, const double *axis, double angle, double *r)
{
    double s = sin(angle), c = cos(angle);
    if (dim == 2) {
        r[0] = r[3] = c;
        r[1] = -s;
        r[2] = s;
        return;
    }
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double scale = length > 0.0 ? 1.0 / length : 0.0;
    double x = scale * axis[0], y = scale * axis[1], z = scale * axis[2];
    /* R = I + sin [e]x + (1 - cos) [e]x^2 with 1 - cos = 2 sin^2(angle/2) */
    double half = sin(0.5 * angle), v = 2.0 * half * half;
    r[0] = 1.0 - v * (y * y + z * z);
    r[1] = v * x * y - s * z;
    r[2] = v * x * z + s * y;
    r[3] = v * x * y + s * z;
    r[4] = 1.0 - v * (x * x + z * z);
    r[5] = v * y * z - s * x;
    r[6] = v * x * z - s * y;
    r[7] = v * y * z + s * x;
    r[8] = 1.0 - v * (x * x + y * y);
}

/* Rotation of a quaternion (w, x, y, z) of any length; the identity for zero. */
void phx_rot_from_quaternion(const double wxyz[4], double r[9])
{
    double squared = 0.0;
    for (int i = 0; i < 4; i++)
        squared += wxyz[i] * wxyz[i];
    /* R = I + 2/|q|^2 (w [v]x + [v]x^2) */
    double two = squared > 0.0 ? 2.0 / squared : 0.0;
    double w = wxyz[0], x = wxyz[1], y = wxyz[2], z = wxyz[3];
    r[0] = 1.0 - two * (y * y + z * z);
    r[1] = two * (x * y - w * z);
    r[2] = two * (x * z + w * y);
    r[3] = two * (x * y + w * z);
    r[4] = 1.0 - two * (x * x + z * z);
    r[5] = two * (y * z - w * x);
    r[6] = two * (x * z - w * y);
    r[7] = two * (y * z + w * x);
    r[8] = 1.0 - two * (x * x + y * y);
}

/* Unit quaternion of a rotation with w >= 0, accurate for all angles. */
void phx_rot_to_quaternion(const double r[9], double wxyz[4])
{
    /* 4 q q^T has the diagonal below; its row of the largest diagonal entry is q times something not small. */
    double diagonal[4] = {1.0 + r[0] + r[4] + r[8], 1.0 + r[0] - r[4] - r[8], 1.0 - r[0] + r[4] - r[8],
                          1.0 - r[0] - r[4] + r[8]};
    double wx = r[7] - r[5], wy = r[2] - r[6], wz = r[3] - r[1];
    double xy = r[1] + r[3], xz = r[2] + r[6], yz = r[5] + r[7];
    const double rows[4][4] = {
        {diagonal[0], wx, wy, wz}, {wx, diagonal[1], xy, xz}, {wy, xy, diagonal[2], yz}, {wz, xz, yz, diagonal[3]}};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (diagonal[i] > diagonal[largest])
            largest = i;
    double squared = 0.0;
    for (int i = 0; i < 4; i++)
        squared += rows[largest][i] * rows[largest][i];
    double scale = (rows[largest][0] < 0.0 ? -1.0 : 1.0) / sqrt(squared);
    for (int i = 0; i < 4; i++)
        wxyz[i] = scale * rows[largest][i];
}

void phx_rot_to_vector(const double r[9], double phi[3])
{
    /* q = (cos(a/2), sin(a/2) n), phi = a n */
    double q[4];
    phx_rot_to_quaternion(r, q);
    double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double scale = sine > 0.0 ? 2.0 * atan2(sine, q[0]) / sine : 2.0;
    for (int i = 0; i < 3; i++)
        phi[i] = scale * q[1 + i];
}

/* T (3 x 3) of phi_dot = T w for R = exp([phi]x), R_dot = R [w]x. */
void phx_rot_vector_rate(const double phi[3], double T[9])
{
    static const double SMALL_SQUARE = 1e-4; /* rad^2 */
    double square = phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2], half = 0.5 * sqrt(square);
    /* (1 - (a/2) cot(a/2))/a^2 = 1/12 + a^2/720 + ...; below 1e-2 the next term, a^4/30240, is rounding */
    double k = square < SMALL_SQUARE ? 1.0 / 12.0 + square / 720.0 : (1.0 - half * cos(half) / sin(half)) / square;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            T[3 * i + j] = k * phi[i] * phi[j] + (i == j ? 1.0 - k * square : 0.0);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, m = (i + 2) % 3;
        T[3 * m + j] += 0.5 * phi[i];
        T[3 * j + m] -= 0.5 * phi[i];
    }
}

/* Rotation by the smallest angle that takes the unit vector `from` to `to`; for opposite vectors about any axis
 * across. */
void phx_rot_shortest(const double from[3], const double to[3], double r[9])
{
    static const double OPPOSITE = 1e-12; /* 1 + from . to */
    /* quaternion (1 + from . to, from x to); opposite: (0, any vector across) */
    double q[4], cross[3];
    phx_rot_x_vec(3, from, to, cross);
    q[0] = 1.0 + from[0] * to[0] + from[1] * to[1] + from[2] * to[2];
    for (int i = 0; i < 3; i++)
        q[1 + i] = cross[i];
    if (q[0] < OPPOSITE) {
        int least = 0;
        for (int i = 1; i < 3; i++)
            if (fabs(from[i]) < fabs(from[least]))
                least = i;
        double unit[3] = {0.0, 0.0, 0.0};
        unit[least] = 1.0;
        q[0] = 0.0;
        phx_rot_x_vec(3, from, unit, q + 1);
    }
    phx_rot_from_quaternion(q, r);
}

/* c = cofactors of r, so that r^-T = c / det(r); returns det(r). */
static double cofactors(const double *r, double *c)
{
    for (int i = 0; i < 3; i++)
        phx_rot_x_vec(3, r + 3 * ((i + 1) % 3), r + 3 * ((i + 2) % 3), c + 3 * i);
    return r[0] * c[0] + r[1] * c[1] + r[2] * c[2];
}

/* Replaces a matrix by the nearest rotation (polar factor); unchanged if its determinant is not positive. */
void phx_rot_normalise(int dim, double *r)
{
    if (dim == 2) {
        /* The nearest rotation has (cos, sin) along (r00 + r11, r10 - r01). */
        double c = r[0] + r[3], s = r[2] - r[1], length = hypot(c, s);
        if (length > 0.0) {
            r[0] = r[3] = c / length;
            r[2] = s / length;
            r[1] = -r[2];
        }
        return;
    }
    /* Newton's iteration for the polar factor, R <- (R + R^-T) / 2: quadratic, a few rounds from anywhere near */
    enum { ROUNDS = 30 };
    double change = 1.0;
    for (int round = 0; round < ROUNDS && change > 4.0 * DBL_EPSILON; round++) {
        double c[9], determinant = cofactors(r, c);
        if (!(determinant > 0.0))
            return;
        change = 0.0;
        for (int k = 0; k < 9; k++) {
            double step = 0.5 * (c[k] / determinant - r[k]);
            r[k] += step;
            change = fmax(change, fabs(step));
        }
    }
}
