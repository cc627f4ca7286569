/* The middle of a bore: nodes that lie on a cylinder around its axis, by least squares of their distances from it,
 *
 *   min sum exp(-r_i^2 / s^2) r_i^2,   r_i = |w_i| - R,   w_i = d_i - (d_i . n) n,   d_i = x_i - p,
 *
 * over the place p across the axis n, the tilt of n and R, by Gauss and Newton from the directions of a cube. The width
 * s is infinite at first; where nodes lie off the cylinder, as on a chamfer, it shrinks until only those on it count.
 */
#include "basis.h"

#include <math.h>
#include <string.h>

enum { FEWEST = 8, FEWEST_OF_MORE = 12, FEWEST_ROWS = 5, UNKNOWNS = 5, ITERATIONS = 60, MOST_SAMPLED = 2000 };
static const double ON_IT = 1e-4;     /* of the radius: nodes that are written with few digits */
static const double WIDEST = 3.3;     /* rad: the largest gap of a bore between nodes around it, half of it is enough */
static const double ALL_AROUND = 2.1; /* the same of a whole bore, of three rows along the axis at least */
static const double NARROWER = 0.7;   /* of the width s in each correction */
static const double SETTLED = 1e-14;  /* of the radius: the last correction */
static const double REGULAR = 1e-12;  /* on the diagonal, per node */

typedef struct cylinder {
    double p[3], n[3], R;
    double off; /* the largest |r_i| */
    int on;     /* nodes on it */
} cylinder;

static double bore_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void scale_to_unit(double *a)
{
    const double size = sqrt(bore_dot(a, a));

    for (int i = 0; i < 3; i++)
        a[i] /= size;
}

/* Unit vectors across n. */
static void across(const double n[3], double e1[3], double e2[3])
{
    const int k = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2) : fabs(n[1]) < fabs(n[2]) ? 1 : 2;

    for (int i = 0; i < 3; i++)
        e1[i] = (i == k) - n[k] * n[i];
    scale_to_unit(e1);
    e2[0] = n[1] * e1[2] - n[2] * e1[1];
    e2[1] = n[2] * e1[0] - n[0] * e1[2];
    e2[2] = n[0] * e1[1] - n[1] * e1[0];
}

/* Where a node is: along the axis, its distance from it, and the unit vector out of it. */
static void place(const cylinder *c, const double x[3], double *along, double *distance, double out[3])
{
    double d[3];

    for (int i = 0; i < 3; i++)
        d[i] = x[i] - c->p[i];
    *along = bore_dot(d, c->n);
    for (int i = 0; i < 3; i++)
        out[i] = d[i] - *along * c->n[i];
    *distance = sqrt(bore_dot(out, out));
    for (int i = 0; i < 3 && *distance > 0.0; i++)
        out[i] /= *distance;
}

/* One correction with the width s; how large it is, parts of the radius. */
static double improve(phx_context *context, int count, int stride, const double *x, double s, cylinder *c)
{
    double A[UNKNOWNS * UNKNOWNS] = {0.0}, b[UNKNOWNS] = {0.0}, e[2][3];

    across(c->n, e[0], e[1]);
    for (int i = 0; i < count; i += stride) {
        double along, distance, out[3], row[UNKNOWNS];
        place(c, x + 3 * (size_t)i, &along, &distance, out);
        for (int k = 0; k < 2; k++) {
            row[k] = -bore_dot(out, e[k]);
            row[2 + k] = -along / c->R * bore_dot(out, e[k]);
        }
        row[4] = -1.0;
        const double r = distance - c->R, weight = exp(-r * r / (s * s));
        for (int k = 0; k < UNKNOWNS; k++) {
            b[k] -= weight * row[k] * r;
            for (int m = 0; m < UNKNOWNS; m++)
                A[UNKNOWNS * k + m] += weight * row[k] * row[m];
        }
    }
    for (int k = 0; k < UNKNOWNS; k++) /* nodes in one plane know no tilt */
        A[(UNKNOWNS + 1) * k] += REGULAR * count / stride;
    if (phx_dense_cholesky(context, UNKNOWNS, A))
        return NAN;
    phx_dense_triangle_solve(false, UNKNOWNS, A, 1, b);
    phx_dense_triangle_solve(true, UNKNOWNS, A, 1, b);
    for (int i = 0; i < 3; i++) {
        c->p[i] += b[0] * e[0][i] + b[1] * e[1][i];
        c->n[i] += (b[2] * e[0][i] + b[3] * e[1][i]) / c->R;
    }
    scale_to_unit(c->n);
    c->R += b[4];
    return (fabs(b[0]) + fabs(b[1]) + fabs(b[2]) + fabs(b[3]) + fabs(b[4])) / c->R;
}

