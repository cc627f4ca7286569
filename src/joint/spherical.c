/* Spherical: the points coincide; the coordinates are the angles x-y'-z'' of B's directions against A's. */
#include "kinds.h"

static void spherical_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_points(frame, list);
    phx_joint_add_three_angles(frame, list);
}

const phx_joint_operations phx_joint_spherical = {
    .info = {.name = "spherical",
             .holds = "points",
             .space = true,
             .holds_points = true,
             .n_coordinates = {0, 3},
             .coordinates = {{"angle about x", PHX_ZERO_OF_ANGLES, true},
                             {"angle about y'", "likewise", true},
                             {"angle about z''", "likewise", true}},
             .solids = {{PHX_SOLID_BALL, {1.15}}}},
    .zero = PHX_ZERO_PORTS,
    .rows = spherical_rows,
};
