/* Row kind DISPLACEMENT: c = s/|l|, s = l . d, with the direction l = A_a(alpha) of A and the distance d = u_b - u_a.
 * |l| is not constant, because the section's direction R (a + theta x a) is not a unit vector. */
#include <math.h>

#include "row.h"

static double row_displacement_measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    double l[3], d[3];
    phx_port_direction(a, end, row->alpha, l);
    row_distance(a, b, end, d);
    return phx_port_scalar_product(a->dim, l, d) / sqrt(phx_port_scalar_product(a->dim, l, l));
}

/* l at both ends and what the discrete gradient is made of */
typedef struct interval {
    double l_mean[3], d_mean[3], l1[3], d1[3];
    double length0, length1; /* |l0|, |l1| */
    double s0, s1;           /* l . d */
} interval;

/* Direction l of A and distance d at both ends, their means, the lengths |l| and the products s = l . d over an
 * interval. */
static void evaluate_interval(const phx_row *row, const phx_port_view *a, const phx_port_view *b, interval *v)
{
    int dim = a->dim;
    double l0[3], d0[3], *l1 = v->l1, *d1 = v->d1;
    phx_port_direction(a, 0, row->alpha, l0);
    phx_port_direction(a, 1, row->alpha, l1);
    row_distance(a, b, 0, d0);
    row_distance(a, b, 1, d1);
    for (int i = 0; i < dim; i++) {
        v->l_mean[i] = 0.5 * (l0[i] + l1[i]);
        v->d_mean[i] = 0.5 * (d0[i] + d1[i]);
    }
    v->length0 = sqrt(phx_port_scalar_product(dim, l0, l0));
    v->length1 = sqrt(phx_port_scalar_product(dim, l1, l1));
    v->s0 = phx_port_scalar_product(dim, l0, d0);
    v->s1 = phx_port_scalar_product(dim, l1, d1);
}

/* Covectors of s/|l|, so that h g . zeta is its exact increment, theory 4 (11). */
static void row_displacement_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a,
                                       double *g_b)
{
    /* s1/|l1| - s0/|l0| = p (s1 - s0) + (s0 + s1)/2 (1/|l1| - 1/|l0|),   p = (1/|l0| + 1/|l1|)/2
     *   s1 - s0          = l_m . (d1 - d0) + d_m . (l1 - l0)
     *   1/|l1| - 1/|l0|  = -2 l_m . (l1 - l0) / [(|l0| + |l1|) |l0| |l1|]     from |l1|^2 - |l0|^2 = 2 l_m . (l1 - l0)
     * so g = p l_m goes with d1 - d0 and m = p d_m - l_m (s0 + s1)/[(|l0| + |l1|) |l0| |l1|] with l1 - l0 */
    interval v;
    evaluate_interval(row, a, b, &v);
    double product = v.length0 * v.length1, sum = v.length0 + v.length1;
    double p = 0.5 * sum / product, slope = (v.s0 + v.s1) / (sum * product);
    double m[3];
    for (int i = 0; i < a->dim; i++) {
        g_a[i] = -p * v.l_mean[i];
        g_b[i] = p * v.l_mean[i];
        m[i] = p * v.d_mean[i] - slope * v.l_mean[i];
    }
    phx_port_direction_effort(a, row->alpha, m, g_a);
}

/* H = dg/dxi of the covectors by the variations of the ports' means; always true, H is set. */
static bool row_displacement_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    /* g_b = (p l_m | 0), g_a = (-p l_m | E^T m), m = p d_m - q l_m, q = (s0 + s1)/Q, Q = (|l0| + |l1|) |l0| |l1|. With
     * dl_m = T d(turn) =: t, dl1 = 2 t, dd1 = 2 dd_m:
     *   d|l1| = 2 l1 . t/|l1|,   dp = -l1 . t/|l1|^3,   dq = 2 (l1 . dd_m + d1 . t)/Q - q |l0| (|l0| + 2 |l1|) d|l1|/Q
     *   d(p l_m) = p t + l_m dp,   dm = p dd_m + d_m dp - q t - l_m dq                                          */
    int dim = a->dim, n_port = phx_port_size(dim);
    double T[3 * PHX_PORT_MAX], E[3 * PHX_PORT_MAX], N[3 * PHX_PORT_MAX], M[9], m[3];
    interval v;
    evaluate_interval(row, a, b, &v);
    double L0 = v.length0, L1 = v.length1, Q = (L0 + L1) * L0 * L1, p = 0.5 / L0 + 0.5 / L1, q = (v.s0 + v.s1) / Q;
    for (int i = 0; i < dim; i++) {
        m[i] = p * v.d_mean[i] - q * v.l_mean[i];
        for (int j = 0; j < dim; j++)
            M[i * dim + j] = (i == j ? p : 0.0) - 2.0 * v.l_mean[i] * v.l1[j] / Q;
    }
    phx_port_pair_clear(dim, H);
    phx_port_direction_tangent(a, row->alpha, T);
    phx_port_direction_map(a, row->alpha, E);
    for (int j = dim; j < n_port; j++) {
        double along = 0.0, across = 0.0, dm[3];
        for (int r = 0; r < dim; r++) {
            along += v.l1[r] * T[r * PHX_PORT_MAX + j];
            across += v.d1[r] * T[r * PHX_PORT_MAX + j];
        }
        double dp = -along / (L1 * L1 * L1), dq = 2.0 * across / Q - q * L0 * (L0 + 2.0 * L1) * 2.0 * along / (L1 * Q);
        for (int r = 0; r < dim; r++) {
            N[r * PHX_PORT_MAX + j] = p * T[r * PHX_PORT_MAX + j] + v.l_mean[r] * dp;
            dm[r] = v.d_mean[r] * dp - q * T[r * PHX_PORT_MAX + j] - v.l_mean[r] * dq;
        }
        for (int i = dim; i < n_port; i++)
            for (int r = 0; r < dim; r++)
                H[i * PHX_PORT_PAIR + j] += E[r * PHX_PORT_MAX + i] * dm[r];
    }
    row_set_direction_blocks(dim, N, E, M, H);
    row_add_direction_effort_tangent(a, row->alpha, m, 0, H);
    return true;
}

const phx_row_operations phx_row_displacement = {row_displacement_measure, row_displacement_covectors,
                                                 row_displacement_tangent, NULL};