static bool is_on(const cylinder *c, const double x[3], double *along, double out[3])
{
    double distance;

    place(c, x, along, &distance, out);
    return fabs(distance - c->R) <= ON_IT * c->R;
}

/* Corrections until they are small, with a width that shrinks from s to `narrowest`; false: they lead nowhere. */
static bool converge(phx_context *context, int count, const double *x, double s, double narrowest, cylinder *c)
{
    const int stride = 1 + count / MOST_SAMPLED;
    double change = INFINITY;

    for (int k = 0; k < ITERATIONS && (change > SETTLED || s > narrowest); k++) {
        const double R = c->R;
        change = R > 0.0 ? improve(context, count, stride, x, s, c) : NAN;
        if (!(change < 1e3) || !(c->R > 0.0 && c->R < 1e3 * R)) {
            phx_context_clear(context);
            return false;
        }
        s = fmax(NARROWER * s, narrowest);
    }
    return true;
}

/* From p and n in c; false: too few nodes lie on a cylinder. */
static bool fit(phx_context *context, int count, const double *x, cylinder *c)
{
    double along, distance, out[3];

    c->R = 0.0;
    for (int i = 0; i < count; i++) {
        place(c, x + 3 * (size_t)i, &along, &distance, out);
        c->R += distance / count;
    }
    for (int narrow = 0; narrow < 2; narrow++) {
        if (!converge(context, count, x, narrow ? c->off : INFINITY, narrow ? ON_IT * c->R : INFINITY, c))
            return false;
        c->off = 0.0;
        c->on = 0;
        for (int i = 0; i < count; i++) {
            place(c, x + 3 * (size_t)i, &along, &distance, out);
            c->off = fmax(c->off, fabs(distance - c->R));
            c->on += is_on(c, x + 3 * (size_t)i, &along, out);
        }
        if (c->on == count)
            return true;
    }
    return 2 * c->on >= count && c->on >= FEWEST_OF_MORE;
}

/* Whether the nodes stand around the axis, or half around: no gap between the angles of neighbours is wider. */
static bool surrounds(int count, const double *x, const cylinder *c)
{
    enum { SECTORS = 360 };
    bool taken[SECTORS] = {false};
    const double turn = 2.0 * 3.14159265358979323846;
    double e1[3], e2[3], along, out[3];
    int gap = 0, widest = 0, rows = 0;

    across(c->n, e1, e2);
    for (int i = 0; i < count; i++) {
        if (!is_on(c, x + 3 * (size_t)i, &along, out))
            continue;
        taken[(int)((atan2(bore_dot(out, e2), bore_dot(out, e1)) / turn + 1.0) * SECTORS) % SECTORS] = true;
    }
    for (int k = 0; k < 2 * SECTORS; k++) {
        gap = taken[k % SECTORS] ? 0 : gap + 1;
        widest = gap > widest ? gap : widest;
    }
    for (int k = 0; k < SECTORS; k++)
        rows += taken[k];
    /* two rows of a flat face lie on half a turn as well, each in two sectors at most */
    return widest * turn / SECTORS < (rows >= FEWEST_ROWS ? WIDEST : c->on == count ? ALL_AROUND : 0.0);
}

/* Finds the middle of the axis of a cylinder that the nodes lie on, or half of them or more, from 13 start directions.
 * False if they lie on none or do not surround half of the axis. */
bool bore_middle(phx_context *context, int count, const double *x, double middle[3])
{
    cylinder best = {.on = 0};
    double mean[3] = {0.0}, low = INFINITY, high = -INFINITY;

    for (int k = 0; k < 3 * count; k++)
        mean[k % 3] += x[k] / count;
    for (int k = 0; k < 13 && count >= FEWEST; k++) { /* of 27 directions half of those that are not zero */
        cylinder c = {.n = {(k + 14) / 9 - 1, (k + 14) / 3 % 3 - 1, (k + 14) % 3 - 1}};
        memcpy(c.p, mean, sizeof mean);
        scale_to_unit(c.n);
        if (fit(context, count, x, &c) && (c.on > best.on || (c.on == best.on && c.off / c.R < best.off / best.R)) &&
            surrounds(count, x, &c))
            best = c;
    }
    if (best.on == 0)
        return false;
    for (int i = 0; i < count; i++) {
        double along, out[3];
        if (!is_on(&best, x + 3 * (size_t)i, &along, out))
            continue;
        low = fmin(low, along);
        high = fmax(high, along);
    }
    for (int i = 0; i < 3; i++)
        middle[i] = best.p[i] + 0.5 * (low + high) * best.n[i];
    return true;
}
