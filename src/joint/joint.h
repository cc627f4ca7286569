/* Layer joint, for the other layers of the library: transformers between two ports as rows on their rates; coordinates
 * for drives and springs.
 *
 * A joint is a list of rows. Row k has a value c_k at an instant and covectors g_a, g_b on the rates of its ports with
 *
 *     c_k(1) - c_k(0) = h (g_a . zeta_a + g_b . zeta_b)      exactly, over any interval (points and directions are
 *                                                            bilinear; angles and lengths through discrete gradients)
 *
 * Constraint rows ask g_a.zeta_a + g_b.zeta_b = 0 (theory 3 (5), a transformer, [1] (40)-(42): the multiplier is the
 * effort that the row exchanges, opposite on A and B, so the power sums to zero). Coordinate rows measure the free
 * coordinates; `speed` turns a coordinate row into a constraint with a prescribed rate, `effort`, springs and dampers
 * act along it. Positive: B moves relative to A. */
#ifndef PHX_JOINT_JOINT_H
#define PHX_JOINT_JOINT_H

#include "port/port.h"

#include <phlexor/joint.h>

/* The quantity that a row measures between the ports A and B; u: places, A(alpha): the direction alpha of a body in
 * inertial components. */
typedef enum phx_row_kind {
    PHX_ROW_POINT,        /* component `axis` of u_b - u_a, inertial */
    PHX_ROW_NORMAL,       /* A_a(alpha) . (u_b - u_a) */
    PHX_ROW_DOT,          /* A_a(alpha) . A_b(beta) */
    PHX_ROW_DISPLACEMENT, /* A_a(alpha) . (u_b - u_a) / |A_a(alpha)|: coordinate */
    PHX_ROW_ANGLE,        /* plane: angle of section B - angle of section A, not wrapped: coordinate */
    PHX_ROW_TURN,         /* space: atan2(s, c), c = A_a(alpha) . A_b(beta) + A_a(alpha2) . A_b(beta2),
                             s = A_a(alpha2) . A_b(beta) - A_a(alpha) . A_b(beta2): coordinate */
    PHX_ROW_TILT,         /* space: atan2(s, |A_a(alpha) x A_b(beta)|), s = A_a(alpha) . A_b(beta): coordinate */
    PHX_ROW_AXIAL,        /* space: (A_a(alpha) . A_b(beta) - A_a(alpha2) . A_b(beta2))/2: measure of a bushing */
    PHX_ROW_RADIAL,       /* |u_b - u_a| (axis 0), or across an axis of A, |(A_a(alpha), A_a(alpha2)) . (u_b - u_a)|
                             (axis 2): of contacts; or the height of an ellipsoid over its middle along alpha (axis 1):
                             |A_a(alpha) . (A_b(beta), A_b(beta2), A_b(alpha2))|, whose semi-axes these three are, all in
                             the axes of B */
    PHX_ROW_ROLL, /* plane: A_a(alpha) . (u_b - u_a) / |A_a(alpha)| + beta[0] (angle B - angle A): slip of a disc */
    PHX_ROW_SLIP, /* slip number `axis` of a disc, sphere about B on a disc, sphere (alpha2 zeros) or cylinder (with the
                     axis alpha2) about A: row_slip.c */
    PHX_ROW_ELLIPSOID, /* the distance DISPLACEMENT of a plane with the normal alpha less the height RADIAL (axis 1) of
                          an ellipsoid about B */
    PHX_ROW_ELLIPSOID_SLIP, /* slip number `axis` of that ellipsoid on the plane: row_ellipsoid.c */
    PHX_ROW_WHEEL /* a coordinate, a row of kind `base`, less gear times the turn of a wheel on B (axis 1) or A:
                     row_wheel.c */
} phx_row_kind;
const char *phx_row_kind_name(phx_row_kind kind); /* "point", ...; "unknown" for what is no kind */

/* The relation of a DOT row to turns: where it is the sine of an angle, phx_row_assembly_residual knows the angle. */
typedef enum phx_row_hold {
    PHX_HOLD_NOTHING,
    PHX_HOLD_TURN, /* no turn about a direction: alpha and beta are what it takes into each other; in space alpha2 is
                      where beta belongs, beta2 what belongs to alpha */
    PHX_HOLD_AXIS  /* space: beta, an axis of B, stays on alpha2, an axis of A; alpha is across it */
} phx_row_hold;

