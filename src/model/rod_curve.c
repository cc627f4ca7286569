/* Curves of rods: straight, an arc, a cubic spline through points. */
#include "rod_curve.h"

#include "algebra/algebra.h"

#include <math.h>
#include <string.h>

/* ---- arcs and straight lines ---- */
static void arc_node(int dim, double curvature, double s, double *place, double *axes)
{
    const double turn = curvature * s, c = cos(turn), sine = sin(turn);

    memset(place, 0, (size_t)dim * sizeof *place);
    memset(axes, 0, (size_t)(dim * dim) * sizeof *axes);
    place[0] = curvature == 0.0 ? s : sine / curvature;
    place[1] = curvature == 0.0 ? 0.0 : 2.0 * sin(0.5 * turn) * sin(0.5 * turn) / curvature;
    axes[0] = axes[dim + 1] = c;
    axes[1] = -sine;
    axes[dim] = sine;
    if (dim == 3)
        axes[8] = 1.0;
}

/* ---- splines ---- */
/* Through m points at the parameters u (chord lengths): the second derivatives at them, per component. */
typedef struct spline {
    int m, dim;
    double *u, *x, *bend; /* m; m x dim; m x dim */
} spline;

/* Starts along x, ends without curvature. */
static void solve_spline(spline *curve, double *diagonal)
{
    const int m = curve->m, dim = curve->dim;

    for (int a = 0; a < dim; a++) {
        double *b = curve->bend + a;
        const double *x = curve->x + a, first = curve->u[1] - curve->u[0];
        diagonal[0] = 2.0 * first;
        b[0] = 6.0 * ((x[dim] - x[0]) / first - (a == 0 ? 1.0 : 0.0));
        for (int k = 1; k < m; k++) {
            const double before = curve->u[k] - curve->u[k - 1],
                         behind = k + 1 < m ? curve->u[k + 1] - curve->u[k] : 0.0;
            const double factor = k + 1 < m ? before / diagonal[k - 1] : 0.0;
            diagonal[k] = k + 1 < m ? 2.0 * (before + behind) - factor * before : 1.0;
            b[dim * k] =
                k + 1 < m
                    ? 6.0 * ((x[dim * (k + 1)] - x[dim * k]) / behind - (x[dim * k] - x[dim * (k - 1)]) / before) -
                          factor * b[dim * (k - 1)]
                    : 0.0;
        }
        for (int k = m - 2; k >= 0; k--)
            b[dim * k] = (b[dim * k] - (curve->u[k + 1] - curve->u[k]) * b[dim * (k + 1)]) / diagonal[k];
    }
}

/* Place and derivative at u in piece k. */
static void spline_at(const spline *curve, int k, double u, double *place, double *rate)
{
    const double l = curve->u[k + 1] - curve->u[k], s = (u - curve->u[k]) / l;

    for (int a = 0; a < curve->dim; a++) {
        const double x0 = curve->x[curve->dim * k + a], x1 = curve->x[curve->dim * (k + 1) + a];
        const double b0 = curve->bend[curve->dim * k + a], b1 = curve->bend[curve->dim * (k + 1) + a];
        if (place)
            place[a] = (1.0 - s) * x0 + s * x1 - l * l / 6.0 * (s * (1.0 - s)) * ((2.0 - s) * b0 + (1.0 + s) * b1);
        rate[a] = (x1 - x0) / l - l / 6.0 * ((2.0 - 6.0 * s + 3.0 * s * s) * b0 + (1.0 - 3.0 * s * s) * b1);
    }
}

static double speed(const spline *curve, int k, double u)
{
    double rate[3], square = 0.0;

    spline_at(curve, k, u, NULL, rate);
    for (int a = 0; a < curve->dim; a++)
        square += rate[a] * rate[a];
    return sqrt(square);
}

/* Length of piece k up to u: five points of Gauss in each of several parts. */
static double length_to(const spline *curve, int k, double u)
{
    enum { PARTS = 8 };
    static const double at[5] = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831, 0.9061798459386640};
    static const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                     0.2369268850561891};
    const double from = curve->u[k], part = (u - from) / PARTS;
    double sum = 0.0;

    for (int p = 0; p < PARTS; p++)
        for (int g = 0; g < 5; g++)
            sum += 0.5 * part * weight[g] * speed(curve, k, from + part * (p + 0.5 + 0.5 * at[g]));
    return sum;
}

/* The parameter at a length from the start of piece k, by Newton's method. */
static double parameter_at(const spline *curve, int k, double s, double whole)
{
    static const double SETTLED = 1e-15; /* last correction, of the largest parameter */
    double u = curve->u[k] + (curve->u[k + 1] - curve->u[k]) * s / whole;

    for (int turn = 0; turn < 30; turn++) {
        const double step = (length_to(curve, k, u) - s) / speed(curve, k, u);
        u -= step;
        if (fabs(step) <= SETTLED * curve->u[curve->m - 1])
            break;
    }
    return u;
}

