/* Row kind ANGLE, plane: the section of B against the section of A, c = angle_b + atan(theta_b) - angle_a -
 * atan(theta_a), not wrapped. */
#include "row.h"

enum { W = 2, THETA = 3 }; /* entries of a plane rate */

static double measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    (void)row;
    return phx_port_angle(b, end) - phx_port_angle(a, end);
}

static void covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a, double *g_b)
{
    /* a frame turns by 2 atan(h w/2), so the frames' part is kappa h (w_b - w_a), kappa the quotient of atan between
     * h w_a/2 and h w_b/2: one torque, opposite on A and B; the sections' part is a quotient of atan for each slope */
    (void)row;
    double kappa = phx_port_atan_quotient(0.5 * a->h * a->rate[W], 0.5 * b->h * b->rate[W]);
    g_a[W] = -kappa;
    g_b[W] = kappa;
    g_a[THETA] = -phx_port_atan_quotient(a->theta0[0], a->theta1[0]);
    g_b[THETA] = phx_port_atan_quotient(b->theta0[0], b->theta1[0]);
}

/* second derivative of atan(theta) */
static double curvature(double theta)
{
    double s = 1.0 + theta * theta;
    return -2.0 * theta / (s * s);
}

static bool tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    (void)row;
    double theta_a = a->thetam[0], theta_b = b->thetam[0];
    if (theta_a == 0.0 && theta_b == 0.0)
        return false;
    phx_port_pair_clear(a->dim, H);
    H[THETA * PHX_PORT_PAIR + THETA] = -curvature(theta_a);
    H[(PHX_PORT_MAX + THETA) * PHX_PORT_PAIR + PHX_PORT_MAX + THETA] = curvature(theta_b);
    return true;
}

const phx_row_operations phx_row_angle = {measure, covectors, tangent};
