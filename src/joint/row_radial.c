/* Row kind RADIAL: c = |x|, x the distance d = u_b - u_a (axis 0), its parts A_a(alpha) . d and A_a(alpha2) . d
 * across an axis of A (axis 2), or the parts A_a(alpha) . A_b(s) of the semi-axes s = beta, beta2, alpha2 of an
 * ellipsoid about B along a direction of A (axis 1). Over an interval c1 - c0 = y . (x1 - x0), y = (x0 + x1)/(|x0| +
 * |x1|). */
#include <math.h>

#include "row.h"

enum { MOST = 3 };

/* The measures that it is the root of squares of. */
static int parts(const phx_row *row, int dim, phx_row out[MOST])
{
    if (row->axis == 0) {
        for (int k = 0; k < dim; k++)
            out[k] = (phx_row){.kind = PHX_ROW_POINT, .axis = k};
        return dim;
    }
    if (row->axis == 1) {
        const double *const semi_axes[MOST] = {row->beta, row->beta2, row->alpha2};
        for (int k = 0; k < dim; k++) {
            out[k] = (phx_row){.kind = PHX_ROW_DOT};
            memcpy(out[k].alpha, row->alpha, sizeof row->alpha);
            memcpy(out[k].beta, semi_axes[k], sizeof row->beta);
        }
        return dim;
    }
    out[0] = out[1] = (phx_row){.kind = PHX_ROW_NORMAL};
    memcpy(out[0].alpha, row->alpha, sizeof row->alpha);
    memcpy(out[1].alpha, row->alpha2, sizeof row->alpha2);
    return 2;
}

static double row_radial_length(int n, const double *x)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sqrt(sum);
}

static double row_radial_measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    phx_row part[MOST];
    double x[MOST];
    const int n = parts(row, a->dim, part);

    for (int k = 0; k < n; k++)
        x[k] = phx_row_value(&part[k], a, b, end);
    return row_radial_length(n, x);
}

/* y and the sum S = |x0| + |x1|; n1 = x1/|x1| */
static int gradient(const phx_row *row, const phx_port_view *a, const phx_port_view *b, phx_row part[MOST], double *y,
                    double *n1, double *S)
{
    const int n = parts(row, a->dim, part);
    double x0[MOST], x1[MOST];

    for (int k = 0; k < n; k++) {
        x0[k] = phx_row_value(&part[k], a, b, 0);
        x1[k] = phx_row_value(&part[k], a, b, 1);
    }
    const double end = row_radial_length(n, x1);
    *S = row_radial_length(n, x0) + end;
    for (int k = 0; k < n; k++) {
        y[k] = *S > 0.0 ? (x0[k] + x1[k]) / *S : 0.0;
        n1[k] = end > 0.0 ? x1[k] / end : 0.0;
    }
    return n;
}

/* Covectors of the distance: g = sum over k of y_k g_k, with y the unit direction of the mean place. */
static void row_radial_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a,
                                 double *g_b)
{
    phx_row part[MOST];
    double y[MOST], n1[MOST], S, own_a[PHX_PORT_MAX], own_b[PHX_PORT_MAX];
    const int n = gradient(row, a, b, part, y, n1, &S);

    for (int k = 0; k < n; k++) {
        phx_row_covectors(&part[k], a, b, own_a, own_b);
        for (int i = 0; i < phx_port_size(a->dim); i++) {
            g_a[i] += y[k] * own_a[i];
            g_b[i] += y[k] * own_b[i];
        }
    }
}

/* H = dg/dxi of |x| from the covectors and derivatives of its parts x_k. */
static bool row_radial_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    /* H = y_k H_k + g_k dy_k,  dy_k = (delta_kl - y_k n1_l)/S dx1_l,  dx1_l = 2 g_l */
    const int dim = a->dim, size = phx_port_size(dim);
    phx_row part[MOST];
    double y[MOST], n1[MOST], S, g[MOST][PHX_PORT_PAIR] = {{0}}, own[PHX_PORT_PAIR * PHX_PORT_PAIR];
    const int n = gradient(row, a, b, part, y, n1, &S);

    phx_port_pair_clear(dim, H);
    for (int k = 0; k < n; k++) {
        phx_row_covectors(&part[k], a, b, g[k], g[k] + PHX_PORT_MAX);
        if (!phx_row_tangent(&part[k], a, b, own))
            continue;
        for (int i = 0; i < 2 * size; i++)
            for (int j = 0; j < 2 * size; j++) {
                const int at =
                    (i < size ? i : i - size + PHX_PORT_MAX) * PHX_PORT_PAIR + (j < size ? j : j - size + PHX_PORT_MAX);
                H[at] += y[k] * own[at];
            }
    }
    for (int k = 0; k < n && S > 0.0; k++)
        for (int l = 0; l < n; l++) {
            const double dy = 2.0 * ((k == l ? 1.0 : 0.0) - y[k] * n1[l]) / S;
            for (int i = 0; i < 2 * size; i++)
                for (int j = 0; j < 2 * size; j++) {
                    const int r = i < size ? i : i - size + PHX_PORT_MAX, c = j < size ? j : j - size + PHX_PORT_MAX;
                    H[r * PHX_PORT_PAIR + c] += dy * g[k][r] * g[l][c];
                }
        }
    return true;
}

const phx_row_operations phx_row_radial = {row_radial_measure, row_radial_covectors, row_radial_tangent, NULL};
