/* Row kind NORMAL: c = A . d, a direction A = A_a(alpha) of A times the distance d = u_b - u_a. */
#include "row.h"

static double row_normal_measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    double direction[3], d[3];
    phx_port_direction(a, end, row->alpha, direction);
    row_distance(a, b, end, d);
    return phx_port_scalar_product(a->dim, direction, d);
}

static void row_normal_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a,
                                 double *g_b)
{
    /* theory 4 (11): c1 - c0 = A_m . (d1 - d0) + d_m . (A1 - A0) */
    double direction[3], d[3];
    phx_port_direction_mean(a, row->alpha, direction);
    row_distance_mean(a, b, d);
    for (int i = 0; i < a->dim; i++) {
        g_a[i] = -direction[i];
        g_b[i] = direction[i];
    }
    phx_port_direction_effort(a, row->alpha, d, g_a);
}

static bool row_normal_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    /* n = A, so N = T = dA/d(turn of A); the turning part of g_a is E^T d, which depends on the turn itself too */
    double T[3 * PHX_PORT_MAX], E[3 * PHX_PORT_MAX], d[3];
    phx_port_pair_clear(a->dim, H);
    phx_port_direction_tangent(a, row->alpha, T);
    phx_port_direction_map(a, row->alpha, E);
    row_distance_mean(a, b, d);
    row_set_direction_blocks(a->dim, T, E, NULL, H);
    row_add_direction_effort_tangent(a, row->alpha, d, 0, H);
    return true;
}

const phx_row_operations phx_row_normal = {row_normal_measure, row_normal_covectors, row_normal_tangent, NULL};
