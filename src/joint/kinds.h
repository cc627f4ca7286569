/* Shared by the kinds of joint: the frame they build rows in and the rows themselves. */
#ifndef PHLEXOR_JOINT_KINDS_H
#define PHLEXOR_JOINT_KINDS_H

#include "joint/joint.h"

/* Directions of a joint, each in the body axes of A and of B, where the rotation that counts as zero makes them
 * coincide. Plane: base 0 is the axis (or port A's x when the kind has none), base 1 is it turned by +90 degrees.
 * Space: a right-handed triad that starts with the axis (or port A's directions); of a universal joint B's axis is the
 * last. */
typedef struct phx_joint_frame {
    int dim;
    double in_a[3][3], in_b[3][3];
    double angle; /* plane: port A's directions in A minus port B's in B, in [-pi, pi] */
} phx_joint_frame;

typedef struct phx_joint_row_list {
    int n_constraints, n_coordinates;
    phx_row *constraints, *coordinates; /* PHX_JOINT_MAX_ROWS and PHX_JOINT_MAX_COORDINATES */
} phx_joint_row_list;

/* Which rotation of B against A makes the frame's directions coincide. */
typedef enum phx_joint_zero {
    PHX_ZERO_PORTS, /* that of the ports' directions */
    PHX_ZERO_POSES, /* the relative rotation given, its axis put on A's */
    PHX_ZERO_AXIS,  /* the shortest that puts B's axis on A's */
    PHX_ZERO_CROSS  /* that of the ports' directions or the one given, whichever has the axes perpendicular */
} phx_joint_zero;

/* A kind of joint: what others need to know of it, and how its rows are made. */
typedef struct phx_joint_operations {
    phx_joint_info info;
    phx_joint_zero zero;
    void (*rows)(const phx_joint_frame *frame, phx_joint_row_list *list);
} phx_joint_operations;

/* Where coordinates that several kinds have are zero: of phx_joint_add_turn(0), of displacements, of those along bases
 * 1 and 2 of a normal, of the turns of a pair of axes. */
#define PHX_ZERO_OF_TURN                                                                                               \
    "where port B's directions lie on port A's, B first turned the shortest way so that its axis lies on A's"
#define PHX_ZERO_AT_A "where B is at A"
#define PHX_ZERO_IN_PLANE                                                                                              \
    PHX_ZERO_AT_A "; e is the direction of A that follows the one nearest to the normal in the order x y z x, "        \
                  "made perpendicular to it"
#define PHX_ZERO_OF_ANGLES                                                                                             \
    "where port B's directions lie on port A's; R = Rx(q1) Ry(q2) Rz(q3) takes B's components to A's"
#define PHX_ZERO_OF_PAIR                                                                                               \
    "where the ports' directions coincide, when a and b are perpendicular by their components; else where the poses "  \
    "have them"

#define PHX_ZERO_OF_PLACE "at P of A; its length at C"

#define PHX_JOINT_DECLARE(NAME, name) extern const phx_joint_operations phx_joint_##name;
PHX_JOINT_LIST(PHX_JOINT_DECLARE)
#undef PHX_JOINT_DECLARE

/* Append constraints: the points coincide; the distance of B from A across base k is zero; B stays on the line through
 * A along base 0; no turn, one row about each base (value: the sine of B's turn about it); base 0 of B stays on base 0
 * of A. */
void phx_joint_add_points(const phx_joint_frame *frame, phx_joint_row_list *list);
void phx_joint_add_normal(const phx_joint_frame *frame, int k, phx_joint_row_list *list);
void phx_joint_add_line(const phx_joint_frame *frame, phx_joint_row_list *list);
void phx_joint_fix_orientation(const phx_joint_frame *frame, phx_joint_row_list *list);
void phx_joint_add_axis(const phx_joint_frame *frame, phx_joint_row_list *list);
/* Append: base 2 of B stays perpendicular to base 0 of A. */
void phx_joint_add_perpendicular(const phx_joint_frame *frame, phx_joint_row_list *list);
/* Append coordinates: along base k; the turn of B about base k of A (space). */
void phx_joint_add_displacement(const phx_joint_frame *frame, int k, phx_joint_row_list *list);
void phx_joint_add_turn(const phx_joint_frame *frame, int k, phx_joint_row_list *list);
/* Of joints that slide, whose A has no directions along base 2 (port.h). Append constraints: base 0 of B stays on base
 * 0 of A; B does not turn against A about base 0. Coordinates: the place of A along its body; the turn about base 0. */
void phx_joint_add_tangent(const phx_joint_frame *frame, phx_joint_row_list *list);
void phx_joint_add_no_spin(const phx_joint_frame *frame, phx_joint_row_list *list);
void phx_joint_add_place(phx_joint_row_list *list);
void phx_joint_add_spin(const phx_joint_frame *frame, phx_joint_row_list *list);
/* The turn about base 0 of A until base 2 of B lies in the plane of A's bases 0 and 2, and the turn about base 2 of B
 * from there: the first and the last of three angles x-y'-z''. */
void phx_joint_add_first_turn(const phx_joint_frame *frame, phx_joint_row_list *list);
void phx_joint_add_last_turn(const phx_joint_frame *frame, phx_joint_row_list *list);
/* All three of these angles (space); the angle of B's directions against A's (plane). */
void phx_joint_add_three_angles(const phx_joint_frame *frame, phx_joint_row_list *list);
void phx_joint_add_plane_angle(const phx_joint_frame *frame, phx_joint_row_list *list);

#endif
