/* Layer load, for the other layers of the library: forces, torques, line springs. Elements on ports, exact over an
 * interval: their work is the change of their potential plus what they supply minus what they dissipate. */
#ifndef PHX_LOAD_LOAD_H
#define PHX_LOAD_LOAD_H

#include "port/port.h"

#include <phlexor/load.h>

/* Efforts of an element on its ports and what the linearisation needs. All arrays are for two ports, b's entries from
 * PHX_PORT_MAX on; an element with one port leaves the second part zero. The matrices are 2 PHX_PORT_MAX square,
 * row-major, derivatives of `effort` with respect to the variation (xi_a, xi_b) of the ports' means and to the rates
 * (zeta_a, zeta_b); they are set only when asked for and not zero (the flags), and in each of the four blocks only
 * the phx_port_size rows and columns of the dimension are written. */
typedef struct phx_load_result {
    double effort[2 * PHX_PORT_MAX];
    double supplied;   /* power supplied to the system, W */
    double dissipated; /* power dissipated, W, >= 0 */
    bool has_tangent, has_rate_tangent;
    double tangent[4 * PHX_PORT_MAX * PHX_PORT_MAX];
    double rate_tangent[4 * PHX_PORT_MAX * PHX_PORT_MAX];
} phx_load_result;

/* Line spring between two ports: force along d = u_b - u_a,
 *   F = -k (1 - 2 l0/(|d0| + |d1|)) d_mean - c l_dot d_mean/|d_mean| + f(t) d_mean/|d_mean|   on B, opposite on A
 * (the actuator f pushes the ports apart), l_dot = d_mean . (d1 - d0)/(h |d_mean|); its discrete gradient makes the
 * change of 1/2 k (|d| - l0)^2 exact. PHX_ERR_ANALYSIS when the ports coincide (|d| = 0) with l0, c or f not zero. */
typedef struct phx_line_spring {
    double stiffness, damping, length; /* N/m, N s/m, m; all >= 0 */
    const phx_signal *force;           /* N, may be NULL; borrowed */
} phx_line_spring;
phx_status phx_line_spring_evaluate(phx_context *context, const phx_line_spring *spring, const phx_port_view *a,
                                    const phx_port_view *b, double t, bool tangents, phx_load_result *result);
double phx_line_spring_energy(const phx_line_spring *spring, const phx_port_view *a, const phx_port_view *b, int end);

/* Force or torque at a port. frame body: along the port's own directions (rotation: dim x dim, port to body axes),
 * which follow the deformed section (unit vectors, averaged over the interval).
 * A torque acts on the section: in the plane on the angle of the section, angle + atan(theta), through its discrete
 * gradient, in space on its angular velocity, w + E theta_dot (phx_port_section_turn), so that its work over an
 * interval about a fixed axis is torque times the turn. Errors: PHX_ERR_ANALYSIS for a signal that is not finite or a
 * direction that vanishes. */
typedef struct phx_port_load {
    phx_load_kind kind;
    bool follower; /* frame: body */
    double rotation[9];
    const phx_signal *component[3]; /* dim for a force, n_rot for a torque; NULL is zero; borrowed */
} phx_port_load;
phx_status phx_port_load_evaluate(phx_context *context, const phx_port_load *load, const phx_port_view *port, double t,
                                  bool tangents, phx_load_result *result);

#endif
