/* Row kind ROLL: c = A_a(alpha) . (u_b - u_a)/|A_a(alpha)| + r angle, plane: how far a disc of radius r = beta[0] about
 * B has slipped along a line of A that it touches. */
#include "row.h"

/* Its parts, the second one times r. */
static void parts(const phx_row *row, phx_row *along, phx_row *angle)
{
    *along = (phx_row){.kind = PHX_ROW_DISPLACEMENT};
    memcpy(along->alpha, row->alpha, sizeof row->alpha);
    *angle = (phx_row){.kind = PHX_ROW_ANGLE};
}

static double measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    phx_row along, angle;

    parts(row, &along, &angle);
    return phx_row_value(&along, a, b, end) + row->beta[0] * phx_row_value(&angle, a, b, end);
}

static void covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a, double *g_b)
{
    phx_row along, angle;
    double own_a[PHX_PORT_MAX], own_b[PHX_PORT_MAX];

    parts(row, &along, &angle);
    phx_row_covectors(&along, a, b, g_a, g_b);
    phx_row_covectors(&angle, a, b, own_a, own_b);
    for (int i = 0; i < phx_port_size(a->dim); i++) {
        g_a[i] += row->beta[0] * own_a[i];
        g_b[i] += row->beta[0] * own_b[i];
    }
}

static bool tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    const int size = phx_port_size(a->dim);
    phx_row along, angle;
    double own[PHX_PORT_PAIR * PHX_PORT_PAIR];

    parts(row, &along, &angle);
    const bool curved = phx_row_tangent(&along, a, b, H);
    if (!phx_row_tangent(&angle, a, b, own))
        return curved;
    if (!curved)
        phx_port_pair_clear(a->dim, H);
    for (int i = 0; i < 2 * size; i++)
        for (int j = 0; j < 2 * size; j++) {
            const int r = i < size ? i : i - size + PHX_PORT_MAX, c = j < size ? j : j - size + PHX_PORT_MAX;
            H[r * PHX_PORT_PAIR + c] += row->beta[0] * own[r * PHX_PORT_PAIR + c];
        }
    return true;
}

const phx_row_operations phx_row_roll = {measure, covectors, tangent};
