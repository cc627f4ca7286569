/* Force or torque at a port: dead or following the section. */
#include <math.h>

#include "result.h"

enum { W = 2, THETA = 3 }; /* entries of a plane rate */

static phx_status read_components(phx_context *context, const phx_port_load *load, int count, double t, double *value)
{
    for (int i = 0; i < count; i++) {
        value[i] = phx_signal_value(load->component[i], t);
        if (!isfinite(value[i]))
            return phx_fail(context, PHX_ERR_ANALYSIS,
                            "load: component %d of the %s is %g at t = %g s, expected a finite value", i + 1,
                            load->kind == PHX_LOAD_FORCE ? "force" : "torque", value[i], t);
    }
    return PHX_OK;
}

/* n = mean over the ends of A(a)/|A(a)|, and the mean of |A(a)|; a length of 0 says that the direction vanishes */
static void unit_direction_mean(const phx_port_view *port, const double *a, double *n, double *length)
{
    double A0[3], A1[3];
    phx_port_direction(port, 0, a, A0);
    phx_port_direction(port, 1, a, A1);
    double length0 = sqrt(phx_port_scalar_product(port->dim, A0, A0));
    double length1 = sqrt(phx_port_scalar_product(port->dim, A1, A1));
    *length = length0 > 0.0 && length1 > 0.0 ? 0.5 * (length0 + length1) : 0.0;
    for (int i = 0; i<port->dim && * length> 0.0; i++)
        n[i] = 0.5 * (A0[i] / length0 + A1[i] / length1);
}

/* tangent of F n with respect to the turn of the port: F (T - n n^T T)/L, T = dA/d(turn) */
static void add_follower_tangent(const phx_port_view *port, const double *a, double F, const double *n, double L,
                                 double *tangent)
{
    double T[3 * PHX_PORT_MAX];
    phx_port_direction_tangent(port, a, T);
    for (int j = port->dim; j < phx_port_size(port->dim); j++) {
        double nT = 0.0;
        for (int r = 0; r < port->dim; r++)
            nT += n[r] * T[r * PHX_PORT_MAX + j];
        for (int r = 0; r < port->dim; r++)
            tangent[r * PHX_PORT_PAIR + j] += F * (T[r * PHX_PORT_MAX + j] - n[r] * nT) / L;
    }
}

static phx_status evaluate_follower(phx_context *context, const phx_port_load *load, const phx_port_view *port,
                                    const double *F, double t, bool tangents, phx_load_result *result)
{
    /* force = sum_i F_i n_i, n_i the mean unit vector of the port's direction i */
    int dim = port->dim;
    for (int i = 0; i < dim; i++) {
        if (F[i] == 0.0)
            continue;
        double a[3], n[3], length;
        for (int r = 0; r < dim; r++)
            a[r] = load->rotation[r * dim + i];
        unit_direction_mean(port, a, n, &length);
        if (!(length > 0.0))
            return phx_fail(context, PHX_ERR_ANALYSIS,
                            "load: direction %d of the port vanishes at t = %g s (length %g), so that a force in the "
                            "body frame has no direction; check the rotation of the port",
                            i + 1, t, length);
        for (int r = 0; r < dim; r++)
            result->effort[r] += F[i] * n[r];
        if (!tangents)
            continue;
        if (!result->has_tangent)
            phx_port_pair_clear(dim, result->tangent);
        result->has_tangent = true;
        add_follower_tangent(port, a, F[i], n, length, result->tangent);
    }
    return PHX_OK;
}

static void evaluate_plane_torque(const phx_port_view *port, double M, bool tangents, phx_load_result *result)
{
    /* turn of the section = kappa h w + quotient of atan(theta) times (theta1 - theta0); to the inertial frame
     * kappa = atan(a)/a, a = h w/2 */
    result->effort[W] = M * phx_port_atan_quotient(0.0, 0.5 * port->h * port->rate[W]);
    result->effort[THETA] = M * phx_port_atan_quotient(port->theta0[0], port->theta1[0]);
    double theta = port->thetam[0];
    if (tangents && M != 0.0 && theta != 0.0) {
        double s = 1.0 + theta * theta;
        phx_port_pair_clear(2, result->tangent);
        result->tangent[THETA * PHX_PORT_PAIR + THETA] = -2.0 * M * theta / (s * s);
        result->has_tangent = true;
    }
}

phx_status phx_port_load_evaluate(phx_context *context, const phx_port_load *load, const phx_port_view *port, double t,
                                  bool tangents, phx_load_result *result)
{
    int dim = port->dim;
    bool is_force = load->kind == PHX_LOAD_FORCE;
    double value[3];
    if (!is_force && dim != 2)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "load: a torque on a section is not available in dimension %d, expected 2", dim);
    phx_status status = read_components(context, load, is_force ? dim : 1, t, value);
    if (status != PHX_OK)
        return status;
    load_result_clear(dim, result);
    if (!is_force) {
        evaluate_plane_torque(port, value[0], tangents, result);
    } else if (load->follower) {
        status = evaluate_follower(context, load, port, value, t, tangents, result);
        if (status != PHX_OK)
            return status;
    } else {
        for (int i = 0; i < dim; i++)
            result->effort[i] = value[i];
    }
    result->supplied = phx_port_scalar_product(phx_port_size(dim), result->effort, port->rate);
    return PHX_OK;
}
