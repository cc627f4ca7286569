/* Row kind POINT: one inertial component of u_b - u_a. Its covectors are constant. */
#include "row.h"

static double row_point_measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    return end ? b->u1[row->axis] - a->u1[row->axis] : b->u0[row->axis] - a->u0[row->axis];
}

static void row_point_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a,
                                double *g_b)
{
    (void)a;
    (void)b;
    g_a[row->axis] = -1.0;
    g_b[row->axis] = 1.0;
}

static bool row_point_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    (void)row;
    (void)a;
    (void)b;
    (void)H;
    return false;
}

const phx_row_operations phx_row_point = {row_point_measure, row_point_covectors, row_point_tangent, NULL};
