/* The port: directions that follow a section, their increments over an interval, and angles. */
#include <math.h>

#include "port/port.h"

static const double SMALL_ANGLE = 1e-3; /* rad */

/* b = a + theta x a */
static void turned(int dim, const double *theta, const double *a, double *b)
{
    phx_rot_x_vec(dim, theta, a, b);
    for (int i = 0; i < dim; i++)
        b[i] += a[i];
}

void phx_port_direction(const phx_port_view *view, int end, const double *a, double *y)
{
    if (view->dim == 2)
        phx_port_direction_in(2, view, end, a, y);
    else
        phx_port_direction_in(3, view, end, a, y);
}

void phx_port_direction_mean(const phx_port_view *view, const double *a, double *y)
{
    if (view->dim == 2)
        phx_port_direction_mean_in(2, view, a, y);
    else
        phx_port_direction_mean_in(3, view, a, y);
}

void phx_port_direction_effort(const phx_port_view *view, const double *a, const double *g, double *effort)
{
    if (view->dim == 2)
        phx_port_direction_effort_in(2, view, a, g, effort);
    else
        phx_port_direction_effort_in(3, view, a, g, effort);
}

/* block (3 x 3, leading dimension PHX_PORT_MAX) += f y^T - (f . y) I, the matrix of  phi -> y x (f x phi) */
static void add_double_cross(const double *f, const double *y, double *block)
{
    double dot = f[0] * y[0] + f[1] * y[1] + f[2] * y[2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            block[i * PHX_PORT_MAX + j] += f[i] * y[j];
        block[i * PHX_PORT_MAX + i] -= dot;
    }
}

/* Adds the derivative of the effort of phx_port_direction_effort at fixed g by the port's variations to `tangent`. A
 * sliding port contributes nothing, because its effort does not depend on its place. */
void phx_port_direction_effort_tangent(const phx_port_view *view, const double *a, const double *g, double *tangent)
{
    /* With dR_m = R1 [dphi]x, f = R_m^T g, f1 = R1^T g:  df = f1 x dphi,  db = dtheta x a, so
     *
     *                  dphi             dtheta
     *   on w         [ b x (f1 x .)     (. x a) x f = a (f . .) - (a . f) ]
     *   on theta_dot [ a x (f1 x .)     0                                 ]    (plane: all are minus scalar products)
     */
    int dim = view->dim;
    double b[3], f[3], f1[3];
    if (view->slides) /* linear in the axes */
        return;
    turned(dim, view->thetam, a, b);
    phx_rot_apply_transposed(dim, view->Rm, g, f);
    phx_rot_apply_transposed(dim, view->R1, g, f1);
    if (dim == 2) {
        tangent[2 * PHX_PORT_MAX + 2] -= b[0] * f1[0] + b[1] * f1[1];
        tangent[2 * PHX_PORT_MAX + 3] -= a[0] * f[0] + a[1] * f[1];
        tangent[3 * PHX_PORT_MAX + 2] -= a[0] * f1[0] + a[1] * f1[1];
    } else {
        add_double_cross(f1, b, tangent + 3 * PHX_PORT_MAX + 3);
        add_double_cross(a, f, tangent + 3 * PHX_PORT_MAX + 6);
        add_double_cross(f1, a, tangent + 6 * PHX_PORT_MAX + 3);
    }
}

/* Columns R (e_k x b) for the frame and R (e_k x a) for the section, b = a + theta x a. */
static void turn_matrix(int dim, const double *R, const double *theta, const double *a, double *matrix)
{
    int n_rot = dim == 2 ? 1 : 3;
    double b[3];
    turned(dim, theta, a, b);
    for (int r = 0; r < dim; r++)
        for (int c = 0; c < dim; c++)
            matrix[r * PHX_PORT_MAX + c] = 0.0;
    for (int k = 0; k < n_rot; k++) {
        double axis[3] = {0.0, 0.0, 0.0}, cross[3], y[3];
        axis[k] = 1.0;
        for (int part = 0; part < 2; part++) {
            phx_rot_x_vec(dim, axis, part ? a : b, cross);
            phx_rot_apply(dim, R, cross, y);
            for (int r = 0; r < dim; r++)
                matrix[r * PHX_PORT_MAX + dim + part * n_rot + k] = y[r];
        }
    }
}

