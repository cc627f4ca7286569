/* Row kind AXIAL, space: component k of the axial vector of the rotation of B against A, n sin(phi) about n by phi:
 *
 *   c = 1/2 (A(alpha) . B(beta) - A(alpha2) . B(beta2)),   alpha = beta2 = base k+2, beta = alpha2 = base k+1
 *
 * a sum of products, and so exact over an interval. */
#include "row.h"

static double row_axial_measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    double A[2][3], B[2][3];
    phx_port_direction(a, end, row->alpha, A[0]);
    phx_port_direction(a, end, row->alpha2, A[1]);
    phx_port_direction(b, end, row->beta, B[0]);
    phx_port_direction(b, end, row->beta2, B[1]);
    return 0.5 * (phx_port_scalar_product(3, A[0], B[0]) - phx_port_scalar_product(3, A[1], B[1]));
}

static void row_axial_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a,
                                double *g_b)
{
    row_add_product(a, b, row->alpha, row->beta, 0.5, g_a, g_b);
    row_add_product(a, b, row->alpha2, row->beta2, -0.5, g_a, g_b);
}

static bool row_axial_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    phx_port_pair_clear(3, H);
    row_add_product_tangent(a, b, row->alpha, row->beta, 0.5, H);
    row_add_product_tangent(a, b, row->alpha2, row->beta2, -0.5, H);
    return true;
}

const phx_row_operations phx_row_axial = {row_axial_measure, row_axial_covectors, row_axial_tangent, NULL};
