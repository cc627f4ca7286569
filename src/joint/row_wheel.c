/* Row kind WHEEL: a free coordinate of a joint against the turn s of a wheel that it drives without slip or play,
 *
 *     c = q(A, B) - gear s
 *
 * q is the measure of the coordinate by its own row, which has given WHEEL all but the kind: `base`. s stands in
 * an entry of the port with the wheel that q does not depend on (phx_row_wheel_entry): with angles its place, with
 * displacements the turn of its section. */
#include <math.h>

#include "row.h"

static const phx_row_operations *driven(const phx_row *row)
{
    return row->base == PHX_ROW_DISPLACEMENT ? &phx_row_displacement
           : row->base == PHX_ROW_ANGLE      ? &phx_row_angle
           : row->base == PHX_ROW_TILT       ? &phx_row_tilt
                                             : &phx_row_turn;
}

int phx_row_wheel_entry(bool angular, int dim)
{
    return angular ? 0 : dim + phx_rotations(dim);
}

/* The wheel is on B, or with `axis` 0 on A. */
static const phx_port_view *carrier(const phx_row *row, const phx_port_view *a, const phx_port_view *b)
{
    return row->axis ? b : a;
}

/* Of a turn in space the difference is the least up to full turns. */
static double row_wheel_measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    static const double turn = 6.28318530717958647692;
    const phx_port_view *on = carrier(row, a, b);
    const double s = row->angular ? (end ? on->u1[0] : on->u0[0]) : (end ? on->theta1[0] : on->theta0[0]);
    const double c = driven(row)->measure(row, a, b, end) - row->gear * s;

    return row->base == PHX_ROW_TURN ? c - turn * round((c - row->target) / turn) : c;
}

static void row_wheel_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a,
                                double *g_b)
{
    driven(row)->covectors(row, a, b, g_a, g_b);
    (row->axis ? g_b : g_a)[phx_row_wheel_entry(row->angular, a->dim)] = -row->gear;
}

static bool row_wheel_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    return driven(row)->tangent(row, a, b, H);
}

const phx_row_operations phx_row_wheel = {row_wheel_measure, row_wheel_covectors, row_wheel_tangent, NULL};
