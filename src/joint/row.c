/* The table of row kinds and the public functions that look into it. */
#include <math.h>

#include "row.h"

static const phx_row_operations *const kinds[] = {
    [PHX_ROW_POINT] = &phx_row_point, [PHX_ROW_NORMAL] = &phx_row_normal,
    [PHX_ROW_DOT] = &phx_row_dot,     [PHX_ROW_DISPLACEMENT] = &phx_row_displacement,
    [PHX_ROW_ANGLE] = &phx_row_angle, [PHX_ROW_TURN] = &phx_row_turn,
    [PHX_ROW_TILT] = &phx_row_tilt,
};

double phx_row_value(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    return kinds[row->kind]->measure(row, a, b, end) - row->target;
}

bool phx_row_turns(const phx_row *row)
{
    return row->kind == PHX_ROW_DOT || row->kind == PHX_ROW_ANGLE || row->kind == PHX_ROW_TURN ||
           row->kind == PHX_ROW_TILT;
}

double phx_row_unwrapped(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end, double near)
{
    static const double turn = 6.28318530717958647692;
    double value = phx_row_value(row, a, b, end);
    return row->counted ? value + turn * round((near - value) / turn) : value;
}

void phx_row_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a, double *g_b)
{
    size_t bytes = (size_t)phx_port_size(a->dim) * sizeof(double);
    memset(g_a, 0, bytes);
    memset(g_b, 0, bytes);
    kinds[row->kind]->covectors(row, a, b, g_a, g_b);
}

bool phx_row_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    return kinds[row->kind]->tangent(row, a, b, H);
}
