/* Shared by the kinds of row: the operations of a kind, the distance of the ports, blocks of the tangent. */
#ifndef PHLEXOR_JOINT_ROW_H
#define PHLEXOR_JOINT_ROW_H

#include "joint/joint.h"

/* One kind of row. The covectors arrive zeroed; the tangent zeroes H itself (phx_port_pair_clear) when it is not zero.
 */
typedef struct phx_row_operations {
    double (*measure)(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end);
    void (*covectors)(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a, double *g_b);
    bool (*tangent)(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H);
    /* The same of the relative angular velocity about the axis of an angle; NULL: there is none, or false, for one that
     * turns about no such axis. The covectors and H arrive zeroed. */
    bool (*spin)(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a, double *g_b,
                 double *H);
} phx_row_operations;

extern const phx_row_operations phx_row_point;
extern const phx_row_operations phx_row_normal;
extern const phx_row_operations phx_row_dot;
extern const phx_row_operations phx_row_displacement;
extern const phx_row_operations phx_row_angle;
extern const phx_row_operations phx_row_turn;
extern const phx_row_operations phx_row_tilt;
extern const phx_row_operations phx_row_axial;
extern const phx_row_operations phx_row_radial;
extern const phx_row_operations phx_row_roll;
extern const phx_row_operations phx_row_slip;
extern const phx_row_operations phx_row_ellipsoid;
extern const phx_row_operations phx_row_ellipsoid_slip;
extern const phx_row_operations phx_row_wheel;

/* d = u_b - u_a at an end, and its mean */
static inline void row_distance(const phx_port_view *a, const phx_port_view *b, int end, double *d)
{
    const double *u_a = end ? a->u1 : a->u0, *u_b = end ? b->u1 : b->u0;
    for (int i = 0; i < a->dim; i++)
        d[i] = u_b[i] - u_a[i];
}

static inline void row_distance_mean(const phx_port_view *a, const phx_port_view *b, double *d)
{
    for (int i = 0; i < a->dim; i++)
        d[i] = b->um[i] - a->um[i];
}

/* Add the derivative of the covector of g . d(A(x)) at fixed g to the diagonal block of H that starts at `first`. */
static inline void row_add_direction_effort_tangent(const phx_port_view *view, const double *x, const double *g,
                                                    int first, double *H)
{
    int dim = view->dim, n = phx_port_size(dim);
    double block[PHX_PORT_MAX * PHX_PORT_MAX];
    for (int i = dim; i < n; i++)
        for (int j = dim; j < n; j++)
            block[i * PHX_PORT_MAX + j] = 0.0;
    phx_port_direction_effort_tangent(view, x, g, block);
    for (int i = dim; i < n; i++)
        for (int j = dim; j < n; j++)
            H[(first + i) * PHX_PORT_PAIR + first + j] += block[i * PHX_PORT_MAX + j];
}

/* Add `weight` times the covectors, or their derivatives, of a product A_a(alpha) . A_b(beta): row_dot.c. */
void row_add_product(const phx_port_view *a, const phx_port_view *b, const double *alpha, const double *beta,
                     double weight, double *g_a, double *g_b);
void row_add_product_tangent(const phx_port_view *a, const phx_port_view *b, const double *alpha, const double *beta,
                             double weight, double *H);

/* inverse = Rm^-1, dim x dim: a torque y of the inertial axes is Rm^-1 y on w, so that over an interval it changes the
 * angular momentum by h y; at an instant Rm^-1 = R^T. row_roll.c */
void row_invert_mean(const phx_port_view *view, double *inverse);
/* Space: add `sign` times the covectors of y . Omega of a section, y inertial, and their derivatives, those of y by the
 * turn of A being T (3 x PHX_PORT_MAX); `first`: the entries of the section in H. row_roll.c */
void row_add_turn(const phx_port_view *view, double sign, const double *y, double *g);
void row_add_turn_tangent(const phx_port_view *view, double sign, const double *y, const double *T, int first,
                          double *H);

/* The derivatives of all DOT rows of a list, space: H = the sum of weight H_k in the entries of w and theta_dot, and
 * of each the slope, zeta^T H_k, there. And of DOT rows only between straight ports the same in the entries of w.
 * row_dots.c */
void row_set_dots_tangent(int count, const phx_row *const *rows, const double *weights, const phx_port_view *a,
                          const phx_port_view *b, double *H, double *slopes);
void row_set_frames_tangent(int count, const phx_row *const *rows, const double *weights, const phx_port_view *a,
                            const phx_port_view *b, double *H, double *slopes);

/* A length along a direction of A, g_b = (n | 0), g_a = (-n | E^T m) with dm = n-part of the places: set the blocks of
 * H that couple the places with the turn of A, N = dn/d(turn of A), M = dm/du_b (dim x dim, NULL: the identity) and E =
 * phx_port_direction_map; N, E: dim x PHX_PORT_MAX:
 *
 *            u_a      turn_a   u_b
 *   u_a    [  0        -N       0     ]
 *   turn_a [ -E^T M            E^T M  ]
 *   u_b    [  0         N       0     ]                                                                         */
static inline void row_set_direction_blocks(int dim, const double *N, const double *E, const double *M, double *H)
{
    int n = phx_port_size(dim);
    for (int r = 0; r < dim; r++) {
        for (int c = dim; c < n; c++) {
            double value = N[r * PHX_PORT_MAX + c], back = M ? 0.0 : E[r * PHX_PORT_MAX + c];
            for (int i = 0; M && i < dim; i++)
                back += E[i * PHX_PORT_MAX + c] * M[i * dim + r];
            H[r * PHX_PORT_PAIR + c] = -value;
            H[c * PHX_PORT_PAIR + r] = -back;
            H[(PHX_PORT_MAX + r) * PHX_PORT_PAIR + c] = value;
            H[c * PHX_PORT_PAIR + PHX_PORT_MAX + r] = back;
        }
    }
}

#endif
