/* Layer load, for the other layers of the library: forces, torques, springs and their laws. Elements on ports, exact
 * over an interval: their work is the change of their potential plus what they supply minus what they dissipate. */
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

/* ---- laws on a scalar ----
 * A measure x that goes from x0 to x1 over an interval (x0 = x1 at an instant) and has the rate (x1 - x0)/h. Forces act
 * along it, positive towards larger x. Derivatives "by the end" are with respect to x1 at fixed x0; at an instant,
 * where both ends move together, the derivative is twice that. */
/* (F3) mean of f over the stroke, int_0^1 f(x0 + s (x1 - x0)) ds, and its derivative by x1. */
typedef struct phx_law_mean_value {
    double value, slope;
} phx_law_mean_value;
void phx_law_archive(phx_archive *archive, phx_law **law); /* may be NULL; allocated when it is read */
phx_law_mean_value phx_law_mean(const phx_law *law, double x0, double x1);

/* Of a gap g: what pushes it open. `conservative` is the part of the potential. */
typedef struct phx_penalty_force {
    double value, conservative, by_end, by_rate;
    double dissipated; /* W */
} phx_penalty_force;
phx_penalty_force phx_penalty_evaluate(const phx_penalty *penalty, double g0, double g1, double rate);
double phx_penalty_energy(const phx_penalty *penalty, double gap);

/* Everything that may act along one scalar; the pointers are borrowed and may be NULL. */
typedef struct phx_scalar_force {
    double stiffness, damping, rest; /* -k (x - rest) - c x' */
    const phx_law *law;              /* -f(x - rest) */
    const phx_signal *damper;        /* -f(x'), f(v) v >= 0 */
    const phx_signal *effort;        /* F(t) */
    const phx_signal *motor;         /* +f(x') */
    bool has_lower, has_upper;       /* end stops: penetration below `lower`, above `upper` */
    double lower, upper;
    phx_penalty stop;
    phx_friction friction;
    bool dry;    /* the friction is set-valued: it acts while it slips */
    double slip; /* in this direction, +-1, or where several slip together the part along this one; 0: it sticks */
    double slip_speed; /* the speed in that direction, of all that slip together */
} phx_scalar_force;
typedef struct phx_scalar_result {
    double force, by_end, by_rate;
    double supplied, dissipated; /* W */
} phx_scalar_result;
/* PHX_ERR_ANALYSIS when the effort is not finite. */
phx_status phx_scalar_force_evaluate(phx_context *context, const phx_scalar_force *force, double x0, double x1,
                                     double rate, double t, phx_scalar_result *result);
double phx_scalar_force_energy(const phx_scalar_force *force, double x);
bool phx_scalar_force_dissipates(const phx_scalar_force *force);
bool phx_scalar_force_is_linear(const phx_scalar_force *force); /* spring, damper and effort only */
bool phx_scalar_force_is_there(const phx_scalar_force *force);
/* PHX_ERR_ARGUMENT where a number is out of range or a damper's f(v) v is negative. */
phx_status phx_scalar_force_check(phx_context *context, const phx_scalar_force *force);
phx_status phx_damper_check(phx_context *context, const phx_signal *damper);
phx_status phx_penalty_check(phx_context *context, const phx_penalty *penalty);
phx_status phx_friction_check(phx_context *context, const phx_friction *friction);
/* The same at a kinetic friction `limit`: against the rate, its derivatives, and the loss. Regularised (F9), and where
 * it slips in a direction (F9a) of which this rate is along the part `direction`, 1 if there is no other, with `speed`.
 */
typedef struct phx_friction_force {
    double value, by_rate, by_limit;
    double dissipated; /* W */
} phx_friction_force;
phx_friction_force phx_friction_evaluate(const phx_friction *friction, double limit, double rate);
phx_friction_force phx_friction_slip(const phx_friction *friction, double limit, double direction, double speed,
                                     double rate);

/* Line spring between two ports: force along d = u_b - u_a,
 *   F = -k (1 - 2 l0/(|d0| + |d1|)) d_mean - c l_dot d_mean/|d_mean| + f(t) d_mean/|d_mean|   on B, opposite on A
 * (the actuator f pushes the ports apart), l_dot = d_mean . (d1 - d0)/(h |d_mean|); its discrete gradient makes the
 * change of 1/2 k (|d| - l0)^2 exact. Where the ports coincide (|d| = 0) damping acts against the motion, and l0 or f
 * that are not zero are PHX_ERR_ANALYSIS. */
typedef struct phx_line_spring {
    double stiffness, damping, length; /* N/m, N s/m, m; all >= 0 */
    const phx_signal *force;           /* N, may be NULL; borrowed */
    const phx_law *law;                /* the same: -f(|d| - l0) along (d0 + d1)/(|d0| + |d1|) */
    const phx_signal *damper;          /* the same: -f(l_dot) n */
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

double phx_law_value(const phx_law *law, double x);     /* f(x); 0 for NULL */
double phx_law_potential(const phx_law *law, double x); /* V(x), V(0) = 0 */

#endif