/* The same of a port that slides: columns of the axes. */
static void axis_matrix(int dim, const double *a, double *matrix)
{
    for (int r = 0; r < dim; r++) {
        double unit[3] = {0}, row[PHX_PORT_MAX] = {0};
        unit[r] = 1.0;
        phx_port_axis_effort(dim, a, unit, row);
        memcpy(matrix + r * PHX_PORT_MAX, row, (size_t)phx_port_size(dim) * sizeof *row);
    }
}

void phx_port_direction_tangent(const phx_port_view *view, const double *a, double *tangent)
{
    if (view->slides) {
        axis_matrix(view->dim, a, tangent);
        return;
    }
    /* dA_m = dA_1/2 = R1 (dphi x b1 + dtheta x a) */
    turn_matrix(view->dim, view->R1, view->theta1, a, tangent);
}

void phx_port_direction_map(const phx_port_view *view, const double *a, double *map)
{
    if (view->slides) {
        axis_matrix(view->dim, a, map);
        return;
    }
    turn_matrix(view->dim, view->Rm, view->thetam, a, map);
}

/* The turn of a section between the ends. With s = sqrt(1 + |theta|^2), tan(atan|theta|/2) = |theta|/(1 + s): Q is
 * (1, g) as a quaternion, g = theta/(1 + s). g1 - g0 = D (theta1 - theta0),
 *
 *   D = p I - q theta_m theta_m^T,   p = mean(1/(1 + s)),   q = 2/[(s0 + s1)(1 + s0)(1 + s1)]
 *   Q1 Q0^T = (c, v),   c = 1 + g0 . g1,   v = (I + [g_m]x)(g1 - g0),   rotation vector 2 atan2(|v|, c) v/|v| */
typedef struct section_turn {
    double s0, s1, p, q, g[3], D[9], step[3], v[3], c, kappa;
} section_turn;

/* Terms of the section's rotation over an interval in space: E dtheta is the rotation vector of Q1 Q0^T, theory 4 (17).
 * g is the mean of the half-angle vectors theta/(1 + s), s = sqrt(1 + |theta|^2), D their difference quotient. */
static void find_section_turn(const phx_port_view *view, section_turn *turn)
{
    const double *x0 = view->theta0, *x1 = view->theta1, *xm = view->thetam;
    const double s0 = sqrt(1.0 + phx_port_scalar_product(3, x0, x0));
    const double s1 = sqrt(1.0 + phx_port_scalar_product(3, x1, x1));
    double difference[3];

    turn->s0 = s0;
    turn->s1 = s1;
    turn->p = 0.5 / (1.0 + s0) + 0.5 / (1.0 + s1);
    turn->q = 2.0 / ((s0 + s1) * (1.0 + s0) * (1.0 + s1));
    for (int i = 0; i < 3; i++) {
        turn->g[i] = 0.5 * x0[i] / (1.0 + s0) + 0.5 * x1[i] / (1.0 + s1);
        difference[i] = x1[i] - x0[i];
        for (int j = 0; j < 3; j++)
            turn->D[3 * i + j] = (i == j ? turn->p : 0.0) - turn->q * xm[i] * xm[j];
    }
    phx_rot_apply(3, turn->D, difference, turn->step);
    phx_rot_x_vec(3, turn->g, turn->step, turn->v);
    for (int i = 0; i < 3; i++)
        turn->v[i] += turn->step[i];
    turn->c = 1.0 + phx_port_scalar_product(3, x0, x1) / ((1.0 + s0) * (1.0 + s1));
    turn->kappa = 2.0 * phx_port_turn_quotient(sqrt(phx_port_scalar_product(3, turn->v, turn->v)), turn->c);
}

/* E = kappa (I + [g]x) D */
void phx_port_section_turn(const phx_port_view *view, double *E)
{
    section_turn turn;

    find_section_turn(view, &turn);
    for (int j = 0; j < 3; j++) {
        double column[3] = {turn.D[j], turn.D[3 + j], turn.D[6 + j]}, turned_column[3];
        phx_rot_x_vec(3, turn.g, column, turned_column);
        for (int i = 0; i < 3; i++)
            E[3 * i + j] = turn.kappa * (column[i] + turned_column[i]);
    }
}

