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

/* n = mean over the ends of the unit direction of the section, and its length L before it is made one; a length of 0
 * says that the direction vanishes. At a stage R is not quite a rotation: in space too the length is not quite one. */
static void unit_direction_mean(const phx_port_view *port, const double *a, double *n, double *length)
{
    const int dim = port->dim;
    double A[2][3], own[2];

    for (int end = 0; end < 2; end++) {
        if (dim == 3)
            phx_port_turned(port, end, a, A[end]);
        else
            phx_port_direction(port, end, a, A[end]);
        own[end] = sqrt(phx_port_scalar_product(dim, A[end], A[end]));
    }
    *length = own[0] > 0.0 && own[1] > 0.0 ? 0.5 * (own[0] + own[1]) : 0.0;
    for (int i = 0; i<dim && * length> 0.0; i++)
        n[i] = 0.5 * (A[0][i] / own[0] + A[1][i] / own[1]);
}

/* tangent of F n with respect to the turn of the port: plane F (T - n1 n1^T T)/|A1|, n1 = A1/|A1|, T = dA/d(turn) */
static void add_follower_tangent(const phx_port_view *port, const double *a, double F, double *tangent)
{
    double T[3 * PHX_PORT_MAX], n[3] = {0}, L = 1.0;
    if (port->dim == 3) {
        phx_port_turned_tangent(port, a, T);
    } else {
        phx_port_direction_tangent(port, a, T);
        phx_port_direction(port, 1, a, n);
        L = sqrt(phx_port_scalar_product(2, n, n));
        n[0] /= L;
        n[1] /= L;
    }
    for (int j = port->dim; j < phx_port_size(port->dim); j++) {
        double nT = 0.0;
        for (int r = 0; r < 2 && port->dim == 2; r++)
            nT += n[r] * T[r * PHX_PORT_MAX + j];
        for (int r = 0; r < port->dim; r++)
            tangent[r * PHX_PORT_PAIR + j] += F * (T[r * PHX_PORT_MAX + j] - n[r] * nT) / L;
    }
}

/* sum = sum_i F_i n_i, n_i the mean unit vector of the port's direction i, into `sum`; with `tangents` its derivative
 * with respect to the turn of the port into the rows 0 ... dim-1 of result->tangent. */
static phx_status port_load_follow(phx_context *context, const phx_port_load *load, const phx_port_view *port,
                                   const double *F, double t, bool tangents, double *sum, phx_load_result *result)
{
    int dim = port->dim;
    memset(sum, 0, (size_t)dim * sizeof *sum);
    for (int i = 0; i < dim; i++) {
        if (F[i] == 0.0)
            continue;
        double a[3], n[3], length;
        for (int r = 0; r < dim; r++)
            a[r] = load->rotation[r * dim + i];
        unit_direction_mean(port, a, n, &length);
        if (!(length > 0.0))
            return phx_fail(context, PHX_ERR_ANALYSIS,
                            "load: direction %d of the port vanishes at t = %g s (length %g), so that a %s in the "
                            "body frame has no direction; check the rotation of the port",
                            i + 1, t, length, load->kind == PHX_LOAD_FORCE ? "force" : "torque");
        for (int r = 0; r < dim; r++)
            sum[r] += F[i] * n[r];
        if (!tangents)
            continue;
        if (!result->has_tangent)
            phx_port_pair_clear(dim, result->tangent);
        result->has_tangent = true;
        add_follower_tangent(port, a, F[i], result->tangent);
    }
    return PHX_OK;
}

static void evaluate_plane_torque(const phx_port_view *port, double M, bool tangents, phx_load_result *result)
{
    /* theory 4 (17): h M on the frame, so that it gives this angular momentum however far the frame turns; on the
     * section the quotient of atan(theta) */
    result->effort[W] = M;
    result->effort[THETA] = M * phx_port_atan_quotient(port->theta0[0], port->theta1[0]);
    if (tangents) { /* theta1 varies by 2 dtheta */
        phx_port_pair_clear(2, result->tangent);
        result->tangent[THETA * PHX_PORT_PAIR + THETA] =
            2.0 * M * phx_port_atan_quotient_derivative(port->theta0[0], port->theta1[0]);
        result->has_tangent = true;
    }
}

/* Theory 4 (17): Rm^-1 y = R1^T y + c x R1^T y, c = h w/2: a torque y of the inertial axes on w, which over an interval
 * changes the angular momentum by h y; at an instant R^T y. */
static void apply_inverse_mean(const phx_port_view *port, const double *c, const double *y, double *z)
{
    double own[3], across[3];

    phx_rot_apply_transposed(3, port->R1, y, own);
    phx_vec_x_vec(3, c, own, across);
    for (int i = 0; i < 3; i++)
        z[i] = own[i] + across[i];
}

