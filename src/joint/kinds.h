/* What the joint kinds share: the frame they build rows in and the rows themselves. */
#ifndef PHLEXOR_JOINT_KINDS_H
#define PHLEXOR_JOINT_KINDS_H

#include <phlexor/joint.h>

/* Directions of a joint, each in the body axes of A and of B, where the held relative rotation makes them coincide.
 * Plane: base 0 is the axis (or port A's x when the kind has none), base 1 is it turned by +90 degrees. Space: a right-
 * handed triad that starts with the axis (or port A's directions). */
typedef struct phx_joint_frame {
    int dim;
    double in_a[3][3], in_b[3][3];
    double angle; /* plane: port A's directions in A minus port B's in B, in [-pi, pi] */
} phx_joint_frame;

typedef struct phx_joint_row_list {
    int n_constraints, n_coordinates;
    phx_row *constraints, *coordinates; /* PHX_JOINT_MAX_ROWS and PHX_JOINT_MAX_COORDINATES */
} phx_joint_row_list;

typedef struct phx_joint_operations {
    const char *name;
    bool plane, space; /* where the kind exists */
    bool has_axis[2];  /* plane, space */
    void (*rows)(const phx_joint_frame *frame, phx_joint_row_list *list);
} phx_joint_operations;

extern const phx_joint_operations phx_joint_weld;
extern const phx_joint_operations phx_joint_revolute;
extern const phx_joint_operations phx_joint_prismatic;
extern const phx_joint_operations phx_joint_slider;

/* Append constraints: the points coincide; B stays on the line through A along base 0; no turn about base k (value: the
 * sine of B's turn about it); and the coordinate along base 0. */
void phx_joint_add_points(const phx_joint_frame *frame, phx_joint_row_list *list);
void phx_joint_add_line(const phx_joint_frame *frame, phx_joint_row_list *list);
void phx_joint_add_no_turn(const phx_joint_frame *frame, int k, phx_joint_row_list *list);
void phx_joint_add_displacement(const phx_joint_frame *frame, phx_joint_row_list *list);

#endif
