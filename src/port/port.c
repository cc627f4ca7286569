/* The port: directions that follow a section, their increments over an interval, and angles. */
#include <math.h>

#include <phlexor/port.h>

/* b = a + theta x a, the direction in body axes after the section has turned */
static void turned(int dim, const double *theta, const double *a, double *b)
{
    phx_rot_x_vec(dim, theta, a, b);
    for (int i = 0; i < dim; i++)
        b[i] += a[i];
}

void phx_port_direction(const phx_port_view *view, int end, const double *a, double *y)
{
    double b[3];
    turned(view->dim, end ? view->theta1 : view->theta0, a, b);
    phx_rot_apply(view->dim, end ? view->R1 : view->R0, b, y); /* A(a) = R (a + theta x a) */
}

void phx_port_direction_mean(const phx_port_view *view, const double *a, double *y)
{
    double y1[3];
    phx_port_direction(view, 0, a, y);
    phx_port_direction(view, 1, a, y1);
    for (int i = 0; i < view->dim; i++)
        y[i] = 0.5 * (y[i] + y1[i]);
}

void phx_port_direction_effort(const phx_port_view *view, const double *a, const double *g, double *effort)
{
    /* A1 - A0 = (R1 - R0) b_m + R_m (b1 - b0) = h R_m (w x b_m + theta_dot x a), so with f = R_m^T g
     * g . (A1 - A0) = h [ w . (b_m x f) + theta_dot . (a x f) ] */
    int dim = view->dim, n_rot = dim == 2 ? 1 : 3;
    double b[3], f[3], on_w[3], on_theta[3];
    turned(dim, view->thetam, a, b);
    phx_rot_apply_transposed(dim, view->Rm, g, f);
    phx_vec_x_vec(dim, b, f, on_w);
    phx_vec_x_vec(dim, a, f, on_theta);
    for (int i = 0; i < n_rot; i++) {
        effort[dim + i] += on_w[i];
        effort[dim + n_rot + i] += on_theta[i];
    }
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

void phx_port_direction_effort_tangent(const phx_port_view *view, const double *a, const double *g, double *tangent)
{
    /* With R -> R exp([dphi]x):  df = f x dphi,  db = dtheta x a, so
     *
     *                  dphi            dtheta
     *   on w         [ b x (f x .)     (. x a) x f = a (f . .) - (a . f) ]
     *   on theta_dot [ a x (f x .)     0                                 ]    (plane: all are minus scalar products) */
    int dim = view->dim;
    double b[3], f[3];
    turned(dim, view->thetam, a, b);
    phx_rot_apply_transposed(dim, view->Rm, g, f);
    if (dim == 2) {
        double a_f = a[0] * f[0] + a[1] * f[1], b_f = b[0] * f[0] + b[1] * f[1];
        tangent[2 * PHX_PORT_MAX + 2] -= b_f;
        tangent[2 * PHX_PORT_MAX + 3] -= a_f;
        tangent[3 * PHX_PORT_MAX + 2] -= a_f;
    } else {
        add_double_cross(f, b, tangent + 3 * PHX_PORT_MAX + 3);
        add_double_cross(a, f, tangent + 3 * PHX_PORT_MAX + 6);
        add_double_cross(f, a, tangent + 6 * PHX_PORT_MAX + 3);
    }
}

void phx_port_direction_tangent(const phx_port_view *view, const double *a, double *tangent)
{
    /* dA = R (dphi x b + dtheta x a): column of dphi_k is R (e_k x b), of dtheta_k R (e_k x a) */
    int dim = view->dim, n_rot = dim == 2 ? 1 : 3;
    double b[3];
    turned(dim, view->thetam, a, b);
    for (int r = 0; r < dim; r++)
        for (int c = 0; c < dim; c++)
            tangent[r * PHX_PORT_MAX + c] = 0.0;
    for (int k = 0; k < n_rot; k++) {
        double axis[3] = {0.0, 0.0, 0.0}, cross[3], y[3];
        axis[k] = 1.0;
        for (int part = 0; part < 2; part++) {
            phx_rot_x_vec(dim, axis, part ? a : b, cross);
            phx_rot_apply(dim, view->Rm, cross, y);
            for (int r = 0; r < dim; r++)
                tangent[r * PHX_PORT_MAX + dim + part * n_rot + k] = y[r];
        }
    }
}

double phx_port_angle(const phx_port_view *view, int end)
{
    return end ? view->angle1 + atan(view->theta1[0]) : view->angle0 + atan(view->theta0[0]);
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
    if (fabs(z) < 1e-3)
        return (1.0 - z * z * (1.0 / 3.0 - z * z / 5.0)) / s;
    return atan(z) / difference;
}
