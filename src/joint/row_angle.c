/* Row kind ANGLE, plane: the section of B against the section of A, c = angle_b + atan(theta_b) - angle_a -
 * atan(theta_a), not wrapped. */
#include "row.h"

enum { W = 2, THETA = 3 }; /* entries of a plane rate */

static double row_angle_measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    (void)row;
    return phx_port_angle(b, end) - phx_port_angle(a, end);
}

static void row_angle_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a,
                                double *g_b)
{
    /* theory 4 (14): a frame turns by 2 atan(h w/2), so the frames' part is kappa h (w_b - w_a), kappa the quotient of
     * atan between h w_a/2 and h w_b/2: one torque, opposite on A and B; the sections' part is a quotient of atan for
     * each slope */
    (void)row;
    double kappa = phx_port_atan_quotient(0.5 * a->h * a->rate[W], 0.5 * b->h * b->rate[W]);
    g_a[W] = -kappa;
    g_b[W] = kappa;
    g_a[THETA] = -phx_port_atan_quotient(a->theta0[0], a->theta1[0]);
    g_b[THETA] = phx_port_atan_quotient(b->theta0[0], b->theta1[0]);
}

/* H = dg/dxi of the relative angle: the derivatives of the difference quotients of 2 atan(h w/2) and atan theta by the
 * mean variations, theory 4 (14). Returns false if H is zero. */
static bool row_angle_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    /* x = h w/2 varies by (1 + x^2) dphi, theta1 by 2 dtheta */
    enum { B = PHX_PORT_MAX };
    (void)row;
    double x_a = 0.5 * a->h * a->rate[W], x_b = 0.5 * b->h * b->rate[W];
    double on_a = phx_port_atan_quotient_derivative(x_b, x_a) * (1.0 + x_a * x_a);
    double on_b = phx_port_atan_quotient_derivative(x_a, x_b) * (1.0 + x_b * x_b);
    double theta_a = 2.0 * phx_port_atan_quotient_derivative(a->theta0[0], a->theta1[0]);
    double theta_b = 2.0 * phx_port_atan_quotient_derivative(b->theta0[0], b->theta1[0]);
    if (on_a == 0.0 && on_b == 0.0 && theta_a == 0.0 && theta_b == 0.0)
        return false;
    phx_port_pair_clear(a->dim, H);
    H[W * PHX_PORT_PAIR + W] = -on_a;
    H[W * PHX_PORT_PAIR + B + W] = -on_b;
    H[(B + W) * PHX_PORT_PAIR + W] = on_a;
    H[(B + W) * PHX_PORT_PAIR + B + W] = on_b;
    H[THETA * PHX_PORT_PAIR + THETA] = -theta_a;
    H[(B + THETA) * PHX_PORT_PAIR + B + THETA] = theta_b;
    return true;
}

/* w_b - w_a, with the sections' slopes as in the increment of the angle. */
static bool spin(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a, double *g_b,
                 double *H)
{
    enum { B = PHX_PORT_MAX };
    (void)row;
    g_a[W] = -1.0;
    g_b[W] = 1.0;
    g_a[THETA] = -phx_port_atan_quotient(a->theta0[0], a->theta1[0]);
    g_b[THETA] = phx_port_atan_quotient(b->theta0[0], b->theta1[0]);
    H[THETA * PHX_PORT_PAIR + THETA] = -2.0 * phx_port_atan_quotient_derivative(a->theta0[0], a->theta1[0]);
    H[(B + THETA) * PHX_PORT_PAIR + B + THETA] = 2.0 * phx_port_atan_quotient_derivative(b->theta0[0], b->theta1[0]);
    return true;
}

const phx_row_operations phx_row_angle = {row_angle_measure, row_angle_covectors, row_angle_tangent, spin};
