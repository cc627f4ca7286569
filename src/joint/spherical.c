/* Spherical: the points coincide; the coordinates are the angles x-y'-z'' of B's directions against A's. */
#include "kinds.h"

static void rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_row tilt = {.kind = PHX_ROW_TILT, .angular = true}; /* R_13 = sin q */
    memcpy(tilt.alpha, frame->in_a[0], sizeof(tilt.alpha));
    memcpy(tilt.beta, frame->in_b[2], sizeof(tilt.beta));
    phx_joint_add_points(frame, list);
    phx_joint_add_first_turn(frame, list);
    list->coordinates[list->n_coordinates++] = tilt;
    phx_joint_add_last_turn(frame, list);
}

const phx_joint_operations phx_joint_spherical = {
    .info = {.name = "spherical",
             .holds = "points",
             .space = true,
             .holds_points = true,
             .n_coordinates = {0, 3},
             .coordinates =
                 {{"angle about x",
                   "where port B's directions lie on port A's; R = Rx(q1) Ry(q2) Rz(q3) takes B's components to A's",
                   true},
                  {"angle about y'", "likewise", true},
                  {"angle about z''", "likewise", true}},
             .solids = {{PHX_SOLID_BALL, {1.15}}}},
    .zero = PHX_ZERO_PORTS,
    .rows = rows,
};
