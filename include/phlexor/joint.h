/* Phlexor, layer joint: transformers between two ports as rows on their rates; coordinates for drives and springs.
 *
 * A joint is a list of rows. Row k has a value c_k at an instant and covectors g_a, g_b on the rates of its ports with
 *
 *     c_k(1) - c_k(0) = h (g_a . zeta_a + g_b . zeta_b)      exactly, over any interval (points and directions are
 *                                                            bilinear; angles and lengths through discrete gradients)
 *
 * Constraint rows ask g_a.zeta_a + g_b.zeta_b = 0 (transformer interconnection, eqs 40-42: the multiplier is the effort
 * that the row exchanges, opposite on A and B, so the power sums to zero). Coordinate rows measure the free
 * coordinates; `speed` turns a coordinate row into a constraint with a prescribed rate, `effort`, springs and dampers
 * act along it. Positive: B moves relative to A. */
#ifndef PHLEXOR_JOINT_H
#define PHLEXOR_JOINT_H

#include <phlexor/port.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PHX_JOINT_MAX_ROWS = 6, PHX_JOINT_MAX_COORDINATES = 3 };

typedef enum phx_row_kind {
    PHX_ROW_POINT,        /* component `axis` of u_b - u_a, inertial */
    PHX_ROW_NORMAL,       /* A_a(alpha) . (u_b - u_a) */
    PHX_ROW_DOT,          /* A_a(alpha) . A_b(beta) */
    PHX_ROW_DISPLACEMENT, /* A_a(alpha) . (u_b - u_a) / |A_a(alpha)|: coordinate */
    PHX_ROW_ANGLE         /* plane: angle of section B - angle of section A, not wrapped: coordinate */
} phx_row_kind;

typedef struct phx_row {
    phx_row_kind kind;
    int axis;
    double alpha[3], beta[3]; /* directions in the body axes of A and of B */
    double target; /* what phx_row_value subtracts from the measure: the measure a constraint is held at (0 in
                      the rows of phx_joint_rows), the origin of a coordinate */
    bool angular;  /* value and rate are angles: drift counts them times 1 m */
} phx_row;

/* Value at the instant `end` (0 or 1) of the views: measure - target, 0 when a constraint is closed. */
double phx_row_value(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end);
/* Covectors of the interval: g_a, g_b with phx_port_size entries each (overwritten). */
void phx_row_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a, double *g_b);
/* Derivatives of the covectors at the mean state: H (2 PHX_PORT_MAX square, row-major, overwritten): H[i][m] is
 * d(g_a, g_b)_i / d(xi_a, xi_b)_m with b's entries from PHX_PORT_MAX on. In each of the four blocks only the
 * phx_port_size rows and columns of the dimension are written. Returns false, H untouched, when it is zero. */
bool phx_row_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H);

typedef enum phx_joint_kind {
    PHX_JOINT_WELD,
    PHX_JOINT_REVOLUTE,
    PHX_JOINT_PRISMATIC,
    PHX_JOINT_SLIDER,
    PHX_JOINT_KINDS
} phx_joint_kind;

/* What the kinds have in common, one visible table: name, dimensions it exists in, rows it makes. */
const char *phx_joint_kind_name(phx_joint_kind kind); /* "unknown" for what is no kind */

/* Make the rows of a joint. `rotation_a`, `rotation_b`: dim x dim, directions of the ports in the axes of their bodies
 * (undeformed); `axis`: in port A's directions (unit after normalisation; ignored where the kind has none);
 * `relative`: dim x dim rotation from port B's to port A's directions that weld and prismatic hold; in space revolute
 * takes from it which line of B is the axis. NULL is the identity.
 *
 *              plane                             space                       coordinate
 *   weld       2 POINT, DOT                      3 POINT, 3 DOT              -
 *   revolute   2 POINT                           3 POINT, 2 DOT              ANGLE (plane)
 *   prismatic  NORMAL, DOT                       2 NORMAL, 3 DOT             DISPLACEMENT
 *   slider     NORMAL                            2 NORMAL                    DISPLACEMENT
 *
 * A DOT row of weld and prismatic is the sine of the angle by which B has turned beyond what is held, so it is zero
 * half a turn away too: who assembles a mechanism must check that the cosine is positive (plane: A_a(alpha) . A_b(beta
 * turned by +90 degrees)). The ANGLE coordinate is the angle of port B's directions against port A's, up to full turns.
 * Errors: PHX_ERR_ARGUMENT for a zero axis or a matrix that is no rotation, PHX_ERR_UNSUPPORTED for a kind that the
 * dimension lacks. */
phx_status phx_joint_rows(phx_context *context, phx_joint_kind kind, int dim, const double *rotation_a,
                          const double *rotation_b, const double *axis, const double *relative, int *n_constraints,
                          phx_row constraints[PHX_JOINT_MAX_ROWS], int *n_coordinates,
                          phx_row coordinates[PHX_JOINT_MAX_COORDINATES]);

#ifdef __cplusplus
}
#endif
#endif