/* A scalar relation between two ports: a constraint or a coordinate. */
typedef struct phx_row {
    phx_row_kind kind, base; /* base: of a WHEEL, ANGLE, TURN, TILT or DISPLACEMENT */
    phx_row_hold hold;
    int axis;
    double alpha[3], beta[3];   /* directions in the body axes of A and of B */
    double alpha2[3], beta2[3]; /* further ones of TURN and of DOT rows that hold something */
    double gear;                /* of a WHEEL: its coordinate over the turn of the wheel */
    double target;  /* what phx_row_value subtracts from the measure: the measure a constraint is held at (0 in
                       the rows of phx_joint_rows), the origin of a coordinate */
    bool angular;   /* value and rate are angles: drift counts them times 1 m */
    bool unwrapped; /* TURN: the measure jumps by full turns; who keeps a nearby value uses phx_row_unwrapped */
    bool place;     /* a coordinate of a joint that slides, between other ports than the joint's: the ground and the
                       place of A along its body */
} phx_row;

/* Value at the instant `end` (0 or 1) of the views: measure - target, 0 when a constraint is closed. */
double phx_row_value(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end);
/* The value that is nearest to `near` up to full turns where the measure jumps; else the value. */
double phx_row_unwrapped(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end, double near);
/* The assembly residual, which a Newton iteration from a guess brings to zero: the value at end 1, at an instant; of
 * DOT rows that hold a turn
 * or an axis the angle itself, which unlike its sine is not zero half a turn away. g_a, g_b (may be NULL): its
 * covectors, exact once the joint is nearly closed. */
void phx_row_assembly_residual(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *residual,
                               double *g_a, double *g_b);
/* Covectors of the interval: g_a, g_b with phx_port_size entries each (overwritten). */
void phx_row_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a, double *g_b);
/* The rate g_a . rate_a + g_b . rate_b of the measure, in the rates of the views. g (PHX_PORT_PAIR): receives the
 * covectors of A, then from PHX_PORT_MAX those of B. */
double phx_row_rate(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g);
/* Over an interval, the covectors g (PHX_PORT_PAIR) of the relative mean angular velocity about the axis of an angle,
 * and their derivatives H. An effort that is given in time acts by these: its impulse is h times the effort, which the
 * difference quotient of the angle would reduce where a body turns far in a step, theory 4 (17). false: the row is no
 * such angle, or the views are of an instant; then its own covectors are meant. */
bool phx_row_spin(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g, double *H);
/* Values and rates of several rows between the same ports at an instant: the numbers of these two functions. */
void phx_rows_at(int count, const phx_row *const *rows, const phx_port_view *a, const phx_port_view *b, double *values,
                 double *rates);
/* The entry of both ports in which the covectors are -1 of A and +1 of B, with nothing elsewhere, whatever the views;
 * -1: they depend on the views. */
static inline int phx_row_unit(const phx_row *row)
{
    return row->kind == PHX_ROW_POINT ? row->axis : -1;
}
/* Whether the row depends on the rotations of the ports alone: its covectors and tangent vanish for translations. */
bool phx_row_is_angular(const phx_row *row);
/* The entry of rates and efforts of a port with a wheel in which the wheel's are (port->wheel of its body). */
int phx_row_wheel_entry(bool angular, int dim);
/* Two directions across n, of length 1, in the same axes: the first that of the coordinate axis least along n, made
 * perpendicular to it, the second n x the first. In the plane one: to the right of where n points. */
void phx_row_across(int dim, const double *n, double across[2][3]);
/* From the centre of an ellipsoid (of an ELLIPSOID_SLIP row) to where it touches the plane in the middle of the
 * interval, inertial. */
