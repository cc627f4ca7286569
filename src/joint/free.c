/* Free: nothing is held; coordinates of B against A, for a craft against the ground. */
#include "kinds.h"

static void free_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    for (int k = 0; k < frame->dim; k++)
        phx_joint_add_displacement(frame, k, list);
    if (frame->dim == 2)
        phx_joint_add_plane_angle(frame, list);
    else
        phx_joint_add_three_angles(frame, list);
}

static const phx_joint_coordinate in_plane[] = {
    {"displacement along x", "where B is at A; along port A's directions", false},
    {"displacement along y", PHX_ZERO_AT_A, false},
    {"angle", PHX_ZERO_OF_TURN, true}};

const phx_joint_operations phx_joint_free = {
    .info = {.name = "free",
             .holds = "nothing; coordinates of B against A",
             .plane = true,
             .space = true,
             .n_coordinates = {3, 6},
             .coordinates = {{"displacement along x", "where B is at A; along port A's directions", false},
                             {"displacement along y", PHX_ZERO_AT_A, false},
                             {"displacement along z", PHX_ZERO_AT_A, false},
                             {"angle about x", PHX_ZERO_OF_ANGLES, true},
                             {"angle about y'", "likewise", true},
                             {"angle about z''", "likewise", true}},
             .in_plane = in_plane,
             .solids = {{PHX_SOLID_RING, {1.2, 0.08}}}},
    .zero = PHX_ZERO_PORTS,
    .rows = free_rows,
};
