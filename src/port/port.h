/* Layer port, for the other layers of the library: what a body offers and a joint takes.
 *
 * A port is a point of a body with directions that follow the (deformed) section. Its flow and its conjugate effort are
 *
 *   rate   zeta = ( u_dot  inertial, dim | w  body, n_rot | theta_dot  body, n_rot )
 *   effort e    = ( force  inertial      | torque on w     | torque on theta_dot     )      power = e . zeta
 *
 * of phx_port_size(dim) = dim + 2 n_rot entries,
 * with u the inertial place of the point, w the angular velocity of the body frame, theta the small rotation of the
 * section against the body frame (plane: the slope w'). A direction `a` (fixed in the undeformed section, body axes)
 * points in inertial components along  A(a) = R (a + theta x a),  in the plane R(1, w') for a = (1, 0).
 *
 * Everything is evaluated over an interval from 0 to 1, so that the averages of the energy-conserving midpoint rule
 * (theory 4 (11) to (13): sums and products of such vectors change exactly by h times covector . rate) and plain
 * instants are the same code: at an instant the ends coincide and h = 0. R need not be a rotation at a stage of a
 * collocation method.
 *
 * Of a port that slides along a curve the columns of R are the axes d1 along the curve and d2 across it, which keep
 * neither their lengths nor their angles exactly, and it is they whose rates follow those of the place:
 *
 *   zeta = ( u_dot  inertial, dim | d1_dot  inertial, dim | space: d2_dot  inertial, dim ),
 *
 * in the plane d2 is d1 turned by +90 degrees. A direction a = (a1, a2) points along a1 d1 + a2 d2; rows take none with
 * a component along the third axis. */
#ifndef PHX_PORT_PORT_H
#define PHX_PORT_PORT_H

#include "algebra/algebra.h"

#include <string.h>

enum { PHX_PORT_MAX = 9 }; /* entries of a rate or effort in space; 4 in the plane */
/* Entries of a port's rates and efforts in dimension `dim`. */
static inline int phx_port_size(int dim)
{
    return dim == 2 ? 4 : 9;
}

/* Matrices over the variations of two ports, row-major with this leading dimension: blocks of PHX_PORT_MAX entries, of
 * which the dimension uses the first phx_port_size(dim). */
enum { PHX_PORT_PAIR = 2 * PHX_PORT_MAX };
/* Zero what the dimension uses of such a matrix. */
static inline void phx_port_pair_clear(int dim, double *matrix)
{
    const int n = phx_port_size(dim);
    const size_t bytes = (size_t)n * sizeof(double);
    for (int i = 0; i < n; i++) {
        memset(matrix + i * PHX_PORT_PAIR, 0, bytes);
        memset(matrix + i * PHX_PORT_PAIR + PHX_PORT_MAX, 0, bytes);
        memset(matrix + (PHX_PORT_MAX + i) * PHX_PORT_PAIR, 0, bytes);
        memset(matrix + (PHX_PORT_MAX + i) * PHX_PORT_PAIR + PHX_PORT_MAX, 0, bytes);
    }
}