void phx_row_ellipsoid_arm(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *arm);
/* Of a SLIP row the normal in the middle of the interval, from A's surface to B's, in A's directions. */
void phx_row_slip_normal(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *n);
/* Derivatives of the covectors with respect to the variation of the ports' means ("port/port.h"): H (2 PHX_PORT_MAX
 * square, row-major, overwritten): H[i][m] is d(g_a, g_b)_i / d(xi_a, xi_b)_m with b's entries from PHX_PORT_MAX on. In
 * each of the four blocks only the phx_port_size rows and columns of the dimension are written. Returns false, H
 * untouched, when it is zero. */
bool phx_row_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H);

/* Entries of rates, of both ports, that a matrix or covector reaches; the others are zero or not written. Those of
 * theta_dot of a straight port, whose section does not turn, are never needed and may be left out. */
typedef enum phx_row_reach {
    PHX_REACH_NOTHING,
    PHX_REACH_FRAMES,   /* w */
    PHX_REACH_SECTIONS, /* w, theta_dot */
    PHX_REACH_ALL
} phx_row_reach;
/* phx_row_tangent of up to PHX_JOINT_MAX_ROWS + PHX_JOINT_MAX_COORDINATES rows between the same ports: H (as above,
 * overwritten within its reach) is the sum of weights[k] H_k, and slopes + k PHX_PORT_PAIR = zeta^T H_k; what they have
 * at a fixed port is not looked at and may be left out. */
phx_row_reach phx_rows_tangent(int count, const phx_row *const *rows, const double *weights, const phx_port_view *a,
                               const phx_port_view *b, double *H, double *slopes);

/* The rows that measure how frame B stands against frame A, of which `in_a`, `in_b` hold the directions in their bodies
 * (dim x dim, columns): dim distances along A's directions, then the angle of B, in space the axial vector of its
 * rotation in A's directions. 3 or 6. */
int phx_frame_rows(int dim, const double *in_a, const double *in_b, phx_row *rows);

const char *phx_solid_name(phx_solid solid); /* "unknown" for what is none */

/* A joint before its rows are made. All matrices are dim x dim. */
typedef struct phx_joint_shape {
    phx_joint_kind kind;
    int dim;
    const double *rotation_a, *rotation_b; /* directions of the ports in the axes of their bodies (undeformed) */
    const double *axis;     /* in port A's directions, any length; NULL or ignored where the kind has none */
    const double *axis_b;   /* in port B's directions; NULL: the line that lies on `axis` in `relative`; of a pair of
                               axes the second, needed */
    const double *relative; /* rotation from port B's to port A's directions in the poses as written, or that the joint
                               holds; NULL: identity */
} phx_joint_shape;

/* Make the rows of a joint. Constraints are POINT, NORMAL and DOT rows, coordinates DISPLACEMENT, ANGLE (plane), TURN
 * and TILT rows in the order of phx_joint_info; docs/keys.md lists them for every kind.
 *
 * The relative rotation that is held is `relative`, of a prismatic joint turned the shortest way so that axis_b lies on
 * axis. The angle about an axis is that of port B's directions against port A's, B first turned the shortest way so
 * that its axis lies on A's; those of a spherical joint are the angles of x-y'-z'', R = Rx Ry Rz from port B's to port
 * A's directions; those of a pair of axes are about A's and about B's axis, zero where the ports' directions coincide
 * when the axes are perpendicular there, else where `relative` has them. Displacements in a plane are along the port's
 * direction that follows, in the order x y z x, the one nearest to the normal, made perpendicular to it, and along the
 * normal x that. Errors: PHX_ERR_ARGUMENT for a zero axis or a matrix that is no rotation,
 * PHX_ERR_UNSUPPORTED for a kind that the dimension lacks. */
phx_status phx_joint_rows(phx_context *context, const phx_joint_shape *shape, int *n_constraints,
                          phx_row constraints[PHX_JOINT_MAX_ROWS], int *n_coordinates,
                          phx_row coordinates[PHX_JOINT_MAX_COORDINATES]);

/* ---- kinds ---- */
/* Coordinates of a kind in dimension 2 or 3, n_coordinates of them. */
const phx_joint_coordinate *phx_joint_kind_coordinates(const phx_joint_info *info, int dim);
const char *phx_joint_kind_name(phx_joint_kind kind);      /* "unknown" for what is no kind */
phx_joint_kind phx_joint_kind_from_name(const char *name); /* PHX_JOINT_KINDS when there is none */

#endif