/* Axes with this tangent, those before turned on the shortest way. */
static void turn_along(int dim, const double *before, const double *rate, double *axes)
{
    double tangent[3], from[3], turn[9], norm = 0.0;

    for (int a = 0; a < dim; a++)
        norm += rate[a] * rate[a];
    norm = sqrt(norm);
    for (int a = 0; a < dim; a++) {
        tangent[a] = rate[a] / norm;
        from[a] = before[dim * a];
    }
    if (dim == 2) {
        axes[0] = axes[3] = tangent[0];
        axes[2] = tangent[1];
        axes[1] = -tangent[1];
        return;
    }
    phx_rot_shortest(from, tangent, turn);
    phx_dense_multiply(false, false, 3, 3, 3, 1.0, turn, 3, before, 3, 0.0, axes, 3);
    phx_rot_normalise(3, axes);
}

/* Nodes along the spline; between two nodes the axes are carried on in small parts, so that they turn about the curve
 * as little as the curve itself does. */
static void spline_nodes(const spline *curve, const double *piece, int n, const double *fraction, const double *share,
                         double *place, double *axes, double *length)
{
    enum { PARTS = 32 };
    const int dim = curve->dim;
    double whole = 0.0, before = 0.0, running[9] = {0}, rate[3];
    int k = 0;

    for (int p = 0; p + 1 < curve->m; p++)
        whole += piece[p];
    for (int a = 0; a < dim; a++)
        running[(dim + 1) * a] = 1.0;
    for (int step = 0; step <= n * PARTS; step++) {
        const int e = step < n * PARTS ? step / PARTS : n - 1;
        const double s = whole * (fraction[e] + share[e] * (step - e * PARTS) / PARTS);
        while (k + 2 < curve->m && s > before + piece[k])
            before += piece[k++];
        const double u = parameter_at(curve, k, s - before, piece[k]);
        double own[3], next[9];
        spline_at(curve, k, u, own, rate);
        turn_along(dim, running, rate, next);
        memcpy(running, next, (size_t)(dim * dim) * sizeof *next);
        if (step % PARTS == 0) {
            memcpy(place + dim * (step / PARTS), own, (size_t)dim * sizeof *own);
            memcpy(axes + dim * dim * (step / PARTS), running, (size_t)(dim * dim) * sizeof *running);
        }
    }
    for (int e = 0; e < n; e++)
        length[e] = whole * share[e];
}

/* Places, axes and lengths of nodes along a spline through the points; its parameter is the chord length. */
static phx_status along_points(phx_context *context, int dim, const phx_model_matrix *points, int n,
                               const double *fraction, const double *share, double *place, double *axes, double *length)
{
    const int m = points->rows;
    double *all = phx_calloc(context, (size_t)(m * (3 + 2 * dim)), sizeof *all);
    const size_t rows = (size_t)m, width = (size_t)dim;
    spline curve = {m, dim, all, phx_behind(all, rows), phx_behind(all, rows * (1 + width))};
    double *diagonal = phx_behind(all, rows * (1 + 2 * width)), *piece = phx_behind(all, rows * (2 + 2 * width));

    if (!all)
        return PHX_ERR_MEMORY;
    memcpy(curve.x, points->values, (size_t)(m * dim) * sizeof *curve.x);
    for (int k = 1; k < m; k++) {
        double square = 0.0;
        for (int a = 0; a < dim; a++) {
            const double way = curve.x[dim * k + a] - curve.x[dim * (k - 1) + a];
            square += way * way;
        }
        curve.u[k] = curve.u[k - 1] + sqrt(square);
    }
    solve_spline(&curve, diagonal);
    for (int k = 0; k + 1 < m; k++)
        piece[k] = length_to(&curve, k, curve.u[k + 1]);
    spline_nodes(&curve, piece, n, fraction, share, place, axes, length);
    phx_free(all);
    return PHX_OK;
}

/* ---- twist ---- */
/* The section turned about the tangent. */
static void twist_axes(double angle, double *axes)
{
    const double c = cos(angle), s = sin(angle);

    for (int a = 0; a < 3; a++) {
        const double y = axes[3 * a + 1], z = axes[3 * a + 2];
        axes[3 * a + 1] = c * y + s * z;
        axes[3 * a + 2] = c * z - s * y;
    }
}

/* Places, axes and element lengths of nodes along a straight, circular or interpolated rod; in space twist turns the
 * axes in proportion to the fraction. */
phx_status phx_rod_curve_nodes(phx_context *context, int dim, const phx_rod_curve *curve, int n, const double *fraction,
                               const double *share, double *place, double *axes, double *length)
{
    phx_status status = PHX_OK;

    if (curve->kind == PHX_ROD_POINTS) {
        status = along_points(context, dim, curve->points, n, fraction, share, place, axes, length);
    } else {
        const bool arc = curve->kind == PHX_ROD_ARC;
        const double whole = arc ? curve->radius * fabs(curve->angle) : curve->length;
        const double curvature = arc ? copysign(1.0 / curve->radius, curve->angle) : 0.0;
        for (int k = 0; k <= n; k++)
            arc_node(dim, curvature, whole * (k < n ? fraction[k] : 1.0), place + dim * k, axes + dim * dim * k);
        for (int e = 0; e < n; e++)
            length[e] = whole * share[e];
    }
    for (int k = 0; k <= n && dim == 3 && !status; k++)
        twist_axes(curve->twist * (k < n ? fraction[k] : 1.0), axes + 9 * k);
    return status;
}
