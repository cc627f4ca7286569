/* Row kind TURN, space: psi = atan2(s, c) with
 *
 *   c = A1 . B1 + A2 . B2,   s = A2 . B1 - A1 . B2,   A1 = A_a(alpha), A2 = A_a(alpha2), B1 = A_b(beta), B2 =
 * A_b(beta2).
 *
 * Only the ratio of c and s counts, so directions that a deformed section has stretched still give an angle. */
#include <math.h>

#include "row.h"

static void products(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end, double *c, double *s)
{
    double A1[3], A2[3], B1[3], B2[3];
    phx_port_direction(a, end, row->alpha, A1);
    phx_port_direction(a, end, row->alpha2, A2);
    phx_port_direction(b, end, row->beta, B1);
    phx_port_direction(b, end, row->beta2, B2);
    *c = phx_port_scalar_product(3, A1, B1) + phx_port_scalar_product(3, A2, B2);
    *s = phx_port_scalar_product(3, A2, B1) - phx_port_scalar_product(3, A1, B2);
}

static double measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    double c, s;
    products(row, a, b, end, &c, &s);
    return atan2(s, c);
}

/* g += weight_c grad c + weight_s grad s */
static void add_gradients(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double weight_c,
                          double weight_s, double *g_a, double *g_b)
{
    row_add_product(a, b, row->alpha, row->beta, weight_c, g_a, g_b);
    row_add_product(a, b, row->alpha2, row->beta2, weight_c, g_a, g_b);
    row_add_product(a, b, row->alpha2, row->beta, weight_s, g_a, g_b);
    row_add_product(a, b, row->alpha, row->beta2, -weight_s, g_a, g_b);
}

/* Covectors between the ends as the views have them. */
static void add_increment(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double weight,
                          double *g_a, double *g_b)
{
    /* psi1 - psi0 = atan2(S, C),   S = c0 s1 - s0 c1 = c_m (s1 - s0) - s_m (c1 - c0),   C = c0 c1 + s0 s1 */
    double c0, c1, s0, s1;
    products(row, a, b, 0, &c0, &s0);
    products(row, a, b, 1, &c1, &s1);
    double kappa = 0.5 * weight * phx_port_turn_quotient(c0 * s1 - s0 * c1, c0 * c1 + s0 * s1);
    add_gradients(row, a, b, -kappa * (s0 + s1), kappa * (c0 + c1), g_a, g_b);
}

/* The view with the section held as it is at one end, or with the frame. */
static phx_port_view hold_section(const phx_port_view *view, int end)
{
    phx_port_view held = *view;
    const double *theta = end ? view->theta1 : view->theta0;
    memcpy(held.theta0, theta, sizeof held.theta0);
    memcpy(held.theta1, theta, sizeof held.theta1);
    memcpy(held.thetam, theta, sizeof held.thetam);
    return held;
}

static phx_port_view hold_frame(const phx_port_view *view, int end)
{
    phx_port_view held = *view;
    const double *R = end ? view->R1 : view->R0;
    memcpy(held.R0, R, sizeof held.R0);
    memcpy(held.R1, R, sizeof held.R1);
    memcpy(held.Rm, R, sizeof held.Rm);
    return held;
}

static bool bent(const phx_port_view *view)
{
    return phx_port_scalar_product(3, view->theta0, view->theta0) +
               phx_port_scalar_product(3, view->theta1, view->theta1) >
           0.0;
}

static void covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a, double *g_b)
{
    if (a->h == 0.0 || !(bent(a) || bent(b))) {
        add_increment(row, a, b, 1.0, g_a, g_b);
        return;
    }
    /* psi(frames, sections) from (0, 0) to (1, 1) in two ways, first the frames and first the sections; the mean of
     * both puts the turn of the frames on w and that of the sections on theta_dot, and in the plane it is row_angle.c
     */
    for (int end = 0; end < 2; end++) {
        double f_a[PHX_PORT_MAX] = {0}, f_b[PHX_PORT_MAX] = {0}, s_a[PHX_PORT_MAX] = {0}, s_b[PHX_PORT_MAX] = {0};
        const phx_port_view section_a = hold_section(a, end), section_b = hold_section(b, end);
        const phx_port_view frame_a = hold_frame(a, end), frame_b = hold_frame(b, end);
        add_increment(row, &section_a, &section_b, 0.5, f_a, f_b);
        add_increment(row, &frame_a, &frame_b, 0.5, s_a, s_b);
        for (int i = 0; i < 3; i++) {
            g_a[3 + i] += f_a[3 + i];
            g_b[3 + i] += f_b[3 + i];
            g_a[6 + i] += s_a[6 + i];
            g_b[6 + i] += s_b[6 + i];
        }
    }
}