/* dE[k], the derivative of the section's rotation matrix E by component k of the mean of theta; theta1 moves by twice
 * as much. */
void phx_port_section_turn_tangent(const phx_port_view *view, double dE[3][9])
{
    /* theta_m moves by e_k, theta1 by 2 e_k: at an instant, E being symmetric in the ends, that is both by e_k */
    const double *x0 = view->theta0, *x1 = view->theta1, *xm = view->thetam;
    section_turn at;

    find_section_turn(view, &at);
    const double u1 = 1.0 + at.s1, size = sqrt(phx_port_scalar_product(3, at.v, at.v));
    const double on_v = 2.0 * phx_port_turn_quotient_derivative(size, at.c), on_c = -2.0 / (size * size + at.c * at.c);
    for (int k = 0; k < 3; k++) {
        const double ds = 2.0 * x1[k] / at.s1, dp = -0.5 * ds / (u1 * u1);
        const double dq = -at.q * ds * (1.0 / (at.s0 + at.s1) + 1.0 / u1);
        double dg[3], dD[9], dstep[3], dv[3], part[3], difference[3];
        for (int i = 0; i < 3; i++) {
            dg[i] = (i == k ? 1.0 / u1 : 0.0) - 0.5 * x1[i] * ds / (u1 * u1);
            difference[i] = x1[i] - x0[i];
            for (int j = 0; j < 3; j++)
                dD[3 * i + j] =
                    (i == j ? dp : 0.0) - dq * xm[i] * xm[j] - at.q * ((i == k ? xm[j] : 0.0) + (j == k ? xm[i] : 0.0));
        }
        phx_rot_apply(3, dD, difference, dstep);
        for (int i = 0; i < 3; i++)
            dstep[i] += 2.0 * at.D[3 * i + k];
        phx_rot_x_vec(3, dg, at.step, dv);
        phx_rot_x_vec(3, at.g, dstep, part);
        for (int i = 0; i < 3; i++)
            dv[i] += part[i] + dstep[i];
        const double dc = (2.0 * x0[k] - phx_port_scalar_product(3, x0, x1) * ds / u1) / ((1.0 + at.s0) * u1);
        const double dkappa = on_v * phx_port_scalar_product(3, at.v, dv) + on_c * dc;
        for (int j = 0; j < 3; j++) { /* dE = dkappa (I + [g]x) D + kappa ([dg]x D + (I + [g]x) dD) */
            const double column[3] = {at.D[j], at.D[3 + j], at.D[6 + j]}, slope[3] = {dD[j], dD[3 + j], dD[6 + j]};
            double on_g[3], by_g[3], by_slope[3];
            phx_rot_x_vec(3, at.g, column, on_g);
            phx_rot_x_vec(3, dg, column, by_g);
            phx_rot_x_vec(3, at.g, slope, by_slope);
            for (int i = 0; i < 3; i++)
                dE[k][3 * i + j] = dkappa * (column[i] + on_g[i]) + at.kappa * (by_g[i] + slope[i] + by_slope[i]);
        }
    }
}

/* Q(theta) a with the quaternion (1, g), g = theta/(1 + s): a + 2 g x (a + g x a)/(1 + g . g) */
static void section_rotate(const double *theta, const double *a, double *y)
{
    double s = sqrt(1.0 + phx_port_scalar_product(3, theta, theta)), g[3], b[3];
    for (int i = 0; i < 3; i++)
        g[i] = theta[i] / (1.0 + s);
    phx_rot_x_vec(3, g, a, b);
    for (int i = 0; i < 3; i++)
        b[i] += a[i];
    phx_rot_x_vec(3, g, b, y);
    double scale = 2.0 / (1.0 + phx_port_scalar_product(3, g, g));
    for (int i = 0; i < 3; i++)
        y[i] = a[i] + scale * y[i];
}