/* x . y of n entries */
static inline double phx_port_scalar_product(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* A port over an interval; at an instant the ends coincide. */
typedef struct phx_port_view {
    int dim;
    bool straight;              /* theta vanishes at both ends (false: it may or may not) */
    bool fixed;                 /* on the ground: nothing depends on its variations */
    bool slides;                /* it slides along a curve: see above */
    double h;                   /* length of the interval, s; 0 at an instant */
    double rate[PHX_PORT_MAX];  /* zeta; over an interval (u1-u0)/h, the midpoint w, (theta1-theta0)/h */
    double Rm[9], R1[9], R0[9]; /* body frame, dim x dim row-major, Rm = (R0 + R1)/2 */
    double u0[3], u1[3], um[3]; /* place, inertial, um = (u0 + u1)/2 */
    double theta0[3], theta1[3], thetam[3];
    double angle0, angle1; /* plane: angle of the body frame, not wrapped */
} phx_port_view;

/* Functions that every step evaluates for every row are also there inline, for a dimension that the compiler knows. */
/* b = a + theta x a, the direction in body axes after the section has turned */
static inline void phx_port_section_direction(const int dim, const phx_port_view *view, const double *theta,
                                              const double *a, double *b)
{
    if (view->straight) {
        for (int i = 0; i < dim; i++)
            b[i] = a[i];
        return;
    }
    phx_rot_x_vec(dim, theta, a, b);
    for (int i = 0; i < dim; i++)
        b[i] += a[i];
}
static inline void phx_port_direction_in(const int dim, const phx_port_view *view, int end, const double *a, double *y)
{
    double b[3];
    phx_port_section_direction(dim, view, end ? view->theta1 : view->theta0, a, b);
    phx_rot_apply(dim, end ? view->R1 : view->R0, b, y); /* A(a) = R (a + theta x a) */
}
static inline void phx_port_direction_mean_in(const int dim, const phx_port_view *view, const double *a, double *y)
{
    double y1[3];
    if (view->straight) {
        phx_rot_apply(dim, view->Rm, a, y);
        return;
    }
    phx_port_direction_in(dim, view, 0, a, y);
    phx_port_direction_in(dim, view, 1, a, y1);
    for (int i = 0; i < dim; i++)
        y[i] = 0.5 * (y[i] + y1[i]);
}
/* Of a port that slides: g . d(a1 d1 + a2 d2); in the plane d2 = J d1. */
static inline void phx_port_axis_effort(const int dim, const double *a, const double *g, double *effort)
{
    if (dim == 2) {
        effort[2] += a[0] * g[0] + a[1] * g[1];
        effort[3] += a[0] * g[1] - a[1] * g[0];
        return;
    }
    for (int i = 0; i < 3; i++) {
        effort[3 + i] += a[0] * g[i];
        effort[6 + i] += a[1] * g[i];
    }
}
/* Adds the effort that is conjugate to the direction A(a) with the covector g (inertial) to `effort`: h effort . zeta =
 * g . (A1 - A0) exactly. dim is a compile-time constant. */
static inline void phx_port_direction_effort_in(const int dim, const phx_port_view *view, const double *a,
                                                const double *g, double *effort)
{
    /* theory 4 (12): A1 - A0 = (R1 - R0) b_m + R_m (b1 - b0) = h R_m (w x b_m + theta_dot x a), so with f = R_m^T g
     * g . (A1 - A0) = h [ w . (b_m x f) + theta_dot . (a x f) ] */
    const int n_rot = dim == 2 ? 1 : 3;
    double b[3], f[3], on_w[3], on_theta[3];
    if (view->slides) {
        phx_port_axis_effort(dim, a, g, effort);
        return;
    }
    phx_rot_apply_transposed(dim, view->Rm, g, f);
    phx_vec_x_vec(dim, a, f, on_theta);
    for (int i = 0; i < n_rot; i++)
        effort[dim + n_rot + i] += on_theta[i];
    if (view->straight) {
        for (int i = 0; i < n_rot; i++)
            effort[dim + i] += on_theta[i];
        return;
    }
    phx_port_section_direction(dim, view, view->thetam, a, b);
    phx_vec_x_vec(dim, b, f, on_w);
    for (int i = 0; i < n_rot; i++)
        effort[dim + i] += on_w[i];
}
/* Inertial components of direction `a` at the ends (end 0 or 1) and their mean. y has dim entries. */
void phx_port_direction(const phx_port_view *view, int end, const double *a, double *y);
void phx_port_direction_mean(const phx_port_view *view, const double *a, double *y);
/* Add to `effort` the covector of the increment g . d(A(a)): with f = Rm^T g,
 *   torque on w += (a + thetam x a) x f,   torque on theta_dot += a x f. */
void phx_port_direction_effort(const phx_port_view *view, const double *a, const double *g, double *effort);
/* The same as a matrix: effort += map^T g, dim x PHX_PORT_MAX row-major (columns w and theta_dot). */
void phx_port_direction_map(const phx_port_view *view, const double *a, double *map);
/* Derivatives with respect to the variation xi = (du inertial, dphi body, dtheta body) of the port's means; over an
 * interval its start stays, so that the end moves by twice as much and dR_m = R1 [dphi]x. At an instant xi is the
 * variation of the port. Both are exact. */
/* Of the contribution to the effort at fixed g: adds to the PHX_PORT_MAX x PHX_PORT_MAX row-major matrix (leading
 * dimension PHX_PORT_MAX). */
void phx_port_direction_effort_tangent(const phx_port_view *view, const double *a, const double *g, double *tangent);
/* Of the mean of A(a): dim x PHX_PORT_MAX row-major (columns dphi and dtheta). */
void phx_port_direction_tangent(const phx_port_view *view, const double *a, double *tangent);
/* Space: the section turns against the body frame by Q(theta), the rotation in I + [theta]x (atan|theta| about theta).
 * E (3 x 3): E (theta1 - theta0) is the rotation vector of Q1 Q0^T in body axes; at an instant w + E theta_dot is the
 * angular velocity of the section. */
void phx_port_section_turn(const phx_port_view *view, double *E);
/* Derivatives of E by entry k of dtheta of the variation xi (above), dE[k] (3 x 3); exact over intervals too. */
void phx_port_section_turn_tangent(const phx_port_view *view, double dE[3][9]);
/* Space: R Q(theta) a, a direction that follows the section and keeps its length, at end 0 or 1; and the derivative
 * of its mean with respect to xi, 3 x PHX_PORT_MAX (columns dphi and dtheta). */
void phx_port_turned(const phx_port_view *view, int end, const double *a, double *y);
void phx_port_turned_tangent(const phx_port_view *view, const double *a, double *tangent);
/* Plane: angle of the section, that of the frame + atan(theta), at end 0 or 1. At an instant the frame's is that of its
 * direction cosines, of all angles that are the one nearest to angle0 or angle1; at the ends of an interval they are
 * the same. */
double phx_port_angle(const phx_port_view *view, int end);
/* atan2(s, c)/s without cancellation, 1/c where s vanishes: an angle as a multiple of the (scaled) sine. */
double phx_port_turn_quotient(double s, double c);
/* Its derivative with respect to s, divided by s. That with respect to c is -1/(s^2 + c^2). */
double phx_port_turn_quotient_derivative(double s, double c);
/* Difference quotient (atan(x1) - atan(x0))/(x1 - x0) without cancellation, 1/(1 + x^2) when the ends coincide. With
 * a = h w/2 of two frames it is the kappa of their relative angle, theory 4 (14); with the slopes at
 * the ends it is the discrete gradient of atan(theta). */
double phx_port_atan_quotient(double x0, double x1);
/* Its derivative with respect to x1. */
double phx_port_atan_quotient_derivative(double x0, double x1);

#endif