/* e += twice the derivative of weight A . B at the end by the directions there: the end moves by 2 xi. */
static void add_end_slope(const phx_port_view *a, const phx_port_view *b, const double *alpha, const double *beta,
                          double weight, double *e)
{
    double A[3], B[3], T_a[3 * PHX_PORT_MAX], T_b[3 * PHX_PORT_MAX];
    phx_port_direction(a, 1, alpha, A);
    phx_port_direction(b, 1, beta, B);
    phx_port_direction_tangent(a, alpha, T_a);
    phx_port_direction_tangent(b, beta, T_b);
    for (int r = 0; r < 3; r++)
        for (int j = 3; j < PHX_PORT_MAX; j++) {
            e[j] += 2.0 * weight * B[r] * T_a[r * PHX_PORT_MAX + j];
            e[PHX_PORT_MAX + j] += 2.0 * weight * A[r] * T_b[r * PHX_PORT_MAX + j];
        }
}

/* d kappa/dS of kappa = atan2(S, C)/S */
static double quotient_slope(double S, double C, double kappa)
{
    if (C > 0.0 && fabs(S) < 1e-4 * C)
        return -2.0 / 3.0 * S / (C * C * C);
    return (C / (S * S + C * C) - kappa) / S;
}

static bool tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    /* Exact where no section is bent, else up to second order in h:
     * g = w_s grad s + w_c grad c,   w_s = kappa c_m, w_c = -kappa s_m,   with c1, s1 that move:
     *   dw_s = c_m dkappa + kappa dc1/2,   dw_c = -s_m dkappa - kappa ds1/2,
     *   dkappa = kappa_S (c0 ds1 - s0 dc1) - (c0 dc1 + s0 ds1)/(S^2 + C^2)                                       */
    enum { N = PHX_PORT_PAIR };
    double c0, c1, s0, s1, on_c[N] = {0}, on_s[N] = {0}, dc[N] = {0}, ds[N] = {0};
    products(row, a, b, 0, &c0, &s0);
    products(row, a, b, 1, &c1, &s1);
    double S = c0 * s1 - s0 * c1, C = c0 * c1 + s0 * s1, kappa = phx_port_turn_quotient(S, C);
    double slope = quotient_slope(S, C, kappa), square = S * S + C * C;
    double c = 0.5 * (c0 + c1), s = 0.5 * (s0 + s1);
    add_gradients(row, a, b, 1.0, 0.0, on_c, on_c + PHX_PORT_MAX);
    add_gradients(row, a, b, 0.0, 1.0, on_s, on_s + PHX_PORT_MAX);
    add_end_slope(a, b, row->alpha, row->beta, 1.0, dc);
    add_end_slope(a, b, row->alpha2, row->beta2, 1.0, dc);
    add_end_slope(a, b, row->alpha2, row->beta, 1.0, ds);
    add_end_slope(a, b, row->alpha, row->beta2, -1.0, ds);
    phx_port_pair_clear(3, H);
    row_add_product_tangent(a, b, row->alpha, row->beta, -kappa * s, H);
    row_add_product_tangent(a, b, row->alpha2, row->beta2, -kappa * s, H);
    row_add_product_tangent(a, b, row->alpha2, row->beta, kappa * c, H);
    row_add_product_tangent(a, b, row->alpha, row->beta2, -kappa * c, H);
    for (int j = 0; j < N; j++) {
        double dkappa = slope * (c0 * ds[j] - s0 * dc[j]) - (c0 * dc[j] + s0 * ds[j]) / square;
        double dw_s = c * dkappa + 0.5 * kappa * dc[j], dw_c = -s * dkappa - 0.5 * kappa * ds[j];
        for (int i = 0; i < N; i++)
            H[i * N + j] += on_s[i] * dw_s + on_c[i] * dw_c;
    }
    return true;
}

const phx_row_operations phx_row_turn = {measure, covectors, tangent};