void phx_port_turned(const phx_port_view *view, int end, const double *a, double *y)
{
    double b[3];
    section_rotate(end ? view->theta1 : view->theta0, a, b);
    phx_rot_apply(3, end ? view->R1 : view->R0, b, y);
}

/* Derivative of the rotated direction R Q a at the end by the port's variations, 3 x PHX_PORT_MAX; the columns of the
 * place are zero. */
void phx_port_turned_tangent(const phx_port_view *view, const double *a, double *tangent)
{
    /* d(R Q a) = R [(dphi + E dtheta) x Q a] at the end */
    phx_port_view end = {0};
    double E[9], b[3], cross[3], y[3];
    memcpy(end.theta0, view->theta1, sizeof end.theta0);
    memcpy(end.theta1, view->theta1, sizeof end.theta1);
    memcpy(end.thetam, view->theta1, sizeof end.thetam);
    phx_port_section_turn(&end, E);
    section_rotate(view->theta1, a, b);
    for (int c = 0; c < PHX_PORT_MAX; c++) {
        double w[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < 3 && c >= 3; i++)
            w[i] = c < 6 ? (i == c - 3) : E[3 * i + c - 6];
        phx_rot_x_vec(3, w, b, cross);
        phx_rot_apply(3, view->R1, cross, y);
        for (int r = 0; r < 3; r++)
            tangent[r * PHX_PORT_MAX + c] = y[r];
    }
}

double phx_port_turn_quotient(double s, double c)
{
    double z = s / c;
    /* atan2(s, c)/s; below 1e-3 the series of [atan(z)/z]/c is exact to rounding */
    if (c > 0.0 && fabs(z) < SMALL_ANGLE)
        return (1.0 - z * z * (1.0 / 3.0 - z * z / 5.0)) / c;
    return atan2(s, c) / s;
}

double phx_port_turn_quotient_derivative(double s, double c)
{
    static const double SMALL = 1e-2; /* rad */
    double z = s / c;
    /* [c/(s^2 + c^2) - atan2(s, c)/s]/s^2; below 1e-2 its series is exact to 1e-12 */
    if (c > 0.0 && fabs(z) < SMALL)
        return (-2.0 / 3.0 + z * z * (4.0 / 5.0 - z * z * (6.0 / 7.0 - z * z * 8.0 / 9.0))) / (c * c * c);
    return (c / (s * s + c * c) - atan2(s, c) / s) / (s * s);
}

double phx_port_angle(const phx_port_view *view, int end)
{
    const double *R = end ? view->R1 : view->R0, slope = end ? view->theta1[0] : view->theta0[0];
    double angle = end ? view->angle1 : view->angle0;

    if (view->h == 0.0) /* which may be a stage */
        angle += remainder(atan2(R[2], R[0]) - angle, 2.0 * acos(-1.0));
    return angle + atan(slope);
}

double phx_port_atan_quotient(double x0, double x1)
{
    /* atan x1 - atan x0 = atan z, z = (x1 - x0)/(1 + x0 x1), while 1 + x0 x1 > 0. Beyond that |x1 - x0| >= 2 and the
     * plain quotient has nothing to cancel. */
    double difference = x1 - x0, s = 1.0 + x0 * x1;
    if (s <= 0.0)
        return (atan(x1) - atan(x0)) / difference;
    double z = difference / s;
    /* [atan(z)/z]/s; below 1e-3 the series 1 - z^2/3 + z^4/5 is exact to rounding */
    if (fabs(z) < SMALL_ANGLE)
        return (1.0 - z * z * (1.0 / 3.0 - z * z / 5.0)) / s;
    return atan(z) / difference;
}

double phx_port_atan_quotient_derivative(double x0, double x1)
{
    static const double NEAR = 1e-4; /* difference of x0 and x1 */
    /* [1/(1 + x1^2) - quotient]/(x1 - x0); near x0 half of the second derivative of atan in the middle */
    double difference = x1 - x0;
    if (fabs(difference) > NEAR)
        return (1.0 / (1.0 + x1 * x1) - phx_port_atan_quotient(x0, x1)) / difference;
    double x = 0.5 * (x0 + x1), s = 1.0 + x * x;
    return -x / (s * s);
}