static void half_turn(const phx_port_view *port, double *c)
{
    for (int i = 0; i < 3; i++)
        c[i] = 0.5 * port->h * port->rate[3 + i];
}

/* Tangent of the space torque: on w f1 + c x f1, f1 = R1^T M, on theta_dot E^T f, f = R_m^T M; rows 0 ... 2 of the
 * tangent hold dM and are cleared. The frame varies so that df = R_m^T dM + f1 x dphi, df1 = R1^T dM + 2 f1 x dphi and
 * dc = dphi + c x dphi + c (c . dphi). */
static void torque_tangent(const phx_port_view *port, const double *M, const double *E, phx_load_result *result)
{
    enum { n = PHX_PORT_MAX };
    double dE[3][9], f[3], f1[3], c[3], *tangent = result->tangent;

    half_turn(port, c);

    if (!result->has_tangent)
        phx_port_pair_clear(3, tangent);
    result->has_tangent = true;
    phx_port_section_turn_tangent(port, dE);
    phx_rot_apply_transposed(3, port->Rm, M, f);
    phx_rot_apply_transposed(3, port->R1, M, f1);
    for (int j = 3; j < n; j++) {
        double dM[3], df[3], on_w[3], on_theta[3], cross[3];
        for (int r = 0; r < 3; r++) {
            dM[r] = tangent[r * PHX_PORT_PAIR + j];
            tangent[r * PHX_PORT_PAIR + j] = 0.0;
        }
        phx_rot_apply_transposed(3, port->Rm, dM, df);
        apply_inverse_mean(port, c, dM, on_w);
        if (j < 6) {
            const double unit[3] = {j == 3, j == 4, j == 5};
            double turned[3], dc[3];
            phx_vec_x_vec(3, f1, unit, cross);
            phx_vec_x_vec(3, c, cross, turned);
            phx_vec_x_vec(3, c, unit, dc);
            for (int r = 0; r < 3; r++) {
                df[r] += cross[r];
                on_w[r] += 2.0 * (cross[r] + turned[r]);
                dc[r] += unit[r] + c[r] * c[j - 3];
            }
            phx_vec_x_vec(3, dc, f1, cross);
            for (int r = 0; r < 3; r++)
                on_w[r] += cross[r];
        }
        phx_rot_apply_transposed(3, E, df, on_theta);
        if (j >= 6) {
            phx_rot_apply_transposed(3, dE[j - 6], f, cross);
            for (int r = 0; r < 3; r++)
                on_theta[r] += cross[r];
        }
        for (int r = 0; r < 3; r++) {
            tangent[(3 + r) * PHX_PORT_PAIR + j] = on_w[r];
            tangent[(6 + r) * PHX_PORT_PAIR + j] = on_theta[r];
        }
    }
}

static void evaluate_space_torque(const phx_port_view *port, const double *M, bool tangents, phx_load_result *result)
{
    /* theory 4 (17): Rm^-1 M on the frame, so that it gives the angular momentum h M; the section turns against the
     * frame by R_m E (theta1 - theta0) */
    double E[9], f[3], c[3];
    half_turn(port, c);
    phx_port_section_turn(port, E);
    phx_rot_apply_transposed(3, port->Rm, M, f);
    apply_inverse_mean(port, c, M, result->effort + 3);
    phx_rot_apply_transposed(3, E, f, result->effort + 6);
    if (tangents)
        torque_tangent(port, M, E, result);
}

/* Efforts and optional tangents of a force or torque at a port, fixed in inertial axes or following the section;
 * `supplied` is its power over the interval. */
phx_status phx_port_load_evaluate(phx_context *context, const phx_port_load *load, const phx_port_view *port, double t,
                                  bool tangents, phx_load_result *result)
{
    const int dim = port->dim;
    const bool is_force = load->kind == PHX_LOAD_FORCE;
    double given[3], value[3];
    phx_status status = read_components(context, load, is_force || dim == 3 ? dim : 1, t, given);
    if (status != PHX_OK)
        return status;
    load_result_clear(dim, result);
    if (!is_force && dim == 2) {
        evaluate_plane_torque(port, given[0], tangents, result);
    } else {
        memcpy(value, given, sizeof value);
        if (load->follower)
            status = port_load_follow(context, load, port, given, t, tangents, value, result);
        if (status != PHX_OK)
            return status;
        if (is_force)
            memcpy(result->effort, value, (size_t)dim * sizeof *value);
        else
            evaluate_space_torque(port, value, tangents, result);
    }
    result->supplied = phx_port_scalar_product(phx_port_size(dim), result->effort, port->rate);
    return PHX_OK;
}
